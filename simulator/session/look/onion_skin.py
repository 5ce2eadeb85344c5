"""Poses of a mechanism at other moments or positions, to be drawn beside the present one: onion skin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.sweeps import Swept
    from simulator.recording.history import History
    from simulator.spatial.arrays import Array


def poses_over_recording(history: History, dt: float, count: int) -> Array:
    """X_WB at `count` moments of a recording, equally far apart, including its ends, shape (count, n_bodies, 7); fewer
    if nothing was recorded. `dt`: the step [s]."""
    first, last = history.span()
    if not last > first:
        return np.zeros((0, 0, 7))
    moments = history.moments(np.linspace(first, last, count).tolist(), dt)
    return np.array([moment.body_poses for moment in moments])


def poses_over_range(sweeps: Sequence[Swept], count: int) -> Array:
    """X_WB at `count` positions of the driver, equally far apart, including the ends, shape (count, n_bodies, 7)."""
    if not sweeps:
        return np.zeros((0, 0, 7))
    driver = sweeps[0].route.moves[0].axis
    reached = [swept.position[:, driver] for swept in sweeps]
    low, high = min(values.min() for values in reached), max(values.max() for values in reached)
    found = []
    for value in np.linspace(low, high, count).tolist():
        nearest = min(range(len(sweeps)), key=lambda number: float(np.abs(reached[number] - value).min()))
        found.append(_bodies(sweeps[nearest].at(value), 0))
    return np.array(found)


def _bodies(swept: Swept, row: int) -> list[list[float]]:
    result = []
    for body in range(len(swept.mechanism.bodies)):
        rotations, origins = swept.body_frames(body)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = rotations[row], origins[row]
        result.append(Pose.from_matrix(X).as_list())
    return result
