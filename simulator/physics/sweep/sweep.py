"""Positions one after the other along prescribed axes, each on the branch of the one before (continuation), and what
holds there.

A step of the moved axes is predicted to second order, y + unit Δs + bend Δs²/2, and corrected by Newton's method. Where
the correction is no longer small against the step, or the least pivot of J becomes another one, the step is halved: the
branch is not left for another one. So no step reaches a singular position, be it a dead point or one where branches
meet; `leap` goes over the latter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import copy
from simulator.physics.loops.loops import loop_axis_drift, loop_axis_rate
from simulator.physics.rows.rows import axis_position
from simulator.physics.sweep.motion import (
    close,
    complete_accelerations,
    differentiate,
    factor_all,
    go,
    move_all,
    place,
)
from simulator.physics.sweep.wrenches import balance, require
from simulator.physics.tree.positions import displace
from simulator.physics.tree.tree import move_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import StateViews

LONGEST = 0.1
"""No coordinate goes further in a step [rad or m]."""
FOLLOWED = 0.2
"""A correction is at most this part of its step."""
SHORTEST = 1e-13
"""A step that has to be shorter than this part of the way leads nowhere."""
DUST = 1e-12
"""Corrections as short as this are round-off, and what is left of a way."""
LEFT = 0.25
"""A step leaves at least this part of J's least pivot over the greatest, and begins with at least this part of what it
ends with; by its slope it would not be zero either. The pivot is in proportion to the distance from where branches
meet: a step ends on this side, and one that begins close to there, where tangents lose digits, is as short as the
distance."""
SINGULAR = 1e-6
"""This part of what it was at most is none: lengths that are rounded part branches that meet by 1e-8, the root of
round-off, and which of them continues where is a matter of digits."""
FIRST = 0.1
"""Part of the longest step that one goes while the slope of the least pivot is not known."""
FARTHEST = 1.0
"""A prediction that goes further than this [rad or m] is none."""


@entry("sweeps", long=True)
def sweep(m: MechanismViews, S: Sweep, T: Points, target: Floats2, loads: bool) -> int:
    """Fill the table T at the positions `target` (n, n_moves) of the moved axes, from the present position on; `loads`:
    wrenches, too. Returns how many points were reached; the position is then the last that is before a singular one."""
    differentiate(m, S)
    for p in range(target.shape[0]):
        if not travel(m, S, target, p):
            return p
        evaluate(m, S, T, p, loads)
    return target.shape[0]


@entry("sweeps")
def evaluate(m: MechanismViews, S: Sweep, T: Points, p: int, loads: bool) -> None:
    """Fill point `p` of the table at the present position."""
    T.regular[p] = differentiate(m, S)
    write_axes(m, S, T, p)
    write_nodes(m.state, T, p)
    if loads:
        go(m, S)
        balance(m, S, T, p)


@entry("sweeps")
def require_here(m: MechanismViews, S: Sweep) -> None:
    """x of `require` at the positions Q, velocities V and accelerations DV that there are; K and RHS of all rows."""
    place(m, m.loops.row_kind.shape[0])
    move_all(m)
    complete_accelerations(m, S)
    require(m, S)


@entry("sweeps")
def observe(m: MechanismViews, S: Sweep, T: Points, p: int) -> None:
    """Fill motion and loads of point `p` at the positions Q and velocities V that there are, with the accelerations
    DV."""
    place(m, m.loops.row_kind.shape[0])
    T.regular[p] = factor_all(m, S)
    move_nodes(m.tree, m.state, m.tree.order.shape[0])
    complete_accelerations(m, S)
    write_axes(m, S, T, p)
    write_nodes(m.state, T, p)
    balance(m, S, T, p)


@entry("sweeps", long=True)
def travel(m: MechanismViews, S: Sweep, target: Floats2, p: int) -> bool:
    """To the position `target[p]`, with fresh `unit` and `bend`; False where a singular position is before it. The
    position is then as near to that as can be. `unit` and `bend` are those of an earlier position afterwards."""
    Q = m.state.Q
    way = target[p, 0] - axis_position(m, S.move[0])
    done = 0.0
    part = 1.0
    if way == 0.0:
        return close(m, S, target, p) < 1.0
    for d in range(S.move.shape[0]):
        S.begin[d] = axis_position(m, S.move[d])
    regular = S.regular[0]
    while done < 1.0:
        # A good step tries twice its length next; one that was not good is made again at half.
        longest = LONGEST if S.regular[2] != 0.0 else FIRST * LONGEST
        step = min(part, 1.0 - done, longest / max(_fastest(S, way), longest))
        copy(Q, S.kept)
        last = done + step >= 1.0 - DUST
        for d in range(S.move.shape[0]):
            S.goal[0, d] = target[p, d] if last else S.begin[d] + S.rate[d] * way * (done + step)
        if _step(m, S, step * way) and _stays_regular(S, regular, step * way):
            S.regular[2] = (S.regular[0] - regular) / (step * way)
            done = 1.0 if last else done + step
            part = 2.0 * step
            if not last:
                regular = differentiate(m, S)
        else:
            copy(S.kept, Q)
            part = 0.5 * step
            # At a dead point the coordinates go as the root of the way that is left, and where branches meet J has
            # none of its least pivot left: no step is small enough.
            if part < SHORTEST:
                place(m, m.loops.row_kind.shape[0])
                return False
    return True


@entry("sweeps", long=True)
def leap(m: MechanismViews, S: Sweep, target: Floats2) -> bool:
    """To the position `target[0]` in one step, with fresh `unit` and `bend`, whatever is in between; whether the
    prediction was good: the branch that continues in their sense is taken."""
    for d in range(S.move.shape[0]):
        S.goal[0, d] = target[0, d]
    good: bool = _step(m, S, target[0, 0] - axis_position(m, S.move[0]))
    return good


@compiled
def _stays_regular(S: Sweep, before: float, way: float) -> bool:
    """Whether a step of this `way` from a position with the `regular` before to that which was factored last came near
    to no singular one."""
    now = S.regular[0]
    none = SINGULAR * S.regular[1]
    # From a singular position itself every step is as good. Half: Newton's last step came after `now`.
    if abs(before) <= 0.5 * none:
        return True
    # Where two pivots go through zero at once, the sign after that is the one before.
    if now * before <= 0.0 or (before + S.regular[2] * way) * before <= 0.0:
        return False
    stays: bool = max(LEFT * abs(before), none) <= abs(now) <= abs(before) / LEFT
    return stays


@compiled
def _fastest(S: Sweep, way: float) -> float:
    """How far the fastest coordinate would move on the whole way at its present rate."""
    fastest = 0.0
    for a in range(S.unit.shape[0]):
        fastest = max(fastest, abs(S.unit[a] * way))
    return fastest


@compiled
def _step(m: MechanismViews, S: Sweep, way: float) -> bool:
    """To `goal`, which is `way` further along the first axis; whether the prediction was good."""
    state = m.state
    length = 0.0
    for a in range(state.step.shape[0]):
        # Taylor to second order; what Newton has to correct is of third order, so halving the step leaves an eighth.
        state.step[a] = way * (S.unit[a] + 0.5 * way * S.bend[a])
        length = max(length, abs(state.step[a]))
    if not length < FARTHEST:
        return False
    displace(m.tree, state)
    return close(m, S, S.goal, 0) <= FOLLOWED * length + DUST


@compiled
def write_axes(m: MechanismViews, S: Sweep, T: Points, p: int) -> None:
    """Fill `position`, `rate`, `bend` and `y` of point `p`; accelerations of nodes are complete."""
    state, loops = m.state, m.loops
    for axis in range(S.codes.shape[0]):
        code = S.codes[axis]
        T.position[p, axis] = axis_position(m, code)
        if code >= 0:
            T.rate[p, axis], T.bend[p, axis] = state.QD[code], S.qdd[code]
            continue
        # Nodes' accelerations are complete: nothing of the axis' acceleration is left out.
        T.rate[p, axis] = loop_axis_rate(loops, -1 - code)
        T.bend[p, axis] = loop_axis_drift(loops, -1 - code)
    copy(state.Q, T.y[p, :])


@compiled
def write_nodes(state: StateViews, T: Points, p: int) -> None:
    """Fill `frame`, `twist` and `acceleration` of point `p`."""
    for i in range(state.p.shape[0]):
        for r in range(3):
            for c in range(3):
                T.frame[p, i, 3 * r + c] = state.R[i, r, c]
            T.frame[p, i, 9 + r] = state.p[i, r]
        for c in range(6):
            T.twist[p, i, c] = state.velocity[i, c]
            T.acceleration[p, i, c] = state.acceleration[i, c]
