"""Plans from TOML files and from tables of Python values; what does not fit is a UsageError with file and line."""

from __future__ import annotations

import csv
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.errors import UsageError, closest
from simulator.formats.files import read_regular
from simulator.studies.measures import Constraint, Measure, parse_constraint, parse_measure
from simulator.studies.plan import SAMPLINGS, Positions, Spread, StudyPlan

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

Table = dict[str, Any]
LARGEST = 10_000_000
"""Bytes of the largest file that is read."""
KEYS = (
    "document", "duration", "dt", "every", "solver", "hold_base", "resource_paths", "seed", "samples", "sampling",
    "parameters", "listing", "correlations", "drives", "initial", "positions", "measures", "traces", "constraints",
)  # fmt: skip
FORMS = ("uniform", "normal", "log", "lognormal", "values")
MOST_TRACED = 10_000
"""Columns that traces may make."""


def read_plan(path: Path) -> StudyPlan:
    """The plan of a TOML file. Documents and listings that are paths are seen from its folder. Raises UsageError."""
    try:
        text = read_regular(path, LARGEST).decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the study cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the study is not UTF-8: {error}") from error
    try:
        data = tomllib.loads(text)
    except ValueError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise UsageError(f"{path}{f':{found[1]}' if found else ''}: this is not TOML: {error}") from error
    return _Reader(str(path), text.split("\n"), path.parent).plan(data)


def spread_of(owner: str, name: str, value: Any) -> Spread | tuple[float, ...]:
    """How a number varies, of what a study says about a parameter: values, or how it is spread. Raises UsageError."""
    found: Spread | tuple[float, ...] = _Reader(owner, [], Path())._parameter(name, value)
    return found


def plan_of(table: Mapping[str, Any]) -> StudyPlan:
    """The plan of a table like that of a TOML file. Raises UsageError."""
    return _Reader("study", [], Path()).plan(dict(table))


