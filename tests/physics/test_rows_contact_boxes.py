"""Strategy `rows` where boxes stand on, hit and slide on boxes: stacks, impacts at speed, ratios of masses, the edge of
the cone."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.engine.snapshot import Extremes
from tests.physics.axes import moving
from tests.physics.solids import box_shape, ground, solid, wall
from tests.physics.worlds import make_steps, model, running, world

Write = Callable[..., Path]
G = 9.8


def cube(name: str, *, x: float = 0.0, z: float, mass: float = 1.0, edge: float = 0.1, mu: float = 0.5) -> str:
    """A loose cube; a homogeneous one has m a² / 6 about every axis."""
    moment = mass * edge * edge / 6.0
    shape = box_shape(f"{edge!r} {edge!r} {edge!r}")
    inertia = f"{moment!r} {moment!r} {moment!r}"
    return model(solid("b", shape, mass=mass, inertia=inertia, pose=f"{x!r} 0 {z!r} 0 0 0", mu=mu), name=name)


def stack(count: int) -> str:
    return world(ground(0.5) + "".join(cube(f"c{i}", z=0.05 + 0.1 * i) for i in range(count)))


def run(engine: Engine, duration: float) -> None:
    """By blocks of steps, as a user's run goes."""
    left, worst = round(duration / engine.dt), Extremes()
    while left:
        left -= engine.advance(left, worst)[0]


@pytest.mark.parametrize("count", [3, 10, 30])
def test_a_stack_stands_and_every_cube_carries_what_is_above_it(write_document: Write, count: int) -> None:
    """For ten seconds. Rounding of some hundred rows; a micrometre per second would be a thousand times more."""
    with running(write_document(stack(count)), dt=1e-3) as engine:
        before = engine.snapshot().body_poses
        run(engine, 10.0)
        after = engine.snapshot()
        assert np.abs(after.body_poses - before).max() <= 1e-12
        assert np.abs(after.body_velocities).max() <= 1e-11
        carried = np.zeros(count + 1)
        for contact in engine.contacts():
            carried[max(contact.bodies)] += contact.force
        assert carried[1:] == pytest.approx(G * np.arange(count, 0, -1.0), rel=1e-9)
        assert abs(after.energy.error) <= 1e-10


def wall_in_bond(rows: int, columns: int) -> str:
    """Bricks with a tenth of a millimetre between neighbours."""
    bricks = (
        cube(f"b{row}_{k}", x=0.1001 * k + 0.05 * (row % 2), z=0.05 + 0.1 * row)
        for row in range(rows)
        for k in range(columns)
    )
    return world(ground(0.5) + "".join(bricks))


def pyramid(rows: int) -> str:
    bricks = (
        cube(f"b{row}_{k}", x=0.1001 * k + 0.05 * row, z=0.05 + 0.1 * row)
        for row in range(rows)
        for k in range(rows - row)
    )
    return world(ground(0.5) + "".join(bricks))


@pytest.mark.parametrize("text", [wall_in_bond(4, 4), wall_in_bond(8, 8), pyramid(5)], ids=["low", "wall", "pyramid"])
def test_what_is_built_in_bond_stands(write_document: Write, text: str) -> None:
    """Every brick lies on two, by more points than hold it, so that single impulses are not determined; what they carry
    together is its weight, for ten seconds. Rounding of some hundred rows in each step: a thousandth of a nanometre."""
    with running(write_document(text), dt=1e-3) as engine:
        before = engine.snapshot().body_poses
        run(engine, 10.0)
        after = engine.snapshot()
        assert np.abs(after.body_poses - before).max() <= 1e-12
        assert np.abs(after.body_velocities).max() <= 1e-10
        on_ground = sum(contact.force for contact in engine.contacts() if 0 in contact.bodies)
        assert on_ground == pytest.approx(G * (len(before) - 1), rel=1e-9)
        assert abs(after.energy.error) <= 1e-10


