"""States that `peer_state` writes for MuJoCo mean the same there: poses and velocities of a free body, a hinge and a
ball.

MuJoCo's conventions: its documentation, "Computation", section "General framework: minimal and redundant coordinates".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import simulator
from simulator.spatial.rotation import matrix_from_axis_angle
from tests.helpers.documents import joint, link, model, world

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this Python or system")

INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
MJCF = f"""<mujoco><worldbody>
<body name="arm"><joint name="hip" axis="0 0 1"/>{INERTIAL}</body>
<body name="body"><freejoint/>{INERTIAL}</body>
<body name="head" pos="0 0 2"><joint name="neck" type="ball"/>{INERTIAL}</body>
</worldbody></mujoco>"""


def moving() -> simulator.Simulation:
    """The same three bodies, all turned and moving."""
    neck = "<joint name='neck' type='ball'><parent>world</parent><child>head</child></joint>"
    parts = [link("body", pose="1 2 3 0.3 -0.4 0.5"), link("arm"), link("head", pose="0 0 2 0 0 0")]
    sim = simulator.load(world(model("m", *parts, joint("hip", "revolute", parent="world", child="arm"), neck)))
    sim.set(hip=0.25, velocity={"hip": -0.5})
    state, generator = sim.moment.state, np.random.default_rng(3)
    poses = state.loose_pose.copy()
    for pose in poses:
        axis = generator.normal(size=3)
        pose[:3, :3] = matrix_from_axis_angle(axis / np.linalg.norm(axis), 0.8)
    free = [item.kind.value == "free" for item in sim.mechanism.joints if item.kind.value != "chain"]
    poses[free.index(True), :3, 3] = (0.2, -0.3, 0.4)
    twist = generator.normal(size=(2, 6))
    twist[free.index(False), 3:] = 0.0
    sim._core.continue_from(replace(sim.moment, state=replace(state, loose_pose=poses, loose_twist=twist)))
    return sim


def test_poses_and_velocities_are_the_same() -> None:
    sim = moving()
    there = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(there)
    data.qpos[:], data.qvel[:] = simulator.peer_state(sim, "mujoco", ["hip", "body:free", "neck"])
    mujoco.mj_forward(there, data)
    for name in ("arm", "body", "head"):
        index = there.body(name).id
        np.testing.assert_allclose(data.xmat[index].reshape(3, 3), sim.pose(name)[:3, :3], atol=1e-12)
        np.testing.assert_allclose(data.xpos[index], sim.pose(name)[:3, 3], atol=1e-12)
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(there, data, mujoco.mjtObj.mjOBJ_BODY, index, velocity, 0)
        np.testing.assert_allclose(velocity, sim.jacobian(name) @ sim.independent_velocities.array, atol=1e-12)
