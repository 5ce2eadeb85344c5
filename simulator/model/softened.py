"""A profile that is joined from where an axis is: what lies between them goes along a trapezoid of velocity.

The difference D between axis and profile goes from its first value and rate to zero with at most the given speed and
acceleration: faster by `acceleration` until `speed` is reached, on with that, slower by `acceleration` until it is
zero. With the first rate v and the way w that is to go, the highest speed is p = sqrt(a |w| + v²/2) in the direction in
which w is left once v is braked, where that is below `speed` (Biagiotti and Melchiorri, Trajectory Planning for
Automatic Machines and Robots, ch. 3).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.model.profiles import Profile


@dataclass(frozen=True)
class Softened:
    """`profile` plus a difference that is `offset` with the rate `rate` at the time `begin` [s] and goes to zero with
    at most `speed` and `acceleration`, both above 0, in the units of the profile per second."""

    profile: Profile
    begin: float
    offset: float
    rate_at_begin: float
    speed: float
    acceleration: float

    def value(self, time: float) -> float:
        """The profile and what is left of the difference."""
        return self.profile.value(time) + self._difference(time - self.begin)[0]

    def rate(self, time: float) -> float:
        """Its derivative."""
        return self.profile.rate(time) + self._difference(time - self.begin)[1]

    @property
    def duration(self) -> float:
        """Until the profile is met [s]."""
        return sum(time for time, _ in self._phases)

    @cached_property
    def _phases(self) -> tuple[tuple[float, float], ...]:
        """(duration, acceleration) of the three parts."""
        a = self.acceleration
        v = self.rate_at_begin
        way = -self.offset
        left = way - 0.5 * v * abs(v) / a
        sense = math.copysign(1.0, left)
        peak = min(math.sqrt(max(a * sense * way + 0.5 * v * v, 0.0)), self.speed)
        first = (sense * peak - v) / a
        gone = 0.5 * (v + sense * peak) * abs(first) + 0.5 * sense * peak * peak / a
        cruise = max(sense * (way - gone), 0.0) / peak if peak > 0.0 else 0.0
        return (abs(first), math.copysign(a, first)), (cruise, 0.0), (peak / a, -sense * a)

    def _difference(self, time: float) -> tuple[float, float]:
        """Value and rate so long after the begin."""
        x, v = self.offset, self.rate_at_begin
        if time <= 0.0:
            return x, v
        for duration, acceleration in self._phases:
            t = min(time, duration)
            x = x + v * t + 0.5 * acceleration * t * t
            v = v + acceleration * t
            time -= t
            if time <= 0.0:
                return x, v
        return 0.0, 0.0
