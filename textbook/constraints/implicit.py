"""φ(q) = 0 given as a function; derivatives given as functions too, or exact by hyper-dual numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.constraints.base import ImplicitConstraint, Rows
from textbook.constraints.hyperdual import derivatives
from textbook.constraints.partition import Partition, choose, with_independent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from textbook.constraints.hyperdual import Function

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Implicit(ImplicitConstraint):
    """`phi(q)` -> (m,); optional `K(q)` -> (m, n) and `k(q, qd)` -> (m,). Make one with `implicit`."""

    phi: Function
    partition: Partition
    K: Callable[[Array], Array] | None = None
    k: Callable[[Array, Array], Array] | None = None
    coordinate_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """q0, q1, … where the user gave no names."""
        return self.coordinate_names or tuple(f"q{i}" for i in range(self.span_size))

    def residual(self, q: Array) -> Array:
        """φ(q)."""
        return np.atleast_1d(np.asarray(self.phi(q), dtype=float))

    def all_rows(self, q: Array, qd: Array) -> Rows:
        """K by the user's function or exactly differentiated; k likewise."""
        if self.K is not None and self.k is not None:
            return Rows(np.asarray(self.K(q), dtype=float), np.asarray(self.k(q, qd), dtype=float))
        exact = derivatives(self.phi, q, qd)
        K = exact.jacobian if self.K is None else np.asarray(self.K(q), dtype=float)
        # φ'' = K q̈ + K̇ q̇ = 0, so k = -K̇ q̇: the rate of the Jacobian along q̇, by hyper-dual numbers to round-off.
        k = -exact.rate @ qd if self.k is None else np.asarray(self.k(q, qd), dtype=float)
        return Rows(K, k)

    def with_partition(self, partition: Partition) -> Implicit:
        """The same φ with other coordinates."""
        return replace(self, partition=partition)


def implicit(
    phi: Function,
    reference: Array,
    *,
    independent: Sequence[int] | None = None,
    K: Callable[[Array], Array] | None = None,
    k: Callable[[Array, Array], Array] | None = None,
    names: Sequence[str] = (),
) -> Implicit:
    """An implicit constraint. `reference` (n,) is a position, best a feasible one, where rank and redundant rows are
    found.

    `independent` columns are chosen by pivoted QR where none are given. Raises UsageError if their number does not fit
    the rank.
    """
    reference = np.asarray(reference, dtype=float)
    jacobian = derivatives(phi, reference, np.zeros(len(reference))).jacobian if K is None else np.asarray(K(reference))
    if jacobian.shape[1] != len(reference):
        raise UsageError(f"K has {jacobian.shape[1]} columns for {len(reference)} coordinates")
    partition = choose(jacobian) if independent is None else with_independent(jacobian, independent)
    return Implicit(phi, partition, K, k, tuple(names))
