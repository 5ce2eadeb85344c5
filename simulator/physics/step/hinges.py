"""Angles and rates of three hinges that are one ball joint, read off how the body on one side has turned against the
other.

With axes a, b, c, neighbours at right angles, R = R(a, q0) R(b, q1) R(c, q2) takes c to u = R c, whose angle to a
depends on q1 alone: a . u = A cos q1 + B sin q1 = cos(q1 - p), A = a . c, B = a . (b x c), p = atan2(B, A). Of its two
solutions, that on the side of q1 = 0 is taken: q1 is within half a turn between the poses in which a and u are in line.
Then q0 turns R(b, q1) c about a to u, and q2 is what is left about c. The rates are those parts of w = q0' a + q1' b' +
q2' u, with b' = R(a, q0) b at right angles to a and u.

In line (gimbal lock) only the sum or the difference of q0' and q2' is determined, and both are 0 here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import cross, dot, rotated, rotation_of, vector_at
from simulator.physics.layout.watched_row import HINGED

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints2
    from simulator.physics.tree.views import StateViews

    Sides = tuple[Ints2, Floats]

LOCKED = 1e-9
"""Sine of the angle between the first and the last axis below which they are in line."""


@entry("motion")
def read_hinges(turns: Floats, rates: Floats, axes: Floats, scratch: Floats, rows: Floats) -> None:
    """Fill `rows` (6 n,): angle and rate of the first, second and third hinge [rad, rad/s].

    `turns` (9 n,): rotation of the second side against the first, row by row; `rates` (3 n,): its angular velocity in
    the axes of the first [rad/s]; `axes` (9 n,): unit vectors of the hinges in these; `scratch` (45,).
    """
    for i in range(rates.shape[0] // 3):
        read_hinge(turns, rates, axes, i, scratch, rows, 6 * i)


@compiled
def read_hinge(turns: Floats, rates: Floats, axes: Floats, i: int, scratch: Floats, row: Floats, place: int) -> None:
    """Ball i of those, into `row` from `place` on."""
    a = vector_at(axes, 9 * i)
    b = vector_at(axes, 9 * i + 3)
    c = vector_at(axes, 9 * i + 6)
    u = rotated(turns, 9 * i, c)
    phase = math.atan2(dot(a, cross(b, c)), dot(a, c))
    across = cross(a, u)
    # atan2 is exact near 0 and pi, where acos of a . u would lose half of the digits.
    between = math.atan2(math.sqrt(dot(across, across)), dot(a, u))
    second = phase - between if phase > 0.0 else phase + between
    turn_about(scratch, 0, b, second)
    w = rotated(scratch, 0, c)
    first = math.atan2(dot(a, cross(w, u)), dot(w, u) - dot(a, w) * dot(a, u))
    turn_about(scratch, 9, a, first)
    multiply(scratch, 9, scratch, 0, scratch, 18)
    # What is left, (R(a, q0) R(b, q1))^T R, turns about c.
    for j in range(3):
        for k in range(3):
            scratch[27 + 3 * j + k] = scratch[18 + 3 * k + j]
    multiply(scratch, 27, turns, 9 * i, scratch, 36)
    row[place], row[place + 2], row[place + 4] = first, second, twist(scratch, 36, c)
    middle = rotated(scratch, 9, b)
    v = vector_at(rates, 3 * i)
    volume = dot(a, cross(middle, u))
    locked = abs(volume) < LOCKED
    row[place + 1] = 0.0 if locked else dot(v, cross(middle, u)) / volume
    row[place + 3] = dot(v, middle)
    row[place + 5] = 0.0 if locked else dot(v, cross(a, middle)) / volume


# -- rotation matrices -------------------------------------------------------------------------------------------------


@compiled
def turn_about(R: Floats, o: int, axis: tuple[float, float, float], angle: float) -> None:
    """Rodrigues' formula, into nine numbers at o."""
    x, y, z = axis
    s, c = math.sin(angle), math.cos(angle)
    v = 1.0 - c
    R[o] = c + v * x * x
    R[o + 1] = v * x * y - s * z
    R[o + 2] = v * x * z + s * y
    R[o + 3] = v * x * y + s * z
    R[o + 4] = c + v * y * y
    R[o + 5] = v * y * z - s * x
    R[o + 6] = v * x * z - s * y
    R[o + 7] = v * y * z + s * x
    R[o + 8] = c + v * z * z


@compiled
def multiply(A: Floats, left: int, B: Floats, right: int, C: Floats, out: int) -> None:
    """C = A B of the matrices at these places; C is elsewhere than both."""
    for i in range(3):
        for j in range(3):
            C[out + 3 * i + j] = (
                A[left + 3 * i] * B[right + j]
                + A[left + 3 * i + 1] * B[right + 3 + j]
                + A[left + 3 * i + 2] * B[right + 6 + j]
            )


@compiled
def twist(R: Floats, o: int, axis: tuple[float, float, float]) -> float:
    """The angle of a turn about an axis: axis . axial(R) = 2 sin and trace R - axis . R axis = 2 cos."""
    x, y, z = axis
    axial = x * (R[o + 7] - R[o + 5]) + y * (R[o + 2] - R[o + 6]) + z * (R[o + 3] - R[o + 1])
    return math.atan2(axial, R[o] + R[o + 4] + R[o + 8] - dot(axis, rotated(R, o, axis)))


@compiled
def watch_hinges(
    state: StateViews, sides: Sides, axes: Floats, motion: tuple[Floats, Floats], T: Floats, row: Floats, place: int
) -> None:
    """Angles and rates of balls into `row` from `place` on. `sides`: the nodes of both sides (n, 2), -1 for the world,
    and rotations there (18 n,); `motion`: room for `turns` and `rates`, see `read_hinges`; `T` (45,)."""
    nodes, places = sides
    turns, rates = motion
    for b in range(nodes.shape[0]):
        for c in range(3):
            T[18 + c] = 0.0
        for side in range(2):
            node = nodes[b, side]
            if node < 0:
                for c in range(9):
                    T[9 * side + c] = places[18 * b + 9 * side + c]
                continue
            R = rotation_of(state.R, node)
            for c in range(9):
                T[21 + c] = R[c]
            multiply(T, 21, places, 18 * b + 9 * side, T, 9 * side)
            for c in range(3):
                T[18 + c] += (2.0 * side - 1.0) * state.velocity[node, c]
        for i in range(3):
            for j in range(3):
                turns[9 * b + 3 * i + j] = T[i] * T[9 + j] + T[3 + i] * T[12 + j] + T[6 + i] * T[15 + j]
            rates[3 * b + i] = T[i] * T[18] + T[3 + i] * T[19] + T[6 + i] * T[20]
        read_hinge(turns, rates, axes, b, T, row, place + HINGED * b)
