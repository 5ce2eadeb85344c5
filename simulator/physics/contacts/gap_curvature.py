"""Second derivative in time of the gaps of contacts while no coordinate accelerates.

A step chooses efforts so that gaps are closed at its end, with normals and arms as they are at its start. A corner or a
rounding with its centre c on body A over a flat face with the normal n on body B has the gap n · (c - p), less the
radius; as n turns with B

    gap'' = n · (a_A - a_B) + 2 (w_B x n) · (v_A - v_B),    all at c.

What of it is there without any acceleration of the coordinates is found here, and added by `step.efforts` to what it
foresees. It needs velocities and bias accelerations of all nodes (`tree.tree.update_velocities`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.algebra.spatial import row_spatial, row_vector, twist_at
from simulator.physics.algebra.vectors import cross, dot, minus, plus
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.flatten import FREE

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints2, Spatial, Vector
    from simulator.physics.tree.views import StateViews, TreeViews


@compiled
def gap_curvature(tree: TreeViews, state: StateViews, CI: Ints2, CF: Floats2, c: int) -> float:
    """gap'' [m/s²] of contact point c; 0 where its centre is not known."""
    centre = CF[c, row_at.CENTRE], CF[c, row_at.CENTRE + 1], CF[c, row_at.CENTRE + 2]
    if math.isnan(centre[0]):
        return 0.0
    n = CF[c, row_at.NORMAL_AT], CF[c, row_at.NORMAL_AT + 1], CF[c, row_at.NORMAL_AT + 2]
    bent, parting = 0.0, (0.0, 0.0, 0.0)  # v_A - v_B
    for side in range(2):
        i = CI[c, side]
        sign = 1.0 - 2.0 * side
        if i >= 0:
            v, a = _motion(tree, state, i, centre)
            bent += sign * dot(n, a)
            parting = plus(parting, sign, v)
    if CI[c, row_at.SECOND] >= 0:
        # d2/dt2 n . (c_A - c_B) has twice n' . (v_A - v_B) with n' = w_B x n.
        bent += 2.0 * dot(cross(row_vector(state.velocity, CI[c, row_at.SECOND]), n), parting)
    return bent


@compiled
def _motion(tree: TreeViews, state: StateViews, i: int, centre: Vector) -> tuple[Vector, Vector]:
    """Velocity and acceleration, in the world, of the point of node i at `centre`; the acceleration without that of the
    coordinates, and without the w x v of the free body that carries it, which `step.efforts` foresees by itself."""
    g = tree.gravity
    r = minus(centre, row_vector(state.p, i))
    w0, w1, w2, v0, v1, v2 = twist_at(row_spatial(state.velocity, i), r)
    _, _, _, a0, a1, a2 = _weightless_at(row_spatial(state.acceleration, i), g, r)
    # a + alpha x r + w x (v + w x r), of a spatial acceleration, whose gravity is given back.
    a0 = a0 + w1 * v2 - w2 * v1
    a1 = a1 + w2 * v0 - w0 * v2
    a2 = a2 + w0 * v1 - w1 * v0
    root = i
    while tree.parent[root] >= 0:
        root = tree.parent[root]
    a = a0, a1, a2
    if tree.kind[root] == FREE:
        f = state.velocity
        a = minus(a, cross(row_vector(f, root), (f[root, 3], f[root, 4], f[root, 5])))
    return (v0, v1, v2), a


@compiled
def _weightless_at(a: Spatial, g: Floats, r: Vector) -> Spatial:
    """A spatial acceleration that has minus gravity, without it, taken about a point that is r away."""
    return twist_at((a[0], a[1], a[2], a[3] + g[0], a[4] + g[1], a[5] + g[2]), r)
