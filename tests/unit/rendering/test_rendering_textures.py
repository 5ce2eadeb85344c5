"""Textures: decoded within bounds, laid over shapes the right way up, and as bright as plain colours."""

from __future__ import annotations

import io
import math
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import rendering_worlds as worlds
from PIL import Image

from simulator.model.link import Link, Visual
from simulator.model.material import Material, Rgba, Texture
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.model.world import Model, World
from simulator.rendering import pictures
from simulator.rendering.batches import Batches
from simulator.rendering.build import build_scene
from simulator.rendering.camera import Camera
from simulator.rendering.geometry import covered_triangles_of, parts_of_shape
from simulator.rendering.offscreen import PictureMaker, render_picture
from simulator.rendering.options import RenderOptions
from simulator.rendering.painter import paint_list
from simulator.rendering.pictures import Picture, decoded
from simulator.rendering.programs import Programs
from simulator.rendering.scene import Scene
from simulator.spatial.pose import IDENTITY, Pose

PLAIN = RenderOptions(shadows=False, edges=False, floor=False)
WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
RED, GREEN, BLUE, YELLOW = (230, 30, 30), (30, 200, 30), (30, 30, 230), (230, 220, 30)
ROUND = [Cylinder(0.5, 1.0), Cone(0.5, 1.0), Sphere(0.5), Ellipsoid((0.5, 0.5, 0.5)), Capsule(0.3, 0.6)]


def png(pixels: np.ndarray, **options: object) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, format="PNG", **options)
    return stream.getvalue()


def quarters() -> bytes:
    """Red and green above, blue and yellow below."""
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:32, :32], pixels[:32, 32:], pixels[32:, :32], pixels[32:, 32:] = RED, GREEN, BLUE, YELLOW
    return png(pixels)


def plain(colour: tuple[int, ...], size: int = 8) -> bytes:
    return png(np.full((size, size, len(colour)), colour, np.uint8))


def scene_of(shape: Shape, texture: Texture | None, diffuse: Rgba | None = None, pose: Pose = IDENTITY) -> Scene:
    visual = Visual("v", shape, pose, Material(diffuse=diffuse, texture=texture))
    return build_scene(World(models=(Model("m", links=(Link("m::l", visuals=(visual,)),)),)))


def seen(scene: Scene, azimuth: float, elevation: float = 0.0, half_height: float = 0.5) -> np.ndarray:
    """The shape from one side, 100 x 100 px; a parallel view in which `half_height` [m] lie above the middle."""
    distance = half_height / math.tan(Camera().fov / 2)
    camera = Camera(distance=distance, azimuth=azimuth, elevation=elevation, orthographic=True)
    return render_picture(scene, size=(100, 100), camera=camera, options=PLAIN)


def hue(pixel: np.ndarray) -> tuple[int, int, int]:
    """The colour of the picture that is nearest in direction."""
    known = [RED, GREEN, BLUE, YELLOW]
    unit = [np.array(item) / np.linalg.norm(item) for item in known]
    return known[int(np.argmax([float(pixel @ item) for item in unit]))]


def corners(picture: np.ndarray) -> list[tuple[int, int, int]]:
    return [hue(picture[row, column].astype(float)) for row in (25, 75) for column in (25, 75)]


# ---- where the picture lies


@pytest.mark.usefixtures("opengl")
@pytest.mark.parametrize("azimuth", [0.0, math.pi / 2, math.pi, -math.pi / 2])
def test_every_side_of_a_box_shows_the_picture_upright(azimuth: float):
    assert corners(seen(scene_of(Box((1.0, 1.0, 1.0)), Texture("t", data=quarters())), azimuth)) == [
        RED,
        GREEN,
        BLUE,
        YELLOW,
    ]


@pytest.mark.usefixtures("opengl")
def test_a_plane_shows_the_picture_with_v_along_y():
    scene = scene_of(Plane((0.0, 0.0, 1.0), (1.0, 1.0)), Texture("t", data=quarters()))
    above = Camera(distance=2.0, orthographic=True).with_view("top")
    picture = render_picture(scene, size=(300, 300), camera=above, options=RenderOptions(shadows=False))
    found = [hue(picture[row, column].astype(float)) for row in (130, 170) for column in (130, 170)]
    assert found == [RED, GREEN, BLUE, YELLOW]
    assert scene.floor.is_covered


