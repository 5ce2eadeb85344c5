"""A path of a mechanism along moved axes, and how it goes on through positions where several motions meet.

There the equations J ẏ = b of the motion are singular, though the path y(s) of each motion is smooth, s being the
position of the first moved axis. Kernels stop before such a position. It is leapt over: y(s) is known at five equally
spaced places before it; one step of second order leads from the nearest of them over it, Newton's method closes the
loops there, and five more places follow. The path is that which a polynomial through all ten continues: another motion
that leaves the position has another tangent, and the polynomials through ten places and through eight differ.

det J is a smooth function along the path, too; its root is the change point. What holds between the two inner places
is read off the polynomials: Newton's method loses digits there as the inverse of the distance. Efforts and wrenches may
have a pole in s, for near such a position a linkage is held by rows that hardly differ. Multiplied with the distance
they are smooth; what is left of that at the change point says whether there is a limit, and nan is written where there
is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.dynamics.compiled.sweep_layout import Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.dynamics.compiled.sweep_layout import Sweep
    from simulator.dynamics.compiled.swept import SweptMechanism

    Array = NDArray[np.float64]

BEFORE, AFTER = np.arange(-5.0, 0.0), np.arange(1.0, 6.0)
"""Places around a change point, in units of their distance."""
PLACES = np.concatenate((BEFORE, AFTER))
DISTANCE, HALVINGS = 0.02, 12
"""The distance of the places [rad or m of the first axis] that is tried first, and how often it is halved."""
SMOOTH = 1e-9
"""Coordinates [rad or m] of polynomials through ten and through eight places differ by less on one path. Lengths that
are rounded to r of the mechanism's part its motions by √r near a change point, and the polynomials by r/DISTANCE."""
TOUCHES = 1e-6
"""det J is zero where it is this part of its value at the nearest place and turns round."""
RESIDUE = 1e-7
"""A pole whose residue is less than this part of the values beside it, times their distance, is none."""
AT = 1e-8
"""Distance [rad or m] from a change point within which what has a pole has no value."""
LOADS = frozenset({"wrench", "effort", "held", "row"})


class Path(NamedTuple):
    """Positions of the moved axes: at `begin` (n_moves,), and with `rate` (n_moves,) per way of the first."""

    begin: Array
    rate: Array

    def at(self, s: float) -> Array:
        """Positions of the moved axes where the first is at `s`."""
        return self.begin + self.rate * (s - self.begin[0])


@dataclass(frozen=True, eq=False)
class ChangePoint:
    """Where motions meet: the position `driver` of the first axis; `places` (10,) of that axis around it, and `points`
    of the path there. `branches`: whether loops lose rank there, not only the rows that were chosen to hold them."""

    driver: float
    places: Array
    points: Points
    branches: bool = True

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
    above, below = np.where(same, 1.0, s - places[None]), np.where(same, 1.0, places[:, None] - places[None])
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
    points, row, changes = machine.table(len(positions)), 0, list[ChangePoint]()
    targets = np.array([path.at(s) for s in positions.tolist()])
    leg, first = machine.here(plan), 0
    while True:
        rest = Points(*(column[row:] for column in points))
        row += machine.run(plan, rest, targets[row:], loads=loads)
        if row == len(positions):
            return Followed(points, row, tuple(changes))
        stopped = _driver(machine, plan)
        far = np.flatnonzero(np.abs(positions[first:row] - stopped) > DISTANCE)
        # Close to where motions meet the present one cannot be told from the others.
        begin = (points, first + int(far[-1])) if len(far) else (leg, 0)
        change = _leapt(machine, plan, path, begin, stopped, loads=loads)
        if change is None or any(abs(change.driver - other.driver) < change.width for other in changes):
            return Followed(points, row, tuple(changes), stopped)
        changes.append(change)
        for p in np.flatnonzero(change.covers(positions)).tolist():
            for column, value in zip(points, change.at(float(positions[p])), strict=True):
                column[p] = value[0]
            row = max(row, p + 1)
        if row == len(positions):
            return Followed(points, row, tuple(changes))
        machine.go_back(change.points, change.inner(float(np.sign(positions[row] - change.driver))))
        leg, first = machine.here(plan), row


def _driver(machine: SweptMechanism, plan: Sweep) -> float:
    """Position of the first moved axis."""
    here = machine.here(plan).position[0, plan.codes == plan.move[0]]
    return float(here[0])


def _leapt(
    machine: SweptMechanism, plan: Sweep, path: Path, begin: tuple[Points, int], stopped: float, *, loads: bool
) -> ChangePoint | None:
    """The change point at which kernels stopped, come from point `begin` of a table; None where the path does not go on
    smoothly."""
    machine.go_back(*begin)
    sense = float(np.sign(stopped - _driver(machine, plan))) or 1.0
    for halving in range(HALVINGS):
        distance = sense * DISTANCE * 0.5**halving
        machine.go_back(*begin)
        found = _around(machine, plan, path, stopped + distance * PLACES, loads=loads)
        if found is None:
            continue
        points, determinants = found
        outer = _weights(stopped + distance * PLACES, stopped) @ points.y
        inner = _weights(stopped + distance * PLACES[1:-1], stopped) @ points.y[1:-1]
        if np.abs(outer - inner).max() > SMOOTH * max(1.0, float(np.abs(outer).max())):
            continue
        root = _root(determinants)
        if root is None:
            return None
        change = ChangePoint(stopped + distance * root, stopped + distance * PLACES, points)
        return change
    return None


def _around(
    machine: SweptMechanism, plan: Sweep, path: Path, places: Array, *, loads: bool
) -> tuple[Points, Array] | None:
    """Points of the path at places around a change point, come from beside it, and det J over the greatest magnitude of
    it."""
    rows, signs, logarithms = [], [], []
    for number, s in enumerate(places.tolist()):
        go = machine.leap if number == len(BEFORE) else machine.travel
        if not go(plan, path.at(s)):
            return None
        rows.append(machine.here(plan, loads=loads))
        sign, logarithm = machine.determinant(plan)
        signs.append(sign)
        logarithms.append(logarithm)
    sizes = np.exp(np.array(logarithms) - max(logarithms))
    return Points(*(np.concatenate(columns) for columns in zip(*rows, strict=True))), np.array(signs) * sizes


def _root(determinants: Array) -> float | None:
    """Where det J, known at `PLACES`, is zero between the inner ones: it goes through zero where one more motion is
    possible, and touches it where two are."""
    curve = np.polynomial.Polynomial.fit(PLACES, determinants, len(PLACES) - 1)
    through = determinants[4] * determinants[5] < 0.0
    roots = (curve if through else curve.deriv()).roots()
    real = roots[(np.abs(roots.imag) < 1e-6) & (np.abs(roots.real) < 1.0)].real
    if not len(real):
        return None
    root = float(real[np.argmin(np.abs(real))])
    is_zero = through or abs(float(curve(root))) < TOUCHES * min(abs(determinants[4]), abs(determinants[5]))
    return root if is_zero else None
