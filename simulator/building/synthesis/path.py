"""Path generation: four-bars whose coupler point goes through given points; cognates; known straight lines.

A coupler curve has the nine numbers of a four-bar with its point, so that up to nine points can be met; they are sought
by scipy's optimisers over the exact position of the coupler (evolution first, least squares then).
"""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.synthesis.design import TURN, FourBarDesign
from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.spatial.arrays import Array


FAR = 10.0
"""What counts as the distance of a point that cannot be reached, in extents of the path."""
MOST = 9


def path(
    points: Sequence[tuple[float, float]],
    *,
    turns: Sequence[float] = (),
    full_turn: bool = True,
    count: int = 3,
    seed: int = 0,
    effort: int = 60,
) -> list[FourBarDesign]:
    """Four-bars whose coupler point goes through points (x, z) [m] in their order, the best first.

    `turns`: by how much the crank has turned at each point, from the first one (prescribed timing), else they are
    sought. `full_turn`: only cranks that turn fully (Grashof). `effort`: generations of the evolution; `seed` makes a
    search repeatable. `error` is the largest distance of a point from the curve at its turn [m]. Raises UsageError for
    fewer than three or more than nine points.
    """
    if not 3 <= len(points) <= MOST:
        raise UsageError(f"a path has three to nine points, not {len(points)}: a four-bar has nine numbers")
    if len(turns) not in (0, len(points)):
        raise UsageError(f"there are {len(points)} points and {len(turns)} turns of the crank")
    from scipy.optimize import differential_evolution, least_squares

    wanted = np.array([complex(*point) for point in points])
    middle = complex(wanted.mean())
    extent = float(np.abs(wanted - middle).max())
    if not extent > 0.0:
        raise UsageError("the points of a path are apart")
    scaled = (wanted - middle) / extent
    fixed = None if not turns else np.array(turns) - turns[0]

    def residual(x: Array) -> Array:
        return _misses(x, scaled, fixed, full_turn=full_turn)

    def cost(x: Array) -> float:
        return float(np.square(residual(x)).sum())

    bounds = [(-4.0, 4.0)] * 4 + [(0.05, 3.0)] + [(0.1, 6.0)] * 2 + [(-4.0, 4.0)] * 2 + [(-math.pi, math.pi)]
    if fixed is None:
        bounds += [(0.02, TURN / 2.0)] * (len(points) - 1)
    designs = []
    for attempt in range(count):
        found = differential_evolution(
            cost, bounds, seed=seed + attempt, maxiter=effort, popsize=12, tol=1e-12, polish=False
        ).x
        better = least_squares(residual, found, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=2000).x
        design = _design_of(better, middle, extent, fixed, len(points))
        if design is None:
            continue
        designs.append(replace(design, error=_error(design, wanted), defects=_defects(design)))
    if not designs:
        raise UsageError("no four-bar was found for this path: try another seed, or more effort")
    return sorted(designs, key=lambda design: (len(design.defects), design.error))


def _error(design: FourBarDesign, wanted: NDArray[np.complex128]) -> float:
    """The largest distance of a point from the coupler point at its turn; infinite where the linkage cannot be."""
    places = [design.point_at(turn) for turn in design.crank_turns]
    return max(math.inf if at is None else abs(at - point) for at, point in zip(places, wanted.tolist(), strict=True))


def _defects(design: FourBarDesign) -> tuple[str, ...]:
    turns = design.crank_turns
    found = []
    if any(design.cannot_pass(a, b) for a, b in pairwise(turns)):
        found.append("circuit: the crank cannot turn from one point to the next")
    steps = np.diff(turns)
    if (len(steps) and not ((steps > 0.0).all() or (steps < 0.0).all())) or abs(turns[-1]) >= TURN:
        found.append("order: the crank meets the points in another order")
    return tuple(found)


