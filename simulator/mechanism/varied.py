"""Other numbers for a mechanism of the same structure, by the names that the document gives them.

    <axis>.damping, friction, spring_stiffness, spring_reference, lower, upper, effort, velocity, initial_position
    <follower>.multiplier, offset, reference
    <link>.mass, com.x … com.z, inertia.ixx … inertia.iyz            of the link's own <inertial>
    <joint>.pose.x … pose.z                                          of the joint's <pose>, in its child link

The result is the mechanism of the same document with that number in it: a joint that is moved is moved in both of its
links, which stay where they are at the document's start.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError, place_of
from simulator.mechanism.coupling_law import with_law
from simulator.mechanism.placed_loads import body_weights
from simulator.mechanism.welding import all_joints, composite
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.mechanism.types import Body, Mechanism, MechanismJoint
    from simulator.model.joint import Joint
    from simulator.model.link import Inertial
    from simulator.model.world import World
    from simulator.spatial.rotation import Vec3

PASSIVE = ("damping", "friction", "spring_stiffness", "spring_reference", "initial_position")
BOUNDS = ("lower", "upper", "effort", "velocity")
LAW = ("multiplier", "offset", "reference")
POSITIVE = ("damping", "friction", "effort", "velocity", "mass")
"""Fields that must not be negative."""
MOMENTS, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")
PLACE = ("x", "y", "z")
ROUNDED = 1e-6
"""Part by which a document's moments may miss the triangle inequality."""
_FIELDS = (
    *PASSIVE,
    *BOUNDS,
    *LAW,
    "mass",
    *(f"com.{letter}" for letter in PLACE),
    *(f"inertia.{moment}" for moment in (*MOMENTS, *PRODUCTS)),
    *(f"pose.{part}" for part in PLACE),
)
_PARAMETER = re.compile(rf"(?P<name>.+)\.(?P<field>{'|'.join(map(re.escape, _FIELDS))})")


@dataclass(frozen=True)
class _Change:
    """One number: what it belongs to, which of its fields, and the name as it was written."""

    name: str
    field: str
    value: float
    text: str


def varied(mechanism: Mechanism, world: World, values: Mapping[str, float]) -> Mechanism:
    """The mechanism of `world` with other numbers, by parameter names as in the head of this file, in the order in
    which they are given.

    Raises UsageError for a parameter that does not exist or a value that it cannot have.
    """
    before = mechanism
    for text, value in values.items():
        change = _parsed(text, value)
        if change.field in LAW:
            mechanism = _with_law(mechanism, change)
        elif change.field in PASSIVE or change.field in BOUNDS:
            mechanism = _with_axis(mechanism, change)
        elif change.field.startswith("pose."):
            mechanism = _with_joint(mechanism, world, change)
        else:
            mechanism = _with_link(mechanism, world, change)
    _check_inertias(before, mechanism)
    return mechanism


def moves_positions(names: Mapping[str, float]) -> bool:
    """Whether one of these parameters changes which positions couplings, loops and limits allow."""
    still = {*PASSIVE, "effort", "velocity", "mass"}
    fields = [_parsed(name, 0.0).field for name in names]
    return not all(field in still or field.startswith(("com.", "inertia.")) for field in fields)


def number_of(mechanism: Mechanism, world: World, name: str) -> float:
    """What a parameter of a mechanism of `world` is. Raises UsageError for one that does not exist."""
    change = _parsed(name, 0.0)
    group, _, part = change.field.rpartition(".")
    if change.field in LAW:
        followers = [mechanism.axes[coupling.follower].name for coupling in mechanism.couplings]
        return float(getattr(mechanism.couplings[place_of(followers, change.name, "follower")], change.field))
    if change.field in PASSIVE or change.field in BOUNDS:
        index = place_of([info.name for info in mechanism.axes], change.name, "axis")
        return float(getattr(mechanism.axes[index].axis, change.field))
    if group == "pose":
        joint, said = _joint_of(mechanism, world, change)
        X_BJ = joint.X_PJ if joint.reversed else joint.X_CJ
        body = mechanism.bodies[joint.parent if joint.reversed else joint.child]
        return (_place_of_link(body, said.child_link).inverse() @ X_BJ).position[PLACE.index(part)]
    links = [link for body in mechanism.bodies for link in body.links]
    inertial = links[place_of([link.name for link in links], change.name, "link")].inertial
    if group == "com":
        return inertial.X_LI.position[PLACE.index(part)]
    if part in MOMENTS:
        return inertial.moments[MOMENTS.index(part)]
    return inertial.products[PRODUCTS.index(part)] if part in PRODUCTS else inertial.mass


