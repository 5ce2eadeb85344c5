"""Rows of loop joints and of couplings that loop joints' axes take part in.

For a loop joint between frames Jp (on node a) and Jc (on node b), x the origin of Jc and dv the twist of b against a
about x:
  LINE   u . (x - x_p) = 0, u fixed in Jp:              row T = (0, u)
  TURN   u . w = target, u fixed in Jp, w fixed in Jc:   row T = (w × u, 0)
  AXIS   sum over freedoms and loop axes = constant:     a loop axis along d counts T = (d, 0) or (0, d),
                                                        where two turns are askew the dual of d
Each row is T . dv = 0, and one derivative on T . (a_b - a_a) + D . dv = 0, where D = dT/dt + (dx/dt × u, 0) for the
moving point; both follow exactly from the left-hand sides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.flatten import FREEDOMS
from simulator.dynamics.compiled.tree_kernels import frame_origin, frame_rotation, placed_frame
from simulator.dynamics.compiled.tree_views import open_state
from simulator.dynamics.compiled.vector_kernels import rotated, vector_at
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, entry, view

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Vector

LINE, TURN, AXIS = 0, 1, 2
ACROSS = 1e-15
"""Directions whose product is below this are at right angles, but for rounding."""


@compiled
def update_loop_frames(F: Floats, N: Ints) -> None:
    """LFRAME: rotation (9) and origin (3) of Jp, then of Jc, in the world, for every loop joint."""
    state, sides = open_state(F, N), 2 * N[at.LOOPS]
    nodes = view(N, int_start(N, at.I_LOOP_NODE), (sides,))
    frames = view(F, start(N, at.F_LOOP_X), (sides, 3, 4))
    placed = view(F, start(N, at.F_LFRAME), (sides, 12))
    for s in range(sides):
        R, p = placed_frame(state, nodes[s], frame_rotation(frames, s), frame_origin(frames, s))
        placed[s, 0], placed[s, 1], placed[s, 2] = R[0], R[1], R[2]
        placed[s, 3], placed[s, 4], placed[s, 5] = R[3], R[4], R[5]
        placed[s, 6], placed[s, 7], placed[s, 8] = R[6], R[7], R[8]
        placed[s, 9], placed[s, 10], placed[s, 11] = p


@compiled
def update_loop_axes(F: Floats, N: Ints) -> None:
    """LAXIS_Q: position of every loop axis; angles go on from the value that stands there (they know their turns)."""
    LF, LD, LQ = start(N, at.F_LFRAME), start(N, at.F_LAXIS_DIR), start(N, at.F_LAXIS_Q)
    kind, loop_of = int_start(N, at.I_LAXIS_KIND), int_start(N, at.I_LAXIS_LOOP)
    for j in range(N[at.LOOP_AXES]):
        p = 24 * N[loop_of + j]
        c = p + 12
        d0, d1, d2 = rotated(F, LF + (c if N[kind + j] == 2 else p), vector_at(F, LD + 6 * j))
        if N[kind + j] == 1:
            F[LQ + j] = (
                d0 * (F[LF + c + 9] - F[LF + p + 9])
                + d1 * (F[LF + c + 10] - F[LF + p + 10])
                + d2 * (F[LF + c + 11] - F[LF + p + 11])
            )
            continue
        # Any unit vector that is not along the axis serves as a hand, seen along the axis: it is stored with the
        # direction.
        e0, e1, e2 = rotated(F, LF + p, vector_at(F, LD + 6 * j + 3))
        f0, f1, f2 = rotated(F, LF + c, vector_at(F, LD + 6 * j + 3))
        cosine = e0 * f0 + e1 * f1 + e2 * f2 - (d0 * e0 + d1 * e1 + d2 * e2) * (d0 * f0 + d1 * f1 + d2 * f2)
        sine = d0 * (e1 * f2 - e2 * f1) + d1 * (e2 * f0 - e0 * f2) + d2 * (e0 * f1 - e1 * f0)
        # The turn that is nearest to the last angle: a step may turn a joint by less than half a revolution.
        angle = math.atan2(sine, cosine)
        F[LQ + j] = angle + 2.0 * math.pi * round((F[LQ + j] - angle) / (2.0 * math.pi))


@compiled
def add_wrench(F: Floats, N: Ints, row: int, loop: int, T: int, factor: float) -> None:
    """K row += factor * T . (twist of b against a), along the loop's path through the tree."""
    K, P, places = start(N, at.F_K), start(N, at.F_P), freedoms_at(N)
    path, node, sign = int_start(N, at.I_PATH_PTR), int_start(N, at.I_PATH_NODE), int_start(N, at.I_PATH_SIGN)
    base, x = K + row * N[at.INDEPENDENT], start(N, at.F_LFRAME) + 24 * loop + 21
    t0, t1, t2, u0, u1, u2 = F[T], F[T + 1], F[T + 2], F[T + 3], F[T + 4], F[T + 5]
    for t in range(N[path + loop], N[path + loop + 1]):
        i, scale = N[node + t], factor * N[sign + t]
        r0, r1, r2 = F[x] - F[P + 3 * i], F[x + 1] - F[P + 3 * i + 1], F[x + 2] - F[P + 3 * i + 2]
        # Power of (t, u) at x is power of the moment t + (x - p) x u about p and of the same force u.
        m0, m1, m2 = t0 + r1 * u2 - r2 * u1, t1 + r2 * u0 - r0 * u2, t2 + r0 * u1 - r1 * u0
        enter_freedoms(F, N, places, base, i, scale, (m0, m1, m2), (u0, u1, u2))


