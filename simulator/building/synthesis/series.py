"""Function generation by six-bars of Watt's second kind: two four-bars in series.

The rocker of the first four-bar is the crank of the second. With the ground of each as its unit, three lengths and the
angle from which its crank starts, both have eight numbers; the turn of the output in the first of n pairs is zero by
itself, so that nine pairs can be met, where a four-bar meets five. A first four-bar that is drawn at random gives the
angles between; the second one follows from them by Freudenstein's equation in the least squares, and scipy's least
squares over the exact positions make the best of these pairs meet what is asked for.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.parts.planar import PlanarLinkage
from simulator.building.synthesis.design import FOUR_BARS, TURN, FourBarDesign, pair
from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.draft import Draft
    from simulator.building.synthesis.function import Pair
    from simulator.spatial.arrays import Array

    Sides = tuple[float, float]

FEWEST, MOST = 4, 30
"""Pairs; beyond nine they are met in the least squares."""
DRAWN, TRIES = 200, 16
"""First four-bars, and angles at which a second one is sought for each."""
MANY, ROUGH, ENOUGH = 6, 15, 300
"""Pairs of four-bars that are made better for each that is made as good as it gets; steps of either."""
FINE = 61
"""Angles of the crank at which a design is judged between the pairs."""
LONGEST, SHORTEST = 5.0, 0.1
"""Of bars, in their ground."""
LEAST = math.sin(math.radians(15.0))
"""Sine of the least transmission angle."""
TINY, WIDE = 1e-9, 5.0
"""What a slope is divided by at a dead point; logarithms of lengths with which positions are still computed."""


@dataclass(frozen=True)
class SeriesDesign:
    """Two four-bars: the crank of `second` is on the rocker of `four_bar`, and its rocker is the output. `error`: the
    largest difference of the output's turn from what was asked [rad]."""

    four_bar: FourBarDesign
    second: FourBarDesign
    error: float = 0.0

    kind = "six-bar of Watt's second kind"
    parts = (*FOUR_BARS, "arm", "second ground", "link", "output")
    defects: tuple[str, ...] = ()

    @property
    def lengths(self) -> tuple[float, ...]:
        """Of its `parts` [m]; the arm is on the rocker."""
        ground, arm, link, output = self.second.lengths
        return (*self.four_bar.lengths, arm, ground, link, output)

    @property
    def crank_turns(self) -> tuple[float, ...]:
        """By how much the crank has turned in each pair [rad]."""
        return self.four_bar.crank_turns

    @cached_property
    def least_transmission_angle(self) -> float:
        """The least over the pairs and between them, of both four-bars [rad]."""
        turns = self.crank_turns
        angles = []
        for turn in np.linspace(min(turns), max(turns), FINE).tolist():
            middle = self.rocker_turn(turn)
            second = 0.0 if middle is None else self.second.transmission_angle(middle)
            angles += [self.four_bar.transmission_angle(turn), second]
        return min(angles)

    def rocker_turn(self, turn: float) -> float | None:
        """By how much the rocker between has turned with the crank [rad]; None where the linkage cannot be."""
        return _turned(self.four_bar, turn)

    def output_turn(self, turn: float) -> float | None:
        """By how much the output has turned with the crank [rad], within half a turn; None where the linkage cannot
        be."""
        middle = self.rocker_turn(turn)
        return None if middle is None else _turned(self.second, middle)

    def draft(self, *, width: float = 0.0) -> Draft:
        """A document of it: that of the first four-bar with `link` and `output`, hinges `link_joint` at the further arm
        of the rocker, `output_joint`, and `pin_joint` between link and output."""
        first, second = self.four_bar, self.second
        thick = width or 0.03 * sum(first.lengths)
        made = PlanarLinkage("function", "Function by synthesis: Watt's second six-bar", width=thick)
        arm, pin, pivot = map(pair, (second.crank_pin, second.rocker_pin, second.rocker_pivot))
        first.put_into(made, second.rocker_pivot, on_rocker=(arm,), point_on_bar=False)
        made.dyad("rocker", arm, pin, pivot, closing="pin_joint")
        return made.draft

    def exact_error(self, pairs: Sequence[Pair]) -> float:
        """The largest difference of the output's turn from what was asked, by the exact `analyse` of the document
        [rad]."""
        simulation = self.draft().simulate()
        worst = 0.0
        for (phi, psi), turn in zip(pairs[1:], self.crank_turns[1:], strict=True):
            count = max(2, math.ceil(abs(turn) / math.radians(2.0)) + 1)
            swept = simulation.analyse({"crank_joint": (0.0, turn)}, points=count, loads=False)
            got = float(swept["output_joint/position"][-1])
            worst = max(worst, abs(math.remainder(got - (psi - pairs[0][1]), TURN)), abs(turn - (phi - pairs[0][0])))
        return worst


