"""Onion skin and section plane, switched on in the window with OpenGL over a real mechanism."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage

import simulator
from simulator.engine.drives import Drive, DriveKind
from simulator.model.profiles import Constant
from simulator.session.commands.commands import SetDrive, SetPosition, StepOnce
from tests.gui.on_view import Hands
from tests.gui.test_kinematics_panel import press, settled
from tests.helpers.checkout import ROOT


def picture(hands: Hands) -> np.ndarray:
    hands.frame()
    hands.qtbot.wait(60)
    image = hands.view.canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    bits = image.constBits()
    assert bits is not None
    rows = np.frombuffer(bits.asstring(image.sizeInBytes()), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].astype(int)


@pytest.mark.display
def test_poses_over_the_range_are_those_of_the_api(open_world: Callable[[str], Hands]) -> None:
    """Links of the ghosts where `sim.set` puts them, 1e-9 m; they are there to be seen."""
    hands = open_world("four_bar")
    settled(hands)
    hands.window.kinematics_panel.ghosts.setValue(5)
    before = picture(hands)
    press(hands, "onion_range")
    hands.frame()
    ghosts, scene = hands.view.state.ghosts, hands.view.state.scene
    assert scene is not None
    assert ghosts.shape == (5, len(scene.links), 7)
    assert np.abs(picture(hands) - before).max() > 8
    sim, here = simulator.load(ROOT / "worlds" / "four_bar.sdf"), 0.0
    number = scene.link_numbers["four_bar::coupler"]
    for pose, at in zip(ghosts, np.linspace(here, here + 2 * np.pi, 5).tolist(), strict=True):
        sim.set(crank_joint=at)
        np.testing.assert_allclose(pose[number, :3], sim.pose("coupler")[:3, 3], atol=1e-9)
    press(hands, "onion_range")
    assert not len(hands.view.state.ghosts)


@pytest.mark.display
def test_poses_over_the_recording_are_those_it_went_through(open_world: Callable[[str], Hands]) -> None:
    hands = open_world("four_bar")
    settled(hands)
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    hands.live.send(StepOnce(400))
    hands.frame()
    press(hands, "onion_recording")
    hands.frame()
    ghosts, client = hands.view.state.ghosts, hands.live.client
    assert client is not None
    assert hands.live.poses is not None
    assert len(ghosts) == 8
    for pose, time in zip(ghosts, np.linspace(*client.history.span(), 8).tolist(), strict=True):
        moment = client.history.at(time, 1e-3)
        assert moment is not None
        np.testing.assert_array_equal(pose, hands.live.poses.at(moment.body_poses))
    assert np.ptp(ghosts[:, :, :3], axis=0).max() > 0.05


@pytest.mark.display
def test_a_section_plane_cuts_bodies_open_and_what_is_gone_cannot_be_held(open_world: Callable[[str], Hands]) -> None:
    hands = open_world("four_bar")
    hands.qtbot.waitUntil(lambda: getattr(hands.view.canvas, "renderer_name", "") != "", timeout=20000)
    whole = picture(hands)
    hands.window.activateWindow()
    hands.qtbot.waitUntil(hands.window.isActiveWindow)
    hands.qtbot.keyClick(hands.view.canvas, Qt.Key.Key_C, Qt.KeyboardModifier.ShiftModifier)
    bar = hands.view.section_bar
    assert not bar.isHidden()
    bar.axis.setCurrentText("x")
    bar.flip.setChecked(False)
    bar.slider.setValue(500)
    section = hands.view.state.section
    assert section is not None
    assert section.offset == pytest.approx(bar.offset())
    assert np.abs(picture(hands) - whole).max() > 40
    sim = simulator.load(ROOT / "worlds" / "four_bar.sdf")
    pin = hands.pixel(sim.pose("rocker")[:3, 3] + (0.0, -0.01, 0.05))
    assert hands.view.hit(pin) is None  # the rocker is in the half that is cut away
    bar.flip.setChecked(True)
    picture(hands)
    hit = hands.view.hit(pin)
    assert hit is not None
    assert hit.point[0] >= bar.offset() - 1e-6
    hands.window.actions_["section"].trigger()
    assert bar.isHidden()
    assert hands.view.state.section is None
    np.testing.assert_array_equal(picture(hands), whole)


def test_where_the_view_is_painted_it_says_that_both_need_opengl(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.window.actions_["section"].trigger()
    assert "OpenGL" in hands.view.state.scale
    hands.window.actions_["section"].trigger()
    assert hands.view.state.scale == ""
    hands.live.send(SetPosition(0, 0.5))
    hands.live.send(StepOnce(50))
    hands.window.actions_["onion_recording"].trigger()
    hands.frame()
    assert "OpenGL" in hands.view.state.scale
