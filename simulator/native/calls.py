"""Calls of an entry of a library with objects of Python.

An entry takes the address of a table of 8-byte slots. Slot 0 receives what it returns; behind it stand its arguments as
numba flattens them: a number is one slot; an array of n dimensions is 5 + 2 n, two that stay zero (owners of memory),
its number of entries, the bytes of one, its address, its shape, its strides [bytes]; a tuple is its members. The table
is made once, and a slot is written again only where the object that stands in it is another one.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Write: TypeAlias = Callable[[Any], None]

Described: TypeAlias = "str | list[Described]"
"""A type: `f8`, `i8`, `b1` for numbers, `f8:2` for an array of two dimensions, a list for a tuple."""

_CODES = {"f8": "d", "i8": "q", "b1": "?"}
_NOTHING = object()
"""What a table holds before the first call, and after a value that was refused. No argument is it."""
OWNERS_AND_SIZES, NUMBERS = 5, {"f8": np.dtype(np.float64), "i8": np.dtype(np.int64), "b1": np.dtype(np.bool_)}


class Call:
    """One entry with a table of its own; not for two threads at once."""

    def __init__(self, name: str, code: Callable[[int], int], arguments: Sequence[Described], returns: str) -> None:
        """`returns`: `f8`, `i8`, `b1` or nothing."""
        self._name, self._code = name, code
        self._table = (ctypes.c_int64 * (1 + sum(map(slots_of, arguments))))()
        self._address = ctypes.addressof(self._table)
        self._last: list[Any] = [_NOTHING] * len(arguments)
        views = memoryview(self._table).cast("B")
        self._ints, self._floats = views.cast("q"), views.cast("d")
        self._writes = [*_writes(self._ints, self._floats, arguments, 1, name)]
        self._returns: Any = views.cast(_CODES[returns]) if returns else None  # type: ignore[call-overload]

    def __call__(self, *values: Any) -> Any:
        """Call it; see `Kernel`."""
        last = self._last
        if len(values) != len(last):
            raise TypeError(f"{self._name} takes {len(last)} arguments, not {len(values)}")
        for place, value in enumerate(values):
            if value is not last[place]:
                last[place] = _NOTHING
                self._writes[place](value)
                last[place] = value
        if self._code(self._address):
            raise IndexError(f"{self._name}: an index is beyond its array")
        return None if self._returns is None else self._returns[0]


def slots_of(described: Described) -> int:
    """How many slots a value of this type takes."""
    if not isinstance(described, str):
        return sum(map(slots_of, described))
    _, _, dimensions = described.partition(":")
    return OWNERS_AND_SIZES + 2 * int(dimensions) if dimensions else 1


def _writes(
    ints: memoryview[int], floats: memoryview[float], described: Sequence[Described], slot: int, name: str
) -> Sequence[Write]:
    """For each of these values, what writes it to its slots, the first of them at `slot`."""
    made: list[Write] = []
    for one in described:
        if not isinstance(one, str):
            made.append(_tuple_write(_writes(ints, floats, one, slot, name), name))
        elif ":" in one:
            made.append(_array_write(ints, slot, one, name))
        else:
            made.append(_number_write(floats if one == "f8" else ints, slot))
        slot += slots_of(one)
    return made


def _number_write(view: memoryview[Any], slot: int) -> Write:
    def write(value: Any) -> None:
        view[slot] = value

    return write


def _array_write(ints: memoryview[int], slot: int, described: str, name: str) -> Write:
    number, _, text = described.partition(":")
    kind = NUMBERS[number]
    dimensions = int(text)
    size = slot + 2
    address = slot + 4
    shape = slot + OWNERS_AND_SIZES
    ints[slot + 3] = kind.itemsize
    many = range(dimensions)

    def write(array: Any) -> None:
        # Read-only arrays may be read: which ones a kernel writes is said where it is written.
        if (
            type(array) is not np.ndarray
            or array.dtype != kind
            or array.ndim != dimensions
            or not array.flags.c_contiguous
        ):
            wanted = f"an array {kind} of {dimensions} dimensions without gaps"
            raise TypeError(f"{name} takes {wanted} here, not {_words(array)}")
        ints[size], ints[address] = array.size, _address(array)
        extents, strides = array.shape, array.strides
        for k in many:
            ints[shape + k], ints[shape + dimensions + k] = extents[k], strides[k]

    return write


def _address(array: Any) -> int:
    """Where its numbers are. (`array.ctypes.data` and `__array_interface__` say it for all arrays, in four times as
    long.)"""
    if not array.size:
        return 0
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))
    except TypeError:  # read-only
        found: int = array.__array_interface__["data"][0]
        return found


def _words(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    return f"{value.dtype} of {value.ndim}{'' if value.flags.c_contiguous else ', with gaps'}"


def _tuple_write(writes: Sequence[Write], name: str) -> Write:
    last: list[Any] = [_NOTHING] * len(writes)

    def write(values: Any) -> None:
        if not isinstance(values, tuple) or len(values) != len(last):
            raise TypeError(f"{name} takes a tuple of {len(last)} here, not {type(values).__name__}")
        for place, value in enumerate(values):
            if value is not last[place]:
                last[place] = _NOTHING
                writes[place](value)
                last[place] = value

    return write
