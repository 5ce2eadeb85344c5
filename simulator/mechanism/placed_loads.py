"""Loads on links and joints become loads on bodies and springs of axes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.loads import BodyCable, BodyForce, BodyLoads, BodySpring, BodyWeight
from simulator.model.cables import Cable
from simulator.model.loads import LINK_AXES, Load, PointSpring, TorsionSpring
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.loads import Mat3
    from simulator.mechanism.types import AxisInfo, Body
    from simulator.model.loads import AnyLoad
    from simulator.model.world import World
    from simulator.spatial.rotation import Vec3


def all_loads(world: World) -> tuple[AnyLoad, ...]:
    """The loads of a world, then those of its models."""
    return (*world.loads, *(load for model in world.models for load in model.loads))


def body_loads(world: World, bodies: Sequence[Body]) -> BodyLoads:
    """The loads of a world and of its models on the bodies of its mechanism."""
    every = all_loads(world)
    return BodyLoads(
        forces=body_forces((load for load in every if isinstance(load, Load)), bodies),
        weights=body_weights(world, bodies, world.gravity),
        springs=body_springs((load for load in every if isinstance(load, PointSpring)), bodies),
        cables=_cables(world, bodies),
    )


def body_forces(loads: Iterable[Load], bodies: Sequence[Body]) -> tuple[BodyForce, ...]:
    """Forces and moments on links as those on bodies. The links exist."""
    found = []
    for load in loads:
        body, point, turn = place_on_body(load.link, load.at, bodies)
        turned = turn if load.frame == LINK_AXES else None
        found.append(BodyForce(body, point, load.force, load.moment, turned, load.link, load.source))
    return tuple(found)


def body_springs(springs: Iterable[PointSpring], bodies: Sequence[Body]) -> tuple[BodySpring, ...]:
    """Springs between points of links as those between points of bodies. The links exist."""
    return tuple(_spring(spring, bodies) for spring in springs)


def _cables(world: World, bodies: Sequence[Body]) -> tuple[BodyCable, ...]:
    """Those of the world, then those of its models, by their scoped names."""
    named = [(load, "") for load in world.loads]
    named += [(load, f"{model.name}::") for model in world.models for load in model.loads]
    found = [(load, scope) for load, scope in named if isinstance(load, Cable)]
    frames = {name: (link, X_LF) for name, link, X_LF in attached_frames(world)} if found else {}
    return tuple(_cable(load, scope, bodies, frames) for load, scope in found)


def attached_frames(world: World) -> tuple[tuple[str, str, Pose], ...]:
    """Name, link and X_LF of the frames that are attached to a link."""
    X_WL = {link.name: link.X_WL for model in world.models for link in model.links}
    frames = (*world.frames, *(frame for model in world.models for frame in model.frames))
    return tuple(
        (frame.name, frame.attached_body, X_WL[frame.attached_body].inverse() @ frame.X_WF)
        for frame in frames
        if frame.attached_body in X_WL
    )


def _cable(cable: Cable, scope: str, bodies: Sequence[Body], frames: Mapping[str, tuple[str, Pose]]) -> BodyCable:
    places = []
    axes = []
    for part in cable.parts:
        link, X_LF = frames.get(part.link, (part.link, IDENTITY))
        places.append(place_on_body(link, X_LF.transform(part.at), bodies))
        x, y, z = (np.array(places[-1][2]) @ X_LF.rotation() @ part.axis).tolist()
        axes.append((x, y, z))
    return BodyCable(
        scope + cable.name,
        cable.parts,
        tuple(body for body, _, _ in places),
        tuple(point for _, point, _ in places),
        tuple(axes),
        cable.length,
        cable.stiffness,
        cable.damping,
        cable.restitution,
        cable.source,
    )


def place_on_body(link: str, at: Vec3, bodies: Sequence[Body]) -> tuple[int, Vec3, Mat3]:
    """Body of a link, a point of the link in the body's frame, and R_BL; the world for a name that is not a link."""
    for index, body in enumerate(bodies):
        for item, X_BL in zip(body.links, body.X_BL, strict=True):
            if item.name == link:
                rows = X_BL.rotation().tolist()
                return index, X_BL.transform(at), (tuple(rows[0]), tuple(rows[1]), tuple(rows[2]))
    return 0, at, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _spring(load: PointSpring, bodies: Sequence[Body]) -> BodySpring:
    (first, at, _), (second, other_at, _) = (
        place_on_body(load.link, load.at, bodies),
        place_on_body(load.other, load.other_at, bodies),
    )
    return BodySpring(
        bodies=(first, second),
        points=(at, other_at),
        stiffness=load.stiffness,
        damping=load.damping,
        free_length=load.free_length,
        table=load.table,
        links=(load.link, load.other),
        source=load.source,
    )


def gravities_beside(world: World, gravity: Vec3) -> dict[str, NDArray[np.float64]]:
    """What the gravity of links of models with one of their own is more than the world's `gravity` [m/s^2], by link."""
    return {
        link.name: np.subtract(model.gravity, gravity)
        for model in world.models
        if model.gravity is not None and not model.static
        for link in model.links
    }


def body_weights(world: World, bodies: Sequence[Body], gravity: Vec3) -> tuple[BodyWeight, ...]:
    """What links of models with gravity of their own weigh more than in the world's `gravity` [m/s^2]."""
    more = gravities_beside(world, gravity)
    found = []
    for index, body in enumerate(bodies):
        for link, X_BL in zip(body.links, body.X_BL, strict=True):
            excess = more.get(link.name)
            if index > 0 and body.gravity and excess is not None and excess.any() and link.inertial.mass > 0.0:
                x, y, z = (link.inertial.mass * excess).tolist()
                found.append(BodyWeight(index, X_BL.transform(link.inertial.X_LI.position), (x, y, z)))
    return tuple(found)


def with_torsion_springs(
    axes: Sequence[AxisInfo], loads: Iterable[AnyLoad], log: DiagnosticLog
) -> tuple[AxisInfo, ...]:
    """Axes with the torsion springs of a document added to their own.

    Springs k1 and k2 about q1 and q2 are one of k1 + k2 about (k1 q1 + k2 q2) / (k1 + k2), but for a constant of their
    energy.
    """
    result = list(axes)
    place = {info.name: i for i, info in enumerate(axes)}
    for load in loads:
        if not isinstance(load, TorsionSpring):
            continue
        index = place.get(load.joint if load.axis == "axis" else f"{load.joint}:{load.axis}")
        if index is None:
            message = f"the joint '{load.joint}' has no {load.axis} that a torsion spring could act about"
            log.error("LOAD_INVALID", load.source, message, "name a joint that turns or slides")
            continue
        axis = result[index].axis
        stiffness = axis.spring_stiffness + load.stiffness
        torque = axis.spring_stiffness * axis.spring_reference + load.stiffness * load.angle
        reference = torque / stiffness if stiffness > 0.0 else axis.spring_reference
        both = replace(
            axis, spring_stiffness=stiffness, spring_reference=reference, damping=axis.damping + load.damping
        )
        result[index] = replace(result[index], axis=both)
    return tuple(result)
