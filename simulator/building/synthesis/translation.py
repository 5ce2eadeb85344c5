"""Translation along a path: six-bars of Watt's first kind whose output goes through points and never turns.

By Roberts and Chebyshev a coupler curve is drawn by three four-bars, in one of which the crank of another turns at its
own rate. Moved as a whole until both cranks are about one pivot, it draws the same curve elsewhere; a body between both
points then goes along the curve without turning, and a crank, a rocker and a pivot are too many (R. Norton, Design of
Machinery, ch. 3: parallel motion). What is left is a four-bar, its crank with a further pin, a link from that, and the
body.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.parts.planar import PlanarLinkage
from simulator.building.synthesis.design import FOUR_BARS, TURN, FourBarDesign, pair
from simulator.building.synthesis.path import path
from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.draft import Draft

SAMPLES = 91
"""Angles of the crank at which the link and the body are looked at."""
SHORT = 0.05
"""Bars are no shorter than this part of the longest: what is shorter makes no linkage."""


@dataclass(frozen=True)
class WattDesign:
    """A `four_bar` whose crank, or `rocker`, has a further pin `arm`; a link leads from that to `pin`, and a body from
    there to the point of the coupler, at the start. `defects`: those of the four-bar, and a dead point of link and
    body."""

    four_bar: FourBarDesign
    arm: complex
    pin: complex
    on_rocker: bool = False

    kind = "six-bar of Watt's first kind"
    parts = (*FOUR_BARS, "link", "body")

    @property
    def lengths(self) -> tuple[float, ...]:
        """Of its `parts` [m]."""
        return (*self.four_bar.lengths, abs(self.pin - self.arm), abs(self.pin - self.four_bar.point))

    @property
    def crank_turns(self) -> tuple[float, ...]:
        """By how much the crank has turned at each point [rad]."""
        return self.four_bar.crank_turns

    @property
    def error(self) -> float:
        """The largest distance of a point from the path of the body [m]."""
        return self.four_bar.error

    @cached_property
    def defects(self) -> tuple[str, ...]:
        """Why it does not do what was asked for; empty where it does."""
        return (*self.four_bar.defects, *(("branch: link and body come into line",) if self._passes_line else ()))

    @cached_property
    def least_transmission_angle(self) -> float:
        """The least over the motion, of the four-bar and of link and body [rad]."""
        sines = [self._sine(turn) for turn in self._turns()]
        return min(self.four_bar.least_transmission_angle, math.asin(min(map(abs, sines), default=0.0)))

    @property
    def _passes_line(self) -> bool:
        sines = [self._sine(turn) for turn in self._turns()]
        return min(sines) <= 0.0 <= max(sines)

    def _turns(self) -> list[float]:
        """Of the crank, over a full turn where it can, else from the first point to the last."""
        full = not self.four_bar.cannot_pass(0.0, TURN)
        low, high = (0.0, TURN) if full else (min(self.crank_turns), max(self.crank_turns))
        return list(np.linspace(low, high, SAMPLES).tolist())

    def _sine(self, turn: float) -> float:
        """Of the angle from the body to the link, with the crank turned from the start; 0 where it cannot be."""
        places = self.places(turn)
        if places is None:
            return 0.0
        arm, pin, point = places
        way, body = pin - arm, pin - point
        return (body.conjugate() * way).imag / abs(way) / abs(body)

    def places(self, turn: float) -> tuple[complex, complex, complex] | None:
        """The further pin, the pin of link and body, and the point of the coupler, with the crank turned from the
        start; None where they cannot be."""
        four = self.four_bar
        pins, point = four.pins(turn), four.point_at(turn)
        if pins is None or point is None:
            return None
        pivot, before, now = (
            (four.rocker_pivot, four.rocker_pin, pins[1])
            if self.on_rocker
            else (four.crank_pivot, four.crank_pin, pins[0])
        )
        arm = pivot + (self.arm - pivot) * (now - pivot) / (before - pivot)
        return arm, point + (self.pin - four.point), point

    def draft(self, *, width: float = 0.0) -> Draft:
        """A document of it: that of the four-bar with `link` and `body`, hinges `link_joint`, `body_joint` at the
        coupler and `pin_joint` between both, and the frame `point` on the body."""
        four = self.four_bar
        ground, crank, coupler, rocker = four.lengths
        thick = width or 0.03 * (ground + crank + coupler + rocker)
        made = PlanarLinkage("translation", "Translation along a path by synthesis: Watt's first six-bar", width=thick)
        arm, pin, point = map(pair, (self.arm, self.pin, four.point))
        four.put_into(made, on_crank=() if self.on_rocker else (arm,), on_rocker=(arm,) if self.on_rocker else ())
        made.bar("link", arm, pin, layer=2)
        made.bar("body", point, pin, layer=3)
        made.pin("link_joint", "rocker" if self.on_rocker else "crank", "link", arm)
        made.pin("body_joint", "coupler", "body", point)
        made.pin("pin_joint", "link", "body", pin)
        return made.draft

    def exact_turn(self, points: int = SAMPLES) -> float:
        """By how much the body of its document turns while the crank goes from the first point to the last, by the
        exact `analyse` [rad]."""
        last = max(self.crank_turns, key=abs)
        swept = self.draft().simulate().analyse({"crank_joint": (0.0, last)}, points=points, loads=False)
        ends = [swept.point("body", (at.real, 0.0, at.imag))[0][:, (0, 2)] for at in (self.four_bar.point, self.pin)]
        ways = ends[1] - ends[0]
        return float(np.ptp(np.unwrap(np.arctan2(ways[:, 1], ways[:, 0]))))


def translation(
    points: Sequence[tuple[float, float]],
    *,
    turns: Sequence[float] = (),
    full_turn: bool = True,
    count: int = 4,
    seed: int = 0,
    effort: int = 60,
) -> list[WattDesign]:
    """Six-bars whose output goes through points (x, z) [m] in their order and keeps its direction: those nearest to the
    points first, then those with the best transmission angle; what has defects is left out. The other arguments are
    those of `path`. Raises UsageError where nothing is found."""
    found = [
        design
        for four in path(points, turns=turns, full_turn=full_turn, count=3, seed=seed, effort=effort)
        for design in watt_of(four)
    ]
    fit = [design for design in found if min(design.lengths) >= SHORT * max(design.lengths)]
    good = [design for design in fit if not design.defects]
    if not good:
        raise UsageError("no six-bar without a defect was found for this path: try another seed, or more effort")
    size = max(abs(complex(*at) - complex(*points[0])) for at in points)
    good.sort(key=lambda it: (round(it.error / size, 4), -it.least_transmission_angle))
    return good[:count]


def watt_of(four: FourBarDesign) -> list[WattDesign]:
    """The six-bars whose body goes with the point of a four-bar: with a further pin on its crank, and on its rocker.
    Without any where the point is on a pin of the coupler, whose path is a circle."""
    a0, b0, a, b, p = four.crank_pivot, four.rocker_pivot, four.crank_pin, four.rocker_pin, four.point
    shape = (p - a) / (b - a)
    if min(abs(shape), abs(shape - 1.0)) < 1e-9:
        return []
    # The third pivot of Roberts' diagram is at a0 + shape (b0 - a0); the cognate there comes to a0, or to b0.
    by_crank = WattDesign(four, a0 + (1.0 - shape) * (a - a0), p - shape * (b0 - a0))
    by_rocker = WattDesign(four, b0 + shape * (b - b0), p + (1.0 - shape) * (b0 - a0), on_rocker=True)
    return [by_crank, by_rocker]
