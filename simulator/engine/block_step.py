"""A block of compiled steps of an engine: orders before it, what it did after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.step import block

if TYPE_CHECKING:
    from simulator.engine.core import EngineCore
    from simulator.engine.drive_efforts import DriveEfforts
    from simulator.engine.snapshot import Extremes
    from simulator.spatial.arrays import Array, Ints


NO_ROWS = np.zeros((0, 0))


def orders_for(core: EngineCore, drives: DriveEfforts, span: block.Span) -> block.Orders:
    """What the steps of a span are made with, from the present state: orders made for earlier steps where they serve,
    else new ones, for which motors and loops get the numbers that they begin with."""
    blocks = core.blocks
    assert blocks is not None
    actuation = core.actuation
    if actuation.has_new_drives:
        drives.note_asked()
    if blocks.has_orders(span):
        return blocks.orders_again(core.setpoints)
    time = span.first * core.dt
    if actuation.changes:
        drives.command_motors(time)
    blocks.set_servos(time)
    return blocks.new_orders(core.setpoints, core.motors.numbers_over, span)


def step_block(
    core: EngineCore,
    drives: DriveEfforts,
    steps: int,
    stride: int,
    phase: int,
    worst: Extremes,
    columns: Ints | None,
) -> tuple[int, Array]:
    """Make at most so many steps of compiled code, as many as go in one call, see `Engine.advance`; returns how many,
    maybe none, and the rows that are recorded, shape (n, n_columns)."""
    blocks = core.blocks
    assert blocks is not None
    motors = core.actuation.with_motor
    most = core.jumps.steps_before(motors, core.steps, steps) if motors else steps
    if most <= 0 or not core.can_step_blocks():
        return 0, NO_ROWS
    span = block.Span(core.steps, min(steps, most), stride, phase)
    made, rows = blocks.advance(orders_for(core, drives, span), core.ledger, worst.values, span, columns)
    if made:
        finish_steps(core, made)
        if blocks.has_news:
            drives.note_steps(blocks)
    return made, rows


def finish_steps(core: EngineCore, made: int) -> None:
    """Advance to the state after so many steps, with what drives asked for in the last of them."""
    if core.actuation.changes:
        core.setpoints.update(core.actuation.drives_now((core.steps + made - 1) * core.dt, core.dt))
    core.steps += made
    core.state_read = None
