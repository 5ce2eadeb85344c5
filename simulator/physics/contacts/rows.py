"""Gather the bounded rows of contacts: the velocity of one body's point against the other's, along the normal and two
tangents, and where friction holds a twist, the spin of one against the other about the normal.

The rows of one contact are gathered together: what carries its points, their levers and the factors of the mass matrix
are the same for all of them. They have the same columns of J, and of X; where one of them is zero and another is not,
the zero is stored.

Loose bodies, which nothing connects, have rows that are written out. The coordinates of one are its angular velocity
and its velocity in its own axes e_b. The velocity of its point at the lever r, along a direction d, has the row

    (e_b . (r x d), e_b . d),    b = 0, 1, 2,

its spin about the normal n the row (e_b . n, 0), and what a unit impulse there gives is the row by the inverse of the
body's own inertia, whose factors are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, dot, minus, row_vector, times, turned_by
from simulator.physics.contacts.active_set import is_inactive
from simulator.physics.contacts.entries import hold_loops, squeeze
from simulator.physics.contacts.midpoint_rows import (
    contact_axes,
    has_direction,
    lever_on,
    predict_midpoint,
    spin_of,
    turn_friction,
    turns,
)
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import enter, enter_row, j_begin, response_to, three, x_begin
from simulator.physics.layout.flatten import FREEDOMS
from simulator.physics.layout.row_layout import point_of
from simulator.physics.loops.solve import solve_mass_for_one, solve_mass_for_three
from simulator.physics.motion.loose import BODY_FREEDOMS, is_contact_asleep
from simulator.physics.rows.entries import ROUNDING
from simulator.physics.rows.rows import add_axis_rows
from simulator.physics.solver.islands import arrange_islands
from simulator.physics.solver.rates import rate_rows

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints2, Table, Vector
    from simulator.physics.contacts.entries import Window
    from simulator.physics.contacts.midpoint_rows import Axes, Midpoint
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import MassViews, StateViews, TreeViews

    Block = tuple[Floats, Floats, Floats]
    """Three rows of a contact."""

NOBODY = -2
"""In the place of a node: neither a body nor the world."""
ENTRIES_LATER = 3
"""Rows of a contact have six entries for each free body, and at least two that are not zero at any time."""


@compiled
def gather_contact_rows(m: MechanismViews, bounded: BoundedRows, CI: Ints2, CF: Floats2, half: float) -> bool:
    """Rows for every contact point that is not left out: its normal, two tangents where there is friction, and its
    twist where it holds one, as they will be `half` [s] later; False where there is no room."""
    state = m.state
    pair = (NOBODY, NOBODY)
    windows = ((0, 0), (0, 0))
    for c in range(CI.shape[0]):
        if is_contact_asleep(m, bounded, CI, c) or is_inactive(CF, c):
            continue
        axes = contact_axes(CF, c)
        midpoint = predict_midpoint(state, CI, CF, c, half, axes)
        if half > 0.0 and has_direction(CF, c):
            axes = turn_friction(state, CI, CF, c, half, axes, midpoint)
        if CF[c, row_at.TWISTING] > 0.0:
            CF[c, row_at.MOTION + 3] = spin_of(state, CI, c, axes[0])
        r = bounded.gathered[0]
        # Loose bodies share no coordinates, and have no loops.
        if bounded.loose[0] > 0:
            fits = loose_contact_rows(m, bounded, (CI, CF), c, axes, midpoint)
        else:
            if CI[c, row_at.FIRST] != pair[0] or CI[c, row_at.SECOND] != pair[1]:
                # Points of one pair follow each other.
                pair = (CI[c, row_at.FIRST], CI[c, row_at.SECOND])
                windows = _windows(m, bounded, CI, c)
            fits = _contact_rows(m, bounded, (CI, CF), c, axes, midpoint, windows)
        if not fits:
            return False
        # The rotation of the normal is in the rows of the midpoint: there is no drift beside them.
        bounded.gap[r], bounded.drift[r] = CF[c, row_at.GAP], 0.0
    return True


@compiled
def _contact_rows(
    m: MechanismViews,
    bounded: BoundedRows,
    contacts: Table,
    c: int,
    axes: Axes,
    midpoint: Midpoint,
    windows: tuple[Window, Window],
) -> bool:
    """Append the rows of contact c along the axes, or along the first where there is no friction, and about that where
    it holds a twist, in the coordinates of the `windows` of both bodies; False where there is no room for them."""
    rows = rows_of(contacts[1], c)
    (first, second) = windows
    r = bounded.gathered[0]
    width = first[1] - first[0] + second[1] - second[0]
    j_end = j_begin(bounded, r)
    x_end = x_begin(bounded, r)
    room = bounded.J.shape[0] - row_at.ROWS_OF_CONTACT * width
    if r + rows > bounded.kind.shape[0] or j_end > room or x_end > room:
        return False
    J = j_end
    X = x_end
    _point_rows(m, bounded, contacts, c, axes, midpoint, (J, rows, width), (first, second))
    for t in range(rows * width):
        bounded.X[X + t] = bounded.J[J + t]
    mass = m.mass
    _solve(mass, bounded, (X, rows, width), 0, first)
    _solve(mass, bounded, (X, rows, width), first[1] - first[0], second)
    for k in range(rows):
        bounded.response[r + k] = response_to(bounded, J + k * width, X + k * width, width)
    if m.rows.solved > 0:
        j_count = hold_loops(m, bounded, contacts[0], c, (J, X), (rows, width), windows)
    else:
        j_count = squeeze(bounded, (bounded.J, bounded.J_column), J, (rows, width), (first, second))
    x_count = squeeze(bounded, (bounded.X, bounded.X_column), X, (rows, width), (first, second))
    for k in range(rows):
        j_end, x_end = j_end + j_count, x_end + x_count
        enter_row(bounded, row_at.NORMAL + k, c, j_end, x_end, bounded.response[r + k])
    return True


@compiled
def _solve(mass: MassViews, bounded: BoundedRows, block: tuple[int, int, int], place: int, window: Window) -> None:
    """A block of rows of X (place, rows, width), which have the coordinates of a window from `place` on, becomes H^-1
    times it there."""
    X, rows, width = block
    if rows > 1:
        solve_mass_for_three(mass, three(bounded.X, X, width), place, window)
    else:
        solve_mass_for_one(mass, bounded.X[X : X + width], place, window)
    if rows > 3:
        solve_mass_for_one(mass, bounded.X[X + 3 * width : X + 4 * width], place, window)


@compiled
def _windows(m: MechanismViews, bounded: BoundedRows, CI: Ints2, c: int) -> tuple[Window, Window]:
    """Coordinates among which all are that move either body of contact c or feel it, for each body; where these have
    some in common, of both together, and none."""
    first, second = _window(m, CI[c, row_at.FIRST]), _window(m, CI[c, row_at.SECOND])
    if (
        m.loops.row_kind.shape[0] > 0 and bounded.closed[0] == 0
    ):  # they may pass on to any coordinate what any other gets
        return (0, m.state.V.shape[0]), (0, 0)
    if first[1] <= second[0] or second[1] <= first[0]:
        return first, second
    return (min(first[0], second[0]), max(first[1], second[1])), (0, 0)


@compiled
def _window(m: MechanismViews, i: int) -> Window:
    """Coordinates among which all are that move node i or feel it; none of the world."""
    tree, mass, G = m.tree, m.mass, m.tree.G
    low = m.state.V.shape[0]
    high = 0
    while i >= 0:
        k = tree.first[i]
        for t in range(G.begin[k], G.begin[k + FREEDOMS[tree.kind[i]]]):
            low = min(low, mass.tied_begin[G.column[t]])
            high = max(high, mass.tied_end[G.column[t]])
        i = tree.parent[i]
    if low >= high:
        low = high = 0
    return low, high


@compiled
def _point_rows(
    m: MechanismViews,
    bounded: BoundedRows,
    contacts: Table,
    c: int,
    axes: Axes,
    midpoint: Midpoint,
    block: tuple[int, int, int],
    windows: tuple[Window, Window],
) -> None:
    """A `block` of dense rows (place in J, rows, width): velocity of the first body's point of contact c relative to
    the second's, at the midpoint, along the first axis or all three; a fourth row is its spin about the first."""
    CI, CF = contacts
    (J, rows, width) = block
    tree = m.tree
    state = m.state
    longest = 1.0
    x = point_of(CF, c)
    for t in range(max(rows, 3) * width):
        bounded.J[J + t] = 0.0
    turned = axes
    if midpoint[0] > 0.0 and turns(midpoint[3]):
        turned = (turned_by(midpoint[3], axes[0]), axes[1], axes[2])
        if rows > 1:
            turned = (turned[0], turned_by(midpoint[3], axes[1]), turned_by(midpoint[3], axes[2]))
    for side in range(2):
        i = CI[c, side]
        apart = side == 1 and windows[1][1] > 0
        place = windows[0][1] - windows[0][0] - windows[1][0] if apart else -windows[0][0]
        while i >= 0:
            r = minus(x, row_vector(state.p, i))
            longest = max(longest, abs(r[0]), abs(r[1]), abs(r[2]))
            lever, directions = (
                lever_on(tree, state, i, r, turned, midpoint, rows) if midpoint[0] > 0.0 else (r, turned)
            )
            _enter_freedoms(tree, state, three(bounded.J, J, width), place, i, 1.0 - 2.0 * side, (lever, directions))
            if rows > 3:
                spin = bounded.J[J + 3 * width : J + 4 * width]
                _enter_spin(tree, state, spin, place, i, 1.0 - 2.0 * side, directions[0])
            i = tree.parent[i]
    for t in range(rows * width):
        if abs(bounded.J[J + t]) < ROUNDING * longest:
            bounded.J[J + t] = 0.0


