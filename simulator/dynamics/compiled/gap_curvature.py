"""Second derivative in time of the gaps of contacts while no coordinate accelerates.

A step chooses efforts so that gaps are closed at its end, with normals and arms as they are at its start. A corner or a
rounding with its centre c on body A over a flat face with the normal n on body B has the gap n · (c - p), less the
radius; as n turns with B

    gap'' = n · (a_A - a_B) + 2 (w_B x n) · (v_A - v_B),    all at c.

What of it is there without any acceleration of the coordinates is found here, and added by `bounded_efforts` to what it
foresees. It needs velocities and bias accelerations of all nodes (`velocity_kernels.update_velocities`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.flatten import FREE
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Floats2, Ints, Ints2


@compiled
def gap_curvature(F: Floats, N: Ints, CI: Ints2, CF: Floats2, c: int) -> float:
    """gap'' [m/s²] of contact point c; 0 where its centre is not known."""
    c0, c1, c2 = CF[c, row_at.CENTRE], CF[c, row_at.CENTRE + 1], CF[c, row_at.CENTRE + 2]
    if math.isnan(c0):
        return 0.0
    n0, n1, n2 = CF[c, row_at.NORMAL_AT], CF[c, row_at.NORMAL_AT + 1], CF[c, row_at.NORMAL_AT + 2]
    VEL, bent = start(N, at.F_VEL), 0.0
    u0, u1, u2 = 0.0, 0.0, 0.0  # v_A - v_B
    for side in range(2):
        i, sign = CI[c, side], 1.0 - 2.0 * side
        if i >= 0:
            v0, v1, v2, a0, a1, a2 = _motion(F, N, i, c0, c1, c2)
            bent += sign * (n0 * a0 + n1 * a1 + n2 * a2)
            u0, u1, u2 = u0 + sign * v0, u1 + sign * v1, u2 + sign * v2
    if CI[c, 1] >= 0:
        v = VEL + 6 * CI[c, 1]
        w0, w1, w2 = F[v], F[v + 1], F[v + 2]
        # d2/dt2 n . (c_A - c_B) has twice n' . (v_A - v_B) with n' = w_B x n.
        bent += 2.0 * ((w1 * n2 - w2 * n1) * u0 + (w2 * n0 - w0 * n2) * u1 + (w0 * n1 - w1 * n0) * u2)
    return bent


@compiled
def _motion(
    F: Floats, N: Ints, i: int, c0: float, c1: float, c2: float
) -> tuple[float, float, float, float, float, float]:
    """Velocity and acceleration, in the world, of the point of node i at c; the acceleration without that of the
    coordinates, and without the w x v of the free body that carries it, which `bounded_efforts` foresees by itself."""
    v, a, p, g = (
        start(N, at.F_VEL) + 6 * i,
        start(N, at.F_ACC) + 6 * i,
        start(N, at.F_P) + 3 * i,
        start(N, at.F_GRAVITY),
    )
    r0, r1, r2 = c0 - F[p], c1 - F[p + 1], c2 - F[p + 2]
    w0, w1, w2 = F[v], F[v + 1], F[v + 2]
    v0 = F[v + 3] + w1 * r2 - w2 * r1
    v1 = F[v + 4] + w2 * r0 - w0 * r2
    v2 = F[v + 5] + w0 * r1 - w1 * r0
    # a + alpha x r + w x (v + w x r), of a spatial acceleration, whose gravity is given back.
    a0 = F[a + 3] + F[g] + F[a + 1] * r2 - F[a + 2] * r1 + w1 * v2 - w2 * v1
    a1 = F[a + 4] + F[g + 1] + F[a + 2] * r0 - F[a] * r2 + w2 * v0 - w0 * v2
    a2 = F[a + 5] + F[g + 2] + F[a] * r1 - F[a + 1] * r0 + w0 * v1 - w1 * v0
    parent, root = int_start(N, at.I_PARENT), i
    while N[parent + root] >= 0:
        root = N[parent + root]
    if N[int_start(N, at.I_KIND) + root] == FREE:
        f = start(N, at.F_VEL) + 6 * root
        a0 -= F[f + 1] * F[f + 5] - F[f + 2] * F[f + 4]
        a1 -= F[f + 2] * F[f + 3] - F[f] * F[f + 5]
        a2 -= F[f] * F[f + 4] - F[f + 1] * F[f + 3]
    return v0, v1, v2, a0, a1, a2
