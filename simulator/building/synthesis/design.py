"""A four-bar that was found, what is wrong with it, and its document.

Points are complex numbers x + i z [m] in the plane of the linkage, seen from the front; angles [rad] grow
counter-clockwise.
"""

from __future__ import annotations

import cmath
import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.parts.linkage_kinds import grashof_class
from simulator.building.parts.planar import PlanarLinkage
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.draft import Draft

    Place = tuple[float, float]

TURN = 2.0 * math.pi
STEP = math.radians(2.0)
"""Of the crank, between positions that are looked at for a change of circuit and by the exact analysis."""


FOUR_BARS = ("ground", "crank", "coupler", "rocker")


@dataclass(frozen=True)
class PlanePosition:
    """Of a plane that moves: the point `at` (x + i z) [m] and the `angle` [rad]."""

    at: complex
    angle: float

    def carried(self, point: complex, start: PlanePosition) -> complex:
        """Where a point is in this position that is at `point` in the position `start`."""
        return self.at + (point - start.at) * cmath.exp(1j * (self.angle - start.angle))


@dataclass(frozen=True)
class FourBarDesign:
    """Pivots on the ground `crank_pivot`, `rocker_pivot`, on the coupler `crank_pin`, `rocker_pin`, and a point of the
    coupler, all at the start. `crank_turns`: by how much the crank has turned in each position that was asked for,
    the first one zero. `error`: how far it is from what was asked, in its units. `defects`: why it does not do it,
    empty for a linkage that does."""

    crank_pivot: complex
    rocker_pivot: complex
    crank_pin: complex
    rocker_pin: complex
    point: complex
    crank_turns: tuple[float, ...] = ()
    error: float = 0.0
    defects: tuple[str, ...] = ()

    parts = FOUR_BARS

    @property
    def lengths(self) -> tuple[float, float, float, float]:
        """Of its `parts` [m]."""
        return (
            abs(self.rocker_pivot - self.crank_pivot),
            abs(self.crank_pin - self.crank_pivot),
            abs(self.rocker_pin - self.crank_pin),
            abs(self.rocker_pin - self.rocker_pivot),
        )

    @property
    def kind(self) -> str:
        """Its Grashof class."""
        return grashof_class(*self.lengths)

    @property
    def least_transmission_angle(self) -> float:
        """Between coupler and rocker, the least over the positions [rad]; 90 degrees are best."""
        return min(self.transmission_angle(turn) for turn in (self.crank_turns or (0.0,)))

    def transmission_angle(self, turn: float) -> float:
        """Between coupler and rocker with the crank turned from the start [rad]; 0 where the linkage cannot be."""
        pin = self.pins(turn)
        if pin is None:
            return 0.0
        a, b = pin
        angle = abs(cmath.phase((a - b) / (self.rocker_pivot - b)))
        return min(angle, math.pi - angle)

    @property
    def branch(self) -> float:
        """On which side of the line from crank pin to rocker pivot the rocker pin is: 1 left, -1 right."""
        return _side(self.crank_pin, self.rocker_pivot, self.rocker_pin)

    def pins(self, turn: float) -> tuple[complex, complex] | None:
        """Crank pin and rocker pin with the crank turned from the start, on the branch of the start; None where they
        cannot be."""
        _, _, coupler, rocker = self.lengths
        a = self.crank_pivot + (self.crank_pin - self.crank_pivot) * cmath.exp(1j * turn)
        line = self.rocker_pivot - a
        d = abs(line)
        if d == 0.0 or d > coupler + rocker or d < abs(coupler - rocker):
            return None
        along = (coupler**2 - rocker**2 + d**2) / (2.0 * d)
        across = math.sqrt(max(coupler**2 - along**2, 0.0)) * self.branch
        return a, a + (along + 1j * across) * line / d

    def point_at(self, turn: float) -> complex | None:
        """The point of the coupler with the crank turned from the start; None where the linkage cannot be."""
        found = self.pins(turn)
        if found is None:
            return None
        a, b = found
        return a + (self.point - self.crank_pin) * (b - a) / (self.rocker_pin - self.crank_pin)

    def cannot_pass(self, first: float, second: float) -> bool:
        """Whether the crank cannot turn from one angle to the other: it changes the circuit, or cannot be there."""
        count = max(2, math.ceil(abs(second - first) / STEP) + 1)
        return any(self.pins(float(turn)) is None for turn in np.linspace(first, second, count))

    def draft(self, *, width: float = 0.0) -> Draft:
        """A document of it: bars, hinges `crank_joint`, `rocker_joint`, `coupler_joint`, `closing_joint`, and the frame
        `point` on the coupler."""
        ground, crank, coupler, rocker = self.lengths
        thick = width or 0.06 * (ground + crank + coupler + rocker) / 2.0
        made = PlanarLinkage("four_bar", f"Four-bar by synthesis: {self.kind}", width=thick)
        away = min(abs(self.point - self.crank_pin), abs(self.point - self.rocker_pin)) > 0.2 * thick
        self.put_into(made, point_on_bar=away)
        return made.draft

    def put_into(
        self,
        made: PlanarLinkage,
        *pivots: complex,
        point_on_bar: bool = True,
        on_crank: Sequence[Place] = (),
        on_rocker: Sequence[Place] = (),
    ) -> None:
        """Its bars, hinges and frame, and a base plate that carries further `pivots`, too. `point_on_bar`: whether the
        shape of the coupler reaches to the point; `on_crank`, `on_rocker`: further pins of these."""
        a0, b0, a, b, p = map(pair, (self.crank_pivot, self.rocker_pivot, self.crank_pin, self.rocker_pin, self.point))
        made.base_plate(a0, b0, *map(pair, pivots))
        made.bar("crank", a0, a, *on_crank)
        made.bar("coupler", *((a, b, p) if point_on_bar else (a, b)), layer=1)
        made.bar("rocker", b0, b, *on_rocker)
        made.pin("crank_joint", "world", "crank", a0)
        made.pin("rocker_joint", "world", "rocker", b0)
        made.pin("coupler_joint", "crank", "coupler", a)
        made.pin("closing_joint", "coupler", "rocker", b)
        made.draft.frame("point", (p[0], 0.0, p[1]), attached_to="coupler")

    def exact_error(self, positions: Sequence[PlanePosition]) -> float:
        """How far the plane of the coupler is from each position [m], the most of two of its points a metre apart, when
        the crank of its document is turned there by the exact `analyse`, which stays on the circuit of the start.

        Raises AssemblyError where the crank cannot turn there.
        """
        simulation = self.draft().simulate()
        places = (self.point, self.point + cmath.exp(1j * positions[0].angle))
        worst = 0.0
        for position, turn in zip(positions, self.crank_turns, strict=True):
            count = max(2, math.ceil(abs(turn) / STEP) + 1)
            moved = simulation.analyse({"crank_joint": (0.0, turn)}, points=count, loads=False) if turn else None
            for place in places:
                wanted = position.carried(place, positions[0])
                if moved is None:
                    got = place
                else:
                    x, _, z = moved.point("coupler", (place.real, 0.0, place.imag))[0][-1]
                    got = complex(x, z)
                worst = max(worst, abs(got - wanted))
        return worst


