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


UNCLEAR = 1e10
"""Condition from which on loose columns do not determine the motion."""
TURNS = slice(0, 3)
"""Freedoms of a joint that are rotations; what a free joint has behind them is translation."""


class LooseFreedoms:
    """Those that are independent of some joints of a mechanism: `names` (k,); `places` (k,), where they are among all
    freedoms of `Kinematics`. `splits_joint`: whether a joint has others beside these. `codes` (all,): all freedoms of
    these joints among those of the compiled mechanism, and `chosen` (k,), which of them are independent. With R the
    rotation from the outboard to the inboard frame, velocities inside are Rᵀ ω and Rᵀ v."""

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
        every = [first + k for first, size in zip(starts, sizes, strict=True) for k in range(size)]
        self.chosen = [k for k, place in enumerate(every) if place in places]
        self.places = [every[k] for k in self.chosen]
        self.codes = [first + k for first, size in zip(inside, sizes, strict=True) for k in range(size)]
        self.names = tuple(names[place] for place in self.places)

    def __len__(self) -> int:
        return len(self.names)

    def put(self, y: Array, poses: Mapping[int, Array]) -> None:
        """Write poses of floating bodies' joints (n, 4, 4), by place among the loose joints, into independent positions
        `y` (n, …): loops take none of their freedoms, for what a loop ties to the world hangs on it by a joint."""
        for slot, pose in poses.items():
            first = self._first[self._slots[slot]]
            y[:, first : first + 3] = pose[:, :3, 3]
            y[:, first + 3 : first + 7] = [quat_from_matrix(R) for R in pose[:, :3, :3]]

    def inside(self, y: Array, values: Array) -> Array:
        """Velocities or efforts (n, all) outside as those inside, at independent positions `y`."""
        return self._turned(y, values, back=True)

    def outside(self, y: Array, values: Array) -> Array:
        """The inverse of `inside`; also of the columns of a Jacobian, shape (n, rows, all)."""
        if values.ndim == 2:
            return self._turned(y, values, back=False)
        rows = [self._turned(y, values[:, row], back=False) for row in range(values.shape[1])]
        return np.stack(rows, axis=1)

    def turning(self, rates: Array) -> Array:
        """ω × v of floating bodies, by which accelerations outside are greater than R times those inside, for
        velocities outside (n, all)."""
        result = np.zeros_like(rates)
        for joint, at in zip(self._joints, self._columns, strict=True):
            if joint.kind is JointKind.FREE:
                moving = rates[:, at]
                result[:, at.start + 3 : at.stop] = cross(moving[:, TURNS], moving[:, 3:])
        return result

    def rates(self, points: Points) -> Array:
        """Velocities outside at the points of a table, where they are those of twists of nodes: of floating bodies;
        zero for balls."""
        result = np.zeros((len(points.twist), len(self.codes)))
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


class MovedColumns:
    """Rates v of the columns of an array at n places, of independent axes and then of loose freedoms outside, and rates
    u of what a plan moves, the same axes and then freedoms inside: v = C u, and for efforts f of the same power f_u =
    Cᵀ f_v. Where joints move as a whole, C turns each of them alone; where loops or couplings take some freedoms of a
    joint, the others depend on all that is moved."""

    def __init__(self, loose: LooseFreedoms, y: Array, axes: int, inside: Array | None) -> None:
        """`y`: independent positions (n, …); `axes`: how many of the columns; `inside` (n, n_moves, all): rates of all
        loose freedoms inside per unit of each of u, None where joints move as a whole."""
        self._loose, self._y, self._axes = loose, y, axes
        self._inside = inside
        self._rows: Array | None = None
        if inside is not None:
            self._rows = np.swapaxes(loose.outside(y, inside)[..., loose.chosen], 1, 2)
            # Where the columns do not determine the motion, nothing follows from them.
            self._rows[~(np.linalg.cond(self._rows[..., axes:]) < UNCLEAR)] = np.nan

    def moved(self, values: Array) -> Array:
        """u from v, shape (n, n_moves)."""
        result: Array = values.copy()
        axes = self._axes
        if values.shape[1] == axes:
            return result
        if self._rows is None:
            result[:, axes:] = self._loose.inside(self._y, values[:, axes:])
        else:
            left = values[:, axes:, None] - self._rows[..., :axes] @ values[:, :axes, None]
            result[:, axes:] = np.linalg.solve(self._rows[..., axes:], left)[..., 0]
        return result

    def drift(self, moving: Array, given: Array | None) -> Array:
        """Accelerations of the loose columns at rates u (n, n_moves) and u̇ = 0, shape (n, k). `given` (n, all): those
        inside of all loose freedoms; None where joints move as a whole, which have none."""
        loose = self._loose
        if given is None or self._inside is None:
            return loose.turning(loose.outside(self._y, moving[:, self._axes :]))
        rates = (moving[:, None] @ self._inside)[:, 0]
        drift = loose.outside(self._y, given) + loose.turning(loose.outside(self._y, rates))
        return np.asarray(drift[:, loose.chosen])

    def of_columns(self, values: Array) -> Array:
        """f_v from f_u, or a Jacobian over v from one over u, shape (n, n_moves) or (n, rows, n_moves)."""
        if values.ndim == 2:
            return np.asarray(self.of_columns(values[:, None])[:, 0])
        result: Array = values.copy()
        axes = self._axes
        if values.shape[2] == axes:
            return result
        if self._rows is None:
            result[..., axes:] = self._loose.outside(self._y, values[..., axes:])
        else:
            turned = np.linalg.solve(np.swapaxes(self._rows[..., axes:], 1, 2), np.swapaxes(values[..., axes:], 1, 2))
            result[..., axes:] = np.swapaxes(turned, 1, 2)
            result[..., :axes] -= result[..., axes:] @ self._rows[..., :axes]
        return result
