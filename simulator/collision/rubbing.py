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
    """Friction of n shapes and p planes, and d directions: fields of `Geometry`."""

    friction: Array
    friction2: Array
    directed: Ints
    plane_friction: Array
    plane_friction2: Array
    plane_directed: Ints
    direction: Array
    direction_body: Ints


def rubbing_of(mechanism: Mechanism, rows: Sequence[Placed], planes: Sequence[Placed]) -> Rubbing:
    """Of the shapes and planes in rows: body, link, X_BC and collision of each."""
    both, count = [*rows, *planes], len(rows)
    placed = mechanism.placed_links() if any(row[3].surface.direction for row in both) else {}
    carried = [carried_direction(placed, body, X_BC, collision) for body, _, X_BC, collision in both]
    places = {found: place for place, found in enumerate(dict.fromkeys(found for found in carried if found))}
    pairs = [coefficients(row[3].surface, directed=found is not None) for row, found in zip(both, carried, strict=True)]
    along, across = np.array(pairs, dtype=float).reshape(-1, 2).T.copy()
    directed = np.array([places[found] if found else NO_DIRECTION for found in carried], dtype=np.int64)
    return Rubbing(
        along[:count],
        across[:count],
        directed[:count],
        along[count:],
        across[count:],
        directed[count:],
        np.array([vector for _, vector in places], dtype=float).reshape(-1, 3),
        np.array([body for body, _ in places], dtype=np.int64),
    )


def coefficients(surface: Surface, *, directed: bool) -> tuple[float, float]:
    """Coefficients of friction along the direction of a surface and across it; without one both are the first."""
    along = max(surface.friction, 0.0)
    return along, max(surface.friction2, 0.0) if directed else along
