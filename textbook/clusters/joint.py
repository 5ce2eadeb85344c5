"""What every cluster joint gives: S, vJ and cJ, with the loop constraint of its bodies embedded (GRBDA, arXiv
2311.13732, section IV)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from textbook.clusters.chain import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.spatial.rotation import Vec3
    from textbook.clusters.chain import Chain
    from textbook.constraints.base import LoopConstraint
    from textbook.joints.protocol import JointModel

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class ClusterMotion:
    """One cluster at one state, N bodies, body coordinates.

    `S` (6N, n_i): vJ = S ẏ; `vJ` (6N,): velocities against the output bodies in the parent cluster; `cJ` (6N,): S̊ ẏ;
    `up` (N, 6, 6) from each body's parent, `outside` (N, 6, 6) from its output body; `G`, `g` of the constraint; `qd`
    (n_s,).
    """

    S: Array
    vJ: Array  # noqa: N815  (the names of the field)
    cJ: Array  # noqa: N815
    up: Array
    outside: Array
    G: Array
    g: Array
    qd: Array


class ClusterJoint(ABC):
    """Bodies on tree joints with a loop constraint between them; subclasses know S and cJ."""

    @property
    @abstractmethod
    def joints(self) -> tuple[JointModel, ...]:
        """One tree joint per body."""

    @property
    @abstractmethod
    def constraint(self) -> LoopConstraint:
        """What ties their positions."""

    @property
    def rotors(self) -> tuple[int, ...]:
        """Bodies that are rotors of a transmission (left out by the reflected-inertia approximations)."""
        return ()

    @property
    def position_size(self) -> int:
        """Length of the position that a state carries."""
        return self.constraint.position_size

    @property
    def velocity_size(self) -> int:
        """n_i."""
        return self.constraint.independent_size

    @abstractmethod
    def check(self, inner: Sequence[int]) -> None:
        """Raise UsageError if the bodies hang together differently from what this joint is for."""

    @abstractmethod
    def subspace_and_bias(
        self, chain: Chain, up: Array, q: Array, qd: Array, G: Array, g: Array
    ) -> tuple[Array, Array]:
        """S (6N, n_i) and cJ (6N,)."""

    def motion(self, chain: Chain, q: Array, yd: Array) -> ClusterMotion:
        """Everything of a2 at a spanning position and an independent velocity."""
        (G, g), qd = self.constraint.maps_along(q, yd)
        up = chain.up(q)
        S, cJ = self.subspace_and_bias(chain, up, q, qd, G, g)
        return ClusterMotion(S, S @ yd, cJ, up, chain.from_outside(up), G, g, qd)


def require_topology(what: str, inner: Sequence[int], wanted: Sequence[int], drawing: str) -> None:
    """Raise UsageError if the inner parents are not the wanted ones."""
    if tuple(inner) != tuple(wanted):
        have = ", ".join("outside" if parent == OUTSIDE else f"body {parent}" for parent in inner)
        raise UsageError(f"a {what} cluster is {drawing}; here the parents of its bodies are: {have}")


def hinge_column(axis: Vec3) -> Array:
    """S of a hinge about `axis`, shape (6,)."""
    return np.array([*axis, 0.0, 0.0, 0.0])
