"""Reads the aims of a study: an objective, a recording, tolerances and limits."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from simulator.errors import closest
from simulator.studies.measures import formula_over, parse_constraint
from simulator.studies.observations import Observations, Recording, read_recording
from simulator.studies.plan import METHODS, Objective, Spread, Tolerance
from simulator.studies.tables import Tables, guess, is_number

if TYPE_CHECKING:
    from simulator.studies.measures import Constraint
    from simulator.studies.tables import Table

AIMS = ("minimise", "maximise", "residuals")
EXPERIMENT = ("drives", "initial", "initial_velocity")
"""Keys in which a recording may differ from the study."""
SHAPES = ("normal", "uniform", "triangular")
_FILE = re.compile(r"@([^#,()]+)")


class Aims(Tables):
    """The part of a study's reader that reads its aims."""

    def _objective(self, data: Table, names: tuple[str, ...]) -> Objective | None:
        if "objective" not in data:
            return Objective("least_squares") if "data" in data else None
        table = self._table(data, "objective")
        self._only(table, (*AIMS, "method"), "an objective", "objective")
        said = [aim for aim in AIMS if aim in table]
        if len(said) > 1 or not (said or "data" in data):
            self._fail("objective", f"an objective has one of {', '.join(AIMS)}, over measures")
        is_squares = said in ([], ["residuals"])
        known = METHODS if is_squares else tuple(method for method in METHODS if method != "least_squares")
        method = self._choice(table, "method", ("least_squares", *known) if is_squares else known)
        if is_squares:
            texts = self._list(table, "residuals")
            if said and not texts:
                self._fail("residuals", 'residuals are formulas over measures: ["(swing - 0.8) / 0.01", "end + 0.3"]')
            found = tuple(self._tried("residuals", formula_over, text, names) for text in texts)
            return Objective(method, "; ".join(texts), residuals=found)
        text = table[said[0]]
        if not isinstance(text, str):
            self._fail(said[0], f"'{said[0]}' must be a measure or a formula over measures, in quotes")
        formula = self._tried(said[0], formula_over, text, names)
        return Objective(method, text, formula, 1.0 if said == ["minimise"] else -1.0)

    def _can_be_searched(
        self, data: Table, spreads: dict[str, Spread], grids: dict[str, tuple[float, ...]], documents: int
    ) -> None:
        """Fail if a study with an objective does not bound its parameters."""
        for name, spread in spreads.items():
            if spread.kind not in ("uniform", "log"):
                self._fail(name, f"'{name}' has no bounds: write uniform or log = [least, greatest]")
        for name, values in grids.items():
            if len(values) > 1:
                self._fail(name, f"'{name}' must have bounds or one number, not one of {len(values)}")
        if not spreads:
            self._fail(
                "objective", "nothing can be changed: write [parameters] and NAME = { uniform = [least, greatest] }"
            )
        for key in ("listing", "correlations", "tolerances"):
            if key in data:
                self._fail(key, f"a study with an objective cannot have '{key}'")
        if documents > 1:
            self._fail("document", "a study with an objective must have one document")

    def _observed(self, data: Table) -> Observations | None:
        if "data" not in data:
            return None
        said = data["data"]
        tables = said if isinstance(said, list) and said and all(isinstance(one, dict) for one in said) else None
        if "positions" in data:
            self._fail("positions", "a recording has times: leave [positions] out, and the motion is simulated")
        return Observations(tuple(map(self._recording, tables or [self._table(data, "data")])))

    def _recording(self, table: Table) -> Recording:
        self._only(table, ("file", "channels", "start", "every", *EXPERIMENT), "data", "data")
        if not isinstance(table.get("file"), str):
            self._fail("data", 'which recording? write file = "PATH.csv", whose first column is time [s]')
        channels = [self._channel(name, value) for name, value in self._table(table, "channels").items()]
        if not channels:
            self._fail("data", 'which channels? write [data.channels] and "CHANNEL" = STANDARD_DEVIATION below it')
        start, every = (self._number(table, key, 0.0) for key in ("start", "every"))
        path = self._folder / table["file"]
        given = {"drives": self._drives(table), **{key: self._texts(table, key) for key in EXPERIMENT[1:]}}

        def read() -> Recording:
            return read_recording(path, channels, start=start, every=every, **given)

        found: Recording = self._tried("file", read)
        return found

    def _channel(self, name: str, value: Any) -> tuple[str, str, float]:
        """Channel, column and standard deviation."""
        table = value if isinstance(value, dict) else {"deviation": value}
        self._only(table, ("column", "deviation"), f"'{name}'", name)
        deviation: Any = table.get("deviation")
        column = table.get("column", name)
        if not is_number(deviation) or deviation <= 0.0 or not isinstance(column, str):
            told = f"the standard deviation of '{name}' must be above 0"
            self._fail(name, f'{told}: "{name}" = 0.001, or {{ column = "NAME", deviation = 0.001 }}')
        return name, column, float(deviation)

    def _tolerances(self, data: Table, documents: int) -> tuple[Tolerance, ...]:
        found = []
        for name, value in self._table(data, "tolerances").items():
            if name in self._table(data, "parameters"):
                self._fail(name, f"'{name}' has a tolerance and is a parameter; remove one of the two")
            found.append(self._tolerance(name, value))
        if found and documents > 1:
            self._fail("document", "an analysis of tolerances must have one document")
        if found and data.get("sampling") == "saltelli":
            self._fail("sampling", "the sampling of tolerances must be sobol, latin or random")
        return tuple(found)

    def _tolerance(self, name: str, value: Any) -> Tolerance:
        table = value if isinstance(value, dict) else {"tolerance": value}
        self._only(table, ("tolerance", "nominal", "distribution", "sigmas"), f"the tolerance of '{name}'", name)
        zone: Any = table.get("tolerance")
        low, high = (-zone, zone) if is_number(zone) else zone if isinstance(zone, list) and len(zone) == 2 else (0, 0)
        if not (is_number(low) and is_number(high) and low < high):
            told = (
                f"the tolerance of '{name}' must be a number above 0 or [lower, upper] deviation from the nominal value"
            )
            self._fail(name, f"{told}: 0.0001, [-0.0001, 0.0]", "tolerances")
        nominal = self._number(table, "nominal", None)
        shape = self._choice(table, "distribution", SHAPES)
        sigmas = self._number(table, "sigmas", 3.0, least=0.0)
        return Tolerance(name, 0.0 - float(low), float(high), nominal, shape, sigmas)

    def _limits(self, data: Table, names: tuple[str, ...]) -> tuple[tuple[str, float, float], ...]:
        found = []
        for name, ends in self._table(data, "limits").items():
            if name not in names:
                self._fail(
                    name,
                    f"'{name}' is not a measure; there are {', '.join(names)}{guess(closest(name, names))}",
                    "limits",
                )
            is_pair = isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, int | float) for end in ends)
            if not is_pair or not ends[0] < ends[1]:
                self._fail(name, f"the limits of '{name}' must be [least, greatest]; inf and -inf for none", "limits")
            found.append((name, float(ends[0]), float(ends[1])))
        return tuple(found)

    def _drives(self, data: Table) -> tuple[tuple[str, str], ...]:
        """Paths of the recordings, relative to the study's folder."""

        def placed(match: re.Match[str]) -> str:
            path = self._folder / match[1]
            return f"@{path}" if path.is_file() else match[0]

        return tuple((name, _FILE.sub(placed, text)) for name, text in self._texts(data, "drives"))


def constraints_of(limits: tuple[tuple[str, float, float], ...], names: tuple[str, ...]) -> tuple[Constraint, ...]:
    """Limits of some of the measures `names` as constraints: samples beyond them are not feasible."""
    found = []
    for name, low, high in limits:
        for relation, end in ((">=", low), ("<=", high)):
            if math.isfinite(end):
                said = name if name.isidentifier() else f"'{name}'"
                found.append(parse_constraint(f"{said} {relation} {end!r}", names))
    return tuple(found)
