"""Mass and inertia from shapes: `<inertial auto="true">`, and links that say nothing about theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import WITHOUT_MASS
from simulator.formats.sdf.inertial import fault_of, is_point, read_inertial
from simulator.formats.sdf.solids import scaled_to, solid_or_mesh, solid_properties, total_inertial
from simulator.model.link import Collision, Inertial, Omitted, Visual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.cursor import Cursor
    from simulator.formats.sdf.solids import Solid
    from simulator.spatial.pose import Pose

WATER = 1000.0
"""Density [kg/m^3] where the document says nothing, as SDFormat has it."""
MOMENTS = ("ixx", "iyy", "izz")
MASSLESS = Inertial(0.0, moments=(0.0, 0.0, 0.0))


def inertial_of(
    link: Cursor, collisions: Sequence[Collision | Omitted], visuals: Sequence[Visual | Omitted]
) -> Inertial:
    """As written, or computed from the shapes where the link asks for it or states no mass."""
    inertial = link.child("inertial")
    if inertial is not None and inertial.flag("auto"):
        return _auto_inertial(link, collisions)
    if link.get(WITHOUT_MASS) in ("ground", "none"):
        return MASSLESS
    if _states_no_mass(link):
        _judge_moments(link)
        return _estimated_inertial(link, collisions, visuals)
    return read_inertial(link)


def solid_of(
    link: Cursor, inertial: Inertial, collisions: Sequence[Collision | Omitted], visuals: Sequence[Visual | Omitted]
) -> Inertial | None:
    """The link as a solid of its shapes and mass if its own moments are all but zero; None otherwise, and if it
    encloses nothing."""
    if link.reading.options.strict or not is_point(inertial):
        return None
    found = _inertial_of_shapes(collisions, visuals)
    return None if found is None else scaled_to(found, inertial.mass)


def _states_no_mass(link: Cursor) -> bool:
    """Whether there is no mass to be read: in a URDF link without `<inertial>`, or where it is zero. Strictly, that is
    a mass, too."""
    if link.get(WITHOUT_MASS) == "estimate":
        return True
    inertial = link.child("inertial")
    return not link.reading.options.strict and inertial is not None and inertial.number("mass", 1.0) == 0.0


def _judge_moments(link: Cursor) -> None:
    """Warn of moments that are written beside a mass of zero."""
    inertia = link.descend("inertial", "inertia")
    if any(inertia.number(tag, 0.0) != 0.0 for tag in MOMENTS):
        report_moments_alone(link.get("name"), inertia.source, link.log)


def report_moments_alone(name: str, where: Source, log: DiagnosticLog) -> None:
    """Say that moments of a link without mass, which no body has, are not used."""
    message = f"link '{name}' has moments of inertia, but a mass of 0; they are not used"
    log.warning("LINK_INERTIA_INVALID", where, message, "write its mass", fold="moments alone")


def _auto_inertial(link: Cursor, collisions: Sequence[Collision | Omitted]) -> Inertial:
    """Sum over the collisions; scaled to `<mass>` where that is written too."""
    cursor = link.child("inertial")
    assert cursor is not None
    name = link.get("name")
    if not collisions:
        message = f"link '{name}' asks for an automatic inertia but has no collision"
        cursor.log.error("ELEMENT_MISSING", cursor.source, message, "give it a <collision>, or write mass and moments")
        return read_inertial(link)
    parts: list[tuple[Solid, float, Pose]] = []
    densities = _densities(link, cursor.finite("density", WATER))
    strict = cursor.reading.options.strict
    solid = solid_properties if strict else solid_or_mesh
    for collision in collisions:
        if isinstance(collision, Omitted) and collision.geometry == "empty" and not strict:
            continue
        part = None if isinstance(collision, Omitted) else solid(collision.shape)
        if isinstance(collision, Omitted) or part is None:
            kind = collision.geometry if isinstance(collision, Omitted) else type(collision.shape).__name__.lower()
            report = cursor.log.warning if kind == "mesh" else cursor.log.error
            message = f"the inertia of a {kind} is not computed automatically (link '{name}')"
            report("LINK_INERTIA_INVALID", cursor.source, message, "write mass and moments", fold=f"auto {kind}")
            return read_inertial(link)
        parts.append((part, densities.get(collision.name, WATER), collision.X_LC))
    found = total_inertial(parts)
    if found is None:
        message = f"the automatic mass of link '{name}' is not a positive, finite number"
        cursor.log.error("LINK_INERTIA_INVALID", cursor.source, message, "give the densities positive values")
        return Inertial()
    result = scaled_to(found, cursor.finite("mass", found.mass))
    reason = fault_of(result)
    if reason:
        cursor.log.error("LINK_INERTIA_INVALID", cursor.source, f"the automatic inertial is impossible: {reason}")
    return result


def _densities(link: Cursor, standard: float) -> dict[str, float]:
    return {part.get("name"): part.finite("density", standard) for part in link.children("collision")}


def _inertial_of_shapes(
    collisions: Sequence[Collision | Omitted], visuals: Sequence[Visual | Omitted]
) -> Inertial | None:
    """What the link weighs if it is as dense as water: its collisions or, without any that enclose something, its
    visuals.

    None where no shape of the link encloses anything.
    """
    touched = [(item.shape, item.X_LC) for item in collisions if isinstance(item, Collision)]
    seen = [(item.shape, item.X_LV) for item in visuals if isinstance(item, Visual)]
    for shapes in (touched, seen):
        solids = [(solid_or_mesh(shape), pose) for shape, pose in shapes]
        found = total_inertial((solid, WATER, pose) for solid, pose in solids if solid is not None)
        if found is not None and not fault_of(found):
            return found
    return None


def _estimated_inertial(
    link: Cursor, collisions: Sequence[Collision | Omitted], visuals: Sequence[Visual | Omitted]
) -> Inertial:
    """Of a link that states none: from its shapes, with a warning; without any, a frame without mass.
    `mechanism.completion` reports where that matters."""
    found = _inertial_of_shapes(collisions, visuals)
    if found is None:
        return MASSLESS
    message = (
        f"link '{link.get('name')}' states no mass; {found.mass:.3g} kg are computed from its shapes, at the density "
        "of water"
    )
    hint = "give it an <inertial>; 1000 kg/m^3 is a guess"
    link.log.warning("INERTIA_ESTIMATED", link.source, message, hint, fold="estimated", about=link.get("name"))
    return found
