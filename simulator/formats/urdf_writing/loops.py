"""Loops in the ways of other programs; what each of them can say. Reading them is `formats.urdf.dialects`."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from simulator.formats.urdf.tolerance import NO_LIMIT
from simulator.formats.urdf_writing.parts import CODE, origin, placed
from simulator.formats.values import numbers_text
from simulator.formats.writing.elements import element
from simulator.model.joint import JointType
from simulator.records import dataclass
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.formats.urdf_writing.tree import UrdfTree
    from simulator.model.joint import Joint


class Dialect(str, Enum):
    """The program that shall understand the loops of a URDF."""

    LOOP = "loop"
    """`<loop>` of URDF+, and this program."""
    ISAAC = "isaac"
    """`<loop_joint>` of Isaac Sim's importer."""
    CONSTRAINT = "constraint"
    """`<constraint>` as proposed for urdfdom."""
    GAZEBO = "gazebo"
    """`<gazebo><joint>` of Gazebo classic."""
    DRAKE = "drake"
    """`<drake:ball_constraint>`."""
    YAML = "yaml"
    """A `robot.yaml` beside the URDF, as Gepetto's example-parallel-robots has it for Pinocchio."""


TURNING = (JointType.REVOLUTE, JointType.CONTINUOUS)
SAID = {
    Dialect.LOOP: (*TURNING, JointType.PRISMATIC, JointType.FIXED, JointType.BALL, JointType.PLANAR),
    Dialect.ISAAC: (*TURNING, JointType.PRISMATIC, JointType.FIXED, JointType.BALL),
    Dialect.CONSTRAINT: (*TURNING, JointType.PRISMATIC, JointType.FIXED, JointType.BALL, JointType.UNIVERSAL),
    Dialect.GAZEBO: (*TURNING, JointType.PRISMATIC, JointType.FIXED, JointType.BALL, JointType.UNIVERSAL),
    Dialect.DRAKE: (JointType.BALL,),
    Dialect.YAML: (*TURNING, JointType.PRISMATIC, JointType.FIXED, JointType.BALL),
}  # fmt: skip
"""Kinds of loop joints that a dialect can say."""


@dataclass
class Loops:
    """Elements of the robot, and pairs of frames with their types for a file beside it."""

    nodes: list[Node] = field(default_factory=list)
    pairs: list[tuple[str, str, str]] = field(default_factory=list)


def write_loops(tree: UrdfTree, dialect: Dialect, log: DiagnosticLog) -> Loops:
    """All loops that the dialect can say; the others are findings, and open."""
    loops = Loops()
    for joint in tree.loops:
        if joint.type not in SAID[dialect]:
            message = (
                f"a loop by a {joint.type.value} joint, '{tree.name(joint.name)}', has no place in {dialect.value}"
            )
            others = ", ".join(other.value for other in Dialect if joint.type in SAID[other])
            log.warning(CODE, joint.source, f"{message}: it is open", f"dialects that have one: {others or 'none'}")
            continue
        X_PE = tree.frames[joint.parent_link].inverse() @ (joint.X_WJ_parent or joint.X_WJ)
        X_SE = tree.frames[joint.child_link].inverse() @ joint.X_WJ
        _WRITERS[dialect](joint, tree, X_PE, X_SE, loops)
        if any(axis.rubs or axis.damping or axis.friction or axis.spring_stiffness for axis in joint.axes):
            name = tree.name(joint.name)
            message = f"damping, friction and springs of '{name}' have no place on a joint that closes a loop"
            log.warning(CODE, joint.source, message, "SDFormat has them; another joint of the loop may close it")
    return loops


def _kind(joint: Joint) -> str:
    """Unlimited hinges are all the same here: what a loop's joint is limited to is not said by any dialect."""
    return "revolute" if joint.type in TURNING else joint.type.value


def _axis(joint: Joint, tag: str = "axis", number: int = 0) -> Node | None:
    if len(joint.axes) <= number:
        return None
    return element(tag, xyz=numbers_text(value + 0.0 for value in joint.axes[number].xyz_joint))


def _ends(joint: Joint, tree: UrdfTree) -> tuple[str, str]:
    return tree.name(joint.parent_link), tree.name(joint.child_link)


def _loop(joint: Joint, tree: UrdfTree, X_PE: Pose, X_SE: Pose, loops: Loops) -> None:
    parent, child = _ends(joint, tree)
    sides = element("predecessor", origin(X_PE), link=parent), element("successor", origin(X_SE), link=child)
    loops.nodes.append(element("loop", *sides, _axis(joint), name=tree.name(joint.name), type=_kind(joint)))


