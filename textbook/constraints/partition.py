"""Independent and dependent coordinates of K q̇ = 0 (dynamics of GRBDA, arXiv 2311.13732, section III; RBDA 8.1).

With the columns sorted into [K_i K_d] and K_d regular: G = P [1; −K_d⁻¹ K_i], g = P [0; K_d⁻¹ k]. K_d is singular
exactly where the chosen coordinates cannot describe the motion: a dead point or a change point of the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError, UsageError
from simulator.kinematics.pivoting import WORTH_CHANGING, pivoted_qr
from textbook.constraints.ranks import RANK_TOLERANCE, independent_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SINGULAR = 1e-9
"""σ_min(K_d) / ‖K‖ below which no motion is computed from these coordinates."""
_SMALL = 12


@dataclass(frozen=True)
class Partition:
    """Columns of K: `independent`, `dependent`; its rows: the independent `rows`, and those that follow from them,
    `redundant`."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: tuple[int, ...]
    redundant: tuple[int, ...] = ()


def choose(K: Array, tolerance: float = RANK_TOLERANCE) -> Partition:
    """Pivoted QR over rows (what is redundant), then over columns: the first ones are the best conditioned K_d."""
    rows = independent_rows(K, tolerance)
    _, order = pivoted_qr(K[list(rows)]) if rows else (None, tuple(range(K.shape[1])))
    # Which columns come first depends on their lengths only; swapping asks for σ_min itself.
    dependent = _improved(K[list(rows)], sorted(order[: len(rows)]))
    return _partition(K, rows, tuple(i for i in range(K.shape[1]) if i not in dependent))


def with_independent(K: Array, independent: Sequence[int], tolerance: float = RANK_TOLERANCE) -> Partition:
    """The partition with these independent columns at a position where K is this.

    Raises UsageError if their number does not fit the rank of K.
    """
    rows = independent_rows(K, tolerance)
    if len(rows) + len(set(independent)) != K.shape[1]:
        raise UsageError(
            f"{len(set(independent))} independent coordinates were given, but {K.shape[1]} coordinates under "
            f"{len(rows)} independent rows leave {K.shape[1] - len(rows)}"
        )
    return _partition(K, rows, tuple(independent))


def _partition(K: Array, rows: tuple[int, ...], independent: tuple[int, ...]) -> Partition:
    return Partition(
        independent=independent,
        dependent=tuple(i for i in range(K.shape[1]) if i not in independent),
        rows=rows,
        redundant=tuple(i for i in range(K.shape[0]) if i not in rows),
    )


def _improved(K: Array, dependent: list[int]) -> list[int]:
    """Swap one dependent for one independent column as long as σ_min(K_d) grows by a tenth: pivoted QR is greedy, this
    is not (left out for many coordinates, where trying every swap would take long)."""
    best = _smallest(K[:, dependent])
    if K.shape[1] > _SMALL:
        return dependent
    for _ in range(2 * K.shape[1]):
        found = None
        for place in range(len(dependent)):
            for other in range(K.shape[1]):
                if other in dependent:
                    continue
                trial = sorted([*dependent[:place], *dependent[place + 1 :], other])
                size = _smallest(K[:, trial])
                if size > 1.1 * best:
                    best, found = size, trial
        if found is None:
            break
        dependent = found
    return dependent


def _smallest(matrix: Array) -> float:
    return float(np.linalg.svd(matrix, compute_uv=False)[-1]) if matrix.size else 1.0


def smallest_singular_value(K: Array, partition: Partition) -> float:
    """σ_min(K_d) of kept rows; 1 where nothing depends on anything. `K` holds all rows."""
    return _smallest(K[np.ix_(partition.rows, partition.dependent)])


def needs_change(K: Array, partition: Partition) -> Partition | None:
    """Better coordinates where σ_min(K_d) has fallen below WORTH_CHANGING of the best choice's, else None.

    Where the rank itself has dropped no choice is better: the partition stays (see `maps_of` for what happens there).
    """
    if not partition.dependent:
        return None
    candidate = choose(K)
    if len(candidate.rows) != len(partition.rows):
        return None
    # Two sizes apart, not the first that is a little better: coordinates are not to change back and forth.
    if smallest_singular_value(K, partition) < WORTH_CHANGING * smallest_singular_value(K, candidate):
        return candidate
    return None


def maps_of(K: Array, k: Array, partition: Partition, names: Sequence[str] = ()) -> tuple[Array, Array]:
    """G (n, n_i) and g (n,) from the kept rows K (r, n) and k (r,).

    Raises AssemblyError in words where K_d is singular.
    """
    n = K.shape[1]
    independent, dependent = list(partition.independent), list(partition.dependent)
    G = np.zeros((n, len(independent)))
    g = np.zeros(n)
    G[independent, range(len(independent))] = 1.0
    if not dependent:
        return G, g
    K_d = K[:, dependent]
    size = _smallest(K_d)
    if size < SINGULAR * float(np.linalg.norm(K)):
        raise AssemblyError(_singular_message(K, partition, size, names))
    # K_i ẏ + K_d q̇_d = 0 and its derivative K_i ÿ + K_d q̈_d = k, both by one factorization of K_d.
    solved = np.linalg.solve(K_d, np.column_stack((K[:, independent], k)))
    G[dependent] = -solved[:, :-1]
    g[dependent] = solved[:, -1]
    return G, g


def _singular_message(K: Array, partition: Partition, size: float, names: Sequence[str]) -> str:
    called = ", ".join(names[i] if names else str(i) for i in partition.independent)
    best = choose(K)
    if len(best.rows) < len(partition.dependent):
        return (
            f"singular position: the constraint rows have rank {len(best.rows)} here instead of "
            f"{len(partition.dependent)}, so that "
            "branches of the motion meet (a change point); start a little beside it"
        )
    better = ", ".join(names[i] if names else str(i) for i in best.independent)
    return (
        f"dead point: the independent coordinates ({called}) cannot describe the motion here, smallest singular value "
        f"of K_d {size:.2g}; coordinates ({better}) can"
    )
