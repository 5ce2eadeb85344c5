"""What a drive commands over time: pure functions of simulated time, with their rates.

A profile gives the value of a drive [unit of its kind: rad or m, rad/s or m/s, N·m or N] at time t [s] and its rate of
change, which a position loop feeds forward. Profiles are frozen values: they travel to another process like any
command, and a run that is repeated is the same run.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from simulator.errors import UsageError
from simulator.model.expressions import parse_expression
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.model.tape import Tape
    from simulator.spatial.arrays import Array

TURN = 2.0 * math.pi
TIME = "t"
"""The variable of expressions over time [s]."""


class Profile(Protocol):
    """A value over time. Any object with these two methods is a profile for a drive; times are those of the
    simulation, and a method may be called for any of them, in any order, more than once."""

    def value(self, time: float) -> float:
        """The value at `time` [s], in the unit of the drive: rad or m, rad/s or m/s, N m or N."""

    def rate(self, time: float) -> float:
        """Its derivative [unit / s]; at a corner the one that holds from then on."""


@dataclass(frozen=True)
class Constant:
    """Always `level`."""

    level: float

    def __post_init__(self) -> None:
        """Refuse what is not finite."""
        if not math.isfinite(self.level):  # controllers make one in each step
            _require_finite("constant", level=self.level)

    def value(self, time: float) -> float:
        """The level."""
        return self.level

    def rate(self, time: float) -> float:
        """Zero."""
        return 0.0


@dataclass(frozen=True)
class Sine:
    """offset + amplitude · sin(2π · frequency · t + phase); `frequency` [Hz], `phase` [rad]."""

    amplitude: float
    frequency: float
    offset: float = 0.0
    phase: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not finite."""
        _require_finite(
            "sine", amplitude=self.amplitude, frequency=self.frequency, offset=self.offset, phase=self.phase
        )

    def value(self, time: float) -> float:
        """The sine."""
        return self.offset + self.amplitude * math.sin(TURN * self.frequency * max(time, 0.0) + self.phase)

    def rate(self, time: float) -> float:
        """Its derivative."""
        if time < 0.0:
            return 0.0
        speed = TURN * self.frequency
        return self.amplitude * speed * math.cos(speed * time + self.phase)


@dataclass(frozen=True)
class Ramp:
    """From `start` to `end` at a constant rate within `duration` [s], then `end`."""

    start: float
    end: float
    duration: float

    def __post_init__(self) -> None:
        """Refuse what is not finite or takes no time."""
        _require_finite("ramp", start=self.start, end=self.end, duration=self.duration)
        _require_positive("ramp", duration=self.duration)

    def value(self, time: float) -> float:
        """On the way, or there."""
        done = min(max(time / self.duration, 0.0), 1.0)
        return self.end if done == 1.0 else self.start + (self.end - self.start) * done

    def rate(self, time: float) -> float:
        """Constant on the way, zero before and after."""
        return (self.end - self.start) / self.duration if 0.0 <= time < self.duration else 0.0


@dataclass(frozen=True)
class Step:
    """`start` before `time` [s], `end` from then on."""

    start: float
    end: float
    time: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not finite."""
        _require_finite("step", start=self.start, end=self.end, time=self.time)

    def value(self, time: float) -> float:
        """Before or after."""
        return self.end if time >= self.time else self.start

    def rate(self, time: float) -> float:
        """Zero: the jump itself has no rate that could be fed forward."""
        return 0.0


@dataclass(frozen=True)
class Chirp:
    """offset + amplitude · sin φ, whose frequency rises (or falls) evenly from `start` to `end` [Hz] within `duration`
    [s], then stays.

    φ = 2π (start · t + (end − start) · t² / (2 · duration)), continued at the frequency `end`.
    """

    amplitude: float
    start: float
    end: float
    duration: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not finite or takes no time."""
        values = {"amplitude": self.amplitude, "start": self.start, "end": self.end}
        _require_finite("chirp", **values, duration=self.duration, offset=self.offset)
        _require_positive("chirp", duration=self.duration)

    def value(self, time: float) -> float:
        """The chirp."""
        return self.offset + self.amplitude * math.sin(self._phase(max(time, 0.0)))

    def rate(self, time: float) -> float:
        """Its derivative."""
        if time < 0.0:
            return 0.0
        slope = (self.end - self.start) / self.duration
        frequency = self.start + slope * min(time, self.duration)
        return self.amplitude * TURN * frequency * math.cos(self._phase(time))

    def _phase(self, time: float) -> float:
        sweep = min(time, self.duration)
        cycles = self.start * sweep + 0.5 * (self.end - self.start) * sweep * sweep / self.duration
        return TURN * (cycles + self.end * (time - sweep))


