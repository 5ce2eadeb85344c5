"""The dynamics of mechanisms in one plane: what `tree.tree` and `loops.loops` do in space, with angles for
rotations.

n x (x, y) = (-y, x) and a x b = a_x b_y - a_y b_x. Without accelerations of the freedoms a node's angular acceleration
is zero, so its bias is a_i = a_p - w_p^2 r (+ 2 w_p n x d qd), the force on it about its origin m a - w^2 h and h x a,
with h = m c. (Featherstone's planar vectors, Rigid Body Dynamics Algorithms, section 2.16.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.loops.loops import add_guides
from simulator.physics.loops.mass import add_entry, start_mass
from simulator.physics.loops.planar import (
    CENTRE_X,
    CENTRE_Y,
    INERTIA,
    MASS,
    ORIGIN_X,
    ORIGIN_Y,
    SENSE,
    SLIDE_X,
    SLIDE_Y,
)
from simulator.physics.loops.views import WORK
from simulator.physics.tree.positions import add_effort, position_of, spread
from simulator.physics.tree.tree import find_closed_bias

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Pair
    from simulator.physics.loops.views import LoopViews, PlaneViews, RowViews
    from simulator.physics.tree.views import MassViews, StateViews, TreeViews


# Work of a node: angle, its cosine and sine, origin, way from the parent's origin, direction of its slide, angular
# velocity, velocity and bias acceleration of the origin, composite mass, h and moment, force and moment on it.
ANGLE, COS, SIN, PX, PY, RX, RY, DX, DY, W, VX, VY, AX, AY, M, HX, HY, MOMENT, FX, FY, T = range(WORK)


@compiled
def _turned(cosine: float, sine: float, x: float, y: float) -> tuple[float, float]:
    return cosine * x - sine * y, sine * x + cosine * y


@compiled
def place_nodes_in_plane(tree: TreeViews, state: StateViews, plane: PlaneViews) -> None:
    """Angle, origin, way and slide of every active node from the positions Q."""
    node, work = plane.node, plane.work
    for n in range(tree.active):
        i = tree.order[n]
        q = position_of(tree.G, state.Q, tree.first[i])
        up = tree.parent[i]
        angle = 0.0
        cosine = 1.0
        sine = 0.0
        px = 0.0
        py = 0.0
        if up >= 0:
            angle = work[up, ANGLE]
            cosine = work[up, COS]
            sine = work[up, SIN]
            px = work[up, PX]
            py = work[up, PY]
        x, y = node[i, ORIGIN_X], node[i, ORIGIN_Y]
        if node[i, SENSE] == 0.0:
            dx, dy = node[i, SLIDE_X], node[i, SLIDE_Y]
            x, y = x + q * dx, y + q * dy
            work[i, DX], work[i, DY] = _turned(cosine, sine, dx, dy)
        work[i, RX], work[i, RY] = _turned(cosine, sine, x, y)
        work[i, PX], work[i, PY] = px + work[i, RX], py + work[i, RY]
        if node[i, SENSE] != 0.0:
            angle += node[i, SENSE] * q
            cosine, sine = math.cos(angle), math.sin(angle)
        work[i, ANGLE] = angle
        work[i, COS] = cosine
        work[i, SIN] = sine


@compiled
def move_in_plane(tree: TreeViews, state: StateViews, plane: PlaneViews) -> None:
    """Velocities, bias accelerations, inertias and forces of every active node; QD = G V."""
    spread(tree.G, state.V, state.QD)
    node, work = plane.node, plane.work
    for n in range(tree.active):
        i = tree.order[n]
        rate = state.QD[tree.first[i]]
        up = tree.parent[i]
        w = 0.0
        vx = 0.0
        vy = 0.0
        ax = -plane.gravity[0]
        ay = -plane.gravity[1]
        if up >= 0:
            rx, ry = work[i, RX], work[i, RY]
            w = work[up, W]
            # v = v_p + w n x r,  a = a_p - w^2 r while nothing accelerates.
            vx = work[up, VX] - w * ry
            vy = work[up, VY] + w * rx
            ax, ay = work[up, AX] - w * w * rx, work[up, AY] - w * w * ry
        if node[i, SENSE] == 0.0:
            # A slide along d: v += d qd, and Coriolis 2 w n x d qd.
            dx, dy = work[i, DX] * rate, work[i, DY] * rate
            vx = vx + dx
            vy = vy + dy
            ax = ax - 2.0 * w * dy
            ay = ay + 2.0 * w * dx
        else:
            w += node[i, SENSE] * rate
        m = node[i, MASS]
        x, y = _turned(work[i, COS], work[i, SIN], node[i, CENTRE_X], node[i, CENTRE_Y])
        hx, hy = m * x, m * y
        work[i, W] = w
        work[i, VX] = vx
        work[i, VY] = vy
        work[i, AX] = ax
        work[i, AY] = ay
        work[i, M], work[i, HX], work[i, HY], work[i, MOMENT] = m, hx, hy, node[i, INERTIA]
        work[i, FX], work[i, FY] = m * ax - w * w * hx, m * ay - w * w * hy
        work[i, T] = hx * ay - hy * ax


@compiled
def gather_in_plane(tree: TreeViews, state: StateViews, plane: PlaneViews, mass: MassViews) -> None:
    """Bias of every freedom and H = G^T M G, from the leaves inwards."""
    node, work = plane.node, plane.work
    find_closed_bias(tree, state)
    start_mass(mass)
    for n in range(tree.active - 1, -1, -1):
        i = tree.order[n]
        k = tree.first[i]
        sense = node[i, SENSE]
        if sense == 0.0:
            state.bias[k] = work[i, DX] * work[i, FX] + work[i, DY] * work[i, FY]
            # I^c S: of a slide (h x d, m d), of a turn (I, n x h).
            fx, fy = work[i, M] * work[i, DX], work[i, M] * work[i, DY]
            moment = work[i, HX] * work[i, DY] - work[i, HY] * work[i, DX]
        else:
            state.bias[k] = sense * work[i, T]
            fx = -sense * work[i, HY]
            fy = sense * work[i, HX]
            moment = sense * work[i, MOMENT]
        if tree.parent[i] >= 0:
            _hand_down(work, i, tree.parent[i])
        j = i
        while j >= 0:
            sense = node[j, SENSE]
            entry = work[j, DX] * fx + work[j, DY] * fy if sense == 0.0 else sense * moment
            add_entry(tree.G, mass, k, tree.first[j], entry)
            moment += work[j, RX] * fy - work[j, RY] * fx
            j = tree.parent[j]


@compiled
def _hand_down(work: Floats2, i: int, up: int) -> None:
    """Force, moment and composite inertia of node i added to its parent's."""
    rx = work[i, RX]
    ry = work[i, RY]
    m = work[i, M]
    hx = work[i, HX]
    hy = work[i, HY]
    work[up, FX] += work[i, FX]
    work[up, FY] += work[i, FY]
    work[up, T] += work[i, T] + rx * work[i, FY] - ry * work[i, FX]
    # I' = I + 2 r . h + m r . r (Steiner), h' = h + m r.
    work[up, MOMENT] += work[i, MOMENT] + 2.0 * (rx * hx + ry * hy) + m * (rx * rx + ry * ry)
    work[up, M] += m
    work[up, HX] += hx + m * rx
    work[up, HY] += hy + m * ry


