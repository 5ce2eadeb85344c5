"""Links as rigid bodies: pose, mass, inertia, start velocity, and shapes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.formats.usd_writing.places import CODE, NEWTON, place, quaternion
from simulator.formats.usd_writing.shapes import collision, visual
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.usd_writing.places import Places
    from simulator.formats.usd_writing.shapes import StageLibrary
    from simulator.model.link import Inertial, Link
    from simulator.model.world import World


SHARE = 1e-3
TAKEN = "a thousandth of the least in the document is written"


@dataclass(frozen=True)
class Token:
    """Mass [kg] and moment [kg m^2] of links that have none, as frames between two joints do: UsdPhysics computes them
    from shapes, or takes a kilogram, where they are zero."""

    mass: float
    moment: float

    @staticmethod
    def of(world: World) -> Token:
        """A thousandth of the least in the world."""
        inertials = [link.inertial for model in world.models if not model.static for link in model.links]
        masses = [inertial.mass for inertial in inertials if inertial.mass > 0.0]
        moments = [moment for inertial in inertials for moment in inertial.moments if moment > 0.0]
        return Token(SHARE * min(masses, default=1.0), SHARE * min(moments, default=1e-3))


def write_link(
    stage: Any, places: Places, library: StageLibrary, link: Link, token: Token, log: DiagnosticLog, *, static: bool
) -> None:
    """A prim with the link's shapes; one that moves is a rigid body with mass."""
    from pxr import UsdPhysics

    path = places.of(link.name)
    prim = stage.DefinePrim(path, "Xform")
    place(prim, link.X_WL)
    if not static:
        body = UsdPhysics.RigidBodyAPI.Apply(prim)
        if link.kinematic:
            body.CreateKinematicEnabledAttr(True)
        inertial = link.inertial
        if inertial.mass <= 0.0 or max(inertial.moments) <= 0.0:
            moments = (token.moment, token.moment, token.moment)
            inertial = replace(inertial, mass=inertial.mass or token.mass, moments=moments, products=(0.0, 0.0, 0.0))
            message = f"'{link.name}' has no mass or no moments, which UsdPhysics takes for unknown: {TAKEN}"
            log.warning(CODE, link.source, message, fold="mass", about=link.name)
        _write_mass(prim, inertial)
        _write_start(body, link)
        if not link.gravity:
            message = f"UsdPhysics has no body without weight: gravity acts on '{link.name}'"
            log.warning(CODE, link.source, message, fold="weight", about=link.name)
    for number, part in enumerate(link.visuals):
        visual(stage, places.child(path, f"visual_{number}_{part.name}"), library, part, log)
    for number, piece in enumerate(link.collisions):
        collision(stage, places.child(path, f"collision_{number}_{piece.name}"), library, piece, log, static=static)


def _write_mass(prim: Any, inertial: Inertial) -> None:
    """Principal moments and axes for every reader, and the whole tensor in double precision for Newton's."""
    from pxr import Gf, Sdf, UsdPhysics, Vt

    mass = UsdPhysics.MassAPI.Apply(prim)
    mass.CreateMassAttr(inertial.mass)
    mass.CreateCenterOfMassAttr(Gf.Vec3f(*inertial.X_LI.position))
    turned = inertial.X_LI.rotation()
    tensor = turned @ inertia_matrix(*inertial.moments, *inertial.products) @ turned.T
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*(float(moment) for moment in moments)))
    mass.CreatePrincipalAxesAttr(quaternion(quat_from_matrix(axes), Gf.Quatf))
    prim.AddAppliedSchema(f"{NEWTON}MassAPI")
    entries = [float(tensor[row, column]) for row, column in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    prim.CreateAttribute("newton:inertia", Sdf.ValueTypeNames.DoubleArray).Set(Vt.DoubleArray(entries))


def _write_start(body: Any, link: Link) -> None:
    """UsdPhysics has degrees."""
    from pxr import Gf

    if link.start_velocity is not None:
        body.CreateVelocityAttr(Gf.Vec3f(*link.start_velocity.linear))
        body.CreateAngularVelocityAttr(Gf.Vec3f(*(math.degrees(rate) for rate in link.start_velocity.angular)))
