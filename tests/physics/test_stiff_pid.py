"""Loops with all three gains, resolved by the step or not, against the linear equation of third order that they make.

A wheel of inertia h on a loop with gains P, I, D obeys h e''' + D e'' + P e' + I e = 0; its poles are chosen, and the
gains follow: (s + a)(s + b)(s + c) = s^3 + D / h s^2 + P / h s + I / h.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.engine.pid import Gains
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.mechanism.types import Mechanism
from simulator.model.profiles import Constant, Sine
from simulator.physics.rows.servos import pid_law, servo_law
from tests.helpers.mechanisms import chain_of_hinges, joint, link, mechanism
from tests.physics.worlds import make_steps, record_steps

Array = NDArray[np.float64]
Poles = tuple[complex, complex, complex]
DT = 1e-3
WHEEL = 0.01
"""Inertia of the helper's links [kg m^2]."""
EQUAL: Poles = (-1.0, -1.0, -1.0)
APART: Poles = (-0.2, -1.0, -4.0)
SWINGING: Poles = (-0.3, -0.2 + 0.9j, -0.2 - 0.9j)
FALLING: Poles = (-3.0, -0.1 + 0.3j, -0.1 - 0.3j)
KINDS = pytest.mark.parametrize("poles", [EQUAL, APART, SWINGING, FALLING], ids=["equal", "apart", "swing", "fall"])


def engine_of(built: Mechanism, dt: float = DT) -> Engine:
    return Engine(built, ReducedDynamics(built, dt=dt), dt=dt)


def wheel(**axis: object) -> Mechanism:
    return mechanism(link("a"), joint("j", "revolute", "world", "a", axis=dict(axis)))


def gains(poles: Poles, turn: float, inertia: float = WHEEL) -> Gains:
    """Of a loop whose poles turn or decay by `turn` times these numbers a step of `DT`."""
    damping, stiffness, integral = np.poly(np.array(poles) * turn / DT).real[1:].tolist()
    return Gains(inertia * stiffness, inertia * integral, inertia * damping)


def exponential(matrix: Array) -> Array:
    """Of a matrix: Taylor's series of a 2^-k-th of it, squared k times."""
    halvings = max(0, int(np.ceil(np.log2(np.abs(matrix).sum() + 1e-300))) + 4)
    part, term, total = matrix / 2.0**halvings, np.eye(len(matrix)), np.eye(len(matrix))
    for n in range(1, 20):
        term = term @ part / n
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


def answer(given: Gains, dt: float, steps: int) -> Array:
    """Positions of the wheel at the steps after the target has gone from 0 to 1: of (x - 1, x', integral of 1 - x),
    shape (steps + 1,)."""
    rows = [[0, 1, 0], [-given.proportional / WHEEL, -given.derivative / WHEEL, given.integral / WHEEL], [-1, 0, 0]]
    once, state, found = exponential(dt * np.array(rows, dtype=float)), np.array([-1.0, 0.0, 0.0]), [0.0]
    for _ in range(steps):
        state = once @ state
        found.append(1.0 + float(state[0]))
    return np.array(found)


def positions(engine: Engine, given: Gains, steps: int) -> Array:
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), given))
    before = engine.snapshot().position[:1]
    return np.concatenate((before, record_steps(engine, steps).position[:, 0]))


@KINDS
def test_a_loop_that_the_step_resolves_is_the_equation_of_third_order(poles: Poles) -> None:
    """Poles are exact; as an effort is constant within a step, (s dt)^2 / 12 is missing from each where they start each
    other: of second order, and a quarter of it at half the step. Efforts of the start of a step would err by s dt."""
    errors = []
    for turn in (0.02, 0.01):
        given, steps = gains(poles, turn), round(12.0 / turn)
        errors.append(float(np.abs(positions(engine_of(wheel()), given, steps) - answer(given, DT, steps)).max()))
    largest = max(abs(pole) for pole in poles)
    assert errors[0] < (0.02 * largest) ** 2
    assert errors[1] == pytest.approx(errors[0] / 4.0, rel=0.1)


def test_a_loop_that_is_unstable_grows_as_it_does_in_continuous_time() -> None:
    """Without a derivative gain every integral is too much: s^3 + 1 s + 1 has the roots 0.34 +- 1.16i and -0.68 (in
    units of the turn). Over two swings it grows 30 fold; the error is of second order in the step, as that of stable
    ones."""
    errors = []
    for turn in (0.02, 0.01):
        rate = turn / DT
        given, steps = Gains(WHEEL * rate**2, WHEEL * rate**3, 0.0), round(12.0 / turn)
        expected = answer(given, DT, steps)
        assert np.abs(expected).max() > 30.0
        errors.append(float(np.abs(positions(engine_of(wheel()), given, steps) - expected).max()))
    assert errors[0] < 0.02**2 * 30.0
    assert errors[1] == pytest.approx(errors[0] / 4.0, rel=0.1)


