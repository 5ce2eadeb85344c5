"""Joints, their axes and loops that other programs do not have."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from simulator.model.joint import Axis, JointType
from simulator.session.other_programs.occurrences import Occurrence, joints_of, moving_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.model.joint import Joint
    from simulator.session.open.opening import Opened

    Detector = Callable[[Opened], Iterator[Occurrence]]

STANDARD = Axis()
"""An axis with defaults only."""


def typed(kind: JointType) -> Detector:
    """A detector of joints of that type, in a tree or not; joints that close loops are found as loops."""
    return partial(_typed, kind)


def _typed(kind: JointType, opened: Opened) -> Iterator[Occurrence]:
    loops = {joint.name for joint in opened.mechanism.loop_joints}
    return (
        Occurrence(joint.name, joint.source)
        for joint in joints_of(opened.world)
        if joint.type is kind and joint.name not in loops
    )


def written_as(element: str) -> Detector:
    """A detector of joints in another program's notation; see `Source.element`."""
    return partial(_written_as, element)


def _written_as(element: str, opened: Opened) -> Iterator[Occurrence]:
    return (Occurrence(joint.name, joint.source) for joint in joints_of(opened.world) if _element_of(joint) == element)


def loops(opened: Opened) -> Iterator[Occurrence]:
    """Loops of joints of the document's own format: a joint that connects links that others connect already."""
    cut = {joint.name for joint in opened.mechanism.loop_joints}
    own = [joint for joint in joints_of(opened.world) if joint.type is not JointType.GEARBOX and not _element_of(joint)]
    tied: dict[str, str] = {}
    for joint in sorted(own, key=lambda joint: joint.name in cut):
        ends = [_root(tied, link) for link in (joint.parent_link, joint.child_link)]
        if ends[0] == ends[1]:
            yield Occurrence(joint.name, joint.source)
        tied[ends[1]] = ends[0]


def _root(tied: dict[str, str], link: str) -> str:
    while tied.get(link, link) != link:
        link = tied[link]
    return link


def _element_of(joint: Joint) -> str:
    return joint.source.element if joint.source else ""


def with_axis(holds: Callable[[Axis], bool]) -> Detector:
    """A detector of axes."""
    return partial(_with_axis, holds)


def _with_axis(holds: Callable[[Axis], bool], opened: Opened) -> Iterator[Occurrence]:
    for joint in joints_of(opened.world):
        for axis in joint.axes:
            if holds(axis):
                yield Occurrence(joint.name, axis.source or joint.source)


def has_velocity_limit(axis: Axis) -> bool:
    """Whether it is bounded."""
    return math.isfinite(axis.velocity)


def has_soft_stops(axis: Axis) -> bool:
    """Whether stiffness or dissipation of its stops are stated."""
    limited = math.isfinite(axis.lower) or math.isfinite(axis.upper)
    return limited and (axis.stiffness, axis.dissipation) != (STANDARD.stiffness, STANDARD.dissipation)


def starts_elsewhere(axis: Axis) -> bool:
    """Whether the document states a start position or velocity."""
    return axis.start_source is not None and (axis.initial_position, axis.initial_velocity) != (0.0, 0.0)


def moving_world_joints(opened: Opened) -> Iterator[Occurrence]:
    """Joints of the world itself, between models, that are not fixed."""
    return (Occurrence(joint.name, joint.source) for joint in opened.world.joints if joint.type is not JointType.FIXED)


def sensors(opened: Opened) -> Iterator[Occurrence]:
    """Force-torque sensors."""
    return (
        Occurrence(one.name, one.source or joint.source) for joint in joints_of(opened.world) for one in joint.sensors
    )


def floating_bases(opened: Opened) -> Iterator[Occurrence]:
    """Root links that move freely."""
    carried = {joint.child_link for joint in joints_of(opened.world)}
    parents = {joint.parent_link for joint in joints_of(opened.world)}
    return (
        Occurrence(link.name, link.source)
        for link in moving_links(opened.world)
        if link.name not in carried and link.name in parents
    )
