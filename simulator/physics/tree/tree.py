"""Poses, motion columns, velocities, inertias, bias efforts and energies of the tree.

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

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import (
    add_spatial,
    minus,
    momentum,
    moved_twist,
    moved_wrench,
    plus,
    product,
    rotation_of,
    row_moments,
    row_spatial,
    row_vector,
    set_rotation,
    set_spatial,
    set_vector,
    turn,
)
from simulator.physics.layout.flatten import BALL, FREE, FREEDOMS, ROTATION, TRANSLATION
from simulator.physics.tree.loads import apply_loads, stored_by_loads
from simulator.physics.tree.positions import position_of, spread

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Floats3, Rotation, Spatial, Vector
    from simulator.physics.tree.loads import LoadViews
    from simulator.physics.tree.views import StateViews, TreeViews

STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# -- poses -------------------------------------------------------------------------------------------------------------


@compiled
def place_nodes(tree: TreeViews, state: StateViews, count: int) -> None:
    """R, p and S of the first `count` nodes of the order, from the positions Q."""
    for n in range(count):
        i = tree.order[n]
        k, kind = tree.first[i], tree.kind[i]
        R, p = placed_frame(state, tree.parent[i], rotation_of(tree.frame, i), frame_origin(tree.frame, i))
        if kind < BALL:
            axis = turn(R, row_vector(tree.axis, i))
            set_vector(state.S, k, axis)
            q = position_of(tree.G, state.Q, k)
            if kind == ROTATION:
                R = product(rotation_about(axis, q), R)
            else:
                p = plus(p, q, axis)
        else:
            R, p = _move_loose(R, p, state.Q, tree.place[i], kind == FREE)
            # Freedoms are angular velocity, then velocity, along the axes of the outboard frame.
            for first in range(k, k + FREEDOMS[kind], 3):
                set_vector(state.S, first, (R[0], R[3], R[6]))
                set_vector(state.S, first + 1, (R[1], R[4], R[7]))
                set_vector(state.S, first + 2, (R[2], R[5], R[8]))
        set_rotation(state.R, i, R)
        set_vector(state.p, i, p)


@compiled
def frame_origin(frame: Floats3, i: int) -> Vector:
    """The origin of frame i of a table, (n, 3, 4)."""
    return frame[i, 0, 3], frame[i, 1, 3], frame[i, 2, 3]


@compiled
def placed_frame(state: StateViews, node: int, R: Rotation, p: Vector) -> tuple[Rotation, Vector]:
    """Rotation and origin in the world of the frame (R, p) in a node, or in the world itself (-1)."""
    if node < 0:
        return R, p
    A = rotation_of(state.R, node)
    origin = (
        state.p[node, 0] + A[0] * p[0] + A[1] * p[1] + A[2] * p[2],
        state.p[node, 1] + A[3] * p[0] + A[4] * p[1] + A[5] * p[2],
        state.p[node, 2] + A[6] * p[0] + A[7] * p[1] + A[8] * p[2],
    )
    return product(A, R), origin


@compiled
def rotation_about(a: Vector, q: float) -> Rotation:
    """cos q E + sin q [a]x + (1 - cos q) a a^T (Rodrigues; Siciliano et al., Robotics, 2.5)."""
    x, y, z = a
    c, s = math.cos(q), math.sin(q)
    t = 1.0 - c
    return (
        t * x * x + c, t * x * y - s * z, t * x * z + s * y,
        t * x * y + s * z, t * y * y + c, t * y * z - s * x,
        t * x * z - s * y, t * y * z + s * x, t * z * z + c,
    )  # fmt: skip


@compiled
def _move_loose(R: Rotation, p: Vector, Q: Floats, place: int, free: bool) -> tuple[Rotation, Vector]:
    """The frame (R, p) moved by a ball, or by a free joint (place, then quaternion), whose positions begin at
    `place`."""
    if free:
        p = plus(p, 1.0, turn(R, (Q[place], Q[place + 1], Q[place + 2])))
        place += 3
    x = Q[place]
    y = Q[place + 1]
    z = Q[place + 2]
    w = Q[place + 3]
    # A quaternion of length l turns by R = E + 2/l^2 (w [v]x + [v]x^2): no need to be of length one within a step.
    h = 2.0 / (x * x + y * y + z * z + w * w)
    turned = (
        1.0 - h * (y * y + z * z), h * (x * y - w * z), h * (x * z + w * y),
        h * (x * y + w * z), 1.0 - h * (x * x + z * z), h * (y * z - w * x),
        h * (x * z - w * y), h * (y * z + w * x), 1.0 - h * (x * x + y * y),
    )  # fmt: skip
    return product(R, turned), p


# -- inertias and forces -----------------------------------------------------------------------------------------------


@compiled
def rotate_inertias(tree: TreeViews, state: StateViews, count: int) -> None:
    """Inertia of the first `count` nodes of the order, about their origins in world axes: m, R h, and R I R^T."""
    for n in range(count):
        i = tree.order[n]
        R = rotation_of(state.R, i)
        xx, yy, zz, xy, xz, yz = row_moments(tree.inertia, i)
        T = product(R, (xx, xy, xz, xy, yy, yz, xz, yz, zz))
        h = turn(R, (tree.inertia[i, 1], tree.inertia[i, 2], tree.inertia[i, 3]))
        state.inertia[i, 0] = tree.inertia[i, 0]
        state.inertia[i, 1], state.inertia[i, 2], state.inertia[i, 3] = h
        state.inertia[i, 4] = T[0] * R[0] + T[1] * R[1] + T[2] * R[2]
        state.inertia[i, 5] = T[3] * R[3] + T[4] * R[4] + T[5] * R[5]
        state.inertia[i, 6] = T[6] * R[6] + T[7] * R[7] + T[8] * R[8]
        state.inertia[i, 7] = T[0] * R[3] + T[1] * R[4] + T[2] * R[5]
        state.inertia[i, 8] = T[0] * R[6] + T[1] * R[7] + T[2] * R[8]
        state.inertia[i, 9] = T[3] * R[6] + T[4] * R[7] + T[5] * R[8]


@compiled
def node_force(state: StateViews, i: int) -> Spatial:
    """I a + v x* I v of node i, at its bias acceleration."""
    v = row_spatial(state.velocity, i)
    f = momentum(state.inertia, i, row_spatial(state.acceleration, i))
    w0, w1, w2, l0, l1, l2 = v
    n0, n1, n2, p0, p1, p2 = momentum(state.inertia, i, v)
    return (
        f[0] + (w1 * n2 - w2 * n1 + l1 * p2 - l2 * p1),
        f[1] + (w2 * n0 - w0 * n2 + l2 * p0 - l0 * p2),
        f[2] + (w0 * n1 - w1 * n0 + l0 * p1 - l1 * p0),
        f[3] + (w1 * p2 - w2 * p1),
        f[4] + (w2 * p0 - w0 * p2),
        f[5] + (w0 * p1 - w1 * p0),
    )


@entry("motion")
def find_bias(tree: TreeViews, state: StateViews, loads: LoadViews) -> None:
    """Bias effort h(q, qd) of every freedom; inertias become composite on the way down."""
    for n in range(tree.active):
        i = tree.order[n]
        set_spatial(state.force, i, node_force(state, i))
    find_closed_bias(tree, state)
    for n in range(tree.weightless.shape[0]):
        hold_up(tree, state, tree.weightless[n])
    apply_loads(loads, state)
    for n in range(tree.active - 1, -1, -1):
        i = tree.order[n]
        up = tree.parent[i]
        for k in range(tree.first[i], tree.first[i] + FREEDOMS[tree.kind[i]]):
            state.bias[k] = effort_along(tree, state, i, k)
        if up >= 0:
            r = minus(row_vector(state.p, i), row_vector(state.p, up))
            add_spatial(state.force, up, moved_wrench(row_spatial(state.force, i), r))
            _add_inertia(state.inertia, i, up, r)


@compiled
def effort_along(tree: TreeViews, state: StateViews, i: int, k: int) -> float:
    """S^T f: the effort along freedom k of what the joint of node i transmits."""
    o = 0 if tree.turns[k] else 3
    S, f = state.S, state.force
    return S[k, 0] * f[i, o] + S[k, 1] * f[i, o + 1] + S[k, 2] * f[i, o + 2]


@compiled
def find_closed_bias(tree: TreeViews, state: StateViews) -> None:
    """Bias of the nodes in closed form: A, or A cos q + B sin q."""
    for s in range(tree.order.shape[0] - tree.active):
        i = tree.order[tree.active + s]
        k = tree.first[i]
        even = tree.closed_form[s, 0]
        odd = tree.closed_form[s, 1]
        if tree.kind[i] == TRANSLATION or (even == 0.0 and odd == 0.0):
            state.bias[k] = even
            continue
        q = position_of(tree.G, state.Q, k)
        state.bias[k] = even * math.cos(q) + odd * math.sin(q)


@compiled
def hold_up(tree: TreeViews, state: StateViews, i: int) -> None:
    """Take gravity, which came with the root's acceleration, out of the force of node i: add (h x g, m g)."""
    g, f = tree.gravity, state.force
    m = state.inertia[i, 0]
    h0 = state.inertia[i, 1]
    h1 = state.inertia[i, 2]
    h2 = state.inertia[i, 3]
    f[i, 0] += h1 * g[2] - h2 * g[1]
    f[i, 1] += h2 * g[0] - h0 * g[2]
    f[i, 2] += h0 * g[1] - h1 * g[0]
    for a in range(3):
        f[i, 3 + a] += m * g[a]


