"""PID loops: an effort out of an error, never above the effort limit, with an integral that does not wind up.

    u = P e + I ∫e dt + D ė + feed_forward,    |u| ≤ limit

For a position loop e = target − position and ė = target rate − velocity, both in the unit of the position: D needs no
differentiation of a measurement, and following a profile costs no lag. For a velocity loop e = target − velocity, ė =
0: D must be 0, I holds what P leaves.

Anti-windup by clamping: while u is clipped, error that would push it further beyond is not added to the integral
(Åström, Hägglund 2006, *Advanced PID Control*, section 3.5: conditional integration).

`Loop.step` samples and holds: fit for steps that are short against the loop; the integral is taken with the error of
the step's start, dt at a time. Strategies that hold loops within a step take all three gains into their equations
(`physics.rows.servos`, `engine.implicit`), where none is too large for the step, and report the accumulated
error (`Loop.after`).
"""

from __future__ import annotations

import math

from simulator.errors import UsageError
from simulator.records import dataclass


@dataclass(frozen=True)
class Gains:
    """`proportional` [N·m/rad, N/m, …], `integral` [per second more], `derivative` [times seconds]; `limit` of the
    effort [N·m or N]."""

    proportional: float
    integral: float = 0.0
    derivative: float = 0.0
    limit: float = math.inf

    def __post_init__(self) -> None:
        """Refuse gains that push the wrong way, and limits that are none."""
        for name in ("proportional", "integral", "derivative"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise UsageError(f"the {name} gain must be finite and 0 or more, not {value:g}")
        if not self.limit > 0.0:
            raise UsageError(f"the effort limit of a loop must be more than 0, not {self.limit:g}")


@dataclass(frozen=True)
class Loop:
    """A loop at one moment: its gains and `stored` = ∫e dt. `step` gives the effort and the next loop."""

    gains: Gains
    stored: float = 0.0

    def step(self, error: float, error_rate: float, dt: float, *, feed_forward: float = 0.0) -> tuple[float, Loop]:
        """The effort for the next `dt` [s], and the loop after it."""
        gains = self.gains
        stored = self.stored + error * dt
        steady = gains.proportional * error + gains.derivative * error_rate + feed_forward
        wanted = steady + gains.integral * stored
        effort = min(max(wanted, -gains.limit), gains.limit)
        if (wanted - effort) * error > 0.0:  # cut off, and the error pushes further
            stored = self.stored
            wanted = steady + gains.integral * stored
            effort = min(max(wanted, -gains.limit), gains.limit)
        return effort, Loop(gains, stored)

    def after(self, gained: float, effort: float) -> Loop:
        """The loop after a step over which the integral of the error was `gained` and its effort was
        `effort`."""
        cut_off = abs(effort) >= self.gains.limit and effort * gained > 0.0
        return self if cut_off else Loop(self.gains, self.stored + gained)

    def reset(self) -> Loop:
        """The same loop with nothing stored."""
        return Loop(self.gains)


def gained(before: tuple[float, float], after: tuple[float, float], dt: float) -> float:
    """∫e dt over a step of `dt` [s] from (error, its rate) `before` and `after`: exact for an error of third order in
    time."""
    return dt * (0.5 * (before[0] + after[0]) + dt / 12.0 * (before[1] - after[1]))


def position_gains(inertia: float, time_constant: float, *, integral: bool = True, limit: float = math.inf) -> Gains:
    """Gains that bring `inertia` [kg m² or kg] to a position without swinging: all poles of the loop at −1/T, T =
    `time_constant` [s].

    inertia · s³ + D s² + P s + I = inertia · (s + 1/T)³, or without the integral inertia · s² + D s + P = inertia · (s
    + 1/T)².
    """
    _require(inertia, time_constant)
    rate = 1.0 / time_constant
    if integral:
        return Gains(3.0 * inertia * rate**2, inertia * rate**3, 3.0 * inertia * rate, limit)
    return Gains(inertia * rate**2, 0.0, 2.0 * inertia * rate, limit)


def velocity_gains(inertia: float, time_constant: float, *, integral: bool = True, limit: float = math.inf) -> Gains:
    """Gains that bring `inertia` to a velocity: inertia · s² + P s + I = inertia · (s + 1/T)², or inertia · s + P =
    inertia · (s + 1/T)."""
    _require(inertia, time_constant)
    rate = 1.0 / time_constant
    if integral:
        return Gains(2.0 * inertia * rate, inertia * rate**2, 0.0, limit)
    return Gains(inertia * rate, 0.0, 0.0, limit)


def _require(inertia: float, time_constant: float) -> None:
    if not (math.isfinite(inertia) and inertia > 0.0 and math.isfinite(time_constant) and time_constant > 0.0):
        raise UsageError(
            f"an inertia of {inertia:g} and a time constant of {time_constant:g} s give no gains; both must be more "
            "than 0"
        )
