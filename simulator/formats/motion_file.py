"""CSV files with motions: a column of times and a column of values, such as a run has written or a spreadsheet
exports."""

from __future__ import annotations

import csv
import math
import re
from typing import TYPE_CHECKING

from simulator.errors import UnknownNameError, UsageError
from simulator.formats.files import read_regular

if TYPE_CHECKING:
    from pathlib import Path

    Rows = list[tuple[int, list[str]]]

TIME = "time"
MAX_BYTES = 32 * 2**20
"""The largest file that is read."""
SEPARATORS = (";", "\t")
"""What separates columns where it is in the first line; commas do elsewhere."""
DECIMAL = re.compile(r"^([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)$")


def read_motion(path: str | Path, column: str = "") -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Times [s] and values [SI] of a CSV file, for a `Table` profile.

    The first line may name the columns. Times are in the column `time`, else in the first one; values in `column`,
    which may be named by its end (`crank_joint/position`), else in the second one. Cells are separated by commas or,
    where the first line has them, by semicolons or tabs; then a comma in a number is a decimal point, as spreadsheets
    write in many languages. Empty lines and lines that start with # are passed over.

    Raises UsageError with file and line for what cannot be read, UnknownNameError for a column that does not exist.
    """
    rows, time_at, value_at, _ = _columns(path, column)
    return _times(path, rows, time_at), _numbers(path, rows, value_at)


def read_curve(path: str | Path, column: str = "") -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """As `read_motion`, with the rates of the values, for a `Spline` profile: those of a column of positions are in the
    column of velocities of the same name (`crank_joint/velocity`); empty where there is none."""
    rows, time_at, value_at, rate_at = _columns(path, column)
    rates = () if rate_at is None else _numbers(path, rows, rate_at)
    return _times(path, rows, time_at), _numbers(path, rows, value_at), rates


def _columns(path: str | Path, column: str) -> tuple[Rows, int, int, int | None]:
    """Rows of numbers, and in which columns times, values and their rates are."""
    rows = _rows(path)
    header = _header(rows)
    if header:
        rows = rows[1:]
    elif column:
        raise UsageError(
            f"'{path}' does not name its columns, so there is no column '{column}'; its first line holds numbers"
        )
    time_at = header.index(TIME) if TIME in header else 0
    value_at = _index(header, column) if column else (1 if time_at == 0 else 0)
    if not rows:
        raise UsageError(f"'{path}' holds no values")
    return rows, time_at, value_at, _rates_of(header, value_at)


def _numbers(path: str | Path, rows: Rows, at: int) -> tuple[float, ...]:
    return tuple(_number(path, line, row, at) for line, row in rows)


def _times(path: str | Path, rows: Rows, at: int) -> tuple[float, ...]:
    times = _numbers(path, rows, at)
    for (line, _), before, after in zip(rows[1:], times, times[1:], strict=False):
        if after <= before:
            raise UsageError(f"{path}:{line}: the times must rise; {after:g} s comes after {before:g} s")
    return times


def _rates_of(header: list[str], value_at: int) -> int | None:
    """Where the velocities of a column of positions are."""
    owner, slash, what = header[value_at].rpartition("/") if value_at < len(header) else ("", "", "")
    rates = f"{owner}/velocity"
    return header.index(rates) if slash and what == "position" and rates in header else None


def _rows(path: str | Path) -> Rows:
    """Line numbers with the cells of lines that hold something."""
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(f"there is no file '{path}'") from error
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from error
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    apart = next((mark for mark in SEPARATORS if mark in first), ",")
    reader = csv.reader(lines, delimiter=apart)
    found = []
    try:
        for row in reader:
            cells = [_cell(cell, apart) for cell in row]
            if any(cells) and not cells[0].startswith("#"):
                found.append((reader.line_num, cells))
    except csv.Error as error:  # a cell of more than 128 kB; on Python 3.10 also a NUL
        raise UsageError(f"{path}:{reader.line_num}: {error}") from error
    return found


def _cell(text: str, separator: str) -> str:
    """A cell; where columns are not separated by commas, one between digits is a decimal point."""
    text = text.strip()
    return text if separator == "," else DECIMAL.sub(r"\1.\2", text)


def _header(rows: Rows) -> list[str]:
    """The names of the columns; none where the first line holds a number."""
    if not rows:
        return []
    cells = rows[0][1]
    return [] if any(_is_number(cell) for cell in cells) else cells


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _index(header: list[str], column: str) -> int:
    exact = [i for i, name in enumerate(header) if name == column]
    tail = [i for i, name in enumerate(header) if name.endswith((f"/{column}", f"::{column}"))]
    found = exact or tail
    if not found:
        raise UnknownNameError("column", column, header)
    if len(found) > 1:
        raise UsageError(f"column '{column}' is ambiguous: {', '.join(header[i] for i in found)}")
    return found[0]


def _number(path: str | Path, line: int, row: list[str], at: int) -> float:
    if at >= len(row):
        raise UsageError(f"{path}:{line}: this line has {len(row)} columns; {at + 1} are needed")
    value = float(row[at]) if _is_number(row[at]) else math.nan
    if not math.isfinite(value):
        apart = (
            "; columns are separated by commas, semicolons or tabs" if len(row) == 1 and len(row[0].split()) > 1 else ""
        )
        raise UsageError(f"{path}:{line}: '{row[at]}' is not a finite number{apart}")
    return value
