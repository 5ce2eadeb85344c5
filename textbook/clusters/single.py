"""Clusters without transmissions: Free, Revolute and RevolutePair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from textbook.clusters.chain import OUTSIDE
from textbook.clusters.free_joint import FreeJoint
from textbook.clusters.joint import ClusterJoint, hinge_column, require_topology
from textbook.constraints.static import Free as NoConstraint
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


@dataclass(frozen=True)
class Free(ClusterJoint):
    """A floating body, first cluster only. q = (x, y, z, w, x, y, z) with the quaternion's w FIRST, ẏ = [ω; v] in body
    coordinates."""

    @property
    def joints(self) -> tuple[JointModel, ...]:
        """One free joint."""
        return (FreeJoint(),)

    @property
    def constraint(self) -> NoConstraint:
        """None: 7 positions, 6 velocities, K is 0 x 6."""
        return NoConstraint(7, 6)

    def check(self, inner: Sequence[int]) -> None:
        """One body."""
        require_topology("Free", inner, (OUTSIDE,), "one body")

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """The identity and zero."""
        del chain, up, q, qd, G, g
        return np.eye(6), np.zeros(6)


@dataclass(frozen=True)
class Revolute(ClusterJoint):
    """One body on a hinge about `axis`."""

    axis: Vec3 = (0.0, 0.0, 1.0)

    @cached_property
    def joints(self) -> tuple[JointModel, ...]:
        """One hinge."""
        return (RevoluteJoint(self.axis),)

    @cached_property
    def constraint(self) -> Static:
        """G = [1], K is 0 x 1."""
        return Static([[1.0]], np.zeros((0, 1)))

    def check(self, inner: Sequence[int]) -> None:
        """One body."""
        require_topology("Revolute", inner, (OUTSIDE,), "one body")

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """The hinge's S and zero."""
        del chain, up, qd, G, g
        return self.joints[0].subspace(q), np.zeros(6)


@dataclass(frozen=True)
class RevolutePair(ClusterJoint):
    """Two links in series in one cluster, for tests: S = [[S1, 0], [X21 S1, S2]], cJ_2 = −(S2 q̇2) x X21 S1 q̇1."""

    axis1: Vec3 = (0.0, 0.0, 1.0)
    axis2: Vec3 = (0.0, 0.0, 1.0)

    @cached_property
    def joints(self) -> tuple[JointModel, ...]:
        """Two hinges."""
        return (RevoluteJoint(self.axis1), RevoluteJoint(self.axis2))

    @cached_property
    def constraint(self) -> Static:
        """G = 1 (2 x 2), K is 0 x 2."""
        return Static(np.eye(2), np.zeros((0, 2)))

    def check(self, inner: Sequence[int]) -> None:
        """l2 on l1."""
        require_topology("RevolutePair", inner, (OUTSIDE, 0), "link 1 on the parent and link 2 on link 1")

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """See the class."""
        del chain, q, G, g
        S1, S2 = hinge_column(self.axis1), hinge_column(self.axis2)
        carried = up[1] @ S1
        S = np.zeros((12, 2))
        cJ = np.zeros(12)
        S[:6, 0] = S1
        S[6:, 0] = carried
        S[6:, 1] = S2
        # d(X21)/dt = -(S2 q̇2)x X21, times S1 q̇1.
        cJ[6:] = -crm(S2 * qd[1]) @ carried * qd[0]
        return S, cJ