def six_bar_function(
    pairs: Sequence[Pair], *, ground: float = 1.0, count: int = 4, seed: int = 0, effort: int = 16
) -> list[SeriesDesign]:
    """Six-bars that turn their output by psi where the crank has turned by phi, for four pairs (phi, psi) [rad] or
    more, in the order of the crank: those that are nearest to the pairs first, then those with the best transmission
    angle.

    Up to nine pairs can be met exactly. `ground` [m] is that of the first four-bar; `effort`: how many pairs of
    four-bars are made as good as they get; `seed` makes a search repeatable. Designs with a defect, or whose bars are
    very unlike, are left out. Raises UsageError for fewer pairs, pairs that are not in order, and where nothing is
    found.
    """
    if not FEWEST <= len(pairs) <= MOST:
        raise UsageError(f"a function of a six-bar is given by {FEWEST} to {MOST} pairs, not {len(pairs)}")
    phi, psi = (column - column[0] for column in np.array(pairs, dtype=float).T)
    steps = np.diff(phi)
    if not ((steps > 0.0).all() or (steps < 0.0).all()):
        raise UsageError("the pairs of a function are in the order of the crank: each turn is further than the last")
    asked = _Asked(phi, psi)
    found = [
        design for x, sides in asked.searched(seed, effort) if (design := _design(asked, x, sides, ground)) is not None
    ]
    kept: list[SeriesDesign] = []
    for design in sorted(found, key=lambda it: (round(it.error, 6), -it.least_transmission_angle)):
        if not any(np.allclose(design.lengths, other.lengths, rtol=1e-3) for other in kept):
            kept.append(design)
    if not kept:
        raise UsageError("no six-bar generates this function without a defect; take other ranges of the angles")
    return kept[:count]


class _Asked:
    """Turns of the crank and of the output, from zero. Designs are given by the logarithms of crank, coupler and rocker
    over the ground, and the angle of the crank at the start, of either four-bar, and on which side each is."""

    def __init__(self, phi: Array, psi: Array) -> None:
        self.phi, self.psi = phi, psi
        self.every = np.linspace(0.0, float(phi[-1]), FINE)

    def searched(self, seed: int, effort: int) -> list[tuple[Array, Sides]]:
        """The best designs: of many by some steps, then of few to the end."""
        rough = [(self._better(x, sides, ROUGH), sides) for x, sides in self._begun(seed)[: MANY * effort]]
        rough.sort(key=lambda item: float(np.square(self.residuals(*item)).sum()))
        return [(self._better(x, sides, ENOUGH), sides) for x, sides in rough[:effort]]

    def _better(self, x: Array, sides: Sides, steps: int) -> Array:
        from scipy.optimize import least_squares

        best: Array = least_squares(
            self.residuals, x, self.jacobian, args=(sides,), x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15,
            max_nfev=steps,
        ).x  # fmt: skip
        return best

    def _begun(self, seed: int) -> list[tuple[Array, Sides]]:
        """Pairs of four-bars to begin with, those that come nearest first."""
        random = np.random.default_rng(seed)
        begun: list[tuple[float, Array, Sides]] = []
        for _ in range(DRAWN):
            x = np.concatenate([random.uniform(math.log(0.25), math.log(3.0), 3), random.uniform(-math.pi, math.pi, 1)])
            side = float(random.choice([-1.0, 1.0]))
            if float(_rocker(x, side, self.every)[1].min()) < LEAST:
                continue
            middle, _ = _rocker(x, side, self.phi)
            for start, other in random.uniform(-math.pi, math.pi, (TRIES, 2)):
                made = _second(middle - middle[0] + start, self.psi + other)
                if made is not None:
                    whole = np.concatenate([x, made[0], [start]])
                    sides = (side, made[1])
                    begun.append((float(np.square(self.residuals(whole, sides)).sum()), whole, sides))
        begun.sort(key=lambda item: item[0])
        return [(x, sides) for _, x, sides in begun]

    def residuals(self, x: Array, sides: Sides) -> Array:
        """By how much the output misses [rad], and bars are too long or too short [1]."""
        middle, _ = _rocker(x[:4], sides[0], self.phi)
        output, _ = _rocker(x[4:], sides[1], middle - middle[0])
        return np.concatenate([(output - output[0] - self.psi)[1:], _excess(x)])

    def jacobian(self, x: Array, sides: Sides) -> Array:
        """Of the residuals, shape (n + 5, 8)."""
        middle, _ = _rocker(x[:4], sides[0], self.phi)
        turned = middle - middle[0]
        output, _ = _rocker(x[4:], sides[1], turned)
        first, second = _slopes(x[:4], self.phi, middle), _slopes(x[4:], turned, output)
        # The second crank turns as the first rocker does; its start is the last number.
        by_first = second[:, 3:] * (first - first[0])
        rows = np.hstack([by_first, second])
        beyond = np.diag(np.sign(_excess(x)))
        limits = np.hstack([beyond[:, :3], np.zeros((6, 1)), beyond[:, 3:], np.zeros((6, 1))])
        return np.vstack([(rows - rows[0])[1:], limits])


