"""Steps of a mechanism that moves by its own equations, many in one call, and the reading of its state."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.engine.divergence import is_bounded
from simulator.engine.orders import orders_of, pushed
from simulator.engine.row_places import places_of
from simulator.errors import UsageError
from simulator.model.profiles import Constant, is_frozen
from simulator.physics.compiled.bounded import NO_CONTACTS
from simulator.physics.compiled.cables_now import cable_tensions
from simulator.physics.layout.buffers import leaves_some_out
from simulator.physics.layout.watched_row import ENERGIES
from simulator.physics.step import block
from simulator.physics.step.blocks import begin_step, end_step
from simulator.physics.step.watch import watch, watch_of
from simulator.physics.sweep.variant_kernels import run_variants

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from simulator.engine.actuation import Actuation
    from simulator.engine.drives import Setpoint
    from simulator.engine.effort_log import EffortLog
    from simulator.engine.energy import WorkLedger
    from simulator.engine.orders import MotorNumbers
    from simulator.engine.port import BackendState
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.step.watch import Watch
    from simulator.physics.sweep.variants import Variants
    from simulator.spatial.arrays import Array, Ints


AHEAD = 64
"""Steps that orders over time are made for at least."""


class _Given(NamedTuple):
    """Orders and what they were made from: the `setpoints` of axes without a drive over time, which are `fixed`, the
    drives, by their `revision`, and the steps from `first` to before `end`."""

    setpoints: dict[int, Setpoint]
    revision: int
    orders: block.Orders
    first: int
    end: float
    fixed: Ints
    over_time: frozenset[int]

    def fixed_of(self, setpoints: Mapping[int, Setpoint]) -> dict[int, Setpoint]:
        """Those of axes without a drive over time."""
        if not self.over_time:
            return dict(setpoints)
        return {axis: setpoint for axis, setpoint in setpoints.items() if axis not in self.over_time}


class Blocks:
    """Blocks of steps of one mechanism; `row` is what was read off last, `drive_effort` and `actuator_effort` the parts
    of it with what drives give, `q` and `v` those with positions and velocities of axes, read-only; all are views.
    `has_news`: whether motors may have taken impulses in the last step, or been held."""

    def __init__(
        self,
        bounded: BoundedMechanism,
        actuation: Actuation,
        rotors: Array,
        effort_limit: Array,
        log: EffortLog,
        *,
        dt: float,
    ) -> None:
        """`rotors`: what rotors add to the inertia of the axes, shape (n_axes, n_axes); `effort_limit` (n_axes,),
        finite; `log` sees all steps."""
        model, actuators = bounded.model, actuation.actuators
        self.places = places_of(model.mechanism, actuators)
        self.row: Array = np.zeros(self.places.width)
        self._bounded = bounded
        self._actuation = actuation
        self._limit = effort_limit
        self._log = log
        self._dt = dt
        self._given: _Given | None = None
        self._has_servos = False
        self._journal: block.Journal | None = None
        self.has_news = False
        self._no_rows: Array = np.zeros((0, self.places.width))
        self._all = np.arange(self.places.width)
        self._unbooked: Array = np.zeros(6)
        self._watch = watch_of(model, rotors, actuators.matrix, actuators.constant)

        self.q, self.v, self.drive_effort = (self.row[place : self.places.coupling : 3] for place in (1, 2, 3))
        self.actuator_effort = self.row[self.places.actuator + 2 : self.places.body : 3]
        self.q.flags.writeable = self.v.flags.writeable = False

    def read(self, *, time: float) -> None:
        """Read the present state: all of `row` but for the ledger's part and what drives give."""
        watch(self._bounded.model.F, self._bounded.model.N, self._watch, self.row)
        self.row[0] = time
        if self.places.cables:
            self.row[self.places.cable + 1 :: 2] = cable_tensions(self._bounded)[:, 1]

    def cables(self) -> Array:
        """Length and tension of every cable, of `row`, shape (n_cables, 2)."""
        found: Array = self.row[self.places.cable :].reshape(-1, 2).copy()
        return found

    def use_step(self, dt: float) -> None:
        """Make steps of `dt` [s] from now on."""
        self._dt = dt
        self._given = None

    def is_bounded(self) -> bool:
        """Whether positions, velocities and residuals of `row` are finite and within bounds."""
        energy = self.places.energy
        return is_bounded(self.row[1:energy], self.row[energy + ENERGIES :])

    def impulses(self) -> dict[int, tuple[float, float, float]]:
        """Impulses that motors took in the last step, see `BoundedMechanism.impulses`."""
        return self._bounded.impulses()

    def residuals(self, state: BackendState) -> tuple[Array, Array]:
        """Residuals of couplings, shape (n_couplings,), and of loops, shape (n_loops, 2), of `row`, which was read off
        `state`."""
        row, at = self.row, self.places
        return row[at.coupling : at.loop].copy(), row[at.loop : at.energy].reshape(-1, 2).copy()

    def energies(self, state: BackendState) -> tuple[float, float]:
        """Kinetic and potential energy of `row` [J], springs and rotors included."""
        kinetic, potential = self.row[self.places.energy : self.places.energy + 2].tolist()
        return kinetic, potential

    def advance(
        self, orders: block.Orders, ledger: WorkLedger, worst: Array, span: block.Span, columns: Ints | None = None
    ) -> tuple[int, Array]:
        """Make steps; returns their number and the recorded rows, shape (n, n_columns): these `columns`, or all.
        Fewer steps if a state must be examined; none if the next step must be made alone."""
        journal = self._journal_for(orders, ledger.values, worst, span.rows, self._all if columns is None else columns)
        self._bounded.advance_block(journal, self._dt, span)
        self._settle(orders)
        made, written, _, news, _ = journal.report.tolist()
        self.has_news = news != 0
        if not written and columns is None:
            return made, self._no_rows
        return made, journal.rows[:written].copy()

    def begin_step(self, orders: block.Orders, ledger: WorkLedger, step: int) -> None:
        """Order the step after so many, which the dynamics then make, as `advance` does; `row` is the state now."""
        journal = self._journal_for(orders, ledger.values, self._unbooked, 0, self._all)
        model = self._bounded.model
        begin_step(model.F, model.N, self._bounded.lines[1], journal, step, self._dt)

    def end_step(self, step: int) -> None:
        """Book that step, after which the state was read."""
        journal = self._journal
        assert journal is not None
        model = self._bounded.model
        end_step(model.F, model.N, self._bounded.lines, journal, step, self._dt)
        self._settle(journal.orders)

    def set_servos(self, time: float) -> None:
        """Give the dynamics the loops of drives, for steps from the one that begins at `time` [s] with `row`."""
        if self._has_servos or self._actuation.is_used:
            servos, _ = self._actuation.servos(time, self.q, self.v, self._dt)
            self._bounded.set_servos(servos)
            self._has_servos = len(servos) > 0

    def push(self, axis: int, setpoint: Setpoint) -> None:
        """Another effort for an axis that is given one, from the next step on, in the orders that there are."""
        given = self._given
        if given is not None and axis in given.setpoints:
            most = self._limit.item(axis)
            _give(given.orders, axis, min(max(setpoint.value, -most), most))
            given.setpoints[axis] = setpoint

    def has_orders(self, span: block.Span) -> bool:
        """Whether orders made for an earlier block serve these steps, with motors and servos in their lines."""
        given = self._given
        return (
            given is not None
            and given.revision == self._actuation.revision
            and given.first <= span.first
            and span.first + span.steps <= given.end
            and given.orders.line_axis is self._bounded.line_axis
        )

    def orders_again(self, setpoints: Mapping[int, Setpoint]) -> block.Orders:
        """The orders that there are, with other efforts where axes are given some (numbers of motors are in
        `bounded`)."""
        actuation = self._actuation
        given = self._given
        assert given is not None
        orders = given.orders
        now = given.fixed_of(setpoints) if given.over_time else setpoints
        if now != given.setpoints:
            fixed = given.fixed if given.over_time else slice(None)
            _give(orders, fixed, pushed(setpoints, self._limit)[fixed])
            given.setpoints.clear()
            given.setpoints.update(now)
        if actuation.is_used:
            orders.servo_stored[:] = actuation.stored
            orders.actuator_effort[:] = actuation.effort
        return orders

    def new_orders(
        self, setpoints: Mapping[int, Setpoint], motor_numbers: MotorNumbers, span: block.Span
    ) -> block.Orders:
        """Orders for the steps of `span`, and for `AHEAD` steps where drives change over time as profiles of this
        program say: a call of one step took 20 times as long with orders of its own."""
        actuation = self._actuation
        profiles = actuation.profiles()
        over_time = frozenset(actuation.over_time)
        is_constant = all(isinstance(profile, Constant) for profile in profiles)
        steps = max(span.steps, AHEAD if all(map(is_frozen, profiles)) else 1)
        make = partial(
            orders_of,
            actuation,
            setpoints,
            self._bounded,
            motor_numbers,
            effort_limit=self._limit,
            log=self._log,
            dt=self._dt,
        )
        try:
            orders = make(span=span._replace(steps=1 if is_constant else steps))
        except UsageError:  # a formula that has no value where it is never asked
            steps = max(span.steps, 1)
            orders = make(span=span)
        fixed = np.array([axis for axis in range(len(self._limit)) if axis not in over_time], dtype=np.int64)
        first, end = (0, math.inf) if is_constant else (span.first, span.first + steps)
        given = _Given({}, actuation.revision, orders, first, end, fixed, over_time)
        self._given = given._replace(setpoints=given.fixed_of(setpoints))
        return orders

    def _settle(self, orders: block.Orders) -> None:
        """Take over what loops of drives have stored, and the last efforts of actuators."""
        if self._actuation.is_used:
            self._actuation.go_on_from(orders.servo_stored.tolist(), orders.actuator_effort)

    def run_variants(
        self, orders: block.Orders, variants: Variants, span: block.Span, numbers: Array, rows: Array, columns: Ints
    ) -> NDArray[np.bool_]:
        """Run variants of the mechanism in its buffers, see `variant_kernels`; returns which are done, shape (n,)."""
        bounded = self._bounded
        watched, columns = self._watch_for(variants, columns)
        ledger = np.zeros(6)
        worst = np.zeros(6)
        model = bounded.model
        made = np.zeros(len(numbers), dtype=np.int64)
        unkept = block.carried(model.F, model.N, bounded.lines[1], orders, ledger, worst)
        report = np.zeros(5, dtype=np.int64)
        journal = block.Journal(watched, orders, rows, columns, self.row, worst, ledger, report, unkept)
        run_variants(*bounded.buffers, bounded.lines, NO_CONTACTS, journal, span, self._dt, variants, numbers, made)
        is_made: NDArray[np.bool_] = made != 0
        return is_made

    def _watch_for(self, variants: Variants, columns: Ints) -> tuple[Watch, Ints]:
        """What is read off each state of a variant, and the columns of that: residuals of loops, which take 2 % of a
        step, only where they are recorded or may end a run."""
        loops, after = self.places.loop, self.places.energy
        if leaves_some_out(variants.ints) or ((loops <= columns) & (columns < after)).any():
            return self._watch, columns
        watched = self._watch._replace(loop_angle=self._watch.loop_angle[:0], loop_held=self._watch.loop_held[:0])
        return watched, np.where(columns < loops, columns, columns - (after - loops))

    def journal(self, orders: block.Orders, rows: int, ledger: Array | None = None) -> block.Journal:
        """A journal of all columns, with a ledger of its own if it is given none, and room for so many rows."""
        return self._journal_for(orders, self._unbooked if ledger is None else ledger, self._unbooked, rows, self._all)

    def _journal_for(
        self, orders: block.Orders, ledger: Array, worst: Array, rows: int, columns: Ints
    ) -> block.Journal:
        """A journal with room for so many rows; the last one again where that will do: a call with the same arrays as
        before costs a third of one with new ones."""
        last = self._journal
        if (
            last is None
            or last.orders is not orders
            or last.ledger is not ledger
            or last.worst is not worst
            or last.columns is not columns
            or len(last.rows) < rows
        ):
            model = self._bounded.model
            RF = self._bounded.lines[1]
            room = np.empty((rows, len(columns)))
            kept = block.Kept._make(map(np.copy, block.carried(model.F, model.N, RF, orders, ledger, worst)))
            report = np.zeros(5, dtype=np.int64)
            last = block.Journal(self._watch, orders, room, columns, self.row, worst, ledger, report, kept)
            self._journal = last
        return last


def _give(orders: block.Orders, axes: int | slice | Ints, efforts: Array | float) -> None:
    """Give axes other efforts of their own, beside those of actuators."""
    if len(orders.matrix):
        orders.efforts[:, axes] = efforts + orders.pushes @ orders.matrix[:, axes]
        orders.efforts_after[:, axes] = efforts + orders.pushes_after @ orders.matrix[:, axes]
    else:
        rows = 0 if len(orders.efforts) == 1 else slice(None)  # in a fourth of the time: controllers come here
        orders.efforts[rows, axes] = orders.efforts_after[rows, axes] = efforts
