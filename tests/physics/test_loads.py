"""Loads against closed forms: forces, moments, springs between two points, torsion springs, gravity of a model.

The strategies that move by the mechanism's own equations integrate by the Runge-Kutta method of order four: of what the
exact solution is a polynomial of (a constant force, a ramp) they differ by rounding, of a harmonic motion by (w dt)^4 /
120 of its phase per radian."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.api.simulation import Simulation

EXACT = ("rows", "reduced")


def world(inside: str, *, gravity: str = "0 0 0", outside: str = "", pose: str = "0 0 0 0 0 0") -> str:
    """A model `m` with a link `a` of 2 kg whose moments of inertia are 0.1, 0.2 and 0.3 kg m^2."""
    return f"""<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w"><gravity>{gravity}</gravity>{outside}
    <model name="m"><pose>{pose}</pose>
      <link name="a"><inertial><mass>2</mass>
        <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.3</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
      </link>{inside}
    </model></world></sdf>"""


HINGE = """<joint name="h" type="revolute"><parent>world</parent><child>a</child>
  <axis><xyz>0 0 1</xyz><limit><lower>-inf</lower><upper>inf</upper></limit></axis></joint>"""


def place(sim: Simulation) -> np.ndarray:
    """Where the origin of `a` is [m]."""
    return np.asarray(sim.pose("a")[:3, 3])


@pytest.mark.parametrize("solver", EXACT)
def test_a_constant_force_accelerates_a_free_body(solver: str) -> None:
    """x = F t^2 / 2 m; the work F x is the kinetic energy."""
    sim = simulator.load(world('<simulator:load link="a" force="3 0 -1"/>'), solver=solver)
    sim.run(0.5)
    assert place(sim) == pytest.approx([3 / 4 * 0.25, 0.0, -1 / 4 * 0.25], rel=1e-12)
    assert sim.energies["loads"] == pytest.approx(sim.energies["kinetic"], rel=1e-12)
    assert abs(sim.energies["error"]) < 1e-12 * sim.energies["kinetic"]


def test_a_projectile_with_a_side_wind_flies_a_parabola() -> None:
    """r = v t + (g + F/m) t^2 / 2."""
    sim = simulator.load(world("", gravity="0 0 -9.8"))
    sim.set(twist={"a": [0, 0, 0, 10, 0, 20]})
    sim.run(0.8, forces=[simulator.force("a", (0, 1.5, 0))])
    assert place(sim) == pytest.approx([8.0, 0.75 / 2 * 0.64, 16 - 4.9 * 0.64], rel=1e-12)
    assert abs(sim.energies["error"]) < 1e-9 * sim.energies["kinetic"]


@pytest.mark.parametrize("solver", EXACT)
def test_a_ramp_is_integrated_to_the_order_of_the_step(solver: str) -> None:
    """F = c t gives x = c t^3 / 6 m, which order four has exactly but for the edges at which profiles are read (1e-6 of
    a step)."""
    sim = simulator.load(world('<simulator:load link="a" force="0 ramp(0, 8, 2) 0"/>'), solver=solver, dt=0.01)
    sim.run(1.0)
    assert place(sim)[1] == pytest.approx(4 / 12, rel=1e-9)


def test_halving_the_step_divides_the_error_of_a_sine_by_sixteen() -> None:
    """F = A sin w t gives x = A (w t - sin w t) / (m w^2). A step of half the length has a sixteenth of the error at
    order four."""
    errors = []
    for dt in (0.1, 0.05):
        sim = simulator.load(world('<simulator:load link="a" force="0 0 sine(4, 1)"/>'), dt=dt)
        sim.run(1.2)
        w = 2 * math.pi
        errors.append(abs(place(sim)[2] - 4 * (w * 1.2 - math.sin(w * 1.2)) / (2 * w * w)))
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)


@pytest.mark.parametrize("profile", ["step(0, 2, 0.3)", "step(2, 0, 0.3)"])
def test_a_jump_between_two_steps_counts_for_neither_by_half(profile: str) -> None:
    """v = integral of F / m; 0.3 is no sum of hundredths in binary numbers."""
    sim = simulator.load(world(f'<simulator:load link="a" force="{profile} 0 0"/>'), dt=0.01)
    sim.run(0.5)
    assert sim._core.ready().snapshot().body_velocities[1, 3] == pytest.approx(
        0.2 if "(0" in profile else 0.3, rel=1e-12
    )


def test_a_moment_and_an_arm_turn_a_body_about_its_hinge() -> None:
    """I q'' = M + x F with I = izz; a force in the link's axes keeps its arm."""
    load = '<simulator:load link="a" at="0.5 0 0" force="0 0.4 0" moment="0 0 0.1" frame="link"/>'
    sim = simulator.load(world(load + HINGE))
    sim.run(1.0)
    assert sim.positions["m::h"] == pytest.approx(0.5 * 0.3 / 0.3, rel=1e-12)
    assert sim.energies["loads"] == pytest.approx(0.3 * sim.positions["m::h"], rel=1e-10)


