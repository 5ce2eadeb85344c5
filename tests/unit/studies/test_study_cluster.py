"""A cluster in small: a scheduler and workers in processes of their own, on loopback, of which some go away."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import EngineDiedError
from simulator.studies.reading import plan_of
from simulator.studies.study import parts_of, study, task_of
from simulator.studies.workers import Workers

TABLE = {
    "document": "four_bar",
    "duration": 1.0,
    "samples": 200,
    "parameters": {"coupler.mass": {"uniform": [0.1, 0.3]}},
    "measures": {"angle": "final(rocker_joint/position)"},
}


# A client that loses its scheduler leaves sockets to the collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


class Cluster:
    """A scheduler at a port of its own, and its workers."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address, self._stack, self._folder = f"tcp://127.0.0.1:{self._port}", stack, folder
        self.scheduler = self.schedule()
        self.workers = [self.work(), self.work()]

    def schedule(self) -> subprocess.Popen[bytes]:
        """Start the scheduler."""
        return self._start("scheduler", "--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard")

    def work(self) -> subprocess.Popen[bytes]:
        """Start a worker; it waits for the scheduler for a minute."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60")
        return self._start("worker", self.address, *options)

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        process = subprocess.Popen(command, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(stack, tmp_path)
    gc.collect()


def test_workers_and_a_scheduler_that_go_away_change_nothing(cluster: Cluster) -> None:
    """One worker is killed, one joins late, and the scheduler is killed and started again in the midst of a study."""
    alone, said, seen = study(TABLE, workers=1), list[str](), list[int]()
    task = task_of(plan_of(TABLE))
    rows = []
    for part in parts_of(task, None, Workers(dask=cluster.address), say=said.append):
        rows.append(part)
        seen.append(len(rows))
        if len(rows) == 2:
            cluster.workers[0].kill()
            cluster.work()
        if len(rows) == 4:
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            again = threading.Timer(1.0, cluster.schedule)
            again.start()
            for worker in (cluster.work(), cluster.work()):
                assert worker.poll() is None
    rows.sort(key=lambda part: part.begin)
    np.testing.assert_array_equal(np.concatenate([part.measures for part in rows]), alone.measures)
    assert any("workers were lost" in line for line in said)
    assert any(line.startswith("the cluster has ") for line in said)


def test_a_cluster_of_this_machine_gives_the_same_bytes(tmp_path: Path) -> None:
    study(TABLE, tmp_path / "alone")
    study(TABLE, tmp_path / "cluster", dask="local", processes=2)
    alone, cluster = (sorted(folder.iterdir()) for folder in (tmp_path / "alone", tmp_path / "cluster"))
    assert [file.name for file in cluster] == [file.name for file in alone]
    assert [file.read_bytes() for file in cluster] == [file.read_bytes() for file in alone]
    gc.collect()


def test_a_cluster_that_is_not_there_is_one_line() -> None:
    begun = time.monotonic()
    with pytest.raises(EngineDiedError, match=r"no Dask scheduler at 'tcp://127.0.0.1:1'"):
        study(TABLE, dask="tcp://127.0.0.1:1")
    assert time.monotonic() - begun < 60.0
