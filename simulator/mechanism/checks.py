"""Whether every joint has something to move (mass where it slides, inertia where it turns), and every link its shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.model.shape import Mesh
from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.types import Body, MechanismJoint, Motion
    from simulator.model.world import World

    Array = NDArray[np.float64]

_NEGLIGIBLE = 1e-14


def check_inertia(bodies: Sequence[Body], joints: Sequence[MechanismJoint], log: DiagnosticLog) -> None:
    """Report joints whose outboard bodies have no mass along, or no inertia about, their axis at the start pose."""
    placed = _placed(bodies)
    for joint, outboard in zip(joints, _outboard(joints), strict=True):
        mass = float(placed.masses[outboard].sum())
        if joint.kind is not JointKind.CHAIN:
            if mass <= _NEGLIGIBLE:
                _report(joint, "no mass", bodies[joint.child], log)
            elif joint.kind is JointKind.BALL and _least_inertia(joint, bodies, placed, outboard) <= _NEGLIGIBLE:
                _report(joint, "no inertia about some axis through its centre", bodies[joint.child], log)
            continue
        for motion in joint.motions:
            slides = motion.kind is MotionKind.TRANSLATION
            if (mass if slides else _inertia_about(motion, joint, bodies, placed, outboard)) <= _NEGLIGIBLE:
                lacks = "no mass along its axis" if slides else "no inertia about its axis"
                _report(joint, lacks, bodies[joint.child], log)


def check_shapes(world: World, bodies: Sequence[Body], log: DiagnosticLog) -> None:
    """Report meshes that a document read by libsdformat's rules must have and has not, and those that are simulated as something else."""
    for model in world.models:
        for link in model.links:
            for omitted in link.omitted:
                if omitted.mesh is not None and omitted.required:
                    log.error(
                        "MESH_MISSING",
                        omitted.source or link.source,
                        f"{omitted.element} '{omitted.name}' of link '{link.name}' has no usable mesh '{omitted.mesh.uri}'",
                        hint="put the file there, name its folder with --resource-path, or take the shape out of the document",
                    )
    for body in bodies[WORLD_BODY + 1 :]:
        for name, _, collision in body.collisions():
            if isinstance(collision.shape, Mesh):
                log.info(
                    "MESH_AS_HULL",
                    collision.source,
                    f"link '{name}' moves: its mesh '{collision.shape.uri}' collides as its convex hull, without hollows",
                    hint="where hollows matter, make the collision of several convex meshes, boxes, spheres or cylinders",
                    fold="hull",
                )


class _Placed(NamedTuple):
    """Of every body at the start: mass (n,) [kg], centre of mass (n, 3) [m] and inertia about it (n, 3, 3) [kg m^2] in world axes."""

    masses: Array
    centres: Array
    inertias: Array


def _placed(bodies: Sequence[Body]) -> _Placed:
    rotations = [body.X_WB.rotation() for body in bodies]
    return _Placed(
        np.array([body.mass for body in bodies]),
        np.array([body.X_WB.transform(body.com) for body in bodies]),
        np.array([R @ inertia_matrix(*body.inertia) @ R.T for R, body in zip(rotations, bodies, strict=True)]),
    )


def _outboard(joints: Sequence[MechanismJoint]) -> list[list[int]]:
    """For each joint its own body and all bodies that hang on it (bodies are numbered inboard first)."""
    found = [[joint.child] for joint in joints]
    for joint, hanging in zip(reversed(joints), reversed(found), strict=True):
        if joint.parent != WORLD_BODY:
            found[joint.parent - 1] += hanging
    return found


def _inertia_about(
    motion: Motion, joint: MechanismJoint, bodies: Sequence[Body], placed: _Placed, outboard: list[int]
) -> float:
    """Inertia of the outboard bodies about the axis, at the start [kg m^2]."""
    axis = (bodies[joint.parent].X_WB @ joint.X_PJ).rotation() @ np.array(motion.direction)
    return float(axis @ _inertia_at(joint, bodies, placed, outboard) @ axis)


def _least_inertia(joint: MechanismJoint, bodies: Sequence[Body], placed: _Placed, outboard: list[int]) -> float:
    """Smallest inertia of the outboard bodies about any axis through the joint's centre [kg m^2]."""
    return float(np.linalg.eigvalsh(_inertia_at(joint, bodies, placed, outboard))[0])


def _inertia_at(joint: MechanismJoint, bodies: Sequence[Body], placed: _Placed, outboard: list[int]) -> Array:
    """Inertia of the outboard bodies about the joint's origin in world axes, at the start (parallel-axis theorem) [kg m^2]."""
    arms = placed.centres[outboard] - np.array((bodies[joint.parent].X_WB @ joint.X_PJ).position)
    weighted = arms * placed.masses[outboard, None]
    total: Array = placed.inertias[outboard].sum(axis=0) + np.sum(weighted * arms) * np.eye(3) - weighted.T @ arms
    return total


def _report(joint: MechanismJoint, lacks: str, body: Body, log: DiagnosticLog) -> None:
    link = body.links[0]
    log.error(
        "NO_INERTIA",
        link.source or joint.source,
        f"what joint '{joint.name}' moves has {lacks} (link '{link.name}' and all that hangs on it): its acceleration would be infinite",
        hint="give the link an <inertial> with positive mass and moments",
    )
