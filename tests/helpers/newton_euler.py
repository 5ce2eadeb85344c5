"""Newton and Euler for every body from the states of joints, by spatial vectors about the world's origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.kinematics import motion_matrix
from simulator.mechanism.types import JointKind
from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.api.simulation import Simulation
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]


def body_accelerations(sim: Simulation, rates: Array, accelerations: Array) -> tuple[Array, Array]:
    """Twist and acceleration of every body, (angular, linear of the body point at the world's origin), shape (n_bodies,
    6) each, for velocities and accelerations of all freedoms."""
    kinematics, state = sim._core.kinematics, sim.moment.state
    mechanism, poses = sim.mechanism, kinematics.body_matrices(state)
    twists, bends = np.zeros((len(mechanism.bodies), 6)), np.zeros((len(mechanism.bodies), 6))
    for index, joint in enumerate(mechanism.joints):
        twist, bend = twists[joint.parent].copy(), bends[joint.parent].copy()
        frame = poses[joint.parent] @ joint.X_PJ.matrix()
        for place, (column, screw) in enumerate(kinematics.joint_jacobian(index, state, poses)):
            if joint.kind is JointKind.FREE:
                # The place of the moving origin turns with the frame that it is given in, and the axes go with that
                # origin.
                if place < 3:
                    first = kinematics.layout.first[index] + 3
                    moving = frame[:3, :3] @ rates[first : first + 3]
                    bend[3:] += np.cross(moving, frame[:3, place]) * rates[column]
                bend += screw * accelerations[column]
            else:
                bend += (
                    screw * accelerations[column]
                    + crossed(twist if joint.kind is JointKind.CHAIN else twists[joint.parent], screw) * rates[column]
                )
            twist += screw * rates[column]
        twists[index + 1], bends[index + 1] = twist, bend
    return twists, bends


def crossed(twist: Array, screw: Array) -> Array:
    """Rate of a screw that moves with a twist, both about the world's origin."""
    return np.concatenate(
        (np.cross(twist[:3], screw[:3]), np.cross(twist[:3], screw[3:]) + np.cross(twist[3:], screw[:3]))
    )


def required_wrenches(mechanism: Mechanism, poses: Array, twists: Array, bends: Array) -> Array:
    """Moment about the world's origin and force that everything but gravity has to give every body, shape (n_bodies,
    6)."""
    result = np.zeros((len(mechanism.bodies), 6))
    for i, body in enumerate(mechanism.bodies):
        if i == 0:
            continue
        R, c = poses[i, :3, :3], poses[i, :3, :3] @ np.array(body.com) + poses[i, :3, 3]
        w, alpha = twists[i, :3], bends[i, :3]
        velocity = twists[i, 3:] + np.cross(w, c)
        a = bends[i, 3:] + np.cross(alpha, c) + np.cross(w, velocity)
        inertia = R @ inertia_matrix(*body.inertia) @ R.T
        force = body.mass * (a - np.array(mechanism.gravity) * body.gravity)
        moment = inertia @ alpha + np.cross(w, inertia @ w)
        result[i] = np.concatenate((moment + np.cross(c, force), force))
    return result


def joint_wrenches(mechanism: Mechanism, names: tuple[str, ...], wrenches: Array, points: Array) -> Array:
    """What joints give every body, moment about the world's origin and force, shape (n_bodies, 6), from force and
    moment by the document's parent on its child about the points."""
    result = np.zeros((len(mechanism.bodies), 6))
    known = {joint.name: joint for joint in (*mechanism.joints, *mechanism.loop_joints)}
    for name, wrench, point in zip(names, wrenches, points, strict=True):
        joint = known[name]
        parent, child = (joint.child, joint.parent) if joint.reversed else (joint.parent, joint.child)
        whole = np.concatenate((wrench[3:] + np.cross(point, wrench[:3]), wrench[:3]))
        result[child] += whole
        result[parent] -= whole
    return result


def axis_components(
    mechanism: Mechanism, poses: Array, position: Array, names: tuple[str, ...], wrenches: Array
) -> dict[int, float]:
    """By axis, what a joint's wrench does along it; of chains of turns in one point, of slides, and of one turn."""
    known = dict(zip(names, wrenches, strict=True))
    result = {}
    for joint in (*mechanism.joints, *mechanism.loop_joints):
        if joint.kind is not JointKind.CHAIN or joint.name not in known:
            continue
        frame = poses[joint.parent] @ joint.X_PJ.matrix()
        sign = -1.0 if joint.reversed else 1.0
        for motion in joint.motions:
            direction = frame[:3, :3] @ np.array(motion.direction)
            part = known[joint.name][3:] if motion.kind.value == "rotation" else known[joint.name][:3]
            result[motion.axis] = sign * float(direction @ part)
            frame = frame @ motion_matrix(motion, float(position[motion.axis]))
    return result
