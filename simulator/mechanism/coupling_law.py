"""Another law for a coupling of an existing mechanism."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.errors import UsageError
from simulator.mechanism.couplings import without_redundant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import Coupling, Mechanism


def with_law(mechanism: Mechanism, index: int, law: Sequence[float]) -> Mechanism:
    """The mechanism with the law (multiplier, offset, reference, and the multiplier of each further leader) for one
    coupling.

    Raises UsageError for an index that does not exist, numbers that are not finite or too few or too many, and a law
    that contradicts other couplings.
    """
    if not 0 <= index < len(mechanism.couplings):
        raise UsageError(f"there is no coupling {index}; the mechanism has {len(mechanism.couplings)}")
    if not all(math.isfinite(number) for number in law):
        raise UsageError("multiplier, offset and reference of a coupling must be finite numbers")
    before = mechanism.couplings[index]
    if len(law) != 3 + len(before.others):
        leaders = ", ".join(mechanism.axes[axis].name for axis, _ in before.leaders)
        raise UsageError(
            f"the law of '{mechanism.axes[before.follower].name}' needs one multiplier for each of its leaders: "
            f"{leaders}"
        )
    changed = with_coupling_law(before, law)
    couplings = tuple(changed if i == index else coupling for i, coupling in enumerate(mechanism.couplings))
    log = DiagnosticLog()
    without_redundant(couplings, mechanism.axes, log)
    contradictions = [finding.message for finding in log.as_tuple() if finding.is_error]
    if contradictions:
        raise UsageError(contradictions[0])
    return replace(mechanism, couplings=couplings)


def with_coupling_law(coupling: Coupling, law: Sequence[float]) -> Coupling:
    """The coupling with the law (multiplier, offset, reference, and the multiplier of each further leader)."""
    multiplier, offset, reference, *more = law
    others = tuple((axis, number) for (axis, _), number in zip(coupling.others, more, strict=True))
    scale = multiplier / coupling.multiplier if coupling.multiplier else 1.0
    inputs = tuple((axis, scale * number) for axis, number in coupling.inputs)
    return replace(coupling, multiplier=multiplier, offset=offset, reference=reference, others=others, inputs=inputs)
