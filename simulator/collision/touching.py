"""Contacts beside a compiled mechanism: found before each step, with the impulses of the last one, also for many steps
in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.collision.friction_kernels import NO_DIRECTION
from simulator.collision.touch import Touch, memory_for
from simulator.collision.touching_kernels import advance_touching, recall, remember
from simulator.dynamics.compiled import block
from simulator.dynamics.compiled import layout as at
from simulator.dynamics.compiled.flatten import FREE
from simulator.dynamics.repeated import Repeated
from simulator.mechanism.types import WORLD_BODY

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from simulator.collision.own import OwnContacts
    from simulator.dynamics.compiled.block import Block, Span
    from simulator.dynamics.compiled.bounded import BoundedMechanism

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]


class Touching:
    """The contacts of one mechanism that moves; fulfils `dynamics.compiled.contact_table.ContactSource`."""

    def __init__(self, own: OwnContacts, bounded: BoundedMechanism) -> None:
        self._own, self._bounded, parts = own, bounded, bounded.model.parts
        own.put_on(bounded.node_of_body, _loose_bodies(bounded))
        self._nodes, self._place, self._centre = parts.tree.node_of_body[1:], parts.X_LB, parts.com
        bodies = len(bounded.model.mechanism.bodies)
        self._poses, self._velocities = np.zeros((bodies, 7)), np.zeros((bodies, 6))
        self._poses[0, 6] = 1.0
        self._count, self._advance = np.zeros(1, dtype=np.int64), Repeated(advance_touching)
        self._memory = memory_for(len(own.room.ints))
        self._touched: Touch | None = None

    def forget(self) -> None:
        """Nothing has touched yet."""
        self._memory.known[0] = self._count[0] = 0
        self._own.forget()

    @property
    def kernel(self) -> tuple[Callable[..., None], str, str]:
        """What makes the steps, its name, and a file beside its module."""
        return advance_touching, "touching_kernels.advance_touching", __file__

    @property
    def state(self) -> tuple[Array | Ints, ...]:
        """What goes on from step to step, with as much room as a block needs."""
        memory, room = self._touch().memory, self._own.room
        return memory.names, memory.impulses, memory.known, room.order, room.kept, room.kept_way

    @property
    def is_steered(self) -> bool:
        """Whether a body carries the direction in which another one rubs: what rests may have to be woken for that."""
        G = self._own.geometry
        directed = G.directed != NO_DIRECTION
        carriers = G.direction_body[G.directed[directed]]
        return bool(((carriers != G.body[directed]) & (carriers != WORLD_BODY)).any())

    def find(self, body_poses: Array, body_velocities: Array, dt: float) -> tuple[Ints, Array]:
        """Tables of the contacts of the next step, for all bodies at X_WB (n_bodies, 7), velocities (n_bodies, 6)."""
        count = self._own.find(body_poses, body_velocities, dt)
        return self._own.room.ints[:count], self._own.room.floats[:count]

    def recall(self, ints: Ints, floats: Array) -> None:
        """Begin with the impulses of the last step."""
        if len(ints):
            recall(ints, floats, self._memory)

    def remember(self, ints: Ints, floats: Array) -> None:
        """Keep what acted in this step."""
        self._make_memory(len(ints))
        remember(ints, floats, self._memory)

    def advance(self, plan: Block, dt: float, span: Span, steps: int) -> tuple[Ints, Array]:
        """Make at most `steps` steps; returns the tables of the last one's contacts."""
        bounded = self._bounded
        buffers, lines, which = bounded.buffers, bounded.lines, span.part(steps)
        self._advance(buffers, lines, self._touch(), plan.journal, which, dt, plan.slack)
        while plan.why == block.CROWDED and plan.made == 0:
            self._own.make_room()
            self._advance(buffers, lines, self._touch(), plan.journal, which, dt, plan.slack)
        count = int(self._count[0])
        return self._own.room.ints[:count], self._own.room.floats[:count]

    def _touch(self) -> Touch:
        own, touch = self._own, self._touched
        self._make_memory(len(own.room.ints))
        if touch is None or touch.memory is not self._memory or touch.room is not own.room:
            placed = (self._nodes, self._place, self._centre, self._poses, self._velocities)
            touch = self._touched = Touch(own.geometry, own.room, *placed, self._memory, self._count)
        return touch

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
    tree, nodes = bounded.model.parts.tree, bounded.node_of_body
    alone = (np.asarray(tree.kind) == FREE) & (np.asarray(tree.parent) < 0) & (bounded.model.N[at.LOOPS] == 0)
    alone[[parent for parent in tree.parent if parent >= 0]] = False
    return (nodes >= 0) & alone[nodes] if len(alone) else nodes >= 0
