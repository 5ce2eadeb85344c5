"""Scenes of very many parts: what is small in the picture is drawn with fewer facets and without edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.model.link import Link, Visual
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Shape, Sphere
from simulator.model.world import Model, World
from simulator.rendering import batches
from simulator.rendering.build import MANY_TRIANGLES, build_scene
from simulator.rendering.camera import Camera
from simulator.rendering.geometry import COARSER, SEGMENTS
from simulator.rendering.offscreen import PictureMaker, fitted_camera
from simulator.rendering.options import RenderOptions
from simulator.rendering.scene import Scene
from simulator.spatial.pose import Pose

pytestmark = pytest.mark.usefixtures("opengl")
SIZE = (600, 400)
SHAPES: tuple[Shape, ...] = (Sphere(0.2), Cylinder(0.2, 0.3), Cone(0.2, 0.4), Capsule(0.1, 0.3), Box((0.2, 0.3, 0.3)))

RADII = (0.2, 0.2, 0.2, 0.1)


def crowd(count: int) -> Scene:
    """A field of shapes, 0.6 m apart."""
    links = []
    for number in range(count):
        visual = Visual("v", SHAPES[number % len(SHAPES)], Pose())
        place = Pose((0.6 * (number % 20), 0.6 * (number // 20), 0.2))
        links.append(Link(f"m::{number}", place, visuals=(visual,)))
    return build_scene(World(models=(Model("m", False, links=tuple(links)),)))


@pytest.fixture(scope="module")
def field() -> Scene:
    return crowd(400)


def test_few_parts_have_all_their_facets(field: Scene) -> None:
    few = crowd(20)
    assert few.triangles < MANY_TRIANGLES < field.triangles
    assert not few.coarser
    assert len(field.coarser) == len(SHAPES) - 1
    for number, coarser in field.coarser.items():
        sizes = [len(surface.triangles) for surface in (field.surfaces[number], *coarser.surfaces)]
        assert sizes == sorted(sizes, reverse=True)
        assert coarser.facets == (SEGMENTS, *COARSER)
        for facets, surface in zip(COARSER, coarser.surfaces, strict=True):  # rims are edges, sides are smooth
            assert surface.edges.n_features / facets == field.surfaces[number].edges.n_features / SEGMENTS


def test_the_picture_is_the_same_but_for_parts_of_a_pixel(field: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outlines and rims are a quarter of a pixel off at most, so one pixel of a line here and there. Five pixels change
    twice as much."""
    poses, fine = field.initial_link_poses(), replace(field, coarser={})

    def picture(scene: Scene) -> NDArray[np.float64]:
        with PictureMaker(scene, RenderOptions.fast()) as maker:
            found = maker.picture(poses, size=SIZE).astype(float)
            drawn = [number for batch in maker.renderer._batches.all for number in batch.shown.tolist()]
            assert sorted(drawn) == list(range(len(scene.drawables)))
        return found

    expected = picture(fine)
    change = np.abs(picture(field) - expected).max(axis=2)
    assert 0.0 < change.mean() < 2.0
    assert (change > 60.0).mean() < 1e-2
    monkeypatch.setattr(batches, "FINE", 5.0)
    assert np.abs(picture(field) - expected).max(axis=2).mean() > 1.8 * change.mean()


def test_facets_are_as_many_as_a_quarter_of_a_pixel_asks_for(field: Scene) -> None:
    """From the radius r in pixels and the facets n: r (1 - cos(π / n)) is how far a chord is from its arc."""
    poses = field.initial_link_poses()
    for camera in (fitted_camera(field, poses, 1.5), Camera((0.0, 0.0, 0.2), 1.5), Camera((3.0, 3.0, 0.0), 6.0)):
        with PictureMaker(field, RenderOptions.fast()) as maker:
            maker.picture(poses, size=SIZE, camera=camera)
            levels = maker.renderer._batches._levels
        assert levels
        for one in levels:
            for facets, batch in zip((SEGMENTS, *COARSER), one.batches, strict=True):
                for number in batch.shown.tolist():
                    place = np.asarray(field.start_poses[field.drawables[number].link, :3])
                    depth = float((camera.eye - place) @ camera.backward)
                    if depth > 0.5 and facets < SEGMENTS:
                        pixels = RADII[number % len(SHAPES)] / depth / camera.half_height(1.0) * SIZE[1] / 2.0
                        assert pixels * (1.0 - np.cos(np.pi / facets)) < 0.25 + 1e-6


def test_edges_that_would_be_a_grey_are_left_out_but_for_what_is_chosen(field: Scene) -> None:
    """Spheres and capsules have no edges but their outlines."""
    poses = field.initial_link_poses()
    far = replace(fitted_camera(field, poses, 1.5), distance=400.0)
    with PictureMaker(field, RenderOptions.fast()) as maker:

        def edged() -> int:
            return sum(batch.edged for batch in maker.renderer._batches.all if batch.n_feature_edges)

        maker.renderer.highlight(["m::4"])
        maker.picture(poses, size=SIZE, camera=far)
        assert edged() == 1
        maker.picture(poses, size=SIZE, camera=replace(far, distance=4.0))
        assert edged() > 100
