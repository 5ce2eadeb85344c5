"""A mechanism that moves at compiled speed, with motors, friction, stops, speed limits and contacts."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.native.kernels import Repeated
from simulator.physics.compiled.loose_bodies import find_loose_bodies
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.contacts.midpoint_rows import friction_of_contacts
from simulator.physics.impact.lines import (
    POWER,
    Line,
    Motor,
    Servo,
    forget_last_step,
    keep_impulses,
    lines_of,
    write_numbers,
)
from simulator.physics.impact.motors import AFTER, BEFORE, KICK, START
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import FREE
from simulator.physics.motion.loose import NEVER
from simulator.physics.rows.meshes import BESIDE
from simulator.physics.solver.dense import DENSE
from simulator.physics.solver.islands import find_blocks
from simulator.physics.step import block
from simulator.physics.step.blocks import advance_block
from simulator.physics.step.step import NO_ROOM, advance_bounded
from simulator.physics.step.watch import is_unbalanced
from simulator.physics.tree.load_tables import PROFILES_OF_FORCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from typing_extensions import Self

    from simulator.mechanism.types import Mechanism
    from simulator.physics.layout.meshes import GearMesh
    from simulator.physics.step.block import ContactSource, Journal, Span
    from simulator.spatial.arrays import Array, Ints

    Memory: TypeAlias = tuple[Array, Ints, Array, float]


MANY = 64
"""Entries of a row for which there is room at first: rows of free bodies have six for each. Those of long chains have
more, and get more room when they come."""
WIDE = 128
"""Coordinates up to which there is room for that."""
ROWS_OF_BODY, ENTRIES_OF_ROW, LINE_OF_MATRIX = 18, 24, 100
"""Room at first for what touches: rows for each loose body, entries for each row, and for each coordinate."""
NO_CONTACTS = (np.zeros((0, row_at.CONTACT_INTS), dtype=np.int64), np.zeros((0, row_at.CONTACT_COLUMNS)))


class BoundedMechanism:
    """A `CompiledMechanism` and what bounds its motion; `step` takes all of it into account at once.

    Stops, speed limits and joint friction are the document's; motors and contacts are set by the engine.
    """

    def __init__(self, mechanism: Mechanism, *, added_inertia: Array | None = None) -> None:
        """`added_inertia`: see `CompiledMechanism`."""
        self._mechanism = mechanism
        self._motors: dict[int, Motor] = {}
        self._servos: tuple[Servo, ...] = ()
        self._contacts = NO_CONTACTS
        self._RI, self._RF = np.zeros((0, 2), dtype=np.int64), np.zeros((0, row_at.AXIS_COLUMNS))
        self._touching: ContactSource | None = None
        self._advance_block = Repeated(advance_block)
        self._dt = 0.0
        self._B, self._C = row_at.make_room(0, 0)
        self.model = CompiledMechanism(mechanism, added_inertia=added_inertia, real=True)
        self._arrange()
        self._has_rows = len(self._RI) > 0

    def set_motor(self, axis: int, motor: Motor | None) -> None:
        """Drive an axis, or let it go. Other numbers for a motor of the same kind are cheap: they may change every
        step."""
        before = self._motors.pop(axis, None)
        if motor is not None and motor.max_effort > 0.0:
            self._motors[axis] = motor
        now = self._motors.get(axis)
        if before is None or now is None or before.kind != now.kind:
            if before is not now:
                self._arrange()
            return
        numbers = now.numbers
        self._RF[self._motor_line[axis], : len(numbers)] = numbers

    def start_motors(self, speeds: Mapping[int, float]) -> None:
        """The drives of these axes begin or jump in the next step: a motor without an effort limit takes its axis to
        that velocity at once (one for a position to that of its approach)."""
        for axis, speed in speeds.items():
            self._RF[self._motor_line[axis], [START, KICK]] = speed, 1.0

    def impulses(self) -> dict[int, tuple[float, float, float]]:
        """Impulses that motors took in the last step, by axis [N m s or N s], and their velocities before and after
        them [rad/s or m/s]; none of it is in their efforts."""
        RF = self._RF
        given = {axis: line for axis, line in self._motor_line.items() if RF[line, row_at.JUMP] != 0.0}
        return {axis: tuple(RF[line, [row_at.JUMP, BEFORE, AFTER]].tolist()) for axis, line in given.items()}

    def set_servos(self, servos: Sequence[Servo]) -> None:
        """Loops of the next step, instead of those of the last. Other numbers for the same axes are cheap."""
        same = [servo.terms for servo in self._servos] == [servo.terms for servo in servos]
        self._servos = tuple(servos)
        if not same:
            self._arrange()
            return
        for line, servo in zip(self._servo_line, self._servos, strict=True):
            numbers = servo.numbers
            self._RF[line, : len(numbers)] = numbers

    def touch_by(self, touching: ContactSource) -> None:
        """Find contacts like that between the steps of a block."""
        self._touching = touching
        # For what lies in a heap; a block of steps for which there is no room is made twice.
        loose = int((np.asarray(self.model.parts.tree.kind) == FREE).sum())
        rows = len(self._RI) + ROWS_OF_BODY * loose
        width = int(self.model.N[at.INDEPENDENT])
        if rows > self._C[row_at.ROW_ROOM]:
            self._make_room(rows, ENTRIES_OF_ROW * rows, LINE_OF_MATRIX * width)
        self._tell_loose()

    def _tell_loose(self) -> None:
        """Whether steps may be those of `motion.loose`; factors are found anew, and nothing is left alone."""
        free = self._touching is not None and not self._touching.is_steered
        self._C[row_at.LOOSE], self._asleep[:] = find_loose_bodies(self.model) if free else (0, NEVER)

    @property
    def _asleep(self) -> Ints:
        """Which coordinates are left alone (`motion.loose`), a view."""
        begin = int(row_at.island_column(self._C, row_at.I_ASLEEP))
        return self._C[begin : begin + int(self._C[row_at.WIDTH]) + 1]

    def use_contacts(self, ints: Ints, floats: Array) -> None:
        """Contact points of the next step, in the tables of `layout.row_layout`, which take what comes of them."""
        self._contacts = ints, floats

    @property
    def has_rows(self) -> bool:
        """Whether motors, friction, stops or speed limits act on axes."""
        return self._has_rows

    @property
    def can_touch(self) -> bool:
        """Whether contacts are found between the steps of a block, or were for the next step."""
        return self._touching is not None or len(self._contacts[0]) > 0

    @property
    def contacts(self) -> tuple[Ints, Array]:
        """Contact points of the last step, in the tables of `layout.row_layout`."""
        return self._contacts

    @property
    def buffers(self) -> tuple[Array, Ints, Array, Ints]:
        """The buffers as kernels take them."""
        return self._buffers

    @property
    def lines(self) -> tuple[Ints, Array]:
        """RI and RF, as kernels take them."""
        return self._lines

    @property
    def node_of_body(self) -> Ints:
        """The node that carries each body, shape (n_bodies,); -1 is the world."""
        nodes = self.model.parts.tree.node_of_body.astype(np.int64)
        nodes[0] = -1
        return nodes

    def like(self, mechanism: Mechanism, added_inertia: Array | None) -> Self | None:
        """As `CompiledMechanism.like`, with the stops, friction and speed limits of `mechanism`, and without motors,
        loops and contacts."""
        model = self.model.like(mechanism, added_inertia)
        if model is None:
            return None
        other = copy.copy(self)
        other.model, other._mechanism = model, mechanism
        other._motors, other._servos = {}, ()
        other._touching, other._dt = None, 0.0
        other._advance_block = self._advance_block.for_another()
        other.use_contacts(*NO_CONTACTS)
        other._arrange()
        return other

    def forget(self) -> None:
        """Forget what the last step did: efforts, forces and energies read as zero."""
        self._dt = 0.0
        self._RF[:, row_at.IMPULSE] = self._RF[:, row_at.PUSHED] = 0.0
        self._RF[:, row_at.JERK : row_at.AXIS_COLUMNS] = 0.0
        forget_last_step(*self._lines)
        self.count_energies()
        self._C[row_at.BLOCKED] = 0
        self._tell_loose()
        self.model.view(at.F_FLOW)[:] = 0.0
        self.model.view(at.F_PEAK)[:] = 0.0

    def memory(self) -> Memory:
        """The state, and what rows remember of the last step."""
        return self.model.F.copy(), self._RI.copy(), self._RF.copy(), self._dt

    def recall(self, memory: Memory) -> bool:
        """Go back to what `memory` gave, rows as far as they are the same; whether the state has the same form."""
        F, RI, RF, dt = memory
        if F.shape != self.model.F.shape:
            return False
        self.model.F[:] = F
        keep_impulses((RI, RF), self._lines)
        self._dt = dt
        return True

    def begin_with(self, kinetic: float) -> None:
        """The largest kinetic energy so far [J] is that of the start."""
        self.model.view(at.F_PEAK)[:] = kinetic

    def keep(self) -> Callable[[], None]:
        """All that a step changes; calling what is returned takes back what was done since."""
        model = self.model
        lines = self._RF.copy()
        last = self._dt
        kept = [array.copy() for array in (model.F, model.N, *self._touched())]
        put_rows_back = model.rows.keep()

        def take_back() -> None:
            block.put_back((model.F, model.N, *self._touched()), kept)
            if len(self._RF) == len(lines):  # else there are other motors, which are set anew
                self._RF[:] = lines
            self._dt = last
            put_rows_back()

        return take_back

    def step(self, dt: float) -> float:
        """Advance by `dt` [s]; returns the largest loop residual [m or 1] that the projection had to remove."""
        self._dt = dt
        model, touching = self.model, self._touching
        if touching is not None:
            if not model.rows.parked:
                return touching.step(dt)
            touching.find(dt)
        worst = self._step_given(dt)
        if touching is not None:
            touching.remember()
        return worst

    def _step_given(self, dt: float) -> float:
        """With the contacts that are given, and no others."""
        model, (CI, _) = self.model, self._contacts
        if not self._has_rows and len(CI) == 0 and self._touching is None:
            return model.step(dt)
        if len(CI) > 0:
            model.refresh()
            rows = len(self._RI) + row_at.ROWS_OF_CONTACT * len(CI)
            if rows > self._C[row_at.ROW_ROOM]:
                self._make_room(2 * rows, max(16 * rows, int(self._C[row_at.ENTRY_ROOM])))
        if model.rows.parked:
            return model.step_parked(self._advance, dt, self._RF)
        worst = self._advance(dt)
        model.choose_rows_if_worse()
        return worst

    def _advance(self, dt: float) -> float:
        """`advance_bounded`, with as much room as it needs."""
        carried = self.model.F, self.model.N, self._RF
        begun = [array.copy() for array in carried]
        while True:
            worst = float(
                advance_bounded(self.model.F, self.model.N, self._B, self._C, self._lines, self._contacts, dt)
            )
            if worst != NO_ROOM:
                return worst
            block.put_back(carried, begun)  # impulses at the start of the step may have been given by then
            self.make_more_room()

    def make_more_room(self) -> None:
        """For what was missing: the matrices of islands, rows, or their entries."""
        rows, entries = int(self._C[row_at.ROW_ROOM]), int(self._C[row_at.ENTRY_ROOM])
        if int(self._C[row_at.MATRIX_WANTED]) > int(self._C[row_at.MATRIX_ROOM]):
            self._make_room(rows, entries, 2 * int(self._C[row_at.MATRIX_WANTED]))
        elif int(self._C[row_at.COUNT]) > rows - row_at.ROWS_OF_CONTACT:
            self._make_room(2 * rows, entries)
        else:
            self._make_room(rows, 2 * entries)

    @property
    def last_step(self) -> float:
        """How long the last step was [s]; 0 before one."""
        return self._dt

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

    def advance_block(self, journal: Journal, dt: float, span: Span) -> None:
        """Make steps of `dt` [s] as `step.blocks.advance_block` does, with contacts that `touching` finds. If
        the next step needs a decision in Python, the state is the one before it."""
        self._dt = dt
        report = journal.report
        self._make_steps(journal, dt, span)
        while (why := report.item(block.WHY)) in (block.ROOM, block.TROUBLE):
            touched = () if self._touching is None else self._touching.begun
            # The same steps again give the same motion, to the last bit; what wanted room may be longer now.
            steps = span.steps if why == block.ROOM else int(report[block.MADE])
            if why == block.ROOM:
                self.make_more_room()
            begun = block.carried(self.model.F, self.model.N, self._RF, journal.orders, journal.ledger, journal.worst)
            block.put_back((*begun, *self._touched()), (*journal.kept, *touched))
            self._make_steps(journal, dt, span._replace(steps=steps))
            if steps < span.steps:
                break
        if report.item(block.WHY) == block.ROWS:
            self.model.choose_rows_if_worse()

    def call_of_steps(self, journal: Journal, span: Span, dt: float) -> tuple[Any, tuple[Any, ...]]:
        """The entry that makes steps in one call, and its arguments; see `advance_block`."""
        slack = self.model.rows.slack
        if self._touching is not None:
            return self._touching.call_of_steps(journal, span, dt, slack)
        return advance_block, (*self._buffers, self._lines, NO_CONTACTS, journal, span, dt, slack)

    def make_spare_room(self, times: int) -> None:
        """So many times the room for rows, and for what touches, for steps that cannot ask for more."""
        rows, entries = int(self._C[row_at.ROW_ROOM]), int(self._C[row_at.ENTRY_ROOM])
        matrix = max(int(self._C[row_at.MATRIX_ROOM]), LINE_OF_MATRIX * int(self.model.N[at.INDEPENDENT]))
        self._make_room(times * rows, times * entries, times * matrix)
        if self._touching is not None:
            self._touching.make_spare_room(times)

    def _touched(self) -> tuple[Array | Ints, ...]:
        """State of the contacts that the next step needs."""
        if self._touching is None:
            return ()
        return (*self._touching.state, self._asleep, self._C[row_at.LOOSE : row_at.LOOSE + 1])

    def _make_steps(self, journal: Journal, dt: float, span: Span) -> None:
        slack = self.model.rows.slack
        if self._touching is not None:
            self.use_contacts(*self._touching.advance(journal, dt, span, slack))
        else:
            self._advance_block(*self._buffers, self._lines, NO_CONTACTS, journal, span, dt, slack)

    def motor_efforts(self) -> Array:
        """Mean effort of every axis' motor and servos over the last step, shape (n_axes,) [N m or N]."""
        efforts = self._efforts(row_at.TO_VELOCITY, row_at.TO_POSITION)
        for servo, line in zip(self._servos, self._servo_line, strict=True):
            for axis, factor in servo.terms:
                efforts[axis] += factor * self._RF[line, row_at.IMPULSE] / (self._dt or 1.0)
        return efforts

    def friction_efforts(self) -> Array:
        """Mean effort of every axis' friction over the last step, shape (n_axes,) [N m or N]."""
        return self._efforts(row_at.FRICTION, row_at.FRICTION)

    def coupling_efforts(self) -> Array:
        """Mean effort of every coupling on its follower, shape (n_couplings,); nan of ideal ones, which have no row."""
        carried = np.full(len(self._mechanism.couplings), np.nan)
        numbers = [mesh.coupling for mesh in self._meshes if mesh.cable < 0]
        carried[numbers] = self.mean_efforts(row_at.MESH)[: len(numbers)]
        return carried

    def count_energies(self) -> None:
        """Count what passes couplings with losses from here on."""
        self._RF[self._RI[:, 0] == row_at.LOSS, POWER] = 0.0

    def coupling_energies(self) -> dict[int, tuple[float, float, float, float]]:
        """Energy [J] that went into each coupling with losses and came out of it since they are counted: forwards, from
        leader to follower, and backwards; by the coupling's number."""
        of_input = [mesh.coupling for mesh in self._meshes if mesh.rate >= 0 and mesh.cable < 0]
        passed = self._RF[self._RI[:, 0] == row_at.LOSS, POWER].tolist()
        reals = [self._mechanism.couplings[number].real for number in of_input]
        return {n: tuple(row) for n, row, real in zip(of_input, passed, reals, strict=False) if real.has_losses}

    def loss_efforts(self) -> Array:
        """Mean effort of the losses, and of varying stiffness, of couplings on every axis over the last step, shape
        (n_axes,) [N m or N]."""
        efforts = np.zeros(len(self._mechanism.axes))
        of_input = [self._mechanism.couplings[one.coupling] for one in self._meshes if one.rate >= 0 <= one.coupling]
        along = self.mean_efforts(row_at.LOSS) + self._RF[self._RI[:, 0] == row_at.LOSS, BESIDE]
        for coupling, effort in zip(of_input, along.tolist(), strict=False):
            for axis, factor in coupling.input_terms:
                efforts[axis] += factor * effort
        return efforts

    def mean_efforts(self, kind: int) -> Array:
        """Of all lines of a kind over the last step, impacts included [N m or N]."""
        found: Array = self._RF[self._RI[:, 0] == kind, row_at.IMPULSE]
        return found / self._dt if self._dt > 0.0 else np.zeros_like(found)

    def stop_efforts(self) -> Array:
        """Mean effort of every axis' stops over the last step, impacts included, shape (n_axes,) [N m or N]."""
        return self._efforts(row_at.LOWER, row_at.LOWER) - self._efforts(row_at.UPPER, row_at.UPPER)

    def contact_forces(self) -> tuple[Array, Array, Array]:
        """Mean force of every contact point over the last step on the first body, impacts included: along the normal,
        shape (n,), the friction across it in the world, shape (n, 3) [N], and about the normal, shape (n,) [N m]."""
        CF = self._contacts[1]
        dt = self._dt or 1.0
        friction = np.empty((len(CF), 3))
        friction_of_contacts(CF, friction)
        pressing = CF[:, row_at.CONTACT_IMPULSE] / dt
        twist = CF[:, row_at.CONTACT_IMPULSE + 3] / dt
        return pressing, friction / dt, twist

    def is_unbalanced(self, energies: tuple[float, float], change: float) -> bool:
        """Whether the last step, after which kinetic and potential energy [J] are these, is to be made in halves by its
        energies; `change` [J] of the error of their balance."""
        return bool(is_unbalanced(self.model.F, self.model.N, self._lines, *energies, change))

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
        """Tables of the lines."""
        axes = len(self._mechanism.axes)
        codes = self._codes()
        lines = self._lines_of(self._mechanism)
        self._line_kinds = [(kind, axis) for kind, axis, _ in lines]
        self._motor_line = {axis: line for line, axis in enumerate(sorted(self._motors))}
        starts = [line for line, (kind, _, _) in enumerate(lines) if kind == row_at.SERVO]
        self._servo_line: list[int] = starts
        before = self._RI, self._RF
        self._RI = np.array([(kind, codes[axis]) for kind, axis, _ in lines], dtype=np.int64).reshape(-1, 2)
        self._RF = write_numbers(np.zeros((len(lines), row_at.AXIS_COLUMNS)), lines)
        self._lines = (self._RI, self._RF)
        keep_impulses(before, self._lines)
        self._axis_of = np.array([axis if axis < axes else 0 for _, axis, _ in lines], dtype=np.int64)
        self._has_rows = len(lines) > 0
        rows = len(lines) + 24
        width = max(1, int(self.model.N[at.INDEPENDENT]))
        # Rows at no bound, which one matrix may solve (`solver.dense`): a motor and a stop for each coordinate.
        matrix = 4 * width * width if len(lines) >= DENSE and width <= WIDE else 0
        self._make_room(rows, rows * (min(width, MANY) if rows < 200 else MANY), matrix)

    def lines_like(self, mechanism: Mechanism) -> Array | None:
        """RF with the numbers of another mechanism of the same structure; None where it has other lines."""
        lines = self._lines_of(mechanism)
        same = [(kind, axis) for kind, axis, _ in lines] == self._line_kinds
        return write_numbers(self._RF.copy(), lines) if same else None

    def _lines_of(self, mechanism: Mechanism) -> list[Line]:
        first_input = PROFILES_OF_FORCE * int(self.model.N[at.FORCES])
        return lines_of(mechanism, self._codes(), self._motors, self._servos, self._meshes, first_input)

    def _codes(self) -> list[int]:
        """What kernels call the axes, behind them the springs between points, and plays and rates of real couplings."""
        loop_axes = int(self.model.N[at.LOOP_AXES])
        of_meshes = [code for mesh in self._meshes for code in (mesh.play, mesh.rate) if code >= 0]
        springs = (-1 - loop_axes - s for s in range(int(self.model.N[at.SPRINGS])))
        return [*self.model.axis_codes.tolist(), *springs, *of_meshes]

    @property
    def _meshes(self) -> tuple[GearMesh, ...]:
        return self.model.parts.tree.meshes or ()

    def _make_room(self, rows: int, entries: int, matrix: int = 0) -> None:
        width = int(self.model.N[at.INDEPENDENT])
        loose = self._C[row_at.LOOSE]
        asleep = np.minimum(self._asleep, 0)
        matrix = max(matrix, int(self._C[row_at.MATRIX_ROOM]))
        self._B, self._C = row_at.make_room(rows, max(entries, 2 * width), width, matrix)
        self._C[row_at.LOOSE], self._asleep[:] = loose, asleep
        self._C[row_at.MESHES] = len(self._meshes)
        self._C[row_at.BEARINGS] = sum(info.axis.bearing is not None for info in self._mechanism.axes)
        self._buffers = self.model.F, self.model.N, self._B, self._C
        find_blocks(*self._buffers)
