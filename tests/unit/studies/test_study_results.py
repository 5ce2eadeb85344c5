"""Results are the same for all workers, and whatever happens meanwhile."""

from __future__ import annotations

import errno
import hashlib
import itertools
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import simulator
from simulator.cli import study_command
from simulator.cli.app import run_app
from simulator.errors import EngineDiedError, UnknownNameError, UsageError
from simulator.studies import reading
from simulator.studies import results as module
from simulator.studies.results import read_results, spans_of
from simulator.studies.study import study

TABLE: dict[str, Any] = {
    "document": "four_bar",
    "duration": 0.05,
    "seed": 1,
    "samples": 60,
    "parameters": {
        "coupler.mass": {"uniform": [0.1, 0.3]},
        "coupler.length": {"normal": [0.35, 0.001]},
        "speed": {"values": [1.0, 2.0]},
    },
    "drives": {"crank_joint": "velocity:{speed}"},
    "measures": {"angle": "final(rocker_joint/position)", "torque": "rms(crank_joint/effort)"},
    "constraints": ["torque <= 1"],
}
PARTS, KILLS = 8, int(os.environ.get("SIMULATOR_EXAMPLES", "2"))


def hash_of(folder: Path) -> str:
    """Of all files, names and contents."""
    found = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one thread makes."""
    folder = tmp_path_factory.mktemp("alone") / "out"
    study(TABLE, folder)
    return folder


def test_threads_and_processes_give_the_same_bytes(tmp_path: Path, alone: Path) -> None:
    study(TABLE, tmp_path / "threads", workers=2)
    study(TABLE, tmp_path / "processes", processes=2)
    assert hash_of(tmp_path / "threads") == hash_of(tmp_path / "processes") == hash_of(alone)


def test_a_sample_is_what_varied_gives(alone: Path) -> None:
    found = read_results(alone)
    assert len(found) == 120
    assert found.ok.all()
    assert found.feasible.any()
    sim, i = simulator.load("four_bar"), 77
    numbers = {name: float(found[name][i]) for name in ("coupler.mass", "coupler.length")}
    other = sim.varied(numbers)
    other.drive("crank_joint", simulator.velocity(float(found["speed"][i])))
    assert other.run(0.05)["rocker_joint/position"][-1] == found["angle"][i]


def test_results_in_memory_and_in_files_agree(alone: Path) -> None:
    here, there = study(TABLE), read_results(alone)
    np.testing.assert_array_equal(here.measures, there.measures)
    np.testing.assert_array_equal(here.parameters, there.parameters)
    assert here.status.tolist() == there.status.tolist()
    assert here.to_arrow().equals(there.to_arrow())
    with pytest.raises(UnknownNameError, match="torque"):
        here["torqe"]


def test_files_are_plain_parquet(alone: Path) -> None:
    files = sorted(alone.glob("part-*.parquet"))
    assert len(files) == len(spans_of(120)) == PARTS
    table = parquet.read_table(files[3])
    assert table.column_names == [
        "sample", "document", "speed", "coupler.mass", "coupler.length", "angle",
        "torque", "feasible", "status", "reason",
    ]  # fmt: skip
    assert table["sample"].to_pylist() == list(range(48, 64))
    manifest = module.read_manifest(alone)
    assert manifest["units"]["coupler.mass"] == "kg"
    assert manifest["samples"] == 120


def test_a_folder_reads_as_one_table(alone: Path) -> None:
    """As `pandas.read_parquet` of it does, which hands it to pyarrow."""
    assert parquet.read_table(alone)["sample"].to_pylist() == list(range(120))


def test_a_folder_with_the_names_of_before_continues(tmp_path: Path, alone: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(alone, folder)
    (folder / "_manifest.json").rename(folder / "manifest.json")
    (folder / "part-000000016.parquet").unlink()
    with pytest.raises(UsageError, match="holds results: continue with --resume"):
        study(TABLE, folder)
    assert len(study(TABLE, folder, resume=True)) == 120
    assert not (folder / "_manifest.json").exists()


@pytest.mark.parametrize("samples", [1, 15, 16, 17, 1000, 20_000, 1_000_000])
def test_parts_cover_all_samples_once(samples: int) -> None:
    spans = spans_of(samples)
    assert spans[0][0] == 0
    assert spans[-1][1] == samples
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))
    assert max(end - begin for begin, end in spans) <= 4096


def test_limits_and_resumption_end_with_the_same_bytes(tmp_path: Path, alone: Path) -> None:
    folder = tmp_path / "out"
    assert len(study(TABLE, folder, limit=40)) == 40
    with pytest.raises(UsageError, match="--resume"):
        study(TABLE, folder)
    study(TABLE, folder, resume=True)
    assert hash_of(folder) == hash_of(alone)
    (folder / "part-000000016.parquet").write_bytes(b"PAR1 half of it")
    study(TABLE, folder, resume=True)
    assert hash_of(folder) == hash_of(alone)
    with pytest.raises(UsageError, match="another study: its plan"):
        study({**TABLE, "seed": 2}, folder, resume=True)


def test_kills_at_any_moment_lose_nothing(tmp_path: Path, alone: Path) -> None:
    """SIGKILL at random moments, from the start of the program to its last part; `SIMULATOR_EXAMPLES=20` kills it so
    often. What is whole by then is begun anew."""
    folder, plan, random = tmp_path / "out", tmp_path / "study.toml", np.random.default_rng(KILLS)
    plan.write_text(as_toml(), "utf-8")
    command = [sys.executable, "-m", "simulator", "study", str(plan), "-o", str(folder), "--workers", "1"]
    kills = 0
    while kills < KILLS:
        there = parts_in(folder)
        if there == PARTS:
            assert hash_of(folder) == hash_of(alone)
            shutil.rmtree(folder)
            there = 0
        process = subprocess.Popen([*command, *resumed(folder)], stderr=subprocess.DEVNULL)
        wanted, until = random.integers(there, PARTS), time.monotonic() + 60.0
        while parts_in(folder) < wanted and process.poll() is None:
            assert time.monotonic() < until
            time.sleep(0.001)
        time.sleep(random.uniform(0.0, 1.0 if wanted == 0 else 0.01))
        kills += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*command, *resumed(folder)], check=True, stderr=subprocess.DEVNULL)
    assert hash_of(folder) == hash_of(alone)


def parts_in(folder: Path) -> int:
    """How many have their names."""
    return len(list(folder.glob("part-*.parquet")))


def resumed(folder: Path) -> list[str]:
    """The option that continues the samples of a folder, if it holds any."""
    return ["--resume"] if (folder / "_manifest.json").exists() else []


def as_toml() -> str:
    """TABLE as a file says it."""
    return """document = "four_bar"
