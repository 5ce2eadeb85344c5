"""A mechanism with its state and its drives as plain memory, for programs that run it without Python.

`flatten` makes an image (`native.image`) with these tables, for entries of the native library or of its WebAssembly:

    advance   `advance_block` (library `motion`), or `advance_touching` (`contacts`) where something can touch: makes
              `span.steps` steps of `dt` [s] after step `span.first`, and adds nothing to the clock: the caller adds
              `journal.report`[0], the steps that were made, to `span.first`
    refresh   `refresh`: poses of nodes for the state, before `bodies`
    bodies    `read_bodies`: fills `poses` (n_bodies, 7), X_WB as x, y, z and the quaternion x, y, z, w, and
              `velocities` (n_bodies, 6), angular and of the centre of mass; the world, body 0, is left out
    watch     `watch`: fills `row` from the state without a step

After `advance`, `journal.row` is the state as a row of all channels, with `places` to find its parts:

    0                     time [s]
    1 + 3 i …             position, velocity and effort of drives of axis i [rad, rad/s, N m; m, m/s, N]
    places.coupling + i   residual of coupling i [rad or m]
    places.loop + 2 i …   distance [m] and angle [rad] by which loop joint i is open
    places.energy …       kinetic, potential, work, dissipated, error, loads, contact, overlap [J]
    places.actuator + 3 i position, velocity and effort of actuator i
    places.body + 13 i …  pose (7) and velocity (6) of loose body i
    places.hinge …        angles and rates of balls that are hinges in the document

`journal.report` holds the steps made, the rows written to `journal.rows`, and why it ended (`physics.step.block`):
DONE; or ROOM and CROWDED, which need larger tables than the image has (`spare` makes them larger); ROWS, after which
Python chooses other rows of loops; or TROUBLE, a step that was not made. A caller that keeps a copy of the image can go
back to it. A program that makes a step in halves where it was not made, as `engine.stepping` does, sets
`journal.report`[4] to 1 for parts of it that are too short to be halved for the energy that they give.

Efforts on axes are `journal.orders.efforts` (1, n_axes) and `journal.orders.efforts_after` [N m or N]: a program writes
both before a step. Numbers of motors are in `lines.1` (RF), see `physics.layout.row_layout`: the line of an axis is
`motor_lines`[axis], its columns most effort, and velocity, or position and top speed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.model.profiles import Constant
from simulator.native.image import image_of
from simulator.physics.build.state import read_bodies, refresh
from simulator.physics.impact.motors import KICK, START
from simulator.physics.step.block import Span
from simulator.physics.step.watch import watch
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.engine.core import EngineCore
    from simulator.engine.engine import Engine
    from simulator.native.image import Image
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.physics.layout.watched_row import RowPlaces


ADVANCE, REFRESH, BODIES, WATCH = "advance", "refresh", "bodies", "watch"


@dataclass(frozen=True)
class Flattened:
    """`image` at a moment of an engine; `places` of the parts of its row; `motor_lines`: the line of `lines.1` of every
    axis that has a motor; `last_step`: the step up to which its orders serve, math.inf where drives do not change over
    time."""

    image: Image
    places: RowPlaces
    motor_lines: Mapping[int, int]
    last_step: float


def flatten(engine: Engine, *, steps: int = 1, spare: int = 4) -> Flattened:
    """The present state of an engine, which may be stepped on afterwards. Drives that change over time are written out
    for `steps` steps. `spare`: by how much tables of rows and contacts are larger than they have been so far.

    Raises UsageError where Python has to look at every step: strategy gear and singular positions.
    """
    core = engine.core
    bounded = core.bounded
    blocks = core.blocks
    if bounded is None or blocks is None or not core.can_step_blocks():
        raise UsageError(_why(core))
    bounded.make_spare_room(spare)
    profiles = core.actuation.profiles()
    changes = not all(isinstance(profile, Constant) for profile in profiles)
    span = Span(core.steps, steps if changes else 1)
    orders = engine.orders(span)
    _begin_motors(core, bounded)
    journal = blocks.journal(orders, 1, core.ledger.values)
    journal.rows[:] = 0.0  # so that an image is the same for the same state
    model = bounded.model
    count = len(model.mechanism.bodies) - 1
    X_LB, com = model.parts.places_in_nodes, model.parts.com
    poses, velocities = np.zeros((count, 7)), np.zeros((count, 6))
    span = Span(core.steps, 1)
    image = image_of({
        ADVANCE: bounded.call_of_steps(journal, span, core.dt),
        REFRESH: (refresh, (model.F, model.N)),
        BODIES: (read_bodies, (model.F, model.N, model.parts.tree.node_of_body[1:], X_LB, com, poses, velocities)),
        WATCH: (watch, (model.F, model.N, journal.watch, journal.row)),
    })  # fmt: skip
    return Flattened(image, blocks.places, dict(bounded.motor_lines), core.steps + steps if changes else math.inf)


def _why(core: EngineCore) -> str:
    """Why compiled code cannot make many steps."""
    if core.bounded is None:
        return f"strategy {core.dynamics.name} has no compiled steps: use rows or reduced"
    return "the mechanism is at a singular position, where every step is a decision"


def _begin_motors(core: EngineCore, bounded: BoundedMechanism) -> None:
    """Which motors begin, as before a step."""
    begin = core.jumps.coming(core.actuation.with_motor, core.steps)
    for axis, speed in begin.items():
        if axis in bounded.motor_lines:
            bounded.lines[1][bounded.motor_lines[axis], [START, KICK]] = core.motors.allowed(axis, speed), 1.0
