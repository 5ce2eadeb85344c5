"""What dry friction adds to the effort of a driver: by virtual power, and beside a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator

CRANK, PISTON = 0.03, 4.0
"""Dry friction of the crank [N m] and of the piston [N]."""
R, L = 0.05, 0.16
"""Of worlds/slider_crank.sdf [m]."""


def _slider_crank() -> simulator.Simulation:
    return simulator.load("slider_crank").varied({"crank_joint.friction": CRANK, "piston_joint.friction": PISTON})


def test_friction_of_a_slider_crank() -> None:
    """Each joint takes f |dq/dθ|: the crank f, the piston f |ds/dθ| with s = r cos θ + √(l² - r² sin² θ). The angle of
    the document's crank is counted from where it is drawn."""
    found = _slider_crank().analyse({"crank_joint": (0.0, 2.0 * math.pi)}, velocity=2.0)
    s = found["piston_joint/position"]
    theta = found["crank_joint/position"]
    slope = found["velocity_ratio/piston_joint"]
    np.testing.assert_allclose(slope[1:-1], np.gradient(s, theta)[1:-1], atol=2e-5)
    np.testing.assert_allclose(found.swept.friction, CRANK + PISTON * np.abs(slope), rtol=1e-12)
    assert np.abs(slope).max() == pytest.approx(_steepest(), rel=1e-3)
    np.testing.assert_allclose(
        found["crank_joint/effort_with_friction"], found["crank_joint/effort"] + CRANK + PISTON * np.abs(slope)
    )


def _steepest() -> float:
    theta = np.linspace(0.0, 2.0 * math.pi, 20001)
    return float(np.abs(np.gradient(R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2), theta)).max())


def test_a_drive_gives_what_the_analysis_says() -> None:
    """A crank that is driven at 2 rad/s by a motor: at each step its effort is that of the analysis with friction,
    between dead points, where the friction of the piston changes its sign within a step."""
    sim = _slider_crank()
    sim.set(velocity={"crank_joint": 2.0})
    run = sim.run(3.0, drives={"crank_joint": simulator.velocity(2.0)})
    begin, end = run["crank_joint/position"][[0, -1]]
    found = _slider_crank().analyse({"crank_joint": (begin, end)}, points=len(run), velocity=2.0)
    slope = np.abs(found["velocity_ratio/piston_joint"])
    clear = slope > 0.1 * slope.max()
    clear[:2] = False
    difference = run["crank_joint/effort"] - found["crank_joint/effort_with_friction"]
    assert np.abs(difference[clear]).max() < 1e-4
    without = run["crank_joint/effort"] - found["crank_joint/effort"]
    assert np.abs(without[clear]).min() > CRANK


def test_friction_acts_against_the_sense_of_the_sweep() -> None:
    forth = _slider_crank().analyse({"crank_joint": (0.2, 1.2)})
    back = _slider_crank().analyse({"crank_joint": (1.2, 0.2)})
    friction = CRANK + PISTON * np.abs(forth["velocity_ratio/piston_joint"])
    np.testing.assert_allclose(
        forth["crank_joint/effort_with_friction"] - back["crank_joint/effort_with_friction"][::-1], 2.0 * friction
    )


def test_without_friction_and_with_several_moves_there_is_no_such_column() -> None:
    found = simulator.load("slider_crank").analyse({"crank_joint": (0.0, 1.0)})
    assert found.swept.friction is None
    assert not [name for name in found.table.names if name.endswith("with_friction")]
    planetary = simulator.load("planetary").varied({"sun_joint.friction": 0.1})
    assert planetary.analyse({"sun_joint": (0.0, 1.0), "carrier_joint": (0.0, 0.5)}).swept.friction is None
