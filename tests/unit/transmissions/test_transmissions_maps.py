"""Transmissions against the numbers of ros2_control's own tests (`transmission_interface/test`), and against the laws
of a linear map.

The tolerance of 1e-5 is the one those tests have. Power is conserved to round-off: every product of the maps is rounded
once or twice, so 1e-12 of the sum of the powers' magnitudes leaves room for some thousand roundings.
"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.errors import UnknownNameError, UsageError
from simulator.transmissions.base import Transmission
from simulator.transmissions.binding import BUILT_IN, kind_named
from simulator.transmissions.differential import DifferentialTransmission
from simulator.transmissions.four_bar_linkage import FourBarLinkageTransmission
from simulator.transmissions.simple import SimpleTransmission

ROS2_TOLERANCE = 1e-5
KINDS = (SimpleTransmission, DifferentialTransmission, FourBarLinkageTransmission)

differential = DifferentialTransmission((10.0, 10.0), (2.0, 2.0), (0.0, 0.0))
mixed_differential = DifferentialTransmission((10.0, -20.0), (-2.0, 4.0), (-2.0, 4.0))
linkage = FourBarLinkageTransmission((10.0, 10.0), (2.0, 2.0), (0.0, 0.0))
mixed_linkage = FourBarLinkageTransmission((10.0, -20.0), (-2.0, 4.0), (-2.0, 4.0))

TABLE = [
    (SimpleTransmission((10.0,), (1.0,), (1.0,)), (1,), (10,), (0.1,), (1.1,)),
    (SimpleTransmission((1.0,), (-10.0,), (1.0,)), (1,), (-10,), (-0.1,), (0.9,)),
    (differential, (10, 10), (400, 0), (0.5, 0), (0.5, 0)),
    (differential, (10, -10), (0, 400), (0, 0.5), (0, 0.5)),
    (mixed_differential, (3, 5), (140, 520), (-0.0125, 0.06875), (-2.0125, 4.06875)),
    (linkage, (5, 10), (200, 200), None, None),
    (linkage, (10, 5), None, (0.5, 0), (0.5, 0)),
    (linkage, (0, 10), (100, 200), (0, 0.5), (0, 0.5)),
    (mixed_linkage, (3, 5), (-160, -400), (-0.15, -0.025), (-2.15, 3.975)),
]


@pytest.mark.parametrize(("law", "given", "effort", "velocity", "position"), TABLE)
def test_the_table_of_ros2_control(law, given, effort, velocity, position) -> None:
    maps = ((law.joint_effort, effort), (law.joint_velocity, velocity), (law.joint_position, position))
    for to_joint, expected in maps:
        if expected is not None:
            assert to_joint(given) == pytest.approx(expected, abs=ROS2_TOLERANCE)
    back = ((law.actuator_effort, effort), (law.actuator_velocity, velocity), (law.actuator_position, position))
    for to_actuator, joints in back:
        if joints is not None:
            assert to_actuator(joints) == pytest.approx(given, abs=ROS2_TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_nothing_out_but_the_offset(kind: type[Transmission]) -> None:
    count = len(kind.JOINTS)
    law = kind((50.0, -50.0)[:count], (2.0, -2.0)[:count], (0.5, -0.5)[:count])
    nothing = np.zeros(count)
    assert law.joint_effort(nothing) == pytest.approx(nothing)
    assert law.joint_velocity(nothing) == pytest.approx(nothing)
    assert law.joint_position(nothing) == pytest.approx(law.joint_offsets)
    assert law.actuator_position(law.joint_offsets) == pytest.approx(nothing)


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back_a_hundred_times_a_hundred(kind: type[Transmission]) -> None:
    for law, inputs in random_cases(kind, seed=1):
        assert law.actuator_effort(law.joint_effort(inputs)) == pytest.approx(inputs, abs=ROS2_TOLERANCE)
        assert law.actuator_velocity(law.joint_velocity(inputs)) == pytest.approx(inputs, abs=ROS2_TOLERANCE)
        assert law.actuator_position(law.joint_position(inputs)) == pytest.approx(inputs, abs=ROS2_TOLERANCE)
        assert law.joint_position(law.actuator_position(inputs)) == pytest.approx(inputs, abs=ROS2_TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_power_in_is_power_out(kind: type[Transmission]) -> None:
    rng = np.random.default_rng(2)
    for law, velocity in random_cases(kind, seed=3):
        effort = rng.uniform(-1000.0, 1000.0, velocity.shape)
        at_actuators = effort * velocity
        at_joints = law.joint_effort(effort) * law.joint_velocity(velocity)
        scale = np.abs(at_actuators).sum(axis=1) + np.abs(at_joints).sum(axis=1)
        assert (np.abs(at_actuators.sum(axis=1) - at_joints.sum(axis=1)) <= 1e-12 * scale).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_closed_inverse_is_the_inverse(kind: type[Transmission]) -> None:
    for law, _ in random_cases(kind, seed=4):
        scaled = law.inverse() @ law.matrix()
        assert scaled == pytest.approx(np.eye(len(kind.JOINTS)), abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [0.0, float("nan"), float("inf")])
def test_impossible_reductions_are_refused(kind: type[Transmission], bad: float) -> None:
    good = (2.0,) * len(kind.JOINTS)
    for reductions in ((bad, *good[1:]), (*good[:-1], bad)):
        with pytest.raises(UsageError, match="finite and not zero"):
            kind(reductions, good, good)
        with pytest.raises(UsageError, match="finite and not zero"):
            kind(good, reductions, good)


def test_wrong_numbers_of_values_are_refused() -> None:
    with pytest.raises(UsageError, match="2 actuator reductions are needed"):
        DifferentialTransmission((1.0,), (1.0, 1.0), (0.0, 0.0))
    with pytest.raises(UsageError, match="2 joint offsets are needed"):
        DifferentialTransmission((1.0, 1.0), (1.0, 1.0), (0.0,))
    with pytest.raises(UsageError, match="finite number, not nan"):
        SimpleTransmission((1.0,), (1.0,), (float("nan"),))
    with pytest.raises(UsageError, match=r"2 actuator values are needed.*\(3,\)"):
        differential.joint_effort([1.0, 2.0, 3.0])
    with pytest.raises(UsageError, match="2 joint values are needed"):
        differential.actuator_velocity([1.0])


def test_kinds_are_found_by_their_names() -> None:
    for name, kind in BUILT_IN.items():
        assert kind_named(name) is kind
        assert kind_named(name.removeprefix("transmission_interface/")) is kind
    with pytest.raises(UnknownNameError, match="Available: transmission_interface/DifferentialTransmission"):
        kind_named("transmission_interface/CycloidalTransmission")


def random_cases(kind: type[Transmission], *, seed: int):
    """100 transmissions with reductions and offsets of ±1000 (zero left out), and 100 inputs of ±1000 for each."""
    rng = np.random.default_rng(seed)
    count = len(kind.JOINTS)
    for _ in range(100):
        reductions = rng.uniform(1.0, 1000.0, (2, count)) * rng.choice([-1.0, 1.0], (2, count))
        offsets = rng.uniform(-1000.0, 1000.0, count)
        yield (
            kind(tuple(reductions[0]), tuple(reductions[1]), tuple(offsets)),
            rng.uniform(-1000.0, 1000.0, (100, count)),
        )
