"""The dynamics of mechanisms in one plane: what `tree_kernels` and `loop_kernels` do in space, with angles for
rotations.

n x (x, y) = (-y, x) and a x b = a_x b_y - a_y b_x. Without accelerations of the freedoms a node's angular acceleration
is zero, so its bias is a_i = a_p - w_p^2 r (+ 2 w_p n x d qd), the force on it about its origin m a - w^2 h and h x a,
with h = m c. (Featherstone's planar vectors, Rigid Body Dynamics Algorithms, section 2.16.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.coupling_kernels import position_of, spread
from simulator.dynamics.compiled.loop_kernels import add_guides
from simulator.dynamics.compiled.loop_views import open_rows
from simulator.dynamics.compiled.mass_kernels import add_entry, start_mass
from simulator.dynamics.compiled.planar import NODE_NUMBERS, WORK
from simulator.dynamics.compiled.tree_kernels import find_closed_bias
from simulator.dynamics.compiled.tree_views import open_couplings, open_mass, open_state, open_tree
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Pair

# Work of a node: angle, its cosine and sine, origin, way from the parent's origin, direction of its slide, angular
# velocity, velocity and bias acceleration of the origin, composite mass, h and moment, force and moment on it.
ANGLE, COS, SIN, PX, PY, RX, RY, DX, DY, W, VX, VY, AX, AY, M, HX, HY, MOMENT, FX, FY, T = range(WORK)


@compiled
def _turned(cosine: float, sine: float, x: float, y: float) -> tuple[float, float]:
    return cosine * x - sine * y, sine * x + cosine * y


@entry("motion")
def place_in_plane(F: Floats, N: Ints) -> None:
    """Angle, origin, way and slide of every node from the positions Q."""
    PN, PW, G, Q = start(N, at.F_PLANE), start(N, at.F_PLANE_WORK), open_couplings(F, N), open_state(F, N).Q
    order, parent, first = int_start(N, at.I_ORDER), int_start(N, at.I_PARENT), int_start(N, at.I_FIRST)
    for n in range(N[at.ACTIVE]):
        i = N[order + n]
        c, o, q = PN + NODE_NUMBERS * i, PW + WORK * i, position_of(G, Q, N[first + i])
        angle, cosine, sine, px, py = 0.0, 1.0, 0.0, 0.0, 0.0
        if N[parent + i] >= 0:
            p = PW + WORK * N[parent + i]
            angle, cosine, sine, px, py = F[p + ANGLE], F[p + COS], F[p + SIN], F[p + PX], F[p + PY]
        x, y = F[c + 1], F[c + 2]
        if F[c] == 0.0:
            dx, dy = F[c + 3], F[c + 4]
            x, y = x + q * dx, y + q * dy
            F[o + DX], F[o + DY] = _turned(cosine, sine, dx, dy)
        F[o + RX], F[o + RY] = _turned(cosine, sine, x, y)
        F[o + PX], F[o + PY] = px + F[o + RX], py + F[o + RY]
        if F[c] != 0.0:
            angle += F[c] * q
            cosine, sine = math.cos(angle), math.sin(angle)
        F[o + ANGLE], F[o + COS], F[o + SIN] = angle, cosine, sine


@compiled
def move_in_plane(F: Floats, N: Ints) -> None:
    """Velocities, bias accelerations, inertias and forces of every node; QD = G V."""
    state = open_state(F, N)
    spread(open_couplings(F, N), state.V, state.QD)
    PN, PW, QD = start(N, at.F_PLANE), start(N, at.F_PLANE_WORK), start(N, at.F_QD)
    gravity, order = start(N, at.F_PLANE_GRAVITY), int_start(N, at.I_ORDER)
    parent, first = int_start(N, at.I_PARENT), int_start(N, at.I_FIRST)
    for n in range(N[at.ACTIVE]):
        i = N[order + n]
        c, o, rate = PN + NODE_NUMBERS * i, PW + WORK * i, F[QD + N[first + i]]
        w, vx, vy, ax, ay = 0.0, 0.0, 0.0, -F[gravity], -F[gravity + 1]
        if N[parent + i] >= 0:
            p, rx, ry = PW + WORK * N[parent + i], F[o + RX], F[o + RY]
            w = F[p + W]
            # v = v_p + w n x r,  a = a_p - w^2 r while nothing accelerates.
            vx, vy = F[p + VX] - w * ry, F[p + VY] + w * rx
            ax, ay = F[p + AX] - w * w * rx, F[p + AY] - w * w * ry
        if F[c] == 0.0:
            # A slide along d: v += d qd, and Coriolis 2 w n x d qd.
            dx, dy = F[o + DX] * rate, F[o + DY] * rate
            vx, vy, ax, ay = vx + dx, vy + dy, ax - 2.0 * w * dy, ay + 2.0 * w * dx
        else:
            w += F[c] * rate
        m, (x, y) = F[c + 5], _turned(F[o + COS], F[o + SIN], F[c + 6], F[c + 7])
        hx, hy = m * x, m * y
        F[o + W], F[o + VX], F[o + VY], F[o + AX], F[o + AY] = w, vx, vy, ax, ay
        F[o + M], F[o + HX], F[o + HY], F[o + MOMENT] = m, hx, hy, F[c + 8]
        F[o + FX], F[o + FY], F[o + T] = m * ax - w * w * hx, m * ay - w * w * hy, hx * ay - hy * ax


@compiled
def gather_in_plane(F: Floats, N: Ints) -> None:
    """BIAS of every freedom and H = G^T M G, from the leaves inwards."""
    PN, PW, BIAS = start(N, at.F_PLANE), start(N, at.F_PLANE_WORK), start(N, at.F_BIAS)
    G, mass = open_couplings(F, N), open_mass(F, N)
    order, parent, first = int_start(N, at.I_ORDER), int_start(N, at.I_PARENT), int_start(N, at.I_FIRST)
    find_closed_bias(open_tree(F, N), open_state(F, N))
    start_mass(mass)
    for n in range(N[at.ACTIVE] - 1, -1, -1):
        i = N[order + n]
        k, c, o = N[first + i], PN + NODE_NUMBERS * i, PW + WORK * i
        if F[c] == 0.0:
            F[BIAS + k] = F[o + DX] * F[o + FX] + F[o + DY] * F[o + FY]
            # I^c S: of a slide (h x d, m d), of a turn (I, n x h).
            fx, fy = F[o + M] * F[o + DX], F[o + M] * F[o + DY]
            moment = F[o + HX] * F[o + DY] - F[o + HY] * F[o + DX]
        else:
            F[BIAS + k] = F[c] * F[o + T]
            fx, fy, moment = -F[c] * F[o + HY], F[c] * F[o + HX], F[c] * F[o + MOMENT]
        if N[parent + i] >= 0:
            _hand_down(F, o, PW + WORK * N[parent + i])
        j = i
        while j >= 0:
            cj, oj = PN + NODE_NUMBERS * j, PW + WORK * j
            entry = F[oj + DX] * fx + F[oj + DY] * fy if F[cj] == 0.0 else F[cj] * moment
            add_entry(G, mass, k, N[first + j], entry)
            moment += F[oj + RX] * fy - F[oj + RY] * fx
            j = N[parent + j]


@compiled
def _hand_down(F: Floats, o: int, p: int) -> None:
    """Force, moment and composite inertia of a node added to its parent's."""
    rx, ry, m, hx, hy = F[o + RX], F[o + RY], F[o + M], F[o + HX], F[o + HY]
    F[p + FX] += F[o + FX]
    F[p + FY] += F[o + FY]
    F[p + T] += F[o + T] + rx * F[o + FY] - ry * F[o + FX]
    # I' = I + 2 r . h + m r . r (Steiner), h' = h + m r.
    F[p + MOMENT] += F[o + MOMENT] + 2.0 * (rx * hx + ry * hy) + m * (rx * rx + ry * ry)
    F[p + M] += m
    F[p + HX] += hx + m * rx
    F[p + HY] += hy + m * ry


