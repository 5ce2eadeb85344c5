"""Cables between points and over pulleys, `<simulator:cable>`, against closed forms of mechanics.

The geometry is the cable's own: its way is straight lines, tangents and arcs of links that move, and what it ties
follows from their lengths. Over a guide its tension grows by exp(μθ) (Euler 1769, Eytelwein 1808).
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import fsolve

import simulator
from simulator.api.pictures import drawing_of
from tests.helpers.cables import LENGTH, TENSION, UP, G, atwood, cable, joint, link, point, pulley, world

Floats = NDArray[np.float64]


def test_atwoods_machine_falls_with_the_difference_of_its_weights():
    """(m2 - m1) g / (m1 + m2) and 2 m1 m2 g / (m1 + m2), to what closes the rope at the end of a step."""
    run = simulator.load(atwood()).run(0.5)
    assert run["ja/velocity"][-1] == pytest.approx(0.5 * G / 5.0, rel=1e-10)
    assert run[TENSION][-1] == pytest.approx(2.0 * 2.0 * 3.0 * G / 5.0, rel=1e-9)
    assert np.abs(run[LENGTH] - 2.0 - 0.1 * math.pi).max() < 1e-12
    assert np.abs(run["energy/error"]).max() < 1e-12


def test_a_slack_rope_becomes_taut_by_a_blow_that_leaves_the_momentum_along_it():
    """Half a metre to spare: both fall freely for 0.5 = g t²/2 · 2 … until the sum of their ways is that."""
    run = simulator.load(atwood(2.5 + 0.1 * math.pi)).run(0.4)
    taut = math.sqrt(0.5 / G)
    after = (0.4 - taut) * G / 5.0
    # Both fall at g t; the sum of both rates along the rope is lost, none of their difference, which is zero.
    assert run["jb/velocity"][-1] == pytest.approx(-G * taut / 5.0 - after, abs=5e-3)
    assert run[TENSION][int(900 * taut)] == 0.0
    lost = 0.5 * (2.0 * G * taut) ** 2 * 6.0 / 5.0
    assert run["energy/dissipated"][-1] == pytest.approx(lost, rel=1e-2)
    assert run[LENGTH].max() < 2.5 + 0.1 * math.pi + 1e-11


def test_a_tackle_of_two_falls_lifts_with_its_ratio():
    """All falls vertical: the end comes twice as far as the block, a = (2 m - M) g / (M + 4 m)."""
    block, load = 10.0, 8.0
    bodies = link("block", "0 0 -2", block) + link("end", "0.3 0 -1", load)
    over = point("world", "-0.1 0 0") + pulley("block", "0 0 0", 0.1, wrap="clockwise")
    over += pulley("world", "0.2 0 0", 0.1) + point("end")
    rope = cable(2.0 + 2.0 + 1.0 + 0.2 * math.pi, over)
    run = simulator.load(world(bodies + joint("z", "block", UP) + joint("e", "end", UP) + rope)).run(0.5)
    lifts = (2.0 * load - block) * G / (block + 4.0 * load)
    assert run["z/velocity"][-1] == pytest.approx(0.5 * lifts, rel=1e-9)
    assert run["e/velocity"][-1] == pytest.approx(-lifts, rel=1e-9)
    assert run[TENSION][-1] == pytest.approx(load * (G - 2.0 * lifts), rel=1e-8)


def tackle_of_four() -> str:
    """A block of 12 kg that floats on four falls of 2 m, and 3 kg at the end."""
    r = 0.1
    bodies = link("block", "0 0 -2.3", 12.0, 0.5) + link("end", "0.5 0 -1", 3.0)
    over = point("world", "-0.3 0 0")
    for side in (-0.2, 0.2):
        over += pulley("block", f"{side} 0 0.3", r, wrap="clockwise") + pulley("world", f"{side + 0.2} 0 0", r)
    return world(bodies + joint("e", "end", UP) + cable(9.0 + 4.0 * math.pi * r, over + point("end")))


def test_a_quarter_of_the_weight_holds_a_block_on_four_falls():
    """A block that floats, of three times its own mass and four falls, to rounding; it rises with (4 m - M) g /
    (M + 16 m) under more."""
    sim = simulator.load(tackle_of_four())
    held = sim.run(0.5)
    assert np.ptp(held["link/m::block/z"]) < 1e-12
    sim.drive("e", simulator.effort(-3.0 * G))
    run = sim.run(0.2)
    gained = (run["link/m::block/vz"][-1] - run["link/m::block/vz"][0]) / 0.2
    # The pull of 3 g beside the weight of 3 kg: F = 6 g on four falls, 4 F - M g = (M + 16 m) a.
    assert gained == pytest.approx((24.0 - 12.0) * G / (12.0 + 16.0 * 3.0), rel=1e-8)


def test_a_block_that_swings_and_turns_in_space_keeps_its_energy():
    """Thrown sideways and turned, its pulleys tilt out of the plane of the others, and its rope goes slack at first: in
    the sixty milliseconds after the blow it does no work. A step of 1 ms is of second order where the rope turns."""
    sim = simulator.load(tackle_of_four())
    sim.set(twist={"block": (0.3, 0.2, 0.4, 0.3, 0.25, 0.0)})
    run = sim.run(1.0)
    assert np.abs(run["energy/error"]).max() < 1e-8
    assert run[LENGTH].max() < 9.0 + 0.4 * math.pi + 1e-11
    assert run[TENSION][100:].min() > 20.0
    assert run["energy/dissipated"][-1] - run["energy/dissipated"][100] < 1e-3


def string_on_a_peg() -> simulator.Simulation:
    """A metre of string from a peg of 10 cm to a mass that moves in a plane without gravity, across it at 2 m/s."""
    r, free = 0.1, 1.0
    body = link("carrier", f"{r} 0 {-free}", 1e-9, 1e-9) + link("m", f"{r} 0 {-free}")
    joints = joint("x", "carrier", "1 0 0") + joint("z", "m", UP, "carrier")
    string = point("world", f"{r} 0 0") + pulley("world", "0 0 0", r) + point("m")
    sim = simulator.load(world(body + joints + cable(free, string), 0.0))
    sim.set(velocity={"x": -2.0})
    return sim


def test_a_string_that_winds_onto_a_peg_draws_an_involute():
    """Without gravity the speed stays while the free string shortens, so l² = l0² - 2 r v t, beyond a whole turn."""
    r, free, speed = 0.1, 1.0, 2.0
    run = string_on_a_peg().run(2.4)
    x, z = run["x/position"] + r, run["z/position"] - free
    time = run["time"]
    left = free**2 - 2.0 * r * speed * time
    assert np.abs(x * x + z * z - r * r - left).max() < 1e-4
    assert np.abs(np.hypot(run["x/velocity"], run["z/velocity"]) - speed).max() < 1e-4
    assert (free - math.sqrt(left[-1])) / r > 2.0 * math.pi


def test_a_string_that_is_wound_up_stays_so_where_a_moment_is_taken_up():
    """By the simulation itself, a copy, one with other numbers, and from a recording; and `reset` unwinds it."""
    sim = string_on_a_peg()
    start = sim.moment
    run = sim.run(2.4)
    wound = sim.moment
    others = [sim.copy(), sim.varied({"m::rope.length": 1.00001})]
    on = sim.run(0.05)
    for other, moment in ((sim, wound), (sim, run.moment(2.4)), (others[0], wound), (others[1], None)):
        if moment is not None:
            other.restore(moment)
        again = other.run(0.05)
        assert again[LENGTH] == pytest.approx(on[LENGTH], abs=2e-5)
        assert again["x/position"] == pytest.approx(on["x/position"], abs=1e-4 if moment is None else 1e-10)
    sim.restore(wound)
    (rope,) = drawing_of(sim._core)[2]
    assert len(rope.points) > 12 * 2.0 * math.pi
    for unwind in (sim.reset, lambda: sim.restore(start)):
        sim.restore(wound)
        unwind()
        assert sim.sample[LENGTH] == 1.0
        assert abs(sim.run(0.1)[LENGTH] - 1.0).max() < 1e-12


def test_a_pendulum_rises_as_high_behind_a_peg_and_comes_back():
    """Galileo's: its string meets a guide below its pivot and leaves it again, with no loss."""
    low, high = -1.0, 0.25
    start = math.radians(40.0)
    body = link("carrier", f"0 0 {low}", 1e-9, 1e-9) + link("m", f"0 0 {low}")
    joints = joint("x", "carrier", "1 0 0") + joint("z", "m", UP, "carrier")
    # The guide touches the vertical from the left, so that a string which swings to the left turns about it.
    over = point("world") + pulley("world", f"-0.01 0 {-high}", 0.01, tag="guide") + point("m")
    sim = simulator.load(world(body + joints + cable(1.0, over)))
    sim.set(x=math.sin(start), z=1.0 - math.cos(start))
    run = sim.run(2.5)
    z = run["z/position"]
    assert z[run["x/position"] < -0.1].max() == pytest.approx(1.0 - math.cos(start), rel=1e-4)
    assert z[1000:][run["x/position"][1000:] > 0.3].max() == pytest.approx(1.0 - math.cos(start), rel=1e-4)
    assert np.abs(run["energy/error"]).max() < 1e-6
    assert abs(run["energy/dissipated"][-1]) < 1e-4


