"""Batched reads: one call per multibody for joints and one for links, composed in numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.pybullet_import import pybullet
from simulator.engine.port import BackendState
from simulator.spatial.pose import Pose
from simulator.spatial.pose_arrays import compose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.bullet.builder import Built
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]


class PoseReader:
    """Reads positions, velocities and body poses of all multibodies of a client."""

    def __init__(self, client: int, mechanism: Mechanism, built: list[Built]) -> None:
        self._client = client
        self._n_axes, self._n_bodies = len(mechanism.axes), len(mechanism.bodies)
        loose = [b for b in built if b.plan.base_joint >= 0]
        self._bases = [b.uid for b in loose]
        self._base_bodies = np.array([b.plan.base for b in loose], dtype=int)
        self._base_X_IB = np.array([b.plan.X_BI.inverse().as_list() for b in loose], dtype=float).reshape(-1, 7)
        self._joints, self._links = [], []
        offsets, bodies = [], []
        for b in built:
            moving = [(i, link.axis) for i, link in enumerate(b.plan.links) if link.axis >= 0]
            if moving:
                self._joints.append((b.uid, [i for i, _ in moving], np.array([axis for _, axis in moving])))
            carried = [(i, link) for i, link in enumerate(b.plan.links) if link.body >= 0]
            if carried:
                self._links.append((b.uid, [i for i, _ in carried]))
                bodies += [link.body for _, link in carried]
                offsets += [(link.X_LI.inverse() @ link.X_LB).as_list() for _, link in carried]
        self._bodies = np.array(bodies, dtype=int)
        self._X_IB = np.array(offsets, dtype=float).reshape(-1, 7)
        self._poses: Array = np.zeros((self._n_bodies, 7))

    def read(self) -> BackendState:
        """Everything a step is measured by."""
        position, velocity = np.full(self._n_axes, np.nan), np.full(self._n_axes, np.nan)
        effort = np.zeros(self._n_axes)
        for uid, links, axes in self._joints:
            states = pybullet.getJointStates(uid, links, physicsClientId=self._client)
            position[axes] = [state[0] for state in states]
            velocity[axes] = [state[1] for state in states]
            effort[axes] = [state[3] for state in states]
        poses, velocities = self._read_bodies()
        self._poses = poses
        return BackendState(position, velocity, effort, poses, velocities)

    def body_pose(self, body: int) -> Pose:
        """X_WB as it was last read."""
        x, y, z, qx, qy, qz, qw = (float(c) for c in self._poses[body])
        return Pose((x, y, z), (qx, qy, qz, qw))

    def _read_bodies(self) -> tuple[Array, Array]:
        poses, velocities = np.zeros((self._n_bodies, 7)), np.zeros((self._n_bodies, 6))
        poses[:, 6] = 1.0
        rows = []
        for uid, links in self._links:
            rows += pybullet.getLinkStates(
                uid, links, computeLinkVelocity=1, computeForwardKinematics=1, physicsClientId=self._client
            )
        if rows:
            # The inertial frames: Bullet rounds a link's own frame to single precision on the way out (7e-8 m
            # measured).
            frames = np.array([(*row[0], *row[1]) for row in rows])
            poses[self._bodies] = compose(frames, self._X_IB)
            velocities[self._bodies] = [(*row[7], *row[6]) for row in rows]
        if self._bases:  # Bullet has no call for several of them
            client = self._client
            places = [pybullet.getBasePositionAndOrientation(uid, physicsClientId=client) for uid in self._bases]
            motions = [pybullet.getBaseVelocity(uid, physicsClientId=client) for uid in self._bases]
            frames = np.array([(*place, *turn) for place, turn in places])
            poses[self._base_bodies] = compose(frames, self._base_X_IB)
            velocities[self._base_bodies] = [(*angular, *linear) for linear, angular in motions]
        return poses, velocities
