"""What a run says of its balance of energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.engine.divergence import fast_elements, too_long

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.engine.engine import Engine

OFF = 1e-2
"""Part of the energy of motion, work and losses by which its balance may be off without a finding."""


def balance_findings(engine: Engine, error: float, kinetic: float) -> tuple[Diagnostic, ...]:
    """One finding where the balance is off by that `error` [J], beside the largest `kinetic` energy [J] and what
    drives, loads, losses and contacts gave or took. It names dampers, springs and loops that are faster than the step.
    None where Bullet steps, whose constraints are soft."""
    log = DiagnosticLog()
    core = engine.core
    ledger = core.balance(*core.energies())
    moved = max(kinetic, abs(ledger.work), abs(ledger.loads), abs(ledger.dissipated), abs(ledger.contact))
    if error > OFF * moved and core.integrated is not None:
        found = fast_elements(core.mechanism, core.start, core.actuation, core.dt, core.reflected_rotors())
        cause = too_long(found, core.dt) if found else f"a step of {core.dt:g} s that is too long for the motion"
        log.warning(
            "ENERGY_UNBALANCED",
            found[0].source if found else None,
            f"the balance of energy is off by {error:.3g} J, beside {moved:.3g} J of motion, work and losses: "
            f"the likely cause is {cause}",
            "take a shorter step (--dt, <max_step_size>); what swings faster than the step loses its energy",
        )
    return log.as_tuple()
