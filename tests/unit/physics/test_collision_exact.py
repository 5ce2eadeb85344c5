"""Contacts without Bullet: closed forms, beside what Bullet finds for the same shapes; and the names of what has no
closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.bullet import collisions
from simulator.bullet.collisions import BulletCollisions
from simulator.errors import MissingLibraryError
from simulator.mechanism.types import Mechanism
from simulator.physics.contacts.table import ContactTable
from simulator.physics.detect.own import ExactCollisions
from simulator.physics.detect.unfound import KINDS, MOVING_PLANE, is_found, unfound
from simulator.physics.narrow.round import round_points
from simulator.physics.shapes.tables import ContactPoint
from simulator.session.commands import factory
from simulator.session.commands.commands import SetSolver
from simulator.session.open.opening import open_document
from simulator.session.run.client import RunState
from simulator.session.text.settings import SessionSettings
from tests.helpers.local_client import LocalClient
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import model, running, world

Write = Callable[..., Path]
Find = Callable[[Path], ContactTable | None]
CAPSULE = "<capsule><radius>0.1</radius><length>0.4</length></capsule>"
CYLINDER = "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>"
PYRAMID = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
REACH = 0.01
BALL = ball_shape(0.1)
BOX = box_shape("1 1 1")
FLAT = "<plane><normal>0 0 1</normal><size>1 1</size></plane>"


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
    return ExactCollisions(mechanism).detect(poses_of(mechanism), REACH)


def poses_of(mechanism: Mechanism) -> np.ndarray[Any, Any]:
    return np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])


@pytest.fixture
def in_bullet(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], ContactTable | None]:
    """Contacts of a document's start pose by Bullet's narrow phase, of all pairs."""
    monkeypatch.setattr(collisions, "is_found", lambda *_: False)

    def find(path: Path) -> ContactTable | None:
        mechanism = open_document(path).mechanism
        finder = BulletCollisions(mechanism)
        try:
            return finder.find_in_bullet(poses_of(mechanism), REACH)
        finally:
            finder.close()

    return find


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
def test_round_shapes_meet_where_bullet_says(
    write_document: Write, in_bullet: Find, case: tuple[str, str, str, str]
) -> None:
    """Bullet's distances of round shapes are those of their cores, good to single precision in its narrow phase."""
    path = write_document(two(*case))
    ours, theirs = found(path), in_bullet(path)
    assert ours is not None
    assert theirs is not None
    assert len(ours.gaps) == len(theirs.gaps) == 1
    turned = -1.0 if tuple(ours.bodies[0]) != tuple(theirs.bodies[0]) else 1.0
    assert sorted(ours.bodies[0]) == sorted(theirs.bodies[0])
    assert ours.gaps == pytest.approx(theirs.gaps, abs=1e-5)
    assert ours.points[0] == pytest.approx(theirs.points[0], abs=1e-5)
    assert ours.normals[0] == pytest.approx(turned * theirs.normals[0], abs=1e-4)


@pytest.mark.parametrize(
    ("at", "away"),
    [("0.56 0.1 0.58 0 0 0", (0.06, 0.0, 0.08)), ("0.55 -0.56 0.56 0 0 0", (0.05, -0.06, 0.06))],
    ids=["edge", "corner"],
)
def test_a_ball_touches_edges_and_corners(
    write_document: Write, in_bullet: Find, at: str, away: tuple[float, float, float]
) -> None:
    """`away` is the way from the edge to the middle of the ball. Bullet rounds edges by its margin: it is within a
    millimetre."""
    path = write_document(two(BALL, at, BOX))
    ours, theirs = found(path), in_bullet(path)
    assert ours is not None
    assert theirs is not None
    distance = math.hypot(*away)
    assert ours.gaps == pytest.approx([distance - 0.1])
    assert ours.normals[0] == pytest.approx(np.array(away) / distance)
    assert ours.gaps == pytest.approx(theirs.gaps, abs=1e-3)


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


def test_every_kind_of_shape_is_known() -> None:
    """All but planes that move, which are found over what is fixed only where that is a plane."""
    pairs = list(combinations_with_replacement(KINDS, 2))
    assert {(a, b): is_found(a, b) for a, b in pairs} == {(a, b): is_found(b, a) for a, b in pairs}
    missed = {pair for pair in pairs if not is_found(*pair)}
    assert missed == {pair for pair in pairs if MOVING_PLANE in pair and "plane" not in pair}


def test_pairs_that_are_not_found_are_counted_and_the_first_is_named(write_document: Write) -> None:
    crates = "".join(model(solid("crate", BOX, pose=f"{3 * i} 0 3 0 0 0"), name=f"m{i}") for i in range(3))
    raft = model(solid("flat", FLAT), name="raft")
    missed = unfound(open_document(write_document(world(ground() + crates + raft))).mechanism)
    assert str(missed) == "the box of 'm0::crate' and the plane that moves of 'raft::flat' (and 2 more pairs)"


def test_fixed_meshes_are_found_with_all_convex_shapes(write_document: Write, tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text(PYRAMID)
    rock = wall(f"<mesh><uri>{tmp_path / 'm.obj'}</uri></mesh>", pose="0 0 0 0 0 0", name="rock")
    crate = model(solid("crate", BOX, pose="3 0 3 0 0 0"))
    assert unfound(open_document(write_document(world(ground() + rock + crate))).mechanism) is None


def test_what_is_fixed_or_apart_misses_nothing(write_document: Write) -> None:
    walls = wall(BOX, pose="0 0 0 0 0 0", name="w") + wall(BOX, pose="0 0 0.5 0 0 0", name="v")
    ball = model(solid("b", BALL, pose="0 0 3 0 0 0"))
    assert unfound(open_document(write_document(world(ground() + walls + ball))).mechanism) is None


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
    ball, raft = model(solid("a", BALL, pose="0 0 3 0 0 0"), name="one"), model(solid("flat", FLAT), name="raft")
    text = world(ball + raft)
    client = LocalClient(open_document(write_document(text)), SessionSettings())
    try:
        told = client.poll()[1].message
        assert "the sphere of 'one::a' and the plane that moves of 'raft::flat' will pass through" in told
        client.send(SetSolver("gear"))
        status = client.poll()[1]
        assert (status.solver, status.state) == ("rows", RunState.RUNNING)
        assert "PyBullet is not installed" in status.message
    finally:
        client.close()
