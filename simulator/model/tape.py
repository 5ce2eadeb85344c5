"""A formula as a tape: instructions one after the other, each of values that come before it.

A tape is data, so that a kernel evaluates any formula with its derivatives and nothing is compiled when a document is
opened. `dynamics` has that kernel; `Tape.expand` is the same over arrays, for everything beside the step.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.model.curves import CubicCurve
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Numeric = NDArray[Any]

(
    NUMBER, VARIABLE, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, ATAN2, MODULO, INTEGER_POWER, CURVE, CHOOSE, NEAREST_TURN,
    NEGATE, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, SQRT, ABS,
) = range(27)  # fmt: skip
"""Instructions. NUMBER a: the a-th number; VARIABLE a; of two values a and b: ADD to MODULO; INTEGER_POWER: a to the
power of the integer b; CURVE: the b-th curve at a; CHOOSE: b where a is 0 or more, else c; NEAREST_TURN: a less whole
turns, between -π and π; of one value a: the others."""
TWO_VALUES = range(ADD, MODULO + 1)

Instruction = tuple[int, int, int, int]


class Expansion(NamedTuple):
    """A formula φ along a motion: `value` (…), `gradient` ∂φ/∂q (…, n), `rate` ∂φ/∂q · v and `curve` = ∂φ/∂q · a +
    vᵀ ∂²φ/∂q² v (…)."""

    value: Numeric
    gradient: Numeric
    rate: Numeric
    curve: Numeric


@dataclass(frozen=True)
class Tape:
    """Instructions (operation, a, b, c), where a, b and c are places on the tape but for NUMBER, VARIABLE,
    INTEGER_POWER and CURVE; the last one is the result."""

    code: tuple[Instruction, ...]
    numbers: tuple[float, ...] = ()
    curves: tuple[CubicCurve, ...] = ()
    variables: int = 1

    def value(self, q: Sequence[float] | Numeric) -> float:
        """At the values q of the variables, shape (n,); nan where there is none."""
        return float(self.expand(np.asarray(q, dtype=float)).value)

    def gradient(self, q: Sequence[float] | Numeric) -> Numeric:
        """∂φ/∂q at q, shape (…, n)."""
        return self.expand(np.asarray(q, dtype=float)).gradient

    def expand(self, q: Numeric, v: Numeric | None = None, a: Numeric | None = None) -> Expansion:
        """At values q (…, n), with their velocities and accelerations; analytic where q, v and a are complex."""
        v = np.zeros_like(q) if v is None else v
        a = np.zeros_like(q) if a is None else a
        with np.errstate(all="ignore"):
            return _expand(self, q, v, a)

    def uses(self, operation: int) -> bool:
        """Whether an instruction of that kind is on the tape."""
        return any(instruction[0] == operation for instruction in self.code)

    def behind(self, turning: bool) -> Tape:
        """q0 - f(q1) of this f(q0). `turning`: less whole turns, where f is an angle that atan2 gives."""
        shifted = tuple(
            (op, a + 1, b, c) if op == VARIABLE else (op, *_moved(op, a, b, c)) for op, a, b, c in self.code
        )
        code = ((VARIABLE, 0, 0, 0), *shifted)
        code = (*code, (SUBTRACT, 0, len(code) - 1, 0))
        if turning and self.uses(ATAN2):
            code = (*code, (NEAREST_TURN, len(code) - 1, 0, 0))
        return replace(self, code=code, variables=2)


def _moved(op: int, a: int, b: int, c: int) -> tuple[int, int, int]:
    """Places one further on."""
    if op == NUMBER:
        return a, b, c
    if op in (INTEGER_POWER, CURVE):
        return a + 1, b, c
    return a + 1, b + 1, c + 1


class _Dual(NamedTuple):
    """A value, its slopes by all variables, and its first and second derivative along the motion."""

    value: Numeric
    slopes: list[Any]
    rate: Numeric
    curve: Numeric


def _expand(tape: Tape, q: Numeric, v: Numeric, a: Numeric) -> Expansion:
    n = tape.variables
    nothing = np.zeros_like(q[..., 0])
    found: list[_Dual] = []
    for op, one, two, three in tape.code:
        if op == NUMBER:
            found.append(_Dual(nothing + tape.numbers[one], [0.0] * n, nothing, nothing))
        elif op == VARIABLE:
            unit = [1.0 if k == one else 0.0 for k in range(n)]
            found.append(_Dual(q[..., one], unit, v[..., one], a[..., one]))
        elif op in TWO_VALUES:
            found.append(_of_two(op, found[one], found[two]))
        elif op == CHOOSE:
            found.append(_chosen(found[one], found[two], found[three]))
        else:
            found.append(_of_one(_one_value(op, two, tape)(found[one].value), found[one]))
    last = found[-1]
    gradient = np.stack([nothing + slope for slope in last.slopes], axis=-1) if n else np.zeros((*nothing.shape, 0))
    return Expansion(last.value + nothing, gradient, last.rate + nothing, last.curve + nothing)


def _of_one(slopes: tuple[Any, Any, Any], x: _Dual) -> _Dual:
    """f(x) with f, f' and f''."""
    f, f1, f2 = slopes
    return _Dual(f, [_product(f1, s) for s in x.slopes], f1 * x.rate, f1 * x.curve + f2 * x.rate**2)


