"""Strategy `reduced`: independent coordinates on our own dynamics, by the Runge-Kutta method of order four.

Couplings hold by construction, loops to round-off by projection, the energy to the fifth order of the step.
There are no contacts. Motors, friction, stops and speed limits are rows between bounds, solved together
(`physics.step.step`).
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.holding import contact_text, stop_text
from simulator.engine.port import BackendState
from simulator.kinematics.closure import motion_text
from simulator.mechanism.residuals import coupling_residuals, loop_residuals
from simulator.physics.compiled.bounded import BoundedMechanism
from simulator.physics.compiled.motors_now import approach_now, held_motors, motor_efforts_now
from simulator.physics.impact.lines import Motor, Servo
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from simulator.engine.port import Contact
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


NOTED = 8
"""Most change points that are reported."""
OPEN = 1e-6
"""A loop that projection met as open as this [m or rad] after a step cannot be closed any more."""


class ReducedDynamics:
    """A mechanism that moves by its own equations; fulfils the port of a physics engine."""

    name = "reduced"
    strider = None

    def __init__(self, mechanism: Mechanism, *, dt: float, added_inertia: Array | None = None) -> None:
        """`added_inertia` (n_axes, n_axes): of rotors, see `CompiledMechanism`."""
        self._mechanism, self.dt = mechanism, dt
        self._bounded = BoundedMechanism(mechanism, added_inertia=added_inertia)
        self._model = self._bounded.model
        self._gap = 0.0
        self._branches: tuple[str, ...] = ()

    @property
    def integrated(self) -> ReducedDynamics:
        """Itself: what acts beside drives is part of its equations."""
        return self

    @property
    def bounded(self) -> BoundedMechanism:
        """The compiled mechanism."""
        return self._bounded

    def can_step_blocks(self) -> bool:
        """Whether nothing has to be looked at between steps now; at singular positions every one is a decision."""
        return not self._model.rows.parked

    def like(self, mechanism: Mechanism, added_inertia: Array | None) -> Self | None:
        """A backend for a mechanism of the same structure with other numbers, in a tenth of the time that a new one
        takes; its state is not set. None where it has to be made anew."""
        bounded = self._bounded.like(mechanism, added_inertia)
        if bounded is None:
            return None
        other = copy.copy(self)
        other._mechanism = mechanism
        other._bounded = bounded
        other._model = bounded.model
        return other

    def set_state(self, state: JointState) -> None:
        """Put every tree joint where `state` says; velocities are made consistent with the loops."""
        self._model.set_state(state)
        self._model.project()
        self._bounded.forget()
        self._gap = 0.0
        self._branches = ()
        self._model.rows.went.clear()

    def read(self) -> BackendState:
        """The state now."""
        position, velocity = self._model.axis_state()
        poses, velocities = self._model.read_bodies()
        bounded = self._bounded
        return BackendState(
            position,
            velocity,
            bounded.motor_efforts(),
            poses,
            velocities,
        )

    def set_motor(self, axis: int, *, max_effort: float, velocity: float = 0.0, position: float | None = None) -> None:
        """A motor row on an axis; `max_effort` 0 switches it off."""
        self._bounded.set_motor(axis, Motor(max_effort, velocity, position))

    def start_motors(self, speeds: Mapping[int, float]) -> None:
        """Drives that begin or jump in the next step."""
        self._bounded.start_motors({axis: speed for axis, speed in speeds.items() if axis in self._bounded.motor_lines})

    def efforts_now(self, rates: Mapping[int, float], pushed: Array) -> dict[int, float]:
        """Efforts of motors at the present state."""
        return motor_efforts_now(self._bounded, rates, pushed)

    def approach(self, axis: int, numbers: tuple[float, float], pushed: Array) -> float:
        """Velocity with which a motor approaches a position."""
        return approach_now(self._bounded, axis, numbers, pushed, self.dt)

    def held(self) -> dict[int, tuple[float, str]]:
        """Which motors without a limit something held, from when on [s], and what."""
        found = held_motors(self._bounded)
        return {axis: (time, self._holder(by)) for axis, (time, by) in found.items()}

    def _holder(self, by: tuple[int, ...]) -> str:
        if len(by) > 1:
            return contact_text(self._mechanism, by)
        kind = int(self._bounded.lines[0][by[0], 0])
        info = self._mechanism.axes[int(self._bounded.line_axis[by[0]])]
        if kind == row_at.SPEED:
            return f"the velocity limit of '{info.name}'"
        return stop_text(info, upper=kind != row_at.LOWER)

    def set_servos(self, servos: Sequence[Servo]) -> None:
        """Loops of the next step."""
        self._bounded.set_servos(servos)

    def contacts(self) -> tuple[Contact, ...]:
        """There are none."""
        return ()

    def trouble(self) -> str:
        """A motor on an axis without a freedom, motors that contradict each other, or a loop that came open."""
        blocked = self._bounded.blocked()
        if blocked is not None:
            axis, contradicted = blocked
            name = self._mechanism.axes[axis].name
            if contradicted:
                return (
                    f"the drive of '{name}' and those of other axes ask for what couplings and loops do not allow "
                    "together"
                )
            return f"'{name}' is driven, but its couplings and loops leave it no motion: {self._ties(axis)}"
        opened = self.opened_loop()
        return f"{opened} cannot be closed any more" if opened else ""

    def _ties(self, axis: int) -> str:
        """The loops and couplings that tie an axis to others."""
        mechanism = self._mechanism
        found = list[str]()
        for cluster in mechanism.clusters:
            loops = [mechanism.loop_joints[i] for i in cluster.loop_joints]
            joints = [*(mechanism.joints[i] for i in cluster.joints), *loops]
            if any(motion.axis == axis for joint in joints for motion in joint.motions):
                found += [f"the loop closed by '{joint.name}'" for joint in loops]
                followers = [mechanism.axes[mechanism.couplings[i].follower].name for i in cluster.couplings]
                found += [f"the coupling of '{name}'" for name in followers]
        return ", ".join(found)

    def branches(self) -> tuple[str, ...]:
        """Which motions were taken at change points, the first times."""
        return self._branches

    def keep(self) -> Callable[[], None] | None:
        """See the port."""
        return self._bounded.keep() if self._model.N[at.ROWS] or self._bounded.has_rows else None

    def is_unbalanced(self, energies: tuple[float, float], change: float) -> bool:
        """See the port."""
        return self._bounded.is_unbalanced(energies, change)

    def opened_loop(self) -> str:
        """See the port; nothing where a motor is blocked."""
        left_open = not self._gap <= OPEN or self._model.rows.gap() > self._model.rows.slack
        if not left_open or self._bounded.blocked() is not None:
            return ""
        mechanism = self._mechanism
        if not mechanism.loop_joints:
            errors = np.abs(coupling_residuals(mechanism, self.read().position))
            curved = [i for i, coupling in enumerate(mechanism.couplings) if coupling.curve is not None]
            worst = max(curved, key=lambda i: math.inf if math.isnan(errors[i]) else errors[i])
            return f"the coupling of '{mechanism.axes[mechanism.couplings[worst].follower].name}'"
        residuals = loop_residuals(mechanism, matrices(self._model.read_bodies()[0]))
        return f"the loop closed by '{mechanism.loop_joints[int(np.argmax(residuals.sum(axis=1)))].name}'"

    def use_other_rows(self) -> bool:
        """See the port."""
        return self._model.use_other_rows()

    def close(self) -> None:
        """Nothing to free."""

    def set_time(self, time: float) -> None:
        """The time [s] at which the next step begins."""
        self._model.set_time(time)

    def set_wrenches(self, wrenches: Array) -> None:
        """Nothing: loads are part of the equations."""

    def set_efforts(self, efforts: Array) -> None:
        """Efforts on all axes from now on, shape (n_axes,)."""
        self._model.set_efforts(np.asarray(efforts, dtype=float))

    def step(self) -> None:
        """Advance by one time step."""
        self._gap = self._bounded.step(self.dt)
        if self._model.rows.went:
            self._note_branches()

    def _note_branches(self) -> None:
        time = float(self._model.view(at.F_TIME)[1])
        for item, motion in self._model.rows.went:
            text = f"at {time:.6g} s the loop closed by '{item.loops[0]}' continued from its change point with "
            text += motion_text(self._mechanism, motion, item.columns)
            self._branches = (*self._branches, text)[:NOTED]
        self._model.rows.went.clear()
