"""Watt's second six-bar generates a function, by the exact analysis of its document."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from simulator import synthesis
from simulator.building.synthesis.design import FourBarDesign
from simulator.errors import UsageError

TURN = math.radians(60.0)


def logarithm(count: int) -> list[tuple[float, float]]:
    """Turns of crank and output that are to x and log2(x) as 60 degrees to 1, x at Chebyshev's places from 1 to 2."""
    x = 1.5 - 0.5 * np.cos((2.0 * np.arange(count) + 1.0) * math.pi / (2 * count))
    return list(zip((TURN * (x - 1.0)).tolist(), (TURN * np.log2(x)).tolist(), strict=True))


def test_seven_pairs_are_met() -> None:
    """A sine over a quarter turn, at more pairs than a four-bar's five. By the exact analysis of its document the
    six-bar is as near as it says; two links of it have three pins, the ground and the rocker between, and they share
    one: Watt's chain, fixed at a link with three."""
    x = 0.5 - 0.5 * np.cos((2.0 * np.arange(7) + 1.0) * math.pi / 14.0)
    pairs = list(zip((TURN * x).tolist(), (TURN * np.sin(0.5 * math.pi * x)).tolist(), strict=True))
    best = min(synthesis.six_bar_function(pairs, effort=4), key=lambda design: design.error)
    assert best.error < 1e-12
    assert best.exact_error(pairs) == pytest.approx(best.error, abs=1e-10)
    assert best.least_transmission_angle > math.radians(15.0)
    simulation = best.draft().simulate()
    assert simulation.mobility == 1
    joints = [*simulation.mechanism.joints, *simulation.mechanism.loop_joints]
    pins = Counter(end for joint in joints for end in (joint.parent, joint.child))
    assert sorted(pins.values()) == [2, 2, 2, 2, 3, 3]
    assert pins[0] == 3


def test_the_logarithm_is_met_closer_than_by_a_four_bar() -> None:
    """Between nine pairs the six-bar stays within a fiftieth of what the best four-bar of five pairs does: 8e-3
    degrees, as there are two ways less to bend its curve."""
    pairs = logarithm(9)
    six, four = synthesis.six_bar_function(pairs, effort=4)[0], synthesis.function(logarithm(5))[0]
    assert six.error < 1e-5
    worst = {}
    for name, (first, _), turned in (
        ("six", pairs[0], six.output_turn),
        ("four", logarithm(5)[0], lambda turn: rocker_turn(four, turn)),
    ):
        x = np.linspace(1.0 + first / TURN, 2.0 - first / TURN, 101)
        got = np.array([turned(TURN * (at - x[0])) for at in x.tolist()])
        worst[name] = float(np.abs(got - TURN * np.log2(x / x[0])).max())
    assert worst["six"] < 2e-6
    assert 50.0 * worst["six"] < worst["four"] < math.radians(0.01)


def rocker_turn(design: FourBarDesign, turn: float) -> float:
    pins = design.pins(turn)
    assert pins is not None
    return float(np.angle((pins[1] - design.rocker_pivot) / (design.rocker_pin - design.rocker_pivot)))


def test_what_is_no_function() -> None:
    with pytest.raises(UsageError, match="4 to 30 pairs, not 3"):
        synthesis.six_bar_function([(0.0, 0.0), (0.1, 0.1), (0.2, 0.2)])
    with pytest.raises(UsageError, match="in the order of the crank"):
        synthesis.six_bar_function([(0.0, 0.0), (0.2, 0.1), (0.1, 0.2), (0.3, 0.3)])
