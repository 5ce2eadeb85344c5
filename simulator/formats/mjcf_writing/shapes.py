"""Visuals and collisions as geoms, meshes as assets."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.mesh.loader import MeshError, mesh_of
from simulator.formats.values import numbers_text
from simulator.formats.writing.elements import element
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.records import dataclass
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import perpendicular_to, quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.formats.writing.uris import Uris
    from simulator.model.link import Collision, Link, Visual
    from simulator.model.material import Surface

CODE = "CONVERT_DROPPED"
READABLE = (".stl", ".obj")
"""Mesh files that MuJoCo reads as they are."""
MOST_TRIANGLES = 50_000
"""Of a mesh that is written into the document."""
SHOWN, TOUCHED = "2", "3"
"""Groups of geoms: MuJoCo's window shows the first, and the second when asked."""
SIDES = 32
"""Of a cone, which MuJoCo has not."""
PATCH = 3.0 * math.pi / 16.0
"""A patch of radius a resists being turned by 3/16 π a μ N; MuJoCo's torsional coefficient is the factor of N."""


def place(X: Pose) -> dict[str, str]:
    """`pos` and `quat` (w, x, y, z); nothing for what they are without."""
    x, y, z, w = X.orientation
    said = {} if X.position == (0.0, 0.0, 0.0) else {"pos": numbers_text(value + 0.0 for value in X.position)}
    return said if (x, y, z) == (0.0, 0.0, 0.0) else said | {"quat": numbers_text((w, x, y, z))}


@dataclass
class MjcfAssets:
    """Meshes that geoms use, each once. `ranks`: coefficients of friction, the greatest first."""

    uris: Uris
    log: DiagnosticLog
    ranks: list[float] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    names: dict[object, str] = field(default_factory=dict)

    def mesh(self, shape: Mesh | Cone) -> str:
        """The name of a mesh; "" where it cannot be had."""
        if shape not in self.names:
            name = f"mesh{len(self.nodes)}"
            node = _cone(shape, name) if isinstance(shape, Cone) else self._file(shape, name)
            self.names[shape] = "" if node is None else name
            self.nodes += [] if node is None else [node]
        return self.names[shape]

    def _file(self, shape: Mesh, name: str) -> Node | None:
        plain = not (shape.submesh or shape.center or shape.up)
        if plain and shape.path.lower().endswith(READABLE):
            scale = {} if shape.scale == (1.0, 1.0, 1.0) else {"scale": numbers_text(shape.scale)}
            return element("mesh", name=name, file=self.uris.of_file("", shape.path), inertia="shell", **scale)
        try:
            mesh = mesh_of(shape)
        except MeshError:
            return None
        if len(mesh.triangles) > MOST_TRIANGLES:
            return None
        vertex = numbers_text(mesh.vertices.ravel())
        face = " ".join(map(str, mesh.triangles.ravel()))
        return element("mesh", name=name, inertia="shell", vertex=vertex, face=face)


def _cone(shape: Cone, name: str) -> Node:
    half = 0.5 * shape.length
    angles = [math.tau * side / SIDES for side in range(SIDES)]
    ring = [(shape.radius * math.cos(angle), shape.radius * math.sin(angle), -half) for angle in angles]
    points = [value for point in [*ring, (0.0, 0.0, half)] for value in point]
    return element("mesh", name=name, inertia="convex", vertex=numbers_text(points))


def friction_ranks(links: Iterable[Link]) -> list[float]:
    """All coefficients of friction, the greatest first: of two geoms, the one with the greater `priority` decides, and
    here it is the smaller coefficient that counts."""
    return sorted({part.surface.friction for link in links for part in link.collisions}, reverse=True)


def geoms(link: Link, contype: tuple[int, int], assets: MjcfAssets) -> list[Node]:
    """All that is seen and touched of a link. `contype`: its bits, and those of what it touches."""
    nodes = []
    for visual in link.visuals:
        form = _form(visual.shape, visual, assets)
        if form is not None:
            bits = {"contype": "0", "conaffinity": "0", "group": SHOWN}
            nodes.append(element("geom", **_at(visual.X_LV, visual.shape), **form, **bits, **_colour(visual)))
    for collision in link.collisions:
        form = _form(collision.shape, collision, assets)
        if form is not None:
            mask = collision.surface.collide_bitmask
            both = [bits if mask == 0xFFFF else bits & mask for bits in contype]
            bits = {"contype": str(both[0]), "conaffinity": str(both[1]), "group": TOUCHED}
            nodes.append(
                element("geom", **_at(collision.X_LC, collision.shape), **form, **bits, **_rubbing(collision, assets))
            )
    return nodes


def _at(X: Pose, shape: Shape) -> dict[str, str]:
    if not isinstance(shape, Plane) or shape.normal == (0.0, 0.0, 1.0):
        return place(X)
    first, second = perpendicular_to(shape.normal)
    turn = quat_from_matrix(np.array([first, second, shape.normal]).T)
    return place(X @ Pose((0.0, 0.0, 0.0), turn))


def _form(shape: Shape, part: Visual | Collision, assets: MjcfAssets) -> dict[str, str] | None:
    if isinstance(shape, (Mesh, Cone)):
        name = assets.mesh(shape)
        if name:
            return {"type": "mesh", "mesh": name}
        message = f"the mesh of '{part.name}' cannot be written and is left out"
        assets.log.warning(CODE, part.source, message, "save it as STL or OBJ", fold="mesh", about=part.name)
        return None
    return {"type": type(shape).__name__.lower(), "size": numbers_text(_size(shape))}


def _size(shape: Box | Sphere | Ellipsoid | Cylinder | Capsule | Plane) -> tuple[float, ...]:
    """Half extents, as MuJoCo has them; the third of a plane is the distance of its grid lines."""
    match shape:
        case Box(size):
            return tuple(0.5 * value for value in size)
        case Sphere(radius):
            return (radius,)
        case Ellipsoid(radii):
            return radii
        case Cylinder(radius, length) | Capsule(radius, length):
            return (radius, 0.5 * length)
        case Plane(_, size):
            return (0.5 * size[0], 0.5 * size[1], 1.0)


def _colour(visual: Visual) -> dict[str, str]:
    material = visual.material
    colour = None if material is None else material.diffuse or material.ambient
    if colour is None:
        return {}
    red, green, blue, alpha = colour
    return {"rgba": numbers_text((red, green, blue, alpha * (1.0 - visual.transparency)))}


def _rubbing(collision: Collision, assets: MjcfAssets) -> dict[str, str]:
    surface = collision.surface
    _report_surface(collision, assets.log)
    said = {"priority": str(assets.ranks.index(surface.friction))}
    if surface.friction <= 0.0:
        return said | {"condim": "1"}
    turning = PATCH * surface.torsion.coefficient * surface.torsion.patch_radius if _turns(surface) else 0.0
    friction = numbers_text((surface.friction, turning, 0.0))
    return said | {"friction": friction, "condim": "4" if turning else "3"}


def _turns(surface: Surface) -> bool:
    return surface.torsion.use_patch_radius and surface.torsion.patch_radius > 0.0


def _report_surface(collision: Collision, log: DiagnosticLog) -> None:
    surface = collision.surface
    acting = {
        "restitution": surface.restitution > 0.0,
        "a direction of friction": surface.has_grain,
        "slip": surface.slip > 0.0 or surface.slip2 > 0.0,
        "contact stiffness": surface.gives_way,
    }
    for what, acts in acting.items():
        if acts:
            message = f"{what} of collision '{collision.name}' has no place in MJCF"
            log.warning(CODE, collision.source, message, fold=what, about=collision.name)
