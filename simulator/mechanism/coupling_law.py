"""Another law for a coupling of an existing mechanism."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.errors import UsageError
from simulator.mechanism.couplings import without_redundant
from simulator.mechanism.curved import CurvedLaw
from simulator.mechanism.types import CouplingKind, MotionKind
from simulator.model.laws import LawKind, read_constraint, read_law

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import AxisInfo, Coupling, Mechanism


def with_law(mechanism: Mechanism, index: int, law: Sequence[float] | str) -> Mechanism:
    """The mechanism with another law for one coupling: (multiplier, offset, reference, and the multiplier of each
    further leader), or a text: coefficients, rows of a table or an expression, as the law is one of these; a straight
    law becomes an expression.

    Raises UsageError for an index that does not exist, a law that cannot be, and one that contradicts other couplings.
    """
    if not 0 <= index < len(mechanism.couplings):
        raise UsageError(f"there is no coupling {index}; the mechanism has {len(mechanism.couplings)}")
    before = mechanism.couplings[index]
    if not isinstance(law, str):
        _check_numbers(mechanism, before, law)
    changed = with_coupling_law(before, law, mechanism.axes)
    couplings = tuple(changed if i == index else coupling for i, coupling in enumerate(mechanism.couplings))
    log = DiagnosticLog()
    without_redundant(couplings, mechanism.axes, log)
    contradictions = [finding.message for finding in log.as_tuple() if finding.is_error]
    if contradictions:
        raise UsageError(contradictions[0])
    return replace(mechanism, couplings=couplings)


def _check_numbers(mechanism: Mechanism, before: Coupling, law: Sequence[float]) -> None:
    if before.kind is CouplingKind.CONSTRAINT:
        raise UsageError(f"the constraint '{before.name}' has no multiplier; give it another expression")
    if not all(math.isfinite(number) for number in law):
        raise UsageError("multiplier, offset and reference of a coupling must be finite numbers")
    if len(law) != 3 + len(before.others):
        leaders = ", ".join(mechanism.axes[axis].name for axis, _ in before.leaders)
        raise UsageError(
            f"the law of '{mechanism.axes[before.follower].name}' needs one multiplier for each of its leaders: "
            f"{leaders}"
        )


def with_coupling_law(coupling: Coupling, law: Sequence[float] | str, axes: Sequence[AxisInfo]) -> Coupling:
    """The coupling with another law, see `with_law`; `axes`: of the mechanism. Raises UsageError for a text that is
    none."""
    if isinstance(law, str):
        return replace(coupling, multiplier=1.0, offset=0.0, reference=0.0, curve=_curve(coupling, law, axes))
    multiplier, offset, reference, *more = law
    others = tuple((axis, number) for (axis, _), number in zip(coupling.others, more, strict=True))
    scale = multiplier / coupling.multiplier if coupling.multiplier else 1.0
    inputs = tuple((axis, scale * number) for axis, number in coupling.inputs)
    return replace(
        coupling, multiplier=multiplier, offset=offset, reference=reference, others=others, curve=None, inputs=inputs
    )


def law_of(coupling: Coupling) -> tuple[float, ...] | str:
    """What gives a coupling the law that it has."""
    if coupling.curve is not None:
        return coupling.curve.text if coupling.curve.law is None else coupling.curve.law.text
    return (coupling.multiplier, coupling.offset, coupling.reference, *(factor for _, factor in coupling.others))


def _curve(coupling: Coupling, text: str, axes: Sequence[AxisInfo]) -> CurvedLaw:
    before = coupling.curve
    if before is not None and before.law is None:
        found = read_constraint(coupling.name, text)
        unknown = [name for name in found.joints if name not in before.names]
        if unknown:
            raise UsageError(f"'{unknown[0]}' is none of the constraint's joints {', '.join(before.names)}")
        places = dict(zip(before.names, before.axes, strict=True))
        return CurvedLaw(tuple(places[name] for name in found.joints), found.tape, None, found.text, found.joints)
    if coupling.kind is not CouplingKind.MIMIC:
        raise UsageError(f"a {coupling.kind.value} is a straight line; the law of a mimic may be another one")
    old = None if before is None else before.law
    law = (
        read_law(LawKind.EXPRESSION, text)
        if old is None
        else read_law(old.kind, text, interpolation=old.interpolation.value, periodic=old.periodic, source=old.source)
    )
    turns = axes[coupling.follower].kind is MotionKind.ROTATION
    return CurvedLaw((coupling.follower, coupling.leader), law.tape.behind(turns), law)
