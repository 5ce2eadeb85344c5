"""What most joints share: no singular position, axes that stand still in the child, coordinates that add up or are a
quaternion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class RegularJoint:
    """A joint of `size` freedoms whose S keeps its rank everywhere; it is constant unless a subclass has a `bias` of
    its own."""

    size: ClassVar[int] = 1

    @property
    def velocity_size(self) -> int:
        """Length of qd."""
        return self.size

    def bias(self, q: Array, qd: Array) -> Array:
        """Zero, shape (6,)."""
        del q, qd
        return np.zeros(6)

    def singularity(self, q: Array) -> float:
        """1: S keeps its rank everywhere."""
        del q
        return 1.0


@dataclass(frozen=True)
class VectorJoint(RegularJoint):
    """A joint whose position is a plain vector: qd is the derivative of q."""

    @property
    def position_size(self) -> int:
        """Length of q."""
        return self.size

    def neutral(self) -> Array:
        """Zeros, shape (nv,)."""
        return np.zeros(self.size)

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """q + qd dt, shape (nv,)."""
        result: Array = q + dt * qd
        return result


@dataclass(frozen=True)
class QuaternionJoint(RegularJoint):
    """A joint whose rotation is a unit quaternion: it has no singular position, and one number more than freedoms."""

    @property
    def position_size(self) -> int:
        """Length of q."""
        return self.size + 1
