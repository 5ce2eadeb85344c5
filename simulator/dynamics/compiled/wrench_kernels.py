"""What joints carry at known positions, velocities and accelerations: recursive Newton–Euler with the multipliers of
loops.

f_i = I a + v x* I v - loads, of the mechanism and of the table, is what a node's inboard joint has to supply for the
node itself; summed from the leaves it is the wrench that the joint carries of the opened tree. Along the freedoms it
must equal efforts: G^T (S^T f + I_rotor q̈ - known) = Jᵀ (λ, τ) for the multipliers λ of the active rows and the
efforts τ on moved axes and locked freedoms, J as in `motion_kernels`. A row with direction T (see `loop_kernels`) is
the wrench λ T on the child about its frame and -λ T on the parent. (Featherstone, Rigid Body Dynamics Algorithms, 5.3
and 8.2.)

Rows that follow from the active ones, K_ρ = c^T K, carry what nobody can tell from equilibrium: λ_ρ = 1 with λ = -c is
a stress W of the mechanism under no load. Of all sums w + W z the joints' compliances C choose that of least work, (W^T
C W) z = -W^T C w (theorem of Menabrea; Castigliano 1879). Where all C are equal, that is the one of the smallest
wrenches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.coupling_kernels import add_effort, position_of
from simulator.dynamics.compiled.flatten import FREEDOMS
from simulator.dynamics.compiled.linear_kernels import solve_positive, solve_transposed
from simulator.dynamics.compiled.load_kernels import apply_loads
from simulator.dynamics.compiled.load_views import open_loads
from simulator.dynamics.compiled.loop_kernels import AXIS, LINE, add_wrench, axis_wrench, line_wrench, turn_wrench
from simulator.dynamics.compiled.rotor_kernels import rate_rotor
from simulator.dynamics.compiled.spatial_kernels import (
    add_spatial,
    moved_wrench,
    rotation_of,
    row_spatial,
    row_vector,
    set_spatial,
    turn,
)
from simulator.dynamics.compiled.sweep_layout import IN_LINK, RANK, ROWS
from simulator.dynamics.compiled.tree_kernels import effort_along, hold_up, node_force, rotate_inertias
from simulator.dynamics.compiled.tree_views import open_couplings, open_state, open_tree
from simulator.dynamics.compiled.vector_kernels import minus
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Vector
    from simulator.dynamics.compiled.sweep_layout import Points, Sweep
    from simulator.dynamics.compiled.tree_views import State


@compiled
def balance(F: Floats, N: Ints, S: Sweep, T: Points, p: int) -> None:
    """Fill `wrench`, `effort`, `held`, `row` and `open` of point `p` of the table T; J is factored at these positions,
    K of all rows, VEL and ACC (with minus gravity) are fresh."""
    require(F, N, S)
    _multipliers(F, N, S, T, p)
    for loop in range(N[at.LOOPS]):
        for c in range(6):
            S.loop[loop, c] = 0.0
    for row in range(S.sizes[ROWS]):
        _add_row(F, N, S, row, T.row[p, row])
    _add_axis_efforts(F, N, S, T, p)
    for rotor in range(N[at.ROTORS]):
        _add_axis_row(F, N, S, N[at.ROWS] + rotor, -_effort_of_rotor(F, N, rotor))
    _carry(F, N, S, T.wrench, p)
    for i in range(N[at.NODES]):
        for c in range(6):
            T.wrench[p, i, c] += F[start(N, at.F_FORCE) + 6 * i + c]
    if S.sizes[ROWS] > S.sizes[RANK]:
        _share(F, N, S, T, p)
    _project(F, N, T, p)


@compiled
def _opened(F: Floats, N: Ints, S: Sweep) -> None:
    """Force: wrench that every node's inboard joint carries of the opened tree, about the node's origin."""
    tree, state = open_tree(F, N), open_state(F, N)
    nodes = tree.kind.shape[0]
    rotate_inertias(tree, state, nodes)
    for i in range(nodes):
        set_spatial(state.force, i, node_force(state, i))
    # Weightless nodes: the gravity that came with the root's acceleration is taken back.
    for n in range(tree.weightless.shape[0]):
        hold_up(tree, state, tree.weightless[n])
    apply_loads(open_loads(F, N), state)
    for load in range(S.load_node.shape[0]):
        _subtract_load(state, S, load)
    for i in range(nodes - 1, -1, -1):
        up = tree.parent[i]
        if up >= 0:
            r = minus(row_vector(state.p, i), row_vector(state.p, up))
            add_spatial(state.force, up, moved_wrench(row_spatial(state.force, i), r))


@compiled
def _of_load(S: Sweep, load: int, first: int) -> Vector:
    """Three numbers of a load."""
    return S.load[load, first], S.load[load, first + 1], S.load[load, first + 2]


@compiled
def _subtract_load(state: State, S: Sweep, load: int) -> None:
    i = S.load_node[load]
    if i < 0:
        return
    R = rotation_of(state.R, i)
    force, moment = _of_load(S, load, 3), _of_load(S, load, 6)
    if S.load_axes[load] == IN_LINK:
        force, moment = turn(R, force), turn(R, moment)
    wrench = (-moment[0], -moment[1], -moment[2], -force[0], -force[1], -force[2])
    add_spatial(state.force, i, moved_wrench(wrench, turn(R, _of_load(S, load, 0))))


@compiled
def require(F: Floats, N: Ints, S: Sweep) -> None:
    """x: the generalized efforts that the motion needs beside those that are known, G^T (S^T f + I_rotor q̈ - known).
    Leaves the forces of the opened tree behind."""
    _opened(F, N, S)
    tree, G, state = open_tree(F, N), open_couplings(F, N), open_state(F, N)
    for a in range(N[at.INDEPENDENT]):
        S.x[a] = 0.0
        for b in range(S.added.shape[0]):
            S.x[a] += S.added[a, b] * state.DV[b]
    for i in range(tree.kind.shape[0]):
        for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
            # S^T f is what has to act along the freedom; what springs, dampers and commands give is known.
            add_effort(G, k, effort_along(tree, state, i, k) - _known(F, N, k), S.x)
    _subtract_known_of_loops(F, N, S)
    for rotor in range(N[at.ROTORS]):
        effort = _effort_of_rotor(F, N, rotor)
        for a in range(N[at.INDEPENDENT]):
            S.x[a] += effort * F[start(N, at.F_K) + N[at.SPARE] * N[at.INDEPENDENT] + a]


@compiled
def _multipliers(F: Floats, N: Ints, S: Sweep, T: Points, p: int) -> None:
    """λ of the active rows and τ of moved and locked freedoms, for the x of `require`."""
    rank = S.sizes[RANK]
    # J^T (lambda, tau) = x: the same J as that of the motion, transposed (virtual work).
    solve_transposed(S.J, S.pivot, S.x)
    for row in range(S.sizes[ROWS]):
        T.row[p, row] = S.x[row] if row < rank else 0.0
    for d in range(N[at.INDEPENDENT] - rank):
        T.held[p, d] = S.x[rank + d]


@compiled
def _known(F: Floats, N: Ints, k: int) -> float:
    """Effort on a freedom, and of its damper and spring."""
    effort = F[start(N, at.F_TAU) + k] - F[start(N, at.F_DAMPING) + k] * F[start(N, at.F_QD) + k]
    stiffness = F[start(N, at.F_STIFFNESS) + k]
    if stiffness != 0.0:
        q = position_of(open_couplings(F, N), open_state(F, N).Q, k)
        effort -= stiffness * (q - F[start(N, at.F_REFERENCE) + k])
    return effort


@compiled
def _known_of_loop(F: Floats, N: Ints, j: int) -> float:
    """Effort on a loop axis, and of its damper and spring; leaves its T behind in the work block."""
    place, T = start(N, at.F_LPASSIVE) + 3 * j, start(N, at.F_TWIST) + 12
    # Rate of the axis = T . (twist of the child against the parent).
    axis_wrench(F, N, j, T)
    o, rate = start(N, at.F_LMOTION) + 21 * N[int_start(N, at.I_LAXIS_LOOP) + j], 0.0
    for c in range(6):
        rate += F[T + c] * F[o + c]
    spring = F[place + 1] * (F[start(N, at.F_LAXIS_Q) + j] - F[place + 2])
    effort: float = F[start(N, at.F_TAU) + N[at.FREEDOMS] + j] - F[place] * rate - spring
    return effort


@compiled
def _subtract_known_of_loops(F: Floats, N: Ints, S: Sweep) -> None:
    m, spare = N[at.INDEPENDENT], start(N, at.F_K) + N[at.SPARE] * N[at.INDEPENDENT]
    for j in range(N[at.LOOP_AXES]):
        effort = _known_of_loop(F, N, j)
        if effort == 0.0:
            continue
        for a in range(m):
            F[spare + a] = 0.0
        # J^T tau of the loop axis in the spare row, as in `loop_kernels.add_loop_axis_efforts`.
        add_wrench(F, N, N[at.SPARE], N[int_start(N, at.I_LAXIS_LOOP) + j], start(N, at.F_TWIST) + 12, effort)
        for a in range(m):
            S.x[a] -= F[spare + a]


@compiled
def _effort_of_rotor(F: Floats, N: Ints, rotor: int) -> float:
    """What turns a rotor that turns with axes of loops; leaves the row of its rate behind. Accelerations of nodes are
    complete."""
    rate_rotor(F, N, rotor)
    terms, axis, freedom = int_start(N, at.I_TERM_PTR), int_start(N, at.I_TERM_AXIS), int_start(N, at.I_TERM_DOF)
    ptr, row, acceleration = int_start(N, at.I_GPTR), N[at.ROWS] + rotor, -F[start(N, at.F_RHS) + N[at.SPARE]]
    for t in range(N[terms + row], N[terms + row + 1]):
        if N[axis + t] < 0:
            k = N[freedom + t]
            for u in range(N[ptr + k], N[ptr + k + 1]):
                rate = F[start(N, at.F_LCOEF) + t] * F[start(N, at.F_GVALUE) + u]
                acceleration += rate * F[start(N, at.F_DV) + N[int_start(N, at.I_GINDEX) + u]]
    return F[start(N, at.F_ROTOR) + rotor] * acceleration


@compiled
def _add_axis_efforts(F: Floats, N: Ints, S: Sweep, T: Points, p: int) -> None:
    """Efforts on axes of loop joints, passive ones and of moves, as wrenches of the joints."""
    for j in range(N[at.LOOP_AXES]):
        effort = _known_of_loop(F, N, j)
        for d in range(S.move.shape[0]):
            if S.move[d] == -1 - j:
                effort += T.held[p, d]
        for c in range(6):
            S.loop[N[int_start(N, at.I_LAXIS_LOOP) + j], c] += effort * F[start(N, at.F_TWIST) + 12 + c]


@compiled
def _add_row(F: Floats, N: Ints, S: Sweep, r: int, multiplier: float) -> None:
    """Add the wrench of the r-th of all rows, active ones first, to that of its loop joints."""
    row, T = N[int_start(N, at.I_ROW_ACTIVE) + r], start(N, at.F_TWIST) + 12
    kind, loop = N[int_start(N, at.I_ROW_KIND) + row], N[int_start(N, at.I_ROW_LOOP) + row]
    if kind == AXIS:
        _add_axis_row(F, N, S, row, multiplier)
        return
    if kind == LINE:
        line_wrench(F, N, loop, 0, start(N, at.F_ROW_U) + 3 * row, T)
    else:
        turn_wrench(F, N, loop, start(N, at.F_ROW_U) + 3 * row, start(N, at.F_ROW_W) + 3 * row, T)
    for c in range(6):
        S.loop[loop, c] += multiplier * F[T + c]


@compiled
def _add_axis_row(F: Floats, N: Ints, S: Sweep, row: int, multiplier: float) -> None:
    """Add what a coupling's row, or a rotor, does along the axes of its loop joints."""
    terms, axis, T = int_start(N, at.I_TERM_PTR), int_start(N, at.I_TERM_AXIS), start(N, at.F_TWIST) + 12
    for t in range(N[terms + row], N[terms + row + 1]):
        j = N[axis + t]
        if j >= 0:
            axis_wrench(F, N, j, T)
            for c in range(6):
                S.loop[N[int_start(N, at.I_LAXIS_LOOP) + j], c] += multiplier * F[start(N, at.F_LCOEF) + t] * F[T + c]


