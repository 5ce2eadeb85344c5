"""Bodies of parts: prisms of fine outlines for the mass, meshes of coarser ones for the eye and for contacts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.meshes import (
    MeshData,
    cap,
    circle,
    convex_parts,
    counter_clockwise,
    grid_surface,
    triangulated,
    triangulated_around,
    wall,
)
from simulator.building.shapes import ALUMINIUM, PlacedShape
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.building.shapes import Color
    from simulator.formats.sdf.solids import Solid

    Points = NDArray[np.float64]
    Faces = NDArray[np.float64]

CIRCLE = 48
"""Corners of a bore."""


def front(x: float = 0.0, z: float = 0.0, y: float = 0.0, turn: float = 0.0) -> Pose:
    """A pose in a mechanism that stands in the x-z plane: the part's x-y plane is that plane, its z axis comes to the
    front, along -y; `turn` [rad] is counter-clockwise seen from there."""
    return Pose.from_rpy((x, y, z), (math.pi / 2.0, 0.0, 0.0)) @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, turn))


def prism_solid(outline: Points, thickness: float, bore: float = 0.0) -> Solid:
    """The solid of an outline (n, 2), extruded along z by `thickness` around z = 0, with a round bore about its origin:
    moments of the polygon by Green's theorem (C. Steger, On the Calculation of Moments of Polygons, 1996), minus those
    of the circle."""
    p = counter_clockwise(outline)
    q = np.roll(p, -1, axis=0)
    a = p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]
    area = 0.5 * a.sum()
    first = ((p + q) * a[:, None]).sum(axis=0) / 6.0
    xx, yy = ((p**2 + p * q + q**2) * a[:, None]).sum(axis=0) / 12.0
    xy = ((2.0 * (p[:, 0] * p[:, 1] + q[:, 0] * q[:, 1]) + p[:, 0] * q[:, 1] + q[:, 0] * p[:, 1]) * a).sum() / 24.0
    disc = math.pi * bore**2
    area -= disc
    xx -= disc * bore**2 / 4.0
    yy -= disc * bore**2 / 4.0
    centre = first / area
    xx = xx / area - centre[0] ** 2
    yy = yy / area - centre[1] ** 2
    xy = xy / area - centre[0] * centre[1]
    along = thickness**2 / 12.0
    inertia = np.array([[yy + along, -xy, 0.0], [-xy, xx + along, 0.0], [0.0, 0.0, xx + yy]])
    return float(area * thickness), (float(centre[0]), float(centre[1]), 0.0), inertia


def prism_mesh(
    outline: Points, thickness: float, name: str, holes: Sequence[Points] = (), *, twist: float = 0.0, layers: int = 1,
    repeats: int = 1,
) -> MeshData:  # fmt: skip
    """A closed mesh of an extruded outline with holes; `twist` [rad] turns its far end against the near one. `repeats`:
    how often the outline comes again around its origin, which saves time."""
    outer = counter_clockwise(outline)
    inner = [counter_clockwise(hole) for hole in holes]
    flat = triangulated(outer, inner) if repeats < 3 else triangulated_around(outer, repeats, inner)
    half = thickness / 2.0
    if not twist:
        walls = [wall(outer, -half, half), *(wall(hole, -half, half, inward=True) for hole in inner)]
        return MeshData(name, np.concatenate([cap(flat, half), cap(flat, -half), *walls]))
    ends = [cap(turned(flat, side * twist / 2.0), side * half) for side in (1.0, -1.0)]
    heights = np.linspace(-half, half, layers + 1)
    walls = []
    for loop, inward in ((outer, False), *((hole, True) for hole in inner)):
        rings = [np.column_stack([turned(loop, twist * z / thickness), np.full(len(loop), z)]) for z in heights]
        surface = grid_surface(np.stack(rings, axis=1), close_u=True, close_v=False)
        walls.append(surface[:, ::-1] if inward else surface)
    return MeshData(name, np.concatenate([*ends, *walls]))


def turned(points: Points, angle: float) -> Points:
    """Points (..., 2), turned about the origin."""
    c, s = math.cos(angle), math.sin(angle)
    found: Points = points @ np.array([[c, s], [-s, c]])
    return found


def prism(
    outline: Points,
    fine: Points,
    thickness: float,
    name: str,
    *,
    bore: float = 0.0,
    pose: Pose = IDENTITY,
    twist: float = 0.0,
    density: float = ALUMINIUM,
    color: Color = "",
    collides: bool = False,
    touched: tuple[tuple[MeshData, Pose], ...] = (),
    repeats: int = 1,
) -> PlacedShape:
    """An extruded outline with a bore: the mesh has the corners of `outline`, which comes again `repeats` times around
    its origin, the mass is that of `fine`. Bodies touch `touched`, or convex pieces of it."""
    holes = [circle(bore, CIRCLE)] if bore > 0.0 else []
    layers = max(1, math.ceil(abs(twist) / 0.05))
    mesh = prism_mesh(outline, thickness, name, holes, twist=twist, layers=layers, repeats=repeats)
    solid = prism_solid(fine, thickness, bore)
    touched = touched or (tuple((part, pose) for part in convex_prisms(outline, thickness, name)) if collides else ())
    return PlacedShape(((mesh, pose),), ((solid, pose),), density, None, color, collides, "teeth", touched)


def convex_prisms(outline: Points, thickness: float, name: str) -> list[MeshData]:
    """Convex pieces of an extruded outline, which bodies touch: a mesh that moves counts as its convex hull."""
    return [
        prism_mesh(part, thickness, f"{name}_part{number}")
        for number, part in enumerate(convex_parts(outline), start=1)
    ]
