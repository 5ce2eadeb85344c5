"""Positions that close an implicit constraint, by Newton's method on the dependent coordinates.

A start near the wanted assembly keeps its branch: a step is at most half a radian (or metre) long and is halved until
the gap shrinks. Steps are least squares, so redundant rows may stay in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from simulator.errors import AssemblyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from textbook.constraints.base import Rows
    from textbook.constraints.partition import Partition

    Array = NDArray[np.float64]

CLOSED = 1e-14
"""‖φ‖ over the scale of its terms that is aimed at."""
ROUND_OFF = 1e-12
"""‖φ‖ over scale that is accepted where round-off allows no further step."""
MAX_ITERATIONS = 30
_LONGEST_STEP = 0.5
_ASIDE, _TRIES = 0.05, 4


class Closable(Protocol):
    """An implicit constraint; `advance` moves a position by a finite step of velocities (it is addition where there is
    no quaternion)."""

    @property
    def partition(self) -> Partition:
        """Which coordinates are held, unless the caller says."""

    @property
    def names(self) -> tuple[str, ...]:
        """One name per velocity."""

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row belongs to, or nothing."""

    def residual(self, q: Array) -> Array:
        """φ(q)."""

    def all_rows(self, q: Array, qd: Array) -> Rows:
        """K and k."""

    def advance(self, q: Array, step: Array) -> Array:
        """The position after a finite step."""


@dataclass(frozen=True)
class Closure:
    """A closed position, shape (n_positions,), how many steps it took and how far from singular it is (σ_min of K's
    free columns)."""

    q: Array
    iterations: int
    conditioning: float


def close(constraint: Closable, start: Array, *, held: Sequence[int] | None = None) -> Closure:
    """Close the loop from `start` with the velocities' columns `held` kept (default: the independent ones).

    Raises AssemblyError that says in words whether the start is singular, or the held values are out of reach.
    """
    n = len(constraint.partition.independent) + len(constraint.partition.dependent)
    kept = constraint.partition.independent if held is None else tuple(held)
    moving = [i for i in range(n) if i not in kept]
    q, closure = _iterate(constraint, np.array(start, dtype=float), moving, n)
    if closure is None:
        raise AssemblyError(_reason(constraint, start, q, moving, kept))
    return closure


def _iterate(constraint: Closable, q: Array, moving: Sequence[int], n: int) -> tuple[Array, Closure | None]:
    """Where Newton's method ends, and the closure if that closes the loop."""
    still = np.zeros(n)
    error = constraint.residual(q)
    for iteration in range(MAX_ITERATIONS):
        columns = constraint.all_rows(q, still).K[:, moving]
        scale = max(1.0, float(np.abs(columns).max(initial=0.0)), float(np.abs(q).max(initial=0.0)))
        gap = float(np.linalg.norm(error))
        if gap <= CLOSED * scale:
            return q, Closure(q, iteration, _conditioning(columns))
        step = np.zeros(n)
        # Least squares: redundant rows agree near the solution, so Newton's quadratic convergence stays.
        step[moving] = -np.linalg.lstsq(columns, error, rcond=1e-12)[0]
        trial, after = _damped(constraint, q, step, error)
        # No step down is left: the loop is closed to round-off, or this is a least gap that is not zero.
        if not float(np.linalg.norm(after)) < gap:
            closed = gap <= ROUND_OFF * scale
            return q, Closure(q, iteration, _conditioning(columns)) if closed else None
        q, error = trial, after
    return q, None


def _damped(constraint: Closable, q: Array, step: Array, error: Array) -> tuple[Array, Array]:
    before = float(np.linalg.norm(error))
    # Near a singular position the Newton step is as long as 1/σ: bounded, so that it cannot leave for another branch.
    factor = min(1.0, _LONGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
    trial, after = q, error
    for _ in range(14):
        trial = constraint.advance(q, factor * step)
        after = constraint.residual(trial)
        if float(np.linalg.norm(after)) < before:
            break
        factor *= 0.5
    return trial, after


def _conditioning(columns: Array) -> float:
    """The smallest singular value that is not due to redundant rows."""
    if min(columns.shape) == 0:
        return 1.0
    return float(np.linalg.svd(columns, compute_uv=False)[min(columns.shape) - 1])


def _reason(constraint: Closable, start: Array, q: Array, moving: Sequence[int], kept: Sequence[int]) -> str:
    """In words: if the loop closes from beside the start, the start was singular; else the held values are out of
    reach."""
    held = ", ".join(constraint.names[i] for i in kept) or "nothing"
    error = constraint.residual(q)
    gap = float(np.linalg.norm(error))
    n = len(moving) + len(kept)
    random = np.random.default_rng(1995)
    for _ in range(_TRIES if moving else 0):
        aside = np.zeros(n)
        # At a singular start the step has no part along the direction that would close it; beside it, it has.
        aside[list(moving)] = _ASIDE * random.standard_normal(len(moving))
        _, closure = _iterate(constraint, constraint.advance(np.array(start, dtype=float), aside), moving, n)
        if closure is not None:
            return (
                f"singular start: with {held} held the loop cannot be moved in the direction that would close it (gap "
                f"{gap:.3g}); from a little beside this position it closes, on one of several branches"
            )
    return (
        f"infeasible: with {held} held the loop stays open by {gap:.3g}{_culprits(constraint, error)} however the "
        "other coordinates move; the bars do not reach, or rows contradict each other"
    )


def _culprits(constraint: Closable, error: Array) -> str:
    """The joints and couplings whose rows stay open."""
    names = constraint.row_names
    if not names:
        return ""
    open_ = {name for name, e in zip(names, error, strict=True) if abs(e) > 0.1 * float(np.abs(error).max())}
    return " at " + ", ".join(f"'{name}'" for name in sorted(open_))
