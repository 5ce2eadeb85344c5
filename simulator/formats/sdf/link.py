"""`<link>` elements with their visuals and collisions."""

from __future__ import annotations

from simulator.formats.cursor import Cursor
from simulator.formats.sdf.auto_inertia import inertial_of, solid_of
from simulator.formats.sdf.extensions import BAR, WITHOUT_MASS
from simulator.formats.sdf.geometry import LeftOut, read_geometry
from simulator.formats.sdf.material import read_material, read_surface
from simulator.formats.sdf.names import read_named
from simulator.formats.sdf.poses import read_local_pose, read_pose
from simulator.formats.sdf.specs import LinkSpec, PoseSpec
from simulator.formats.sdf.textures import judge_mesh_looks
from simulator.model.link import Collision, Inertial, Link, Omitted, Visual
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import Vec3


def read_link(cursor: Cursor, name: str) -> LinkSpec:
    """One link; whatever hangs on it is given in the link's frame."""
    visuals: list[Visual | Omitted] = read_named(cursor, "visual", _visual)
    collisions: list[Collision | Omitted] = read_named(cursor, "collision", _collision)
    inertial = inertial_of(cursor, collisions, visuals)
    link = Link(
        name=name,
        inertial=inertial,
        has_inertial=cursor.child("inertial") is not None or inertial != Inertial(),
        visuals=tuple(item for item in visuals if isinstance(item, Visual)),
        collisions=tuple(item for item in collisions if isinstance(item, Collision)),
        gravity=cursor.boolean("gravity", True),
        kinematic=cursor.boolean("kinematic", False),
        self_collide=cursor.boolean("self_collide", False),
        omitted=tuple(item for item in (*visuals, *collisions) if isinstance(item, Omitted)),
        solid=solid_of(cursor, inertial, collisions, visuals),
        bar=_bar(cursor),
        states_mass=not cursor.get(WITHOUT_MASS),
        source=cursor.source,
    )
    return LinkSpec(name, cursor.source, read_pose(cursor), link, _elsewhere(cursor))


def _bar(link: Cursor) -> tuple[Vec3, Vec3] | None:
    """The two ends of the bar that visuals are made for; none of two ends in one place, which have no line."""
    cursor = link.child(BAR)
    if cursor is None:
        return None
    start, end = link.two_vectors(BAR)
    if start != end:
        return start, end
    message = f"<{BAR}> has both ends in one place; shapes are drawn as their <geometry> says"
    cursor.log.warning("ELEMENT_INVALID", cursor.source, message, "write the two ends, x y z x y z in the link's frame")
    return None


def _elsewhere(link: Cursor) -> dict[tuple[str, str], PoseSpec]:
    """Poses of visuals and collisions that are given relative to another frame than the link's own."""
    found = {}
    for node in link.node.children:
        pose = node.child("pose") if node.tag in ("visual", "collision") else None
        if pose is not None and pose.attributes.get("relative_to"):
            found[node.tag, node.attributes.get("name", "")] = read_pose(Cursor(node, link.reading))
    return found


def _visual(cursor: Cursor, name: str) -> Visual | Omitted:
    shape = read_geometry(cursor)
    pose = read_local_pose(cursor)
    material = read_material(cursor)
    if isinstance(shape, LeftOut):
        return _omitted(cursor, name, shape, pose)
    judge_mesh_looks(cursor, shape, material)
    transparency = min(1.0, max(0.0, cursor.finite("transparency", 0.0)))
    return Visual(name, shape, pose, material, transparency, cursor.source)


def _collision(cursor: Cursor, name: str) -> Collision | Omitted:
    shape = read_geometry(cursor)
    pose = read_local_pose(cursor)
    surface = read_surface(cursor)
    if isinstance(shape, LeftOut):
        return _omitted(cursor, name, shape, pose)
    return Collision(name, shape, pose, surface, cursor.source)


def _omitted(cursor: Cursor, name: str, shape: LeftOut, pose: Pose) -> Omitted:
    required = shape.mesh is not None and cursor.reading.options.strict
    return Omitted(cursor.tag, name, shape.geometry, pose, shape.mesh, required, cursor.source)
