"""Contacts that give way (kp, kd): a spring and a damper between two sides that are pressed into each other.

    m x'' = -m g + kp d + kd d' for an overlap d = -x > 0, as long as that pushes; none else.

A contact ends where kp d + kd d' = 0, before the overlap does; the rebound is that of the damped half-oscillation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from simulator.engine.engine import Engine
from tests.physics.solids import ball_shape, box_shape, ground, solid, surface
from tests.physics.test_rows_contact_directions import linkage
from tests.physics.test_rows_contact_twist import twists
from tests.physics.worlds import advance, joint, model, running, world

Array = NDArray[np.float64]
Write = Callable[..., Path]
G, MASS, RADIUS = 9.8, 2.0, 0.1
GROUND = 1.0
"""SDFormat's kd of the ground, which counts as well."""


def soft(kp: float, kd: float, rubs: str = "", *, mu: float = 1.0) -> str:
    """A surface that gives way; `kd` with the ground's."""
    return (rubs or surface(mu)).replace(
        "</surface>", f"<contact><ode><kp>{kp!r}</kp><kd>{kd - GROUND!r}</kd></ode></contact></surface>"
    )


def ball(rubs: str, height: float = 0.0, velocity: float = 0.0, *, along: float = 0.0) -> str:
    """A ball whose lowest point is that high above the plane z = 0, and moves."""
    start = f'<link_state name="b"><velocity>{along!r} 0 {velocity!r} 0 0 0</velocity></link_state>'
    place = f"0 0 {RADIUS + height!r} 0 0 0"
    body = solid("b", ball_shape(RADIUS), mass=MASS, inertia="0.008 0.008 0.008", pose=place, rubs=rubs)
    return model(body, f"<model_state>{start}</model_state>")


def height_of(engine: Engine) -> float:
    return float(pose_of(engine)[2]) - RADIUS


def pose_of(engine: Engine) -> Array:
    pose: Array = engine.snapshot().body_poses[engine.mechanism.link_bodies()["m::b"]]
    return pose


def velocity_of(engine: Engine) -> Array:
    velocity: Array = engine.snapshot().body_velocities[engine.mechanism.link_bodies()["m::b"]]
    return velocity


def moved(kp: float, kd: float, start: tuple[float, float], time: float) -> Array:
    """Height and velocity after a time, integrated independently; the kinks of the force are events."""

    def rate(_: float, y: Array) -> list[float]:
        push = max(-kp * y[0] - kd * y[1], 0.0) if y[0] < 0.0 else 0.0
        return [y[1], push / MASS - G]

    found = solve_ivp(rate, (0.0, time), start, rtol=1e-11, atol=1e-13, method="Radau", max_step=2e-4)
    end: Array = found.y[:, -1]
    return end


@pytest.mark.parametrize("more", ["", linkage()], ids=["alone", "beside a loop"])
@pytest.mark.parametrize(("kp", "kd"), [(1e4, 200.0), (4e5, 200.0)])
def test_a_ball_sinks_to_its_weight_over_the_stiffness(write_document: Write, kp: float, kd: float, more: str) -> None:
    """m g / kp deep at rest, with the force m g. It counts as resting once it moves by less than 1e-10 m/s
    (`motion.loose.STILL`): on a swing of 450 / s that is 5e-8 m/s^2 of what is to come, or 5e-9 of the weight, and
    the damper that has not settled as much again: 2e-8."""
    with running(write_document(world(ground() + ball(soft(kp, kd)) + more))) as engine:
        advance(engine, 2.0)
        assert height_of(engine) == pytest.approx(-MASS * G / kp, rel=2e-8)
        assert np.abs(velocity_of(engine)).max() <= 1e-10
        (contact,) = engine.contacts()
        assert contact.force == pytest.approx(MASS * G, rel=2e-8)


