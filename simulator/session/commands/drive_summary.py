"""Efforts of every drive over a run, for sizing motors, and findings about drives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import DiagnosticLog
from simulator.engine.drives import DriveKind
from simulator.physics.step.block import PEAK, SQUARE, WORK_OF_DRIVE
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.diagnostics import Diagnostic
    from simulator.engine.drives import Drive
    from simulator.engine.effort_log import Impulse
    from simulator.engine.engine import Engine
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.spatial.arrays import Array


LOOKS = 513
"""Times at which drives over time are compared with the limits of their axes."""


def drive_summaries(engine: Engine, duration: float) -> dict[str, dict[str, float]]:
    """By scoped name of every axis and actuator that is driven, over the last `duration` [s]: `peak` and `rms` of the
    effort [N m or N], its `mean_power` [W] and `energy` [J]; work of impulses is part of both."""
    axes = engine.mechanism.axes
    names = engine.actuation.actuators.names
    driven = {axes[index].name: index for index in engine.drives}
    driven |= {f"{PREFIX}{names[i]}": len(axes) + i for i in engine.actuation.actuator_drives}
    return {name: _summary(engine.efforts_log.tally[place].tolist(), duration) for name, place in driven.items()}


def _summary(tally: list[float], duration: float) -> dict[str, float]:
    over = 1.0 / duration if duration > 0.0 else 0.0
    rms = math.sqrt(max(tally[SQUARE], 0.0) * over)
    energy = tally[WORK_OF_DRIVE]
    return {"peak": tally[PEAK], "rms": rms, "mean_power": energy * over, "energy": energy}


def impulse_objects(mechanism: Mechanism, impulses: Iterable[Impulse]) -> list[dict[str, object]]:
    """Impulses for `run --json`."""
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
        fold, hint = "blow", "give the joint an effort limit, so that it yields"
        velocities = f"from {item.before:.6g} to {item.after:.6g} {info.unit}/s"
        if item.before == item.after:
            speed = f"{item.after:.6g} {info.unit}/s"
            what = f"keeps {speed} through a blow, or while another drive jumps, at {item.time:.6g} s"
        elif item.of_drive:
            fold, hint = "impulse", "begin with --initial-velocity, a ramp(…), or give the joint an effort limit"
            what = f"jumps {velocities} at {item.time:.6g} s"
        else:
            fold = "held"
            what = f"goes {velocities} where it is stopped or released at {item.time:.6g} s"
        message = (
            f"the drive of '{info.name}' {what}: an impulse of {item.impulse:.6g} {info.effort_unit}·s, which is in "
            "none of the efforts"
        )
        log.info("DRIVE_IMPULSE", info.source, message, hint, fold=fold, about=info.name)
    return log.as_tuple()


def run_findings(engine: Engine, duration: float) -> tuple[Diagnostic, ...]:
    """Findings about the last `duration` [s] of drives: their impulses, then those of `drive_findings`."""
    impulses = impulse_findings(engine.mechanism, engine.efforts_log.impulses)
    return (*impulses, *drive_findings(engine, duration))


def drive_findings(engine: Engine, duration: float) -> tuple[Diagnostic, ...]:
    """Findings about drives that exceeded the limits of their joints in the last `duration` [s], and about drives
    without an effort limit that a stop, limit or contact blocked."""
    return DiagnosticLog(
        finding for axis in driven_or_held(engine) for finding in axis_findings(engine, axis, duration)
    ).as_tuple()


def driven_or_held(engine: Engine) -> list[int]:
    """Axes that have a drive, also one of an actuator, or whose drive was blocked."""
    pushed = np.flatnonzero(np.any(engine.actuation.actuators.matrix[list(engine.actuation.pushing())] != 0.0, axis=0))
    return [*dict.fromkeys((*engine.actuation.axis_drives, *pushed.tolist(), *engine.efforts_log.held))]


def axis_findings(engine: Engine, axis: int, duration: float) -> tuple[Diagnostic, ...]:
    """The `drive_findings` of one axis."""
    log = DiagnosticLog()
    info = engine.mechanism.axes[axis]
    drive = engine.drives.get(axis)
    if drive is not None:
        times = np.linspace(engine.time - duration, engine.time, LOOKS if drive.level is None else 1)
        over_time = (drive.profile.value(time) for time in times.tolist())
        asked = np.array([*over_time, *engine.efforts_log.written.get(axis, ())])
        for what in _nothing(info, drive, asked) or _cut(info, drive, asked):
            message = f"the drive of '{info.name}' {what}"
            hint = "change the drive, or the limits"
            log.warning("DRIVE_CUT", info.source, message, hint)
    pushed = _pushed(engine, axis, duration)
    if pushed > info.axis.effort:
        what = f"{info.axis.effort:.6g}: they are clipped" if info.axis.effort else "0: they have no effect"
        message = (
            f"the drives of actuators ask for {pushed:.6g} {info.effort_unit} at '{info.name}', its joint allows {what}"
        )
        log.warning("DRIVE_CUT", info.source, message, "change the drives, or the <limit> of the joint")
    for index, name in _writing(engine, axis):
        growth = engine.efforts_log.sampled[index].growth
        if growth is not None:
            message = (
                f"the controller of '{name}' is unstable at the rate at which it is called: what it writes changes "
                f"sign every {growth.period:.6g} s and grows by {growth.factor:.3g} each time, up to "
                f"{growth.largest:.3g} {info.effort_unit}"
            )
            hint = f"call it every {growth.stable_period:.2g} s or more often (control_every, dt), or lower its gains"
            log.warning("CONTROL_UNSTABLE", info.source, message, hint)
    if axis in engine.efforts_log.held:
        time, by = engine.efforts_log.held[axis]
        message = (
            f"the drive of '{info.name}' has no effort limit and is stopped by {by} at {time:.6g} s: it continues at "
            "the velocity that remains possible, and its effort does not say how hard it would push"
        )
        hint = "give the joint an effort limit, or the drive gains: pid(…)"
        log.warning("DRIVE_STOPPED", info.source, message, hint)
    return log.as_tuple()


def _writing(engine: Engine, axis: int) -> list[tuple[int, str]]:
    """Where the log has what is written to the drive of an axis, and of the actuators of which it is the first; with
    their names."""
    n = len(engine.mechanism.axes)
    actuators = engine.actuation.actuators
    firsts = (actuators.matrix != 0.0).argmax(axis=1) if len(actuators) else []
    found = [(n + i, f"{PREFIX}{actuators.names[i]}") for i, first in enumerate(firsts) if first == axis]
    return [
        item for item in ((axis, engine.mechanism.axes[axis].name), *found) if item[0] in engine.efforts_log.sampled
    ]


def _pushed(engine: Engine, axis: int, duration: float) -> float:
    """The most that efforts commanded to actuators asked of an axis in the last `duration` [s] [N m or N]."""
    factors = engine.actuation.actuators.matrix[:, axis]
    profiles = engine.actuation.pushing()
    written = float(engine.efforts_log.asked[axis])
    if not profiles:
        return written
    times = np.linspace(engine.time - duration, engine.time, LOOKS)
    asked = np.array([[factors[i] * profile.value(time) for i, profile in profiles.items()] for time in times])
    return max(written, float(np.abs(asked.sum(axis=1)).max()))


def _nothing(info: AxisInfo, drive: Drive, asked: Array) -> list[str]:
    """The limit of 0, or the friction above the limit, that leaves a drive without effect, if it asks for any; efforts
    have no limit of velocity, and loops with gains are refused if the effort limit is 0."""
    kind = drive.kind
    idle = not asked.any()
    zeros = []
    if info.axis.effort == 0.0 and not (kind is DriveKind.EFFORT and idle):
        zeros.append("effort")
    if info.axis.velocity == 0.0 and drive.gains is None and kind is not DriveKind.EFFORT:
        zeros += ["velocity"] if kind is DriveKind.POSITION or not idle else []
    if zeros:
        return [f"has no effect: the {' and the '.join(zeros)} limit of its joint is 0"]
    if info.axis.friction >= info.axis.effort and not idle:
        held = f"{info.axis.friction:.6g} {info.effort_unit}, and its effort limit {info.axis.effort:.6g}"
        return [f"cannot move its joint by itself: the friction there is {held}"]
    return []


def _cut(info: AxisInfo, drive: Drive, asked: Array) -> Iterator[str]:
    """The largest command of a drive, and the limit that it exceeds."""
    kind, limit = drive.kind, info.axis
    unit = {DriveKind.POSITION: info.unit, DriveKind.VELOCITY: f"{info.unit}/s"}.get(kind, info.effort_unit)
    bounds = [("<command_interface>", item.lower, item.upper) for item in limit.commands if item.kind == kind.value]
    if kind is DriveKind.POSITION:
        bounds.append(("joint", limit.lower, limit.upper))
    elif kind is DriveKind.VELOCITY:
        bounds.append(("joint", -limit.velocity, limit.velocity))
    elif kind is DriveKind.EFFORT:
        bounds.append(("joint", -limit.effort, limit.effort))
    bounds = [bound for bound in bounds if bound[1] <= bound[2]]
    if not bounds:
        return
    by_high, by_low = min(bounds, key=lambda bound: bound[2]), max(bounds, key=lambda bound: bound[1])
    if asked.max() > by_high[2]:
        yield f"asks for {asked.max():.6g} {unit}, its {by_high[0]} allows {by_high[2]:.6g}: it is clipped"
    if asked.min() < by_low[1]:
        yield f"asks for {asked.min():.6g} {unit}, its {by_low[0]} allows {by_low[1]:.6g}: it is clipped"