@dataclass(frozen=True)
class Table:
    """Straight lines between (time, value) pairs; the first value before them, the last one after. `times` [s] rise
    strictly.

    `source`: the file that it was read from, `FILE` or `FILE#COLUMN`; empty where there is none.
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Refuse what is not a function of time."""
        if not self.times or len(self.times) != len(self.values):
            raise UsageError(f"a table needs as many times as values, not {len(self.times)} and {len(self.values)}")
        if not all(map(math.isfinite, (*self.times, *self.values))):
            raise UsageError("a table holds finite numbers only")
        for i, (before, after) in enumerate(zip(self.times, self.times[1:], strict=False)):
            if after <= before:
                raise UsageError(f"the times of a table must rise: entry {i + 2} is {after:g} s, after {before:g} s")

    def value(self, time: float) -> float:
        """Between its neighbours."""
        i = bisect_right(self.times, time)
        if i in (0, len(self.times)):
            return self.values[0 if i == 0 else -1]
        share = (time - self.times[i - 1]) / (self.times[i] - self.times[i - 1])
        return self.values[i - 1] + share * (self.values[i] - self.values[i - 1])

    def rate(self, time: float) -> float:
        """The slope of the line that holds from `time` on."""
        i = bisect_right(self.times, time)
        if i in (0, len(self.times)):
            return 0.0
        return (self.values[i] - self.values[i - 1]) / (self.times[i] - self.times[i - 1])

    @property
    def last_rate(self) -> float:
        """The slope with which the last value is reached."""
        return self.rate(self.times[-2]) if len(self.times) > 1 else 0.0

    @property
    def pieces(self) -> list[tuple[float, ...]]:
        """The beginning of every piece [s] and its coefficients, the constant first; the last row holds the last
        value."""
        return [(time, value, self.rate(time)) for time, value in zip(self.times, self.values, strict=True)]


@dataclass(frozen=True)
class Expression:
    """Arithmetic over `t` [s] as laws have it over positions, such as `0.2*t + 0.1*sin(3*t)`; its value at 0 before.

    Raises UsageError for a text that is none, and when the formula has no finite value at a time."""

    text: str
    tape: Tape = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Parse the text."""
        object.__setattr__(self, "tape", parse_expression(self.text, _time, 1, constant=True))

    def value(self, time: float) -> float:
        """That of the formula."""
        return float(self.values(np.array([time]))[0])

    def rate(self, time: float) -> float:
        """The exact derivative of the formula; zero before 0."""
        return float(self.rates(np.array([time]))[0])

    def values(self, times: Array) -> Array:
        """At times [s], shape (n,): a formula of a few operations takes 30 µs for one as for a hundred."""
        return self._finite(self.tape.expand(np.maximum(times, 0.0)[:, None]).value, times)

    def rates(self, times: Array) -> Array:
        """As `values`."""
        found = self.tape.expand(np.maximum(times, 0.0)[:, None], np.ones((len(times), 1))).rate
        return self._finite(np.where(times < 0.0, 0.0, found), times)

    def _finite(self, values: Array, times: Array) -> Array:
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise UsageError(f"the expression '{self.text}' has no finite value at {times[bad[0]]:g} s")
        return values


def _time(name: str) -> int:
    if name != TIME:
        raise UsageError(f"an expression over time has the variable {TIME} alone, not '{name}'")
    return 0


@dataclass(frozen=True)
class Clipped:
    """`profile` where that is from `lower` to `upper`, elsewhere the nearer of both."""

    profile: Profile
    lower: float
    upper: float

    def value(self, time: float) -> float:
        """Inside the bounds."""
        return min(max(self.profile.value(time), self.lower), self.upper)

    def rate(self, time: float) -> float:
        """That of the profile inside the bounds, zero beyond them."""
        value, rate = self.profile.value(time), self.profile.rate(time)
        is_beyond = (value <= self.lower and rate < 0.0) or (value >= self.upper and rate > 0.0)
        return 0.0 if is_beyond or not self.lower <= value <= self.upper else rate


def values_of(profile: Profile, times: Array) -> Array:
    """What a profile gives at times [s], shape (n,), to the last bit as one by one."""
    if isinstance(profile, Expression):
        return profile.values(times)
    if isinstance(profile, Clipped):
        return np.minimum(np.maximum(values_of(profile.profile, times), profile.lower), profile.upper)
    value = profile.value
    return np.array([value(time) for time in times.tolist()])


def rates_of(profile: Profile, times: Array) -> Array:
    """As `values_of`."""
    if isinstance(profile, Expression):
        return profile.rates(times)
    rate = profile.rate
    return np.array([rate(time) for time in times.tolist()])


def is_frozen(profile: Profile) -> bool:
    """Whether the profile is one of this program's, whose values never change: they may be asked for ahead of time.
    Objects of the user's are asked step by step, for a script may change them between steps."""
    while isinstance(profile, Clipped):
        profile = profile.profile
    return isinstance(profile, (Constant, Sine, Ramp, Step, Chirp, Table, Expression))


def clipped(profile: Profile, lower: float, upper: float) -> Profile:
    """The profile kept from `lower` to `upper`, of its own kind where that is possible."""
    if isinstance(profile, Constant):
        return Constant(min(max(profile.level, lower), upper))
    if isinstance(profile, (Ramp, Step)):
        ends = [min(max(value, lower), upper) for value in (profile.start, profile.end)]
        if isinstance(profile, Step) or ends == [profile.start, profile.end]:
            return replace(profile, start=ends[0], end=ends[1])
    return Clipped(profile, lower, upper)


def stop_of(profile: Profile) -> float:
    """When the rate of a profile drops to zero at once [s]; infinite for one whose rate does not."""
    if isinstance(profile, Ramp):
        return profile.duration
    return profile.times[-1] if isinstance(profile, Table) and profile.last_rate != 0.0 else math.inf


def _require_finite(what: str, **numbers: float) -> None:
    for name, value in numbers.items():
        if not math.isfinite(value):
            raise UsageError(f"{name} of a {what} must be finite, not {value:g}")


def _require_positive(what: str, **numbers: float) -> None:
    for name, value in numbers.items():
        if value <= 0.0:
            raise UsageError(f"{name} of a {what} must be more than 0, not {value:g}")
