from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import rendering_worlds as worlds

from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.rendering.facets import facets_of
from simulator.rendering.geometry import SEGMENTS, parts_of_shape, triangles_of, unit_shape
from simulator.rendering.options import RenderOptions
from simulator.rendering.surface import Surface, surface_of

CLOSED: list[tuple[Shape, float]] = [
    (Box((2.0, 3.0, 0.5)), 3.0),
    (Cylinder(0.5, 2.0), math.pi * 0.25 * 2.0),
    (Cone(0.5, 2.0), math.pi * 0.25 * 2.0 / 3),
    (Sphere(0.5), 4 / 3 * math.pi * 0.125),
    (Capsule(0.5, 2.0), math.pi * 0.25 * 2.0 + 4 / 3 * math.pi * 0.125),
]


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def surface(shape: Shape) -> Surface:
    (only,) = parts_of_shape(shape, worlds.load)
    return only.surface


@pytest.mark.parametrize(("shape", "expected"), CLOSED, ids=lambda value: type(value).__name__)
def test_shapes_are_closed_outward_and_of_the_right_volume(shape: Shape, expected: float):
    vertices, triangles = triangles_of(shape)
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = {(int(a), int(b)) for a, b in directed}
    assert len(edges) == len(directed)
    assert all((b, a) in edges for a, b in edges)
    assert volume(vertices, triangles) == pytest.approx(expected, rel=0.01)  # 64 facets lack 0.3 % of a round volume


@pytest.mark.parametrize("shape", [shape for shape, _ in CLOSED], ids=lambda shape: type(shape).__name__)
def test_normals_are_unit_and_point_outwards(shape: Shape):
    s = surface(shape)
    np.testing.assert_allclose(np.linalg.norm(s.normals, axis=1), 1.0, atol=1e-5)
    assert np.all(np.einsum("ij,ij->i", s.positions, s.normals) > 0.0)  # all of them are convex around the origin


def test_a_sphere_has_the_normals_of_a_sphere():
    s = surface(Sphere(1.0))
    np.testing.assert_allclose(s.normals, s.positions, atol=0.01)


def test_feature_edges_are_the_sharp_ones():
    counts = {shape: surface(shape).edges.n_features for shape, _ in CLOSED}
    assert [counts[shape] for shape, _ in CLOSED] == [12, 2 * SEGMENTS, SEGMENTS, 0, 0]


def test_outline_edges_of_a_cylinder_are_its_sides():
    edges = surface(Cylinder(1.0, 1.0)).edges
    sides = edges.segments[edges.n_features :]
    assert len(sides) == SEGMENTS
    np.testing.assert_allclose(sides[:, 0, :2], sides[:, 1, :2])


def test_a_box_has_four_vertices_a_face_and_a_smooth_seam_none():
    assert len(surface(Box((1.0, 1.0, 1.0))).positions) == 24
    assert len(surface(Cylinder(1.0, 1.0)).positions) == 4 * SEGMENTS + 2


def test_a_mesh_that_is_inside_out_is_turned():
    vertices, triangles = triangles_of(Box((1.0, 1.0, 1.0)))
    s = surface_of(vertices, triangles[:, ::-1])
    assert np.all(np.einsum("ij,ij->i", s.positions, s.normals) > 0.0)


def test_loose_triangles_are_welded_and_those_without_area_dropped():
    vertices, triangles = triangles_of(Cylinder(1.0, 1.0))
    soup = vertices[triangles].reshape(-1, 3)
    loose = np.arange(len(soup)).reshape(-1, 3)
    s = surface_of(soup, np.concatenate([loose, [[0, 0, 1]]]))
    assert s.edges.n_features == 2 * SEGMENTS
    assert len(s.triangles) == len(triangles)


def test_an_open_sheet_shows_its_border():
    assert surface(Plane((0.0, 0.0, 1.0), (2.0, 2.0))).edges.n_features == 4


def test_a_mesh_without_area_is_refused():
    with pytest.raises(ValueError, match="no triangle with an area"):
        surface_of(np.zeros((3, 3)), np.array([[0, 1, 2]]))


def test_a_gear_is_sharp_at_tip_root_and_face_and_smooth_along_its_flanks():
    gear = surface(worlds.GEAR)
    steps = 7
    per_face = len(worlds.gear_outline())
    along = gear.edges.n_features - 2 * per_face
    assert along >= 4 * worlds.TEETH  # two tip edges and two at the root of every tooth
    assert along <= 6 * worlds.TEETH
    assert len(gear.edges.segments) - gear.edges.n_features >= 2 * worlds.TEETH * (steps - 2)


@pytest.mark.parametrize(
    "shape",
    [Box((1, 2, 3)), Cylinder(2, 3), Cone(2, 3), Sphere(2), Ellipsoid((1, 2, 3)), Capsule(0.5, 3), Mesh("a", "a")],
    ids=lambda shape: type(shape).__name__,
)
def test_unit_shape_times_scale_is_the_shape(shape: Shape):
    unit, scale = unit_shape(shape)
    if isinstance(shape, Mesh):
        assert (unit, scale) == (shape, (1.0, 1.0, 1.0))
        return
    half = surface(unit).upper * np.array(scale)
    expected = {
        Box: (0.5, 1, 1.5),
        Cylinder: (2, 2, 1.5),
        Cone: (2, 2, 1.5),
        Sphere: (2, 2, 2),
        Ellipsoid: (1, 2, 3),
        Capsule: (0.5, 0.5, 2.0),
    }
    np.testing.assert_allclose(half, expected[type(shape)], rtol=1e-6)


def test_facets_are_whole_faces():
    box, cylinder = facets_of(surface(Box((1, 1, 1)))), facets_of(surface(Cylinder(1, 1)))
    assert len(box.normals) == 6
    assert not box.smooth.any()
    assert len(cylinder.normals) == SEGMENTS + 2
    assert cylinder.smooth.sum() == SEGMENTS
    assert sorted(np.diff(cylinder.start))[-2:] == [SEGMENTS, SEGMENTS]


def test_a_surface_of_very_many_triangles_has_no_outline_but_its_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a scan of a million triangles is not drawn as a million lines."""
    cylinder = triangles_of(Cylinder(0.5, 2.0))
    drawn = surface_of(*cylinder).edges
    monkeypatch.setattr("simulator.rendering.surface.MAX_OUTLINE_EDGES", 3)
    fewer = surface_of(*cylinder).edges
    assert len(drawn.segments) > drawn.n_features > 0
    assert len(fewer.segments) == fewer.n_features == drawn.n_features


@pytest.mark.parametrize(
    ("renderer", "options"),
    [("llvmpipe (LLVM 15.0.7, 256 bits)", RenderOptions.fast()), ("NVIDIA GeForce RTX 4070", RenderOptions())],
)
def test_a_window_draws_everything_only_on_a_graphics_processor(renderer: str, options: RenderOptions) -> None:
    context = SimpleNamespace(info={"GL_RENDERER": renderer})
    assert RenderOptions.automatic(context) == options  # type: ignore[arg-type]
    assert RenderOptions.fast() != RenderOptions()
