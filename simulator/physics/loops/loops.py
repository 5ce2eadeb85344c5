"""Rows of loop joints and of couplings that loop joints' axes take part in.

For a loop joint between frames Jp (on node a) and Jc (on node b), x the origin of Jc and dv the twist of b against a
about x:
  LINE   u . (x - x_p) = 0, u fixed in Jp:              row T = (0, u)
  TURN   u . w = target, u fixed in Jp, w fixed in Jc:   row T = (w × u, 0)
  AXIS   sum over freedoms and loop axes = constant:     a loop axis along d counts T = (d, 0) or (0, d),
                                                        where two turns are askew the dual of d
  CURVED phi(freedoms and loop axes) = 0:               as AXIS, with the slopes of phi as coefficients, and
                                                        q'^T phi'' q' among the velocity terms
Each row is T . dv = 0, and one derivative on T . (a_b - a_a) + D . dv = 0, where D = dT/dt + (dx/dt × u, 0) for the
moving point; both follow exactly from the left-hand sides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import (
    clear,
    cross,
    dot,
    minus,
    moved_wrench,
    plus_spatial,
    rotation_of,
    row_of,
    row_spatial,
    row_vector,
    set_rotation,
    set_row,
    turn,
    twist_at,
)
from simulator.physics.layout.flatten import FREEDOMS
from simulator.physics.loops.tapes import RATE, SLOPE, VALUE, run_tape
from simulator.physics.loops.views import BENT, POINT_RATE, SIDE_RATE, TWIST
from simulator.physics.tree.positions import add_effort, entry_of, position_of, rate_of
from simulator.physics.tree.tree import frame_origin, placed_frame

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Spatial, Vector
    from simulator.physics.loops.views import LoopViews, MechanismViews, RowViews
    from simulator.physics.tree.views import StateViews, TreeViews

LINE, TURN, AXIS, CURVED = 0, 1, 2, 3
PARENT_TURN, SLIDE, CHILD_TURN = 0, 1, 2
"""Kinds of loop axes: a turn about an axis of the parent's side, a slide along one, a turn about one of the child's."""
ORIGIN = 3
"""Row of a frame that is its origin."""
ACROSS = 1e-15
"""Directions whose product is below this are at right angles, but for rounding."""
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# -- frames and motion -------------------------------------------------------------------------------------------------


@compiled
def move_with_loops(m: MechanismViews) -> None:
    """Frames, axes and motion of all loop joints at fresh poses and velocities."""
    if m.loops.node.shape[0] > 0:
        place_loops(m.state, m.loops)
        follow_axes(m.loops)
        move_loops(m.tree, m.state, m.loops)


@compiled
def place_loops(state: StateViews, loops: LoopViews) -> None:
    """Frames Jp and Jc of every loop joint in the world."""
    for s in range(loops.node.shape[0]):
        R, p = placed_frame(state, loops.node[s], rotation_of(loops.fixed, s), frame_origin(loops.fixed, s))
        set_rotation(loops.frame, s, R)
        set_row(loops.frame, s, ORIGIN, p)


@compiled
def follow_axes(loops: LoopViews) -> None:
    """Position of every loop axis; angles continue from the last value, whole turns included."""
    for j in range(loops.axis_kind.shape[0]):
        parent = 2 * loops.axis_loop[j]
        child = parent + 1
        kind = loops.axis_kind[j]
        P, C = rotation_of(loops.frame, parent), rotation_of(loops.frame, child)
        d = turn(C if kind == CHILD_TURN else P, row_of(loops.axis_direction, j, 0))
        if kind == SLIDE:
            loops.axis_position[j] = dot(d, gap_of(loops, loops.axis_loop[j]))
            continue
        # Any unit vector that is not along the axis serves as a hand, seen along the axis: it is stored with the
        # direction.
        hand = row_of(loops.axis_direction, j, 1)
        e, f = turn(P, hand), turn(C, hand)
        cosine = dot(e, f) - dot(d, e) * dot(d, f)
        sine = dot(d, cross(e, f))
        # The turn that is nearest to the last angle: a step may turn a joint by less than half a revolution.
        angle = math.atan2(sine, cosine)
        turns = round((loops.axis_position[j] - angle) / (2.0 * math.pi))
        loops.axis_position[j] = angle + 2.0 * math.pi * turns


@compiled
def gap_of(loops: LoopViews, loop: int) -> Vector:
    """From the origin of Jp to that of Jc, x - x_p."""
    return minus(row_of(loops.frame, 2 * loop + 1, ORIGIN), row_of(loops.frame, 2 * loop, ORIGIN))


@compiled
def move_loops(tree: TreeViews, state: StateViews, loops: LoopViews) -> None:
    """Motion of every loop joint. The world moves with nothing but minus gravity. Needs fresh loop frames, velocities
    and bias accelerations."""
    g = tree.gravity
    motion = loops.motion
    nothing = (0.0, 0.0, 0.0)
    for loop in range(motion.shape[0]):
        x = row_of(loops.frame, 2 * loop + 1, ORIGIN)
        twist = STILL
        bent = STILL
        set_row(motion, loop, POINT_RATE, nothing)
        for side in range(2):
            i = loops.node[2 * loop + side]
            sign = 2.0 * side - 1.0
            if i < 0:
                set_row(motion, loop, SIDE_RATE + side, nothing)
                bent = plus_spatial(bent, -sign, (0.0, 0.0, 0.0, g[0], g[1], g[2]))
                continue
            r = minus(x, row_vector(state.p, i))
            here = twist_at(row_spatial(state.velocity, i), r)
            twist = plus_spatial(twist, sign, here)
            bent = plus_spatial(bent, sign, twist_at(row_spatial(state.acceleration, i), r))
            if side == 1:
                set_row(motion, loop, POINT_RATE, (here[3], here[4], here[5]))
            set_row(motion, loop, SIDE_RATE + side, (here[0], here[1], here[2]))
        set_row(motion, loop, TWIST, (twist[0], twist[1], twist[2]))
        set_row(motion, loop, TWIST + 1, (twist[3], twist[4], twist[5]))
        set_row(motion, loop, BENT, (bent[0], bent[1], bent[2]))
        set_row(motion, loop, BENT + 1, (bent[3], bent[4], bent[5]))


@compiled
def rate_along(loops: LoopViews, loop: int, T: Spatial) -> float:
    """T . dv."""
    motion = loops.motion
    rate = T[0] * motion[loop, TWIST, 0] + T[1] * motion[loop, TWIST, 1] + T[2] * motion[loop, TWIST, 2]
    rate = rate + T[3] * motion[loop, TWIST + 1, 0] + T[4] * motion[loop, TWIST + 1, 1]
    return rate + T[5] * motion[loop, TWIST + 1, 2]


@compiled
def change_along(loops: LoopViews, loop: int, T: Spatial, D: Spatial) -> float:
    """T . (a_b - a_a) + D . dv."""
    a, v = loops.motion, loops.motion
    change = T[0] * a[loop, BENT, 0] + D[0] * v[loop, TWIST, 0]
    change += T[1] * a[loop, BENT, 1] + D[1] * v[loop, TWIST, 1]
    change += T[2] * a[loop, BENT, 2] + D[2] * v[loop, TWIST, 2]
    change += T[3] * a[loop, BENT + 1, 0] + D[3] * v[loop, TWIST + 1, 0]
    change += T[4] * a[loop, BENT + 1, 1] + D[4] * v[loop, TWIST + 1, 1]
    change += T[5] * a[loop, BENT + 1, 2] + D[5] * v[loop, TWIST + 1, 2]
    return change


# -- directions --------------------------------------------------------------------------------------------------------


@compiled
def line_wrench(loops: LoopViews, loop: int, side: int, vector: Vector) -> tuple[Spatial, Spatial]:
    """T = (0, u) and D = (dx/dt × u, du/dt), for u fixed in Jp (side 0) or Jc; needs fresh loop motion."""
    u = turn(rotation_of(loops.frame, 2 * loop + side), vector)
    # d/dt of u . (x - x_p): its T is at the moving point x, so dT/dt has the moment dx/dt x u, and du/dt = w_a x u.
    moment = cross(row_of(loops.motion, loop, POINT_RATE), u)
    change = cross(row_of(loops.motion, loop, SIDE_RATE + side), u)
    T = (0.0, 0.0, 0.0, u[0], u[1], u[2])
    return T, (moment[0], moment[1], moment[2], change[0], change[1], change[2])


@compiled
def turn_wrench(loops: LoopViews, loop: int, u_in_parent: Vector, w_in_child: Vector) -> tuple[Spatial, Spatial, float]:
    """T = (w × u, 0), D its derivative, and u . w."""
    u = turn(rotation_of(loops.frame, 2 * loop), u_in_parent)
    w = turn(rotation_of(loops.frame, 2 * loop + 1), w_in_child)
    t = cross(w, u)
    du = cross(row_of(loops.motion, loop, SIDE_RATE), u)
    dw = cross(row_of(loops.motion, loop, SIDE_RATE + 1), w)
    # d/dt (w x u) = (w_b x w) x u + w x (w_a x u).
    d0 = dw[1] * u[2] - dw[2] * u[1] + w[1] * du[2] - w[2] * du[1]
    d1 = dw[2] * u[0] - dw[0] * u[2] + w[2] * du[0] - w[0] * du[2]
    d2 = dw[0] * u[1] - dw[1] * u[0] + w[0] * du[1] - w[1] * du[0]
    return (t[0], t[1], t[2], 0.0, 0.0, 0.0), (d0, d1, d2, 0.0, 0.0, 0.0), dot(u, w)


@compiled
def axis_wrench(loops: LoopViews, j: int) -> tuple[Spatial, Spatial]:
    """T of a loop axis' rate, and D its derivative."""
    side = 1 if loops.axis_kind[j] == CHILD_TURN else 0
    loop = loops.axis_loop[j]
    T, D = line_wrench(loops, loop, side, row_of(loops.axis_direction, j, 0))
    if loops.axis_kind[j] == SLIDE:
        return T, D
    t, d = _dual(loops, j, side, (T[3], T[4], T[5]), (D[3], D[4], D[5]))
    return (t[0], t[1], t[2], 0.0, 0.0, 0.0), (d[0], d[1], d[2], 0.0, 0.0, 0.0)


