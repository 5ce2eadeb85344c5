"""A recording read back from the file that `csv_file` writes."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import printable
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.files import read_regular

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array


TIME = "time"
MAX_BYTES = 2**31
"""The largest file that is read: a hundred columns of a million samples."""


def read_recording(path: Path, known: Sequence[Channel]) -> tuple[tuple[Channel, ...], Array]:
    """The channels of a file, of those that are `known`, in its order, and its samples, shape (n, n_channels).

    Raises UsageError with file and line for what is no recording, UnknownNameError for a column that is not known.
    """
    by_name = {printable(channel.name): channel for channel in known}
    numbered = [(number, line) for number, line in enumerate(text_of(path).splitlines(), start=1) if line.strip()]
    names = next(csv.reader([line for _, line in numbered[:1]]), [])
    for name in names:
        if name not in by_name:
            raise UnknownNameError("channel of this simulation", name, by_name)
    if names[:1] != [TIME] or len(set(names)) < len(names):
        raise UsageError(f"'{path}' is no recording: its first column must be '{TIME}', and no column may come twice")
    rows = sample_rows(path, numbered[1:], len(names))
    fallen = np.flatnonzero(np.diff(rows[:, 0]) <= 0.0)
    if len(fallen):
        (before, after) = rows[fallen[0] : fallen[0] + 2, 0]
        (line, _) = numbered[fallen[0] + 2]
        raise UsageError(f"{path}:{line}: the times must rise; {after:g} s comes after {before:g} s")
    return tuple(by_name[name] for name in names), rows


def text_of(path: Path, encoding: str = "utf-8") -> str:
    """All of a text file. Raises UsageError where it cannot be read."""
    try:
        return read_regular(path, MAX_BYTES).decode(encoding)
    except FileNotFoundError:
        raise UsageError(f"there is no file '{path}'") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from None


def sample_rows(path: Path, numbered: Sequence[tuple[int, str]], width: int) -> Array:
    """All samples, shape (n, width), of lines with their numbers, the time first; other numbers may be nan. NumPy
    reads them; only where it cannot, the line is looked for."""
    if not numbered:
        return np.zeros((0, width))
    try:
        rows = np.loadtxt([line for _, line in numbered], delimiter=",", ndmin=2, comments=None)
        if rows.shape[1] == width and np.isfinite(rows[:, 0]).all():
            return rows
    except ValueError:
        pass
    for number, line in numbered:
        cells = line.strip().split(",")
        if len(cells) != width:
            raise UsageError(f"{path}:{number}: this line has {len(cells)} columns, not the {width} of the header")
        for cell in cells:
            if not _is_number(cell):
                raise UsageError(f"{path}:{number}: '{cell}' is not a number")
    raise UsageError(f"'{path}' is no recording: every sample needs a time")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