@compiled
def freedoms_at(N: Ints) -> tuple[int, int, int, int, int, int, int]:
    """Where all that `enter_freedoms` reads starts; looked up once, before a loop."""
    return (
        start(N, at.F_S),
        start(N, at.F_GVALUE),
        int_start(N, at.I_TURNS),
        int_start(N, at.I_KIND),
        int_start(N, at.I_FIRST),
        int_start(N, at.I_GPTR),
        int_start(N, at.I_GINDEX),
    )


@compiled
def enter_freedoms(
    F: Floats,
    N: Ints,
    places: tuple[int, int, int, int, int, int, int],
    row: int,
    i: int,
    scale: float,
    m: Vector,
    u: Vector,
) -> None:
    """Dense row += scale times what the freedoms of node i add to m . (angular velocity) + u . (velocity of its
    origin), per independent rate; `places`: see `freedoms_at`."""
    S, value, turns, kind, first, ptr, index = places
    (m0, m1, m2), (u0, u1, u2) = m, u
    for k in range(N[first + i], N[first + i] + FREEDOMS[N[kind + i]]):
        s = S + 3 * k
        d0, d1, d2 = (m0, m1, m2) if N[turns + k] else (u0, u1, u2)
        entry = scale * (F[s] * d0 + F[s + 1] * d1 + F[s + 2] * d2)
        for t in range(N[ptr + k], N[ptr + k + 1]):
            F[row + N[index + t]] += F[value + t] * entry


@compiled
def update_loops(F: Floats, N: Ints) -> None:
    """Frames, axes and motion of all loop joints at fresh poses and velocities."""
    if N[at.LOOPS] > 0:
        update_loop_frames(F, N)
        update_loop_axes(F, N)
        update_loop_motion(F, N)


@compiled
def update_loop_motion(F: Floats, N: Ints) -> None:
    """LMOTION of every loop joint: twist (6) and bias acceleration (6) of b against a about x, velocity of x (3),
    angular velocity of a (3) and of b (3). The world moves with nothing but minus gravity. Needs fresh loop frames,
    velocities and bias accelerations."""
    LM, LF, gravity = start(N, at.F_LMOTION), start(N, at.F_LFRAME), start(N, at.F_GRAVITY)
    VEL, ACC, P, node = start(N, at.F_VEL), start(N, at.F_ACC), start(N, at.F_P), int_start(N, at.I_LOOP_NODE)
    for loop in range(N[at.LOOPS]):
        o, x = LM + 21 * loop, LF + 24 * loop + 21
        for c in range(21):
            F[o + c] = 0.0
        for side in range(2):
            i, scale = N[node + 2 * loop + side], 2.0 * side - 1.0
            if i < 0:
                for c in range(3):
                    F[o + 9 + c] -= scale * F[gravity + c]
                continue
            _add_scaled(F, VEL + 6 * i, P + 3 * i, x, o, scale)
            _add_scaled(F, ACC + 6 * i, P + 3 * i, x, o + 6, scale)
            if side == 1:
                _add_velocity(F, VEL + 6 * i, P + 3 * i, x, o + 12)
            for c in range(3):
                F[o + 15 + 3 * side + c] = F[VEL + 6 * i + c]


@compiled
def _add_scaled(F: Floats, v: int, origin: int, x: int, out: int, scale: float) -> None:
    """out += scale * the twist at v, which is about `origin`, taken about x."""
    r0, r1, r2 = F[x] - F[origin], F[x + 1] - F[origin + 1], F[x + 2] - F[origin + 2]
    w0, w1, w2 = F[v], F[v + 1], F[v + 2]
    F[out] += scale * w0
    F[out + 1] += scale * w1
    F[out + 2] += scale * w2
    F[out + 3] += scale * (F[v + 3] + w1 * r2 - w2 * r1)
    F[out + 4] += scale * (F[v + 4] + w2 * r0 - w0 * r2)
    F[out + 5] += scale * (F[v + 5] + w0 * r1 - w1 * r0)


