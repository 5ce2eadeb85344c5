"""Forward kinematics of a cluster tree, cluster by cluster: v = XU v_p + vJ (GRBDA, arXiv 2311.13732, algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.components import GROUND
from textbook.clusters.crossings import cross_motions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.clusters.joint import ClusterMotion
    from textbook.clusters.tree import Cluster, ClusterTree, TreeState

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class TreeMotion:
    """Per cluster: `clusters` (S, vJ, cJ, …), `XU` (6N, 6N_parent), `v` (6N,) velocities of its bodies against the
    ground in body coordinates, `bias` (6N,) = cJ + v x vJ: accelerations that ÿ = 0 leaves."""

    tree: ClusterTree
    clusters: tuple[ClusterMotion, ...]
    XU: tuple[Array, ...]
    v: tuple[Array, ...]
    bias: tuple[Array, ...]

    @property
    def G(self) -> Array:  # noqa: N802
        """q̇ = G ẏ of all clusters, shape (n_s, n_i)."""
        result = np.zeros((self.tree.span_size, self.tree.freedoms))
        for cluster, own in zip(self.tree.clusters, self.clusters, strict=True):
            result[cluster.v, cluster.y] = own.G
        return result

    @property
    def g(self) -> Array:
        """q̈ = G ÿ + g of all clusters, shape (n_s,)."""
        return np.concatenate([own.g for own in self.clusters]) if self.clusters else np.zeros(0)

    @property
    def qd(self) -> Array:
        """Spanning velocities of all clusters, shape (n_s,)."""
        return np.concatenate([own.qd for own in self.clusters]) if self.clusters else np.zeros(0)


def kinematics(tree: ClusterTree, state: TreeState) -> TreeMotion:
    """Everything the algorithms need of a state."""
    motions = []
    transforms = []
    biases = []
    velocities: list[Array] = []
    for cluster in tree.clusters:
        own = cluster.joint.motion(cluster.chain, state.q[cluster.q], state.yd[cluster.y])
        XU = outer_transform(tree, cluster, own.outside)
        v = own.vJ if cluster.parent == GROUND else XU @ velocities[cluster.parent] + own.vJ
        motions.append(own)
        transforms.append(XU)
        velocities.append(v)
        biases.append(own.cJ + cross_motions(v, own.vJ))
    return TreeMotion(tree, tuple(motions), tuple(transforms), tuple(velocities), tuple(biases))


def outer_transform(tree: ClusterTree, cluster: Cluster, outside: Array) -> Array:
    """XU, shape (6N, 6N_p): row i transforms from body i's output body in the parent cluster, zero elsewhere; on the
    ground (6N, 6)."""
    width = 1 if cluster.parent == GROUND else len(tree.clusters[cluster.parent].bodies)
    blocks = np.zeros((len(outside), 6, width, 6))
    for i, output in enumerate(cluster.outputs):
        blocks[i, :, output, :] = outside[i]
    return blocks.reshape(6 * len(outside), 6 * width)


def body_velocities(motion: TreeMotion) -> Array:
    """Spatial velocity of every body in its own coordinates, shape (n, 6) [rad/s; m/s]."""
    return np.concatenate(motion.v).reshape(-1, 6) if motion.v else np.zeros((0, 6))


def body_transforms(motion: TreeMotion) -> Array:
    """Motion transforms from the ground to every body, shape (n, 6, 6)."""
    result = np.zeros((len(motion.tree.body_names), 6, 6))
    for cluster, own in zip(motion.tree.clusters, motion.clusters, strict=True):
        for place, body in enumerate(cluster.bodies):
            if cluster.parent == GROUND:
                result[body] = own.outside[place]
            else:
                output = motion.tree.clusters[cluster.parent].bodies[cluster.outputs[place]]
                result[body] = own.outside[place] @ result[output]
    return result


def body_jacobian(motion: TreeMotion, body: int) -> Array:
    """v_body = J ẏ in the body's coordinates, shape (6, n_i)."""
    tree = motion.tree
    J = np.zeros((6, tree.freedoms))
    index = tree.cluster_of_body[body]
    X: Array = np.zeros((6, 6 * len(tree.clusters[index].bodies)))
    place = tree.clusters[index].bodies.index(body)
    X[:, 6 * place : 6 * place + 6] = np.eye(6)
    while index != GROUND:
        J[:, tree.clusters[index].y] = X @ motion.clusters[index].S
        X = X @ motion.XU[index]
        index = tree.clusters[index].parent
    return J
