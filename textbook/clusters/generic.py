"""The general cluster joint, any bodies on any tree joints with any loop constraint; and the four-bar, which is one
with its own order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.clusters.chain import OUTSIDE
from textbook.clusters.joint import ClusterJoint, hinge_column, require_topology
from textbook.joints.single import Revolute as RevoluteJoint
from textbook.plucker import crm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.spatial.rotation import Vec3
    from textbook.clusters.chain import Chain
    from textbook.constraints.base import LoopConstraint
    from textbook.constraints.four_bar import FourBar as FourBarLoop
    from textbook.joints.protocol import JointModel

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Generic(ClusterJoint):
    """S = X_intra S_span G and cJ = X̊_intra S_span q̇ + X_intra S_span g, for tree joints of any number of freedoms."""

    tree_joints: tuple[JointModel, ...]
    loop: LoopConstraint

    @property
    def joints(self) -> tuple[JointModel, ...]:
        """As given."""
        return self.tree_joints

    @property
    def constraint(self) -> LoopConstraint:
        """As given."""
        return self.loop

    def check(self, inner: Sequence[int]) -> None:
        """Any topology; the constraint must fit the joints."""
        velocities = sum(joint.velocity_size for joint in self.tree_joints)
        positions = sum(joint.position_size for joint in self.tree_joints)
        if len(inner) != len(self.tree_joints):
            raise UsageError(f"{len(inner)} bodies were registered for {len(self.tree_joints)} tree joints")
        if (self.loop.span_size, self.loop.span_positions) != (velocities, positions):
            raise UsageError(
                f"the constraint is over {self.loop.span_size} velocities and {self.loop.span_positions} positions, "
                f"the tree joints have {velocities} and {positions}"
            )

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """From the bodies' Jacobians J = X_intra S_span and their biases, in one sweep."""
        moving = chain.moving(up, q, qd)
        J = moving.J.reshape(-1, moving.J.shape[2])
        # v = J q̇ and q̇ = G ẏ, so v̇ = J G ÿ + (J̇ q̇ + J g).
        return J @ G, moving.bias.ravel() + J @ g


@dataclass(frozen=True)
class FourBar(ClusterJoint):
    """Bodies: crank (path 1, link 1), rocker (path 2), coupler (path 1, link 2), all hinges about `axis`; coupler on
    crank."""

    loop: FourBarLoop
    axis: Vec3 = (0.0, 0.0, 1.0)

    @cached_property
    def joints(self) -> tuple[JointModel, ...]:
        """Three hinges."""
        hinge = RevoluteJoint(self.axis)
        return (hinge, hinge, hinge)

    @property
    def constraint(self) -> FourBarLoop:
        """The planar loop."""
        return self.loop

    def check(self, inner: Sequence[int]) -> None:
        """Crank and rocker on the parent, coupler on the crank."""
        require_topology(
            "FourBar", inner, (OUTSIDE, OUTSIDE, 0), "crank and rocker on the parent, coupler on the crank"
        )

    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """Rows axis G_1, axis G_2, X31 axis G_1 + axis G_3; the coupler's bias has the relative velocity and g, the
        others g alone."""
        del chain, q
        axis = hinge_column(self.axis)
        carried = up[2] @ axis
        S = np.concatenate((np.outer(axis, G[0]), np.outer(axis, G[1]), np.outer(carried, G[0]) + np.outer(axis, G[2])))
        # g of both hinges that carry it, and the change of X31 by the coupler's own turn.
        coupler = carried * g[0] + axis * g[2] - crm(axis * qd[2]) @ carried * qd[0]
        return S, np.concatenate((axis * g[0], axis * g[1], coupler))
