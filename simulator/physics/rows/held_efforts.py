"""Efforts of bounded rows, held over a step, and their work by the rates that rows have before and after it; those of
motors and of friction that sticks grow in it (`rows.ramps`).

Along coordinates of the tree an effort keeps its direction. That of an axis of a loop joint, and of the play of a real
coupling along a curve, changes with the position: there the effort itself is held, on the axis, and every stage of a
step takes it to the coordinates. A rate J v of such
an axis has the derivative J v' + (dJ/dt) v; the second part is the row's drift. In a mechanism that moves in a plane
these axes are sums of angles, and J is constant, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.loops.loops import loop_axis_drift, play_of
from simulator.physics.rows.meshes import BESIDE
from simulator.physics.rows.ramps import may_grow, slope_now
from simulator.physics.rows.soft import stored
from simulator.physics.solver.rates import add_transposed, push, rate
from simulator.physics.solver.solve import DEPENDENT
from simulator.physics.tree.positions import add_effort

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews


@compiled
def _turns(m: MechanismViews, code: int) -> bool:
    """Whether the direction of an axis, by its code, changes within a step."""
    return -m.loops.axis_kind.shape[0] <= code < 0 and not m.tree.is_planar


@compiled
def factor_of_line(RI: Ints2, RF: Floats2, line: int) -> float:
    """By which the axis of a line has a part in the rate of its row."""
    kind = RI[line, row_at.KIND]
    factor = 1.0
    if kind in (row_at.SERVO, row_at.FURTHER):
        factor = RF[line, row_at.FACTOR]
    elif kind == row_at.UPPER:
        factor = -1.0
    return factor


@compiled
def end_of_line(RI: Ints2, line: int) -> int:
    """The line behind those that a row is made of."""
    line += 1
    while line < RI.shape[0] and RI[line, row_at.KIND] == row_at.FURTHER:
        line += 1
    return line


@compiled
def drift_of(m: MechanismViews, RI: Ints2, RF: Floats2, first: int) -> float:
    """What the rate of a row of axes, or of a play along a curve, changes by [1/s of it] while no coordinate
    accelerates; needs fresh loop motion."""
    drift = 0.0
    for line in range(first, end_of_line(RI, first)):
        if _turns(m, RI[line, row_at.CODE]):
            drift += factor_of_line(RI, RF, line) * loop_axis_drift(m.loops, -1 - RI[line, row_at.CODE])
    play = play_of(m.loops, RI[first, row_at.CODE])
    return drift if play < 0 else m.loops.along_play[play, 1]


@compiled
def _is_on_turning_axes(m: MechanismViews, RI: Ints2, first: int) -> bool:
    found = False
    for line in range(first, end_of_line(RI, first)):
        found = found or _turns(m, RI[line, row_at.CODE])
    return found


@compiled
def hold_efforts(m: MechanismViews, bounded: BoundedRows, lines: Table, dt: float) -> None:
    """The impulses of all rows as efforts over the step, DRIVE and LOSS, or LDRIVE and LLOSS on axes of loops: what
    they are at its start, and how they grow in it. DV is what the first make of it; STEP has the velocity that is
    expected at its end."""
    efforts = m.efforts
    grows = may_grow(bounded)
    for r in range(bounded.gathered[0]):
        kind, line = bounded.kind[r], bounded.line[r]
        if kind <= row_at.TO_POSITION:
            lines[1][line, row_at.EXPECTED] = rate(bounded, r, m.state.step)
        slope = slope_now(bounded, lines[1], r, dt) if grows else 0.0
        effort = bounded.impulse[r] / dt - 0.5 * dt * slope
        if kind == row_at.LOSS:
            effort += lines[1][line, BESIDE]
        if effort == 0.0 and slope == 0.0:
            continue
        driven = kind <= row_at.SERVO
        is_mesh = row_at.MESH <= kind <= row_at.LOSS
        play = play_of(m.loops, lines[0][line, row_at.CODE]) if is_mesh else -1
        if play >= 0:
            m.loops.along_play[play, 0] = m.loops.along_play[play, 2] = effort
            add_effort(m.tree.G, m.loops.play[play], effort, efforts.loss)
        elif kind <= row_at.UPPER and _is_on_turning_axes(m, lines[0], line):
            _hold_on_axes(m, lines, line, (effort, slope), driven)
        else:
            add_transposed(bounded, r, efforts.drive if driven else efforts.loss, effort)
            if slope != 0.0:
                add_transposed(bounded, r, efforts.drive_slope if driven else efforts.loss_slope, slope)
        push(bounded, r, m.state.DV, effort)


@compiled
def _hold_on_axes(m: MechanismViews, lines: Table, first: int, effort: tuple[float, float], driven: bool) -> None:
    """An effort and its slope on each axis of a row; those of the tree take theirs to the coordinates."""
    (RI, RF) = lines
    G = m.tree.G
    efforts = m.efforts
    loops = m.loops
    for line in range(first, end_of_line(RI, first)):
        factor = factor_of_line(RI, RF, line)
        code = RI[line, row_at.CODE]
        if code >= 0:
            add_effort(G, code, factor * effort[0], efforts.drive if driven else efforts.loss)
            add_effort(G, code, factor * effort[1], efforts.drive_slope if driven else efforts.loss_slope)
        elif driven:
            loops.drive[-1 - code] += factor * effort[0]
            loops.drive_slope[-1 - code] += factor * effort[1]
        else:
            loops.loss[-1 - code] += factor * effort[0]
            loops.loss_slope[-1 - code] += factor * effort[1]


@compiled
def clear_efforts(m: MechanismViews) -> None:
    """Clear the efforts of rows."""
    efforts, loops = m.efforts, m.loops
    for a in range(efforts.drive.shape[0]):
        efforts.drive[a] = efforts.loss[a] = 0.0
        efforts.drive_slope[a] = efforts.loss_slope[a] = 0.0
    for j in range(loops.drive.shape[0]):
        loops.drive[j] = loops.loss[j] = 0.0
        loops.drive_slope[j] = loops.loss_slope[j] = 0.0
    for i in range(loops.play.shape[0]):
        loops.along_play[i, 0] = loops.along_play[i, 2] = 0.0


@compiled
def energy_taken(bounded: BoundedRows) -> float:
    """Energy [J] that the impulses of all but motors took, from RATE of the rows to their rates NOW: each impulse times
    the mean of both, exact where H stays; 0 where it is rounding."""
    taken = size = 0.0
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] <= row_at.TO_POSITION:
            continue
        impulse, before = bounded.impulse[r], bounded.rate[r]
        now = bounded.now[r]
        taken -= 0.5 * impulse * (before + now)
        size += abs(impulse) * (abs(before) + abs(now))
    return taken if abs(taken) > DEPENDENT * size else 0.0


UNRESOLVED = 1e-6
"""Part of the energy of a step's impulses that is rounding of them."""


