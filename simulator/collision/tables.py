"""Contact points and their tables: what both surfaces make of each other, and tables put together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.contact_table import ContactTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from simulator.model.material import Surface

    Array = NDArray[np.float64]

UNKNOWN = np.full(3, np.nan)
"""Centre of a rounding that nobody knows."""


@dataclass(frozen=True)
class ContactPoint:
    """A point of contact: `gap` [m] along the `normal` towards the first body, `point` half way into it, and the
    `centre` of the first body's rounding above it, nan where nobody knows it."""

    point: Array
    normal: Array
    gap: float
    centre: Array


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
