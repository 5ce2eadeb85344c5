"""Shapes whose contacts are not found here: pairs that only Bullet finds, reported before anything moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import counted
from simulator.mechanism.types import WORLD_BODY
from simulator.model.shape import Plane

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.shape import Shape

PLANE = "plane"
MOVING_PLANE = "plane that moves"
KINDS = ("box", "capsule", "cone", "cylinder", "ellipsoid", "mesh", PLANE, "sphere", MOVING_PLANE)


@dataclass(frozen=True)
class Unfound:
    """Pairs of links that could touch: `first` (names and kinds of the shapes), and how many there are."""

    first: tuple[str, str, str, str]
    count: int

    def __str__(self) -> str:
        a, kind_a, b, kind_b = self.first
        more = f" (and {counted(self.count - 1, 'more pair')})" if self.count > 1 else ""
        return f"the {kind_a} of '{a}' and the {kind_b} of '{b}'{more}"


def unfound(mechanism: Mechanism) -> Unfound | None:
    """Pairs whose contacts are not found without Bullet; None where there is none."""
    kinds = _kinds_of_links(mechanism)
    apart = mechanism.non_colliding
    masks, which = np.unique([_mask(kinds[link.name]) for link in apart.links], return_inverse=True)
    missed = np.array([[_misses(a, b) for b in masks] for a in masks], dtype=bool).reshape(len(masks), len(masks))
    places = np.arange(len(apart.links))
    count, first = 0, None
    for i in places.tolist():
        behind = places[i + 1 :]
        found = np.flatnonzero(missed[which[i], which[behind]] & ~apart.among(i, behind))
        count += len(found)
        if len(found) and first is None:
            first = apart.links[i].name, apart.links[i + 1 + int(found[0])].name
    if first is None:
        return None
    a, b = first
    kind_a, kind_b = next((one, other) for one in kinds[a] for other in kinds[b] if not is_found(one, other))
    return Unfound((a, kind_a, b, kind_b), count)


def is_found(a: str, b: str) -> bool:
    """Whether contacts between two of `KINDS` are found: all but those of planes that move."""
    return PLANE in (a, b) or MOVING_PLANE not in (a, b)


def kind_of(shape: Shape, *, moves: bool) -> str:
    """Which of `KINDS` a shape is."""
    return MOVING_PLANE if moves and isinstance(shape, Plane) else type(shape).__name__.lower()


def _kinds_of_links(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for index, body in enumerate(mechanism.bodies):
        for name, _, collision in body.collisions():
            kinds[name] = (*kinds.get(name, ()), kind_of(collision.shape, moves=index != WORLD_BODY))
    return kinds


def _mask(kinds: tuple[str, ...]) -> int:
    return sum(1 << KINDS.index(kind) for kind in set(kinds))


def _misses(a: int, b: int) -> bool:
    """Whether some shapes of two masks are not found."""
    first, second = ([kind for k, kind in enumerate(KINDS) if mask >> k & 1] for mask in (int(a), int(b)))
    return any(not is_found(one, other) for one in first for other in second)
