"""What most joints share: coordinates that add up, no singular position, zero as the neutral one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class VectorJoint:
    """A joint whose position is a plain vector: qd is the derivative of q."""

    size: ClassVar[int] = 1

    @property
    def position_size(self) -> int:
        """Length of q."""
        return self.size

    @property
    def velocity_size(self) -> int:
        """Length of qd."""
        return self.size

    def neutral(self) -> Array:
        """Zeros, shape (nv,)."""
        return np.zeros(self.size)

    def integrate(self, q: Array, qd: Array, dt: float) -> Array:
        """q + qd dt, shape (nv,)."""
        result: Array = q + dt * qd
        return result

    def singularity(self, q: Array) -> float:
        """1: S keeps its rank everywhere."""
        del q
        return 1.0
