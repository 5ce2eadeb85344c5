"""Round shapes over faces of boxes and rims over planes, shape by shape: where the closed form holds, and what it
gives."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.physics.detect.own import OwnContacts
from simulator.session.open.opening import open_document
from tests.helpers.contact_points import ContactTable, points_of
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import model, world
from tests.unit.physics.test_collision_faces import touched

LYING = "<capsule><radius>0.1</radius><length>0.4</length></capsule>"
CYLINDER = "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>"
SHORT = {
    "ball": ball_shape(0.1),
    "capsule": "<capsule><radius>0.1</radius><length>0.3</length></capsule>",
    "cylinder": "<cylinder><radius>0.1</radius><length>0.3</length></cylinder>",
}


def over_a_cube(shape: str, z: float, *, lean: float = 0.0, x: float = 0.0) -> ContactTable:
    """A shape above the middle of a cube of edge 1, the axis turned from the vertical by `lean` [rad] towards x."""
    placed = model(solid("b", shape, pose=f"{x!r} 0 {z!r} 0 {lean!r} 0"))
    text = world(wall(box_shape("1 1 1"), pose="0 0 0 0 0 0") + placed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "world.sdf")
        path.write_text(text, encoding="utf-8")
        mechanism = open_document(path).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    table = points_of(OwnContacts(mechanism), poses, 0.5)
    assert table is not None
    return table


@pytest.mark.parametrize(("height", "gap"), [(0.7, 0.1), (0.15, -0.45), (0.11, -0.49), (0.05, -0.55)])
def test_a_ball_leaves_a_cube_by_the_face_that_is_nearest(height: float, gap: float) -> None:
    assert over_a_cube(ball_shape(0.1), height).gaps == pytest.approx([gap], abs=1e-15)


@pytest.mark.parametrize("height", [0.62, 0.58])
@pytest.mark.parametrize("shape", list(SHORT))
def test_a_contact_point_is_half_way_into_the_gap(shape: str, height: float) -> None:
    """The face is at 0.5: between it and the lowest point at height - 0.1, with a gap and with an overlap."""
    table, gap = over_a_cube(SHORT[shape], height, lean=math.pi / 2), height - 0.6
    assert table.gaps == pytest.approx([gap] * len(table.gaps), abs=1e-15)
    assert table.points[:, 2] == pytest.approx([0.5 + 0.5 * gap] * len(table.gaps), abs=1e-15)


@pytest.mark.parametrize(("degrees", "on_its_side"), [(40.0, False), (44.0, False), (46.0, True), (50.0, True)])
def test_a_cylinder_that_leans_by_half_a_right_angle_comes_to_lie(degrees: float, on_its_side: bool) -> None:
    """The cosine to the normal at which its side and not its end is taken is 0.7, at 45.6 degrees. On its side, the
    lowest point is at the lower rim: z - l/2 cos - r sin (l = 0.4, r = 0.1)."""
    lean = math.radians(degrees)
    table = over_a_cube(CYLINDER, 0.8, lean=lean)
    assert len(table.gaps) == (2 if on_its_side else 4)
    lowest = 0.8 - 0.2 * math.cos(lean) - 0.1 * math.sin(lean)
    assert table.gaps.min() == pytest.approx(lowest - 0.5, abs=1e-15)


def test_a_cylinder_that_stands_on_a_face_has_four_points_of_its_rim() -> None:
    """All in the same height, 0.1 from the middle, and what they turn about is known; with a part of the rim beside the
    face it has points of what lies over it, which stay on the end of the cylinder."""
    table = over_a_cube(CYLINDER, 0.71)
    assert table.gaps == pytest.approx([0.01] * 4, abs=1e-15)
    assert np.hypot(table.points[:, 0], table.points[:, 1]) == pytest.approx([0.1] * 4, abs=1e-15)
    assert not np.isnan(table.centres).any()
    aside = over_a_cube(CYLINDER, 0.71, x=0.45)
    assert aside.gaps == pytest.approx([0.01] * len(aside.gaps), abs=1e-12)
    assert aside.centres[:, 2] == pytest.approx([0.51] * len(aside.gaps), abs=1e-12)
    assert aside.centres[:, :2] == pytest.approx(aside.points[:, :2], abs=1e-12)


@pytest.mark.parametrize("joined", [False, True])
def test_links_that_a_joint_connects_do_not_touch(write_document: Callable[..., Path], joined: bool) -> None:
    """A capsule on a box of one model that lets its links touch: as parent and child of a joint they do not."""
    joint = '<joint name="j" type="ball"><parent>box</parent><child>ball</child></joint>' if joined else ""
    links = solid("box", box_shape("1 1 1")) + solid("ball", LYING, pose="0 0 0.59 0 1.5707963267948966 0")
    text = world(model(links.replace("</link>", "<self_collide>true</self_collide></link>") + joint))
    mechanism = open_document(write_document(text)).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    assert (points_of(OwnContacts(mechanism), poses, 0.05) is None) == joined


def test_a_rim_knows_its_lowest_point_down_to_a_millionth_of_a_radian(
    write_document: Callable[..., Path],
) -> None:
    """Tilted by 1e-6 rad about the direction at 0.3 rad in the plane, the lowest point of an upright cylinder is on the
    rim across that direction. Any other point of the rim would be 0.03 m away."""
    tilt, about = 1e-6, 0.3
    pose = f"0 0 0.2 {tilt * math.cos(about)!r} {tilt * math.sin(about)!r} 0"
    mechanism = open_document(write_document(world(ground() + model(solid("b", CYLINDER, pose=pose))))).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    table = points_of(OwnContacts(mechanism), poses, 0.05)
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
