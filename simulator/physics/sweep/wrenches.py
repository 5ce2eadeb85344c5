"""What joints carry at known positions, velocities and accelerations: recursive Newton–Euler with the multipliers of
loops.

f_i = I a + v x* I v - loads, of the mechanism and of the table, is what a node's inboard joint has to supply for the
node itself; summed from the leaves it is the wrench that the joint carries of the opened tree. Along the freedoms it
must equal efforts: G^T (S^T f + I_rotor q̈ - known) = Jᵀ (λ, τ) for the multipliers λ of the active rows and the
efforts τ on moved axes and locked freedoms, J as in `sweep.motion`. A row with direction T (see `loops.loops`) is
the wrench λ T on the child about its frame and -λ T on the parent. (Featherstone, Rigid Body Dynamics Algorithms, 5.3
and 8.2.)

Rows that follow from the active ones, K_ρ = c^T K, carry what equilibrium does not determine: λ_ρ = 1 with λ = -c is
a stress W of the mechanism under no load. Of all sums w + W z the joints' compliances C choose that of least work, (W^T
C W) z = -W^T C w (theorem of Menabrea; Castigliano 1879). Where all C are equal, that is the one of the smallest
wrenches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.linear import solve_positive, solve_transposed
from simulator.physics.algebra.vectors import (
    add_spatial,
    clear,
    copy,
    minus,
    moved_wrench,
    plus_spatial,
    rotation_of,
    row_of,
    row_spatial,
    row_vector,
    scaled,
    set_spatial,
    turn,
)
from simulator.physics.layout.flatten import FREEDOMS
from simulator.physics.layout.sweep_layout import IN_LINK
from simulator.physics.loops.loops import AXIS, ORIGIN, add_wrench, axis_wrench, loop_row, rate_along
from simulator.physics.loops.mass import rate_rotor
from simulator.physics.tree.loads import apply_loads
from simulator.physics.tree.positions import add_effort, position_of
from simulator.physics.tree.tree import effort_along, hold_up, node_force, rotate_inertias

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats3, Spatial, Vector
    from simulator.physics.layout.sweep_layout import Points, Sweep
    from simulator.physics.loops.views import LoopViews, MechanismViews
    from simulator.physics.tree.views import CouplingViews, EffortViews, StateViews, TreeViews


@compiled
def balance(m: MechanismViews, S: Sweep, T: Points, p: int) -> None:
    """Fill `wrench`, `effort`, `held`, `row` and `open` of point `p` of the table T; J is factored at these positions,
    K of all rows, VEL and ACC (with minus gravity) are fresh."""
    require(m, S)
    _multipliers(S, T, p)
    for loop in range(S.loop.shape[0]):
        for c in range(6):
            S.loop[loop, c] = 0.0
    tree, state, loops = m.tree, m.state, m.loops
    for row in range(loops.row_kind.shape[0]):
        _add_row(loops, S, row, T.row[p, row])
    _add_axis_efforts(loops, S, T, p)
    for rotor in range(loops.rotor.shape[0]):
        _add_axis_row(loops, S, loops.row_kind.shape[0] + rotor, -_effort_of_rotor(m, rotor))
    _carry(tree, state, loops, S, T.wrench, p)
    for i in range(tree.parent.shape[0]):
        _add_at(T.wrench, p, i, row_spatial(state.force, i))
    if loops.row_kind.shape[0] > S.rank:
        _share(m, S, T, p)
    _project(tree, state, m.efforts, T, p)


@compiled
def _opened(m: MechanismViews, S: Sweep) -> None:
    """Force: wrench that every node's inboard joint carries of the opened tree, about the node's origin."""
    tree, state = m.tree, m.state
    nodes = tree.kind.shape[0]
    rotate_inertias(tree, state, nodes)
    for i in range(nodes):
        set_spatial(state.force, i, node_force(state, i))
    # Weightless nodes: the gravity that came with the root's acceleration is taken back.
    for n in range(tree.weightless.shape[0]):
        hold_up(tree, state, tree.weightless[n])
    apply_loads(m.loads, state)
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
def _subtract_load(state: StateViews, S: Sweep, load: int) -> None:
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
def require(m: MechanismViews, S: Sweep) -> None:
    """x: the generalized efforts that the motion needs beside those that are known, G^T (S^T f + I_rotor q̈ - known).
    Leaves the forces of the opened tree behind."""
    _opened(m, S)
    tree, state = m.tree, m.state
    for a in range(S.x.shape[0]):
        S.x[a] = 0.0
        for b in range(S.added.shape[0]):
            S.x[a] += S.added[a, b] * state.DV[b]
    for i in range(tree.kind.shape[0]):
        for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
            # S^T f is what has to act along the freedom; what springs, dampers and commands give is known.
            add_effort(tree.G, k, effort_along(tree, state, i, k) - _known(tree.G, state, m.efforts, k), S.x)
    _subtract_known_of_loops(m, S)
    rows = m.rows
    for rotor in range(m.loops.rotor.shape[0]):
        effort = _effort_of_rotor(m, rotor)
        for a in range(S.x.shape[0]):
            S.x[a] += effort * rows.K[rows.spare, a]


@compiled
def _multipliers(S: Sweep, T: Points, p: int) -> None:
    """λ of the active rows and τ of moved and locked freedoms, for the x of `require`."""
    rank = S.rank
    # J^T (lambda, tau) = x: the same J as that of the motion, transposed (virtual work).
    solve_transposed(S.J, S.pivot, S.x)
    for row in range(T.row.shape[1]):
        T.row[p, row] = S.x[row] if row < rank else 0.0
    for d in range(S.x.shape[0] - rank):
        T.held[p, d] = S.x[rank + d]


@compiled
def _known(G: CouplingViews, state: StateViews, efforts: EffortViews, k: int) -> float:
    """Effort on a freedom, and of its damper and spring."""
    effort = efforts.given[k] - efforts.damping[k] * state.QD[k]
    if efforts.stiffness[k] != 0.0:
        effort -= efforts.stiffness[k] * (position_of(G, state.Q, k) - efforts.reference[k])
    return effort


@compiled
def _known_of_loop(loops: LoopViews, j: int) -> tuple[float, Spatial]:
    """Effort on a loop axis, and of its damper and spring; and T of its rate."""
    T, _ = axis_wrench(loops, j)
    spring = loops.passive[j, 1] * (loops.axis_position[j] - loops.passive[j, 2])
    return loops.given[j] - loops.passive[j, 0] * rate_along(loops, loops.axis_loop[j], T) - spring, T


@compiled
def _subtract_known_of_loops(m: MechanismViews, S: Sweep) -> None:
    tree, state = m.tree, m.state
    loops, rows = m.loops, m.rows
    spare = rows.K[rows.spare, :]
    for j in range(loops.axis_kind.shape[0]):
        effort, T = _known_of_loop(loops, j)
        if effort == 0.0:
            continue
        clear(spare)
        # J^T tau of the loop axis in the spare row, as in `loops.loops.add_loop_axis_efforts`.
        add_wrench(tree, state, loops, spare, loops.axis_loop[j], T, effort)
        for a in range(spare.shape[0]):
            S.x[a] -= spare[a]


@compiled
def _effort_of_rotor(m: MechanismViews, rotor: int) -> float:
    """What turns a rotor that turns with axes of loops; leaves the row of its rate behind. Accelerations of nodes are
    complete."""
    tree, state, loops, rows = m.tree, m.state, m.loops, m.rows
    rate_rotor(tree, state, loops, rows, rotor)
    G = tree.G
    row = loops.row_kind.shape[0] + rotor
    acceleration = -rows.rhs[rows.spare]
    for t in range(loops.term_begin[row], loops.term_begin[row + 1]):
        if loops.term_axis[t] < 0:
            k = loops.term_freedom[t]
            for u in range(G.begin[k], G.begin[k + 1]):
                acceleration += loops.coefficient[t] * G.value[u] * state.DV[G.column[u]]
    return loops.rotor[rotor] * acceleration


@compiled
def _add_axis_efforts(loops: LoopViews, S: Sweep, T: Points, p: int) -> None:
    """Efforts on axes of loop joints, passive ones and of moves, as wrenches of the joints."""
    for j in range(loops.axis_kind.shape[0]):
        effort, direction = _known_of_loop(loops, j)
        for d in range(S.move.shape[0]):
            if S.move[d] == -1 - j:
                effort += T.held[p, d]
        _add_wrench_of_loop(S, loops.axis_loop[j], effort, direction)


@compiled
def _add_wrench_of_loop(S: Sweep, loop: int, factor: float, T: Spatial) -> None:
    """Wrench of a loop joint += factor T."""
    set_spatial(S.loop, loop, plus_spatial(row_spatial(S.loop, loop), factor, T))


@compiled
def _add_row(loops: LoopViews, S: Sweep, r: int, multiplier: float) -> None:
    """Add the wrench of the r-th of all rows, active ones first, to that of its loop joints."""
    row = loops.active[r]
    if loops.row_kind[row] >= AXIS:
        _add_axis_row(loops, S, row, multiplier)
        return
    T, _, _ = loop_row(loops, loops.row_loop[row], row)
    _add_wrench_of_loop(S, loops.row_loop[row], multiplier, T)


@compiled
def _add_axis_row(loops: LoopViews, S: Sweep, row: int, multiplier: float) -> None:
    """Add what a coupling's row, or a rotor, does along the axes of its loop joints."""
    for t in range(loops.term_begin[row], loops.term_begin[row + 1]):
        j = loops.term_axis[t]
        if j >= 0:
            T, _ = axis_wrench(loops, j)
            _add_wrench_of_loop(S, loops.axis_loop[j], multiplier * loops.coefficient[t], T)


