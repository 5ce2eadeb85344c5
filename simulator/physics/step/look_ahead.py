"""How accelerations change in the first step of a motor: those of half a step on, under the efforts of its start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import copy
from simulator.physics.layout import row_layout as row_at
from simulator.physics.loops.solve import LEAST
from simulator.physics.motion.free import accelerate_from
from simulator.physics.rows.held_efforts import hold_efforts, let_go
from simulator.physics.rows.ramps import reaches
from simulator.physics.solver.rates import rate
from simulator.physics.tree.loads import set_stage
from simulator.physics.tree.positions import displace

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews


@compiled
def look_ahead(m: MechanismViews, bounded: BoundedRows, lines: Table, dt: float) -> bool:
    """JERK of motors that begin in this step, whose impulses are known; whether there are any. DV, poses and factors
    are those of the start of the step afterwards, as before."""
    RF = lines[1]
    found = False
    for r in range(bounded.sizes[row_at.COUNT]):
        found = found or _begins(bounded, RF, r)
    if not found:
        return False
    state, stages, rows = m.state, m.stages, m.rows
    clear = rows.pivot[LEAST]
    least = rows.least_rank[0]
    copy(state.Q, stages.Q_sum)
    copy(state.V, stages.V_sum)
    hold_efforts(m, bounded, lines, dt)
    _add_rates(m, bounded, RF, -2.0 / dt)
    half = 0.5 * dt
    for a in range(state.V.shape[0]):
        state.step[a] = half * (state.V[a] + 0.5 * half * state.DV[a])
    displace(m.tree, state)
    for a in range(state.V.shape[0]):
        state.V[a] += half * state.DV[a]
    set_stage(m.F, m.N, dt, 0.5)
    accelerate_from(m, False)
    _add_rates(m, bounded, RF, 2.0 / dt)
    let_go(m)
    copy(stages.Q_sum, state.Q)
    copy(stages.V_sum, state.V)
    set_stage(m.F, m.N, dt, 0.0)
    accelerate_from(m, False)
    rows.pivot[LEAST], rows.least_rank[0] = clear, least
    return True


@compiled
def _begins(bounded: BoundedRows, RF: Floats2, r: int) -> bool:
    """Whether a row is a motor of which the last step says nothing, and that reaches what it asks for in this one."""
    line = bounded.line[r]
    if bounded.kind[r] > row_at.TO_POSITION or not reaches(bounded, r):
        return False
    return bool(RF[line, row_at.RESPONSE] == 0.0 or RF[line, row_at.JUMP] != 0.0)


@compiled
def _add_rates(m: MechanismViews, bounded: BoundedRows, RF: Floats2, factor: float) -> None:
    """JERK of motors that begin becomes `factor` times their accelerations, or, above 0, grows by that."""
    for r in range(bounded.sizes[row_at.COUNT]):
        if _begins(bounded, RF, r):
            before = RF[bounded.line[r], row_at.JERK] if factor > 0.0 else 0.0
            RF[bounded.line[r], row_at.JERK] = before + factor * rate(bounded, r, m.state.DV)
