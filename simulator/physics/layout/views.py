"""Where blocks start, for kernels that index the whole buffers F and N; `tree.views` has named arrays instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout.buffers import FLOAT_BLOCKS, HEAD

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Ints


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
