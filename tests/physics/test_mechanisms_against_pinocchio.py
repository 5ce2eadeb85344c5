"""Accelerations of mechanisms with branches, loops and couplings against Pinocchio (extra `bench`), which knows no such
rows.

Its mass matrix, bias forces, frame Jacobians and accelerations give M a + h = tau - K^T f, K a = -g; rows of loop
joints are written here from its frames, in world axes, and solved in all coordinates of the tree at once, so that
nothing but the description of the mechanism is shared with the kernels. What is left is round-off times the condition
of K M^-1 K^T (up to 1e4): 1e-10 of the largest acceleration is allowed, 7e-14 was measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import JointKind, Mechanism, MechanismJoint, MotionKind
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as layout
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_matrix
from tests.helpers.linkages import four_bar, platform, slider_crank
from tests.helpers.random_mechanisms import consistent_state, random_mechanism

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this system")

Array = NDArray[np.float64]
AT_WORLD = pin.LOCAL_WORLD_ALIGNED
TOLERANCE = 1e-10


def placement(X: Pose) -> Any:
    matrix = X.matrix()
    return pin.SE3(matrix[:3, :3], matrix[:3, 3])


class Twin:
    """The spanning tree as a Pinocchio model, one joint of theirs per joint of ours, and a frame on either side of
    every loop joint."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.model = pin.Model()
        self.model.gravity.linear = np.array(mechanism.gravity)
        self.joint_of_body = {0: 0}
        self.X_JB = {0: mechanism.bodies[0].X_WB}
        self._add_children(0)
        self.frames = [
            (self._frame(loop, loop.parent), self._frame(loop, loop.child)) for loop in mechanism.loop_joints
        ]
        self.data = self.model.createData()
        self.place_of_axis = {
            motion.axis: self.model.joints[self.joint_of_body[joint.child]].idx_v + i
            for joint in mechanism.joints
            for i, motion in enumerate(joint.motions)
        }

    def _add_children(self, body: int) -> None:
        """Depth first, as Pinocchio wants its joints."""
        for joint in self.mechanism.joints:
            if joint.parent == body:
                parent = self.joint_of_body[body]
                X = placement(self.X_JB[body] @ joint.X_PJ)
                added = self.model.addJoint(parent, their_joint(joint), X, joint.name)
                self.joint_of_body[joint.child], self.X_JB[joint.child] = added, joint.X_CJ.inverse()
                carried = self.mechanism.bodies[joint.child]
                ixx, iyy, izz, ixy, ixz, iyz = carried.inertia
                about_com = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
                inertia = pin.Inertia(carried.mass, np.array(carried.com), about_com)
                self.model.appendBodyToJoint(added, inertia, placement(self.X_JB[joint.child]))
                self._add_children(joint.child)

    def _frame(self, loop: MechanismJoint, body: int) -> int:
        X = placement(self.X_JB[body] @ (loop.X_PJ if body == loop.parent else loop.X_CJ))
        name = f"{loop.name} on {body}"
        frame: int = self.model.addFrame(pin.Frame(name, self.joint_of_body[body], X, pin.FrameType.OP_FRAME))
        return frame

    def state(self, state: JointState) -> tuple[Array, Array]:
        """Their q and v."""
        q, v = pin.neutral(self.model), np.zeros(self.model.nv)
        for joint in self.mechanism.joints:
            theirs = self.model.joints[self.joint_of_body[joint.child]]
            for i, motion in enumerate(joint.motions):
                q[theirs.idx_q + i], v[theirs.idx_v + i] = state.position[motion.axis], state.velocity[motion.axis]
        for slot, index in enumerate(multi_dof_joints(self.mechanism)):
            theirs = self.model.joints[self.joint_of_body[index + 1]]
            pose, twist = state.loose_pose[slot], state.loose_twist[slot]
            turning, sliding = pose[:3, :3].T @ twist[:3], pose[:3, :3].T @ twist[3:]
            free = self.mechanism.joints[index].kind is JointKind.FREE
            q[theirs.idx_q : theirs.idx_q + theirs.nq] = [*pose[:3, 3] * free, *quat_from_matrix(pose[:3, :3])][
                -theirs.nq :
            ]
            v[theirs.idx_v : theirs.idx_v + theirs.nv] = [*sliding, *turning][-theirs.nv :]
        return q, v


