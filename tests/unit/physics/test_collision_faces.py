"""Contacts of round shapes with the faces of boxes, and with their edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.physics.detect.own import OwnContacts
from simulator.session.open.opening import open_document
from tests.helpers.contact_points import ContactTable, points_of
from tests.physics.solids import ball_shape, box_shape, solid, wall
from tests.physics.worlds import model, world

Write = Callable[..., Path]
CAPSULE = "<capsule><radius>0.1</radius><length>0.4</length></capsule>"
CYLINDER = "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>"
ON_ITS_SIDE = f"0 {math.pi / 2!r} 0"
TILT = 0.01


def touched(path: Path, reach: float = 0.01) -> ContactTable:
    """Contacts of a document's start pose; there is one."""
    mechanism = open_document(path).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    table = points_of(OwnContacts(mechanism), poses, reach)
    assert table is not None
    return table


def over_a_box(shape: str, pose: str, size: str = "2 2 1") -> str:
    """A shape over a box whose upper face is z = 0."""
    box = wall(box_shape(size), pose="0 0 -0.5 0 0 0", mu=0.5)
    return world(box + model(solid("b", shape, pose=pose, mu=0.3)))


@pytest.mark.parametrize(
    ("shape", "pose", "size", "points", "gaps"),
    [
        (ball_shape(0.1), "0.3 -0.2 0.104 0 0 0", "2 2 1", [(0.3, -0.2)], [0.004]),
        (CYLINDER, f"0.1 0.2 0.099 {ON_ITS_SIDE}", "2 2 1", [(-0.1, 0.2), (0.3, 0.2)], [-0.001, -0.001]),
        (CAPSULE, f"0.1 0.2 0.102 {ON_ITS_SIDE}", "2 2 1", [(-0.1, 0.2), (0.3, 0.2)], [0.002, 0.002]),
        # Longer than the face: cut to it, and the gaps of a tilted one are those over the edges.
        (CYLINDER, f"0 0 0.101 {ON_ITS_SIDE}", "0.2 1 1", [(-0.1, 0.0), (0.1, 0.0)], [0.001, 0.001]),
        (
            CYLINDER,
            f"0 0 {0.1 / math.cos(TILT) + 0.003!r} 0 {math.pi / 2 + TILT!r} 0",
            "0.2 1 1",
            [(-0.1, 0.0), (0.1, 0.0)],
            [0.003 + 0.1 * math.tan(TILT), 0.003 - 0.1 * math.tan(TILT)],
        ),
    ],
)
def test_places_and_gaps(
    write_document: Write, shape: str, pose: str, size: str, points: list[tuple[float, float]], gaps: list[float]
) -> None:
    """The lowest point or line, cut to the face, with the face's own normal; the centre of the rounding is a radius
    above."""
    table = touched(write_document(over_a_box(shape, pose, size)))
    order = np.argsort(table.points[:, 0])
    assert table.points[order, :2] == pytest.approx(np.array(points), abs=2e-5)
    assert table.gaps[order] == pytest.approx(np.array(gaps), abs=1e-9)
    assert table.normals == pytest.approx(np.array([(0.0, 0.0, 1.0)] * len(gaps)), abs=1e-15)
    assert table.bodies.tolist() == [[1, 0]] * len(gaps)
    assert table.friction == pytest.approx(0.3)
    assert table.centres[:, 2] - table.gaps == pytest.approx(0.1, abs=1e-5)


def test_a_turned_box_keeps_its_face(write_document: Write) -> None:
    """A ball over the side of a box that leans: the normal is the box's, to the last digits."""
    angle = 0.7
    normal = np.array((math.sin(angle), 0.0, math.cos(angle)))
    place = " ".join(repr(float(v)) for v in 0.62 * normal)
    box = wall(box_shape("1 1 1"), pose=f"0 0 0 0 {angle!r} 0")
    table = touched(write_document(world(box + model(solid("b", ball_shape(0.115), pose=f"{place} 0 0 0")))))
    assert table.normals[0] == pytest.approx(normal, abs=1e-14)
    assert table.gaps == pytest.approx([0.005], abs=1e-12)


def test_the_round_one_may_stand_still_and_the_box_move(write_document: Write) -> None:
    """The first body is the round one then too, the world here, and the normal points to it."""
    box = model(solid("b", box_shape("1 1 1"), pose="0 0 -0.501 0 0 0"), name="box")
    table = touched(write_document(world(wall(ball_shape(0.1), pose="0 0 0.1 0 0 0") + box)))
    assert table.bodies.tolist() == [[0, 1]]
    assert table.normals == pytest.approx(np.array([(0.0, 0.0, 1.0)]), abs=1e-14)
    assert table.gaps == pytest.approx([0.001], abs=1e-12)


@pytest.mark.parametrize(
    ("shape", "pose", "gap", "rounded"),
    [
        # the ball's middle is 0.06 beside the face and 0.07 above
        (ball_shape(0.1), "1.06 0 0.07 0 0 0", math.hypot(0.06, 0.07) - 0.1, True),
        (CYLINDER, "0.98 0 0.2 0 0 0", 0.0, False),
        # its axis along the edge, 0.05 beside it and 0.08 above
        (CYLINDER, f"1.05 0 0.08 {math.pi / 2!r} 0 0", math.hypot(0.05, 0.08) - 0.1, True),
    ],
)
def test_edges(write_document: Write, shape: str, pose: str, gap: float, rounded: bool) -> None:
    """Beside the face there is no rounding over it, and no centre; a cylinder on its end at the edge is still over it,
    with points of its end."""
    table = touched(write_document(over_a_box(shape, pose)))
    assert np.isnan(table.centres).all() == rounded
    # the direction from an edge to a round side converges to 1e-8, the gap with its square
    assert table.gaps == pytest.approx([gap] * len(table.gaps), abs=1e-9)
