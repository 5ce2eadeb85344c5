"""Places on a link at which a joint can be: frames, faces, edges, axes and points of what is drawn of it.

Faces of a mesh are found among its triangles: those that lie in one plane and meet are a face, and a ring of its border
that lies on a circle is a rim, whose middle is where a pin goes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import SimulatorError, UnknownNameError, place_of
from simulator.formats.mesh.loader import mesh_of
from simulator.model.joint import WORLD
from simulator.model.names import tail_name
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.model.joint import Joint
    from simulator.model.link import Link
    from simulator.model.world import World
    from simulator.spatial.arrays import Array, Ints
    from simulator.spatial.rotation import Vec3

FRAME, FACE, EDGE, AXIS, POINT = "frame", "face", "edge", "axis", "point"
"""Kinds of features."""
NONE: Vec3 = (0.0, 0.0, 0.0)
CELLS = 1e5
"""Corners of a mesh in the same of so many cells along its size are one, and planes likewise."""
LARGEST = 60_000
"""Triangles of a mesh whose faces are looked for."""
LEAST = 2e-3
"""Share of the area of a mesh that a face has at least."""
ROUND = 5e-3
"""By how much of its radius a rim may be off a circle."""
BURIED = 1e-6
"""A point is inside by so much of the size of a shape, and on the rim of a cylinder also outside: bars end there."""
CORNERS = 8
"""A rim has at least."""


@dataclass(frozen=True)
class Feature:
    """A place on a link. `link`: its scoped name, or "world"; `name`: what it is, in words; `kind`: one of "frame",
    "face", "edge", "axis", "point". `at`: where [m], and `direction`: the unit normal of a face, direction of an edge,
    or axis, zero where there is none; both in the frame of the link. `joint`: of a frame, the scoped name of the joint
    that is there, or ""."""

    link: str
    name: str
    kind: str
    at: Vec3
    direction: Vec3 = NONE
    joint: str = ""

    @property
    def has_axis(self) -> bool:
        """Whether it has a direction."""
        return self.direction != NONE

    def __str__(self) -> str:
        return f"{self.name} of '{tail_name(self.link)}'"

    def moved(self, X: Pose) -> Feature:
        """The same seen from the frame in which `X` places the present one."""
        return replace(self, at=X.transform(self.at), direction=X.rotate(self.direction) if self.has_axis else NONE)


def features_of(world: World) -> dict[str, tuple[Feature, ...]]:
    """The features of all links and of the world, by scoped names of links."""
    joints = [*world.joints, *(joint for model in world.models for joint in model.joints)]
    frames = [*world.frames, *(frame for model in world.models for frame in model.frames)]
    found: dict[str, list[Feature]] = {WORLD: [Feature(WORLD, "origin", FRAME, NONE)]}
    links = [link for model in world.models for link in model.links]
    places = {WORLD: IDENTITY, **{link.name: link.X_WL for link in links}}
    for link in links:
        found[link.name] = [Feature(link.name, "origin", FRAME, NONE)]
    for frame in frames:
        if frame.attached_body in places:
            at = places[frame.attached_body].inverse().transform(frame.X_WF.position)
            found[frame.attached_body].append(
                Feature(frame.attached_body, f"frame '{tail_name(frame.name)}'", FRAME, at)
            )
    for joint in joints:
        for feature in _of_joint(joint, places):
            found[feature.link].append(feature)
    for link in links:
        found[link.name] += _of_shapes(link)
    return {name: _named_once(features) for name, features in found.items()}


def features_at(world: World, name: str) -> tuple[Feature, ...]:
    """The features of a link, by its name. A link that fixed joints of a URDF make part of another has those of that
    one, with the origin of its own frame. Raises UnknownNameError."""
    found = features_of(world)
    names = tuple(found)
    try:
        return found[names[place_of(names, name, "link")]]
    except UnknownNameError:
        merged = [
            (link, item.at)
            for link, features in found.items()
            for item in features
            if item.name == f"frame '{tail_name(name)}'"
        ]
        if len(merged) != 1:
            raise
    link, at = merged[0]
    return tuple(replace(item, at=at) if item.name == "origin" else item for item in found[link])


def _of_joint(joint: Joint, places: dict[str, Pose]) -> Iterator[Feature]:
    """On both of its links."""
    sides = ((joint.child_link, joint.X_WJ), (joint.parent_link, joint.X_WJ_parent or joint.X_WJ))
    for link, X_WJ in sides:
        if link not in places:
            continue
        X_LJ = places[link].inverse() @ X_WJ
        way = X_LJ.rotate(joint.axes[0].xyz_joint) if joint.axes else NONE
        yield Feature(link, f"joint '{tail_name(joint.name)}'", FRAME, X_LJ.position, way, joint.name)


def _of_shapes(link: Link) -> list[Feature]:
    """Of what is drawn, or else of what bodies touch."""
    items: Sequence[tuple[str, Shape, Pose]] = [(item.name, item.shape, item.X_LV) for item in link.visuals]
    if not items:
        items = [(item.name, item.shape, item.X_LC) for item in link.collisions]
    found = []
    for number, (name, shape, X) in enumerate(items):
        others = [(other, X_LO.inverse()) for k, (_, other, X_LO) in enumerate(items) if k != number]
        for feature in shape_features(shape):
            placed = feature.moved(X)
            if feature.kind in (FACE, EDGE) and any(_is_inside(other, X_OL, placed.at) for other, X_OL in others):
                continue
            what = f"{feature.name} of {name}" if len(items) > 1 else feature.name
            found.append(replace(placed, link=link.name, name=what))
    return found


def _is_inside(shape: Shape, X_SL: Pose, at: Vec3) -> bool:
    """Whether a point of a link is in a shape, so that no face or edge is seen there."""
    x, y, z = X_SL.transform(at)
    match shape:
        case Box(size=size):
            return all(2.0 * abs(value) < (1.0 - BURIED) * side for value, side in zip((x, y, z), size, strict=True))
        case Cylinder(radius=radius, length=length):
            return math.hypot(x, y) < (1.0 + BURIED) * radius and 2.0 * abs(z) < (1.0 + BURIED) * length
        case Sphere(radius=radius):
            return math.hypot(x, y, z) < (1.0 - BURIED) * radius
    return False


def _named_once(features: Sequence[Feature]) -> tuple[Feature, ...]:
    """With a number behind names that come again; what is at the same place in the same direction is one."""
    taken: dict[str, Feature] = {}
    places: set[tuple[float, ...]] = set()
    for feature in features:
        place = tuple(round(value, 9) + 0.0 for value in (*feature.at, *feature.direction))
        if feature.kind != FRAME and place in places:
            continue
        places.add(place)
        number = 1
        name = feature.name
        while name in taken:
            number += 1
            name = f"{feature.name} ({number})"
        taken[name] = replace(feature, name=name)
    return tuple(taken.values())


def shape_features(shape: Shape) -> tuple[Feature, ...]:
    """The features of a shape in its own frame, of no link."""
    found: tuple[Feature, ...]
    match shape:
        case Box(size=size):
            found = tuple(_of_box(size))
        case Cylinder(length=length) | Capsule(length=length):
            found = (*_ends(length / 2.0), Feature("", "axis", AXIS, NONE, (0.0, 0.0, 1.0)))
        case Cone(length=length):
            apex = Feature("", "apex", POINT, (0.0, 0.0, length / 2.0), (0.0, 0.0, 1.0))
            found = (_ends(length / 2.0)[1], apex)
        case Sphere() | Ellipsoid():
            found = (Feature("", "centre", POINT, NONE),)
        case Plane(normal=normal):
            found = (Feature("", "face", FACE, NONE, normal),)
        case Mesh():
            found = _of_mesh(shape)
    return found


def _ends(half: float) -> tuple[Feature, Feature]:
    return (
        Feature("", "top", FACE, (0.0, 0.0, half), (0.0, 0.0, 1.0)),
        Feature("", "bottom", FACE, (0.0, 0.0, -half), (0.0, 0.0, -1.0)),
    )


def _of_box(size: Vec3) -> Iterator[Feature]:
    """Six faces and twelve edges."""
    half = np.array(size) / 2.0
    for axis, letter in enumerate("xyz"):
        for sign, text in ((1.0, "+"), (-1.0, "-")):
            way = sign * np.eye(3)[axis]
            yield Feature("", f"face {text}{letter}", FACE, _vec(way * half), _vec(way))
    for axis, letter in enumerate("xyz"):
        others = [other for other in range(3) if other != axis]
        for signs in product((1.0, -1.0), repeat=2):
            at = np.zeros(3)
            at[others] = np.array(signs) * half[others]
            yield Feature("", f"edge along {letter}", EDGE, _vec(at), _vec(np.eye(3)[axis]))


@lru_cache(maxsize=64)
def _of_mesh(shape: Mesh) -> tuple[Feature, ...]:
    try:
        mesh = mesh_of(shape)
    except SimulatorError:
        return ()
    if not 0 < len(mesh.triangles) <= LARGEST:
        return ()
    return tuple(mesh_features(np.asarray(mesh.vertices, float), np.asarray(mesh.triangles, np.int64)))


def mesh_features(vertices: Array, triangles: Ints) -> list[Feature]:
    """The plane faces of a mesh, shapes (n, 3) [m] and (m, 3), the largest first, with the rims of each."""
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    _, first, same = np.unique(np.round(vertices / size * CELLS), axis=0, return_index=True, return_inverse=True)
    points = vertices[first]
    corners = same.reshape(-1)[triangles]
    crossed = np.cross(points[corners[:, 1]] - points[corners[:, 0]], points[corners[:, 2]] - points[corners[:, 0]])
    areas = np.linalg.norm(crossed, axis=1) / 2.0
    whole = float(areas.sum())
    kept = areas > 1e-12 * size**2
    corners, areas = corners[kept], areas[kept]
    normals = crossed[kept] / (2.0 * areas[:, None])
    found: list[tuple[float, list[Feature]]] = []
    for face in _faces(points, corners, normals, size):
        area = float(areas[face].sum())
        if area >= LEAST * whole:
            normal = normals[face].T @ areas[face]
            found.append((area, list(_of_face(points, corners[face], areas[face], normal / np.linalg.norm(normal)))))
    found.sort(key=lambda item: -item[0])
    return [feature for _, features in found for feature in features]


def _faces(points: Array, corners: Ints, normals: Array, size: float) -> Iterator[Ints]:
    """Numbers of the triangles that lie in one plane and meet at corners, face by face."""
    from scipy.sparse import coo_matrix  # here: only meshes need it
    from scipy.sparse.csgraph import connected_components

    offsets = np.einsum("ij,ij->i", normals, points[corners[:, 0]])
    planes = np.round(np.column_stack([normals * 1e3, offsets / size * 1e4]))
    _, plane = np.unique(planes, axis=0, return_inverse=True)
    plane = plane.reshape(-1)
    count = len(corners)
    # A corner in a plane is a node: triangles that share one are joined.
    nodes, node = np.unique(np.column_stack([np.repeat(plane, 3), corners.reshape(-1)]), axis=0, return_inverse=True)
    rows = np.repeat(np.arange(count), 3)
    total = count + len(nodes)
    joined = coo_matrix((np.ones(3 * count), (rows, count + node.reshape(-1))), shape=(total, total))
    labels = connected_components(joined, directed=False)[1][:count]
    order = np.argsort(labels, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _of_face(points: Array, corners: Ints, areas: Array, normal: Array) -> Iterator[Feature]:
    middle = points[corners].mean(axis=1).T @ areas / areas.sum()
    if len(corners) > 1:
        yield Feature("", "face", FACE, _vec(middle), _vec(normal))
    for ring in _rings(corners):
        places = points[ring]
        centre, radius = _circle(places, normal)
        if len(ring) >= CORNERS and np.abs(np.linalg.norm(places - centre, axis=1) - radius).max() <= ROUND * radius:
            yield Feature("", "rim", AXIS, _vec(centre), _vec(normal))


def _rings(corners: Ints) -> list[list[int]]:
    """The closed borders of a face, corner by corner."""
    ways = corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).tolist()
    there = {(a, b) for a, b in ways}
    follows = {a: b for a, b in ways if (b, a) not in there}
    rings = []
    while follows:
        start, at = next(iter(follows.items()))
        del follows[start]
        ring = [start]
        while at in follows:
            ring.append(at)
            at = follows.pop(at)
        rings.append(ring)
    return rings


def _circle(places: Array, normal: Array) -> tuple[Array, float]:
    """The circle nearest to points of a plane by least squares: |p|^2 = 2 c p + (r^2 - c^2)."""
    middle = places.mean(axis=0)
    u = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    u /= np.linalg.norm(u)
    axes = np.stack([u, np.cross(normal, u)])
    flat = (places - middle) @ axes.T
    rows = np.column_stack([2.0 * flat, np.ones(len(flat))])
    a, b, rest = np.linalg.lstsq(rows, np.square(flat).sum(axis=1), rcond=None)[0]
    return middle + np.array([a, b]) @ axes, float(np.sqrt(max(rest + a * a + b * b, 0.0)))


def _vec(v: Array) -> Vec3:
    x, y, z = (float(value) + 0.0 for value in v)
    return (x, y, z)
