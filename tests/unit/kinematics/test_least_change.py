"""The shortest step that meets equations and inequalities: known solutions, the optimality conditions, and who excludes
whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import nnls

from simulator.kinematics.least_change import least_change

Array = NDArray[np.float64]
NONE = np.zeros((0, 2)), np.zeros(0)


def test_without_inequalities_it_is_the_pseudo_inverse() -> None:
    A, b = np.array([[1.0, 2.0]]), np.array([5.0])
    found = least_change(A, b, *NONE)
    assert found.step == pytest.approx([1.0, 2.0])
    assert not len(found.against)


def test_the_nearest_corner() -> None:
    G, h = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([2.0, -1.0, -3.0])
    assert least_change(*NONE, G, h).step == pytest.approx([2.0, 0.0])


def test_rows_that_exclude_each_other_are_named_and_no_others() -> None:
    """x >= 1 and x <= 0.5; y >= 2 has no part in it."""
    G, h = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]), np.array([2.0, 1.0, -0.5])
    assert least_change(*NONE, G, h).against.tolist() == [1, 2]


def test_equations_may_exclude_an_inequality() -> None:
    """x = 0 leaves x >= 1 nothing."""
    A, b = np.array([[1.0, 0.0]]), np.array([0.0])
    assert least_change(A, b, np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 1.0])).against.tolist() == [1]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 6), st.integers(0, 8), st.integers(0, 2))
def test_it_is_the_shortest(seed: int, n: int, k: int, m: int) -> None:
    """Feasible by construction: the step meets all rows, and is a combination of equations and pushes of rows that it
    touches."""
    random = np.random.default_rng(seed)
    A, G, inside = random.normal(size=(min(m, n - 1), n)), random.normal(size=(k, n)), random.normal(size=n)
    h = G @ inside - random.uniform(0.0, 1.0, size=k)
    found = least_change(A, A @ inside, G, h)
    assert not len(found.against)
    slack = G @ found.step - h
    assert np.abs(A @ (found.step - inside)).max(initial=0.0) < 1e-8
    assert slack.min(initial=0.0) > -1e-8
    touched = G[slack < 1e-6]
    basis = np.concatenate((A, -A, touched)).T
    pushes = _nonnegative(basis, found.step)
    assert np.linalg.norm(basis @ pushes - found.step) < 1e-5 * (1.0 + np.linalg.norm(found.step))


def _nonnegative(E: Array, f: Array) -> Array:
    return nnls(E, f)[0] if E.shape[1] else np.zeros(0)


@pytest.mark.parametrize("apart", [0.0, 1e-17, 1e-15])
def test_limits_that_leave_one_point_but_for_a_rounding_are_met_there(apart: float) -> None:
    """x >= 2.6e-6 and x <= 2.6e-6 beside limits that are far away; 1e-12 is what counts as met."""
    end = 2.60239017e-06
    G = np.array([[-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    h = np.array([-2.28, -0.36, -end, end + apart, -0.3])
    found = least_change(np.zeros((1, 2)), np.zeros(1), G, h)
    assert len(found.against) == 0
    assert found.step == pytest.approx([end, 0.0], abs=1e-12)
