"""Plans become Bullet bodies with every silent default of Bullet switched off."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import field
from itertools import combinations, product
from typing import TYPE_CHECKING

from simulator.bullet.plan import LinkKind, LinkPlan, MultibodyPlan
from simulator.bullet.pybullet_import import pybullet
from simulator.bullet.shapes import create_fixed_shapes, create_shape, unseen
from simulator.mechanism.non_colliding import NO_FAMILY
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.mechanism.non_colliding import NonCollidingLinks
    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.spatial.pose import Pose

NO_CLIP = 1e30
"""Bullet clips joint speeds at 100 rad/s unless told otherwise."""
LIMIT_FORCE = 1e10
LARGE_FAMILY = 100
"""Links; smaller families are separated pair by pair."""
OWN_GROUPS = [1 << bit for bit in range(8, 31)]
"""Collision groups that Bullet leaves to its users."""
_JOINT_TYPES = {
    LinkKind.REVOLUTE: pybullet.JOINT_REVOLUTE,
    LinkKind.PRISMATIC: pybullet.JOINT_PRISMATIC,
    LinkKind.SPHERICAL: pybullet.JOINT_SPHERICAL,
    LinkKind.FIXED: pybullet.JOINT_FIXED,
}


@dataclass
class Built:
    """A multibody in Bullet: its id and its plan."""

    uid: int
    plan: MultibodyPlan


@dataclass
class Solids:
    """Where each scoped link's collisions are in Bullet: (body id, link index) pairs."""

    of_link: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, link: str, uid: int, index: int) -> None:
        """Book one shape."""
        self.of_link.setdefault(link, []).append((uid, index))


def build_multibody(client: int, plan: MultibodyPlan, mechanism: Mechanism, solids: Solids) -> Built:
    """Create one multibody and set everything that createMultiBody does not take."""
    links = plan.links
    shapes = [
        create_shape(client, link.collision.shape, link.X_LC) if link.collision is not None else -1 for link in links
    ]
    base_mass, base_pose, base_shape = _base(client, plan, mechanism)
    plain = unseen(client)
    uid = int(
        pybullet.createMultiBody(
            baseMass=base_mass,
            baseCollisionShapeIndex=base_shape,
            baseVisualShapeIndex=plain,
            basePosition=base_pose.position,
            baseOrientation=base_pose.orientation,
            linkMasses=[link.mass for link in links],
            linkCollisionShapeIndices=shapes,
            linkVisualShapeIndices=[plain] * len(links),
            linkPositions=[link.X_PL.position for link in links],
            linkOrientations=[link.X_PL.orientation for link in links],
            linkInertialFramePositions=[link.X_LI.position for link in links],
            linkInertialFrameOrientations=[link.X_LI.orientation for link in links],
            linkParentIndices=[link.parent + 1 for link in links],
            linkJointTypes=[_JOINT_TYPES[link.kind] for link in links],
            linkJointAxis=[link.direction for link in links],
            flags=pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_INCLUDE_PARENT,
            physicsClientId=client,
        )
    )
    _configure_base(client, uid, plan, mechanism)
    for index, link in enumerate(links):
        _configure_link(client, uid, index, link, mechanism)
    _book_solids(uid, plan, solids)
    return Built(uid, plan)


def build_fixed(client: int, mechanism: Mechanism, solids: Solids) -> None:
    """Collisions of the world as immovable bodies, a large mesh as several."""
    for name, X_WC, collision in mechanism.bodies[0].collisions():
        for shape in create_fixed_shapes(client, collision.shape, X_WC):
            uid = int(
                pybullet.createMultiBody(
                    baseMass=0.0,
                    baseCollisionShapeIndex=shape,
                    baseVisualShapeIndex=unseen(client),
                    physicsClientId=client,
                )
            )
            _surface(client, uid, -1, collision)
            solids.add(name, uid, -1)


def _base(client: int, plan: MultibodyPlan, mechanism: Mechanism) -> tuple[float, Pose, int]:
    if plan.base_joint < 0:
        return 0.0, plan.X_BI, -1
    body = mechanism.bodies[plan.base]
    shape = -1
    if plan.base_collision is not None:
        _, X_BC, collision = plan.base_collision
        shape = create_shape(client, collision.shape, plan.X_BI.inverse() @ X_BC)
    return body.mass, body.X_WB @ plan.X_BI, shape


