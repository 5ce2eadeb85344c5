"""Commands to axes and actuators over a block of steps, as the arrays that compiled code takes; the same numbers
as for one step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.model.profiles import Constant, rates_of, values_of
from simulator.physics.step import block

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.engine.actuation import Actuation, Following
    from simulator.engine.drives import Drive, Setpoint
    from simulator.engine.effort_log import EffortLog
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array, Ints

    MotorNumbers = Callable[[int, Drive, Array, float], Array]


class _Servos(TypedDict):
    """Entries of `Orders` about servos."""

    servo_start: Ints
    servo_axis: Ints
    servo_factor: Array
    servo_constant: Array
    servo_kind: Ints
    servo_gains: Array
    servo_actuator: Ints
    servo_stored: Array
    servo_begun: Array


class _Room(TypedDict):
    """Entries of `Orders` that kernels work in."""

    asked: Array
    most: Array
    left: Array
    moved: Array
    means: Array
    ends: Array


def orders_of(
    actuation: Actuation,
    setpoints: Mapping[int, Setpoint],
    bounded: BoundedMechanism,
    motor_numbers: MotorNumbers,
    *,
    effort_limit: Array,
    log: EffortLog,
    span: block.Span,
    dt: float,
) -> block.Orders:
    """Orders for steps of `dt` [s]. `setpoints`: what axes are given now; `motor_numbers` gives what an axis' motor
    row is given besides its largest effort, see `Motors.numbers_over`. Motors and servos have their rows in `bounded`
    already."""
    times = dt * np.arange(span.first, span.first + max(span.steps, 1), dtype=np.float64)
    middles = times + 0.5 * dt
    ends = times + dt
    pushes, pushes_after = _pushes(actuation, middles), _pushes(actuation, ends)
    on_axes = actuation.actuators.axis_effort
    commanded = partial(_efforts, actuation, setpoints, limit=effort_limit)
    lines, motors = _motors(actuation, bounded, motor_numbers, times, dt)
    following = actuation.following()
    return block.Orders(
        begin=np.array([span.first], dtype=np.int64),
        efforts=commanded(middles) + on_axes(pushes),
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
        **_room(len(actuation.actuators), len(effort_limit)),
        efforts_after=commanded(ends) + on_axes(pushes_after),
        pushes_after=pushes_after,
        trend=log.trend,
        tally=log.tally,
    )


def _room(actuators: int, axes: int) -> _Room:
    return {
        "asked": np.zeros(actuators),
        "most": np.zeros(actuators),
        "left": np.zeros(axes),
        "moved": np.zeros(axes + actuators),
        "means": np.zeros(axes + actuators),
        "ends": np.zeros(axes + actuators),
    }


def _servos(following: Sequence[Following]) -> _Servos:
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
        "servo_begun": np.zeros((len(following), 2)),
    }


def _kind(kind: DriveKind) -> int:
    return block.POSITION if kind is DriveKind.POSITION else block.VELOCITY


def _pushes(actuation: Actuation, times: Array) -> Array:
    """Efforts of actuators that are commanded efforts, within the limits of the axes, shape (steps or 1,
    n_actuators)."""
    profiles = actuation.pushing()
    constant = all(isinstance(profile, Constant) for profile in profiles.values())
    return np.array([actuation.pushes(time) for time in (times[:1] if constant else times).tolist()], dtype=float)


def _efforts(actuation: Actuation, setpoints: Mapping[int, Setpoint], times: Array, limit: Array) -> Array:
    """Efforts of effort drives, within the limits, shape (steps or 1, n_axes)."""
    over_time = {axis: drive for axis, drive in actuation.over_time.items() if drive.kind is DriveKind.EFFORT}
    changing = any(not isinstance(drive.profile, Constant) for drive in over_time.values())
    efforts = np.tile(pushed(setpoints, limit), (len(times) if changing else 1, 1))
    for axis, drive in over_time.items():
        held = drive.gains is not None
        efforts[:, axis] = 0.0 if held else values_of(drive.profile, times[: len(efforts)])
    return np.clip(efforts, -limit, limit)


def pushed(setpoints: Mapping[int, Setpoint], limit: Array) -> Array:
    """Efforts that axes are given now, within the limits, shape (n_axes,)."""
    efforts = np.zeros(len(limit))
    for axis, setpoint in setpoints.items():
        if setpoint.kind is DriveKind.EFFORT:
            most = limit[axis]
            efforts[axis] = min(max(setpoint.value, -most), most)
    return efforts


def _motors(
    actuation: Actuation, bounded: BoundedMechanism, numbers: MotorNumbers, times: Array, dt: float
) -> tuple[list[int], Array]:
    """Lines of motors whose numbers change over time, and the numbers, shape (steps or 1, n_motors, 2)."""
    over_time = {
        axis: drive
        for axis, drive in actuation.over_time.items()
        if drive.kind is not DriveKind.EFFORT and drive.gains is None and axis in bounded.motor_lines
    }
    told = [numbers(axis, drive, times, dt) for axis, drive in over_time.items()]
    if not told:
        return [], np.zeros((1, 0, 2))
    return [bounded.motor_lines[axis] for axis in over_time], np.stack(told, axis=1)


def _asked(following: Sequence[Following], times: Array, dt: float) -> Array:
    """What loops follow: the value, its rates at the start and the end of a step, and the value at the end, shape
    (steps or 1, n_servos, 4)."""
    if all(isinstance(loop.profile, Constant) for loop in following):
        times = times[:1]
    asked = np.zeros((len(times), len(following), 4))
    for j, loop in enumerate(following):
        profile = loop.profile
        rates = rates_of if loop.kind is DriveKind.POSITION else values_of
        asked[:, j, 0], asked[:, j, 3] = values_of(profile, times), values_of(profile, times + dt)
        asked[:, j, 1], asked[:, j, 2] = rates(profile, times), rates(profile, times + dt)
    return asked
