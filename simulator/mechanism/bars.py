"""What the length of a link is measured along."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class Bar(NamedTuple):
    """What a length is measured along, in the frame of the link: `ends` [m], shape (2, 3), the first joint and the
    point from it to the second, across their axes where these are parallel; `normal`, shape (3,), a unit vector along
    these axes, zero where they are not parallel."""

    ends: Array
    normal: Array

    @property
    def line(self) -> Array:
        """From the first end to the second [m], shape (3,)."""
        line: Array = self.ends[1] - self.ends[0]
        return line
