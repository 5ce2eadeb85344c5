"""Singular values that are counted in trees: the same as by decomposition, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.kinematics.spectrum import Spectrum

Array = NDArray[np.float64]
RANDOM = np.random.default_rng(7)


def chain(length: int, spread: float) -> Array:
    """Every axis follows the one before it."""
    K = np.zeros((length - 1, length))
    i = np.arange(length - 1)
    K[i, i + 1] = 1.0
    K[i, i] = -np.exp(spread * RANDOM.normal(size=length - 1))
    return K


def tree(length: int) -> Array:
    """Every axis follows any one before it."""
    K = np.zeros((length - 1, length))
    for i in range(1, length):
        K[i - 1, i], K[i - 1, RANDOM.integers(0, i)] = 1.0, RANDOM.normal()
    return K


def three_terms(length: int) -> Array:
    """Every row ties two new axes to one before them."""
    K = np.zeros((length, 2 * length + 1))
    for i in range(length):
        K[i, 2 * i + 1 : 2 * i + 3] = RANDOM.normal(size=2)
        K[i, RANDOM.integers(0, 2 * i + 1)] = RANDOM.normal()
    return K


def beside(*blocks: Array) -> Array:
    """Blocks in one matrix, rows and columns in disorder."""
    K = np.zeros(tuple(np.sum([block.shape for block in blocks], axis=0)))
    row = column = 0
    for block in blocks:
        K[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return np.asarray(K[RANDOM.permutation(row)][:, RANDOM.permutation(column)])


def star(length: int) -> Array:
    """All axes follow the first."""
    return np.hstack((np.full((length, 1), -2.0), np.eye(length)))


MATRICES = {
    "small": chain(5, 1.0),
    "nothing": np.zeros((0, 4)),
    "no entries": np.zeros((3, 4)),
    "equal gears": chain(180, 0.0),
    "chain": chain(200, 0.4),
    "tree": tree(150),
    "star": star(130),
    "three terms": three_terms(120),
    "dense": RANDOM.normal(size=(120, 130)),
    "mixed": beside(tree(140), RANDOM.normal(size=(20, 12)), chain(4, 1.0), np.zeros((2, 3)), three_terms(110)),
    "short of rank": beside(tree(140), np.ones((6, 4))),
    "more rows than columns": np.vstack((star(120), np.eye(1, 121))),
}


@pytest.mark.parametrize("K", MATRICES.values(), ids=list(MATRICES))
def test_values_and_rank_are_those_of_a_decomposition(K: Array) -> None:
    """Both are exact for a matrix that differs from K by rounding of its largest value; so the tolerance is 1e-14 of
    that."""
    expected = np.linalg.svd(K, compute_uv=False) if K.size else np.zeros(0)
    found = Spectrum(K)
    top = float(expected.max(initial=1.0))
    for number in range(1, len(expected) + 1, max(1, len(expected) // 4)):
        assert found.value(number) == pytest.approx(expected[number - 1], abs=1e-14 * top)
    assert found.value(len(expected)) == pytest.approx(expected.min(initial=top) if K.size else 0.0, abs=1e-14 * top)
    assert found.rank() == np.sum(expected > 1e-8 * max(1.0, top))
    assert found.value(len(expected) + 1) == 0.0


def test_trees_are_not_decomposed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a tree of couplings was decomposed")

    K = beside(chain(300, 0.1), tree(200), star(150))
    monkeypatch.setattr(np.linalg, "svd", refuse)
    found = Spectrum(K)
    assert found.rank() == K.shape[0]
    assert found.at_least(K.shape[0], 0.999 * found.value(K.shape[0]))
    assert not found.at_least(K.shape[0], 1.001 * found.value(K.shape[0]))
