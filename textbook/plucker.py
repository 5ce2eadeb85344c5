"""Spatial (Plücker) algebra: six-dimensional vectors [angular; linear], 6x6 transforms and inertias.

Conventions (Featherstone, Rigid Body Dynamics Algorithms, ch. 2 and appendix A): a motion transform X maps a motion
vector from the parent's to the child's coordinates, v_C = X v_P. It is made of E, the rotation of coordinates (v_C = E
v_P for a direction; the transpose of the pose's rotation R_PC), and of r, the child's origin in the parent [m]. Forces
[couple N·m; force N] map the other way with the transpose, f_P = X.T f_C, because power is the same in both frames.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.spatial.rotation import matrix_from_axis_angle, skew

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.pose import Pose

    Array = NDArray[np.float64]


def crm(v: Array) -> Array:
    """Cross product with motions, shape (6, 6): crm(v) @ m = v x m (RBDA 2.31)."""
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = skew(v[:3])
    result[3:, :3] = skew(v[3:])
    return result


def crf(v: Array) -> Array:
    """Cross product with forces, shape (6, 6): crf(v) = -crm(v).T (RBDA 2.32)."""
    result: Array = -crm(v).T
    return result


def motion_transform(E: Array, r: Array) -> Array:
    """X of a child at `r` [m] in the parent whose coordinates are turned by `E`, shape (6, 6): [[E, 0], [-E rx, E]]
    (RBDA 2.24)."""
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = E
    result[3:, :3] = -(E @ skew(r))
    return result


def rotation_transform(E: Array) -> Array:
    """X of a child with the parent's origin, shape (6, 6)."""
    return motion_transform(E, np.zeros(3))


def translation_transform(r: Array) -> Array:
    """X of a child at `r` [m] with the parent's axes, shape (6, 6)."""
    return motion_transform(np.eye(3), r)


def transform_of_pose(pose: Pose) -> Array:
    """X of a child whose pose in the parent is X_PC, shape (6, 6)."""
    return motion_transform(pose.rotation().T, np.array(pose.position))


def inverse_transform(X: Array) -> Array:
    """The child-to-parent motion transform, shape (6, 6), without a matrix inversion: every 3x3 block is transposed."""
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = X[:3, :3].T
    result[3:, :3] = X[3:, :3].T
    return result


def force_transform(X: Array) -> Array:
    """The parent-to-child transform of forces that belongs to X, shape (6, 6): X^-T (RBDA 2.25). The way back is
    X.T."""
    result: Array = inverse_transform(X).T
    return result


def rotation_part(X: Array) -> Array:
    """E, shape (3, 3): turns parent coordinates into child coordinates."""
    E: Array = X[:3, :3].copy()
    return E


def translation_part(X: Array) -> Array:
    """r, shape (3,): the child's origin in the parent [m]."""
    rx = -(X[:3, :3].T @ X[3:, :3])
    return 0.5 * np.array([rx[2, 1] - rx[1, 2], rx[0, 2] - rx[2, 0], rx[1, 0] - rx[0, 1]])


def rotx(angle: float) -> Array:
    """Coordinate transform E, shape (3, 3), of a child turned by `angle` [rad] about x: the transposed rotation
    matrix."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def roty(angle: float) -> Array:
    """Coordinate transform E, shape (3, 3), of a child turned by `angle` [rad] about y."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def rotz(angle: float) -> Array:
    """Coordinate transform E, shape (3, 3), of a child turned by `angle` [rad] about z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def rot_axis(axis: Array, angle: float) -> Array:
    """Coordinate transform E, shape (3, 3), of a child turned by `angle` [rad] about the unit vector `axis` (Rodrigues,
    transposed)."""
    return matrix_from_axis_angle(axis, -angle)


def spatial_inertia(mass: float, com: Array, inertia_com: Array) -> Array:
    """Inertia about the body's origin, shape (6, 6) (RBDA 2.63).

    `mass` [kg]; `com` (3,) [m] in the body frame; `inertia_com` (3, 3) [kg·m²] about the centre of mass, along the
    body's axes.
    """
    c = skew(com)
    result = np.zeros((6, 6))
    result[:3, :3] = inertia_com + mass * (c @ c.T)
    result[:3, 3:] = mass * c
    result[3:, :3] = mass * c.T
    result[3:, 3:] = mass * np.eye(3)
    return result


def inertia_parameters(inertia: Array) -> tuple[float, Array, Array]:
    """Mass [kg], centre of mass (3,) [m] and inertia about it (3, 3) [kg·m²] of a 6x6 inertia; all zero for a massless
    body."""
    mass = float(inertia[3:, 3:].trace() / 3.0)
    if mass == 0.0:
        return 0.0, np.zeros(3), inertia[:3, :3].copy()
    mc = inertia[:3, 3:]
    com = np.array([mc[2, 1] - mc[1, 2], mc[0, 2] - mc[2, 0], mc[1, 0] - mc[0, 1]]) / (2.0 * mass)
    c = skew(com)
    about_com: Array = inertia[:3, :3] - mass * (c @ c.T)
    return mass, com, about_com


def inertia_in_parent(inertia: Array, X: Array) -> Array:
    """A child's 6x6 inertia in the coordinates of its parent: X.T I X (RBDA 2.66)."""
    result: Array = X.T @ inertia @ X
    return result
