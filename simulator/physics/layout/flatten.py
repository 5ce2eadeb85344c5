"""A mechanism as flat arrays.

Every motion of a joint is a node of its own (a ball or free joint is one node with three or six freedoms); what a joint
with several motions has in between are nodes without mass. A node's frame is its joint frame on the outboard side.
Scalar positions follow from independent ones by the couplings, q = G y + c with constant sparse G, so that couplings
hold by construction; loops are left to rows.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.reduction import eliminated
from simulator.mechanism.types import WORLD_BODY, JointKind, MotionKind
from simulator.model.altered import altered
from simulator.physics.layout.meshes import GearMesh, meshes_of, rows_of
from simulator.records import dataclass
from simulator.spatial.inertia import turned_inertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.loads import BodyCable
    from simulator.mechanism.types import Body, Mechanism, MechanismJoint
    from simulator.spatial.arrays import Array, Ints
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3


ROTATION, TRANSLATION, BALL, FREE = 0, 1, 2, 3
FREEDOMS = (1, 1, 3, 6)
POSITIONS = (1, 1, 4, 7)
"""Of a node, by its kind."""


@dataclass(frozen=True)
class Tree:
    """Nodes, inboard first. `kind`, `parent` (-1: world), `first` (first freedom) of each node, shape (n,); `X` (n, 3,
    4): rotation and origin of the joint frame in the parent node's frame; `axis` (n, 3); `inertia` (n, 10): mass, mass
    times centre, and xx yy zz xy xz yz about the node's origin, in the node's frame; `node_of_body` (-1: world);
    `freedom_of_axis` (-1: loop joint); `weightless`: nodes whose body gravity does not pull. `freedoms`: of nodes, and
    behind them those of `meshes`; None where all couplings are taken to be ideal."""

    kind: Ints
    parent: Ints
    first: Ints
    X: Array
    axis: Array
    inertia: Array
    node_of_body: Ints
    X_LB: tuple[Pose, ...]
    freedom_of_axis: Ints
    freedoms: int
    weightless: Ints
    meshes: tuple[GearMesh, ...] | None = None

    @property
    def of_nodes(self) -> int:
        """How many freedoms are of nodes; those of meshes follow."""
        return min((mesh.play for mesh in self.meshes or ()), default=self.freedoms)


@dataclass(frozen=True)
class Reduction:
    """q = G y + c over scalar freedoms, qd = G yd over all. CSR rows by freedom: `ptr`, `index`, `value`; `constant`
    (freedoms,)."""

    ptr: Ints
    index: Ints
    value: Array
    constant: Array
    independents: int

    @property
    def freedom_of_entry(self) -> Ints:
        """The row of G that each entry is in."""
        rows: Ints = np.repeat(np.arange(len(self.constant)), np.diff(self.ptr))
        return rows

    def is_identity(self, of_nodes: int) -> bool:
        """Whether each of the first freedoms, those `of_nodes`, is the independent coordinate of its own number;
        constants do not matter."""
        n = self.independents
        return of_nodes == n and bool(
            (self.ptr[: n + 1] == np.arange(n + 1)).all()
            and (self.index[:n] == np.arange(n)).all()
            and (self.value[:n] == 1.0).all()
        )

    def matrix(self) -> Array:
        """G, shape (freedoms, independents)."""
        G = np.zeros((len(self.constant), self.independents))
        G[self.freedom_of_entry, self.index] = self.value
        return G


@dataclass
class _Nodes:
    """Nodes as they are found."""

    kind: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    X: list[Array] = field(default_factory=list)
    axis: list[Array] = field(default_factory=list)
    inertia: list[Array] = field(default_factory=list)
    freedoms: int = 0

    def add(self, kind: int, parent: int, X: Array, axis: Array) -> int:
        """Append a node without a body; returns its index."""
        self.kind.append(kind)
        self.parent.append(parent)
        self.first.append(self.freedoms)
        self.X.append(X)
        self.axis.append(axis)
        self.inertia.append(np.zeros(10))
        self.freedoms += FREEDOMS[kind]
        return len(self.kind) - 1


def flatten_tree(mechanism: Mechanism, *, real: bool = False) -> Tree:
    """Nodes of all tree joints; `real` couplings are not eliminated."""
    nodes = _Nodes()
    node_of_body = np.full(len(mechanism.bodies), -1, dtype=np.int64)
    X_LB: list[Pose] = [mechanism.bodies[0].X_WB]
    freedom_of_axis = np.full(len(mechanism.axes), -1, dtype=np.int64)
    for joint in mechanism.joints:
        parent = int(node_of_body[joint.parent])
        X = (joint.X_PJ if joint.parent == WORLD_BODY else X_LB[joint.parent] @ joint.X_PJ).matrix()[:3]
        for kind, direction, axis in _steps(joint):
            if axis >= 0:
                freedom_of_axis[axis] = nodes.freedoms
            parent = nodes.add(kind, parent, X, np.array(direction))
            # The second node of a joint begins where the first one ends: a joint of several axes turns about one point.
            X = np.eye(4)[:3]
        nodes.inertia[parent] = _inertia(mechanism.bodies[joint.child], joint.X_CJ.inverse())
        node_of_body[joint.child] = parent
        X_LB.append(joint.X_CJ.inverse())
    weightless = [
        int(node_of_body[i]) for i, body in enumerate(mechanism.bodies) if i != WORLD_BODY and not body.gravity
    ]
    tree = _as_tree(nodes, node_of_body, tuple(X_LB), freedom_of_axis, weightless)
    if not real:
        return tree
    meshes = meshes_of(mechanism, freedom_of_axis, tree.freedoms)
    return replace(tree, meshes=meshes, freedoms=max([tree.freedoms, *(max(m.play, m.rate) + 1 for m in meshes)]))


def tree_like(tree: Tree, before: Mechanism, mechanism: Mechanism) -> Tree | None:
    """The nodes of `mechanism` from those of `before`, whose joints and bodies may have other poses and inertias; what
    is the same value in both is taken over. None where the nodes themselves are others."""
    joints = list(zip(mechanism.joints, before.joints, strict=True)) if _alike(before, mechanism) else None
    if joints is None:
        return None
    X = tree.X.copy()
    inertia = tree.inertia.copy()
    X_LB = list(tree.X_LB)
    for joint, old in joints:
        parent, child = joint.parent, joint.child
        last = int(tree.node_of_body[child])
        body = mechanism.bodies[child]
        moved = joint.X_CJ is not old.X_CJ
        if moved:
            X_LB[child] = joint.X_CJ.inverse()
        if joint.X_PJ is not old.X_PJ or X_LB[parent] is not tree.X_LB[parent]:
            first = last + 1 - len(_steps(joint))
            X[first] = (joint.X_PJ if parent == WORLD_BODY else X_LB[parent] @ joint.X_PJ).matrix()[:3]
        if moved or body is not before.bodies[child]:
            inertia[last] = _inertia(body, X_LB[child])
    return altered(tree, X=X, inertia=inertia, X_LB=tuple(X_LB))


def meshed_alike(tree: Tree, mechanism: Mechanism) -> bool:
    """Whether the same couplings are real in it."""
    first = tree.of_nodes
    return tree.meshes is None or meshes_of(mechanism, tree.freedom_of_axis, first) == tree.meshes


def _alike(before: Mechanism, mechanism: Mechanism) -> bool:
    """Whether both have the same bodies, joints and axes but for poses, inertias and what acts on them."""
    if len(before.joints) != len(mechanism.joints) or len(before.bodies) != len(mechanism.bodies):
        return False
    joints = zip(before.joints, mechanism.joints, strict=True)
    bodies = zip(before.bodies, mechanism.bodies, strict=True)
    return all(same_but_placed(a, b) for a, b in joints) and all(a.gravity == b.gravity for a, b in bodies)


def same_but_placed(a: MechanismJoint, b: MechanismJoint) -> bool:
    """Whether two joints between the same bodies move alike, wherever they are on them."""
    return a is b or (a.parent, a.child, a.kind, a.motions) == (b.parent, b.child, b.kind, b.motions)


def _steps(joint: MechanismJoint) -> list[tuple[int, Vec3, int]]:
    """(kind, direction, axis) of the nodes that a joint becomes."""
    if joint.kind is not JointKind.CHAIN:
        return [(BALL if joint.kind is JointKind.BALL else FREE, (0.0, 0.0, 1.0), -1)]
    return [(ROTATION if m.kind is MotionKind.ROTATION else TRANSLATION, m.direction, m.axis) for m in joint.motions]


def _as_tree(
    nodes: _Nodes, node_of_body: Ints, X_LB: tuple[Pose, ...], freedom_of_axis: Ints, weightless: list[int]
) -> Tree:
    return Tree(
        kind=np.array(nodes.kind, dtype=np.int64),
        parent=np.array(nodes.parent, dtype=np.int64),
        first=np.array(nodes.first, dtype=np.int64),
        X=np.array(nodes.X, dtype=float).reshape(-1, 3, 4),
        axis=np.array(nodes.axis, dtype=float).reshape(-1, 3),
        inertia=np.array(nodes.inertia, dtype=float).reshape(-1, 10),
        node_of_body=node_of_body,
        X_LB=X_LB,
        freedom_of_axis=freedom_of_axis,
        freedoms=nodes.freedoms,
        weightless=np.array(weightless, dtype=np.int64),
    )


def _inertia(body: Body, X_LB: Pose) -> Array:
    """(mass, m c, inertia about the node's origin) in the node's frame, shape (10,)."""
    m = body.mass
    x, y, z = c = X_LB.transform(body.com)
    xx, yy, zz, xy, xz, yz = turned_inertia(body.inertia, X_LB.orientation)
    # I about the origin = R I_c Rᵀ + m (|c|² E - c cᵀ): one shift here spares one in every step.
    square = float(np.dot(c, c))
    moments = xx + m * (square - x * x), yy + m * (square - y * y), zz + m * (square - z * z)
    return np.array((m, m * x, m * y, m * z, *moments, xy - m * (x * y), xz - m * (x * z), yz - m * (y * z)))


def reduce_couplings(mechanism: Mechanism, tree: Tree) -> Reduction:
    """Solve couplings between tree axes for followers where possible; those that are real or have curves are rows, as
    are those with axes of loop joints, which are no coordinates.

    Raises UsageError for rows that contradict each other.
    """
    real = {mesh.coupling for mesh in tree.meshes or ()}
    freedom = tree.freedom_of_axis
    straight = [
        coupling
        for number, coupling in enumerate(mechanism.couplings)
        if number not in real
        and coupling.ties
        and coupling.curve is None
        and all(freedom[axis] >= 0 for axis, _ in coupling.terms)
    ]
    solved = {
        int(freedom[axis]): ({int(freedom[other]): slope for other, slope in terms.items()}, constant)
        for axis, (terms, constant) in eliminated(straight).solved().items()
    }
    return _as_csr(solved | _further_freedoms(mechanism, tree, solved), tree.freedoms)


def _further_freedoms(
    mechanism: Mechanism, tree: Tree, solved: dict[int, tuple[dict[int, float], float]]
) -> dict[int, tuple[dict[int, float], float]]:
    """Those of meshes over the freedoms that no coupling is solved for."""
    found: dict[int, tuple[dict[int, float], float]] = {}
    for mesh in tree.meshes or ():
        if mesh.cable >= 0:
            row = _row_of_cable(tree, mechanism.loads.cables[mesh.cable], solved)
            found |= {freedom: row for freedom in (mesh.play, mesh.rate) if freedom >= 0}
            continue
        rows = rows_of(mesh, mechanism.couplings[mesh.coupling])
        for freedom, (axes, own) in zip((mesh.play, mesh.rate), rows, strict=False):
            total: dict[int, float] = {}
            constant = own
            for axis, factor in axes:
                k = int(tree.freedom_of_axis[axis])
                terms, known = solved.get(k, ({k: 1.0}, 0.0))
                constant += factor * known
                for other, value in terms.items():
                    total[other] = total.get(other, 0.0) + factor * value
            found[freedom] = (total, constant)
    return found


def _row_of_cable(
    tree: Tree, cable: BodyCable, solved: dict[int, tuple[dict[int, float], float]]
) -> tuple[dict[int, float], float]:
    """Freedoms that may move what a cable passes; `rows.cables` finds their entries."""
    terms: dict[int, float] = {}
    for body in cable.bodies:
        node = int(tree.node_of_body[body]) if body else -1
        while node >= 0:
            first = int(tree.first[node])
            for k in range(first, first + FREEDOMS[int(tree.kind[node])]):
                terms |= dict.fromkeys(solved.get(k, ({k: 1.0}, 0.0))[0], 0.0)
            node = int(tree.parent[node])
    return terms, 0.0


def _as_csr(solved: dict[int, tuple[dict[int, float], float]], freedoms: int) -> Reduction:
    independent = {freedom: i for i, freedom in enumerate(f for f in range(freedoms) if f not in solved)}
    ptr = [0]
    index = []
    value = []
    constant = np.zeros(freedoms)
    for freedom in range(freedoms):
        terms, constant[freedom] = solved.get(freedom, ({freedom: 1.0}, 0.0))
        for other, coefficient in sorted(terms.items()):
            index.append(independent[other])
            value.append(coefficient)
        ptr.append(len(index))
    return Reduction(
        np.array(ptr, dtype=np.int64),
        np.array(index, dtype=np.int64),
        np.array(value, dtype=float),
        constant,
        len(independent),
    )


def elimination_pattern(
    tree: Tree, reduction: Reduction, tied: Sequence[tuple[int, int]] = ()
) -> tuple[Ints, Ints, Ints]:
    """Order and sparsity in which the reduced mass matrix is factored: `order` (independents,), last eliminated first,
    and the columns left of the diagonal that are not zero after fill-in, as CSR (`ptr`, `columns`) in that order.
    `tied`: pairs of independents that something beside the bodies ties, e.g. a rotor that two joints turn.

    Leaves are eliminated first, so a tree without couplings has no fill-in (Featherstone, Rigid Body Dynamics
    Algorithms, 6.5).
    """
    touched = _independents_of_nodes(tree, reduction)
    neighbours: list[set[int]] = [set() for _ in range(reduction.independents)]
    for node in range(len(tree.kind)):
        above = set(touched[node])
        ancestor = int(tree.parent[node])
        while ancestor >= 0:
            # H_ij is not zero where one of the two carries the other (RBDA 6.3), or where couplings make them share a
            # node.
            above |= touched[ancestor]
            ancestor = int(tree.parent[ancestor])
        for a in touched[node]:
            neighbours[a] |= above
        for b in above:
            neighbours[b] |= touched[node]
    for a, b in tied:
        neighbours[a].add(b)
        neighbours[b].add(a)
    depth = np.zeros(reduction.independents)
    for node in range(len(tree.kind)):
        for a in touched[node]:
            depth[a] = max(depth[a], node)
    order = sorted(range(reduction.independents), key=lambda i: (depth[i], i))
    return _fill(order, neighbours)


def envelope(ptr: Ints, columns: Ints) -> tuple[Ints, int]:
    """How a lower triangle is stored from each row's first column to its diagonal: element (i, j) at row[i] + j; and
    the length of all. `ptr`, `columns`: see `elimination_pattern`."""
    places = np.arange(len(ptr) - 1)
    first = places.copy()
    filled = np.diff(ptr) > 0
    first[filled] = columns[ptr[:-1][filled]]
    ends = np.cumsum(places - first + 1)
    # The diagonal is the last of each row, at ends - 1; column j of row i is j - i places from there.
    row: Ints = ends - 1 - places
    return row, int(ends[-1]) if len(ends) else 0


def blocks(row: Ints) -> tuple[Ints, Ints]:
    """For each coordinate where the block that it is in begins and ends: coordinates of different blocks do not feel
    each other. `row`: see `envelope`."""
    places = np.arange(len(row))
    first = np.concatenate(([0], (row + places)[:-1] + 1)) - row if len(row) else row
    # A block begins where no later row reaches back across.
    begins = np.minimum.accumulate(first[::-1])[::-1] == places
    edges = np.append(np.flatnonzero(begins), len(row))
    number = np.cumsum(begins) - 1
    return edges[number], edges[number + 1]


def _independents_of_nodes(tree: Tree, reduction: Reduction) -> list[set[int]]:
    touched = []
    for node, kind in enumerate(tree.kind):
        first = int(tree.first[node])
        rows = range(first, first + FREEDOMS[int(kind)])
        touched.append({int(i) for row in rows for i in reduction.index[reduction.ptr[row] : reduction.ptr[row + 1]]})
    return touched


def _fill(order: list[int], neighbours: list[set[int]]) -> tuple[Ints, Ints, Ints]:
    place = {independent: i for i, independent in enumerate(order)}
    left = [{place[j] for j in neighbours[independent] if place[j] < place[independent]} for independent in order]
    for i in range(len(order) - 1, -1, -1):
        for j in left[i]:
            # Eliminating i ties everything that it was tied to: fill-in (George and Liu, 1981, ch. 5).
            left[j] |= {k for k in left[i] if k < j}
    ptr = [0]
    columns = []
    for members in left:
        columns += sorted(members)
        ptr.append(len(columns))
    return np.array(order, dtype=np.int64), np.array(ptr, dtype=np.int64), np.array(columns, dtype=np.int64)
