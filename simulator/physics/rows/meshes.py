"""Real couplings: what they carry and what they lose, as rows between bounds.

A real coupling is no part of G. Its play z = Σ a_i q_i - b, which the law would keep at zero, is held by an effort Λ
along it: Λ on the follower and -m Λ on its leader. Of rigid teeth without play Λ is what keeps ż at zero; with a play
of half width h it keeps z between -h and h, as two stops do, and it pushes at one flank alone; of what gives way, with
stiffness k and damping d, it is a force of the motion, - k z - d ż (compliance), or with play k and d of how far a
flank is pressed in, never pulling (an elastic contact without adhesion; so is Modelica's ElastoBacklash).

A freewheel and a clutch are such a row with bounds. Of a freewheel Λ pushes (or pulls, by its direction) without
bound, and not the other way: where ż is above zero, Λ is zero. Of a clutch Λ is dry friction against ż, at most what
its faces hold (`rows.grips`): it sticks until that takes more. Of both side by side, Modelica's OneWayClutch, Λ has one
bound of each. A ratchet is the stop at the last tooth that z has passed. All are judged with the impulses of all other
rows, so that what sticks, sticks exactly, and a freewheel that meets its load does so with the momentum of both sides.

Losses act on the rate l = m q̇ of the leader's side, in the unit of the follower. Of the power Λ l that goes in
forwards, Λ l > 0, the share η arrives: besides Λ the leader has to give (1/η - 1) |Λ|. Of the power that comes back
from the follower, Λ l < 0, the share η' arrives: (1 - η') |Λ| of it is taken. Beside the load bearings take efforts b
and b':

    R(Λ, l) = (1/η - 1) |Λ| + b  forwards,    (1 - η') |Λ| + b'  backwards

is the effort against the motion (where b and b' differ, the drag passes from one to the other while |Λ| is below their
difference, so that R does not jump), and while l is zero it is whatever keeps it so, between - R(Λ, +) and R(Λ, -):
three modes, rolling forward, rolling backward and stuck (Pelchen, Schweiger and Otter, Modeling and Simulating the
Efficiency of Gearboxes and of Planetary Gearboxes, 2002). It is Coulomb friction whose normal force is what the mesh
carries, and it is solved together with that and all other rows (`solver.newton`): sticking is exact.

A stiffness k(s) that depends on the position s of the leader, as that of teeth over the cycle of their mesh, stores
V = k(s) z² / 2. Besides Λ = - k z - d ż along z that is an effort on the leader,

    - ∂V/∂s = - k'(s) z² / 2,

without which turning a loaded mesh would make energy: over a period of s at a constant z it is the work that the spring
gives and takes. Both efforts are those of the discrete gradient of V (Gonzalez, Time integration and discrete
Hamiltonian systems, 1996), with the means of k and of z² over the step and the secant of k. s and z at its end are
foretold, and then follow from the rates that come of the solution, which is found again until they do
(`step.resolve.resolve_tooth_stiffness`). So energy is right to rounding where inertias are constant; the motion is of
second order, kinks of the table included.

Whether the solution is unique. Let the leader's side feel like the inertia J and the follower's, in the same unit, like
J', with nothing but the coupling between them. Then J a = τ - Λ - R and Λ = J' a - τ'. Λ + R(Λ) rises with Λ as long as
1 - η' <= 1, so J a + Λ + R(Λ) = τ has one solution for all efficiencies from 0 to 1, and so has a chain of such gears.
A thread may have η' < 0; beyond (1 - η') J' = J + J' a driven side whose inertia is large meets Painleve's paradox, and
so may gears one of which carries the other: there are two solutions, or none without an impulse. Impulses over a step
have one, that which jams at once (`solver.newton`).

Efforts are constant over a step, at whose end rigid teeth without play are brought to one rate (`step.meshes`). Λ
anticipates what the step before missed of that, so that it is that of the middle of the step, and with it the losses:
of second order, while smooth. In the step in which l changes its sign, they are
those of both ways, each for its part of the step (`step.resolve`), so that a change of mode costs an error of second
order, too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row
from simulator.physics.rows.servos import servo_law
from simulator.physics.solver.rates import push, rate
from simulator.physics.solver.solve import UNBOUNDED

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints2
    from simulator.physics.layout.bounded import BoundedRows

HALF, STIFFNESS, DAMPING, RESTITUTION, MISSED, WAY, PITCH, MOST, PEAK = range(9)
"""Numbers of the line of a mesh: MISSED is by how much constant efforts miss the rate that rigid teeth have [rad/s or
m/s], as the last step has shown; WAY and PITCH the direction and the teeth of a freewheel, 0 without; MOST the largest
effort against a slip, infinite where nothing slips, and PEAK how many times that sticks."""
HELD = 11
"""Of the line of a mesh: whether its sides had one rate in the last step, if it can slip."""
AHEAD = 12
"""Of the line of a mesh whose stiffness varies: the acceleration along its play without efforts of rows."""
PER_RATE, SHARE, SHARE_BACK, DRAG, DRAG_BACK = 0, 1, 2, 3, 4
"""Numbers of the line of losses; the last four are read off their table in each step."""
FORWARD_IN, FORWARD_OUT, BACKWARD_IN, BACKWARD_OUT = 5, 6, 7, 8
"""Of the line of losses: energy [J] that went into the coupling and came out of it since the start, where power flowed
forwards and backwards."""
SLOPE = 12
"""Of the line of losses: how fast the follower is for a unit of the rate of the input by a law that is a curve, in the
middle of the step; 1 where the input is in the unit of the follower."""
BESIDE = 11
"""Of the line of losses: effort along the input of a stiffness that varies with its position, constant on the step."""
PERIOD, PER_POSITION, STIFFNESS_NOW = 0, 1, 2
"""Numbers of the line of a cycle."""
SPEED, FORWARD, BACKWARD, EFFORT, EFFORT_BACK = 0, 1, 2, 3, 4
"""Numbers of a line of such a table."""


@compiled
def gives(RF: Floats2, line: int) -> bool:
    """Whether the mesh of a line gives way."""
    return bool(RF[line, STIFFNESS] > 0.0 or RF[line, DAMPING] > 0.0)


@compiled
def is_rigid(RF: Floats2, line: int) -> bool:
    """Whether the mesh of a line has neither play nor elasticity, nor teeth that a pawl passes."""
    return bool(RF[line, HALF] == 0.0 and RF[line, PITCH] == 0.0 and not gives(RF, line))


@compiled
def has_stops(RF: Floats2, line: int) -> bool:
    """Whether the play of the mesh of a line ends at rigid flanks, or at a pawl."""
    return bool((RF[line, HALF] > 0.0 or RF[line, PITCH] > 0.0) and not gives(RF, line))


@compiled
def holds_now(RF: Floats2, line: int) -> bool:
    """Whether the mesh of a line has both its sides at one rate."""
    return bool(is_rigid(RF, line) and (RF[line, MOST] == UNBOUNDED or RF[line, HELD] != 0.0))


@compiled
def holds_rate(bounded: BoundedRows, RF: Floats2, r: int) -> bool:
    """Whether the mesh of row r has both its sides at one rate at the impulses at hand: no freewheel that is overrun,
    no clutch that slips."""
    inside = 1.0 - row_at.LOCKED
    sticks = inside * bounded.low[r] < bounded.impulse[r] < inside * bounded.high[r]
    return bool(sticks and is_rigid(RF, bounded.line[r]))


@compiled
def range_of_play(RF: Floats2, line: int, z: float) -> tuple[float, float]:
    """From where to where the play of a mesh may go that is at z [rad or m]. A pawl falls a millionth of a pitch before
    a tooth, for what lies on one is as far before it as after it by rounding."""
    pitch = RF[line, PITCH]
    if pitch > 0.0:
        tooth = pitch * math.floor(RF[line, WAY] * z / pitch + EARLY)
        return (tooth, UNBOUNDED) if RF[line, WAY] > 0.0 else (-UNBOUNDED, -tooth)
    return -RF[line, HALF], RF[line, HALF]


EARLY = 1e-6
"""Part of a pitch before a tooth at which a pawl falls."""


@compiled
def flanks(bounded: BoundedRows, RF: Floats2, r: int) -> tuple[float, float]:
    """How far the play of a mesh may still go down and up [rad or m]."""
    z = bounded.gap[r]
    least, most = range_of_play(RF, bounded.line[r], z)
    return max(z - least, 0.0), max(most - z, 0.0)


@compiled
def ask_mesh(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> None:
    """Bounds and targets of what a mesh carries over a step of `dt` [s]; RATE of its row is known."""
    line = bounded.line[r]
    bounded.soft[r] = 0.0
    if gives(RF, line):
        _ask_elastic(bounded, RF, r, dt)
        return
    least, most = _allowed_rates(bounded, RF, r, dt)
    least -= dt * bounded.drift[r]
    most -= dt * bounded.drift[r]
    slips = dt * RF[line, MOST]
    if abs(bounded.rate[r]) <= STICKS:
        slips *= RF[line, PEAK]
    _ask_of_mesh(bounded, RF, r, slips, (least, most))


@compiled
def _ask_of_mesh(bounded: BoundedRows, RF: Floats2, r: int, slips: float, rates: tuple[float, float]) -> None:
    """Bounds and targets of a mesh between whose sides up to that impulse acts against a slip: more in the direction
    that a freewheel holds."""
    low = -slips
    high = slips
    way = RF[bounded.line[r], WAY]
    if way > 0.0:
        high = UNBOUNDED
    elif way < 0.0:
        low = -UNBOUNDED
    ask_of_row(bounded, r, low, high, rates[0])
    bounded.most[r] = rates[1]


STICKS = 1e-9
"""A clutch that slips less [rad/s or m/s] sticks."""


@compiled
def _allowed_rates(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> tuple[float, float]:
    """The least and the largest rate that rigid teeth may have at the end of a step."""
    line = bounded.line[r]
    least = most = -RF[line, MISSED]
    if has_stops(RF, line):
        # As stops: the play moves dt times the mean of both rates, and that is to be no more than what is left.
        down, up = flanks(bounded, RF, r)
        before = bounded.rate[r]
        least = -2.0 * down / dt - before
        most = 2.0 * up / dt - before
    return least, most


@compiled
def _ask_elastic(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> None:
    """As `ask_mesh`, where it gives way: an effort that goes along with the motion, see `rows.servos`; with play,
    from the moment on at which a flank is reached, and away from it alone."""
    line = bounded.line[r]
    weight, now = bounded.response[r], bounded.rate[r]
    z = bounded.gap[r]
    half = RF[line, HALF]
    low = -UNBOUNDED
    high = UNBOUNDED
    pressed = z
    touching = dt
    if half > 0.0:
        # The flank that is pressed in, or the one ahead.
        side = math.copysign(1.0, z if abs(z) > half else now)
        pressed = z - side * half
        if side * pressed < 0.0:
            touching = dt + side * pressed / abs(now) if now != 0.0 else 0.0
            pressed = 0.0
        low = -UNBOUNDED if side > 0.0 else 0.0
        high = 0.0 if side > 0.0 else UNBOUNDED
    if touching <= 0.0 or weight <= 0.0:
        low = high = 0.0
    target = now
    if low < high:
        first, later = servo_law(RF[line, STIFFNESS], RF[line, DAMPING], weight, touching)
        bounded.soft[r] = 1.0 / (touching * later)
        target = now - (RF[line, STIFFNESS] * pressed + first * now) / later - dt * bounded.drift[r]
    ask_of_row(bounded, r, low, high, target)
    bounded.most[r] = target


@compiled
def ask_coupling_of_impact(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> None:
    """Bounds and target of a row of a real coupling for impulses at the start of a step."""
    if bounded.kind[r] == row_at.MESH:
        _ask_mesh_of_impact(bounded, RF, r, dt)
    else:
        ask_loss(bounded, RF, r, 0.0)


@compiled
def _ask_mesh_of_impact(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> None:
    """Bounds and targets of an instant at the start of the step: what gives way or slips has no time to push; a flank
    or tooth that is hit throws back with the restitution of the line."""
    line = bounded.line[r]
    bounded.soft[r] = 0.0
    slips = 0.0 if gives(RF, line) or RF[line, MOST] < UNBOUNDED else UNBOUNDED
    least = most = 0.0
    if has_stops(RF, line):
        down, up = flanks(bounded, RF, r)
        now = bounded.rate[r]
        least = -down / dt
        most = up / dt
        if closes_mesh(bounded, RF, r, dt):
            back = -RF[line, RESTITUTION] * now
            least = max(least, back) if now < 0.0 else least
            most = min(most, back) if now > 0.0 else most
    _ask_of_mesh(bounded, RF, r, slips, (least, most))
    bounded.asked[r] = least


@compiled
def closes_mesh(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> bool:
    """Whether the rigid teeth of a mesh with play would go through each other in a step, or a freewheel turns the way
    that it holds, at the RATE of its row."""
    now = abs(bounded.rate[r])
    return bool(closing_rate(bounded, RF, r, dt) > ROUNDED * (1.0 + now))


@compiled
def closing_rate(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> float:
    """By how much the RATE of a mesh with play and rigid teeth is more than takes them together in a step, and that of
    a freewheel beyond 0; below 0 of other meshes."""
    line, now = bounded.line[r], bounded.rate[r]
    if not has_stops(RF, line):
        return -RF[line, WAY] * now if RF[line, WAY] != 0.0 else -1.0
    down, up = flanks(bounded, RF, r)
    return abs(now) - (down if now < 0.0 else up) / dt


ROUNDED = 1e-13
"""Part of a rate that is rounding."""


@compiled
def ask_loss(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> None:
    """Bounds of losses over a step of `dt` [s], or at an instant (0), where drag has no time."""
    line = bounded.line[r]
    bounded.share[r] = RF[line, SHARE]
    bounded.share_back[r] = RF[line, SHARE_BACK]
    bounded.drag[r] = dt * RF[line, DRAG]
    bounded.drag_back[r] = dt * RF[line, DRAG_BACK]
    bounded.turns[r] = 0.0
    bounded.passes[r] = abs(RF[line, SLOPE])
    bounded.soft[r] = 0.0
    # A mesh that cannot push loses nothing but drag.
    loses = bounded.share[r] != 0.0 or bounded.share_back[r] != 0.0 or RF[line, DRAG] > 0.0 or RF[line, DRAG_BACK] > 0.0
    bound = UNBOUNDED if loses else 0.0
    ask_of_row(bounded, r, -bound, bound, 0.0)


@compiled
def read_losses(RI: Ints2, RF: Floats2, line: int, rate: float) -> None:
    """Losses of a line at the present rate of its input, from its table."""
    speed = RF[line, PER_RATE] * abs(rate)
    last = line + 1
    while last + 1 < RI.shape[0] and RI[last + 1, row_at.KIND] == row_at.TABLE:
        last += 1
    below = line + 1
    while below < last and RF[below + 1, SPEED] <= speed:
        below += 1
    above = min(below + 1, last)
    share = 0.0
    if above > below:
        share = max(speed - RF[below, SPEED], 0.0) / (RF[above, SPEED] - RF[below, SPEED])
    forward = RF[below, FORWARD] + share * (RF[above, FORWARD] - RF[below, FORWARD])
    backward = RF[below, BACKWARD] + share * (RF[above, BACKWARD] - RF[below, BACKWARD])
    drag = RF[below, EFFORT] + share * (RF[above, EFFORT] - RF[below, EFFORT])
    drag_back = RF[below, EFFORT_BACK] + share * (RF[above, EFFORT_BACK] - RF[below, EFFORT_BACK])
    RF[line, SHARE] = 1.0 / forward - 1.0
    RF[line, SHARE_BACK] = 1.0 - backward
    # An effort E at the leader is E times its speed per rate at that rate.
    RF[line, DRAG] = RF[line, PER_RATE] * drag
    RF[line, DRAG_BACK] = RF[line, PER_RATE] * drag_back
    RF[line, SLOPE] = 1.0


@compiled
def lose_along_curve(RF: Floats2, line: int, slope: float) -> None:
    """Losses of a line, as `read_losses` leaves them, of a coupling whose law is a curve with that slope f': its input
    is the leader's rate l itself, at which Λ has the power Λ f' l. So the leader gives |f'| times what is lost of Λ,
    which is nothing where the follower rests, and power that flows forwards has the other sign of Λ l where f' < 0."""
    RF[line, SLOPE] = slope
    RF[line, SHARE] *= abs(slope)
    RF[line, SHARE_BACK] *= abs(slope)
    if slope < 0.0:
        RF[line, SHARE], RF[line, SHARE_BACK] = RF[line, SHARE_BACK], RF[line, SHARE]
        RF[line, DRAG], RF[line, DRAG_BACK] = RF[line, DRAG_BACK], RF[line, DRAG]


