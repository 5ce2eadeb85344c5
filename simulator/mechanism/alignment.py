"""Axes of loops that miss being parallel, or meeting in one point, by a rounding.

A planar loop whose axes are out of parallel by 3.7e-6 rad, for example 1.5708 for pi/2, is rigid by the letter. Its
author meant a loop that moves. Mobility is that of the loop with its axes as they were meant (`aligned`), and what
the document's own axes then lack is the residual that the loop shows.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.loops import loop_path
from simulator.mechanism.types import JointKind, MotionKind
from simulator.records import dataclass
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import cross, quat_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.diagnostics import Source
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array


_Key = tuple[int, int]

ROUNDED = 5e-3
"""Axes that miss being parallel by less than this [rad] were meant to be parallel."""
EXACT = 1e-9
"""Axes that miss it by less than this [rad] are parallel: it is the rounding of the figures themselves."""


@dataclass(frozen=True)
class Misalignment:
    """An axis that is out of line. `angle` [rad]; `partner`: a joint that it was meant to be parallel to, or, where
    `meets`, whose axis it was meant to cross; `direction`: its axis as it was meant, in the joint's frame; `joint`,
    `partner`: names."""

    joint: str
    partner: str
    angle: float
    direction: tuple[float, float, float]
    meets: bool
    source: Source | None


@dataclass(frozen=True, eq=False)
class _Line:
    """A motion of a joint of the loop, in the world at the start. `frame`: of the joint, shape (4, 4)."""

    joint: MechanismJoint
    motion: int
    turns: bool
    direction: Array
    frame: Array

    @property
    def through(self) -> Array:
        """A point of it."""
        point: Array = self.frame[:3, 3]
        return point

    @property
    def key(self) -> _Key:
        """The same for the same motion in each loop that has it."""
        return id(self.joint), self.motion


def aligned(mechanism: Mechanism, limit: float = ROUNDED) -> tuple[Mechanism, tuple[Misalignment, ...]]:
    """The mechanism with the axes of its loops as they were meant, and what was out of line by less than `limit` [rad].

    Axes are measured against the largest group that agrees; loops that share an axis have one group. The mechanism
    itself is returned where nothing is out of line.
    """
    placed = _placed(mechanism)
    loops = [_lines(mechanism, placed, loop) for loop in mechanism.loop_joints]
    wanted: dict[_Key, Array] = {}
    sides: dict[str, Pose] = {}
    found: list[Misalignment] = []
    for line, partner, direction in _out_of_parallel(loops, limit):
        wanted[line.key] = direction
        found.append(_misalignment(line, partner, direction, meets=False))
    for written in loops:
        lines = [replace(line, direction=wanted.get(line.key, line.direction)) for line in written]
        for line, partner, direction, meets in (*_nearly_across(lines, limit), *_nearly_meeting(lines, limit)):
            if line.key not in wanted:
                wanted[line.key] = direction
                found.append(_misalignment(line, partner, direction, meets))
        found += _turned_sides(placed, lines, limit, sides)
    if not found:
        return mechanism, ()
    closing = (_turned(placed, joint, wanted) for joint in mechanism.loop_joints)
    return replace(
        mechanism,
        joints=tuple(_turned(placed, joint, wanted) for joint in mechanism.joints),
        loop_joints=tuple(replace(joint, X_CJ=sides.get(joint.name, joint.X_CJ)) for joint in closing),
    ), tuple(found)


def _placed(mechanism: Mechanism) -> list[Pose]:
    """X_WB of every body where the joints of the tree are at zero: it is not that of the document where a joint has
    a pose of its own on either side."""
    placed = [body.X_WB for body in mechanism.bodies]
    for place, joint in enumerate(mechanism.joints, start=1):
        if joint.kind is JointKind.CHAIN:
            placed[place] = placed[joint.parent] @ joint.X_PJ @ joint.X_CJ.inverse()
    return placed


def _frame(placed: Sequence[Pose], joint: MechanismJoint) -> Array:
    """Pose of the joint's frame in the world at the start, shape (4, 4)."""
    frame: Array = (placed[joint.parent] @ joint.X_PJ).matrix()
    return frame


