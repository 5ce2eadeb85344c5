"""`<joint>` elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.cursor import offered
from simulator.formats.sdf.axis import read_axis
from simulator.formats.sdf.extensions import COMPLIANCE, COUPLING, INDEPENDENT, ORIGIN, PARENT_POSE, PLANAR_TYPE
from simulator.formats.sdf.poses import read_pose
from simulator.formats.sdf.real_coupling import STIFF, read_real_coupling
from simulator.formats.sdf.sensors import read_sensors
from simulator.formats.sdf.specs import JointSpec, PoseSpec
from simulator.model.coupling import IDEAL
from simulator.model.joint import JointType

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor
    from simulator.model.coupling import RealCoupling

AXIS_TAGS = ("axis", "axis2")
_KINDS = {kind.value: kind for kind in JointType if kind is not JointType.PLANAR}
AXES = {
    **dict.fromkeys(JointType, 1),
    **dict.fromkeys((JointType.FIXED, JointType.BALL), 0),
    **dict.fromkeys((JointType.UNIVERSAL, JointType.REVOLUTE2, JointType.GEARBOX), 2),
}
"""Number of axes that a joint type uses."""


def read_joint(cursor: Cursor, name: str) -> JointSpec | None:
    """One joint; None where its type is not known."""
    kind = _type(cursor)
    if kind is None:
        return None
    axes = {tag: read_axis(axis) for tag in AXIS_TAGS if (axis := cursor.child(tag)) is not None}
    simbody = cursor.descend("physics", "simbody")
    return JointSpec(
        name=name,
        source=cursor.source,
        type=kind,
        parent=_end(cursor, "parent"),
        child=_end(cursor, "child"),
        pose=read_pose(cursor),
        axes=axes,
        end_sources={tag: (cursor.child(tag) or cursor).source for tag in ("parent", "child")},
        screw_thread_pitch=_thread_pitch(cursor)
        if kind is JointType.SCREW
        else cursor.finite("screw_thread_pitch", 1.0),
        gearbox_ratio=_gearbox_ratio(cursor, kind),
        gearbox_reference_body=cursor.string("gearbox_reference_body"),
        must_be_loop_joint=simbody.boolean("must_be_loop_joint", False),
        parent_pose=_parent_pose(cursor),
        independent=INDEPENDENT not in cursor.node.attributes or cursor.flag(INDEPENDENT),
        compliance=_compliance(cursor),
        origin=cursor.node.attributes.get(ORIGIN, ""),
        sensors=read_sensors(cursor),
        coupling=_coupling(cursor, kind),
    )


def _coupling(cursor: Cursor, kind: JointType) -> RealCoupling:
    """Losses, play and elasticity of a joint that is a coupling."""
    if kind in (JointType.GEARBOX, JointType.SCREW):
        return read_real_coupling(cursor)
    for node in cursor.node.children:
        if node.tag in COUPLING and (node.tag != COMPLIANCE or STIFF in node.attributes):
            message = f"<{node.tag}> has no effect in a {kind.value} joint"
            hint = "it belongs into a <mimic>, or into a joint of type 'gearbox' or 'screw'"
            cursor.log.warning("ELEMENT_INVALID", node.source, message, hint, fold=node.tag)
    return IDEAL


def _compliance(joint: Cursor) -> tuple[float, ...]:
    """Of moments, then of forces, shape (6,); empty where there is none or it cannot be read."""
    stated = (child for child in joint.children(COMPLIANCE) if STIFF not in child.node.attributes)
    cursor = next(stated, None)
    if cursor is None:
        return ()
    values: list[float] = []
    for attribute in ("moment", "force"):
        words = cursor.get(attribute, "0 0 0").split()
        try:
            found = [float(word) for word in words]
        except ValueError:
            found = []
        if len(found) != 3 or not all(0.0 <= value < math.inf for value in found):
            hint = (
                f"e.g. <{COMPLIANCE} moment='0 0 0' force='1e-8 1e-8 1e-8'/>, rad/(N m) and m/N along the axes of the "
                "joint frame"
            )
            message = (
                f"<{COMPLIANCE}>: {attribute} is three numbers that are not negative, not '{cursor.get(attribute)}'"
            )
            cursor.log.error("ATTRIBUTE_INVALID", cursor.source, message, hint)
            return ()
        values += found
    return tuple(values)


def _parent_pose(cursor: Cursor) -> PoseSpec | None:
    return None if cursor.child(PARENT_POSE) is None else read_pose(cursor, PARENT_POSE)


def _type(cursor: Cursor) -> JointType | None:
    text = cursor.required("type")
    if "type" not in cursor.node.attributes:
        cursor.log.error("ELEMENT_INVALID", cursor.source, f"joint '{cursor.get('name')}' is left out: it has no type")
        return None
    name = text.strip().lower()
    if name == JointType.BALL.value and cursor.get(PLANAR_TYPE) == JointType.PLANAR.value:
        return JointType.PLANAR
    try:
        return _KINDS[name]
    except KeyError:
        hint = offered(cursor.log, name, _KINDS, "joint types are")
        cursor.log.error("ATTRIBUTE_INVALID", cursor.source, f"a joint of type '{text}' does not exist", hint)
        return None


def _end(cursor: Cursor, tag: str) -> str:
    """The name in `<parent>` or `<child>`."""
    name = cursor.string(tag)
    if not name:
        hint = f"write <{tag}>name of a link or frame</{tag}>" + (", or 'world'" if tag == "parent" else "")
        cursor.log.error("ELEMENT_MISSING", cursor.source, f"joint '{cursor.get('name')}' has no <{tag}>", hint)
    return name


def _thread_pitch(cursor: Cursor) -> float:
    """Metres per revolution, right-handed positive; the old `thread_pitch` is radians per metre, left-handed
    positive."""
    pitch = cursor.number("screw_thread_pitch", 1.0)
    if cursor.child("screw_thread_pitch") is None and cursor.child("thread_pitch") is not None:
        old = cursor.number("thread_pitch", -2.0 * math.pi)
        pitch = -2.0 * math.pi / old if old != 0.0 else 0.0
    if pitch == 0.0 or not math.isfinite(pitch):
        where = (cursor.child("screw_thread_pitch") or cursor.child("thread_pitch") or cursor).source
        hint = "screw_thread_pitch is the advance in metres per revolution; use a revolute joint for none"
        message = f"the thread pitch of screw '{cursor.get('name')}' must be finite and not zero"
        cursor.log.error("SCREW_THREAD_PITCH_INVALID", where, message, hint)
        return 1.0
    return pitch


def _gearbox_ratio(cursor: Cursor, kind: JointType) -> float:
    ratio = cursor.finite("gearbox_ratio", 1.0)
    if kind is not JointType.GEARBOX and ratio != 1.0:
        message = f"<gearbox_ratio> has no effect in a {kind.value} joint"
        hint = "it belongs into a joint of type 'gearbox', beside those of its two links; or use <mimic>"
        where = (cursor.child("gearbox_ratio") or cursor).source
        cursor.log.warning("ELEMENT_INVALID", where, message, hint, fold="gearbox_ratio")
    if ratio == 0.0 and kind is JointType.GEARBOX:
        where = (cursor.child("gearbox_ratio") or cursor).source
        cursor.log.error(
            "GEARBOX_RATIO_INVALID",
            where,
            f"the ratio of gearbox '{cursor.get('name')}' must not be zero",
            "angle of the child = -ratio * angle of the parent",
        )
        return 1.0
    return ratio
