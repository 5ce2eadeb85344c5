"""Loop joints by their type, as scalar rows over the pose of the successor's frame in the predecessor's.

With R and p that pose (s-frame in p-frame), b a direction of the predecessor and a one of the successor, three kinds of
rows are enough:
    POINT  b·p − target      ANGLE  b·(R a) − target      TURN  angle of R about b − target
Their gradients over the relative twist [ω; v] at the predecessor's origin are [p × b; b], [(R a) × b; 0] and [b; 0];
what remains of their second derivatives are b·(ω × ṗ), b·(ω × (ω × R a)) and, where the axes are aligned as a turn
needs it, 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.spatial.rotation import across, twist_about
from textbook.plucker import crm, inverse_transform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.rotation import Vec3
    from textbook.clusters.chain import Moving

    Array = NDArray[np.float64]

_PARALLEL = 1e-9


class RowKind(str, Enum):
    """See the module."""

    POINT = "point"
    ANGLE = "angle"
    TURN = "turn"


@dataclass(frozen=True)
class LoopRow:
    """One row; `a` is used by ANGLE only."""

    kind: RowKind
    b: Vec3
    a: Vec3 = (0.0, 0.0, 0.0)
    target: float = 0.0


@dataclass(frozen=True)
class LoopJoint:
    """A cut joint: its frame on body `predecessor` at X_p (6, 6: from the body's to the frame's coordinates), on
    `successor` at X_s, and the rows that it keeps at zero. Bodies are places in the cluster, or OUTSIDE for the body
    that carries the cluster."""

    name: str
    predecessor: int
    X_p: Array
    successor: int
    X_s: Array
    rows: tuple[LoopRow, ...]


@dataclass(frozen=True)
class Relative:
    """Successor's frame in the predecessor's: `R` (3, 3), `p` (3,), relative twist `v` (6,) = `J` q̇, its rate without
    q̈ `bias` (6,)."""

    R: Array
    p: Array
    v: Array
    J: Array
    bias: Array


def ball_rows() -> tuple[LoopRow, ...]:
    """3 rows: the origins coincide."""
    return tuple(LoopRow(RowKind.POINT, axis) for axis in _AXES)


def revolute_rows(axis: Vec3) -> tuple[LoopRow, ...]:
    """5 rows: a ball whose axes stay aligned."""
    return (*ball_rows(), *_aligned(axis))


def cylinder_rows(axis: Vec3) -> tuple[LoopRow, ...]:
    """4 rows: turning and sliding along one axis are free."""
    return (*(LoopRow(RowKind.POINT, direction) for direction in _across(axis)), *_aligned(axis))


def prismatic_rows(axis: Vec3) -> tuple[LoopRow, ...]:
    """5 rows: sliding along `axis`, no turning."""
    return (*(LoopRow(RowKind.POINT, direction) for direction in _across(axis)), *_not_turned())


def universal_rows(first: Vec3, second: Vec3) -> tuple[LoopRow, ...]:
    """4 rows: a ball, and the angle between the predecessor's `first` and the successor's `second` axis stays."""
    angle = float(np.dot(first, second))
    if abs(angle) > 1.0 - _PARALLEL:
        raise UsageError("the two axes of a universal joint must not be parallel")
    return (*ball_rows(), LoopRow(RowKind.ANGLE, first, second, angle))


def fixed_rows() -> tuple[LoopRow, ...]:
    """6 rows: a weld."""
    return (*ball_rows(), *_not_turned())


def planar_rows(normal: Vec3) -> tuple[LoopRow, ...]:
    """3 rows: sliding in the plane and turning about its normal are free."""
    return (LoopRow(RowKind.POINT, normal), *_aligned(normal))


_AXES: tuple[Vec3, Vec3, Vec3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _across(axis: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors that form a right-handed frame with the axis."""
    first, second = across(np.asarray(axis) / np.linalg.norm(axis))
    return _vec(first), _vec(second)


def _aligned(axis: Vec3) -> tuple[LoopRow, LoopRow]:
    first, second = _across(axis)
    return LoopRow(RowKind.ANGLE, first, axis), LoopRow(RowKind.ANGLE, second, axis)


def _not_turned() -> tuple[LoopRow, ...]:
    x, y, z = _AXES
    return (LoopRow(RowKind.ANGLE, x, y), LoopRow(RowKind.ANGLE, y, z), LoopRow(RowKind.ANGLE, z, x))


def _vec(v: Array) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))


def relative_motion(loop: LoopJoint, outside: Array, moving: Moving, base: Array) -> Relative:
    """Pose and twist of the joint's two frames; `outside` (N, 6, 6) are the bodies' transforms from the body that
    carries the cluster, `base` an identity for a joint end on that body itself (6, 6)."""
    Xp, Jp, vp, bp = _end(loop.predecessor, loop.X_p, outside, moving, base)
    Xs, Js, vs, bs = _end(loop.successor, loop.X_s, outside, moving, base)
    X = Xp @ inverse_transform(Xs)
    R = X[:3, :3]
    # X = [[R, 0], [px R, R]] takes motions from the successor's to the predecessor's frame: px = B Rᵀ, of which the
    # skew part is taken.
    px = X[3:, :3] @ R.T
    p = 0.5 * np.array([px[2, 1] - px[1, 2], px[0, 2] - px[2, 0], px[1, 0] - px[0, 1]])
    v = X @ vs - vp
    # d(X v_s)/dt = X v̇_s + v x (X v_s): the successor's axes move by the relative twist v.
    return Relative(R, p, v, X @ Js - Jp, X @ bs + crm(v) @ (X @ vs) - bp)


def _end(body: int, X: Array, outside: Array, moving: Moving, base: Array) -> tuple[Array, Array, Array, Array]:
    if body < 0:
        zero = np.zeros(6)
        return X @ base, np.zeros((6, moving.J.shape[2])), zero, zero
    return X @ outside[body], X @ moving.J[body], X @ moving.v[body], X @ moving.bias[body]


def value_of(row: LoopRow, R: Array, p: Array) -> float:
    """What the row keeps at zero."""
    b = np.asarray(row.b)
    if row.kind is RowKind.POINT:
        return float(b @ p) - row.target
    if row.kind is RowKind.ANGLE:
        return float(b @ R @ np.asarray(row.a)) - row.target
    return twist_about(b, R) - row.target


def gradient_of(row: LoopRow, relative: Relative) -> tuple[Array, float]:
    """(gradient over the relative twist (6,), second derivative without accelerations)."""
    b = np.asarray(row.b)
    omega = relative.v[:3]
    if row.kind is RowKind.POINT:
        speed = relative.v[3:] + np.cross(omega, relative.p)
        # d(b·p)/dt = b·(v + ω x p) = (p x b)·ω + b·v.
        return np.concatenate((np.cross(relative.p, b), b)), float(b @ np.cross(omega, speed))
    if row.kind is RowKind.ANGLE:
        # d(b·c)/dt = b·(ω x c) = (c x b)·ω for c that turns along.
        c = relative.R @ np.asarray(row.a)
        return np.concatenate((np.cross(c, b), np.zeros(3))), float(b @ np.cross(omega, np.cross(omega, c)))
    return np.concatenate((b, np.zeros(3))), 0.0
