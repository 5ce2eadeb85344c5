"""Damper and spring of the joint that closes a loop, from a thousand steps in a time constant to a millionth of one.

A parallelogram of rods of 1 kg whose coupler does not turn: cranks of a = 0.5 m swing with I = (1/3 + 1 + 1/3) a^2, and
the closing joint, between coupler and rocker, turns as they do. So its damper is that of one wheel: v = v0 exp(-t / T),
T = I / d."""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from tests.physics.four_bar_motions import GRAVITY, Bars
from tests.physics.planar_linkages import GROUND, Body, Closing, Linkage, Passive
from tests.physics.worlds import make_steps, record_steps, running

DT = 1e-3
BARS = Bars(0.5, 1.0, 0.5, 1.0)
INERTIA = 5.0 / 3.0 * 0.25
LOAD = 2.0 * GRAVITY * 0.5
"""Of the weights about the crank's pivot where it is level [N m]."""
LEVEL = -math.pi / 6.0
CLOSED = 1e-12
SOLVERS = pytest.mark.parametrize("solver", ["rows", "reduced"])


def document(folder: Path, damping: float, stiffness: float = 0.0, gravity: float = 0.0) -> Path:
    """The parallelogram with its cranks 30 degrees below level, where the spring is at rest."""
    tip = 0.5 * cmath.exp(1j * LEVEL)
    text = BARS.document(tip, tip + 1.0, gravity=gravity)
    first, last = text.rsplit("</axis></joint>", 1)
    passive = f"<dynamics><damping>{damping!r}</damping><spring_stiffness>{stiffness!r}</spring_stiffness></dynamics>"
    cut = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
    path = folder / "bars.sdf"
    path.write_text(f"{first}{passive}</axis>{cut}</joint>{last}")
    return path


def crank(engine: Engine) -> int:
    (loop,) = engine.mechanism.loop_joints
    assert loop.name == "m::j4"
    return engine.mechanism.axis_index("j1") or 0


@SOLVERS
@pytest.mark.parametrize("ratio", [1e3, 1e2, 1.99, 1.0, 1e-1, 1e-3, 1e-6])
def test_a_damper_is_an_exponential(ratio: float, solver: str, tmp_path: Path) -> None:
    """1e-9 of the first speed: with a hundred steps in T the fourth-order method loses (T / dt)^-4 / 120 / e; where it
    is held, the effort of a step is the mean of the exponential's, and the position is off by less than the trapezoid's
    half step. What is lost, the damper takes."""
    path = document(tmp_path, INERTIA / (ratio * DT))
    with running(path, solver=solver, velocity=("j1=1",)) as engine:
        axis, energy = crank(engine), 0.5 * INERTIA
        steps = record_steps(engine, 100)
        wanted = np.exp(-np.arange(1.0, 101.0) / ratio)
        np.testing.assert_allclose(steps.velocity[:, axis], wanted, rtol=0.0, atol=1e-9)
        now = engine.snapshot()
        turned = ratio * DT * -math.expm1(-100.0 / ratio)
        assert now.position[axis] == pytest.approx(turned, abs=1e-9 if ratio >= 1e2 else 0.5 * DT)
        assert float(now.loop_residual.max()) <= CLOSED
        assert abs(now.energy.error) <= 1e-9 * energy


@SOLVERS
@pytest.mark.parametrize("ratio", [9.0, 3.0, 2.01])
def test_a_damper_that_takes_up_to_half_of_its_speed_is_left_to_the_runge_kutta_method(
    ratio: float, solver: str, tmp_path: Path
) -> None:
    """As on an axis of the tree: v = (1 - z + z^2 / 2 - z^3 / 6 + z^4 / 24)^n. The loop closes with a motion that is a
    circle, not a straight line, whence 1e-9."""
    path, z = document(tmp_path, INERTIA / (ratio * DT)), 1.0 / ratio
    with running(path, solver=solver, velocity=("j1=1",)) as engine:
        axis, share = crank(engine), 1.0 - z + z**2 / 2.0 - z**3 / 6.0 + z**4 / 24.0
        steps = record_steps(engine, 30)
        wanted = share ** np.arange(1.0, 31.0)
        np.testing.assert_allclose(steps.velocity[:, axis], wanted, rtol=0.0, atol=1e-9)


ROCKERS, HINGE = 8, 0.3


