"""Rigid-body guidance: four-bars whose coupler takes two, three or four positions.

A pivot of the coupler that lies on a circle in all positions (a circle point) makes a crank about the circle's centre
(a centre point). With two positions any point will do, and any centre on the perpendicular bisector; with three, any
point, and the centre is that of the circle through its three places; with four, the points of two cubics, Burmester's
curves (G. Sandor and A. Erdman, Advanced Mechanism Design, 1984, ch. 3, by W (e^{i beta_j} - 1) + Z (e^{i alpha_j} - 1)
= delta_j).
"""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.synthesis.design import FourBarDesign, PlanePosition, judged
from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Place = tuple[float, float, float]


@dataclass(frozen=True)
class Dyad:
    """A crank: its pivot on the ground, and its pin on the coupler at the start (x + i z) [m]."""

    centre: complex
    pin: complex


def positions_of(places: Sequence[Place]) -> list[PlanePosition]:
    """Positions from (x, z, angle). Raises UsageError for fewer than two, more than four, or two that are the same."""
    if not 2 <= len(places) <= 4:
        raise UsageError(f"motion is given by two, three or four positions (x, z, angle), not {len(places)}")
    found = []
    for place in places:
        if len(place) != 3 or not all(map(math.isfinite, place)):
            raise UsageError(f"a position is (x, z, angle) [m, m, rad], not {place!r}")
        found.append(PlanePosition(complex(place[0], place[1]), float(place[2])))
    if len(set(found)) < len(found):
        raise UsageError("two of the positions are the same")
    return found


def dyad(
    places: Sequence[Place],
    *,
    moving: tuple[float, float] | None = None,
    ground: tuple[float, float] | None = None,
    turn: float = math.radians(60.0),
) -> Dyad:
    """The crank for two or three positions with its pin at `moving`, in the first position, or its pivot at `ground`.

    With two positions and a pin, the crank turns by `turn` between them; with two positions and a pivot, it is the pin
    for which it does. Raises UsageError where the points are on one line: no circle goes through them, and a slide
    takes the place of the crank.
    """
    positions = positions_of(places)
    if len(positions) > 3:
        raise UsageError("four positions leave no choice of a pivot: `burmester` gives the curves of those there are")
    if (moving is None) == (ground is None):
        raise UsageError("name either the moving pivot or the one on the ground")
    if moving is not None:
        pin = complex(*moving)
        points = [position.carried(pin, positions[0]) for position in positions]
        return Dyad(_centre(points, turn), pin)
    assert ground is not None
    centre = complex(*ground)
    seen = [positions[0].carried(centre, position) for position in positions]
    return Dyad(centre, _centre(seen, -turn))


def four_bar_of(places: Sequence[Place], first: Dyad, second: Dyad) -> FourBarDesign:
    """The four-bar of two cranks, with its defects."""
    positions = positions_of(places)
    design = FourBarDesign(first.centre, second.centre, first.pin, second.pin, positions[0].at)
    return judged(design, positions)


def burmester(places: Sequence[Place], *, count: int = 180) -> list[Dyad]:
    """Samples of Burmester's curves for four positions: circle points and centre points, for `count` angles of the
    crank between the first two positions. Raises UsageError for other than four positions."""
    positions = positions_of(places)
    if len(positions) != 4:
        raise UsageError(f"Burmester's curves belong to four positions, not {len(positions)}")
    start = positions[0]
    delta = [position.at - start.at for position in positions[1:]]
    rotation = [cmath.exp(1j * (position.angle - start.angle)) - 1.0 for position in positions[1:]]
    d2 = rotation[1] * delta[2] - rotation[2] * delta[1]
    d3 = rotation[2] * delta[0] - rotation[0] * delta[2]
    d4 = rotation[0] * delta[1] - rotation[1] * delta[0]
    found = []
    for beta in np.linspace(0.0, 2.0 * math.pi, count, endpoint=False)[1:]:
        # d2 (e^{i beta_2} - 1) + d3 (e^{i beta_3} - 1) + d4 (e^{i beta_4} - 1) = 0: a triangle with sides d3, d4.
        second = cmath.exp(1j * float(beta))
        wanted = d3 + d4 - d2 * (second - 1.0)
        for third in _triangle(d3, d4, wanted):
            made = _dyad_of(start.at, delta, rotation, second, third)
            if made is not None:
                found.append(made)
    return found


