"""Where a contact is in the middle of a step.

Its force is constant over the step, and acts where the contact is then: with the lever and the direction of the start
it would do work on what turns, in proportion to the step. The middle is foreseen from the velocities of the start, half
a step on (the explicit midpoint rule; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.1), for
points whose way is known: a corner or a rounding of the first body over a flat face of the second, and two points or
straight lines, rounded, that meet: edges of boxes, balls, capsules, corners. Of these, each side turns and moves with
its body; then the points in which they are nearest, the normal between them, and the point of contact are found anew
(`crossing`; for lines Ericson, Real-Time Collision Detection, 2005, 5.1.8).

- A corner c stays on its body, the normal n turns with the face, n' = w_B x n.
- A rounding keeps its centre c, and touches at c - h n.
- The lowest point of an ellipsoid moves over its body as the normal turns against that (`layout.row_layout.CURVED`).
- The lowest point of a rim with the axis a is c + r d, d = (a (a . n) - n) / |...|: it turns with the axis, but not
  about it.

Joints of the tree carry their axes along, so in the axes of the start of their node the lever turns back by w_i. Free
bodies keep the directions of efforts in space (`step.step`). Loops say how coordinates move together, in ways that
change with their positions: H and their rows are those of the middle, too (`step.step.move_loops_to_middle`), but where
a body of theirs floats. There a contact misses its rate at the end of the step by second order.

Where friction has a direction, that turns with the body which carries it, loops or not: a wheel that rolls in one
direction only goes round a curve as the rows of the middle say.

Directions of rows
------------------
Where friction is the same in every direction, any tangents do. Where it has a direction with coefficients mu_1 along
and mu_2 across it, impulses p of friction are bounded by an ellipse, (p_1 / mu_1)^2 + (p_2 / mu_2)^2 <= p_n^2, and of
all that it holds, the one acts that takes most power from the slip (maximal dissipation; Goyal, Ruina and Papadopoulos,
Planar sliding with dry friction, Wear 143, 1991). With mu_1 the larger one, p_2 = (mu_2 / mu_1) q_2 makes the ellipse a
disk with the radius mu_1 p_n. q_2 is the impulse of a row that is mu_2 / mu_1 times the second tangent's, and the power
is that of the rows, so that the solver, which knows disks only, finds what holds for the ellipse. Where mu_2 is 0, that
row is zero: nothing moves it, and it moves nothing.

Friction may yield: within its bounds the sides slip at u = -s f, for forces f = p / h of a step of h [s]. As rows,
k u + (k^2 s / h) q = 0 for a row that is k times a tangent: a softness of the row.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import (
    cross,
    dot,
    minus,
    perpendicular_to,
    plus,
    row_spatial,
    row_vector,
    times,
    turned_by,
)
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import FREE
from simulator.physics.layout.row_layout import normal_of, point_of

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2, Vector
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import StateViews, TreeViews

    Axes = tuple[Vector, Vector, Vector]
    """Normal of a contact, and the directions of its two rows of friction."""
    Midpoint = tuple[float, float, Vector, Vector]
    """A contact half a step later: the time until then [s], 0 where rows stay those of the start; that part of it in
    which bodies rotate [s]; displacement of the contact point [m]; rotation vector of the normal [rad]."""
    Side = tuple[Vector, Vector, Vector]
    """Of a body: where its origin is, the velocity of that, and its angular velocity."""

MOST_TURN = 0.2
"""Most [rad] that anything is foreseen to turn: what turns further in half a step is not resolved by it."""
FLAT = 1e-12
"""Square of the sine of its tilt below which a rim has no lowest point."""


@compiled
def _angular_velocity(state: StateViews, i: int) -> Vector:
    """Angular velocity of node i, in the world."""
    return row_vector(state.velocity, i) if i >= 0 else (0.0, 0.0, 0.0)


@compiled
def _point_velocity(state: StateViews, i: int, x: Vector, twists: Floats2) -> Vector:
    """Velocity of the point x of node i, in the world, where nodes move with these `twists`."""
    if i < 0:
        return 0.0, 0.0, 0.0
    w = cross(row_vector(twists, i), minus(x, row_vector(state.p, i)))
    return twists[i, 3] + w[0], twists[i, 4] + w[1], twists[i, 5] + w[2]


@compiled
def is_looped(m: MechanismViews, i: int) -> bool:
    """Whether loops may have a part in how node i moves; never in that of the world."""
    return i >= 0 and m.tree.looped[max(i, 0)] != 0


@compiled
def predict_midpoint(state: StateViews, CI: Ints2, CF: Floats2, c: int, half: float, axes: Axes) -> Midpoint:
    """Contact c in `half` [s]; MOTION = velocity of its first side relative to the second along `axes`, or nan where
    rows stay those of the start. Needs fresh velocities of nodes.

    Both sides have the same contact point, wherever it is: their forces together have no moment.
    """
    CF[c, row_at.MOTION] = math.nan
    none = (0.0, 0.0, 0.0)
    known = not math.isnan(CF[c, row_at.CENTRE])
    both_move = CI[c, row_at.FIRST] >= 0 and CI[c, row_at.SECOND] >= 0
    if half == 0.0 or not (known or both_move or has_features(CF, c)):
        return 0.0, 0.0, none, none
    a, b = CI[c, row_at.FIRST], CI[c, row_at.SECOND]
    x = point_of(CF, c)
    twists = state.velocity
    mine, other = _point_velocity(state, a, x, twists), _point_velocity(state, b, x, twists)
    slip = minus(mine, other)
    for k in range(3):
        CF[c, row_at.MOTION + k] = dot(axes[k], slip)
    w_a, w_b = _angular_velocity(state, a), _angular_velocity(state, b)
    if known:
        return _over_a_face(state, CI, CF, c, half, axes[0])
    fastest = math.sqrt(max(dot(w_a, w_a), dot(w_b, w_b)))
    on = min(half, MOST_TURN / fastest) if fastest > 0.0 else half
    if has_features(CF, c):
        sides = (_side(state, a), _side(state, b))
        found, way, turn = crossing(CF, c, half, on, sides)
        if found:
            return half, on, way, turn
    mean = (0.5 * (mine[0] + other[0]), 0.5 * (mine[1] + other[1]), 0.5 * (mine[2] + other[2]))
    return half, on, times(half, mean), none


@compiled
def turn_friction(
    state: StateViews, CI: Ints2, CF: Floats2, c: int, half: float, axes: Axes, midpoint: Midpoint
) -> Axes:
    """Normal and tangents of contact c, whose friction has a direction: turned by the rotation of the `midpoint` they
    are those in `half` [s]. MOTION is along `axes`, those of now."""
    w = _angular_velocity(state, CI[c, row_at.OF_DIRECTION])
    if midpoint[0] == 0.0:
        slip = motion_of(state, CI, CF, c)[0]
        for k in range(3):
            CF[c, row_at.MOTION + k] = dot(axes[k], slip)
    speed = math.sqrt(dot(w, w))
    on = min(half, MOST_TURN / speed) if speed > 0.0 else half
    direction = turned_by(times(-1.0, midpoint[3]), turned_by(times(on, w), direction_of(CF, c)))
    return axes_along(axes[0], direction, CF[c, row_at.RATIO])


@compiled
def _over_a_face(state: StateViews, CI: Ints2, CF: Floats2, c: int, half: float, n: Vector) -> Midpoint:
    """As `predict_midpoint`, of a corner or a rounding over a face that turns."""
    a, b = CI[c, row_at.FIRST], CI[c, row_at.SECOND]
    x = point_of(CF, c)
    centre = (CF[c, row_at.CENTRE], CF[c, row_at.CENTRE + 1], CF[c, row_at.CENTRE + 2])
    w_a = _angular_velocity(state, a)
    w_b = _angular_velocity(state, b)
    (p, v, _) = _side(state, a)
    if CF[c, row_at.ROUNDINGS] == row_at.CURVED:
        curved, turn = _over_curved(CF, c, half, _side(state, a), w_b, n)
        return half, half, curved, turn
    over = minus(x, centre)
    axis = (CF[c, row_at.AXIS], CF[c, row_at.AXIS + 1], CF[c, row_at.AXIS + 2])
    # What is between the centre and the point turns with the face, or as a rim does.
    w = w_b if dot(axis, axis) == 0.0 else _turning_of_rim(axis, n, w_a, cross(w_b, n))
    fastest = math.sqrt(max(dot(w_a, w_a), dot(w_b, w_b), dot(w, w)))
    on = min(half, MOST_TURN / fastest) if fastest > 0.0 else half
    then = turned_by(times(on, w), over)
    round_p = cross(w_a, minus(centre, p))
    way = (
        half * v[0] + on * round_p[0] + then[0] - over[0],
        half * v[1] + on * round_p[1] + then[1] - over[1],
        half * v[2] + on * round_p[2] + then[2] - over[2],
    )
    return half, on, way, times(on, w_b)


@compiled
def _over_curved(CF: Floats2, c: int, half: float, mine: Side, w_b: Vector, n: Vector) -> tuple[Vector, Vector]:
    """Way of the lowest point of an ellipsoid, and how far the face turns."""
    p, v, w_a = mine
    carried = cross(w_a, minus(point_of(CF, c), p))
    # The outward direction at the point is -n: against the body it turns with w_b - w_a.
    d = cross(minus(w_a, w_b), n)
    h = row_at.AXIS
    xx = CF[c, h]
    yy = CF[c, h + 1]
    zz = CF[c, h + 2]
    xy = CF[c, h + 3]
    xz = CF[c, h + 4]
    yz = CF[c, h + 5]
    way = (
        half * (v[0] + carried[0] + xx * d[0] + xy * d[1] + xz * d[2]),
        half * (v[1] + carried[1] + xy * d[0] + yy * d[1] + yz * d[2]),
        half * (v[2] + carried[2] + xz * d[0] + yz * d[1] + zz * d[2]),
    )
    return way, times(half, w_b)


@compiled
def _side(state: StateViews, i: int) -> Side:
    """Where the origin of node i is, its velocity and the node's angular velocity, in the world."""
    node = max(i, 0)
    moves = 1.0 if i >= 0 else 0.0
    w0, w1, w2, v0, v1, v2 = row_spatial(state.velocity, node)
    velocity, turning = (moves * v0, moves * v1, moves * v2), (moves * w0, moves * w1, moves * w2)
    return row_vector(state.p, node), velocity, turning


