"""Many steps in one call: the commands for each of them, and the results. The kernel is in
`step.blocks`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from simulator.native.kernels import by_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from simulator.kinematics.arrays import Array2, Array3, IntArray
    from simulator.physics.step.watch import Watch
    from simulator.spatial.arrays import Array, Ints


DONE, ROOM, ROWS, TROUBLE, CROWDED = range(5)
"""Why a block ended: all steps are made, or motors took impulses in the last one; the next one needs more room for
rows; loop rows have come to depend on each other, so others have to be chosen; the next step leads to a state that
Python has to judge, and is not made; there are more contacts than there is room for, so the next step is not made."""
PEAK, SQUARE, WORK_OF_DRIVE = range(3)
"""Columns of a tally: largest magnitude [N m or N], integral of the square [.. s], work [J]."""
POSITION, VELOCITY = 0, 1
"""What a servo follows."""
PROPORTIONAL, INTEGRAL, DERIVATIVE, LIMIT = range(4)
"""Columns of a servo's gains."""
START, WORK, DISSIPATED, LOADS, CONTACT, OVERLAP = range(6)
"""Places in the ledger: energy at the start; work of drives, energy taken by all else, work of loads and of
contacts, and what moving overlaps apart brought since then [J]."""
MADE, WRITTEN, WHY, NEWS, SHORT = range(5)
"""Places of what the kernel reports: steps made, rows written, why it ended, and whether motors may have taken impulses
in the last step or been held since this was asked last. The caller says in SHORT whether steps are too short to be made
in halves for the energy that they give."""
COUPLING, DISTANCE, ANGLE, ERROR, KINETIC, POTENTIAL = range(6)
"""Places of the largest absolute values that rows had: residuals, error of the energy balance, energies."""


@by_address
class Orders(NamedTuple):
    """Commands to axes and actuators for the steps of a block. Arrays over steps begin at the step with the number
    `begin` (1,), and have one entry where nothing changes from step to step.

    `efforts` (steps, n_axes); `motors` (steps, n_motors, 2), the numbers after the largest effort in lines `motor_line`
    (n_motors,) of RF.

    Servos, loops that an actuator or an axis is held by: `servo_line` (n_servos,); x = sum factor q + constant by rows
    as in `Watch`; `servo_kind`, `servo_gains` (n_servos, 4), `servo_asked` (steps, n_servos, 4), the value to follow,
    its rates at the start and the end of the step, and its value at the end; `servo_actuator`, the actuator or -1;
    `servo_stored`, the integrals of their errors, change with the steps.

    Actuators: `pushes` (steps, n_actuators), those of a commanded effort; `matrix` (n_actuators, n_axes);
    `effort_limit` (n_axes,); `actuator_effort`, what each did in the last step. `efforts_after`, `pushes_after`: what
    is commanded at the end of each step; `efforts` and `pushes` are those of its middle. `trend` and `tally`: of every
    axis, then of every actuator, see `engine.effort_log`. `line_axis`: the axis of every line of RF. The rest is room
    to work in.
    """

    begin: IntArray
    efforts: Array2
    motor_line: IntArray
    motors: Array3
    servo_line: IntArray
    servo_start: IntArray
    servo_axis: IntArray
    servo_factor: Array
    servo_constant: Array
    servo_kind: IntArray
    servo_gains: Array2
    servo_asked: Array3
    servo_actuator: IntArray
    servo_stored: Array
    servo_begun: Array2
    pushes: Array2
    matrix: Array2
    effort_limit: Array
    actuator_effort: Array
    line_axis: IntArray
    efforts_after: Array2
    pushes_after: Array2
    trend: Array2
    tally: Array2
    moved: Array
    means: Array
    ends: Array
    asked: Array
    most: Array
    left: Array


@by_address
class Kept(NamedTuple):
    """Copies of what the next step needs, in the order of `carried`."""

    floats: Array
    ints: IntArray
    lines: Array2
    stored: Array
    trend: Array2
    tally: Array2
    ledger: Array
    worst: Array


@by_address
class Journal(NamedTuple):
    """What a block of steps reads and writes beside the mechanism: what is read off a state, the commands, the
    samples and the `columns` of a row that they have, the row of the last step, the largest values so far, the ledger,
    what the kernel reports, and what the first step began with."""

    watch: Watch
    orders: Orders
    rows: Array2
    columns: IntArray
    row: Array
    worst: Array
    ledger: Array
    report: IntArray
    kept: Kept


@by_address
class Span(NamedTuple):
    """At most `steps` steps after the first `first`. Every `stride`th is recorded, the first after `stride - phase` of
    them; none with a stride of 0."""

    first: int
    steps: int
    stride: int = 0
    phase: int = 0

    @property
    def rows(self) -> int:
        """How many rows are recorded at most."""
        return (self.phase % self.stride + self.steps) // self.stride if self.stride else 0


def carried(F: Array, N: IntArray, RF: Array2, orders: Orders, ledger: Array, worst: Array) -> Kept:
    """What the next step needs: the arrays themselves."""
    return Kept(F, N, RF, orders.servo_stored, orders.trend, orders.tally, ledger, worst)


def put_back(arrays: Iterable[NDArray[Any]], kept: Iterable[NDArray[Any]]) -> None:
    """Restore copied contents; what an array has more by now is room."""
    for array, content in zip(arrays, kept, strict=True):
        array[: len(content)] = content


class ContactSource(Protocol):
    """Finds contacts between the steps of a block."""

    @property
    def state(self) -> tuple[Array | Ints, ...]:
        """Arrays that the next step needs."""
        ...

    @property
    def begun(self) -> tuple[Array | Ints, ...]:
        """What `state` was before the first step of the last block, and then which coordinates rested, shape (n_rates
        + 1,), and whether steps were those of loose bodies, shape (1,)."""
        ...

    @property
    def is_steered(self) -> bool:
        """Whether a body carries the direction in which another one rubs."""
        ...

    def advance(self, journal: Journal, dt: float, span: Span, slack: float) -> tuple[Ints, Array]:
        """Make steps as `step.blocks.advance_block`; returns the tables of the last one's contacts."""
        ...

    def step(self, dt: float) -> float:
        """Make one step of `dt` [s]; returns the loop residual that the projection met."""
        ...

    def find(self, dt: float) -> None:
        """Give the mechanism the contacts of its next step, which it makes by itself."""
        ...

    def remember(self) -> None:
        """Keep what acted in that step."""
        ...

    def call_of_steps(self, journal: Journal, span: Span, dt: float, slack: float) -> tuple[Any, tuple[Any, ...]]:
        """The entry that `advance` calls, and its arguments."""
        ...

    def make_spare_room(self, times: int) -> None:
        """So many times the room for contacts."""
        ...
