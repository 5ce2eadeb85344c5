"""Batched reads: one call per multibody for joints and one for links, composed in numpy, of many instants at once."""

from __future__ import annotations

from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.bullet.pybullet_import import pybullet
from simulator.engine.port import BackendState, instants
from simulator.spatial.pose import Pose
from simulator.spatial.pose_arrays import compose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from simulator.bullet.builder import Built
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]

POSITION, VELOCITY, EFFORT = 0, 1, 3
"""Places in what `getJointStates` gives of a joint."""
OF_JOINT = itemgetter(POSITION, VELOCITY, EFFORT)


class Raw(NamedTuple):
    """What Bullet's calls gave at one instant: of joints, of links, and of bases their places and their motions."""

    joints: Sequence[Any]
    links: Sequence[Any]
    places: Sequence[Any]
    motions: Sequence[Any]


class Numbers(NamedTuple):
    """The same of n instants as arrays. `joints` (3, n, n_joints): position, velocity and motor effort; `links` and
    `bases` (n, …, 13): inertial frame in the world, as x, y, z and a quaternion, angular velocity and velocity."""

    joints: Array
    links: Array
    bases: Array


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
        offsets, bodies, axes = [], [], []
        for b in built:
            moving = [(i, link.axis) for i, link in enumerate(b.plan.links) if link.axis >= 0]
            if moving:
                self._joints.append((b.uid, [i for i, _ in moving]))
                axes += [axis for _, axis in moving]
            carried = [(i, link) for i, link in enumerate(b.plan.links) if link.body >= 0]
            if carried:
                self._links.append((b.uid, [i for i, _ in carried]))
                bodies += [link.body for _, link in carried]
                offsets += [(link.X_LI.inverse() @ link.X_LB).as_list() for _, link in carried]
        self._axes = np.array(axes, dtype=int)
        self._bodies = np.array(bodies, dtype=int)
        self._X_IB = np.array(offsets, dtype=float).reshape(-1, 7)
        self._poses: Array = np.zeros((self._n_bodies, 7))

    def read(self) -> BackendState:
        """Everything a step is measured by."""
        return instants(self.states([self.numbers([self.take()])]), 0)

    def read_axes(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, shape (n_axes,) each; nan of loop joints."""
        joints = of_multibodies(pybullet.getJointStates, self._joints, self._client)
        position, velocity = np.full((2, self._n_axes), np.nan)
        position[self._axes] = [joint[POSITION] for joint in joints]
        velocity[self._axes] = [joint[VELOCITY] for joint in joints]
        return position, velocity

    @property
    def axes(self) -> list[int]:
        """The axes of what `take` gives of joints."""
        axes: list[int] = self._axes.tolist()
        return axes

    @property
    def frames(self) -> list[tuple[int, int]]:
        """(Bullet body, link) of what `take` gives of links, then of bases, whose link is -1."""
        links = [(uid, link) for uid, links in self._links for link in links]
        return links + [(uid, -1) for uid in self._bases]

    def take(self) -> Raw:
        """What Bullet says now, for `states`. Reading changes nothing of what Bullet goes on from."""
        client, bases = self._client, self._bases
        joints = of_multibodies(pybullet.getJointStates, self._joints, client)
        # Velocities are asked for, and kinematics anew: what Bullet keeps of them is older than the positions.
        links = of_multibodies(pybullet.getLinkStates, self._links, 1, 1, client)
        if not bases:
            return Raw(joints, links, (), ())
        # Of bases Bullet has no call for several.
        places = [pybullet.getBasePositionAndOrientation(uid, client) for uid in bases]
        return Raw(joints, links, places, [pybullet.getBaseVelocity(uid, client) for uid in bases])

    def numbers(self, raw: Sequence[Raw]) -> Numbers:
        """What was taken at those instants, as arrays."""
        count = len(raw)
        # The inertial frames: Bullet rounds a link's own frame to single precision on the way out (7e-8 m measured).
        links: list[float] = []
        for one in raw:
            for row in one.links:  # one long list: tuples of parts would take half as long again
                links += row[0]
                links += row[1]
                links += row[7]
                links += row[6]
        both = ((*place, *motion) for one in raw for place, motion in zip(one.places, one.motions, strict=True))
        bases = [(*at, *turn, *angular, *linear) for at, turn, linear, angular in both]
        return Numbers(
            joint_states([one.joints for one in raw], len(self._axes)),
            np.array(links, dtype=float).reshape(count, len(self._bodies), 13),
            np.array(bases, dtype=float).reshape(count, len(self._bases), 13),
        )

    def states(self, parts: Sequence[Numbers]) -> BackendState:
        """The states at all instants of these parts, one after the other."""
        count = sum(len(part.links) for part in parts)
        position, velocity = np.full((2, count, self._n_axes), np.nan)
        effort = np.zeros((count, self._n_axes))
        poses, velocities = np.zeros((count, self._n_bodies, 7)), np.zeros((count, self._n_bodies, 6))
        if not count:
            return BackendState(position, velocity, effort, poses, velocities)
        joints = np.concatenate([part.joints for part in parts], axis=1)
        position[:, self._axes], velocity[:, self._axes], effort[:, self._axes] = joints
        poses[:, :, 6] = 1.0
        of_links = np.concatenate([part.links for part in parts]), self._bodies, self._X_IB
        of_bases = np.concatenate([part.bases for part in parts]), self._base_bodies, self._base_X_IB
        for rows, bodies, X_IB in (of_links, of_bases):
            if len(bodies):
                poses[:, bodies] = compose(rows[:, :, :7], X_IB)
                velocities[:, bodies] = rows[:, :, 7:]
        self._poses = poses[-1]
        return BackendState(position, velocity, effort, poses, velocities)

    def body_pose(self, body: int) -> Pose:
        """X_WB as it was last read."""
        x, y, z, qx, qy, qz, qw = (float(c) for c in self._poses[body])
        return Pose((x, y, z), (qx, qy, qz, qw))


class Followed:
    """Reads where some bodies are, and some axes."""

    def __init__(
        self,
        client: int,
        reader: PoseReader,
        carriers: Sequence[tuple[int, int, Pose]],
        joints: Sequence[tuple[int, list[int], list[int]]],
    ) -> None:
        """`carriers`: of each body, where it is in Bullet (uid, link, X_IB); `joints`: (uid, links, axes) of every
        multibody that has some of the axes. `reader` reads everything."""
        calls: dict[int, list[int]] = {}
        for uid, link, _ in carriers:
            if link >= 0:
                calls.setdefault(uid, []).append(link)
        self._client, self._calls, self._joints = client, list(calls.items()), joints
        self._bases = [uid for uid, link, _ in carriers if link < 0]
        links = [(uid, link) for uid, links in self._calls for link in links]
        found, known = links + [(uid, -1) for uid in self._bases], reader.frames
        self._order = [found.index((uid, link)) for uid, link, _ in carriers]
        self._X_IB = np.array([X_IB.as_list() for _, _, X_IB in carriers], dtype=float).reshape(-1, 7)
        self._links_among, first = [known.index(link) for link in links], sum(link >= 0 for _, link in known)
        self._bases_among = [known.index((uid, -1)) - first for uid in self._bases]
        self._axes_among = [reader.axes.index(axis) for _, _, axes in joints for axis in axes]

    def frames(self, raw: Raw | None = None) -> list[tuple[float, ...]]:
        """Inertial frames of the bodies now, of what was read of everything where that is known."""
        if raw is not None:
            return [
                *[(*raw.links[i][0], *raw.links[i][1]) for i in self._links_among],
                *[(*raw.places[i][0], *raw.places[i][1]) for i in self._bases_among],
            ]
        frames: list[tuple[float, ...]] = []
        for uid, links in self._calls:
            frames += [(*row[0], *row[1]) for row in pybullet.getLinkStates(uid, links, 0, 1, self._client)]
        for uid in self._bases:
            place, turn = pybullet.getBasePositionAndOrientation(uid, self._client)
            frames.append((*place, *turn))
        return frames

    def positions(self, raw: Raw | None = None) -> list[float]:
        """Positions of the axes, likewise."""
        if raw is not None:
            return [raw.joints[i][POSITION] for i in self._axes_among]
        found: list[float] = []
        for uid, links, _ in self._joints:
            found += [state[POSITION] for state in pybullet.getJointStates(uid, links, self._client)]
        return found

    def poses(self, frames: Sequence[list[tuple[float, ...]]]) -> Array:
        """X_WB of what was read at several instants, shape (n, n_bodies, 7)."""
        placed = np.array(frames, dtype=float).reshape(len(frames), len(self._order), 7)
        return compose(placed[:, self._order], self._X_IB)


def joint_states(raw: Sequence[Sequence[Any]], joints: int) -> Array:
    """Positions, velocities and motor efforts of `joints` joints at several instants, shape (3, n, joints), of what
    `getJointStates` gave of them at each."""
    numbers = chain.from_iterable(map(OF_JOINT, chain.from_iterable(raw)))
    found = np.fromiter(numbers, dtype=float, count=3 * len(raw) * joints)
    parts: Array = found.reshape(len(raw), joints, 3).transpose(2, 0, 1)
    return parts


def of_multibodies(call: Callable[..., Any], where: Sequence[tuple[int, list[int]]], *options: int) -> Sequence[Any]:
    """What a call of Bullet's gives of (multibody, links), one after the other."""
    if len(where) == 1:
        found: Sequence[Any] = call(*where[0], *options)
        return found
    joined: list[Any] = []
    for uid, links in where:
        joined += call(uid, links, *options)
    return joined
