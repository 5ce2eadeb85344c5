"""The step loop: drives and passive efforts act, and the effects are measured."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.block_step import NO_ROWS, orders_for, step_block
from simulator.engine.checkpoint import Checkpoint
from simulator.engine.core import EngineCore, effort_limits
from simulator.engine.drive_efforts import DriveEfforts
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.effort_log import EffortLog
from simulator.engine.energy import WorkLedger
from simulator.engine.refusals import require_axis, require_drivable
from simulator.engine.series import UNREAD, UnreadSeries
from simulator.engine.snapshot import EnergyBalance, Extremes, Snapshot
from simulator.engine.state_transfer import joint_state_of
from simulator.engine.stepping import Stepper
from simulator.errors import UsageError
from simulator.kinematics.closure import mobility_along
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import placed, starting_pose
from simulator.kinematics.state import JointState
from simulator.mechanism.coupling_law import with_law
from simulator.mechanism.residuals import coupling_slack
from simulator.model.profiles import Constant
from simulator.physics.queries.recoupling import project_onto_couplings
from simulator.physics.queries.reflected_inertia import reflected_inertia
from simulator.physics.queries.start_velocity import set_moving
from simulator.physics.step.block import Span
from simulator.transmissions.actuators import Actuators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.engine.actuation import Actuation
    from simulator.engine.port import Contact, Dynamics
    from simulator.mechanism.loads import BodyLoads
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.physics.layout.watched_row import RowPlaces
    from simulator.physics.step.block import Orders
    from simulator.spatial.arrays import Array, Ints

    Builder = Callable[[Mechanism, str], Dynamics]


class Engine:
    """A mechanism that dynamics move. No clock and no file: `step` advances by `dt` [s]."""

    def __init__(
        self,
        mechanism: Mechanism,
        dynamics: Dynamics,
        *,
        dt: float,
        initial: Mapping[int, float] | None = None,
        initial_velocity: Mapping[int, float] | None = None,
        builder: Builder | None = None,
        actuators: Actuators | None = None,
        start: JointState | None = None,
    ) -> None:
        """`builder` makes dynamics by the name of a strategy, for `use_strategy` and `change_coupling`. Those that
        integrate passive efforts know of the inertia that the rotors of `actuators` add (`rotor_inertia`). `start`:
        assembled, instead of the document's."""
        self.core = EngineCore(mechanism, dynamics, actuators or Actuators(n_axes=len(mechanism.axes)), dt=dt)
        self.drive_efforts = DriveEfforts(self.core)
        self._stepper = Stepper(self.core, self.drive_efforts)
        self._series = UnreadSeries(self.core, self.drive_efforts, self._stepper)
        self._asked: dict[int, Drive] = {}
        self.laws: dict[int, tuple[float, ...] | str] = {}
        self.changed: Mapping[str, float] = {}
        self._unwatched = Extremes(slack=coupling_slack(mechanism))
        self._builder = builder
        self._initial = dict(initial or {})
        self._initial_velocity = dict(initial_velocity or {})
        self.reset() if start is None else self.go_on_from(start)

    def reset(self) -> None:
        """Return to the assembled start and its velocities; drives stay.

        Raises UsageError for a start that the limits do not allow, AssemblyError for one that cannot be assembled.
        """
        core = self.core
        kinematics = Kinematics(core.mechanism)
        pose = starting_pose(kinematics, self._initial).state
        start = set_moving(kinematics, pose, self._initial_velocity, core.reflected_rotors())
        core.actuation.reset()
        self.go_on_from(start)

    def checkpoint(self) -> Checkpoint:
        """Everything that `restore` needs to bring this moment back bit-identically."""
        memory = None if self.core.bounded is None else self.core.bounded.memory()
        laws, changed = dict(self.laws), dict(self.changed)
        return Checkpoint(self.snapshot(), self.strategy, laws, self.core.ledger.start, memory, changed)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint of this engine: bit-identical if strategy and laws are those of that moment and
        its dynamics are compiled, otherwise as `resume`. Drives stay as they are."""
        core = self.core
        snapshot = checkpoint.snapshot
        self.resume(snapshot)
        bounded, memory = core.bounded, checkpoint.memory
        held = checkpoint.strategy, checkpoint.laws, checkpoint.changed
        same = held == (self.strategy, self.laws, self.changed)
        if bounded is not None and memory is not None and same and bounded.recall(memory):
            core.state_read = core.dynamics.read()
            core.ledger.start = checkpoint.energy_at_start
        core.show_efforts(np.concatenate((snapshot.effort, snapshot.actuator_effort)))

    def resume(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot of the same mechanism; the ledger begins anew where the snapshot has none, from a
        file of joint states."""
        energy = snapshot.energy if np.isfinite(snapshot.energy.error) else None
        bodies = (snapshot.body_poses, snapshot.body_velocities)
        axes = (snapshot.position, snapshot.velocity)
        start = joint_state_of(self.core.mechanism, *axes, *bodies, snapshot.cables)
        self.go_on_from(start, snapshot.step, energy)

    def go_on_from(self, state: JointState, steps: int = 0, energy: EnergyBalance | None = None) -> None:
        """Continue from the assembled `state` after so many steps, with the ledger of that moment."""
        core = self.core
        self._series.catch_up()
        energy = energy or EnergyBalance(0.0, 0.0, 0.0, 0.0, 0.0)
        core.steps = steps
        core.ledger = WorkLedger(
            energy.work, energy.dissipated, energy.loads, energy.contact, energy.overlap, start=0.0
        )
        self._place(state)
        flown = energy.work + energy.loads + energy.contact + energy.overlap - energy.dissipated
        core.ledger.start = core.total_energy() - flown - energy.error

    # -- what it shows -------------------------------------------------------------------------------------------------
    @property
    def mechanism(self) -> Mechanism:
        """What is moved, with the numbers that it has now."""
        return self.core.mechanism

    @property
    def dynamics(self) -> Dynamics:
        """What moves the mechanism."""
        return self.core.dynamics

    @property
    def model(self) -> CompiledMechanism | None:
        """The compiled mechanism, where dynamics have one."""
        return self.core.model

    @property
    def strategy(self) -> str:
        """How couplings and loops are held: gear, rows or reduced."""
        return self.core.dynamics.name

    @property
    def actuation(self) -> Actuation:
        """Drives of axes and actuators within the ranges of their commands."""
        return self.core.actuation

    @property
    def dt(self) -> float:
        """The step [s]."""
        return self.core.dt

    @property
    def steps(self) -> int:
        """Steps since the start."""
        return self.core.steps

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.core.time

    @property
    def places(self) -> RowPlaces:
        """Where the parts of a row are."""
        return self.core.places

    @property
    def efforts_log(self) -> EffortLog:
        """What drives give."""
        self._series.catch_up()
        return self.core.log

    def axis_states(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, shape (n_axes,) each: of compiled dynamics read-only arrays that steps
        write, of others as they are now."""
        return self.core.axis_states()

    def row(self) -> Array:
        """The state now as a row of all channels, see `physics.step.watch`, shape (n_channels,)."""
        self._series.catch_up()
        return self.core.row()

    def snapshot(self) -> Snapshot:
        """The state now, with residuals and energies."""
        self._series.catch_up()
        return self.core.snapshot()

    def joint_state(self) -> JointState:
        """The present state, for other dynamics or another pose to start from."""
        return self.core.joint_state()

    def rank_mobility(self) -> int:
        """Degrees of freedom by the rank of the constraints along the motion from the assembled start."""
        return mobility_along(Kinematics(self.mechanism), self.core.start)

    def branches(self) -> tuple[str, ...]:
        """Which of several motions loops took at change points, in sentences, of the first times."""
        return () if self.core.integrated is None else self.core.integrated.branches()

    def contacts(self) -> tuple[Contact, ...]:
        """Where bodies press on each other, as of the last step."""
        return self.dynamics.contacts()

    def orders(self, span: Span) -> Orders:
        """What compiled code makes the steps of a span with."""
        return orders_for(self.core, self.drive_efforts, span)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def start_log(self) -> None:
        """Count what drives give from here on, see `DriveEfforts.start_log`."""
        self._series.catch_up()
        self.drive_efforts.start_log()

    def step(self) -> None:
        """Advance by dt, see `Stepper.step`."""
        self._series.catch_up()
        self._stepper.step()

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
        core = self.core
        if core.blocks is None:
            made, rows = self._make_unread(steps, worst, stride, phase, sparse=sparse)
            rows = rows if columns is None else rows[:, columns]
        else:
            made, rows = step_block(core, self.drive_efforts, steps, stride, phase, worst, columns)
        if made:
            return made, rows
        self.step()
        recorded = stride > 0 and (phase + 1) % stride == 0
        if recorded or not sparse:
            row = core.row()
            worst.see(row, core.places)
        rows = row[None] if recorded else np.zeros((0, core.places.width))
        return 1, rows if columns is None else rows[:, columns]

    def _make_unread(self, steps: int, worst: Extremes, stride: int, phase: int, *, sparse: bool) -> tuple[int, Array]:
        """As `advance`, steps of dynamics that need not be read after each of them; maybe none."""
        core = self.core
        strider = core.dynamics.strider
        lasting = sparse and not stride
        if not lasting or core.state_read is not None:
            self._series.catch_up()
        most = core.jumps.steps_before(core.actuation.with_motor, core.steps, max(steps, UNREAD))
        if strider is None or most <= 0:
            return 0, NO_ROWS
        span = Span(core.steps, min(steps, most), stride, phase)
        return self._series.advance(strider, span, worst, sparse=sparse, most=most if lasting else span.steps)

    def make_steps(self, steps: int) -> None:
        """Make so many steps that are neither recorded nor watched. Raises as `advance`."""
        made = 0
        while made < steps:
            made += self.advance(steps - made, self._unwatched, sparse=True)[0]

    @property
    def drives(self) -> dict[int, Drive]:
        """Drives of axes as requested, by index; a copy. `actuation.axis_drives` are those within the ranges of their
        commands, drives of actuators are `actuation.actuator_drives`."""
        return dict(self._asked)

    def set_drive(self, axis: int, drive: Drive | None) -> None:
        """Drive an axis, or release it with None. Raises UsageError for an impossible drive; the old drive
        then stays."""
        core = self.core
        self._series.catch_up()
        require_axis(core.mechanism, axis)
        acting = None if drive is None else drive.within(core.mechanism.axes[axis].axis.commands)
        now = None if acting is None else acting.at(core.time, core.dt)
        if now is not None:
            require_drivable(core.mechanism, axis, now, core.dynamics)
        core.actuation.set_axis(axis, acting)
        self._asked.pop(axis, None)
        if drive is not None:
            self._asked[axis] = drive
        core.jumps.begin(axis)
        core.log.restart_axis(axis)
        core.log.forget(axis)
        core.setpoints.pop(axis, None)
        if now is not None:
            core.setpoints[axis] = now
        core.motors.update(axis, now)

    def command(self, axis: int, value: float) -> Drive:
        """Change a number in the drive of an axis that asks for one: the drive does not start anew, and the change
        acts over the next step. Returns the drive."""
        core = self.core
        self._series.catch_up()
        asked = Drive(self._asked[axis].kind, Constant(value))
        acting = asked.within(core.mechanism.axes[axis].axis.commands)
        self._asked[axis] = asked
        core.log.write(axis, value)
        core.actuation.change_level(axis, acting)
        time = core.steps * core.dt
        core.setpoints[axis] = now = acting.at(time, core.dt)
        if now.kind is DriveKind.EFFORT:
            core.log.write_effort(axis, time, value)
            core.measures.push(axis, now)
        else:
            core.motors.update(axis, now)
        return asked

    def drive_actuator(self, index: int, drive: Drive | None) -> None:
        """Drive an actuator, or release it with None; default gains follow from the inertia that it feels at
        present.

        Raises UsageError for an impossible drive; the old drive then stays.
        """
        core = self.core
        self._series.catch_up()
        actuators = core.actuation.actuators
        if not 0 <= index < len(actuators):
            raise UsageError(f"there is no actuator {index}; the world has {len(actuators)}")
        row = actuators.matrix[index]
        felt = core.reflected_rotors()
        core.actuation.set_actuator(
            index, drive, lambda: reflected_inertia(core.mechanism, core.joint_state(), row, felt)
        )
        if drive is not None and drive.kind is DriveKind.EFFORT and drive.level is not None:
            core.log.write_effort(len(core.mechanism.axes) + index, core.time, drive.level)

    def place(self, axis: int, value: float) -> None:
        """Put one axis at `value` [rad or m], everything at rest; couplings and loops are assembled around it.

        Raises UsageError where that is outside of its limits, AssemblyError where it is impossible; the state is then
        unchanged.
        """
        core = self.core
        require_axis(core.mechanism, axis)
        if not np.isfinite(value):
            raise UsageError(f"'{core.mechanism.axes[axis].name}' cannot be put at {value:g}")
        self.put(placed(Kinematics(core.mechanism), self.at_rest(), axis, value))

    def at_rest(self) -> JointState:
        """The present positions, from which others are found; nothing moves."""
        now = self.core.joint_state()
        still = np.zeros_like(now.velocity), now.loose_pose, np.zeros_like(now.loose_twist)
        return JointState(now.position, *still)

    def put(self, state: JointState) -> None:
        """Go to `state`, which is assembled, without time or work: the energy's difference counts as if there from the
        start."""
        core = self.core
        before = core.total_energy()
        self._place(state)
        core.actuation.reset()
        core.ledger.start += core.total_energy() - before

    def change_loads(self, loads: BodyLoads) -> None:
        """Other loads on bodies from now on; what springs store more than before is booked as work of loads."""
        core = self.core
        before = core.total_energy()
        self._exchange(replace(core.mechanism, loads=loads), self.strategy, core.joint_state())
        core.ledger.loads += core.total_energy() - before

    def aim_spring(self, loads: BodyLoads) -> None:
        """As `change_loads`, where the last spring's end on the world is all that differs."""
        core = self.core
        bounded = core.bounded
        before = core.total_energy()
        core.mechanism = replace(core.mechanism, loads=loads)
        if bounded is None:
            core.prepare()
        else:
            bounded.model.aim_spring(len(loads.springs) - 1, np.array(loads.springs[-1].points[1]))
            core.look()
        core.ledger.loads += core.total_energy() - before

    def change_numbers(self, mechanism: Mechanism, changed: Mapping[str, float]) -> None:
        """Continue with `mechanism`, which has the structure of the present one and other numbers
        (`mechanism.varied`); `changed` are those in which it differs from the start's, by name. Loops are assembled
        anew, as near as limits allow, velocities carry over without a kick, and the cost in energy is booked as work.

        Raises AssemblyError if loops cannot follow, LimitsError if limits leave no position; nothing has changed
        then.
        """
        core = self.core
        before = core.total_energy()
        limit = core.effort_limit.copy()
        state = project_onto_couplings(mechanism, core.joint_state(), core.reflected_rotors())
        core.effort_limit[:] = effort_limits(mechanism)
        try:
            self._exchange(mechanism, self.strategy, state)
        except BaseException:
            core.effort_limit[:] = limit
            raise
        core.ledger.work += core.total_energy() - before
        self.changed = dict(changed)

    def change_inputs(self, mechanism: Mechanism) -> None:
        """Continue with what engages the clutches and brakes of `mechanism`, else the present one."""
        self._exchange(mechanism, self.strategy, self.core.joint_state())

    def use_strategy(self, name: str) -> None:
        """Continue with another strategy; positions, velocities, drives and the ledger stay.

        Raises UsageError, UnknownNameError, EngineLimitError or MissingLibraryError if that strategy cannot continue;
        nothing has changed then.
        """
        self._exchange(self.core.mechanism, name, self.core.joint_state())

    def change_coupling(self, index: int, multiplier: float, offset: float, reference: float, *others: float) -> None:
        """Give a coupling another law at once; `others` are the multipliers of its further leaders. The mechanism is
        assembled around its leaders, as near as its limits allow, velocities carry over without a kick
        (`physics.queries.recoupling`), and the cost in energy is booked as work.

        Raises UsageError for an invalid coupling or invalid numbers, AssemblyError if the loops cannot follow,
        LimitsError if limits leave no position; nothing has changed then.
        """
        self._change_law(index, (multiplier, offset, reference, *others))

    def change_curve(self, index: int, text: str) -> None:
        """Give a coupling another law that is not a straight line, as `change_coupling`; its text is as in a document
        (`mechanism.coupling_law.with_law`). Raises UsageError for a text that is no law, too."""
        self._change_law(index, text)

    def _change_law(self, index: int, law: tuple[float, ...] | str) -> None:
        core = self.core
        mechanism = with_law(core.mechanism, index, law)
        before = core.total_energy()
        state = project_onto_couplings(mechanism, core.joint_state(), core.reflected_rotors())
        self._exchange(mechanism, self.strategy, state)
        core.ledger.work += core.total_energy() - before
        self.laws[index] = law

    def _exchange(self, mechanism: Mechanism, name: str, state: JointState) -> None:
        core = self.core
        self._series.catch_up()
        if self._builder is None:
            raise UsageError("this simulation cannot be changed while it runs")
        dynamics = self._builder(mechanism, name)
        try:
            for axis, setpoint in core.setpoints.items():
                require_drivable(core.mechanism, axis, setpoint, dynamics)
        except BaseException:
            dynamics.close()
            raise
        core.dynamics.close()
        core.mechanism, core.dynamics = mechanism, dynamics
        start = core.start
        effort = core.drive_effort.copy()
        core.prepare()
        self._place(state)
        core.start, core.drive_effort[:] = start, effort
        core.jumps.forget()

    def close(self) -> None:
        """Free what moves the mechanism."""
        self._series.forget()
        self.core.dynamics.close()

    def _place(self, state: JointState) -> None:
        core = self.core
        self._series.catch_up()
        core.start = state
        core.dynamics.set_state(state)
        core.state_read = core.dynamics.read()
        core.show_efforts(np.zeros(len(core.mechanism.axes) + len(core.actuation.effort)))
        core.jumps.begin_all(core.actuation.with_motor)
        core.log.restart()
        self._series.forget()
        core.begin()