@compiled
def _turning_of_rim(a: Vector, n: Vector, w: Vector, n_rate: Vector) -> Vector:
    """With what angular velocity the lowest point of a rim goes round its centre: that of the axis, and about the axis
    such that it stays the lowest, s . n = 0 for s = a x d."""
    spin, along = dot(w, a), dot(a, n)
    tilted = 1.0 - along * along
    if tilted <= FLAT:
        return w
    sine = math.sqrt(tilted)
    across = (w[0] - spin * a[0], w[1] - spin * a[1], w[2] - spin * a[2])
    s = cross(a, ((along * a[0] - n[0]) / sine, (along * a[1] - n[1]) / sine, (along * a[2] - n[2]) / sine))
    # 0 = d(s . n)/dt = (W x s) . n + s . n', with W = across + rate a and a x s = -d, d . n = -sine.
    rate = -(dot(cross(across, s), n) + dot(s, n_rate)) / sine
    return across[0] + rate * a[0], across[1] + rate * a[1], across[2] + rate * a[2]


@compiled
def normal_rate(state: StateViews, CI: Ints2, CF: Floats2, c: int, twists: Floats2) -> float:
    """Velocity along its normal [m/s] of the sides of contact c against each other, less than 0 where they approach,
    where nodes move with these `twists`."""
    x = point_of(CF, c)
    slip = minus(
        _point_velocity(state, CI[c, row_at.FIRST], x, twists), _point_velocity(state, CI[c, row_at.SECOND], x, twists)
    )
    return dot(normal_of(CF, c), slip)


