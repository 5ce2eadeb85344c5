"""Constraints with constant K and G: belts and gears (Static), and none at all (Free)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.constraints.base import LoopConstraint, Maps, Rows
from textbook.constraints.ranks import independent_rows, numeric_rank

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


class Static(LoopConstraint):
    """q = G y + offset, K (q − offset) = 0; g = k = 0. G (n_s, n_i), K (n_s − n_i, n_s), `offset` (n_s,) [rad or m]."""

    def __init__(self, G: ArrayLike, K: ArrayLike, offset: ArrayLike | None = None) -> None:
        self.G = np.array(G, dtype=float)
        self.K = np.array(K, dtype=float).reshape(-1, self.G.shape[0])
        self.offset = np.zeros(len(self.G)) if offset is None else np.array(offset, dtype=float)
        _check_pair(self.G, self.K)
        self._pivots = _pivots(self.G)
        self._inverse: Array = np.linalg.inv(self.G[self._pivots])
        for array in (self.G, self.K, self.offset, self._inverse):
            array.setflags(write=False)

    @property
    def span_size(self) -> int:
        """Rows of G."""
        return len(self.G)

    @property
    def independent_size(self) -> int:
        """Columns of G."""
        return int(self.G.shape[1])

    @property
    def is_explicit(self) -> bool:
        """True: q = G y + offset."""
        return True

    @property
    def is_constant(self) -> bool:
        """True."""
        return True

    def residual(self, q: Array) -> Array:
        """K (q − offset)."""
        result: Array = self.K @ (q - self.offset)
        return result

    def rows(self, q: Array, qd: Array) -> Rows:
        """K and zeros."""
        del q, qd
        return Rows(self.K, np.zeros(len(self.K)))

    def maps(self, q: Array, qd: Array) -> Maps:
        """G and zeros."""
        del q, qd
        return Maps(self.G, np.zeros(len(self.G)))

    def spanning(self, y: Array) -> Array:
        """G y + offset."""
        result: Array = self.G @ y + self.offset
        return result

    def independent(self, q: Array, qd: Array) -> Array:
        """The ẏ whose G ẏ has the independent entries of q̇ (rows of the identity in G, else rows that form a regular
        matrix)."""
        del q
        result: Array = self._inverse @ qd[self._pivots]
        return result


class Free(LoopConstraint):
    """No constraint: G = 1, K has no rows. `positions` may exceed `velocities` (a floating body has 7 and 6, a ball 4
    and 3)."""

    def __init__(self, positions: int = 7, velocities: int = 6) -> None:
        self._positions, self._velocities = positions, velocities

    @property
    def span_positions(self) -> int:
        """Length of q."""
        return self._positions

    @property
    def span_size(self) -> int:
        """Length of q̇."""
        return self._velocities

    @property
    def independent_size(self) -> int:
        """All of them."""
        return self._velocities

    @property
    def is_explicit(self) -> bool:
        """True: q is y."""
        return True

    @property
    def position_size(self) -> int:
        """Length of q, which is not that of ẏ where there are quaternions."""
        return self._positions

    @property
    def is_constant(self) -> bool:
        """True."""
        return True

    def residual(self, q: Array) -> Array:
        """No rows."""
        del q
        return np.zeros(0)

    def rows(self, q: Array, qd: Array) -> Rows:
        """K of shape (0, n)."""
        del q, qd
        return Rows(np.zeros((0, self._velocities)), np.zeros(0))

    def maps(self, q: Array, qd: Array) -> Maps:
        """The identity and zeros."""
        del q, qd
        return Maps(np.eye(self._velocities), np.zeros(self._velocities))

    def spanning(self, y: Array) -> Array:
        """y itself."""
        return np.array(y)

    def independent(self, q: Array, qd: Array) -> Array:
        """q̇ itself."""
        del q
        return np.array(qd)


def _pivots(G: Array) -> list[int]:
    """Rows of G that form the identity, else any that form a regular matrix."""
    units = [np.flatnonzero(np.all(np.eye(1, G.shape[1], column) == G, axis=1)) for column in range(G.shape[1])]
    if all(len(found) for found in units):
        return [int(found[0]) for found in units]
    return list(independent_rows(G))


def _check_pair(G: Array, K: Array) -> None:
    n_s, n_i = G.shape
    if len(K) != n_s - n_i:
        raise UsageError(f"G is {n_s} x {n_i}, so that K needs {n_s - n_i} rows, it has {len(K)}")
    scale = max(1.0, float(np.abs(G).max(initial=0.0)) * float(np.abs(K).max(initial=0.0)))
    # K G = 0: both have to describe the same set of velocities, G its basis, K its normals.
    if K.size and float(np.abs(K @ G).max()) > 1e-10 * scale:
        raise UsageError("K G is not zero: the two matrices do not describe the same motion")
    if numeric_rank(G) < n_i or numeric_rank(K) < len(K):
        raise UsageError(
            "the columns of G and the rows of K must be independent; give redundant rows to linear_constraint"
        )
