"""The mechanism as it is now: the document's, with the laws and numbers that were changed while the simulation runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simulator.mechanism.coupling_law import with_coupling_law
from simulator.mechanism.types import Coupling, Mechanism
from simulator.mechanism.varied import number_of, varied
from simulator.model.world import World
from simulator.session.commands import SetCoupling

Changes = tuple[SetCoupling, ...]
"""As in `Status.laws`."""


@dataclass(frozen=True)
class CurrentLaws:
    """`mechanism` is the document's, of `world`; `numbers` are parameters that differ from it. `history`: (simulated
    time [s] from which they hold, changes), oldest first, never empty."""

    mechanism: Mechanism
    history: tuple[tuple[float, Changes], ...] = field(default=((-math.inf, ()),))
    world: World = field(default_factory=World)
    numbers: tuple[tuple[str, float], ...] = ()

    @property
    def changes(self) -> Changes:
        """What is changed now."""
        return self.history[-1][1]

    def coupling(self, index: int) -> Coupling:
        """The coupling of that index with the law that holds now."""
        return _changed(self.mechanism.couplings[index], index, self.changes)

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
        self, changes: Changes, since: float, time: float, numbers: tuple[tuple[str, float], ...] = ()
    ) -> CurrentLaws:
        """What the simulation says at `time` about the laws that hold `since` [s], and about numbers; the same object
        where nothing is new."""
        kept = tuple(item for item in self.history if item[0] <= time) or ((-math.inf, self.changes),)
        if changes != kept[-1][1]:
            kept = (*kept, (max(since, kept[-1][0]), changes))
        if (kept, numbers) == (self.history, self.numbers):
            return self
        return replace(self, history=kept, numbers=numbers)

    def stretches(self, follower: int, times: NDArray[np.float64]) -> tuple[tuple[NDArray[np.bool_], Coupling], ...]:
        """The laws of a follower axis that held at the `times`, shape (n,), each with a mask of these times."""
        index = next((i for i, coupling in enumerate(self.mechanism.couplings) if coupling.follower == follower), None)
        if index is None:
            return ()
        number = np.maximum(np.searchsorted([start for start, _ in self.history], times, side="right") - 1, 0)
        coupling = self.mechanism.couplings[index]
        return tuple(
            (number == i, _changed(coupling, index, changes))
            for i, (_, changes) in enumerate(self.history)
            if (number == i).any()
        )


def _changed(coupling: Coupling, index: int, changes: Changes) -> Coupling:
    return next((with_coupling_law(coupling, change.law) for change in changes if change.coupling == index), coupling)
