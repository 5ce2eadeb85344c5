"""Functions that were lowered, on disk, so that a build lowers again only what has changed.

A function is found by what it is made from: its byte code, the constants and the names of kernels that it uses, and the
types of its arguments. What the kernels that it calls return is part of what it was typed with, so each of them is
looked up, too, and has to return the type that it returned then; their bodies may have changed.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import llvmlite
import numba
import numpy as np
from numba.core import serialize
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher

from simulator.native.build.lowering import OPTIONS, Lowered, RawLibrary, lowered
from simulator.native.build.openers import kernel_of
from simulator.native.digest import digest
from simulator.native.sources import FORM
from simulator.native.whole import read_whole, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

_dumps: Callable[[object], bytes] = serialize.dumps

try:
    import fcntl
except ImportError:  # on Windows, where only one process lowers
    fcntl = None  # type: ignore[assignment]


class Store:
    """The folder that they are in. Several processes share it: one that lowers a function locks it, the others wait."""

    def __init__(self, folder: Path, options: str = "") -> None:
        """`options` tells functions apart that were lowered with other options of numba."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.options = folder, options
        self.lowered: Callable[[Any], None] = lambda _: None
        self._locks: dict[Path, Any] = {}

    def of(self, kernel: Any) -> _Stored:
        """Where numba looks for what was made of a kernel."""
        return _Stored(self, kernel)

    def path(self, kernel: Any, arguments: Iterable[Any]) -> Path:
        """The file of a kernel for these types of arguments."""
        inline = kernel.targetoptions.get("forceinline", False)
        made_with = (FORM, numba.__version__, llvmlite.__version__, sys.version_info[:2], OPTIONS, inline, self.options)
        key = repr((made_with, _identity(kernel.py_func), [*map(_type_name, arguments)]))
        return self.folder / f"{kernel.py_func.__name__}-{digest(key.encode()).hex()[:24]}.ir"

    def lock(self, path: Path) -> None:
        """Wait until no other process lowers this function."""
        if fcntl is not None and path not in self._locks:
            file = self._locks[path] = path.with_suffix(".lock").open("w")
            fcntl.flock(file, fcntl.LOCK_EX)

    def unlock(self, path: Path) -> None:
        """Let others have it."""
        file = self._locks.pop(path, None)
        if file is not None:
            file.close()

    def unlock_all(self) -> None:
        """After a function that could not be lowered: others would wait for it, and for those that called it."""
        for path in [*self._locks]:
            self.unlock(path)


class _Stored:
    """One kernel of a store, as numba asks for it."""

    def __init__(self, store: Store, kernel: Any) -> None:
        self._store, self._kernel = store, kernel

    def load_overload(self, arguments: Any, context: Any) -> Any:
        """What was lowered for these types, or None: then numba lowers it, and calls `save_overload`."""
        path = self._store.path(self._kernel, arguments)
        if not path.is_file():
            self._store.lock(path)
        found = _read(path, context) if path.is_file() else None
        if found is None:
            return None
        path.touch()  # see `tidy`
        self._store.unlock(path)
        self._store.lowered(self._kernel)
        return found

    def save_overload(self, arguments: Any, made: Any) -> None:
        """Keep what was lowered."""
        path = self._store.path(self._kernel, arguments)
        write_whole(path, _dumps(_content(made)))
        self._store.unlock(path)
        self._store.lowered(self._kernel)


def _content(made: Any) -> tuple[object, ...]:
    descriptor = made.fndesc
    descriptor.typemap = descriptor.calltypes = None
    callees = []
    for library in made.library.kernels():
        function, arguments, returns, _ = library.kernel
        callees.append((function.py_func.__module__, function.py_func.__name__, arguments, returns))
    modules = [module for library in made.library.own() for module in library.modules]
    return descriptor, made.signature, callees, modules


def _read(path: Path, context: Any) -> Any:
    """The result of a compilation from a file; None where a kernel that it calls returns another type by now, and where
    the file is damaged."""
    content = read_whole(path)
    if content is None:
        return None
    with suppress(AttributeError, ImportError, KeyError):  # a kernel or type of then has gone, or is elsewhere
        descriptor, signature, callees, modules = pickle.loads(content)
        library = RawLibrary(context.codegen(), descriptor.mangled_name)
        library.modules = modules
        for module, name, arguments, returns in callees:
            callee = lowered(kernel_of(module, name), arguments)
            if callee.signature.return_type != returns:
                return None
            library.add_linking_library(callee.library)
        library.finalize()
        make: Any = CompileResult
        return make(
            typing_context=context.typing_context, target_context=context,
            entry_point=Lowered(descriptor.llvm_func_name), typing_error=None, type_annotation=None,
            signature=signature, objectmode=False, lifted=(), fndesc=descriptor, library=library, call_helper=None,
            environment=None, metadata=None, reload_init=(), referenced_envs=(),
        )  # fmt: skip
    return None


@cache
def _identity(function: Any) -> str:
    """What a function is made from, but for the bodies of the kernels that it calls."""
    used = {name: _described(function.__globals__[name], names) for names in [sorted(_names(function.__code__))]
            for name in names if name in function.__globals__}  # fmt: skip
    return repr((function.__module__, function.__qualname__, _code(function.__code__), sorted(used.items())))


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _code(code: CodeType) -> tuple[object, ...]:
    constants = tuple(_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts)
    return (
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        getattr(code, "co_exceptiontable", b""),
    )


def _described(value: Any, names: Iterable[str]) -> object:
    """A value that a function uses; of a module of ours, all in it that has one of these names."""
    if isinstance(value, ModuleType):
        ours = value.__name__.startswith("simulator.")
        return value.__name__, [(n, _described(getattr(value, n), ())) for n in names if ours and hasattr(value, n)]
    if isinstance(value, Dispatcher):
        return value.py_func.__module__, value.py_func.__name__
    if isinstance(value, type):
        return value.__module__, value.__qualname__, getattr(value, "_fields", ())
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, FunctionType | BuiltinFunctionType | np.ufunc):
        return getattr(value, "__module__", ""), value.__name__
    return repr(value)


def _type_name(one: Any) -> str:
    """A type of numba, with the names of the members of tuples, and where they are."""
    fields = getattr(one, "fields", ())
    inner = [*map(_type_name, getattr(one, "types", ()))]
    places = getattr(getattr(one, "instance_class", None), "slots_of_members", "")
    return f"{one}{fields}{inner}{places}" if fields else str(one)
