"""Collision shapes in Bullet. What Bullet has no primitive for is a convex hull of points; a mesh that never moves is
made of triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.bullet.pybullet_import import pybullet
from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.physics.shapes.hulls import hull_points, pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose

    Ints = NDArray[np.int32]


def create_shape(client: int, shape: Shape, X_LC: Pose) -> int:
    """Create a convex collision shape at X_LC in its link: of a mesh its convex hull. Returns Bullet's shape id."""
    description = _hull(hull_points(shape)) if isinstance(shape, Mesh) else _describe(shape)
    return _create(client, description, X_LC)


def create_fixed_shapes(client: int, shape: Shape, X_WC: Pose) -> list[int]:
    """Create a collision shape that never moves at X_WC. Returns Bullet's shape ids; a large mesh is several."""
    if not isinstance(shape, Mesh):
        return [_create(client, _describe(shape), X_WC)]
    mesh = mesh_of(shape)
    return [_create(client, _concave(*piece), X_WC) for piece in pieces(mesh.vertices, mesh.triangles)]


def _create(client: int, description: dict[str, object], X_LC: Pose) -> int:
    return int(
        pybullet.createCollisionShape(
            **description,
            collisionFramePosition=X_LC.position,
            collisionFrameOrientation=X_LC.orientation,
            physicsClientId=client,
        )
    )


def unseen(client: int) -> int:
    """A visual shape for bodies, which is never drawn: without one Bullet makes a convex hull of each collision
    shape to draw that."""
    return int(pybullet.createVisualShape(pybullet.GEOM_BOX, halfExtents=[1.0, 1.0, 1.0], physicsClientId=client))


def _describe(shape: Box | Sphere | Cylinder | Capsule | Plane | Cone | Ellipsoid) -> dict[str, object]:
    if isinstance(shape, Cone | Ellipsoid):
        return _hull(hull_points(shape))
    return _primitive(shape)


def _primitive(shape: Box | Sphere | Cylinder | Capsule | Plane) -> dict[str, object]:
    if isinstance(shape, Box):
        return {"shapeType": pybullet.GEOM_BOX, "halfExtents": [edge / 2 for edge in shape.size]}
    if isinstance(shape, Sphere):
        return {"shapeType": pybullet.GEOM_SPHERE, "radius": shape.radius}
    if isinstance(shape, Plane):
        return {"shapeType": pybullet.GEOM_PLANE, "planeNormal": list(shape.normal)}
    kind = pybullet.GEOM_CYLINDER if isinstance(shape, Cylinder) else pybullet.GEOM_CAPSULE
    return {"shapeType": kind, "radius": shape.radius, "height": shape.length}


def _hull(points: Array) -> dict[str, object]:
    return {"shapeType": pybullet.GEOM_MESH, "vertices": points.tolist()}


def _concave(vertices: Array, triangles: Ints) -> dict[str, object]:
    return {
        "shapeType": pybullet.GEOM_MESH,
        "vertices": vertices.tolist(),
        "indices": triangles.ravel().tolist(),
        "flags": pybullet.GEOM_FORCE_CONCAVE_TRIMESH,
    }
