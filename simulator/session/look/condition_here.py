"""Mobility and condition of a mechanism at its start or at a snapshot, with the sentences that describe it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.condition.condition import condition_of
from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.records import dataclass
from simulator.session.text.condition_text import condition_lines
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from simulator.condition.condition import Condition
    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.types import Mechanism


@dataclass(frozen=True, eq=False)
class ConditionReport:
    """`lines` are those of `describe`; `time` [s] of the snapshot, None at the start."""

    condition: Condition
    lines: tuple[str, ...]
    time: float | None = None


def report_condition(mechanism: Mechanism, snapshot: Snapshot | None = None) -> ConditionReport:
    """The condition at the positions of a snapshot; without one, at the assembled start."""
    condition = condition_of(mechanism, None if snapshot is None else state_of(mechanism, snapshot))
    lines = tuple(condition_lines(mechanism, condition))
    return ConditionReport(condition, lines, None if snapshot is None else snapshot.time)


def state_of(mechanism: Mechanism, snapshot: Snapshot) -> JointState:
    """Positions and velocities of a snapshot; balls and free joints from the poses of their bodies, at rest."""
    X_WB = matrices(snapshot.body_poses)
    loose = [mechanism.joints[index] for index in multi_dof_joints(mechanism)]
    poses = [
        np.linalg.inv(X_WB[joint.parent] @ joint.X_PJ.matrix()) @ X_WB[joint.child] @ joint.X_CJ.matrix()
        for joint in loose
    ]
    return JointState(
        position=snapshot.position.copy(),
        velocity=snapshot.velocity.copy(),
        loose_pose=np.array(poses).reshape(-1, 4, 4),
        loose_twist=np.zeros((len(loose), 6)),
    )
