"""Cables as rows: how long their ways are, over the coordinates of the tree.

The way of a cable is a further freedom of the tree, as the play of a real coupling is (`layout.meshes`): z = its
length, held below the length of the cable as play is held between flanks (`rows.meshes`), rigidly or elastically. Its
row of G is found anew at each position. The cable lies along the shortest way, so that what moves along it on cylinders
changes nothing to first order: only the spans count, between points P_a and P_b that are fixed to their nodes for the
moment,

    z' = Σ u . (v_b - v_a),   u = (P_b - P_a) / |P_b - P_a|,

which is the tension's virtual power on the tree, whatever loops and couplings there are. Where the cable touches a
cylinder moves on that, at dP/dt, so that

    z'' = Σ u . (a_b + α_b x r_b + ω_b x dP_b/dt - …) + du/dt . (v_b - v_a),
    du/dt = (1 - u uᵀ) (dP_b/dt - dP_a/dt) / |P_b - P_a|.

Over a cylinder with friction the tension changes: T_1 = T_2 exp(μ θ) while the cable slides towards the span before it
(Eytelwein 1808). With Λ = -T_2 along z and the rate l = -z_1' at which the cable slides, z_1 the way before the
cylinder, that is a loss R(Λ, l) along l: (exp(μ θ) - 1) |Λ| where power flows from the first side to the second, and
(1 - exp(-μ θ)) |Λ| back, which sticks in between, as in a gear of the efficiency exp(-μ θ) both ways. Where cylinders
that rub follow each other on one node, the way between them does not change, and θ is the sum of theirs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import clear, cross, dot, minus, plus, row_spatial, row_vector, times, twist_at
from simulator.physics.loops.loops import enter_freedoms, play_of
from simulator.physics.rows.meshes import DRAG, DRAG_BACK, SHARE, SHARE_BACK, SLOPE
from simulator.physics.tree.cables import (
    IN,
    IN_RATE,
    OUT,
    OUT_RATE,
    RUBBING,
    TOUCHES,
    WEIGHT,
    before_of,
    part_vector,
    path_length,
    trace_cable,
)
from simulator.physics.tree.tree import move_nodes, place_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Vector
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.cables import CableViews
    from simulator.physics.tree.views import StateViews

WAY, BEFORE = 0, 1
"""Freedoms of a cable: its whole way, and minus the part of it before what it rubs on."""
HELD, BEND, INSIDE = 0, 1, 2
"""Columns of `along_play`."""


@compiled
def follow_cables(m: MechanismViews) -> None:
    """Rows of G of all cables, and what their rates change by, at fresh poses, velocities and bias accelerations. What
    is held along them over a step turns with their rows."""
    for c in range(m.cables.begin.shape[0] - 1):
        trace_cable(m.cables, m.state.R, m.state.p, m.state.velocity, c)
        _follow(m, c, WAY)
        if m.loops.play[m.loops.curves + 2 * c + BEFORE] >= 0:
            _follow(m, c, BEFORE)


@entry("motion")
def lay_cables(m: MechanismViews) -> None:
    """Where cables lie at the positions now: their turns continue from where they lay last."""
    place_nodes(m.tree, m.state, m.tree.order.shape[0])
    move_nodes(m.tree, m.state, m.tree.order.shape[0])
    for c in range(m.cables.begin.shape[0] - 1):
        trace_cable(m.cables, m.state.R, m.state.p, m.state.velocity, c)


@compiled
def place_and_follow(m: MechanismViews) -> None:
    """`follow_cables` where poses are those of another state."""
    place_nodes(m.tree, m.state, m.tree.order.shape[0])
    move_nodes(m.tree, m.state, m.tree.order.shape[0])
    follow_cables(m)


@compiled
def _follow(m: MechanismViews, c: int, which: int) -> None:
    """The row of G of one freedom of a cable."""
    cables = m.cables
    row = m.rows.scratch
    clear(row)
    sign = 1.0 if which == WAY else -1.0
    bend = 0.0
    for e in range(cables.begin[c], cables.begin[c + 1]):
        if cables.now[e, TOUCHES] <= 0.0:
            continue
        before = before_of(cables, e)
        if before >= 0:
            bend += sign * _add_span(m, before, e, row, sign)
        if which == BEFORE and cables.numbers[e, RUBBING] > 0.0:
            break
    value = path_length(cables, c) if which == WAY else 0.0
    _write_row(m, m.loops.curves + 2 * c + which, row, value, bend)


@compiled
def _add_span(m: MechanismViews, a: int, b: int, row: Floats, sign: float) -> float:
    """Row += how the length of a span follows from the rates of the coordinates, times a sign; returns what its rate
    changes by while no coordinate accelerates. A span between points of one node does not change."""
    cables = m.cables
    first, last = cables.part[a, 0], cables.part[b, 0]
    if first == last:
        return 0.0
    start, end = part_vector(cables, a, OUT), part_vector(cables, b, IN)
    way = minus(end, start)
    length = math.sqrt(dot(way, way))
    if length == 0.0:
        return 0.0
    weight = cables.numbers[b, WEIGHT]
    u = times(1.0 / length, way)
    _add_point(m, last, sign * weight, end, u, row)
    _add_point(m, first, -sign * weight, start, u, row)
    started, ended = part_vector(cables, a, OUT_RATE), part_vector(cables, b, IN_RATE)
    moved, bent = _motion(m, last, end, ended)
    moved_first, bent_first = _motion(m, first, start, started)
    passing = minus(ended, started)
    turned = times(1.0 / length, plus(passing, -dot(u, passing), u))
    return weight * (dot(u, minus(bent, bent_first)) + dot(turned, minus(moved, moved_first)))


@compiled
def _motion(m: MechanismViews, i: int, point: Vector, passing: Vector) -> tuple[Vector, Vector]:
    """Velocity of a point of node i, or of the world, and its bias acceleration, minus gravity, where the point passes
    on to others at the velocity `passing`."""
    if i < 0:
        g = m.tree.gravity
        return (0.0, 0.0, 0.0), (-g[0], -g[1], -g[2])
    r = minus(point, row_vector(m.state.p, i))
    v = twist_at(row_spatial(m.state.velocity, i), r)
    a = twist_at(row_spatial(m.state.acceleration, i), r)
    turning = cross((v[0], v[1], v[2]), passing)
    return (v[3], v[4], v[5]), plus((a[3], a[4], a[5]), 1.0, turning)


@compiled
def _add_point(m: MechanismViews, i: int, sign: float, point: Vector, d: Vector, row: Floats) -> None:
    """Row += sign times the velocity along d of a point of node i."""
    while i >= 0:
        moment = cross(minus(point, row_vector(m.state.p, i)), d)
        enter_freedoms(m.tree, m.state, row, i, sign, (moment[0], moment[1], moment[2], d[0], d[1], d[2]))
        i = m.tree.parent[i]


@compiled
def _write_row(m: MechanismViews, i: int, row: Floats, value: float, bend: float) -> None:
    """The row of G of a freedom, such that G y + c is its value here; efforts that are held along it, in LOSS."""
    G = m.tree.G
    along = m.loops.along_play
    k = m.loops.play[i]
    held, inside = along[i, HELD], along[i, INSIDE]
    loss = m.efforts.loss
    for t in range(G.begin[k], G.begin[k + 1]):
        a = G.column[t]
        loss[a] += held * row[a] - inside * G.value[t]
        G.value[t] = row[a]
        if G.place[a] >= 0:
            value -= row[a] * m.state.Q[G.place[a]]
    G.constant[k] = value
    along[i, BEND] = bend
    along[i, INSIDE] = held


@compiled
def watch_cables(state: StateViews, cables: CableViews, limits: Floats2, row: Floats, place: int) -> float:
    """Their lengths, every other number of a row from a place on; returns what they store [J]. `limits` (n, 2): length
    and stiffness of each."""
    stored = 0.0
    for c in range(limits.shape[0]):
        trace_cable(cables, state.R, state.p, state.velocity, c)
        length = path_length(cables, c)
        row[place + 2 * c] = length
        stretch = max(length - limits[c, 0], 0.0)
        stored += 0.5 * limits[c, 1] * stretch * stretch
    return stored


@compiled
def let_cables_go(m: MechanismViews) -> None:
    """LOSS without what is held along cables: bodies may turn before their rows are found again."""
    G = m.tree.G
    along = m.loops.along_play
    for i in range(m.loops.curves, m.loops.play.shape[0]):
        inside = along[i, INSIDE]
        along[i, INSIDE] = 0.0
        k = m.loops.play[i]
        if inside != 0.0:
            for t in range(G.begin[k], G.begin[k + 1]):
                m.efforts.loss[G.column[t]] -= inside * G.value[t]


@compiled
def cable_of(m: MechanismViews, code: int) -> int:
    """The cable whose way is a freedom; -1 where it is none."""
    i = play_of(m.loops, code)
    return (i - m.loops.curves) // 2 if i >= m.loops.curves else -1


@compiled
def lose_along_cable(cables: CableViews, RF: Floats2, line: int, c: int, time: float) -> None:
    """Losses of a cable that slides over what it rubs on, where it lies in that time [s] from now."""
    angle = max(cables.rubbing[c, 0] + time * cables.rubbing[c, 1], 0.0)
    RF[line, SHARE] = math.expm1(angle)
    RF[line, SHARE_BACK] = -math.expm1(-angle)
    RF[line, DRAG] = RF[line, DRAG_BACK] = 0.0
    RF[line, SLOPE] = 1.0
