"""What is drawn in several planes of a document, as lines in space."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.drawing.plan import BAR, SAME, Skeleton, SpaceJoint
from simulator.formats.sdf.names import SCOPE
from simulator.model.joint import WORLD, JointType
from simulator.model.shape import Box

if TYPE_CHECKING:
    from simulator.building.drawing.plan import PlanLink
    from simulator.model.link import Link
    from simulator.model.world import Model, World
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3

HINGES = (JointType.REVOLUTE, JointType.CONTINUOUS)


def skeleton_of(world: World, model: Model) -> Skeleton | None:
    """Bars of a model that were drawn in the frame of that, and what is at their points; None where there are none."""
    made = _Points(model)
    frames = {made.tail(frame.name): made.inside(frame.X_WF.position) for frame in model.frames}
    bars, sides = {}, {}
    for link in model.links:
        name = made.tail(link.name)
        ends = [frames[at] for at in (f"{name}_a", f"{name}_b") if at in frames]
        body = _body_of(link, name, model)
        if len(ends) == 2 and body is not None:
            bars[name] = (made.number(ends[0]), made.number(ends[1]))
            side = body.rotate((0.0, 0.0, 1.0))
            sides[name] = (side, float(np.dot(side, np.array(body.position) - np.mean(ends, axis=0))))
    if not bars:
        return None
    others: dict[int, str] = {}
    joints, grounded = {}, set()
    for joint in model.joints:
        links = (made.tail(joint.parent_link), made.tail(joint.child_link))
        if joint.type is JointType.GEARBOX:
            continue
        at = made.number(made.inside(joint.X_WJ.position))
        axis = made.X.rotate(joint.axes[0].xyz_world) if joint.type in HINGES else None
        joints[made.tail(joint.name)] = SpaceJoint(at, links, axis)
        grounded.update([at] if WORLD in links else [])
        others.update((at, name) for name in links if name != WORLD and name not in bars)
    marks = {}
    for frame in world.frames:
        number = made.known(made.inside(frame.X_WF.position))
        if frame.attached_body == WORLD and number is not None:
            marks[frame.name] = number
            grounded.add(number)
    placed = {name: number for name, at in frames.items() if (number := made.known(at)) is not None}
    pins = {name: made.on_line(name, ends, joints) for name, ends in bars.items()}
    points = tuple(made.points)
    return Skeleton(points, bars, sides, pins, joints, placed, marks, frozenset(grounded), others)


class _Points:
    """Points as they are found, in the frame of the model."""

    def __init__(self, model: Model) -> None:
        self.model, self.X = model.name, model.X_WM.inverse()
        self.points: list[Vec3] = []

    def tail(self, name: str) -> str:
        return name.removeprefix(f"{self.model}{SCOPE}")

    def inside(self, point: Vec3) -> Vec3:
        return self.X.transform(point)

    def known(self, point: Vec3) -> int | None:
        return Skeleton(tuple(self.points)).number_at(point)

    def number(self, point: Vec3) -> int:
        found = self.known(point)
        if found is not None:
            return found
        self.points.append(point)
        return len(self.points) - 1

    def on_line(self, bar: str, ends: tuple[int, int], joints: dict[str, SpaceJoint]) -> tuple[int, ...]:
        """Points of joints of a bar between its ends."""
        a, b = (np.array(self.points[number]) for number in ends)
        way = (b - a) / float(np.linalg.norm(b - a))
        found = []
        for number in {joint.point for joint in joints.values() if bar in joint.ends} - set(ends):
            arm = np.array(self.points[number]) - a
            if float(np.linalg.norm(arm - (arm @ way) * way)) <= SAME:
                found.append(number)
        return tuple(sorted(found))


def _body_of(link: Link, name: str, model: Model) -> Pose | None:
    """Of a bar whose frame is that of the model, so that places are the same in both: where its box is."""
    here = model.X_WM.inverse() @ link.X_WL
    is_own = max(map(abs, here.position)) <= SAME and abs(abs(here.orientation[3]) - 1.0) <= SAME
    shapes = [visual for visual in link.visuals if visual.name == "bar" and isinstance(visual.shape, Box)]
    return shapes[0].X_LV if name.startswith(f"{BAR}_") and is_own and len(shapes) == 1 else None


def with_length(link: PlanLink, skeleton: Skeleton | None) -> PlanLink:
    """A link of another plane with its length, where it is a bar."""
    if not link.ghost or skeleton is None or link.name not in skeleton.bars:
        return link
    return replace(link, true_length=skeleton.length(link.name))
