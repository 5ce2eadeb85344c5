"""The compiler's switch: numba where it may compile, the same code in plain Python where NUMBA_DISABLE_JIT is set.

Compiled code is cached on disk beside the sources, or in the user's cache folder where those cannot be written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile at the first call for the types of that call. No fast-math: results must not depend on the compiler's reordering."""
    return cast("Function", numba.njit(cache=True, error_model="numpy")(function))


def inlined(function: Function) -> Function:
    """As `compiled`, for small helpers: their body goes into the caller, which saves the call."""
    return cast("Function", numba.njit(cache=True, error_model="numpy", forceinline=True)(function))


def is_compiling() -> bool:
    """False where numba was told to run everything in plain Python."""
    return not bool(getattr(numba.config, "DISABLE_JIT", False))
