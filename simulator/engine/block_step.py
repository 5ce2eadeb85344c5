"""A block of compiled steps of an engine: orders before it, what it did after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.effort_log import Impulse
from simulator.engine.efforts import IntegratedEfforts

if TYPE_CHECKING:
    from simulator.engine.core import EngineCore
    from simulator.engine.drive_efforts import DriveEfforts
    from simulator.engine.snapshot import Extremes
    from simulator.physics.step import block
    from simulator.spatial.arrays import Array, Ints


def step_block(
    core: EngineCore, drives: DriveEfforts, span: block.Span, worst: Extremes, columns: Ints | None
) -> tuple[int, Array]:
    """Make steps of compiled code, as many as go in one call; returns how many, and the rows that are recorded, shape
    (n, n_columns)."""
    blocks = core.blocks
    assert blocks is not None
    actuation = core.actuation
    if actuation.has_new_drives:
        drives.note_asked()
    known = blocks.has_orders(span)
    if not known:
        if actuation.changes:
            drives.command_motors(core.time)
        if isinstance(core.efforts, IntegratedEfforts):
            core.efforts.set_servos(core.time, core.read)
    made, rows = blocks.advance(
        core.setpoints, core.motors.numbers_over, core.ledger, worst.values, span, columns, known=known
    )
    if made:
        if actuation.changes:
            core.setpoints.update(actuation.drives_now((core.steps + made - 1) * core.dt, core.dt))
        core.steps += made
        core.state_read = None
        if blocks.has_news:
            drives.note_held()
            for axis, given in blocks.impulses().items():
                core.log.note(Impulse(axis, (core.steps - 1) * core.dt, *given, of_drive=False))
    return made, rows
