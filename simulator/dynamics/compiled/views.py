"""Where blocks start, for kernels that index the whole buffers F and N; `tree_views` has named arrays instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled.layout import FLOAT_BLOCKS, HEAD
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Ints


@compiled
def start(N: Ints, index: int) -> int:
    """First index of a float block in F."""
    return N[HEAD + 2 * index]


@compiled
def size(N: Ints, index: int) -> int:
    """How many numbers a float block has."""
    return N[HEAD + 2 * index + 1] - N[HEAD + 2 * index]


@compiled
def int_start(N: Ints, index: int) -> int:
    """First index of an integer block in N."""
    return N[HEAD + 2 * (FLOAT_BLOCKS + index)]
