"""Cluster trees of the app's mechanisms: mobility, all ways to the same acceleration, and the mechanism's own
kinematics beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.world import World
from simulator.spatial.pose import Pose
from tests.helpers.linkages import Y, four_bar, platform, ring_of_hinges, slider_crank
from tests.helpers.mechanisms import joint, link, mechanism, mimic, random_state
from textbook.clusters import algorithms, checks
from textbook.clusters.from_mechanism import MechanismTree, cluster_tree_of, loop_joint_rows
from textbook.clusters.kinematics import body_transforms, body_velocities, kinematics
from textbook.clusters.state import close_loops, recoordinated, span_velocity
from textbook.clusters.tree import TreeState
from textbook.plucker import transform_of_pose

Array = NDArray[np.float64]
X = (1.0, 0.0, 0.0)

WORLDS: dict[str, tuple[World, int]] = {
    "four-bar": (four_bar(), 1),
    "slider-crank": (slider_crank(), 1),
    "ring of 7": (ring_of_hinges(7), 1),
    "ring of 9": (ring_of_hinges(9), 3),
    "platform": (platform(), 6),
}


def mixed() -> Mechanism:
    """A free body with a universal joint, a ball, a screw, a rack on a pinion and a chain of mimics."""
    return mechanism(
        link("base", at=(0.0, 0.0, 1.0)),
        link("cross"),
        link("bob", at=(0.2, 0.0, 0.0)),
        link("nut"),
        link("pinion"),
        link("rack"),
        link("last"),
        joint("u", "universal", "base", "cross", at=(0.1, 0.0, 1.0), axes=[X, Y]),
        joint("b", "ball", "cross", "bob", at=(0.2, 0.1, 1.0)),
        joint("s", "screw", "base", "nut", at=(0.0, 0.3, 1.0), axes=[(0.6, 0.0, 0.8)], screw_thread_pitch=0.02),
        joint("p", "revolute", "world", "pinion", axes=[Y]),
        joint("r", "prismatic", "world", "rack", axes=[X], axis={"mimic": mimic("p", multiplier=0.05, offset=0.1)}),
        joint("l", "revolute", "rack", "last", axes=[Y], axis={"mimic": mimic("r", multiplier=-3.0)}),
    )


def start_of(made: MechanismTree, seed: int) -> tuple[MechanismTree, TreeState]:
    """A closed state beside the document's pose, well away from where branches meet."""
    random = np.random.default_rng(seed)
    q, _ = made.spanning(rest_state(made.mechanism))
    state = close_loops(made.tree, TreeState(q, np.zeros(made.tree.freedoms)))
    q = state.q.copy()
    for body in made.axis_body:
        if body >= 0:
            q[made.places(body)[0]] += 0.15 * random.normal()
    return made, close_loops(made.tree, TreeState(q, random.normal(size=made.tree.freedoms)))


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_closed_mechanisms(name: str) -> None:
    """Freedoms as counted; C-ABA = projection to 1e-10, = multipliers to 1e-8; KG = 0, Kg = k to 1e-10."""
    world, mobility = WORLDS[name]
    made, state = start_of(cluster_tree_of(build_mechanism(world)), 1)
    assert made.tree.freedoms == mobility
    tree, state = recoordinated(made.tree, state)
    random = np.random.default_rng(2)
    tau, f_ext = random.normal(size=tree.freedoms), random.normal(size=(len(tree.body_names), 6))
    motion, everything = kinematics(tree, state), checks.stacked(tree, state, f_ext)
    ydd = algorithms.forward_dynamics(motion, tau, f_ext)
    scale = max(1.0, float(np.abs(ydd).max()))
    np.testing.assert_allclose(checks.forward_by_projection(everything, tau), ydd, atol=1e-10 * scale)
    np.testing.assert_allclose(checks.forward_by_multipliers(everything, tau).ydd, ydd, atol=1e-8 * scale)
    assert np.abs(everything.K @ everything.G).max() < 1e-10
    assert np.abs(everything.K @ everything.g - everything.k).max() < 1e-10 * max(
        1.0, float(np.abs(everything.k).max())
    )


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_velocities_satisfy_the_mechanisms_own_rows(name: str) -> None:
    """`Kinematics.constraint_matrix`, another derivation of K over the same freedoms, lets q̇ = Gẏ pass: 1e-9."""
    world, _ = WORLDS[name]
    made, state = start_of(cluster_tree_of(build_mechanism(world)), 3)
    built = made.mechanism
    velocity = made.axis_values(span_velocity(made.tree, state))
    position = np.zeros(len(built.axes))
    for axis, body in enumerate(made.axis_body):
        if body >= 0:
            position[axis] = state.q[made.places(body)[0]][0]
    joints = rest_state(built)
    joints = type(joints)(position, np.nan_to_num(velocity), *loose_of(made, state))
    own = Kinematics(built)
    qd = np.zeros(own.layout.size)
    for axis, column in enumerate(own.layout.of_axis):
        if column >= 0:
            qd[column] = velocity[axis]
    fill_loose(made, state, own, qd, joints.loose_pose)
    assert np.abs(own.constraint_matrix(joints) @ qd).max() < 1e-9 * max(1.0, float(np.abs(qd).max()))


def loose_of(made: MechanismTree, state: TreeState) -> tuple[Array, Array]:
    """Poses of the balls (the only loose joints of these worlds)."""
    poses = np.tile(np.eye(4), (len(made.loose_body), 1, 1))
    for slot, body in enumerate(made.loose_body):
        x, y, z, w = (float(c) for c in state.q[made.places(body)[0]])
        poses[slot, :3, :3] = Pose((0.0, 0.0, 0.0), (x, y, z, w)).rotation()
    return poses, np.zeros((len(made.loose_body), 6))


