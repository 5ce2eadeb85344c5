"""What nodes carry → what the joints of the document carry: by the parent on the child, world axes, at the child's
joint frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import WORLD_BODY, JointKind
from simulator.physics.layout import buffers as at
from simulator.spatial.pose_arrays import cross

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import MechanismJoint
    from simulator.model.world import World
    from simulator.physics.layout.sweep_layout import Points
    from simulator.physics.sweep.swept import SweptMechanism
    from simulator.spatial.arrays import Array


COMPONENTS = ("force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z")
"""Of a wrench, in the order of columns: newtons, then newton metres."""
CERTAIN = 1e-9
"""Change of a component per unit of a stress without load, over the largest of all, below which it is the same for all
of them."""


def compliances_of(world: World) -> dict[str, Array]:
    """What the document states of joints, by name: about and along the axes of their frames [rad/(N m), m/N], shape
    (6,)."""
    joints = (*world.joints, *(joint for model in world.models for joint in model.joints))
    return {joint.name: np.array(joint.compliance) for joint in joints if joint.compliance}


def time_of(swept: SweptMechanism) -> float:
    """The time [s] at which the profiles of a mechanism's loads are."""
    return float(swept.model.view(at.F_TIME)[0])


class JointWrenches:
    """Which joints of a mechanism carry something, and where that stands among points of a sweep."""

    def __init__(self, swept: SweptMechanism) -> None:
        mechanism = swept.mechanism
        self._tree = swept.model.parts.tree
        nodes = len(self._tree.kind)
        found = [
            *((joint, int(self._tree.node_of_body[joint.child])) for joint in mechanism.joints),
            *((joint, nodes + i) for i, joint in enumerate(mechanism.loop_joints)),
        ]
        self.joints: tuple[MechanismJoint, ...] = tuple(joint for joint, _ in found if joint.kind is not JointKind.FREE)
        self.place = np.array([place for joint, place in found if joint.kind is not JointKind.FREE], dtype=np.intp)
        self.names = tuple(joint.name for joint in self.joints)
        self._nodes = nodes

    def of(self, points: Points) -> Array:
        """Force [N], moment [N m] of every joint, shape (n, n_joints, 6)."""
        both = points.wrench[:, self.place]
        result = np.concatenate((both[..., 3:], both[..., :3]), axis=2)
        for i, joint in enumerate(self.joints):
            if joint.reversed:
                arm = self.origin(points, i) - self._parent_origin(points, i)
                result[:, i, 3:] += cross(arm, result[:, i, :3])
                result[:, i] *= -1.0
        return result

    def determined(self, points: Points) -> NDArray[np.bool_]:
        """Whether equilibrium alone tells each component at every point, shape (n_joints, 6); else redundant joints
        share it."""
        most = points.open[:, self.place].max(axis=0, initial=0.0)
        whole = float(most.max(initial=0.0))
        both: NDArray[np.bool_] = most <= CERTAIN * whole
        return np.concatenate((both[:, 3:], both[:, :3]), axis=1)

    def origin(self, points: Points, index: int) -> Array:
        """Where the outboard joint frame is, shape (n, 3)."""
        place = int(self.place[index])
        joint = self.joints[index]
        if place < self._nodes:
            return points.frame[:, place, 9:]
        return self._placed(points, joint.child, joint.X_CJ.matrix()[:3, 3])

    def at(self, points: Points, index: int) -> Array:
        """Where the wrench of a joint is taken: the joint frame of the document's child, shape (n, 3)."""
        return self._parent_origin(points, index) if self.joints[index].reversed else self.origin(points, index)

    def _parent_origin(self, points: Points, index: int) -> Array:
        joint = self.joints[index]
        return self._placed(points, joint.parent, joint.X_PJ.matrix()[:3, 3])

    def _placed(self, points: Points, body: int, point: Array) -> Array:
        """A point of a body in the world, shape (n, 3)."""
        if body == WORLD_BODY:
            return np.tile(point, (len(points.position), 1))
        inside = np.array(self._tree.X_LB[body].transform(tuple(point.tolist())))
        frame = points.frame[:, self._tree.node_of_body[body]]
        placed: Array = frame[:, 9:] + frame[:, :9].reshape(-1, 3, 3) @ inside
        return placed