def test_what_the_step_does_not_resolve_is_rigid(write_document: Write) -> None:
    """A spring on which the mass would swing by more than half a radian in a step: 2 kg at 1 ms, from 5e5 N/m on. With
    steps of half the length it is one."""
    path = write_document(world(ground() + ball(soft(6e5, 200.0))))
    for dt, sunk in ((1e-3, 0.0), (5e-4, MASS * G / 6e5)):
        with running(path, dt=dt) as engine:
            advance(engine, 2.0)
            assert height_of(engine) == pytest.approx(-sunk, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("kd", [GROUND, 50.0, 400.0])
def test_a_ball_that_stays_in_touch_swings_as_a_damped_oscillator(write_document: Write, kd: float) -> None:
    """Started a little beside its rest. With forces that are constant over a step the poles of the motion are exact,
    so that places at the steps are right to the second order: a fourth of the error is left with half the step."""
    kp, t = 1e4, 0.2
    rest, start = -MASS * G / kp, 0.5e-3
    half, swing = 0.5 * kd / MASS, math.sqrt(kp / MASS)
    root = math.sqrt(abs(swing**2 - half**2))
    cosine, sine = (math.cos, math.sin) if half < swing else (math.cosh, math.sinh)
    exact = rest + start * math.exp(-half * t) * (cosine(root * t) + half / root * sine(root * t))
    path = write_document(world(ground() + ball(soft(kp, kd), rest + start)))
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        with running(path, dt=dt) as engine:
            advance(engine, t)
            errors.append(abs(height_of(engine) - exact))
    assert errors[0] <= 0.006 * start
    assert errors[1:] == pytest.approx([0.25 * errors[0], errors[0] / 16.0], rel=0.02, abs=2e-11)


@pytest.mark.parametrize(("kd", "velocity"), [(GROUND, -1.0), (40.0, -1.0), (150.0, -0.5)])
def test_a_ball_rebounds_as_the_damped_half_swing_says(write_document: Write, kd: float, velocity: float) -> None:
    """It meets the ground somewhere in a step, is pressed in, and leaves where nothing pushes any more: right to the
    second order, but for where in a step that is. A sixteenth of the step leaves no more than a hundredth of the
    error. What it gives and takes is booked to round-off."""
    kp, height, time = 2e4, 3.3e-3, 0.06
    exact = moved(kp, kd, (height, velocity), time)
    path = write_document(world(ground() + ball(soft(kp, kd), height, velocity)))
    errors = []
    for dt in (1e-3, 2.5e-4, 6.25e-5):
        with running(path, dt=dt) as engine:
            advance(engine, time)
            errors.append(abs(float(velocity_of(engine)[5]) - exact[1]))
            energy = engine.snapshot().energy
            assert energy.contact < 0.0
            assert abs(energy.error) <= 1e-12
    assert errors[0] <= 1e-3 * abs(velocity)
    assert errors[2] <= 0.01 * errors[0]


def test_what_a_spring_stores_is_given_back(write_document: Write) -> None:
    """Without damping but the ground's, which takes what the closed form says: kinetic energy before and after."""
    kp, velocity = 2e4, -1.0
    path = write_document(world(ground() + ball(soft(kp, GROUND), 0.0, velocity), gravity="0 0 0"))
    half, swing = 0.5 * GROUND / MASS, math.sqrt(kp / MASS)
    root = math.sqrt(swing**2 - half**2)
    # Force is gone where kp d + kd d' = 0 (Schwager and Poeschel, Coefficient of restitution for viscoelastic spheres:
    # the effect of delayed recovery, 2007).
    leaves = (math.pi - math.atan2(2.0 * half * root, root**2 - half**2)) / root
    restitution = math.exp(-half * leaves) * abs(math.cos(root * leaves) - half / root * math.sin(root * leaves))
    with running(path, dt=1e-4) as engine:
        advance(engine, 0.05)
        after = float(velocity_of(engine)[5])
        energy = engine.snapshot().energy
    assert after == pytest.approx(restitution, rel=1e-3)
    assert energy.contact == pytest.approx(0.5 * MASS * (after**2 - velocity**2), rel=1e-9)
    assert abs(energy.error) <= 1e-5


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_friction_on_soft_ground(write_document: Write, share: float) -> None:
    """On an incline a block holds below mu, and slides with g (sin - mu cos) above, bounded by the soft force."""
    mu = 0.5
    slope = math.atan(mu * share)
    block = solid(
        "b", box_shape("0.2 0.2 0.1"), mass=MASS, inertia="0.01 0.01 0.01", pose=f"0 0 {0.05 - MASS * G / 4e5!r} 0 0 0",
        rubs=soft(1e5, 500.0, mu=mu),
    )  # fmt: skip
    gravity = f"{G * math.sin(slope)!r} 0 {-G * math.cos(slope)!r}"
    with running(write_document(world(ground() + model(block), gravity=gravity))) as engine:
        advance(engine, 0.5)
        before = velocity_of(engine)[3], pose_of(engine)[0]
        advance(engine, 0.5)
        gained, way = velocity_of(engine)[3] - before[0], pose_of(engine)[0] - before[1]
    if share < 1.0:
        assert abs(way) <= 1e-9
    else:
        assert gained == pytest.approx(0.5 * G * (math.sin(slope) - mu * math.cos(slope)), rel=1e-6)


def test_two_surfaces_are_springs_in_series(write_document: Write) -> None:
    """1 / (1 / k1 + 1 / k2), as in Gazebo."""
    floor = ground(rubs=soft(2e4, 100.0 + GROUND))
    with running(write_document(world(floor + ball(soft(3e4, 100.0 + GROUND))))) as engine:
        advance(engine, 2.0)
        assert height_of(engine) == pytest.approx(-MASS * G * (1 / 2e4 + 1 / 3e4), rel=1e-8)


def test_a_stack_of_soft_blocks_comes_to_rest(write_document: Write) -> None:
    """Five blocks on four corners each: each contact sinks by the weight above it over four stiffnesses, and nothing
    moves any more."""
    kp, kd, mass = 1e5, 100.0, 1.0
    blocks = [
        model(
            solid("b", box_shape("0.05 0.05 0.05"), mass=mass, inertia="4e-4 4e-4 4e-4",
                  pose=f"0 0 {0.025 + 0.05 * k!r} 0 0 0", rubs=soft(kp, kd)),
            name=f"m{k}",
        )
        for k in range(5)
    ]  # fmt: skip
    with running(write_document(world(ground() + "".join(blocks)))) as engine:
        advance(engine, 2.0)
        bodies = engine.mechanism.link_bodies()
        heights = [float(engine.snapshot().body_poses[bodies[f"m{k}::b"]][2]) for k in range(5)]
        sunk = 0.0
        for k, height in enumerate(heights):
            stiffness = kp if k == 0 else 0.5 * kp
            sunk += (5 - k) * mass * G / (4.0 * stiffness)
            assert height == pytest.approx(0.025 + 0.05 * k - sunk, abs=1e-9)
        assert np.abs(engine.snapshot().body_velocities).max() <= 1e-9


def test_curved_surfaces_hold_a_twist_by_how_far_they_sink_in(write_document: Write) -> None:
    """a = sqrt(R d) with the overlap m g / kp."""
    kp, spin = 1e5, 3.0
    rubs = soft(kp, 500.0, twists(0.5, None, radius=RADIUS))
    start = ball(rubs, -MASS * G / kp).replace("0 0 0</velocity>", f"0 0 {spin!r}</velocity>")
    with running(write_document(world(ground() + start))) as engine:
        advance(engine, 0.02)
        held = 3.0 * math.pi / 16.0 * 0.5 * math.sqrt(RADIUS * MASS * G / kp)
        assert velocity_of(engine)[2] == pytest.approx(spin - held * MASS * G / 0.008 * 0.02, rel=1e-9)


def test_a_contact_that_is_open_does_not_push_in_a_shorter_step(write_document: Write) -> None:
    """A step of 1 ms does not resolve the spring, and what slides rests on a rigid ground, half a micrometre open,
    which is within what touches. One of 0.5 ms resolves it, nothing is pressed in, and it falls freely, by g t."""
    dt = 1e-3
    body = solid("b", ball_shape(RADIUS), mass=MASS, pose=f"0 0 {RADIUS + 5e-7!r} 0 0 0", rubs=soft(1e6, 200.0))
    falls = model(body, joint("j", "prismatic", "b"))
    with running(write_document(world(ground() + falls)), dt=dt) as engine:
        advance(engine, 0.02)
        assert velocity_of(engine)[5] == pytest.approx(0.0, abs=1e-12)
        engine.core.use_step(0.5 * dt)  # as a step that is made in halves does
        engine.core.steps *= 2
        engine.core.log.restart()
        engine.step()
        assert velocity_of(engine)[5] == pytest.approx(-0.5 * G * dt, rel=1e-9)
