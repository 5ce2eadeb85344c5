"""Dwells: six-bars whose output stands nearly still while the crank turns on.

A link as long as the radius of a nearly circular arc of a coupler curve has its far end in the middle of that arc as
long as the point is on it; a rocker through that end stands still then (R. Norton, Design of Machinery, ch. 3: the
six-bar of Stephenson's third kind). Coupler curves are those of four-bars whose coupler, rocker and way from the
rocker's pin to the point are alike: they are symmetric, and so are their arcs (S. Kota, A. Erdman and D. Riley,
Development of knowledge base for designing linkage-type dwell mechanisms, 1987). What is left, the ground, the common
length and an angle, is chosen such that the arc leaves its circle least.
"""

from __future__ import annotations

import cmath
import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.building.parts.planar import PlanarLinkage
from simulator.building.synthesis.design import FOUR_BARS, TURN, FourBarDesign, pair
from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.building.draft import Draft
    from simulator.spatial.arrays import Array

    Path = NDArray[np.complex128]

POINTS = 360
"""Of a turn of the crank, at which the path is looked at; the design is judged at the `FINE` ones of the dwell."""
FINE = 181
GROUND, SPARE, ANGLE = (1.2, 4.0), (0.04, 1.5), (0.2, TURN - 0.2)
"""Ranges of the ground [cranks], of how far the common length is above the least, in parts of it, and of the angle
[rad]."""
RADIUS = (0.3, 2.5)
"""Of the arc, in extents of the path: what is shorter or longer makes no good link."""
PIVOTS, LENGTHS = 48, 24
"""Directions and lengths of the output in which its pivot is sought."""
LEAST = math.radians(30.0)
"""The least transmission angle, of rocker and output."""
STARTS = 3
"""Searches for each of both positions of the crank along the ground."""


@dataclass(frozen=True)
class DwellDesign:
    """A `four_bar` with a link from its coupler point to the far end `pin` of the output about `pivot`, at the start of
    the dwell. `turn`: by how much the crank turns meanwhile [rad]; `error`: by how much the output moves then, and
    `swing`: by how much in a whole turn [rad]."""

    four_bar: FourBarDesign
    pivot: complex
    pin: complex
    turn: float
    swing: float
    error: float

    kind = "six-bar with a dwell"
    parts = (*FOUR_BARS, "link", "output")
    defects: tuple[str, ...] = ()

    @property
    def lengths(self) -> tuple[float, ...]:
        """Of its `parts` [m]."""
        return (*self.four_bar.lengths, abs(self.pin - self.four_bar.point), abs(self.pin - self.pivot))

    @cached_property
    def least_transmission_angle(self) -> float:
        """The least over a whole turn, of rocker and output [rad]."""
        crank = min(self.four_bar.transmission_angle(turn) for turn in np.linspace(0.0, TURN, 73).tolist())
        return min(crank, _transmission(self._path(np.linspace(0.0, TURN, 73)), self.pivot, *self.lengths[4:]))

    def output_angle(self, turns: Array) -> Array:
        """Of the output from the start, with the crank turned from there [rad], shape (n,)."""
        angles = _angles(self._path(turns), self.pivot, *self.lengths[4:], side=self._side)
        first = cmath.phase(self.pin - self.pivot)
        return np.asarray(np.remainder(angles - first + math.pi, TURN) - math.pi)

    @cached_property
    def direction(self) -> float:
        """To which side the output swings: 1 where its angle rises, else -1."""
        angles = self.output_angle(np.linspace(0.0, TURN, 73))
        return 1.0 if angles.max() >= -angles.min() else -1.0

    @property
    def _side(self) -> float:
        return _side_of(self.four_bar.point, self.pivot, self.pin)

    def _path(self, turns: Array) -> Path:
        return np.array([self.four_bar.point_at(float(turn)) for turn in turns], dtype=complex)

    def draft(self, *, width: float = 0.0) -> Draft:
        """A document of it: that of the four-bar with links `link` and `output`, and hinges `link_joint`,
        `output_joint`, `dwell_joint`. The crank is at the start of the dwell."""
        four = self.four_bar
        thick = width or 0.03 * sum(four.lengths)
        title = (
            f"Dwell by synthesis: {math.degrees(self.turn):.4g} of 360 degrees, swing {math.degrees(self.swing):.4g}"
        )
        made = PlanarLinkage("dwell", title, width=thick)
        four.put_into(made, self.pivot)
        p, c0, c = map(pair, (four.point, self.pivot, self.pin))
        made.dyad("coupler", p, c, c0, closing="dwell_joint")
        return made.draft

    def exact_error(self) -> float:
        """By how much the output of its document moves along the dwell by the exact `analyse` [rad]."""
        swept = self.draft().simulate().analyse({"crank_joint": (0.0, self.turn)}, points=FINE, loads=False)
        ends = [(swept.point("output", (at.real, 0.0, at.imag))[0]) for at in (self.pivot, self.pin)]
        ways = (ends[1] - ends[0])[:, (0, 2)]
        angles = np.arctan2(ways[:, 1], ways[:, 0])
        return float(np.ptp(np.unwrap(angles)))


