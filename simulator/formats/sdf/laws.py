"""Our elements for laws that are not straight lines: `<simulator:polynomial>`, `<simulator:table>` and
`<simulator:expression>` in a `<mimic>`, `<simulator:constraint>` in a world or model (docs/how-to/law.md).

A law that cannot be read is an error: without it something else would be simulated than the document says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.cursor import offered
from simulator.formats.sdf.extensions import CONSTRAINT, EXPRESSION, LAWS, POLYNOMIAL, SECOND_AXIS, TABLE
from simulator.formats.sdf.loads import named_in_scope
from simulator.formats.sdf.real_coupling import read_bounds
from simulator.formats.values import parse_bool
from simulator.model.curves import Interpolation
from simulator.model.laws import LawKind, read_constraint, read_law

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.cursor import Cursor
    from simulator.formats.sdf.scopes import Scope
    from simulator.model.laws import JointConstraint, MimicLaw

INVALID = "LAW_INVALID"
KINDS = {POLYNOMIAL: LawKind.POLYNOMIAL, TABLE: LawKind.TABLE, EXPRESSION: LawKind.EXPRESSION}
EXAMPLES = {
    POLYNOMIAL: f"e.g. <{POLYNOMIAL}>0 1.5 0 -0.2</{POLYNOMIAL}>: 1.5 q - 0.2 q³",
    TABLE: f"e.g. <{TABLE} interpolation='hermite' periodic='true'>0 0; 1 0.01; 2 0.01; 6.2831853 0</{TABLE}>",
    EXPRESSION: f"e.g. <{EXPRESSION}>2*atan(1.5*tan(q/2))</{EXPRESSION}>, where q is the leader's position",
    CONSTRAINT: f"e.g. <{CONSTRAINT} name='rod' follower='piston'>hypot(piston, 0.1*sin(crank)) - 0.3</{CONSTRAINT}>",
}


def read_mimic_law(mimic: Cursor) -> MimicLaw | None:
    """The law in a `<mimic>`, None where it has multiplier and offset alone."""
    nodes = [node for node in mimic.node.children if node.tag in LAWS]
    if not nodes:
        return None
    cursor = replace(mimic, node=nodes[0])
    if len(nodes) > 1:
        message = f"a mimic has one law; <{nodes[1].tag}> is a second one"
        cursor.log.error(INVALID, nodes[1].source, message, "take one of them away")
    try:
        return read_law(
            KINDS[cursor.tag],
            cursor.text,
            interpolation=cursor.get("interpolation", Interpolation.HERMITE.value),
            periodic=parse_bool(cursor.get("periodic", "false")),
            source=cursor.source,
        )
    except (UsageError, ValueError) as error:
        cursor.log.error(INVALID, cursor.source, f"<{cursor.tag}>: {error}", EXAMPLES[cursor.tag])
        return None


def report_multiplier(mimic: Cursor, law: MimicLaw) -> None:
    """Say which of two laws holds, where multiplier, offset or reference are written, too."""
    given = [tag for tag in ("multiplier", "offset", "reference") if mimic.child(tag) is not None]
    if given:
        numbers = " and ".join(given)
        are = "are" if len(given) > 1 else "is"
        message = f"the {law.kind.value} is the law of this mimic; its {numbers} {are} for programs that read no laws"
        mimic.log.info("LAW_HOLDS", mimic.source, message, fold="law")


def read_constraints(owner: Cursor) -> tuple[JointConstraint, ...]:
    """The constraints of a world or model, in the order of the document; names of joints as written."""
    found: list[JointConstraint] = []
    for node in owner.node.children:
        if node.tag == CONSTRAINT:
            cursor = replace(owner, node=node)
            name = cursor.get("name") or f"constraint_{len(found) + 1}"
            real = read_bounds(cursor)
            if real is None:
                continue
            try:
                found.append(read_constraint(name, cursor.text, cursor.get("follower"), cursor.source, real))
            except UsageError as error:
                cursor.log.error(INVALID, cursor.source, f"<{CONSTRAINT}>: {error}", EXAMPLES[CONSTRAINT])
    return tuple(found)


def resolved_constraints(
    constraints: Sequence[JointConstraint], scope: Scope, log: DiagnosticLog
) -> tuple[JointConstraint, ...]:
    """Constraints with the scoped names of their axes; an error about joints that do not exist, whose constraints are
    left out."""
    found = []
    for constraint in constraints:
        axes = [_axis(name, constraint, scope, log) for name in constraint.joints]
        if all(axes):
            found.append(replace(constraint, axes=tuple(axes)))
    return tuple(found)


def _axis(written: str, constraint: JointConstraint, scope: Scope, log: DiagnosticLog) -> str:
    """The scoped name of an axis; "" and an error where there is none."""
    name = written.removesuffix(SECOND_AXIS)
    found, every = named_in_scope(name, "joint", scope)
    if found:
        return found + written[len(name) :]
    message = f"the joint '{name}' of <{CONSTRAINT}> '{constraint.name}' does not exist in {scope.label}"
    log.error(INVALID, constraint.source, message, offered(log, name, every, "joints there"))
    return ""
