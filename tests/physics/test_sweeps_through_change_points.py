"""Sweeps through positions where several motions meet, against closed forms.

A four-bar with the shortest and the longest bar as long together as both others comes into line (Grashof 1883) at crank
angles that are whole half turns; which of them, the lengths say. Away from there the rocker's end is where two circles
meet, on one side or the other of the line between their centres, and on a smooth path the side changes there."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from simulator.analysis.analysis import Analysis
from simulator.analysis.sweeps import Sweeper
from simulator.kinematics.kinematics import Kinematics
from tests.physics.four_bar_motions import GRAVITY, Bars
from tests.physics.test_change_points import double
from tests.physics.worlds import joint, link, model, world

Array = NDArray[np.float64]
TURN = 2.0 * math.pi
LOOP = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
LOCATED = 1e-11
"""Polynomials through ten places, 0.02 rad apart, are off by 0.02^10 5!^2 f'''.../10!, some 1e-13, and places beside a
singular position have lost two digits."""
BESIDE = 0.05
"""Closed forms by an arc cosine lose digits as the inverse of the distance: so far away [rad] one and a half."""
EXACT = 1e-11

LINKAGES = {
    "parallelogram": Bars(0.2, 0.4, 0.2, 0.4),
    "long crank": Bars(0.4, 0.2, 0.4, 0.2),
    "rhombus": Bars(0.3, 0.3, 0.3, 0.3),
    "kite, short crank": Bars(0.2, 0.4, 0.4, 0.2),
    "kite, short base": Bars(0.2, 0.2, 0.4, 0.4),
    "ground longest": Bars(0.3, 0.6, 0.5, 0.8),
    "coupler longest": Bars(0.3, 0.8, 0.6, 0.5),
    "rocker longest": Bars(0.2, 0.4, 0.5, 0.3),
}
STARTS = (20.0, 45.0, 60.0, 90.0, 135.0)


def rocker_at(bars: Bars, crank: Array, side: Array) -> Array:
    """The rocker's direction as a complex number, shape (n,): its end is `side` (1 or -1) of the way from its pivot to
    the crank's tip."""
    way = bars.crank * np.exp(1j * crank) - bars.ground
    along = (np.abs(way) ** 2 + bars.rocker**2 - bars.coupler**2) / (2.0 * bars.rocker * np.abs(way))
    found: Array = np.exp(1j * (np.angle(way) + side * np.arccos(np.clip(along, -1.0, 1.0))))
    return found


def in_line(bars: Bars, low: float, high: float) -> list[float]:
    """Crank angles between two at which all bars are in line."""
    ends = [one * bars.coupler + other * bars.rocker - bars.ground for one in (1, -1) for other in (1, -1)]
    return [
        half * math.pi
        for half in range(math.ceil(low / math.pi - 1e-9), math.floor(high / math.pi + 1e-9) + 1)
        if any(abs(bars.crank * (-1) ** half + end) < 1e-12 for end in ends)
    ]


def assembled(bars: Bars, start: float) -> str:
    """With the rocker's end to the left of the way from the crank's tip to the rocker's pivot."""
    rocker = complex(rocker_at(bars, np.array([start]), np.array([-1.0]))[0])
    return bars.document(bars.crank * cmath.exp(1j * start), bars.ground + bars.rocker * rocker)


@pytest.mark.parametrize("name", LINKAGES)
@pytest.mark.parametrize("count", [362, 37])
def test_a_four_bar_goes_round_smoothly(name: str, count: int) -> None:
    """All points, every change point once, and the smooth path, whether a point is a change point (361 and 37 of them,
    in whole degrees) or not."""
    bars = LINKAGES[name]
    for degrees in STARTS:
        start = math.radians(degrees)
        sim = simulator.load(assembled(bars, start))
        for sense in (1.0, -1.0):
            found = sim.analyse({"j1": (0.0, sense * TURN)}, points=count)
            assert len(found) == count
            wanted = in_line(bars, *sorted((start, start + sense * TURN)))[:: int(sense)]
            assert [point + start for point in found.change_points] == pytest.approx(wanted, abs=LOCATED)
            _assert_smooth(bars, start, found, np.array(wanted), sense)


def _assert_smooth(bars: Bars, start: float, found: Analysis, changes: Array, sense: float) -> None:
    """The rocker is where circles meet, and the crank's effort is the slope of the weights' height: by virtual work,
    with the rates of crank a, coupler c and rocker r by sines of the angles between them (Norton, 6.6)."""
    everywhere = found["j1/position"] + start
    far: NDArray[np.bool_] = np.all(np.abs(everywhere[:, None] - changes) > BESIDE, axis=1)
    assert far[0]
    crank = everywhere[far]
    passed = np.sum(sense * (crank[:, None] - changes) > 0.0, axis=1)
    rocker = rocker_at(bars, crank, np.where(passed % 2, 1.0, -1.0))
    turned = np.exp(1j * (found["j3/position"][far] + np.angle(rocker[0])))
    np.testing.assert_allclose(turned, rocker, atol=EXACT)
    tip, end = bars.crank * np.exp(1j * crank), bars.ground + bars.rocker * rocker
    coupler = np.angle(end - tip)
    ratio = bars.crank * np.sin(coupler - crank) / (bars.rocker * np.sin(coupler - np.angle(rocker)))
    # Half of the crank's tip and of the coupler's for either rod, and so at the rocker's end.
    rise = tip.real + ratio * (end - bars.ground).real
    np.testing.assert_allclose(found["velocity_ratio/m::j3"][far], ratio, atol=EXACT / BESIDE)
    np.testing.assert_allclose(found["j1/effort"][far], GRAVITY * rise, atol=GRAVITY * EXACT / BESIDE)
    assert np.isfinite(found["j1/effort"]).all()


@pytest.mark.parametrize("offset", [0.0, 1e-13, -1e-9, 1e-7, -1e-5, 1e-3])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_values_at_and_beside_a_change_point_are_those_of_the_path(offset: float, sense: float) -> None:
    """A parallelogram: its coupler does not turn, the crank lifts all three rods by 2 g a cos t, everywhere. A sample
    lies at some distance from where the bars are in line."""
    bars, start = LINKAGES["parallelogram"], math.radians(30.0) + offset
    found = simulator.load(assembled(bars, start)).analyse({"j1": (0.0, sense * TURN)}, points=37, velocity=2.0)
    crank = found["j1/position"] + start
    np.testing.assert_allclose(found["velocity_ratio/m::j3"], 1.0, atol=1e-10)
    np.testing.assert_allclose(found["j3/acceleration"], 0.0, atol=1e-7)
    # The rods' centres turn at constant speed; what that needs does no work.
    np.testing.assert_allclose(found["j1/effort"], 2.0 * GRAVITY * bars.crank * np.cos(crank), atol=1e-9)


def test_what_joints_carry_has_no_value_where_it_has_a_pole() -> None:
    """Near the line, bars hold the weights by forces that grow as the inverse of the distance: along the bars, not
    across them. Without weights there is nothing to hold."""
    bars, start = LINKAGES["parallelogram"], math.radians(30.0)
    sim = simulator.load(assembled(bars, start))
    found = sim.analyse({"j1": (0.0, TURN)}, points=37)
    along, across = found["reaction/m::j1/force_x"], found["reaction/m::j1/force_y"]
    assert np.flatnonzero(np.isnan(along)).tolist() == [15, 33]
    assert np.isfinite(across).all()
    beside = sim.analyse({"j1": (math.radians(149.0), math.radians(151.0))}, points=5)["reaction/m::j1/force_x"]
    half_a_degree, a_degree = beside[3] - beside[1], beside[4] - beside[0]
    # A pole c / s and what is smooth beside it: of the difference to both sides the odd powers are left, 1 + O(s^2).
    assert half_a_degree / a_degree == pytest.approx(2.0, rel=1e-3)
    assert found.findings()["unbounded"] == pytest.approx([math.radians(150.0), math.radians(330.0)])
    assert all(math.isfinite(most["force"]) for most in found.findings()["envelope"].values())
    tip = bars.crank * cmath.exp(1j * start)
    calm = simulator.load(bars.document(tip, bars.ground + tip, gravity=0.0))
    table = calm.analyse({"j1": (0.0, TURN)}, points=37)
    assert np.abs(table.swept.wrenches).max() < 1e-12


@pytest.mark.parametrize("name", ["parallelogram", "rhombus", "kite, short crank"])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_sweep_may_begin_in_line(name: str, sense: float) -> None:
    """Of the motions that meet, that in which the crank moves most beside the other joints: for the parallelogram and
    the rhombus, ratio 1 beside -3 and beside a crank at rest; the kite's other motion has its crank at rest, too."""
    bars = LINKAGES[name]
    sim = simulator.load(bars.document(complex(bars.crank), complex(bars.ground + bars.rocker)))
    found = sim.analyse({"j1": (0.0, sense * TURN)}, points=37)
    assert len(found) == 37
    assert [abs(x) for x in found.change_points] == pytest.approx(in_line(bars, 0.0, TURN), abs=LOCATED)
    crank = found["j1/position"]
    if bars.rocker == bars.crank:
        wanted = crank
    else:
        # C = (a cos t/2 + sqrt(b^2 - a^2 sin^2 t/2)) e^(i t/2), seen from the rocker's pivot a.
        half = 0.5 * crank
        reach = bars.crank * np.cos(half) + np.sqrt(bars.rocker**2 - (bars.crank * np.sin(half)) ** 2)
        wanted = np.unwrap(np.angle(reach * np.exp(1j * half) - bars.ground))
    np.testing.assert_allclose(found["j3/position"], wanted, atol=EXACT)


def test_ratios_in_line_are_limits() -> None:
    """The kite's, as the panel shows them where it stands: t/2 of its axis, and d/dt of the angle that the rocker makes
    with that, asin(a sin(t/2) / b), at t = 0."""
    bars = LINKAGES["kite, short crank"]
    sim = simulator.load(bars.document(complex(bars.crank), complex(bars.ground + bars.rocker)))
    names = [axis.name for axis in sim.mechanism.axes]
    found = Sweeper(Kinematics(sim.mechanism)).here(sim._core.state, names.index("m::j1"))
    assert found.position[0] == pytest.approx(0.0, abs=LOCATED)
    wanted = 0.5 + 0.5 * bars.crank / bars.rocker
    assert found.ratio[0, names.index("m::j3")] == pytest.approx(wanted, abs=LOCATED)


@pytest.mark.parametrize("degrees", [20.0, 45.0, 60.0, 120.0])
@pytest.mark.parametrize("count", [361, 362, 37])
def test_an_isosceles_slider_crank_slides_four_lengths(degrees: float, count: int) -> None:
    """Crank and rod of one length r: x = 2 r cos t. Where the slide is above the crank's axis, at 90 and 270 degrees,
    crank and rod may also turn on as one."""
    r, start = 0.1, math.radians(degrees)
    tip, place = r * cmath.exp(1j * start), 2.0 * r * math.cos(start)

    def at(z: complex, angle: float) -> str:
        return f"{z.real!r} {z.imag!r} 0 0 0 {angle!r}"

    text = world(
        model(
            link("crank", pose=at(0j, start)),
            link("rod", pose=at(tip, cmath.phase(place - tip))),
            link("slider", pose=at(complex(place), 0.0)),
            joint("j1", "revolute", "crank"),
            joint("j2", "revolute", "rod", parent="crank"),
            joint("slide", "prismatic", "slider", axis="1 0 0"),
            joint("j3", "revolute", "slider", parent="rod", extra=LOOP),
        ),
        gravity="0 -9.81 0",
    )
    sim = simulator.load(text)
    for sense in (1.0, -1.0):
        found = sim.analyse({"j1": (0.0, sense * TURN)}, points=count)
        crank = found["j1/position"] + start
        assert len(found) == count
        np.testing.assert_allclose(found["slide/position"], 2.0 * r * (np.cos(crank) - np.cos(start)), atol=EXACT)
        np.testing.assert_allclose(found["velocity_ratio/m::slide"], -2.0 * r * np.sin(crank), atol=EXACT)
        ends = sorted((start, start + sense * TURN))
        wanted = [half * math.pi for half in (-1.5, -0.5, 0.5, 1.5, 2.5) if ends[0] < half * math.pi < ends[1]]
        assert [x + start for x in found.change_points] == pytest.approx(wanted[:: int(sense)], abs=LOCATED)


@pytest.mark.parametrize("missing", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
def test_a_linkage_that_nearly_comes_into_line_keeps_to_its_own_motion(missing: float) -> None:
    """With a crank that is a little shorter, nothing meets: the motions part by the root of what is missing. The crank
    turns, the rocker comes back."""
    bars = Bars(0.2 - missing, 0.4, 0.2, 0.4)
    found = simulator.load(assembled(bars, 1.0)).analyse({"j1": (0.0, TURN)})
    assert len(found) == 361
    assert found.change_points == ()
    crank = found["j1/position"] + 1.0
    rocker = rocker_at(bars, crank, -np.ones(361))
    np.testing.assert_allclose(
        np.exp(1j * (found["j3/position"] + np.angle(rocker[0]))), rocker, atol=1e-12 / math.sqrt(missing)
    )


@pytest.mark.parametrize("count", [37, 38, 361])
def test_two_loops_may_come_into_line_at_once(count: int) -> None:
    """The determinant touches zero there and has one sign before and behind. Both loops stay parallelograms."""
    sim = simulator.load(double(1.0))
    found = sim.analyse({"j1": (0.0, TURN)}, points=count)
    assert len(found) == count
    assert found.change_points == pytest.approx([math.pi - 1.0, TURN - 1.0], abs=LOCATED)
    np.testing.assert_allclose(np.abs(found.swept.ratio), 1.0, atol=1e-9)


@pytest.mark.parametrize("first", [0.0, 0.1])
def test_a_sarrus_linkage_has_change_points_where_it_is_flat_or_stretched(first: float) -> None:
    """Leaves of 60 degrees are stretched at 30 degrees and flat at 120. Where only some of its redundant rows depend on
    each other nothing is said."""
    found = simulator.load("sarrus").analyse({"lower_1_joint": (first, first + TURN)}, points=91, loads=False)
    wanted = [math.radians(angle) for angle in (30.0, 120.0, 210.0, 300.0)]
    assert found.change_points == pytest.approx(wanted, abs=LOCATED)
