"""Linkages of textbooks moved without time: quick return, Hoeken, Jansen, flyball governor, counterbalanced arm,
Grashof's limit."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from tests.physics.four_bar_motions import Bars
from tests.physics.worlds import joint, link, model, world

Array = NDArray[np.float64]
DIGITS = 1e-12
"""Of closed forms: a Newton step ends at round-off, some hundred operations each of which costs 1e-16."""
LOOP = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
TURN = 2.0 * math.pi


def at(z: complex, angle: float = 0.0) -> str:
    """A pose in the x-y plane."""
    return f"{z.real!r} {z.imag!r} 0 0 0 {angle!r}"


def pin(name: str, parent: str, child: str, place: str = "0 0 0 0 0 0", *, closes: bool = False) -> str:
    """A hinge about z at a place of the child."""
    return joint(name, "revolute", child, parent=parent, pose=place, extra=LOOP if closes else "")


# -- quick return ------------------------------------------------------------------------------------------------------

RADIUS, DISTANCE, START = 0.06, 0.15, 0.5


def quick_return() -> str:
    """A crank about the origin, a block on its pin, a slotted lever about (0, -DISTANCE) that the block slides in.
    Every link has 1 kg and 1 kg m^2; lever and crank turn about their centres, the block's centre is the pin. Angles
    from the y axis, clockwise, at START."""
    tip = RADIUS * complex(math.sin(START), math.cos(START))
    lean = math.atan2(tip.real, tip.imag + DISTANCE)
    return world(
        model(
            link("crank"),
            link("block", pose=at(tip, -lean)),
            link("lever", pose=at(-1j * DISTANCE, -lean)),
            joint("crank_joint", "revolute", "crank", axis="0 0 -1"),
            joint("pin", "revolute", "block", parent="crank", axis="0 0 -1"),
            joint("lever_joint", "revolute", "lever", axis="0 0 -1"),
            joint("slot", "prismatic", "block", parent="lever", axis="0 1 0", extra=LOOP),
        ),
        gravity="0 0 0",
    )


def test_a_quick_return_swings_pushes_and_loads_as_in_closed_form() -> None:
    """tan f = r sin t / (d + r cos t), f' = (r^2 + r d cos t) / D, f'' = r d (r^2 - d^2) sin t / D^2 with D = r^2 + d^2
    + 2 r d cos t. The lever turns where the crank is across it, sin f = r / d: strokes of 180 + 2 arcsin(r / d) and 180
    - that degrees (Norton, Design of Machinery, 3.7). At constant speed only lever and block turn unevenly: torque 2 J
      w^2 f' f''."""
    speed = 7.0
    found = simulator.load(quick_return()).analyse({"crank_joint": (0.0, TURN)}, points=181, velocity=speed)
    r, d = RADIUS, DISTANCE
    t = found["crank_joint/position"] + START
    D = r * r + d * d + 2.0 * r * d * np.cos(t)
    lean = np.arctan2(r * np.sin(t), d + r * np.cos(t))
    slope, bend = (r * r + r * d * np.cos(t)) / D, r * d * (r * r - d * d) * np.sin(t) / D**2
    np.testing.assert_allclose(found["lever_joint/position"], lean - lean[0], atol=DIGITS)
    np.testing.assert_allclose(found["lever_joint/velocity"], speed * slope, atol=DIGITS * speed)
    np.testing.assert_allclose(found["lever_joint/acceleration"], speed**2 * bend, atol=DIGITS * speed**2)
    np.testing.assert_allclose(found["slot/position"], np.sqrt(D) - math.sqrt(D[0]), atol=DIGITS)
    np.testing.assert_allclose(found["crank_joint/effort"], 2.0 * speed**2 * slope * bend, atol=1e-10)
    angle = math.asin(r / d)
    assert found.time_ratio("lever_joint") == pytest.approx((math.pi + 2 * angle) / (math.pi - 2 * angle), abs=1e-10)
    assert sorted(turn.position + lean[0] for turn in found.turns("lever_joint")) == pytest.approx(
        [-angle, angle], abs=DIGITS
    )


# -- Hoeken ------------------------------------------------------------------------------------------------------------


def meet(a: complex, ra: float, b: complex, rb: float) -> complex:
    """Where circles about a and b meet, to the left of the way from a to b."""
    way = b - a
    length = abs(way)
    along = (ra * ra - rb * rb + length * length) / (2.0 * length)
    return a + way / length * complex(along, math.sqrt(ra * ra - along * along))


def hoeken_at(angle: float) -> tuple[complex, complex, complex]:
    """Crank's pin, joint of coupler and rocker, and the end of the coupler; bars 1, ground 2, coupler 2.5 to the rocker
    and as much beyond it, rocker 2.5."""
    tip = cmath.exp(1j * angle)
    elbow = meet(tip, 2.5, 2.0 + 0j, 2.5)
    return tip, elbow, 2.0 * elbow - tip


