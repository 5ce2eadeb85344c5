"""Compiled code of other versions goes when nobody has used it for a month, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.dynamics.kernel_cache import UNUSED_DAYS, throw_away_unused, use
from tests.helpers.repository import ROOT

NOW = 1_800_000_000.0
DAY = 86400.0
IN_USE, OTHER, THIRD = "0123456789abcdef", "fedcba9876543210", "00000000ffffffff"


def folder_of(home: Path, name: str, *, days: float, file: str = "step_kernels.advance-274.py311.1.nbc") -> Path:
    """A folder with a file in a folder of numba's, last used so many days ago."""
    inside = home / name / "compiled_0f"
    inside.mkdir(parents=True)
    (inside / file).write_bytes(b"code")
    os.utime(home / name, (NOW - days * DAY, NOW - days * DAY))
    return home / name


def run_with(used: Path, now: float) -> None:
    """What a program does: it marks what it takes code from, and tidies when it ends."""
    use(used, now)
    throw_away_unused(used.parent, now)


def test_what_nobody_used_for_a_month_goes(tmp_path: Path) -> None:
    used = folder_of(tmp_path, IN_USE, days=2.0 * UNUSED_DAYS)
    folder_of(tmp_path, OTHER, days=UNUSED_DAYS + 1.0)
    recent = folder_of(tmp_path, THIRD, days=UNUSED_DAYS - 1.0)
    run_with(used, NOW)
    assert sorted(tmp_path.iterdir()) == sorted((used, recent))
    assert (used / "compiled_0f/step_kernels.advance-274.py311.1.nbc").read_bytes() == b"code"


def test_use_is_what_counts(tmp_path: Path) -> None:
    """A version that is started once a month stays, whenever its code was compiled."""
    first, second = folder_of(tmp_path, IN_USE, days=100.0), folder_of(tmp_path, OTHER, days=UNUSED_DAYS - 1.0)
    run_with(first, NOW)
    assert first.stat().st_mtime == NOW
    run_with(second, NOW + (UNUSED_DAYS - 1.0) * DAY)
    assert first.is_dir()
    run_with(second, NOW + (UNUSED_DAYS + 1.0) * DAY)
    assert not first.exists()


def test_nothing_of_others_is_touched(tmp_path: Path) -> None:
    """The user may have named a place (NUMBA_CACHE_DIR) where others keep theirs."""
    used = folder_of(tmp_path, IN_USE, days=0.0)
    (tmp_path / "outside").mkdir()
    (tmp_path / "aaaaaaaaaaaaaaaa").symlink_to(tmp_path / "outside")
    (tmp_path / "bbbbbbbbbbbbbbbb").write_text("a file")
    os.utime(tmp_path / "bbbbbbbbbbbbbbbb", (0.0, 0.0))
    others = {
        folder_of(tmp_path, "theirs_8b1a9953c4611296a827abf8c47804d7a2b1f2d0", days=1000.0),
        folder_of(tmp_path, f"{OTHER}0", days=1000.0),
        folder_of(tmp_path, THIRD, days=1000.0, file="thesis.txt"),
    }
    before = set(tmp_path.iterdir())
    run_with(used, NOW)
    assert set(tmp_path.iterdir()) == before
    assert others <= before


def test_leftovers_of_an_ended_process_go(tmp_path: Path) -> None:
    used, left = folder_of(tmp_path, IN_USE, days=0.0), folder_of(tmp_path, f"{OTHER}.unused", days=0.0)
    run_with(used, NOW)
    assert not left.exists()


def test_a_cache_that_cannot_be_tidied_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_with(tmp_path / "nowhere" / IN_USE, NOW)
    used, old = folder_of(tmp_path, IN_USE, days=0.0), folder_of(tmp_path, OTHER, days=1000.0)
    oldest = folder_of(tmp_path, THIRD, days=2000.0)

    def refuse(path: Path, target: Path) -> Path:
        if path == old:
            raise PermissionError(f"{path} is held by another program")
        return rename(path, target)

    rename = Path.rename
    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr(os, "utime", lambda *_: (_ for _ in ()).throw(PermissionError("read-only")))
    run_with(used, NOW)
    assert old.is_dir()
    assert not oldest.exists()


def test_many_processes_at_once(tmp_path: Path) -> None:
    """All come to an end without an error, and together they have thrown everything away."""
    for number in range(40):
        folder_of(tmp_path, f"{number:016x}", days=1000.0)
    used = folder_of(tmp_path, IN_USE, days=0.0)
    program = (
        "from pathlib import Path; from tests.unit.dynamics.test_kernel_cache import run_with; "
        f"run_with(Path({str(used)!r}), {NOW})"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(6)
    ]
    for process in started:
        _, complaint = process.communicate(timeout=60.0)
        assert (process.returncode, complaint) == (0, "")
    assert list(tmp_path.iterdir()) == [used]


def test_a_kernel_that_is_loaded_tidies_the_place(tmp_path: Path) -> None:
    """The folder of the present sources is made or marked as used, an old one beside it is gone."""
    old = folder_of(tmp_path, OTHER, days=10_000.0)
    program = "import numpy, simulator.algorithms.kernels.algebra as a; a.dot(numpy.ones(6), numpy.ones(6))"
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", program]
    subprocess.run(command, cwd=ROOT, env=surroundings, check=True, capture_output=True)
    assert not old.exists()
    (made,) = tmp_path.iterdir()
    assert list(made.rglob("algebra.dot-*.nbc"))
