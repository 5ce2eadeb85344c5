"""Command interfaces and drives as actuators: an effort is a motor, a position or a velocity a servo.

A servo is a spring or a damper in MuJoCo. Its stiffness is that with which the axis approaches its target in `LAG`,
without overshoot, by the inertia that the axis has at the start.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.mjcf_writing.shapes import CODE
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.model.profiles import Constant
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.model.joint import Axis
    from simulator.model.world import World

LAG = 0.02
"""Time constant [s] of a servo."""
KINDS = ("effort", "velocity", "position")
WITHOUT_INERTIA = 1.0
"""Taken where an axis has none that is known [kg m^2, kg]."""


@dataclass(frozen=True)
class WrittenActuator:
    """Its element, and what it commands at the start."""

    node: Node
    ctrl: float


def actuators_of(
    world: World,
    there: Mapping[str, str],
    axes: Mapping[str, Axis],
    inertias: Mapping[str, float],
    log: DiagnosticLog,
) -> list[WrittenActuator]:
    """One for each command interface and each drive of the world, in the order of joints. `there`: names of MuJoCo's
    joints by channel, with their `axes` and `inertias`."""
    wanted: dict[tuple[str, str], tuple[float, float]] = {}
    for model in world.models:
        for block in model.hardware:
            for joint in block.joints:
                for interface in joint.command_interfaces:
                    if joint.joint in there and interface.name in KINDS:
                        bounds = interface.minimum, interface.maximum
                        wanted[joint.joint, interface.name] = bounds if interface.limited else (-math.inf, math.inf)
    started: dict[tuple[str, str], float] = {}
    for channel, kind, value in _drives(world, there, log):
        wanted.setdefault((channel, kind), (-math.inf, math.inf))
        started[channel, kind] = value
    rank = {channel: number for number, channel in enumerate(there)}
    return [
        _actuator(channel, kind, bounds, started.get((channel, kind), 0.0), there, axes, inertias)
        for (channel, kind), bounds in sorted(wanted.items(), key=lambda item: (rank[item[0][0]], item[0]))
    ]


def _drives(world: World, there: Mapping[str, str], log: DiagnosticLog) -> Iterator[tuple[str, str, float]]:
    for drive in world.drives:
        found = [channel for channel in there if channel == drive.axis or channel.endswith(f"::{drive.axis}")]
        if not found:
            continue
        if not isinstance(drive.profile, Constant):
            message = (
                f"the drive of '{drive.axis}' changes over time, which MJCF has no place for: it starts at its begin"
            )
            log.warning(CODE, drive.source, message, "command ctrl from a program", fold="drive", about=drive.axis)
        yield found[0], drive.kind, drive.profile.value(0.0)


def _actuator(
    channel: str,
    kind: str,
    bounds: tuple[float, float],
    ctrl: float,
    there: Mapping[str, str],
    axes: Mapping[str, Axis],
    inertias: Mapping[str, float],
) -> WrittenActuator:
    said = {"name": f"{there[channel]}_{kind}", "joint": there[channel]}
    effort = axes[channel].effort
    if all(map(math.isfinite, bounds)) and bounds[0] < bounds[1]:
        said["ctrlrange"] = numbers_text(bounds)
    if 0.0 < effort < math.inf:
        said["forcerange"] = numbers_text((-effort, effort))
    inertia = inertias.get(channel, WITHOUT_INERTIA)
    inertia = inertia if 0.0 < inertia < math.inf else WITHOUT_INERTIA
    if kind == "effort":
        return WrittenActuator(element("motor", **said), ctrl)
    if kind == "velocity":
        return WrittenActuator(element("velocity", kv=number_text(inertia / LAG), **said), ctrl)
    stiffness = inertia / LAG**2
    damping = 2.0 * inertia / LAG
    return WrittenActuator(element("position", kp=number_text(stiffness), kv=number_text(damping), **said), ctrl)
