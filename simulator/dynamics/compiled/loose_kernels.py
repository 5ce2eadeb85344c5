"""Loose bodies, and nothing else: the same equations and the same Runge-Kutta method as for any mechanism, written out
for one body.

In its own axes the inertia I of a rigid body is constant, so its factors are found once. With the twist V = (w, v)
about the node's origin,

    I dV/dt = f + (h x g, m g) - V x* I V,    V x* (n, p) = (w x n + v x p, w x p),

where f is the effort, h = m c the first moment and g gravity, all in the body's axes (Featherstone, Rigid Body Dynamics
Algorithms, 2.14). An effort that is LOSS keeps its direction in the axes that the body floats in while it turns.

So does what such an effort gives: with a constant force and moment, momentum and the place of the centre of mass are
known at the end. The Runge-Kutta method in axes that turn along finds them to its order only, and two bodies that push
each other would lose momentum together; where an effort acts, its place and velocities are set to what is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.resting_kernels import is_resting
from simulator.dynamics.compiled.solve_kernels import solve_mass_within
from simulator.dynamics.compiled.tree_views import open_mass, open_state
from simulator.dynamics.compiled.vector_kernels import rotated_by_quaternion
from simulator.dynamics.compiled.views import int_start, start
from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Ints, Vector

FACTORED, SOME = 2, -1
"""LOOSE is 1 where all nodes are loose bodies without efforts of their own, and `FACTORED` once H has its factors; SOME
where only some are."""


@compiled
def turned(F: Floats, q: int, sign: float, x: float, y: float, z: float) -> Vector:
    """(x, y, z) turned by the quaternion at q, or back with a sign of -1."""
    a, b, c, w = sign * F[q], sign * F[q + 1], sign * F[q + 2], F[q + 3]
    double = 2.0 / (a * a + b * b + c * c + w * w)
    # Its inverse has the vector part with the other sign.
    return rotated_by_quaternion((a, b, c, w), double, (x, y, z))


@compiled
def loose_efforts(F: Floats, N: Ints, i: int) -> None:
    """DV of node i = weight and gyroscopic efforts, in its axes."""
    k, q, c = (
        N[int_start(N, at.I_FIRST) + i],
        start(N, at.F_Q) + N[int_start(N, at.I_LPOS) + i] + 3,
        start(N, at.F_INERTIA) + 10 * i,
    )
    g, X = start(N, at.F_GRAVITY), start(N, at.F_X) + 12 * i
    G0, G1, G2 = F[g], F[g + 1], F[g + 2]
    g0 = F[X] * G0 + F[X + 4] * G1 + F[X + 8] * G2
    g1 = F[X + 1] * G0 + F[X + 5] * G1 + F[X + 9] * G2
    g2 = F[X + 2] * G0 + F[X + 6] * G1 + F[X + 10] * G2
    g0, g1, g2 = turned(F, q, -1.0, g0, g1, g2)
    m, h0, h1, h2 = F[c], F[c + 1], F[c + 2], F[c + 3]
    V, DV = start(N, at.F_V) + k, start(N, at.F_DV) + k
    w0, w1, w2, v0, v1, v2 = F[V], F[V + 1], F[V + 2], F[V + 3], F[V + 4], F[V + 5]
    xx, yy, zz, xy, xz, yz = F[c + 4], F[c + 5], F[c + 6], F[c + 7], F[c + 8], F[c + 9]
    # Momentum (n, p) = I (w, v); what is left of gravity is its moment h x g and the weight m g.
    n0 = xx * w0 + xy * w1 + xz * w2 + h1 * v2 - h2 * v1
    n1 = xy * w0 + yy * w1 + yz * w2 + h2 * v0 - h0 * v2
    n2 = xz * w0 + yz * w1 + zz * w2 + h0 * v1 - h1 * v0
    p0, p1, p2 = m * v0 - h1 * w2 + h2 * w1, m * v1 - h2 * w0 + h0 * w2, m * v2 - h0 * w1 + h1 * w0
    F[DV] = h1 * g2 - h2 * g1 - (w1 * n2 - w2 * n1 + v1 * p2 - v2 * p1)
    F[DV + 1] = h2 * g0 - h0 * g2 - (w2 * n0 - w0 * n2 + v2 * p0 - v0 * p2)
    F[DV + 2] = h0 * g1 - h1 * g0 - (w0 * n1 - w1 * n0 + v0 * p1 - v1 * p0)
    F[DV + 3] = m * g0 - (w1 * p2 - w2 * p1)
    F[DV + 4] = m * g1 - (w2 * p0 - w0 * p2)
    F[DV + 5] = m * g2 - (w0 * p1 - w1 * p0)


@compiled
def accelerate_loose(F: Floats, N: Ints, C: Ints) -> None:
    """DV of all bodies that are not left alone, without LOSS, which is not known when this is called."""
    first = int_start(N, at.I_FIRST)
    for i in range(N[at.NODES]):
        if is_resting(N, C, i):
            continue
        loose_efforts(F, N, i)
        solve_mass_within(open_mass(F, N), open_state(F, N).DV, N[first + i], N[first + i] + 6)


@compiled
def fly(F: Floats, N: Ints, C: Ints, dt: float) -> None:
    """`rk4` of step_kernels for loose bodies, whose DV at the start is known."""
    FLOW, Q, V, Q0, V0 = (
        start(N, at.F_FLOW),
        start(N, at.F_Q),
        start(N, at.F_V),
        start(N, at.F_Q0),
        start(N, at.F_V0),
    )
    F[FLOW] = F[FLOW + 1] = F[FLOW + 2] = F[FLOW + 3] = F[FLOW + 4] = 0.0
    for c in range(N[at.POSITIONS]):
        F[Q0 + c] = F[Q + c]
    for a in range(N[at.INDEPENDENT]):
        F[V0 + a] = F[V + a]
    taken = 0.0
    for i in range(N[at.NODES]):
        if is_resting(N, C, i):
            continue
        taken += _fly_one(F, N, i, dt)
    F[FLOW + 1] = taken


@compiled
def _fly_one(F: Floats, N: Ints, i: int, dt: float) -> float:
    """One body; returns the energy that LOSS takes [J]."""
    k, o = N[int_start(N, at.I_FIRST) + i], N[int_start(N, at.I_LPOS) + i]
    Q, V, DQ, DV = start(N, at.F_Q) + o, start(N, at.F_V) + k, start(N, at.F_DQ) + o, start(N, at.F_DV) + k
    Q0, V0, LOSS = start(N, at.F_Q0) + o, start(N, at.F_V0) + k, start(N, at.F_LOSS) + k
    QS, VS = start(N, at.F_QSUM) + o, start(N, at.F_VSUM) + k
    turn = turned(F, Q0 + 3, 1.0, F[LOSS], F[LOSS + 1], F[LOSS + 2])
    push = turned(F, Q0 + 3, 1.0, F[LOSS + 3], F[LOSS + 4], F[LOSS + 5])
    acts, taken = any_effort(F, LOSS), 0.0
    nothing = (0.0, 0.0, 0.0)
    known = momentum_of(F, N, i) if acts else (nothing, nothing, nothing)
    for stage in range(4):
        # An effort that keeps its direction in space is turned back into the body's axes of this stage.
        if stage > 0:
            loose_efforts(F, N, i)
            if acts:
                F[LOSS], F[LOSS + 1], F[LOSS + 2] = turned(F, Q + 3, -1.0, turn[0], turn[1], turn[2])
                F[LOSS + 3], F[LOSS + 4], F[LOSS + 5] = turned(F, Q + 3, -1.0, push[0], push[1], push[2])
                for a in range(6):
                    F[DV + a] += F[LOSS + a]
            solve_mass_within(open_mass(F, N), open_state(F, N).DV, k, k + 6)
        _rates(F, Q, V, DQ)
        weight, part = 2.0 if stage in (1, 2) else 1.0, dt if stage == 2 else 0.5 * dt
        for a in range(6):
            # Its power, integrated with the weights of the method.
            taken -= weight * dt / 6.0 * F[LOSS + a] * F[V + a]
            F[VS + a] = weight * F[DV + a] + (F[VS + a] if stage else 0.0)
            F[V + a] = F[V0 + a] + (part * F[DV + a] if stage < 3 else dt / 6.0 * F[VS + a])
        for c in range(7):
            F[QS + c] = weight * F[DQ + c] + (F[QS + c] if stage else 0.0)
            F[Q + c] = F[Q0 + c] + (part * F[DQ + c] if stage < 3 else dt / 6.0 * F[QS + c])
    if acts:
        _keep_momentum(F, N, i, dt, known, (turn, push))
    return taken


@compiled
def momentum_of(F: Floats, N: Ints, i: int) -> tuple[Vector, Vector, Vector]:
    """Of loose node i, in the axes that it floats in: centre of mass, momentum, and moment of momentum about the
    centre."""
    k, o, c = N[int_start(N, at.I_FIRST) + i], N[int_start(N, at.I_LPOS) + i], start(N, at.F_INERTIA) + 10 * i
    Q, V = start(N, at.F_Q) + o, start(N, at.F_V) + k
    m, h0, h1, h2 = F[c], F[c + 1], F[c + 2], F[c + 3]
    w0, w1, w2, v0, v1, v2 = F[V], F[V + 1], F[V + 2], F[V + 3], F[V + 4], F[V + 5]
    xx, yy, zz, xy, xz, yz = F[c + 4], F[c + 5], F[c + 6], F[c + 7], F[c + 8], F[c + 9]
    p0, p1, p2 = m * v0 - h1 * w2 + h2 * w1, m * v1 - h2 * w0 + h0 * w2, m * v2 - h0 * w1 + h1 * w0
    # n = I w + h x v about the origin; about the centre it is less by (h / m) x p.
    n0 = xx * w0 + xy * w1 + xz * w2 + h1 * v2 - h2 * v1 - (h1 * p2 - h2 * p1) / m
    n1 = xy * w0 + yy * w1 + yz * w2 + h2 * v0 - h0 * v2 - (h2 * p0 - h0 * p2) / m
    n2 = xz * w0 + yz * w1 + zz * w2 + h0 * v1 - h1 * v0 - (h0 * p1 - h1 * p0) / m
    x, y, z = turned(F, Q + 3, 1.0, h0 / m, h1 / m, h2 / m)
    p, n = turned(F, Q + 3, 1.0, p0, p1, p2), turned(F, Q + 3, 1.0, n0, n1, n2)
    return (F[Q] + x, F[Q + 1] + y, F[Q + 2] + z), p, n


@compiled
def place_with_momentum(F: Floats, N: Ints, i: int, centre: Vector, p: Vector, n: Vector) -> None:
    """Place and velocities of loose node i, oriented as it is, for what `momentum_of` gives."""
    k, o, c = N[int_start(N, at.I_FIRST) + i], N[int_start(N, at.I_LPOS) + i], start(N, at.F_INERTIA) + 10 * i
    Q, V, m = start(N, at.F_Q) + o, start(N, at.F_V) + k, F[c]
    x, y, z = F[c + 1] / m, F[c + 2] / m, F[c + 3] / m
    r0, r1, r2 = turned(F, Q + 3, 1.0, x, y, z)
    F[Q], F[Q + 1], F[Q + 2] = centre[0] - r0, centre[1] - r1, centre[2] - r2
    p0, p1, p2 = turned(F, Q + 3, -1.0, p[0], p[1], p[2])
    n0, n1, n2 = turned(F, Q + 3, -1.0, n[0], n[1], n[2])
    F[V], F[V + 1], F[V + 2] = n0 + y * p2 - z * p1, n1 + z * p0 - x * p2, n2 + x * p1 - y * p0
    F[V + 3], F[V + 4], F[V + 5] = p0, p1, p2
    solve_mass_within(open_mass(F, N), open_state(F, N).V, k, k + 6)


@compiled
def _keep_momentum(
    F: Floats, N: Ints, i: int, dt: float, known: tuple[Vector, Vector, Vector], effort: tuple[Vector, Vector]
) -> None:
    """Place and velocities after a step in which an `effort` acted (moment about the origin, force), constant in the
    axes that the body floats in, for what was `known` at its start."""
    (c, p, n), (turn, push) = known, effort
    k, o, X = N[int_start(N, at.I_FIRST) + i], N[int_start(N, at.I_LPOS) + i], start(N, at.F_X) + 12 * i
    Q0, V0, g = start(N, at.F_Q0) + o, start(N, at.F_V0) + k, start(N, at.F_GRAVITY)
    m = F[start(N, at.F_INERTIA) + 10 * i]
    w0, w1, w2 = turned(F, Q0 + 3, 1.0, F[V0], F[V0 + 1], F[V0 + 2])
    x, y, z = c[0] - F[Q0], c[1] - F[Q0 + 1], c[2] - F[Q0 + 2]
    # The moment is about the origin half way, as `midway` foresees it; the centre is further by the way that it turns.
    half = 0.5 * dt
    x, y, z = x + half * (w1 * z - w2 * y), y + half * (w2 * x - w0 * z), z + half * (w0 * y - w1 * x)
    n = (
        n[0] + dt * (turn[0] - y * push[2] + z * push[1]),
        n[1] + dt * (turn[1] - z * push[0] + x * push[2]),
        n[2] + dt * (turn[2] - x * push[1] + y * push[0]),
    )
    f0 = push[0] + m * (F[X] * F[g] + F[X + 4] * F[g + 1] + F[X + 8] * F[g + 2])
    f1 = push[1] + m * (F[X + 1] * F[g] + F[X + 5] * F[g + 1] + F[X + 9] * F[g + 2])
    f2 = push[2] + m * (F[X + 2] * F[g] + F[X + 6] * F[g + 1] + F[X + 10] * F[g + 2])
    gained = (p[0] + dt * f0, p[1] + dt * f1, p[2] + dt * f2)
    way = dt / m
    then = (
        c[0] + way * (p[0] + half * f0), c[1] + way * (p[1] + half * f1), c[2] + way * (p[2] + half * f2),
    )  # fmt: skip
    place_with_momentum(F, N, i, then, gained, n)


@compiled
def any_effort(F: Floats, effort: int) -> bool:
    """Whether any of the six numbers of a body is not zero."""
    acts = False
    for a in range(6):
        acts = acts or F[effort + a] != 0.0
    return acts


@compiled
def _rates(F: Floats, Q: int, V: int, DQ: int) -> None:
    """DQ of one body: place, then quaternion."""
    F[DQ], F[DQ + 1], F[DQ + 2] = turned(F, Q + 3, 1.0, F[V + 3], F[V + 4], F[V + 5])
    x, y, z, w = F[Q + 3], F[Q + 4], F[Q + 5], F[Q + 6]
    w0, w1, w2 = F[V], F[V + 1], F[V + 2]
    F[DQ + 3] = 0.5 * (w * w0 + y * w2 - z * w1)
    F[DQ + 4] = 0.5 * (w * w1 + z * w0 - x * w2)
    F[DQ + 5] = 0.5 * (w * w2 + x * w1 - y * w0)
    F[DQ + 6] = -0.5 * (x * w0 + y * w1 + z * w2)


@compiled
def mark_momentum(F: Floats, N: Ints, step: int) -> None:
    """VSUM = momenta of the loose bodies that are to move by `step`."""
    for i in range(N[at.NODES]):
        k = N[int_start(N, at.I_FIRST) + i]
        if any_effort(F, step + k):
            o = start(N, at.F_VSUM) + k
            F[o], F[o + 1], F[o + 2] = momentum_of(F, N, i)[1]


@compiled
def restore_momentum(F: Floats, N: Ints, step: int) -> None:
    """Velocities of loose bodies that moved by `step` for the momenta in VSUM: who is turned by hand keeps velocities
    in axes of its own, of which spin is to stay as it is, for the energy."""
    for i in range(N[at.NODES]):
        k = N[int_start(N, at.I_FIRST) + i]
        if any_effort(F, step + k):
            o = start(N, at.F_VSUM) + k
            centre, _, n = momentum_of(F, N, i)
            place_with_momentum(F, N, i, centre, (F[o], F[o + 1], F[o + 2]), n)
