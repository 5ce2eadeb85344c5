"""A servo: an effort that goes along with the motion within a step, so that no gain is too large for the step.

    f = stiffness (r - x) + damping (r' - x') + the rest,   |f| <= most

is what a loop asks for at every moment. Over a step it is one constant, f = F + B (r' - x') + c (change of r' - change of x'), with F what
it is at the start without rates. For a coordinate that feels like 1 / W, B and c are such that the two poles of the sampled motion are
exp(dt s) with s the poles of the loop itself (pole placement on the sampled double integrator: Astrom and Wittenmark, Computer-Controlled
Systems, 1997, 4.3). So a loop is as fast, as damped and as monotone as in continuous time, and of second order in the step where the step
resolves it. A swing that turns by more than a radian a step cannot be told from others; it is damped, critically from two radians on.

With c >= B / 2 the step is the midpoint rule for what has c - B / 2 more inertia: stable in any number of coordinates that feel each other.
"""

from __future__ import annotations

import math
from typing import Any

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled.bounded_layout import ask_of_row, int_of_row, of_row
from simulator.dynamics.jit import compiled

TURNS = 1.0
"""Radians a step from which on a swing is damped."""
LEAST = 1e-12
"""Smallest c that is used, as a part of the inertia: a row needs some."""


@compiled
def servo_law(stiffness: float, damping: float, mobility: float, dt: float) -> Any:
    """(B, c) for a coordinate whose velocity changes by `mobility` > 0 per unit of impulse [N s/m or N m s/rad]."""
    swing, loss = dt * dt * stiffness * mobility, dt * damping * mobility
    turn = math.sqrt(swing)
    half = max(0.5 * loss, turn * min(max(turn - TURNS, 0.0), 1.0))
    if swing == 0.0:
        straight = -math.expm1(-loss)
        growth = loss / straight if loss > 0.0 else 1.0
    else:
        if half >= turn:
            fast = half + math.sqrt(max(half * half - swing, 0.0))
            one, other = -math.expm1(-fast), -math.expm1(-swing / fast)
            product, total = one * other, one + other
        else:
            decay, sine = math.exp(-half), math.sin(0.5 * math.sqrt(swing - half * half))
            left, bend = -math.expm1(-half), 4.0 * decay * sine * sine
            product, total = left * left + bend, 2.0 * left + bend
        straight, growth = total - 0.5 * product, swing / product
    first = straight * growth
    later = max(growth - 1.0, 0.5 * first, LEAST)
    return first / (dt * mobility), later / (dt * mobility)


@compiled
def ask_servo(B: Any, C: Any, RF: Any, r: int, dt: float) -> Any:
    """Bounds, target and softness of the row of a servo, whose RATE is known; returns how fast it may be at the end of the step."""
    line, weight, rate = (
        C[int_of_row(C, row_at.C_LINE, r)],
        B[of_row(C, row_at.B_WEIGHT, r)],
        B[of_row(C, row_at.B_RATE, r)],
    )
    most, effort = RF[line, 0] * dt, RF[line, 1]
    if weight <= 0.0:
        B[of_row(C, row_at.B_SOFT, r)] = 0.0
        ask_of_row(B, C, r, -most, most, effort * dt)
        return 0.0
    first, later = servo_law(RF[line, 2], RF[line, 3], weight, dt)
    effort += first * (RF[line, 4] - rate) + later * (RF[line, 5] - RF[line, 4])
    B[of_row(C, row_at.B_SOFT, r)] = 1.0 / (dt * later)
    ask_of_row(B, C, r, -most, most, rate + effort / later)
    return abs(rate) + min(abs(effort) / (1.0 / (dt * weight) + later), most * weight)
