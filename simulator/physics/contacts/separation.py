"""Correct positions: what overlaps after a step is moved apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row, is_stop, stops, x_begin
from simulator.physics.loops.flow import BY_SEPARATION, TAKEN
from simulator.physics.motion.loose import mark_momentum, restore_momentum
from simulator.physics.motion.projection import SWEEPS, project
from simulator.physics.rows.stiff import stored_by_bodies
from simulator.physics.solver.newton import solve_rows
from simulator.physics.solver.solve import UNBOUNDED
from simulator.physics.tree.positions import displace, turn_free
from simulator.physics.tree.tree import kinetic_energy, move_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

CONTACT_SLOP, CONTACT_SHARE = 1e-6, 0.2
"""Contacts as near as this [m], open or overlapping, touch: else the corners of a body at rest, each with its own small
error, would ask for different motions. Of a larger overlap a step removes that part."""
STOP_SLOP = 1e-12
CONTACT_SOFT, STOP_SOFT = 1e-3, 1e-9
"""How much of its way apart a contact or a stop lets go when others stand against it: where all that overlaps cannot
come apart, each gets what is nearest to it, and nothing is thrown away by impulses without a bound."""
FARTHEST = 0.1
"""Most [rad or m] that a coordinate moves in a step to make room for one contact: one that it can hardly move at all (a
normal along the axis of a hinge) would turn it many times round."""


@compiled
def store_end_velocity(m: MechanismViews) -> None:
    """STEP = velocities at the end of the step, in the axes of its start."""
    tree, state = m.tree, m.state
    for a in range(state.V.shape[0]):
        state.step[a] = state.V[a]
    turn_free(tree, state.step, state.Q, False)
    turn_free(tree, state.step, m.stages.Q0, True)


@compiled
def separate_overlaps(m: MechanismViews, bounded: BoundedRows, CF: Floats2, dt: float) -> None:
    """Move apart what overlaps after the step. The energy that this brings where only stops are passed is booked
    against the energy taken; where bodies overlap it comes from nowhere, and has a place of its own. STEP: as
    `store_end_velocity` leaves it, NOW: the rates that it gives."""
    flow = m.stages.flow
    overlap = False
    bodies = False
    if not _has_stops(bounded):
        return
    for r in range(bounded.gathered[0]):
        kind = bounded.kind[r]
        low = high = target = 0.0
        if stops(bounded, CF, r):
            sum_of_rates = bounded.rate[r] + bounded.now[r]
            # The gap at the end by the trapezium of its rates, and what its drift adds to the later one.
            moved = 0.5 * dt * (sum_of_rates + dt * bounded.drift[r])
            gap = bounded.gap[r] + moved
            high = UNBOUNDED
            slop, share = (CONTACT_SLOP, CONTACT_SHARE) if kind == row_at.NORMAL else (STOP_SLOP, 1.0)
            target = -max(gap, 0.0)
            if gap < -slop:
                target = -share * (gap + slop)
                overlap = True
                bodies = bodies or kind == row_at.NORMAL
            _soften(bounded, r, target)
        ask_of_row(bounded, r, low, high, target)
    if not overlap:
        return
    gained = move_apart(m, bounded, CF)
    if bodies:
        flow[BY_SEPARATION] += gained
    else:
        flow[TAKEN] -= gained


@compiled
def _has_stops(bounded: BoundedRows) -> bool:
    """Whether any row is of a stop or a contact; they come behind all others."""
    r = bounded.gathered[0] - 1
    while r >= 0 and bounded.kind[r] >= row_at.SPEED and not is_stop(bounded.kind[r]):
        r -= 1
    return bool(r >= 0 and is_stop(bounded.kind[r]))


@compiled
def move_apart(m: MechanismViews, bounded: BoundedRows, CF: Floats2) -> float:
    """Displace all bodies as the rows ask, in the axes of the start of the step; returns the energy that this brings
    [J]. The impulses have no time here: they are displacements, and J X displaces like it moves."""
    tree, state = m.tree, m.state
    before = energy_now(m)
    for a in range(state.step.shape[0]):
        state.step[a] = 0.0
    solve_rows(m, bounded, CF, state.step, False)
    turn_free(tree, state.step, m.stages.Q0, False)
    turn_free(tree, state.step, state.Q, True)
    if bounded.loose[0] > 0:
        mark_momentum(m)
    displace(tree, state)
    if bounded.loose[0] > 0:
        restore_momentum(m)
    project(m, SWEEPS, np.inf)
    return energy_now(m) - before


@compiled
def _soften(bounded: BoundedRows, r: int, way: float) -> None:
    """SOFT of a stop or contact that is to move by `way`: no coordinate is to move further than FARTHEST for it
    alone."""
    soft = CONTACT_SOFT if bounded.kind[r] == row_at.NORMAL else STOP_SOFT
    weight = bounded.response[r]
    most = 0.0
    for t in range(x_begin(bounded, r), bounded.X_end[r]):
        most = max(most, abs(bounded.X[t]))
    # The impulse alone is way / (weight + soft); it moves the farthest coordinate by `most` times that, FARTHEST at
    # most.
    bounded.soft[r] = max(soft * weight, most * way / FARTHEST - weight)


@compiled
def energy_now(m: MechanismViews) -> float:
    """Of the bodies and springs [J], now."""
    stored = stored_by_bodies(m)
    move_nodes(m.tree, m.state, m.tree.order.shape[0])
    return stored + kinetic_energy(m.tree, m.state)