def _isaac(joint: Joint, tree: UrdfTree, X_PE: Pose, X_SE: Pose, loops: Loops) -> None:
    parent, child = _ends(joint, tree)
    kind = "spherical" if joint.type is JointType.BALL else _kind(joint)
    sides = element("link1", link=parent, **placed(X_PE)), element("link2", link=child, **placed(X_SE))
    loops.nodes.append(element("loop_joint", *sides, _axis(joint), name=tree.name(joint.name), type=kind))


def _constraint(joint: Joint, tree: UrdfTree, X_PE: Pose, X_SE: Pose, loops: Loops) -> None:
    parent, child = _ends(joint, tree)
    kind = "spherical" if joint.type is JointType.BALL else _kind(joint)
    of_child = 1 if joint.type is JointType.UNIVERSAL else 0
    loops.nodes.append(
        element(
            "constraint",
            element("parent", link=parent),
            origin(X_PE, "parent_origin"),
            _axis(joint, "parent_axis"),
            element("child", link=child),
            origin(X_SE, "child_origin"),
            _axis(joint, "child_axis", of_child),
            name=tree.name(joint.name),
            type=f"{kind}_joint",
        )
    )


def _gazebo(joint: Joint, tree: UrdfTree, _X_PE: Pose, X_SE: Pose, loops: Loops) -> None:
    """SDFormat's syntax; the axis is in the joint's frame."""
    parent, child = _ends(joint, tree)
    pose = origin(X_SE)
    place = element("pose", text=f"{pose.attributes['xyz']} {pose.attributes['rpy']}", relative_to=child)
    axes = [
        element(tag, element("xyz", text=numbers_text(axis.xyz_joint)))
        for tag, axis in zip(("axis", "axis2"), joint.axes, strict=False)
    ]
    cut = element("physics", element("simbody", element("must_be_loop_joint", text="true")))
    ends = element("parent", text=parent), element("child", text=child)
    said = element("joint", place, *ends, *axes, cut, name=tree.name(joint.name), type=_kind(joint))
    loops.nodes.append(element("gazebo", said))


def _drake(joint: Joint, tree: UrdfTree, X_PE: Pose, X_SE: Pose, loops: Loops) -> None:
    tag = "drake:ball_constraint"
    (parent, child) = _ends(joint, tree)
    loops.nodes.append(
        element(
            tag,
            element(f"{tag}_body_A", name=parent),
            element(f"{tag}_body_B", name=child),
            element(f"{tag}_p_AP", value=numbers_text(X_PE.position)),
            element(f"{tag}_p_BQ", value=numbers_text(X_SE.position)),
        )
    )


def _yaml(joint: Joint, tree: UrdfTree, X_PE: Pose, X_SE: Pose, loops: Loops) -> None:
    """Frames are links without mass. A hinge or slide stays a joint, whose child is welded to the other side."""
    name = tree.name(joint.name)
    (parent, child) = _ends(joint, tree)
    first, second = f"{name}_A", f"{name}_B"
    held = joint.type in (JointType.FIXED, JointType.BALL)
    carried = _frame(name if not held else f"{second}_place", first if not held else second, X_PE if not held else X_SE)
    if held:
        loops.nodes += [*_frame(f"{first}_place", first, X_PE, parent), *carried_by(carried, child)]
    else:
        hinge = carried_by(carried, parent)
        kind = "continuous" if joint.type in TURNING else "prismatic"
        hinge[1].attributes["type"] = kind
        hinge[1].children += [node for node in (_axis(joint),) if node is not None]
        named = NO_LIMIT if kind == "prismatic" else ("effort", "velocity")
        hinge[1].children.append(element("limit", **{name: NO_LIMIT[name] for name in named}))
        loops.nodes += [*hinge, *_frame(f"{second}_place", second, X_SE, child)]
    loops.pairs.append((first, second, "3d" if joint.type is JointType.BALL else "6d"))


def carried_by(nodes: list[Node], parent: str) -> list[Node]:
    """The same with its parent."""
    nodes[1].children.insert(1, element("parent", link=parent))
    return nodes


def _frame(joint: str, link: str, X: Pose, parent: str = "") -> list[Node]:
    fixed = element("joint", origin(X), element("child", link=link), name=joint, type="fixed")
    nodes = [element("link", name=link), fixed]
    return carried_by(nodes, parent) if parent else nodes


_WRITERS = {
    Dialect.LOOP: _loop,
    Dialect.ISAAC: _isaac,
    Dialect.CONSTRAINT: _constraint,
    Dialect.GAZEBO: _gazebo,
    Dialect.DRAKE: _drake,
    Dialect.YAML: _yaml,
}


def beside(loops: Loops) -> str:
    """The text of `robot.yaml`; empty where nothing stands in it."""
    if not loops.pairs:
        return ""
    pairs = ", ".join(f"['{first}', '{second}']" for first, second, _ in loops.pairs)
    kinds = ", ".join(f"'{kind}'" for _, _, kind in loops.pairs)
    return f"closed_loop: [{pairs}]\ntype: [{kinds}]\n"
