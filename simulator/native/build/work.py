"""The work of a build, shared by several processes: first every entry is lowered, then each part is optimised."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
from numba.core.errors import NumbaError

from simulator.native.build import link
from simulator.native.build.collect import import_kernels, reachable
from simulator.native.build.link import Level, Target
from simulator.native.build.lowering import lowered, room_of
from simulator.native.build.progress import Progress
from simulator.native.build.signatures import Entry, Signature, arguments_of, for_numba, signature_of
from simulator.native.build.store import Store
from simulator.native.build.units import Unit, units
from simulator.native.digest import digest
from simulator.native.library import FMU, PARTS
from simulator.native.sources import FORM, stamp
from simulator.native.whole import read_whole, write_whole
from simulator.records import dataclass

GARBAGE = 2_000_000
"""Objects that may be garbage before it is looked for, some 300 MB."""
AT_ONCE = 4
"""Kernels that a process lowers early before it asks for more."""
NICE = 10
"""How nice a process is to others that lowers for builds to come."""


@dataclass(frozen=True)
class Order:
    """What is to be built: parts in this order, levels of a target, to files `name(part)`; those of the cache show
    whether they are whole."""

    parts: tuple[str, ...]
    target: Target
    levels: tuple[Level, ...]
    name: Callable[[str], Path]
    in_cache: bool

    def levels_of(self, part: str) -> tuple[Level, ...]:
        """The levels of a part. An FMU goes to other machines, and has the least one only: half as large, and a step
        takes as long within some per cent."""
        return self.target.levels[:1] if part == FMU else self.levels


class Optimised(NamedTuple):
    """A unit, and its object for one level."""

    unit: str
    path: Path


class Build:
    """All that the processes of a build share; workers are forks of the process that made it."""

    def __init__(self, folder: Path, *, bounds: bool = False) -> None:
        """`folder`: cache of functions and objects between builds. `bounds`: indices are checked."""
        self.store = Store(folder, "bounds" if bounds else "")
        self.entries = import_kernels(self.store, bounds=bounds)
        self.signatures: dict[str, dict[str, Signature]] = {
            part: {name: signature_of(kernel.py_func) for name, kernel in entries.items()}
            for part, entries in self.entries.items()
        }
        self._costs = {part: self._costs_of(part) for part in self.entries}
        self._number = {
            kernel: k for k, kernel in enumerate({k: None for costs in self._costs.values() for k in costs})
        }
        self._done = multiprocessing.RawArray("b", len(self._number))
        self.store.lowered = self._count

    def _costs_of(self, part: str) -> dict[Any, float]:
        """What each kernel costs that the entries of a part can call, and they themselves [s]."""
        reached = {kernel for entry in self.entries[part].values() for kernel in reachable(entry)}
        return {kernel: cost(kernel) for kernel in reached}

    def _count(self, kernel: Any) -> None:
        if kernel in self._number:  # those that find members of views are not
            self._done[self._number[kernel]] = 1

    def lowered(self, part: str) -> float:
        """How much of a part has been lowered, from 0 to 1."""
        costs = self._costs[part]
        done = sum(one for kernel, one in costs.items() if self._done[self._number[kernel]])
        return done / sum(costs.values())

    def costs(self, part: str) -> dict[str, float]:
        """What the kernels of each unit cost [s]."""
        found: dict[str, float] = {}
        for kernel, one in self._costs[part].items():
            found[room_of(kernel)] = found.get(room_of(kernel), 0.0) + one
        return found

    def below(self, part: str) -> list[Any]:
        """Kernels that the entries of a part can call, those first that call least."""
        below = self._costs[part].keys() - {*self.entries[part].values()}
        return sorted(below, key=lambda kernel: (cost_with_all_below(kernel), kernel.py_func.__name__))

    def ahead(self, order: Order) -> list[Any]:
        """Kernels of other parts, which will be built for this cache as well, in the order of parts."""
        known = set[Any]().union(*(self._costs[part] for part in order.parts))
        later = (part for part in PARTS if order.in_cache and part not in order.parts)
        return [*dict.fromkeys(kernel for part in later for kernel in self.below(part) if kernel not in known)]

    def lower(self, part: str, name: str) -> None:
        """Lower an entry and all that it calls."""
        try:
            lowered(self.entries[part][name], self.signatures[part][name].for_numba)
        except BaseException:
            self.store.unlock_all()
            raise

    def lower_early(self, module: str, name: str) -> None:
        """Lower a kernel for the types of its annotations before another kernel calls it, so that kernels with many
        callers are ready and processes need not wait for each other. A kernel whose annotations are incomplete is
        lowered when it is called."""
        kernel = getattr(sys.modules[module], name)
        try:
            lowered(kernel, for_numba(arguments_of(kernel.py_func)))
        except (TypeError, NumbaError):
            self.store.unlock_all()

    def units(self, part: str) -> list[Unit]:
        """The units of a part, the largest first; lowers what has not been lowered."""
        entries = []
        for name, kernel in sorted(self.entries[part].items()):
            signature = self.signatures[part][name]
            made = lowered(kernel, signature.for_numba)
            entries.append((Entry(name, made.fndesc.llvm_func_name, signature), made.library))
        return units(entries)

    def optimise(self, part: str, name: str, target: Target, level: Level) -> Optimised:
        """The object of a unit of a part."""
        unit = next(one for one in self.units(part) if one.name == name)
        entries = [(entry.name, entry.symbol) for entry in unit.entries]
        options = [FORM, llvmlite.__version__, target, level]
        made_with = repr([*options, entries, unit.shared, unit.borrowed])
        path = self.store.folder / f"{name}-{digest(made_with.encode(), *unit.modules).hex()[:24]}.o"
        if read_whole(path) is None:
            write_whole(path, link.object_of(unit, target, level))
        return Optimised(name, path)

    def finish(self, part: str, order: Order, objects: Iterable[Path]) -> None:
        """Link the library of a part."""
        about = link.about_ir(self.signatures[part], order.levels_of(part), stamp(), order.target, alone=part != FMU)
        code = [read_whole(path) or b"" for path in objects]
        exported = self._exported(part, order) if order.target.suffix == ".wasm" else ()
        portable = not order.in_cache or part == FMU
        source = link.source_of_fmu(order.levels_of(part)[0]) if part == FMU else ()
        library = link.shared_library([*code, about], order.target, portable=portable, exported=exported, source=source)
        if order.in_cache:
            write_whole(order.name(part), library)
        else:
            order.name(part).write_bytes(library)

    def _exported(self, part: str, order: Order) -> list[str]:
        """What WebAssembly shows: entries, its description, and where memory is free."""
        entries = [f"{name}_{level.name}" for name in sorted(self.entries[part]) for level in order.levels_of(part)]
        return [*entries, "about", "__heap_base"]


def cost(kernel: Any) -> float:
    """About how long numba takes for a kernel [s of one idle core]; measured."""
    for_each_byte = 3.5e-4 if room_of(kernel) == "contacts" else 1.2e-4  # the former have tuples of vectors
    return 0.015 + for_each_byte * len(kernel.py_func.__code__.co_code)


@cache
def cost_with_all_below(kernel: Any) -> float:
    """The cost of a kernel and of all that it can call [s]."""
    return sum(map(cost, reachable(kernel)))


_build: Build | None = None  # what workers inherit when they are forked


def _lower(part: str, name: str) -> None:
    assert _build is not None
    _build.lower(part, name)
    _collect()


def _collect() -> None:
    if gc.get_count()[0] > GARBAGE:
        gc.collect()


def _lower_early(kernels: Sequence[tuple[str, str]]) -> None:
    assert _build is not None
    for module, name in kernels:
        _build.lower_early(module, name)
    _collect()


def _lower_ahead(module: str, name: str) -> None:
    assert _build is not None
    if hasattr(os, "nice") and os.nice(0) < NICE:
        os.nice(NICE)
    _build.lower_early(module, name)


def _optimise(part: str, unit: str, target: str, level: int) -> Optimised:
    assert _build is not None
    whole = link.TARGETS[target]
    return _build.optimise(part, unit, whole, whole.levels[level])


def run(build: Build, order: Order, report: Callable[[str, float], None], *, processes: int) -> None:
    """Make the libraries; `report` hears of parts and how much of each is done, from 0 to 1. LLVM takes a third of the
    time, mostly on one core: others lower kernels of parts that are still to come."""
    global _build  # noqa: PLW0603 (forks see it, and nothing else does)
    _build = build
    gc.disable()  # numba makes much that refers to itself: without looking for it, lowering takes a fifth less time
    with _workers(processes) as pool:
        parts = [_Part(build, order, name, processes) for name in order.parts]
        running = dict[Future[Any], _Part | None]()
        ahead = build.ahead(order)
        while not all(part.is_finished for part in parts):
            for part in parts:  # the first goes first, whatever can be begun of the others
                while part.todo and len(running) < processes:
                    running[pool.submit(*part.next())] = part
            while ahead and len(running) < processes and all(part.is_lowered for part in parts):
                kernel = ahead.pop(0).py_func
                running[pool.submit(_lower_ahead, kernel.__module__, kernel.__name__)] = None
            done, _ = wait(running, timeout=0.25, return_when=FIRST_COMPLETED)
            for future in done:
                part_of = running.pop(future)
                if part_of is not None:
                    part_of.take(future.result())
            for part in parts:
                report(part.name, part.fraction())


def _workers(processes: int) -> Executor:
    """Forks of this process, which have its kernels; where the system has no forks, this process does all."""
    if "fork" in multiprocessing.get_all_start_methods():
        return ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("fork"))
    return _Here()


class _Here(Executor):
    """Runs what is submitted at once."""

    def submit(self, fn: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """The result of the call, in a future that has it."""
        future = Future[Any]()
        future.set_result(fn(*given, **named))
        return future


class _Part:
    """One part on its way: its entries are lowered, then its units are optimised for each level, then all is linked.
    `todo`: what can be begun, those entries first that call most, and the largest units first."""

    def __init__(self, build: Build, order: Order, name: str, processes: int) -> None:
        self.name = name
        self._build = build
        self._order = order
        entries = build.entries[name]
        below = [(k.py_func.__module__, k.py_func.__name__) for k in build.below(name)]
        early = [(_lower_early, below[first : first + AT_ONCE]) for first in range(0, len(below), AT_ONCE)]
        outer_first = sorted(entries, key=lambda one: -cost_with_all_below(entries[one]))
        self.todo: list[tuple[Any, ...]] = [*early, *((_lower, name, one) for one in outer_first)]
        self._lowerings, self._objects = len(self.todo), list[Optimised]()
        self._units = build.costs(name)
        self._progress = Progress(self._units, processes)
        self._is_begun = self.is_finished = False

    @property
    def is_lowered(self) -> bool:
        """Whether LLVM is at work, or all is done."""
        return self._lowerings == 0

    def next(self) -> tuple[Any, ...]:
        """What is to be begun now."""
        if not self._is_begun:
            self._is_begun = True
            self._progress.begin(time.perf_counter())
        return self.todo.pop(0)

    def take(self, result: Optimised | None) -> None:
        """A task has ended: a kernel is lowered, or there is an object."""
        if result is None:
            self._lowerings -= 1
            if self._lowerings == 0:
                self.todo = self._optimisations()
            return
        self._objects.append(result)
        if sum(one.unit == result.unit for one in self._objects) == len(self._order.levels_of(self.name)):
            self._progress.optimised(result.unit)
        if len(self._objects) == len(self._order.levels_of(self.name)) * len(self._units):
            self._build.finish(self.name, self._order, sorted(one.path for one in self._objects))
            self.is_finished = True

    def _optimisations(self) -> list[tuple[Any, ...]]:
        target = self._order.target
        places = [*map(self._order.target.levels.index, self._order.levels_of(self.name))]
        largest_first = sorted(self._units, key=lambda unit: -self._units[unit])
        return [(_optimise, self.name, unit, target.name, place) for unit in largest_first for place in places]

    def fraction(self) -> float:
        """How much of the work is done, from 0 to 1."""
        if self.is_finished or not self._is_begun:
            return float(self.is_finished)
        now = time.perf_counter()
        if self._lowerings:
            return self._progress.lowering(now, self._build.lowered(self.name))
        return self._progress.optimising(now)