def motion(
    places: Sequence[Place],
    *,
    count: int = 6,
    size: float = 0.0,
    keep_defects: bool = False,
) -> list[FourBarDesign]:
    """Four-bars that take two to four positions (x, z, angle) in their order, the best first: those whose transmission
    angle stays near 90 degrees and whose bars are short.

    Pins are tried on a grid around the positions (for two and three), or along Burmester's curves (for four), within
    `size` [m], twice the extent of the positions by default. Those with defects are left out. Raises UsageError where
    none is left.
    """
    positions = positions_of(places)
    middle = sum(position.at for position in positions) / len(positions)
    extent = size or 2.0 * max(1e-3, *(abs(position.at - middle) for position in positions))
    if len(positions) == 4:
        dyads = burmester(places, count=90)
    else:
        grid = np.linspace(-1.0, 1.0, 9) * extent
        dyads = []
        for x in grid:
            for z in grid:
                try:
                    pin = positions[0].at + complex(float(x), float(z))
                    dyads.append(dyad(places, moving=(pin.real, pin.imag)))
                except UsageError:
                    continue
    near = [item for item in dyads if max(abs(item.centre - middle), abs(item.pin - middle)) < 3.0 * extent]
    designs: list[FourBarDesign] = []
    for first, second in _promising(near, positions, extent):
        design = judged(FourBarDesign(first.centre, second.centre, first.pin, second.pin, positions[0].at), positions)
        if keep_defects or not design.defects:
            designs.append(design)
        if len(designs) == count:
            return designs
    if not designs:
        raise UsageError("no four-bar without defects was found for these positions: try others, or a larger `size`")
    return designs


def _promising(dyads: Sequence[Dyad], positions: Sequence[PlanePosition], extent: float) -> Iterator[tuple[Dyad, Dyad]]:
    """Pairs that are on one branch in all positions, those with the best transmission angle and short bars first."""
    start = positions[0]
    centres = np.array([item.centre for item in dyads])
    pins = np.array([[position.carried(item.pin, start) for item in dyads] for position in positions])
    coupler = pins[:, None, :] - pins[:, :, None]  # position, crank, rocker
    rocker = (pins - centres)[:, None, :]
    line = centres[None, None, :] - pins[:, :, None]
    sides = np.sign((line.conjugate() * coupler).imag)
    sines = np.abs((coupler.conjugate() * rocker).imag) / np.maximum(np.abs(coupler) * np.abs(rocker), 1e-300)
    ground = np.abs(centres[None, :] - centres[:, None])
    crank = np.abs(pins[0] - centres)
    longest = np.maximum(np.maximum(ground, np.abs(coupler[0])), np.maximum(crank[:, None], crank[None, :]))
    worth = sines.min(axis=0) - 0.1 * longest / extent
    apart = (np.abs(coupler[0]) > 0.15 * extent) & (ground > 0.15 * extent)
    good = apart & (sides == sides[:1]).all(axis=0) & (sides[0] != 0.0)
    for place in np.argsort(np.where(good, -worth, np.inf), axis=None)[: int(good.sum())].tolist():
        yield dyads[place // len(dyads)], dyads[place % len(dyads)]


def _centre(points: Sequence[complex], turn: float) -> complex:
    """Of the circle through three points; with two, the centre about which the first goes to the second by `turn`."""
    if len(points) == 2:
        rotation = cmath.exp(1j * turn)
        return (points[1] - points[0] * rotation) / (1.0 - rotation)
    a, b, c = points
    area = ((b - a).conjugate() * (c - a)).imag
    reach = max(abs(b - a), abs(c - a), abs(c - b))
    if abs(area) < 1e-9 * reach * reach:
        raise UsageError("the places of this pivot are on a line: a slide takes the place of the crank")
    u, v = b - a, c - a
    return a + (abs(u) ** 2 * v - abs(v) ** 2 * u) / (2j * (u.conjugate() * v).imag)


def _triangle(first: complex, second: complex, wanted: complex) -> list[complex]:
    """Rotations r with |r| = 1 and |s| = 1 for some s, so that first r + second s = wanted."""
    a, b, d = abs(first), abs(second), abs(wanted)
    if a == 0.0 or d == 0.0 or d > a + b or d < abs(a - b):
        return []
    cosine = (a * a + d * d - b * b) / (2.0 * a * d)
    angle = math.acos(max(-1.0, min(1.0, cosine)))
    return [wanted / d * cmath.exp(1j * sign * angle) * (a / first) for sign in (1.0, -1.0)]


def _dyad_of(
    start: complex, delta: Sequence[complex], rotation: Sequence[complex], second: complex, third: complex
) -> Dyad | None:
    """W and Z of the first two equations."""
    determinant = (second - 1.0) * rotation[1] - (third - 1.0) * rotation[0]
    if abs(determinant) < 1e-12:
        return None
    w = (delta[0] * rotation[1] - delta[1] * rotation[0]) / determinant
    z = ((second - 1.0) * delta[1] - (third - 1.0) * delta[0]) / determinant
    if abs(w) < 1e-12:
        return None
    return Dyad(start - z - w, start - z)
