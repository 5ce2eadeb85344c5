from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.api import running
from simulator.errors import SimulationError, UnknownNameError, UsageError
from tests.helpers.documents import joint, link, model, world
from tests.helpers.repository import ROOT


def test_a_constant_torque_on_a_pinion() -> None:
    """20 rad/s² by the head of worlds/rack_and_pinion.sdf: after t, 10 t² rad and 20 t rad/s; the work is ½ I ω²."""
    sim = simulator.load("rack_and_pinion")
    run = sim.run(0.1, drives={"pinion_joint": simulator.effort(0.01)})
    assert (len(run), run.time[0], run.time[-1]) == (101, 0.0, pytest.approx(0.1))
    np.testing.assert_allclose(run["pinion_joint/position"], 10.0 * run.time**2, atol=1e-12)
    np.testing.assert_allclose(run["rack_joint/velocity"], 0.4 * run.time, atol=1e-12)
    assert run["energy/work"][-1] == pytest.approx(0.5 * 5e-4 * 2.0**2, rel=1e-9)
    assert run.unit("rack_joint/velocity") == "m/s"


def test_drives_of_a_run_end_with_it() -> None:
    sim = simulator.load("rack_and_pinion")
    sim.run(0.05, drives={"pinion_joint": simulator.effort(0.01)})
    speed = sim.velocities["pinion_joint"]
    sim.run(0.05)
    assert sim.velocities["pinion_joint"] == pytest.approx(speed, rel=1e-12)


def test_drives_that_stay_come_back_after_a_run_with_others() -> None:
    sim = simulator.load("rack_and_pinion")
    sim.drive("pinion_joint", simulator.velocity(1.0))
    sim.run(0.01, drives={"pinion_joint": simulator.velocity(3.0)})
    assert sim.velocities["pinion_joint"] == pytest.approx(3.0, rel=1e-6)
    sim.step(10)
    assert sim.velocities["pinion_joint"] == pytest.approx(1.0, rel=1e-6)
    sim.drive("pinion_joint", None)
    sim.run(0.01, drives={"pinion_joint": simulator.effort(0.0)})
    assert sim.velocities["pinion_joint"] == pytest.approx(1.0, rel=1e-6)


def test_steps_and_runs_go_on_from_each_other() -> None:
    sim, other = simulator.load("four_bar"), simulator.load("four_bar")
    sim.step(10)
    sim.run(0.02)
    other.step(30)
    assert sim.time == other.time == pytest.approx(0.03)
    np.testing.assert_array_equal(sim.positions.array, other.positions.array)


def test_samples_every_so_often() -> None:
    run = simulator.load("four_bar").run(0.1, every=0.02)
    np.testing.assert_allclose(run.time, [0.0, 0.02, 0.04, 0.06, 0.08, 0.1], atol=1e-12)
    with pytest.raises(UsageError, match="not a multiple of the step"):
        simulator.load("four_bar").run(0.1, every=0.0015)


