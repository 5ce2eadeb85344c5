"""Entries of bounded rows of axes: the dense row in the spare row of K, then those of J and X that are not zero.

A code says which rate of an axis, or of the length of a spring between points, is a row: a freedom of the tree; below 0
an axis of a loop joint, -1 - j, and behind these a spring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, minus, row_vector
from simulator.physics.layout.bounded import enter, enter_row, island_entries, j_begin, x_begin
from simulator.physics.layout.flatten import FREEDOMS
from simulator.physics.loops.loops import add_wrench, axis_wrench, enter_freedoms
from simulator.physics.loops.solve import closed_entry, make_consistent, solve_mass_within
from simulator.physics.tree.loads import ALONG, ARM
from simulator.physics.tree.positions import add_effort

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Vector
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews, RowViews
    from simulator.physics.tree.views import CouplingViews, MassViews


MOVABLE = 1e-12
"""A row whose axis the loops leave less than this part of its mobility cannot be moved by any impulse."""
ROUNDING = 1e-13
"""Levers of contacts that are shorter than this part of a metre, or of the way to the joint where that is longer, are
rounding: a body that slides in a plane would be thrown out of its mechanism by impulses that try to move it across."""


@compiled
def clear_row(rows: RowViews, has_loops: bool) -> None:
    """The spare row of K is zero outside of its window; now the window is empty.

    With loops the window is all of it: they may pass on to any coordinate what any other gets, and efforts of their
    axes are found in the same room.
    """
    row = rows.K[rows.spare, :]
    window = rows.window
    if has_loops:
        window[0], window[1] = 0, row.shape[0]
    for a in range(window[0], window[1]):
        row[a] = 0.0
    if not has_loops:
        window[0] = row.shape[0]
        window[1] = 0


@compiled
def widen(G: CouplingViews, mass: MassViews, window: Ints, first: int, end: int) -> None:
    """Take into the window all that moves with the freedoms `first` to before `end`."""
    for t in range(G.begin[first], G.begin[end]):
        window[0] = min(window[0], mass.block_begin[G.column[t]])
        window[1] = max(window[1], mass.block_end[G.column[t]])


@compiled
def close_row(m: MechanismViews, bounded: BoundedRows, kind: int, line: int) -> int:
    """Append the dense row in the spare row of K; returns its index, or NO_SPACE."""
    r = bounded.gathered[0]
    if r >= bounded.kind.shape[0]:
        return NO_SPACE
    rows = m.rows
    row = rows.K[rows.spare, :]
    x = rows.scratch
    low = rows.window[0]
    high = rows.window[1]
    j_end = j_begin(bounded, r)
    x_end = x_begin(bounded, r)
    (closed,) = island_entries(bounded)
    width = max(high - low, 0)
    if j_end + width > bounded.J.shape[0] or x_end + width > bounded.J.shape[0]:
        return NO_SPACE
    for a in range(low, high):
        x[a] = row[a]
    alone = respond(m.mass, rows, x)
    for a in range(low, high):
        kept = closed_entry(rows, a, row[a]) if bounded.closed[0] != 0 else row[a]
        if row[a] != 0.0 or kept != 0.0:
            closed[j_end] = kept
            bounded.J[j_end] = row[a]
            enter(bounded, bounded.J_column, j_end, a)
            j_end += 1
    weight = 0.0
    for a in range(low, high):
        if x[a] != 0.0:
            weight += row[a] * x[a]
            bounded.X[x_end] = x[a]
            bounded.X_column[x_end] = a
            x_end += 1
    # A row that loops leave no motion has only rounding for a weight: it counts as immovable.
    return enter_row(bounded, kind, line, j_end, x_end, weight if weight > MOVABLE * alone else 0.0)


NO_SPACE, COUPLED = -1, -2
"""In the place of a row: there is no room for it; or its coordinates are not each by itself."""


@compiled
def close_uncoupled_row(m: MechanismViews, bounded: BoundedRows, kind: int, line: int, k: int) -> int:
    """Append the row of freedom k of the tree whose coordinates are coupled with no others by H, nor by loops: it has
    the entries of G, and X is each by its own inertia. Returns its index, or NO_SPACE or COUPLED."""
    G, mass = m.tree.G, m.mass
    r = bounded.gathered[0]
    j_end = j_begin(bounded, r)
    x_end = x_begin(bounded, r)
    if m.rows.solved > 0:
        return COUPLED
    width = G.begin[k + 1] - G.begin[k]
    room = bounded.J.shape[0] - width
    if r >= bounded.kind.shape[0] or j_end > room or x_end > room:
        return NO_SPACE
    weight = 0.0
    for t in range(G.begin[k], G.begin[k + 1]):
        a = G.column[t]
        if mass.block_end[a] - mass.block_begin[a] != 1:
            return COUPLED
        entry = G.value[t]
        if entry == 0.0:
            continue
        x = entry / mass.H[mass.row[a] + a]
        weight += entry * x
        bounded.J[j_end] = entry
        bounded.X[x_end] = x
        bounded.X_column[x_end] = a
        enter(bounded, bounded.J_column, j_end, a)
        j_end += 1
        x_end += 1
    return enter_row(bounded, kind, line, j_end, x_end, weight)


@compiled
def respond(mass: MassViews, rows: RowViews, x: Floats) -> float:
    """x = J^T, of the dense row J, becomes the velocity of a unit impulse, consistent with the loops; returns J H^-1
    J^T as if there were none."""
    # X = (1 - H^-1 K^T A^-1 K) H^-1 J^T: what the unit impulse moves while loops stay closed.
    solve_mass_within(mass, x, rows.window[0], rows.window[1])
    alone = dense_product(rows, x)
    if rows.solved > 0:
        make_consistent(rows, rows.rank[0], x)
    return alone


@compiled
def dense_product(rows: RowViews, vector: Floats) -> float:
    """Product of the dense row in its window and a vector over coordinates."""
    row = rows.K[rows.spare, :]
    total = 0.0
    for a in range(rows.window[0], rows.window[1]):
        total += row[a] * vector[a]
    return total


@compiled
def enter_axis_row(m: MechanismViews, code: int, factor: float) -> None:
    """As `add_axis_row`; of a freedom of the tree, as most axes are, nothing else is opened."""
    if code >= 0:
        _add_freedom(m.tree.G, m.mass, m.rows, code, factor)
    else:
        add_axis_row(m, code, factor)


@compiled
def _add_freedom(G: CouplingViews, mass: MassViews, rows: RowViews, k: int, factor: float) -> None:
    widen(G, mass, rows.window, k, k + 1)
    add_effort(G, k, factor, rows.K[rows.spare, :])


@compiled
def add_axis_row(m: MechanismViews, code: int, factor: float) -> None:
    """The dense row += factor times how the rate of an axis follows from the independent ones."""
    loops = m.loops
    row = m.rows.K[m.rows.spare, :]
    j = -1 - code
    if code >= 0:
        _add_freedom(m.tree.G, m.mass, m.rows, code, factor)
    elif j < loops.axis_kind.shape[0]:
        T, _ = axis_wrench(loops, j)
        add_wrench(m.tree, m.state, loops, row, loops.axis_loop[j], T, factor)
    else:
        _add_spring_row(m, j - loops.axis_kind.shape[0], factor)


@compiled
def _add_spring_row(m: MechanismViews, s: int, factor: float) -> None:
    """The dense row += factor times how the length of a spring follows from the independent rates."""
    now = m.loads.springs
    along = now[s, ALONG], now[s, ALONG + 1], now[s, ALONG + 2]
    for side in range(2):
        i = m.loads.ends[s, side]
        arm = ARM + 3 * side
        if i >= 0:
            p = row_vector(m.state.p, i)
            point = p[0] + now[s, arm], p[1] + now[s, arm + 1], p[2] + now[s, arm + 2]
            _add_point(m, i, factor * (2.0 * side - 1.0), point, along)


@compiled
def _add_point(m: MechanismViews, i: int, sign: float, point: Vector, d: Vector) -> None:
    """The dense row += sign times the velocity along d of a point of node i."""
    row = m.rows.K[m.rows.spare, :]
    tree = m.tree
    # Of every node inboard of it the point is carried as x - p along: d . (w x r) = (r x d) . w.
    while i >= 0:
        moment = cross(minus(point, row_vector(m.state.p, i)), d)
        widen(tree.G, m.mass, m.rows.window, tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]])
        enter_freedoms(tree, m.state, row, i, sign, (moment[0], moment[1], moment[2], d[0], d[1], d[2]))
        i = tree.parent[i]
