"""Detects controllers that are called too rarely for their gains, from the numbers that they write.

Along its fastest mode, a loop that is sampled every T obeys x(k+1) = λ x(k). For a damping D on an inertia m, λ =
1 - D T / m, which is below -1 if T is more than 2 m / D (Åström, Wittenmark 1997, *Computer-Controlled Systems*,
section 3.2): its numbers change sign from call to call and grow by the same factor -λ each time. A controller that
switches on purpose, and friction that it fights, change sign as well, but do not grow so.
"""

from __future__ import annotations

from typing import NamedTuple

from simulator.records import dataclass

LEAST = 1.1
"""Factors from which on numbers grow."""
ALIKE = 0.01
"""Part by which factors of two calls in a row may differ."""
CALLS, GROWTH = 6, 100.0
"""Fewest calls in a row, and growth over them, of a loop that is certainly unstable."""


class Growth(NamedTuple):
    """Numbers that changed sign every `period` [s] and grew by `factor` each time; the largest since then."""

    factor: float
    period: float
    largest: float

    @property
    def stable_period(self) -> float:
        """About how often the controller would have to be called [s]: with λ = 1 - D T / m = -factor, 2 m / D."""
        return 2.0 * self.period / (1.0 + self.factor)


@dataclass
class Sampled:
    """The numbers that were written to one drive, by their times [s]. `growth`: what shows that they are those of a
    loop that is unstable at its rate."""

    growth: Growth | None = None
    _time: float = 0.0
    _value: float = 0.0
    _last: float = 0.0
    _period: float = 0.0
    _factor: float = 0.0
    _first: float = 0.0
    _calls: int = 0

    def write(self, time: float, value: float) -> None:
        """Enter a number; of several at one time the last counts."""
        if time > self._time:
            self._go_on(time - self._time)
            self._last = self._value
            self._time = time
        self._value = value
        if self.growth is not None:
            self.growth = self.growth._replace(largest=max(self.growth.largest, abs(value)))

    def _go_on(self, period: float) -> None:
        """Another number follows `period` [s] after the present one: judge this."""
        factor = -self._value / self._last if self._last != 0.0 else 0.0
        if factor < LEAST:  # what most controllers write, at every step
            self._factor, self._period, self._calls = factor, period, 0
            return
        regular = abs(period - self._period) <= ALIKE * period
        goes_on = regular and abs(factor - self._factor) <= ALIKE * factor
        if goes_on and self._calls:
            self._calls += 1
        else:
            self._calls, self._first = 1, abs(self._last)
        self._factor, self._period = factor, period
        if self._calls >= CALLS and abs(self._value) >= GROWTH * self._first:
            self.growth = Growth(factor, period, abs(self._value))
