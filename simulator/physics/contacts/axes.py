"""Directions of the rows of a contact: its normal and two tangents.

Where friction is the same in every direction, any tangents do. Where it has a direction with coefficients mu_1 along
and mu_2 across it, impulses p of friction are bounded by an ellipse, (p_1 / mu_1)^2 + (p_2 / mu_2)^2 <= p_n^2, and of
all that it holds, the one acts that takes most power from the slip (maximal dissipation; Goyal, Ruina and Papadopoulos,
Planar sliding with dry friction, Wear 143, 1991). With mu_1 the larger one, p_2 = (mu_2 / mu_1) q_2 makes the ellipse a
disk with the radius mu_1 p_n. q_2 is the impulse of a row that is mu_2 / mu_1 times the second tangent's, and the power
is that of the rows, so that the solver, which knows disks only, finds what holds for the ellipse. Where mu_2 is 0, that
row is zero: nothing moves it, and it moves nothing.

Friction may yield: within its bounds the sides slip at u = -s f, for forces f = p / h of a step of h [s]. As rows,
k u + (k^2 s / h) q = 0 for a row that is k times a tangent: a softness of the row.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import cross, dot, perpendicular_to, plus, times
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import normal_of

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Vector

    Axes = tuple[Vector, Vector, Vector]


@compiled
def has_direction(CF: Floats2, c: int) -> bool:
    """Whether the friction of contact c has a direction."""
    return bool(CF[c, row_at.RATIO] != 1.0 or CF[c, row_at.SLIP] != CF[c, row_at.SLIP + 1])


@compiled
def softness(CF: Floats2, c: int, place: int, dt: float) -> float:
    """Of the first (0) or second (1) row of friction of contact c, or of its twist (2), in a step of `dt` [s]."""
    if place > 1:
        return CF[c, row_at.SPIN] / dt
    ratio = CF[c, row_at.RATIO]
    swapped = ratio > 1.0
    slip = CF[c, row_at.SLIP + (1 - place if swapped else place)] / dt
    if place == 0:
        return slip
    k = 1.0 / ratio if swapped else ratio
    return k * k * slip


@compiled
def contact_axes(CF: Floats2, c: int) -> Axes:
    """Normal of contact c, and the two vectors along which its rows of friction are, the second times mu_2 / mu_1."""
    n = normal_of(CF, c)
    if has_direction(CF, c):
        return axes_along(n, direction_of(CF, c), CF[c, row_at.RATIO])
    t = perpendicular_to(n)
    return n, t, cross(n, t)


@compiled
def direction_of(CF: Floats2, c: int) -> Vector:
    """Direction of the friction of contact c in the world; it need not be across the normal."""
    return CF[c, row_at.DIRECTION], CF[c, row_at.DIRECTION + 1], CF[c, row_at.DIRECTION + 2]


@compiled
def axes_along(n: Vector, direction: Vector, ratio: float) -> Axes:
    """As `contacts.axes`, for a normal, a direction and what friction has across it as a part of what it has along it;
    the direction in which it has more comes first."""
    t = plus(direction, -dot(direction, n), n)
    length = math.sqrt(dot(t, t))
    t = times(1.0 / length, t) if length > 0.0 else perpendicular_to(n)
    s = cross(n, t)
    return (n, t, times(ratio, s)) if ratio <= 1.0 else (n, s, times(1.0 / ratio, t))


@entry("motion")
def friction_of_contacts(CF: Floats2, friction: Floats2) -> None:
    """friction (n, 3) = the vectors in the world that CONTACT_IMPULSE of both tangents makes."""
    for c in range(CF.shape[0]):
        _, t, s = contact_axes(CF, c)
        x, y = CF[c, row_at.CONTACT_IMPULSE + 1], CF[c, row_at.CONTACT_IMPULSE + 2]
        for a in range(3):
            friction[c, a] = x * t[a] + y * s[a]
