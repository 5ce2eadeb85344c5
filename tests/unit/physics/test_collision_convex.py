"""Convex shapes of any kind: gaps, normals and points against closed forms and independent methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.physics.detect.own import OwnContacts
from simulator.physics.narrow.boxes import box_axis
from simulator.physics.narrow.convex import convex_points
from simulator.physics.shapes.distances import distance_to_hull
from simulator.session.open.opening import open_document
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_rpy
from tests.helpers.contact_points import ContactTable, points_of
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import model, world

Write = Callable[..., Path]
Array = NDArray[np.float64]
UPRIGHT, LYING = "0 0 0", f"0 {math.pi / 2!r} 0"


def cylinder(radius: float, length: float) -> str:
    return f"<cylinder><radius>{radius}</radius><length>{length}</length></cylinder>"


def capsule(radius: float, length: float) -> str:
    return f"<capsule><radius>{radius}</radius><length>{length}</length></capsule>"


def cone(radius: float, length: float) -> str:
    return f"<cone><radius>{radius}</radius><length>{length}</length></cone>"


ELLIPSOID, RADII = "<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>", np.array((0.1, 0.2, 0.3))


def hull(path: Path, points: Array) -> str:
    """A mesh with these corners, of which the triangles do not matter: what moves is its hull. OBJ keeps all digits."""
    lines = ["v " + " ".join(repr(float(x)) for x in point) for point in points]
    faces = [f"f 1 {k} {k + 1}" for k in range(2, len(points))]
    path.write_text("\n".join([*lines, *faces, ""]), encoding="ascii")
    return f"<mesh><uri>{path}</uri></mesh>"


def two(first: str, at: str, second: str, its: str = "0 0 0 0 0 0") -> str:
    return world(model(solid("a", first, pose=at), name="one") + model(solid("b", second, pose=its), name="other"))


def finder_of(path: Path) -> tuple[OwnContacts, Array]:
    mechanism = open_document(path).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    return OwnContacts(mechanism), poses


def found(path: Path, reach: float = 0.01) -> ContactTable:
    finder, poses = finder_of(path)
    table = points_of(finder, poses, reach)
    assert table is not None
    return table


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_cylinders_side_by_side_touch_along_what_they_share(write_document: Write) -> None:
    """Axes 0.201 m apart, radii of 0.1 m, one 0.05 m higher: a line from -0.05 to 0.1 m, with its two ends."""
    table = found(write_document(two(cylinder(0.1, 0.2), "0 0 0 0 0 0", cylinder(0.1, 0.2), "0.201 0 0.05 0 0 0")))
    assert table.gaps == pytest.approx([0.001] * 2, abs=1e-15)
    assert sorted(table.points[:, 2]) == pytest.approx([-0.05, 0.1], abs=1e-15)
    assert abs(table.normals[:, 0]) == pytest.approx([1.0, 1.0], abs=1e-15)


def test_crossed_cylinders_touch_in_a_point(write_document: Write) -> None:
    table = found(
        write_document(two(cylinder(0.1, 1), f"0.2 0.1 0 {LYING}", cylinder(0.1, 1), f"0 0 0.1995 {math.pi / 2!r} 0 0"))
    )
    assert table.gaps == pytest.approx([-0.0005], abs=1e-15)
    assert table.points[0] == pytest.approx((0.0, 0.1, 0.09975), abs=1e-15)


@pytest.mark.parametrize("gap", [0.001, 1e-9, -1e-4])
def test_a_cylinder_stands_on_a_larger_one(write_document: Write, gap: float) -> None:
    """Points of its rim, each with the gap of the ends, and the middle well among them."""
    pose = f"0.03 0 {0.2 + gap!r} 0 0 0"
    table = found(write_document(two(cylinder(0.1, 0.2), "0 0 0 0 0 0", cylinder(0.05, 0.2), pose)))
    assert len(table.gaps) == 8
    assert table.gaps == pytest.approx([gap] * 8, abs=1e-12)
    assert np.hypot(table.points[:, 0] - 0.03, table.points[:, 1]) == pytest.approx([0.05] * 8, rel=1e-3)
    assert table.points[:, :2].mean(axis=0) == pytest.approx((0.03, 0.0), abs=1e-4)


@pytest.mark.parametrize(
    ("shape", "height"),
    [(cone(0.1, 0.2), 0.1), (cylinder(0.1, 0.2), 0.1), (capsule(0.1, 0.2), 0.2), (ball_shape(0.1), 0.1)],
)
def test_shapes_at_the_edge_of_a_box_keep_the_gap_of_its_face(write_document: Write, shape: str, height: float) -> None:
    """Half over the edge of a face at 0.5 m: the face's normal, the gap over it, and no point beyond the edge."""
    path = write_document(two(shape, f"0.5 0 {0.5 + height - 1e-4!r} 0 0 0", box_shape("1 1 1")))
    table = found(path)
    assert table.gaps == pytest.approx([-1e-4] * len(table.gaps), abs=1e-9)
    assert abs(table.normals[:, 2]) == pytest.approx([1.0] * len(table.gaps), abs=1e-9)
    # tilted by up to 0.05 rad, corners of what both have in common are off by the tilt's square: a thousandth
    assert (table.points[:, 0] <= 0.5 + 1e-3).all()


