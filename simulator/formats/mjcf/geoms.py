"""Geoms of MuJoCo's model → visuals and collisions."""

from __future__ import annotations

import math
import os
from dataclasses import field
from typing import TYPE_CHECKING, Any

from simulator.formats.mjcf.poses import element, number, pose_node, pose_of, vec3
from simulator.formats.sdf.vocabulary import CONVEX_HULL
from simulator.formats.values import number_text, numbers_text
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.mjcf.compiling import Compiled
    from simulator.formats.nodes import Node

PLANE, _, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = range(9)
"""`mjtGeom`."""
SHOWN_GROUPS = 3
"""Geoms of the first so many groups are seen in MuJoCo's own window; by custom, collisions alone are in others."""
ENDLESS = 20.0
"""Metres that are drawn of a plane without end."""
USUAL_COLOUR = (0.5, 0.5, 0.5, 1.0)
"""MuJoCo's colour of a geom that says none: its material's counts."""
PATCH = 16.0 / (3.0 * math.pi)
"""A patch of radius a resists being turned by 3/16 π a μ N (Contact Mechanics, Johnson, 7.4); MuJoCo's torsional
coefficient is the factor of N itself."""


@dataclass
class MjcfGeoms:
    """Visuals and collisions by the number of their body. `touching` are the geoms that have collisions."""

    parts: dict[int, list[Node]] = field(default_factory=dict)
    touching: list[int] = field(default_factory=list)


def read_geoms(compiled: Compiled, masks: Mapping[int, int], log: DiagnosticLog) -> MjcfGeoms:
    """All geoms. `masks`: the bits of those that touch something, by number."""
    model = compiled.model
    geoms = MjcfGeoms()
    hidden = [geom for geom in range(model.ngeom) if model.geom_group[geom] >= SHOWN_GROUPS]
    show_all = len(hidden) == model.ngeom
    taken: set[tuple[int, str, str]] = set()
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        where = compiled.places.of_kind("geoms", geom)
        shape = _shape(geom, compiled, where, log)
        if shape is None:
            continue
        geometry, X = shape
        own = compiled.name("GEOM", geom) or f"geom{geom}"
        parts = geoms.parts.setdefault(body, [])
        colour = _colour(geom, compiled)
        if (show_all or model.geom_group[geom] < SHOWN_GROUPS) and colour[3] > 0.0:
            look = _material(geom, colour, compiled, where)
            name = _free(body, "visual", own, taken)
            parts.append(element("visual", where, pose_node(X, where), geometry, look, name=name))
        if masks.get(geom):
            geoms.touching.append(geom)
            surface = _surface(geom, masks[geom], compiled, where)
            name = _free(body, "collision", own, taken)
            parts.append(element("collision", where, pose_node(X, where), geometry.copy(), surface, name=name))
    _report_friction(geoms.touching, compiled, log)
    return geoms


def _free(body: int, kind: str, wanted: str, taken: set[tuple[int, str, str]]) -> str:
    name = wanted.replace("::", "_")
    count = 0
    while (body, kind, name) in taken:
        name = f"{wanted}_{count}"
        count = count + 1
    taken.add((body, kind, name))
    return name


def _shape(geom: int, compiled: Compiled, where: Source, log: DiagnosticLog) -> tuple[Node, Pose] | None:
    """`<geometry>` and its pose in the body; None, with a finding, for what is no shape here."""
    model = compiled.model
    size = [float(value) for value in model.geom_size[geom]]
    X = pose_of(model.geom_pos[geom], model.geom_quat[geom])
    match int(model.geom_type[geom]):
        case 0:
            extent = [2.0 * value if value > 0.0 else ENDLESS for value in size[:2]]
            shape = element("plane", where, element("size", where, text=numbers_text(extent)))
        case 2:
            shape = element("sphere", where, number("radius", where, size[0]))
        case 3:
            shape = _round("capsule", size, where)
        case 4:
            shape = element("ellipsoid", where, element("radii", where, text=numbers_text(size)))
        case 5:
            shape = _round("cylinder", size, where)
        case 6:
            text = numbers_text(2.0 * value for value in size)
            shape = element("box", where, element("size", where, text=text))
        case 7:
            found = _mesh(geom, compiled, where, log)
            if found is None:
                return None
            shape, X_GM = found
            X = X @ X_GM
        case other:
            kind = {1: "terrain (hfield)", 8: "a signed distance field"}.get(other, f"a geom of type {other}")
            name = compiled.name("GEOM", geom)
            log.warning("GEOMETRY_NOT_SIMULATED", where, f"{kind} is left out", "use a mesh", fold=kind, about=name)
            return None
    return element("geometry", where, shape), X


def _round(tag: str, size: list[float], where: Source) -> Node:
    return element(tag, where, number("radius", where, size[0]), number("length", where, 2.0 * size[1]))


