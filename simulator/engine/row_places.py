"""Where the parts of a recorded row are, for a mechanism with actuators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.watch import RowPlaces
from simulator.dynamics.state import multi_dof_joints
from simulator.spatial.pose_arrays import cross, rotate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.transmissions.actuators import Actuators

    Array = NDArray[np.float64]


def places_of(mechanism: Mechanism, actuators: Actuators) -> RowPlaces:
    """Where the parts of a row are."""
    return RowPlaces(
        axes=len(mechanism.axes),
        couplings=len(mechanism.couplings),
        loops=len(mechanism.loop_joints),
        actuators=len(actuators),
        loose=len(multi_dof_joints(mechanism)),
    )


def loose_numbers(mechanism: Mechanism, poses: Array, velocities: Array) -> Array:
    """What a row holds of bodies on balls and free joints, shape (..., n_loose, 13), where all bodies are at `poses`,
    shape (..., n_bodies, 7), with the angular `velocities` and those of their centres of mass, shape (..., n_bodies,
    6); at rest where these are empty."""
    bodies = [mechanism.joints[joint].child for joint in multi_dof_joints(mechanism)]
    placed = poses[..., bodies, :]
    if not velocities.shape[-2]:
        return np.concatenate((placed, np.zeros((*placed.shape[:-1], 6))), axis=-1)
    moving, com = velocities[..., bodies, :], np.array([mechanism.bodies[body].com for body in bodies]).reshape(-1, 3)
    angular, back = moving[..., :3], rotate(placed[..., 3:], -com)
    return np.concatenate((placed, angular, moving[..., 3:] + cross(angular, back)), axis=-1)
