"""Every kind of loop constraint: KG = 0, Kg = k, sizes, K and k against exact differentiation and against motion along
a path."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.errors import AssemblyError, UsageError
from textbook.constraints.base import ImplicitConstraint, LoopConstraint
from textbook.constraints.collection import Part, collection
from textbook.constraints.couplings import LinearRow, linear_constraint, rolling
from textbook.constraints.explicit import explicit
from textbook.constraints.four_bar import FourBar
from textbook.constraints.hyperdual import derivatives
from textbook.constraints.implicit import implicit
from textbook.constraints.newton import close
from textbook.constraints.static import Free, Static

Array = NDArray[np.float64]
TIGHT = 1e-10

LENGTHS = [
    (0.096, 0.031, 0.096, 0.031),
    (1.0, 1.0, 1.0, 1.0),
    (5.0, 12.0, 12.0, 10.0),
    (0.5, 1.0, 0.5, 1.0),
    (0.1, 0.35, 0.3, 0.4),
    (3.0, 2.0, 4.0, 2.5),
    (2.0, 7.0, 6.0, 5.0),
]
"""Crank, coupler, rocker, ground [m]; the first three sets are GRBDA's."""


def sphere(y: Any) -> Any:
    return [y[0], np.cos(y[1]) * y[0], np.sin(y[1]) + y[0] ** 2, np.exp(0.1 * y[1])]


def parabola(q: Any) -> Any:
    return [q[1] - q[0] ** 2, q[2] * q[0] - np.sqrt(4.0 + q[1] ** 2)]


def check_identities(constraint: LoopConstraint, q: Array, qd_any: Array) -> None:
    """KG = 0, Kg = k, ranks; and for a velocity that keeps the constraint, its ẏ gives it back."""
    G = constraint.maps(q, np.zeros(constraint.span_size)).G
    qd = G @ (np.linalg.pinv(G) @ qd_any)
    K, k = constraint.rows(q, qd)
    g = constraint.maps(q, qd).g
    scale = max(1.0, float(np.abs(K).max(initial=0.0)))
    assert np.abs(K @ G).max(initial=0.0) < TIGHT * scale
    assert np.abs(K @ g - k).max(initial=0.0) < TIGHT * max(1.0, float(np.abs(k).max(initial=0.0)))
    assert np.linalg.matrix_rank(G) == constraint.independent_size
    assert len(K) + constraint.independent_size == constraint.span_size
    np.testing.assert_allclose(G @ constraint.independent(q, qd), qd, atol=1e-10)


def check_path(constraint: LoopConstraint, q: Array, yd: Array) -> None:
    """φ stays zero to third order along q + q̇t + ½q̈t² with q̈ = Gÿ + g: what K and k are for."""
    G = constraint.maps(q, np.zeros(constraint.span_size)).G
    qd = G @ yd
    qdd = G @ np.ones(len(yd)) + constraint.maps(q, qd).g
    gaps = [float(np.linalg.norm(constraint.residual(q + qd * t + 0.5 * qdd * t * t))) for t in (2e-3, 1e-3)]
    assert gaps[1] < 1e-6
    assert gaps[1] < 1e-12 or gaps[0] / gaps[1] == pytest.approx(8.0, rel=0.15)


def test_static() -> None:
    constraint = Static([[1.0, 0.0], [0.0, 1.0], [2.0, -3.0]], [[2.0, -3.0, -1.0]], offset=[0.0, 0.0, 0.5])
    q = constraint.spanning(np.array([0.3, -0.4]))
    np.testing.assert_allclose(constraint.residual(q), 0.0, atol=1e-15)
    check_identities(constraint, q, np.array([1.0, -2.0, 0.3]))
    assert constraint.position_size == 2


def test_static_refuses_matrices_that_do_not_belong_together() -> None:
    with pytest.raises(UsageError, match="K G is not zero"):
        Static([[1.0], [2.0]], [[2.0, 1.0]])
    with pytest.raises(UsageError, match="needs 1 rows"):
        Static([[1.0], [2.0]], np.zeros((0, 2)))


def test_free() -> None:
    """A free joint: 7 positions, 6 velocities, K is 0 x 6."""
    constraint = Free()
    assert (constraint.position_size, constraint.span_positions, constraint.independent_size) == (7, 7, 6)
    assert constraint.rows(np.zeros(7), np.zeros(6)).K.shape == (0, 6)
    np.testing.assert_array_equal(constraint.maps(np.zeros(7), np.zeros(6)).G, np.eye(6))


