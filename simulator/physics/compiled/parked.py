"""A cluster at a singular position: the motions that meet there, and guides that keep it on one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.build.reduced_velocities import reduced_velocities
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.kinematics.closure import ClosedCluster
    from simulator.kinematics.kinematics import DofLayout
    from simulator.physics.build.state import CompiledState
    from simulator.spatial.arrays import Array, Ints


_NONE = 1e-9


@dataclass
class Parked:
    """A cluster at a singular position. `places`: its independent coordinates; `tangents`: the velocities of every
    motion in them, and `curvatures` the accelerations that go with a motion along the one velocity there is; `taken`:
    the motion that it is on."""

    cluster: ClosedCluster
    places: Ints
    tangents: list[Array]
    curvatures: list[Array]
    taken: int = 0

    @property
    def freedoms(self) -> int:
        """Those of the motion that it is on."""
        return self.tangents[self.taken].shape[1] if self.tangents else 0

    @property
    def stays_singular(self) -> bool:
        """Whether that motion has more freedoms than another one that meets it here: its rows are fewer for good."""
        return self.freedoms > len(self.cluster.columns) - self.cluster.rank


def parked_at(model: CompiledState, layout: DofLayout, item: ClosedCluster, places: Ints) -> Parked:
    """A cluster, whose independent coordinates are `places`, at the present position."""
    tangents = [reduced_velocities(model, layout, motion.tangent)[places] for motion in item.motions]
    curvatures = [reduced_velocities(model, layout, motion.curvature[:, None])[places, 0] for motion in item.motions]
    return Parked(item, places, tangents, curvatures)


def guides_of(K: Array, parked: Parked, velocity: Array) -> tuple[Array, Array]:
    """Rows against all that K allows in the cluster besides the motion that is taken, shape (n, m), and what they ask
    of accelerations so that the mechanism follows the bend of that motion, shape (n,)."""
    held = [K[:, parked.places]]
    bend = np.zeros(len(parked.places))
    if parked.tangents:
        T = parked.tangents[parked.taken]
        held.append(T.T)
        along = np.linalg.lstsq(T, velocity[parked.places], rcond=None)[0]
        # q'' = κ |q'|²: curvature is per unit of way, acceleration goes with the square of the speed.
        bend = parked.curvatures[parked.taken] * float(along @ along)
    _, values, right = np.linalg.svd(np.concatenate(held))
    rank = int(np.sum(values > _NONE * max(1.0, float(values.max(initial=0.0)))))
    guides = np.zeros((right.shape[0] - rank, K.shape[1]))
    guides[:, parked.places] = right[rank:]
    return guides, right[rank:] @ bend
