"""Loops whose gains are larger than the step can follow, against the damped oscillator, statics and limits.

A wheel of inertia I with P = I w^2 and D = 2 z I w obeys x'' + 2 z w x' + w^2 (x - 1) = 0.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.engine.pid import Gains
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.mechanism.types import Mechanism
from simulator.model.profiles import Constant, Sine
from simulator.physics.compiled.bounded import BoundedMechanism
from simulator.physics.impact.lines import Servo
from simulator.physics.rows.servos import servo_law
from simulator.transmissions.actuators import Actuator, Actuators, BoundTransmission
from simulator.transmissions.differential import DifferentialTransmission
from tests.helpers.mechanisms import chain_of_hinges, joint, link, mechanism
from tests.physics.worlds import make_steps, record_steps

DT = 1e-3
WHEEL = 0.01
"""Inertia of the helper's links [kg m^2]."""
RESOLVED = (1e-3, 1e-2, 1e-1)
STIFF = (3.0, 1e1, 1e2, 1e3)
RATIOS = (0.2, 0.5, 1.0, 2.0, 5.0)


def engine_of(built: Mechanism, actuators: Actuators | None = None) -> Engine:
    return Engine(built, ReducedDynamics(built, dt=DT), dt=DT, actuators=actuators)


def wheel(**axis: object) -> Mechanism:
    return mechanism(link("a"), joint("j", "revolute", "world", "a", axis=dict(axis)))


def gains(turn: float, ratio: float, **more: float) -> Gains:
    """Of a loop that swings by `turn` radians a step, with that damping ratio."""
    w = turn / DT
    return Gains(WHEEL * w * w, derivative=2.0 * ratio * WHEEL * w, **more)


def answer(turn: float, ratio: float, steps: float) -> float:
    """Position of the wheel after a step of the target from 0 to 1; poles that are nearly equal are moved apart by 1e-6
    of themselves, which changes the answer by the square of it."""
    root = cmath.sqrt(complex(ratio * ratio - 1.0)) or 1e-6
    one, other = turn * (-ratio + root), turn * (-ratio - root)
    swing = (other * cmath.exp(one * steps) - one * cmath.exp(other * steps)) / (other - one)
    return 1.0 - swing.real


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("turn", [*RESOLVED, 0.3])
def test_a_loop_that_the_step_resolves_is_the_damped_oscillator(turn: float, ratio: float) -> None:
    """Poles are exact; what is left is that an effort is constant within a step. A pole s has (2 / dt) tanh(s dt / 2)
    for its velocity then, (s dt)^2 / 12 too little, and starts the other pole with as much: (w dt)^2 / 6 for both.
    Efforts of the start of a step would err by w dt. Only rounding is missing from the ledger."""
    engine = engine_of(wheel())
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), gains(turn, ratio)))
    found = record_steps(engine, min(round(10.0 / turn), 3000)).position[:, 0]
    wanted = np.array([answer(turn, ratio, step) for step in range(1, 1 + len(found))])
    assert np.abs(found - wanted).max() < turn**2 / 6.0
    assert abs(engine.snapshot().energy.error) < 1e-12 * WHEEL * (turn / DT) ** 2


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("turn", STIFF)
def test_a_loop_faster_than_the_step_goes_straight_to_its_rest(turn: float, ratio: float) -> None:
    """Swings that no step can tell from others are damped away. The slower pole is turn * 2 ratio * (1 - sqrt(1 - 1 /
    ratio^2)) / 2 a step, at most 0.3 for a ratio of 5 and three radians: 100 steps are 30 of it."""
    engine = engine_of(wheel())
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), gains(turn, ratio)))
    before = 0.0
    for _ in range(100):
        engine.step()
        now = float(engine.snapshot().position[0])
        assert before - 1e-12 <= now <= 1.0 + 1e-12
        before = now
    assert before == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("turn", [1e-2, 1.0, 1e2, 1e3])
