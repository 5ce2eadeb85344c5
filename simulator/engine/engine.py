"""The step loop: drives and passive efforts act, and the effects are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.actuation import Actuation
from simulator.engine.blocks import Blocks
from simulator.engine.checkpoint import Checkpoint
from simulator.engine.drives import Drive, DriveKind, Setpoint
from simulator.engine.effort_log import EffortLog
from simulator.engine.efforts import HeldEfforts, IntegratedEfforts
from simulator.engine.energy import WorkLedger
from simulator.engine.jumps import Jumps
from simulator.engine.measures import Measures
from simulator.engine.motors import Motors
from simulator.engine.readout import effort_limits
from simulator.engine.refusals import require_axis, require_drivable
from simulator.engine.repeating import Repeating
from simulator.engine.rotors import rotor_inertia
from simulator.engine.snapshot import EnergyBalance, Extremes, Snapshot
from simulator.engine.state_transfer import joint_state_of
from simulator.errors import UsageError
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.mechanism.coupling_law import with_law
from simulator.mechanism.residuals import coupling_slack
from simulator.model.profiles import Constant
from simulator.physics.queries.recoupling import project_onto_couplings
from simulator.physics.queries.reflected_inertia import reflected_inertia
from simulator.physics.queries.start_velocity import set_moving
from simulator.transmissions.actuators import Actuators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from simulator.engine.port import BackendState, Dynamics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]
    Builder = Callable[[Mechanism, str], Dynamics]

NO_JUMP, NEAR = 1e-6, 1e-3
"""Differences of velocities [rad/s or m/s] that are no jump, and that leave a motor at its velocity, as a part of one
above 1."""


class Engine(Repeating):
    """A mechanism moved by dynamics. No clock and no file: `step` advances by `dt` [s]."""

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
        self.mechanism, self.dt = mechanism, dt
        self._setpoints: dict[int, Setpoint] = {}
        self._asked: dict[int, Drive] = {}
        self.laws: dict[int, tuple[float, ...] | str] = {}
        self.changed = {}
        self._state_read: BackendState | None = None
        self._start: JointState
        self._kept = self._good = self._open = None
        self._unwatched = Extremes(slack=coupling_slack(mechanism))
        self._dynamics, self._builder = dynamics, builder
        self._initial, self._initial_velocity = dict(initial or {}), dict(initial_velocity or {})
        self._effort_limit = effort_limits(mechanism)
        self.actuation = Actuation(actuators or Actuators(n_axes=len(mechanism.axes)), self._effort_limit)
        self._rotors = rotor_inertia(self.actuation.actuators, mechanism)
        self._blocks: Blocks | None
        self._measures: Blocks | Measures
        self._efforts: HeldEfforts | IntegratedEfforts
        self._jumps = Jumps(dt)
        self._log = EffortLog(self.actuation.actuators.matrix, self._effort_limit)
        self._prepare()
        self.reset() if start is None else self.go_on_from(start)

    def reset(self) -> None:
        """Return to the assembled start and its velocities; drives stay.

        Raises UsageError for a start that the limits do not allow, AssemblyError for one that cannot be assembled.
        """
        kinematics = Kinematics(self.mechanism)
        pose = starting_pose(kinematics, self._initial).state
        start = set_moving(kinematics, pose, self._initial_velocity, self._reflected_rotors())
        self.actuation.reset()
        self.go_on_from(start)

    def checkpoint(self) -> Checkpoint:
        """Everything that `restore` needs to bring this moment back bit-identically."""
        numbers = None if self.model is None else self.model.F.copy()
        laws, changed = dict(self.laws), dict(self.changed)
        return Checkpoint(self.snapshot(), self.strategy, laws, self._ledger.start, numbers, changed)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint of this engine: bit-identical if strategy and laws are those of that moment and
        its dynamics are compiled, otherwise as `resume`. Drives stay as they are."""
        snapshot = checkpoint.snapshot
        self.resume(snapshot)
        bounded = self._dynamics.bounded
        held = checkpoint.strategy, checkpoint.laws, checkpoint.changed
        same = held == (self.strategy, self.laws, self.changed)
        numbers = checkpoint.numbers
        if bounded is not None and numbers is not None and same and numbers.shape == bounded.model.F.shape:
            bounded.model.F[:] = numbers
            self._state_read = self._dynamics.read()
            self._ledger.start = checkpoint.energy_at_start
        self._show_efforts(np.concatenate((snapshot.effort, snapshot.actuator_effort)))

    def resume(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot of the same mechanism."""
        energy = snapshot.energy
        bodies = (snapshot.body_poses, snapshot.body_velocities)
        start = joint_state_of(self.mechanism, snapshot.position, snapshot.velocity, *bodies)
        self.go_on_from(start, snapshot.step, energy)

    def go_on_from(self, state: JointState, steps: int = 0, energy: EnergyBalance | None = None) -> None:
        """Continue from the assembled `state` after so many steps, with the ledger of that moment."""
        self._catch_up()
        energy = energy or EnergyBalance(0.0, 0.0, 0.0, 0.0, 0.0)
        self.steps = steps
        self._ledger = WorkLedger(
            energy.work, energy.dissipated, energy.loads, energy.contact, energy.overlap, start=0.0
        )
        self._place(state)
        flown = energy.work + energy.loads + energy.contact + energy.overlap - energy.dissipated
        self._ledger.start = self._total_energy() - flown - energy.error

    @property
    def drives(self) -> dict[int, Drive]:
        """Drives of axes as requested, by index; a copy. `actuation.axis_drives` are those within the ranges of their
        commands, drives of actuators are `actuation.actuator_drives`."""
        return dict(self._asked)

    def set_drive(self, axis: int, drive: Drive | None) -> None:
        """Drive an axis, or release it with None. Raises UsageError for an impossible drive; the old drive
        then stays."""
        self._catch_up()
        require_axis(self.mechanism, axis)
        acting = None if drive is None else drive.within(self.mechanism.axes[axis].axis.commands)
        now = None if acting is None else acting.at(self.time, self.dt)
        if now is not None:
            require_drivable(self.mechanism, axis, now, self._dynamics)
        self.actuation.set_axis(axis, acting)
        self._asked.pop(axis, None)
        if drive is not None:
            self._asked[axis] = drive
        self._jumps.begin(axis)
        self.efforts_log.restart_axis(axis)
        self.efforts_log.forget(axis)
        self._setpoints.pop(axis, None)
        if now is not None:
            self._setpoints[axis] = now
        self._motors.update(axis, now)

    def command(self, axis: int, value: float) -> Drive:
        """Change a number in the drive of an axis that asks for one: the drive does not start anew, and the change
        acts over the next step. Returns the drive."""
        self._catch_up()
        asked = Drive(self._asked[axis].kind, Constant(value))
        acting = asked.within(self.mechanism.axes[axis].axis.commands)
        self._asked[axis] = asked
        self.efforts_log.write(axis, value)
        if asked.kind is DriveKind.EFFORT:
            self.efforts_log.write_effort(axis, self.time, value)
        self.actuation.set_axis(axis, acting)
        self._setpoints[axis] = now = acting.at(self.time, self.dt)
        if now.kind is not DriveKind.EFFORT:
            self._motors.update(axis, now)
        return asked

    def drive_actuator(self, index: int, drive: Drive | None) -> None:
        """Drive an actuator, or release it with None; default gains follow from the inertia that it feels at
        present.

        Raises UsageError for an impossible drive; the old drive then stays.
        """
        self._catch_up()
        actuators = self.actuation.actuators
        if not 0 <= index < len(actuators):
            raise UsageError(f"there is no actuator {index}; the world has {len(actuators)}")
        row = actuators.matrix[index]
        felt = self._reflected_rotors()
        self.actuation.set_actuator(
            index, drive, lambda: reflected_inertia(self.mechanism, self._joint_state(), row, felt)
        )
        if drive is not None and drive.kind is DriveKind.EFFORT and drive.level is not None:
            self.efforts_log.write_effort(len(self.mechanism.axes) + index, self.time, drive.level)

    def use_strategy(self, name: str) -> None:
        """Continue with another strategy; positions, velocities, drives and the ledger stay.

        Raises UsageError, UnknownNameError, EngineLimitError or MissingLibraryError if that strategy cannot continue;
        nothing has changed then.
        """
        self._exchange(self.mechanism, name, self._joint_state())

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
        mechanism = with_law(self.mechanism, index, law)
        before = self._total_energy()
        state = project_onto_couplings(mechanism, self._joint_state(), self._reflected_rotors())
        self._exchange(mechanism, self.strategy, state)
        self._ledger.work += self._total_energy() - before
        self.laws[index] = law

    def _exchange(self, mechanism: Mechanism, name: str, state: JointState) -> None:
        self._catch_up()
        if self._builder is None:
            raise UsageError("this simulation cannot be changed while it runs")
        dynamics = self._builder(mechanism, name)
        try:
            for axis, setpoint in self._setpoints.items():
                require_drivable(self.mechanism, axis, setpoint, dynamics)
        except BaseException:
            dynamics.close()
            raise
        self._dynamics.close()
        self.mechanism, self._dynamics = mechanism, dynamics
        start = self._start
        effort = self._drive_effort.copy()
        self._prepare()
        self._place(state)
        self._start, self._drive_effort[:] = start, effort
        self._jumps.forget()

    def close(self) -> None:
        """Free what moves the mechanism."""
        self._open = None
        self._dynamics.close()

    def _place(self, state: JointState) -> None:
        self._catch_up()
        self._start = state
        self._dynamics.set_state(state)
        self._state_read = self._dynamics.read()
        self._show_efforts(np.zeros(len(self.mechanism.axes) + len(self.actuation.effort)))
        self._jumps.begin_all(self.actuation.with_motor)
        self.efforts_log.restart()
        self._kept = self._good = None
        self._look()

    def _prepare(self) -> None:
        """What goes with new dynamics."""
        dynamics = self._dynamics
        actuation = self.actuation
        limit = self._effort_limit
        dt = self.dt
        if dynamics.bounded is None:
            self._blocks, self._measures = None, Measures(self.mechanism, actuation.actuators)
            self._efforts = HeldEfforts(self.mechanism, actuation, limit, dt=dt)
            self._drive_effort, self._actuator_effort = np.zeros(len(limit)), np.zeros(len(actuation.effort))
        else:
            log = self._log
            self._measures = self._blocks = Blocks(dynamics.bounded, actuation, self._rotors, limit, log, dt=dt)
            self._efforts = IntegratedEfforts(dynamics, actuation, limit, dt=dt)
            self._drive_effort, self._actuator_effort = self._blocks.drive_effort, self._blocks.actuator_effort
        self._motors = Motors(self.mechanism, dynamics, limit, dt=dt)
        self._motors.reset(self._setpoints)