@compiled
def _dual(loops: LoopViews, j: int, side: int, t: Vector, d: Vector) -> tuple[Vector, Vector]:
    """From the direction of a turn in the world, and its derivative, to what measures its rate beside the other turn of
    its joint.

    A universal turns with w = q1' a + q2' b, so q1' = w . (a - c b) / (1 - c²) with c = a . b, and likewise q2'. b
    turns about a, so that c is constant. A hinge's hand is across it: c = 0.
    """
    hand = row_of(loops.axis_direction, j, 1)
    c = dot(row_of(loops.axis_direction, j, 0), hand)
    if abs(c) < ACROSS:
        return t, d
    scale = 1.0 / (1.0 - c * c)
    other = 1 - side
    b = turn(rotation_of(loops.frame, 2 * loops.axis_loop[j] + other), hand)
    change = cross(row_of(loops.motion, loops.axis_loop[j], SIDE_RATE + other), b)
    return (
        (scale * (t[0] - c * b[0]), scale * (t[1] - c * b[1]), scale * (t[2] - c * b[2])),
        (scale * (d[0] - c * change[0]), scale * (d[1] - c * change[1]), scale * (d[2] - c * change[2])),
    )


@compiled
def add_wrench(
    tree: TreeViews,
    state: StateViews,
    loops: LoopViews,
    row: Floats,
    loop: int,
    T: Spatial,
    factor: float,
) -> None:
    """Row over the coordinates += factor * T . dv, along the loop's path through the tree."""
    x = row_of(loops.frame, 2 * loop + 1, ORIGIN)
    for t in range(loops.path_begin[loop], loops.path_begin[loop + 1]):
        i = loops.path_node[t]
        # Power of (t, u) at x is power of the moment t + (x - p) x u about p and of the same force u.
        wrench = moved_wrench(T, minus(x, row_vector(state.p, i)))
        enter_freedoms(tree, state, row, i, factor * loops.path_sign[t], wrench)


