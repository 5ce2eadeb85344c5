"""Findings about links that overlap at the start of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.session.open.surface_remarks import stiffness_ignored

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.detect.overlaps import Overlap


def report_overlaps(mechanism: Mechanism, start: JointState | None, dt: float, log: DiagnosticLog) -> Mechanism:
    """Report links that overlap at `start`, the document's default, in steps of `dt` [s]; returns the
    mechanism without collisions of links that cannot separate."""
    if not any(mechanism.non_colliding.meeting()):
        return mechanism
    from simulator.physics.detect.overlaps import (  # here: only contacts need it
        lasting,
        overlaps_of,
        without,
    )

    found = overlaps_of(mechanism, start)
    always = lasting(mechanism, found, start)
    sources = {link.name: link.source for body in mechanism.bodies for link in body.links} if found else {}
    springs = not stiffness_ignored(mechanism, "rows", dt)
    for pair in found:
        name = f"{pair.first} and {pair.second}"
        where = sources[pair.first]
        if pair in always:
            _report_always(pair, where, name, log)
        elif pair.gives_way and springs:
            message = f"{pair} at the start; their stiffness separates them, which may throw them"
            log.warning("OVERLAP_AT_START", where, message, "place them apart", fold="springs", about=name)
        else:
            message = (
                f"{pair} at the start; they are moved apart; the energy that this adds is in the column energy/overlap"
            )
            log.warning("OVERLAP_AT_START", where, message, "place them apart", fold="rigid", about=name)
    return without(mechanism, always)


def _report_always(pair: Overlap, where: Source | None, name: str, log: DiagnosticLog) -> None:
    message = f"{pair} at the start and in every position of their joints; they do not collide"
    hint = "to let them collide, make their collisions smaller, so that there is a gap between them"
    log.warning("OVERLAP_ALWAYS", where, message, hint, fold="always", about=name)
