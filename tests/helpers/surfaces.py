"""What two surfaces make of each other, by the functions that contacts of kernels are combined with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.types import WORLD_BODY
from simulator.physics.shapes.friction import (
    NO_DIRECTION,
    coefficients,
    combined,
    further,
    given_between,
    in_columns,
    is_across,
    is_even,
    twisting,
)
from simulator.spatial.rotation import quat_rotate

if TYPE_CHECKING:
    from simulator.model.material import Surface
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3


@dataclass(frozen=True)
class Solid:
    """A surface. `direction`: body and unit vector in it that its friction goes by, None where that is the same
    everywhere."""

    surface: Surface
    direction: tuple[int, Vec3] | None = None


class Friction(NamedTuple):
    """Of a contact: coefficient, ratio, direction and the body that carries it, and slip."""

    mu: float
    ratio: float = 1.0
    direction: Vec3 = (0.0, 0.0, 0.0)
    carrier: int = WORLD_BODY
    slip: tuple[float, float] = (0.0, 0.0)


def friction_between(a: Solid, b: Solid, normal: Array, poses: Array) -> Friction:
    """What two solids make of each other: the smaller coefficients, as SDFormat's ode has it; bodies are at `poses`
    (n_bodies, 7), X_WB."""
    solids = (a, b)
    mine, other = (coefficients(s.surface, directed=s.direction is not None) for s in solids)
    even = Friction(min(mine[0], other[0]), slip=(mine[2] + other[2],) * 2)
    if a.direction is None and b.direction is None:
        return even
    which = [NO_DIRECTION if solid.direction is None else place for place, solid in enumerate(solids)]
    rubbing = combined((*mine, which[0]), (*other, which[1]))
    carried = solids[rubbing[4]].direction
    if carried is None or is_even(rubbing):
        return even
    direction = quat_rotate(poses[carried[0], 3:].tolist(), carried[1])
    if not is_across(direction, (float(normal[0]), float(normal[1]), float(normal[2]))):
        return even
    return Friction(*in_columns(rubbing), direction, carried[0], rubbing[2:4])


def given_of(a: Solid, b: Solid, gap: float) -> tuple[float, ...]:
    """What two solids make of each other besides, as rows of contacts have it."""
    numbers = [np.array(further(solid.surface)) for solid in (a, b)]
    given = given_between(*numbers)
    return (float(twisting(given, gap)), *given[3:])
