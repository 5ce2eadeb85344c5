"""A servo: an effort that goes along with the motion within a step, so that no gain is too large for the step.

    f = stiffness (r - x) + damping (r' - x') + the rest,   |f| <= most

is what a loop asks for at every moment. Over a step it is one constant, f = F + B (r' - x') + c (change of r' - change
of x'), with F what it is at the start without rates. For a coordinate that feels like 1 / W, B and c are such that the
two poles of the sampled motion are exp(dt s) with s the poles of the loop itself (pole placement on the sampled double
integrator: Astrom and Wittenmark, Computer-Controlled Systems, 1997, 4.3). So a loop is as fast, as damped and as
monotone as in continuous time, and of second order in the step where the step resolves it. A swing that turns by more
than a radian a step cannot be distinguished from others; it is damped, critically from two radians on.

With c >= B / 2 the step is the midpoint rule for what has c - B / 2 more inertia: stable in any number of coordinates
that feel each other.

A loop with an integral s, f = stiffness e + damping e' + integral s with s' = e = r - x, has three poles, the roots of

    s^3 + W damping s^2 + W stiffness s + W integral = 0.

Its effort over a step is F + (E - stiffness) e + B e' + c (change of e'), F being what it is at the start without
rates. Under a constant acceleration x, v and s change by exact polynomials of dt. With w = z - 1, u = dt v and the
acceleration a dt^2 = k3 s / dt - k1 x - k2 u that is w u = a dt^2, w x = u (1 + w / 2), w s / dt = -(x + u / 2 + a dt^2
/ 6), so

    w^3 + (k2 + k1 / 2 + k3 / 6) w^2 + (k1 + k3) w + k3 = 0,

and with the elementary symmetric functions e1, e2, e3 of 1 - exp(dt s): k3 = e3, k1 = e2 - e3, k2 = e1 - e2 / 2 + e3 /
3. The integral gain stays as it is, whence 1 + W dt c = dt^3 W integral / e3. So such a loop is stable at any step
where it is stable by itself. Where it is not, integral > W damping stiffness (Routh), its swing grows as it does in
continuous time if the step resolves it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2
    from simulator.physics.layout.bounded import BoundedRows

TURNS = 1.0
"""Radians a step from which on a swing is damped."""
LEAST = 1e-12
"""Smallest c that is used, as a part of the inertia: a row needs some."""
POLISHING = 8
"""Most steps of Newton's method at a pole; two do where the poles are apart."""


@compiled
def servo_law(stiffness: float, damping: float, mobility: float, dt: float) -> tuple[float, float]:
    """(B, c) for a coordinate whose velocity changes by `mobility` > 0 per unit of impulse [N s/m or N m s/rad]."""
    swing = dt * dt * stiffness * mobility
    loss = dt * damping * mobility
    if swing == 0.0:
        # Without stiffness one pole is at rest: the speed error falls by exp(-loss) over the step.
        total = -math.expm1(-loss)
        product = 0.0
        growth = 1.0
        if loss > 0.0:
            growth = loss / total
    else:
        total, product, growth = _pair(0.5 * loss, swing)
    # (z - e^s1)(z - e^s2) = 0 of x, v sampled under constant effort, compared power by power of z - 1.
    first = (total - 0.5 * product) * growth
    later = max(growth - 1.0, 0.5 * first, LEAST)
    return first / (dt * mobility), later / (dt * mobility)


@compiled
def pid_law(
    integral: float, stiffness: float, damping: float, mobility: float, dt: float
) -> tuple[float, float, float]:
    """(E, B, c) of a loop with an integral gain > 0 for such a coordinate."""
    strength = dt * dt * dt * integral * mobility
    swing = dt * dt * stiffness * mobility
    loss = dt * damping * mobility
    decay = _real_decay(loss, swing, strength)
    if not decay > 0.0:
        first, later = servo_law(stiffness, damping, mobility, dt)
        return stiffness, first, later
    rest = strength / decay
    # The other two roots: their sum from the sum of all, or from the products, where the sum would cancel.
    width = loss - decay if decay * max(loss, decay) <= max(swing, rest) else (swing - rest) / decay
    total, product, growth = _pair(0.5 * width, rest)
    one = -math.expm1(-decay)
    growth *= decay / one
    first = total + one
    second = product + one * total
    third = one * product
    # k1 = e2 - e3, k2 = e1 - e2 / 2 + e3 / 3 as above, times the growth 1 + W dt c.
    straight = growth * (first - 0.5 * second + third / 3.0)
    later = max(growth - 1.0, LEAST)
    return growth * (second - third) / (dt * dt * mobility), straight / (dt * mobility), later / (dt * mobility)


