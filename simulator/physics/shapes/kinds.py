"""Kinds of shapes for kernels."""

from __future__ import annotations

OTHER, BOX, ROUND, CYLINDER, HULL, CONE, ELLIPSOID, MESH = 0, 1, 2, 3, 4, 5, 6, 7
"""What meets planes only; boxes; balls and capsules, segments that are rounded; cylinders; convex hulls of points;
cones; ellipsoids; the triangles of meshes that do not move."""
