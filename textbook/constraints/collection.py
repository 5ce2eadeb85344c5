"""Several constraints over the coordinates of one cluster, of any kind, stacked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.constraints.base import ImplicitConstraint, LoopConstraint, Rows
from textbook.constraints.partition import Partition, choose, with_independent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """A constraint over some of the cluster's coordinates: `columns[i]` is the cluster's index of its i-th one."""

    constraint: LoopConstraint
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Collection(ImplicitConstraint):
    """The rows of all parts; explicit parts take part with their K and k. Make one with `collection`."""

    parts: tuple[Part, ...]
    partition: Partition

    @property
    def names(self) -> tuple[str, ...]:
        """q0, q1, …"""
        return tuple(f"q{i}" for i in range(self.span_size))

    def residual(self, q: Array) -> Array:
        """φ of all parts."""
        return np.concatenate([part.constraint.residual(q[list(part.columns)]) for part in self.parts])

    def all_rows(self, q: Array, qd: Array) -> Rows:
        """K and k of all parts, over the cluster's coordinates."""
        return _stack(self.parts, q, qd, len(qd))

    def with_partition(self, partition: Partition) -> Collection:
        """The same parts with other coordinates."""
        return replace(self, partition=partition)


def collection(parts: Sequence[Part], reference: Array, *, independent: Sequence[int] | None = None) -> Collection:
    """Stack parts over len(reference) coordinates; rank and redundant rows are found at `reference` (n,), a spanning
    position.

    Raises UsageError if a part's columns do not fit it.
    """
    reference = np.asarray(reference, dtype=float)
    for part in parts:
        if len(part.columns) != part.constraint.span_size or not set(part.columns) <= set(range(len(reference))):
            raise UsageError(
                f"a constraint over {part.constraint.span_size} coordinates was given columns {part.columns}"
            )
        if part.constraint.span_size != part.constraint.span_positions:
            raise UsageError("a collection holds constraints without quaternions")
    K = _stack(parts, reference, np.zeros(len(reference)), len(reference)).K
    partition = choose(K) if independent is None else with_independent(K, independent)
    return Collection(tuple(parts), partition)


def _stack(parts: Sequence[Part], q: Array, qd: Array, size: int) -> Rows:
    Ks: list[Array] = [np.zeros((0, size))]
    ks: list[Array] = [np.zeros(0)]
    for part in parts:
        columns = list(part.columns)
        inner = part.constraint
        own = (
            inner.all_rows(q[columns], qd[columns])
            if isinstance(inner, ImplicitConstraint)
            else inner.rows(q[columns], qd[columns])
        )
        wide = np.zeros((len(own.K), size))
        wide[:, columns] = own.K
        Ks.append(wide)
        ks.append(own.k)
    return Rows(np.concatenate(Ks), np.concatenate(ks))