@compiled
def unresolved_energy(bounded: BoundedRows) -> float:
    """What is small beside the energies of a step [J]: a part of what the impulse x of each row that only takes energy
    would give bodies at rest by itself, x² w / 2 with w = J H⁻¹ Jᵀ. Where bodies lie still, that is what gravity gives
    them in a step."""
    energy = 0.0
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] > row_at.SERVO:
            impulse = bounded.impulse[r]
            energy += 0.5 * impulse * impulse * bounded.response[r]
    return UNRESOLVED * energy


@compiled
def limits_push(bounded: BoundedRows) -> bool:
    """Whether a stop or a speed limit acted in the step."""
    pushes = False
    for r in range(bounded.gathered[0]):
        pushes = pushes or (row_at.SPEED <= bounded.kind[r] <= row_at.UPPER and bounded.impulse[r] != 0.0)
    return pushes


@compiled
def contact_work(bounded: BoundedRows, CF: Floats2) -> tuple[float, float]:
    """Work [J] of the impulses of contacts, likewise, and that part of it in which each point takes energy, or gives
    back what it stored as it was pressed in: one that gave more did so by an error of the step, which the balance is to
    show."""
    total = taken = mine = most = 0.0
    for r in range(bounded.gathered[0]):
        kind = bounded.kind[r]
        if kind >= row_at.NORMAL:
            if kind == row_at.NORMAL:
                taken = taken + min(mine, most)
                mine = 0.0
                most = stored(CF, bounded.line[r])
            rates = bounded.rate[r] + bounded.now[r]
            work = 0.5 * bounded.impulse[r] * rates
            total, mine = total + work, mine + work
    return total, taken + min(mine, most)
