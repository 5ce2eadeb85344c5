"""Commands of drives for a step: targets of motors of axes, efforts of loops, and efforts of actuators on the axes.

An actuator is driven in its own coordinate: its drive sees x = A q + c and ẋ = A q̇ and gives an effort f; the axes get
τ = Aᵀ f on top of their own drives, so that f·ẋ = τ·q̇ (`transmissions.actuators`). Together the actuators never push
an axis beyond its effort limit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.commanded import Commanded, default_gains
from simulator.engine.drives import POSITION_DRIVE_TIME, Drive, DriveKind, Setpoint
from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.engine.pid import Gains
    from simulator.engine.port import BackendState
    from simulator.model.profiles import Profile
    from simulator.physics.impact.lines import Servo
    from simulator.spatial.arrays import Array
    from simulator.transmissions.actuators import Actuators

    Terms = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Following:
    """A loop that holds x = Σ factor · position of an axis + `constant` to a profile. `terms`: (axis, factor);
    `stored`: ∫e dt; `actuator`: its index, -1 for a loop of an axis."""

    kind: DriveKind
    profile: Profile
    gains: Gains
    terms: Terms
    constant: float
    stored: float
    actuator: int = -1


class Actuation:
    """Drives of axes and of actuators. `effort`: of every actuator over the last step, shape (n_actuators,).
    `has_new_drives`: whether an actuator has been given a drive since `asked_anew` was called last. `revision` counts
    changes of drives that are evaluated in each step: those over time, of loops and of actuators."""

    def __init__(self, actuators: Actuators, effort_limit: Array) -> None:
        """`effort_limit`: of the axes, shape (n_axes,), finite."""
        self.actuators = actuators
        self.effort: Array = np.zeros(len(actuators))
        self._limit = effort_limit
        self._drives: dict[int, Drive] = {}
        self._with_motor: dict[int, Drive] = {}
        self._over_time: dict[int, Drive] = {}
        self._loops, self._pushing = Commanded(), Commanded()
        self._driven: dict[int, Drive] = {}
        self._of_axes: dict[int, Servo] = {}
        self._of_actuators: dict[int, Servo] = {}
        self.has_new_drives = False
        self.revision = 0

    @property
    def axis_drives(self) -> dict[int, Drive]:
        """Drives of axes, by index; a copy."""
        return dict(self._drives)

    @property
    def with_motor(self) -> Mapping[int, Drive]:
        """Those of them that the motor of the axis follows, not a loop."""
        return self._with_motor

    @property
    def over_time(self) -> dict[int, Drive]:
        """Those of them that change over time or have a loop; a copy."""
        return dict(self._over_time)

    @property
    def actuator_drives(self) -> dict[int, Drive]:
        """Drives of actuators, by index; a copy."""
        return dict(self._driven)

    def reset(self) -> None:
        """Forget what loops have stored, and the last efforts; drives stay."""
        self._loops.reset()
        self._pushing.reset()
        self.effort = np.zeros(len(self.actuators))

    def set_axis(self, axis: int, drive: Drive | None) -> None:
        """Drive an axis, or release it. Raises UsageError for a loop of an axis that has no effort."""
        held = None
        if drive is not None and drive.gains is not None:
            held = replace(drive, gains=_limited(drive.gains, float(self._limit[axis]), "axis"))
        if axis in self._over_time or (drive is not None and drive.level is None):
            self.revision += 1
        for drives in (self._drives, self._with_motor, self._over_time):
            drives.pop(axis, None)
        if drive is not None:
            self._drives[axis] = drive
            if drive.kind is not DriveKind.EFFORT and drive.gains is None:
                self._with_motor[axis] = drive
            if drive.level is None:
                self._over_time[axis] = drive
        self._loops.set(axis, held)

    def change_level(self, axis: int, drive: Drive) -> None:
        """Another number for an axis whose drive is one: what the rest knows of its drive stays."""
        self._drives[axis] = drive
        if axis in self._with_motor:
            self._with_motor[axis] = drive

    def set_actuator(self, index: int, drive: Drive | None, felt: Callable[[], float]) -> None:
        """Drive an actuator, or release it. `felt` gives the inertia that it feels, if gains have to be found.

        Raises UsageError if no gains can be found.
        """
        held = None
        if drive is not None:
            limit = self._limit_of(index)
            gains = drive.gains
            if gains is None and drive.kind is not DriveKind.EFFORT:
                gains = self._gains_for(index, drive.kind, felt(), limit)
            held = replace(drive, gains=gains and _limited(gains, limit, "actuator"))
        self._driven.pop(index, None)
        self.has_new_drives = True
        self.revision += 1
        if drive is not None:
            self._driven[index] = drive
        self._pushing.set(index, held)
        self.effort[index] = 0.0

    @property
    def is_used(self) -> bool:
        """Whether any axis or actuator has a drive over time or a loop."""
        return bool(self._driven or self._over_time)

    @property
    def is_open_loop(self) -> bool:
        """Whether all drives are numbers and profiles over time for the axes' own motors, and none has a loop."""
        return not (self._driven or self._loops.drives)

    @property
    def changes(self) -> bool:
        """Whether some axis has a drive over time, or a loop."""
        return bool(self._over_time)

    def drives_now(self, time: float, dt: float) -> dict[int, Setpoint]:
        """What the axes with a drive over time are given for the step that begins at `time` [s], an effort of 0 where a
        loop holds it."""
        return {axis: drive.at(time, dt) for axis, drive in self._over_time.items()}

    def servos(self, time: float, position: Array, velocity: Array, dt: float) -> tuple[tuple[Servo, ...], Array]:
        """The loops of axes and actuators for that step, for equations that take them in, and the efforts on the axes
        of those actuators that are commanded efforts, shape (n_axes,). `settle` says how it went."""
        if not self.is_used:
            self._of_axes, self._of_actuators = {}, {}
            return (), np.zeros(len(self._limit))
        a, pushing = self.actuators, self._pushing
        self._of_axes = self._loops.servos(time, position, velocity, dt, lambda axis: ((axis, 1.0),))
        self._of_actuators = pushing.servos(time, a.position(position), a.velocity(velocity), dt, a.terms)
        self.effort = self.pushes(time + 0.5 * dt)
        room = self._room(a.velocity(velocity))
        bounded = [replace(servo, max_effort=float(room[i])) for i, servo in self._of_actuators.items()]
        return (*self._of_axes.values(), *bounded), a.axis_effort(self.effort)

    def loops_now(self, time: float, position: Array, velocity: Array, dt: float) -> Array:
        """Efforts at this instant of the loops of axes, on the axes, and then of those of actuators, shape (n_axes +
        n_actuators,)."""
        n = len(self._limit)
        kept = self.effort
        efforts = np.zeros(n + len(self.actuators))
        if not self.is_used:
            return efforts
        servos, _ = self.servos(time, position, velocity, dt)
        self.effort = kept
        indices = (*self._of_axes, *(n + i for i in self._of_actuators))
        for index, servo in zip(indices, servos, strict=True):
            speed = sum(factor * float(velocity[axis]) for axis, factor in servo.terms)
            effort = servo.effort + servo.damping * (servo.rates[0] - speed)
            efforts[index] = min(max(effort, -servo.max_effort), servo.max_effort)
        return efforts

    def settle(self, efforts: Array, end: float, after: BackendState, dt: float, *, implicit: bool = False) -> None:
        """Advance the loops that `servos` gave over the step in which these were their efforts, in that order, and
        which ended at `end` [s] in the state `after`. `implicit`: see `Commanded.settle`."""
        if not len(efforts):
            return
        indices = (*self._of_axes, *self._of_actuators)
        given = efforts.tolist()
        count = len(self._of_axes)
        a = self.actuators
        of_axes = dict(zip(indices[:count], given[:count], strict=True))
        self._loops.settle(of_axes, end, after.position, after.velocity, dt, implicit=implicit)
        actuators = dict(zip(indices[count:], given[count:], strict=True))
        position, velocity = a.position(after.position), a.velocity(after.velocity)
        self._pushing.settle(actuators, end, position, velocity, dt, implicit=implicit)
        for index, effort in actuators.items():
            self.effort[index] = effort

    def following(self) -> list[Following]:
        """All loops, in the order of `servos`."""
        found = [
            Following(drive.kind, drive.profile, loop.gains, ((axis, 1.0),), 0.0, loop.stored)
            for axis, drive, loop in self._loops.loops()
        ]
        a = self.actuators
        for i, drive, loop in self._pushing.loops():
            constant = float(a.constant[i])
            found.append(
                Following(drive.kind, drive.profile, loop.gains, a.terms(i), constant, loop.stored, actuator=i)
            )
        return found

    def pushing(self) -> dict[int, Profile]:
        """Profiles of the actuators that are commanded efforts, by index."""
        drives = self._pushing.drives
        return {i: drive.profile for i, drive in drives.items() if drive.kind is DriveKind.EFFORT}

    def pushes(self, time: float) -> Array:
        """Their efforts at `time` [s], within the limits of the axes, shape (n_actuators,)."""
        count = len(self.actuators)
        return self._within_limits(self._pushing.pushes(time, count)) if count else np.zeros(0)

    def asked_anew(self, time: float) -> Array | None:
        """What commanded efforts of actuators ask of the axes at `time` [s], whatever the limits, shape (n_axes,); None
        where `has_new_drives` is False."""
        if not self.has_new_drives:
            return None
        self.has_new_drives = False
        return self.actuators.axis_effort(self._pushing.pushes(time, len(self.actuators)))

    def profiles(self) -> list[Profile]:
        """Of all drives over time, of loops and of actuators."""
        return [drive.profile for drive in (*self._over_time.values(), *self._driven.values())]

    @property
    def stored(self) -> list[float]:
        """What loops have stored, in the order of `servos`."""
        return [loop.stored for _, _, loop in (*self._loops.loops(), *self._pushing.loops())]

    def go_on_from(self, stored: Sequence[float], effort: Array) -> None:
        """Take over what loops have stored after steps of compiled code, in the order of `servos`, and the last efforts
        of actuators, which are copied."""
        of_axes = len(self._loops.loops())
        self._loops.store(stored[:of_axes])
        self._pushing.store(stored[of_axes:])
        self.effort = effort.copy()

    def loops(self, axis_names: Sequence[str]) -> list[tuple[str, Terms, Drive]]:
        """Name, (axis, factor) pairs and drive of everything that a loop holds."""
        axes = [(axis_names[i], ((i, 1.0),), drive) for i, drive in self._loops.drives.items()]
        names, terms = self.actuators.names, self.actuators.terms
        actuators = [(names[i], terms(i), drive) for i, drive in self._pushing.drives.items()]
        return [loop for loop in (*axes, *actuators) if loop[2].gains is not None]

    def loop_efforts(self, time: float, position: Array, velocity: Array, dt: float) -> Array:
        """What the loops of axes do to them in the step that begins at `time` [s], held over it, shape (n_axes,). Ask
        once a step."""
        return self._loops.efforts(time, position, velocity, dt)

    def axis_efforts(self, time: float, position: Array, velocity: Array, dt: float) -> Array:
        """What the actuators do to the axes in that step, held over it, shape (n_axes,). Advances their loops: ask once
        a step."""
        if not self._driven:
            return np.zeros(len(self._limit))
        a = self.actuators
        self.effort = self._within_limits(self._pushing.efforts(time, a.position(position), a.velocity(velocity), dt))
        return a.axis_effort(self.effort)

    def _limit_of(self, index: int) -> float:
        """The effort with which the actuator alone takes an axis to its limit."""
        return min(
            (float(self._limit[axis]) / abs(factor) for axis, factor in self.actuators.terms(index)), default=0.0
        )

    def _within_limits(self, effort: Array) -> Array:
        """Less of all actuators of an axis that would be pushed beyond its limit."""
        matrix = self.actuators.matrix
        for axis in np.flatnonzero(np.abs(effort @ matrix) > self._limit).tolist():
            asked = abs(float(effort @ matrix[:, axis]))
            if asked > self._limit[axis]:
                effort[matrix[:, axis] != 0.0] *= self._limit[axis] / asked
        return effort

    def _room(self, velocity: Array) -> Array:
        """How much effort every actuator's loop may use, so that all together stay within the limits of the axes, shape
        (n_actuators,): what it asks for now, as far as that fits, and an equal part of what is left over."""
        matrix = np.abs(self.actuators.matrix)
        most = np.zeros(len(self.actuators))
        asked = np.abs(self.effort)
        for i, servo in self._of_actuators.items():
            most[i] = servo.max_effort
            asked[i] = min(abs(servo.effort + servo.damping * (servo.rates[0] - float(velocity[i]))), most[i])
        sharing = (matrix[list(self._of_actuators)] != 0.0).sum(axis=0)
        if (sharing + (matrix[self.effort != 0.0] != 0.0).sum(axis=0)).max(initial=0) <= 1:
            return most
        for axis in np.flatnonzero(asked @ matrix > self._limit).tolist():
            fits = self._limit[axis] / max(float(asked @ matrix[:, axis]), self._limit[axis])
            asked[matrix[:, axis] != 0.0] *= fits
        left = np.maximum(self._limit - asked @ matrix, 0.0)
        for i in self._of_actuators:
            used = matrix[i] != 0.0
            most[i] = min(most[i], asked[i] + float((left[used] / sharing[used] / matrix[i, used]).min(initial=np.inf)))
        return most

    def _gains_for(self, index: int, kind: DriveKind, inertia: float, limit: float) -> Gains | None:
        name = self.actuators.names[index]
        if np.isnan(inertia):
            raise UsageError(
                f"actuator '{name}' moves the joint that closes a loop: give the gains of its loop, pid(…)"
            )
        if not np.isfinite(inertia) or limit <= 0.0:
            raise UsageError(f"actuator '{name}' cannot move anything here; drive another one")
        return default_gains(kind, inertia, POSITION_DRIVE_TIME, limit)


def _limited(gains: Gains, limit: float, what: str) -> Gains:
    if limit <= 0.0:
        raise UsageError(f"the effort limit of this {what} is {limit:g}: no loop can hold anything with it")
    return replace(gains, limit=min(gains.limit, limit))