@pytest.mark.parametrize("turn", ["0 0 0", "0.3 0.5 0", "1.2 -0.7 2"])
@pytest.mark.parametrize("floor", ["plane", "box"])
def test_an_ellipsoid_touches_with_its_lowest_point(write_document: Write, turn: str, floor: str) -> None:
    """Its depth below the middle is |A n| (the support function of an ellipsoid)."""
    under = ground(0.5) if floor == "plane" else wall(box_shape("2 2 1"), pose="0 0 -0.5 0 0 0")
    table = found(write_document(world(under + model(solid("b", ELLIPSOID, pose=f"0 0 0.25 {turn}")))), 0.2)
    R = Pose((0.0, 0.0, 0.0), quat_from_rpy(*map(float, turn.split()))).rotation()
    depth = float(np.linalg.norm(RADII * R[2]))
    assert table.gaps == pytest.approx([0.25 - depth], abs=1e-14)
    lowest = R @ (-(RADII**2) * R[2] / depth) + (0.0, 0.0, 0.25)
    assert table.points[0] == pytest.approx(lowest - (0.0, 0.0, 0.5 * table.gaps[0]), abs=1e-14)


def test_a_ball_beside_an_ellipsoid_is_as_far_as_the_nearest_point(write_document: Write) -> None:
    """A point x of the ellipsoid with the normal n there, A^-2 x, and the ball's middle on that line."""
    n = np.array((2.0, -1.0, 0.5)) / math.sqrt(5.25)
    x = RADII**2 * n / np.linalg.norm(RADII * n)
    middle = x + 0.103 * n
    table = found(write_document(two(ELLIPSOID, "0 0 0 0 0 0", ball_shape(0.1), f"{' '.join(map(str, middle))} 0 0 0")))
    # round on round: the direction converges to 1e-8, the gap to its square
    assert table.gaps == pytest.approx([0.003], abs=1e-12)
    assert table.normals[0] == pytest.approx(-n, abs=1e-6)
    assert table.points[0] == pytest.approx(x + 0.0015 * n, abs=1e-7)


# --- independent methods ----------------------------------------------------------------------------------------------


def test_hulls_are_as_far_apart_as_the_hull_of_their_differences_is_from_the_origin(
    write_document: Write, tmp_path: Path
) -> None:
    """Random hulls, against Wolfe's algorithm on all differences of corners."""
    chance = np.random.default_rng(4)
    for trial in range(12):
        first, second = (chance.normal(size=(12, 3)) * 0.1 for _ in range(2))
        at = chance.normal(size=3)
        at *= 0.45 / np.linalg.norm(at)
        distance = distance_to_hull((first[:, None] + at - second[None]).reshape(-1, 3), np.zeros(3))
        shapes = [hull(tmp_path / f"{trial}{k}.obj", points) for k, points in enumerate((first, second))]
        path = write_document(two(shapes[0], f"{' '.join(map(repr, map(float, at)))} 0 0 0", shapes[1]))
        table = found(path, 0.5)
        if distance > 0.01:
            assert table.gaps.min() == pytest.approx(distance, rel=1e-9)


