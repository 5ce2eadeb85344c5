"""Workspace of contact detection, and which of the points found there support a body.

A hull may have hundreds of corners near a face, of which a few touch at a time, and any may be next. Kept are those
that would come down first: of the body as it is, and tilted a little and a little more towards eight sides. A small
tilt finds the corners that hold the body now, however close they are to each other; a larger one those on which it
would come down next.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import by_address, compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Array3, Floats, IntArray, IntArray2
    from simulator.spatial.arrays import Array


SIDES = 8
TILTS = (0.0005, 0.02)
"""Angles [rad]: corners that touch within a micrometre of each other are distinguished from 2 mm on."""
MOST = 1 + 2 * SIDES
"""Most points of a contact."""
ACROSS, ALONG, GAP, WHICH, KEPT, POINT = range(6)
COLUMNS = POINT + 3
"""Columns of work.near: where a point is across the normal, in two directions [m], its gap [m], which one it is, 1
where it is one of the contact, and the point itself, if that is known nowhere else."""

STEP, MARGIN = 0, 1
"""Columns of work.search: the length of the step [s], and the margin for contacts of the pair at hand [m]."""


@by_address
class Workspace(NamedTuple):
    """Room for what detection works on, of n shapes and so many points.

    `bodies` (n_bodies, 12), `shapes` (n, 15): rotations by rows and origins, and of shapes their middles; `planes` (p,
    6): origins and normals in the world; `low`, `high`
    (n, 3): boxes around shapes, their reach further out; `order`: shapes that have pairs, sorted; `poly` (2, m, 3),
    `names` (2, m): m corners and their names, at least 19, and as many as two faces have; `faces` (2, 12): see
    `narrow.polytope`; `out` (18, 18): of one pair (point, normal, gap, centre, both axes, both roundings: as in
    `layout.row_layout`); `near` (k, 8): see `keep_support`; `plane` (6,): a face, a point of it and its normal;
    `simplex` (4, 9), `weights` (12,), `moved` (12,): see `narrow.nearest`; `touch` (12,), and
    `cached_face` (m, 2), `cached_direction` (m, 3), the face or direction that separated a pair of shapes: see
    `narrow.contact_features`; `search`: see `STEP` and `MARGIN`; `reach` (n,): the margin
    of each shape [m]; `group`, `speed` (n_bodies,) and `pairs` (k, 2): see `detect.detect`; `triangles`:
    those of a mesh that are near a shape. `ints`, `floats`: the tables of contacts, as in `layout.row_layout`.
    """

    bodies: Array2
    planes: Array2
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
    search: Array
    reach: Array
    group: IntArray
    speed: Array
    pairs: IntArray2
    triangles: IntArray
    ints: IntArray2
    floats: Array2


@compiled
def keep_support(near: Floats, count: int) -> int:
    """Of the first `count` rows of `near` (m, 8) keep those that hold a body, in their order, as the first rows;
    returns how many."""
    if count <= SIDES:
        return count
    for c in range(count):
        near[c, KEPT] = 0.0
    for k in range(MOST):
        angle = (k % SIDES) * (2.0 * math.pi / SIDES)
        tilt = TILTS[0] if k < SIDES else TILTS[1]
        x, y = (tilt * math.cos(angle), tilt * math.sin(angle)) if k < MOST - 1 else (0.0, 0.0)
        best = 0
        most = -math.inf
        for c in range(count):
            deep = x * near[c, ACROSS] + y * near[c, ALONG] - near[c, GAP]
            if deep > most:
                best, most = c, deep
        near[best, KEPT] = 1.0
    kept = 0
    for c in range(count):
        if near[c, KEPT] == 1.0:
            for a in range(COLUMNS):
                near[kept, a] = near[c, a]
            kept += 1
    return kept
