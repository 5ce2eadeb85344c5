"""Motors without an effort limit through blows: they keep their velocity, and what that takes is an impulse, the
momentum of what was hit, in none of the efforts. Compared with balances of momentum."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.errors import JammedError
from tests.helpers.real_couplings import wheels

INERTIA = "<inertial><mass>{0}</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
BOX = """<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry>
      <surface><friction><ode><mu>0</mu><mu2>0</mu2></ode></friction><bounce><restitution_coefficient>{0}</restitution_coefficient></bounce></surface></collision>"""


def load(text: str, dt: float) -> simulator.Simulation:
    """A world without gravity."""
    return simulator.load(f'<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity>{text}</world></sdf>', dt=dt)


def slide(name: str, parent: str, child: str, limit: str = "") -> str:
    return f"""<joint name="{name}" type="prismatic"><parent>{parent}</parent><child>{child}</child>
      <axis><xyz>1 0 0</xyz><limit>{limit}</limit></axis></joint>"""


def pusher(restitution: float, place: float = 0.3) -> str:
    """A box of 3 kg on a slide, and a free one of 2 kg in its way; their sides are 0.1 m apart."""
    bounce = BOX.format(restitution)
    return f"""<model name="a"><link name="box">{INERTIA.format(3)}{bounce}</link>{slide("j", "world", "box")}</model>
      <model name="b"><pose>{place} 0 0 0 0 0</pose><link name="box">{INERTIA.format(2)}{bounce}</link></model>"""


@pytest.mark.parametrize("dt", [1e-3, 3e-4, 1e-4])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_pusher_takes_the_momentum_of_what_it_hits_as_an_impulse(dt: float, restitution: float) -> None:
    """At 1.5 m/s, from rest by an impulse of 4.5 N s; the free box leaves with (1 + e) v, whose momentum the drive
    gives: it moves at v as if nothing were there. No force acts but blows, so that efforts are rounding."""
    sim = load(pusher(restitution), dt)
    run = sim.run(0.2, drives={"a::j": simulator.velocity(1.5)})
    first, *blows = run.impulses
    after = (1.0 + restitution) * 1.5
    assert first.impulse == pytest.approx(4.5, rel=1e-12)
    assert sum(blow.impulse for blow in blows) == pytest.approx(2.0 * after, rel=1e-9)
    assert all(blow.before == blow.after == pytest.approx(1.5, rel=1e-12) for blow in blows)
    assert all(blow.time == pytest.approx(0.1 / 1.5, abs=1.01 * dt) for blow in blows)
    assert run["a::j/position"] == pytest.approx(1.5 * run.time, abs=1e-9)
    assert run.drives["a::j"]["peak"] < 1e-8 / dt
    energy = 0.5 * 3.0 * 1.5**2 + 2.0 * after * 1.5
    assert run.drives["a::j"]["energy"] == pytest.approx(energy, rel=1e-9)
    assert sim.energies["work"] == pytest.approx(energy, rel=1e-9)
    assert sim.energies["kinetic"] == pytest.approx(0.5 * 3.0 * 1.5**2 + after**2, rel=1e-9)
    assert abs(sim.energies["error"]) < 1e-9 * energy


def test_a_blow_is_a_finding_of_its_own_words() -> None:
    run = load(pusher(0.0), 1e-3).run(0.2, drives={"a::j": simulator.velocity(1.5)})
    texts = [finding.message for finding in run.findings if finding.code == "DRIVE_IMPULSE"]
    assert any("jumps from 0 to 1.5 m/s at 0 s: an impulse of 4.5 N·s" in text for text in texts)
    assert any("keeps 1.5 m/s through a blow" in text for text in texts)


@pytest.mark.parametrize("solver", ["rows", "reduced"])
@pytest.mark.parametrize("dt", [1e-3, 3e-4])
def test_a_stop_between_two_bodies_is_a_blow_for_the_drive_of_one(dt: float, solver: str) -> None:
    """A carriage at 1 m/s; what it carries, 2 kg, lies still until the stop at -0.05 m takes it along: 2 N s. Steps are
    made in blocks here, for nothing touches."""
    text = f"""<model name="m"><link name="a">{INERTIA.format(3)}</link><link name="b">{INERTIA.format(2)}</link>
      {slide("ja", "world", "a")}{slide("jb", "a", "b", "<lower>-0.05</lower><upper>1</upper>")}</model>"""
    world = f'<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity>{text}</world></sdf>'
    sim = simulator.load(world, dt=dt, solver=solver)
    run = sim.run(0.1, drives={"ja": simulator.velocity(1.0)})
    _, *blows = run.impulses
    assert sum(blow.impulse for blow in blows) == pytest.approx(2.0, rel=1e-9)
    assert all(blow.time == pytest.approx(0.05, abs=1.01 * dt) for blow in blows)
    assert run["m::ja/position"] == pytest.approx(run.time, abs=1e-9)
    assert run["m::jb/position"][-1] == pytest.approx(-0.05, abs=1e-9)
    assert run.drives["m::ja"]["peak"] < 1e-8 / dt
    assert run.drives["m::ja"]["energy"] == pytest.approx(1.5 + 2.0, rel=1e-9)


@pytest.mark.parametrize("dt", [1e-3, 2e-4])
def test_an_arm_takes_a_blow_by_its_lever(dt: float) -> None:
    """At 2 rad/s, the tip of an arm, a ball 0.4 m from the hinge, meets a ball of 0.5 kg at rest that its path leads
    to: with e = 1 this leaves at 2 * 0.8 m/s, and the drive takes 0.4 m times its momentum. Within a step the tip turns
    by 2 dt from the direction at which both touch, by the square of which the lever is shorter: less than 4e-6."""
    ball = BOX.format(1).replace("<box><size>0.2 0.2 0.2</size></box>", "<sphere><radius>0.03</radius></sphere>")
    tip = ball.replace('<collision name="c">', '<collision name="c"><pose>0.4 0 0 0 0 0</pose>')
    text = f"""<model name="m"><link name="arm">{INERTIA.format(1)}{tip}</link>
      <joint name="h" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
      </model>
      <model name="b"><pose>0.4 0.0601 0 0 0 0</pose><link name="l">{INERTIA.format(0.5)}{ball}</link></model>"""
    sim = load(text, dt)
    run = sim.run(0.02, drives={"h": simulator.velocity(2.0)})
    # Of izz = 1 kg m^2 at the start, in the same step as the blow or before it.
    assert sum(item.impulse for item in run.impulses) == pytest.approx(2.0 + 0.4 * 0.5 * 1.6, rel=1e-6)
    assert run.drives["m::h"]["peak"] < 1e-3
    assert abs(sim.energies["error"]) < 1e-6


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_a_blow_takes_an_arm_no_faster_than_its_velocity_limit(dt: float) -> None:
    """A ball of 50 kg at 4 m/s meets the tip of an arm at rest 0.4 m from its hinge, whose limit is 1 rad/s, after
    0.01 s: both continue at the limit from there on, where 8 rad/s and a step's force to undo it had led 3.5 rad/s
    times the step further. Rounding of the gap at touch is 1e-8 m."""
    ball = BOX.format(0).replace("<box><size>0.2 0.2 0.2</size></box>", "<sphere><radius>0.03</radius></sphere>")
    tip = ball.replace('<collision name="c">', '<collision name="c"><pose>0.4 0 0 0 0 0</pose>')
    text = f"""<model name="m"><link name="arm">{INERTIA.format(1)}{tip}</link>
      <joint name="h" type="revolute"><parent>world</parent><child>arm</child>
        <axis><xyz>0 0 1</xyz><limit><velocity>1</velocity></limit></axis></joint></model>
      <model name="b"><pose>0.4 -0.1 0 0 0 0</pose><link name="l">{INERTIA.format(50)}{ball}</link>
      <joint name="j" type="prismatic"><parent>world</parent><child>l</child><axis><xyz>0 1 0</xyz></axis></joint>
      </model>"""
    sim = load(text, dt)
    sim.set(velocity={"b::j": 4.0})
    run = sim.run(0.06)
    assert run["m::h/position"] == pytest.approx([max(time - 0.01, 0.0) for time in run.time], abs=1e-8)
    assert abs(sim.energies["error"]) < 1e-9 * 400.0


def leg(name: str, place: float, shape: str) -> str:
    """Three hinges one after the other at one place, across each other, that swing a shape 0.3 m below them."""
    mass = """<inertial><pose>0 0 -0.2 0 0 0</pose><mass>2</mass>
      <inertia><ixx>0.03</ixx><iyy>0.03</iyy><izz>0.01</izz></inertia></inertial>"""
    foot = f'<collision name="c"><pose>0 0 -0.3 0 0 0</pose><geometry>{shape}</geometry></collision>'
    parts = ""
    for i, axis in enumerate(("1 0 0", "0 0 1", "0 1 0")):
        parts += f"""<link name="l{i}">{mass}{foot if i == 2 else ""}</link>
          <joint name="j{i}" type="revolute">
          <parent>{"world" if i == 0 else f"l{i - 1}"}</parent><child>l{i}</child>
          <axis><xyz>{axis}</xyz></axis></joint>"""
    return f'<model name="{name}"><pose>0 {place} 0 0 0 0</pose>{parts}</model>'


@pytest.mark.parametrize(
    "shape",
    ["<cylinder><radius>0.05</radius><length>0.4</length></cylinder>", "<sphere><radius>0.1</radius></sphere>"],
)
@pytest.mark.parametrize("dt", [1e-3, 2e-4])
def test_six_motors_that_press_two_legs_together_share_what_is_left(shape: str, dt: float) -> None:
    """They have no limit, so no force decides which one yields: each continues nearest to its setpoint, and the
    energy balances to the order of the method, 1.4e-8 J of 10 J at 1 ms and 1.9e-11 J at a fifth of it. Where sweeps
    over rows that contradict each other decided, it was 1e-3 J off, and kilonewton metres pressed."""
    sim = simulator.load(
        f'<sdf version="1.12"><world name="w">{leg("a", 0.15, shape)}{leg("b", -0.15, shape)}</world></sdf>', dt=dt
    )
    ways = {"a::j0": (-0.6, 1.0), "a::j1": (0.3, 0.5), "a::j2": (0.4, 1.0), "b::j0": (0.48, 1.0), "b::j1": (-0.4, 0.5)}
    drives = {name: simulator.position(simulator.sine(*way)) for name, way in ways.items()}
    run = sim.run(0.5, drives={**drives, "b::j2": simulator.position(simulator.sine(0.5, 1.0))})
    assert sum(finding.code == "DRIVE_STOPPED" for finding in run.findings) >= 2
    assert abs(sim.energies["error"]) < 2e-8 * (dt / 1e-3) ** 4
    assert max(drive["peak"] for drive in run.drives.values()) < 1000.0


@pytest.mark.parametrize("frequency", [1.0, 1.18])
def test_a_drive_that_presses_a_loop_against_a_stop_gives_what_the_motion_takes(frequency: float) -> None:
    """A four-bar with a pendulum on its crank, whose rocker is driven to and fro beyond what a stop at its coupler
    leaves, near a dead point. Nothing but the pendulum's forces acts while it is pressed; before and after, the motion
    takes some 1e4 N m. Rounding that led off what the loop allows made the motor push with all that it has, 1e9 N m,
    and thrown about, energy was 1.6 % off."""

    def part(name: str, place: str, moment: float, centre: str) -> str:
        inertia = f"<inertia><ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz></inertia>"
        inertial = f"<inertial><pose>{centre} 0 0 0 0</pose><mass>1</mass>{inertia}</inertial>"
        return f'<link name="{name}"><pose>{place} 0 0 0 0</pose>{inertial}</link>'

    def turn(name: str, parent: str, child: str, more: str = "", place: str = "0 0 0") -> str:
        return f"""<joint name="{name}" type="revolute"><pose>{place} 0 0 0</pose><parent>{parent}</parent>
          <child>{child}</child><axis><xyz>0 0 1</xyz>{more}</axis></joint>"""

    links = part("crank", "0 0 0", 0.02, "0.04 0.06") + part("coupler", "0.08 0.13 0", 0.01, "0.19 0.13")
    links += part("rocker", "0.47 0.39 0", 0.01, "0.1 -0.2") + part("pendulum", "0.2 0.4 0", 0.02, "0 -0.015")
    joints = turn("a", "world", "crank")
    joints += turn("b", "crank", "coupler", "<limit><lower>-0.2</lower><upper>0.2</upper></limit>")
    joints += turn("c", "coupler", "rocker") + turn("d", "world", "rocker", "", "0.22 -0.42 0")
    joints += turn("p", "crank", "pendulum", "<dynamics><damping>0.1</damping></dynamics>")
    sim = load(f'<model name="m">{links}{joints}</model>', 1e-3)
    run = sim.run(1.0, drives={"d": simulator.position(simulator.sine(0.3, frequency))})
    assert run.drives["m::d"]["peak"] < 2e4
    assert abs(run["energy/error"]).max() < 2e-5 * run.summary.max_kinetic
    assert abs(run["m::b/position"]).max() < 0.2 + 1e-6


@pytest.mark.parametrize(
    ("inside", "play"),
    [
        ('<simulator:backlash width="0.02"/>', 0.01),
        ('<simulator:efficiency forward="0.9"/>', 0.0),
        ('<simulator:backlash width="0.02"/><simulator:efficiency forward="0.9"/>', 0.01),
        ("<simulator:freewheel/>", 0.0),
    ],
)
def test_a_stop_behind_real_teeth_holds_a_motor(inside: str, play: float) -> None:
    """The follower, at twice 0.5 rad/s, is stopped at 0.3 rad, and through its teeth so is the leader's drive: there is
    no force left, and what it took to stop both is no effort of the drive but for losses, at most 0.03 N m s."""
    world = wheels((0.1, 0.1), 2.0, inside).replace("</mimic>", "</mimic><limit><upper>0.3</upper></limit>")
    run = simulator.load(world, dt=1e-3).run(1.0, drives={"j0": simulator.velocity(0.5)})
    assert run["m::j0/position"][-1] == pytest.approx((0.3 + play) / 2.0, abs=1e-9)
    assert run["m::j1/position"][-1] == pytest.approx(0.3, abs=1e-9)
    assert np.abs(run["m::j0/effort"][run.time > 0.35]).max() < 1e-6
    (stopped,) = [finding.message for finding in run.findings if finding.code == "DRIVE_STOPPED"]
    assert "stopped by the upper limit of 'm::j1', 0.3 rad" in stopped
    assert abs(run["energy/error"]).max() < 1e-12


@pytest.mark.parametrize("friction", [0.0, 1.0])
def test_drives_that_contradict_each_other_are_named_beside_friction(friction: float) -> None:
    """Two of a four-bar, which has one freedom. Friction can be overcome; it is no reason for what they cannot do."""
    sim = simulator.load("four_bar", dt=1e-3).varied({"coupler_joint.friction": friction})
    with pytest.raises(JammedError, match="and those of other axes ask for what couplings and loops do not allow"):
        sim.run(0.1, drives={"crank_joint": simulator.velocity(0.2), "rocker_joint": simulator.velocity(0.3)})
