"""Whether a state that a step led to has to be judged by Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import buffers as at
from simulator.physics.motion.free import leaves_some_out

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints
    from simulator.physics.step.watch import Watch

BEYOND = 1e12
"""Positions and speeds [SI] that nothing has."""


@compiled
def is_trouble(N: Ints, W: Watch, row: Floats, slack: float) -> bool:
    """Whether somebody has to judge the state."""
    return _is_beyond(N, W, row) or _is_open(N, W, row, slack)


@compiled
def _is_beyond(N: Ints, W: Watch, row: Floats) -> bool:
    """Whether an axis or the energy has run away; not a number is beyond, too."""
    beyond = False
    energy = 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0] + 2 * N[at.LOOPS]
    for axis in range(W.codes.shape[0]):
        beyond = beyond or not (abs(row[1 + 3 * axis]) < BEYOND and abs(row[2 + 3 * axis]) < BEYOND)
    return beyond or not (abs(row[energy]) < BEYOND * BEYOND and abs(row[energy + 1]) < BEYOND * BEYOND)


@compiled
def _is_open(N: Ints, W: Watch, row: Floats, slack: float) -> bool:
    place = 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0]
    is_open = False
    if not leaves_some_out(N):
        return False
    for i in range(2 * N[at.LOOPS]):
        is_open = is_open or row[place + i] > slack
    return is_open
