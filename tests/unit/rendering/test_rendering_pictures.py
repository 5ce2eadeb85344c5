from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import moderngl
import numpy as np
import pytest
import rendering_worlds as worlds
from PIL import Image

from simulator.errors import RenderingError
from simulator.model.world import World
from simulator.rendering.build import build_scene
from simulator.rendering.camera import Camera
from simulator.rendering.offscreen import PictureMaker, fitted_camera, read_picture, render_picture, write_png
from simulator.rendering.options import RenderOptions
from simulator.rendering.overlays import (
    GAP,
    Polyline,
    arrows,
    crosses,
    dashed,
    sliding_axes,
    triads,
    turning_axes,
    turning_axis,
)
from simulator.rendering.scene import Scene
from simulator.rendering.theme import DARK, LIGHT, THEMES, Theme

GOLDEN = Path(__file__).parent / "golden"
pytestmark = pytest.mark.usefixtures("opengl")
SIZE = (400, 250)

TOLERANCE = 1.0
"""Mean absolute difference of 255 that a golden picture may have. Versions of a rasteriser place samples and round
filters differently, which changes pixels along edges: with one sample instead of four in each of the four subpixels it
is 0.15 here. Losing the shadow costs 1.7, the edges 4.4, the floor 18: `test_the_tolerance_would_notice` holds that."""


def scenes() -> dict[str, Scene]:
    return {
        "gears": build_scene(worlds.gear_world(), worlds.load),
        "shapes": build_scene(worlds.shapes_world()),
        "four_bar": build_scene(worlds.four_bar_world()),
    }


@pytest.fixture(scope="module")
def gears() -> Scene:
    return scenes()["gears"]


@pytest.fixture
def maker(gears: Scene) -> Iterator[PictureMaker]:
    with PictureMaker(gears, RenderOptions()) as made:
        yield made


def difference(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a.astype(float) - b.astype(float)).mean())


def read_png(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image)


def luminance(pixels: np.ndarray) -> np.ndarray:
    return pixels.astype(float) @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", ["gears", "shapes", "four_bar"])
def test_golden(name: str, theme: Theme, tmp_path: Path):
    """To accept new looks: SIMULATOR_ACCEPT_GOLDEN=1 pytest tests/unit/rendering, then look at every picture before
    committing."""
    picture = render_picture(scenes()[name], size=SIZE, theme=theme)
    path = GOLDEN / f"{name}_{theme.name}.png"
    if os.environ.get("SIMULATOR_ACCEPT_GOLDEN"):
        write_png(path, picture)
    write_png(tmp_path / path.name, picture)
    found = difference(picture, read_png(path))
    assert found < TOLERANCE, f"mean difference {found:.2f}: compare {path} with {tmp_path / path.name}"


@pytest.mark.parametrize("change", [{"shadows": False}, {"edges": False}, {"floor": False}])
def test_the_tolerance_would_notice(gears: Scene, change: dict[str, bool]):
    picture = render_picture(gears, size=SIZE, options=RenderOptions(supersample=2))
    changed = render_picture(gears, size=SIZE, options=RenderOptions(supersample=2, **change))
    assert difference(picture, changed) > TOLERANCE


def test_light_and_dark_differ(maker: PictureMaker):
    poses = maker.renderer.scene.initial_link_poses()
    light, dark = (maker.picture(poses, size=SIZE, theme=theme) for theme in (LIGHT, DARK))
    assert luminance(light).mean() > luminance(dark).mean() + 80


def test_pictures_need_no_display(tmp_path: Path):
    code = (
        "import rendering_worlds as w; from simulator.rendering import build, offscreen;"
        "offscreen.write_png('out.png', offscreen.render_picture(build.build_scene(w.shapes_world()), size=(64, 48)))"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[3])])
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env={**environment, "PYTHONPATH": path})
    assert read_png(tmp_path / "out.png").shape == (48, 64, 3)


def test_a_shadow_darkens_the_floor_on_the_far_side_of_the_light():
    scene = build_scene(worlds.shapes_world())
    camera = Camera(target=(0.7, 0.7, 0.0), distance=9.0).with_view("top")
    pictures = {
        shadows: render_picture(scene, size=(300, 300), camera=camera, options=RenderOptions(shadows=shadows))
        for shadows in (True, False)
    }
    box_at = camera.project(np.array([[0.15, 0.62, 0.0], [0.3, -0.9, 0.0]]), 1.0)  # behind the box, and before it
    behind, before = (((1 + x) * 150, (1 - y) * 150) for x, y, _ in box_at)
    dark, lit = (
        luminance(pictures[True])[int(y) - 2 : int(y) + 3, int(x) - 2 : int(x) + 3].mean() for x, y in (behind, before)
    )
    without = luminance(pictures[False])[
        int(behind[1]) - 2 : int(behind[1]) + 3, int(behind[0]) - 2 : int(behind[0]) + 3
    ].mean()
    assert dark < 0.8 * without
    assert lit > 0.95 * without


