"""Losses of couplings against closed forms and published figures.

Two wheels of inertia J1 and J2, the second with m times the speed of the first, pass the effort Λ of the teeth: J2 m a
= Λ + τ2 and J1 a = τ1 - m Λ - R. With u = m Λ, R is (1/η - 1) |u| + b where the leader drives, (1 - η') |u| + b where
it is driven, and while both stand it is what keeps them so, up to that (Pelchen, Schweiger and Otter, 2002). 1e-11
relative: the efforts of a step are found to 1e-14 of what each alone would do, which here is up to a hundred times what
they do together.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.model.coupling import Thread, thread_efficiencies
from tests.helpers.documents import joint, link, mimic
from tests.helpers.real_couplings import arm, planetary, screw, wheels
from tests.helpers.repository import ROOT

EXACT = 1e-11
J1, J2, M = 0.5, 2.0, -2.0
SINE = simulator.sine(4.0, 1.3)
LOSSES = (
    '<simulator:efficiency forward="0.9" backward="0.8"/><simulator:bearing_friction forward="0.1" backward="0.1"/>'
)


def accelerated(document: str, efforts: dict[str, float], axis: str, rate: float = 0.0, steps: int = 10) -> float:
    """Mean acceleration of an axis over some steps of a millisecond, from that rate."""
    sim = simulator.load(document)
    if rate:
        sim.set(velocity={axis: rate})
    for name, value in efforts.items():
        sim.drive(name, simulator.effort(value))
    run = sim.run(0.001 * steps)
    velocity = run[f"{axis}/velocity"]
    return float((velocity[-1] - velocity[0]) / (0.001 * steps))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_leader_that_drives_gives_more_than_arrives(sign):
    a = sign * (5.0 - 0.1) / (J1 + M * M * J2 / 0.9)
    assert accelerated(wheels((J1, J2), M, LOSSES), {"j0": 5.0 * sign}, "j0") == pytest.approx(a, rel=EXACT)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_follower_that_drives_loses_a_part(sign):
    """j1 cannot be driven, so the wheel runs down: its inertia drives the leader back."""
    a = -sign * 0.1 / (J1 + M * M * J2 * 0.8)
    document = wheels((J1, J2), M, LOSSES)
    assert accelerated(document, {}, "j0", rate=3.0 * sign) == pytest.approx(
        a, rel=1e-10
    )  # of a rate 1e4 times as large


def test_what_friction_can_hold_stands_to_the_last_bit():
    sim = simulator.load(wheels((J1, J2), M, LOSSES))
    sim.set(j0=0.3)
    sim.drive("j0", simulator.effort(0.0999))
    run = sim.run(2.0)
    assert (run["j0/position"] == run["j0/position"][0]).all()
    assert (run["j1/position"] == run["j1/position"][0]).all()


def test_efficiency_and_friction_follow_a_table_over_the_speed():
    """Linear between its points: at 5 rad/s η is 0.8 and the friction 0.3. The speed changes by 1e-3 in a step, and the
    table with it by 1e-4."""
    table = (
        '<simulator:efficiency forward="0.9 0.7" backward="0.8" speeds="0 10"/>'
        '<simulator:bearing_friction forward="0.1 0.5" speeds="0 10"/>'
    )
    a = (5.0 - 0.3) / (J1 + M * M * J2 / 0.8)
    assert accelerated(wheels((J1, J2), M, table), {"j0": 5.0}, "j0", rate=5.0, steps=1) == pytest.approx(a, rel=1e-3)


def test_losses_are_booked_and_the_ledger_closes():
    """1e-9 of the energy that is converted: what the Runge-Kutta method leaves of powers that change within a step."""
    sim = simulator.load(wheels((J1, J2, 0.1), M, LOSSES))
    sim.drive("j0", simulator.effort(SINE))
    run = sim.run(3.0)
    scale = np.abs(run["energy/work"]).max()
    assert np.abs(run["energy/error"]).max() < 1e-9 * scale
    assert run["energy/dissipated"][-1] > 0.1 * scale


def test_with_full_efficiency_the_motion_is_that_of_the_ideal_coupling():
    """On fixed axes nothing varies within a step, and both are the same but for rounding."""
    motions = []
    for inside in ("", '<simulator:efficiency forward="1" backward="1"/>'):
        sim = simulator.load(wheels((J1, J2, 0.1), M, inside))
        sim.drive("j0", simulator.effort(SINE))
        motions.append(sim.run(1.0)["j2/position"])
    assert motions[1] == pytest.approx(motions[0], abs=1e-11)


def test_where_a_swinging_gear_turns_round_the_error_is_of_second_order():
    """An arm swings over its lowest point and back: what closes its teeth at the end of the step in which it turns
    takes nothing for the way before. A quarter of the step has a sixteenth of the error, ten times less is asked for;
    taken with those losses it is four times less."""
    inside = '<simulator:efficiency forward="0.95" backward="0.9"/><simulator:bearing_friction forward="0.05"/>'
    last = [simulator.load(arm(inside), dt=dt).run(3.0)["a/position"][-1] for dt in (1e-3, 2.5e-4, 5e-5)]
    coarse, fine = np.abs(np.array(last[:2]) - last[2])
    assert coarse / fine > 10.0


# -- screws and worms --------------------------------------------------------------------------------------------------


def test_torques_of_a_power_screw_are_those_of_shigleys_example():
    """Example 8-1: square thread, 32 mm, lead 8 mm, mean diameter 30 mm, f = fc = 0.08, collar 40 mm, 6.4 kN: 26.18 N m
    to lift, 9.77 to lower, efficiency 0.311, as printed."""
    lead, load = 0.008, 6400.0
    forward, backward = thread_efficiencies(Thread(0.08, 0.0, 0.03, 0.0, 0.08, 0.04), lead)
    ideal = load * lead / (2.0 * math.pi)
    assert ideal / forward == pytest.approx(26.18, abs=0.005)
    assert -ideal * backward == pytest.approx(9.77, abs=0.005)
    assert forward == pytest.approx(0.311, abs=5e-4)


def test_a_screw_without_collar_locks_from_the_tangent_of_its_lead_angle_on():
    """π f d = lead: f = 0.0849 for the screw of that example."""
    assert thread_efficiencies(Thread(0.0848, 0.0, 0.03), 0.008)[1] > 0.0
    assert thread_efficiencies(Thread(0.0849, 0.0, 0.03), 0.008)[1] < 0.0


@pytest.mark.parametrize(("lead", "percent"), [(1.0, 25.2), (2.5, 45.7), (5.0, 62.6), (7.5, 71.3), (10.0, 76.6)])
def test_efficiencies_of_worms_are_those_of_shigleys_table(lead, percent):
    """Table 13-6: f = 0.05, normal pressure angle 14.5 degrees."""
    thread = Thread(0.05, math.radians(14.5), lead_angle=math.radians(lead))
    assert 100.0 * thread_efficiencies(thread, 1.0)[0] == pytest.approx(percent, abs=0.05)


SHIGLEY = '<simulator:thread friction="0.08" mean_diameter="0.03" collar_friction="0.08" collar_diameter="0.04"/>'
MASS = 6400.0 / 9.81


@pytest.mark.parametrize("torque", [26.17, 0.0, -9.77])
def test_a_screw_holds_its_load_below_the_torque_that_lifts_and_above_that_which_lowers(torque):
    sim = simulator.load(screw(SHIGLEY, lead=0.008, mass=MASS, inertia=0.01))
    sim.drive("j", simulator.effort(torque))
    run = sim.run(0.5)
    assert np.abs(run["j/velocity"]).max() < 1e-12


@pytest.mark.parametrize(("torque", "reach"), [(30.0, 26.17695474), (-15.0, 9.77442843)])
def test_a_screw_moves_with_what_is_more(torque, reach):
    """I a = |τ| - T for a spindle of inertia I, to 1e-7 for the torques are given with nine digits: the load is lifted
    and its inertia passes the thread, too, which adds m (lead/2π)² / η forwards and takes as much backwards."""
    inertia, lead = 0.01, 0.008
    forward, backward = thread_efficiencies(Thread(0.08, 0.0, 0.03, 0.0, 0.08, 0.04), lead)
    load = MASS * (lead / (2.0 * math.pi)) ** 2
    shown = inertia + load / forward if torque > 0.0 else inertia + load * backward
    a = math.copysign((abs(torque) - reach) / shown, torque)
    assert accelerated(screw(SHIGLEY, lead=lead, mass=MASS, inertia=inertia), {"j": torque}, "j") == pytest.approx(
        a, rel=1e-7
    )


def test_a_self_locking_coupling_holds_a_load_when_its_drive_lets_go():
    """backward="0", and no friction beside it: the load is carried without a margin. The first two steps, which begin
    with no efforts, leave the rounding of a unit in the last place."""
    document = screw('<simulator:efficiency forward="0.4" backward="0"/>', lead=0.02, mass=50.0, inertia=1e-3)
    sim = simulator.load(document)
    sim.set(j=1.0)
    run = sim.run(1.0)
    assert (run["s/position"][3:] == run["s/position"][3]).all()
    assert run["s/position"][-1] == pytest.approx(run["s/position"][0], abs=1e-18)


# -- planetary gears ---------------------------------------------------------------------------------------------------


def test_a_planetary_gear_with_fixed_ring_has_the_efficiency_of_its_basic_ratio():
    """zr/zs = 3 and η0 = 0.97: (1 + 3 · 0.97) / 4 = 0.9775 from sun to carrier (Müller, Epicyclic Drive Trains, 1982).

    Inertia I of both: I a_s = τ - T and I a_c = 4 · 0.9775 T with a_s = 4 a_c.
    """
    inertia = 0.1
    inside = '<simulator:efficiency forward="0.97" backward="0.97"/>'
    carrier = accelerated(planetary(inside, 3.0, 1.0, inertia=inertia), {"s": 2.0}, "c")
    arrives = 4.0 * 0.9775
    assert carrier == pytest.approx(2.0 / (inertia / arrives + 4.0 * inertia), rel=EXACT)


# -- all modes ---------------------------------------------------------------------------------------------------------


def demo(dt: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and rates of the leader in Modelica's example LossyGearDemo1 (Modelica.Mechanics.Rotational.Examples): J1 =
    1 and J2 = 1.5 behind a gear of ratio 2, half of whose power arrives, under 10 sin(2πt) and -10 + 2.5 t. In each
    mode the acceleration depends on time alone: integrated by the trapezium rule, modes located in each step."""
    one, two, share, m = 1.0, 1.5, 0.5, 0.5

    def moving(time: float, way: float) -> float:
        drive, load = 10.0 * math.sin(2.0 * math.pi * time), -10.0 + 2.5 * time
        for factor, forward in ((1.0 / share, True), (share, False)):
            a = (drive + factor * m * load) / (one + factor * m * m * two)
            carried = m * (two * m * a - load)
            if bool(carried * way >= 0.0) is forward:
                return a
        raise AssertionError

    def standing(time: float) -> float:
        for way in (1.0, -1.0):
            if moving(time, way) * way > 0.0:
                return moving(time, way)
        return 0.0

    times = np.arange(round(end / dt) + 1) * dt
    rates = np.zeros(len(times))
    for i, time in enumerate(times[:-1]):
        rate, left = rates[i], dt
        if rate != 0.0:
            way = math.copysign(1.0, rate)
            after = rate + 0.5 * dt * (moving(time, way) + moving(time + dt, way))
            if after * way >= 0.0:
                rates[i + 1] = after
                continue
            left = dt * (1.0 - rate / (rate - after))
        rates[i + 1] = left * standing(time + dt)
    return times, rates