def test_the_top_of_a_box_is_turned_as_in_gazebo():
    vertices, _, uv = covered_triangles_of(Box((2.0, 2.0, 2.0)))
    top = np.isclose(vertices[:, 2], 1.0)
    triangles = top.reshape(-1, 3).all(axis=1)
    chosen = np.repeat(triangles, 3)
    places = {tuple(v): tuple(p) for v, p in zip(vertices[chosen].tolist(), uv[chosen].tolist(), strict=True)}
    # gz-common, MeshManager::CreateBox: {2, 6, 5, 1} get upper right, upper left, lower left, lower right
    assert places == {
        (1.0, -1.0, 1.0): (1.0, 1.0),
        (1.0, 1.0, 1.0): (0.0, 1.0),
        (-1.0, 1.0, 1.0): (0.0, 0.0),
        (-1.0, -1.0, 1.0): (1.0, 0.0),
    }


@pytest.mark.parametrize("shape", ROUND, ids=lambda shape: type(shape).__name__)
def test_a_picture_goes_once_around_without_a_jump(shape: Shape):
    """Within each triangle the picture covers what it should: no triangle spans the picture backwards."""
    vertices, triangles, uv = covered_triangles_of(shape)
    corner = vertices[triangles]
    wall = np.ptp(corner[:, :, 2], axis=1) > 1e-9
    across = np.ptp(uv[triangles][:, :, 0], axis=1)[wall]
    assert across.max() <= 1.0 / 64 + 1e-9
    v = uv[triangles][:, :, 1]
    assert (v[wall].min(), v[wall].max()) == (0.0, 1.0)
    angle = np.arctan2(corner[wall][:, :, 1], corner[wall][:, :, 0]) % math.tau
    radius = np.linalg.norm(corner[wall][:, :, :2], axis=2)
    off_axis = radius > 1e-6
    turns = (uv[triangles][wall][:, :, 0] - angle / math.tau)[off_axis]
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)


def test_a_seam_of_a_mesh_splits_vertices_but_not_normals():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 1, 0]], float)
    triangles = np.array([[0, 1, 2], [4, 5, 3]], np.int32)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.2, 0.2]], np.float32)
    mesh = worlds.Triangles(vertices, triangles, None, uv, (Texture("t"),), np.zeros(2, np.int32))
    (part,) = parts_of_shape(Mesh("a", "a"), lambda _: mesh)
    assert part.texture == Texture("t")
    assert part.surface.uv is not None
    np.testing.assert_array_equal(part.surface.uv[part.surface.triangles].reshape(-1, 2), uv[triangles].reshape(-1, 2))
    np.testing.assert_array_equal(part.surface.normals, np.tile([0.0, 0.0, 1.0], (6, 1)))
    assert len(part.surface.edges.segments) == 4  # the diagonal is not an edge


def test_a_mesh_has_a_part_for_each_of_its_textures():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]] * 3, float)
    uv = np.zeros((9, 2), np.float32)
    textures = Texture("a", path="a"), Texture("b", path="b")
    mesh = worlds.Triangles(
        vertices, np.arange(9, dtype=np.int32).reshape(3, 3), None, uv, textures, np.array([1, -1, 0], np.int32)
    )
    parts = parts_of_shape(Mesh("a", "a"), lambda _: mesh)
    assert [part.texture for part in parts] == [None, *textures]
    assert [part.surface.uv is None for part in parts] == [True, False, False]


# ---- how bright it is


@pytest.mark.usefixtures("opengl")
@pytest.mark.parametrize("colour", [(255, 255, 255), (128, 128, 128), (40, 90, 200), (12, 12, 12)])
def test_a_plain_picture_looks_like_the_plain_colour(colour: tuple[int, int, int]):
    red, green, blue = (part / 255 for part in colour)
    textured = seen(scene_of(Sphere(0.5), Texture("t", data=plain(colour))), 0.4, 0.3, 0.6)
    coloured = seen(scene_of(Sphere(0.5), None, (red, green, blue, 1.0)), 0.4, 0.3, 0.6)
    # 8 bits of OpenGL's sRGB curve are coarser than the gamma of 2 in the dark: up to 3 of 255 here
    assert np.abs(textured.astype(int) - coloured.astype(int)).max() <= 3


@pytest.mark.usefixtures("opengl")
def test_texels_are_averaged_as_light():
    fine = np.indices((512, 512)).sum(axis=0) % 2 * np.uint8(255)
    board = scene_of(
        Box((1.0, 1.0, 1.0)), Texture("t", data=png(np.repeat(fine[:, :, None], 3, axis=2).astype(np.uint8)))
    )
    half = math.sqrt(0.5)  # as bright as half of white, with the renderer's gamma of 2
    grey = scene_of(Box((1.0, 1.0, 1.0)), None, (half, half, half, 1.0))
    a, b = (seen(scene, 0.0)[20:80, 20:80].mean() for scene in (board, grey))
    assert a == pytest.approx(b, abs=2.0)  # of 255; averaged as numbers it would be darker by 35