def dwell(turn: float, swing: float, *, crank: float = 0.05, count: int = 3, seed: int = 0) -> list[DwellDesign]:
    """Six-bars whose output stands while the crank, `crank` [m] long, goes through `turn`, and swings by `swing` in the
    rest of its turn [rad], those that stand stillest first. Raises UsageError for a turn that is not between 20 and 200
    degrees, a swing not between 5 and 100, and where nothing is found."""
    for name, value, low, high in (("turn", turn, 20.0, 200.0), ("swing", swing, 5.0, 100.0)):
        if not math.radians(low) - 1e-9 <= value <= math.radians(high) + 1e-9:
            raise UsageError(f"the {name} of a dwell is {low:g} to {high:g} degrees, not {math.degrees(value):g}")
    if not (math.isfinite(crank) and crank > 0.0):
        raise UsageError(f"a crank has a length above 0 m, not {crank!r}")
    found: list[DwellDesign] = []
    for middle in (0.0, math.pi):
        for start in range(STARTS):
            shape = _best_shape(turn, middle, seed + start)
            design = None if shape is None else _with_output(shape, turn, swing, middle, crank)
            if design is not None and not any(_alike(design, other) for other in found):
                found.append(design)
    if not found:
        raise UsageError("no six-bar was found for this dwell: take a shorter one, or less swing")
    return sorted(found, key=lambda design: design.error)[:count]


def _alike(one: DwellDesign, other: DwellDesign) -> bool:
    return bool(np.allclose(one.lengths, other.lengths, rtol=1e-3))


def _four_bar(shape: Array, angles: Array) -> tuple[Path, Path, Path]:
    """Crank pin, rocker pin and point for angles of the crank [1]; its pivot is at 0, the rocker's on the right."""
    ground, spare, angle = (float(value) for value in shape)
    long = (1.0 + ground) / 2.0 * (1.0 + spare)
    a = np.exp(1j * angles)
    line = ground - a
    across = np.sqrt(long**2 - np.abs(line) ** 2 / 4.0)
    b = (a + ground) / 2.0 + 1j * across * line / np.abs(line)
    return a, b, b + (a - b) * cmath.exp(1j * angle)


def _best_shape(turn: float, middle: float, seed: int) -> Array | None:
    """The four-bar whose point leaves a circle least while the crank turns around `middle`; None where every arc is too
    flat or too round."""
    from scipy.optimize import differential_evolution, minimize

    angles = middle + np.linspace(-0.5, 0.5, 61) * turn
    every = np.linspace(0.0, TURN, 120, endpoint=False)

    def cost(shape: Array) -> float:
        arc = _four_bar(shape, angles)[2]
        whole = _four_bar(shape, every)[2]
        extent = float(np.abs(whole - whole.mean()).max())
        centre, radius = circle_of(arc)
        off = float(np.ptp(np.abs(arc - centre))) / extent
        out = max(RADIUS[0] - radius / extent, radius / extent - RADIUS[1], 0.0)
        stays = float(np.ptp(np.abs(whole - centre))) / extent  # what moves the output in the rest of the turn
        weak = max(LEAST - _four_bar_transmission(shape), 0.0)
        return off / min(max(stays, 1e-6), 1.0) + out + weak

    bounds = (GROUND, SPARE, ANGLE)
    rough = differential_evolution(cost, bounds, seed=seed, maxiter=25, popsize=8, tol=1e-10, polish=False).x
    best = minimize(cost, rough, method="Nelder-Mead", bounds=bounds, options={"xatol": 1e-9, "fatol": 1e-12}).x
    return np.asarray(best) if cost(best) < 0.1 else None


def _four_bar_transmission(shape: Array) -> float:
    """The least angle between coupler and rocker, both of the common length, where crank and ground are in line
    [rad]."""
    ground, spare, _ = (float(value) for value in shape)
    double = (1.0 + ground) * (1.0 + spare)
    return min(2.0 * math.asin((ground - 1.0) / double), math.pi - 2.0 * math.asin((ground + 1.0) / double))


