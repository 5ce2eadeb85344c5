"""Timing on a shared machine: contenders take turns within every round, and the result is the median over
the rounds.

The processor's time counts, so that other processes take nothing from a turn but caches and clock rates. Anything that
slows the machine down for a second slows all contenders of a round; a ratio of medians is reported with the least and
the largest ratio within one round."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from tests.benchmarks.contenders import Contender

WARM_UP = 50
PATIENCE = 0.25
"""Part of a turn that the search for its number of calls may take at a time."""


@dataclass(frozen=True)
class Times:
    """Microseconds per step, one per round, by contender."""

    rounds: dict[str, list[float]]

    def median(self, name: str) -> float:
        """Microseconds per step."""
        return median(self.rounds[name])

    def ratio(self, slow: str, fast: str) -> float:
        """Ratio of the medians."""
        return self.median(slow) / self.median(fast)

    def ratios(self, slow: str, fast: str) -> list[float]:
        """Of every round."""
        return [a / b for a, b in zip(self.rounds[slow], self.rounds[fast], strict=True)]


def take_turns(
    contenders: Sequence[Contender], *, rounds: int, seconds: float, clock: Callable[[], float], steps: int = 0
) -> Times:
    """`rounds` rounds in which each contender steps from its start for about `seconds`, every second round in reverse
    order.

    Who needs longer for a single call does one call a turn. With `steps`, everybody makes so many, for a motion of
    which each part costs something else.
    """
    calls = {
        contender.name: steps // contender.steps_per_call or _calls_in(contender, seconds, clock)
        for contender in contenders
    }
    times: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    collecting = gc.isenabled()
    gc.disable()
    gc.freeze()  # what is there already need not be looked through after every round
    try:
        for number in range(rounds):
            for contender in contenders if number % 2 == 0 else contenders[::-1]:
                times[contender.name].append(1e6 * _timed(contender, calls[contender.name], clock))
            gc.collect()
    finally:
        gc.unfreeze()
        if collecting:
            gc.enable()
    return Times(times)


def _timed(contender: Contender, calls: int, clock: Callable[[], float]) -> float:
    """Seconds per step, from the start, after a few calls that fill the caches."""
    contender.reset()
    contender.run(max(1, min(WARM_UP // contender.steps_per_call, calls)))
    started = clock()
    contender.run(calls)
    return (clock() - started) / (calls * contender.steps_per_call)


def _calls_in(contender: Contender, seconds: float, clock: Callable[[], float]) -> int:
    """How many calls take about that long (compiles first, where need be): tried by doubling, so that a slow one is not
    called in vain."""
    contender.reset()
    contender.run(1)
    calls, took = 1, 0.0
    while True:
        started = clock()
        contender.run(calls)
        took = clock() - started
        if took >= PATIENCE * seconds:
            return max(1, int(seconds * calls / took))
        calls *= 2


def cpu_clock() -> float:
    """Seconds of the processor for this process, all its threads together."""
    return time.process_time()
