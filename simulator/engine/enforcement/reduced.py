"""Strategy `reduced`: independent coordinates on our own dynamics, by the Runge-Kutta method of order four.

Couplings hold by construction, loops to round-off by projection, the energy is kept to the fifth order of the step. There are no contacts.
Motors, friction and joint limits are efforts that bring an axis to a velocity by the end of the step, within bounds: with the affine map
from efforts to accelerations they form a small linear complementarity problem, solved by projected Gauss-Seidel sweeps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.model import CompiledMechanism
from simulator.engine.drives import POSITION_DRIVE_TIME
from simulator.engine.port import BackendState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.dynamics.state import JointState
    from simulator.engine.port import Backend
    from simulator.mechanism.types import Coupling, Mechanism, MechanismJoint

    Array = NDArray[np.float64]

BRAKING_SHARE = 0.8
"""Part of its effort that a position drive plans to brake with; the rest is for what pulls at it meanwhile."""
SWEEPS = 200
SETTLED = 1e-13


@dataclass(frozen=True)
class Motor:
    """What a motor row is told; see `Backend.set_motor`."""

    max_effort: float
    velocity: float
    position: float | None


@dataclass(frozen=True)
class Row:
    """An axis that is to have `target` velocity at the end of the step, by an effort between `least` and `most`."""

    axis: int
    target: float
    least: float
    most: float


class ReducedBackend:
    """A mechanism that moves by its own equations; fulfils the port of a physics engine."""

    integrates_passive = True

    def __init__(self, mechanism: Mechanism, *, dt: float) -> None:
        self._mechanism, self._dt = mechanism, dt
        self._model = CompiledMechanism(mechanism)
        n = len(mechanism.axes)
        self._efforts, self._bounded = np.zeros(n), np.zeros(n)
        self._motors: dict[int, Motor] = {}
        self._limited = [i for i, info in enumerate(mechanism.axes) if info.in_tree and info.limited]

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says."""
        self._model.set_state(state)
        self._bounded[:] = 0.0

    def read(self) -> BackendState:
        """The state now."""
        state = self._model.joint_state()
        poses = self._model.body_poses()
        motor = np.array([self._bounded[i] if i in self._motors else 0.0 for i in range(len(self._bounded))])
        return BackendState(state.position, state.velocity, motor, poses, self._model.body_velocities(poses))

    def apply_efforts(self, efforts: Array) -> None:
        """Efforts on all axes for the next step."""
        self._efforts = np.asarray(efforts, dtype=float)

    def set_motor(self, axis: int, *, max_effort: float, velocity: float = 0.0, position: float | None = None) -> None:
        """A motor row on a tree axis; `max_effort` 0 switches it off."""
        self._motors.pop(axis, None)
        if max_effort > 0.0:
            self._motors[axis] = Motor(max_effort, velocity, position)

    def add_gear(self, coupling: Coupling) -> None:
        """Nothing to do: couplings are in the coordinates."""

    def add_loop(self, loop: MechanismJoint, *, planar: bool) -> None:
        """Nothing to do: loops are in the equations."""

    def contact_count(self) -> int:
        """There are no contacts."""
        return 0

    def close(self) -> None:
        """Nothing to free."""

    def step(self) -> None:
        """Advance by one time step."""
        self._bounded = self._bounded_efforts()
        self._model.set_efforts(self._efforts + self._bounded)
        self._model.step(self._dt)

    def _bounded_efforts(self) -> Array:
        """Efforts of motors, friction and limits for this step, shape (n_axes,)."""
        result = np.zeros(len(self._efforts))
        if not self._motors and not self._limited:
            return result
        state = self._model.joint_state()
        self._model.set_efforts(self._efforts)
        free = self._model.acceleration()
        predicted = state.velocity + self._dt * free
        rows = self._rows(state.position, predicted, free)
        if rows:
            axes = [row.axis for row in rows]
            response = self._dt * np.stack([self._response(axis, free)[axes] for axis in axes], axis=1)
            for row, effort in zip(rows, _solve(rows, predicted[axes], response), strict=True):
                result[row.axis] += effort
        return result

    def _rows(self, position: Array, predicted: Array, free: Array) -> list[Row]:
        rows = []
        for axis, motor in self._motors.items():
            target = motor.velocity
            if motor.position is not None:
                target = self._approach(axis, motor, motor.position - float(position[axis]), free)
            rows.append(Row(axis, target, -motor.max_effort, motor.max_effort))
        for axis in self._limited:
            info, ahead = self._mechanism.axes[axis].axis, position[axis] + self._dt * predicted[axis]
            if ahead <= info.lower:
                rows.append(Row(axis, float((info.lower - position[axis]) / self._dt), 0.0, np.inf))
            if ahead >= info.upper:
                rows.append(Row(axis, float((info.upper - position[axis]) / self._dt), -np.inf, 0.0))
        return rows

    def _approach(self, axis: int, motor: Motor, gap: float, free: Array) -> float:
        """Velocity with which a position drive closes a gap: no faster than it is allowed, nor than its effort can brake in time."""
        braking = BRAKING_SHARE * motor.max_effort * float(self._response(axis, free)[axis])
        top = math.sqrt(max(2.0 * braking * abs(gap), 0.0))
        if motor.velocity > 0.0:
            top = min(top, motor.velocity)
        return min(max(gap / max(POSITION_DRIVE_TIME, self._dt), -top), top)

    def _response(self, axis: int, free: Array) -> Array:
        """Accelerations of all axes per unit of effort on one."""
        efforts = self._efforts.copy()
        efforts[axis] += 1.0
        self._model.set_efforts(efforts)
        change: Array = self._model.acceleration() - free
        return change


def _solve(rows: list[Row], predicted: Array, response: Array) -> Array:
    """Efforts with predicted + response @ efforts = target, or at a bound, shape (n_rows,)."""
    efforts = np.zeros(len(rows))
    reached = predicted.copy()
    for _ in range(SWEEPS):
        largest = 0.0
        for i, row in enumerate(rows):
            if response[i, i] <= 0.0:
                continue
            wanted = efforts[i] + (row.target - reached[i]) / response[i, i]
            change = min(max(wanted, row.least), row.most) - efforts[i]
            efforts[i] += change
            reached += response[:, i] * change
            largest = max(largest, abs(response[i, i] * change))
        if largest <= SETTLED * max(1.0, float(np.abs(reached).max())):
            break
    return efforts


@dataclass(frozen=True)
class ReducedEnforcement:
    """Nothing is enforced: what may not move is no coordinate."""

    name: str = "reduced"

    def attach(self, mechanism: Mechanism, backend: Backend) -> None:
        """The backend knows couplings and loops already."""

    def step(self, backend: Backend, efforts: NDArray[np.float64]) -> None:
        """Hand over the efforts and step."""
        backend.apply_efforts(efforts)
        backend.step()
