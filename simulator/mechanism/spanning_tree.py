"""Which joints carry their bodies, and which are cut to open loops.

Problem: given bodies and joints (any graph: loops, several parents, bodies that hang on nothing), find a spanning
forest in which every body has one inboard joint and each tree is rooted in the world. Properties it must have:
`must_be_loop_joint` is cut wherever something else can carry its bodies; a joint that would be missed most as a
coordinate (it leads or follows, is actuated, has springs, limits, friction, or is hard to close) stays on the tree;
the result depends on the document's order only. Method: Kruskal's minimum spanning forest over (priority, document
order), then breadth-first search from the world; what the world does not reach floats on a free joint.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.mechanism.types import WORLD_BODY
from simulator.mechanism.welding import UnionFind
from simulator.model.joint import JointType
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.connections import Connection
    from simulator.mechanism.welding import Welded
    from simulator.model.joint import Axis

_EASE_OF_CUTTING = {
    JointType.SCREW: 1,
    JointType.UNIVERSAL: 2,
    JointType.REVOLUTE2: 2,
    JointType.PRISMATIC: 3,
    JointType.REVOLUTE: 4,
    JointType.CONTINUOUS: 4,
    JointType.BALL: 5,
    JointType.FIXED: 6,
    JointType.PLANAR: 6,
}
_CUT_ON_REQUEST = 99


@dataclass(frozen=True)
class TreeEdge:
    """Body `outboard` hangs on `inboard` by the connection of that index, or freely on the world (None)."""

    inboard: int
    outboard: int
    connection: int | None


@dataclass(frozen=True)
class Forest:
    """Bodies and connections, numbered by the tree: edge i leads to body i + 1, inboard edges first. `cut`: indices of
    connections that were cut."""

    welded: Welded
    connections: tuple[Connection, ...]
    edges: tuple[TreeEdge, ...]
    cut: tuple[int, ...]


def spanning_forest(welded: Welded, connections: Sequence[Connection], coupled: frozenset[str]) -> Forest:
    """Split connections into a forest and cuts, and give bodies the numbers that all of the program knows them by.
    `coupled` names the joints that take part in couplings or are actuated."""
    n_bodies = len(welded.bodies)
    ranked = sorted(range(len(connections)), key=lambda i: (_priority(connections[i], coupled), i))
    sets = UnionFind(n_bodies)
    kept = sorted(i for i in ranked if sets.union(connections[i].parent, connections[i].child))
    chosen = frozenset(kept)
    edges = _orient(n_bodies, connections, kept)
    order = (WORLD_BODY, *(edge.outboard for edge in edges))
    number = {body: i for i, body in enumerate(order)}
    return Forest(
        replace(welded, bodies=tuple(welded.bodies[body] for body in order)),
        tuple(replace(item, parent=number[item.parent], child=number[item.child]) for item in connections),
        tuple(replace(edge, inboard=number[edge.inboard], outboard=number[edge.outboard]) for edge in edges),
        tuple(i for i in range(len(connections)) if i not in chosen),
    )


def _priority(connection: Connection, coupled: frozenset[str]) -> int:
    joint = connection.joint
    if joint.must_be_loop_joint:
        return _CUT_ON_REQUEST
    if joint.name in coupled or any(info.limited or _has_properties(info.axis) for info in connection.axes):
        return 0
    return _EASE_OF_CUTTING[joint.type]


def _has_properties(axis: Axis) -> bool:
    values = (axis.damping, axis.friction, axis.spring_stiffness, axis.initial_position)
    return any(value != 0.0 for value in values) or axis.rubs


def _orient(n_bodies: int, connections: Sequence[Connection], kept: Sequence[int]) -> tuple[TreeEdge, ...]:
    neighbours: dict[int, list[tuple[int, int]]] = {body: [] for body in range(n_bodies)}
    for i in kept:
        neighbours[connections[i].parent].append((connections[i].child, i))
        neighbours[connections[i].child].append((connections[i].parent, i))
    edges: list[TreeEdge] = []
    seen = {WORLD_BODY}
    for root in range(n_bodies):
        if root not in seen:
            edges.append(TreeEdge(WORLD_BODY, root, None))
            seen.add(root)
        elif root != WORLD_BODY:
            continue
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for other, connection in neighbours[body]:
                if other not in seen:
                    seen.add(other)
                    edges.append(TreeEdge(body, other, connection))
                    queue.append(other)
    return tuple(edges)