def _mesh(geom: int, compiled: Compiled, where: Source, log: DiagnosticLog) -> tuple[Node, Pose] | None:
    """A mesh and where its file's own frame is in that of the geom: MuJoCo moves meshes into their principal axes."""
    model = compiled.model
    mesh = int(compiled.model.geom_dataid[geom])
    name = compiled.name("MESH", mesh)
    file = compiled.files.get(name)
    if file is None:
        message = f"the mesh '{name}' has no file: its shape is left out"
        log.warning("GEOMETRY_NOT_SIMULATED", where, message, "save it as a file", fold="mesh", about=name)
        return None
    spec = next(item for item in compiled.spec.meshes if item.name == name)
    scale, X_ref = _scale(spec, where, log)
    X_GM = pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse() @ X_ref
    beside = os.path.dirname(os.path.abspath(where.file))
    uri = element("uri", where, text=_relative(file, beside))
    # Of all meshes MuJoCo collides the hulls.
    return element(
        "mesh", where, uri, element("scale", where, text=numbers_text(scale)), optimization=CONVEX_HULL
    ), X_GM


def _relative(file: str, folder: str) -> str:
    try:
        return os.path.relpath(file, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return file


def _scale(mesh: Any, where: Source, log: DiagnosticLog) -> tuple[list[float], Pose]:
    """The scale, and the pose of the scaled file that `refpos` and `refquat` make: v ↦ S Rᵀ (v − p)."""
    scale = [float(value) for value in mesh.scale]
    X_ref = pose_of(mesh.refpos, mesh.refquat)
    if X_ref == IDENTITY:
        return scale, IDENTITY
    turn = Pose((0.0, 0.0, 0.0), X_ref.orientation).inverse()
    if turn.orientation != IDENTITY.orientation and len(set(scale)) > 1:
        message = f"the mesh '{mesh.name}' is turned by refquat and scaled by unequal factors: its place is not exact"
        log.warning("GEOMETRY_NOT_SIMULATED", where, message, "save the mesh as it is meant", about=mesh.name)
    x, y, z = turn.rotate(vec3(X_ref.position))
    return scale, Pose((-scale[0] * x, -scale[1] * y, -scale[2] * z), turn.orientation)


def _colour(geom: int, compiled: Compiled) -> tuple[float, ...]:
    model = compiled.model
    material = int(compiled.model.geom_matid[geom])
    own = tuple(round(float(value), 6) for value in model.geom_rgba[geom])
    if material < 0 or own != USUAL_COLOUR:
        return own
    red, green, blue, alpha = (float(value) for value in model.mat_rgba[material])
    computed = compiled.colours.get(compiled.name("MATERIAL", material), (1.0, 1.0, 1.0))
    return red * computed[0], green * computed[1], blue * computed[2], alpha


def _material(geom: int, colour: tuple[float, ...], compiled: Compiled, where: Source) -> Node:
    rgba = numbers_text(min(1.0, max(0.0, round(value, 6))) for value in colour)
    look = [element(tag, where, text=rgba) for tag in ("ambient", "diffuse")]
    picture = compiled.pictures.get(compiled.name("MATERIAL", int(compiled.model.geom_matid[geom])), "")
    if picture and compiled.model.geom_type[geom] == MESH:
        uri = _relative(picture, os.path.dirname(os.path.abspath(where.file)))
        maps = element("metal", where, element("albedo_map", where, text=uri))
        look.append(element("pbr", where, maps))
    return element("material", where, *look)


def _surface(geom: int, mask: int, compiled: Compiled, where: Source) -> Node:
    """Friction, and the bits of what is touched. Directions of friction are `condim`: 1 has none, 4 and 6 turning."""
    model = compiled.model
    directions = int(compiled.model.geom_condim[geom])
    sliding, turning, _ = (float(value) for value in model.geom_friction[geom])
    mu = number_text(sliding if directions > 1 else 0.0)
    ode = element("ode", where, element("mu", where, text=mu), element("mu2", where, text=mu))
    patch = number("patch_radius", where, PATCH * turning) if directions > 3 and turning else None
    torsional = None if patch is None else element("torsional", where, number("coefficient", where, 1.0), patch)
    bits = element("collide_bitmask", where, text=str(mask))
    return element("surface", where, element("contact", where, bits), element("friction", where, ode, torsional))


def _report_friction(touching: list[int], compiled: Compiled, log: DiagnosticLog) -> None:
    model = compiled.model
    rolling = next((geom for geom in touching if model.geom_condim[geom] > 4), None)
    if rolling is not None:
        where = compiled.places.of_kind("geoms", rolling)
        log.warning("NOT_SIMULATED", where, "rolling friction is not simulated", "use the damping of a joint")
    values = {float(model.geom_friction[geom][0]) if model.geom_condim[geom] > 1 else 0.0 for geom in touching}
    if len(values) > 1:
        where = compiled.places.of_kind("geoms", touching[0])
        least, most = min(values), max(values)
        message = (
            f"geoms that touch have friction from {least:g} to {most:g}: of two, the smaller counts here, the greater "
            "in MuJoCo"
        )
        log.warning("MJCF_FRICTION", where, message, "give both the friction that is meant")
