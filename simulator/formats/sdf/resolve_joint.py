"""One joint: which bodies it ties, where it is, where its axes point, whom it follows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.cursor import offered
from simulator.formats.sdf.extensions import PARENT_POSE
from simulator.formats.sdf.joint import AXES, AXIS_TAGS
from simulator.formats.sdf.mimic import resolve_mimic
from simulator.formats.sdf.names import MODEL_FRAME, SCOPE
from simulator.formats.sdf.scopes import ROOT
from simulator.formats.sdf.sensors import resolved_sensors
from simulator.model.joint import WORLD, Axis, Joint, JointType
from simulator.spatial.pose import IDENTITY
from simulator.spatial.rotation import quat_rotate

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.sdf.frame_graph import FrameGraph
    from simulator.formats.sdf.scopes import Scope
    from simulator.formats.sdf.specs import JointSpec, Starts, StartSpec
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3

X_AXIS: Vec3 = (1.0, 0.0, 0.0)
Z_AXIS: Vec3 = (0.0, 0.0, 1.0)


def resolve_joint(
    spec: JointSpec, scope: Scope, graph: FrameGraph, log: DiagnosticLog, starts: Starts, *, strict: bool
) -> Joint | None:
    """The joint; None (and errors) where its bodies do not exist. `starts`: by (scoped joint, axis).

    One that ties a body to itself holds nothing, and is an error in `strict` reading only.
    """
    parent, child = _ends(spec, scope, graph, log, strict=strict)
    X_WJ = graph.pose_of(scope.vertices.get(spec.name))
    written = {tag: _resolve_axis(axis, tag, spec, scope, graph, log, X_WJ, starts) for tag, axis in spec.axes.items()}
    used = AXIS_TAGS[: AXES[spec.type]]
    if spec.type is JointType.CONTINUOUS:
        written = {tag: _without_limits(axis, spec, log) for tag, axis in written.items()}
    _report_axes(spec, used, log, strict=strict)
    if not strict:
        written = {tag: _in_order(axis) for tag, axis in written.items()}
    if parent is None or child is None:
        return None
    return Joint(
        name=scope.prefix + spec.name,
        type=spec.type,
        parent=spec.parent,
        child=spec.child,
        parent_link=parent,
        child_link=child,
        X_WJ=X_WJ,
        axes=tuple(written.get(tag) or _standard_axis(spec, tag, scope, X_WJ, starts) for tag in used),
        screw_thread_pitch=spec.screw_thread_pitch,
        gearbox_ratio=spec.gearbox_ratio,
        gearbox_reference_body=spec.gearbox_reference_body,
        gearbox_reference=_gearbox_reference(spec, scope, graph, log),
        must_be_loop_joint=spec.must_be_loop_joint,
        unused_axes=tuple((tag, axis) for tag, axis in written.items() if tag not in used),
        X_WJ_parent=_parent_side(spec, scope, graph, log),
        independent=spec.independent,
        compliance=spec.compliance,
        origin_frame=scope.prefix + spec.origin if spec.origin else "",
        sensors=resolved_sensors(spec.sensors, scope, graph, X_WJ, log),
        coupling=spec.coupling,
        source=spec.source,
    )


def _parent_side(spec: JointSpec, scope: Scope, graph: FrameGraph, log: DiagnosticLog) -> Pose | None:
    """Where the joint frame is on the parent's side; None where the document does not say it apart."""
    if spec.parent_pose is None:
        return None
    name = spec.parent_pose.relative_to or spec.parent
    around = scope if spec.parent_pose.relative_to else graph.scope_of_end(scope, name)
    X_WR = IDENTITY if name == WORLD else graph.pose_at(around, name)
    if X_WR is None:
        message = (
            f"<{PARENT_POSE}> of joint '{spec.name}' is relative to '{name}', which does not exist in {scope.label}"
        )
        hint = offered(log, name, scope.names(), "frames there")
        log.error("POSE_RELATIVE_TO_INVALID", spec.parent_pose.source, message, hint)
        return None
    return X_WR @ spec.parent_pose.pose


def _ends(
    spec: JointSpec, scope: Scope, graph: FrameGraph, log: DiagnosticLog, *, strict: bool
) -> tuple[str | None, str | None]:
    """Bodies of parent and child; None where a fault is reported."""
    parent = _end(spec, "parent", spec.parent, scope, graph, log)
    child = _end(spec, "child", spec.child, scope, graph, log)
    if spec.parent and spec.parent == spec.child:
        message = f"joint '{spec.name}' has '{spec.parent}' as parent and as child"
    elif parent is not None and parent == child:
        message = (
            f"joint '{spec.name}' ties '{parent}' to itself: '{spec.parent}' and '{spec.child}' are both attached to it"
        )
    else:
        return parent, child
    report = log.error if strict or spec.parent == spec.child else log.warning
    done = "" if strict or spec.parent == spec.child else "; it is left out"
    report("JOINT_PARENT_SAME_AS_CHILD", spec.source, message + done, "a joint needs two different bodies")
    return None, None


