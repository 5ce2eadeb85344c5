"""Joint models by code: XJ, S and cJ of every built-in joint (the formulas of simulator.algorithms.joints, written
out)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.algorithms.kernels import layout as at
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Matrix = tuple[float, float, float, float, float, float, float, float, float]


@compiled
def place_joint(i: int, table: Ints, axis: Array, q: Array, qd: Array, mats: Array, vecs: Array) -> None:
    """Fill mats[XJ, i], mats[S, i] and vecs[CJ, i] for body `i`; those of a custom joint stay as the caller left
    them."""
    code, first = table[i, at.CODE], table[i, at.FIRST]
    if code == at.CUSTOM:
        return
    X = mats[at.XJ, i]
    S = mats[at.S, i]
    c = vecs[at.CJ, i]
    c[:] = 0.0
    if code == at.FIXED:
        write_transform(X, unturned(), 0.0, 0.0, 0.0)
    elif code <= at.HELICAL:
        _single(code, axis[i], q[first], qd[first], X, S, c)
    elif code <= at.EULER_ZXY:
        a, b = _first_axes(code)
        _euler(a, b, 3 - a - b, q[first : first + 3], qd[first : first + 3], X, S, c)
    elif code == at.TRANSLATION_XYZ:
        _translation(q[first : first + 3], X, S)
    elif code == at.PLANAR:
        _planar(q[first : first + 3], qd[first : first + 3], X, S, c)
    elif code == at.SPHERICAL:
        _spherical(q[first : first + 3], q[table[i, at.EXTRA]], X, S)
    else:
        _floating(q[first : first + 6], q[table[i, at.EXTRA]], qd[first : first + 6], X, S, c)


@compiled
def _first_axes(code: int) -> tuple[int, int]:
    """Axis numbers of the first two turns."""
    if code == at.EULER_ZYX:
        return 2, 1
    if code == at.EULER_XYZ:
        return 0, 1
    return (1, 0) if code == at.EULER_YXZ else (2, 0)


@compiled
def _translation(q: Array, X: Array, S: Array) -> None:
    write_transform(X, unturned(), q[0], q[1], q[2])
    for k in range(3):
        S[k, 3 + k] = 1.0


@compiled
def _spherical(q: Array, w: float, X: Array, S: Array) -> None:
    write_transform(X, _from_quaternion(q[0], q[1], q[2], w), 0.0, 0.0, 0.0)
    for k in range(3):
        S[k, k] = 1.0


@compiled
def _single(code: int, row: Array, q: float, qd: float, X: Array, S: Array, c: Array) -> None:
    for k in range(6):
        S[0, k] = row[k]
    if code == at.PRISMATIC:
        write_transform(X, unturned(), q * row[3], q * row[4], q * row[5])
    elif code == at.REVOLUTE_X:
        write_transform(X, _about_axis(0, q), 0.0, 0.0, 0.0)
    elif code == at.REVOLUTE_Y:
        write_transform(X, _about_axis(1, q), 0.0, 0.0, 0.0)
    elif code == at.REVOLUTE_Z:
        write_transform(X, _about_axis(2, q), 0.0, 0.0, 0.0)
    else:
        E = turn_about(row[0], row[1], row[2], q)
        write_transform(X, E, q * row[3], q * row[4], q * row[5])
        # A screw's translation axis turns with the frame: S is constant in inboard axes, so its rate outboard is -ω x
        # S.
        if code == at.HELICAL:
            x, y, z = _turned(E, row[3], row[4], row[5])
            S[0, 3] = x
            S[0, 4] = y
            S[0, 5] = z
            c[3] = -qd * qd * (row[1] * z - row[2] * y)
            c[4] = -qd * qd * (row[2] * x - row[0] * z)
            c[5] = -qd * qd * (row[0] * y - row[1] * x)


@compiled
def _euler(axis_a: int, axis_b: int, axis_c: int, q: Array, qd: Array, X: Array, S: Array, c: Array) -> None:
    Ec = _about_axis(axis_c, q[2])
    Ecb = _product(Ec, _about_axis(axis_b, q[1]))
    write_transform(X, _product(Ecb, _about_axis(axis_a, q[0])), 0.0, 0.0, 0.0)
    for k in range(3):
        # The first turn's axis goes through the two turns after it, the second's through one.
        S[0, k] = Ecb[3 * k + axis_a]
        S[1, k] = Ec[3 * k + axis_b]
        S[2, k] = 0.0
    S[2, axis_c] = 1.0
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        late_m, late_n = S[2, m] * qd[2], S[2, n] * qd[2]
        both_m, both_n = late_m + S[1, m] * qd[1], late_n + S[1, n] * qd[1]
        # dS_a/dt = -(ω_b + ω_c) x S_a and dS_b/dt = -ω_c x S_b, each a velocity of axes against what comes after.
        c[k] = -(both_m * S[0, n] - both_n * S[0, m]) * qd[0] - (late_m * S[1, n] - late_n * S[1, m]) * qd[1]


@compiled
def _planar(q: Array, qd: Array, X: Array, S: Array, c: Array) -> None:
    cosine, sine = math.cos(q[2]), math.sin(q[2])
    write_transform(X, _about_axis(2, q[2]), q[0], q[1], 0.0)
    S[0, 3] = cosine
    S[0, 4] = -sine
    S[1, 3], S[1, 4] = sine, cosine
    S[2, 2] = 1.0
    # Velocities along fixed axes, seen from a frame that turns: c = dS/dt q̇, S a rotation by -θ.
    c[3] = qd[2] * (cosine * qd[1] - sine * qd[0])
    c[4] = -qd[2] * (cosine * qd[0] + sine * qd[1])


@compiled
def _floating(q: Array, w: float, qd: Array, X: Array, S: Array, c: Array) -> None:
    E = _from_quaternion(q[3], q[4], q[5], w)
    write_transform(X, E, q[0], q[1], q[2])
    for k in range(3):
        S[3 + k, k] = 1.0
        for j in range(3):
            S[k, 3 + j] = E[3 * j + k]
    # Translation first, in fixed axes: its directions turn in the body by -ω, c = -ω x (E v).
    x, y, z = _turned(E, qd[0], qd[1], qd[2])
    c[3] = qd[5] * y - qd[4] * z
    c[4] = qd[3] * z - qd[5] * x
    c[5] = qd[4] * x - qd[3] * y


@compiled
def write_transform(X: Array, E: Matrix, x: float, y: float, z: float) -> None:
    """X = [[E, 0], [-E rx, E]] from nine entries of E and r = (x, y, z)."""
    for i in range(3):
        e0 = E[3 * i]
        e1 = E[3 * i + 1]
        e2 = E[3 * i + 2]
        X[i, 0] = e0
        X[i, 1] = e1
        X[i, 2] = e2
        X[i + 3, 3] = e0
        X[i + 3, 4] = e1
        X[i + 3, 5] = e2
        X[i, 3] = 0.0
        X[i, 4] = 0.0
        X[i, 5] = 0.0
        # Entries of -E rx (RBDA 2.8).
        X[i + 3, 0] = e2 * y - e1 * z
        X[i + 3, 1] = e0 * z - e2 * x
        X[i + 3, 2] = e1 * x - e0 * y


@compiled
def unturned() -> Matrix:
    """E of no turn, nine entries."""
    return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@compiled
def _about_axis(axis: int, angle: float) -> Matrix:
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return (1.0, 0.0, 0.0, 0.0, c, s, 0.0, -s, c)
    if axis == 1:
        return (c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c)
    return (c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0)


@compiled
def turn_about(x: float, y: float, z: float, q: float) -> Matrix:
    """E of a turn about (x, y, z) by q times its length (Rodrigues, transposed)."""
    length = math.sqrt(x * x + y * y + z * z)
    x = x / length
    y = y / length
    z = z / length
    c, s = math.cos(q * length), math.sin(q * length)
    d = 1.0 - c
    return (
        c + d * x * x,
        d * x * y + s * z,
        d * x * z - s * y,
        d * x * y - s * z,
        c + d * y * y,
        d * y * z + s * x,
        d * x * z + s * y,
        d * y * z - s * x,
        c + d * z * z,
    )


@compiled
def _from_quaternion(x: float, y: float, z: float, w: float) -> Matrix:
    """E of the quaternion (x, y, z, w), which need not have length 1."""
    d = 2.0 / (x * x + y * y + z * z + w * w)
    return (
        1.0 - d * (y * y + z * z),
        d * (x * y + w * z),
        d * (x * z - w * y),
        d * (x * y - w * z),
        1.0 - d * (x * x + z * z),
        d * (y * z + w * x),
        d * (x * z + w * y),
        d * (y * z - w * x),
        1.0 - d * (x * x + y * y),
    )


@compiled
def _turned(E: Matrix, x: float, y: float, z: float) -> tuple[float, float, float]:
    """E times (x, y, z)."""
    return (E[0] * x + E[1] * y + E[2] * z, E[3] * x + E[4] * y + E[5] * z, E[6] * x + E[7] * y + E[8] * z)


@compiled
def _product(A: Matrix, B: Matrix) -> Matrix:
    """A B of two 3x3 matrices of nine entries."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )
