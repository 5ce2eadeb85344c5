"""Polytopes: their faces, and normals, gaps and points where they touch, against closed forms and independent
methods."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from simulator.model.shape import Box, Sphere
from simulator.physics.shapes.faces import faces_of, hull_faces
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_rpy
from tests.unit.physics.test_collision_convex import found, hull, two

Write = Callable[..., Path]
Array = NDArray[np.float64]
GOLDEN = 0.5 * (1.0 + math.sqrt(5.0))


def prism(corners: int, radius: float, height: float, turn: float = 0.0) -> Array:
    angles = turn + 2.0 * math.pi * np.arange(corners) / corners
    ring = radius * np.column_stack((np.cos(angles), np.sin(angles)))
    return np.vstack([np.column_stack((ring, np.full(corners, z))) for z in (-0.5 * height, 0.5 * height)])


def dodecahedron() -> Array:
    corners = [np.array(p, dtype=float) for p in itertools.product((-1, 1), repeat=3)]
    for a, b in itertools.product((-1, 1), repeat=2):
        flat = np.array((0.0, a / GOLDEN, b * GOLDEN))
        corners += [np.roll(flat, k) for k in range(3)]
    return np.array(corners)


# --- faces ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "sizes"),
    [
        (np.array(list(itertools.product((-1.0, 1.0), repeat=3))), [4] * 6),
        (np.vstack((np.eye(3), -np.eye(3))), [3] * 8),
        (dodecahedron(), [5] * 12),
        (prism(24, 0.1, 0.02), [4] * 24 + [24] * 2),
    ],
)
@pytest.mark.parametrize("single", [False, True])
def test_a_hull_has_the_faces_of_its_solid(points: Array, sizes: list[int], single: bool) -> None:
    """Also turned, with the digits of a file in single precision, of which no two triangles are in one plane."""
    turned = points @ Pose((0.0, 0.0, 0.0), quat_from_rpy(0.3, -0.7, 1.9)).rotation().T
    turned = turned.astype(np.float32).astype(np.float64) if single else turned
    faces = hull_faces(turned)
    assert sorted(len(loop) for loop in faces.loops) == sizes
    for n, loop in zip(faces.normals, faces.loops, strict=True):
        around = turned[loop]
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        assert (turned @ n).max() <= (around @ n).max() + 1e-7, "nothing is in front of a face"
        assert np.ptp(around @ n) <= 2e-7
        sides = np.cross(np.roll(around, -1, axis=0) - around, np.roll(around, -2, axis=0) - around)
        assert (sides @ n > 0.0).all(), "counterclockwise, and convex"


def test_points_inside_and_on_edges_are_no_corners() -> None:
    cube = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    faces = hull_faces(np.vstack((cube, [(0.0, 0.0, 0.0), (0.2, 0.1, 1.0), (0.3, 1.0, 1.0)])))
    assert sorted(len(loop) for loop in faces.loops) == [4] * 6
    assert np.concatenate(faces.loops).max() < 8


def test_what_is_flat_or_round_has_no_faces() -> None:
    flat = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)])
    assert hull_faces(flat).loops == []
    assert hull_faces(flat[:3]).loops == []
    assert faces_of(Sphere(1.0)).loops == []


def test_a_box_has_its_faces_without_looking_for_a_hull() -> None:
    size = (0.2, 0.3, 0.4)
    corners = 0.5 * np.array(size) * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    faces = faces_of(Box(size))
    for n, loop in zip(faces.normals, faces.loops, strict=True):
        around = corners[loop]
        assert around @ n == pytest.approx([0.5 * float(np.abs(n) @ size)] * 4, abs=1e-15)
        assert np.cross(around[1] - around[0], around[2] - around[1]) @ n > 0.0


# --- normals ----------------------------------------------------------------------------------------------------------


def edges_of(points: Array) -> Array:
    """Directions of the edges of a hull, shape (n, 3): of its triangles, which are more."""
    triangles = points[ConvexHull(points).simplices]
    return (np.roll(triangles, -1, axis=1) - triangles).reshape(-1, 3)


def widest_separation(a: Array, b: Array) -> tuple[float, Array]:
    """(the largest separation along any normal of a face or pair of edges [m], that normal from b to a): by trying
    all of them (the separating axis theorem)."""
    crossed = np.cross(edges_of(a)[:, None], edges_of(b)[None]).reshape(-1, 3)
    crossed = crossed[np.linalg.norm(crossed, axis=1) > 1e-9]
    axes = np.vstack((ConvexHull(a).equations[:, :3], ConvexHull(b).equations[:, :3], crossed))
    axes = np.vstack((axes, -axes)) / np.tile(np.linalg.norm(axes, axis=1), 2)[:, None]
    separations = (a @ axes.T).min(axis=0) - (b @ axes.T).max(axis=0)
    best = int(np.argmax(separations))
    return float(separations[best]), axes[best]


def apart_by(gap: float, chance: np.random.Generator) -> tuple[Array, Array, Array]:
    """(corners of two random hulls, where the first is): moved along a random way to that widest separation [m]."""
    a, b = (0.1 * chance.normal(size=(14, 3)) for _ in range(2))
    way = chance.normal(size=3)
    way /= np.linalg.norm(way)
    shift = 1.0
    for _ in range(60):
        separation, n = widest_separation(a + shift * way, b)
        shift += (gap - separation) / float(n @ way)
    return a, b, shift * way


@pytest.mark.parametrize("gap", [1e-4, 1e-9, 0.0, -1e-9, -1e-4])
def test_hulls_that_touch_have_the_widest_separation_of_all_axes(
    gap: float, write_document: Write, tmp_path: Path
) -> None:
    """Random hulls, a little apart and overlapping: the least gap is the separation along the normal to rounding, and
    the widest of all. Where they overlap by a thousandth of their size, another axis may part them by as much to a
    thousandth, and the nearer one counts."""
    chance, exact = np.random.default_rng(7), 0
    for trial in range(10):
        a, b, at = apart_by(gap, chance)
        shapes = [hull(tmp_path / f"{trial}{k}.obj", points) for k, points in enumerate((a, b))]
        table = found(write_document(two(shapes[0], f"{' '.join(map(repr, at.tolist()))} 0 0 0", shapes[1])))
        separation, n = widest_separation(a + at, b)
        lowest = int(np.argmin(table.gaps))
        towards = table.normals[lowest] * (1.0 if table.bodies[lowest, 0] == 1 else -1.0)
        assert table.gaps[lowest] == pytest.approx(((a + at) @ towards).min() - (b @ towards).max(), abs=1e-15)
        assert table.gaps[lowest] == pytest.approx(separation, rel=1e-3 if gap < -1e-9 else 0.0, abs=1e-12)
        exact += np.abs(towards - n).max() <= 1e-12
    assert exact >= (8 if gap < -1e-9 else 10)


# --- points -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [1e-4, 0.0, -1e-6])
@pytest.mark.parametrize("turned", [False, True])
def test_two_squares_turned_by_an_eighth_share_a_regular_octagon(
    gap: float, turned: bool, write_document: Write, tmp_path: Path
) -> None:
    """Its corners are at r / cos(pi / 8) for an inner radius r of both squares."""
    r, height = 0.05, 0.02
    shapes = [
        hull(tmp_path / f"{k}.obj", prism(4, r * math.sqrt(2.0), height, turn=0.25 * math.pi * (k + 1)))
        for k in range(2)
    ]
    pose = f"0 0 {height + gap!r} 0 0 0"
    poses = ("0 0 0 0 0 0", pose) if turned else (pose, "0 0 0 0 0 0")
    table = found(write_document(two(shapes[0], poses[0], shapes[1], poses[1])))
    assert table.gaps == pytest.approx([gap] * 8, abs=1e-15)
    assert np.linalg.norm(table.points[:, :2], axis=1) == pytest.approx([r / math.cos(math.pi / 8)] * 8, abs=1e-15)
    angles = np.sort(np.arctan2(table.points[:, 1], table.points[:, 0]))
    assert np.diff(angles) == pytest.approx([math.pi / 4] * 7, abs=1e-12)
    assert len(set(table.names.tolist())) == 8


def test_faces_with_many_corners_touch_in_those_furthest_out(write_document: Write, tmp_path: Path) -> None:
    """Two prisms of 24 corners on each other: eight corners, evenly around, and so the middle well among them."""
    shape = hull(tmp_path / "p.obj", prism(24, 0.1, 0.05))
    table = found(write_document(two(shape, "0 0 0.05 0 0 0", shape)))
    assert table.gaps == pytest.approx([0.0] * 8, abs=1e-15)
    assert np.linalg.norm(table.points[:, :2], axis=1) == pytest.approx([0.1] * 8, abs=1e-15)
    assert np.abs(table.points[:, :2].mean(axis=0)).max() <= 1e-15


@pytest.mark.parametrize("tilt", [0.0, 1e-3])
def test_an_edge_on_a_face_touches_with_both_ends(tilt: float, write_document: Write, tmp_path: Path) -> None:
    """A roof with its ridge down, 0.2 m long, over a slab that it reaches beyond at one end by 0.04 m: the ridge's end,
    and where it leaves the slab, each with its own gap where the ridge is tilted."""
    roof = np.array([(x, y, z) for x in (-0.1, 0.1) for y, z in ((-0.05, 0.05), (0.05, 0.05), (0.0, 0.0))])
    slab = 0.5 * np.array([(0.4 * x, 0.2 * y, 0.1 * z) for x, y, z in itertools.product((-1, 1), repeat=3)])
    shapes = hull(tmp_path / "r.obj", roof), hull(tmp_path / "s.obj", slab)
    table = found(write_document(two(shapes[0], f"0.14 0 {0.0501 + 0.1 * tilt!r} 0 {tilt!r} 0", shapes[1])), 0.01)
    order = np.argsort(table.points[:, 0])
    assert table.points[order, 0] == pytest.approx([0.04, 0.2], abs=1e-5)
    # the ridge goes down along +x by the tilt; its middle is 0.0001 + 0.1 tilt over the slab
    heights = [1e-4 + 0.1 * tilt - (x - 0.14) * math.tan(tilt) for x in (0.14 - 0.1 * math.cos(tilt), 0.2)]
    assert table.gaps[order] == pytest.approx(heights, abs=1e-9)
    assert np.abs(table.points[:, 1]).max() <= 1e-12


def test_crossed_edges_touch_in_one_point_with_both_their_lines(write_document: Write, tmp_path: Path) -> None:
    """Two roofs, ridge on ridge, crosswise: lines along x and y, the normal along z."""
    roof = np.array([(x, y, z) for x in (-0.1, 0.1) for y, z in ((-0.05, 0.05), (0.05, 0.05), (0.0, 0.0))])
    shape = hull(tmp_path / "r.obj", roof)
    table = found(write_document(two(shape, "0.03 0 0.0001 0 0 0", shape, f"0 0.02 0 {math.pi!r} 0 {0.5 * math.pi!r}")))
    assert table.gaps == pytest.approx([1e-4], abs=1e-15)
    assert table.points[0] == pytest.approx((0.0, 0.0, 5e-5), abs=1e-12)
    assert np.isnan(table.centres[0]).all()
    lines = np.abs(table.features[0])
    assert lines[0:3] == pytest.approx((1.0, 0.0, 0.0), abs=1e-12)
    assert lines[3:6] == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)


def test_a_hull_over_the_edge_of_a_box_has_points_on_the_box_only(write_document: Write, tmp_path: Path) -> None:
    """A cube as a hull, half of it over the edge of a box: the corners of the half that is on it."""
    cube = 0.05 * np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    shape = hull(tmp_path / "c.obj", cube)
    box = "<box><size>1 1 1</size></box>"
    table = found(write_document(two(shape, "0.5 0 0.549999 0 0 0", box)))
    assert table.gaps == pytest.approx([-1e-6] * 4, abs=1e-15)
    assert sorted(table.points[:, 0]) == pytest.approx([0.45, 0.45, 0.5, 0.5], abs=1e-12)
