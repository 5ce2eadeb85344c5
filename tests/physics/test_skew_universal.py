"""A universal joint whose axes are not at right angles, where it closes a loop.

Its relative angular velocity is w = q1' a + q2' b, so each rate is measured by the dual of its axis in the plane of
both, and not by w . a. The same mechanism cut at its ball joint has that universal in the tree, where q1' and q2' are
coordinates: an independent way to the same motion.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import least_squares

import simulator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FIRST, SECOND = (0.0, 0.0, 1.0), (math.sin(math.pi / 3.0), 0.0, math.cos(math.pi / 3.0))
"""Axes 60 degrees apart."""
CUT = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
AXES = ("u", "u:axis2")
WHEEL = """<link name="wheel"><inertial><mass>1</mass>
  <inertia><ixx>0.05</ixx><iyy>0.05</iyy><izz>0.05</izz></inertia></inertial></link>
<joint name="shaft" type="revolute"><parent>world</parent><child>wheel</child><axis><xyz>1 0 0</xyz>
  <mimic joint="u" axis="{}"><multiplier>2</multiplier></mimic></axis></joint>"""
DYNAMICS = "<dynamics><damping>0.3</damping><spring_stiffness>2</spring_stiffness></dynamics>"


def document(cut: str, *, first: str = "", second: str = "", more: str = "") -> str:
    """Two links in a loop: a ball joint, a universal joint, and the skew universal `u`; `first`, `second`: what its
    axes hold; `more`: beside them in the model."""

    def cut_here(joint: str) -> str:
        return CUT if joint == cut else ""

    return f"""<sdf version="1.12"><world name="w"><gravity>0 0 -9.81</gravity><model name="m">
    <link name="a"><pose>0.15 0 0 0 0 0</pose><inertial><mass>1</mass>
      <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.025</izz></inertia></inertial></link>
    <link name="b"><pose>0.35 0.15 0.1 0 0 0</pose><inertial><mass>1</mass>
      <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.025</izz></inertia></inertial></link>
    <joint name="shoulder" type="ball"><parent>world</parent><child>a</child>
      <pose relative_to="__model__">0 0 0 0 0 0</pose>{cut_here("shoulder")}</joint>
    <joint name="elbow" type="universal"><parent>a</parent><child>b</child>
      <pose relative_to="__model__">0.3 0 0 0 0 0</pose>
      <axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
    <joint name="u" type="universal"><parent>world</parent><child>b</child>
      <pose relative_to="__model__">0.4 0.3 0.2 0 0 0</pose>{cut_here("u")}
      <axis><xyz>{" ".join(map(str, FIRST))}</xyz>{first}</axis>
      <axis2><xyz>{" ".join(map(str, SECOND))}</xyz>{second}</axis2></joint>
    {more}</model></world></sdf>"""


def _turned(axis: tuple[float, float, float], angle: float) -> Array:
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R: Array = np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K
    return R


def test_angles_are_those_of_the_link() -> None:
    sim = simulator.load(document("u"))
    run = sim.run(0.2)
    told = [float(run[f"{axis}/position"][-1]) for axis in AXES]
    R = sim.pose("b")[:3, :3]

    def misfit(q: Array) -> Array:
        difference: Array = _turned(FIRST, q[0]) @ _turned(SECOND, q[1]) - R
        return difference.ravel()

    found = least_squares(misfit, told, xtol=1e-15, ftol=1e-15)
    assert np.abs(found.fun).max() < 1e-14
    assert abs(told[0]) > 0.1
    # 1e-12: loops are closed to round-off, and the fit stops at 1e-15 of its cost.
    np.testing.assert_allclose(told, found.x, atol=1e-12)


@pytest.mark.parametrize("axis", AXES)
def test_rates_are_derivatives_of_angles(axis: str) -> None:
    run = simulator.load(document("u")).run(0.2)
    position, dt = np.asarray(run[f"{axis}/position"]), float(run.time[1])
    # Central differences of fourth order; their error is dt⁴ q⁽⁵⁾/30, 1e-12 of 1e5 rad/s⁵ here at the most.
    p = position
    slope = (p[:-4] - 8.0 * p[1:-3] + 8.0 * p[3:-1] - p[4:]) / (12.0 * dt)
    np.testing.assert_allclose(np.asarray(run[f"{axis}/velocity"])[2:-2], slope, atol=1e-8)


@pytest.mark.parametrize(
    ("acting", "efforts"),
    [
        ({}, {}),
        ({"first": DYNAMICS}, {}),
        ({"second": DYNAMICS}, {}),
        ({"first": DYNAMICS, "second": DYNAMICS}, {}),
        ({}, {"u": 0.7}),
        ({}, {"u:axis2": 0.7}),
        ({"more": WHEEL.format("axis")}, {}),
        ({"more": WHEEL.format("axis2")}, {}),
    ],
    ids=["free", "first", "second", "both", "effort 1", "effort 2", "wheel on 1", "wheel on 2"],
)
def test_cut_at_it_moves_as_cut_elsewhere(acting: dict[str, str], efforts: dict[str, float]) -> None:
    """Both are of fourth order in the step: their errors are 1e-10 rad at 1 ms here."""
    drives = {axis: simulator.effort(value) for axis, value in efforts.items()}
    runs = [simulator.load(document(cut, **acting)).run(0.1, drives=drives) for cut in ("u", "shoulder")]
    for axis in AXES:
        cut, whole = (np.asarray(run[f"{axis}/position"]) for run in runs)
        assert np.ptp(whole) > 1e-3
        np.testing.assert_allclose(cut, whole, atol=1e-9)
    for run in runs:
        assert abs(float(run["energy/error"][-1])) < 1e-7
