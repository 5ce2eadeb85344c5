"""Collision shapes as flat tables, which kernels read: made once for a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from simulator.native.kernels import by_address
from simulator.physics.shapes.faces import faces_of
from simulator.physics.shapes.features import box_around, corners, outer_radius, rim_radius, rims
from simulator.physics.shapes.friction import surface_tables
from simulator.physics.shapes.kinds import BOX, CONE, CYLINDER, ELLIPSOID, HULL, MESH, ROUND
from simulator.physics.shapes.triangles import Triangles, triangles_of

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array2, Array3, BoolArray, BoolArray2, IntArray, IntArray2
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.shape import Shape
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose

    Placed = tuple[int, str, Pose, Collision]

NO_CODE = np.iinfo(np.int64).max


@by_address
class Geometry(NamedTuple):
    """Shapes, n of them, planes, p, and pairs of shapes that never touch. Shapes are sorted so that bodies ascend.

    `kind`, `body`, `node` (n,): what a shape is, its body and that body's node of the tree (-1: the world). `place` (n,
    3, 4): X_BC. `size` (n, 3): half edges of a box; radius and half length of a rounded segment, or a cylinder, along
    z; radii of an ellipsoid. `around` (n, 6): middle and half edges of a box that holds all of a shape, along its own
    axes; `outer` (n,): radius of a ball around that middle that does. `arm` (n,): furthest point from the body's centre
    of mass. `paired` (n,): whether it has pairs here besides planes. `friction`, `friction2`, `slip`, `slip2`,
    `restitution` (n,); `given` (n, 7): what few have (`shapes.friction`); `plain` (n,): whether a surface
    has nothing but friction and restitution.

    `corner` (c, 3) in the frame of the body, those of shape i from `corner_begin[i]`, rounded by `rounding[i]`; `rim`
    (r, 3) the centres of circles about `rim_axis` (n, 3) with radius `rim_radius[i]`, likewise. They are what may touch
    a plane.

    `face` (f, 4): outward normals of the faces of polytopes in the frame of the body, and how far along them the
    outermost corner is [m], those of shape i from `face_begin[i]`; `loop`: numbers of the corners around every face,
    counterclockwise seen from outside, those of face f from `loop_begin[f]`.

    A mesh that does not move has two rows: its `triangles`, and behind it a segment, which kernels put where the edge
    at hand is.

    `plane` (p, 6): origin and normal of planes in the frames of the bodies `plane_body` (p,), whose nodes are
    `plane_node` (p,); `plane_friction`, `plane_friction2`, `plane_slip`, `plane_slip2`,
    `plane_given` and `plane_plain` (p,); `plane_meets`, `plane_restitution` (p, n).

    `directed` (n,), `plane_directed` (p,): which direction friction has, -1 where it is the same everywhere; then
    friction2 is as friction, and slip2 as slip. `direction` (d, 3): unit vectors in the frames of the bodies
    `direction_body` (d,), whose nodes are `direction_node` (d,).

    `link` (4, n): body, end, family and bits, and `jointed`, ascending: as in `mechanism.non_colliding`. `centre`
    (n_bodies, 3): centres of mass; `loose` (n_bodies,): whether nothing but contact connects a body with others.
    """

    kind: IntArray
    body: IntArray
    node: IntArray
    place: Array3
    size: Array2
    around: Array2
    outer: Array
    arm: Array
    paired: IntArray
    friction: Array
    friction2: Array
    slip: Array
    slip2: Array
    directed: IntArray
    given: Array2
    plain: BoolArray
    restitution: Array
    corner: Array2
    corner_begin: IntArray
    rounding: Array
    rim: Array2
    rim_begin: IntArray
    rim_axis: Array2
    rim_radius: Array
    face: Array2
    face_begin: IntArray
    loop: IntArray
    loop_begin: IntArray
    triangles: Triangles
    plane: Array2
    plane_body: IntArray
    plane_node: IntArray
    plane_meets: BoolArray2
    plane_friction: Array
    plane_friction2: Array
    plane_slip: Array
    plane_slip2: Array
    plane_directed: IntArray
    plane_given: Array2
    plane_plain: BoolArray
    plane_restitution: Array2
    direction: Array2
    direction_body: IntArray
    direction_node: IntArray
    link: IntArray2
    jointed: IntArray
    centre: Array2
    loose: BoolArray


def geometry_of(mechanism: Mechanism, node_of_body: IntArray) -> Geometry:
    """The tables of all shapes; `node_of_body` (n_bodies,): the node that carries a body, -1 for the world."""
    planes, rows, kinds = placed_shapes(mechanism)
    bodies = np.array([row[0] for row in rows], dtype=np.int64)
    # Of a mesh that does not move, no row reaches further than its box, and none is smaller than what it meets.
    is_mesh = (kinds == MESH) | (np.roll(kinds, 1) == MESH)
    centre = _centres(mechanism)
    around, outer, arm = _extents(rows, centre)
    met = any(plane[0] != WORLD_BODY for plane in planes)
    points, rounding, counts = _stacked(_corners(rows, kinds, is_mesh, met=met))
    circles, _, rim_counts = _stacked([(X, rims(c.shape), 0.0) for _, _, X, c in rows])
    surfaces = surface_tables(mechanism, rows, planes)
    columns, jointed = _apart(mechanism, [row[1] for row in rows])
    return Geometry(
        kind=kinds,
        body=bodies,
        node=node_of_body[bodies],
        place=np.array([X.matrix()[:3] for _, _, X, _ in rows], dtype=float).reshape(-1, 3, 4),
        size=np.array([_size(c) for *_, c in rows], dtype=float).reshape(-1, 3),
        around=around,
        outer=np.where(is_mesh, np.inf, outer),
        arm=np.where(bodies != WORLD_BODY, arm, 0.0),
        paired=np.array(~is_mesh | (kinds == MESH), dtype=np.int64),
        restitution=np.array([row[3].surface.restitution for row in rows], dtype=float),
        corner=points,
        corner_begin=counts,
        rounding=rounding,
        rim=circles,
        rim_begin=rim_counts,
        rim_axis=np.array([X.rotate((0.0, 0.0, 1.0)) for _, _, X, _ in rows], dtype=float).reshape(-1, 3),
        rim_radius=np.array([rim_radius(row[3].shape) for row in rows], dtype=float),
        **_faces(rows, kinds, points, counts)._asdict(),
        triangles=triangles_of(rows, kinds),
        **_planes(mechanism, planes, rows, node_of_body, is_mesh & (kinds != MESH))._asdict(),
        **surfaces._asdict(),
        direction_node=node_of_body[surfaces.direction_body],
        link=columns,
        jointed=jointed,
        centre=centre,
        loose=np.zeros(len(mechanism.bodies), dtype=np.bool_),
    )


def same_shapes(before: Mechanism, mechanism: Mechanism) -> bool:
    """Whether two mechanisms of the same structure share all shapes, their places on bodies and their surfaces."""
    bodies = zip(before.bodies, mechanism.bodies, strict=True)
    return mechanism.non_colliding is before.non_colliding and all(
        a is b
        or (a.X_BL is b.X_BL and all(k.collisions is m.collisions for k, m in zip(a.links, b.links, strict=True)))
        for a, b in bodies
    )


def with_centres(geometry: Geometry, mechanism: Mechanism) -> Geometry:
    """The tables of a mechanism that has the shapes of `geometry`; its centres of mass may be elsewhere."""
    centre = _centres(mechanism)
    if np.array_equal(centre, geometry.centre):
        return geometry
    _, rows, _ = placed_shapes(mechanism)
    *_, arm = _extents(rows, centre)
    return geometry._replace(centre=centre, arm=np.where(geometry.body != WORLD_BODY, arm, 0.0))


def _centres(mechanism: Mechanism) -> Array:
    return np.array([body.com for body in mechanism.bodies], dtype=float).reshape(-1, 3)


def placed_shapes(mechanism: Mechanism) -> tuple[list[Placed], list[Placed], IntArray]:
    """(planes, all other shapes, their kinds): body, link, X_BC and collision of each; a mesh that does not move is
    there twice."""
    planes = []
    rows = []
    kinds = []
    for index, body in enumerate(mechanism.bodies):
        for name, X_BC, collision in body.collisions():
            row = (index, name, X_BC, collision)
            if isinstance(collision.shape, Plane):
                planes.append(row)
                continue
            kind = _kind(collision.shape, moves=index != WORLD_BODY)
            rows += [row, row] if kind == MESH else [row]
            kinds += [MESH, ROUND] if kind == MESH else [kind]
    return planes, rows, np.array(kinds, dtype=np.int64)


def _kind(shape: Shape, *, moves: bool) -> int:
    """A mesh that does not move is its triangles, unless its hull is asked for; one that moves is its hull."""
    if isinstance(shape, Box):
        return BOX
    if isinstance(shape, Sphere | Capsule):
        return ROUND
    if isinstance(shape, Cylinder | Cone):
        return CYLINDER if isinstance(shape, Cylinder) else CONE
    if isinstance(shape, Ellipsoid):
        return ELLIPSOID
    assert isinstance(shape, Mesh)
    return HULL if moves or shape.hull else MESH


def _size(collision: Collision) -> tuple[float, float, float]:
    shape = collision.shape
    if isinstance(shape, Box):
        return 0.5 * shape.size[0], 0.5 * shape.size[1], 0.5 * shape.size[2]
    if isinstance(shape, Ellipsoid):
        return shape.radii
    if isinstance(shape, Capsule | Cylinder):
        return shape.radius, 0.5 * shape.length, 0.0
    return (shape.radius, 0.0, 0.0) if isinstance(shape, Sphere) else (0.0, 0.0, 0.0)


def _extents(rows: list[Placed], centre: Array) -> tuple[Array, Array, Array]:
    """`around`, `outer` and `arm` of all shapes, of the world's as well; every shape is looked at once."""
    shapes = {row[3].shape for row in rows}
    boxes = {shape: (*box_around(shape), outer_radius(shape)) for shape in shapes}
    found = [boxes[row[3].shape] for row in rows]
    outer = np.array([radius for *_, radius in found], dtype=float)
    middles = [
        X.rotation() @ middle + np.array(X.position) for (_, _, X, _), (middle, *_) in zip(rows, found, strict=True)
    ]
    ways = np.array(middles, dtype=float).reshape(-1, 3) - centre[[row[0] for row in rows]]
    around = np.array([(*middle, *half) for middle, half, _ in found], dtype=float).reshape(-1, 6)
    return around, outer, np.linalg.norm(ways, axis=1) + outer


