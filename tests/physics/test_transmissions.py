"""Actuators of the example worlds: what they hold, what they turn, and that no power is lost in their transmissions.

Strategy `reduced` holds couplings by construction and integrates what the efforts say, so static figures come out to
round-off of some ten additions. The work of motors and joints agrees to 1e-9 of what was turned over; ten thousand
roundings of 1e-16 are far below that."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.model.profiles import Constant
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers.repository import ROOT
from tests.physics.worlds import make_steps


def opened_world(name: str) -> tuple[Opened, Engine]:
    opened = open_document(ROOT / "worlds" / f"{name}.sdf")
    return opened, make_engine(opened, SessionSettings(solver="reduced"))


def push(opened: Opened, engine: Engine, efforts: np.ndarray) -> np.ndarray:
    """Let the actuators push with these efforts: effort drives on the axes that they move. Returns those of the
    axes."""
    wanted = opened.actuators.axis_effort(efforts)
    for axis in np.flatnonzero(opened.actuators.matrix.any(axis=0)).tolist():
        engine.set_drive(axis, Drive(DriveKind.EFFORT, Constant(float(wanted[axis]))))
    return wanted


def axis(opened: Opened, name: str) -> int:
    found = opened.mechanism.axis_index(name)
    assert found is not None
    return found


def test_the_motors_of_the_arm_hold_it_as_the_file_says() -> None:
    """Closed form at the start: elbow m2 g 0.12 cos(−40°), shoulder m1 g 0.15 cos 55° + m2 g (0.3 cos 55° + 0.12
    cos(−40°)); the belt pulley's centre is on the shoulder's axis."""
    opened, engine = opened_world("belt_arm")
    c1, c12, g = math.cos(math.radians(55.0)), math.cos(math.radians(-40.0)), 9.81
    elbow = 0.8 * g * 0.12 * c12
    shoulder = 1.2 * g * 0.15 * c1 + 0.8 * g * (0.3 * c1 + 0.12 * c12)
    motors = np.array([(shoulder - elbow / 2.0) / 50.0, elbow / 40.0])
    assert motors == pytest.approx([0.054479293, 0.018035750], abs=5e-10)
    held = push(opened, engine, motors)
    assert held[[axis(opened, "shoulder_joint"), axis(opened, "elbow_joint")]] == pytest.approx([shoulder, elbow])
    make_steps(engine, 200)
    moved = engine.snapshot()
    assert np.abs(moved.velocity).max() < 1e-9
    assert np.abs(moved.position).max() < 1e-10


def test_the_motors_of_the_wrist_hold_it_as_the_file_says() -> None:
    opened, engine = opened_world("wrist")
    push(opened, engine, np.array([-0.01635, -0.01635]))
    make_steps(engine, 200)
    assert np.abs(engine.snapshot().velocity).max() < 1e-9


def test_one_motor_of_the_wrist_turns_both_joints_and_leaves_the_other_gear() -> None:
    """Seen from the base a side gear turns by pitch plus its own joint; its motor turns 24 times as far, by the
    transmission."""
    opened, engine = opened_world("wrist")
    push(opened, engine, np.array([-0.01635 + 0.004, -0.01635 - 0.001]))
    make_steps(engine, 400)
    state = engine.snapshot()
    assert abs(state.position[axis(opened, "roll_joint")]) > 0.05
    turned = opened.actuators.position(state.position)
    for motor, gear in (("right_motor", "right_gear_joint"), ("left_motor", "left_gear_joint")):
        absolute = state.position[axis(opened, "pitch_joint")] + state.position[axis(opened, gear)]
        assert turned[opened.actuators.index(motor)] == pytest.approx(24.0 * absolute, abs=1e-12)


def test_the_elbow_motor_of_the_arm_turns_with_its_pulley() -> None:
    """20 times what the belt's small pulley turns against the base: shoulder plus its own joint, from the stretched arm
    on."""
    opened, engine = opened_world("belt_arm")
    engine.place(axis(opened, "elbow_joint"), 0.7)
    engine.place(axis(opened, "shoulder_joint"), -0.4)
    state = engine.snapshot()
    pulley = state.position[axis(opened, "shoulder_joint")] + state.position[axis(opened, "belt_pulley_joint")]
    stretched = -0.9599310886 + 2.0 * 1.6580627894
    turned = opened.actuators.position(state.position)[opened.actuators.index("elbow_motor")]
    assert turned == pytest.approx(20.0 * (pulley - stretched), abs=1e-9)


@pytest.mark.parametrize("name", ["wrist", "belt_arm"])
def test_power_of_the_motors_is_power_of_the_joints_over_ten_seconds(name: str) -> None:
    """Efforts are constant over a step, so what a motor does is its effort times the way that it goes; the ledger
    integrates τ·q̇. Springs between the motors and their start keep the arm off its stops, at which a step ends where
    it would not have gone."""
    opened, engine = opened_world(name)
    hold = {"wrist": (-0.01635, -0.01635), "belt_arm": (0.0545, 0.0180)}[name]
    motor_work = turned_over = 0.0
    state = engine.snapshot()
    start = opened.actuators.position(state.position)
    for step in range(10_000):
        swing = 2e-2 * math.sin(4.0 * step * engine.dt)
        efforts = np.array(hold) + np.array([swing, -swing]) - 2e-4 * opened.actuators.velocity(state.velocity)
        efforts -= 3e-3 * (opened.actuators.position(state.position) - start)
        push(opened, engine, efforts)
        engine.step()
        before, state = state, engine.snapshot()
        way = opened.actuators.position(state.position) - opened.actuators.position(before.position)
        motor_work, turned_over = motor_work + float(efforts @ way), turned_over + float(np.abs(efforts * way).sum())
    assert turned_over > 1.0
    assert state.energy.work == pytest.approx(motor_work, abs=1e-9 * turned_over)
