"""Work and losses of a step: powers at every stage, integrated by the method that integrates the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.loops.loops import loop_axis_rate
from simulator.physics.tree.loads import load_powers

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats
    from simulator.physics.loops.views import LoopViews
    from simulator.physics.tree.loads import LoadViews
    from simulator.physics.tree.views import EffortViews, StateViews

WORK, TAKEN, BY_LOADS, BY_CONTACTS, BY_SEPARATION, OUT_OF_NOTHING = range(6)
"""Places in `StageViews.flow` [J]: work of efforts and drives, energy taken by damping and loss, work of loads and of
contacts, what moving bodies apart has brought, and what contacts, stops and speed limits gave, which can only take."""
BOOKED = BY_SEPARATION + 1
"""Those before are booked in the ledger."""


@compiled
def does_work(efforts: EffortViews, loops: LoopViews, loads: LoadViews) -> bool:
    """Whether efforts, drives, damping or loss can do work in this step at all."""
    if loads.target.shape[0] > 0 or loads.ends.shape[0] > 0:
        return True
    for k in range(efforts.given.shape[0]):
        if efforts.given[k] != 0.0 or efforts.damping[k] != 0.0:
            return True
    for a in range(efforts.drive.shape[0]):
        if efforts.drive[a] != 0.0 or efforts.loss[a] != 0.0:
            return True
    does = False
    for j in range(loops.given.shape[0]):
        does = does or _working(loops, j) != 0.0 or loops.loss[j] != 0.0 or loops.passive[j, 0] != 0.0
    return does


@compiled
def _working(loops: LoopViews, j: int) -> float:
    """Effort on a loop axis that does work."""
    return loops.given[j] + loops.drive[j]


@compiled
def add_powers(
    state: StateViews, efforts: EffortViews, loops: LoopViews, loads: LoadViews, flow: Floats, weight: float
) -> None:
    """flow += weight * (power of efforts and drives, power that damping and loss take, power of loads); needs a fresh
    `accelerate`."""
    work = taken = 0.0
    # Efforts do work on QD, what acts on the coordinates on V; dampers take d qd^2. Most are zero: passing them by is
    # quicker than a sum in which each addition waits for the one before.
    for k in range(efforts.given.shape[0]):
        if efforts.given[k] != 0.0:
            work += efforts.given[k] * state.QD[k]
        if efforts.damping[k] != 0.0:
            taken += efforts.damping[k] * state.QD[k] * state.QD[k]
    for a in range(efforts.drive.shape[0]):
        if efforts.drive[a] != 0.0:
            work += efforts.drive[a] * state.V[a]
        if efforts.loss[a] != 0.0:
            taken -= efforts.loss[a] * state.V[a]
    for j in range(loops.given.shape[0]):
        given = _working(loops, j)
        lost = loops.loss[j]
        damping = loops.passive[j, 0]
        if given != 0.0 or lost != 0.0 or damping != 0.0:
            rate = loop_axis_rate(loops, j)
            work += given * rate
            taken += (damping * rate - lost) * rate
    by_loads, by_springs = load_powers(loads, state)
    # The same weights as those of the motion: energies are of its order, and balance to it.
    flow[WORK] += weight * work
    flow[TAKEN] += weight * (taken + by_springs)
    flow[BY_LOADS] += weight * by_loads
