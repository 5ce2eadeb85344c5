"""Strategy `rows`: loose bodies that rest are left alone beside mechanisms with joints and loops, too, until something
touches them; what rests on a mechanism goes along with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from tests.physics.axes import moving
from tests.physics.solids import box_shape, ground, solid
from tests.physics.test_rows_contact_beside_loops import FOUR_BAR, OPEN
from tests.physics.worlds import joint, link, make_steps, model, running, world

Write = Callable[..., Path]
G = 9.8
BESIDE = {"two pendulums": OPEN, "a four-bar": FOUR_BAR}


def cube(name: str, *, x: float = 0.0, z: float, edge: float = 0.1, mu: float = 0.0) -> str:
    """A loose cube of 1 kg."""
    moment = repr(edge * edge / 6.0)
    body = solid(
        "b",
        box_shape(f"{edge!r} {edge!r} {edge!r}"),
        inertia=" ".join([moment] * 3),
        pose=f"{x!r} 0 {z!r} 0 0 0",
        mu=mu,
    )
    return model(body, name=name)


def slider(name: str, axis: str, size: str, pose: str, mu: float) -> str:
    """A box on a rail along an axis of the world."""
    body = solid(name, box_shape(size), mass=2.0, inertia="0.01 0.01 0.01", pose=pose, mu=mu)
    return model(body, joint(f"{name}_rail", "prismatic", name, axis=axis), name=name)


def bodies_of(engine: Engine, *models: str) -> list[int]:
    found = engine.mechanism.link_bodies()
    return [found[f"{name}::b"] for name in models]


@pytest.mark.parametrize("beside", BESIDE)
def test_what_rests_is_left_alone_until_it_is_hit(beside: str, write_document: Write) -> None:
    """A stack of two rests without friction while a third cube slides towards it for 0.2 s, and bars swing five metres
    away: not a bit of it moves, and its contacts still carry it. Then the lower one takes half of the velocity of
    what hits it, m v = 2 m v / 2, and the upper one, which nothing pulls along, none."""
    text = cube("c", x=-0.3, z=0.05) + cube("a", z=0.05) + cube("b", z=0.14, edge=0.08) + BESIDE[beside]
    with running(write_document(world(ground(0.0) + text)), dt=1e-3) as engine:
        cubes, stack = bodies_of(engine, "c", "a", "b"), bodies_of(engine, "a", "b")
        moving(engine, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
        start = engine.snapshot().body_poses[stack]
        make_steps(engine, 190)
        waiting = engine.snapshot()
        assert np.array_equal(waiting.body_poses[stack], start)
        assert not waiting.body_velocities[stack].any()
        on_ground = sum(contact.force for contact in engine.contacts() if contact.bodies == (stack[0], 0))
        assert on_ground == pytest.approx(2.0 * G, rel=1e-9)
        make_steps(engine, 30)
        assert engine.snapshot().body_velocities[cubes, 3] == pytest.approx((0.5, 0.5, 0.0), abs=1e-9)


def test_a_paddle_wakes_what_rests(write_document: Write) -> None:
    """A paddle that is driven at 0.5 m/s comes to a cube at rest, 0.1 m away, after 0.2 s, and pushes it along: not a
    bit moves before, and it is at the paddle's face from then on."""
    paddle = slider("paddle", "1 0 0", "0.02 0.1 0.1", "-0.16 0 0.06 0 0 0", 0.0)
    text = world(ground(0.0) + cube("a", z=0.05) + paddle)
    with running(write_document(text), dt=1e-3, drives=("paddle_rail=velocity:0.5",)) as engine:
        (body,) = bodies_of(engine, "a")
        rail = engine.mechanism.axis_index("paddle_rail")
        start = engine.snapshot().body_poses[body]
        make_steps(engine, 195)
        assert np.array_equal(engine.snapshot().body_poses[body], start)
        for _ in range(4):
            make_steps(engine, 50)
            snapshot = engine.snapshot()
            assert snapshot.body_velocities[body, 3] == pytest.approx(0.5, abs=1e-9)
            assert snapshot.body_poses[body, 0] == pytest.approx(snapshot.position[rail] - 0.1, abs=1e-8)


def test_what_rests_on_a_lift_goes_up_with_it(write_document: Write) -> None:
    """Two cubes on a platform that is held for half a second and then goes up: nothing is left behind, nor floats. What
    lies on a mechanism never rests, however still it is."""
    platform = slider("lift", "0 0 1", "0.4 0.4 0.02", "0 0 0.5 0 0 0", 0.5)
    cubes = cube("a", z=0.56, mu=0.5) + cube("b", z=0.66, mu=0.5)
    drive = "lift_rail=position:step(0, 0.1, 0.5)"
    with running(write_document(world(ground(0.5) + cubes + platform)), dt=1e-3, drives=(drive,)) as engine:
        a, b = bodies_of(engine, "a", "b")
        rail = engine.mechanism.axis_index("lift_rail")
        for _ in range(20):
            make_steps(engine, 100)
            snapshot = engine.snapshot()
            if snapshot.time < 0.45 or snapshot.time > 1.5:
                height = snapshot.position[rail]
                assert snapshot.body_poses[[a, b], 2] - height == pytest.approx((0.56, 0.66), abs=1e-9)
        assert height == pytest.approx(0.1, abs=1e-3)


def test_bars_beside_what_rests_swing_as_without_it(write_document: Write) -> None:
    """Nothing of theirs changes by more than rounding while cubes fall, come to rest and lie."""
    ends = []
    for cubes in ("", cube("a", z=0.06, mu=0.5) + cube("b", z=0.2, mu=0.5)):
        with running(write_document(world(ground(0.5) + cubes + OPEN)), dt=1e-3) as engine:
            make_steps(engine, 1500)
            ends.append(engine.snapshot().position)
    np.testing.assert_allclose(*ends, atol=1e-11)


def test_what_carries_a_pendulum_never_rests(write_document: Write) -> None:
    """A link that only contacts and its weight act on may be left alone; one that carries a pendulum may not: the floor
    feels the pendulum swing, though the carrier does not move."""
    cart = solid("b", box_shape("0.4 0.4 0.1"), mass=20.0, inertia="0.3 0.3 0.5", pose="0 0 0.05 0 0 0", mu=1.0)
    bob = link("bob", mass=0.5, inertia="0.001 0.001 0.001", pose="0 0 0.3 0 0 0", com="0.1 0 0")
    text = world(ground(1.0) + model(cart, bob, joint("j", "revolute", "bob", parent="b", axis="0 1 0"), name="cart"))
    with running(write_document(text), dt=1e-3) as engine:
        forces = []
        for _ in range(40):
            make_steps(engine, 10)
            forces.append(sum(contact.force for contact in engine.contacts()))
    assert np.ptp(forces) > 1.0
