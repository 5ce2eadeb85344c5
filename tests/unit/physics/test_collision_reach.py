"""How far contacts are looked for: as far as what could meet within a few steps is fast, and no further."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.physics.detect.detect import NEAR, STEPS_AHEAD
from simulator.physics.detect.own import OwnContacts
from simulator.session.open.opening import open_document
from tests.physics.solids import ball_shape, box_shape, ground, solid, wall
from tests.physics.worlds import model, world

Write = Callable[..., Path]
DT, APART, FAST = 1e-3, 0.01, 20.0
"""The step [s], what the first two balls are apart [m], and how fast the third is [m/s]: it comes 0.08 m in four
steps."""
BALL = ball_shape(0.1)


def pairs(path: Path, fast: int, *, loose: bool = True) -> set[frozenset[int]]:
    """Bodies between which contacts are looked at, 0 for the world, where the body with the number `fast` moves along
    x."""
    mechanism = open_document(path).mechanism
    own, count = OwnContacts(mechanism), len(mechanism.bodies)
    free = np.full(count, loose)
    free[0] = False
    own.put_on(np.arange(-1, count - 1), free)
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    velocities = np.zeros((count, 6))
    velocities[fast, 3] = FAST
    found = own.detect(poses, velocities, DT)
    assert own.work.reach.max() == pytest.approx(NEAR + STEPS_AHEAD * DT * FAST, rel=1e-12)
    return {frozenset(pair) for pair in own.work.ints[:found, 2:4].tolist()}


def balls(*places: float) -> str:
    """Balls of radius 0.1 on a line along x, one body each."""
    return "".join(model(solid("b", BALL, pose=f"{x!r} 0 1 0 0 0"), name=f"m{k}") for k, x in enumerate(places))


def test_two_that_rest_are_not_looked_at_because_another_is_fast(write_document: Write) -> None:
    path = write_document(world(balls(0.0, 0.2 + APART, 5.0)))
    assert pairs(path, 3) == set()


def test_what_is_about_to_be_hit_may_hit_the_next_one(write_document: Write) -> None:
    """The third comes from 0.05 m away; the second, once hit, is 0.01 m before the first."""
    path = write_document(world(balls(0.0, 0.2 + APART, 0.4 + APART + 0.05)))
    assert pairs(path, 3) == {frozenset({1, 2}), frozenset({2, 3})}


def test_the_world_passes_nothing_on(write_document: Write) -> None:
    """A long wall under all of them, 0.5 mm away: the fast one is near it, and so are the two that rest."""
    floor = wall("<box><size>20 1 1</size></box>", pose="0 0 0.3995 0 0 0")
    path = write_document(world(floor + balls(0.0, 0.2 + APART, 5.0)))
    assert pairs(path, 3) == {frozenset({0, 1}), frozenset({0, 2}), frozenset({0, 3})}


def test_a_plane_is_as_near_as_a_body_is_fast(write_document: Write) -> None:
    """All are 0.05 m over the ground; only the fast one could be there within four steps."""
    text = ground() + balls(0.0, 1.0, 5.0).replace(" 0 1 0 0 0", " 0 0.15 0 0 0")
    assert pairs(write_document(world(text)), 3) == {frozenset({0, 3})}


def test_joints_pass_on_what_one_of_their_bodies_gets(write_document: Write) -> None:
    """Bodies that are connected are looked at alike, wherever they are: a blow on one moves the others in the same
    step."""
    path = write_document(world(balls(0.0, 0.2 + APART, 5.0)))
    assert pairs(path, 3, loose=False) == {frozenset({1, 2})}


@pytest.mark.parametrize("closing", [0.0, 5e-12])
def test_boxes_that_touch_but_for_rounding_touch_now(write_document: Write, closing: float) -> None:
    """One falls past the other at 2 m/s: 0.9 mm of their faces are still beside each other, less than a step takes it.
    Until 6e-14 m are closed at 5e-12 m/s it would be gone."""
    box = box_shape("0.2 0.2 0.2")
    parts = model(solid("b", box, pose="0 0 1 0 0 0"), name="m0") + model(
        solid("b", box, pose="0.2 0 1 0 0 0"), name="m1"
    )
    mechanism = open_document(write_document(world(parts))).mechanism
    own = OwnContacts(mechanism)
    own.put_on(np.arange(-1, 2), np.array([False, True, True]))
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies])
    poses[1, 0] -= 6e-14
    poses[1, 2] -= 0.1991
    velocities = np.zeros((3, 6))
    velocities[1, 3:] = closing, 0.0, -2.0
    assert own.detect(poses, velocities, DT) == 4