@pytest.mark.parametrize("speed", [0.9, 1.3, 2.3, 3.0, 10.0])
@pytest.mark.parametrize("gap", [0.0071, 0.00037])
def test_a_box_that_hits_a_box_does_not_sink_in(write_document: Write, speed: float, gap: float) -> None:
    """At any gap, also where it is no whole number of steps; a micrometre is allowed, it is stopped to round-off.
    Without restitution its velocity along the normal is gone."""
    target = wall(box_shape("1 1 0.1"), pose="0 0 -0.05 0 0 0")
    text = world(target + cube("c", z=0.05 + gap, mu=0.0), gravity="0 0 0")
    with running(write_document(text), dt=1e-3) as engine:
        moving(engine, (0.0, 0.0, 0.0, 0.2, 0.0, -speed))
        lowest = math.inf
        for _ in range(math.ceil(gap / speed / 1e-3) + 5):
            engine.step()
            lowest = min(lowest, engine.snapshot().body_poses[1, 2] - 0.05)
        assert lowest == pytest.approx(0.0, abs=1e-9)
        velocity = engine.snapshot().body_velocities[1]
        assert velocity == pytest.approx((0, 0, 0, 0.2, 0, 0), abs=1e-9)


@pytest.mark.parametrize("speed", [45.0, 80.0, 200.0])
def test_a_small_box_does_not_fly_through_a_plate(write_document: Write, speed: float) -> None:
    """A box of 20 mm moves by up to ten times its size in a step, the plate is 1 mm thick."""
    plate = wall(box_shape("1 1 0.001"), pose="0 0 0 0 0 0")
    text = world(plate + cube("c", z=0.1234, edge=0.02, mu=0.0), gravity="0 0 0")
    with running(write_document(text), dt=1e-3) as engine:
        moving(engine, (0.0, 0.0, 0.0, 0.1 * speed, 0.0, -speed))
        for _ in range(8):
            engine.step()
            assert engine.snapshot().body_poses[1, 2] >= 0.0105 - 1e-9


def test_boxes_that_meet_keep_their_momentum_and_gain_no_energy(write_document: Write) -> None:
    """Off their middles, so that they turn: linear momentum is conserved to rounding, and angular momentum about the
    origin."""
    text = world(cube("a", x=-0.2, z=0.03, mu=0.3) + cube("b", x=0.2, z=0.0, mass=3.0, mu=0.3), gravity="0 0 0")
    with running(write_document(text), dt=1e-3) as engine:
        moving(engine, (0.0, 0.0, 0.0, 3.0, 0.0, 0.0))

        def momenta() -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], float]:
            s, total = engine.snapshot(), np.zeros(6)
            for body, mass in ((1, 1.0), (2, 3.0)):
                p = mass * s.body_velocities[body, 3:]
                spin = mass * 0.01 / 6.0 * s.body_velocities[body, :3]
                total += np.concatenate((p, spin + np.cross(s.body_poses[body, :3], p)))
            return total, s.energy.kinetic

        before, energy = momenta()
        for _ in range(150):
            engine.step()
            after, kinetic = momenta()
            assert after == pytest.approx(before, abs=1e-9)
            assert kinetic <= energy + 1e-12
            energy = kinetic
        assert energy < 4.0, "they have met"


@pytest.mark.parametrize("lower", [1.0, 1000.0])
@pytest.mark.parametrize("upper", [10.0, 30.0, 100.0, 200.0, 300.0, 1000.0])
def test_cubes_of_unlike_mass_rest_on_each_other(write_document: Write, lower: float, upper: float) -> None:
    """For ten seconds: what is wrong in the forces by a rounding shows after thousands of steps. The ground carries
    both weights."""
    text = world(ground() + cube("lower", z=0.05, mass=lower) + cube("upper", z=0.15, mass=upper))
    with running(write_document(text), dt=1e-3) as engine:
        fastest = 0.0
        for _ in range(100):
            run(engine, 0.1)
            fastest = max(fastest, float(np.abs(engine.snapshot().body_velocities).max()))
        assert fastest <= 1e-11
        on_ground = sum(contact.force for contact in engine.contacts() if 0 in contact.bodies)
        assert on_ground == pytest.approx(G * (lower + upper), rel=1e-9)