@pytest.mark.usefixtures("opengl")
def test_the_diffuse_colour_tints_a_picture_and_the_ambient_one_does_not():
    texture = Texture("t", data=plain((200, 200, 200)))
    tinted = seen(scene_of(Box((1, 1, 1)), texture, (1.0, 0.5, 0.5, 1.0)), 0.0)[50, 50].astype(int)
    pure = seen(scene_of(Box((1, 1, 1)), texture), 0.0)[50, 50].astype(int)
    assert tinted[0] == pytest.approx(pure[0], abs=2)
    assert tinted[1] < pure[1] - 50
    dark = Visual("v", Box((1, 1, 1)), material=Material(ambient=(0.1, 0.1, 0.1, 1.0), texture=texture))
    assert build_scene(World(models=(Model("m", links=(Link("m::l", visuals=(dark,)),)),))).drawables[0].colour == WHITE


@pytest.mark.usefixtures("opengl")
def test_holes_of_a_picture_show_what_is_behind():
    pixels = np.full((16, 16, 4), (200, 30, 30, 255), np.uint8)
    pixels[:, :8, 3] = 0
    wall = Plane((1.0, 0.0, 0.0), (1.0, 1.0))
    cut = seen(scene_of(wall, Texture("t", data=png(pixels))), 0.0)
    solid = seen(scene_of(wall, Texture("t", data=png(pixels), cutout=False)), 0.0)
    assert solid[50, 25].tolist() == solid[50, 75].tolist() == cut[50, 75].tolist()
    assert cut[50, 25].tolist() != cut[50, 75].tolist()


@pytest.mark.usefixtures("opengl")
def test_a_picture_may_be_repeated():
    scene = scene_of(Box((1, 1, 1)), Texture("t", data=quarters(), size=(0.5, 0.5)))
    picture = seen(scene, 0.0)
    quarter = [hue(picture[row, column].astype(float)) for row in (37, 62) for column in (37, 62)]
    assert quarter == [RED, GREEN, BLUE, YELLOW]


# ---- sharing and giving back


@pytest.mark.usefixtures("opengl")
def test_instances_share_a_texture_and_everything_is_given_back():
    texture = Texture("t", data=quarters())
    visuals = tuple(
        Visual(f"v{i}", Box((1, 1, 1 + i)), Pose((2.0 * i, 0, 0)), Material(texture=texture)) for i in range(5)
    )
    scene = build_scene(World(models=(Model("m", links=(Link("m::l", visuals=visuals),)),)))
    assert len(scene.pictures) == len(scene.surfaces) == 1
    with PictureMaker(scene, PLAIN) as maker:
        ctx = maker.renderer.context
        programs = Programs(ctx, 0)
        batches = Batches(ctx, programs, scene)
        (batch,) = batches.all
        assert batch.texture is not None
        batches.release()
        assert not hasattr(batch.texture.texture.mglo, "use")
        programs.release()
        untextured = build_scene(worlds.shapes_world())
        maker.renderer.set_scene(untextured)
        maker.picture(untextured.initial_link_poses(), size=(20, 20))


@pytest.mark.usefixtures("opengl")
def test_a_scene_without_pictures_compiles_no_program_for_them():
    with PictureMaker(build_scene(worlds.shapes_world()), PLAIN) as maker:
        assert "textured" not in vars(maker.renderer._programs)


def test_without_opengl_the_mean_colour_is_painted():
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[:4] = 255
    scene = scene_of(Box((1, 1, 1)), Texture("t", data=png(pixels)), (1.0, 0.5, 1.0, 1.0))
    half = math.sqrt(0.5)
    assert scene.plain_colour(scene.drawables[0]) == pytest.approx((half, half / 2, half, 1.0))
    assert paint_list(scene, scene.initial_link_poses(), Camera(), 60, 40)


