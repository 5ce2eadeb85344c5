"""Friction of bearings that feels their load, against statics with friction circles and closed forms.

A pin of radius r that carries the force R across its axis holds up to mu r R, so that a lever stands where the
resultant of all else passes within mu r of the axis, its friction circle; a slide holds up to mu times the force across
it.
"""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import simulator
from simulator.errors import DocumentError, EngineLimitError, UsageError
from simulator.session.batch.conversion import convert_document, convert_to_urdf, write_conversion
from tests.helpers.command import called

G = 9.8
MU, RADIUS = 0.2, 0.05
CIRCLE = MU * RADIUS
PIN = f'<simulator:bearing friction="{MU}" radius="{RADIUS}"/>'


def body(name: str, x: float = 0.0, z: float = 0.0, mass: float = 1.0, inertia: float = 0.01, shape: str = "") -> str:
    about = f"<ixx>{inertia!r}</ixx><iyy>{inertia!r}</iyy><izz>{inertia!r}</izz>"
    return (
        f'<link name="{name}"><pose>{x!r} 0 {z!r} 0 0 0</pose><inertial><mass>{mass!r}</mass><inertia>{about}</inertia>'
        f"</inertial>{shape}</link>"
    )


def joint(name: str, parent: str, child: str, bearing: str, at: str = "0 0 0", axis: str = "0 -1 0") -> str:
    kind = "revolute" if "radius" in bearing else "prismatic"
    return (
        f'<joint name="{name}" type="{kind}"><pose relative_to="__model__">{at} 0 0 0</pose><parent>{parent}</parent>'
        f"<child>{child}</child><axis><xyz>{axis}</xyz>{bearing}</axis></joint>"
    )


def machine(*parts: str, gravity: float = G) -> str:
    return (
        '<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w">'
        f'<gravity>0 0 {-gravity!r}</gravity><model name="m">{"".join(parts)}</model></world></sdf>'
    )


def lever(arm: float, mass: float = 2.0, inertia: float = 0.05) -> str:
    """A body whose centre of mass is `arm` beside a pin."""
    return machine(body("lever", arm, mass=mass, inertia=inertia), joint("pin", "world", "lever", PIN, axis="0 1 0"))


# -- statics -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arm", [0.5 * CIRCLE, (1.0 - 1e-6) * CIRCLE])
def test_a_lever_loaded_within_its_friction_circle_stands(arm):
    run = simulator.load(lever(arm)).run(0.3)
    assert np.abs(run["pin/position"]).max() < 1e-15  # it does not creep


def test_a_lever_loaded_beyond_its_friction_circle_moves():
    arm = (1.0 + 1e-6) * CIRCLE
    run = simulator.load(lever(arm)).run(0.3)
    # (I + m a^2) w' = m g a - mu r m (g - a w'): as it falls, its pin carries less. The way is too short to turn it.
    slope = 2.0 * G * (arm - CIRCLE) / (0.05 + 2.0 * arm * (arm - CIRCLE))
    assert run["pin/velocity"][-1] == pytest.approx(0.3 * slope, rel=1e-6)


@pytest.mark.parametrize(("share", "moves"), [(0.999, False), (1.001, True)])
def test_a_slide_on_an_incline_holds_up_to_its_angle_of_friction(share, moves):
    angle = share * math.atan(0.3)
    along = f"{math.cos(angle)!r} 0 {-math.sin(angle)!r}"
    document = machine(body("box"), joint("way", "world", "box", '<simulator:bearing friction="0.3"/>', axis=along))
    run = simulator.load(document).run(0.5)
    expected = 0.5 * G * max(math.sin(angle) - 0.3 * math.cos(angle), 0.0)
    assert run["way/velocity"][-1] == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert (run["way/velocity"][-1] > 1e-6) == moves


def test_load_along_the_axis_causes_no_friction():
    document = machine(body("table"), joint("pivot", "world", "table", PIN, axis="0 0 1"))
    sim = simulator.load(document)
    sim.set(velocity={"pivot": 2.0})
    assert sim.run(0.2)["pivot/velocity"][-1] == 2.0


