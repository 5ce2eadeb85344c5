"""Planetary gear and bevel differential: Willis' ratios, and accelerations against the equations of motion from their
energy.

Both have constant mass matrices: with y the two independent angles, 2 T = y'^T M y' and M y'' = Q. 1e-12 relative: M
has a condition number below 100, and sums of ten products lose less than 1e-14.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import EngineLimitError
from simulator.kinematics.state import rest_state
from simulator.mechanism.types import Mechanism
from simulator.model.joint import Joint
from simulator.model.link import Inertial
from simulator.physics.compiled.model import CompiledMechanism
from simulator.session.open.opening import open_document
from simulator.session.text.description import describe
from simulator.spatial.rotation import Vec3
from tests.helpers.command import called
from tests.helpers.mechanisms import axis_of, joint, link, mechanism
from tests.helpers.repository import ROOT
from tests.physics.worlds import advance, example, running

Write = Callable[..., Path]
EXACT = 1e-12
X: Vec3 = (1.0, 0.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)
HELD = {
    "ring": ("sun", "carrier", 1 + 64 / 32),
    "sun": ("ring", "carrier", 1 + 32 / 64),
    "carrier": ("ring", "sun", -32 / 64),
}
"""What is held: (one of the others, the one that is driven, Willis' ratio of their speeds); sun 32, ring 64 teeth."""


def accelerations(built: Mechanism, **efforts: float) -> dict[str, float]:
    """Of every joint from rest at the start, rad/s^2, by name without its ending `_joint`."""
    model = CompiledMechanism(built)
    model.set_state(rest_state(built))
    tau = np.zeros(len(built.axes))
    for name, value in efforts.items():
        tau[axis_of(built, name)] = value
    model.set_efforts(tau)
    found = model.acceleration()
    return {
        axis.name.rsplit("::", 1)[-1].removesuffix("_joint"): float(a)
        for axis, a in zip(built.axes, found, strict=True)
    }


def planetary_rates(s: float, c: float) -> dict[str, float]:
    """Willis: planet = -2 (s - c) on the carrier, ring = 1.5 c - 0.5 s."""
    planets = {f"planet_{i}": -2.0 * (s - c) for i in (1, 2, 3)}
    return {"sun": s, "carrier": c, "ring": 1.5 * c - 0.5 * s, **planets}


PLANETARY_ENERGY = (
    (0.0008192, (1.0, 0.0)),
    (0.0233304, (-0.5, 1.5)),
    (0.0025 + 3 * 0.1 * 0.096**2, (0.0, 1.0)),
    (3 * 5.12e-5, (-2.0, 3.0)),
)
"""2 T of worlds/planetary.sdf: inertias [kg m^2] and the speeds they turn with, by sun and carrier."""
DIFFERENTIAL_ENERGY = (
    (0.0225, (0.0, 1.0)),
    (0.0225, (2.0, -1.0)),
    (0.006075 + 2 * 7.146666666667e-5, (1.0, 0.0)),
    (2 * 1.296e-4, (-1.5, 1.5)),
    (6e-5, (3.0, 0.0)),
)
"""2 T of worlds/differential.sdf, by cage and left wheel."""


def solved(energy: tuple[tuple[float, tuple[float, float]], ...], forces: tuple[float, float]) -> tuple[float, float]:
    """y'' of M y'' = Q with M = sum of J v v^T."""
    M = sum((inertia * np.outer(speed, speed) for inertia, speed in energy), np.zeros((2, 2)))
    first, second = np.linalg.solve(M, forces)
    return float(first), float(second)


@pytest.mark.parametrize(
    ("joint_name", "forces"),
    [
        ("sun_joint", (1.0, 0.0)),
        ("carrier_joint", (0.0, 1.0)),
        ("ring_joint", (-0.5, 1.5)),
        ("planet_2_joint", (-2.0, 2.0)),
    ],
)
def test_planetary_gear_accelerates_by_its_energy(joint_name: str, forces: tuple[float, float]) -> None:
    """0.01 N m on any joint; seen from sun and carrier, it acts by its speed ratio (virtual work)."""
    built = open_document(example("planetary")).mechanism
    s, c = solved(PLANETARY_ENERGY, (0.01 * forces[0], 0.01 * forces[1]))
    assert accelerations(built, **{joint_name: 0.01}) == pytest.approx(planetary_rates(s, c), rel=EXACT)


@pytest.mark.parametrize(
    ("joint_name", "forces"),
    [
        ("cage_joint", (1.0, 0.0)),
        ("left_joint", (0.0, 1.0)),
        ("right_joint", (2.0, -1.0)),
        ("pinion_joint", (3.0, 0.0)),
    ],
)
def test_differential_accelerates_by_its_energy(joint_name: str, forces: tuple[float, float]) -> None:
    built = open_document(example("differential")).mechanism
    c, left = solved(DIFFERENTIAL_ENERGY, (0.2 * forces[0], 0.2 * forces[1]))
    spider = 1.5 * (left - c)
    wanted = {"cage": c, "left": left, "right": 2 * c - left, "spider_1": spider, "spider_2": -spider, "pinion": 3 * c}
    found = accelerations(built, **{joint_name: 0.2})
    largest = max(map(abs, wanted.values()))  # the spiders stand still where both wheels are driven alike
    assert found == pytest.approx(wanted, rel=EXACT, abs=EXACT * largest)


def braked(held: str, write_document: Write) -> Mechanism:
    """worlds/planetary.sdf with a mimic of multiplier 0 on one member."""
    text = example("planetary").read_text(encoding="utf-8").replace("../assets", str(ROOT / "assets"))
    other = "carrier" if held == "sun" else "sun"
    start = text.index(f'<joint name="{held}_joint"')
    place = text.index("</xyz>", start) + len("</xyz>")
    brake = f'<mimic joint="{other}_joint"><multiplier>0</multiplier></mimic>'
    return open_document(write_document(text[:place] + brake + text[place:])).mechanism


@pytest.mark.parametrize("held", HELD)
def test_willis_ratio_with_one_member_braked(held: str, write_document: Write) -> None:
    """Ring held: sun = (1 + z_r / z_s) carrier; sun held: ring = (1 + z_s / z_r) carrier; carrier held: ring = -z_s /
    z_r sun. What is driven by 0.01 N m feels J = sum of J v^2 with the speeds of the braked set."""
    built = braked(held, write_document)
    assert not built.has_errors
    assert built.mobility.count == 1
    first, second, ratio = HELD[held]
    found = accelerations(built, **{f"{second}_joint": 0.01})
    assert found[held] == 0.0
    assert found[first] == pytest.approx(ratio * found[second], rel=EXACT)
    s, c = {"ring": (3.0, 1.0), "sun": (0.0, 1.0), "carrier": (1.0, 0.0)}[held]
    inertia = sum(J * (a * s + b * c) ** 2 for J, (a, b) in PLANETARY_ENERGY)
    assert found[second] == pytest.approx(0.01 / inertia, rel=EXACT)


def test_sun_and_carrier_driven_set_the_ring() -> None:
    """ring = 1.5 carrier - 0.5 sun at every instant: 1e-12 where the angles are independent coordinates."""
    drives = ("sun_joint=velocity:-0.6", "carrier_joint=velocity:0.4")
    with running(example("planetary"), drives=drives, solver="reduced") as engine:
        for _ in range(5):
            advance(engine, 0.1)
            snapshot = engine.snapshot()
            q = {
                name: float(snapshot.position[axis_of(engine.mechanism, f"{name}_joint")])
                for name in ("sun", "ring", "carrier")
            }
            assert q["ring"] == pytest.approx(1.5 * q["carrier"] - 0.5 * q["sun"], rel=EXACT)
            assert snapshot.worst_coupling_residual() < 1e-14
        rates = snapshot.velocity
        assert rates[axis_of(engine.mechanism, "ring_joint")] == pytest.approx(0.9, abs=1e-6)


def test_differential_shares_torque_not_speed() -> None:
    """Cage at 2 rad/s, damping 0.02 and 0.06 N m s/rad: in the end left : right = 3 : 1. What is left of the difference
    falls as exp(-0.08 t / J) with J = M_ll of the energy (0.0456 kg m^2): after 3 s half a percent of it."""
    with running(example("differential"), drives=("cage_joint=velocity:2",), solver="reduced") as engine:
        advance(engine, 3.0)
        velocity = engine.snapshot().velocity
        left, right = (float(velocity[axis_of(engine.mechanism, f"{side}_joint")]) for side in ("left", "right"))
    J = sum(inertia * speed[1] ** 2 for inertia, speed in DIFFERENTIAL_ENERGY)
    assert left + right == pytest.approx(4.0, rel=1e-6)
    assert left == pytest.approx(3.0 - math.exp(-0.08 * 3.0 / J), abs=2e-3)


@pytest.mark.parametrize("name", ["planetary", "differential"])
def test_rows_hold_laws_of_three_joints_and_gear_says_why_it_cannot(name: str) -> None:
    """1e-9 by rows, which correct what Bullet's first-order step leaves."""
    built = open_document(example(name)).mechanism
    free = built.axes[built.independent_axes()[0]].name
    with running(example(name), drives=(f"{free}=velocity:1",), solver="rows") as engine:
        advance(engine, 0.2)
        assert engine.snapshot().velocity[built.independent_axes()[0]] == pytest.approx(1.0, abs=1e-3)
        assert engine.snapshot().worst_coupling_residual() < 1e-9
    with (
        pytest.raises(
            EngineLimitError, match=rf"strategy gear cannot hold the gearbox that ties '{name}::.*\.sdf:\d+.*rows"
        ),
        running(example(name), solver="gear"),
    ):
        pass


def differential(
    hinged_on: tuple[str, str], signs: tuple[float, ...], *, wheels: tuple[float, float], cage: float
) -> Mechanism:
    """Cage and half shafts about x, one spider on the cage about z with ratio 2. `hinged_on`: what carries the half
    shafts; `signs`: directions of the axes of cage, left, right, spider. Moments of inertia about their axes [kg m^2];
    spider 0.003, 0.002 across."""

    def turned(axis: Vec3, sign: float) -> Vec3:
        return (sign * axis[0], sign * axis[1], sign * axis[2])

    def box(name: str, parent: str, child: str, axes: list[Vec3], ratio: float) -> Joint:
        return joint(name, "gearbox", parent, child, axes=axes, gearbox_ratio=ratio, gearbox_reference="m::cage")

    moments = {
        "housing": (1.0, 1.0, 1.0), "cage": (cage, 0.1, 0.1), "left": (wheels[0], 0.1, 0.1),
        "right": (wheels[1], 0.1, 0.1),
        "spider": (0.002, 0.002, 0.003),
    }  # fmt: skip
    return mechanism(
        *(link(name, inertial=Inertial(1.0, moments=values)) for name, values in moments.items()),
        joint("foot", "fixed", "world", "housing"),
        joint("cage_joint", "revolute", "housing", "cage", axes=[turned(X, signs[0])]),
        joint("left_joint", "revolute", hinged_on[0], "left", axes=[turned(X, signs[1])]),
        joint("right_joint", "revolute", hinged_on[1], "right", axes=[turned(X, signs[2])]),
        joint("spider_joint", "revolute", "cage", "spider", axes=[turned(Z, signs[3])]),
        box("one", "left", "spider", [X, Z], -2.0),
        box("two", "spider", "right", [Z, X], 0.5),
    )


@pytest.mark.parametrize("hinged_on", list(itertools.product(("housing", "cage"), repeat=2)))
@pytest.mark.parametrize("wheels", [(0.02, 0.02), (0.02, 0.5)])
def test_a_differential_is_the_same_however_it_is_written(
    hinged_on: tuple[str, str], wheels: tuple[float, float]
) -> None:
    """0.3 N m between housing and cage; half shafts on the housing or on the cage, all directions of axes: in the world
    the same bodies accelerate alike, w_left + w_right = 2 w_cage, and as the energy says."""
    energy = (
        (wheels[0], (0.0, 1.0)), (wheels[1], (2.0, -1.0)), (0.04 + 0.002, (1.0, 0.0)), (0.003, (-2.0, 2.0)),
    )  # fmt: skip
    c, left = solved(energy, (0.3, 0.0))
    for signs in itertools.product((1.0, -1.0), repeat=4):
        built = differential(hinged_on, signs, wheels=wheels, cage=0.04)
        found = accelerations(built, cage_joint=0.3 * signs[0])
        by_cage = signs[0] * found["cage"]
        sides = [
            sign * found[side] + (by_cage if carrier == "cage" else 0.0)
            for side, sign, carrier in zip(("left", "right"), signs[1:3], hinged_on, strict=True)
        ]
        assert by_cage == pytest.approx(c, rel=EXACT), signs
        assert sides == pytest.approx([left, 2.0 * c - left], rel=EXACT), signs
        assert signs[3] * found["spider"] == pytest.approx(2.0 * (left - c), rel=EXACT, abs=EXACT * abs(c)), signs


def test_describe_writes_all_terms() -> None:
    told = describe(open_document(example("planetary")))["mechanism"]["couplings"]
    ring = next(item for item in told if item["follower"] == "planetary::ring_joint")
    names = [f"planetary::{name}_joint" for name in ("ring", "planet_1", "carrier")]
    assert (ring["leader"], ring["multiplier"], ring["offset"], ring["reference"]) == (names[1], 0.25, 0.0, 0.0)
    assert ring["terms"] == dict(zip(names, (1.0, -0.25, -1.0), strict=True))
    assert ring["constant"] == 0.0
    done = called("describe", "planetary")
    assert "planetary::planet_1_joint = −2·planetary::sun_joint + 2·planetary::carrier_joint" in done.stdout
