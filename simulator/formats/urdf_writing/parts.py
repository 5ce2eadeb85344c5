"""Links, shapes and materials of a URDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.model.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from simulator.spatial.rotation import rpy_from_quat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node
    from simulator.formats.writing.uris import Uris
    from simulator.model.link import Collision, Link, Visual
    from simulator.model.material import Material
    from simulator.spatial.pose import Pose

CODE = "CONVERT_DROPPED"
ROUND_OFF = 1e-15
"""Coordinates [m] and angles [rad] below come of turning frames, and are written as 0."""
UNIT_SCALE = (1.0, 1.0, 1.0)


def origin(X: Pose, tag: str = "origin") -> Node:
    """`<origin xyz rpy>`."""
    return element(tag, xyz=numbers_text(_clean(X.position)), rpy=numbers_text(_clean(rpy_from_quat(X.orientation))))


def placed(X: Pose) -> dict[str, str]:
    """The same as attributes."""
    return dict(origin(X).attributes)


def _clean(values: Iterable[float]) -> list[float]:
    return [0.0 if abs(value) < ROUND_OFF else value for value in values]


def link_node(link: Link, name: str, X_FL: Pose, uris: Uris, log: DiagnosticLog) -> Node:
    """A link whose URDF frame F is elsewhere than its own."""
    inertial = link.inertial
    moments = dict(
        zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (*inertial.moments, *inertial.products), strict=True)
    )
    stated = element(
        "inertial",
        origin(X_FL @ inertial.X_LI),
        element("mass", value=number_text(inertial.mass)),
        element("inertia", **{key: number_text(value) for key, value in moments.items()}),
    )
    return element(
        "link",
        stated if link.has_inertial else None,
        *(_visual(part, X_FL, uris, log) for part in link.visuals),
        *(_collision(part, X_FL, uris, log) for part in link.collisions),
        name=name,
    )


def extensions(link: Link, name: str) -> Node | None:
    """Friction, for Gazebo and readers that heed its elements; None where it is as usual."""
    rubbing = {(part.surface.friction, part.surface.friction2) for part in link.collisions}
    if len(rubbing) != 1 or rubbing == {(1.0, 1.0)}:
        return None
    ((mu, mu2),) = rubbing
    return element(
        "gazebo", element("mu1", text=number_text(mu)), element("mu2", text=number_text(mu2)), reference=name
    )


def _visual(part: Visual, X_FL: Pose, uris: Uris, log: DiagnosticLog) -> Node | None:
    shape = _shape(part.shape, uris, part.name, part, log)
    if shape is None:
        return None
    look = None if part.material is None else _material(part.material, part.name, part.transparency)
    return element("visual", origin(X_FL @ part.X_LV), element("geometry", shape), look, name=part.name)


def _collision(part: Collision, X_FL: Pose, uris: Uris, log: DiagnosticLog) -> Node | None:
    shape = _shape(part.shape, uris, part.name, part, log)
    return (
        None
        if shape is None
        else element("collision", origin(X_FL @ part.X_LC), element("geometry", shape), name=part.name)
    )


def _material(material: Material, name: str, transparency: float) -> Node | None:
    colour = material.diffuse or material.ambient
    if colour is None:
        return None
    red, green, blue, alpha = colour
    rgba = numbers_text((red, green, blue, alpha * (1.0 - transparency)))
    return element("material", element("color", rgba=rgba), name=f"{name}_colour")


def _shape(shape: Shape, uris: Uris, name: str, part: Visual | Collision, log: DiagnosticLog) -> Node | None:
    match shape:
        case Box(size):
            return element("box", size=numbers_text(size))
        case Sphere(radius):
            return element("sphere", radius=number_text(radius))
        case Cylinder(radius, length) | Capsule(radius, length):
            return element(type(shape).__name__.lower(), radius=number_text(radius), length=number_text(length))
        case Mesh() if not shape.submesh and not shape.center:
            scale = {} if shape.scale == UNIT_SCALE else {"scale": numbers_text(shape.scale)}
            return element("mesh", filename=uris.of_mesh(shape), **scale)
        case _:
            kind = "a part of a mesh" if isinstance(shape, Mesh) else f"a {type(shape).__name__.lower()}"
            log.warning(
                CODE, part.source, f"{kind} ('{name}') has no place in a URDF and is left out", fold=kind, about=name
            )
            return None