def test_boxes_as_convex_shapes_are_the_boxes_of_the_closed_form(write_document: Write) -> None:
    """The separating axis theorem, against shapes turned at random, a little apart and overlapping: where a face or two
    edges part them, normal and gap are the same; where corners are nearest, they are further apart than any plane
    tells, at most by a corner's way."""
    finder, poses = finder_of(write_document(two(box_shape("0.2 0.3 0.4"), "0 0 0 0 0 0", box_shape("0.3 0.2 0.25"))))
    own, chance, alike = finder, np.random.default_rng(1), 0
    for _ in range(200):
        poses[2, 3:] = quat_from_rpy(*(float(x) for x in chance.uniform(-3.0, 3.0, 3)))
        way = chance.normal(size=3)
        way /= np.linalg.norm(way)
        low, high = 0.0, 1.0
        for _ in range(60):  # how far along this way they come apart
            middle = 0.5 * (low + high)
            poses[2, :3] = middle * way
            own.detect_within(poses, 0.5, None)
            A, B = own.work.shapes[:2]
            separation = box_axis(A, own.geometry.size[0], B, own.geometry.size[1], np.zeros(3), 1.0)[1]
            low, high = (low, middle) if separation > 0.0 else (middle, high)
        for extra in (1e-3, 1e-8, -1e-5):
            poses[2, :3] = (low + extra) * way
            own.detect_within(poses, 0.01, None)
            axis, gap, _ = box_axis(A, own.geometry.size[0], B, own.geometry.size[1], np.zeros(3), 1.0)
            count = convex_points(own.geometry, own.work, 0, 1)
            assert count > 0
            nearest = own.work.out[:count, 6].min()
            assert axis >= 0
            assert gap - 1e-6 <= nearest <= max(gap, 0.0) + 2.0 * abs(extra)
            alike += abs(nearest - gap) <= 1e-9
    # A corner is nearest to a corner in a sixth of all, by the solid angles of the faces and edges of such boxes.
    assert alike >= 400


def test_a_corner_of_a_hull_over_a_face_of_another_has_that_faces_normal(write_document: Write, tmp_path: Path) -> None:
    """An octahedron with a corner down, and one with a corner up below a block: the first body is the one with the
    corner, for its gap is foreseen."""
    corner = np.vstack((np.eye(3), -np.eye(3))) * 0.1
    block = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    shapes = hull(tmp_path / "o.obj", corner), hull(tmp_path / "b.obj", block)
    for sign in (1.0, -1.0):
        at = f"0.1 0.05 {sign * 0.602!r} 0 0 0.3"
        for first, second, poses in ((*shapes, (at, "0 0 0 0 0 0")), (*shapes[::-1], ("0 0 0 0 0 0", at))):
            table = found(write_document(two(first, poses[0], second, poses[1])))
            assert table.gaps == pytest.approx([0.002], abs=1e-14)
            assert table.bodies[0].tolist() == ([1, 2] if first == shapes[0] else [2, 1])
            assert table.normals[0] == pytest.approx((0.0, 0.0, sign), abs=1e-12)
            assert table.centres[0] == pytest.approx((0.1, 0.05, sign * 0.502), abs=1e-12)


def test_hulls_lie_on_each_other_with_the_corners_of_what_they_share(write_document: Write, tmp_path: Path) -> None:
    """A plank across a beam, both hulls: the four corners of the square that they have in common."""

    def block(x: float, y: float, z: float) -> Array:
        return 0.5 * np.array([(a * x, b * y, c * z) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])

    beam, plank = hull(tmp_path / "x.obj", block(1.0, 0.1, 0.1)), hull(tmp_path / "y.obj", block(0.1, 1.0, 0.1))
    for gap in (1e-4, 0.0, -1e-6):
        table = found(write_document(two(plank, f"0.2 0 {0.1 + gap!r} 0 0 0", beam)))
        assert table.gaps == pytest.approx([gap] * len(table.gaps), abs=1e-12)
        for x in (0.15, 0.25):
            for y in (-0.05, 0.05):
                assert np.hypot(table.points[:, 0] - x, table.points[:, 1] - y).min() <= 1e-3
