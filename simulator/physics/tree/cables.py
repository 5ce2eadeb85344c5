"""Where cables lie: straight from part to part, and round what is round; see `model.cables`.

A cable is without mass, so that it takes the shortest way that stays on its sides of the cylinders. Between two points
A and B that is found in the plane across the axis: tangents of the lengths t_A and t_B, from d² = t² + r², touch the
circle at φ_A = α_A + s acos(r / d_A) and φ_B = α_B - s acos(r / d_B), s the sense in which it turns, and between them
is the wrap θ = s (φ_B - φ_A). Unrolled, the cylinder is a plane, so that the cable climbs along the axis in proportion
to its way t_A + r θ + t_B (it is a helix on the cylinder). So it slides along a guide.
A pulley swivels, and has a groove: the cable lies in the plane of A, B and the centre, as it does round a sphere.

Several cylinders in a row are passed in sweeps, each between where the cable leaves its neighbours: a point that moves
along a tangent does not turn it, so that sweeps converge quadratically across the axes. All is found together with its
rates.

θ continues from the last one, whole turns included. Below zero the cable is straight and does not touch: θ is the angle
that it lacks then.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import compiled, opener, view
from simulator.physics.algebra.vectors import cross, dot, minus, perpendicular_to, plus, rotation_of, times, turn
from simulator.physics.layout import buffers as at
from simulator.physics.layout.buffers import int_start, size, start

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Floats3, Ints, Ints2, Rotation, Vector

    Reach = tuple[float, float, float, float, float, float]

POINT, PULLEY, GUIDE, SPHERE, BRANCH = range(5)
"""Kinds of parts."""
PART_NUMBERS = 14
AXIS, HAND, RADIUS, SENSE, RUBBING, WEIGHT, TURNS = 3, 6, 9, 10, 11, 12, 13
"""Of a part, behind its point in the node: its axis, and a direction across it that angles count from; 1 where the
cable turns about the axis as a right hand does, -1 the other way; friction; for how much its length counts; whole turns
at the start."""
NOW_NUMBERS = 30
IN, OUT, IN_RATE, OUT_RATE, CENTRE, CENTRE_RATE, WRAP, LAST, WRAP_RATE, ARC, TOUCHES, KNOWN, ABOUT, SPIN = (
    0, 3, 6, 9, 12, 15, 18, 19, 20, 21, 22, 23, 24, 27,
)  # fmt: skip
"""Of a part now, in the world: where the cable comes to it and leaves it, and how fast these places move; the same of
its own point; θ now and at the last state, its rate; length of the arc; whether the cable touches it, and whether the
last θ is known; the direction of its axis, and its angular velocity."""
SWEEPS = 60
CLOSED = 1e-15
"""Places that change by that part of the size of a cable are the same."""
ON_IT = 1e-12
"""Part of the square of the radius: what is as near to a cylinder lies on it, as an end that is fixed to a drum."""
INSIDE = -1.0
"""TOUCHES of a part inside of which the cable would begin or end: it goes straight there."""
NEXT_TO_NOTHING = 1e-6
"""A wrap [rad] that is less, or a turn but for less, is none."""
ON_A_LINE = 1e-9
"""Part of the product of two distances from a centre: two points beside it whose plane is not known any better."""
TWO_PI = 2.0 * math.pi
STILL = (0.0, 0.0, 0.0)


class CableViews(NamedTuple):
    """Parts of cable c are e from `begin[c]` to before `begin[c + 1]`: `part`, node (-1 for the world) and kind;
    `numbers` and `now`, see above. `rubbing` (n, 2): Σ μ θ of a cable, and its rate."""

    begin: Ints
    part: Ints2
    numbers: Floats2
    now: Floats2
    rubbing: Floats2


@opener
def open_cables(F: Floats, N: Ints) -> CableViews:
    """Views of the cables."""
    cables = N[at.CABLES]
    parts = size(N, at.F_CABLE_PART) // PART_NUMBERS
    return CableViews(
        begin=view(N, int_start(N, at.I_CABLE_PTR), (cables + 1,)),
        part=view(N, int_start(N, at.I_CABLE_PART), (parts, 2)),
        numbers=view(F, start(N, at.F_CABLE_PART), (parts, PART_NUMBERS)),
        now=view(F, start(N, at.F_CABLE_NOW), (parts, NOW_NUMBERS)),
        rubbing=view(F, start(N, at.F_CABLE), (cables, 2)),
    )


@compiled
def trace_cable(cables: CableViews, R: Floats3, p: Floats2, velocity: Floats2, c: int) -> None:
    """`now` of all parts of a cable, at the rotations, places and twists of the nodes."""
    now = cables.now
    first, end = cables.begin[c], cables.begin[c + 1]
    same = True
    for e in range(first, end):
        same = _place_part(cables, R, p, velocity, e) and same
    if same:  # as it is found again at the end of a step, and when the next begins
        return
    most = 0.0
    for e in range(first, end):
        most = max(most, _begin_at_its_point(cables, e))
    for _ in range(SWEEPS):
        change = 0.0
        for e in range(first, end):
            if _is_round(cables.part[e, 1]):
                change = max(change, _lay(cables, R, e))
        if change <= CLOSED * most:
            break
    for e in range(first, end):
        now[e, LAST], now[e, KNOWN] = now[e, WRAP], 1.0
    _add_rubbing(cables, c)


@compiled
def path_length(cables: CableViews, c: int) -> float:
    """Length of a cable [m], where `trace_cable` has laid it: of its pieces, as much as they count."""
    length = 0.0
    for e in range(cables.begin[c], cables.begin[c + 1]):
        weight = cables.numbers[e, WEIGHT]
        length += weight * cables.now[e, ARC]
        before = before_of(cables, e)
        if before >= 0 and cables.now[e, TOUCHES] > 0.0:
            x, y, z = minus(part_vector(cables, e, IN), part_vector(cables, before, OUT))
            length += weight * math.sqrt(x * x + y * y + z * z)
    return length


@compiled
def before_of(cables: CableViews, e: int) -> int:
    """The part before e that the cable comes from; -1 at the beginning of a piece, and of what it passes by."""
    if cables.part[e, 1] == BRANCH:
        return -1
    e -= 1
    while cables.now[e, TOUCHES] <= 0.0 and cables.part[e, 1] != BRANCH:
        e -= 1
    return e if cables.part[e, 1] != BRANCH else -1


@compiled
def _after(cables: CableViews, e: int) -> int:
    """The part behind e that the cable goes to."""
    e += 1
    while cables.now[e, TOUCHES] <= 0.0:
        e += 1
    return e


@compiled
def part_vector(cables: CableViews, e: int, place: int) -> Vector:
    """Three numbers of a part now."""
    return cables.now[e, place], cables.now[e, place + 1], cables.now[e, place + 2]


@compiled
def _set(cables: CableViews, e: int, place: int, v: Vector) -> None:
    cables.now[e, place], cables.now[e, place + 1], cables.now[e, place + 2] = v


@compiled
def _number_vector(cables: CableViews, e: int, place: int) -> Vector:
    return cables.numbers[e, place], cables.numbers[e, place + 1], cables.numbers[e, place + 2]


@compiled
def _is_round(kind: int) -> bool:
    return PULLEY <= kind <= SPHERE


@compiled
def _rotation(R: Floats3, i: int) -> Rotation:
    """Of node i, or of the world."""
    if i < 0:
        return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    return rotation_of(R, i)


@compiled
def _spin(velocity: Floats2, i: int) -> Vector:
    """Angular velocity of node i, or of the world."""
    if i < 0:
        return STILL
    return velocity[i, 0], velocity[i, 1], velocity[i, 2]


@compiled
def _place_part(cables: CableViews, R: Floats3, p: Floats2, velocity: Floats2, e: int) -> bool:
    """Its own point, axis and angular velocity; returns whether all of them are what they were."""
    i = cables.part[e, 0]
    A = _rotation(R, i)
    place = arm = turn(A, _number_vector(cables, e, 0))
    rate = STILL
    if i >= 0:
        place = p[i, 0] + arm[0], p[i, 1] + arm[1], p[i, 2] + arm[2]
        rate = plus((velocity[i, 3], velocity[i, 4], velocity[i, 5]), 1.0, cross(_spin(velocity, i), arm))
    same = cables.now[e, KNOWN] > 0.0
    same = _keep(cables, e, CENTRE, place) and same
    same = _keep(cables, e, CENTRE_RATE, rate) and same
    same = _keep(cables, e, ABOUT, turn(A, _number_vector(cables, e, AXIS))) and same
    return _keep(cables, e, SPIN, _spin(velocity, i)) and same


@compiled
def _keep(cables: CableViews, e: int, place: int, v: Vector) -> bool:
    """Set three numbers; returns whether they are what they were."""
    before = part_vector(cables, e, place)
    _set(cables, e, place, v)
    return bool(before[0] == v[0] and before[1] == v[1] and before[2] == v[2])


@compiled
def _begin_at_its_point(cables: CableViews, e: int) -> float:
    """Sweeps start where the cable passes every part at its own point; returns how far from the origin that is."""
    kind = cables.part[e, 1]
    place, rate = part_vector(cables, e, CENTRE), part_vector(cables, e, CENTRE_RATE)
    _set(cables, e, IN, place)
    _set(cables, e, OUT, place)
    _set(cables, e, IN_RATE, rate)
    _set(cables, e, OUT_RATE, rate)
    now = cables.now
    now[e, ARC] = now[e, WRAP_RATE] = 0.0
    known_off = _is_round(kind) and now[e, KNOWN] > 0.0 and now[e, LAST] <= 0.0
    now[e, TOUCHES] = 0.0 if kind == BRANCH or known_off else 1.0
    return abs(place[0]) + abs(place[1]) + abs(place[2])


# -- what is round -----------------------------------------------------------------------------------------------------


@compiled
def _lay(cables: CableViews, R: Floats3, e: int) -> float:
    """Lay the cable round a part, between where it leaves the parts before and behind; returns by how much it lies
    elsewhere than before."""
    before, after = _nearest_before(cables, e), _after(cables, e)
    centre, drift = part_vector(cables, e, CENTRE), part_vector(cables, e, CENTRE_RATE)
    a, b = minus(part_vector(cables, before, OUT), centre), minus(part_vector(cables, after, IN), centre)
    da = minus(part_vector(cables, before, OUT_RATE), drift)
    db = minus(part_vector(cables, after, IN_RATE), drift)
    i = cables.part[e, 0]
    numbers = cables.numbers
    x, k, spin = _frame_of(cables, R, e, (a, b, da, db))
    sense = numbers[e, SENSE]
    y = cross(k, x)
    r = numbers[e, RADIUS]
    first = _reach(a, minus(da, cross(spin, a)), x, y, r)
    last = _reach(b, minus(db, cross(spin, b)), x, y, r)
    angle, angle_rate = first[0] + sense * first[2], first[1] + sense * first[3]
    leaves, leaves_rate = last[0] - sense * last[2], last[1] - sense * last[3]
    wrap = _continued(cables, e, sense * (leaves - angle), _passes_by(a, b, x, y, r))
    wrap_rate = sense * (leaves_rate - angle_rate)
    now = cables.now
    now[e, WRAP], now[e, WRAP_RATE] = wrap, wrap_rate
    touched = now[e, TOUCHES]
    # Inside of a drum is only an end that is fixed to it.
    inside = (first[4] < 0.0 and not _is_end_on(cables, before, i)) or (
        last[4] < 0.0 and not _is_end_on(cables, after, i)
    )
    if wrap <= 0.0 or inside:
        now[e, TOUCHES] = INSIDE if inside else 0.0
        now[e, ARC] = now[e, WRAP_RATE] = 0.0
        _set(cables, e, IN, centre)
        _set(cables, e, OUT, centre)
        return math.inf if touched > 0.0 else 0.0
    now[e, TOUCHES] = 1.0
    way = max(first[4], 0.0) + r * wrap + max(last[4], 0.0)
    way_rate = first[5] + r * wrap_rate + last[5]
    low, high = dot(a, k), dot(b, k)
    low_rate = dot(minus(da, cross(spin, a)), k)
    climb, climb_rate = high - low, dot(minus(db, cross(spin, b)), k) - low_rate
    slope = climb / way
    slope_rate = (climb_rate - slope * way_rate) / way
    now[e, ARC] = r * wrap * math.sqrt(1.0 + slope * slope)
    z = low + slope * max(first[4], 0.0)
    dz = low_rate + slope_rate * max(first[4], 0.0) + slope * first[5]
    change = _touch(cables, e, IN, (x, y, k), (angle, angle_rate, z, dz), spin)
    z += slope * r * wrap
    dz += r * (slope_rate * wrap + slope * wrap_rate)
    change = max(change, _touch(cables, e, OUT, (x, y, k), (leaves, leaves_rate, z, dz), spin))
    return change if touched > 0.0 else math.inf


@compiled
def _is_end_on(cables: CableViews, e: int, i: int) -> bool:
    """Whether a part is a point of node i."""
    return bool(cables.part[e, 0] == i and cables.part[e, 1] == POINT)


@compiled
def _nearest_before(cables: CableViews, e: int) -> int:
    """The part before e that the cable comes from, of one that it passes by, too."""
    e -= 1
    while cables.now[e, TOUCHES] <= 0.0:
        e -= 1
    return e


@compiled
def _touch(
    cables: CableViews,
    e: int,
    place: int,
    frame: tuple[Vector, Vector, Vector],
    where: tuple[float, float, float, float],
    spin: Vector,
) -> float:
    """Where the cable touches a part: at an angle and a height of a frame that turns at `spin`, both with their rates;
    returns how far that is from before."""
    x, y, k = frame
    angle, angle_rate, z, dz = where
    r = cables.numbers[e, RADIUS]
    outward = plus(times(math.cos(angle), x), math.sin(angle), y)
    along = plus(times(-math.sin(angle), x), math.cos(angle), y)
    arm = plus(times(r, outward), z, k)
    found = plus(part_vector(cables, e, CENTRE), 1.0, arm)
    change = minus(found, part_vector(cables, e, place))
    rate = plus(plus(part_vector(cables, e, CENTRE_RATE), 1.0, cross(spin, arm)), r * angle_rate, along)
    _set(cables, e, place, found)
    _set(cables, e, place + IN_RATE - IN, plus(rate, dz, k))
    return max(abs(change[0]), abs(change[1]), abs(change[2]))


@compiled
def _reach(a: Vector, da: Vector, x: Vector, y: Vector, r: float) -> Reach:
    """Of a point a that moves at da, in the plane of x and y: its angle, the angle from there to where its tangent
    touches the circle, and the length of that, each with its rate: (α, α', γ, γ', t, t'); t < 0 inside."""
    u, v, du, dv = dot(a, x), dot(a, y), dot(da, x), dot(da, y)
    square = u * u + v * v
    if square == 0.0:
        return 0.0, 0.0, 0.0, 0.0, -1.0, 0.0
    angle, angle_rate = math.atan2(v, u), (u * dv - v * du) / square
    beyond = square - r * r
    if abs(beyond) <= ON_IT * r * r:
        return angle, angle_rate, 0.0, 0.0, 0.0, 0.0
    if beyond < 0.0:
        return angle, angle_rate, 0.0, 0.0, -1.0, 0.0
    length = math.sqrt(beyond)
    away = u * du + v * dv
    rate = away / length
    return angle, angle_rate, math.atan2(length, r), r * away / (square * length), length, rate


@compiled
def _frame_of(
    cables: CableViews, R: Floats3, e: int, ends: tuple[Vector, Vector, Vector, Vector]
) -> tuple[Vector, Vector, Vector]:
    """Two axes of the frame in which a cable turns about the second, and at which angular velocity that turns: fixed to
    a guide, and of a pulley or sphere in the plane of both ends and its centre."""
    kind = cables.part[e, 1]
    axis = part_vector(cables, e, ABOUT)
    if kind != GUIDE:
        x, k, spin = _plane_of(ends)
        if dot(k, k) > 0.0:
            return x, times(-1.0, k) if kind == PULLEY and dot(k, axis) < 0.0 else k, spin
        if kind == SPHERE:
            return x, perpendicular_to(x), STILL
    hand = turn(_rotation(R, cables.part[e, 0]), _number_vector(cables, e, HAND))
    return hand, axis, part_vector(cables, e, SPIN)


@compiled
def _plane_of(ends: tuple[Vector, Vector, Vector, Vector]) -> tuple[Vector, Vector, Vector]:
    """The direction to a, the normal of the plane of a and b, zero where that is none, and at which angular velocity
    both turn; `ends`: a, b, and how fast they move."""
    a, b, da, db = ends
    far = math.sqrt(dot(a, a))
    n = cross(a, b)
    size_of_n = math.sqrt(dot(n, n))
    x = times(1.0 / far, a) if far > 0.0 else (1.0, 0.0, 0.0)
    if size_of_n <= ON_A_LINE * far * math.sqrt(dot(b, b)):
        return x, STILL, STILL
    k = times(1.0 / size_of_n, n)
    y = cross(k, x)
    dn = plus(cross(da, b), 1.0, cross(a, db))
    dx = times(1.0 / far, da)
    # x' = w x x gives w . k = x' . y and w . y = -x' . k; k' = w x k gives w . x = -k' . y.
    spin = plus(times(dot(dx, y), k), -dot(dx, k), y)
    return x, k, plus(spin, -dot(dn, y) / size_of_n, x)


@compiled
def _passes_by(a: Vector, b: Vector, x: Vector, y: Vector, r: float) -> bool:
    """Whether the straight way from a to b does not cross the circle."""
    u, v = dot(a, x), dot(a, y)
    du, dv = dot(b, x) - u, dot(b, y) - v
    square = du * du + dv * dv
    share = min(max(-(u * du + v * dv) / square, 0.0), 1.0) if square > 0.0 else 0.0
    u += share * du
    v += share * dv
    return u * u + v * v >= r * r


@compiled
def _continued(cables: CableViews, e: int, wrap: float, passes_by: bool) -> float:
    """Of all angles that are `wrap` but for whole turns, the one that continues the last."""
    kind = cables.part[e, 1]
    last = cables.now[e, LAST]
    if kind == SPHERE:
        return -1.0 if passes_by else wrap - TWO_PI * math.floor(wrap / TWO_PI + 0.5)
    if cables.now[e, KNOWN] > 0.0:
        wrap += TWO_PI * math.floor((last - wrap) / TWO_PI + 0.5)
        return wrap + TWO_PI if last <= 0.0 and wrap <= -TWO_PI else wrap
    wrap -= TWO_PI * math.floor(wrap / TWO_PI)
    if wrap > TWO_PI - NEXT_TO_NOTHING or (kind == GUIDE and passes_by and wrap > NEXT_TO_NOTHING):
        wrap -= TWO_PI
    return wrap + TWO_PI * cables.numbers[e, TURNS]


@compiled
def _add_rubbing(cables: CableViews, c: int) -> None:
    """Σ μ θ of a cable, and its rate."""
    total = rate = 0.0
    for e in range(cables.begin[c], cables.begin[c + 1]):
        if cables.now[e, TOUCHES] > 0.0:
            total += cables.numbers[e, RUBBING] * cables.now[e, WRAP]
            rate += cables.numbers[e, RUBBING] * cables.now[e, WRAP_RATE]
    cables.rubbing[c, 0], cables.rubbing[c, 1] = total, rate
