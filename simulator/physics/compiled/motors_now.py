"""What motors give at the present state, before any step from it, what held those that have no limit, and how axes
respond to impulses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.physics.impact.giving_way import BODIES
from simulator.physics.impact.lines import Servo
from simulator.physics.impact.motors import HELD_AT, HELD_BY, RATE, approaches_now, efforts_now
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import dense_rows, open_bounded
from simulator.physics.motion.free import accelerate
from simulator.physics.rows.ramps import UNLIMITED
from simulator.physics.rows.rows import add_axis_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array

SHORT = 1e-9
"""A step [s] in which nothing comes near that is not there already."""


def motor_efforts_now(bounded: BoundedMechanism, rates: Mapping[int, float], pushed: Array) -> dict[int, float]:
    """Efforts [N m or N] at the present state of the motors on these axes, which keep the rates of their velocities
    [rad/s² or m/s²], whatever their limits; those with a rate of nan, and servos, have their efforts in `pushed`,
    efforts on all axes. What else has bounds pushes as in the last step. Nothing where stops or contacts push."""
    begun = {axis: bounded.motor_lines[axis] for axis in rates if axis in bounded.motor_lines}
    lines = {axis: line for axis, line in begun.items() if not np.isnan(rates[axis])}
    RI, RF = bounded.lines
    stops = (RI[:, row_at.KIND] == row_at.LOWER) | (RI[:, row_at.KIND] == row_at.UPPER)
    if not lines or RF[stops, row_at.IMPULSE].any() or len(bounded.contacts[0]):
        return {}
    kinds = RI.copy()
    asked = RF.copy()
    given = RF.copy()
    given[[*begun.values(), *bounded.servo_lines], row_at.PUSHED] = 0.0
    asked[list(begun.values()), row_at.MOST] = 0.0
    for axis, line in lines.items():
        kinds[line, 0], asked[line, [row_at.MOST, RATE]] = row_at.TO_VELOCITY, (UNLIMITED, rates[axis])
    bounded.model.set_efforts(pushed)
    (F, N, B, C) = bounded.buffers
    dt = bounded.last_step or 1.0
    known = efforts_now(F, N, B, C, (kinds, asked), given, bounded.contacts[1], dt)
    return {axis: float(asked[line, RATE]) for axis, line in lines.items()} if known else {}


def approach_now(bounded: BoundedMechanism, axis: int, numbers: tuple[float, float], pushed: Array, dt: float) -> float:
    """Velocity [rad/s or m/s] with which in a step of `dt` [s] the motor on an axis approaches a position, no faster
    than its effort can brake: `numbers` are the position and the largest speed, `pushed` the efforts of others on all
    axes. nan where it cannot be known."""
    line = bounded.motor_lines.get(axis)
    if line is None or bounded.lines[0][line, 0] != row_at.TO_POSITION:
        return np.nan
    RF = bounded.lines[1].copy()
    RF[line, 1:3] = numbers
    bounded.model.set_efforts(pushed)
    known = approaches_now(*bounded.buffers, (bounded.lines[0], RF), dt)
    return float(RF[line, RATE]) if known else np.nan


def held_motors(bounded: BoundedMechanism) -> dict[int, tuple[float, tuple[int, ...]]]:
    """Axes of motors without an effort limit that something has held since this was asked last: from when on [s], and
    the line of RF that held it, or the two bodies that touched."""
    RF = bounded.lines[1]
    found = dict[int, tuple[float, tuple[int, ...]]]()
    for axis, line in bounded.motor_lines.items():
        mark = int(RF[line, HELD_BY])
        if mark:
            found[axis] = float(RF[line, HELD_AT]), (mark - 1,) if mark > 0 else divmod(-1 - mark, BODIES)
            RF[line, HELD_BY] = 0.0
    return found


def response_now(bounded: BoundedMechanism, rates: Sequence[tuple[tuple[int, float], ...]]) -> tuple[Array, Array]:
    """For Σ factor · position of an axis, one for every tuple of (axis, factor): its acceleration in the present
    state, shape (n,), and by how much impulses on all of them change its rate, shape (n, n), couplings and loops held,
    nothing else in the way. An index behind those of the axes means a spring between points, whose length is its
    position.

    Forgets servos."""
    bounded.set_servos([Servo(terms, 1.0, 0.0, 0.0, 0.0) for terms in rates])
    model = bounded.model
    accelerate(model.F, model.N)
    bounded.buffers[3][row_at.COUNT] = 0
    while not add_axis_rows(*bounded.buffers, *bounded.lines, SHORT):
        bounded.make_more_room()
    opened = open_bounded(*bounded.buffers[2:])
    rows = {opened.line[row]: row for row in range(opened.gathered[0])}
    chosen = [rows[line] for line in bounded.servo_lines]
    m = int(model.N[at.INDEPENDENT])
    J, X = dense_rows(opened, chosen, m)
    bounded.set_servos(())
    return J @ model.view(at.F_DV)[:m], J @ X.T