@compiled
def _carry(F: Floats, N: Ints, S: Sweep, wrench: Floats, p: int) -> None:
    """wrench[p]: what nodes' joints carry of the wrenches in loop joints alone, and those."""
    nodes, P, x = N[at.NODES], start(N, at.F_P), start(N, at.F_LFRAME)
    parent, sides, FORCE = int_start(N, at.I_PARENT), int_start(N, at.I_LOOP_NODE), start(N, at.F_TWIST)
    for i in range(nodes):
        for c in range(6):
            wrench[p, i, c] = 0.0
    for loop in range(N[at.LOOPS]):
        for side in range(2):
            i, sign = N[sides + 2 * loop + side], 1.0 - 2.0 * side
            # A joint supplies what the wrenches on its node, +T on the child and -T on the parent, take away.
            if i >= 0:
                _lay(F, FORCE, S.loop, loop, sign)
                _shift(F, FORCE, x + 24 * loop + 21, P + 3 * i, wrench, p, i)
        for c in range(6):
            wrench[p, nodes + loop, c] = S.loop[loop, c]
    # What a node passes on is what its own joint carries: summed from the leaves.
    for i in range(nodes - 1, -1, -1):
        up = N[parent + i]
        if up >= 0:
            for c in range(6):
                F[FORCE + c] = wrench[p, i, c]
            _shift(F, FORCE, P + 3 * i, P + 3 * up, wrench, p, up)