def test_all_modes_of_modelicas_example_come_at_their_times():
    """1e-4 of the largest rate, and within two steps of 0.1 ms: rolling forward and backward, and stuck between. The
    reference is of second order in steps ten times as short."""
    load = '<simulator:load link="w1" force="0 0 0" moment="0 0 ramp(-10,-5,2)"/>'
    inside = '<simulator:efficiency forward="0.5" backward="0.5"/>'
    sim = simulator.load(wheels((1.0, 1.5), 0.5, inside, beside=load), dt=1e-4)
    sim.drive("j0", simulator.effort(simulator.sine(10.0, 1.0)))
    run = sim.run(0.5)
    times, rates = demo(1e-5, 0.5)
    exact = np.interp(run.time, times, rates)
    assert run["j0/velocity"] == pytest.approx(exact, abs=1e-4 * np.abs(exact).max())
    stands = np.abs(exact) < 1e-9
    changes = run.time[1:][stands[1:] != stands[:-1]]
    found = np.abs(run["j0/velocity"]) < 1e-9
    assert run.time[1:][found[1:] != found[:-1]] == pytest.approx(changes, abs=2e-4)
    assert len(changes) > 1


def test_the_motion_is_of_second_order_in_the_step():
    """An arm that swings under gravity behind a lossy gear turns back and forth: half the step, a quarter of the error,
    to a factor of 1.4 for changes of mode fall anywhere in a step."""
    ends = [swing(dt, 0.9) for dt in (2e-3, 1e-3, 5e-4, 2.5e-4)]
    errors = np.abs(np.diff(ends))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.4)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.4)


