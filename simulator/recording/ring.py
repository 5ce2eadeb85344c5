"""The ring behind live traces: every row is written twice, so that any window of it is one contiguous slice.

The buffer may be shared between two processes: one writes, the other reads. `count` is raised after the row is written;
a reader keeps a margin from the oldest rows, which the writer may be overwriting while it copies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

HEADER = 2
"""Numbers before the rows: how many rows were ever written, and at which of them the present run began."""
MARGIN = 16
"""One part in this many is kept away from the writer."""


@dataclass(frozen=True)
class RingShape:
    """Capacity in rows and columns of a ring."""

    rows: int
    columns: int

    @property
    def size(self) -> int:
        """Numbers that the ring's buffer needs."""
        return HEADER + 2 * self.rows * self.columns

    @staticmethod
    def within(columns: int, *, wanted: int = 60_000, most_numbers: int = 16_000_000) -> RingShape:
        """As many rows as wanted, fewer where the columns would need more than `most_numbers`."""
        return RingShape(max(1_000, min(wanted, most_numbers // (2 * columns))), columns)


class TraceRing:
    """Rows of channel values over time; column 0 is time."""

    def __init__(self, shape: RingShape, buffer: Array | None = None) -> None:
        self.shape = shape
        flat = np.zeros(shape.size) if buffer is None else buffer
        self._header = flat[:HEADER]
        self._rows = flat[HEADER : shape.size].reshape(2 * shape.rows, shape.columns)

    def clear(self) -> None:
        """Forget what was recorded: a new run begins."""
        self._header[1] = self._header[0]

    def rewind(self, time: float) -> None:
        """Forget rows from `time` [s] on, which the run that goes on from there will write again. Only while nobody
        else writes."""
        count, first = int(self._header[0]), int(self._header[1])
        oldest = max(first, count - self.shape.rows)
        while count > oldest and self._rows[(count - 1) % self.shape.rows, 0] >= time:
            count -= 1
        self._header[:] = count, oldest

    def push(self, row: Array) -> None:
        """Append one row, shape (columns,)."""
        self.extend(row[None])

    def extend(self, rows: Array) -> None:
        """Append rows, shape (n, columns)."""
        size = self.shape.rows
        while len(rows):
            count = int(self._header[0])
            slot = count % size
            fits = rows[: min(size - slot, size // MARGIN)]  # not beyond what a reader keeps away from
            self._rows[slot : slot + len(fits)] = fits
            self._rows[slot + size : slot + size + len(fits)] = fits
            self._header[0] = count + len(fits)
            rows = rows[len(fits) :]

    def span(self) -> tuple[float, float]:
        """Times [s] of the oldest and the newest row that `window` gives; both nan where there is none."""
        rows = self._kept_rows()
        return (float(rows[0, 0]), float(rows[-1, 0])) if len(rows) else (np.nan, np.nan)

    def row_at(self, time: float) -> Array | None:
        """The last row that is not later than `time` [s], shape (columns,), the oldest where all are later; None
        without rows."""
        rows = self._kept_rows()
        place = max(int(np.searchsorted(rows[:, 0], time, side="right")) - 1, 0)
        return rows[place].copy() if len(rows) else None

    def _kept_rows(self) -> Array:
        """The rows that the writer keeps away from, oldest first; not a copy."""
        count, first = int(self._header[0]), int(self._header[1])
        room = self.shape.rows - self.shape.rows // MARGIN
        length = max(min(count - first, room), 0)
        end = count % self.shape.rows + self.shape.rows
        return self._rows[end - length : end]

    def window(self, columns: Sequence[int], since: float = -np.inf) -> tuple[Array, Array]:
        """Times of shape (n,) and values of shape (n, len(columns)) from time `since` [s] on, oldest first; both are
        copies."""
        rows = self._kept_rows()
        start = int(np.searchsorted(rows[:, 0], since)) if np.isfinite(since) else 0
        return rows[start:, 0].copy(), rows[start:][:, list(columns)]