@compiled
def rows_in_plane(F: Floats, N: Ints, drift: bool) -> float:
    """K, PHI and, where asked for, RHS of all active rows; returns the largest |PHI|."""
    K, PHI, RHS, U = start(N, at.F_K), start(N, at.F_PHI), start(N, at.F_RHS), start(N, at.F_PLANE_ROWS)
    X, PW, m = start(N, at.F_PLANE_LOOPS), start(N, at.F_PLANE_WORK), N[at.INDEPENDENT]
    loop_of, active, node = int_start(N, at.I_ROW_LOOP), int_start(N, at.I_ROW_ACTIVE), int_start(N, at.I_LOOP_NODE)
    worst = 0.0
    for r in range(N[at.RANK] - N[at.GUIDES]):
        row = N[active + r]
        loop = N[loop_of + row]
        a, b, x = N[node + 2 * loop], N[node + 2 * loop + 1], X + 4 * loop
        px, py, ux, uy = F[x], F[x + 1], F[U + 2 * row], F[U + 2 * row + 1]
        cx, cy = F[x + 2], F[x + 3]
        if a >= 0:
            o = PW + WORK * a
            px, py = F[o + PX] + F[o + COS] * px - F[o + SIN] * py, F[o + PY] + F[o + SIN] * px + F[o + COS] * py
            ux, uy = _turned(F[o + COS], F[o + SIN], ux, uy)
        if b >= 0:
            o = PW + WORK * b
            cx, cy = F[o + PX] + F[o + COS] * cx - F[o + SIN] * cy, F[o + PY] + F[o + SIN] * cx + F[o + COS] * cy
        wx, wy = cx - px, cy - py
        F[PHI + r] = ux * wx + uy * wy
        worst = max(worst, abs(F[PHI + r]))
        for e in range(m):
            F[K + r * m + e] = 0.0
        _enter_row(F, N, K + r * m, loop, (cx, cy), (ux, uy))
        if drift:
            F[RHS + r] = -_row_drift(F, N, (a, b), (px, py), (cx, cy), (ux, uy))
    add_guides(open_rows(F, N))
    return worst