def swing(dt: float, share: float) -> float:
    """Where an arm is after two seconds that falls from the side, its rotor turning five times as fast."""
    inside = f'<simulator:efficiency forward="{share}" backward="{share - 0.1}"/>'
    return float(simulator.load(arm(inside), dt=dt).run(2.0)["a/position"][-1])


@pytest.mark.parametrize("name", ["worm_hoist", "power_split"])
def test_velocities_obey_the_law_as_positions_do(name):
    """At the end of every step, to round-off: rigid teeth have one rate, whatever their losses."""
    sim = simulator.load(name)
    first = sim.mechanism.axes[sim.mechanism.independent_axes()[0]].name
    for _ in range(50):
        sim.run(sim.dt, drives={first: simulator.effort(0.3)})
        state = sim.moment.state
        for coupling in sim.mechanism.couplings:
            rates = [factor * state.velocity[axis] for axis, factor in coupling.terms]
            assert abs(sum(rates)) <= 1e-14 * (1.0 + max(map(abs, rates)))


def test_a_lossy_gear_keeps_its_law_beside_a_loop():
    """The crank of a four-bar drives a rotor behind a lossy gear: the loop is closed to round-off, and the rates obey
    the law to what bringing the loop back leaves of it, 3e-11 of a rate of 0.1 here (third order of the step)."""
    text = (ROOT / "worlds" / "four_bar.sdf").read_text(encoding="utf-8")
    law = mimic("crank_joint", multiplier=3.0).replace("</mimic>", f"{LOSSES}</mimic>")
    rotor = link("rotor", mass=0.1).replace("<ixx>1", "<ixx>1e-4").replace("<iyy>1", "<iyy>1e-4")
    motor = joint("motor", "revolute", law, parent="ground", child="rotor", axis="0 1 0")
    sim = simulator.load(text.replace("</model>", f"{rotor}{motor}</model>", 1))
    run = sim.run(0.5, drives={"crank_joint": simulator.effort(0.5)})
    (coupling,) = sim.mechanism.couplings
    rates = [factor * sim.moment.state.velocity[axis] for axis, factor in coupling.terms]
    assert max(map(abs, rates)) > 0.1
    assert abs(sum(rates)) < 1e-10
    assert run["loop/four_bar::closing_joint/residual_m"].max() < 1e-12