def _of_two(op: int, x: _Dual, y: _Dual) -> _Dual:
    f, fx, fy, fxx, fxy, fyy = TWO[op](x.value, y.value)
    slopes = [_product(fx, s) + _product(fy, t) for s, t in zip(x.slopes, y.slopes, strict=True)]
    bend = fxx * x.rate**2 + 2.0 * fxy * x.rate * y.rate + fyy * y.rate**2
    return _Dual(f, slopes, _product(fx, x.rate) + _product(fy, y.rate), bend + fx * x.curve + fy * y.curve)


def _product(slope: Any, inner: Any) -> Any:
    """Chain rule; what does not depend on a variable has no slope, whatever the other factor is."""
    return 0.0 if isinstance(inner, float) and inner == 0.0 else slope * inner


def _chosen(condition: _Dual, yes: _Dual, no: _Dual) -> _Dual:
    holds = np.real(condition.value) >= 0.0
    slopes = [np.where(holds, s, t) for s, t in zip(yes.slopes, no.slopes, strict=True)]
    return _Dual(
        np.where(holds, yes.value, no.value),
        slopes,
        np.where(holds, yes.rate, no.rate),
        np.where(holds, yes.curve, no.curve),
    )


# -- operations, with first and second derivatives ---------------------------------------------------------------------


def _one_value(op: int, parameter: int, tape: Tape) -> Callable[[Any], tuple[Any, Any, Any]]:
    if op == CURVE:
        return lambda x: _along(tape.curves[parameter], x)
    if op == INTEGER_POWER:
        return lambda x: _integer_power(x, parameter)
    return ONE[op]


def _along(curve: CubicCurve, x: Any) -> tuple[Any, Any, Any]:
    turns = np.floor((np.real(x) - curve.knots[0]) / curve.period) if curve.period else 0.0 * np.real(x)
    x = x - turns * curve.period
    piece = np.searchsorted(curve.knots, np.real(x), side="right")
    s = x - np.array(curve.knots)[np.maximum(piece - 1, 0)]
    c0, c1, c2, c3 = np.moveaxis(np.array(curve.pieces)[piece], -1, 0)
    value = c0 + s * (c1 + s * (c2 + s * c3)) + turns * curve.advance
    return value, c1 + s * (2.0 * c2 + s * 3.0 * c3), 2.0 * c2 + 6.0 * s * c3


def _integer_power(x: Any, n: int) -> tuple[Any, Any, Any]:
    # A power of zero or one has no slope that a negative power of 0 could spoil.
    first = n * x ** float(n - 1) if n != 0 else 0.0 * x
    second = n * (n - 1) * x ** float(n - 2) if n not in (0, 1) else 0.0 * x
    return x ** float(n), first, second


def _tangent(x: Any) -> tuple[Any, Any, Any]:
    t = np.tan(x)
    return t, 1.0 + t * t, 2.0 * t * (1.0 + t * t)


def _arc(x: Any, value: Any, sign: float) -> tuple[Any, Any, Any]:
    left = 1.0 - x * x
    return value, sign / np.sqrt(left), sign * x / (left * np.sqrt(left))


