"""A mechanism that moves at compiled speed, with motors, friction, stops, speed limits and contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import block
from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.announce import announced_compilation, tell_on_stderr
from simulator.dynamics.compiled.block_kernels import advance_block
from simulator.dynamics.compiled.bounded_rows import gather_axis_rows
from simulator.dynamics.compiled.bounded_step import NO_ROOM, advance_bounded
from simulator.dynamics.compiled.model import CompiledMechanism
from simulator.dynamics.compiled.step_kernels import accelerate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from simulator.dynamics.compiled.announce import Compilation
    from simulator.dynamics.compiled.block import Block, Span
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

ROWS_OF_CONTACT = 3
LARGEST_KERNEL = "bounded_step.advance_bounded"
NO_CONTACTS: tuple[NDArray[np.int64], NDArray[np.float64]] = (
    np.zeros((0, 2), dtype=np.int64),
    np.zeros((0, row_at.CONTACT_COLUMNS)),
)


@dataclass(frozen=True)
class Motor:
    """What a motor holds: `velocity`, or `position` at no more than |velocity| (0: no bound), with at most `max_effort`."""

    max_effort: float
    velocity: float = 0.0
    position: float | None = None


@dataclass(frozen=True)
class Servo:
    """A loop over one step, for x = Σ factor · position of an axis: an effort of at most `max_effort` on x that goes along with the motion.

    It is `effort` + `stiffness` times how far x moves behind its target + `damping` times how much its rate lacks to the target's, whose
    rate goes from the first of `rates` to the second. `terms`: (axis, factor).
    """

    terms: tuple[tuple[int, float], ...]
    max_effort: float
    effort: float
    stiffness: float
    damping: float
    rates: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class ContactTable:
    """Contact points, n of them.

    `bodies` (n, 2): body indices of the mechanism; `points` (n, 3), and `normals` (n, 3) towards the first body, in the world; `gaps` (n,)
    [m], negative where they overlap; `friction` (n,) and `restitution` (n,) coefficients. Where the first body is round or a corner over
    a flat face of the second, `centres` (n, 3) has the centre of the rounding, else nan: with it a gap is foreseen to second order.
    """

    bodies: Ints
    points: Array
    normals: Array
    gaps: Array
    friction: Array
    restitution: Array
    centres: Array


class BoundedMechanism:
    """A `CompiledMechanism` and what bounds its motion; `step` takes all of it into account at once.

    Stops, speed limits and joint friction are the document's; motors and contacts are told from outside.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        added_inertia: Array | None = None,
        announce: Callable[[Compilation], None] = tell_on_stderr,
    ) -> None:
        """`added_inertia` and `announce`: see `CompiledMechanism`."""
        self._mechanism, self.announce = mechanism, announce
        self._motors: dict[int, Motor] = {}
        self._servos: tuple[Servo, ...] = ()
        self._contacts = NO_CONTACTS
        self._dt = 0.0
        with announced_compilation(announce, LARGEST_KERNEL):
            self.model = CompiledMechanism(mechanism, added_inertia=added_inertia, announce=announce)
            self._arrange()
            advance_bounded(self.model.F, self.model.N, self._B, self._C, self._RI, self._RF, *NO_CONTACTS, 1e-9)
        self._has_rows = len(self._RI) > 0

    def set_motor(self, axis: int, motor: Motor | None) -> None:
        """Drive an axis, or let it go. Other numbers for a motor of the same kind are cheap: they may change every step."""
        before = self._motors.pop(axis, None)
        if motor is not None and motor.max_effort > 0.0:
            self._motors[axis] = motor
        now = self._motors.get(axis)
        if before is None or now is None or _kind(before) != _kind(now):
            if before is not now:
                self._arrange()
            return
        numbers = _numbers(now)
        self._RF[self._motor_line[axis], : len(numbers)] = numbers

    def set_servos(self, servos: Sequence[Servo]) -> None:
        """Loops of the next step, instead of those of the last. Other numbers for the same axes are cheap."""
        same = [servo.terms for servo in self._servos] == [servo.terms for servo in servos]
        self._servos = tuple(servos)
        if not same:
            self._arrange()
            return
        for line, servo in zip(self._servo_line, self._servos, strict=True):
            numbers = _servo_numbers(servo)
            self._RF[line, : len(numbers)] = numbers

    def response(self, rates: Sequence[tuple[tuple[int, float], ...]]) -> tuple[Array, Array]:
        """For Σ factor · position of an axis, one for every tuple of (axis, factor): its acceleration in the present state, shape (n,), and
        by how much impulses on all of them change its rate, shape (n, n), couplings and loops held, nothing else in the way.

        Forgets servos."""
        self.set_servos([Servo(terms, 1.0, 0.0, 0.0, 0.0) for terms in rates])
        model, B, C = self.model, self._B, self._C
        accelerate(model.F, model.N)
        C[row_at.COUNT] = 0
        while not gather_axis_rows(model.F, model.N, B, C, self._RI, self._RF, 1e-9):
            self._make_room(2 * int(C[row_at.ROW_ROOM]), 2 * int(C[row_at.ENTRY_ROOM]))
            B, C = self._B, self._C
        where = [int(row_at.int_of_row(C, row_at.C_LINE, row)) for row in range(int(C[row_at.COUNT]))]
        rows = {int(C[place]): row for row, place in enumerate(where)}
        chosen = [rows[line] for line in self._servo_line]
        m = int(model.N[at.INDEPENDENT])
        J, X = row_at.dense_rows(B, C, chosen, m)
        self.set_servos(())
        return J @ model.view(at.F_DV)[:m], J @ X.T

    def set_contacts(self, table: ContactTable | None) -> None:
        """Contact points of the next step."""
        if table is None or len(table.gaps) == 0:
            self._contacts = NO_CONTACTS
            return
        nodes = np.append(self.model.parts.tree.node_of_body[1:], -1)[table.bodies - 1]
        CF = np.zeros((len(table.gaps), row_at.CONTACT_COLUMNS))
        CF[:, 0:3], CF[:, 3:6], CF[:, row_at.GAP] = table.points, table.normals, table.gaps
        CF[:, row_at.MU], CF[:, row_at.RESTITUTION] = table.friction, table.restitution
        CF[:, row_at.CENTRE : row_at.CENTRE + 3] = table.centres
        self._contacts = np.ascontiguousarray(nodes, dtype=np.int64), CF

    def forget(self) -> None:
        """Forget what the last step did: efforts, forces and energies read as zero."""
        self._dt = 0.0
        self._RF[:, row_at.IMPULSE] = 0.0
        self._C[row_at.BLOCKED] = 0
        self.model.view(at.F_FLOW)[:] = 0.0

    def step(self, dt: float) -> float:
        """Advance by `dt` [s]; returns the largest loop residual [m or 1] that the projection had to remove."""
        self._dt = dt
        model, (CI, _) = self.model, self._contacts
        if not self._has_rows and len(CI) == 0:
            return model.step(dt)
        if len(CI) > 0:
            model.refresh()
            rows = len(self._RI) + ROWS_OF_CONTACT * len(CI)
            if rows > self._C[row_at.ROW_ROOM]:
                self._make_room(2 * rows, max(16 * rows, int(self._C[row_at.ENTRY_ROOM])))
        if model.rows.parked:
            return model.step_parked(self._advance, dt)
        worst = self._advance(dt)
        model.choose_rows_if_worse()
        return worst

    def _advance(self, dt: float) -> float:
        """`advance_bounded`, with as much room as it needs."""
        while True:
            worst = float(
                advance_bounded(self.model.F, self.model.N, self._B, self._C, self._RI, self._RF, *self._contacts, dt)
            )
            if worst != NO_ROOM:
                return worst
            self._make_room(2 * int(self._C[row_at.ROW_ROOM]), 2 * int(self._C[row_at.ENTRY_ROOM]))

    @property
    def motor_lines(self) -> dict[int, int]:
        """The line of RF of every axis that has a motor."""
        return self._motor_line

    @property
    def servo_lines(self) -> list[int]:
        """The first line of RF of every servo."""
        return self._servo_line

    @property
    def line_axis(self) -> Ints:
        """The axis of every line of RF, shape (n_lines,)."""
        return self._axis_of

    def advance_block(self, plan: Block, dt: float, span: Span) -> None:
        """Make steps of `dt` [s] without contacts, as `block_kernels.advance_block` does. Where somebody has to judge the next one, the
        state is that before it."""
        self._dt = dt
        model = self.model
        buffers = (model.F, model.N, self._RF, plan.orders.servo_stored, plan.ledger, plan.worst)
        kept = [buffer.copy() for buffer in buffers]

        def call(steps: int) -> None:
            advance_block(
                model.F, model.N, self._B, self._C, self._RI, self._RF, *NO_CONTACTS, plan.watch, plan.orders, plan.rows,
                plan.row, plan.worst, plan.ledger, plan.report, dt, plan.slack, span.first, steps, span.stride, span.phase,
            )  # fmt: skip

        call(span.steps)
        while plan.why in (block.ROOM, block.TROUBLE):
            for buffer, content in zip(buffers, kept, strict=True):
                buffer[:] = content
            if plan.why == block.TROUBLE:
                call(plan.made)
                break
            self._make_room(2 * int(self._C[row_at.ROW_ROOM]), 2 * int(self._C[row_at.ENTRY_ROOM]))
            call(span.steps)
        if plan.why == block.ROWS:
            model.choose_rows_if_worse()

    def motor_efforts(self) -> Array:
        """Mean effort of every axis' motor and servos over the last step, shape (n_axes,) [N m or N]."""
        efforts = self._efforts(row_at.TO_VELOCITY, row_at.TO_POSITION)
        if self._servos:
            for servo, effort in zip(self._servos, self.servo_efforts().tolist(), strict=True):
                for axis, factor in servo.terms:
                    efforts[axis] += factor * effort
        return efforts

    def servo_efforts(self) -> Array:
        """Mean effort of every servo over the last step, in the order in which they were set [N m or N]."""
        if not self._servos:
            return np.zeros(0)
        efforts: Array = self._RF[self._servo_line, row_at.IMPULSE] / (self._dt or 1.0)
        return efforts

    def friction_efforts(self) -> Array:
        """Mean effort of every axis' friction over the last step, shape (n_axes,) [N m or N]."""
        return self._efforts(row_at.FRICTION, row_at.FRICTION)

    def stop_efforts(self) -> Array:
        """Mean effort of every axis' stops over the last step, impacts included, shape (n_axes,) [N m or N]."""
        return self._efforts(row_at.LOWER, row_at.LOWER) - self._efforts(row_at.UPPER, row_at.UPPER)

    def contact_forces(self) -> Array:
        """Mean force of every contact point over the last step on the first body, impacts included, shape (n, 3) [N]: along the normal, and
        along two tangents."""
        forces: Array = self._contacts[1][:, row_at.CONTACT_IMPULSE : row_at.CONTACT_IMPULSE + 3] / (self._dt or 1.0)
        return forces

    def energy_flow(self) -> tuple[float, float]:
        """Work of efforts and motors, and energy taken by everything else, in the last step [J]."""
        flow = self.model.view(at.F_FLOW)
        return float(flow[0]), float(flow[1])

    def blocked(self) -> tuple[int, bool] | None:
        """(axis, whether other motors contradict it) of a motor that could not move its axis in the last step."""
        mark = int(self._C[row_at.BLOCKED])
        return None if mark == 0 or not self._has_rows else (self._axis_of[abs(mark) - 1], mark < 0)

    def _efforts(self, first: int, last: int) -> Array:
        result = np.zeros(len(self._mechanism.axes))
        if self._has_rows and self._dt > 0.0:
            chosen = (self._RI[:, 0] >= first) & (self._RI[:, 0] <= last)
            np.add.at(result, self._axis_of[chosen], self._RF[chosen, row_at.IMPULSE] / self._dt)
        return result

    def _arrange(self) -> None:
        """Lines of the tables: motors, friction, speed limits, then stops, so that stops have the last word in every sweep."""
        lines: list[tuple[int, int, tuple[float, ...]]] = []
        lines += [(_kind(motor), axis, _numbers(motor)) for axis, motor in sorted(self._motors.items())]
        self._motor_line = {axis: line for line, (_, axis, _) in enumerate(lines)}
        self._servo_line: list[int] = []
        for servo in self._servos:
            self._servo_line.append(len(lines))
            kinds = (row_at.SERVO, *[row_at.FURTHER] * len(servo.terms))
            lines += [
                (kind, axis, (*_servo_numbers(servo), factor))
                for kind, (axis, factor) in zip(kinds, servo.terms, strict=False)
            ]
        axes, codes = [(i, info.axis) for i, info in enumerate(self._mechanism.axes)], self.model.axis_codes
        lines += [
            (row_at.HELD, i, (0.0, 0.0, axis.spring_stiffness, axis.damping, 0.0, 0.0, axis.spring_reference))
            for i, axis in axes
            if codes[i] < 0 and (axis.damping > 0.0 or axis.spring_stiffness > 0.0)
        ]
        lines += [(row_at.FRICTION, i, (axis.friction,)) for i, axis in axes if axis.friction > 0.0]
        lines += [(row_at.SPEED, i, (axis.velocity,)) for i, axis in axes if 0.0 < axis.velocity < np.inf]
        lines += [(row_at.LOWER, i, (axis.lower,)) for i, axis in axes if np.isfinite(axis.lower)]
        lines += [(row_at.UPPER, i, (axis.upper,)) for i, axis in axes if np.isfinite(axis.upper)]
        self._RI = np.array([(kind, codes[axis]) for kind, axis, _ in lines], dtype=np.int64).reshape(-1, 2)
        self._RF = np.zeros((len(lines), row_at.AXIS_COLUMNS))
        for line, (_, _, numbers) in enumerate(lines):
            self._RF[line, : len(numbers)] = numbers
        self._axis_of = np.array([axis for _, axis, _ in lines], dtype=np.int64)
        self._has_rows = len(lines) > 0
        rows = len(lines) + 24
        self._make_room(
            rows, (len(lines) + 24) * max(1, int(self.model.N[at.INDEPENDENT])) if rows < 200 else 64 * rows
        )

    def _make_room(self, rows: int, entries: int) -> None:
        entries = max(entries, 2 * int(self.model.N[at.INDEPENDENT]))
        self._B, self._C = row_at.make_room(rows, entries)


def _kind(motor: Motor) -> int:
    return row_at.TO_VELOCITY if motor.position is None else row_at.TO_POSITION


def _numbers(motor: Motor) -> tuple[float, ...]:
    """The numbers of a motor's line."""
    if motor.position is None:
        return motor.max_effort, motor.velocity
    return motor.max_effort, motor.position, abs(motor.velocity)


def _servo_numbers(servo: Servo) -> tuple[float, ...]:
    """The numbers of a servo's line, without the factor of the axis."""
    return servo.max_effort, servo.effort, servo.stiffness, servo.damping, *servo.rates
