"""Raw PyBullet: one multibody, gear constraints for couplings and point constraints for loops; the engine without this
project.

Its silent defaults that would spoil the motion are off (motors, damping, the clip of joint speeds), gears correct
positions (erp 0.2) and may pull as hard as they need; sweeps are Bullet's own 50.
"""

from __future__ import annotations

import numpy as np

from simulator.bullet.pybullet_import import pybullet
from simulator.mechanism.types import Mechanism
from simulator.spatial.rotation import quat_from_matrix
from tests.benchmarks.contenders import Array, Contender, Way
from tests.benchmarks.peers.bodies import WORLD, PeerLink, links_of, pairs_of, pins_of
from tests.benchmarks.tasks import DT, Task

RAW = "PyBullet"
ROOM = 127
"""Joints that a multibody has room for; beyond it, PyBullet cannot read them back."""
ERP, MAX_FORCE, NO_CLIP = 0.2, 1e6, 1e6


class RawPyBullet(Contender):
    """`stepSimulation` by one step a call, after a `setJointMotorControl2` where a torque acts, for Bullet forgets it
    after each step."""

    def __init__(self, task: Task) -> None:
        links = links_of(task.mechanism)
        if len(links) > ROOM:
            raise ValueError(f"a multibody holds {ROOM} joints, not {len(links)}")
        self.task = task
        self.client = pybullet.connect(pybullet.DIRECT)
        pybullet.setTimeStep(DT, physicsClientId=self.client)
        pybullet.setGravity(*task.mechanism.gravity, physicsClientId=self.client)
        self.place = {link.axis: index for index, link in enumerate(links)}
        self.order = [self.place[axis] for axis in task.tree_axes()]
        frames = [_principal(link) for link in links]
        self.uid = _multibody(self.client, links, frames)
        _constrain(self.client, self.uid, task.mechanism, self.place, frames)
        self.call = self.push_and_step if task.effort else self.step
        self.reset()

    def step(self) -> None:
        pybullet.stepSimulation(physicsClientId=self.client)

    def push_and_step(self) -> None:
        pybullet.setJointMotorControl2(
            self.uid, self.place[0], pybullet.TORQUE_CONTROL, force=self.task.effort, physicsClientId=self.client
        )
        pybullet.stepSimulation(physicsClientId=self.client)

    def reset(self) -> None:
        for index in self.order:
            pybullet.resetJointState(self.uid, index, 0.0, 0.0, physicsClientId=self.client)

    def state(self) -> tuple[Array, Array]:
        states = pybullet.getJointStates(self.uid, self.order, physicsClientId=self.client)
        return np.array([state[0] for state in states]), np.array([state[1] for state in states])

    def close(self) -> None:
        pybullet.disconnect(physicsClientId=self.client)


Frame = tuple[Array, Array]
"""(moments, axes): principal moments and, as columns, their axes in the link's frame."""


def _principal(link: PeerLink) -> Frame:
    """Bullet wants principal axes for its inertial frames."""
    off = link.inertia - np.diag(np.diag(link.inertia))
    if np.abs(off).max() <= 1e-14 * np.abs(link.inertia).max():
        return np.diag(link.inertia).copy(), np.eye(3)
    moments, axes = np.linalg.eigh(link.inertia)
    axes[:, 2] *= np.linalg.det(axes)
    return moments, axes


def _multibody(client: int, links: list[PeerLink], frames: list[Frame]) -> int:
    kinds = [pybullet.JOINT_REVOLUTE if link.turns else pybullet.JOINT_PRISMATIC for link in links]
    uid = int(
        pybullet.createMultiBody(
            baseMass=0.0,
            linkMasses=[link.mass for link in links],
            linkCollisionShapeIndices=[-1] * len(links),
            linkVisualShapeIndices=[-1] * len(links),
            linkPositions=[link.X_PL.position for link in links],
            linkOrientations=[link.X_PL.orientation for link in links],
            linkInertialFramePositions=[link.com for link in links],
            linkInertialFrameOrientations=[quat_from_matrix(axes) for _, axes in frames],
            linkParentIndices=[0 if link.parent == WORLD else link.parent + 1 for link in links],
            linkJointTypes=kinds,
            linkJointAxis=[link.direction for link in links],
            physicsClientId=client,
        )
    )
    pybullet.changeDynamics(uid, -1, maxJointVelocity=NO_CLIP, physicsClientId=client)
    for index, (moments, _) in enumerate(frames):
        pybullet.changeDynamics(
            uid, index, linearDamping=0.0, angularDamping=0.0, jointDamping=0.0, localInertiaDiagonal=moments.tolist(),
            physicsClientId=client,
        )  # fmt: skip
        pybullet.setJointMotorControl2(uid, index, pybullet.VELOCITY_CONTROL, force=0.0, physicsClientId=client)
    return uid


def _constrain(client: int, uid: int, mechanism: Mechanism, place: dict[int, int], frames: list[Frame]) -> None:
    """Gears for couplings (q_A + ratio q_B = target); points for loops, told in the links' inertial frames."""
    for coupling in pairs_of(mechanism):
        gear = pybullet.createConstraint(
            uid, place[coupling.follower], uid, place[coupling.leader], pybullet.JOINT_GEAR,
            (0, 1, 0), (0, 0, 0), (0, 0, 0), physicsClientId=client,
        )  # fmt: skip
        pybullet.changeConstraint(
            gear, gearRatio=-coupling.multiplier, relativePositionTarget=coupling.constant, erp=ERP, maxForce=MAX_FORCE,
            physicsClientId=client,
        )  # fmt: skip
    links = links_of(mechanism)

    def in_inertial(link: int, point: tuple[float, float, float]) -> list[float]:
        inside: list[float] = (frames[link][1].T @ (np.array(point) - np.array(links[link].com))).tolist()
        return inside

    for pin in pins_of(mechanism):
        point = pybullet.createConstraint(
            uid, pin.first[0], uid, pin.second[0], pybullet.JOINT_POINT2POINT, (0, 0, 0),
            in_inertial(*pin.first), in_inertial(*pin.second), physicsClientId=client,
        )  # fmt: skip
        pybullet.changeConstraint(point, maxForce=MAX_FORCE, physicsClientId=client)


def ways() -> list[Way]:
    """One."""
    return [Way(RAW, "PyBullet", RawPyBullet)]
