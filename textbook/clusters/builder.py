"""Building a cluster tree body by body: register bodies, then close the cluster as a joint; or both in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UnknownNameError, UsageError
from textbook.clusters.chain import OUTSIDE, Chain
from textbook.clusters.components import GROUND
from textbook.clusters.single import Free
from textbook.clusters.tree import DEFAULT_GRAVITY, Cluster, ClusterTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from textbook.clusters.joint import ClusterJoint

    Array = NDArray[np.float64]

GROUND_NAME = "ground"


@dataclass(frozen=True)
class _Body:
    name: str
    inertia: Array
    parent: str
    Xtree: Array


class ClusterTreeBuilder:
    """Bodies are given from the ground outwards; `gravity` (6,) or (3,) [m/s²] in ground axes.

    builder = ClusterTreeBuilder()
    builder.register_body("link", inertia, "ground", X)
    builder.register_body("rotor", inertia, "ground", X)
    builder.close_cluster("shoulder", RevoluteWithRotor(ratio=6.0))
    tree = builder.build()
    """

    def __init__(self, gravity: ArrayLike = DEFAULT_GRAVITY) -> None:
        given = np.asarray(gravity, dtype=float)
        self._gravity: Array = np.concatenate((np.zeros(6 - len(given)), given))
        self._waiting: list[_Body] = []
        self._bodies: list[_Body] = []
        self._clusters: list[Cluster] = []

    def register_body(self, name: str, inertia: Array, parent: str, Xtree: Array | None = None) -> None:
        """A body of the cluster that is being built. `inertia` (6, 6) about its origin; `parent` a body's name or
        "ground"; `Xtree` (6, 6) from the parent's coordinates to the joint frame (default: the identity).

        Raises UsageError for a name that is taken, UnknownNameError for a parent that was not registered.
        """
        names = [body.name for body in (*self._bodies, *self._waiting)]
        if name in names or name == GROUND_NAME:
            raise UsageError(f"the name '{name}' is taken: every body needs its own")
        if parent != GROUND_NAME and parent not in names:
            raise UnknownNameError("body", parent, [GROUND_NAME, *names])
        X = np.eye(6) if Xtree is None else np.asarray(Xtree, dtype=float)
        self._waiting.append(_Body(name, np.asarray(inertia, dtype=float), parent, X))

    def close_cluster(self, name: str, joint: ClusterJoint) -> int:
        """Make the registered bodies a cluster with this joint; gives its index.

        Raises UsageError if they are not a valid cluster: none has its parent outside, the outside parents lie in
        several clusters, a Free joint is not first, the name is taken, or they hang together differently from what the
        joint is for.
        """
        bodies = self._waiting
        if not bodies:
            raise UsageError(f"cluster '{name}' has no bodies: register them first")
        if any(cluster.name == name for cluster in self._clusters):
            raise UsageError(f"the name '{name}' is taken: every cluster needs its own")
        if isinstance(joint, Free) and self._clusters:
            raise UsageError(f"cluster '{name}': a Free joint carries the first cluster only")
        place = {body.name: i for i, body in enumerate(bodies)}
        inner = tuple(place.get(body.parent, OUTSIDE) for body in bodies)
        self._check_inner(name, inner)
        parent = self._parent_cluster(name, [body for body, i in zip(bodies, inner, strict=True) if i == OUTSIDE])
        joint.check(inner)
        chain = Chain(joint.joints, inner, tuple(body.Xtree for body in bodies))
        cluster = self._placed(name, parent, joint, chain, self._outputs(bodies, inner, parent))
        self._clusters.append(cluster)
        self._bodies += bodies
        self._waiting = []
        return len(self._clusters) - 1

    def add_body(
        self, name: str, inertia: Array, parent: str, Xtree: Array | None, joint: ClusterJoint, cluster: str = ""
    ) -> int:
        """Register one body and close its cluster, in one call; the cluster has the body's name where none is given."""
        self.register_body(name, inertia, parent, Xtree)
        return self.close_cluster(cluster or name, joint)

    def build(self) -> ClusterTree:
        """The tree. Raises UsageError if registered bodies wait for their cluster to be closed."""
        if self._waiting:
            names = ", ".join(f"'{body.name}'" for body in self._waiting)
            raise UsageError(f"bodies {names} are in no cluster: close it with close_cluster")
        inertias = np.array([body.inertia for body in self._bodies]).reshape(-1, 6, 6)
        return ClusterTree(tuple(body.name for body in self._bodies), inertias, tuple(self._clusters), self._gravity)

    def _check_inner(self, name: str, inner: Sequence[int]) -> None:
        if OUTSIDE not in inner:
            raise UsageError(f"cluster '{name}': no body has its parent outside the cluster, so nothing carries it")

    def _parent_cluster(self, name: str, carried: Sequence[_Body]) -> int:
        owner = {self._bodies[body].name: i for i, cluster in enumerate(self._clusters) for body in cluster.bodies} | {
            GROUND_NAME: GROUND
        }
        parents = {owner[body.parent] for body in carried}
        if len(parents) > 1:
            names = [GROUND_NAME if i == GROUND else self._clusters[i].name for i in sorted(parents)]
            listed = ", ".join(f"'{body.name}' on '{body.parent}'" for body in carried)
            raise UsageError(
                f"cluster '{name}': its parents outside lie in several clusters ({', '.join(names)}): {listed}; "
                "they must lie in one"
            )
        return parents.pop()

    def _outputs(self, bodies: Sequence[_Body], inner: Sequence[int], parent: int) -> tuple[int, ...]:
        outputs: list[int] = []
        for body, i in zip(bodies, inner, strict=True):
            if i != OUTSIDE:
                outputs.append(outputs[i])
            elif parent == GROUND:
                outputs.append(0)
            else:
                names = [self._bodies[b].name for b in self._clusters[parent].bodies]
                outputs.append(names.index(body.parent))
        return tuple(outputs)

    def _placed(self, name: str, parent: int, joint: ClusterJoint, chain: Chain, outputs: tuple[int, ...]) -> Cluster:
        first = len(self._bodies)
        last = self._clusters[-1] if self._clusters else None
        return Cluster(
            name=name,
            bodies=tuple(range(first, first + len(chain.joints))),
            parent=parent,
            outputs=outputs,
            joint=joint,
            chain=chain,
            first_q=last.q.stop if last else 0,
            first_v=last.v.stop if last else 0,
            first_y=last.y.stop if last else 0,
        )
