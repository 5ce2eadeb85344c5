"""Where blocks start, inside kernels. Kernels index the whole buffers: a view would cost a reference count each time it
is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.layout import FLOAT_BLOCKS, HEAD
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints


@compiled
def start(N: Ints, index: int) -> int:
    """First index of a float block in F."""
    return N[HEAD + 2 * index]


@compiled
def int_start(N: Ints, index: int) -> int:
    """First index of an integer block in N."""
    return N[HEAD + 2 * (FLOAT_BLOCKS + index)]


@compiled
def positions_at(N: Ints) -> tuple[int, int, int, int, int, int]:
    """Where all that `freedom_position` reads starts; looked up once, before a loop."""
    return (
        start(N, at.F_GVALUE),
        int_start(N, at.I_GPTR),
        int_start(N, at.I_GINDEX),
        start(N, at.F_GCONST),
        start(N, at.F_Q),
        int_start(N, at.I_YPOS),
    )


@compiled
def freedom_position(F: Floats, N: Ints, places: tuple[int, int, int, int, int, int], k: int) -> float:
    """q = G y + c of one scalar freedom [rad or m]; `places`: see `positions_at`."""
    value, ptr, index, constant, Q, ypos = places
    q = F[constant + k]
    if N[at.IDENTITY]:
        q += F[Q + N[ypos + k]]
    else:
        for t in range(N[ptr + k], N[ptr + k + 1]):
            q += F[value + t] * F[Q + N[ypos + N[index + t]]]
    return q
