"""Tables of contact points, put together."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from simulator.dynamics.compiled.bounded import ContactTable

if TYPE_CHECKING:
    from collections.abc import Iterable


def joined(tables: Iterable[ContactTable | None]) -> ContactTable | None:
    """The rows of all of them, in their order; None where there is none."""
    found = [table for table in tables if table is not None]
    if len(found) < 2:
        return found[0] if found else None
    return ContactTable(
        *(np.concatenate([getattr(table, field.name) for table in found]) for field in fields(ContactTable))
    )
