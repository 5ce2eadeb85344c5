"""What RViz, MuJoCo, Drake and PyBullet accept in a URDF and the reader does not → what it does, each with a warning.

urdfdom (RViz, Gazebo) leaves most of this to the program that asks it; the readers of MuJoCo, Drake and PyBullet are
their own, and each is lenient somewhere else. What none of them accepts stays as it is, and is an error of the reader:
units behind a number, links that do not exist, joints of an unknown type.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.cursor import offered
from simulator.formats.sdf.auto_inertia import MOMENTS, report_moments_alone
from simulator.formats.urdf.links import SHAPES
from simulator.formats.urdf.robot import BALL
from simulator.formats.values import INFINITE, mended_numbers, number_text, numbers_text, plain_numbers
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

COUNTS = {
    **dict.fromkeys(("xyz", "rpy", "size", "scale"), 3),
    **dict.fromkeys(("rgba", "quat_xyzw"), 4),
    **dict.fromkeys(("acceleration", "deceleration", "jerk"), 1),
    **dict.fromkeys(("radius", "length", "lower", "upper", "effort", "velocity", "damping", "friction"), 1),
    **dict.fromkeys(("multiplier", "offset", "ixx", "ixy", "ixz", "iyy", "iyz", "izz", "iyx", "izx", "izy"), 1),
    "value": 1,
}
"""Attributes that hold numbers, and how many."""
EXTENSIONS = ("gazebo", "transmission", "ros2_control")
"""What is not URDF, and has rules of its own."""
PRODUCTS = ("ixy", "ixz", "iyz")
BALLS = ("ball", "spherical")
NO_LIMIT = {"lower": number_text(-INFINITE), **dict.fromkeys(("upper", "effort", "velocity"), number_text(INFINITE))}
"""SDFormat's way to write that there is none."""
_SUFFIX = re.compile(r"(?<=[\d.])[fFdDlL](?=\s|$)|(?<=\.\d)(\d*)\.(?=\s|$)")
"""The letter of a programming language behind a number, or a second point; anything else there may be a unit, and is
not guessed."""


def tolerate(robot: Node, log: DiagnosticLog) -> None:
    """Rewrite the tree in place."""
    if not robot.attributes.get("name"):
        robot.attributes["name"] = Path(robot.source.file).stem or "robot"
        message = f"<robot> has no name; it is called '{robot.attributes['name']}' here"
        log.warning("ATTRIBUTE_MISSING", robot.source, message, 'write <robot name="…">')
    for node in _read_nodes(robot):
        _numbers(node, log)
    for link in robot.all("link"):
        _parts(link, log)
        _inertia(link, log)
    for joint in robot.all("joint"):
        _joint(joint, log)
    _mimics(robot, log)
    _world(robot, log)
    _materials(robot, log)


def _read_nodes(robot: Node) -> Iterator[Node]:
    pending = [robot]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed([child for child in node.children if child.tag not in EXTENSIONS])


def _numbers(node: Node, log: DiagnosticLog) -> None:
    for name, text in node.attributes.items():
        count = COUNTS.get(name, 0)
        if not count or len(plain_numbers(text)) == count or not text.strip():
            continue
        numbers = _mended(text, count, scale=name == "scale")
        if numbers is not None:
            node.attributes[name] = numbers_text(numbers)
            message = f"{name}='{text}' of <{node.tag}> is read as '{node.attributes[name]}'"
            hint = f"write {count} numbers with blanks between them" if count > 1 else "write one number"
            log.warning("ATTRIBUTE_INVALID", node.source, message, hint, fold=f"numbers {name}")


def _mended(text: str, count: int, *, scale: bool) -> tuple[float, ...] | None:
    plain = _SUFFIX.sub(r"\1", text)
    numbers = mended_numbers(plain, count)
    if numbers is not None:
        return numbers
    numbers = plain_numbers(plain)
    if scale and len(numbers) == 1:
        return numbers * 3
    return numbers[:count] if len(numbers) > count > 1 else None