@compiled
def _lay(F: Floats, out: int, loops: Floats, loop: int, sign: float) -> None:
    for c in range(6):
        F[out + c] = sign * loops[loop, c]


@compiled
def _shift(F: Floats, wrench: int, here: int, there: int, out: Floats, p: int, place: int) -> None:
    """out[p, place] += the wrench, about `here`, about `there`."""
    # Moment about another point: n' = n + (here - there) x f.
    r0, r1, r2 = F[here] - F[there], F[here + 1] - F[there + 1], F[here + 2] - F[there + 2]
    f0, f1, f2 = F[wrench + 3], F[wrench + 4], F[wrench + 5]
    out[p, place, 0] += F[wrench] + r1 * f2 - r2 * f1
    out[p, place, 1] += F[wrench + 1] + r2 * f0 - r0 * f2
    out[p, place, 2] += F[wrench + 2] + r0 * f1 - r1 * f0
    out[p, place, 3] += f0
    out[p, place, 4] += f1
    out[p, place, 5] += f2


@compiled
def _share(F: Floats, N: Ints, S: Sweep, T: Points, p: int) -> None:
    """Add the stresses of redundant rows that make the work of the wrenches in the joints' compliances least."""
    m, rank, count = N[at.INDEPENDENT], S.sizes[RANK], S.sizes[ROWS] - S.sizes[RANK]
    for z in range(count):
        _stress(F, N, S, z)
    for z in range(count):
        S.share[z] = -_work(F, N, S, S.wrench, z, T.wrench, p)
        for other in range(count):
            S.normal[z, other] = _work(F, N, S, S.wrench, z, S.wrench, other)
    # Normal equations of the least work; semidefinite where a stress lies in joints without compliance.
    solve_positive(S.normal, S.share, count)
    for i in range(N[at.NODES] + N[at.LOOPS]):
        for c in range(6):
            T.open[p, i, c] = 0.0
            for z in range(count):
                T.wrench[p, i, c] += S.share[z] * S.wrench[z, i, c]
                T.open[p, i, c] = max(T.open[p, i, c], abs(S.wrench[z, i, c]))
    for z in range(count):
        # The stress z has the multiplier 1 on its own row and `mix` on the others: all of them follow.
        T.row[p, rank + z] = S.share[z]
        for r in range(rank):
            T.row[p, r] += S.share[z] * S.mix[z, r]
        for d in range(m - rank):
            T.held[p, d] += S.share[z] * S.mix[z, rank + d]


