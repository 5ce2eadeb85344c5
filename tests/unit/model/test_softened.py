"""A profile joined from elsewhere: it begins at a given state, ends on the profile, and stays within speed and
acceleration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.model.profiles import Constant, Sine
from simulator.model.softened import Softened

ROUND_OFF = 1e-9


@pytest.mark.parametrize("offset", [-15.0, -0.3, 0.0, 2.0])
@pytest.mark.parametrize("rate", [-1.5, 0.0, 0.7, 5.0])
def test_it_joins_within_its_bounds(offset: float, rate: float) -> None:
    """Positions are the integral of rates and rates that of accelerations: both to the 1e-3 s of the samples, times the
    acceleration."""
    soft = Softened(Constant(1.0), 2.0, offset, rate, 3.0, 10.0)
    assert soft.value(2.0) == 1.0 + offset
    assert soft.rate(2.0) == rate
    end = 2.0 + soft.duration
    assert soft.value(end + 1e-6) == pytest.approx(1.0, abs=1e-9)
    assert soft.rate(end + 1e-6) == 0.0
    times = np.linspace(2.0, end, 4001)
    values, rates = (np.array([f(t) for t in times.tolist()]) for f in (soft.value, soft.rate))
    assert np.abs(rates).max() <= max(3.0, abs(rate)) + ROUND_OFF
    if soft.duration > 0.0:
        dt = times[1] - times[0]
        assert np.abs(np.diff(rates)).max() <= 10.0 * dt + ROUND_OFF
        steps = 0.5 * dt * (rates[1:] + rates[:-1])
        assert np.abs(np.diff(values) - steps).max() <= 10.0 * dt * dt


def test_a_triangle_takes_the_least_time() -> None:
    """From rest over w with acceleration a: 2 sqrt(w / a), where the speed is not reached."""
    soft = Softened(Constant(0.0), 0.0, 0.4, 0.0, 100.0, 10.0)
    assert soft.duration == pytest.approx(2.0 * math.sqrt(0.4 / 10.0), rel=1e-12)


def test_a_trapezoid_takes_its_time() -> None:
    """w / v + v / a, where the speed v is reached."""
    soft = Softened(Constant(0.0), 0.0, -6.0, 0.0, 2.0, 4.0)
    assert soft.duration == pytest.approx(6.0 / 2.0 + 2.0 / 4.0, rel=1e-12)


def test_what_changes_over_time_is_joined_too() -> None:
    wanted = Sine(0.5, 1.0)
    soft = Softened(wanted, 1.0, 0.3, 0.0, 1.0, 5.0)
    assert soft.value(1.0) == pytest.approx(wanted.value(1.0) + 0.3)
    assert soft.value(5.0) == wanted.value(5.0)
    assert soft.rate(5.0) == wanted.rate(5.0)
