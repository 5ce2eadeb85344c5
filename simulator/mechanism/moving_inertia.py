"""What moves without inertia: its acceleration would be infinite.

Problem: a joint whose outboard bodies offer no resistance to its motion makes the mass matrix of the tree singular.
Method: the articulated-body inertia of the tree at its start (Featherstone, Rigid Body Dynamics Algorithms, 2008, 7.2).
With all motions in one frame it is I_A(i) = I(i) + sum over children j of I_A(j) - U D^-1 U^T, U = I_A(j) S(j), D =
S(j)^T U. The mass matrix is singular if and only if some D is; that joint is named. Joints that couplings tie count as
locked: one of those tied together has to move something, the others feel it through the coupling. D is judged beside
the composite inertia of the same bodies, so that units and sizes do not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.mechanism.welding import UnionFind
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.rotation import skew

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import Body, Coupling, MechanismJoint
    from simulator.spatial.arrays import Array


NEGLIGIBLE = 1e-14
"""Masses [kg] and moments [kg m^2] up to this are none."""
DEPENDENT = 1e-10
"""A resistance up to this part of what the composite of the same bodies has is rounding."""


@dataclass(frozen=True)
class Unresisted:
    """Joint `joint` moves its bodies against no inertia; `lacks` says which is missing. `empty`: all that it moves is
    massless."""

    joint: int
    lacks: str
    empty: bool


def unresisted(
    bodies: Sequence[Body], joints: Sequence[MechanismJoint], couplings: Sequence[Coupling] = ()
) -> list[Unresisted]:
    """The joints that move something without inertia at the start pose, inboard first."""
    if _all_solid(bodies[1:]):
        return []
    ties = _ties(couplings)
    origins = _origins(bodies, joints)
    composite = [_at_origin(body, origin) for body, origin in zip(bodies, origins, strict=True)]
    articulated = [inertia.copy() for inertia in composite]
    found = []
    moving = set()
    for joint in reversed(joints):
        i, parent = joint.child, joint.parent
        tied = {ties[motion.axis] for motion in joint.motions if motion.axis in ties}
        S = _motions(joint, bodies, origins[i])
        D, whole = S.T @ articulated[i] @ S, S.T @ composite[i] @ S
        lacks = _missing_inertia_of_coupled(joint, whole) if tied else _missing_inertia(joint, D, whole)
        if lacks:
            empty = bool(composite[i][3, 3] <= NEGLIGIBLE)
            lacks = "no mass" if empty and joint.kind is not JointKind.CHAIN else lacks
            found.append((Unresisted(i - 1, lacks, empty), tied))
        else:
            moving |= tied
        if parent != WORLD_BODY:
            composite[parent] += composite[i]
            articulated[parent] += articulated[i] if tied or lacks else _reflected(articulated[i], S, D)
    return [item for item, tied in reversed(found) if not tied & moving]


def _ties(couplings: Sequence[Coupling]) -> dict[int, int]:
    """For every axis in a coupling a number that those tied together have in common. Axes that a curve ties are
    coordinates of their own, like those of a loop: each of them needs inertia."""
    couplings = [coupling for coupling in couplings if coupling.curve is None]
    count = 1 + max((axis for coupling in couplings for axis, _ in coupling.terms), default=-1)
    sets = UnionFind(count)
    for coupling in couplings:
        for axis, _ in coupling.terms:
            sets.union(coupling.follower, axis)
    return {axis: sets.find(axis) for coupling in couplings for axis, _ in coupling.terms}


def _all_solid(bodies: Sequence[Body]) -> bool:
    """Whether each of the bodies has mass and, about every axis, inertia."""
    if any(body.mass <= NEGLIGIBLE for body in bodies):
        return False
    moments = np.linalg.eigvalsh(np.array([inertia_matrix(*body.inertia) for body in bodies]).reshape(-1, 3, 3))
    return bool((moments[:, 0] > np.maximum(NEGLIGIBLE, DEPENDENT * moments[:, 2])).all())


def _reflected(inertia: Array, S: Array, D: Array) -> Array:
    """What of an articulated inertia (6, 6) is felt through a joint that moves freely."""
    U = inertia @ S
    felt: Array = inertia - U @ np.linalg.solve(D, U.T)
    return felt


def _missing_inertia(joint: MechanismJoint, D: Array, composite: Array) -> str:
    """What resists none of some motion of the joint; "" where everything is resisted. D and `composite` are (k, k)."""
    if not len(D):
        return ""
    names = [_missing_text(joint, i) for i in range(len(D))]
    for i, own in enumerate(np.diag(composite)):
        if own <= NEGLIGIBLE:
            return names[i]
    scale = np.sqrt(np.diag(composite))
    values, vectors = np.linalg.eigh(D / np.outer(scale, scale))
    return names[int(np.argmax(np.abs(vectors[:, 0])))] if values[0] <= DEPENDENT else ""


def _missing_inertia_of_coupled(joint: MechanismJoint, composite: Array) -> str:
    """As `_missing_inertia`, of motions that a coupling makes one."""
    return _missing_text(joint, len(composite) - 1) if (np.diag(composite) <= NEGLIGIBLE).all() else ""


def _missing_text(joint: MechanismJoint, direction: int) -> str:
    if joint.kind is JointKind.FREE:
        return "no inertia about some axis"
    if joint.kind is JointKind.BALL:
        return "no inertia about some axis through its centre"
    slides = joint.motions[direction].kind is MotionKind.TRANSLATION
    return "no mass along its axis" if slides else "no inertia about its axis"


def _origins(bodies: Sequence[Body], joints: Sequence[MechanismJoint]) -> list[Array]:
    """For each body the point of its tree about which moments are taken, near enough for them to keep their digits: the
    root's centre."""
    found = [np.zeros(3) for _ in bodies]
    for joint in joints:
        child = bodies[joint.child]
        at_root = joint.parent == WORLD_BODY
        found[joint.child] = np.array(child.X_WB.transform(child.com)) if at_root else found[joint.parent]
    return found


def _at_origin(body: Body, origin: Array) -> Array:
    """Spatial inertia (6, 6) of a body in world axes about `origin`, angular part first."""
    R = body.X_WB.rotation()
    arm = skew(np.array(body.X_WB.transform(body.com)) - origin)
    result = np.zeros((6, 6))
    result[:3, :3] = R @ inertia_matrix(*body.inertia) @ R.T + body.mass * arm @ arm.T
    result[:3, 3:] = body.mass * arm
    result[3:, :3] = body.mass * arm.T
    result[3:, 3:] = body.mass * np.eye(3)
    return result


def _motions(joint: MechanismJoint, bodies: Sequence[Body], origin: Array) -> Array:
    """Columns (6, k): the motions that the joint permits, in world axes about `origin`, angular part first."""
    if joint.kind is JointKind.FREE:
        return np.eye(6)
    X_WJ = bodies[joint.parent].X_WB @ joint.X_PJ
    R = X_WJ.rotation()
    point = np.array(X_WJ.position) - origin
    turns = list(R.T) if joint.kind is JointKind.BALL else []
    columns = [np.concatenate([axis, np.cross(point, axis)]) for axis in turns]
    for motion in joint.motions:
        axis = R @ np.array(motion.direction)
        slides = motion.kind is MotionKind.TRANSLATION
        columns.append(np.concatenate([np.zeros(3), axis] if slides else [axis, np.cross(point, axis)]))
    result: Array = np.array(columns).reshape(-1, 6).T
    return result
