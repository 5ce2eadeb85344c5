"""Another law for a coupling of a mechanism that stands already."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.errors import UsageError
from simulator.mechanism.couplings import without_redundant

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism


def with_law(mechanism: Mechanism, index: int, law: tuple[float, float, float]) -> Mechanism:
    """The mechanism with the law (multiplier, offset, reference) for one coupling.

    Raises UsageError for an index that does not exist, numbers that are not finite, and a law that contradicts other couplings.
    """
    if not 0 <= index < len(mechanism.couplings):
        raise UsageError(f"there is no coupling {index}; the mechanism has {len(mechanism.couplings)}")
    if not all(math.isfinite(number) for number in law):
        raise UsageError("multiplier, offset and reference of a coupling must be finite numbers")
    multiplier, offset, reference = law
    changed = replace(mechanism.couplings[index], multiplier=multiplier, offset=offset, reference=reference)
    couplings = tuple(changed if i == index else coupling for i, coupling in enumerate(mechanism.couplings))
    log = DiagnosticLog()
    without_redundant(couplings, mechanism.axes, log)
    contradictions = [finding.message for finding in log.as_tuple() if finding.is_error]
    if contradictions:
        raise UsageError(contradictions[0])
    return replace(mechanism, couplings=couplings)
