"""Joint-space state of a mechanism."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import JointKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


@dataclass(frozen=True)
class JointState:
    """Positions and velocities of everything that the spanning forest can move.

    `position`, `velocity`: one entry per axis, shape (n_axes,) [rad or m, per second]; entries of loop joints' axes are
    not used. `loose_pose`: pose of the outboard in the inboard joint frame of every ball and free joint, in tree order,
    shape (n_loose, 4, 4); `loose_twist`: their angular and linear velocity in the inboard joint frame, shape (n_loose,
    6) [rad/s, m/s]. `cable_length`: of the way of every cable [m], shape (n_cables,), from which whole turns follow;
    empty where cables lie as on the straight way from the document's positions.
    """

    position: Array
    velocity: Array
    loose_pose: Array
    loose_twist: Array
    cable_length: Array = field(default_factory=lambda: np.zeros(0))

    def distance(self, other: JointState) -> float:
        """The largest difference of positions [rad or m] and of entries of poses; unknown positions count as equal."""
        moved = np.nan_to_num(np.abs(self.position - other.position)).max(initial=0.0)
        return float(max(moved, np.abs(self.loose_pose - other.loose_pose).max(initial=0.0)))


def multi_dof_joints(mechanism: Mechanism) -> tuple[int, ...]:
    """Tree joints whose position is a pose: balls and free joints."""
    return tuple(i for i, joint in enumerate(mechanism.joints) if joint.kind is not JointKind.CHAIN)


def rest_state(mechanism: Mechanism) -> JointState:
    """All positions zero (the pose of the document), at rest."""
    n_axes = len(mechanism.axes)
    n_loose = len(multi_dof_joints(mechanism))
    return JointState(
        position=np.zeros(n_axes),
        velocity=np.zeros(n_axes),
        loose_pose=np.tile(np.eye(4), (n_loose, 1, 1)),
        loose_twist=np.zeros((n_loose, 6)),
    )
