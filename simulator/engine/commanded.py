"""Drives over time, by efforts: for axes and for actuators alike, one implementation.

An array of coordinates (the axes of a mechanism, or its actuators) has drives by index. Before every step the efforts
of these drives are computed from the positions and velocities of the coordinates at that moment. A drive of efforts
passes its profile through; drives of positions and velocities go through a PID loop, with the rate of the profile as
feed-forward.

With the axes' arrays the result is an effort per axis. With `Actuators` a, given q and q̇ of the axes:

    f = commanded.efforts(time, a.position(q), a.velocity(q̇), dt);   the axes get a.axis_effort(f) on top of their own
    drives
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.pid import Gains, Loop, gained, position_gains, velocity_gains
from simulator.errors import UsageError
from simulator.physics.impact.lines import Servo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.spatial.arrays import Array

    Terms = Callable[[int], tuple[tuple[int, float], ...]]


def default_gains(kind: DriveKind, inertia: float, time_constant: float, limit: float) -> Gains | None:
    """Gains for a coordinate that feels like `inertia` [kg m² or kg], 1 / (A M⁻¹ Aᵀ)ᵢᵢ; None for an effort. See
    `pid`."""
    if kind is DriveKind.EFFORT:
        return None
    make = position_gains if kind is DriveKind.POSITION else velocity_gains
    return make(inertia, time_constant, limit=limit)


class Commanded:
    """The drives of an array of coordinates, with the gains of loops, and the state of these loops."""

    def __init__(self) -> None:
        self._drives: dict[int, Drive] = {}
        self._loops: dict[int, Loop] = {}
        self._begun: dict[int, tuple[float, float]] = {}

    @property
    def drives(self) -> dict[int, Drive]:
        """A copy, by index."""
        return dict(self._drives)

    def set(self, index: int, drive: Drive | None) -> None:
        """Drive a coordinate, or release it with None; its loop starts with an empty integral.

        Raises UsageError for a position or a velocity without gains.
        """
        if drive is not None and drive.gains is None and drive.kind is not DriveKind.EFFORT:
            raise UsageError(f"a loop for a {drive.kind.value} needs gains")
        self._drives.pop(index, None)
        self._loops.pop(index, None)
        if drive is not None:
            self._drives[index] = drive
            if drive.gains is not None:
                self._loops[index] = Loop(drive.gains)

    def loops(self) -> list[tuple[int, Drive, Loop]]:
        """Index, drive and loop of all that have one, in the order of `servos`."""
        return [(index, self._drives[index], loop) for index, loop in self._loops.items()]

    def store(self, stored: Sequence[float]) -> None:
        """Give the loops these integrals, in that order."""
        for (index, loop), value in zip(list(self._loops.items()), stored, strict=True):
            self._loops[index] = Loop(loop.gains, value)

    def reset(self) -> None:
        """Clear the integrals of loops; drives stay."""
        self._loops = {index: loop.reset() for index, loop in self._loops.items()}

    def efforts(self, time: float, position: Array, velocity: Array, dt: float) -> Array:
        """The efforts for the step that begins at `time` [s] and lasts `dt` [s], shape of `position`; zero without a
        drive.

        Advances the loops: ask once a step.
        """
        efforts = np.zeros(len(position))
        for index, drive in self._drives.items():
            if drive.kind is DriveKind.EFFORT:
                efforts[index] = drive.profile.value(time + 0.5 * dt)
            else:
                loop = self._loops[index]
                error, rate = _error(drive, time, float(position[index]), float(velocity[index]))
                efforts[index], self._loops[index] = loop.step(error, rate, dt)
        return efforts

    def pushes(self, time: float, size: int) -> Array:
        """The drives of efforts alone at `time` [s], shape (size,)."""
        efforts = np.zeros(size)
        for index, drive in self._drives.items():
            if drive.kind is DriveKind.EFFORT:
                efforts[index] = drive.profile.value(time)
        return efforts

    def servos(self, time: float, position: Array, velocity: Array, dt: float, terms: Terms) -> dict[int, Servo]:
        """The loops for the step that begins at `time` [s] and lasts `dt` [s], for equations that take them in. `terms`
        gives a coordinate as (axis, factor) pairs. `settle` says how it went."""
        servos = {}
        for index, loop in self._loops.items():
            drive = self._drives[index]
            gains = loop.gains
            profile = self._drives[index].profile
            begun = self._begun[index] = _error(drive, time, float(position[index]), float(velocity[index]))
            held = gains.integral * loop.stored
            limit = gains.limit
            x = terms(index)
            if drive.kind is DriveKind.POSITION:
                rates = (profile.rate(time), profile.rate(time + dt))
                constants = (gains.proportional, gains.derivative)
                effort = held + gains.proportional * begun[0]
                servos[index] = Servo(x, limit, effort, *constants, rates, gains.integral, begun[0])
            else:
                rates = (profile.value(time), profile.value(time + dt))
                constants = (gains.integral, gains.proportional)
                servos[index] = Servo(x, limit, held, *constants, rates)
        return servos

    def settle(
        self, efforts: Mapping[int, float], end: float, position: Array, velocity: Array, dt: float, *, implicit: bool
    ) -> None:
        """Advance the loops over the step that `servos` began and that ends at `end` [s] with those positions and
        velocities; `efforts` by index. `implicit`: the step was one of the implicit Euler method, which takes the
        integral with the error of the step's end."""
        for index, effort in efforts.items():
            after = _error(self._drives[index], end, float(position[index]), float(velocity[index]))
            more = dt * after[0] if implicit else gained(self._begun[index], after, dt)
            self._loops[index] = self._loops[index].after(more, effort)


def _error(drive: Drive, time: float, position: float, velocity: float) -> tuple[float, float]:
    """Error and its rate, as `pid` has them."""
    wanted = drive.profile.value(time)
    if drive.kind is DriveKind.POSITION:
        return wanted - position, drive.profile.rate(time) - velocity
    return wanted - velocity, 0.0