def test_implicit_by_exact_differentiation_and_by_hand() -> None:
    def K(q: Array) -> Array:
        return np.array([[-2 * q[0], 1.0, 0.0], [q[2], -q[1] / math.sqrt(4 + q[1] ** 2), q[0]]])

    def k(q: Array, qd: Array) -> Array:
        second = 4.0 / (4 + q[1] ** 2) ** 1.5
        return np.array([2 * qd[0] ** 2, second * qd[1] ** 2 - 2 * qd[0] * qd[2]])

    start = np.array([1.1, 1.0, 2.0])
    exact, by_hand = implicit(parabola, start), implicit(parabola, start, K=K, k=k)
    q = close(exact, start).q
    qd = np.array([0.3, -0.8, 1.7])
    for one, two in zip(exact.all_rows(q, qd), by_hand.all_rows(q, qd), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-14)
    for constraint in (exact, by_hand):
        check_identities(constraint, q, qd)
        check_path(constraint, q, np.array([0.7]))
    assert exact.position_size == 3
    with pytest.raises(UsageError, match="branches of assembly"):
        exact.spanning(np.array([1.0]))


def test_implicit_says_when_the_number_of_independents_is_wrong() -> None:
    with pytest.raises(UsageError, match="leave 1"):
        implicit(parabola, np.array([1.1, 1.2, 2.0]), independent=(0, 1))


def test_explicit() -> None:
    constraint = explicit(sphere, (0.8, 0.3))
    y, yd = np.array([1.1, 0.4]), np.array([0.5, -0.9])
    q = constraint.spanning(y)
    np.testing.assert_allclose(constraint.coordinates(q), y, atol=1e-13)
    np.testing.assert_allclose(constraint.residual(q), 0.0, atol=1e-14)
    qd = constraint.maps_at(y, yd).G @ yd
    np.testing.assert_allclose(constraint.independent(q, qd), yd, atol=1e-13)
    check_identities(constraint, q, qd)
    check_path(constraint, q, yd)
    assert constraint.position_size == 2
    assert constraint.is_explicit


def test_explicit_with_the_users_derivatives() -> None:
    exact = explicit(sphere, (0.8, 0.3))
    given = explicit(
        sphere,
        (0.8, 0.3),
        G=lambda y: derivatives(sphere, y, np.zeros(2)).jacobian,
        g=lambda y, yd: derivatives(sphere, y, yd).rate @ yd,
    )
    q, qd = exact.spanning(np.array([1.1, 0.4])), np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(given.maps(q, qd).g, exact.maps(q, qd).g, atol=1e-14)


def test_explicit_refuses_coordinates_that_do_nothing() -> None:
    with pytest.raises(UsageError, match="rank 1"):
        explicit(lambda y: [y[0] + y[1], 2 * y[0] + 2 * y[1]], (0.0, 0.0))


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("coordinate", [0, 1, 2])
def test_four_bar(lengths: tuple[float, float, float, float], coordinate: int) -> None:
    """Seven length sets: closed form, K and k against exact differentiation (1e-10), identities, every independent
    coordinate."""
    crank, coupler, rocker, ground = lengths
    loop = FourBar(crank, coupler, rocker, (ground, 0.0)).with_independent(coordinate)
    checked = 0
    random = np.random.default_rng(3)
    for angle in np.linspace(0.3, 6.1, 23):
        for branch in (1, -1):
            try:
                q = loop.closed(float(angle), branch)
            except AssemblyError:
                continue
            assert np.linalg.norm(loop.residual(q)) < 1e-12 * max(lengths)
            qd = random.normal(size=3)
            exact = derivatives(lambda p, bars=loop: four_bar_phi(bars, p), q, qd)
            K, k = loop.all_rows(q, qd)
            np.testing.assert_allclose(K, exact.jacobian, atol=TIGHT)
            np.testing.assert_allclose(k, -exact.rate @ qd, atol=TIGHT * max(lengths))
            if loop.conditioning(q) < 0.05 * max(lengths):
                continue
            assert loop.branch(q) == branch
            check_identities(loop, q, qd)
            check_path(loop, q, 0.3 * random.normal(size=1))
            checked += 1
    assert checked >= 3


def four_bar_phi(loop: FourBar, q: Any) -> Any:
    a, b, c = q[0], q[1], q[0] + q[2]
    return [
        loop.crank * np.cos(a) + loop.coupler * np.cos(c) - loop.ground[0] - loop.rocker * np.cos(b),
        loop.crank * np.sin(a) + loop.coupler * np.sin(c) - loop.ground[1] - loop.rocker * np.sin(b),
    ]


