"""Drives and profiles for scripts: `simulator.velocity(simulator.sine(2.0, 0.5))`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import SupportsFloat

from simulator.api.arguments import as_number
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.pid import Gains
from simulator.errors import UsageError
from simulator.model.profiles import Chirp, Clipped, Constant, Expression, Profile, Ramp, Sine, Step, Table
from simulator.model.splines import Spline
from simulator.records import dataclass

Value = SupportsFloat | Profile
KNOWN = (Constant, Sine, Ramp, Step, Chirp, Table, Expression, Clipped)
"""Types of profiles that give finite numbers."""


def position(value: Value, gains: Gains | None = None) -> Drive:
    """Hold a position [rad or m], a number or a profile: by a motor as strong as the effort limit allows, or by a loop
    with `gains`."""
    return Drive(DriveKind.POSITION, profile_of(value), gains)


def velocity(value: Value, gains: Gains | None = None) -> Drive:
    """Hold a velocity [rad/s or m/s], as `position` does; `gains` without a derivative. Raises UsageError for gains
    with one."""
    return Drive(DriveKind.VELOCITY, profile_of(value), gains)


def effort(value: Value) -> Drive:
    """Push with an effort [N m or N], a number or a profile, within the effort limit."""
    return Drive(DriveKind.EFFORT, profile_of(value))


def pid(p: float, i: float = 0.0, d: float = 0.0, limit: float = float("inf")) -> Gains:
    """Gains of a loop with anti-windup: effort = p·e + i·∫e dt + d·ė, at most `limit` [N m or N]. Raises UsageError for
    negative gains."""
    return Gains(p, i, d, limit)


def ramp(start: float, end: float, duration: float) -> Ramp:
    """From `start` to `end` at a constant rate within `duration` [s], then `end`."""
    return Ramp(start, end, duration)


def sine(amplitude: float, frequency: float, offset: float = 0.0, phase: float = 0.0) -> Sine:
    """offset + amplitude · sin(2π · frequency · t + phase); `frequency` [Hz], `phase` [rad]."""
    return Sine(amplitude, frequency, offset, phase)


def step(start: float, end: float, time: float = 0.0) -> Step:
    """`start` before `time` [s], `end` from then on."""
    return Step(start, end, time)


def chirp(amplitude: float, start: float, end: float, duration: float, offset: float = 0.0) -> Chirp:
    """A sine whose frequency goes evenly from `start` to `end` [Hz] within `duration` [s], then stays."""
    return Chirp(amplitude, start, end, duration, offset)


def expression(text: str) -> Expression:
    """A formula over `t` [s] with exact derivatives, as `"0.2*t + 0.1*sin(3*t)"`, for a drive; the functions are those
    of laws. Raises UsageError for a text that is none."""
    return Expression(text)


def table(times: Iterable[float], values: Iterable[float]) -> Table:
    """Straight lines between (time [s], value) pairs, or rows of an array. Raises UsageError if times do not rise."""
    return Table(tuple(map(float, times)), tuple(map(float, values)))


def spline(times: Iterable[float], values: Iterable[float], rates: Iterable[float] | None = None) -> Spline:
    """A smooth curve through samples at `times` [s]: its second derivative is continuous, so that a position drive
    follows it with the accelerations of the sampled motion.

    With `rates`, the first derivatives at the samples, also the third derivative is continuous, and pieces are of fifth
    degree; without, pieces are cubic with not-a-knot ends. The curve is constant before the first sample and after the
    last. Raises UsageError if times do not rise.
    """
    given = () if rates is None else tuple(map(float, rates))
    return Spline(tuple(map(float, times)), tuple(map(float, values)), rates=given)


def profile_of(value: Value) -> Profile:
    """A profile, or a number as a constant profile. Raises UsageError for anything that is neither a number nor a
    profile, an object whose `value(t)` and `rate(t)` give finite numbers."""
    if isinstance(value, KNOWN):
        return value
    if isinstance(value, float | SupportsFloat):  # first: checking the protocol of profiles is slow
        return Constant(as_number(value, "the command of a drive"))
    if not (hasattr(value, "value") and hasattr(value, "rate")):
        raise UsageError(f"a drive or load takes a number or a profile such as simulator.sine(1.0, 0.5), not {value!r}")
    for name in ("value", "rate"):
        if not callable(getattr(value, name)):
            raise UsageError(f"{name} of the profile {value!r} is not a method: a profile has value(t) and rate(t)")
    own = OwnProfile(value)
    own.value(0.0), own.rate(0.0)
    return own


@dataclass(frozen=True)
class OwnProfile:
    """A user-defined profile whose numbers are checked. Its methods raise UsageError for invalid ones."""

    profile: Profile

    def value(self, time: float) -> float:
        """Value of the profile."""
        return self._checked("value", time)

    def rate(self, time: float) -> float:
        """Rate of the profile."""
        return self._checked("rate", time)

    def _checked(self, name: str, time: float) -> float:
        what = f"{name}({time:.9g}) of the profile {self.profile!r}"
        found = as_number(getattr(self.profile, name)(time), what)
        if not math.isfinite(found):
            raise UsageError(f"{what} must be finite, not {found:g}")
        return found
