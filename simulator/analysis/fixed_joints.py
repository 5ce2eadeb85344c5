"""What fixed joints carry, whose links are one body: the balance of the links on one side of the joint.

Without a fixed joint the links of its body fall into two parts, unless other fixed joints go round it: then equilibrium
does not determine it, and the ring shares by stiffness (`_ring`). Of the part that is not held by the world, Σ m
(a - g) and Σ (I α + ω × I ω) about the joint are what the joint, the movable joints at these links, loads and contacts
give together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.analysis.wrenches import compliances_of
from simulator.kinematics.loads import load_wrenches
from simulator.mechanism.loads import BodyLoads
from simulator.mechanism.types import WORLD_BODY
from simulator.mechanism.welding import all_joints, is_weld
from simulator.model.joint import WORLD
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import IDENTITY
from simulator.spatial.pose_arrays import cross
from simulator.spatial.rotation import skew

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from simulator.analysis.body_motions import BodyMotions
    from simulator.mechanism.types import Mechanism
    from simulator.model.joint import Joint
    from simulator.model.world import World
    from simulator.spatial.arrays import Array
    from simulator.spatial.pose import Pose


class LinkContact(NamedTuple):
    """A contact's `force`, shape (3,) [N], on a `link` of a `body` at a `point`, shape (3,), in the world, and its
    `moment` (3,) [N m] there."""

    body: int
    link: str
    point: Array
    force: Array
    moment: Array


@dataclass(frozen=True, eq=False)
class Carried:
    """What else acts on links: wrenches of the movable joints by name, (n, n_joints, 6) force and moment by parent on
    child about `places` (n, n_joints, 3), world axes; loads at a `time` [s]; contacts, where n is 1."""

    names: tuple[str, ...]
    wrenches: Array
    places: Array
    time: float = 0.0
    contacts: tuple[LinkContact, ...] = ()


@dataclass(frozen=True)
class _Cut:
    """A side of a fixed joint: links of a body by index, 1 where it is the child's side and -1 where the parent's, the
    joint's frame in the body."""

    body: int
    links: tuple[int, ...]
    names: frozenset[str]
    sign: float
    X_BJ: Pose


@dataclass(frozen=True, eq=False)
class _Ring:
    """Fixed joints of a body that go round: `nodes`, its links in groups; `share` (6 joints, 6 nodes); `place`: of the
    joints that are asked for, by their number, among the ring's."""

    nodes: tuple[_Cut, ...]
    share: Array
    place: dict[int, int]


