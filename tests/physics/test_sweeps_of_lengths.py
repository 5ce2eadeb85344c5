"""Linkages whose lengths are varied, one at a time, are where plane and spherical geometry puts them.

Tolerance: loops are closed to 1e-10 m or better and pins are at most a few lengths away, so that 1e-9 m is theirs; what
a wrong length would change is 1e-3 m or more.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import simulator
from simulator import Simulation
from tests.helpers.watt import PINS, watt_i
from tests.physics.lengths import ARM, GROUND, ROD, delta, delta_platform, five_bar, meeting

CLOSE = 1e-9
START = 1.0471975511965976
"""Angle of the cranks of the example worlds at the start [rad]."""


def point(sim: Simulation, link: str, x: float = 0.0) -> complex:
    """A point (x, 0, 0) of a link in the plane of x and z as drawn, in which the examples move."""
    place = sim.pose(link) @ [x, 0.0, 0.0, 1.0]
    return complex(place[0], place[2])


@pytest.mark.parametrize(
    ("parameter", "lengths"),
    [
        ("crank", np.linspace(0.06, 0.14, 5)),
        ("coupler", np.linspace(0.3, 0.42, 5)),
        ("rocker", np.linspace(0.26, 0.38, 5)),
        ("ground", np.linspace(0.36, 0.44, 5)),
    ],
)
def test_four_bar(parameter: str, lengths: list[float]) -> None:
    """Every bar by itself: the pin between coupler and rocker is where two circles meet."""
    sim = simulator.load("four_bar")
    for length in lengths:
        bars = {"ground": 0.4, "crank": 0.1, "coupler": 0.35, "rocker": 0.3} | {parameter: float(length)}
        linkage = sim.varied({f"{parameter}.length": length})
        assert linkage.positions["crank_joint"] == 0.0
        origin = point(sim, "crank")
        for angle in np.linspace(0.0, 2.0 * np.pi, 13):
            linkage.set(crank_joint=angle)
            crank_pin = origin + cmath.rect(bars["crank"], START + angle)
            pivot = origin + bars["ground"]
            pin = meeting(crank_pin, bars["coupler"], pivot, bars["rocker"], origin + complex(0.3, 0.3))
            assert abs(point(linkage, "coupler") - crank_pin) < CLOSE
            assert abs(point(linkage, "coupler", bars["coupler"]) - pin) < CLOSE
            assert abs(point(linkage, "rocker", bars["rocker"]) - pin) < CLOSE


def test_slider_crank() -> None:
    """s = r cos t + √(l² − r² sin² t), for cranks r and rods l."""
    sim = simulator.load("slider_crank")
    origin = point(sim, "crank")
    for r, rod in ((0.03, 0.16), (0.05, 0.12), (0.07, 0.2), (0.05, 0.25)):
        varied = sim.varied({"crank.length": r, "rod.length": rod})
        for angle in np.linspace(0.0, 2.0 * np.pi, 13):
            varied.set(crank_joint=angle)
            t = START + angle
            wanted = r * math.cos(t) + math.sqrt(rod**2 - (r * math.sin(t)) ** 2)
            assert abs(point(varied, "piston") - origin - wanted) < CLOSE


@pytest.mark.parametrize("lengths", [(0.12, 0.25, 0.25), (0.15, 0.2, 0.25), (0.15, 0.25, 0.31), (0.17, 0.22, 0.28)])
def test_five_bar(lengths: tuple[float, float, float]) -> None:
    """The pin is where circles around the elbows meet, on the side where it was; and all is as in a document with these
    lengths: places and, with the same inertias in the links, the mass matrix."""
    near, far, right = lengths
    names = {"left_near.length": near, "left_far.length": far, "right_far.length": right}
    varied = simulator.load(five_bar(0.15, 0.25, 0.25)).varied(names)
    written = simulator.load(five_bar(*lengths))
    for left, other in ((0.0, 0.0), (0.3, -0.2), (-0.2, 0.4)):
        elbows = cmath.rect(near, 2.0 + left), GROUND + cmath.rect(0.15, 1.0 + other)
        tip = meeting(elbows[0], far, elbows[1], right, 1j)
        for sim in (varied, written):
            sim.set(left_motor=left, right_motor=other)
            for link, length in (("left_far", far), ("right_far", right)):
                place = sim.pose(link) @ [length, 0.0, 0.0, 1.0]
                assert abs(complex(place[0], place[1]) - tip) < CLOSE
        np.testing.assert_allclose(varied.mass_matrix(), written.mass_matrix(), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "pins"),
    [
        ({"AB.length": 3.3}, {}),
        ({"DE.length": 5.9}, {}),
        ({"C.parent_pose.x": 1.8, "C.parent_pose.y": 0.6}, {"C of BCD": (1.8, 0.6)}),
        ({"F.child_pose.y": 3.1}, {"F of CFG": (8.14, 3.1)}),
        ({"G.child_pose.x": 7.5}, {"G of CFG": (7.5, -3.51)}),
    ],
    ids=lambda value: ", ".join(value) if value else "",
)
def test_watt_i(parameters: dict[str, float], pins: dict[str, tuple[float, float]]) -> None:
    """Two circles give C, and two more give E. Frames of links are the world's at the start, so that a pin of a link
    with three of them has its published coordinates there; it is moved in one link only."""
    parameters = {"EF.length": 4.6, **parameters}  # the published one leaves E little to move
    sim = simulator.load(watt_i(gravity=9.81)).varied(parameters)
    at = {name: complex(*place) for name, place in PINS.items()}

    def of(pin: str, link: str) -> complex:
        return complex(*pins[f"{pin} of {link}"]) if f"{pin} of {link}" in pins else at[pin]

    crank = parameters.get("AB.length", abs(at["B"] - at["A"]))
    de = parameters.get("DE.length", abs(at["E"] - at["D"]))
    ef = parameters.get("EF.length", abs(at["F"] - at["E"]))
    c_near, e_near = at["C"], at["E"]
    for angle in np.linspace(0.0, -0.2, 6):  # small steps: the branch is that of the pins before
        sim.set(A=angle)
        b = at["A"] + cmath.rect(crank, cmath.phase(at["B"] - at["A"]) + angle)
        bc, gc = of("C", "BCD") - at["B"], of("C", "CFG") - of("G", "CFG")
        c = c_near = meeting(b, abs(bc), at["G"], abs(gc), c_near)
        d = b + (at["D"] - at["B"]) * (c - b) / bc
        f = at["G"] + (of("F", "CFG") - of("G", "CFG")) * (c - at["G"]) / gc
        e = e_near = meeting(d, de, f, ef, e_near)
        for link, start, place in (("DE", at["D"], d), ("EF", at["E"], e), ("CFG", of("F", "CFG"), f)):
            found = sim.pose(link) @ [start.real, start.imag, 0.0, 1.0]
            assert abs(complex(found[0], found[1]) - place) < 10.0 * CLOSE  # lengths of 10 m


@pytest.mark.parametrize(
    "changes", [{"arm0": 0.12}, {"rod1": 0.47}, {"arm0": 0.09, "arm1": 0.11, "rod2": 0.42}, {"rod0": 0.4, "rod2": 0.45}]
)
def test_delta(changes: dict[str, float]) -> None:
    """The platform is where three spheres meet."""
    arms, rods = np.full(3, ARM), np.full(3, ROD)
    sim = simulator.load(delta())
    np.testing.assert_allclose(sim.pose("platform")[:3, 3], delta_platform(np.zeros(3), arms, rods), atol=CLOSE)
    for name, length in changes.items():
        (arms if name.startswith("arm") else rods)[int(name[-1])] = length
    robot = sim.varied({f"{name}.length": length for name, length in changes.items()})
    for motors in ((0.0, 0.0, 0.0), (0.2, -0.1, 0.3), (0.5, 0.4, -0.2)):
        robot.set({f"motor{i}": angle for i, angle in enumerate(motors)})
        wanted = delta_platform(np.array(motors), arms, rods)
        np.testing.assert_allclose(robot.pose("platform")[:3, 3], wanted, atol=CLOSE)


def test_large_changes_stay_on_the_branch_of_the_present_state() -> None:
    """In one step, and not in many small ones: the rocker is on the open branch with all of these lengths."""
    sim = simulator.load("four_bar")
    for length in (0.26, 0.45, 0.55):
        linkage = sim.varied({"rocker.length": length})
        origin = point(sim, "crank")
        pin = meeting(origin + cmath.rect(0.1, START), 0.35, origin + 0.4, length, origin + complex(0.3, 0.3))
        assert abs(point(linkage, "rocker", length) - pin) < CLOSE
