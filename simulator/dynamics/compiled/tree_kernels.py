"""Poses, motion columns, bias efforts and the reduced mass matrix of the tree.

Spatial vectors are (angular, linear) in world axes about each node's own origin (about the world's, a small gear far
out would lose its inertia to round-off); r goes from the parent's origin to the node's. S_k is a direction: freedoms
turn about it or slide along it. With v_i = v_p + S qd and c_i = v_i x (S qd), the bias of a node is a_i = a_p + c_i
(gravity enters as the root's acceleration -g), its force f_i = I_i a_i + v_i x* I_i v_i; h = S^T (sum of outboard
forces) by recursive Newton-Euler, M_kl = S_l^T I^c S_k over ancestors by composite rigid bodies, H = G^T M G.
Featherstone, Rigid Body Dynamics Algorithms, chapters 5 and 6.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.flatten import FREE, FREEDOMS, ROTATION, TRANSLATION
from simulator.dynamics.compiled.load_kernels import apply_loads, stored_by_loads
from simulator.dynamics.compiled.views import freedom_position, int_start, positions_at, start
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints


@compiled
def reach(N: Ints) -> int:
    """How many nodes of the order to go through: those of the closed form are left out where only the dynamics are
    asked for."""
    return N[at.ACTIVE] if N[at.BRIEF] else N[at.NODES]


@compiled
def update_poses(F: Floats, N: Ints) -> None:
    """R, P (rotation and origin of every node in the world) and S (motion columns) from the positions Q."""
    R, P, S = start(N, at.F_R), start(N, at.F_P), start(N, at.F_S)
    X, axis, Q = start(N, at.F_X), start(N, at.F_AXIS), start(N, at.F_Q)
    kind, parent, first = int_start(N, at.I_KIND), int_start(N, at.I_PARENT), int_start(N, at.I_FIRST)
    lpos, order, places = int_start(N, at.I_LPOS), int_start(N, at.I_ORDER), positions_at(N)
    for n in range(reach(N)):
        i = N[order + n]
        place_frame(F, R, P, N[parent + i], X + 12 * i, R + 9 * i, P + 3 * i)
        k = N[first + i]
        if N[kind + i] == ROTATION or N[kind + i] == TRANSLATION:
            q = freedom_position(F, N, places, k)
            _move_along_axis(F, R + 9 * i, P + 3 * i, S + 3 * k, axis + 3 * i, q, N[kind + i] == ROTATION)
        else:
            _move_loose(F, R + 9 * i, P + 3 * i, S + 3 * k, Q + N[lpos + i], N[kind + i] == FREE)


@compiled
def place_frame(F: Floats, R: int, P: int, node: int, x: int, rotation: int, origin: int) -> None:
    """Rotation (9) and origin (3) in the world of the frame at x (3 by 4) in a node, or in the world itself (-1)."""
    if node < 0:
        for a in range(3):
            for b in range(3):
                F[rotation + 3 * a + b] = F[x + 4 * a + b]
            F[origin + a] = F[x + 4 * a + 3]
        return
    r, p = R + 9 * node, P + 3 * node
    for a in range(3):
        u, v, w = F[r + 3 * a], F[r + 3 * a + 1], F[r + 3 * a + 2]
        for b in range(3):
            F[rotation + 3 * a + b] = u * F[x + b] + v * F[x + 4 + b] + w * F[x + 8 + b]
        F[origin + a] = F[p + a] + u * F[x + 3] + v * F[x + 7] + w * F[x + 11]


@compiled
def _move_along_axis(F: Floats, r: int, p: int, s: int, axis: int, q: float, turns: bool) -> None:
    """The frame at r (rotation) and p (origin) moved by q about or along an axis of its own, whose direction in the
    world goes to s; turned by Rodrigues' formula."""
    x, y, z = F[axis], F[axis + 1], F[axis + 2]
    ax = F[r] * x + F[r + 1] * y + F[r + 2] * z
    ay = F[r + 3] * x + F[r + 4] * y + F[r + 5] * z
    az = F[r + 6] * x + F[r + 7] * y + F[r + 8] * z
    F[s], F[s + 1], F[s + 2] = ax, ay, az
    if not turns:
        F[p] += q * ax
        F[p + 1] += q * ay
        F[p + 2] += q * az
        return
    # Rodrigues: R = cos q E + sin q [a]x + (1 - cos q) a a^T (Siciliano et al., Robotics, 2.5).
    c, n = math.cos(q), math.sin(q)
    t = 1.0 - c
    m00, m01, m02 = t * ax * ax + c, t * ax * ay - n * az, t * ax * az + n * ay
    m10, m11, m12 = t * ax * ay + n * az, t * ay * ay + c, t * ay * az - n * ax
    m20, m21, m22 = t * ax * az - n * ay, t * ay * az + n * ax, t * az * az + c
    for b in range(3):
        u, v, w = F[r + b], F[r + 3 + b], F[r + 6 + b]
        F[r + b] = m00 * u + m01 * v + m02 * w
        F[r + 3 + b] = m10 * u + m11 * v + m12 * w
        F[r + 6 + b] = m20 * u + m21 * v + m22 * w


