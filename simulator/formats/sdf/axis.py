"""`<axis>` and `<axis2>` of a joint, with `<mimic>`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import ARMATURE, BEARING, BRAKE, STRIBECK
from simulator.formats.sdf.laws import read_mimic_law, report_multiplier
from simulator.formats.sdf.real_coupling import read_bearing, read_clutch, read_real_coupling
from simulator.formats.values import FARTHEST, as_limit
from simulator.model.joint import Axis, Mimic, Stribeck
from simulator.spatial.rotation import normalized

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor
    from simulator.spatial.rotation import Vec3

Z_AXIS: Vec3 = (0.0, 0.0, 1.0)


def read_axis(cursor: Cursor) -> Axis:
    """One axis as written: `xyz_joint` is still in the frame that `expressed_in` names, a mimic's leader is not looked
    up."""
    limit, dynamics = cursor.descend("limit"), cursor.descend("dynamics")
    return Axis(
        xyz_joint=_direction(cursor),
        expressed_in=_expressed_in(cursor),
        lower=_limit(limit, "lower", -math.inf),
        upper=_limit(limit, "upper", math.inf),
        effort=_magnitude(limit, "effort"),
        velocity=_magnitude(limit, "velocity"),
        stiffness=limit.number("stiffness", 1e8),
        dissipation=limit.number("dissipation", 1.0),
        damping=_passive(dynamics, "damping"),
        friction=_passive(dynamics, "friction"),
        spring_reference=dynamics.finite("spring_reference", 0.0),
        spring_stiffness=_passive(dynamics, "spring_stiffness"),
        armature=_armature(cursor),
        initial_position=cursor.finite("initial_position", 0.0),
        mimic=_mimic(cursor),
        source=cursor.source,
        stribeck=_stribeck(cursor, _passive(dynamics, "friction")),
        brake=read_clutch(cursor.child(BRAKE)),
        bearing=read_bearing(cursor.child(BEARING)),
    )


def _stribeck(axis: Cursor, friction: float) -> Stribeck | None:
    cursor = axis.child(STRIBECK)
    if cursor is None:
        return None
    example = f"e.g. <{STRIBECK} static='0.5' speed='0.02'/>, above the <friction> of <dynamics>, which it falls to"
    numbers: dict[str, float] = {}
    for name in ("static", "speed", "exponent"):
        text = cursor.get(name, "2" if name == "exponent" else "")
        try:
            numbers[name] = float(text)
        except ValueError:
            numbers[name] = math.nan
        least = friction if name == "static" else 0.0
        if not least <= numbers[name] < math.inf or (name != "static" and numbers[name] == 0.0):
            bound = f"{least:g} or more, the <friction> of the axis" if name == "static" else "above 0"
            message = f"<{STRIBECK}>: {name} is a finite number, {bound}, not '{text}'; it is not used"
            cursor.log.error("ATTRIBUTE_INVALID", cursor.source, message, example)
            return None
    return Stribeck(**numbers)


def _direction(cursor: Cursor) -> Vec3:
    xyz = cursor.vector3("xyz", Z_AXIS)
    try:
        return normalized(xyz)
    except ValueError:
        where = (cursor.child("xyz") or cursor).source
        message = f"the norm of <xyz> must not be zero; it is {xyz[0]:g} {xyz[1]:g} {xyz[2]:g}"
        cursor.log.error("ELEMENT_INVALID", where, message, "0 0 1 is the z axis")
        return Z_AXIS


def _expressed_in(cursor: Cursor) -> str:
    """The frame of `<xyz>`; "" is the joint's own."""
    xyz = cursor.child("xyz")
    return "" if xyz is None else xyz.get("expressed_in")


def _limit(limit: Cursor, tag: str, missing: float) -> float:
    value = limit.number(tag, missing)
    if math.isnan(value):
        limit.log.warning("ELEMENT_INVALID", limit.source, f"<{tag}> is not a number; it is taken as no limit")
    return as_limit(value, missing=missing)


def _passive(dynamics: Cursor, tag: str) -> float:
    """Damping, friction or stiffness; SDFormat lets negative ones pass."""
    value = dynamics.number(tag, 0.0)
    if tag != "spring_stiffness" and FARTHEST < value < math.inf:
        message = (
            f"<{tag}> is {value:g}, with which nothing can be computed; {FARTHEST:g} is taken, which holds the joint"
        )
        dynamics.log.warning("ELEMENT_INVALID", dynamics.source, message, "a fixed joint says the same", fold=tag)
        return FARTHEST
    value = dynamics.finite(tag, 0.0)
    if value < 0.0:
        does = (
            "pushes the joint away from where it is relaxed"
            if tag == "spring_stiffness"
            else "drives the joint instead of braking it"
        )
        message = f"<{tag}> is {value:g}; below zero it {does}"
        dynamics.log.warning("ELEMENT_INVALID", dynamics.source, message, f"write {-value:g} if that is meant")
    return value


def _armature(cursor: Cursor) -> float:
    value = cursor.finite(ARMATURE, 0.0)
    if value >= 0.0:
        return value
    message = f"<{ARMATURE}> is an inertia and must not be below zero; it is {value:g}"
    cursor.log.error("ELEMENT_INVALID", (cursor.child(ARMATURE) or cursor).source, message)
    return 0.0


def _magnitude(limit: Cursor, tag: str) -> float:
    """An effort or velocity limit: negative means none, zero means zero."""
    value = _limit(limit, tag, math.inf)
    return math.inf if value < 0.0 else value


def _mimic(axis: Cursor) -> Mimic | None:
    cursor = axis.child("mimic")
    if cursor is None:
        return None
    leader = cursor.required("joint")
    if not leader:
        cursor.log.error("ELEMENT_INVALID", cursor.source, "the mimic is left out: it names no leader")
        return None
    law = read_mimic_law(cursor)
    if law is not None:
        report_multiplier(cursor, law)
    return Mimic(
        joint=leader.strip(),
        leader="",
        axis=cursor.get("axis", "axis"),
        multiplier=cursor.finite("multiplier", 1.0),
        offset=cursor.finite("offset", 0.0),
        reference=cursor.finite("reference", 0.0),
        law=law,
        source=cursor.source,
        coupling=read_real_coupling(cursor),
    )
