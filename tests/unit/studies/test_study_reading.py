"""What a study says wrongly: one line, with file and line of the document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.errors import UsageError
from simulator.studies.plan import Positions, Spread
from simulator.studies.reading import plan_of, read_plan

GOOD = """document = "four_bar"
duration = 1.0
seed = 3
samples = 8
constraints = ["swing <= 0.7"]
[parameters]
"coupler.mass" = { uniform = [0.1, 0.3] }
"rocker.length" = { normal = [0.3, 0.001] }
"crank_joint.damping" = { values = [0.0, 0.01] }
"rocker.mass" = 0.2
[drives]
crank_joint = "velocity:{speed}"
[measures]
swing = "peak_to_peak(rocker_joint/position)"
[traces]
channels = ["crank_joint/position"]
times = [0.5, 1.0]
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_study_is_read(tmp_path: Path) -> None:
    plan = read_plan(write(tmp_path, GOOD))
    assert plan.documents == ("four_bar",)
    assert plan.spreads == (
        ("coupler.mass", Spread("uniform", 0.1, 0.3)),
        ("rocker.length", Spread("normal", 0.3, 0.001)),
    )
    assert plan.grids == (("crank_joint.damping", (0.0, 0.01)), ("rocker.mass", (0.2,)))
    assert plan.columns == ("swing", "crank_joint/position@0.5", "crank_joint/position@1")
    assert plan.drives == (("crank_joint", "velocity:{speed}"),)
    assert (plan.duration, plan.seed, plan.samples, plan.sampling) == (1.0, 3, 8, "sobol")


def test_positions_without_time(tmp_path: Path) -> None:
    text = (
        GOOD.replace("duration = 1.0\n", "")
        .replace("[drives]", "[positions]")
        .replace('crank_joint = "velocity:{speed}"', "moves = { crank_joint = [0, 6.28] }\npoints = 91")
    )
    assert read_plan(write(tmp_path, text)).positions == Positions((("crank_joint", 0.0, 6.28),), 91)


def test_paths_are_seen_from_the_folder_of_the_study(tmp_path: Path) -> None:
    (tmp_path / "mine.sdf").write_text("<sdf/>", "utf-8")
    (tmp_path / "rows.csv").write_text("coupler.com.x\n0.1\n0.2\n", "utf-8")
    text = GOOD.replace('"four_bar"', '"mine.sdf"\nlisting = "rows.csv"')
    plan = read_plan(write(tmp_path, text))
    assert plan.documents == (str(tmp_path / "mine.sdf"),)
    assert plan.listing == (("coupler.com.x",), ((0.1,), (0.2,)))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("seed = 3", "sead = 3", 3, "did you mean 'seed'"),
        ("seed = 3", "seed = -1", 3, "whole number, 0 or more"),
        ("samples = 8", "samples = 0.5", 4, "whole number, 1 or more"),
        ("duration = 1.0", "duration = 0", 2, "above 0"),
        ("duration = 1.0\n", "", 0, "no duration"),
        ('document = "four_bar"\n', "", 0, "which mechanism"),
        ("uniform = [0.1, 0.3]", "unifrom = [0.1, 0.3]", 7, "did you mean 'uniform'"),
        ("uniform = [0.1, 0.3]", "uniform = [0.3, 0.1]", 7, "from a lower to a higher"),
        ("uniform = [0.1, 0.3]", "log = [0, 0.1]", 7, "no logarithm at 0"),
        ("normal = [0.3, 0.001]", "normal = [0.3, 0]", 8, "positive, not 0"),
        ("normal = [0.3, 0.001]", "normal = [0.3]", 8, "must be two numbers, not 1"),
        ("normal = [0.3, 0.001]", 'normal = [0.3, "1 mm"]', 8, "must be a list of numbers"),
        ("seed = 3", 'sampling = "lattice"', 3, "one of sobol, latin, random, saltelli"),
        ("seed = 3", 'correlations = [["coupler.mass", "rocker.lenght", 0.5]]', 3, "did you mean 'rocker.length'"),
        ("seed = 3", 'correlations = [["coupler.mass", "rocker.length", 1.5]]', 3, "between -1 and 1"),
        ("seed = 3", 'listing = "none.csv"', 3, "not a table of numbers"),
        ("swing <= 0.7", "swink <= 0.7", 5, "no measure is named 'swink'"),
        ("peak_to_peak(r", "peaktopeak(r", 14, "did you mean 'peak_to_peak'"),
        ("swing = ", '"the swing" = ', 14, "cannot name a measure"),
        ("times = [0.5, 1.0]", "times = []", 15, "traces need channels"),
        ("seed = 3", "seed = ", 3, "not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(UsageError, match=said) as raised:
        read_plan(path)
    assert str(raised.value).startswith(
        f"{path}:{line}: " if line else f"{path}: " if new != "times = []" else str(path)
    )


def test_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_plan(tmp_path / "none.toml")
    (tmp_path / "study.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_plan(tmp_path / "study.toml")


def test_values_of_python_are_what_a_file_says() -> None:
    said = {
        "document": "four_bar",
        "duration": 1.0,
        "parameters": {"coupler.mass": {"uniform": [0.1, 0.3]}, "crank_joint.damping": {"values": [0.0, 0.01]}},
        "drives": {"crank_joint": "velocity:sine(amplitude=2,frequency=0.5)"},
        "measures": {"end": "final(rocker_joint/position)"},
    }
    given = {
        **said,
        "document": Path("four_bar"),
        "duration": np.float64(1.0),
        "parameters": {
            "coupler.mass": {"uniform": (0.1, 0.3)},
            "crank_joint.damping": {"values": np.array([0.0, 0.01])},
        },
        "drives": {"crank_joint": simulator.velocity(simulator.sine(2.0, 0.5))},
    }
    assert repr(plan_of(given)) == repr(plan_of(said))
    drive = simulator.velocity(simulator.table([0.0, 1.0], [0.0, 1.0]))
    with pytest.raises(UsageError, match="no text says the drive"):
        plan_of({**said, "drives": {"crank_joint": drive}})
