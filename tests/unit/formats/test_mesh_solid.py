"""The solid that a mesh encloses, against closed forms and a published example."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.formats.mesh.loader import TriangleMesh
from simulator.formats.mesh.solid import solid_of_mesh

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
FACES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip
"""A cube, counter-clockwise seen from outside."""


def mesh(vertices: np.ndarray, triangles: np.ndarray) -> TriangleMesh:
    return TriangleMesh(np.asarray(vertices, float), np.asarray(triangles, np.int32))


def test_the_published_tetrahedron() -> None:
    """F. Tonon, J. Math. Stat. 1 (2005), example: centroid and moments about it, density 1, printed to five decimals
    (but the mean of the printed vertices is 15.92495, so that the last digit of the paper's centroid is off by three).
    """
    vertices = [[8.33220, -11.86875, 0.93355], [0.75523, 5.0, 16.37072], [52.61236, 5.0, -5.38580], [2.0, 5.0, 3.0]]
    found = solid_of_mesh(mesh(np.array(vertices), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])))
    assert found is not None
    volume, centre, per_kilogram = found
    np.testing.assert_allclose(centre, [15.92492, 0.78281, 3.72962], atol=3e-5)
    tensor = per_kilogram * volume
    np.testing.assert_allclose(np.diag(tensor), [43520.33257, 194711.28938, 191168.76173], rtol=2e-7)
    np.testing.assert_allclose(
        [-tensor[1, 2], -tensor[0, 1], -tensor[0, 2]], [4417.66150, 11996.20119, -46343.16662], rtol=2e-6
    )


@pytest.mark.parametrize("faces", [FACES, FACES[:, ::-1], np.concatenate([FACES[:6, ::-1], FACES[6:]])])
def test_a_box_whichever_way_its_triangles_face(faces: np.ndarray) -> None:
    """Edges 2, 3, 4 m about a corner far away: V = 24, I = m (b^2 + c^2) / 12. Convex, so that turned triangles cost
    nothing."""
    found = solid_of_mesh(mesh(CORNERS * [2.0, 3.0, 4.0] + [10.0, -7.0, 5.0], faces))
    assert found is not None
    volume, centre, inertia = found
    assert volume == pytest.approx(24.0, rel=1e-12)
    np.testing.assert_allclose(centre, [11.0, -5.5, 7.0], rtol=1e-12)
    np.testing.assert_allclose(inertia, np.diag([25.0, 20.0, 13.0]) / 12.0, atol=1e-11)


def test_a_hollow_box_weighs_its_walls() -> None:
    """A cube of 2 m with a cubic hole of 1 m whose triangles face inwards: V = 8 - 1, I V = 8 * 8 / 12 - 1 * 2 / 12
    (signed volumes)."""
    outer, inner = (CORNERS - 0.5) * 2.0, CORNERS - 0.5
    found = solid_of_mesh(mesh(np.concatenate([outer, inner]), np.concatenate([FACES, FACES[:, ::-1] + 8])))
    assert found is not None
    volume, _, inertia = found
    assert volume == pytest.approx(7.0, rel=1e-12)
    np.testing.assert_allclose(inertia * volume, (8.0 * 8.0 - 1.0 * 2.0) / 12.0 * np.eye(3), atol=1e-12)


def test_vertices_of_an_stl_are_merged() -> None:
    """Every triangle has three vertices of its own there; the notch makes it a shape for which only signed volumes are
    right."""
    outer, notch = CORNERS * 2.0, CORNERS * 0.5 + 0.75
    vertices = np.concatenate([outer[FACES].reshape(-1, 3), notch[FACES[:, ::-1]].reshape(-1, 3)])
    found = solid_of_mesh(mesh(vertices, np.arange(len(vertices)).reshape(-1, 3)))
    assert found is not None
    assert found[0] == pytest.approx(8.0 - 0.125, rel=1e-12)


@pytest.mark.parametrize("scale", [(1.0, 1.0, 0.0), (0.0, 0.0, 0.0)])
def test_what_is_flat_encloses_nothing(scale: tuple[float, float, float]) -> None:
    assert solid_of_mesh(mesh(CORNERS * scale, FACES)) is None
