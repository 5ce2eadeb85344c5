"""Positions without time against published figures and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.physics.sweep.swept import Loads
from tests.helpers.documents import link, model, world
from tests.helpers.watt import JOINTS, PINS, SPEED, watt_i

DIGITS = 1e-12
"""Of closed forms: a Newton step ends at round-off, some hundred operations each of which costs 1e-16."""
PUBLISHED = 1e-8
"""Of the Watt I table: what its own check of Newton and Euler allows."""
STEP = 0.017453292519943295


@pytest.fixture(scope="module")
def four_bar() -> simulator.Simulation:
    return simulator.load("four_bar")


def test_watt_i_moves_as_published() -> None:
    """PMKS-Web/PMKS_Verification, reference-data/v1, case watt_i, second and third sample of the first sweep (crank at
    +1° and +2° from the published start): place, velocity and acceleration of C and E, and of EF the angular ones."""
    sim = simulator.load(watt_i(gravity=9.81))
    found = sim.analyse({"A": (0.0, 5.0 * STEP)}, points=6, velocity=SPEED)
    place, velocity, acceleration = found.point("BCD", (*PINS["C"], 0.0))
    np.testing.assert_allclose(place[1, :2], (1.5057106802473605, 0.3195221250451572), rtol=PUBLISHED)
    np.testing.assert_allclose(velocity[1, :2], (-4.6364554058321517, -7.0394405012926757), rtol=PUBLISHED)
    np.testing.assert_allclose(acceleration[1, :2], (-23.690339453806281, -54.521927841487077), rtol=PUBLISHED)
    place, velocity, acceleration = found.point("DE", (*PINS["E"], 0.0))
    np.testing.assert_allclose(place[1, :2], (5.0527153484321214, 5.4780701030419383), rtol=PUBLISHED)
    np.testing.assert_allclose(velocity[1, :2], (-1.8074916946441504, 9.9457646798312744), rtol=PUBLISHED)
    np.testing.assert_allclose(acceleration[1, :2], (-21.744928058735393, -11.778273685173033), rtol=PUBLISHED)


def test_watt_i_needs_the_published_torque_and_loads_its_pins_as_published() -> None:
    """The same case under gravity with (50, 25) N on CFG at the mean of its pins, scenario newton_gravity: driver
    torque of the first two samples; forces on AB at A, on DE at E and on CFG at G of the first. The table gives B to F
    on the link named first, here they are by the first on the second."""
    sim = simulator.load(watt_i(gravity=9.81))
    mechanism, swept = sim.mechanism, sim._core.sweeper.swept
    body = next(i for i, item in enumerate(mechanism.bodies) if item.name == "watt::CFG")
    place = (*np.mean([PINS[pin] for pin in "CFG"], axis=0).tolist(), 0.0)
    inside = swept.model.parts.tree.X_LB[body].transform(place)
    node = np.array([swept.model.parts.tree.node_of_body[body]])
    swept.load(Loads(node, np.zeros(1, dtype=np.int64), np.array([[*inside, 50.0, 25.0, 0.0, 0.0, 0.0, 0.0]])))
    found = sim.analyse({"A": (0.0, STEP)}, points=2, velocity=SPEED)
    torque = found.swept.effort[:, [axis.name for axis in mechanism.axes].index("watt::A")]
    np.testing.assert_allclose(torque, (1844.3174729930561, 3483.3041482647805), rtol=PUBLISHED)
    np.testing.assert_allclose(found.reaction("A")[0, :2], (-617.28870708788463, -176.5348377830598), rtol=PUBLISHED)
    np.testing.assert_allclose(found.reaction("E")[0, :2], (-199.99881276287579, 3.3391333188193983), rtol=PUBLISHED)
    np.testing.assert_allclose(found.reaction("G")[0, :2], (152.23576170524279, -150.95805411779756), rtol=PUBLISHED)


def test_the_crank_may_go_backwards() -> None:
    """With its ends the other way round the crank goes backwards: velocities change sign, accelerations do not."""
    sim = simulator.load(watt_i(gravity=9.81))
    forth = sim.analyse({"A": (0.0, 5.0 * STEP)}, points=6, velocity=SPEED)
    back = sim.analyse({"A": (5.0 * STEP, 0.0)}, points=6, velocity=SPEED)
    np.testing.assert_allclose(back.swept.velocity[::-1], -forth.swept.velocity, rtol=1e-9)
    np.testing.assert_allclose(back.swept.acceleration[::-1], forth.swept.acceleration, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(back.swept.effort[::-1], forth.swept.effort, rtol=1e-9)


def test_a_crank_rocker(four_bar: simulator.Simulation) -> None:
    """Bars 0.4, 0.1, 0.35, 0.3 m. Transmission angle where the crank is in line with the ground: cos μ = (b² + c² - (d
    ∓ a)²) / (2 b c). The rocker turns where crank and coupler are in line, at ground angles arccos((d² + c² - (b ± a)²)
    / (2 c d)); the crank angles there give the time ratio. (Norton, Design of Machinery, ch. 4.)"""
    found = four_bar.analyse({"crank_joint": (0.0, 2.0 * np.pi)}, points=361)
    d, a, b, c = 0.4, 0.1, 0.35, 0.3
    angle = found.findings()["transmission_angles"]["four_bar::closing_joint"]
    for key, base in (("minimum", d - a), ("maximum", d + a)):
        assert angle[key] == pytest.approx(np.arccos((b * b + c * c - base * base) / (2 * b * c)), abs=1e-10)
    assert (np.degrees(angle["minimum"]), np.degrees(angle["maximum"])) == pytest.approx((54.3147, 100.2866), abs=5e-5)
    swing = [np.arccos((d * d + c * c - (b + s * a) ** 2) / (2 * c * d)) for s in (1.0, -1.0)]
    turns = found.turns("rocker_joint")
    assert abs(turns[0].position - turns[1].position) == pytest.approx(swing[0] - swing[1], abs=DIGITS)
    crank = [np.arccos((d * d + (b + s * a) ** 2 - c * c) / (2 * d * (b + s * a))) for s in (1.0, -1.0)]
    stroke = np.pi + crank[0] - crank[1] if crank[0] > crank[1] else np.pi - crank[0] + crank[1]
    assert found.time_ratio("rocker_joint") == pytest.approx(stroke / (2 * np.pi - stroke), abs=1e-10)
    assert found.time_ratio("rocker_joint") == pytest.approx(1.089437, abs=5e-7)


@pytest.mark.parametrize("points", [73, 74, 721])
def test_turns_at_and_between_points_are_found(four_bar: simulator.Simulation, points: int) -> None:
    """The transmission angle of a four-bar is extreme where the crank lies along the base: at 120 and 300 degrees from
    the start of this one, which are points of a sweep in steps of five degrees, with rates of round-off there."""
    found = four_bar.analyse({"crank_joint": (0.0, 2.0 * np.pi)}, points=points)
    assert [turn.driver for turn in found.turns("closing_joint")] == pytest.approx(
        [2 / 3 * np.pi, 5 / 3 * np.pi], abs=1e-10
    )
    assert found.time_ratio("closing_joint") == pytest.approx(1.0, abs=1e-10)


def test_a_rocker_that_drives_ends_at_its_dead_point(four_bar: simulator.Simulation) -> None:
    """Driven by the rocker, the linkage goes to where crank and coupler are in line, and no further."""
    found = four_bar.analyse({"rocker_joint": (0.0, 1.0)}, points=101)
    whole_turn = four_bar.analyse({"crank_joint": (0.0, 2.0 * np.pi)})
    widest = max(turn.position for turn in whole_turn.turns("rocker_joint"))
    assert len(found) == 68
    assert found.dead_point == pytest.approx(widest, abs=1e-10)


@pytest.mark.parametrize(
    ("axis", "end"),
    [("leg_1_slide", -0.3), ("leg_1_base", 1.0), ("leg_1_base:axis2", 1.0)],
    ids=["slide", "tilt", "turn"],
)
def test_a_platform_goes_on_to_its_dead_point_and_no_further(axis: str, end: float) -> None:
    """Of six freedoms five are held. A sweep to 1e-9 before the dead point arrives, one to 1e-9 behind it does not."""
    sim = simulator.load("stewart")
    dead = sim.analyse({axis: (0.0, end)}, points=51).dead_point
    assert dead is not None
    for beyond in (-1e-9, 1e-9):
        found = sim.analyse({axis: (0.0, dead + beyond * np.sign(end))}, points=51)
        assert (found.dead_point is not None) == (beyond > 0.0)


def test_a_slider_crank_in_closed_form() -> None:
    """x = r cos θ + √(l² - r² sin² θ) with r = 50 mm, l = 160 mm, and its first two derivatives at θ̇ = 3, θ̈ = 5; the
    sine of the rod's angle is r sin θ / l, and it stands at that angle to the slide: the transmission angle is 90° less
    that."""
    sim = simulator.load("slider_crank")
    found = sim.analyse({"crank_joint": (0.0, 2.0 * np.pi)}, points=97, velocity=3.0, acceleration=5.0)
    r, length, start = 0.05, 0.16, np.pi / 3.0
    t = found["joint/slider_crank::crank_joint/position"] + start
    root = np.sqrt(length**2 - (r * np.sin(t)) ** 2)
    begin = r * np.cos(start) + np.sqrt(length**2 - (r * np.sin(start)) ** 2)
    slope = -r * np.sin(t) - r**2 * np.sin(t) * np.cos(t) / root
    bend = -r * np.cos(t) - r**2 * np.cos(2.0 * t) / root - r**4 * (np.sin(t) * np.cos(t)) ** 2 / root**3
    name = "joint/slider_crank::piston_joint"
    np.testing.assert_allclose(found[f"{name}/position"], r * np.cos(t) + root - begin, atol=DIGITS)
    np.testing.assert_allclose(found[f"{name}/velocity"], 3.0 * slope, atol=DIGITS)
    np.testing.assert_allclose(found[f"{name}/acceleration"], 9.0 * bend + 5.0 * slope, atol=DIGITS)
    angle = next(column for column in found.table.names if column.startswith("transmission_angle/"))
    np.testing.assert_allclose(found[angle], np.pi / 2.0 - np.arcsin(r * np.abs(np.sin(t)) / length), atol=DIGITS)
    assert found.time_ratio("piston_joint") == pytest.approx(1.0, abs=DIGITS)


def test_forces_on_the_pins_follow_from_the_driver() -> None:
    """Power of the driver is the rate of kinetic and potential energy, here of the Watt I under gravity: Στ q̇ = d/ds(T
    + V) ṡ, the latter by central differences of order four over 1e-3 rad."""
    sim = simulator.load(watt_i(gravity=9.81))
    count, h = 21, 1e-3
    found = sim.analyse({"A": (-0.01, -0.01 + h * (count - 1))}, points=count, velocity=SPEED)
    energy = np.zeros(count)
    for index, body in enumerate(sim.mechanism.bodies):
        if index:
            place, velocity, _ = found.swept.point_motion(index, body.com)
            twist, _ = found.swept.body_motion(index)
            energy += 0.5 * body.mass * np.sum(velocity**2, axis=1) + 0.5 * body.inertia[2] * twist[:, 2] ** 2
            energy += body.mass * 9.81 * place[:, 1]
    slope = (energy[:-4] - 8.0 * energy[1:-3] + 8.0 * energy[3:-1] - energy[4:]) / (12.0 * h) * SPEED
    power = found.swept.effort[2:-2].sum(axis=1) * SPEED
    np.testing.assert_allclose(power, slope, rtol=1e-6)


def test_every_branch_is_found(four_bar: simulator.Simulation) -> None:
    """A four-bar has two ways to be assembled; the other one's rocker is mirrored at the diagonal."""
    from simulator.analysis.branches import branches_at

    sweeper = four_bar._core.sweeper
    swept = four_bar.analyse({"crank_joint": (0.0, 1.0)}, points=3).swept
    sweeper.swept.begin_at(swept.begin)
    assert len(branches_at(sweeper.swept, swept.plan, np.array([0.0]))) == 2


