"""Links that cannot move against each other become one body.

Composite inertia: m = sum m_i, c = sum m_i c_i / m, I = sum R_i I_i R_i^T + m_i (|d_i|^2 1 - d_i d_i^T) with d_i = c_i
- c (parallel-axis theorem).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import Body
from simulator.model.joint import WORLD, Joint, JointType
from simulator.records import dataclass
from simulator.spatial.inertia import inertia_matrix, point_inertia, turned_inertia
from simulator.spatial.pose import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog
    from simulator.model.link import Inertial, Link
    from simulator.model.world import World
    from simulator.spatial.inertia import Inertia
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3


class UnionFind:
    """Disjoint sets of small integers."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, item: int) -> int:
        """The representative of the item's set: its smallest member."""
        while self._parent[item] != item:
            self._parent[item] = self._parent[self._parent[item]]
            item = self._parent[item]
        return item

    def union(self, a: int, b: int) -> bool:
        """Join two sets; False where they were one already."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self._parent[max(a, b)] = min(a, b)
        return True


@dataclass(frozen=True)
class Welded:
    """Bodies, the world first: in document order as they are welded, in the order of the tree once that is known."""

    bodies: tuple[Body, ...]

    @cached_property
    def body_of(self) -> dict[str, int]:
        """Body of each scoped link."""
        return {link.name: i for i, body in enumerate(self.bodies) for link in body.links}

    def body_index(self, link: str) -> int | None:
        """Body of a scoped link name; 0 for the world and for the frame of a static model; None where there is none."""
        return 0 if _is_fixed(link) else self.body_of.get(link)


def all_joints(world: World) -> tuple[Joint, ...]:
    """Every joint of a world: those of its models first, then its own."""
    return tuple(joint for model in world.models for joint in model.joints) + world.joints


def is_weld(joint: Joint) -> bool:
    """Whether a joint makes one body of its links where they are. A fixed joint whose two sides start apart closes a
    loop instead."""
    return joint.type is JointType.FIXED and joint.X_WJ_parent is None


def _is_fixed(link: str) -> bool:
    """Whether a scoped link name means the world or the frame of a static model."""
    return link == WORLD or link.endswith("__model__")


def weld(world: World, log: DiagnosticLog) -> Welded:
    """Merge links that fixed joints, static models and kinematic links hold together."""
    links = [link for model in world.models for link in model.links]
    index = {link.name: i + 1 for i, link in enumerate(links)}
    sets = UnionFind(len(links) + 1)
    for model in world.models:
        for link in model.links:
            if model.static or link.kinematic:
                sets.union(0, index[link.name])
            if link.kinematic and not model.static:
                log.warning(
                    "KINEMATIC_LINK",
                    link.source,
                    f"kinematic link '{link.name}' is held fixed to the world",
                    fold="kinematic",
                    about=link.name,
                )
    for joint in all_joints(world):
        if is_weld(joint):
            ends = [0 if _is_fixed(name) else index.get(name) for name in (joint.parent_link, joint.child_link)]
            if ends[0] is not None and ends[1] is not None:
                sets.union(ends[0], ends[1])
    return _group(links, sets, log)


def _group(links: list[Link], sets: UnionFind, log: DiagnosticLog) -> Welded:
    groups: dict[int, list[Link]] = {0: []}
    for i, link in enumerate(links):
        groups.setdefault(sets.find(i + 1), []).append(link)
    bodies = [_body(tuple(members), is_world=root == 0, log=log) for root, members in groups.items()]
    return Welded(tuple(bodies))


def _body(links: tuple[Link, ...], *, is_world: bool, log: DiagnosticLog) -> Body:
    if is_world:
        return Body("world", links, tuple(link.X_WL for link in links))
    X_WB = links[0].X_WL
    X_BW = X_WB.inverse()
    X_BL = (IDENTITY, *(X_BW @ link.X_WL for link in links[1:]))
    gravity = links[0].gravity
    if any(link.gravity != gravity for link in links):
        log.warning(
            "GRAVITY_OF_WELDED_LINKS",
            links[0].source,
            f"links welded to '{links[0].name}' disagree about <gravity>; that of '{links[0].name}', "
            f"{str(gravity).lower()}, is used",
            fold="gravity",
            about=links[0].name,
        )
    mass, com, inertia = composite(zip((link.inertial for link in links), X_BL, strict=True))
    return Body(
        name=links[0].name,
        links=links,
        X_BL=X_BL,
        X_WB=X_WB,
        mass=mass,
        com=com,
        inertia=inertia,
        gravity=gravity,
    )


def composite(parts: Iterable[tuple[Inertial, Pose]]) -> tuple[float, Vec3, Inertia]:
    """Mass [kg], centre of mass [m] and moments and products of inertia about it (ixx, iyy, izz, ixy, ixz, iyz) [kg
    m^2] of inertials placed by X_BL, all in B."""
    placed = []
    for inertial, X_BL in parts:
        X_BI = X_BL @ inertial.X_LI
        turned = turned_inertia((*inertial.moments, *inertial.products), X_BI.orientation)
        placed.append((inertial.mass, X_BI.position, turned))
    if len(placed) == 1:
        return placed[0]
    mass = float(sum(m for m, _, _ in placed))
    moment = sum((m * np.array(c) for m, c, _ in placed), np.zeros(3))
    com = moment / mass if mass > 0 else np.array(placed[0][1])
    total = np.zeros((3, 3))
    for m, c, inertia in placed:
        total += inertia_matrix(*inertia) + point_inertia(m, c - com)
    (x, y, z), (xx, xy, xz), (_, yy, yz), (_, _, zz) = (com.tolist(), *total.tolist())
    return mass, (x, y, z), (xx, yy, zz, xy, xz, yz)
