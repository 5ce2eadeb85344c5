"""Joints of the tree as those of a URDF; those that it does not have as several, with frames between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.urdf.robot import AXES
from simulator.formats.urdf.tolerance import NO_LIMIT
from simulator.formats.urdf_writing.loops import Dialect
from simulator.formats.urdf_writing.parts import CODE, origin
from simulator.formats.values import INFINITE, number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.formats.writing.laws import law_node
from simulator.formats.writing.real_coupling import real_coupling_nodes, rubbing_nodes
from simulator.model.joint import JointType
from simulator.spatial.pose import IDENTITY

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.formats.urdf_writing.tree import UrdfTree
    from simulator.formats.writing.branches import TreeJoint
    from simulator.model.joint import Axis, Joint, Mimic
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3

SECOND, TRAVEL = "_second", "_travel"
"""What the names of a joint's other parts end in: the second axis of a universal joint, the travel of a screw."""


def joint_nodes(branch: TreeJoint, tree: UrdfTree, log: DiagnosticLog) -> list[Node]:
    """A joint between two links, with links between where it takes several."""
    joint = branch.joint
    name = tree.name(branch.joint.name)
    ends = tree.name(branch.parent), tree.name(branch.child)
    X = tree.frames[branch.parent].inverse() @ tree.frames[branch.child]
    axes = [(axis, _direction(axis, turned=branch.turned)) for axis in joint.axes]
    match joint.type:
        case JointType.FIXED:
            return [_node(name, "fixed", ends, X)]
        case JointType.BALL:
            return _ball(name, ends, X)
        case JointType.UNIVERSAL | JointType.REVOLUTE2:
            first, second = reversed(axes) if branch.turned else axes
            between = f"{name}_cross"
            return [
                _moving(name, (ends[0], between), X, *first, tree, log),
                element("link", name=between),
                _moving(f"{name}{SECOND}", (between, ends[1]), IDENTITY, *second, tree, log),
            ]
        case JointType.SCREW:
            ((axis, along),) = axes
            between = f"{name}_turned"
            pitch = joint.screw_thread_pitch / math.tau
            travel = _node(f"{name}{TRAVEL}", "prismatic", (between, ends[1]), IDENTITY, along)
            parts = real_coupling_nodes(joint.coupling)
            law = element("mimic", *parts, joint=name, multiplier=number_text(pitch), offset="0")
            travel.children += [_no_limit(), law]
            turning = _moving(name, (ends[0], between), X, axis, along, tree, log)
            return [turning, element("link", name=between), travel]
        case _:
            ((axis, along),) = axes
            return [_moving(name, ends, X, axis, along, tree, log, slides=joint.type is JointType.PRISMATIC)]


def _ball(name: str, ends: tuple[str, str], X: Pose) -> list[Node]:
    """Three hinges that meet, which every reader of URDF takes; this program takes them as the ball that they are,
    named after the last."""
    links = ends[0], f"{name}_after_x", f"{name}_after_y", ends[1]
    nodes = [element("link", name=link) for link in links[1:3]]
    for place, axis in enumerate(AXES):
        called = name if axis == "Z" else f"{name}_{axis.lower()}"
        nodes.append(
            _node(called, "continuous", (links[place], links[place + 1]), X if place == 0 else IDENTITY, AXES[axis])
        )
    return nodes


def coupling_node(gearbox: Joint, tree: UrdfTree, dialect: Dialect, log: DiagnosticLog) -> Node | None:
    """A gearbox as `<coupling>` of URDF+, which measures turns from the nearest common ancestor of its two links; None,
    with a finding, where the gearbox measures them from another link, or for another program."""
    name = tree.name(gearbox.name)
    (one, other) = (gearbox.parent_link, gearbox.child_link)
    ways = tree.way_up(one), tree.way_up(other)
    common = next((link for link in ways[0] if link in ways[1]), "")
    if dialect is not Dialect.LOOP or gearbox.gearbox_reference != common:
        message = (
            f"the gearbox '{name}' has no place in a URDF: '{tree.name(one)}' and '{tree.name(other)}' are not tied"
        )
        log.warning(CODE, gearbox.source, message, "SDFormat has it: give the output a name that ends in .sdf")
        return None
    return element(
        "coupling",
        element("predecessor", link=tree.name(one)),
        element("successor", link=tree.name(other)),
        element("ratio", value=number_text(-gearbox.gearbox_ratio)),
        *real_coupling_nodes(gearbox.coupling),
        name=name,
    )