FRICTION = 0.3


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_rope_over_a_guide_holds_up_to_the_capstan_ratio(sense):
    """W exp(μπ) lifts a weight and W exp(-μπ) lets it down: by bisection on whether it moves at all."""
    weight = 3.0 * G
    low, high = 0.3 * weight, 3.0 * weight
    for _ in range(36):
        pull = math.sqrt(low * high)
        sim = simulator.load(atwood(more=f'friction="{FRICTION}"'))
        sim.drive("ja", simulator.effort(2.0 * G - pull))
        # Lifted, b is faster than 0; let down, it is slower.
        moves = bool(sense * sim.run(0.003)["jb/velocity"][-1] > 1e-13)
        low, high = (low, pull) if moves is (sense > 0.0) else (pull, high)
    assert low / weight == pytest.approx(math.exp(sense * FRICTION * math.pi), rel=1e-8)


def test_a_sliding_rope_loses_what_the_guide_takes():
    """T1 = T2 exp(μθ): (m2 - e m1) g = (m2 + e m1) a, and the power (T1 - T2) v is what is dissipated."""
    e = math.exp(0.1 * math.pi)
    run = simulator.load(atwood(more='friction="0.1"')).run(0.5)
    speed = (3.0 - 2.0 * e) * G / (3.0 + 2.0 * e)
    assert run["ja/velocity"][-1] == pytest.approx(0.5 * speed, rel=1e-6)
    tension = 2.0 * (G + speed)
    assert run["energy/dissipated"][-1] == pytest.approx(tension * (e - 1.0) * 0.5 * speed * 0.25, rel=1e-3)
    assert np.abs(run["energy/error"]).max() < 1e-10


