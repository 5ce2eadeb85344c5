"""Fifteen mechanisms as a script writes them, each in no more than 25 lines."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import simulator
from simulator.building.draft import Draft

Y = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)


def open_chain(miss: float = 0.0) -> Draft:
    """Three bars of a four-bar that lacks its last pin, where its ends are `miss` [m] apart."""
    m = simulator.new("chain")
    crank = m.link("crank", simulator.bar((0, 0, 0), (0, 0, 0.1), width=0.02))
    coupler = m.link("coupler", simulator.bar((0, 0, 0.1), (0.3, 0, 0.2), width=0.02, offset=0.01))
    rocker = m.link("rocker", simulator.bar((0.25, 0, 0), (0.3, 0, 0.2 + miss), width=0.02))
    m.revolute("a", m.world, crank, axis=(0, 1, 0))
    m.revolute("b", crank, coupler, at=(0, 0, 0.1), axis=(0, 1, 0))
    m.revolute("d", m.world, rocker, at=(0.25, 0, 0), axis=(0, 1, 0))
    return m


def four_bar() -> Draft:
    m = simulator.new("four_bar")
    a, b, c, d = (0, 0, 0), (0.05, 0, 0.0866), (0.333, 0, 0.2925), (0.4, 0, 0)
    crank = m.link("crank", simulator.bar(a, b, width=0.02))
    coupler = m.link("coupler", simulator.bar(b, c, width=0.02, offset=-0.012))
    rocker = m.link("rocker", simulator.bar(d, c, width=0.02))
    m.revolute("crank_joint", m.world, crank, at=a, axis=Y)
    m.revolute("rocker_joint", m.world, rocker, at=d, axis=Y)
    m.revolute("pin", crank, coupler, at=b, axis=Y)
    m.revolute("closing", coupler, rocker, at=c, axis=Y, loop=True)
    m.drive("crank_joint", simulator.velocity(3.0))
    return m


def slider_crank() -> Draft:
    m = simulator.new("slider_crank")
    a, b, c = (0, 0, 0), (0, 0, 0.05), (0.15, 0, 0)
    crank = m.link("crank", simulator.bar(a, b, width=0.02), simulator.cylinder(0.04, 0.01, axis=Y))
    rod = m.link("rod", simulator.bar(b, c, width=0.016, offset=0.012))
    piston = m.link("piston", simulator.box((0.04, 0.04, 0.04), c))
    m.revolute("crank_joint", m.world, crank, at=a, axis=Y)
    m.prismatic("slide", m.world, piston, at=c, axis=(1, 0, 0), damping=1.0)
    m.revolute("pin", crank, rod, at=b, axis=Y)
    m.revolute("gudgeon", rod, piston, at=c, axis=Y, loop=True)
    return m


def watt_six_bar() -> Draft:
    m = simulator.new("watt")
    a, b, c, d = (0, 0, 0), (0.03, 0, 0.05), (0.2, 0, 0.14), (0.22, 0, 0)
    e, f, g = (0.3, 0, 0.17), (0.42, 0, 0.14), (0.4, 0, 0)
    crank = m.link("crank", simulator.bar(a, b, width=0.015))
    coupler = m.link("coupler", simulator.bar(b, c, width=0.015, offset=0.01))
    ternary = m.link("ternary", simulator.plate([d, e, c], thickness=0.008))
    rod = m.link("rod", simulator.bar(e, f, width=0.015, offset=0.01))
    output = m.link("output", simulator.bar(g, f, width=0.015))
    for name, parent, child, at in (("j1", m.world, crank, a), ("j2", crank, coupler, b), ("j3", m.world, ternary, d),
                                    ("j4", ternary, rod, e), ("j5", m.world, output, g)):  # fmt: skip
        m.revolute(name, parent, child, at=at, axis=Y)
    m.revolute("l1", coupler, ternary, at=c, axis=Y, loop=True)
    m.revolute("l2", rod, output, at=f, axis=Y, loop=True)
    return m


def gear_pair() -> Draft:
    m = simulator.new("gear_pair")
    small = m.link("small", simulator.cylinder(0.02, 0.01, axis=Y))
    large = m.link("large", simulator.cylinder(0.04, 0.01, (0.06, 0, 0), axis=Y))
    m.revolute("small_joint", m.world, small, axis=Y)
    m.revolute("large_joint", m.world, large, at=(0.06, 0, 0), axis=Y)
    m.gear("mesh", small, large, ratio=0.5)
    return m


def rack_and_pinion() -> Draft:
    m = simulator.new("rack_and_pinion")
    pinion = m.link("pinion", simulator.cylinder(0.02, 0.01, (0, 0, 0.02), axis=Y))
    rack = m.link("rack", simulator.box((0.3, 0.01, 0.02), (0, 0, -0.01)))
    m.revolute("pinion_joint", m.world, pinion, at=(0, 0, 0.02), axis=(0, -1, 0))
    m.prismatic("rack_joint", m.world, rack, axis=(1, 0, 0), lower=-0.1, upper=0.1)
    m.mimic("rack_joint", "pinion_joint", multiplier=0.02)
    return m


def planetary() -> Draft:
    m = simulator.new("planetary")
    sun = m.link("sun", simulator.cylinder(0.032, 0.01))
    ring = m.link("ring", simulator.cylinder(0.07, 0.004, (0, 0, -0.02)))
    carrier = m.link("carrier", simulator.bar((-0.048, 0, 0.02), (0.048, 0, 0.02), width=0.01, normal=(0, 0, 1)))
    for name, link in (("sun_joint", sun), ("ring_joint", ring), ("carrier_joint", carrier)):
        m.revolute(name, m.world, link)
    planet = m.link("planet", simulator.cylinder(0.016, 0.01, (0.048, 0, 0)))
    m.revolute("planet_joint", carrier, planet, at=(0.048, 0, 0))
    m.joint("sun_planet", "gearbox", sun, planet, axis=Z, axis2=Z).set("gearbox_ratio", 2.0)
    m.joint("planet_ring", "gearbox", planet, ring, axis=Z, axis2=Z).set("gearbox_ratio", -0.25)
    for mesh in ("sun_planet", "planet_ring"):
        m.joints[mesh].set("gearbox_reference_body", "carrier")
    return m


def differential() -> Draft:
    m = simulator.new("differential")
    cage = m.link("cage", simulator.box((0.1, 0.02, 0.1), (0, 0.08, 0)))
    left = m.link("left", simulator.cylinder(0.04, 0.01, (0, 0.03, 0), axis=Y))
    right = m.link("right", simulator.cylinder(0.04, 0.01, (0, -0.03, 0), axis=Y))
    m.revolute("cage_joint", m.world, cage, axis=Y)
    m.revolute("left_joint", m.world, left, axis=Y, damping=0.01)
    m.revolute("right_joint", m.world, right, axis=Y, damping=0.01)
    m.joint("bevels", "gearbox", left, right, axis=Y, axis2=Y).set("gearbox_reference_body", "cage")
    m.drive("cage_joint", simulator.velocity(2.0))
    return m


def screw_jack() -> Draft:
    m = simulator.new("screw_jack")
    nut = m.link("nut", simulator.box((0.06, 0.06, 0.03), (0, 0, 0.1)))
    spindle = m.link("spindle", simulator.cylinder(0.008, 0.3, (0, 0, 0.1)))
    m.revolute("spindle_joint", m.world, spindle)
    m.screw("thread", spindle, nut, at=(0, 0, 0.1), axis=(0, 0, 1), pitch=0.004)
    m.prismatic("guide", m.world, nut, at=(0, 0, 0.1), axis=(0, 0, 1), loop=True)
    return m


def cardan_shaft() -> Draft:
    m = simulator.new("cardan_shaft")
    tilt = math.radians(30.0)
    along = (math.cos(tilt), 0.0, math.sin(tilt))
    first = m.link("first", simulator.cylinder(0.01, 0.2, (-0.1, 0, 0), axis=(1, 0, 0)))
    second = m.link("second", simulator.cylinder(0.01, 0.2, tuple(0.1 * x for x in along), axis=along))
    m.revolute("input", m.world, first, axis=(1, 0, 0))
    m.universal("cross", first, second, axis=Y, axis2=(-math.sin(tilt), 0, math.cos(tilt)))
    m.revolute("output", m.world, second, at=tuple(0.2 * x for x in along), axis=along, loop=True)
    return m


def sarrus() -> Draft:
    m = simulator.new("sarrus")
    top = m.link("top", simulator.box((0.2, 0.2, 0.01), (0, 0, 0.2)))
    for side, (x, y) in enumerate(((1, 0), (0, 1))):
        hinge = (-y, x, 0)
        foot, knee, head = (0.1 * x, 0.1 * y, 0), (0.2 * x, 0.2 * y, 0.1), (0.1 * x, 0.1 * y, 0.2)
        lower = m.link(f"lower_{side}", simulator.bar(foot, knee, width=0.04, normal=hinge))
        upper = m.link(f"upper_{side}", simulator.bar(knee, head, width=0.04, normal=hinge))
        m.revolute(f"foot_{side}", m.world, lower, at=foot, axis=hinge)
        m.revolute(f"knee_{side}", lower, upper, at=knee, axis=hinge)
        m.revolute(f"head_{side}", upper, top, at=head, axis=hinge, loop=side > 0)
    return m


def bennett() -> Draft:
    m = simulator.new("bennett")
    h, v = 0.15, 0.08
    corners = [(h, 0, v), (0, h, -v), (-h, 0, v), (0, -h, -v)]
    tangents = [np.cross(np.subtract(corners[i - 1], p), np.subtract(corners[(i + 1) % 4], p))
                for i, p in enumerate(corners)]  # fmt: skip
    axes = [tuple(map(float, t / np.linalg.norm(t))) for t in tangents]
    bars = [simulator.bar(corners[i], corners[(i + 1) % 4], width=0.015, normal=axes[i]) for i in range(4)]
    links = [m.world, *(m.link(f"bar_{i}", bars[i]) for i in (1, 2, 3)), m.world]
    for i in range(1, 4):
        m.revolute(f"hinge_{i}", links[i - 1], links[i], at=corners[i], axis=axes[i])
    m.revolute("hinge_0", m.world, links[3], at=corners[0], axis=axes[0], loop=True)
    return m


def gripper() -> Draft:
    m = simulator.new("gripper")
    palm = m.link("palm", simulator.box((0.12, 0.04, 0.02), (0, 0, 0.2)))
    m.fixed("mount", m.world, palm, at=(0, 0, 0.2))
    for name, side in (("left", -1), ("right", 1)):
        finger = m.link(name, simulator.box((0.01, 0.02, 0.08), (side * 0.04, 0, 0.15), collides=True))
        m.prismatic(f"{name}_joint", palm, finger, axis=(-side, 0, 0), lower=0.0, upper=0.03, effort=20.0)
    m.mimic("right_joint", "left_joint")
    m.drive("left_joint", simulator.effort(2.0))
    return m


def delta() -> Draft:
    m = simulator.new("delta")
    plate = m.link("platform", simulator.cylinder(0.05, 0.01, (0, 0, -0.25)))
    for i in range(3):
        turn = i * 2.0 * math.pi / 3.0
        r, t = np.array([math.cos(turn), math.sin(turn), 0.0]), np.array([-math.sin(turn), math.cos(turn), 0.0])
        hip, knee, foot = 0.1 * r, 0.2 * r, 0.05 * r + (0, 0, -0.25)
        arm = m.link(f"arm_{i}", simulator.bar(hip, knee, width=0.02, normal=t))
        m.revolute(f"hip_{i}", m.world, arm, at=tuple(hip), axis=tuple(t), damping=0.05)
        for side in (-1, 1):
            a, b = knee + side * 0.03 * t, foot + side * 0.03 * t
            rod = m.link(f"rod_{i}{'_ab'[side]}", simulator.bar(a, b, width=0.008, normal=t))
            m.universal(f"knee_{i}{'_ab'[side]}", arm, rod, at=tuple(a), axis=tuple(t), axis2=tuple(r))
            m.ball(f"foot_{i}{'_ab'[side]}", rod, plate, at=tuple(b), loop=(i, side) != (0, -1))
    return m


def stewart() -> Draft:
    m = simulator.new("stewart")
    top = m.link("top", simulator.cylinder(0.18, 0.02, (0, 0, 0.4)))
    for i in range(6):
        a, b = math.radians(60 * (i // 2) * 2 + (20, -20)[i % 2]), math.radians(60 * (i // 2) * 2 + (50, -50)[i % 2])
        foot = np.array([0.3 * math.cos(b), 0.3 * math.sin(b), 0.0])
        head = np.array([0.18 * math.cos(a), 0.18 * math.sin(a), 0.4])
        u = (head - foot) / np.linalg.norm(head - foot)
        x = np.cross(u, (0, 0, 1)) / np.linalg.norm(np.cross(u, (0, 0, 1)))
        case = m.link(f"case_{i}", simulator.cylinder(0.015, 0.2, tuple(foot + 0.12 * u), axis=tuple(u)))
        rod = m.link(f"rod_{i}", simulator.cylinder(0.01, 0.2, tuple(head - 0.12 * u), axis=tuple(u)))
        m.universal(f"foot_{i}", m.world, case, at=tuple(foot), axis=tuple(x), axis2=tuple(np.cross(u, x)))
        m.prismatic(f"leg_{i}", case, rod, at=tuple(head), axis=tuple(u), spring_stiffness=5e3, damping=50.0)
        m.ball(f"head_{i}", rod, top, at=tuple(head), loop=i > 0)
    return m


def pendulum_with_spring() -> Draft:
    m = simulator.new("pendulum_with_spring")
    rod = m.link("rod", simulator.bar((0, 0, 1), (0.6, 0, 1), width=0.02), simulator.sphere(0.05, (0.6, 0, 1)))
    m.revolute("hinge", m.world, rod, at=(0, 0, 1), axis=Y, friction=0.01)
    m.load(simulator.spring("rod", "world", at=(0.3, 0, 1), other_at=(0.3, 0, 1.5), stiffness=200.0, free_length=0.3))
    m.load(simulator.force("rod", (0, 0, -5), at=(0.6, 0, 1)))
    m.torsion_spring("hinge", stiffness=0.5, damping=0.02)
    m.start("hinge", 0.2, 0.1)
    return m


ALL: tuple[Callable[[], Draft], ...] = (
    four_bar,
    slider_crank,
    watt_six_bar,
    gear_pair,
    rack_and_pinion,
    planetary,
    differential,
    screw_jack,
    cardan_shaft,
    sarrus,
    bennett,
    gripper,
    delta,
    stewart,
    pendulum_with_spring,
)
