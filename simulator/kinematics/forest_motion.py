"""Poses and velocities of all bodies from the positions and velocities of axes: joints of the same depth in the forest
are processed together, so that a thousand gears on one frame cost as much as a few."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import MotionKind
from simulator.spatial.pose_arrays import compose, cross, rotate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array

    Numbers = NDArray[np.intp]


class _Motions(NamedTuple):
    """The first, second, … motions of the joints of a level: which of these have one (`rows`), its axis and unit
    direction, and whether it turns."""

    rows: Numbers
    axes: Numbers
    directions: Array
    turns: NDArray[np.bool_]


class _Level(NamedTuple):
    """Joints whose parents are all of levels before."""

    children: Numbers
    parents: Numbers
    X_PJ: Array
    X_JC: Array
    steps: tuple[_Motions, ...]


class ForestMotion:
    """Motion of a mechanism. Bodies on balls and free joints, `loose`, have given poses, and carry their
    children."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._bodies = len(mechanism.bodies)
        self._com = np.array([body.com for body in mechanism.bodies], dtype=float).reshape(-1, 3)
        self._levels = [_level(joints) for joints in _by_depth(mechanism)]
        self.loose = np.array([mechanism.joints[i].child for i in multi_dof_joints(mechanism)], dtype=np.intp)

    def at(self, position: Array, velocity: Array, loose: Array) -> tuple[Array, Array]:
        """X_WB, shape (n_bodies, 7), and velocities as in `engine.snapshot.Snapshot`, shape (n_bodies, 6), at positions
        and velocities of all axes: a body has the twist of its parent and that of the joint between (Featherstone,
        Rigid Body Dynamics Algorithms, 4.1). `loose` (n_loose, 13): X_WB of loose bodies as x, y, z, qx, qy, qz, qw,
        and in world axes angular velocity and that of the origin."""
        poses, twists = np.zeros((self._bodies, 7)), np.zeros((self._bodies, 6))  # twists at the origin of the world
        poses[:, 6] = 1.0
        free = loose[:, 7:].copy()
        free[:, 3:] -= cross(free[:, :3], loose[:, :3])
        for level in self._levels:
            frames = compose(poses[level.parents], level.X_PJ)
            twist = twists[level.parents]
            for motions in level.steps:
                rows = motions.rows
                at = frames[motions.rows]
                along = rotate(at[:, 3:], motions.directions)
                speed = velocity[motions.axes][:, None]
                turns = motions.turns[:, None]
                twist[rows, :3] += np.where(turns, speed * along, 0.0)
                twist[rows, 3:] += np.where(turns, cross(at[:, :3], along), along) * speed
                frames[rows] = compose(at, _moved(motions, position[motions.axes]))
            poses[level.children] = compose(frames, level.X_JC)
            twists[level.children] = twist
            if len(self.loose):
                poses[self.loose] = loose[:, :7]
                twists[self.loose] = free
        centres = poses[:, :3] + rotate(poses[:, 3:], self._com)
        twists[:, 3:] += cross(twists[:, :3], centres)
        return poses, twists


def _by_depth(mechanism: Mechanism) -> Iterator[list[MechanismJoint]]:
    """Tree joints, those on the world first."""
    depth = [0] * len(mechanism.bodies)
    levels: list[list[MechanismJoint]] = []
    for joint in mechanism.joints:  # inboard bodies come first
        depth[joint.child] = depth[joint.parent] + 1
        if len(levels) < depth[joint.child]:
            levels.append([])
        levels[depth[joint.child] - 1].append(joint)
    yield from levels


def _level(joints: list[MechanismJoint]) -> _Level:
    steps = []
    for number in range(max(len(joint.motions) for joint in joints)):
        found = [(row, joint.motions[number]) for row, joint in enumerate(joints) if number < len(joint.motions)]
        steps.append(
            _Motions(
                np.array([row for row, _ in found], dtype=np.intp),
                np.array([motion.axis for _, motion in found], dtype=np.intp),
                np.array([motion.direction for _, motion in found], dtype=float),
                np.array([motion.kind is MotionKind.ROTATION for _, motion in found], dtype=bool),
            )
        )
    return _Level(
        np.array([joint.child for joint in joints], dtype=np.intp),
        np.array([joint.parent for joint in joints], dtype=np.intp),
        np.array([joint.X_PJ.as_list() for joint in joints], dtype=float),
        np.array([joint.X_CJ.inverse().as_list() for joint in joints], dtype=float),
        tuple(steps),
    )


def _moved(motions: _Motions, position: Array) -> Array:
    """Poses of single screw or slide steps, shape (n, 7)."""
    result = np.zeros((len(position), 7))
    turns = motions.turns[:, None]
    value = position[:, None]
    half = 0.5 * np.remainder(value, 4.0 * np.pi)
    result[:, :3] = np.where(turns, 0.0, value * motions.directions)
    result[:, 3:6] = np.where(turns, np.sin(half) * motions.directions, 0.0)
    result[:, 6:] = np.where(turns, np.cos(half), 1.0)
    return result
