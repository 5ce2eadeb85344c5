"""Velocities of the nodes of a tree, and the accelerations that they have without any of the coordinates.

Twists are (angular, linear) in world axes about each node's own origin: v_i = v_p + S qd, a_i = a_p + v_i x (S qd)
(Featherstone, Rigid Body Dynamics Algorithms, chapter 5; see `tree.tree`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.spatial import moved_twist, row_spatial, row_vector, set_spatial
from simulator.physics.algebra.vectors import minus
from simulator.physics.layout.flatten import FREEDOMS
from simulator.physics.tree.couplings import spread
from simulator.physics.tree.views import open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Spatial
    from simulator.physics.tree.views import StateViews, TreeViews

STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@compiled
def update_velocities(F: Floats, N: Ints) -> None:
    """Velocities and bias accelerations of all nodes, from V at fresh poses."""
    tree = open_tree(F, N)
    move_nodes(tree, open_state(F, N), tree.order.shape[0])


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
