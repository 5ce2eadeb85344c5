"""Joints: what their axes are said to be, and how they are written."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING

from simulator.building.part import PartDraft
from simulator.building.schema import Said, numbers, value_text
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import ARMATURE, COMPLIANCE, INDEPENDENT, PARENT_POSE, PLANAR_TYPE
from simulator.formats.sdf.joint import AXES, AXIS_TAGS
from simulator.formats.writing.elements import element, exact_rpy, flag, number
from simulator.formats.writing.elements import numbers as numbers_node
from simulator.model.joint import JointType
from simulator.records import dataclass
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import normalized

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Place = Pose | tuple[float, ...] | list[float]
"""Of a joint or a frame: a point, a point with roll, pitch and yaw, or a pose."""


@dataclass(frozen=True)
class AxisSettings:
    """What is said of an axis besides its direction; units of the axis [rad or m, N m or N]."""

    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    spring_stiffness: float = 0.0
    spring_reference: float = 0.0
    armature: float = 0.0

    @staticmethod
    def of(options: Mapping[str, Said]) -> AxisSettings:
        """From keywords. Raises UnknownNameError for one that does not exist, UsageError for what is no number."""
        known = [field.name for field in fields(AxisSettings)]
        for name, value in options.items():
            if name not in known:
                raise UnknownNameError("setting of an axis", name, (*known, *JOINT_KEYWORDS))
            if isinstance(value, bool | str | tuple | list | Pose) or math.isnan(float(value)):
                raise UsageError(f"{name} of an axis is a number, not {value!r}")
        found = AxisSettings(**{name: float(value) for name, value in options.items()})  # type: ignore[arg-type]
        if found.lower > found.upper:
            raise UsageError(f"the lower limit {found.lower:g} is above the upper one, {found.upper:g}")
        return found

    def nodes(self) -> list[Node | None]:
        """What differs from the defaults."""
        limit = element("limit", *self._said("lower", "upper", "effort", "velocity"))
        dynamics = element("dynamics", *self._said("spring_reference", "spring_stiffness", "damping", "friction"))
        return [
            limit if limit.children else None,
            dynamics if dynamics.children else None,
            number(ARMATURE, self.armature) if self.armature else None,
        ]

    def _said(self, *names: str) -> list[Node]:
        values = [(name, getattr(self, name)) for name in names]
        return [number(name, value) for name, value in values if value != getattr(AxisSettings, name)]


JOINT_KEYWORDS = ("at", "axis", "relative_to", "loop", "independent", "compliance", "parent_at", "start")


class JointDraft(PartDraft):
    """A joint of a draft."""

    @property
    def type(self) -> str:
        """Its type in SDFormat."""
        kind = self.element.get("type")
        return "planar" if self.element.get(PLANAR_TYPE) == "planar" else kind

    def become(self, kind: str) -> None:
        """Another type; axes that it has too many are removed, those that it lacks are along z. Raises UnknownNameError
        for a type that does not exist."""
        wanted = joint_type(kind)
        self.element.set("type", "ball" if wanted is JointType.PLANAR else wanted.value)
        self.element.unset(PLANAR_TYPE)
        if wanted is JointType.PLANAR:
            self.set(f"@{PLANAR_TYPE}", "planar")
        for place, tag in enumerate(AXIS_TAGS):
            axis = self.element.child(tag)
            if place >= AXES[wanted] and axis is not None:
                self.element.remove(axis)
            elif place < AXES[wanted] and axis is None:
                self.set(f"{tag}/xyz", (0.0, 0.0, 1.0))


def joint_type(kind: str) -> JointType:
    """Raises UnknownNameError, which lists the types."""
    try:
        return JointType(kind)
    except ValueError:
        raise UnknownNameError("joint type", kind, [item.value for item in JointType]) from None


@dataclass(frozen=True)
class JointPlace:
    """Where a joint is: `at` and the directions `axes` in the frame `frame` ("": that of the child link). `parent_at`:
    where it is on the parent's side, if that is elsewhere at the start."""

    at: Place | None = None
    axes: tuple[Sequence[float], ...] = ()
    frame: str = ""
    parent_at: Place | None = None


def joint_node(
    name: str,
    kind: JointType,
    ends: tuple[str, str],
    place: JointPlace,
    settings: Sequence[AxisSettings],
    *,
    loop: bool = False,
    independent: bool = True,
    compliance: Sequence[float] = (),
) -> Node:
    """The element of a joint between parent and child."""
    axes = [
        element(tag, _direction(axis, place.frame), *said.nodes())
        for tag, axis, said in zip(AXIS_TAGS, place.axes, settings, strict=False)
    ]
    physics = element("physics", element("simbody", flag("must_be_loop_joint", True)))
    planar = kind is JointType.PLANAR
    node = element(
        "joint",
        element("parent", text=ends[0]),
        element("child", text=ends[1]),
        None if place.at is None else pose_node(place.at, place.frame),
        *axes,
        physics if loop else None,
        None if place.parent_at is None else pose_node(place.parent_at, place.frame or ends[1], PARENT_POSE),
        _compliance(compliance),
        name=name,
        type="ball" if planar else kind.value,
    )
    if planar:
        node.attributes[PLANAR_TYPE] = "planar"
    if not independent:
        node.attributes[INDEPENDENT] = "false"
    return node


def pose_node(place: Place, relative_to: str = "", tag: str = "pose") -> Node:
    """`<pose>`. Raises UsageError for what is neither a point, a point with angles nor a pose."""
    if isinstance(place, Pose):
        angles = exact_rpy(place.orientation)
        node = numbers_node(tag, (*place.position, *(place.orientation if angles is None else angles)))
        if angles is None:
            node.attributes["rotation_format"] = "quat_xyzw"
    else:
        count = 6 if len(place) == 6 else 3
        node = numbers_node(tag, (*numbers(place, count, "a place"), *((0.0,) * (6 - count))))
    if relative_to:
        node.attributes["relative_to"] = relative_to
    return node


def _direction(axis: Sequence[float], frame: str) -> Node:
    x, y, z = numbers(axis, 3, "an axis")
    try:
        normalized((x, y, z))
    except ValueError as error:
        raise UsageError(f"an axis has a length, unlike {tuple(axis)!r}") from error
    node = element("xyz", text=value_text((x, y, z)))
    if frame:
        node.attributes["expressed_in"] = frame
    return node


def _compliance(compliance: Sequence[float]) -> Node | None:
    if not len(compliance):
        return None
    found = numbers(compliance, 6, "the compliance of a joint")
    return element(COMPLIANCE, moment=value_text(found[:3]), force=value_text(found[3:]))