def _lines(mechanism: Mechanism, placed: Sequence[Pose], loop: MechanismJoint) -> list[_Line]:
    """The motions of all joints around a loop, in order."""
    parent_side, child_side = loop_path(loop, mechanism.joints)
    members = [*(mechanism.joints[j] for j in (*reversed(parent_side), *child_side)), loop]
    lines = []
    for joint in members:
        frame = _frame(placed, joint)
        for place, motion in enumerate(joint.motions):
            direction = frame[:3, :3] @ np.array(motion.direction)
            lines.append(_Line(joint, place, motion.kind is MotionKind.ROTATION, direction, frame))
    return lines


def _angles(lines: Sequence[_Line]) -> Array:
    """Angles between all axes, whichever way they point [rad], shape (n_lines, n_lines)."""
    a = np.array([line.direction for line in lines]).reshape(-1, 3)
    sine = np.linalg.norm(np.cross(a[:, None], a[None]), axis=2)
    angles: Array = np.arctan2(sine, np.abs(a @ a.T))
    return angles


def _largest_parallel_group(group: Sequence[int], angles: Array) -> list[int]:
    """The most of a group that are parallel."""
    return max(([other for other in group if angles[line, other] < EXACT] for line in group), key=len)


def _out_of_parallel(loops: Sequence[Sequence[_Line]], limit: float) -> Iterator[tuple[_Line, _Line, Array]]:
    """(line, the one it was meant to be parallel to, its direction then)."""
    for group in _parallel_groups(loops, limit):
        angles = _angles(group)
        core = _largest_parallel_group(range(len(group)), angles)
        partner = group[core[0]]
        for place, line in enumerate(group):
            if place not in core and angles[place, core[0]] < limit:
                yield line, partner, partner.direction * np.sign(line.direction @ partner.direction)


def _parallel_groups(loops: Sequence[Sequence[_Line]], limit: float) -> list[list[_Line]]:
    """Lines that were meant to be parallel, each once; what two loops share joins their groups, for the axes that it
    is corrected to must be the same in both."""
    groups: list[dict[_Key, _Line]] = []
    for lines in loops:
        angles = _angles(lines)
        left = list(range(len(lines)))
        while left:
            near = [place for place in left if angles[left[0], place] < limit]
            left = [place for place in left if place not in near]
            group = {lines[place].key: lines[place] for place in near}
            apart = [other for other in groups if not other.keys() & group.keys()]
            joined = [other for other in groups if other.keys() & group.keys()]
            merged: dict[_Key, _Line] = {}
            for part in (*joined, group):
                merged |= part
            groups = [*apart, merged]
    return [list(group.values()) for group in groups]


def _nearly_across(lines: Sequence[_Line], limit: float) -> Iterator[tuple[_Line, _Line, Array, bool]]:
    """Slides that were meant to be perpendicular to the parallel hinges of a loop in a plane."""
    hinges = [place for place, line in enumerate(lines) if line.turns]
    angles = _angles(lines)
    if not hinges or (angles[hinges[0], hinges] > limit).any():
        return
    normal = lines[_largest_parallel_group(hinges, angles)[0]]
    for line in lines:
        lean = float(line.direction @ normal.direction)
        if not line.turns and EXACT < abs(lean) < limit:
            flat = line.direction - lean * normal.direction
            yield line, normal, flat / np.linalg.norm(flat), False