CRANK, ROD, FORCE = 0.1, 0.3, 1000.0
PINS = {"main": 0.02, "big": 0.02, "wrist": 0.015}
GUIDE = 0.1


def slider_crank(angle: float, cut: str) -> str:
    """A crank, a rod and a piston that FORCE presses back, all in bearings; joint `cut` closes the loop."""
    x, z = CRANK * math.cos(angle), CRANK * math.sin(angle)
    end = x + math.sqrt(ROD**2 - z**2)
    pins = {name: f'<simulator:bearing friction="0.15" radius="{radius}"/>' for name, radius in PINS.items()}
    joints = [
        joint("main", "world", "crank", pins["main"]),
        joint("big", "crank", "rod", pins["big"], f"{x!r} 0 {z!r}"),
        joint("wrist", "rod", "piston", pins["wrist"], f"{end!r} 0 0"),
        joint("guide", "world", "piston", f'<simulator:bearing friction="{GUIDE}"/>', f"{end!r} 0 0", "1 0 0"),
    ]
    marked = (_cut(one) if f'"{cut}"' in one else one for one in joints)
    return machine(
        body("crank"),
        body("rod", x, z),
        body("piston", end),
        *marked,
        f'<simulator:load link="piston" force="{-FORCE!r} 0 0"/>',
        gravity=0.0,
    )


def _cut(text: str) -> str:
    return text.replace(
        "</joint>", "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics></joint>"
    )


def balanced_torque(angle: float, way: int) -> float:
    """Torque on the crank that keeps it in even motion `way` round, by the equilibrium of the three bodies."""
    C = np.array([CRANK * math.cos(angle), CRANK * math.sin(angle)])
    d = np.array([math.sqrt(ROD**2 - C[1] ** 2), -C[1]])
    turning = -way * C[0] / d[0]  # of the rod, such that the piston stays on its line
    sliding = -way * C[1] - turning * d[1]
    main = big = wrist = guide = 0.0
    torque = math.nan
    for _ in range(200):  # friction by the forces, forces by the friction
        along = FORCE + math.copysign(guide, sliding)
        across = (d[1] * along - math.copysign(big, turning - way) + math.copysign(wrist, -turning)) / d[0]
        rod = math.hypot(along, across)
        torque = C[0] * across - C[1] * along + math.copysign(main, way) - math.copysign(big, turning - way)
        main, big, wrist = (0.15 * radius * rod for radius in PINS.values())
        guide = GUIDE * abs(across)
    return torque


@pytest.mark.parametrize("cut", ["wrist", "guide"])
@pytest.mark.parametrize("angle", [1.0, 0.1, 0.02])
def test_a_slider_crank_stands_between_the_torques_of_its_friction_circles(angle, cut):
    least, most = balanced_torque(angle, -1), balanced_torque(angle, 1)
    margin = 1e-3 * (most - least)  # what stands shares friction in many ways, some of which hold a little more
    for torque, way in ((least - margin, -1), (least + margin, 0), (most - margin, 0), (most + margin, 1)):
        sim = simulator.load(slider_crank(angle, cut))
        sim.drive("main", simulator.effort(torque))
        velocity = sim.run(0.005)["main/velocity"][-1]
        assert abs(velocity) < 1e-11 if way == 0 else way * velocity > 1e-6  # loops that carry 1 kN close to rounding


def test_the_analysis_finds_these_torques():
    for angle, end in ((1.0, 0.2), (1.0, -0.2)):
        found = simulator.load(slider_crank(angle, "wrist")).analyse({"main": (0.0, end)}, points=3)
        way = 1 if end > 0.0 else -1
        expected = [balanced_torque(angle + turned, way) for turned in (0.0, 0.5 * end, end)]
        np.testing.assert_allclose(found["main/effort"], expected, rtol=1e-9)


def test_the_heat_of_bearings_is_what_the_load_does_not_get(tmp_path):
    path = tmp_path / "m.sdf"
    path.write_text(slider_crank(1.0, "wrist"), encoding="utf-8")
    done = called("analyse", path, "--move", "main=0:-0.2", "--points", "37", "--json")
    (branch,) = json.loads(done.stdout)["branches"]
    ends = [CRANK * math.cos(a) + math.sqrt(ROD**2 - (CRANK * math.sin(a)) ** 2) for a in (1.0, 0.8)]
    heat = branch["work"]["given_J"] - FORCE * (ends[1] - ends[0])
    assert branch["work"]["heat_J"] == pytest.approx(heat, rel=1e-4)  # trapezoids of 37 points
    assert sum(branch["friction"].values()) == branch["work"]["heat_J"]