@compiled
def _add_inertia(inertia: Floats2, i: int, up: int, r: Vector) -> None:
    """Add the inertia in row i, about a point that is r away, to that in row `up` (parallel-axis theorem)."""
    r0, r1, r2 = r
    m = inertia[i, 0]
    h0 = inertia[i, 1]
    h1 = inertia[i, 2]
    h2 = inertia[i, 3]
    # About a point r away, h' = h + m r and I' = I + (2 r.h + m r.r) E - (r h^T + h r^T) - m r r^T.
    common = 2.0 * (r0 * h0 + r1 * h1 + r2 * h2) + m * (r0 * r0 + r1 * r1 + r2 * r2)
    inertia[up, 0] += m
    inertia[up, 1] += h0 + m * r0
    inertia[up, 2] += h1 + m * r1
    inertia[up, 3] += h2 + m * r2
    inertia[up, 4] += inertia[i, 4] + common - 2.0 * r0 * h0 - m * r0 * r0
    inertia[up, 5] += inertia[i, 5] + common - 2.0 * r1 * h1 - m * r1 * r1
    inertia[up, 6] += inertia[i, 6] + common - 2.0 * r2 * h2 - m * r2 * r2
    inertia[up, 7] += inertia[i, 7] - r0 * h1 - h0 * r1 - m * r0 * r1
    inertia[up, 8] += inertia[i, 8] - r0 * h2 - h0 * r2 - m * r0 * r2
    inertia[up, 9] += inertia[i, 9] - r1 * h2 - h1 * r2 - m * r1 * r2


