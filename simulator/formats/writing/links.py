"""Links → `<link>`, with inertials, visuals, collisions and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import MESH_UP
from simulator.formats.sdf.vocabulary import CONVEX_HULL
from simulator.formats.writing.elements import element, flag, number, numbers, pose, unless
from simulator.formats.writing.places import local_name
from simulator.model.link import Inertial
from simulator.model.material import Surface
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

if TYPE_CHECKING:
    from simulator.formats.nodes import Node
    from simulator.formats.writing.places import Places
    from simulator.formats.writing.uris import Uris
    from simulator.model.link import Collision, Link, Omitted, Visual
    from simulator.model.material import FrictionDirection, Material, Torsion

STANDARD = Surface()
EXPRESSED_IN = "gz:expressed_in"
UNIT_SCALE = (1.0, 1.0, 1.0)


def link_node(link: Link, scope: str, places: Places, uris: Uris) -> Node:
    """One link of the model `scope`."""
    return element(
        "link",
        pose(places.relative(scope, "", link.X_WL)),
        unless(link.gravity, True, flag("gravity", link.gravity)),
        unless(link.kinematic, False, flag("kinematic", link.kinematic)),
        unless(link.self_collide, False, flag("self_collide", link.self_collide)),
        inertial_node(link.inertial) if link.has_inertial else None,
        *(_visual(item, uris) for item in link.visuals),
        *(_omitted(item, uris) for item in link.omitted if item.element == "visual"),
        *(_collision(item, uris) for item in link.collisions),
        *(_omitted(item, uris) for item in link.omitted if item.element == "collision"),
        name=local_name(link.name, scope),
    )


def inertial_node(inertial: Inertial) -> Node:
    """`<inertial>`."""
    tags = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    values = (*inertial.moments, *inertial.products)
    moments = [number(tag, value) for tag, value in zip(tags, values, strict=True)]
    return element("inertial", pose(inertial.X_LI), number("mass", inertial.mass), element("inertia", *moments))


def _visual(visual: Visual, uris: Uris) -> Node:
    return element(
        "visual",
        pose(visual.X_LV),
        element("geometry", shape_node(visual.shape, uris)),
        None if visual.material is None else material_node(visual.material, uris),
        unless(visual.transparency, 0.0, number("transparency", visual.transparency)),
        name=visual.name,
    )


def _collision(collision: Collision, uris: Uris) -> Node:
    return element(
        "collision",
        pose(collision.X_LC),
        element("geometry", shape_node(collision.shape, uris)),
        unless(collision.surface, STANDARD, surface_node(collision.surface)),
        name=collision.name,
    )


def _omitted(item: Omitted, uris: Uris) -> Node:
    """A part that could not be used; what it says stays in the document."""
    shape = shape_node(item.mesh, uris) if item.mesh is not None else element(item.geometry)
    return element(item.element, pose(item.X_L), element("geometry", shape), name=item.name)


def shape_node(shape: Shape, uris: Uris) -> Node:
    """What is inside of `<geometry>`."""
    match shape:
        case Box(size):
            return element("box", numbers("size", size))
        case Ellipsoid(radii):
            return element("ellipsoid", numbers("radii", radii))
        case Sphere(radius):
            return element("sphere", number("radius", radius))
        case Plane(normal, size):
            return element("plane", numbers("normal", normal), numbers("size", size))
        case Mesh():
            return _mesh(shape, uris)
        case Cylinder(radius, length) | Cone(radius, length) | Capsule(radius, length):
            return element(type(shape).__name__.lower(), number("radius", radius), number("length", length))


def _mesh(mesh: Mesh, uris: Uris) -> Node:
    part = element(
        "submesh", element("name", text=mesh.submesh), unless(mesh.center, False, flag("center", mesh.center))
    )
    return element(
        "mesh",
        element("uri", text=uris.of_mesh(mesh)),
        unless(mesh.scale, UNIT_SCALE, numbers("scale", mesh.scale)),
        part if mesh.submesh or mesh.center else None,
        **({"optimization": CONVEX_HULL} if mesh.hull else {}),
        **({MESH_UP: mesh.up} if mesh.up else {}),
    )


def material_node(material: Material, uris: Uris) -> Node:
    """`<material>`."""
    colors = ("ambient", "diffuse", "specular", "emissive")
    written = [(tag, getattr(material, tag)) for tag in colors]
    texture = material.texture
    pbr = None
    if texture is not None and texture.path:
        albedo = element("albedo_map", text=uris.of_file(texture.name, texture.path))
        pbr = element("pbr", element("metal", albedo))
    return element("material", *(numbers(tag, color) for tag, color in written if color is not None), pbr)


def surface_node(surface: Surface) -> Node:
    """Only what is not SDFormat's default."""
    restitution = unless(surface.restitution, 0.0, number("restitution_coefficient", surface.restitution))
    ode = element(
        "ode",
        unless(surface.contact_stiffness, STANDARD.contact_stiffness, number("kp", surface.contact_stiffness)),
        unless(surface.contact_damping, STANDARD.contact_damping, number("kd", surface.contact_damping)),
    )
    mask = element("collide_bitmask", text=str(surface.collide_bitmask))
    contact = element("contact", unless(surface.collide_bitmask, 0xFFFF, mask), ode if ode.children else None)
    ode_of_friction = element(
        "ode",
        number("mu", surface.friction),
        number("mu2", surface.friction2),
        unless(surface.slip, STANDARD.slip, number("slip1", surface.slip)),
        unless(surface.slip2, STANDARD.slip2, number("slip2", surface.slip2)),
        None if surface.direction is None else _direction(surface.direction),
    )
    rubbing = (surface.friction, surface.friction2, surface.slip, surface.slip2, surface.direction)
    rubs = unless(rubbing, (STANDARD.friction, STANDARD.friction2, 0.0, 0.0, None), ode_of_friction)
    torsional = unless(surface.torsion, STANDARD.torsion, _torsional(surface.torsion))
    from_on = unless(surface.bounce_threshold, STANDARD.bounce_threshold, number("threshold", surface.bounce_threshold))
    return element(
        "surface",
        _unless_empty(element("bounce", restitution, from_on)),
        _unless_empty(element("friction", rubs, torsional)),
        _unless_empty(contact),
    )


def _unless_empty(node: Node) -> Node | None:
    return node if node.children else None


def _torsional(torsion: Torsion) -> Node:
    slip = unless(torsion.slip, 0.0, element("ode", number("slip", torsion.slip)))
    return element(
        "torsional",
        number("coefficient", torsion.coefficient),
        flag("use_patch_radius", torsion.use_patch_radius),
        number("patch_radius", torsion.patch_radius),
        number("surface_radius", torsion.surface_radius),
        slip,
    )


def _direction(direction: FrictionDirection) -> Node:
    """`<fdir1>`, in the frame in which it was written."""
    fdir1 = numbers("fdir1", direction.xyz)
    if direction.expressed_in:
        fdir1.attributes[EXPRESSED_IN] = direction.expressed_in
    return fdir1