def _arctangent(x: Any) -> tuple[Any, Any, Any]:
    f1 = 1.0 / (1.0 + x * x)
    return np.arctan(x), f1, -2.0 * x * f1 * f1


def _hyperbolic_tangent(x: Any) -> tuple[Any, Any, Any]:
    t = np.tanh(x)
    return t, 1.0 - t * t, -2.0 * t * (1.0 - t * t)


def _root(x: Any) -> tuple[Any, Any, Any]:
    r = np.sqrt(x)
    return r, 0.5 / r, -0.25 / (r * x)


def _size(x: Any) -> tuple[Any, Any, Any]:
    sign = np.where(np.real(x) < 0.0, -1.0, 1.0)
    return sign * x, sign, 0.0 * sign


def _turn(x: Any) -> tuple[Any, Any, Any]:
    return x - 2.0 * math.pi * np.round(np.real(x) / (2.0 * math.pi)), 1.0 + 0.0 * x, 0.0 * x


ONE: dict[int, Callable[[Any], tuple[Any, Any, Any]]] = {
    NEGATE: lambda x: (-x, -1.0 + 0.0 * x, 0.0 * x),
    SIN: lambda x: (np.sin(x), np.cos(x), -np.sin(x)),
    COS: lambda x: (np.cos(x), -np.sin(x), -np.cos(x)),
    TAN: _tangent,
    ASIN: lambda x: _arc(x, np.arcsin(x), 1.0),
    ACOS: lambda x: _arc(x, np.arccos(x), -1.0),
    ATAN: _arctangent,
    SINH: lambda x: (np.sinh(x), np.cosh(x), np.sinh(x)),
    COSH: lambda x: (np.cosh(x), np.sinh(x), np.cosh(x)),
    TANH: _hyperbolic_tangent,
    EXP: lambda x: (np.exp(x), np.exp(x), np.exp(x)),
    LOG: lambda x: (np.log(x), 1.0 / x, -1.0 / (x * x)),
    SQRT: _root,
    ABS: _size,
    NEAREST_TURN: _turn,
}
"""f, f' and f'' of operations of one value."""


def _quotient(x: Any, y: Any) -> tuple[Any, ...]:
    return x / y, 1.0 / y, -x / y**2, 0.0 * y, -1.0 / y**2, 2.0 * x / y**3


def _power(x: Any, y: Any) -> tuple[Any, ...]:
    f = x**y
    log = np.log(x)
    return f, y * f / x, f * log, y * (y - 1.0) * f / (x * x), (1.0 + y * log) * f / x, f * log * log


def _angle(y: Any, x: Any) -> tuple[Any, ...]:
    """atan2(y, x); analytic, with the derivative of the angle as its imaginary part."""
    r = x * x + y * y
    value = np.arctan2(np.real(y), np.real(x))
    if np.iscomplexobj(x) or np.iscomplexobj(y):
        real = np.real(x) ** 2 + np.real(y) ** 2
        value = value + 1j * (np.real(x) * np.imag(y) - np.real(y) * np.imag(x)) / real
    return value, x / r, -y / r, -2.0 * x * y / r**2, (y * y - x * x) / r**2, 2.0 * x * y / r**2


def _modulo(x: Any, y: Any) -> tuple[Any, ...]:
    turns = np.floor(np.real(x) / np.real(y))
    return x - turns * y, 1.0 + 0.0 * x, -turns, 0.0 * x, 0.0 * x, 0.0 * x


TWO: dict[int, Callable[[Any, Any], tuple[Any, ...]]] = {
    ADD: lambda x, y: (x + y, 1.0 + 0.0 * x, 1.0 + 0.0 * y, 0.0 * x, 0.0 * x, 0.0 * y),
    SUBTRACT: lambda x, y: (x - y, 1.0 + 0.0 * x, -1.0 + 0.0 * y, 0.0 * x, 0.0 * x, 0.0 * y),
    MULTIPLY: lambda x, y: (x * y, y, x, 0.0 * x, 1.0 + 0.0 * x, 0.0 * y),
    DIVIDE: _quotient,
    POWER: _power,
    ATAN2: _angle,
    MODULO: _modulo,
}
"""f(x, y), ∂f/∂x, ∂f/∂y and ∂²f/∂x², ∂²f/∂x∂y, ∂²f/∂y² of operations of two values."""
