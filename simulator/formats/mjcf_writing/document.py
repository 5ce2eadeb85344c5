"""A world → the text of an MJCF: the entrance of this room."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import Diagnostic, DiagnosticLog
from simulator.formats.mjcf_writing.actuators import actuators_of
from simulator.formats.mjcf_writing.equalities import Equalities, add_couplings
from simulator.formats.mjcf_writing.forest import BodyForest
from simulator.formats.mjcf_writing.joints import MjcfCoordinate, joints_of
from simulator.formats.mjcf_writing.loads import rotors_of, sprung_links, tendons_of
from simulator.formats.mjcf_writing.shapes import CODE, MjcfAssets, friction_ranks, geoms, place
from simulator.formats.mjcf_writing.starting import MechanismStart, keyframe
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.formats.writing.left_out import report_bounds, report_real_joints, robot_name
from simulator.formats.writing.uris import Uris
from simulator.formats.writing.xml_text import xml_text
from simulator.model.joint import WORLD, JointType
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from simulator.formats.nodes import Node
    from simulator.formats.resources import Resources
    from simulator.formats.writing.branches import TreeJoint
    from simulator.model.joint import Axis
    from simulator.model.link import Link
    from simulator.model.world import World
    from simulator.spatial.pose import Pose


LEAST_MASS, LEAST_MOMENT = 1e-6, 1e-9
"""What a body gets that moves and has none [kg, kg m^2]: MuJoCo moves no body without."""


@dataclass(frozen=True)
class WrittenModel:
    """The text of an MJCF, and what is not in it."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


@dataclass
class _Writing:
    """Bodies by link, and their joints in MuJoCo's order."""

    forest: BodyForest
    assets: MjcfAssets
    log: DiagnosticLog
    bits: Mapping[str, tuple[int, int]]
    bodies: dict[str, Node] = field(default_factory=dict)
    joints: dict[str, list[MjcfCoordinate | Node]] = field(default_factory=dict)


def write_mjcf(
    world: World, start: MechanismStart, folder: Path, resources: Resources, title: str = ""
) -> WrittenModel:
    """`folder`: where it will be saved, for the names of mesh files."""
    log = DiagnosticLog()
    forest = BodyForest.of(world, start.cut)
    assets = MjcfAssets(Uris(folder, resources), log, friction_ranks(forest.links.values()))
    writing = _Writing(forest, assets, log, bits_of(world, log))
    ground = _bodies(writing, sprung_links(world))
    coordinates = {
        part.channel: part for parts in writing.joints.values() for part in parts if isinstance(part, MjcfCoordinate)
    }
    there = {channel: part.name for channel, part in coordinates.items()}
    equalities = Equalities.with_step(world.physics.max_step_size)
    for loop in forest.loops:
        equalities.add_loop(loop, forest, log)
    tendons = tendons_of(world, equalities, coordinates, log)
    tendons += add_couplings(equalities, start.couplings, there, world.source, log)
    joints = (*(joint for model in world.models for joint in model.joints), *world.joints)
    report_real_joints(joints, CODE, "MJCF", log)
    report_bounds(world, CODE, "MJCF", log)
    tendons += rotors_of(start.rotors, coordinates, [node.attributes["name"] for node in tendons])
    for link, sites in equalities.sites.items():
        (ground if link == WORLD else writing.bodies[link]).children += sites
    axes = _axes(forest)
    actuators = actuators_of(world, {key: there[key] for key in there if key in axes}, axes, start.inertias, log)
    _report_rest(world, log)
    key = keyframe(ground, writing.joints, forest, start, [item.ctrl for item in actuators])
    parts = _head(world, coupled=any(node.tag not in ("connect", "weld") for node in equalities.nodes))
    sections = {
        "asset": assets.nodes,
        "worldbody": ground.children,
        "equality": equalities.nodes,
        "contact": exclusions(world, forest),
        "tendon": tendons,
        "actuator": [item.node for item in actuators],
        "keyframe": [key],
    }
    parts += [element(tag, *nodes) for tag, nodes in sections.items() if nodes]
    return WrittenModel(xml_text(element("mujoco", *parts, model=robot_name(world)), title), log.as_tuple())


