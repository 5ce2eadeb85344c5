"""Mechanisms in space, as documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.api.drives import effort, position, sine, velocity
from simulator.building.parts.planar import started
from simulator.building.shapes import bar, box, cylinder, sphere
from simulator.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from simulator.building.draft import Draft
    from simulator.spatial.arrays import Array


Triple = tuple[float, float, float]
SIDE = np.array([0.0, 1.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])


def _t(v: Array) -> Triple:
    return (float(v[0]), float(v[1]), float(v[2]))


def sarrus(
    bar_length: float = 0.15, sides: int = 2, *, angle: float = math.radians(50.0), width: float = 0.05
) -> Draft:
    """Sarrus' linkage: hinged pairs of plates at `sides` sides of a platform lift it straight up. `angle`: of the lower
    plates above the ground."""
    if sides < 2 or not 0.0 < angle < math.pi / 2.0:
        raise UsageError("Sarrus' linkage has two sides or more, and an angle between 0 and 90 degrees")
    draft = started("sarrus", f"Sarrus linkage with {sides} sides")
    rim = 1.2 * width
    height = 2.0 * bar_length * math.sin(angle)
    top = draft.link("platform", cylinder(rim, 0.2 * width, (0.0, 0.0, height)))
    for i in range(sides):
        turn = i * 2.0 * math.pi / sides if sides > 2 else i * math.pi / 2.0
        out = np.array([math.cos(turn), math.sin(turn), 0.0])
        hinge = _t(np.array([-math.sin(turn), math.cos(turn), 0.0]))
        foot = rim * out
        knee = foot + bar_length * (math.cos(angle) * out + math.sin(angle) * UP)
        head = foot + height * UP
        lower = draft.link(f"lower_{i + 1}", bar(_t(foot), _t(knee), width=0.012, thickness=width, normal=hinge))
        upper = draft.link(f"upper_{i + 1}", bar(_t(knee), _t(head), width=0.012, thickness=width, normal=hinge))
        draft.revolute(f"foot_{i + 1}", draft.world, lower, at=_t(foot), axis=hinge)
        draft.revolute(f"knee_{i + 1}", lower, upper, at=_t(knee), axis=hinge)
        draft.revolute(f"head_{i + 1}", upper, top, at=_t(head), axis=hinge, loop=i > 0)
    draft.drive("foot_1", position(sine(0.3, 0.25)))
    return draft


def bennett(
    first: float = 0.3,
    second: float = 0.15,
    twist: float = math.radians(60.0),
    *,
    angle: float = math.radians(70.0),
    width: float = 0.015,
) -> Draft:
    """Bennett's linkage: four hinges in space that move, with opposite bars alike and a / sin(alpha) = b / sin(beta).

    `first` a and `second` b are lengths [m], `twist` alpha is the angle between the hinges of a first bar; the hinge
    between ground and crank starts at `angle`. Raises UsageError where there is no such beta.
    """
    sine_of = second * math.sin(twist) / first
    if not 0.0 < abs(sine_of) < 1.0:
        raise UsageError("Bennett's linkage needs b sin(alpha) / a between 0 and 1")
    beta = math.asin(sine_of)
    # tan(t1 / 2) tan(t2 / 2) = sin((beta + alpha) / 2) / sin((beta - alpha) / 2): G. Bennett, A New Mechanism, 1903.
    half = math.sin((beta + twist) / 2.0) / math.sin((beta - twist) / 2.0) / math.tan(angle / 2.0)
    other = 2.0 * math.atan(half)
    X = np.eye(4)
    points, axes = [], []
    for length, alpha, theta in (
        (first, twist, angle),
        (second, beta, other),
        (first, twist, -angle),
        (second, beta, -other),
    ):
        points.append(X[:3, 3].copy())
        axes.append(X[:3, 2].copy())
        X = X @ _screw(2, theta, 0.0) @ _screw(0, alpha, length)
    if float(np.abs(X - np.eye(4)).max()) > 1e-9:
        raise UsageError("this Bennett linkage cannot be closed at that angle")
    draft = started("bennett", "Bennett linkage", [f"the second twist is {math.degrees(beta):.9g} degrees"])
    names = ("crank", "coupler", "rocker")
    links: list[str] = ["world", *names, "world"]
    for i, name in enumerate(names):
        pins = [cylinder(0.4 * width, 3.0 * width, _t(points[j]), axis=_t(axes[j]), color="steel") for j in (i, i + 1)]
        draft.link(name, bar(_t(points[i]), _t(points[i + 1]), width=width, normal=_t(axes[i])), *pins)
    for i in range(3):
        draft.revolute(f"{names[i]}_joint", links[i], links[i + 1], at=_t(points[i]), axis=_t(axes[i]))
    draft.revolute("closing_joint", "world", "rocker", at=_t(points[3]), axis=_t(axes[3]), loop=True)
    draft.drive("crank_joint", position(sine(0.5, 0.25)))
    return draft


def _screw(axis: int, angle: float, along: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    X = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    X[i, i], X[i, j], X[j, i], X[j, j] = c, -s, s, c
    X[axis, 3] = along
    return X


def delta(
    base: float = 0.1, arm: float = 0.12, rod: float = 0.25, platform: float = 0.04, *, height: float = 0.22
) -> Draft:
    """A Delta robot hanging from its base: three arms, each with a parallelogram of two rods, carry a platform that
    moves and does not turn. `height` [m]: of the base above the platform at the start. Raises UsageError where arms and
    rods do not reach."""
    draft = started("delta", "Delta robot")
    plate = draft.link("platform", cylinder(platform, 0.01, (0.0, 0.0, -height)))
    # In the plane of an arm: the knee is at `arm` of the hip and `rod` of the foot.
    hip, foot = np.array([base, 0.0]), np.array([platform, -height])
    d = float(np.linalg.norm(foot - hip))
    if not abs(rod - arm) < d < rod + arm:
        raise UsageError(f"arms of {arm:g} and rods of {rod:g} m do not reach over {d:g} m")
    along = (arm**2 - rod**2 + d**2) / (2.0 * d)
    u = (foot - hip) / d
    knee = hip + along * u + math.sqrt(arm**2 - along**2) * np.array([-u[1], u[0]])
    for i in range(3):
        turn = i * 2.0 * math.pi / 3.0
        r = np.array([math.cos(turn), math.sin(turn), 0.0])
        t = np.array([-math.sin(turn), math.cos(turn), 0.0])
        at = {name: p[0] * r + p[1] * UP for name, p in (("hip", hip), ("knee", knee), ("foot", foot))}
        link = draft.link(f"arm_{i + 1}", bar(_t(at["hip"]), _t(at["knee"]), width=0.016, normal=_t(t)))
        draft.revolute(f"arm_{i + 1}_joint", draft.world, link, at=_t(at["hip"]), axis=_t(t), damping=0.02)
        for name, side in (("a", -1.0), ("b", 1.0)):
            p, q = (at[end] + side * 0.6 * platform * t for end in ("knee", "foot"))
            one = draft.link(
                f"rod_{i + 1}{name}",
                bar(_t(p), _t(q), width=0.006, normal=_t(t)),
                sphere(0.006, _t(p), color="steel"),
                sphere(0.006, _t(q), color="steel"),
            )
            draft.universal(f"knee_{i + 1}{name}", link, one, at=_t(p), axis=_t(t), axis2=_t(r))
            draft.ball(f"foot_{i + 1}{name}", one, plate, at=_t(q), loop=(i, name) != (0, "a"))
        draft.drive(f"arm_{i + 1}_joint", position(sine(0.2, 0.25, phase=turn)))
    return draft


def stewart(kind: str = "6-UPS", base: float = 0.3, platform: float = 0.18, height: float = 0.4) -> Draft:
    """A Stewart platform on six legs: "6-UPS" with universal joints below and balls above, or "6-SPS" with balls at
    both ends, whose legs also turn about themselves."""
    if kind not in ("6-UPS", "6-SPS"):
        raise UnknownNameError("kind of Stewart platform", kind, ("6-UPS", "6-SPS"))
    draft = started("stewart", f"Stewart platform, {kind}")
    top = draft.link("platform", cylinder(1.1 * platform, 0.05 * height, (0.0, 0.0, height)))
    for i in range(6):
        third = 2.0 * math.pi / 3.0 * (i // 2)
        side = 1.0 if i % 2 else -1.0
        b, a = third + side * math.radians(50.0), third + side * math.radians(15.0)
        foot = base * np.array([math.cos(b), math.sin(b), 0.0])
        head = platform * np.array([math.cos(a), math.sin(a), 0.0]) + height * UP
        length = float(np.linalg.norm(head - foot))
        u = (head - foot) / length
        x = np.cross(u, (0.0, 0.0, 1.0))
        x /= np.linalg.norm(x)
        r = 0.03 * height
        case = draft.link(f"case_{i + 1}", cylinder(r, 0.55 * length, _t(foot + 0.275 * length * u), axis=_t(u)))
        rod = draft.link(
            f"rod_{i + 1}", cylinder(0.6 * r, 0.55 * length, _t(head - 0.275 * length * u), axis=_t(u), color="steel")
        )
        if kind == "6-UPS":
            draft.universal(f"foot_{i + 1}", draft.world, case, at=_t(foot), axis=_t(x), axis2=_t(np.cross(u, x)))
        else:
            draft.ball(f"foot_{i + 1}", draft.world, case, at=_t(foot))
        draft.prismatic(f"leg_{i + 1}", case, rod, at=_t(head), axis=_t(u), damping=50.0)
        draft.ball(f"head_{i + 1}", rod, top, at=_t(head), loop=i > 0)
        draft.drive(f"leg_{i + 1}", position(sine(0.05 * height, 0.2, phase=third)))
    return draft


def hooke_shaft(angle: float = math.radians(30.0), length: float = 0.2, *, joints: int = 1) -> Draft:
    """Shafts with one Hooke joint, whose output turns unevenly, or with two in a Z, whose output turns as the input
    does. `angle` is that between the shafts."""
    if joints not in (1, 2) or not 0.0 < abs(angle) < math.radians(80.0):
        raise UsageError("a Hooke shaft has one joint or two, at an angle below 80 degrees")
    draft = started("hooke_shaft", f"Hooke shaft with {joints} joint{'s' if joints > 1 else ''}")
    x = np.array([1.0, 0.0, 0.0])
    bent = np.array([math.cos(angle), 0.0, math.sin(angle)])
    up = np.array([-math.sin(angle), 0.0, math.cos(angle)])
    r = 0.06 * length

    def shaft(name: str, start: Array, along: Array) -> str:
        middle = start + 0.5 * length * along
        mark = box(
            (0.8 * length, 0.3 * r, 0.3 * r),
            _t(middle + r * SIDE),
            rpy=(0.0, -math.atan2(along[2], along[0]), 0.0),
            color="dark",
        )
        draft.link(name, cylinder(r, 0.9 * length, _t(middle), axis=_t(along)), mark)
        return name

    first = shaft("input", -length * x, x)
    draft.revolute("input_joint", draft.world, first, axis=_t(x), at=_t(-length * x))
    second = shaft("middle" if joints == 2 else "output", np.zeros(3), bent)
    draft.universal("cross_1", first, second, axis=(0.0, 1.0, 0.0), axis2=_t(up))
    end = length * bent
    along = bent
    if joints == 2:
        third = shaft("output", end, x)
        draft.universal("cross_2", second, third, at=_t(end), axis=_t(up), axis2=(0.0, 1.0, 0.0))
        end = end + length * x
        along = x
        second = third
    draft.revolute("output_joint", draft.world, second, at=_t(end), axis=_t(along), loop=True, damping=0.01)
    draft.drive("input_joint", velocity(2.0))
    return draft


def gripper(kind: str = "parallel", stroke: float = 0.04, *, finger: float = 0.06) -> Draft:
    """A gripper of two fingers that move together: "parallel" on slides, or "angular" on hinges. `stroke` [m]: of each
    finger; `finger` [m]: their length."""
    if kind not in ("parallel", "angular"):
        raise UnknownNameError("kind of gripper", kind, ("parallel", "angular"))
    draft = started("gripper", f"Gripper, {kind}")
    palm = draft.link("palm", box((4.0 * stroke, 0.04, 0.03), (0.0, 0.0, finger + 0.015)))
    draft.fixed("mount", draft.world, palm)
    for name, side in (("left", -1.0), ("right", 1.0)):
        x = side * (stroke + 0.01)
        pad = box((0.01, 0.025, finger), (x, 0.0, finger / 2.0), collides=True)
        draft.link(name, pad)
        if kind == "parallel":
            draft.prismatic(
                f"{name}_joint",
                palm,
                name,
                at=(x, 0.0, finger),
                axis=(-side, 0.0, 0.0),
                lower=0.0,
                upper=stroke,
                effort=20.0,
                damping=5.0,
            )
        else:
            limit = math.atan2(stroke, finger)
            draft.revolute(
                f"{name}_joint",
                palm,
                name,
                at=(x, 0.0, finger),
                axis=(0.0, side, 0.0),
                lower=0.0,
                upper=limit,
                effort=2.0,
                damping=0.01,
            )
    draft.mimic("right_joint", "left_joint")
    draft.set("self_collide", True)
    draft.drive("left_joint", effort(2.0 if kind == "parallel" else 0.1))
    return draft
