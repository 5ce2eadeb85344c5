"""Writes a recording. Numbers are in SI units and the C locale, independent of the window's units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

    from simulator.recording.writing import RowWriter

PIECE = 2000
"""Rows written between two calls of `go_on`."""


@dataclass(frozen=True)
class WrittenRows:
    """How many rows were written, and their first and last time [s]."""

    rows: int
    first: float
    last: float


def write_chunks(
    chunks: Iterable[NDArray[np.float64]],
    file: RowWriter,
    go_on: Callable[[int], bool] = lambda _rows: True,
) -> WrittenRows:
    """Write a recording, and close its file. `go_on` receives the number of rows written so far; writing ends early if
    it returns False.

    Raises UsageError or OSError if the file cannot be written.
    """
    count = 0
    first = 0.0
    last = 0.0
    with file as writer:
        for chunk in chunks:
            for begin in range(0, len(chunk), PIECE):
                rows = chunk[begin : begin + PIECE]
                if not go_on(count):
                    return WrittenRows(count, first, last)
                writer.write_rows(rows)
                first = first if count else float(rows[0, 0])
                count = count + len(rows)
                last = float(rows[-1, 0])
    return WrittenRows(count, first, last)