class FixedJoints:
    """Fixed joints of a mechanism by name, those that make one body of their links. `determined`: whether equilibrium
    alone gives what each carries, shape (n_joints,); stiffness shares the rest."""

    def __init__(self, world: World, mechanism: Mechanism, names: Collection[str] | None = None) -> None:
        """`names`: those that are wanted, None for all."""
        self._mechanism = mechanism
        held = _held_links(world)
        fixed = [joint for joint in all_joints(world) if is_weld(joint) and _exists(joint, mechanism, held)]
        self.joints: tuple[Joint, ...] = tuple(joint for joint in fixed if names is None or joint.name in names)
        self.names = tuple(joint.name for joint in self.joints)
        self._cuts = [_free_side(joint, fixed, mechanism, held) for joint in self.joints]
        self._frames = [_body_and_pose(joint, mechanism) for joint in self.joints]
        self.determined = np.array([cut is not None for cut in self._cuts], dtype=bool)
        lacking = [i for i, cut in enumerate(self._cuts) if cut is None]
        self._rings = [
            self._ring(body, {i: self.joints[i] for i in lacking if self._frames[i][0] == body}, fixed, held, world)
            for body in sorted({self._frames[i][0] for i in lacking})
        ]
        self._ends = {joint.name: (joint.parent_link, joint.child_link) for joint in all_joints(world)}
        self._lighter = {
            link.name: np.subtract(model.gravity, mechanism.gravity)
            for model in world.models
            if model.gravity is not None
            for link in model.links
        }

    def of(self, motion: BodyMotions, carried: Carried) -> Array:
        """Force [N] and moment [N m] by parent on child about the child's joint frame, world axes, shape (n, n_joints,
        6)."""
        result = np.zeros((len(motion), len(self.joints), 6))
        for i, cut in enumerate(self._cuts):
            if cut is not None:
                result[:, i] = cut.sign * self._required_wrenches(cut, motion, carried)
        for ring in self._rings:
            R = motion.frames(ring.nodes[0].body)[0] if ring.nodes else np.zeros((len(motion), 3, 3))
            needed = [
                _turned(R.transpose(0, 2, 1), self._required_wrenches(node, motion, carried)) for node in ring.nodes
            ]
            shared = np.concatenate(needed, axis=1) @ ring.share.T
            for i, place in ring.place.items():
                result[:, i] = _turned(R, shared[:, 6 * place : 6 * place + 6])
        return result

    def places(self, motion: BodyMotions) -> Array:
        """Where the wrenches are taken, shape (n, n_joints, 3)."""
        result = np.zeros((len(motion), len(self.joints), 3))
        for i, (body, X_BJ) in enumerate(self._frames):
            result[:, i] = motion.point(body, X_BJ.position)[0]
        return result

    def _ring(
        self, body: int, asked: dict[int, Joint], fixed: Sequence[Joint], held: frozenset[str], world: World
    ) -> _Ring:
        """All joints of a body that go round, with the links that others tie together as one."""
        own = [joint for joint in fixed if _body_and_pose(joint, self._mechanism)[0] == body]
        round_ = [joint for joint in own if _free_side(joint, fixed, self._mechanism, held) is None]
        tying = [joint for joint in own if joint not in round_]
        group = dict.fromkeys(held, -1)
        nodes = list[_Cut]()
        for name in (end for joint in round_ for end in (joint.parent_link, joint.child_link)):
            if name in group:
                continue
            links = _reached(name, tying, held)
            group.update(dict.fromkeys(links, -1 if links & held else len(nodes)))
            if not links & held:
                indices = tuple(i for i, link in enumerate(self._mechanism.bodies[body].links) if link.name in links)
                nodes.append(_Cut(body, indices, links, 1.0, IDENTITY))
        joints = [
            RingJoint(
                joint.name, group[joint.parent_link], group[joint.child_link], _body_and_pose(joint, self._mechanism)[1]
            )
            for joint in round_
        ]
        share = shares(joints, len(nodes), compliances_of(world))
        return _Ring(tuple(nodes), share, {i: round_.index(joint) for i, joint in asked.items()})

    def _required_wrenches(self, cut: _Cut, motion: BodyMotions, carried: Carried) -> Array:
        """What the joint gives the links of a side, shape (n, 6)."""
        place = motion.point(cut.body, cut.X_BJ.position)[0]
        total = np.zeros((len(motion), 6))
        for link in cut.links:
            total += self._inertia_of(cut.body, link, motion, place)
        for j, name in enumerate(carried.names):
            parent, child = self._ends.get(name, ("", ""))
            sign = float(child in cut.names) - float(parent in cut.names)
            if sign != 0.0:
                wrench = carried.wrenches[:, j]
                total[:, :3] -= sign * wrench[:, :3]
                total[:, 3:] -= sign * (wrench[:, 3:] + cross(carried.places[:, j] - place, wrench[:, :3]))
        total -= self._loads_on(cut, motion, carried.time, place)
        for contact in carried.contacts:
            if contact.link in cut.names:
                total[:, :3] -= contact.force
                total[:, 3:] -= np.cross(contact.point - place, contact.force) + contact.moment
        return total

    def _inertia_of(self, body: int, index: int, motion: BodyMotions, place: Array) -> Array:
        """Σ m (a - g) and the rate of angular momentum about `place` less the weight's moment, of one link, shape (n,
        6)."""
        member = self._mechanism.bodies[body]
        link = member.links[index]
        X_BI = member.X_BL[index] @ member.links[index].inertial.X_LI
        inertial = link.inertial
        centre, _, acceleration = motion.point(body, X_BI.position)
        weighs = link.gravity if body == WORLD_BODY else member.gravity
        gravity = np.array(self._mechanism.gravity) + self._lighter.get(link.name, np.zeros(3))
        force = inertial.mass * (acceleration - gravity * weighs)
        twist, bend = motion.spatial(body)
        R = motion.frames(body)[0] @ X_BI.rotation()
        inertia = R @ inertia_matrix(*inertial.moments, *inertial.products) @ R.transpose(0, 2, 1)
        spin, turned = ((inertia @ vector[:, :3, None])[..., 0] for vector in (twist, bend))
        moment = turned + cross(twist[:, :3], spin) + cross(centre - place, force)
        return np.concatenate((force, moment), axis=1)

    def _loads_on(self, cut: _Cut, motion: BodyMotions, time: float, place: Array) -> Array:
        """Force and moment about `place` of loads on the links of a side, shape (n, 6). The side is a body of its own
        for that, behind all others."""
        own = len(self._mechanism.bodies)
        loads = _loads_of_side(self._mechanism.loads, cut, own)
        result = np.zeros((len(motion), 6))
        if not loads:
            return result
        poses, velocities = _states(self._mechanism, motion, cut.body)
        for n in range(len(motion)):
            wrench = load_wrenches(loads, poses[n], velocities[n], time).wrenches[own]
            result[n, :3] = wrench[3:]
            result[n, 3:] = wrench[:3] + np.cross(poses[n, own, :3, 3] - place[n], wrench[3:])
        return result


