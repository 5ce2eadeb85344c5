"""The nearest inertia that a body can have, by its conditions of optimality and by closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.sdf.inertial import balanced, fault_of, nearest_moments, principal_moments
from simulator.model.link import Inertial

MOMENTS = st.lists(st.floats(-1.0, 3.0), min_size=3, max_size=3).filter(lambda values: sum(values) > 0.1)


def test_a_broken_triangle_is_shared_out_in_thirds() -> None:
    """The gap d = c - a - b closes by d / 3 at each moment: the foot of the normal on the plane a + b = c."""
    np.testing.assert_allclose(nearest_moments(np.array([1.0, 1.0, 5.0])), [2.0, 2.0, 4.0], rtol=1e-14)


def test_what_is_possible_stays() -> None:
    moments = np.array([0.3, 0.4, 0.5])
    assert nearest_moments(moments) is moments


@given(MOMENTS)
def test_nothing_possible_is_nearer(values: list[float]) -> None:
    """Projection on a convex cone: the rest is normal to the answer and leans away from every point of the cone, whose
    edges are the moments of a rod along each principal axis."""
    moments = np.array(values)
    nearest = nearest_moments(moments)
    rest = moments - nearest
    rods = np.ones((3, 3)) - np.eye(3)
    assert (nearest.sum() - 2.0 * nearest >= -1e-11).all()
    assert abs(rest @ nearest) < 1e-10
    assert (rods @ rest < 1e-10).all()


def test_the_axes_stay() -> None:
    turn, _ = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [2.0, 0.1, 1.0]]))
    tensor = turn @ np.diag([0.1, 0.2, 0.9]) @ turn.T
    before = Inertial(
        1.0,
        moments=(tensor[0, 0], tensor[1, 1], tensor[2, 2]),
        products=(tensor[0, 1], tensor[0, 2], tensor[1, 2]),
    )
    after = balanced(before)
    assert after is not None
    assert not fault_of(after)
    np.testing.assert_allclose(principal_moments(after), [0.3, 0.4, 0.7], rtol=1e-12)
    xx, yy, zz = after.moments
    xy, xz, yz = after.products
    there = turn.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn
    np.testing.assert_allclose(there, np.diag(np.diag(there)), atol=1e-12)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("power", range(1, 17))
def test_a_fault_of_any_size_is_mended(power: int, turned: bool) -> None:
    """Also where it is a rounding: a rod as CAD programs write it, the largest moment too large by 10^-power."""
    turn, _ = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [2.0, 0.1, 1.0]]))
    turn = turn if turned else np.eye(3)
    for thin in (4.96e-24, 1e-12, 3e-9, 1e-8):
        tensor = turn @ np.diag([thin, 1.409e-8, (thin + 1.409e-8) * (1.0 + 10.0**-power)]) @ turn.T
        xx, yy, zz, xy, xz, yz = (float(tensor[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        after = balanced(Inertial(1.0, moments=(xx, yy, zz), products=(xy, xz, yz)))
        assert after is not None
        assert not fault_of(after)


def test_faults_in_any_axes_are_mended() -> None:
    """In principal axes at random; rounding leaves the mended tensor on whichever side of the bound."""
    random = np.random.default_rng(0)
    for _ in range(2000):
        turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
        thin, part = 10.0 ** random.uniform(-24.0, -8.0), 10.0 ** random.uniform(-17.0, -1.0)
        tensor = turn @ np.diag([thin, 1.409e-8, (thin + 1.409e-8) * (1.0 + part)]) @ turn.T
        xx, yy, zz, xy, xz, yz = (float(tensor[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        after = balanced(Inertial(1.0, moments=(xx, yy, zz), products=(xy, xz, yz)))
        assert after is not None
        assert not fault_of(after)


@pytest.mark.parametrize("moments", [(-1.0, 1.0, 1.0), (0.0, 0.0, 0.0)])
def test_what_is_no_tensor_of_inertia_is_not_mended(moments: tuple[float, float, float]) -> None:
    assert balanced(Inertial(1.0, moments=moments)) is None


def test_a_moment_that_rounding_made_negative_is_mended() -> None:
    after = balanced(Inertial(1.0, moments=(-4.96e-24, 1.409e-8, 1.409e-8)))
    assert after is not None
    assert not fault_of(after)
