"""Positions: their rates, small displacements, and quaternions, which are no plain coordinates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.vector_kernels import rotated_by_quaternion
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints


@compiled
def position_rates(F: Floats, N: Ints) -> None:
    """DQ: time derivative of Q for V (quaternions: q̇ = q (w, 0) / 2 with w in the outboard frame)."""
    Q, V, DQ = start(N, at.F_Q), start(N, at.F_V), start(N, at.F_DQ)
    ypos, kind, lpos, first = (
        int_start(N, at.I_YPOS),
        int_start(N, at.I_KIND),
        int_start(N, at.I_LPOS),
        int_start(N, at.I_FIRST),
    )
    ptr, index = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    # A coordinate of a hinge or slide is its own position; those of balls and free joints are velocities only.
    for a in range(N[at.INDEPENDENT]):
        if N[ypos + a] >= 0:
            F[DQ + N[ypos + a]] = F[V + a]
    if N[at.PLANAR]:
        return
    for i in range(N[at.NODES]):
        if N[kind + i] < 2:
            continue
        k, o = N[first + i], N[lpos + i]
        if N[kind + i] == 3:
            x, y, z, w = F[Q + o + 3], F[Q + o + 4], F[Q + o + 5], F[Q + o + 6]
            l0, l1, l2 = (
                F[V + N[index + N[ptr + k + 3]]],
                F[V + N[index + N[ptr + k + 4]]],
                F[V + N[index + N[ptr + k + 5]]],
            )
            F[DQ + o], F[DQ + o + 1], F[DQ + o + 2] = rotated_by_quaternion((x, y, z, w), 2.0, (l0, l1, l2))
            o += 3
        x, y, z, w = F[Q + o], F[Q + o + 1], F[Q + o + 2], F[Q + o + 3]
        w0, w1, w2 = F[V + N[index + N[ptr + k]]], F[V + N[index + N[ptr + k + 1]]], F[V + N[index + N[ptr + k + 2]]]
        F[DQ + o] = 0.5 * (w * w0 + y * w2 - z * w1)
        F[DQ + o + 1] = 0.5 * (w * w1 + z * w0 - x * w2)
        F[DQ + o + 2] = 0.5 * (w * w2 + x * w1 - y * w0)
        F[DQ + o + 3] = -0.5 * (x * w0 + y * w1 + z * w2)


@compiled
def normalize(F: Floats, N: Ints) -> None:
    """Quaternions back to length one; in a plane there are none."""
    if N[at.PLANAR]:
        return
    Q, kind, lpos = start(N, at.F_Q), int_start(N, at.I_KIND), int_start(N, at.I_LPOS)
    for i in range(N[at.NODES]):
        if N[kind + i] >= 2:
            o = N[lpos + i] + 3 * (N[kind + i] - 2)
            length = math.sqrt(
                F[Q + o] * F[Q + o]
                + F[Q + o + 1] * F[Q + o + 1]
                + F[Q + o + 2] * F[Q + o + 2]
                + F[Q + o + 3] * F[Q + o + 3]
            )
            for a in range(4):
                F[Q + o + a] /= length


@compiled
def displace(F: Floats, N: Ints, step: int) -> None:
    """Q moved by the small displacement of the independent coordinates at `step`, shape (independent,); writes to Q and
    DQ only."""
    V, Q, DQ = start(N, at.F_V), start(N, at.F_Q), start(N, at.F_DQ)
    m = N[at.INDEPENDENT]
    if N[at.PLANAR]:
        ypos = int_start(N, at.I_YPOS)
        for a in range(m):
            F[Q + N[ypos + a]] += F[step + a]
        return
    for a in range(m):
        # The rates of the positions are linear in V: with the step in the place of V they are its displacement.
        F[V + a], F[step + a] = F[step + a], F[V + a]
    position_rates(F, N)
    for a in range(m):
        F[V + a], F[step + a] = F[step + a], F[V + a]
    for c in range(N[at.POSITIONS]):
        F[Q + c] += F[DQ + c]
    normalize(F, N)


@compiled
def turn_free(F: Floats, N: Ints, vector: int, positions: int, into: bool) -> None:
    """The parts of `vector` (velocities or efforts) that belong to free joints: from the body's axes to those it floats
    in, by the orientations in `positions`; `into`: the other way."""
    kind, lpos, first = int_start(N, at.I_KIND), int_start(N, at.I_LPOS), int_start(N, at.I_FIRST)
    ptr, index, sign = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX), -1.0 if into else 1.0
    for i in range(N[at.NODES]):
        if N[kind + i] != 3:
            continue
        o = positions + N[lpos + i] + 3
        x, y, z, w = sign * F[o], sign * F[o + 1], sign * F[o + 2], F[o + 3]
        double = 2.0 / (x * x + y * y + z * z + w * w)
        for part in range(2):
            k = ptr + N[first + i] + 3 * part
            p0, p1, p2 = vector + N[index + N[k]], vector + N[index + N[k + 1]], vector + N[index + N[k + 2]]
            F[p0], F[p1], F[p2] = rotated_by_quaternion((x, y, z, w), double, (F[p0], F[p1], F[p2]))
