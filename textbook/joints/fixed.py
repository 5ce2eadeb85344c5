"""The joint without freedom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from textbook.joints.base import VectorJoint

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fixed(VectorJoint):
    """The child is welded to its parent; q is empty."""

    size: ClassVar[int] = 0

    def transform(self, q: Array) -> Array:
        """Identity, shape (6, 6)."""
        del q
        return np.eye(6)

    def subspace(self, q: Array) -> Array:
        """Shape (6, 0)."""
        del q
        return np.zeros((6, 0))
