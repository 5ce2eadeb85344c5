"""What `scripts/faults` measures with: it must see what is lost. (`scripts/faults` itself records for minutes.)"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from simulator.recording.channels import Channel
from simulator.recording.csv_file import CsvWriter
from tests.helpers import faulting
from tests.helpers.faulting import Lost, Trial, full, judged, killed, rows_lost, start

HEAD = "time,a\n"


def test_a_row_is_in_the_file_as_soon_as_it_is_written(tmp_path: Path) -> None:
    """Nothing waits in a buffer that the end of the process would empty."""
    path = tmp_path / "out.csv"
    writer = CsvWriter(path, [Channel("time", "time", "s")])
    assert path.read_text(encoding="utf-8") == "time\n"
    writer.write(np.array((0.5,)))
    assert path.read_text(encoding="utf-8") == "time\n0.5\n"
    writer.close()


@pytest.mark.parametrize(("text", "lost"), [
    (HEAD + "0,1\n0.5,1\n1,1\n", []),
    (HEAD, []),
    ("", []),
    (HEAD + "0,1\n0.5,1\n1,", ["the last row is cut"]),
    (HEAD + "0,1\n0.5\n1,1\n", ["a row has too few columns"]),
    (HEAD + "0,1\n0.5,1\n1.5,1\n", ["rows in between are missing"]),
])  # fmt: skip
def test_lost_rows_are_seen(text: str, lost: list[str], tmp_path: Path) -> None:
    trial = Trial(tmp_path, random.Random(1))
    trial.out.write_text(text, encoding="utf-8")
    assert rows_lost(trial)[0] == lost


@pytest.mark.parametrize("fault", [killed, full])
def test_a_program_that_records_as_promised_loses_nothing(fault: object, tmp_path: Path) -> None:
    assert fault(Trial(tmp_path, random.Random(2))) == []  # type: ignore[operator]


def test_a_program_that_says_nothing_of_a_full_disk_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faulting, "executable", lambda: ["true"])
    monkeypatch.setattr(faulting, "WORLD", "")
    trial = Trial(tmp_path, random.Random(2))
    assert "exit code 0" in full(trial)


def test_a_program_that_hangs_is_counted_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faulting, "executable", lambda: [sys.executable, "-c", "import time; time.sleep(1000)"])
    monkeypatch.setattr(faulting, "DEADLINE", 0.01)

    def hang(trial: Trial) -> Lost:
        start(trial).communicate(timeout=faulting.DEADLINE)
        return []

    monkeypatch.setitem(faulting.FAULTS, "hang", hang)
    trial = Trial(tmp_path, random.Random(2))
    assert judged("hang", trial) == ["it did not end within 0.01 s"]
    assert [process.poll() is None for process in trial.started] == [False]
