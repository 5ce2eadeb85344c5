"""Inertia boxes, joint limits, collision shapes, transparent bodies and a camera that follows, by the View menu."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.selection import Item, ItemKind
from simulator.mechanism.build import build_mechanism
from simulator.model.link import Inertial
from simulator.model.profiles import Constant
from simulator.session.commands.commands import SetDrive, StepOnce
from simulator.session.look.inertia_boxes import box_sides, inertia_boxes
from tests.gui.on_view import Hands
from tests.helpers.mechanisms import joint, link, world

Painted = Callable[[str], Hands]


def test_a_box_has_its_own_sides() -> None:
    """A homogeneous box of a, b, c: I_x = m (b² + c²) / 12; and moments that no body has leave nothing."""
    a, b, c, m = 0.3, 0.2, 0.05, 2.5
    moments = m / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    assert box_sides(m, moments) == pytest.approx([a, b, c], rel=1e-12)
    assert box_sides(1.0, np.array([1.0, 1.0, 3.0])) == pytest.approx([math.sqrt(18.0), math.sqrt(18.0), 0.0])


def test_boxes_lie_along_principal_axes_about_the_centre_of_mass() -> None:
    moments = 1.0 / 12.0 * np.array([0.01 + 0.04, 0.09 + 0.04, 0.09 + 0.01])  # 0.3, 0.1, 0.2 m along x, y, z
    turn = math.pi / 6.0
    R = np.array([[math.cos(turn), -math.sin(turn), 0.0], [math.sin(turn), math.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    tensor = R @ np.diag(moments) @ R.T
    inertial = Inertial(1.0, moments=tuple(np.diag(tensor)), products=(tensor[0, 1], tensor[0, 2], tensor[1, 2]))
    made = world(link("a", inertial=inertial), joint("j", "revolute", "world", "a", axes=[(0, 0, 1)]))
    boxes = inertia_boxes(build_mechanism(made))
    (corners,) = boxes.at(np.array([[0.0, 0, 0, 0, 0, 0, 1], [1.0, 2.0, 3.0, 0, 0, 0, 1]]))
    assert corners.mean(axis=0) == pytest.approx([1.0, 2.0, 3.0])
    own = (corners - [1.0, 2.0, 3.0]) @ R
    assert np.abs(own).max(axis=0) == pytest.approx([0.15, 0.05, 0.1], abs=1e-12)


def test_inertia_boxes_and_limits_are_switched_on_and_off(painted: Painted) -> None:
    hands = painted("gripper")
    plain = len(hands.pieces())
    hands.window.actions_["inertias"].trigger()
    bodies = sum(body.mass > 0.0 for body in hands.live.relations.mechanism.bodies[1:])
    assert len(hands.pieces()) == plain + 6 * bodies
    hands.window.actions_["inertias"].trigger()
    hands.window.actions_["limits"].trigger()
    mechanism = hands.live.relations.mechanism
    limited = [info for info in mechanism.axes if np.isfinite(info.axis.upper - info.axis.lower)]
    assert limited
    assert len(hands.pieces()) == plain + 4 * len(limited)


def test_the_tick_of_a_slider_is_where_it_is_between_its_limits(painted: Painted) -> None:
    """A bar from the lower to the upper limit, two stops, and a thick tick: all in the world."""
    hands = painted("telescope")
    hands.window.actions_["limits"].trigger()
    hands.frame()
    mechanism, snapshot = hands.live.relations.mechanism, hands.live.snapshot
    axis = next(i for i, info in enumerate(mechanism.axes) if info.name.endswith("stage_1_joint"))
    info = mechanism.axes[axis].axis
    thick = [line for line in hands.view.state.lines if line.width == 3.5]
    bars = [line for line in hands.view.state.lines if line.width == 2.0 and len(line.points) == 2]
    width = info.upper - info.lower
    bar = next(line.points for line in bars if np.linalg.norm(line.points[1] - line.points[0]) == pytest.approx(width))
    along = (bar[1] - bar[0]) / width
    found = [(line.points.mean(axis=0) - bar[0]) @ along + info.lower for line in thick]
    assert min(abs(value - snapshot.position[axis]) for value in found) < 1e-12


def test_bodies_are_seen_through_and_collisions_shown(painted: Painted) -> None:
    hands = painted("gripper")
    own = hands.view.state.scene
    hands.window.actions_["collisions"].trigger()
    both = hands.view.state.scene
    assert sum(d.is_collision for d in both.drawables) > sum(d.is_collision for d in own.drawables)
    hands.window.actions_["transparent"].trigger()
    faded = hands.view.state.scene
    assert [d.colour[3] for d in faded.drawables] == pytest.approx([0.35 * d.colour[3] for d in both.drawables])
    for key in ("collisions", "transparent"):
        hands.window.actions_[key].trigger()
    assert hands.view.state.scene is own


def test_the_camera_goes_with_what_is_selected(painted: Painted) -> None:
    hands = painted("rack_and_pinion")
    rack = next(name for name in hands.view.state.scene.links if name.endswith("rack"))
    hands.window.selection.select(Item(ItemKind.LINK, rack))
    hands.window.actions_["follow"].trigger()
    before, start = np.array(hands.view.state.camera.target), hands.view.state.poses.copy()
    hands.live.send(SetDrive("pinion_joint", Drive(DriveKind.VELOCITY, Constant(5.0))))
    hands.live.send(StepOnce(100))
    hands.frame()
    number = hands.view.state.scene.link_numbers[rack]
    went = hands.view.state.poses[number, :3] - start[number, :3]
    assert np.linalg.norm(went) > 1e-3
    assert np.array(hands.view.state.camera.target) - before == pytest.approx(went, abs=1e-12)