@compiled
def _add_velocity(F: Floats, v: int, origin: int, x: int, out: int) -> None:
    """Velocity of the point x under the twist at v."""
    r0, r1, r2 = F[x] - F[origin], F[x + 1] - F[origin + 1], F[x + 2] - F[origin + 2]
    F[out] = F[v + 3] + F[v + 1] * r2 - F[v + 2] * r1
    F[out + 1] = F[v + 4] + F[v + 2] * r0 - F[v] * r2
    F[out + 2] = F[v + 5] + F[v] * r1 - F[v + 1] * r0


@compiled
def line_wrench(F: Floats, N: Ints, loop: int, side: int, vector: int, T: int) -> None:
    """T = (0, u) and D = (dx/dt × u, du/dt), six numbers each, for u fixed in Jp (side 0) or Jc; needs fresh
    velocities."""
    LF = start(N, at.F_LFRAME)
    u0, u1, u2 = rotated(F, LF + 24 * loop + 12 * side, vector_at(F, vector))
    F[T] = F[T + 1] = F[T + 2] = 0.0
    F[T + 3], F[T + 4], F[T + 5] = u0, u1, u2
    o = start(N, at.F_LMOTION) + 21 * loop
    w0, w1, w2 = F[o + 15 + 3 * side], F[o + 16 + 3 * side], F[o + 17 + 3 * side]
    y0, y1, y2 = F[o + 12], F[o + 13], F[o + 14]
    # d/dt of u . (x - x_p): its T is at the moving point x, so dT/dt has the moment dx/dt x u, and du/dt = w_a x u.
    F[T + 6], F[T + 7], F[T + 8] = y1 * u2 - y2 * u1, y2 * u0 - y0 * u2, y0 * u1 - y1 * u0
    F[T + 9], F[T + 10], F[T + 11] = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0


@compiled
def turn_wrench(F: Floats, N: Ints, loop: int, u_at: int, w_at: int, T: int) -> float:
    """T = (w × u, 0) and D its derivative; returns u . w."""
    LF = start(N, at.F_LFRAME)
    p = 24 * loop
    u0, u1, u2 = rotated(F, LF + p, vector_at(F, u_at))
    w0, w1, w2 = rotated(F, LF + p + 12, vector_at(F, w_at))
    F[T + 0], F[T + 1], F[T + 2] = w1 * u2 - w2 * u1, w2 * u0 - w0 * u2, w0 * u1 - w1 * u0
    F[T + 3] = F[T + 4] = F[T + 5] = F[T + 9] = F[T + 10] = F[T + 11] = 0.0
    o = start(N, at.F_LMOTION) + 21 * loop
    a0, a1, a2 = F[o + 15], F[o + 16], F[o + 17]
    b0, b1, b2 = F[o + 18], F[o + 19], F[o + 20]
    du0, du1, du2 = a1 * u2 - a2 * u1, a2 * u0 - a0 * u2, a0 * u1 - a1 * u0
    dw0, dw1, dw2 = b1 * w2 - b2 * w1, b2 * w0 - b0 * w2, b0 * w1 - b1 * w0
    # d/dt (w x u) = (w_b x w) x u + w x (w_a x u).
    F[T + 6] = dw1 * u2 - dw2 * u1 + w1 * du2 - w2 * du1
    F[T + 7] = dw2 * u0 - dw0 * u2 + w2 * du0 - w0 * du2
    F[T + 8] = dw0 * u1 - dw1 * u0 + w0 * du1 - w1 * du0
    return u0 * w0 + u1 * w1 + u2 * w2


@compiled
def axis_wrench(F: Floats, N: Ints, j: int, T: int) -> None:
    """T of a loop axis' rate, and D its derivative."""
    LD, kind, loop_of = start(N, at.F_LAXIS_DIR), int_start(N, at.I_LAXIS_KIND), int_start(N, at.I_LAXIS_LOOP)
    side = 1 if N[kind + j] == 2 else 0
    line_wrench(F, N, N[loop_of + j], side, LD + 6 * j, T)
    if N[kind + j] != 1:
        for a in range(3):
            F[T + a], F[T + 6 + a] = F[T + 3 + a], F[T + 9 + a]
            F[T + 3 + a] = F[T + 9 + a] = 0.0
        _make_dual(F, N, N[loop_of + j], side, LD + 6 * j, T)


