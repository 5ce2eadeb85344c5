"""Studies that are watched while they are made: the order of samples, the rows against those of `study`, stopping,
and files that the command line continues."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.errors import UsageError
from simulator.session.open.opening import open_document
from simulator.session.text.toml import toml_of
from simulator.studies.live import LiveStudy, coarse_first
from simulator.studies.reading import plan_of, read_plan
from simulator.studies.results import read_results
from simulator.studies.workers import Pool, Workers
from tests.helpers.command import called
from tests.helpers.repository import ROOT

WORLD = ROOT / "worlds" / "four_bar.sdf"


def table(**more: Any) -> dict[str, Any]:
    return {
        "document": str(WORLD),
        "duration": 0.05,
        "parameters": {"coupler.mass": {"values": [0.1, 0.2, 0.3]}, "rocker.length": {"values": [0.28, 0.3, 0.9]}},
        "drives": {"crank_joint": "velocity:2.0"},
        "measures": {"measure": "rms(crank_joint/effort)"},
        **more,
    }


def begun(given: dict[str, Any], workers: Workers | None = None) -> LiveStudy:
    return LiveStudy(given, open_document(WORLD), Pool(workers or Workers(1)))


def finished(study: LiveStudy) -> LiveStudy:
    study.wait(60.0)
    study.poll()
    assert study.is_done
    assert study.error == ""
    return study


@pytest.mark.parametrize("workers", [Workers(1), Workers(1, 1)], ids=["thread", "process"])
def test_samples_are_those_of_a_study(workers: Workers) -> None:
    """To the last bit; a rocker of 0.9 m closes no loop, whatever the coupler weighs."""
    found, expected = finished(begun(table(), workers)), simulator.study(table())
    assert (found.total, found.made, found.shape) == (9, 9, (3, 3))
    for index in range(9):
        rows = found.rows[index]
        np.testing.assert_array_equal(rows.measures[0], expected.measures[index])
        assert (rows.status[0], rows.reason[0]) == (expected.status[index], expected.reason[index])
    assert [found.rows[i].status[0] for i in (0, 1, 2)] == ["ok", "ok", "not_assembled"]


@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (16,), (5, 4), (3, 1, 3)])
def test_every_sample_has_its_turn_once(shape: tuple[int, ...]) -> None:
    total = int(np.prod(shape))
    spans = list(coarse_first(total, shape))
    assert sorted(i for begin, end in spans for i in range(begin, end)) == list(range(total))


def test_ends_come_first_then_what_is_in_between() -> None:
    """After 2ⁿ + 1 samples of a row no gap is twice as wide as another; of a grid the corners are first."""
    order = [begin for begin, _ in coarse_first(33, (33,))]
    assert set(order[:2]) == {0, 32}
    for n in (1, 2, 3):
        gaps = np.diff(sorted(order[: 2**n + 1]))
        assert gaps.max() == 32 // 2**n
    assert {begin for begin, _ in list(coarse_first(25, (5, 5)))[:4]} == {0, 4, 20, 24}


def test_many_samples_go_several_at_a_time() -> None:
    spans = list(coarse_first(2500, (50, 50)))
    assert len(spans) == 834
    assert {end - begin for begin, end in spans} == {3, 1}
    assert sorted(i for begin, end in spans for i in range(begin, end)) == list(range(2500))


def test_a_study_that_is_stopped_makes_no_more_and_waits_for_nothing() -> None:
    """A process that simulates 1000 s is ended in the middle of it."""
    study = begun(table(duration=1000.0), Workers(1, 1))
    while not getattr(study._pool._executor, "_processes", None):
        time.sleep(0.01)
    study.stop()
    study.wait(20.0)
    assert study.is_done
    assert (study.made, study.error) == (0, "")


def test_what_it_says_wrongly_is_said_at_once_and_what_fails_later() -> None:
    with pytest.raises(UsageError, match="not a measure of a channel"):
        begun(table(measures={"measure": "most(crank_joint/effort)"}))
    study = finished(begun(table(measures={"measure": "max(crank_joint/torque)"})))
    reasons = {rows.reason[0] for rows in study.rows.values() if rows.status[0] == "invalid"}
    assert len(reasons) == 1
    assert "no channel is named 'crank_joint/torque'" in reasons.pop()


def test_the_file_is_the_study(tmp_path: Path) -> None:
    """Numbers to the last bit, names with any characters."""
    given = table(
        hold_base=True,
        resource_paths=['/tmp/a "b" \\c'],
        parameters={"coupler.mass": 0.1 + 0.2, 'a "speed" ✓': {"values": [1e-300, -0.0, 3.0]}},
        drives={"crank_joint": 'velocity:{a "speed" ✓}'},
    )
    (tmp_path / "study.toml").write_text(toml_of(given), encoding="utf-8")
    assert read_plan(tmp_path / "study.toml") == plan_of(given)


def test_the_command_line_goes_on_with_what_was_saved(tmp_path: Path) -> None:
    """Half of 40 samples are made: the complete part stays, the command makes the rest, and all are those of a
    study that was never interrupted."""
    values = [float(x) for x in np.linspace(0.1, 0.3, 40)]
    given = table(parameters={"coupler.mass": {"values": values}}, duration=0.01)
    study = finished(begun(given))
    study.rows = {begin: rows for begin, rows in study.rows.items() if begin < 20}
    path, folder = tmp_path / "mass.toml", tmp_path / "mass"
    assert study.save(path) == 0
    assert not folder.exists()
    assert study.save(path, folder) == 16
    assert len(read_results(folder)) == 16
    before = (folder / "part-000000000.parquet").read_bytes()
    assert called("study", str(path), "-o", str(folder), "--resume", "--workers", "1").returncode == 0
    assert (folder / "part-000000000.parquet").read_bytes() == before
    np.testing.assert_array_equal(read_results(folder)["measure"], simulator.study(given)["measure"])
    assert study.save(path, folder) == 16, "again, where all is there"


def test_workers_end_with_a_killed_program(tmp_path: Path) -> None:
    """A worker holds the output of its program open as long as it lives."""
    script = tmp_path / "study.py"
    script.write_text(
        "import os\n"
        "from simulator.studies.workers import Pool, Workers\n"
        'if __name__ == "__main__":\n'
        "    pool = Pool(Workers(processes=1))\n"
        "    print(pool._executor.submit(os.getpid).result(), flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        worker = int(program.stdout.readline())
        program.kill()
        try:
            program.communicate(timeout=30.0)
        except subprocess.TimeoutExpired:
            os.kill(worker, signal.SIGKILL)
            raise