def test_a_move_that_only_presses_a_bearing_is_refused_by_name():
    angle = math.radians(5.0)  # of the push against the normal of the slide: within its angle of friction
    along = f"{math.sin(angle)!r} 0 {math.cos(angle)!r}"
    wedge = joint("wedge", "world", "rider", '<simulator:bearing friction="0.5"/>', axis=along)
    document = machine(
        body("pusher"),
        joint("push", "world", "pusher", '<simulator:bearing friction="0"/>', axis="1 0 0"),
        body("rider"),
        wedge,
        _cut(joint("face", "pusher", "rider", '<simulator:bearing friction="0"/>', axis="0 0 1")),
    )
    with pytest.raises(UsageError, match="the bearing of 'm::wedge' jams"):
        simulator.load(document).analyse({"push": (0.0, 0.01)}, points=2)


# -- motion ------------------------------------------------------------------------------------------------------------


def test_a_wheel_on_an_axle_stops_in_the_time_of_its_friction():
    document = machine(body("wheel", mass=3.0, inertia=0.2), joint("axle", "world", "wheel", PIN))
    sim = simulator.load(document)
    sim.set(velocity={"axle": 1.5})
    run = sim.run(1.2)
    slowing = CIRCLE * 3.0 * G / 0.2
    stop = 1.5 / slowing
    assert 0.9 < stop < 1.2
    moving = run["time"] < stop
    # The force is the weight at all times, and an even deceleration is integrated exactly.
    np.testing.assert_allclose(run["axle/velocity"][moving], 1.5 - slowing * run["time"][moving], atol=1e-12)
    assert run["axle/position"][-1] == pytest.approx(0.5 * 1.5 * stop, rel=1e-6)  # the step in which it stops
    assert np.abs(run["axle/velocity"][run["time"] > stop + 0.001]).max() < 1e-15
    assert run["energy/dissipated"][-1] == pytest.approx(0.5 * 0.2 * 1.5**2, rel=1e-9)


def pendulum_rate(arm: float, mass: float, inertia: float, time: float) -> float:
    """Rate of the lever after a fall from rest, by an integration in which friction and force are found together."""
    about = inertia + mass * arm**2

    def slope(_t, y):
        angle, rate = y
        held = 0.0
        for _ in range(60):
            change = (mass * G * arm * math.cos(angle) - math.copysign(held, rate)) / about
            x = -arm * (math.sin(angle) * change + math.cos(angle) * rate**2)
            z = -arm * (math.cos(angle) * change - math.sin(angle) * rate**2)
            held = CIRCLE * mass * math.hypot(x, z + G)
        return [rate, change]

    return float(solve_ivp(slope, (0.0, time), [0.0, 1e-12], rtol=1e-11, atol=1e-13).y[1, -1])


def test_a_pendulum_feels_what_its_pin_carries_as_it_swings():
    exact = pendulum_rate(0.2, 2.0, 0.05, 0.3)
    errors = [simulator.load(lever(0.2), dt=dt).run(0.3)["pin/velocity"][-1] - exact for dt in (2e-3, 1e-3)]
    assert abs(errors[1]) < 2e-5  # of 7: the share mu r / l of the friction is of first order
    assert abs(errors[1]) < 0.7 * abs(errors[0])


def test_the_ledger_closes_and_friction_only_takes():
    sim = simulator.load(lever(0.2))
    run = sim.run(2.0)
    energy = run["energy/kinetic"] + run["energy/potential"] + run["energy/dissipated"]
    assert np.ptp(energy) < 1e-9 * run["energy/kinetic"].max()
    assert np.diff(run["energy/dissipated"]).min() > -1e-5  # where it turns round within a step, of its order


