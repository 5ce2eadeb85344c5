"""Whether every link has its shapes and an inertia that matter can have, what shapes are simulated as, and whether it
can start as it is asked to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Mesh
from simulator.spatial.inertia import sphere_moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.types import Body, Mechanism
    from simulator.model.world import World

OSMIUM = 22590.0
"""Density [kg/m^3] of the densest matter at room temperature (Arblaster, Platinum Metals Rev. 33, 1989)."""


def check_shapes(world: World, bodies: Sequence[Body], log: DiagnosticLog) -> None:
    """Report meshes that a document read by libsdformat's rules must have and has not, and those that are simulated as
    something else."""
    for model in world.models:
        for link in model.links:
            for omitted in link.omitted:
                if omitted.mesh is not None and omitted.required:
                    log.error(
                        "MESH_MISSING",
                        omitted.source or link.source,
                        f"{omitted.element} '{omitted.name}' of link '{link.name}' has no usable mesh "
                        f"'{omitted.mesh.uri}'",
                        hint="put the file there, name its folder with --resource-path, or take the shape out of the "
                        "document",
                    )
    for link in (link for body in bodies[WORLD_BODY + 1 :] for link in body.links):
        for collision in link.collisions:
            if isinstance(collision.shape, Mesh) and not collision.shape.hull:
                log.info(
                    "MESH_AS_HULL",
                    collision.source,
                    f"link '{link.name}' moves: its mesh '{collision.shape.uri}' collides as its convex hull, without "
                    "hollows",
                    hint="where hollows matter, make the collision of several convex meshes, boxes, spheres or "
                    "cylinders",
                    fold="hull",
                    about=link.name,
                )


def check_densities(bodies: Sequence[Body], log: DiagnosticLog) -> None:
    """Report links whose moments of inertia are smaller than matter allows: of all bodies of one mass, a ball of the
    densest matter has the least sum of moments, twice the integral of r² dm."""
    for link in (link for body in bodies[WORLD_BODY + 1 :] for link in body.links):
        mass, trace = link.inertial.mass, sum(link.inertial.moments)
        if mass <= 0.0 or trace <= 0.0 or link.solid is not None or trace >= 3.0 * sphere_moment(mass, OSMIUM):
            continue  # what has no moments is meant as a point
        radius = math.sqrt(trace / 3.0 / (0.4 * mass))
        density = mass / (4.0 / 3.0 * math.pi * radius**3)
        log.warning(
            "INERTIA_TOO_DENSE",
            link.source,
            f"link '{link.name}' of {mass:.6g} kg has moments of inertia of a ball of {2e3 * radius:.3g} mm: at "
            f"{density:.2g} kg/m^3 it is denser than any matter (osmium: {OSMIUM:.0f})",
            hint="correct the mass or the moments, which are in kg and kg m^2",
            fold="dense",
            about=link.name,
        )


def check_start_velocities(mechanism: Mechanism, log: DiagnosticLog) -> None:
    """Report velocities that a document gives to links that do not move, or twice to one body."""
    for index, body in enumerate(mechanism.bodies):
        asked = [link for link in body.links if link.start_velocity is not None]
        for link in asked if index == WORLD_BODY else asked[1:]:
            start = link.start_velocity
            if index == WORLD_BODY and start is not None and not any((*start.linear, *start.angular)):
                continue
            why = f"'{asked[0].name}', which is welded to it, has one, too" if index else "it does not move"
            message = f"model_state gives a velocity to the link '{link.name}': {why}; it is not used"
            log.warning("LINK_STATE_INVALID", start.source if start else None, message, "leave this one out")