@compiled
def _pair(half: float, swing: float) -> tuple[float, float, float]:
    """Sum and product of 1 - exp(s) for the two roots of s^2 + 2 half s + swing = 0, where they turn by too much with
    more of half, and swing over that product. A swing that grows, half < 0, grows as it does where the step resolves
    it."""
    turn = math.sqrt(swing)
    unresolved = min(max(turn - TURNS, 0.0), 1.0)
    # Two real roots: the slower from the product of both, for the difference half - root would cancel.
    half = max(half, unresolved * turn) if half >= 0.0 else half + unresolved * (turn - half)
    if half >= turn:
        fast = half + math.sqrt(max(half * half - swing, 0.0))
        one = -math.expm1(-fast)
        other = -math.expm1(-swing / fast)
        product = one * other
        total = one + other
    else:
        # Roots -half +- i phi: |1 - e^s|^2 = (1 - e^-half)^2 + 4 e^-half sin^2(phi / 2).
        decay = math.exp(-half)
        sine = math.sin(0.5 * math.sqrt(swing - half * half))
        left = -math.expm1(-half)
        bend = 4.0 * decay * sine * sine
        product = left * left + bend
        total = 2.0 * left + bend
    return total, product, swing / product


@compiled
def _real_decay(loss: float, swing: float, strength: float) -> float:
    """A y > 0 with y^3 - loss y^2 + swing y - strength = 0, as exact as its coefficients: Cardano's formula, then
    Newton's method for as long as it leaves less (at roots that are nearly equal it would not)."""
    third = loss / 3.0
    p = swing / 3.0 - third * third
    r = 0.5 * (swing * third - strength) - third * third * third
    square = r * r + p * p * p
    if square > 0.0:
        # One real root: the cube root of the larger part, and -p over it for the other (their product is -p).
        size: float = (abs(r) + math.sqrt(square)) ** (1.0 / 3.0)
        y = third - math.copysign(size - p / size, r)
    else:
        size = math.sqrt(max(-p, 0.0))
        y = third
        if size > 0.0:
            # Three real roots: the largest by Viete's cosine.
            y += 2.0 * size * math.cos(math.acos(min(max(-r / (size * size * size), -1.0), 1.0)) / 3.0)
    top: float = loss + strength ** (1.0 / 3.0)
    y = min(max(y, 0.0), top)
    left = ((y - loss) * y + swing) * y - strength
    for _ in range(POLISHING):
        slope = (3.0 * y - 2.0 * loss) * y + swing
        if slope == 0.0:
            break
        nearer = min(max(y - left / slope, 0.0), top)
        less = ((nearer - loss) * nearer + swing) * nearer - strength
        if not abs(less) < abs(left):
            break
        y, left = nearer, less
    return y


@compiled
def ask_servo(bounded: BoundedRows, RF: Floats2, r: int, dt: float) -> float:
    """Bounds, target and softness of the row of a servo, whose RATE is known; returns how fast it may be at the end of
    the step."""
    line = bounded.line[r]
    weight = bounded.response[r]
    rate = bounded.rate[r]
    most = RF[line, row_at.MOST] * dt
    effort = RF[line, row_at.EFFORT]
    if weight <= 0.0:
        bounded.soft[r] = 0.0
        # Nothing moves the axis: the effort is that of its error, and goes into what holds it.
        effort += 0.5 * RF[line, row_at.DAMPING] * (RF[line, row_at.RATE_NOW] + RF[line, row_at.RATE_THEN])
        ask_of_row(bounded, r, -most, most, effort * dt)
        return 0.0
    stiffness = RF[line, row_at.STIFFNESS]
    damping = RF[line, row_at.DAMPING]
    integral = RF[line, row_at.INTEGRAL]
    if integral > 0.0:
        follow, first, later = pid_law(integral, stiffness, damping, weight, dt)
        effort += (follow - stiffness) * RF[line, row_at.ERROR]
    else:
        first, later = servo_law(stiffness, damping, weight, dt)
    effort += first * (RF[line, row_at.RATE_NOW] - rate) + later * (
        RF[line, row_at.RATE_THEN] - RF[line, row_at.RATE_NOW]
    )
    # Impulse = dt (effort + later (rate - v)), solved for v: v + impulse / (dt later) = rate + effort / later.
    bounded.soft[r] = 1.0 / (dt * later)
    # The row has J v at the end, of v there it lacks what it drifts by.
    ask_of_row(bounded, r, -most, most, rate - dt * bounded.drift[r] + effort / later)
    return abs(rate) + min(abs(effort) / (1.0 / (dt * weight) + later), most * weight)
