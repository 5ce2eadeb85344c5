"""First values for drives: motions that are small, slow and within the limits, for the user to change."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simulator.engine.drives import DriveKind
from simulator.gui.panels.slider import slider_range
from simulator.mechanism.types import AxisInfo, MotionKind
from simulator.records import dataclass

SHAPES = ("sine", "ramp", "step", "chirp")
"""Generators that have a first text, in the order of the menu."""


@dataclass(frozen=True)
class DriveSuggestion:
    """What suits an axis or an actuator: `low` and `high` bound positions, `amplitude` by kind; `unit` of its position,
    `effort_unit`.

    SI units, as in the text of a drive.
    """

    low: float
    high: float
    position: float
    velocity: float
    effort: float
    unit: str
    effort_unit: str

    def amplitude(self, kind: DriveKind) -> float:
        """A small value of that kind."""
        return {
            DriveKind.POSITION: self.position,
            DriveKind.VELOCITY: self.velocity,
            DriveKind.EFFORT: self.effort,
        }[kind]

    def unit_of(self, kind: DriveKind) -> str:
        """The unit of values of that kind."""
        return {
            DriveKind.POSITION: self.unit,
            DriveKind.VELOCITY: f"{self.unit}/s",
            DriveKind.EFFORT: self.effort_unit,
        }[kind]

    def text(self, shape: str, kind: DriveKind, now: float) -> str:
        """A first command of that shape; positions begin where the axis is `now`."""
        size = self.amplitude(kind)
        middle = 0.0
        if kind is DriveKind.POSITION and math.isfinite(now):
            room = 1.01 * size  # what is written has four digits
            middle = min(max(now, self.low + room), self.high - room) if self.high - self.low > 2.0 * room else now
        around = f",offset={middle:.4g}" if abs(middle) > 1e-6 else ""
        start = middle if abs(middle) > 1e-6 else 0.0
        return {
            "sine": f"sine(amplitude={size:.4g},frequency=0.5{around})",
            "ramp": f"ramp(from={start:.4g},to={start + size:.4g},duration=2)",
            "step": f"step(from={start:.4g},to={start + size:.4g},time=1)",
            "chirp": f"chirp(amplitude={size:.4g},f0=0.1,f1=2,duration=10{around})",
        }[shape]


def suggestion_for_axis(axis: AxisInfo) -> DriveSuggestion:
    """What suits an axis."""
    turning = axis.kind is MotionKind.ROTATION
    low, high = slider_range(axis)
    return DriveSuggestion(
        low,
        high,
        _rounded(min(0.5 if turning else 0.05, (high - low) / 4.0)),
        _within(1.0 if turning else 0.1, axis.axis.velocity),
        _within(0.1, axis.axis.effort),
        axis.unit,
        axis.effort_unit,
    )


def suggestion_for_actuator(
    terms: Sequence[tuple[int, float]], axes: Sequence[AxisInfo], unit: str, effort_unit: str
) -> DriveSuggestion:
    """What suits an actuator: it moves its joints gently. `terms` is the actuator's law, pairs of axis and factor."""
    found = [(suggestion_for_axis(axes[axis]), abs(factor)) for axis, factor in terms if factor]
    if not found:
        return DriveSuggestion(-math.inf, math.inf, 1.0, 1.0, 0.1, unit, effort_unit)
    return DriveSuggestion(
        -math.inf,
        math.inf,
        _rounded(min(one.position * factor for one, factor in found)),
        _rounded(min(one.velocity * factor for one, factor in found)),
        _rounded(min(one.effort / factor for one, factor in found)),
        unit,
        effort_unit,
    )


def _within(wanted: float, limit: float) -> float:
    return _rounded(min(wanted, limit)) if math.isfinite(limit) and limit > 0.0 else wanted


def _rounded(value: float) -> float:
    """Two digits, downwards: 0.785 becomes 0.78."""
    if not value > 0.0:
        return value
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / unit * (1.0 + 1e-12)) * unit:.2g}")
