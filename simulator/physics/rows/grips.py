"""Dry friction whose bound changes: with what presses a clutch or brake, with the speed, and with what a joint carries
(`step.bearings`).

The bound is that of the middle of the step: by the input at that time, and by the mean of the rates at both ends,
which is known once the step has been solved with the bound of its start (`step.resolve`). So smooth slipping is of
second order, and what sticks does so up to the bound at rest.

Falling friction F(v) = F + (Fs - F) exp(-(|v| / vs)^n) brakes what slips the harder the slower it is. Each of both
solves has one solution; the second may stick where the first slipped, which is where it stops.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.rows.meshes import MOST, STICKS
from simulator.physics.tree.loads import profile_value

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2
    from simulator.physics.loops.views import MechanismViews

LEAST, STATIC, SPEED, EXPONENT, BRAKE, PEAK = range(6)
"""Numbers of the line of friction, see `row_layout`."""
WEIGHT, LOAD, CARRIED = 6, 7, 8
BEFORE, SPAN, LACKED = 11, 12, 13
"""Of that of a bearing: effort for each newton that it carries across its axis [m or 1]; what it adds in this step,
what it would with the forces of the start of the step, and what it did in the last one, which lasted SPAN [s]; and by
how much more than LOAD it was to be in the last try."""
UNIT, INPUT = 0, 1
"""Numbers of a line of what presses."""


@compiled
def read_grip(m: MechanismViews, RI: Ints2, RF: Floats2, line: int, dt: float) -> None:
    """What the clutch or brake of a line holds in the middle of a step of `dt` [s], where it is one."""
    if line + 1 >= RI.shape[0] or RI[line + 1, row_at.KIND] != row_at.GRIP:
        return
    loads = m.loads
    pressed = max(profile_value(loads, int(RF[line + 1, INPUT]), loads.time[1] + 0.5 * dt), 0.0)
    column = MOST if RI[line, row_at.KIND] == row_at.MESH else BRAKE
    RF[line, column] = RF[line + 1, UNIT] * pressed


@compiled
def friction_at(RF: Floats2, line: int, now: float) -> float:
    """Largest effort of the dry friction of a line at a rate [N m or N]."""
    most = RF[line, LEAST]
    if RF[line, STATIC] > 0.0:
        most += (RF[line, STATIC] - most) * math.exp(-((abs(now) / RF[line, SPEED]) ** RF[line, EXPONENT]))
    brake = RF[line, BRAKE]
    return most + RF[line, LOAD] + (brake * RF[line, PEAK] if abs(now) <= STICKS else brake)
