"""Velocities that no motion has, and rows of loops that hold the rest.

A loop in space may happen to move in a plane: a five-bar with universal knees. Its rows hold what leads out of that
plane where the second axes of the knees cross; where these are in line they hold nothing, and next to nothing around
there, so that a rounded axis jams it. But those axes stand still along the whole motion: rows against that are of full
rank anywhere. Axes, and directions of balls, stand still where velocities at several poses of the motion have no part
of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.pivoting import pivoted_qr
from simulator.physics.layout import buffers as at
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.physics.build.state import CompiledState
    from simulator.spatial.arrays import Array, Ints


STILL = 1e-9
"""Singular values of velocities, of size 1, that are none: round-off of closed poses over the least singular value of K
at which rows count."""
SAME = 1e-6
"""Positions [rad or m] that differ by less are the same: loops show no more of them than they may lack."""


@dataclass(frozen=True, eq=False)
class Still:
    """What stands still: `guides`, shape (n, independent), each of length 1; the `rows` of loops that hold the rest,
    and where: `place`, shape (positions,)."""

    guides: Array
    rows: Ints
    place: Array

    def is_at(self, model: CompiledState) -> bool:
        """Whether axes that stand still are where they were; balls are not looked at."""
        ypos = at.int_block(model.N, at.I_YPOS)
        moved = np.where(ypos < 0, 0.0, (model.view(at.F_Q) - self.place)[ypos])
        return bool(np.abs(self.guides @ moved).max() < SAME)


def still_directions(velocities: Array, joints: Ints, places: Ints) -> Array:
    """Guides against what stands still in all `velocities` of a motion at several poses, shape (independent, k).
    `places`: the coordinates that move; `joints`: that every coordinate belongs to, shape (independent,)."""
    found = []
    for joint in np.unique(joints[places]):
        mine = places[joints[places] == joint]
        # The axes of a hinge, a slide or a universal are coordinates, those of a ball are fixed in its body: what is
        # perpendicular to all velocities at several poses is at all others.
        left, values, _ = np.linalg.svd(velocities[mine])
        still = left[:, int(np.sum(values > STILL)) :].T
        still[np.abs(still) < STILL] = 0.0
        guides = np.zeros((len(still), len(joints)))
        guides[:, mine] = still
        found.append(guides)
    return np.concatenate(found)


def rows_beside(model: CompiledState, guides: Array, count: int) -> Ints:
    """The `count` rows of loops that are most independent at the present pose of each other and of `guides`, sorted."""
    K = model.constraint_matrix()
    left = np.linalg.svd(guides)[2][len(guides) :].T
    # In the metric of the masses, as the solver's own pivots are.
    metric = np.linalg.cholesky(left.T @ model.mass_matrix() @ left)
    order = pivoted_qr(np.linalg.solve(metric, (K @ left).T))[1]
    return np.sort(np.array(order[:count], dtype=np.int64))