@compiled
def _carry(tree: TreeViews, state: StateViews, loops: LoopViews, S: Sweep, wrench: Floats3, p: int) -> None:
    """wrench[p]: what nodes' joints carry of the wrenches in loop joints alone, and those."""
    nodes = tree.parent.shape[0]
    for i in range(nodes):
        for c in range(6):
            wrench[p, i, c] = 0.0
    for loop in range(loops.motion.shape[0]):
        x = row_of(loops.frame, 2 * loop + 1, ORIGIN)
        carried = row_spatial(S.loop, loop)
        for side in range(2):
            i = loops.node[2 * loop + side]
            sign = 1.0 - 2.0 * side
            # A joint supplies what the wrenches on its node, +T on the child and -T on the parent, take away.
            if i >= 0:
                r = minus(x, row_vector(state.p, i))
                _add_at(wrench, p, i, moved_wrench(scaled(sign, carried), r))
        for c in range(6):
            wrench[p, nodes + loop, c] = S.loop[loop, c]
    # What a node passes on is what its own joint carries: summed from the leaves.
    for i in range(nodes - 1, -1, -1):
        up = tree.parent[i]
        if up >= 0:
            r = minus(row_vector(state.p, i), row_vector(state.p, up))
            _add_at(wrench, p, up, moved_wrench(_wrench_at(wrench, p, i), r))


