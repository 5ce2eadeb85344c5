"""`<friction><ode>` of a surface: the direction of its friction, and what is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.cursor import offered
from simulator.formats.nodes import EXPRESSED_IN
from simulator.model.material import FrictionDirection, Surface, Torsion
from simulator.spatial.rotation import normalized

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.cursor import Cursor
    from simulator.formats.sdf.frame_graph import FrameGraph
    from simulator.formats.sdf.scopes import Scope
    from simulator.model.link import Collision

STANDARD = Torsion()
HOLDS = 10.0
"""Coefficient of friction from which on nothing slips that is not steeper than 84 degrees."""
NO_SLIP = 1000.0
"""Coefficient of friction of what must not slip."""
NOWHERE = (0.0, 0.0, 0.0)


def read_coefficients(ode: Cursor, bullet: Cursor) -> tuple[float, float]:
    """mu and mu2, those of `<bullet>` where `<ode>` states none. Below zero there is no bound, as in Gazebo."""
    found = []
    for tag, other in (("mu", "friction"), ("mu2", "friction2")):
        owner, name = (bullet, other) if ode.child(tag) is None else (ode, tag)
        value = owner.finite(name, 1.0)
        if value < 0.0:
            message = f"<{name}> is {value:g}; below zero there is no bound of friction: {NO_SLIP:g} is taken"
            owner.log.info("ELEMENT_INVALID", (owner.child(name) or owner).source, message, fold=f"{name}<0")
        found.append(NO_SLIP if value < 0.0 else value)
    return found[0], found[1]


def read_direction(ode: Cursor, bullet: Cursor) -> FrictionDirection | None:
    """What `<fdir1>` says, in the frame it names; None without it, and for the zeros that programs write then."""
    owner = bullet if ode.child("fdir1") is None else ode
    fdir1 = owner.child("fdir1")
    xyz = owner.vector3("fdir1", NOWHERE)
    if fdir1 is None or xyz == NOWHERE:
        return None
    named = next((fdir1.get(name) for name in EXPRESSED_IN if fdir1.get(name)), "")
    return FrictionDirection(xyz, named, xyz_link=normalized(xyz))


def read_torsion(torsional: Cursor) -> Torsion:
    """What `<torsional>` says; SDFormat's defaults, with which nothing is held, where it says nothing."""
    return Torsion(
        coefficient=torsional.finite("coefficient", STANDARD.coefficient),
        use_patch_radius=torsional.boolean("use_patch_radius", STANDARD.use_patch_radius),
        patch_radius=torsional.finite("patch_radius", STANDARD.patch_radius),
        surface_radius=torsional.finite("surface_radius", STANDARD.surface_radius),
        slip=torsional.descend("ode").finite("slip", STANDARD.slip),
    )


def judge_torsion(torsional: Cursor, surface: Surface) -> None:
    """A radius of curvature makes a patch only of what overlaps."""
    torsion = surface.torsion
    curved = not torsion.use_patch_radius and torsion.surface_radius > 0.0 and torsion.coefficient > 0.0
    if curved and not surface.gives_way:
        message = (
            "the patch of torsional friction is found from <surface_radius> and how far bodies sink in, and rigid ones "
            "do not: it holds nothing without a <kp> below 1e9 N/m"
        )
        hint = "<use_patch_radius>1</use_patch_radius> with a <patch_radius> holds between rigid bodies, too"
        torsional.log.warning("NOT_SIMULATED", torsional.source, message, hint, fold="torsional/surface_radius")


def judge_friction(ode: Cursor, bullet: Cursor, surface: Surface) -> None:
    """Without `<fdir1>` SDFormat leaves it to the engine where mu2 and slip2 act: here nowhere."""
    if surface.direction is None and surface.slip != surface.slip2:
        message = (
            f"friction yields the same in every direction: {surface.slip:g} m/s/N, not {surface.slip2:g} across it, "
            "for no <fdir1> says across what"
        )
        ode.log.warning("NOT_SIMULATED", ode.source, message, fold="ode/slip2")
    across = ode.child("mu2") or bullet.child("friction2")
    least_mu = min(surface.friction, surface.friction2)
    if across and surface.direction is None and surface.friction != surface.friction2 and least_mu < HOLDS:
        message = (
            f"friction is the same in every direction: {surface.friction:g}, not {surface.friction2:g} across it, "
            "for no <fdir1> says across what"
        )
        ode.log.warning("NOT_SIMULATED", (across if ode.child("mu2") is None else ode).source, message, fold="ode/mu2")
    _judge_bullet(ode, bullet, surface)


def _judge_bullet(ode: Cursor, bullet: Cursor, surface: Surface) -> None:
    """The coefficients of `<bullet>` count where `<ode>` states none; many documents have the same in both places."""
    for tag, own, counts in (("friction", "mu", surface.friction), ("friction2", "mu2", surface.friction2)):
        value = bullet.finite(tag, counts)
        if ode.child(own) is not None and value != counts and (value >= 0.0 or counts != NO_SLIP):
            message = f"friction is {counts:g}, as <ode> has it; the <{tag}> of <bullet>, {value:g}, is not used"
            where = (bullet.child(tag) or bullet).source
            bullet.log.warning("NOT_SIMULATED", where, message, f"write it as <{own}> of <ode>", fold=f"bullet/{tag}")
    xyz = bullet.vector3("fdir1", NOWHERE)
    if ode.child("fdir1") is not None and xyz not in (NOWHERE, surface.direction and surface.direction.xyz):
        message = "the <fdir1> of <bullet> is not used: that of <ode> counts"
        bullet.log.warning("NOT_SIMULATED", (bullet.child("fdir1") or bullet).source, message, fold="bullet/fdir1")


def resolved_direction(collision: Collision, scope: Scope, graph: FrameGraph, log: DiagnosticLog) -> Collision:
    """The collision with its direction of friction in the frame of the link that carries it along. A frame that does
    not exist is taken for the collision's own."""
    direction = collision.surface.direction
    if direction is None or not direction.expressed_in:
        return collision
    name = direction.expressed_in
    X_WF, carrier = graph.pose_at(scope, name), graph.carrier_at(scope, name)
    if X_WF is None or carrier is None:
        message = (
            f"<fdir1> of collision '{collision.name}' is expressed in '{name}', which does not exist in {scope.label}; "
            "it is taken in the frame of the collision"
        )
        hint = offered(log, name, scope.names(), "frames there")
        if collision.source is not None:
            log.warning("ATTRIBUTE_INVALID", collision.source, message, hint)
        return collision
    link, X_WL = carrier
    xyz_link = normalized((X_WL.inverse() @ X_WF).rotate(direction.xyz_link))
    surface = replace(collision.surface, direction=replace(direction, link=link, xyz_link=xyz_link))
    return replace(collision, surface=surface)
