"""The command as scripts know it: columns, exit codes, what goes to which stream, Ctrl-C, pictures."""

from __future__ import annotations

import csv
import json
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.helpers.command import called, executable, simulator, surroundings
from tests.helpers.documents import joint, link, mimic, model, world
from tests.helpers.repository import ROOT

HEADER = (
    "time,joint/m::j/position,joint/m::j/velocity,joint/m::j/effort"
    ",joint/m::k/position,joint/m::k/velocity,joint/m::k/effort"
    ",coupling/m::k/residual,energy/kinetic,energy/potential,energy/work,energy/dissipated,energy/error,energy/loads"
    ",energy/contact,energy/overlap"
)


@pytest.fixture
def wheels(write_document: Callable[..., Path]) -> Path:
    """Two coupled flywheels."""
    j = joint("j", "revolute", parent="world", child="a")
    k = joint("k", "revolute", mimic("j", multiplier=2.0), parent="world", child="b")
    return write_document(world(model("m", link("a"), link("b"), j, k)))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_columns_are_those_of_the_contract(wheels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = simulator(
        "run", wheels, "--duration", "0.01", "--csv", out, "--drive", "j=effort:1", "--initial", "m::j=0.1"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert out.read_text(encoding="utf-8").splitlines()[0] == HEADER
    rows = rows_of(out)
    assert [float(row["time"]) for row in rows] == [pytest.approx(0.001 * i) for i in range(11)]
    assert float(rows[0]["joint/m::k/position"]) == 0.2
    assert float(rows[-1]["joint/m::j/velocity"]) == pytest.approx(0.01 / 5.0, rel=1e-6)
    assert float(rows[-1]["joint/m::j/effort"]) == 1.0


def test_loop_columns(tmp_path: Path) -> None:
    called("run", "four_bar", "--duration", "0", "--csv", tmp_path / "out.csv")
    header = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert [name for name in header if name.startswith("loop/")] == [
        f"loop/four_bar::closing_joint/residual_{unit}" for unit in ("m", "rad")
    ]


def test_samples_every_so_often_and_steps_of_ones_own(wheels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = simulator("run", wheels, "--duration", "0.01", "--dt", "0.0005", "--every", "0.005", "--csv", out, "--json")
    assert json.loads(done.stdout)["steps"] == 20
    assert [float(row["time"]) for row in rows_of(out)] == pytest.approx([0.0, 0.005, 0.01])


def test_samples_that_go_nowhere_are_told(wheels: Path) -> None:
    done = simulator("run", wheels, "--duration", "0.01", "--every", "0.005")
    assert done.returncode == 0
    assert "simulator: --every says how often a sample goes into the file of -o, and there is none" in done.stderr


def test_numbers_have_a_point_whatever_the_locale(wheels: Path, tmp_path: Path) -> None:
    simulator(
        "run", wheels, "--duration", "0.002", "--csv", tmp_path / "out.csv", LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8"
    )
    assert rows_of(tmp_path / "out.csv")[1]["time"] == "0.001"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--duration", "1", "--solver", "magic"], "no solver is named 'magic'. Available: gear, reduced, rows"),
        (["--duration", "1", "--solver", "row"], "did you mean 'rows'?"),
        (["--duration", "-1"], "a duration of -1 s"),
        (["--duration", "soon"], "not a valid float"),
        ([], "--duration"),
        (["--duration", "1", "--dt", "0"], "a step of 0 s"),
        (["--duration", "1", "--drive", "elbow=effort:1"], "no axis is named 'elbow'"),
        (["--duration", "1", "--drive", "j=push:1"], "is not a drive"),
        (["--duration", "1", "--drive", "k=effort:1"], "follows another axis"),
        (["--duration", "1", "--initial", "j"], "is not an initial position"),
        (["--duration", "1", "--every", "0.0001"], "apart: the step is"),
        (["--duration", "1", "--csv", "/nowhere/out.csv"], "cannot write"),
        (["--duration", "0.01", "--csv", "/dev/full"], "cannot write /dev/full: No space left"),
        (["--duration", "1", "--frobnicate"], "--frobnicate"),
        (["--durations", "1"], "did you mean --duration?"),
    ],
)
def test_wrong_usage_is_2(arguments: list[str], says: str, wheels: Path) -> None:
    done = called("run", wheels, *arguments)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert re.fullmatch(r"simulator: [^\n]+\n", done.stderr)
    assert done.stdout == ""


def test_an_unreachable_start_is_3(wheels: Path) -> None:
    done = called("run", wheels, "--duration", "1", "--initial", "j=0.1", "--initial", "k=0.1")
    assert done.returncode == 3
    assert done.stderr.startswith("simulator: '")
    assert "Traceback" not in done.stderr


def test_a_run_that_diverges_is_3_and_its_rows_are_written(write_document: Callable[..., Path], tmp_path: Path) -> None:
    """A million newtons on a milligram: after a second it would be beyond 1e12 m/s, faster than anything moves."""
    light = link("a", mass=1e-6)
    path = write_document(world(model("m", light, joint("j", "prismatic", parent="world", child="a", axis="1 0 0"))))
    out = tmp_path / "out.csv"
    done = simulator("run", path, "--duration", "10", "--csv", out, "--json", "--drive", "j=effort:1e6")
    assert done.returncode == 3, done.stderr
    assert re.search(r"diverged at [0-9.]+ s: 'm::j'", done.stderr)
    assert "recorded up to" in done.stderr
    last = rows_of(out)[-1]
    assert f"recorded up to {float(last['time']):.6g} s" in done.stderr

    def refuse(constant: str) -> object:
        raise AssertionError(f"{constant} is not JSON")

    assert json.loads(done.stdout, parse_constant=refuse)["steps"] == len(rows_of(out)) - 1


def test_ctrl_c_writes_what_there_is_and_is_130(wheels: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    command = [*executable(), "run", str(wheels), "--duration", "100000", "--csv", str(out)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60.0
    while (not out.exists() or out.stat().st_size < 10_000) and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    assert (stdout, "Traceback" in stderr) == ("", False)
    text = out.read_text(encoding="utf-8")
    assert text.endswith("\n")
    times = [float(line.split(",")[0]) for line in text.splitlines()[1:]]
    assert times == pytest.approx([0.001 * i for i in range(len(times))])
    told = re.search(r"interrupted at ([0-9.e+]+) s", stderr)
    assert told
    assert float(told[1]) == pytest.approx(times[-1], abs=1.5e-3)


@pytest.mark.parametrize("library", ["_multiarray_umath", "etree", "motion-"])
def test_ctrl_c_while_libraries_load_is_not_lost(library: str) -> None:
    """Some of them catch every exception while they are imported. Whenever it comes: 130, no traceback; the instants
    are examples."""
    command = [*executable(), "run", "four_bar", "--duration", "100000"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    loaded = Path(f"/proc/{process.pid}/maps")
    while process.poll() is None and library not in loaded.read_text(encoding="utf-8"):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    try:
        stdout, stderr = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, stdout, "Traceback" in stderr) == (130, "", False)


def test_a_reader_that_leaves_early_is_no_fault() -> None:
    line = f"set -o pipefail; {shlex.quote(executable()[0])} describe --json four_bar gripper gear_train | head -c 10"
    done = subprocess.run(
        ["bash", "-c", line], cwd=ROOT, env=surroundings(), capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_behind_standard_output_is_told() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*executable(), "describe", "--json", "four_bar"],
            cwd=ROOT, env=surroundings(), stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "simulator: cannot write standard output: No space left on device\n")


def test_a_window_without_display_is_2_and_says_what_works_instead() -> None:
    for arguments in ([], ["four_bar"], ["view", "four_bar", "--paused"]):
        done = simulator(*arguments)
        assert done.returncode == 2, done.stderr
        assert "no display" in done.stderr
        assert "simulator run" in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["-h"]])
def test_help_is_data(arguments: list[str]) -> None:
    done = simulator(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage" in done.stdout


def test_a_picture_has_its_size_and_shows_something(tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    done = simulator("render", "four_bar", "-o", out, "--size", "320x200", "--time", "0.05")
    if done.returncode == 3 and "OpenGL" in done.stderr:
        pytest.skip(f"no picture without a display on this machine: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    with Image.open(out) as picture:
        assert picture.size == (320, 200)
        colours = picture.convert("RGB").getcolors(maxcolors=picture.width * picture.height)
        assert len(colours) > 50


def test_a_picture_without_contacts_says_what_passes_through_what(tmp_path: Path) -> None:
    done = called("render", "gripper", "-o", tmp_path / "out.png", "--size", "64x48", "--solver", "reduced")
    assert "computes no contacts" in done.stderr
    assert "box::box" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "out.jpg"], "no .png"),
        (["-o", "nowhere/out.png"], "there is no folder 'nowhere'"),
        (["-o", "out.png", "--size", "big"], "not a size"),
        (["-o", "out.png", "--size", "0x5"], "cannot be drawn"),
    ],
)
def test_pictures_that_cannot_be_are_2(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = called("render", "four_bar", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert not list(tmp_path.iterdir())