@compiled
def _move_loose(F: Floats, r: int, p: int, s: int, at_q: int, free: bool) -> None:
    """The frame at r (rotation) and p (origin) of a ball, or of a free joint (place, then quaternion); freedoms, whose
    directions go to s, are angular velocity, then velocity, in the outboard frame."""
    if free:
        x, y, z = F[at_q], F[at_q + 1], F[at_q + 2]
        for a in range(3):
            F[p + a] += F[r + 3 * a] * x + F[r + 3 * a + 1] * y + F[r + 3 * a + 2] * z
        at_q += 3
    x, y, z, w = F[at_q], F[at_q + 1], F[at_q + 2], F[at_q + 3]
    # A quaternion of length l turns by R = E + 2/l^2 (w [v]x + [v]x^2): no need to be of length one within a step.
    h = 2.0 / (x * x + y * y + z * z + w * w)
    m00, m01, m02 = 1.0 - h * (y * y + z * z), h * (x * y - w * z), h * (x * z + w * y)
    m10, m11, m12 = h * (x * y + w * z), 1.0 - h * (x * x + z * z), h * (y * z - w * x)
    m20, m21, m22 = h * (x * z - w * y), h * (y * z + w * x), 1.0 - h * (x * x + y * y)
    for a in range(3):
        u, v, w = F[r + 3 * a], F[r + 3 * a + 1], F[r + 3 * a + 2]
        F[r + 3 * a] = u * m00 + v * m10 + w * m20
        F[r + 3 * a + 1] = u * m01 + v * m11 + w * m21
        F[r + 3 * a + 2] = u * m02 + v * m12 + w * m22
    for b in range(3):
        for a in range(3):
            F[s + 3 * b + a] = F[r + 3 * a + b]
            if free:
                F[s + 9 + 3 * b + a] = F[r + 3 * a + b]


