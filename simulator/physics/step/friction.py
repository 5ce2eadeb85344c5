"""Dry friction that falls with the speed, with the bound of the middle of a step (`rows.grips`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.impact.giving_way import solve_again
from simulator.physics.layout import row_layout as row_at
from simulator.physics.rows.grips import STATIC, friction_at
from simulator.physics.solver.rates import rate

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

SAME = 1e-12
"""Part of a bound by which it may change without another solve."""


@compiled
def follow_speed(
    m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2, vector: Floats, settled: bool, dt: float
) -> bool:
    """Find all impulses again with the bounds of friction at the mean of the rates before and after the step, where
    that is another one; `settled`: whether those at hand did; returns that. RATE: of all rows at the start."""
    if not settled:
        return settled
    found = False
    for r in range(bounded.sizes[row_at.COUNT]):
        line = bounded.line[r]
        if bounded.kind[r] != row_at.FRICTION or RF[line, STATIC] <= 0.0:
            continue
        high = dt * friction_at(RF, line, 0.5 * (bounded.rate[r] + rate(bounded, r, vector)))
        found = found or abs(high - bounded.high[r]) > SAME * high
        bounded.low[r], bounded.high[r] = -high, high
    return solve_again(m, bounded, CF, vector) if found else settled