def test_lit_faces_have_no_shadow_acne():
    """A plain face turned to the light has one colour: without edges, its spread is below two steps of 255."""
    scene = build_scene(worlds.shapes_world())
    camera = Camera(target=(0.0, -0.4, 0.5), distance=1.6).with_view("front")
    picture = render_picture(scene, size=(200, 200), camera=camera, options=RenderOptions(edges=False))
    assert luminance(picture)[60:140, 60:140].std() < 2.0


@pytest.mark.parametrize("size", [0.02, 1.0, 5.0])
def test_small_and_large_mechanisms_fill_the_picture_alike(size: float):
    scene = build_scene(worlds.four_bar_world(size))
    with_parts = render_picture(scene, size=SIZE, options=RenderOptions(floor=False, shadows=False))
    camera = fitted_camera(scene, scene.initial_link_poses(), SIZE[0] / SIZE[1])
    with PictureMaker(build_scene(World()), RenderOptions(floor=False, shadows=False)) as empty:
        backdrop = empty.picture(np.zeros((0, 7)), size=SIZE, camera=camera)
    rows, columns = np.nonzero(np.abs(with_parts.astype(int) - backdrop).max(axis=2) > 24)
    spans = np.ptp(columns) / SIZE[0], np.ptp(rows) / SIZE[1]
    assert max(spans) > 0.75
    assert min(rows.min(), columns.min()) > 2
    assert rows.max() < SIZE[1] - 3
    assert columns.max() < SIZE[0] - 3
    assert 0.03 < len(rows) / (SIZE[0] * SIZE[1]) < 0.5


def test_pick_finds_the_link_and_the_point(maker: PictureMaker):
    scene = maker.renderer.scene
    poses = scene.initial_link_poses()
    camera = fitted_camera(scene, poses, SIZE[0] / SIZE[1])
    maker.picture(poses, size=SIZE, camera=camera)
    rim = np.array([-0.5, -worlds.WIDTH / 2, worlds.HEIGHT + 0.5])
    rack = np.array([-2.0, -worlds.WIDTH / 2, worlds.HEIGHT - worlds.PITCH_RADIUS - 0.25])
    for point, link in ((rim, "gears::pinion"), (rack, "gears::rack")):
        x, y, _ = camera.project(point[None], SIZE[0] / SIZE[1])[0]
        pixel = ((1 + x) / 2 * SIZE[0], (1 - y) / 2 * SIZE[1])
        hit = maker.renderer.hit(*pixel)
        assert hit is not None
        assert hit.link == link == maker.renderer.pick(*pixel)
        np.testing.assert_allclose(hit.point, point, atol=0.06)  # a pixel of this picture is 2 cm wide
    assert maker.renderer.pick(3, 3) is None


def test_nothing_can_be_picked_before_the_first_frame(maker: PictureMaker):
    assert maker.renderer.pick(10, 10) is None


def test_poses_move_the_parts(maker: PictureMaker):
    poses = maker.renderer.scene.initial_link_poses()
    camera = fitted_camera(maker.renderer.scene, poses, SIZE[0] / SIZE[1])
    before = maker.picture(poses, size=SIZE, camera=camera)
    poses[maker.renderer.scene.link_numbers["gears::rack"], 0] += 1.0
    assert difference(before, maker.picture(poses, size=SIZE, camera=camera)) > 0.5


def test_highlight_marks_the_link_and_goes_away(maker: PictureMaker):
    poses = maker.renderer.scene.initial_link_poses()
    plain = maker.picture(poses, size=SIZE)
    maker.renderer.highlight(selected=["gears::pinion", "no::such"], hovered="gears::rack")
    marked = maker.picture(poses, size=SIZE)
    maker.renderer.highlight()
    accent = np.array(LIGHT.selected) * 255
    near_accent = [(np.abs(p - accent).max(axis=2) < 30).sum() for p in (plain.astype(float), marked.astype(float))]
    assert near_accent[1] > near_accent[0] + 200
    assert difference(plain, maker.picture(poses, size=SIZE)) == 0.0


