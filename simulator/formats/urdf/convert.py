"""`<robot>` → `<sdf>`: the tree that libsdformat would make of a URDF."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.formats.control.resolve import FIXED_MARK
from simulator.formats.nodes import Node
from simulator.formats.sdf.detachable import cut_mark
from simulator.formats.sdf.extensions import CABLE, CONSTRAINT, WITHOUT_MASS
from simulator.formats.sdf.names import free_name
from simulator.formats.sdf.vocabulary import SDFORMAT
from simulator.formats.urdf.bullet import contacts_as_extensions
from simulator.formats.urdf.dialects import set_types
from simulator.formats.urdf.faults import Faults, UrdfError
from simulator.formats.urdf.held import fix_held_followers
from simulator.formats.urdf.joints import joint_node
from simulator.formats.urdf.limits import apply_version
from simulator.formats.urdf.links import friction_directions, link_node, paint, pose_node
from simulator.formats.urdf.lumping import lump
from simulator.formats.urdf.naming import distinguish
from simulator.formats.urdf.plus import closing_nodes
from simulator.formats.urdf.rest import leave_out
from simulator.formats.urdf.right_angles import snap_pitches
from simulator.formats.urdf.robot import Robot, UrdfJoint, UrdfLink, number, read_robot
from simulator.formats.urdf.tolerance import tolerate
from simulator.formats.vocabulary import check_vocabulary
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from simulator.formats.cursor import Reading

SECOND_PARENT, GAZEBO_JOINT = "second parent", "gazebo joint"
"""Ways in which a robot has loops that are joints in SDFormat."""
ROUNDS = 8
"""What is left out may leave something else that is wrong, at most as often as this: a joint, the link it held, …"""


def robot_to_sdf(root: Node, reading: Reading) -> Node | None:
    """The SDFormat 1.12 tree of a robot. Where there are errors, what can be drawn of it; None where that is nothing,
    and if `strict`."""
    log = reading.log
    strict = reading.options.strict
    apply_version(root, log)
    contacts_as_extensions(root, log, strict=strict)
    if strict:
        snap_pitches(root)
    else:
        set_types(root, log)
        tolerate(root, log)
    paint(root, log)
    model, wrong = _converted(root, log, strict=strict)
    if wrong:
        where = wrong[0].source
        model = None if strict else _rest(root, wrong)
        if model is None:
            log.consequence("FILE_READ", where, "the URDF is not read, because of the errors above")
        else:
            message = "what is wrong in the URDF is left out, the rest of it is drawn and cannot be simulated"
            log.consequence("FILE_READ", where, message)
    return None if model is None else Node("sdf", root.source, {"version": "1.12"}, children=[model])


def _converted(root: Node, log: DiagnosticLog, *, strict: bool) -> tuple[Node | None, list[Node]]:
    """The model, and where it is wrong."""
    faults = Faults(log)
    model = None
    with faults.noted():
        robot = read_robot(root, log, faults, strict=strict)
        if faults.places:
            _judge(robot, log, faults)
        else:
            if not strict:
                fix_held_followers(robot, log)
            second = _second_parents(robot)
            closing = closing_nodes(robot, log, strict=strict)
            closing += [node for joint in second for node in _closed_by(joint, log, strict=strict)]
            lump(robot)
            if not strict:
                distinguish(robot, [*closing, *robot.extensions, *friction_directions(robot)], log)
            model = _model(robot, log, faults, strict=strict)
            model.children += closing
    return model, faults.places


def _rest(root: Node, wrong: list[Node]) -> Node | None:
    """The model of what is left where everything wrong is left out, which changes the tree of the robot. What that
    leads to is no news: nothing is reported."""
    model = None
    for _ in range(ROUNDS):
        if wrong and leave_out(root, wrong):
            model, wrong = _converted(root, DiagnosticLog(), strict=False)
    drawn = model is not None and not wrong and model.child("link") is not None
    return model if drawn else None


def _judge(robot: Robot, log: DiagnosticLog, faults: Faults) -> None:
    """Find the other faults of a robot that cannot be made."""
    for link in robot.links.values():
        with faults.noted():
            link_node(link, None, log)
        for joint in link.joints:
            with faults.noted():
                joint_node(joint, log)


def _second_parents(robot: Robot) -> list[UrdfJoint]:
    """Cut the joints whose child hangs on another joint already: a URDF is a tree. Raises UrdfError for what hangs on
    no root."""
    seen = set[str]()
    second = []
    pending = deque(robot.roots)
    while pending:
        link = robot.links[pending.popleft()]
        for joint in list(link.joints):
            if joint.child in seen:
                link.joints.remove(joint)
                second.append(joint)
            else:
                seen.add(joint.child)
                pending.append(joint.child)
    seen.update(robot.roots)
    lost = [link for name, link in robot.links.items() if name not in seen]
    if lost:
        names = ", ".join(link.name for link in lost)
        raise UrdfError(
            lost[0].node, f"these links hang on each other in a circle and not on the root '{robot.roots[0]}': {names}"
        )
    return second


def _closed_by(joint: UrdfJoint, log: DiagnosticLog, *, strict: bool) -> list[Node]:
    """A joint to a link that hangs on another one closes a loop, as in SDFormat; if `strict`, it is an error and left
    out."""
    message = f"link '{joint.child}' is the child of two joints; joint '{joint.name}'"
    hint = "close a loop with <loop>, or with <gazebo><joint …> in SDFormat's syntax"
    nodes = [] if strict else joint_node(joint, log)
    if len(nodes) != 1:
        log.error("DUPLICATE_NAME", joint.node.source, f"{message} is left out", hint)
        return []
    log.warning(
        "DUPLICATE_NAME", joint.node.source, f"{message} is taken to close a loop, where all joints are at zero", hint
    )
    nodes[0].source = replace(nodes[0].source, element=SECOND_PARENT)
    nodes[0].children.append(cut_mark(joint.node))
    return nodes


def _model(robot: Robot, log: DiagnosticLog, faults: Faults, *, strict: bool) -> Node:
    model = Node("model", robot.node.source, {"name": robot.name})
    place = robot.node.child("origin")
    if place is not None:
        model.children.append(pose_node(robot.node))
    pending: list[tuple[UrdfLink, UrdfJoint | None]] = [(robot.links[root], None) for root in reversed(robot.roots)]
    taken = _names(robot)
    while pending:
        link, joint = pending.pop()
        if link.name != WORLD or joint is not None:
            if link.inertial is None and strict:
                _report_massless(link, log)
                continue
            with faults.noted():
                nodes = link_node(link, joint, log)
                if link.inertial is None:
                    _judge_mass(link)
                    nodes[0].attributes[WITHOUT_MASS] = "estimate" if joint is not None else "ground"
                    nodes += [] if joint is not None else [_ground(link, taken, log)]
                model.children += nodes
        if joint is not None:
            with faults.noted():
                model.children += joint_node(joint, log)
        pending += [(robot.links[below.child], below) for below in reversed(link.joints)]
    extensions = [node.copy() for node in robot.extensions]
    check_vocabulary(Node("model", robot.node.source, children=extensions), SDFORMAT, log)
    for node in (node for node in extensions if node.tag == "joint"):
        node.source = replace(node.source, element=GAZEBO_JOINT)
    model.children += extensions
    model.children += _control(robot.node)
    model.children += [node.copy() for node in robot.node.children if node.tag in (CONSTRAINT, CABLE)]
    return model


def _control(robot: Node) -> list[Node]:
    """What is said about actuators, as it is; joints that are fixed get a mark, because they have been lumped away by
    now."""
    fixed = {joint.attributes.get("name") for joint in robot.all("joint") if joint.attributes.get("type") == "fixed"}
    copies = [node.copy() for node in robot.children if node.tag in ("ros2_control", "transmission")]
    for joint in (joint for node in copies for joint in node.all("joint")):
        if joint.attributes.get("name") in fixed:
            joint.attributes[FIXED_MARK] = "true"
    return copies


def _judge_mass(link: UrdfLink) -> None:
    """Raises UrdfError if the mass is negative; a mass of zero is none."""
    mass = next((node for inertial in link.node.all("inertial") for node in inertial.all("mass")), None)
    if mass is not None and number(mass, "value") < 0.0:
        raise UrdfError(mass, f"the mass of link '{link.name}' is negative", "write a positive mass in kilograms")


def _names(robot: Robot) -> set[str]:
    """The names of links, joints and frames."""
    joints = (joint.name for link in robot.links.values() for joint in link.joints)
    return {*robot.links, *joints, *(frame for link in robot.links.values() for frame in link.frames)}


def _ground(root: UrdfLink, taken: set[str], log: DiagnosticLog) -> Node:
    """A root link without mass is the ground of the robot, as in MuJoCo and PyBullet: a fixed joint ties it to the
    world."""
    message = f"the root link '{root.name}' states no mass: it is fixed to the world"
    log.info("ROOT_IS_GROUND", root.node.source, message, "give it an <inertial> if it is to move freely")
    name = free_name(root.name, "ground", taken)
    joint = Node("joint", root.node.source, {"name": name, "type": "fixed"})
    joint.children = [joint.with_text("parent", WORLD), joint.with_text("child", root.name)]
    return joint


def _report_massless(link: UrdfLink, log: DiagnosticLog) -> None:
    below = f", and with it what hangs on it: {', '.join(joint.child for joint in link.joints)}" if link.joints else ""
    message = f"link '{link.name}' has no mass; it is left out{below}"
    log.warning("LINK_INERTIA_INVALID", link.node.source, message, "give it an <inertial> with a positive mass")
