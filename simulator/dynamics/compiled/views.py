"""Views of blocks inside kernels."""

from __future__ import annotations

from typing import Any

from simulator.dynamics.compiled.jit import compiled
from simulator.dynamics.compiled.layout import FLOAT_BLOCKS, HEAD


@compiled
def floats(F: Any, N: Any, index: int) -> Any:
    """A float block."""
    return F[N[HEAD + 2 * index] : N[HEAD + 2 * index + 1]]


@compiled
def ints(N: Any, index: int) -> Any:
    """An integer block."""
    at = HEAD + 2 * (FLOAT_BLOCKS + index)
    return N[N[at] : N[at + 1]]