def _parts(link: Node, log: DiagnosticLog) -> None:
    """A visual or collision without a shape of URDF is left out."""
    for part in [child for child in link.children if child.tag in ("visual", "collision")]:
        geometry = part.child("geometry")
        if geometry is not None and any(shape.tag in SHAPES for shape in geometry.children):
            continue
        link.children.remove(part)
        found = ", ".join(f"<{shape.tag}>" for shape in geometry.children) if geometry is not None else ""
        what = f"no shape that URDF knows, only {found}" if found else "no geometry"
        message = f"a <{part.tag}> of link '{link.attributes.get('name', '')}' has {what}; it is left out"
        log.warning("ELEMENT_MISSING", part.source, message, f"shapes of URDF are: {', '.join(SHAPES)}")


def _inertia(link: Node, log: DiagnosticLog) -> None:
    inertial = link.child("inertial")
    mass, inertia = (None, None) if inertial is None else (inertial.child("mass"), inertial.child("inertia"))
    if inertia is None:
        return
    if mass is not None and _is_zero(mass.attributes.get("value", "")):
        moments = [plain_numbers(inertia.attributes.get(name, "")) for name in MOMENTS]
        if any(map(any, moments)):
            report_moments_alone(link.attributes.get("name", ""), inertia.source, log)
    missing = [name for name in PRODUCTS if name not in inertia.attributes]
    if missing and "ixx" in inertia.attributes:
        inertia.attributes |= dict.fromkeys(missing, "0")
        message = f"<inertia> has no {', '.join(missing)}; 0 is taken"
        log.warning("ATTRIBUTE_MISSING", inertia.source, message, "write all six", fold="inertia")


def _joint(joint: Node, log: DiagnosticLog) -> None:
    name, kind = joint.attributes.get("name", ""), joint.attributes.get("type", "")
    if kind in BALLS:
        joint.attributes["type"] = BALL
        message = (
            f"joint '{name}' is of type '{kind}', which URDF does not have; it is read as a ball joint of SDFormat"
        )
        log.warning("ATTRIBUTE_INVALID", joint.source, message, "write it as <gazebo><joint type='ball'>…")
    dynamics = joint.child("dynamics")
    if dynamics is not None and not {"damping", "friction"} & dynamics.attributes.keys():
        joint.children.remove(dynamics)
        message = f"<dynamics> of joint '{name}' has neither damping nor friction; both are taken as 0"
        log.warning("ATTRIBUTE_MISSING", dynamics.source, message, "take it out", fold="dynamics", about=name)
    if kind in ("revolute", "prismatic"):
        _limit(joint, name, kind, log)
    if kind in ("revolute", "prismatic", "continuous"):
        _zeros(joint, name, log)


def _limit(joint: Node, name: str, kind: str, log: DiagnosticLog) -> None:
    """What is not written is not limited; one of lower and upper alone leaves the other at 0, as in URDF."""
    limit = joint.child("limit")
    if limit is None:
        limit = joint.with_text("limit", "")
        joint.children.append(limit)
        limit.attributes |= NO_LIMIT
        message = f"the {kind} joint '{name}' has no <limit>; it moves without limits"
        hint = "write <limit lower='…' upper='…' effort='…' velocity='…'/>"
        log.warning("JOINT_LIMITS_MISSING", joint.source, message, hint, fold="limit", about=name)
        return
    missing = [tag for tag in ("effort", "velocity") if tag not in limit.attributes]
    if "lower" not in limit.attributes and "upper" not in limit.attributes:
        missing = ["lower", "upper", *missing]
    if missing:
        limit.attributes |= {tag: NO_LIMIT[tag] for tag in missing}
        *first, last = missing
        lacking = f"neither {', '.join(first)} nor {last}" if first else f"no {last}"
        message = f"<limit> of the {kind} joint '{name}' states {lacking}; the joint has no such limit here"
        hint = f"write {', '.join(missing)} in SI units"
        fold = " ".join(missing)
        log.warning("JOINT_LIMITS_MISSING", limit.source, message, hint, fold=fold, about=name)


