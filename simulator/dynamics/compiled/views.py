"""Where blocks start, inside kernels. Kernels index the whole buffers: a view would cost a reference count each time it is made."""

from __future__ import annotations

from typing import Any

from simulator.dynamics.compiled.layout import FLOAT_BLOCKS, HEAD
from simulator.dynamics.jit import inlined


@inlined
def start(N: Any, index: int) -> Any:
    """First index of a float block in F."""
    return N[HEAD + 2 * index]


@inlined
def int_start(N: Any, index: int) -> Any:
    """First index of an integer block in N."""
    return N[HEAD + 2 * (FLOAT_BLOCKS + index)]