def test_a_weight_bends_a_loop_by_what_its_gain_says(turn: float) -> None:
    """A slider of 1 kg on a loop that lifts it to 1 m: P e is its weight, whatever the step: e = g / w^2."""
    slider = mechanism(link("a"), joint("j", "prismatic", "world", "a"))
    assert slider.gravity == (0.0, 0.0, -9.8)
    engine, w = engine_of(slider), turn / DT
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), Gains(w * w, 0.0, 2.0 * w)))
    make_steps(engine, max(round(40.0 / turn), 60))
    assert engine.snapshot().position[0] == pytest.approx(1.0 - 9.8 / w**2, abs=1e-12)
    assert engine.snapshot().effort[0] == pytest.approx(9.8, rel=1e-3 * min(turn**-2, 1.0) + 1e-3)


@pytest.mark.parametrize("ratio", [1e3, 1e2, 1.0, 1e-1, 1e-3, 1e-6])
def test_a_velocity_loop_is_an_exponential(ratio: float) -> None:
    """v = 1 - exp(-t / T), T = I / P, exactly at the steps: a constant load of a step answers as the loop does."""
    engine, T = engine_of(wheel()), ratio * DT
    engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(1.0), Gains(WHEEL / T)))
    for step in range(1, 31):
        engine.step()
        assert engine.snapshot().velocity[0] == pytest.approx(1.0 - math.exp(-step / ratio), abs=1e-11)


def test_a_stiff_loop_follows_a_sine() -> None:
    """P and D act on the error and its rate; what inertia asks for bends the loop by I a / P, 4e-9 rad, and within a
    step the way is a parabola: jerk dt^3 / 12, 4e-9 rad for 2 Hz and 0.02 for what is left over from one step to the
    next."""
    engine = engine_of(wheel())
    sine = Sine(0.3, 2.0)
    engine.set_drive(0, Drive(DriveKind.POSITION, sine, gains(100.0, 1.0)))
    steps = record_steps(engine, 1000)
    wanted = [sine.value(time) for time in steps.time.tolist()]
    np.testing.assert_allclose(steps.position[11:, 0], wanted[11:], rtol=0.0, atol=1e-6)


def test_a_stiff_loop_stays_within_its_limit() -> None:
    """0.02 N m give 0.01 kg m^2 2 rad/s^2. P e + D e' = 0 is the line e' = -1.5 e, met after 0.54 s at e = 0.71, where
    it asks for no more than 1.6 rad/s^2: the wheel slides down along it, e^-20 in 13.5 s. A sampled loop would hit back
    and forth across the line."""
    engine = engine_of(wheel(effort=0.02))
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), gains(100.0, 1e5 / 3.0)))
    steps = record_steps(engine, 14000)
    position, velocity = steps.position[:, 0], steps.velocity[:, 0]
    assert np.abs(steps.effort).max() <= 0.02 * (1.0 + 1e-12)
    assert np.diff(position, prepend=0.0).min() >= 0.0
    assert position.max() < 1.0
    np.testing.assert_allclose(velocity[601:], 1.5 * (1.0 - position[601:]), rtol=0.0, atol=2e-3)
    assert position[-1] == pytest.approx(1.0, abs=1e-8)


def test_a_stiff_loop_presses_on_a_stop_with_its_limit() -> None:
    engine = engine_of(wheel(effort=5.0, lower=-1.0, upper=0.4))
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), gains(100.0, 1.0)))
    make_steps(engine, 500)
    assert engine.snapshot().position[0] == pytest.approx(0.4, abs=1e-9)
    assert engine.snapshot().effort[0] == pytest.approx(5.0, rel=1e-12)