def _parsed(text: str, value: float) -> _Change:
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise UsageError(f"'{text}' is not a parameter: write NAME.FIELD with FIELD one of {', '.join(_FIELDS)}")
    field = found["field"]
    bounded = field not in BOUNDS
    if math.isnan(value) or (bounded and math.isinf(value)):
        raise UsageError(f"'{text}' must be a finite number, not {value:g}")
    if value < 0.0 and field in POSITIVE:
        raise UsageError(f"'{text}' must be 0 or more, not {value:g}")
    return _Change(found["name"], field, float(value), text)


def _with_axis(mechanism: Mechanism, change: _Change) -> Mechanism:
    index = place_of([info.name for info in mechanism.axes], change.name, "axis")
    info = mechanism.axes[index]
    axis = replace(info.axis, **{change.field: change.value})  # type: ignore[arg-type]  # the fields are floats
    if axis.lower > axis.upper or axis.lower == math.inf or axis.upper == -math.inf:
        raise UsageError(f"'{change.text}': the limits of '{info.name}' would be {axis.lower:g} to {axis.upper:g}")
    axes = (*mechanism.axes[:index], replace(info, axis=axis), *mechanism.axes[index + 1 :])
    return replace(mechanism, axes=axes)


def _with_law(mechanism: Mechanism, change: _Change) -> Mechanism:
    followers = [mechanism.axes[coupling.follower].name for coupling in mechanism.couplings]
    index = place_of(followers, change.name, "follower")
    coupling = mechanism.couplings[index]
    law = {"multiplier": coupling.multiplier, "offset": coupling.offset, "reference": coupling.reference}
    law[change.field] = change.value
    return with_law(mechanism, index, (*law.values(), *(factor for _, factor in coupling.others)))


def _with_link(mechanism: Mechanism, world: World, change: _Change) -> Mechanism:
    links = [(i, k, link.name) for i, body in enumerate(mechanism.bodies) for k, link in enumerate(body.links)]
    i, k, name = links[place_of([name for _, _, name in links], change.name, "link")]
    body = mechanism.bodies[i]
    inertial = _inertial(body.links[k].inertial, change)
    if i > 0 and change.field == "mass" and not change.value > 0.0:
        raise UsageError(f"'{change.text}': the mass of '{name}' must be more than 0")
    members = tuple(replace(link, inertial=inertial) if j == k else link for j, link in enumerate(body.links))
    changed = replace(body, links=members)
    if i > 0:
        mass, com, inertia = composite((link.inertial, X) for link, X in zip(members, body.X_BL, strict=True))
        xx, yy, zz = (float(inertia[a, a]) for a in range(3))
        xy, xz, yz = float(inertia[0, 1]), float(inertia[0, 2]), float(inertia[1, 2])
        centre = (float(com[0]), float(com[1]), float(com[2]))
        changed = replace(changed, mass=mass, com=centre, inertia=(xx, yy, zz, xy, xz, yz))
    bodies = (*mechanism.bodies[:i], changed, *mechanism.bodies[i + 1 :])
    if not mechanism.loads.weights:
        return replace(mechanism, bodies=bodies)
    return replace(mechanism, bodies=bodies, loads=replace(mechanism.loads, weights=body_weights(world, bodies)))


