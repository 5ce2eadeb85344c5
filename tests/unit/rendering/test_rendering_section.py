"""A section plane cuts parts open, for the eye and for picking; ghosts are seen and not picked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import rendering_worlds as worlds

from simulator.rendering.build import build_scene
from simulator.rendering.offscreen import PictureMaker, fitted_camera
from simulator.rendering.options import RenderOptions
from simulator.rendering.scene import Scene
from simulator.rendering.section import Section

pytestmark = pytest.mark.usefixtures("opengl")
SIZE = (320, 240)
SCENE = build_scene(worlds.four_bar_world())


@pytest.fixture(params=["fast", "full"])
def maker(request: pytest.FixtureRequest) -> Iterator[PictureMaker]:
    with PictureMaker(SCENE, RenderOptions.fast() if request.param == "fast" else RenderOptions()) as made:
        yield made


def seen(maker: PictureMaker, scene: Scene = SCENE) -> tuple[np.ndarray, np.ndarray]:
    """A picture from the corner, and the points of parts that picking finds in it, every eighth pixel, shape (n, 3)."""
    camera = fitted_camera(scene, scene.start_poses, SIZE[0] / SIZE[1])
    picture = maker.picture(scene.start_poses, size=SIZE, camera=camera)
    found = [maker.renderer.hit(x, y) for x in range(4, SIZE[0], 8) for y in range(4, SIZE[1], 8)]
    return picture, np.array([hit.point for hit in found if hit is not None]).reshape(-1, 3)


@pytest.mark.parametrize("axis", [0, 2])
def test_nothing_beyond_the_plane_is_drawn_or_picked(maker: PictureMaker, axis: int) -> None:
    """Both halves together are the whole: a pixel of a part shows one of them. What is cut ends within a step of the
    grid to which corners are rounded, 1/256 of a pixel at GL_SUBPIXEL_BITS = 8, so that a point may be beyond the plane
    by as much."""
    whole, points = seen(maker)
    camera = fitted_camera(SCENE, SCENE.start_poses, SIZE[0] / SIZE[1])
    farthest = float(np.linalg.norm(points - camera.eye, axis=1).max())
    step = 2.0 * farthest * np.tan(camera.fov / 2.0) / SIZE[1] / 256.0
    assert step < 2e-5
    assert len(points) > 20
    middle = float(np.median(points[:, axis]))
    normal = [0.0, 0.0, 0.0]
    normal[axis] = 1.0
    kept = []
    for sign in (1.0, -1.0):
        maker.renderer.section = Section((sign * normal[0], sign * normal[1], sign * normal[2]), sign * middle)
        picture, left = seen(maker)
        assert len(left)
        assert (sign * (left[:, axis] - middle)).max() <= step
        assert np.abs(picture.astype(int) - whole).max() > 40
        kept.append(left)
    maker.renderer.section = None
    again, _ = seen(maker)
    np.testing.assert_array_equal(again, whole)
    assert min(map(len, kept)) < len(points)


def test_the_inside_of_what_is_cut_is_hatched(maker: PictureMaker) -> None:
    """Two tones in stripes, the same wherever it is lit."""
    scene = SCENE
    camera = fitted_camera(scene, scene.start_poses, SIZE[0] / SIZE[1])
    _, points = seen(maker)
    eye = camera.eye
    side = 1 if eye[1] > points[:, 1].mean() else -1
    maker.renderer.section = Section((0.0, float(side), 0.0), float(side * np.median(points[:, 1])))
    cut = maker.picture(scene.start_poses, size=SIZE, camera=camera)
    maker.renderer.section = Section((0.0, float(-side), 0.0), 1e3)
    whole = maker.picture(scene.start_poses, size=SIZE, camera=camera)
    assert np.mean(np.any(cut != whole, axis=2)) > 0.005


def test_ghosts_are_seen_and_not_picked(maker: PictureMaker) -> None:
    """Links that are where they are anyhow make no ghost."""
    whole, points = seen(maker)
    moved = SCENE.start_poses.copy()
    moved[-1, :3] += (0.0, 0.0, 0.3 * SCENE.radius)
    maker.renderer.ghosts = np.stack([moved, SCENE.start_poses])
    picture, picked = seen(maker)
    changed = np.abs(picture.astype(int) - whole).max(axis=2)
    assert 0.001 < np.mean(changed > 8) < 0.2
    np.testing.assert_array_equal(picked, points)
    maker.renderer.ghosts = SCENE.start_poses[None]
    same, _ = seen(maker)
    np.testing.assert_array_equal(same, whole)


def test_what_is_cut_has_a_face_in_the_plane() -> None:
    """A red pin inside of a blue box, behind the plane, is not seen through the cut; the bore of a ring is open."""
    import simulator

    m = simulator.new("cut")
    m.link("box", simulator.box((0.4, 0.4, 0.4), color=(0.1, 0.2, 0.9)))
    m.link("pin", simulator.box((0.1, 0.1, 0.1), at=(0.0, 0.1, 0.0), color=(0.9, 0.1, 0.1)))
    m.link(
        "ring",
        simulator.parts.ring_shape(simulator.parts.RingGear(0.01, 40, 18), 0.2),
        pose=(1.0, 0.0, 0.0, 1.5708, 0, 0),
    )
    for name in ("box", "pin", "ring"):
        m.fixed(f"{name}_weld", m.world, name)
    scene = build_scene(m.check().world)
    camera = fitted_camera(scene, scene.start_poses, SIZE[0] / SIZE[1]).with_view("front")
    with PictureMaker(scene, RenderOptions.fast()) as maker:
        whole = maker.picture(scene.start_poses, size=SIZE, camera=camera)
        maker.renderer.section = Section((0.0, -1.0, 0.0), 0.0)
        cut = maker.picture(scene.start_poses, size=SIZE, camera=camera)
    x, y = (round(float(value)) for value in camera.pixels(np.array((0.0, 0.0, 0.0)), SIZE)[:2])
    middle = cut[y - 8 : y + 8, x - 8 : x + 8].astype(int)
    assert (middle[..., 2] > 2 * middle[..., 0]).all(), "the cut face of the box is blue all over"
    assert np.ptp(middle[..., 2]) > 30, "and hatched"
    x, y = (round(float(value)) for value in camera.pixels(np.array((1.0, 0.0, 0.0)), SIZE)[:2])
    np.testing.assert_array_equal(cut[y - 4 : y + 4, x - 4 : x + 4], whole[y - 4 : y + 4, x - 4 : x + 4])
