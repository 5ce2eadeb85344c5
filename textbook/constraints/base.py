"""What every loop constraint can be asked, and what implicit ones share.

| | position | velocity | acceleration |
|---|---|---|---|
| implicit | φ(q) = 0 | K q̇ = 0 | K q̈ = k, k = −K̇q̇ |
| explicit | q = γ(y) | q̇ = G ẏ | q̈ = G ÿ + g, g = Ġẏ |

q: spanning positions of a cluster, y: independent ones. K G = 0, K g = k, rank G = n_i and n_i + rank K = n_s hold for
every kind (GRBDA, arXiv 2311.13732, section III; Featherstone, RBDA 3.2, 8.2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.errors import AssemblyError, UsageError
from textbook.constraints.partition import Partition, maps_of, needs_change, smallest_singular_value

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    Array = NDArray[np.float64]

ACCEPTED = 1e-8
"""‖φ(q)‖ and ‖K q̇‖ of a state that is taken as given."""


class Rows(NamedTuple):
    """K (r, n_s) and k (r,), without redundant rows."""

    K: Array
    k: Array


class Maps(NamedTuple):
    """G (n_s, n_i) and g (n_s,)."""

    G: Array
    g: Array


class LoopConstraint(ABC):
    """A constraint over `span_size` velocities, `span_positions` positions (one more per quaternion) of a cluster."""

    @property
    @abstractmethod
    def span_size(self) -> int:
        """Length n_s of q̇."""

    @property
    def span_positions(self) -> int:
        """Length of q: as many as velocities, where a subclass has no quaternions."""
        return self.span_size

    @property
    @abstractmethod
    def independent_size(self) -> int:
        """Length n_i of ẏ."""

    @property
    @abstractmethod
    def is_explicit(self) -> bool:
        """Whether positions may be given as y: q = γ(y) exists."""

    @property
    def is_constant(self) -> bool:
        """Whether K and G never change, so that k = g = 0."""
        return False

    @property
    def position_size(self) -> int:
        """Length of the position that a state carries: that of y for explicit constraints, of q for implicit ones."""
        return self.independent_size if self.is_explicit else self.span_positions

    @abstractmethod
    def residual(self, q: Array) -> Array:
        """φ(q), every row, redundant ones included."""

    @abstractmethod
    def rows(self, q: Array, qd: Array) -> Rows:
        """K and k = −K̇q̇ at a position and a velocity, both spanning."""

    @abstractmethod
    def maps(self, q: Array, qd: Array) -> Maps:
        """G and g = Ġẏ at a position and a velocity, both spanning."""

    def maps_along(self, q: Array, yd: Array) -> tuple[Maps, Array]:
        """G and g at a spanning position for an independent velocity ẏ, and the spanning velocity q̇ = G ẏ."""
        maps = self.maps(q, np.zeros(self.span_size))
        qd = maps.G @ yd
        # G depends on q alone, but g = Ġ ẏ needs q̇, which needs G: hence two calls.
        return (maps if self.is_constant else Maps(maps.G, self.maps(q, qd).g)), qd

    @abstractmethod
    def spanning(self, y: Array) -> Array:
        """γ(y), shape (span_positions,). Raises UsageError for an implicit constraint, for which y alone is
        ambiguous."""

    @abstractmethod
    def independent(self, q: Array, qd: Array) -> Array:
        """ẏ, shape (n_i,), of a spanning position and a spanning velocity that satisfies the constraint."""

    def at(self, q: Array) -> Self:
        """The same constraint with independent coordinates that can describe the motion at `q`; itself where they can
        already."""
        del q
        return self

    def conditioning(self, q: Array) -> float:
        """σ_min(K_d) at a spanning position: 0 at a dead point; 1 where nothing can become singular."""
        del q
        return 1.0

    def check(self, q: Array, qd: Array) -> None:
        """Raise AssemblyError if ‖φ‖ or ‖K q̇‖ of a spanning state is 1e-8 or more."""
        error = float(np.linalg.norm(self.residual(q)))
        if not error < ACCEPTED:
            raise AssemblyError(f"the positions leave the loop open: |phi| = {error:.3g} is not below {ACCEPTED:g}")
        slip = float(np.linalg.norm(self.rows(q, qd).K @ qd))
        if not slip < ACCEPTED:
            raise AssemblyError(f"the velocities would open the loop: |K qd| = {slip:.3g} is not below {ACCEPTED:g}")


class ImplicitConstraint(LoopConstraint):
    """φ(q) = 0. Subclasses give `residual` and `all_rows`; coordinates and redundancy are the `partition`'s."""

    partition: Partition

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """One name per velocity, for messages."""

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row of φ belongs to (a joint, a coupling), for messages; empty if unknown."""
        return ()

    @abstractmethod
    def all_rows(self, q: Array, qd: Array) -> Rows:
        """K and k with redundant rows."""

    @abstractmethod
    def with_partition(self, partition: Partition) -> Self:
        """The same constraint with other coordinates."""

    @property
    def span_size(self) -> int:
        """Independent and dependent coordinates together."""
        return len(self.partition.independent) + len(self.partition.dependent)

    @property
    def independent_size(self) -> int:
        """Columns of G."""
        return len(self.partition.independent)

    @property
    def is_explicit(self) -> bool:
        """False: the same y may belong to several branches of assembly."""
        return False

    @property
    def redundant_count(self) -> int:
        """Rows that others imply."""
        return len(self.partition.redundant)

    def rows(self, q: Array, qd: Array) -> Rows:
        """K and k of the kept rows."""
        K, k = self.all_rows(q, qd)
        kept = list(self.partition.rows)
        return Rows(K[kept], k[kept])

    def maps(self, q: Array, qd: Array) -> Maps:
        """G = P [1; −K_d⁻¹K_i], g = P [0; K_d⁻¹k]. Raises AssemblyError at a dead point of these coordinates."""
        K, k = self.rows(q, qd)
        return Maps(*maps_of(K, k, self.partition, self.names))

    def spanning(self, y: Array) -> Array:
        """Raises UsageError; `newton.close` finds the position of a branch from a start near it."""
        raise UsageError(
            f"positions of an implicit constraint are spanning ({self.span_positions} values): the {len(y)} given may "
            "belong to several branches of assembly; use newton.close with a start near the wanted one"
        )

    def independent(self, q: Array, qd: Array) -> Array:
        """The entries of q̇ that are independent, shape (n_i,)."""
        del q
        # q̇ = G ẏ with G = P [1; …]: independent entries of q̇ are ẏ themselves.
        chosen: Array = qd[list(self.partition.independent)]
        return chosen

    def advance(self, q: Array, step: Array) -> Array:
        """The position after a finite step; addition, where a subclass has no quaternions."""
        moved: Array = q + step
        return moved

    def at(self, q: Array) -> Self:
        """Re-chosen by pivoted QR where σ_min(K_d) has fallen below a twentieth of the best choice's."""
        K = self.all_rows(q, np.zeros(self.span_size)).K
        better = needs_change(K, self.partition)
        return self if better is None else self.with_partition(better)

    def conditioning(self, q: Array) -> float:
        """σ_min(K_d) at q."""
        return smallest_singular_value(self.all_rows(q, np.zeros(self.span_size)).K, self.partition)
