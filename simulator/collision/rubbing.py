"""How the surfaces of a mechanism rub, as arrays: coefficients of friction along a direction and across it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.collision.friction_kernels import NO_DIRECTION
from simulator.mechanism.friction_directions import carried_direction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.spatial.pose import Pose

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Placed = tuple[int, str, Pose, Collision]


class Rubbing(NamedTuple):
    """Coefficients of friction of n surfaces along their directions and across them, (n,) each, and which directions
    these are, -1 where a surface has none and both are the same."""

    along: Array
    across: Array
    directed: Ints


class Directions(NamedTuple):
    """d unit vectors (d, 3) in the frames of bodies (d,)."""

    direction: Array
    body: Ints


def rubbing_of(mechanism: Mechanism, rows: Sequence[Placed]) -> tuple[Rubbing, Directions]:
    """Of the collisions in rows: body, link, X_BC and collision of each."""
    placed = mechanism.placed_links() if any(row[3].surface.direction for row in rows) else {}
    carried = [carried_direction(placed, body, X_BC, collision) for body, _, X_BC, collision in rows]
    places = {found: place for place, found in enumerate(dict.fromkeys(found for found in carried if found))}
    both = [coefficients(row[3].surface, directed=found is not None) for row, found in zip(rows, carried, strict=True)]
    rubbing = Rubbing(
        np.array([along for along, _ in both], dtype=float),
        np.array([across for _, across in both], dtype=float),
        np.array([places[found] if found else NO_DIRECTION for found in carried], dtype=np.int64),
    )
    bodies, vectors = [body for body, _ in places], [vector for _, vector in places]
    return rubbing, Directions(np.array(vectors, dtype=float).reshape(-1, 3), np.array(bodies, dtype=np.int64))


def coefficients(surface: Surface, *, directed: bool) -> tuple[float, float]:
    """Coefficients of friction along the direction of a surface and across it; without one both are the first."""
    along = max(surface.friction, 0.0)
    return along, max(surface.friction2, 0.0) if directed else along
