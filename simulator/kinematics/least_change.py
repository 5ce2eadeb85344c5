"""The shortest step that satisfies equations and inequalities.

The equations are solved first (pseudo-inverse); their null space leaves a least distance problem, min |w| with G w >=
h, which becomes a problem of non-negative least squares (Lawson and Hanson, Solving Least Squares Problems, ch. 23).
If nothing satisfies the inequalities, its solution names those that exclude each other (Farkas' lemma).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array

    Ints = NDArray[np.intp]

RANK = 1e-6
"""Singular values below this part of the largest are zero: rows that hold twice over in a document of rounded
figures."""
FLAT = 1e-9
"""Part of its length above which an inequality still feels what the equations leave free."""
MET = 1e-12
"""By how much an inequality that nothing can change may be missed."""
EASED = 1e-13
"""By how much every inequality is eased: two that leave one point only would else exclude each other by a rounding."""
IMPOSSIBLE = 1e-7
"""Length of the dual residual, 1 where nothing is asked, below which no step satisfies the inequalities."""


@dataclass(frozen=True)
class Change:
    """`step`, shape (n,); if there is none `against` holds the rows of the inequalities that exclude each other."""

    step: Array
    against: Ints


def least_change(A: Array, b: Array, G: Array, h: Array) -> Change:
    """The shortest x with A x = b, as well as it can be, and G x >= h; shapes (m, n), (m,), (k, n), (k,)."""
    n = G.shape[1]
    left, sizes, right = np.linalg.svd(A, full_matrices=True)
    rank = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
    # A⁺ b: the shortest solution of the equations; what is free is orthogonal to it, so lengths add as squares.
    fixed = right[:rank].T @ ((left.T @ b)[:rank] / sizes[:rank])
    free = right[rank:].T
    left_over = G @ free
    lacking = h - G @ fixed - EASED
    lengths = np.linalg.norm(left_over, axis=1)
    felt = lengths > FLAT * np.linalg.norm(G, axis=1)
    # Rows that no free direction changes: met by `fixed` or never.
    stuck = np.flatnonzero(~felt & (lacking > MET))
    if len(stuck):
        return Change(np.zeros(n), stuck)
    rows = np.flatnonzero(felt)
    step, against = _least_distance(left_over[rows] / lengths[rows, None], lacking[rows] / lengths[rows])
    return Change(fixed + free @ step, rows[against])


def _least_distance(G: Array, h: Array) -> tuple[Array, Ints]:
    """The shortest w with G w >= h, rows of G of length 1; and the rows that exclude each other where there is none."""
    size = float(h.max(initial=0.0))
    none = np.zeros(0, dtype=np.intp)
    if size <= 0.0:
        return np.zeros(G.shape[1]), none
    # LDP (Lawson and Hanson, 23.4): min |E u - f| with u >= 0, E = [Gᵀ; hᵀ], f = (0 … 0 1); w = -r / r_last.
    E = np.concatenate((G.T, h[None] / size))
    f = np.zeros(len(E))
    f[-1] = 1.0
    pushes = _nonnegative_least_squares(E, f)
    residual = E @ pushes - f
    length = float(np.linalg.norm(residual))
    if length < IMPOSSIBLE or not -residual[-1] > 0.5 * length * length:  # the same number but for rounding
        # r = 0: u >= 0 with Gᵀ u = 0 and hᵀ u > 0, a certificate that G w >= h has no solution (Farkas).
        return np.zeros(G.shape[1]), np.flatnonzero(pushes > IMPOSSIBLE * pushes.max(initial=0.0))
    return -size * residual[:-1] / residual[-1], none


def _nonnegative_least_squares(E: Array, f: Array) -> Array:
    """u >= 0 with the least |E u - f|, by the active set method of Lawson and Hanson."""
    n = E.shape[1]
    u = np.zeros(n)
    active = np.zeros(n, dtype=bool)
    for _ in range(3 * n + 10):
        # Kuhn-Tucker: where no inactive entry would lessen the residual by growing, u is the minimum.
        slope = np.where(active, -np.inf, E.T @ (f - E @ u))
        best = int(np.argmax(slope))
        if slope[best] <= MET:
            break
        active[best] = True
        for _ in range(n):
            trial = np.zeros(n)
            trial[active] = np.linalg.lstsq(E[:, active], f, rcond=None)[0]
            below = active & (trial <= 0.0)
            if not below.any():
                break
            # As far towards the unconstrained solution as all entries stay positive; those that reach zero leave the
            # set.
            shares = u[below] / np.maximum(u[below] - trial[below], 1e-300)
            u = u + float(shares.min()) * (trial - u)
            active &= u > MET
            u[~active] = 0.0
        u = trial
    return u
