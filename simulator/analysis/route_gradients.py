"""Derivatives of an analysis by parameters, at every point of its route."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.gradient_table import GradientTable, row_names
from simulator.analysis.gradients import freedom_names
from simulator.analysis.numbers import numbers_of
from simulator.analysis.tangents import Along, Tangents
from simulator.errors import UsageError
from simulator.kinematics.state import JointState, multi_dof_joints

if TYPE_CHECKING:
    from simulator.analysis.gradients import Chosen
    from simulator.analysis.jets import Jets
    from simulator.analysis.sweeps import Swept
    from simulator.kinematics.kinematics import Kinematics

AT_ONCE = 128
"""Points that are looked at together."""


def route_gradients(jets: Jets, kinematics: Kinematics, swept: Swept, by: Chosen, time: float) -> GradientTable:
    """Of positions, velocities and accelerations of all axes, and of efforts on the moved and held ones; these axes
    keep their motion. Loads are as they are at `time` [s].

    Raises UsageError for mechanisms with balls or floating bodies, whose positions an analysis does not hold, at
    singular points of the route, and for a parameter by name that opens or jams loops.
    """
    mechanism = jets.mechanism
    if multi_dof_joints(mechanism):
        raise UsageError("an analysis of a mechanism with balls or floating bodies has no gradients along it")
    held = [*(move.axis for move in swept.route.moves), *swept.held_axes]
    none = np.zeros((0, 4, 4)), np.zeros((0, 6))
    states = [JointState(q, v, *none) for q, v in zip(swept.position, swept.velocity, strict=True)]
    along = Along.parameters(by.directions, len(by.names), len(held))
    numbers = numbers_of(mechanism, time)
    places = jets.freedom[held]
    bad = np.zeros(len(by.names), dtype=bool)
    parts = []
    for first in range(0, len(states), AT_ONCE):
        tangents = Tangents(jets, numbers, kinematics, states[first : first + AT_ONCE], places)
        moving, _ = tangents.driven(swept.acceleration[first : first + AT_ONCE, held])
        change, lost = tangents.change(along, moving, None)
        bad |= lost | tangents.jams(along, change.position)
        parts.append(np.concatenate((change.position, change.velocity, change.acceleration, change.efforts), axis=-1))
    kept = by.kept(bad)
    names = freedom_names(jets)
    driven = tuple(mechanism.axes[axis].name for axis in held)
    rows = [row_names(names, part) for part in ("position", "velocity", "acceleration")]
    return GradientTable(
        swept.position[:, swept.route.moves[0].axis],
        (*(row for part in rows for row in part), *row_names(driven, "effort")),
        tuple(by.names[place] for place in kept),
        np.swapaxes(np.concatenate(parts)[:, kept], -1, -2),
        by.without(bad),
    )
