"""Forces, moments and springs between points, in the equations of motion. `dynamics.loads` says the same in numpy, and
has the formulas.

A wrench w on a node, about the node's origin, is taken off the force f = I a + v x* I v that the node's joint has to
pass on, so that the bias efforts of all freedoms know it (`update_bias`). Profiles are evaluated at the time of every
stage of a step, TIME; at both ends of a step by EDGE of its length inside it, so that a jump between two steps counts
for neither of them by half.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.load_tables import (
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
from simulator.dynamics.compiled.vector_kernels import rotated, vector_at
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints

EDGE = 1e-6
"""Part of a step by which profiles are evaluated inside of it at its ends: 1e-9 s of a millisecond, far above rounding
of the time."""
TURN = 2.0 * math.pi
# Of a spring now, behind its points: length, its rate, direction from the first end to the second, arms of both ends in
# the world.
LENGTH, RATE, ALONG, ARM = 6, 7, 8, 11


@compiled
def start_step(F: Floats, N: Ints, time: float) -> None:
    """The next step begins at `time` [s]."""
    T = start(N, at.F_TIME)
    F[T] = F[T + 1] = time


@compiled
def set_stage(F: Floats, N: Ints, dt: float, share: float) -> None:
    """TIME of the profiles: after `share` of the step of `dt` [s] that begins at the second number of the block."""
    T = start(N, at.F_TIME)
    # A jump at the very end of a step belongs to the next one, and one at its start to this one.
    F[T] = F[T + 1] + dt * min(max(share, EDGE), 1.0 - EDGE)


@compiled
def end_step(F: Floats, N: Ints, dt: float) -> None:
    """The next step begins where this one of `dt` [s] ends."""
    T = start(N, at.F_TIME)
    F[T + 1] += dt
    F[T] = F[T + 1]


@compiled
def profile_value(F: Floats, N: Ints, p: int, time: float) -> float:
    """A profile at a time, as `model.profiles` has it; `p`: its number."""
    o, i, t = start(N, at.F_PROFILE) + PROFILE_NUMBERS * p, int_start(N, at.I_PROFILE) + 3 * p, max(time, 0.0)
    kind, value = N[i], F[o]
    if kind == SINE:
        value = F[o + 2] + F[o] * math.sin(TURN * F[o + 1] * t + F[o + 3])
    elif kind == RAMP:
        value = F[o] + (F[o + 1] - F[o]) * min(t / F[o + 2], 1.0)
    elif kind == STEP:
        value = F[o + 1] if time >= F[o + 2] else F[o]
    elif kind == CHIRP:
        sweep = min(t, F[o + 3])
        # Phase of a chirp: the integral of f0 + (f1 - f0) t / T, which goes on with f1 after T.
        cycles = F[o + 1] * sweep + 0.5 * (F[o + 2] - F[o + 1]) * sweep * sweep / F[o + 3]
        value = F[o + 4] + F[o] * math.sin(TURN * (cycles + F[o + 2] * (t - sweep)))
    elif kind == TABLE:
        value = _on_piece(F, start(N, at.F_PROFILE_TABLE) + PIECE_NUMBERS * N[i + 1], N[i + 2], time)
    return value


@compiled
def _on_piece(F: Floats, o: int, count: int, time: float) -> float:
    """The polynomial of the piece at a time, of `count` rows of PIECE_NUMBERS numbers; constant outside."""
    last = o + PIECE_NUMBERS * (count - 1)
    if time >= F[last]:
        return F[last + 1]
    if time <= F[o]:
        return F[o + 1]
    r = o + PIECE_NUMBERS * _row_before(F, o, count, PIECE_NUMBERS, time)
    s = time - F[r]
    return F[r + 1] + s * (F[r + 2] + s * (F[r + 3] + s * (F[r + 4] + s * (F[r + 5] + s * F[r + 6]))))


@compiled
def _row_before(F: Floats, o: int, count: int, width: int, x: float) -> int:
    """The last of `count` rows of `width` numbers that begins with at most x; x is inside of the first and the last."""
    low, high = 0, count - 1
    # Bisection, with F[low] <= x < F[high] throughout.
    while high - low > 1:
        middle = (low + high) // 2
        if F[o + width * middle] <= x:
            low = middle
        else:
            high = middle
    return low


@compiled
def _between(F: Floats, o: int, count: int, width: int, x: float) -> float:
    """Straight lines through `count` rows of `width` numbers, the first two of which are place and value; constant
    outside."""
    if x <= F[o]:
        return F[o + 1]
    last = o + width * (count - 1)
    if x >= F[last]:
        return F[last + 1]
    a = o + width * _row_before(F, o, count, width, x)
    b = a + width
    return F[a + 1] + (F[b + 1] - F[a + 1]) * (x - F[a]) / (F[b] - F[a])


# -- forces ------------------------------------------------------------------------------------------------------------


@compiled
def apply_loads(F: Floats, N: Ints) -> None:
    """FORCE of nodes -= the wrenches of all loads, at fresh poses and velocities. Keeps what they are for
    `load_powers`."""
    if N[at.FORCES] > 0:
        _apply_forces(F, N)
    if N[at.SPRINGS] > 0:
        _apply_springs(F, N)


@compiled
def _apply_forces(F: Floats, N: Ints) -> None:
    R, FORCE, NOW, table = start(N, at.F_R), start(N, at.F_FORCE), start(N, at.F_LOAD_NOW), int_start(N, at.I_LOAD)
    time = F[start(N, at.F_TIME)]
    for load in range(N[at.FORCES]):
        i, o, w = N[table + 2 * load], start(N, at.F_LOAD) + FORCE_NUMBERS * load, NOW + 6 * load
        for c in range(6):
            F[w + c] = profile_value(F, N, 6 * load + c, time)
        if N[table + 2 * load + 1] == LINK:
            _turn_in_node(F, R + 9 * i, o + 3, w)
            _turn_in_node(F, R + 9 * i, o + 3, w + 3)
        r, x, y, z = R + 9 * i, F[o], F[o + 1], F[o + 2]
        a0, a1, a2 = rotated(F, r, (x, y, z))
        f0, f1, f2 = F[w + 3], F[w + 4], F[w + 5]
        # About the node's origin: n + a x f.
        F[w] += a1 * f2 - a2 * f1
        F[w + 1] += a2 * f0 - a0 * f2
        F[w + 2] += a0 * f1 - a1 * f0
        for c in range(6):
            F[FORCE + 6 * i + c] -= F[w + c]


@compiled
def _turn_in_node(F: Floats, r: int, turn: int, v: int) -> None:
    """The vector at v, in axes that `turn` has fixed to a node, in world axes."""
    x, y, z = rotated(F, turn, vector_at(F, v))
    F[v], F[v + 1], F[v + 2] = rotated(F, r, (x, y, z))


@compiled
def load_powers(F: Floats, N: Ints) -> tuple[float, float]:
    """Power of forces and moments, and what the dampers of springs take [W]; needs a fresh `apply_loads`. Weights do no
    work: they have potential energy."""
    VEL, NOW, table = start(N, at.F_VEL), start(N, at.F_LOAD_NOW), int_start(N, at.I_LOAD)
    work = taken = 0.0
    for load in range(N[at.FORCES]):
        if N[table + 2 * load + 1] != WEIGHT:
            v, w = VEL + 6 * N[table + 2 * load], NOW + 6 * load
            for c in range(6):
                # Power of a wrench on a twist, both about the node's origin.
                work += F[v + c] * F[w + c]
    for s in range(N[at.SPRINGS]):
        rate = F[start(N, at.F_SPRING) + SPRING_NUMBERS * s + RATE]
        taken += F[spring_passive(N, s)] * rate * rate
    return work, taken


# -- springs -----------------------------------------------------------------------------------------------------------


@compiled
def spring_passive(N: Ints, s: int) -> int:
    """Where damping, stiffness and free length of a spring are: behind those of loop axes. A table has the stiffness
    1; 0 is switched off."""
    return start(N, at.F_LPASSIVE) + 3 * (N[at.LOOP_AXES] + s)


@compiled
def _end(F: Floats, N: Ints, s: int, side: int) -> tuple[float, float, float, float, float, float]:
    """Arm in the world from the origin of its node, and place, of an end of a spring."""
    i, o = N[int_start(N, at.I_SPRING) + 4 * s + side], start(N, at.F_SPRING) + SPRING_NUMBERS * s + 3 * side
    a0, a1, a2, x, y, z = 0.0, 0.0, 0.0, F[o], F[o + 1], F[o + 2]
    # An end on the world is a place; one on a node is an arm that turns with it.
    if i >= 0:
        P = start(N, at.F_P) + 3 * i
        a0, a1, a2 = rotated(F, start(N, at.F_R) + 9 * i, (x, y, z))
        x, y, z = F[P] + a0, F[P + 1] + a1, F[P + 2] + a2
    return a0, a1, a2, x, y, z


@compiled
def spring_length(F: Floats, N: Ints, s: int) -> float:
    """Distance of both ends [m] at fresh poses."""
    ends = _end(F, N, s, 0), _end(F, N, s, 1)
    x, y, z = ends[1][3] - ends[0][3], ends[1][4] - ends[0][4], ends[1][5] - ends[0][5]
    return math.sqrt(x * x + y * y + z * z)


@compiled
def spring_force(F: Floats, N: Ints, s: int, length: float) -> tuple[float, float]:
    """Force [N] that pulls the ends together and its slope over the length [N/m], without the damper, of a spring that
    is switched on."""
    o, table, count = (
        spring_passive(N, s),
        int_start(N, at.I_SPRING) + 4 * s + 2,
        N[int_start(N, at.I_SPRING) + 4 * s + 3],
    )
    if count == 0:
        return F[o + 1] * (length - F[o + 2]), F[o + 1]
    T = start(N, at.F_SPRING_TABLE) + 3 * N[table]
    slope = 0.0
    for k in range(count - 1):
        a, b = T + 3 * k, T + 3 * k + 3
        if F[a] <= length < F[b]:
            slope = (F[b + 1] - F[a + 1]) / (F[b] - F[a])
    return _between(F, T, count, 3, length), slope


@compiled
def spring_energy(F: Floats, N: Ints, s: int, length: float) -> float:
    """Energy stored at a length [J]."""
    o, table, count = (
        spring_passive(N, s),
        int_start(N, at.I_SPRING) + 4 * s + 2,
        N[int_start(N, at.I_SPRING) + 4 * s + 3],
    )
    if count == 0:
        return 0.5 * F[o + 1] * (length - F[o + 2]) * (length - F[o + 2])
    T, row = start(N, at.F_SPRING_TABLE) + 3 * N[table], 0
    while row < count - 1 and F[T + 3 * row + 3] < length:
        row += 1
    here = T + 3 * row
    # Integral of a force that is linear between two rows: the trapezium is exact.
    return F[here + 2] + 0.5 * (F[here + 1] + _between(F, T, count, 3, length)) * (length - F[here])


@compiled
def _apply_springs(F: Floats, N: Ints) -> None:
    VEL, FORCE, nodes = start(N, at.F_VEL), start(N, at.F_FORCE), int_start(N, at.I_SPRING)
    for s in range(N[at.SPRINGS]):
        now, rate = start(N, at.F_SPRING) + SPRING_NUMBERS * s, 0.0
        ends = _end(F, N, s, 0), _end(F, N, s, 1)
        x, y, z = ends[1][3] - ends[0][3], ends[1][4] - ends[0][4], ends[1][5] - ends[0][5]
        length = math.sqrt(x * x + y * y + z * z)
        over = 1.0 / length if length > 0.0 else 0.0
        u0, u1, u2 = over * x, over * y, over * z
        for side in range(2):
            i, (a0, a1, a2, _, _, _) = N[nodes + 4 * s + side], ends[side]
            F[now + ARM + 3 * side], F[now + ARM + 3 * side + 1], F[now + ARM + 3 * side + 2] = a0, a1, a2
            if i >= 0:
                v = VEL + 6 * i
                w0, w1, w2 = F[v], F[v + 1], F[v + 2]
                along = u0 * (F[v + 3] + w1 * a2 - w2 * a1) + u1 * (F[v + 4] + w2 * a0 - w0 * a2)
                # d|x|/dt = u . (v_1 - v_0), velocities of the ends by v + w x a.
                rate += (2.0 * side - 1.0) * (along + u2 * (F[v + 5] + w0 * a1 - w1 * a0))
        o = spring_passive(N, s)
        pull = F[o] * rate
        if F[o + 1] != 0.0:
            pull += spring_force(F, N, s, length)[0]
        F[now + LENGTH], F[now + RATE] = length, rate
        F[now + ALONG], F[now + ALONG + 1], F[now + ALONG + 2] = u0, u1, u2
        for side in range(2):
            i, force = N[nodes + 4 * s + side], FORCE + 6 * N[nodes + 4 * s + side]
            if i >= 0:
                # The pull draws the first end along u, the second against it.
                sign, (a0, a1, a2, _, _, _) = pull * (1.0 - 2.0 * side), ends[side]
                f0, f1, f2 = sign * u0, sign * u1, sign * u2
                F[force] -= a1 * f2 - a2 * f1
                F[force + 1] -= a2 * f0 - a0 * f2
                F[force + 2] -= a0 * f1 - a1 * f0
                F[force + 3] -= f0
                F[force + 4] -= f1
                F[force + 5] -= f2


@compiled
def stored_by_loads(F: Floats, N: Ints) -> float:
    """Energy of springs between points, and of weights of models with gravity of their own [J], at fresh poses."""
    R, P, table = start(N, at.F_R), start(N, at.F_P), int_start(N, at.I_LOAD)
    stored = 0.0
    for load in range(N[at.FORCES]):
        if N[table + 2 * load + 1] == WEIGHT:
            i, o = N[table + 2 * load], start(N, at.F_LOAD) + FORCE_NUMBERS * load
            place = rotated(F, R + 9 * i, vector_at(F, o))
            for c in range(3):
                # Potential of a constant force at a place: -f . x.
                stored -= profile_value(F, N, 6 * load + 3 + c, 0.0) * (F[P + 3 * i + c] + place[c])
    for s in range(N[at.SPRINGS]):
        if F[spring_passive(N, s) + 1] != 0.0:
            stored += spring_energy(F, N, s, spring_length(F, N, s))
    return stored
