"""How far points are from hulls and triangles, against closed forms."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simulator.physics.shapes.distances import distance_to_hull, distance_to_triangles

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))


def test_a_cube_is_as_far_as_the_part_that_sticks_out() -> None:
    """Outside of a cube the distance is that of the part of each coordinate beyond 1; 1e-9: Wolfe's method ends at
    1e-10 of the size."""
    for p in np.random.default_rng(3).uniform(-3.0, 3.0, (200, 3)):
        wanted = float(np.linalg.norm(np.maximum(np.abs(p) - 1.0, 0.0)))
        assert distance_to_hull(CUBE, p) == pytest.approx(wanted, abs=1e-9)


def test_points_inside_of_a_hull_count_nothing() -> None:
    inner = np.random.default_rng(4).uniform(-0.5, 0.5, (300, 3))
    assert distance_to_hull(np.concatenate((CUBE, inner)), np.array([2.0, 0.3, 0.0])) == pytest.approx(1.0, abs=1e-9)


def test_a_triangle_is_nearest_at_its_face_an_edge_or_a_corner() -> None:
    triangle = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    for p, wanted in (
        ((0.2, 0.2, 0.5), 0.5),
        ((0.5, -2.0, 0.0), 2.0),
        ((-3.0, -4.0, 0.0), 5.0),
        ((1.0, 1.0, 0.0), 0.5**0.5),
    ):
        assert distance_to_triangles(triangle, np.array(p)) == pytest.approx(wanted, abs=1e-15)
