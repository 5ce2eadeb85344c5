"""However a recording ends, what it promised is in the file: signals, a full disk; and it never replaces what it is
made from."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.helpers.command import HEEDING, called, executable, simulator, surroundings
from tests.helpers.documents import joint, link, mimic, model, world
from tests.helpers.repository import ROOT

COLUMNS = 16


@pytest.fixture
def wheels(write_document: Callable[..., Path]) -> Path:
    """Two coupled flywheels."""
    j = joint("j", "revolute", parent="world", child="a")
    k = joint("k", "revolute", mimic("j", multiplier=2.0), parent="world", child="b")
    return write_document(world(model("m", link("a"), link("b"), j, k)))


@contextmanager
def running(*arguments: str | Path, under: tuple[str, ...] = ()) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*under, *HEEDING, *executable(), *map(str, arguments)], cwd=ROOT, env=surroundings(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(out: Path, size: int) -> None:
    end = time.monotonic() + 100.0
    while (not out.exists() or out.stat().st_size < size) and time.monotonic() < end:
        time.sleep(0.02)


def times_of(out: Path, dt: float) -> list[float]:
    """Of rows that are all whole and follow each other."""
    text = out.read_text(encoding="utf-8")
    assert text.endswith("\n")
    _, *rows = [line.split(",") for line in text.splitlines()]
    assert {len(row) for row in rows} == {COLUMNS}
    times = [float(row[0]) for row in rows]
    assert times == pytest.approx([dt * i for i in range(len(times))])
    return times


@pytest.mark.parametrize(("number", "code", "said"), [
    (signal.SIGTERM, 143, "ended by SIGTERM"), (signal.SIGHUP, 129, "ended by SIGHUP"),
    (signal.SIGINT, 130, "interrupted"),
])  # fmt: skip
def test_a_signal_ends_a_run_in_order(
    number: signal.Signals, code: int, said: str, wheels: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    with running("run", wheels, "--duration", "100000", "--csv", out) as process:
        wait_for(out, 50_000)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (code, "")
    told = re.fullmatch(rf"{said} at ([0-9.e+]+) s; everything up to there is recorded\n", stderr)
    assert told, stderr
    assert float(told[1]) == pytest.approx(times_of(out, 0.001)[-1], abs=1.5e-3)


def test_signals_one_after_the_other_break_nothing_off(wheels: Path, tmp_path: Path) -> None:
    """A session that ends sends several at once."""
    out = tmp_path / "out.csv"
    with running("run", wheels, "--duration", "100000", "--csv", out) as process:
        wait_for(out, 50_000)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process.send_signal(number)
        stderr = process.communicate(timeout=60)[1]
    assert process.returncode in (143, 129, 130)  # of those that wait, the system hands the lowest number over first
    assert "Traceback" not in stderr
    times_of(out, 0.001)


def test_a_run_that_is_to_outlive_its_terminal_does(wheels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with running("run", wheels, "--duration", "100000", "--csv", out, under=("nohup",)) as process:
        wait_for(out, 20_000)
        process.send_signal(signal.SIGHUP)
        wait_for(out, out.stat().st_size + 20_000)
        assert process.poll() is None


def test_rows_are_on_disk_when_they_are_made(wheels: Path, tmp_path: Path) -> None:
    """Killed without a chance to save, few and slow samples, far below what a buffer would hold."""
    out = tmp_path / "out.csv"
    with running("run", wheels, "--duration", "100000", "--every", "1", "--csv", out) as process:
        wait_for(out, 1)
        assert out.read_bytes().startswith(b"time,"), "the header first"
        wait_for(out, 1000)
        process.kill()
        process.communicate()
    times_of(out, 1.0)


@pytest.mark.parametrize("size", [100, 10_000, 10_007, 40_000])
def test_a_full_disk_leaves_no_half_row(size: int, wheels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with running("run", wheels, "--duration", "100", "--csv", out, under=("prlimit", f"--fsize={size}")) as process:
        stderr = process.communicate(timeout=60)[1]
    assert (process.returncode, stderr) == (2, f"simulator: cannot write {out}: File too large\n")
    found = out.read_bytes()
    assert len(found) <= size
    assert not found or found.endswith(b"\n")
    if size > 1000:
        assert len(found) > size - 400
        times_of(out, 0.001)


MESHED = """<sdf version="1.11"><world name="w"><model name="m"><static>true</static><link name="l">
<visual name="v"><geometry><mesh><uri>wheel.stl</uri></mesh></geometry></visual></link></model>
<include><uri>part</uri></include></world></sdf>"""


def test_a_recording_never_replaces_what_it_is_made_from(wheels: Path, tmp_path: Path) -> None:
    mesh, document, motion = tmp_path / "wheel.stl", tmp_path / "meshed.sdf", tmp_path / "motion.csv"
    shutil.copy(next((ROOT / "assets" / "meshes").rglob("*.stl")), mesh)
    (tmp_path / "part").mkdir()
    included = tmp_path / "part" / "model.sdf"
    shutil.copy(wheels, included)
    included.write_text(re.sub(r"</?world[^>]*>", "", wheels.read_text(encoding="utf-8")), encoding="utf-8")
    (tmp_path / "part" / "model.config").write_text("<model><sdf>model.sdf</sdf></model>", encoding="utf-8")
    document.write_text(MESHED, encoding="utf-8")
    motion.write_text("time,angle\n0,0\n1,1\n", encoding="utf-8")
    os.link(mesh, tmp_path / "other name.stl")
    (tmp_path / "link.sdf").symlink_to(document)
    drive = ("--drive", f"j=position:@{motion}#angle")
    asked = [
        (document, path, ()) for path in (document, included, mesh, tmp_path / "other name.stl", tmp_path / "link.sdf")
    ]
    for source, out, more in [*asked, (wheels, wheels, ()), (wheels, motion, drive)]:
        before = out.read_bytes()
        done = called("run", source, "--duration", "0.01", "--csv", out, *more)
        assert done.returncode == 2, (out, done.stderr)
        assert done.stderr.splitlines()[-1].startswith(f"simulator: '{out}' "), done.stderr
        assert "nothing was written" in done.stderr
        assert out.read_bytes() == before


def test_a_motion_file_of_before_may_be_replaced(wheels: Path, tmp_path: Path) -> None:
    """Standard error of this run only."""
    out = tmp_path / "out.csv"
    out.write_text("old\n", encoding="utf-8")
    assert simulator("run", wheels, "--duration", "0.01", "--csv", out).returncode == 0
    assert len(times_of(out, 0.001)) == 11
