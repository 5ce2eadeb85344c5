"""Groups of columns of an analysis that share a plot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QCoreApplication

from simulator.analysis.table import STILL
from simulator.analysis.wrenches import COMPONENTS
from simulator.mechanism.types import MotionKind
from simulator.model.names import distinct_tails
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.analysis.analysis import Analysis
    from simulator.mechanism.types import AxisInfo
    from simulator.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class Curve:
    """A column over the driver, shape (n,); `unit` is SI."""

    name: str
    unit: str
    values: Array


QUANTITIES = (
    "position",
    "velocity",
    "acceleration",
    "velocity_ratio",
    "effort",
    "coupling",
    "transmission_angle",
    "force",
    "moment",
    "shaking",
)
"""What can be chosen, in the order of the list."""


def curves_of(found: Analysis, quantity: str) -> tuple[Curve, ...]:
    """The curves of a quantity; those that say nothing are left out."""
    swept, table = found.swept, found.table
    axes = swept.mechanism.axes
    names = distinct_tails([axis.name for axis in axes])
    driver = swept.route.moves[0].axis
    if quantity == "position":
        return tuple(
            Curve(name, axis.unit, _without_turns(axis, swept.position[:, i]))
            for i, (name, axis) in enumerate(zip(names, axes, strict=True))
            if i != driver and np.ptp(swept.position[:, i]) > STILL
        )
    if quantity in ("velocity", "acceleration"):
        of_axes, per = (swept.velocity, "/s") if quantity == "velocity" else (swept.acceleration, "/s²")
        return tuple(
            Curve(name, f"{axis.unit}{per}", of_axes[:, i])
            for i, (name, axis) in enumerate(zip(names, axes, strict=True))
            if np.abs(np.nan_to_num(of_axes[:, i])).max(initial=0.0) > STILL
        )
    if quantity == "effort":
        held = (driver, *swept.held_axes)
        curves = tuple(Curve(names[i], axes[i].effort_unit, swept.effort[:, i]) for i in held)
        if swept.friction is None:
            return curves
        said = QCoreApplication.translate("DriverPage", "{name} with dry friction").format(name=names[driver])
        return (*curves, Curve(said, axes[driver].effort_unit, swept.driving_effort))
    if quantity in ("force", "moment"):
        part, unit = (slice(0, 3), "N") if quantity == "force" else (slice(3, 6), "N·m")
        joints = distinct_tails(swept.sweeper.joints.names)
        sizes = np.linalg.norm(swept.wrenches[..., part], axis=2)
        # At a change point there may be no value.
        most = np.nan_to_num(sizes).max(axis=0)
        return tuple(Curve(name, unit, sizes[:, i]) for i, name in enumerate(joints) if most[i] > STILL)
    chosen = [name for name in table.names if name.startswith(f"{quantity}/")]
    if quantity == "shaking":
        chosen = [f"shaking/{part}" for part in COMPONENTS]
    units = dict(zip(table.names, table.units, strict=True))
    ends = distinct_tails([name.partition("/")[2] for name in chosen])
    found_ = (Curve(end, units[name], table[name]) for name, end in zip(chosen, ends, strict=True))
    return tuple(curve for curve in found_ if np.abs(np.nan_to_num(curve.values)).max(initial=0.0) > STILL)


def _without_turns(axis: AxisInfo, position: Array) -> Array:
    """Positions (n,) less the whole turns that an axis without limits had made before: a crank that ran for a minute is
    beside the rocker that it moves."""
    endless = axis.kind is MotionKind.ROTATION and math.isinf(axis.axis.lower) and math.isinf(axis.axis.upper)
    turns = round(float(position[0]) / math.tau) if endless and math.isfinite(position[0]) else 0
    return position - math.tau * turns
