"""All contacts of a mechanism in one call: poses of shapes, the broad phase, and the narrow phase.

Nothing is allocated; if there is no room for all points, the caller makes more.

The broad phase gives the pairs of shapes that could meet within a few steps, and the margin for the contacts of each:
sweep and prune along the axis on which shapes are spread most (Baraff 1992); the order persists from step to step, so
that sorting by insertion costs next to nothing. Impacts pass speed on: a body hit by the fastest one may leave as fast,
and hit the next one. So bodies that could meet within a few steps form a group (union-find, Tarjan 1975), whose margin
is how far its fastest point could move. A settling heap gets no wider margin because something else falls, until that
is about to hit it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import dot, placed, rotated
from simulator.physics.detect.pairs import points_of_two, write_pair
from simulator.physics.detect.triangles import mesh_points
from simulator.physics.narrow.boxes import AT_REST, EDGES, EVEN, box_axis, box_edges, box_face
from simulator.physics.narrow.plane import friction_of_shape, give_surface, on_planes
from simulator.physics.narrow.round import write_features
from simulator.physics.narrow.workspace import MARGIN, STEP
from simulator.physics.shapes.friction import combined, given_between
from simulator.physics.shapes.kinds import BOX, MESH

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.shapes.geometry import Geometry


@entry("contacts", long=True)
def detect(G: Geometry, work: Workspace, poses: Floats2, velocities: Floats2, dt: float) -> int:
    """Fill the tables of `work` with the points where bodies could meet within a few steps of `dt` [s];
    returns how many there are, or -1 where there is no room for them.

    `poses` (n_bodies, 7): X_WB; `velocities` (n_bodies, 6): angular, and of the centre of mass.
    """
    _place(G, work, poses)
    work.search[STEP] = dt
    pairs = pairs_ahead(G, work, velocities, dt)
    return _points(G, work, velocities, pairs) if pairs >= 0 else -1


@entry("contacts", long=True)
def detect_within(G: Geometry, work: Workspace, poses: Floats2, velocities: Floats2, reach: float) -> int:
    """As `detect`, of points that are nearer than `reach` [m] now."""
    _place(G, work, poses)
    work.search[STEP] = 0.0
    pairs = pairs_within(G, work, reach)
    return _points(G, work, velocities, pairs) if pairs >= 0 else -1


@compiled
def _place(G: Geometry, work: Workspace, poses: Floats) -> None:
    """Rotations and origins of bodies, then of shapes, and their middles."""
    for b in range(poses.shape[0]):
        x = poses[b, 3]
        y = poses[b, 4]
        z = poses[b, 5]
        w = poses[b, 6]
        R = work.bodies
        R[b, 0] = 1.0 - 2.0 * (y * y + z * z)
        R[b, 1] = 2.0 * (x * y - w * z)
        R[b, 2] = 2.0 * (x * z + w * y)
        R[b, 3] = 2.0 * (x * y + w * z)
        R[b, 4] = 1.0 - 2.0 * (x * x + z * z)
        R[b, 5] = 2.0 * (y * z - w * x)
        R[b, 6] = 2.0 * (x * z - w * y)
        R[b, 7] = 2.0 * (y * z + w * x)
        R[b, 8] = 1.0 - 2.0 * (x * x + y * y)
        R[b, 9], R[b, 10], R[b, 11] = poses[b, 0], poses[b, 1], poses[b, 2]
    for i in range(G.body.shape[0]):
        place_shape(G, work, i)
    for p in range(G.plane.shape[0]):
        X, n = work.bodies[G.plane_body[p]], G.plane[p]
        origin, normal = placed(X, (n[0], n[1], n[2])), rotated(X, 0, (n[3], n[4], n[5]))
        for a in range(3):
            work.planes[p, a], work.planes[p, 3 + a] = origin[a], normal[a]


@compiled
def place_shape(G: Geometry, work: Workspace, i: int) -> None:
    """Where shape i and its middle are, of a body that is where work.bodies says."""
    b, X = G.body[i], work.shapes[i]
    for a in range(3):
        u = work.bodies[b, 3 * a]
        v = work.bodies[b, 3 * a + 1]
        w = work.bodies[b, 3 * a + 2]
        for c in range(3):
            X[3 * a + c] = u * G.place[i, 0, c] + v * G.place[i, 1, c] + w * G.place[i, 2, c]
        X[9 + a] = work.bodies[b, 9 + a] + u * G.place[i, 0, 3] + v * G.place[i, 1, 3] + w * G.place[i, 2, 3]
    X[12], X[13], X[14] = placed(X, (G.around[i, 0], G.around[i, 1], G.around[i, 2]))


# -- pairs of shapes ---------------------------------------------------------------------------------------------------


@compiled
def _points(G: Geometry, work: Workspace, velocities: Floats, pairs: int) -> int:
    """Points over planes, then those of the first so many pairs of shapes; -1 where there is no room for
    them."""
    count = on_planes(G, work, velocities, STEPS_AHEAD * work.search[STEP])
    for c in range(pairs if count >= 0 else 0):
        i, k = work.pairs[c, 0], work.pairs[c, 1]
        work.search[MARGIN] = max(work.reach[i], work.reach[k])
        count = points_of_pair(G, work, velocities, i, k, count)
        if count < 0:
            return -1
    return count


@compiled
def points_of_pair(G: Geometry, work: Workspace, velocities: Floats, i: int, k: int, count: int) -> int:
    """Append the points of shapes i and k within the margin to the first `count`; returns how many there are then, or
    -1 where there is no room for them."""
    first = count
    if G.kind[k] == MESH:
        count = mesh_points(G, work, i, k, count)
    elif G.kind[i] == MESH:
        count = mesh_points(G, work, k, i, count)
    elif G.kind[i] == BOX and G.kind[k] == BOX:
        count = _boxes(G, work, velocities, i, k, count)
    else:
        count = points_of_two(G, work, i, k, count)
    if count >= 0 and not (G.plain[i] and G.plain[k]):
        both = combined(friction_of_shape(G, min(i, k)), friction_of_shape(G, max(i, k)))
        give_surface(G, work, first, count, both, given_between(G.given[i], G.given[k]))
    return count


@compiled
def _boxes(G: Geometry, work: Workspace, velocities: Floats, i: int, k: int, count: int) -> int:
    """Points of two boxes."""
    A = work.shapes[i]
    B = work.shapes[k]
    v = work.velocity
    _relative_velocity(G, work, velocities, i, k)
    axis, gap, sign = box_axis(A, G.size[i], B, G.size[k], v, work.search[MARGIN])
    if axis < 0:
        return count
    if axis >= EDGES:
        name = box_edges(A, G.size[i], B, G.size[k], axis, sign, work.out)
        i_edge = (axis - EDGES) // 3
        k_edge = (axis - EDGES) % 3
        write_features(work.out, 0, (A, B), (i_edge, k_edge), (True, True), (0.0, 0.0))
        if count >= work.ints.shape[0]:
            return -1
        write_pair(G, work, count, i, k, 2 * axis * 1024 + name, 0)
        return count + 1
    if axis >= 3:
        for a in range(3):
            v[a] = -v[a]
        i, k, axis, sign = k, i, axis - 3, -sign
    return _on_face(G, work, (i, k), axis, sign, gap, count)


@compiled
def _relative_velocity(G: Geometry, work: Workspace, velocities: Floats, i: int, k: int) -> None:
    """Of the middle of shape i against that of shape k."""
    for a in range(3):
        work.velocity[a] = 0.0
    for side in range(2):
        s = i if side == 0 else k
        b = G.body[s]
        sign = 1.0 - 2.0 * side
        if b == 0:
            continue
        X, r = work.bodies, work.shapes
        c0 = G.centre[b, 0]
        c1 = G.centre[b, 1]
        c2 = G.centre[b, 2]
        x = r[s, 9] - X[b, 9] - X[b, 0] * c0 - X[b, 1] * c1 - X[b, 2] * c2
        y = r[s, 10] - X[b, 10] - X[b, 3] * c0 - X[b, 4] * c1 - X[b, 5] * c2
        z = r[s, 11] - X[b, 11] - X[b, 6] * c0 - X[b, 7] * c1 - X[b, 8] * c2
        w0 = velocities[b, 0]
        w1 = velocities[b, 1]
        w2 = velocities[b, 2]
        work.velocity[0] += sign * (velocities[b, 3] + w1 * z - w2 * y)
        work.velocity[1] += sign * (velocities[b, 4] + w2 * x - w0 * z)
        work.velocity[2] += sign * (velocities[b, 5] + w0 * y - w1 * x)


@compiled
def _on_face(
    G: Geometry, work: Workspace, pair: tuple[int, int], axis: int, sign: float, gap: float, count: int
) -> int:
    """Points of the second box of a pair over face `sign` axis of the first; work.velocity is that of the first against
    the second."""
    i, k = pair
    A = work.shapes[i]
    v = work.velocity
    out = work.out
    reach = work.search[MARGIN]
    n0 = sign * A[axis]
    n1 = sign * A[3 + axis]
    n2 = sign * A[6 + axis]
    closing = n0 * v[0] + n1 * v[1] + n2 * v[2]
    # What touches but for rounding has nowhere to go until it does.
    until = min(gap / closing, work.search[STEP]) if gap > EVEN and closing > AT_REST else 0.0
    for a in range(3):
        work.shift[a] = -until * (v[a] - closing * sign * A[3 * a + axis])
    found = box_face(A, G.size[i], work.shapes[k], G.size[k], (axis, sign), work.shift, work.poly, work.names)
    face = n0 * A[9] + n1 * A[10] + n2 * A[11] + G.size[i, axis]
    for p in range(found):
        x = work.poly[0, p, 0]
        y = work.poly[0, p, 1]
        z = work.poly[0, p, 2]
        away = n0 * x + n1 * y + n2 * z - face
        if away < reach:
            if count >= work.ints.shape[0]:
                return -1
            out[0, 0] = x - 0.5 * away * n0
            out[0, 1] = y - 0.5 * away * n1
            out[0, 2] = z - 0.5 * away * n2
            out[0, 3] = n0
            out[0, 4] = n1
            out[0, 5] = n2
            out[0, 6] = away
            out[0, 7] = x
            out[0, 8] = y
            out[0, 9] = z
            out[0, 10:] = 0.0
            code = 2 * (axis + (3 if i > k else 0)) + (1 if sign > 0.0 else 0)
            write_pair(G, work, count, k, i, code * 1024 + work.names[0, p] % 1024, 0)
            count += 1
    return count


NEAR = 1e-3
"""Points as near as this [m] take part in a step at any speed; further ones if they could meet within a few steps."""
STEPS_AHEAD = 4.0


@compiled
def pairs_within(G: Geometry, work: Workspace, reach: float) -> int:
    """Fill work.pairs with shapes whose boxes are nearer than `reach` [m]; returns how many there are, or -1 where
    there is no room for them. work.reach is the same for all."""
    for i in range(G.body.shape[0]):
        work.reach[i] = reach
    return _sweep(G, work)


@compiled
def pairs_ahead(G: Geometry, work: Workspace, velocities: Floats, dt: float) -> int:
    """As `pairs_within`, of what could meet within a few steps of `dt` [s]; work.reach is how far to look for each
    shape."""
    _begin_groups(G, work, velocities)
    while True:
        for i in range(G.body.shape[0]):
            b = G.body[i]
            speed = work.speed[_group(work.group, b)] if b != 0 else 0.0
            work.reach[i] = NEAR + STEPS_AHEAD * dt * speed
        count = _sweep(G, work)
        # Where nothing has become faster, no shape has to be looked at further away than it was.
        if count < 0 or not _join(G, work, count):
            return count


@compiled
def _begin_groups(G: Geometry, work: Workspace, velocities: Floats) -> None:
    """Every loose body is a group of its own; all that joints and transmissions may connect are one."""
    first = -1
    for b in range(work.group.shape[0]):
        work.group[b] = b
        work.speed[b] = 0.0
        if b > 0 and not G.loose[b]:
            first = b if first < 0 else first
            work.group[b] = first
    for i in range(G.body.shape[0]):
        b = G.body[i]
        if b != 0:
            w = math.sqrt(velocities[b, 0] ** 2 + velocities[b, 1] ** 2 + velocities[b, 2] ** 2)
            v = math.sqrt(velocities[b, 3] ** 2 + velocities[b, 4] ** 2 + velocities[b, 5] ** 2)
            g = work.group[b]
            work.speed[g] = max(work.speed[g], v + w * G.arm[i])  # of the fastest point
    for p in range(G.plane.shape[0]):
        b = G.plane_body[p]
        if b != 0:
            linear = (velocities[b, 3], velocities[b, 4], velocities[b, 5])
            work.speed[work.group[b]] = max(work.speed[work.group[b]], math.sqrt(dot(linear, linear)))


@compiled
def _group(group: Ints, b: int) -> int:
    while group[b] != b:
        group[b] = group[group[b]]
        b = group[b]
    return b


@compiled
def _join(G: Geometry, work: Workspace, count: int) -> bool:
    """Make one group of those of each pair whose boxes are nearer than either comes in some steps; returns whether any
    body has become faster by it. The world passes nothing on."""
    faster = False
    for c in range(count):
        i, k = work.pairs[c, 0], work.pairs[c, 1]
        if G.body[i] == 0 or G.body[k] == 0 or not _nearer(work, i, k, max(work.reach[i], work.reach[k]) - NEAR):
            continue
        a, b = _group(work.group, G.body[i]), _group(work.group, G.body[k])
        if a != b:
            faster = faster or work.speed[a] != work.speed[b]
            work.group[max(a, b)] = min(a, b)
            work.speed[min(a, b)] = max(work.speed[a], work.speed[b])
    return faster


@compiled
def _nearer(work: Workspace, i: int, k: int, way: float) -> bool:
    """Whether the boxes around shapes i and k are nearer than `way` [m], along all axes."""
    # LOW and HIGH are those of the box, as far out as the shape's reach.
    more = way - work.reach[i] - work.reach[k]
    near = True
    for a in range(3):
        near = near and work.low[i, a] - work.high[k, a] < more and work.low[k, a] - work.high[i, a] < more
    return near


@compiled
def _bound(G: Geometry, work: Workspace) -> int:
    """LOW and HIGH of all shapes, their reach further out; returns the axis on which their middles are spread most."""
    best = 0
    widest = -1.0
    for a in range(3):
        low = math.inf
        high = -math.inf
        for i in range(G.body.shape[0]):
            if not G.paired[i]:
                continue
            X = work.shapes[i]
            middle = work.shapes[i, 12 + a]
            half = 0.0
            for c in range(3):
                half += abs(X[3 * a + c]) * G.around[i, 3 + c]
            half = min(half, G.outer[i]) + work.reach[i]
            work.low[i, a] = middle - half
            work.high[i, a] = middle + half
            low, high = min(low, middle), max(high, middle)
        if high - low > widest:
            best = a
            widest = high - low
    return best


@compiled
def _sweep(G: Geometry, work: Workspace) -> int:
    """Fill work.pairs with pairs that may touch, the smaller number first, whose boxes are nearer than the reach of
    either; returns how many there are, or -1 where there is no room for them."""
    axis = _bound(G, work)
    order = work.order
    n = work.order.shape[0]
    count = 0
    for s in range(1, n):
        mine = order[s]
        t = s - 1
        start = work.low[mine, axis]
        while t >= 0 and work.low[order[t], axis] > start:
            order[t + 1] = order[t]
            t -= 1
        order[t + 1] = mine
    for s in range(n):
        i = order[s]
        end = work.high[i, axis]
        for t in range(s + 1, n):
            k = order[t]
            if work.low[k, axis] > end:
                break
            if not _nearer(work, i, k, max(work.reach[i], work.reach[k])) or not may_touch(G, i, k):
                continue
            if count >= work.pairs.shape[0]:
                return -1
            work.pairs[count, 0], work.pairs[count, 1] = min(i, k), max(i, k)
            count += 1
    return count


@compiled
def may_touch(G: Geometry, i: int, k: int) -> bool:
    """Whether shapes of two links may touch: see `mechanism.non_colliding`."""
    if (
        G.link[0, i] == G.link[0, k]
        or (G.link[3, i] & G.link[3, k]) == 0
        or (G.link[2, i] == G.link[2, k] and G.link[2, i] != -1)
    ):
        return False
    if G.jointed.shape[0] > 1:
        code = (min(G.link[1, i], G.link[1, k]) << 32) | max(G.link[1, i], G.link[1, k])
        low = 0
        high = G.jointed.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if G.jointed[middle] < code:
                low = middle + 1
            else:
                high = middle
        if G.jointed[low] == code:
            return False
    return True
