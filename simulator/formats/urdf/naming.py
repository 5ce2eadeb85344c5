"""One name space for links, joints and frames: in a URDF a link and a joint may share a name, in SDFormat they must
not.

The joint keeps its name, since that is what users command and record; the link, or the frame of a lumped link, gets
another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import EXPRESSED_IN
from simulator.formats.sdf.names import SCOPE, free_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.formats.urdf.robot import Robot

LINK_TEXTS = ("parent", "child", "gearbox_reference_body")
FRAME_ATTRIBUTES = ("relative_to", "attached_to", *EXPRESSED_IN)


def distinguish(robot: Robot, extensions: Iterable[Node], log: DiagnosticLog) -> None:
    """Rename links and frames in place where a joint has their name; `extensions` are SDFormat elements that may refer
    to them."""
    extensions = list(extensions)
    joints = {joint.name for link in robot.links.values() for joint in link.joints}
    joints |= {node.attributes.get("name", "") for node in extensions if node.tag == "joint"}
    taken = {*joints, *robot.links, *(name for link in robot.links.values() for name in link.frames)}
    new: dict[str, str] = {}
    for link in list(robot.links.values()):
        if link.name in joints:
            new[link.name] = _free(link.name, "link", taken)
            message = f"a joint has the name of link '{link.name}', too; the link is called '{new[link.name]}' here"
            log.warning("DUPLICATE_NAME", link.node.source, message, fold="link and joint", about=link.name)
        for name in [name for name in link.frames if name in joints or name in robot.links]:
            other = _free(name, "frame", taken)
            link.frames[other] = link.frames.pop(name)
            if name in robot.links:
                continue  # of a fixed joint that is named like a link; what names it means the link
            new[name] = other
            message = f"a joint has the name of link '{name}', too, which a fixed joint makes a part of '{link.name}'"
            message += f": its frame is called '{other}' here"
            log.info("DUPLICATE_NAME", link.node.source, message, fold="frame", about=name)
    if new:
        _rename(robot, extensions, new)


def _free(name: str, kind: str, taken: set[str]) -> str:
    found = free_name(name, kind, taken)
    taken.add(found)
    return found


def _rename(robot: Robot, extensions: Iterable[Node], new: dict[str, str]) -> None:
    for link in robot.links.values():
        link.name = new.get(link.name, link.name)
        for joint in link.joints:
            joint.parent, joint.child = new.get(joint.parent, joint.parent), new.get(joint.child, joint.child)
            joint.origin = new.get(joint.origin, joint.origin)
    robot.links = {link.name: link for link in robot.links.values()}
    robot.roots = [new.get(name, name) for name in robot.roots]
    for node in (item for extension in extensions for item in extension.walk()):
        if node.tag in LINK_TEXTS:
            first, separator, rest = node.text.partition(SCOPE)
            node.text = new.get(first, first) + separator + rest
        for attribute in FRAME_ATTRIBUTES:
            if attribute in node.attributes:
                node.attributes[attribute] = new.get(node.attributes[attribute], node.attributes[attribute])
