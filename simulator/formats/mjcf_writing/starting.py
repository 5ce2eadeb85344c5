"""Where a world starts, as a keyframe: MuJoCo's `qpos` and `qvel` in the order of bodies in each other."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from simulator.formats.mjcf_writing.joints import MjcfCoordinate
from simulator.formats.values import numbers_text
from simulator.formats.writing.elements import element
from simulator.model.joint import WORLD
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from simulator.formats.mjcf_writing.equalities import CouplingRow
    from simulator.formats.mjcf_writing.forest import BodyForest
    from simulator.formats.nodes import Node

HOME = "home"


@dataclass(frozen=True)
class Rotor:
    """The rotor of an actuator behind a transmission: its angle is Σ ratio · q over channels; its inertia [kg m^2]."""

    name: str
    terms: tuple[tuple[str, float], ...]
    inertia: float


@dataclass(frozen=True)
class MechanismStart:
    """What the mechanism of a world knows: joints that are cut, by scoped name; poses of links in the world at the
    start, positions and velocities of axes there, by channel; inertias that a drive of an axis moves, by channel;
    couplings and rotors."""

    cut: Collection[str] = ()
    poses: Mapping[str, Pose] = field(default_factory=dict)
    positions: Mapping[str, float] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)
    inertias: Mapping[str, float] = field(default_factory=dict)
    couplings: tuple[CouplingRow, ...] = ()
    rotors: tuple[Rotor, ...] = ()


def keyframe(
    ground: Node,
    joints: Mapping[str, Sequence[MjcfCoordinate | Node]],
    forest: BodyForest,
    start: MechanismStart,
    ctrl: Sequence[float],
) -> Node:
    """The keyframe `home`."""
    names = {forest.name(link): link for link in joints}
    parents = {branch.child: branch.parent for branch in forest.branches}
    qpos: list[float] = []
    qvel: list[float] = []
    for body in _in_order(ground):
        link = names[body.attributes["name"]]
        for part in joints[link]:
            if isinstance(part, MjcfCoordinate):
                qpos.append(start.positions.get(part.channel, 0.0))
                qvel.append(start.velocities.get(part.channel, 0.0))
            elif part.tag == "freejoint":
                X_WL = start.poses.get(link, forest.pose(link))
                qpos += [*X_WL.position, *_quat(X_WL)]
                qvel += _twist(link, X_WL, forest)
            else:
                qpos += _ball(link, parents[link], forest, start)
                qvel += _spin(link, parents[link], start.poses.get(link, forest.pose(link)), forest)
    said = {"qpos": numbers_text(value + 0.0 for value in qpos)} if qpos else {}
    if any(qvel):
        said["qvel"] = numbers_text(value + 0.0 for value in qvel)
    if any(ctrl):
        said["ctrl"] = numbers_text(ctrl)
    return element("key", name=HOME, **said)


def _in_order(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.tag == "body":
            yield child
            yield from _in_order(child)


def _quat(X: Pose) -> tuple[float, float, float, float]:
    x, y, z, w = X.orientation
    return w, x, y, z


def _ball(link: str, parent: str, forest: BodyForest, start: MechanismStart) -> tuple[float, float, float, float]:
    """How the body is turned from where it is at position zero, as seen from its parent."""
    X_WP = IDENTITY if parent == WORLD else start.poses.get(parent, forest.pose(parent))
    now = X_WP.inverse() @ start.poses.get(link, forest.pose(link))
    return _quat((forest.pose(parent).inverse() @ forest.pose(link)).inverse() @ Pose((0.0, 0.0, 0.0), now.orientation))


def _spin(link: str, parent: str, X_WL: Pose, forest: BodyForest) -> list[float]:
    """Angular velocity against the parent, in the body; that of a parent without a start velocity is zero."""
    speed = forest.links[link].start_velocity
    if speed is None:
        return [0.0] * 3
    beside = None if parent == WORLD else forest.links[parent].start_velocity
    carried = (0.0, 0.0, 0.0) if beside is None else beside.angular
    w = (speed.angular[0] - carried[0], speed.angular[1] - carried[1], speed.angular[2] - carried[2])
    return [*X_WL.inverse().rotate(w)]


def _twist(link: str, X_WL: Pose, forest: BodyForest) -> list[float]:
    """Velocity in the world, angular velocity in the body."""
    speed = forest.links[link].start_velocity
    if speed is None:
        return [0.0] * 6
    return [*speed.linear, *X_WL.inverse().rotate(speed.angular)]
