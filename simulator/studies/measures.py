"""Measures of a run or a sweep: `peak_to_peak(rocker_joint/position) + 2 * final(energy/work)`.

A measure is a formula (`formula`) over reductions of channels. A channel is named as in `run["rocker_joint/position"]`,
a column of a sweep as in `analysis["rocker_joint/effort"]`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UnknownNameError, UsageError, closest
from simulator.records import dataclass
from simulator.studies.formula import FUNCTIONS, Formula, parse_formula

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array


def _crossing(values: Array, time: Array, level: float) -> float:
    """First time at which a channel reaches a level, between samples by a straight line; nan if it never does."""
    above = values >= level
    places = np.flatnonzero(above[1:] != above[:-1])
    if len(places) == 0:
        return math.nan
    i = int(places[0])
    part = (level - values[i]) / (values[i + 1] - values[i])
    return float(time[i] + part * (time[i + 1] - time[i]))


def _count(values: Array, time: Array, level: float) -> float:
    """How often a channel rises to a level; it does so at the start if it begins there."""
    above = values >= level
    return float(np.count_nonzero(above[1:] & ~above[:-1]) + above[0])


def _mean(values: Array, time: Array) -> float:
    """Integral over time, by the trapezoidal rule."""
    span = float(time[-1] - time[0])
    return float(0.5 * (values[1:] + values[:-1]) @ np.diff(time) / span) if span > 0.0 else float(values[0])


REDUCTIONS: dict[str, Callable[[Array, Array], float]] = {
    "initial": lambda values, _: float(values[0]),
    "final": lambda values, _: float(values[-1]),
    "min": lambda values, _: float(values.min()),
    "max": lambda values, _: float(values.max()),
    "mean": _mean,
    "rms": lambda values, time: math.sqrt(_mean(values**2, time)),
    "peak": lambda values, _: float(np.abs(values).max()),
    "peak_to_peak": lambda values, _: float(np.ptp(values)),
}
"""Functions of a channel and its times [s] (for a sweep: its positions, 0 to 1)."""
WITH_NUMBER: dict[str, Callable[[Array, Array, float], float]] = {
    "at": lambda values, time, t: float(np.interp(t, time, values)) if time[0] <= t <= time[-1] else math.nan,
    "crossing": _crossing,
    "count": _count,
}
"""Functions of a channel, its times and a number: `at(CHANNEL, TIME)`, `crossing(CHANNEL, LEVEL)`, `count(CHANNEL,
LEVEL)`."""
ROUNDING = 4.0 * 2.0**-52
"""Largest difference of the sides of a constraint that count as equal, as a part of the larger one."""
RELATIONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_CALL = re.compile(r"\b([a-z_]+)\s*\(([^()]*)\)")
_CONSTRAINT = re.compile(r"(.+?)(<=|>=|<|>)([^<>]+)", re.DOTALL)


@dataclass(frozen=True)
class Reduction:
    """One number of a channel; `number`: the argument, if `kind` takes one."""

    kind: str
    channel: str
    number: float = math.nan

    def of(self, values: Array, time: Array) -> float:
        """The number; `time` ascends."""
        if self.kind in REDUCTIONS:
            return REDUCTIONS[self.kind](values, time)
        return WITH_NUMBER[self.kind](values, time, self.number)


@dataclass(frozen=True)
class Measure:
    """A name, and a formula over the values of reductions, in their order."""

    name: str
    formula: Formula
    reductions: tuple[Reduction, ...]


@dataclass(frozen=True)
class Constraint:
    """`left relation right`, formulas over all measures: `swing <= 0.7`."""

    text: str
    left: Formula
    relation: str
    right: Formula

    def excess(self, measured: Sequence[float]) -> float:
        """Violation; 0 or less if it holds, nan if a side has no value."""
        over = self.left.of(measured) - self.right.of(measured)
        return over if self.relation[0] == "<" else -over

    def holds(self, measured: Sequence[float]) -> bool:
        """Whether it holds; never for nan. Sides that differ by a rounding are equal: an optimum lies at equality,
        to the last digit of either."""
        left, right = self.left.of(measured), self.right.of(measured)
        if math.isclose(left, right, rel_tol=ROUNDING, abs_tol=0.0):
            return self.relation in ("<=", ">=")
        return bool(RELATIONS[self.relation](left, right))


def parse_measure(name: str, text: str) -> Measure:
    """Raises UsageError with what can be written."""
    found: list[Reduction] = []

    def reduced(match: re.Match[str]) -> str:
        kind, inside = match[1], match[2]
        if kind in FUNCTIONS and kind not in REDUCTIONS:
            return match[0]
        found.append(_reduction(kind, inside, text))
        return f" r{len(found) - 1}_ "

    def place(said: str) -> int:
        known = [f"r{i}_" for i in range(len(found))]
        if said not in known:
            told = "is neither a measure of a channel nor a number"
            raise UsageError(f"'{said}' in '{text}' {told}: write e.g. final(crank_joint/position)")
        return known.index(said)

    expression = _CALL.sub(reduced, text).strip()
    formula = parse_formula(expression, place, over="measures of channels", shown=text)
    if not found:
        raise UsageError(f"'{text}' measures nothing: write e.g. final(crank_joint/position)")
    return Measure(name, formula, tuple(found))


def parse_constraint(text: str, names: tuple[str, ...]) -> Constraint:
    """Formulas over measures on either side of <=, >=, < or >. Raises UsageError."""
    match = _CONSTRAINT.fullmatch(text)
    if match is None:
        raise UsageError(f"'{text}' is not a constraint: write MEASURE <= NUMBER, or >=, <, >")
    left, right = (formula_over(side.strip(), names) for side in (match[1], match[3]))
    return Constraint(text, left, match[2], right)


def formula_over(text: str, names: tuple[str, ...]) -> Formula:
    """A formula over measures, whose values are in the order of `names`. Raises UsageError."""

    def place(name: str) -> int:
        if name not in names:
            raise UnknownNameError("measure", name, names)
        return names.index(name)

    return parse_formula(text, place, over="measures")


def _reduction(kind: str, inside: str, text: str) -> Reduction:
    channel, comma, number = inside.partition(",")
    kinds = (*REDUCTIONS, *WITH_NUMBER)
    if kind not in kinds:
        guess = closest(kind, kinds)
        close = f"; did you mean '{guess}'?" if guess else ""
        raise UsageError(f"'{kind}' in '{text}' is not a measure of a channel: there are {', '.join(kinds)}{close}")
    if not channel.strip() or bool(comma) != (kind in WITH_NUMBER):
        what = f"{kind}(CHANNEL, NUMBER)" if kind in WITH_NUMBER else f"{kind}(CHANNEL)"
        raise UsageError(f"'{kind}({inside})' in '{text}': write {what}")
    if not comma:
        return Reduction(kind, channel.strip())
    try:
        return Reduction(kind, channel.strip(), float(number))
    except ValueError:
        raise UsageError(f"'{number.strip()}' in '{text}' is not a number") from None
