"""Many states of one mechanism, one after the other: positions that close the loops, and what holds at given ones.

The moved axes of a `Sweep` determine the rest: J ẏ = (0, rates) and J ÿ = (k, accelerations - drift), J as in
`sweep.motion`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.linear import solve, solve_transposed
from simulator.physics.algebra.vectors import clear, copy
from simulator.physics.build.state import read_axes, refresh
from simulator.physics.layout.flatten import FREEDOMS, POSITIONS
from simulator.physics.motion.free import accelerate
from simulator.physics.rows.rows import axis_position
from simulator.physics.sweep.motion import (
    accelerate_moves,
    close,
    complete_accelerations,
    differentiate,
    factor_all,
    place,
    position_step,
)
from simulator.physics.sweep.sweep import travel, write_axes, write_nodes
from simulator.physics.sweep.wrenches import balance, require
from simulator.physics.tree.positions import displace, normalize
from simulator.physics.tree.tree import move_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Floats3
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import StateViews, TreeViews

POSES, EFFORTS, WRENCHES, ACCELERATIONS = range(4)
"""What `observe_each` finds: poses; `held` for accelerations; wrenches, too; accelerations under efforts."""
GRID = 1073741824.0
"""Positions that are found are rounded to 1/GRID (2⁻³⁰, about 1e-9) before the last steps of Newton's method: from
wherever they were found, these begin at the same numbers and end at the same numbers."""
POLISH = 2
"""Such steps: the first leaves round-off of an error of 1e-9, for Newton's method squares it."""
NEAR = 0.3
"""First step of Newton's method [rad or m] up to which the positions that it ends at are those of the same branch."""
CLEAR = 1e-3
"""Least pivot, as a part of what is usual, above which no singular position is near."""


@entry("motion", long=True)
def reach_each(m: MechanismViews, S: Sweep, target: Floats2, y: Floats2, axes: Floats2, slack: float) -> int:
    """Bring the moved axes to every `target` (n, n_moves), each from where the one before was reached, else from the
    seed; fill `y` (n + 1, positions) and `axes` (n + 1, n_axes), whose last row is the seed, where the mechanism is
    now. Rows that are not reached, or leave a row of loops open by more than `slack`, stay as they are. Returns how
    many are reached."""
    seed = y.shape[0] - 1
    reached = 0
    for p in range(target.shape[0]):
        found = _reach(m, S, target, p, slack)
        if not found:
            _put_positions(m, S, y, axes, seed)
            found = p > 0 and _reach(m, S, target, p, slack)
        if not found:
            _put_positions(m, S, y, axes, seed)
            continue
        reached += 1
        copy(m.state.Q, y[p, :])
        _write_positions(m, S, axes, p)
    return reached


@compiled
def _write_positions(m: MechanismViews, S: Sweep, axes: Floats2, p: int) -> None:
    for axis in range(S.codes.shape[0]):
        axes[p, axis] = axis_position(m, S.codes[axis])


@compiled
def _put_positions(m: MechanismViews, S: Sweep, y: Floats2, axes: Floats2, p: int) -> None:
    """Positions of the coordinates = those in row p; axes of loop joints count their turns from theirs."""
    copy(y[p, :], m.state.Q)
    for axis in range(S.codes.shape[0]):
        if S.codes[axis] < 0:
            m.loops.axis_position[-1 - S.codes[axis]] = axes[p, axis]


@compiled
def _reach(m: MechanismViews, S: Sweep, target: Floats2, p: int, slack: float) -> bool:
    """Along the straight line between the positions of the moved axes, which that with the longest way leads."""
    lead, way = 0, 0.0
    for d in range(S.move.shape[0]):
        S.begin[d] = target[p, d] - axis_position(m, S.move[d])
        if not abs(S.begin[d]) < 1.0e6:
            return False
        if abs(S.begin[d]) > abs(way):
            lead = d
            way = S.begin[d]
    if way != 0.0:
        for d in range(S.move.shape[0]):
            S.rate[d] = S.begin[d] / way
        _exchange(S, target, p, lead)
        differentiate(m, S)
        S.regular[2] = 0.0
        arrived = travel(m, S, target, p)
        _exchange(S, target, p, lead)
        if not arrived:
            return False
    return _polish(m, S, target, p) <= slack


@compiled
def _exchange(S: Sweep, target: Floats2, p: int, lead: int) -> None:
    """Let the first of the moved axes and the `lead` change places."""
    S.move[0], S.move[lead] = S.move[lead], S.move[0]
    S.rate[0], S.rate[lead] = S.rate[lead], S.rate[0]
    target[p, 0], target[p, lead] = target[p, lead], target[p, 0]


@compiled
def _polish(m: MechanismViews, S: Sweep, target: Floats2, p: int) -> float:
    """Positions whose digits do not depend on the way to them; returns the largest residual of all rows of loops."""
    tree, state = m.tree, m.state
    for c in range(state.Q.shape[0]):
        S.kept[c] = state.Q[c]
        state.Q[c] = round(state.Q[c] * GRID) / GRID
    normalize(tree, state.Q)
    for d in range(S.lock.shape[0]):
        _put_back(tree, state, S, S.lock[d])
    for _ in range(POLISH):
        position_step(m, S, target, p)
        copy(S.x, state.step)
        displace(tree, state)
    worst: float = place(m, m.loops.row_kind.shape[0])
    return worst