def test_a_winch_winds_its_rope_by_the_geometry_of_its_drum():
    """A rope that ends on the rim, wound three times: m g = (m + I / r²) a, exactly r for a radian, and back to its
    first turn."""
    r, moment, mass = 0.1, 0.05, 2.0
    bodies = link("drum", mass=1.0, moment=moment) + link("load", f"{r} 0 -1", mass)
    wound = point("drum", f"{-r} 0 0") + pulley("drum", "0 0 0", r, 'turns="3"') + point("load")
    rope = cable(1.0 + (math.pi + 6.0 * math.pi) * r, wound)
    sim = simulator.load(world(bodies + joint("d", "drum", "0 1 0", kind="revolute") + joint("z", "load", UP) + rope))
    run = sim.run(1.0)
    falls = mass * G / (mass + moment / r**2)
    assert run["z/velocity"][-1] == pytest.approx(-falls, rel=1e-9)
    assert np.abs(run["z/position"] + r * run["d/position"]).max() < 1e-11
    sim.set(d=-8.0, z=0.8)
    assert sim.run(0.1)["d/velocity"][-1] == pytest.approx(0.1 * falls / r, rel=1e-9)


def test_an_elastic_rope_hangs_and_swings_by_its_stiffness():
    """m g / k below its length at rest; from its length it falls twice that far, within a step of second order."""
    stiffness = 2000.0
    rope = cable(1.0, point("world") + point("m"), 'stiffness="2e3"')
    document = world(link("m", "0 0 -1") + joint("z", "m", UP) + rope)
    run = simulator.load(document).run(0.5)
    assert -run["z/position"].min() == pytest.approx(2.0 * G / stiffness, rel=1e-4)
    assert np.abs(run["energy/error"]).max() < 1e-10
    damped = simulator.load(document.replace('stiffness="2e3"', 'stiffness="2e3" damping="40"')).run(2.0)
    assert damped["z/position"][-1] == pytest.approx(-G / stiffness, rel=1e-9)
    assert damped[TENSION][-1] == pytest.approx(G, rel=1e-9)


