from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.rendering.camera import MAX_ELEVATION, STANDARD_VIEWS, Camera

ASPECT = 1.6
BOX = np.array([[x, y, z] for x in (-1.0, 3.0) for y in (0.0, 0.5) for z in (0.2, 1.7)])


def ndc_by_matrices(camera: Camera, points: np.ndarray) -> np.ndarray:
    clip = camera.projection(ASPECT, 0.1, 100.0) @ camera.view() @ np.column_stack([points, np.ones(len(points))]).T
    return (clip[:3] / clip[3]).T


def test_the_eye_is_at_its_distance_in_the_direction_of_azimuth_and_elevation():
    camera = Camera(target=(1.0, 2.0, 3.0), distance=2.0, azimuth=math.pi / 2, elevation=math.pi / 6)
    np.testing.assert_allclose(camera.eye, [1.0, 2.0 + math.sqrt(3.0), 4.0], atol=1e-12)


def test_the_axes_are_a_right_handed_rotation():
    axes = Camera(azimuth=0.7, elevation=-0.4).axes()
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)


@pytest.mark.parametrize("orthographic", [False, True])
def test_project_agrees_with_the_matrices(orthographic: bool):
    camera = Camera(target=(0.5, 0.2, 0.9), distance=8.0, orthographic=orthographic)
    np.testing.assert_allclose(camera.project(BOX, ASPECT)[:, :2], ndc_by_matrices(camera, BOX)[:, :2], atol=1e-12)


@pytest.mark.parametrize("orthographic", [False, True])
def test_pixels_are_ndc_in_a_picture_from_its_upper_left_corner(orthographic: bool):
    camera = Camera(target=(0.5, 0.2, 0.9), distance=8.0, orthographic=orthographic)
    pixels = camera.pixels(BOX.reshape(2, 4, 3), (800.0, 500.0))
    ndc = ndc_by_matrices(camera, BOX)
    np.testing.assert_allclose(pixels[..., 0].ravel(), 400.0 * (1.0 + ndc[:, 0]), atol=1e-9)
    np.testing.assert_allclose(pixels[..., 1].ravel(), 250.0 * (1.0 - ndc[:, 1]), atol=1e-9)
    np.testing.assert_allclose(pixels[..., 2].ravel(), camera.project(BOX, ASPECT)[:, 2], atol=1e-12)
    np.testing.assert_allclose(camera.pixels(np.array(camera.target), (800.0, 500.0)), [400.0, 250.0, 8.0], atol=1e-9)


@pytest.mark.parametrize("orthographic", [False, True])
def test_half_heights_of_many_depths_are_those_of_each(orthographic: bool):
    camera = Camera(distance=3.0, orthographic=orthographic)
    depths = np.array([0.5, 3.0, 7.0])
    assert camera.half_height(depths).tolist() == [camera.half_height(float(depth)) for depth in depths]


def test_the_target_is_in_the_middle_and_up_is_up():
    camera = Camera(target=(0.3, -0.2, 0.1))
    seen = camera.project(np.array([[0.3, -0.2, 0.1], [0.3, -0.2, 0.4]]), ASPECT)
    np.testing.assert_allclose(seen[0], [0.0, 0.0, camera.distance], atol=1e-12)
    assert seen[1, 1] > 0.0


def test_near_and_far_are_the_ends_of_clip_space():
    camera = Camera(distance=5.0)
    near, far = camera.clip_range(3.0)
    ends = camera.eye - np.outer([near, far], camera.backward)
    clip = camera.projection(ASPECT, near, far) @ camera.view() @ np.column_stack([ends, [1.0, 1.0]]).T
    np.testing.assert_allclose(clip[2] / clip[3], [-1.0, 1.0], atol=1e-9)


def test_orbit_keeps_target_and_distance_and_stops_before_the_pole():
    camera = Camera(target=(1.0, 1.0, 1.0), distance=3.0).orbit(0.5, 10.0)
    assert camera.elevation == MAX_ELEVATION
    assert np.linalg.norm(camera.eye - np.array(camera.target)) == pytest.approx(3.0)
    assert abs(camera.orbit(20.0, 0.0).azimuth) <= math.pi


def test_pan_moves_what_is_seen_by_the_fraction_of_the_picture_height():
    camera = Camera(distance=4.0)
    point = np.array([camera.target])
    moved = camera.pan(0.25, -0.1).project(point, ASPECT)[0]
    np.testing.assert_allclose(moved[:2], [-2 * 0.25 / ASPECT, 2 * 0.1], atol=1e-12)


@pytest.mark.parametrize("orthographic", [False, True])
def test_zoom_keeps_the_point_under_the_pointer(orthographic: bool):
    camera = Camera(target=(0.5, 0.0, 1.0), distance=6.0, orthographic=orthographic)
    ndc = (0.6, -0.3)
    point = camera.point_at_target_depth(ndc, ASPECT)
    closer = camera.zoom(0.5, ndc, ASPECT)
    assert closer.distance == pytest.approx(3.0)
    np.testing.assert_allclose(closer.project(point[None], ASPECT)[0, :2], ndc, atol=1e-12)


@pytest.mark.parametrize("orthographic", [False, True])
def test_a_ray_goes_through_what_is_seen_there(orthographic: bool):
    camera = Camera(distance=6.0, orthographic=orthographic)
    ndc = camera.project(BOX[:1], ASPECT)[0, :2]
    origin, direction = camera.ray((ndc[0], ndc[1]), ASPECT)
    away = BOX[0] - origin
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    np.testing.assert_allclose(np.cross(away, direction), 0.0, atol=1e-9)


@pytest.mark.parametrize("view", sorted(STANDARD_VIEWS))
@pytest.mark.parametrize("orthographic", [False, True])
def test_fit_fills_the_picture_and_cuts_nothing_off(view: str, orthographic: bool):
    camera = Camera(orthographic=orthographic).with_view(view).fit(BOX, ASPECT, margin=1.1)
    seen = np.abs(camera.project(BOX, ASPECT)[:, :2])
    assert np.isfinite(seen).all()
    assert seen.max() <= 1.0
    assert seen.max() > 0.8


def test_fit_of_nothing_and_of_a_single_point_stays_usable():
    assert Camera().fit(np.zeros((0, 3)), ASPECT) == Camera()
    assert Camera().fit(np.ones((1, 3)), ASPECT).distance > 0.0


def test_points_behind_the_eye_have_no_place_in_the_picture():
    camera = Camera(distance=1.0)
    behind = camera.eye + camera.backward
    assert np.isnan(camera.project(behind[None], ASPECT)[0, 0])


@pytest.mark.parametrize(
    ("distance", "reach", "near"), [(5.0, 3.0, 0.1), (1.0, 10.0, 0.02), (1.0, 1000.0, 1051.0 / 20000.0)]
)
def test_the_depth_ratio_stays_within_24_bits(distance: float, reach: float, near: float):
    """A fiftieth of the distance, but not less than a twenty-thousandth of what is farthest, distance + 1.05 reach: at
    24 bits a depth step there is far² / near / 2^24, a thousandth of the farthest."""
    found, far = Camera(distance=distance).clip_range(reach)
    assert far == pytest.approx(distance + 1.05 * reach)
    assert found == pytest.approx(near)
    assert far / found < 20001.0