def _axes(forest: BodyForest) -> dict[str, Axis]:
    """Axes of the joints in the tree, by channel."""
    return {
        channel: axis
        for branch in forest.branches
        for channel, axis in zip((branch.joint.name, f"{branch.joint.name}:axis2"), branch.joint.axes, strict=False)
    }


def _head(world: World, *, coupled: bool) -> list[Node]:
    """`diagexact`: without it, MuJoCo's estimate makes couplings of metres and radians thousands of times too soft."""
    flag = element("flag", diagexact="enable") if coupled else None
    step = number_text(world.physics.max_step_size)
    gravity = numbers_text(value + 0.0 for value in world.gravity)
    return [
        element("compiler", angle="radian", autolimits="true", inertiafromgeom="false"),
        element("option", flag, gravity=gravity, timestep=step, integrator="implicitfast"),
    ]


def _bodies(writing: _Writing, loaded: Collection[str]) -> Node:
    """`<worldbody>` with all bodies in each other. `loaded`: links that springs pull."""
    forest = writing.forest
    ground = element("worldbody")
    for name in sorted(forest.still, key=list(forest.links).index):
        _add_body(forest.links[name], ground, forest.pose(name), [], writing)
    for name in forest.floating:
        body = _add_body(forest.links[name], ground, forest.pose(name), [], writing)
        free = element("freejoint", name=f"{forest.name(name)}_free")
        body.children.insert(0, free)
        writing.joints[name] = [free]
    massless = _passed_over(writing, loaded)
    carried: dict[str, tuple[str, list[TreeJoint]]] = {}
    for branch in forest.branches:
        above, before = carried.get(branch.parent, (branch.parent, []))
        if branch.child in massless:
            carried[branch.child] = above, [*before, branch]
            continue
        owner = ground if above == WORLD else writing.bodies[above]
        X_PL = forest.pose(above).inverse() @ forest.pose(branch.child)
        _add_body(forest.links[branch.child], owner, X_PL, [*before, branch], writing)
    _give_mass(writing)
    return ground


def _passed_over(writing: _Writing, loaded: Collection[str]) -> set[str]:
    """Links without mass and shapes between two joints: MuJoCo's bodies have several joints instead."""
    forest = writing.forest
    below: dict[str, list[TreeJoint]] = {}
    for branch in forest.branches:
        below.setdefault(branch.parent, []).append(branch)
    tied = {link for joint in (*forest.loops, *forest.gearboxes) for link in (joint.parent_link, joint.child_link)}
    return {
        branch.child
        for branch in forest.branches
        if _is_empty(forest.links[branch.child])
        and len(below.get(branch.child, ())) == 1
        and branch.child not in tied
        and branch.child not in loaded
        and branch.joint.type is not JointType.FIXED
        and below[branch.child][0].joint.type is not JointType.FIXED
    }


def _is_empty(link: Link) -> bool:
    return link.inertial.mass <= 0.0 and not (link.visuals or link.collisions)


def _add_body(link: Link, owner: Node, X_PL: Pose, branches: list[TreeJoint], writing: _Writing) -> Node:
    forest, log = writing.forest, writing.log
    joints = [part for branch in branches for part in joints_of(branch, link.X_WL, forest, log)]
    gravity = {} if link.gravity else {"gravcomp": "1"}
    body = element("body", name=forest.name(link.name), **place(X_PL), **gravity)
    body.children += [part.node if isinstance(part, MjcfCoordinate) else part for part in joints]
    if link.name not in forest.still:
        body.children += _inertial(link)
    body.children += geoms(link, writing.bits.get(link.name, (0, 0)), writing.assets)
    owner.children.append(body)
    writing.bodies[link.name] = body
    writing.joints[link.name] = joints
    if link.kinematic:
        message = f"the link '{link.name}' moves by command alone, which has no place in MJCF"
        log.warning(CODE, link.source, message, fold="kinematic", about=link.name)
    return body


