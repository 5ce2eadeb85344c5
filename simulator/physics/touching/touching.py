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
from simulator.physics.touching.kernels import TRIALS, advance_touching, go_back, keep_start, recall, remember
from simulator.physics.touching.overlooked import add_overlooked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.detect.own import OwnContacts
    from simulator.physics.step.block import Journal, Span
    from simulator.spatial.arrays import Array, Ints


FIRST_MORE = 64
"""Contacts that a step may have overlooked, before more room is made; a mechanism remembers what it needed."""


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
        self._memory, self._ends = memory_for(len(own.room.ints)), np.zeros((2, 12))
        self._touched: tuple[tuple[Touch, Handover], object, object, object, object] | None = None
        self._more = FIRST_MORE

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

    def detect(self, body_poses: Array, body_velocities: Array, dt: float) -> tuple[Ints, Array]:
        """Tables of the contacts of the next step, for all bodies at X_WB (n_bodies, 7), velocities (n_bodies, 6)."""
        count = self._own.detect(body_poses, body_velocities, dt)
        self._overlook()
        return self._own.room.ints[:count], self._own.room.floats[:count]

    def step(self, dt: float) -> float:
        """Make a step of `dt` [s] with the contacts that the mechanism has been given, beginning with the impulses of
        the last one, and again with what it has overlooked; returns the loop residual, as `BoundedMechanism.step`."""
        bounded = self._bounded
        model = self._bounded.model
        begin = self._touch_and_carry()[0].start
        worst = 0.0
        keep_start(*bounded.buffers, bounded.lines[1], begin)
        for trial in range(TRIALS):
            recall(*bounded.contacts, self._memory)
            worst = bounded.step(dt)
            model.refresh()
            # At a singular position, a step is a decision: it is not made again.
            if trial == TRIALS - 1 or model.rows.parked or not self._add_overlooked(dt):
                break
            go_back(*bounded.buffers, bounded.lines[1], begin)
        self._make_memory(len(bounded.contacts[0]))
        remember(*bounded.contacts, self._memory)
        return worst

    def _add_overlooked(self, dt: float) -> bool:
        """Whether the step that was made has overlooked contacts; the mechanism has them then, too."""
        own = self._own
        (poses, velocities) = self._bounded.model.read_bodies()
        (ints, floats) = self._bounded.contacts
        count = -1
        while count < 0:
            room = self._more
            then = own.detect(poses, velocities, dt, ahead=True)
            self._overlook()
            touch, _ = self._touch_and_carry()
            touch.velocities[:] = velocities
            now = own.room._replace(
                ints=np.concatenate((ints, np.zeros((room, ints.shape[1]), dtype=np.int64))),
                floats=np.concatenate((floats, np.zeros((room, floats.shape[1])))),
            )
            count = int(add_overlooked(touch, now, own.ahead, len(ints), then))
            if count < 0:
                # What lacks room is not known: the tables of a state grow only with what is added to them.
                if room >= len(own.ahead.ints):
                    own.make_room()
                self._more = 2 * room
        if count > len(ints):
            self._bounded.use_contacts(now.ints[:count], now.floats[:count])
        return count > len(ints)

    def advance(self, journal: Journal, dt: float, span: Span, slack: float) -> tuple[Ints, Array]:
        """Make steps; returns the tables of the last one's contacts."""
        buffers = self._bounded.buffers
        lines = self._bounded.lines
        report = journal.report
        self._advance(buffers, lines, *self._touch_and_carry(), journal, span, dt, slack)
        while report.item(block.WHY) == block.CROWDED and report[block.MADE] == 0:
            self._own.make_room()
            self._advance(buffers, lines, *self._touch_and_carry(), journal, span, dt, slack)
        count, which = self._count.tolist()
        if count == 0:
            return NO_CONTACTS
        room = self._own.ahead if which else self._own.room
        return room.ints[:count], room.floats[:count]

    def call_of_steps(self, journal: Journal, span: Span, dt: float, slack: float) -> tuple[Any, tuple[Any, ...]]:
        """The entry that `advance` calls, and its arguments."""
        bounded = self._bounded
        touch, carried = self._touch_and_carry()
        return advance_touching, (bounded.buffers, bounded.lines, touch, carried, journal, span, dt, slack)

    def make_spare_room(self, times: int) -> None:
        """At least so many times the room for contacts."""
        wanted = times * len(self._own.room.ints)
        while len(self._own.room.ints) < wanted:
            self._own.make_room()

    def _touch_and_carry(self) -> tuple[Touch, Handover]:
        own, bounded = self._own, self._bounded
        kept = self._touched
        if kept is not None:
            both, memory, room, buffers, lines = kept
            if memory is self._memory and room is own.room and buffers is bounded.buffers and lines is bounded.lines:
                return both
        self._make_memory(len(own.room.ints))
        placed = (self._nodes, self._place, self._centre, self._poses, self._velocities)
        begin = start_for(bounded.model.F, bounded.model.N, len(bounded.lines[0]))
        touch = Touch(own.geometry, own.room, own.ahead, *placed, self._memory, self._count, begin, self._ends)
        carried = handover_for(self._memory, own.room, begin)
        both = touch, carried
        self._touched = both, self._memory, own.room, bounded.buffers, bounded.lines
        return both

    def _overlook(self) -> None:
        """The rooms do not have the contacts of the next step, whatever the last block has found."""
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