@compiled
def motion_of(state: StateViews, CI: Ints2, CF: Floats2, c: int) -> tuple[Vector, float]:
    """Velocity of the first side of contact c against the second, and the square of the faster rotation of both."""
    x = point_of(CF, c)
    twists = state.velocity
    w_a, w_b = _angular_velocity(state, CI[c, row_at.FIRST]), _angular_velocity(state, CI[c, row_at.SECOND])
    slip = minus(
        _point_velocity(state, CI[c, row_at.FIRST], x, twists), _point_velocity(state, CI[c, row_at.SECOND], x, twists)
    )
    return slip, max(dot(w_a, w_a), dot(w_b, w_b))


@compiled
def spin_of(state: StateViews, CI: Ints2, c: int, n: Vector) -> float:
    """How fast the first side of contact c turns about n against the second [rad/s]."""
    return dot(n, minus(_angular_velocity(state, CI[c, row_at.FIRST]), _angular_velocity(state, CI[c, row_at.SECOND])))


@compiled
def turns(angle: Vector) -> bool:
    """Whether that is a rotation: most of what slides turns by nothing, to the bit."""
    return angle[0] != 0.0 or angle[1] != 0.0 or angle[2] != 0.0


@compiled
def lever_on(
    tree: TreeViews, state: StateViews, i: int, r: Vector, directions: Axes, midpoint: Midpoint, rows: int
) -> tuple[Vector, Axes]:
    """Lever r and directions of a contact at its midpoint, in the axes that the freedoms of node i have now; of the
    directions the first, or all where there are more `rows`."""
    half, on, way, _ = midpoint
    w0, w1, w2, v0, v1, v2 = row_spatial(state.velocity, i)
    lever = r[0] + way[0] - half * v0, r[1] + way[1] - half * v1, r[2] + way[2] - half * v2
    back = -on * w0, -on * w1, -on * w2
    if tree.kind[i] == FREE or not turns(back):
        return lever, directions
    along, across, aside = directions
    if rows > 1:
        across, aside = turned_by(back, across), turned_by(back, aside)
    return turned_by(back, lever), (turned_by(back, along), across, aside)