# -- energies ----------------------------------------------------------------------------------------------------------


@entry("motion")
def kinetic_energy(tree: TreeViews, state: StateViews) -> float:
    """Sum of v^T I v / 2 over nodes [J], of I qd^2 / 2 over those in closed form; needs fresh velocities and inertias
    that are not composite yet."""
    total = 0.0
    for n in range(tree.active):
        i = tree.order[n]
        v = row_spatial(state.velocity, i)
        p = momentum(state.inertia, i, v)
        total = total + 0.5 * v[0] * p[0] + 0.5 * v[1] * p[1] + 0.5 * v[2] * p[2]
        total = total + 0.5 * v[3] * p[3] + 0.5 * v[4] * p[4] + 0.5 * v[5] * p[5]
    for s in range(tree.order.shape[0] - tree.active):
        rate = state.QD[tree.first[tree.order[tree.active + s]]]
        total += 0.5 * tree.closed_form[s, 3] * rate * rate
    return total


@entry("motion")
def potential_energy(tree: TreeViews, state: StateViews, loads: LoadViews) -> float:
    """-g . sum m c over nodes [J], zero at the world's origin, of those in closed form as `simple` has it, and what
    loads store; needs fresh poses and inertias that are not composite yet."""
    total = 0.0
    for n in range(tree.active):
        i = tree.order[n]
        for a in range(3):
            total -= tree.gravity[a] * _mass_moment(state, i, a)
    for n in range(tree.weightless_active):
        i = tree.weightless[n]
        for a in range(3):
            total += tree.gravity[a] * _mass_moment(state, i, a)
    return total + _closed_potential(tree, state) + stored_by_loads(loads, state)


