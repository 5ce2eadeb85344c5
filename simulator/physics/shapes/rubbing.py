"""Friction and compliance of a mechanism's surfaces, as arrays: coefficients of friction along a direction and across
it, and rare properties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.friction_directions import carried_direction
from simulator.physics.shapes.friction import NEVER, NO_DIRECTION, NUMBERS, PATCH, STIFFNESS, THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.spatial.arrays import Array, Ints
    from simulator.spatial.pose import Pose

    Flags = NDArray[np.bool_]
    Placed = tuple[int, str, Pose, Collision]


class Rubbing(NamedTuple):
    """Friction of n shapes and p planes, what else is given of them, and d directions: fields of `Geometry`."""

    friction: Array
    friction2: Array
    slip: Array
    slip2: Array
    directed: Ints
    given: Array
    plain: Flags
    plane_friction: Array
    plane_friction2: Array
    plane_slip: Array
    plane_slip2: Array
    plane_directed: Ints
    plane_given: Array
    plane_plain: Flags
    direction: Array
    direction_body: Ints


def rubbing_of(mechanism: Mechanism, rows: Sequence[Placed], planes: Sequence[Placed]) -> Rubbing:
    """Of the shapes and planes in rows: body, link, X_BC and collision of each."""
    both = [*rows, *planes]
    count = len(rows)
    placed = mechanism.placed_links() if any(row[3].surface.direction for row in both) else {}
    carried = [carried_direction(placed, body, X_BC, collision) for body, _, X_BC, collision in both]
    places = {found: place for place, found in enumerate(dict.fromkeys(found for found in carried if found))}
    numbers = [coefficients(row[3].surface, directed=bool(found)) for row, found in zip(both, carried, strict=True)]
    columns = np.array(numbers, dtype=float).reshape(-1, 4).T.copy()
    shapes = columns[:, :count].copy()
    grounds = columns[:, count:].copy()
    directed = np.array([places[found] if found else NO_DIRECTION for found in carried], dtype=np.int64)
    vectors, bodies = [vector for _, vector in places], [body for body, _ in places]
    given = np.array([further(row[3].surface) for row in both], dtype=float).reshape(-1, NUMBERS)
    plain = (directed == NO_DIRECTION) & (columns[2] == 0.0) & (given[:, PATCH] <= 0.0)
    plain &= (given[:, THRESHOLD] >= NEVER) & (np.isinf(given[:, STIFFNESS]))
    return Rubbing(
        shapes[0], shapes[1], shapes[2], shapes[3], directed[:count], given[:count].copy(), plain[:count].copy(),
        grounds[0], grounds[1], grounds[2], grounds[3], directed[count:], given[count:].copy(), plain[count:].copy(),
        np.array(vectors, dtype=float).reshape(-1, 3), np.array(bodies, dtype=np.int64),
    )  # fmt: skip


def coefficients(surface: Surface, *, directed: bool) -> tuple[float, float, float, float]:
    """Of a surface, none below 0: coefficients of friction along its direction and across it, and slip for each newton
    likewise [m/s/N]; without a direction those along it are for all."""
    along, slip = max(surface.friction, 0.0), max(surface.slip, 0.0)
    return (
        (along, max(surface.friction2, 0.0), slip, max(surface.slip2, 0.0)) if directed else (along, along, slip, slip)
    )


def further(surface: Surface) -> tuple[float, float, float, float, float, float, float]:
    """Of a surface what few have, as `shapes.friction` takes it. A radius of curvature of 0 is none; what is rigid has
    no stiffness but an infinite one."""
    torsion = surface.torsion
    return (
        max(torsion.coefficient, 0.0),
        max(torsion.patch_radius, 0.0) if torsion.use_patch_radius else -1.0,
        torsion.surface_radius if torsion.surface_radius > 0.0 else math.inf,
        max(torsion.slip, 0.0),
        max(surface.bounce_threshold, 0.0),
        surface.contact_stiffness if surface.gives_way else math.inf,
        max(surface.contact_damping, 0.0),
    )