@compiled
def has_direction(CF: Floats2, c: int) -> bool:
    """Whether the friction of contact c has a direction."""
    return bool(CF[c, row_at.RATIO] != 1.0 or CF[c, row_at.SLIP] != CF[c, row_at.SLIP + 1])


@compiled
def softness(CF: Floats2, c: int, place: int, dt: float) -> float:
    """Of the first (0) or second (1) row of friction of contact c, or of its twist (2), in a step of `dt` [s]."""
    if place > 1:
        return CF[c, row_at.SPIN] / dt
    ratio = CF[c, row_at.RATIO]
    swapped = ratio > 1.0
    slip = CF[c, row_at.SLIP + (1 - place if swapped else place)] / dt
    if place == 0:
        return slip
    k = 1.0 / ratio if swapped else ratio
    return k * k * slip


@compiled
def contact_axes(CF: Floats2, c: int) -> Axes:
    """Normal of contact c, and the two vectors along which its rows of friction are, the second times mu_2 / mu_1."""
    n = normal_of(CF, c)
    if has_direction(CF, c):
        return axes_along(n, direction_of(CF, c), CF[c, row_at.RATIO])
    t = perpendicular_to(n)
    return n, t, cross(n, t)


@compiled
def direction_of(CF: Floats2, c: int) -> Vector:
    """Direction of the friction of contact c in the world; it need not be across the normal."""
    return CF[c, row_at.DIRECTION], CF[c, row_at.DIRECTION + 1], CF[c, row_at.DIRECTION + 2]


