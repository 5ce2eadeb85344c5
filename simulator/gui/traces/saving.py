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
    """Name and SI unit of each column, times (n,) [s] and values (n, n_columns)."""

    columns: tuple[tuple[str, str], ...]
    times: Array
    values: Array


def write_table(table: ShownTable, path: Path) -> None:
    """Write the times and the columns, with units in the header. Raises UsageError if the file cannot be written."""
    heads = (("time", "s"), *table.columns)
    channels = [Channel(f"{name} [{unit or '1'}]", "trace", unit) for name, unit in heads]
    with CsvWriter(path, channels) as writer:
        writer.write_rows(np.column_stack((table.times, table.values)))
