"""Accelerations of mechanisms with branches, loops and couplings against MuJoCo (extra `bench`), whose constraints are soft.

MuJoCo solves (A + R) f = a_ref - J a_free with A = J M^-1 J^T and R = (1 - d)/d diag(A), where the impedance d is at most 0.9999; rigid
rows are the limit R = 0. Where loops are closed and velocities consistent, a_ref is -(dJ/dt) v, as for rigid rows, and the difference D of
the accelerations obeys

    sqrt(D^T M D) <= sqrt(f^T R f) / 2        (f: the rigid multipliers)

because x/(1 + x)^2 <= 1/4 for every eigenvalue x of R^-1/2 A R^-1/2. That is the softness allowed, with MuJoCo's own M, J and R; in figures
0.3 % of the largest acceleration on average, 13 % at worst. What softness does not touch is held to round-off, and together it determines a:
M (a - a_free) is a combination of the rows of J, and J a = a_ref. (a_ref holds 2.5e5/s^2 times the residual of the loops, hence 1e-8.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.dynamics.compiled import layout
from simulator.dynamics.compiled.model import CompiledMechanism
from simulator.dynamics.state import JointState, loose_joints
from simulator.mechanism.types import JointKind, Mechanism, MechanismJoint, MotionKind
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_matrix
from tests.helpers.random_mechanisms import consistent_state, random_mechanism

mujoco = pytest.importorskip(
    "mujoco", minversion="4.0", reason="the extra `bench` is not installed: pip install '.[bench]'"
)

Array = NDArray[np.float64]
TIGHT = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'
"""The stiffest that MuJoCo takes at a step of 1 ms."""


def numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def where(X: Pose) -> str:
    x, y, z, qx, qy, qz, qw = X.as_list()
    return f'pos="{numbers((x, y, z))}" quat="{numbers((qw, qx, qy, qz))}"'


class Writer:
    """MJCF of a mechanism: a body's frame is its joint's frame on the outboard side."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.X_JB = {0: mechanism.bodies[0].X_WB} | {joint.child: joint.X_CJ.inverse() for joint in mechanism.joints}

    def text(self) -> str:
        """The document."""
        equalities = "".join(map(self.closing, self.mechanism.loop_joints)) + "".join(self.couplings())
        return (
            '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
            f'<option gravity="{numbers(self.mechanism.gravity)}" timestep="0.001" jacobian="dense" tolerance="0" '
            'iterations="200"><flag diagexact="enable" contact="disable"/></option>'
            f"<worldbody>{self.sites(0)}{self.children(0)}</worldbody><equality>{equalities}</equality></mujoco>"
        )

    def children(self, body: int) -> str:
        return "".join(self.body(joint, body) for joint in self.mechanism.joints if joint.parent == body)

    def body(self, joint: MechanismJoint, parent: int) -> str:
        carried, X = self.mechanism.bodies[joint.child], self.X_JB[joint.child]
        ixx, iyy, izz, ixy, ixz, iyz = carried.inertia
        about_com = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        turned = X.rotation() @ about_com @ X.rotation().T
        moments = numbers((*np.diag(turned), turned[0, 1], turned[0, 2], turned[1, 2]))
        inertial = f'pos="{numbers(X.transform(carried.com))}" mass="{carried.mass!r}" fullinertia="{moments}"'
        return (
            f"<body {where(self.X_JB[parent] @ joint.X_PJ)}>{self.joint(joint)}<inertial {inertial}/>"
            f"{self.sites(joint.child)}{self.children(joint.child)}</body>"
        )

    def joint(self, joint: MechanismJoint) -> str:
        if joint.kind is not JointKind.CHAIN:
            return f'<joint name="{joint.name}" type="{joint.kind.value}"/>'
        text = ""
        for motion in joint.motions:
            kind = "hinge" if motion.kind is MotionKind.ROTATION else "slide"
            law = self.mechanism.axes[motion.axis].axis
            passive = (
                f'damping="{law.damping!r}" stiffness="{law.spring_stiffness!r}" springref="{law.spring_reference!r}"'
            )
            text += f'<joint name="a{motion.axis}" type="{kind}" axis="{numbers(motion.direction)}" {passive}/>'
        return text

    def sites(self, body: int) -> str:
        """On either side of each loop joint one site, of hinges a second one along the axis."""
        text = ""
        for loop in self.mechanism.loop_joints:
            for side, at, X in (("p", loop.parent, loop.X_PJ), ("c", loop.child, loop.X_CJ)):
                if at == body:
                    for i, point in enumerate(points(loop)):
                        X_JS = self.X_JB[body] @ X @ Pose(point)
                        text += f'<site name="{loop.name}{side}{i}" {where(X_JS)}/>'
        return text

    def closing(self, loop: MechanismJoint) -> str:
        return "".join(
            f'<connect site1="{loop.name}p{i}" site2="{loop.name}c{i}" {TIGHT}/>' for i, _ in enumerate(points(loop))
        )

    def couplings(self) -> list[str]:
        return [
            f'<joint joint1="a{row.follower}" joint2="a{row.leader}" '
            f'polycoef="{numbers((row.constant, row.multiplier, 0, 0, 0))}" {TIGHT}/>'
            for row in self.mechanism.couplings
        ]


