"""Textbook mechanisms as worlds: their mobility is known by any count."""

from __future__ import annotations

import math
from typing import Any

from simulator.model.world import World
from simulator.spatial.rotation import Vec3
from tests.helpers.mechanisms import joint, link, world

Y: Vec3 = (0.0, 1.0, 0.0)


def four_bar(
    *,
    ground: float = 0.4,
    crank: float = 0.1,
    coupler: float = 0.35,
    rocker: float = 0.3,
    angles: tuple[float, float, float] | None = None,
    axes: tuple[Vec3, Vec3, Vec3, Vec3] = (Y, Y, Y, Y),
    **closing: Any,
) -> World:
    """Bars in the x-z plane that turn about y; `angles` (crank, coupler, rocker; from x towards z) default to the
    closed pose with the crank at 60 degrees. The closing joint `close` sits on the rocker."""
    a, b, c = angles or closed_angles(ground, crank, coupler, rocker)
    tip = (crank * math.cos(a), 0.0, crank * math.sin(a))
    pivot = (ground, 0.0, 0.0)
    end = (ground + rocker * math.cos(c), 0.0, rocker * math.sin(c))
    return world(
        link("crank", rpy=(0.0, -a, 0.0)),
        link("coupler", at=tip, rpy=(0.0, -b, 0.0)),
        link("rocker", at=pivot, rpy=(0.0, -c, 0.0)),
        joint("crank_joint", "revolute", "world", "crank", axes=[axes[0]], line=1),
        joint("coupler_joint", "revolute", "crank", "coupler", at=tip, axes=[axes[1]], line=2),
        joint("rocker_joint", "revolute", "world", "rocker", at=pivot, axes=[axes[2]], line=3),
        joint(
            "close", "revolute", "coupler", "rocker", at=end, axes=[axes[3]], line=4, must_be_loop_joint=True, **closing
        ),
    )


def closed_angles(
    ground: float, crank: float, coupler: float, rocker: float, at: float = math.pi / 3
) -> tuple[float, float, float]:
    """Crank, coupler and rocker angles of the open branch, by the cosine rule on the triangle tip, pivot, coupler
    end."""
    x, z = crank * math.cos(at), crank * math.sin(at)
    diagonal = math.hypot(ground - x, z)
    down = math.atan2(-z, ground - x)
    at_tip = math.acos((coupler**2 + diagonal**2 - rocker**2) / (2 * coupler * diagonal))
    b = down + at_tip
    c = math.atan2(z + coupler * math.sin(b), x + coupler * math.cos(b) - ground)
    return at, b, c


def slider_crank() -> World:
    """Crank and rod about y, slider along x; the pin between rod and slider closes the loop."""
    return world(
        link("crank"),
        link("rod", at=(0.1, 0.0, 0.0)),
        link("slider", at=(0.4, 0.0, 0.0)),
        joint("crank_joint", "revolute", "world", "crank", axes=[Y]),
        joint("rod_joint", "revolute", "crank", "rod", at=(0.1, 0.0, 0.0), axes=[Y]),
        joint("slide", "prismatic", "world", "slider", at=(0.4, 0.0, 0.0), axes=[(1.0, 0.0, 0.0)]),
        joint("pin", "revolute", "rod", "slider", at=(0.4, 0.0, 0.0), axes=[Y], must_be_loop_joint=True),
    )


def ring_of_hinges(count: int) -> World:
    """A closed chain of `count` hinges in general directions, the world being one of its bodies: mobility count - 6."""
    places: list[Vec3] = [
        (math.cos(2 * math.pi * i / count), math.sin(2 * math.pi * i / count), 0.2 * math.sin(5.0 * i))
        for i in range(count)
    ]
    turns: list[Vec3] = [(math.sin(1.7 * i + 0.3), math.cos(2.3 * i), math.sin(3.1 * i + 1.0)) for i in range(count)]
    names = ["world", *(f"l{i}" for i in range(count - 1)), "world"]
    joints = [
        joint(
            f"j{i}",
            "revolute",
            names[i],
            names[i + 1],
            at=places[i],
            axes=[turns[i]],
            must_be_loop_joint=i == count - 1,
        )
        for i in range(count - 1)
    ]
    last = joint(
        f"j{count - 1}", "revolute", "world", names[count - 1], at=places[-1], axes=[turns[-1]], must_be_loop_joint=True
    )
    return world(*(link(f"l{i}", at=places[i]) for i in range(count - 1)), *joints, last)


def spherical_four_bar() -> World:
    """Four hinges 1 m from the origin whose axes meet there: mobility 1, with three rows of every five redundant."""
    angles = ((0.0, 0.0), (0.5, 0.35), (1.3, 0.6), (1.6, 0.0))
    places: list[Vec3] = [(math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b)) for a, b in angles]
    names = ("world", "crank", "coupler", "rocker")
    tree = [(0, "world", "crank"), (1, "crank", "coupler"), (3, "world", "rocker")]
    return world(
        link("crank", at=places[0]),
        link("coupler", at=places[1]),
        link("rocker", at=places[3]),
        *(
            joint(f"j{i}", "revolute", parent, child, at=places[i], axes=[places[i]], line=1 + i)
            for i, parent, child in tree
        ),
        joint("j2", "revolute", names[2], names[3], at=places[2], axes=[places[2]], line=3, must_be_loop_joint=True),
    )


def platform(legs: int = 6) -> World:
    """Stewart-like: each leg is a universal joint at the ground, a slide, and a ball at the platform; all balls but one
    are cut.

    6 legs: 6 + 1 bodies' worth of freedoms, mobility 6 (one per slide).
    """
    parts: list[Any] = [link("platform", at=(0.0, 0.0, 1.0))]
    for i in range(legs):
        angle = 2 * math.pi * i / legs
        side = 0.4 if i % 2 else -0.4
        foot: Vec3 = (math.cos(angle), math.sin(angle), 0.0)
        head: Vec3 = (0.5 * math.cos(angle + side), 0.5 * math.sin(angle + side), 1.0)
        along: Vec3 = (head[0] - foot[0], head[1] - foot[1], head[2] - foot[2])
        parts += [
            link(f"cylinder{i}", at=foot),
            link(f"rod{i}", at=foot),
            joint(f"foot{i}", "universal", "world", f"cylinder{i}", at=foot, axes=[(1.0, 0.0, 0.0), Y]),
            joint(f"slide{i}", "prismatic", f"cylinder{i}", f"rod{i}", at=foot, axes=[along]),
            joint(f"head{i}", "ball", f"rod{i}", "platform", at=head, must_be_loop_joint=i > 0),
        ]
    return world(*parts)


def planetary() -> World:
    """Sun, carrier and ring on the world, the planet on the carrier, two meshes: 4 hinges - 2 couplings = 2."""
    gear = {"gearbox_reference_body": "carrier", "gearbox_reference": "m::carrier"}
    return world(
        *(link(name) for name in ("sun", "ring", "planet", "carrier")),
        joint("carrier_hinge", "revolute", "world", "carrier"),
        joint("sun_hinge", "revolute", "carrier", "sun"), joint("ring_hinge", "revolute", "carrier", "ring"),
        joint("planet_hinge", "revolute", "carrier", "planet", at=(0.1, 0.0, 0.0)),
        joint("outer", "gearbox", "sun", "planet", gearbox_ratio=2.0, **gear),
        joint("inner", "gearbox", "planet", "ring", gearbox_ratio=-0.25, **gear),
    )  # fmt: skip
