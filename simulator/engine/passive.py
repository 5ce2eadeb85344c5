"""Passive efforts of the document on an axis: viscous damping, a spring, Coulomb friction.

Damping and spring are applied as efforts, -d qd - k (q - ref). Friction is a motor row towards rest bounded by the
friction effort, so that the engine's solver finds the stick-slip; while a drive owns the axis' motor row, friction is
an effort against the motion instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


STICTION_SPEED = 1e-3
"""Below this speed [rad/s or m/s] friction beside a drive fades to zero linearly, so that it cannot chatter."""


class PassiveEfforts:
    """The damping, springs and friction of all axes as arrays, shape (n_axes,)."""

    def __init__(self, mechanism: Mechanism) -> None:
        axes = [info.axis for info in mechanism.axes]
        self.damping = np.array([axis.damping for axis in axes], dtype=float)
        self.stiffness = np.array([axis.spring_stiffness for axis in axes], dtype=float)
        self.reference = np.array([axis.spring_reference for axis in axes], dtype=float)
        self.friction = np.array([axis.friction for axis in axes], dtype=float)

    def spring_and_damper(self, position: Array, velocity: Array) -> Array:
        """-k (q - ref) - d qd, shape (n_axes,) [N m or N]."""
        return self.springs(position) - self.damping * velocity

    def springs(self, position: Array) -> Array:
        """-k (q - ref), shape (n_axes,) [N m or N]."""
        efforts: Array = -self.stiffness * (position - self.reference)
        return efforts

    def friction_beside_drive(self, axis: int, velocity: float) -> float:
        """Friction effort on an axis whose motor row a drive uses [N m or N]."""
        return -float(self.friction[axis]) * float(np.clip(velocity / STICTION_SPEED, -1.0, 1.0))

    def spring_energy(self, position: Array) -> Array:
        """Energy stored in all springs [J], shape (...) for positions (..., n_axes)."""
        stored: Array = np.sum(self.stiffness * (position - self.reference) ** 2, axis=-1)
        return 0.5 * stored
