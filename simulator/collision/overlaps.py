"""Bodies that overlap before anything has moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from simulator.dynamics.compiled import bounded_layout as row_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.dynamics.compiled.contact_table import ContactTable
    from simulator.mechanism.types import Mechanism

OF_STIFFNESS = row_at.STIFF - row_at.TWISTING
"""Column of what is given of a contact."""
NOTED = 1e-5
"""Overlaps that are deeper than this [m] are no rounding of a document's numbers."""


class Overlap(NamedTuple):
    """The two bodies that overlap most, how deep [m], how many pairs overlap in all, and whether the contact of those
    two gives way."""

    first: str
    second: str
    depth: float
    pairs: int
    gives_way: bool = False

    def __str__(self) -> str:
        more = f" (and {self.pairs - 1} more pairs)" if self.pairs > 1 else ""
        return f"'{self.first}' and '{self.second}' overlap by {1e3 * self.depth:.3g} mm{more}"


class Finder(Protocol):
    """What finds contacts."""

    def find(self, body_poses: NDArray[np.float64], reach: float) -> ContactTable | None:
        """Points where bodies at `body_poses`, shape (n_bodies, 7), are nearer than `reach` [m]."""


def deepest_overlap(mechanism: Mechanism, finder: Finder) -> Overlap | None:
    """Of bodies where the document puts them, as far as `finder` finds their contacts; None where nothing overlaps."""
    poses = np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies], dtype=float)
    table = finder.find(poses, -NOTED)
    if table is None:
        return None
    deepest = int(np.argmin(table.gaps))
    first, second = (mechanism.bodies[index].name for index in sorted(table.bodies[deepest].tolist(), reverse=True))
    pairs = len({tuple(sorted(pair)) for pair in table.bodies.tolist()})
    return Overlap(first, second, float(-table.gaps[deepest]), pairs, bool(table.given[deepest, OF_STIFFNESS] > 0.0))
