"""Special positions of a sweep: where axes turn round, where the driver can go no further, where motions meet, where
limits are.

Each is a root along the sweep: of dq/ds for the turn of an axis, of q - limit; change points are those that the sweep
went through (`following`). The first two have exact derivatives and are found by Newton's method between two points;
the driver's own turn, a fold of q(s), is found as the turn of the driver over another axis u, where ds/du = 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.analysis.sweeps import Swept
    from simulator.physics.layout.sweep_layout import Points


DONE = 1e-14
"""Newton steps shorter than this part of the way between two points change nothing."""
STEPS = 60
NO_MOTION = 1e-12
"""An axis whose ratio never exceeds this stands still."""
SAME = 1e-9
"""Distance [rad or m] within which a dead point may lie before the last point of the sweep that met it."""


@dataclass(frozen=True)
class Turn:
    """An axis turns round: its position `position` is the greatest or least around, with the first moved axis at
    `driver`."""

    axis: int
    driver: float
    position: float
    is_maximum: bool


@dataclass(frozen=True)
class Crossing:
    """An axis passes one of its limits."""

    axis: int
    driver: float
    limit: float
    outwards: bool


def turns_of(swept: Swept, axis: int) -> tuple[Turn, ...]:
    """Where an axis turns round inside of the sweep."""
    rate = swept.ratio[:, axis]
    if np.abs(rate).max(initial=0.0) < NO_MOTION:
        return ()
    found = []
    for p in np.flatnonzero(np.signbit(rate[1:]) != np.signbit(rate[:-1])).tolist():
        if rate[p] == 0.0 and p > 0:
            continue
        s, point = _root(swept, p, lambda at: (float(at.rate[0, axis]), float(at.bend[0, axis])))
        found.append(Turn(axis, s, float(point.position[0, axis]), bool(rate[p] > rate[p + 1])))
    return tuple(found)


def crossings_of(swept: Swept, axis: int) -> tuple[Crossing, ...]:
    """Where an axis passes its limits inside of the sweep."""
    found = []
    info = swept.mechanism.axes[axis].axis
    for limit, sign in ((info.lower, -1.0), (info.upper, 1.0)):
        beyond = sign * (swept.position[:, axis] - limit)
        for p in np.flatnonzero((beyond[1:] > 0.0) != (beyond[:-1] > 0.0)).tolist() if np.isfinite(limit) else ():
            s, _ = _root(swept, p, _limit_excess(axis, limit))
            found.append(Crossing(axis, s, limit, bool(beyond[p + 1] > 0.0)))
    return tuple(sorted(found, key=lambda item: item.driver * swept.route.sense))


def _limit_excess(axis: int, limit: float) -> Callable[[Points], tuple[float, float]]:
    return lambda at: (float(at.position[0, axis] - limit), float(at.rate[0, axis]))


def _root(swept: Swept, p: int, of: Callable[[Points], tuple[float, float]]) -> tuple[float, Points]:
    """Root between points p and p + 1 of a function with its derivative over the first axis: Newton's method, halving
    where it leaves the bracket. Returns the position of the first axis and the point."""
    first = swept.route.moves[0].axis
    low = float(swept.position[p, first])
    high = float(swept.position[p + 1, first])
    left = low
    right = high
    s = 0.5 * (low + high)
    begins, ends = of(swept.point(low))[0], of(swept.point(high))[0]
    # A root at one of the two has a value of round-off there, whose sign says nothing: the other end decides.
    negative = begins < 0.0 if abs(begins) > abs(ends) else not ends < 0.0
    point = swept.point(s)
    for _ in range(STEPS):
        value, slope = of(point)
        if (value < 0.0) == negative:
            left = s
        else:
            right = s
        step = -value / slope if slope != 0.0 else np.inf
        close = DONE * max(abs(high - low), abs(s))
        new = min(max(s + step, min(left, right)), max(left, right))
        if abs(new - s - step) > close:
            new = 0.5 * (left + right)
        if abs(new - s) <= close:
            break
        s = new
        point = swept.point(new)
    return s, point


def dead_point(swept: Swept) -> float | None:
    """Position of the driver where it turns round although the mechanism moves further, for a sweep that ended there;
    None for one that did not, or that ended where no turn is found between its last point and the next.

    Raises UsageError where several axes are moved: their common end is no turn of one of them.
    """
    if not swept.ended or len(swept) == 0:
        return None
    if len(swept.route.moves) > 1:
        raise UsageError("a dead point of several moved axes is not located")
    return turn_beyond(swept)


def turn_beyond(swept: Swept) -> float | None:
    """As `dead_point`, of a sweep of one axis that ended."""
    swept.go_on()
    machine = swept.sweeper.swept
    driver = swept.route.moves[0].axis
    here = machine.here(swept.plan)
    moving = np.where([axis.in_tree for axis in swept.mechanism.axes], np.abs(here.rate[0]), 0.0)
    moving[driver] = 0.0
    other = int(np.argmax(moving))
    plan = machine.prepare([other], [1.0], keep=_locked(swept))
    step = np.inf
    for _ in range(STEPS):
        point = machine.here(plan)
        bend = float(point.bend[0, driver])
        if bend == 0.0:
            return None
        step = -float(point.rate[0, driver]) / bend
        machine.travel(plan, np.array([point.position[0, other] + step]))
        if abs(step) < 1e-13:
            break
    found = float(machine.here(plan).position[0, driver])
    return found if abs(step) < SAME and _is_next(swept, found) else None


def _is_next(swept: Swept, position: float) -> bool:
    """Whether a position of the driver is between the last point of a sweep and the one that it did not reach. Newton's
    method far away from a turn goes anywhere."""
    move = swept.route.moves[0]
    route = swept.route
    way = route.sense * (position - float(swept.position[-1, move.axis]))
    return -SAME <= way <= abs(move.end - move.begin) / (route.count - 1) + SAME


def _locked(swept: Swept) -> list[int]:
    """The freedoms that a sweep holds, by independent coordinate."""
    freedoms = swept.sweeper.swept.model.parts.independent_freedom.tolist()
    return [freedoms.index(freedom) for freedom in swept.plan.lock.tolist()]


def change_points(swept: Swept) -> tuple[float, ...]:
    """Positions of the driver at which several motions meet and the sweep stayed on its own, ends included."""
    ends = swept.position[[0, -1], swept.route.moves[0].axis] if len(swept) else np.zeros(2)
    return tuple(
        change.driver
        for change in swept.changes
        if change.branches and ends.min() - SAME <= change.driver <= ends.max() + SAME
    )


def time_ratio(swept: Swept, axis: int) -> float | None:
    """Of an axis that swings once while the driver makes a whole turn at constant speed: time of the slower stroke over
    that of the quicker one. None where it does not."""
    first = swept.route.moves[0]
    if abs(abs(first.end - first.begin) - 2.0 * np.pi) > 1e-9 or swept.ended:
        return None
    turns = turns_of(swept, axis)
    if len(turns) != 2:
        return None
    stroke = abs(turns[1].driver - turns[0].driver)
    rest = 2.0 * np.pi - stroke
    return max(stroke, rest) / min(stroke, rest)
