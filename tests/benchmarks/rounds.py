"""Timing on a machine that others use too: contenders take turns within every round, and ratios are formed round by round.

What slows the machine down for a second slows everybody in that round, so the median of the ratios is steadier than the ratio of medians.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from tests.benchmarks.contenders import Contender

WARM_UP = 50


@dataclass(frozen=True)
class Times:
    """Microseconds per step, one per round, by contender."""

    rounds: dict[str, list[float]]

    def median(self, name: str) -> float:
        """Microseconds per step."""
        return median(self.rounds[name])

    def ratio(self, slow: str, fast: str) -> float:
        """Median over the rounds of slow / fast."""
        return median(a / b for a, b in zip(self.rounds[slow], self.rounds[fast], strict=True))

    def ratios(self, slow: str, fast: str) -> list[float]:
        """Of every round."""
        return [a / b for a, b in zip(self.rounds[slow], self.rounds[fast], strict=True)]


def take_turns(contenders: Sequence[Contender], *, rounds: int, seconds: float, clock: Callable[[], float]) -> Times:
    """`rounds` rounds in which each contender steps from its start for about `seconds`, every second round in reverse order."""
    steps = {contender.name: _steps_in(contender, seconds, clock) for contender in contenders}
    times: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            for contender in contenders if number % 2 == 0 else contenders[::-1]:
                times[contender.name].append(1e6 * _timed(contender, steps[contender.name], clock))
            gc.collect()
    finally:
        if collecting:
            gc.enable()
    return Times(times)


def _timed(contender: Contender, steps: int, clock: Callable[[], float]) -> float:
    """Seconds per step, from the start, after a few steps that fill the caches."""
    contender.reset()
    contender.run(min(WARM_UP, steps))
    started = clock()
    contender.run(steps)
    return (clock() - started) / steps


def _steps_in(contender: Contender, seconds: float, clock: Callable[[], float]) -> int:
    """How many steps take about that long (compiles first, where need be)."""
    contender.run(WARM_UP)
    return max(20, int(seconds / max(_timed(contender, 100, clock), 1e-9)))


def wall_clock() -> float:
    """Seconds; others' work counts, which is what turns and medians are for."""
    return time.perf_counter()
