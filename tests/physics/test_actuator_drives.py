"""Drives over time, loops, rotors and actuators, against closed forms, and power through transmissions.

Flywheels of 0.01 kg m² without gravity; a step of 1 ms. Their motions under efforts that are constant over a step are
polynomials, which the strategies integrate to round-off: 1e-12 is a thousand additions. Motors of axes get their
setpoint once a step; their motion in between is of second order in the step.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.engine.pid import Gains
from simulator.engine.rotors import rotor_inertia
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.errors import UsageError
from simulator.formats.profile_text import parse_profile
from simulator.mechanism.types import Mechanism
from simulator.model.profiles import Constant, Profile, Ramp, Sine
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.step.block import WORK_OF_DRIVE
from simulator.session.commands.factory import make_engine, remark_on
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from simulator.transmissions.actuators import Actuator, Actuators, BoundTransmission
from simulator.transmissions.differential import DifferentialTransmission
from simulator.transmissions.simple import SimpleTransmission
from tests.helpers.mechanisms import joint, link, mechanism, mimic
from tests.helpers.repository import ROOT
from tests.physics.worlds import make_steps, record_steps

DT = 1e-3
WHEEL = 0.01


def wheels(**axis: object) -> Mechanism:
    return mechanism(
        link("a"), link("b"), joint("j", "revolute", "world", "a", axis=dict(axis)),
        joint("k", "revolute", "world", "b", axis=dict(axis)),
    )  # fmt: skip


def engine_of(built: Mechanism, actuators: Actuators | None = None) -> Engine:
    added = None if actuators is None else rotor_inertia(actuators, built)
    backend = ReducedDynamics(built, dt=DT, added_inertia=added)
    return Engine(built, backend, dt=DT, actuators=actuators)


def run(engine: Engine, seconds: float) -> None:
    make_steps(engine, round(seconds / DT))


def geared(rotor: float, reduction: float = 10.0) -> Actuators:
    law = SimpleTransmission((reduction,), (1.0,), (0.0,))
    return Actuators([Actuator("motor", 0, rotor)], [BoundTransmission("t", "Simple", law, (0,), (0,))], n_axes=2)


def differential(*rotors: float) -> Actuators:
    law = DifferentialTransmission((3.0, 4.0), (1.0, 2.0), (0.0, 0.0))
    actuators = [Actuator(name, 0, rotor) for name, rotor in zip(("left", "right"), rotors, strict=True)]
    return Actuators(actuators, [BoundTransmission("t", "Differential", law, (0, 1), (0, 1))], n_axes=2)


def opened_world(name: str, *drives: str, solver: str = "reduced") -> tuple[Opened, Engine]:
    opened = open_document(ROOT / "worlds" / f"{name}.sdf")
    settings = SessionSettings(solver=solver, drives=tuple(parse_drive(text) for text in drives))
    return opened, make_engine(opened, settings)


# -- profiles on motors of axes ----------------------------------------------------------------------------------------

PROFILES = ["sine(amplitude=2,frequency=0.5)", "sine(0.5,2,offset=0.3,phase=1)", "ramp(0,1.5,0.8)", "chirp(1,0.2,2,1)"]


@pytest.mark.parametrize("text", PROFILES)
def test_a_velocity_motor_has_the_velocity_of_its_profile_at_the_end_of_every_step(text: str) -> None:
    profile, engine = parse_profile(text), engine_of(wheels())
    engine.set_drive(0, Drive(DriveKind.VELOCITY, profile))
    steps = record_steps(engine, 1000)
    wanted = [profile.value(time) for time in steps.time.tolist()]
    np.testing.assert_allclose(steps.velocity[:, 0], wanted, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("text", [*PROFILES, "table"])
def test_a_position_motor_follows_its_profile_without_lag(text: str, tmp_path: Path) -> None:
    """The approach of 20 ms would leave rate · 20 ms of lag, 0.1 rad and more. Fed with the rate, the trapezoidal rule
    is what is left: jerk · 20 ms · step² / 12, 3.3e-6 rad where the chirp is fastest (1984 rad/s³). A start or corner
    that the motor cannot follow needs 15 times the approach to be forgotten (3e-7)."""
    if text == "table":
        file = tmp_path / "motion.csv"
        file.write_text("time,hip\n0,0\n0.5,0.4\n1.5,-0.8\n", encoding="utf-8")
        text = f"@{file}#hip"
    profile, engine = parse_profile(text), engine_of(wheels())
    engine.set_drive(0, Drive(DriveKind.POSITION, profile))
    steps = record_steps(engine, 1000)
    for time, position in zip(steps.time[301:].tolist(), steps.position[301:, 0], strict=True):
        corner = (text.startswith("ramp") and time >= 0.8) or (text.startswith("@") and 0.5 <= time < 0.8)
        if not corner:
            assert position == pytest.approx(profile.value(time), abs=4e-6)


def test_a_ramp_is_followed_exactly() -> None:
    """No acceleration, no error: after 40 times the approach only round-off and e^-40 are left."""
    engine = engine_of(wheels())
    engine.set_drive(0, Drive(DriveKind.POSITION, Ramp(0.0, 1.0, 2.0)))
    run(engine, 0.8)
    assert engine.snapshot().position[0] == pytest.approx(0.4, abs=1e-12)


def test_an_effort_over_time_is_held_over_a_step() -> None:
    """The sum of a sine's values in the middles of steps, closed: sin(N x / 2)^2 / sin(x / 2)."""
    engine = engine_of(wheels())
    engine.set_drive(0, Drive(DriveKind.EFFORT, Sine(0.2, 1.5)))
    run(engine, 0.4)
    x = 2.0 * math.pi * 1.5 * DT
    total = math.sin(400 * x / 2) ** 2 / math.sin(x / 2)
    assert engine.snapshot().velocity[0] == pytest.approx(0.2 * total * DT / WHEEL, abs=1e-10)
    assert engine.snapshot().energy.work == pytest.approx(0.5 * WHEEL * engine.snapshot().velocity[0] ** 2, abs=1e-12)


