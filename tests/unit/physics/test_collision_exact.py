"""Contacts of round shapes: closed forms, beside what Bullet finds for the same shapes; and worlds without Bullet."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from simulator.errors import MissingLibraryError
from simulator.physics.detect.own import OwnContacts
from simulator.physics.narrow.round import round_points
from simulator.session.commands import factory
from simulator.session.commands.commands import SetSolver
from simulator.session.open.opening import open_document
from simulator.session.run.client import RunState
from simulator.session.text.settings import SessionSettings
from tests.helpers.contact_points import ContactTable, bullet_points, points_of
from tests.helpers.local_client import LocalClient
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import model, running, world

Write = Callable[..., Path]
CAPSULE = "<capsule><radius>0.1</radius><length>0.4</length></capsule>"
CYLINDER = "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>"
REACH = 0.01
BALL = ball_shape(0.1)
BOX = box_shape("1 1 1")


class ContactPoint(NamedTuple):
    """`gap` [m] along the `normal` towards the first body, and the `point` half way into it."""

    point: np.ndarray[Any, Any]
    normal: np.ndarray[Any, Any]
    gap: float


def between(
    first: np.ndarray[Any, Any], first_radius: float, second: np.ndarray[Any, Any], second_radius: float
) -> list[ContactPoint]:
    """Where two segments, ends of shape (2, 3) each, rounded by their radii [m], are nearest."""
    placed, sizes, out = [], [], np.zeros((4, 18))
    for ends, radius in ((first, first_radius), (second, second_radius)):
        half = 0.5 * float(np.linalg.norm(ends[1] - ends[0]))
        axis = (ends[1] - ends[0]) / (2.0 * half)
        across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        across /= np.linalg.norm(across)
        R = np.column_stack((across, np.cross(axis, across), axis))
        placed.append(np.concatenate((R.ravel(), ends.mean(axis=0))))
        sizes.append(np.array([radius, half, 0.0]))
    count = round_points(placed[0], sizes[0], placed[1], sizes[1], out)
    return [ContactPoint(row[:3].copy(), row[3:6].copy(), float(row[6])) for row in out[:count]]


def found(path: Path) -> ContactTable | None:
    """Contacts of a document's start pose by geometry of our own."""
    mechanism = open_document(path).mechanism
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    return points_of(OwnContacts(mechanism), poses, REACH)


def two(first: str, at: str, second: str, its: str = "0 0 0 0 0 0") -> str:
    """Two free bodies of one shape each."""
    return world(model(solid("a", first, pose=at), name="one") + model(solid("b", second, pose=its), name="other"))


CROSSED = f"0.05 0.02 0.203 {math.pi / 2!r} 0 0"
PAIRS = {
    "balls": (BALL, "0.119 0.16 0.001 0 0 0", BALL, "0 0 0 0 0 0"),
    "balls that overlap": (BALL, "0.1 0.15 0.05 0 0 0", BALL, "0 0 0 0 0 0"),
    "a ball on the side of a capsule": (BALL, "0.12 0.16 0.07 0 0 0", CAPSULE, "0 0 0 0 0 0"),
    "a ball on the end of a capsule": (BALL, "0.1 0.05 0.36 0 0 0", CAPSULE, "0 0 0 0 0 0"),
    "crossed capsules": (CAPSULE, CROSSED, CAPSULE, f"0 0 0 0 {math.pi / 2!r} 0"),
}


@pytest.mark.parametrize("case", PAIRS.values(), ids=list(PAIRS))
def test_round_shapes_meet_where_bullet_says(write_document: Write, case: tuple[str, str, str, str]) -> None:
    """Bullet's distances of round shapes are those of their cores, good to single precision in its narrow phase."""
    path = write_document(two(*case))
    ours = found(path)
    ((bodies, point, normal, gap),) = bullet_points(open_document(path).mechanism, REACH)
    assert ours is not None
    turned = -1.0 if tuple(ours.bodies[0]) != bodies else 1.0
    assert sorted(ours.bodies[0]) == sorted(bodies)
    assert ours.gaps == pytest.approx([gap], abs=1e-5)
    assert ours.points[0] == pytest.approx(point, abs=1e-5)
    assert ours.normals[0] == pytest.approx(turned * normal, abs=1e-4)


@pytest.mark.parametrize(
    ("at", "away"),
    [("0.56 0.1 0.58 0 0 0", (0.06, 0.0, 0.08)), ("0.55 -0.56 0.56 0 0 0", (0.05, -0.06, 0.06))],
    ids=["edge", "corner"],
)
def test_a_ball_touches_edges_and_corners(write_document: Write, at: str, away: tuple[float, float, float]) -> None:
    """`away` is the way from the edge to the middle of the ball. Bullet rounds edges by its margin: it is within a
    millimetre."""
    path = write_document(two(BALL, at, BOX))
    ours = found(path)
    ((*_, gap),) = bullet_points(open_document(path).mechanism, REACH)
    assert ours is not None
    distance = math.hypot(*away)
    assert ours.gaps == pytest.approx([distance - 0.1])
    assert ours.normals[0] == pytest.approx(np.array(away) / distance)
    assert ours.gaps == pytest.approx([gap], abs=1e-3)