# -- geometry against other ways to find it ----------------------------------------------------------------------------


def shortest(ends: tuple[Floats, Floats], cylinders: list[tuple[Floats, Floats, float, float]]) -> float:
    """Length of the shortest way round cylinders (centre, axis, radius, sense), found by minimising over where it
    comes to each and leaves it; helices between. Sweeps of a general minimiser: 1e-8."""
    frames = []
    for centre, axis, radius, sense in cylinders:
        k = axis / np.linalg.norm(axis)
        x = np.cross(k, [0.3, 0.1, 0.9])
        x /= np.linalg.norm(x)
        frames.append((centre, x, np.cross(k, x), k, radius, sense))

    def places(u: Floats) -> list[tuple[Floats, Floats, float]]:
        found = []
        for (centre, x, y, k, radius, sense), (a, wrap, low, high) in zip(frames, u.reshape(-1, 4), strict=True):
            first, last = a, a + sense * wrap
            on = [centre + radius * (np.cos(t) * x + np.sin(t) * y) + z * k for t, z in ((first, low), (last, high))]
            found.append((on[0], on[1], math.hypot(radius * wrap, high - low)))
        return found

    def gaps(u: Floats) -> Floats:
        """The way is tangent to each cylinder, and to its helix, at both ends."""
        here, rows = ends[0], []
        spans = []
        for comes, leaves, _ in places(u):
            spans.append((here, comes))
            here = leaves
        spans.append((here, ends[1]))
        for n, (_, x, y, k, radius, sense) in enumerate(frames):
            a, wrap, low, high = u.reshape(-1, 4)[n]
            climb = math.atan2(high - low, radius * wrap)
            for angle, (start, end) in ((a, spans[n]), (a + sense * wrap, spans[n + 1])):
                along = (end - start) / np.linalg.norm(end - start)
                outward = np.cos(angle) * x + np.sin(angle) * y
                rows += [along @ outward, along @ k - math.sin(climb)]
        return np.array(rows)

    guess = []
    for n, (centre, x, y, k, _, sense) in enumerate(frames):
        before = ends[0] if n == 0 else frames[n - 1][0]
        behind = ends[1] if n == len(frames) - 1 else frames[n + 1][0]
        a, b = (math.atan2((q - centre) @ y, (q - centre) @ x) for q in (before, behind))
        a, b = a + sense * 1.3, b - sense * 1.3
        guess += [a, (sense * (b - a)) % (2.0 * math.pi), 0.3 * (before - centre) @ k, 0.3 * (behind - centre) @ k]
    found = fsolve(gaps, guess, xtol=1e-13)
    assert np.abs(gaps(found)).max() < 1e-10
    here, total = ends[0], 0.0
    for comes, leaves, arc in places(found):
        total += float(np.linalg.norm(comes - here)) + arc
        here = leaves
    return total + float(np.linalg.norm(ends[1] - here))


def test_a_cable_over_two_skew_guides_takes_the_shortest_way():
    """Against tangents and helices that fsolve finds, for cylinders whose axes are not parallel."""
    first, last = np.array([-2.0, 0.1, 0.3]), np.array([3.0, -0.2, 0.2])
    cylinders = [
        (np.array([0.0, 0.0, 0.5]), np.array([0.1, 1.0, 0.2]), 0.3, 1.0),
        (np.array([1.5, 0.1, 0.7]), np.array([-0.2, 1.0, 0.1]), 0.2, 1.0),
    ]
    parts = point("world", "-2 0.1 0.3")
    for centre, axis, radius, _ in cylinders:
        where = " ".join(map(str, centre)), " ".join(map(str, axis))
        numbers = f'at="{where[0]}" axis="{where[1]}" radius="{radius}" wrap="counterclockwise"'
        parts += f'<simulator:guide link="world" {numbers}/>'
    parts += point("m")
    document = world(link("m", "3 -0.2 0.2") + joint("z", "m", UP) + cable(9.0, parts))
    run = simulator.load(document).run(0.001)
    assert run[LENGTH][0] == pytest.approx(shortest((first, last), cylinders), abs=1e-9)


