"""What drives give: efforts at the ends of steps, impulses, and which motors are held."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.engine.effort_log import Impulse
from simulator.engine.holding import find_held
from simulator.physics.rows.ramps import UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from simulator.engine.blocks import Blocks
    from simulator.engine.core import EngineCore
    from simulator.engine.port import BackendState
    from simulator.spatial.arrays import Array


NO_JUMP = 1e-6
"""Difference of velocities [rad/s or m/s] that is no jump."""


class DriveEfforts:
    """Efforts of the drives of an engine, entered into its log."""

    def __init__(self, core: EngineCore) -> None:
        self._core = core

    def note_asked(self) -> None:
        """Enter what actuators ask of the axes in the next step, if they have been commanded."""
        core = self._core
        asked = core.actuation.asked_anew(core.time)
        if asked is not None:
            core.log.ask(asked)

    def command_motors(self, time: float) -> None:
        """Tell motors what drives over time ask for in the step that begins at `time` [s]."""
        core = self._core
        asked = core.actuation.drives_now(time, core.dt)
        core.setpoints.update(asked)
        for axis, setpoint in asked.items():
            if setpoint.kind is not DriveKind.EFFORT:
                core.motors.update(axis, setpoint)

    def commanded(self, time: float) -> Array:
        """Efforts that drives are given as such at `time` [s], on axes, then of actuators."""
        core = self._core
        efforts = np.zeros(len(core.mechanism.axes))
        for axis, drive in core.actuation.axis_drives.items():
            if drive.kind is DriveKind.EFFORT:
                limit = float(core.effort_limit[axis])
                efforts[axis] = min(max(drive.profile.value(time), -limit), limit)
        pushes = core.actuation.pushes(time)
        return np.concatenate((efforts + core.actuation.actuators.axis_effort(pushes), pushes))

    def at_ends(self, means: Array, pushed: Array, told: Array) -> Array:
        """Efforts of drives at the ends of steps, of axes and then of actuators, shape (steps, n), from the `means`
        over them and from what is commanded as efforts, in their middles and at their ends."""
        core = self._core
        actuators = core.actuation.actuators
        n = len(core.mechanism.axes)
        held = means - pushed
        held[:, :n] -= actuators.axis_effort(held[:, n:])
        ends = core.log.at_ends(held)
        ends[:, :n] += actuators.axis_effort(ends[:, n:])  # as in the step: tau = A^T times the efforts of actuators
        ends += told
        return ends

    def count(self, means: Array, ends: Array, moved: Array) -> None:
        """Enter steps in which axes moved by `moved`, shape (steps, n_axes), into the log."""
        core = self._core
        both = np.concatenate((moved, core.actuation.actuators.velocity(moved)), axis=1)
        core.log.count(means, ends, both, core.dt)

    def note_jumps(self, jumping: Mapping[int, float], drive: Array, before: BackendState, after: BackendState) -> None:
        """Enter impulses of motors in the step of dynamics that know none: what they did in a step that a drive begins
        with is one."""
        core = self._core
        start = {axis: speed for axis, speed in jumping.items() if abs(speed - before.velocity[axis]) > NO_JUMP}
        for axis, speed in start.items():
            impulse = float(drive[axis]) * core.dt
            had = float(before.velocity[axis])
            reached = float(after.velocity[axis]) if axis in core.log.held else speed
            core.log.note(Impulse(axis, core.time, impulse, had, reached))
        drive[list(start)] = 0.0
        for axis in jumping:
            core.log.restart_axis(axis)

    def note_steps(self, blocks: Blocks, jumping: Collection[int] = ()) -> None:
        """Enter impulses of motors in the last step of compiled dynamics, and what held motors since this was done
        last. `jumping`: the axes whose drives began or jumped in that step."""
        core = self._core
        if core.integrated is not None and core.actuation.with_motor:
            for axis, held in core.integrated.held().items():
                core.log.held.setdefault(axis, held)
        for axis, given in blocks.impulses().items():
            core.log.note(Impulse(axis, (core.steps - 1) * core.dt, *given, of_drive=axis in jumping))

    def find_held(self, position: Array, velocity: Array) -> None:
        """Enter which motors something held, where dynamics do not tell, in steps from now on: `position` before and
        after each, shape (n + 1, n_axes), and `velocity` after each, shape (n, n_axes)."""
        core = self._core
        times: Array = (core.steps + np.arange(len(velocity), dtype=float)) * core.dt
        for axis, drive in core.actuation.with_motor.items():
            if axis in core.log.held or core.effort_limit[axis] < UNLIMITED:
                continue
            asked = core.motors.asked(axis, drive, times, position[:-1, axis])
            numbers = asked, position[1:, axis], velocity[:, axis]
            found = find_held(core.mechanism, axis, *numbers, core.dynamics.contacts)
            if found is not None:
                core.log.held[axis] = float(times[found[0]]), found[1]

    def start_log(self) -> None:
        """Count what drives give from here on, and find their efforts in the present state, before any step from it:
        those of loops and motors, and commanded efforts. Motors that keep running and cannot be known exactly
        give what the last step ended with."""
        core = self._core
        told = self.given_now(core.state)
        last = np.concatenate((core.drive_effort, core.actuator_effort))
        begin = core.jumps.coming(core.actuation.with_motor, core.steps)
        ends = told.copy()
        motors = core.actuation.with_motor
        going_on = [axis for axis in motors if axis not in begin]
        ends[going_on] = last[going_on]
        self.know(motors, begin, told, ends)
        core.log.clear(ends)
        if core.bounded is not None:
            core.bounded.count_energies()
        core.show_efforts(ends)

    def given_now(self, state: BackendState) -> Array:
        """Efforts of commands and of loops in a state that is that of `time`, of axes and then of actuators."""
        core = self._core
        n = len(core.mechanism.axes)
        actuators = core.actuation.actuators
        told = self.commanded(core.time)
        loops = core.actuation.loops_now(core.time, state.position, state.velocity, core.dt)
        loops[:n] += actuators.axis_effort(loops[n:])
        return told + loops

    def know(self, axes: Collection[int], begin: Collection[int], told: Array, ends: Array) -> None:
        """Put efforts of the motors on these axes that can be known exactly now into `ends`: those that are at their
        velocity keep its rate as far as their limits allow, those with a limit that `begin` go there as in a step. All
        others push with what `ends` has. `told`: see `given_now`."""
        core = self._core
        integrated = core.integrated
        if integrated is None:
            return
        n = len(core.mechanism.axes)
        pushed = told[:n].copy()
        rates = dict[int, float]()
        integrated.set_time(core.time)
        for axis, drive in core.actuation.with_motor.items():
            missing, rates[axis] = core.motors.lack(axis, drive, core.time, core.state, told[:n])
            if missing and (axis not in begin or core.effort_limit[axis] >= UNLIMITED):
                rates[axis] = math.nan
            if math.isnan(rates[axis]):
                pushed[axis] = ends[axis]
        while not all(map(math.isnan, rates.values())):
            found = integrated.efforts_now(rates, pushed)
            beyond = {axis: effort for axis, effort in found.items() if abs(effort) > core.effort_limit[axis]}
            for axis, effort in (beyond or found).items():
                limit = float(core.effort_limit[axis])
                given = min(max(effort, -limit), limit)
                rates[axis] = math.nan
                pushed[axis] += given
                if axis in axes:
                    ends[axis] = told[axis] + given
                    core.log.know(axis, given)
            if not beyond:
                break
