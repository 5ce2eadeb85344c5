"""Accelerations of mechanisms with branches, loops and couplings against MuJoCo (extra `bench`), whose constraints are
soft.

MuJoCo solves (A + R) f = a_ref - J a_free with A = J M^-1 J^T and R = (1 - d)/d diag(A), where the impedance d is at
most 0.9999; rigid rows are the limit R = 0. Where loops are closed and velocities consistent, a_ref is -(dJ/dt) v, as
for rigid rows, and the difference D of the accelerations obeys

    sqrt(D^T M D) <= sqrt(f^T R f) / 2        (f: the rigid multipliers)

because x/(1 + x)^2 <= 1/4 for every eigenvalue x of R^-1/2 A R^-1/2. That is the softness allowed, with MuJoCo's own M,
J and R; in figures 0.3 % of the largest acceleration in the median, 13 % at worst. What softness does not touch is held
to round-off, and together it determines a: M (a - a_free) is a combination of the rows of J, and J a = a_ref. (a_ref
holds 2.5e5/s^2 times the residual of the loops, hence 1e-8.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.types import JointKind, Mechanism
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as layout
from simulator.spatial.rotation import quat_from_matrix
from tests.helpers.mjcf import TIGHT, as_mjcf
from tests.helpers.random_mechanisms import consistent_state, random_mechanism

mujoco = pytest.importorskip("mujoco", minversion="4.0", reason="MuJoCo 4 has no wheel for this Python or system")

Array = NDArray[np.float64]
EXACT = '<option jacobian="dense" tolerance="0" iterations="200"/>'
"""Solved to the end, and J as a full matrix."""


@dataclass
class Twin:
    """The mechanism there."""

    mechanism: Mechanism

    def __post_init__(self) -> None:
        self.model = mujoco.MjModel.from_xml_string(as_mjcf(self.mechanism, TIGHT, extra=EXACT))
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
        for slot, index in enumerate(multi_dof_joints(self.mechanism)):
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
        for slot, index in enumerate(multi_dof_joints(self.mechanism)):
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