def test_random_states_have_solutions_that_take_energy():
    """Trains of two to six gears, some carried by others, with random losses, states and efforts: the coupling holds to
    1e-5 of its rates (1e-12 of what efforts alone would do in the step), and losses take energy."""
    random = np.random.default_rng(1)
    for _ in range(30):
        count = int(random.integers(2, 6))
        shares = [(random.uniform(0.2, 1.0), random.choice([0.0, random.uniform(0.0, 1.0)])) for _ in range(count)]
        drags = [random.choice([0.0, random.uniform(0.0, 1.0)]) for _ in range(count)]
        inside = [
            f'<simulator:efficiency forward="{forward}" backward="{backward}"/>'
            f'<simulator:bearing_friction forward="{drag}"/>'
            for (forward, backward), drag in zip(shares, drags, strict=True)
        ]
        ratio = float(random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-0.7, 0.7))
        inertias = (10.0 ** random.uniform(-3.0, 1.0, count)).tolist()
        sim = simulator.load(wheels(inertias, ratio, inside))
        for _ in range(10):
            sim.set(velocity={"j0": float(random.choice([0.0, random.normal()]))})
            sim.drive("j0", simulator.effort(float(random.normal() * 10.0 ** random.uniform(-3.0, 2.0))))
            run = sim.run(0.003)
            rates = np.array([run[f"j{i}/velocity"][-1] for i in range(count)])
            assert rates[1:] == pytest.approx(ratio * rates[:-1], rel=1e-5, abs=1e-8)
            # Where a chain sticks it is not determined which coupling holds how much: together they take.
            sums = run.couplings.values()
            passed = sum(abs(each["forward_in_J"]) + abs(each["backward_in_J"]) for each in sums)
            assert sum(each["heat_J"] for each in sums) >= -1e-9 * passed - 1e-12


