"""Compiled accelerations against cluster ABA, which shares no line with them: other coordinates, frames and
algorithm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.link import Inertial
from simulator.physics.compiled.model import CompiledMechanism
from simulator.session.open.opening import open_document
from simulator.spatial.pose import Pose
from tests.helpers.linkages import four_bar, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import joint, link, mechanism, mimic, random_state
from tests.helpers.repository import ROOT
from textbook.clusters.algorithms import forward_dynamics, span_acceleration
from textbook.clusters.from_mechanism import cluster_tree_of
from textbook.clusters.kinematics import kinematics

SKEWED = Inertial(2.0, Pose((0.1, -0.2, 0.05)), (0.3, 0.4, 0.5), (0.02, -0.03, 0.04))


def branching() -> Mechanism:
    """Revolute, prismatic, universal, ball, screw and free joints in one world, with two couplings across branches."""
    places = {
        "a": (0.0, 0.0, 0.0),
        "b": (1.0, 0.0, 0.0),
        "c": (1.0, 1.0, 0.0),
        "d": (0.0, 2.0, 0.5),
        "e": (1.0, 2.0, 0.5),
    }
    links = [link(name, at=at, rpy=(0.3, 0.2, 0.1), inertial=SKEWED) for name, at in places.items()]
    return mechanism(
        *links,
        link("f", at=(2.0, 2.0, 0.5), inertial=SKEWED),
        link("g", at=(3.0, 2.0, 0.5), inertial=SKEWED),
        joint("ja", "revolute", "world", "a", axes=[(0.0, 0.6, 0.8)], axis={"damping": 0.3, "spring_stiffness": 2.0}),
        joint(
            "jb",
            "prismatic",
            "a",
            "b",
            at=(1.0, 0.0, 0.0),
            axes=[(1.0, 0.0, 0.0)],
            axis={"mimic": mimic("ja", multiplier=0.3, offset=0.1)},
        ),
        joint("jc", "universal", "a", "c", at=(1.0, 0.5, 0.0), axes=[(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]),
        joint("jd", "ball", "c", "d", at=(0.5, 1.5, 0.2)),
        joint("je", "screw", "d", "e", at=(0.8, 2.0, 0.5), axes=[(0.6, 0.8, 0.0)], screw_thread_pitch=0.2),
        joint(
            "jf",
            "revolute",
            "world",
            "f",
            at=(2.0, 1.8, 0.5),
            axis={"mimic": mimic("jc", axis="axis2", multiplier=-2.0)},
        ),
    )


def world_file(name: str) -> Mechanism:
    return open_document(ROOT / "worlds" / f"{name}.sdf").mechanism


MECHANISMS = {
    "branching": branching,
    "four-bar": lambda: build_mechanism(four_bar()),
    "slider-crank": lambda: build_mechanism(slider_crank()),
    "ring of seven hinges": lambda: build_mechanism(ring_of_hinges(7)),
    "platform": lambda: build_mechanism(platform()),
    **{
        name: (lambda name=name: world_file(name))
        for name in ("four_bar", "gear_train", "screw_press", "gripper", "slider_crank", "planetary", "differential")
    },
}


def consistent(model: CompiledMechanism, random: np.random.Generator, *, small: float) -> JointState:
    """A random state with closed loops, couplings kept and velocities that both allow."""
    start = random_state(model.mechanism, random, speed=1.0)
    if model.mechanism.loop_joints:
        start = replace(start, position=small * start.position)
    model.set_state(start)
    model.project()
    return model.joint_state()


@pytest.mark.parametrize("name", MECHANISMS)
def test_accelerations_agree_with_cluster_aba(name: str) -> None:
    """Twenty states under random efforts; 1e-8 of the largest acceleration is left to loops near their limits (cond A
    up to 1e6)."""
    built = MECHANISMS[name]()
    model, random = CompiledMechanism(built), np.random.default_rng(5)
    for _ in range(20):
        state = consistent(model, random, small=0.05)
        efforts = random.standard_normal(len(built.axes))
        efforts[[not info.in_tree for info in built.axes]] = 0.0
        model.set_efforts(efforts)
        expected = _by_clusters(built, state, efforts)
        tree = np.array([info.in_tree for info in built.axes])
        scale = max(1.0, float(np.abs(expected[tree]).max(initial=0.0)))
        np.testing.assert_allclose(model.acceleration()[tree], expected[tree], atol=1e-8 * scale, rtol=0)


def _by_clusters(built: Mechanism, state: JointState, efforts: np.ndarray) -> np.ndarray:
    clusters = cluster_tree_of(built, state)
    motion = kinematics(clusters.tree, clusters.state(state))
    passive = np.array(
        [
            -info.axis.damping * rate - info.axis.spring_stiffness * (q - info.axis.spring_reference)
            if info.in_tree
            else 0.0
            for info, q, rate in zip(built.axes, state.position, state.velocity, strict=True)
        ]
    )
    tau = np.zeros(clusters.tree.span_size)
    for axis, body in enumerate(clusters.axis_body):
        if body >= 0:
            tau[clusters.places(body)[1]] = efforts[axis] + passive[axis]
    ydd = forward_dynamics(motion, motion.G.T @ tau)
    return clusters.axis_values(span_acceleration(motion, ydd))


@pytest.mark.parametrize("name", MECHANISMS)
def test_poses_agree_with_plain_kinematics(name: str) -> None:
    """Round-off of a dozen rotations in a row: 1e-12."""
    built = MECHANISMS[name]()
    model = CompiledMechanism(built)
    state = consistent(model, np.random.default_rng(8), small=0.05)
    matrices = Kinematics(built).body_matrices(state)
    poses = model.read_bodies()[0]
    np.testing.assert_allclose(poses[:, :3], matrices[:, :3, 3], atol=1e-12)
    velocities = model.read_bodies()[1]
    kinetic = 0.5 * sum(
        body.mass * float(v[3:] @ v[3:]) + float(_turning(body.inertia, matrix[:3, :3].T @ v[:3]))
        for body, v, matrix in zip(built.bodies[1:], velocities[1:], matrices[1:], strict=True)
    )
    assert model.energies()[0] == pytest.approx(kinetic, rel=1e-10)


def _turning(inertia: tuple[float, ...], w: np.ndarray) -> float:
    ixx, iyy, izz, ixy, ixz, iyz = inertia
    return float(w @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ w)