@compiled
def axes_along(n: Vector, direction: Vector, ratio: float) -> Axes:
    """As `contact_axes`, for a normal, a direction and what friction has across it as a part of what it has along it;
    the direction in which it has more comes first."""
    t = plus(direction, -dot(direction, n), n)
    length = math.sqrt(dot(t, t))
    t = times(1.0 / length, t) if length > 0.0 else perpendicular_to(n)
    s = cross(n, t)
    return (n, t, times(ratio, s)) if ratio <= 1.0 else (n, s, times(1.0 / ratio, t))


@entry("motion")
def friction_of_contacts(CF: Floats2, friction: Floats2) -> None:
    """friction (n, 3) = the vectors in the world that CONTACT_IMPULSE of both tangents makes."""
    for c in range(CF.shape[0]):
        _, t, s = contact_axes(CF, c)
        x, y = CF[c, row_at.CONTACT_IMPULSE + 1], CF[c, row_at.CONTACT_IMPULSE + 2]
        for a in range(3):
            friction[c, a] = x * t[a] + y * s[a]


ALONG = 1e-3
"""Square of the sine below which lines are nearly parallel, and their crossing is far away: one side's point is
used."""
APART = 1e-9
"""Points that are nearer [m] have no direction from one to the other."""
MOST_SWING = 0.5
"""Normals that turn further [rad] in half a step are not foreseen."""


@compiled
def has_features(CF: Floats2, c: int) -> bool:
    """Whether it is known what touches in contact c."""
    return not math.isnan(CF[c, row_at.ROUNDINGS])


@compiled
def _moved(x: Vector, half: float, on: float, side: Side) -> Vector:
    """The point x of a body half a step later, which turns for the time `on` only."""
    (p, v, w) = side
    return plus(plus(p, half, v), 1.0, turned_by(times(on, w), minus(x, p)))


@compiled
def crossing(CF: Floats2, c: int, half: float, on: float, sides: tuple[Side, Side]) -> tuple[bool, Vector, Vector]:
    """(whether contact c is foreseen, way of the point of contact [m], turn of the normal [rad]) `half` [s] on."""
    x = point_of(CF, c)
    n = normal_of(CF, c)
    gap = CF[c, row_at.GAP]
    mine = CF[c, row_at.ROUNDINGS]
    other = CF[c, row_at.ROUNDINGS + 1]
    at, to = row_at.AXIS, row_at.OTHER_AXIS
    u = turned_by(times(on, sides[0][2]), (CF[c, at], CF[c, at + 1], CF[c, at + 2]))
    v = turned_by(times(on, sides[1][2]), (CF[c, to], CF[c, to + 1], CF[c, to + 2]))
    p = _moved(plus(x, mine + 0.5 * gap, n), half, on, sides[0])
    q = _moved(plus(x, -other - 0.5 * gap, n), half, on, sides[1])
    between, across = minus(p, q), cross(u, v)
    square = dot(across, across)
    lines = dot(u, u) > 0.0 and dot(v, v) > 0.0
    s = 0.0
    t = 0.0
    crossed = lines and square > ALONG
    if crossed:
        both = dot(u, v)
        s = (both * dot(v, between) - dot(u, between)) / square
        t = dot(v, between) + both * s
    elif not lines:
        s = -dot(u, between)
        t = dot(v, between)
    way = plus(plus(between, s, u), -t, v)
    least = math.sqrt(square)
    if crossed:
        side = math.copysign(1.0, dot(across, n))
        m = times(side / least, across)
    else:
        least = math.sqrt(dot(way, way))
        m = times(1.0 / least, way) if least > APART else n
    cosine = dot(n, m)
    if cosine < math.cos(MOST_SWING) or (lines and not crossed):
        return False, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    touch = plus(plus(q, t, v), other + 0.5 * (dot(m, way) - mine - other), m)
    return True, minus(touch, x), times(2.0 / (1.0 + cosine), cross(n, m))
