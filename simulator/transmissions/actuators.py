"""The actuators of a world, bound to the axes of its mechanism: what an engine and a recorder need to know of them.

With q, q̇, τ of all axes and x, ẋ, f of all actuators, A of shape (n_actuators, n_axes) put together from all
transmissions and c = −A · offset, row by row:

    x = A q + c        ẋ = A q̇        τ = Aᵀ f        ½ ẋᵀ J ẋ = ½ q̇ᵀ (Aᵀ J A) q̇

J = diag(rotor inertias): the rotors' spin is felt at the joints as the reflected inertia Aᵀ J A (for one gear of ratio
n: n² J). What the rotors weigh, and the gyroscopic effect of their spin, belongs to the links that carry them and is
small beside it; MuJoCo's armature and Drake's rotor inertia make the same approximation (Featherstone 2008, section
9.6).
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import Source
from simulator.errors import UnknownNameError, UsageError
from simulator.records import dataclass
from simulator.transmissions.base import Transmission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.spatial.arrays import Array


PREFIX = "actuator/"
"""The prefix of an actuator's name where names of axes are expected too, e.g. in drives and channels."""


@dataclass(frozen=True)
class Actuator:
    """One actuator. `name` is scoped (`model::motor`), `transmission` the index of the transmission that it belongs
    to."""

    name: str
    transmission: int
    rotor_inertia: float = 0.0
    source: Source | None = field(default=None, compare=False)


@dataclass(frozen=True)
class BoundTransmission:
    """A transmission in its place: `actuators` and `axes` are indices, in the order of the roles of `law`."""

    name: str
    plugin: str
    law: Transmission
    actuators: tuple[int, ...]
    axes: tuple[int, ...]
    source: Source | None = field(default=None, compare=False)


class Actuators:
    """All actuators of a world; see the head of this file for the symbols. Empty where the document has none.

    Frozen in effect: `matrix` A (n_actuators, n_axes), `constant` c (n_actuators,) and `rotor_inertia` J (n_actuators,)
    cannot be written.
    """

    def __init__(
        self, actuators: Sequence[Actuator] = (), transmissions: Sequence[BoundTransmission] = (), *, n_axes: int = 0
    ) -> None:
        self.actuators = tuple(actuators)
        self.transmissions = tuple(transmissions)
        self.matrix = np.zeros((len(self.actuators), n_axes))
        self.constant = np.zeros(len(self.actuators))
        for bound in self.transmissions:
            block = bound.law.matrix()
            rows = list(bound.actuators)
            self.matrix[np.ix_(rows, list(bound.axes))] = block
            self.constant[rows] = -block @ np.array(bound.law.joint_offsets)
        self.rotor_inertia = np.array([actuator.rotor_inertia for actuator in self.actuators], dtype=np.float64)
        for array in (self.matrix, self.constant, self.rotor_inertia):
            array.setflags(write=False)
        self._axes = np.flatnonzero(self.matrix.any(axis=0))  # that actuators move
        self._block = self.matrix[:, self._axes]

    def __len__(self) -> int:
        return len(self.actuators)

    @property
    def names(self) -> tuple[str, ...]:
        """Scoped names, in the order of all arrays."""
        return tuple(actuator.name for actuator in self.actuators)

    def index(self, name: str) -> int:
        """Index by name, with or without `actuator/` before it; the model may be left out where the name is unique.

        Raises UnknownNameError with the names that exist, UsageError if several could be meant.
        """
        wanted = name.removeprefix(PREFIX)
        exact = [i for i, known in enumerate(self.names) if known == wanted]
        tail = [i for i, known in enumerate(self.names) if known.endswith(f"::{wanted}")]
        found = exact or tail
        if not found:
            raise UnknownNameError("actuator", wanted, self.names)
        if len(found) > 1:
            raise UsageError(f"'{wanted}' is ambiguous: {', '.join(sorted(self.names[i] for i in found))}")
        return found[0]

    def terms(self, actuator: int) -> tuple[tuple[int, float], ...]:
        """Row of A: (axis index, coefficient) pairs with x = Σ coefficient · q_axis + constant[actuator]."""
        row = self.matrix[actuator]
        return tuple((int(axis), float(row[axis])) for axis in np.flatnonzero(row))

    def position(self, axis_position: Array) -> Array:
        """x = A q + c, shape (..., n_actuators) for q (..., n_axes); axes without an actuator may hold nan."""
        return self._times(axis_position) + self.constant

    def velocity(self, axis_velocity: Array) -> Array:
        """ẋ = A q̇, shape (..., n_actuators)."""
        return self._times(axis_velocity)

    def axis_effort(self, effort: Array) -> Array:
        """τ = Aᵀ f, shape (..., n_axes): what actuators that push with f do to the axes. τᵀ q̇ = fᵀ ẋ. The same numbers
        however many steps are asked for at once: a product of matrices rounds differently for one row."""
        terms = np.asarray(effort, dtype=np.float64)[..., None] * self.matrix
        return np.asarray(terms.sum(axis=-2), dtype=np.float64)

    def effort(self, axis_effort: Array) -> Array:
        """The actuators' efforts f with Aᵀ f = τ on the axes that have actuators, shape (n_actuators,).

        Where several transmissions act on one axis they share its effort with the least sum of squares.
        """
        wanted = np.asarray(axis_effort, dtype=np.float64)
        if sum(len(bound.axes) for bound in self.transmissions) != len(self._axes):
            return np.asarray(np.linalg.pinv(self._block.T) @ wanted[self._axes], dtype=np.float64)
        effort = np.zeros(len(self))
        for bound in self.transmissions:
            effort[list(bound.actuators)] = bound.law.actuator_effort(wanted[list(bound.axes)])
        return effort

    def reflected_inertia(self) -> Array:
        """Aᵀ J A, shape (n_axes, n_axes), symmetric: what the rotors add to the mechanism's mass matrix."""
        return np.asarray(self.matrix.T @ (self.rotor_inertia[:, None] * self.matrix), dtype=np.float64)

    def kinetic_energy(self, axis_velocity: Array) -> float:
        """½ Σ J ẋ² of all rotors [J]."""
        return float(0.5 * self.rotor_inertia @ self.velocity(axis_velocity) ** 2)

    def _times(self, values: Array) -> Array:
        """A · values, without those of axes that no actuator moves."""
        return np.asarray(np.asarray(values, dtype=np.float64)[..., self._axes] @ self._block.T, dtype=np.float64)
