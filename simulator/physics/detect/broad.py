"""Broad phase: the pairs of shapes that could meet within a few steps, and the margin for the contacts of each.

Sweep and prune along the axis on which shapes are spread most (Baraff 1992); the order persists from step to step, so
that sorting by insertion costs next to nothing.

Impacts pass speed on: a body hit by the fastest one may leave as fast, and hit the next one. So bodies that could meet
within a few steps form a group (union-find, Tarjan 1975), whose margin is how far its fastest point could move. A
settling heap gets no wider margin because something else falls, until that is about to hit it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints
    from simulator.physics.narrow.room import Room
    from simulator.physics.shapes.geometry import Geometry

NEAR = 1e-3
"""Points as near as this [m] take part in a step at any speed; further ones if they could meet within a few steps."""
STEPS_AHEAD = 4.0


@compiled
def _speed_of_shape(G: Geometry, velocities: Floats, i: int) -> float:
    """Of the fastest point of shape i [m/s]."""
    b = G.body[i]
    w = math.sqrt(velocities[b, 0] ** 2 + velocities[b, 1] ** 2 + velocities[b, 2] ** 2)
    v = math.sqrt(velocities[b, 3] ** 2 + velocities[b, 4] ** 2 + velocities[b, 5] ** 2)
    arm: float = G.arm[i]
    return v + w * arm


@entry("contacts")
def reach_of(G: Geometry, velocities: Floats2, dt: float) -> float:
    """How far to look [m] if everything could meet everything."""
    fastest = 0.0
    for i in range(G.body.shape[0]):
        fastest = max(fastest, _speed_of_shape(G, velocities, i))
    return NEAR + STEPS_AHEAD * dt * fastest


@compiled
def pairs_within(G: Geometry, room: Room, reach: float) -> int:
    """Fill room.pairs with shapes whose boxes are nearer than `reach` [m]; returns how many there are, or -1 where
    there is no room for them. room.reach is the same for all."""
    for i in range(G.body.shape[0]):
        room.reach[i] = reach
    return _sweep(G, room)


@compiled
def pairs_ahead(G: Geometry, room: Room, velocities: Floats, dt: float) -> int:
    """As `pairs_within`, of what could meet within a few steps of `dt` [s]; room.reach is how far to look for each
    shape."""
    _begin_groups(G, room, velocities)
    while True:
        for i in range(G.body.shape[0]):
            b = G.body[i]
            speed = room.speed[_group(room.group, b)] if b != 0 else 0.0
            room.reach[i] = NEAR + STEPS_AHEAD * dt * speed
        count = _sweep(G, room)
        # Where nothing has become faster, no shape has to be looked at further away than it was.
        if count < 0 or not _join(G, room, count):
            return count


@compiled
def _begin_groups(G: Geometry, room: Room, velocities: Floats) -> None:
    """Every loose body is a group of its own; all that joints and transmissions may connect are one."""
    first = -1
    for b in range(room.group.shape[0]):
        room.group[b] = b
        room.speed[b] = 0.0
        if b > 0 and not G.loose[b]:
            first = b if first < 0 else first
            room.group[b] = first
    for i in range(G.body.shape[0]):
        if G.body[i] != 0:
            g = room.group[G.body[i]]
            room.speed[g] = max(room.speed[g], _speed_of_shape(G, velocities, i))


@compiled
def _group(group: Ints, b: int) -> int:
    while group[b] != b:
        group[b] = group[group[b]]
        b = group[b]
    return b


@compiled
def _join(G: Geometry, room: Room, count: int) -> bool:
    """Make one group of those of each pair whose boxes are nearer than either comes in some steps; returns whether any
    body has become faster by it. The world passes nothing on."""
    faster = False
    for c in range(count):
        i, k = room.pairs[c, 0], room.pairs[c, 1]
        if G.body[i] == 0 or G.body[k] == 0 or not _nearer(room, i, k, max(room.reach[i], room.reach[k]) - NEAR):
            continue
        a, b = _group(room.group, G.body[i]), _group(room.group, G.body[k])
        if a != b:
            faster = faster or room.speed[a] != room.speed[b]
            room.group[max(a, b)] = min(a, b)
            room.speed[min(a, b)] = max(room.speed[a], room.speed[b])
    return faster


@compiled
def _nearer(room: Room, i: int, k: int, way: float) -> bool:
    """Whether the boxes around shapes i and k are nearer than `way` [m], along all axes."""
    # LOW and HIGH are those of the box, as far out as the shape's reach.
    more = way - room.reach[i] - room.reach[k]
    near = True
    for a in range(3):
        near = near and room.low[i, a] - room.high[k, a] < more and room.low[k, a] - room.high[i, a] < more
    return near


@compiled
def _bound(G: Geometry, room: Room) -> int:
    """LOW and HIGH of all shapes, their reach further out; returns the axis on which their middles are spread most."""
    best = 0
    widest = -1.0
    for a in range(3):
        low = math.inf
        high = -math.inf
        for i in range(G.body.shape[0]):
            if not G.paired[i]:
                continue
            X = room.shapes[i]
            middle = room.shapes[i, 12 + a]
            half = 0.0
            for c in range(3):
                half += abs(X[3 * a + c]) * G.around[i, 3 + c]
            half = min(half, G.outer[i]) + room.reach[i]
            room.low[i, a] = middle - half
            room.high[i, a] = middle + half
            low, high = min(low, middle), max(high, middle)
        if high - low > widest:
            best = a
            widest = high - low
    return best


@compiled
def _sweep(G: Geometry, room: Room) -> int:
    """Fill room.pairs with pairs that may touch, the smaller number first, whose boxes are nearer than the reach of
    either; returns how many there are, or -1 where there is no room for them."""
    axis = _bound(G, room)
    order = room.order
    n = room.order.shape[0]
    count = 0
    for s in range(1, n):
        mine = order[s]
        t = s - 1
        start = room.low[mine, axis]
        while t >= 0 and room.low[order[t], axis] > start:
            order[t + 1] = order[t]
            t -= 1
        order[t + 1] = mine
    for s in range(n):
        i = order[s]
        end = room.high[i, axis]
        for t in range(s + 1, n):
            k = order[t]
            if room.low[k, axis] > end:
                break
            if not _nearer(room, i, k, max(room.reach[i], room.reach[k])) or not may_touch(G, i, k):
                continue
            if count >= room.pairs.shape[0]:
                return -1
            room.pairs[count, 0], room.pairs[count, 1] = min(i, k), max(i, k)
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