@compiled
def enter_freedoms(tree: TreeViews, state: StateViews, row: Floats, i: int, scale: float, wrench: Spatial) -> None:
    """Row over the coordinates += scale times the power of a wrench (moment, force) about the origin of node i on what
    the freedoms of its joint add to its twist."""
    moment, force = (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])
    for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
        add_effort(tree.G, k, scale * dot(row_vector(state.S, k), moment if tree.turns[k] else force), row)


# -- rows --------------------------------------------------------------------------------------------------------------


@entry("motion")
def find_rows(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews, drift: bool) -> float:
    """As `find_first_rows`, of all active rows, guides behind them."""
    worst = find_first_rows(tree, state, loops, rows, rows.solved - rows.guides, drift)
    add_guides(rows)
    return worst


@compiled
def find_first_rows(
    tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews, count: int, drift: bool
) -> float:
    """K, residuals and, with `drift`, rhs (minus the velocity terms) of the first `count` rows, active ones first;
    returns the largest residual.

    Needs fresh poses, loop frames, loop axes and, for rhs, loop motion.
    """
    worst = 0.0
    for r in range(count):
        row = loops.active[r]
        loop = loops.row_loop[row]
        kind = loops.row_kind[row]
        K = rows.K[r, :]
        clear(K)
        rows.rhs[r] = 0.0
        if kind == CURVED:
            residual, bend = slope_row(tree, state, loops, row, drift)
            axis_row(tree, state, loops, (K, rows.rhs), r, row, drift)
            rows.rhs[r] -= bend
        elif kind == AXIS:
            residual = axis_row(tree, state, loops, (K, rows.rhs), r, row, drift) - loops.row_target[row]
        else:
            T, D, residual = loop_row(loops, loop, row)
            add_wrench(tree, state, loops, K, loop, T, 1.0)
            if drift:
                rows.rhs[r] -= change_along(loops, loop, T, D)
        rows.residual[r] = residual
        worst = max(worst, abs(residual))
    return worst