def test_a_spring_and_damper_between_two_points_swings_as_in_the_book() -> None:
    """x = l + x0 exp(-z w t) (cos wd t + z w / wd sin wd t); w dt = 5e-3, so rounding is larger than the error of the
    method."""
    spring = '<simulator:spring link="a" other="world" stiffness="50" damping="1" free_length="1"/>'
    sim = simulator.load(world(spring, pose="1.5 0 0 0 0 0"))
    sim.run(2.0)
    w, z = 5.0, 0.05
    wd = w * math.sqrt(1 - z * z)
    t = 2.0
    exact = 1 + 0.5 * math.exp(-z * w * t) * (math.cos(wd * t) + z * w / wd * math.sin(wd * t))
    assert place(sim)[0] == pytest.approx(exact, abs=1e-10)
    energies = sim.energies
    lost = 0.5 * 50 * 0.25 - energies["kinetic"] - energies["potential"]
    assert energies["dissipated"] == pytest.approx(lost, rel=1e-9)


def test_a_spring_between_two_bodies_keeps_their_momentum() -> None:
    """Relative motion has the reduced mass m1 m2 / (m1 + m2) = 2/3 kg; the common centre rests."""
    other = """<link name="b"><pose>1.2 0 0 0 0 0</pose><inertial><mass>1</mass></inertial></link>
      <simulator:spring link="a" other="b" stiffness="6" free_length="1"/>"""
    sim = simulator.load(world(other))
    sim.run(0.7)
    a, b = sim.pose("a")[0, 3], sim.pose("b")[0, 3]
    assert b - a == pytest.approx(1 + 0.2 * math.cos(3.0 * 0.7), abs=1e-10)
    assert 2 * a + b == pytest.approx(1.2, abs=1e-12)


def test_a_table_of_forces_over_length_stores_its_integral() -> None:
    """A force of 3 N at every length is constant: x = x0 - F t^2 / 2 m, energy F x."""
    spring = '<simulator:spring link="a" other="world" table="0.5 3 1 3 4 3"/>'
    sim = simulator.load(world(spring, pose="2 0 0 0 0 0"))
    assert sim.energies["potential"] == pytest.approx(3 * 1.5, rel=1e-12)
    sim.run(1.0)
    assert place(sim)[0] == pytest.approx(2 - 0.75, rel=1e-12)
    assert abs(sim.energies["error"]) < 1e-12


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
@pytest.mark.parametrize(("stiffness", "damping"), [(1e10, 0.0), (1e10, 1e5), (0.0, 1e8)])
def test_springs_that_are_too_fast_for_the_step_come_to_rest(solver: str, stiffness: float, damping: float) -> None:
    """w dt is 70 and z 5e4: explicit methods explode within a few steps. With stiffness the body ends at the free
    length, by a damper alone it creeps with F / c, here by nothing. Gravity across the spring is felt as if it were not
    there: the body falls freely at first."""
    spring = f'<simulator:spring link="a" other="world" stiffness="{stiffness}" damping="{damping}" free_length="1"/>'
    sim = simulator.load(world(spring, pose="1.001 0 0 0 0 0", gravity="0 0 -9.8"), solver=solver)
    sim.run(0.02)
    length = float(np.linalg.norm(place(sim)))
    assert length == pytest.approx(1.0 if stiffness else 1.001, abs=2e-6)
    # Bullet's method of order one is half a step late: g t dt / 2.
    assert place(sim)[2] == pytest.approx(-4.9 * 0.02**2, rel=1e-3 if solver != "gear" else 0.06)
    assert abs(sim.velocities.array).max(initial=0.0) < 1.0


def test_a_stiff_spring_in_a_closed_loop_is_held_through_the_loop() -> None:
    """A spring of 1e9 N/m from the rocker to the ground locks the four-bar, which comes to rest within a few steps
    where the spring, at a lever of some 6 mm of the crank, carries its weight of some 0.5 N m: 0.5 / (1e9 * 0.006^2) =
    1.4e-5 rad away."""
    sim = simulator.load("four_bar")
    before = sim.positions.array.copy()
    X = sim.pose("rocker") @ np.array([0.0, 0.0, 0.05, 1.0])
    length = float(np.linalg.norm(X[:3] - np.array([3.0, 1.0, 2.0])))
    spring = simulator.spring("rocker", at=(0, 0, 0.05), other_at=(3, 1, 2), stiffness=1e9, free_length=length)
    sim.run(0.2, forces=[spring])
    assert np.abs(sim.positions.array - before).max() < 2e-5
    assert np.abs(sim.velocities.array).max() < 1e-9


