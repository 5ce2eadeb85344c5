"""Closed surfaces of triangles that are made, not read: extruded outlines with holes, surfaces over grids of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.formats.mesh.solid import solid_of_corners
from simulator.formats.mesh.stl import stl_bytes
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.formats.sdf.solids import Solid

    Points = NDArray[np.float64]
    Faces = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MeshData:
    """Triangles `faces` (n, 3, 3) [m], corners counter-clockwise seen from outside; `name` is that of the file."""

    name: str
    faces: Faces

    def stl(self) -> bytes:
        """As a binary STL file, in metres."""
        return stl_bytes(self.faces, f"{self.name}, metres")

    def solid(self) -> Solid:
        """Volume, centre and inertia per kilogram. Raises UsageError where it encloses nothing."""
        found = solid_of_corners(self.faces)
        if found is None:
            raise UsageError(f"the surface '{self.name}' encloses nothing")
        volume, centre, inertia = found
        return volume, (float(centre[0]), float(centre[1]), float(centre[2])), inertia


def extruded(outline: Points, thickness: float, name: str, holes: Sequence[Points] = ()) -> MeshData:
    """An outline (n, 2) with holes, extruded along z by `thickness` [m], half to either side. Raises UsageError for one
    that crosses itself."""
    outer = counter_clockwise(outline)
    inner = [counter_clockwise(hole) for hole in holes]
    half = thickness / 2.0
    flat = triangulated(outer, inner)
    walls = [wall(hole, -half, half, inward=True) for hole in inner]
    return MeshData(name, np.concatenate([cap(flat, half), cap(flat, -half), wall(outer, -half, half), *walls]))


def require_simple(outline: Points) -> None:
    """Raise UsageError for an outline (n, 2) that crosses or touches itself."""
    ends = np.roll(outline, -1, axis=0)
    count = len(outline)
    for i in range(count):
        a, b = outline[i], ends[i]
        others = [j for j in range(i + 2, count) if (j + 1) % count != i]
        c, d = outline[others], ends[others]
        apart = (_cross(a, b, c) * _cross(a, b, d) > 0.0) | (_cross(c, d, a) * _cross(c, d, b) > 0.0)
        if not apart.all():
            raise UsageError(f"this outline crosses itself: edge {i + 1} and edge {others[int(np.argmin(apart))] + 1}")


def counter_clockwise(outline: Points) -> Points:
    """The outline in that sense."""
    return outline if signed_area(outline) > 0.0 else outline[::-1]


def signed_area(outline: Points) -> float:
    """Positive counter-clockwise [m^2]."""
    after = np.roll(outline, -1, axis=0)
    return 0.5 * float(np.sum(outline[:, 0] * after[:, 1] - after[:, 0] * outline[:, 1]))


def circle(radius: float, points: int, centre: tuple[float, float] = (0.0, 0.0)) -> Points:
    """A circle, counter-clockwise, of the same area as a polygon (n, 2): its corners are a little outside."""
    angle = np.arange(points) * (2.0 * np.pi / points)
    r = radius * np.sqrt(2.0 * np.pi / points / np.sin(2.0 * np.pi / points))
    return np.column_stack([centre[0] + r * np.cos(angle), centre[1] + r * np.sin(angle)])


def cap(flat: Faces, z: float) -> Faces:
    """Flat triangles (n, 3, 2) at height z; they look towards +z where z > 0, else towards -z."""
    solid = np.concatenate([flat, np.full((*flat.shape[:2], 1), z)], axis=2)
    return solid if z > 0.0 else solid[:, ::-1]


def wall(loop: Points, low: float, high: float, *, inward: bool = False) -> Faces:
    """The wall over a counter-clockwise loop, seen from outside it (`inward`: from inside, for a hole)."""
    after = np.roll(loop, -1, axis=0)
    a = np.column_stack([loop, np.full(len(loop), low)])
    b = np.column_stack([after, np.full(len(loop), low)])
    rise = np.array([0.0, 0.0, high - low])
    c = b + rise
    d = a + rise
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return faces[:, ::-1] if inward else faces


def grid_surface(points: Points, *, close_u: bool, close_v: bool) -> Faces:
    """The triangles of a grid of points (nu, nv, 3) whose normal is d/du x d/dv."""
    if close_u:
        points = np.concatenate([points, points[:1]], axis=0)
    if close_v:
        points = np.concatenate([points, points[:, :1]], axis=1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)


# --- triangulation of a polygon with holes: ear clipping (Eberly, "Triangulation by Ear Clipping", 2008) ------------


def triangulated(outer: Points, holes: Sequence[Points] = ()) -> Faces:
    """Counter-clockwise triangles (n, 3, 2) of a polygon with holes; all loops are given counter-clockwise. Raises
    UsageError for loops that cross."""
    loop = outer
    for hole in sorted(holes, key=lambda points: -float(points[:, 0].max())):
        loop = _bridged(loop, hole[::-1])
    ring = list(range(len(loop)))
    faces: list[tuple[int, int, int]] = []
    at = 0
    idle = 0
    smallest = 1e-14 * float(np.ptp(outer, axis=0).max()) ** 2
    reflex = _reflex_corners(loop, ring)
    while len(ring) > 3:
        i, j, k = ring[at - 1], ring[at], ring[(at + 1) % len(ring)]
        others = loop[[corner for corner in reflex if corner not in (i, j, k)]]
        if _cross(loop[i], loop[j], loop[k]) > smallest and not _in_triangle(others, loop[i], loop[j], loop[k]).any():
            faces.append((i, j, k))
            ring.pop(at)
            idle = 0
            at = at % len(ring)
            for near in (at - 1, at):
                corner = ring[near]
                a, b, c = (loop[ring[(near + step) % len(ring)]] for step in (-1, 0, 1))
                if corner in reflex and _cross(a, b, c) > smallest:
                    reflex.discard(corner)
        else:
            idle += 1
            if idle > len(ring):
                raise UsageError("this outline crosses itself, or a hole crosses it")
        at = (at + 1) % len(ring)  # going round, instead of clipping one corner's neighbours, avoids fans of slivers
    faces.append((ring[0], ring[1], ring[2]))
    found: Faces = loop[np.array(faces)]
    return found


def triangulated_around(outer: Points, count: int, holes: Sequence[Points] = ()) -> Faces:
    """`triangulated` of an outline that comes again `count` times around its origin, as teeth do: one sector, the same
    for all, and the polygon that the sectors leave. The innermost corner of a sector is where it begins."""
    size = len(outer) // count
    loop = np.roll(outer, -int(np.argmin(np.round(np.linalg.norm(outer[:size], axis=1), 12))), axis=0)
    sector = loop[: size + 1]
    numbers = {(float(x), float(y)): number for number, (x, y) in enumerate(sector)}
    corners = np.array([[numbers[float(x), float(y)] for x, y in face] for face in triangulated(sector)])
    every = (corners[None] + size * np.arange(count)[:, None, None]) % len(loop)
    return np.concatenate([loop[every.reshape(-1, 3)], triangulated(loop[::size], holes)])


def _reflex_corners(loop: Points, ring: list[int]) -> set[int]:
    before, after = np.roll(loop, 1, axis=0), np.roll(loop, -1, axis=0)
    turns = _cross(before, loop, after)
    return {corner for corner in ring if not turns[corner] > 0.0}


def _cross(a: Points, b: Points, c: Points) -> Points:
    """Twice the signed area of the triangles a b c."""
    turn: Points = (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])
    return turn


def _bridged(loop: Points, hole: Points) -> Points:
    """Join a hole (clockwise) to the loop around it (counter-clockwise) by a cut from the hole's rightmost corner."""
    first = int(np.argmax(hole[:, 0]))
    corner = hole[first]
    a, b = loop, np.roll(loop, -1, axis=0)
    crossing = (a[:, 1] <= corner[1]) & (b[:, 1] > corner[1])  # edges that go up have the inside on their left
    share = np.divide(corner[1] - a[:, 1], b[:, 1] - a[:, 1], out=np.zeros(len(a)), where=crossing)
    x = np.where(crossing, a[:, 0] + share * (b[:, 0] - a[:, 0]), np.inf)
    x[x < corner[0]] = np.inf
    edge = int(np.argmin(x))
    if not np.isfinite(x[edge]):
        raise UsageError("a hole is outside of the outline")
    hit = np.array([x[edge], corner[1]])
    target = edge if a[edge, 0] > b[edge, 0] else (edge + 1) % len(loop)
    above = loop[target][1] > corner[1]
    triangle = [corner, hit, loop[target]] if above else [corner, loop[target], hit]
    inside = _in_triangle(loop, triangle[0], triangle[1], triangle[2])
    if inside.any() and bool((hit != loop[target]).any()):
        # Corners in the way: the one that is seen under the smallest angle.
        candidates = np.flatnonzero(inside)
        offset = loop[candidates] - corner
        target = int(candidates[np.lexsort((offset[:, 0], np.abs(offset[:, 1] / offset[:, 0])))[0]])
    return np.vstack([loop[: target + 1], np.roll(hole, -first, axis=0), hole[first], loop[target:]])


