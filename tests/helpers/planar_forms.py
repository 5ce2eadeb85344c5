"""Linkages in a plane with one freedom as books write them, in arithmetic that is analytic in all their numbers.

A linkage is its crank angle t: J(t) t'' + ½ J'(t) t'² + V'(t) = τ with J = Σ m |c'|² + I φ'², c and φ being places of
centres of mass and angles of bodies, and ' d/dt of these (Eksergian 1930; Wittenbauer's J). Closure is solved by
Newton's method in complex arithmetic, so that the imaginary part of a result by a step of 1e-30 i of a number is the
derivative by it, to the last bits. Angles count from x to z, as drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Numbers = Mapping[str, complex]
    Array = NDArray[Any]

STEP = 1e-30
NEWTON = 15
"""Rounds: from the start pose they close a linkage to round-off in less than ten, and its derivative in one more."""


@dataclass(frozen=True)
class Form:
    """What a linkage is at one crank angle: `angles` of all joints' coordinates in the order of the world, `first` and
    `second` derivative of them by t; `inertia` J, `slope` J', `force` V'."""

    angles: Array
    first: Array
    second: Array
    inertia: complex
    slope: complex
    force: complex

    def effort(self, numbers: Numbers, dampings: tuple[str, ...], speed: float, acceleration: float) -> complex:
        """On the crank, against inertia, gravity and dampers of joints."""
        lost = sum(numbers[name] * rate * rate for name, rate in zip(dampings, self.first, strict=False))
        return complex(self.inertia * acceleration + 0.5 * self.slope * speed**2 + self.force + lost * speed)

    def acceleration(self, numbers: Numbers, dampings: tuple[str, ...], speed: float, effort: float) -> complex:
        """Of the crank under an effort on it."""
        return (effort - self.effort(numbers, dampings, speed, 0.0)) / self.inertia


def derivative(function: Callable[[Numbers], Array | complex], numbers: Mapping[str, float], name: str) -> Array:
    """By one of the numbers, by the complex step."""
    moved: dict[str, complex] = {**numbers, name: numbers[name] + 1j * STEP}
    return np.asarray(function(moved)).imag / STEP


def direction(angle: complex) -> Array:
    """Of x of a body."""
    return np.array([np.cos(angle), np.sin(angle)])


def across(angle: complex) -> Array:
    """Of z of a body; the derivative of `direction`."""
    return np.array([-np.sin(angle), np.cos(angle)])


def four_bar(p: Numbers, t: float) -> Form:
    """worlds/four_bar.sdf: angles of crank, coupler against crank, rocker, closing joint, from the start pose on."""
    b, c = 0.62871512764554, 1.79577497339621
    a = t + 0j
    crank, coupler, rocker, ground = (
        p[name] for name in ("crank.length", "coupler.length", "rocker.length", "rocker_joint.parent_pose.x")
    )
    base = np.array([ground, 0.0])
    for _ in range(NEWTON):
        gap = crank * direction(a) + coupler * direction(b) - base - rocker * direction(c)
        b, c = np.array([b, c]) - np.linalg.solve(_two(coupler, b, rocker, c), gap)
    K = _two(coupler, b, rocker, c)
    db, dc = np.linalg.solve(K, -crank * across(a))
    bent = crank * direction(a) + coupler * direction(b) * db**2 - rocker * direction(c) * dc**2
    ddb, ddc = np.linalg.solve(K, bent)
    pin = crank * direction(a), crank * across(a), -crank * direction(a)
    still = np.zeros(2)
    bodies = [
        _body(p, "crank", (a, 1.0, 0.0), (still, still, still)),
        _body(p, "coupler", (b, db, ddb), pin),
        _body(p, "rocker", (c, dc, ddc), (base, still, still)),
    ]
    angles = np.array([a, b - a, c, c - b])
    first, second = np.array([1.0, db - 1.0, dc, dc - db]), np.array([0.0, ddb, ddc, ddc - ddb])
    return _form(p, bodies, angles, first, second)


def slider_crank(p: Numbers, t: float) -> Form:
    """worlds/slider_crank.sdf: angles of crank and of rod against crank, place of the piston, angle of its wrist."""
    a, b, r, rod = t + 0j, -0.27405044465565104 + 0j, p["crank.length"], p["rod.length"]
    for _ in range(NEWTON):
        b = b - (r * np.sin(a) + rod * np.sin(b)) / (rod * np.cos(b))
    db = -r * np.cos(a) / (rod * np.cos(b))
    ddb = (r * np.sin(a) + rod * np.sin(b) * db**2) / (rod * np.cos(b))
    place = r * direction(a) + rod * direction(b)
    speed = r * across(a) + rod * across(b) * db
    bent = -r * direction(a) + rod * (across(b) * ddb - direction(b) * db**2)
    pin, still = (r * direction(a), r * across(a), -r * direction(a)), np.zeros(2)
    bodies = [
        _body(p, "crank", (a, 1.0, 0.0), (still, still, still)),
        _body(p, "rod", (b, db, ddb), pin),
        _body(p, "piston", (0.0, 0.0, 0.0), (place, speed, bent)),
    ]
    angles = np.array([a, b - a, place[0], -b])
    first, second = np.array([1.0, db - 1.0, speed[0], -db]), np.array([0.0, ddb, bent[0], -ddb])
    return _form(p, bodies, angles, first, second)


def _two(coupler: complex, b: complex, rocker: complex, c: complex) -> Array:
    return np.stack([coupler * across(b), -rocker * across(c)], axis=1)


def _body(p: Numbers, name: str, angle: tuple[complex, complex, complex], pin: tuple[Array, Array, Array]) -> Array:
    """Contributions of a body, whose origin is at `pin` with its two derivatives, to J, J' and V'."""
    f, df, ddf = angle
    x, z, mass, moment = (p[f"{name}.{part}"] for part in ("com.x", "com.z", "mass", "inertia.iyy"))
    arm, turned = x * direction(f) + z * across(f), x * across(f) - z * direction(f)
    first, second = pin[1] + turned * df, pin[2] + turned * ddf - arm * df**2
    return np.array(
        [
            mass * (first @ first) + moment * df**2,
            2.0 * mass * (first @ second) + 2.0 * moment * df * ddf,
            -mass * p["world.gravity.z"] * first[1] - mass * p["world.gravity.x"] * first[0],
        ]
    )


def _form(p: Numbers, bodies: list[Array], angles: Array, first: Array, second: Array) -> Form:
    inertia, slope, force = np.sum(bodies, axis=0)
    return Form(angles, first, second, inertia, slope, force)
