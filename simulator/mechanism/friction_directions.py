"""Directions of friction, by the body that carries them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.types import WORLD_BODY
from simulator.spatial.pose import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.model.link import Collision
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Vec3


def carried_direction(
    placed: Mapping[str, tuple[int, Pose]], body: int, X_BC: Pose, collision: Collision
) -> tuple[int, Vec3] | None:
    """Body that carries the direction in which a collision of `body` rubs, and that direction as a unit vector in the
    body's frame; None where its friction is the same everywhere. `placed`: as `Mechanism.placed_links`."""
    direction = collision.surface.direction
    if direction is None or not collision.surface.has_grain:
        return None
    if not direction.link:
        return body, X_BC.rotate(direction.xyz_link)
    carrier, X_BL = placed.get(direction.link, (WORLD_BODY, IDENTITY))
    return carrier, X_BL.rotate(direction.xyz_link)