duration = 0.05
seed = 1
samples = 60
constraints = ["torque <= 1"]
[parameters]
"coupler.mass" = { uniform = [0.1, 0.3] }
"coupler.length" = { normal = [0.35, 0.001] }
speed = { values = [1.0, 2.0] }
[drives]
crank_joint = "velocity:{speed}"
[measures]
angle = "final(rocker_joint/position)"
torque = "rms(crank_joint/effort)"
"""


def test_samples_that_cannot_be_are_rows_with_a_reason() -> None:
    """A coupler of 0.05 m does not reach, a mass below 0 is none; the others are made."""
    table = {
        **TABLE,
        "parameters": {"coupler.length": {"values": [0.05, 0.35]}, "coupler.mass": {"values": [-1.0, 0.2]}},
        "drives": {},
        "samples": None,
    }
    del table["samples"]
    found = study(table)
    assert found.status.tolist() == ["invalid", "not_assembled", "invalid", "ok"]
    assert "mass" in found.reason[0]
    assert found.reason[3] == ""
    assert np.isnan(found["angle"][:3]).all()
    assert not found.feasible[:3].any()
    assert math.isfinite(found["angle"][3])


def test_names_that_do_not_exist_are_found_in_their_lines(tmp_path: Path) -> None:
    lines = [
        'document = "four_bar"', "duration = 0.1", "[parameters]", '"coupler.mass" = 1.0', "[drives]",
        'crank_joint = "velocity:1"', "[measures]", 'swing = "final(rocker_joint/position)"',
    ]  # fmt: skip
    wrong = [
        ("coupler.mass", "coupler.mas", 4), ("crank_joint", "crank", 6), ("velocity", "velocty", 6),
        ("/position", "/positon", 8),
    ]  # fmt: skip
    for number, (right, written, line) in enumerate(wrong):
        file = tmp_path / f"{number}.toml"
        file.write_text("\n".join(lines).replace(right, written))
        with pytest.raises(UsageError) as caught:
            study(file)
        assert str(caught.value).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"parameters": {"coupler.mas": 1.0}}, "did you mean '.*coupler.mass'"),
        ({"measures": {"torque": "final(rocker_joint/positon)"}}, "rocker_joint/position"),
        ({"drives": {"crank": "velocity:1"}}, "crank_joint"),
        ({"drives": {"crank_joint": "speed:1"}}, "is not a drive"),
        ({"document": "four_bars"}, "four_bar"),
    ],
)
def test_names_that_do_not_exist_stop_a_study_before_it_begins(change: dict[str, Any], said: str) -> None:
    table = {**TABLE, "parameters": {"coupler.mass": {"uniform": [0.1, 0.3]}}, "drives": {}, **change}
    if "samples" in table and not isinstance(next(iter(table["parameters"].values())), dict):
        del table["samples"]
    with pytest.raises(UsageError, match=said):
        study(table)


def test_a_full_disk_is_one_line_and_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: Path) -> None:
    folder, sync, calls = tmp_path / "out", os.fsync, list[int]()

    def full(file: int) -> None:
        calls.append(file)
        if len(calls) == 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left on device; results so far stay: --resume continues"):
        study(TABLE, folder)
    assert sorted(file.name for file in folder.iterdir()) == [
        "_manifest.json",
        "part-000000000.parquet",
        "part-000000016.parquet",
    ]
    monkeypatch.undo()
    study(TABLE, folder, resume=True)
    assert hash_of(folder) == hash_of(alone)


def test_ctrl_c_says_how_to_continue_once_the_bar_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], alone: Path
) -> None:
    """What is written while a bar is on the terminal is erased with it. Results so far stay."""

    def shown(stack: ExitStack) -> Callable[[int, int, int, str], None]:
        stack.callback(print, "the bar goes", file=sys.stderr)
        return interrupt

    def interrupt(done: int, *_: object) -> None:
        if done >= 32:
            raise KeyboardInterrupt

    folder = tmp_path / "out"
    monkeypatch.setattr(reading, "read_plan", lambda _: reading.plan_of(TABLE))
    monkeypatch.setattr(study_command, "shown", shown)
    assert run_app(["study", "study.toml", "-o", str(folder), "--workers", "1"]) == 130
    said = capsys.readouterr().err
    assert said.index("the bar goes") < said.index(
        f"interrupted: {folder} holds the results so far; --resume continues"
    )
    study(TABLE, folder, resume=True)
    assert hash_of(folder) == hash_of(alone)


def test_a_part_that_ends_its_worker_each_time_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that cannot even start the work: the sample's numbers are said, and no one waits for ever."""
    monkeypatch.setenv("SIMULATOR_KERNELS_FOLDER", "/dev/null/none")
    monkeypatch.setattr("simulator.studies.workers.rows_of", die)
    with pytest.raises(EngineDiedError, match=r"samples .* ended their worker 4 times"):
        study(TABLE, processes=1)


def die(*_: object) -> None:
    """What a worker does that is killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_positions_without_time() -> None:
    """A crank-rocker's swing by Grashof's four lengths: the rocker's ends are where crank and coupler are in line."""
    table = {
        "document": "four_bar",
        "parameters": {"rocker.length": {"values": [0.28, 0.3, 0.36]}},
        "positions": {"moves": {"crank_joint": [0.0, 2.0 * math.pi]}, "points": 721},
        "measures": {"swing": "peak_to_peak(rocker_joint/position)"},
    }
    found = study(table)
    ground, crank, coupler = 0.4, 0.1, 0.35

    def rocker_angle(reach: float, rocker: float) -> float:
        return math.acos((ground**2 + rocker**2 - reach**2) / (2.0 * ground * rocker))

    exact = [
        rocker_angle(coupler + crank, r) - rocker_angle(coupler - crank, r) for r in found["rocker.length"].tolist()
    ]
    # Half a step of the sweep, 4.4e-3 rad of the crank, from where the rocker turns: less than its square over 2.
    np.testing.assert_allclose(found["swing"], exact, atol=1e-5)