@pytest.mark.parametrize("share", [0.999, 0.9999])
def test_just_below_the_cone_nothing_creeps(write_document: Write, share: float) -> None:
    """On an incline whose tangent is that share of mu."""
    angle = math.atan(0.5 * share)
    gravity = f"{G * math.sin(angle)!r} 0 {-G * math.cos(angle)!r}"
    with running(write_document(world(ground(0.5) + cube("c", z=0.05), gravity=gravity)), dt=1e-3) as engine:
        run(engine, 2.0)
        assert np.abs(engine.snapshot().body_velocities).max() <= 1e-11


@pytest.mark.parametrize("share", [1.001, 1.01, 1.1, 2.0])
def test_beyond_the_cone_it_slides_as_far_as_coulomb_says(write_document: Write, share: float) -> None:
    """x = (g sin a - mu g cos a) t² / 2; the drift of thousands of steps' rounding is far below a ten-thousandth."""
    angle = math.atan(0.5 * share)
    gravity = f"{G * math.sin(angle)!r} 0 {-G * math.cos(angle)!r}"
    with running(write_document(world(ground(0.5) + cube("c", z=0.05), gravity=gravity)), dt=1e-3) as engine:
        run(engine, 0.5)
        way = 0.5 * G * (math.sin(angle) - 0.5 * math.cos(angle)) * 0.25
        assert engine.snapshot().body_poses[1, 0] == pytest.approx(way, rel=1e-4)


def test_steps_in_a_block_are_the_steps_one_by_one(write_document: Write) -> None:
    """Bit for bit: a cube falls beside a stack, hits the ground and comes to rest."""
    text = world(ground(0.5) + cube("a", z=0.05) + cube("b", z=0.15) + cube("c", x=0.3, z=0.062))
    path = write_document(text)
    with running(path, dt=1e-3) as engine:
        make_steps(engine, 80)
        alone = engine.snapshot()
    with running(path, dt=1e-3) as engine:
        run(engine, 0.08)
        block = engine.snapshot()
    assert np.array_equal(alone.body_poses, block.body_poses)
    assert np.array_equal(alone.body_velocities, block.body_velocities)


def test_what_rests_is_left_alone_until_it_is_hit(write_document: Write) -> None:
    """A stack of two rests without friction while a third cube slides towards it for 0.2 s: not a bit of it moves, and
    its contacts still carry it. Then the lower one takes half of the velocity of what hits it, m v = 2 m v / 2, and
    the upper one, which nothing pulls along, none."""
    text = world(
        ground(0.0)
        + cube("c", x=-0.3, z=0.05, mu=0.0)
        + cube("a", z=0.05, mu=0.0)
        + cube("b", z=0.14, edge=0.08, mu=0.0)
    )
    with running(write_document(text), dt=1e-3) as engine:
        moving(engine, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
        start = engine.snapshot().body_poses[2:]
        make_steps(engine, 190)
        waiting = engine.snapshot()
        assert np.array_equal(waiting.body_poses[2:], start)
        assert not waiting.body_velocities[2:].any()
        on_ground = sum(contact.force for contact in engine.contacts() if contact.bodies == (2, 0))
        assert on_ground == pytest.approx(2.0 * G, rel=1e-9)
        make_steps(engine, 30)
        hit = engine.snapshot()
        assert hit.body_velocities[1:, 3] == pytest.approx((0.5, 0.5, 0.0), abs=1e-9)
        assert hit.energy.contact == pytest.approx(-0.25, rel=1e-9)
        assert abs(hit.energy.error) <= 1e-9