@compiled
def cycle_of(RI: Ints2, line: int) -> int:
    """The line of the cycle of a mesh's stiffness; -1 where that is constant. `line`: the mesh's."""
    behind = line + 2
    if behind >= RI.shape[0] or RI[line + 1, row_at.KIND] != row_at.LOSS:
        return -1
    while behind < RI.shape[0] and RI[behind, row_at.KIND] == row_at.TABLE:
        behind += 1
    return behind if behind < RI.shape[0] and RI[behind, row_at.KIND] == row_at.CYCLE else -1


@compiled
def stiffness_at(points: Floats2, first: int, last: int, period: float, position: float) -> tuple[float, float]:
    """Stiffness and its derivative by the position, of the table (position, stiffness) in rows `first` to `last`."""
    if period > 0.0:
        position -= period * math.floor((position - points[first, 0]) / period)
    if position < points[first, 0]:
        return points[first, 1], 0.0
    if position >= points[last, 0]:
        return points[last, 1], 0.0
    below = first
    above = last
    while above - below > 1:
        middle = (below + above) // 2
        if points[middle, 0] <= position:
            below = middle
        else:
            above = middle
    slope = (points[above, 1] - points[below, 1]) / (points[above, 0] - points[below, 0])
    return points[below, 1] + slope * (position - points[below, 0]), slope


