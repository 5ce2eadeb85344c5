"""The key light and what its shadow map sees. Pure mathematics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIGHT_DIRECTION = np.array([-0.34, -0.62, 1.0]) / np.linalg.norm([-0.34, -0.62, 1.0])
"""Unit vector to the key light: from above, over the left shoulder of the three-quarter view."""

SOFTNESS = 0.011
"""Radius of the penumbra as a part of the lit region's radius."""


@dataclass(frozen=True)
class ShadowView:
    """What the shadow map covers: `matrix` (4, 4) world to its clip space, `radius` [m] of the region around `centre`
    [m]."""

    matrix: NDArray[np.float64]
    centre: NDArray[np.float64]
    radius: float


def shadow_view(centre: NDArray[np.float64], radius: float, resolution: int) -> ShadowView:
    """A parallel view along the light of the ball around `centre` [m].

    Radius and centre move in steps (a tenth of the radius; whole texels), so that shadows do not crawl while parts
    move.
    """
    radius = 1.1 ** math.ceil(math.log(radius, 1.1))
    axes = _axes()
    texel = 2.0 * radius / resolution
    in_light = axes @ centre
    in_light[:2] = np.round(in_light[:2] / texel) * texel
    matrix = np.eye(4)
    matrix[:3, :3] = axes / radius
    matrix[:3, 3] = -in_light / radius
    matrix[2, :] /= -2.0  # depth grows away from the light, and reaches twice as far as the ball for long shadows
    return ShadowView(matrix, axes.T @ in_light, radius)


def _axes() -> NDArray[np.float64]:
    """Rows: right, up and towards the light, shape (3, 3)."""
    right = np.cross([0.0, 0.0, 1.0], LIGHT_DIRECTION)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(LIGHT_DIRECTION, right), LIGHT_DIRECTION])
