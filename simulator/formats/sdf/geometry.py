"""`<geometry>` elements → shapes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from simulator.formats.cursor import LostMesh
from simulator.formats.mesh.loader import MeshError, mesh_of
from simulator.formats.sdf.extensions import MESH_UP
from simulator.formats.sdf.vocabulary import CONVEX_HULL
from simulator.formats.values import FARTHEST, numbers_text
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from simulator.records import dataclass
from simulator.spatial.rotation import Vec3, normalized

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.formats.cursor import Cursor, Reading

T = TypeVar("T")
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


class _NoSizeError(Exception):
    """A shape has an extent of zero or less: RViz, PyBullet and MuJoCo's URDF show and touch nothing."""


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
            try:
                return read(shape)
            except _NoSizeError as error:
                message = f"{error}; the {owner.tag} is left out"
                hint = "give it a size, or take it out"
                cursor.log.warning("ELEMENT_INVALID", shape.source, message, hint, fold=f"no size {owner.tag}")
                return LeftOut("empty")
    mesh = cursor.child("mesh")
    if mesh is not None:
        return _mesh(mesh, owner.tag)
    for tag, reason in NOT_SIMULATED.items():
        unsupported = cursor.child(tag)
        if unsupported is not None:
            cursor.log.warning("GEOMETRY_NOT_SIMULATED", unsupported.source, f"<{tag}> is left out: {reason}")
            return LeftOut(tag)
    if cursor.child("empty") is None:
        hint = f"shapes are: {', '.join(_READERS)}, mesh"
        cursor.log.warning(
            "ELEMENT_MISSING", cursor.source, f"<geometry> holds no shape; the {owner.tag} is left out", hint
        )
    return LeftOut("empty")


def _positive(cursor: Cursor, tag: str, *, missing: float, replaced: float) -> float:
    """A length that must be positive and finite. Raises _NoSizeError; libsdformat's rules are to take a default."""
    value = cursor.number(tag, missing)
    if 0.0 < value <= FARTHEST:
        return value
    fault = f"<{tag}> of a {cursor.tag} must be positive and below {FARTHEST:g}, not {value:g}"
    return _replaced(cursor, fault, f"{replaced}", replaced)


def _positive3(cursor: Cursor, tag: str) -> Vec3:
    value = cursor.vector3(tag, (1.0, 1.0, 1.0))
    if min(value) > 0.0:
        return value
    fault = f"<{tag}> of a {cursor.tag} must be positive, not {numbers_text(value)}"
    return _replaced(cursor, fault, "1 1 1", (1.0, 1.0, 1.0))


def _replaced(cursor: Cursor, fault: str, text: str, replaced: T) -> T:
    if not cursor.reading.options.strict:
        raise _NoSizeError(fault)
    cursor.log.warning("ELEMENT_INVALID", cursor.source, f"{fault}; {text} is taken")
    return replaced


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


def _mesh(cursor: Cursor, owner: str) -> Shape | LeftOut:
    """`owner` is the element that needs the mesh: "visual" or "collision"."""
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
        up="" if path is None else cursor.reading.up_axis(path, uri.source, cursor.get(MESH_UP)),
        hull=cursor.get("optimization") == CONVEX_HULL,
    )
    return shape if _usable(shape, uri, owner) else LeftOut("mesh", replace(shape, path="", up=""))


def _usable(shape: Mesh, uri: Cursor, owner: str) -> bool:
    """Whether the mesh file exists and can be read. libsdformat never looks: the rest of the document can be simulated
    without."""
    fault, hint = "", ""
    if shape.path:
        try:
            mesh_of(shape, uri.reading.budget)
            return True
        except MeshError as error:
            fault = str(error)
            hint = error.hint
    if not uri.reading.options.strict:
        lost = uri.reading.lost_meshes.setdefault((shape.uri, fault), LostMesh(shape.uri, uri.source, fault, hint))
        lost.owners.add(owner)
    elif fault:
        uri.log.warning("MESH_UNREADABLE", uri.source, f"{fault}; the shape is left out", hint)
    else:
        message = f"there is no mesh file '{shape.uri}'; the shape is left out"
        uri.reading.report_missing(shape.uri, uri.source, message, error=False)
    return False


def report_lost_meshes(reading: Reading) -> None:
    """Say once of each mesh file that cannot be used what is done without; files with the same fault are reported
    together."""
    for mesh in reading.lost_meshes.values():
        done = [_WITHOUT[owner] for owner in _WITHOUT if owner in mesh.owners]
        outcome = " and ".join(done)
        if mesh.fault:
            kind = mesh.fault.replace(PurePath(mesh.uri).name, "")
            reading.log.warning(
                "MESH_UNREADABLE", mesh.where, f"{mesh.fault}; {outcome}", mesh.hint, fold=f"{kind} {outcome}"
            )
        else:
            message = f"there is no mesh file '{mesh.uri}'; {outcome}"
            reading.report_missing(mesh.uri, mesh.where, message, error=False, fold=outcome)


_WITHOUT = {"visual": "a placeholder is drawn for it", "collision": "its collision touches nothing"}
"""What is done without a mesh, by the element that needs it."""
_READERS: dict[str, Callable[[Cursor], Shape]] = {
    "box": _box,
    "capsule": _capsule,
    "cone": _cone,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
    "plane": _plane,
    "sphere": _sphere,
}
"""In SDFormat's order: where a geometry holds several shapes, the first of this list counts; a mesh comes after
them."""
