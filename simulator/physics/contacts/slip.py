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
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import has_tangents
from simulator.physics.solver.rates import push, rates

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

RESOLVED = 0.5
"""Least cosine of the angle by which the slip turns in a step: what turns further is not resolved by it."""
ON_RIM = 1.0 - 1e-6
"""Friction of more than this part of its bound slips."""


@compiled
def aim_friction(m: MechanismViews, bounded: BoundedRows, CF: Floats2, vector: Floats) -> None:
    """TARGET of tangents that slip, for velocities of `vector` without impulses, and IMPULSE that of the step before.
    Needs RATE, and targets for which nothing slips."""
    ahead = m.rows.scratch
    foreseen = False
    for r in range(bounded.sizes[row_at.COUNT]):
        if not (has_tangents(bounded, r) and _slipped(bounded, CF, r)):
            continue
        if not foreseen:
            _foresee(bounded, vector, ahead)
            foreseen = True
        x, y = _slip_now(bounded, CF, r)
        _, u, v = rates(bounded, r, ahead)
        u, v = u - bounded.target[r + 1], v - bounded.target[r + 2]
        now, then = math.sqrt(x * x + y * y), math.sqrt(u * u + v * v)
        if now * then > 0.0 and x * u + y * v > RESOLVED * now * then:
            s, t = x + u, y + v
            across = (s * v - t * u) / (s * s + t * t)
            bounded.target[r + 1], bounded.target[r + 2] = (
                bounded.target[r + 1] - across * t,
                bounded.target[r + 2] + across * s,
            )


@compiled
def _slipped(bounded: BoundedRows, CF: Floats2, r: int) -> bool:
    """Whether friction of the contact whose rows begin with r was at its bound in the step before."""
    x, y = bounded.impulse[r + 1], bounded.impulse[r + 2]
    most = ON_RIM * CF[bounded.line[r], row_at.MU] * bounded.impulse[r]
    return bool(most > 0.0 and x * x + y * y >= most * most)


@compiled
def _slip_now(bounded: BoundedRows, CF: Floats2, r: int) -> tuple[float, float]:
    """Slip [m/s] at the start of the step, along both tangents."""
    c = bounded.line[r]
    if math.isnan(CF[c, row_at.MOTION]):
        return bounded.rate[r + 1], bounded.rate[r + 2]
    return CF[c, row_at.MOTION + 1], CF[c, row_at.MOTION + 2]


@compiled
def _foresee(bounded: BoundedRows, vector: Floats, ahead: Floats) -> None:
    """`ahead`: velocities that the impulses at hand make of those of `vector`."""
    for a in range(vector.shape[0]):
        ahead[a] = vector[a]
    for r in range(bounded.sizes[row_at.COUNT]):
        impulse = bounded.impulse[r]
        if impulse != 0.0:
            push(bounded, r, ahead, impulse)