def _exists(joint: Joint, mechanism: Mechanism, held: frozenset[str]) -> bool:
    """Whether both links are there and the joint holds something."""
    bodies = mechanism.link_bodies()
    ends = {joint.parent_link, joint.child_link}
    return (
        joint.child_link in bodies and (joint.parent_link in bodies or joint.parent_link == WORLD) and not ends <= held
    )


def _held_links(world: World) -> frozenset[str]:
    """What holds itself: the world, links of static models, kinematic links."""
    links = (link.name for model in world.models for link in model.links if model.static or link.kinematic)
    return frozenset((WORLD, *links))


def _free_side(joint: Joint, fixed: Sequence[Joint], mechanism: Mechanism, held: frozenset[str]) -> _Cut | None:
    """The side of a joint that nothing else holds, the child's where both are such; None where other fixed joints go
    round it."""
    others = [other for other in fixed if other is not joint]
    child, parent = (_reached(end, others, held) for end in (joint.child_link, joint.parent_link))
    if joint.parent_link in child:
        return None
    side, sign = (parent, -1.0) if child & held else (child, 1.0)
    body, X_BJ = _body_and_pose(joint, mechanism)
    indices = tuple(i for i, link in enumerate(mechanism.bodies[body].links) if link.name in side)
    return _Cut(body, indices, frozenset(side), sign, X_BJ)


def _body_and_pose(joint: Joint, mechanism: Mechanism) -> tuple[int, Pose]:
    """The body that a fixed joint is in, and X_BJ."""
    body = mechanism.link_bodies()[joint.child_link]
    return body, mechanism.bodies[body].X_WB.inverse() @ joint.X_WJ


def _turned(R: Array, wrenches: Array) -> Array:
    """Wrenches (n, 6) in other axes, R of shape (n, 3, 3)."""
    both = np.einsum("nij,nkj->nki", R, wrenches.reshape(-1, 2, 3))
    turned: Array = both.reshape(-1, 6)
    return turned


def _reached(link: str, joints: Sequence[Joint], held: frozenset[str]) -> frozenset[str]:
    """Links that fixed joints tie to one, itself among them; what holds itself is one."""
    found = {link}
    new = [link]
    while new:
        here = new.pop()
        nexts = {other for joint in joints for other in _other_link(joint, here)} | (held if here in held else set())
        new += sorted(nexts - found)
        found |= nexts
    return frozenset(found)