MUJOCO = """<mujoco model="t"><worldbody>
<site name="s0" pos="-0.3 0.02 0.5"/><site name="side" pos="-0.1 0 0.7"/>
<geom name="rod" type="cylinder" pos="-0.1 0 0.45" euler="90 10 0" size="0.06 0.2" contype="0" conaffinity="0"/>
<body pos="0 0 0.3"><joint name="ja" axis="0 1 0.1"/><geom type="box" size="0.02 0.02 0.1" pos="0 0 -0.1" mass="0.5"
contype="0" conaffinity="0"/><site name="s1" pos="0.07 0.01 0.05"/>
<geom name="ball" type="sphere" size="0.05" pos="0 0 -0.1" mass="0.01" contype="0" conaffinity="0"/>
<body pos="0 0 -0.2"><joint name="jb" axis="0.1 1 0"/><geom type="box" size="0.02 0.02 0.1" pos="0 0 -0.1" mass="0.3"
contype="0" conaffinity="0"/><site name="s2" pos="0.055 0 -0.05"/><site name="s3" pos="-0.1 0 -0.1"/></body></body>
<body pos="0.5 0 0"><joint name="jc" type="slide" axis="0 0 1"/><geom type="sphere" size="0.03" mass="0.2" contype="0"
conaffinity="0"/><site name="s4"/></body></worldbody><tendon>
<spatial name="ten" stiffness="300" springlength="0 0.9"><site site="s0"/><geom geom="rod" sidesite="side"/>
<site site="s1"/><geom geom="ball"/><site site="s2"/><pulley divisor="2"/><site site="s3"/><site site="s4"/></spatial>
</tendon></mujoco>"""