@compiled
def _stiffness_of_cycle(RI: Ints2, RF: Floats2, cycle: int, position: float) -> tuple[float, float]:
    """As `stiffness_at`, at a position of the leader."""
    last = cycle + 1
    while last + 1 < RI.shape[0] and RI[last + 1, row_at.KIND] == row_at.POINT_OF_CYCLE:
        last += 1
    return stiffness_at(RF, cycle + 1, last, RF[cycle, PERIOD], position)


@compiled
def read_cycle(RI: Ints2, RF: Floats2, bounded: BoundedRows, r: int, position: float, dt: float) -> None:
    """The stiffness of a mesh that varies over a step of `dt` [s], and its effort BESIDE, as they are foretold; r: the
    row behind the mesh's, at that position of the input. RATE of both rows is known."""
    mesh = bounded.line[r - 1]
    cycle = cycle_of(RI, mesh)
    z, now, weight = bounded.gap[r - 1], bounded.rate[r - 1], bounded.response[r - 1]
    _write_cycle(RI, RF, cycle, mesh, (position, dt * bounded.rate[r]), (z, z))
    change = 0.0
    if weight > 0.0:
        stiffness = RF[mesh, STIFFNESS]
        first, later = servo_law(stiffness, RF[mesh, DAMPING], weight, dt)
        change = dt * (RF[mesh, AHEAD] - weight * (stiffness * z + first * now)) / (1.0 + dt * weight * later)
    _write_cycle(RI, RF, cycle, mesh, (position, dt * bounded.rate[r]), (z, z + dt * (now + 0.5 * change)))


