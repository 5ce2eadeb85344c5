"""A path of a mechanism along moved axes, and how it continues through positions where several motions meet.

There the equations J ẏ = b of the motion are singular, though the path y(s) of each motion is smooth, s being the
position of the first moved axis. Kernels stop before such a position. It is leapt over: y(s) is known at five equally
spaced places before it; one step of second order leads from the nearest of them over it, Newton's method closes the
loops there, and five more places follow. The path is that which a polynomial through all ten continues: another motion
that leaves the position has another tangent, and the polynomials through ten places and through eight differ.

The least singular value of all equations, with another sign behind than before, is smooth along the path, too, and its
root is the change point. (det J would be zero where only the rows that were chosen for J depend on each other, and has
a root of many times where linkages of many loops fold.) What holds between the two inner places
is read off the polynomials: Newton's method loses digits there as the inverse of the distance. Efforts and wrenches may
have a pole in s, for near such a position a linkage is held by rows that hardly differ. Multiplied with the distance
they are smooth; what is left of that at the change point says whether there is a limit, and nan is written where there
is none.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.physics.layout.sweep_layout import Points
from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.physics.layout.sweep_layout import Sweep
    from simulator.physics.sweep.swept import SweptMechanism
    from simulator.spatial.arrays import Array


BEFORE, AFTER = np.arange(-5.0, 0.0), np.arange(1.0, 6.0)
"""Places around a change point, in units of their distance."""
PLACES = np.concatenate((BEFORE, AFTER))
DISTANCE, HALVINGS = 0.02, 12
"""The distance of the places [rad or m of the first axis] that is tried first, and how often it is halved."""
SMOOTH = 1e-9
"""Coordinates [rad or m] of polynomials through ten and through eight places differ by less on one path. Lengths that
are rounded to r of the mechanism's part its motions by √r near a change point, and the polynomials by r/DISTANCE."""
NONE = 1e-3
"""The least singular value is zero where it is less than this part of that at the inner places."""
RESIDUE = 1e-7
"""A pole whose residue is less than this part of the values beside it, times their distance, is none."""
AT = 1e-8
"""Distance [rad or m] from a change point within which what has a pole has no value."""
CLOSE = 1e-2
"""A first or last point with less than this part of the least pivot of J beside it may be close to a change point."""
LOADS = frozenset({"wrench", "effort", "held", "row"})


class Path(NamedTuple):
    """Positions of the moved axes: at `begin` (n_moves,), and with `rate` (n_moves,) per way of the first."""

    begin: Array
    rate: Array

    def at(self, s: float) -> Array:
        """Positions of the moved axes where the first is at `s`."""
        found: Array = self.begin + self.rate * (s - self.begin[0])
        return found


@dataclass(frozen=True, eq=False)
class ChangePoint:
    """Where motions meet: the position `driver` of the first axis; `places` (10,) of that axis around it, and `points`
    of the path there. `branches`: whether motions do meet, and not only the rows of loops that were chosen for J
    depend on each other."""

    driver: float
    places: Array
    points: Points
    branches: bool

    @property
    def width(self) -> float:
        """Half the way between the inner places [rad or m]."""
        return 0.5 * abs(float(self.places[5] - self.places[4]))

    def covers(self, s: Array) -> NDArray[np.bool_]:
        """Which of the positions `s` of the first axis are between the inner places."""
        inner = self.places[4:6]
        found: NDArray[np.bool_] = (s > inner.min()) & (s < inner.max())
        return found

    def inner(self, side: float) -> int:
        """Which of the places is the nearest one above (`side` 1) or below (-1) the change point."""
        return 5 if side * (self.places[5] - self.places[4]) > 0.0 else 4

    def at(self, s: float) -> Points:
        """The point of the path at `s`, as a table of one."""
        weights = _weights(self.places, s)
        values = {
            name: self._load(column, s, weights) if name in LOADS else np.tensordot(weights, column, 1)
            for name, column in zip(Points._fields, self.points, strict=True)
        }
        # Magnitudes, with corners where a component changes its sign.
        values["open"] = self.points.open[self.inner(np.sign(s - self.driver))]
        return Points(**{name: np.asarray(value)[None] for name, value in values.items()})

    def _load(self, column: Array, s: float, weights: Array) -> Array:
        """Of values that may have a pole at the change point."""
        distance = (self.places - self.driver).reshape(-1, *(1,) * (column.ndim - 1))
        residue = np.tensordot(_weights(self.places, self.driver), distance * column, 1)
        pole = np.abs(residue) > RESIDUE * self.width * np.abs(column).max(initial=0.0)
        beside = np.nan if abs(s - self.driver) < AT else 1.0 / (s - self.driver)
        value: Array = np.where(
            pole, np.tensordot(weights, distance * column, 1) * beside, np.tensordot(weights, column, 1)
        )
        return value


def _weights(places: Array, s: float) -> Array:
    """Lagrange's: the polynomial through values at `places` has the value weights @ values at `s`."""
    same = np.eye(len(places), dtype=bool)
    above = np.where(same, 1.0, s - places[None])
    below = np.where(same, 1.0, places[:, None] - places[None])
    weights: Array = np.prod(above / below, axis=1)
    return weights


class Followed(NamedTuple):
    """Points of a path, as many of them as were reached, what was passed, and where the first axis could go no further
    (nan where it did)."""

    points: Points
    reached: int
    changes: tuple[ChangePoint, ...]
    stopped: float = np.nan


