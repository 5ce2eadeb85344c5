"""Whether shapes whose contacts are not found here could touch anything: then, and only then, Bullet is asked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.collision.broad_kernels import may_touch
from simulator.collision.convex_kernels import stay
from simulator.collision.kept_kernels import keep, kept_face, kept_separation, rounding_of
from simulator.collision.nearest_kernels import FAR, nearest
from simulator.collision.polytope_kernels import NO_FACE
from simulator.dynamics.compiled.vector_kernels import dot, minus, times
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.collision.geometry import Geometry
    from simulator.collision.room import Room

INSIDE = 0.02
"""The hull of a mesh may be so far inside of it, of the radius of the ball around it: LOST of half a diagonal, which is
less than the square root of 3 times that radius."""


@entry("contacts")
def nears_unfound(G: Geometry, room: Room, reach: float) -> int:
    """1 where some pair that is not found here could be nearer than `reach` [m], else 0; bodies are where the last
    search put them. A mesh is looked at as its hull, which nothing touches without touching, and a plane as near to
    everything."""
    stay(room)
    for k in range(G.body.shape[0]):
        if G.paired[k]:
            continue
        plane = G.corner_begin[k] == G.corner_begin[k + 1]
        for i in range(G.body.shape[0]):
            if i != k and may_touch(G, i, k) and (plane or not G.paired[i] or _is_near(G, room, i, k, reach)):
                return 1
    return 0


@compiled
def _is_near(G: Geometry, room: Room, i: int, k: int, reach: float) -> bool:
    """Whether shape i could be nearer than `reach` to the mesh k."""
    A, B = room.shapes[i], room.shapes[k]
    v = minus((A[12], A[13], A[14]), (B[12], B[13], B[14]))
    length, slack = math.sqrt(dot(v, v)), reach + INSIDE * G.outer[k]
    if length > G.outer[i] + G.outer[k] + slack:
        return False
    if kept_face(G, room, i, k) == NO_FACE and kept_separation(G, room, i, k) > slack:
        return False
    distance, v, _ = nearest(G, room, i, k, v if length > 0.0 else (0.0, 0.0, 1.0), slack + rounding_of(G, i), 0)
    if distance == FAR:
        keep(G, room, i, k, NO_FACE, times(1.0 / math.sqrt(dot(v, v)), v))
    return distance != FAR
