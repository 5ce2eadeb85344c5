"""What every drive had to give over a run, for sizing motors; impulses as findings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog
from simulator.engine.effort_log import PEAK, SQUARE, WORK
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import Diagnostic
    from simulator.engine.effort_log import Impulse
    from simulator.engine.engine import Engine
    from simulator.mechanism.types import Mechanism


def drive_summaries(engine: Engine, duration: float) -> dict[str, dict[str, float]]:
    """By scoped name of every axis and actuator that is driven, over the last `duration` [s]: `peak` and `rms` of the
    effort [N m or N], `mean_power` [W] and `energy` [J], which it gave; work of impulses is part of both."""
    axes, names = engine.mechanism.axes, engine.actuation.actuators.names
    driven = {axes[index].name: index for index in engine.drives}
    driven |= {f"{PREFIX}{names[i]}": len(axes) + i for i in engine.actuation.actuator_drives}
    return {name: _summary(engine.efforts_log.tally[place].tolist(), duration) for name, place in driven.items()}


def _summary(tally: list[float], duration: float) -> dict[str, float]:
    over = 1.0 / duration if duration > 0.0 else 0.0
    rms, energy = math.sqrt(max(tally[SQUARE], 0.0) * over), tally[WORK]
    return {"peak": tally[PEAK], "rms": rms, "mean_power": energy * over, "energy": energy}


def impulse_objects(mechanism: Mechanism, impulses: Iterable[Impulse]) -> list[dict[str, object]]:
    """Impulses as `run --json` gives them."""
    return [
        {
            "drive": mechanism.axes[item.axis].name,
            "time": item.time,
            "impulse": item.impulse,
            "unit": f"{mechanism.axes[item.axis].effort_unit}·s",
            "velocity_before": item.before,
            "velocity_after": item.after,
        }
        for item in impulses
    ]


def impulse_findings(mechanism: Mechanism, impulses: Iterable[Impulse]) -> tuple[Diagnostic, ...]:
    """One finding for every impulse, at the joint whose drive jumps."""
    log = DiagnosticLog()
    for item in impulses:
        info = mechanism.axes[item.axis]
        message = (
            f"the drive of '{info.name}' jumps from {item.before:.6g} to {item.after:.6g} {info.unit}/s at "
            f"{item.time:.6g} s: an impulse of {item.impulse:.6g} {info.effort_unit}·s, which is in none of the efforts"
        )
        hint = "begin with --initial-velocity, a ramp(…), or give the joint an effort limit"
        log.info("DRIVE_IMPULSE", info.source, message, hint, fold="impulse")
    return log.as_tuple()
