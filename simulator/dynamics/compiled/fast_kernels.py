"""Which dampers and springs are faster than the step, as the mechanism moves now.

A damper d along a rate J v, or a spring k, is as fast as the inertia is small that the mechanism shows it with its
couplings and loops closed: the mobility W = J P H^-1 J^T, with P the projection onto K v = 0. Over a step t it takes
z = t d W of its speed, and it swings by t sqrt(k W) radians. Up to z = 1/2 the Runge-Kutta method errs by z^5 / 120 of
the speed in a step, and never by more than 3e-4 of what it began with; a spring of one radian a step loses 1 / 144 of
its swing. What is held instead (`stiff_kernels`) is of second order.

Several on one motion are faster than each of them. What counts is the greatest eigenvalue of sum t d P H^-1 J^T J (or
t^2 k) over all that are not held. It is estimated from below by the power method (Golub and Van Loan, Matrix
Computations, 8.2.1). The Runge-Kutta method is stable up to t d W = 2.78 and t^2 k W = 8, 5.6 and 8 of the units below.
Three iterations weigh an eigenvalue x by x^6: they take 5.6 for less than 2 only where the square of its part in what
they begin with is 1e-4 of the others'. One does as well where it finds a tenth.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.axis_rows import add_axis_row
from simulator.dynamics.compiled.bounded_row_entries import MOVABLE, clear_row, dense_product, respond, spare
from simulator.dynamics.compiled.load_kernels import spring_force, spring_length
from simulator.dynamics.compiled.load_views import open_loads
from simulator.dynamics.compiled.loop_views import open_rows
from simulator.dynamics.compiled.solve_kernels import make_consistent, solve_mass
from simulator.dynamics.compiled.tree_views import open_mass, open_state
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, view

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints

STIFF = 0.5
"""Part of its speed, z, that a damper may take in a step before it is held."""
FAST = 1.0
"""Radians that a spring may swing in a step before it is held."""
TOGETHER = 2.0
"""How fast all that are not held may be together, in units of those limits."""
ITERATIONS = 3
SLOW = 0.1
"""What is found to be no faster after one iteration needs no more of them."""
GOLDEN = 0.6180339887498949
HALVINGS = 10
"""A thousandth of the limit: what is slower by itself is not held."""
DAMPERS, SPRINGS = 0, 1


@compiled
def is_passive(F: Floats, N: Ints) -> int:
    """Whether anything is damped or sprung at all: bit 1 for joints of the tree, bit 2 for joints that close loops and
    between points."""
    damping, stiffness, passive = start(N, at.F_DAMPING), start(N, at.F_STIFFNESS), start(N, at.F_LPASSIVE)
    found = 0
    for k in range(N[at.FREEDOMS]):
        if F[damping + k] != 0.0 or F[stiffness + k] != 0.0:
            found = 1
    for j in range(N[at.LOOP_AXES] + N[at.SPRINGS]):
        if F[passive + 3 * j] != 0.0 or F[passive + 3 * j + 1] != 0.0:
            return found + 2
    return found


@compiled
def find_fast(F: Floats, N: Ints, dt: float) -> None:
    """FASTER for `is_fast`: 0 where a step of `dt` [s] resolves all dampers, or all springs; needs a fresh
    `accelerate`."""
    FASTER, shown = start(N, at.F_FASTER), False
    F[FASTER] = F[FASTER + 1] = 0.0
    if is_passive(F, N) == 0:
        return
    for kind in range(2):
        if _speed_together(F, N, dt, kind) <= 1.0:
            continue
        if not shown:
            _find_mobilities(F, N)
            shown = True
        F[FASTER + kind] = 1.0
        for _ in range(HALVINGS):
            if _speed_together(F, N, dt, kind) <= TOGETHER:
                break
            F[FASTER + kind] *= 2.0


@compiled
def is_fast(F: Floats, N: Ints, dt: float, kind: int, constant: float, mobility: float) -> bool:
    """Whether a damper or spring of that constant is to be held, where the mechanism shows it that mobility."""
    return _speed(dt, kind, constant) * mobility * F[start(N, at.F_FASTER) + kind] > 1.0


@compiled
def _speed(dt: float, kind: int, constant: float) -> float:
    """Of a damper or spring with the mobility 1, in units of the limit."""
    return dt * constant / STIFF if kind == DAMPERS else dt * dt * constant / (FAST * FAST)


@compiled
def _code(N: Ints, i: int) -> int:
    """Of the freedom, loop axis or spring with number i of all."""
    return i if i < N[at.FREEDOMS] else N[at.FREEDOMS] - 1 - i


@compiled
def _constant(F: Floats, N: Ints, code: int, kind: int) -> float:
    """Damping or stiffness [SI]; of a spring with a table its slope, unless that falls: then it is not stiff."""
    if code >= 0:
        return F[start(N, at.F_DAMPING if kind == DAMPERS else at.F_STIFFNESS) + code]
    constant = F[start(N, at.F_LPASSIVE) + 3 * (-1 - code) + kind]
    if code < -N[at.LOOP_AXES] and kind == SPRINGS and constant != 0.0:
        s = -1 - N[at.LOOP_AXES] - code
        loads = open_loads(F, N)
        constant = max(spring_force(loads, s, spring_length(loads, open_state(F, N), s))[1], 0.0)
    return constant


@compiled
def _find_mobilities(F: Floats, N: Ints) -> None:
    """SHOWN of all that is damped or sprung."""
    SHOWN = start(N, at.F_SHOWN)
    for i in range(N[at.FREEDOMS] + N[at.LOOP_AXES] + N[at.SPRINGS]):
        code = _code(N, i)
        F[SHOWN + i] = 0.0
        if _constant(F, N, code, DAMPERS) != 0.0 or _constant(F, N, code, SPRINGS) != 0.0:
            row = clear_row(F, N)
            add_axis_row(F, N, row, code, 1.0)
            F[SHOWN + i] = _mobility_along(F, N, row)


@compiled
def mobility_of_coordinate(F: Floats, N: Ints, a: int) -> float:
    """Of an independent coordinate with couplings and loops closed."""
    row = clear_row(F, N)
    N[at.LOW] = min(N[at.LOW], N[int_start(N, at.I_BEGIN) + a])
    N[at.HIGH] = max(N[at.HIGH], N[int_start(N, at.I_END) + a])
    F[row + a] = 1.0
    return _mobility_along(F, N, row)


@compiled
def _mobility_along(F: Floats, N: Ints, row: int) -> float:
    x = spare(N, at.F_XK)
    for a in range(N[at.LOW], N[at.HIGH]):
        F[x + a] = F[row + a]
    alone = respond(F, N, x, row)
    mobility = dense_product(F, N, row, x)
    return mobility if mobility > MOVABLE * alone else 0.0


@compiled
def _speed_together(F: Floats, N: Ints, dt: float, kind: int) -> float:
    """The greatest eigenvalue of P H^-1 R, R = sum of speed J^T J over all that `is_fast` does not hold, from below."""
    v, y = start(N, at.F_ADDED), start(N, at.F_SHIFT)
    together = 0.0
    for iteration in range(ITERATIONS + 1):
        # y = R v, or at first something in which every J has a part of its own.
        _apply(F, N, dt, kind, iteration == 0)
        before = _product(F, N, v, y)
        for a in range(N[at.INDEPENDENT]):
            F[v + a] = F[y + a]
        solve_mass(open_mass(F, N), view(F, v, (N[at.INDEPENDENT],)))
        if N[at.RANK] > 0:
            make_consistent(open_rows(F, N), N[at.FACTORED], view(F, v, (N[at.INDEPENDENT],)))
        after = _product(F, N, v, y)
        if not after > 0.0:
            return together
        # Rayleigh's quotient in the metric of R: with x = P H^-1 R v it is v R x / v R v.
        if iteration > 0:
            together = max(together, after / before)
            if together < SLOW:
                break
        for a in range(N[at.INDEPENDENT]):
            F[v + a] /= math.sqrt(after)
    return together


@compiled
def _apply(F: Floats, N: Ints, dt: float, kind: int, first: bool) -> None:
    """SHIFT = R ADDED; at `first` the sum of J^T sqrt(speed), each times a number of its own between 1 and 2."""
    v, y, SHOWN = start(N, at.F_ADDED), start(N, at.F_SHIFT), start(N, at.F_SHOWN)
    value, ptr, index = start(N, at.F_GVALUE), int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    for a in range(N[at.INDEPENDENT]):
        F[y + a] = 0.0
    for i in range(N[at.FREEDOMS] + N[at.LOOP_AXES] + N[at.SPRINGS]):
        code = _code(N, i)
        constant = _constant(F, N, code, kind)
        speed = _speed(dt, kind, constant)
        if constant == 0.0 or is_fast(F, N, dt, kind, constant, F[SHOWN + i]):
            continue
        factor = math.sqrt(speed) * (1.0 + (GOLDEN * i) % 1.0)
        if code >= 0:
            if not first:
                factor = 0.0
                for t in range(N[ptr + code], N[ptr + code + 1]):
                    factor += speed * F[value + t] * F[v + N[index + t]]
            for t in range(N[ptr + code], N[ptr + code + 1]):
                F[y + N[index + t]] += F[value + t] * factor
            continue
        row = clear_row(F, N)
        add_axis_row(F, N, row, code, 1.0)
        if not first:
            factor = speed * dense_product(F, N, row, v)
        for a in range(N[at.LOW], N[at.HIGH]):
            F[y + a] += F[row + a] * factor


@compiled
def _product(F: Floats, N: Ints, x: int, y: int) -> float:
    total = 0.0
    for a in range(N[at.INDEPENDENT]):
        total += F[x + a] * F[y + a]
    return total
