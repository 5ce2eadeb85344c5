"""Plans from TOML files and from tables of Python values; errors are UsageErrors with file and line."""

from __future__ import annotations

import csv
import math
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.errors import UsageError, closest
from simulator.formats.files import read_regular
from simulator.studies.aims import Aims, constraints_of
from simulator.studies.measures import Constraint, Measure, parse_constraint, parse_measure
from simulator.studies.plan import SAMPLINGS, SPREADS, Positions, Spread, StudyPlan
from simulator.studies.tables import as_in_file, guess, is_number

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simulator.studies.tables import Table

LARGEST = 10_000_000
"""Bytes of the largest file that is read."""
KEYS = (
    "document", "duration", "dt", "every", "solver", "hold_base", "resource_paths", "seed", "samples", "sampling",
    "parameters", "listing", "correlations", "drives", "initial", "initial_velocity", "positions", "measures", "traces",
    "constraints", "objective", "data", "tolerances", "limits",
)  # fmt: skip
FORMS = (*SPREADS, "values")
ANSWERS = 2000
"""Default of the largest number of samples of an optimisation, and of an analysis of tolerances."""
MOST_TRACED = 10_000
"""Largest number of columns of traces."""


def read_plan(path: Path) -> StudyPlan:
    """The plan of a TOML file. Paths of documents and listings are relative to its folder. Raises UsageError."""
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
    """How a number varies, from a study's entry for a parameter: values, or a distribution. Raises UsageError."""
    found: Spread | tuple[float, ...] = _Reader(owner, [], Path())._parameter(name, value)
    return found


def plan_of(table: Mapping[str, Any]) -> StudyPlan:
    """The plan of a table like that of a TOML file; drives, tuples, arrays and paths of Python stand for what a file
    says in their place. Raises UsageError."""
    return _Reader("study", [], Path()).plan(as_in_file(table))


def plan_from(source: str | os.PathLike[str] | Mapping[str, Any]) -> StudyPlan:
    """The plan of a TOML file or of such a table. Raises UsageError."""
    return read_plan(Path(source)) if isinstance(source, str | os.PathLike) else plan_of(source)


