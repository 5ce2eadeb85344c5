"""Poses of a mechanism at other moments or positions, to be drawn beside the one on show: onion skin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.sweeps import Swept
    from simulator.recording.history import History

    Array = NDArray[np.float64]


def poses_over_recording(history: History, dt: float, count: int) -> Array:
    """X_WB at `count` moments of a recording, equally far apart, its ends among them, shape (count, n_bodies, 7); fewer
    where nothing was recorded. `dt`: the step [s]."""
    first, last = history.span()
    if not last > first:
        return np.zeros((0, 0, 7))
    moments = [history.at(time, dt) for time in np.linspace(first, last, count).tolist()]
    return np.array([moment.body_poses for moment in moments if moment is not None])


def poses_over_range(sweeps: Sequence[Swept], count: int) -> Array:
    """X_WB at `count` positions of the driver, as equally far apart as the points of its sweeps allow, the ends among
    them, shape (count, n_bodies, 7)."""
    if not sweeps:
        return np.zeros((0, 0, 7))
    driver = sweeps[0].route.moves[0].axis
    places = [(number, row) for number, swept in enumerate(sweeps) for row in range(len(swept))]
    values = np.concatenate([swept.position[:, driver] for swept in sweeps])
    wanted = np.linspace(values.min(), values.max(), count)
    chosen = [places[int(np.argmin(np.abs(values - value)))] for value in wanted.tolist()]
    return np.array([_bodies(sweeps[number], row) for number, row in chosen])


def _bodies(swept: Swept, row: int) -> list[list[float]]:
    result = []
    for body in range(len(swept.mechanism.bodies)):
        rotations, origins = swept.body_frames(body)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = rotations[row], origins[row]
        result.append(Pose.from_matrix(X).as_list())
    return result
