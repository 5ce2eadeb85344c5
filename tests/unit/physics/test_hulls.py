"""Hulls of many corners are simplified within the bound that is stated, against the exact hull."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from simulator.physics.shapes.distances import distance_to_hull
from simulator.physics.shapes.hulls import CORNERS, LOST, simplified

Points = np.ndarray


def rounded_box(count: int = 2000) -> Points:
    """A box of 0.3 x 0.2 x 0.1 m whose edges are rounded by 0.02 m."""
    ways = np.random.default_rng(2).normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    points: Points = np.sign(ways) * np.array([0.13, 0.08, 0.03]) + 0.02 * ways
    return points


def at_random(seed: int) -> Points:
    """Points of an ellipsoid, of another scale in each direction."""
    rng = np.random.default_rng(seed)
    ways = rng.normal(size=(rng.integers(300, 3000), 3))
    points: Points = ways / np.linalg.norm(ways, axis=1)[:, None] * 10.0 ** rng.uniform(-3.0, 0.0, size=3)
    return points


SHAPES = {
    "ball": np.asarray(trimesh.creation.icosphere(4, radius=0.1).vertices),
    "capsule": np.asarray(trimesh.creation.capsule(0.5, 0.1, count=[40, 40]).vertices),
    "cylinder": np.asarray(trimesh.creation.cylinder(0.1, 0.3, sections=400).vertices),
    "needle": np.asarray(trimesh.creation.cone(0.01, 1.0, sections=300).vertices),
    "rounded box": rounded_box(),
    **{f"at random {seed}": at_random(seed) for seed in range(2)},
}


@pytest.mark.parametrize("points", SHAPES.values(), ids=list(SHAPES))
def test_a_simplified_hull_is_within_its_bound(points: Points) -> None:
    """Volume by Qhull, distances of all corners of the exact hull by Wolfe's method, an independent one; 1e-9 of the
    size is where that ends."""
    exact, some = ConvexHull(points), simplified(points)
    corners = points[exact.vertices]
    size = 0.5 * float(np.linalg.norm(np.ptp(points, axis=0)))
    assert len(some) < len(corners)
    assert {tuple(p) for p in some.tolist()} <= {tuple(p) for p in points.tolist()}, "it grows"
    assert (1.0 - LOST) * exact.volume <= ConvexHull(some).volume <= exact.volume * (1.0 + 1e-12)
    assert max(distance_to_hull(some, p) for p in corners) <= (LOST + 1e-9) * size


def test_what_is_not_a_ball_has_few_corners() -> None:
    """Balls and capsules take a few hundred corners to keep 99 % of their volume, other shapes about CORNERS."""
    assert len(simplified(SHAPES["ball"])) <= 600
    assert len(simplified(SHAPES["cylinder"])) <= CORNERS
    assert len(simplified(SHAPES["rounded box"])) <= 2 * CORNERS


def test_a_hull_of_few_corners_stays_as_it_is() -> None:
    few = at_random(7)[:CORNERS]
    assert simplified(few) is few


def test_a_box_of_many_points_keeps_its_corners() -> None:
    """Exactly: they are further out than anything else."""
    box = np.asarray(trimesh.creation.box((0.3, 0.2, 0.1)).subdivide_to_size(0.005).vertices)
    corners = simplified(box)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    np.testing.assert_array_equal((signs @ corners.T).max(axis=1), (signs @ box.T).max(axis=1))


def test_a_flat_mesh_keeps_its_outline() -> None:
    """A disc of 3000 points in one plane: no direction loses more than 1/250 of the radius."""
    around, radius = np.linspace(0.0, 2.0 * np.pi, 3000), 0.1
    disc = radius * np.column_stack((np.cos(around), np.sin(around), np.zeros_like(around)))
    some = simplified(disc)
    assert len(some) < 1100
    assert (disc[::7] @ some.T).max(axis=1).min() > radius**2 * (1.0 - 1.0 / 250.0)