@compiled
def _enter_freedoms(
    tree: TreeViews, state: StateViews, rows: tuple[Floats, Floats, Floats], place: int, i: int, sign: float,
    point: tuple[Vector, Axes],
) -> None:  # fmt: skip
    """Dense rows, whose coordinate 0 is at `place`, += sign times what the freedoms of node i add to the velocity of a
    `point` (lever, directions), per independent rate."""
    G = tree.G
    (along, across, aside) = rows
    (lever, directions) = point
    for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
        s = times(sign, row_vector(state.S, k))
        if tree.turns[k]:
            s = cross(s, lever)
        e0 = dot(s, directions[0])
        e1 = dot(s, directions[1])
        e2 = dot(s, directions[2])
        for t in range(G.begin[k], G.begin[k + 1]):
            o = place + G.column[t]
            factor = G.value[t]
            along[o] += factor * e0
            across[o] += factor * e1
            aside[o] += factor * e2


@compiled
def _enter_spin(tree: TreeViews, state: StateViews, row: Floats, place: int, i: int, sign: float, axis: Vector) -> None:
    """As `_enter_freedoms`, of the spin about an axis: what turns."""
    G = tree.G
    for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
        if tree.turns[k]:
            e = sign * dot(row_vector(state.S, k), axis)
            for t in range(G.begin[k], G.begin[k + 1]):
                row[place + G.column[t]] += G.value[t] * e


