"""What is measured of a run or a sweep: `peak_to_peak(rocker_joint/position) + 2 * final(energy/work)`.

A measure is arithmetic (+ - * / **, parentheses, numbers, abs, sqrt) over reductions of channels. A channel is named as
in `run["rocker_joint/position"]`, a column of a sweep as in `analysis["rocker_joint/effort"]`.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError, closest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def _crossing(values: Array, time: Array, level: float) -> float:
    """First time at which a channel reaches a level, between samples by a straight line; nan where it never does."""
    above = values >= level
    places = np.flatnonzero(above[1:] != above[:-1])
    if len(places) == 0:
        return math.nan
    i = int(places[0])
    part = (level - values[i]) / (values[i + 1] - values[i])
    return float(time[i] + part * (time[i + 1] - time[i]))


def _mean(values: Array, time: Array) -> float:
    """Over time, by trapezia."""
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
"""Of a channel and its times [s] (of a sweep: its positions, 0 to 1)."""
WITH_NUMBER: dict[str, Callable[[Array, Array, float], float]] = {
    "at": lambda values, time, t: float(np.interp(t, time, values)) if time[0] <= t <= time[-1] else math.nan,
    "crossing": _crossing,
}
"""Of a channel, its times and a number: `at(CHANNEL, TIME)`, `crossing(CHANNEL, LEVEL)`."""
FUNCTIONS: dict[str, Callable[[float], float]] = {"abs": abs, "sqrt": math.sqrt}
OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
RELATIONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_CALL = re.compile(r"\b([a-z_]+)\s*\(([^()]*)\)")
_CONSTRAINT = re.compile(r"(.+?)(<=|>=|<|>)([^<>]+)", re.DOTALL)


@dataclass(frozen=True)
class Reduction:
    """One number of a channel; `number`: where `kind` takes one."""

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
    """A name, the text behind it, and the reductions in it, in the order of `$0`, `$1`, … of `expression`."""

    name: str
    text: str
    expression: str
    reductions: tuple[Reduction, ...]

    def of(self, numbers: Mapping[str, float]) -> float:
        """The value, of the numbers of its reductions and of what it names besides; nan where arithmetic has none."""
        try:
            value = _evaluated(ast.parse(self.expression, mode="eval").body, numbers)
        except (ZeroDivisionError, OverflowError, ValueError):
            return math.nan
        return math.nan if isinstance(value, complex) else float(value)


@dataclass(frozen=True)
class Constraint:
    """`left relation right` over measures: `swing <= 0.7`."""

    text: str
    left: Measure
    relation: str
    right: Measure

    def excess(self, measured: Mapping[str, float]) -> float:
        """By how much it is missed; 0 or less where it holds, nan where a side has no value."""
        over = self.left.of(measured) - self.right.of(measured)
        return over if self.relation[0] == "<" else -over

    def holds(self, measured: Mapping[str, float]) -> bool:
        """Whether it does; nothing holds of nan."""
        return bool(RELATIONS[self.relation](self.left.of(measured), self.right.of(measured)))


def parse_measure(name: str, text: str) -> Measure:
    """Raises UsageError, which says what can be written."""
    found: list[Reduction] = []

    def reduced(match: re.Match[str]) -> str:
        kind, inside = match[1], match[2]
        if kind in FUNCTIONS:
            return match[0]
        found.append(_reduction(kind, inside, text))
        return f" r{len(found) - 1}_ "

    expression = _CALL.sub(reduced, text).strip()
    known = {f"r{i}_" for i in range(len(found))}
    _check(expression, text, known)
    if not found:
        raise UsageError(f"'{text}' measures nothing: write e.g. final(crank_joint/position)")
    return Measure(name, text, expression, tuple(found))


def parse_constraint(text: str, names: tuple[str, ...]) -> Constraint:
    """Arithmetic over measures on either side of <=, >=, < or >. Raises UsageError."""
    match = _CONSTRAINT.fullmatch(text)
    if match is None:
        raise UsageError(f"'{text}' is no constraint: write MEASURE <= NUMBER, or >=, <, >")
    left, right = (parse_formula("", side.strip(), names, text) for side in (match[1], match[3]))
    return Constraint(text, left, match[2], right)


def parse_formula(name: str, text: str, names: tuple[str, ...], whole: str = "") -> Measure:
    """Arithmetic over measures. `whole`: what it is a part of. Raises UsageError."""
    _check(text, whole or text, set(names))
    return Measure(name, text, text, ())


def _reduction(kind: str, inside: str, text: str) -> Reduction:
    channel, comma, number = inside.partition(",")
    kinds = (*REDUCTIONS, *WITH_NUMBER)
    if kind not in kinds:
        guess = closest(kind, kinds)
        close = f"; did you mean '{guess}'?" if guess else ""
        raise UsageError(f"'{kind}' in '{text}' is no measure of a channel: there are {', '.join(kinds)}{close}")
    if not channel.strip() or bool(comma) != (kind in WITH_NUMBER):
        what = f"{kind}(CHANNEL, NUMBER)" if kind in WITH_NUMBER else f"{kind}(CHANNEL)"
        raise UsageError(f"'{kind}({inside})' in '{text}': write {what}")
    if not comma:
        return Reduction(kind, channel.strip())
    try:
        return Reduction(kind, channel.strip(), float(number))
    except ValueError:
        raise UsageError(f"'{number.strip()}' in '{text}' is no number") from None


def _check(expression: str, text: str, known: set[str]) -> None:
    """Raise UsageError for what is no arithmetic over these names."""
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        raise UsageError(f"'{text}' is no arithmetic over measures of channels") from None
    for node in ast.walk(tree.body):
        allowed = isinstance(node, ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop | ast.expr_context)
        if isinstance(node, ast.operator | ast.unaryop) and type(node) not in OPERATORS:
            allowed = False
        if isinstance(node, ast.Constant):
            allowed = isinstance(node.value, int | float) and not isinstance(node.value, bool)
        if isinstance(node, ast.Name):
            allowed = node.id in known or node.id in FUNCTIONS
            if not allowed:
                listed = f"; measures are {', '.join(sorted(known))}" if not any(k[-1] == "_" for k in known) else ""
                raise UsageError(f"'{node.id}' in '{text}' is neither a measure nor a number{listed}")
        if isinstance(node, ast.Call):
            allowed = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and len(node.args) == 1
        if not allowed:
            raise UsageError(f"'{text}' is more than arithmetic over measures of channels")


def _evaluated(node: ast.expr, numbers: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]  # `_check` has let numbers through only
    if isinstance(node, ast.Name):
        return numbers[node.id]
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](_evaluated(node.operand, numbers))
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_evaluated(node.left, numbers), _evaluated(node.right, numbers))
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return float(FUNCTIONS[node.func.id](_evaluated(node.args[0], numbers)))
