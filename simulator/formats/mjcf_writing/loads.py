"""Springs between points and cables through eyes as spatial tendons, springs of joints into the joints, rotors as
inertia; forces have no place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.mjcf_writing.shapes import CODE
from simulator.formats.values import number_text
from simulator.formats.writing.elements import element
from simulator.model.cables import Cable, PartKind
from simulator.model.joint import WORLD
from simulator.model.loads import PointSpring, TorsionSpring
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf_writing.equalities import Equalities
    from simulator.formats.mjcf_writing.joints import MjcfCoordinate
    from simulator.formats.mjcf_writing.starting import Rotor
    from simulator.formats.nodes import Node
    from simulator.model.world import World


def sprung_links(world: World) -> frozenset[str]:
    """Links that springs between points and cables pull."""
    loads = (*world.loads, *(load for model in world.models for load in model.loads))
    ends = {end for load in loads if isinstance(load, PointSpring) for end in (load.link, load.other)}
    return frozenset(ends.union(part.link for load in loads if isinstance(load, Cable) for part in load.parts))


def tendons_of(
    world: World, equalities: Equalities, coordinates: Mapping[str, MjcfCoordinate], log: DiagnosticLog
) -> list[Node]:
    """Tendons of point springs, whose sites go to the links; torsion springs are added to their joints."""
    nodes: list[Node] = []
    left_out = 0
    for load in (*world.loads, *(load for model in world.models for load in model.loads)):
        if isinstance(load, PointSpring) and load.table is None:
            name = f"spring{len(nodes)}"
            ends = ((load.link, load.at), (load.other, load.other_at))
            sites = [
                element("site", site=equalities.add_site(link or WORLD, Pose(point), f"{name}_{number}"))
                for number, (link, point) in enumerate(ends)
            ]
            values = {"stiffness": load.stiffness, "damping": load.damping, "springlength": load.free_length}
            nodes.append(
                element("spatial", *sites, name=name, **{key: number_text(value) for key, value in values.items()})
            )
        elif isinstance(load, Cable) and not any(part.is_round for part in load.parts):
            nodes.append(_tendon(load, equalities))
        elif isinstance(load, TorsionSpring):
            channel = load.joint if load.axis == "axis" else f"{load.joint}:axis2"
            left_out += not _add_to_joint(load, coordinates.get(channel))
        else:
            left_out += 1
    if left_out:
        log.warning(
            CODE, world.source, f"{left_out} loads have no place in MJCF and are left out", "apply them by xfrc"
        )
    return nodes


def _tendon(cable: Cable, equalities: Equalities) -> Node:
    """A cable through eyes."""
    parts = []
    for number, part in enumerate(cable.parts):
        if part.kind is PartKind.BRANCH:
            parts.append(element("pulley", divisor=number_text(part.divisor)))
        else:
            site = equalities.add_site(part.link or WORLD, Pose(part.at), f"{cable.name}_{number}")
            parts.append(element("site", site=site))
    length = number_text(cable.length)
    said = {"limited": "true", "range": f"0 {length}"}
    if cable.stiffness:
        said = {"springlength": f"0 {length}", "stiffness": number_text(cable.stiffness)}
        said |= {"damping": number_text(cable.damping)} if cable.damping else {}
    return element("spatial", *parts, name=cable.name, **said)


def _add_to_joint(spring: TorsionSpring, coordinate: MjcfCoordinate | None) -> bool:
    """Two springs about one axis are one: k = k1 + k2 about the mean of both angles, weighted by them."""
    if coordinate is None:
        return False
    said = coordinate.node.attributes
    own, angle = float(said.get("stiffness", "0")), float(said.get("springref", "0"))
    stiffness = own + spring.stiffness
    if stiffness:
        said["stiffness"] = number_text(stiffness)
        said["springref"] = number_text((own * angle + spring.stiffness * spring.angle) / stiffness)
    if spring.damping:
        said["damping"] = number_text(float(said.get("damping", "0")) + spring.damping)
    return True


def rotors_of(rotors: Iterable[Rotor], coordinates: Mapping[str, MjcfCoordinate], names: Collection[str]) -> list[Node]:
    """Rotors that one joint turns are its armature, those that several turn fixed tendons with one. `names`: of tendons
    that there are."""
    nodes: list[Node] = []
    taken = set(names)
    for rotor in rotors:
        terms = [(channel, ratio) for channel, ratio in rotor.terms if channel in coordinates]
        if len(terms) == 1:
            said = coordinates[terms[0][0]].node.attributes
            said["armature"] = number_text(float(said.get("armature", "0")) + rotor.inertia * terms[0][1] ** 2)
            continue
        parts = [element("joint", joint=coordinates[channel].name, coef=number_text(ratio)) for channel, ratio in terms]
        name = rotor.name.rpartition("::")[2]
        name = rotor.name.replace("::", "_") if name in taken else name
        taken.add(name)
        nodes.append(element("fixed", *parts, name=name, armature=number_text(rotor.inertia)))
    return nodes
