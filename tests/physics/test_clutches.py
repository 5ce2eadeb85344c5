"""Freewheels, ratchets, friction clutches and brakes against closed forms and an integration mode by mode.

Along the slip ż = q̇2 - m q̇1 of two wheels J1 and J2 a unit of torque on the second changes ż by the mobility w = 1/J2 +
m²/J1. What brings a slip ż0 to rest is the impulse ż0 / w, whatever the torque, and takes the energy ż0² / (2 w), which
for m = 1 is J1 J2 / (J1 + J2) ż0² / 2.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.errors import DocumentError, EngineLimitError, UsageError
from tests.helpers.friction_chain import Link, turn
from tests.helpers.real_couplings import arm, screw, wheels

EXACT = 1e-12
J1, J2, M = 0.5, 2.0, -2.0
MOBILITY = 1.0 / J2 + M * M / J1


def wheel(inside: str, inertia: float = J1, friction: float = 0.0) -> str:
    """One wheel on the hinge j0, with `inside` its axis."""
    return wheels((inertia,), 1.0, friction=friction).replace("<xyz>0 0 1</xyz>", f"<xyz>0 0 1</xyz>{inside}")


def books_close(run: simulator.Run) -> bool:
    """To 1e-12 of the energy that was there or came."""
    scale = max(np.abs(run["energy/kinetic"]).max(), np.abs(run["energy/work"]).max())
    return bool(np.abs(run["energy/error"]).max() <= 1e-12 * scale)


# -- freewheels --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("direction", "sign"), [("1", 1.0), ("-1", -1.0)])
def test_a_follower_overruns_its_freewheel_until_the_leader_meets_it(direction, sign):
    """The leader reaches m q̇1 = q̇2 at t = J1 q̇2 / (m τ), and from then on both feel the torque."""
    sim = simulator.load(wheels((J1, J2), M, f'<simulator:freewheel direction="{direction}"/>'))
    assert sim.mobility == 2
    sim.set(velocity={"j0": 0.0, "j1": 0.6 * sign})
    sim.drive("j0", simulator.effort(-1.0 * sign))
    run = sim.run(1.0)
    met = J1 * 0.6 / 2.0
    before = run.time < met
    assert (run["j1/velocity"][before] == 0.6 * sign).all()
    assert run["j0/velocity"][before] == pytest.approx(-sign * run.time[before] / J1, abs=EXACT)
    rate = (1.0 - met) / (J1 + M * M * J2)  # of the leader, beyond what it had
    assert run["j0/velocity"][-1] == pytest.approx(-sign * (0.3 + rate), abs=EXACT)
    assert run["j1/velocity"][-1] == pytest.approx(M * run["j0/velocity"][-1], abs=EXACT)
    assert books_close(run)


def test_a_freewheel_that_starts_the_way_it_holds_engages_at_once():
    """The momentum of both sides, and the heat of a blow without restitution."""
    sim = simulator.load(wheels((J1, J2), M, "<simulator:freewheel/>"))
    sim.set(velocity={"j0": -1.5, "j1": 0.5})
    run = sim.run(0.01)
    slip = 0.5 + M * 1.5
    impulse = -slip / MOBILITY
    assert run["j1/velocity"][1:] == pytest.approx(0.5 + impulse / J2, abs=EXACT)
    assert run["j0/velocity"][1:] == pytest.approx(-1.5 - M * impulse / J1, abs=EXACT)
    assert run["energy/dissipated"][-1] == pytest.approx(0.5 * slip * slip / MOBILITY, rel=EXACT)


def test_a_freewheel_carries_a_load_one_way_and_lets_it_run_the_other():
    """A nut of 2 kg on a screw: driven down faster than it falls the screw runs away from it; up, it carries m g."""
    sim = simulator.load(screw("<simulator:freewheel/>", lead=0.02, mass=2.0, inertia=1e-3))
    sim.drive("j", simulator.velocity(simulator.sine(5.0, 1.0)))
    run = sim.run(1.0)
    lead = 0.02 / (2.0 * math.pi)
    slip = run["s/velocity"] - lead * run["j/velocity"]
    assert slip.min() > -EXACT
    assert slip.max() < EXACT  # g is more than the screw asks for: the nut stays on it
    turning = -lead * 5.0 * 2.0 * math.pi
    assert turning > -9.81
    sim.drive("j", simulator.velocity(simulator.ramp(0.0, -3000.0, 0.5)))
    sim.set()
    sim.run(0.5)
    assert sim.velocities["s"] == pytest.approx(-9.81 * 0.5, rel=1e-9)  # 6000 rad/s² · lead = 19 m/s²: it falls freely


def test_what_bears_on_a_freewheel_of_changing_inertia_stays_on_it():
    """An arm behind a freewheel, driven up against gravity: rates agree to the rounding at the end of every step."""
    sim = simulator.load(arm('<simulator:freewheel direction="-1"/>'))
    sim.drive("r", simulator.effort(6.0))
    run = sim.run(0.3)
    slip = run["a/velocity"] + 0.2 * run["r/velocity"]
    assert np.abs(run["a/velocity"]).max() > 0.5
    assert np.abs(slip).max() < 1e-12


# -- ratchets ----------------------------------------------------------------------------------------------------------


def test_a_pawl_holds_the_last_tooth_that_has_passed():
    """Swung to and fro, the wheel never turns back beyond a tooth, and comes to rest on several."""
    sim = simulator.load(wheels((J1, J2), 1.0, '<simulator:freewheel pitch="0.1"/>'))
    sim.drive("j0", simulator.velocity(0.0))
    sim.drive("j1", simulator.effort(simulator.sine(12.0, 1.0, -4.0)))
    run = sim.run(6.0)
    position = run["j1/position"] - run["j0/position"]
    tooth = 0.1 * np.floor(np.maximum.accumulate(position) / 0.1 + 1e-6)
    assert (position >= tooth - 1e-9).all()
    rests = np.abs(position - tooth) < 1e-12
    assert len(set(np.round(position[rests] / 0.1).tolist())) > 2
    assert books_close(run)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_pawl_is_hit_with_its_restitution(restitution):
    """The wheel turns back at 1 rad/s from half a pitch beyond a tooth."""
    inside = f'<simulator:freewheel pitch="0.1" restitution="{restitution}"/>'
    sim = simulator.load(wheels((J1, J2), 1.0, inside))
    sim.set({"j0": 0.0, "j1": 0.25}, velocity={"j0": 0.0, "j1": -1.0})
    run = sim.run(0.1)
    slip = restitution
    both = -J2 / (J1 + J2)  # the momentum stays
    assert run["j1/velocity"][-1] == pytest.approx(both + J1 * slip / (J1 + J2), abs=EXACT)
    assert run["j0/velocity"][-1] == pytest.approx(both - J2 * slip / (J1 + J2), abs=EXACT)


# -- clutches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1.0, M])
def test_a_clutch_engages_in_its_time_and_with_its_heat(ratio):
    mobility = 1.0 / J2 + ratio * ratio / J1
    sim = simulator.load(wheels((J1, J2), ratio, '<simulator:clutch limit="2"/>'))
    sim.set(velocity={"j0": 3.0, "j1": 0.5})
    run = sim.run(2.0)
    slip = run["j1/velocity"] - ratio * run["j0/velocity"]
    engaged = abs(slip[0]) / (2.0 * mobility)
    assert np.abs(slip[run.time > engaged + 0.001]).max() < EXACT
    assert np.abs(slip[run.time < engaged - 0.001]).min() > 0.0
    assert run["energy/dissipated"][-1] == pytest.approx(0.5 * slip[0] ** 2 / mobility, rel=EXACT)
    assert books_close(run)


def test_what_sticks_holds_peak_times_what_slips():
    """While it sticks it passes J2 τ / (J1 + J2): it slips from τ = 1.2 · 2 · 2.5 / 2 = 3 on, and then passes 2."""
    sim = simulator.load(wheels((J1, J2), 1.0, '<simulator:clutch limit="2" peak="1.2"/>'))
    sim.drive("j0", simulator.effort(simulator.ramp(0.0, 6.0, 6.0)))
    run = sim.run(4.0)
    slip = run["j1/velocity"] - run["j0/velocity"]
    assert np.abs(slip[run.time <= 2.999]).max() < 1e-14
    assert (slip[run.time >= 3.002] < 0.0).all()
    t = 3.0
    assert run["j1/velocity"][-1] == pytest.approx(0.5 * t * t / 2.5 + 2.0 / J2, rel=2e-3)  # slips within a step of 3 s


def test_a_force_presses_faces_at_their_radius():
    """0.3 · 0.05 m · 4 faces · 100 N = 6 N m, from half a second on."""
    inside = '<simulator:clutch friction="0.3" radius="0.05" faces="4" force="step(0,100,0.5)"/>'
    sim = simulator.load(wheels((J1, J2), 1.0, inside))
    sim.set(velocity={"j0": 5.0, "j1": 0.0})
    run = sim.run(0.6)
    assert (run["j0/velocity"][run.time <= 0.5] == 5.0).all()
    assert run["j1/velocity"][-1] == pytest.approx(6.0 * 0.1 / J2, rel=1e-9)


def test_a_clutch_along_a_line_needs_no_radius():
    inside = '<simulator:clutch friction="0.5" force="10"/>'
    sim = simulator.load(screw(inside, lead=0.02, mass=2.0, inertia=1e-3))
    run = sim.run(0.5)
    assert run["s/velocity"][-1] < -0.5 * (9.81 - 2.5 - 1.0)  # the spindle turns along under 5 N


def test_a_clutch_can_be_engaged_while_the_simulation_runs():
    sim = simulator.load(wheels((J1, J2), 1.0, '<simulator:clutch friction="0.3" radius="0.1" force="0"/>'))
    sim.set(velocity={"j0": 3.0, "j1": 0.0})
    sim.run(0.2)
    sim.engage("j1", 100.0)
    run = sim.run(0.1)
    assert run.time[0] == 0.2
    assert sim.velocities["j1"] == pytest.approx(3.0 * 0.1 / J2, rel=1e-9)
    assert sim.varied({"j1.clutch.force": 0.0}).parameters()["j1.clutch.force"].value == 0.0
    assert sim.copy().parameters()["j1.clutch.force"].value == 100.0
    sim.engage("j1", simulator.ramp(0.0, 1.0, 1.0))
    assert "j1.clutch.force" not in sim.parameters()
    with pytest.raises(UsageError, match="neither a clutch nor a brake"):
        sim.engage("j0", 1.0)


def test_a_clutch_passes_losses_of_its_coupling():
    """Slipping at 2 N m, the leader gives 2 / 0.8."""
    inside = '<simulator:clutch limit="2"/><simulator:efficiency forward="0.8"/>'
    sim = simulator.load(wheels((J1, J2), 1.0, inside))
    sim.set(velocity={"j0": 5.0, "j1": 0.0})
    run = sim.run(0.1)
    assert run["j1/velocity"][-1] == pytest.approx(0.1 * 2.0 / J2, rel=1e-9)
    assert run["j0/velocity"][-1] == pytest.approx(5.0 - 0.1 * 2.0 / 0.8 / J1, rel=1e-9)
    way = run["j0/position"][-1] - run["j0/position"][0]
    assert run.couplings["m::j1"]["forward_out_J"] == pytest.approx(2.0 * way, rel=1e-9)
    assert run.couplings["m::j1"]["forward_in_J"] == pytest.approx(2.0 / 0.8 * way, rel=1e-9)
    assert books_close(run)


def test_what_passes_a_clutch_that_sticks_is_what_its_follower_gets():
    """Its kinetic energy; the share 0.8 of what the leader gives."""
    inside = '<simulator:clutch limit="50"/><simulator:efficiency forward="0.8"/>'
    sim = simulator.load(wheels((J1, J2), 1.0, inside))
    sim.drive("j0", simulator.effort(1.0))
    run = sim.run(0.1)
    passed = run.couplings["m::j1"]
    assert passed["forward_out_J"] == pytest.approx(0.5 * J2 * run["j1/velocity"][-1] ** 2, rel=1e-9)
    assert passed["efficiency_forward"] == pytest.approx(0.8, rel=1e-9)


# -- Modelica's examples -----------------------------------------------------------------------------------------------


def test_three_clutches_engage_as_in_modelicas_coupled_clutches():
    """Modelica.Mechanics.Rotational.Examples.CoupledClutches: four wheels of 1 kg m², the first at 10 rad/s under 10
    sin(10 π t); clutches of 10 N m that stick with 11, the first pressed by cos(0.4 π t), the others from 0.4 and 0.9 s
    on. 1e-4 of the first rate; the reference takes steps a fifth as long."""
    limits = ("sine(10,0.2,0,1.5707963267948966)", "step(0,10,0.4)", "step(0,10,0.9)")
    insides = [f'<simulator:clutch limit="{limit}" peak="1.1"/>' for limit in limits]
    sim = simulator.load(wheels((1.0,) * 4, 1.0, insides), dt=1e-4)
    sim.set(velocity={"j0": 10.0, "j1": 0.0, "j2": 0.0, "j3": 0.0})
    sim.drive("j0", simulator.effort(simulator.sine(10.0, 5.0)))
    run = sim.run(1.5)
    links = [
        Link(lambda t: 10.0 * math.cos(0.4 * math.pi * t), 1.1),
        Link(lambda t: 10.0 if t >= 0.4 else 0.0, 1.1),
        Link(lambda t: 10.0 if t >= 0.9 else 0.0, 1.1),
    ]
    driven = lambda t: (10.0 * math.sin(10.0 * math.pi * t), 0.0, 0.0, 0.0)  # noqa: E731
    times, rates = turn((1.0,) * 4, (10.0, 0.0, 0.0, 0.0), links, driven, 2e-5, 1.5)
    for wheel_number in range(4):
        exact = np.interp(run.time, times, rates[:, wheel_number])
        assert run[f"j{wheel_number}/velocity"] == pytest.approx(exact, abs=1e-3)
    stuck = np.abs(np.diff(np.array([run[f"j{i}/velocity"] for i in range(4)]), axis=0)) < 1e-9
    assert stuck[:, -1].tolist() == [False, True, True]  # the first is not pressed from 1.25 s on
    assert books_close(run)


def test_a_freewheel_beside_a_clutch_is_modelicas_one_way_clutch():
    """Modelica.Mechanics.Rotational.Examples.OneWayClutch: two wheels of 1 kg m², the first at -0.5 rad/s under 10
    sin(6 π t). It drives the second, and is dragged by it with 1.5 N m from 0.3 to 0.95 and from 1.6 s on; the clutch
    sticks with 25 times as much. 1e-3 rad/s of 1.5."""
    pressed = "step(0,1.5,0.3)"
    inside = f'<simulator:freewheel/><simulator:clutch limit="{pressed}" peak="25"/>'
    sim = simulator.load(wheels((1.0, 1.0), 1.0, inside), dt=1e-4)
    sim.set(velocity={"j0": -0.5, "j1": 0.0})
    sim.drive("j0", simulator.effort(simulator.sine(10.0, 3.0)))
    run = [sim.run(0.95)]
    sim.engage("j1", 0.0)
    run.append(sim.run(0.65))
    sim.engage("j1", 1.5)
    run.append(sim.run(0.4))

    def limit(t: float) -> float:
        return 1.5 if 0.3 <= t < 0.95 or t >= 1.6 else 0.0

    driven = lambda t: (10.0 * math.sin(6.0 * math.pi * t), 0.0)  # noqa: E731
    times, rates = turn((1.0, 1.0), (-0.5, 0.0), [Link(limit, 25.0, freewheel=True)], driven, 2e-5, 2.0)
    for part in run:
        for wheel_number in range(2):
            exact = np.interp(part.time, times, rates[:, wheel_number])
            assert part[f"j{wheel_number}/velocity"] == pytest.approx(exact, abs=1e-3)


# -- brakes ------------------------------------------------------------------------------------------------------------


def test_a_brake_stops_a_wheel_and_holds_it_to_the_last_bit():
    """0.3 · 0.1 m · 2 · 100 N = 6 N m from half a second on; then 5.9 N m turn at it in vain."""
    inside = '<simulator:brake friction="0.3" radius="0.1" faces="2" force="step(0,100,0.5)"/>'
    sim = simulator.load(wheel(inside))
    sim.set(velocity={"j0": 3.0})
    run = sim.run(1.0)
    stopped = 0.5 + 3.0 * J1 / 6.0
    assert run["j0/velocity"][run.time <= 0.5] == pytest.approx(3.0, abs=0.0)
    assert np.abs(run["j0/velocity"][run.time >= stopped]).max() < 1e-14
    assert run["energy/dissipated"][-1] == pytest.approx(0.5 * J1 * 9.0, rel=EXACT)
    sim.drive("j0", simulator.effort(5.9))
    held = sim.run(1.0)["j0/position"]
    assert (held == held[0]).all()
    sim.drive("j0", simulator.effort(6.1))
    assert sim.run(1.0)["j0/velocity"][-1] == pytest.approx(0.1 / J1, rel=1e-9)


def test_a_brake_adds_to_the_friction_of_its_axis():
    sim = simulator.load(wheel('<simulator:brake limit="2" peak="1.5"/>', friction=0.5))
    for effort, moves in ((3.49, False), (3.51, True)):
        sim.set()
        sim.drive("j0", simulator.effort(effort))
        sim.run(0.5)
        assert bool(abs(sim.velocities["j0"]) > 1e-6) is moves


# -- what cannot be ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("<simulator:clutch/>", "a force .* or a limit"),
        ('<simulator:clutch limit="1" force="1" friction="1"/>', "one of both"),
        ('<simulator:clutch force="100"/>', "friction is missing"),
        ('<simulator:clutch limit="1" friction="0.3"/>', "belong to a force"),
        ('<simulator:clutch force="100" friction="0.3"/>', "no radius"),
        ('<simulator:clutch limit="1" peak="0.5"/>', "peak is a finite number, 1 or more"),
        ('<simulator:clutch limit="wave(1)"/>', "no generator 'wave'"),
        ('<simulator:freewheel direction="2"/>', "direction is from -1 to 1"),
        ('<simulator:freewheel direction="0.5"/>', "direction is 1 or -1"),
        ('<simulator:freewheel restitution="0.5"/>', "pawl of a ratchet"),
        ('<simulator:freewheel pitch="0.1"/><simulator:clutch limit="1"/>', "the second is not used"),
        ('<simulator:clutch limit="1"/><simulator:backlash width="0.1"/>', "the second is not used"),
    ],
)
def test_impossible_clutches_are_refused_by_name(inside, said):
    with pytest.raises(DocumentError, match=said):
        simulator.load(wheels((J1, J2), 1.0, inside))


def test_a_coupling_that_passes_nothing_has_no_clutch():
    with pytest.raises(DocumentError, match="nothing passes the clutch"):
        simulator.load(wheels((J1, J2), 0.0, '<simulator:clutch limit="1"/>'))


@pytest.mark.parametrize("inside", ["<simulator:freewheel/>", '<simulator:clutch limit="1"/>'])
def test_what_would_take_the_law_for_granted_refuses_a_clutch(inside):
    document = wheels((J1, J2), 1.0, inside)
    with pytest.raises(EngineLimitError, match=r"has a (freewheel|clutch)"):
        simulator.load(document, solver="gear").step()
    sim = simulator.load(document)
    for ask in (sim.forward_dynamics, sim.equilibria, sim.linearise):
        with pytest.raises(UsageError, match=r"freewheel|clutch"):
            ask()


def test_strategy_gear_refuses_a_brake():
    with pytest.raises(EngineLimitError, match="dry friction of one number"):
        simulator.load(wheel('<simulator:brake limit="1"/>'), solver="gear").step()


# -- all together ------------------------------------------------------------------------------------------------------


def coupled(random: np.random.Generator) -> tuple[str, float]:
    """Inside of a random coupling, and the sign of the slip that it holds off, 0 for none."""
    direction = float(random.choice([-1.0, 1.0]))
    limit = 10.0 ** random.uniform(-2.0, 1.5)
    clutch = f'<simulator:clutch limit="{limit}" peak="{random.choice([1.0, 1.3])}"/>'
    lossy = f'<simulator:efficiency forward="{random.uniform(0.3, 1.0)}" backward="{random.uniform(0.0, 1.0)}"/>'
    freewheel = f'<simulator:freewheel direction="{direction}"/>'
    found: list[tuple[str, float]] = [
        (lossy, 0.0),
        (freewheel, direction),
        (freewheel + lossy, direction),
        (freewheel + clutch, direction),
        (clutch, 0.0),
        (clutch + lossy, 0.0),
        (f'<simulator:freewheel direction="{direction}" pitch="{10.0 ** random.uniform(-2.0, 0.0)}"/>', 0.0),
        (f'<simulator:backlash width="0.05" restitution="{random.choice([0.0, 0.4])}"/>', 0.0),
        ('<simulator:compliance stiffness="500" damping="0.5"/>', 0.0),
    ]
    return found[int(random.integers(len(found)))]


def test_random_chains_of_all_couplings_hold_their_laws_and_their_books():
    """Two to six wheels: no freewheel slips the way it holds beyond the rounding of a rate, and every ledger closes."""
    random = np.random.default_rng(3)
    for _ in range(25):
        count = int(random.integers(2, 7))
        parts = [coupled(random) for _ in range(count - 1)]
        ratio = float(random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-0.5, 0.5))
        inertias = (10.0 ** random.uniform(-2.0, 0.5, count)).tolist()
        sim = simulator.load(wheels(inertias, ratio, [inside for inside, _ in parts]))
        effort = simulator.sine(float(10.0 ** random.uniform(-1.0, 1.5)), float(random.uniform(0.5, 4.0)))
        sim.drive("j0", simulator.effort(effort))
        run = sim.run(0.5)
        assert books_close(run)
        for i, (_, held) in enumerate(parts):
            slip = held * (run[f"j{i + 1}/velocity"] - ratio * run[f"j{i}/velocity"])
            assert slip.min() > -1e-9 * (1.0 + np.abs(run[f"j{i}/velocity"]).max())
