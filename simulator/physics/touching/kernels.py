"""Many steps in one call of what touches: as `physics.step.blocks`, with contacts found before every
step, and looked for after it (`touching.overlooked`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.kernels import compiled, entry
from simulator.physics.algebra.vectors import copy
from simulator.physics.build.state import read_bodies, refresh_nodes
from simulator.physics.detect.detect import detect
from simulator.physics.detect.touch import NOT_LOOKED
from simulator.physics.impact.motors import has_jumped, has_news
from simulator.physics.layout import row_layout as row_at
from simulator.physics.motion.loose import all_asleep
from simulator.physics.step import block as block_at
from simulator.physics.step.blocks import (
    OPEN,
    book_step,
    copy_lines,
    error_of,
    keep,
    mark_positions,
    order_step,
    record,
    step_bounded,
)
from simulator.physics.step.step import NO_ROOM
from simulator.physics.step.watch import energy_place, is_trouble, is_unbalanced, read_row, watch
from simulator.physics.touching.overlooked import add_overlooked, overlaps
from simulator.physics.tree.loads import start_step
from simulator.physics.tree.tree import move_nodes, place_nodes

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Ints2, Table
    from simulator.physics.detect.touch import Handover, Memory, Start, Touch
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews
    from simulator.physics.narrow.workspace import Workspace
    from simulator.physics.step.block import Journal, Span
    from simulator.physics.tree.views import StateViews

TRIALS = 5
"""Of one step: each may have overlooked something that the one before did not."""


@entry("contacts", long=True)
def advance_touching(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    touch: Touch,
    carried: Handover,
    journal: Journal,
    span: Span,
    dt: float,
    slack: float,
) -> None:
    """At most `span.steps` steps of `dt` [s]; see `step.blocks.advance_block`.

    The workspace of `touch` that its `points` name holds the contacts of the last step afterwards.
    """
    report = journal.report
    report[block_at.MADE] = report[block_at.WRITTEN] = 0
    keep(m, lines[1], journal)
    _keep_begun(bounded, carried)
    watch(m, journal.watch, journal.row)
    mark_positions(journal.watch, journal.orders, journal.row)
    report[block_at.WHY] = _make_steps(m, bounded, lines, touch, carried, journal, span, dt, slack)
    report[block_at.NEWS] = has_news(lines[0], lines[1])


@compiled
def _make_steps(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    touch: Touch,
    carried: Handover,
    journal: Journal,
    span: Span,
    dt: float,
    slack: float,
) -> int:
    """The steps of a span from a state that was read; returns why they end."""
    W = journal.watch
    orders = journal.orders
    row = journal.row
    can_be_halved = journal.report[block_at.SHORT] == 0
    energy = energy_place(W)
    which, count = _first_contacts(m, touch, carried, dt)
    now, ahead = (touch.work, touch.ahead) if which == 0 else (touch.ahead, touch.work)
    for s in range(span.steps):
        if count < 0:
            return block_at.CROWDED
        start_step(m.loads, (span.first + s) * dt)
        told = span.first + s - orders.begin[0]
        order_step(m, lines[1], W, orders, row, told, dt)
        before = error_of(row[energy] + row[energy + 1], journal.ledger)
        _, why, count, then = _step(m, bounded, lines, touch, (now, ahead), count, dt)
        touch.points[0], touch.points[1] = count, which
        if why in (block_at.ROOM, block_at.TROUBLE, block_at.CROWDED):
            return why
        read_row(m, W, row)
        if is_trouble(m, W, row, slack):
            return block_at.TROUBLE
        book_step(m, lines, journal, told, dt)
        change = row[energy + 4] - before
        if can_be_halved and is_unbalanced(m.stages, m.stiff, lines, row[energy], row[energy + 1], change):
            return block_at.TROUBLE
        save_impulses(now.ints[:count], now.floats[:count], touch.memory)
        record(journal, span, s, dt)
        if why == block_at.ROWS or has_jumped(lines[0], lines[1]):
            return why
        if then != NOT_LOOKED:
            now, ahead, count, which = ahead, now, then, 1 - which
        elif s + 1 < span.steps:
            count = _detect(m, touch, now, dt)
    if touch.points[1] != which:
        _store_detected(m.state, carried, count, dt)
    return block_at.DONE


@entry("contacts", long=True)
def step_touching(
    m: MechanismViews, bounded: BoundedRows, lines: Table, touch: Touch, carried: Handover, dt: float
) -> float:
    """One step of `dt` [s] from a state whose poses are fresh, as in a block; returns the loop residual that the
    projection met, or NO_ROOM: for contacts where touch.points[0] is -1, else for rows, and touch.start has the state
    before the step. `touch.points`: as after a block."""
    which, count = _first_contacts(m, touch, carried, dt)
    now, ahead = (touch.work, touch.ahead) if which == 0 else (touch.ahead, touch.work)
    touch.points[0] = count
    if count < 0:
        return NO_ROOM
    gap, why, count, then = _step(m, bounded, lines, touch, (now, ahead), count, dt)
    touch.points[0], touch.points[1] = count, which
    if why == block_at.CROWDED:
        touch.points[0] = -1
    if why in (block_at.ROOM, block_at.CROWDED):
        return NO_ROOM
    save_impulses(now.ints[:count], now.floats[:count], touch.memory)
    if then != NOT_LOOKED and why == block_at.DONE:
        _store_detected(m.state, carried, then, dt)
    return gap


@compiled
def _first_contacts(m: MechanismViews, touch: Touch, carried: Handover, dt: float) -> tuple[int, int]:
    """(which workspace has the contacts of the first step, 1 for that ahead; how many there are, or -1 without room):
    those that the last block has found for it, else they are looked for."""
    which = 0
    count = carried.found[0] if _is_detected(m.state, carried, dt) else -1
    if count >= 0 and touch.points[1] == 0:
        which = 1
    if count < 0:
        count = _detect(m, touch, touch.work, dt)
    touch.points[1], carried.found[0] = 0, NOT_LOOKED
    return which, count


@compiled
def _store_detected(state: StateViews, carried: Handover, count: int, dt: float) -> None:
    """Keep for which state the next step has that many contacts, so that a block that begins there need not look."""
    Q, V, seen = state.Q, state.V, carried.seen
    carried.found[0], seen[0] = count, dt
    for c in range(Q.shape[0]):
        seen[1 + c] = Q[c]
    for a in range(V.shape[0]):
        seen[1 + Q.shape[0] + a] = V[a]


@compiled
def _is_detected(state: StateViews, carried: Handover, dt: float) -> bool:
    """Whether contacts for the present state were found by the last block, and steps are as long as then."""
    Q, V, seen = state.Q, state.V, carried.seen
    same = carried.found[0] >= 0 and seen[0] == dt
    for c in range(Q.shape[0]):
        same = same and seen[1 + c] == Q[c]
    for a in range(V.shape[0]):
        same = same and seen[1 + Q.shape[0] + a] == V[a]
    return bool(same)


@compiled
def _keep_begun(bounded: BoundedRows, carried: Handover) -> None:
    """Keep what a block begins with. (Copies made by Python took as long as a step of a gripper.)"""
    now, begun = carried.lasting, carried.begun
    begun.known[0], carried.loose[0] = now.known[0], bounded.loose[0]
    for c in range(now.known[0]):
        begun.names[c] = now.names[c]
    for c in range(row_at.ROWS_OF_CONTACT * now.known[0]):
        begun.impulses[c] = now.impulses[c]
    for c in range(begun.order.shape[0]):
        begun.order[c] = now.order[c]
    for c in range(begun.cached_face.shape[0]):
        begun.cached_face[c] = now.cached_face[c]
    for c in range(begun.cached_direction.shape[0]):
        begun.cached_direction[c] = now.cached_direction[c]
    copy(bounded.asleep, carried.asleep)


@compiled
def _step(
    m: MechanismViews,
    bounded: BoundedRows,
    lines: Table,
    touch: Touch,
    workspaces: tuple[Workspace, Workspace],
    count: int,
    dt: float,
) -> tuple[float, int, int, int]:
    """One step with the first `count` contacts in the first workspace, made again with what it has overlooked; after
    it, poses are fresh, and the second has the contacts of the next step. Returns (the loop residual that was met;
    why the block ends after it, or DONE; how many contacts the step has had; how many the next one has, or NOT_LOOKED
    where nothing is looked for after it)."""
    (now, ahead) = workspaces
    keep_start(m, bounded, lines[1], touch.start)
    for trial in range(TRIALS):
        contacts = (now.ints[:count], now.floats[:count])
        match_impulses(contacts[0], contacts[1], touch.memory)
        gap, why = step_bounded(m, bounded, lines, contacts, dt)
        if why != block_at.ROOM and not gap <= OPEN:
            why = block_at.TROUBLE
        if why == block_at.ROOM:
            return gap, why, count, 0
        refresh_nodes(m, m.tree.active)
        if why != block_at.DONE or all_asleep(m, bounded):
            return gap, why, count, NOT_LOOKED
        then = _detect(m, touch, ahead, dt)
        more = count if then >= 0 else -1
        if trial < TRIALS - 1 and overlaps(touch.geometry, ahead, then):
            more = add_overlooked(touch, now, ahead, count, then)
        if more == count:
            break
        go_back(m, bounded, lines[1], touch.start)
        refresh_nodes(m, m.tree.active)
        if more < 0:
            return gap, block_at.CROWDED, count, 0
        count = more
    return gap, why, count, then


@compiled
def _detect(m: MechanismViews, touch: Touch, work: Workspace, dt: float) -> int:
    """Fill the tables of a workspace with the contacts of the next step; returns how many there are, or -1."""
    tree = m.tree
    if tree.active < tree.kind.shape[0]:
        # `watch` has left out nodes in closed form, which can touch as well as others.
        place_nodes(tree, m.state, tree.order.shape[0])
        move_nodes(tree, m.state, tree.order.shape[0])
    read_bodies(m.state, touch.nodes, touch.place, touch.centre, touch.poses[1:], touch.velocities[1:])
    return detect(touch.geometry, work, touch.poses, touch.velocities, dt)


# -- steps that are made again -----------------------------------------------------------------------------------------


@compiled
def keep_start(m: MechanismViews, bounded: BoundedRows, RF: Floats2, begin: Start) -> None:
    """Keep the state before a step."""
    copy(m.F, begin.floats)
    copy(m.N, begin.ints)
    copy(m.state.Q, begin.positions)
    copy(m.state.V, begin.rates)
    copy(m.loads.time, begin.times)
    copy_lines(RF, begin.axes)
    copy(bounded.asleep, begin.asleep)


@entry("contacts")
def go_back(m: MechanismViews, bounded: BoundedRows, RF: Floats2, begin: Start) -> None:
    """Put back what `keep_start` has kept; poses are not fresh then."""
    copy(begin.floats, m.F)
    copy(begin.ints, m.N)
    copy(begin.positions, m.state.Q)
    copy(begin.rates, m.state.V)
    copy(begin.times, m.loads.time)
    copy_lines(begin.axes, RF)
    copy(begin.asleep, bounded.asleep)


# -- impulses of the last step -----------------------------------------------------------------------------------------


@entry("contacts")
def match_impulses(ints: Ints2, floats: Floats2, memory: Memory) -> None:
    """Give every point the impulses that acted on the point of its name in the last step; none where there was no such
    point. Most points come in the order of that step: only where one does not is it looked for."""
    names = memory.names
    follows = 0
    placed = False
    for c in range(ints.shape[0]):
        name = ints[c, row_at.NAME]
        place = -1
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


@entry("contacts")
def save_impulses(ints: Ints2, floats: Floats2, memory: Memory) -> None:
    """Keep what acted in this step, by name, in the order of the points."""
    memory.known[0] = ints.shape[0]
    for c in range(ints.shape[0]):
        memory.names[c] = ints[c, row_at.NAME]
        for k in range(row_at.ROWS_OF_CONTACT):
            memory.impulses[c, k] = floats[c, row_at.ACTED + k]


@compiled
def _place_names(memory: Memory) -> None:
    """PLACES: where each name is found (open addressing)."""
    places = memory.places
    size = memory.places.shape[0]
    for t in range(size):
        places[t] = -1
    for c in range(memory.known[0]):
        if memory.names[c] >= 0:
            t = memory.names[c] % size
            while places[t] >= 0:
                t = t + 1 if t + 1 < size else 0
            places[t] = c


@compiled
def _place_of(memory: Memory, name: int) -> int:
    """Where a name is among those of the last step, or -1."""
    places = memory.places
    size = memory.places.shape[0]
    t = name % size
    while places[t] >= 0 and memory.names[places[t]] != name:
        t = t + 1 if t + 1 < size else 0
    place: int = places[t]
    return place
