"""Joints as UsdPhysics', with their limits and springs, and mimics and dynamics as Newton's schemas have them.

A joint of UsdPhysics turns about or slides along x, y or z of a frame that each of its two bodies has. The frame here
is that of the document's joint, turned so that its x is the axis. Angles are in degrees, and so are numbers per angle.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.formats.usd_writing.places import CODE, NEWTON, quaternion
from simulator.formats.writing.left_out import report_real_joints
from simulator.model.joint import WORLD, JointType
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import perpendicular_to, quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.usd_writing.places import Places
    from simulator.model.joint import Axis, Joint, Mimic
    from simulator.spatial.rotation import Vec3

TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
SCHEMAS = {
    JointType.FIXED: "FixedJoint",
    JointType.REVOLUTE: "RevoluteJoint",
    JointType.CONTINUOUS: "RevoluteJoint",
    JointType.PRISMATIC: "PrismaticJoint",
    JointType.BALL: "SphericalJoint",
}
FREEDOMS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
FREE = {
    JointType.UNIVERSAL: ("rotX", "rotY"),
    JointType.SCREW: ("transX", "rotX"),
    JointType.PLANAR: ("transY", "transZ", "rotX"),
}
"""What moves in a joint that has no schema of its own; all else is locked."""
SQUARE = 1e-9
"""Cosine between axes of a universal joint below which they are perpendicular."""


def write_joints(stage: Any, places: Places, joints: Sequence[Joint], cut: Collection[str], log: DiagnosticLog) -> None:
    """Those of `cut` close loops, and are held beside the articulation."""
    known = {joint.name: joint for joint in joints}
    report_real_joints(joints, CODE, "USD", log)
    for joint in joints:
        _write_joint(stage, places, joint, known, log, cut=joint.name in cut)


def _write_joint(
    stage: Any, places: Places, joint: Joint, known: Mapping[str, Joint], log: DiagnosticLog, *, cut: bool
) -> None:
    made = _define(stage, places, joint, log)
    if made is None:
        return
    made.CreateBody0Rel().SetTargets(places.body(joint.parent_link))
    made.CreateBody1Rel().SetTargets(places.body(joint.child_link))
    _write_frames(stage, places, made, joint)
    if cut:
        made.CreateExcludeFromArticulationAttr(True)
    if joint.type in TURNING or joint.type is JointType.PRISMATIC:
        _write_axis(made.GetPrim(), places, joint, known, log)
    elif any(axis.mimic or axis.spring_stiffness or axis.damping or axis.friction for axis in joint.axes):
        _drop(joint, "springs, damping, friction and mimics of joints with several axes", "it is free of them", log)


def _define(stage: Any, places: Places, joint: Joint, log: DiagnosticLog) -> Any | None:
    from pxr import UsdPhysics

    path = places.of(joint.name)
    schema = SCHEMAS.get(joint.type)
    if schema is not None:
        return getattr(UsdPhysics, schema).Define(stage, path)
    kind = JointType.UNIVERSAL if joint.type is JointType.REVOLUTE2 else joint.type
    if kind not in FREE:
        _drop(joint, "gearbox whose turns are measured from a body that moves", "its shafts are not tied", log)
        return None
    if kind is JointType.UNIVERSAL and abs(np.dot(joint.axes[0].xyz_joint, joint.axes[1].xyz_joint)) > SQUARE:
        _drop(joint, "universal joint with axes that are not perpendicular", "its links are not joined", log)
        return None
    made = UsdPhysics.Joint.Define(stage, path)
    if kind is JointType.SCREW:
        _drop(joint, "thread", "it turns and slides freely", log)
    for freedom in FREEDOMS:
        if freedom not in FREE[kind]:
            locked = UsdPhysics.LimitAPI.Apply(made.GetPrim(), freedom)
            locked.CreateLowAttr(1.0)
            locked.CreateHighAttr(-1.0)
    return made


def _drop(joint: Joint, what: str, instead: str, log: DiagnosticLog) -> None:
    message = f"joint '{joint.name}': UsdPhysics has no {what}; {instead}"
    log.warning(CODE, joint.source, message, fold=what, about=joint.name)


def _write_frames(stage: Any, places: Places, made: Any, joint: Joint) -> None:
    """The joint's frame in each body; in the world where that is the body."""
    from pxr import Gf, Usd, UsdGeom

    turn = Pose(orientation=quat_from_matrix(_turned(joint)))
    here = joint.X_WJ
    there = joint.X_WJ_parent or here
    sides = ((joint.parent_link, there, "0"), (joint.child_link, here, "1"))
    for body, X_WJ, side in sides:
        local = X_WJ @ turn
        if body != WORLD:
            matrix = UsdGeom.Xformable(stage.GetPrimAtPath(places.of(body))).ComputeLocalToWorldTransform(
                Usd.TimeCode.Default()
            )
            local = Pose.from_matrix(np.array(matrix).T).inverse() @ local
        getattr(made, f"CreateLocalPos{side}Attr")(Gf.Vec3f(*local.position))
        getattr(made, f"CreateLocalRot{side}Attr")(quaternion(local.orientation, Gf.Quatf))


def _turned(joint: Joint) -> Any:
    """R_JU: the frame U of USD's joint in the document's, x along the first axis, y along the second if there is one.

    A universal joint's first axis is fixed in the parent. PhysX turns a free x and a free y as swing about y of the
    parent, then twist about x of the child: so y is the first axis there, and x the second."""
    axes: list[Vec3] = [axis.xyz_joint for axis in joint.axes]
    if joint.type in (JointType.UNIVERSAL, JointType.REVOLUTE2):
        first, second = np.array(axes[1]), np.array(axes[0])
        return np.column_stack([first, second, np.cross(first, second)])
    if not axes:
        return np.eye(3)
    across, along = perpendicular_to(axes[0])
    return np.column_stack([axes[0], across, along])


