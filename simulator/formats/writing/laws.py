"""Laws that are not straight lines, and constraints, → our elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import CONSTRAINT, EXPRESSION, PARAMETER, POLYNOMIAL, TABLE
from simulator.formats.values import number_text
from simulator.formats.writing.elements import element
from simulator.model.coupling import Compliance
from simulator.model.expressions import with_names
from simulator.model.laws import LawKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.formats.nodes import Node
    from simulator.model.coupling import Backlash
    from simulator.model.laws import JointConstraint, MimicLaw
    from simulator.model.lengths import LengthParameter

TAGS = {LawKind.POLYNOMIAL: POLYNOMIAL, LawKind.TABLE: TABLE, LawKind.EXPRESSION: EXPRESSION}


def law_node(law: MimicLaw) -> Node:
    """The element of a law in a `<mimic>`."""
    node = element(TAGS[law.kind])
    node.text = law.text
    if law.kind is LawKind.TABLE:
        node.attributes["interpolation"] = law.interpolation.value
        if law.periodic:
            node.attributes["periodic"] = "true"
    return node


def constraint_node(constraint: JointConstraint, name: Callable[[str], str]) -> Node:
    """The element of a constraint; `name`: what the joint of a scoped name, or its second axis, is called there."""
    names = {written: name(axis) for written, axis in zip(constraint.joints, constraint.axes, strict=True)}
    node = element(CONSTRAINT, name=constraint.name)
    if constraint.follower:
        node.attributes["follower"] = names[constraint.follower]
    backlash, compliance = constraint.coupling.backlash, constraint.coupling.compliance
    if backlash is not None:
        node.attributes["within"] = number_text(0.5 * backlash.width)
    for attribute, value in _given_way(backlash or compliance).items():
        node.attributes[attribute] = number_text(value)
    node.text = with_names(constraint.text, names)
    return node


def _given_way(part: Backlash | Compliance | None) -> dict[str, float]:
    """Attributes that are not 0."""
    if part is None:
        return {}
    if isinstance(part, Compliance):
        numbers = {"stiffness": part.stiffness[0], "damping": part.damping}
    else:
        numbers = {"restitution": part.restitution, "stiffness": part.stiffness, "damping": part.damping}
    return {name: value for name, value in numbers.items() if value}


def parameter_node(parameter: LengthParameter) -> Node:
    """The element of the name of a length, or of a length that is locked."""
    said = {"name": parameter.name, "value": parameter.value, "link": parameter.link}
    return element(PARAMETER, **{name: text for name, text in said.items() if text})
