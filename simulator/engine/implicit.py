"""Springs, dampers and loops for dynamics that take efforts only and step by the semi-implicit Euler method.

If one of them is faster than the step, all take their values at its end (the implicit Euler method): with x = J
q, the mobility W = J M⁻¹ Jᵀ that the mechanism shows them, and the acceleration a without them,

    u = f − c (a + W u),    c = dt d + dt² k + dt³ i,

f being their value at the positions that the present velocities lead to, i the integral gain of a loop. So a
spring that is too fast comes to rest at its balance, and a damper that is too fast lets the axis creep as it should.
Contacts, stops and motors in the step are not foreseen. If none of them is fast, efforts are those of the
start of the step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.loads import spring_pull
from simulator.physics.compiled.bounded import BoundedMechanism
from simulator.physics.compiled.motors_now import response_now
from simulator.physics.layout import buffers as at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.engine.passive import PassiveEfforts
    from simulator.engine.port import BackendState
    from simulator.engine.pushes import Pushes
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.impact.lines import Servo
    from simulator.spatial.arrays import Array


STIFF = 0.1
"""Part of its speed that a damper may take in a step, or square of the radians that a spring may swing, before efforts
are implicit."""
LOOK_AGAIN = 20
"""Steps after which mobilities are looked at again while nothing is fast."""
ROUNDS = 8
"""Most rounds of finding out which loops are at their limits."""


class ImplicitEfforts:
    """The efforts of one mechanism's springs, dampers and loops. Springs between points are numbered after those of
    axes."""

    def __init__(self, mechanism: Mechanism, passive: PassiveEfforts, pushes: Pushes, dt: float) -> None:
        self._pushes = pushes
        self._springs = mechanism.loads.springs
        self._mechanism = mechanism
        self._passive = passive
        self._dt = dt
        self._axes = np.flatnonzero(passive.damping + passive.stiffness)
        self._bounded: BoundedMechanism | None = None
        self._due, self._before = 0, 0
        self.is_fast, self.time = False, 0.0

    def look(self, state: Callable[[], JointState], servos: Sequence[Servo]) -> bool:
        """Whether something is too fast for the step; looked up now and then only."""
        count = len(servos)
        self._due = self._due - 1
        again = count != self._before
        self._before = count
        if not count and not len(self._axes) and not self._springs:
            self.is_fast = False
        elif again or self.is_fast or self._due <= 0:
            self._due = LOOK_AGAIN
            stiffness, damping = self._constants(servos)
            mobility = np.diag(self._response(state(), np.zeros(len(self._mechanism.axes)), servos)[1])
            # W d dt is the part of its speed that a damper takes in a step, W k dt² the square of what a spring swings.
            self.is_fast = bool(np.any(mobility * self._dt * np.maximum(damping, self._dt * stiffness) > STIFF))
        return self.is_fast

    def pulls(self, now: BackendState, ahead: float = 0.0) -> Array:
        """With what springs between points pull their ends together [N], shape (n_springs,), `ahead` [s] of now at the
        present rates."""
        if not self._springs:
            return np.zeros(0)
        lengths, rates = self._pushes.lengths(now)
        found = zip(self._springs, lengths + ahead * rates, rates, strict=True)
        return np.array([spring_pull(spring, length) + spring.damping * rate for spring, length, rate in found])

    def efforts(
        self, state: JointState, now: BackendState, others: Array, servos: Sequence[Servo]
    ) -> tuple[Array, Array, Array]:
        """What springs and dampers do to the axes, shape (n_axes,), the efforts of loops, in their order, and the pulls
        of springs between points, shape (n_springs,). `others`: all other efforts on the axes, shape (n_axes,)."""
        dt = self._dt
        passive = self._passive
        axes = self._axes
        acceleration, mobility = self._response(state, others, servos)
        stiffness, damping = self._constants(servos)
        position, velocity = state.position[axes], state.velocity[axes]
        # Backward Euler, f = -k (q + dt v⁺ - q0) - d v⁺ with v⁺ = v + dt (a + W f): solved for f, stable at any
        # stiffness.
        soft = -stiffness[: len(axes)] * (position + dt * velocity - passive.reference[axes])
        rates = [sum(factor * float(state.velocity[axis]) for axis, factor in servo.terms) for servo in servos]
        held = [
            servo.effort
            + dt * servo.integral * servo.error
            + (servo.damping + dt * (servo.stiffness + dt * servo.integral)) * (servo.rates[1] - rate)
            for servo, rate in zip(servos, rates, strict=True)
        ]
        asked = np.concatenate((soft - damping[: len(axes)] * velocity, -self.pulls(now, dt), held))
        most = np.concatenate((np.full(len(axes) + len(self._springs), np.inf), [servo.max_effort for servo in servos]))
        # (E + (dt d + dt² k) W) f = f_now - (dt d + dt² k) a, W the mobility over all that is held.
        later = dt * damping + dt * dt * stiffness
        found = _within(np.eye(len(asked)) + later[:, None] * mobility, asked - later * acceleration, most)
        on_axes = np.zeros(len(self._mechanism.axes))
        on_axes[axes] = found[: len(axes)]
        behind = len(axes) + len(self._springs)
        return on_axes, found[behind:], -found[len(axes) : behind]

    def _constants(self, servos: Sequence[Servo]) -> tuple[Array, Array]:
        """Stiffness, with what an integral adds to it over a step, and damping of all that is held."""
        loops = [servo.stiffness + self._dt * servo.integral for servo in servos]
        stiffness = [*self._passive.stiffness[self._axes].tolist(), *self._slopes(), *loops]
        damping = [
            *self._passive.damping[self._axes].tolist(),
            *[spring.damping for spring in self._springs],
            *[servo.damping for servo in servos],
        ]
        return np.array(stiffness), np.array(damping)

    def _slopes(self) -> list[float]:
        """Stiffness of springs between points; of a table its largest."""
        tables = [spring.table for spring in self._springs]
        steepest = [
            0.0 if table is None else max(0.0, *(np.diff(table.forces) / np.diff(table.lengths)).tolist())
            for table in tables
        ]
        return [max(spring.stiffness, slope) for spring, slope in zip(self._springs, steepest, strict=True)]

    def _response(self, state: JointState, others: Array, servos: Sequence[Servo]) -> tuple[Array, Array]:
        """Accelerations without springs, dampers and loops, and mobilities."""
        if self._bounded is None:
            self._bounded = BoundedMechanism(self._mechanism)
            for block in (at.F_DAMPING, at.F_STIFFNESS, at.F_LPASSIVE):
                self._bounded.model.view(block)[:] = 0.0
        self._bounded.model.set_time(self.time)
        self._bounded.model.set_state(state)
        self._bounded.model.set_efforts(others)
        behind = len(self._mechanism.axes)
        own = [*self._axes.tolist(), *range(behind, behind + len(self._springs))]
        terms = [((int(place), 1.0),) for place in own]
        return response_now(self._bounded, [*terms, *[servo.terms for servo in servos]])


def _within(matrix: Array, right: Array, most: Array) -> Array:
    """The solution of matrix · u = right, as far as |u| <= most allows; rows at their bounds do not hold then."""
    bound = np.zeros(len(right), dtype=bool)
    found = np.zeros(len(right))
    for _ in range(ROUNDS):
        free = ~bound
        # A loop at its limit is a known effort for the others.
        rest = right[free] - matrix[np.ix_(free, bound)] @ found[bound]
        found[free] = np.linalg.solve(matrix[np.ix_(free, free)], rest)
        beyond = np.abs(found) > most
        if not beyond.any():
            break
        found[beyond] = np.sign(found[beyond]) * most[beyond]
        bound |= beyond
    clipped: Array = np.clip(found, -most, most)
    return clipped
