"""What two surfaces make of each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.model.material import FrictionDirection, Surface
from simulator.spatial.rotation import quat_from_rpy
from tests.helpers.surfaces import Friction, Solid, friction_between

UP = np.array((0.0, 0.0, 1.0))
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def solid(surface: Surface, direction: tuple[int, tuple[float, float, float]] | None = None) -> Solid:
    return Solid(surface, direction)


def grained(mu: float, mu2: float, xyz: tuple[float, float, float] = X, body: int = 1, slip2: float = 0.0) -> Solid:
    surface = Surface(friction=mu, friction2=mu2, slip2=slip2, direction=FrictionDirection(xyz, xyz_link=xyz))
    return solid(surface, (body, xyz))


def poses(yaw: float = 0.0) -> np.ndarray:
    """World, and two bodies of which the second is turned."""
    still = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    return np.array([still, still, (0.0, 0.0, 0.0, *quat_from_rpy(0.0, 0.0, yaw))])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (solid(Surface(0.5)), solid(Surface(0.8)), Friction(0.5)),
        (solid(Surface(0.5, slip=0.1)), solid(Surface(0.8, slip=0.2)), Friction(0.5, slip=(0.3, 0.3))),
        (grained(0.8, 0.2), solid(Surface(0.5)), Friction(0.5, 0.4, X, 1)),
        (solid(Surface(0.5)), grained(0.8, 0.2), Friction(0.5, 0.4, X, 1)),
        (grained(0.8, 0.2), grained(0.4, 0.3, Y), Friction(0.4, 0.5, Y, 1)),
        (grained(0.4, 0.2), grained(0.4, 0.3, Y), Friction(0.4, 0.5, X, 1)),
        (grained(0.2, 0.8), solid(Surface(1.0)), Friction(0.8, 4.0, X, 1)),
        (grained(0.0, 0.8), solid(Surface(1.0)), Friction(0.8, math.inf, X, 1)),
        (grained(0.8, 0.2, Z), solid(Surface(1.0)), Friction(0.8)),
        (grained(0.8, 0.2), solid(Surface(0.1)), Friction(0.1)),
        (grained(0.8, 0.8, slip2=0.1), solid(Surface(1.0, slip=0.2)), Friction(0.8, 1.0, X, 1, (0.2, 0.3))),
    ],
)
def test_the_smaller_coefficient_in_each_direction_and_both_slips(a: Solid, b: Solid, expected: Friction) -> None:
    found = friction_between(a, b, UP, poses())
    assert found.direction == expected.direction
    assert (found.mu, found.ratio, *found.slip) == pytest.approx((expected.mu, expected.ratio, *expected.slip))
    assert found.carrier == expected.carrier


def test_the_direction_turns_with_its_carrier() -> None:
    found = friction_between(grained(0.8, 0.2, body=2), solid(Surface()), UP, poses(0.3))
    assert found.direction == pytest.approx((math.cos(0.3), math.sin(0.3), 0.0), abs=1e-15)
    assert found.carrier == 2
