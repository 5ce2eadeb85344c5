"""`<sensor type="force_torque">` of a joint: in which axes its wrench is given, and in which sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.cursor import offered
from simulator.formats.sdf.poses import read_pose
from simulator.formats.sdf.specs import SensorSpec
from simulator.model.joint import CHILD_AXES, PARENT_AXES, SENSOR_AXES, ForceTorqueSensor

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.cursor import Cursor
    from simulator.formats.sdf.frame_graph import FrameGraph
    from simulator.formats.sdf.scopes import Scope
    from simulator.spatial.pose import Pose

FORCE_TORQUE = "force_torque"
TO_PARENT, TO_CHILD = "child_to_parent", "parent_to_child"


def read_sensors(joint: Cursor) -> tuple[SensorSpec, ...]:
    """The force-torque sensors of a joint; sensors of other types measure nothing here."""
    found = []
    for cursor in joint.children("sensor"):
        if cursor.get("type") == FORCE_TORQUE:
            settings = cursor.descend(FORCE_TORQUE)
            frame = _one_of(settings, "frame", (CHILD_AXES, PARENT_AXES, SENSOR_AXES))
            direction = _one_of(settings, "measure_direction", (TO_PARENT, TO_CHILD))
            name = cursor.get("name") or FORCE_TORQUE
            found.append(SensorSpec(name, frame, direction == TO_CHILD, read_pose(cursor), cursor.source))
    return tuple(found)


def _one_of(cursor: Cursor, tag: str, choices: tuple[str, ...]) -> str:
    """The text of a child; the first choice where it is missing, and with a warning where it is none of them."""
    text = cursor.string(tag, choices[0])
    if text in choices:
        return text
    message = f"<{tag}> of a force-torque sensor is '{text}', which does not exist; {choices[0]} is taken"
    cursor.log.warning(
        "ELEMENT_INVALID", (cursor.child(tag) or cursor).source, message, f"write one of {', '.join(choices)}"
    )
    return choices[0]


def resolved_sensors(
    specs: tuple[SensorSpec, ...], scope: Scope, graph: FrameGraph, X_WJ: Pose, log: DiagnosticLog
) -> tuple[ForceTorqueSensor, ...]:
    """Sensors with their poses in the joint frame; a warning about a pose in a frame that does not exist, which is
    taken as the joint's."""
    found = []
    for spec in specs:
        X_JS = spec.pose.pose
        if spec.pose.relative_to:
            X_WR = graph.pose_at(scope, spec.pose.relative_to)
            if X_WR is None:
                missing = f"'{spec.pose.relative_to}', which does not exist in {scope.label}"
                message = f"the pose of sensor '{spec.name}' is relative to {missing}"
                hint = offered(log, spec.pose.relative_to, scope.names(), "frames there")
                log.warning("POSE_RELATIVE_TO_INVALID", spec.pose.source, message, hint)
            X_JS = X_JS if X_WR is None else X_WJ.inverse() @ X_WR @ X_JS
        found.append(ForceTorqueSensor(spec.name, spec.frame, spec.on_child, X_JS, spec.source))
    return tuple(found)
