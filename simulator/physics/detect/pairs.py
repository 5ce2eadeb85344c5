"""Contacts of two shapes other than two boxes: in closed form if there is one, else as convex shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.narrow.convex import convex_points
from simulator.physics.narrow.faces import over_face
from simulator.physics.narrow.plane import NAMES, write_contact
from simulator.physics.narrow.polytope import is_polytope
from simulator.physics.narrow.round import ball_on_box, round_points
from simulator.physics.narrow.workspace import MARGIN
from simulator.physics.shapes.kinds import BOX, CONE, CYLINDER, HULL, ROUND

if TYPE_CHECKING:
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

ACROSS = 1e-9
"""Cosine below which a normal is square to the axis of a cylinder."""
SHALLOW = 0.01
"""Sides of cylinders that overlap by a larger part of the radius may part sooner by their ends."""


@compiled
def points_of_two(G: Geometry, work: Workspace, i: int, k: int, count: int) -> int:
    """Points of shapes i and k that are not two boxes, behind the first `count`; returns how many there are then, or -1
    where there is no room for them."""
    if G.kind[i] == BOX:
        i, k = k, i
    out = work.out
    begin = 0
    found = -1
    if max(G.kind[i], G.kind[k]) < HULL or G.kind[k] == BOX:
        found = _closed_form(G, work, i, k)
    by_corner = found >= 0 and G.kind[i] == HULL
    turned = False
    named = found < 0 and is_polytope(G, i) and is_polytope(G, k)
    if found < 0:
        begin = 16 if G.kind[i] != HULL else NAMES // 2
        found = convex_points(G, work, i, k)
        turned = work.names[1, 0] == 1
    for p in range(found):
        if out[p, 6] < work.search[MARGIN]:
            if count >= work.ints.shape[0]:
                return -1
            name = begin + (work.names[1, 1 + p] if named else p)
            name = work.names[0, p] - G.corner_begin[i] if by_corner else name
            write_pair(G, work, count, k if turned else i, i if turned else k, name, p)
            count += 1
    return count


@compiled
def _closed_form(G: Geometry, work: Workspace, i: int, k: int) -> int:
    """work.out = points of shape i on shape k, the box if there is one; -1 where there is no closed form for them, as
    for hulls and other shapes without a box."""
    A = work.shapes[i]
    B = work.shapes[k]
    out = work.out
    if G.kind[i] == CONE or G.kind[k] == CONE:
        return -1
    if G.kind[k] == BOX:
        if G.kind[i] == ROUND and G.size[i, 1] == 0.0:
            return ball_on_box(A, G.size[i, 0], B, G.size[k], out)
        return over_face(G, work, i, k)
    found = round_points(A, G.size[i], B, G.size[k], out)
    for s in range(2):
        X = work.shapes[i if s == 0 else k]
        p = i if s == 0 else k
        # A cylinder is as round as a capsule only where its side is nearest, not an end.
        across = abs(X[2] * out[0, 3] + X[5] * out[0, 4] + X[8] * out[0, 5]) <= ACROSS
        if G.kind[p] == CYLINDER and not (across and out[0, 6] > -SHALLOW * G.size[p, 0]):
            return -1
    return found


@compiled
def write_pair(G: Geometry, work: Workspace, c: int, i: int, k: int, name: int, p: int) -> None:
    """A point of shape i on shape k."""
    n = G.body.shape[0]
    surface = (min(G.friction[i], G.friction[k]), min(G.restitution[i], G.restitution[k]))
    pair = (min(i, k) * n + max(i, k)) * NAMES + name
    write_contact(work, c, (G.node[i], G.node[k]), (G.body[i], G.body[k]), pair, surface, p)
