"""How rates of axes, and of lengths of springs between points, follow from those of the independent coordinates.

A code says which: a freedom of the tree; below 0 an axis of a loop joint, -1 - j, and behind these a spring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_row_entries import widen
from simulator.dynamics.compiled.coupling_kernels import add_effort
from simulator.dynamics.compiled.flatten import FREEDOMS
from simulator.dynamics.compiled.load_kernels import ALONG, ARM
from simulator.dynamics.compiled.load_tables import SPRING_NUMBERS
from simulator.dynamics.compiled.loop_kernels import add_wrench, axis_wrench, enter_freedoms
from simulator.dynamics.compiled.loop_views import open_loops
from simulator.dynamics.compiled.spatial_kernels import row_vector
from simulator.dynamics.compiled.tree_views import open_couplings, open_state, open_tree
from simulator.dynamics.compiled.vector_kernels import cross, minus
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, view

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Vector


@compiled
def add_axis_row(F: Floats, N: Ints, row: int, code: int, factor: float) -> None:
    """Spare row of K += factor times how an axis' rate follows from the independent ones."""
    if code < -N[at.LOOP_AXES]:
        _spring_row(F, N, row, -1 - N[at.LOOP_AXES] - code, factor)
        return
    dense = view(F, row, (N[at.INDEPENDENT],))
    if code < 0:
        tree, state, loops = open_tree(F, N), open_state(F, N), open_loops(F, N)
        T, _ = axis_wrench(loops, -1 - code)
        add_wrench(tree, state, loops, dense, loops.axis_loop[-1 - code], T, factor)
        return
    widen(N, code, code + 1)
    add_effort(open_couplings(F, N), code, factor, dense)


@compiled
def _spring_row(F: Floats, N: Ints, row: int, s: int, factor: float) -> None:
    """Spare row of K += factor times how the length of a spring follows from the independent rates."""
    now, nodes = start(N, at.F_SPRING) + SPRING_NUMBERS * s, int_start(N, at.I_SPRING) + 4 * s
    u0, u1, u2 = F[now + ALONG], F[now + ALONG + 1], F[now + ALONG + 2]
    for side in range(2):
        i, arm = N[nodes + side], now + ARM + 3 * side
        if i >= 0:
            P = start(N, at.F_P) + 3 * i
            x, y, z = F[P] + F[arm], F[P + 1] + F[arm + 1], F[P + 2] + F[arm + 2]
            _enter_point(F, N, row, i, factor * (2.0 * side - 1.0), (x, y, z), (u0, u1, u2))


@compiled
def _enter_point(F: Floats, N: Ints, row: int, i: int, sign: float, point: Vector, d: Vector) -> float:
    """Spare row of K += sign times the velocity along d of a point of node i; returns the longest lever, 1 at least."""
    tree, state = open_tree(F, N), open_state(F, N)
    dense, longest = view(F, row, (N[at.INDEPENDENT],)), 1.0
    # Of every node inboard of it the point is carried as x - p along: d . (w x r) = (r x d) . w.
    while i >= 0:
        r = minus(point, row_vector(state.p, i))
        longest = max(longest, abs(r[0]), abs(r[1]), abs(r[2]))
        moment = cross(r, d)
        widen(N, tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]])
        enter_freedoms(tree, state, dense, i, sign, (moment[0], moment[1], moment[2], d[0], d[1], d[2]))
        i = tree.parent[i]
    return longest