def _inertial(inertial: Inertial, change: _Change) -> Inertial:
    group, _, part = change.field.rpartition(".")
    if group == "com":
        return replace(inertial, X_LI=_with_position(inertial.X_LI, part, change.value))
    if part in MOMENTS:
        return replace(inertial, moments=_with_entry(inertial.moments, MOMENTS.index(part), change.value))
    if part in PRODUCTS:
        return replace(inertial, products=_with_entry(inertial.products, PRODUCTS.index(part), change.value))
    return replace(inertial, mass=change.value)


def _check_inertias(before: Mechanism, after: Mechanism) -> None:
    """Raise UsageError if a changed link has moments that no body has: each is at most the sum of the other two."""
    for old, body in zip(before.bodies, after.bodies, strict=True):
        for was, link in zip(old.links, body.links, strict=True) if body is not old else ():
            inertial = link.inertial
            if (inertial.moments, inertial.products) == (was.inertial.moments, was.inertial.products):
                continue
            moments = np.linalg.eigvalsh(inertia_matrix(*inertial.moments, *inertial.products))
            if moments[0] < 0.0 or 2.0 * moments[2] > moments.sum() * (1.0 + ROUNDED):
                listed = ", ".join(f"{moment:.6g}" for moment in moments)
                raise UsageError(
                    f"no body has the inertia that '{link.name}' would have: of its principal moments {listed} kg m² "
                    "none may be negative or more than the sum of the other two"
                )


def _with_joint(mechanism: Mechanism, world: World, change: _Change) -> Mechanism:
    joint, said = _joint_of(mechanism, world, change)
    joints = (*mechanism.joints, *mechanism.loop_joints)
    index = joints.index(joint)
    part = change.field.rpartition(".")[2]
    moved = _moved(mechanism, joint, said.child_link, part, change.value, both=said.X_WJ_parent is None)
    changed = (*joints[:index], moved, *joints[index + 1 :])
    count = len(mechanism.joints)
    return replace(mechanism, joints=changed[:count], loop_joints=changed[count:])


def _joint_of(mechanism: Mechanism, world: World, change: _Change) -> tuple[MechanismJoint, Joint]:
    """The joint that is meant, and what the document says of it."""
    joints = (*mechanism.joints, *mechanism.loop_joints)
    joint = joints[place_of([joint.name for joint in joints], change.name, "joint")]
    said = next((item for item in all_joints(world) if item.name == joint.name), None)
    if said is None:
        raise UsageError(f"'{change.text}': '{joint.name}' is not a joint of the document and has no <pose>")
    return joint, said


def _moved(
    mechanism: Mechanism, joint: MechanismJoint, child_link: str, part: str, value: float, *, both: bool
) -> MechanismJoint:
    """The joint with another pose in its child link; `both`: in the other link, too."""
    own, other = (joint.parent, joint.child) if joint.reversed else (joint.child, joint.parent)
    body = mechanism.bodies[own]
    X_BJ = joint.X_PJ if joint.reversed else joint.X_CJ
    X_BL = _place_of_link(body, child_link)
    X_BJ = X_BL @ _with_position(X_BL.inverse() @ X_BJ, part, value)
    X_OJ = joint.X_CJ if joint.reversed else joint.X_PJ
    if both:
        X_OJ = mechanism.bodies[other].X_WB.inverse() @ body.X_WB @ X_BJ
    return replace(joint, X_PJ=X_BJ, X_CJ=X_OJ) if joint.reversed else replace(joint, X_PJ=X_OJ, X_CJ=X_BJ)


def _place_of_link(body: Body, name: str) -> Pose:
    return next((X for link, X in zip(body.links, body.X_BL, strict=True) if link.name == name), Pose())


def _with_position(pose: Pose, letter: str, value: float) -> Pose:
    return Pose(_with_entry(pose.position, PLACE.index(letter), value), pose.orientation)


def _with_entry(values: Vec3, index: int, value: float) -> Vec3:
    changed = [*values]
    changed[index] = value
    x, y, z = changed
    return (x, y, z)
