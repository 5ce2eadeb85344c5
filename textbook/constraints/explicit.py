"""q = γ(y) given as a function; G and g given as functions too, or exact by hyper-dual numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError, UsageError
from textbook.constraints.base import LoopConstraint, Maps, Rows
from textbook.constraints.hyperdual import derivatives
from textbook.constraints.ranks import independent_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from textbook.constraints.hyperdual import Function

    Array = NDArray[np.float64]

_ITERATIONS = 30


@dataclass(frozen=True)
class Explicit(LoopConstraint):
    """`gamma(y)` -> (n_s,); optional `G(y)` -> (n_s, n_i) and `g(y, yd)` -> (n_s,). Make one with `explicit`.

    `pivots` are rows of G that form a regular matrix: y is found from those entries of q, and K expresses the others
    through them, K = P [−G_d G_p⁻¹, 1], k = K g.
    """

    gamma: Function
    reference: tuple[float, ...]
    pivots: tuple[int, ...]
    span: int
    G: Callable[[Array], Array] | None = None
    g: Callable[[Array, Array], Array] | None = None

    @property
    def span_size(self) -> int:
        """Values of γ."""
        return self.span

    @property
    def independent_size(self) -> int:
        """Length of y."""
        return len(self.reference)

    @property
    def is_explicit(self) -> bool:
        """True."""
        return True

    def spanning(self, y: Array) -> Array:
        """γ(y)."""
        return np.asarray(self.gamma(y), dtype=float)

    def maps_at(self, y: Array, yd: Array) -> Maps:
        """G and g = Ġẏ at independent coordinates."""
        if self.G is not None and self.g is not None:
            return Maps(np.asarray(self.G(y), dtype=float), np.asarray(self.g(y, yd), dtype=float))
        # Ġ ẏ is the rate of the Jacobian along ẏ, times ẏ: the acceleration that ÿ = 0 leaves.
        exact = derivatives(self.gamma, y, yd)
        G = exact.jacobian if self.G is None else np.asarray(self.G(y), dtype=float)
        g = exact.rate @ yd if self.g is None else np.asarray(self.g(y, yd), dtype=float)
        return Maps(G, g)

    def coordinates(self, q: Array) -> Array:
        """The y whose pivot entries of γ(y) are those of q, by Newton's method from the reference.

        Raises AssemblyError if it does not converge.
        """
        pivots = list(self.pivots)
        y: Array = np.array(self.reference, dtype=np.float64)
        still = np.zeros(len(y))
        for _ in range(_ITERATIONS):
            error = (self.spanning(y) - q)[pivots]
            if float(np.abs(error).max(initial=0.0)) < 1e-15 * max(1.0, float(np.abs(q).max(initial=0.0))):
                return y
            # Newton on the pivot entries of γ(y) = q, whose Jacobian G_p is regular near the reference.
            step = np.asarray(np.linalg.solve(self.maps_at(y, still).G[pivots], error), dtype=np.float64)
            y = y - step
            if float(np.abs(step).max(initial=0.0)) < 1e-15 * max(1.0, float(np.abs(y).max(initial=0.0))):
                return y
        if float(np.abs(error).max()) < 1e-12:
            return y
        raise AssemblyError("no independent position was found for the spanning one: gamma(y) does not reach it")

    def residual(self, q: Array) -> Array:
        """q − γ(y(q)) without the pivot entries, which are zero, shape (n_s − n_i,)."""
        rest = [i for i in range(self.span) if i not in self.pivots]
        error: Array = (q - self.spanning(self.coordinates(q)))[rest]
        return error

    def maps(self, q: Array, qd: Array) -> Maps:
        """G and g at spanning coordinates."""
        y = self.coordinates(q)
        G = self.maps_at(y, np.zeros(len(y))).G
        # q̇ = G ẏ on the pivot rows alone, where G is regular.
        yd = np.asarray(np.linalg.solve(G[list(self.pivots)], qd[list(self.pivots)]), dtype=np.float64)
        return self.maps_at(y, yd)

    def rows(self, q: Array, qd: Array) -> Rows:
        """K = P [−G_d G_p⁻¹, 1] and k = K g."""
        G, g = self.maps(q, qd)
        pivots = list(self.pivots)
        rest = [i for i in range(self.span) if i not in self.pivots]
        K = np.zeros((len(rest), self.span))
        K[range(len(rest)), rest] = 1.0
        # K G = 0: G_d − (G_d G_p⁻¹) G_p = 0 row by row.
        K[:, pivots] = -np.linalg.solve(G[pivots].T, G[rest].T).T
        return Rows(K, K @ g)

    def independent(self, q: Array, qd: Array) -> Array:
        """The ẏ with G ẏ = q̇ (least squares, exact where q̇ satisfies the constraint), shape (n_i,)."""
        return np.asarray(np.linalg.lstsq(self.maps(q, qd).G, qd, rcond=None)[0], dtype=np.float64)


def explicit(
    gamma: Function,
    reference: Sequence[float],
    *,
    G: Callable[[Array], Array] | None = None,
    g: Callable[[Array, Array], Array] | None = None,
) -> Explicit:
    """An explicit constraint; `reference` is an independent position (n_i,) with a regular G, from where y of a given q
    is sought.

    Raises UsageError if G has dependent columns there.
    """
    y = np.asarray(reference, dtype=float)
    exact = derivatives(gamma, y, np.zeros(len(y)))
    jacobian = exact.jacobian if G is None else np.asarray(G(y), dtype=float)
    pivots = independent_rows(jacobian)
    if len(pivots) < len(y):
        raise UsageError(f"gamma has {len(y)} coordinates, but its Jacobian has rank {len(pivots)} at the reference")
    return Explicit(gamma, tuple(float(c) for c in y), pivots, len(exact.value), G, g)
