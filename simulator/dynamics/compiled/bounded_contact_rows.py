"""Gather the bounded rows of contacts: the velocity of one body's point against the other's, along the normal and two
tangents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_layout import j_begin, of_row, x_begin
from simulator.dynamics.compiled.bounded_row_entries import append_entries, clear_row, close_row, enter_row, widen
from simulator.dynamics.compiled.flatten import FREEDOMS
from simulator.dynamics.compiled.gap_curvature import gap_curvature
from simulator.dynamics.compiled.loop_kernels import enter_freedoms, freedoms_at
from simulator.dynamics.compiled.midway import find_course, lever_on
from simulator.dynamics.compiled.resting_kernels import is_resting
from simulator.dynamics.compiled.vector_kernels import perpendicular_to
from simulator.dynamics.compiled.views import int_start, start
from simulator.dynamics.jit import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Buffers, Floats, Ints, Table, Vector
    from simulator.dynamics.compiled.midway import Course

ROUNDING = 1e-13
"""Levers of contacts that are shorter than this part of a metre, or of the way to the joint where that is longer, are
rounding: a body that slides in a plane would be thrown out of its mechanism by impulses that try to move it across."""


@compiled
def gather_contact_rows(F: Floats, N: Ints, B: Floats, C: Ints, CI: Ints, CF: Floats, half: float) -> bool:
    """Three rows for every contact point: its normal, and two tangents where there is friction, as they will be `half`
    [s] later; False where there is no room."""
    buffers, contacts = (F, N, B, C), (CI, CF)
    for c in range(CI.shape[0]):
        if C[row_at.LOOSE] > 0 and is_resting(N, C, CI[c, 0]) and is_resting(N, C, CI[c, 1]):
            continue
        n0, n1, n2 = CF[c, 3], CF[c, 4], CF[c, 5]
        t0, t1, t2 = perpendicular_to((n0, n1, n2))
        aside = (n1 * t2 - n2 * t1, n2 * t0 - n0 * t2, n0 * t1 - n1 * t0)
        course = find_course(F, N, CI, CF, c, half, ((n0, n1, n2), (t0, t1, t2), aside))
        CF[c, row_at.CURVATURE] = gap_curvature(F, N, CI, CF, c) if course[0] == 0.0 else 0.0
        apart = _are_apart(F, N, CI, c)
        r = _contact_row(buffers, contacts, c, row_at.NORMAL, (n0, n1, n2), course, apart)
        if r < 0:
            return False
        B[of_row(C, row_at.B_GAP, r)] = CF[c, row_at.GAP]
        if CF[c, row_at.MU] <= 0.0:
            continue
        if _contact_row(buffers, contacts, c, row_at.TANGENT, (t0, t1, t2), course, apart) < 0:
            return False
        if _contact_row(buffers, contacts, c, row_at.SECOND_TANGENT, aside, course, apart) < 0:
            return False
    return True


@compiled
def _contact_row(buffers: Buffers, contacts: Table, c: int, kind: int, d: Vector, course: Course, apart: bool) -> int:
    """Append the row of contact c along d; where both sides are `apart`, what lies between their coordinates is not
    looked at. Returns its index, or -1 where there is no room for it."""
    F, N, B, C = buffers
    if not apart:
        _point_row(F, N, contacts, c, d, course, (0, 1))
        return close_row(F, N, B, C, kind, c)
    r = C[row_at.COUNT]
    if r >= C[row_at.ROW_ROOM]:
        return -1
    _point_row(F, N, contacts, c, d, course, (0, 0))
    j_end, x_end, weight, _ = append_entries(F, N, B, C, j_begin(C, r), x_begin(C, r))
    if j_end >= 0:
        _point_row(F, N, contacts, c, d, course, (1, 1))
        j_end, x_end, more, _ = append_entries(F, N, B, C, j_end, x_end)
        weight += more
    if j_end < 0:
        return -1
    return enter_row(B, C, kind, c, j_end, x_end, weight)


@compiled
def _point_row(F: Floats, N: Ints, contacts: Table, c: int, d: Vector, course: Course, sides: tuple[int, int]) -> None:
    """Spare row of K = velocity along d of the first body's point of contact c against the second's, `course` on; of
    some `sides` only."""
    row, (CI, CF) = clear_row(F, N), contacts
    P, parent, places = start(N, at.F_P), int_start(N, at.I_PARENT), freedoms_at(N)
    kind, first = int_start(N, at.I_KIND), int_start(N, at.I_FIRST)
    longest = 1.0
    for side in range(2):
        sign, i = 1.0 - 2.0 * side, CI[c, side]
        while i >= 0:
            r0, r1, r2 = CF[c, 0] - F[P + 3 * i], CF[c, 1] - F[P + 3 * i + 1], CF[c, 2] - F[P + 3 * i + 2]
            longest = max(longest, abs(r0), abs(r1), abs(r2))
            if sides[0] <= side <= sides[1]:
                (x, y, z), (u0, u1, u2) = (r0, r1, r2), d
                if course[0] > 0.0:
                    (x, y, z), (u0, u1, u2) = lever_on(F, N, i, (r0, r1, r2), d, course)
                m0, m1, m2 = y * u2 - z * u1, z * u0 - x * u2, x * u1 - y * u0
                widen(N, N[first + i], N[first + i] + FREEDOMS[N[kind + i]])
                enter_freedoms(F, N, places, row, i, sign, (m0, m1, m2), (u0, u1, u2))
            i = N[parent + i]
    for a in range(N[at.LOW], N[at.HIGH]):
        if abs(F[row + a]) < ROUNDING * longest:
            F[row + a] = 0.0


@compiled
def _are_apart(F: Floats, N: Ints, CI: Ints, c: int) -> bool:
    """Whether what moves the first body of contact c has nothing to do with what moves the second."""
    if N[at.LOOPS] > 0 or CI[c, 0] < 0 or CI[c, 1] < 0:
        return False
    clear_row(F, N)
    low, high = _window(N, CI[c, 0])
    other_low, other_high = _window(N, CI[c, 1])
    N[at.LOW], N[at.HIGH] = N[at.INDEPENDENT], 0
    return bool(high <= other_low or other_high <= low)


@compiled
def _window(N: Ints, i: int) -> tuple[int, int]:
    """Coordinates, from the first to before the last, among which all are that move node i or feel it."""
    kind, first, parent = int_start(N, at.I_KIND), int_start(N, at.I_FIRST), int_start(N, at.I_PARENT)
    N[at.LOW], N[at.HIGH] = N[at.INDEPENDENT], 0
    while i >= 0:
        widen(N, N[first + i], N[first + i] + FREEDOMS[N[kind + i]])
        i = N[parent + i]
    return N[at.LOW], N[at.HIGH]