def _write_axis(prim: Any, places: Places, joint: Joint, known: Mapping[str, Joint], log: DiagnosticLog) -> None:
    """Limits, spring, effort limit, dynamics and mimic of the one axis."""
    from pxr import UsdPhysics

    (axis,) = joint.axes
    turns = joint.type in TURNING
    unit = math.degrees(1.0) if turns else 1.0
    schema = UsdPhysics.RevoluteJoint(prim) if turns else UsdPhysics.PrismaticJoint(prim)
    schema.CreateAxisAttr(UsdPhysics.Tokens.x)
    if math.isfinite(axis.lower):
        schema.CreateLowerLimitAttr(axis.lower * unit)
    if math.isfinite(axis.upper):
        schema.CreateUpperLimitAttr(axis.upper * unit)
    _write_drive(prim, axis, unit, turns=turns)
    _write_dynamics(prim, axis, unit)
    if axis.mimic is not None and not axis.mimic.coupling.slips:
        _write_mimic(prim, places, joint, axis.mimic, known, log)
    if axis.initial_position or axis.initial_velocity:
        message = f"where joint '{joint.name}' starts is left out: bodies are where the joint is at 0"
        log.warning(CODE, axis.start_source or axis.source, message, fold="start", about=joint.name)


def _write_drive(prim: Any, axis: Axis, unit: float, *, turns: bool) -> None:
    """A spring is a drive to its rest; a joint with an effort limit has a drive of that limit and no gains."""
    from pxr import UsdPhysics

    if not axis.spring_stiffness and not math.isfinite(axis.effort):
        return
    drive = UsdPhysics.DriveAPI.Apply(prim, UsdPhysics.Tokens.angular if turns else UsdPhysics.Tokens.linear)
    drive.CreateTypeAttr(UsdPhysics.Tokens.force)
    drive.CreateStiffnessAttr(axis.spring_stiffness / unit)
    drive.CreateDampingAttr(0.0)
    if axis.spring_stiffness:
        drive.CreateTargetPositionAttr(axis.spring_reference * unit)
    else:
        drive.CreateMaxForceAttr(axis.effort)


def _write_dynamics(prim: Any, axis: Axis, unit: float) -> None:
    """Attributes of NewtonJointAPI."""
    stated = {
        "damping": axis.damping / unit,
        "friction": axis.friction,
        "velocityLimit": axis.velocity * unit if math.isfinite(axis.velocity) else 0.0,
    }
    _apply(prim, "JointAPI", ((name, value) for name, value in stated.items() if value))


def _write_mimic(
    prim: Any, places: Places, joint: Joint, mimic: Mimic, known: Mapping[str, Joint], log: DiagnosticLog
) -> None:
    """follower = coef0 + coef1 · leader, in degrees and metres."""
    law = _from_the_first(mimic, known)
    if law is None and _bends(mimic, known):
        _drop(joint, "mimic along a curve", "it moves by itself", log)
        return
    if law is None:
        _drop(joint, "mimic of a joint with several freedoms", "it moves by itself", log)
        return
    leader, slope, offset = law
    unit, leader_unit = (math.degrees(1.0) if each.type in TURNING else 1.0 for each in (joint, leader))
    values = (("mimicCoef0", offset * unit), ("mimicCoef1", slope * unit / leader_unit))
    _apply(prim, "MimicAPI", values)
    prim.CreateRelationship("newton:mimicJoint", False).SetTargets([places.of(leader.name)])
    if unit != leader_unit:
        message = (
            f"'{joint.name}' follows a joint of another type, in metres per degree or degrees per metre: Newton's "
            "schema leaves that open, and Newton 1.8 skips it"
        )
        log.warning(CODE, mimic.source, message, fold="mixed mimics", about=joint.name)


def _bends(mimic: Mimic, known: Mapping[str, Joint]) -> bool:
    """Whether a law on the way to the first leader is not a straight line."""
    seen: set[str] = set()
    while mimic.law is None and mimic.leader not in seen:
        seen.add(mimic.leader)
        leader = known.get(mimic.leader)
        above = leader.axes[0].mimic if leader is not None and leader.axes else None
        if above is None:
            return False
        mimic = above
    return mimic.law is not None


def _from_the_first(mimic: Mimic, known: Mapping[str, Joint]) -> tuple[Joint, float, float] | None:
    """The leader that follows no joint, with slope and offset of the follower over it: Newton refuses a leader that
    follows another. None where one of them has not just one freedom."""
    slope = mimic.multiplier
    offset = mimic.offset - mimic.multiplier * mimic.reference
    leader = None if mimic.law is not None else known.get(mimic.leader)
    while leader is not None and leader.type in (*TURNING, JointType.PRISMATIC):
        above = leader.axes[0].mimic
        if above is None:
            return leader, slope, offset
        if above.law is not None:
            return None
        offset += slope * (above.offset - above.multiplier * above.reference)
        slope *= above.multiplier
        leader = known.get(above.leader)
    return None


def _apply(prim: Any, schema: str, values: Iterable[tuple[str, float]]) -> None:
    from pxr import Sdf

    stated = list(values)
    if not stated:
        return
    prim.AddAppliedSchema(f"{NEWTON}{schema}")
    for name, value in stated:
        prim.CreateAttribute(f"newton:{name}", Sdf.ValueTypeNames.Float).Set(value)
