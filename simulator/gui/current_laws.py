"""The present mechanism: the document's, with the laws and numbers that were changed while the simulation runs."""

from __future__ import annotations

import math
from dataclasses import field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from simulator.mechanism.coupling_law import with_coupling_law
from simulator.mechanism.types import Coupling, Mechanism
from simulator.mechanism.varied import number_of, varied
from simulator.model.world import World
from simulator.records import dataclass
from simulator.session.commands.commands import SetCoupling

T = TypeVar("T")
Changes = tuple[SetCoupling, ...]
"""As in `Status.laws`."""
Numbers = tuple[tuple[str, float], ...]
"""As in `Status.numbers`."""


@dataclass(frozen=True)
class CurrentLaws:
    """`mechanism` is the document's, of `world`. `history`: (simulated time [s] from which they apply, changes), oldest
    first, never empty; `numbers_history`: the same of parameters that differ from the document."""

    mechanism: Mechanism
    history: tuple[tuple[float, Changes], ...] = field(default=((-math.inf, ()),))
    world: World = field(default_factory=World)
    numbers_history: tuple[tuple[float, Numbers], ...] = field(default=((-math.inf, ()),))

    @property
    def changes(self) -> Changes:
        """What is changed now."""
        return self.history[-1][1]

    @property
    def numbers(self) -> Numbers:
        """Parameters that differ from the document now."""
        return self.numbers_history[-1][1]

    def at(self, time: float) -> tuple[Changes, Numbers]:
        """What was changed at a time [s]."""
        return _held(self.history, time), _held(self.numbers_history, time)

    def coupling(self, index: int) -> Coupling:
        """The coupling of that index with the law that holds now."""
        return self._changed(index, self.changes)

    def now(self) -> Mechanism:
        """The mechanism with the laws and numbers that hold now."""
        return self._now

    @cached_property
    def _now(self) -> Mechanism:
        if not (self.changes or self.numbers):
            return self.mechanism
        couplings = tuple(self.coupling(index) for index in range(len(self.mechanism.couplings)))
        return varied(replace(self.mechanism, couplings=couplings), self.world, dict(self.numbers))

    def number(self, name: str) -> float:
        """What a parameter is now (`mechanism.varied`)."""
        return number_of(self.now(), self.world, name)

    def written(self, name: str) -> float:
        """What a parameter is in the document."""
        return number_of(self.mechanism, self.world, name)

    def with_changes(
        self, changes: Changes, since: float, time: float, numbers: Numbers = (), numbers_since: float = 0.0
    ) -> CurrentLaws:
        """What the simulation says at `time` about the laws that hold `since` [s], and about numbers; the same object
        where nothing is new."""
        kept = _with(self.history, changes, since, time)
        numbers_kept = _with(self.numbers_history, numbers, numbers_since, time)
        if (kept, numbers_kept) == (self.history, self.numbers_history):
            return self
        return replace(self, history=kept, numbers_history=numbers_kept)

    def stretches(self, follower: int, times: NDArray[np.float64]) -> tuple[tuple[NDArray[np.bool_], Coupling], ...]:
        """The laws of a follower axis that held at the `times`, shape (n,), each with a mask of these times."""
        index = next((i for i, coupling in enumerate(self.mechanism.couplings) if coupling.follower == follower), None)
        if index is None:
            return ()
        number = np.maximum(np.searchsorted([start for start, _ in self.history], times, side="right") - 1, 0)
        return tuple(
            (number == i, self._changed(index, changes))
            for i, (_, changes) in enumerate(self.history)
            if (number == i).any()
        )

    def _changed(self, index: int, changes: Changes) -> Coupling:
        coupling = self.mechanism.couplings[index]
        laws = (change.law for change in changes if change.coupling == index)
        return next((with_coupling_law(coupling, law, self.mechanism.axes) for law in laws), coupling)


def _with(history: tuple[tuple[float, T], ...], now: T, since: float, time: float) -> tuple[tuple[float, T], ...]:
    """A history up to `time` [s], where `now` holds `since` a time [s]."""
    kept = tuple(item for item in history if item[0] <= time) or ((-math.inf, history[-1][1]),)
    return kept if now == kept[-1][1] else (*kept, (max(since, kept[-1][0]), now))


def _held(history: tuple[tuple[float, T], ...], time: float) -> T:
    """What held at a time [s], later ones at that at which they begin."""
    return next((item for since, item in reversed(history) if since < time), history[0][1])