@compiled
def _put_back(tree: TreeViews, state: StateViews, S: Sweep, k: int) -> None:
    """What belongs to the freedom k, or to the loose joint that it is one of, from its copy."""
    c = tree.G.place[tree.G.column[tree.G.begin[k]]]
    if c >= 0:
        state.Q[c] = S.kept[c]
        return
    for i in range(tree.kind.shape[0]):
        if tree.first[i] <= k < tree.first[i] + FREEDOMS[tree.kind[i]]:
            for o in range(tree.place[i], tree.place[i] + POSITIONS[tree.kind[i]]):
                state.Q[o] = S.kept[o]


@entry("motion")
def transfer(m: MechanismViews, S: Sweep, states: Floats2, position: Floats, velocity: Floats, slack: float) -> bool:
    """Go from positions that need not close the loops to those near them that do, with the moved axes at `states[0]`
    and their rates `states[1]` (2, n_moves); fill `position` and `velocity` of all axes. False where that takes more
    care: it is far, a singular position is near, or a row of loops stays open by more than `slack`."""
    usual = S.regular[1]
    if not close(m, S, states, 0) < NEAR or not abs(S.regular[0]) > CLEAR * usual:
        return False
    if not _polish(m, S, states, 0) <= slack:
        return False
    factor_all(m, S)
    for d in range(S.move.shape[0]):
        S.asked[d] = states[1, d]
    _set_velocities(m, S)
    refresh(m)
    read_axes(m, S.codes, position, velocity)
    return True


@entry("motion", long=True)
def observe_each(
    m: MechanismViews, S: Sweep, T: Points, states: Floats3, axes: Floats2, efforts: Floats2, gap: Floats, what: int
) -> None:
    """Fill the table T at n states, as far as `what` asks.

    `states` (3, n, …): positions of the independent coordinates; rates and accelerations of the moved axes. `axes` (n,
    n_axes): positions, from which axes of loop joints count their turns; `efforts` (n, freedoms + loop axes): those
    that act; `gap` (n,): largest residual of all rows of loops.
    """
    for p in range(gap.shape[0]):
        _put_positions(m, S, states[0, :], axes, p)
        gap[p] = place(m, m.loops.row_kind.shape[0])
        if what == POSES:
            _write_positions(m, S, T.position, p)
            write_nodes(m.state, T, p)
            continue
        T.regular[p] = factor_all(m, S)
        for d in range(S.move.shape[0]):
            S.asked[d] = states[1, p, d]
        _set_velocities(m, S)
        if what == ACCELERATIONS:
            _respond(m, S, efforts, p)
        else:
            _prescribe(m, S, states, p)
        complete_accelerations(m, S)
        copy(S.qdd, T.given[p, :])
        write_axes(m, S, T, p)
        write_nodes(m.state, T, p)
        if what == WRENCHES:
            balance(m, S, T, p)
        elif what == EFFORTS:
            require(m, S)
            # Jᵀ (λ, τ) = x, as in `sweep.wrenches`; who asks for efforts only needs no wrenches.
            solve_transposed(S.J, S.pivot, S.x)
            for d in range(S.move.shape[0]):
                T.held[p, d] = S.x[S.rank + d]


@compiled
def _set_velocities(m: MechanismViews, S: Sweep) -> None:
    """V in which the moved axes have the rates `asked`, which are 0 afterwards; J is factored."""
    clear(S.unit)
    for d in range(S.move.shape[0]):
        S.unit[S.rank + d] = S.asked[d]
        S.asked[d] = 0.0
    solve(S.J, S.pivot, S.unit)
    copy(S.unit, m.state.V)


@compiled
def _prescribe(m: MechanismViews, S: Sweep, states: Floats3, p: int) -> None:
    """DV of the accelerations of the moved axes; J is factored."""
    for d in range(S.move.shape[0]):
        S.asked[d] = states[2, p, d]
    accelerate_moves(m, S)
    for d in range(S.move.shape[0]):
        S.asked[d] = 0.0
    copy(S.bend, m.state.DV)


@compiled
def _respond(m: MechanismViews, S: Sweep, efforts: Floats2, p: int) -> None:
    """DV under the efforts. Leaves accelerations of nodes without DV, for `complete_accelerations`."""
    given, of_loops = m.efforts.given, m.loops.given
    for k in range(given.shape[0]):
        given[k] = efforts[p, k]
    for j in range(of_loops.shape[0]):
        of_loops[j] = efforts[p, given.shape[0] + j]
    accelerate(m)
    move_nodes(m.tree, m.state, m.tree.order.shape[0])


@entry("motion", long=True)
def rate_each(m: MechanismViews, S: Sweep, T: Points, y: Floats2, rates: Floats3) -> None:
    """Fill T.frame and T.regular at n positions `y` (n, positions), and `rates` (n, n_moves, 6 nodes): twists of nodes
    per unit of the rate of each moved axis."""
    state = m.state
    for p in range(y.shape[0]):
        copy(y[p, :], state.Q)
        place(m, m.loops.row_kind.shape[0])
        T.regular[p] = factor_all(m, S)
        for d in range(S.move.shape[0]):
            S.asked[d] = 1.0
            _set_velocities(m, S)
            move_nodes(m.tree, state, m.tree.order.shape[0])
            for i in range(state.velocity.shape[0]):
                for c in range(6):
                    rates[p, d, 6 * i + c] = state.velocity[i, c]
        write_nodes(m.state, T, p)
