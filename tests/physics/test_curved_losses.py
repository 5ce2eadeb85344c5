"""Losses, play and elasticity of couplings whose law is a curve, against a motion in one dimension of its own.

A spindle of inertia J moves a nut of mass m by the law s = f(q). With the effort Λ on the nut, m s̈ = Λ - m g and J q̈ =
τ - f' Λ - R, where s̈ = f' q̈ + f'' q̇². Of the power Λ f' q̇ the losses are those of straight couplings: R is (1/η - 1)
|f' Λ| + b where it flows to the nut, (1 - η') |f' Λ| + b where it flows back. Nothing is divided by f', which passes 0
where the nut turns round.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import simulator
from tests.helpers.real_couplings import screw, wheels

J, MASS, G, PUSH = 0.5, 2.0, 9.81, 0.5
CURVE = "<simulator:expression>0.5*sin(q)</simulator:expression>"
CAM = '<simulator:table periodic="true">0 0 0; 1.5 0 0; 3 0.2 0; 4.5 0.2 0; 6 0 0</simulator:table>'
LOSSES = (
    '<simulator:efficiency forward="0.9" backward="0.8"/><simulator:bearing_friction forward="0.1" backward="0.1"/>'
)
UNEVEN = LOSSES.replace('backward="0.1"', 'backward="0.2"')


def nut(inside: str) -> str:
    return screw(inside, lead=2.0 * math.pi, mass=MASS, inertia=J)


def slope(q: float) -> float:
    return 0.5 * math.cos(q)


def acceleration(q: float, rate: float) -> float:
    """Of the spindle, in the mode whose direction of power its own solution has."""
    way = math.copysign(1.0, rate)
    first, second = slope(q), -0.5 * math.sin(q)
    for factor, drag, forward in ((1.0 / 0.9, 0.1, True), (0.8, 0.1, False)):
        shown = factor * first * MASS
        found = (PUSH - way * drag - shown * (second * rate * rate + G)) / (J + shown * first)
        carried = MASS * (first * found + second * rate * rate + G)
        power = carried * first * rate
        if (power >= 0.0) == forward or abs(power) < 1e-9:
            return found
    raise AssertionError


def test_a_lossy_law_moves_by_its_own_equation_through_every_dead_point():
    """Three turns, in each of which f' passes 0 twice and power changes its direction four times. Errors of second
    order in the step: 7e-6 rad/s at a millisecond, with twice that asked for."""
    sim = simulator.load(nut(CURVE + LOSSES))
    sim.set(velocity={"j": 8.0})
    sim.drive("j", simulator.effort(PUSH))
    run = sim.run(3.0)
    exact = solve_ivp(
        lambda _, y: (y[1], acceleration(*y)), (0.0, 3.0), (0.0, 8.0), rtol=1e-9, atol=1e-10, max_step=2e-3
    )
    errors = [run["j/position"][-1] - exact.y[0, -1], run["j/velocity"][-1] - exact.y[1, -1]]
    assert exact.y[0, -1] > 6.0 * math.pi
    assert errors == pytest.approx([0.0, 0.0], abs=2e-3)


def test_errors_of_a_lossy_law_are_of_second_order():
    """A quarter of the step has a sixteenth of the error; ten times less is asked for, as a change of mode within a
    step adds one of that order, whose size depends on where in the step it is."""
    last = []
    for dt in (2e-3, 5e-4, 5e-5):
        sim = simulator.load(nut(CURVE + LOSSES), dt=dt)
        sim.set(velocity={"j": 8.0})
        last.append(sim.run(0.5)["j/position"][-1])
    coarse, fine = np.abs(np.array(last[:2]) - last[2])
    assert coarse / fine > 10.0


def test_the_ledger_of_a_lossy_law_closes_and_its_positions_obey_it():
    """1e-9 of the energy that moves: what the Runge-Kutta method leaves of efforts along a direction that changes.
    Positions are closed to rounding, rates to that of the solver."""
    sim = simulator.load(nut(CURVE + LOSSES))
    sim.set(velocity={"j": 8.0})
    sim.drive("j", simulator.effort(PUSH))
    run = sim.run(2.0)
    assert np.abs(run["energy/error"]).max() < 1e-9 * run["energy/kinetic"].max()
    assert np.abs(run["coupling/s/residual"]).max() < 1e-12
    rates = run["s/velocity"] - 0.5 * np.cos(run["j/position"]) * run["j/velocity"]
    assert np.abs(rates).max() < 1e-10
    assert np.diff(run["energy/dissipated"]).min() > -1e-9


def test_what_power_a_lossy_law_passes_is_counted_both_ways():
    """The table of a run by its own two efficiencies, second order in the step."""
    sim = simulator.load(nut(CURVE + '<simulator:efficiency forward="0.9" backward="0.8"/>'))
    sim.set(velocity={"j": 8.0})
    passed = sim.run(2.0).couplings["m::s"]
    assert passed["efficiency_forward"] == pytest.approx(0.9, abs=2e-5)
    assert passed["efficiency_backward"] == pytest.approx(0.8, abs=2e-5)


@pytest.mark.parametrize("at", [0.3, math.pi - 0.3])
def test_a_lossy_law_holds_between_the_torques_that_lift_and_lower(at):
    """On both sides of the dead point, where the slope has either sign: it moves 1e-6 N m beyond them."""
    first = slope(at)
    weight = MASS * G * first
    up, down = (1.0 / 0.9, 0.1), (0.8, 0.1)
    lift = weight * up[0] + up[1] if weight > 0.0 else weight * down[0] + down[1]
    lower = weight * down[0] - down[1] if weight > 0.0 else weight * up[0] - up[1]
    for torque, moves in (
        (lift + 1e-6, True),
        (lift - 1e-6, False),
        (lower + 1e-6, False),
        (lower - 1e-6, True),
    ):
        sim = simulator.load(nut(CURVE + LOSSES))
        sim.set(j=at)
        sim.drive("j", simulator.effort(torque))
        positions = sim.run(0.05)["j/position"]
        assert (len(set(positions.tolist())) > 1) is moves


def test_a_law_that_locks_itself_stands_to_the_last_bit():
    sim = simulator.load(nut(CURVE + '<simulator:efficiency forward="0.5" backward="0"/>'))
    sim.set(j=0.3)
    run = sim.run(0.5)
    assert (run["j/position"] == run["j/position"][0]).all()
    assert (run["s/position"] == run["s/position"][0]).all()


def test_a_cam_at_rest_loses_nothing_but_the_friction_of_its_bearing():
    """On the dwell the spindle alone runs down, whatever the nut weighs. No power flows either way, so the friction is
    the mean of both, J q̈ = -(b + b') / 2; 1e-12 for rates of 1."""
    sim = simulator.load(nut(CAM + UNEVEN))
    sim.set(j=3.2, velocity={"j": 1.0})
    run = sim.run(0.5)
    assert run["j/velocity"][-1] == pytest.approx(1.0 - 0.5 * 0.15 / J, abs=1e-12)
    assert np.ptp(run["s/position"]) == 0.0


def test_losses_along_a_straight_curve_are_those_of_a_straight_line():
    """A polynomial of first degree beside the multiplier, to 1e-10: positions are closed by other sums."""
    motions = []
    for law in ("", "<simulator:polynomial>0 -2</simulator:polynomial>"):
        sim = simulator.load(wheels((0.5, 2.0), -2.0, law + UNEVEN))
        sim.drive("j0", simulator.effort(simulator.sine(4.0, 1.3)))
        motions.append(sim.run(1.0)["j1/position"])
    assert motions[1] == pytest.approx(motions[0], abs=1e-10)


def test_play_along_a_curve_ends_at_its_flanks():
    """Rigid flanks: the residual stays within the play, impacts take energy, and the ledger closes to 1e-9 of it."""
    sim = simulator.load(nut(CURVE + '<simulator:backlash width="0.01"/>'))
    sim.set(velocity={"j": 8.0, "s": 4.0})
    run = sim.run(2.0)
    played = run["coupling/s/residual"]
    assert played.min() == pytest.approx(-0.005, abs=1e-11)
    assert played.max() == pytest.approx(0.005, abs=1e-11)
    assert np.abs(run["energy/error"]).max() < 1e-9 * run["energy/kinetic"].max()
    assert run["energy/dissipated"][-1] > 0.1


def test_an_elastic_curve_swings_as_its_spring_says():
    """Both coordinates as they are by -k z - d ż along z = s - f(q); second order: 3e-4 at half a millisecond."""
    stiffness, damping = 2e3, 5.0

    def rates(_: float, y: np.ndarray) -> tuple[float, ...]:
        q, s, v, w = y
        push = -stiffness * (s - 0.5 * math.sin(q)) - damping * (w - slope(q) * v)
        return v, w, -slope(q) * push / J, push / MASS - G

    inside = f'<simulator:compliance stiffness="{stiffness}" damping="{damping}"/>'
    sim = simulator.load(nut(CURVE + inside), dt=5e-4)
    sim.set(velocity={"j": 8.0, "s": 4.0})
    run = sim.run(1.0)
    exact = solve_ivp(rates, (0.0, 1.0), (0.0, 0.0, 8.0, 4.0), rtol=1e-9, atol=1e-11).y[:, -1]
    assert [run["j/position"][-1], run["s/position"][-1]] == pytest.approx(exact[:2], abs=1e-3)
    assert np.abs(run["energy/error"]).max() < 1e-9 * run["energy/kinetic"].max()


def test_an_elastic_curve_rests_where_its_spring_carries_the_load():
    """k z = -m g, and the spindle where its own spring balances the torque f' m g."""
    inside = '<simulator:compliance stiffness="2e3"/>'
    document = nut(CURVE + inside).replace(
        "<axis><xyz>0 0 1</xyz></axis>",
        "<axis><xyz>0 0 1</xyz><dynamics><spring_stiffness>30</spring_stiffness></dynamics></axis>",
        1,
    )
    sim = simulator.load(document)
    q, s = sim.equilibria()[0].position
    assert s - 0.5 * math.sin(q) == pytest.approx(-MASS * G / 2e3, abs=1e-12)
    assert 30.0 * q == pytest.approx(-slope(q) * MASS * G, abs=1e-9)


def test_an_analysed_lossy_law_needs_what_lifts_and_counts_its_heat():
    run = simulator.load(nut(CURVE + LOSSES)).analyse({"j": (0.3, 1.2)}, points=2)
    lift = MASS * G * slope(0.3) / 0.9 + 0.1
    assert run["j/effort"][0] == pytest.approx(lift, rel=1e-12)


def test_a_clutch_along_a_curve_is_refused_by_name():
    with pytest.raises(simulator.DocumentError, match="its law is a curve"):
        simulator.load(nut(CURVE + "<simulator:freewheel/>"))


def test_a_thread_along_a_curve_has_no_lead():
    with pytest.raises(simulator.DocumentError, match="its lead is unknown, for its law is a curve"):
        simulator.load(nut(CURVE + '<simulator:thread friction="0.1" mean_diameter="0.03"/>'))
