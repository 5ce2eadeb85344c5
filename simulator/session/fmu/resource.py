"""The mechanism of an FMU as one block of 8-byte words, which native/build/fmu.c reads."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.flattened import ADVANCE, WATCH
from simulator.model.profiles import Constant
from simulator.physics.layout import row_layout as row_at
from simulator.session.fmu.variables import INPUT, OUTPUT, PARAMETER, WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.engine.engine import Engine
    from simulator.engine.flattened import Flattened
    from simulator.session.fmu.variables import Target, Variable

HEADER = "<8s 28q d"
"""`Header` of fmu.c."""
KINDS = (OUTPUT, INPUT, PARAMETER)
KEPT = {
    "floats": "F", "ints": "N", "lines": "lines.1", "ledger": "journal.ledger",
    "worst": "journal.worst", "stored": "journal.orders.servo_stored", "trend": "journal.orders.trend",
    "tally": "journal.orders.tally",
}  # fmt: skip
"""What steps are made again from: see `physics.step.block.Kept`."""


def resource_of(
    engine: Engine, flat: Flattened, variables: Sequence[Variable], targets: Sequence[Target], token: str
) -> bytes:
    """The content of resources/mechanism.bin; value reference i + 1 is variable i, and 0 is the time."""
    number = {variable.name: i for i, variable in enumerate(variables)}
    names = [variable.name for variable in variables]
    lengths = np.cumsum([0, *(len(name.encode()) + 1 for name in (token, *names))]).tolist()
    content = _Content(struct.calcsize(HEADER))
    image = content.add(flat.image.data)
    addresses = content.add(np.array(flat.image.addresses, dtype=np.int64).tobytes())
    text = content.add("".join(f"{name}\0" for name in (token, *names)).encode())
    listed = content.add(b"".join(
        struct.pack("<3q 3d", KINDS.index(one.causality), one.column, text + place, one.start, one.lower, one.upper)
        for one, place in zip(variables, lengths[1:], strict=False)
    ))  # fmt: skip
    terms = [term for target in targets for term in target.terms]
    firsts = np.cumsum([0, *(len(target.terms) for target in targets)]).tolist()
    given = content.add(b"".join(
        struct.pack("<4q d", KINDS.index(one.causality), one.place, first, len(one.terms), one.base)
        for one, first in zip(targets, firsts, strict=False)
    ))  # fmt: skip
    sums = content.add(b"".join(struct.pack("<q 2d", number[one.variable], one.factor, one.origin) for one in terms))
    undo = _undo(engine, flat)
    put_back = content.add(b"".join(struct.pack("<3q", *one) for one in undo))
    tables = flat.image.tables
    head = struct.pack(
        HEADER, b"SIMFMU1\0", content.size, image, len(flat.image.data), addresses, len(flat.image.addresses),
        listed, len(variables), given, len(targets), sums, put_back, len(undo), text,
        tables[ADVANCE].offset,
        tables[ADVANCE].entry == "advance_touching", tables[WATCH].offset, *_places(engine, flat), engine.dt,
    )  # fmt: skip
    return head + content.bytes()


def _places(engine: Engine, flat: Flattened) -> tuple[int, ...]:
    """Places of numbers in the image, in the order of `Header`."""
    given = flat.image.tables[ADVANCE].arguments
    model = engine.model
    assert model is not None
    trend = given["journal.orders.trend"]
    arrays = [given[name].offset for name in ("journal.row", "journal.report", "span.first", "span.steps", "dt")]
    blocked = given["C"].offset + WORD * row_at.BLOCKED
    ledger = given["journal.ledger"].offset
    of_lines = given["journal.orders.line_axis"].offset
    profiles = (one for load in engine.mechanism.loads.forces for one in (*load.force, *load.moment))
    timed = not all(isinstance(profile, Constant) for profile in profiles)
    count = int(np.prod(trend.shape))
    return (*arrays, trend.offset, count, ledger, blocked, of_lines, flat.places.energy, int(timed))


def _undo(engine: Engine, flat: Flattened) -> list[tuple[int, int, int]]:
    """Place, place of what it held before the steps of the last call, and bytes, of all that the next step needs."""
    given = flat.image.tables[ADVANCE].arguments
    bounded = engine.core.bounded
    assert bounded is not None
    pairs = [(given[place].offset, f"journal.kept.{kept}") for kept, place in KEPT.items()]
    pairs += [
        (given[name.replace("begun", "lasting")].offset, name) for name in given if name.startswith("carried.begun")
    ]
    if "carried.asleep" in given:
        C = given["C"].offset
        asleep = int(row_at.island_column(bounded.buffers[3], row_at.I_ASLEEP))
        pairs += [(C + WORD * asleep, "carried.asleep"), (C + WORD * row_at.LOOSE, "carried.loose")]
    return [(place, given[kept].offset, WORD * int(np.prod(given[kept].shape))) for place, kept in pairs]


class _Content:
    """What follows the header."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._parts: list[bytes] = []

    def add(self, part: bytes) -> int:
        """Append something; returns its place."""
        place = self.size
        padded = part + bytes(-len(part) % WORD)
        self._parts.append(padded)
        self.size += len(padded)
        return place

    def bytes(self) -> bytes:
        """All of it."""
        return b"".join(self._parts)
