"""Linkages with lengths of one's choice, and where their pins are by intersecting circles and spheres."""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

import numpy as np

from tests.helpers.documents import joint, link, model, world

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

GROUND = 0.2
"""Between the two motors of a five-bar [m]."""
RADIUS = {"base": 0.2, "platform": 0.05}
"""From the axis of a Delta robot to its motors, and to its rods [m]."""
ARM, HEIGHT = 0.1, -0.35
"""Length of an arm of a Delta robot, and where its platform is at the start [m]."""
ROD = math.hypot(HEIGHT, RADIUS["base"] + ARM - RADIUS["platform"])
"""Length of its rods [m]."""


def meeting(a: complex, r: float, b: complex, s: float, near: complex) -> complex:
    """The point at distance r from a and s from b that is nearer to `near`, in the complex plane."""
    d = abs(b - a)
    x = (d * d + r * r - s * s) / (2.0 * d)
    y = math.sqrt(r * r - x * x)
    along = (b - a) / d
    return min((a + along * complex(x, sign * y) for sign in (1.0, -1.0)), key=lambda point: abs(point - near))


def meeting_below(centres: Array, radii: Array) -> Array:
    """The lower of the two points at `radii` (3,) from `centres` (3, 3) [m]: spheres 1 and 2 less sphere 0 are planes,
    whose line meets sphere 0."""
    normals = 2.0 * (centres[1:] - centres[0])
    squares = (centres**2).sum(axis=1) - radii**2
    line = np.cross(*normals)
    line /= np.linalg.norm(line)
    foot = np.linalg.lstsq(normals, squares[1:] - squares[0], rcond=None)[0]
    offset = foot - centres[0]
    half = offset @ line
    root = math.sqrt(half * half - offset @ offset + radii[0] ** 2)
    return min((foot + (sign * root - half) * line for sign in (1.0, -1.0)), key=lambda point: float(point[2]))


def five_bar(near: float, far: float, right: float) -> str:
    """Motors at the origin and at (GROUND, 0) turn bars of 0.15 m and `near` [m], bars `far` and `right` [m] meet in a
    pin. In the plane of x and y; the near bars are at 120° and 60°, x runs along every bar."""
    elbows = cmath.rect(near, 2.0), GROUND + cmath.rect(0.15, 1.0)
    tip = meeting(elbows[0], far, elbows[1], right, 1j)
    angles = [2.0, 1.0, *(cmath.phase(tip - elbow) for elbow in elbows)]
    starts = [0j, complex(GROUND), *elbows]
    names = ("left_near", "right_near", "left_far", "right_far")
    bars = [link(n, pose=f"{p.real!r} {p.imag!r} 0 0 0 {a!r}") for n, p, a in zip(names, starts, angles, strict=True)]
    return world(
        model(
            "five_bar",
            *bars,
            joint("left_motor", "revolute", parent="world", child="left_near"),
            joint("right_motor", "revolute", parent="world", child="right_near"),
            joint("left_elbow", "revolute", parent="left_near", child="left_far"),
            joint("right_elbow", "revolute", parent="right_near", child="right_far"),
            joint("tip", "revolute", parent="right_far", child="left_far", pose=f"{far!r} 0 0 0 0 0"),
        )
    )


def delta() -> str:
    """A Delta robot whose platform three slides prevent from turning: motors at 0°, 120° and 240° turn arms of ARM
    about the tangent, 0 where they lie flat; rods of ROD have a universal joint at the elbow and a ball at the
    platform."""
    slides = [
        joint(f"slide_{letter}", "prismatic", parent=parent, child=child, axis=axis)
        for letter, parent, child, axis in (
            ("x", "world", "wagon_x", "1 0 0"),
            ("y", "wagon_x", "wagon_y", "0 1 0"),
            ("z", "wagon_y", "platform", "0 0 1"),
        )
    ]
    parts = [link(name, pose=f"0 0 {HEIGHT!r} 0 0 0") for name in ("wagon_x", "wagon_y", "platform")]
    out = RADIUS["base"] + ARM
    pitch = math.atan2(-HEIGHT, RADIUS["platform"] - out)
    for i in range(3):
        yaw = 2.0 * math.pi * i / 3.0
        c, s = math.cos(yaw), math.sin(yaw)
        parts += [
            link(f"arm{i}", pose=f"{RADIUS['base'] * c!r} {RADIUS['base'] * s!r} 0 0 0 {yaw!r}"),
            link(f"rod{i}", pose=f"{out * c!r} {out * s!r} 0 0 {pitch!r} {yaw!r}"),
            joint(f"motor{i}", "revolute", parent="world", child=f"arm{i}", axis="0 1 0"),
            _universal(f"elbow{i}", f"arm{i}", f"rod{i}"),
            f'<joint name="ball{i}" type="ball"><pose relative_to="rod{i}">{ROD!r} 0 0 0 0 0</pose>'
            f"<parent>rod{i}</parent><child>platform</child></joint>",
        ]
    return world(model("delta", *parts, *slides))


def _universal(name: str, parent: str, child: str) -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return (
        f'<joint name="{name}" type="universal">{ends}<axis><xyz>0 1 0</xyz></axis>'
        "<axis2><xyz>0 0 1</xyz></axis2></joint>"
    )


def delta_platform(motors: Array, arms: Array, rods: Array) -> Array:
    """Where the platform is [m], shape (3,): elbows moved in by its radius are `rods` away from it."""
    yaw = 2.0 * np.pi * np.arange(3) / 3.0
    out = RADIUS["base"] + arms * np.cos(motors) - RADIUS["platform"]
    centres = np.column_stack((out * np.cos(yaw), out * np.sin(yaw), -arms * np.sin(motors)))
    return meeting_below(centres, rods)