def _end(spec: JointSpec, end: str, name: str, scope: Scope, graph: FrameGraph, log: DiagnosticLog) -> str | None:
    """The body at one end; None where there is none, which is reported."""
    if not name or (end == "parent" and name == WORLD):
        return name or None
    where = spec.end_sources.get(end, spec.source)
    if name == ROOT:
        log.error("RESERVED_NAME", where, f"the {end} of joint '{spec.name}' is '{ROOT}', which cannot be referred to")
    code = "JOINT_PARENT_LINK_INVALID" if end == "parent" else "JOINT_CHILD_LINK_INVALID"
    inside = scope
    if name not in (WORLD, spec.name):
        scope = graph.scope_of_end(scope, name)
    if scope is not inside:
        message = f"the {end} '{name}' of joint '{spec.name}' does not exist in {inside.label}"
        hint = f"move the joint into {scope.label}"
        log.warning(code, where, f"{message}; that of {scope.label} around it is taken", hint)
    fault, hint = _fault_of_end(spec, end, name, scope, graph, log)
    if fault:
        log.error(code, where, fault, hint)
        if end == "parent" and scope.path(name) is None:
            message = f"the frame of joint '{spec.name}' cannot be attached to '{name}', which does not exist"
            log.consequence("FRAME_ATTACHED_TO_INVALID", where, message)
        return None
    body = graph.body_at(scope, name)
    return WORLD if body is not None and body.endswith(SCOPE + MODEL_FRAME) else body


def _fault_of_end(
    spec: JointSpec, end: str, name: str, scope: Scope, graph: FrameGraph, log: DiagnosticLog
) -> tuple[str, str]:
    """What is wrong with the name of a parent or child, and what to do; empty where nothing is."""
    if name == WORLD:
        return f"the child of joint '{spec.name}' is the world", "swap parent and child"
    if name == spec.name:
        return f"joint '{spec.name}' names itself as {end}", _ends_of("", spec, scope, log)
    if scope.path(name) is None:
        message = f"the {end} '{name}' of joint '{spec.name}' does not exist in {scope.label}"
        return message, _ends_of(name, spec, scope, log)
    if end == "child" and graph.body_at(scope, name) == WORLD:
        message = f"the child '{name}' of joint '{spec.name}' is attached to the world"
        return message, "swap parent and child, or attach that frame to a link"
    return "", ""


def _ends_of(wanted: str, spec: JointSpec, scope: Scope, log: DiagnosticLog) -> str:
    names = (name for name in scope.names() if name != spec.name)
    return offered(log, wanted, names, f"links and frames of {scope.label}")


def _resolve_axis(
    axis: Axis,
    tag: str,
    spec: JointSpec,
    scope: Scope,
    graph: FrameGraph,
    log: DiagnosticLog,
    X_WJ: Pose,
    starts: Starts,
) -> Axis:
    xyz_world = _rotated(X_WJ, axis.xyz_joint)
    xyz_joint = axis.xyz_joint
    if axis.expressed_in:
        X_WF = graph.pose_at(scope, axis.expressed_in)
        if X_WF is None:
            _report_expressed_in(axis, spec, scope, log)
        else:
            xyz_world = _rotated(X_WF, axis.xyz_joint)
            xyz_joint = _rotated(X_WJ.inverse(), xyz_world)
    return replace(
        _started(axis, starts.get((scope.prefix + spec.name, tag))),
        xyz_joint=xyz_joint,
        xyz_world=xyz_world,
        mimic=None if axis.mimic is None else resolve_mimic(axis.mimic, tag, spec, scope, log),
    )


def _without_limits(axis: Axis, spec: JointSpec, log: DiagnosticLog) -> Axis:
    if math.isinf(axis.lower) and math.isinf(axis.upper):
        return axis
    message = f"a continuous joint has no position limits; those of '{spec.name}' are not used"
    log.warning("JOINT_LIMITS_UNUSED", axis.source, message, "make it a revolute joint if they are meant")
    return replace(axis, lower=-math.inf, upper=math.inf)


