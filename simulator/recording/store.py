"""The rows of a whole session, in blocks, within a budget of memory.

One process writes, others read the same memory. Where all blocks are in use, the oldest ones are thinned: two
neighbours become one that has every second row of both, so that what is old is coarser and nothing has a gap. The
newest quarter of the blocks keeps every row as long as there is anything older to thin.

The memory holds a sequence number, odd while blocks are rearranged (a reader that met an odd or changed number reads
again); the number of blocks in use; how often rows were forgotten, and from which time on the last time; for each block
in the order of time the slot, the number of its rows, how often it was thinned and the time of its first row; and the
slots. Rows are appended without a change of the sequence: their number is raised after they are written.
"""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simulator.spatial.arrays import Array


T = TypeVar("T")

SEQUENCE, USED, REWINDS, REWOUND = range(4)
SLOT, COUNT, LEVEL, FIRST = range(4)
"""Columns of the index: slot, rows, how often thinned, time of the first row [s]."""
HEADER, OF_BLOCK = 4, 4
BLOCK = 1 << 20
"""Bytes of a block, about."""
FEWEST = 16
"""Blocks of a store at least."""
KEPT = 0.75
"""The older part of the blocks, which is thinned first."""
TRIES = 200


@dataclass(frozen=True)
class StoreShape:
    """Columns of a row, rows of a block, and the number of blocks."""

    columns: int
    rows: int
    blocks: int

    @property
    def size(self) -> int:
        """Numbers that the memory of the store has."""
        return self.start + self.blocks * self.block

    @property
    def start(self) -> int:
        """Numbers before the first slot."""
        return HEADER + OF_BLOCK * self.blocks

    @property
    def block(self) -> int:
        """Numbers of a slot."""
        return self.rows * self.columns

    @staticmethod
    def within(columns: int, budget: int) -> StoreShape:
        """As many blocks as fit into so many bytes, smaller ones where these would be few."""
        row = 8 * columns
        # An even number: two thinned blocks, every second row of each, fit into one.
        rows = 2 * max(1, min(BLOCK, budget // FEWEST) // (2 * row))
        return StoreShape(columns, rows, max(FEWEST, budget // (row * rows)))


class RowStore:
    """Rows of channel values over time; column 0 is time [s]."""

    def __init__(
        self, shape: StoreShape, memory: Array | None = None, reserve: Callable[[int], bool] = lambda _: True
    ) -> None:
        """`memory` (`shape.size`,), zero at first, where others have it, too. `reserve` is called with a slot before it
        is written for the first time; False: there is no room for it."""
        self.shape = shape
        flat = np.zeros(shape.size) if memory is None else np.asarray(memory)  # of a file mapped, a part takes longer
        self._header, self._index = flat[:HEADER], flat[HEADER : shape.start].reshape(shape.blocks, OF_BLOCK)
        self._slots = flat[shape.start : shape.size].reshape(shape.blocks, shape.rows, shape.columns)
        self._reserve, self._reserved = reserve, set[int]()
        self._free = [slot for slot in range(shape.blocks)[::-1] if slot not in set(self._table(SLOT).tolist())]

    # -- the writer ----------------------------------------------------------------------------------------------------

    def extend(self, rows: Array) -> None:
        """Append rows, shape (n, columns)."""
        while len(rows):
            last = int(self._header[USED]) - 1
            if last < 0 or self._index[last, COUNT] >= self.shape.rows or self._index[last, LEVEL] > 0:
                self._open_block()
                continue
            count = int(self._index[last, COUNT])
            fits = rows[: self.shape.rows - count]
            self._slots[int(self._index[last, SLOT]), count : count + len(fits)] = fits
            if count == 0:
                self._index[last, FIRST] = fits[0, 0]
            self._index[last, COUNT] = count + len(fits)
            rows = rows[len(fits) :]

    def clear(self) -> None:
        """Forget all rows: a new run begins."""
        self.rewind(-np.inf)

    def rewind(self, time: float) -> None:
        """Forget rows from `time` [s] on, which the run that continues from there will write again."""
        self._header[SEQUENCE] += 1.0
        self._header[REWINDS] = self._header[REWINDS] + 1.0
        self._header[REWOUND] = time
        while used := int(self._header[USED]):
            slot, count = int(self._index[used - 1, SLOT]), int(self._index[used - 1, COUNT])
            left = int(np.searchsorted(self._slots[slot, :count, 0], time))
            if left:
                self._index[used - 1, COUNT] = left
                break
            self._free.append(slot)
            self._header[USED] = used - 1
        self._header[SEQUENCE] += 1.0

    def mend(self) -> None:
        """After a writer died, perhaps while it rearranged blocks: readers may read again."""
        if self._header[SEQUENCE] % 2.0:
            self._header[SEQUENCE] += 1.0

    def _open_block(self) -> None:
        slot = self._free.pop() if self._free else -1
        if slot >= 0 and slot not in self._reserved:
            if self._reserve(slot):
                self._reserved.add(slot)
            else:
                slot = -1
                self._free.clear()  # no more room than there is
        if slot < 0:
            slot = self._thin()
        used = int(self._header[USED])
        self._index[used] = slot, 0.0, 0.0, np.nan
        self._header[USED] = used + 1

    def _thin(self) -> int:
        """Make one block of two; returns the slot that is free then."""
        used = int(self._header[USED])
        level = self._table(LEVEL)
        pairs = [i for i in range(used - 1) if level[i] == level[i + 1]]
        old = [i for i in pairs if i + 1 < KEPT * used] or pairs
        # Of one level the older pair, so that levels fall from the old to the new; without pairs the two oldest.
        place = min(old, key=lambda i: (level[i], i), default=0)
        slots, counts = self._table(SLOT).astype(int), self._table(COUNT).astype(int)
        first, second = (self._slots[slots[i], : counts[i]] for i in (place, place + 1))
        step = 2 ** (1 + int(level[place] - level[place + 1]))
        kept = np.concatenate((first[::2], second[::step]))[: self.shape.rows]
        self._header[SEQUENCE] += 1.0
        self._slots[slots[place], : len(kept)] = kept
        self._index[place, [COUNT, LEVEL]] = len(kept), level[place] + 1.0
        self._index[place + 1 : used - 1] = self._index[place + 2 : used].copy()
        self._header[USED] = used - 1
        self._header[SEQUENCE] += 1.0
        return int(slots[place + 1])

    # -- readers -------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return int(self._table(COUNT).sum())

    @property
    def rewound(self) -> tuple[int, float]:
        """How often rows were forgotten, and from which time [s] on the last time."""
        return int(self._header[REWINDS]), float(self._header[REWOUND])

    @property
    def whole_since(self) -> float:
        """Time [s] from which on every row is there; -inf where nothing was thinned."""
        level, first = self._table(LEVEL), self._table(FIRST)
        thinned = np.flatnonzero(level)
        if not len(thinned):
            return -np.inf
        return float(first[thinned[-1] + 1]) if thinned[-1] + 1 < len(first) else np.inf

    @property
    def coarsest(self) -> int:
        """Of how many rows one is left where it is fewest."""
        level = int(self._table(LEVEL).max(initial=0.0))
        return 1 << level

    def span(self) -> tuple[float, float]:
        """Times [s] of the oldest and the newest row; both nan where there is none."""

        def read() -> tuple[float, float]:
            blocks = self._blocks()
            return (float(blocks[0][0, 0]), float(blocks[-1][-1, 0])) if blocks else (np.nan, np.nan)

        return self._consistent(read)

    def row_at(self, time: float) -> Array | None:
        """The last row that is not later than `time` [s], shape (columns,), the oldest where all are later; None
        without rows."""

        def read() -> Array | None:
            blocks = self._blocks()
            if not blocks:
                return None
            firsts = [block[0, 0] for block in blocks]
            block = blocks[max(int(np.searchsorted(firsts, time, side="right")) - 1, 0)]
            row: Array = block[max(int(np.searchsorted(block[:, 0], time, side="right")) - 1, 0)].copy()
            return row

        return self._consistent(read)

    def window(self, columns: Sequence[int], since: float = -np.inf, most: int | None = None) -> tuple[Array, Array]:
        """Times of shape (n,) and values of shape (n, len(columns)) from time `since` [s] on, oldest first; both are
        copies. Of more than `most` rows every second, third, … one."""

        def read() -> Array:
            blocks = self._blocks()
            before = 0
            counts = [len(block) for block in blocks]
            starts = [int(np.searchsorted(block[:, 0], since)) for block in blocks]
            total = sum(counts) - sum(starts)
            stride = 1 if most is None else max(1, -(-total // most))
            found = [np.zeros((0, 1 + len(columns)))]
            for block, count, begin in zip(blocks, counts, starts, strict=True):
                if begin < count:
                    # Counted from the oldest row of all: the choice of rows does not change as time passes.
                    first = begin + (-(before + begin)) % stride
                    found.append(block[first::stride][:, [0, *columns]])
                before += count
            return np.concatenate(found)

        rows = self._consistent(read)
        return rows[:, 0].copy(), rows[:, 1:]

    def chunks(self, since: float = -np.inf) -> Iterator[Array]:
        """All rows after `since` [s], a block at a time, oldest first, copies; what is thinned meanwhile is taken as it
        is found."""
        while True:

            def read(after: float = since) -> Array:
                for block in self._blocks():
                    if block[-1, 0] > after:
                        rows: Array = block[int(np.searchsorted(block[:, 0], after, side="right")) :].copy()
                        return rows
                return np.zeros((0, self.shape.columns))

            rows = self._consistent(read)
            if not len(rows):
                return
            yield rows
            since = float(rows[-1, 0])

    def _table(self, column: int) -> Array:
        """A column of the index."""
        found: Array = self._index[: int(self._header[USED]), column].copy()
        return found

    def _blocks(self) -> list[Array]:
        """The rows of all blocks that have some, not copies."""
        slots, counts = self._table(SLOT).astype(int).tolist(), self._table(COUNT).astype(int).tolist()
        return [self._slots[slot, :count] for slot, count in zip(slots, counts, strict=False) if count]

    def _consistent(self, read: Callable[[], T]) -> T:
        """What `read` finds while no block is rearranged."""
        for _ in range(TRIES):
            before = float(self._header[SEQUENCE])
            if before % 2.0 == 0.0:
                found = read()
                if float(self._header[SEQUENCE]) == before:
                    return found
            clock.sleep(1e-4)
        return read()
