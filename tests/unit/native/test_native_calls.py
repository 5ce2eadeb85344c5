"""Calls of machine code through a table of slots. The code here is Python's own, called back with the table's address:
what it finds there must be what numba's calling convention says of an array, a number, a tuple."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np
import pytest

from simulator.native.calls import Call, Described, slots_of


class Pair(NamedTuple):
    first: object
    second: object


class Recorder:
    """Keeps the slots of every call, and returns a number through the first."""

    def __init__(self, slots: int, result: bytes = bytes(8), status: int = 0) -> None:
        self.slots, self.result, self.status = slots, result, status
        self.seen: list[list[int]] = []

    def __call__(self, address: int) -> int:
        table = (ctypes.c_int64 * self.slots).from_address(address)
        self.seen.append(list(table))
        ctypes.memmove(address, self.result, 8)
        return self.status


def call_of(*arguments: Described, returns: str = "", **more: object) -> tuple[Call, Recorder]:
    recorder = Recorder(1 + sum(map(slots_of, arguments)), **more)  # type: ignore[arg-type]
    return Call("kernel", recorder, arguments, returns), recorder


def as_int(number: float) -> int:
    return int(np.float64(number).view(np.int64))


def test_an_array_is_its_size_address_shape_and_strides() -> None:
    call, recorder = call_of("f8:2", "i8:1")
    one, other = np.zeros((3, 4)), np.zeros(5, dtype=np.int64)
    call(one, other)
    assert recorder.seen[0][1:] == [0, 0, 12, 8, one.ctypes.data, 3, 4, 32, 8, 0, 0, 5, 8, other.ctypes.data, 5, 8]


def test_numbers_and_tuples_stand_one_behind_the_other() -> None:
    call, recorder = call_of("f8", ["i8", ["b1", "f8"]], "i8")
    call(0.5, Pair(-7, (True, 2.0)), np.int64(9))
    assert recorder.seen[0][1:] == [as_int(0.5), -7, 1, as_int(2.0), 9]


def test_what_is_another_object_is_written_again_and_nothing_else() -> None:
    call, recorder = call_of("f8:1", ["f8:1", "f8:1"])
    a, b, c = np.zeros(1), np.zeros(2), np.zeros(3)
    call(a, (b, c))
    a.shape = (1, 1)  # would be refused if it were looked at again
    call(a, (b, np.zeros(1)))
    first, second = recorder.seen
    assert first[:15] == second[:15]
    assert (first[17], second[17]) == (3, 1)


@pytest.mark.parametrize(
    ("returns", "result", "expected"),
    [("f8", np.float64(-0.25).tobytes(), -0.25), ("i8", np.int64(-3).tobytes(), -3), ("b1", b"\1" + bytes(7), True)],
)
def test_what_it_returns(returns: str, result: bytes, expected: object) -> None:
    call, _ = call_of("f8", returns=returns, result=result)
    found = call(1.0)
    assert (found, type(found)) == (expected, type(expected))


def test_it_returns_nothing_where_the_kernel_does() -> None:
    call, _ = call_of("f8")
    assert call(1.0) is None


def test_what_is_read_only_can_be_read() -> None:
    """As the arrays of a snapshot."""
    call, recorder = call_of("f8:1")
    array = np.zeros(3)
    array.flags.writeable = False
    call(array)
    assert recorder.seen[0][5] == array.ctypes.data


@pytest.mark.parametrize(
    "value",
    [np.zeros(3, dtype=np.float32), np.zeros((3, 1)), np.zeros(6)[::2], [0.0], None],
    ids=["float32", "two dimensions", "gaps", "a list", "nothing"],
)
def test_another_kind_of_array_is_refused(value: object) -> None:
    """Machine code would read and write behind it. After that the table is as before."""
    call, recorder = call_of("f8:1")
    good = np.zeros(3)
    call(good)
    with pytest.raises(TypeError, match="kernel takes an array float64 of 1 dimensions without gaps here"):
        call(value)
    call(good)
    assert recorder.seen[0] == recorder.seen[1]


@pytest.mark.parametrize("described", ["f8:1", "f8", ["f8:1"]], ids=["array", "number", "tuple"])
def test_nothing_is_refused_in_the_first_call_too(described: Described) -> None:
    """Its slots hold no address yet."""
    call, recorder = call_of(described)
    with pytest.raises(TypeError):
        call((None,) if isinstance(described, list) else None)
    assert recorder.seen == []


def test_another_number_of_values_is_refused() -> None:
    call, _ = call_of("f8", ["f8", "f8"])
    with pytest.raises(TypeError, match="takes 2 arguments, not 1"):
        call(1.0)
    with pytest.raises(TypeError, match="takes a tuple of 2"):
        call(1.0, (1.0,))
    with pytest.raises(TypeError):
        call("1.0", (1.0, 1.0))


def test_an_index_beyond_an_array_is_an_error() -> None:
    call, _ = call_of("f8", status=1)
    with pytest.raises(IndexError, match="kernel: an index is beyond its array"):
        call(1.0)
