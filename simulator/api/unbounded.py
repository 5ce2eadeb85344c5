"""A simulation without what switches: friction, stops and contacts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.mechanism.clutches import inputs_of
from simulator.model.profiles import Constant
from simulator.session.commands.factory import dynamics_like

if TYPE_CHECKING:
    from simulator.api.core import Core
    from simulator.model.joint import Axis

SAME = 1e-9
"""Motions that differ by less [rad, m, per second] count as the same: both are steps of the same equations."""


def unbounded(core: Core, dt: float | None = None) -> Core:
    """The same simulation at the same state and time without friction, stops and contacts, by steps of `dt` [s].

    Raises UsageError if loads or drives change over time and the time is not a multiple of `dt`.
    """
    axes = tuple(replace(info, axis=_without_bounds(info.axis)) for info in core.mechanism.axes)
    moment = core.moment
    steps = core.time / (dt or core.dt)
    if abs(steps - round(steps)) > SAME * max(steps, 1.0) and _changes_over_time(core):
        raise UsageError(
            "loads or drives change over time, and the simulated time is not a multiple of the time between "
            "points: choose another duration or other points"
        )
    opened = replace(core.opened, mechanism=replace(core.mechanism, axes=axes))
    free = core.like(opened, replace(moment, steps=round(steps)), "reduced", dt)
    free.made = dynamics_like(core.ready(), opened)
    if free.made is not None:
        free.made.dt = free.dt
    return free


def _without_bounds(axis: Axis) -> Axis:
    """An axis without dry friction and stops."""
    free = replace(axis, friction=0.0, stribeck=None, brake=None, bearing=None)
    return replace(free, lower=-math.inf, upper=math.inf)


def _changes_over_time(core: Core) -> bool:
    """Whether a load or a drive is not constant."""
    forces = core.mechanism.loads.forces
    profiles = [profile for load in forces for profile in (*load.force, *load.moment)]
    profiles += [*inputs_of(core.mechanism), *(drive.profile for drive in core.drives.values())]
    return not all(isinstance(profile, Constant) for profile in profiles)
