"""The compiler's switch: numba where it may compile, the same code in plain Python where NUMBA_DISABLE_JIT is set.

Compiled code is cached on disk in the user's cache folder, under a hash of the kernel's own source and of the sources
that it imports from, directly or not: numba itself looks at one file only and would go on with stale code when another
changes (a stale layout of buffers writes into foreign memory). So a change of one file compiles that file and those
that use it, and nothing else. How files are kept is told by `stored_kernels`; folders of versions that nobody uses any
more are thrown away, see `kernel_cache`.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import platformdirs

from simulator.dynamics.kernel_cache import throw_away_unused, use
from simulator.dynamics.sealed import is_sealed
from simulator.dynamics.stored_kernels import SUFFIX, StoredKernels

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
"""Kernels make no arrays, so they need none of numba's run-time memory: without it no call counts references to the
buffers that it is given, which atomic counters made a third of a four-bar's step. A kernel that allocates does not
compile with them."""


_OF_KERNELS = re.compile(r"(kernels|layout|^block|^views)$")
_IMPORTED_FROM = re.compile(r"^from ([\w.]+) import (\w*)", re.MULTILINE)


@cache
def cache_folder(source: Path) -> Path:
    """Where the compiled code of the kernels in a file is: below NUMBA_CACHE_DIR where the user set it, else in a
    folder of our own."""
    sources = [Path(__file__), *sorted(sources_of(source))]
    stamp = hashlib.sha256(b"".join(map(_digest, sources))).hexdigest()[:16]
    home = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("simulator") / "kernels"
    found = Path(home, stamp)
    if is_compiling():
        use(found, time.time())
        _tidied_at_exit(found.parent)
    return found


@cache
def _digest(source: Path) -> bytes:
    return hashlib.sha256(source.read_bytes()).digest()


@cache
def _tidied_at_exit(home: Path) -> None:
    """Only then this program has marked everything it uses."""
    atexit.register(lambda: throw_away_unused(home, time.time()))


def sources_of(source: Path) -> set[Path]:
    """The files whose change makes the compiled code of `source` stale: itself, and what it imports from its folder and
    from kernels and layouts of other folders, directly or not."""
    found, todo = set[Path](), [source]
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo += _sources_beside(path)
    return found


@cache
def _sources_beside(source: Path) -> tuple[Path, ...]:
    """The files that a file imports directly, of its folder and of kernels and layouts of other folders."""
    beside = (source.with_name(f"{name}.py") for name in _names_beside(source))
    return tuple(path for path in (*beside, *_kernels_elsewhere(source)) if path.is_file())


@cache
def _kernels_elsewhere(source: Path) -> list[Path]:
    """Modules of kernels and of layouts that a file takes from other folders of this package."""
    top, found = Path(__file__).parents[1], []
    for module, first in _IMPORTED_FROM.findall(source.read_text(encoding="utf-8")):
        folder = top.joinpath(*module.split(".")[1:])
        found += [path for path in (folder.with_suffix(".py"), folder / f"{first}.py") if _OF_KERNELS.search(path.stem)]
    return [path for path in found if path.parent != source.parent]


@cache
def _names_beside(source: Path) -> set[str]:
    """What could be a module beside a file: the last word of the module, and the first name that is taken from it."""
    return {
        name
        for module, first in _IMPORTED_FROM.findall(source.read_text(encoding="utf-8"))
        for name in (module.split(".")[-1], first)
    }


def compiled(function: Function) -> Function:
    """Compile at the first call for the types of that call. No fast-math: results must not depend on the compiler's
    reordering."""
    return _made(function)


def compiled_for(signature: str) -> Callable[[Function], Function]:
    """As `compiled`, for this signature and when the module is imported: calls from Python need not look at their
    types."""

    def decorate(function: Function) -> Function:
        made: Any = _made(function)
        if is_compiling():
            made.compile(signature)
            made.disable_compile()
        return cast("Function", made)

    return decorate


def inlined(function: Function) -> Function:
    """As `compiled`, for small helpers: numba copies their body into the caller before it compiles that, so that it is
    as fast as if it had been written there (left to LLVM, `forceinline`, a helper in the innermost loop costs a
    sixth)."""
    return _made(function, inline="always")


def _made(function: Function, **options: Any) -> Function:
    made = numba.njit(**{**OPTIONS, **options})(function)
    if is_compiling():
        made._cache = StoredKernels(function, cache_folder(Path(function.__code__.co_filename)))
    return cast("Function", made)


def is_cached(source: Path, kernel: str) -> bool:
    """Whether compiled code of that kernel of a file is on disk already, and sound."""
    return any(map(is_sealed, cache_folder(source).rglob(f"{source.stem}.{kernel}-*{SUFFIX}")))


def is_compiling() -> bool:
    """False where numba was told to run everything in plain Python."""
    return not bool(getattr(numba.config, "DISABLE_JIT", False))
