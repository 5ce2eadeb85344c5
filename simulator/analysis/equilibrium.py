"""Where a mechanism stays by itself: poses at which no effort is needed, and whether it comes back to them.

With τ(q) the efforts that hold the independent axes at q, at rest or with some axes spinning steadily, an equilibrium
has τ = 0. Without damping τ is the slope of the potential energy, of the amended one where axes spin, and K = ∂τ/∂q its
curvature: a pose is stable where K is positive definite (Lagrange and Dirichlet). From any start, steps -|K|⁻¹ τ, |K|
with the magnitudes of K's eigenvalues, go downhill to a stable pose, near it as fast as Newton's method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError
from simulator.mechanism.types import MotionKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.analysis.independent import IndependentAxes
    from simulator.spatial.arrays import Array


STEP = 1e-4
"""Of the central differences of τ [rad or m]."""
LONGEST = 0.3
"""Longest step downhill [rad or m]."""
ROUNDS = 300
DONE = 1e-13
"""Steps [rad or m] that end the search: Newton's error there is of round-off."""
FLAT = 1e-9
"""Eigenvalues of K below this part of the greatest effort per radian or metre say nothing."""
STARTS = 24
SAME = 1e-6


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A stable pose. `position`, shape (n_axes,): of all axes; `axes`: names of the independent axes that are free;
    `stiffness`, shape (n,): eigenvalues of K over these; `within_limits`: whether the document's limits let it be
    there."""

    position: Array
    axes: tuple[str, ...]
    stiffness: Array
    within_limits: bool


def holding_efforts(axes: IndependentAxes, velocity: Array) -> Array:
    """Efforts that keep the independent axes as they are, shape (n,)."""
    return axes.needed(axes.q, velocity)


def stable_pose(axes: IndependentAxes, velocity: Array, start: Array) -> Equilibrium | None:
    """The stable pose downhill from `start` (n,); axes with a velocity continue at it and are not moved. None if
    there is none."""
    free = np.flatnonzero(velocity == 0.0)
    q = start.copy()
    if not len(free):
        return None
    for _ in range(ROUNDS):
        try:
            axes.go(q)
            needed = axes.needed(q, velocity)[free]
            K = _stiffness(axes, q, velocity, free)
        except AssemblyError:
            return None
        values, vectors = np.linalg.eigh(K)
        floor = FLAT * max(float(np.abs(values).max()), float(np.abs(needed).max()), 1e-12)
        step = -vectors @ ((vectors.T @ needed) / np.maximum(np.abs(values), floor))
        longest = float(np.abs(step).max())
        q[free] += step * min(1.0, LONGEST / max(longest, LONGEST))
        if longest < DONE:
            return _found(axes, q, free, values, floor)
    return None


def stable_poses(axes: IndependentAxes, velocity: Array) -> tuple[Equilibrium, ...]:
    """That downhill from the present pose first, then others that are found from starts around it, always the same
    ones."""
    begin = axes.q.copy()
    generator = np.random.default_rng(0)
    turning = np.array([axes.swept.mechanism.axes[axis].kind is MotionKind.ROTATION for axis in axes.axes])
    found: list[Equilibrium] = []
    for trial in range(STARTS + 1):
        start = begin + (trial > 0) * generator.uniform(-1.0, 1.0, len(begin)) * np.where(turning, np.pi, 0.1)
        try:
            axes.go(begin)
            pose = stable_pose(axes, velocity, start)
        except AssemblyError:
            continue
        if pose is not None and all(not _same(axes, pose, other) for other in found):
            found.append(pose)
    return tuple(found)


def indifferent_axes(axes: IndependentAxes, velocity: Array) -> tuple[str, ...]:
    """Names of independent axes that nothing pulls anywhere at the present pose and beside it: no effort holds them,
    none is needed to move them, and they ask no other for one. With one of them no pose is stable."""
    free = np.flatnonzero(velocity == 0.0)
    if not len(free):
        return ()
    needed = axes.needed(axes.q.copy(), velocity)[free]
    K = _stiffness(axes, axes.q.copy(), velocity, free)
    floor = FLAT * max(float(np.abs(K).max()), float(np.abs(needed).max()), 1e-12)
    still = (np.abs(K).max(axis=0) <= floor) & (np.abs(needed) <= floor)
    return tuple(axes.names[i] for i in free[still].tolist())


def _stiffness(axes: IndependentAxes, q: Array, velocity: Array, free: NDArray[np.intp]) -> Array:
    columns = []
    for axis in free.tolist():
        step = STEP * np.eye(len(q))[axis]
        columns.append((axes.needed(q + step, velocity) - axes.needed(q - step, velocity))[free] / (2.0 * STEP))
    K = np.stack(columns, axis=1)
    even: Array = 0.5 * (K + K.T)
    return even


def _found(axes: IndependentAxes, q: Array, free: NDArray[np.intp], values: Array, floor: float) -> Equilibrium | None:
    if float(values.min()) <= floor:
        return None
    position = axes.all_positions(q)
    limits = [(info.axis.lower, info.axis.upper) for info in axes.swept.mechanism.axes]
    inside = all(
        low - SAME <= value <= high + SAME for value, (low, high) in zip(position.tolist(), limits, strict=True)
    )
    return Equilibrium(position, tuple(axes.names[i] for i in free.tolist()), values, inside)


def _same(axes: IndependentAxes, one: Equilibrium, other: Equilibrium) -> bool:
    """Angles that differ by whole turns are one pose, where no coupling counts them."""
    apart = one.position - other.position
    for i, info in enumerate(axes.swept.mechanism.axes):
        if info.kind is MotionKind.ROTATION and i not in axes.swept.coupled_axes:
            apart[i] = np.remainder(apart[i] + np.pi, 2.0 * np.pi) - np.pi
    return bool(np.abs(apart).max(initial=0.0) < 1e-5)