def their_joint(joint: MechanismJoint) -> Any:
    if joint.kind is JointKind.FREE:
        return pin.JointModelFreeFlyer()
    if joint.kind is JointKind.BALL:
        return pin.JointModelSpherical()
    single = [
        (pin.JointModelRevoluteUnaligned if m.kind is MotionKind.ROTATION else pin.JointModelPrismaticUnaligned)(
            np.array(m.direction)
        )
        for m in joint.motions
    ]
    if len(single) == 1:
        return single[0]
    whole = pin.JointModelComposite()
    for part in single:
        whole.addJoint(part)
    return whole


@dataclass(frozen=True)
class Side:
    """One side of a loop joint: place, Jacobians and what its acceleration is without joint accelerations; all in world
    axes."""

    R: Array
    p: Array
    w: Array
    v: Array
    Jw: Array
    Jv: Array
    alpha: Array
    a: Array


def side(twin: Twin, q: Array, frame: int) -> Side:
    """Needs second-order kinematics with zero joint accelerations in the data."""
    model, data = twin.model, twin.data
    J = pin.computeFrameJacobian(model, data, q, frame, AT_WORLD)
    velocity = pin.getFrameVelocity(model, data, frame, AT_WORLD)
    acceleration = pin.getFrameClassicalAcceleration(model, data, frame, AT_WORLD)
    X = pin.updateFramePlacement(model, data, frame)
    return Side(
        X.rotation.copy(),
        X.translation.copy(),
        velocity.angular.copy(),
        velocity.linear.copy(),
        J[3:].copy(),
        J[:3].copy(),
        acceleration.angular.copy(),
        acceleration.linear.copy(),
    )


def across(direction: Array) -> list[Array]:
    """Two directions at right angles to one."""
    return list(np.linalg.svd(direction[None])[2][1:])


Row = tuple[Array, float, float]
"""(K, g, residual) with K a + g = 0."""


def loop_rows(loop: MechanismJoint, P: Side, C: Side) -> list[Row]:
    """Rows of a loop joint by its real type."""
    turns = [P.R @ np.array(m.direction) for m in loop.motions if m.kind is MotionKind.ROTATION]
    slides = [P.R @ np.array(m.direction) for m in loop.motions if m.kind is MotionKind.TRANSLATION]
    rows = [line(n, P, C) for n in (across(slides[0]) if slides else list(np.eye(3)))]
    if loop.kind is JointKind.BALL:
        return rows
    if len(turns) == 2:
        return [*rows, crossing(turns[0], C.R @ np.array(loop.motions[1].direction), P, C)]
    return rows + [turn(b, P, C) for b in (across(turns[0]) if turns else list(np.eye(3)))]


def line(n: Array, P: Side, C: Side) -> Row:
    """n is fixed in P: n . (p_C - p_P) stays zero."""
    d, rate = C.p - P.p, C.v - P.v
    K = n @ (C.Jv - P.Jv) + np.cross(d, n) @ -P.Jw
    slip = rate - np.cross(P.w, d)
    g = n @ (C.a - P.a - np.cross(P.alpha, d) - np.cross(P.w, rate)) + np.cross(P.w, n) @ slip
    return K, float(g), float(n @ d)


def turn(b: Array, P: Side, C: Side) -> Row:
    """b is fixed in P: no turning of C against P about it."""
    relative = C.w - P.w
    return b @ (C.Jw - P.Jw), float(b @ (C.alpha - P.alpha) + np.cross(P.w, b) @ relative), float(b @ relative)


def crossing(first: Array, second: Array, P: Side, C: Side) -> Row:
    """The angle between a direction of P and one of C stays."""
    n, relative = np.cross(first, second), C.w - P.w
    change = np.cross(np.cross(P.w, first), second) + np.cross(first, np.cross(C.w, second))
    return n @ (C.Jw - P.Jw), float(n @ (C.alpha - P.alpha) + change @ relative), float(n @ relative)