def test_the_file_is_that_of_the_command_line(tmp_path: Path) -> None:
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    simulator.load("wrist").run(0.02).to_csv(here)
    command = [sys.executable, "-m", "simulator", "run", "wrist", "--duration", "0.02", "--csv", str(there)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    a, b = (np.genfromtxt(path, delimiter=",", skip_header=1) for path in (here, there))
    assert here.read_text().splitlines()[0] == there.read_text().splitlines()[0]
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    with pytest.raises(UsageError, match="cannot write"):
        simulator.load("wrist").run(0.001).to_csv(tmp_path / "no" / "out.csv")


def test_channels_by_long_and_short_names() -> None:
    run = simulator.load("four_bar").run(0.002)
    assert run.channels[:2] == ("time", "joint/four_bar::crank_joint/position")
    for name in ("crank_joint/position", "four_bar::crank_joint/position", "joint/crank_joint/position"):
        np.testing.assert_array_equal(run[name], run.array[:, 1])
    assert "closing_joint/residual_m" in run
    assert "crank/position" not in run
    with pytest.raises(UnknownNameError, match="no channel is named 'crank/position'"):
        run["crank/position"]
    assert repr(run) == "<Run: 3 samples of 23 channels, 0 to 0.002 s>"


def test_a_short_name_of_two_channels() -> None:
    models = [model(name, link("a"), joint("x", "revolute", parent="world", child="a")) for name in "mn"]
    with pytest.raises(UsageError, match="ambiguous: joint/m::x/position, joint/n::x/position"):
        simulator.load(world(*models)).run(0.001)["x/position"]


def test_a_run_that_fails_keeps_what_it_recorded() -> None:
    """A slider-crank whose rod is too short for the crank to pass: driven on, the loop cannot be closed."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.3)
    with pytest.raises(SimulationError) as caught:
        sim.run(2.0, drives={"rocker_joint": simulator.velocity(3.0), "crank_joint": simulator.velocity(-3.0)})
    run = caught.value.run
    assert len(run) >= 1
    assert run.time[-1] == pytest.approx(sim.time)
    assert np.isfinite(run.array).all()
    np.testing.assert_allclose(run["crank_joint/position"][-1], sim.positions["crank_joint"], atol=1e-12)
    sim.run(0.01)


def test_names_and_drives_that_cannot_be() -> None:
    sim = simulator.load("rack_and_pinion")
    with pytest.raises(UnknownNameError, match="no axis is named 'pinion'"):
        sim.run(0.1, drives={"pinion": simulator.velocity(1.0)})
    with pytest.raises(UsageError, match=r"rack_joint.*pinion_joint"):
        sim.run(0.1, drives={"rack_joint": simulator.velocity(1.0)})
    with pytest.raises(UsageError, match=r"simulator\.velocity\(2\.0\)"):
        sim.run(0.1, drives={"pinion_joint": 2.0})  # type: ignore[dict-item]
    with pytest.raises(UsageError, match="cannot be simulated"):
        sim.run(-1.0)


def test_an_actuator_is_driven_by_its_name() -> None:
    sim = simulator.load("wrist")
    name = f"actuator/{sim._core.opened.actuators.names[0]}"
    run = sim.run(0.5, drives={name: simulator.position(simulator.ramp(0.0, 0.5, 0.3))}, every=0.01)
    assert run[f"{name}/position"][-1] == pytest.approx(0.5, abs=0.01)


def test_a_bar_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    simulator.load("rack_and_pinion").run(0.05, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("█ 0.05 / 0.05 s\n")


def test_contacts_bear_what_lies_on_them() -> None:
    """A box of 2 kg on a plane: its contacts push with its weight, 19.6 N."""
    shape = "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision>"
    ground = "<collision name='c'><geometry><plane/></geometry></collision>"
    plane = f"<model name='floor'><static>true</static><link name='l'>{ground}</link></model>"
    sim = simulator.load(world(plane, model("box", link("body", shape, mass=2.0, pose="0 0 0.5 0 0 0"))))
    sim.step(300)
    assert sum(contact.force for contact in sim.contacts) == pytest.approx(2.0 * 9.8, rel=1e-6)
    assert {contact.names for contact in sim.contacts} == {("box::body", "world")}
    assert sim.remark == ""
    assert "computes no contacts" in simulator.load("gripper", solver="reduced").remark


def test_ctrl_c_ends_a_run_early_and_keeps_what_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pressed while half of a second has gone by: the samples up to there come back, and the simulation stands
    there."""
    sim = simulator.load("rack_and_pinion")
    assert not sim.run(0.01).interrupted

    def press(begin: float, duration: float) -> Callable[[float], None]:
        def show(time: float) -> None:
            if time - begin >= 0.5:
                raise KeyboardInterrupt

        return show

    monkeypatch.setattr(running, "progress_bar", press)
    run = sim.run(1000.0, progress=True)
    assert run.interrupted
    assert 0.51 <= run.time[-1] < 1000.0
    assert sim.time == pytest.approx(run.time[-1], abs=1e-12)
    assert len(run) == run.summary.steps + 1


def test_where_a_document_came_from() -> None:
    assert simulator.load("four_bar").path == ROOT / "worlds" / "four_bar.sdf"
    assert str(simulator.load((ROOT / "worlds" / "screw_press.sdf").read_text()).path) == "<text>"


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
@pytest.mark.parametrize("every", [None, 0.005])
def test_chosen_channels_are_columns_of_the_whole_recording(solver: str, every: float | None) -> None:
    names = ["coupling/rack_joint/residual", "pinion_joint/velocity", "energy/kinetic", "pinion_joint/velocity"]
    asked = {"drives": {"pinion_joint": simulator.effort(0.01)}, "every": every}
    whole = simulator.load("rack_and_pinion", solver=solver).run(0.05, **asked)
    part = simulator.load("rack_and_pinion", solver=solver).run(0.05, channels=names, **asked)
    assert [name.rpartition("::")[2] for name in part.channels] == [
        "time",
        "rack_joint/residual",
        "pinion_joint/velocity",
        "energy/kinetic",
    ]
    for name in part.channels:
        np.testing.assert_array_equal(part[name], whole[name])
    assert part.summary.max_coupling_residual == whole.summary.max_coupling_residual
    with pytest.raises(UnknownNameError):
        part["pinion_joint/position"]


def test_chosen_channels_may_be_reactions_and_none_but_the_time() -> None:
    name = "reaction/slider_crank::crank_joint/force_x"
    whole = simulator.load("slider_crank").run(0.01, reactions=True)
    part = simulator.load("slider_crank").run(0.01, reactions=True, channels=[name])
    np.testing.assert_array_equal(part[name], whole[name])
    assert simulator.load("slider_crank").run(0.01, channels=()).channels == ("time",)


def test_channels_that_do_not_exist_are_refused_before_the_run() -> None:
    sim = simulator.load("four_bar")
    with pytest.raises(UnknownNameError, match="rocker_joint/position"):
        sim.run(0.01, channels=["rocker_joint/positio"])
    with pytest.raises(UsageError, match="not a string"):
        sim.run(0.01, channels="rocker_joint/position")
    assert sim.time == 0.0
