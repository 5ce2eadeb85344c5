"""Commands over time on masses that do not know each other, and on the motors of a differential."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.engine.commanded import Commanded, default_gains
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.pid import Gains, position_gains, velocity_gains
from simulator.errors import UsageError
from simulator.model.profiles import Constant, Ramp, Sine, Step
from simulator.transmissions.actuators import Actuator, Actuators, BoundTransmission
from simulator.transmissions.differential import DifferentialTransmission

MASSES = np.array([0.5, 2.0, 4.0])
DT = 1e-3


def moved(commanded: Commanded, seconds: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities and last efforts of three free masses, each advanced exactly under a constant effort."""
    x, v, u = np.zeros(3), np.zeros(3), np.zeros(3)
    for step in range(round(seconds / DT)):
        u = commanded.efforts(step * DT, x, v, DT)
        x, v = x + v * DT + 0.5 * u / MASSES * DT**2, v + u / MASSES * DT
    return x, v, u


def test_each_coordinate_follows_its_own_command() -> None:
    """Effort: v = ∫ a dt of a sine. Velocity and position after 40 time constants: exactly there (a ramp without
    lag)."""
    commanded = Commanded()
    commanded.set(0, Drive(DriveKind.EFFORT, Sine(0.3, 0.5)))
    commanded.set(1, Drive(DriveKind.VELOCITY, Constant(2.0), velocity_gains(2.0, 0.02)))
    commanded.set(2, Drive(DriveKind.POSITION, Ramp(0.0, 1.0, 4.0), position_gains(4.0, 0.02)))
    x, v, _ = moved(commanded, 1.0)
    # Held over a step the sine is taken at its start; over a half turn these errors cancel to second order in DT.
    assert v[0] == pytest.approx(0.3 / 0.5 * 2.0 / math.pi, rel=1e-5)
    assert v[1] == pytest.approx(2.0, abs=1e-9)
    assert (x[2], v[2]) == pytest.approx((0.25, 0.25), abs=1e-9)


def test_a_coordinate_without_a_drive_gets_no_effort_and_is_not_looked_at() -> None:
    commanded = Commanded()
    commanded.set(1, Drive(DriveKind.EFFORT, Constant(3.0)))
    commanded.set(2, Drive(DriveKind.EFFORT, Constant(3.0)))
    commanded.set(2, None)
    nan = math.nan
    assert commanded.efforts(0.0, np.array([nan, 0.0, nan]), np.array([nan, 0.0, nan]), DT) == pytest.approx([0, 3, 0])
    assert set(commanded.drives) == {1}


def test_a_reset_makes_the_same_run_again() -> None:
    commanded = Commanded()
    commanded.set(2, Drive(DriveKind.POSITION, Step(0.0, 1.0, 0.1), position_gains(4.0, 0.05)))
    first = moved(commanded, 0.3)
    assert not np.array_equal(moved(commanded, 0.3)[0], first[0])
    commanded.reset()
    assert np.array_equal(moved(commanded, 0.3)[0], first[0])


def test_motors_of_a_differential_are_driven_where_they_are() -> None:
    """Inertias 0.02 and 0.03 kg m² behind a differential of 10, rotors of 1e-5: a motor that goes forward at 6 rad/s
    while the other one is held turns both joints at 6 / (2 · 10). The rotors' inertia is added to that of the
    joints."""
    law = DifferentialTransmission((10.0, 10.0), (1.0, 1.0), (0.0, 0.0))
    pair = [Actuator("right", 0, 1e-5), Actuator("left", 0, 1e-5)]
    actuators = Actuators(pair, [BoundTransmission("t", "p", law, (0, 1), (0, 1))], n_axes=2)
    inertia = np.diag([0.02, 0.03]) + actuators.reflected_inertia()
    felt = 1.0 / np.diag(actuators.matrix @ np.linalg.inv(inertia) @ actuators.matrix.T)
    commanded = Commanded()
    for index, (kind, wanted) in enumerate(((DriveKind.VELOCITY, 6.0), (DriveKind.POSITION, 0.0))):
        gains = default_gains(kind, float(felt[index]), 0.02, 5.0)
        commanded.set(index, Drive(kind, Constant(wanted), gains))
    q, qd, work = np.zeros(2), np.zeros(2), 0.0
    for step in range(2000):
        f = commanded.efforts(step * DT, actuators.position(q), actuators.velocity(qd), DT)
        a = np.linalg.solve(inertia, actuators.axis_effort(f))
        way = qd * DT + 0.5 * a * DT**2
        work += float(f @ actuators.velocity(way))
        q, qd = q + way, qd + a * DT
    assert qd == pytest.approx([0.3, 0.3], abs=1e-6)
    assert actuators.position(q)[1] == pytest.approx(0.0, abs=1e-6)
    joints = 0.5 * float(qd @ np.diag([0.02, 0.03]) @ qd)
    assert work == pytest.approx(joints + actuators.kinetic_energy(qd), rel=1e-9)


def test_gains_belong_to_positions_and_velocities() -> None:
    assert default_gains(DriveKind.EFFORT, 1.0, 0.1, 5.0) is None
    assert default_gains(DriveKind.POSITION, 1.0, 0.1, 5.0) == position_gains(1.0, 0.1, limit=5.0)
    commanded = Commanded()
    with pytest.raises(UsageError, match="a loop for a velocity needs gains"):
        commanded.set(0, Drive(DriveKind.VELOCITY, Constant(1.0)))
    assert commanded.drives == {}
    with pytest.raises(UsageError, match="an effort needs no loop"):
        Drive(DriveKind.EFFORT, Constant(1.0), Gains(1.0))
    with pytest.raises(UsageError, match="a velocity loop has p and i; d would need the acceleration"):
        Drive(DriveKind.VELOCITY, Constant(1.0), Gains(1.0, derivative=1.0))


def test_the_effort_of_a_position_loop_knows_how_fast_its_profile_moves() -> None:
    """d alone, of a ramp at 0.5 rad/s: 6 (0.5 - v), also where the mass is at the right place."""
    commanded = Commanded()
    commanded.set(0, Drive(DriveKind.POSITION, Ramp(0.0, 1.0, 2.0), Gains(0.0, 0.0, 6.0)))
    x, v = np.array([0.5, 0.0, 0.0]), np.array([0.2, 0.0, 0.0])
    assert commanded.efforts(1.0, x, v, DT)[0] == pytest.approx(6.0 * (0.5 - 0.2), rel=1e-12)
