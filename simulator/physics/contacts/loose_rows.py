"""Rows of contacts among loose bodies: `contacts.rows`, written out for bodies that nothing connects.

The coordinates of a loose body are its angular velocity and its velocity in its own axes e_b. The velocity of its point
at the lever r, along a direction d, has the row

    (e_b . (r x d), e_b . d),    b = 0, 1, 2,

its spin about the normal n the row (e_b . n, 0), and what a unit impulse there gives is the row by the inverse of the
body's own inertia, whose factors are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.spatial import row_vector
from simulator.physics.algebra.vectors import cross, dot, minus, times
from simulator.physics.contacts.midpoint_rows import direction_on, turns
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import enter, j_begin, three, x_begin
from simulator.physics.layout.row_layout import point_of
from simulator.physics.loops.solve import solve_mass_for_one, solve_mass_for_three
from simulator.physics.rows.entries import ROUNDING, enter_row

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Table, Vector
    from simulator.physics.contacts.midpoint_rows import Course
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import StateViews

    Axes = tuple[Vector, Vector, Vector]
    Block = tuple[Floats, Floats, Floats]
    """Three rows of a contact."""

FREEDOMS = 6


@compiled
def rows_of(CF: Floats2, c: int) -> int:
    """How many rows contact c has: all, those of its point, or the normal."""
    if CF[c, row_at.TWISTING] > 0.0:
        return row_at.ROWS_OF_CONTACT
    return 3 if CF[c, row_at.MU] > 0.0 else 1


@compiled
def loose_contact_rows(
    m: MechanismViews, bounded: BoundedRows, contacts: Table, c: int, axes: Axes, course: Course
) -> bool:
    """Append the rows of contact c along the axes, or along the first where there is no friction; False where there is
    no room for them. Both bodies are loose, or one of them and the world."""
    CI, CF = contacts
    tree, state = m.tree, m.state
    rows = rows_of(CF, c)
    r = bounded.sizes[row_at.COUNT]
    moving = int(CI[c, row_at.FIRST] >= 0) + int(CI[c, row_at.SECOND] >= 0)
    j_end = j_begin(bounded, r)
    x_end = x_begin(bounded, r)
    width = FREEDOMS * moving
    room = bounded.sizes[row_at.ENTRY_ROOM] - row_at.ROWS_OF_CONTACT * width
    if r + rows > bounded.sizes[row_at.ROW_ROOM] or j_end > room or x_end > room:
        return False
    J = j_end
    X = x_end
    place = 0
    then = axes
    if course[0] > 0.0 and turns(course[3]):
        then = (direction_on(axes[0], course), direction_on(axes[1], course), direction_on(axes[2], course))
    for side in range(2):
        i = CI[c, side]
        if i >= 0:
            lever, least = _lever(state, CF, c, i, course)
            k = tree.first[i]
            block = three(bounded.J, J, width)
            _enter_body(state.S, k, block, place, 1.0 - 2.0 * side, (lever, then), least)
            _respond(m, block, three(bounded.X, X, width), place, k)
            if rows > 3:
                spin = bounded.J[J + 3 * width : J + 4 * width]
                answer = bounded.X[X + 3 * width : X + 4 * width]
                _enter_spin(state.S, k, (spin, answer), place, 1.0 - 2.0 * side, then[0])
                solve_mass_for_one(m.mass, answer, place, (k, k + FREEDOMS))
            for t in range(rows):
                for b in range(FREEDOMS):
                    enter(bounded, bounded.J_column, J + t * width + place + b, k + b)
                    bounded.X_column[X + t * width + place + b] = k + b
            place += FREEDOMS
    for t in range(rows):
        j_end = j_end + width
        x_end = x_end + width
        weight = 0.0
        for b in range(width):
            weight += bounded.J[J + t * width + b] * bounded.X[X + t * width + b]
        enter_row(bounded, row_at.NORMAL + t, c, j_end, x_end, weight)
    return True


@compiled
def _lever(state: StateViews, CF: Floats2, c: int, i: int, course: Course) -> tuple[Vector, float]:
    """Lever of contact c about the origin of node i, `course` on, and what of an entry is rounding."""
    half = course[0]
    way = course[2]
    v = state.velocity
    r = minus(point_of(CF, c), row_vector(state.p, i))
    least = ROUNDING * max(1.0, abs(r[0]), abs(r[1]), abs(r[2]))
    if half > 0.0:
        r = (
            r[0] + way[0] - half * v[i, 3], r[1] + way[1] - half * v[i, 4], r[2] + way[2] - half * v[i, 5],
        )  # fmt: skip
    return r, least


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
def _enter_spin(S: Floats2, k: int, block: tuple[Floats, Floats], place: int, sign: float, n: Vector) -> None:
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


@compiled
def _respond(m: MechanismViews, rows: Block, responses: Block, place: int, k: int) -> None:
    """What unit impulses give the body whose coordinates begin with k."""
    (x, y, z), (u, v, w) = rows, responses
    for t in range(place, place + FREEDOMS):
        u[t], v[t], w[t] = x[t], y[t], z[t]
    solve_mass_for_three(m.mass, responses, place, (k, k + FREEDOMS))
