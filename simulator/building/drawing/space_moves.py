"""Moves of points and lengths of bars that are drawn in several planes.

All points of the bars are sought at once, as in `placing`. Bars are drawn anew between their ends, on the side on which
they lay, and an axis that was across the lines of both links of a hinge is across them afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.bodies import clear_shapes, width_of
from simulator.building.drawing.placing import Distance, Flat, move_least
from simulator.building.drawing.plan import SAME
from simulator.building.shapes import bar
from simulator.errors import UsageError
from simulator.formats.sdf.extensions import LOAD, SPRING
from simulator.formats.sdf.names import MODEL_FRAME
from simulator.formats.values import numbers_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Skeleton, Sketch, SpaceJoint
    from simulator.formats.editing.tree import EditableElement
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def solved_in_space(plan: Sketch, lengths: Mapping[str, float], put: Mapping[int, Vec3]) -> Array:
    """Places of all points of the skeleton of a plan, shape (n, 3) [m]: see `placing.solved`; those of links that are
    no bars stay. Raises UsageError where there are none, and for such a point that is `put` elsewhere."""
    lines = _skeleton(plan)
    for number in put:
        if number in lines.others:
            raise UsageError(f"'{lines.others[number]}' is no bar: it does not follow a point into another plane")
    x = np.array([put.get(number, at) for number, at in enumerate(lines.points)])
    held = {*put, *lines.grounded, *lines.others}
    free = np.array([number for number in range(len(x)) if number not in held], dtype=np.int64)
    equations: list[Distance | Flat] = [
        Distance(*lines.bars[name], length, name) for name, length in lengths.items() if name in lines.bars
    ]
    for name, ends in lines.bars.items():
        a, b = (np.array(lines.points[number]) for number in ends)
        for number in lines.pins[name]:
            share = float(np.linalg.norm(np.array(lines.points[number]) - a) / np.linalg.norm(b - a))
            weights = ((number, 1.0), (ends[0], share - 1.0), (ends[1], -share))
            equations += [Flat(weights, axis, 0.0, name) for axis in AXES]
    move_least(plan, equations, x, free, max(lengths.values(), default=0.0))
    return x


def put_in_space(draft: Draft, plan: Sketch, places: Array) -> None:
    """Move the points of the skeleton of a plan to other places, shape (n, 3) [m]: bars are drawn anew; joints, their
    axes, frames, loads and springs follow."""
    lines = _skeleton(plan)
    moved = {n for n, at in enumerate(places) if float(np.abs(at - lines.points[n]).max()) > 0.0}
    turned = {
        name: _redraw(draft, lines, name, places[list(ends)]) for name, ends in lines.bars.items() if moved & set(ends)
    }
    for name, joint in lines.joints.items():
        if joint.point in moved:
            draft.joints[name].place(_plain(places[joint.point]))
        if moved & {number for end in joint.ends for number in lines.points_of(end)}:
            _turn_axis(draft, lines, name, joint, places)
    _move_frames(draft, plan, {number: places[number] for number in moved})
    for tag, sides in ((LOAD, (("link", "at"),)), (SPRING, (("link", "at"), ("other", "other_at")))):
        for item in draft.element.all(tag):
            for link, at in sides:
                _move_end(item, turned, link, at)


def _move_frames(draft: Draft, plan: Sketch, moved: Mapping[int, Array]) -> None:
    lines = _skeleton(plan)
    for name, number in lines.frames.items():
        if number in moved and name in draft.frames:
            draft.frames[name].place(_plain(moved[number]))
    for name, number in lines.marks.items():
        if number in moved and name in draft.world.frames:
            place, depth = plan.plane.place(moved[number].tolist()), plan.plane.depth(moved[number].tolist())
            off = np.array(plan.seen.normal) * depth
            draft.world.frames[name].place(_plain(np.array(plan.seen.point(place)) + off))


def _skeleton(plan: Sketch) -> Skeleton:
    if plan.skeleton is None:
        raise UsageError("there are no bars here")
    return plan.skeleton


class _Turn:
    """Of a bar: from its ends before to those after, stretched along them."""

    def __init__(self, before: Array, after: Array, normal: Array) -> None:
        self.before, self.after = before, after
        self.normals = (normal, across(normal, after[1] - after[0]))
        frames = []
        for ends, n in zip((before, after), self.normals, strict=True):
            way = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            frames.append(np.column_stack([way, np.cross(n, way), n]))
        self._matrix = frames[1] @ frames[0].T
        self._way = frames[1][:, 0]
        self._longer = float(np.linalg.norm(after[1] - after[0]) / np.linalg.norm(before[1] - before[0]))

    def point(self, at: Array) -> Array:
        """Where a point of the bar is to be: at the same share of its length, as far from its line as before."""
        arm = self._matrix @ (at - self.before[0])
        along = float(arm @ self._way)
        return np.asarray(self.after[0] + arm + (self._longer - 1.0) * along * self._way)


def across(normal: Array, way: Array) -> Array:
    """The direction across a line that is nearest to a normal."""
    unit = way / np.linalg.norm(way)
    found = normal - (normal @ unit) * unit
    if float(np.linalg.norm(found)) <= SAME:  # along the line: any other one
        found = np.cross(unit, AXES[int(np.argmin(np.abs(unit)))])
    return np.asarray(found / np.linalg.norm(found))


def _redraw(draft: Draft, lines: Skeleton, name: str, after: Array) -> _Turn:
    """A bar between other ends; gives how it has moved."""
    item = draft.links[name]
    width = width_of(item)
    before = np.array([lines.points[number] for number in lines.bars[name]])
    normal, offset = lines.sides[name]
    turn = _Turn(before, after, np.array(normal))
    shape = bar(_plain(after[0]), _plain(after[1]), width=width, normal=turn.normals[1].tolist(), offset=offset)
    clear_shapes(item)
    item.weigh(shape)
    item.add_shapes(shape)
    return turn


def _turn_axis(draft: Draft, lines: Skeleton, name: str, joint: SpaceJoint, places: Array) -> None:
    """The axis of a hinge, if it was across a line of each of both links."""
    if joint.axis is None:
        return
    old = np.array(lines.points)
    axis = np.array(joint.axis)
    pairs = [
        (one, other)
        for one in lines.points_of(joint.ends[0])
        for other in lines.points_of(joint.ends[1])
        if joint.point not in (one, other)
    ]
    for pair in pairs:
        before, after = (_normal(at[joint.point], at[pair[0]], at[pair[1]]) for at in (old, places))
        if before is None or after is None or float(np.linalg.norm(np.cross(before, axis))) > SAME:
            continue
        xyz = np.copysign(1.0, before @ axis) * after
        part = draft.joints[name]
        part.set("axis/xyz", tuple(round(float(value), 15) + 0.0 for value in xyz))
        part.set("axis/xyz@expressed_in", MODEL_FRAME)
        return


def _normal(at: Array, one: Array, other: Array) -> Array | None:
    """The unit direction across the lines from a point to two others; None where these are one line."""
    found = np.cross(one - at, other - at)
    size = float(np.linalg.norm(found))
    reach = float(np.linalg.norm(one - at) * np.linalg.norm(other - at))
    return None if size <= SAME * reach else np.asarray(found / size)


def _move_end(item: EditableElement, turned: Mapping[str, _Turn], link: str, at: str) -> None:
    """A load or spring stays where it is on its bar."""
    turn = turned.get(item.get(link))
    words = [float(word) for word in item.get(at, "0 0 0").split()]
    if turn is not None and len(words) == 3:
        item.set(at, numbers_text(_plain(turn.point(np.array(words)))))


def _plain(point: Sequence[float] | Array) -> Vec3:
    x, y, z = (round(float(value), 15) + 0.0 for value in point)
    return (x, y, z)
