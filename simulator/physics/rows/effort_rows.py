"""Efforts of drives at the ends of many steps in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import entry
from simulator.physics.tree.efforts import extrapolate

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2


@entry("motion")
def extrapolate_rows(trend: Floats2, means: Floats, matrix: Floats2, limit: Floats, ends: Floats) -> None:
    """As `extrapolate`, for one step after the other: `means` and `ends` are those of all steps in a row, shape (steps
    (n + m),)."""
    size = trend.shape[0]
    for first in range(0, means.shape[0], size):
        extrapolate(trend, means[first : first + size], matrix, limit, ends[first : first + size])
