"""What every joint can be asked.

Vectors are spatial, [angular; linear], in the child's coordinates at the child's origin. With q the joint's position
and qd its velocity, the child moves against its parent with vJ = S(q) qd, and S̊ qd is what is left of its acceleration
when qdd = 0 (Featherstone, RBDA sections 3.5 and 4.4; X_J, v_J, c_J and S of RBDL).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class JointModel(Protocol):
    """A joint with `velocity_size` freedoms; values of it are immutable."""

    @property
    def position_size(self) -> int:
        """Length nq of q; nv, or one more per quaternion."""

    @property
    def velocity_size(self) -> int:
        """Number of freedoms nv, the length of qd."""

    def transform(self, q: Array) -> Array:
        """XJ, shape (6, 6): motion transform from the joint frame (parent side) to the child's coordinates."""

    def subspace(self, q: Array) -> Array:
        """S, shape (6, nv): the child's velocity against its parent is S qd."""

    def bias(self, q: Array, qd: Array) -> Array:
        """cJ = S̊ qd, shape (6,): derivative of S in the child's coordinates times qd."""

    def neutral(self) -> Array:
        """The position, shape (nq,), at which a quaternion is (0, 0, 0, 1) and everything else zero."""

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """The position, shape (nq,), after `dt` [s] at constant qd; body angular velocity multiplies a quaternion from
        the right."""

    def singularity(self, q: Array) -> float:
        """How far q is from a position at which S loses rank: 1 is as far as can be, 0 is singular."""