def _inertial(link: Link) -> list[Node]:
    inertial = link.inertial if link.solid is None else link.solid
    if inertial.mass <= 0.0:
        return []
    values = {"mass": number_text(inertial.mass)}
    if any(inertial.products):
        R = inertial.X_LI.rotation()
        (ixx, iyy, izz), (ixy, ixz, iyz) = inertial.moments, inertial.products
        tensor = R @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ R.T
        beside = (tensor[0, 1], tensor[0, 2], tensor[1, 2])
        position = numbers_text(inertial.X_LI.position)
        return [element("inertial", pos=position, fullinertia=numbers_text((*np.diag(tensor), *beside)), **values)]
    moments = numbers_text(max(value, LEAST_MOMENT * LEAST_MASS) for value in inertial.moments)
    return [element("inertial", **({"pos": "0 0 0"} | place(inertial.X_LI)), diaginertia=moments, **values)]


def _give_mass(writing: _Writing) -> None:
    """Mass for bodies that move and have none, themselves or fixed to them."""
    forest = writing.forest
    heavy: dict[str, bool] = {}
    for branch in reversed(forest.branches):
        child = branch.child
        heavy[child] = heavy.get(child, False) or forest.links[child].inertial.mass > 0.0
        if branch.joint.type is JointType.FIXED:
            heavy[branch.parent] = heavy.get(branch.parent, False) or heavy[child]
    for name, body in writing.bodies.items():
        if not writing.joints[name] or heavy.get(name) or forest.links[name].inertial.mass > 0.0:
            continue
        moments = numbers_text((LEAST_MOMENT,) * 3)
        body.children.append(element("inertial", pos="0 0 0", mass=number_text(LEAST_MASS), diaginertia=moments))
        message = f"MuJoCo moves no body without mass: '{forest.name(name)}' has {LEAST_MASS:g} kg there"
        writing.log.warning(CODE, forest.links[name].source, message, fold="mass", about=name)


def _report_rest(world: World, log: DiagnosticLog) -> None:
    own = [model.name for model in world.models if model.gravity is not None]
    if own:
        log.warning(CODE, world.source, f"gravity of its own has no place in MJCF: {', '.join(own)}")
    moved = [info.name for model in world.models for info in model.transmissions]
    moved += [info.name for model in world.models for block in model.hardware for info in block.transmissions]
    if moved:
        names = ", ".join(moved[:6])
        message = f"of transmissions MJCF has the inertia of their rotors alone; actuators are on the joints: {names}"
        log.warning(CODE, world.source, message)


FAMILIES = 30
"""Models that have bits of their own: MuJoCo has 31, and one is of what touches its like."""
SELF = 1 << FAMILIES
ALL = (1 << (FAMILIES + 1)) - 1


def bits_of(world: World, log: DiagnosticLog) -> dict[str, tuple[int, int]]:
    """`contype` and `conaffinity` by scoped name of the link."""
    solid = [model for model in world.models if any(link.collisions for link in model.links)]
    apart = [model for model in solid if not model.self_collide]
    masked = {part.surface.collide_bitmask for model in solid for link in model.links for part in link.collisions}
    if masked - {0xFFFF} or len(apart) > FAMILIES:
        if apart and any(len(model.links) > 1 for model in apart):
            why = "collide_bitmask is used" if masked - {0xFFFF} else f"there are more than {FAMILIES} models"
            message = f"links of one model may touch each other in MuJoCo: {why}, and MuJoCo has no more bits"
            log.warning(CODE, world.source, message, "exclude pairs by <exclude>")
        return {link.name: (0xFFFF, 0xFFFF) for model in solid for link in model.links}
    found = {}
    for number, model in enumerate(apart):
        for link in model.links:
            own = SELF if link.self_collide else 1 << number
            found[link.name] = own, ALL if link.self_collide else ALL - own
    return found | {link.name: (SELF, ALL) for model in solid if model.self_collide for link in model.links}


def exclusions(world: World, forest: BodyForest) -> list[Node]:
    """Pairs that joints tie beyond parent and child, and those that the world excludes."""
    tied = [(branch.parent, branch.child) for branch in forest.branches if branch.parent in forest.still]
    tied += [(joint.parent_link, joint.child_link) for joint in (*forest.loops, *forest.gearboxes)]
    pairs = {tuple(sorted(pair)): None for pair in (*tied, *world.excluded) if WORLD not in pair}
    return [element("exclude", body1=forest.name(one), body2=forest.name(other)) for one, other in pairs]
