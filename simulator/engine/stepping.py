"""One step: drives and passive efforts act, and the effects are measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.divergence import Fast, fast_elements, grown_controllers, require_bounded, require_going
from simulator.engine.drives import DriveKind
from simulator.engine.effort_log import EffortLog, Impulse
from simulator.engine.holding import find_held
from simulator.engine.jam import what_is_near
from simulator.engine.placing import Placing
from simulator.errors import JammedError
from simulator.physics.impact.motors import UNLIMITED
from simulator.physics.step.trouble import OVERDRAWN

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

    from simulator.engine.drives import Setpoint
    from simulator.engine.efforts import HeldEfforts, IntegratedEfforts, StepEfforts
    from simulator.engine.jumps import Jumps
    from simulator.engine.motors import Motors
    from simulator.engine.port import BackendState

    Array = NDArray[np.float64]

HALVINGS = 6
"""Most halvings of a step: if loops cannot be closed after a 64th of it, the mechanism is jammed."""
FOR_CONTACTS = 2
"""Most halvings for contacts that create energy: eighths gave no better balance than quarters."""
BALANCED = 1e-3
"""Part of the kinetic energy by which the energy balance of a part of a step may be wrong, if it can be halved."""
NO_JUMP = 1e-6
"""Difference of velocities [rad/s or m/s] that is no jump."""


class Stepping(Placing):
    """The part of `Engine` that makes a step."""

    _log: EffortLog
    _setpoints: dict[int, Setpoint]
    _efforts: HeldEfforts | IntegratedEfforts
    _motors: Motors
    _jumps: Jumps
    _rotors: Array

    @property
    def efforts_log(self) -> EffortLog:
        """What drives give."""
        self._catch_up()
        return self._log

    def step(self) -> None:
        """Advance by dt, in halves and halves of these where loops cannot be closed otherwise. Raises DivergedError,
        which names the axis that ran away, where a state is beyond all bounds, and JammedError."""
        self._catch_up()
        try:
            self._make_step(HALVINGS)
        except JammedError as error:
            if not self._dynamics.opened_loop():
                raise
            near = what_is_near(self.mechanism, self._joint_state(), self.actuation.with_motor)
            raise JammedError(f"{error}: {near}; not even {2**HALVINGS}ths of a step close it", error.time) from None

    def _make_step(self, halvings: int) -> None:
        """One step; its halves, which may be halved one time less, where a loop cannot be closed after it, where
        contacts gave what they cannot have, and, of a part of a step, where its energy balance is no better than
        that."""
        take_back = self._keep() if halvings else None
        error = self._energy_error() if halvings < HALVINGS else 0.0
        try:
            self._step_once()
            if take_back is None or self._is_good(halvings, error):
                return
        except JammedError:
            if take_back is None or not self._dynamics.opened_loop():
                raise
        take_back()
        try:
            self._step_in_halves(halvings - 1)
        except JammedError:
            take_back()
            raise

    def _step_in_halves(self, halvings: int) -> None:
        """A step as two of half of it, to all that is asked for over time, booked or counted."""
        steps, dt = self.steps, self.dt
        # Twice as many steps of half the length: the time is the same, to the bit.
        self._use_step(0.5 * dt)
        self.steps = 2 * steps
        self._log.restart()  # an effort's change from step to step is that of equal steps
        try:
            self._make_step(halvings)
            self._make_step(halvings)
        finally:
            self._use_step(dt)
            self.steps = steps + 1
            self._log.restart()

    def _energy_error(self) -> float:
        return self._balance(*self._energies()).error

    def _is_good(self, halvings: int, error: float) -> bool:
        """Whether a step need not be made in halves. `error` [J]: of the energy balance before it."""
        given = self._dynamics.out_of_nothing() if halvings > HALVINGS - FOR_CONTACTS else 0.0
        if given > OVERDRAWN * self._energies()[0]:
            return False
        return halvings == HALVINGS or self._has_balanced(error)

    def _has_balanced(self, error: float) -> bool:
        """Whether the balance of energy is as good as it was, but for a small part of what moves."""
        return abs(self._energy_error() - error) < BALANCED * self._energies()[0]

    def _keep(self) -> Callable[[], None] | None:
        """What goes back to the state now; None where that cannot be, or no loop can come open."""
        put_back = self._dynamics.keep()
        log = self._log
        actuation = self.actuation
        if put_back is None:
            return None
        steps = self.steps
        state = self._state_read
        fresh = self._jumps.fresh
        booked = self._ledger.values.copy()
        stored = [loop.stored for loop in actuation.following()]
        efforts = actuation.effort.copy()
        shown = self._drive_effort.copy(), self._actuator_effort.copy()
        counted = log.tally.copy()
        impulses = len(log.impulses)
        held = dict(log.held)

        def take_back() -> None:
            put_back()
            self.steps, self._state_read = steps, state
            self._jumps.begin_all(fresh)
            self._ledger.values[:] = booked
            actuation.go_on_from(stored, efforts.copy())
            log.tally[:], log.held = counted, dict(held)
            del log.impulses[impulses:]
            self._drive_effort[:], self._actuator_effort[:] = shown
            self._look()

        return take_back

    def _use_step(self, dt: float) -> None:
        self.dt = self._dynamics.dt = self._motors.dt = self._efforts.dt = self._jumps.dt = dt

    def _step_once(self) -> None:
        self._note_asked()
        self._dynamics.set_time(self.time)
        self._command_motors(self.time)
        due = self._jumps.due(self.actuation.with_motor, self.steps)
        jumping = {axis: self._motors.allowed(axis, speed) for axis, speed in due.items()}
        self._dynamics.start_motors(jumping)
        before = self._state
        efforts = self._find_efforts()
        self._dynamics.set_wrenches(efforts.wrenches)
        self._dynamics.step(efforts.total)
        after = self._read_checked()
        drive = self._efforts.book(self._ledger, self._setpoints, efforts, before, after)
        self._note_held()
        if self._blocks is None:
            self._find_held(np.array([before.position, after.position]), after.velocity[None])
        self._note_jumps(jumping, drive, before, after)
        self._log_step(jumping, drive, before, after)
        self._look()

    def _log_step(self, jumping: Mapping[int, float], drive: Array, before: BackendState, after: BackendState) -> None:
        """Advance to `after`, with the efforts of drives at its time; `drive`: their means over the step, of axes."""
        means = np.concatenate((drive, self.actuation.effort))
        pushed = self._commanded(self.time + 0.5 * self.dt)
        self.steps = self.steps + 1
        self._state_read = after
        ends = self._efforts_at_ends(means[None], pushed[None], self._commanded(self.time)[None])
        if jumping:
            # A position that has a limit is approached without a jump: its effort continues that of the step.
            jumped = [
                axis for axis in jumping if self._effort_limit[axis] >= UNLIMITED or not math.isnan(jumping[axis])
            ]
            self._know_efforts(jumped, jumping, self._told_now(after), ends[0])
        self._count_efforts(means[None], ends, (after.position - before.position)[None])
        self._show_efforts(ends[0])

    def _efforts_at_ends(self, means: Array, pushed: Array, told: Array) -> Array:
        """Efforts of drives at the ends of steps, of axes and then of actuators, shape (steps, n), from the `means`
        over them and from what is commanded as efforts, in their middles and at their ends."""
        actuators = self.actuation.actuators
        n = len(self.mechanism.axes)
        held = means - pushed
        held[:, :n] -= actuators.axis_effort(held[:, n:])
        ends = self.efforts_log.at_ends(held)
        ends[:, :n] += actuators.axis_effort(ends[:, n:])  # as in the step: tau = A^T times the efforts of actuators
        ends += told
        return ends

    def _count_efforts(self, means: Array, ends: Array, moved: Array) -> None:
        """Enter steps in which axes moved by `moved`, shape (steps, n_axes), into the log."""
        both = np.concatenate((moved, self.actuation.actuators.velocity(moved)), axis=1)
        self.efforts_log.count(means, ends, both, self.dt)

    def _commanded(self, time: float) -> Array:
        """Efforts that drives are given as such at `time` [s], on axes, then of actuators."""
        efforts = np.zeros(len(self.mechanism.axes))
        for axis, drive in self.actuation.axis_drives.items():
            if drive.kind is DriveKind.EFFORT:
                limit = float(self._effort_limit[axis])
                efforts[axis] = min(max(drive.profile.value(time), -limit), limit)
        pushes = self.actuation.pushes(time)
        return np.concatenate((efforts + self.actuation.actuators.axis_effort(pushes), pushes))

    def _show_efforts(self, ends: Array) -> None:
        """The efforts of drives now, of axes and then of actuators."""
        n = len(self.mechanism.axes)
        self._drive_effort[:], self._actuator_effort[:] = ends[:n], ends[n:]
        self._look()

    def _note_jumps(
        self, jumping: Mapping[int, float], drive: Array, before: BackendState, after: BackendState
    ) -> None:
        """Enter impulses of motors in the step; where dynamics know none, what they did in a step that a drive begins
        with is one."""
        if self._blocks is None:
            start = {axis: speed for axis, speed in jumping.items() if abs(speed - before.velocity[axis]) > NO_JUMP}
            for axis, speed in start.items():
                impulse = float(drive[axis]) * self.dt
                had = float(before.velocity[axis])
                reached = float(after.velocity[axis]) if axis in self._log.held else speed
                self.efforts_log.note(Impulse(axis, self.time, impulse, had, reached))
            drive[list(start)] = 0.0
        else:
            for axis, given in self._blocks.impulses().items():
                self.efforts_log.note(Impulse(axis, self.time, *given, of_drive=axis in jumping))
        for axis in jumping:
            self.efforts_log.restart_axis(axis)

    def _note_asked(self) -> None:
        """Enter what actuators ask of the axes in the next step, if they have been commanded."""
        asked = self.actuation.asked_anew(self.time)
        if asked is not None:
            self._log.ask(asked)

    def _note_held(self) -> None:
        """Enter which motors something held since this was done last."""
        if not self.actuation.with_motor:
            return
        for axis, held in self._dynamics.held().items():
            self._log.held.setdefault(axis, held)

    def _find_held(self, position: Array, velocity: Array) -> None:
        """As `_note_held`, where dynamics do not tell, of steps from now on: `position` before and after each, shape
        (n + 1, n_axes), and `velocity` after each, shape (n, n_axes)."""
        times: Array = (self.steps + np.arange(len(velocity), dtype=float)) * self.dt
        for axis, drive in self.actuation.with_motor.items():
            if axis in self._log.held or self._effort_limit[axis] < UNLIMITED:
                continue
            asked = self._motors.asked(axis, drive, times, position[:-1, axis])
            numbers = asked, position[1:, axis], velocity[:, axis]
            found = find_held(self.mechanism, axis, *numbers, self._dynamics.contacts)
            if found is not None:
                self._log.held[axis] = float(times[found[0]]), found[1]

    def start_log(self) -> None:
        """Count what drives give from here on, and find their efforts in the present state, before any step from it:
        those of loops and motors, and commanded efforts. Motors that keep running and cannot be known exactly
        give what the last step ended with."""
        self._catch_up()
        told = self._told_now(self._state)
        last = np.concatenate((self._drive_effort, self._actuator_effort))
        begin = self._jumps.coming(self.actuation.with_motor, self.steps)
        ends = told.copy()
        motors = self.actuation.with_motor
        going_on = [axis for axis in motors if axis not in begin]
        ends[going_on] = last[going_on]
        self._know_efforts(motors, begin, told, ends)
        self.efforts_log.clear(ends)
        if self.dynamics.bounded is not None:
            self.dynamics.bounded.count_energies()
        self._show_efforts(ends)

    def _told_now(self, state: BackendState) -> Array:
        """Efforts of commands and of loops in a state that is that of `time`, of axes and then of actuators."""
        n = len(self.mechanism.axes)
        actuators = self.actuation.actuators
        told = self._commanded(self.time)
        loops = self.actuation.loops_now(self.time, state.position, state.velocity, self.dt)
        loops[:n] += actuators.axis_effort(loops[n:])
        return told + loops

    def _know_efforts(self, axes: Collection[int], begin: Collection[int], told: Array, ends: Array) -> None:
        """Put efforts of the motors on these axes that can be known exactly now into `ends`: those that are at their
        velocity keep its rate as far as their limits allow, those with a limit that `begin` go there as in a step. All
        others push with what `ends` has. `told`: see `_told_now`."""
        n = len(self.mechanism.axes)
        pushed = told[:n].copy()
        rates = dict[int, float]()
        self._dynamics.set_time(self.time)
        for axis, drive in self.actuation.with_motor.items():
            missing, rates[axis] = self._motors.lack(axis, drive, self.time, self._state, told[:n])
            if missing and (axis not in begin or self._effort_limit[axis] >= UNLIMITED):
                rates[axis] = math.nan
            if math.isnan(rates[axis]):
                pushed[axis] = ends[axis]
        while not all(map(math.isnan, rates.values())):
            found = self._dynamics.efforts_now(rates, pushed)
            beyond = {axis: effort for axis, effort in found.items() if abs(effort) > self._effort_limit[axis]}
            for axis, effort in (beyond or found).items():
                limit = float(self._effort_limit[axis])
                given = min(max(effort, -limit), limit)
                rates[axis] = math.nan
                pushed[axis] += given
                if axis in axes:
                    ends[axis] = told[axis] + given
                    self.efforts_log.know(axis, given)
            if not beyond:
                break

    def _read_checked(self) -> BackendState:
        """The state that the step led to. Raises if the step failed."""

        fast = self._fast_elements
        after = self._dynamics.read()
        time = (self.steps + 1) * self.dt
        if self._dynamics.opened_loop():  # then positions may have run away, too: the loop is the cause
            require_going(self._dynamics, time=time, dt=self.dt, fast=fast)
        require_bounded(self.mechanism, after, time=time, dt=self.dt, fast=fast)
        require_going(self._dynamics, time=time, dt=self.dt, fast=fast)
        return after

    def _require_bounded(self, state: BackendState, step: int, *, since: int) -> None:
        """Raise DivergedError if `state`, so many steps from now, has run away since that step."""
        last = None if self.steps + step == since + 1 else since * self.dt
        time = (self.steps + step) * self.dt
        require_bounded(self.mechanism, state, time=time, dt=self.dt, fast=self._fast_elements, since=last)

    def _fast_elements(self) -> list[Fast]:
        found = fast_elements(self.mechanism, self._start, self.actuation, self.dt, self._reflected_rotors())
        grown = (
            [] if any(fast.unstable for fast in found) else grown_controllers(self.mechanism, self.efforts_log.written)
        )
        return [*grown, *found]

    def _reflected_rotors(self) -> Array | None:
        """What rotors add to the inertia of the axes, where the dynamics move them."""
        return self._rotors if self._blocks is not None else None

    def _command_motors(self, time: float) -> None:
        """Tell motors what drives over time ask for in the step that begins at `time` [s]."""
        asked = self.actuation.drives_now(time, self.dt)
        self._setpoints.update(asked)
        for axis, setpoint in asked.items():
            if setpoint.kind is not DriveKind.EFFORT:
                self._motors.update(axis, setpoint)

    def _find_efforts(self) -> StepEfforts:
        """Efforts of the next step; loops of drives are set up for it."""
        return self._efforts.of_step(self._setpoints, self.time, self._look_at_state, self._joint_state)
