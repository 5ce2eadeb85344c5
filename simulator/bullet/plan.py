"""What to build in Bullet, as plain data: which bodies share a multibody, and its links with their frames.

Bullet's conventions: a link's frame L sits at its joint; a link is placed by the pose of L in its parent's L; the
inertial frame I is given in L and must be the principal one. A free base uses its inertial frame as its link frame, so
that Bullet's two notions of base pose agree.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import EngineLimitError
from simulator.mechanism.moving_inertia import unresisted
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.mechanism.welding import UnionFind
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.mechanism.types import Body, Mechanism, MechanismJoint
    from simulator.model.link import Collision
    from simulator.spatial.rotation import Vec3

MAX_LINKS = 120
"""Bullet's multibodies have room for 128 coordinates; 120 links are known to work, and a floating base takes seven."""


class LinkKind(str, Enum):
    """Joint types of Bullet's multibody."""

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    SPHERICAL = "spherical"
    FIXED = "fixed"


@dataclass(frozen=True)
class LinkPlan:
    """One link of a multibody. `parent` is -1 for the base. `axis` is the index of the mechanism's axis (-1: none),
    `body` that of the body which the link carries (-1: none, an intermediate or a holder of a collision); `X_LB` places
    that body's frame."""

    parent: int
    kind: LinkKind
    direction: Vec3
    X_PL: Pose
    mass: float = 0.0
    X_LI: Pose = IDENTITY
    moments: Vec3 = (0.0, 0.0, 0.0)
    axis: int = -1
    body: int = -1
    joint: int = -1
    X_LB: Pose = IDENTITY
    collision: Collision | None = None
    link_name: str = ""
    X_LC: Pose = IDENTITY


@dataclass
class MultibodyPlan:
    """A multibody: `base` is the body that floats (its tree joint is `base_joint`), or the world."""

    base: int
    base_joint: int
    X_BI: Pose
    moments: Vec3
    links: list[LinkPlan] = field(default_factory=list)
    base_collision: tuple[str, Pose, Collision] | None = None

    def of_kind(self, kind: LinkKind) -> list[tuple[int, LinkPlan]]:
        """The links of a kind, with their indices."""
        return [(i, link) for i, link in enumerate(self.links) if link.kind is kind]


def plan_multibodies(mechanism: Mechanism) -> list[MultibodyPlan]:
    """Group trees so that coupled joints share a multibody, and lay out their links.

    Raises EngineLimitError where Bullet has no room, where a coupling ties a floating model to another one, or where a
    follower has no inertia of its own.
    """
    for item in unresisted(mechanism.bodies, mechanism.joints):
        joint = mechanism.joints[item.joint]
        if joint.kind is JointKind.CHAIN:
            raise EngineLimitError(
                f"strategy gear cannot move joint '{joint.name}': what it moves has {item.lacks}, and Bullet's gears "
                "do not hand on that of its leader; strategies rows and reduced do"
            )
    return [_plan(mechanism, roots) for roots in _groups(mechanism)]


def _groups(mechanism: Mechanism) -> list[list[int]]:
    """Root joints (those whose inboard body is the world) that must share a multibody."""
    root_of = _root_joints(mechanism)
    joint_of = {motion.axis: i for i, joint in enumerate(mechanism.joints) for motion in joint.motions}
    sets = UnionFind(len(mechanism.joints))
    for coupling in mechanism.couplings:
        roots = [root_of[joint_of[axis]] for axis, _ in coupling.terms if axis in joint_of]
        for other in roots[1:]:
            if other != roots[0]:
                _refuse_floating(mechanism, roots[0], other, str(coupling.source))
                sets.union(roots[0], other)
    groups: dict[int, list[int]] = {}
    for root in sorted(set(root_of)):
        groups.setdefault(sets.find(root), []).append(root)
    return list(groups.values())


def _root_joints(mechanism: Mechanism) -> list[int]:
    roots: list[int] = []
    for i, joint in enumerate(mechanism.joints):
        roots.append(i if joint.parent == WORLD_BODY else roots[joint.parent - 1])
    return roots


def _refuse_floating(mechanism: Mechanism, a: int, b: int, where: str) -> None:
    for root in (a, b):
        if mechanism.joints[root].kind is JointKind.FREE:
            body = mechanism.bodies[mechanism.joints[root].child].name
            raise EngineLimitError(
                f"strategy gear cannot couple joints across models when one of them floats: '{body}' hangs on nothing "
                f"({where}); join it to the world, or couple joints of one model"
            )


