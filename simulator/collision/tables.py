"""Solids and where they touch: what both surfaces make of each other, and tables put together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.contact_table import ContactTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from simulator.model.link import Collision
    from simulator.model.material import Surface
    from simulator.model.shape import Shape

    Array = NDArray[np.float64]

UNKNOWN_FEATURES = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.nan, np.nan)
"""What touches, where nobody knows: see `ContactTable`."""


@dataclass(frozen=True)
class Solid:
    """A collision shape: the mechanism's body that it belongs to, its link, and X_BC as a matrix (4, 4)."""

    body: int
    link: str
    collision: Collision
    X_BC: Array

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


def friction_between(a: Surface, b: Surface) -> float:
    """The smaller coefficient of friction, as SDFormat's ode has it."""
    return max(min(a.friction, b.friction), 0.0)


def restitution_between(a: Surface, b: Surface) -> float:
    """The smaller coefficient of restitution."""
    return min(a.restitution, b.restitution)


def joined(tables: Iterable[ContactTable | None]) -> ContactTable | None:
    """The rows of all of them, in their order; None where there is none."""
    found = [table for table in tables if table is not None]
    if len(found) < 2:
        return found[0] if found else None
    return ContactTable(
        *(np.concatenate([getattr(table, field.name) for table in found]) for field in fields(ContactTable))
    )


def table_of(rows: Iterable[tuple[Solid, Solid, ContactPoint]]) -> ContactTable | None:
    """Two solids and where they touch, in rows; None where there is none."""
    rows = list(rows)
    if not rows:
        return None
    surfaces = [(a.collision.surface, b.collision.surface) for a, b, _ in rows]
    return ContactTable(
        bodies=np.array([(a.body, b.body) for a, b, _ in rows], dtype=np.int64),
        points=np.array([at.point for *_, at in rows]),
        normals=np.array([at.normal for *_, at in rows]),
        gaps=np.array([at.gap for *_, at in rows]),
        friction=np.array([friction_between(a, b) for a, b in surfaces]),
        restitution=np.array([restitution_between(a, b) for a, b in surfaces]),
        centres=np.full((len(rows), 3), np.nan),
        names=np.full(len(rows), -1, dtype=np.int64),
        features=np.array([UNKNOWN_FEATURES] * len(rows)),
    )
