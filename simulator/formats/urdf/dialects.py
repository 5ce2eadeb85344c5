"""Loops of a URDF in the ways of other programs. URDF has none of its own; these are read like `<loop>`:

* `<loop_joint>` with `<link1>` and `<link2>` (Isaac Sim's URDF importer, and Drake before its SDFormat), or with parent
  and child like a joint (exporters of Fusion 360);
* `<constraint>` as proposed for urdfdom (ros/urdfdom#264, ros/urdfdom_headers#108), of HIT's joint_state_transformer;
* `<drake:ball_constraint>` (Drake's Parser);
* the plugin DetachableJoint of gz-sim on the robot itself: a weld in the pose of the start;
* `closed_loop` in a `robot.yaml` beside the document (Gepetto's example-parallel-robots): pairs of frames that
  coincide, `6d`, or whose origins do, `3d`; its `joint_name` and `joint_type` make balls, universal and fixed joints of
  joints;
* `<joints_to_mimic>` and `<mimic_relationship>` in a `<mimic>` as proposed for urdfdom (ros/urdfdom#132): a law over
  one joint or several, j_0, j_1, …;
* pairs of frames `closing_NAME_1` and `closing_NAME_2` (onshape-to-robot), which do not say how they are mated.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog, Source
from simulator.formats.cursor import offered
from simulator.formats.files import read_regular
from simulator.formats.nodes import Node
from simulator.formats.read_loops import CODE, report_read_loop
from simulator.formats.sdf.detachable import BALL_CONSTRAINT, DETACHABLE, attached_to_itself
from simulator.formats.sdf.extensions import CONSTRAINT, EXPRESSION
from simulator.formats.urdf.closing import Closing, LinkFrame
from simulator.formats.urdf.faults import UrdfError
from simulator.formats.urdf.robot import (
    AXES,
    BALL,
    FIXED,
    UNIVERSAL,
    Robot,
    attribute,
    direction,
    numbers,
    pose_of,
    within,
)
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import normalized

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from simulator.spatial.rotation import Vec3

BESIDE = "robot.yaml"
"""The file of Gepetto's example-parallel-robots, which names pairs of frames under `closed_loop`."""
LARGEST = 1 << 20
"""Bytes of that file."""
KINDS = {
    "spherical": "ball", "ball": "ball", "fixed": "fixed", "weld": "fixed", "revolute": "revolute",
    "continuous": "continuous", "prismatic": "prismatic", "universal": "universal",
}  # fmt: skip
"""Types of loops, without `_joint` at their end."""
FRAMES, TYPE_BESIDE = "closing frames", f"type in {BESIDE}"
WAYS = {
    "loop_joint": "<loop_joint>", "constraint": "<constraint>", BALL_CONSTRAINT: f"<{BALL_CONSTRAINT}>",
    DETACHABLE: f"the plugin {DETACHABLE}", BESIDE: f"closed_loop of {BESIDE}", FRAMES: "the pair of frames",
}  # fmt: skip
"""How loops are written, and how a finding says so."""
WRONG = "LOOP_INVALID"
RELATIONSHIPS = ("mimic_relationship", "mimc_relationship")


def closings_of(robot: Robot, log: DiagnosticLog) -> list[Closing]:
    """All loops that the document and the file beside it say in other ways than `<loop>`."""
    found: list[Closing] = []
    for element, closing in _all(robot, log):
        found.append(replace(closing, element=element))
        ends = (closing.successor.link, closing.predecessor.link)
        report_read_loop(log, closing.node.source, WAYS[element], closing.name, closing.kind, ends, "<loop>")
    return found


def _all(robot: Robot, log: DiagnosticLog) -> Iterator[tuple[str, Closing]]:
    node = robot.node
    for child in node.all("loop_joint"):
        yield "loop_joint", _loop_joint(child, robot)
    for child in node.all("constraint"):
        yield "constraint", _constraint(child, robot)
    for place, child in enumerate(node.all(BALL_CONSTRAINT), start=1):
        yield BALL_CONSTRAINT, _drake_ball(child, place, robot)
    for plugin in attached_to_itself([node, *node.all("gazebo")], robot.name):
        yield DETACHABLE, _detachable(plugin, robot)
    for closing in _beside(robot, log):
        yield BESIDE, closing
    for closing in _mated_frames(robot):
        yield FRAMES, closing


def _end(robot: Robot, place: Node, link: str, X_LE: Pose) -> LinkFrame:
    if link not in robot.links:
        raise UrdfError(place, f"the link '{link}' of <{place.tag}>, which closes a loop, does not exist")
    return LinkFrame(link, X_LE, place)


def _kind(node: Node) -> str:
    written = node.attributes.get("type", "spherical")
    kind = KINDS.get(written.removesuffix("_joint"))
    if kind is None:
        message = f"<{node.tag}> '{node.attributes.get('name', '')}' is of type '{written}'"
        raise UrdfError(node, message, f"types of loops are: {', '.join(KINDS)}")
    return kind