def test_a_moving_target_stays_within_the_effort_limit() -> None:
    """A motor of 0.05 N m turns 0.01 kg m² at 5 rad/s² at most: after half a second 2.5 rad/s, whatever the sine asks
    for."""
    engine = engine_of(wheels(effort=0.05))
    engine.set_drive(0, Drive(DriveKind.VELOCITY, Sine(100.0, 0.5)))
    run(engine, 0.5)
    assert engine.snapshot().velocity[0] == pytest.approx(2.5, abs=1e-9)
    assert engine.snapshot().effort[0] == pytest.approx(0.05, abs=1e-12)


# -- loops -------------------------------------------------------------------------------------------------------------


def test_a_position_loop_on_a_double_integrator() -> None:
    """x'' = P (1 - x) - D x' with both poles at -w: x = 1 - (1 + w t) e^(-w t), but for (w DT)^2 / 6 because efforts
    are constant over a step: 1.7e-5 for w = 10 (`test_stiff_loops` has it for all gains)."""
    w = 10.0
    gains = Gains(WHEEL * w * w, 0.0, 2.0 * WHEEL * w)
    engine = engine_of(wheels())
    engine.set_drive(1, Drive(DriveKind.POSITION, Constant(1.0), gains))
    steps = record_steps(engine, 1000)
    wanted = 1.0 - (1.0 + w * steps.time) * np.exp(-w * steps.time)
    np.testing.assert_allclose(steps.position[:, 1], wanted, rtol=0.0, atol=1.7e-5)


def test_a_loop_of_an_axis_stays_within_the_limit_of_the_axis_and_does_not_wind_up() -> None:
    """With 0.02 N m the way of 1 rad takes 2 sqrt(0.01 / 0.02) = 1.4 s at best; the integral must not carry it far
    beyond."""
    engine = engine_of(wheels(effort=0.02))
    engine.set_drive(0, Drive(DriveKind.POSITION, Constant(1.0), Gains(0.3, 0.2, 0.08)))
    steps = record_steps(engine, 5000)
    assert np.abs(steps.effort[:, 0]).max() <= 0.02
    assert steps.position[-1, 0] == pytest.approx(1.0, abs=1e-2)
    assert steps.position[:, 0].max() < 1.3


