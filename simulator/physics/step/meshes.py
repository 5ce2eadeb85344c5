"""Real couplings after a step: rigid teeth at one rate and closed, and what elastic ones store is booked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.native.kernels import compiled
from simulator.physics.contacts.separation import energy_now, move_apart, store_end_velocity
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row, is_open
from simulator.physics.loops.flow import TAKEN
from simulator.physics.loops.loops import follow_curves, play_of
from simulator.physics.motion.projection import SWEEPS, project
from simulator.physics.rows.cables import place_and_follow
from simulator.physics.rows.meshes import (
    BACKWARD_IN,
    BACKWARD_OUT,
    FORWARD_IN,
    FORWARD_OUT,
    HELD,
    MISSED,
    MOST,
    ROUNDED,
    SLOPE,
    STIFFNESS,
    cycle_of,
    gives,
    holds_now,
    holds_rate,
    is_rigid,
    range_of_play,
    stiffnesses,
    stored_by_mesh,
)
from simulator.physics.rows.rows import axis_position
from simulator.physics.solver.newton import solve_rows
from simulator.physics.solver.rates import rate_rows, size_of_rate
from simulator.physics.solver.solve import UNBOUNDED
from simulator.physics.tree.positions import rate_of, size_of, turn_free

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

CLOSED = 4e-15
"""Teeth [rad or m, as a part of where both wheels are, above 1] that are apart by that are together but for
rounding."""


@compiled
def hold_rates(m: MechanismViews, bounded: BoundedRows, lines: Table, CF: Floats2) -> None:
    """Bring rigid teeth without play to one rate, which efforts that are constant over a step miss, by the impulse that
    moves the masses least, along with what held its rate in the step; beside loops, which are brought back afterwards,
    to third order. It does no work, as what it stands for: what it
    brings of energy is booked against the energy taken. STEP: as `store_end_velocity` leaves it, NOW: the rates that it
    gives. B still has the rows of the step, and the impulses that they had."""
    for _ in range(_tries(m)):
        _see_curves(m, bounded, lines[0])
        if not _ask_of_rates(m.state.step, bounded, lines[1]):
            break
        _bring_to_rates(m, bounded, lines[1], CF)


@compiled
def _tries(m: MechanismViews) -> int:
    """How often teeth are moved back: once where their rows are what they were at the start of the step; of plays along
    curves these only lead towards where the slopes of the end want them."""
    return SWEEPS if m.loops.play.shape[0] > 0 else 1


@compiled
def _follow(m: MechanismViews) -> None:
    """Plays along curves, and cables, as they are now."""
    follow_curves(m)
    if m.cables.begin.shape[0] > 1:
        place_and_follow(m)


@compiled
def _see_curves(m: MechanismViews, bounded: BoundedRows, RI: Ints2) -> None:
    """Plays along curves as they are now, and NOW of their rows."""
    _follow(m)
    for r in range(bounded.gathered[0] if m.loops.play.shape[0] > 0 else 0):
        if bounded.kind[r] == row_at.MESH and play_of(m.loops, RI[bounded.line[r], row_at.CODE]) >= 0:
            bounded.now[r] = rate_of(m.tree.G, m.state.V, RI[bounded.line[r], row_at.CODE])


@compiled
def _bring_to_rates(m: MechanismViews, bounded: BoundedRows, RF: Floats2, CF: Floats2) -> None:
    """Change velocities as rows ask, and book it."""
    tree, state, stages = m.tree, m.state, m.stages
    before = energy_now(m)
    for a in range(state.step.shape[0]):
        state.step[a] = 0.0
    solve_rows(m, bounded, CF, state.step, False)
    for r in range(bounded.gathered[0]):
        line = bounded.line[r]
        if bounded.kind[r] == row_at.MESH and holds_now(RF, line):
            RF[line, row_at.IMPULSE] += bounded.impulse[r]
            RF[line, row_at.PUSHED] += bounded.impulse[r]
    turn_free(tree, state.step, stages.Q0, False)
    turn_free(tree, state.step, state.Q, True)
    for a in range(state.step.shape[0]):
        state.V[a] += state.step[a]
    project(m, SWEEPS, np.inf)
    stages.flow[TAKEN] -= energy_now(m) - before
    store_end_velocity(m)
    rate_rows(bounded, state.step, bounded.now)


@compiled
def _ask_of_rates(velocity: Floats, bounded: BoundedRows, RF: Floats2) -> bool:
    """Changes of rates that are asked for: of rigid teeth what is missing, which is noted for the step to come, none of
    what held its rate, and all else takes no part; whether anything is missing."""
    found = False
    for r in range(bounded.gathered[0]):
        kind, line = bounded.kind[r], bounded.line[r]
        bound = target = 0.0
        inside = bounded.low[r] < bounded.impulse[r] < bounded.high[r]
        if is_open(bounded, r):  # a slack cable, and teeth between their flanks, hold nothing
            inside = inside and bounded.impulse[r] != 0.0
        held = kind == row_at.MESH and holds_rate(bounded, RF, r)
        if kind == row_at.MESH:
            RF[line, HELD] = 1.0 if held else 0.0
            RF[line, MISSED] = RF[line, MISSED] + bounded.now[r] if held else 0.0
        if held:
            bound = UNBOUNDED
            target = -bounded.now[r]
            if not found and abs(target) > ROUNDED:
                found = abs(target) > ROUNDED * (1.0 + size_of_rate(bounded, r, velocity))
        elif (kind == row_at.LOSS and bounded.now[r] == 0.0 and bounded.low[r] < bounded.high[r]) or (
            kind < row_at.NORMAL and inside and bounded.soft[r] <= 0.0 and not _slips(bounded, RF, r)
        ):
            bound = UNBOUNDED
        ask_of_row(bounded, r, -bound, bound, target)
        bounded.most[r] = target
        bounded.soft[r] = 0.0
        bounded.turns[r] = 0.0  # at the end of the step no losses turn round any more
    return found


@compiled
def _slips(bounded: BoundedRows, RF: Floats2, r: int) -> bool:
    """Whether a row is a clutch that slips, or a freewheel that is overrun."""
    return bounded.kind[r] == row_at.MESH and is_rigid(RF, bounded.line[r])


@compiled
def close_meshes(m: MechanismViews, bounded: BoundedRows, lines: Table, CF: Floats2) -> None:
    """Move rigid teeth back to where a step of constant efforts has left a play that is none, by the displacement that
    moves the masses least. What that brings of energy is booked against the energy taken, as that of elastic teeth
    is. B still has the rows of the step."""
    RI, RF = lines
    _follow(m)
    _book_power(bounded, RF)
    for _ in range(_tries(m)):
        if not _ask_back(m, bounded, RI, RF):
            break
        m.stages.flow[TAKEN] -= move_apart(m, bounded, CF)
        _follow(m)
    _book_stored(m, bounded, RI, RF)


@compiled
def _ask_back(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2) -> bool:
    """Every mesh is asked to go back where it may be; whether any has to. All else takes no part."""
    found = False
    for r in range(bounded.gathered[0]):
        kind, line = bounded.kind[r], bounded.line[r]
        least = most = bound = 0.0
        if kind == row_at.MESH and not gives(RF, line):
            z = axis_position(m, RI[line, row_at.CODE])
            least, most = range_of_play(RF, line, bounded.gap[r])
            least -= z
            most -= z
            slips = RF[line, MOST] < UNBOUNDED
            bound = 0.0 if slips else UNBOUNDED
            if not (found or slips) and max(least, -most) > CLOSED:
                size = size_of(m.tree.G, m.state.Q, RI[line, row_at.CODE])
                found = max(least, -most) > CLOSED * (1.0 + size)
        ask_of_row(bounded, r, -bound, bound, least)
        bounded.most[r] = most
        bounded.soft[r] = 0.0
    return found


@compiled
def _book_power(bounded: BoundedRows, RF: Floats2) -> None:
    """Energy that passed couplings with losses in this step, by the mean of their rates before and after: the follower
    gets Λ l of it, or its clutch where that slips, and the leader gives (Λ - y) l, where y is the effort of the
    losses; along a curve with the slope f' these are Λ f' l and (Λ f' - y) l. The row before that of losses is their
    mesh's."""
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] != row_at.LOSS:
            continue
        line = bounded.line[r]
        way = 0.5 * (bounded.rate[r] + bounded.now[r])
        out = RF[bounded.line[r - 1], row_at.PUSHED] * RF[line, SLOPE] * way
        given = out - RF[line, row_at.PUSHED] * way
        if out > 0.0 or (out == 0.0 and given > 0.0):
            RF[line, FORWARD_IN] += given
            RF[line, FORWARD_OUT] += out
        else:
            RF[line, BACKWARD_IN] -= out
            RF[line, BACKWARD_OUT] -= given


@compiled
def _book_stored(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2) -> None:
    """What elastic teeth store more than at the start of the step is not taken."""
    flow = m.stages.flow
    for r in range(bounded.gathered[0]):
        line = bounded.line[r]
        if bounded.kind[r] == row_at.MESH and gives(RF, line):
            before = after = RF[line, STIFFNESS]
            if cycle_of(RI, line) >= 0:
                before, after = stiffnesses(RI, RF, line, axis_position(m, RI[line + 1, row_at.CODE]))
            at_start = stored_by_mesh(RF, line, before, bounded.gap[r])
            flow[TAKEN] -= stored_by_mesh(RF, line, after, axis_position(m, RI[line, row_at.CODE])) - at_start
