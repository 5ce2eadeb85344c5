"""Two boxes: their nearest points, found before they touch.

The separating axis theorem (Gottschalk, Lin and Manocha, OBBTree, 1996): among the three face normals of each and the
nine cross products of their edges, the one with the greatest separation is the normal. The opposite face of the other
box is clipped to the reference face (Sutherland and Hodgman 1974); every remaining corner is a point with its own gap,
so that boxes rest on all four corners.

Points have feature ids: the two faces, and the corner or crossing of edges; a point retains its id while the boxes
move a little.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints, Vector

EDGE_LEAD = 1e-7
"""Edges decide only where they part the boxes by this share of their size more than faces: on a face there are more
points."""
PARALLEL = 1e-10
"""Square of the sine below which two edges have no product."""
AT_REST, EVEN = 1e-12, 1e-12
"""Boxes that close more slowly than this [m/s] do not close; gaps that differ by less [m] are alike, and the first face
counts: faces that lie on each other would else take turns by rounding, and their points change names."""
EDGES = 6
"""Axes 0 to 2 are normals of the first box, 3 to 5 of the second, from 6 on products of edges."""
CUT = 128
"""Names of corners that are not on a plane that cut are less than this."""


@compiled
def _along(a: Floats, i: int, x: float, y: float, z: float) -> float:
    """Product of a vector with column i of a placement (12,): rotation by rows, then origin."""
    return a[i] * x + a[3 + i] * y + a[6 + i] * z


@compiled
def box_axis(A: Floats, ha: Floats, B: Floats, hb: Floats, v: Floats, most: float) -> tuple[int, float, float]:
    """(axis, separation [m], sign) by which two boxes are furthest apart; the axis is -1 where that is more than
    `most`.

    `A`, `B` (12,): placements; `ha`, `hb` (3,): half edges; `v`: velocity of the first against the second. Where
    several faces part them, it is the one that does so longest while they move on. The sign is that of the axis towards
    the second box.
    """
    best = -1
    gap = -math.inf
    sign = 1.0
    late = -1.0
    parts = False
    for axis in range(EDGES):
        away, s, closing = _face_gap(A, ha, B, hb, v, axis) if axis < 3 else _face_gap(B, hb, A, ha, v, axis - 3)
        if axis >= 3:
            s, closing = -s, -closing
        if away > most:
            return -1, away, 1.0
        if away > EVEN:
            until, alike = away / max(closing, AT_REST), EVEN / max(closing, AT_REST)
            if until > late + alike:
                best = axis
                gap = away
                sign = s
                late = until
                parts = True
        elif not parts and away > gap + EVEN:
            best = axis
            gap = away
            sign = s
    return _edge_axis(A, ha, B, hb, most, best, gap, sign)


@compiled
def _face_gap(A: Floats, ha: Floats, B: Floats, hb: Floats, v: Floats, i: int) -> Vector:
    """(separation along normal i of A, sign of the normal that looks at B, speed at which A closes on B)."""
    x = A[i]
    y = A[3 + i]
    z = A[6 + i]
    along = x * (B[9] - A[9]) + y * (B[10] - A[10]) + z * (B[11] - A[11])
    reach = hb[0] * abs(_along(B, 0, x, y, z)) + hb[1] * abs(_along(B, 1, x, y, z)) + hb[2] * abs(_along(B, 2, x, y, z))
    s = 1.0 if along >= 0.0 else -1.0
    return abs(along) - ha[i] - reach, s, s * (x * v[0] + y * v[1] + z * v[2])


@compiled
def _edge_axis(
    A: Floats, ha: Floats, B: Floats, hb: Floats, most: float, best: int, gap: float, sign: float
) -> tuple[int, float, float]:
    """As `box_axis`, with products of edges looked at, too."""
    t0 = B[9] - A[9]
    t1 = B[10] - A[10]
    t2 = B[11] - A[11]
    lead = EDGE_LEAD * (ha[0] + ha[1] + ha[2] + hb[0] + hb[1] + hb[2])
    for i in range(3):
        for j in range(3):
            n0, n1, n2, square = edge_product(A, B, i, j)
            if square < PARALLEL:
                continue
            along = n0 * t0 + n1 * t1 + n2 * t2
            reach = 0.0
            for k in range(3):
                reach += ha[k] * abs(_along(A, k, n0, n1, n2)) + hb[k] * abs(_along(B, k, n0, n1, n2))
            away = abs(along) - reach
            if away > most:
                return -1, away, 1.0
            if away > gap + lead:
                best = EDGES + 3 * i + j
                gap = away
                sign = 1.0 if along >= 0.0 else -1.0
                lead = 0.0
    return best, gap, sign


@compiled
def edge_product(A: Floats, B: Floats, i: int, j: int) -> tuple[float, float, float, float]:
    """Unit vector across edge i of the first and j of the second box, and the square of the sine between them."""
    n0 = A[3 + i] * B[6 + j] - A[6 + i] * B[3 + j]
    n1 = A[6 + i] * B[j] - A[i] * B[6 + j]
    n2 = A[i] * B[3 + j] - A[3 + i] * B[j]
    square = n0 * n0 + n1 * n1 + n2 * n2
    length = math.sqrt(square) if square > 0.0 else 1.0
    return n0 / length, n1 / length, n2 / length, square


@compiled
def box_edges(A: Floats, ha: Floats, B: Floats, hb: Floats, axis: int, sign: float, out: Floats) -> int:
    """out[0] = (point half way, normal towards the first box, gap) of two crossing edges; returns the point's name."""
    i = (axis - EDGES) // 3
    j = (axis - EDGES) % 3
    n0, n1, n2, _ = edge_product(A, B, i, j)
    n0, n1, n2 = sign * n0, sign * n1, sign * n2  # towards the second
    p0 = A[9]
    p1 = A[10]
    p2 = A[11]
    name = 0
    q0 = B[9]
    q1 = B[10]
    q2 = B[11]
    for k in range(3):
        if k != i:
            s = ha[k] if _along(A, k, n0, n1, n2) > 0.0 else -ha[k]
            p0 = p0 + s * A[k]
            p1 = p1 + s * A[3 + k]
            p2 = p2 + s * A[6 + k]
            name = 2 * name + (1 if s > 0.0 else 0)
    for k in range(3):
        if k != j:
            s = -hb[k] if _along(B, k, n0, n1, n2) > 0.0 else hb[k]
            q0 = q0 + s * B[k]
            q1 = q1 + s * B[3 + k]
            q2 = q2 + s * B[6 + k]
            name = 2 * name + (1 if s > 0.0 else 0)
    r0 = q0 - p0
    r1 = q1 - p1
    r2 = q2 - p2
    both = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j]
    along_a, along_b = _along(A, i, r0, r1, r2), _along(B, j, r0, r1, r2)
    s = (along_a - both * along_b) / (1.0 - both * both)
    s = min(max(s, -ha[i]), ha[i])
    p0 = p0 + s * A[i]
    p1 = p1 + s * A[3 + i]
    p2 = p2 + s * A[6 + i]
    gap = n0 * (q0 - p0) + n1 * (q1 - p1) + n2 * (q2 - p2)
    out[0, 0] = p0 + 0.5 * gap * n0
    out[0, 1] = p1 + 0.5 * gap * n1
    out[0, 2] = p2 + 0.5 * gap * n2
    out[0, 3] = -n0
    out[0, 4] = -n1
    out[0, 5] = -n2
    out[0, 6] = gap
    return 16 * axis + name