def test_lines_are_drawn_and_shine_faintly_through_parts(maker: PictureMaker):
    poses = maker.renderer.scene.initial_link_poses()
    camera = fitted_camera(maker.renderer.scene, poses, SIZE[0] / SIZE[1])
    points = np.array([[-4.0, 1.0, 0.3], [4.0, 1.0, 0.3]])
    plain = maker.picture(poses, size=SIZE, camera=camera).astype(float)
    magenta = (1.0, 0.0, 1.0, 1.0)
    hiding, shining = (
        maker.picture(poses, size=SIZE, camera=camera, overlays=[Polyline(points, magenta, 4.0, hidden)]).astype(float)
        for hidden in (0.0, 0.5)
    )
    assert (np.abs(hiding - plain).max(axis=2) > 100).sum() > 200
    assert (np.abs(shining - hiding).max(axis=2) > 20).sum() > 50


def test_glyphs_have_their_size_and_place():
    turning = np.concatenate([line.points for line in turning_axis((1, 2, 3), (0, 0, 1), 0.2, (1, 0, 0, 1))])
    origins, directions = np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 0.0, 0.0]])
    sliding = np.concatenate([line.points for line in sliding_axes(origins, directions, 0.2, (1, 0, 0, 1))])
    for points in (turning, sliding):
        assert np.nanmax(np.abs(points - [1, 2, 3])) <= 0.1 + 1e-9
    frame = triads(np.eye(4)[None], 0.5, LIGHT)
    assert [tuple(line.points[1]) for line in frame] == [(0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5)]


def test_many_glyphs_are_those_of_each_in_few_lines():
    """Nothing leads from one to the next, and who has no length is left out."""
    rng = np.random.default_rng(3)
    origins, tips = rng.normal(size=(2, 50, 3))
    tips[7] = origins[7]
    colour = (1.0, 0.0, 0.0, 1.0)
    directions = (tips - origins) / np.maximum(np.linalg.norm(tips - origins, axis=1), 1e-9)[:, None]
    directions[7] = (0.0, 0.0, 1.0)
    sizes = rng.uniform(0.1, 2.0, 50)
    together = (
        arrows(origins, tips, colour),
        turning_axes(origins, directions, sizes, colour),
        crosses(origins, 0.1, colour),
    )
    alone = (
        [arrows(origins[i : i + 1], tips[i : i + 1], colour) for i in range(50)],
        [turning_axis(origins[i], directions[i], sizes[i], colour) for i in range(50)],
        [crosses(origins[i : i + 1], 0.1, colour) for i in range(50)],
    )
    for lines, each in zip(together, alone, strict=True):
        assert len(lines) <= 2
        found = sorted(piece.round(9).tolist() for line in lines for piece in line.pieces())
        expected = sorted(piece.round(9).tolist() for one in each for line in one for piece in line.pieces())
        assert found == expected


def test_dashes_lie_on_their_line_in_equal_lengths():
    """Of a bent line, of one in pieces and of many: each has as many as fit, and the last is cut at the end."""
    bent = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    straight = np.array([[5.0, 0.0, 0.0], [5.0, 0.0, 0.5]])
    (line,) = dashed(Polyline(np.concatenate((bent, GAP, straight)), (1.0, 0.0, 0.0, 1.0)), 0.4)
    pieces = line.pieces()
    lengths = [float(np.linalg.norm(np.diff(piece, axis=0), axis=1).sum()) for piece in pieces]
    assert lengths == pytest.approx([0.4, 0.4, 0.4, 0.4])
    np.testing.assert_allclose([piece[0] for piece in pieces], [[0, 0, 0], [0.7, 0, 0], [1, 0.4, 0], [5, 0, 0]])
    np.testing.assert_allclose(pieces[1], [[0.7, 0, 0], [1, 0, 0], [1, 0.1, 0]])
    (short,) = dashed(Polyline(straight, (1.0, 0.0, 0.0, 1.0)), 0.4 / 1.75)
    assert [float(np.ptp(piece, axis=0).max()) for piece in short.pieces()] == pytest.approx([0.4 / 1.75, 0.1])
    assert dashed(Polyline(straight[:1], (1.0, 0.0, 0.0, 1.0)), 0.4) == ()


def test_another_scene_can_be_shown(maker: PictureMaker):
    shapes = build_scene(worlds.shapes_world())
    maker.renderer.set_scene(shapes)
    picture = maker.picture(shapes.initial_link_poses(), size=SIZE)
    assert difference(picture, render_picture(shapes, size=SIZE, options=RenderOptions())) == 0.0


