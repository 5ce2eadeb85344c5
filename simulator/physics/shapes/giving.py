"""Rare properties of surfaces, and rules that combine two: torsional friction, a threshold velocity of bouncing, and
compliance.

The rules are those of Gazebo (classic, gazebo/physics/ode/ODEPhysics.cc, Collide): the smaller coefficient of torsional
friction; the larger radius of the patch if both give one, else the radius of curvature 1 / (1 / R1 + 1 / R2); the
smaller threshold of bouncing; springs in series, 1 / (1 / k1 + 1 / k2), and the sum of both dampings. Slip adds up as
that of friction does (`shapes.friction`).

Friction of a patch of the radius a with the pressure of Hertz resists a moment of 3 pi / 16 mu a N about the normal
(Johnson, Contact Mechanics, 1985, 7.4; as in the tutorial on torsional friction of Gazebo), with a^2 = R d for an
overlap of d.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats

    Given = tuple[float, float, float, float, float, float, float]
    """Of two surfaces: coefficient of torsional friction, radius of the patch [m], or -1, and of curvature; spin for
    each newton metre [rad/s/(N m)]; threshold of bouncing [m/s], 0 where none is given; stiffness [N/m], 0 for rigid,
    and damping [N s/m]."""

COEFFICIENT, PATCH, RADIUS, SPIN, THRESHOLD, STIFFNESS, DAMPING, NUMBERS = range(8)
"""Of a surface, whose stiffness is infinite where it is rigid; the patch is -1 where the radius of curvature counts,
which is infinite where it is flat."""
NEVER = 100_000.0
"""SDFormat's default of the least velocity [m/s] that bounces: as if none were given."""


@compiled
def given_between(first: Floats, second: Floats) -> Given:
    """What two surfaces, NUMBERS of each, make of each other."""
    patch = max(first[PATCH], second[PATCH]) if min(first[PATCH], second[PATCH]) >= 0.0 else -1.0
    curved = 1.0 / first[RADIUS] + 1.0 / second[RADIUS]
    stiffness = damping = 0.0
    if min(first[STIFFNESS], second[STIFFNESS]) < math.inf:
        stiffness = 1.0 / (1.0 / first[STIFFNESS] + 1.0 / second[STIFFNESS])
        damping = first[DAMPING] + second[DAMPING]
    threshold = min(first[THRESHOLD], second[THRESHOLD])
    return (
        min(first[COEFFICIENT], second[COEFFICIENT]),
        patch,
        1.0 / curved if curved > 0.0 else 0.0,
        first[SPIN] + second[SPIN],
        threshold if threshold < NEVER else 0.0,
        stiffness,
        damping,
    )


@compiled
def twisting(given: Given, gap: float) -> float:
    """The moment about the normal that friction holds for each newton of the normal force [m]; below 0 where the patch
    comes of how far contacts give way: a rigid contact does not overlap, and has no patch but a given one."""
    patch = given[1]
    if patch < 0.0:
        patch = -math.sqrt(given[2] * max(-gap, 0.0)) if given[5] > 0.0 else 0.0
    return 3.0 * math.pi / 16.0 * given[0] * patch
