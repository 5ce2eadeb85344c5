"""What axes and actuators are told over a block of steps, as the arrays that compiled code takes; the same numbers that one step gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.dynamics.compiled import block
from simulator.engine.drives import DriveKind
from simulator.engine.profiles import Constant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.dynamics.compiled.bounded import BoundedMechanism
    from simulator.engine.actuation import Actuation, Following
    from simulator.engine.drives import Setpoint

    Array = NDArray[np.float64]
    Motor = tuple[float, float]


def orders_of(
    actuation: Actuation,
    setpoints: Mapping[int, Setpoint],
    bounded: BoundedMechanism,
    motor_numbers: Callable[[int, Setpoint], Motor],
    *,
    effort_limit: Array,
    span: block.Span,
    dt: float,
) -> block.Orders:
    """Orders for steps of `dt` [s]. `setpoints`: what axes are told now; `motor_numbers` gives what an axis' motor
    row is told besides its largest effort. Motors and servos have their rows in `bounded` already."""
    times = [step * dt for step in range(span.first, span.first + max(span.steps, 1))]
    pushes = _pushes(actuation, times)
    efforts = _efforts(actuation, setpoints, times, dt, effort_limit) + _told(pushes, actuation.actuators.matrix)
    lines, motors = _motors(actuation, bounded, motor_numbers, times, dt)
    following, count = actuation.following(), len(actuation.actuators)
    return block.Orders(
        efforts=efforts,
        motor_line=np.array(lines, dtype=np.int64),
        motors=motors,
        servo_line=np.array(bounded.servo_lines, dtype=np.int64),
        **_servos(following),
        servo_asked=_asked(following, times, dt),
        pushes=pushes,
        matrix=np.array(actuation.actuators.matrix, dtype=float),
        effort_limit=np.array(effort_limit, dtype=float),
        actuator_effort=np.array(actuation.effort, dtype=float),
        line_axis=bounded.line_axis,
        asked=np.zeros(count),
        most=np.zeros(count),
        left=np.zeros(len(effort_limit)),
    )


def _servos(following: Sequence[Following]) -> dict[str, Any]:
    """What does not change from step to step, and the integrals."""
    terms = [term for loop in following for term in loop.terms]
    gains = [(g.proportional, g.integral, g.derivative, g.limit) for g in (loop.gains for loop in following)]
    return {
        "servo_start": np.cumsum([0, *(len(loop.terms) for loop in following)], dtype=np.int64),
        "servo_axis": np.array([axis for axis, _ in terms], dtype=np.int64),
        "servo_factor": np.array([factor for _, factor in terms], dtype=float),
        "servo_constant": np.array([loop.constant for loop in following], dtype=float),
        "servo_kind": np.array([_kind(loop.kind) for loop in following], dtype=np.int64),
        "servo_gains": np.array(gains, dtype=float).reshape(-1, 4),
        "servo_actuator": np.array([loop.actuator for loop in following], dtype=np.int64),
        "servo_stored": np.array([loop.stored for loop in following], dtype=float),
        "servo_error": np.zeros(len(following)),
    }


def _kind(kind: DriveKind) -> int:
    return block.POSITION if kind is DriveKind.POSITION else block.VELOCITY


def _told(pushes: Array, matrix: Array) -> Array:
    told: Array = pushes @ matrix
    return told


def _pushes(actuation: Actuation, times: Sequence[float]) -> Array:
    """Efforts of actuators that are commanded efforts, within the limits of the axes, shape (steps or 1, n_actuators)."""
    profiles = actuation.pushing()
    constant = all(isinstance(profile, Constant) for profile in profiles.values())
    return np.array([actuation.pushes(time) for time in (times[:1] if constant else times)], dtype=float)


def _efforts(
    actuation: Actuation, setpoints: Mapping[int, Setpoint], times: Sequence[float], dt: float, limit: Array
) -> Array:
    """Efforts of effort drives, within the limits, shape (steps or 1, n_axes)."""
    over_time = {axis: drive for axis, drive in actuation.over_time.items() if drive.kind is DriveKind.EFFORT}
    changing = any(not isinstance(drive.profile, Constant) for drive in over_time.values())
    efforts = np.zeros((len(times) if changing else 1, len(limit)))
    for axis, setpoint in setpoints.items():
        if setpoint.kind is DriveKind.EFFORT:
            efforts[:, axis] = setpoint.value
    for axis, drive in over_time.items():
        efforts[:, axis] = [drive.at(time, dt).value for time in times[: len(efforts)]]
    return np.clip(efforts, -limit, limit)


def _motors(
    actuation: Actuation,
    bounded: BoundedMechanism,
    numbers: Callable[[int, Setpoint], Motor],
    times: Sequence[float],
    dt: float,
) -> tuple[list[int], Array]:
    """Lines of motors whose numbers change over time, and the numbers, shape (steps or 1, n_motors, 2)."""
    over_time = {
        axis: drive
        for axis, drive in actuation.over_time.items()
        if drive.kind is not DriveKind.EFFORT and drive.gains is None and axis in bounded.motor_lines
    }
    told = [[numbers(axis, drive.at(time, dt)) for time in times] for axis, drive in over_time.items()]
    if not told:
        return [], np.zeros((1, 0, 2))
    return [bounded.motor_lines[axis] for axis in over_time], np.array(told).transpose(1, 0, 2).copy()


def _asked(following: Sequence[Following], times: Sequence[float], dt: float) -> Array:
    """What loops follow: the value, and its rates at the start and the end of a step, shape (steps or 1, n_servos, 3)."""
    if all(isinstance(loop.profile, Constant) for loop in following):
        times = times[:1]
    asked = np.zeros((len(times), len(following), 3))
    for j, loop in enumerate(following):
        rate = loop.profile.rate if loop.kind is DriveKind.POSITION else loop.profile.value
        asked[:, j] = [(loop.profile.value(time), rate(time), rate(time + dt)) for time in times]
    return asked
