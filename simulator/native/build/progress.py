"""How far a part is: seconds that have passed, of those and the seconds to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OPTIMISING = 0.32
"""Seconds that LLVM takes for a unit, for each second of one core that its kernels took before; measured."""
LEAST = 0.04
"""What is left of a build at least, as a share of what has passed, for one that takes longer than was estimated."""
SURE = 0.1
"""Share of kernels that have been lowered before their pace says more than their costs."""


class Progress:
    """Of one part. Functions that are found on disk take next to no time, and other programs slow a build down, so the
    time left follows from the pace so far: 1 where kernels take the time that they cost. The fraction never falls."""

    def __init__(self, units: Mapping[str, float], processes: int) -> None:
        """`units`: what it costs to lower the kernels of each, in seconds of one idle core."""
        self._expected, self._units, self._pace = sum(units.values()) / processes, dict(units), 1.0
        self._begun = self._lowered = self._last = 0.0

    def begin(self, now: float) -> None:
        """The first kernel is lowered from now [s] on."""
        self._begun = now

    def lowering(self, now: float, done: float) -> float:
        """The fraction while a share `done` of all kernels, by cost, has been lowered."""
        self._lowered = now
        if done > SURE:
            self._pace = (now - self._begun) / (done * self._expected)
        return self._fraction(now, self._pace * (1.0 - done) * self._expected + self._optimising())

    def optimised(self, unit: str) -> None:
        """LLVM is done with a unit."""
        self._units.pop(unit, None)

    def optimising(self, now: float) -> float:
        """The fraction when all has been lowered."""
        return self._fraction(now, self._optimising() - (now - self._lowered))

    def _optimising(self) -> float:
        """Seconds for the largest unit; the others go beside it."""
        return max(self._pace, 1.0) * OPTIMISING * max(self._units.values(), default=0.0)

    def _fraction(self, now: float, left: float) -> float:
        past = now - self._begun
        self._last = max(self._last, past / max(past + max(left, LEAST * past), 1e-3))
        return self._last
