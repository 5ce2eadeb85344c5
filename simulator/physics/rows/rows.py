"""Gather the bounded rows of a step: J in independent coordinates and X, the velocity that a unit of impulse gives.

Everything here needs a fresh `accelerate`: poses, motion columns, factors of H and of the loop rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.layout import row_layout as row_at
from simulator.physics.loops.flow import TAKEN
from simulator.physics.loops.loops import play_of, slope_ahead
from simulator.physics.rows.cables import cable_of, lose_along_cable
from simulator.physics.rows.entries import (
    COUPLED,
    NO_SPACE,
    clear_row,
    close_row,
    close_uncoupled_row,
    dense_product,
    enter_axis_row,
)
from simulator.physics.rows.grips import read_grip
from simulator.physics.rows.held_efforts import drift_of
from simulator.physics.rows.meshes import AHEAD, cycle_of, lose_along_curve, read_cycle, read_losses
from simulator.physics.rows.servos import ask_servo
from simulator.physics.rows.stiff import DAMPERS, SPRINGS, is_fast
from simulator.physics.solver.rates import rate
from simulator.physics.solver.solve import UNBOUNDED
from simulator.physics.tree.loads import spring_energy, spring_force, spring_length
from simulator.physics.tree.positions import position_of

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import LoopViews, MechanismViews, RowViews
    from simulator.physics.tree.loads import LoadViews

APPROACH_TIME = 0.02
"""Time constant [s] with which a position drive closes a gap where effort allows."""
REACH_STEPS = 8.0
"""A stop takes part in a step when the axis could get there within so many steps at its present speed and acceleration,
or at the speed that an impact may pass on to it from whatever moves fastest."""
REACH_DRIVEN = 0.05
"""… or when it is as near as this [rad or m] while motors, which can do anything, are on."""


@compiled
def _line_row(m: MechanismViews, RI: Ints2, RF: Floats2, line: int) -> None:
    """The dense row = the rate that a line is about: of its axis, or of all axes of a servo."""
    clear_row(m.rows, m.loops.row_kind.shape[0] > 0)
    if RI[line, row_at.KIND] != row_at.SERVO:
        enter_axis_row(m, RI[line, row_at.CODE], 1.0)
        return
    enter_axis_row(m, RI[line, row_at.CODE], RF[line, row_at.FACTOR])
    line += 1
    while line < RI.shape[0] and RI[line, row_at.KIND] == row_at.FURTHER:
        enter_axis_row(m, RI[line, row_at.CODE], RF[line, row_at.FACTOR])
        line += 1


@compiled
def axis_position(m: MechanismViews, code: int) -> float:
    """Position of an axis by its code [rad or m], or the length of a spring."""
    if code < -m.loops.axis_kind.shape[0]:
        return spring_length(m.loads, m.state, -1 - m.loops.axis_kind.shape[0] - code)
    if code < 0:
        return m.loops.axis_position[-1 - code]
    return position_of(m.tree.G, m.state.Q, code)


@compiled
def _fastest(m: MechanismViews, RI: Ints2, RF: Floats2) -> float:
    """Largest rate of any independent coordinate, now or as motors ask for it [rad/s or m/s]."""
    V = m.state.V
    fastest = 0.0
    for a in range(V.shape[0]):
        fastest = max(fastest, abs(V[a]))
    for line in range(RI.shape[0]):
        if RI[line, row_at.KIND] == row_at.TO_VELOCITY:
            fastest = max(fastest, abs(RF[line, row_at.GOAL]))
        elif RI[line, row_at.KIND] == row_at.TO_POSITION:
            wanted = abs(RF[line, row_at.GOAL] - axis_position(m, RI[line, row_at.CODE])) / APPROACH_TIME
            fastest = max(
                fastest, min(wanted, RF[line, row_at.TOP_SPEED]) if RF[line, row_at.TOP_SPEED] > 0.0 else wanted
            )
    return fastest


@compiled
def _breadth(rows: RowViews) -> float:
    """Largest rate of the dense row while no independent coordinate moves faster than 1."""
    total = 0.0
    for a in range(rows.window[0], rows.window[1]):
        total += abs(rows.K[rows.spare, a])
    return total


@compiled
def _is_held(m: MechanismViews, bounded: BoundedRows, RF: Floats2, r: int, code: int, dt: float) -> bool:
    """Whether the damper and spring of a loop axis are too stiff for the step, or are held already; asks then what they
    ask for."""
    line = bounded.line[r]
    if code < -m.loops.axis_kind.shape[0]:
        return _is_spring_held(m, bounded, RF, r, -1 - m.loops.axis_kind.shape[0] - code, dt)
    damping, stiffness = RF[line, row_at.DAMPING], RF[line, row_at.STIFFNESS]
    if RF[line, row_at.MOST] == 0.0 and not _is_any_fast(m, bounded, r, damping, stiffness, dt):
        return False
    RF[line, row_at.EFFORT] = stiffness * (RF[line, row_at.REFERENCE] - axis_position(m, code))
    bounded.rate[r] = rate(bounded, r, m.state.V)
    ask_servo(bounded, RF, r, dt)
    return True


@compiled
def _is_any_fast(m: MechanismViews, bounded: BoundedRows, r: int, damping: float, stiffness: float, dt: float) -> bool:
    """Whether the damper or the spring along row r is faster than the step."""
    mobility = bounded.response[r]
    faster = m.stiff.faster
    return is_fast(faster, dt, DAMPERS, damping, mobility) or is_fast(faster, dt, SPRINGS, stiffness, mobility)


@compiled
def _is_spring_held(m: MechanismViews, bounded: BoundedRows, RF: Floats2, r: int, s: int, dt: float) -> bool:
    """As `_is_held`, for a spring between points: its pull makes it shorter, and a table has a stiffness of its own at
    every length."""
    line = bounded.line[r]
    if RF[line, row_at.MOST] == 0.0:
        loads = m.loads
        length = spring_length(loads, m.state, s)
        force, slope = spring_force(loads, s, length)
        # The row is the rate of the length, and a pull shortens: the effort along it is minus the force.
        # A falling slope of a table is not stiff: it is left to the equations.
        RF[line, row_at.EFFORT], RF[line, row_at.STIFFNESS] = -force, max(slope, 0.0)
        RF[line, row_at.REFERENCE] = length
        if not _is_any_fast(m, bounded, r, RF[line, row_at.DAMPING], max(slope, 0.0), dt):
            return False
    bounded.rate[r] = rate(bounded, r, m.state.V)
    ask_servo(bounded, RF, r, dt)
    return True


@compiled
def take_held(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2) -> bool:
    """Efforts of dampers and springs that have rows are left to these; whether there are any."""
    found = False
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] == row_at.HELD:
            line = bounded.line[r]
            _set_passive(m.loops, m.loads, RI[line, row_at.CODE], 0.0, 0.0)
            RF[line, row_at.MOST] = UNBOUNDED
            found = True
    return found


@compiled
def _set_passive(loops: LoopViews, loads: LoadViews, code: int, damping: float, stiffness: float) -> None:
    """Damping and stiffness of an axis of a loop joint, or of a spring between points."""
    j = -1 - code
    axes = loops.passive.shape[0]
    if j < axes:
        loops.passive[j, 0], loops.passive[j, 1] = damping, stiffness
    else:
        loads.passive[j - axes, 0], loads.passive[j - axes, 1] = damping, stiffness


@compiled
def has_held(RI: Ints2, RF: Floats2) -> bool:
    """Whether `take_held` took any."""
    found = False
    for line in range(RI.shape[0]):
        found = found or (RI[line, row_at.KIND] == row_at.HELD and RF[line, row_at.MOST] != 0.0)
    return found


@compiled
def give_back_held(m: MechanismViews, RI: Ints2, RF: Floats2) -> None:
    """After the step, at fresh loop axes: undoes `take_held`; what springs keep was not lost."""
    flow = m.stages.flow
    loops = m.loops
    loads = m.loads
    state = m.state
    for line in range(RI.shape[0]):
        if RI[line, row_at.KIND] != row_at.HELD or RF[line, row_at.MOST] == 0.0:
            continue
        code = RI[line, row_at.CODE]
        damping = RF[line, row_at.DAMPING]
        stiffness = RF[line, row_at.STIFFNESS]
        RF[line, row_at.MOST] = 0.0
        s = -1 - m.loops.axis_kind.shape[0] - code
        if s >= 0:
            before = RF[line, row_at.REFERENCE]
            length = spring_length(loads, state, s)
            _set_passive(loops, loads, code, damping, 1.0 if loads.ends[s, 3] > 0 else stiffness)
            flow[TAKEN] -= spring_energy(loads, s, length) - spring_energy(loads, s, before)
            continue
        _set_passive(loops, loads, code, damping, stiffness)
        if stiffness != 0.0:
            effort = RF[line, row_at.EFFORT]
            after = stiffness * (RF[line, row_at.REFERENCE] - axis_position(m, code))
            # Stored energy of a spring by its efforts: (f1^2 - f0^2) / (2 k).
            flow[TAKEN] -= 0.5 * (after - effort) * (after + effort) / stiffness


@entry("motion")
def add_axis_rows(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2, dt: float) -> bool:
    """Rows of motors, dampers and springs to be held, friction, speed limits and of those stops that are near; False
    where there is no room for them."""
    driven = False
    fastest = _fastest(m, RI, RF)
    for line in range(RI.shape[0]):
        kind = RI[line, row_at.KIND]
        if kind >= row_at.FURTHER:
            continue
        driven = driven or kind <= row_at.SERVO
        gap = 0.0
        if kind < row_at.SPEED:
            r = _append(m, bounded, RI, RF, line)
        else:
            near, gap = _near(m, RI, RF, line, driven, fastest, dt)
            if not near:
                continue
            r = close_row(m, bounded, kind, line)
        if r == NO_SPACE:
            return False
        bounded.gap[r], bounded.drift[r] = gap, drift_of(m, RI, RF, line)
        if row_at.SERVO <= kind <= row_at.FRICTION:
            fastest = max(fastest, _complete_row(m, bounded, (RI, RF), r, dt))
    return True


@compiled
def _append(m: MechanismViews, bounded: BoundedRows, RI: Ints2, RF: Floats2, line: int) -> int:
    """Append the row of a line that is neither a speed limit nor a stop; returns its index, or NO_SPACE."""
    kind, code = RI[line, row_at.KIND], RI[line, row_at.CODE]
    r = COUPLED
    if code >= 0 and kind != row_at.SERVO:
        r = close_uncoupled_row(m, bounded, kind, line, code)
    if r == COUPLED:
        _line_row(m, RI, RF, line)
        r = close_row(m, bounded, kind, line)
    return r


@compiled
def _near(
    m: MechanismViews, RI: Ints2, RF: Floats2, line: int, driven: bool, fastest: float, dt: float
) -> tuple[bool, float]:
    """The dense row = that of a speed limit or a stop; whether it has a part in the step, and the gap of a stop."""
    kind = RI[line, row_at.KIND]
    rows, state = m.rows, m.state
    _line_row(m, RI, RF, line)
    ahead = abs(dense_product(rows, state.V)) + dt * abs(dense_product(rows, state.DV))
    if kind == row_at.SPEED:
        return driven or max(ahead, fastest * _breadth(rows)) >= 0.5 * RF[line, row_at.LIMIT], 0.0
    gap = axis_position(m, RI[line, row_at.CODE]) - RF[line, row_at.LIMIT]
    if kind == row_at.UPPER:
        gap = -gap
        row = rows.K[rows.spare, :]
        for a in range(rows.window[0], rows.window[1]):
            row[a] = -row[a]
    # An impact elsewhere may pass on the speed of whatever is fastest, times what the row can make of it.
    reach = REACH_STEPS * dt * max(ahead, fastest * _breadth(rows))
    return gap <= max(reach, REACH_DRIVEN if driven else 0.0), gap


@compiled
def _complete_row(m: MechanismViews, bounded: BoundedRows, lines: Table, r: int, dt: float) -> float:
    """What rows of servos, of what is held, of real couplings and of friction need beside their entries; one that is
    not to be held goes. Returns how fast a servo may be."""
    (RI, RF) = lines
    kind, line = bounded.kind[r], bounded.line[r]
    code = RI[line, row_at.CODE]
    fastest = 0.0
    if kind == row_at.HELD:
        if not _is_held(m, bounded, RF, r, code, dt):
            bounded.gathered[0] = r
        return fastest
    if kind == row_at.FRICTION:
        read_grip(m, RI, RF, line, dt)
        return fastest
    bounded.rate[r] = rate(bounded, r, m.state.V)
    if kind == row_at.MESH:
        bounded.gap[r] = axis_position(m, code)
        if cycle_of(RI, line) >= 0:
            RF[line, AHEAD] = rate(bounded, r, m.state.DV) + bounded.drift[r]
        read_grip(m, RI, RF, line, dt)
    elif kind == row_at.LOSS and cable_of(m, code) >= 0:
        lose_along_cable(m.cables, RF, line, cable_of(m, code), 0.5 * dt)
    elif kind == row_at.LOSS:
        read_losses(RI, RF, line, bounded.rate[r])
        play = play_of(m.loops, RI[line - 1, row_at.CODE])
        if play >= 0:
            lose_along_curve(RF, line, slope_ahead(m, play, 0.5 * dt))
        if cycle_of(RI, bounded.line[r - 1]) >= 0:
            read_cycle(RI, RF, bounded, r, axis_position(m, code), dt)
    else:
        fastest = ask_servo(bounded, RF, r, dt)
    return fastest