def test_hoekens_linkage_draws_its_straight_line() -> None:
    """Proportions 1 : 2 : 2.5 : 2.5 (Hoeken 1926; Norton, table 3-1): over 180 degrees of the crank about its place in
    line with the ground and away from it the coupler's end leaves a straight line by 0.244 % of its stroke there. The
    path is that of circles meeting."""
    start = math.pi
    tip, elbow, _ = hoeken_at(start)
    text = world(
        model(
            link("crank", pose=at(0j, start)),
            link("coupler", pose=at(tip, cmath.phase(elbow - tip))),
            link("rocker", pose=at(2.0 + 0j, cmath.phase(elbow - 2.0))),
            pin("crank_joint", "world", "crank"),
            pin("coupler_joint", "crank", "coupler"),
            pin("rocker_joint", "world", "rocker"),
            pin("elbow", "coupler", "rocker", "2.5 0 0 0 0 0", closes=True),
        )
    )
    sim = simulator.load(text)
    found = sim.analyse({"crank_joint": (-0.5 * math.pi, 0.5 * math.pi)}, points=721, velocity=1.0)
    place, velocity, _ = found.point("coupler", (5.0, 0.0, 0.0))
    wanted = np.array([hoeken_at(start + angle)[2] for angle in found["crank_joint/position"]])
    np.testing.assert_allclose(place[:, 0] + 1j * place[:, 1], wanted, atol=10 * DIGITS)
    stroke, height = np.ptp(place[:, 0]), np.ptp(place[:, 1])
    assert height / stroke == pytest.approx(0.00244, abs=5e-6)
    slopes = np.gradient(wanted, found["crank_joint/position"], edge_order=2)
    np.testing.assert_allclose(velocity[1:-1, 0], slopes.real[1:-1], atol=1e-4)


# -- Jansen ------------------------------------------------------------------------------------------------------------

BARS = {
    "b": 41.5,
    "c": 39.3,
    "d": 40.1,
    "e": 55.8,
    "f": 39.4,
    "g": 36.7,
    "h": 65.7,
    "i": 49.0,
    "j": 50.0,
    "k": 61.9,
    "m": 15.0,
}
"""Theo Jansen's eleven bars [here in m]; the twelfth and thirteenth of his numbers, a and l, place the fixed pivot."""
PIVOT = complex(-38.0, -7.8)


def jansen_at(angle: float) -> dict[str, complex]:
    """Joints of the leg by circles that meet, the crank's pin `p` being at an angle."""
    p = BARS["m"] * cmath.exp(1j * angle)
    w = meet(PIVOT, BARS["b"], p, BARS["j"])
    v = meet(PIVOT, BARS["d"], w, BARS["e"])
    x = meet(p, BARS["k"], PIVOT, BARS["c"])
    z = meet(x, BARS["g"], v, BARS["f"])
    foot = meet(x, BARS["i"], z, BARS["h"])
    return {"p": p, "w": w, "v": v, "x": x, "z": z, "foot": foot}


def jansen(start: float) -> str:
    """The leg as a document."""
    n = jansen_at(start)
    bars = {
        "j": ("p", "w"),
        "k": ("p", "x"),
        "c": (None, "x"),
        "f": ("v", "z"),
        "upper": (None, "w"),
        "lower": ("x", "z"),
    }
    place = {**n, None: PIVOT}
    links = [
        link(name, pose=at(place[first], cmath.phase(place[last] - place[first])))
        for name, (first, last) in bars.items()
    ]

    def on(bar: str, point: str) -> str:
        first, last = (place[end] for end in bars[bar])
        return at((n[point] - first) * cmath.exp(-1j * cmath.phase(last - first)))

    return world(
        model(
            link("crank", pose=at(0j, start)), *links,
            pin("crank_joint", "world", "crank"), pin("pj", "crank", "j"), pin("pk", "crank", "k"),
            pin("yc", "world", "c"), pin("yu", "world", "upper"),
            pin("w", "j", "upper", on("upper", "w"), closes=True),
            pin("x", "k", "c", on("c", "x"), closes=True),
            pin("xl", "k", "lower"),
            pin("vf", "upper", "f"),
            pin("z", "f", "lower", on("lower", "z"), closes=True),
        )
    )  # fmt: skip


def test_jansens_leg_makes_its_published_step() -> None:
    """Jansen's eleven lengths (The Great Pretender, 2007): the foot's path is 67.908 long and 22.457 high, and the
    whole path is that of circles meeting."""
    start = 0.3
    found = simulator.load(jansen(start)).analyse({"crank_joint": (0.0, TURN)}, points=1441)
    first = jansen_at(start)
    inside = (first["foot"] - first["x"]) * cmath.exp(-1j * cmath.phase(first["z"] - first["x"]))
    place, _, _ = found.point("lower", (inside.real, inside.imag, 0.0))
    wanted = np.array([jansen_at(start + angle)["foot"] for angle in found["crank_joint/position"]])
    np.testing.assert_allclose(place[:, 0] + 1j * place[:, 1], wanted, atol=1e-10)
    assert (np.ptp(place[:, 0]), np.ptp(place[:, 1])) == pytest.approx((67.908, 22.457), abs=2e-3)