def _other_link(joint: Joint, link: str) -> Iterator[str]:
    if link == joint.parent_link:
        yield joint.child_link
    if link == joint.child_link:
        yield joint.parent_link


def _loads_of_side(loads: BodyLoads, cut: _Cut, own: int) -> BodyLoads:
    """Forces on links of a side and springs with one end at them, as loads of body `own`; weights go with the
    masses."""
    forces = tuple(replace(load, body=own) for load in loads.forces if load.link in cut.names)
    springs = []
    for spring in loads.springs:
        first, second = (
            own if link in cut.names else body for link, body in zip(spring.links, spring.bodies, strict=True)
        )
        if (first == own) != (second == own):
            springs.append(replace(spring, bodies=(first, second)))
    return BodyLoads(forces=forces, springs=tuple(springs))


def _states(mechanism: Mechanism, motion: BodyMotions, own: int) -> tuple[Array, Array]:
    """Poses (n, n_bodies + 1, 4, 4) and velocities (n, n_bodies + 1, 6) of all bodies, that of `own` once more at the
    end."""
    order = [*range(len(mechanism.bodies)), own]
    poses = np.zeros((len(motion), len(order), 4, 4))
    velocities = np.zeros((len(motion), len(order), 6))
    poses[..., 3, 3] = 1.0
    for place, body in enumerate(order):
        poses[:, place, :3, :3], poses[:, place, :3, 3] = motion.frames(body)
        velocities[:, place, :3] = motion.spatial(body)[0][:, :3]
        velocities[:, place, 3:] = motion.point(body, (0.0, 0.0, 0.0))[1]
    return poses, velocities


RIGID = 1e-6
"""Compliance of what is stated to be rigid, per largest of the ring."""
NO_SHARE = 1e-10
"""Singular values of A S below this part of the largest are zero: the balance of the last node follows from others."""


@dataclass(frozen=True, eq=False)
class RingJoint:
    """A fixed joint between two nodes, -1 where a node is held; `frame`: X_BJ."""

    name: str
    parent: int
    child: int
    frame: Pose


def shares(joints: Sequence[RingJoint], nodes: int, compliance: Mapping[str, Array]) -> Array:
    """What turns the wrenches that the nodes need, force and moment about the body's origin in its axes, (6 nodes,),
    into those of the joints by parent on child about their frames, in axes of the body, (6 joints,).

    `compliance`: by joint, shape (6,), about and along the axes of its frame; all have the same where it is empty."""
    A = np.zeros((6 * nodes, 6 * len(joints)))
    turned = np.zeros((6 * len(joints), 6 * len(joints)))
    soft = np.zeros(6 * len(joints))
    places = np.array([joint.frame.position for joint in joints])
    length = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    same = np.array([1.0 / length**2] * 3 + [1.0] * 3)
    for j, joint in enumerate(joints):
        R = joint.frame.rotation()
        columns = slice(6 * j, 6 * j + 6)
        moved = np.block([[R, np.zeros((3, 3))], [skew(np.array(joint.frame.position)) @ R, R]])
        for node, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if node >= 0:
                A[6 * node : 6 * node + 6, columns] += sign * moved
        turned[columns, columns] = np.kron(np.eye(2), R)
        about_along = compliance.get(joint.name, np.zeros(6)) if compliance else same
        soft[columns] = np.concatenate((about_along[3:], about_along[:3]))
    for part in (slice(0, 3), slice(3, 6)):
        of_kind = soft.reshape(-1, 6)[:, part]
        of_kind[:] = np.maximum(of_kind, RIGID * float(of_kind.max(initial=0.0)) or 1.0)
    S = 1.0 / np.sqrt(soft)
    shared: Array = turned @ (S[:, None] * np.linalg.pinv(A * S, rcond=NO_SHARE))
    return shared
