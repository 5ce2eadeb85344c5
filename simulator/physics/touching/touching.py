"""Contacts beside a compiled mechanism: found before each step, with the impulses of the last one, also for many steps
in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.mechanism.types import WORLD_BODY
from simulator.native.kernels import Repeated
from simulator.physics.compiled.bounded import NO_CONTACTS
from simulator.physics.detect.touch import NOT_LOOKED, Handover, Touch, handover_for, memory_for, start_for
from simulator.physics.layout import buffers as at
from simulator.physics.layout.flatten import FREE
from simulator.physics.shapes.friction import NO_DIRECTION
from simulator.physics.step import block
from simulator.physics.step.step import NO_ROOM
from simulator.physics.touching.kernels import advance_touching, go_back, match_impulses, save_impulses, step_touching

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.detect.own import OwnContacts
    from simulator.physics.step.block import Journal, Span
    from simulator.spatial.arrays import Array, Ints


class Touching:
    """The contacts of one mechanism that moves; fulfils `physics.step.block.ContactSource`."""

    def __init__(self, own: OwnContacts, bounded: BoundedMechanism) -> None:
        self._own = own
        self._bounded = bounded
        parts = bounded.model.parts
        own.put_on(bounded.node_of_body, _loose_bodies(bounded))
        self._nodes = parts.tree.node_of_body[1:]
        self._place = parts.places_in_nodes
        self._centre = parts.com
        bodies = len(bounded.model.mechanism.bodies)
        self._poses, self._velocities = np.zeros((bodies, 7)), np.zeros((bodies, 6))
        self._poses[0, 6] = 1.0
        self._count, self._advance = np.zeros(2, dtype=np.int64), Repeated(advance_touching)
        self._memory, self._ends = memory_for(len(own.work.ints)), np.zeros((2, 12))
        self._touched: tuple[tuple[Touch, Handover], object, object, object, object] | None = None

    def forget(self) -> None:
        """Nothing has touched yet."""
        self._memory.known[0] = self._count[0] = 0
        self._own.forget()
        self._overlook()

    @property
    def state(self) -> tuple[Array | Ints, ...]:
        """What the next step needs, with as much room as a block needs."""
        return self._touch_and_carry()[1].lasting

    @property
    def begun(self) -> tuple[Array | Ints, ...]:
        """What `state` was before the first step of the last block, and then which coordinates rested and whether
        steps were those of loose bodies."""
        carried = self._touch_and_carry()[1]
        return *carried.begun, carried.asleep, carried.loose

    @property
    def is_steered(self) -> bool:
        """Whether a body carries the direction in which another one rubs: what rests may have to be woken for that."""
        G = self._own.geometry
        directed = G.directed != NO_DIRECTION
        carriers = G.direction_body[G.directed[directed]]
        return bool(((carriers != G.body[directed]) & (carriers != WORLD_BODY)).any())

    def step(self, dt: float) -> float:
        """Make a step of `dt` [s], as in a block; returns the loop residual, as `BoundedMechanism.step`."""
        bounded = self._bounded
        bounded.model.refresh()
        while True:
            touch, carried = self._touch_and_carry()
            worst = float(step_touching(*bounded.buffers, bounded.lines, touch, carried, dt))
            if worst != NO_ROOM:
                break
            if touch.points[0] < 0:
                self._own.make_room()
            else:
                bounded.make_more_room()
                go_back(*bounded.buffers, bounded.lines[1], touch.start)
                bounded.model.refresh()
        bounded.use_contacts(*self._points())
        bounded.model.choose_rows_if_worse()
        return worst

    def find(self, dt: float) -> None:
        """Give the mechanism the contacts of a step of `dt` [s] from a singular position, with what acted in the last
        one: such a step is a decision, and not made again with what it has overlooked."""
        poses, velocities = self._bounded.model.read_bodies()
        count = self._own.detect(poses, velocities, dt)
        self._overlook()
        self._bounded.use_contacts(self._own.work.ints[:count], self._own.work.floats[:count])
        self._make_memory(count)
        match_impulses(*self._bounded.contacts, self._memory)

    def remember(self) -> None:
        """Keep what acted in that step."""
        save_impulses(*self._bounded.contacts, self._memory)

    def advance(self, journal: Journal, dt: float, span: Span, slack: float) -> tuple[Ints, Array]:
        """Make steps; returns the tables of the last one's contacts."""
        buffers = self._bounded.buffers
        lines = self._bounded.lines
        report = journal.report
        self._advance(*buffers, lines, *self._touch_and_carry(), journal, span, dt, slack)
        while report.item(block.WHY) == block.CROWDED and report[block.MADE] == 0:
            self._own.make_room()
            self._advance(*buffers, lines, *self._touch_and_carry(), journal, span, dt, slack)
        return self._points()

    def _points(self) -> tuple[Ints, Array]:
        """The tables of the last step's contacts."""
        count, which = self._count.tolist()
        if count == 0:
            return NO_CONTACTS
        work = self._own.ahead if which else self._own.work
        return work.ints[:count], work.floats[:count]

    def call_of_steps(self, journal: Journal, span: Span, dt: float, slack: float) -> tuple[Any, tuple[Any, ...]]:
        """The entry that `advance` calls, and its arguments."""
        bounded = self._bounded
        touch, carried = self._touch_and_carry()
        return advance_touching, (*bounded.buffers, bounded.lines, touch, carried, journal, span, dt, slack)

    def make_spare_room(self, times: int) -> None:
        """At least so many times the room for contacts."""
        wanted = times * len(self._own.work.ints)
        while len(self._own.work.ints) < wanted:
            self._own.make_room()

    def _touch_and_carry(self) -> tuple[Touch, Handover]:
        own, bounded = self._own, self._bounded
        kept = self._touched
        if kept is not None:
            both, memory, work, buffers, lines = kept
            if memory is self._memory and work is own.work and buffers is bounded.buffers and lines is bounded.lines:
                return both
        self._make_memory(len(own.work.ints))
        placed = (self._nodes, self._place, self._centre, self._poses, self._velocities)
        begin = start_for(bounded.model.F, bounded.model.N, len(bounded.lines[0]))
        touch = Touch(own.geometry, own.work, own.ahead, *placed, self._memory, self._count, begin, self._ends)
        carried = handover_for(self._memory, own.work, begin)
        both = touch, carried
        self._touched = both, self._memory, own.work, bounded.buffers, bounded.lines
        return both

    def _overlook(self) -> None:
        """The workspaces do not have the contacts of the next step, whatever the last block has found."""
        if self._touched is not None:
            self._touched[0][1].found[0] = NOT_LOOKED

    def _make_memory(self, points: int) -> None:
        """Room for so many points, and in it what was there."""
        before = self._memory
        if points > len(before.names):
            self._memory = memory_for(points)
            for now, then in zip(self._memory[:2], before[:2], strict=True):
                now[: len(then)] = then
            self._memory.known[:] = before.known


def _loose_bodies(bounded: BoundedMechanism) -> NDArray[np.bool_]:
    """Whether nothing but contact can pass an impulse from a body on to others, shape (n_bodies,)."""
    tree = bounded.model.parts.tree
    nodes = bounded.node_of_body
    looped = at.int_block(bounded.model.N, at.I_LOOPED) != 0
    alone = (np.asarray(tree.kind) == FREE) & (np.asarray(tree.parent) < 0) & ~looped
    alone[[parent for parent in tree.parent if parent >= 0]] = False
    return (nodes >= 0) & alone[nodes] if len(alone) else nodes >= 0
