"""Velocities of the nodes of a tree, and the accelerations that they have without any of the coordinates.

Twists are (angular, linear) in world axes about each node's own origin: v_i = v_p + S qd, a_i = a_p + v_i x (S qd)
(Featherstone, Rigid Body Dynamics Algorithms, chapter 5; see `tree_kernels`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.flatten import FREEDOMS
from simulator.dynamics.compiled.tree_kernels import reach
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Vector


@compiled
def spread_velocities(F: Floats, N: Ints, V: int, QD: int) -> None:
    """QD = G V: the velocity of every freedom, from those of the coordinates."""
    value = start(N, at.F_GVALUE)
    ptr, index = int_start(N, at.I_GPTR), int_start(N, at.I_GINDEX)
    if N[at.IDENTITY]:
        for k in range(N[at.FREEDOMS]):
            F[QD + k] = F[V + k]
    else:
        for k in range(N[at.FREEDOMS]):
            rate = 0.0
            for t in range(N[ptr + k], N[ptr + k + 1]):
                rate += F[value + t] * F[V + N[index + t]]
            F[QD + k] = rate


@compiled
def _add_cross(F: Floats, v: int, a: int, turn: Vector, slide: Vector) -> None:
    """Acceleration at a += twist at v x the joint's twist j (angular, linear)."""
    (j0, j1, j2), (j3, j4, j5) = turn, slide
    w0, w1, w2, l0, l1, l2 = F[v], F[v + 1], F[v + 2], F[v + 3], F[v + 4], F[v + 5]
    # c = v x j in spatial vectors: (w x j_w, w x j_v + l x j_w) (Featherstone, 2.9).
    F[a] += w1 * j2 - w2 * j1
    F[a + 1] += w2 * j0 - w0 * j2
    F[a + 2] += w0 * j1 - w1 * j0
    F[a + 3] += w1 * j5 - w2 * j4 + l1 * j2 - l2 * j1
    F[a + 4] += w2 * j3 - w0 * j5 + l2 * j0 - l0 * j2
    F[a + 5] += w0 * j4 - w1 * j3 + l0 * j1 - l1 * j0


@compiled
def update_velocities(F: Floats, N: Ints) -> None:
    """VEL (twist) and ACC (bias acceleration, gravity included) of every node, from V at the poses of
    `update_poses`."""
    VEL, ACC, QD = start(N, at.F_VEL), start(N, at.F_ACC), start(N, at.F_QD)
    P, gravity = start(N, at.F_P), start(N, at.F_GRAVITY)
    parent, order = int_start(N, at.I_PARENT), int_start(N, at.I_ORDER)
    spread_velocities(F, N, start(N, at.F_V), QD)
    for n in range(reach(N)):
        i = N[order + n]
        v, up = 6 * i, N[parent + i]
        turn, slide = _joint_twist(F, N, i, QD)
        F[VEL + v], F[VEL + v + 1], F[VEL + v + 2] = turn
        F[VEL + v + 3], F[VEL + v + 4], F[VEL + v + 5] = slide
        if up < 0:
            # The root accelerates with -g, so that the weights of all bodies come with their inertial forces.
            for a in range(3):
                F[ACC + v + a], F[ACC + v + 3 + a] = 0.0, -F[gravity + a]
        else:
            add_shifted(F, VEL + 6 * up, P + 3 * up, P + 3 * i, VEL + v, 1.0)
            add_shifted(F, ACC + 6 * up, P + 3 * up, P + 3 * i, ACC + v, 0.0)
        _add_cross(F, VEL + v, ACC + v, turn, slide)


@compiled
def _joint_twist(F: Floats, N: Ints, i: int, QD: int) -> tuple[Vector, Vector]:
    """What its joint adds to the twist of node i, in the world, at velocities of freedoms that begin with QD."""
    S, turns, k = start(N, at.F_S), int_start(N, at.I_TURNS), N[int_start(N, at.I_FIRST) + i]
    j0 = j1 = j2 = j3 = j4 = j5 = 0.0
    for f in range(k, k + FREEDOMS[N[int_start(N, at.I_KIND) + i]]):
        s, rate = S + 3 * f, F[QD + f]
        if N[turns + f]:
            j0 += F[s] * rate
            j1 += F[s + 1] * rate
            j2 += F[s + 2] * rate
        else:
            j3 += F[s] * rate
            j4 += F[s + 1] * rate
            j5 += F[s + 2] * rate
    return (j0, j1, j2), (j3, j4, j5)


@compiled
def twists_of(F: Floats, N: Ints, vector: int, rates: int, twists: int) -> None:
    """TWISTS of all nodes in the world, six numbers each, at the poses of `update_poses`, for velocities of the
    coordinates in F from `vector` on; RATES = those of the freedoms."""
    P, parent, order = start(N, at.F_P), int_start(N, at.I_PARENT), int_start(N, at.I_ORDER)
    spread_velocities(F, N, vector, rates)
    for n in range(N[at.NODES]):
        i = N[order + n]
        v, up = twists + 6 * i, N[parent + i]
        turn, slide = _joint_twist(F, N, i, rates)
        F[v], F[v + 1], F[v + 2] = turn
        F[v + 3], F[v + 4], F[v + 5] = slide
        if up >= 0:
            add_shifted(F, twists + 6 * up, P + 3 * up, P + 3 * i, v, 1.0)


@compiled
def add_shifted(F: Floats, v: int, origin: int, here: int, out: int, keep: float) -> None:
    """out = keep * out + the twist at v, which is about `origin`, taken about `here`."""
    r0, r1, r2 = F[here] - F[origin], F[here + 1] - F[origin + 1], F[here + 2] - F[origin + 2]
    w0, w1, w2 = F[v], F[v + 1], F[v + 2]
    F[out] = keep * F[out] + w0
    F[out + 1] = keep * F[out + 1] + w1
    F[out + 2] = keep * F[out + 2] + w2
    F[out + 3] = keep * F[out + 3] + F[v + 3] + w1 * r2 - w2 * r1
    F[out + 4] = keep * F[out + 4] + F[v + 4] + w2 * r0 - w0 * r2
    F[out + 5] = keep * F[out + 5] + F[v + 5] + w0 * r1 - w1 * r0
