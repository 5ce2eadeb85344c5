"""Boxes on boxes: found before they touch, with all corners; and how pairs are swept."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.physics.detect.own import OwnContacts
from simulator.physics.narrow.boxes import box_axis
from simulator.session.open.opening import open_document
from simulator.spatial.rotation import matrix_from_quat
from tests.helpers.contact_points import ContactTable, points_of
from tests.physics.solids import ball_shape, box_shape, solid, wall
from tests.physics.worlds import model, world

Array = NDArray[np.float64]
Write = Callable[..., Path]
CUBE = box_shape("0.2 0.2 0.2")


def found(path: Path, reach: float = 0.01, velocities: Array | None = None) -> ContactTable | None:
    """What is found at the start pose of a document."""
    mechanism = open_document(path).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    return points_of(OwnContacts(mechanism), poses, reach, velocities)


def pair(pose: str, *, shape: str = CUBE) -> str:
    """A fixed cube with its top at z = 0.1, and a cube that moves."""
    return world(wall(CUBE, pose="0 0 0 0 0 0") + model(solid("b", shape, pose=pose)))


def gaps(table: ContactTable | None) -> list[float]:
    assert table is not None
    return sorted(table.gaps.tolist())


def test_a_cube_over_a_cube_is_found_by_all_corners_before_it_touches(write_document: Write) -> None:
    table = found(write_document(pair("0.05 0.02 0.203 0 0 0")))
    assert table is not None
    assert table.gaps == pytest.approx([0.003] * 4, abs=1e-15)
    assert np.abs(table.normals[:, 2]) == pytest.approx(np.ones(4))
    corners = {(round(x, 9), round(y, 9)) for x, y, _ in table.points}
    assert corners == {(-0.05, -0.08), (0.1, -0.08), (-0.05, 0.1), (0.1, 0.1)}
    assert table.points[:, 2] == pytest.approx([0.1015] * 4), "half way between both"


def test_cubes_that_are_turned_against_each_other_meet_in_an_octagon(write_document: Write) -> None:
    table = found(write_document(pair(f"0 0 0.2 0 0 {math.pi / 4!r}")))
    assert gaps(table) == pytest.approx([0.0] * 8, abs=1e-12)


def test_a_tilted_cube_tells_the_gap_of_every_corner(write_document: Write) -> None:
    """Tilted by a about y, the lower corners on both sides are 0.2 sin a apart in height."""
    angle = 0.01
    table = found(write_document(pair(f"0 0 0.2012 0 {angle!r} 0")), reach=0.01)
    low = 0.2012 - 0.1 * math.sin(angle) - 0.1 * math.cos(angle) - 0.1
    assert gaps(table)[:2] == pytest.approx([low, low], abs=1e-12)
    assert len(gaps(table)) == 4
    # The corners on the other side are cut where the face below ends, a little inside.
    assert gaps(table)[2:] == pytest.approx([low + 0.2 * math.sin(angle)] * 2, abs=2e-5)


def test_crossed_edges_touch_in_one_point(write_document: Write) -> None:
    """Both cubes stand on an edge, at right angles: the edges are 0.1 sqrt 2 from the middles."""
    quarter, reach = math.pi / 4, 0.1 * math.sqrt(2.0)
    text = world(
        wall(CUBE, pose=f"0 0 0 {quarter!r} 0 0")
        + model(solid("b", CUBE, pose=f"0 0 {2 * reach + 0.002!r} 0 {quarter!r} 0"))
    )
    table = found(write_document(text))
    assert gaps(table) == pytest.approx([0.002], abs=1e-12)
    assert table is not None
    assert table.points[0] == pytest.approx((0, 0, reach + 0.001), abs=1e-9)


def test_a_cube_beside_the_edge_of_another_does_not_touch_it(write_document: Write) -> None:
    assert found(write_document(pair("0.2005 0 0.2005 0 0 0")), reach=1e-3) is None


def test_what_flies_past_an_edge_is_looked_for_where_it_will_be(write_document: Write) -> None:
    """It is beside the lower cube now, and over it when they meet: points are under where it arrives, none without
    the motion."""
    path = write_document(pair("0.22 0 0.22 0 0 0"))
    still, moving = np.zeros((2, 6)), np.zeros((2, 6))
    moving[1, 3:] = (-60.0, 0.0, -30.0)
    own = OwnContacts(open_document(path).mechanism)
    poses = np.array([[0, 0, 0, 0, 0, 0, 1.0], [0.22, 0, 0.22, 0, 0, 0, 1.0]])
    assert own.detect(poses, still, 1e-3) == 0
    count = own.detect(poses, moving, 1e-3)
    assert count == 4
    assert np.abs(own.work.floats[:count, 3:6]) == pytest.approx(np.tile((0, 0, 1.0), (4, 1)), abs=1e-12)


def test_points_keep_their_names_while_boxes_move_a_little(write_document: Write) -> None:
    first = found(write_document(pair("0.05 0.02 0.2 0 0 0")))
    later = found(write_document(pair("0.0501 0.0201 0.2001 0.001 -0.001 0.002")))
    assert first is not None
    assert later is not None
    assert len(set(first.names.tolist())) == 4
    assert set(first.names.tolist()) == set(later.names.tolist())


def test_a_box_inside_another_leaves_by_the_nearest_face(write_document: Write) -> None:
    table = found(write_document(pair("0.05 0 0.18 0 0 0")))
    assert gaps(table) == pytest.approx([-0.02] * 4, abs=1e-12)


def placed(rng: np.random.Generator, middle: Array) -> Array:
    quat = rng.normal(size=4)
    x, y, z, w = (quat / np.linalg.norm(quat)).tolist()
    return np.concatenate((matrix_from_quat((x, y, z, w)).ravel(), middle))


def nearest(A: Array, ha: Array, B: Array, hb: Array) -> float:
    """Distance of two boxes by projections onto one after the other (Cheney and Goldstein 1959)."""
    point = A[9:]
    for _ in range(4000):
        for X, h in ((B, hb), (A, ha)):
            R = X[:9].reshape(3, 3)
            before, point = point, X[9:] + R @ np.clip(R.T @ (point - X[9:]), -h, h)
    return float(np.linalg.norm(point - before))


def test_the_separation_is_never_more_than_the_distance_and_tells_whether_boxes_meet() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        A, B = placed(rng, np.zeros(3)), placed(rng, rng.normal(size=3) * 0.5)
        ha, hb = rng.uniform(0.1, 0.5, size=(2, 3))
        axis, gap, _ = box_axis(A, ha, B, hb, np.zeros(3), 10.0)
        distance = nearest(A, ha, B, hb)
        assert axis >= 0
        assert gap <= distance + 1e-6
        assert (gap > 1e-3) <= (distance > 1e-4)
        assert (gap < -1e-3) <= (distance < 1e-3)


def test_the_sweep_finds_the_same_as_looking_at_all_pairs(write_document: Write) -> None:
    """Balls and boxes at random: as many points as when each pair is asked alone."""
    rng = np.random.default_rng(11)
    shapes = [box_shape("0.1 0.2 0.3"), ball_shape(0.1)]
    parts: list[Any] = []
    for i in range(12):
        x, y, z, a, b, c = (*rng.uniform(-0.25, 0.25, size=3).tolist(), *rng.uniform(-3, 3, size=3).tolist())
        parts.append(model(solid("b", shapes[i % 2], pose=f"{x} {y} {z} {a} {b} {c}"), name=f"m{i}"))
    together = found(write_document(world("".join(parts))))
    alone = 0
    for i in range(12):
        for k in range(i):
            table = found(write_document(world(parts[i] + parts[k])))
            alone += 0 if table is None else len(table.gaps)
    assert together is not None
    assert len(together.gaps) == alone > 20


def test_a_long_box_is_looked_for_only_where_it_is(write_document: Write) -> None:
    """What the sweep compares of a beam of 10 x 0.2 x 0.2 that is turned by 0.3 rad about z: its own extent, not that
    of the ball around it, and the reach to either side; what lies beside it is not measured."""
    beam, reach = "0 0 5 0 0 0.3", 0.02
    bodies = [model(solid("a", box_shape("10 0.2 0.2"), pose=beam)), model(solid("b", ball_shape(0.1)), name="n")]
    mechanism = open_document(write_document(world("".join(bodies)))).mechanism
    own = OwnContacts(mechanism)
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    own.detect_within(poses, reach, np.zeros((len(poses), 6)))
    c, s = math.cos(0.3), math.sin(0.3)
    half = np.array([5.0 * c + 0.1 * s, 5.0 * s + 0.1 * c, 0.1]) + reach
    np.testing.assert_allclose(own.work.high[0] - own.work.low[0], 2.0 * half, rtol=1e-12)
