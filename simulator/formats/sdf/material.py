"""`<material>` of a visual and `<surface>` of a collision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.model.material import Material, Surface

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor

UNSET = "__default__"


def read_material(visual: Cursor) -> Material | None:
    """Colours as written; None without `<material>`."""
    cursor = visual.child("material")
    if cursor is None:
        return None
    script = cursor.child("script")
    if script is not None:
        _judge_script(script)
    return Material(
        ambient=cursor.color("ambient"),
        diffuse=cursor.color("diffuse"),
        specular=cursor.color("specular"),
        emissive=cursor.color("emissive"),
    )


def _judge_script(script: Cursor) -> None:
    """libsdformat calls a script without uri or name an error; scripts are not drawn here, so it is a warning."""
    for tag, code in (("uri", "ELEMENT_INVALID"), ("name", "ELEMENT_MISSING")):
        if script.string(tag, UNSET) in ("", UNSET):
            script.log.warning(
                code, script.source, f"a material <script> has no <{tag}>; scripts are not drawn, write colours"
            )


def read_surface(collision: Cursor) -> Surface:
    """Friction, restitution, contact mask and stiffness; SDFormat's defaults where nothing is written."""
    cursor = collision.child("surface")
    if cursor is None:
        return Surface()
    standard = Surface()
    friction = cursor.descend("friction", "ode")
    bounce = cursor.child("bounce")
    contact = cursor.child("contact")
    ode = cursor.descend("contact", "ode")
    return Surface(
        friction=standard.friction if friction is None else friction.finite("mu", standard.friction),
        friction2=standard.friction2 if friction is None else friction.finite("mu2", standard.friction2),
        restitution=standard.restitution if bounce is None else _restitution(bounce),
        collide_bitmask=standard.collide_bitmask if contact is None else _bitmask(contact),
        contact_stiffness=standard.contact_stiffness if ode is None else ode.finite("kp", standard.contact_stiffness),
        contact_damping=standard.contact_damping if ode is None else ode.finite("kd", standard.contact_damping),
    )


def _restitution(bounce: Cursor) -> float:
    value = bounce.finite("restitution_coefficient", 0.0)
    if 0.0 <= value <= 1.0:
        return value
    clamped = min(1.0, max(0.0, value))
    bounce.log.warning(
        "ELEMENT_INVALID", bounce.source, f"restitution must be from 0 to 1, not {value}; {clamped} is taken"
    )
    return clamped


def _bitmask(contact: Cursor) -> int:
    text = contact.string("collide_bitmask", str(0xFFFF))
    try:
        return int(text, 0) & 0xFFFF
    except ValueError:
        contact.reading.fatal("ELEMENT_INVALID", contact.source, f"<collide_bitmask> '{text}' is no whole number")
        return 0xFFFF