@SOLVERS
def test_dampers_of_one_loop_are_held_where_they_are_too_fast_together(solver: str, tmp_path: Path) -> None:
    """A bar on nine equal cranks, eighteen hinges with dampers of which each takes 0.3 of the speed in a step, all 5.4
    times of it: beyond what the Runge-Kutta method bears, 2.78. From rest it creeps down, never faster than weights
    over dampers say."""
    cranks = [Body(GROUND, 0j, 1.0, 0.1, 0.2, 1e-3), Body(0, 0.2 + 0j, 0.0, 0.4, 1.0, 1e-2)]
    cranks += [Body(GROUND, 0.1 * k + 0j, 1.0, 0.1, 0.2, 1e-3) for k in range(1, ROCKERS + 1)]
    closings = tuple(Closing(1, 0.1 * k + 0j, k + 1, 0.2 + 0j) for k in range(1, ROCKERS + 1))
    inertia = (1 + ROCKERS) * (1e-3 + 0.2 * 0.01) + 0.04
    damped = Passive(damping=HINGE * inertia / DT)
    bar = Linkage(
        tuple(replace(body, hinge=damped) for body in cranks), tuple(replace(c, hinge=damped) for c in closings), (0,)
    )
    path = tmp_path / "bar.sdf"
    path.write_text(bar.document())
    fastest = GRAVITY * (0.2 + (1 + ROCKERS) * 0.2 * 0.1) / (2 * (1 + ROCKERS) * damped.damping)
    with running(path, solver=solver) as engine:
        velocity = record_steps(engine, 50).velocity[:, engine.mechanism.axis_index("h0") or 0]
        assert -fastest <= velocity.min()
        assert velocity.max() <= 0.0
        assert velocity[-1] == pytest.approx(-fastest * math.cos(1.0), rel=1e-3)


@pytest.mark.parametrize("ratio", [1e3, 1e2, 1.0, 1e-3, 1e-6])
def test_under_gear_a_damper_is_its_implicit_step(ratio: float, tmp_path: Path) -> None:
    """v1 = v0 / (1 + dt / T), to the figures that Bullet's iterations leave."""
    path = document(tmp_path, INERTIA / (ratio * DT))
    with running(path, solver="gear", velocity=("j1=1",)) as engine:
        axis, before = crank(engine), 1.0
        for _ in range(100):
            engine.step()
            now = float(engine.snapshot().velocity[axis])
            assert -1e-6 <= now <= before + 1e-9
            if before > 1e-3:
                follows = before * (1.0 - 1.0 / ratio) if ratio >= 1e2 else before / (1.0 + 1.0 / ratio)
                assert now == pytest.approx(follows, abs=2e-4)
            before = now


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
@pytest.mark.parametrize("damping", [1e3, 1e5, 1e8])
def test_a_stiff_damper_lets_it_creep(damping: float, solver: str, tmp_path: Path) -> None:
    """d q' = m g a cos q, late by I / d and at most by one step."""
    path = document(tmp_path, damping, gravity=GRAVITY)
    with running(path, solver=solver) as engine:
        make_steps(engine, 500)
        start = math.tan(0.5 * LEVEL + 0.25 * math.pi)
        angle = 2.0 * math.atan(start * math.exp(-0.5 * LOAD / damping)) - 0.5 * math.pi - LEVEL
        late = LOAD / damping * (INERTIA / damping + DT)
        assert engine.snapshot().position[crank(engine)] == pytest.approx(angle, abs=late + 1e-9 * (solver == "gear"))


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
@pytest.mark.parametrize("turn", [0.3, 3.0, 30.0, 1e3])
def test_a_spring_goes_straight_to_where_it_balances(turn: float, solver: str, tmp_path: Path) -> None:
    """A damping ratio of one and `turn` radians a step: k q = -m g a cos(q - 30 degrees), from above, without a swing
    back."""
    w = turn / DT
    path = document(tmp_path, 2.0 * INERTIA * w, INERTIA * w * w, gravity=GRAVITY)
    with running(path, solver=solver) as engine:
        rest = -LOAD * math.cos(LEVEL) / (INERTIA * w * w)
        position = record_steps(engine, 120).position[:, crank(engine)]
        assert np.diff(position, prepend=0.0).max() <= 1e-6 * abs(rest) + 1e-14
        before = float(position[-1])
        balance = -LOAD * math.cos(before + LEVEL) / (INERTIA * w * w)
        assert before == pytest.approx(balance, rel=1e-6, abs=4e-15)  # rounding of angles
        last = engine.snapshot()
        if solver != "gear":
            assert float(last.loop_residual.max()) <= CLOSED
            assert abs(last.energy.error) <= 1e-3 * LOAD * abs(rest)


@SOLVERS
def test_a_stiff_damper_and_one_that_is_not_beside_a_motor(solver: str, tmp_path: Path) -> None:
    """A velocity motor turns the crank against the damper: its effort is d v, and the weights', from the second step
    on."""
    path = document(tmp_path, 1e4)
    with running(path, solver=solver, drives=("j1=velocity:0.1",)) as engine:
        axis = crank(engine)
        make_steps(engine, 100)
        now = engine.snapshot()
        assert now.velocity[axis] == pytest.approx(0.1, abs=1e-9)
        assert now.effort[axis] == pytest.approx(1e3, rel=1e-6)
        assert now.energy.work == pytest.approx(now.energy.dissipated + now.energy.kinetic, rel=1e-6)
        assert np.isfinite(now.position).all()
