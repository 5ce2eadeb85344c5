"""Springs, dampers and loops for dynamics that take efforts only and step by the semi-implicit Euler method.

Where one of them is faster than the step, all are what they would be at its end (the implicit Euler method): with x = J q, the mobility
W = J M⁻¹ Jᵀ that the mechanism shows them, and the acceleration a without them,

    u = f − c (a + W u),    c = dt d + dt² k,

f being what they ask for at the positions that the present velocities lead to. So a spring that is too fast comes to rest where it
balances, and a damper that is too fast lets the axis creep as it should. What contacts, stops and motors do in the step is not foreseen.
Where none of them is fast, efforts are those of the start of the step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded import BoundedMechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from simulator.dynamics.compiled.bounded import Servo
    from simulator.dynamics.state import JointState
    from simulator.engine.passive import PassiveEfforts
    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]

STIFF = 0.1
"""Part of its speed that a damper may take in a step, or square of the radians that a spring may swing, before efforts are implicit."""
LOOK_AGAIN = 20
"""Steps after which mobilities are looked at again while nothing is fast."""
ROUNDS = 8
"""Most rounds of finding out which loops are at their limits."""


class ImplicitEfforts:
    """The efforts of one mechanism's springs, dampers and loops."""

    def __init__(self, mechanism: Mechanism, passive: PassiveEfforts, dt: float) -> None:
        self._mechanism, self._passive, self._dt = mechanism, passive, dt
        self._axes = np.flatnonzero(passive.damping + passive.stiffness)
        self._bounded: BoundedMechanism | None = None
        self._due, self._before = 0, 0
        self.is_fast = False

    def look(self, state: Callable[[], JointState], servos: Sequence[Servo]) -> bool:
        """Whether something is too fast for the step; looked up now and then only."""
        count = len(servos)
        self._due, again = self._due - 1, count != self._before
        self._before = count
        if not count and not len(self._axes):
            self.is_fast = False
        elif again or self.is_fast or self._due <= 0:
            self._due = LOOK_AGAIN
            stiffness, damping = self._constants(servos)
            mobility = np.diag(self._response(state(), np.zeros(len(self._mechanism.axes)), servos)[1])
            self.is_fast = bool(np.any(mobility * self._dt * np.maximum(damping, self._dt * stiffness) > STIFF))
        return self.is_fast

    def efforts(self, state: JointState, others: Array, servos: Sequence[Servo]) -> tuple[Array, Array]:
        """What springs and dampers do to the axes, shape (n_axes,), and the efforts of loops, in their order; `others`: all other efforts
        on the axes, shape (n_axes,)."""
        dt, passive, axes = self._dt, self._passive, self._axes
        acceleration, mobility = self._response(state, others, servos)
        stiffness, damping = self._constants(servos)
        position, velocity = state.position[axes], state.velocity[axes]
        soft = -stiffness[: len(axes)] * (position + dt * velocity - passive.reference[axes])
        rates = [sum(factor * float(state.velocity[axis]) for axis, factor in servo.terms) for servo in servos]
        held = [
            servo.effort + (servo.damping + dt * servo.stiffness) * (servo.rates[1] - rate)
            for servo, rate in zip(servos, rates, strict=True)
        ]
        asked = np.concatenate((soft - damping[: len(axes)] * velocity, held))
        most = np.concatenate((np.full(len(axes), np.inf), [servo.max_effort for servo in servos]))
        later = dt * damping + dt * dt * stiffness
        found = _within(np.eye(len(asked)) + later[:, None] * mobility, asked - later * acceleration, most)
        on_axes = np.zeros(len(self._mechanism.axes))
        on_axes[axes] = found[: len(axes)]
        return on_axes, found[len(axes) :]

    def _constants(self, servos: Sequence[Servo]) -> tuple[Array, Array]:
        """Stiffness and damping of all that is held."""
        stiffness = [*self._passive.stiffness[self._axes].tolist(), *[servo.stiffness for servo in servos]]
        damping = [*self._passive.damping[self._axes].tolist(), *[servo.damping for servo in servos]]
        return np.array(stiffness), np.array(damping)

    def _response(self, state: JointState, others: Array, servos: Sequence[Servo]) -> tuple[Array, Array]:
        """Accelerations without springs, dampers and loops, and mobilities."""
        if self._bounded is None:
            self._bounded = BoundedMechanism(self._mechanism)
            for block in (at.F_DAMPING, at.F_STIFFNESS, at.F_LPASSIVE):
                self._bounded.model.view(block)[:] = 0.0
        self._bounded.model.set_state(state)
        self._bounded.model.set_efforts(others)
        terms = [((int(axis), 1.0),) for axis in self._axes]
        return self._bounded.response([*terms, *[servo.terms for servo in servos]])


def _within(matrix: Array, right: Array, most: Array) -> Array:
    """The solution of matrix · u = right, as far as |u| <= most allows; rows at their bounds do not hold then."""
    bound = np.zeros(len(right), dtype=bool)
    found = np.zeros(len(right))
    for _ in range(ROUNDS):
        free = ~bound
        rest = right[free] - matrix[np.ix_(free, bound)] @ found[bound]
        found[free] = np.linalg.solve(matrix[np.ix_(free, free)], rest)
        beyond = np.abs(found) > most
        if not beyond.any():
            break
        found[beyond] = np.sign(found[beyond]) * most[beyond]
        bound |= beyond
    clipped: Array = np.clip(found, -most, most)
    return clipped
