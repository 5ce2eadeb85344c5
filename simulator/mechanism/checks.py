"""Whether every joint has something to move (mass where it slides, inertia where it turns), and every link its shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import JointKind, MotionKind
from simulator.spatial.inertia import inertia_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.types import Body, MechanismJoint, Motion
    from simulator.model.world import World

_NEGLIGIBLE = 1e-14


def check_inertia(bodies: Sequence[Body], joints: Sequence[MechanismJoint], log: DiagnosticLog) -> None:
    """Report joints whose outboard bodies have no mass along, or no inertia about, their axis at the start pose."""
    for index, joint in enumerate(joints):
        outboard = _outboard(index, joints)
        mass = sum(bodies[body].mass for body in outboard)
        if joint.kind is not JointKind.CHAIN:
            if mass <= _NEGLIGIBLE:
                _report(joint, "no mass", bodies[joint.child], log)
            elif joint.kind is JointKind.BALL and _least_inertia(joint, bodies, outboard) <= _NEGLIGIBLE:
                _report(joint, "no inertia about some axis through its centre", bodies[joint.child], log)
            continue
        for motion in joint.motions:
            if motion.kind is MotionKind.TRANSLATION and mass <= _NEGLIGIBLE:
                _report(joint, "no mass along its axis", bodies[joint.child], log)
            elif motion.kind is MotionKind.ROTATION and _inertia_about(motion, joint, bodies, outboard) <= _NEGLIGIBLE:
                _report(joint, "no inertia about its axis", bodies[joint.child], log)


def check_shapes(world: World, log: DiagnosticLog) -> None:
    """Report meshes whose file cannot be used: libsdformat accepts such a document, but what is simulated would not be what it says."""
    for model in world.models:
        for link in model.links:
            for omitted in link.omitted:
                if omitted.mesh is not None:
                    log.error(
                        "MESH_MISSING",
                        omitted.source or link.source,
                        f"{omitted.element} '{omitted.name}' of link '{link.name}' has no usable mesh '{omitted.mesh.uri}'",
                        hint="put the file there, name its folder with --resource-path, or take the shape out of the document",
                    )


def _outboard(index: int, joints: Sequence[MechanismJoint]) -> list[int]:
    """The joint's own body and all bodies that hang on it (bodies are numbered inboard first)."""
    found = {index + 1}
    for joint in joints[index + 1 :]:
        if joint.parent in found:
            found.add(joint.child)
    return sorted(found)


def _inertia_about(motion: Motion, joint: MechanismJoint, bodies: Sequence[Body], outboard: Sequence[int]) -> float:
    """Inertia of the outboard bodies about the axis, at the start [kg m^2]."""
    axis = (bodies[joint.parent].X_WB @ joint.X_PJ).rotation() @ np.array(motion.direction)
    return float(axis @ _inertia_at(joint, bodies, outboard) @ axis)


def _least_inertia(joint: MechanismJoint, bodies: Sequence[Body], outboard: Sequence[int]) -> float:
    """Smallest inertia of the outboard bodies about any axis through the joint's centre [kg m^2]."""
    return float(np.linalg.eigvalsh(_inertia_at(joint, bodies, outboard))[0])


def _inertia_at(joint: MechanismJoint, bodies: Sequence[Body], outboard: Sequence[int]) -> NDArray[np.float64]:
    """Inertia of the outboard bodies about the joint's origin in world axes, at the start (parallel-axis theorem) [kg m^2]."""
    origin = np.array((bodies[joint.parent].X_WB @ joint.X_PJ).position)
    total = np.zeros((3, 3))
    for index in outboard:
        body = bodies[index]
        rotation = body.X_WB.rotation()
        arm = np.array(body.X_WB.transform(body.com)) - origin
        total += rotation @ inertia_matrix(*body.inertia) @ rotation.T
        total += body.mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return total


def _report(joint: MechanismJoint, lacks: str, body: Body, log: DiagnosticLog) -> None:
    link = body.links[0]
    log.error(
        "NO_INERTIA",
        link.source or joint.source,
        f"what joint '{joint.name}' moves has {lacks} (link '{link.name}' and all that hangs on it): its acceleration would be infinite",
        hint="give the link an <inertial> with positive mass and moments",
    )