class _Reader:
    def __init__(self, name: str, lines: list[str], folder: Path) -> None:
        self._name, self._lines, self._folder = name, lines, folder

    def plan(self, data: Table) -> StudyPlan:
        self._only(data, KEYS, "a study")
        spreads, grids = self._parameters(data)
        measures = self._measures(data)
        positions = self._positions(data)
        duration = self._number(data, "duration", 0.0, least=0.0)
        if positions is None and duration <= 0.0:
            self._fail("duration", "how long is simulated? write duration = SECONDS, or [positions] for a sweep")
        if "samples" in data and not spreads:
            told = "'samples' are of parameters with uniform, normal, log or lognormal; there is none"
            self._fail("samples", told)
        return StudyPlan(
            documents=self._documents(data),
            measures=measures,
            duration=duration,
            dt=self._number(data, "dt", None, least=0.0),
            every=self._number(data, "every", None, least=0.0),
            solver=self._choice(data, "solver", ("rows", "reduced", "gear")),
            positions=positions,
            seed=self._whole(data, "seed", 0, least=0),
            samples=self._whole(data, "samples", 1, least=1),
            sampling=self._choice(data, "sampling", SAMPLINGS),
            spreads=tuple(spreads.items()),
            grids=tuple(grids.items()),
            listing=self._listing(data),
            correlations=self._correlations(data, set(spreads)),
            drives=self._texts(data, "drives"),
            initial=self._texts(data, "initial"),
            constraints=self._constraints(data, tuple(one.name for one in measures)),
            hold_base=data.get("hold_base", False) is True,
            resource_paths=tuple(str(self._folder / one) for one in self._list(data, "resource_paths")),
        )

    # -- its tables ----------------------------------------------------------------------------------------------------

    def _documents(self, data: Table) -> tuple[str, ...]:
        said = data.get("document")
        found: list[Any] = said if isinstance(said, list) else [said]
        if not found or not all(isinstance(one, str) and one for one in found):
            self._fail(
                "document", "which mechanism? write document = 'PATH', the name of an example, or a list of them"
            )
        return tuple(str(self._folder / one) if (self._folder / one).is_file() else one for one in found)

    def _parameters(self, data: Table) -> tuple[dict[str, Spread], dict[str, tuple[float, ...]]]:
        """Parameters that are spread, and those with values."""
        read = {name: self._parameter(name, value) for name, value in self._table(data, "parameters").items()}
        spreads = {name: one for name, one in read.items() if isinstance(one, Spread)}
        return spreads, {name: one for name, one in read.items() if not isinstance(one, Spread)}

    def _parameter(self, name: str, value: Any) -> Spread | tuple[float, ...]:
        if _is_number(value):
            return (float(value),)
        if not isinstance(value, dict) or len(value) != 1:
            self._fail(name, f"'{name}' is a number or one of {{ {' | '.join(FORMS)} = […] }}")
        ((form, numbers),) = value.items()
        if form not in FORMS:
            close = closest(form, FORMS)
            self._fail(name, f"'{name}' has no '{form}'; there are {', '.join(FORMS)}{_guess(close)}")
        if not isinstance(numbers, list) or not numbers or not all(map(_is_number, numbers)):
            self._fail(name, f"'{form}' of '{name}' takes a list of numbers")
        found = tuple(map(float, numbers))
        if form == "values":
            return found
        if len(found) != 2:
            self._fail(name, f"'{form}' of '{name}' takes two numbers, not {len(found)}")
        a, b = found
        if form in ("uniform", "log") and not a < b:
            self._fail(name, f"'{form}' of '{name}' goes from a lower to a higher number, not from {a:g} to {b:g}")
        if form in ("log", "lognormal") and a <= 0.0:
            self._fail(name, f"'{form}' of '{name}' has no logarithm at {a:g}")
        if form in ("normal", "lognormal") and b <= 0.0:
            self._fail(name, f"the standard deviation of '{name}' is positive, not {b:g}")
        return Spread(form, a, b)

    def _listing(self, data: Table) -> tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]:
        said = data.get("listing")
        if said is None:
            return (), ()
        if not isinstance(said, str):
            self._fail("listing", "'listing' is the path of a CSV or Parquet file whose columns are parameters")
        path = self._folder / said
        try:
            if path.suffix == ".parquet":
                from simulator.studies.results import parquet_columns

                names, rows = parquet_columns(path)
            else:
                with path.open(newline="", encoding="utf-8-sig") as file:
                    head, *lines = [line for line in csv.reader(file) if line]
                names = tuple(name.strip() for name in head)
                rows = tuple(tuple(map(float, line)) for line in lines)
        except (OSError, ValueError) as error:
            self._fail("listing", f"'{path}' is no table of numbers under the names of parameters: {error}")
        if (
            not rows
            or any(len(row) != len(names) for row in rows)
            or not all(math.isfinite(x) for r in rows for x in r)
        ):
            self._fail("listing", f"each row of '{path}' has a finite number for each of {', '.join(names)}")
        for name in names:
            if name in self._table(data, "parameters"):
                self._fail(name, f"'{name}' is a parameter here and a column of the listing; it can be one of them")
        return names, rows

    def _measures(self, data: Table) -> tuple[Measure, ...]:
        found = []
        for name, text in self._table(data, "measures").items():
            if not name.isidentifier():
                self._fail(name, f"'{name}' cannot name a measure: letters, digits and _ can")
            if not isinstance(text, str):
                self._fail(name, f"'{name}' is a text in quotes, e.g. \"final(crank_joint/position)\"")
            found.append(self._tried(name, parse_measure, name, text))
        traces = self._table(data, "traces")
        self._only(traces, ("channels", "times"), "traces")
        channels, times = self._list(traces, "channels"), traces.get("times", [])
        if traces and not (channels and isinstance(times, list) and times and all(map(_is_number, times))):
            self._fail("traces", 'traces have channels = ["…"] and times = [numbers]')
        if len(channels) * len(times) > MOST_TRACED:
            self._fail("times", f"traces make {len(channels) * len(times)} columns; at most {MOST_TRACED} fit")
        found += [
            self._tried("channels", parse_measure, f"{channel}@{float(t):g}", f"at({channel}, {float(t)!r})")
            for channel in channels
            for t in times
        ]
        if not found:
            self._fail("measures", 'nothing is measured: write [measures] and NAME = "final(CHANNEL)" below it')
        return tuple(found)

    def _constraints(self, data: Table, names: tuple[str, ...]) -> tuple[Constraint, ...]:
        texts = self._list(data, "constraints")
        return tuple(self._tried("constraints", parse_constraint, text, names) for text in texts)

    def _positions(self, data: Table) -> Positions | None:
        if "positions" not in data:
            return None
        table = self._table(data, "positions")
        self._only(table, ("moves", "points", "velocity", "acceleration"), "positions")
        moves = []
        for axis, ends in self._table(table, "moves").items():
            if not isinstance(ends, list) or len(ends) != 2 or not all(map(_is_number, ends)):
                self._fail("moves", f"'{axis}' moves from a number to a number: {axis} = [0.0, 6.28]")
            moves.append((axis, float(ends[0]), float(ends[1])))
        if not moves:
            self._fail("positions", "what moves? write moves = { AXIS = [FROM, TO] }")
        if data.get("duration") is not None:
            self._fail("duration", "[positions] have no time: leave 'duration' out")
        points = self._whole(table, "points", 361, least=2)
        velocity, acceleration = (self._number(table, key, 0.0) for key in ("velocity", "acceleration"))
        return Positions(tuple(moves), points, velocity, acceleration)

    def _correlations(self, data: Table, spread: set[str]) -> tuple[tuple[str, str, float], ...]:
        found = []
        said = data.get("correlations", [])
        for one in said if isinstance(said, list) else [said]:
            if not isinstance(one, list) or len(one) != 3 or not _is_number(one[2]) or not -1.0 < one[2] < 1.0:
                self._fail("correlations", 'a correlation is ["PARAMETER", "PARAMETER", number between -1 and 1]')
            for name in one[:2]:
                if name not in spread:
                    self._fail(
                        "correlations",
                        f"'{name}' is not spread: correlations tie what is{_guess(closest(str(name), spread))}",
                    )
            if one[0] == one[1]:
                self._fail("correlations", f"'{one[0]}' is correlated with itself")
            found.append((one[0], one[1], float(one[2])))
        if found and data.get("sampling") == "saltelli":
            self._fail("correlations", "Sobol indices are of independent parameters: no correlations with 'saltelli'")
        return tuple(found)

    # -- its values ----------------------------------------------------------------------------------------------------

    def _fail(self, key: str, message: str) -> Any:
        """Raise UsageError, with the line where the key is."""
        pattern = re.compile(rf"^\s*(?:\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[=\]]")
        at = next((i for i, line in enumerate(self._lines, 1) if pattern.match(line)), 0)
        raise UsageError(f"{self._name}{f':{at}' if at else ''}: {message}")

    def _tried(self, key: str, function: Any, *arguments: object) -> Any:
        try:
            return function(*arguments)
        except UsageError as error:
            return self._fail(key, str(error))

    def _only(self, table: Table, known: tuple[str, ...], what: str) -> None:
        for key in table:
            if key not in known:
                self._fail(key, f"{what} has no '{key}'; there are {', '.join(known)}{_guess(closest(key, known))}")

    def _table(self, table: Table, key: str) -> Table:
        value = table.get(key, {})
        if not isinstance(value, dict):
            self._fail(key, f"'{key}' is a table of names and values")
        return dict(value)

    def _list(self, table: Table, key: str) -> list[str]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self._fail(key, f"'{key}' is a list of texts")
        return list(value)

    def _texts(self, table: Table, key: str) -> tuple[tuple[str, str], ...]:
        found = []
        for name, value in self._table(table, key).items():
            if not isinstance(value, str) and not _is_number(value):
                self._fail(name, f"'{name}' of '{key}' is a text in quotes or a number")
            found.append((name, value if isinstance(value, str) else repr(float(value))))
        return tuple(found)

    def _number(self, table: Table, key: str, default: Any, least: float = -math.inf) -> Any:
        value = table.get(key, default)
        if value is default:
            return value
        if not _is_number(value) or not value > least:
            self._fail(key, f"'{key}' is a number{'' if least == -math.inf else f' above {least:g}'}")
        return float(value)

    def _whole(self, table: Table, key: str, default: int, least: int) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self._fail(key, f"'{key}' is a whole number, {least} or more")
        return int(value)

    def _choice(self, table: Table, key: str, known: tuple[str, ...]) -> str:
        value = table.get(key, known[0])
        if value not in known:
            self._fail(key, f"'{key}' is one of {', '.join(known)}, not {value!r}")
        return str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _guess(close: str) -> str:
    return f"; did you mean '{close}'?" if close else ""
