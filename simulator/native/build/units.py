"""Units: what LLVM optimises at once. Kernels of one room of the program that a part needs are a unit.

LLVM takes 40 s for all kernels of contacts at once, and 12 and 9 s for their two units, which go side by side; a change
of a kernel concerns its unit only. A step with contacts takes as long as before within a per cent. Finer units cost:
with one for each file, a step of the gripper takes 25 per cent more, and the motion of a four-bar 10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.build.lowering import RawLibrary, reached
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.native.build.signatures import Entry

SHORT = 12_000
"""Bytes of bitcode of a kernel that is copied into other units which call it, where LLVM can inline it; each view that
a kernel reads counts as some 1500. With 5000 a step of a heap takes 5 % longer, with 30 000 as long, in a larger
library."""


@dataclass(frozen=True)
class Unit:
    """`modules`: bitcode of its kernels, and of short ones of other units. `shared`: symbols of its kernels that others
    call, and of kernels of others that it calls; `borrowed`: those of them that it has a copy of, to be inlined."""

    name: str
    entries: tuple[Entry, ...]
    modules: tuple[bytes, ...]
    shared: tuple[str, ...]
    borrowed: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes of bitcode."""
        return sum(map(len, self.modules))


def units(entries: Sequence[tuple[Entry, RawLibrary]]) -> list[Unit]:
    """Units of all that these entries call, the largest first."""
    rooms: dict[str, list[RawLibrary]] = {}
    for library in dict.fromkeys(library for _, start in entries for library in reached(start)):
        if library.kernel is not None:
            rooms.setdefault(library.kernel.room, []).append(library)
    borrowed = {room: _borrowed(room, own) for room, own in rooms.items()}
    calls = {room: {*_calls_of_others(room, (*own, *borrowed[room]))} for room, own in rooms.items()}
    called = set[RawLibrary]().union(*calls.values())
    made = [
        Unit(
            name=room,
            entries=tuple(entry for entry, library in entries if library in own),
            modules=tuple(sorted({module for one in (*own, *borrowed[room]) for module in _modules(one)})),
            shared=_symbols(calls[room].union(called.intersection(own))),
            borrowed=_symbols(borrowed[room]),
        )
        for room, own in rooms.items()
    ]
    return sorted(made, key=lambda unit: (-unit.size, unit.name))


def _calls_of_others(room: str, callers: Iterable[RawLibrary]) -> Iterable[RawLibrary]:
    """Kernels of other rooms that these call."""
    for caller in callers:
        for callee in caller.kernels():
            if callee.kernel is not None and callee.kernel.room != room:
                yield callee


def _borrowed(room: str, own: Iterable[RawLibrary]) -> dict[RawLibrary, None]:
    """Short kernels of other rooms that these call, directly or by others that are short."""
    found = dict[RawLibrary, None]()
    todo = [*own]
    while todo:
        for callee in _calls_of_others(room, [todo.pop()]):
            if callee not in found and sum(map(len, _modules(callee))) <= SHORT:
                found[callee] = None
                todo.append(callee)
    return found


def _modules(kernel: RawLibrary) -> Iterable[bytes]:
    return (module for library in kernel.own() for module in library.modules)


def _symbols(libraries: Iterable[RawLibrary]) -> tuple[str, ...]:
    return tuple(sorted(library.kernel.symbol for library in libraries if library.kernel is not None))
