"""Many steps in one call, of dynamics that need not be read after each of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.divergence import is_bounded
from simulator.engine.drives import DriveKind
from simulator.engine.port import BackendState, StepSeries, instants
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import DivergedError
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind

if TYPE_CHECKING:
    from simulator.engine.core import EngineCore
    from simulator.engine.drive_efforts import DriveEfforts
    from simulator.engine.efforts import HeldEfforts
    from simulator.engine.port import Seen, Strider, Underway
    from simulator.engine.snapshot import Extremes
    from simulator.engine.stepping import Stepper
    from simulator.kinematics.state import JointState
    from simulator.physics.step.block import Span
    from simulator.spatial.arrays import Array, Ints


WATCHED = 10
"""Steps between two looks at residuals and energies where all steps are to be watched and none is recorded."""
UNREAD = 100
"""Most steps before a state is read, so that one that runs away is found out."""
LONGEST, ROOM = 1000, 20_000
"""Most steps between two returns to the caller, and most states of bodies that are held in memory."""


class UnreadSeries:
    """Steps of dynamics that need not be read after each of them."""

    def __init__(self, core: EngineCore, drives: DriveEfforts, stepper: Stepper) -> None:
        self._core = core
        self._drives = drives
        self._stepper = stepper
        self._kept: tuple[tuple[int, ...], Array, Array] | None = None
        self._good: tuple[int, BackendState, tuple[float, ...]] | None = None
        self._open: tuple[int, StepSeries, Underway] | None = None

    def forget(self) -> None:
        """The state was set: there is nothing to go back to."""
        self._open = self._kept = self._good = None

    def advance(self, strider: Strider, span: Span, worst: Extremes, *, sparse: bool, most: int) -> tuple[int, Array]:
        """Make steps without reading each; returns their number and the recorded rows. None if what acts in a
        step depends on its state. A series of up to `most` steps may continue in the next call."""
        core = self._core
        before = core.steps
        none = np.zeros((0, core.places.width))
        if self._open is None and not self._begin(strider, span, sparse=sparse, most=most):
            return 0, none
        assert self._open is not None
        first, series, under_way = self._open
        try:
            under_way.make(min(span.steps, series.count - under_way.made))
        except KeyboardInterrupt:
            self._go_back()
            raise
        core.steps = first + under_way.made
        core.state_read = None
        if most > span.steps and before < core.steps < first + series.count:
            return core.steps - before, none
        rows = self._finish(span, worst, sparse=sparse)
        return core.steps - before, rows

    def _begin(self, strider: Strider, span: Span, *, sparse: bool, most: int) -> bool:
        """Begin a series, if steps can be made unread."""
        core = self._core
        efforts = core.efforts
        assert efforts is not None
        self._check_read()
        if not efforts.are_alike(core.setpoints):
            return False
        if most > span.steps:  # up to the next round number, where everything is read
            most = min(most, max(span.steps, UNREAD - core.steps % UNREAD))
        count = min(most, LONGEST, max(1, ROOM // len(core.mechanism.bodies)))
        series = self._series(efforts, count, self._looks(span, count, sparse=sparse))
        self._open = core.steps, series, strider.begin(series)
        return True

    def _looks(self, span: Span, count: int, *, sparse: bool) -> list[int]:
        """After which of so many steps everything is read: where a row is recorded or watched, or nothing has been read
        for long. At round numbers of steps, so that it does not matter how many are made in one call."""
        steps = np.arange(1, count + 1)
        looked = (self._core.steps + steps) % (UNREAD if sparse else WATCHED) == 0
        if span.stride:
            looked |= (span.phase + steps) % span.stride == 0
        found: list[int] = steps[looked].tolist()
        return found

    def _series(self, efforts: HeldEfforts, count: int, looks: list[int]) -> StepSeries:
        core = self._core
        watched = efforts.at_work(core.setpoints)
        told = self._commanded_in(core.steps + np.arange(count), 0.5 * core.dt)
        position = velocity = np.zeros(0)
        if watched and core.state_read is None and self._kept is not None and self._kept[0] == watched:
            _, position, velocity = self._kept
        elif watched:
            axes = list(watched)
            position, velocity = core.state.position[axes], core.state.velocity[axes]
        command = partial(self._prepare_step, efforts, core.steps) if efforts.laws or core.actuation.changes else None
        return StepSeries(count, told, efforts.laws, watched, position, velocity, looks, command)

    def _prepare_step(self, efforts: HeldEfforts, first: int, k: int) -> bool:
        """Tell motors what is asked of step `first` + k; whether it can be made without a look at its start."""
        core = self._core
        time = (first + k) * core.dt
        if core.actuation.changes:
            self._drives.command_motors(time)
        return not efforts.laws or efforts.stay_slow(time, self._place_between)

    def _place_between(self) -> JointState:
        """The state in the middle of a series, as far as mobilities of axes depend on it: not where a free body is."""
        core = self._core
        strider = core.dynamics.strider
        joints = [core.mechanism.joints[joint] for joint in multi_dof_joints(core.mechanism)]
        if strider is not None and all(joint.kind is JointKind.FREE for joint in joints):
            position, velocity = strider.axes()
            return replace(core.start, position=position, velocity=velocity)
        return joint_state_of(core.mechanism, *_parts(core.dynamics.read()))

    def _commanded_in(self, steps: Ints, later: float) -> Array:
        """What is commanded as efforts `later` [s] than the starts of steps, shape (n, n_axes + n_actuators); n is 1
        where it stays the same."""
        core = self._core
        efforts = [drive for drive in core.actuation.axis_drives.values() if drive.kind is DriveKind.EFFORT]
        if not efforts:
            return np.zeros((1, len(core.mechanism.axes) + len(core.actuation.actuators)))
        asked = steps[:1] if all(drive.level is not None for drive in efforts) else steps
        return np.array([self._drives.commanded(step * core.dt + later) for step in asked.tolist()])

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
            self._stepper.require_bounded(
                self._at_watched(series, seen, first), first, since=self._core.steps + first - 1
            )
        self._stepper.require_bounded(instants(seen.looks, looks.index(first)), first, since=self._good[0])
        return count

    def _at_watched(self, series: StepSeries, seen: Seen, step: int) -> BackendState:
        """The known part of a state that was not read: the positions of the watched axes."""
        core = self._core
        n, bodies = len(core.mechanism.axes), len(core.mechanism.bodies)
        position = np.zeros(n)
        velocity = np.zeros(n)
        axes = list(series.watched)
        position[axes], velocity[axes] = seen.position[step - 1], seen.velocity[step - 1]
        return BackendState(position, velocity, np.zeros(n), np.zeros((bodies, 7)), np.zeros((bodies, 6)))

    def _finish(self, span: Span, worst: Extremes, *, sparse: bool) -> Array:
        """Settle the series under way as far as it went well; returns the rows that are recorded."""
        core = self._core
        assert self._open is not None
        (core.steps, series, under_way), self._open = self._open, None
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
            worst.see(rows, core.places)
        if made < seen.made:
            self._go_back()
        return rows[recorded[shown]] if len(shown) else rows

    def catch_up(self) -> None:
        """Close the open series: its state is needed now."""
        core = self._core
        if self._open is None:
            return
        (core.steps, series, under_way), self._open = self._open, None
        seen = under_way.seen()
        state = core.state_read
        self._settle(series, seen, seen.made, np.zeros(0, dtype=np.int64))
        if core.state_read is None:
            core.state_read = state

    def _settle(self, series: StepSeries, seen: Seen, made: int, shown: Ints) -> Array:
        """Account for so many steps of a series that began now and advance to the state after them; returns the rows
        of the looks that are to be `shown`."""
        core = self._core
        rows = np.zeros((0, core.places.width))
        if not made:
            return rows
        ends, work, lost = self._book_steps(series, seen, made)
        first = core.steps
        looks = [look for look in series.looks if look <= made]
        ledger = core.ledger
        if len(shown):
            at = np.array(looks)[shown]
            states = seen.looks if len(shown) == len(seen.looks.position) else instants(seen.looks, shown)
            rows = core.rows_of(states, (first + at) * core.dt, ends[at - 1], work[at - 1], lost[at - 1])
        core.state_read = None
        if looks:
            last = looks[-1]
            core.steps, ledger.work, ledger.dissipated = (
                first + last,
                float(work[last - 1]),
                float(lost[last - 1]),
            )
            state = instants(seen.looks, len(looks) - 1)
            self._remember(state)
            core.state_read = state if last == made else None
        core.steps, ledger.work, ledger.dissipated = first + made, float(work[-1]), float(lost[-1])
        self._kept = (series.watched, seen.position[made - 1], seen.velocity[made - 1]) if series.watched else None
        core.show_efforts(ends[-1])
        return rows

    def _book_steps(self, series: StepSeries, seen: Seen, made: int) -> tuple[Array, Array, Array]:
        """Efforts of drives at the ends of so many steps of a series, shape (made, n_axes + n_actuators), and what the
        ledger holds of work and of dissipated energy after each, shape (made,)."""
        core = self._core
        n = len(core.mechanism.axes)
        axes = list(series.watched)
        steps = core.steps + np.arange(made)
        work, lost = np.full(made, core.ledger.work), np.full(made, core.ledger.dissipated)
        if not axes and not len(core.actuation.actuators):  # there is nothing to log
            return np.zeros((made, n + len(core.actuation.actuators))), work, lost
        position, velocity, given = np.zeros((3, made + 1, n))
        for of_all, start, found in (
            (position, series.position, seen.position),
            (velocity, series.velocity, seen.velocity),
        ):
            of_all[0, axes], of_all[1:, axes] = start, found[:made]
        given[1:, axes] = seen.motor_effort[:made]
        self._drives.find_held(position, velocity[1:])
        told = self._commanded_in(steps, 0.5 * core.dt)
        efforts = core.efforts
        assert efforts is not None
        drive, flown, taken = efforts.of_steps(core.setpoints, told[:, :n], given[1:], velocity)
        means = np.concatenate((drive, np.zeros((made, len(core.actuation.actuators)))), axis=1)
        ends = self._drives.at_ends(means, told, self._commanded_in(steps + 1, 0.0))
        self._drives.count(means, ends, np.diff(position, axis=0))
        return ends, work + np.cumsum(flown), lost + np.cumsum(taken)

    def _check_read(self) -> None:
        """The state may have been read since the last steps: it is one to return to, or has run away."""
        core = self._core
        state, good = core.state_read, self._good
        if state is None or (good is not None and state is good[1]):
            return
        try:
            self._stepper.require_bounded(state, 0, since=core.steps if good is None else good[0])
        except DivergedError:
            self._go_back()
            raise
        self._remember(state)

    def _remember(self, state: BackendState) -> None:
        """Keep `state`, which is that of now, to go back to."""
        core = self._core
        ledger = core.ledger
        self._good = core.steps, state, tuple(ledger.values.tolist())

    def _go_back(self) -> None:
        """To the last state that was read."""
        core = self._core
        assert self._good is not None
        core.steps, state, booked = self._good
        self._open = None
        core.ledger.values[:] = booked
        core.state_read = state
        self._kept = None
        core.dynamics.set_state(joint_state_of(core.mechanism, *_parts(state)))


def _parts(state: BackendState) -> tuple[Array, Array, Array, Array]:
    return state.position, state.velocity, state.body_poses, state.body_velocities