# -- rotors ------------------------------------------------------------------------------------------------------------


def test_a_rotor_is_felt_with_the_square_of_its_gear() -> None:
    """10 turns of 2e-4 kg m² for one: 0.02 kg m² beside the wheel's 0.01. A constant effort f of the motor gives 10 f /
    0.03 rad/s², and its work is the kinetic energy of wheel and rotor."""
    engine = engine_of(wheels(), geared(2e-4))
    engine.drive_actuator(0, Drive(DriveKind.EFFORT, Constant(0.003)))
    run(engine, 1.0)
    state = engine.snapshot()
    assert state.velocity[0] == pytest.approx(1.0, abs=1e-12)
    assert state.position[0] == pytest.approx(0.5, abs=1e-12)
    assert state.actuator_effort == pytest.approx([0.003])
    assert state.energy.kinetic == pytest.approx(0.5 * 0.03, abs=1e-12)
    assert state.energy.work == pytest.approx(0.003 * 10.0 * 0.5, abs=1e-12)
    assert state.energy.error == pytest.approx(0.0, abs=1e-12)


def test_rotors_of_a_differential_tie_wheels_that_nothing_else_ties() -> None:
    """M = I + A^T J A, so q'' = M^-1 A^T f."""
    actuators = differential(1e-3, 3e-3)
    engine = engine_of(wheels(), actuators)
    efforts = np.array([0.02, -0.05])
    for index, effort in enumerate(efforts.tolist()):
        engine.drive_actuator(index, Drive(DriveKind.EFFORT, Constant(effort)))
    run(engine, 0.5)
    M = WHEEL * np.eye(2) + actuators.reflected_inertia()
    assert abs(M[0, 1]) > 0.02
    expected = 0.5 * np.linalg.solve(M, actuators.matrix.T @ efforts)
    assert engine.snapshot().velocity == pytest.approx(expected, abs=1e-12)
    assert engine.snapshot().energy.error == pytest.approx(0.0, abs=1e-12)


def test_added_inertia_goes_through_couplings_and_beside_ball_joints() -> None:
    """H = G^T (M + I) G against the same without: the difference is G^T I G with G read off the couplings, in the order
    of H."""
    built = mechanism(
        link("a"), link("b"), link("c"), link("d"), joint("i", "revolute", "world", "a"),
        joint("j", "revolute", "a", "b"),
        joint("k", "revolute", "world", "c", axis={"mimic": mimic("j", multiplier=-2.0)}),
        joint("o", "ball", "world", "d"),
    )  # fmt: skip
    added = np.array([[0.3, 0.1, 0.2], [0.1, 0.5, -0.1], [0.2, -0.1, 0.7]])
    plain, heavy = CompiledMechanism(built), CompiledMechanism(built, added_inertia=added)
    G = np.array([heavy.parts.spread(unit) for unit in np.eye(len(heavy.mass_matrix()))]).T
    rows = G[heavy.parts.tree.freedom_of_axis]
    assert [heavy.parts.independent_freedom.tolist()] == [plain.parts.independent_freedom.tolist()]
    assert heavy.mass_matrix() - plain.mass_matrix() == pytest.approx(rows.T @ added @ rows, abs=1e-15)
    heavy.set_efforts(np.array([0.1, 0.2, 0.3]))
    factored = G @ np.linalg.solve(heavy.mass_matrix(), rows.T @ np.array([0.1, 0.2, 0.3]))
    moved = heavy.acceleration() - _still(heavy)
    assert moved == pytest.approx(factored[heavy.parts.tree.freedom_of_axis], abs=1e-12)


def _still(model: CompiledMechanism) -> np.ndarray:
    """Acceleration without efforts; they are put back to zero."""
    model.set_efforts(np.zeros(3))
    return model.acceleration()


