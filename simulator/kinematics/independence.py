"""Which rows of K are independent, which follow from them, and which coordinates are taken as independent.

The document's own order decides if possible: a row is redundant if it follows from rows before it, and an axis that
leads is independent before one that follows. Pivoted QR (`pivoting.pivoted_qr`) decides if that would be badly
conditioned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.pivoting import WORTH_CHANGING, pivoted_qr
from simulator.kinematics.spectrum import RANK_TOLERANCE, Spectrum
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.constraint_rows import NamedRows, RowName
    from simulator.kinematics.kinematics import Kinematics
    from simulator.spatial.arrays import Array


_DEPENDS = 1e-7
_TOLERANCES = (WORTH_CHANGING, 0.2, 0.5)
"""How far a column must stand out from those before it: the more, the better K_d, the less the document's order
counts."""
_LISTED = 4


@dataclass(frozen=True)
class RedundantRow:
    """`row`: its name; `joint`: the loop joint or follower that it belongs to; `reason`: what it follows from."""

    row: str
    joint: str
    reason: str


def rank_of(values: Array) -> int:
    """Rank by singular values, largest first."""
    return int(np.sum(values > RANK_TOLERANCE * max(1.0, float(values[0])))) if len(values) else 0


def singular_values(matrix: Array) -> Array:
    """Largest first; none where the matrix has no entry."""
    if matrix.size == 0:
        return np.zeros(0)
    values: Array = np.asarray(np.linalg.svd(matrix, compute_uv=False), dtype=np.float64)
    return values


def kept_rows(K: Array, rank: int) -> list[int]:
    """`rank` rows that all others follow from: the first ones where that is clear, else by pivoted QR."""
    if rank == K.shape[0]:
        return list(range(rank))
    found = _first_independent(K, range(K.shape[0]), rank, _DEPENDS)
    return sorted(found if len(found) == rank else pivoted_qr(K.T)[1][:rank])


def dependent_columns(kinematics: Kinematics, K: Array) -> list[int]:
    """Columns of the kept rows K (rank, n), as many as rows, such that the others can be independent coordinates."""
    rank = K.shape[0]
    if rank == 0:
        return []
    order = _least_wanted(kinematics)
    # σ_min(K_d) cannot exceed σ_min(K), as K_d is a part of it: this much of that is always worth trying for.
    possible = WORTH_CHANGING * smallest(K)
    if Spectrum(K[:, sorted(order[:rank])]).at_least(rank, possible):
        return sorted(order[:rank])
    for tolerance in _TOLERANCES:
        wanted = sorted(_first_independent(K.T, order, rank, tolerance))
        if len(wanted) == rank and smallest(K[:, wanted]) >= possible:
            return wanted
    best = sorted(pivoted_qr(K)[1][:rank])
    enough = WORTH_CHANGING * smallest(K[:, best])
    weights = np.ones(K.shape[1])
    # Pivoting takes long columns first: leaders are shortened so that they are taken last, and stay independent.
    weights[order[len(order) - len(kinematics.mechanism.independent_axes()) :]] = WORTH_CHANGING
    leading = sorted(pivoted_qr(K * weights)[1][:rank])
    return leading if smallest(K[:, leading]) >= enough else best


def smallest(matrix: Array) -> float:
    """The smallest singular value, 0 where there are fewer columns than rows."""
    return Spectrum(matrix).value(len(matrix)) if 0 < matrix.shape[0] <= matrix.shape[1] else 0.0


def _least_wanted(kinematics: Kinematics) -> list[int]:
    """Freedoms in the order in which they are made dependent: balls and free joints, followers, then axes from the last
    to the first."""
    mechanism = kinematics.mechanism
    of_axis = kinematics.layout.of_axis
    leaders = [of_axis[axis] for axis in mechanism.independent_axes()]
    leading, scalar = set(leaders), set(of_axis)
    followers = [column for column in of_axis if column >= 0 and column not in leading]
    loose = [i for i in range(kinematics.layout.size) if i not in scalar]
    return [*loose, *reversed(followers), *reversed(leaders)]


def _first_independent(vectors: Array, order: Sequence[int], rank: int, tolerance: float) -> list[int]:
    """Rows of `vectors`, in that order, whose part perpendicular to those before is longer than `tolerance` of them
    (Gram-Schmidt)."""
    basis = np.zeros((rank, vectors.shape[1]))
    shortest = RANK_TOLERANCE * max(1.0, float(np.abs(vectors).max(initial=0.0)))
    found: list[int] = []
    for i in order:
        length = float(np.linalg.norm(vectors[i]))
        if len(found) == rank or length < shortest:
            continue
        left = vectors[i] / length
        # Twice is enough (Parlett; Giraud et al. 2005): once leaves round-off of the size of what was cancelled.
        for _ in range(2):
            left = left - basis[: len(found)].T @ (basis[: len(found)] @ left)
        size = float(np.linalg.norm(left))
        if size > tolerance:
            basis[len(found)] = left / size
            found.append(i)
    return found


def redundant_rows(rows: NamedRows, kept: Sequence[int]) -> tuple[RedundantRow, ...]:
    """Every dependent row, with the reason."""
    rest = sorted(set(range(len(rows.names))) - set(kept))
    if not rest:
        return ()
    # A redundant row is a combination of kept ones; those with a weight are its reason.
    weights = np.linalg.lstsq(rows.K[kept].T, rows.K[rest].T, rcond=None)[0] if kept else np.zeros((0, len(rest)))
    found = []
    for place, i in enumerate(rest):
        name = rows.names[i]
        joints = [rows.names[k].joint for k, w in zip(kept, weights[:, place], strict=True) if abs(w) > _DEPENDS]
        found.append(RedundantRow(name.text, name.joint, _reason(name, list(dict.fromkeys(joints)))))
    return tuple(found)


def _reason(name: RowName, witnesses: Sequence[str]) -> str:
    if not witnesses:
        return "holds by itself: the loop is planar" if name.out_of_plane else "holds by itself here"
    others = [joint for joint in witnesses if joint != name.joint]
    if not others:
        return "follows from its other rows"
    return f"follows from {', '.join(others[:_LISTED])}{', …' if len(others) > _LISTED else ''}"


def map_of_independent(K: Array, dependent: Sequence[int]) -> Array:
    """G (n, n_i) with K G = 0 from the kept rows; the independent columns keep their order.

    Rows that lack one dependent freedom give it at once, couplings along a chain one after the other; what is left is
    solved together.
    """
    n = K.shape[1]
    independent = sorted(set(range(n)) - set(dependent))
    G = np.zeros((n, len(independent)))
    G[independent, range(len(independent))] = 1.0
    if not independent:
        return G
    rows, columns = _solved_in_turn(K, dependent, G)
    if rows:
        known = sorted(set(range(n)) - set(columns))
        # K_d q_d + K_i q_i = 0: G_d = -K_d^-1 K_i, for what elimination by single rows left.
        G[columns] = -np.linalg.solve(K[np.ix_(rows, columns)], K[np.ix_(rows, known)] @ G[known])
    return G


def _solved_in_turn(K: Array, dependent: Sequence[int], G: Array) -> tuple[list[int], list[int]]:
    """Fill in the rows of G that follow one by one; returns rows of K and freedoms that are left."""
    unknown = set(dependent)
    entries = [np.flatnonzero(row) for row in K]
    lacking = [unknown.intersection(columns.tolist()) for columns in entries]
    users: dict[int, list[int]] = {column: [] for column in dependent}
    for row, columns in enumerate(lacking):
        for column in columns:
            users[column].append(row)
    ready = [row for row, columns in enumerate(lacking) if len(columns) == 1]
    used: set[int] = set()
    for row in ready:
        if len(lacking[row]) != 1:
            continue  # another row gave it
        (column,) = lacking[row]
        others = entries[row][entries[row] != column]
        # All others of the row are known by now: Gauss elimination without fill-in, along the chain.
        G[column] = -(K[row, others] @ G[others]) / K[row, column]
        used.add(row)
        unknown.discard(column)
        for user in users[column]:
            lacking[user].discard(column)
            if len(lacking[user]) == 1:
                ready.append(user)
    return sorted(set(range(len(K))) - used), sorted(unknown)
