"""Friction of two surfaces of which any has a direction: what both make of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.vector_kernels import cross, dot
from simulator.dynamics.jit import compiled, inlined

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Vector

    Rubbing = tuple[float, float, int]
    """Coefficients of friction along its direction and across it, and which direction that is, -1 for none."""

NO_DIRECTION = -1
PARALLEL = 1e-6
"""Sine of the angle to the normal below which a direction leaves open where along the surface it points."""


@compiled
def combined(first: Rubbing, second: Rubbing) -> Rubbing:
    """What two surfaces make of each other: the smaller coefficient in each direction. The direction is that of the
    surface with the smaller coefficient along it where both have one, of the first where these are the same."""
    turned = first[2] == NO_DIRECTION or (second[2] != NO_DIRECTION and second[0] < first[0])
    return min(first[0], second[0]), min(first[1], second[1]), second[2] if turned else first[2]


@inlined
def in_columns(rubbing: Rubbing) -> tuple[float, float]:
    """(the larger coefficient, that across the direction as a part of that along it), as the tables have them."""
    along, across, _ = rubbing
    ratio = 1.0
    if along != across:
        ratio = across / along if along > 0.0 else np.inf
    return max(along, across), ratio


@inlined
def is_across(direction: Vector, n: Vector) -> bool:
    """Whether a direction, a unit vector, points anywhere along a surface with the normal n."""
    s = cross(direction, n)
    return bool(dot(s, s) > PARALLEL * PARALLEL)
