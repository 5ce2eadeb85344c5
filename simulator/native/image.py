"""Calls of entries as one block of memory, which programs without Python use: a page, a C file.

An image is what a table of arguments and all the arrays that it names look like in memory (`calls` describes the
table). Wherever a program copies it to, it adds the address of that place to each of the words at `addresses`, and can
then call an entry with the address of its table:

    copy `data` to `base`, which is divisible by 16
    for place in addresses: *(int64*)(base + place) += base
    advance_block(base + tables["advance"].offset)

Arrays that share memory share it there, too, so that what one call writes the next one reads. A copy of the block is a
copy of the whole state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.native.calls import NUMBERS, OWNERS_AND_SIZES, slots_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.native.calls import Described

    Bytes = NDArray[np.uint8]

WORD = 8
"""Bytes of a slot of a table."""
ALIGNED = 16
"""Bytes by whose multiples arrays and tables begin."""


@dataclass(frozen=True)
class MemoryPlace:
    """Where something is in an image: its first byte, `f8`, `i8` or `b1`, and its shape; `()` is a number that stands
    in a table itself."""

    offset: int
    kind: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """A call: the entry that takes it, its first byte (slot 0, which receives what the entry returns), and its
    arguments by name. Members of tuples have names with dots: `journal.row`, `lines.1`."""

    entry: str
    offset: int
    arguments: Mapping[str, MemoryPlace]


@dataclass(frozen=True)
class Image:
    """A block of memory, the places of words in it that hold addresses from its start on, and its calls by name."""

    data: bytes
    addresses: tuple[int, ...]
    tables: Mapping[str, Table]


def image_of(calls: Mapping[str, tuple[Any, Sequence[Any]]]) -> Image:
    """The image of calls by name, (kernel, arguments) each. Raises TypeError for an argument that no kernel takes."""
    block = _Block()
    tables = {name: block.add(kernel, values) for name, (kernel, values) in calls.items()}
    return Image(block.data(), tuple(block.addresses), tables)


class _Block:
    """Memory that grows: every array that owns its memory is in it once."""

    def __init__(self) -> None:
        self.addresses: list[int] = []
        self._parts: list[tuple[int, Bytes]] = []
        self._size = 0
        self._owners: dict[int, tuple[int, Any]] = {}

    def data(self) -> bytes:
        """The whole block."""
        whole = np.zeros(self._size, dtype=np.uint8)
        for offset, content in self._parts:
            whole[offset : offset + len(content)] = content
        return whole.tobytes()

    def add(self, kernel: Any, values: Sequence[Any]) -> Table:
        """A table for these arguments."""
        table = np.zeros(1 + sum(slots_of(_described(value)) for value in values), dtype=np.int64)
        offset = self._take(table.view(np.uint8))
        found: dict[str, MemoryPlace] = {}
        slot = 1
        for name, value in zip(kernel.parameters, values, strict=True):
            slot = self._write(table, offset, slot, name, value, found)
        return Table(kernel.__name__, offset, found)

    def _write(self, table: Any, begin: int, slot: int, name: str, value: Any, found: dict[str, MemoryPlace]) -> int:
        """Write a value to its slots; returns the slot behind them."""
        if isinstance(value, tuple):
            members = getattr(value, "_fields", range(len(value)))
            for member, one in zip(members, value, strict=True):
                slot = self._write(table, begin, slot, f"{name}.{member}", one, found)
            return slot
        kind = _described(value)
        if isinstance(value, np.ndarray):
            kind, _, dimensions = str(kind).partition(":")
            place = self._place(value)
            shape = slot + OWNERS_AND_SIZES
            table[slot + 2 : slot + OWNERS_AND_SIZES] = value.size, value.itemsize, place
            table[shape : shape + int(dimensions)] = value.shape
            table[shape + int(dimensions) : shape + 2 * int(dimensions)] = value.strides
            self.addresses.append(begin + WORD * (slot + 4))
            found[name] = MemoryPlace(place, kind, value.shape)
        else:
            table[slot : slot + 1].view(NUMBERS[str(kind)] if kind == "f8" else np.int64)[0] = value
            found[name] = MemoryPlace(begin + WORD * slot, str(kind), ())
        return slot + slots_of(_described(value))

    def _place(self, array: Any) -> int:
        """Where an array begins."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if id(owner) not in self._owners:
            content = np.ascontiguousarray(owner).reshape(-1).view(np.uint8)
            self._owners[id(owner)] = self._take(content), owner
        begin, _ = self._owners[id(owner)]
        return begin + int(array.__array_interface__["data"][0]) - int(owner.__array_interface__["data"][0])

    def _take(self, content: Bytes) -> int:
        offset = self._size
        self._parts.append((offset, content))
        self._size += -(-len(content) // ALIGNED) * ALIGNED
        return offset


def _described(value: Any) -> Described:
    """The type of a value, as `calls` has it. Raises TypeError where kernels take no such thing."""
    if isinstance(value, tuple):
        return [_described(member) for member in value]
    if isinstance(value, np.ndarray):
        kind = next((name for name, dtype in NUMBERS.items() if dtype == value.dtype), None)
        if kind is None or not value.flags.c_contiguous:
            raise TypeError(f"kernels take no array {value.dtype} with strides {value.strides}")
        return f"{kind}:{value.ndim}"
    if isinstance(value, bool | np.bool_):
        return "b1"
    if isinstance(value, int | np.integer):
        return "i8"
    if isinstance(value, float):
        return "f8"
    raise TypeError(f"kernels take no {type(value).__name__}")