@compiled
def loop_row(loops: LoopViews, loop: int, row: int) -> tuple[Spatial, Spatial, float]:
    """T, D and the residual of a row of a loop joint."""
    u = row_vector(loops.row_u, row)
    if loops.row_kind[row] == LINE:
        T, D = line_wrench(loops, loop, 0, u)
        return T, D, dot((T[3], T[4], T[5]), gap_of(loops, loop))
    T, D, cosine = turn_wrench(loops, loop, u, row_vector(loops.row_w, row))
    return T, D, cosine - loops.row_target[row]


@compiled
def add_guides(rows: RowViews) -> None:
    """Rows that keep a mechanism at a singular position on one motion follow the active rows: no residual."""
    first = rows.solved - rows.guides
    for g in range(rows.guides):
        rows.residual[first + g], rows.rhs[first + g] = 0.0, rows.guide_rhs[g]
        for a in range(rows.K.shape[1]):
            rows.K[first + g, a] = rows.guide[g, a]


@compiled
def slope_row(tree: TreeViews, state: StateViews, loops: LoopViews, row: int, drift: bool) -> tuple[float, float]:
    """Put the slopes of a formula at the coefficients of its row's terms; its value, and q'^T phi'' q', 0 without
    `drift`."""
    variable = loops.tape.variable
    first, last = loops.term_begin[row], loops.term_begin[row + 1]
    for t in range(first, last):
        j, k = loops.term_axis[t], loops.term_freedom[t]
        variable[t - first, VALUE] = loops.axis_position[j] if j >= 0 else position_of(tree.G, state.Q, k)
        variable[t - first, RATE] = 0.0
        if drift:
            variable[t - first, RATE] = loop_axis_rate(loops, j) if j >= 0 else state.QD[k]
    value, bend = run_tape(loops.tape, row)
    for t in range(first, last):
        loops.coefficient[t] = variable[t - first, SLOPE]
    return value, bend


@compiled
def axis_row(
    tree: TreeViews,
    state: StateViews,
    loops: LoopViews,
    place: tuple[Floats, Floats],
    r: int,
    row: int,
    drift: bool,
) -> float:
    """Add to a dense row the row of a coupling with loop axes, or of a rotor's rate; with `drift`, subtract its
    velocity terms from rhs[r]. `place`: the dense row, and rhs. Returns its left-hand side."""
    (K, rhs) = place
    G = tree.G
    total = 0.0
    for t in range(loops.term_begin[row], loops.term_begin[row + 1]):
        j = loops.term_axis[t]
        k = loops.term_freedom[t]
        coefficient = loops.coefficient[t]
        if j >= 0:
            total += coefficient * loops.axis_position[j]
            T, D = axis_wrench(loops, j)
            add_wrench(tree, state, loops, K, loops.axis_loop[j], T, coefficient)
            if drift:
                rhs[r] -= coefficient * change_along(loops, loops.axis_loop[j], T, D)
            continue
        # A freedom is G y + constant: its terms go to the columns of the independent coordinates.
        total += coefficient * G.constant[k]
        for u in range(G.begin[k], G.begin[k + 1]):
            K[G.column[u]] += coefficient * G.value[u]
            total += coefficient * G.value[u] * state.Q[G.place[G.column[u]]]
    return total


