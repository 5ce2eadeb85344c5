"""A controller in the loop: positions and velocities as arrays that steps write, numbers of drives as an array that a
script writes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import simulator
from simulator.errors import DivergedError, UsageError

SLIDER = """<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m">
<joint name="rail" type="prismatic"><parent>world</parent><child>block</child><axis><xyz>1 0 0</xyz>{}</axis></joint>
<link name="block"><inertial><mass>2</mass></inertial></link>{}</model></world></sdf>"""
MOTOR = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="rail"/>
<actuator name="motor"><mechanicalReduction>10</mechanicalReduction></actuator></transmission>"""


def slider(limits: str = "", more: str = "", solver: str = "rows") -> simulator.Simulation:
    return simulator.load(SLIDER.format(f"<limit>{limits}</limit>" if limits else "", more), solver=solver, dt=0.001)


def pd(q: float, v: float) -> float:
    return 40.0 * (0.1 - q) - 8.0 * v


def test_a_sampled_controller_is_the_exact_discrete_one() -> None:
    """Under a force that is held over a step, x goes by v h + f h² / 2 m and v by f h / m exactly; steps of order four
    make no error in that. 1e-13: rounding of 2000 steps."""
    sim = slider()
    sim.drive("rail", simulator.effort(0.0))
    u, q, v, x, speed, h = sim.control, sim.q, sim.v, 0.0, 0.0, 0.001
    for _ in range(2000):
        u[0] = pd(q[0], v[0])
        sim.step()
        force = pd(x, speed)
        x, speed = x + h * speed + 0.5 * h * h * force / 2.0, speed + h * force / 2.0
    assert (q[0], v[0]) == pytest.approx((x, speed), abs=1e-13)
    assert sim.energies["work"] == pytest.approx(sim.energies["kinetic"], abs=1e-12)


@pytest.mark.parametrize(("world", "axis"), [("four_bar", "crank_joint"), ("gripper", "left_finger_joint")])
def test_numbers_in_the_array_act_as_drives_that_are_given_anew(world: str, axis: str) -> None:
    """To the last bit."""
    written, given = simulator.load(world), simulator.load(world)
    written.drive(axis, simulator.effort(0.0))
    for k in range(200):
        push = 0.5 * np.sin(0.1 * k)
        written.control[0] = push
        given.drive(axis, simulator.effort(push))
        written.step()
        given.step()
    assert written.positions.array.tolist() == given.positions.array.tolist()
    assert written.q.tolist() == written.positions.array.tolist()
    assert written.v.tolist() == written.velocities.array.tolist()


def test_a_controller_within_a_run_does_what_one_around_steps_does() -> None:
    """Called at every third step it sees the state of that step; the efforts are recorded."""
    stepped, ran, times = slider(), slider(), []
    for sim in (stepped, ran):
        sim.drive("rail", simulator.effort(0.0))
    for k in range(30):
        if k % 3 == 0:
            stepped.control[0] = pd(stepped.q[0], stepped.v[0])
        stepped.step()

    def control(sim: simulator.Simulation) -> None:
        times.append(sim.time)
        sim.control[0] = pd(sim.q[0], sim.v[0])

    run = ran.run(0.03, control=control, control_every=0.003)
    assert times == pytest.approx(np.arange(10) * 0.003)
    assert ran.q.tolist() == stepped.q.tolist()
    assert run["rail/effort"][1:4] == pytest.approx(4.0)
    assert run["rail/effort"][-1] == ran.control[0] != 4.0


def test_velocities_and_positions_go_on_without_a_jump() -> None:
    """A motor reaches the new velocity within the step, by an effort and not by an impulse: m (v - 0) / h."""
    sim = slider()
    sim.drive("rail", simulator.velocity(0.0))
    sim.step()
    sim.control[0] = 0.25
    run = sim.run(0.001)
    assert sim.v[0] == pytest.approx(0.25)
    assert run.impulses == ()
    sim.drive("rail", simulator.position(0.0))
    sim.control[0] = 0.3
    sim.step(1000)
    assert sim.q[0] == pytest.approx(0.3, abs=1e-9)


def test_limits_hold_for_what_is_written() -> None:
    sim = slider("<effort>3</effort>")
    sim.drive("rail", simulator.effort(0.0))
    sim.control[0] = 50.0
    sim.step(100)
    assert sim.v[0] == pytest.approx(0.1 * 3.0 / 2.0)


def test_the_array_has_the_numbers_of_drives_in_their_order() -> None:
    """Drives over time and loops have none."""
    sim = simulator.load("four_bar")
    sim.drive("rocker_joint", simulator.effort(0.25))
    sim.drive("crank_joint", simulator.effort(simulator.sine(0.1, 1.0)))
    sim.drive("coupler_joint", simulator.effort(-0.5))
    assert sim.controlled == ("rocker_joint", "coupler_joint")
    assert sim.control.tolist() == [0.25, -0.5]


def test_actuators_are_controlled_by_their_efforts() -> None:
    """Behind a reduction of 10 the joint gets ten times as much: v = 10 f t / m."""
    sim = slider(more=MOTOR)
    sim.drive("actuator/motor", simulator.effort(0.0))
    sim.control[0] = 0.2
    sim.step(100)
    assert sim.controlled == ("actuator/motor",)
    assert sim.v[0] == pytest.approx(0.1, rel=1e-9)


def test_what_is_written_after_other_drives_is_an_error() -> None:
    sim = slider()
    sim.drive("rail", simulator.effort(0.0))
    old = sim.control
    old[0] = 1.0
    sim.drive("rail", simulator.velocity(2.0))
    with pytest.raises(ValueError, match="read-only"):
        old[0] = 2.0
    assert sim.control.tolist() == [2.0]


