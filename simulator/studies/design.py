"""The numbers of each sample, from its index alone, so that they do not depend on how the work is distributed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from simulator.errors import UsageError

if TYPE_CHECKING:
    from simulator.spatial.arrays import Array, Ints
    from simulator.studies.plan import Spread, StudyPlan


LEAST = 2.0**-53
"""Unit numbers stay at least so far from 0 and 1, where the normal distribution has no value."""
PHILOX_WORDS = 4
"""Numbers that a block of Philox gives."""
MOST_LATIN = 10_000_000
"""Largest Latin hypercube: its permutations are held in memory, 8 bytes for each sample and parameter."""


class Design:
    """All samples of a plan: documents, then rows of the listing, then the grid, then random parameters, which vary
    fastest. Each point of the grid gets the same random samples (common random numbers), so that differences between
    two points are due to the grid alone."""

    def __init__(self, plan: StudyPlan) -> None:
        """Raises UsageError for correlations that random numbers cannot have."""
        self._plan = plan
        self._listing = np.array(plan.listing[1], dtype=float).reshape(len(plan.listing[1]), len(plan.listing[0]))
        self._spreads = [spread for _, spread in plan.spreads]
        self._blocks = len(self._spreads) + 2 if plan.sampling == "saltelli" else 1
        spread = plan.samples * self._blocks if self._spreads else 1
        grid = math.prod(len(values) for _, values in plan.grids)
        self._sizes = (len(plan.documents), max(len(self._listing), 1), grid, spread)
        self._mixing = _mixing(plan)
        self._unit = _Unit(plan, len(self._spreads) * (2 if self._blocks > 1 else 1))

    def __len__(self) -> int:
        return math.prod(self._sizes)

    def rows(self, begin: int, end: int) -> tuple[Ints, Array]:
        """Samples from `begin` to before `end`: place of the document, shape (n,), and parameters, shape (n, p)."""
        document, row, point, sample = np.unravel_index(np.arange(begin, end), self._sizes)
        parts = [self._listing[row] if len(self._listing) else np.zeros((end - begin, 0))]
        shape = tuple(len(values) for _, values in self._plan.grids)
        places = np.unravel_index(point, shape) if shape else ()
        for (_, values), place in zip(self._plan.grids, places, strict=True):
            parts.append(np.array(values)[place][:, None])
        if self._spreads:
            # Neighbouring samples are consecutive, except where a grid point or a document ends.
            parts.append(np.concatenate([self._spread(*run) for run in _runs(sample)]))
        return document.astype(np.int64), np.concatenate(parts, axis=1)

    def _spread(self, begin: int, end: int) -> Array:
        """Random parameters of samples from `begin` to before `end`, shape (n, spreads)."""
        d = len(self._spreads)
        if self._blocks == 1:
            unit = self._unit(begin, end)
        else:
            # Saltelli 2010 (Comput. Phys. Commun. 181, 259): A, B, and A with one column of B each, in turn.
            base, block = np.divmod(np.arange(begin, end), self._blocks)
            both = self._unit(int(base[0]), int(base[-1]) + 1)[base - base[0]]
            of_b = (block == 1)[:, None] | (block[:, None] == np.arange(d) + 2)
            unit = np.where(of_b, both[:, d:], both[:, :d])
        if self._mixing is not None:
            unit = ndtr(ndtri(np.clip(unit, LEAST, 1.0 - LEAST)) @ self._mixing.T)
        return np.stack([quantiles(one, unit[:, i]) for i, one in enumerate(self._spreads)], axis=1)


def _runs(sample: Ints) -> list[tuple[int, int]]:
    """Runs of consecutive indices: (first, one after the last) of each run."""
    ends = [*(np.flatnonzero(np.diff(sample) != 1) + 1).tolist(), len(sample)]
    return [(int(sample[a]), int(sample[b - 1]) + 1) for a, b in zip([0, *ends[:-1]], ends, strict=True) if b > a]


def _mixing(plan: StudyPlan) -> Array | None:
    """L with L L^T the matrix of correlations: normal scores L z have these correlations (a Gaussian copula)."""
    if not plan.correlations:
        return None
    names = [name for name, _ in plan.spreads]
    matrix = np.eye(len(names))
    for a, b, coefficient in plan.correlations:
        i, k = names.index(a), names.index(b)
        matrix[i, k] = matrix[k, i] = coefficient
    try:
        found = np.linalg.cholesky(matrix).astype(float)
    except np.linalg.LinAlgError:
        raise UsageError("these correlations contradict each other: their matrix is not positive definite") from None
    return found


def quantiles(spread: Spread, unit: Array) -> Array:
    """Numbers of this distribution, from unit numbers of the same shape."""
    a, b = spread.a, spread.b
    if spread.kind == "uniform":
        return a + (b - a) * unit
    if spread.kind == "log":
        return np.exp(math.log(a) + math.log(b / a) * unit)
    if spread.kind == "triangular":
        return np.where(unit < 0.5, a + (b - a) * np.sqrt(0.5 * unit), b - (b - a) * np.sqrt(0.5 * (1.0 - unit)))
    score = ndtri(np.clip(unit, LEAST, 1.0 - LEAST))
    found: Array = a + b * score if spread.kind == "normal" else a * np.exp(b * score)
    return found


class _Unit:
    """Unit numbers of samples `begin` to before `end`, shape (n, d)."""

    def __init__(self, plan: StudyPlan, d: int) -> None:
        self._seed = plan.seed
        self._count = plan.samples
        self._d = d
        self._kind = plan.sampling
        self._order: list[Ints] = []
        if d and self._kind == "latin":
            if self._count > MOST_LATIN:
                raise UsageError(f"a Latin hypercube has at most {MOST_LATIN} samples: use sampling = 'sobol'")
            streams = np.random.SeedSequence(self._seed).spawn(d)
            self._order = [np.random.Generator(np.random.Philox(one)).permutation(self._count) for one in streams]

    def __call__(self, begin: int, end: int) -> Array:
        if self._kind in ("sobol", "saltelli"):
            return self._sobol(begin, end)
        unit = self._random(begin, end)
        if self._kind == "latin":
            strata = np.stack([order[begin:end] for order in self._order], axis=1)
            unit = (strata + unit) / self._count
        return unit

    def _random(self, begin: int, end: int) -> Array:
        """Philox, whose counter is the index: each sample has its own blocks (Salmon et al. 2011)."""
        blocks = -(-self._d // PHILOX_WORDS)
        generator = np.random.Generator(np.random.Philox(key=self._seed, counter=begin * blocks))
        return generator.random((end - begin, PHILOX_WORDS * blocks))[:, : self._d]

    def _sobol(self, begin: int, end: int) -> Array:
        """Sobol's sequence with the direction numbers of Joe and Kuo 2008, shifted modulo 1 by the seed (Cranley and
        Patterson 1976)."""
        from scipy.stats import qmc  # takes as long to import as all the rest

        engine = qmc.Sobol(self._d, scramble=False)
        # Its first point, 0, is drawn alone: scipy warns about numbers of points that are no powers of 2, only then.
        first = engine.random(1)
        if begin > 1:
            engine.fast_forward(begin - 1)
        rest = engine.random(end - max(begin, 1))
        shift = np.random.Generator(np.random.Philox(key=self._seed)).random(self._d)
        return np.mod(np.concatenate([first[begin:], rest]) + shift, 1.0)
