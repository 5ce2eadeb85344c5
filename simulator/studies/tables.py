"""Values of TOML tables; errors are UsageErrors with file and line."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.engine.drives import Drive
from simulator.errors import UsageError, closest
from simulator.session.text.drive_text import format_drive

if TYPE_CHECKING:
    from pathlib import Path

Table = dict[str, Any]


class Tables:
    """Source of a study: its name, its lines, and the folder that its paths are relative to."""

    def __init__(self, name: str, lines: list[str], folder: Path) -> None:
        self._name = name
        self._lines = lines
        self._folder = folder

    def _fail(self, key: str, message: str, inside: str = "") -> Any:
        """Raise UsageError, with the line of the key; `inside`: from the table or key of that name on."""
        begin = self._line_of(inside, 1) if inside else 1
        at = self._line_of(key, max(begin, 1)) or begin * bool(inside)
        raise UsageError(f"{self._name}{f':{at}' if at else ''}: {message}")

    def _line_of(self, key: str, begin: int) -> int:
        """The first line of a key or table; 0 if there is none."""
        pattern = re.compile(rf"^\s*(?:\[{{1,2}}\s*(?:\w+\.)*)?[\"']?{re.escape(key)}[\"']?\s*[=\]]")
        lines = enumerate(self._lines[begin - 1 :], begin)
        return next((i for i, line in lines if pattern.match(line)), 0)

    def _tried(self, key: str, function: Any, *arguments: object) -> Any:
        try:
            return function(*arguments)
        except UsageError as error:
            return self._fail(key, str(error))

    def _only(self, table: Table, known: tuple[str, ...], what: str, inside: str = "") -> None:
        for key in table:
            if key not in known:
                told = f"{what} has no '{key}'; there are {', '.join(known)}{guess(closest(key, known))}"
                self._fail(key, told, inside)

    def _table(self, table: Table, key: str) -> Table:
        value = table.get(key, {})
        if not isinstance(value, dict):
            self._fail(key, f"'{key}' must be a table of names and values")
        return dict(value)

    def _list(self, table: Table, key: str) -> list[str]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self._fail(key, f"'{key}' must be a list of texts")
        return list(value)

    def _texts(self, table: Table, key: str) -> tuple[tuple[str, str], ...]:
        found = []
        for name, value in self._table(table, key).items():
            if not isinstance(value, str) and not is_number(value):
                self._fail(name, f"'{name}' of '{key}' must be a text in quotes or a number")
            found.append((name, value if isinstance(value, str) else repr(float(value))))
        return tuple(found)

    def _number(self, table: Table, key: str, default: Any, least: float = -math.inf) -> Any:
        value = table.get(key, default)
        if value is default:
            return value
        if not is_number(value) or not value > least:
            self._fail(key, f"'{key}' must be a number{'' if least == -math.inf else f' above {least:g}'}")
        return float(value)

    def _whole(self, table: Table, key: str, default: int, least: int) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self._fail(key, f"'{key}' must be a whole number, {least} or more")
        return int(value)

    def _choice(self, table: Table, key: str, known: tuple[str, ...]) -> str:
        value = table.get(key, known[0])
        if value not in known:
            self._fail(key, f"'{key}' must be one of {', '.join(known)}, not {value!r}")
        return str(value)


def as_in_file(value: Any) -> Any:
    """Values of Python as a TOML file has them. Raises UsageError for a drive that no text says."""
    if isinstance(value, Mapping):
        return {key: as_in_file(one) for key, one in value.items()}
    if isinstance(value, list | tuple | range):
        return [as_in_file(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Drive):
        text = format_drive(value)
        if "<" in text:
            raise UsageError(f"no text says the drive {text}, and a study keeps texts: read its profile from a file")
        return text
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def is_number(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def guess(close: str) -> str:
    """A question after a name that does not exist."""
    return f"; did you mean '{close}'?" if close else ""
