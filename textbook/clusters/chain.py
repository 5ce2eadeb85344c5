"""Bodies of one cluster on their tree joints: transforms, Jacobians and velocity-product accelerations against the
parent cluster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.crossings import cross_motions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from textbook.joints.protocol import JointModel

    Array = NDArray[np.float64]

OUTSIDE = -1
"""`inner[i]` of a body whose parent is in the parent cluster."""


@dataclass(frozen=True)
class Chain:
    """`joints[i]` moves body i; `inner[i]` is its parent in the cluster or OUTSIDE; `Xtree[i]` (6, 6) maps from the
    parent body to the joint frame."""

    joints: tuple[JointModel, ...]
    inner: tuple[int, ...]
    Xtree: tuple[Array, ...]

    @cached_property
    def first_position(self) -> tuple[int, ...]:
        """Where each joint's position starts, and the whole length at the end."""
        return _starts([joint.position_size for joint in self.joints])

    @cached_property
    def first_velocity(self) -> tuple[int, ...]:
        """Where each joint's velocity starts, and the whole length n_s at the end."""
        return _starts([joint.velocity_size for joint in self.joints])

    def position(self, body: int, q: Array) -> Array:
        """The entries of q that are joint `body`'s."""
        return q[self.first_position[body] : self.first_position[body + 1]]

    def velocity(self, body: int, qd: Array) -> Array:
        """The entries of q̇ that are joint `body`'s."""
        return qd[self.first_velocity[body] : self.first_velocity[body + 1]]

    def up(self, q: Array) -> Array:
        """Xup_i = XJ_i Xtree_i, shape (N, 6, 6): from the parent body, inner or outside, to body i."""
        result = np.empty((len(self.joints), 6, 6))
        for i, joint in enumerate(self.joints):
            result[i] = joint.transform(self.position(i, q)) @ self.Xtree[i]
        return result

    def subspaces(self, q: Array) -> list[Array]:
        """S_i of each joint, shapes (6, nv_i)."""
        return [joint.subspace(self.position(i, q)) for i, joint in enumerate(self.joints)]

    def from_outside(self, up: Array) -> Array:
        """Transforms from each body's output body in the parent cluster, shape (N, 6, 6)."""
        result: Array = up.copy()
        for i, parent in enumerate(self.inner):
            if parent != OUTSIDE:
                result[i] = up[i] @ result[parent]
        return result

    def intra(self, up: Array) -> Array:
        """X_intra, shape (6N, 6N): block (i, j) transforms from body j to body i where j is an ancestor of i in the
        cluster or i itself."""
        n = len(self.joints)
        blocks = np.zeros((n, n, 6, 6))
        for i, parent in enumerate(self.inner):
            if parent != OUTSIDE:
                # The row of blocks of a body is its parent's, carried on, with an identity for its own joint.
                blocks[i] = up[i] @ blocks[parent]
            blocks[i, i] = np.eye(6)
        dense: Array = blocks.transpose(0, 2, 1, 3).reshape(6 * n, 6 * n)
        return dense

    def moving(self, up: Array, q: Array, qd: Array) -> Moving:
        """Jacobian, velocity and bias of every body against the parent cluster.

        v_i = X v_p + S q̇ and, component by component in body i, v̇_i = X v̇_p + S q̈ + cJ_i + v_i x S q̇.
        """
        n = len(self.joints)
        size = self.first_velocity[-1]
        J = np.zeros((n, 6, size))
        v = np.zeros((n, 6))
        bias = np.zeros((n, 6))
        for i, joint in enumerate(self.joints):
            qi, qdi = self.position(i, q), self.velocity(i, qd)
            S = joint.subspace(qi)
            across = S @ qdi
            v[i], bias[i] = across, joint.bias(qi, qdi)
            parent = self.inner[i]
            if parent != OUTSIDE:
                J[i] = up[i] @ J[parent]
                # In body coordinates: v_i = X v_p + S q̇ and v̇_i = X v̇_p + S q̈ + cJ + v_i x S q̇ (RBDA 2.9 and 3.5).
                v[i] += up[i] @ v[parent]
                bias[i] += up[i] @ bias[parent] + cross_motions(v[i], across)
            J[i, :, self.first_velocity[i] : self.first_velocity[i + 1]] = S
        return Moving(J, v, bias)

    def advance(self, q: Array, step: Array) -> Array:
        """The position after every joint has moved by its part of a finite step (n_s,)."""
        parts = [
            joint.integrate(self.position(i, q), self.velocity(i, step), 1.0) for i, joint in enumerate(self.joints)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)


@dataclass(frozen=True)
class Moving:
    """Against the parent cluster, in body coordinates: `J` (N, 6, n_s), `v` = J q̇ (N, 6), `bias` = J̊ q̇ (N, 6)."""

    J: Array
    v: Array
    bias: Array


def _starts(sizes: list[int]) -> tuple[int, ...]:
    result = [0]
    for size in sizes:
        result.append(result[-1] + size)
    return tuple(result)