def their_acceleration(twin: Twin, state: JointState, efforts: Array) -> Array:
    """All accelerations of the tree in their order of coordinates, under efforts, damping and springs."""
    q, v = twin.state(state)
    model, data, mechanism = twin.model, twin.data, twin.mechanism
    M, h = pin.crba(model, data, q), pin.nonLinearEffects(model, data, q, v)
    M = np.triu(M) + np.triu(M, 1).T
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    tau, rows = np.zeros(model.nv), []
    for loop, (parent, child) in zip(mechanism.loop_joints, twin.frames, strict=True):
        P, C = side(twin, q, parent), side(twin, q, child)
        rows += loop_rows(loop, P, C)
        if len(loop.motions) == 1:  # the drive of a cut joint
            motion = loop.motions[0]
            direction = P.R @ np.array(motion.direction)
            free = turn if motion.kind is MotionKind.ROTATION else line
            tau += efforts[motion.axis] * free(direction, P, C)[0]
    assert max((abs(residual) for _, _, residual in rows), default=0.0) < 1e-9
    for axis, place in twin.place_of_axis.items():
        law = mechanism.axes[axis].axis
        spring = law.spring_stiffness * (state.position[axis] - law.spring_reference)
        tau[place] += efforts[axis] - law.damping * state.velocity[axis] - spring
    for coupling in mechanism.couplings:
        K = np.zeros(model.nv)
        for axis, coefficient in coupling.terms:
            K[twin.place_of_axis[axis]] = coefficient
        assert abs(K @ v) < 1e-9
        rows.append((K, 0.0, 0.0))
    return constrained(M, tau - h, np.array([K for K, _, _ in rows]).reshape(-1, model.nv), [g for _, g, _ in rows])


def constrained(M: Array, effort: Array, K: Array, g: list[float]) -> Array:
    """M a = effort - K^T f with K a = -g; rows that others imply do no harm."""
    free, across_rows = np.linalg.solve(M, effort), np.linalg.solve(M, K.T)
    f = np.linalg.lstsq(K @ across_rows, K @ free + np.array(g), rcond=1e-11)[0]
    a: Array = free - across_rows @ f
    return a


def our_acceleration(model: CompiledMechanism, twin: Twin) -> Array:
    """All accelerations in their order of coordinates, loose joints included."""
    axes = model.acceleration()
    result = np.full(twin.model.nv, np.nan)
    for axis, place in twin.place_of_axis.items():
        result[place] = axes[axis]
    rates = model.parts.spread(model.view(layout.F_DV))
    for index in multi_dof_joints(twin.mechanism):
        place = twin.model.joints[twin.joint_of_body[index + 1]].idx_v
        first = int(model.parts.tree.first[int(model.parts.tree.node_of_body[index + 1])])
        if twin.mechanism.joints[index].kind is JointKind.FREE:
            result[place : place + 3] = rates[first + 3 : first + 6]
            place += 3
        result[place : place + 3] = rates[first : first + 3]
    return result


def compare(built: Mechanism, seed: int, states: int = 5) -> None:
    """States near the start pose, under random efforts, those of cut joints with one axis included."""
    model, twin, random = CompiledMechanism(built), Twin(built), np.random.default_rng(seed)
    for _ in range(states):
        state = consistent_state(model, random)
        efforts = 3.0 * random.standard_normal(len(built.axes))
        for loop in built.loop_joints:
            if len(loop.motions) == 2:
                efforts[[motion.axis for motion in loop.motions]] = 0.0
        model.set_efforts(efforts)
        expected = their_acceleration(twin, state, efforts)
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(our_acceleration(model, twin), expected, atol=TOLERANCE * scale, rtol=0)


@pytest.mark.parametrize("seed", range(20))
def test_twenty_random_mechanisms(seed: int) -> None:
    built = random_mechanism(seed)
    assert len(built.loop_joints) == 2
    assert built.couplings
    compare(built, seed)


@pytest.mark.parametrize("loops", [0, 1, 3])
def test_other_numbers_of_loops(loops: int) -> None:
    for seed in range(100, 102):
        compare(random_mechanism(seed, loops=loops), seed, states=2)


@pytest.mark.parametrize("make", [four_bar, slider_crank, platform])
def test_textbook_mechanisms_with_redundant_rows(make: Any) -> None:
    compare(build_mechanism(make()), 1)
