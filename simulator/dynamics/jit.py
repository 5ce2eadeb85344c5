"""The compiler's switch: numba where it may compile, the same code in plain Python where NUMBA_DISABLE_JIT is set.

Compiled code is cached on disk in the user's cache folder, under a hash of the sources in the kernel's own folder, from which alone kernels
take helpers and constants: numba itself looks at one file only and would go on with stale code when another changes (a stale layout of
buffers writes into foreign memory). How files are kept is told by `stored_kernels`; folders of versions that nobody uses any more are
thrown away, see `kernel_cache`.
"""

from __future__ import annotations

import hashlib
import os
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import platformdirs

from simulator.dynamics.kernel_cache import use
from simulator.dynamics.sealed import is_sealed
from simulator.dynamics.stored_kernels import SUFFIX, StoredKernels

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
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


def compiled(function: Function) -> Function:
    """Compile at the first call for the types of that call. No fast-math: results must not depend on the compiler's reordering."""
    return _made(function)


def compiled_with_arrays(function: Function) -> Function:
    """As `compiled`, for a kernel that makes arrays or gives them another shape."""
    return _made(function, _nrt=True)


def compiled_for(signature: str) -> Callable[[Function], Function]:
    """As `compiled`, for this signature and when the module is imported: calls from Python need not look at their types."""

    def decorate(function: Function) -> Function:
        made: Any = _made(function)
        if is_compiling():
            made.compile(signature)
            made.disable_compile()
        return cast("Function", made)

    return decorate


def inlined(function: Function) -> Function:
    """As `compiled`, for small helpers: numba copies their body into the caller before it compiles that, so that it is as fast as if it had
    been written there (left to LLVM, `forceinline`, a helper in the innermost loop costs a sixth)."""
    return _made(function, inline="always")


def _made(function: Function, **options: Any) -> Function:
    made = numba.njit(**{**OPTIONS, **options})(function)
    if is_compiling():
        made._cache = StoredKernels(function, cache_folder(Path(function.__code__.co_filename).parent))
    return cast("Function", made)


def is_cached(folder: Path, kernel: str) -> bool:
    """Whether compiled code of that kernel of a folder (`module.function`) is on disk already, and sound."""
    return any(map(is_sealed, cache_folder(folder).rglob(f"{kernel}-*{SUFFIX}")))


def is_compiling() -> bool:
    """False where numba was told to run everything in plain Python."""
    return not bool(getattr(numba.config, "DISABLE_JIT", False))
