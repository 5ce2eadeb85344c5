"""Friction of two surfaces if either has a direction or slips: the rule that combines both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Vector

    Rubbing = tuple[float, float, float, float, int]
    """Coefficients of friction along its direction and across it, slip for each newton of it likewise [m/s/N], and
    which direction that is, -1 for none."""

NO_DIRECTION = -1
PARALLEL = 1e-6
"""Sine of the angle to the normal below which a direction leaves open where along the surface it points."""


@compiled
def combined(first: Rubbing, second: Rubbing) -> Rubbing:
    """What two surfaces make of each other: the smaller coefficient in each direction, and the slip of both. The
    direction is that of the surface with the smaller coefficient along it where both have one, of the first where these
    are the same."""
    turned = first[4] == NO_DIRECTION or (second[4] != NO_DIRECTION and second[0] < first[0])
    which = second[4] if turned else first[4]
    return min(first[0], second[0]), min(first[1], second[1]), first[2] + second[2], first[3] + second[3], which


@compiled
def is_even(rubbing: Rubbing) -> bool:
    """Whether it rubs the same in every direction."""
    return rubbing[4] == NO_DIRECTION or (rubbing[0] == rubbing[1] and rubbing[2] == rubbing[3])


@compiled
def in_columns(rubbing: Rubbing) -> tuple[float, float]:
    """(the larger coefficient, that across the direction as a part of that along it), as the tables have them."""
    along = rubbing[0]
    across = rubbing[1]
    ratio = 1.0
    if along != across:
        ratio = across / along if along > 0.0 else np.inf
    return max(along, across), ratio


@compiled
def is_across(direction: Vector, n: Vector) -> bool:
    """Whether a direction, a unit vector, points anywhere along a surface with the normal n."""
    s = cross(direction, n)
    return bool(dot(s, s) > PARALLEL * PARALLEL)
