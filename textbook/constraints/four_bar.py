"""The planar four-bar loop, with analytic derivatives, closed-form positions and both assembly branches.

Path 1 is crank and coupler, path 2 the rocker (GRBDA's FourBar): with e(θ) = [cos θ, sin θ],
φ = l1 e(q1) + l2 e(q1 + q3) − d − l3 e(q2). The order is q = (q1 crank, q2 rocker, q3 coupler RELATIVE to the crank).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError, UsageError
from textbook.constraints.base import ImplicitConstraint, Rows
from textbook.constraints.partition import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

CRANK, ROCKER, COUPLER = 0, 1, 2
_ALL = (CRANK, ROCKER, COUPLER)
_BY_CRANK = Partition((CRANK,), (ROCKER, COUPLER), (0, 1))


@dataclass(frozen=True)
class FourBar(ImplicitConstraint):
    """Lengths [m] of crank, coupler and rocker; `ground` is the rocker's pivot seen from the crank's (x, y) [m]."""

    crank: float
    coupler: float
    rocker: float
    ground: tuple[float, float]
    partition: Partition = _BY_CRANK

    def __post_init__(self) -> None:
        if min(self.crank, self.coupler, self.rocker) <= 0.0:
            raise UsageError("the bars of a four-bar must have a length")

    @property
    def names(self) -> tuple[str, ...]:
        """The bars."""
        return ("crank", "rocker", "coupler")

    def residual(self, q: Array) -> Array:
        """φ(q), shape (2,) [m]."""
        a = q[0]
        b = q[1]
        c = q[0] + q[2]
        return np.array(
            [
                self.crank * math.cos(a) + self.coupler * math.cos(c) - self.ground[0] - self.rocker * math.cos(b),
                self.crank * math.sin(a) + self.coupler * math.sin(c) - self.ground[1] - self.rocker * math.sin(b),
            ]
        )

    def all_rows(self, q: Array, qd: Array) -> Rows:
        """K (2, 3) and k = l1 e(q1) q̇1² + l2 e(q1+q3) (q̇1+q̇3)² − l3 e(q2) q̇2²."""
        first = self.crank * np.array([math.cos(q[0]), math.sin(q[0])])
        second = self.coupler * np.array([math.cos(q[0] + q[2]), math.sin(q[0] + q[2])])
        other = self.rocker * np.array([math.cos(q[1]), math.sin(q[1])])
        # d e(θ)/dθ = n x e = [−sin θ, cos θ], and d²e/dθ² = −e, whence k = Σ l e θ̇².
        turned = [np.array([-e[1], e[0]]) for e in (first, second, other)]
        K = np.column_stack((turned[0] + turned[1], -turned[2], turned[1]))
        k = first * qd[0] ** 2 + second * (qd[0] + qd[2]) ** 2 - other * qd[1] ** 2
        return Rows(K, k)

    def with_partition(self, partition: Partition) -> FourBar:
        """The same bars with other coordinates."""
        return replace(self, partition=partition)

    def with_independent(self, coordinate: int) -> FourBar:
        """The same bars, measured by q1, q2 or q3 (0, 1, 2)."""
        if coordinate not in _ALL:
            raise UsageError(f"the independent coordinate of a four-bar is 0, 1 or 2, not {coordinate}")
        return replace(self, partition=Partition((coordinate,), tuple(i for i in _ALL if i != coordinate), (0, 1)))

    def closed(self, crank_angle: float, branch: int = 1) -> Array:
        """q, shape (3,), of a crank angle [rad] in closed form: cosine rule on crank tip, rocker pivot, coupler end.

        `branch` +1 puts the coupler end to the left of the line from the crank's tip to the rocker's pivot, −1 to the
        right. Raises AssemblyError if coupler and rocker do not reach each other.
        """
        x = self.ground[0] - self.crank * math.cos(crank_angle)
        y = self.ground[1] - self.crank * math.sin(crank_angle)
        diagonal = math.hypot(x, y)
        # Cosine rule in the triangle of coupler, rocker and diagonal, at the crank's tip.
        reach = (self.coupler**2 + diagonal**2 - self.rocker**2) / max(2.0 * self.coupler * diagonal, 1e-300)
        if abs(reach) > 1.0 + 1e-12 or diagonal == 0.0:
            raise AssemblyError(
                f"with the crank at {crank_angle:g} rad the rocker's pivot is {diagonal:.4g} m away from the crank's "
                f"tip, which coupler ({self.coupler:g} m) and rocker ({self.rocker:g} m) cannot span"
            )
        # The coupler to one side or the other of the diagonal: the two ways in which the bars can be assembled.
        coupler = math.atan2(y, x) + branch * math.acos(min(1.0, max(-1.0, reach)))
        rocker = math.atan2(self.coupler * math.sin(coupler) - y, self.coupler * math.cos(coupler) - x)
        return np.array([crank_angle, rocker, math.remainder(coupler - crank_angle, 2.0 * math.pi)])

    def branch(self, q: Array) -> int:
        """+1 or −1, as in `closed`; 0 at the change point between the branches."""
        coupler = q[0] + q[2]
        # Sign of coupler x rocker: it changes only where both are in line, at the change point.
        cross = math.sin(q[1] - coupler) * self.coupler * self.rocker
        return 0 if abs(cross) < 1e-12 * self.coupler * self.rocker else (1 if cross > 0.0 else -1)
