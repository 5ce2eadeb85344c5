"""Kinds of shapes for kernels."""

from __future__ import annotations

BOX, ROUND, CYLINDER, HULL, CONE, ELLIPSOID, MESH = 1, 2, 3, 4, 5, 6, 7
"""Boxes; balls and capsules, segments that are rounded; cylinders; convex hulls of points;
cones; ellipsoids; the triangles of meshes that do not move."""
