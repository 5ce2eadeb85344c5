"""Speed of simulated time, averaged over the last second or so of wall time."""

from __future__ import annotations

import time
from collections import deque
from typing import NamedTuple


class Rates(NamedTuple):
    """`factor`: simulated seconds per wall second; `steps` per wall second; `step_time`: wall time of a step
    [s]. Zeros before the first measurement."""

    factor: float = 0.0
    steps: float = 0.0
    step_time: float = 0.0


class Pace:
    """Rates from progress between marks. Jumps in time do not count: after a reset, or when
    that is undone."""

    def __init__(self, span: float = 1.0) -> None:
        self._marks: deque[tuple[float, float, int, float]] = deque()
        self._span = span

    def mark(self, made: int, dt: float, spent: float) -> None:
        """Mark: since the last mark, steps of `dt` [s] were `made`; `spent` is the wall time [s] of all steps so
        far."""
        now = time.monotonic()
        simulated, steps = self._marks[-1][1:3] if self._marks else (0.0, 0)
        self._marks.append((now, simulated + made * dt, steps + made, spent))
        while len(self._marks) > 2 and now - self._marks[0][0] > self._span:
            self._marks.popleft()

    def stop(self) -> None:
        """Simulated time stops: the next measurement begins anew."""
        self._marks.clear()

    def rates(self) -> Rates:
        """The rates over the remaining marks."""
        if len(self._marks) < 2:
            return Rates()
        (t0, s0, n0, w0) = self._marks[0]
        (t1, s1, n1, w1) = self._marks[-1]
        wall = max(t1 - t0, 1e-9)
        steps = n1 - n0
        return Rates((s1 - s0) / wall, steps / wall, (w1 - w0) / max(steps, 1))


class Spacing:
    """Interval between actions that take time themselves: `least` seconds, or `share` times as long as the last
    one took, so that they never take more than that part of all the time."""

    def __init__(self, least: float, share: float) -> None:
        self._least, self._share = least, share
        self._next = 0.0

    def is_due(self, now: float) -> bool:
        """Whether it is time for the next one, at a time [s] of a monotonic clock."""
        return now >= self._next

    def done(self, began: float, ended: float) -> None:
        """Note that it was done between two times [s]."""
        self._next = began + max(self._least, self._share * (ended - began))
