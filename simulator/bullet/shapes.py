"""Collision shapes in Bullet. What Bullet has no primitive for is a convex hull of points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.bullet.quiet import pybullet
from simulator.formats.mesh.loader import mesh_of
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

if TYPE_CHECKING:
    from simulator.spatial.pose import Pose

_HULL_RINGS = 24
_MAX_HULL_POINTS = 2000


def create_shape(client: int, shape: Shape, X_LC: Pose, *, fixed: bool) -> int:
    """Create a collision shape at X_LC in its link; `fixed` ones may be concave. Returns Bullet's shape id (-1 where it has no volume)."""
    description = _describe(shape, fixed=fixed)
    if description is None:
        return -1
    return int(
        pybullet.createCollisionShape(
            **description,
            collisionFramePosition=X_LC.position,
            collisionFrameOrientation=X_LC.orientation,
            physicsClientId=client,
        )
    )


def unseen(client: int) -> int:
    """A visual shape for bodies, which nobody draws here: without one Bullet makes a convex hull of each collision shape to draw that."""
    return int(pybullet.createVisualShape(pybullet.GEOM_BOX, halfExtents=[1.0, 1.0, 1.0], physicsClientId=client))


def _describe(shape: Shape, *, fixed: bool) -> dict[str, Any] | None:
    if isinstance(shape, Mesh):
        return _mesh(shape, fixed=fixed)
    if isinstance(shape, Cone | Ellipsoid):
        return _hull(_points(shape))
    return _primitive(shape)


def _primitive(shape: Box | Sphere | Cylinder | Capsule | Plane) -> dict[str, Any]:
    if isinstance(shape, Box):
        return {"shapeType": pybullet.GEOM_BOX, "halfExtents": [edge / 2 for edge in shape.size]}
    if isinstance(shape, Sphere):
        return {"shapeType": pybullet.GEOM_SPHERE, "radius": shape.radius}
    if isinstance(shape, Plane):
        return {"shapeType": pybullet.GEOM_PLANE, "planeNormal": list(shape.normal)}
    kind = pybullet.GEOM_CYLINDER if isinstance(shape, Cylinder) else pybullet.GEOM_CAPSULE
    return {"shapeType": kind, "radius": shape.radius, "height": shape.length}


def _hull(points: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    return {"shapeType": pybullet.GEOM_MESH, "vertices": points.tolist()}


def _points(shape: Cone | Ellipsoid) -> np.ndarray[Any, np.dtype[np.float64]]:
    angles = np.linspace(0.0, 2.0 * math.pi, _HULL_RINGS, endpoint=False)
    circle = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    if isinstance(shape, Cone):
        base = np.column_stack((shape.radius * circle, np.full(_HULL_RINGS, -shape.length / 2)))
        return np.vstack((base, (0.0, 0.0, shape.length / 2)))
    rings = [
        np.column_stack((math.cos(latitude) * circle, np.full(_HULL_RINGS, math.sin(latitude))))
        for latitude in np.linspace(-math.pi / 2, math.pi / 2, _HULL_RINGS // 2 + 1)
    ]
    points: np.ndarray[Any, np.dtype[np.float64]] = np.vstack(rings) * np.array(shape.radii)
    return points


def _mesh(shape: Mesh, *, fixed: bool) -> dict[str, Any] | None:
    mesh = mesh_of(shape)
    if len(mesh.vertices) == 0:
        return None
    if fixed:
        return {
            "shapeType": pybullet.GEOM_MESH,
            "vertices": mesh.vertices.tolist(),
            "indices": mesh.triangles.ravel().tolist(),
            "flags": pybullet.GEOM_FORCE_CONCAVE_TRIMESH,
        }
    return _hull(hull_points(shape))


def hull_points(shape: Cone | Ellipsoid | Mesh) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Points whose convex hull stands for the shape, in its own frame, shape (n, 3); none for a mesh without vertices."""
    if not isinstance(shape, Mesh):
        return _points(shape)
    vertices = np.asarray(mesh_of(shape).vertices, dtype=float).reshape(-1, 3)
    stride = max(1, len(vertices) // _MAX_HULL_POINTS)
    hull: np.ndarray[Any, np.dtype[np.float64]] = np.unique(vertices, axis=0)[::stride]
    return hull