@compiled
def box_face(
    A: Floats, ha: Floats, B: Floats, hb: Floats, face: tuple[int, float], shift: Floats, poly: Floats, names: Ints
) -> int:
    """Corners of what lies over a `face` (axis, sign) of box A of the face of box B that looks at it; returns how many
    there are.

    `shift`: how far B moves along the face before they meet [m], in the world. Into `poly` (2, 16, 3): the corners, in
    the world, as poly[0]; into `names` (2, 16): theirs.
    """
    i, sign = face
    j, side = _facing(A, B, i, sign)
    k, l = (j + 1) % 3, (j + 2) % 3  # noqa: E741
    for c in range(4):
        u = hb[k] if c in (0, 3) else -hb[k]
        w = hb[l] if c < 2 else -hb[l]
        for a in range(3):
            poly[0, c, a] = B[9 + a] + side * hb[j] * B[3 * a + j] + u * B[3 * a + k] + w * B[3 * a + l]
        names[0, c] = 8 * (2 * j + (1 if side > 0.0 else 0)) + c
    count = 4
    for edge in range(4):
        m = (i + 1 + edge // 2) % 3
        s = 1.0 if edge % 2 == 0 else -1.0
        x = s * A[m]
        y = s * A[3 + m]
        z = s * A[6 + m]
        bound = x * (A[9] - shift[0]) + y * (A[10] - shift[1]) + z * (A[11] - shift[2]) + ha[m]
        count = cut(poly, names, count, (x, y, z), bound, CUT * (edge + 1))
    return count


@compiled
def _facing(A: Floats, B: Floats, i: int, sign: float) -> tuple[int, float]:
    """(axis, side) of the face of B that looks at a face of A most."""
    n0 = sign * A[i]
    n1 = sign * A[3 + i]
    n2 = sign * A[6 + i]
    j = 0
    most = -1.0
    for k in range(3):
        along = abs(_along(B, k, n0, n1, n2))
        if along > most + 1e-9:
            j, most = k, along
    return j, -1.0 if _along(B, j, n0, n1, n2) > 0.0 else 1.0


@compiled
def cut(poly: Floats, names: Ints, count: int, n: Vector, bound: float, mark: int) -> int:
    """Keep of the polygon in poly[0], with names in names[0], what is behind a plane, n . x <= bound; returns how many
    corners it has then. Corners on the plane get the name `mark`, a multiple of CUT, and where they come from."""
    kept = 0
    slack = 1e-12 * (1.0 + abs(bound))
    for c in range(count):
        d = (c + 1) % count
        here = poly[0, c, 0] * n[0] + poly[0, c, 1] * n[1] + poly[0, c, 2] * n[2] - bound
        there = poly[0, d, 0] * n[0] + poly[0, d, 1] * n[1] + poly[0, d, 2] * n[2] - bound
        if here <= slack:
            for a in range(3):
                poly[1, kept, a] = poly[0, c, a]
            names[1, kept] = names[0, c]
            kept += 1
        if (here <= slack) != (there <= slack) and kept < poly.shape[1]:
            part = here / (here - there)
            for a in range(3):
                poly[1, kept, a] = poly[0, c, a] + part * (poly[0, d, a] - poly[0, c, a])
            names[1, kept] = mark + (names[0, c] if here > slack else names[0, d]) % 64 + (64 if here > slack else 0)
            kept += 1
    for c in range(kept):
        for a in range(3):
            poly[0, c, a] = poly[1, c, a]
        names[0, c] = names[1, c]
    return kept
