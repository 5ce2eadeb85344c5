"""A world → the text of a URDF: the entrance of this room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import Diagnostic, DiagnosticLog
from simulator.formats.sdf.extensions import SECOND_AXIS
from simulator.formats.urdf_writing.joints import SECOND, coupling_node, extension, joint_nodes
from simulator.formats.urdf_writing.loops import Dialect, beside, write_loops
from simulator.formats.urdf_writing.parts import CODE, extensions, link_node
from simulator.formats.urdf_writing.tree import UrdfTree
from simulator.formats.writing.actuation import hardware_node, transmission_node
from simulator.formats.writing.elements import element
from simulator.formats.writing.laws import constraint_node
from simulator.formats.writing.left_out import cables_in, report_left_out, robot_name
from simulator.formats.writing.loads import cable_node
from simulator.formats.writing.uris import Uris
from simulator.formats.writing.xml_text import xml_text
from simulator.model.joint import WORLD
from simulator.model.world import World
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from simulator.formats.nodes import Node
    from simulator.formats.resources import Resources
    from simulator.model.cables import Cable
    from simulator.model.laws import JointConstraint

NAMESPACES = {"drake": "http://drake.mit.edu"}


@dataclass(frozen=True)
class WrittenRobot:
    """The text of a URDF, that of the `robot.yaml` beside it ("" where none is needed), and what is not in them."""

    text: str
    beside: str
    diagnostics: tuple[Diagnostic, ...]


def write_urdf(
    world: World, cut: Collection[str], folder: Path, resources: Resources, dialect: Dialect, title: str = ""
) -> WrittenRobot:
    """A URDF of the bodies that move, on the link `world` where something holds them there; its links have their frames
    at the joints that carry them. `cut`: scoped names of the joints that close loops. `folder`: where it will be saved,
    for the names of mesh files. Raises UsageError for bodies that do not hang together."""
    log = DiagnosticLog()
    tree = UrdfTree.of(world, cut)
    loops = write_loops(tree, dialect, log)
    couplings = (coupling_node(gearbox, tree, dialect, log) for gearbox in tree.gearboxes)
    tied = [node for node in couplings if node is not None]
    moved = [model for model in world.models if not model.static]
    tied += [constraint_node(constraint, lambda name: _axis_name(name, tree)) for constraint in _constraints(world)]
    tied += [cable_node(_on_frames(cable, tree), str) for cable in cables_in(world)]
    driven = [hardware_node(hardware) for model in moved for hardware in model.hardware]
    driven += [transmission_node(info) for model in moved for info in model.transmissions]
    nodes = [*_links(tree, Uris(folder, resources), log), *_joints(tree, log), *loops.nodes, *tied, *driven]
    _report_rest(world, log)
    robot = element("robot", *nodes, name=robot_name(world))
    return WrittenRobot(xml_text(robot, title, NAMESPACES), beside(loops), log.as_tuple())


def _constraints(world: World) -> list[JointConstraint]:
    return [*world.constraints, *(constraint for model in world.models for constraint in model.constraints)]


def _on_frames(cable: Cable, tree: UrdfTree) -> Cable:
    """A cable over the frames that links have in a URDF, by the names that they have there."""
    parts = []
    for part in cable.parts:
        if part.link in tree.links:
            X = tree.frames[part.link].inverse() @ tree.links[part.link].X_WL
            x, y, z = (X.rotation() @ part.axis).tolist()
            parts.append(replace(part, link=tree.name(part.link), at=X.transform(part.at), axis=(x, y, z)))
        else:
            parts.append(part)
    return replace(cable, parts=tuple(parts))


def _axis_name(axis: str, tree: UrdfTree) -> str:
    """What the joint of an axis is called; a second axis has a joint of its own."""
    joint = axis.removesuffix(SECOND_AXIS)
    return tree.name(joint) + (SECOND if joint != axis else "")


def _links(tree: UrdfTree, uris: Uris, log: DiagnosticLog) -> Iterator[Node]:
    if tree.root == WORLD:
        yield element("link", name=WORLD)
    for name, link in tree.links.items():
        yield link_node(link, tree.name(name), tree.frames[name].inverse() @ link.X_WL, uris, log)
        surface = extensions(link, tree.name(name))
        if surface is not None:
            yield surface


def _joints(tree: UrdfTree, log: DiagnosticLog) -> Iterator[Node]:
    for branch in tree.branches:
        yield from joint_nodes(branch, tree, log)
        spring = extension(branch, tree)
        if spring is not None:
            yield spring


def _report_rest(world: World, log: DiagnosticLog) -> None:
    still = [model.name for model in world.models if model.static and model.links]
    if still:
        log.info(CODE, world.source, f"models that stand still are left out: {', '.join(still)}")
    report_left_out(world, CODE, "a URDF", log, written=len(cables_in(world)))
    if world.gravity != World().gravity:
        log.info(CODE, world.source, "gravity has no place in a URDF: each program has its own")