def test_a_parallelogram_at_zero_is_on_its_change_point() -> None:
    loop = FourBar(0.096, 0.031, 0.096, (0.031, 0.0))
    assert loop.conditioning(np.zeros(3)) < 1e-12
    assert loop.branch(np.zeros(3)) == 0
    with pytest.raises(AssemblyError, match="change point"):
        loop.maps(np.zeros(3), np.zeros(3))


def test_rolling_reproduces_the_belts() -> None:
    """GRBDA, the humanoid leg of the MIT humanoid: knee and ankle couplings of ratio 12 over (l1, r1, r2, l2) give the
    belts' G."""
    rows = [rolling("knee", [0], [1], 12.0), rolling("ankle", [0, 3], [2], 12.0)]
    G = linear_constraint(4, rows, (0, 3)).constraint.G
    np.testing.assert_allclose(G, [[1, 0], [12, 0], [12, 12], [0, 1]], atol=1e-14)
    freely = linear_constraint(4, rows).constraint
    np.testing.assert_allclose(freely.K @ freely.G, 0.0, atol=1e-13)


def test_three_terms_and_an_offset() -> None:
    """q2 = 2 q0 − q1 + 0.5."""
    result = linear_constraint(3, [LinearRow("sum", ((2, 1.0), (0, -2.0), (1, 1.0)), 0.5)], (0, 1))
    np.testing.assert_allclose(result.constraint.spanning(np.array([1.0, 0.25])), [1.0, 0.25, 2.25], atol=1e-15)


def test_redundant_rows_are_dropped_and_contradictory_ones_named() -> None:
    rows = [
        LinearRow("a", ((0, 1.0), (1, -2.0)), 1.0),
        LinearRow("b", ((1, 1.0), (2, -3.0)), 0.0),
        LinearRow("c", ((0, 1.0), (2, -6.0)), 1.0),
    ]
    result = linear_constraint(3, rows)
    assert result.report.redundant == (("c", ("a", "b")),)
    assert result.constraint.independent_size == 1
    rows[2] = LinearRow("c", ((0, 1.0), (2, -6.0)), 2.0)
    with pytest.raises(AssemblyError, match="'c' contradicts 'a', 'b'"):
        linear_constraint(3, rows)


def mixed_collection() -> ImplicitConstraint:
    four_bar = FourBar(0.1, 0.35, 0.3, (0.4, 0.0))
    gear = Static([[1.0], [6.0]], [[6.0, -1.0]])
    curve = explicit(lambda y: [y[0], np.sin(y[0])], (0.2,))
    q = four_bar.closed(1.0)
    reference = np.array([*q, 6.0 * q[1], math.sin(6.0 * q[1])])
    return collection([Part(four_bar, (0, 1, 2)), Part(gear, (1, 3)), Part(curve, (3, 4))], reference, independent=(0,))


def test_a_collection_of_all_kinds() -> None:
    constraint = mixed_collection()
    q3 = FourBar(0.1, 0.35, 0.3, (0.4, 0.0)).closed(1.3)
    q = np.array([*q3, 6.0 * q3[1], math.sin(6.0 * q3[1])])
    assert np.linalg.norm(constraint.residual(q)) < 1e-14
    check_identities(constraint, q, np.array([1.0, 0.2, 0.3, -0.5, 0.9]))
    check_path(constraint, q, np.array([0.1]))


def test_a_collection_of_one_part_is_that_part() -> None:
    """Also where it covers every coordinate."""
    loop = FourBar(0.1, 0.35, 0.3, (0.4, 0.0))
    q, qd = loop.closed(1.0), np.array([1.0, 0.2, 0.3])
    alone = collection([Part(loop, (0, 1, 2))], q)
    np.testing.assert_array_equal(alone.residual(q + 0.1), loop.residual(q + 0.1))
    np.testing.assert_array_equal(alone.all_rows(q, qd).K, loop.all_rows(q, qd).K)


def test_a_collection_refuses_columns_that_do_not_fit() -> None:
    with pytest.raises(UsageError, match="columns"):
        collection([Part(Static([[1.0], [6.0]], [[6.0, -1.0]]), (0, 5))], np.zeros(2))


def test_states_are_accepted_below_1e_8_only() -> None:
    loop = FourBar(0.1, 0.35, 0.3, (0.4, 0.0))
    q = loop.closed(1.0)
    qd = loop.maps(q, np.zeros(3)).G[:, 0]
    loop.check(q, qd)
    with pytest.raises(AssemblyError, match="leave the loop open"):
        loop.check(q + 1e-7, qd)
    with pytest.raises(AssemblyError, match="open the loop"):
        loop.check(q, qd + np.array([0.0, 1e-6, 0.0]))