def test_a_mesh_that_says_no_places_has_the_mean_colour():
    vertices, triangles = np.eye(3), np.array([[0, 1, 2]], np.int32)
    visual = Visual("v", Mesh("a", "a"), material=Material(texture=Texture("t", data=plain((255, 0, 0)))))
    world = World(models=(Model("m", links=(Link("m::l", visuals=(visual,)),)),))
    scene = build_scene(world, lambda _: worlds.Triangles(vertices, triangles))
    assert (scene.drawables[0].picture, scene.drawables[0].colour) == (None, (1.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize(("diffuse", "kept"), [(None, True), (WHITE, True), ((0.9, 0.9, 0.9, 1.0), False)])
def test_a_colour_of_the_document_covers_the_picture_of_a_mesh(diffuse: Rgba | None, kept: bool):
    mesh = worlds.Triangles(
        np.eye(3),
        np.array([[0, 1, 2]], np.int32),
        None,
        np.zeros((3, 2), np.float32),
        (Texture("t", data=plain((9, 9, 9))),),
        np.zeros(1, np.int32),
    )
    visual = Visual("v", Mesh("a", "a"), material=None if diffuse is None else Material(diffuse=diffuse))
    scene = build_scene(World(models=(Model("m", links=(Link("m::l", visuals=(visual,)),)),)), lambda _: mesh)
    assert (scene.drawables[0].picture is not None) == kept


# ---- decoding


def only(texture: Texture) -> Picture | str:
    return decoded([texture])[texture]


def picture_of(texture: Texture) -> Picture:
    found = only(texture)
    assert isinstance(found, Picture)
    return found


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "F"])
def test_every_kind_of_pixel_becomes_rgba(tmp_path: Path, mode: str):
    expected = 255 if mode == "1" else 200
    image = Image.new("L", (4, 2), expected)
    image = image.convert("I").point(lambda v: v * 257).convert("I;16") if mode == "I;16" else image.convert(mode)
    path = tmp_path / ("a.tif" if mode in ("CMYK", "F") else "a.png")
    image.save(path)
    pixels = picture_of(Texture("a", path=str(path))).pixels
    assert pixels.shape == (2, 4, 4)
    assert np.abs(pixels[:, :, :3].astype(int) - expected).max() <= 1


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_large_pictures_are_scaled_down(tmp_path: Path, kind: str):
    path = tmp_path / "wide"
    Image.new("RGB", (5000, 100), (250, 10, 10)).save(path, format=kind)
    pixels = picture_of(Texture("wide", path=str(path))).pixels
    assert pixels.shape == (41, 2048, 4)
    assert pixels[20, 1000, 0] > 240


def test_all_pictures_together_have_a_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pictures, "MOST_PIXELS", 3 * 256 * 256)
    textures = [Texture(str(i), data=plain((i, i, i), 512)) for i in range(4)]
    found = decoded(textures)
    assert {item.pixels.shape for item in found.values() if isinstance(item, Picture)} == {(128, 128, 4)}


def bomb(width: int, height: int) -> bytes:
    """The beginning of a PNG that claims to be large."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"\0" * 1000)
    chunks = [struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in (header, data)]
    return (
        b"\x89PNG\r\n\x1a\n"
        + b"".join(chunks)
        + struct.pack(">I", 0)
        + b"IEND"
        + struct.pack(">I", zlib.crc32(b"IEND"))
    )


@pytest.mark.parametrize(
    "data",
    [
        b"junk",
        quarters()[:100],
        bomb(60000, 60000),
        bomb(13000, 13000),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
    ],
    ids=["junk", "cut off", "bomb", "large", "eps"],
)
def test_what_cannot_be_decoded_is_named_and_its_colour_drawn(data: bytes):
    scene = scene_of(Box((1, 1, 1)), Texture("paint.png", data=data), (0.2, 0.4, 0.6, 1.0))
    (reason,) = scene.missing
    assert "paint.png" in reason
    assert scene.drawables[0].picture is None
    assert scene.drawables[0].colour == (0.2, 0.4, 0.6, 1.0)


def test_a_pipe_in_the_place_of_a_picture_does_not_wait(tmp_path: Path):
    path = tmp_path / "pipe.png"
    os.mkfifo(path)
    assert isinstance(only(Texture("pipe.png", path=str(path))), str)


def test_opacity_that_hides_everything_is_none():
    assert not picture_of(Texture("t", data=plain((9, 9, 9, 0)))).cutout
    assert not picture_of(Texture("t", data=plain((9, 9, 9, 255)))).cutout


def test_lines_on_a_carpet_are_drawn_and_the_floor_lies_below():
    paint = Material(texture=Texture("t", data=plain((9, 99, 9))))
    visuals = (
        Visual("carpet", Plane((0.0, 0.0, 1.0), (7.0, 5.0)), Pose((0, 0, 0.01)), paint),
        Visual("line", Plane((0.0, 0.0, 1.0), (6.0, 0.1)), Pose((0, 0, 0.02)), Material(diffuse=WHITE)),
        Visual("ground", Plane((0.0, 0.0, 1.0), (100.0, 100.0))),
        Visual("ball", Sphere(0.1), Pose((0, 0, 0.1))),
    )
    scene = build_scene(World(models=(Model("m", links=(Link("m::l", visuals=visuals),)),)))
    assert [(d.name, d.in_bounds) for d in scene.drawables] == [
        ("m::l/ball", True),
        ("m::l/carpet", False),
        ("m::l/line", False),
    ]
    assert (scene.floor.z, scene.floor.is_covered) == (0.0, True)
