"""Units and number formats of the view; everything below the window is in radians and metres."""

from __future__ import annotations

import math
import re

from simulator.mechanism.types import AxisInfo, MotionKind
from simulator.records import dataclass

MINUS = "\u2212"

QUANTITY = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) (m|rad)(?![\w/·^²³])")
"""A length or an angle in a sentence."""
NOISE = 1e-9
"""Efforts below are shown as zero [N m or N]."""


@dataclass(frozen=True)
class Units:
    """What the user reads: `degrees` instead of radians, `millimetres` instead of metres."""

    degrees: bool = False
    millimetres: bool = False

    def factor(self, axis: AxisInfo) -> float:
        """Shown value = factor * SI value, for positions and velocities."""
        return self.factor_of(axis.unit)

    def factor_of(self, unit: str) -> float:
        """The same for a unit by name: rad, m, rad/s, m/s; anything else is shown as it is."""
        head = unit.split("/", maxsplit=1)[0]
        if head == "rad":
            return 180.0 / math.pi if self.degrees else 1.0
        return 1000.0 if head == "m" and self.millimetres else 1.0

    def unit(self, axis: AxisInfo) -> str:
        """Name of the shown unit of a position."""
        return self.name_of(axis.unit)

    def name_of(self, unit: str) -> str:
        """Name of the shown unit for an SI unit."""
        head, _, tail = unit.partition("/")
        if head == "rad" and self.degrees:
            head = "deg"
        if head == "m" and self.millimetres:
            head = "mm"
        return f"{head}/{tail}" if tail else head

    def quotient(self, unit: str) -> tuple[float, str]:
        """Factor and name of a unit by name, of which both sides are shown as the user reads them: mm/deg. The name of
        a pure number is empty."""
        head, _, tail = unit.partition("/")
        names = [self.name_of(part) for part in (head, tail) if part]
        factor = self.factor_of(head) / (self.factor_of(tail) if tail else 1.0)
        return factor, "" if unit == "1" else "/".join(names)

    def decimals(self, axis: AxisInfo) -> int:
        """Decimal places that suit the shown unit."""
        return self.decimals_of(axis.unit)

    def decimals_of(self, unit: str) -> int:
        """The same for a unit by name."""
        head = unit.split("/", maxsplit=1)[0]
        if head == "rad":
            return 2 if self.degrees else 3
        return 2 if self.millimetres else 4

    def text(self, axis: AxisInfo, value: float) -> str:
        """A position with its unit: '−0.620 rad'."""
        return f"{number(value * self.factor(axis), self.decimals(axis))} {self.unit(axis)}"

    def in_text(self, text: str) -> str:
        """A sentence of the simulation, whose lengths are in m and angles in rad, with these in the units on show."""
        return QUANTITY.sub(self._quantity, text) if self.degrees or self.millimetres else text

    def _quantity(self, found: re.Match[str]) -> str:
        return f"{compact(float(found[1]) * self.factor_of(found[2]))} {self.name_of(found[2])}"


def number(value: float, decimals: int) -> str:
    """Fixed decimals, a true minus sign, no negative zero; dashes for what is not finite."""
    if not math.isfinite(value):
        return "∞" if value > 0 else f"{MINUS}∞" if value < 0 else "–"
    text = f"{value:.{decimals}f}"
    if float(text) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def compact(value: float, digits: int = 6) -> str:
    """As few digits as say the number: '0.02', '−1', '2370', '3.1e−07'."""
    if not math.isfinite(value):
        return number(value, 0)
    rounded = f"{value:.{digits}g}"
    return (
        f"{float(rounded):.{max(digits, 6)}g}".replace("-", MINUS) if abs(value) >= 1.0 else rounded.replace("-", MINUS)
    )


def scientific(value: float) -> str:
    """A residual: '3.1e−07'; plain 0 where it is exactly that."""
    return "0" if value == 0.0 else f"{value:.1e}".replace("-", MINUS)


def without_noise(effort: float) -> float:
    """An effort as it is shown [N m or N]."""
    return 0.0 if abs(effort) < NOISE else effort


def effort_text(effort: float, unit: str, digits: int = 3) -> str:
    """`−7.35 N·m`."""
    return f"{compact(without_noise(effort), digits)} {unit}"


def symbol(axis: AxisInfo) -> str:
    """The letter of a coordinate: θ turns, x slides."""
    return "θ" if axis.kind is MotionKind.ROTATION else "x"
