"""What is read from Bullet is what the mechanism's own kinematics say, for every kind of joint at any place and
speed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from simulator.bullet.dynamics import BulletDynamics
from simulator.bullet.pybullet_import import pybullet
from simulator.kinematics.assembly import advance
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.types import JointKind, Mechanism
from simulator.model.link import Inertial
from simulator.spatial.pose import Pose
from simulator.spatial.pose_arrays import matrices
from simulator.spatial.rotation import rotation_vector
from tests.helpers.mechanisms import Array, joint, link, mechanism, random_state

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
OFFSET = Inertial(0.7, Pose.from_rpy((0.1, -0.2, 0.3), (0.3, 0.2, 0.1)), (0.03, 0.04, 0.05), (0.004, -0.003, 0.002))


@contextmanager
def backend(built: Mechanism, dt: float = 0.001) -> Iterator[BulletDynamics]:
    made = BulletDynamics(built, dt=dt)
    try:
        yield made
    finally:
        made.close()


def everything(*, floating: bool) -> Mechanism:
    """A tree with every kind of joint, some written from child to parent, with centres of mass anywhere and products of
    inertia."""
    names = "abcdefgh"
    root = [] if floating else [joint("root", "revolute", "world", "a", at=(0.2, 0.1, 0), axes=[(1, 1, 0)])]
    return mechanism(
        *(
            link(name, at=(0.3 * i, 0.2 * i, -0.1 * i), rpy=(0.4 * i, 0.3, -0.2 * i), inertial=OFFSET)
            for i, name in enumerate(names)
        ),
        *root,
        joint("ab", "prismatic", "a", "b", at=(0.1, 0, 0), rpy=(0.3, 0, 0), axes=[(0.6, 0, 0.8)]),
        joint("cb", "universal", "c", "b", at=(0.4, 0.2, 0), rpy=(0, 0.3, 0.1), axes=[X, Y]),
        joint("cd", "ball", "c", "d", at=(0.7, 0.5, 0), rpy=(1, 2, 3)),
        joint("ed", "ball", "e", "d", at=(0.9, 0.5, 0.3)),
        joint("ef", "screw", "e", "f", at=(1, 1, 1), rpy=(0.2, 0.1, 0), axes=[(0, 0.6, 0.8)], screw_thread_pitch=0.3),
        joint("gf", "screw", "g", "f", at=(1, 1, 1), axes=[X]),
        joint("hg", "revolute", "h", "g", at=(1.2, 0, 0), axes=[(0, 1, 1)]),
    )  # fmt: skip


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_poses_agree_with_our_kinematics(floating: bool, seed: int) -> None:
    """1e-12: eight bodies deep, lengths of a few metres; Bullet computes in double precision throughout."""
    built = everything(floating=floating)
    state = random_state(built, np.random.default_rng(seed))
    with backend(built) as bullet:
        bullet.set_state(state)
        got = bullet.read()
    expected = Kinematics(built).body_matrices(state)
    np.testing.assert_allclose(matrices(got.body_poses), expected, atol=1e-12)
    tree = [i for i, axis in enumerate(built.axes) if axis.in_tree]
    np.testing.assert_allclose(got.position[tree], state.position[tree], atol=0.0)


@pytest.mark.parametrize("floating", [False, True])
def test_links_are_where_bullet_has_them(floating: bool) -> None:
    """Bullet's own frames of links, which nothing else reads. 1e-12 as above."""
    built = everything(floating=floating)
    with backend(built) as bullet:
        bullet.set_state(random_state(built, np.random.default_rng(1), speed=1.0))
        got = bullet.read()
        for body, (uid, link_index, X_IB) in bullet._carriers.items():
            if link_index < 0:
                continue
            row = pybullet.getLinkState(uid, link_index, 1, 1, bullet._client)
            placed = Pose(row[0], row[1]) @ X_IB
            np.testing.assert_allclose(matrices(got.body_poses)[body], placed.matrix(), atol=1e-12)
            np.testing.assert_allclose(got.body_velocities[body], (*row[7], *row[6]), atol=1e-12)


def freedoms_of(built: Mechanism, state: JointState) -> Array:
    """The velocity vector of the forest."""
    kinematics = Kinematics(built)
    speeds = np.zeros(kinematics.layout.size)
    for axis, column in enumerate(kinematics.layout.of_axis):
        speeds[column] = state.velocity[axis]
    for slot, index in enumerate(multi_dof_joints(built)):
        first = kinematics.layout.first[index]
        count = 6 if built.joints[index].kind is JointKind.FREE else 3
        speeds[first : first + count] = state.loose_twist[slot, :count]
    return speeds


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_body_velocities_are_the_differences_of_poses(floating: bool, seed: int) -> None:
    """Angular velocity, and velocity of the centre of mass, in world axes. 1e-7: central differences of 1e-6 s at a few
    rad/s."""
    built = everything(floating=floating)
    kinematics = Kinematics(built)
    state = random_state(built, np.random.default_rng(seed), speed=1.0)
    with backend(built) as bullet:
        bullet.set_state(state)
        got = bullet.read()
    h = 1e-6
    step = h * freedoms_of(built, state)
    ahead, behind = (kinematics.body_matrices(advance(kinematics, state, s * step)) for s in (1.0, -1.0))
    for body in range(1, len(built.bodies)):
        com = np.array((*built.bodies[body].com, 1.0))
        angular = rotation_vector(ahead[body, :3, :3] @ behind[body, :3, :3].T) / (2 * h)
        linear = ((ahead[body] - behind[body]) @ com)[:3] / (2 * h)
        np.testing.assert_allclose(got.body_velocities[body], np.concatenate((angular, linear)), atol=1e-7)
    np.testing.assert_allclose(got.velocity, state.velocity, atol=0.0)


def test_a_fresh_world_is_at_the_documents_pose() -> None:
    built = everything(floating=True)
    with backend(built) as bullet:
        poses = matrices(bullet.read().body_poses)
    for body, pose in zip(built.bodies, poses, strict=True):
        np.testing.assert_allclose(pose, body.X_WB.matrix(), atol=1e-12)


def test_closing_twice_is_harmless_and_clients_are_given_back() -> None:
    """Bullet has room for a few dozen clients in a process."""
    for _ in range(60):
        made = BulletDynamics(mechanism(link("a")), dt=0.001)
        made.close()
        made.close()
