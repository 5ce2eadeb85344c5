"""Positions, velocities and accelerations of a mechanism whose moved axes are prescribed.

With the equations φ(y) = 0 of loops, moved axes and locked freedoms and J = ∂φ/∂y: positions by Newton's method, J Δy =
-φ; velocities from J ẏ = (0, ṡ, 0); accelerations from J ÿ = (k, s̈ - drift, 0), where k are the velocity terms that
`update_rows` gives and the drift is that of loop joints' axes. Nothing is differenced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.linear import factor, solve
from simulator.physics.algebra.vectors import add_spatial, minus, moved_twist, row_spatial, row_vector, set_spatial
from simulator.physics.layout.sweep_layout import RANK, ROWS
from simulator.physics.loops.loops import (
    add_wrench,
    axis_wrench,
    change_along,
    find_rows,
    follow_axes,
    loop_axis_drift,
    move_loops,
    place_loops,
    update_rows,
)
from simulator.physics.loops.views import open_loops, open_mechanism, open_rows
from simulator.physics.rows.rows import axis_position
from simulator.physics.tree.positions import displace, spread
from simulator.physics.tree.tree import STILL, place_nodes, plus_joint_twist, update_velocities
from simulator.physics.tree.views import open_couplings, open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints
    from simulator.physics.layout.sweep_layout import Sweep
    from simulator.physics.tree.views import StateViews, TreeViews

CLOSED = 1e-9
"""After a Newton step as short as this [rad or m] the next one would be of round-off: its error is quadratic."""
SWEEPS = 12
"""Newton steps at one position."""
FAR_SWEEPS, FAR_STEP, FAR_CLOSED = 100, 0.5, 1e-12
"""From afar: steps, the longest that is made whole [rad or m], and the length at which it is over."""


@compiled
def enter_axis(F: Floats, N: Ints, S: Sweep, row: int, code: int) -> float:
    """Row of J: the rate of an axis per independent rate; returns the drift of its acceleration."""
    m = S.J.shape[1]
    for a in range(m):
        S.J[row, a] = 0.0
    if code >= 0:
        G = open_couplings(F, N)
        for t in range(G.begin[code], G.begin[code + 1]):
            S.J[row, G.column[t]] = G.value[t]
        return 0.0
    loops, rows = open_loops(F, N), open_rows(F, N)
    spare = rows.K[rows.spare, :]
    j = -1 - code
    for a in range(m):
        spare[a] = 0.0
    T, D = axis_wrench(loops, j)
    add_wrench(open_tree(F, N), open_state(F, N), loops, spare, loops.axis_loop[j], T, 1.0)
    for a in range(m):
        S.J[row, a] = spare[a]
    return change_along(loops, loops.axis_loop[j], T, D)


@entry("motion")
def place(F: Floats, N: Ints) -> float:
    """Poses of nodes and loop joints, and their rows, at the positions; returns the largest residual of these rows [m,
    or 1 for directions]."""
    tree = open_tree(F, N)
    state = open_state(F, N)
    loops = open_loops(F, N)
    place_nodes(tree, state, tree.order.shape[0])
    place_loops(state, loops)
    follow_axes(loops)
    return find_rows(tree, state, loops, open_rows(F, N), False)


@compiled
def factor_all(F: Floats, N: Ints, S: Sweep) -> float:
    """J of the rows that were placed last, factored; see `factor`. Notes what it returns."""
    rank = S.sizes[RANK]
    K = open_rows(F, N).K
    for r in range(rank):
        for a in range(K.shape[1]):
            S.J[r, a] = K[r, a]
    for d in range(S.move.shape[0]):
        enter_axis(F, N, S, rank + d, S.move[d])
    for d in range(S.lock.shape[0]):
        enter_axis(F, N, S, rank + S.move.shape[0] + d, S.lock[d])
    S.regular[0] = factor(S.J, S.pivot)
    S.regular[1] = max(S.regular[1], abs(S.regular[0]))
    regular: float = S.regular[0]
    return regular


@compiled
def position_step(F: Floats, N: Ints, S: Sweep, target: Floats, point: int) -> float:
    """x = J⁻¹ (what loops and the moved axes lack to `target[point]`); returns its largest entry [rad or m]."""
    rank = S.sizes[RANK]
    residual = open_rows(F, N).residual
    size = 0.0
    place(F, N)
    factor_all(F, N, S)
    for a in range(S.x.shape[0]):
        S.x[a] = 0.0
    for r in range(rank):
        S.x[r] = -residual[r]
    for d in range(S.move.shape[0]):
        S.x[rank + d] = target[point, d] - axis_position(open_mechanism(F, N), S.move[d])
    solve(S.J, S.pivot, S.x)
    for a in range(S.x.shape[0]):
        size = max(size, abs(S.x[a]))
    return size


@compiled
def close(F: Floats, N: Ints, S: Sweep, target: Floats, point: int) -> float:
    """Newton's method for the moved axes at `target[point]`; returns the length of its first step [rad or m], or 1e300
    where it does not converge."""
    tree, state = open_tree(F, N), open_state(F, N)
    open_rows(F, N).to_solve[0] = S.sizes[RANK]
    first = -1.0
    for _ in range(SWEEPS):
        size = position_step(F, N, S, target, point)
        if not size < 1.0:
            return 1.0e300
        for a in range(state.step.shape[0]):
            state.step[a] = S.x[a]
        displace(tree, state)
        if first < 0.0:
            # Its first step is what the prediction was off by; the later ones fall quadratically (Allgower and Georg,
            # Numerical Continuation Methods, chapter 3).
            first = size
        if size < CLOSED:
            return first
    return 1.0e300


@entry("sweeps", long=True)
def close_from_afar(F: Floats, N: Ints, S: Sweep, target: Floats2) -> bool:
    """Newton's method with damped steps for the moved axes at `target[0]`, from wherever the positions are; whether it
    converges."""
    tree, state = open_tree(F, N), open_state(F, N)
    open_rows(F, N).to_solve[0] = S.sizes[RANK]
    for _ in range(FAR_SWEEPS):
        size = position_step(F, N, S, target, 0)
        if not size < 1.0e6:
            return False
        for a in range(state.step.shape[0]):
            # Damped by length: the direction of Newton's step leads down wherever J is regular.
            state.step[a] = S.x[a] * min(1.0, FAR_STEP / max(size, FAR_STEP))
        displace(tree, state)
        if size < FAR_CLOSED:
            return True
    return False


@entry("motion")
def differentiate(F: Floats, N: Ints, S: Sweep) -> float:
    """`unit` and `bend` at the positions, of the motion in which the first moved axis goes with 1 and the others with
    their rates; nodes and loops move like that afterwards (accelerations of nodes complete and without gravity).
    Returns as `factor` does."""
    state = open_state(F, N)
    rank = S.sizes[RANK]
    m = state.V.shape[0]
    open_rows(F, N).to_solve[0] = rank
    place(F, N)
    regular = factor_all(F, N, S)
    for a in range(m):
        S.unit[a] = 0.0
    for d in range(S.move.shape[0]):
        # J y' = (0, rate): loops stay closed, the moved axes have the given rates.
        S.unit[rank + d] = S.rate[d]
    solve(S.J, S.pivot, S.unit)
    for a in range(m):
        state.V[a] = S.unit[a]
    accelerate_moves(F, N, S)
    for a in range(m):
        state.DV[a] = S.bend[a]
    complete_accelerations(F, N, S)
    _weigh(open_tree(F, N), state, 1.0)
    return regular


@entry("sweeps")
def prescribe(F: Floats, N: Ints, S: Sweep) -> None:
    """`bend`: accelerations of the independent coordinates, at the positions and velocities that there are, with which
    the moved axes have the accelerations `asked` and the locked freedoms none."""
    open_rows(F, N).to_solve[0] = S.sizes[RANK]
    place(F, N)
    factor_all(F, N, S)
    accelerate_moves(F, N, S)


@compiled
def accelerate_moves(F: Floats, N: Ints, S: Sweep) -> None:
    """`bend` for the velocities V, J being factored. Fills K and RHS of all rows, VEL, and ACC without the new
    accelerations."""
    rank = S.sizes[RANK]
    rhs = open_rows(F, N).rhs
    loops = open_loops(F, N)
    update_velocities(F, N)
    open_rows(F, N).to_solve[0] = S.sizes[ROWS]
    if loops.motion.shape[0] > 0:
        move_loops(open_tree(F, N), open_state(F, N), loops)
    update_rows(F, N)
    for a in range(S.bend.shape[0]):
        S.bend[a] = 0.0
    for r in range(rank):
        # J y'' = (RHS, asked - drift): the second derivative of the same equations, with the same factors.
        S.bend[r] = rhs[r]
    for d in range(S.move.shape[0]):
        S.bend[rank + d] = S.asked[d]
        if S.move[d] < 0:
            S.bend[rank + d] -= loop_axis_drift(loops, -1 - S.move[d])
    solve(S.J, S.pivot, S.bend)


@compiled
def complete_accelerations(F: Floats, N: Ints, S: Sweep) -> None:
    """ACC += what the accelerations DV of the independent coordinates add, of nodes and of loop joints."""
    tree, state, loops = open_tree(F, N), open_state(F, N), open_loops(F, N)
    spread(tree.G, state.DV, S.qdd)
    for i in range(tree.kind.shape[0]):
        up = tree.parent[i]
        added = STILL
        if up >= 0:
            # a_i += X a_p + S qdd: the part of the acceleration that is linear in qdd, from the root outwards.
            r = minus(row_vector(state.p, i), row_vector(state.p, up))
            added = moved_twist(row_spatial(S.extra, up), r, STILL)
        added = plus_joint_twist(added, tree, state, i, S.qdd)
        set_spatial(S.extra, i, added)
        add_spatial(state.acceleration, i, added)
    if loops.motion.shape[0] > 0:
        move_loops(tree, state, loops)


@compiled
def _weigh(tree: TreeViews, state: StateViews, factor: float) -> None:
    """Add so much gravity to the accelerations of nodes, which come with minus one."""
    for i in range(tree.kind.shape[0]):
        for c in range(3):
            state.acceleration[i, 3 + c] += factor * tree.gravity[c]


@compiled
def go(F: Floats, N: Ints, S: Sweep) -> None:
    """From the motion of `differentiate` to that in which the first axis has the velocity and acceleration `speed`;
    accelerations of nodes with minus gravity, as the dynamics have it. Velocities scale with ṡ, accelerations are ṡ²
    and s̈ times what the geometry says."""
    tree, state, loops = open_tree(F, N), open_state(F, N), open_loops(F, N)
    velocity, acceleration = S.speed[0], S.speed[1]
    for a in range(state.V.shape[0]):
        state.V[a] = velocity * S.unit[a]
        # y(s(t)):  dy/dt = y' sdot,  d2y/dt2 = y'' sdot^2 + y' sddot.
        state.DV[a] = velocity * velocity * S.bend[a] + acceleration * S.unit[a]
    for i in range(tree.kind.shape[0]):
        for c in range(6):
            bent = velocity * velocity * state.acceleration[i, c]
            state.acceleration[i, c] = bent + acceleration * state.velocity[i, c]
            state.velocity[i, c] *= velocity
    for k in range(state.QD.shape[0]):
        state.QD[k] *= velocity
    _weigh(tree, state, -1.0)
    if loops.motion.shape[0] > 0:
        move_loops(tree, state, loops)