@pytest.mark.parametrize("inside", ['<simulator:efficiency forward="0.8" backward="0.6"/>', "<simulator:freewheel/>"])
def test_the_effort_of_a_motor_that_begins_is_not_that_of_its_impulse(inside: str) -> None:
    """It begins at 0.6 rad/s by an impulse, and slows down then: J1 is braked, and J2 gives its motion back through the
    teeth, of which the share 0.6 arrives, or runs on before the freewheel. What the coupling passed on in the blow, in
    a step of 1 ms some 2000 N m, was taken for an effort that continues, in the first row and by extrapolation with the
    other sign in the second."""
    sim = simulator.load(wheels((J1, J2), 2.0, inside))
    run = sim.run(0.05, drives={"j0": simulator.velocity(simulator.sine(0.6, 0.7, phase=0.5 * math.pi))})
    turn = 2.0 * math.pi * 0.7
    inertia = J1 + (4.0 * J2 * 0.6 if "efficiency" in inside else 0.0)
    asked = -inertia * 0.6 * turn * np.sin(turn * run.time)
    off = np.abs(run["j0/effort"] - asked)
    assert off.max() <= 0.5 * inertia * 0.6 * turn**2 * 1e-3
    assert off[5:].max() <= 1e-4


@pytest.mark.parametrize(
    "inside",
    ['<simulator:efficiency forward="0.9" backward="0.8"/>', '<simulator:backlash width="0.05"/>', "bearing", "clutch"],
)
def test_a_run_after_a_reset_is_the_run_before_it_to_the_last_bit(inside: str) -> None:
    """Nothing is left of what teeth missed and bearings carried in the last step."""
    document = arm(f'<simulator:{inside} limit="3"/>' if inside == "clutch" else inside.replace("bearing", ""))
    if inside == "bearing":
        document = document.replace("</xyz>", '</xyz><simulator:bearing friction="0.1" radius="0.02"/>')
    sim = simulator.load(document)
    first = sim.run(0.3)
    sim.reset()
    again = sim.run(0.3)
    assert np.array_equal(again["a/position"], first["a/position"])
    assert np.array_equal(again["r/velocity"], first["r/velocity"])
