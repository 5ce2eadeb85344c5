"""Forces, moments and springs between points, in the equations of motion. `kinematics.loads` says the same in numpy,
and has the formulas.

A wrench w on a node, about the node's origin, is taken off the force f = I a + v x* I v that the node's joint has to
pass on, so that the bias efforts of all freedoms know it (`find_bias`). Profiles are evaluated at the time of every
stage of a step, TIME; at both ends of a step by EDGE of its length inside it, so that a jump between two steps counts
for neither of them by half.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import compiled, opener, view
from simulator.physics.algebra.vectors import cross, minus, rotation_of, turn
from simulator.physics.layout import buffers as at
from simulator.physics.layout.buffers import int_start, size, start
from simulator.physics.tree.load_tables import (
    CHIRP,
    FORCE_NUMBERS,
    LINK,
    PIECE_NUMBERS,
    PROFILE_NUMBERS,
    RAMP,
    SINE,
    SPRING_NUMBERS,
    STEP,
    TABLE,
    WEIGHT,
)

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Ints2, Rotation, Vector
    from simulator.physics.tree.views import StateViews


class LoadViews(NamedTuple):
    """`time`: of the profiles now, and when the step began [s].

    Of a force: `target`, its node and its kind; `force`, its point in the node and the rotation of its axes; `wrench`,
    what it is now, about the node's origin in world axes (moment, force). Component c of force k has the profile 6 k +
    c: `profile_kind`, the kind with the first row and the number of rows of its table, `profile` its numbers; `pieces`:
    rows of tables.

    Of a spring: `ends`, both nodes (-1 for the world) with the first row and the number of rows of its table;
    `springs`, both points in their nodes and what it is now (see `tree.loads`); `passive`, damping, stiffness and
    free length; `spring_rows`: lengths, forces and energies of tables.
    """

    time: Floats
    target: Ints2
    force: Floats2
    wrench: Floats2
    profile_kind: Ints2
    profile: Floats2
    pieces: Floats2
    ends: Ints2
    springs: Floats2
    passive: Floats2
    spring_rows: Floats2


@opener
def open_loads(F: Floats, N: Ints) -> LoadViews:
    """Views of the loads."""
    forces, springs = N[at.FORCES], N[at.SPRINGS]
    profiles = size(N, at.F_PROFILE) // PROFILE_NUMBERS
    pieces = size(N, at.F_PROFILE_TABLE) // PIECE_NUMBERS
    spring_rows = size(N, at.F_SPRING_TABLE) // 3
    return LoadViews(
        time=view(F, start(N, at.F_TIME), (2,)),
        target=view(N, int_start(N, at.I_LOAD), (forces, 2)),
        force=view(F, start(N, at.F_LOAD), (forces, FORCE_NUMBERS)),
        wrench=view(F, start(N, at.F_LOAD_NOW), (forces, 6)),
        profile_kind=view(N, int_start(N, at.I_PROFILE), (profiles, 3)),
        profile=view(F, start(N, at.F_PROFILE), (profiles, PROFILE_NUMBERS)),
        pieces=view(F, start(N, at.F_PROFILE_TABLE), (pieces, PIECE_NUMBERS)),
        ends=view(N, int_start(N, at.I_SPRING), (springs, 4)),
        springs=view(F, start(N, at.F_SPRING), (springs, SPRING_NUMBERS)),
        passive=view(F, start(N, at.F_LPASSIVE) + 3 * N[at.LOOP_AXES], (springs, 3)),
        spring_rows=view(F, start(N, at.F_SPRING_TABLE), (spring_rows, 3)),
    )


EDGE = 1e-6
"""Part of a step by which profiles are evaluated inside of it at its ends: 1e-9 s of a millisecond, far above rounding
of the time."""
TURN = 2.0 * math.pi
# Of a spring now, behind its points: length, its rate, direction from the first end to the second, arms of both ends in
# the world.
LENGTH, RATE, ALONG, ARM = 6, 7, 8, 11
POINT, TURNED = 0, 3
"""Of a force: its point in the node, and the rotation of its axes."""


@compiled
def start_step(loads: LoadViews, time: float) -> None:
    """The next step begins at `time` [s]."""
    now = loads.time
    now[0] = now[1] = time


@compiled
def set_stage(loads: LoadViews, dt: float, share: float) -> None:
    """The time of the profiles: after `share` of the step of `dt` [s]."""
    now = loads.time
    # A jump at the very end of a step belongs to the next one, and one at its start to this one.
    now[0] = now[1] + dt * min(max(share, EDGE), 1.0 - EDGE)


@compiled
def end_step(loads: LoadViews, dt: float) -> None:
    """The next step begins where this one of `dt` [s] ends."""
    now = loads.time
    now[1] += dt
    now[0] = now[1]


@compiled
def profile_value(loads: LoadViews, p: int, time: float) -> float:
    """A profile at a time, as `model.profiles` has it; `p`: its number."""
    numbers = loads.profile
    t = max(time, 0.0)
    kind = loads.profile_kind[p, 0]
    value = numbers[p, 0]
    if kind == SINE:
        value = numbers[p, 2] + numbers[p, 0] * math.sin(TURN * numbers[p, 1] * t + numbers[p, 3])
    elif kind == RAMP:
        value = numbers[p, 0] + (numbers[p, 1] - numbers[p, 0]) * min(t / numbers[p, 2], 1.0)
    elif kind == STEP:
        value = numbers[p, 1] if time >= numbers[p, 2] else numbers[p, 0]
    elif kind == CHIRP:
        sweep = min(t, numbers[p, 3])
        # Phase of a chirp: the integral of f0 + (f1 - f0) t / T, which continues with f1 after T.
        cycles = numbers[p, 1] * sweep + 0.5 * (numbers[p, 2] - numbers[p, 1]) * sweep * sweep / numbers[p, 3]
        value = numbers[p, 4] + numbers[p, 0] * math.sin(TURN * (cycles + numbers[p, 2] * (t - sweep)))
    elif kind == TABLE:
        value = _on_piece(loads.pieces, loads.profile_kind[p, 1], loads.profile_kind[p, 2], time)
    return value


@compiled
def _on_piece(pieces: Floats2, first: int, count: int, time: float) -> float:
    """The polynomial of the piece at a time, of `count` rows from `first` on; constant outside."""
    last = first + count - 1
    if time >= pieces[last, 0]:
        return pieces[last, 1]
    if time <= pieces[first, 0]:
        return pieces[first, 1]
    r = _row_before(pieces, first, count, time)
    s = time - pieces[r, 0]
    rest = pieces[r, 3] + s * (pieces[r, 4] + s * (pieces[r, 5] + s * pieces[r, 6]))
    return pieces[r, 1] + s * (pieces[r, 2] + s * rest)


@compiled
def _row_before(rows: Floats2, first: int, count: int, x: float) -> int:
    """The last of `count` rows from `first` on that begins with at most x; x is inside of the first and the last."""
    low = first
    high = first + count - 1
    # Bisection, with rows[low] <= x < rows[high] throughout.
    while high - low > 1:
        middle = (low + high) // 2
        if rows[middle, 0] <= x:
            low = middle
        else:
            high = middle
    return low


@compiled
def _between(rows: Floats2, first: int, count: int, x: float) -> float:
    """Straight lines through `count` rows from `first` on, place and value of each; constant outside."""
    if x <= rows[first, 0]:
        return rows[first, 1]
    last = first + count - 1
    if x >= rows[last, 0]:
        return rows[last, 1]
    a = _row_before(rows, first, count, x)
    b = a + 1
    return rows[a, 1] + (rows[b, 1] - rows[a, 1]) * (x - rows[a, 0]) / (rows[b, 0] - rows[a, 0])


# -- forces ------------------------------------------------------------------------------------------------------------


@compiled
def apply_loads(loads: LoadViews, state: StateViews) -> None:
    """Force of nodes -= the wrenches of all loads, at fresh poses and velocities. Keeps what they are for
    `load_powers`."""
    for load in range(loads.target.shape[0]):
        _apply_force(loads, state, load)
    for s in range(loads.ends.shape[0]):
        _apply_spring(loads, state, s)


@compiled
def _apply_force(loads: LoadViews, state: StateViews, load: int) -> None:
    i = loads.target[load, 0]
    wrench = loads.wrench
    for c in range(6):
        wrench[load, c] = profile_value(loads, 6 * load + c, loads.time[0])
    R = rotation_of(state.R, i)
    moment = wrench[load, 0], wrench[load, 1], wrench[load, 2]
    force = wrench[load, 3], wrench[load, 4], wrench[load, 5]
    if loads.target[load, 1] == LINK:
        axes = _axes_of_force(loads, load)
        moment, force = turn(R, turn(axes, moment)), turn(R, turn(axes, force))
    # About the node's origin: n + a x f.
    more = cross(turn(R, _point_of_force(loads, load)), force)
    wrench[load, 0], wrench[load, 1], wrench[load, 2] = moment[0] + more[0], moment[1] + more[1], moment[2] + more[2]
    wrench[load, 3], wrench[load, 4], wrench[load, 5] = force
    for c in range(6):
        state.force[i, c] -= wrench[load, c]


@compiled
def _point_of_force(loads: LoadViews, load: int) -> Vector:
    """Where it acts, in its node."""
    return loads.force[load, POINT], loads.force[load, POINT + 1], loads.force[load, POINT + 2]


@compiled
def _axes_of_force(loads: LoadViews, load: int) -> Rotation:
    """The axes that it is in, in its node."""
    f = loads.force
    return (
        f[load, TURNED], f[load, TURNED + 1], f[load, TURNED + 2],
        f[load, TURNED + 3], f[load, TURNED + 4], f[load, TURNED + 5],
        f[load, TURNED + 6], f[load, TURNED + 7], f[load, TURNED + 8],
    )  # fmt: skip


@compiled
def load_powers(loads: LoadViews, state: StateViews) -> tuple[float, float]:
    """Power of forces and moments, and what the dampers of springs take [W]; needs a fresh `apply_loads`. Weights do no
    work: they have potential energy."""
    work = taken = 0.0
    for load in range(loads.target.shape[0]):
        if loads.target[load, 1] != WEIGHT:
            i = loads.target[load, 0]
            for c in range(6):
                # Power of a wrench on a twist, both about the node's origin.
                work += state.velocity[i, c] * loads.wrench[load, c]
    for s in range(loads.ends.shape[0]):
        rate = loads.springs[s, RATE]
        taken += loads.passive[s, 0] * rate * rate
    return work, taken


# -- springs -----------------------------------------------------------------------------------------------------------


@compiled
def _end(loads: LoadViews, state: StateViews, s: int, side: int) -> tuple[Vector, Vector]:
    """Arm in the world from the origin of its node, and place, of an end of a spring."""
    i = loads.ends[s, side]
    o = 3 * side
    point = loads.springs[s, o], loads.springs[s, o + 1], loads.springs[s, o + 2]
    # An end on the world is a place; one on a node is an arm that turns with it.
    if i < 0:
        return (0.0, 0.0, 0.0), point
    arm = turn(rotation_of(state.R, i), point)
    return arm, (state.p[i, 0] + arm[0], state.p[i, 1] + arm[1], state.p[i, 2] + arm[2])


@compiled
def spring_length(loads: LoadViews, state: StateViews, s: int) -> float:
    """Distance of both ends [m] at fresh poses."""
    x, y, z = minus(_end(loads, state, s, 1)[1], _end(loads, state, s, 0)[1])
    return math.sqrt(x * x + y * y + z * z)


@compiled
def spring_force(loads: LoadViews, s: int, length: float) -> tuple[float, float]:
    """Force [N] that pulls the ends together and its slope over the length [N/m], without the damper, of a spring that
    is switched on."""
    first = loads.ends[s, 2]
    count = loads.ends[s, 3]
    rows = loads.spring_rows
    if count == 0:
        return loads.passive[s, 1] * (length - loads.passive[s, 2]), loads.passive[s, 1]
    slope = 0.0
    for a in range(first, first + count - 1):
        b = a + 1
        if rows[a, 0] <= length < rows[b, 0]:
            slope = (rows[b, 1] - rows[a, 1]) / (rows[b, 0] - rows[a, 0])
    return _between(rows, first, count, length), slope


@compiled
def spring_energy(loads: LoadViews, s: int, length: float) -> float:
    """Energy stored at a length [J]."""
    first = loads.ends[s, 2]
    count = loads.ends[s, 3]
    rows = loads.spring_rows
    if count == 0:
        stretch = length - loads.passive[s, 2]
        return 0.5 * loads.passive[s, 1] * stretch * stretch
    here = first
    while here < first + count - 1 and rows[here + 1, 0] < length:
        here += 1
    # Integral of a force that is linear between two rows: the trapezium is exact.
    return rows[here, 2] + 0.5 * (rows[here, 1] + _between(rows, first, count, length)) * (length - rows[here, 0])


@compiled
def _apply_spring(loads: LoadViews, state: StateViews, s: int) -> None:
    """Of a spring: force of both nodes, and what it is now."""
    now = loads.springs
    ends = (_end(loads, state, s, 0), _end(loads, state, s, 1))
    rate = 0.0
    x, y, z = minus(ends[1][1], ends[0][1])
    length = math.sqrt(x * x + y * y + z * z)
    over = 1.0 / length if length > 0.0 else 0.0
    u = over * x, over * y, over * z
    for side in range(2):
        arm = ends[side][0]
        place = ARM + 3 * side
        now[s, place], now[s, place + 1], now[s, place + 2] = arm
        if loads.ends[s, side] >= 0:
            # d|x|/dt = u . (v_1 - v_0), velocities of the ends by v + w x a.
            rate += (2.0 * side - 1.0) * _rate_along(state, loads.ends[s, side], arm, u)
    pull = loads.passive[s, 0] * rate
    if loads.passive[s, 1] != 0.0:
        pull += spring_force(loads, s, length)[0]
    now[s, LENGTH], now[s, RATE] = length, rate
    now[s, ALONG], now[s, ALONG + 1], now[s, ALONG + 2] = u
    for side in range(2):
        if loads.ends[s, side] >= 0:
            # The pull draws the first end along u, the second against it.
            sign = pull * (1.0 - 2.0 * side)
            _subtract_pull(state.force, loads.ends[s, side], ends[side][0], (sign * u[0], sign * u[1], sign * u[2]))


@compiled
def _rate_along(state: StateViews, i: int, a: Vector, u: Vector) -> float:
    """Velocity along u of the point of node i at the arm a."""
    v = state.velocity
    w0 = v[i, 0]
    w1 = v[i, 1]
    w2 = v[i, 2]
    along = u[0] * (v[i, 3] + w1 * a[2] - w2 * a[1]) + u[1] * (v[i, 4] + w2 * a[0] - w0 * a[2])
    return along + u[2] * (v[i, 5] + w0 * a[1] - w1 * a[0])


@compiled
def _subtract_pull(force: Floats2, i: int, arm: Vector, f: Vector) -> None:
    """Force of node i -= the force f at an arm."""
    moment = cross(arm, f)
    for c in range(3):
        force[i, c] -= moment[c]
        force[i, 3 + c] -= f[c]


@compiled
def stored_by_loads(loads: LoadViews, state: StateViews) -> float:
    """Energy of springs between points, and of weights of models with gravity of their own [J], at fresh poses."""
    stored = 0.0
    for load in range(loads.target.shape[0]):
        if loads.target[load, 1] == WEIGHT:
            i = loads.target[load, 0]
            place = turn(rotation_of(state.R, i), _point_of_force(loads, load))
            for c in range(3):
                # Potential of a constant force at a place: -f . x.
                stored -= profile_value(loads, 6 * load + 3 + c, 0.0) * (state.p[i, c] + place[c])
    for s in range(loads.ends.shape[0]):
        if loads.passive[s, 1] != 0.0:
            stored += spring_energy(loads, s, spring_length(loads, state, s))
    return stored
