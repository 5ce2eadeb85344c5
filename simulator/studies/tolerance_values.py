"""Results of an analysis of tolerances, as values, as text and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from simulator.errors import UsageError
from simulator.records import dataclass
from simulator.studies.plan import Tolerance
from simulator.studies.results import finite, read_beside
from simulator.studies.sensitivity import yield_interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.studies.results import Results

FILE, BEFORE = "_tolerances.json", "tolerances.json"
"""With the name that readers of Parquet skip, and that of before."""
NOTHING = 1e-12
"""Relative change of a measure that counts as round-off."""
CONTRIBUTORS = ("parameter", "tolerance", "sensitivity", "by", "worst case", "variance", "Monte Carlo")


@dataclass(frozen=True)
class WorstCase:
    """The least or greatest `value` of a measure with each parameter at a limit of its tolerance, and the
    `parameters` there, in order. `by_slopes`: whether it is the corner that the signs of the sensitivities give, as
    for a monotone measure; otherwise the search went further from there, and the value is
    the worst one found."""

    value: float
    parameters: tuple[float, ...]
    by_slopes: bool


@dataclass(frozen=True)
class ToleranceOfMeasure:
    """Effect of tolerances on a measure. `nominal`: its value with all parameters nominal, `middle` with all
    in the middle of their tolerances; `slopes` there, by parameter, and `derived`, "exact" or "central difference", of
    each. `least` and `greatest`: worst cases. `mean` and `deviation`: root sum square. `sampled`: mean, deviation,
    least, 0.135 %, 99.865 % and greatest value of the samples. `good` of `count` samples are within `limits`.

    Contributors: `worst_shares` of the sum of |slope| × half of the tolerance, `shares` of the variance by root sum
    square, `sampled_shares` of that of the samples (squared standardised regression coefficients, whose sum is about
    `explained`)."""

    name: str
    nominal: float
    middle: float
    slopes: tuple[float, ...]
    derived: tuple[str, ...]
    least: WorstCase
    greatest: WorstCase
    mean: float
    deviation: float
    sampled: tuple[float, ...]
    limits: tuple[float, float]
    good: int
    count: int
    worst_shares: tuple[float, ...]
    shares: tuple[float, ...]
    sampled_shares: tuple[float, ...]
    explained: float

    @property
    def yielded(self) -> tuple[float, float, float]:
        """Share of the samples within the limits, and the ends of its 95 % confidence interval."""
        return self.good / self.count, *yield_interval(self.good, self.count)

    @property
    def holds(self) -> bool:
        """Whether the worst cases are within the limits."""
        slight = NOTHING * max(abs(self.least.value), abs(self.greatest.value))
        return self.limits[0] - slight <= self.least.value and self.greatest.value <= self.limits[1] + slight


@dataclass(frozen=True, eq=False, repr=False)
class ToleranceAnalysis:
    """`analysis["stroke"]`: effect of `tolerances` on each of the `measures`. `results`: the samples of Monte Carlo."""

    tolerances: tuple[Tolerance, ...]
    units: tuple[str, ...]
    measures: tuple[ToleranceOfMeasure, ...]
    results: Results

    def __getitem__(self, name: str) -> ToleranceOfMeasure:
        """Raises UsageError for a measure that does not exist."""
        for one in self.measures:
            if one.name == name:
                return one
        raise UsageError(f"no measure is named '{name}': there are {', '.join(one.name for one in self.measures)}")

    def __repr__(self) -> str:
        return "\n\n".join(_told(self, one) for one in self.measures)


def method_rows(one: ToleranceOfMeasure) -> list[tuple[str, float, float, str]]:
    """(method, least, greatest, remark)."""
    mean, deviation, _, low, high, _ = one.sampled
    found = all(end.by_slopes for end in (one.least, one.greatest))
    worst = "at the corners by the signs of the sensitivities" if found else "not monotone: the worst one found"
    return [
        ("worst case", one.least.value, one.greatest.value, worst),
        (
            "root sum square",
            one.mean - 3.0 * one.deviation,
            one.mean + 3.0 * one.deviation,
            f"mean {one.mean:.7g}, deviation {one.deviation:.4g}; 3 deviations",
        ),
        ("Monte Carlo", low, high, f"mean {mean:.7g}, deviation {deviation:.4g}; 99.73 % of {one.count} samples"),
    ]


def limit_text(one: ToleranceOfMeasure) -> str:
    """Limits and yield in a sentence; empty without limits."""
    low, high = one.limits
    if not (math.isfinite(low) or math.isfinite(high)):
        return ""
    share, least, most = one.yielded
    interval = f"95 % confidence: {100.0 * least:.3f} to {100.0 * most:.3f} %"
    worst = "within" if one.holds else "beyond"
    return (
        f"limits {low:g} … {high:g}: the worst case is {worst} them; yield {one.good} of {one.count}, "
        f"{100.0 * share:.3f} % ({interval})"
    )


def contributor_rows(
    tolerances: Sequence[Tolerance], units: Sequence[str], one: ToleranceOfMeasure
) -> list[tuple[str, ...]]:
    """(parameter, its tolerance, sensitivity, method, shares), the greatest contributor first."""
    rows = []
    for i in sorted(range(len(tolerances)), key=lambda place: -one.shares[place]):
        zone = tolerances[i]
        slope = one.slopes[i]
        slope = slope if abs(slope) * zone.half > NOTHING * abs(one.middle) else 0.0
        shares = (f"{100.0 * each[i] + 0.0:.1f} %" for each in (one.worst_shares, one.shares, one.sampled_shares))
        rows.append((zone.parameter, zone_text(zone, units[i]), f"{slope:.5g}", one.derived[i], *shares))
    return rows


def zone_text(zone: Tolerance, unit: str) -> str:
    """`0.05 ± 0.0001 m, normal`; both deviations if they differ."""
    around = f"± {zone.plus:g}" if zone.plus == zone.minus else f"{zone.plus:+g}/{-zone.minus:+g}"
    shape = zone.distribution if zone.distribution != "normal" else f"normal, ± {zone.deviations:g} σ"
    return f"{zone.nominal:.7g} {around} {unit}".rstrip() + f", {shape}"


def _told(analysis: ToleranceAnalysis, one: ToleranceOfMeasure) -> str:
    lines = [f"{one.name}: nominal {one.nominal:.7g}"]
    lines += [f"  {name:<15}  {low:.7g} … {high:.7g}  ({why})" for name, low, high, why in method_rows(one)]
    lines += [f"  {limit_text(one)}"] if limit_text(one) else []
    rows = [CONTRIBUTORS, *contributor_rows(analysis.tolerances, analysis.units, one)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(CONTRIBUTORS))]
    lines += ["  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)


def as_table(analysis: ToleranceAnalysis) -> dict[str, Any]:
    """The analysis as JSON: null for values that are not finite."""
    found: dict[str, Any] = finite(
        {
            "tolerances": [asdict(one) for one in analysis.tolerances],
            "units": analysis.units,
            "measures": [asdict(one) for one in analysis.measures],
        }
    )
    return found


def read_tolerances(folder: Path, results: Results) -> ToleranceAnalysis | None:
    """The analysis in a folder beside its results; None if there is none."""
    table = read_beside(folder / FILE) or read_beside(folder / BEFORE)
    if table is None:
        return None
    zones = tuple(Tolerance(**one) for one in table["tolerances"])
    measures = tuple(_of_table(one) for one in table["measures"])
    return ToleranceAnalysis(zones, tuple(table["units"]), measures, results)


def _of_table(one: dict[str, Any]) -> ToleranceOfMeasure:
    values: dict[str, Any] = {key: _numbers(value) for key, value in one.items()}
    for end in ("least", "greatest"):
        values[end] = WorstCase(**{key: _numbers(value) for key, value in one[end].items()})
    low, high = one["limits"]
    values["limits"] = (-math.inf if low is None else low, math.inf if high is None else high)
    return ToleranceOfMeasure(**values)


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_numbers, value))
    return math.nan if value is None else value