@compiled
def _stress(F: Floats, N: Ints, S: Sweep, z: int) -> None:
    """`wrench` and `mix` of the z-th redundant row."""
    m, rank, K = N[at.INDEPENDENT], S.sizes[RANK], start(N, at.F_K)
    for a in range(m):
        S.x[a] = F[K + (rank + z) * m + a]
    # K_z^T = J^T c: the row as a sum of those in J, whence the self-stress (1, -c).
    solve_transposed(S.J, S.pivot, S.x)
    for loop in range(N[at.LOOPS]):
        for c in range(6):
            S.loop[loop, c] = 0.0
    for a in range(m):
        S.mix[z, a] = -S.x[a]
    for r in range(rank):
        _add_row(F, N, S, r, -S.x[r])
    _add_row(F, N, S, rank + z, 1.0)
    _carry(F, N, S, S.wrench, z)


@compiled
def _work(F: Floats, N: Ints, S: Sweep, A: Floats, a: int, B: Floats, b: int) -> float:
    """Sum over joints of A[a] . C B[b], compliances C in the axes of the nodes or of the children's frames of loop
    joints."""
    nodes, R, LF, total = N[at.NODES], start(N, at.F_R), start(N, at.F_LFRAME), 0.0
    for i in range(nodes + N[at.LOOPS]):
        r = R + 9 * i if i < nodes else LF + 24 * (i - nodes) + 12
        for c in range(6):
            if S.compliance[i, c] == 0.0:
                continue
            o, axis = 3 * (c // 3), c % 3
            left = right = 0.0
            for k in range(3):
                # w_c . C w_c in the axes of the joint, where the compliance is diagonal.
                left += F[r + 3 * k + axis] * A[a, i, o + k]
                right += F[r + 3 * k + axis] * B[b, i, o + k]
            total += S.compliance[i, c] * left * right
    return total


@compiled
def _project(F: Floats, N: Ints, T: Points, p: int) -> None:
    """`effort` of point `p`: what acts along each freedom."""
    SS = start(N, at.F_S)
    kind, first, turns = int_start(N, at.I_KIND), int_start(N, at.I_FIRST), int_start(N, at.I_TURNS)
    for i in range(N[at.NODES]):
        for k in range(N[first + i], N[first + i] + FREEDOMS[N[kind + i]]):
            o, s = (0 if N[turns + k] else 3), SS + 3 * k
            T.effort[p, k] = 0.0
            for c in range(3):
                T.effort[p, k] += F[s + c] * T.wrench[p, i, o + c]
            # What a joint carries along its freedom is its effort and that of its spring and damper.
            T.effort[p, k] -= _known(F, N, k)