@compiled
def _enter_row(F: Floats, N: Ints, row: int, loop: int, child: Pair, u: Pair) -> None:
    """Row of K: velocity along u of the child's side against the parent's at the point `child`, per independent
    rate."""
    (cx, cy), (ux, uy) = child, u
    PN, PW, value = start(N, at.F_PLANE), start(N, at.F_PLANE_WORK), start(N, at.F_GVALUE)
    path, path_node, path_sign = int_start(N, at.I_PATH_PTR), int_start(N, at.I_PATH_NODE), int_start(N, at.I_PATH_SIGN)
    ptr, index, first = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX), int_start(N, at.I_FIRST)
    for t in range(N[path + loop], N[path + loop + 1]):
        i = N[path_node + t]
        c, o, k = PN + NODE_NUMBERS * i, PW + WORK * i, N[first + i]
        if F[c] == 0.0:
            entry = N[path_sign + t] * (ux * F[o + DX] + uy * F[o + DY])
        else:
            # u . (n x (x - p)) for a turn about p with n = +-z.
            entry = N[path_sign + t] * F[c] * (uy * (cx - F[o + PX]) - ux * (cy - F[o + PY]))
        if N[at.IDENTITY]:
            F[row + k] += entry
            continue
        for e in range(N[ptr + k], N[ptr + k + 1]):
            F[row + N[index + e]] += F[value + e] * entry


@compiled
def _row_drift(F: Floats, N: Ints, nodes: tuple[int, int], parent: Pair, child: Pair, u: Pair) -> float:
    """Second derivative of u . d, d = x_c - x_p, without accelerations of the freedoms:

        -w_a^2 u . d + 2 w_a (n x u) . d' + u . (a_c - a_p),

    for points x_p = `parent` of node a and x_c = `child` of node b; u turns with a, n is the normal of the plane.
    """
    (a, b), (px, py), (cx, cy), (ux, uy) = nodes, parent, child, u
    PW, gravity = start(N, at.F_PLANE_WORK), start(N, at.F_PLANE_GRAVITY)
    w, vx, vy = 0.0, 0.0, 0.0
    ax = ay = 0.0
    if a >= 0:
        o = PW + WORK * a
        w, rx, ry = F[o + W], px - F[o + PX], py - F[o + PY]
        vx, vy = -F[o + VX] + w * ry, -F[o + VY] - w * rx
        ax, ay = -F[o + AX] + w * w * rx, -F[o + AY] + w * w * ry
    else:
        ax, ay = F[gravity], F[gravity + 1]
    if b >= 0:
        o = PW + WORK * b
        s, rx, ry = F[o + W], cx - F[o + PX], cy - F[o + PY]
        vx, vy = vx + F[o + VX] - s * ry, vy + F[o + VY] + s * rx
        ax, ay = ax + F[o + AX] - s * s * rx, ay + F[o + AY] - s * s * ry
    else:
        ax, ay = ax - F[gravity], ay - F[gravity + 1]
    # u turns with a: u' = w n x u, u'' = -w^2 u; the product rule on u . d twice.
    return -w * w * (ux * (cx - px) + uy * (cy - py)) + 2.0 * w * (ux * vy - uy * vx) + ux * ax + uy * ay


@entry("motion")
def turn_loop_axes(F: Floats, N: Ints) -> None:
    """LAXIS_Q: angle of every loop axis, with its turns: those of both nodes are known without bounds."""
    LQ, S, PW = start(N, at.F_LAXIS_Q), start(N, at.F_PLANE_AXES), start(N, at.F_PLANE_WORK)
    loop_of, node = int_start(N, at.I_LAXIS_LOOP), int_start(N, at.I_LOOP_NODE)
    for j in range(N[at.LOOP_AXES]):
        a, b = N[node + 2 * N[loop_of + j]], N[node + 2 * N[loop_of + j] + 1]
        angle = F[PW + WORK * b + ANGLE] if b >= 0 else 0.0
        if a >= 0:
            # Angles add up in a plane: b against a is the difference of both.
            angle -= F[PW + WORK * a + ANGLE]
        F[LQ + j] = F[S + 2 * j] * angle + F[S + 2 * j + 1]


@compiled
def is_in_plane(F: Floats, N: Ints) -> bool:
    """Whether the step can be made in the plane: the mechanism is there, and nothing acts on joints that close
    loops."""
    if N[at.PLANAR] == 0 or N[at.ROTORS] > 0:
        return False
    TAU, passive = start(N, at.F_TAU) + N[at.FREEDOMS], start(N, at.F_LPASSIVE)
    idle = True
    for j in range(N[at.LOOP_AXES]):
        idle = idle and F[TAU + j] == 0.0 and F[passive + 3 * j] == 0.0 and F[passive + 3 * j + 1] == 0.0
    return idle
