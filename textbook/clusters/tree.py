"""A tree of clusters over rigid bodies, and the state of it.

`ClusterTreeBuilder` makes one body by body; `grouping` from loops and couplings; `from_mechanism` from the app's
`Mechanism`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UnknownNameError
from textbook.clusters.chain import OUTSIDE
from textbook.clusters.components import GROUND

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.chain import Chain
    from textbook.clusters.joint import ClusterJoint

    Array = NDArray[np.float64]

DEFAULT_GRAVITY = (0.0, 0.0, 0.0, 0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Cluster:
    """Bodies `bodies` (indices of the tree, in a row) that one cluster joint moves against the cluster `parent` (or
    GROUND).

    `outputs[i]` is the body of the parent cluster that carries body i, directly or through inner ancestors, as a place
    in the parent's `bodies` (0 on the ground). `first_q`, `first_v`, `first_y`: where its spanning positions, spanning
    and independent velocities start.
    """

    name: str
    bodies: tuple[int, ...]
    parent: int
    outputs: tuple[int, ...]
    joint: ClusterJoint
    chain: Chain
    first_q: int
    first_v: int
    first_y: int

    @property
    def q(self) -> slice:
        """Its part of the spanning positions."""
        return slice(self.first_q, self.first_q + self.chain.first_position[-1])

    @property
    def v(self) -> slice:
        """Its part of the spanning velocities."""
        return slice(self.first_v, self.first_v + self.chain.first_velocity[-1])

    @property
    def y(self) -> slice:
        """Its part of the independent velocities."""
        return slice(self.first_y, self.first_y + self.joint.velocity_size)


@dataclass(frozen=True)
class TreeState:
    """`q`: spanning positions of all clusters, `yd`: independent velocities; both concatenated in cluster order."""

    q: Array
    yd: Array


@dataclass(frozen=True)
class ClusterTree:
    """`inertias` (n, 6, 6) of all bodies about their origins; `gravity` (6,) = [0; g] in ground axes [m/s²]."""

    body_names: tuple[str, ...]
    inertias: Array
    clusters: tuple[Cluster, ...]
    gravity: Array

    @property
    def position_size(self) -> int:
        """Spanning positions of all clusters."""
        return sum(cluster.chain.first_position[-1] for cluster in self.clusters)

    @property
    def span_size(self) -> int:
        """Spanning velocities of all clusters."""
        return sum(cluster.chain.first_velocity[-1] for cluster in self.clusters)

    @property
    def freedoms(self) -> int:
        """Independent velocities of all clusters."""
        return sum(cluster.joint.velocity_size for cluster in self.clusters)

    @cached_property
    def cluster_of_body(self) -> tuple[int, ...]:
        """Cluster index of every body."""
        owner = {body: i for i, cluster in enumerate(self.clusters) for body in cluster.bodies}
        return tuple(owner[body] for body in range(len(self.body_names)))

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Parent body of every body, or GROUND: the spanning tree."""
        result = []
        for cluster in self.clusters:
            # Within the cluster the chain knows; a body that hangs on another cluster has its output body there.
            for place, inner in enumerate(cluster.chain.inner):
                if inner != OUTSIDE:
                    result.append(cluster.bodies[inner])
                elif cluster.parent == GROUND:
                    result.append(GROUND)
                else:
                    result.append(self.clusters[cluster.parent].bodies[cluster.outputs[place]])
        return tuple(result)

    def body(self, name: str) -> int:
        """Index of a body. Raises UnknownNameError."""
        if name not in self.body_names:
            raise UnknownNameError("body", name, self.body_names)
        return self.body_names.index(name)

    def inertia_of(self, cluster: Cluster) -> Array:
        """Inertias of a cluster's bodies, shape (N, 6, 6)."""
        chosen: Array = self.inertias[cluster.bodies[0] : cluster.bodies[-1] + 1]
        return chosen

    def with_inertias(self, inertias: Array) -> ClusterTree:
        """The same tree with other inertias, shape (n, 6, 6)."""
        return replace(self, inertias=inertias)

    def with_joints(self, joints: tuple[ClusterJoint, ...]) -> ClusterTree:
        """The same tree with other cluster joints over the same bodies (other independent coordinates)."""
        clusters = []
        first_y = 0
        for cluster, joint in zip(self.clusters, joints, strict=True):
            clusters.append(replace(cluster, joint=joint, first_y=first_y))
            first_y += joint.velocity_size
        return replace(self, clusters=tuple(clusters))