def test_highlighting_one_link_changes_nothing_of_the_others(gears: Scene):
    """Also where outlines are drawn of what is highlighted only."""
    poses, seen = gears.initial_link_poses(), []
    width, height = size = (96, 60)  # every pixel is picked
    with PictureMaker(gears, RenderOptions.fast()) as maker:
        for hovered in (None, "gears::rack", "gears::pinion"):
            maker.renderer.highlight(hovered=hovered)
            seen.append(maker.picture(poses, size=size).astype(int))
        links = [[maker.renderer.pick(x + 0.5, y + 0.5) for x in range(width)] for y in range(height)]
    of_link = np.array(
        [[0 if link == "gears::rack" else 1 if link == "gears::pinion" else 2 for link in row] for row in links]
    )
    for lit, picture in enumerate(seen[1:]):
        changed = np.abs(picture - seen[0]).max(axis=2) > 8
        assert changed[of_link == lit].any()
        edge = np.zeros_like(changed)  # an outline is as wide as two pixels to either side of the link
        for dx in range(-3, 4):
            for dy in range(-3, 4):
                edge |= np.roll(of_link == lit, (dy, dx), axis=(0, 1))
        assert not changed[~edge].any()


@pytest.mark.parametrize(
    "options", [RenderOptions.fast(), RenderOptions(samples=0, supersample=2), RenderOptions.best()]
)
def test_every_way_of_drawing_shows_the_same_scene(gears: Scene, options: RenderOptions):
    reference = render_picture(gears, size=SIZE, options=RenderOptions(shadows=options.shadows))
    assert difference(reference, render_picture(gears, size=SIZE, options=options)) < 4.0


def test_odd_sizes_and_pixel_ratios(maker: PictureMaker):
    poses = maker.renderer.scene.initial_link_poses()
    assert maker.picture(poses, size=(101, 67)).shape == (67, 101, 3)
    assert maker.picture(poses, size=(1, 1)).shape == (1, 1, 3)
    assert maker.picture(poses, size=(202, 134), pixel_ratio=2.0).shape == (134, 202, 3)
    with pytest.raises(RenderingError, match="0 x 10"):
        maker.picture(poses, size=(0, 10))


def test_parts_that_ran_away_or_are_not_numbers_do_not_stop_the_picture(maker: PictureMaker):
    poses = maker.renderer.scene.initial_link_poses()
    poses[2, 0] = 1e6
    maker.picture(poses, size=SIZE)
    poses[3] = math.nan
    maker.picture(poses, size=SIZE)


def test_many_pictures_leak_no_contexts():
    scene = build_scene(worlds.four_bar_world())
    for _ in range(40):
        render_picture(scene, size=(32, 24), options=RenderOptions.fast())
    with PictureMaker(scene, RenderOptions.fast()) as maker:
        for i in range(40):
            read_picture(maker.renderer, scene.initial_link_poses(), size=(16 + i, 16))


def test_without_opengl_the_message_helps(monkeypatch: pytest.MonkeyPatch):
    def refuse(**_: object) -> None:
        raise Exception("eglInitialize failed")

    monkeypatch.setattr(moderngl, "create_context", refuse)
    with pytest.raises(RenderingError, match=r"No OpenGL 3\.3 context.*eglInitialize failed.*apt install"):
        render_picture(build_scene(World()))


def test_a_png_is_written_whole_or_not_at_all(tmp_path: Path):
    pixels = np.full((4, 5, 3), 200, dtype=np.uint8)
    write_png(tmp_path / "a.png", pixels)
    assert np.array_equal(read_png(tmp_path / "a.png"), pixels)
    with pytest.raises(RenderingError, match="cannot be written"):
        write_png(tmp_path / "missing" / "a.png", pixels)
    with pytest.raises(RenderingError, match="cannot be written"):
        write_png(tmp_path / "b.png", np.zeros((2, 2, 9), dtype=np.uint8))
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_the_kept_backdrop_is_the_picture_that_was_drawn():
    """Sky and floor are copied while a view stays as it is: pixel for pixel what a renderer draws that has kept
    nothing; a turned camera or another theme has its own."""
    scene, fast = build_scene(worlds.four_bar_world()), RenderOptions.fast()
    looks = ((0.3, LIGHT), (0.9, LIGHT), (0.9, DARK))
    views = [(Camera(distance=4.0 * scene.radius, azimuth=azimuth), theme) for azimuth, theme in looks]
    drawn = [render_picture(scene, size=SIZE, camera=camera, theme=theme, options=fast) for camera, theme in views]
    with PictureMaker(scene, fast) as maker:
        for (camera, theme), expected in zip(views, drawn, strict=True):
            for _ in range(3):
                seen = maker.picture(scene.initial_link_poses(), size=SIZE, camera=camera, theme=theme)
                assert np.array_equal(seen, expected)
        assert maker.renderer._backdrop.picture is not None, "else nothing was copied"
