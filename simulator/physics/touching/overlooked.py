"""Contacts that a step has overlooked.

Rows of contacts are those of what is nearest at the start of a step: a face and the corners over it, or two edges. Two
bodies that tumble may part there, and meet with another corner within the same step; or a blow sends them where no
contact was foreseen. After each step it is known what overlaps, for the contacts of the next one are found there. Where
a point overlaps that had no row, and does not give way, its two bodies are followed on the way that they went, each
turning at an even rate about its centre of mass, to where they first touched (bisection). What touches there is carried
back to the start of the step with the bodies it belongs to, becomes a contact like all others, and the step is made
again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import (
    cross,
    dot,
    minus,
    placed,
    plus,
    rotated,
    rotated_back,
    times,
    turned_by,
)
from simulator.physics.detect.detect import place_shape, points_of_pair
from simulator.physics.layout import row_layout as row_at
from simulator.physics.narrow.plane import NAMES
from simulator.physics.narrow.workspace import MARGIN

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Vector
    from simulator.physics.detect.touch import Touch
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry

LATE = 1e-5
"""Bodies overlap where they do by this part of the size of the smaller one: rows foresee their gaps to the second order
in the step, which leaves less as long as it is resolved."""
ROUNDING = 1e-9
"""Overlaps that are less than this [m] are not looked at."""
HALVINGS = 16
"""Of a step, until it is known where two bodies first touched in it."""
HALF_A_TURN = 1e-6
"""Twice 1 + cos t below which an axis cannot be determined."""
SAME = 1e-7
"""Lines of a body whose directions differ by less [rad], and places by less [m], are one."""
PARALLEL = 1e-6
"""Sine below which two edges have no common normal."""


@compiled
def overlaps(G: Geometry, work: Workspace, count: int) -> bool:
    """Whether any of so many contacts overlaps by more than is left to rows."""
    least = 0.0
    smallest = math.inf
    for c in range(count):
        least = min(least, work.floats[c, row_at.GAP])
    for i in range(G.outer.shape[0] if least < -ROUNDING else 0):
        smallest = min(smallest, G.outer[i])
    return least < -max(LATE * smallest, ROUNDING)


@compiled
def add_overlooked(touch: Touch, now: Workspace, ahead: Workspace, count: int, then: int) -> int:
    """Append what was overlooked to the tables of `now`, the `count` contacts of a step, after which bodies have the
    `then` contacts of `ahead`; returns how many there are in all, or -1 where there is no room for them."""
    G = touch.geometry
    last = -1
    shapes = G.body.shape[0]
    for c in range(then):
        if not ahead.floats[c, row_at.GAP] < 0.0:
            continue
        pair = ahead.ints[c, row_at.NAME] // NAMES
        i = pair // shapes
        k = pair % shapes
        if pair == last or i >= shapes:  # what touches a plane has a row for each of its corners
            continue
        slack = LATE * min(G.outer[i], G.outer[k])
        if ahead.floats[c, row_at.GAP] < -slack and not _is_known(now, ahead, count, c):
            least = _least_gap(now, count, pair)
            if ahead.floats[c, row_at.GAP] < least - slack and not _gives_way(now, count, pair):
                last = pair
                count = _add_first(touch, now, ahead, (count, then), (i, k), slack, least < -slack)
                if count < 0:
                    return -1
    return count


@compiled
def _least_gap(work: Workspace, count: int, pair: int) -> float:
    """Of the contacts of a pair of shapes [m]; infinite where there is none."""
    least = math.inf
    for p in range(count):
        if work.ints[p, row_at.NAME] // NAMES == pair:
            least = min(least, work.floats[p, row_at.GAP])
    return least


@compiled
def _gives_way(work: Workspace, count: int, pair: int) -> bool:
    """Whether the contacts of a pair of shapes are compliant in this step (`rows.soft.make_unresolved_rigid`): then
    they are meant to overlap, and push a step later."""
    gives = False
    for p in range(count):
        gives = gives or (work.ints[p, row_at.NAME] // NAMES == pair and work.floats[p, row_at.STIFF] > 0.0)
    return gives


@compiled
def _is_known(now: Workspace, ahead: Workspace, count: int, p: int) -> bool:
    """Whether point p of the tables of `ahead` is one of the contacts of the step. Points in which edges cross have one
    name, whichever edges these are."""
    known = False
    name = ahead.ints[p, row_at.NAME]
    for c in range(count):
        known = known or (now.ints[c, row_at.NAME] == name and _has_lines(now, ahead, c, p))
    return known


@compiled
def _has_lines(now: Workspace, ahead: Workspace, c: int, p: int) -> bool:
    """Whether contact c is of the same lines of its bodies as point p; True where it is not of lines."""
    same = True
    for side in range(2):
        sign = 1.0 - 2.0 * side
        column = row_at.AXIS + 3 * side
        body = now.ints[c, row_at.BODY + side]
        u, x = _on_body(now, body, c, column, sign)
        v, y = _on_body(ahead, body, p, column, sign)
        if math.isnan(now.floats[c, row_at.CENTRE]) and dot(u, u) > 0.0 and dot(v, v) > 0.0:
            apart = cross(u, minus(y, x))
            same = same and dot(cross(u, v), cross(u, v)) < SAME * SAME and dot(apart, apart) < SAME * SAME
    return same


@compiled
def _on_body(work: Workspace, body: int, c: int, column: int, sign: float) -> tuple[Vector, Vector]:
    """(direction of the line, point on it) of one side of contact c, in the axes of its body."""
    CF = work.floats
    X = work.bodies[body]
    x = plus(_vector(CF, c, row_at.POINT), 0.5 * sign * CF[c, row_at.GAP], _vector(CF, c, row_at.NORMAL_AT))
    away = (x[0] - X[9], x[1] - X[10], x[2] - X[11])
    return rotated_back(X, 0, _vector(CF, c, column)), rotated_back(X, 0, away)


@compiled
def _add_first(
    touch: Touch,
    now: Workspace,
    ahead: Workspace,
    counts: tuple[int, int],
    pair: tuple[int, int],
    slack: float,
    deep: bool,
) -> int:
    """Append what the shapes of a pair first touch with, carried back; where they are `deep` in each other already at
    the start, what they overlap with at the end. As `add_overlooked`."""
    (count, then) = counts
    G = touch.geometry
    first, second = G.body[pair[0]], G.body[pair[1]]
    for a in range(12):
        touch.ends[0, a], touch.ends[1, a] = ahead.bodies[first, a], ahead.bodies[second, a]
    ahead.search[MARGIN] = 0.0
    low = 0.0
    high = 1.0
    found = 0
    for h in range(1 if deep else HALVINGS):
        part = 0.5 * (low + high) if h > 0 else 1.0
        found = _touch_at(touch, now, ahead, pair, part, then)
        if found < 0:
            break
        deepest = _deepest_unknown(now, ahead, count, then, found)
        if deepest >= -0.5 * slack:
            low = part
            found = 0
            continue
        high = part
        if deepest >= -slack:
            break
    if found == 0:
        found = _touch_at(touch, now, ahead, pair, high, then)
    for p in range(then, then + found):
        if count >= 0 and not _is_known(now, ahead, count, p):
            if count >= now.ints.shape[0]:
                found, count = -1, -1
            else:
                _carry_back(now, ahead, count, p)
                count += 1
    _set_body(ahead.bodies, first, touch.ends[0])
    _set_body(ahead.bodies, second, touch.ends[1])
    return count if found >= 0 else -1


@compiled
def _deepest_unknown(now: Workspace, ahead: Workspace, count: int, then: int, found: int) -> float:
    """The least gap [m] of points that the step has no row for, among those that `_touch_at` has found."""
    deepest = 0.0
    for p in range(then, then + found):
        if ahead.floats[p, row_at.GAP] < deepest and not _is_known(now, ahead, count, p):
            deepest = ahead.floats[p, row_at.GAP]
    return deepest


@compiled
def _set_body(bodies: Floats, body: int, X: Floats) -> None:
    for a in range(12):
        bodies[body, a] = X[a]


@compiled
def _touch_at(touch: Touch, now: Workspace, ahead: Workspace, pair: tuple[int, int], part: float, then: int) -> int:
    """How many points the shapes of a pair touch in, at that part of the way from `now` to the ends; they come behind
    the first `then` of the tables of `ahead`. -1 where there is no room for them."""
    G = touch.geometry
    for side in range(2):
        b = G.body[pair[side]]
        _place_between(now.bodies[b], touch.ends[side], G.centre[b], part, ahead.bodies[b])
        place_shape(G, ahead, pair[side])
    count = points_of_pair(G, ahead, touch.velocities, pair[0], pair[1], then)
    return count - then if count >= 0 else -1


@compiled
def _place_between(X: Floats, Y: Floats, centre: Floats, part: float, Z: Floats) -> None:
    """Z = where a body is at that part of the way from X to Y, (12,): it turns about one axis, and its centre of mass
    goes straight."""
    c = (centre[0], centre[1], centre[2])
    start = placed(X, c)
    end = placed(Y, c)
    turn = times(part, _turn_between(X, Y))
    for a in range(3):
        column = turned_by(turn, (X[a], X[3 + a], X[6 + a]))
        Z[a], Z[3 + a], Z[6 + a] = column
    x = plus(start, part, minus(end, start))
    way = rotated(Z, 0, c)
    Z[9], Z[10], Z[11] = minus(x, way)


@compiled
def _turn_between(X: Floats, Y: Floats) -> Vector:
    """Of D = R_Y R_X^T, which turns by the angle t, the axis times 2 tan(t/2): the whole of it gives D by Cayley's
    rotation."""
    sines = (0.0, 0.0, 0.0)
    cosines = 0.0
    for a in range(3):
        # Over columns x and D x, the sum of x cross D x is the axis times 2 sin t, that of x . D x is 1 + 2 cos t.
        x, y = (X[a], X[3 + a], X[6 + a]), (Y[a], Y[3 + a], Y[6 + a])
        sines = plus(sines, 1.0, cross(x, y))
        cosines = cosines + dot(x, y)
    return times(2.0 / max(1.0 + cosines, HALF_A_TURN), sines)


# -- back to the start -------------------------------------------------------------------------------------------------


@compiled
def _carry_back(now: Workspace, ahead: Workspace, c: int, p: int) -> None:
    """Line c of the tables of `now` = line p of those of `ahead`, at the start of the step."""
    CI, CF = now.ints, now.floats
    for a in range(row_at.CONTACT_INTS):
        CI[c, a] = ahead.ints[p, a]
    for a in range(row_at.CONTACT_COLUMNS):
        CF[c, a] = ahead.floats[p, a]
    for a in range(row_at.ROWS_OF_CONTACT):
        CF[c, row_at.ACTED + a] = 0.0
    b = CI[c, row_at.BODY]
    d = CI[c, row_at.BODY + 1]
    X, Y = (ahead.bodies[b], now.bodies[b]), (ahead.bodies[d], now.bodies[d])
    n = _vector(CF, c, row_at.NORMAL_AT)
    x = _vector(CF, c, row_at.POINT)
    half = 0.5 * CF[c, row_at.GAP]
    mine = _carried(X, plus(x, half, n))
    other = _carried(Y, plus(x, -half, n))
    m = _turned(Y, n)
    if math.isnan(CF[c, row_at.CENTRE]):
        mine, other, m = _carry_lines(CF, c, (X, Y), (mine, other), m)
    else:
        mine = _carry_centre(CF, c, (X, Y), mine, plus(x, half, n))
    gap = dot(m, minus(mine, other))
    _set_vector(CF, c, row_at.POINT, plus(mine, -0.5 * gap, m))
    _set_vector(CF, c, row_at.NORMAL_AT, m)
    CF[c, row_at.GAP] = gap
    if CF[c, row_at.RATIO] != 1.0:
        carrier = CI[c, row_at.OF_DIRECTION + 1]
        way = (ahead.bodies[carrier], now.bodies[carrier])
        _set_vector(CF, c, row_at.DIRECTION, _turned(way, _vector(CF, c, row_at.DIRECTION)))


@compiled
def _carry_centre(
    CF: Floats2, c: int, ways: tuple[tuple[Floats, Floats], tuple[Floats, Floats]], mine: Vector, x: Vector
) -> Vector:
    """CENTRE at the start, of what touches over a face; returns where its side is. What a ball touches with turns with
    the face. Of a rim or an ellipsoid it is the point of the body that comes to touch."""
    (X, Y) = ways
    rounding = _vector(CF, c, row_at.AXIS)
    if dot(rounding, rounding) == 0.0:
        centre = _vector(CF, c, row_at.CENTRE)
        begin = _carried(X, centre)
        _set_vector(CF, c, row_at.CENTRE, begin)
        return plus(begin, 1.0, _turned(Y, minus(x, centre)))
    _set_vector(CF, c, row_at.CENTRE, mine)
    for a in range(8):
        CF[c, row_at.AXIS + a] = 0.0
    return mine


@compiled
def _carry_lines(
    CF: Floats2,
    c: int,
    ways: tuple[tuple[Floats, Floats], tuple[Floats, Floats]],
    sides: tuple[Vector, Vector],
    m: Vector,
) -> tuple[Vector, Vector, Vector]:
    """(where both sides are, normal) at the start, of lines that cross: where they are nearest, and across both. Of all
    others the motion is unknown."""
    (X, Y), (a, b) = ways, sides
    u, v = _turned(X, _vector(CF, c, row_at.AXIS)), _turned(Y, _vector(CF, c, row_at.OTHER_AXIS))
    across = cross(u, v)
    square = dot(across, across)
    if square <= PARALLEL * PARALLEL or CF[c, row_at.ROUNDINGS] != 0.0 or CF[c, row_at.ROUNDINGS + 1] != 0.0:
        CF[c, row_at.ROUNDINGS] = CF[c, row_at.ROUNDINGS + 1] = math.nan
        return a, b, m
    _set_vector(CF, c, row_at.AXIS, u)
    _set_vector(CF, c, row_at.OTHER_AXIS, v)
    # a + s u and b + t v differ along u x v only: s = ((b - a) x v) . (u x v) / |u x v|^2, t likewise with u.
    way = minus(b, a)
    s, t = dot(cross(way, v), across) / square, dot(cross(way, u), across) / square
    return plus(a, s, u), plus(b, t, v), times(math.copysign(1.0, dot(across, m)) / math.sqrt(square), across)


@compiled
def _vector(CF: Floats2, c: int, column: int) -> Vector:
    return CF[c, column], CF[c, column + 1], CF[c, column + 2]


@compiled
def _set_vector(CF: Floats2, c: int, column: int, u: Vector) -> None:
    CF[c, column], CF[c, column + 1], CF[c, column + 2] = u


@compiled
def _turned(way: tuple[Floats, Floats], u: Vector) -> Vector:
    """A direction that a body carries from one placement to the other."""
    return rotated(way[1], 0, rotated_back(way[0], 0, u))


@compiled
def _carried(way: tuple[Floats, Floats], x: Vector) -> Vector:
    """A point that a body carries from one placement to the other."""
    X = way[0]
    return placed(way[1], rotated_back(X, 0, (x[0] - X[9], x[1] - X[10], x[2] - X[11])))
