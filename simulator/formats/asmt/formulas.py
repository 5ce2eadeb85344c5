"""Formulas of an `.asmt`: motions over time, and tensions over a length and its rate.

A motion is offset + rate · t + amplitude · sin(2π · frequency · t + phase); other formulas are refused. Numbers may be
Smalltalk's (`2.0d`), `pi` and `time` are names.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass

_NUMBER = re.compile(r"(?<=\d)d\b|(?<=\.)d\b")
_OF_ITSELF = re.compile(r"\b(rIJ|vrIJ|time)\b(\(self\))?")
CALLS = {"rIJ": "length", "vrIJ": "rate", "time": "time"}


class AsmtFormulaError(ValueError):
    """A formula is not one of those that are read."""


@dataclass(frozen=True)
class Linear:
    """A constant and factors of what it depends on, and a sine of time: (amplitude, angular frequency, phase)."""

    constant: float = 0.0
    time: float = 0.0
    length: float = 0.0
    rate: float = 0.0
    sine: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def is_number(self) -> bool:
        """Whether it depends on nothing."""
        return (self.time, self.length, self.rate, self.sine[0]) == (0.0, 0.0, 0.0, 0.0)

    def times(self, factor: float) -> Linear:
        """All of it that many times."""
        amplitude, omega, phase = self.sine
        return Linear(
            self.constant * factor,
            self.time * factor,
            self.length * factor,
            self.rate * factor,
            (amplitude * factor, omega, phase),
        )

    def plus(self, other: Linear) -> Linear:
        """The sum. Raises AsmtFormulaError for two sines."""
        if self.sine[0] and other.sine[0]:
            raise AsmtFormulaError("two sines in one formula are not read")
        return Linear(
            self.constant + other.constant,
            self.time + other.time,
            self.length + other.length,
            self.rate + other.rate,
            self.sine if self.sine[0] else other.sine,
        )


NAMES = {
    "pi": Linear(math.pi), "time": Linear(time=1.0), "length": Linear(length=1.0), "rate": Linear(rate=1.0),
}  # fmt: skip


def read_formula(text: str) -> Linear:
    """Raises AsmtFormulaError for what has another form."""
    plain = _OF_ITSELF.sub(lambda found: CALLS.get(found[1], found[1]), _NUMBER.sub("", text))
    try:
        tree = ast.parse(plain.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise AsmtFormulaError(f"'{text}' is not a formula") from error
    return _value(tree.body)


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
        case ast.Call(func=ast.Name(id="sin" | "cos" as name), args=[argument], keywords=[]):
            return _sine(_value(argument), math.pi / 2.0 if name == "cos" else 0.0)
    raise AsmtFormulaError(f"'{ast.unparse(node)}' is not read: a motion is a + b·t + c·sin(d·t + e)")


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
    raise AsmtFormulaError("products of what varies are not read: a motion is a + b·t + c·sin(d·t + e)")


def _sine(argument: Linear, phase: float) -> Linear:
    if argument.length or argument.rate or argument.sine[0]:
        raise AsmtFormulaError("a sine of anything but time is not read")
    if not argument.time:
        return Linear(math.sin(argument.constant + phase))
    return Linear(sine=(1.0, argument.time, argument.constant + phase))