def _in_triangle(points: Points, a: Points, b: Points, c: Points) -> NDArray[np.bool_]:
    """Which points are in the counter-clockwise triangle a b c or on its border; its corners do not count."""
    inside: NDArray[np.bool_] = (
        (_cross(a, b, points) >= 0.0) & (_cross(b, c, points) >= 0.0) & (_cross(c, a, points) >= 0.0)
    )
    for corner in (a, b, c):
        inside &= (points != corner).any(axis=-1)
    return inside


def convex_parts(outline: Points) -> list[Points]:
    """Convex polygons (n, 2) that make up an outline, counter-clockwise: triangles of it, joined across an edge
    wherever what results is convex (S. Hertel and K. Mehlhorn, Fast Triangulation of Simple Polygons, 1983). There are
    at most four times as many as necessary."""
    points = counter_clockwise(outline)
    place = {(float(x), float(y)): i for i, (x, y) in enumerate(points)}
    parts: dict[int, list[int]] = {
        i: [place[float(x), float(y)] for x, y in face] for i, face in enumerate(triangulated(points))
    }
    owner = {edge: i for i, part in parts.items() for edge in _edges(part)}
    least = -1e-12 * float(np.ptp(points, axis=0).max()) ** 2
    for edge in list(owner):
        first, second = owner.get(edge), owner.get((edge[1], edge[0]))
        if first is None or second is None or first == second:
            continue
        joined = _joined(parts[first], parts[second], edge)
        if _is_convex(points[joined], least):
            parts[first] = joined
            del parts[second]
            owner.pop(edge)
            owner.pop((edge[1], edge[0]))
            owner.update(dict.fromkeys(_edges(joined), first))
    return [points[part] for part in parts.values()]


def _edges(part: list[int]) -> list[tuple[int, int]]:
    return list(zip(part, [*part[1:], part[0]], strict=True))


def _joined(first: list[int], second: list[int], edge: tuple[int, int]) -> list[int]:
    """Two polygons as one: the first runs along the edge from a to b, the second from b to a."""
    a, b = edge
    i, j = first.index(b), second.index(a)
    one = first[i:] + first[:i]  # b … a
    other = second[j:] + second[:j]  # a … b
    return one + other[1:-1]


def _is_convex(polygon: Points, least: float) -> bool:
    turns = _cross(np.roll(polygon, 1, axis=0), polygon, np.roll(polygon, -1, axis=0))
    return bool((turns >= least).all())
