"""Where friction points while a contact slips on a curve.

Rows of friction alone have it against the slip at the end of a step, as the implicit Euler method does: of first order
where the slip turns. Here it is against the direction half way between the slips u_0 at the start and u_1 at the end.
Coulomb's law of a row with the target t has friction against u_1 - t; where the target becomes what of u_1 is across
that direction, this is u_1 along it. u_1 is foreseen with the impulses of the step before, which err by O(h^2), as the
directions do then. Most that a target comes to is |u_1| sin(phi / 2) for a slip that turns by phi: what stops after
all is left with no more.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import has_tangents, int_of_row, of_row
from simulator.physics.rows.entries import spare
from simulator.physics.solver.rates import push, rates

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints

RESOLVED = 0.5
"""Least cosine of the angle by which the slip turns in a step: what turns further is not resolved by it."""
ON_RIM = 1.0 - 1e-6
"""Friction of more than this part of its bound slips."""


@compiled
def aim_friction(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats2, vector: int) -> None:
    """TARGET of tangents that slip, for velocities of `vector` without impulses, and IMPULSE that of the step before.
    Needs RATE, and targets for which nothing slips."""
    ahead = -1
    for r in range(C[row_at.COUNT]):
        if not (has_tangents(C, r) and _slipped(B, C, CF, r)):
            continue
        if ahead < 0:
            ahead = _foresee(F, N, B, C, vector)
        first, second = of_row(C, row_at.B_TARGET, r + 1), of_row(C, row_at.B_TARGET, r + 2)
        x, y = _slip_now(B, C, CF, r)
        _, u, v = rates(F, B, C, r, ahead)
        u, v = u - B[first], v - B[second]
        now, then = math.sqrt(x * x + y * y), math.sqrt(u * u + v * v)
        if now * then > 0.0 and x * u + y * v > RESOLVED * now * then:
            s, t = x + u, y + v
            across = (s * v - t * u) / (s * s + t * t)
            B[first], B[second] = B[first] - across * t, B[second] + across * s


@compiled
def _slipped(B: Floats, C: Ints, CF: Floats2, r: int) -> bool:
    """Whether friction of the contact whose rows begin with r was at its bound in the step before."""
    x, y = B[of_row(C, row_at.B_IMPULSE, r + 1)], B[of_row(C, row_at.B_IMPULSE, r + 2)]
    most = ON_RIM * CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.MU] * B[of_row(C, row_at.B_IMPULSE, r)]
    return bool(most > 0.0 and x * x + y * y >= most * most)


@compiled
def _slip_now(B: Floats, C: Ints, CF: Floats2, r: int) -> tuple[float, float]:
    """Slip [m/s] at the start of the step, along both tangents."""
    c = C[int_of_row(C, row_at.C_LINE, r)]
    if math.isnan(CF[c, row_at.MOTION]):
        return B[of_row(C, row_at.B_RATE, r + 1)], B[of_row(C, row_at.B_RATE, r + 2)]
    return CF[c, row_at.MOTION + 1], CF[c, row_at.MOTION + 2]


@compiled
def _foresee(F: Floats, N: Ints, B: Floats, C: Ints, vector: int) -> int:
    """Where in F velocities are that the impulses at hand make of those of `vector`."""
    ahead = spare(N, at.F_XK)
    for a in range(N[at.INDEPENDENT]):
        F[ahead + a] = F[vector + a]
    for r in range(C[row_at.COUNT]):
        impulse = B[of_row(C, row_at.B_IMPULSE, r)]
        if impulse != 0.0:
            push(F, B, C, r, ahead, impulse)
    return ahead