def test_pins_of_the_table_are_the_joints() -> None:
    """Every joint of the document has its six columns."""
    found = simulator.load(watt_i(gravity=0.0)).analyse({"A": (0.0, 0.05)}, points=2, velocity=SPEED)
    for pin in JOINTS:
        assert f"reaction/watt::{pin}/force_x" in found.table.names


def test_columns_are_found_without_the_model(four_bar: simulator.Simulation) -> None:
    found = four_bar.analyse({"crank_joint": (0.0, 1.0)}, points=3)
    for short, whole in (
        ("rocker_joint/position", "joint/four_bar::rocker_joint/position"),
        ("reaction/closing_joint/force_x", "reaction/four_bar::closing_joint/force_x"),
        ("instant_centre/coupler/x", "instant_centre/four_bar::coupler/x"),
    ):
        assert np.array_equal(found[short], found[whole])
    with pytest.raises(simulator.UsageError, match=r"has several columns: .*reaction/four_bar::closing_joint/force_x"):
        found["closing_joint"]
    with pytest.raises(simulator.UsageError, match="no column is named 'reaction/nothing/force_x'"):
        found["reaction/nothing/force_x"]


def test_a_nut_turns_about_its_screw_with_the_pitch_of_its_thread() -> None:
    """The instantaneous screw of a body on a thread of 5 mm a turn is the thread itself: its axis, 0.3 m off the
    origin, and 0.005 / 2 pi metres a radian. 1e-9 is the round-off of velocities through positions of order 1."""
    nut = '<joint name="j" type="screw"><parent>world</parent><child>nut</child><pose>0 0 0 0 0 0</pose>'
    thread = "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.005</screw_thread_pitch></joint>"
    text = world(model("m", link("nut", pose="0.3 0 0 0 0 0"), nut + thread))
    table = simulator.load(text).analyse({"j": (0.0, 3.0)}, points=4).table
    np.testing.assert_allclose(np.abs(table["screw_axis/m::nut/pitch"]), 0.005 / (2.0 * np.pi), rtol=1e-9)
    np.testing.assert_allclose(table["screw_axis/m::nut/x"], 0.3, atol=1e-9)
    np.testing.assert_allclose(np.abs(table["screw_axis/m::nut/direction_z"]), 1.0, atol=1e-12)