@compiled
def follow_cycle(
    RI: Ints2, RF: Floats2, bounded: BoundedRows, r: int, position: float, vector: Floats, dt: float
) -> bool:
    """As `read_cycle`, from the velocities at the end of the step that `vector` has, with the target of the mesh for
    that; whether anything is other than it was."""
    loss = bounded.line[r]
    mesh = bounded.line[r - 1]
    cycle = cycle_of(RI, mesh)
    stiffness, beside = RF[mesh, STIFFNESS], RF[loss, BESIDE]
    z = bounded.gap[r - 1]
    way = 0.5 * dt * (bounded.rate[r] + rate(bounded, r, vector))
    then = z + 0.5 * dt * (bounded.rate[r - 1] + rate(bounded, r - 1, vector))
    _write_cycle(RI, RF, cycle, mesh, (position, way), (z, then))
    now = RF[mesh, STIFFNESS]
    push(bounded, r, bounded.unpushed, dt * (RF[loss, BESIDE] - beside))
    ask_mesh(bounded, RF, r - 1, dt)
    scale = now * max(abs(z), abs(then))
    differs = abs(now - stiffness) > FOLLOWED * now or abs(RF[loss, BESIDE] - beside) > FOLLOWED * scale
    return bool(differs)


FOLLOWED = 1e-14
"""Part of a stiffness, or of what it pushes with, that is no change of it."""


