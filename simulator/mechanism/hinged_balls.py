"""Ball joints that a document writes as three hinges.

URDF has no ball joint, so exporters write one as three revolute joints whose axes meet in a point, with links of no
mass between them. The bodies at both ends can take every orientation to each other, as a ball joint lets them, but the
coordinates are Euler angles: where the first and the last axis line up (gimbal lock), the links between would have to
turn infinitely fast, and what has no mass resists nothing of it. Such a triad becomes the ball joint that it is; its
angles are read off the orientation (`physics.step.hinges`).

Conditions: neighbouring axes at right angles, without which three hinges do not reach every orientation; the first and
the last apart at the start; nothing that acts on a single one of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import DiagnosticLog
from simulator.mechanism.connections import connections_of
from simulator.mechanism.types import WORLD_BODY, HingedBall
from simulator.mechanism.welding import all_joints, composite, weld
from simulator.model.joint import WORLD, JointType
from simulator.model.loads import Load, PointSpring, TorsionSpring
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix, point_inertia
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.connections import Connection
    from simulator.mechanism.types import Body
    from simulator.mechanism.welding import Welded
    from simulator.model.joint import Joint
    from simulator.model.link import Link
    from simulator.model.world import World
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Quat, Vec3


LIGHT = 1e-6
"""Mass and moments of what counts as nothing, in those of the lighter body at either end."""
MEETING = 1e-6
"""Distance [m] within which axes meet: documents write six digits."""
SQUARE = 1e-6
"""Cosine of the angle between neighbouring axes at right angles."""
APART = 0.1
"""Least sine of the angle between the first and the last axis at the start."""


@dataclass(frozen=True)
class _Triad:
    """Three hinges from the body at one end to that at the other, whether each is written the other way round, and the
    point where they meet in the world."""

    hinges: tuple[Joint, Joint, Joint]
    turned: tuple[bool, bool, bool]
    centre: Vec3
    ends: tuple[str, str]

    @property
    def names(self) -> tuple[str, str, str]:
        """Names of the hinges."""
        first, middle, last = self.hinges
        return first.name, middle.name, last.name


def with_balls(world: World, log: DiagnosticLog) -> tuple[World, tuple[_Triad, ...]]:
    """The world with a ball joint for every three hinges that are one, named as the last one; the links between are
    fixed to the body before them, so that those at the ends keep their names."""
    if sum(_may_be_between(link) for model in world.models for link in model.links) < 2:
        return world, ()
    welded = weld(world, DiagnosticLog())
    triads = _triads(world, welded, connections_of(world, welded, DiagnosticLog()))
    if not triads:
        return world, ()
    changed: dict[str, Joint] = {}
    for triad in triads:
        *between, last = triad.hinges
        changed |= {joint.name: replace(joint, type=JointType.FIXED, axes=()) for joint in between}
        X_WJ = Pose(triad.centre, last.X_WJ.orientation)
        changed[last.name] = replace(last, type=JointType.BALL, axes=(), X_WJ=X_WJ)
        _report(triad, log)
    models = tuple(
        replace(model, joints=tuple(changed.get(joint.name, joint) for joint in model.joints)) for model in world.models
    )
    joints = tuple(changed.get(joint.name, joint) for joint in world.joints)
    return replace(world, models=models, joints=joints), tuple(triads)


def hinged_balls(triads: Sequence[_Triad], welded: Welded) -> tuple[HingedBall, ...]:
    """What is needed to read the hinges' angles off the bodies at the ends."""
    found = []
    for triad in triads:
        parent, child = (welded.body_index(link) or WORLD_BODY for link in triad.ends)
        first, second, third = (
            _signed(joint.axes[0].xyz_world, turned) for joint, turned in zip(triad.hinges, triad.turned, strict=True)
        )
        found.append(
            HingedBall(
                hinges=triad.names,
                bodies=(parent, child),
                directions=(first, second, third),
                R_BW=(_world_axes(welded.bodies[parent]), _world_axes(welded.bodies[child])),
            )
        )
    return tuple(found)


def _report(triad: _Triad, log: DiagnosticLog) -> None:
    first, middle, last = (f"'{name}'" for name in triad.names)
    log.info(
        "BALL_OF_REVOLUTES",
        triad.hinges[2].source,
        f"the axes of {first}, {middle} and {last} meet in a point, with links of no mass between them: they are one "
        "ball joint; their angles are recorded, but nothing drives a single one",
        "give one of them limits, damping or an actuator if it is to turn by itself",
        fold="ball",
        about=triad.hinges[2].name,
    )


# -- what may be part of one -------------------------------------------------------------------------------------------


def _may_be_between(link: Link) -> bool:
    """Whether a link could be one of those between: nothing to see or touch, and nothing that it starts with."""
    return not (link.visuals or link.collisions or link.omitted or link.kinematic or link.start_velocity)


