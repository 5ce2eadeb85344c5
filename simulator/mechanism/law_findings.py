"""What a law that is not a straight line does where its leader can be: has no value, jumps, or leaves the follower at
rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import MotionKind
from simulator.model import tape as t
from simulator.model.curves import Interpolation
from simulator.model.laws import LawKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.types import AxisInfo, Coupling
    from simulator.model.laws import MimicLaw
    from simulator.spatial.arrays import Array


SAMPLES = 2000
"""Positions of the leader at which a law is looked at."""
STILL = 1e-12
"""Slopes below this part of the greatest are none."""
JUMP = 8.0
"""A difference between neighbours that is so many times what their slopes say is a jump."""
LEAST = 1e-6
"""Jumps below this part of the range of a law are none."""


def check_laws(couplings: Sequence[Coupling], axes: Sequence[AxisInfo], log: DiagnosticLog) -> None:
    """Report where laws have no value, where they jump, and where followers rest."""
    for coupling in couplings:
        law = None if coupling.curve is None else coupling.curve.law
        if law is not None:
            _check(law, coupling, axes, log)


def _check(law: MimicLaw, coupling: Coupling, axes: Sequence[AxisInfo], log: DiagnosticLog) -> None:
    follower, leader = axes[coupling.follower], axes[coupling.leader]
    start = leader.axis.initial_position
    if not math.isfinite(law.value(start)):
        log.error(
            "LAW_WITHOUT_VALUE",
            coupling.source,
            f"the law of '{follower.name}' has no value at '{leader.name}' = {start:g} {leader.unit}, the start",
            "start the leader elsewhere, or mend the law",
        )
        return
    x = _positions(law, leader)
    found = law.tape.expand(x[:, None], np.ones((len(x), 1)))
    values, slopes = found.value, found.gradient[:, 0]
    missing = ~np.isfinite(values) | ~np.isfinite(slopes)
    if missing.any():
        _report_missing(coupling, axes, x[missing], log)
        return
    _report_jumps(law, coupling, axes, (x, values, slopes), log)
    _report_dwells(coupling, axes, x, slopes, log)


def _positions(law: MimicLaw, leader: AxisInfo) -> Array:
    """Where the leader can be: within its limits, along a table, or one turn to either side."""
    low, high = leader.axis.lower, leader.axis.upper
    span = math.pi if leader.kind is MotionKind.ROTATION else 1.0
    first, last = law.span
    low = low if math.isfinite(low) else first if math.isfinite(first) else min(-span, high - span)
    high = high if math.isfinite(high) else last if math.isfinite(last) else max(span, low + span)
    return np.linspace(low, max(high, low), SAMPLES)


def _report_missing(coupling: Coupling, axes: Sequence[AxisInfo], x: Array, log: DiagnosticLog) -> None:
    follower, leader = axes[coupling.follower], axes[coupling.leader]
    log.warning(
        "LAW_WITHOUT_VALUE",
        coupling.source,
        f"the law of '{follower.name}' has no value, or is endlessly steep, where '{leader.name}' is between "
        f"{x.min():.6g} and {x.max():.6g} {leader.unit}",
        "keep the leader away from there by its limits",
    )


def _report_jumps(
    law: MimicLaw, coupling: Coupling, axes: Sequence[AxisInfo], course: tuple[Array, Array, Array], log: DiagnosticLog
) -> None:
    follower, leader = axes[coupling.follower], axes[coupling.leader]
    if law.kind is LawKind.TABLE:
        if law.interpolation is Interpolation.LINEAR:
            message = (
                f"the table of '{follower.name}' goes straight from row to row: its velocity jumps at each of the "
                f"{len(law.breaks)} rows, like in a blow, which takes energy"
            )
            log.info("LAW_JUMPS", coupling.source, message, "interpolation='cubic' or 'hermite' has no jumps")
        return
    x, values, slopes = course
    step = np.diff(values)
    if law.tape.uses(t.ATAN2) and follower.kind is MotionKind.ROTATION:
        step -= 2.0 * math.pi * np.round(step / (2.0 * math.pi))  # a turning follower continues over whole turns
    expected = np.maximum(np.abs(slopes[1:]), np.abs(slopes[:-1])) * np.diff(x)
    jumps = np.abs(step) > JUMP * expected + LEAST * np.ptp(values)
    if jumps.any():
        place = int(np.argmax(np.where(jumps, np.abs(step), 0.0)))
        log.warning(
            "LAW_JUMPS",
            coupling.source,
            f"the law of '{follower.name}' jumps by {abs(step[place]):.3g} {follower.unit} where '{leader.name}' is "
            f"{x[place]:.4g} {leader.unit}; no mechanism can follow it",
            "write it without a jump, or keep the leader away from there by its limits",
        )


def _report_dwells(coupling: Coupling, axes: Sequence[AxisInfo], x: Array, slopes: Array, log: DiagnosticLog) -> None:
    """Stretches of at least two samples where the follower rests."""
    follower, leader = axes[coupling.follower], axes[coupling.leader]
    still = np.abs(slopes) <= STILL * float(np.abs(slopes).max(initial=0.0))
    edges = np.flatnonzero(np.diff(np.concatenate(([False], still, [False])).astype(int)))
    stretches = [(a, b - 1) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True) if b - a > 1]
    if stretches and not still.all():
        between = ", ".join(f"{x[a]:.4g} and {x[b]:.4g}" for a, b in stretches[:4])
        log.info(
            "LAW_DWELLS",
            coupling.source,
            f"'{follower.name}' rests while '{leader.name}' is between {between} {leader.unit}: the leader feels "
            "nothing there of what acts on the follower",
        )