@compiled
def update_inertias(F: Floats, N: Ints) -> None:
    """CI: inertia of every node about its origin, world axes: m, h = m c, xx yy zz xy xz yz."""
    CI, R, inertia, order = start(N, at.F_CI), start(N, at.F_R), start(N, at.F_INERTIA), int_start(N, at.I_ORDER)
    for n in range(reach(N)):
        i = N[order + n]
        c, r = 10 * i, 9 * i
        m = F[inertia + c]
        r00, r01, r02, r10, r11, r12, r20, r21, r22 = (
            F[R + r], F[R + r + 1], F[R + r + 2], F[R + r + 3], F[R + r + 4], F[R + r + 5],
            F[R + r + 6], F[R + r + 7], F[R + r + 8],
        )  # fmt: skip
        b0, b1, b2 = F[inertia + c + 1], F[inertia + c + 2], F[inertia + c + 3]
        h0, h1, h2 = r00 * b0 + r01 * b1 + r02 * b2, r10 * b0 + r11 * b1 + r12 * b2, r20 * b0 + r21 * b1 + r22 * b2
        xx, yy, zz, xy, xz, yz = (
            F[inertia + c + 4], F[inertia + c + 5], F[inertia + c + 6],
            F[inertia + c + 7], F[inertia + c + 8], F[inertia + c + 9],
        )  # fmt: skip
        t00, t01, t02 = r00 * xx + r01 * xy + r02 * xz, r00 * xy + r01 * yy + r02 * yz, r00 * xz + r01 * yz + r02 * zz
        t10, t11, t12 = r10 * xx + r11 * xy + r12 * xz, r10 * xy + r11 * yy + r12 * yz, r10 * xz + r11 * yz + r12 * zz
        t20, t21, t22 = r20 * xx + r21 * xy + r22 * xz, r20 * xy + r21 * yy + r22 * yz, r20 * xz + r21 * yz + r22 * zz
        F[CI + c] = m
        F[CI + c + 1], F[CI + c + 2], F[CI + c + 3] = h0, h1, h2
        F[CI + c + 4] = t00 * r00 + t01 * r01 + t02 * r02
        F[CI + c + 5] = t10 * r10 + t11 * r11 + t12 * r12
        F[CI + c + 6] = t20 * r20 + t21 * r21 + t22 * r22
        F[CI + c + 7] = t00 * r10 + t01 * r11 + t02 * r12
        F[CI + c + 8] = t00 * r20 + t01 * r21 + t02 * r22
        F[CI + c + 9] = t10 * r20 + t11 * r21 + t12 * r22


@compiled
def _momentum(F: Floats, c: int, s: int, o: int) -> None:
    """out = I v for the inertia at c and the twist at s: (I0 w + h x v, m v - h x w)."""
    # About the origin of the node, h = m c:  L = I0 w + h x v,  p = m v - h x w (Featherstone, 2.13).
    w0, w1, w2, l0, l1, l2 = F[s], F[s + 1], F[s + 2], F[s + 3], F[s + 4], F[s + 5]
    m, h0, h1, h2 = F[c], F[c + 1], F[c + 2], F[c + 3]
    xx, yy, zz, xy, xz, yz = F[c + 4], F[c + 5], F[c + 6], F[c + 7], F[c + 8], F[c + 9]
    F[o] = xx * w0 + xy * w1 + xz * w2 + h1 * l2 - h2 * l1
    F[o + 1] = xy * w0 + yy * w1 + yz * w2 + h2 * l0 - h0 * l2
    F[o + 2] = xz * w0 + yz * w1 + zz * w2 + h0 * l1 - h1 * l0
    F[o + 3] = m * l0 - h1 * w2 + h2 * w1
    F[o + 4] = m * l1 - h2 * w0 + h0 * w2
    F[o + 5] = m * l2 - h0 * w1 + h1 * w0


@compiled
def node_force(F: Floats, c: int, v: int, a: int, f: int, work: int) -> None:
    """Force at f = I a + v x* I v for the inertia at c."""
    _momentum(F, c, a, f)
    _momentum(F, c, v, work)
    w0, w1, w2, l0, l1, l2 = F[v], F[v + 1], F[v + 2], F[v + 3], F[v + 4], F[v + 5]
    n0, n1, n2, f0, f1, f2 = F[work], F[work + 1], F[work + 2], F[work + 3], F[work + 4], F[work + 5]
    F[f] += w1 * n2 - w2 * n1 + l1 * f2 - l2 * f1
    F[f + 1] += w2 * n0 - w0 * n2 + l2 * f0 - l0 * f2
    F[f + 2] += w0 * n1 - w1 * n0 + l0 * f1 - l1 * f0
    F[f + 3] += w1 * f2 - w2 * f1
    F[f + 4] += w2 * f0 - w0 * f2
    F[f + 5] += w0 * f1 - w1 * f0