@compiled
def rows_of(CF: Floats2, c: int) -> int:
    """How many rows contact c has: all, those of its point, or the normal."""
    if CF[c, row_at.TWISTING] > 0.0:
        return row_at.ROWS_OF_CONTACT
    return 3 if CF[c, row_at.MU] > 0.0 else 1


@compiled
def loose_contact_rows(
    m: MechanismViews, bounded: BoundedRows, contacts: Table, c: int, axes: Axes, midpoint: Midpoint
) -> bool:
    """Append the rows of contact c along the axes, or along the first where there is no friction; False where there is
    no room for them. Both bodies are loose, or one of them and the world."""
    CI, CF = contacts
    tree, state = m.tree, m.state
    rows = rows_of(CF, c)
    r = bounded.gathered[0]
    moving = int(CI[c, row_at.FIRST] >= 0) + int(CI[c, row_at.SECOND] >= 0)
    j_end = j_begin(bounded, r)
    x_end = x_begin(bounded, r)
    width = BODY_FREEDOMS * moving
    room = bounded.J.shape[0] - row_at.ROWS_OF_CONTACT * width
    if r + rows > bounded.kind.shape[0] or j_end > room or x_end > room:
        return False
    J = j_end
    X = x_end
    x = point_of(CF, c)
    half, _, way, _ = midpoint
    place = 0
    then = axes
    if midpoint[0] > 0.0 and turns(midpoint[3]):
        then = (turned_by(midpoint[3], axes[0]), turned_by(midpoint[3], axes[1]), turned_by(midpoint[3], axes[2]))
    for side in range(2):
        i = CI[c, side]
        if i >= 0:
            lever = minus(x, row_vector(state.p, i))
            least = ROUNDING * max(1.0, abs(lever[0]), abs(lever[1]), abs(lever[2]))
            if half > 0.0:
                v = state.velocity
                lever = (
                    lever[0] + way[0] - half * v[i, 3],
                    lever[1] + way[1] - half * v[i, 4],
                    lever[2] + way[2] - half * v[i, 5],
                )
            k = tree.first[i]
            _enter_body(state.S, k, three(bounded.J, J, width), place, 1.0 - 2.0 * side, (lever, then), least)
            for row in range(0, 3 * width, width):
                for t in range(row + place, row + place + BODY_FREEDOMS):
                    bounded.X[X + t] = bounded.J[J + t]
            solve_mass_for_three(m.mass, three(bounded.X, X, width), place, (k, k + BODY_FREEDOMS))
            if rows > 3:
                spin = bounded.J[J + 3 * width : J + 4 * width]
                answer = bounded.X[X + 3 * width : X + 4 * width]
                _enter_loose_spin(state.S, k, (spin, answer), place, 1.0 - 2.0 * side, then[0])
                solve_mass_for_one(m.mass, answer, place, (k, k + BODY_FREEDOMS))
            for t in range(rows):
                for b in range(BODY_FREEDOMS):
                    enter(bounded, bounded.J_column, J + t * width + place + b, k + b)
                    bounded.X_column[X + t * width + place + b] = k + b
            place += BODY_FREEDOMS
    for t in range(rows):
        j_end = j_end + width
        x_end = x_end + width
        response = response_to(bounded, J + t * width, X + t * width, width)
        enter_row(bounded, row_at.NORMAL + t, c, j_end, x_end, response)
    return True


