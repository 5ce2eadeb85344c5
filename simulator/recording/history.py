"""Any moment of a recording as a snapshot: for the time line, and as a state from which a simulation can continue."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.row_places import places_of
from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.kinematics.forest_motion import ForestMotion
from simulator.physics.layout.watched_row import LOOSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.recording.store import RowStore
    from simulator.spatial.arrays import Array
    from simulator.transmissions.actuators import Actuators

    Ints = NDArray[np.intp]

MOST_SHOWN = 60_000
"""Rows of a window at most: more than any screen has columns."""


def on_grid(recorded: Array, span: tuple[float, float], points: int) -> Ints:
    """Which of the `recorded` times, shape (n,) [s], rising, are nearest after some `points` places, evenly spread over
    a `span` [s], and the last in it. The places stay the same while a span of the same length moves."""
    inside = int(np.searchsorted(recorded, span[1], side="right"))
    grid = (span[1] - span[0]) / points
    places = np.searchsorted(recorded[:inside], np.arange(np.ceil(span[0] / grid), span[1] / grid + 1.0) * grid)
    rows = np.unique(places[places < inside])
    if inside and (not len(rows) or rows[-1] != inside - 1):
        rows = np.append(rows, inside - 1)
    return rows


class History:
    """The rows of one simulation, and before them those that it took over from earlier ones of the same mechanism.

    A row of any step is put back together to the state that was there, to the last bit of its positions and velocities.
    """

    def __init__(self, mechanism: Mechanism, actuators: Actuators, store: RowStore) -> None:
        self._mechanism, self._actuators = mechanism, actuators
        self._stores = [store]

    @cached_property
    def _motion(self) -> ForestMotion:
        return ForestMotion(self._mechanism)

    def take_over(self, earlier: History) -> None:
        """What another simulation recorded before this one; rows of this one count from its first time on."""
        self._stores = [*earlier._stores, self._stores[-1]]

    def copy(self) -> History:
        """The same recording, which outlives what wrote it."""
        other = History(self._mechanism, self._actuators, self._stores[-1])
        other._stores = list(self._stores)
        return other

    def forget(self) -> None:
        """Let go of the memory of the rows."""
        self._stores = []

    def __len__(self) -> int:
        """How many rows there are."""
        return sum(len(rows) for rows in self.chunks())

    def rows(self) -> Array:
        """All rows, shape (n, n_channels), oldest first: as much memory as the whole recording has."""
        found = list(self.chunks())
        return np.concatenate(found) if found else np.zeros((0, 0))

    def chunks(self) -> Iterator[Array]:
        """All rows in pieces, shape (n, n_channels), oldest first, copies."""
        for store, until in self._parts():
            for rows in store.chunks():
                kept = rows[: int(np.searchsorted(rows[:, 0], until))]
                if len(kept):
                    yield kept
                if len(kept) < len(rows):
                    break

    def span(self) -> tuple[float, float]:
        """Times [s] of the first and the last moment; both nan where there is none."""
        parts = self._parts()
        if not parts:
            return math.nan, math.nan
        return parts[0][0].span()[0], parts[-1][0].span()[1]

    @property
    def rewound(self) -> tuple[int, float]:
        """How often the recording was cut, and at which time [s] the last time."""
        return self._stores[-1].rewound if self._stores else (0, math.inf)

    @property
    def whole_since(self) -> float:
        """Time [s] from which on every step is there; -inf where all are."""
        return max((store.whole_since for store, _ in self._parts()), default=-math.inf)

    @property
    def coarsest(self) -> int:
        """Of how many steps one is there where it is fewest."""
        return max((store.coarsest for store, _ in self._parts()), default=1)

    def at(self, time: float, dt: float) -> Snapshot | None:
        """The last moment that is not later than `time` [s], the first where all are; None where there is none."""
        near = time + 1e-6 * dt
        found = None
        for store, until in self._parts():
            row = store.row_at(min(near, math.nextafter(until, -math.inf)))
            if row is not None and (found is None or row[0] <= near):
                found = row
        return None if found is None else self._snapshot(found, round(float(found[0]) / dt))

    def moments(self, times: Iterable[float], dt: float) -> list[Snapshot]:
        """Those `at` these times [s]."""
        found = [self.at(time, dt) for time in times]
        return [moment for moment in found if moment is not None]

    def window(self, columns: Sequence[int], since: float, most: int | None = MOST_SHOWN) -> tuple[Array, Array]:
        """Times of shape (n,) and values of shape (n, len(columns)) from time `since` [s] on, oldest first. Of more
        than `most` rows every second, third, … one."""
        times = [np.zeros(0)]
        values = [np.zeros((0, len(columns)))]
        for store, until in self._parts():
            found, numbers = store.window(columns, since, most)
            kept = int(np.searchsorted(found, until))
            times.append(found[:kept])
            values.append(numbers[:kept])
        return np.concatenate(times), np.concatenate(values)

    def _parts(self) -> list[tuple[RowStore, float]]:
        """Stores that have rows that count, oldest first, and the time [s] before which these are."""
        found: list[tuple[RowStore, float]] = []
        until = math.inf
        for store in self._stores[::-1]:
            first = store.span()[0]
            if first < until:
                found.append((store, until))
                until = first
        return found[::-1]

    def _snapshot(self, row: Array, step: int) -> Snapshot:
        at = places_of(self._mechanism, self._actuators)
        axes = row[1 : at.coupling].reshape(-1, 3)
        loose = row[at.body : at.hinge].reshape(-1, LOOSE)
        poses, velocities = self._motion.at(np.where(np.isnan(axes[:, 0]), 0.0, axes[:, 0]), axes[:, 1], loose)
        return Snapshot(
            step=step,
            time=float(row[0]),
            position=axes[:, 0].copy(),
            velocity=axes[:, 1].copy(),
            effort=axes[:, 2].copy(),
            coupling_residual=row[at.coupling : at.loop].copy(),
            loop_residual=row[at.loop : at.energy].reshape(-1, 2).copy(),
            energy=EnergyBalance(*row[at.energy : at.actuator].tolist()),
            body_poses=poses,
            body_velocities=velocities,
            actuator_effort=row[at.actuator + 2 : at.body : 3].copy(),
            cables=row[at.cable :].reshape(-1, 2).copy(),
        )