@compiled
def _mass_moment(state: StateViews, i: int, a: int) -> float:
    """Component a of m c, about the world's origin."""
    return state.inertia[i, 1 + a] + state.inertia[i, 0] * state.p[i, a]


@compiled
def _closed_potential(tree: TreeViews, state: StateViews) -> float:
    """A q + C of slides, A sin q - B cos q + C of hinges."""
    total = 0.0
    for s in range(tree.order.shape[0] - tree.active):
        i = tree.order[tree.active + s]
        even, odd = tree.closed_form[s, 0], tree.closed_form[s, 1]
        total += tree.closed_form[s, 2]
        if even != 0.0 or odd != 0.0:
            q = position_of(tree.G, state.Q, tree.first[i])
            total += even * q if tree.kind[i] == TRANSLATION else even * math.sin(q) - odd * math.cos(q)
    return total


# -- velocities --------------------------------------------------------------------------------------------------------


@compiled
def move_nodes(tree: TreeViews, state: StateViews, count: int) -> None:
    """QD, and velocity and bias acceleration, gravity included, of the first `count` nodes of the order, from V at the
    poses of `place_nodes`."""
    g = tree.gravity
    spread(tree.G, state.V, state.QD)
    for n in range(count):
        i = tree.order[n]
        up = tree.parent[i]
        joint = plus_joint_twist(STILL, tree, state, i, state.QD)
        # The root accelerates with -g, so that the weights of all bodies come with their inertial forces.
        twist = joint
        acceleration = (0.0, 0.0, 0.0, -g[0], -g[1], -g[2])
        if up >= 0:
            r = minus(row_vector(state.p, i), row_vector(state.p, up))
            twist = moved_twist(row_spatial(state.velocity, up), r, joint)
            acceleration = moved_twist(row_spatial(state.acceleration, up), r, STILL)
        set_spatial(state.velocity, i, twist)
        set_spatial(state.acceleration, i, _plus_cross(acceleration, twist, joint))


@compiled
def _plus_cross(a: Spatial, v: Spatial, joint: Spatial) -> Spatial:
    """a + v x joint of twists: (w x j_w, w x j_v + l x j_w) (Featherstone, 2.9)."""
    w0, w1, w2, l0, l1, l2 = v
    j0, j1, j2, j3, j4, j5 = joint
    return (
        a[0] + (w1 * j2 - w2 * j1),
        a[1] + (w2 * j0 - w0 * j2),
        a[2] + (w0 * j1 - w1 * j0),
        a[3] + (w1 * j5 - w2 * j4 + l1 * j2 - l2 * j1),
        a[4] + (w2 * j3 - w0 * j5 + l2 * j0 - l0 * j2),
        a[5] + (w0 * j4 - w1 * j3 + l0 * j1 - l1 * j0),
    )


@compiled
def plus_joint_twist(twist: Spatial, tree: TreeViews, state: StateViews, i: int, rates: Floats) -> Spatial:
    """`twist` and what the joint of node i adds to it, in the world, at these velocities of the freedoms."""
    S = state.S
    k = tree.first[i]
    j0, j1, j2, j3, j4, j5 = twist
    for f in range(k, k + FREEDOMS[tree.kind[i]]):
        rate = rates[f]
        if tree.turns[f]:
            j0 += S[f, 0] * rate
            j1 += S[f, 1] * rate
            j2 += S[f, 2] * rate
        else:
            j3 += S[f, 0] * rate
            j4 += S[f, 1] * rate
            j5 += S[f, 2] * rate
    return j0, j1, j2, j3, j4, j5


@compiled
def twists_of(tree: TreeViews, state: StateViews, coordinates: Floats, rates: Floats, twists: Floats2) -> None:
    """Fill `twists` (nodes, 6) of all nodes, at the poses of `place_nodes`, and `rates` of the freedoms, for these
    velocities of the independent coordinates."""
    spread(tree.G, coordinates, rates)
    for n in range(tree.order.shape[0]):
        i = tree.order[n]
        up = tree.parent[i]
        twist = plus_joint_twist(STILL, tree, state, i, rates)
        if up >= 0:
            r = minus(row_vector(state.p, i), row_vector(state.p, up))
            twist = moved_twist(row_spatial(twists, up), r, twist)
        set_spatial(twists, i, twist)
