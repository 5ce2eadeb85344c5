"""A Dask cluster in small, of which some goes away, for `tests/unit/studies/test_study_cluster.py`.

python -m tests.helpers.small_cluster FOLDER [--apart]: simulates `TABLE` on a scheduler and two workers in processes of
their own, in three network namespaces (`--apart`; then it runs under `unshare --map-root-user --net`) or on loopback.
One worker is killed, one joins late, and the scheduler is killed and started again. Writes measures.npy, and
said.txt, what the study said.
"""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from simulator.studies.reading import plan_of
from simulator.studies.study import parts_of, task_of
from simulator.studies.workers import Workers

TABLE = {
    "document": "four_bar",
    "duration": 1.0,
    "samples": 200,
    "parameters": {"coupler.mass": {"uniform": [0.1, 0.3]}},
    "measures": {"angle": "final(rocker_joint/position)"},
}
APART = ["unshare", "--map-root-user", "--net"]
"""What gives a process network namespaces of its own, where a user may have them."""
NETWORK = "10.9"
"""Addresses: the scheduler has NETWORK.k.1 on its link to machine k, which is NETWORK.k.2."""


def can_be_apart() -> bool:
    """Whether this user may make network namespaces and links between them."""
    command = [*APART, "ip", "link", "add", "one", "type", "veth", "peer", "name", "other"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


class Machine:
    """Where workers run: a network namespace with a link to that of this process."""

    def __init__(self, stack: ExitStack, number: int) -> None:
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        stack.callback(self._holder.wait)
        stack.callback(self._holder.kill)
        pid = str(self._holder.pid)
        self.enter = ["nsenter", "--target", pid, "--net"]
        while not Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").startswith("sleep"):
            time.sleep(0.01)
        _ip("link", "add", f"to{number}", "type", "veth", "peer", "name", "out", "netns", pid)
        _ip("addr", "add", f"{NETWORK}.{number}.1/24", "dev", f"to{number}")
        _ip("link", "set", f"to{number}", "up")
        _ip("addr", "add", f"{NETWORK}.{number}.2/24", "dev", "out", enter=self.enter)
        for device in ("lo", "out"):
            _ip("link", "set", device, "up", enter=self.enter)
        _ip("route", "add", "default", "via", f"{NETWORK}.{number}.1", enter=self.enter)


def _ip(*arguments: str, enter: list[str] | None = None) -> None:
    subprocess.run([*(enter or []), "ip", *arguments], check=True)


class Cluster:
    """A scheduler at a port of its own, and two workers."""

    def __init__(self, stack: ExitStack, folder: Path, *, apart: bool) -> None:
        self._stack, self._folder = stack, folder
        self._machines: list[list[str]] = [[], []]
        host = "127.0.0.1"
        if apart:
            host = f"{NETWORK}.1.1"
            _ip("link", "set", "lo", "up")
            self._machines = [Machine(stack, number).enter for number in (1, 2)]
        with socket.socket() as free:
            free.bind((host, 0))
            self._port = free.getsockname()[1]
        self.address = f"tcp://{host}:{self._port}"
        self.scheduler = self.schedule()
        self.workers = [self.work(0), self.work(1)]

    def schedule(self) -> subprocess.Popen[bytes]:
        """Start the scheduler."""
        host = "tcp://0.0.0.0" if self._machines[0] else "127.0.0.1"
        return self._start([], "scheduler", "--host", host, "--port", str(self._port), "--no-dashboard")

    def work(self, machine: int) -> subprocess.Popen[bytes]:
        """Start a worker on one of both machines; it waits for the scheduler for a minute."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60")
        return self._start(self._machines[machine], "worker", self.address, *options)

    def _start(self, enter: list[str], what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [*enter, sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments]
        process = subprocess.Popen(command, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


def simulate_on(cluster: Cluster, folder: Path) -> None:
    """The study, while the cluster changes."""
    said, rows = list[str](), []
    for part in parts_of(task_of(plan_of(TABLE)), None, Workers(dask=cluster.address), say=said.append):
        rows.append(part)
        if len(rows) == 2:
            cluster.workers[0].kill()
            cluster.work(0)
        if len(rows) == 4:
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            threading.Timer(1.0, cluster.schedule).start()
            for machine in (0, 1):
                cluster.work(machine)
    rows.sort(key=lambda part: part.begin)
    np.save(folder / "measures.npy", np.concatenate([part.measures for part in rows]))
    (folder / "said.txt").write_text("\n".join(said), encoding="utf-8")


if __name__ == "__main__":
    with ExitStack() as opened:
        simulate_on(Cluster(opened, Path(sys.argv[1]), apart="--apart" in sys.argv), Path(sys.argv[1]))
    gc.collect()
