"""Places of the parts of a recorded row, for a mechanism with actuators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.state import multi_dof_joints
from simulator.physics.layout.watched_row import HINGED, RowPlaces
from simulator.physics.step.hinges import read_hinges
from simulator.physics.step.watch import SCRATCH
from simulator.spatial.pose_arrays import cross, matrices, rotate
from simulator.spatial.rotation import matrix_from_quat

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array
    from simulator.transmissions.actuators import Actuators


def places_of(mechanism: Mechanism, actuators: Actuators) -> RowPlaces:
    """Where the parts of a row are."""
    return RowPlaces(
        axes=len(mechanism.axes),
        couplings=len(mechanism.couplings),
        loops=len(mechanism.loop_joints),
        actuators=len(actuators),
        loose=len(multi_dof_joints(mechanism)),
        hinged=len(mechanism.hinged_balls),
        cables=len(mechanism.loads.cables),
    )


def loose_numbers(mechanism: Mechanism, poses: Array, velocities: Array) -> Array:
    """What a row holds of bodies on balls and free joints, shape (..., n_loose, 13), where all bodies are at `poses`,
    shape (..., n_bodies, 7), with the angular `velocities` and those of their centres of mass, shape (..., n_bodies,
    6); at rest where these are empty."""
    bodies = [mechanism.joints[joint].child for joint in multi_dof_joints(mechanism)]
    placed = poses[..., bodies, :]
    if not velocities.shape[-2]:
        return np.concatenate((placed, np.zeros((*placed.shape[:-1], 6))), axis=-1)
    moving = velocities[..., bodies, :]
    com = np.array([mechanism.bodies[body].com for body in bodies]).reshape(-1, 3)
    angular = moving[..., :3]
    back = rotate(placed[..., 3:], -com)
    return np.concatenate((placed, angular, moving[..., 3:] + cross(angular, back)), axis=-1)


def hinge_numbers(mechanism: Mechanism, poses: Array, velocities: Array) -> Array:
    """What a row holds of balls that are hinges in the document, shape (..., n_balls, 6), where bodies are and move as
    for `loose_numbers`."""
    before = poses.shape[:-2]
    balls = mechanism.hinged_balls
    result = np.zeros((*before, len(balls), HINGED))
    for i, ball in enumerate(balls):
        X_WB = matrices(poses[..., ball.bodies, :])[..., :3, :3]
        first, second = (X_WB[..., side, :, :] @ matrix_from_quat(ball.R_BW[side]) for side in range(2))
        back = first.swapaxes(-1, -2)
        rates = np.zeros((*before, 3))
        if velocities.shape[-2]:
            angular = velocities[..., ball.bodies[1], :3] - velocities[..., ball.bodies[0], :3]
            rates = (back @ angular[..., None])[..., 0]
        count = rates.size // 3
        rows = np.empty(HINGED * count)
        axes = np.tile(np.ravel(ball.directions), count)
        read_hinges(np.ravel(back @ second), np.ravel(rates), axes, np.empty(SCRATCH), rows)
        result[..., i, :] = rows.reshape(*before, HINGED)
    return result
