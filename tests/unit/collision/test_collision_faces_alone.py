"""Round shapes over faces of boxes and rims over planes, shape by shape: where the closed form holds, and what it
gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from simulator.collision.faces import on_face

from simulator.collision import faces
from simulator.collision.exact import ExactCollisions
from simulator.model.shape import Box, Capsule, Cylinder, Sphere
from simulator.session.opening import open_document
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_rpy
from tests.physics.solids import ball_shape, box_shape, ground, solid
from tests.physics.worlds import model, world
from tests.unit.collision.test_collision_faces import touched

Array = NDArray[np.float64]
CUBE, AT_ORIGIN = Box((1.0, 1.0, 1.0)), np.eye(4)
LYING = "<capsule><radius>0.1</radius><length>0.4</length></capsule>"
CYLINDER = "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>"


def placed(z: float, *, lean: float = 0.0) -> Array:
    """At a height, the axis turned from the vertical by `lean` [rad] towards x."""
    return Pose((0.0, 0.0, z), quat_from_rpy(0.0, lean, 0.0)).matrix()


@pytest.mark.parametrize(("height", "gap"), [(0.7, 0.1), (0.15, -0.45), (0.11, -0.49), (0.05, None), (0.0, None)])
def test_a_ball_counts_as_over_a_face_until_its_lowest_point_is_beyond_the_middle(
    height: float, gap: float | None
) -> None:
    """A cube of edge 1, a ball of radius 0.1: its lowest point passes the middle at a height of 0.1."""
    found = on_face(Sphere(0.1), placed(height), CUBE, AT_ORIGIN)
    assert (found is None) == (gap is None)
    if found is not None:
        assert [point.gap for point in found] == pytest.approx([gap], abs=1e-15)


@pytest.mark.parametrize("height", [0.62, 0.58])
@pytest.mark.parametrize("shape", [Sphere(0.1), Capsule(0.1, 0.3), Cylinder(0.1, 0.3)])
def test_a_contact_point_is_half_way_into_the_gap(shape: Sphere | Capsule | Cylinder, height: float) -> None:
    """The face is at 0.5: between it and the lowest point at height - 0.1, with a gap and with an overlap."""
    found = on_face(shape, placed(height, lean=math.pi / 2), CUBE, AT_ORIGIN)
    assert found
    gap = height - 0.6
    assert [point.gap for point in found] == pytest.approx([gap] * len(found), abs=1e-15)
    assert [point.point[2] for point in found] == pytest.approx([0.5 + 0.5 * gap] * len(found), abs=1e-15)


@pytest.mark.parametrize(("degrees", "on_its_side"), [(40.0, False), (44.0, False), (46.0, True), (50.0, True)])
def test_a_cylinder_that_leans_by_half_a_right_angle_comes_to_lie(degrees: float, on_its_side: bool) -> None:
    """The cosine to the normal at which its side and not its end is taken is 0.7, at 45.6 degrees. On its side, the
    lowest point is at the lower rim: z - l/2 cos - r sin (l = 0.4, r = 0.1)."""
    lean = math.radians(degrees)
    found = on_face(Cylinder(0.1, 0.4), placed(0.8, lean=lean), CUBE, AT_ORIGIN)
    assert found is not None
    assert len(found) == (2 if on_its_side else 4)
    lowest = 0.8 - 0.2 * math.cos(lean) - 0.1 * math.sin(lean)
    assert min(point.gap for point in found) == pytest.approx(lowest - 0.5, abs=1e-15)


def test_a_cylinder_that_stands_on_a_face_has_four_points_of_its_rim() -> None:
    """All in the same height, 0.1 from the middle; with a part of the rim beside the face it has none."""
    found = on_face(Cylinder(0.1, 0.4), placed(0.71), CUBE, AT_ORIGIN)
    assert found is not None
    assert [point.gap for point in found] == pytest.approx([0.01] * 4, abs=1e-15)
    assert [math.hypot(*point.point[:2]) for point in found] == pytest.approx([0.1] * 4, abs=1e-15)
    aside = Pose((0.45, 0.0, 0.71), (0.0, 0.0, 0.0, 1.0)).matrix()
    assert on_face(Cylinder(0.1, 0.4), aside, CUBE, AT_ORIGIN) is None


@pytest.mark.parametrize("few", [faces.FEW_PAIRS, 0])
@pytest.mark.parametrize("joined", [False, True])
def test_links_that_a_joint_connects_do_not_touch(
    write_document: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, joined: bool, few: int
) -> None:
    """A capsule in a box of one model that lets its links touch: as parent and child of a joint they do not; also with
    sorted pairs."""
    monkeypatch.setattr(faces, "FEW_PAIRS", few)
    joint = '<joint name="j" type="ball"><parent>box</parent><child>ball</child></joint>' if joined else ""
    links = solid("box", box_shape("1 1 1")) + solid("ball", LYING, pose="0 0 0.59 0 1.5707963267948966 0")
    text = world(model(links.replace("</link>", "<self_collide>true</self_collide></link>") + joint))
    mechanism = open_document(write_document(text)).mechanism
    solids = {
        number: faces.Solid(index, name, collision, X_BC.matrix())
        for number, (index, (name, X_BC, collision)) in enumerate(
            (index, shape) for index, body in enumerate(mechanism.bodies) for shape in body.collisions()
        )
    }
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    assert len(faces.FaceContacts(solids, mechanism.apart).find(poses, 0.05)) == (0 if joined else 1)


def test_a_rim_knows_its_lowest_point_down_to_a_millionth_of_a_radian(
    write_document: Callable[..., Path],
) -> None:
    """Tilted by 1e-6 rad about the direction at 0.3 rad in the plane, the lowest point of an upright cylinder is on the
    rim across that direction. Any other point of the rim would be 0.03 m away."""
    tilt, about = 1e-6, 0.3
    pose = f"0 0 0.2 {tilt * math.cos(about)!r} {tilt * math.sin(about)!r} 0"
    mechanism = open_document(write_document(world(ground() + model(solid("b", CYLINDER, pose=pose))))).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    table = ExactCollisions(mechanism).find(poses, 0.05)
    assert table is not None
    lowest = table.points[int(np.argmin(table.gaps))]
    # the lower cap is 0.2 m below the centre, and moves against the side to which the axis leans
    across = (0.1 - 0.2 * tilt) * np.array((math.sin(about), -math.cos(about)))
    # rounding of the rotation matrix against the tilt: 1e-16 / 1e-6 of the radius
    assert lowest[:2] == pytest.approx(across, abs=1e-10)


def test_the_document_reads_the_same_by_the_finder(write_document: Callable[..., Path]) -> None:
    """The whole way from a document: the point over the face is half way into the gap there, too."""
    table = touched(write_document(world(ground(0.5) + model(solid("b", ball_shape(0.1), pose="0 0 0.104 0 0 0")))))
    assert table.points[0] == pytest.approx((0.0, 0.0, 0.002), abs=1e-12)
