"""Boxes that show mass and inertia: homogeneous, with a body's mass, centre of mass and moments of inertia."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


SIGNS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def box_sides(mass: float, moments: Array) -> Array:
    """Sides [m] of the homogeneous box with that mass [kg] and those principal moments [kg m²], shape (3,).

    A box has I_x = m (b² + c²) / 12 and so on, so that a² = 6 (I_y + I_z - I_x) / m. Moments that no body can have, one
    larger than the two others together, leave a side of zero.
    """
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
    sides: Array = np.sqrt(np.maximum(squares, 0.0))
    return sides


@dataclass(frozen=True, eq=False)
class InertiaBoxes:
    """`corners` (n, 8, 3) of the boxes of `bodies` (n,), in the frames of these bodies [m]; bit 2 of a corner's number
    is its x, bit 1 its y, bit 0 its z."""

    bodies: NDArray[np.int64]
    corners: Array

    def at(self, body_poses: Array) -> Array:
        """The corners in the world, shape (n, 8, 3), of bodies with these poses, shape (n_bodies, 7)."""
        frames = matrices(body_poses[self.bodies])
        placed: Array = self.corners @ frames[:, :3, :3].transpose(0, 2, 1) + frames[:, None, :3, 3]
        return placed


def inertia_boxes(mechanism: Mechanism) -> InertiaBoxes:
    """Boxes of all bodies that move and have a mass."""
    numbers = [number for number, body in enumerate(mechanism.bodies) if number > 0 and body.mass > 0.0]
    corners = np.zeros((len(numbers), 8, 3))
    for place, number in enumerate(numbers):
        body = mechanism.bodies[number]
        xx, yy, zz, xy, xz, yz = body.inertia
        moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        corners[place] = np.array(body.com) + (SIGNS * box_sides(body.mass, moments)) @ axes.T
    return InertiaBoxes(np.array(numbers, dtype=np.int64), corners)