def _excess(x: Array) -> Array:
    """Of the logarithms of the six bars beyond their range."""
    logs = x[[0, 1, 2, 4, 5, 6]]
    return logs - np.clip(logs, math.log(SHORTEST), math.log(LONGEST))


def _rocker(x: Array, side: float, turns: Array) -> tuple[Array, Array]:
    """The angle of the rocker of a four-bar, without jumps, and the sine of its transmission angle, which is below zero
    where the linkage cannot be, for turns of its crank from the start."""
    crank, coupler, rocker = np.exp(np.clip(x[:3], -WIDE, WIDE))
    pin = crank * np.exp(1j * (x[3] + turns))
    line = 1.0 - pin
    d = np.maximum(np.abs(line), 1e-9)
    along = (coupler**2 - rocker**2 + d**2) / (2.0 * d)
    square = coupler**2 - along**2
    across = np.sign(square) * np.sqrt(np.abs(square))
    end = pin + (along + 1j * side * np.maximum(across, 0.0)) * line / d - 1.0
    return np.unwrap(np.angle(end)), across * d / (coupler * rocker)


def _slopes(x: Array, turns: Array, output: Array) -> Array:
    """Derivatives of the angle of the rocker by the four numbers of a four-bar, shape (n, 4): the coupler keeps its
    length."""
    crank, coupler, rocker = np.exp(np.clip(x[:3], -WIDE, WIDE))
    pin, end = crank * np.exp(1j * (x[3] + turns)), rocker * np.exp(1j * output)
    way = np.conj(1.0 + end - pin)
    by_output = (way * 1j * end).real
    by_output = np.where(np.abs(by_output) < TINY, TINY, by_output)
    rows = np.column_stack(
        [(way * pin).real, np.full(len(turns), coupler**2), -(way * end).real, (way * 1j * pin).real]
    )
    return np.asarray(rows / by_output[:, None])


def _second(middle: Array, output: Array) -> tuple[Array, float] | None:
    """Logarithms of the lengths of the second four-bar, and its side, by Freudenstein's equation; None where there is
    none: its bars are not turned round."""
    rows = np.column_stack([np.cos(output), -np.cos(middle), np.ones(len(middle))])
    k, *_ = np.linalg.lstsq(rows, np.cos(middle - output), rcond=None)
    if min(k[0], k[1]) < 1.0 / LONGEST or max(k[0], k[1]) > 1.0 / SHORTEST:
        return None
    crank, rocker = 1.0 / float(k[0]), 1.0 / float(k[1])
    square = crank**2 + rocker**2 + 1.0 - 2.0 * crank * rocker * float(k[2])
    if not SHORTEST**2 < square < LONGEST**2:
        return None
    pin = crank * cmath.exp(1j * float(middle[0]))
    end = 1.0 + rocker * cmath.exp(1j * float(output[0]))
    side = ((1.0 - pin).conjugate() * (end - pin)).imag
    return np.log([crank, math.sqrt(square), rocker]), math.copysign(1.0, side)


def _design(asked: _Asked, x: Array, sides: Sides, ground: float) -> SeriesDesign | None:
    """The linkage of a search; None where it has a defect."""
    turned, sine = _rocker(x[:4], sides[0], asked.every)
    _, other = _rocker(x[4:], sides[1], turned - turned[0])
    lengths = np.exp(x[[0, 1, 2, 4, 5, 6]])
    if min(float(sine.min()), float(other.min())) < LEAST or lengths.min() < SHORTEST or lengths.max() > LONGEST:
        return None
    middle, _ = _rocker(x[:4], sides[0], asked.phi)
    first = _four_bar(x[:4], sides[0], ground, 0j, tuple(asked.phi.tolist()))
    # Both are about as large, and the output is beside the rocker between.
    size = ground * float(np.exp(x[:3]).mean() / np.exp(x[4:7]).mean())
    second = _four_bar(x[4:], sides[1], size, complex(ground), tuple((middle - middle[0]).tolist()))
    made = SeriesDesign(first, second)
    got = [made.output_turn(turn) for turn in made.crank_turns]
    gaps = [
        math.inf if it is None else abs(math.remainder(it - to, TURN)) for it, to in zip(got, asked.psi, strict=True)
    ]
    return replace(made, error=max(gaps))


def _four_bar(x: Array, side: float, ground: float, pivot: complex, turns: tuple[float, ...]) -> FourBarDesign:
    crank, _, rocker = (ground * float(value) for value in np.exp(x[:3]))
    pin = crank * cmath.exp(1j * float(x[3]))
    angle, _ = _rocker(x, side, np.zeros(1))
    end = ground + rocker * cmath.exp(1j * float(angle[0]))
    return FourBarDesign(pivot, pivot + ground, pivot + pin, pivot + end, pivot + pin, turns)


def _turned(four: FourBarDesign, turn: float) -> float | None:
    """By how much the rocker of a four-bar has turned with its crank [rad], within half a turn."""
    pins = four.pins(turn)
    if pins is None:
        return None
    return cmath.phase((pins[1] - four.rocker_pivot) / (four.rocker_pin - four.rocker_pivot))
