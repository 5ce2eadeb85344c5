"""Compiled kernels on disk, behind numba's own interface: nothing that happens to the folder keeps a program from
running.

What is damaged is thrown away and compiled again; where nothing can be written, kernels are compiled at every start.
Either is told in one line on standard error, once in a process. (numba's own store raises in both cases, and believes
what it finds.)
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numba
from numba.core import serialize
from numba.core.caching import _Cache

from simulator.dynamics.loaded_code import rebuilt, reduced
from simulator.dynamics.sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SUFFIX = ".nbc"
FORM = 2
"""Which form files have; those of another are not read."""


class _Codegen(Protocol):
    """What numba makes machine code with; the numbers of the processor it is for."""

    def magic_tuple(self) -> tuple[object, ...]: ...


class _Context(Protocol):
    def codegen(self) -> _Codegen: ...


class _Library(Protocol):
    has_dynamic_globals: bool


class _Lifted(Protocol):
    can_cache: bool


class _Compiled(Protocol):
    """What numba makes of a function."""

    library: _Library
    lifted: Sequence[_Lifted]
    codegen: _Codegen


_dumps: Callable[[object], bytes] = serialize.dumps
_listener: ContextVar[Callable[[], None] | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Callable[[], None]) -> Iterator[None]:
    """Call `listener` after every function that is compiled meanwhile in this thread."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def has_listener() -> bool:
    """Whether somebody listens already."""
    return _listener.get() is not None


class StoredKernels(_Cache):
    """What is kept of one function: a file for each signature it was compiled for, below `home`, the folder of its
    sources' version."""

    def __init__(self, function: Callable[..., object], home: Path) -> None:
        code = function.__code__
        source = Path(code.co_filename)
        release = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        self._code = code.co_code
        self._folder = home / source.parent.name
        self._base = f"{source.stem}.{function.__qualname__}-{code.co_firstlineno}.{release}"
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def enable(self) -> None:
        """Load and save from now on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither load nor save."""
        self._enabled = False

    def flush(self) -> None:
        """Forget what is kept of this function."""
        for path in self._folder.glob(f"{self._base}.*{SUFFIX}"):
            with suppress(OSError):
                path.unlink()

    def load_overload(self, sig: object, target_context: _Context) -> object:
        """The compiled function for a signature; None where it has to be compiled.

        What the compiler knows of types and of libraries, SciPy's among them, is not loaded here, unlike in numba's own
        store: it is two fifths of the start, no code that is kept needs it, and compiling loads it by itself.
        """
        if not self._enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            content = read_sealed(path)
            return None if content is None else rebuilt(target_context, *pickle.loads(content))
        except MemoryError:
            raise
        except Exception:  # damaged, or of another making
            _throw_away(path)
            return None

    def save_overload(self, sig: object, data: _Compiled) -> None:
        """Keep a compiled function, where it can be kept; who listens hears that it is there."""
        self._save(sig, data)
        listener = _listener.get()
        if listener is not None:
            listener()

    def _save(self, sig: object, data: _Compiled) -> None:
        if not self._enabled or data.library.has_dynamic_globals or not all(part.can_cache for part in data.lifted):
            return
        try:
            write_sealed(self._path(sig, data.codegen), _dumps(reduced(data)))
        except OSError as error:
            _tell_unwritable(self._folder.parent, error.strerror or str(error))

    def _path(self, sig: object, codegen: _Codegen) -> Path:
        """Its name tells apart whatever other code is made for: types, processor, numba's version."""
        key = repr((numba.__version__, FORM, sig, codegen.magic_tuple(), self._code))
        return Path(self._folder, f"{self._base}.{hashlib.sha256(key.encode()).hexdigest()[:20]}{SUFFIX}")


def _throw_away(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
    _tell_damaged(path.parent.parent)


@cache
def _tell_damaged(home: Path) -> None:
    _say(f"compiled code in {home} was damaged; what is needed of it is compiled again, which may take minutes …")


@cache
def _tell_unwritable(home: Path, reason: str) -> None:
    _say(f"compiled code cannot be kept in {home} ({reason}): every start has to compile again")


def _say(text: str) -> None:
    with suppress(OSError):
        print(f"simulator: {text}", file=sys.stderr, flush=True)
