"""A cluster tree from the app's `Mechanism`, and its states from `JointState`.

Every motion of a chain joint is a body of its own, massless but for the last; a body's frame is its joint's frame on
the outboard side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import quat_from_matrix
from textbook.clusters.components import GROUND
from textbook.clusters.free_joint import FreeJoint
from textbook.clusters.grouping import Graph, GraphBody, GraphCoupling, GraphLoop, Grouped, group
from textbook.clusters.loop_rows import (
    LoopRow,
    RowKind,
    ball_rows,
    cylinder_rows,
    fixed_rows,
    prismatic_rows,
    revolute_rows,
    universal_rows,
)
from textbook.clusters.tree import TreeState
from textbook.joints.single import Prismatic, Revolute
from textbook.joints.spherical import Spherical
from textbook.plucker import spatial_inertia, transform_of_pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Body, Mechanism, MechanismJoint
    from textbook.clusters.tree import ClusterTree

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class MechanismTree:
    """The tree of a mechanism. `axis_body[axis]`: body that the axis' joint carries (−1 for axes of loop joints);
    `loose_body`: body of each ball or free joint in tree order; `body_of[b]`: the tree's body that is the mechanism's
    body b (−1: the world)."""

    mechanism: Mechanism
    grouped: Grouped
    axis_body: tuple[int, ...]
    loose_body: tuple[int, ...]
    body_of: tuple[int, ...]

    @property
    def tree(self) -> ClusterTree:
        """The cluster tree."""
        return self.grouped.tree

    def state(self, joints: JointState) -> TreeState:
        """The tree's state; positions are taken as they are, velocities by the independent coordinates."""
        q, qd = self.spanning(joints)
        parts = [c.joint.constraint.independent(q[c.q], qd[c.v]) for c in self.tree.clusters]
        return TreeState(q, np.concatenate(parts) if parts else np.zeros(0))

    def spanning(self, joints: JointState) -> tuple[Array, Array]:
        """Spanning positions and velocities, whether or not they keep the constraints."""
        tree = self.tree
        q, qd = np.zeros(tree.position_size), np.zeros(tree.span_size)
        for axis, body in enumerate(self.axis_body):
            if body >= 0:
                at_q, at_v = self.places(body)
                q[at_q], qd[at_v] = joints.position[axis], joints.velocity[axis]
        kinds = [joint.kind for joint in self.mechanism.joints if joint.kind is not JointKind.CHAIN]
        for slot, (body, kind) in enumerate(zip(self.loose_body, kinds, strict=True)):
            at_q, at_v = self.places(body)
            pose, twist = joints.loose_pose[slot], joints.loose_twist[slot]
            x, y, z, w = quat_from_matrix(pose[:3, :3])
            q[at_q] = (x, y, z, w) if kind is JointKind.BALL else (*pose[:3, 3], w, x, y, z)
            # States give twists in inboard axes, cluster joints in the body's own.
            local = np.concatenate((pose[:3, :3].T @ twist[:3], pose[:3, :3].T @ twist[3:]))
            qd[at_v] = local[:3] if kind is JointKind.BALL else local
        return q, qd

    def axis_values(self, spanning: Array) -> Array:
        """Velocities or accelerations q̇, q̈ (n_s,) of the mechanism's axes, shape (n_axes,); NaN for axes of loop
        joints."""
        result = np.full(len(self.axis_body), np.nan)
        for axis, body in enumerate(self.axis_body):
            if body >= 0:
                result[axis] = spanning[self.places(body)[1]][0]
        return result

    def places(self, body: int) -> tuple[slice, slice]:
        """Where a body's joint has its positions and its velocities in the spanning vectors."""
        cluster = self.tree.clusters[self.tree.cluster_of_body[body]]
        chain = cluster.chain
        place = cluster.bodies.index(body)
        return (
            slice(cluster.first_q + chain.first_position[place], cluster.first_q + chain.first_position[place + 1]),
            slice(cluster.first_v + chain.first_velocity[place], cluster.first_v + chain.first_velocity[place + 1]),
        )


def cluster_tree_of(mechanism: Mechanism, start: JointState | None = None) -> MechanismTree:
    """The cluster tree of a mechanism. At `start` (default: all positions zero) the loops' ranks are looked at first.

    Raises UsageError for a loop joint or a coupling that it cannot express, AssemblyError for couplings that contradict
    each other.
    """
    bodies, of_axis, last, loose = _bodies(mechanism, start)
    loops = tuple(_loop(mechanism, joint, last) for joint in mechanism.loop_joints)
    graph = Graph(tuple(bodies), loops, _couplings(mechanism, of_axis))
    grouped = group(graph, mechanism.gravity)
    moved = grouped.body_of
    return MechanismTree(
        mechanism,
        grouped,
        tuple(moved[of_axis[axis]] if axis in of_axis else -1 for axis in range(len(mechanism.axes))),
        tuple(moved[body] for body in loose),
        tuple(moved[body] if body >= 0 else -1 for body in last),
    )


