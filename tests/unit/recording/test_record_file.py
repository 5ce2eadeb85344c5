"""The file of a recording: on disk whatever becomes of the process, within its budget, found again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from simulator.recording import record_file
from simulator.recording.channels import Channel
from simulator.recording.record_file import RecordFile, leftovers, recent
from simulator.recording.store import FEWEST

CHANNELS = (Channel("time", "time", "s"), Channel("joint/m::j/position", "position", "rad", 0))
WRITER = """
import sys, time
from pathlib import Path
import numpy as np
from simulator.recording import record_file
from simulator.recording.channels import Channel
record_file.home = lambda: Path(sys.argv[1])
channels = (Channel("time", "time", "s"), Channel("joint/m::j/position", "position", "rad", 0))
record = record_file.RecordFile.create(channels, Path("rack.sdf"), 0.001)
number = np.arange(1000.0)
record.store.extend(np.column_stack((0.001 * number, number)))
print("written", flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(record_file, "home", lambda: tmp_path / "recordings")
    return tmp_path / "recordings"


def rows(count: int, begin: int = 0) -> np.ndarray:
    number = np.arange(begin, begin + count, dtype=float)
    return np.column_stack((0.001 * number, number))


def test_another_process_sees_what_is_written(folder: Path) -> None:
    record = RecordFile.create(CHANNELS, Path("rack.sdf"), 0.001)
    other = RecordFile.attach(record.shape)
    other.store.extend(rows(10))
    np.testing.assert_array_equal(record.store.window((1,))[1][:, 0], np.arange(10.0))
    assert sorted(path.suffix for path in folder.iterdir()) == [".json", ".rows"]
    record.close()
    assert list(folder.iterdir()) == []
    assert record.store.span() == pytest.approx((0.0, 0.009)), "who looks at it still does"


def test_a_recording_takes_the_disk_a_block_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(record_file.VARIABLE, "64")
    record = RecordFile.create(CHANNELS, Path("rack.sdf"), 0.001)
    path = Path(record.shape.path)
    used = path.stat().st_blocks * 512
    assert path.stat().st_size <= 65 << 20
    assert used < (FEWEST + 2) << 20
    store = record.shape.store
    record.store.extend(rows(store.rows * (FEWEST + 4)))
    assert used < path.stat().st_blocks * 512 < (FEWEST + 6) << 20
    record.close()


def test_a_full_disk_thins_the_recording(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = RecordFile.create(CHANNELS, Path("rack.sdf"), 0.001)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record_file, "_allocate", refuse)
    count = 40 * record.shape.store.rows
    for begin in range(0, count, 100_000):
        record.store.extend(rows(100_000, begin))
    assert record.store.span()[0] == 0.0
    assert record.store.coarsest >= 2
    record.close()


def test_a_folder_that_cannot_be_written_is_replaced(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file, no folder")
    monkeypatch.setattr(record_file.tempfile, "gettempdir", lambda: str(tmp_path / "t"))
    record = RecordFile.create(CHANNELS, Path("rack.sdf"), 0.001)
    assert Path(record.shape.path).parent == tmp_path / "t" / "simulator-recordings"
    record.close()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere processes cannot be asked whether they are there")
def test_what_a_killed_process_has_recorded_is_found(folder: Path) -> None:
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "written"
        assert leftovers() == [], "it is still there"
        process.send_signal(signal.SIGKILL)
    (found,) = leftovers()
    assert (found.document, found.dt, found.channels) == (Path("rack.sdf").absolute(), 0.001, CHANNELS)
    np.testing.assert_array_equal(np.concatenate(list(found.store().chunks())), rows(1000))
    found.delete()
    assert leftovers() == []
    assert list(folder.iterdir()) == []


def test_the_newest_recordings_of_ended_sessions_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as stay, in files of the size of their rows; shorter ones go, as does what is beyond the budget."""
    monkeypatch.setattr(record_file, "KEPT", 3)
    for count in (1000, 1001, 1500, 2000, 2500):
        record = RecordFile.create(CHANNELS, Path(f"{count}.sdf"), 0.001)
        record.store.extend(rows(count))
        record.close(keep=True)
    assert [one.document.stem for one in recent()] == ["2500", "2000", "1500"]
    assert leftovers() == []
    newest = recent()[0]
    np.testing.assert_array_equal(np.concatenate(list(newest.store().chunks())), rows(2500))
    assert newest.path.stat().st_size < 1.1 * 8 * 2 * 2500
    assert len(list(folder.iterdir())) == 2 * 3
    monkeypatch.setattr(record_file, "budget", lambda: 8 * 2 * 4800)
    record = RecordFile.create(CHANNELS, Path("last.sdf"), 0.001)
    record.store.extend(rows(2000))
    record.close(keep=True)
    assert [one.document.stem for one in recent()] == ["last", "2500"]
    recent()[1].delete()
    assert [one.document.stem for one in recent()] == ["last"]


def test_files_that_are_no_recordings_are_left_alone(folder: Path) -> None:
    folder.mkdir()
    for name, text in (("a.json", "{"), ("b.json", "[]"), ("c.json", '{"process": 1}'), ("d.rows", "")):
        (folder / name).write_text(text)
    assert leftovers() == []
    assert len(list(folder.iterdir())) == 4


def test_any_moment_of_a_large_recording_is_found_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search reads as many numbers as there are blocks, not as there are rows."""
    monkeypatch.setenv(record_file.VARIABLE, "256")
    record = RecordFile.create(CHANNELS, Path("rack.sdf"), 0.001)
    for begin in range(0, 6_000_000, 500_000):
        record.store.extend(rows(500_000, begin))
    began = time.perf_counter()
    for moment in np.linspace(0.0, 5999.0, 20):
        row = record.store.row_at(moment)
        assert row is not None
        assert 0.0 <= moment - row[0] <= 0.001 * record.store.coarsest + 1e-9
    assert time.perf_counter() - began < 5.0, "a hundred times as long as it takes"
    record.close()
