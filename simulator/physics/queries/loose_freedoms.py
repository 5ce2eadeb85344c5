"""Freedoms of floating bodies and balls at many states: outside in the joint's inboard frame, as `Kinematics` has
them, inside in its outboard frame, as compiled mechanisms do."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.constraint_rows import column_names
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.spatial.pose_arrays import cross, matrices
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from simulator.kinematics.kinematics import Kinematics
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.physics.layout.sweep_layout import Points
    from simulator.spatial.arrays import Array


TURNS = slice(0, 3)
"""Freedoms of a joint that are rotations; what a free joint has behind them is translation."""


class LooseFreedoms:
    """Those of some joints of a mechanism. `names` (k,); `places` (k,): where they are among all freedoms of
    `Kinematics`; `codes` (k,): among those of the compiled mechanism; `splits_joint`: whether only some freedoms of a
    joint are meant. With R the rotation from the outboard to the inboard frame, velocities inside are Rᵀ ω and Rᵀ v."""

    def __init__(self, kinematics: Kinematics, model: CompiledMechanism, places: Collection[int]) -> None:
        """`places`: freedoms of which there are those of balls and floating bodies, as `Kinematics` counts them."""
        mechanism = kinematics.mechanism
        tree = model.parts.tree
        names = column_names(mechanism)
        first_of = kinematics.layout.first
        loose = multi_dof_joints(mechanism)
        had = {j: sum(k in places for k in range(first_of[j], first_of[j] + mechanism.joints[j].dof)) for j in loose}
        self.splits_joint = any(0 < count < mechanism.joints[j].dof for j, count in had.items())
        used = [j for j, count in had.items() if count]
        self._joints = [mechanism.joints[joint] for joint in used]
        self._slots = {loose.index(joint): place for place, joint in enumerate(used)}
        self._nodes = [int(tree.node_of_body[joint.child]) for joint in self._joints]
        self._first = [int(model.parts.lpos[node]) for node in self._nodes]
        ends = np.cumsum([0, *(joint.dof for joint in self._joints)]).tolist()
        self._columns = [slice(begin, end) for begin, end in pairwise(ends)]
        starts = [first_of[joint] for joint in used]
        inside = [int(tree.first[node]) for node in self._nodes]
        sizes = [joint.dof for joint in self._joints]
        self.places = [first + k for first, size in zip(starts, sizes, strict=True) for k in range(size)]
        self.codes = [first + k for first, size in zip(inside, sizes, strict=True) for k in range(size)]
        self.names = tuple(names[place] for place in self.places)

    def __len__(self) -> int:
        return len(self.names)

    def has_joint(self, slot: int) -> bool:
        """Whether the joint at this place among the loose joints is one of those here."""
        return slot in self._slots

    def put(self, y: Array, poses: Mapping[int, Array]) -> None:
        """Write poses of joints (n, 4, 4), by place among the loose joints, into independent positions `y` (n, …)."""
        for slot, pose in poses.items():
            first = self._first[self._slots[slot]]
            y[:, first : first + 3] = pose[:, :3, 3]
            y[:, first + 3 : first + 7] = [quat_from_matrix(R) for R in pose[:, :3, :3]]

    def inside(self, y: Array, values: Array) -> Array:
        """Velocities or efforts (n, k) outside as those inside, at independent positions `y`."""
        return self._turned(y, values, back=True)

    def outside(self, y: Array, values: Array) -> Array:
        """The inverse of `inside`; also of the columns of a Jacobian, shape (n, rows, k)."""
        if values.ndim == 2:
            return self._turned(y, values, back=False)
        rows = [self._turned(y, values[:, row], back=False) for row in range(values.shape[1])]
        return np.stack(rows, axis=1)

    def turning(self, rates: Array) -> Array:
        """ω × v of floating bodies, by which accelerations outside are greater than R times those inside, for
        velocities outside (n, k)."""
        result = np.zeros_like(rates)
        for joint, at in zip(self._joints, self._columns, strict=True):
            if joint.kind is JointKind.FREE:
                moving = rates[:, at]
                result[:, at.start + 3 : at.stop] = cross(moving[:, TURNS], moving[:, 3:])
        return result

    def rates(self, points: Points) -> Array:
        """Velocities outside at the points of a table, where they are those of twists of nodes: of floating bodies;
        zero for balls."""
        result = np.zeros((len(points.twist), len(self)))
        for joint, node, at in zip(self._joints, self._nodes, self._columns, strict=True):
            if joint.kind is JointKind.FREE:
                frame = joint.X_PJ.matrix()[:3, :3]
                result[:, at] = (points.twist[:, node].reshape(-1, 2, 3) @ frame).reshape(-1, 6)
        return result

    def _turned(self, y: Array, values: Array, *, back: bool) -> Array:
        result = np.empty_like(values)
        for joint, first, at in zip(self._joints, self._first, self._columns, strict=True):
            pose = np.zeros((len(y), 7))
            start = first + 3 * (joint.kind is JointKind.FREE)
            pose[:, 3:] = y[:, start : start + 4]
            R = matrices(pose)[:, :3, :3]
            blocks = values[:, at].reshape(len(y), -1, 3)
            result[:, at] = (blocks @ (R if back else np.swapaxes(R, 1, 2))).reshape(len(y), -1)
        return result
