"""A cluster tree as flat arrays for the compiled C-ABA: all tree joints turn about or slide along one axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.clusters.chain import OUTSIDE
from simulator.dynamics.clusters.components import GROUND
from simulator.dynamics.joints.single import Prismatic, Revolute
from simulator.dynamics.kernels.cluster_sweep import forward_sweep
from simulator.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.dynamics.clusters.tree import ClusterTree, TreeState
    from simulator.dynamics.joints.protocol import JointModel

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

REVOLUTE, PRISMATIC = 0, 1


@dataclass(frozen=True)
class FlatTree:
    """Per body: `kind`, `inner` (parent in its cluster or −1), `outer` (output body in the parent cluster or −1), `axis` (n, 3), `Xtree`
    and `inertia` (n, 6, 6). Per cluster, with an end: `first` (body; also velocity), `first_y`, `start` (its square block of articulated
    inertia); `parent` (cluster or −1). `work` holds every array that a sweep writes, so that none is allocated."""

    tree: ClusterTree
    kind: Ints
    inner: Ints
    outer: Ints
    axis: Array
    Xtree: Array
    inertia: Array
    first: Ints
    first_y: Ints
    start: Ints
    parent: Ints
    G: Array
    g: Array
    work: tuple[Array, ...]

    def forward_dynamics(self, state: TreeState, tau: Array, f_ext: Array | None = None) -> Array:
        """ÿ (n_i,): the constraints' G and g in Python where they are not constant, everything else in one compiled call."""
        self._update_maps(state)
        forces = np.zeros((len(self.kind), 6)) if f_ext is None else np.ascontiguousarray(f_ext)
        ydd = np.zeros(len(tau))
        ok = forward_sweep(
            self.kind, self.inner, self.outer, self.axis, self.Xtree, self.inertia, self.first, self.first_y, self.start,
            self.parent, self.G, self.g, self.tree.gravity, state.q, state.yd, tau, forces, ydd, *self.work,
        )  # fmt: skip
        if not ok:
            raise UsageError("a cluster's articulated inertia is singular: some motion moves no mass")
        return ydd

    def _update_maps(self, state: TreeState) -> None:
        for cluster in self.tree.clusters:
            constraint = cluster.joint.constraint
            if constraint.is_constant:
                continue
            (G, g), _ = constraint.maps_along(state.q[cluster.q], state.yd[cluster.y])
            self.G[cluster.v, : G.shape[1]], self.g[cluster.v] = G, g


def flatten(tree: ClusterTree) -> FlatTree:
    """Flat arrays of a tree. Raises UsageError where a tree joint is neither revolute nor prismatic."""
    joints = [joint for cluster in tree.clusters for joint in cluster.chain.joints]
    kind, axis = _axes(joints)
    inner, outer = _parents(tree)
    first = np.array([cluster.bodies[0] for cluster in tree.clusters] + [len(joints)], dtype=np.int64)
    first_y = np.array([cluster.first_y for cluster in tree.clusters] + [tree.freedoms], dtype=np.int64)
    start = np.concatenate(([0], np.cumsum((6 * np.diff(first)) ** 2))).astype(np.int64)
    widest = int(np.diff(first_y).max(initial=1))
    G, g = np.zeros((len(joints), widest)), np.zeros(len(joints))
    for cluster in tree.clusters:
        if cluster.joint.constraint.is_constant:
            own = cluster.joint.constraint.maps(np.zeros(cluster.joint.constraint.span_positions), g[cluster.v]).G
            G[cluster.v, : own.shape[1]] = own
    return FlatTree(
        tree=tree,
        kind=kind,
        inner=inner,
        outer=outer,
        axis=axis,
        Xtree=np.array([X for cluster in tree.clusters for X in cluster.chain.Xtree]).reshape(-1, 6, 6),
        inertia=np.ascontiguousarray(tree.inertias),
        first=first,
        first_y=first_y,
        start=start,
        parent=np.array([cluster.parent for cluster in tree.clusters], dtype=np.int64),
        G=G,
        g=g,
        work=_room(len(joints), int(np.diff(first).max(initial=1)), widest, tree.freedoms, int(start[-1])),
    )


def _axes(joints: list[JointModel]) -> tuple[Ints, Array]:
    kinds, axes = [], []
    for joint in joints:
        if not isinstance(joint, (Revolute, Prismatic)) or abs(float(np.linalg.norm(joint.axis)) - 1.0) > 1e-12:
            raise UsageError(
                f"the compiled algorithm takes revolute and prismatic joints with unit axes, not {type(joint).__name__}"
            )
        kinds.append(REVOLUTE if isinstance(joint, Revolute) else PRISMATIC)
        axes.append(joint.axis)
    return np.array(kinds, dtype=np.int64), np.array(axes, dtype=float).reshape(-1, 3)


def _parents(tree: ClusterTree) -> tuple[Ints, Ints]:
    inner, outer = [], []
    for cluster in tree.clusters:
        for place, parent in enumerate(cluster.chain.inner):
            inner.append(-1 if parent == OUTSIDE else cluster.bodies[parent])
            grounded = cluster.parent == GROUND
            outer.append(-1 if grounded else tree.clusters[cluster.parent].bodies[cluster.outputs[place]])
    return np.array(inner, dtype=np.int64), np.array(outer, dtype=np.int64)


def _room(n: int, most: int, widest: int, freedoms: int, square: int) -> tuple[Array, ...]:
    """up, X (n, 6, 6); J (n, 6, most); S, U (n, 6, widest); rel, v, c, p, a (n, 6); IA (square,); D (n, widest, widest); u (freedoms,);
    and room for small vectors and matrices."""
    return (
        np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), np.zeros((n, 6, most)), np.zeros((n, 6, widest)), np.zeros((n, 6, widest)),
        *(np.zeros((n, 6)) for _ in range(5)), np.zeros(square), np.zeros((n, widest, widest)), np.zeros(freedoms),
        np.zeros(widest), np.zeros((6, 6)),
    )  # fmt: skip
