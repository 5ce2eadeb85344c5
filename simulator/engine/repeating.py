"""An engine that runs variants of its mechanism in place: their numbers are written into its arrays, and nothing is
rebuilt."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from simulator.engine.drives import DriveKind
from simulator.engine.jumps import Jumps
from simulator.kinematics.limits import limits_of
from simulator.physics.build.rebuild import numbers_like
from simulator.physics.impact.motors import START
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.rows.ramps import UNLIMITED
from simulator.physics.step import block
from simulator.physics.sweep.variants import BEGINS, CONTINUES, KNOWN, Variants
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.engine.blocks import Blocks
    from simulator.engine.core import EngineCore
    from simulator.engine.engine import Engine
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.physics.queries.transfer import Transfer
    from simulator.spatial.arrays import Array, Ints


MOST_ORDERED = 100_000
"""Steps for which drives over time are written out beforehand."""


class _Told(TypedDict):
    motor_line: Ints
    motor_axis: Ints
    jumps: Ints
    jumping: Ints
    speeds: Array
    asked: Array
    told: Array


class _Room(TypedDict):
    position: Array
    velocity: Array
    pushed: Array
    rates: Array
    kinds: Ints
    told_lines: Array
    given: Array


@dataclass(frozen=True, eq=False)
class InPlace:
    """Runs of variants in the buffers of one engine, not for two threads at once. Of each, `span.steps` steps are made;
    `columns` of the row before them and of every `span.stride`th after are recorded. `pattern`: the model over whose
    numbers those of variants are written; `rotors`: what these add to the inertia of the axes."""

    span: block.Span
    columns: Ints
    pattern: CompiledMechanism
    rotors: Array
    _bounded: BoundedMechanism
    _blocks: Blocks
    _orders: block.Orders
    _variants: Variants
    _lines: Array
    _to_positions: tuple[int, ...]

    @property
    def rows(self) -> int:
        """How many rows are recorded of each."""
        return 1 + self.span.rows

    @cached_property
    def _same(self) -> Array:
        """Numbers beside those of F where axes and couplings are the same."""
        return np.concatenate((self._variants.lines.ravel(), self._variants.tables))

    def numbers_of(self, mechanism: Mechanism) -> Array | None:
        """All numbers of a variant, shape (n_numbers,); None where it needs an engine of its own."""
        found = numbers_like(self.pattern.parts, self.pattern.mechanism, mechanism, self.rotors)
        if found is None:
            return None
        before = self.pattern.mechanism
        if (
            mechanism.axes is before.axes
            and mechanism.loads is before.loads
            and mechanism.couplings is before.couplings
        ):
            return np.concatenate((found, self._same))
        lines = self._bounded.lines_like(mechanism)
        if lines is None or not all(_ends_alike(before, mechanism, axis) for axis in self._to_positions):
            return None
        motors = self._bounded.lines[0][:, row_at.KIND] <= row_at.TO_POSITION
        lines[motors, START:] = self._variants.lines[motors, START:]  # the numbers of a motor are before
        return np.concatenate((found, lines.ravel(), tables_of(mechanism)))

    def restore(self) -> None:
        """Leave the engine as it was before, so that it can be given other drives, and `in_place` be called
        again."""
        _, N, B, C = self._bounded.buffers
        N[:] = self._variants.ints
        B[:] = self._variants.bounds
        C[:] = self._variants.counts
        self._bounded.lines[1][:] = self._lines

    def run(self, numbers: Sequence[Array]) -> tuple[Array, NDArray[np.bool_]]:
        """Run variants with these numbers; returns what they record, shape (n, rows, n_columns), and which of them are
        done: each of the others needs a decision, and an engine of its own."""
        every = np.array(numbers)
        places = np.flatnonzero((every != np.concatenate((self.pattern.F, self._same))).any(axis=0))
        rows = np.empty((len(numbers) * self.rows, len(self.columns)))
        variants = self._variants._replace(places=places)
        given = np.ascontiguousarray(every[:, places])
        made = self._blocks.run_variants(self._orders, variants, self.span, given, rows, self.columns)
        return rows.reshape(len(numbers), self.rows, len(self.columns)), made


def in_place(
    engine: Engine,
    pattern: CompiledMechanism,
    transfer: Transfer,
    state: JointState,
    span: block.Span,
    columns: Ints,
    *,
    moves: bool,
) -> InPlace | None:
    """What runs variants of the mechanism of `engine`, which is at its start, with its drives: to the last bit as
    engines of their own. The engine is of no other use from then on, see `InPlace.restore`.

    `pattern`: see `InPlace`. `state`: where they begin; `moves`: it is assembled for each by `transfer`. None where
    steps have to be looked at one by one (contacts, singular positions), and for loops of actuators, whose gains are
    made for what they move, and beside motors.
    """
    core = engine.core
    bounded = core.bounded
    blocks = core.blocks
    if bounded is None or blocks is None or not core.can_step_blocks() or bounded.can_touch:
        return None
    actuation = core.actuation
    if not bounded.model.rows.is_usual or (actuation.is_used and span.steps > MOST_ORDERED):
        return None
    if actuation.following() and (actuation.with_motor or any(loop.actuator >= 0 for loop in actuation.following())):
        return None
    if (moves and not transfer.is_possible) or pattern.F.shape != bounded.model.F.shape:
        return None
    orders = engine.orders(span)
    lines = bounded.lines[1].copy()
    variants = _variants(engine, bounded, pattern, transfer, state, span.steps, moves=moves)
    motors = actuation.with_motor
    to_positions = tuple(axis for axis, drive in motors.items() if drive.kind is DriveKind.POSITION)
    return InPlace(span, columns, pattern, core.rotors, bounded, blocks, orders, variants, lines, to_positions)


def _ends_alike(before: Mechanism, mechanism: Mechanism, axis: int) -> bool:
    """Whether an axis has the same range, within which its motor holds a position."""
    old, new = before.axes[axis].axis, mechanism.axes[axis].axis
    return (old.lower, old.upper) == (new.lower, new.upper)


def _variants(
    engine: Engine,
    bounded: BoundedMechanism,
    pattern: CompiledMechanism,
    transfer: Transfer,
    state: JointState,
    steps: int,
    *,
    moves: bool,
) -> Variants:
    core = engine.core
    motors = core.actuation.with_motor
    n = len(core.mechanism.axes)
    model = bounded.model
    (RI, RF) = bounded.lines
    lines = bounded.motor_lines
    F, N, B, C = bounded.buffers
    ints = N.copy()
    F[:], N[:] = pattern.F, pattern.N
    model.view(at.F_TAU)[:] = 0.0
    if moves:
        transfer.prepare(model)
    model.put(state)
    moved = list(transfer.plan.axes) if moves else []
    limits = limits_of(core.mechanism)
    return Variants(
        floats=F.copy(),
        placing=N.copy(),
        ints=ints,
        bounds=B.copy(),
        counts=C.copy(),
        lines=RF.copy(),
        tables=tables_of(core.mechanism),
        places=np.zeros(0, dtype=np.int64),
        sweep=transfer.plan.sweep,
        states=np.array((state.position[moved], state.velocity[moved])),
        moved=np.array(moved, dtype=np.int64),
        **model.places_of_axes(),
        lower=limits.lower,
        upper=limits.upper,
        fastest=np.array([info.axis.velocity for info in core.mechanism.axes], dtype=float),
        scales=np.array((model.rows.slack, transfer.plan.usual, core.dt)),
        **_told_motors(engine, lines, steps),
        **_room(n, len(motors), RI, RF),
    )


def tables_of(mechanism: Mechanism) -> Array:
    """`Variants.tables` of a mechanism."""
    axes = [info.axis for info in mechanism.axes]
    limits = limits_of(mechanism)
    springs = [axis.spring_stiffness for axis in axes], [axis.spring_reference for axis in axes]
    factors = [factor for coupling in mechanism.couplings for _, factor in coupling.terms]
    constants = [coupling.constant for coupling in mechanism.couplings]
    return np.concatenate((*springs, factors, constants, limits.lower, limits.upper))


def _told_motors(engine: Engine, lines: Mapping[int, int], steps: int) -> _Told:
    core = engine.core
    motors = core.actuation.with_motor
    after = Jumps(core.dt)
    begin = core.jumps.coming(motors, 0)
    jumps = sorted({*([0] if begin else []), *after.within(motors, steps)})
    instants = [0.0, *((step + 1) * core.dt for step in jumps)]
    due = [begin if step == 0 else after.coming(motors, step) for step in jumps]
    jumping = [[KNOWN] * len(motors), *([_jumps(core, axis, one) for axis in motors] for one in due)]
    speeds = [[core.motors.allowed(axis, one.get(axis, np.nan)) for axis in motors] for one in ({}, *due)]
    asked = np.zeros((len(instants), len(motors), 6))
    for i, time in enumerate(instants):
        for j, (axis, drive) in enumerate(motors.items()):
            if drive.kind is DriveKind.VELOCITY:
                asked[i, j, :2] = core.motors.held_velocity(axis, drive, time)
            else:
                asked[i, j] = core.motors.towards(axis, drive.profile, time)
    return {
        "motor_line": np.array([lines[axis] for axis in motors], dtype=np.int64),
        "motor_axis": np.array([*motors], dtype=np.int64),
        "jumps": np.array(jumps, dtype=np.int64),
        "jumping": np.array(jumping, dtype=np.int64).reshape(len(instants), -1),
        "speeds": np.array(speeds, dtype=float).reshape(len(instants), -1),
        "asked": asked,
        "told": np.array([engine.drive_efforts.commanded(time) for time in instants]),
    }


def _jumps(core: EngineCore, axis: int, due: Mapping[int, float]) -> int:
    """Whether a motor begins or jumps in a step. A position that has a limit is approached without a jump: its effort
    continues that of the step."""
    if axis not in due:
        return CONTINUES
    return KNOWN if core.effort_limit[axis] >= UNLIMITED or not np.isnan(due[axis]) else BEGINS


def _room(axes: int, motors: int, RI: Ints, RF: Array) -> _Room:
    return {
        "position": np.zeros(axes),
        "velocity": np.zeros(axes),
        "pushed": np.zeros(axes),
        "rates": np.zeros(motors),
        "kinds": np.zeros_like(RI),
        "told_lines": np.zeros_like(RF),
        "given": np.zeros_like(RF),
    }
