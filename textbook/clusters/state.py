"""States of a cluster tree: from what the user has, spanning or independent; other independent coordinates; closing
loops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.clusters.generic import FourBar, Generic
from textbook.clusters.tree import TreeState
from textbook.constraints.base import ImplicitConstraint
from textbook.constraints.explicit import Explicit
from textbook.constraints.newton import close

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from textbook.clusters.joint import ClusterJoint
    from textbook.clusters.tree import Cluster, ClusterTree

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Coordinate:
    """Positions or velocities of one cluster, `spanning` or independent."""

    values: Array
    spanning: bool = False


def make_state(tree: ClusterTree, positions: Sequence[Coordinate], velocities: Sequence[Coordinate]) -> TreeState:
    """A state from one coordinate per cluster. Raises UsageError for sizes that do not fit, and if an implicit
    constraint is given independent positions (they may belong to several branches); AssemblyError if a spanning state
    violates its constraint by 1e-8."""
    q, yd = [], []
    for cluster, position, velocity in zip(tree.clusters, positions, velocities, strict=True):
        constraint = cluster.joint.constraint
        _check_size(cluster, "positions", position, constraint.span_positions, constraint.position_size)
        _check_size(cluster, "velocities", velocity, constraint.span_size, constraint.independent_size)
        spanning = position.values if position.spanning else constraint.spanning(position.values)
        constraint.check(spanning, velocity.values if velocity.spanning else np.zeros(constraint.span_size))
        q.append(spanning)
        yd.append(constraint.independent(spanning, velocity.values) if velocity.spanning else velocity.values)
    return TreeState(_concatenated(q), _concatenated(yd))


def _concatenated(parts: list[Array]) -> Array:
    return np.concatenate([np.asarray(part, dtype=float) for part in parts]) if parts else np.zeros(0)


def _check_size(cluster: Cluster, what: str, given: Coordinate, spanning: int, independent: int) -> None:
    wanted = spanning if given.spanning else independent
    ambiguous = what == "positions" and not given.spanning and not cluster.joint.constraint.is_explicit
    if len(given.values) != wanted and not ambiguous:
        kind = "spanning" if given.spanning else "independent"
        raise UsageError(f"cluster '{cluster.name}' has {wanted} {kind} {what}, {len(given.values)} were given")


def neutral_state(tree: ClusterTree) -> TreeState:
    """All joints at their neutral positions, whether or not that closes the loops; nothing moves."""
    q = [joint.neutral() for cluster in tree.clusters for joint in cluster.chain.joints]
    return TreeState(_concatenated(q), np.zeros(tree.freedoms))


def close_loops(tree: ClusterTree, state: TreeState) -> TreeState:
    """The nearest state on the same branch with every loop closed; independent positions stay, followers of couplings
    are recomputed.

    Raises AssemblyError with the cluster's name if a loop cannot be closed.
    """
    q = state.q.copy()
    for cluster in tree.clusters:
        constraint = cluster.joint.constraint
        if isinstance(constraint, ImplicitConstraint):
            q[cluster.q] = close(constraint, q[cluster.q]).q
        elif isinstance(constraint, Explicit):
            q[cluster.q] = constraint.spanning(constraint.coordinates(q[cluster.q]))
        elif constraint.is_constant and constraint.span_size == constraint.span_positions:
            offset = constraint.spanning(np.zeros(constraint.independent_size))
            y = constraint.independent(q[cluster.q], q[cluster.q] - offset)
            q[cluster.q] = constraint.spanning(y)
    return replace(state, q=q)


def span_velocity(tree: ClusterTree, state: TreeState) -> Array:
    """q̇ = G ẏ of all clusters, shape (n_s,)."""
    result = np.zeros(tree.span_size)
    for cluster in tree.clusters:
        constraint = cluster.joint.constraint
        G = constraint.maps(state.q[cluster.q], np.zeros(constraint.span_size)).G
        result[cluster.v] = G @ state.yd[cluster.y]
    return result


def recoordinated(tree: ClusterTree, state: TreeState) -> tuple[ClusterTree, TreeState]:
    """Tree and state with independent coordinates that can describe the motion here; the same objects where they can
    already."""
    joints = tuple(_at(cluster, state.q[cluster.q]) for cluster in tree.clusters)
    if all(joint is cluster.joint for joint, cluster in zip(joints, tree.clusters, strict=True)):
        return tree, state
    changed = tree.with_joints(joints)
    return changed, converted(tree, state, changed)


def converted(tree: ClusterTree, state: TreeState, other: ClusterTree) -> TreeState:
    """The same motion in the independent coordinates of `other`, a tree over the same bodies and joints."""
    qd = span_velocity(tree, state)
    parts = [cluster.joint.constraint.independent(state.q[cluster.q], qd[cluster.v]) for cluster in other.clusters]
    return TreeState(state.q, _concatenated(parts))


def advanced(tree: ClusterTree, state: TreeState, step: Array) -> Array:
    """Spanning positions after every tree joint has moved by a finite spanning step (n_s,)."""
    parts = [cluster.chain.advance(state.q[cluster.q], step[cluster.v]) for cluster in tree.clusters]
    return _concatenated(parts)


def _at(cluster: Cluster, q: Array) -> ClusterJoint:
    joint = cluster.joint
    if not isinstance(joint, (Generic, FourBar)):
        return joint
    constraint = joint.loop.at(q)
    return joint if constraint is joint.loop else replace(joint, loop=constraint)  # type: ignore[arg-type]
