"""`<robot>` → `<sdf>`: the tree that libsdformat would make of a URDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.urdf.joints import joint_node
from simulator.formats.urdf.links import link_node, paint, pose_node
from simulator.formats.urdf.lumping import WORLD, lump
from simulator.formats.urdf.robot import Robot, UrdfError, UrdfJoint, UrdfLink, read_robot

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog


def robot_to_sdf(root: Node, log: DiagnosticLog) -> Node | None:
    """The SDFormat 1.12 tree of a robot; None (and errors) where the file cannot be understood."""
    try:
        paint(root)
        robot = read_robot(root, log)
        _check_one_parent(robot, log)
        lump(robot)
        model = _model(robot, log)
    except UrdfError as error:
        log.error("PARSING_ERROR", error.node.source, str(error))
        log.error("FILE_READ", error.node.source, "the URDF is not read, because of the error above")
        return None
    return Node("sdf", root.source, {"version": "1.12"}, children=[model])


def _check_one_parent(robot: Robot, log: DiagnosticLog) -> None:
    """A URDF link hangs on one joint. A second one is reported and cut; a loop is closed by an extension."""
    seen: set[str] = set()
    pending = [robot.root]
    while pending:
        link = robot.links[pending.pop(0)]
        for joint in list(link.joints):
            if joint.child in seen:
                link.joints.remove(joint)
                message = f"link '{joint.child}' is the child of two joints; joint '{joint.name}' is left out"
                hint = "close a loop with <gazebo><joint …> in SDFormat's syntax"
                log.error("DUPLICATE_NAME", joint.node.source, message, hint)
            else:
                seen.add(joint.child)
                pending.append(joint.child)
    lost = [link for name, link in robot.links.items() if name not in seen and name != robot.root]
    if lost:
        names = ", ".join(link.name for link in lost)
        raise UrdfError(
            lost[0].node, f"these links hang on each other in a circle and not on the root '{robot.root}': {names}"
        )


def _model(robot: Robot, log: DiagnosticLog) -> Node:
    model = Node("model", robot.node.source, {"name": robot.name})
    place = robot.node.child("origin")
    if place is not None:
        model.children.append(pose_node(robot.node))
    pending: list[tuple[UrdfLink, UrdfJoint | None]] = [(robot.links[robot.root], None)]
    while pending:
        link, joint = pending.pop(0)
        if link.name != WORLD or joint is not None:
            if link.inertial is None:
                _report_massless(link, log)
                continue
            model.children += link_node(link, joint, log)
        if joint is not None:
            model.children += joint_node(joint, log)
        pending = [(robot.links[below.child], below) for below in link.joints] + pending
    model.children += [node.copy() for node in robot.extensions]
    return model


def _report_massless(link: UrdfLink, log: DiagnosticLog) -> None:
    below = f", and with it what hangs on it: {', '.join(joint.child for joint in link.joints)}" if link.joints else ""
    message = f"link '{link.name}' has no mass; it is left out{below}"
    log.warning("LINK_INERTIA_INVALID", link.node.source, message, "give it an <inertial> with a positive mass")
