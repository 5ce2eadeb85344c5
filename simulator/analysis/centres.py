"""Screw axes, instant centres and polodes: about what a body turns; and what the motion does to the ground.

With angular velocity ω and the velocity v of a point at p, the body turns about the line through p + (ω × v) / |ω|²
along ω and slides along it by the pitch h = ω · v / |ω|² (Mozzi 1763; Hunt, Kinematic Geometry of Mechanisms, ch. 2).
In a plane h = 0 and the line's point in the plane of the links is the instant centre. Both are geometry, so they are of
the motion in which the first moved axis goes with 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose_arrays import cross

if TYPE_CHECKING:
    from simulator.analysis.sweeps import Swept
    from simulator.spatial.arrays import Array


STILL = 1e-12
"""Angular velocity per velocity of the first axis below which a body only slides: its axis is at infinity, nan."""
FLAT = 1e-9
"""Part of the motion out of the plane below which a mechanism is planar."""


class ScrewAxis(NamedTuple):
    """`point` (n, 3): of the line, nearest to the joint that carries the body [m]; `direction` (n, 3); `pitch` (n,)
    [m/rad]; nan where the body does not turn."""

    point: Array
    direction: Array
    pitch: Array


def screw_axis(swept: Swept, body: int, other: int = 0) -> ScrewAxis:
    """About what a body turns against another one, the world by default, at every point."""
    place, omega, velocity = _motion(swept, body)
    there, turning, moving = _motion(swept, other)
    velocity = velocity - moving - cross(turning, place - there)
    omega = omega - turning
    square = _square(omega)
    point = _turned_about(place, omega, velocity)
    return ScrewAxis(point, omega / np.sqrt(square)[:, None], np.sum(omega * velocity, axis=1) / square)


def _square(omega: Array) -> Array:
    """Of angular velocities, shape (...,); nan of those that are none."""
    square = np.sum(omega * omega, axis=-1)
    return np.where(square > STILL**2, square, np.nan)


def _turned_about(place: Array, omega: Array, velocity: Array) -> Array:
    """The point nearest to `place` about which what moves there with `velocity` turns, shapes (..., 3)."""
    point: Array = place + cross(omega, velocity) / _square(omega)[..., None]
    return point


def centres_in_world(swept: Swept) -> Array:
    """Points of the axes about which all bodies but the world turn against it, as `screw_axis` gives them, shape (n,
    n_bodies - 1, 3)."""
    place, twist = swept.unit_motion.all_twists()
    return _turned_about(place, twist[..., :3], twist[..., 3:])


class Polodes(NamedTuple):
    """Of a body in plane motion, shape (n, 3) each [m]: `fixed` in the world, `moving` in the body's frame; nan where
    the body does not turn."""

    fixed: Array
    moving: Array


def polodes(swept: Swept, body: int, fixed: Array) -> Polodes:
    """Where the instant centre of a body against the world is along a sweep; `fixed`: its column of
    `centres_in_world`."""
    R, origin = swept.body_frames(body)
    return Polodes(fixed, np.einsum("nji,nj->ni", R, fixed - origin))


def _motion(swept: Swept, body: int) -> tuple[Array, Array, Array]:
    """A point of a body, its angular velocity, and the point's velocity."""
    twist, _ = swept.body_motion(body, unit=True)
    return swept.node_origin(body), twist[:, :3], twist[:, 3:]


def plane_normal(swept: Swept) -> Array | None:
    """The normal of the plane in which everything moves, shape (3,); None in space."""
    twists = swept.unit_motion.all_twists()[1].reshape(-1, 6)
    size = float(np.abs(twists).max(initial=0.0))
    turns = twists[np.linalg.norm(twists[:, :3], axis=1) > FLAT * size, :3]
    if not len(turns):
        return None
    normal: Array = np.linalg.svd(turns, full_matrices=False)[2][0]
    tilted = np.abs(turns - np.outer(turns @ normal, normal)).max(initial=0.0)
    lifted = np.abs(twists[:, 3:] @ normal).max(initial=0.0)
    return None if max(tilted, lifted) > FLAT * size else normal


def shaking(swept: Swept) -> Array:
    """Force [N] and moment about the world's origin [N m] that the bodies' inertia exerts on the ground, -Σ m a and -Σ
    (c × m a + dL/dt), shape (n, 6); without weight and loads."""
    result = np.zeros((len(swept), 6))
    for index, body in enumerate(swept.mechanism.bodies):
        if index == 0:
            continue
        R, _ = swept.body_frames(index)
        centre, _, acceleration = swept.point_motion(index, body.com)
        twist, bend = swept.body_motion(index)
        inertia = R @ inertia_matrix(*body.inertia) @ R.transpose(0, 2, 1)
        spin = (inertia @ twist[:, :3, None])[..., 0]
        turned = (inertia @ bend[:, :3, None])[..., 0] + cross(twist[:, :3], spin)
        result[:, :3] -= body.mass * acceleration
        result[:, 3:] -= cross(centre, body.mass * acceleration) + turned
    return result
