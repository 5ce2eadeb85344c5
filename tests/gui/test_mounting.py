"""Bodies and mechanisms are put onto places that are picked in the view: one click, one undo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import simulator
from simulator.gui import body_placing
from simulator.gui.main_window import MainWindow
from simulator.gui.making import new_mechanism
from tests.gui.drawing import window
from tests.gui.on_view import MOVE, PRESS, RELEASE, Picker

__all__ = ["window"]


class Fitter(Picker):
    """A mouse that puts bodies onto the flange of an arm."""

    def click(self, link: str, name: str) -> None:
        feature = next(item for item in self.picks._features if item.link.endswith(link) and item.name.startswith(name))
        at = self.pixel(self.picks._place(feature))
        for kind in (MOVE, PRESS, RELEASE):
            self.mouse(kind, at)


@pytest.fixture
def fitter(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Fitter:
    """Joining is on, over an arm with a flange that is turned by 0.3 rad."""
    m = simulator.new("robot")
    arm = m.link("arm", simulator.box((0.4, 0.06, 0.06), at=(0.2, 0.0, 0.0)))
    m.link("flange", simulator.box((0.1, 0.1, 0.1)), pose=(0.45, 0.0, 0.0, 0.0, 0.3, 0.0))
    m.revolute("shoulder", m.world, arm, at=(0, 0, 0), axis=(0, 1, 0))
    m.fixed("bolt", arm, "flange")
    path = m.save(tmp_path / "robot.sdf")
    window.live.open(path)
    window.viewport.standard_view("front")
    made = Fitter(window, qtbot, path)
    made.frame()
    window.actions_["join"].trigger()
    return made


def test_a_finger_is_put_onto_a_flange(fitter: Fitter) -> None:
    """It stands on the face, across the flange, and one undo takes it off."""
    before = fitter.path.read_bytes()
    fitter.take("box")
    assert fitter.bar.body.isVisible()
    fitter.bar.body.sizes.setText("0.02 0.01 0.06")
    fitter.click("flange", "face -y")
    assert "'box_1' is welded to face -y of 'flange'" in fitter.bar.says.text()
    sim = simulator.load(fitter.path)
    place = sim.pose("flange") @ np.array((0.0, -0.05 - 0.03, 0.0, 1.0))
    assert sim.pose("box_1")[:3, 3] == pytest.approx(place[:3], abs=1e-12), "half its height above the face"
    assert sim.pose("box_1")[:3, 2] == pytest.approx(-sim.pose("flange")[:3, 1], abs=1e-12)
    assert sim.parameters()["box_1.mass"].value == pytest.approx(0.02 * 0.01 * 0.06 * 2700.0)
    fitter.window.actions_["undo"].trigger()
    fitter.qtbot.wait(1)
    assert fitter.path.read_bytes() == before


def test_sizes_that_are_none_are_refused(fitter: Fitter) -> None:
    before = fitter.path.read_bytes()
    fitter.take("cylinder")
    fitter.bar.body.sizes.setText("0.02")
    fitter.click("flange", "face -y")
    assert "Radius, length [m] is two numbers above 0, not '0.02'" in fitter.bar.says.text()
    assert fitter.path.read_bytes() == before


def test_a_gripper_is_put_onto_a_flange(fitter: Fitter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Upside down its palm is on the face; its fingers move together, and along with the arm."""
    monkeypatch.setattr(new_mechanism, "chosen_mechanism", lambda *_: ("gripper", {"stroke": 0.03}))
    fitter.take("part")
    assert fitter.bar.body.what.text() == "Gripper"
    fitter.bar.body.over.setChecked(True)
    fitter.click("flange", "face -y")
    assert "'gripper_1' is welded to face -y of 'flange'" in fitter.bar.says.text()
    sim = simulator.load(fitter.path)
    palm = np.linalg.inv(sim.pose("flange")) @ sim.pose("gripper_1_palm")
    assert palm[:3, 3] == pytest.approx((0.0, -0.05 - 0.09, 0.0), abs=1e-12)
    sim.run(0.3, drives={"gripper_1_left_joint": simulator.effort(2.0), "shoulder": simulator.velocity(0.5)})
    q = sim.positions
    assert q["gripper_1_left_joint"] == pytest.approx(0.03, abs=1e-3), "closed, at the end of its stroke"
    assert q["gripper_1_right_joint"] == pytest.approx(q["gripper_1_left_joint"], abs=1e-9)
    moved = np.linalg.inv(sim.pose("flange")) @ sim.pose("gripper_1_palm")
    assert moved == pytest.approx(palm, abs=1e-9)


def test_a_mesh_is_put_onto_a_urdf(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link and a fixed joint of URDF; a mechanism is refused, for its loops have no place there."""
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual></link></robot>\n'
    )
    simulator.parts.save_stl(
        simulator.parts.gear_shape(simulator.parts.InvoluteGear(0.002, 20), 0.02), tmp_path / "g.stl"
    )
    monkeypatch.setattr(body_placing, "ask_existing", lambda *_: tmp_path / "g.stl")
    window.live.open(path)
    window.viewport.standard_view("front")
    hands = Fitter(window, qtbot, path)
    hands.frame()
    window.actions_["join"].trigger()
    hands.take("mesh")
    hands.bar.body.sizes.setText("0.001")
    hands.click("base", "face -y")
    assert "'body_1' is welded to face -y of 'base'" in hands.bar.says.text()
    robot = simulator.edit(path)
    assert robot.joints["weld_1"].get("origin@xyz") == "0 -0.11 0"
    monkeypatch.setattr(new_mechanism, "chosen_mechanism", lambda *_: ("gripper", {}))
    hands.take("part")
    hands.click("base", "face -y")
    assert "loops and couplings that a URDF does not hold" in hands.bar.says.text()
