"""Loads → our elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.profile_text import format_profile
from simulator.formats.sdf.extensions import CABLE, LOAD, PARTS_OF_CABLE, SPRING, TORSION_SPRING
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.formats.writing.places import local_name
from simulator.model.cables import Cable, PartKind
from simulator.model.loads import NOTHING, WORLD_AXES, Load, TorsionSpring

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.formats.nodes import Node
    from simulator.model.cables import CablePart
    from simulator.model.loads import AnyLoad, PointSpring, Profiles3


def load_node(load: AnyLoad, scope: str) -> Node:
    """The element of a load in the model `scope` ("": in the world); what says no more than its default is left out."""
    if isinstance(load, TorsionSpring):
        return _torsion_spring(load, scope)
    if isinstance(load, Cable):
        return cable_node(load, lambda link: local_name(link, scope))
    return _load(load, scope) if isinstance(load, Load) else _spring(load, scope)


def _load(load: Load, scope: str) -> Node:
    node = element(LOAD, link=local_name(load.link, scope))
    if any(load.at):
        node.attributes["at"] = numbers_text(load.at)
    for name, profiles in (("force", load.force), ("moment", load.moment)):
        if any(profile != NOTHING for profile in profiles):
            node.attributes[name] = _text(profiles)
    if "force" not in node.attributes and "moment" not in node.attributes:
        node.attributes["force"] = _text(load.force)
    if load.frame != WORLD_AXES:
        node.attributes["frame"] = load.frame
    return node


def _text(profiles: Profiles3) -> str:
    return " ".join(format_profile(profile) for profile in profiles)


def _spring(spring: PointSpring, scope: str) -> Node:
    node = element(SPRING, link=local_name(spring.link, scope), other=local_name(spring.other, scope))
    for name, point in (("at", spring.at), ("other_at", spring.other_at)):
        if any(point):
            node.attributes[name] = numbers_text(point)
    _add_numbers(node, stiffness=spring.stiffness, damping=spring.damping, free_length=spring.free_length)
    if spring.table is not None:
        pairs = zip(spring.table.lengths, spring.table.forces, strict=True)
        node.attributes["table"] = numbers_text(number for pair in pairs for number in pair)
    elif spring.stiffness == 0.0 == spring.damping:
        node.attributes["stiffness"] = "0"
    return node


def cable_node(cable: Cable, name: Callable[[str], str]) -> Node:
    """The element of a cable; `name`: what its links are called there."""
    node = element(CABLE, *(_part(part, name) for part in cable.parts), name=cable.name)
    numbers = {"stiffness": cable.stiffness, "damping": cable.damping, "restitution": cable.restitution}
    _add_numbers(node, length=cable.length, **numbers)
    return node


def _part(part: CablePart, name: Callable[[str], str]) -> Node:
    tag = PARTS_OF_CABLE[list(PartKind).index(part.kind)]
    if part.kind is PartKind.BRANCH:
        return element(tag, divisor=number_text(part.divisor))
    node = element(tag, link=name(part.link))
    if any(part.at):
        node.attributes["at"] = numbers_text(part.at)
    if part.is_round:
        node.attributes["radius"] = number_text(part.radius)
    if part.kind in (PartKind.PULLEY, PartKind.GUIDE):
        node.attributes["axis"] = numbers_text(part.axis)
        node.attributes["wrap"] = "clockwise" if part.clockwise else "counterclockwise"
    _add_numbers(node, turns=float(part.turns), friction=part.friction)
    return node


def _torsion_spring(spring: TorsionSpring, scope: str) -> Node:
    node = element(TORSION_SPRING, joint=local_name(spring.joint, scope))
    if spring.axis != "axis":
        node.attributes["axis"] = spring.axis
    _add_numbers(node, stiffness=spring.stiffness, damping=spring.damping, angle=spring.angle)
    return node


def _add_numbers(node: Node, **values: float) -> None:
    for name, value in values.items():
        if value:
            node.attributes[name] = number_text(value)
