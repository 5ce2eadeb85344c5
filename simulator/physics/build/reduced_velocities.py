"""Velocities of all freedoms as those of the independent coordinates, and which joint each of these belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.layout.flatten import FREE

if TYPE_CHECKING:
    from simulator.kinematics.kinematics import DofLayout
    from simulator.physics.build.state import CompiledState
    from simulator.spatial.arrays import Array, Ints


def joint_of_independent(model: CompiledState) -> Ints:
    """The tree joint that every independent coordinate belongs to, shape (independent,)."""
    parts, mechanism = model.parts, model.mechanism
    joint_of_axis = {m.axis: i for i, joint in enumerate(mechanism.joints) for m in joint.motions}
    result = np.full(len(parts.independent_freedom), -1, dtype=np.int64)
    for place, freedom in enumerate(parts.independent_freedom.tolist()):
        if freedom in parts.axis_of_freedom:
            result[place] = joint_of_axis[parts.axis_of_freedom[freedom]]
    for joint in model.loose:
        result[parts.independent_of_node(int(parts.tree.node_of_body[joint + 1]))] = joint
    return result


def reduced_velocities(model: CompiledState, layout: DofLayout, velocities: Array) -> Array:
    """Velocities of all freedoms at the present pose, in the world's axes for loose joints, shape (n_dof, k), as those
    of the independent coordinates, shape (independent, k)."""
    parts = model.parts
    result = np.zeros((len(parts.independent_freedom), velocities.shape[1]))
    for place, freedom in enumerate(parts.independent_freedom.tolist()):
        if freedom in parts.axis_of_freedom:
            result[place] = velocities[layout.of_axis[parts.axis_of_freedom[freedom]]]
    poses = model.joint_state().loose_pose
    for slot, joint in enumerate(model.loose):
        node = int(parts.tree.node_of_body[joint + 1])
        first = layout.first[joint]
        inside = poses[slot, :3, :3].T
        places = parts.independent_of_node(node)
        result[places[:3]] = inside @ velocities[first : first + 3]
        if int(parts.tree.kind[node]) == FREE:
            result[places[3:]] = inside @ velocities[first + 3 : first + 6]
    return result