class _Reader(Aims):
    def plan(self, data: Table) -> StudyPlan:
        self._only(data, KEYS, "a study")
        documents = self._documents(data)
        spreads, grids = self._parameters(data)
        observed = self._observed(data)
        tolerances = self._tolerances(data, len(documents))
        measures = self._measures(data)
        names = (*(one.name for one in measures), *(("misfit",) if observed else ()))
        limits = self._limits(data, names)
        positions = self._positions(data)
        objective = self._objective(data, names)
        if objective is not None:
            self._can_be_searched(data, spreads, grids, len(documents))
        self._samples_are_of(data, {*spreads, *(one.parameter for one in tolerances)})
        return StudyPlan(
            documents=documents,
            measures=measures,
            duration=self._duration(data, is_given=positions is not None or observed is not None),
            dt=self._number(data, "dt", None, least=0.0),
            every=self._number(data, "every", None, least=0.0),
            solver=self._choice(data, "solver", ("rows", "reduced", "gear")),
            positions=positions,
            seed=self._whole(data, "seed", 0, least=0),
            samples=self._whole(data, "samples", ANSWERS if objective or tolerances else 1, least=1),
            sampling=self._choice(data, "sampling", SAMPLINGS),
            spreads=tuple(spreads.items()),
            grids=tuple(grids.items()),
            listing=self._listing(data),
            correlations=self._correlations(data, {*spreads, *(one.parameter for one in tolerances)}),
            drives=self._drives(data),
            initial=self._texts(data, "initial"),
            initial_velocity=self._texts(data, "initial_velocity"),
            constraints=(*self._constraints(data, names), *constraints_of(limits, names)),
            hold_base=data.get("hold_base", False) is True,
            resource_paths=tuple(str(self._folder / one) for one in self._list(data, "resource_paths")),
            observed=observed,
            objective=objective,
            tolerances=tolerances,
            limits=limits,
            lines=tuple(self._lines_of(data)) if self._lines else (),
        )

    def _lines_of(self, data: Table) -> Iterator[tuple[str, str]]:
        """Keys, and names in the tables of names, with file and line."""
        for key in data:
            yield key, f"{self._name}:{self._line_of(key, 1)}"
        for key in ("parameters", "tolerances", "drives", "initial", "initial_velocity", "measures"):
            begin = self._line_of(key, 1)
            for name in self._table(data, key) if begin else ():
                yield name, f"{self._name}:{self._line_of(name, begin) or begin}"

    def _samples_are_of(self, data: Table, spread: set[str]) -> None:
        if "samples" in data and not spread:
            told = f"'samples' needs a parameter with {', '.join(SPREADS[:-1])} or {SPREADS[-1]}"
            self._fail("samples", told)

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
        """Random parameters, and those with values."""
        read = {name: self._parameter(name, value) for name, value in self._table(data, "parameters").items()}
        spreads = {name: one for name, one in read.items() if isinstance(one, Spread)}
        return spreads, {name: one for name, one in read.items() if not isinstance(one, Spread)}

    def _parameter(self, name: str, value: Any) -> Spread | tuple[float, ...]:
        if is_number(value):
            return (float(value),)
        if not isinstance(value, dict) or len(value) != 1:
            self._fail(name, f"'{name}' must be a number or one of {{ {' | '.join(FORMS)} = […] }}")
        ((form, numbers),) = value.items()
        if form not in FORMS:
            close = closest(form, FORMS)
            self._fail(name, f"'{name}' has no '{form}'; there are {', '.join(FORMS)}{guess(close)}")
        if not isinstance(numbers, list) or not numbers or not all(map(is_number, numbers)):
            self._fail(name, f"'{form}' of '{name}' must be a list of numbers")
        found = tuple(map(float, numbers))
        if form == "values":
            return found
        if len(found) != 2:
            self._fail(name, f"'{form}' of '{name}' must be two numbers, not {len(found)}")
        a, b = found
        if form in ("uniform", "log", "triangular") and not a < b:
            self._fail(name, f"'{form}' of '{name}' must go from a lower to a higher number, not from {a:g} to {b:g}")
        if form in ("log", "lognormal") and a <= 0.0:
            self._fail(name, f"'{form}' of '{name}' has no logarithm at {a:g}")
        if form in ("normal", "lognormal") and b <= 0.0:
            self._fail(name, f"the standard deviation of '{name}' must be positive, not {b:g}")
        return Spread(form, a, b)

    def _listing(self, data: Table) -> tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]:
        said = data.get("listing")
        if said is None:
            return (), ()
        if not isinstance(said, str):
            self._fail("listing", "'listing' must be the path of a CSV or Parquet file whose columns are parameters")
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
            self._fail("listing", f"'{path}' is not a table of numbers under the names of parameters: {error}")
        if (
            not rows
            or any(len(row) != len(names) for row in rows)
            or not all(math.isfinite(x) for r in rows for x in r)
        ):
            self._fail("listing", f"each row of '{path}' must have a finite number for each of {', '.join(names)}")
        for name in names:
            if name in self._table(data, "parameters"):
                self._fail(name, f"'{name}' is a parameter here and a column of the listing; remove one of the two")
        return names, rows

    def _measures(self, data: Table) -> tuple[Measure, ...]:
        found = []
        for name, text in self._table(data, "measures").items():
            if not name.isidentifier():
                self._fail(name, f"'{name}' cannot name a measure: use letters, digits and _")
            if not isinstance(text, str):
                self._fail(name, f"'{name}' must be a text in quotes, e.g. \"final(crank_joint/position)\"")
            found.append(self._tried(name, parse_measure, name, text))
        traces = self._table(data, "traces")
        self._only(traces, ("channels", "times"), "traces")
        channels = self._list(traces, "channels")
        times = traces.get("times", [])
        if traces and not (channels and isinstance(times, list) and times and all(map(is_number, times))):
            self._fail("traces", 'traces need channels = ["…"] and times = [numbers]')
        if len(channels) * len(times) > MOST_TRACED:
            self._fail("times", f"traces make {len(channels) * len(times)} columns, more than {MOST_TRACED}")
        found += [
            self._tried("channels", parse_measure, f"{channel}@{float(t):g}", f"at({channel}, {float(t)!r})")
            for channel in channels
            for t in times
        ]
        if not found and "data" not in data:
            self._fail("measures", 'nothing is measured: write [measures] and NAME = "final(CHANNEL)" below it')
        return tuple(found)

    def _constraints(self, data: Table, names: tuple[str, ...]) -> tuple[Constraint, ...]:
        texts = self._list(data, "constraints")
        return tuple(self._tried("constraints", parse_constraint, text, names) for text in texts)

    def _duration(self, data: Table, *, is_given: bool) -> float:
        """`is_given`: whether a recording gives the duration."""
        if "duration" not in data and not is_given:
            self._fail("duration", "no duration: write duration = SECONDS, or [positions] for a sweep")
        return float(self._number(data, "duration", 0.0, least=0.0))

    def _positions(self, data: Table) -> Positions | None:
        if "positions" not in data:
            return None
        table = self._table(data, "positions")
        self._only(table, ("moves", "points", "velocity", "acceleration"), "positions")
        moves = []
        for axis, ends in self._table(table, "moves").items():
            if not isinstance(ends, list) or len(ends) != 2 or not all(map(is_number, ends)):
                self._fail("moves", f"'{axis}' must move from a number to a number: {axis} = [0.0, 6.28]")
            moves.append((axis, float(ends[0]), float(ends[1])))
        if not moves:
            self._fail("positions", "nothing moves: write moves = { AXIS = [FROM, TO] }")
        if data.get("duration") is not None:
            self._fail("duration", "[positions] have no time: leave 'duration' out")
        points = self._whole(table, "points", 361, least=2)
        velocity, acceleration = (self._number(table, key, 0.0) for key in ("velocity", "acceleration"))
        return Positions(tuple(moves), points, velocity, acceleration)

    def _correlations(self, data: Table, spread: set[str]) -> tuple[tuple[str, str, float], ...]:
        found = []
        said = data.get("correlations", [])
        for one in said if isinstance(said, list) else [said]:
            if not isinstance(one, list) or len(one) != 3 or not is_number(one[2]) or not -1.0 < one[2] < 1.0:
                self._fail("correlations", 'a correlation must be ["PARAMETER", "PARAMETER", number between -1 and 1]')
            for name in one[:2]:
                if name not in spread:
                    self._fail(
                        "correlations",
                        f"'{name}' is not random, so it cannot be correlated{guess(closest(str(name), spread))}",
                    )
            if one[0] == one[1]:
                self._fail("correlations", f"'{one[0]}' is correlated with itself")
            found.append((one[0], one[1], float(one[2])))
        if found and data.get("sampling") == "saltelli":
            self._fail("correlations", "'saltelli' needs independent parameters: remove the correlations")
        return tuple(found)