@entry("motion")
def update_bias(F: Floats, N: Ints) -> None:
    """BIAS: h(q, qd) of every freedom; CI becomes composite on the way down."""
    VEL, ACC, FORCE, CI = start(N, at.F_VEL), start(N, at.F_ACC), start(N, at.F_FORCE), start(N, at.F_CI)
    S, BIAS, P, work = start(N, at.F_S), start(N, at.F_BIAS), start(N, at.F_P), start(N, at.F_TWIST)
    turns = int_start(N, at.I_TURNS)
    kind, parent, first = int_start(N, at.I_KIND), int_start(N, at.I_PARENT), int_start(N, at.I_FIRST)
    order, n = int_start(N, at.I_ORDER), N[at.ACTIVE]
    for t in range(n):
        i = N[order + t]
        node_force(F, CI + 10 * i, VEL + 6 * i, ACC + 6 * i, FORCE + 6 * i, work)
    update_simple_bias(F, N)
    for w in range(N[at.WEIGHTLESS]):
        hold_up(F, N, N[int_start(N, at.I_WEIGHTLESS) + w])
    apply_loads(F, N)
    for t in range(n - 1, -1, -1):
        i = N[order + t]
        for k in range(N[first + i], N[first + i] + FREEDOMS[N[kind + i]]):
            f, s = FORCE + 6 * i + (0 if N[turns + k] else 3), S + 3 * k
            F[BIAS + k] = F[s] * F[f] + F[s + 1] * F[f + 1] + F[s + 2] * F[f + 2]
        up = N[parent + i]
        if up >= 0:
            r0 = F[P + 3 * i] - F[P + 3 * up]
            r1 = F[P + 3 * i + 1] - F[P + 3 * up + 1]
            r2 = F[P + 3 * i + 2] - F[P + 3 * up + 2]
            add_force(F, FORCE + 6 * i, FORCE + 6 * up, r0, r1, r2)
            _add_inertia(F, CI + 10 * i, CI + 10 * up, r0, r1, r2)


@compiled
def update_simple_bias(F: Floats, N: Ints) -> None:
    """BIAS of the nodes in closed form: A, or A cos q + B sin q."""
    BIAS, simple, order = start(N, at.F_BIAS), start(N, at.F_SIMPLE), int_start(N, at.I_ORDER)
    kind, first, places = int_start(N, at.I_KIND), int_start(N, at.I_FIRST), positions_at(N)
    for s in range(N[at.NODES] - N[at.ACTIVE]):
        i = N[order + N[at.ACTIVE] + s]
        k, even, odd = N[first + i], F[simple + 4 * s], F[simple + 4 * s + 1]
        if N[kind + i] == TRANSLATION or (even == 0.0 and odd == 0.0):
            F[BIAS + k] = even
            continue
        q = freedom_position(F, N, places, k)
        F[BIAS + k] = even * math.cos(q) + odd * math.sin(q)


@compiled
def hold_up(F: Floats, N: Ints, i: int) -> None:
    """Take gravity, which came with the root's acceleration, out of the force of a node: FORCE += (h x g, m g)."""
    g, c, f = start(N, at.F_GRAVITY), start(N, at.F_CI) + 10 * i, start(N, at.F_FORCE) + 6 * i
    m, h0, h1, h2 = F[c], F[c + 1], F[c + 2], F[c + 3]
    F[f] += h1 * F[g + 2] - h2 * F[g + 1]
    F[f + 1] += h2 * F[g] - h0 * F[g + 2]
    F[f + 2] += h0 * F[g + 1] - h1 * F[g]
    for a in range(3):
        F[f + 3 + a] += m * F[g + a]


@compiled
def add_force(F: Floats, f: int, out: int, r0: float, r1: float, r2: float) -> None:
    """Wrench at f, about a point r away, added to that at out."""
    f0, f1, f2 = F[f + 3], F[f + 4], F[f + 5]
    F[out] += F[f] + r1 * f2 - r2 * f1
    F[out + 1] += F[f + 1] + r2 * f0 - r0 * f2
    F[out + 2] += F[f + 2] + r0 * f1 - r1 * f0
    F[out + 3] += f0
    F[out + 4] += f1
    F[out + 5] += f2