def judged(design: FourBarDesign, positions: Sequence[PlanePosition]) -> FourBarDesign:
    """The design with the turns of its crank in all positions, and what keeps it from taking them in their order:
    branch, order, circuit."""
    start = positions[0]
    turns = [0.0]
    sides = [design.branch]
    for position in positions[1:]:
        a, b = (position.carried(pin, start) for pin in (design.crank_pin, design.rocker_pin))
        turns.append(cmath.phase((a - design.crank_pivot) / (design.crank_pin - design.crank_pivot)))
        sides.append(_side(a, design.rocker_pivot, b))
    defects = []
    if len(set(sides)) > 1:
        defects.append("branch: the crank pin would have to pass the line of coupler and rocker")
    ways = [_in_order(turns, sense) for sense in (1.0, -1.0)]
    ordered = [way for way in ways if way is not None]
    if not ordered:
        defects.append("order: the crank meets the positions in another order")
        ordered = [turns]
    passing = [way for way in ordered if not _blocked(design, way)]
    if not passing:
        defects.append("circuit: the crank cannot turn from one position to the next")
    chosen = min(passing or ordered, key=lambda way: abs(way[-1]))
    return FourBarDesign(
        design.crank_pivot, design.rocker_pivot, design.crank_pin, design.rocker_pin, design.point,
        tuple(chosen), design.error, tuple(defects),
    )  # fmt: skip


def _blocked(design: FourBarDesign, turns: Sequence[float]) -> bool:
    return any(design.cannot_pass(a, b) for a, b in pairwise(turns))


def _in_order(turns: Sequence[float], sense: float) -> list[float] | None:
    """The turns one after the other in one sense within one revolution, or None."""
    found = [0.0]
    for turn in turns[1:]:
        step = sense * ((sense * (turn - found[-1])) % TURN)
        found.append(found[-1] + step)
    return found if abs(found[-1]) < TURN else None


def _side(a: complex, b: complex, c: complex) -> float:
    turn = ((b - a).conjugate() * (c - a)).imag
    return 1.0 if turn >= 0.0 else -1.0


def pair(point: complex) -> tuple[float, float]:
    """x and z."""
    return (point.real, point.imag)
