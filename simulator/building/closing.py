"""Joints between two places that were picked: they close a chain, or hang a loose link on.

Where both places are apart at the start of the document the joint says so (`<simulator:parent_pose>`), and the loop is
closed before anything moves; where it cannot close, that is refused, with the distance that is left.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.features import FRAME
from simulator.errors import SimulatorError, UsageError
from simulator.kinematics.closure import mobility_along
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.mechanism.varied_length import PARALLEL
from simulator.model.joint import WORLD, JointType
from simulator.model.names import tail_name
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import quat_from_axis_angle, quat_multiply

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.building.features import Feature
    from simulator.model.joint import Joint
    from simulator.model.world import World
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Quat, Vec3

KINDS = ("revolute", "ball", "prismatic", "fixed", "universal", "planar")
"""Types of joints between two places."""
ALONG = ("revolute", "planar", "prismatic", "universal")
"""Those that have an axis."""
WITHIN = 1e-6
"""Places that are nearer than this are one [m]: the figures of a document are rounded."""
SQUARE = 1e-3
"""Axes of a universal joint that are perpendicular but for less than this [rad] are."""
DIGITS = 13
"""Decimals of coordinates that are written [m]."""
LEFT_OPEN = re.compile(r"stays open by ([\d.e+-]+ m)")


@dataclass(frozen=True)
class Joined:
    """A joint that closes: `name`; `gap`, by how much its places were apart [m]; `freedoms` before and after it;
    `is_loop`: whether it closes a loop."""

    name: str
    gap: float
    freedoms: tuple[int, int]
    is_loop: bool


@dataclass(frozen=True)
class JointBetween:
    """A joint as two links see it. `at` and `axes`: its place [m] and axes in the frame of the child, in whose
    directions the joint frame is; `X_PJ`: the joint frame in that of the parent; `gap`: how far both sides are apart
    at the start [m]; `is_apart`: whether they are apart, or turned."""

    parent: str
    child: str
    at: Vec3
    axes: tuple[Vec3, ...]
    X_PJ: Pose
    gap: float
    is_apart: bool
    is_loop: bool


def joint_between(world: World, kind: str, first: Feature, second: Feature, known: Iterable[Feature]) -> JointBetween:
    """The joint of a kind between two features. `known`: features of both links, whose joints give the directions
    that rounded figures mean. Raises UsageError for features between which there is none, and says why."""
    if kind not in KINDS:
        raise UsageError(f"no joint between two places is '{kind}': use one of {', '.join(KINDS)}")
    if first.link == second.link:
        raise UsageError(f"both places are on '{tail_name(first.link)}': pick one of them on another link")
    poses = {WORLD: IDENTITY, **{link.name: link.X_WL for model in world.models for link in model.links}}
    first, second = (_on_world(world, feature, poses) for feature in (first, second))
    is_loop = _are_joined(world, first.link, second.link)
    parent, child = _ends(world, first, second, is_loop=is_loop)
    X_WP, X_WC = poses[parent.link], poses[child.link]
    meant = [item.moved(poses[item.link]).direction for item in known if item.kind == FRAME and item.has_axis]
    here, there = (_meant(feature.moved(X), meant) for feature, X in ((parent, X_WP), (child, X_WC)))
    ways = _directions(kind, here, there)
    turn = _least_turn(ways[0], here.direction) if kind in ("revolute", "planar") and here.has_axis else None
    apart = np.subtract(here.at, there.at)
    if turn is None and kind in ALONG and kind != "universal":
        apart = _across(kind, apart, np.array(ways[0]))
    gap = float(np.linalg.norm(apart))
    shift = apart if gap > WITHIN else np.zeros(3)
    side = Pose(_vec(np.add(there.at, shift)), quat_multiply(turn, X_WC.orientation) if turn else X_WC.orientation)
    back = X_WC.inverse()
    return JointBetween(
        parent.link, child.link, _vec(back.transform(there.at)), tuple(_vec(back.rotate(way)) for way in ways),
        X_WP.inverse() @ side, gap, bool(shift.any() or turn), is_loop,
    )  # fmt: skip


def _ends(world: World, first: Feature, second: Feature, *, is_loop: bool) -> tuple[Feature, Feature]:
    """Parent and child: the world is no child, nor is a link that has a parent already, if there is a choice."""
    if second.link == WORLD:
        return second, first
    children = {joint.child_link for joint in _joints(world)}
    if not is_loop and second.link in children and first.link not in children and first.link != WORLD:
        return second, first
    return first, second


def _on_world(world: World, feature: Feature, poses: Mapping[str, Pose]) -> Feature:
    """What is on a static model is on the world."""
    still = {link.name for model in world.models if model.static for link in model.links}
    return replace(feature.moved(poses[feature.link]), link=WORLD) if feature.link in still else feature


def _are_joined(world: World, first: str, second: str) -> bool:
    """Whether a chain of joints connects two links already."""
    beside: dict[str, set[str]] = {}
    for joint in _joints(world):
        if joint.type is not JointType.GEARBOX:
            beside.setdefault(joint.parent_link, set()).add(joint.child_link)
            beside.setdefault(joint.child_link, set()).add(joint.parent_link)
    reached = {first}
    pending = [first]
    while pending:
        new = beside.get(pending.pop(), set()) - reached
        reached |= new
        pending += new
    return second in reached


def _joints(world: World) -> list[Joint]:
    return [*world.joints, *(joint for model in world.models for joint in model.joints)]


def base_of(world: World, link: str) -> tuple[str, str]:
    """The link at the root of the chain that a link hangs on, itself or "world" perhaps, and the joint above the link,
    or ""."""
    above = {joint.child_link: joint for joint in reversed(_joints(world)) if joint.type is not JointType.GEARBOX}
    over = above[link].name if link in above else ""
    seen = {link}
    while link in above and above[link].parent_link not in seen:
        link = above[link].parent_link
        seen.add(link)
    return link, over


def _meant(feature: Feature, directions: Iterable[Vec3]) -> Feature:
    """With the direction of a joint that differs by rounding only."""
    for way in directions:
        if feature.has_axis and float(np.linalg.norm(np.cross(way, feature.direction))) < PARALLEL:
            return replace(feature, direction=way)
    return feature


def _directions(kind: str, parent: Feature, child: Feature) -> tuple[Vec3, ...]:
    """Axes of the joint in the world. Raises UsageError where there are none, or they do not fit."""
    if kind not in ALONG:
        return ()
    found = [item.direction for item in (parent, child) if item.has_axis]
    if not found:
        raise UsageError(
            f"{parent} and {child} have no direction, and a joint of type '{kind}' has an axis: pick a face, an edge, "
            "a rim or the frame of a joint"
        )
    if kind == "universal":
        if len(found) < 2 or abs(float(np.dot(found[0], found[1]))) > SQUARE:
            raise UsageError(
                f"a universal joint has two axes that are perpendicular: pick an edge or axis of each link; those of "
                f"{parent} and {child} are not"
            )
        first, second = (np.array(way) for way in found)
        across = second - first * float(first @ second)
        return (_vec(first), _vec(across / np.linalg.norm(across)))
    way = found[-1]
    if kind == "prismatic" and len(found) == 2 and _least_turn(*found) is not None:
        angle = math.degrees(math.acos(min(abs(float(np.dot(found[0], found[1]))), 1.0)))
        raise UsageError(f"a slide needs axes that are parallel: {parent} and {child} are {angle:.3g} degrees apart")
    return (way,)


def _across(kind: str, apart: Array, way: Array) -> Array:
    """The part of a distance that a joint with this axis has to close: bodies lie along a hinge or slide as they are,
    and anywhere in a plane."""
    along = way * float(way @ apart)
    return along if kind == "planar" else apart - along


def _least_turn(way: Vec3, to: Vec3) -> Quat | None:
    """The least rotation that brings a line onto the line along another direction; None where they are parallel."""
    if float(np.dot(way, to)) < 0.0:
        to = (-to[0], -to[1], -to[2])
    axis = np.cross(way, to)
    sine = float(np.linalg.norm(axis))
    if sine < PARALLEL:
        return None
    return quat_from_axis_angle(_vec(axis / sine), math.atan2(sine, float(np.dot(way, to))))


def judged(name: str, joint: JointBetween, before: Opened, after: Opened) -> Joined:
    """What a joint does in a document that was read without and with it. Raises UsageError where it cannot close, or
    where the document is wrong with it."""
    known = {item.message for item in before.diagnostics}
    news = [item for item in after.diagnostics if item.message not in known]
    ends = f"'{tail_name(joint.parent)}' and '{tail_name(joint.child)}'"
    for item in news:
        if item.code == "LOOP_OPEN":
            left = LEFT_OPEN.search(item.message)
            nearest = f"; they miss by {left[1]} where they come nearest" if left else ""
            raise UsageError(
                f"{ends} cannot meet: the places are {joint.gap:.4g} m apart{nearest}; change a length between them, "
                "or pick places that reach each other"
            )
        if item.is_error:
            raise UsageError(f"a joint between {ends} cannot be: {item.message}")
    return Joined(name, joint.gap, (_freedoms(before), _freedoms(after)), joint.is_loop)


def _freedoms(opened: Opened) -> int:
    kinematics = Kinematics(opened.mechanism)
    try:
        return mobility_along(kinematics, opened.start or starting_pose(kinematics, {}).state)
    except SimulatorError:  # another loop is open
        return opened.mechanism.mobility.count


def free_name(stem: str, taken: Mapping[str, object] | Iterable[str]) -> str:
    """A name with a number that nothing has."""
    names = set(taken)
    return next(name for number in range(1, len(names) + 2) if (name := f"{stem}_{number}") not in names)


def _vec(v: Array | Vec3) -> Vec3:
    x, y, z = (round(float(value), DIGITS) + 0.0 for value in v)
    return (x, y, z)