def points(loop: MechanismJoint) -> list[tuple[float, float, float]]:
    """Where a ball or a hinge is pinned, in the joint's frame; a hinge at two places of its axis."""
    if loop.kind is JointKind.BALL:
        return [(0.0, 0.0, 0.0)]
    x, y, z = loop.motions[0].direction
    return [(0.0, 0.0, 0.0), (0.5 * x, 0.5 * y, 0.5 * z)]


@dataclass
class Twin:
    """The mechanism there."""

    mechanism: Mechanism

    def __post_init__(self) -> None:
        self.model = mujoco.MjModel.from_xml_string(Writer(self.mechanism).text())
        self.data = mujoco.MjData(self.model)
        self.place_of_axis = {
            motion.axis: int(self.model.joint(f"a{motion.axis}").dofadr[0])
            for joint in self.mechanism.joints
            for motion in joint.motions
        }

    def set_state(self, state: JointState, efforts: Array) -> None:
        """Put it there, and compute."""
        data = self.data
        for axis, place in self.place_of_axis.items():
            data.qpos[int(self.model.joint(f"a{axis}").qposadr[0])] = state.position[axis]
            data.qvel[place] = state.velocity[axis]
            data.qfrc_applied[place] = efforts[axis]
        for slot, index in enumerate(loose_joints(self.mechanism)):
            joint = self.model.joint(self.mechanism.joints[index].name)
            pose, twist = state.loose_pose[slot], state.loose_twist[slot]
            x, y, z, w = quat_from_matrix(pose[:3, :3])
            at, place, turning = int(joint.qposadr[0]), int(joint.dofadr[0]), pose[:3, :3].T @ twist[:3]
            if self.mechanism.joints[index].kind is JointKind.BALL:
                data.qpos[at : at + 4], data.qvel[place : place + 3] = (w, x, y, z), turning
                continue
            inboard = self.mechanism.joints[index].X_PJ
            x, y, z, w = quat_from_matrix(inboard.rotation() @ pose[:3, :3])
            data.qpos[at : at + 7] = [*inboard.transform(tuple(pose[:3, 3])), w, x, y, z]
            data.qvel[place : place + 6] = [*(inboard.rotation() @ twist[3:]), *turning]
        mujoco.mj_forward(self.model, data)

    def acceleration_of(self, ours: CompiledMechanism, state: JointState) -> Array:
        """Our accelerations in their coordinates."""
        axes, result = ours.acceleration(), np.full(self.model.nv, np.nan)
        for axis, place in self.place_of_axis.items():
            result[place] = axes[axis]
        rates = ours.parts.spread(ours.view(layout.F_DV))
        for slot, index in enumerate(loose_joints(self.mechanism)):
            joint = self.mechanism.joints[index]
            place = int(self.model.joint(joint.name).dofadr[0])
            first = int(ours.parts.tree.first[int(ours.parts.tree.node_of_body[index + 1])])
            if joint.kind is JointKind.FREE:
                R, twist = joint.X_PJ.rotation(), state.loose_twist[slot]
                linear = state.loose_pose[slot][:3, :3] @ rates[first + 3 : first + 6]
                result[place : place + 3] = R @ (linear + np.cross(twist[:3], twist[3:]))
                place += 3
            result[place : place + 3] = rates[first : first + 3]
        return result


@pytest.mark.parametrize("seed", range(20))
def test_twenty_random_mechanisms(seed: int) -> None:
    built = random_mechanism(seed, loop_joints=("revolute", "ball"))
    ours, twin, random = CompiledMechanism(built), Twin(built), np.random.default_rng(seed)
    for _ in range(5):
        state, efforts = consistent_state(ours, random), 3.0 * random.standard_normal(len(built.axes))
        efforts[[not info.in_tree for info in built.axes]] = 0.0
        ours.set_efforts(efforts)
        twin.set_state(state, efforts)
        compare(twin, twin.acceleration_of(ours, state))


def compare(twin: Twin, a: Array) -> None:
    """Both laws to round-off, and what MuJoCo finds within its softness."""
    model, data = twin.model, twin.data
    M, J = np.zeros((model.nv, model.nv)), data.efc_J.reshape(-1, model.nv)
    mujoco.mj_fullM(model, data, M)
    forces = M @ (a - data.qacc_smooth)
    f = np.linalg.lstsq(J.T, forces, rcond=1e-10)[0]
    np.testing.assert_allclose(J.T @ f, forces, atol=1e-10 * max(1.0, float(np.abs(forces).max())), rtol=0)
    np.testing.assert_allclose(J @ a, data.efc_aref, atol=1e-8 * max(1.0, float(np.abs(a).max())), rtol=0)
    difference = a - data.qacc
    assert np.sqrt(difference @ M @ difference) <= 0.5 * np.sqrt(f @ (data.efc_R * f))