def _zeros(joint: Node, name: str, log: DiagnosticLog) -> None:
    """An effort or velocity limit of 0 is none: exporters write it where they know nothing, and MuJoCo, PyBullet and
    RViz move the joint. By the letter no motor could."""
    limit = joint.child("limit")
    zeros = [] if limit is None else [tag for tag in ("effort", "velocity") if _is_zero(limit.attributes.get(tag, ""))]
    if limit is None or not zeros:
        return
    limit.attributes |= {tag: NO_LIMIT[tag] for tag in zeros}
    message = f"<limit> of joint '{name}' has {' and '.join(f'{tag} 0' for tag in zeros)}: it is read as no limit"
    hint = "write what the motor can do; with --strict a limit of 0 stays, and no drive moves the joint"
    log.warning("JOINT_LIMITS_MISSING", limit.source, message, hint, fold="zero")


def _is_zero(text: str) -> bool:
    return plain_numbers(text) == (0.0,)


def _mimics(robot: Node, log: DiagnosticLog) -> None:
    """A follower whose leader does not exist or turns freely goes without; one of a fixed leader is held by it, see
    `held.py`."""
    types = {joint.attributes.get("name", ""): joint.attributes.get("type", "") for joint in robot.all("joint")}
    for gazebo in robot.all("gazebo"):
        types |= {joint.attributes.get("name", ""): "extension" for joint in gazebo.all("joint")}
    for joint in robot.all("joint"):
        mimic = joint.child("mimic")
        leader = "" if mimic is None else mimic.attributes.get("joint", "")
        if mimic is None or not leader or types.get(leader, "floating") not in ("floating", BALL):
            continue
        joint.children.remove(mimic)
        why = f"is {types[leader]}" if leader in types else "does not exist"
        follower = joint.attributes.get("name", "")
        message = f"joint '{follower}' mimics joint '{leader}', which {why}; it moves by itself"
        moving = [name for name, kind in types.items() if kind not in ("fixed", "floating", BALL) and name != follower]
        hint = offered(log, leader, moving, "joints that can lead")
        log.warning("JOINT_AXIS_MIMIC_INVALID", mimic.source, message, hint, fold=leader, about=follower)


def _world(robot: Node, log: DiagnosticLog) -> None:
    """A joint may hang on the world without a link of that name (Drake); and a part of another robot hangs on a link of
    that one, where all links of its own are children."""
    links = {link.attributes.get("name", "") for link in robot.all("link")}
    ends = [end for joint in robot.all("joint") for end in joint.all("parent")]
    missing = [end for end in ends if end.attributes.get("link", "") not in links]
    names = {end.attributes.get("link", "") for end in missing}
    children = {end.attributes.get("link", "") for joint in robot.all("joint") for end in joint.all("child")}
    if WORLD in names:
        message = "a joint hangs on a link 'world', which does not exist; it is the world itself"
        hint = "write <link name='world'/>"
    elif len(names) == 1 and all(names) and WORLD not in links and links <= children:
        (name,) = names
        message = f"all links hang on '{name}', which does not exist: the document is a part of another, and is fixed "
        message += "to the world here"
        hint = "include it in the robot that has this link"
        for end in missing:
            end.attributes["link"] = WORLD
    else:
        return
    world = robot.with_text("link", "")
    world.attributes["name"] = WORLD
    robot.children.insert(0, world)
    log.warning("ELEMENT_MISSING", missing[0].source, message, hint)


def _materials(robot: Node, log: DiagnosticLog) -> None:
    colors: dict[str, tuple[float, ...]] = {}
    for material in robot.all("material"):
        name = material.attributes.get("name", "")
        color = material.child("color")
        rgba = () if color is None else plain_numbers(color.attributes.get("rgba", ""))
        if rgba and colors.setdefault(name, rgba) != rgba:
            message = f"two materials are named '{name}'; the colour of the first is taken"
            log.warning(
                "DUPLICATE_NAME", material.source, message, "give one of them another name", fold="material", about=name
            )
