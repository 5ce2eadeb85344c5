"""Workspace of contact detection."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Array3, IntArray, IntArray2
    from simulator.spatial.arrays import Array


class Room(NamedTuple):
    """Room to work in, for n shapes and so many points.

    `bodies` (n_bodies, 12), `shapes` (n, 15): rotations by rows and origins, and of shapes their middles; `low`, `high`
    (n, 3): boxes around shapes, their reach further out; `order`: shapes that have pairs, sorted; `poly` (2, m, 3),
    `names` (2, m): m corners and their names, at least 19, and as many as two faces have; `faces` (2, 12): see
    `narrow.polytope`; `out` (18, 18): of one pair (point, normal, gap, centre, both axes, both roundings: as in
    `layout.row_layout`); `near` (k, 8): see `narrow.support`; `plane` (6,): a face, a point of it and its normal;
    `simplex` (4, 9), `weights` (12,), `moved` (12,): see `narrow.nearest`; `touch` (12,): see `narrow.sides`;
    `cached_face` (m, 2), `cached_direction` (m, 3): what pairs of shapes were nearest with, and in which direction
    (`narrow.separation_cache`); `look`: the step [s] and how far to look for the pair at hand [m]. `reach` (n,): how
    far to look for each shape [m]; `group`, `speed` (n_bodies,) and `pairs` (k, 2): see `detect.detect`; `triangles`:
    those of a mesh that are near a shape. `ints`, `floats`: the tables of contacts, as in `layout.row_layout`.
    """

    bodies: Array2
    shapes: Array2
    low: Array2
    high: Array2
    order: IntArray
    poly: Array3
    names: IntArray2
    faces: IntArray2
    out: Array2
    near: Array2
    plane: Array
    simplex: Array2
    weights: Array
    moved: Array
    touch: Array
    cached_face: IntArray2
    cached_direction: Array2
    shift: Array
    velocity: Array
    look: Array
    reach: Array
    group: IntArray
    speed: Array
    pairs: IntArray2
    triangles: IntArray
    ints: IntArray2
    floats: Array2
