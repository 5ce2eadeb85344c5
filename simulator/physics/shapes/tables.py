"""Solids and their contacts: combined properties of both surfaces, and joined tables."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.mechanism.types import WORLD_BODY
from simulator.physics.contacts.table import ContactTable
from simulator.physics.shapes.friction import (
    NO_DIRECTION,
    combined,
    given_between,
    in_columns,
    is_across,
    is_even,
    twisting,
)
from simulator.physics.shapes.rubbing import coefficients, further
from simulator.spatial.rotation import quat_rotate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.model.shape import Shape
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3


UNKNOWN_FEATURES = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.nan, np.nan)
"""Features that are unknown: see `ContactTable`."""


@dataclass(frozen=True)
class Solid:
    """A collision shape, the mechanism's body that it belongs to, and its link. `direction`: body and unit vector in it
    that its friction goes by, None where that is the same everywhere."""

    body: int
    link: str
    collision: Collision
    direction: tuple[int, Vec3] | None = None

    @property
    def shape(self) -> Shape:
        """Its form."""
        return self.collision.shape


@dataclass(frozen=True)
class ContactPoint:
    """A point of contact of which no more is known: `gap` [m] along the `normal` towards the first body, and `point`
    half way into it."""

    point: Array
    normal: Array
    gap: float


class Friction(NamedTuple):
    """Of a contact, as `ContactTable` has it: coefficient, ratio, direction and the body that carries it, and slip."""

    mu: float
    ratio: float = 1.0
    direction: Vec3 = (0.0, 0.0, 0.0)
    carrier: int = WORLD_BODY
    slip: tuple[float, float] = (0.0, 0.0)


def friction_between(a: Solid, b: Solid, normal: Array, poses: Array) -> Friction:
    """What two solids make of each other: the smaller coefficients, as SDFormat's ode has it; bodies are at `poses`
    (n_bodies, 7), X_WB."""
    solids = (a, b)
    mine, other = (coefficients(s.collision.surface, directed=s.direction is not None) for s in solids)
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


def restitution_between(a: Surface, b: Surface) -> float:
    """The smaller coefficient of restitution."""
    return min(a.restitution, b.restitution)


def given_of(a: Solid, b: Solid, gap: float) -> tuple[float, ...]:
    """What two solids make of each other besides, as `ContactTable` has it."""
    numbers = [np.array(further(solid.collision.surface)) for solid in (a, b)]
    given = given_between(*numbers)
    return (float(twisting(given, gap)), *given[3:])


def joined(tables: Iterable[ContactTable | None]) -> ContactTable | None:
    """The rows of all of them, in their order; None where there is none."""
    found = [table for table in tables if table is not None]
    if len(found) < 2:
        return found[0] if found else None
    return ContactTable(
        *(np.concatenate([getattr(table, field.name) for table in found]) for field in fields(ContactTable))
    )


def table_of(rows: Iterable[tuple[Solid, Solid, ContactPoint]], poses: Array) -> ContactTable | None:
    """Two solids and where they touch, in rows, for bodies at `poses` (n_bodies, 7), X_WB; None where there is none."""
    rows = list(rows)
    if not rows:
        return None
    surfaces = [(a.collision.surface, b.collision.surface) for a, b, _ in rows]
    friction = [friction_between(a, b, at.normal, poses) for a, b, at in rows]
    return ContactTable(
        bodies=np.array([(a.body, b.body) for a, b, _ in rows], dtype=np.int64),
        points=np.array([at.point for *_, at in rows]),
        normals=np.array([at.normal for *_, at in rows]),
        gaps=np.array([at.gap for *_, at in rows]),
        friction=np.array([found.mu for found in friction]),
        restitution=np.array([restitution_between(a, b) for a, b in surfaces]),
        centres=np.full((len(rows), 3), np.nan),
        names=np.full(len(rows), -1, dtype=np.int64),
        features=np.array([UNKNOWN_FEATURES] * len(rows)),
        ratios=np.array([found.ratio for found in friction]),
        directions=np.array([found.direction for found in friction]),
        carriers=np.array([found.carrier for found in friction], dtype=np.int64),
        slips=np.array([found.slip for found in friction]),
        given=np.array([given_of(a, b, at.gap) for a, b, at in rows]),
    )