def circle_of(points: Path) -> tuple[complex, float]:
    """The circle nearest to points by least squares: centre and radius (I. Kasa, A circle fitting procedure and its
    error analysis, 1976)."""
    rows = np.column_stack([2.0 * points.real, 2.0 * points.imag, np.ones(len(points))])
    x, y, rest = np.linalg.lstsq(rows, np.square(np.abs(points)), rcond=None)[0].tolist()
    return complex(x, y), math.sqrt(max(rest + x * x + y * y, 0.0))


def _with_output(shape: Array, turn: float, swing: float, middle: float, crank: float) -> DwellDesign | None:
    """The output that swings as asked with the best transmission angle."""
    from scipy.optimize import brentq

    angles = middle + np.linspace(-0.5, 0.5, FINE) * turn
    arc = _four_bar(shape, angles)[2]
    whole = _four_bar(shape, np.linspace(0.0, TURN, POINTS) + angles[0])[2]
    centre, radius = circle_of(arc)
    best: tuple[float, complex, float] | None = None

    def excess(length: float, way: complex) -> float:
        return _swing(whole, centre + length * way, radius, length, centre) - swing

    for way in np.exp(1j * np.linspace(0.0, TURN, PIVOTS, endpoint=False)).tolist():
        lengths = radius * np.geomspace(0.2, 4.0, LENGTHS)
        misses = [excess(length, way) for length in lengths.tolist()]
        for k in range(LENGTHS - 1):
            if not (math.isfinite(misses[k]) and math.isfinite(misses[k + 1]) and misses[k] * misses[k + 1] < 0.0):
                continue
            length = float(brentq(excess, lengths[k], lengths[k + 1], args=(way,), xtol=1e-12))
            angle = _transmission(whole, centre + length * way, radius, length)
            if angle >= LEAST and (best is None or angle > best[0]):
                best = (angle, way, length)
    return None if best is None else _placed(shape, angles[0], turn, crank, centre + best[2] * best[1], radius, best[2])


def _placed(
    shape: Array, first: float, turn: float, crank: float, pivot: complex, radius: float, length: float
) -> DwellDesign:
    """As large as the crank is to be, at the start of the dwell."""
    a, b, p = (complex(at[0]) for at in _four_bar(shape, np.array([first])))
    arc = _four_bar(shape, first + np.linspace(0.0, turn, FINE))[2]
    centre, _ = circle_of(arc)
    side = _side_of(p, pivot, centre)
    angle = float(_angles(np.array([p]), pivot, radius, length, side=side)[0])
    pin = pivot + length * cmath.exp(1j * angle)
    other = complex(crank * float(shape[0]))
    four = FourBarDesign(0j, other, crank * a, crank * b, crank * p, crank_turns=(0.0, turn))
    made = DwellDesign(four, crank * pivot, crank * pin, turn, 0.0, 0.0)
    still = made.output_angle(np.linspace(0.0, turn, FINE))
    moving = np.unwrap(made.output_angle(np.linspace(0.0, TURN, POINTS)))
    return DwellDesign(four, crank * pivot, crank * pin, turn, float(np.ptp(moving)), float(np.ptp(still)))


def _side_of(point: complex, pivot: complex, pin: complex) -> float:
    """On which side of the line from the pivot to the coupler point the pin is: 1 left, -1 right."""
    return 1.0 if ((point - pivot).conjugate() * (pin - pivot)).imag >= 0.0 else -1.0


def _angles(path: Path, pivot: complex, radius: float, length: float, *, side: float) -> Array:
    """Angle of the output for places of the coupler point [rad]; NaN where the link cannot reach."""
    way = path - pivot
    d = np.abs(way)
    with np.errstate(invalid="ignore"):
        inner = np.arccos((length**2 + d**2 - radius**2) / (2.0 * length * d))
    return np.asarray(np.angle(way) + side * inner)


def _swing(whole: Path, pivot: complex, radius: float, length: float, centre: complex) -> float:
    """By how much the output swings in a turn [rad]; NaN where it cannot follow."""
    angles = _angles(whole, pivot, radius, length, side=_side_of(complex(whole[0]), pivot, centre))
    if not np.isfinite(angles).all():
        return math.nan
    turned = np.unwrap(angles)
    return float(np.ptp(turned)) if abs(float(turned[-1] - turned[0])) < 1.0 else math.nan


def _transmission(path: Path, pivot: complex, radius: float, length: float) -> float:
    """The least angle between link and output [rad]."""
    square = np.square(np.abs(path - pivot))
    cosine = (radius**2 + length**2 - square) / (2.0 * radius * length)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    return float(np.minimum(angle, math.pi - angle).min())