def _bodies(
    mechanism: Mechanism, start: JointState | None
) -> tuple[list[GraphBody], dict[int, int], list[int], list[int]]:
    """Graph bodies; the graph body of each tree axis; that of each of the mechanism's bodies; those of ball and free
    joints."""
    dependent = mechanism.dependent_axes()
    found: list[GraphBody] = []
    of_axis: dict[int, int] = {}
    last = [GROUND]
    loose = []
    for joint in mechanism.joints:
        parent = last[joint.parent]
        Xtree = transform_of_pose(_frame_in(mechanism, joint.parent) @ joint.X_PJ)
        inertia = _inertia(mechanism.bodies[joint.child], joint.X_CJ.inverse())
        if joint.kind is not JointKind.CHAIN:
            model = Spherical() if joint.kind is JointKind.BALL else FreeJoint()
            loose.append(len(found))
            found.append(GraphBody(joint.name, parent, Xtree, inertia, model))
        for place, motion in enumerate(joint.motions):
            single = Revolute if motion.kind is MotionKind.ROTATION else Prismatic
            is_last = place == len(joint.motions) - 1
            of_axis[motion.axis] = len(found)
            found.append(
                GraphBody(
                    mechanism.axes[motion.axis].name,
                    parent if place == 0 else len(found) - 1,
                    Xtree if place == 0 else np.eye(6),
                    # A joint of several axes becomes a chain of massless bodies; the last one is the body itself.
                    inertia if is_last else np.zeros((6, 6)),
                    single(motion.direction),
                    independent=motion.axis not in dependent,
                    q=None if start is None else start.position[[motion.axis]],
                )
            )
        last.append(len(found) - 1)
    return found, of_axis, last, loose


def _frame_in(mechanism: Mechanism, body: int) -> Pose:
    """Pose of the mechanism's body frame in the frame that the tree uses for it: the outboard joint frame."""
    return IDENTITY if body == WORLD_BODY else mechanism.joints[body - 1].X_CJ.inverse()


def _inertia(body: Body, X_JB: Pose) -> Array:
    # Moments of inertia turn as a tensor, R I Rᵀ; the parallel-axis part is `spatial_inertia`'s.
    R = X_JB.rotation()
    about_com = R @ inertia_matrix(*body.inertia) @ R.T
    return spatial_inertia(body.mass, np.array(X_JB.transform(body.com)), about_com)


def _loop(mechanism: Mechanism, joint: MechanismJoint, last: list[int]) -> GraphLoop:
    return GraphLoop(
        joint.name,
        last[joint.parent],
        transform_of_pose(_frame_in(mechanism, joint.parent) @ joint.X_PJ),
        last[joint.child],
        transform_of_pose(_frame_in(mechanism, joint.child) @ joint.X_CJ),
        loop_joint_rows(joint),
    )


def loop_joint_rows(joint: MechanismJoint) -> tuple[LoopRow, ...]:
    """The rows of a loop joint by its real type: revolute and prismatic 5, ball 3, universal 4, fixed 6; a screw is a
    cylinder's 4 and the coupling of its two axes. Raises UsageError for any other chain."""
    if joint.kind is JointKind.BALL:
        return ball_rows()
    kinds = tuple(motion.kind for motion in joint.motions)
    directions = [motion.direction for motion in joint.motions]
    if not kinds:
        return fixed_rows()
    if kinds == (MotionKind.ROTATION,):
        return revolute_rows(directions[0])
    if kinds == (MotionKind.TRANSLATION,):
        return prismatic_rows(directions[0])
    if kinds == (MotionKind.ROTATION, MotionKind.ROTATION):
        return universal_rows(directions[0], directions[1])
    # A turn and a slide along one line, tied by a pitch or not: the pitch is a coupling of its own.
    if len(kinds) == 2 and np.linalg.norm(np.cross(directions[0], directions[1])) < 1e-9:
        return cylinder_rows(directions[0])
    raise UsageError(f"loop joint '{joint.name}' has a chain of motions that cannot close a loop here")


def _couplings(mechanism: Mechanism, of_axis: dict[int, int]) -> tuple[GraphCoupling, ...]:
    made: list[GraphCoupling] = []
    for index, coupling in enumerate(mechanism.couplings):
        if coupling.curve is not None:
            raise UsageError(
                f"the {coupling.kind.value} of '{mechanism.axes[coupling.follower].name}' is not a straight line: "
                "clusters of a mechanism have constant ratios; write its constraint as an ImplicitConstraint"
            )
        name = f"{coupling.kind.value} of {mechanism.axes[coupling.terms[0][0]].name}"
        # The coordinate of a joint that was cut is gone: it is measured between the two bodies instead.
        terms = tuple((of_axis[axis], a) for axis, a in coupling.terms if axis in of_axis)
        measured = tuple((*_measure(mechanism, axis), a) for axis, a in coupling.terms if axis not in of_axis)
        rows = tuple((loop, a, row) for loop, row, a in measured)
        taken = any(other.name == name for other in made)
        made.append(GraphCoupling(f"{name} ({index})" if taken else name, terms, coupling.constant, rows))
    return tuple(made)


def _measure(mechanism: Mechanism, axis: int) -> tuple[int, LoopRow]:
    """(loop joint, what is measured there) of an axis that was cut. Raises UsageError for one of a universal joint's
    angles."""
    for index, joint in enumerate(mechanism.loop_joints):
        for motion in joint.motions:
            if motion.axis == axis:
                turns = sum(m.kind is MotionKind.ROTATION for m in joint.motions)
                if motion.kind is MotionKind.ROTATION and turns > 1:
                    raise UsageError(
                        f"a coupling on '{mechanism.axes[axis].name}', an angle of a cut universal joint, is not "
                        "supported"
                    )
                kind = RowKind.TURN if motion.kind is MotionKind.ROTATION else RowKind.POINT
                return index, LoopRow(kind, motion.direction)
    raise UsageError(f"axis '{mechanism.axes[axis].name}' belongs to no joint")