@compiled
def _make_dual(F: Floats, N: Ints, loop: int, side: int, direction: int, T: int) -> None:
    """From the direction of a turn, and its derivative, to what measures its rate beside the other turn of its joint.

    A universal turns with w = q1' a + q2' b, so q1' = w . (a - c b) / (1 - c²) with c = a . b, and likewise q2'. b
    turns about a, so that c is constant. A hinge's hand is across it: c = 0.
    """
    d0, d1, d2 = vector_at(F, direction)
    h0, h1, h2 = vector_at(F, direction + 3)
    c = d0 * h0 + d1 * h1 + d2 * h2
    if abs(c) < ACROSS:
        return
    scale = 1.0 / (1.0 - c * c)
    b0, b1, b2 = rotated(F, start(N, at.F_LFRAME) + 24 * loop + 12 * (1 - side), (h0, h1, h2))
    o = start(N, at.F_LMOTION) + 21 * loop + 15 + 3 * (1 - side)
    w0, w1, w2 = F[o], F[o + 1], F[o + 2]
    F[T], F[T + 1], F[T + 2] = scale * (F[T] - c * b0), scale * (F[T + 1] - c * b1), scale * (F[T + 2] - c * b2)
    F[T + 6] = scale * (F[T + 6] - c * (w1 * b2 - w2 * b1))
    F[T + 7] = scale * (F[T + 7] - c * (w2 * b0 - w0 * b2))
    F[T + 8] = scale * (F[T + 8] - c * (w0 * b1 - w1 * b0))


@entry("motion")
def update_rows(F: Floats, N: Ints) -> float:
    """K (rows, independent), PHI (residuals) and RHS (minus the velocity terms) of all active rows, guides behind them;
    returns the largest |PHI|.

    Needs fresh poses, loop frames, loop axes and, for RHS, loop motion.
    """
    K, PHI, RHS, work = start(N, at.F_K), start(N, at.F_PHI), start(N, at.F_RHS), start(N, at.F_TWIST)
    U, W, target, LF = (
        start(N, at.F_ROW_U),
        start(N, at.F_ROW_W),
        start(N, at.F_ROW_TARGET),
        start(N, at.F_LFRAME),
    )
    kind, loop_of, active = int_start(N, at.I_ROW_KIND), int_start(N, at.I_ROW_LOOP), int_start(N, at.I_ROW_ACTIVE)
    T = work + 12
    m, worst = N[at.INDEPENDENT], 0.0
    for r in range(N[at.RANK] - N[at.GUIDES]):
        row = N[active + r]
        for a in range(m):
            F[K + r * m + a] = 0.0
        F[RHS + r] = 0.0
        if N[kind + row] == AXIS:
            F[PHI + r] = axis_row(F, N, r, row) - F[target + row]
        else:
            loop = N[loop_of + row]
            if N[kind + row] == LINE:
                line_wrench(F, N, loop, 0, U + 3 * row, T)
                p = 24 * loop
                F[PHI + r] = (
                    F[T + 3] * (F[LF + p + 21] - F[LF + p + 9])
                    + F[T + 4] * (F[LF + p + 22] - F[LF + p + 10])
                    + F[T + 5] * (F[LF + p + 23] - F[LF + p + 11])
                )
            else:
                F[PHI + r] = turn_wrench(F, N, loop, U + 3 * row, W + 3 * row, T) - F[target + row]
            add_wrench(F, N, r, loop, T, 1.0)
            _subtract_drift(F, N, r, loop, T, 1.0)
        worst = max(worst, abs(F[PHI + r]))
    add_guides(F, N)
    return worst


@compiled
def add_guides(F: Floats, N: Ints) -> None:
    """Rows that keep a mechanism at a singular position on one motion follow the active rows: K = GUIDE, RHS =
    GUIDE_RHS, no residual."""
    K, PHI, RHS, guide = start(N, at.F_K), start(N, at.F_PHI), start(N, at.F_RHS), start(N, at.F_GUIDE)
    m, first = N[at.INDEPENDENT], N[at.RANK] - N[at.GUIDES]
    for g in range(N[at.GUIDES]):
        F[PHI + first + g], F[RHS + first + g] = 0.0, F[start(N, at.F_GUIDE_RHS) + g]
        for a in range(m):
            F[K + (first + g) * m + a] = F[guide + g * m + a]


@compiled
def _subtract_drift(F: Floats, N: Ints, r: int, loop: int, T: int, factor: float) -> None:
    """RHS -= factor (T . (a_b - a_a) + D . (v_b - v_a)), where somebody asks for it."""
    if N[at.DRIFT] == 0:
        return
    F[start(N, at.F_RHS) + r] -= factor * _change_along(F, N, loop, T)