def _corners(rows: list[Placed], kinds: IntArray, is_mesh: BoolArray, *, met: bool) -> list[tuple[Pose, Array, float]]:
    """X_BC, corners and rounding of every shape; of a mesh that does not move those of its hull, if a plane moves that
    it may be `met` by, and both ends of the segment behind it."""
    ends = [np.zeros((2 if kind == ROUND else 0, 3)) for kind in kinds]
    return [
        (row[2], end, 0.0) if mesh and not (met and kind == MESH) else (row[2], *corners(row[3].shape))
        for row, end, mesh, kind in zip(rows, ends, is_mesh, kinds, strict=True)
    ]


def _stacked(rows: list[tuple[Pose, Array, float]]) -> tuple[Array, Array, IntArray]:
    """Points of all shapes in the frames of their bodies, shape (n, 3), the rounding of every shape [m], and where its
    points begin."""
    points = [some @ X.rotation().T + np.array(X.position) for X, some, _ in rows if len(some)]
    begins = np.cumsum([0, *(len(some) for _, some, _ in rows)]).astype(np.int64)
    return np.concatenate((*points, np.zeros((0, 3)))), np.array([radius for *_, radius in rows], dtype=float), begins


class _Faces(NamedTuple):
    face: Array
    face_begin: IntArray
    loop: IntArray
    loop_begin: IntArray