@KINDS
@pytest.mark.parametrize("turn", [1e-2, 0.1, 1.0])
def test_the_poles_of_the_steps_are_those_of_the_loop(poles: Poles, turn: float) -> None:
    """e(k + 3) = c1 e(k + 2) - c2 e(k + 1) + c3 e(k) with the symmetric functions of exp(s dt): swings are of less than
    a radian a step. 1e-12 for errors of up to 1 and coefficients of up to 3."""
    e = 1.0 - positions(engine_of(wheel()), gains(poles, turn), 60)
    recurrence = np.poly(np.exp(np.array(poles) * turn)).real
    assert np.abs(np.convolve(e, recurrence, mode="valid")).max() < 1e-12


@KINDS
@pytest.mark.parametrize("turn", [3.0, 1e1, 1e2, 1e3, 1e5])
def test_a_loop_faster_than_the_step_comes_to_rest(poles: Poles, turn: float) -> None:
    """Its slowest pole is at most exp(-0.6) a step, with its multiplicity: below 1e-12 after 80."""
    x = positions(engine_of(wheel()), gains(poles, turn), 80)
    assert np.abs(x).max() < 5.0
    assert x[-1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("turn", [1e-2, 1.0, 1e2, 1e4])
def test_the_integral_takes_the_weight(turn: float) -> None:
    """A slider of 1 kg is lifted to 1 m and stays there, and the effort is its weight."""
    engine = engine_of(mechanism(link("a"), joint("j", "prismatic", "world", "a")))
    assert engine.mechanism.gravity == (0.0, 0.0, -9.8)
    x = positions(engine, gains(EQUAL, turn, 1.0), max(round(45.0 / turn), 100))
    assert x[-1] == pytest.approx(1.0, abs=1e-10)
    assert engine.snapshot().effort[0] == pytest.approx(9.8, rel=1e-9)


PAIRS = pytest.mark.parametrize("poles", [(-1.0, -1.001), (-0.3, -2.0), (-0.5 + 0.7j, -0.5 - 0.7j)])


def velocity_errors(poles: tuple[complex, complex], turn: float, steps: int) -> Array:
    """What a wheel that a loop brings to 2 rad/s lacks at the steps, shape (steps + 1,)."""
    proportional, integral = np.poly(np.array(poles) * turn / DT).real[1:].tolist()
    engine = engine_of(wheel())
    engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(2.0), Gains(WHEEL * proportional, WHEEL * integral)))
    return np.concatenate(([2.0], 2.0 - record_steps(engine, steps).velocity[:, 0]))


@PAIRS
@pytest.mark.parametrize("turn", [1e-2, 0.1])
def test_a_velocity_loop_with_an_integral_is_the_equation_of_second_order(
    poles: tuple[complex, complex], turn: float
) -> None:
    """h v' = P e + I s: with poles a and b, e = 2 (a exp(a t) - b exp(b t)) / (a - b). Of second order, as
    `test_stiff_loops` has it."""
    (a, b), steps = np.array(poles) * turn, round(10.0 / turn)
    n = np.arange(steps + 1)
    wanted = (2.0 * (a * np.exp(a * n) - b * np.exp(b * n)) / (a - b)).real
    assert np.abs(velocity_errors(poles, turn, steps) - wanted).max() < 2.0 * turn**2 / 6.0


@PAIRS
@pytest.mark.parametrize("turn", [1.0, 1e2, 1e4])
def test_a_velocity_loop_faster_than_the_step_comes_to_rest(poles: tuple[complex, complex], turn: float) -> None:
    """Its slowest pole is at most exp(-0.3) a step: below 1e-9 after 80."""
    assert abs(velocity_errors(poles, turn, 80)[-1]) < 1e-9


def test_a_stiff_loop_follows_a_sine() -> None:
    """With an integral the loop is bent by I a / P only while that changes; within a step the way is a parabola, see
    `test_stiff_loops`."""
    engine, sine = engine_of(wheel()), Sine(0.3, 2.0)
    engine.set_drive(0, Drive(DriveKind.POSITION, sine, gains(EQUAL, 100.0)))
    steps = record_steps(engine, 1000)
    wanted = [sine.value(time) for time in steps.time.tolist()]
    np.testing.assert_allclose(steps.position[21:, 0], wanted[21:], rtol=0.0, atol=1e-6)