def test_a_number_that_is_none_is_refused_and_taken_back() -> None:
    sim = slider()
    sim.drive("rail", simulator.effort(1.0))
    sim.control[0] = np.nan
    with pytest.raises(UsageError, match="'rail' must be a finite number, not nan"):
        sim.step()
    assert sim.control.tolist() == [1.0]
    with pytest.raises(AttributeError, match=r"control\[:\] = "):
        sim.control = [2.0]  # type: ignore[misc, assignment]


def test_the_state_is_read_only_and_goes_on_with_the_steps() -> None:
    sim = slider()
    sim.drive("rail", simulator.velocity(1.0))
    q = sim.q
    sim.step(100)
    assert q[0] == pytest.approx(0.1)
    with pytest.raises(ValueError, match="read-only"):
        q[0] = 1.0
    sim.set(rail=0.5)
    assert sim.q[0] == 0.5


def test_a_controller_that_sets_the_state_is_an_error() -> None:
    sim = slider()
    with pytest.raises(UsageError, match="cannot set the state"):
        sim.run(0.01, control=lambda one: one.set(rail=1.0))
    with pytest.raises(UsageError, match=r"calls of a controller cannot be 0.0005 s apart: the step is"):
        sim.run(0.01, control=lambda _: None, control_every=0.0005)
    with pytest.raises(UsageError, match="control_every needs a controller"):
        sim.run(0.01, control_every=0.001)


@pytest.mark.parametrize("again", [copy.copy, lambda sim: pickle.loads(pickle.dumps(sim))], ids=["copy", "pickle"])
def test_copies_have_the_numbers_that_were_written(again: object) -> None:
    sim = slider()
    sim.drive("rail", simulator.effort(0.0))
    sim.control[0] = 3.0
    other = again(sim)  # type: ignore[operator]
    other.step(10)
    assert other.v[0] == pytest.approx(0.015)
    assert sim.v[0] == 0.0


def test_strategy_gear_is_controlled_too() -> None:
    """Bullet's semi-implicit steps add up the same velocity: f t / m."""
    sim = slider(solver="gear")
    sim.drive("rail", simulator.effort(0.0))
    for _ in range(50):
        sim.control[0] = 4.0
        sim.step()
    assert sim.v[0] == pytest.approx(0.1, rel=1e-9)


def test_forces_and_a_controller_act_together() -> None:
    """The load takes away what the controller gives; afterwards numbers stay."""
    sim = slider()
    sim.drive("rail", simulator.effort(0.0))

    def control(one: simulator.Simulation) -> None:
        one.control[0] = 5.0

    sim.run(0.1, control=control, forces=[simulator.force("block", (-5.0, 0.0, 0.0))])
    assert sim.v[0] == pytest.approx(0.0, abs=1e-12)


def test_a_controller_that_is_unstable_at_its_rate_is_named() -> None:
    """A damping of 8 mN s/m on 2 g, held for 1 s each time, turns the velocity to -3 times what it was."""
    sim = simulator.load(SLIDER.format("", "").replace("<mass>2<", "<mass>0.002<"), dt=0.001)
    sim.drive("rail", simulator.effort(0.0))

    def control(now: simulator.Simulation) -> None:
        now.control[0] = 0.001 - 0.008 * now.v[0]

    with pytest.raises(DivergedError, match="the cause is the controller of 'm::rail', whose numbers have grown to"):
        sim.run(40.0, control=control, control_every=1.0)


def test_what_a_controller_asked_for_too_much_once_is_a_finding() -> None:
    sim = slider("<effort>5</effort>")
    sim.drive("rail", simulator.effort(0.0))

    def control(now: simulator.Simulation) -> None:
        now.control[0] = 7.0 if now.time < 0.05 else 1.0

    (finding,) = sim.run(0.1, control=control).findings
    assert (finding.code, "asks for 7 N, its joint allows 5" in finding.message) == ("DRIVE_CUT", True)
    assert sim.run(0.1, control=control).findings == ()


def test_an_actuator_pushes_on_while_numbers_are_written_to_another_axis() -> None:
    """A motor of 0.3 N m behind a reduction of 10 gives 3 N: v = 3 N / 2 kg · t, exact under a constant force. 1e-13:
    rounding of 200 steps."""
    beside = """<joint name="other" type="prismatic"><parent>world</parent><child>weight</child>
    <axis><xyz>0 1 0</xyz></axis></joint><link name="weight"><inertial><mass>1</mass></inertial></link>"""
    sim = slider(more=MOTOR + beside)
    sim.drive("actuator/motor", simulator.effort(0.3))
    sim.drive("other", simulator.effort(0.0))
    u, place = sim.control, sim.controlled.index("other")
    pushed = 0.0
    for k in range(200):
        u[place] = 0.01 * (k % 7)
        pushed += u[place] * sim.dt
        sim.step()
    assert sim.velocities["rail"] == pytest.approx(1.5 * 200 * sim.dt, abs=1e-13)
    assert sim.velocities["other"] == pytest.approx(pushed, abs=1e-13)


def test_single_steps_of_what_touches_are_those_of_a_block() -> None:
    """To the last bit, also after a state was set in between: contacts that a step has found for the next one are those
    that the next one would find."""
    one, many = simulator.load("gripper"), simulator.load("gripper")
    for _ in range(3):
        for _ in range(150):
            one.step()
        many.step(150)
        assert one.q.tolist() == many.q.tolist()
        assert one.pose("box").tolist() == many.pose("box").tolist()
        assert len(one.contacts) == len(many.contacts) > 0
        for sim in (one, many):
            sim.set(lift_joint=sim.positions["lift_joint"], pose={"box": sim.pose("box")})
