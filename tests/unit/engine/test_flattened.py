"""A mechanism as plain memory, run by nothing but its entry of the native library."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.engine.flattened import ADVANCE, BODIES, REFRESH, Flattened, flatten
from simulator.errors import UsageError
from simulator.native.ready import needed
from simulator.physics.step import block
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.settings import typed_settings

STEPS = 400


def engine_of(name: str, *drives: str, solver: str = "rows") -> Engine:
    return make_engine(open_document(find_file(name)), typed_settings(drives, None, solver=solver))


class Memory:
    """An image where a program without Python would have it."""

    def __init__(self, flat: Flattened) -> None:
        size = len(flat.image.data)
        self._room = ctypes.create_string_buffer(size + 16)
        self.base = -(-ctypes.addressof(self._room) // 16) * 16
        ctypes.memmove(self.base, flat.image.data, size)
        self.words = np.frombuffer((ctypes.c_char * size).from_address(self.base), dtype=np.int64)
        for address in flat.image.addresses:
            self.words[address // 8] += self.base
        self._flat = flat

    def call(self, table: str) -> None:
        found = self._flat.image.tables[table]
        part = "contacts" if found.entry == "advance_touching" else "motion"
        library = needed(part)
        assert library is not None
        function = getattr(library.code, f"{found.entry}_{library.level}")
        function.argtypes = (ctypes.c_void_p,)
        assert function(self.base + found.offset) == 0

    def array(self, table: str, name: str) -> np.ndarray:
        place = self._flat.image.tables[table].arguments[name]
        count = math.prod(place.shape)
        first = place.offset // 8
        found = self.words[first : first + count]
        return found.view(np.float64 if place.kind == "f8" else np.int64)

    def advance(self, steps: int) -> None:
        first, left = self.array(ADVANCE, "span.first"), self.array(ADVANCE, "span.steps")
        report = self.array(ADVANCE, "journal.report")
        begun = int(first[0])
        while first[0] < begun + steps:
            left[0] = begun + steps - first[0]
            self.call(ADVANCE)
            assert report[block.WHY] == block.DONE
            assert report[block.MADE] > 0
            first[0] += report[block.MADE]


@pytest.fixture(autouse=True)
def _needs_library() -> None:
    if needed("motion") is None:
        pytest.skip("kernels run as Python here, and an image is for a library of machine code")


@pytest.mark.parametrize(
    ("name", "drives"),
    [
        ("four_bar", ()),
        ("four_bar", ("crank_joint=velocity:3",)),
        ("four_bar", ("crank_joint=velocity:sine(amplitude=2,frequency=0.5)",)),
        ("stewart", ()),
        ("gripper", ()),
        ("worm_hoist", ()),
        ("mecanum", ()),
    ],
)
def test_an_image_moves_as_its_engine_to_the_last_bit(name: str, drives: tuple[str, ...]) -> None:
    """The same machine code on the same numbers: no tolerance."""
    flat = flatten(engine_of(name, *drives), steps=STEPS)
    memory = Memory(flat)
    memory.advance(STEPS)
    engine = engine_of(name, *drives)
    engine.make_steps(STEPS)
    n = len(engine.mechanism.axes)
    row = memory.array(ADVANCE, "journal.row")
    np.testing.assert_array_equal(row[: 1 + 3 * n], np.where(_efforts(n), row[: 1 + 3 * n], engine.row()[: 1 + 3 * n]))
    np.testing.assert_array_equal(row[flat.places.coupling : flat.places.energy + 2],
                                  engine.row()[flat.places.coupling : flat.places.energy + 2])  # fmt: skip
    memory.call(REFRESH)
    memory.call(BODIES)
    np.testing.assert_array_equal(memory.array(BODIES, "poses").reshape(-1, 7), engine.snapshot().body_poses[1:])


def _efforts(axes: int) -> np.ndarray:
    """Columns with what drives give: an image books the impulse with which a motor begins as part of its first step,
    and the engine beside it."""
    return np.arange(1 + 3 * axes) % 3 == 0


def test_a_copy_of_the_memory_is_a_copy_of_the_state() -> None:
    memory = Memory(flatten(engine_of("gripper")))
    memory.advance(50)
    kept = memory.words.copy()
    memory.advance(50)
    first = memory.array(ADVANCE, "journal.row").copy()
    memory.words[:] = kept
    memory.advance(50)
    np.testing.assert_array_equal(memory.array(ADVANCE, "journal.row"), first)


@pytest.mark.parametrize("drives", [(), ("crank_joint=velocity:3",)])
def test_flattening_leaves_the_engine_as_it_was(drives: tuple[str, ...]) -> None:
    one, other = engine_of("four_bar", *drives), engine_of("four_bar", *drives)
    flatten(one)
    one.make_steps(100)
    other.make_steps(100)
    np.testing.assert_array_equal(one.row(), other.row())


def test_what_another_engine_moves_has_no_image() -> None:
    pytest.importorskip("pybullet")
    engine = engine_of("gearbox", solver="gear")
    with pytest.raises(UsageError, match="gear has no compiled steps"):
        flatten(engine)


def test_orders_over_time_end() -> None:
    constant = flatten(engine_of("four_bar", "crank_joint=velocity:3"), steps=20)
    changing = flatten(engine_of("four_bar", "crank_joint=velocity:sine(amplitude=2,frequency=0.5)"), steps=20)
    assert constant.last_step == math.inf
    assert changing.last_step == 20