def test_the_integral_of_a_stiff_loop_does_not_wind_up() -> None:
    """0.02 N m give 0.01 kg m^2 2 rad/s^2 until P e + D e' = 0, on the line e' = -1.5 e: nothing has been stored by
    then. From there on the inertia counts for nothing, D e'' + P e' + I e = 0: e = e1 exp(-k t) (cos w t - k / w sin w
    t) with k = 3/4 and w^2 = 3/4 - k^2. The tolerance is that of the line in `test_stiff_loops`."""
    engine, gain = engine_of(wheel(effort=0.02)), WHEEL * 1e10
    given = Gains(gain, 0.5 * gain, gain / 1.5)
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), given))
    steps = record_steps(engine, 12000)
    x, efforts = steps.position[:, 0], steps.effort[:, 0]
    assert np.abs(efforts).max() <= 0.02 * (1.0 + 1e-12)
    first = int(np.flatnonzero(np.abs(efforts) < 0.0199)[0])
    time = DT * np.arange(len(x) - first)
    k, w = 0.75, math.sqrt(0.75 - 0.75**2)
    wanted = (1.0 - x[first]) * np.exp(-k * time) * (np.cos(w * time) - k / w * np.sin(w * time))
    assert np.abs(1.0 - x[first:] - wanted).max() < 2e-3


@pytest.mark.parametrize("turn", [0.3, 3.0, 100.0])
def test_stiff_loops_of_a_chain_feel_each_other_and_come_to_rest(turn: float) -> None:
    """As in `test_stiff_loops`: 0.3 s^2 + s + 1 = 0 for the slowest, which decays by exp(-1.7 t): e^-20 in 12 s."""
    engine, gain = engine_of(chain_of_hinges(4)), 1e-4 * (turn / DT) ** 2
    for axis in range(4):
        engine.set_drive(axis, Drive(DriveKind.POSITION, Constant(0.1), Gains(gain, gain, 0.3 * gain)))
    make_steps(engine, 12000)
    assert engine.snapshot().position == pytest.approx([0.1] * 4, abs=1e-8)
    assert np.abs(engine.snapshot().velocity).max() < 1e-8


def test_the_law_places_the_poles_of_any_loop() -> None:
    """The matrix of a step of x, dt v and s / dt has the characteristic polynomial of exp(s dt), of poles whose swings
    are damped where they turn by more than a radian: loops of all kinds, with gains between 1e-12 and 1e12 times what
    one radian a step needs. Coefficients to 1e-9: of 3 and of rounding in roots that are nearly equal."""
    random = np.random.default_rng(7)
    mobility, dt = 3.0, 1e-3
    for _ in range(2000):
        size, share = 10.0 ** random.uniform(-4, 4), random.uniform(0.0, 1.0)
        apart = 10.0 ** random.uniform(-4, 0, 3)
        pair = apart[0] * np.exp(1j * np.arccos(-share))
        poles = np.array([pair, pair.conjugate(), -apart[2]] if random.random() < 0.5 else -apart) * size
        loss, swing, strength = np.poly(poles).real[1:].tolist()
        of = strength / mobility / dt**3, swing / mobility / dt**2, loss / mobility / dt
        follow, first, later = pid_law(*of, mobility, dt)
        k = np.array([-follow * dt**2, -first * dt, strength / mobility]) * mobility / (1.0 + later * dt * mobility)
        step = np.array([[1, 1, 0], [0, 1, 0], [-1, -0.5, 1]]) + np.outer([0.5, 1.0, -1.0 / 6.0], k)
        assert np.poly(step) == pytest.approx(np.poly(np.exp(damped(poles))).real, abs=1e-9)


def damped(poles: Array) -> Array:
    """Poles as `rows.servos` has them: a swing of more than a radian a step decays at least that much, critically
    from two on."""
    found = []
    for pole in poles:
        turn = abs(pole)
        if abs(pole.imag) == 0.0:
            found.append(pole)
            continue
        half = max(-pole.real, turn * min(max(turn - 1.0, 0.0), 1.0))
        found.append(-half + 1j * np.sign(pole.imag) * np.sqrt(max(turn * turn - half * half, 0.0)))
    return np.array(found)


@pytest.mark.parametrize("turn", [1e-3, 0.3, 1.7, 50.0])
def test_a_small_integral_changes_little(turn: float) -> None:
    """The third pole is then I / P, a millionth of `turn` a step; every number changes by about that."""
    mobility, dt = 3.0, 1e-3
    stiffness, damping = (turn / dt) ** 2 / mobility, 2.0 * turn / dt / mobility
    first, later = servo_law(stiffness, damping, mobility, dt)
    found = pid_law(1e-6 * stiffness * turn / dt, stiffness, damping, mobility, dt)
    assert found == pytest.approx((stiffness, first, later), rel=3e-6 * max(turn, 1.0))