# -- actuators ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "profile", "after"),
    [
        (DriveKind.POSITION, Constant(4.0), (4.0, 0.0)),
        (DriveKind.POSITION, Ramp(0.0, 4.0, 4.0), (1.5, 1.0)),
        (DriveKind.VELOCITY, Constant(3.0), (None, 3.0)),
    ],
)
@pytest.mark.parametrize("rotor", [0.0, 2e-4])
def test_without_gains_a_loop_is_made_for_what_the_actuator_feels(
    kind: DriveKind, profile: Profile, after: tuple[float | None, float], rotor: float
) -> None:
    """All poles at -1 / 20 ms: after 1.5 s, 75 of these, all is there, with round-off left."""
    engine = engine_of(wheels(), geared(rotor))
    engine.drive_actuator(0, Drive(kind, profile))
    run(engine, 1.5)
    state, a = engine.snapshot(), engine.actuation.actuators
    position, velocity = a.position(state.position)[0], a.velocity(state.velocity)[0]
    assert velocity == pytest.approx(after[1], abs=1e-9)
    if after[0] is not None:
        assert position == pytest.approx(after[0], abs=1e-9)


def test_an_actuator_of_an_axis_that_takes_no_effort_is_refused_by_name() -> None:
    """No loop can be made for it; an effort may be commanded, and does nothing."""
    engine = engine_of(wheels(effort=0.0), geared(2e-4))
    with pytest.raises(UsageError, match="actuator 'motor' cannot move anything here; drive another one"):
        engine.drive_actuator(0, Drive(DriveKind.POSITION, Constant(1.0)))
    engine.drive_actuator(0, Drive(DriveKind.EFFORT, Constant(1.0)))
    run(engine, 0.1)
    assert not engine.snapshot().velocity.any()


def test_actuators_together_stay_within_the_limit_of_an_axis() -> None:
    """Both push joint 1 with 3 · 0.1 + 4 · 0.1 of its 0.35 N m: half of each is given, and joint 2 gets half as
    well."""
    engine = engine_of(wheels(effort=0.35), differential(0.0, 0.0))
    for index in (0, 1):
        engine.drive_actuator(index, Drive(DriveKind.EFFORT, Constant(0.1)))
    run(engine, 0.01)
    state = engine.snapshot()
    assert state.actuator_effort == pytest.approx([0.05, 0.05])
    assert state.effort == pytest.approx([0.35, 3 * 2 * 0.05 - 4 * 2 * 0.05])


def test_a_drive_that_cannot_be_leaves_the_old_one() -> None:
    engine = engine_of(wheels(), geared(0.0))
    good = Drive(DriveKind.EFFORT, Constant(0.1))
    engine.drive_actuator(0, good)
    with pytest.raises(UsageError, match="a velocity loop has p and i"):
        engine.drive_actuator(0, Drive(DriveKind.VELOCITY, Constant(1.0), Gains(1.0, 0.0, 1.0)))
    with pytest.raises(UsageError, match="there is no actuator 1; the world has 1"):
        engine.drive_actuator(1, good)
    assert engine.actuation.actuator_drives == {0: good}
    engine.drive_actuator(0, None)
    run(engine, 0.01)
    assert engine.snapshot().velocity[0] == 0.0


def test_a_reset_makes_the_same_run_again() -> None:
    engine = engine_of(wheels(), geared(1e-4))
    engine.drive_actuator(0, Drive(DriveKind.POSITION, Sine(2.0, 1.0)))
    engine.set_drive(1, Drive(DriveKind.POSITION, Sine(2.0, 1.0), Gains(1.0, 1.0, 0.1)))
    run(engine, 0.3)
    first = engine.snapshot()
    engine.reset()
    run(engine, 0.3)
    assert np.array_equal(engine.snapshot().position, first.position)
    assert np.array_equal(engine.snapshot().actuator_effort, first.actuator_effort)


# -- worlds ------------------------------------------------------------------------------------------------------------

