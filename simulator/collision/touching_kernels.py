"""Many steps in one call of what touches: as `dynamics.compiled.block_kernels`, with contacts found before every
step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.collision.find_kernels import find
from simulator.dynamics.compiled import block as block_at
from simulator.dynamics.compiled import bounded_layout as row_at
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.block_kernels import (
    OPEN,
    book_step,
    is_trouble,
    mark_positions,
    order_step,
    record,
    step_bounded,
)
from simulator.dynamics.compiled.load_kernels import start_step
from simulator.dynamics.compiled.read_kernels import read_bodies
from simulator.dynamics.compiled.tree_kernels import update_poses
from simulator.dynamics.compiled.velocity_kernels import update_velocities
from simulator.dynamics.compiled.watch_kernels import watch
from simulator.dynamics.jit import compiled, inlined

if TYPE_CHECKING:
    from simulator.collision.touch import Memory, Touch
    from simulator.dynamics.arrays import Buffers, Floats, Ints, Table
    from simulator.dynamics.compiled.block import Journal, Steps


@compiled
def advance_touching(
    buffers: Buffers, lines: Table, touch: Touch, journal: Journal, steps: Steps, dt: float, slack: float
) -> None:
    """At most `steps.number` steps of `dt` [s]; see `block_kernels.advance_block`.

    The room of `touch` holds the contacts of the last step afterwards.
    """
    F, N, B, C = buffers
    W, orders, row, report, room = journal.watch, journal.orders, journal.row, journal.report, touch.room
    report[block_at.MADE] = report[block_at.WRITTEN] = report[block_at.WHY] = 0
    watch(F, N, W, row)
    mark_positions(W, orders, row)
    for s in range(steps.number):
        count = _find(F, N, touch, dt)
        if count < 0:
            report[block_at.WHY] = block_at.CROWDED
            return
        contacts = (room.ints[:count], room.floats[:count])
        start_step(F, N, (steps.first + s) * dt)
        order_step(F, N, lines[1], W, orders, row, s, dt)
        gap, why = step_bounded(F, N, B, C, lines, contacts, dt)
        if why != block_at.ROOM and not gap <= OPEN:
            why = block_at.TROUBLE
        if why in (block_at.ROOM, block_at.TROUBLE):
            report[block_at.WHY] = why
            return
        watch(F, N, W, row)
        if is_trouble(N, W, row, slack):
            report[block_at.WHY] = block_at.TROUBLE
            return
        remember(contacts[0], contacts[1], touch.memory)
        book_step(F, N, lines, journal, s, dt)
        record(journal, steps, s, dt)
        if why == block_at.ROWS:
            report[block_at.WHY] = why
            return


@compiled
def _find(F: Floats, N: Ints, touch: Touch, dt: float) -> int:
    """Fill the tables of contacts of the next step, with the impulses of the last one; returns how many there are, or
    -1."""
    G, room = touch.geometry, touch.room
    if N[at.ACTIVE] < N[at.NODES]:
        # `watch` has left out nodes in closed form, which can touch as well as others.
        update_poses(F, N)
        update_velocities(F, N)
    read_bodies(F, N, touch.nodes, touch.place, touch.centre, touch.poses[1:], touch.velocities[1:])
    count = find(G, room, touch.poses, touch.velocities, dt)
    touch.points[0] = max(count, 0)
    if count > 0:
        recall(room.ints[:count], room.floats[:count], touch.memory)
    return count


@compiled
def recall(ints: Ints, floats: Floats, memory: Memory) -> None:
    """Give every point the impulses that acted on the point of its name in the last step; none where there was no such
    point. Most points come in the order of that step: only where one does not is it looked for."""
    names, follows, placed = memory.names, 0, False
    for c in range(ints.shape[0]):
        name, place = ints[c, row_at.NAME], -1
        if follows < memory.known[0] and names[follows] == name:
            place = follows
        elif name >= 0:
            if not placed:
                _place_names(memory)
                placed = True
            place = _place_of(memory, name)
        follows = place + 1 if place >= 0 else follows
        for k in range(row_at.ROWS_OF_CONTACT):
            floats[c, row_at.ACTED + k] = memory.impulses[place, k] if place >= 0 and name >= 0 else 0.0


@compiled
def remember(ints: Ints, floats: Floats, memory: Memory) -> None:
    """Keep what acted in this step, by name, in the order of the points."""
    memory.known[0] = ints.shape[0]
    for c in range(ints.shape[0]):
        memory.names[c] = ints[c, row_at.NAME]
        for k in range(row_at.ROWS_OF_CONTACT):
            memory.impulses[c, k] = floats[c, row_at.ACTED + k]


@compiled
def _place_names(memory: Memory) -> None:
    """PLACES: where each name is found (open addressing)."""
    places, size = memory.places, memory.places.shape[0]
    for t in range(size):
        places[t] = -1
    for c in range(memory.known[0]):
        if memory.names[c] >= 0:
            t = memory.names[c] % size
            while places[t] >= 0:
                t = t + 1 if t + 1 < size else 0
            places[t] = c


@inlined
def _place_of(memory: Memory, name: int) -> int:
    """Where a name is among those of the last step, or -1."""
    places, size = memory.places, memory.places.shape[0]
    t = name % size
    while places[t] >= 0 and memory.names[places[t]] != name:
        t = t + 1 if t + 1 < size else 0
    place: int = places[t]
    return place
