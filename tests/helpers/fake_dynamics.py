"""A backend without an engine: every tree axis is a mass of its own on a rail or a flywheel, integrated as Bullet does
(semi-implicit).

Closed forms follow: qdd = effort / inertia. It books what the engine asks of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simulator.engine.port import BackendState, Contact
from simulator.engine.strategies.gear import hold_by_gears
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import JointState
from simulator.mechanism.residuals import LoopRows
from simulator.mechanism.types import Coupling, Mechanism, MechanismJoint
from simulator.spatial.pose import Pose
from tests.helpers.energy_meter import EnergyMeter
from tests.helpers.mechanisms import Array


@dataclass
class Motor:
    """What `set_motor` was last told."""

    max_effort: float = 0.0
    velocity: float = 0.0
    position: float | None = None


@dataclass
class FakeDynamics:
    """`inertia` of every axis [kg m^2 or kg]; `break_at`: the step from which the first axis is not a number."""

    name = "gear"
    integrated = None
    strider = None

    mechanism: Mechanism
    dt: float
    inertia: float = 0.02
    break_at: int = 10**9
    calls: list[str] = field(default_factory=list)
    motors: dict[int, Motor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.mechanism.axes)
        self._kinematics, self._loops = Kinematics(self.mechanism), LoopRows(self.mechanism)
        self._meter = EnergyMeter(self.mechanism)
        self._position, self._velocity, self._motor = np.zeros(n), np.zeros(n), np.zeros(n)
        self._state: JointState | None = None
        self._steps = 0
        self.tree = np.array([axis.in_tree for axis in self.mechanism.axes], dtype=bool)
        hold_by_gears(self.mechanism, self)

    def set_state(self, state: JointState) -> None:
        """Positions and velocities as they are given."""
        self.calls.append("set_state")
        self._state, self._position, self._velocity = state, state.position.copy(), state.velocity.copy()
        self._motor[:] = 0.0

    def read(self) -> BackendState:
        """The state now; bodies are at rest, so tests set kinetic energies themselves, and axes of loop
        joints at 0."""
        assert self._state is not None
        state = JointState(self._position, self._velocity, self._state.loose_pose, self._state.loose_twist)
        matrices = self._kinematics.body_matrices(state)
        finite = np.array([matrix if np.isfinite(matrix).all() else np.eye(4) for matrix in matrices])
        poses = np.array([Pose.from_matrix(matrix).as_list() for matrix in finite])
        position, velocity = (np.where(self.tree, values, 0.0) for values in (self._position, self._velocity))
        measured = {
            "loops": self._loops.residuals(finite),
            "energies": np.array([0.0, float(self._meter.potential(finite))]),
        }
        return BackendState(position, velocity, self._motor.copy(), poses, np.zeros((len(matrices), 6)), **measured)

    def set_motor(self, axis: int, *, max_effort: float, velocity: float = 0.0, position: float | None = None) -> None:
        """Booked; velocity motors also work."""
        self.motors[axis] = Motor(max_effort, velocity, position)

    def set_wrenches(self, wrenches: Array) -> None:
        """There are no loads."""

    def add_gear(self, coupling: Coupling) -> None:
        """Booked."""
        self.calls.append(f"gear {coupling.follower} {coupling.leader}")

    def add_loop(self, loop: MechanismJoint, *, planar: bool) -> None:
        """Booked."""
        self.calls.append(f"loop {loop.name} {'planar' if planar else 'spatial'}")

    def set_efforts(self, efforts: Array) -> None:
        """Those of the next step."""
        self._efforts = efforts

    def step(self) -> None:
        """Semi-implicit Euler; a velocity motor gives the effort that reaches its target, at most its bound."""
        self._steps += 1
        self._velocity = self._velocity + self._efforts * self.dt / self.inertia
        for axis, motor in self.motors.items():
            if motor.position is None and motor.max_effort > 0.0:
                wanted = (motor.velocity - self._velocity[axis]) * self.inertia / self.dt
                self._motor[axis] = min(max(wanted, -motor.max_effort), motor.max_effort)
                self._velocity[axis] += self._motor[axis] * self.dt / self.inertia
        self._position = self._position + self._velocity * self.dt
        if self._steps >= self.break_at:
            self._position[0] = np.nan

    def contacts(self) -> tuple[Contact, ...]:
        """Nothing touches."""
        return ()

    def close(self) -> None:
        """Booked."""
        self.calls.append("close")