def follow(machine: SweptMechanism, plan: Sweep, path: Path, positions: Array, *, loads: bool) -> Followed:
    """Go from where the mechanism is to all `positions` (n,) of the first axis, which rise or fall, and through change
    points."""
    way = _Way(machine, plan, path, positions, machine.table(len(positions)), loads)
    reached, stopped = way.go()
    if not np.isfinite(stopped):
        way.look_beyond_ends()
    return Followed(way.points, reached, tuple(way.changes), stopped)


@dataclass(frozen=True, eq=False)
class _Way:
    """What `follow` works on."""

    machine: SweptMechanism
    plan: Sweep
    path: Path
    positions: Array
    points: Points
    loads: bool
    changes: list[ChangePoint] = field(default_factory=list)

    def go(self) -> tuple[int, float]:
        """Fill the points; how many were reached, and where the path ends, nan if all were."""
        machine = self.machine
        plan = self.plan
        positions = self.positions
        row = 0
        first = 0
        targets = np.array([self.path.at(s) for s in positions.tolist()])
        leg = machine.here(plan)
        while True:
            rest = Points(*(column[row:] for column in self.points))
            row += machine.run(plan, rest, targets[row:], loads=self.loads)
            if row == len(positions):
                return row, np.nan
            stopped = _driver(machine, plan)
            change = self._leapt(self._far_from(stopped, first, row) or (leg, 0), stopped)
            if change is None or any(abs(change.driver - other.driver) < change.width for other in self.changes):
                return row, stopped
            row = max(row, self._note(change))
            if row == len(positions):
                return row, np.nan
            machine.go_back(change.points, change.inner(float(np.sign(positions[row] - change.driver))))
            leg = machine.here(plan)
            first = row

    def look_beyond_ends(self) -> None:
        """Change points that are so close before the first or behind the last point that they take its digits."""
        regular = np.abs(self.points.regular)
        positions = self.positions
        count = len(self.positions)
        for end, other in ((0, 1), (count - 1, count - 2)) if count > 1 else ():
            known = any(change.covers(positions[end : end + 1])[0] for change in self.changes)
            begin = self._far_from(float(positions[end]), 0, count)
            if known or begin is None or regular[end] > CLOSE * regular[other]:
                continue
            slope = (self.points.regular[other] - self.points.regular[end]) / (positions[other] - positions[end])
            change = self._leapt(begin, float(positions[end] - self.points.regular[end] / slope))
            if change is not None:
                self._note(change)

    def _far_from(self, s: float, first: int, last: int) -> tuple[Points, int] | None:
        """The nearest of some points that is far enough from a change point at `s` to distinguish the motion from
        others that meet it there."""
        distances = np.abs(self.positions[first:last] - s)
        distances[distances <= DISTANCE] = np.inf
        if not np.isfinite(distances).any():
            return None
        return self.points, first + int(np.argmin(distances))

    def _note(self, change: ChangePoint) -> int:
        """Write the points that a change point covers; returns the number of the first behind them."""
        self.changes.append(change)
        covered = np.flatnonzero(change.covers(self.positions)).tolist()
        for p in covered:
            for column, value in zip(self.points, change.at(float(self.positions[p])), strict=True):
                column[p] = value[0]
        return covered[-1] + 1 if covered else 0

    def _leapt(self, begin: tuple[Points, int], stopped: float) -> ChangePoint | None:
        """The change point near `stopped`, come from point `begin` of a table; None where the path does not continue
        smoothly."""
        self.machine.go_back(*begin)
        sense = float(np.sign(stopped - _driver(self.machine, self.plan))) or 1.0
        for halving in range(HALVINGS):
            places = stopped + sense * DISTANCE * 0.5**halving * PLACES
            self.machine.go_back(*begin)
            found = self._around(places)
            if found is not None and _is_smooth(places, found[0].y, stopped):
                return self._located(places, *found)
        return None

    def _around(self, places: Array) -> tuple[Points, Array] | None:
        """Points of the path at places around a change point, come from beside it, and the least singular values."""
        rows, least = [], []
        for number, s in enumerate(places.tolist()):
            go = self.machine.leap if number == len(BEFORE) else self.machine.travel
            if not go(self.plan, self.path.at(s)):
                return None
            rows.append(self.machine.here(self.plan, loads=self.loads))
            least.append(self.machine.least(self.plan))
        return Points(*(np.concatenate(columns) for columns in zip(*rows, strict=True))), np.array(least)

    def _located(self, places: Array, points: Points, least: Array) -> ChangePoint:
        """The change point between the inner places."""
        curve = np.polynomial.Polynomial.fit(PLACES, np.sign(PLACES) * least, len(PLACES) - 1)
        roots = curve.roots()
        real = roots[(np.abs(roots.imag) < 1e-6) & (np.abs(roots.real) < 1.0)].real
        root = float(real[np.argmin(np.abs(real))]) if len(real) else 0.0
        driver = float(places[5] - places[4]) * 0.5 * root + float(places[5] + places[4]) * 0.5
        found = ChangePoint(driver, places, points, branches=True)
        self.machine.go_back(found.at(driver), 0)
        self.machine.here(self.plan)
        return replace(found, branches=self.machine.least(self.plan) < NONE * float(least[4:6].min()))


def _is_smooth(places: Array, y: Array, s: float) -> bool:
    """Whether coordinates `y` (10, n) are of one path."""
    outer = _weights(places, s) @ y
    inner = _weights(places[1:-1], s) @ y[1:-1]
    return bool(np.abs(outer - inner).max() < SMOOTH * max(1.0, float(np.abs(outer).max())))


def _driver(machine: SweptMechanism, plan: Sweep) -> float:
    """Position of the first moved axis."""
    here = machine.here(plan).position[0, plan.codes == plan.move[0]]
    return float(here[0])