def fill_loose(made: MechanismTree, state: TreeState, own: Kinematics, qd: Array, poses: Array) -> None:
    """Angular velocity of the balls, in the inboard joint frame."""
    qd_tree = span_velocity(made.tree, state)
    loose = [i for i, item in enumerate(made.mechanism.joints) if item.kind.value == "ball"]
    for slot, (index, body) in enumerate(zip(loose, made.loose_body, strict=True)):
        first = own.layout.first[index]
        qd[first : first + 3] = poses[slot, :3, :3] @ qd_tree[made.places(body)[1]]


def test_joints_of_every_kind() -> None:
    """Couplings hold, positions of bodies are those of `Kinematics`, two mimics and a pinion make one cluster."""
    built = mixed()
    made = cluster_tree_of(built)
    tree = made.tree
    assert tree.freedoms == 6 + 2 + 3 + 1 + 1
    random = np.random.default_rng(4)
    joints = random_state(built, random, speed=1.0)
    q, _ = made.spanning(joints)
    X = body_transforms(kinematics(tree, TreeState(q, np.zeros(tree.freedoms))))
    poses = Kinematics(built).body_matrices(joints)
    for index, mechanism_joint in enumerate(built.joints):
        wanted = transform_of_pose(Pose.from_matrix(poses[index + 1] @ mechanism_joint.X_CJ.matrix()))
        np.testing.assert_allclose(X[made.body_of[index + 1]], wanted, atol=1e-12)
    state = close_loops(tree, TreeState(q, random.normal(size=tree.freedoms)))
    qd = made.axis_values(span_velocity(tree, state))
    for coupling in built.couplings:
        assert sum(a * qd[axis] for axis, a in coupling.terms) == pytest.approx(0.0, abs=1e-12)
    together = {tree.cluster_of_body[made.axis_body[built.axis_index(name) or 0]] for name in ("p", "r", "l")}
    assert len(together) == 1
    tau, f_ext = random.normal(size=tree.freedoms), random.normal(size=(len(tree.body_names), 6))
    ydd = algorithms.forward_dynamics(kinematics(tree, state), tau, f_ext)
    wanted_ydd = checks.forward_by_projection(checks.stacked(tree, state, f_ext), tau)
    np.testing.assert_allclose(ydd, wanted_ydd, atol=1e-10 * float(np.abs(ydd).max()))


def test_states_keep_velocities_that_satisfy_the_couplings() -> None:
    """`state` inverts `spanning`, balls and free bodies in their own axes."""
    built = mechanism(link("a"), link("b"), joint("j", "ball", "a", "b", at=(0.1, 0.2, 0.3)))
    made = cluster_tree_of(built)
    joints = random_state(built, np.random.default_rng(5), speed=1.0)
    q, qd = made.spanning(joints)
    state = made.state(joints)
    np.testing.assert_allclose(state.q, q)
    np.testing.assert_allclose(span_velocity(made.tree, state), qd)
    v = body_velocities(kinematics(made.tree, state))[0]
    np.testing.assert_allclose(joints.loose_pose[0, :3, :3] @ v[:3], joints.loose_twist[0, :3], atol=1e-14)
    np.testing.assert_allclose(joints.loose_pose[0, :3, :3] @ v[3:], joints.loose_twist[0, 3:], atol=1e-14)


def test_a_rack_feels_its_pinion() -> None:
    """Rack and pinion, 1e-4 + 1 · 0.02² = 5e-4 kg m²: pinion 1e-4 kg m², rack 1 kg, 0.02 m/rad, 0.01 N m → 20
    rad/s²."""
    from simulator.model.link import Inertial

    pinion, rack = Inertial(1.0, moments=(1e-4, 1e-4, 1e-4)), Inertial(1.0, moments=(0.01, 0.01, 0.01))
    built = mechanism(
        link("pinion", inertial=pinion),
        link("rack", inertial=rack),
        joint("p", "revolute", "world", "pinion", axes=[Y]),
        joint("r", "prismatic", "world", "rack", axes=[X], axis={"mimic": mimic("p", multiplier=0.02)}),
    )
    tree = cluster_tree_of(built).tree
    motion = kinematics(tree, TreeState(np.zeros(2), np.zeros(1)))
    assert algorithms.forward_dynamics(motion, np.array([0.01]))[0] == pytest.approx(20.0, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "rows"),
    [("revolute", 5), ("prismatic", 5), ("ball", 3), ("universal", 4), ("screw", 4)],
)
def test_cut_joints_keep_their_type(kind: str, rows: int) -> None:
    """A screw has a cylinder's 4 rows and the coupling of its axes."""
    built = mechanism(
        *(link(f"l{i}", at=(float(i), 0.3 * i, 0.1)) for i in range(6)),
        *(
            joint(
                f"j{i}",
                "revolute",
                "world" if i == 0 else f"l{i - 1}",
                f"l{i}",
                at=(float(i), 0.2 * i * i, 0.1 * i),
                axes=[(math.sin(i), math.cos(2 * i), 0.5)],
            )
            for i in range(6)
        ),
        joint("close", kind, "world", "l5", at=(2.0, 1.0, 0.7), axes=[X, Y], must_be_loop_joint=True),
    )
    (cut,) = built.loop_joints
    assert len(loop_joint_rows(cut)) == rows
    made = cluster_tree_of(built)
    assert made.tree.freedoms == 6 - rows - (1 if kind == "screw" else 0)
    q, _ = made.spanning(rest_state(built))
    assert np.linalg.norm(made.tree.clusters[0].joint.constraint.residual(q)) < 1e-12
