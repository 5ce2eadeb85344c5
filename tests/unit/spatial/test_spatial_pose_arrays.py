"""Rows of poses give the same numbers as one pose at a time.

Tolerance 1e-11: coordinates reach 100 m, and both ways round about twenty times.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simulator.spatial import pose_arrays
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_rotate
from tests.helpers.strategies import points, quats

poses = st.builds(Pose, points(), quats())
pairs = st.lists(st.tuples(poses, poses), min_size=0, max_size=5)


def as_rows(items: list[Pose]) -> np.ndarray:
    return np.array([pose.as_list() for pose in items]).reshape(-1, 7)


@given(pairs)
def test_compose(some: list[tuple[Pose, Pose]]) -> None:
    got = pose_arrays.compose(as_rows([a for a, _ in some]), as_rows([b for _, b in some]))
    np.testing.assert_allclose(got, as_rows([a @ b for a, b in some]), atol=1e-11)


@given(st.lists(poses, max_size=5))
def test_matrices(some: list[Pose]) -> None:
    expected = np.array([pose.matrix() for pose in some]).reshape(-1, 4, 4)
    np.testing.assert_allclose(pose_arrays.matrices(as_rows(some)), expected, atol=1e-14)


@given(st.lists(st.tuples(poses, points()), max_size=5))
def test_rotate(some: list[tuple[Pose, tuple[float, float, float]]]) -> None:
    turns = as_rows([pose for pose, _ in some])[:, 3:]
    vectors = np.array([vector for _, vector in some]).reshape(-1, 3)
    expected = np.array([quat_rotate(pose.orientation, vector) for pose, vector in some]).reshape(-1, 3)
    np.testing.assert_allclose(pose_arrays.rotate(turns, vectors), expected, atol=1e-11)


@given(st.lists(st.tuples(points(), points()), min_size=1, max_size=5))
def test_cross(some: list[tuple[tuple[float, float, float], tuple[float, float, float]]]) -> None:
    a, b = np.array([a for a, _ in some]), np.array([b for _, b in some])
    np.testing.assert_allclose(pose_arrays.cross(a, b), np.cross(a, b), atol=1e-11)