def test_a_torsion_spring_swings_a_body_about_its_joint() -> None:
    """q = q0 cos w t with w^2 = k / I, k the sum of the document's spring and the joint's own."""
    joint = HINGE.replace("<limit>", "<dynamics><spring_stiffness>1.5</spring_stiffness></dynamics><limit>")
    sim = simulator.load(world(joint + '<simulator:torsion_spring joint="h" stiffness="1.2"/>'))
    sim.set(h=0.4)
    sim.run(1.0)
    assert sim.positions["m::h"] == pytest.approx(0.4 * math.cos(3.0), abs=1e-10)
    assert sim.energies["potential"] == pytest.approx(0.5 * 2.7 * (0.4 * math.cos(3.0)) ** 2, rel=1e-8)


def test_a_pendulum_with_a_torsion_spring_balances_where_both_moments_do() -> None:
    """m g l cos q = k q, with damping until it rests."""
    arm = HINGE.replace("0 0 1", "0 1 0").replace("<limit>", "<dynamics><damping>6</damping></dynamics><limit>")
    arm = arm.replace("<parent>", "<pose>-0.5 0 0 0 0 0</pose><parent>")
    sim = simulator.load(world(arm + '<simulator:torsion_spring joint="h" stiffness="20"/>', gravity="0 0 -9.8"))
    sim.run(8.0)
    q = sim.positions["m::h"]
    assert 2 * 9.8 * 0.5 * math.cos(q) == pytest.approx(20 * q, rel=1e-6)


@pytest.mark.parametrize("solver", ["rows", "gear"])
def test_a_model_can_have_gravity_of_its_own(solver: str) -> None:
    """x = g t^2 / 2, here a sixth of the world's and sideways; its energy is potential, not work."""
    sim = simulator.load(world("<simulator:gravity>1.6 0 0</simulator:gravity>", gravity="0 0 -9.8"), solver=solver)
    sim.run(0.5)
    late = 0.0 if solver == "rows" else 1.6 * 0.5 * 0.001 / 2
    assert place(sim) == pytest.approx([0.8 * 0.25 + late, 0, 0], abs=1e-9)
    assert sim.energies["loads"] == 0.0
    assert sim.energies["kinetic"] == pytest.approx(0.64, rel=1e-6)


@pytest.mark.parametrize("solver", EXACT)
def test_work_of_loads_is_the_change_of_energy(solver: str) -> None:
    """A four-bar that a turning, changing force drives: kinetic + potential - start = work of loads, to 1e-9 of the
    energy, with steps that resolve the motion (the error is that of the motion, of order four)."""
    sim = simulator.load("four_bar", solver=solver, dt=2.5e-4)
    force = (simulator.sine(2.0, 2.0), 0.0, 0.5)
    push = simulator.force("coupler", force, at=(0.1, 0.0, 0.0), frame="link", moment=(0, 0.1, 0))
    sim.run(1.0, forces=[push])
    energies = sim.energies
    assert abs(energies["loads"]) > 1e-3
    assert abs(energies["error"]) < 1e-9 * max(energies["kinetic"], abs(energies["potential"]), abs(energies["loads"]))


def test_bullet_moves_by_the_same_loads_to_its_own_order() -> None:
    """Semi-implicit Euler is late or early by half a step: F t dt / 2 m = 1e-3 / 4 of the way here."""
    load = '<simulator:load link="a" at="0.1 0 0" force="1 0 0" moment="0 0.01 0.02"/>'
    exact, bullet = (simulator.load(world(load), solver=solver) for solver in ("rows", "gear"))
    exact.run(0.1)
    bullet.run(0.1)
    difference = exact._core.ready().snapshot().body_velocities[1] - bullet._core.ready().snapshot().body_velocities[1]
    assert np.abs(difference).max() < 1e-5
    assert place(bullet) == pytest.approx(place(exact), abs=3e-5)
    assert abs(bullet.energies["error"]) < 1e-6


def test_loads_are_in_forward_and_inverse_dynamics() -> None:
    """At the time of the simulation: I q'' = M(t)."""
    sim = simulator.load(world('<simulator:load link="a" moment="0 0 ramp(0, 3, 1)"/>' + HINGE))
    sim.run(0.5)
    assert sim.forward_dynamics()["m::h"] == pytest.approx(1.5 / 0.3, rel=1e-9)
    assert sim.inverse_dynamics()["m::h"] == pytest.approx(-1.5, rel=1e-9)
