"""Steps of a mechanism that moves by its own equations, many in one call, and what is read off its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import block
from simulator.dynamics.compiled.watch import watch_of
from simulator.dynamics.compiled.watch_kernels import watch
from simulator.engine.orders import orders_of
from simulator.engine.row_places import places_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from simulator.dynamics.compiled.bounded import BoundedMechanism
    from simulator.engine.actuation import Actuation
    from simulator.engine.drives import Setpoint
    from simulator.engine.effort_log import EffortLog
    from simulator.engine.energy import WorkLedger
    from simulator.engine.port import BackendState

    Array = NDArray[np.float64]


class Blocks:
    """Blocks of steps of one mechanism; `row` is what was read off last."""

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
        self._last: block.Block | None = None
        self._watch = watch_of(model, rotors, actuators.matrix, actuators.constant)

    def read(self, drive_effort: Array, actuator_effort: Array, *, time: float) -> None:
        """Read the present state: all of `row` but for the ledger's part."""
        model, places, row = self._bounded.model, self.places, self.row
        watch(model.F, model.N, self._watch, row)
        row[0] = time
        row[3 : places.coupling : 3] = drive_effort
        row[places.actuator + 2 :: 3] = actuator_effort

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
        *,
        energy_at_start: float,
    ) -> tuple[int, Array]:
        """Make steps; returns how many, and the rows that are recorded, shape (n, width). Fewer than asked where
        somebody has to look: none where the next step has to be made alone. Contacts are left out."""
        orders = self._orders(setpoints, motor_numbers, span)
        plan = self._plan(orders, span.rows)
        plan.worst[:] = worst
        plan.ledger[:] = energy_at_start, *ledger.booked
        self._bounded.advance_block(plan, self._dt, span)
        worst[:] = plan.worst
        ledger.work, ledger.dissipated, ledger.loads, ledger.contact, ledger.overlap = plan.ledger[
            block.WORK :
        ].tolist()
        self._actuation.go_on_from(orders.servo_stored.tolist(), orders.actuator_effort)
        return plan.made, plan.rows[: plan.written]

    def _orders(
        self,
        setpoints: Mapping[int, Setpoint],
        motor_numbers: Callable[[int, Setpoint], tuple[float, float]],
        span: block.Span,
    ) -> block.Orders:
        """Orders for the steps of `span`; those of the last block while no drive changes over time or has a loop and
        all are what they were."""
        bounded, constant = self._bounded, self._constant
        is_constant = not self._actuation.is_used
        if is_constant and constant is not None:
            given, orders = constant
            if given == setpoints and orders.line_axis is bounded.line_axis:
                return orders
        orders = orders_of(
            self._actuation,
            setpoints,
            bounded,
            motor_numbers,
            effort_limit=self._limit,
            log=self._log,
            span=span,
            dt=self._dt,
        )
        self._constant = (dict(setpoints), orders) if is_constant else None
        return orders

    def _plan(self, orders: block.Orders, rows: int = 0) -> block.Block:
        """A block with room for so many rows; the last one again where that will do."""
        chosen, last = self._bounded.model.rows, self._last
        slack = chosen.slack if chosen.leaves_some_out else np.inf
        if last is None or last.orders is not orders or len(last.rows) != rows or rows > 0:
            room = np.empty((rows, self.places.width))
            last = self._last = block.Block(self._watch, orders, room, self.row, np.zeros(6), slack)
        last.slack = slack
        return last
