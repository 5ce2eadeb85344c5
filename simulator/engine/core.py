"""What an engine is made of, where it is, and what it shows of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.actuation import Actuation
from simulator.engine.blocks import Blocks
from simulator.engine.effort_log import EffortLog
from simulator.engine.efforts import HeldEfforts
from simulator.engine.energy import WorkLedger, error_of
from simulator.engine.jumps import Jumps
from simulator.engine.motors import Motors
from simulator.engine.passive import PassiveEfforts
from simulator.engine.rotors import rotor_inertia
from simulator.engine.row_places import hinge_numbers, loose_numbers, places_of
from simulator.engine.snapshot import EnergyBalance, Snapshot, row_of
from simulator.engine.state_transfer import joint_state_of
from simulator.kinematics.loads import load_wrenches
from simulator.mechanism.residuals import CouplingRows
from simulator.physics.layout.watched_row import ENERGIES
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from simulator.engine.drives import Setpoint
    from simulator.engine.port import BackendState, Dynamics, IntegratedDynamics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.compiled.model import CompiledMechanism
    from simulator.physics.layout.watched_row import RowPlaces
    from simulator.spatial.arrays import Array
    from simulator.transmissions.actuators import Actuators


UNBOUNDED_EFFORT = 1e9
"""What an infinite effort limit means to a motor row [N m or N]."""


def effort_limits(mechanism: Mechanism) -> Array:
    """The effort limit of every axis, finite [N m or N]."""
    return np.array([min(info.axis.effort, UNBOUNDED_EFFORT) for info in mechanism.axes], dtype=float)


class EngineCore:
    """What an engine is made of and where it is: its parts share this.

    `setpoints`: what axes are given in the present step; `state_read`: what the dynamics show, None until that is read
    after a step; `start`: the state that the motion began from; `drive_effort` (n_axes,), `actuator_effort`
    (n_actuators,): what drives give now. `integrated`: the dynamics, where what acts beside drives is part of their
    equations; then `bounded` is the compiled mechanism, which `blocks` steps and measures; for others `measures` does,
    and `efforts` are what is held over a step.
    """

    def __init__(self, mechanism: Mechanism, dynamics: Dynamics, actuators: Actuators, *, dt: float) -> None:
        self.mechanism = mechanism
        self.dynamics = dynamics
        self.dt = dt
        self.steps = 0
        self.setpoints: dict[int, Setpoint] = {}
        self.state_read: BackendState | None = None
        self.start: JointState
        self.ledger = WorkLedger(start=0.0)
        self.effort_limit = effort_limits(mechanism)
        self.actuation = Actuation(actuators, self.effort_limit)
        self.rotors = rotor_inertia(actuators, mechanism)
        self.jumps = Jumps(dt)
        self.log = EffortLog(actuators.matrix, self.effort_limit)
        self.integrated: IntegratedDynamics | None
        self.bounded: BoundedMechanism | None
        self.blocks: Blocks | None
        self.measures: Blocks | Measures
        self.efforts: HeldEfforts | None
        self.motors: Motors
        self.drive_effort: Array
        self.actuator_effort: Array
        self.prepare()

    def prepare(self) -> None:
        """Make what goes with the mechanism and its dynamics, where these are new."""
        dynamics = self.dynamics
        actuation = self.actuation
        limit = self.effort_limit
        dt = self.dt
        integrated = dynamics.integrated
        self.integrated = integrated
        self.bounded = None if integrated is None else integrated.bounded
        if integrated is None:
            self.blocks = None
            self.measures = Measures(self.mechanism, actuation.actuators)
            self.efforts = HeldEfforts(self.mechanism, actuation, limit, dt=dt)
            self.drive_effort = np.zeros(len(limit))
            self.actuator_effort = np.zeros(len(actuation.effort))
        else:
            self.measures = self.blocks = Blocks(integrated.bounded, actuation, self.rotors, limit, self.log, dt=dt)
            self.efforts = None
            self.drive_effort = self.blocks.drive_effort
            self.actuator_effort = self.blocks.actuator_effort
        self.motors = Motors(self.mechanism, dynamics, limit, dt=dt)
        self.motors.reset(self.setpoints)

    def use_step(self, dt: float) -> None:
        """Make steps of `dt` [s] from now on."""
        self.dt = self.dynamics.dt = self.motors.dt = self.jumps.dt = dt
        if self.blocks is not None:
            self.blocks.use_step(dt)
        elif self.efforts is not None:
            self.efforts.dt = dt

    def can_step_blocks(self) -> bool:
        """Whether compiled code may make many steps in one call from the present state."""
        return self.integrated is not None and self.integrated.can_step_blocks()

    def opened_loop(self) -> str:
        """Name of the loop joint that came open in the last step; else nothing."""
        return "" if self.integrated is None else self.integrated.opened_loop()

    @property
    def model(self) -> CompiledMechanism | None:
        """The compiled mechanism, where dynamics have one."""
        return None if self.bounded is None else self.bounded.model

    @property
    def strategy(self) -> str:
        """How couplings and loops are held: gear, rows or reduced."""
        return self.dynamics.name

    @property
    def time(self) -> float:
        """Simulated time since the start [s]."""
        return self.steps * self.dt

    @property
    def places(self) -> RowPlaces:
        """Where the parts of a row are."""
        return self.measures.places

    @property
    def state(self) -> BackendState:
        """The state as the dynamics report it: read on demand after a block of steps."""
        if self.state_read is None:
            self.state_read = self.dynamics.read()
        return self.state_read

    def read(self) -> BackendState:
        """As `state`, for who asks later."""
        return self.state

    def axis_states(self) -> tuple[Array, Array]:
        """Positions and velocities of all axes, shape (n_axes,) each: of compiled dynamics read-only arrays that steps
        write, of others as they are now."""
        if self.blocks is not None:
            return self.blocks.q, self.blocks.v
        state = self.state_read
        strider = self.dynamics.strider
        if state is None and strider is not None:  # then nothing else has to be read
            return strider.axes()
        return self.state.position, self.state.velocity

    def row(self) -> Array:
        """The state now as a row of all channels, see `physics.step.watch`, shape (n_channels,)."""
        if self.blocks is None:
            return self.snapshot().row(self.mechanism, self.actuation.actuators)
        row: Array = self.blocks.row.copy()
        energy = self.places.energy
        balance = self.balance(*self.energies())
        row[energy + 2 : energy + ENERGIES] = balance.in_order[2:]
        return row

    def snapshot(self) -> Snapshot:
        """The state now, with residuals and energies."""
        state = self.state
        coupling, loop = self.measures.residuals(state)
        return Snapshot(
            step=self.steps,
            time=self.time,
            position=state.position.copy(),
            velocity=state.velocity.copy(),
            effort=self.drive_effort.copy(),
            coupling_residual=coupling,
            loop_residual=loop,
            energy=self.balance(*self.energies()),
            body_poses=state.body_poses.copy(),
            body_velocities=state.body_velocities.copy(),
            actuator_effort=self.actuator_effort.copy(),
            cables=self.measures.cables(),
        )

    def balance(self, kinetic: float, potential: float) -> EnergyBalance:
        """The ledger beside these energies [J]."""
        work = self.ledger.work
        dissipated = self.ledger.dissipated
        start = self.ledger.start
        loads = self.ledger.loads
        contact = self.ledger.contact
        overlap = self.ledger.overlap
        flown = loads + contact + overlap
        error = error_of(kinetic + potential, start, work=work, dissipated=dissipated, flown=flown)
        return EnergyBalance(kinetic, potential, work, dissipated, error, loads, contact, overlap)

    def rows_of(self, states: BackendState, times: Array, efforts: Array, work: Array, dissipated: Array) -> Array:
        """Rows of many instants, shape (n, n_channels), where dynamics are not compiled. `efforts` of drives on axes
        and of actuators, shape (n, n_axes + n_actuators); `work` of drives, and `dissipated` energy, shape (n,)."""
        actuators = self.actuation.actuators
        n = len(self.mechanism.axes)
        loads = self.ledger.loads
        contact = self.ledger.contact
        overlap = self.ledger.overlap
        start = self.ledger.start
        flown = loads + contact + overlap
        coupling, loop = self.measures.residuals(states)
        kinetic, potential = (np.asarray(energy) for energy in self.measures.energies(states))
        error = error_of(kinetic + potential, start, work=work, dissipated=dissipated, flown=flown)
        energies = kinetic, potential, work, dissipated, error, loads, contact, overlap
        axes = states.position, states.velocity, efforts[:, :n]
        moved = actuators.position(states.position), actuators.velocity(states.velocity), efforts[:, n:]
        motion = states.body_poses, states.body_velocities
        bodies = loose_numbers(self.mechanism, *motion), hinge_numbers(self.mechanism, *motion)
        cables = np.zeros((len(times), *self.measures.cables().shape))
        return row_of(times, axes, coupling, loop, energies, moved, bodies, cables)

    def energies(self) -> tuple[float, float]:
        """Kinetic and potential energy [J] now."""
        kinetic, potential = self.measures.energies(self.state)
        return float(kinetic), float(potential)

    def total_energy(self) -> float:
        """Kinetic and potential energy together [J]."""
        return sum(self.energies())

    def joint_state(self) -> JointState:
        """The present state, for other dynamics or another pose to start from."""
        state = self.state
        motion = state.position, state.velocity, state.body_poses, state.body_velocities
        return joint_state_of(self.mechanism, *motion, self.measures.cables())

    def look(self) -> None:
        """Read residuals and energies off the state, where compiled code does."""
        if self.blocks is not None:
            self.blocks.read(time=self.time)

    def begin(self) -> None:
        """Look at a state that motion begins from."""
        self.look()
        if self.bounded is not None:
            self.bounded.begin_with(self.energies()[0])

    def show_efforts(self, ends: Array) -> None:
        """Take `ends` for the efforts of drives now, of axes and then of actuators."""
        n = len(self.mechanism.axes)
        self.drive_effort[:] = ends[:n]
        self.actuator_effort[:] = ends[n:]
        self.look()

    def reflected_rotors(self) -> Array | None:
        """What rotors add to the inertia of the axes, where the dynamics move them."""
        return self.rotors if self.blocks is not None else None


class Measures:
    """What is measured of one mechanism."""

    def __init__(self, mechanism: Mechanism, actuators: Actuators) -> None:
        self.places = places_of(mechanism, actuators)
        self._couplings = CouplingRows(mechanism)
        self._passive = PassiveEfforts(mechanism)
        self._loads = mechanism.loads

    def residuals(self, state: BackendState) -> tuple[Array, Array]:
        """Residuals of couplings, shape (..., n_couplings), and of loops, shape (..., n_loops, 2)."""
        return self._couplings.residuals(state.position), state.loops

    def cables(self) -> Array:
        """There are none, see `strategies.gear`."""
        return np.zeros((0, 2))

    def push(self, axis: int, setpoint: Setpoint) -> None:
        """Orders are made in each step: see `Blocks.push`."""

    def energies(self, state: BackendState) -> tuple[Array, Array]:
        """Kinetic and potential energy [J], springs and weights of loads included, shape (...) each."""
        potential = np.asarray(state.energies[..., 1] + self._passive.spring_energy(state.position))
        if self._loads:
            placed = matrices(state.body_poses)
            still = np.zeros((placed.shape[-3], 6))
            for at in np.ndindex(potential.shape):
                potential[at] += load_wrenches(self._loads, placed[at], still, 0.0).stored
        return state.energies[..., 0], potential
