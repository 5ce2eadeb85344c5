"""Formulas of an `.asmt`: motions over time, and tensions over a length and its rate.

Tensions and limits are linear. A motion offset + rate · t is linear, too; any other that OndselSolver can parse is an
expression over time. Numbers may be Smalltalk's (`2.0d`), comments are in quotation marks, `pi` and `time` are names.
"""

from __future__ import annotations

import ast
import math
import re

from simulator.errors import UsageError
from simulator.model.profiles import TIME, Expression
from simulator.records import dataclass

_NUMBER = re.compile(r"(?<=\d)d\b|(?<=\.)d\b")
_COMMENT = re.compile(r'"[^"]*"|<n>')
"""And how a text in one line has the end of a line."""
_OF_ITSELF = re.compile(r"\b(rIJ|vrIJ|time)\b(\(self\))?")
CALLS = {"rIJ": "length", "vrIJ": "rate", "time": "time"}
OVER_TIME = {"time": TIME, "arctan": "atan", "^": "**"}
"""What expressions call by other names."""
_OTHER_NAMES = re.compile(r"\btime\b|\barctan\b|\^")
_SHOWN = 60
"""Characters of a formula that a message quotes."""


class AsmtFormulaError(ValueError):
    """A formula is not one of those that are read."""


@dataclass(frozen=True)
class Linear:
    """A constant, and factors of what it depends on."""

    constant: float = 0.0
    time: float = 0.0
    length: float = 0.0
    rate: float = 0.0

    @property
    def is_number(self) -> bool:
        """Whether it depends on nothing."""
        return (self.time, self.length, self.rate) == (0.0, 0.0, 0.0)

    def times(self, factor: float) -> Linear:
        """All of it that many times."""
        return Linear(self.constant * factor, self.time * factor, self.length * factor, self.rate * factor)

    def plus(self, other: Linear) -> Linear:
        """The sum."""
        return Linear(
            self.constant + other.constant, self.time + other.time, self.length + other.length, self.rate + other.rate
        )


NAMES = {
    "pi": Linear(math.pi), "time": Linear(time=1.0), "length": Linear(length=1.0), "rate": Linear(rate=1.0),
}  # fmt: skip


def read_motion(text: str) -> Linear | Expression:
    """What a motion commands over time. Raises AsmtFormulaError for what cannot be parsed."""
    try:
        return read_formula(text)
    except AsmtFormulaError:
        plain = _NUMBER.sub("", _COMMENT.sub(" ", text)).strip()
        try:
            return Expression(_OTHER_NAMES.sub(lambda found: OVER_TIME[found[0]], plain))
        except UsageError as error:
            raise AsmtFormulaError(str(error)) from error


def read_formula(text: str) -> Linear:
    """Raises AsmtFormulaError for what is not linear."""
    text = _COMMENT.sub(" ", text)
    plain = _OF_ITSELF.sub(lambda found: CALLS.get(found[1], found[1]), _NUMBER.sub("", text))
    try:
        tree = ast.parse(plain.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise AsmtFormulaError(f"'{_shortened(text)}' is not a formula") from error
    return _value(tree.body)


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _value(node: ast.expr) -> Linear:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Linear(float(number))
        case ast.Name(id=name) if name in NAMES:
            return NAMES[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            return _value(operand).times(-1.0 if isinstance(sign, ast.USub) else 1.0)
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(_value(left), op, _value(right))
    raise AsmtFormulaError(f"'{_shortened(ast.unparse(node))}' is not linear")


def _combined(one: Linear, op: ast.operator, other: Linear) -> Linear:
    match op:
        case ast.Add():
            return one.plus(other)
        case ast.Sub():
            return one.plus(other.times(-1.0))
        case ast.Mult() if one.is_number:
            return other.times(one.constant)
        case ast.Mult() if other.is_number:
            return one.times(other.constant)
        case ast.Div() if other.is_number and other.constant:
            return one.times(1.0 / other.constant)
    raise AsmtFormulaError("a product of what varies is not linear")
