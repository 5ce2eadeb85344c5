"""Short runs from one state after the other, under efforts that rise linearly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.step import block

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.engine.blocks import Blocks
    from simulator.engine.engine import Engine
    from simulator.kinematics.state import JointState
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array


class Shots:
    """Runs in the buffers of an engine without drives, which is of no other use from then on. `orders`: what its axes
    are given in a span."""

    def __init__(self, bounded: BoundedMechanism, blocks: Blocks, orders: Callable[[block.Span], block.Orders]) -> None:
        self._bounded = bounded
        self._blocks = blocks
        self._orders = orders
        self._made: dict[int, block.Orders] = {}
        self._axes = np.arange(blocks.places.axes)
        self._begun = bounded.model.F.copy(), bounded.model.N.copy()

    def begin(self, state: JointState) -> None:
        """Runs begin at this state from now on."""
        model = self._bounded.model
        model.set_state(state)
        self._begun = model.F.copy(), model.N.copy()

    def end(self, time: float, duration: float, steps: int, efforts: Array) -> tuple[Array, Array] | None:
        """Positions and velocities of all axes, shape (n_axes,) each, so many `steps` and a `duration` [s] after the
        state, which is at `time` [s], under `efforts` of axes from the first row to the second, shape (2, n_axes). None
        where a step needs a decision. Loads are as at the nearest multiple of the step."""
        orders = self._orders_for(steps)
        dt = duration / steps
        share = ((np.arange(steps) + 0.5) / steps)[:, None]
        orders.efforts[:] = orders.efforts_after[:] = efforts[0] + share * (efforts[1] - efforts[0])
        span = block.Span(round(time / dt), steps)
        orders.begin[0] = span.first
        model = self._bounded.model
        model.F[:], model.N[:] = self._begun
        journal = self._blocks.journal(orders, 0)
        self._bounded.advance_block(journal, dt, span)
        if journal.report[block.MADE] < steps:
            return None
        row = self._blocks.row
        return row[1 + 3 * self._axes], row[2 + 3 * self._axes]  # copies

    def _orders_for(self, steps: int) -> block.Orders:
        if steps not in self._made:
            shape = (steps, len(self._axes))
            found = self._orders(block.Span(0, 1))
            self._made[steps] = found._replace(
                begin=np.zeros(1, dtype=np.int64), efforts=np.zeros(shape), efforts_after=np.zeros(shape)
            )
        return self._made[steps]


def shots_of(engine: Engine) -> Shots | None:
    """What makes runs under efforts from one state after the other; the engine, which has no drives, is of no other use
    from then on. None where steps have to be looked at one by one."""
    bounded = engine.core.bounded
    blocks = engine.core.blocks
    return None if bounded is None or blocks is None or bounded.can_touch else Shots(bounded, blocks, engine.orders)
