"""The compiler's switch: numba where it may compile, the same code in plain Python where NUMBA_DISABLE_JIT is set.

Compiled code is cached on disk in the user's cache folder, under a hash of the sources in the kernel's own folder, from which alone kernels
take helpers and constants: numba itself looks at one file only and would go on with stale code when another changes (a stale layout of
buffers writes into foreign memory). Folders of versions that nobody uses any more are thrown away, see `kernel_cache`.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import platformdirs

from simulator.dynamics.kernel_cache import use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "_nrt": False}
"""Kernels make no arrays, so they need none of numba's run-time memory: without it no call counts references to the buffers that it is
given, which atomic counters made a third of a four-bar's step. A kernel that allocates does not compile with them."""


@cache
def cache_folder(folder: Path) -> Path:
    """Where the compiled code of a folder's kernels is: below NUMBA_CACHE_DIR where the user set it, else in a folder of our own."""
    sources = [Path(__file__), *sorted(folder.glob("*.py"))]
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    home = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("simulator") / "kernels"
    found = Path(home, stamp)
    if is_compiling():
        use(found, time.time())
    return found


@contextmanager
def _caching(function: Callable[..., Any]) -> Iterator[None]:
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(cache_folder(Path(function.__code__.co_filename).parent))  # type: ignore[attr-defined]
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


def compiled(function: Function) -> Function:
    """Compile at the first call for the types of that call. No fast-math: results must not depend on the compiler's reordering."""
    with _caching(function):
        return cast("Function", numba.njit(**OPTIONS)(function))


def compiled_with_arrays(function: Function) -> Function:
    """As `compiled`, for a kernel that makes arrays or gives them another shape."""
    with _caching(function):
        return cast("Function", numba.njit(**{**OPTIONS, "_nrt": True})(function))


def compiled_for(signature: str) -> Callable[[Function], Function]:
    """As `compiled`, for this signature and when the module is imported: calls from Python need not look at their types."""

    def decorate(function: Function) -> Function:
        with _caching(function):
            return cast("Function", numba.njit(signature, **OPTIONS)(function))

    return decorate


def inlined(function: Function) -> Function:
    """As `compiled`, for small helpers: numba copies their body into the caller before it compiles that, so that it is as fast as if it had
    been written there (left to LLVM, `forceinline`, a helper in the innermost loop costs a sixth)."""
    with _caching(function):
        return cast("Function", numba.njit(inline="always", **OPTIONS)(function))


def is_cached(folder: Path, kernel: str) -> bool:
    """Whether compiled code of that kernel of a folder (`module.function`) is on disk already."""
    return any(cache_folder(folder).rglob(f"{kernel}-*.nbi"))


def is_compiling() -> bool:
    """False where numba was told to run everything in plain Python."""
    return not bool(getattr(numba.config, "DISABLE_JIT", False))