# -- plays of real couplings along curves ------------------------------------------------------------------------------


@compiled
def follow_curves(m: MechanismViews) -> None:
    """Rows of G of plays along curves, z = φ(q): the slopes of φ at the positions Q, such that G y + c is z there. What
    is held along a play over a step turns with its row."""
    for i in range(m.loops.curves):
        _follow_curve(m, i)


@compiled
def _follow_curve(m: MechanismViews, i: int) -> None:
    tree, state, loops = m.tree, m.state, m.loops
    G = tree.G
    row = row_of_play(loops, i)
    first, last = loops.term_begin[row], loops.term_begin[row + 1]
    for u in range(first, last):
        k = loops.term_freedom[u]
        state.QD[k] = rate_of(G, state.V, k)
    z, loops.along_play[i, 1] = slope_row(tree, state, loops, row, True)
    k = loops.play[i]
    held = loops.along_play[i, 0]
    for t in range(G.begin[k], G.begin[k + 1]):
        a = G.column[t]
        entry = 0.0
        for u in range(first, last):
            entry += loops.coefficient[u] * entry_of(G, loops.term_freedom[u], a)
        m.efforts.loss[a] += held * (entry - G.value[t])
        G.value[t] = entry
        z -= entry * state.Q[G.place[a]]
    G.constant[k] = z


@compiled
def row_of_play(loops: LoopViews, i: int) -> int:
    """Where the terms and the formula of the i-th play along a curve are."""
    return loops.row_kind.shape[0] + loops.rotor.shape[0] + i


@compiled
def play_of(loops: LoopViews, k: int) -> int:
    """Which of the plays along curves freedom k is; -1 where it is none."""
    found = -1
    for i in range(loops.play.shape[0]):
        if loops.play[i] == k:
            found = i
    return found


@compiled
def slope_ahead(m: MechanismViews, i: int, time: float) -> float:
    """Slope f' of the law of the i-th play, z = q_follower - f(q_leader), where its leader is in that time [s] at its
    present rate."""
    loops, variable = m.loops, m.loops.tape.variable
    row = row_of_play(loops, i)
    first = loops.term_begin[row]
    for t in range(first, loops.term_begin[row + 1]):
        k = loops.term_freedom[t]
        variable[t - first, VALUE] = position_of(m.tree.G, m.state.Q, k) + time * rate_of(m.tree.G, m.state.V, k)
        variable[t - first, RATE] = 0.0
    run_tape(loops.tape, row)
    return -variable[1, SLOPE]


# -- axes --------------------------------------------------------------------------------------------------------------


@compiled
def add_loop_axis_efforts(tree: TreeViews, state: StateViews, loops: LoopViews, rows: RowViews) -> None:
    """DV += G^T T times the effort of every loop axis: what acts on it, its damping and its spring."""
    spare = rows.K[rows.spare, :]
    for j in range(loops.axis_kind.shape[0]):
        effort = loops.given[j] + loops.drive[j] + loops.loss[j]
        effort -= loops.passive[j, 1] * (loops.axis_position[j] - loops.passive[j, 2])
        if effort == 0.0 and loops.passive[j, 0] == 0.0:
            continue
        T, _ = axis_wrench(loops, j)
        effort -= loops.passive[j, 0] * rate_along(loops, loops.axis_loop[j], T)
        clear(spare)
        # Virtual power: an effort on the axis is the row of its rate, J^T tau.
        add_wrench(tree, state, loops, spare, loops.axis_loop[j], T, effort)
        for a in range(spare.shape[0]):
            state.DV[a] += spare[a]


@compiled
def loop_axis_rate(loops: LoopViews, j: int) -> float:
    """Velocity of a loop axis [rad/s or m/s]. Needs fresh loop motion."""
    T, _ = axis_wrench(loops, j)
    return rate_along(loops, loops.axis_loop[j], T)


@compiled
def loop_axis_drift(loops: LoopViews, j: int) -> float:
    """Acceleration of a loop axis [rad/s² or m/s²] at the accelerations that nodes have. Needs fresh loop motion."""
    T, D = axis_wrench(loops, j)
    return change_along(loops, loops.axis_loop[j], T, D)