@compiled
def rows_in_plane(tree: TreeViews, plane: PlaneViews, loops: LoopViews, rows: RowViews, drift: bool) -> float:
    """K, residuals and, with `drift`, rhs of all active rows; returns the largest residual."""
    worst = 0.0
    for r in range(rows.solved - rows.guides):
        row = loops.active[r]
        loop = loops.row_loop[row]
        a = loops.node[2 * loop]
        b = loops.node[2 * loop + 1]
        px = plane.origin[loop, 0]
        py = plane.origin[loop, 1]
        ux = plane.direction[row, 0]
        uy = plane.direction[row, 1]
        cx, cy = plane.origin[loop, 2], plane.origin[loop, 3]
        if a >= 0:
            px, py = _placed(plane.work, a, px, py)
            ux, uy = _turned(plane.work[a, COS], plane.work[a, SIN], ux, uy)
        if b >= 0:
            cx, cy = _placed(plane.work, b, cx, cy)
        rows.residual[r] = ux * (cx - px) + uy * (cy - py)
        worst = max(worst, abs(rows.residual[r]))
        for e in range(rows.K.shape[1]):
            rows.K[r, e] = 0.0
        _enter_row(tree, plane, loops, rows.K[r, :], loop, (cx, cy), (ux, uy))
        if drift:
            rows.rhs[r] = -_row_drift(plane, (a, b), (px, py), (cx, cy), (ux, uy))
    add_guides(rows)
    return worst