def _loop_joint(node: Node, robot: Robot) -> Closing:
    """With link1 and link2 both frames are given, and the axis is in them. Isaac's manual writes `<link1>` twice."""
    name = attribute(node, "name")
    kind = _kind(node)
    ends = [child for child in node.children if child.tag in ("link1", "link2")]
    if not ends:
        return _like_a_joint(node, name, kind, robot)
    if len(ends) != 2:
        raise UrdfError(node, f"<loop_joint> '{name}' needs <link1 link='…'/> and <link2 link='…'/>")
    first, second = (_end(robot, end, attribute(end, "link"), pose_of(end)) for end in ends)
    axes = () if kind in ("ball", "fixed") else (direction(node),)
    return Closing(name, kind, node, first, second, axes)


def _like_a_joint(node: Node, name: str, kind: str, robot: Robot) -> Closing:
    """Points in both links, and the axis in the parent."""
    parent, child = (_named(node, tag, robot) for tag in ("parent", "child"))
    axis = () if kind in ("ball", "fixed") else (direction(node),)
    turned = kind not in ("ball", "fixed")  # the axis is in the parent's frame, so that frame is used
    first, second = (child, parent) if turned else (parent, child)
    return Closing(name, kind, node, first, second, tuple((-x, -y, -z) for x, y, z in axis), aligned=True)


def _constraint(node: Node, robot: Robot) -> Closing:
    """What turns about an axis has one in the frame of each origin, like a joint of a URDF. Frames that are points
    alone coincide at zero."""
    name = attribute(node, "name")
    kind = _kind(node)
    parent, child = (_named(node, tag, robot) for tag in ("parent", "child"))
    origins = [node.child(f"{tag}_origin") for tag in ("parent", "child")]
    points = not any(place is not None and "rpy" in place.attributes for place in origins)
    if kind in ("ball", "fixed"):
        return Closing(name, kind, node, parent, child, aligned=points and kind == "ball")
    along_parent = parent.X_LE.rotate(_axis(node, "parent_axis"))
    return Closing(name, kind, node, parent, child, (_axis(node, "child_axis"),), along_parent, aligned=points)


def _axis(node: Node, tag: str) -> Vec3:
    place = node.child(tag)
    if place is None:
        raise UrdfError(node, f"<{node.tag}> '{node.attributes.get('name', '')}' needs <{tag} xyz='…'/>")
    x, y, z = numbers(place, "xyz", 3)
    try:
        return normalized((x, y, z))
    except ValueError as error:
        raise UrdfError(place, f"the <{tag}> of '{node.attributes.get('name', '')}' must not be zero") from error


def _named(node: Node, tag: str, robot: Robot) -> LinkFrame:
    child = node.child(tag)
    if child is None:
        raise UrdfError(node, f"<{node.tag}> '{node.attributes.get('name', '')}' has no <{tag} link='…'/>")
    return _end(robot, child, attribute(child, "link"), pose_of(node.child(f"{tag}_origin")))


def _drake_ball(node: Node, number: int, robot: Robot) -> Closing:
    ends = []
    for side, point in (("A", "p_AP"), ("B", "p_BQ")):
        body, place = node.child(f"{node.tag}_body_{side}"), node.child(f"{node.tag}_{point}")
        if body is None or place is None:
            raise UrdfError(node, f"<{node.tag}> needs <{node.tag}_body_{side}> and <{node.tag}_{point}>")
        x, y, z = within(place, "value", numbers(place, "value", 3))
        ends.append(_end(robot, body, attribute(body, "name"), Pose((x, y, z))))
    return Closing(f"ball_constraint_{number}", "ball", node, ends[0], ends[1], aligned=True)


def _detachable(plugin: Node, robot: Robot) -> Closing:
    parent, child = (plugin.text_of(f"{side}_link") for side in ("parent", "child"))
    first, second = _end(robot, plugin, parent, IDENTITY), _end(robot, plugin, child, IDENTITY)
    robot.extensions[:] = [extension for extension in robot.extensions if extension is not plugin]
    return Closing(f"{child}_on_{parent}", "fixed", plugin, first, second, as_at_zero=True)


# the file beside a robot


def _beside(robot: Robot, log: DiagnosticLog) -> Iterator[Closing]:
    said = read_beside(robot.node, DiagnosticLog())  # what is wrong with it was said for the types of joints
    pairs = _list(said, "closed_loop")
    kinds = [str(kind).lower() for kind in _list(said, "type")]
    where = Node(BESIDE, _place(robot.node))
    for number, pair in enumerate(pairs):
        names = [str(name) for name in pair] if isinstance(pair, list) else []
        frames = [_frame(name, robot) for name in names]
        missing = [name for name, frame in zip(names, frames, strict=True) if frame is None]
        if len(names) != 2 or missing:
            what = f"frames that do not exist: {', '.join(missing)}" if missing else f"no pair of frames: {pair}"
            message = f"closed_loop {number + 1} of {BESIDE} names {what}; the loop is open"
            hint = offered(log, missing[0], robot.links, "links are") if missing else "write [FRAME, FRAME]"
            log.warning(WRONG, where.source, message, hint)
            continue
        kind = "ball" if number < len(kinds) and kinds[number] == "3d" else "fixed"
        first, second = (LinkFrame(link, IDENTITY, where) for link in frames if link is not None)
        yield Closing(f"{names[0]}_{names[1]}", kind, where, first, second, aligned=kind == "ball")


