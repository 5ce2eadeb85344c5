"""What pairs of shapes were nearest with before makes finding their contacts faster, and changes nothing of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.physics.narrow.contact_features import CACHED
from simulator.physics.narrow.polytope import NO_FACE
from simulator.spatial.rotation import quat_from_rpy
from tests.helpers.contact_points import points_of
from tests.physics.solids import ball_shape
from tests.unit.physics.test_collision_convex import cylinder, finder_of, hull, two
from tests.unit.physics.test_collision_polytopes import dodecahedron, prism

Write = Callable[..., Path]
Array = NDArray[np.float64]
STEPS, REACH = 1500, 0.01


def course(poses: Array, k: int, gap: float) -> Array:
    """The first body goes round the second, which turns, and comes nearer and goes away meanwhile."""
    placed, t = poses.copy(), 2.0 * math.pi * k / STEPS
    far = gap + 0.012 * (1.0 + math.cos(5.0 * t))
    placed[1, :3] = far * np.array(
        (math.cos(3.0 * t), math.sin(3.0 * t) * math.cos(t), math.sin(3.0 * t) * math.sin(t))
    )
    placed[1, 3:] = quat_from_rpy(2.0 * t, 0.3 * math.sin(4.0 * t), 1.0 + t)
    placed[2, 3:] = quat_from_rpy(0.5 * math.sin(2.0 * t), t, -2.0 * t)
    return placed


def shapes(tmp_path: Path) -> dict[str, tuple[str, str]]:
    solid, disc = hull(tmp_path / "a.obj", 0.03 * dodecahedron()), hull(tmp_path / "b.obj", prism(12, 0.05, 0.03))
    return {
        "hulls": (solid, disc),
        "hull and box": (disc, "<box><size>0.08 0.06 0.05</size></box>"),
        "hull and ball": (solid, ball_shape(0.05)),
        "hull and cylinder": (disc, cylinder(0.04, 0.06)),
    }


@pytest.mark.parametrize("name", ["hulls", "hull and box", "hull and ball", "hull and cylinder"])
def test_shapes_that_go_round_each_other_touch_as_if_seen_for_the_first_time(
    write_document: Write, tmp_path: Path, name: str
) -> None:
    """Every number of every point to the bit, of shapes that come near each other, overlap, and go away again."""
    first, second = shapes(tmp_path)[name]
    path = write_document(two(first, "0.2 0 0 0 0 0", second))
    (keeping, poses), (forgetful, _) = finder_of(path), finder_of(path)
    touched = 0
    for k in range(STEPS):
        placed = course(poses, k, 0.085)
        forgetful.forget()
        one, other = points_of(keeping, placed, REACH), points_of(forgetful, placed, REACH)
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            touched += 1
            for field in ("names", "gaps", "points", "normals", "centres", "features", "bodies"):
                np.testing.assert_array_equal(getattr(one, field), getattr(other, field), err_msg=f"{field} at {k}")
    assert 0 < touched < STEPS


def test_a_face_is_kept_while_a_corner_is_over_it(write_document: Write, tmp_path: Path) -> None:
    """Of a small disc over a face of a large one, which then is above it and beyond its edge."""
    large, small = hull(tmp_path / "a.obj", prism(12, 0.2, 0.1)), hull(tmp_path / "b.obj", prism(8, 0.02, 0.02))
    finder, poses = finder_of(write_document(two(small, "0.2 0 0 0 0 0", large)))
    kept = []
    for x, z in ((0.0, 0.063), (0.001, 0.063), (0.1, 0.065), (0.225, 0.066)):
        poses[1] = (x, 0.0, z, *quat_from_rpy(0.1, 0.2, 0.3))
        table = points_of(finder, poses, REACH)
        rows = finder.work.cached_face
        kept.append(int(rows[rows[:, 0] >= 0, CACHED][0]))
        if x < 0.2:
            assert table is not None
            assert abs(table.normals[:, 2]) == pytest.approx([1.0] * len(table.gaps), abs=1e-15)
    assert kept[0] == kept[1] == kept[2] != NO_FACE
    assert kept[3] == NO_FACE


def test_pairs_that_share_a_row_lose_nothing_but_time(write_document: Write, tmp_path: Path) -> None:
    """With room for one pair only, every other look finds the row of another."""
    solid, disc = hull(tmp_path / "a.obj", 0.03 * dodecahedron()), hull(tmp_path / "b.obj", prism(12, 0.05, 0.03))
    path = write_document(two(solid, "0.2 0 0 0 0 0", disc))
    (keeping, poses), (crowded, _) = finder_of(path), finder_of(path)
    work = crowded.work
    crowded.work = work._replace(cached_face=work.cached_face[:1], cached_direction=work.cached_direction[:1])
    for k in range(0, STEPS, 10):
        placed = course(poses, k, 0.085)
        if k % 20:
            crowded.work.cached_face[0, 0] = 7  # another pair was there
        one, other = points_of(keeping, placed, REACH), points_of(crowded, placed, REACH)
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            np.testing.assert_array_equal(one.gaps, other.gaps)
