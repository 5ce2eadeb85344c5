"""What motors must give and bearings carry, against closed forms of a pendulum, a rotor and a slider-crank."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import simulator
from simulator.analysis.sizing import bearing_loads, motor_needs, reflected_inertia
from tests.helpers.documents import joint, link, model, world

M, R, G, W = 2.0, 0.5, 9.8, 6.0
TURN = 2.0 * math.pi
ROUND_OFF = 1e-10
"""Relative: Newton and Euler of one body."""


def swept(axis: str, velocity: float, points: int = 721) -> simulator.Analysis:
    """One turn of a rod of mass M, its centre R from a hinge at the origin along x, with gravity along -z."""
    rod = link("rod", mass=M, pose=f"{R} 0 0 0 0 0")
    hinge = joint("hinge", "revolute", parent="world", child="rod", axis=axis, pose=f"{-R} 0 0 0 0 0")
    text = world(model("m", rod, hinge))
    return simulator.load(text).analyse({"hinge": (0.0, TURN)}, velocity=velocity, points=points)


def test_a_motor_that_turns_a_pendulum() -> None:
    """About -y the effort at constant speed is m g r cos q (q from horizontal): greatest m g r, root mean square
    m g r / √2; power times ω, nothing on average over a turn. The trapezoidal rule over a period is exact for sines."""
    (need,) = motor_needs(swept("0 -1 0", W).swept)
    assert (need.axis, need.unit, need.effort_unit) == ("m::hinge", "rad", "N·m")
    assert need.effort == pytest.approx(M * G * R, rel=ROUND_OFF)
    assert need.effort_at == pytest.approx(0.0, abs=ROUND_OFF)
    assert need.effort_rms == pytest.approx(M * G * R / math.sqrt(2.0), rel=ROUND_OFF)
    assert need.speed == W
    assert need.power == pytest.approx(M * G * R * W, rel=ROUND_OFF)
    assert need.power_least == pytest.approx(-M * G * R * W, rel=ROUND_OFF)
    assert need.power_mean == pytest.approx(0.0, abs=ROUND_OFF * M * G * R * W)


def test_the_bearing_of_an_upright_rotor_carries_weight_and_unbalance() -> None:
    """About z: m g along the axis, m r ω² across it at every position, m g r across the axis as a moment. 10⁷ turns
    under P need C = P 10^(1/3)."""
    (load,) = bearing_loads(swept("0 0 1", W).swept)
    assert load.axial == pytest.approx(M * G, rel=ROUND_OFF)
    assert load.radial == pytest.approx(M * R * W**2, rel=ROUND_OFF)
    assert load.moment == pytest.approx(M * G * R, rel=ROUND_OFF)
    assert load.force == pytest.approx(math.hypot(M * G, M * R * W**2), rel=ROUND_OFF)
    assert load.mean == pytest.approx(M * R * W**2, rel=ROUND_OFF)
    assert load.revolutions == pytest.approx(1.0, rel=ROUND_OFF)
    assert load.rating(1e7) == pytest.approx(M * R * W**2 * 10.0 ** (1.0 / 3.0), rel=ROUND_OFF)


def test_the_mean_load_of_a_lying_rotor_is_the_cubic_mean() -> None:
    """About -y the load is |(m r ω², m g)| at the angle between both; its cube is integrated by QUADPACK, here by 721
    points over a period, where the trapezoidal rule converges beyond any power."""
    (load,) = bearing_loads(swept("0 -1 0", W).swept)
    turned, weight = M * R * W**2, M * G

    def cube(q: float) -> float:
        return (turned**2 + weight**2 - 2.0 * turned * weight * math.sin(q)) ** 1.5

    mean = (quad(cube, 0.0, TURN, epsabs=0.0, epsrel=1e-12)[0] / TURN) ** (1.0 / 3.0)
    assert load.mean == pytest.approx(mean, rel=ROUND_OFF)
    assert load.axial == pytest.approx(0.0, abs=ROUND_OFF * load.radial)


def test_the_inertia_that_a_crank_feels() -> None:
    """Slider-crank: x = r cos q + √(l² - r² sin² q), so that its slider adds m (dx/dq)² to what crank and rod have."""
    sim = simulator.load("slider_crank")
    bodies = {"piston.mass": 3.0}
    heavy, light = (
        reflected_inertia(one.analyse({"crank_joint": (0.1, 1.4)}, points=27).swept)
        for one in (sim.varied(bodies), sim)
    )
    before = sim.parameters()["piston.mass"].value
    found = sim.analyse({"crank_joint": (0.1, 1.4)}, points=27)
    ratio = found.swept.ratio[:, [axis.name for axis in sim.mechanism.axes].index("slider_crank::piston_joint")]
    np.testing.assert_allclose(heavy - light, (3.0 - before) * ratio**2, rtol=1e-9, atol=1e-12)
    sim.set(crank_joint=0.1)
    assert light[0] == pytest.approx(float(sim.mass_matrix()["crank_joint", "crank_joint"]), rel=1e-9)


def test_rotors_behind_gears_count() -> None:
    """The wrist's motors turn 24 times as fast as its joints and add 24² of their inertia, once each: pitch alone turns
    both motors (worlds/wrist.sdf)."""
    sim = simulator.load("wrist")
    found = reflected_inertia(sim.analyse({"pitch_joint": (0.0, 0.1)}, points=3).swept)
    assert found[0] == pytest.approx(float(sim.mass_matrix()["pitch_joint", "pitch_joint"]), rel=1e-9)
