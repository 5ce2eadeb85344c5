"""Bars are drawn from joint to joint, whatever the lengths are for which a document has drawn them."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.model.link import Collision, Visual
from simulator.model.shape import Box, Capsule, Cylinder, Ellipsoid
from simulator.rendering.build import build_scene
from simulator.rendering.scene import Scene
from simulator.rendering.stretching import END, move_between, stretched
from simulator.spatial.pose import Pose
from tests.helpers.mechanisms import link, scoped, world

Array = np.ndarray
LENGTH = 0.3


def bar_ends(length: float, angle: float = 0.0, start: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
    way = length * np.array([np.cos(angle), 0.0, np.sin(angle)])
    return np.array([start, start + way])


def scene_of(*visuals: Visual, collisions: tuple[Collision, ...] = ()) -> Scene:
    return build_scene(world(link("bar", visuals=visuals, collisions=collisions)))


def points_of(scene: Scene, number: int = 0) -> Array:
    """Corners of the triangles of a shape in the frame of its link, shape (n, 3)."""
    drawable = scene.drawables[number]
    surface = scene.surfaces[drawable.surface]
    points = surface.positions.astype(float)[surface.triangles.reshape(-1)]
    return np.asarray(points @ drawable.matrix[:3, :3].T + drawable.matrix[:3, 3])


def drawn(scene: Scene, now: Array) -> Scene:
    return stretched(scene, {scoped("bar"): (bar_ends(LENGTH), now)})


def along_x(length: float, at: float) -> Pose:
    return Pose.from_rpy((at, 0.0, 0.0), (0.0, np.pi / 2.0, 0.0))


ROD = Visual("rod", Box((0.34, 0.02, 0.03)), Pose((0.15, 0.0, 0.0)))
CAPSULE = Visual("capsule", Capsule(0.02, LENGTH), along_x(LENGTH, 0.15))
PIN = Visual("pin", Cylinder(0.01, 0.05), Pose.from_rpy((LENGTH, 0.0, 0.0), (np.pi / 2.0, 0.0, 0.0)))
DISC = Visual("disc", Cylinder(0.35, 0.01), Pose.from_rpy((0.0, 0.0, 0.0), (np.pi / 2.0, 0.0, 0.0)))


@pytest.mark.parametrize("length", [0.36, 0.31, 0.2, 0.03])
@pytest.mark.parametrize("visual", [ROD, CAPSULE])
def test_both_ends_of_a_bar_keep_their_form_and_go_with_the_joints(visual: Visual, length: float) -> None:
    scene = scene_of(visual)
    before, after = points_of(scene), points_of(drawn(scene, bar_ends(length)))
    end = END * min(length, LENGTH)
    near, far = before[:, 0] < end, before[:, 0] > LENGTH - end
    assert after[near] == pytest.approx(before[near], abs=1e-6)
    assert after[far] == pytest.approx(before[far] + [length - LENGTH, 0.0, 0.0], abs=1e-6)
    assert after[:, 1:] == pytest.approx(before[:, 1:], abs=1e-6)
    assert after[:, 0].max() - after[:, 0].min() == pytest.approx(np.ptp(before[:, 0]) + length - LENGTH, abs=1e-6)
    order = np.argsort(before[:, 0])
    assert (np.diff(after[order, 0]) > -1e-6).all()  # nothing is folded over


def test_a_pin_goes_with_its_end_and_a_disc_stays() -> None:
    scene = scene_of(PIN, DISC)
    now = drawn(scene, bar_ends(0.36))
    assert points_of(now, 0) == pytest.approx(points_of(scene, 0) + np.array((0.06, 0.0, 0.0)), abs=1e-6)
    assert points_of(now, 1) == pytest.approx(points_of(scene, 1), abs=1e-6)


def test_shapes_that_touch_are_drawn_where_they_touch() -> None:
    scene = scene_of(collisions=(Collision("c", Box((0.34, 0.02, 0.03)), Pose((0.15, 0.0, 0.0))),))
    assert drawn(scene, bar_ends(0.36)).drawables == scene.drawables


def test_a_bar_turns_with_the_line_between_its_joints() -> None:
    """As if it were drawn along x, and the whole turned and moved."""
    scene = scene_of(ROD, PIN)
    angle, start = 0.4, (0.02, 0.03, -0.01)
    straight, turned = drawn(scene, bar_ends(0.36)), drawn(scene, bar_ends(0.36, angle, start))
    R = np.array([[np.cos(angle), 0.0, -np.sin(angle)], [0.0, 1.0, 0.0], [np.sin(angle), 0.0, np.cos(angle)]])
    assert points_of(turned, 0) == pytest.approx(points_of(straight, 0) @ R.T + start, abs=1e-6)
    middle = points_of(turned, 1).mean(axis=0)
    assert middle == pytest.approx(bar_ends(0.36, angle, start)[1], abs=1e-3)


def test_normals_are_across_the_stretched_surface() -> None:
    """Of an ellipsoid along the bar, the normals at the middle of the edges are across these edges, as before."""
    scene = scene_of(Visual("egg", Ellipsoid((0.2, 0.05, 0.05)), Pose((0.15, 0.0, 0.0))))
    now = drawn(scene, bar_ends(0.5))
    edges = now.surfaces[now.drawables[0].surface].edges
    segments, normals = edges.segments.astype(float), edges.normals.astype(float)
    ends = LENGTH - END * LENGTH + 0.2, END * LENGTH
    between = (segments[..., 0] > ends[1] + 1e-6).all(axis=1) & (segments[..., 0] < ends[0] - 1e-6).all(axis=1)
    assert between.sum() > 20
    along = segments[between, 1] - segments[between, 0]
    assert np.linalg.norm(normals[between], axis=2) == pytest.approx(np.ones((between.sum(), 2)), abs=1e-6)
    slopes = np.einsum("nk,nik->ni", along / np.linalg.norm(along, axis=1, keepdims=True), normals[between])
    assert np.abs(slopes).max() < 1e-5


def test_a_scene_without_other_lengths_is_the_same() -> None:
    scene = scene_of(ROD)
    assert stretched(scene, {}) is scene
    assert stretched(scene, {"other": (bar_ends(0.3), bar_ends(0.4))}).drawables == scene.drawables


def test_half_a_turn_mirrors_nothing() -> None:
    move = move_between(bar_ends(0.3), bar_ends(0.3, np.pi))
    assert np.linalg.det(move.turn) == pytest.approx(1.0)
    assert move.points(np.array([[LENGTH, 0.0, 0.0]]))[0] == pytest.approx([-LENGTH, 0.0, 0.0], abs=1e-9)
