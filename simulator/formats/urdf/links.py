"""URDF links → `<link>` and `<frame>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.cursor import offered
from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import BAR
from simulator.formats.sdf.vocabulary import SDFORMAT
from simulator.formats.urdf.faults import UrdfError
from simulator.formats.urdf.robot import (
    Robot,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
    UrdfPart,
    attribute,
    numbers,
    origin,
)
from simulator.formats.values import number_text, numbers_text
from simulator.formats.vocabulary import check_vocabulary
from simulator.model.joint import WORLD
from simulator.spatial.pose import IDENTITY

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.spatial.pose import Pose

SURFACE: dict[str, tuple[str, ...]] = {
    "mu1": ("friction", "ode", "mu"),
    "mu2": ("friction", "ode", "mu2"),
    "fdir1": ("friction", "ode", "fdir1"),
    "kp": ("contact", "ode", "kp"),
    "kd": ("contact", "ode", "kd"),
    "bullet:restitution": ("bounce", "restitution_coefficient"),
    "bullet:patch_radius": ("friction", "torsional", "patch_radius"),
}
"""Where the extensions of a link for its contacts belong in an SDFormat surface."""
SHAPES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "mesh": ("filename",),
}
"""The shapes of URDF with the attributes that each must have."""
RENAMED = {"selfCollide": "self_collide"}
COPIED = ("gravity", "self_collide", "kinematic", "sensor", "plugin", "enable_wind", "velocity_decay", "light")
GAZEBO_SCRIPT = "file://media/materials/scripts/gazebo.material"
NOT_READ = "is not simulated; it is a setting of Gazebo's own engines"


def pose_node(owner: Node, X: Pose | None = None, relative_to: str = "") -> Node:
    """A `<pose>` at the place of `owner`: its `<origin>`, or `X`."""
    pose = origin(owner) if X is None else X
    node = owner.with_text("pose", "")
    if pose != IDENTITY:
        node.text = numbers_text(pose.as_list())
        node.attributes["rotation_format"] = "quat_xyzw"
    if relative_to:
        node.attributes["relative_to"] = relative_to
    return node


def link_node(link: UrdfLink, joint: UrdfJoint | None, log: DiagnosticLog) -> list[Node]:
    """The link and a frame for each link and joint that was lumped into it."""
    node = Node("link", link.node.source, {"name": link.name})
    if joint is not None:
        floats = joint.type == "floating"
        place = "" if floats and joint.parent == WORLD else joint.parent
        node.children.append(
            pose_node(link.node, joint.X_PJ, place)
            if floats
            else Node("pose", link.node.source, {"relative_to": joint.name})
        )
    if link.inertial is not None:
        node.children.append(_inertial(link.node, link.inertial))
    for index, part in enumerate(link.visuals):
        node.children.append(_part(link, part, "visual", index, _material(link, part, log)))
    for index, part in enumerate(link.collisions):
        surface = _surface(link, link.extensions if part.extensions is None else part.extensions)
        node.children.append(_part(link, part, "collision", index, surface))
    node.children += [bar.copy() for bar in link.node.all(BAR)]
    _extend(node, link, log)
    frames = [
        Node("frame", link.node.source, {"name": name, "attached_to": link.name}, children=[pose_node(link.node, X)])
        for name, X in link.frames.items()
    ]
    return [node, *frames]


def _inertial(place: Node, body: UrdfInertial) -> Node:
    inertia = place.with_text("inertia", "")
    for row, column, tag in ((0, 0, "ixx"), (1, 1, "iyy"), (2, 2, "izz"), (0, 1, "ixy"), (0, 2, "ixz"), (1, 2, "iyz")):
        inertia.children.append(place.with_text(tag, number_text(body.inertia[row, column])))
    result = (place.child("inertial") or place).with_text("inertial", "")
    result.children = [pose_node(place, body.X_LI), place.with_text("mass", number_text(body.mass)), inertia]
    return result


def _part(link: UrdfLink, part: UrdfPart, tag: str, index: int, substance: Node | None) -> Node:
    """`substance`: the material of a visual, the surface of a collision."""
    name = (
        link.name
        + (f"_fixed_joint_lump__{part.label}" if part.label else "")
        + f"_{tag}"
        + (f"_{index}" if index else "")
    )
    node = Node(tag, part.node.source, {"name": name}, children=[pose_node(part.node, part.X_LP), _geometry(part.node)])
    if substance is not None:
        node.children.append(substance)
    return node


def _geometry(part: Node) -> Node:
    geometry = part.child("geometry")
    shape = None if geometry is None else next((node for node in geometry.children if node.tag in SHAPES), None)
    if geometry is None or shape is None:
        raise UrdfError(part, f"<{part.tag}> has no geometry", f"shapes of URDF are: {', '.join(SHAPES)}")
    result = Node("geometry", geometry.source)
    new = Node(shape.tag, shape.source)
    if shape.tag == "mesh":
        new.children.append(shape.with_text("uri", attribute(shape, "filename")))
        if "scale" in shape.attributes:
            new.children.append(shape.with_text("scale", numbers_text(numbers(shape, "scale", 3))))
    else:
        new.children += [shape.with_text(name, attribute(shape, name)) for name in SHAPES[shape.tag]]
    result.children.append(new)
    return result


def _material(link: UrdfLink, part: UrdfPart, log: DiagnosticLog) -> Node | None:
    """The colour and the texture of a visual as `<material>`; one that is only named is defined by the robot (see
    `paint`).

    Where the URDF gives none, `<gazebo><material>` does: the name of a material of Gazebo, or a whole `<material>` of
    SDFormat.
    """
    material = part.node.child("material")
    color = None if material is None else material.child("color")
    picture = "" if material is None else _picture(material)
    if material is None or (color is None and not picture):
        extensions = link.extensions if part.extensions is None else part.extensions
        return _of_gazebo(next((node for node in extensions if node.tag == "material"), None))
    result = Node("material", material.source)
    if color is not None:
        colors = _colors(material, color, log)
        result.children += (
            colors[:1] if picture else colors
        )  # RViz paints a picture as it is; only without one its colour counts
    if picture:
        albedo = Node("metal", material.source, children=[material.with_text("albedo_map", picture)])
        result.children.append(Node("pbr", material.source, children=[albedo]))
    return result


def _picture(material: Node) -> str:
    """The file that `<texture>` names; some write the element without one."""
    texture = material.child("texture")
    return "" if texture is None else texture.attributes.get("filename", "").strip()


def _of_gazebo(extension: Node | None) -> Node | None:
    if extension is None or extension.children:
        return None if extension is None else extension.copy()
    script = extension.with_text("script", "")
    script.children = [extension.with_text("uri", GAZEBO_SCRIPT), extension.with_text("name", extension.text)]
    return Node("material", extension.source, children=[script])


def _colors(material: Node, color: Node, log: DiagnosticLog) -> list[Node]:
    values = numbers(color, "rgba", 4)
    if not all(0.0 <= value <= 1.0 for value in values):
        message = f"rgba of <color> must be from 0 to 1, not {numbers_text(values)}; the nearest of these is taken"
        log.warning("ATTRIBUTE_INVALID", color.source, message)
    rgba = numbers_text(min(1.0, max(0.0, value)) for value in values)
    return [material.with_text("ambient", rgba), material.with_text("diffuse", rgba)]


def paint(robot: Node, log: DiagnosticLog) -> None:
    """Give visuals that name a material the colour and the texture that the robot (or another visual) defines for
    it."""
    of_visuals = [
        node for link in robot.all("link") for visual in link.all("visual") for node in visual.all("material")
    ]
    defined: dict[str, Node] = {}
    for material in (*robot.all("material"), *of_visuals):
        if material.child("color") is not None or _picture(material):
            defined.setdefault(material.attributes.get("name", ""), material)
    for material in of_visuals:
        if material.child("color") is not None or material.child("texture") is not None:
            continue
        name = material.attributes.get("name", "")
        if name in defined:
            material.children += [node.copy() for node in defined[name].children if node.tag in ("color", "texture")]
        else:
            message = f"no material named '{name}' has a <color> or <texture>; the visual is drawn without"
            log.warning("ELEMENT_MISSING", material.source, message, offered(log, name, defined, "materials"))


def _surface(link: UrdfLink, extensions: list[Node]) -> Node | None:
    surface = Node("surface", link.node.source)
    for node in extensions:
        owner = surface
        for tag in SURFACE.get(node.tag, ()):
            found = owner.child(tag)
            if found is None:
                found = node.with_text(tag, "")
                owner.children.append(found)
            owner = found
        if owner is not surface:
            owner.text, owner.attributes = node.text, dict(node.attributes)
    return surface if surface.children else None


def friction_directions(robot: Robot) -> list[Node]:
    """Every `<fdir1>`, which may name a link; each once, though parts of a link share it."""
    owners = [link.extensions for link in robot.links.values()]
    owners += [part.extensions or [] for link in robot.links.values() for part in link.collisions]
    return list({id(node): node for nodes in owners for node in nodes if node.tag == "fdir1"}.values())


def _extend(node: Node, link: UrdfLink, log: DiagnosticLog) -> None:
    """What `<gazebo reference="link">` says."""
    for extension in link.extensions:
        tag = RENAMED.get(extension.tag, extension.tag)
        if tag == "turnGravityOff":
            off = extension.text.strip().lower() in ("1", "true")
            node.children.append(extension.with_text("gravity", "false" if off else "true"))
        elif tag in COPIED:
            copy = extension.copy()
            copy.tag = tag
            node.children.append(copy)
        elif tag not in SURFACE and tag != "material" and not extension.is_user_data:
            log.warning(
                "NOT_SIMULATED", extension.source, f"<{tag}> of a link {NOT_READ}", fold="gazebo", about=f"<{tag}>"
            )
    if link.extensions:
        check_vocabulary(node, SDFORMAT, log)
