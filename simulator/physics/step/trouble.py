"""Whether a state that a step led to has to be judged by Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import buffers as at
from simulator.physics.loops.flow import OUT_OF_NOTHING
from simulator.physics.motion.free import leaves_some_out
from simulator.physics.tree.views import open_stages

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints
    from simulator.physics.step.watch import Watch

OVERDRAWN = 1e-4
"""Part of the kinetic energy that contacts, which can only take energy or give back what they stored, may give in a
step."""
BEYOND = 1e12
"""Positions and speeds [SI] that nothing has."""


@compiled
def is_trouble(N: Ints, W: Watch, row: Floats, slack: float) -> bool:
    """Whether Python has to judge the state."""
    return _is_beyond(N, W, row) or _is_open(N, W, row, slack)


@compiled
def is_unbalanced(F: Floats, N: Ints, W: Watch, row: Floats) -> bool:
    """Whether contacts gave more in the step that led to this state than steps may: then it is made in halves."""
    return open_stages(F, N).flow[OUT_OF_NOTHING] > OVERDRAWN * row[_energy(N, W)]


@compiled
def _is_beyond(N: Ints, W: Watch, row: Floats) -> bool:
    """Whether an axis or the energy has run away; not a number is beyond, too."""
    beyond = False
    energy = _energy(N, W)
    for axis in range(W.codes.shape[0]):
        beyond = beyond or not (abs(row[1 + 3 * axis]) < BEYOND and abs(row[2 + 3 * axis]) < BEYOND)
    return beyond or not (abs(row[energy]) < BEYOND * BEYOND and abs(row[energy + 1]) < BEYOND * BEYOND)


@compiled
def _energy(N: Ints, W: Watch) -> int:
    """The place of the kinetic energy in a row."""
    place: int = 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0] + 2 * N[at.LOOPS]
    return place


@compiled
def _is_open(N: Ints, W: Watch, row: Floats, slack: float) -> bool:
    place = 1 + 3 * W.codes.shape[0] + W.coupling_constant.shape[0]
    is_open = False
    if not leaves_some_out(N):
        return False
    for i in range(2 * N[at.LOOPS]):
        is_open = is_open or row[place + i] > slack
    return is_open