def test_a_crank_that_turns_evenly_has_the_friction_of_its_forces():
    sim = simulator.load(slider_crank(1.0, "wrist"), dt=1e-4)
    sim.set(velocity={"main": 0.01})
    sim.drive("main", simulator.velocity(0.01))
    # So slowly that masses take nothing.
    assert sim.run(0.01)["main/effort"][-1] == pytest.approx(balanced_torque(1.0001, 1), rel=1e-6)


def test_what_lies_on_a_slide_loads_it():
    shape = "<collision name='c'><geometry><box><size>{} {} {}</size></box></geometry></collision>"
    document = machine(
        "<self_collide>true</self_collide>",
        body("plate", mass=2.0, inertia=0.1, shape=shape.format(1.0, 1.0, 0.1)),
        joint("way", "world", "plate", '<simulator:bearing friction="0.1"/>', axis="1 0 0"),
        body("box", 0.0, 0.15, mass=3.0, inertia=0.02, shape=shape.format(0.2, 0.2, 0.2)),
    )
    for share, moves in ((0.99, False), (1.01, True)):
        sim = simulator.load(document)
        sim.run(0.05)  # the box comes to lie
        sim.drive("way", simulator.effort(share * 0.1 * 5.0 * G))
        velocity = sim.run(0.2)["way/velocity"][-1]
        expected = 0.2 * 0.1 * (share - 1.0) * G if moves else 0.0
        assert velocity == pytest.approx(expected, abs=1e-7)  # it lies still to some 1e-8 m/s