@pytest.mark.parametrize("turn", [1.0, 3.0, 100.0])
def test_stiff_loops_of_a_chain_feel_each_other_and_come_to_rest(turn: float) -> None:
    """Eight joints, with D / P = 0.3 s: for the lightest way each of them can move that is 300 to 3e6 times what a step
    takes away, for all together, 1.4 kg m^2 at the first, it is 0.02 and more. The slowest decay is P / D and a little
    more, 4 / s: e^-32 in 8 s."""
    engine, gain = engine_of(chain_of_hinges(8)), 1e-4 * (turn / DT) ** 2
    for axis in range(8):
        engine.set_drive(axis, Drive(DriveKind.POSITION, Constant(0.1), Gains(gain, 0.0, 0.3 * gain)))
    make_steps(engine, 8000)
    assert engine.snapshot().position == pytest.approx([0.1] * 8, abs=1e-9)
    assert np.abs(engine.snapshot().velocity).max() < 1e-9


def test_loops_of_a_differential_share_the_limit_of_an_axis() -> None:
    """Two stiff loops push joint 1 with factors 3 and 4, each strong enough for all of its 0.35 N m: never more than
    that together."""
    law = DifferentialTransmission((3.0, 4.0), (1.0, 2.0), (0.0, 0.0))
    bound = BoundTransmission("t", "Differential", law, (0, 1), (0, 1))
    actuators = Actuators([Actuator("left", 0), Actuator("right", 0)], [bound], n_axes=2)
    wheels = mechanism(
        link("a"), link("b"), joint("j", "revolute", "world", "a", axis={"effort": 0.35}),
        joint("k", "revolute", "world", "b", axis={"effort": 0.35}),
    )  # fmt: skip
    engine = engine_of(wheels, actuators)
    for index, wanted in enumerate((2.0, -1.0)):
        engine.drive_actuator(index, Drive(DriveKind.POSITION, Constant(wanted), Gains(1e5, 0.0, 1e3)))
    assert np.abs(record_steps(engine, 3000).effort).max() <= 0.35 * (1.0 + 1e-12)
    assert actuators.position(engine.snapshot().position) == pytest.approx([2.0, -1.0], abs=1e-6)


@pytest.mark.parametrize("damping", [0.0, 0.3, 1.0, 30.0])
@pytest.mark.parametrize("turn", [1e-3, 0.3, 1.0, 1.7, 5.0, 1e3])
def test_the_law_adds_inertia_and_damping_and_never_takes_any(turn: float, damping: float) -> None:
    """v1 - v0 = -W dt (k x + B v0 + c (v1 - v0)) is the midpoint rule for an inertia of 1 / W + dt (c - B / 2) and a
    damping of B - dt k / 2: with both at least as large as without the loop, its energy cannot grow, however many
    coordinates feel each other."""
    mobility, dt = 7.0, 1e-3
    stiffness = (turn / dt) ** 2 / mobility
    first, later = servo_law(stiffness, 2.0 * damping * turn / dt / mobility, mobility, dt)
    assert first >= 0.5 * dt * stiffness * (1.0 - 1e-9)
    assert later >= 0.5 * first


def test_a_servo_of_several_axes_holds_their_sum() -> None:
    """x = q1 + 2 q2 at 1 with a stiff loop: the wheels share by their factors, for both are alike: q = (1, 2) / 5."""
    wheels = mechanism(link("a"), link("b"), joint("j", "revolute", "world", "a"), joint("k", "revolute", "world", "b"))
    bounded = BoundedMechanism(wheels)
    for _ in range(50):
        state = bounded.model.joint_state()
        reached = float(state.position[0] + 2.0 * state.position[1])
        bounded.set_servos([Servo(((0, 1.0), (1, 2.0)), 1e9, 1e8 * (1.0 - reached), 1e8, 1e3)])
        bounded.step(DT)
    assert bounded.model.joint_state().position == pytest.approx([0.2, 0.4], abs=1e-9)


def test_a_loop_that_is_taken_away_leaves_nothing_behind() -> None:
    """The wheel turns on as it did."""
    engine = engine_of(wheel())
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), gains(0.1, 1.0)))
    engine.step()
    speed = engine.snapshot().velocity[0]
    assert speed > 0.0
    engine.set_drive(0, None)
    make_steps(engine, 3)
    assert engine.snapshot().velocity[0] == speed
    assert engine.snapshot().effort[0] == 0.0
