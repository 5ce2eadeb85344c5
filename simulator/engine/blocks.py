"""Steps of a mechanism that moves by its own equations, many in one call, and what is read off its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import block
from simulator.dynamics.compiled.bounded import NO_CONTACTS
from simulator.dynamics.compiled.variant_kernels import run_variants
from simulator.dynamics.compiled.watch import watch_of
from simulator.dynamics.compiled.watch_kernels import watch
from simulator.engine.orders import orders_of, pushed
from simulator.engine.row_places import places_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from simulator.dynamics.compiled.bounded import BoundedMechanism
    from simulator.dynamics.compiled.variants import Variants
    from simulator.engine.actuation import Actuation
    from simulator.engine.drives import Setpoint
    from simulator.engine.effort_log import EffortLog
    from simulator.engine.energy import WorkLedger
    from simulator.engine.port import BackendState

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


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
        self._bounded, self._actuation, self._limit, self._log, self._dt = bounded, actuation, effort_limit, log, dt
        self._constant: tuple[dict[int, Setpoint], block.Orders] | None = None
        self._journal: block.Journal | None = None
        self.has_news = False
        self._all = np.arange(self.places.width)
        self._watch = watch_of(model, rotors, actuators.matrix, actuators.constant)

        self.q, self.v, self.drive_effort = (self.row[place : self.places.coupling : 3] for place in (1, 2, 3))
        self.actuator_effort = self.row[self.places.actuator + 2 : self.places.body : 3]
        self.q.flags.writeable = self.v.flags.writeable = False

    def read(self, *, time: float) -> None:
        """Read the present state: all of `row` but for the ledger's part and what drives give."""
        watch(self._bounded.model.F, self._bounded.model.N, self._watch, self.row)
        self.row[0] = time

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
        self,
        setpoints: Mapping[int, Setpoint],
        motor_numbers: Callable[[int, Setpoint], tuple[float, float]],
        ledger: WorkLedger,
        worst: Array,
        span: block.Span,
        columns: Ints | None = None,
    ) -> tuple[int, Array]:
        """Make steps; returns how many, and the rows that are recorded, shape (n, n_columns): these `columns`, or all.
        Fewer than asked where somebody has to look: none where the next step has to be made alone."""
        orders = self.orders(setpoints, motor_numbers, span)
        journal = self._journal_for(orders, ledger.values, worst, span.rows, self._all if columns is None else columns)
        self._bounded.advance_block(journal, self._dt, span)
        if self._actuation.is_used:
            self._actuation.go_on_from(orders.servo_stored.tolist(), orders.actuator_effort)
        made, written, _, news = journal.report.tolist()
        self.has_news = news != 0
        return made, journal.rows[:written]

    def orders(
        self,
        setpoints: Mapping[int, Setpoint],
        motor_numbers: Callable[[int, Setpoint], tuple[float, float]],
        span: block.Span,
    ) -> block.Orders:
        """Orders for the steps of `span`; those of the last block while no drive changes over time or has a loop, with
        other efforts where axes are given some (numbers of motors are in `bounded`)."""
        bounded, constant = self._bounded, self._constant
        is_constant = not self._actuation.is_used
        if is_constant and constant is not None and constant[1].line_axis is bounded.line_axis:
            given, orders = constant
            if given != setpoints:
                orders.efforts[:] = orders.efforts_after[:] = pushed(setpoints, self._limit)
                self._constant = dict(setpoints), orders
            return orders
        orders = orders_of(
            self._actuation,
            setpoints,
            bounded,
            motor_numbers,
            effort_limit=self._limit,
            log=self._log,
            span=span._replace(steps=1) if is_constant else span,
            dt=self._dt,
        )
        self._constant = (dict(setpoints), orders) if is_constant else None
        return orders

    @property
    def springs(self) -> Array:
        """Stiffness and reference of the springs of axes, as they are read, shape (2, n_axes); a copy."""
        return np.array((self._watch.stiffness, self._watch.reference))

    def run_variants(
        self, orders: block.Orders, variants: Variants, span: block.Span, numbers: Array, rows: Array, columns: Ints
    ) -> NDArray[np.bool_]:
        """Run variants of the mechanism in its buffers, see `variant_kernels`; returns which are done, shape (n,)."""
        bounded, ledger, worst = self._bounded, np.zeros(6), np.zeros(6)
        model, made = bounded.model, np.zeros(len(numbers), dtype=np.int64)
        unkept = block.carried(model.F, model.N, bounded.lines[1], orders, ledger, worst)
        report = np.zeros(4, dtype=np.int64)
        journal = block.Journal(self._watch, orders, rows, columns, self.row, worst, ledger, report, unkept)
        run_variants(bounded.buffers, bounded.lines, NO_CONTACTS, journal, span, self._dt, variants, numbers, made)
        is_made: NDArray[np.bool_] = made != 0
        return is_made

    def _journal_for(
        self, orders: block.Orders, ledger: Array, worst: Array, rows: int, columns: Ints
    ) -> block.Journal:
        """A journal with room for so many rows; the last one again where that will do."""
        last = self._journal
        if last is None or last.orders is not orders or last.ledger is not ledger or last.worst is not worst or rows:
            model, RF, room = self._bounded.model, self._bounded.lines[1], np.empty((rows, len(columns)))
            kept = block.Kept._make(map(np.copy, block.carried(model.F, model.N, RF, orders, ledger, worst)))
            report = np.zeros(4, dtype=np.int64)
            last = block.Journal(self._watch, orders, room, columns, self.row, worst, ledger, report, kept)
            self._journal = None if rows else last
        return last
