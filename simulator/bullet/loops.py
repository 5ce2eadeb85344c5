"""Loop joints as Bullet's point, slider and weld constraints.

Pivots are given in the links' inertial frames. A hinge is two points on its axis, one where the loop is planar: the
tree keeps it in its plane.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.bullet.pybullet_import import pybullet
from simulator.errors import EngineLimitError
from simulator.mechanism.types import WORLD_BODY, JointKind
from simulator.model.joint import JointType
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.mechanism.types import MechanismJoint
    from simulator.spatial.rotation import Vec3

MAX_FORCE = 1e10
ERP = 0.8
"""Position correction of a point constraint; Bullet's default leaves four times the gap (measured on a
crank-rocker)."""


def add_loop(
    client: int,
    loop: MechanismJoint,
    carriers: Mapping[int, tuple[int, int, Pose]],
    *,
    planar: bool,
) -> list[int]:
    """Create the constraints of one loop joint. `carriers` maps a body to (Bullet body, link index, X_IB). Returns
    constraint ids.

    Raises EngineLimitError for joint types that Bullet has no constraint for.
    """
    if loop.kind is JointKind.BALL:
        return [_point(client, loop, carriers, (0.0, 0.0, 0.0))]
    if loop.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
        if planar:
            return [_point(client, loop, carriers, (0.0, 0.0, 0.0))]
        x, y, z = loop.motions[0].direction
        arm = 0.5 * max(_reach(loop.parent, loop.X_PJ), _reach(loop.child, loop.X_CJ), 0.02)
        return [_point(client, loop, carriers, (s * arm * x, s * arm * y, s * arm * z)) for s in (-1.0, 1.0)]
    if loop.type is JointType.PRISMATIC:
        return [_aligned(client, loop, carriers, pybullet.JOINT_PRISMATIC, loop.motions[0].direction)]
    if loop.type is JointType.FIXED:
        return [_aligned(client, loop, carriers, pybullet.JOINT_FIXED, (0.0, 0.0, 0.0))]
    kind = loop.type.value if loop.type is not None else loop.kind.value
    raise EngineLimitError(
        f"strategy gear cannot close a loop with the {kind} joint '{loop.name}' ({loop.source}): Bullet has no such "
        "constraint; mark a revolute, prismatic or ball joint of that loop <must_be_loop_joint>"
    )


def _point(client: int, loop: MechanismJoint, carriers: Mapping[int, tuple[int, int, Pose]], at: Vec3) -> int:
    return _constrain(client, loop, carriers, pybullet.JOINT_POINT2POINT, (0.0, 0.0, 0.0), Pose(at))


def _aligned(
    client: int, loop: MechanismJoint, carriers: Mapping[int, tuple[int, int, Pose]], kind: int, axis: Vec3
) -> int:
    return _constrain(client, loop, carriers, kind, axis, Pose())


def _constrain(
    client: int,
    loop: MechanismJoint,
    carriers: Mapping[int, tuple[int, int, Pose]],
    kind: int,
    axis: Vec3,
    X_JA: Pose,
) -> int:
    """One constraint between frame A, fixed in the loop's joint frame, on both sides; the world can only be the second
    side."""
    sides = [(loop.parent, loop.X_PJ @ X_JA), (loop.child, loop.X_CJ @ X_JA)]
    if loop.parent == WORLD_BODY:
        sides.reverse()
    (first, X_first), (second, X_second) = sides
    uid, link, X_IB = carriers[first]
    A = X_IB @ X_first
    if second == WORLD_BODY:
        other = -1
        other_link = -1
        B = X_second
    else:
        other, other_link, X_IB2 = carriers[second]
        B = X_IB2 @ X_second
    constraint = int(
        pybullet.createConstraint(
            uid,
            link,
            other,
            other_link,
            kind,
            A.rotate(axis),
            A.position,
            B.position,
            A.orientation,
            B.orientation,
            physicsClientId=client,
        )
    )
    pybullet.changeConstraint(constraint, maxForce=MAX_FORCE, erp=ERP, physicsClientId=client)
    return constraint


def _reach(body: int, X_BJ: Pose) -> float:
    """How far a joint is from its body's frame: a length of the mechanism's own size [m]. Where the world's origin is
    means nothing."""
    return 0.0 if body == WORLD_BODY else math.sqrt(sum(c * c for c in X_BJ.position))
