"""Shapes whose contacts have no closed form here: pairs that only Bullet finds, reported before anything moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import counted
from simulator.mechanism.types import WORLD_BODY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism
    from simulator.model.shape import Shape

    Levels = NDArray[np.int64]

ALL, FACES, NOTHING = 0, 1, 2
"""How much of the contacts between two kinds of shapes is found: all, those over faces, nothing."""
KINDS = ("box", "capsule", "cone", "cylinder", "ellipsoid", "mesh", "plane", "plane that moves", "sphere")


@dataclass(frozen=True)
class Unfound:
    """Pairs of links that could touch: `first` (names and kinds of the shapes), and how many there are of this sort."""

    first: tuple[str, str, str, str]
    count: int

    def __str__(self) -> str:
        a, kind_a, b, kind_b = self.first
        more = f" (and {counted(self.count - 1, 'more pair')})" if self.count > 1 else ""
        return f"the {kind_a} of '{a}' and the {kind_b} of '{b}'{more}"


def unfound(mechanism: Mechanism) -> dict[int, Unfound]:
    """By FACES or NOTHING, pairs of which no more is found without Bullet; no entry where there is none."""
    kinds = _kinds_of_links(mechanism)
    apart = mechanism.apart
    masks, which = np.unique([_mask(kinds[link.name]) for link in apart.links], return_inverse=True)
    levels = np.array([[_worst(a, b) for b in masks] for a in masks], dtype=np.int64).reshape(len(masks), len(masks))
    places = np.arange(len(apart.links))
    counts, firsts = {FACES: 0, NOTHING: 0}, {}
    for i in places.tolist():
        behind = places[i + 1 :]
        here = np.where(apart.among(i, behind), ALL, levels[which[i], which[behind]])
        for level in counts:
            found = np.flatnonzero(here == level)
            counts[level] += len(found)
            if len(found) and level not in firsts:
                firsts[level] = i, i + 1 + int(found[0])
    names = [link.name for link in apart.links]
    return {
        level: Unfound(_reported(names[i], kinds[names[i]], names[k], kinds[names[k]]), counts[level])
        for level, (i, k) in firsts.items()
    }


def found_between(a: str, b: str) -> int:
    """How much is found between two of `KINDS`."""
    pair = {a, b}
    if "plane" in pair or pair <= {"sphere", "capsule"} or pair in ({"sphere", "box"}, {"box"}):
        return ALL
    return FACES if pair in ({"capsule", "box"}, {"cylinder", "box"}) else NOTHING


def kind_of(shape: Shape, *, moves: bool) -> str:
    """Which of `KINDS` a shape is."""
    kind = type(shape).__name__.lower()
    return "plane that moves" if moves and kind == "plane" else kind


def _kinds_of_links(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for index, body in enumerate(mechanism.bodies):
        for name, _, collision in body.collisions():
            kinds[name] = (*kinds.get(name, ()), kind_of(collision.shape, moves=index != WORLD_BODY))
    return kinds


def _mask(kinds: tuple[str, ...]) -> int:
    return sum(1 << KINDS.index(kind) for kind in set(kinds))


def _worst(a: int, b: int) -> int:
    """The least that is found between shapes of two masks."""
    first, second = ([kind for k, kind in enumerate(KINDS) if mask >> k & 1] for mask in (int(a), int(b)))
    return max((found_between(one, other) for one in first for other in second), default=ALL)


def _reported(a: str, kinds_a: tuple[str, ...], b: str, kinds_b: tuple[str, ...]) -> tuple[str, str, str, str]:
    """The two shapes of two links that least is found between."""
    one, other = max(
        ((one, other) for one in kinds_a for other in kinds_b), key=lambda pair: found_between(pair[0], pair[1])
    )
    return a, one, b, other
