"""Single steps with drives over time: their orders are made for many steps, and the motion is that of orders made for
each step alone, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import simulator
from simulator.engine import blocks
from simulator.engine.drives import Drive, DriveKind
from simulator.model.profiles import Clipped, Profile

CRANK = "crank_joint"
STEPS = 150
"""More than two windows."""
DRIVES: dict[str, Drive] = {
    "velocity": simulator.velocity(simulator.sine(1.0, 2.0)),
    "position": simulator.position(simulator.sine(0.2, 2.0)),
    "effort": simulator.effort(simulator.sine(0.1, 2.0)),
    "loop": simulator.position(simulator.sine(0.2, 2.0), simulator.pid(8.0, 5.0, 0.6, limit=2.0)),
    "constant loop": simulator.position(0.3, simulator.pid(8.0, 5.0, 0.6, limit=2.0)),
}
Act = Callable[[simulator.Simulation, int], None]


def nothing(sim: simulator.Simulation, step: int) -> None:
    """The drive continues."""


def other_drive(sim: simulator.Simulation, step: int) -> None:
    if step == 40:
        sim.drive(CRANK, simulator.effort(simulator.sine(0.05, 5.0)))
    if step == 100:
        sim.drive(CRANK, None)


def begin_again(sim: simulator.Simulation, step: int) -> None:
    if step == 70:
        sim.reset()


def place(sim: simulator.Simulation, step: int) -> None:
    if step == 50:
        sim.set(crank_joint=0.3)


def motion(drive: Drive, act: Act) -> np.ndarray:
    sim = simulator.load("four_bar")
    sim.drive(CRANK, drive)
    rows = []
    for step in range(STEPS):
        act(sim, step)
        sim.step()
        rows.append([*sim.q, *sim.v])
    return np.array(rows)


@pytest.mark.parametrize("act", [nothing, other_drive, begin_again, place])
@pytest.mark.parametrize("name", DRIVES)
def test_orders_ahead_change_nothing(name: str, act: Act, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = motion(DRIVES[name], act)
    monkeypatch.setattr(blocks, "AHEAD", 1)
    assert np.array_equal(ahead, motion(DRIVES[name], act))
    assert np.ptp(ahead[:, 0]) > 1e-3


@pytest.mark.parametrize("name", DRIVES)
def test_single_steps_move_as_one_run(name: str) -> None:
    sim = simulator.load("four_bar")
    sim.drive(CRANK, DRIVES[name])
    run = sim.run(STEPS * sim.dt)
    column = run[f"{CRANK}/position"]
    assert np.array_equal(motion(DRIVES[name], nothing)[:, 0], np.asarray(column)[1:])


def test_efforts_written_beside_a_drive_over_time_act_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One motor follows a profile, the other is what a script writes at each step."""

    def positions() -> np.ndarray:
        sim = simulator.load("wrist")
        right, left = sim.positions.names[:2]
        sim.drive(right, simulator.velocity(simulator.sine(0.5, 3.0)))
        found = []
        for step in range(STEPS):
            sim.drive(left, simulator.effort(0.001 * (step % 7)))
            sim.step()
            found.append(np.array(sim.q))
        return np.array(found)

    ahead = positions()
    monkeypatch.setattr(blocks, "AHEAD", 1)
    assert np.array_equal(ahead, positions())


@dataclass
class Hand:
    """A profile that a script moves between steps."""

    level: float = 0.0

    def value(self, time: float) -> float:
        return self.level

    def rate(self, time: float) -> float:
        return 0.0


def test_a_profile_of_the_users_is_asked_at_each_step() -> None:
    """A command that is one step old would be off by 0.1 rad/s; the motor meets its target to second order in dt."""
    sim, hand = simulator.load("four_bar"), Hand()
    sim.drive(CRANK, simulator.velocity(hand))
    for step in range(20):
        hand.level = 0.1 * step
        sim.step()
        assert sim.velocities[CRANK] == pytest.approx(0.1 * step, abs=1e-3)


def test_actuators_with_loops_step_as_they_run() -> None:
    def wrist() -> simulator.Simulation:
        sim = simulator.load("wrist")
        sim.drive("actuator/right_motor", simulator.position(1.0))
        sim.drive("actuator/left_motor", simulator.position(simulator.sine(0.5, 1.0)))
        return sim

    stepped, ran = wrist(), wrist()
    for _ in range(STEPS):
        stepped.step()
    ran.step(STEPS)
    assert np.array_equal(np.array(stepped.q), np.array(ran.q))
    assert np.array_equal(np.array(stepped.v), np.array(ran.v))


PROFILES = {
    "sine": simulator.sine(0.2, 2.0),
    "ramp": simulator.ramp(0.0, 0.3, 0.0505),
    "ramp that ends with a step": simulator.ramp(0.0, 0.3, 0.05),
    "step": simulator.step(0.0, 0.3, 0.05),
    "chirp": simulator.chirp(0.2, 1.0, 5.0, 0.1),
    "expression": simulator.expression("0.1*sin(3*t)**3 + 0.2*t**2.5"),
    "table": simulator.table([0.0, 0.03, 0.07], [0.0, 0.2, 0.1]),
    "spline": simulator.spline([0.0, 0.03, 0.07], [0.0, 0.2, 0.1]),
    "clipped": Clipped(simulator.sine(9.0, 2.0), -0.5, 0.4),
}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("kind", DriveKind)
def test_numbers_of_many_steps_are_those_of_each(profile: Profile, kind: DriveKind) -> None:
    sim = simulator.load("rack_and_pinion")  # its rack has stops and a top speed
    motors = sim._core.ready().core.motors
    drive = Drive(kind, profile)
    times = 1e-3 * np.arange(100)
    one_by_one = [drive.at(time, 1e-3) for time in times.tolist()]
    values, rates = drive.over(times, 1e-3)
    np.testing.assert_array_equal(values, [setpoint.value for setpoint in one_by_one])
    np.testing.assert_array_equal(rates, [setpoint.rate for setpoint in one_by_one])
    if kind is not DriveKind.EFFORT:
        for axis in range(len(sim.mechanism.axes)):
            numbers = motors.numbers_over(axis, drive, times, 1e-3)
            np.testing.assert_array_equal(numbers, [motors.numbers(axis, one) for one in one_by_one])


def test_a_run_that_ends_before_its_formula_does_is_made() -> None:
    """Orders are made ahead, for times at which the drive is never asked."""
    sim = simulator.load("four_bar")
    sim.drive(CRANK, simulator.effort(simulator.expression("0.1*sqrt(0.1 - t)")))
    for _ in range(90):
        sim.step()
    assert sim.time == pytest.approx(0.09)
    with pytest.raises(simulator.SimulatorError, match="no finite value"):
        sim.run(0.1)