def _plan(mechanism: Mechanism, roots: list[int]) -> MultibodyPlan:
    first = mechanism.joints[roots[0]]
    if first.kind is JointKind.FREE:
        X_BI, moments = principal_frame(mechanism.bodies[first.child])
        plan = MultibodyPlan(first.child, roots[0], X_BI, moments)
        link_of = {first.child: -1}
        X_LB = {first.child: X_BI.inverse()}
        collisions = mechanism.bodies[first.child].collisions()
        plan.base_collision = collisions[0] if collisions else None
        _hold_collisions(plan, -1, X_LB[first.child], collisions[1:])
    else:
        plan = MultibodyPlan(WORLD_BODY, -1, IDENTITY, (0.0, 0.0, 0.0))
        link_of = {WORLD_BODY: -1}
        X_LB = {WORLD_BODY: IDENTITY}
    for i in _depth_first(mechanism, roots):
        joint = mechanism.joints[i]
        if joint.kind is not JointKind.FREE:
            link_of[joint.child] = _add_joint(plan, mechanism, i, link_of[joint.parent], X_LB[joint.parent])
            X_LB[joint.child] = joint.X_CJ.inverse()
    if len(plan.links) > MAX_LINKS:
        raise EngineLimitError(_too_many(plan, mechanism.joints[roots[0]].name))
    return plan


def _depth_first(mechanism: Mechanism, roots: list[int]) -> Iterator[int]:
    """The joints of a multibody, branch by branch: Bullet numbers its links in this order, whatever order they are
    passed in."""
    outboard: dict[int, list[int]] = {}
    for i, joint in enumerate(mechanism.joints):
        outboard.setdefault(joint.parent, []).append(i)
    ahead = sorted(roots, reverse=True)
    while ahead:
        joint_index = ahead.pop()
        yield joint_index
        ahead += reversed(outboard.get(mechanism.joints[joint_index].child, []))


def _too_many(plan: MultibodyPlan, root: str) -> str:
    held = sum(link.kind is LinkKind.FIXED for link in plan.links)
    return (
        f"Bullet holds at most {MAX_LINKS} links in one multibody, and joint '{root}' with all that hangs on it or is "
        f"coupled to it needs {len(plan.links)}; split the model into uncoupled parts"
        + (f", or give its links fewer collisions ({held} are beyond the first of their body)" if held else "")
    )


def _add_joint(plan: MultibodyPlan, mechanism: Mechanism, index: int, parent: int, X_LB_parent: Pose) -> int:
    """Append the links of one joint: massless intermediates, then the one that carries the body. Returns the index of
    the last."""
    joint = mechanism.joints[index]
    body = mechanism.bodies[mechanism.joints[index].child]
    steps = _steps(joint)
    X_PL = X_LB_parent @ joint.X_PJ
    for kind, direction, axis in steps[:-1]:
        plan.links.append(LinkPlan(parent, kind, direction, X_PL, axis=axis, joint=index))
        parent = len(plan.links) - 1
        X_PL = IDENTITY
    kind, direction, axis = steps[-1]
    X_BI, moments = principal_frame(body)
    X_LB = joint.X_CJ.inverse()
    collisions = body.collisions()
    name, X_BC, collision = collisions[0] if collisions else ("", IDENTITY, None)
    plan.links.append(
        LinkPlan(
            parent,
            kind,
            direction,
            X_PL,
            mass=body.mass,
            X_LI=X_LB @ X_BI,
            moments=moments,
            axis=axis,
            body=joint.child,
            joint=index,
            X_LB=X_LB,
            collision=collision,
            link_name=name,
            X_LC=X_LB @ X_BC,
        )
    )
    carrier = len(plan.links) - 1
    _hold_collisions(plan, carrier, X_LB, collisions[1:])
    return carrier


def _steps(joint: MechanismJoint) -> list[tuple[LinkKind, Vec3, int]]:
    if joint.kind is JointKind.BALL:
        return [(LinkKind.SPHERICAL, (0.0, 0.0, 1.0), -1)]
    kinds = {MotionKind.ROTATION: LinkKind.REVOLUTE, MotionKind.TRANSLATION: LinkKind.PRISMATIC}
    return [(kinds[motion.kind], motion.direction, motion.axis) for motion in joint.motions]


def _hold_collisions(
    plan: MultibodyPlan, carrier: int, X_LB: Pose, collisions: tuple[tuple[str, Pose, Collision], ...]
) -> None:
    """Bullet has one shape and one friction a link: further collisions sit on massless links fixed to the carrier."""
    for name, X_BC, collision in collisions:
        plan.links.append(
            LinkPlan(carrier, LinkKind.FIXED, (0.0, 0.0, 1.0), X_LB @ X_BC, collision=collision, link_name=name)
        )


def principal_frame(body: Body) -> tuple[Pose, Vec3]:
    """Inertial frame I of a body with its axes along the principal ones, X_BI, and the moments about them [kg m^2]."""
    ixx, iyy, izz, ixy, ixz, iyz = body.inertia
    if ixy == ixz == iyz == 0.0:
        return Pose(body.com), (ixx, iyy, izz)
    moments, axes = np.linalg.eigh(inertia_matrix(ixx, iyy, izz, ixy, ixz, iyz))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    m0, m1, m2 = (max(float(m), 0.0) for m in moments)
    return Pose(body.com, quat_from_matrix(axes)), (m0, m1, m2)
