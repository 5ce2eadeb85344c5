"""Clusters of links and the rotors that drive them through gears and belts (a4 of GRBDA's catalogue; arXiv 2311.13732,
section V).

A gear ratio n is rotor speed over link speed. The belts of rotor i have one ratio per joint they pass; they multiply
along the chain. Rotors sit on the parent body, so their rows of cJ are zero; G is constant, so there is no g.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.clusters.chain import OUTSIDE
from textbook.clusters.joint import ClusterJoint, hinge_column, require_topology
from textbook.constraints.static import Static
from textbook.joints.single import Revolute as RevoluteJoint
from textbook.plucker import crm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.spatial.rotation import Vec3
    from textbook.clusters.chain import Chain
    from textbook.joints.protocol import JointModel

    Array = NDArray[np.float64]

Z: Vec3 = (0.0, 0.0, 1.0)


def belt_matrix(gears: Sequence[float], belts: Sequence[Sequence[float]]) -> Array:
    """B, shape (n, n): rotor velocities = B link velocities, B_ij = n_i Π_{m ≤ j} b_im for j ≤ i, else 0.

    Raises UsageError if rotor i has not i belts.
    """
    B = np.zeros((len(gears), len(gears)))
    for i, (gear, ratios) in enumerate(zip(gears, belts, strict=True)):
        if len(ratios) != i + 1:
            raise UsageError(f"rotor {i + 1} drives through {i + 1} belts, {len(ratios)} ratios were given")
        # Each belt of the row multiplies the ratio from the next joint inboard (GRBDA, parallel belt transmissions).
        B[i, : i + 1] = gear * np.cumprod(ratios)
    return B


@dataclass(frozen=True)
class RevoluteWithRotor(ClusterJoint):
    """Link and rotor on the same parent body: G = [1; n], K = [n −1], S = [S_l; n S_r], cJ = 0."""

    ratio: float
    link_axis: Vec3 = Z
    rotor_axis: Vec3 = Z

    @cached_property
    def joints(self) -> tuple[JointModel, ...]:
        """Link, rotor."""
        return (RevoluteJoint(self.link_axis), RevoluteJoint(self.rotor_axis))

    @cached_property
    def constraint(self) -> Static:
        """The gear."""
        return Static([[1.0], [self.ratio]], [[self.ratio, -1.0]])

    @property
    def rotors(self) -> tuple[int, ...]:
        """The second body."""
        return (1,)

    def check(self, inner: Sequence[int]) -> None:
        """Both on the parent cluster."""
        require_topology("RevoluteWithRotor", inner, (OUTSIDE, OUTSIDE), "a link and a rotor, both on the parent")

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """See the class."""
        del chain, up, q, qd, G, g
        link, rotor = hinge_column(self.link_axis), hinge_column(self.rotor_axis)
        return np.concatenate((link, self.ratio * rotor))[:, None], np.zeros(12)


@dataclass(frozen=True)
class RevolutePairWithRotor(ClusterJoint):
    """Two links in series, their rotors on the parent body: humanoid knee and ankle with a parallel belt.

    `order` says where (l1, r1, r2, l2) stand among the bodies; `axes` are in the order (l1, r1, r2, l2). y = (l1, l2).
    """

    gears: tuple[float, float]
    belts: tuple[tuple[float], tuple[float, float]]
    axes: tuple[Vec3, Vec3, Vec3, Vec3] = (Z, Z, Z, Z)
    order: tuple[int, int, int, int] = (0, 1, 2, 3)

    @cached_property
    def joints(self) -> tuple[JointModel, ...]:
        """In the order of the bodies."""
        placed = dict(zip(self.order, self.axes, strict=True))
        return tuple(RevoluteJoint(placed[i]) for i in range(4))

    @cached_property
    def constraint(self) -> Static:
        """G = [[1, 0], [n1 b11, 0], [n2 b21, n2 b21 b22], [0, 1]], K = (rotor row on links) − rotor, for bodies in
        their order."""
        B = belt_matrix(self.gears, self.belts)
        G, K = np.zeros((4, 2)), np.zeros((2, 4))
        l1, r1, r2, l2 = self.order
        G[l1], G[r1], G[r2], G[l2] = (1.0, 0.0), B[0], B[1], (0.0, 1.0)
        K[:, l1], K[:, l2] = B[:, 0], B[:, 1]
        K[0, r1] = K[1, r2] = -1.0
        return Static(G, K)

    @property
    def rotors(self) -> tuple[int, ...]:
        """r1, r2."""
        return (self.order[1], self.order[2])

    def check(self, inner: Sequence[int]) -> None:
        """l1, r1, r2 on the parent, l2 on l1."""
        wanted = [OUTSIDE] * 4
        wanted[self.order[3]] = self.order[0]
        require_topology(
            "RevolutePairWithRotor", inner, wanted, "link 1 and both rotors on the parent, link 2 on link 1"
        )

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """Links as in RevolutePair, rotors by their rows of G."""
        del chain, q, g
        l1, r1, r2, l2 = self.order
        S1, T1, T2, S2 = (hinge_column(axis) for axis in self.axes)
        carried = up[l2] @ S1
        S = np.zeros((4, 6, 2))
        cJ = np.zeros((4, 6))
        S[l1, :, 0] = S1
        S[l2, :, 0] = carried
        S[l2, :, 1] = S2
        S[r1], S[r2] = np.outer(T1, G[r1]), np.outer(T2, G[r2])
        # X21 S1 as seen in link 2 changes with link 2's own turn: d(X21)/dt = -(S2 q̇2)x X21.
        cJ[l2] = -crm(S2 * qd[l2]) @ carried * qd[l1]
        return S.reshape(24, 2), cJ.ravel()


@dataclass(frozen=True)
class RevoluteTripleWithRotor(ClusterJoint):
    """Bodies l1, l2, l3, r1, r2, r3: three links in series, three rotors on the parent body. G = [1; B], K = [−B 1]."""

    gears: tuple[float, float, float]
    belts: tuple[tuple[float], tuple[float, float], tuple[float, float, float]]
    axes: tuple[Vec3, Vec3, Vec3, Vec3, Vec3, Vec3] = (Z, Z, Z, Z, Z, Z)

    @cached_property
    def joints(self) -> tuple[JointModel, ...]:
        """Six hinges."""
        return tuple(RevoluteJoint(axis) for axis in self.axes)

    @cached_property
    def constraint(self) -> Static:
        """The belts."""
        B = belt_matrix(self.gears, self.belts)
        return Static(np.vstack((np.eye(3), B)), np.hstack((-B, np.eye(3))))

    @property
    def rotors(self) -> tuple[int, ...]:
        """r1, r2, r3."""
        return (3, 4, 5)

    def check(self, inner: Sequence[int]) -> None:
        """Serial links, rotors on the parent."""
        wanted = (OUTSIDE, 0, 1, OUTSIDE, OUTSIDE, OUTSIDE)
        require_topology(
            "RevoluteTripleWithRotor", inner, wanted, "three links in series and three rotors on the parent"
        )

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """S3 = [X31 S1, X32 S2, S3]; relative velocities of 2 on 1, 3 on 1 and 3 on 2 are S2 q̇2, X32 S2 q̇2 + S3 q̇3
        and S3 q̇3."""
        del chain, q, g
        S1, S2, S3, *rotors = (hinge_column(axis) for axis in self.axes)
        first, second = up[1] @ S1, up[2] @ S2
        S = np.zeros((6, 6, 3))
        cJ = np.zeros((6, 6))
        S[0, :, 0] = S1
        S[1, :, 0], S[1, :, 1] = first, S2
        S[2, :, 0] = up[2] @ first
        S[2, :, 1] = second
        S[2, :, 2] = S3
        for i, rotor in enumerate(rotors):
            S[3 + i] = np.outer(rotor, G[3 + i])
        cJ[1] = -crm(S2 * qd[1]) @ first * qd[0]
        # The same for both columns carried to link 3, each by the velocity of link 3 against the column's body.
        on_first = second * qd[1] + S3 * qd[2]
        on_second = S3 * qd[2]
        cJ[2] = -crm(on_first) @ (up[2] @ first) * qd[0] - crm(on_second) @ second * qd[1]
        return S.reshape(36, 3), cJ.ravel()
