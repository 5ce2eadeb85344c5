"""What axes and bodies show to the outside, all of them in one call."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.spatial import (
    product,
    rotation_of,
    row_spatial,
    row_vector,
    set_spatial,
    turn,
    twist_at,
)
from simulator.physics.algebra.vectors import plus
from simulator.physics.layout import buffers as at
from simulator.physics.loops.loops import loop_axis_rate, update_loops
from simulator.physics.loops.views import open_loops, open_mechanism
from simulator.physics.rows.rows import axis_position
from simulator.physics.tree.tree import (
    frame_origin,
    move_nodes,
    place_nodes,
    placed_frame,
    rotate_inertias,
)
from simulator.physics.tree.views import open_state, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Floats3, Ints, Rotation


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
    state, loops = open_state(F, N), open_loops(F, N)
    for axis in range(codes.shape[0]):
        code = codes[axis]
        position[axis] = axis_position(open_mechanism(F, N), code)
        velocity[axis] = state.QD[code] if code >= 0 else loop_axis_rate(loops, -1 - code)


@entry("motion")
def read_bodies(F: Floats, N: Ints, nodes: Ints, X: Floats3, com: Floats2, poses: Floats2, velocities: Floats2) -> None:
    """Fill `poses` (n, 7), X_WB, and `velocities` (n, 6), angular and of the centre of mass, of the bodies on `nodes`
    (n,).

    `X` (n, 3, 4): X_LB, a body in its node; `com` (n, 3): centre of mass in the body. Needs fresh poses and velocities
    of the nodes.
    """
    state = open_state(F, N)
    for b in range(nodes.shape[0]):
        i = nodes[b]
        R = rotation_of(state.R, i)
        place = rotation_of(X, b)
        origin = frame_origin(X, b)
        _, p = placed_frame(state, i, place, origin)
        poses[b, 0], poses[b, 1], poses[b, 2] = p
        _store_quaternion(product(R, place), b, poses)
        # The arm from the node's origin to the centre of mass, in the world.
        arm = turn(R, plus(turn(place, row_vector(com, b)), 1.0, origin))
        set_spatial(velocities, b, twist_at(row_spatial(state.velocity, i), arm))


@compiled
def _store_quaternion(R: Rotation, b: int, poses: Floats2) -> None:
    """(x, y, z, w) of a rotation from its largest part (Shepperd 1978)."""
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = R
    trace = m00 + m11 + m22
    # The largest of w^2, x^2, y^2, z^2 is at least 1/4: nothing is divided by less than 2.
    if trace >= m00 and trace >= m11 and trace >= m22:
        s = 2.0 * math.sqrt(1.0 + trace)
        x = (m21 - m12) / s
        y = (m02 - m20) / s
        z = (m10 - m01) / s
        w = 0.25 * s
    elif m00 >= m11 and m00 >= m22:
        s = 2.0 * math.sqrt(1.0 + m00 - m11 - m22)
        x = 0.25 * s
        y = (m01 + m10) / s
        z = (m02 + m20) / s
        w = (m21 - m12) / s
    elif m11 >= m22:
        s = 2.0 * math.sqrt(1.0 + m11 - m00 - m22)
        x = (m01 + m10) / s
        y = 0.25 * s
        z = (m12 + m21) / s
        w = (m02 - m20) / s
    else:
        s = 2.0 * math.sqrt(1.0 + m22 - m00 - m11)
        x = (m02 + m20) / s
        y = (m12 + m21) / s
        z = 0.25 * s
        w = (m10 - m01) / s
    poses[b, 3] = x
    poses[b, 4] = y
    poses[b, 5] = z
    poses[b, 6] = w
