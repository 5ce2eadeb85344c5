"""How fast simulated time really passes, averaged over the last second or so of wall time."""

from __future__ import annotations

import time
from collections import deque


class Pace:
    """Real-time factor and steps per second from (wall, simulated, steps) marks."""

    def __init__(self, span: float = 1.0) -> None:
        self._marks: deque[tuple[float, float, int]] = deque()
        self._span = span

    def mark(self, simulated: float, steps: int) -> None:
        """Record the present simulated time."""
        if self._marks and simulated < self._marks[-1][1]:
            self._marks.clear()
        now = time.monotonic()
        self._marks.append((now, simulated, steps))
        while len(self._marks) > 2 and now - self._marks[0][0] > self._span:
            self._marks.popleft()

    def rates(self) -> tuple[float, float]:
        """(simulated seconds per wall second, steps per wall second); zeros before there is something to measure."""
        if len(self._marks) < 2:
            return 0.0, 0.0
        (t0, s0, n0), (t1, s1, n1) = self._marks[0], self._marks[-1]
        wall = max(t1 - t0, 1e-9)
        return (s1 - s0) / wall, (n1 - n0) / wall


class Spacing:
    """How far apart things are done that take time themselves: `least` seconds, or `share` times as long as the last
    one took, so that they never take more than one part in so many of all the time."""

    def __init__(self, least: float, share: float) -> None:
        self._least, self._share = least, share
        self._next = 0.0

    def is_due(self, now: float) -> bool:
        """Whether it is time for the next one, at a time [s] of a clock that only goes on."""
        return now >= self._next

    def done(self, began: float, ended: float) -> None:
        """It was done between two times [s]."""
        self._next = began + max(self._least, self._share * (ended - began))