SWINGS = {
    "wrist": (
        "actuator/right_motor=position:sine(amplitude=8,frequency=0.5)",
        "actuator/left_motor=velocity:chirp(6,0.3,1.2,2)",
    ),
    "belt_arm": (
        "actuator/shoulder_motor=position:sine(amplitude=6,frequency=0.5,offset=47.9966)",
        "actuator/elbow_motor=position:chirp(4,0.3,1.2,2,offset=-47.1239)",
    ),
}


@pytest.mark.parametrize("solver", ["reduced", "rows"])
@pytest.mark.parametrize("name", sorted(SWINGS))
def test_power_of_actuators_is_power_of_joints_in_the_ledger(name: str, solver: str) -> None:
    """A motor's effort is constant over a step, so its work, as summed up for each drive, is that effort times way; the
    ledger integrates tau · q'. The drives keep off the
    stops, at which a step ends where it would not have gone. Two seconds here; over ten (`python -m
    tests.physics.test_actuator_drives`) it is as close. 1e-6 for the ledger as a whole: what the integration of the
    motion leaves."""
    opened, engine = opened_world(name, *SWINGS[name], solver=solver)
    apart, turned_over = works_apart(opened, engine, 2.0)
    assert turned_over > 0.5
    assert apart < 1e-9 * turned_over
    assert engine.snapshot().energy.error == pytest.approx(0.0, abs=1e-6 * turned_over)


def works_apart(opened: Opened, engine: Engine, seconds: float) -> tuple[float, float]:
    """How far the work of the actuators and that of the ledger come apart, and what the actuators turned over [J]."""
    a, begin = opened.actuators, engine.snapshot().position
    steps = record_steps(engine, round(seconds / engine.dt))
    places = np.array([a.position(position) for position in (begin, *steps.position)])
    turned_over = float(np.abs(steps.actuator_effort * np.diff(places, axis=0)).sum())
    wanted = [a.axis_effort(effort) for effort in steps.actuator_effort]
    np.testing.assert_allclose(steps.effort, wanted, rtol=0.0, atol=1e-12)
    work = float(engine.efforts_log.tally[len(begin) :, WORK_OF_DRIVE].sum())
    return abs(engine.snapshot().energy.work - work), turned_over


@pytest.mark.parametrize("solver", ["reduced", "rows", "gear"])
def test_the_motors_of_the_wrist_hold_and_turn_the_hand(solver: str) -> None:
    """right = 24 (pitch + roll), left = 24 (pitch - roll): 12 and -4.8 are 0.15 and 0.35. The integral takes the hand's
    weight, 0.7848 cos(0.15) / 48 of each motor; 1.5 s are 75 time constants of the loops. Gear rows of Bullet leave
    more than ours."""
    opened, engine = opened_world(
        "wrist", "actuator/right_motor=position:12", "actuator/left_motor=position:-4.8", solver=solver
    )
    run(engine, 1.5)
    state = engine.snapshot()
    wanted = {"pitch_joint": 0.15, "roll_joint": 0.35}
    near = 1e-3 if solver == "gear" else 1e-6
    for name, value in wanted.items():
        axis = opened.mechanism.axis_index(name)
        assert axis is not None
        assert state.position[axis] == pytest.approx(value, abs=near)
    weight = -0.7848 * math.cos(0.15) / 48.0
    assert state.actuator_effort == pytest.approx([weight, weight], abs=near)
    said = "strategy gear leaves out the inertia of rotors"
    assert (said in remark_on(opened, solver)) is (solver == "gear")


def test_a_follower_is_refused_with_its_law() -> None:
    with pytest.raises(UsageError, match=r"cannot be driven: wrist::right_gear_joint = wrist::roll_joint; drive"):
        opened_world("wrist", "right_gear_joint=velocity:sine(1,1)")


if __name__ == "__main__":
    for world, drives in SWINGS.items():
        for strategy in ("reduced", "rows"):
            print(world, strategy, *works_apart(*opened_world(world, *drives, solver=strategy), 10.0))
