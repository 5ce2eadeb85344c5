"""Unit quaternions (x, y, z, w), rotation matrices and rotation vectors.

Conventions: active rotations; `R_AB @ v_B = v_A`; roll-pitch-yaw are fixed-axis angles,
R = Rz(yaw) Ry(pitch) Rx(roll), as SDFormat and URDF define them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

IDENTITY_QUAT: Quat = (0.0, 0.0, 0.0, 1.0)
ROUND_OFF = 8.9e-16
"""A length this near to 1 is 1: what was scaled once is left as it is, so that values read, written and read again stay
the same."""


def normalized(v: Vec3) -> Vec3:
    """`v` scaled to length 1. Raises ValueError for the zero vector."""
    length = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if length == 0.0 or not math.isfinite(length):
        raise ValueError("a zero or infinite vector has no direction")
    if abs(length - 1.0) < ROUND_OFF:
        return v
    return (v[0] / length, v[1] / length, v[2] / length)


def perpendicular_to(n: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors u, v with u x v = n for a unit vector `n`; x and y for z."""
    largest = max(range(3), key=lambda i: abs(n[i]))
    start = [0.0, 0.0, 0.0]
    start[(largest + 1) % 3] = 1.0
    along = sum(a * b for a, b in zip(n, start, strict=True))
    u = normalized((start[0] - along * n[0], start[1] - along * n[1], start[2] - along * n[2]))
    return u, (n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0])


def across(direction: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two unit vectors u, v that make a right-handed frame (direction, u, v) with a unit vector, shapes (3,); u is
    across the axis that the direction is least along, so that no small number is divided by."""
    first = cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    first /= np.linalg.norm(first)
    return first, cross(direction, first)


def cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """a x b of two vectors, shape (3,): numpy's own takes ten times as long for so few numbers."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), dtype=np.float64)


def quat_normalized(q: Quat) -> Quat:
    """`q` scaled to length 1. Raises ValueError for the zero quaternion."""
    length = math.sqrt(sum(c * c for c in q))
    if length == 0.0 or not math.isfinite(length):
        raise ValueError("a zero or infinite quaternion is not a rotation")
    if abs(length - 1.0) < ROUND_OFF:
        return q
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def quat_multiply(a: Quat, b: Quat) -> Quat:
    """Hamilton product: first `b`, then `a`."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def quat_conjugate(q: Quat) -> Quat:
    """The inverse rotation of a unit quaternion."""
    return (-q[0], -q[1], -q[2], q[3])


def quat_rotate(q: Quat, v: Vec3) -> Vec3:
    """`v` turned by the unit quaternion `q`."""
    x, y, z, w = q
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


def quat_from_rpy(roll: float, pitch: float, yaw: float) -> Quat:
    """Fixed-axis roll, pitch, yaw [rad] as a unit quaternion."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def rpy_from_quat(q: Quat) -> Vec3:
    """Fixed-axis roll, pitch, yaw [rad] of a unit quaternion, the pitch in [-π/2, π/2]; the yaw is 0 where the pitch is
    ±π/2 and only one turn of both is determined."""
    R = rows_from_quat(q)
    level = math.hypot(R[0][0], R[1][0])
    pitch = math.atan2(0.0 - R[2][0], level)  # 0, not -0
    if level < 1e-12:
        return (math.atan2(-R[1][2], R[1][1]), pitch, 0.0)
    return (math.atan2(R[2][1], R[2][2]), pitch, math.atan2(R[1][0], R[0][0]))


def quat_from_axis_angle(axis: Vec3, angle: float) -> Quat:
    """Rotation by `angle` [rad] about the unit vector `axis`."""
    s = math.sin(angle / 2)
    return (axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2))


def quat_from_matrix(rotation: NDArray[np.float64]) -> Quat:
    """Unit quaternion of a 3x3 rotation matrix (Shepperd's method: the largest component is divided by)."""
    r = rotation
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    candidates = (r[0, 0], r[1, 1], r[2, 2], trace)
    pick = max(range(4), key=lambda i: candidates[i])
    if pick == 3:
        q = (r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1.0 + trace)
    else:
        i = pick
        j = (pick + 1) % 3
        k = (pick + 2) % 3
        parts = [0.0, 0.0, 0.0]
        parts[i] = 1.0 - trace + 2.0 * r[i, i]
        parts[j] = r[j, i] + r[i, j]
        parts[k] = r[k, i] + r[i, k]
        q = (parts[0], parts[1], parts[2], r[k, j] - r[j, k])
    return quat_normalized((float(q[0]), float(q[1]), float(q[2]), float(q[3])))


def matrix_from_quat(q: Quat) -> NDArray[np.float64]:
    """3x3 rotation matrix of a unit quaternion."""
    return np.array(rows_from_quat(q))


def rows_from_quat(q: Quat) -> tuple[Vec3, Vec3, Vec3]:
    """Rows of the rotation matrix of a unit quaternion."""
    x, y, z, w = q
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def matrix_from_axis_angle(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """3x3 rotation by `angle` [rad] about the unit vector `axis` (Rodrigues' formula)."""
    return np.array(rows_from_axis_angle(axis.tolist(), angle))


def rows_from_axis_angle(axis: Sequence[float], angle: float) -> tuple[Vec3, Vec3, Vec3]:
    """Rows of the rotation matrix by `angle` [rad] about the unit vector `axis` (Rodrigues' formula)."""
    (x, y, z) = axis
    c = math.cos(angle)
    s = math.sin(angle)
    v = 1.0 - c
    return (
        (c + v * x * x, v * x * y - s * z, v * x * z + s * y),
        (v * x * y + s * z, c + v * y * y, v * y * z - s * x),
        (v * x * z - s * y, v * y * z + s * x, c + v * z * z),
    )


def skew(v: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix of the cross product: skew(a) @ b = a x b."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rotation_vector(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Axis times angle [rad] of a 3x3 rotation matrix, angle in [0, pi]."""
    x, y, z, w = quat_from_matrix(rotation)
    v = np.array([x, y, z]) if w >= 0 else np.array([-x, -y, -z])
    sine = float(np.linalg.norm(v))
    if sine < 1e-12:
        doubled: NDArray[np.float64] = 2.0 * v
        return doubled
    angle = 2.0 * math.atan2(sine, abs(w))
    vector: NDArray[np.float64] = v * (angle / sine)
    return vector


def twist_about(direction: NDArray[np.float64], rotation: NDArray[np.float64]) -> float:
    """Angle of a 3x3 rotation about the unit vector `direction` [rad] (swing-twist decomposition)."""
    axis = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    cosine_part = float(np.trace(rotation)) - float(direction @ rotation @ direction)
    return math.atan2(float(direction @ axis), cosine_part)
