"""Commands over time, held by efforts: for axes and for actuators alike, one implementation.

An array of coordinates (the axes of a mechanism, or its actuators) has commands by index. Before every step the efforts that hold them are
asked for, with the positions and velocities of the coordinates at that moment. A command of efforts passes its profile through; commands
of positions and velocities go through a PID loop, the rate of the profile being known and fed to it.

With the axes' arrays the result is an effort per axis. With `Actuators` a, given q and q̇ of the axes:

    f = commanded.efforts(time, a.position(q), a.velocity(q̇), dt);   the axes get a.axis_effort(f) on top of their own drives
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.bounded import Servo
from simulator.engine.drives import DriveKind
from simulator.engine.pid import Gains, Loop, position_gains, velocity_gains
from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.engine.profiles import Profile

    Array = NDArray[np.float64]
    Terms = Callable[[int], tuple[tuple[int, float], ...]]


@dataclass(frozen=True)
class Command:
    """What a coordinate is told over time; `gains` are those of the loop, None for an effort."""

    kind: DriveKind
    profile: Profile
    gains: Gains | None = None

    def __post_init__(self) -> None:
        """A loop for what needs one, and for nothing else."""
        if (self.gains is None) is not (self.kind is DriveKind.EFFORT):
            raise UsageError(f"a command of {self.kind.value} {'needs' if self.gains is None else 'takes no'} gains")
        if self.kind is DriveKind.VELOCITY and self.gains is not None and self.gains.derivative:
            raise UsageError("a velocity loop has no derivative gain: it would need the acceleration")


def default_gains(kind: DriveKind, inertia: float, time_constant: float, limit: float) -> Gains | None:
    """Gains for a coordinate that feels like `inertia` [kg m² or kg], 1 / (A M⁻¹ Aᵀ)ᵢᵢ; None for an effort. See `pid`."""
    if kind is DriveKind.EFFORT:
        return None
    make = position_gains if kind is DriveKind.POSITION else velocity_gains
    return make(inertia, time_constant, limit=limit)


class Commanded:
    """The commands of an array of coordinates and the state of their loops."""

    def __init__(self) -> None:
        self._commands: dict[int, Command] = {}
        self._loops: dict[int, Loop] = {}
        self._errors: dict[int, float] = {}

    @property
    def commands(self) -> dict[int, Command]:
        """A copy, by index."""
        return dict(self._commands)

    def set(self, index: int, command: Command | None) -> None:
        """Command a coordinate, or let it go with None; its loop starts with nothing stored."""
        self._commands.pop(index, None)
        self._loops.pop(index, None)
        if command is not None:
            self._commands[index] = command
            if command.gains is not None:
                self._loops[index] = Loop(command.gains)

    def loops(self) -> list[tuple[int, Command, Loop]]:
        """Index, command and loop of all that have one, in the order of `servos`."""
        return [(index, self._commands[index], loop) for index, loop in self._loops.items()]

    def store(self, stored: Sequence[float]) -> None:
        """Give the loops these integrals, in that order."""
        for (index, loop), value in zip(list(self._loops.items()), stored, strict=True):
            self._loops[index] = Loop(loop.gains, value)

    def reset(self) -> None:
        """Forget what loops have stored; commands stay."""
        self._loops = {index: loop.reset() for index, loop in self._loops.items()}

    def efforts(self, time: float, position: Array, velocity: Array, dt: float) -> Array:
        """The efforts for the step that begins at `time` [s] and lasts `dt` [s], shape of `position`; zero without a command.

        Advances the loops: ask once a step.
        """
        efforts = np.zeros(len(position))
        for index, command in self._commands.items():
            if command.kind is DriveKind.EFFORT:
                efforts[index] = command.profile.value(time)
            else:
                loop = self._loops[index]
                error, rate = _error(command, time, float(position[index]), float(velocity[index]))
                efforts[index], self._loops[index] = loop.step(error, rate, dt)
        return efforts

    def pushes(self, time: float, size: int) -> Array:
        """The commands of efforts alone at `time` [s], shape (size,)."""
        efforts = np.zeros(size)
        for index, command in self._commands.items():
            if command.kind is DriveKind.EFFORT:
                efforts[index] = command.profile.value(time)
        return efforts

    def servos(self, time: float, position: Array, velocity: Array, dt: float, terms: Terms) -> dict[int, Servo]:
        """The loops for the step that begins at `time` [s] and lasts `dt` [s], for equations that take them in. `terms` gives a coordinate
        as (axis, factor) pairs. `settle` tells how it went."""
        servos = {}
        for index, loop in self._loops.items():
            command, gains = self._commands[index], loop.gains
            error, _ = _error(command, time, float(position[index]), float(velocity[index]))
            self._errors[index] = error
            if command.kind is DriveKind.POSITION:
                rates = command.profile.rate(time), command.profile.rate(time + dt)
                effort, stiffness, damping = loop.at_rest(error, dt), gains.proportional, gains.derivative
            else:
                rates = command.profile.value(time), command.profile.value(time + dt)
                effort, stiffness, damping = gains.integral * (loop.stored + error * dt), 0.0, gains.proportional
            servos[index] = Servo(terms(index), gains.limit, effort, stiffness, damping, rates)
        return servos

    def settle(self, efforts: Mapping[int, float], dt: float) -> None:
        """Advance the loops over the step that `servos` began; `efforts` by index."""
        for index, effort in efforts.items():
            self._loops[index] = self._loops[index].after(self._errors[index], effort, dt)


def _error(command: Command, time: float, position: float, velocity: float) -> tuple[float, float]:
    """Error and its rate, as `pid` has them."""
    wanted = command.profile.value(time)
    if command.kind is DriveKind.POSITION:
        return wanted - position, command.profile.rate(time) - velocity
    return wanted - velocity, 0.0
