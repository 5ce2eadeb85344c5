"""Parts of a mechanism that K lets move and that cannot, while the rest moves: a slide across the line through two
hinges. Moved by y it would open the loop by y²/2 of that length (Connelly and Whiteley, SIAM J. Discrete Math. 9, 1996:
rigid to second order). The motion is that of a document in which fixed joints hold the parts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from tests.physics.worlds import joint, link, model, world

GROUND, CRANK, COUPLER, ROCKER, START = 0.4, 0.12, 0.35, 0.3, 1.0
ALONG, ARM = 0.1, 0.05
"""Where the coupler is divided, from the crank, and how far the pin of the plunger is off it [m]."""


def four_bar(*, divided: bool, tilt: float = 0.0) -> str:
    """In the plane x z. The coupler is a stub and a rod, between them a hinge, and a plunger that slides along the rod
    and hangs on the stub beside the hinge; or the three are welded. `tilt`: of the slide, out of the plane [rad]."""
    a = np.array([CRANK * math.cos(START), 0.0, CRANK * math.sin(START)])
    across = np.array([GROUND, 0.0, 0.0]) - a
    distance = float(np.linalg.norm(across))
    # The law of cosines in the triangle of crank pin, rocker pin and the rocker's pivot.
    lean = math.acos((COUPLER**2 + distance**2 - ROCKER**2) / (2.0 * COUPLER * distance))
    angle = math.atan2(across[2], across[0]) + lean
    u = np.array([math.cos(angle), 0.0, math.sin(angle)])
    n = np.array([-u[2], 0.0, u[0]])
    hinge, end = a + ALONG * u, a + COUPLER * u
    pin = hinge + ARM * n
    pivot = np.array([GROUND, 0.0, 0.0])
    slide = u + tilt * np.array([0.0, 1.0, 0.0])
    turning, sliding = ("revolute", "prismatic") if divided else ("fixed", "fixed")
    closing = joint("close", "revolute", "plunger", parent="stub", axis="0 1 0")
    return world(
        model(
            _link("crank", np.zeros(3), 0.5 * a, 0.2),
            _link("stub", a, 0.5 * ALONG * u, 0.1),
            _link("rod", hinge, 0.5 * (end - hinge), 0.3),
            _link("plunger", pin, -0.3 * ARM * n, 0.1),
            _link("rocker", pivot, 0.5 * (end - pivot), 0.2),
            joint("j1", "revolute", "crank", axis="0 1 0"),
            joint("j2", "revolute", "stub", parent="crank", axis="0 1 0"),
            joint("bend", turning, "rod", parent="stub", axis="0 1 0"),
            joint("push", sliding, "plunger", parent="rod", axis=_text(slide)),
            *((closing,) if divided else ()),
            joint("j4", "revolute", "rocker", axis="0 1 0"),
            joint("j3", "revolute", "rocker", parent="rod", axis="0 1 0", pose=f"{_text(end - pivot)} 0 0 0"),
        )
    )


def _link(name: str, at: np.ndarray, com: np.ndarray, mass: float) -> str:
    return link(name, mass=mass, inertia="1e-3 1e-3 1e-3", com=_text(com), pose=f"{_text(at)} 0 0 0")


def _text(vector: np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in vector)


@pytest.mark.parametrize("solver", ["rows", "reduced"])
@pytest.mark.parametrize("tilt", [0.0, 1e-7, 5e-6])
def test_a_slide_across_two_hinges_stands_still_while_its_loop_moves(solver: str, tilt: float) -> None:
    """Rounded or not, and with residuals of rounding."""
    held = simulator.load(four_bar(divided=True, tilt=tilt), solver=solver)
    assert held.mobility == 1
    ours = held.run(2.0, drives={"j1": simulator.position(simulator.sine(1.0, 0.5))})
    plain = simulator.load(four_bar(divided=False), solver=solver)
    theirs = plain.run(2.0, drives={"j1": simulator.position(simulator.sine(1.0, 0.5))})
    assert np.abs(ours["bend/position"]).max() < 1e-9
    assert np.abs(ours["push/position"]).max() < 1e-9
    for name in ("stub", "rod", "plunger", "rocker"):
        np.testing.assert_allclose(ours.poses(name), theirs.poses(name), rtol=0.0, atol=1e-8 + tilt)
    assert ours.summary.max_loop_residual_m < 1e-9
    assert np.ptp(ours["j4/position"]) > 0.3
