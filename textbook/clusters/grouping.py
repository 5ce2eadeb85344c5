"""A cluster tree from bodies on a spanning tree, the loop joints that close it and the couplings between its joints.

Bodies tied by the same loops and couplings become one cluster (strongly connected components; GRBDA, its URDF+ reader,
arXiv 2411.19753). Unlike there, loops may close on the ground or on an ancestor, loops and couplings mix, and every
loop joint has the rows of its real type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.builder import GROUND_NAME, ClusterTreeBuilder
from textbook.clusters.chain import OUTSIDE, Chain
from textbook.clusters.components import (
    GROUND,
    clusters_of,
    coupled_members,
    loop_members,
    path_from_ground,
)
from textbook.clusters.free_joint import FreeJoint
from textbook.clusters.generic import Generic
from textbook.clusters.loop_constraint import MixedRow, constraint_of_joints
from textbook.clusters.loop_rows import LoopJoint, LoopRow
from textbook.clusters.single import Free
from textbook.clusters.tree import DEFAULT_GRAVITY, ClusterTree
from textbook.constraints.couplings import LinearRow, linear_constraint
from textbook.constraints.static import Free as NoConstraint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from textbook.clusters.joint import ClusterJoint
    from textbook.constraints.base import LoopConstraint
    from textbook.joints.protocol import JointModel

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class GraphBody:
    """A body on its tree joint. `parent`: index of a body before it, or GROUND. `Xtree` (6, 6) from the parent's
    coordinates to the joint frame; `inertia` (6, 6) about the body's origin; `independent`: its coordinate is wanted as
    an independent one; `q` (n_positions,) is where the loops are looked at first (default: neutral)."""

    name: str
    parent: int
    Xtree: Array
    inertia: Array
    joint: JointModel
    independent: bool = True
    q: Array | None = None

    @property
    def reference(self) -> Array:
        """`q`, or the neutral position."""
        return self.joint.neutral() if self.q is None else np.asarray(self.q, dtype=float)


@dataclass(frozen=True)
class GraphLoop:
    """A loop joint between two bodies or a body and GROUND; X_p, X_s (6, 6) from the bodies' coordinates to the joint's
    frame on them."""

    name: str
    predecessor: int
    X_p: Array
    successor: int
    X_s: Array
    rows: tuple[LoopRow, ...]


@dataclass(frozen=True)
class GraphCoupling:
    """Σ aᵢ qᵢ + Σ cⱼ mⱼ = constant over scalar tree joints, by the body that they carry, and measures of loop joints,
    by their index.

    A term may name a body more than once.
    """

    name: str
    terms: tuple[tuple[int, float], ...]
    constant: float = 0.0
    measured: tuple[tuple[int, float, LoopRow], ...] = ()


@dataclass(frozen=True)
class Graph:
    """Bodies (parents first), loops and couplings."""

    bodies: tuple[GraphBody, ...]
    loops: tuple[GraphLoop, ...] = ()
    couplings: tuple[GraphCoupling, ...] = ()

    @property
    def parents(self) -> tuple[int, ...]:
        """Parent of each body."""
        return tuple(body.parent for body in self.bodies)


@dataclass(frozen=True)
class Grouped:
    """The tree; `body_of[i]` is where body i of the graph went; `redundant` names couplings and loops with rows that
    others imply."""

    tree: ClusterTree
    body_of: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    redundant: tuple[str, ...] = ()


def rolling_coupling(graph: Graph, name: str, predecessor: int, successor: int, ratio: float = 1.0) -> GraphCoupling:
    """URDF+ `<coupling>`: Σ q on the path to `successor` = ratio · Σ q on the path to `predecessor`, from their nearest
    common ancestor."""
    members = loop_members(predecessor, successor, graph.parents)
    ancestors = set(path_from_ground(predecessor, graph.parents))
    terms = tuple((body, ratio if body in ancestors else -1.0) for body in members)
    return GraphCoupling(name, terms)


def members_of(graph: Graph) -> list[tuple[int, ...]]:
    """Bodies tied by each loop, then by each coupling."""
    parents = graph.parents
    loops = [loop_members(loop.predecessor, loop.successor, parents) for loop in graph.loops]
    couplings = []
    for coupling in graph.couplings:
        bodies = [body for body, _ in coupling.terms]
        for loop, _, _ in coupling.measured:
            bodies += loops[loop]
        couplings.append(coupled_members(bodies, parents))
    return loops + couplings


def group(graph: Graph, gravity: ArrayLike = DEFAULT_GRAVITY) -> Grouped:
    """Find the clusters and build the tree.

    Raises AssemblyError if couplings contradict each other.
    """
    ties = members_of(graph)
    groups = clusters_of(graph.parents, ties)
    builder = ClusterTreeBuilder(gravity)
    redundant: list[str] = []
    order: list[int] = []
    for members in groups:
        for body in members:
            spec = graph.bodies[body]
            parent = GROUND_NAME if spec.parent == GROUND else graph.bodies[spec.parent].name
            builder.register_body(spec.name, spec.inertia, parent, spec.Xtree)
        # Strong components keep all members of a tie together, so its first member says whose it is.
        owned = [i for i, tied in enumerate(ties) if tied and tied[0] in members]
        joint = _joint_of(graph, members, owned, first=not order, redundant=redundant)
        builder.close_cluster("+".join(graph.bodies[body].name for body in members), joint)
        order += members
    body_of = tuple(order.index(body) for body in range(len(graph.bodies)))
    return Grouped(builder.build(), body_of, tuple(tuple(members) for members in groups), tuple(redundant))


def _joint_of(
    graph: Graph, members: Sequence[int], owned: Sequence[int], *, first: bool, redundant: list[str]
) -> ClusterJoint:
    joints = tuple(graph.bodies[body].joint for body in members)
    if first and len(joints) == 1 and not owned and isinstance(joints[0], FreeJoint):
        return Free()
    place = {body: i for i, body in enumerate(members)}
    chain = Chain(
        joints,
        tuple(place.get(graph.bodies[body].parent, OUTSIDE) for body in members),
        tuple(graph.bodies[body].Xtree for body in members),
    )
    return Generic(joints, _constraint_of(graph, members, owned, chain, redundant))


def _constraint_of(
    graph: Graph, members: Sequence[int], owned: Sequence[int], chain: Chain, redundant: list[str]
) -> LoopConstraint:
    size = chain.first_velocity[-1]
    if not owned:
        return NoConstraint(chain.first_position[-1], size)
    loop_indices = [i for i in owned if i < len(graph.loops)]
    couplings = [graph.couplings[i - len(graph.loops)] for i in owned if i >= len(graph.loops)]
    rows = [_row_of(coupling, members, chain, loop_indices) for coupling in couplings]
    names = [
        graph.bodies[body].name
        for body, joint in zip(members, chain.joints, strict=True)
        for _ in range(joint.velocity_size)
    ]
    preferred = [
        velocity
        for place, body in enumerate(members)
        for velocity in range(chain.first_velocity[place], chain.first_velocity[place + 1])
        if graph.bodies[body].independent
    ]
    linear = [LinearRow(row.name, row.terms, row.constant) for row in rows if not row.measured]
    scalar = size == chain.first_position[-1]
    if linear and scalar:
        result = linear_constraint(size, linear, _fitting(size, linear, preferred), names=names)
        redundant += [name for name, _ in result.report.redundant]
        if not loop_indices and len(linear) == len(rows):
            return result.constraint
    reference = np.concatenate([graph.bodies[body].reference for body in members])
    loops = [_loop_joint(graph.loops[i], members) for i in loop_indices]
    made = constraint_of_joints(chain, loops, rows, reference, preferred=preferred, names=names)
    redundant += sorted({made.row_names[i] for i in made.partition.redundant} - set(redundant))
    return made


def _fitting(size: int, rows: Sequence[LinearRow], preferred: Sequence[int]) -> Sequence[int] | None:
    """The wanted independent coordinates where they can be it, else None."""
    A = np.array([row.coefficients(size) for row in rows])
    dependent = [i for i in range(size) if i not in preferred]
    # q_d follows from q_i where A_d has full rank: then dependent axes number as many as independent rows.
    rank = int(np.linalg.matrix_rank(A))
    if len(preferred) != size - rank or int(np.linalg.matrix_rank(A[:, dependent])) < rank:
        return None
    return preferred


def _row_of(coupling: GraphCoupling, members: Sequence[int], chain: Chain, loops: Sequence[int]) -> MixedRow:
    terms = tuple((chain.first_velocity[members.index(body)], a) for body, a in coupling.terms)
    measured = tuple((loops.index(loop), c, row) for loop, c, row in coupling.measured)
    return MixedRow(coupling.name, terms, measured, coupling.constant)


def _loop_joint(loop: GraphLoop, members: Sequence[int]) -> LoopJoint:
    place = {body: i for i, body in enumerate(members)}
    return LoopJoint(
        loop.name,
        place.get(loop.predecessor, OUTSIDE),
        loop.X_p,
        place.get(loop.successor, OUTSIDE),
        loop.X_s,
        loop.rows,
    )
