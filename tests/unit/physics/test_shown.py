"""What compiled code shows at many states is what the kinematics, and sums over bodies and joints, say of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.kinematics.assembly import advance
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.loads import BodyLoads
from simulator.mechanism.residuals import LoopRows, loop_frames, loop_motion
from simulator.mechanism.types import JointKind, Mechanism
from simulator.physics.step.shown import Show, Shown
from simulator.session.open.opening import open_document
from simulator.spatial.pose import Pose
from simulator.spatial.pose_arrays import matrices
from tests.helpers.energy_meter import EnergyMeter
from tests.helpers.mechanisms import joint, link, mechanism, random_state
from tests.helpers.repository import ROOT

Array = NDArray[np.float64]
H = 1e-6


def universal_loop() -> Mechanism:
    """A free body, a ball, a slide, and a loop that a universal joint closes, with axes off the right angle."""
    return mechanism(
        link("a", at=(0.1, 0.2, 0.3), rpy=(0.1, 0.2, 0.3)),
        link("b", at=(0.5, 0.1, 0.0), rpy=(0.3, 0.0, 0.1)),
        link("c", at=(0.2, 0.6, 0.1)),
        link("free", at=(2.0, 0.0, 1.0), rpy=(1.0, 0.5, 0.2)),
        joint("wa", "ball", "world", "a", at=(0.1, 0.0, 0.0), rpy=(0.5, 0.1, 0.0)),
        joint("ab", "revolute", "a", "b", at=(0.3, 0.1, 0.0), axes=[(0.0, 0.6, 0.8)]),
        joint("wc", "prismatic", "world", "c", at=(0.2, 0.4, 0.0), axes=[(1.0, 0.0, 0.0)]),
        joint("bc", "universal", "b", "c", at=(0.4, 0.4, 0.2), axes=[(1.0, 0.0, 0.0), (0.6, 0.8, 0.0)]),
    )


def world_of(name: str) -> Mechanism:
    built = open_document(ROOT / "worlds" / f"{name}.sdf").mechanism
    return replace(built, loads=BodyLoads())


def loose_of(built: Mechanism, state: JointState) -> Array:
    """What `Show` takes of balls and free joints, shape (n_loose, 13), of their poses and twists, which are in inboard
    axes: free joints here are on the world, with frames parallel to its axes."""
    rows = np.zeros((len(state.loose_pose), 13))
    for row, index, pose, twist in zip(rows, multi_dof_joints(built), state.loose_pose, state.loose_twist, strict=True):
        row[:7] = Pose.from_matrix(pose).as_list()
        free = built.joints[index].kind is JointKind.FREE
        turn = built.joints[index].X_PJ.rotation() if free else pose[:3, :3].T
        row[7:10], row[10:] = turn @ twist[:3], turn @ twist[3:]
    return rows


def shown_at(show: Show, built: Mechanism, states: list[JointState]) -> Shown:
    position, velocity = (np.array([getattr(s, what) for s in states]) for what in ("position", "velocity"))
    return show.at(position, velocity, np.array([loose_of(built, s) for s in states]))


@pytest.mark.parametrize("name", ["four_bar", "stewart", "rack_and_pinion", "gripper", "universal"])
def test_bodies_loops_and_energies(name: str) -> None:
    """At positions and velocities that no coupling and no loop holds. 1e-12: chains of six bodies, lengths of 1 m."""
    built = universal_loop() if name == "universal" else world_of(name)
    chance, kinematics = np.random.default_rng(7), Kinematics(built)
    states = [random_state(built, chance, speed=1.0) for _ in range(5)]
    found = shown_at(Show(built, {}), built, states)
    expected = np.array([kinematics.body_matrices(state) for state in states])
    np.testing.assert_allclose(matrices(found.poses), expected, atol=1e-12)
    np.testing.assert_allclose(found.loops, LoopRows(built).residuals(expected), atol=1e-12)
    meter = EnergyMeter(built)
    np.testing.assert_allclose(found.energies[:, 0], meter.kinetic(expected, found.velocities), rtol=1e-12)
    np.testing.assert_allclose(found.energies[:, 1], meter.potential(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["four_bar", "stewart", "slider_crank", "universal"])
def test_axes_of_loop_joints(name: str) -> None:
    """Positions as frames tell them, rates as their central differences. 1e-7: steps of 1e-6 s at some rad/s."""
    built = universal_loop() if name == "universal" else world_of(name)
    kinematics, show = Kinematics(built), Show(built, {})
    state = random_state(built, np.random.default_rng(2), speed=1.0)
    found = shown_at(show, built, [state]).axes[0]
    speeds = np.zeros(kinematics.layout.size)
    for axis, info in enumerate(built.axes):
        if info.in_tree:
            speeds[kinematics.layout.of_axis[axis]] = state.velocity[axis]
    for slot, index in enumerate(multi_dof_joints(built)):
        first, count = kinematics.layout.first[index], 6 if built.joints[index].kind is JointKind.FREE else 3
        speeds[first : first + count] = state.loose_twist[slot, :count]

    def positions(later: float) -> Array:
        at = kinematics.body_matrices(advance(kinematics, state, later * speeds))
        values = [loop_motion(loop, loop_frames(loop, at))[0] for loop in built.loop_joints]
        order = [motion.axis for loop in built.loop_joints for motion in loop.motions]
        assert order == show.loop_axes
        return np.concatenate(values)

    np.testing.assert_allclose(found[:, 0], positions(0.0), atol=1e-12)
    np.testing.assert_allclose(found[:, 1], (positions(H) - positions(-H)) / (2.0 * H), atol=1e-7)