def _faces(rows: list[Placed], kinds: IntArray, points: Array, begins: IntArray) -> _Faces:
    """Of all shapes, whose corners `points` (c, 3) begin there; of none where there is no hull, for boxes have closed
    forms with all else."""
    planes = [np.zeros((0, 4))]
    sizes = [np.zeros(1, dtype=np.int64)]
    loops = [np.zeros(0, dtype=np.int64)]
    counts = [0]
    for (_, _, X, collision), kind, begin in zip(rows, kinds, begins[:-1], strict=True):
        faces = faces_of(collision.shape) if kind in (BOX, HULL) and HULL in kinds else None
        counts.append(counts[-1] + (len(faces.sizes) if faces else 0))
        if faces and len(faces.sizes):
            outward = faces.normals @ X.rotation().T
            along = np.einsum("ij,ij->i", points[begin + faces.corners], np.repeat(outward, faces.sizes, axis=0))
            offsets = np.maximum.reduceat(along, np.cumsum(faces.sizes) - faces.sizes)
            planes.append(np.column_stack((outward, offsets)))
            sizes.append(faces.sizes)
            loops.append(begin + faces.corners)
    return _Faces(
        np.concatenate(planes),
        np.array(counts),
        np.concatenate(loops),
        np.cumsum(np.concatenate(sizes), dtype=np.int64),
    )


