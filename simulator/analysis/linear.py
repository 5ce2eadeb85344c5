"""Small motion around a state: ẋ = A x + B u, y = C x + D u in independent coordinates, its modes and its frequency
response.

x = (δq, δq̇) of the independent axes, u efforts on all axes of the tree, y = positions and velocities of all axes. With
q̈ = f(q, q̇, τ) of the whole closed and coupled mechanism, ∂f/∂q and ∂f/∂q̇ are central differences at h and 2 h,
extrapolated to none (error h⁴), B is exact because efforts enter linearly. Coulomb friction, stops and contacts are
left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.named import NamedMatrix
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from simulator.analysis.independent import IndependentAxes
    from simulator.spatial.arrays import Array

    Complex = NDArray[np.complex128]

STEP = 1e-3
"""Of the differences [rad or m, per second]: h⁴ of the truncation and round-off over h meet near 1e-12."""
REAL = 1e-9
"""Eigenvalues with an imaginary part below that part of their size do not swing."""
ROUNDING = 16.0 * np.finfo(float).eps
"""Eigenvalues below that part of the norm of A, times its order, are those of a motion that nothing resists: 0. The
rounding of `eig` is a small multiple of the unit round-off and the norm (Golub and Van Loan, Matrix Computations,
section 7.5.6), and may make a pair that swings of them."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One way to move by itself. `eigenvalue` [1/s]; `frequency` [Hz] of its swing, 0 where it only creeps; `damping`:
    ratio to critical; `shape`, shape (n_axes,): how far each axis goes, the greatest with 1 and no phase."""

    eigenvalue: complex
    frequency: float
    damping: float
    shape: Complex


@dataclass(frozen=True, eq=False)
class LinearModel:
    """`A` (2 n, 2 n), `B` (2 n, n_inputs), `C` (2 n_axes, 2 n), `D`; rows and columns by names. `drift`, shape (n,):
    accelerations of the independent axes at the state itself, zero where it is an equilibrium."""

    A: NamedMatrix
    B: NamedMatrix
    C: NamedMatrix
    D: NamedMatrix
    drift: Array

    @cached_property
    def eigenvalues(self) -> Complex:
        """Of A, shape (2 n,) [1/s], by their size."""
        values = np.linalg.eigvals(self.A.array)
        return np.asarray(values[np.argsort(np.abs(values), kind="stable")], dtype=complex)

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """One for every pair of eigenvalues that swings, and for each that does not; slow ones first."""
        values, vectors = np.linalg.eig(self.A.array)
        values = np.where(np.abs(values) <= ROUNDING * len(values) * np.linalg.norm(self.A.array), 0.0, values)
        axes = len(self.C.rows) // 2
        found = []
        for place in np.argsort(np.abs(values), kind="stable").tolist():
            value = complex(values[place])
            swings = abs(value.imag) > REAL * abs(value)
            if swings and value.imag < 0.0:
                continue
            shape = self.C.array[:axes] @ vectors[:, place]
            greatest = shape[int(np.argmax(np.abs(shape)))]
            shape = shape / greatest if abs(greatest) > 0.0 else shape
            # λ = -ζ ω ± i ω √(1 - ζ²), whose absolute value is ω.
            size = abs(value)
            damping = -value.real / size if size > 0.0 else 0.0
            found.append(
                Mode(
                    value, abs(value.imag) / (2.0 * np.pi) if swings else 0.0, damping, np.asarray(shape, dtype=complex)
                )
            )
        return tuple(found)

    @property
    def is_stable(self) -> bool:
        """Whether nothing grows."""
        return bool((self.eigenvalues.real <= REAL * np.abs(self.eigenvalues).max(initial=0.0)).all())

    def response(self, frequencies: Array) -> Complex:
        """C (iω - A)⁻¹ B + D at frequencies [Hz], shape (n_frequencies, n_outputs, n_inputs)."""
        size = len(self.A.rows)
        s = 2j * np.pi * np.asarray(frequencies, dtype=float)
        # X of (s - A) X = B at each frequency; an inverse would lose digits near a resonance.
        solved = np.linalg.solve(s[:, None, None] * np.eye(size) - self.A.array, self.B.array.astype(complex))
        return np.asarray(self.C.array @ solved + self.D.array, dtype=complex)


def linearised(axes: IndependentAxes, velocity: Array, efforts: Array) -> LinearModel:
    """The linear model around the axes' positions with velocities (n,) of the independent axes, under efforts
    (n_axes,)."""
    q = axes.q.copy()
    n = len(axes.axes)
    names = [info.name for info in axes.swept.mechanism.axes]
    inputs = [i for i, info in enumerate(axes.swept.mechanism.axes) if info.in_tree]
    stiffness = _slopes(lambda at: axes.accelerations(at, velocity, efforts), q)
    damping = _slopes(lambda at: axes.accelerations(q, at, efforts), velocity)
    drift = axes.accelerations(q, velocity, efforts)
    gains = np.zeros((n, len(inputs)))
    for column, axis in enumerate(inputs):
        gains[:, column] = axes.accelerations(q, velocity, efforts + np.eye(len(names))[axis]) - drift
    G = axes.all_rates(q)
    turning = _slopes(lambda at: axes.all_rates(at) @ velocity, q) if np.any(velocity) else np.zeros((len(names), n))
    states = tuple(f"{name}/{part}" for part in ("position", "velocity") for name in axes.names)
    outputs = tuple(f"{name}/{part}" for part in ("position", "velocity") for name in names)
    given = tuple(f"{names[axis]}/effort" for axis in inputs)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [stiffness, damping]])
    C = np.block([[G, np.zeros((len(names), n))], [turning, G]])
    return LinearModel(
        NamedMatrix(states, states, A),
        NamedMatrix(states, given, np.concatenate((np.zeros((n, len(inputs))), gains))),
        NamedMatrix(outputs, states, C),
        NamedMatrix(outputs, given, np.zeros((len(outputs), len(given)))),
        drift,
    )


def _slopes(function: Callable[[Array], Array], at: Array) -> Array:
    """Derivative of a function of (n,) values, shape (m, n)."""
    columns = []
    for direction in np.eye(len(at)):
        near, far = (
            (function(at + k * STEP * direction) - function(at - k * STEP * direction)) / (2.0 * k * STEP)
            for k in (1.0, 2.0)
        )
        columns.append((4.0 * near - far) / 3.0)
    return np.stack(columns, axis=1)
