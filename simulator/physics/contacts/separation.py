"""What overlaps after a step is moved apart, and the solver that all stages of a step with bounded rows share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.row_layout import ask_of_row, int_of_row, of_row, x_begin, x_entries
from simulator.physics.layout.views import start
from simulator.physics.loops.flow import BY_SEPARATION, TAKEN
from simulator.physics.motion.loose import mark_momentum, restore_momentum
from simulator.physics.motion.projection import SWEEPS, project
from simulator.physics.rows.entries import spare
from simulator.physics.rows.soft import is_soft
from simulator.physics.rows.stiff import stored_by_bodies
from simulator.physics.solver.newton import solve_islands
from simulator.physics.solver.solve import UNBOUNDED, solve
from simulator.physics.tree.positions import displace, turn_free
from simulator.physics.tree.tree import kinetic_energy
from simulator.physics.tree.velocities import update_velocities
from simulator.physics.tree.views import open_stages, open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints

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
def is_stop(kind: int) -> bool:
    """Whether a row keeps something from going further: a stop or the normal of a contact."""
    return row_at.LOWER <= kind <= row_at.NORMAL


@compiled
def stops(C: Ints, CF: Floats2, r: int) -> bool:
    """Whether a row stops at once what comes too far: a stop or the normal of a rigid contact."""
    kind = C[int_of_row(C, row_at.C_KIND, r)]
    rigid = C[row_at.GIVES] == 0 or kind != row_at.NORMAL
    return is_stop(kind) and (rigid or not is_soft(CF, C[int_of_row(C, row_at.C_LINE, r)]))


@compiled
def curvature_of(B: Floats, C: Ints, CF: Floats2, r: int) -> float:
    """Second derivative in time [m/s²] of the gap of a stop or contact that its rate leaves out."""
    curvature = B[of_row(C, row_at.B_DRIFT, r)]
    if C[int_of_row(C, row_at.C_KIND, r)] == row_at.NORMAL:
        curvature = CF[C[int_of_row(C, row_at.C_LINE, r)], row_at.CURVATURE]
    return curvature


@compiled
def solve_rows(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats2, vector: int, warm: bool) -> bool:
    """Impulses of all rows. Where there are contacts, islands are solved apart, from the impulses that are there where
    it is `warm`, else from none; without contacts, and where that does not settle, all rows together, from none."""
    if C[row_at.ISLANDS] > 0:
        for r in range(0 if warm else C[row_at.COUNT]):
            B[of_row(C, row_at.B_IMPULSE, r)] = 0.0
        if solve_islands(F, N, B, C, CF, vector):
            return True
    return solve(F, B, C, CF, vector, spare(N, at.F_XK))


@compiled
def look_back(F: Floats, N: Ints) -> None:
    """STEP = velocities after the step in the axes of its start."""
    tree, state = open_tree(F, N), open_state(F, N)
    for a in range(state.V.shape[0]):
        state.step[a] = state.V[a]
    turn_free(tree, state.step, state.Q, False)
    turn_free(tree, state.step, open_stages(F, N).Q0, True)


@compiled
def separate_overlaps(F: Floats, N: Ints, B: Floats, C: Ints, CF: Floats2, dt: float) -> None:
    """Move apart what overlaps after the step. The energy that this brings where only stops are passed is booked
    against the energy taken; where bodies overlap it comes from nowhere, and has a place of its own. STEP: as
    `look_back` leaves it, NOW: the rates that it gives."""
    state = open_state(F, N)
    flow = open_stages(F, N).flow
    overlap = False
    bodies = False
    for r in range(C[row_at.COUNT]):
        kind = C[int_of_row(C, row_at.C_KIND, r)]
        low = high = target = 0.0
        if stops(C, CF, r):
            sum_of_rates = B[of_row(C, row_at.B_RATE, r)] + B[of_row(C, row_at.B_NOW, r)]
            # The gap at the end by the trapezium of its rates, and what its curvature adds to the later one.
            moved = 0.5 * dt * (sum_of_rates + dt * curvature_of(B, C, CF, r))
            gap = B[of_row(C, row_at.B_GAP, r)] + moved
            high = UNBOUNDED
            slop, share = (CONTACT_SLOP, CONTACT_SHARE) if kind == row_at.NORMAL else (STOP_SLOP, 1.0)
            target = -max(gap, 0.0)
            if gap < -slop:
                target = -share * (gap + slop)
                overlap = True
                bodies = bodies or kind == row_at.NORMAL
            _soften(B, C, r, target)
        ask_of_row(B, C, r, low, high, target)
    if not overlap:
        return
    before = energy_now(F, N)
    for a in range(state.step.shape[0]):
        state.step[a] = 0.0
    # The impulses have no time here: they are displacements, and J X displaces like it moves.
    solve_rows(F, N, B, C, CF, start(N, at.F_STEP), False)
    tree = open_tree(F, N)
    turn_free(tree, state.step, open_stages(F, N).Q0, False)
    turn_free(tree, state.step, state.Q, True)
    if C[row_at.LOOSE] > 0:
        mark_momentum(F, N)
    displace(tree, state)
    if C[row_at.LOOSE] > 0:
        restore_momentum(F, N)
    project(F, N, SWEEPS, np.inf)
    gained = energy_now(F, N) - before
    if bodies:
        flow[BY_SEPARATION] += gained
    else:
        flow[TAKEN] -= gained


@compiled
def _soften(B: Floats, C: Ints, r: int, way: float) -> None:
    """SOFT of a stop or contact that is to move by `way`: no coordinate is to move further than FARTHEST for it
    alone."""
    soft = CONTACT_SOFT if C[int_of_row(C, row_at.C_KIND, r)] == row_at.NORMAL else STOP_SOFT
    weight = B[of_row(C, row_at.B_RESPONSE, r)]
    most = 0.0
    values = x_entries(C)[0]
    for t in range(x_begin(C, r), C[int_of_row(C, row_at.C_XEND, r)]):
        most = max(most, abs(B[values + t]))
    # The impulse alone is way / (weight + soft); it moves the farthest coordinate by `most` times that, FARTHEST at
    # most.
    B[of_row(C, row_at.B_SOFT, r)] = max(soft * weight, most * way / FARTHEST - weight)


@compiled
def energy_now(F: Floats, N: Ints) -> float:
    """Of the bodies and springs [J], now."""
    stored = stored_by_bodies(F, N)
    update_velocities(F, N)
    return stored + kinetic_energy(F, N)