def _in_order(axis: Axis) -> Axis:
    """With the lower limit below the upper one."""
    return axis if axis.lower <= axis.upper else replace(axis, lower=axis.upper, upper=axis.lower)


def _rotated(X: Pose, vector: tuple[float, float, float]) -> tuple[float, float, float]:
    return quat_rotate(X.orientation, vector)


def _report_expressed_in(axis: Axis, spec: JointSpec, scope: Scope, log: DiagnosticLog) -> None:
    name = axis.expressed_in
    message = f"the axis of joint '{spec.name}' is expressed in '{name}', which does not exist in {scope.label}"
    hint = offered(log, name, scope.names(), "frames there")
    log.error("JOINT_AXIS_EXPRESSED_IN_INVALID", axis.source, message, hint)
    log.consequence(
        "POSE_RELATIVE_TO_INVALID", axis.source, f"frame '{name}' has no pose: it does not exist in {scope.label}"
    )
    if name == ROOT:
        log.error("ATTRIBUTE_INVALID", axis.source, f"expressed_in is '{ROOT}', which cannot be referred to")


def _standard_axis(spec: JointSpec, tag: str, scope: Scope, X_WJ: Pose, starts: Starts) -> Axis:
    """The axis of a joint that does not write it, without limits; `source` None means that it is not in the
    document."""
    xyz = _standard_direction(spec, tag)
    axis = Axis(xyz_joint=xyz, xyz_world=_rotated(X_WJ, xyz))
    return _started(axis, starts.get((scope.prefix + spec.name, tag)))


def _started(axis: Axis, start: StartSpec | None) -> Axis:
    """The axis with what a state says of it; what no state says stays as the axis itself has it."""
    if start is None:
        return axis
    return replace(
        axis,
        initial_position=axis.initial_position if start.position is None else start.position,
        initial_velocity=axis.initial_velocity if start.velocity is None else start.velocity,
        start_source=start.source,
    )


def _standard_direction(spec: JointSpec, tag: str) -> Vec3:
    """The z axis, as in SDFormat; x where the other axis of a universal or revolute2 joint lies along z already."""
    if spec.type in (JointType.UNIVERSAL, JointType.REVOLUTE2):
        other = spec.axes.get("axis" if tag == "axis2" else "axis2")
        along_z = abs(other.xyz_joint[2]) > 0.9 if other is not None else tag == "axis2"
        return X_AXIS if along_z else Z_AXIS
    return Z_AXIS


def _report_axes(spec: JointSpec, used: tuple[str, ...], log: DiagnosticLog, *, strict: bool) -> None:
    kind = spec.type.value
    for tag in AXIS_TAGS:
        if tag in used and tag not in spec.axes:
            xyz = " ".join(f"{value:g}" for value in _standard_direction(spec, tag))
            message = f"the {kind} joint '{spec.name}' has no <{tag}>; {xyz} without limits is taken"
            hint = f"write <{tag}><xyz>{xyz}</xyz></{tag}>"
            fold = f"{kind} {tag} {xyz}"
            log.warning("JOINT_AXIS_MISSING", spec.source, message, hint, fold=fold, about=spec.name)
        if tag in spec.axes and tag not in used:
            message = f"a {kind} joint has no {tag}; that of '{spec.name}' is not used"
            log.warning("JOINT_AXIS_UNUSED", spec.axes[tag].source, message, fold=f"{kind} {tag}", about=spec.name)
    for tag, axis in spec.axes.items():
        if tag in used and axis.lower > axis.upper:
            message = (
                f"the limits of joint '{spec.name}' ({tag}) are empty: lower {axis.lower} is above upper {axis.upper}"
            )
            done = "" if strict else "; they are taken the other way round"
            log.warning("JOINT_LIMITS_INVERTED", axis.source, message + done, "swap them")


def _gearbox_reference(spec: JointSpec, scope: Scope, graph: FrameGraph, log: DiagnosticLog) -> str:
    """Scoped link of a gearbox' reference body; "" where it has none."""
    if spec.type is not JointType.GEARBOX:
        return ""
    name = spec.gearbox_reference_body
    if name == WORLD:
        return WORLD
    body = graph.body_at(scope, name) if name else None
    if body is None:
        what = f"names '{name}', which does not exist in {scope.label}" if name else "is missing"
        message = f"the gearbox_reference_body of joint '{spec.name}' {what}; both angles are measured from it"
        hint = offered(log, name, scope.names_of("link"), "links there")
        log.warning("GEARBOX_REFERENCE_BODY_INVALID", spec.source, message, hint)
        return ""
    return WORLD if body.endswith(SCOPE + MODEL_FRAME) else body
