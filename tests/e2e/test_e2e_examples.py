"""The example scripts run as they stand, and what they print is right."""

from __future__ import annotations

import base64
import io
import json
import math
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from PIL import Image

from tests.helpers.command import python, surroundings
from tests.helpers.repository import ROOT

FOLDER = ROOT / "docs" / "examples"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py"))
LONGEST = 40
NUMBER = r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?"


@cache
def printed(script: str, out: Path) -> str:
    """What a script prints in a process of its own."""
    return python(FOLDER / script, cwd=out)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


def numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(NUMBER, text)]


def test_there_are_ten() -> None:
    assert len(SCRIPTS) == 10


@pytest.mark.parametrize("script", SCRIPTS)
def test_they_run_and_are_short(script: str, out: Path) -> None:
    assert len((FOLDER / script).read_text(encoding="utf-8").splitlines()) <= LONGEST
    assert printed(script, out)


def test_a_crank_rocker_keeps_its_energy(out: Path) -> None:
    """The figure of the README's table of strategies: within 3e-8 of its largest kinetic energy, 0.72 J."""
    kinetic, _, relative, gap = numbers(printed("energy_of_a_four_bar.py", out))
    assert kinetic == pytest.approx(0.72, abs=0.005)
    assert relative < 3e-8
    assert gap < 1e-12


def test_a_turn_of_a_slider_crank_takes_no_work(out: Path) -> None:
    """What gravity and inertia take in one half they give back in the other: the mean torque over a turn is zero."""
    lines = printed("inverse_dynamics_of_a_slider_crank.py", out).splitlines()
    assert abs(numbers(lines[0])[2]) < 1e-12
    assert numbers(lines[1])[1] < 0.02


def test_a_longer_rocker_swings_less(out: Path) -> None:
    """Closed form, the coupler held: the rocker turns back where crank and coupler lie in one line, and the
    transmission angle is extreme where the crank lies along the ground (law of cosines). Printed with 4 decimals; 1441
    positions miss an extreme by some 1e-6 rad."""
    table = printed("sweep_a_length.py", out).partition("transmission angle\n")[2]
    rows = [numbers(line) for line in table.splitlines()]
    assert [row[0] for row in rows] == [0.28, 0.3, 0.32, 0.34, 0.36]
    ground, crank, coupler = 0.4, 0.1, 0.35
    for rocker, swing, sine in rows:
        reach = [
            math.acos((ground**2 + rocker**2 - (coupler + sign * crank) ** 2) / (2.0 * ground * rocker))
            for sign in (1.0, -1.0)
        ]
        cosines = [
            (coupler**2 + rocker**2 - (ground + sign * crank) ** 2) / (2.0 * coupler * rocker) for sign in (1.0, -1.0)
        ]
        assert swing == pytest.approx(reach[0] - reach[1], abs=6e-5)
        assert sine == pytest.approx(min(math.sqrt(1.0 - cosine**2) for cosine in cosines), abs=6e-5)


def test_a_wrist_is_held_by_what_its_document_tells(out: Path) -> None:
    """0.01635 N m of each motor; pitch = (right + left) / 48, roll = (right - left) / 48."""
    lines = printed("differential_wrist.py", out).splitlines()
    assert abs(numbers(lines[2])[0]) == pytest.approx(0.01635, abs=5e-6)
    assert numbers(lines[3])[2:] == pytest.approx([16.8 / 48.0, 7.2 / 48.0], abs=2e-3)


def test_a_box_hangs_between_two_fingers(out: Path) -> None:
    """20 N on the leader press each pad with half of it."""
    lines = printed("gripper_holds_a_box.py", out).splitlines()
    forces = {
        side: sum(numbers(line)[-1] for line in lines[1:] if f"{side}_finger" in line) for side in ("left", "right")
    }
    assert forces == pytest.approx({"left": 10.0, "right": 10.0}, abs=0.05)


def test_a_pendulums_mass_matrix(out: Path) -> None:
    """0.01 kg m² and 1 kg at half a metre."""
    assert numbers(printed("compare_with_mujoco.py", out).splitlines()[0])[0] == pytest.approx(0.26, abs=1e-12)


def test_a_train_of_gears_keeps_its_ratio(out: Path) -> None:
    """Inertia and ratio of the head of worlds/gear_train.sdf; 1 rad/s² for a second is 1 rad/s."""
    lines = printed("train_of_gears.py", out).splitlines()
    assert numbers(lines[0]) == [pytest.approx(1.9008e-3, abs=5e-7)]
    assert numbers(lines[1]) == [-1.5]
    assert numbers(lines[2])[1] == pytest.approx(1.0, abs=1e-9)


def test_notebooks_are_made_from_the_scripts() -> None:
    """The same code cell by cell, and every one of them ran: it printed or shows something in the end."""
    done = subprocess.run(
        [sys.executable, "scripts/make_notebooks.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for script in SCRIPTS:
        book = json.loads((FOLDER / script).with_suffix(".ipynb").read_text(encoding="utf-8"))
        outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
        assert book["nbformat"] == 4
        assert any(output["output_type"] == "stream" for output in outputs)
        picture = base64.b64decode(outputs[-1]["data"]["image/jpeg"])
        assert Image.open(io.BytesIO(picture)).size == (480, 300)


@pytest.mark.parametrize("name", ["coupler_curve", "custom_transmission"])
def test_notebooks_run_in_a_kernel_of_jupyter(name: str) -> None:
    """As they are, in an empty folder and without arguments; what is plotted is shown below its cell."""
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    done = subprocess.run(
        [sys.executable, "scripts/make_notebooks.py", "--run", name],
        cwd=ROOT, env=surroundings(), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    plots = (FOLDER / f"{name}.py").read_text(encoding="utf-8").count("plt.savefig")
    assert done.stdout == f"docs/examples/{name}.ipynb: {plots} plots\n"
