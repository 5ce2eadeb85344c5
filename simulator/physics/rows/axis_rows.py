"""How rates of axes, and of lengths of springs between points, follow from those of the independent coordinates.

A code says which: a freedom of the tree; below 0 an axis of a loop joint, -1 - j, and behind these a spring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.spatial import row_vector
from simulator.physics.algebra.vectors import cross, minus
from simulator.physics.layout.flatten import FREEDOMS
from simulator.physics.loops.loops import add_wrench, axis_wrench, enter_freedoms
from simulator.physics.rows.entries import widen
from simulator.physics.tree.loads import ALONG, ARM
from simulator.physics.tree.positions import add_effort

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Vector
    from simulator.physics.loops.views import MechanismViews, RowViews
    from simulator.physics.tree.views import CouplingViews, MassViews


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
