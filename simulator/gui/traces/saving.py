"""What the plots show as CSV: numbers as they were computed, in SI units, whatever units the screen has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.recording.channels import Channel
from simulator.recording.csv_file import CsvWriter

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class ShownTable(NamedTuple):
    """Name and SI unit of each column, times (n,) [s] and values (n, n_columns); where they are known, what curves are
    called on the screen, and the numbers of their colours (-1: that of text) and dashes."""

    columns: tuple[tuple[str, str], ...]
    times: Array
    values: Array
    labels: tuple[str, ...] = ()
    styles: tuple[tuple[int, int], ...] = ()


def write_table(table: ShownTable, path: Path) -> None:
    """Write the times and the columns, with units in the header. Raises UsageError if the file cannot be written."""
    heads = (("time", "s"), *table.columns)
    channels = [Channel(f"{name} [{unit or '1'}]", "trace", unit) for name, unit in heads]
    with CsvWriter(path, channels) as writer:
        writer.write_rows(np.column_stack((table.times, table.values)))
