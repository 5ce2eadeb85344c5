"""Friction of two surfaces of which any has a direction: what both make of it, and how it comes into the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled.vector_kernels import cross, dot, rotated
from simulator.dynamics.jit import compiled, inlined

if TYPE_CHECKING:
    from simulator.collision.geometry import Geometry
    from simulator.collision.room import Room
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


@compiled
def give_direction(G: Geometry, room: Room, first: int, last: int, rubbing: Rubbing) -> None:
    """Lines of the tables from `first` to before `last`, which are of two surfaces, get their friction; where the
    direction is along the normal, that along it everywhere."""
    which, CI, CF = rubbing[2], room.ints, room.floats
    u, carrier, node = G.direction[which], G.direction_body[which], G.direction_node[which]
    d = rotated(room.bodies[carrier], 0, (u[0], u[1], u[2]))
    mu, ratio = in_columns(rubbing)
    for c in range(first, last):
        CF[c, row_at.MU] = rubbing[0]
        if ratio != 1.0 and is_across(d, (CF[c, 3], CF[c, 4], CF[c, 5])):
            CF[c, row_at.MU], CF[c, row_at.RATIO] = mu, ratio
            CI[c, row_at.OF_DIRECTION], CI[c, row_at.OF_DIRECTION + 1] = node, carrier
            for a in range(3):
                CF[c, row_at.DIRECTION + a] = d[a]