def read_relationships(root: Node, log: DiagnosticLog) -> None:
    """Laws of urdfdom#132, whose element is misspelt in the proposal, as ours: over one joint an expression in the
    mimic, over several a constraint of the robot."""
    for joint in root.all("joint"):
        mimic = joint.child("mimic")
        said = None if mimic is None else next((mimic.child(tag) for tag in RELATIONSHIPS if mimic.child(tag)), None)
        leaders = None if mimic is None else mimic.child("joints_to_mimic")
        if mimic is None or said is None or leaders is None:
            continue
        name = joint.attributes.get("name", "")
        names = [leader.text.strip() for leader in leaders.all("joint_to_mimic")]
        text = said.text.strip().strip("\"'").replace("^", "**")
        one = len(names) == 1
        for place, leader in reversed([*enumerate(names)]):
            text = re.sub(rf"\bj_{place}\b", "q" if one else f"'{leader}'", text)
        mimic.children = [child for child in mimic.children if child is not said and child is not leaders]
        if one:
            mimic.attributes["joint"] = names[0]
            mimic.children.append(Node(EXPRESSION, said.source, text=text))
        else:
            joint.children.remove(mimic)
            law = {"name": f"{name}_law", "follower": name}
            root.children.append(Node(CONSTRAINT, said.source, law, f"'{name}' - ({text})"))
        form = f"<{EXPRESSION}> in the mimic" if one else f"<{CONSTRAINT}>"
        message = f"<{said.tag}> of joint '{name}' is a law of {', '.join(names)}"
        log.info(CODE, said.source, message, f"write it as {form}", fold="relationship", about=name)


def set_types(root: Node, log: DiagnosticLog) -> None:
    """Give joints of a robot the types that the file beside it says."""
    said = read_beside(root, log)
    joints = {joint.attributes.get("name"): joint for joint in root.all("joint")}
    for name, kind in zip(_list(said, "joint_name"), _list(said, "joint_type"), strict=False):
        joint = joints.get(str(name))
        text = str(kind)
        axes = [AXES.get(letter) for letter in text[-2:]] if text.startswith("UJOINT_") else []
        if joint is None or (text not in ("SPHERICAL", "FIXED") and (len(axes) != 2 or None in axes)):
            message = f"{BESIDE} gives joint '{name}' the type '{text}', which does not exist; the joint keeps its own"
            hint = "types are SPHERICAL, FIXED, and UJOINT_XY with any two axes"
            if joint is None:
                message = f"{BESIDE} gives the type '{text}' to joint '{name}', which does not exist; it is not used"
                hint = offered(log, str(name), [known for known in joints if known], "joints")
            log.warning(WRONG, _place(root), message, hint, fold=text, about=str(name))
            continue
        joint.source = replace(joint.source, element=TYPE_BESIDE)
        if axes:
            joint.attributes["type"] = UNIVERSAL
            joint.attributes["axes"] = text[-2:]
        else:
            joint.attributes["type"] = BALL if text == "SPHERICAL" else FIXED


def read_beside(root: Node, log: DiagnosticLog) -> dict[str, Any]:
    """What the file beside a robot says; nothing where there is none, and a finding where it cannot be read."""
    path = Path(root.source.file).with_name(BESIDE)
    try:
        text = read_regular(path, LARGEST).decode("utf-8", errors="replace")
    except OSError:
        return {}
    import yaml

    try:
        said = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # the last two of a date that is none, of many [
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        log.warning(WRONG, Source(str(path), line), f"{BESIDE} is not YAML: its loops are open", fold=str(path))
        return {}
    return said if isinstance(said, dict) else {}


def _place(root: Node) -> Source:
    return Source(str(Path(root.source.file).with_name(BESIDE)), 1)


def _list(said: dict[str, Any], key: str) -> list[Any]:
    found = said.get(key)
    return found if isinstance(found, list) else []


def _frame(name: str, robot: Robot) -> str | None:
    """The link of that name, or the one that a joint of that name carries: their frames coincide."""
    if name in robot.links:
        return name
    return next((joint.child for link in robot.links.values() for joint in link.joints if joint.name == name), None)


def _mated_frames(robot: Robot) -> Iterator[Closing]:
    """The kind of the mate is not in a URDF; the origins of its frames coincide in any but sliding ones."""
    for name, link in robot.links.items():
        other = f"{name[:-1]}2"
        if name.startswith("closing_") and name.endswith("_1") and other in robot.links:
            ends = (LinkFrame(name, IDENTITY, link.node), LinkFrame(other, IDENTITY, robot.links[other].node))
            yield Closing(name[:-2], "ball", link.node, *ends, aligned=True)
