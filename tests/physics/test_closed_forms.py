"""Single bodies against their closed forms. Bullet's step is semi-implicit Euler, q' = q + dt v', so positions carry an
error of first order in dt; where the discrete motion itself has a closed form, that one is compared with, to
round-off."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipk

from simulator.engine.engine import Engine
from tests.physics.worlds import advance, joint, link, model, record_steps, running, world

pytestmark = pytest.mark.usefixtures("gear_only")

Write = Callable[..., Path]


def test_free_fall(write_document: Write) -> None:
    """v = -g t exactly; n semi-implicit steps fall g dt^2 n (n + 1) / 2, which is g t^2 / 2 up to g dt t / 2."""
    text = world(model(link("a", inertia="1 2 2.5 0.1 -0.2 0.3", com="0.3 0 0.1")))
    with running(write_document(text)) as engine:
        advance(engine, 1.0)
        snapshot = engine.snapshot()
        n, dt = 1000, engine.dt
        assert snapshot.body_poses[1, 2] == pytest.approx(-9.8 * dt * dt * n * (n + 1) / 2, rel=1e-9)
        assert snapshot.body_poses[1, 2] == pytest.approx(-4.9, abs=9.8 * dt)
        assert snapshot.energy.kinetic == pytest.approx(0.5 * 9.8**2, rel=1e-9)


def test_link_without_gravity_stays(write_document: Write) -> None:
    """Nothing pulls, so nothing moves: round-off of the force that cancels gravity."""
    text = world(model(link("a").replace("<inertial>", "<gravity>false</gravity><inertial>")))
    with running(write_document(text)) as engine:
        advance(engine, 0.5)
        assert np.abs(engine.snapshot().body_poses[1, :3]).max() <= 1e-9


def _period(engine: Engine) -> float:
    """Time between two upward zero crossings, interpolated."""
    crossings: list[float] = []
    while len(crossings) < 3 and engine.time < 20.0:
        begin = engine.snapshot()
        steps = record_steps(engine, 500)
        x = np.concatenate((begin.position[:1], steps.position[:, 0]))
        before = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
        crossings += (begin.time + engine.dt * (before + x[before] / (x[before] - x[before + 1]))).tolist()
    return crossings[2] - crossings[1]


@pytest.mark.parametrize("amplitude", [0.1, 2.5])
def test_pendulum_period(write_document: Write, amplitude: float) -> None:
    """T = 4 sqrt(I / m g c) K(sin^2(amplitude / 2)). The symplectic step shifts the period by second order in omega dt:
    with 3.8 rad/s and dt = 1 ms less than 1e-5 relative, near the top a little more."""
    inertia, c = 0.02, 0.5
    text = world(
        model(
            link("a", inertia=f"{inertia} {inertia} 0.01", com=f"0 0 {-c}"), joint("j", "revolute", "a", axis="0 1 0")
        )
    )
    with running(write_document(text), initial=(f"j={amplitude}",)) as engine:
        pivot = inertia + c * c
        expected = 4.0 * math.sqrt(pivot / (9.8 * c)) * ellipk(math.sin(amplitude / 2) ** 2)
        assert _period(engine) == pytest.approx(expected, rel=2e-5)


def test_spring_and_mass(write_document: Write) -> None:
    """omega of the semi-implicit oscillator: 2 / dt asin(omega dt / 2); the amplitude varies by omega dt / 2."""
    dynamics = "<dynamics><spring_stiffness>40</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>"
    text = world(model(link("a", mass=2.5), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=dynamics)))
    with running(write_document(text), initial=("j=0.3",)) as engine:
        omega = 2.0 / engine.dt * math.asin(math.sqrt(40 / 2.5) * engine.dt / 2)
        steps = record_steps(engine, 3000)
        expected = 0.1 + 0.2 * np.cos(omega * steps.time)
        np.testing.assert_allclose(steps.position[:, 0], expected, rtol=0.0, atol=0.2 * omega * engine.dt)
        assert abs(engine.snapshot().energy.error) <= 1e-2 * 0.5 * 40 * 0.2**2


def test_joint_damping(write_document: Write) -> None:
    """v_n = v_0 (1 - d dt / I)^n is what an explicit damper does, and v_0 exp(-d t / I) within d dt / 2 I relative."""
    dynamics = "<dynamics><damping>0.5</damping></dynamics>"
    text = world(
        model(link("a", inertia="1 1 0.25"), joint("j", "revolute", "a", inside_axis=dynamics)), gravity="0 0 0"
    )
    with running(write_document(text), drives=("j=velocity:3",)) as engine:
        advance(engine, 0.01)
        engine.set_drive(0, None)
        start = engine.snapshot()
        advance(engine, 1.0)
        end = engine.snapshot()
        rate = 0.5 / 0.25
        assert end.velocity[0] == pytest.approx(start.velocity[0] * (1 - rate * engine.dt) ** 1000, rel=1e-9)
        assert end.velocity[0] == pytest.approx(start.velocity[0] * math.exp(-rate), rel=rate * rate * engine.dt)
        lost = end.energy.dissipated - start.energy.dissipated
        assert lost == pytest.approx(start.energy.kinetic - end.energy.kinetic, rel=1e-9)


def test_coulomb_friction(write_document: Write) -> None:
    """Deceleration is friction / mass until rest, then it sticks; a push below the friction does not move it. Bullet
    solves friction as a motor row towards rest, so both are exact to round-off."""
    dynamics = "<dynamics><friction>2</friction></dynamics>"
    text = world(model(link("a", mass=4.0), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=dynamics)))
    with running(write_document(text), drives=("j=effort:10",)) as engine:
        advance(engine, 0.1)
        assert engine.snapshot().velocity[0] == pytest.approx(0.1 * (10 - 2) / 4, rel=1e-9)
        engine.set_drive(0, None)
        advance(engine, 0.2)
        assert engine.snapshot().velocity[0] == pytest.approx(0.2 - 0.2 * 2 / 4, rel=1e-9)
        advance(engine, 0.5)
        rest = engine.snapshot()
        assert abs(rest.velocity[0]) <= 1e-12
        assert rest.energy.work == pytest.approx(rest.energy.dissipated, rel=1e-9)


def test_effort_limit_bounds_every_drive(write_document: Write) -> None:
    """An effort limit of 3 N on 1.5 kg: 2 m/s^2, whatever is asked for."""
    limit = "<limit><effort>3</effort></limit>"
    text = world(model(link("a", mass=1.5), joint("j", "prismatic", "a", axis="1 0 0", inside_axis=limit)))
    path = write_document(text)
    for drive in ("j=effort:100", "j=velocity:100", "j=position:100"):
        with running(path, drives=(drive,)) as engine:
            advance(engine, 0.5)
            snapshot = engine.snapshot()
            assert snapshot.velocity[0] == pytest.approx(1.0, rel=1e-9), drive
            assert snapshot.effort[0] == pytest.approx(3.0, rel=1e-9), drive


def test_drives_reach_what_they_are_told(write_document: Write) -> None:
    """A velocity drive is a row of the solver and holds to round-off; a position drive approaches with a time constant
    of 20 ms."""
    text = world(model(link("a"), joint("j", "revolute", "a", axis="0 1 0")))
    with running(write_document(text), drives=("j=velocity:0.7",)) as engine:
        advance(engine, 0.5)
        assert engine.snapshot().velocity[0] == pytest.approx(0.7, rel=1e-9)
    with running(write_document(text), drives=("j=position:-0.4",)) as engine:
        advance(engine, 0.5)
        assert engine.snapshot().position[0] == pytest.approx(-0.4, abs=1e-6)


def test_torque_free_top_keeps_its_angular_momentum(write_document: Write) -> None:
    """A ball joint at the centre of mass, three different moments, products of inertia: |L| and the energy stay. Bullet
    integrates the gyroscopic term explicitly, so both drift by first order in dt: 1 % over one second of 4 rad/s."""
    text = world(
        model(
            link("a", inertia="0.3 0.5 0.6 0.05 0.02 -0.03"),
            '<joint name="j" type="ball"><parent>world</parent><child>a</child></joint>',
            link("b", pose="0 0 1 0 0 0", inertia="0.01 0.01 0.01"),
            joint("spin", "revolute", "b", parent="a", axis="1 0 0"),
        ),
        gravity="0 0 0",
    )
    with running(write_document(text), drives=("spin=effort:0.05",)) as engine:
        advance(engine, 0.3)
        engine.set_drive(0, None)
        start = engine.snapshot().energy.kinetic
        assert start > 1e-4
        advance(engine, 1.0)
        assert engine.snapshot().energy.kinetic == pytest.approx(start, rel=1e-2)
