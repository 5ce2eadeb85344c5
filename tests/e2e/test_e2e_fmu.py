"""`simulator convert` to an FMU and `sim.save_fmu`, as users call them."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

import simulator
from simulator.native.library import mode
from simulator.native.ready import fmus
from tests.helpers.command import called
from tests.helpers.repository import ROOT


@pytest.fixture(autouse=True)
def _needs_binary() -> None:
    if mode() == "python" or not fmus():
        pytest.skip("kernels run as Python here, and an FMU is for machine code")


def test_a_document_becomes_an_fmu_that_moves_as_the_run(tmp_path: Path) -> None:
    """Every number of the CSV file, which has 17 digits, but for times, which are sums of steps in fmpy, and for the
    effort of the drive in the first three steps: the program finds it exactly where a drive begins with a jump, beside
    the steps, and continues it by a parabola."""
    done = called("convert", "four_bar", "-o", tmp_path / "it.fmu", "--drive", "crank_joint=velocity:3")
    assert (done.returncode, done.stdout) == (0, "")
    assert "FMI 2.0, 4 inputs, 22 outputs, 19 parameters; 148 numbers fixed: " in done.stderr
    moved = fmpy.simulate_fmu(str(tmp_path / "it.fmu"), stop_time=0.1, step_size=1e-3, output_interval=1e-3)
    drive = ("--drive", "crank_joint=velocity:3")
    assert called("run", "four_bar", "--duration", "0.1", *drive, "-o", tmp_path / "it.csv").returncode == 0
    recorded = np.genfromtxt(tmp_path / "it.csv", delimiter=",", skip_header=1)
    ours = np.array(moved.tolist())
    effort = moved.dtype.names.index("joint.crank_joint.effort")
    np.testing.assert_allclose(ours[:4, effort], recorded[:4, effort], rtol=0.02)
    ours[:4, effort] = recorded[:4, effort]
    np.testing.assert_array_equal(ours[:, 1:], recorded[:, 1:])


@pytest.mark.parametrize(("version", "folder"), [("2", "linux64"), ("3", "x86_64-linux")])
def test_a_version_is_chosen(tmp_path: Path, version: str, folder: str) -> None:
    assert called("convert", "gripper", "-o", tmp_path / "g.fmu", "--fmi", version).returncode == 0
    assert fmpy.read_model_description(str(tmp_path / "g.fmu")).fmiVersion == f"{version}.0"


def test_the_drives_of_the_document_are_those_of_the_fmu(tmp_path: Path) -> None:
    drive = '<simulator:drive axis="crank_joint" kind="velocity" value="sine(amplitude=2,frequency=1,offset=3)"/>'
    text = (ROOT / "worlds" / "four_bar.sdf").read_text(encoding="utf-8")
    (tmp_path / "own.sdf").write_text(text.replace("</world>", f"{drive}</world>"), encoding="utf-8")
    done = called("convert", "own.sdf", "-o", "own.fmu", cwd=tmp_path)
    assert "the drive of 'four_bar::crank_joint' changes over time: it is an input of the FMU" in done.stderr
    description = fmpy.read_model_description(str(tmp_path / "own.fmu"))
    starts = {one.name: one.start for one in description.modelVariables if one.causality == "input"}
    assert float(starts["drive.crank_joint.velocity"]) == 3.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.fmu", "--fmi", "1"), "FMI 1 is not written: versions are 2 and 3"),
        (("-o", "x.sdf", "--fmi", "3"), "are for FMUs: -o OUT.fmu"),
        (("--drive", "crank_joint=velocity:1"), "are for FMUs: -o OUT.fmu"),
        (("-o", "nowhere/x.fmu"), "'nowhere/x.fmu' cannot be written: No such file or directory"),
        (("-o", "x.fmu", "--drive", "crank=velocity:1"), "no axis is named 'crank'"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = called("convert", "four_bar", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_a_document_with_errors_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "bad.sdf").write_text("<sdf version='1.12'><world name='w'><model/></world></sdf>", encoding="utf-8")
    assert called("convert", "bad.sdf", "-o", "bad.fmu", cwd=tmp_path).returncode == 1
    assert not (tmp_path / "bad.fmu").exists()


def test_python_writes_one_of_the_present_state(tmp_path: Path) -> None:
    """Velocities are made consistent with the loops again where the FMU begins, 1e-12 of what it continues; its motor
    begins anew: what the last step has missed is no part of a state, 3e-8 here."""
    sim = simulator.load("four_bar")
    sim.drive("crank_joint", simulator.velocity(2.0))
    sim.run(0.5)
    path = sim.save_fmu(tmp_path / "now.fmu", fmi=3, parameters=["crank.mass"])
    moved = fmpy.simulate_fmu(str(path), stop_time=0.1, step_size=1e-2, output_interval=1e-2)
    run = sim.run(0.1, every=0.01)
    for name in ("crank_joint/position", "rocker_joint/velocity"):
        ours = moved[f"joint.{name.replace('/', '.')}"]
        np.testing.assert_allclose(ours, run[name], rtol=0.0, atol=1e-7)
    names = [one.name for one in fmpy.read_model_description(str(path)).modelVariables if one.causality == "parameter"]
    assert names == ["crank.mass"]
    with pytest.raises(simulator.UsageError, match=r"is no \.fmu file"):
        sim.save_fmu(tmp_path / "now.zip")