def _configure_base(client: int, uid: int, plan: MultibodyPlan, mechanism: Mechanism) -> None:
    pybullet.changeDynamics(uid, -1, linearDamping=0.0, angularDamping=0.0, physicsClientId=client)
    pybullet.changeDynamics(uid, -1, activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING, physicsClientId=client)
    # In a call of its own and on the base: with a link it would silently drop everything else that the call says.
    pybullet.changeDynamics(uid, -1, maxJointVelocity=NO_CLIP, physicsClientId=client)
    if plan.base_joint >= 0:
        pybullet.changeDynamics(uid, -1, localInertiaDiagonal=plan.moments, physicsClientId=client)
        if plan.base_collision is not None:
            _surface(client, uid, -1, plan.base_collision[2])


def _configure_link(client: int, uid: int, index: int, link: LinkPlan, mechanism: Mechanism) -> None:
    pybullet.changeDynamics(
        uid,
        index,
        linearDamping=0.0,
        angularDamping=0.0,
        jointDamping=0.0,
        localInertiaDiagonal=link.moments,
        physicsClientId=client,
    )
    if link.kind is LinkKind.SPHERICAL:
        pybullet.setJointMotorControlMultiDof(
            uid,
            index,
            pybullet.POSITION_CONTROL,
            targetPosition=[0, 0, 0, 1],
            positionGain=0,
            velocityGain=0,
            force=[0, 0, 0],
            physicsClientId=client,
        )
    elif link.kind is not LinkKind.FIXED:
        pybullet.setJointMotorControl2(uid, index, pybullet.VELOCITY_CONTROL, force=0.0, physicsClientId=client)
    if link.axis >= 0 and mechanism.axes[link.axis].limited:
        _limits(client, uid, index, mechanism.axes[link.axis].axis.lower, mechanism.axes[link.axis].axis.upper)
    if link.collision is not None:
        _surface(client, uid, index, link.collision)


def _limits(client: int, uid: int, index: int, lower: float, upper: float) -> None:
    pybullet.changeDynamics(
        uid,
        index,
        jointLowerLimit=max(lower, -NO_CLIP),
        jointUpperLimit=min(upper, NO_CLIP),
        jointLimitForce=LIMIT_FORCE,
        physicsClientId=client,
    )


def _surface(client: int, uid: int, index: int, collision: Collision) -> None:
    """Bullet multiplies the friction of the two sides where SDFormat's ode takes the smaller: the roots give their
    geometric mean."""
    surface = collision.surface
    pybullet.changeDynamics(
        uid,
        index,
        lateralFriction=math.sqrt(max(surface.friction, 0.0)),
        restitution=surface.restitution,
        rollingFriction=0.0,
        spinningFriction=0.0,
        physicsClientId=client,
    )
    if surface.contact_stiffness < 1e9:
        pybullet.changeDynamics(
            uid,
            index,
            contactStiffness=surface.contact_stiffness,
            contactDamping=surface.contact_damping,
            physicsClientId=client,
        )


def _book_solids(uid: int, plan: MultibodyPlan, solids: Solids) -> None:
    if plan.base_collision is not None:
        solids.add(plan.base_collision[0], uid, -1)
    for index, link in enumerate(plan.links):
        if link.collision is not None:
            solids.add(link.link_name, uid, index)


def separate(client: int, solids: Solids, apart: NonCollidingLinks) -> None:
    """Switch off collisions between links that never collide, and among the shapes of one link.

    Bullet has two ways: a filter for each pair of shapes, and a group with a mask for each shape. A large family gets a
    group, which its masks exclude, so that its pairs, possibly millions, are never enumerated. Fixed shapes never
    collide in Bullet.
    """
    sizes = Counter(link.family for link in apart.links if link.family != NO_FAMILY)
    large = [family for family, size in sizes.most_common(len(OWN_GROUPS)) if size > LARGE_FAMILY]
    group_of = dict(zip(large, OWN_GROUPS, strict=False))
    for link in apart.links:
        group = group_of.get(link.family, 0)
        for uid, index in solids.of_link.get(link.name, ()) if group else ():
            pybullet.setCollisionFilterGroupMask(uid, index, group, ~group, physicsClientId=client)
    for shapes in solids.of_link.values():
        _filter(client, combinations(shapes, 2))
    for a, b in apart.moving_pairs(besides=large):
        _filter(client, product(solids.of_link.get(a, ()), solids.of_link.get(b, ())))


def _filter(client: int, pairs: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    for a, b in pairs:
        pybullet.setCollisionFilterPair(a[0], b[0], a[1], b[1], 0, physicsClientId=client)