def _nearly_meeting(lines: Sequence[_Line], limit: float) -> Iterator[tuple[_Line, _Line, Array, bool]]:
    """(line, one that it was meant to cross, its direction then, True) of a loop that was meant to turn about one
    point."""
    if len(lines) < 4 or not all(line.turns for line in lines):
        return
    size = max(float(np.linalg.norm(a.through - b.through)) for a, b in combinations(lines, 2))
    best: list[_Line] = []
    centre = np.zeros(3)
    for a, b in combinations(lines, 2):
        point = _crossing(a, b, EXACT * size)
        if point is None:
            continue
        through = [line for line in lines if _distance(line, point) < EXACT * size]
        if len(through) > len(best):
            best, centre = through, point
    if len(best) < 3 or any(_distance(line, centre) > limit * size for line in lines):
        return
    for line in lines:
        way = centre - line.through
        if not any(line is other for other in best) and np.linalg.norm(way) > 0.0:
            yield line, best[0], way / np.linalg.norm(way) * np.sign(way @ line.direction), True


def _turned_sides(
    placed: Sequence[Pose], lines: Sequence[_Line], limit: float, sides: dict[str, Pose]
) -> Iterator[Misalignment]:
    """Puts into `sides` the frame on its child of a joint that closes a loop in a plane, where the axis of that side
    was meant to be parallel to the others: no motion of such a loop turns it. Documents with one frame for both sides
    have none."""
    if not lines:  # a loop of balls
        return
    line = lines[-1]
    angles = _angles([other for other in lines if other.turns])
    if not line.turns or len(line.joint.motions) != 1 or (angles > EXACT).any():
        return
    X_WC = placed[line.joint.child]
    X_WJ = X_WC @ line.joint.X_CJ
    inside = line.frame[:3, :3].T @ line.direction
    now = X_WJ.matrix()[:3, :3] @ inside
    normal = cross(now, line.direction)
    angle = float(np.arctan2(np.linalg.norm(normal), now @ line.direction))
    if EXACT < angle < limit:
        x, y, z = (normal / np.linalg.norm(normal)).tolist()
        turned = Pose(orientation=quat_from_axis_angle((x, y, z), angle)) @ Pose(orientation=X_WJ.orientation)
        sides[line.joint.name] = X_WC.inverse() @ Pose(X_WJ.position, turned.orientation)
        x, y, z = inside.tolist()
        yield Misalignment(
            line.joint.name, lines[0].joint.name, angle, (x, y, z), meets=False, source=line.joint.source
        )


def _distance(line: _Line, point: Array) -> float:
    return float(np.linalg.norm(cross(point - line.through, line.direction)))


def _crossing(a: _Line, b: _Line, gap: float) -> Array | None:
    """Where two axes that are not parallel meet; None where they pass each other."""
    normal = cross(a.direction, b.direction)
    square = float(normal @ normal)
    if square < ROUNDED * ROUNDED:
        return None
    between = b.through - a.through
    if abs(float(between @ normal)) > gap * square**0.5:
        return None
    point: Array = a.through + a.direction * float(cross(between, b.direction) @ normal) / square
    return point


def _misalignment(line: _Line, partner: _Line, direction: Array, meets: bool) -> Misalignment:
    inside = line.frame[:3, :3].T @ direction
    x, y, z = (float(value) for value in inside)
    angle = float(np.arctan2(np.linalg.norm(cross(line.direction, direction)), abs(line.direction @ direction)))
    return Misalignment(line.joint.name, partner.joint.name, angle, (x, y, z), meets, line.joint.source)


def _turned(placed: Sequence[Pose], joint: MechanismJoint, wanted: dict[tuple[int, int], Array]) -> MechanismJoint:
    """The joint with its axes as they were meant."""
    if joint.kind is not JointKind.CHAIN or not any(
        (id(joint), place) in wanted for place in range(len(joint.motions))
    ):
        return joint
    back = _frame(placed, joint)[:3, :3].T
    motions = []
    for place, motion in enumerate(joint.motions):
        direction = wanted.get((id(joint), place))
        if direction is not None:
            x, y, z = (float(value) for value in back @ direction)
            motion = replace(motion, direction=(x, y, z))  # noqa: PLW2901
        motions.append(motion)
    return replace(joint, motions=tuple(motions))
