"""Motors without an effort limit are at the velocity that they are asked for, whatever springs they move."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator


def wheel(stiffness: float) -> str:
    """A wheel of 0.1 kg m² with a torsional spring to the world."""
    return f"""<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m">
      <link name="wheel"><inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>
      </inertial></link>
      <joint name="j" type="revolute"><parent>world</parent><child>wheel</child><axis><xyz>0 0 1</xyz>
        <dynamics><spring_stiffness>{stiffness}</spring_stiffness></dynamics></axis></joint></model></world></sdf>"""


def arm(links: int, stiffness: float) -> str:
    """Links of 0.3 m and 1 kg in a row, with a spring on each axis, in a vertical plane."""
    parts, before = "", "world"
    for i in range(links):
        at = f'<pose relative_to="{before}">0.3 0 0 0 0 0</pose>' if i else ""
        parts += f"""<link name="l{i}">{at}<inertial><pose>0.15 0 0 0 0 0</pose><mass>1</mass>
            <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
          <joint name="j{i}" type="revolute"><parent>{before}</parent><child>l{i}</child><axis><xyz>0 1 0</xyz>
            <dynamics><spring_stiffness>{stiffness}</spring_stiffness></dynamics></axis></joint>"""
        before = f"l{i}"
    return f'<sdf version="1.12"><world name="w"><model name="m">{parts}</model></world></sdf>'


@pytest.mark.parametrize("solver", ["rows", "reduced"])
@pytest.mark.parametrize("stiffness", [1445.0, 14450.0, 1.445e5, 1e8])
def test_a_constant_velocity_is_held_against_a_spring(stiffness: float, solver: str) -> None:
    """v = v*, x = x0 + v* t from 150 steps on, and the effort is k x; at 1 ms, h² k / J is 0.01 to 1000, and a motor
    that begins on a spring which the step does not resolve comes to it by a factor of 0.91 a step, 1e-6 in 150."""
    run = simulator.load(wheel(stiffness), dt=1e-3, solver=solver).run(0.2, drives={"j": simulator.velocity(0.5)})
    position, velocity = run["j/position"], run["j/velocity"]
    assert velocity[150:] == pytest.approx(0.5, abs=1e-8)
    assert position[200] - position[150] == pytest.approx(0.5 * 0.05, abs=1e-9)
    assert run["j/effort"][-1] == pytest.approx(stiffness * position[-1], rel=1e-9)
    resolved = min(1.0, 1e-3**2 * stiffness / 0.1)
    assert position[200] == pytest.approx(0.1, abs=1e-3 * resolved)


def test_motors_that_feel_each_other_follow_sines_to_third_order() -> None:
    """Velocities against A sin w t and positions against their integrals: an eighth at half the step, within a
    fifth."""
    ways = [(0.5 + 0.3 * i, 2.0 * math.pi * (0.7 + 0.2 * i)) for i in range(4)]
    errors = []
    for dt in (1e-3, 5e-4):
        drives = {
            f"j{i}": simulator.velocity(simulator.sine(size, turn / (2.0 * math.pi)))
            for i, (size, turn) in enumerate(ways)
        }
        run = simulator.load(arm(4, 2000.0), dt=dt).run(0.5, drives=drives)
        worst = [0.0, 0.0]
        for i, (size, turn) in enumerate(ways):
            off = run[f"j{i}/velocity"] - size * np.sin(turn * run.time)
            way = run[f"j{i}/position"] - size * (1.0 - np.cos(turn * run.time)) / turn
            worst = [max(worst[0], float(np.abs(off[20:]).max())), max(worst[1], float(np.abs(way[20:]).max()))]
        errors.append(worst)
    assert errors[0][0] < 2e-3
    assert errors[0][1] < 2e-4
    assert errors[0][0] / errors[1][0] == pytest.approx(8.0, rel=0.2)
    assert errors[0][1] / errors[1][1] == pytest.approx(8.0, rel=0.2)


def test_the_work_of_a_motor_is_that_of_the_ledger() -> None:
    """Its effort grows within a step. What it gives is stored in the spring, k x² / 2, and in the motion. That of the
    drive is of its mean effort and its slope, to fourth order, 4e-9 at this step."""
    sim = simulator.load(wheel(1445.0), dt=1e-3)
    run = sim.run(0.25, drives={"j": simulator.velocity(simulator.sine(3.0, 1.0))})
    stored = 0.5 * 1445.0 * float(run["j/position"][-1]) ** 2 + 0.5 * 0.1 * float(run["j/velocity"][-1]) ** 2
    assert sim.energies["work"] == pytest.approx(stored, rel=1e-9)
    assert run.drives["m::j"]["energy"] == pytest.approx(stored, rel=1e-8)


def test_a_motor_whose_target_jumps_has_the_new_velocity_at_once() -> None:
    """Against a spring that a step resolves the first step after the jump ends at the velocity to third order."""
    run = simulator.load(wheel(1445.0), dt=1e-3).run(
        0.1, drives={"j": simulator.velocity(simulator.step(0.2, -0.4, 0.05))}
    )
    assert run["j/velocity"][1:50] == pytest.approx(0.2, abs=1e-5)
    assert run["j/velocity"][51:] == pytest.approx(-0.4, abs=2e-5)
