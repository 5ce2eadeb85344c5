"""The law of every coupling as it is now: the document's, or what it was changed to while the simulation runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from simulator.mechanism.coupling_law import with_coupling_law
from simulator.mechanism.types import Coupling, Mechanism
from simulator.session.commands import SetCoupling

Changes = tuple[SetCoupling, ...]
"""As in `Status.laws`."""


@dataclass(frozen=True)
class CurrentLaws:
    """`mechanism` is the document's. `history`: (simulated time [s] from which they hold, changes), oldest first, never
    empty."""

    mechanism: Mechanism
    history: tuple[tuple[float, Changes], ...] = field(default=((-math.inf, ()),))

    @property
    def changes(self) -> Changes:
        """What is changed now."""
        return self.history[-1][1]

    def coupling(self, index: int) -> Coupling:
        """The coupling of that index with the law that holds now."""
        return _changed(self.mechanism.couplings[index], index, self.changes)

    def now(self) -> Mechanism:
        """The mechanism with the laws that hold now."""
        if not self.changes:
            return self.mechanism
        return replace(
            self.mechanism, couplings=tuple(self.coupling(index) for index in range(len(self.mechanism.couplings)))
        )

    def with_changes(self, changes: Changes, since: float, time: float) -> CurrentLaws:
        """What the simulation says at `time` about the laws that hold `since` [s]; the same object where nothing is
        new."""
        kept = tuple(item for item in self.history if item[0] <= time) or ((-math.inf, self.changes),)
        if changes != kept[-1][1]:
            kept = (*kept, (max(since, kept[-1][0]), changes))
        return self if kept == self.history else replace(self, history=kept)

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
