"""What axes and bodies show to the outside, all of them in one call."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.bounded_rows import axis_position
from simulator.dynamics.compiled.loop_kernels import loop_axis_rate, update_loops
from simulator.dynamics.compiled.loop_views import open_loops
from simulator.dynamics.compiled.tree_kernels import place_nodes, rotate_inertias
from simulator.dynamics.compiled.tree_views import open_state, open_tree
from simulator.dynamics.compiled.velocity_kernels import move_nodes
from simulator.dynamics.compiled.views import start
from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.dynamics.arrays import Floats, Floats2, Floats3, Ints


@entry("motion")
def refresh(F: Floats, N: Ints) -> None:
    """Poses, velocities and inertias of nodes, frames and axes of loops, for the present state."""
    refresh_nodes(F, N, N[at.NODES])


@compiled
def refresh_nodes(F: Floats, N: Ints, count: int) -> None:
    """As `refresh`, of the first `count` nodes of the order."""
    tree, state = open_tree(F, N), open_state(F, N)
    place_nodes(tree, state, count)
    move_nodes(tree, state, count)
    rotate_inertias(tree, state, count)
    update_loops(F, N)


@entry("motion")
def read_axes(F: Floats, N: Ints, codes: Ints, position: Floats, velocity: Floats) -> None:
    """Fill `position` and `velocity` of all axes; codes: a freedom of the tree, or -1 - place of a loop axis. Needs
    `refresh`."""
    QD = start(N, at.F_QD)
    for axis in range(codes.shape[0]):
        code = codes[axis]
        position[axis] = axis_position(F, N, code)
        velocity[axis] = F[QD + code] if code >= 0 else loop_axis_rate(open_loops(F, N), -1 - code)


@entry("motion")
def read_bodies(F: Floats, N: Ints, nodes: Ints, X: Floats3, com: Floats2, poses: Floats2, velocities: Floats2) -> None:
    """Fill `poses` (n, 7), X_WB, and `velocities` (n, 6), angular and of the centre of mass, of the bodies on `nodes`
    (n,).

    `X` (n, 3, 4): X_LB, a body in its node; `com` (n, 3): centre of mass in the body. Needs fresh poses and velocities
    of the nodes.
    """
    R, P, VEL = start(N, at.F_R), start(N, at.F_P), start(N, at.F_VEL)
    for b in range(nodes.shape[0]):
        r, p, v = R + 9 * nodes[b], P + 3 * nodes[b], VEL + 6 * nodes[b]
        a0, a1, a2 = X[b, 0, 3], X[b, 1, 3], X[b, 2, 3]
        for k in range(3):
            poses[b, k] = F[p + k] + F[r + 3 * k] * a0 + F[r + 3 * k + 1] * a1 + F[r + 3 * k + 2] * a2
        _store_quaternion(F, r, X, b, poses)
        # The arm from the node's origin to the centre of mass, in the world.
        c0 = X[b, 0, 0] * com[b, 0] + X[b, 0, 1] * com[b, 1] + X[b, 0, 2] * com[b, 2] + a0
        c1 = X[b, 1, 0] * com[b, 0] + X[b, 1, 1] * com[b, 1] + X[b, 1, 2] * com[b, 2] + a1
        c2 = X[b, 2, 0] * com[b, 0] + X[b, 2, 1] * com[b, 1] + X[b, 2, 2] * com[b, 2] + a2
        d0 = F[r] * c0 + F[r + 1] * c1 + F[r + 2] * c2
        d1 = F[r + 3] * c0 + F[r + 4] * c1 + F[r + 5] * c2
        d2 = F[r + 6] * c0 + F[r + 7] * c1 + F[r + 8] * c2
        w0, w1, w2 = F[v], F[v + 1], F[v + 2]
        velocities[b, 0], velocities[b, 1], velocities[b, 2] = w0, w1, w2
        velocities[b, 3] = F[v + 3] + w1 * d2 - w2 * d1
        velocities[b, 4] = F[v + 4] + w2 * d0 - w0 * d2
        velocities[b, 5] = F[v + 5] + w0 * d1 - w1 * d0


@compiled
def _entry(F: Floats, r: int, X: Floats, b: int, i: int, j: int) -> float:
    return F[r + 3 * i] * X[b, 0, j] + F[r + 3 * i + 1] * X[b, 1, j] + F[r + 3 * i + 2] * X[b, 2, j]


@compiled
def _store_quaternion(F: Floats, r: int, X: Floats, b: int, poses: Floats) -> None:
    """(x, y, z, w) of R X from its largest part (Shepperd 1978)."""
    m00, m11, m22 = _entry(F, r, X, b, 0, 0), _entry(F, r, X, b, 1, 1), _entry(F, r, X, b, 2, 2)
    m01, m10 = _entry(F, r, X, b, 0, 1), _entry(F, r, X, b, 1, 0)
    m02, m20 = _entry(F, r, X, b, 0, 2), _entry(F, r, X, b, 2, 0)
    m12, m21 = _entry(F, r, X, b, 1, 2), _entry(F, r, X, b, 2, 1)
    trace = m00 + m11 + m22
    # The largest of w^2, x^2, y^2, z^2 is at least 1/4: nothing is divided by less than 2.
    if trace >= m00 and trace >= m11 and trace >= m22:
        s = 2.0 * math.sqrt(1.0 + trace)
        x, y, z, w = (m21 - m12) / s, (m02 - m20) / s, (m10 - m01) / s, 0.25 * s
    elif m00 >= m11 and m00 >= m22:
        s = 2.0 * math.sqrt(1.0 + m00 - m11 - m22)
        x, y, z, w = 0.25 * s, (m01 + m10) / s, (m02 + m20) / s, (m21 - m12) / s
    elif m11 >= m22:
        s = 2.0 * math.sqrt(1.0 + m11 - m00 - m22)
        x, y, z, w = (m01 + m10) / s, 0.25 * s, (m12 + m21) / s, (m02 - m20) / s
    else:
        s = 2.0 * math.sqrt(1.0 + m22 - m00 - m11)
        x, y, z, w = (m02 + m20) / s, (m12 + m21) / s, 0.25 * s, (m10 - m01) / s
    poses[b, 3], poses[b, 4], poses[b, 5], poses[b, 6] = x, y, z, w