@compiled
def _enter_body(
    S: Floats2, k: int, block: Block, place: int, sign: float, point: tuple[Vector, Axes], least: float
) -> None:
    """Rows of a body whose axes are the three rows of S from k on: `sign` times the velocity of a `point` (lever,
    directions)."""
    lever, (n, t, u) = point
    (normal, along, aside) = block
    last = place + 3
    for b in range(3):
        e = times(sign, row_vector(S, k + b))
        # e . (r x d) = (e x r) . d
        turned = cross(e, lever)
        normal[place + b], normal[last + b] = _cleared(dot(turned, n), least), _cleared(dot(e, n), least)
        along[place + b], along[last + b] = _cleared(dot(turned, t), least), _cleared(dot(e, t), least)
        aside[place + b], aside[last + b] = _cleared(dot(turned, u), least), _cleared(dot(e, u), least)


@compiled
def _enter_loose_spin(S: Floats2, k: int, block: tuple[Floats, Floats], place: int, sign: float, n: Vector) -> None:
    """Two copies of the row of such a body: `sign` times its spin about n."""
    row, copy = block
    for b in range(3):
        e = sign * dot(row_vector(S, k + b), n)
        row[place + b] = copy[place + b] = _cleared(e, ROUNDING)
        row[place + 3 + b] = copy[place + 3 + b] = 0.0


@compiled
def _cleared(x: float, least: float) -> float:
    """x, or 0 where it is less than that."""
    return x if abs(x) >= least else 0.0


# -- all rows of a step ------------------------------------------------------------------------------------------------


@compiled
def has_islands(bounded: BoundedRows, contacts: Table) -> bool:
    """Whether rows are solved by islands: those of contacts, of real couplings, and of bearings, which share what one
    coordinate may do."""
    return bool(contacts[0].shape[0] > 0 or bounded.meshes > 0 or bounded.bearings > 0)


@compiled
def gather_at_middle(m: MechanismViews, bounded: BoundedRows, lines: Table, contacts: Table, dt: float) -> bool:
    """Rows of axes, and of contacts as they are in the middle of the step, and RATE of all; False where there is no
    room for them."""
    fits = gather_axes(m, bounded, lines, dt) and gather_contacts(m, bounded, contacts, 0.5 * dt)
    if fits:
        rate_rows(bounded, m.state.V, bounded.rate)
    return fits


@compiled
def gather_axes(m: MechanismViews, bounded: BoundedRows, lines: Table, dt: float) -> bool:
    """Rows of axes, and no others; False where there is no room for them."""
    bounded.islands[0] = bounded.gathered[0] = 0
    return add_axis_rows(m, bounded, lines[0], lines[1], dt)


@compiled
def gather_contacts(m: MechanismViews, bounded: BoundedRows, contacts: Table, half: float) -> bool:
    """Beside the rows of axes those of contacts as they are `half` [s] on, and the islands of all; False where there is
    no room for them."""
    fits = gather_contact_rows(m, bounded, contacts[0], contacts[1], half)
    if fits and has_islands(bounded, contacts) and bounded.gathered[0] > 0:
        # The same rows a little later may have more entries that are not zero.
        last = bounded.gathered[0] - 1
        used = max(bounded.J_end[last], bounded.X_end[last])
        fits = ENTRIES_LATER * used <= bounded.J.shape[0]
        if fits and (m.rows.solved == 0 or bounded.closed[0] != 0):
            fits = arrange_islands(m.mass, bounded)
    return fits
