"""Exact first derivatives, and their rate along a velocity, of functions written with numpy: hyper-dual numbers.

A number carries its value a, its gradient ∂a/∂x, its rate ȧ along ẋ, and the rate of its gradient. The chain rule of
one function f is gradient f'·∂a, rate f'·ȧ, gradient rate f''·ȧ·∂a + f'·∂ȧ; nothing is truncated, so K and K̇q̇ are
exact to round-off (Fike and Alonso, The Development of Hyper-Dual Numbers, 2011). numpy calls the methods of these
names for arrays of objects, so `np.sin(q[0])`, `@` and sums work in the user's function; branches on values (`if q[0] >
0`) work as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

Operand: TypeAlias = "HyperDual | float"
Numbers: TypeAlias = "NDArray[np.float64] | NDArray[np.object_]"
"""Positions, shape (n,), as a function gets them: floats, or hyper-dual numbers."""
Function: TypeAlias = "Callable[[Numbers], ArrayLike]"
"""Numbers of positions, written with numpy."""


class HyperDual:
    """One number with `gradient` (n,), `rate` and `gradient_rate` (n,)."""

    __slots__ = ("gradient", "gradient_rate", "rate", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: float, gradient: Array, rate: float, gradient_rate: Array) -> None:
        self.value = value
        self.gradient = gradient
        self.rate = rate
        self.gradient_rate = gradient_rate

    def mapped(self, f: float, df: float, ddf: float) -> HyperDual:
        """f(self), given f and its first two derivatives at `value`."""
        return HyperDual(
            f, df * self.gradient, df * self.rate, ddf * self.rate * self.gradient + df * self.gradient_rate
        )

    def _lifted(self, other: Operand) -> HyperDual:
        if isinstance(other, HyperDual):
            return other
        zero = np.zeros_like(self.gradient)
        return HyperDual(float(other), zero, 0.0, zero)

    def __add__(self, other: Operand | Array) -> HyperDual:
        if isinstance(other, np.ndarray):
            return NotImplemented
        b = self._lifted(other)
        return HyperDual(
            self.value + b.value, self.gradient + b.gradient, self.rate + b.rate, self.gradient_rate + b.gradient_rate
        )

    __radd__ = __add__

    def __neg__(self) -> HyperDual:
        return HyperDual(-self.value, -self.gradient, -self.rate, -self.gradient_rate)

    def __pos__(self) -> HyperDual:
        return self

    def __sub__(self, other: Operand | Array) -> HyperDual:
        return self.__add__(-other)

    def __rsub__(self, other: Operand) -> HyperDual:
        return (-self).__add__(other)

    def __mul__(self, other: Operand | Array) -> HyperDual:
        if isinstance(other, np.ndarray):
            return NotImplemented
        # (a b)' = a' b + a b', and the rate of the gradient has all four products of the second order.
        b = self._lifted(other)
        return HyperDual(
            self.value * b.value,
            self.value * b.gradient + b.value * self.gradient,
            self.value * b.rate + b.value * self.rate,
            self.value * b.gradient_rate
            + self.rate * b.gradient
            + b.rate * self.gradient
            + b.value * self.gradient_rate,
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Operand | Array) -> HyperDual:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self * self._lifted(other).reciprocal()

    def __rtruediv__(self, other: Operand) -> HyperDual:
        return self.reciprocal().__mul__(other)

    def __pow__(self, power: Operand) -> HyperDual:
        if isinstance(power, HyperDual):
            return (self.log() * power).exp()
        # Of x^p with p = 0 or 1 the powers below are not taken: they are infinite at x = 0, their factor is 0.
        p = float(power)
        x = self.value
        return self.mapped(
            x**p,
            p * x ** (p - 1.0) if p != 0.0 else 0.0,
            p * (p - 1.0) * x ** (p - 2.0) if p not in (0.0, 1.0) else 0.0,
        )

    def __rpow__(self, base: float) -> HyperDual:
        return (self * math.log(base)).exp()

    def __abs__(self) -> HyperDual:
        return -self if self.value < 0.0 else self

    def __float__(self) -> float:
        return self.value

    def __lt__(self, other: Operand) -> bool:
        return self.value < float(other)

    def __le__(self, other: Operand) -> bool:
        return self.value <= float(other)

    def __gt__(self, other: Operand) -> bool:
        return self.value > float(other)

    def __ge__(self, other: Operand) -> bool:
        return self.value >= float(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (HyperDual, int, float)) and self.value == float(other)

    def reciprocal(self) -> HyperDual:
        """1 / self."""
        f = 1.0 / self.value
        return self.mapped(f, -f * f, 2.0 * f * f * f)

    def sin(self) -> HyperDual:
        """Sine."""
        s, c = math.sin(self.value), math.cos(self.value)
        return self.mapped(s, c, -s)

    def cos(self) -> HyperDual:
        """Cosine."""
        s, c = math.sin(self.value), math.cos(self.value)
        return self.mapped(c, -s, -c)

    def tan(self) -> HyperDual:
        """Tangent."""
        return self.sin() / self.cos()

    def exp(self) -> HyperDual:
        """e to the power of self."""
        f = math.exp(self.value)
        return self.mapped(f, f, f)

    def log(self) -> HyperDual:
        """Natural logarithm."""
        f = 1.0 / self.value
        return self.mapped(math.log(self.value), f, -f * f)

    def sqrt(self) -> HyperDual:
        """Square root."""
        f = math.sqrt(self.value)
        return self.mapped(f, 0.5 / f, -0.25 / (f * self.value))

    def arcsin(self) -> HyperDual:
        """Inverse sine."""
        # d/dx asin x = (1 − x²)^−½, d²/dx² = x (1 − x²)^−3/2.
        c2 = 1.0 - self.value**2
        return self.mapped(math.asin(self.value), c2**-0.5, self.value * c2**-1.5)

    def arccos(self) -> HyperDual:
        """Inverse cosine."""
        return -self.arcsin() + 0.5 * math.pi

    def arctan(self) -> HyperDual:
        """Inverse tangent."""
        f = 1.0 / (1.0 + self.value**2)
        return self.mapped(math.atan(self.value), f, -2.0 * self.value * f * f)

    def arctan2(self, x: Operand) -> HyperDual:
        """Angle of (x, self): the derivatives of arctan(self/x), or of −arctan(x/self) where x is smaller, on the right
        branch."""
        b = self._lifted(x)
        angle = (self / b).arctan() if abs(b.value) >= abs(self.value) else -(b / self).arctan()
        angle.value = math.atan2(self.value, b.value)
        return angle

    def hypot(self, other: Operand) -> HyperDual:
        """Square root of the sum of squares."""
        b = self._lifted(other)
        return (self * self + b * b).sqrt()


class Derivatives(NamedTuple):
    """`value` (m,), `jacobian` (m, n) and its `rate` (m, n) along the velocity."""

    value: Array
    jacobian: Array
    rate: Array


def derivatives(function: Function, x: Array, xd: Array) -> Derivatives:
    """A function of positions x (n,) with m values, its Jacobian and the Jacobian's rate along xd (n,), exact to
    round-off."""
    n = len(x)
    zero = np.zeros(n)
    numbers = np.empty(n, dtype=object)
    for i in range(n):
        # x_i has the gradient e_i, the rate ẋ_i, and no rate of its gradient: all else follows by the chain rule.
        numbers[i] = HyperDual(float(x[i]), np.eye(1, n, i)[0], float(xd[i]), zero)
    results: list[Operand] = list(np.atleast_1d(np.asarray(function(numbers), dtype=object)))
    m = len(results)
    value = np.zeros(m)
    jacobian = np.zeros((m, n))
    rate = np.zeros((m, n))
    for i, result in enumerate(results):
        value[i] = float(result)
        if isinstance(result, HyperDual):
            jacobian[i], rate[i] = result.gradient, result.gradient_rate
    return Derivatives(value, jacobian, rate)
