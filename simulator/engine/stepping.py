"""One step: drives and passive efforts act, and the effects are measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.block_step import finish_steps, orders_for
from simulator.engine.divergence import Fast, fast_elements, grown_controllers, require_bounded, require_going, too_long
from simulator.engine.jam import what_is_near
from simulator.errors import JammedError
from simulator.physics.rows.ramps import UNLIMITED
from simulator.physics.step.block import PEAK, Span
from simulator.physics.step.watch import NOTHING, ROUNDED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.engine.blocks import Blocks
    from simulator.engine.core import EngineCore
    from simulator.engine.drive_efforts import DriveEfforts
    from simulator.engine.port import BackendState, IntegratedDynamics


HALVINGS = 6
"""Most halvings of a step: if loops cannot be closed after a 64th of it, the mechanism is jammed."""
FOR_ENERGY = 2
"""Most halvings where what only takes energy gave some: eighths gave no better balance than quarters."""
BALANCED = 1e-3
"""Part of the kinetic energy by which the energy balance of a part of a step may be wrong, if it can be halved."""


class Stepper:
    """Makes the steps of an engine, one at a time."""

    def __init__(self, core: EngineCore, drives: DriveEfforts) -> None:
        self._core = core
        self._drives = drives

    def step(self) -> None:
        """Advance by dt, in halves and halves of these where loops cannot be closed otherwise. Raises DivergedError,
        which names the axis that ran away, where a state is beyond all bounds, and JammedError."""
        core = self._core
        take_back = self._keep()
        try:
            self._make_step(HALVINGS, take_back)
        except JammedError as error:
            opened = core.opened_loop()
            if take_back is not None and self._step_by_other_rows(take_back):
                return
            if not opened:
                raise
            near = what_is_near(core.mechanism, core.joint_state(), core.actuation.with_motor)
            found = [element for element in self._fast_elements() if not element.unstable]
            blame = f"; or else the cause is {too_long(found, core.dt)}" if found else ""
            message = f"{error}: {near}; not even {2**HALVINGS}ths of a step close it{blame}"
            raise JammedError(message, error.time) from None

    def _step_by_other_rows(self, take_back: Callable[[], None]) -> bool:
        """A step after one that failed, where loops can be closed by other rows than those that have become nearly
        dependent; whether it was made."""
        core = self._core
        take_back()
        if core.integrated is None or not core.integrated.use_other_rows():
            take_back()
            return False
        core.state_read = core.dynamics.read()
        core.look()
        try:
            self._make_step(HALVINGS, self._keep())
        except JammedError:
            take_back()
            return False
        return True

    def _make_step(self, halvings: int, take_back: Callable[[], None] | None) -> None:
        """One step, which `take_back` takes back; its halves, which may be halved one time less, where a loop cannot be
        closed after it, where contacts, stops or speed limits gave what they cannot have, or its energy balance is far
        off, and, of a part of a step, where that is no better than it should be."""
        error = self._energy_error()
        try:
            self._step_once()
            if not halvings or take_back is None or self._is_good(halvings, error):
                return
        except JammedError:
            if not halvings or take_back is None or not self._core.opened_loop():
                raise
        take_back()
        try:
            self._step_in_halves(halvings - 1)
        except JammedError:
            take_back()
            raise

    def _step_in_halves(self, halvings: int) -> None:
        """A step as two of half of it, to all that is asked for over time, booked or counted."""
        core = self._core
        steps, dt = core.steps, core.dt
        # Twice as many steps of half the length: the time is the same, to the bit.
        core.use_step(0.5 * dt)
        core.steps = 2 * steps
        core.log.restart()  # an effort's change from step to step is that of equal steps
        try:
            for _ in range(2):
                self._make_step(halvings, self._keep() if halvings else None)
        finally:
            core.use_step(dt)
            core.steps = steps + 1
            core.log.restart()

    def _energy_error(self) -> float:
        core = self._core
        return core.balance(*core.energies()).error

    def _is_good(self, halvings: int, error: float) -> bool:
        """Whether a step need not be made in halves. `error` [J]: of the energy balance before it."""
        core = self._core
        energies = core.energies()
        change = core.balance(*energies).error - error
        integrated = core.integrated if halvings > HALVINGS - FOR_ENERGY else None
        if integrated is not None and integrated.is_unbalanced(energies, change):
            return False
        kinetic, potential = energies
        return halvings == HALVINGS or abs(change) < BALANCED * kinetic + ROUNDED * abs(potential) + NOTHING

    def _keep(self) -> Callable[[], None] | None:
        """What goes back to the state now; None where that cannot be, or no loop can come open."""
        core = self._core
        put_back = None if core.integrated is None else core.integrated.keep()
        log = core.log
        actuation = core.actuation
        if put_back is None:
            return None
        steps = core.steps
        state = core.state_read
        fresh = core.jumps.fresh
        booked = core.ledger.values.copy()
        stored = [loop.stored for loop in actuation.following()]
        efforts = actuation.effort.copy()
        shown = core.drive_effort.copy(), core.actuator_effort.copy()
        counted = log.tally.copy()
        impulses = len(log.impulses)
        held = dict(log.held)

        def take_back() -> None:
            put_back()
            core.steps, core.state_read = steps, state
            core.jumps.begin_all(fresh)
            core.ledger.values[:] = booked
            actuation.go_on_from(stored, efforts.copy())
            log.tally[:], log.held = counted, dict(held)
            del log.impulses[impulses:]
            core.drive_effort[:], core.actuator_effort[:] = shown
            core.look()

        return take_back

    def _step_once(self) -> None:
        core = self._core
        due = core.jumps.due(core.actuation.with_motor, core.steps)
        jumping = {axis: core.motors.allowed(axis, speed) for axis, speed in due.items()}
        if core.integrated is None or core.blocks is None:
            self._step_held(jumping)
        else:
            self._step_integrated(core.integrated, core.blocks, jumping)

    def _step_integrated(self, integrated: IntegratedDynamics, blocks: Blocks, jumping: Mapping[int, float]) -> None:
        """One step of compiled dynamics, ordered and booked as in a block."""
        core = self._core
        orders = orders_for(core, self._drives, Span(core.steps, 1))
        integrated.start_motors(jumping)
        blocks.begin_step(orders, core.ledger, core.steps)
        integrated.step()
        self._check(integrated, blocks)
        for axis in jumping:
            core.log.restart_axis(axis)
        peaks = core.log.tally[:, PEAK].copy()
        blocks.end_step(core.steps)
        finish_steps(core, 1)
        self._drives.note_steps(blocks, jumping)
        # A position that has a limit is approached without a jump: its effort continues that of the step.
        jumped = [axis for axis in jumping if core.effort_limit[axis] >= UNLIMITED or not math.isnan(jumping[axis])]
        if jumped:
            ends = np.concatenate((core.drive_effort, core.actuator_effort))
            self._drives.know(jumped, jumping, self._drives.given_now(core.state), ends)
            core.log.tally[:, PEAK] = np.maximum(peaks, np.abs(ends))
            core.show_efforts(ends)

    def _check(self, integrated: IntegratedDynamics, blocks: Blocks) -> None:
        """Read the state that a step of compiled dynamics led to. Raises if the step failed."""
        core = self._core
        time = (core.steps + 1) * core.dt
        core.state_read = None
        blocks.read(time=time)
        if integrated.opened_loop():  # the cause, even where positions have run away, too
            require_going(integrated, time=time)
        if not blocks.is_bounded():
            require_bounded(core.mechanism, core.state, time=time, dt=core.dt, fast=self._fast_elements)
        require_going(integrated, time=time)

    def _step_held(self, jumping: Mapping[int, float]) -> None:
        """One step of dynamics that take efforts, which are held over it."""
        core = self._core
        assert core.efforts is not None
        self._drives.note_asked()
        self._drives.command_motors(core.time)
        before = core.state
        efforts = core.efforts.of_step(core.setpoints, core.time, core.read, core.joint_state)
        core.dynamics.set_wrenches(efforts.wrenches)
        core.dynamics.set_efforts(efforts.total)
        core.dynamics.step()
        after = core.dynamics.read()
        time = (core.steps + 1) * core.dt
        require_bounded(core.mechanism, after, time=time, dt=core.dt, fast=self._fast_elements)
        drive = core.efforts.book(core.ledger, core.setpoints, efforts, before, after)
        self._drives.find_held(np.array([before.position, after.position]), after.velocity[None])
        self._drives.note_jumps(jumping, drive, before, after)
        means = np.concatenate((drive, core.actuation.effort))
        pushed = self._drives.commanded(core.time + 0.5 * core.dt)
        core.steps = core.steps + 1
        core.state_read = after
        ends = self._drives.at_ends(means[None], pushed[None], self._drives.commanded(core.time)[None])
        self._drives.count(means[None], ends, (after.position - before.position)[None])
        core.show_efforts(ends[0])

    def require_bounded(self, state: BackendState, step: int, *, since: int) -> None:
        """Raise DivergedError if `state`, so many steps from now, has run away since that step."""
        core = self._core
        last = None if core.steps + step == since + 1 else since * core.dt
        time = (core.steps + step) * core.dt
        require_bounded(core.mechanism, state, time=time, dt=core.dt, fast=self._fast_elements, since=last)

    def _fast_elements(self) -> list[Fast]:
        core = self._core
        found = fast_elements(core.mechanism, core.start, core.actuation, core.dt, core.reflected_rotors())
        grown = [] if any(fast.unstable for fast in found) else grown_controllers(core.mechanism, core.log.written)
        return [*grown, *found]
