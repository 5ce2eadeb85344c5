"""Any moment of a recording as a snapshot: what a time line shows, and what a simulation can go on from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.forest_motion import ForestMotion
from simulator.dynamics.state import multi_dof_joints
from simulator.engine.row_places import places_of
from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.recording.packing import SnapshotLayout
from simulator.recording.ring import RingShape, TraceRing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.transmissions.actuators import Actuators

    Array = NDArray[np.float64]

UNUSED = 16
"""Rows of a ring of moments that is not needed."""
MOMENTS = 6_000
"""So many moments of a mechanism with balls or free bodies are kept."""


def moments_shape(mechanism: Mechanism, layout: SnapshotLayout) -> RingShape:
    """Shape of the ring of moments: packed snapshots behind their times. Rows of channels say all where every joint has
    axes; then it is as small as a ring can be, and stays empty."""
    if multi_dof_joints(mechanism):
        return RingShape.within(1 + layout.size, wanted=MOMENTS)
    return RingShape(UNUSED, 1 + layout.size)


def keep_moment(moments: TraceRing, packed: Array, time: float) -> None:
    """Add a packed snapshot to the moments, where they are kept; one of the same time takes the place of the last."""
    if moments.shape.rows > UNUSED:
        if moments.span()[1] >= time:
            moments.rewind(time)
        moments.push(np.concatenate(((time,), packed)))


class History:
    """The rows of one simulation, and before them those that it took over from an earlier one.

    A mechanism whose joints all have axes is put back together from the row of any step, to the last bit of its
    positions and velocities. Balls and free bodies are not in the rows: with them the moments are those that were
    published, some hundred a second.
    """

    def __init__(self, mechanism: Mechanism, actuators: Actuators, ring: TraceRing, moments: TraceRing) -> None:
        self._mechanism, self._actuators = mechanism, actuators
        self._ring, self._moments = ring, moments
        self._layout = SnapshotLayout.of(mechanism, len(actuators))
        self._loose = bool(multi_dof_joints(mechanism))
        self._earlier: Array = np.zeros((0, ring.shape.columns))

    @cached_property
    def _motion(self) -> ForestMotion:
        return ForestMotion(self._mechanism)

    def take_over(self, rows: Array) -> None:
        """Rows of all channels that were recorded before this simulation, shape (n, n_channels), oldest first."""
        self._earlier = rows

    def forget(self) -> None:
        """Let go of the rings: the memory below them is about to go."""
        empty = RingShape(UNUSED, self._ring.shape.columns), RingShape(UNUSED, self._moments.shape.columns)
        self._ring, self._moments = TraceRing(empty[0]), TraceRing(empty[1])
        self._earlier = self._earlier[:0]

    def rows(self) -> Array:
        """All rows, shape (n, n_channels), oldest first."""
        columns = range(self._ring.shape.columns)
        return self.window(columns, -np.inf)[1]

    def span(self) -> tuple[float, float]:
        """Times [s] of the first and the last moment; both nan where there is none."""
        if self._loose:
            return self._moments.span()
        first, last = self._ring.span()
        return (float(self._earlier[0, 0]), last) if len(self._before(first)) else (first, last)

    def at(self, time: float, dt: float) -> Snapshot | None:
        """The last moment that is not later than `time` [s], the first where all are; None where there is none."""
        near = time + 1e-6 * dt
        if self._loose:
            packed = self._moments.row_at(near)
            return None if packed is None else self._layout.unpack(packed[1:])
        row = self._ring.row_at(near)
        before = self._before(self._ring.span()[0])
        if len(before) and (row is None or row[0] > near):
            row = before[max(int(np.searchsorted(before[:, 0], near, side="right")) - 1, 0)]
        return None if row is None else self._snapshot(row, round(float(row[0]) / dt))

    def moments(self, times: Iterable[float], dt: float) -> list[Snapshot]:
        """Those `at` these times [s]."""
        found = [self.at(time, dt) for time in times]
        return [moment for moment in found if moment is not None]

    def window(self, columns: Sequence[int], since: float) -> tuple[Array, Array]:
        """Times of shape (n,) and values of shape (n, len(columns)) from time `since` [s] on, oldest first."""
        times, values = self._ring.window(columns, since)
        before = self._before(self._ring.span()[0])
        if not len(before) or (len(times) and times[0] > self._ring.span()[0]):
            return times, values
        start = int(np.searchsorted(before[:, 0], since)) if np.isfinite(since) else 0
        kept = before[start:]
        return np.concatenate((kept[:, 0], times)), np.concatenate((kept[:, list(columns)], values))

    def _before(self, first: float) -> Array:
        """What was taken over of times before `first`, the time of the first row of this simulation."""
        return (
            self._earlier[: int(np.searchsorted(self._earlier[:, 0], first))] if len(self._earlier) else self._earlier
        )

    def _snapshot(self, row: Array, step: int) -> Snapshot:
        at = places_of(self._mechanism, self._actuators)
        axes = row[1 : at.coupling].reshape(-1, 3)
        poses, velocities = self._motion.at(np.where(np.isnan(axes[:, 0]), 0.0, axes[:, 0]), axes[:, 1])
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
        )
