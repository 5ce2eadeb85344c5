"""PID loops on a double integrator, m ẍ = u + f, whose answers have closed forms.

Between samples u is constant, so the plant is advanced exactly; what remains is the delay of half a sample, an error of
first order in dt. Tests therefore bound the error by a constant times dt, and see it halve with dt.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from simulator.engine.pid import Gains, Loop, position_gains, velocity_gains
from simulator.errors import UsageError

MASS, T = 2.5, 0.1


def run(
    gains: Gains, seconds: float, dt: float, target: Callable[[float], tuple[float, float]], *,
    push: float = 0.0, speed_loop: bool = False,
) -> tuple[list[float], list[float], list[float]]:  # fmt: skip
    """Positions, velocities and efforts of the mass; `target` gives what is wanted and its rate, `push` is a constant
    force."""
    loop, x, v = Loop(gains), 0.0, 0.0
    xs, vs, us = [x], [v], []
    for i in range(round(seconds / dt)):
        wanted, rate = target(i * dt)
        error, error_rate = (wanted - v, 0.0) if speed_loop else (wanted - x, rate - v)
        u, loop = loop.step(error, error_rate, dt)
        a = (u + push) / MASS
        x, v = x + v * dt + 0.5 * a * dt * dt, v + a * dt
        xs.append(x)
        vs.append(v)
        us.append(u)
    return xs, vs, us


def step_to(value: float) -> Callable[[float], tuple[float, float]]:
    return lambda _: (value, 0.0)


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_pd_answers_a_step_as_two_equal_poles_do(dt: float) -> None:
    """x = 1 − (1 + t/T) e^(−t/T)."""
    xs, _, _ = run(position_gains(MASS, T, integral=False), 1.0, dt, step_to(1.0))
    worst = max(abs(x - (1.0 - (1.0 + i * dt / T) * math.exp(-i * dt / T))) for i, x in enumerate(xs))
    assert worst < 4.0 * dt


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_pid_answers_a_step_as_three_equal_poles_do(dt: float) -> None:
    """X/R = (3s²/T + 3s/T² + 1/T³) / (s + 1/T)³ with D acting on the error's rate after the jump only: with the
    target's rate taken as 0, X/R = (3s/T² + 1/T³) / (s + 1/T)³, so x = 1 − e^(−τ) (1 + τ − τ²) with τ = t/T."""
    xs, _, _ = run(position_gains(MASS, T), 2.0, dt, step_to(1.0))

    def closed(time: float) -> float:
        tau = time / T
        return 1.0 - math.exp(-tau) * (1.0 + tau - tau * tau)

    assert max(abs(x - closed(i * dt)) for i, x in enumerate(xs)) < 10.0 * dt


def test_pd_leaves_what_a_push_needs_and_the_integral_takes_it_away() -> None:
    """Steady: P e = −f. With the integral e goes to zero as e^(−t/T), 20 T are 2e-9 (times t² terms)."""
    pd, pid = position_gains(MASS, T, integral=False), position_gains(MASS, T)
    assert run(pd, 3.0, 1e-3, step_to(1.0), push=-30.0)[0][-1] == pytest.approx(1.0 - 30.0 / pd.proportional, abs=1e-9)
    xs, _, us = run(pid, 4.0, 1e-3, step_to(1.0), push=-30.0)
    assert xs[-1] == pytest.approx(1.0, abs=1e-9)
    assert us[-1] == pytest.approx(30.0, abs=1e-6)


def test_a_ramp_is_followed_without_lag() -> None:
    """P and D act on e and ė: a target that moves evenly is met, whereas D on the velocity alone would lag by D v / P =
    2 T v."""
    xs, vs, _ = run(position_gains(MASS, T, integral=False), 3.0, 1e-3, lambda t: (0.8 * t, 0.8))
    assert xs[-1] == pytest.approx(0.8 * 3.0, abs=1e-9)
    assert vs[-1] == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_a_velocity_loop_answers_as_its_poles_do(dt: float) -> None:
    """P alone: v = 1 − e^(−t/T). With the integral v = 1 − (1 − t/T) e^(−t/T), and a push is held."""
    _, vs, _ = run(velocity_gains(MASS, T, integral=False), 1.0, dt, step_to(1.0), speed_loop=True)
    assert max(abs(v - (1.0 - math.exp(-i * dt / T))) for i, v in enumerate(vs)) < 3.0 * dt
    _, vs, _ = run(velocity_gains(MASS, T), 1.0, dt, step_to(1.0), speed_loop=True)
    assert max(abs(v - (1.0 - (1.0 - i * dt / T) * math.exp(-i * dt / T))) for i, v in enumerate(vs)) < 12.0 * dt
    _, vs, us = run(velocity_gains(MASS, T), 4.0, dt, step_to(1.0), push=-7.0, speed_loop=True)
    assert vs[-1] == pytest.approx(1.0, abs=1e-9)
    assert us[-1] == pytest.approx(7.0, abs=1e-6)


def test_the_effort_never_exceeds_its_limit() -> None:
    """While it is cut off, the mass moves as under a constant force: x = ½ (limit/m) t²."""
    xs, _, us = run(position_gains(MASS, T, limit=5.0), 6.0, 1e-3, step_to(1.0))
    assert max(abs(u) for u in us) == 5.0
    assert us[:300] == [5.0] * 300
    assert xs[300] == pytest.approx(0.5 * 5.0 / MASS * 0.3**2, rel=1e-12)
    assert xs[-1] == pytest.approx(1.0, abs=1e-6)


def test_the_integral_does_not_wind_up() -> None:
    """Held down by a push that the limit cannot beat, the integral waits: set free, the mass starts back within the
    linear range. The error was 1 for 5 s, so a loop that winds up has stored 5 m·s; this one has stored no more than
    the limit needs."""
    gains = Gains(100.0, 50.0, 30.0, limit=20.0)
    loop = Loop(gains)
    for _ in range(5000):
        effort, loop = loop.step(1.0, 0.0, 1e-3)
    assert effort == 20.0
    assert loop.stored == 0.0
    effort, loop = loop.step(-0.1, 0.0, 1e-3)
    assert effort == pytest.approx(-10.0 - 50.0 * 1e-4)


def test_an_error_that_leads_back_is_stored_while_the_effort_is_cut_off() -> None:
    loop = Loop(Gains(0.0, 10.0, limit=1.0), stored=5.0)
    effort, loop = loop.step(-1.0, 0.0, 0.1)
    assert effort == 1.0
    assert loop.stored == pytest.approx(4.9)
    assert loop.reset().stored == 0.0


def test_feed_forward_is_added_within_the_limit() -> None:
    effort, _ = Loop(Gains(10.0, limit=4.0)).step(0.1, 0.0, 1e-3, feed_forward=2.0)
    assert effort == pytest.approx(3.0)
    effort, _ = Loop(Gains(10.0, limit=4.0)).step(0.1, 0.0, 1e-3, feed_forward=9.0)
    assert effort == 4.0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Gains(-1.0), "the proportional gain must be finite and 0 or more, not -1"),
        (lambda: Gains(1.0, math.inf), "the integral gain"),
        (lambda: Gains(1.0, 0.0, math.nan), "the derivative gain"),
        (lambda: Gains(1.0, limit=0.0), "effort limit of a loop must be more than 0"),
        (lambda: position_gains(0.0, 0.1), "give no gains"),
        (lambda: velocity_gains(1.0, -0.1), "give no gains"),
    ],
)
def test_what_is_no_loop_is_refused(make, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()
