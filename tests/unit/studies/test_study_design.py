"""The numbers of samples: their distributions, and that they depend on the index alone."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simulator.errors import UsageError
from simulator.studies.design import Design
from simulator.studies.plan import SAMPLINGS
from simulator.studies.reading import plan_of

SPREADS = {
    "a": {"uniform": [2.0, 5.0]},
    "b": {"normal": [1.0, 0.1]},
    "c": {"log": [0.01, 10.0]},
    "d": {"lognormal": [2.0, 0.3]},
}


def design(**more: Any) -> Design:
    table = {"document": "x", "duration": 1.0, "measures": {"m": "final(j/position)"}, **more}
    return Design(plan_of(table))


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_samples_depend_on_their_index_alone(sampling: str) -> None:
    """In any portions, across points of the grid, too."""
    made = design(samples=37, sampling=sampling, seed=5, parameters={**SPREADS, "g": {"values": [1.0, 2.0]}, "h": 3.0})
    documents, rows = made.rows(0, len(made))
    assert rows.shape == (len(made), 6)
    assert not documents.any()
    for size in (1, 7, 40):
        pieces = [made.rows(begin, min(begin + size, len(made)))[1] for begin in range(0, len(made), size)]
        np.testing.assert_array_equal(np.concatenate(pieces), rows)
    # The columns are the grid, then what is spread: the same for each point of the grid.
    np.testing.assert_array_equal(rows[: len(made) // 2, 2:], rows[len(made) // 2 :, 2:])
    assert sorted(set(rows[:, 0])) == [1.0, 2.0]


@pytest.mark.parametrize("sampling", ["sobol", "latin", "random"])
def test_what_is_spread_has_its_distribution(sampling: str) -> None:
    """Kolmogorov and Smirnov's test against scipy's distributions; 2000 points at random are off by 0.03 in one of a
    thousand cases."""
    _, rows = (made := design(samples=2000, sampling=sampling, seed=3, parameters=SPREADS)).rows(0, 2000)
    assert len(made) == 2000
    laws = (
        stats.uniform(2.0, 3.0),
        stats.norm(1.0, 0.1),
        stats.loguniform(0.01, 10.0),
        stats.lognorm(0.3, scale=2.0),
    )
    for column, law in zip(rows.T, laws, strict=True):
        assert stats.kstest(column, law.cdf).statistic < 0.044


def test_a_latin_hypercube_has_one_sample_in_each_stratum() -> None:
    _, rows = design(samples=50, sampling="latin", parameters={"a": {"uniform": [0.0, 50.0]}}).rows(0, 50)
    assert sorted(np.floor(rows[:, 0])) == list(range(50))


def test_seeds_make_other_samples() -> None:
    for sampling in ("sobol", "latin", "random"):
        first, other = (
            design(samples=8, sampling=sampling, seed=seed, parameters=SPREADS).rows(0, 8)[1] for seed in (0, 1)
        )
        assert (first != other).all()


def test_correlated_tolerances() -> None:
    """Of normal parameters the correlation is that of their scores; 1/sqrt(n) is its standard error at random, and
    Sobol's points have less."""
    parameters = {"a": {"normal": [0.0, 1.0]}, "b": {"normal": [5.0, 2.0]}, "c": {"normal": [0.0, 1.0]}}
    made = design(samples=4096, parameters=parameters, correlations=[["a", "b", 0.8], ["b", "c", -0.3]])
    found = np.corrcoef(made.rows(0, 4096)[1].T)
    np.testing.assert_allclose(found, [[1.0, 0.8, 0.0], [0.8, 1.0, -0.3], [0.0, -0.3, 1.0]], atol=1.0 / 64.0)


def test_impossible_correlations_are_refused() -> None:
    parameters = {name: {"normal": [0.0, 1.0]} for name in "abc"}
    pairs = [[a, b, -0.9] for a, b in itertools.combinations("abc", 2)]
    with pytest.raises(UsageError, match="these correlations contradict each other"):
        design(samples=4, parameters=parameters, correlations=pairs)


def test_grids_listings_and_documents_multiply(tmp_path: Any) -> None:
    (tmp_path / "rows.csv").write_text("p,q\n1,2\n3,4\n", "utf-8")
    made = design(
        document=["x", "y"], listing=str(tmp_path / "rows.csv"), parameters={"g": {"values": [7.0, 8.0, 9.0]}}
    )
    documents, rows = made.rows(0, len(made))
    assert documents.tolist() == [0] * 6 + [1] * 6
    assert rows[:6].tolist() == [[p, q, g] for p, q in ((1, 2), (3, 4)) for g in (7, 8, 9)]
    np.testing.assert_array_equal(rows[6:], rows[:6])


def test_saltelli_exchanges_one_column_at_a_time() -> None:
    """A, B, and A with one column of B, as the estimators of Sobol indices need them."""
    _, rows = design(samples=16, sampling="saltelli", parameters=SPREADS).rows(0, 96)
    blocks = rows.reshape(16, 6, 4)
    for i in range(4):
        np.testing.assert_array_equal(blocks[:, 2 + i, i], blocks[:, 1, i])
        others = [k for k in range(4) if k != i]
        np.testing.assert_array_equal(blocks[:, 2 + i, others], blocks[:, 0, others])
