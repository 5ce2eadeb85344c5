"""The reduced mass matrix H = G^T M G by composite rigid bodies (Featherstone, Rigid Body Dynamics Algorithms, chapter
6).

Rotors that turn with axes of loop joints have the rate r v over the velocities v of the coordinates, with a row r that
changes with the position: ½ J (r v)² adds J rᵀ r to the mass matrix, and of the rotor's acceleration r v̇ + (dr/dt) v
the second part needs the effort J rᵀ (dr/dt) v. Rotors that turn with axes of the tree alone have constant rows and are
in HBASE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import clear, cross, dot, minus, plus, row_vector, times
from simulator.physics.layout.flatten import FREE, FREEDOMS
from simulator.physics.loops.loops import axis_row

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Vector
    from simulator.physics.loops.views import LoopViews, MechanismViews, RowViews
    from simulator.physics.tree.views import CouplingViews, MassViews, StateViews, TreeViews


@entry("motion")
def find_mass(m: MechanismViews) -> None:
    """H = G^T M G, the envelope of its lower triangle, from composite inertias. Needs fresh loop motion where rotors
    turn with axes of loops."""
    tree, state, mass = m.tree, m.state, m.mass
    start_mass(mass)
    for n in range(tree.active - 1, -1, -1):
        i = tree.order[n]
        if _is_loose(tree, mass, i):
            _add_loose_inertia(mass, tree.inertia, i, tree.G.column[tree.G.begin[tree.first[i]]])
            continue
        for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
            _add_freedom(tree, state, mass, i, k)
    if m.loops.rotor.shape[0] > 0:
        add_rotor_mass(tree, state, m.loops, m.rows, mass)


@compiled
def _add_freedom(tree: TreeViews, state: StateViews, mass: MassViews, i: int, k: int) -> None:
    """Entries of freedom k of node i and all freedoms from there inwards, M_kl = S_l^T (I^c S_k): the momentum is moved
    from node to node, not the inertia."""
    moment, force = _column_momentum(state.inertia, i, row_vector(state.S, k), tree.turns[k] == 1)
    j = i
    while j >= 0:
        last = k + 1 if j == i else tree.first[j] + FREEDOMS[tree.kind[j]]
        for l in range(tree.first[j], last):  # noqa: E741
            add_entry(tree.G, mass, k, l, dot(row_vector(state.S, l), moment if tree.turns[l] else force))
        up = tree.parent[j]
        if up >= 0:
            moment = plus(moment, 1.0, cross(minus(row_vector(state.p, j), row_vector(state.p, up)), force))
        j = up


@compiled
def _is_loose(tree: TreeViews, mass: MassViews, i: int) -> bool:
    """Whether node i floats, and nothing hangs on it: then six coordinates of its own are a block of H."""
    if tree.kind[i] != FREE or tree.parent[i] >= 0:
        return False
    G = tree.G
    last = FREEDOMS[FREE] - 1
    entry = G.begin[tree.first[i]]
    k = G.column[entry]
    alone = mass.block_begin[k] == k and mass.block_end[k] == k + last + 1
    return bool(alone and G.column[entry + last] == k + last)


@compiled
def _add_loose_inertia(mass: MassViews, inertia: Floats2, i: int, k: int) -> None:
    """H += the inertia in row i of a loose body, whose coordinates begin with k: twists (w, v) in its own axes about
    its origin, in which it is the same at all times, (I w + h x v, m v - h x w)."""
    H, row = mass.H, mass.row
    m = inertia[i, 0]
    h0 = inertia[i, 1]
    h1 = inertia[i, 2]
    h2 = inertia[i, 3]
    a = row[k]
    b = row[k + 1]
    d = row[k + 2]
    H[a + k] += inertia[i, 4]
    H[b + k] += inertia[i, 7]
    H[b + k + 1] += inertia[i, 5]
    H[d + k] += inertia[i, 8]
    H[d + k + 1] += inertia[i, 9]
    H[d + k + 2] += inertia[i, 6]
    a = row[k + 3]
    b = row[k + 4]
    d = row[k + 5]
    H[a + k + 1] += h2
    H[a + k + 2] -= h1
    H[b + k] -= h2
    H[b + k + 2] += h0
    H[d + k] += h1
    H[d + k + 1] -= h0
    H[a + k + 3] += m
    H[b + k + 4] += m
    H[d + k + 5] += m


@compiled
def start_mass(mass: MassViews) -> None:
    """H = what does not change with the state: rotors, and nodes in closed form."""
    H, constant = mass.H, mass.constant
    for a in range(mass.row.shape[0]):
        mine = mass.row[a]
        H[mine + a] = constant[mine + a]
        for t in range(mass.begin[a], mass.begin[a + 1]):
            H[mine + mass.column[t]] = constant[mine + mass.column[t]]


@compiled
def _column_momentum(inertia: Floats2, i: int, d: Vector, turns: bool) -> tuple[Vector, Vector]:
    """I S for a freedom along d, of the inertia in row i: (I0 d, -h x d) of a turn, (h x d, m d) of a slide."""
    h = inertia[i, 1], inertia[i, 2], inertia[i, 3]
    across = cross(h, d)
    if not turns:
        return across, times(inertia[i, 0], d)
    moment = (
        inertia[i, 4] * d[0] + inertia[i, 7] * d[1] + inertia[i, 8] * d[2],
        inertia[i, 7] * d[0] + inertia[i, 5] * d[1] + inertia[i, 9] * d[2],
        inertia[i, 8] * d[0] + inertia[i, 9] * d[1] + inertia[i, 6] * d[2],
    )
    return moment, (-across[0], -across[1], -across[2])


@compiled
def add_entry(G: CouplingViews, mass: MassViews, k: int, l: int, entry: float) -> None:  # noqa: E741
    """H += G^T (entry of M at (k, l) and, off the diagonal, (l, k)) G; only the lower triangle is stored."""
    H, row = mass.H, mass.row
    if G.is_identity:
        H[row[max(k, l)] + min(k, l)] += entry
        return
    for ta in range(G.begin[k], G.begin[k + 1]):
        a = G.column[ta]
        part = G.value[ta] * entry
        for tb in range(G.begin[l], G.begin[l + 1]):
            b = G.column[tb]
            amount = G.value[tb] * part
            # M_kl stands twice in M; where k and l follow from the same coordinate, both land on its diagonal.
            if a > b:
                H[row[a] + b] += amount
            elif a == b:
                H[row[a] + a] += amount if k == l else 2.0 * amount
            elif k != l:
                H[row[b] + a] += amount


@compiled
def rate_rotor(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews, rotor: int) -> None:
    """The spare row of K becomes the rate of a rotor that turns with axes of loops, and the place behind the others of
    rhs minus what its acceleration has beside those of the coordinates. Needs fresh loop motion."""
    row = rows.K[rows.spare, :]
    clear(row)
    rows.rhs[rows.spare] = 0.0
    axis_row(tree, state, loops, (row, rows.rhs), rows.spare, loops.row_kind.shape[0] + rotor, True)


@compiled
def add_rotor_mass(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews, mass: MassViews) -> None:
    """H += J r^T r of all rotors that turn with axes of loops, r being the row of a rotor's rate."""
    r = rows.K[rows.spare, :]
    for rotor in range(loops.rotor.shape[0]):
        rate_rotor(tree, state, loops, rows, rotor)
        for a in range(r.shape[0]):
            entry = loops.rotor[rotor] * r[a]
            for b in range(a + 1):
                # Only what rotors tie has room in the envelope of H.
                if entry != 0.0 and r[b] != 0.0:
                    mass.H[mass.row[a] + b] += entry * r[b]
        clear(r)


@compiled
def add_rotor_efforts(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews) -> None:
    """DV -= J r^T (dr/dt V) of the same rotors."""
    r = rows.K[rows.spare, :]
    for rotor in range(loops.rotor.shape[0]):
        rate_rotor(tree, state, loops, rows, rotor)
        effort = loops.rotor[rotor] * rows.rhs[rows.spare]
        for a in range(r.shape[0]):
            state.DV[a] += effort * r[a]
        clear(r)