def test_friction_follows_the_reactions_of_random_machines():
    """Chains of hinges and slides, in motion: each bearing takes its share of what it carries across its axis."""
    rng = np.random.default_rng(5)
    for _ in range(8):
        axes = rng.normal(size=(4, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        friction = rng.uniform(0.05, 0.4, 4)
        slides = rng.random(4) < 0.3
        sim = simulator.load(random_chain(rng, axes, friction, slides), dt=1e-5)
        sim.set(velocity={f"j{i}": float(rate) for i, rate in enumerate(rng.uniform(-2.0, 2.0, 4))})
        sim.run(2e-4)
        found = sim.reactions()
        for i in range(4):
            wrench = found[f"j{i}"].array
            axis = sim.pose(f"l{i}")[:3, :3] @ axes[i]
            across = np.linalg.norm(wrench[:3] - (wrench[:3] @ axis) * axis)
            held = (wrench[:3] if slides[i] else wrench[3:]) @ axis
            rate = sim.v[i]
            expected = -math.copysign(friction[i] * (1.0 if slides[i] else 0.02) * across, rate)
            assert abs(rate) > 1e-3
            assert held == pytest.approx(expected, rel=1e-3)  # a step lies between both


def random_chain(rng: np.random.Generator, axes: np.ndarray, friction: np.ndarray, slides: np.ndarray) -> str:
    parts = []
    for i in range(4):
        radius = "" if slides[i] else 'radius="0.02"'
        bearing = f'<simulator:bearing friction="{friction[i]}" {radius}/>'
        x, z, mass = (float(number) for number in rng.uniform((-0.5, -0.5, 0.5), (0.5, 0.5, 2.0)))
        parts.append(body(f"l{i}", x, z, mass, 0.02))
        along = " ".join(repr(float(component)) for component in axes[i])
        parts.append(joint(f"j{i}", f"l{i - 1}" if i else "world", f"l{i}", bearing, f"{x - 0.2!r} 0 {z!r}", along))
    return machine(*parts)


def random_four_bar(rng: np.random.Generator) -> str:
    """Of heavy bars, with pins of up to 30 mm."""
    x, z = rng.uniform((0.05, 0.3, 0.3), (0.2, 0.5, 0.6)), rng.uniform((0.05, 0.1), (0.3, 0.4))
    points = [(0.0, 0.0), (x[0], z[0]), (x[1], z[1]), (x[2], 0.0)]
    bars = []
    for name, (a, b) in zip("abc", itertools.pairwise(points), strict=True):
        at = (float(0.5 * (p + q)) for p, q in zip(a, b, strict=True))
        bars.append(body(name, *at, *(float(number) for number in rng.uniform((0.5, 0.01), (5.0, 0.1)))))
    pins = [
        f'<simulator:bearing friction="{rng.uniform(0.05, 0.6)}" radius="{rng.uniform(0.005, 0.03)}"/>' for _ in points
    ]
    ends = (("world", "a"), ("a", "b"), ("b", "c"), ("world", "c"))
    joints = [joint(f"j{i}", *ends[i], pins[i], f"{float(px)!r} 0 {float(pz)!r}") for i, (px, pz) in enumerate(points)]
    return machine(*bars, *joints)


def test_four_bars_at_random_lose_what_their_pins_take():
    """The power that the pins take by what `reactions` says they carry is what the ledger has lost."""
    rng = np.random.default_rng(7)
    for _ in range(8):
        sim = simulator.load(random_four_bar(rng), dt=1e-4)
        sim.set(velocity={"j0": float(rng.uniform(1.0, 5.0))})
        arm = [info.axis.bearing.arm for info in sim.mechanism.axes]
        sim.run(0.01)
        before = sim.energies["dissipated"]
        run = sim.run(0.002, reactions=True)
        assert np.abs(run["energy/error"]).max() < 1e-9 * sim.energies["kinetic"]
        power = np.zeros(len(run["time"]))
        for info, circle in zip(sim.mechanism.axes, arm, strict=True):
            name = info.name.rpartition("::")[2]
            across = np.hypot(run[f"reaction/{name}/force_x"], run[f"reaction/{name}/force_z"])
            power += circle * across * np.abs(run[f"{name}/velocity"])
        # By trapezoids, and by forces of steps beside those of their ends: of the order of the step.
        taken = np.trapezoid(power, run["time"])
        assert sim.energies["dissipated"] - before == pytest.approx(taken, rel=2e-3)


# -- documents ---------------------------------------------------------------------------------------------------------


def test_bearings_of_the_tree_survive_conversion_to_urdf_and_back(tmp_path):
    (tmp_path / "m.sdf").write_text(slider_crank(1.0, "wrist"), encoding="utf-8")
    written = convert_to_urdf(tmp_path / "m.sdf", tmp_path)
    write_conversion(tmp_path / "m.urdf", written)
    write_conversion(tmp_path / "again.sdf", convert_document(tmp_path / "m.urdf", tmp_path))
    stated = [
        {info.joint.rpartition("::")[2]: info.axis.bearing for info in simulator.load(tmp_path / name).mechanism.axes}
        for name in ("m.sdf", "m.urdf", "again.sdf")
    ]
    assert {name: bearing.arm for name, bearing in stated[0].items()} == pytest.approx(
        {**{name: 0.15 * radius for name, radius in PINS.items()}, "guide": GUIDE}
    )
    assert any("of 'wrist' have no place" in item.message for item in written.diagnostics)  # it closes the loop
    assert stated[1] == stated[2] == {**stated[0], "wrist": None}


def test_numbers_of_a_bearing_can_be_varied():
    sim = simulator.load(lever(1.5 * CIRCLE))
    assert abs(sim.varied({"pin.bearing.friction": 1.6 * MU}).run(0.1)["pin/velocity"][-1]) < 1e-15
    assert abs(sim.varied({"pin.bearing.radius": 1.6 * RADIUS}).run(0.1)["pin/velocity"][-1]) < 1e-15
    assert sim.varied({"pin.bearing.friction": 0.0}).run(0.1)["energy/dissipated"][-1] == 0.0
    assert sim.run(0.1)["pin/velocity"][-1] > 0.01


def test_gear_refuses_bearings_by_name():
    with pytest.raises(EngineLimitError, match="dry friction of one number"):
        simulator.load(lever(0.2), solver="gear").step()


@pytest.mark.parametrize(
    ("bearing", "said"),
    [
        ('<simulator:bearing radius="0.05"/>', "friction is missing"),
        ('<simulator:bearing friction="-0.1" radius="0.05"/>', "friction"),
        ('<simulator:bearing friction="0.1" radius="x"/>', "radius"),
        ('<simulator:bearing friction="0.1"/>', "turns, and its friction has no radius"),
    ],
)
def test_a_bearing_that_cannot_be_is_an_error(bearing, said):
    with pytest.raises(DocumentError, match=said):
        simulator.load(lever(0.2).replace(PIN, bearing))