@compiled
def _add_inertia(F: Floats, c: int, out: int, r0: float, r1: float, r2: float) -> None:
    """Inertia at c, about a point r away, added to that at out (parallel-axis theorem)."""
    m, h0, h1, h2 = F[c], F[c + 1], F[c + 2], F[c + 3]
    # About a point r away, h' = h + m r and I' = I + (2 r.h + m r.r) E - (r h^T + h r^T) - m r r^T.
    common = 2.0 * (r0 * h0 + r1 * h1 + r2 * h2) + m * (r0 * r0 + r1 * r1 + r2 * r2)
    F[out] += m
    F[out + 1] += h0 + m * r0
    F[out + 2] += h1 + m * r1
    F[out + 3] += h2 + m * r2
    F[out + 4] += F[c + 4] + common - 2.0 * r0 * h0 - m * r0 * r0
    F[out + 5] += F[c + 5] + common - 2.0 * r1 * h1 - m * r1 * r1
    F[out + 6] += F[c + 6] + common - 2.0 * r2 * h2 - m * r2 * r2
    F[out + 7] += F[c + 7] - r0 * h1 - h0 * r1 - m * r0 * r1
    F[out + 8] += F[c + 8] - r0 * h2 - h0 * r2 - m * r0 * r2
    F[out + 9] += F[c + 9] - r1 * h2 - h1 * r2 - m * r1 * r2


@entry("motion")
def kinetic_energy(F: Floats, N: Ints) -> float:
    """Sum of v^T I v / 2 over nodes [J], of I qd^2 / 2 over those in closed form; needs fresh VEL, QD and inertias that
    are not composite yet."""
    VEL, CI, work = start(N, at.F_VEL), start(N, at.F_CI), start(N, at.F_TWIST)
    QD, simple = start(N, at.F_QD), start(N, at.F_SIMPLE)
    order, first = int_start(N, at.I_ORDER), int_start(N, at.I_FIRST)
    total = 0.0
    for n in range(N[at.ACTIVE]):
        i = N[order + n]
        _momentum(F, CI + 10 * i, VEL + 6 * i, work)
        for a in range(6):
            total += 0.5 * F[VEL + 6 * i + a] * F[work + a]
    for s in range(N[at.NODES] - N[at.ACTIVE]):
        rate = F[QD + N[first + N[order + N[at.ACTIVE] + s]]]
        total += 0.5 * F[simple + 4 * s + 3] * rate * rate
    return total


@entry("motion")
def potential_energy(F: Floats, N: Ints) -> float:
    """-g . sum m c over nodes [J], zero at the world's origin, of those in closed form as `simple` has it, and what
    loads store; needs fresh poses and inertias that are not composite yet."""
    CI, P, gravity, order = start(N, at.F_CI), start(N, at.F_P), start(N, at.F_GRAVITY), int_start(N, at.I_ORDER)
    total = 0.0
    for n in range(N[at.ACTIVE]):
        i = N[order + n]
        for a in range(3):
            total -= F[gravity + a] * (F[CI + 10 * i + 1 + a] + F[CI + 10 * i] * F[P + 3 * i + a])
    for w in range(N[at.WEIGHTLESS_ACTIVE]):
        i = N[int_start(N, at.I_WEIGHTLESS) + w]
        for a in range(3):
            total += F[gravity + a] * (F[CI + 10 * i + 1 + a] + F[CI + 10 * i] * F[P + 3 * i + a])
    return total + _simple_potential(F, N) + stored_by_loads(F, N)


@compiled
def _simple_potential(F: Floats, N: Ints) -> float:
    """A q + C of slides, A sin q - B cos q + C of hinges."""
    simple, order, places = start(N, at.F_SIMPLE), int_start(N, at.I_ORDER), positions_at(N)
    kind, first, total = int_start(N, at.I_KIND), int_start(N, at.I_FIRST), 0.0
    for s in range(N[at.NODES] - N[at.ACTIVE]):
        i, even, odd = N[order + N[at.ACTIVE] + s], F[simple + 4 * s], F[simple + 4 * s + 1]
        total += F[simple + 4 * s + 2]
        if even != 0.0 or odd != 0.0:
            q = freedom_position(F, N, places, N[first + i])
            total += even * q if N[kind + i] == TRANSLATION else even * math.sin(q) - odd * math.cos(q)
    return total