@compiled
def _write_cycle(
    RI: Ints2,
    RF: Floats2,
    cycle: int,
    mesh: int,
    moves: tuple[float, float],
    plays: tuple[float, float],
) -> None:
    """STIFFNESS of a mesh = its mean over a step in which the input `moves` from a position by a way, and BESIDE = the
    secant's effort, where the play goes from the first to the second of `plays`."""
    per = RF[cycle, PER_POSITION]
    place = per * moves[0]
    way = per * moves[1]
    before, slope = _stiffness_of_cycle(RI, RF, cycle, place)
    after, _ = _stiffness_of_cycle(RI, RF, cycle, place + way)
    if abs(way) > SECANT * (1.0 + abs(place)):
        slope = (after - before) / way
    RF[cycle, STIFFNESS_NOW], RF[mesh, STIFFNESS] = before, 0.5 * (before + after)
    RF[mesh + 1, BESIDE] = -0.25 * per * slope * (plays[0] * plays[0] + plays[1] * plays[1])


SECANT = 1e-8
"""Ways of the leader in a step [rad or m, as a part of one above 1] that are shorter have the slope of the table at
their start, for a secant would be rounding."""


@compiled
def push_cycles(bounded: BoundedRows, RF: Floats2, vector: Floats, dt: float) -> None:
    """Velocities += what efforts BESIDE give over a step of `dt` [s]: they are known before any impulse."""
    for r in range(bounded.gathered[0]):
        if bounded.kind[r] == row_at.LOSS and RF[bounded.line[r], BESIDE] != 0.0:
            push(bounded, r, vector, dt * RF[bounded.line[r], BESIDE])


@compiled
def stored_by_mesh(RF: Floats2, line: int, stiffness: float, z: float) -> float:
    """Energy [J] that the mesh of a line stores with that stiffness and play."""
    pressed = max(abs(z) - RF[line, HALF], 0.0)
    return 0.5 * stiffness * pressed * pressed


@compiled
def stiffnesses(RI: Ints2, RF: Floats2, line: int, position: float) -> tuple[float, float]:
    """Stiffness of a mesh whose stiffness varies at the start of the step, and at a position of its input."""
    cycle = cycle_of(RI, line)
    return RF[cycle, STIFFNESS_NOW], _stiffness_of_cycle(RI, RF, cycle, RF[cycle, PER_POSITION] * position)[0]