@compiled
def _placed(work: Floats2, i: int, x: float, y: float) -> Pair:
    """The point (x, y) of node i."""
    return (
        work[i, PX] + work[i, COS] * x - work[i, SIN] * y,
        work[i, PY] + work[i, SIN] * x + work[i, COS] * y,
    )


@compiled
def _enter_row(
    tree: TreeViews, plane: PlaneViews, loops: LoopViews, row: Floats, loop: int, child: Pair, u: Pair
) -> None:
    """Row of K: velocity along u of the child's side against the parent's at the point `child`, per independent
    rate."""
    (cx, cy) = child
    (ux, uy) = u
    node = plane.node
    work = plane.work
    for t in range(loops.path_begin[loop], loops.path_begin[loop + 1]):
        i, sign = loops.path_node[t], loops.path_sign[t]
        k = tree.first[i]
        if node[i, SENSE] == 0.0:
            entry = sign * (ux * work[i, DX] + uy * work[i, DY])
        else:
            # u . (n x (x - p)) for a turn about p with n = +-z.
            entry = sign * node[i, SENSE] * (uy * (cx - work[i, PX]) - ux * (cy - work[i, PY]))
        if tree.G.is_identity:
            row[k] += entry
        else:
            add_effort(tree.G, k, entry, row)


@compiled
def _row_drift(plane: PlaneViews, nodes: tuple[int, int], parent: Pair, child: Pair, u: Pair) -> float:
    """Second derivative of u . d, d = x_c - x_p, without accelerations of the freedoms:

        -w_a^2 u . d + 2 w_a (n x u) . d' + u . (a_c - a_p),

    for points x_p = `parent` of node a and x_c = `child` of node b; u turns with a, n is the normal of the plane.
    """
    (a, b) = nodes
    (px, py) = parent
    (cx, cy) = child
    (ux, uy) = u
    work = plane.work
    gx = plane.gravity[0]
    gy = plane.gravity[1]
    w = vx = vy = 0.0
    if a >= 0:
        w = work[a, W]
        rx = px - work[a, PX]
        ry = py - work[a, PY]
        vx = -work[a, VX] + w * ry
        vy = -work[a, VY] - w * rx
        ax, ay = -work[a, AX] + w * w * rx, -work[a, AY] + w * w * ry
    else:
        ax, ay = gx, gy
    if b >= 0:
        s = work[b, W]
        rx = cx - work[b, PX]
        ry = cy - work[b, PY]
        vx = vx + work[b, VX] - s * ry
        vy = vy + work[b, VY] + s * rx
        ax, ay = ax + work[b, AX] - s * s * rx, ay + work[b, AY] - s * s * ry
    else:
        ax, ay = ax - gx, ay - gy
    # u turns with a: u' = w n x u, u'' = -w^2 u; the product rule on u . d twice.
    return -w * w * (ux * (cx - px) + uy * (cy - py)) + 2.0 * w * (ux * vy - uy * vx) + ux * ax + uy * ay


@compiled
def turn_loop_axes(plane: PlaneViews, loops: LoopViews) -> None:
    """Angle of every loop axis, with its turns: those of both nodes are known without bounds."""
    for j in range(loops.axis_loop.shape[0]):
        a = loops.node[2 * loops.axis_loop[j]]
        b = loops.node[2 * loops.axis_loop[j] + 1]
        angle = plane.work[b, ANGLE] if b >= 0 else 0.0
        if a >= 0:
            # Angles add up in a plane: b against a is the difference of both.
            angle -= plane.work[a, ANGLE]
        loops.axis_position[j] = plane.axis[j, 0] * angle + plane.axis[j, 1]


@compiled
def is_in_plane(tree: TreeViews, loops: LoopViews) -> bool:
    """Whether the step can be made in the plane: the mechanism is there, and nothing acts on joints that close
    loops."""
    if not tree.is_planar or loops.rotor.shape[0] > 0:
        return False
    idle = True
    passive = loops.passive
    for j in range(loops.given.shape[0]):
        idle = idle and loops.given[j] == 0.0 and passive[j, 0] == 0.0 and passive[j, 1] == 0.0
    return idle
