"""Hyper-dual numbers, rank-revealing QR, choice of coordinates, Newton's method and what it says when it fails."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.errors import AssemblyError
from simulator.kinematics.pivoting import pivoted_qr
from textbook.constraints.four_bar import FourBar
from textbook.constraints.hyperdual import derivatives
from textbook.constraints.implicit import implicit
from textbook.constraints.newton import close
from textbook.constraints.partition import choose, maps_of, needs_change, smallest_singular_value
from textbook.constraints.ranks import independent_rows, numeric_rank

Array = NDArray[np.float64]

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sin": lambda x: np.sin(x[0] * x[1]),
    "cos": lambda x: np.cos(x[0] - 2 * x[1]),
    "tan": lambda x: np.tan(x[0] * 0.3),
    "exp": lambda x: np.exp(x[0] * x[1]),
    "log": lambda x: np.log(3.0 + x[0] * x[1]),
    "sqrt": lambda x: np.sqrt(x[0] ** 2 + x[1] ** 4),
    "arcsin": lambda x: np.arcsin(0.3 * x[0] * x[1]),
    "arccos": lambda x: np.arccos(0.3 * x[0] * x[1]),
    "arctan": lambda x: np.arctan(x[0] / x[1]),
    "arctan2": lambda x: np.arctan2(x[0], x[1]),
    "arctan2 steep": lambda x: np.arctan2(5.0 * x[1], -x[0]),
    "hypot": lambda x: np.hypot(x[0], x[1] * x[0]),
    "division": lambda x: (1.0 - x[0]) / (2.0 + x[1]) - 3.0 / x[0],
    "powers": lambda x: x[0] ** 3 + 2.0 ** x[1] + x[0] ** x[1] + x[1] ** 1 + x[1] ** 0,
    "absolute": lambda x: abs(-x[0]) * x[1],
    "products": lambda x: np.dot(np.array([x[0], x[1]]), np.array([[1.0, 2.0], [3.0, 4.0]]) @ np.array([x[1], x[0]])),
    "branches": lambda x: x[0] * x[0] if x[0] > 0 and x[1] <= 2 and x[0] >= 0.1 and x[0] < 9 else x[1],
    "constant": lambda x: 3.0,
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_derivatives_are_exact(name: str) -> None:
    """Against central differences of the values, and of the exact gradient for its rate."""
    function = FUNCTIONS[name]
    x, xd = np.array([0.7, 1.3]), np.array([-0.4, 0.9])
    exact = derivatives(function, x, xd)
    assert exact.value[0] == pytest.approx(float(function(x)), rel=1e-14)
    h = 1e-5
    for i in range(2):
        step = h * np.eye(2)[i]
        slope = (float(function(x + step)) - float(function(x - step))) / (2 * h)
        assert exact.jacobian[0, i] == pytest.approx(slope, rel=1e-8, abs=1e-8)
    ahead, behind = (derivatives(function, x + s * h * xd, xd).jacobian for s in (1, -1))
    np.testing.assert_allclose(exact.rate, (ahead - behind) / (2 * h), atol=1e-8)


def test_arctan2_knows_all_quadrants() -> None:
    for angle in np.linspace(-3.1, 3.1, 25):
        x = np.array([math.sin(angle), math.cos(angle)])
        exact = derivatives(lambda v: np.arctan2(v[0], v[1]), x, np.zeros(2))
        assert exact.value[0] == pytest.approx(angle, abs=1e-14)
        np.testing.assert_allclose(exact.jacobian[0], [math.cos(angle), -math.sin(angle)], atol=1e-14)


def test_pivoted_qr_orders_columns_and_finds_the_rank() -> None:
    random = np.random.default_rng(0)
    A = random.normal(size=(5, 3)) @ random.normal(size=(3, 7))
    sizes, order = pivoted_qr(A)
    assert sorted(order) == list(range(7))
    assert np.all(np.diff(sizes) <= 1e-12)
    assert numeric_rank(A) == 3
    assert numeric_rank(np.zeros((3, 2))) == 0
    assert numeric_rank(np.zeros((0, 2))) == 0
    assert len(independent_rows(A)) == 3
    assert np.linalg.matrix_rank(A[list(independent_rows(A))]) == 3


def test_the_chosen_coordinates_have_the_largest_singular_value() -> None:
    """Against every other choice of dependent columns: at least half of the best."""
    from itertools import combinations

    random = np.random.default_rng(1)
    for _ in range(50):
        K = random.normal(size=(2, 5)) * random.uniform(0.01, 1.0, size=5)
        best = max(np.linalg.svd(K[:, list(d)], compute_uv=False)[-1] for d in combinations(range(5), 2))
        assert smallest_singular_value(K, choose(K)) >= 0.5 * best


def test_coordinates_change_near_a_dead_point_only() -> None:
    loop = FourBar(0.1, 0.35, 0.3, (0.4, 0.0))
    assert loop.at(loop.closed(1.0)) is loop
    by_rocker = loop.with_independent(1)
    stretched = math.acos((0.45**2 + 0.4**2 - 0.3**2) / (2 * 0.45 * 0.4))
    q = loop.closed(stretched)
    assert by_rocker.conditioning(q) < 1e-6
    changed = by_rocker.at(q)
    assert changed.partition.independent != (1,)
    assert changed.conditioning(q) > 0.05
    with pytest.raises(AssemblyError, match=r"dead point: the independent coordinates \(rocker\)"):
        by_rocker.maps(q, np.zeros(3))


def test_no_choice_helps_where_the_rank_drops() -> None:
    loop = FourBar(0.5, 1.0, 0.5, (1.0, 0.0))
    assert needs_change(loop.all_rows(np.zeros(3), np.zeros(3)).K, loop.partition) is None


def test_nothing_depends_on_nothing() -> None:
    G, g = maps_of(np.zeros((0, 3)), np.zeros(0), choose(np.zeros((0, 3))))
    np.testing.assert_array_equal(G, np.eye(3))
    np.testing.assert_array_equal(g, np.zeros(3))


def test_newton_keeps_the_branch() -> None:
    loop = FourBar(0.1, 0.35, 0.3, (0.4, 0.0))
    for branch in (1, -1):
        q = loop.closed(0.0, branch)
        for angle in np.linspace(0.0, 2 * math.pi, 60):
            q = close(loop, np.array([angle, *q[1:]])).q
            assert loop.branch(q) == branch
            assert np.linalg.norm(loop.residual(q)) < 1e-14


def test_newton_with_a_redundant_row() -> None:
    def phi(q: Any) -> Any:
        return [q[0] ** 2 + q[1] ** 2 - 1.0, q[2] - q[0], 2 * q[2] - 2 * q[0]]

    loop = implicit(phi, np.array([0.6, 0.8, 0.6]))
    assert loop.redundant_count == 1
    q = close(loop, np.array([0.5, 0.5, 0.3])).q
    assert np.linalg.norm(loop.residual(q)) < 1e-14


def test_newton_says_what_is_out_of_reach() -> None:
    loop = FourBar(1.0, 0.2, 0.2, (0.5, 0.0))
    with pytest.raises(AssemblyError, match="infeasible: with crank held"):
        close(loop, np.array([2.0, 0.5, 0.5]))
    with pytest.raises(AssemblyError, match="cannot span"):
        loop.closed(2.0)


def test_newton_says_that_a_start_is_singular() -> None:
    """Crank, coupler and rocker on one line, the gap along it: no bar can move that way to first order, but from beside
    it closes."""
    loop = FourBar(0.5, 0.7, 0.3, (1.0, 0.0))
    with pytest.raises(AssemblyError, match="singular start: with crank held"):
        close(loop, np.zeros(3))
    assert np.linalg.norm(loop.residual(close(loop, np.array([0.0, 0.1, 0.1])).q)) < 1e-14


def test_contradictory_rows_stay_open() -> None:
    loop = implicit(lambda q: [q[0] - q[1], q[0] - q[1] - 1.0], np.zeros(2))
    with pytest.raises(AssemblyError, match="contradict"):
        close(loop, np.zeros(2))


def test_a_four_bar_needs_bars() -> None:
    with pytest.raises(Exception, match="must have a length"):
        replace(FourBar(1.0, 1.0, 1.0, (1.0, 0.0)), crank=0.0)


def test_newton_makes_no_step_longer_than_half_a_radian() -> None:
    """sin q = 0 from 1.4 rad: a whole step of tan 1.4 = 5.8 rad lands at -4.4, where the sine is smaller, too, and ends
    at another root; half a radian at a time leads to the nearest."""

    def phi(q: Any) -> Any:
        return [np.sin(q[0])]

    assert abs(math.sin(1.4 - math.tan(1.4))) < math.sin(1.4)
    loop = implicit(phi, np.array([1.4]))
    assert close(loop, np.array([1.4])).q[0] == pytest.approx(0.0, abs=1e-14)
