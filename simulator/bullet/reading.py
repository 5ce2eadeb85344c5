"""Reads of Bullet: one call a multibody for its joints, two for a base that is free. Where links are and how they move
follows from that in compiled code, of many instants at once.

Bullet would tell the frames of links, too (`getLinkStates`), but that call and turning its tuples into arrays took
twice as long as a step of two coupled joints.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.bullet.plan import LinkKind
from simulator.bullet.pybullet_import import pybullet
from simulator.engine.port import BackendState, instants
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.loops import loop_path
from simulator.mechanism.types import JointKind, MotionKind
from simulator.physics.step.shown import Show
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from simulator.bullet.builder import Built
    from simulator.mechanism.types import Mechanism, MechanismJoint, Motion
    from simulator.spatial.arrays import Array


POSITION, VELOCITY, EFFORT = 0, 1, 3
"""Places in what `getJointStates` gives of a joint."""
OF_JOINT = itemgetter(POSITION, VELOCITY, EFFORT)


class Numbers(NamedTuple):
    """The same of n instants as arrays. `joints` (3, n, n_joints): position, velocity and motor effort; `loose` (n,
    n_loose, 13), of balls and bases, see `Show.at`."""

    joints: Array
    loose: Array


class StateReader:
    """Reads axes, balls and free bases of the multibodies of a client. Reading does not affect the simulation.

    `take_joints` asks Bullet for the states of all axes; `is_loose`: whether there are balls or free bases; `counts`:
    whether the states of every step are needed, in order, because axes of loop joints count their turns.
    """

    def __init__(self, client: int, mechanism: Mechanism, built: Sequence[Built]) -> None:
        self._client, self._show = client, _show_of(mechanism, built)
        self.counts = self._show.counts
        self._n_axes, self._poses = len(mechanism.axes), np.zeros((len(mechanism.bodies), 7))
        slot_of = {joint: slot for slot, joint in enumerate(multi_dof_joints(mechanism))}
        self._balls, calls = [], []
        axes, balls = [], []
        for b in built:
            moving = [(i, link.axis) for i, link in enumerate(b.plan.links) if link.axis >= 0]
            if moving:
                calls.append((b.uid, [i for i, _ in moving]))
                axes += [axis for _, axis in moving]
            round_ones = [(i, slot_of[link.joint]) for i, link in b.plan.of_kind(LinkKind.SPHERICAL)]
            if round_ones:
                self._balls.append((b.uid, [i for i, _ in round_ones]))
                balls += [slot for _, slot in round_ones]
        free = [b for b in built if b.plan.base_joint >= 0]
        self._bases = [b.uid for b in free]
        self._of_bases = [slot_of[b.plan.base_joint] for b in free]
        self.is_loose, self.take_joints = bool(slot_of), joint_reader(calls, client)
        self._of_axes, self._of_balls, self._n_loose = np.array(axes, dtype=int), balls, len(slot_of)

    def read(self) -> BackendState:
        """Everything a step is measured by."""
        return instants(self.states([self._numbers_now()]), 0)

    def start(self, axes: Array) -> None:
        """Count the turns of loop joints' axes from now on, which are nearest to `axes`, shape (n_axes,)."""
        position, velocity, _, loose = self._arranged([self._numbers_now()])
        self._show.start(position, velocity, loose, axes[self._show.loop_axes])

    def read_axes(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, shape (n_axes,) each."""
        if self._show.loop_axes:
            state = self.read()
            return state.position, state.velocity
        joints = self.take_joints()
        position, velocity = np.empty(self._n_axes), np.empty(self._n_axes)
        position[self._of_axes] = [joint[POSITION] for joint in joints]
        velocity[self._of_axes] = [joint[VELOCITY] for joint in joints]
        return position, velocity

    @property
    def axes(self) -> list[int]:
        """The axes of what `take_joints` gives."""
        axes: list[int] = self._of_axes.tolist()
        return axes

    def take_loose(self) -> tuple[Sequence[Any], Sequence[Any]]:
        """What Bullet says now of balls, and of free bases."""
        client = self._client
        balls = of_multibodies(pybullet.getJointStatesMultiDof, self._balls, client)
        # Of bases Bullet has no call for several.
        places = [pybullet.getBasePositionAndOrientation(uid, client) for uid in self._bases]
        return balls, [(*places[i], *pybullet.getBaseVelocity(uid, client)) for i, uid in enumerate(self._bases)]

    def numbers(self, joints: Sequence[Any], loose: Sequence[Any]) -> Numbers:
        """What `take_joints` and, where something `is_loose`, `take_loose` gave at the same instants, as arrays."""
        count = len(joints)
        found = np.zeros((count, self._n_loose, 13))
        if self._of_bases:
            moving = [(*at, *turn, *angular, *linear) for _, bases in loose for at, turn, linear, angular in bases]
            found[:, self._of_bases] = np.array(moving, dtype=float).reshape(count, -1, 13)
        if self._of_balls:
            turned = [(*ball[POSITION], *ball[VELOCITY]) for balls, _ in loose for ball in balls]
            found[:, self._of_balls, 3:10] = np.array(turned, dtype=float).reshape(count, -1, 7)
        return Numbers(joint_states(joints, len(self._of_axes)), found)

    def _numbers_now(self) -> Numbers:
        return self.numbers([self.take_joints()], [self.take_loose()])

    def states(self, parts: Sequence[Numbers]) -> BackendState:
        """The states at all instants of these parts, one after the other."""
        position, velocity, effort, loose = self._arranged(parts)
        shown = self._show.at(position, velocity, loose)
        loops = self._show.loop_axes
        position[:, loops], velocity[:, loops] = shown.axes[:, :, 0], shown.axes[:, :, 1]
        if len(shown.poses):
            self._poses = shown.poses[-1]
        return BackendState(
            position, velocity, effort, shown.poses, shown.velocities, loops=shown.loops, energies=shown.energies
        )

    def _arranged(self, parts: Sequence[Numbers]) -> tuple[Array, Array, Array, Array]:
        """Positions, velocities and efforts of all axes, shape (n, n_axes) each, and what `Show` takes of loose
        joints."""
        count = sum(len(part.loose) for part in parts)
        position, velocity, effort = np.zeros((3, count, self._n_axes))
        if not count:
            return position, velocity, effort, np.zeros((0, self._n_loose, 13))
        joints = np.concatenate([part.joints for part in parts], axis=1)
        position[:, self._of_axes], velocity[:, self._of_axes], effort[:, self._of_axes] = joints
        return position, velocity, effort, np.concatenate([part.loose for part in parts])

    def body_pose(self, body: int) -> Pose:
        """X_WB as it was last read."""
        x, y, z, qx, qy, qz, qw = (float(c) for c in self._poses[body])
        return Pose((x, y, z), (qx, qy, qz, qw))


def _show_of(mechanism: Mechanism, built: Sequence[Built]) -> Show:
    """Shows the mechanism with the frames of balls and free joints where Bullet measures them: in inertial frames."""
    joints = list(mechanism.joints)
    for b in built:
        if b.plan.base_joint >= 0:
            joint = joints[b.plan.base_joint]
            joints[b.plan.base_joint] = replace(joint, X_PJ=IDENTITY, X_CJ=b.plan.X_BI)
        for _, link in b.plan.of_kind(LinkKind.SPHERICAL):
            joints[link.joint] = _turned(joints[link.joint], Pose((0.0, 0.0, 0.0), link.X_LI.orientation))
    return Show(replace(mechanism, joints=tuple(joints)), loop_turns(mechanism))


def _turned(joint: MechanismJoint, X_JI: Pose) -> MechanismJoint:
    return replace(joint, X_PJ=joint.X_PJ @ X_JI, X_CJ=joint.X_CJ @ X_JI)


def joint_states(raw: Sequence[Sequence[Any]], joints: int) -> Array:
    """Positions, velocities and motor efforts of `joints` joints at several instants, shape (3, n, joints), of what
    `getJointStates` gave of them at each."""
    numbers = chain.from_iterable(map(OF_JOINT, chain.from_iterable(raw)))
    found = np.fromiter(numbers, dtype=float, count=3 * len(raw) * joints)
    parts: Array = found.reshape(len(raw), joints, 3).transpose(2, 0, 1)
    return parts


def joint_reader(where: Sequence[tuple[int, list[int]]], client: int) -> Callable[[], Sequence[Any]]:
    """Asks Bullet for the states of the joints at (multibody, links), one after the other."""
    if len(where) == 1:
        return partial(pybullet.getJointStates, *where[0], client)
    return partial(of_multibodies, pybullet.getJointStates, where, client)


def of_multibodies(call: Callable[..., Any], where: Sequence[tuple[int, list[int]]], *options: int) -> Sequence[Any]:
    """What a call of Bullet's gives of (multibody, links), one after the other."""
    joined: list[Any] = []
    for uid, links in where:
        joined += call(uid, links, *options)
    return joined


PARALLEL = 1e-3
"""Largest sine between axes that are parallel here: the sum of angles is only to tell whole turns."""


def loop_turns(mechanism: Mechanism) -> dict[int, Array | None]:
    """By axis of a loop joint that turns, the signs with which the positions of all axes add up to its own, shape
    (n_axes,); None where its turns have to be counted."""
    return {
        motion.axis: _signs(mechanism, loop, motion)
        for loop in mechanism.loop_joints
        for motion in loop.motions
        if motion.kind is MotionKind.ROTATION
    }


def _signs(mechanism: Mechanism, loop: MechanismJoint, motion: Motion) -> Array | None:
    found = np.zeros(len(mechanism.axes))
    (inboard, outboard) = loop_path(loop, mechanism.joints)
    direction = _direction_at_start(mechanism, loop, motion)
    for joints, sign in ((inboard, -1.0), (outboard, 1.0)):
        for joint in [mechanism.joints[j] for j in joints]:
            if joint.kind is not JointKind.CHAIN:
                return None
            for turn in [turn for turn in joint.motions if turn.kind is MotionKind.ROTATION]:
                axis = _direction_at_start(mechanism, joint, turn)
                if np.linalg.norm(np.cross(axis, direction)) > PARALLEL:
                    return None
                found[turn.axis] = sign * float(np.sign(axis @ direction))
    return found


def _direction_at_start(mechanism: Mechanism, joint: MechanismJoint, motion: Motion) -> Array:
    """Of an axis in the world, where the document places bodies."""
    placed: Array = (mechanism.bodies[joint.parent].X_WB @ joint.X_PJ).rotation() @ np.array(motion.direction)
    return placed