# -- flyball governor --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [5.5, 7.0])
def test_a_flyball_stands_where_its_speed_wants_it_and_swings_there(speed: float) -> None:
    """A ball of m at l on a hinge in the shaft's axis, moments I alike about all axes: w^2 cos t = g / l. With the spin
    free, J w constant with J = J_0 + I + m l^2 sin^2 t, small motion has (I + m l^2) s^2 = -m l^2 w^2 sin^2 t (1 + 4 m
    l^2 cos^2 t / J), and twice 0: another place of the shaft, another momentum. (Maxwell, On Governors, 1868, without
    the valve.)"""
    m, length, small, shaft, g = 2.0, 0.4, 1e-3, 0.05, 9.8
    text = world(
        model(
            link("shaft", inertia=f"{shaft} {shaft} {shaft}"),
            link("arm", mass=m, inertia=f"{small} {small} {small}", com=f"0 0 {-length}"),
            joint("spin", "revolute", "shaft"),
            joint("hinge", "revolute", "arm", parent="shaft", axis="0 1 0"),
        )
    )
    sim = simulator.load(text)
    sim.set({"hinge": 0.4}, velocity={"spin": speed, "hinge": 0.0})
    pose = sim.equilibria()[0]
    hinge = sim.mechanism.axis_index("hinge")
    assert hinge is not None
    angle = abs(float(pose.position[hinge]))
    assert speed**2 * math.cos(angle) == pytest.approx(g / length, rel=1e-10)
    sim.set({"hinge": float(pose.position[hinge])}, velocity={"spin": speed, "hinge": 0.0})
    model_here = sim.linearise()
    np.testing.assert_allclose(model_here.drift, 0.0, atol=1e-9)
    own, s, c = m * length**2, math.sin(angle), math.cos(angle)
    square = own * speed**2 * s * s * (1.0 + 4.0 * own * c * c / (shaft + small + own * s * s)) / (own + small)
    values = model_here.eigenvalues
    np.testing.assert_allclose(np.abs(values[2:]), math.sqrt(square), rtol=1e-7)
    np.testing.assert_allclose(values[2:].real, 0.0, atol=1e-6)
    np.testing.assert_allclose(np.abs(values[:2]), 0.0, atol=1e-5)


# -- counterbalanced arm -----------------------------------------------------------------------------------------------


def test_a_spring_of_no_length_balances_an_arm_at_every_angle() -> None:
    """A spring from a on the arm to b above its pivot, free length 0, k a b = m g r: the potential energy is the same
    everywhere (Carwardine 1932), so that nothing holds the arm anywhere and it does not swing; a heavier arm needs m g
    r sin q more."""
    m, r, a, b, g = 3.0, 0.5, 0.2, 0.4, 9.8
    stiffness = m * g * r / (a * b)
    spring = (
        f'<simulator:spring xmlns:simulator="urn:simulator" link="arm" at="0 0 {a}" other="world" other_at="0 0 {b}" '
        f'stiffness="{stiffness!r}"/>'
    )
    text = world(
        model(
            link("arm", mass=m, inertia="0.1 0.1 0.1", com=f"0 0 {r}"),
            joint("hinge", "revolute", "arm", axis="0 1 0"),
            spring,
        )
    )
    sim = simulator.load(text)
    found = sim.analyse({"hinge": (-3.0, 3.0)}, points=49)
    np.testing.assert_allclose(found["hinge/effort"], 0.0, atol=DIGITS * m * g * r)
    for angle in (-2.0, 0.3, 1.1):
        sim.set(hinge=angle)
        assert sim.inverse_dynamics()["m::hinge"] == pytest.approx(0.0, abs=DIGITS * m * g * r)
        np.testing.assert_allclose(sim.linearise().eigenvalues, 0.0, atol=1e-4)  # the root of differences' 1e-9
    heavier = sim.varied({"arm.mass": m + 1.0}).analyse({"hinge": (-3.0, 3.0)}, points=49)
    np.testing.assert_allclose(heavier["hinge/effort"], -1.0 * g * r * np.sin(heavier["hinge/position"]), atol=1e-11)


# -- Grashof's limit ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bars", "start", "wanted"),
    [
        (Bars(0.5, 1.0, 0.5, 1.0), 0.7, (math.pi, TURN)),
        (Bars(0.3, 0.6, 0.5, 0.8), 1.0, (math.pi,)),
        (Bars(0.3, 0.8, 0.6, 0.5), 0.9, (TURN,)),
    ],
    ids=["parallelogram", "ground longest", "coupler longest"],
)
def test_change_points_at_grashofs_limit(bars: Bars, start: float, wanted: tuple[float, ...]) -> None:
    """Where the shortest and the longest bar are as long together as both others, all bars come into line (Grashof
    1883): at crank angles 0 or 180 degrees. The sweep continues along its own motion there."""
    tip = bars.crank * cmath.exp(1j * start)
    corner = meet(tip, bars.coupler, complex(bars.ground), bars.rocker)
    found = simulator.load(bars.document(tip, corner)).analyse({"j1": (0.0, TURN)}, points=361)
    assert len(found) == 361
    assert [point + start for point in found.change_points] == pytest.approx(list(wanted), abs=1e-10)
