"""Triangles of a mesh near a shape, and the side of them on which the shape is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import dot, minus, plus, row_vector
from simulator.physics.narrow.workspace import MARGIN
from simulator.physics.shapes.triangles import IN_LEAF

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Vector
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

    Box = tuple[Vector, Vector]

AS_NEAR = 1e-9
"""Squares of distances that differ by less than this part are those of one edge or corner."""


@compiled
def box_around(G: Geometry, work: Workspace, i: int) -> Box:
    """Low and high corner of a box around shape i, larger by the margin."""
    X = work.shapes[i]
    u = _half(G, work, i, 0)
    v = _half(G, work, i, 1)
    w = _half(G, work, i, 2)
    return (X[12] - u, X[13] - v, X[14] - w), (X[12] + u, X[13] + v, X[14] + w)


@compiled
def _half(G: Geometry, work: Workspace, i: int, a: int) -> float:
    X = work.shapes[i]
    half = 0.0
    for c in range(3):
        half += abs(X[3 * a + c]) * G.around[i, 3 + c]
    reach: float = work.search[MARGIN] + min(half, G.outer[i])
    return reach


@compiled
def near_triangles(G: Geometry, work: Workspace, k: int, box: Box) -> int:
    """work.triangles = those of mesh k that may reach into a box; returns how many."""
    T = G.triangles
    found = 0
    base = G.triangles.tree_begin[k]
    h = 1
    leaves = (T.tree_begin[k + 1] - base) // 2
    while h > 0:
        inside = _meets(T.tree[base + h], box)
        if inside and h < leaves:
            h = 2 * h
            continue
        if inside:
            begin = T.begin[k] + IN_LEAF * (h - leaves)
            for t in range(begin, min(begin + IN_LEAF, T.begin[k + 1])):
                if _is_near(T.corner[t], box):
                    work.triangles[found] = t
                    found += 1
        while h & 1:
            h >>= 1
        h = h + 1 if h > 0 else 0
    return found


@compiled
def _meets(row: Floats, box: Box) -> bool:
    low, high = box
    return bool(
        row[0] <= high[0]
        and row[3] >= low[0]
        and row[1] <= high[1]
        and row[4] >= low[1]
        and row[2] <= high[2]
        and row[5] >= low[2]
    )


@compiled
def _is_near(corner: Floats, box: Box) -> bool:
    """Whether the box around three corners meets another."""
    (l0, l1, l2), (h0, h1, h2) = box
    a = row_vector(corner, 0)
    b = row_vector(corner, 1)
    c = row_vector(corner, 2)
    return bool(
        min(a[0], b[0], c[0]) <= h0
        and max(a[0], b[0], c[0]) >= l0
        and min(a[1], b[1], c[1]) <= h1
        and max(a[1], b[1], c[1]) >= l1
        and min(a[2], b[2], c[2]) <= h2
        and max(a[2], b[2], c[2]) >= l2
    )


@compiled
def close_triangles(G: Geometry, work: Workspace, i: int, near: int) -> int:
    """Move those of the first `near` of work.triangles to the front that may be within the margin of the box around
    shape i along its own axes, in their order; returns how many. A shape that is long and leans fills little of a box
    along the axes of the world."""
    T = G.triangles
    X = work.shapes[i]
    close = 0
    for s in range(near):
        t = work.triangles[s]
        middle = (0.0, 0.0, 0.0)
        square = 0.0
        for e in range(3):
            middle = plus(middle, 1.0 / 3.0, row_vector(T.corner[t], e))
        for e in range(3):
            way = minus(row_vector(T.corner[t], e), middle)
            square = max(square, dot(way, way))
        reach = work.search[MARGIN] + math.sqrt(square)
        way = minus(middle, (X[12], X[13], X[14]))
        beyond = 0.0
        for c in range(3):
            over = max(abs(dot((X[c], X[3 + c], X[6 + c]), way)) - G.around[i, 3 + c], 0.0)
            beyond += over * over
        if beyond <= reach * reach:
            work.triangles[s] = work.triangles[close]
            work.triangles[close] = t
            close += 1
    return close


@compiled
def side_of(G: Geometry, work: Workspace, i: int, near: int) -> float:
    """1 where the middle of shape i is where the normal of the nearest triangle points, else -1. Of triangles that are
    as near, at an edge, it is the one that is faced most."""
    T = G.triangles
    x = (work.shapes[i, 12], work.shapes[i, 13], work.shapes[i, 14])
    least = math.inf
    most = 0.0
    side = 1.0
    for s in range(near):
        t = work.triangles[s]
        way = minus(x, _nearest_of(T.corner[t], T.inward[t], T.plane[t], x))
        square = dot(way, way)
        height = dot(way, normal_of(T.plane[t]))
        if square < least * (1.0 - AS_NEAR) or (square <= least * (1.0 + AS_NEAR) and abs(height) > most):
            side = math.copysign(1.0, height)
            most = abs(height)
        least = min(least, square)
    return side


@compiled
def _nearest_of(corner: Floats, inward: Floats, plane: Floats, x: Vector) -> Vector:
    """The point of a triangle that is nearest to x."""
    n = normal_of(plane)
    p = row_vector(corner, 0)
    foot = plus(x, -dot(n, minus(x, p)), n)
    inside = True
    best = x
    least = math.inf
    for e in range(3):
        a = row_vector(corner, e)
        b = row_vector(corner, (e + 1) % 3)
        inside = inside and dot(row_vector(inward, e), minus(foot, a)) >= 0.0
        way = minus(b, a)
        y = plus(a, min(max(dot(minus(x, a), way) / dot(way, way), 0.0), 1.0), way)
        square = dot(minus(x, y), minus(x, y))
        if square < least:
            best, least = y, square
    return foot if inside else best


@compiled
def normal_of(plane: Floats) -> Vector:
    """The unit normal of a plane (6,)."""
    return plane[3], plane[4], plane[5]
