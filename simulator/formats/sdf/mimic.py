"""`<mimic>`: the leader's name is looked up and checked as libsdformat does, and a little more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.cursor import listed, offered
from simulator.formats.sdf.joint import AXES, AXIS_TAGS
from simulator.formats.sdf.specs import JointSpec
from simulator.model.joint import JointType, Mimic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.sdf.scopes import Scope

CODE = "JOINT_AXIS_MIMIC_INVALID"
NOT_COUPLED = (JointType.FIXED, JointType.BALL, JointType.GEARBOX)
"""Types without an axis coordinate that a mimic could tie."""


def resolve_mimic(mimic: Mimic, tag: str, follower: JointSpec, scope: Scope, log: DiagnosticLog) -> Mimic | None:
    """The mimic with its leader's scoped name; None where it is not valid (reported, with libsdformat's number of
    errors)."""
    if mimic.joint == follower.name and mimic.axis == tag:
        message = f"Axis with name [{tag}] in joint with name [{follower.name}] cannot mimic itself."
        log.error(CODE, mimic.source, message, "name another joint as leader, or the other axis of this one")
        return None
    if mimic.axis not in AXIS_TAGS:
        _report_axis_name(mimic, follower, log)
    vertex = scope.vertex(mimic.joint)
    if vertex is None or not isinstance(vertex.spec, JointSpec):
        message = (
            f"A joint with name[{mimic.joint}] specified by an axis mimic in joint with name[{follower.name}] "
            f"not found in {scope.label.split(' ')[0]} with name[{scope.name}]."
        )
        log.error(CODE, mimic.source, message, _leaders(mimic.joint, scope, follower, log))
        return None
    if mimic.axis not in AXIS_TAGS:
        _report_axis_name(mimic, follower, log)
    if not _has_axis(mimic, follower, vertex.spec, log) or not _may_couple(mimic, tag, follower, vertex.spec, log):
        return None
    return replace(mimic, leader=vertex.scoped_name)


def _leaders(wanted: str, scope: Scope, follower: JointSpec, log: DiagnosticLog) -> str:
    def names() -> Iterator[str]:
        yield from (name for name in scope.names_of("joint") if name != follower.name)
        for inner in scope.scopes:
            prefix = inner.name[len(scope.prefix) :]
            yield from (f"{prefix}::{name}" for name in inner.names_of("joint"))

    return offered(log, wanted, names(), "joints that can lead")


def _report_axis_name(mimic: Mimic, follower: JointSpec, log: DiagnosticLog) -> None:
    message = f"Axis mimic in joint with name [{follower.name}] specified an invalid leader axis name [{mimic.axis}]."
    log.error(CODE, mimic.source, message, "the attribute axis is 'axis' or 'axis2'")


def _has_axis(mimic: Mimic, follower: JointSpec, leader: JointSpec, log: DiagnosticLog) -> bool:
    if mimic.axis in leader.axes:
        return True
    message = (
        f"Axis mimic in joint with name [{follower.name}] specified a leader axis name [{mimic.axis}] "
        f"that is not found in the leader joint with name [{mimic.joint}]."
    )
    hint = f"axes of that {leader.type.value} joint: {listed(leader.axes)}"
    if not leader.axes:
        hint = f"a {leader.type.value} joint has no axis to follow: name a joint that turns or slides"
    log.error(CODE, mimic.source, message, hint)
    return False


def _may_couple(mimic: Mimic, tag: str, follower: JointSpec, leader: JointSpec, log: DiagnosticLog) -> bool:
    """Our own check: both ends must be coordinates of the mechanism. A mimic on an axis that the follower's type does
    not use is idle."""
    if follower.type not in NOT_COUPLED and AXIS_TAGS.index(tag) >= AXES[follower.type]:
        message = (
            f"the mimic on {tag} of the {follower.type.value} joint '{follower.name}' has no effect: it has no such "
            "axis"
        )
        log.warning(CODE, mimic.source, message)
        return True
    for role, joint, axis in (("leader", leader, mimic.axis), ("follower", follower, tag)):
        if joint.type in NOT_COUPLED or AXIS_TAGS.index(axis) >= AXES[joint.type]:
            message = (
                f"a {joint.type.value} joint has no {axis} to be {role} of a mimic (joint '{joint.name}'; "
                f"follower '{follower.name}' at {follower.source}, leader '{leader.name}' at {leader.source})"
            )
            hint = "mimic ties axes of revolute, continuous, prismatic, screw, universal and revolute2 joints"
            log.error(CODE, mimic.source, message, hint, fold=f"{role} {leader.name}", about=follower.name)
            return False
    return True