@compiled
def _change_along(F: Floats, N: Ints, loop: int, T: int) -> float:
    """T . (a_b - a_a) + D . (v_b - v_a) of a loop; D, the derivative of T, is behind it."""
    o, total = start(N, at.F_LMOTION) + 21 * loop, 0.0
    for c in range(6):
        total += F[T + c] * F[o + 6 + c] + F[T + 6 + c] * F[o + c]
    return total


@compiled
def axis_row(F: Floats, N: Ints, r: int, row: int) -> float:
    """K row r of a coupling with loop axes, or of a rotor's rate; returns its left-hand side."""
    K, Q, work = start(N, at.F_K), start(N, at.F_Q), start(N, at.F_TWIST)
    coefficient, LQ, constant = start(N, at.F_LCOEF), start(N, at.F_LAXIS_Q), start(N, at.F_GCONST)
    value, ptr, index = start(N, at.F_GVALUE), int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    ypos, loop_of = int_start(N, at.I_YPOS), int_start(N, at.I_LAXIS_LOOP)
    terms, axis, freedom = int_start(N, at.I_TERM_PTR), int_start(N, at.I_TERM_AXIS), int_start(N, at.I_TERM_DOF)
    T = work + 12
    total, base = 0.0, r * N[at.INDEPENDENT]
    for t in range(N[terms + row], N[terms + row + 1]):
        if N[axis + t] >= 0:
            j = N[axis + t]
            total += F[coefficient + t] * F[LQ + j]
            axis_wrench(F, N, j, T)
            add_wrench(F, N, r, N[loop_of + j], T, F[coefficient + t])
            _subtract_drift(F, N, r, N[loop_of + j], T, F[coefficient + t])
        else:
            k = N[freedom + t]
            # A freedom is G y + constant: its terms go to the columns of the independent coordinates.
            total += F[coefficient + t] * F[constant + k]
            for u in range(N[ptr + k], N[ptr + k + 1]):
                F[K + base + N[index + u]] += F[coefficient + t] * F[value + u]
                total += F[coefficient + t] * F[value + u] * F[Q + N[ypos + N[index + u]]]
    return total


@compiled
def add_loop_axis_efforts(F: Floats, N: Ints) -> None:
    """DV += G^T T times the effort of every loop axis: what acts on it (behind the freedoms in TAU, LDRIVE and LLOSS),
    its damping and its spring."""
    TAU, DV, K, T = start(N, at.F_TAU), start(N, at.F_DV), start(N, at.F_K), start(N, at.F_TWIST) + 12
    LQ, passive, loop_of = start(N, at.F_LAXIS_Q), start(N, at.F_LPASSIVE), int_start(N, at.I_LAXIS_LOOP)
    m, spare = N[at.INDEPENDENT], N[at.SPARE]
    for j in range(N[at.LOOP_AXES]):
        effort = F[TAU + N[at.FREEDOMS] + j] + F[start(N, at.F_LDRIVE) + j] + F[start(N, at.F_LLOSS) + j]
        effort -= F[passive + 3 * j + 1] * (F[LQ + j] - F[passive + 3 * j + 2])
        if effort == 0.0 and F[passive + 3 * j] == 0.0:
            continue
        effort -= F[passive + 3 * j] * loop_axis_rate(F, N, j)
        for a in range(m):
            F[K + spare * m + a] = 0.0
        # Virtual power: an effort on the axis is the row of its rate, J^T tau.
        add_wrench(F, N, spare, N[loop_of + j], T, effort)
        for a in range(m):
            F[DV + a] += F[K + spare * m + a]


@compiled
def loop_axis_rate(F: Floats, N: Ints, j: int) -> float:
    """Velocity of a loop axis [rad/s or m/s]; leaves its T behind in the work block. Needs fresh loop motion."""
    T, o = start(N, at.F_TWIST) + 12, start(N, at.F_LMOTION) + 21 * N[int_start(N, at.I_LAXIS_LOOP) + j]
    axis_wrench(F, N, j, T)
    rate = 0.0
    for c in range(6):
        rate += F[T + c] * F[o + c]
    return rate


@compiled
def loop_axis_drift(F: Floats, N: Ints, j: int) -> float:
    """Acceleration of a loop axis [rad/s² or m/s²] at the accelerations that nodes have. Needs fresh loop motion."""
    T = start(N, at.F_TWIST) + 12
    axis_wrench(F, N, j, T)
    return _change_along(F, N, N[int_start(N, at.I_LAXIS_LOOP) + j], T)