def extension(branch: TreeJoint, tree: UrdfTree) -> Node | None:
    """A spring, for Gazebo; None where there is none."""
    axis = branch.joint.axes[0] if branch.joint.axes else None
    if axis is None or not axis.spring_stiffness:
        return None
    return element(
        "gazebo",
        element("springStiffness", text=number_text(axis.spring_stiffness)),
        element("springReference", text=number_text(axis.spring_reference)),
        reference=tree.name(branch.joint.name),
    )


def _direction(axis: Axis, *, turned: bool) -> Vec3:
    """In the joint's frame; a joint that is traversed from its child turns about the opposite."""
    x, y, z = axis.xyz_joint
    return (-x, -y, -z) if turned else (x, y, z)


def _node(name: str, kind: str, ends: tuple[str, str], X: Pose, along: Vec3 | None = None) -> Node:
    axis = None if along is None else element("axis", xyz=numbers_text(value + 0.0 for value in along))
    parent, child = element("parent", link=ends[0]), element("child", link=ends[1])
    return element("joint", origin(X), parent, child, axis, name=name, type=kind)


def _moving(
    name: str, ends: tuple[str, str], X: Pose, axis: Axis, along: Vec3, tree: UrdfTree, log: DiagnosticLog,
    *, slides: bool = False,
) -> Node:  # fmt: skip
    bounded = math.isfinite(axis.lower) or math.isfinite(axis.upper)
    kind = "prismatic" if slides else "revolute" if bounded else "continuous"
    node = _node(name, kind, ends, X, along)
    node.children.append(_limit(axis, bounded=bounded or slides))
    if axis.damping or axis.friction:
        values = {"damping": number_text(axis.damping), "friction": number_text(axis.friction)}
        node.children.append(element("dynamics", **values))
    node.children += rubbing_nodes(axis)
    if axis.mimic is not None:
        node.children.append(_mimic(axis.mimic, tree))
        if axis.mimic.law is not None:
            message = (
                f"joint '{name}' follows by a law that is not a straight line: it is written as "
                f"<simulator:{axis.mimic.law.kind.value}>, which other programs pass over"
            )
            log.info(CODE, axis.mimic.source, message, "they take its multiplier and offset", fold="law", about=name)
    if axis.initial_position:
        message = f"where joint '{name}' starts has no place in a URDF: it starts at 0"
        log.warning(CODE, axis.start_source or axis.source, message, fold="start", about=name)
    return node


def _limit(axis: Axis, *, bounded: bool) -> Node:
    values = {"lower": axis.lower, "upper": axis.upper} if bounded else {}
    values |= {"effort": axis.effort, "velocity": axis.velocity}
    return element("limit", **{key: number_text(_finite(value)) for key, value in values.items()})


def _no_limit() -> Node:
    return element("limit", **NO_LIMIT)


def _finite(value: float) -> float:
    """What URDF's readers take for no limit."""
    return math.copysign(INFINITE, value) if math.isinf(value) else value


def _mimic(mimic: Mimic, tree: UrdfTree) -> Node:
    """q = multiplier · (leader − reference) + offset: URDF has no reference."""
    leader = tree.name(mimic.leader) + (SECOND if mimic.axis == "axis2" else "")
    offset = mimic.offset - mimic.multiplier * mimic.reference
    values = {"multiplier": number_text(mimic.multiplier), "offset": number_text(offset + 0.0)}
    law = None if mimic.law is None else law_node(mimic.law)
    return element("mimic", law, *real_coupling_nodes(mimic.coupling), joint=leader, **values)
