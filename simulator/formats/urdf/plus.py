"""URDF+: `<loop>` and `<coupling>` elements of a robot, and the attribute `independent` of its joints.

The elements are those of the generalized rigid-body dynamics library GRBDA (arXiv 2411.19753). Its reader takes of a
loop only that two points coincide, and of an axis no sign; here type, axis and sign are honoured:

* A loop is a joint of its type between two links, in the frame of either `<origin>`; it is the one that is cut.
* A coupling ties rotations that are measured from the nearest common ancestor of its two links: successor = ratio ·
  predecessor, where
  the turn of a link is the signed sum of the hinges on its way. That is what a gearbox joint of SDFormat says with
  ratio −ratio.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import COUPLING, INDEPENDENT
from simulator.formats.sdf.joint import AXIS_TAGS
from simulator.formats.urdf.closing import Closing, LinkFrame, RobotTree, closing_node, pose_along
from simulator.formats.urdf.dialects import closings_of
from simulator.formats.urdf.faults import UrdfError
from simulator.formats.urdf.robot import Robot, UrdfJoint, attribute, axis_node, direction, number, origin
from simulator.formats.values import number_text

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.spatial.rotation import Vec3

BALLS = ("ball", "spherical")
LOOP_TYPES = ("revolute", "continuous", "prismatic", "fixed", "planar", *BALLS)
HINGES = ("revolute", "continuous")
CODE = "URDF_COUPLING_INVALID"
PARALLEL = 1e-3
"""Largest sine of the angle between hinges whose angles are added, as for gearboxes."""


def independence(joint: Node, log: DiagnosticLog) -> dict[str, str]:
    """The mark that a joint's `independent="false"` becomes in SDFormat; nothing for what is true by default."""
    text = joint.attributes.get("independent", "true").strip()
    if text in ("true", "True"):
        return {}
    if text not in ("false", "False"):
        message = f"independent='{text}' of joint '{joint.attributes.get('name', '')}' is taken as false"
        log.warning("ATTRIBUTE_INVALID", joint.source, message, "write true or false")
    return {INDEPENDENT: "false"}


def closing_nodes(robot: Robot, log: DiagnosticLog, *, strict: bool) -> list[Node]:
    """SDFormat joints for all loops and couplings; unless `strict`, also for those that are written in other ways. Must
    be asked before fixed joints are lumped. Raises UrdfError."""
    tree = RobotTree.of(robot)
    made = [] if strict else [closing_node(closing, tree) for closing in closings_of(robot, log)]
    names = {joint.attributes["name"] for joint in made}
    for node in robot.node.children:
        if node.tag not in ("loop", "coupling"):
            continue
        name = attribute(node, "name")
        if name in names:
            raise UrdfError(node, f"two loops or couplings are named '{name}'")
        names.add(name)
        ends = (_end(node, "predecessor", robot), _end(node, "successor", robot))
        if ends[0].link == ends[1].link:
            raise UrdfError(node, f"<{node.tag}> '{name}' ties link '{ends[0].link}' to itself")
        if node.tag == "loop":
            made.append(closing_node(_loop(node, name, *ends), tree))
        else:
            coupling = _coupling(node, name, *ends, tree, log)
            made += [coupling] if coupling is not None else []
    return made


def _end(node: Node, tag: str, robot: Robot) -> LinkFrame:
    child = node.child(tag)
    if child is None:
        raise UrdfError(node, f"<{node.tag}> '{node.attributes['name']}' has no <{tag} link='…'/>")
    link = attribute(child, "link")
    if link not in robot.links:
        message = (
            f"the {tag} link '{link}' of <{node.tag}> '{node.attributes['name']}' does not exist; links: "
            f"{', '.join(robot.links)}"
        )
        raise UrdfError(child, message)
    return LinkFrame(link, origin(child), child)


# loops


def _loop(node: Node, name: str, predecessor: LinkFrame, successor: LinkFrame) -> Closing:
    kind = node.attributes.get("type", "")
    if kind not in LOOP_TYPES:
        what = f"of type '{kind}' is not known" if kind else "has no type"
        raise UrdfError(node, f"<loop> '{name}' {what}; types are: {', '.join(LOOP_TYPES)}")
    kind = "ball" if kind in BALLS else kind
    axes = () if kind in ("fixed", "ball") else (direction(node),)
    return Closing(name, kind, node, predecessor, successor, axes)


# couplings


def _coupling(
    node: Node, name: str, predecessor: LinkFrame, successor: LinkFrame, tree: RobotTree, log: DiagnosticLog
) -> Node | None:
    given = node.child("ratio")
    ratio = 1.0 if given is None else number(given, "value", 1.0)
    if ratio == 0.0:
        raise UrdfError(given or node, f"the ratio of <coupling> '{name}' must not be zero")
    common, way_p, way_s = tree.ways_from_common(predecessor.link, successor.link)
    turns = []
    for end, way in ((predecessor, way_p), (successor, way_s)):
        found = _direction(end, way)
        if isinstance(found, str):
            message = f"<coupling> '{name}' is left out: its {end.node.tag} '{end.link}' {found} '{common}'"
            log.error(CODE, end.node.source, message, "a coupling ties turns of two links about parallel hinges")
            return None
        turns.append(found)
    along_p, along_s = turns
    if _sine(along_p, along_s) <= PARALLEL:
        along_p = along_s  # one direction for both: hinges that point against each other count with their signs
    parent = predecessor.link
    child = successor.link
    axes = [along_p, along_s]
    if _follows(way_p) and not _follows(way_s):
        parent, child, ratio = child, parent, 1.0 / ratio
        axes.reverse()
        if any(part.tag in COUPLING for part in node.children):
            message = f"<coupling> '{name}': its successor leads, for the predecessor follows another joint already"
            log.warning(CODE, node.source, message, "forward is from the successor to the predecessor here")
    X_NC = pose_along(way_p if child == predecessor.link else way_s)
    joint = Node("joint", node.source, {"name": name, "type": "gearbox"})
    joint.children = [
        node.with_text("parent", parent),
        node.with_text("child", child),
        *(axis_node(node, X_NC.inverse().rotate(xyz), tag) for tag, xyz in zip(AXIS_TAGS, axes, strict=True)),
        node.with_text("gearbox_ratio", number_text(-ratio)),
        node.with_text("gearbox_reference_body", common),
        *(child.copy() for child in node.children if child.tag in COUPLING),
    ]
    return joint


def _follows(way: list[UrdfJoint]) -> bool:
    """Whether the hinge that carries a link is marked as dependent."""
    hinge = next(joint for joint in way if joint.type != "fixed")
    return hinge.node.attributes.get("independent", "true").strip() not in ("true", "True")


def _direction(end: LinkFrame, way: list[UrdfJoint]) -> Vec3 | str:
    """The direction that a link turns about, in the common ancestor at position zero; or what is wrong, as the middle
    of a sentence."""
    moving = [(joint, pose_along(way[place:])) for place, joint in enumerate(way) if joint.type != "fixed"]
    if not moving:
        return "cannot turn in"
    directions = []
    for joint, X_NJ in moving:
        if joint.type not in HINGES:
            return f"hangs by the {joint.type} joint '{joint.name}' on"
        directions.append(X_NJ.rotate(direction(joint.node)))
        if _sine(directions[0], directions[-1]) > PARALLEL:
            return f"hangs by joints '{moving[0][0].name}' and '{joint.name}' that are not parallel on"
    return directions[0]


def _sine(a: Vec3, b: Vec3) -> float:
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return float(sum(c * c for c in cross) ** 0.5)