def test_a_spatial_tendon_is_as_long_as_in_mujoco(tmp_path: Path) -> None:
    """Over a cylinder with a side site, a sphere and a pulley, at random positions."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "tendon.xml"
    path.write_text(MUJOCO, encoding="utf-8")
    sim = simulator.load(path)
    model = mujoco.MjModel.from_xml_string(MUJOCO)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    for q in rng.uniform(-0.9, 0.9, (25, 3)):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        sim.set(ja=q[0], jb=q[1], jc=q[2])
        run = sim.run(0.001)
        assert run["cable/t::ten/length"][0] == pytest.approx(float(data.ten_length[0]), abs=1e-9)


def test_a_tendon_moves_a_finger_as_its_own_lagrangian_does():
    """Over pulleys of radii r1 and r2 about both joints, a distance d apart, the tendon is as long as r1 q1 + r2 q2 and
    a constant: their wraps are q1 + γ and q2 - γ, sin γ = (r1 - r2) / d, and between them is the tangent. With centres
    of mass on the joints M q'' = -K (q - 1) - k (L - L0) r is linear, and exp(A t) its solution; steps are of second
    order."""
    r1, r2, d, k, I1, I2, m = 0.012, 0.008, 0.06, 400.0, 1e-4, 5e-5, 0.05
    spring = "<spring_reference>1</spring_reference><spring_stiffness>0.3</spring_stiffness>"
    spring = f"<dynamics><damping>0.002</damping>{spring}</dynamics>"
    gamma = math.asin((r1 - r2) / d)
    rest = 0.05 + 0.03 + math.sqrt(d * d - (r1 - r2) ** 2) + (r1 - r2) * gamma
    over = point("world", f"-0.05 0 {r1}") + pulley("world", "0 0 0", r1, tag="guide")
    over += pulley("one", f"{d} 0 0", r2, tag="guide") + point("two", f"0.03 0 {r2}")
    bodies = link("one", "0 0 0", 0.1, I1) + link("two", f"{d} 0 0", m, I2)
    joints = joint("q1", "one", "0 1 0", kind="revolute", inside=spring)
    joints += joint("q2", "two", "0 1 0", "one", "revolute", inside=spring)
    sim = simulator.load(world(bodies + joints + cable(rest - 0.02, over, f'stiffness="{k}"'), 0.0), dt=2e-4)
    start = np.array([0.7, 0.4])
    sim.set(q1=start[0], q2=start[1])
    run = sim.run(0.05)
    M = np.array([[I1 + I2 + m * d * d, I2], [I2, I2]])
    r = np.array([r1, r2])
    K = 0.3 * np.eye(2) + k * np.outer(r, r)
    stiff, damped = np.linalg.solve(M, K), np.linalg.solve(M, 0.002 * np.eye(2))
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-stiff, -damped]])
    at_rest = np.linalg.solve(K, 0.3 - 0.02 * k * r)
    exact = at_rest + (expm(0.05 * A) @ np.concatenate((start - at_rest, np.zeros(2))))[:2]
    assert run[LENGTH][0] == pytest.approx(rest + r @ start, abs=1e-12)
    assert run[TENSION][-1] > 1.0
    assert [run["q1/position"][-1], run["q2/position"][-1]] == pytest.approx(exact, rel=2e-4)


def test_a_loop_hangs_on_its_rope_with_the_tension_that_holds_it():
    """A four-bar of equal cranks that stays a parallelogram, its coupler of 2 kg on a rope over a pulley, with 2 kg at
    the other end: it stands, and with 3 kg it starts to rise with g / 5 where the cranks are level."""
    for load, rises in ((2.0, 0.0), (3.0, G / 5.0)):
        bars = link("left", "0.15 0 0", 1e-6, 1e-8) + link("right", "0.65 0 0", 1e-6, 1e-8)
        bars += link("coupler", "0.55 0 0", 2.0) + link("load", "0.75 0 0", load)
        hinges = "".join(
            f'<joint name="{name}" type="revolute"><pose relative_to="__model__">{x} 0 0 0 0 0</pose>'
            f"<parent>{a}</parent><child>{b}</child><axis><xyz>0 1 0</xyz></axis></joint>"
            for name, a, b, x in (
                ("a", "world", "left", 0.0), ("b", "left", "coupler", 0.3), ("c", "world", "right", 0.5),
                ("d", "right", "coupler", 0.8),
            )
        )  # fmt: skip
        over = point("coupler") + pulley("world", "0.65 0 0.5", 0.1) + point("load")
        rope = cable(1.0 + 0.1 * math.pi, over)
        run = simulator.load(world(bars + hinges + joint("z", "load", UP) + rope)).run(0.001)
        assert run["z/velocity"][-1] == pytest.approx(-0.001 * rises, rel=1e-4, abs=1e-8)


def test_a_slack_cable_changes_nothing_beside_a_gear_that_loses_power():
    """A screw lets an arm down whose weight drives it, with a cable between both that is nowhere near taut."""
    law = "<mimic joint='z'><multiplier>-1.5</multiplier><offset>0</offset><reference>0</reference>"
    law += '<simulator:efficiency forward="0.9" backward="0"/></mimic>'
    bodies = link("slide", "0 0 0", 1.5) + link("arm", "0.2 0 0.1", 1.2, 0.1)
    joints = joint("z", "slide", UP) + joint("q", "arm", "0 1 0", "slide", "revolute", law)
    without = simulator.load(world(bodies + joints)).run(0.3)
    beside = simulator.load(world(bodies + joints + cable(3.0, point("slide", "0 0 1") + point("arm", "0.3 0 0"))))
    assert np.abs(beside.run(0.3)["z/velocity"] - without["z/velocity"]).max() < 1e-12


def test_the_ledger_closes_where_an_elastic_cable_is_beside_a_rigid_one():
    """A bob swings in space on a rigid rope, pulled aside by an elastic one. What closes the first at the end of a step
    stretches the other, which stores that: 5e-4 J, if it does not count."""
    aside = cable(0.8, point("world", "1 0.3 -0.8") + point("bob", "0.05 0 0"), 'stiffness="900"')
    rope = cable(1.0, point("world") + point("bob"))
    sim = simulator.load(world(link("bob", "0 0 -1", 2.0) + rope + aside.replace("rope", "aside")))
    sim.set(twist={"bob": (0.0, 0.0, 0.0, 0.5, 0.8, 0.0)})
    run = sim.run(0.4)
    assert run["cable/m::aside/tension"].max() > 10.0
    assert np.abs(run["energy/error"]).max() < 1e-7
