"""How rates of axes, and of lengths of springs between points, follow from those of the independent coordinates.

A code says which: a freedom of the tree; below 0 an axis of a loop joint, -1 - j, and behind these a spring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_row_entries import widen
from simulator.dynamics.compiled.flatten import FREEDOMS
from simulator.dynamics.compiled.load_kernels import ALONG, ARM
from simulator.dynamics.compiled.load_tables import SPRING_NUMBERS
from simulator.dynamics.compiled.loop_kernels import add_wrench, axis_wrench, enter_freedoms, freedoms_at
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Vector


@compiled
def add_axis_row(F: Floats, N: Ints, row: int, code: int, factor: float) -> None:
    """Spare row of K += factor times how an axis' rate follows from the independent ones."""
    if code < -N[at.LOOP_AXES]:
        _spring_row(F, N, row, -1 - N[at.LOOP_AXES] - code, factor)
        return
    if code < 0:
        place, T = -1 - code, start(N, at.F_TWIST) + 12
        axis_wrench(F, N, place, T)
        add_wrench(F, N, N[at.SPARE], N[int_start(N, at.I_LAXIS_LOOP) + place], T, factor)
        return
    widen(N, code, code + 1)
    value, ptr, index = start(N, at.F_GVALUE), int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for t in range(N[ptr + code], N[ptr + code + 1]):
        F[row + N[index + t]] += factor * F[value + t]


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
    (x, y, z), (d0, d1, d2) = point, d
    P, parent, places = start(N, at.F_P), int_start(N, at.I_PARENT), freedoms_at(N)
    kind, first, longest = int_start(N, at.I_KIND), int_start(N, at.I_FIRST), 1.0
    # Of every node inboard of it the point is carried as x - p along: d . (w x r) = (r x d) . w.
    while i >= 0:
        r0, r1, r2 = x - F[P + 3 * i], y - F[P + 3 * i + 1], z - F[P + 3 * i + 2]
        longest = max(longest, abs(r0), abs(r1), abs(r2))
        m0, m1, m2 = r1 * d2 - r2 * d1, r2 * d0 - r0 * d2, r0 * d1 - r1 * d0
        widen(N, N[first + i], N[first + i] + FREEDOMS[N[kind + i]])
        enter_freedoms(F, N, places, row, i, sign, (m0, m1, m2), (d0, d1, d2))
        i = N[parent + i]
    return longest