@compiled
def _wrench_at(wrench: Floats3, p: int, i: int) -> Spatial:
    """wrench[p, i]."""
    return wrench[p, i, 0], wrench[p, i, 1], wrench[p, i, 2], wrench[p, i, 3], wrench[p, i, 4], wrench[p, i, 5]


@compiled
def _add_at(out: Floats3, p: int, place: int, f: Spatial) -> None:
    """out[p, place] += f."""
    out[p, place, 0] += f[0]
    out[p, place, 1] += f[1]
    out[p, place, 2] += f[2]
    out[p, place, 3] += f[3]
    out[p, place, 4] += f[4]
    out[p, place, 5] += f[5]


@compiled
def _share(m: MechanismViews, S: Sweep, T: Points, p: int) -> None:
    """Add the stresses of redundant rows that make the work of the wrenches in the joints' compliances least."""
    rank = S.rank
    count = m.loops.row_kind.shape[0] - rank
    for z in range(count):
        _stress(m, S, z)
    for z in range(count):
        S.share[z] = -_work(m, S, S.wrench, z, T.wrench, p)
        for other in range(count):
            S.normal[z, other] = _work(m, S, S.wrench, z, S.wrench, other)
    # Normal equations of the least work; semidefinite where a stress lies in joints without compliance.
    solve_positive(S.normal, S.share, count)
    for i in range(S.compliance.shape[0]):
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
        for d in range(S.x.shape[0] - rank):
            T.held[p, d] += S.share[z] * S.mix[z, rank + d]


@compiled
def _stress(m: MechanismViews, S: Sweep, z: int) -> None:
    """`wrench` and `mix` of the z-th redundant row."""
    rank = S.rank
    copy(m.rows.K[rank + z, :], S.x)
    # K_z^T = J^T c: the row as a sum of those in J, whence the self-stress (1, -c).
    solve_transposed(S.J, S.pivot, S.x)
    for loop in range(S.loop.shape[0]):
        for c in range(6):
            S.loop[loop, c] = 0.0
    for a in range(S.x.shape[0]):
        S.mix[z, a] = -S.x[a]
    loops = m.loops
    for r in range(rank):
        _add_row(loops, S, r, -S.x[r])
    _add_row(loops, S, rank + z, 1.0)
    _carry(m.tree, m.state, loops, S, S.wrench, z)


@compiled
def _work(m: MechanismViews, S: Sweep, A: Floats3, a: int, B: Floats3, b: int) -> float:
    """Sum over joints of A[a] . C B[b], compliances C in the axes of the nodes or of the children's frames of loop
    joints."""
    R = m.state.R
    frame = m.loops.frame
    total = 0.0
    nodes = R.shape[0]
    for i in range(S.compliance.shape[0]):
        for c in range(6):
            if S.compliance[i, c] == 0.0:
                continue
            o = 3 * (c // 3)
            axis = c % 3
            left = right = 0.0
            for k in range(3):
                # w_c . C w_c in the axes of the joint, where the compliance is diagonal.
                direction = R[i, k, axis] if i < nodes else frame[2 * (i - nodes) + 1, k, axis]
                left += direction * A[a, i, o + k]
                right += direction * B[b, i, o + k]
            total += S.compliance[i, c] * left * right
    return total


@compiled
def _project(tree: TreeViews, state: StateViews, efforts: EffortViews, T: Points, p: int) -> None:
    """`effort` of point `p`: what acts along each freedom."""
    for i in range(tree.kind.shape[0]):
        for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
            o = 0 if tree.turns[k] else 3
            T.effort[p, k] = 0.0
            for c in range(3):
                T.effort[p, k] += state.S[k, c] * T.wrench[p, i, o + c]
            # What a joint carries along its freedom is its effort and that of its spring and damper.
            T.effort[p, k] -= _known(tree.G, state, efforts, k)
