"""What drives over time ask of a step: targets for the motors of axes, efforts of loops, and the actuators' efforts on the axes.

An actuator is driven where it is: its drive sees x = A q + c and ẋ = A q̇ and gives an effort f; the axes get τ = Aᵀ f on top of their
own drives, so that f·ẋ = τ·q̇ (`transmissions.actuators`). Together the actuators never push an axis beyond its effort limit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.commanded import Command, Commanded, default_gains
from simulator.engine.drives import POSITION_DRIVE_TIME, Drive, DriveKind, ProfileDrive
from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from simulator.engine.pid import Gains
    from simulator.mechanism.types import Mechanism
    from simulator.transmissions.actuators import Actuators

    Array = NDArray[np.float64]


class Actuation:
    """Drives over time of axes and of actuators. `effort`: of every actuator over the last step, shape (n_actuators,)."""

    def __init__(self, actuators: Actuators, effort_limit: Array) -> None:
        """`effort_limit`: of the axes, shape (n_axes,), finite."""
        self.actuators = actuators
        self.effort: Array = np.zeros(len(actuators))
        self._limit = effort_limit
        self._profiles: dict[int, ProfileDrive] = {}
        self._loops, self._pushing = Commanded(), Commanded()
        self._driven: dict[int, ProfileDrive] = {}

    @property
    def axis_drives(self) -> dict[int, ProfileDrive]:
        """Drives over time of axes, by index; a copy."""
        return dict(self._profiles)

    @property
    def actuator_drives(self) -> dict[int, ProfileDrive]:
        """Drives of actuators, by index; a copy."""
        return dict(self._driven)

    def reset(self) -> None:
        """Forget what loops have stored, and the last efforts; drives stay."""
        self._loops.reset()
        self._pushing.reset()
        self.effort = np.zeros(len(self.actuators))

    def set_axis(self, axis: int, drive: ProfileDrive | None) -> None:
        """Drive an axis over time, or no longer. Raises UsageError for gains that do not fit the kind."""
        command = None
        if drive is not None and drive.gains is not None:
            command = Command(drive.kind, drive.profile, _limited(drive.gains, float(self._limit[axis]), "axis"))
        self._profiles.pop(axis, None)
        if drive is not None:
            self._profiles[axis] = drive
        self._loops.set(axis, command)

    def set_actuator(self, index: int, drive: ProfileDrive | None, felt: Callable[[], float]) -> None:
        """Drive an actuator, or let it go. `felt` tells the inertia that it feels, where gains have to be found.

        Raises UsageError for gains that do not fit the kind, and where none can be found.
        """
        command = None
        if drive is not None:
            limit = self._limit_of(index)
            gains = drive.gains
            if gains is None and drive.kind is not DriveKind.EFFORT:
                gains = self._gains_for(index, drive.kind, felt(), limit)
            command = Command(drive.kind, drive.profile, gains and _limited(gains, limit, "actuator"))
        self._driven.pop(index, None)
        if drive is not None:
            self._driven[index] = drive
        self._pushing.set(index, command)
        self.effort[index] = 0.0

    def drives_now(self, time: float, position: Array, velocity: Array, dt: float) -> dict[int, Drive]:
        """What the axes with a drive over time are told for the step that begins at `time` [s]. Advances their loops: ask once a step."""
        if not self._profiles:
            return {}
        held = self._loops.efforts(time, position, velocity, dt)
        return {
            axis: Drive(DriveKind.EFFORT, float(held[axis])) if drive.gains is not None else drive.at(time, dt)
            for axis, drive in self._profiles.items()
        }

    def axis_efforts(self, time: float, position: Array, velocity: Array, dt: float) -> Array:
        """What the actuators do to the axes in that step, shape (n_axes,). Advances their loops: ask once a step."""
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


def rotor_inertia(actuators: Actuators, mechanism: Mechanism) -> Array:
    """What rotors add to the inertia of the axes, shape (n_axes, n_axes), of actuators that turn with axes of the tree alone; the axis of a
    loop joint is no coordinate that an inertia could be added to."""
    n = len(mechanism.axes)
    if not len(actuators):
        return np.zeros((n, n))
    matrix, loop_axes = actuators.matrix, [not info.in_tree for info in mechanism.axes]
    felt = actuators.rotor_inertia * ~matrix[:, loop_axes].any(axis=1)
    inertia: Array = matrix.T @ (felt[:, None] * matrix)
    return inertia