class _Planes(NamedTuple):
    plane: Array
    plane_body: IntArray
    plane_node: IntArray
    plane_meets: BoolArray
    plane_restitution: Array


def _planes(
    mechanism: Mechanism, planes: list[Placed], rows: list[Placed], node_of_body: IntArray, of_edges: BoolArray
) -> _Planes:
    """`of_edges` (n,): rows of the segments behind meshes, which planes do not meet."""
    apart = mechanism.non_colliding
    count = len(rows)
    bodies = np.array([row[0] for row in rows], dtype=np.int64)
    places = np.array([apart.index[row[1]] for row in rows], dtype=np.int64)
    carriers = np.array([plane[0] for plane in planes], dtype=np.int64)
    meets = [
        ~apart.among(apart.index[plane[1]], places) & (bodies != carrier) & ~of_edges
        for plane, carrier in zip(planes, carriers, strict=True)
    ]
    normals = [
        (*X.position, *X.rotate(collision.shape.normal))
        for _, _, X, collision in planes
        if isinstance(collision.shape, Plane)
    ]
    both = [(plane[3].surface, [row[3].surface for row in rows]) for plane in planes]
    return _Planes(
        np.array(normals, dtype=float).reshape(-1, 6),
        carriers,
        node_of_body[carriers],
        np.array(meets, dtype=bool).reshape(len(planes), count),
        np.array([[min(s.restitution, ground.restitution) for s in others] for ground, others in both]).reshape(
            len(planes), count
        ),
    )


def _apart(mechanism: Mechanism, names: list[str]) -> tuple[IntArray, IntArray]:
    """Body, end, family and bits of every shape's link, shape (4, n), and codes of pairs of ends that joints
    connect."""
    apart = mechanism.non_colliding
    links = [apart.links[apart.index[name]] for name in names]
    columns = np.array([(k.body, k.end, k.family, k.bits) for k in links], dtype=np.int64).reshape(-1, 4).T.copy()
    codes = sorted(smaller << 32 | larger for smaller, larger in apart.jointed)
    return columns, np.array([*codes, NO_CODE], dtype=np.int64)
