"""Inertia that rotors add to axes: constant where they turn with axes of the tree, a matter of `loops.mass`
where axes of loop joints take part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.physics.layout.flatten import Reduction, Tree
    from simulator.spatial.arrays import Array


ROUND_OFF = 1e-12
"""Of its inertia, what an axis has left where rotors of other axes are all of it."""


def divided_inertia(added: Array, loop_axes: Iterable[int]) -> tuple[list[tuple[float, Array]], Array]:
    """An inertia I over axes, shape (n_axes, n_axes), as that of rotors, J and the row r of the axes' rates that each
    turns with, and a rest that axes of loop joints have no part in: I = Σ J rᵀ r + rest."""
    rotors = []
    rest = np.array(added)
    # Steps of an LDLᵀ factorization that takes the axes of loops first.
    for axis in loop_axes:
        if rest[axis, axis] > ROUND_OFF * added[axis, axis]:
            row = rest[axis] / rest[axis, axis]
            rotors.append((float(rest[axis, axis]), row))
            rest = rest - rest[axis, axis] * np.outer(row, row)
        rest[axis] = rest[:, axis] = 0.0
    return rotors, rest


def added_mass(
    tree: Tree, reduction: Reduction, loop_axes: Iterable[int], added_inertia: Array | None
) -> list[tuple[int, int, float]]:
    """G^T I G of an inertia I over axes, the lower half, without the rotors that turn with axes of loop joints."""
    added = reduced_inertia(tree, reduction, loop_axes, added_inertia)
    return [(a, b, float(added[a, b])) for a, b in np.argwhere(np.tril(added)).tolist()] if added.size else []


def reduced_inertia(tree: Tree, reduction: Reduction, loop_axes: Iterable[int], added_inertia: Array | None) -> Array:
    """The same as a matrix, shape (independents, independents), or (0, 0) where there is none."""
    if added_inertia is None or not np.any(added_inertia):
        return np.zeros((0, 0))
    axes = np.flatnonzero(tree.freedom_of_axis >= 0)
    rows = reduction.matrix()[tree.freedom_of_axis[axes]]
    rest = divided_inertia(added_inertia, loop_axes)[1]
    # T = ½ q̇ᵀ I q̇ with q̇ = G ẏ: an inertia over axes is one over independent coordinates.
    added: Array = rows.T @ rest[np.ix_(axes, axes)] @ rows
    return added
