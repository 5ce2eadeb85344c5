"""Pairs of links that never collide, reported by rules: a world of thousands of links has millions of pairs, too many
to list."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from simulator.spatial.arrays import Ints

    Flags = NDArray[np.bool_]

FIXED = 0
NO_FAMILY = -1


@dataclass(frozen=True)
class SolidLink:
    """What decides which others a link with collisions meets.

    Links of one `body` (FIXED: the world) never meet, nor those of one `family` (unless it is NO_FAMILY), nor those
    whose `bits` share none, nor those whose ends a joint connects: `end` is a number that the links of a moving body
    share; links of the world have one each.
    """

    name: str
    body: int
    end: int
    family: int
    bits: int


@dataclass(frozen=True)
class NonCollidingLinks:
    """All links with collisions, sorted by name, and which of them never collide. `jointed` holds pairs of ends, the
    smaller one first.

    `in` answers for two names in any order. Iteration gives all pairs, sorted, each of them sorted.
    """

    links: tuple[SolidLink, ...] = ()
    jointed: frozenset[tuple[int, int]] = frozenset()

    def __contains__(self, pair: tuple[str, str]) -> bool:
        a, b = (self.links[self.index[name]] for name in pair)
        return (
            a.body == b.body
            or a.family == b.family != NO_FAMILY
            or not a.bits & b.bits
            or (min(a.end, b.end), max(a.end, b.end)) in self.jointed
        )

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return self._named(self._rows())

    def moving_pairs(self, *, besides: Collection[int] = ()) -> Iterator[tuple[str, str]]:
        """As iteration, without pairs of fixed links, and without those that belong to one of the families
        `besides`."""
        body, _, family, _ = self._columns
        return self._named(
            row & ((body[i] != FIXED) | (body[i + 1 :] != FIXED)) & ~(named & (family[i + 1 :] == family[i]))
            for i, (row, named) in enumerate(zip(self._rows(), np.isin(family, list(besides)), strict=True))
        )

    def meeting(self) -> Iterator[tuple[str, str]]:
        """Pairs of links that could collide, sorted, each of them sorted."""
        return self._named(~row for row in self._rows())

    def count_meeting(self) -> int:
        """How many pairs of links could collide."""
        return sum(int(np.count_nonzero(~row)) for row in self._rows())

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of a link in `links`, by its name."""
        return {link.name: i for i, link in enumerate(self.links)}

    def among(self, first: Ints | int, second: Ints) -> Flags:
        """As `in`, for many pairs of places in `links` at once: shape (n,), or one place against many; shape (n,)."""
        body, end, family, bits = self._columns
        apart: Flags = (body[first] == body[second]) | ((bits[first] & bits[second]) == 0)
        apart |= (family[first] == family[second]) & (family[second] != NO_FAMILY)
        if self.jointed:
            asked = self._pair_number(np.minimum(end[first], end[second]), np.maximum(end[first], end[second]))
            apart |= self._codes[np.searchsorted(self._codes, asked)] == asked
        return apart

    def _rows(self) -> Iterator[Flags]:
        """For each link in turn, which of those behind it never meet it."""
        places = np.arange(len(self.links))
        return (self.among(i, places[i + 1 :]) for i in range(len(self.links)))

    def _named(self, rows: Iterator[Flags]) -> Iterator[tuple[str, str]]:
        for i, row in enumerate(rows):
            for j in np.flatnonzero(row).tolist():
                yield self.links[i].name, self.links[i + 1 + j].name

    @cached_property
    def _columns(self) -> Ints:
        """Body, end, family and bits of every link, shape (4, n_links)."""
        rows = [(link.body, link.end, link.family, link.bits) for link in self.links]
        columns: Ints = np.array(rows, dtype=np.int64).reshape(-1, 4).T.copy()
        return columns

    @cached_property
    def _codes(self) -> Ints:
        """The codes of `jointed`, ascending, and one above all."""
        smaller, larger = np.array([*self.jointed, (0, np.iinfo(np.int32).max)], dtype=np.int64).T
        return np.sort(self._pair_number(smaller, larger))

    @staticmethod
    def _pair_number(smaller: Ints, larger: Ints) -> Ints:
        """A number for a pair of ends."""
        code: Ints = (larger << 32) | smaller
        return code
