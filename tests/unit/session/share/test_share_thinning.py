"""Thinned surfaces, against closed forms of what they approximate."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from simulator.rendering.surface import Surface, surface_of
from simulator.session.share.thinning import common_bound, thinned


def surface(mesh: trimesh.Trimesh) -> Surface:
    return surface_of(np.asarray(mesh.vertices), np.asarray(mesh.faces))


def volume(of: Surface) -> float:
    a, b, c = (of.positions.astype(float)[of.triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def test_a_ball_stays_a_ball() -> None:
    """20480 triangles on a ball of radius 1 become 1000: a regular polyhedron of so many has a volume 1 - 3.4 / 1000 of
    it or so, as its facets, 0.15 wide, have sagittas of 0.15² / 8."""
    (ball,) = thinned([surface(trimesh.creation.icosphere(subdivisions=5))], 1000)
    assert 900 < len(ball.triangles) <= 1200
    radii = np.linalg.norm(ball.positions, axis=1)
    assert radii.min() > 0.97
    assert radii.max() < 1.03
    assert volume(ball) == pytest.approx(4.0 / 3.0 * np.pi, rel=0.02)


def test_flat_faces_and_sharp_edges_lose_nothing() -> None:
    cube = trimesh.creation.box((1.0, 2.0, 3.0)).subdivide_loop(0).subdivide().subdivide().subdivide()
    (thin,) = thinned([surface(cube)], 60)
    assert len(thin.triangles) <= 72
    np.testing.assert_allclose(thin.upper - thin.lower, (1.0, 2.0, 3.0), atol=1e-6)
    assert volume(thin) == pytest.approx(6.0, rel=1e-6)
    lengths = np.linalg.norm(np.diff(thin.edges.segments[: thin.edges.n_features], axis=1), axis=2)
    assert lengths.sum() == pytest.approx(24.0, rel=1e-6)  # its twelve edges


def test_small_surfaces_stay_as_they_are() -> None:
    small, large = surface(trimesh.creation.box((1, 1, 1))), surface(trimesh.creation.icosphere(subdivisions=4))
    kept, thin = thinned([small, large], 512)
    assert kept is small
    assert len(thin.triangles) <= 600
    assert thinned([small, large], 10_000) == [small, large]


@pytest.mark.parametrize(
    ("counts", "most", "bound"),
    [([], 10, 0), ([3, 4], 10, 4), ([12, 1000], 512, 500), ([5, 5, 5], 9, 3), ([2, 100, 100], 20, 9)],
)
def test_the_bound_is_the_largest_that_fits(counts: list[int], most: int, bound: int) -> None:
    assert common_bound(counts, most) == bound
    assert sum(min(count, bound) for count in counts) <= most
