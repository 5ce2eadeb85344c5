"""`<geometry>` elements → shapes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.formats.mesh.loader import MeshError, mesh_of
from simulator.formats.uris import parse_uri
from simulator.formats.values import FARTHEST
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.spatial.rotation import Vec3, normalized

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.formats.cursor import Cursor

NOT_SIMULATED = {
    "heightmap": "terrain is not simulated; use a mesh",
    "polyline": "extruded polylines are not simulated; use a mesh",
    "image": "an image makes no shape; use a mesh",
}


@dataclass(frozen=True)
class LeftOut:
    """A geometry that cannot be simulated or shown; the log says why."""

    geometry: str
    mesh: Mesh | None = None


def read_geometry(owner: Cursor) -> Shape | LeftOut:
    """The shape of a visual or collision."""
    cursor = owner.child("geometry")
    if cursor is None:
        message = f"<{owner.tag}> '{owner.get('name')}' has no <geometry>; it is left out"
        owner.log.warning("ELEMENT_MISSING", owner.source, message)
        return LeftOut("empty")
    for tag, read in _READERS.items():
        shape = cursor.child(tag)
        if shape is not None:
            return read(shape)
    for tag, reason in NOT_SIMULATED.items():
        unsupported = cursor.child(tag)
        if unsupported is not None:
            cursor.log.warning("GEOMETRY_NOT_SIMULATED", unsupported.source, f"<{tag}> is left out: {reason}")
            return LeftOut(tag)
    if cursor.child("empty") is None:
        hint = f"shapes are: {', '.join(_READERS)}"
        cursor.log.warning(
            "ELEMENT_MISSING", cursor.source, f"<geometry> holds no shape; the {owner.tag} is left out", hint
        )
    return LeftOut("empty")


def _positive(cursor: Cursor, tag: str, *, missing: float, replaced: float) -> float:
    """A length that must be positive and finite; libsdformat replaces others by a default with a warning."""
    value = cursor.number(tag, missing)
    if 0.0 < value <= FARTHEST:
        return value
    cursor.log.warning(
        "ELEMENT_INVALID",
        cursor.source,
        f"<{tag}> of a {cursor.tag} must be positive and below {FARTHEST:g}, not {value:g}; {replaced} is taken",
    )
    return replaced


def _positive3(cursor: Cursor, tag: str) -> Vec3:
    value = cursor.vector3(tag, (1.0, 1.0, 1.0))
    if min(value) > 0.0:
        return value
    cursor.log.warning(
        "ELEMENT_INVALID", cursor.source, f"<{tag}> of a {cursor.tag} must be positive, not {value}; 1 1 1 is taken"
    )
    return (1.0, 1.0, 1.0)


def _box(cursor: Cursor) -> Shape:
    return Box(_positive3(cursor, "size"))


def _capsule(cursor: Cursor) -> Shape:
    radius = _positive(cursor, "radius", missing=0.5, replaced=0.5)
    return Capsule(radius, _positive(cursor, "length", missing=1.0, replaced=1.0))


def _cone(cursor: Cursor) -> Shape:
    radius = _positive(cursor, "radius", missing=1.0, replaced=0.5)
    return Cone(radius, _positive(cursor, "length", missing=1.0, replaced=1.0))


def _cylinder(cursor: Cursor) -> Shape:
    radius = _positive(cursor, "radius", missing=1.0, replaced=0.5)
    return Cylinder(radius, _positive(cursor, "length", missing=1.0, replaced=1.0))


def _ellipsoid(cursor: Cursor) -> Shape:
    return Ellipsoid(_positive3(cursor, "radii"))


def _plane(cursor: Cursor) -> Shape:
    normal = cursor.vector3("normal", (0.0, 0.0, 1.0))
    try:
        normal = normalized(normal)
    except ValueError:
        cursor.log.warning("ELEMENT_INVALID", cursor.source, f"a plane's normal cannot be {normal}; 0 0 1 is taken")
        normal = (0.0, 0.0, 1.0)
    size = cursor.pair("size", (1.0, 1.0))
    if not all(part > 0.0 for part in size):
        cursor.log.warning(
            "ELEMENT_INVALID", cursor.source, f"a plane's size must be positive, not {size}; 1 1 is taken"
        )
        size = (1.0, 1.0)
    return Plane(normal, size)


def _sphere(cursor: Cursor) -> Shape:
    return Sphere(_positive(cursor, "radius", missing=1.0, replaced=1.0))


def _mesh(cursor: Cursor) -> Shape | LeftOut:
    uri = cursor.child("uri")
    if uri is None or not uri.text:
        cursor.log.error("ELEMENT_MISSING", cursor.source, "<mesh> has no <uri>", "write <uri>meshes/part.stl</uri>")
        return LeftOut("mesh")
    submesh = cursor.child("submesh")
    path = cursor.reading.find(uri.text, uri.source)
    shape = Mesh(
        uri=uri.text,
        path="" if path is None else str(path),
        scale=cursor.vector3("scale", (1.0, 1.0, 1.0)),
        submesh="" if submesh is None else submesh.string("name"),
        center=False if submesh is None else submesh.boolean("center", False),
    )
    return shape if _usable(shape, uri) else LeftOut("mesh", replace(shape, path=""))


def _usable(shape: Mesh, uri: Cursor) -> bool:
    """Whether the mesh file exists and can be read. libsdformat never looks: the rest of the document can be simulated without."""
    if not shape.path:
        strict = uri.reading.options.strict
        message = f"there is no mesh file '{shape.uri}'; the shape is left out"
        uri.reading.report_missing(
            shape.uri, uri.source, message, fold="" if strict else f"meshes {_origin(shape.uri)}"
        )
        return False
    try:
        mesh_of(shape)
    except MeshError as error:
        uri.log.warning("MESH_UNREADABLE", uri.source, f"{error}; the shape is left out", error.hint)
        return False
    return True


def _origin(uri: str) -> str:
    """What meshes have in common that are missing together: their package, or their folder."""
    return parse_uri(uri).package or uri.rpartition("/")[0]


_READERS: dict[str, Callable[[Cursor], Shape | LeftOut]] = {
    "box": _box,
    "capsule": _capsule,
    "cone": _cone,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
    "plane": _plane,
    "sphere": _sphere,
    "mesh": _mesh,
}
"""In SDFormat's order: where a geometry holds several shapes, the first of this list counts."""
