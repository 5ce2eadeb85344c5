"""What a document leaves open about inertia, completed so that the mechanism can move: every choice is reported.

A joint that moves nothing but massless frames is held still, unless nothing of its robot has mass: then all of it gets
some, so that it can be posed and driven. So does a body of which no mass is stated and no shape can be read. A body
whose own inertia leaves a joint without resistance gets that of its shapes or, without any, of a ball of water of its
mass. Bases that would fall for ever can be held."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.moving_inertia import NEGLIGIBLE, unresisted
from simulator.mechanism.types import WORLD_BODY, JointKind
from simulator.mechanism.welding import composite
from simulator.model.joint import WORLD, Joint, JointType
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix, sphere_moment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.moving_inertia import Unresisted
    from simulator.mechanism.types import Body, Mechanism
    from simulator.model.world import World
    from simulator.spatial.rotation import Vec3

SHARE = 1e-3
"""Of what hangs on it, the mass of a body without any; of its largest moment, the least moment of a body."""
TOKEN = 1.0
"""Mass [kg] of a body that is known to be more than a frame, but not how heavy."""
ALONE = "as nothing that hangs together with it has mass"
UNREAD = "as the meshes that it consists of are missing"
"""Why a body gets a token mass."""
ROUNDS = 5
"""A body that is completed may show that another lacks something, too."""


@dataclass(frozen=True)
class Held:
    """Joints that are held still, and links that are fixed to the world, by name."""

    joints: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.joints or self.links)


def to_hold(mechanism: Mechanism, *, strict: bool, hold_base: bool) -> Held:
    """What of a mechanism cannot or shall not move."""
    bodies = list(mechanism.bodies)
    for index in [] if strict else _unread(mechanism):
        bodies[index] = replace(bodies[index], mass=TOKEN)
    mechanism = replace(mechanism, bodies=tuple(bodies))
    lacking = [] if strict else unresisted(mechanism.bodies, mechanism.joints, mechanism.couplings)
    looped = {body for loop in mechanism.loop_joints for body in (loop.parent, loop.child)}
    kinematics = _without_mass(mechanism) if lacking else set()
    still = [
        joint
        for joint, item in ((mechanism.joints[item.joint], item) for item in lacking)
        if item.empty
        and not (looped & _carried(mechanism, joint.child))
        and (joint.kind is JointKind.FREE or joint.child not in kinematics)
    ]
    bases = falling_bases(mechanism) if hold_base else []
    grounded = [mechanism.bodies[joint.child] for joint in still if joint.kind is JointKind.FREE]
    return Held(
        frozenset(joint.name for joint in still if joint.kind is not JointKind.FREE),
        frozenset(body.links[0].name for body in (*bases, *grounded)),
    )


def _without_mass(mechanism: Mechanism) -> set[int]:
    """The bodies of trees in which nothing has mass, and no loop ties them to what may have some."""
    root: dict[int, int] = {}
    mass: dict[int, float] = {}
    for joint in mechanism.joints:  # inboard first
        root[joint.child] = first = root.get(joint.parent, joint.child)
        mass[first] = mass.get(first, 0.0) + mechanism.bodies[joint.child].mass
    for loop in mechanism.loop_joints:
        mass |= {root[body]: math.inf for body in (loop.parent, loop.child) if body in root}
    return {body for body, first in root.items() if mass[first] <= NEGLIGIBLE}


def _unread(mechanism: Mechanism) -> list[int]:
    """The bodies that a joint carries, and that weigh nothing although the document gives them shapes: files that are
    missing. Were they frames, what hangs on them would turn them too fast for any step."""
    return [
        joint.child
        for joint in mechanism.joints
        if joint.kind is not JointKind.FREE
        and mechanism.bodies[joint.child].mass <= NEGLIGIBLE
        and any(item.geometry == "mesh" for link in mechanism.bodies[joint.child].links for item in link.omitted)
    ]


def _carried(mechanism: Mechanism, body: int) -> set[int]:
    """The body and all that hang on it."""
    found = {body}
    for joint in mechanism.joints[body:]:
        if joint.parent in found:
            found.add(joint.child)
    return found


def falling_bases(mechanism: Mechanism) -> list[Body]:
    """Bodies that float freely and carry joints."""
    carrying = {joint.parent for joint in (*mechanism.joints, *mechanism.loop_joints)}
    return [
        mechanism.bodies[joint.child]
        for joint in mechanism.joints
        if joint.kind is JointKind.FREE and joint.child in carrying
    ]


def with_held(world: World, held: Held) -> World:
    """The world with those joints fixed and those links tied to it."""
    models = tuple(
        replace(model, joints=tuple(_fixed(joint) if joint.name in held.joints else joint for joint in model.joints))
        for model in world.models
    )
    joints = tuple(_fixed(joint) if joint.name in held.joints else joint for joint in world.joints)
    ties = tuple(
        Joint(f"{link.name}:held", JointType.FIXED, WORLD, link.name, WORLD, link.name, link.X_WL, source=link.source)
        for model in models
        for link in model.links
        if link.name in held.links
    )
    return replace(world, models=models, joints=joints + ties)


def _fixed(joint: Joint) -> Joint:
    return replace(joint, type=JointType.FIXED, axes=(), X_WJ_parent=None)


def report_held(world: World, held: Held, log: DiagnosticLog, *, hold_base: bool) -> None:
    """Tell what is held, and why."""
    joints = [joint for model in world.models for joint in model.joints] + list(world.joints)
    for joint in joints:
        if joint.name in held.joints:
            message = f"joint '{joint.name}' is held still: nothing that it moves has mass"
            hint = f"give link '{joint.child_link}' an <inertial> or a shape"
            log.warning("NO_INERTIA", joint.source, message, hint, fold="still", about=joint.name)
    for link in (link for model in world.models for link in model.links):
        if link.name in held.links:
            why = "as asked" if hold_base else "nothing of it has mass"
            message = f"'{link.name}' is fixed to the world: {why}"
            log.info("BASE_HELD", link.source, message, fold="held", about=link.name)


def report_falling(mechanism: Mechanism, log: DiagnosticLog) -> None:
    """Report robots that fall because there is nothing under them."""
    ground = any(link.collisions for link in mechanism.bodies[WORLD_BODY].links)
    if ground or not any(mechanism.gravity):
        return
    hanging = {mechanism.bodies[i].name for cable in mechanism.loads.cables for i in cable.bodies}
    for body in falling_bases(mechanism):
        link = body.links[0]
        if body.name in hanging:
            continue
        message = f"'{body.name}' is not fixed to anything, and there is nothing under it: it falls"
        hint = "--hold-base fixes it to the world"
        log.info("BASE_FALLS", link.source, message, hint, fold="falls", about=body.name)


def completed(mechanism: Mechanism, log: DiagnosticLog, *, strict: bool) -> Mechanism:
    """The mechanism with inertia wherever something would move without; strictly, that is an error."""
    bodies = list(mechanism.bodies)
    for index in [] if strict else _unread(mechanism):
        bodies[index] = _completed(bodies[index], 0.0, log, token=UNREAD)
    mechanism = replace(mechanism, bodies=tuple(bodies))
    for _ in range(ROUNDS):
        lacking = unresisted(mechanism.bodies, mechanism.joints, mechanism.couplings)
        if strict or not lacking:
            break
        bodies = list(mechanism.bodies)
        kinematics = _without_mass(mechanism)
        for item in lacking:
            index = mechanism.joints[item.joint].child
            carried = sum(mechanism.bodies[i].mass for i in _carried(mechanism, index))
            bodies[index] = _completed(bodies[index], carried, log, token=ALONE if index in kinematics else "")
        mechanism = replace(mechanism, bodies=tuple(bodies))
    for item in lacking:
        if mechanism.joints[item.joint].kind is not JointKind.FREE or item.empty:  # nothing turns a point that floats
            _report(mechanism, item, log)
    return mechanism


def _completed(body: Body, carried: float, log: DiagnosticLog, *, token: str) -> Body:
    """The body with mass, and inertia about every axis; `carried` [kg] is its mass and that of all that hangs on it,
    `token` why it gets a token mass, "" where it does not."""
    mass, com, inertia, source = _own_inertia(body, carried, token)
    moments, axes = np.linalg.eigh(inertia)
    ball = sphere_moment(mass)
    is_body = moments[2] > SHARE * ball
    moments = np.maximum(moments, SHARE * moments[2] if is_body else ball)
    source = source or ("none less than a thousandth of the largest" if is_body else "as of a ball of water")
    shown = ", ".join(f"{moment:.3g}" for moment in moments)
    message = (
        f"'{body.name}' would move without inertia; {mass:.3g} kg and moments of {shown} kg m^2 are taken, {source}"
    )
    hint = "give it mass and moments of inertia" + ("; positions are right, efforts are not" if token else "")
    log.warning("NO_INERTIA", body.links[0].source, message, hint, fold=f"completed {token}", about=body.name)
    xx, yy, zz, xy, xz, yz = ((axes * moments) @ axes.T)[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)].tolist()
    return replace(body, mass=mass, com=com, inertia=(xx, yy, zz, xy, xz, yz))


def _own_inertia(body: Body, carried: float, token: str) -> tuple[float, Vec3, NDArray[np.float64], str]:
    """Mass [kg], centre [m], inertia (3, 3) [kg m^2] before any floor, and where they are from if that is not the
    document."""
    if token:
        return TOKEN, body.com, np.zeros((3, 3)), token
    if body.mass <= 0.0:
        return SHARE * (carried or 1.0), body.com, np.zeros((3, 3)), "a thousandth of what hangs on it"
    if any(link.solid is not None for link in body.links):
        parts = zip((link.solid or link.inertial for link in body.links), body.X_BL, strict=True)
        mass, com, inertia = composite(parts)
        return mass, com, inertia_matrix(*inertia), "as of its shapes"
    return body.mass, body.com, inertia_matrix(*body.inertia), ""


def _report(mechanism: Mechanism, item: Unresisted, log: DiagnosticLog) -> None:
    joint = mechanism.joints[item.joint]
    link = mechanism.bodies[joint.child].links[0]
    log.error(
        "NO_INERTIA",
        link.source or joint.source,
        f"what joint '{joint.name}' moves has {item.lacks} (link '{link.name}' and all that hangs on it): "
        "its acceleration would be infinite",
        hint="give the link an <inertial> with positive mass and moments",
    )