@pytest.mark.parametrize(
    ("second", "parts"),
    [
        ([(-1, 0, 0.3), (3, 0, 0.3)], [(0.0, 0.25), (1.0, 0.5)]),  # beside all of the first
        ([(0.5, 0, 0.3), (3, 0, 0.3)], [(0.5, 0.0), (1.0, 0.2)]),  # beside a half of it
        ([(2, 0, 0.0), (3, 0, 0.0)], [(1.0, 0.0)]),  # behind its end
    ],
)
def test_parallel_segments_touch_at_both_ends_of_what_they_share(
    second: list[tuple[float, float, float]], parts: list[tuple[float, float]]
) -> None:
    first, other = np.array([(0.0, 0, 0), (1.0, 0, 0)]), np.array(second, dtype=float)
    points = between(first, 0.1, other, 0.1)
    assert len(points) == len(parts)
    for point, (s, t) in zip(points, parts, strict=True):
        a, b = first[0] + s * (first[1] - first[0]), other[0] + t * (other[1] - other[0])
        assert point.gap == pytest.approx(np.linalg.norm(a - b) - 0.2)
        assert point.point == pytest.approx((a + b) / 2)


def test_segments_that_cross_are_pushed_apart_squarely() -> None:
    first = np.array([(-1.0, 0, 0), (1.0, 0, 0)])
    (point,) = between(first, 0.1, first[:, [1, 0, 2]], 0.2)
    assert abs(point.normal) == pytest.approx((0, 0, 1))
    assert point.gap == pytest.approx(-0.3)


def test_the_nearest_points_of_two_segments_are_nearer_than_any_others() -> None:
    """Against all pairs of points of a fine grid along both."""
    rng = np.random.default_rng(7)
    along = np.linspace(0.0, 1.0, 101)[:, None]
    for _ in range(50):
        first, second = rng.normal(size=(2, 2, 3))
        points = [ends[0] + along * (ends[1] - ends[0]) for ends in (first, second)]
        nearest = np.linalg.norm(points[0][:, None] - points[1][None], axis=2).min()
        gap = min(point.gap for point in between(first, 0.0, second, 0.0))
        assert nearest - 0.03 < gap <= nearest + 1e-12


def test_a_ball_in_a_box_leaves_by_the_nearest_face(write_document: Write) -> None:
    table = found(write_document(two(BALL, "0.1 0.45 -0.2 0 0 0", BOX)))
    assert table is not None
    assert table.gaps == pytest.approx([-0.15])
    assert table.normals[0] == pytest.approx((0, 1, 0), abs=1e-12)


@pytest.fixture
def without_bullet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factory, "bullet_is_missing", lambda: True)


@pytest.mark.usefixtures("without_bullet")
def test_a_ball_on_the_edge_of_a_box_and_a_crate_on_a_plane_stay_where_they_are(write_document: Write) -> None:
    """Put exactly where they touch, both move by what contacts give at most: a micrometre."""
    ball = model(solid("ball", BALL, pose="0.5 0 0.6 0 0 0", inertia="0.004 0.004 0.004"), name="b")
    crate = model(solid("crate", BOX, pose="5 0 0.5 0 0 0"), name="c")
    text = world(ground() + wall(BOX, pose="0 0 0 0 0 0") + ball + crate)
    with running(write_document(text)) as engine:
        before = engine.snapshot().body_poses.copy()
        for _ in range(300):
            engine.step()
        assert engine.snapshot().body_poses[:, :3] == pytest.approx(before[:, :3], abs=1e-6)
        assert len(engine.contacts()) >= 5


@pytest.mark.usefixtures("without_bullet")
def test_balls_of_equal_mass_exchange_their_velocities(write_document: Write) -> None:
    """Central elastic impact: m v is handed on whole (Huygens 1669)."""
    shape = {"inertia": "0.004 0.004 0.004", "mu": 0.0, "restitution": 1.0}
    slide = (
        '<joint name="{0}" type="prismatic"><parent>world</parent><child>{0}</child><axis><xyz>1 0 0</xyz>'
        "</axis></joint>"
    )
    balls = solid("a", BALL, **shape) + solid("b", BALL, pose="0.25 0 0 0 0 0", **shape)  # type: ignore[arg-type]
    pair = model(balls, slide.format("a"), slide.format("b"), "<self_collide>true</self_collide>")
    with running(write_document(world(pair, gravity="0 0 0")), velocity=("a_joint=1",)) as engine:
        for _ in range(100):
            engine.step()
        assert engine.snapshot().velocity == pytest.approx([0.0, 1.0], abs=1e-9)


@pytest.mark.usefixtures("without_bullet")
def test_gear_is_refused_with_a_way_to_get_it(write_document: Write) -> None:
    opened = open_document(write_document(two(BALL, "0 0 3 0 0 0", BALL)))
    with pytest.raises(MissingLibraryError, match=r"pip install pybullet.*rows and reduced do without"):
        factory.make_engine(opened, SessionSettings(solver="gear"))


@pytest.mark.usefixtures("without_bullet")
def test_a_running_simulation_that_is_asked_for_gear_says_why_not_and_goes_on(write_document: Write) -> None:
    text = world(model(solid("a", BALL, pose="0 0 3 0 0 0"), name="one"))
    client = LocalClient(open_document(write_document(text)), SessionSettings())
    try:
        client.send(SetSolver("gear"))
        status = client.poll()[1]
        assert (status.solver, status.state) == ("rows", RunState.RUNNING)
        assert "PyBullet is not installed" in status.message
    finally:
        client.close()
