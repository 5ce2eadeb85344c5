"""Bodies led by the mouse in the view, with a real mechanism behind it: worlds/four_bar.sdf seen from the front.

Two pixels are what a hand may be away from the mouse where the mechanism can follow it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication

from simulator.session.commands.commands import Run, SetSpeed
from tests.gui.on_view import MOVE, PRESS, RELEASE, START, Hands

PIXELS = 2.0
LEFT = Qt.MouseButton.LeftButton


def on_rocker(angle: float, radius: float = 0.275) -> tuple[float, float, float]:
    return (0.2 + radius * math.cos(angle), -0.005, 0.16 + radius * math.sin(angle))


def follow(hands: Hands) -> None:
    """Along the swing of the rocker and beyond its dead point, and back."""
    hands.mouse(PRESS, hands.pixel(on_rocker(START)))
    for angle in np.linspace(START, 2.4, 25).tolist():
        at = hands.pixel(on_rocker(angle))
        hands.mouse(MOVE, at)
        assert hands.live.snapshot is not None
        assert hands.live.snapshot.worst_loop_residual()[0] <= 1e-12
        if hands.view.hand.is_holding:
            assert hands.off(at) < PIXELS
    assert hands.view.hand.link == "four_bar::rocker"
    for angle in np.linspace(2.4, 2.9, 10).tolist():
        hands.mouse(MOVE, hands.pixel(on_rocker(angle)))
        assert hands.live.snapshot.worst_loop_residual()[0] <= 1e-12
    assert hands.angle() == pytest.approx(math.acos(-0.78125), abs=1e-5)
    assert "dead point" in hands.window.status.hand.text()
    at = hands.pixel(on_rocker(2.2))
    hands.mouse(MOVE, at)
    assert hands.off(at) < PIXELS
    hands.mouse(RELEASE, at)
    assert not hands.view.hand.is_holding
    assert hands.window.status.hand.text() == ""


@pytest.mark.display
def test_the_rocker_follows_the_mouse_in_the_real_view(open_world: Callable[[str], Hands]) -> None:
    hands = open_world("four_bar")
    canvas = hands.view.canvas
    hands.qtbot.waitUntil(lambda: getattr(canvas, "renderer_name", "") != "", timeout=20000)
    hands.qtbot.wait(100)
    follow(hands)


def test_the_rocker_follows_the_mouse_where_the_view_is_painted(painted: Callable[[str], Hands]) -> None:
    follow(painted("four_bar"))


@pytest.mark.display
def test_in_kinematic_mode_time_stands_still_during_a_gesture_and_goes_on_from_there(
    open_world: Callable[[str], Hands],
) -> None:
    """As paused, though it runs: loops to 1e-12 m at every event, two pixels, and the dead point is named."""
    hands = open_world("four_bar")
    canvas = hands.view.canvas
    hands.qtbot.waitUntil(lambda: getattr(canvas, "renderer_name", "") != "", timeout=20000)
    hands.window.activateWindow()
    hands.qtbot.waitUntil(hands.window.isActiveWindow)
    hands.qtbot.keyClick(canvas, Qt.Key.Key_K)
    assert hands.view.hand.kinematic
    hands.live.send(SetSpeed(0.01))  # however busy the machine is, it hardly moves between two events
    hands.live.send(Run())
    hands.frame()
    assert hands.live.running
    assert hands.live.snapshot is not None
    hands.qtbot.wait(100)  # it is drawn
    hands.mouse(PRESS, hands.pixel(on_rocker(hands.angle())))
    hands.mouse(MOVE, hands.pixel(on_rocker(START + 0.1)))
    assert hands.view.hand.link == "four_bar::rocker"
    hands.frame()
    assert not hands.live.running
    time = hands.live.snapshot.time
    for angle in np.linspace(START, 2.9, 30).tolist():
        at = hands.pixel(on_rocker(angle))
        hands.mouse(MOVE, at)
        assert hands.live.snapshot.worst_loop_residual()[0] <= 1e-12
        assert hands.live.snapshot.time == time
        assert angle > 2.4 or hands.off(at) < PIXELS
    assert "dead point" in hands.window.status.hand.text()
    there = hands.angle()
    hands.mouse(RELEASE, hands.pixel(on_rocker(2.9)))
    assert hands.live.running
    assert hands.angle() == pytest.approx(there, abs=0.02)

    def went_on() -> bool:
        hands.frame()
        return hands.live.snapshot is not None and hands.live.snapshot.time > time

    hands.qtbot.waitUntil(went_on)


def test_running_a_spring_pulls_with_an_arrow_and_its_force(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.mouse(PRESS, hands.pixel(on_rocker(START)))
    hands.mouse(MOVE, hands.pixel(on_rocker(2.0)))
    hands.window.actions_["run"].trigger()
    at = hands.pixel(on_rocker(2.0, 0.4))
    hands.mouse(MOVE, at)
    hands.qtbot.waitUntil(lambda: (hands.frame(), hands.live.snapshot.time > 0.2)[1], timeout=20000)
    status = hands.live.status
    assert status is not None
    assert status.hand is not None
    assert status.hand.force is not None
    assert "N" in hands.window.status.hand.text()
    assert any(label.text.endswith(" N") for label in hands.view.state.labels)
    assert hands.live.snapshot is not None
    assert hands.live.snapshot.energy.loads != 0.0
    assert abs(hands.live.snapshot.energy.error) < 1e-9
    turn = QWheelEvent(
        at, at, QPoint(), QPoint(0, 240), LEFT, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    )
    camera = hands.view.state.camera
    QApplication.sendEvent(hands.view.canvas, turn)
    hands.window.actions_["harder"].trigger()
    assert hands.view.hand.strength == pytest.approx(1.25**3)
    assert hands.view.state.camera == camera
    hands.frame()
    hands.mouse(RELEASE, at)
    hands.frame()
    assert not any(label.text.endswith(" N") for label in hands.view.state.labels)


def test_beside_bodies_and_on_what_cannot_move_the_mouse_turns_the_view(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    for at in (QPointF(20.0, 20.0), hands.pixel((-0.2, -0.01, 0.08))):
        before = hands.view.state.camera
        hands.mouse(PRESS, at)
        hands.mouse(MOVE, at + QPointF(30.0, 10.0))
        hands.mouse(RELEASE, at + QPointF(30.0, 10.0))
        assert hands.view.state.camera.azimuth != before.azimuth
        assert hands.live.snapshot is not None
        assert not hands.view.hand.is_holding
        assert np.abs(hands.live.snapshot.position).max() < 1e-12
        hands.view.standard_view("front")
    hands.mouse(PRESS, hands.pixel(on_rocker(START)), Qt.KeyboardModifier.ShiftModifier)
    hands.mouse(MOVE, hands.pixel(on_rocker(2.0)), Qt.KeyboardModifier.ShiftModifier)
    assert not hands.view.hand.is_holding


def test_a_click_still_selects(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    at = hands.pixel(on_rocker(START))
    hands.mouse(PRESS, at)
    hands.mouse(RELEASE, at)
    assert hands.window.selection.item is not None
    assert hands.window.selection.item.name == "four_bar::rocker"
    assert hands.live.snapshot is not None
    assert np.abs(hands.live.snapshot.position).max() < 1e-12


def test_the_hint_is_given_until_somebody_has_held_a_body(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    assert "Drag a body" in hands.view.state.hint
    hands.mouse(PRESS, hands.pixel(on_rocker(START)))
    hands.mouse(MOVE, hands.pixel(on_rocker(2.0)))
    hands.mouse(RELEASE, hands.pixel(on_rocker(2.0)))
    assert hands.view.state.hint == ""
    hands.window.actions_["reload"].trigger()
    assert hands.view.state.hint == ""


def test_a_world_in_which_nothing_moves_has_no_hint_how_to_move_it(
    painted: Callable[[str], Hands], tmp_path: Path
) -> None:
    """A frame of a door, say."""
    path = tmp_path / "frame.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><static>1</static><link name='a'><visual name='v'><geometry><box>"
        "<size>1 1 1</size></box></geometry></visual></link></model></sdf>"
    )
    hands = painted(str(path.with_suffix("")))
    assert hands.view.state.scene is not None
    assert hands.view.state.hint == ""
    assert hands.window.joints_panel._empty.text() == "Nothing in this world can move."


def test_a_document_that_is_only_drawn_has_no_hint_how_to_move_it(
    painted: Callable[[str], Hands], tmp_path: Path
) -> None:
    """Its errors keep it from being simulated, after one that was."""
    hands = painted("four_bar")
    assert "Drag a body" in hands.view.state.hint
    path = tmp_path / "wrong.sdf"
    path.write_text(
        "<sdf version='1.11'><model name='m'><link name='a'><visual name='v'><geometry><box><size>1 1 1</size></box>"
        "</geometry></visual></link><joint name='j' type='revolute'><parent>b</parent><child>a</child><axis/></joint>"
        "</model></sdf>"
    )
    hands.window.open_path(path)
    hands.qtbot.waitUntil(lambda: hands.live.path == path and hands.view.state.scene is not None)
    assert hands.live.client is None
    assert hands.view.state.hint == ""


def test_a_document_that_goes_away_is_let_go(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.mouse(PRESS, hands.pixel(on_rocker(START)))
    hands.mouse(MOVE, hands.pixel(on_rocker(2.0)))
    assert hands.view.hand.is_holding
    hands.live.close_document()
    assert not hands.view.hand.is_holding
    hands.frame()
