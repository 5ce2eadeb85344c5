"""All kernels of the program, imported so that numba lowers them."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numba
from numba.core.dispatcher import Dispatcher

from simulator.native import kernels, library
from simulator.native.build.lowering import OPTIONS, change_numba
from simulator.native.build.openers import opened
from simulator.native.build.view import view
from simulator.native.sources import PACKAGE, files

if TYPE_CHECKING:
    from simulator.native.build.store import Store

    Entries = dict[str, dict[str, Any]]
    """Numba's object of each entry, by part and name."""

_HAS_KERNELS = re.compile(r"^from simulator\.native\.kernels import .*\b(compiled|entry|opener)\b", re.MULTILINE)


def import_kernels(store: Store, *, bounds: bool) -> Entries:
    """Change numba in this process, and import all modules that have kernels. `bounds`: indices are checked."""
    change_numba()
    found: Entries = {part: {} for part in library.PARTS}

    def compiled(function: Callable[..., Any], *, forceinline: bool = False) -> Any:
        kernel: Any = numba.njit(**OPTIONS, boundscheck=bounds, forceinline=forceinline)(function)
        kernel._cache = store.of(kernel)
        return kernel

    def entry(part: str, **_: bool) -> Callable[[Callable[..., Any]], Any]:
        def decorate(function: Callable[..., Any]) -> Any:
            found[part][function.__name__] = made = compiled(function)
            return made

        return decorate

    opener = partial(opened, kernel=partial(compiled, forceinline=True))
    vars(kernels).update(compiled=compiled, opener=opener, entry=entry, view=view)
    for path in files():
        if _HAS_KERNELS.search(path.read_text(encoding="utf-8")):
            importlib.import_module(".".join(("simulator", *path.relative_to(PACKAGE).with_suffix("").parts)))
    every = {name: kernel for entries in found.values() for name, kernel in entries.items()}
    return {**found, **{part: {name: every[name] for name in names} for part, names in library.HOSTED.items()}}


def reachable(kernel: Any) -> set[Any]:
    """A kernel and the kernels that it can call, directly or not."""
    seen = {kernel}
    todo = [kernel]
    while todo:
        function = todo.pop().py_func
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, Dispatcher) and value not in seen:
                seen.add(value)
                todo.append(value)
    return seen
