"""The camera keeps what moves in the picture, until the user moves the camera."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, Qt

from simulator.gui.viewport.framing import FURTHER, MIDDLE, NEARER, brought_back
from simulator.rendering.camera import Camera
from simulator.session.commands.commands import SetPosition
from tests.gui.on_view import MOVE, PRESS, RELEASE, Hands
from tests.helpers.documents import joint, link, model, world

SHAPE = "<visual name='v'><geometry><box><size>0.2 0.2 0.2</size></box></geometry></visual>"
PLACES = [*np.linspace(0.1, 1.0, 10), *np.linspace(2.0, 400.0, 200), *np.linspace(399.0, -50.0, 300)]


def opened_cart(hands: Hands, folder: Path, axis: str) -> Hands:
    """A cart that slides for ever, beside a post that stays."""
    path = folder / "cart.sdf"
    post, cart = link("post", SHAPE, pose="0 0.5 0.1 0 0 0"), link("cart", SHAPE, pose="0 0 0.1 0 0 0")
    fixed = joint("foot", "fixed", parent="world", child="post")
    slide = joint("slide", "prismatic", parent="world", child="cart", axis=axis)
    path.write_text(world(model("train", post, cart, fixed, slide)))
    hands.live.open(path)
    hands.window.viewport.standard_view("iso")
    hands.frame()
    return hands


def furthest(hands: Hands) -> float:
    """How far from the middle of the picture a corner of the cart is, its edges being at 1."""
    state = hands.view.state
    assert state.scene is not None
    cart = state.scene.link_numbers["train::cart"]
    corners = state.poses[cart, :3] + 0.1 * np.array(
        [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float
    )
    return float(np.abs(state.camera.project(corners, hands.view._aspect)[:, :2]).max())


@pytest.mark.parametrize("axis", ["1 0 0", "0 0 1"])
def test_a_cart_that_goes_on_and_on_stays_in_the_picture(
    painted: Callable[[str], Hands], tmp_path: Path, axis: str
) -> None:
    """The first metres are let in by stepping back; what goes further is followed, to both sides."""
    hands = opened_cart(painted("four_bar"), tmp_path, axis)
    distance = hands.view.state.camera.distance
    for place in PLACES:
        hands.live.send(SetPosition(0, float(place)))
        hands.frame()
        assert furthest(hands) < 1.0, place
    assert hands.view.state.camera.distance <= 3.0 * distance
    hands.live.send(SetPosition(0, 0.0))
    hands.frame()
    assert hands.view.state.camera.distance == pytest.approx(distance)


def reach(hands: Hands, poses: np.ndarray) -> float:
    """How far from the middle of the picture the mechanism reaches with its links there, the edges being at 1."""
    state = hands.view.state
    assert state.scene is not None
    seen = state.camera.project(state.scene.corner_points(poses), hands.view._aspect)
    return float(np.abs(seen[:, :2]).max())


def test_a_panel_that_takes_room_cuts_nothing_off(painted: Callable[[str], Hands]) -> None:
    """Neither where the mechanism is nor where it has been; panels are opened with their keys."""
    hands = painted("scissor_lift")
    window, view = hands.window, hands.view
    window.resize(1000, 700)
    window.workbench.hide_all()
    hands.qtbot.wait(50)
    view.fit()
    lowest = view.state.poses.copy()
    assert hands.live.opened is not None
    axis = hands.live.free_axes[0]
    info = hands.live.opened.mechanism.axes[axis].axis
    for place in np.linspace(0.0, info.lower if np.isfinite(info.lower) else -0.1, 8).tolist():
        hands.live.send(SetPosition(axis, place))
        hands.frame()
    highest = view.state.poses.copy()
    assert np.abs(highest - lowest).max() > 0.02
    hands.live.send(SetPosition(axis, 0.0))
    hands.frame()
    wide = view.width() / view.height()
    window.activateWindow()
    hands.qtbot.waitUntil(window.isActiveWindow)
    hands.qtbot.keyClick(view.canvas, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    hands.qtbot.waitUntil(lambda: view.width() / view.height() < 0.8 * wide)
    assert max(reach(hands, lowest), reach(hands, highest)) <= 1.0
    before = view.state.camera
    view.framing.turned = True
    hands.qtbot.keyClick(view.canvas, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    hands.qtbot.waitUntil(lambda: view.width() / view.height() > 0.9 * wide)
    assert view.state.camera == before, "the user has moved it"


def test_a_camera_that_the_user_has_moved_stays(painted: Callable[[str], Hands], tmp_path: Path) -> None:
    hands = opened_cart(painted("four_bar"), tmp_path, "1 0 0")
    corner = QPointF(20.0, 60.0)
    hands.mouse(PRESS, corner)
    hands.mouse(MOVE, corner + QPointF(60.0, 0.0))
    hands.mouse(RELEASE, corner + QPointF(60.0, 0.0))
    before = hands.view.state.camera
    for place in PLACES[:40]:
        hands.live.send(SetPosition(0, float(place)))
        hands.frame()
    assert hands.view.state.camera == before
    hands.view.fit()
    hands.frame()
    assert furthest(hands) < 1.0


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("point", [(0.3, 0.2, 0.1), (40.0, -3.0, 8.0), (-7.0, 900.0, 0.0), (0.0, 0.0, -50.0)])
def test_a_point_is_brought_back_into_the_middle_part(point: tuple[float, float, float], orthographic: bool) -> None:
    camera, aspect = Camera((0.1, 0.2, 0.3), 2.0, orthographic=orthographic), 1.7
    moved = brought_back(camera, np.array(point), aspect)
    (x, y, depth), *_ = moved.project(np.array([point]), aspect).tolist()
    assert max(abs(x), abs(y)) <= MIDDLE + 1e-9
    assert NEARER * 2.0 - 1e-9 <= depth <= FURTHER * 2.0 + 1e-9
    assert (moved.azimuth, moved.elevation, moved.distance) == (camera.azimuth, camera.elevation, camera.distance)
    again = brought_back(moved, np.array(point), aspect)
    assert math.dist(again.target, moved.target) < 1e-9, "what is in the middle part is left there"