def _acted_on(world: World) -> frozenset[str]:
    """Names of joints and links that something of the document acts on or refers to."""
    blocks = [block for model in world.models for block in model.hardware]
    infos = [info for model in world.models for info in model.transmissions]
    infos += [info for block in blocks for info in block.transmissions]
    names = {joint.joint for info in infos for joint in info.joints}
    names |= {joint.joint for block in blocks for joint in block.joints if joint.command_interfaces}
    for load in (*world.loads, *(load for model in world.models for load in model.loads)):
        if isinstance(load, TorsionSpring):
            names.add(load.joint)
        elif isinstance(load, Load):
            names.add(load.link)
        elif isinstance(load, PointSpring):
            names |= {load.link, load.other}
        else:
            names |= {part.link for part in load.parts}
    joints = all_joints(world)
    for joint in joints:
        names |= {axis.mimic.leader for axis in joint.axes if axis.mimic is not None}
        if joint.type is JointType.GEARBOX:
            names |= {joint.parent_link, joint.child_link, joint.gearbox_reference}
    wanted = {drive.axis for drive in world.drives}
    names |= {joint.name for joint in joints if wanted & {joint.name, joint.name.rpartition("::")[2]}}
    return frozenset(names)


def _is_bare(joint: Joint, acted_on: frozenset[str]) -> bool:
    """Whether a joint is a hinge on which nothing acts."""
    if joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS) or joint.name in acted_on:
        return False
    if joint.must_be_loop_joint or joint.sensors or joint.X_WJ_parent is not None or not joint.independent:
        return False
    axis = joint.axes[0]
    limited = joint.type is JointType.REVOLUTE and (math.isfinite(axis.lower) or math.isfinite(axis.upper))
    acting = (
        axis.damping, axis.friction, axis.spring_stiffness, axis.initial_position, axis.initial_velocity,
        *joint.compliance,
    )  # fmt: skip
    return not limited and not any(acting) and axis.mimic is None and not axis.rubs


# -- where they are ----------------------------------------------------------------------------------------------------


def _triads(world: World, welded: Welded, connections: Sequence[Connection]) -> list[_Triad]:
    acted_on = _acted_on(world)
    at: dict[int, list[Connection]] = defaultdict(list)
    for connection in connections:
        at[connection.parent].append(connection)
        at[connection.child].append(connection)
    between = {
        number
        for number, body in enumerate(welded.bodies)
        if number != WORLD_BODY
        and len(at[number]) == 2
        and all(_may_be_between(link) and link.name not in acted_on for link in body.links)
        and all(_is_bare(connection.joint, acted_on) for connection in at[number])
    }
    found = []
    for middle in connections:
        ends = middle.parent, middle.child
        if ends[0] in between and ends[1] in between:
            outer = [next(item for item in at[end] if item is not middle) for end in ends]
            triad = _triad(welded.bodies, outer[0], middle, outer[1])
            if triad is not None:
                found.append(triad)
    return found


def _triad(bodies: Sequence[Body], first: Connection, middle: Connection, last: Connection) -> _Triad | None:
    """The three as a ball joint, None where they are none."""
    chain = (first, middle, last)
    turned = (first.child != middle.parent, False, last.parent != middle.child)
    ends = (first.child if turned[0] else first.parent, last.parent if turned[2] else last.child)
    if first is last or ends[0] == ends[1]:
        return None
    a, b, c = (np.array(item.joint.axes[0].xyz_world) for item in chain)
    if abs(a @ b) > SQUARE or abs(b @ c) > SQUARE or np.linalg.norm(np.cross(a, c)) < APART:
        return None
    points = np.array([item.joint.X_WJ.position for item in chain])
    centre = _meeting_point(points, np.array((a, b, c)))
    if centre is None or not _are_light(bodies, (middle.parent, middle.child), ends, centre):
        return None
    links = [WORLD if end == WORLD_BODY else bodies[end].links[0].name for end in ends]
    x, y, z = centre.tolist()
    return _Triad((first.joint, middle.joint, last.joint), turned, (x, y, z), (links[0], links[1]))


def _meeting_point(points: Array, axes: Array) -> Array | None:
    """The point nearest to three lines, shape (3,), None where one of them passes it by."""
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    centre: Array = np.linalg.solve(across.sum(axis=0), (across @ points[:, :, None]).sum(axis=0)[:, 0])
    misses = np.linalg.norm((across @ (points - centre)[:, :, None])[..., 0], axis=1)
    return centre if misses.max() <= MEETING else None


def _are_light(bodies: Sequence[Body], between: tuple[int, int], ends: tuple[int, int], centre: Array) -> bool:
    """Whether the bodies between have next to no mass and moments beside each of those at the ends. One end may have
    none at all, as where three slides without mass carry the hinges of a floating base."""
    light = [_mass_and_moment(bodies[body], centre) for body in between]
    heavy = [_mass_and_moment(bodies[body], centre) for body in ends if body != WORLD_BODY]
    return any(mass > 0.0 for mass, _ in heavy) and all(
        own_mass <= LIGHT * mass and own_moment <= LIGHT * moment
        for mass, moment in heavy
        for own_mass, own_moment in light
    )


def _mass_and_moment(body: Body, centre: Array) -> tuple[float, float]:
    """Mass [kg] and largest moment about a point of the world [kg m^2]."""
    mass, com, inertia = composite(zip((link.inertial for link in body.links), body.X_BL, strict=True))
    arm = np.array(body.X_WB.transform(com)) - centre
    R = body.X_WB.rotation()
    return mass, float(np.linalg.eigvalsh(R @ inertia_matrix(*inertia) @ R.T + point_inertia(mass, arm))[-1])


def _world_axes(body: Body) -> Quat:
    return body.X_WB.inverse().orientation


def _signed(direction: Vec3, turned: bool) -> Vec3:
    x, y, z = direction
    return (-x, -y, -z) if turned else direction
