"""`<material>` of a visual and `<surface>` of a collision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.friction import (
    judge_friction,
    judge_torsion,
    read_coefficients,
    read_direction,
    read_torsion,
)
from simulator.formats.sdf.textures import read_pbr, read_script
from simulator.model.material import Material, Surface

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor

UNSET = "__default__"
STANDARD = Surface()


def read_material(visual: Cursor) -> Material | None:
    """Colours and albedo map; None without `<material>`. What is written goes before what a script says, as in Gazebo
    classic."""
    cursor = visual.child("material")
    if cursor is None:
        return None
    script = cursor.child("script")
    base = None
    if script is not None:
        _judge_script(script)
        base = read_script(script)
    base = base or Material()
    ambient, diffuse = cursor.color("ambient"), cursor.color("diffuse")
    if ambient is None and diffuse is None:
        ambient, diffuse = base.ambient, base.diffuse
    return Material(
        ambient=ambient,
        diffuse=diffuse,
        specular=cursor.color("specular") or base.specular,
        emissive=cursor.color("emissive") or base.emissive,
        texture=read_pbr(cursor) or base.texture,
    )


def _judge_script(script: Cursor) -> None:
    """libsdformat calls a script without uri or name an error; it is only about looks, so it is a warning here."""
    for tag, code in (("uri", "ELEMENT_INVALID"), ("name", "ELEMENT_MISSING")):
        if script.string(tag, UNSET) in ("", UNSET):
            script.log.warning(
                code, script.source, f"a material <script> has no <{tag}>", "colours can be written, too"
            )


def read_surface(collision: Cursor) -> Surface:
    """Friction, restitution, contact mask and stiffness; SDFormat's defaults where nothing is written."""
    cursor = collision.child("surface")
    if cursor is None:
        return STANDARD
    friction = cursor.descend("friction", "ode")
    bullet = cursor.descend("friction", "bullet")
    ode = cursor.descend("contact", "ode")
    bounce = cursor.descend("bounce")
    torsional = cursor.descend("friction", "torsional")
    along, across = read_coefficients(friction, bullet)
    surface = Surface(
        friction=along,
        friction2=across,
        slip=friction.finite("slip1", STANDARD.slip),
        slip2=friction.finite("slip2", STANDARD.slip2),
        direction=read_direction(friction, bullet),
        restitution=_restitution(bounce),
        collide_bitmask=_bitmask(cursor.descend("contact")),
        contact_stiffness=ode.finite("kp", STANDARD.contact_stiffness),
        contact_damping=ode.finite("kd", STANDARD.contact_damping),
        torsion=read_torsion(torsional),
        bounce_threshold=bounce.finite("threshold", STANDARD.bounce_threshold),
    )
    judge_friction(friction, bullet, surface)
    judge_torsion(torsional, surface)
    _judge_stiffness(ode, surface)
    return surface


def _judge_stiffness(ode: Cursor, surface: Surface) -> None:
    """A spring that does not push is none, and one that pushes bounces by itself."""
    if surface.contact_stiffness <= 0.0:
        message = f"<kp> must be positive, not {surface.contact_stiffness:g} N/m: contacts are rigid"
        ode.log.warning("ELEMENT_INVALID", ode.source, message, fold="ode/kp")
    elif surface.gives_way and surface.restitution > 0.0:
        message = (
            "contacts that give way bounce as <kp> and <kd> make them; <restitution_coefficient> counts for rigid ones"
        )
        ode.log.warning("NOT_SIMULATED", ode.source, message, fold="bounce/kp")


def _restitution(bounce: Cursor) -> float:
    value = bounce.finite("restitution_coefficient", STANDARD.restitution)
    if 0.0 <= value <= 1.0:
        return value
    clamped = min(1.0, max(0.0, value))
    bounce.log.warning(
        "ELEMENT_INVALID", bounce.source, f"restitution must be from 0 to 1, not {value}; {clamped} is taken"
    )
    return clamped


def _bitmask(contact: Cursor) -> int:
    text = contact.string("collide_bitmask", str(STANDARD.collide_bitmask))
    try:
        return int(text, 0) & 0xFFFF
    except ValueError:
        contact.reading.fatal("ELEMENT_INVALID", contact.source, f"<collide_bitmask> '{text}' is not a whole number")
        return 0xFFFF
