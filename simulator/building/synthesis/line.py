"""Straight lines: four-bars whose coupler point goes along one, nearly, while the crank turns by a part of a turn.

Hoeken's family: coupler, rocker and the way from the rocker's pin to the point are alike, and so is the curve on both
sides of the middle of the line. With crank 1 and ground g they are (3 g - 1) / 2 long: then the path touches the line
twice over in its middle (E. Dijksman, Motion Geometry of Mechanisms, 1976). What is left, g, is chosen such that the
point stays nearest to the line; R. Norton's table of it (Design of Machinery, ch. 3) is met to its digits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.synthesis.design import FourBarDesign
from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.complex128]

TURNS = tuple(math.radians(angle) for angle in (180.0, 140.0, 100.0, 60.0))
"""Of the crank along the line: the less it turns, the straighter, and the larger the linkage."""
GROUND = (1.6, 3.2)
"""Where the best ground is, for turns up to half of one [cranks]."""
POINTS, SHOWN = 721, 13
"""Of the path, and of those at which the transmission angle is judged."""


def straight_line(
    start: tuple[float, float], end: tuple[float, float], *, turns: Sequence[float] = TURNS
) -> list[FourBarDesign]:
    """Four-bars that lead a point from `start` to `end`, (x, z) [m], one for each turn of the crank [rad], at either
    side of the line, in the order of `turns`. `error`: the largest distance from the line [m].

    Raises UsageError for ends at one place, and turns that are not between 10 and 180 degrees.
    """
    begin, way = complex(*start), complex(*end) - complex(*start)
    if not (abs(way) > 0.0 and math.isfinite(abs(way))):
        raise UsageError("the ends of a line are apart")
    designs = []
    for turn in turns:
        if not math.radians(10.0) - 1e-9 <= turn <= math.pi + 1e-9:
            raise UsageError(f"the crank turns by 10 to 180 degrees along the line, not {math.degrees(turn):g}")
        designs += [_placed(best_ground(turn), turn, begin, way, mirrored=side) for side in (False, True)]
    return designs


def best_ground(turn: float) -> float:
    """The ground [cranks] with which the point stays nearest to the line over a turn of the crank [rad]."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(straightness, bounds=GROUND, args=(turn,), method="bounded", options={"xatol": 1e-9})
    return float(found.x)


def straightness(ground: float, turn: float) -> float:
    """How far the path spreads across the line, of its length."""
    *_, path = _linkage(ground, turn)
    return float(np.ptp(path.imag) / np.ptp(path.real))


def _linkage(ground: float, turn: float) -> tuple[Array, Array, Array]:
    """Crank pin, rocker pin and point while the crank [1] turns around the middle of the line; its pivot is at 0, the
    rocker's at `ground`."""
    long = (3.0 * ground - 1.0) / 2.0
    a = np.exp(1j * (math.pi + np.linspace(-0.5, 0.5, POINTS) * turn))
    line = ground - a
    across = np.sqrt(long**2 - np.abs(line) ** 2 / 4.0)
    b = (a + ground) / 2.0 + 1j * across * line / np.abs(line)
    return a, b, 2.0 * b - a


def _placed(ground: float, turn: float, begin: complex, way: complex, *, mirrored: bool) -> FourBarDesign:
    """With the ends of the path at those of the line."""
    a, b, path = _linkage(ground, turn)
    pivots = np.array([0.0, ground], dtype=complex)
    if mirrored:
        a, b, path = a.conj(), b.conj(), path.conj()
    factor = way / (path[-1] - path[0])
    origin = begin - factor * path[0]
    off = np.abs(((path - path[0]) / (path[-1] - path[0])).imag).max() * abs(way)
    crank_pivot, rocker_pivot, pin, other_pin, point = (
        complex(origin + factor * at) for at in (*pivots.tolist(), a[0], b[0], path[0])
    )
    turns = tuple(np.linspace(0.0, -turn if mirrored else turn, SHOWN).tolist())
    return FourBarDesign(crank_pivot, rocker_pivot, pin, other_pin, point, crank_turns=turns, error=float(off))
