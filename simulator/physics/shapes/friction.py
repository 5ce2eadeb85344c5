"""Friction of two surfaces if either has a direction or slips: the rule that combines both.

Rare properties of surfaces are combined, too: torsional friction, a threshold velocity of bouncing, and compliance. The
rules are those of Gazebo (classic, gazebo/physics/ode/ODEPhysics.cc, Collide): the smaller coefficient of torsional
friction; the larger radius of the patch if both give one, else the radius of curvature 1 / (1 / R1 + 1 / R2); the
smaller threshold of bouncing; springs in series, 1 / (1 / k1 + 1 / k2), and the sum of both dampings. Slip adds up as
that of friction does.

Friction of a patch of the radius a with the pressure of Hertz resists a moment of 3 pi / 16 mu a N about the normal
(Johnson, Contact Mechanics, 1985, 7.4; as in the tutorial on torsional friction of Gazebo), with a^2 = R d for an
overlap of d.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Vector

    Rubbing = tuple[float, float, float, float, int]
    """Coefficients of friction along its direction and across it, slip for each newton of it likewise [m/s/N], and
    which direction that is, -1 for none."""
    from simulator.kinematics.arrays import Floats

    Given = tuple[float, float, float, float, float, float, float]
    """Of two surfaces: coefficient of torsional friction, radius of the patch [m], or -1, and of curvature; spin for
    each newton metre [rad/s/(N m)]; threshold of bouncing [m/s], 0 where none is given; stiffness [N/m], 0 for rigid,
    and damping [N s/m]."""

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