def _parts(x: Array, fixed: Array | None, count: int) -> tuple[complex, complex, float, float, float, complex, Array]:
    """Ground pivots, crank, coupler, rocker, the point in the coupler, angles of the crank."""
    first = complex(x[0], x[1])
    second = complex(x[2], x[3])
    turns = np.concatenate([[0.0], np.cumsum(x[10 : 9 + count])]) if fixed is None else fixed
    return first, second, float(x[4]), float(x[5]), float(x[6]), complex(x[7], x[8]), x[9] + turns


def _misses(x: Array, wanted: NDArray[np.complex128], fixed: Array | None, *, full_turn: bool) -> Array:
    first, second, crank, coupler, rocker, point, angles = _parts(x, fixed, len(wanted))
    pins = first + crank * np.exp(1j * angles)
    line = second - pins
    d = np.abs(line)
    safe = np.maximum(d, 1e-9)
    along = (coupler**2 - rocker**2 + d**2) / (2.0 * safe)
    square = coupler**2 - along**2
    across = np.sqrt(np.maximum(square, 0.0))
    direction = (along + 1j * across) / coupler * line / safe
    gap = pins + point * direction - wanted
    penalty = np.where(square < 0.0, np.sqrt(np.maximum(-square, 0.0)) * FAR, 0.0)
    extra = [0.0]
    if full_turn:
        lengths = sorted((abs(second - first), crank, coupler, rocker))
        excess = lengths[0] + lengths[3] - lengths[1] - lengths[2]
        not_crank = min(crank, abs(second - first)) - lengths[0]
        extra = [max(excess, 0.0) * FAR + max(not_crank, 0.0) * FAR]
    over = max(float(angles[-1] - angles[0]) - TURN, 0.0) * FAR
    return np.concatenate([gap.real, gap.imag, penalty, extra, [over]])


def _design_of(x: Array, middle: complex, extent: float, fixed: Array | None, count: int) -> FourBarDesign | None:
    first, second, crank, coupler, rocker, point, angles = _parts(x, fixed, count)
    pin = first + crank * cmath.exp(1j * float(angles[0]))
    line = second - pin
    d = abs(line)
    if d == 0.0 or d > coupler + rocker or d < abs(coupler - rocker):
        return None
    along = (coupler**2 - rocker**2 + d**2) / (2.0 * d)
    across = math.sqrt(max(coupler**2 - along**2, 0.0))
    direction = (along + 1j * across) / coupler * line / d
    other = pin + coupler * direction
    places = [middle + extent * item for item in (first, second, pin, other, pin + point * direction)]
    turns = tuple(float(angle - angles[0]) for angle in angles)
    return FourBarDesign(places[0], places[1], places[2], places[3], places[4], turns)


def cognates(design: FourBarDesign) -> list[FourBarDesign]:
    """The two other four-bars whose coupler point runs along the same curve (theorem of Roberts and Chebyshev).

    Pivots are those of the ground and the image of the coupler point by the triangle of coupler and point. The crank of
    the first is on the same pivot as the crank of `design`, and turns as its coupler does; that of the second is on its
    rocker's pivot and turns with the coupler, too. Raises UsageError where the point is on a pin.
    """
    a0, b0, a, b, p = (
        design.crank_pivot, design.rocker_pivot, design.crank_pin, design.rocker_pin, design.point,
    )  # fmt: skip
    if min(abs(p - a), abs(p - b)) < 1e-12 * abs(b - a):
        raise UsageError("the coupler point is on a pin: its curve is a circle, which has no cognates")
    shape = (p - a) / (b - a)
    c0 = a0 + shape * (b0 - a0)
    # Two parallelograms share the coupler point: a0, a, p and b0, b, p; similar triangles make the other couplers.
    left = a0 + (p - a)
    right = b0 + (p - b)
    left_other = left + shape * (a - a0)
    right_other = right + (b - b0) * (p - b) / (a - b)
    return [
        FourBarDesign(a0, c0, left, left_other, p),
        FourBarDesign(b0, c0, right, right_other, p),
    ]
