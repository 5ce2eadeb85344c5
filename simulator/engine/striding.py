"""Many steps in one call: of compiled code, or of dynamics that need not be read after each of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.divergence import is_bounded
from simulator.engine.drives import DriveKind
from simulator.engine.effort_log import Impulse
from simulator.engine.efforts import HeldEfforts, IntegratedEfforts
from simulator.engine.port import BackendState, StepSeries, instants
from simulator.engine.state_transfer import joint_state_of
from simulator.engine.stepping import Stepping
from simulator.errors import DivergedError
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.physics.step.block import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.blocks import Blocks
    from simulator.engine.port import Seen, Strider, Underway
    from simulator.engine.snapshot import Extremes
    from simulator.kinematics.state import JointState

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

NO_ROWS = np.zeros((0, 0))
WATCHED = 10
"""Steps between two looks at residuals and energies where all steps are to be watched and none is recorded."""
UNREAD = 100
"""Most steps before a state is read, so that one that runs away is found out."""
LONGEST, ROOM = 1000, 20_000
"""Most steps between two returns to the caller, and most states of bodies that are held in memory."""


class Striding(Stepping):
    """The part of `Engine` that makes many steps in one call."""

    _unwatched: Extremes
    _kept: tuple[tuple[int, ...], Array, Array] | None
    _good: tuple[int, BackendState, tuple[float, ...]] | None
    _open: tuple[int, StepSeries, Underway] | None

    def advance(
        self,
        steps: int,
        worst: Extremes,
        *,
        stride: int = 0,
        phase: int = 0,
        sparse: bool = False,
        columns: Ints | None = None,
    ) -> tuple[int, Array]:
        """Make at least one step and at most `steps`, as many as go in one call. Returns how many, and of every
        `stride`th row (see `row`), the first after `stride - phase` steps, these `columns` or all of them, shape (n,
        n_columns); none with a stride of 0.

        `worst` sees all steps of compiled code. Of dynamics that need not be read after each step it sees those that
        are recorded and, unless it is to be `sparse`, every `WATCHED`th; of others all, or where `sparse` those that
        are recorded.

        Raises as `step` does; the state is then that of the last good step, or of the last one that was read.
        """
        lasting = sparse and not stride
        if not lasting or self._state_read is not None:
            self._catch_up()
        most = self._jumps.steps_before(self.actuation.with_motor, self.steps, max(steps, UNREAD))
        if most > 0:
            span = Span(self.steps, min(steps, most), stride, phase)
            made = 0
            rows = NO_ROWS
            if self._blocks is not None:
                if self._dynamics.can_step_blocks():
                    made, rows = self._step_block(self._blocks, span, worst, columns)
            elif (strider := self._dynamics.strider) is not None:
                made, rows = self._stride(strider, span, worst, sparse=sparse, most=most if lasting else span.steps)
                rows = rows if columns is None else rows[:, columns]
            if made:
                return made, rows
        self.step()
        recorded = stride > 0 and (phase + 1) % stride == 0
        if recorded or not sparse:
            row = self.row()
            worst.see(row, self.places)
        rows = row[None] if recorded else np.zeros((0, self.places.width))
        return 1, rows if columns is None else rows[:, columns]

    def make_steps(self, steps: int) -> None:
        """Make so many steps that are neither recorded nor watched. Raises as `advance`."""
        made = 0
        while made < steps:
            made += self.advance(steps - made, self._unwatched, sparse=True)[0]

    def _step_block(self, blocks: Blocks, span: Span, worst: Extremes, columns: Ints | None) -> tuple[int, Array]:
        actuation = self.actuation
        if actuation.has_new_drives:
            self._note_asked()
        if not blocks.has_orders(span):
            if actuation.changes:
                self._command_motors(self.time)
            if isinstance(self._efforts, IntegratedEfforts):
                self._efforts.set_servos(self.time, self._look_at_state)
        made, rows = blocks.advance(self._setpoints, self._motors.numbers, self._ledger, worst.values, span, columns)
        if made:
            if actuation.changes:
                self._setpoints.update(actuation.drives_now((self.steps + made - 1) * self.dt, self.dt))
            self.steps += made
            self._state_read = None
            if blocks.has_news:
                self._note_held()
                for axis, given in blocks.impulses().items():
                    self._log.note(Impulse(axis, (self.steps - 1) * self.dt, *given, of_drive=False))
        return made, rows

    def _stride(self, strider: Strider, span: Span, worst: Extremes, *, sparse: bool, most: int) -> tuple[int, Array]:
        """Make steps without reading each; returns their number and the recorded rows. None if what acts in a
        step depends on its state. A series of up to `most` steps may continue in the next call."""
        before = self.steps
        none = np.zeros((0, self.places.width))
        if self._open is None and not self._begin(strider, span, sparse=sparse, most=most):
            return 0, none
        assert self._open is not None
        first, series, under_way = self._open
        try:
            under_way.make(min(span.steps, series.count - under_way.made))
        except KeyboardInterrupt:
            self._go_back()
            raise
        self.steps = first + under_way.made
        self._state_read = None
        if most > span.steps and before < self.steps < first + series.count:
            return self.steps - before, none
        rows = self._finish(span, worst, sparse=sparse)
        return self.steps - before, rows

    def _begin(self, strider: Strider, span: Span, *, sparse: bool, most: int) -> bool:
        """Begin a series, if steps can be made unread."""
        efforts = self._efforts
        assert isinstance(efforts, HeldEfforts)
        self._check_read()
        if not efforts.are_alike(self._setpoints):
            return False
        if most > span.steps:  # up to the next round number, where everything is read
            most = min(most, max(span.steps, UNREAD - self.steps % UNREAD))
        count = min(most, LONGEST, max(1, ROOM // len(self.mechanism.bodies)))
        series = self._series(efforts, count, self._looks(span, count, sparse=sparse))
        self._open = self.steps, series, strider.begin(series)
        return True

    def _looks(self, span: Span, count: int, *, sparse: bool) -> list[int]:
        """After which of so many steps everything is read: where a row is recorded or watched, or nothing has been read
        for long. At round numbers of steps, so that it does not matter how many are made in one call."""
        steps = np.arange(1, count + 1)
        looked = (self.steps + steps) % (UNREAD if sparse else WATCHED) == 0
        if span.stride:
            looked |= (span.phase + steps) % span.stride == 0
        found: list[int] = steps[looked].tolist()
        return found

    def _series(self, efforts: HeldEfforts, count: int, looks: list[int]) -> StepSeries:
        watched = efforts.at_work(self._setpoints)
        told = self._commanded_in(self.steps + np.arange(count), 0.5 * self.dt)
        position = velocity = np.zeros(0)
        if watched and self._state_read is None and self._kept is not None and self._kept[0] == watched:
            _, position, velocity = self._kept
        elif watched:
            axes = list(watched)
            position, velocity = self._state.position[axes], self._state.velocity[axes]
        command = partial(self._prepare_step, efforts, self.steps) if efforts.laws or self.actuation.changes else None
        return StepSeries(count, told, efforts.laws, watched, position, velocity, looks, command)

    def _prepare_step(self, efforts: HeldEfforts, first: int, k: int) -> bool:
        """Tell motors what is asked of step `first` + k; whether it can be made without a look at its start."""
        time = (first + k) * self.dt
        if self.actuation.changes:
            self._command_motors(time)
        return not efforts.laws or efforts.stay_slow(time, self._place_between)

    def _place_between(self) -> JointState:
        """The state in the middle of a series, as far as mobilities of axes depend on it: not where a free body is."""
        strider = self._dynamics.strider
        joints = [self.mechanism.joints[joint] for joint in multi_dof_joints(self.mechanism)]
        if strider is not None and all(joint.kind is JointKind.FREE for joint in joints):
            position, velocity = strider.axes()
            return replace(self._start, position=position, velocity=velocity)
        return joint_state_of(self.mechanism, *_parts(self._dynamics.read()))

    def _commanded_in(self, steps: Ints, later: float) -> Array:
        """What is commanded as efforts `later` [s] than the starts of steps, shape (n, n_axes + n_actuators); n is 1
        where it stays the same."""
        efforts = [drive for drive in self.actuation.axis_drives.values() if drive.kind is DriveKind.EFFORT]
        if not efforts:
            return np.zeros((1, len(self.mechanism.axes) + len(self.actuation.actuators)))
        asked = steps[:1] if all(drive.level is not None for drive in efforts) else steps
        return np.array([self._commanded(step * self.dt + later) for step in asked.tolist()])

    def _good_steps(self, series: StepSeries, seen: Seen) -> int:
        """How many steps of a series to keep: all, or where one runs away those up to the last look before it. Raises
        DivergedError where there is no such look."""
        if is_bounded(seen.position, seen.velocity) and is_bounded(*_parts(seen.looks)):
            return seen.made
        looks = [look for look in series.looks if look <= seen.made]
        count = seen.made
        away = [k + 1 for k in range(len(seen.position)) if not is_bounded(seen.position[k], seen.velocity[k])]
        seen_away = [look for i, look in enumerate(looks) if not is_bounded(*_parts(instants(seen.looks, i)))]
        first = min((*away, *seen_away), default=count)
        good = max((look for look in looks if look < first), default=0)
        if good:
            return good
        assert self._good is not None
        if first in away:  # which was watched a step before, too
            self._require_bounded(self._at_watched(series, seen, first), first, since=self.steps + first - 1)
        self._require_bounded(instants(seen.looks, looks.index(first)), first, since=self._good[0])
        return count

    def _at_watched(self, series: StepSeries, seen: Seen, step: int) -> BackendState:
        """The known part of a state that was not read: the positions of the watched axes."""
        n, bodies = len(self.mechanism.axes), len(self.mechanism.bodies)
        position = np.zeros(n)
        velocity = np.zeros(n)
        axes = list(series.watched)
        position[axes], velocity[axes] = seen.position[step - 1], seen.velocity[step - 1]
        return BackendState(position, velocity, np.zeros(n), np.zeros((bodies, 7)), np.zeros((bodies, 6)))

    def _finish(self, span: Span, worst: Extremes, *, sparse: bool) -> Array:
        """Settle the series under way as far as it went well; returns the rows that are recorded."""
        assert self._open is not None
        (self.steps, series, under_way), self._open = self._open, None
        seen = under_way.seen()
        try:
            made = self._good_steps(series, seen)
        except DivergedError:
            self._go_back()
            raise
        looks = np.array(series.looks, dtype=np.int64)
        recorded = (span.phase + looks) % span.stride == 0 if span.stride else np.zeros(len(looks), dtype=bool)
        shown = np.flatnonzero((looks <= made) & (recorded | (not sparse)))
        rows = self._settle(series, seen, made, shown)
        if len(shown):
            worst.see(rows, self.places)
        if made < seen.made:
            self._go_back()
        return rows[recorded[shown]] if len(shown) else rows

    def _catch_up(self) -> None:
        """Close the open series: its state is needed now."""
        if self._open is None:
            return
        (self.steps, series, under_way), self._open = self._open, None
        seen = under_way.seen()
        state = self._state_read
        self._settle(series, seen, seen.made, np.zeros(0, dtype=np.int64))
        if self._state_read is None:
            self._state_read = state

    def _settle(self, series: StepSeries, seen: Seen, made: int, shown: Ints) -> Array:
        """Account for so many steps of a series that began now and advance to the state after them; returns the rows
        of the looks that are to be `shown`."""
        rows = np.zeros((0, self.places.width))
        if not made:
            return rows
        ends, work, lost = self._book_steps(series, seen, made)
        first = self.steps
        looks = [look for look in series.looks if look <= made]
        ledger = self._ledger
        if len(shown):
            at = np.array(looks)[shown]
            states = seen.looks if len(shown) == len(seen.looks.position) else instants(seen.looks, shown)
            rows = self._rows_of(states, (first + at) * self.dt, ends[at - 1], work[at - 1], lost[at - 1])
        self._state_read = None
        if looks:
            last = looks[-1]
            self.steps, ledger.work, ledger.dissipated = first + last, float(work[last - 1]), float(lost[last - 1])
            state = instants(seen.looks, len(looks) - 1)
            self._remember(state)
            self._state_read = state if last == made else None
        self.steps, ledger.work, ledger.dissipated = first + made, float(work[-1]), float(lost[-1])
        self._kept = (series.watched, seen.position[made - 1], seen.velocity[made - 1]) if series.watched else None
        self._show_efforts(ends[-1])
        return rows

    def _book_steps(self, series: StepSeries, seen: Seen, made: int) -> tuple[Array, Array, Array]:
        """Efforts of drives at the ends of so many steps of a series, shape (made, n_axes + n_actuators), and what the
        ledger holds of work and of dissipated energy after each, shape (made,)."""
        n = len(self.mechanism.axes)
        axes = list(series.watched)
        steps = self.steps + np.arange(made)
        work, lost = np.full(made, self._ledger.work), np.full(made, self._ledger.dissipated)
        if not axes and not len(self.actuation.actuators):  # there is nothing to log
            return np.zeros((made, n + len(self.actuation.actuators))), work, lost
        position, velocity, given = np.zeros((3, made + 1, n))
        for of_all, start, found in (
            (position, series.position, seen.position),
            (velocity, series.velocity, seen.velocity),
        ):
            of_all[0, axes], of_all[1:, axes] = start, found[:made]
        given[1:, axes] = seen.motor_effort[:made]
        self._find_held(position, velocity[1:])
        told = self._commanded_in(steps, 0.5 * self.dt)
        efforts = self._efforts
        assert isinstance(efforts, HeldEfforts)
        drive, flown, taken = efforts.of_steps(self._setpoints, told[:, :n], given[1:], velocity)
        means = np.concatenate((drive, np.zeros((made, len(self.actuation.actuators)))), axis=1)
        ends = self._efforts_at_ends(means, told, self._commanded_in(steps + 1, 0.0))
        self._count_efforts(means, ends, np.diff(position, axis=0))
        return ends, work + np.cumsum(flown), lost + np.cumsum(taken)

    def _check_read(self) -> None:
        """The state may have been read since the last steps: it is one to return to, or has run away."""
        state, good = self._state_read, self._good
        if state is None or (good is not None and state is good[1]):
            return
        try:
            self._require_bounded(state, 0, since=self.steps if good is None else good[0])
        except DivergedError:
            self._go_back()
            raise
        self._remember(state)

    def _remember(self, state: BackendState) -> None:
        """Keep `state`, which is that of now, to go back to."""
        ledger = self._ledger
        self._good = self.steps, state, tuple(ledger.values.tolist())

    def _go_back(self) -> None:
        """To the last state that was read."""
        assert self._good is not None
        self.steps, state, booked = self._good
        self._open = None
        self._ledger.values[:] = booked
        self._state_read = state
        self._kept = None
        self._dynamics.set_state(joint_state_of(self.mechanism, *_parts(state)))


def _parts(state: BackendState) -> tuple[Array, Array, Array, Array]:
    return state.position, state.velocity, state.body_poses, state.body_velocities
