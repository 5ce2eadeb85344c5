"""Unit quaternions in time: exponential, integration on the right side, interpolation, Euler angles.

Quaternions are (x, y, z, w) and active, as in rotation.py. The angular velocity may be given in the body's axes or in
the base's: body velocity multiplies from the right, base velocity from the left (Diebel, Representing Attitude, 2006,
eqs. 105-110). A quaternion that is integrated on the wrong side keeps its length and is wrong all the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.spatial.rotation import matrix_from_quat, quat_from_axis_angle, quat_multiply, quat_normalized

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simulator.spatial.rotation import Quat, Vec3

_AXES: dict[str, Vec3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
SMALL_ANGLE = 1e-4
"""Below this angle [rad] sin(a/2)/a is a series of two terms, exact to 1e-20."""


def quat_exp(rotation_vector: Vec3) -> Quat:
    """Unit quaternion of a rotation vector (axis times angle) [rad]; finite and smooth at zero."""
    x, y, z = rotation_vector
    angle = math.sqrt(x * x + y * y + z * z)
    scale = 0.5 - angle * angle / 48.0 if angle < SMALL_ANGLE else math.sin(0.5 * angle) / angle
    return (scale * x, scale * y, scale * z, math.cos(0.5 * angle))


def integrate_body(q: Quat, omega: Vec3, dt: float) -> Quat:
    """q ⊗ exp(omega dt), normalised: `omega` [rad/s] constant for `dt` [s], in the BODY's axes."""
    return quat_normalized(quat_multiply(q, quat_exp((omega[0] * dt, omega[1] * dt, omega[2] * dt))))


def integrate_base(q: Quat, omega: Vec3, dt: float) -> Quat:
    """exp(omega dt) ⊗ q, normalised: `omega` [rad/s] constant for `dt` [s], in the BASE's axes."""
    return quat_normalized(quat_multiply(quat_exp((omega[0] * dt, omega[1] * dt, omega[2] * dt)), q))


def quat_rate(q: Quat, omega: Vec3) -> Quat:
    """dq/dt = ½ q ⊗ (omega, 0) for `omega` [rad/s] in the body's axes [1/s]."""
    x, y, z, w = quat_multiply(q, (omega[0], omega[1], omega[2], 0.0))
    return (0.5 * x, 0.5 * y, 0.5 * z, 0.5 * w)


def slerp(a: Quat, b: Quat, t: float) -> Quat:
    """The rotation at fraction `t` of the shorter great arc from `a` (t = 0) to `b` (t = 1)."""
    cosine = sum(p * q for p, q in zip(a, b, strict=True))
    sign = -1.0 if cosine < 0.0 else 1.0
    angle = math.atan2(math.sqrt(max(0.0, 1.0 - cosine * cosine)), abs(cosine))
    if angle < SMALL_ANGLE:
        from_a = 1.0 - t
        from_b = sign * t
    else:
        from_a = math.sin((1.0 - t) * angle) / math.sin(angle)
        from_b = sign * math.sin(t * angle) / math.sin(angle)
    return quat_normalized(
        (
            from_a * a[0] + from_b * b[0],
            from_a * a[1] + from_b * b[1],
            from_a * a[2] + from_b * b[2],
            from_a * a[3] + from_b * b[3],
        )
    )


def quat_from_euler(order: str, angles: Vec3) -> Quat:
    """Turns [rad] about the moving axes in `order`: "zyx" is q_z ⊗ q_y ⊗ q_x with the angles in that order.

    The libraries disagree on what "from XYZ" means: RDL's fromXYZ is `quat_from_euler("xyz", (x, y, z))`, RBDL's is
    `quat_from_euler("zyx", (z, y, x))`.
    """
    first, second, third = (quat_from_axis_angle(_AXES[name], angle) for name, angle in zip(order, angles, strict=True))
    return quat_multiply(quat_multiply(first, second), third)


def coordinate_matrix(q: Quat) -> NDArray[np.float64]:
    """E, shape (3, 3): turns parent coordinates into the body's; the transpose of the rotation matrix (RDL's
    toMatrix)."""
    E: NDArray[np.float64] = matrix_from_quat(q).T
    return E
