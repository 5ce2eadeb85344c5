"""Loose bodies, and nothing else: the same equations and the same Runge-Kutta method as for any mechanism, written out
for one body.

In its own axes the inertia I of a rigid body is constant, so its factors are found once. With the twist V = (w, v)
about the node's origin,

    I dV/dt = f + (h x g, m g) - V x* I V,    V x* (n, p) = (w x n + v x p, w x p),

where f is the effort, h = m c the first moment and g gravity, all in the body's axes (Featherstone, Rigid Body Dynamics
Algorithms, 2.14). An effort that is loss keeps its direction in the axes that the body floats in while it turns.

So does what such an effort gives: with a constant force and moment, momentum and the place of the centre of mass are
known at the end. The Runge-Kutta method in axes that turn along finds them to its order only, and two bodies that push
each other would lose momentum together; where an effort acts, its place and velocities are set to what is known.

Islands of loose bodies at rest sleep until something touches them. A loose body that is at rest at both ends of a step,
and has not moved in it, does the same in the next step as long as what presses on it is the same: its weight and the
contacts of its island, which is at rest, too. So it gets no rows and is not moved; its contacts give what they gave
before. Another body whose contact points come among those that are looked at, some steps before it is there, wakes the
whole island.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.vectors import cross, minus, momentum, rotated_by_quaternion, vector_at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import FREE
from simulator.physics.loops.flow import TAKEN
from simulator.physics.loops.solve import solve_mass_within
from simulator.physics.motion.free import accelerate_from
from simulator.physics.tree.positions import PLACE, set_quaternion_rate
from simulator.physics.tree.tree import move_nodes, place_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Ints2, Spatial, Table, Vector
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.tree.views import MassViews, StageViews, StateViews, TreeViews

FACTORED, SOME = 2, -1
"""LOOSE is 1 where all nodes are loose bodies without efforts of their own, and `FACTORED` once H has its factors; SOME
where only some are."""
BODY_FREEDOMS, BODY_POSITIONS = 6, 7
"""Velocities of a loose body, and its positions: place, then quaternion."""


@compiled
def turned(Q: Floats, o: int, sign: float, v: Vector) -> Vector:
    """v turned by the orientation of the body whose positions begin at o, or back with a sign of -1."""
    q = o + PLACE
    a = sign * Q[q]
    b = sign * Q[q + 1]
    c = sign * Q[q + 2]
    w = Q[q + 3]
    double = 2.0 / (a * a + b * b + c * c + w * w)
    # Its inverse has the vector part with the other sign.
    return rotated_by_quaternion((a, b, c, w), double, v)


@compiled
def _twist(V: Floats, k: int) -> Spatial:
    """Six entries from k on."""
    return V[k], V[k + 1], V[k + 2], V[k + 3], V[k + 4], V[k + 5]


@compiled
def _weight_of_one(tree: TreeViews, i: int) -> Vector:
    """Gravity in the axes that loose node i floats in."""
    X, g = tree.frame, tree.gravity
    return (
        X[i, 0, 0] * g[0] + X[i, 1, 0] * g[1] + X[i, 2, 0] * g[2],
        X[i, 0, 1] * g[0] + X[i, 1, 1] * g[1] + X[i, 2, 1] * g[2],
        X[i, 0, 2] * g[0] + X[i, 1, 2] * g[1] + X[i, 2, 2] * g[2],
    )


@compiled
def _first_moment(tree: TreeViews, i: int) -> Vector:
    """h = m c."""
    return tree.inertia[i, 1], tree.inertia[i, 2], tree.inertia[i, 3]


@compiled
def loose_efforts(tree: TreeViews, state: StateViews, i: int) -> None:
    """DV of node i = weight and gyroscopic efforts, in its axes."""
    k = tree.first[i]
    DV = state.DV
    g = turned(state.Q, tree.place[i], -1.0, _weight_of_one(tree, i))
    m = tree.inertia[i, 0]
    v = _twist(state.V, k)
    w0, w1, w2, v0, v1, v2 = v
    # Momentum (n, p) = I (w, v); what is left of gravity is its moment h x g and the weight m g.
    n0, n1, n2, p0, p1, p2 = momentum(tree.inertia, i, v)
    moment = cross(_first_moment(tree, i), g)
    DV[k] = moment[0] - (w1 * n2 - w2 * n1 + v1 * p2 - v2 * p1)
    DV[k + 1] = moment[1] - (w2 * n0 - w0 * n2 + v2 * p0 - v0 * p2)
    DV[k + 2] = moment[2] - (w0 * n1 - w1 * n0 + v0 * p1 - v1 * p0)
    DV[k + 3] = m * g[0] - (w1 * p2 - w2 * p1)
    DV[k + 4] = m * g[1] - (w2 * p0 - w0 * p2)
    DV[k + 5] = m * g[2] - (w0 * p1 - w1 * p0)


@compiled
def rk4_loose(m: MechanismViews, bounded: BoundedRows, dt: float) -> None:
    """As `motion.free.rk4`, for loose bodies that are awake and whose DV at the start is known."""
    tree = m.tree
    state = m.state
    stages = m.stages
    taken = 0.0
    mass = m.mass
    loss = m.efforts.loss
    for c in range(stages.flow.shape[0]):
        stages.flow[c] = 0.0
    for c in range(state.Q.shape[0]):
        stages.Q0[c] = state.Q[c]
    for a in range(state.V.shape[0]):
        stages.V0[a] = state.V[a]
    for i in range(tree.first.shape[0]):
        if is_asleep(m, bounded, i):
            continue
        taken += _rk4_one(tree, state, mass, stages, loss, i, dt)
    stages.flow[TAKEN] = taken


@compiled
def _rk4_one(
    tree: TreeViews, state: StateViews, mass: MassViews, stages: StageViews, loss: Floats, i: int, dt: float
) -> float:
    """One body; returns the energy that the loss takes [J]."""
    k = tree.first[i]
    o = tree.place[i]
    Q = state.Q
    V = state.V
    Q0 = stages.Q0
    taken = 0.0
    turn = turned(Q0, o, 1.0, vector_at(loss, k))
    push = turned(Q0, o, 1.0, vector_at(loss, k + 3))
    acts = any_effort(loss, k)
    nothing = (0.0, 0.0, 0.0)
    known = momentum_of(tree, state, i) if acts else (nothing, nothing, nothing)
    for stage in range(4):
        # An effort that keeps its direction in space is turned back into the body's axes of this stage.
        if stage > 0:
            loose_efforts(tree, state, i)
            if acts:
                loss[k], loss[k + 1], loss[k + 2] = turned(Q, o, -1.0, turn)
                loss[k + 3], loss[k + 4], loss[k + 5] = turned(Q, o, -1.0, push)
                for a in range(k, k + BODY_FREEDOMS):
                    state.DV[a] += loss[a]
            solve_mass_within(mass, state.DV, k, k + BODY_FREEDOMS)
        state.DQ[o], state.DQ[o + 1], state.DQ[o + 2] = turned(Q, o, 1.0, vector_at(V, k + 3))
        set_quaternion_rate(Q, state.DQ, o + PLACE, vector_at(V, k))
        weight = 2.0 if stage in (1, 2) else 1.0
        part = dt if stage == 2 else 0.5 * dt
        for a in range(k, k + BODY_FREEDOMS):
            # Its power, integrated with the weights of the method.
            taken -= weight * dt / 6.0 * loss[a] * V[a]
            total = weight * state.DV[a] + (stages.V_sum[a] if stage else 0.0)
            stages.V_sum[a] = total
            V[a] = stages.V0[a] + (part * state.DV[a] if stage < 3 else dt / 6.0 * total)
        for c in range(o, o + BODY_POSITIONS):
            total = weight * state.DQ[c] + (stages.Q_sum[c] if stage else 0.0)
            stages.Q_sum[c] = total
            Q[c] = Q0[c] + (part * state.DQ[c] if stage < 3 else dt / 6.0 * total)
    if acts:
        _keep_momentum(tree, state, mass, stages, i, dt, known, (turn, push))
    return taken


@compiled
def momentum_of(tree: TreeViews, state: StateViews, i: int) -> tuple[Vector, Vector, Vector]:
    """Of loose node i, in the axes that it floats in: centre of mass, momentum, and moment of momentum about the
    centre."""
    o = tree.place[i]
    Q = state.Q
    m = tree.inertia[i, 0]
    h = _first_moment(tree, i)
    n0, n1, n2, p0, p1, p2 = momentum(tree.inertia, i, _twist(state.V, tree.first[i]))
    # n = I w + h x v about the origin; about the centre it is less by (h / m) x p.
    less = cross(h, (p0, p1, p2))
    spin = n0 - less[0] / m, n1 - less[1] / m, n2 - less[2] / m
    x, y, z = turned(Q, o, 1.0, (h[0] / m, h[1] / m, h[2] / m))
    return (Q[o] + x, Q[o + 1] + y, Q[o + 2] + z), turned(Q, o, 1.0, (p0, p1, p2)), turned(Q, o, 1.0, spin)


@compiled
def place_with_momentum(
    tree: TreeViews, state: StateViews, mass: MassViews, i: int, centre: Vector, p: Vector, n: Vector
) -> None:
    """Place and velocities of loose node i, oriented as it is, for what `momentum_of` gives."""
    k = tree.first[i]
    o = tree.place[i]
    Q = state.Q
    V = state.V
    m = tree.inertia[i, 0]
    h = _first_moment(tree, i)
    c = h[0] / m, h[1] / m, h[2] / m
    Q[o], Q[o + 1], Q[o + 2] = minus(centre, turned(Q, o, 1.0, c))
    p, n = turned(Q, o, -1.0, p), turned(Q, o, -1.0, n)
    V[k] = n[0] + c[1] * p[2] - c[2] * p[1]
    V[k + 1] = n[1] + c[2] * p[0] - c[0] * p[2]
    V[k + 2] = n[2] + c[0] * p[1] - c[1] * p[0]
    V[k + 3], V[k + 4], V[k + 5] = p
    solve_mass_within(mass, V, k, k + BODY_FREEDOMS)


@compiled
def _keep_momentum(
    tree: TreeViews, state: StateViews, mass: MassViews, stages: StageViews, i: int, dt: float,
    known: tuple[Vector, Vector, Vector], effort: tuple[Vector, Vector],
) -> None:  # fmt: skip
    """Place and velocities after a step in which an `effort` acted (moment about the origin, force), constant in the
    axes that the body floats in, for what was `known` at its start."""
    (c, p, n) = known
    (turn, push) = effort
    Q0 = stages.Q0
    o = tree.place[i]
    m = tree.inertia[i, 0]
    g = _weight_of_one(tree, i)
    w = turned(Q0, o, 1.0, vector_at(stages.V0, tree.first[i]))
    x, y, z = minus(c, vector_at(Q0, o))
    # The moment is about the origin half way, as `midpoint_rows` foresees it; the centre is further by the way that it
    # turns.
    half = 0.5 * dt
    x, y, z = x + half * (w[1] * z - w[2] * y), y + half * (w[2] * x - w[0] * z), z + half * (w[0] * y - w[1] * x)
    n = (
        n[0] + dt * (turn[0] - y * push[2] + z * push[1]),
        n[1] + dt * (turn[1] - z * push[0] + x * push[2]),
        n[2] + dt * (turn[2] - x * push[1] + y * push[0]),
    )
    f0 = push[0] + m * g[0]
    f1 = push[1] + m * g[1]
    f2 = push[2] + m * g[2]
    gained = (p[0] + dt * f0, p[1] + dt * f1, p[2] + dt * f2)
    way = dt / m
    then = (
        c[0] + way * (p[0] + half * f0), c[1] + way * (p[1] + half * f1), c[2] + way * (p[2] + half * f2),
    )  # fmt: skip
    place_with_momentum(tree, state, mass, i, then, gained, n)


@compiled
def any_effort(effort: Floats, k: int) -> bool:
    """Whether any of the six numbers of a body, from k on, is not zero."""
    acts = False
    for a in range(k, k + BODY_FREEDOMS):
        acts = acts or effort[a] != 0.0
    return acts


@compiled
def mark_momentum(m: MechanismViews) -> None:
    """V_sum = momenta of the loose bodies that are to move by `step`."""
    tree = m.tree
    state = m.state
    kept = m.stages.V_sum
    for i in range(tree.first.shape[0]):
        k = tree.first[i]
        if any_effort(state.step, k):
            kept[k], kept[k + 1], kept[k + 2] = momentum_of(tree, state, i)[1]


@compiled
def restore_momentum(m: MechanismViews) -> None:
    """Velocities of loose bodies that moved by `step` for the momenta in V_sum: who is turned by hand keeps velocities
    in axes of its own, of which spin is to stay as it is, for the energy."""
    tree = m.tree
    state = m.state
    kept = m.stages.V_sum
    mass = m.mass
    for i in range(tree.first.shape[0]):
        k = tree.first[i]
        if any_effort(state.step, k):
            centre, _, n = momentum_of(tree, state, i)
            place_with_momentum(tree, state, mass, i, centre, vector_at(kept, k), n)


@compiled
def accelerate_awake(m: MechanismViews, bounded: BoundedRows, fresh: bool) -> None:
    """As `accelerate_from`; where all bodies are loose and H has its factors, DV is that of those awake alone."""
    if bounded.loose[0] == FACTORED:
        place_nodes(m.tree, m.state, m.tree.order.shape[0])
        move_nodes(m.tree, m.state, m.tree.order.shape[0])
        for i in range(m.tree.first.shape[0]):
            if not is_asleep(m, bounded, i):
                loose_efforts(m.tree, m.state, i)
                solve_mass_within(m.mass, m.state.DV, m.tree.first[i], m.tree.first[i] + BODY_FREEDOMS)
    else:
        accelerate_from(m, fresh)
        if m.tree.active < m.tree.kind.shape[0]:  # nodes in closed form touch, too
            move_nodes(m.tree, m.state, m.tree.order.shape[0])
        if bounded.loose[0] > 0:
            bounded.loose[0] = FACTORED


STILL = 1e-10
"""What moves more slowly than this [m/s or rad/s] before and after a step is at rest: a hundred times what a row of
contacts may lack (`solver.solve.STALLED`), which levers make larger; in steps of 1 ms, less than 1e-8 of a weight."""
IN_PLACE = 1e-13
"""… and what moves by less [m, or parts of a quaternion]: not what is moved apart."""
NEVER = -1
"""ASLEEP of what is no loose body, or one that more than contacts and its weight act on; else 1 of what sleeps, 0 of
what is awake."""


@compiled
def sleep_place(m: MechanismViews, bounded: BoundedRows, i: int) -> int:
    """The coordinate of node i that says in ASLEEP whether it sleeps: its first; less than 0 of what never sleeps."""
    if m.tree.kind[i] != FREE:
        return -1
    a = m.tree.G.column[m.tree.G.begin[m.tree.first[i]]]
    return a if bounded.asleep[a] != NEVER else -1


@compiled
def is_asleep(m: MechanismViews, bounded: BoundedRows, i: int) -> bool:
    """Whether node i sleeps; the world always does."""
    if i < 0:
        return True
    a = sleep_place(m, bounded, i)
    return a >= 0 and bounded.asleep[a] > 0


@compiled
def is_contact_asleep(m: MechanismViews, bounded: BoundedRows, CI: Ints2, c: int) -> bool:
    """Whether both bodies of contact c sleep."""
    asleep = bounded.loose[0] != 0
    return asleep and is_asleep(m, bounded, CI[c, row_at.FIRST]) and is_asleep(m, bounded, CI[c, row_at.SECOND])


@compiled
def all_asleep(m: MechanismViews, bounded: BoundedRows) -> bool:
    """Whether everything sleeps."""
    sleep = bounded.loose[0] > 0
    for i in range(m.tree.kind.shape[0] if sleep else 0):
        sleep = sleep and is_asleep(m, bounded, i)
    return sleep


@compiled
def wake(m: MechanismViews, bounded: BoundedRows, contacts: Table) -> None:
    """Wake bodies that touch something awake, and those that these touch. Contacts between sleeping bodies keep their
    impulses."""
    (CI, CF) = contacts
    changed = bounded.loose[0] != 0
    while changed:
        changed = False
        for c in range(CI.shape[0]):
            a, b = CI[c, row_at.FIRST], CI[c, row_at.SECOND]
            if a >= 0 and b >= 0 and is_asleep(m, bounded, a) != is_asleep(m, bounded, b):
                bounded.asleep[sleep_place(m, bounded, a if is_asleep(m, bounded, a) else b)] = 0
                changed = True
    for c in range(CI.shape[0]):
        if is_contact_asleep(m, bounded, CI, c):
            for k in range(row_at.ROWS_OF_CONTACT):
                CF[c, row_at.CONTACT_IMPULSE + k] = CF[c, row_at.ACTED + k]


@compiled
def restore_sleeping(m: MechanismViews, bounded: BoundedRows) -> None:
    """Put sleeping bodies back to where they were: beside joints `rk4` moves all nodes."""
    for i in range(m.tree.kind.shape[0]):
        if is_asleep(m, bounded, i):
            _stop(m, sleep_place(m, bounded, i), i)


@compiled
def put_to_sleep(m: MechanismViews, bounded: BoundedRows) -> None:
    """After a step: islands all of whose bodies were still before and after it sleep, where they were."""
    if bounded.loose[0] == 0:
        return
    for s in range(bounded.islands[0]):
        bounded.head[s] = 0
    for a in range(m.state.V.shape[0]):
        s = _island_of(bounded, a)
        if s >= 0 and bounded.asleep[a] == NEVER:
            bounded.head[s] = 1
    for i in range(m.tree.kind.shape[0]):
        a = sleep_place(m, bounded, i)
        s = _island_of(bounded, a) if a >= 0 else -1
        if s >= 0 and not _is_still(m, a, i):
            bounded.head[s] = 1
    for i in range(m.tree.kind.shape[0]):
        a = sleep_place(m, bounded, i)
        s = _island_of(bounded, a) if a >= 0 else -1
        if s >= 0 and bounded.head[s] == 0:
            bounded.asleep[a] = 1
            _stop(m, a, i)


@compiled
def _island_of(bounded: BoundedRows, a: int) -> int:
    """Of the rows of the last step; less than 0 where none is about coordinate a."""
    block = bounded.block[a]
    return bounded.island[block] if bounded.islands[0] > 0 else -1


@compiled
def _is_still(m: MechanismViews, k: int, i: int) -> bool:
    state, stages = m.state, m.stages
    o = m.tree.place[i]
    still = True
    for a in range(k, k + BODY_FREEDOMS):
        still = still and abs(state.V[a]) <= STILL and abs(stages.V0[a]) <= STILL
    for c in range(o, o + BODY_POSITIONS):
        still = still and abs(state.Q[c] - stages.Q0[c]) <= IN_PLACE
    return still


@compiled
def _stop(m: MechanismViews, k: int, i: int) -> None:
    state, stages = m.state, m.stages
    o = m.tree.place[i]
    for a in range(k, k + BODY_FREEDOMS):
        state.V[a] = 0.0
    for c in range(o, o + BODY_POSITIONS):
        state.Q[c] = stages.Q0[c]
