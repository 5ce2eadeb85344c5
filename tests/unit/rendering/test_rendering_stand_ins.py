"""What is drawn in the place of a missing mesh: an outline, hatched, in both themes and without OpenGL, that covers
little of what is behind it and draws no eye."""

from __future__ import annotations

import colorsys
from dataclasses import replace

import numpy as np
import pytest

from simulator.model.link import Collision, Link, Omitted
from simulator.model.shape import Cylinder, Mesh
from simulator.model.world import Model, World
from simulator.rendering.build import MISSING_COLOUR, build_scene
from simulator.rendering.offscreen import PictureMaker, fitted_camera
from simulator.rendering.options import RenderOptions
from simulator.rendering.painted import paint_picture
from simulator.rendering.scene import Scene
from simulator.rendering.theme import THEMES, Theme
from simulator.spatial.pose import IDENTITY

SIZE = (320, 240)
BOTH = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)


@pytest.fixture(scope="module")
def scene() -> Scene:
    """A link that has a cylinder to collide with, and has lost its visual."""
    lost = Omitted("visual", "lost", "mesh", IDENTITY, Mesh("x.stl", ""))
    link = Link("m::a", collisions=(Collision("c", Cylinder(0.5, 1.0)),), omitted=(lost,))
    return build_scene(World(models=(Model("m", links=(link,)),)))


def solid(scene: Scene) -> Scene:
    """As if its shape were its own."""
    drawables = tuple(replace(one, stands_in=False, colour=(*MISSING_COLOUR[:3], 1.0)) for one in scene.drawables)
    return replace(scene, drawables=drawables)


def changed(scene: Scene, theme: Theme, *, opengl: bool, options: RenderOptions | None = None) -> float:
    """How many pixels differ from a picture without parts, as a part of those that a solid one changes."""
    poses = scene.initial_link_poses()
    camera = fitted_camera(scene, poses, SIZE[0] / SIZE[1])
    found = []
    for one in (replace(scene, drawables=()), scene, solid(scene)):
        # The same extent and grid in all three.
        if opengl:
            with PictureMaker(one, options or RenderOptions(shadows=False, floor=False)) as maker:
                found.append(maker.picture(poses, size=SIZE, camera=camera, theme=theme).astype(float))
        else:
            found.append(paint_picture(one, poses, size=SIZE, camera=camera, theme=theme).astype(float))
    empty, hollow, full = found
    seen = [int((np.abs(picture - empty).max(axis=2) > 40).sum()) for picture in (hollow, full)]
    assert seen[1] > 2000
    return seen[0] / seen[1]


@BOTH
@pytest.mark.usefixtures("opengl")
def test_it_is_an_outline_with_a_hatch(scene: Scene, theme: Theme) -> None:
    assert 0.01 < changed(scene, theme, opengl=True) < 0.35


@BOTH
@pytest.mark.usefixtures("opengl")
def test_its_outline_is_drawn_where_those_of_parts_are_left_out(scene: Scene, theme: Theme) -> None:
    """As on machines without a graphics processor: a cylinder has no other line along its side."""
    without = RenderOptions(shadows=False, floor=False, outlines=False)
    whole = changed(scene, theme, opengl=True)
    assert changed(scene, theme, opengl=True, options=without) == pytest.approx(whole, rel=0.02)


@BOTH
def test_without_opengl_it_is_hollow(scene: Scene, theme: Theme) -> None:
    assert 0.01 < changed(scene, theme, opengl=False) < 0.35


def test_its_colour_is_quiet_and_no_parts() -> None:
    _, _, saturation = colorsys.rgb_to_hls(*MISSING_COLOUR[:3])
    assert saturation < 0.35
    for theme in THEMES.values():
        assert abs(np.mean(MISSING_COLOUR[:3]) - np.mean(theme.floor)) > 0.25
