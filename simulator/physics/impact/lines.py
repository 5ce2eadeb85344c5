"""Lines of the tables of bounded rows: what drives, friction, dampers, springs, speed limits and stops ask for."""

from __future__ import annotations

from dataclasses import astuple
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simulator.model.coupling import Backlash, RealCoupling, loss_table
from simulator.physics.impact.motors import LACKS
from simulator.physics.layout import row_layout as row_at
from simulator.physics.rows.grips import BEFORE, CARRIED, LOAD, SPAN
from simulator.physics.rows.meshes import BACKWARD_OUT, FORWARD_IN, HELD, MISSED
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.mechanism.types import Mechanism
    from simulator.model.joint import Axis
    from simulator.physics.layout.meshes import GearMesh
    from simulator.spatial.arrays import Array, Ints


Line: TypeAlias = "tuple[int, int, tuple[float, ...]]"
NEITHER = (0.0, 0.0)
STATE_OF_BEARING = [LOAD, CARRIED, BEFORE, SPAN]
"""Of the line of friction: what a bearing held in the last step, with which the next begins."""
STATE_OF_MESH = [MISSED, HELD]
"""Of the line of a mesh, likewise."""
POWER = slice(FORWARD_IN, BACKWARD_OUT + 1)
"""Of the line of losses: energy that passed it since the start."""


@dataclass(frozen=True)
class Motor:
    """What a motor holds: `velocity`, or `position` at no more than |velocity| (0: no bound), with at most
    `max_effort`."""

    max_effort: float
    velocity: float = 0.0
    position: float | None = None

    @property
    def kind(self) -> int:
        """Of its line."""
        return row_at.TO_VELOCITY if self.position is None else row_at.TO_POSITION

    @property
    def numbers(self) -> tuple[float, ...]:
        """Of its line."""
        if self.position is None:
            return self.max_effort, self.velocity
        return self.max_effort, self.position, abs(self.velocity)


@dataclass(frozen=True)
class Servo:
    """A loop over one step, for x = Σ factor · position of an axis: an effort of at most `max_effort` on x that goes
    along with the motion.

    It is `effort` + `stiffness` times how far x moves behind its target + `damping` times how much its rate lacks to
    the target's, whose rate goes from the first of `rates` to the second + `integral` times what the error, which is
    `error` at the start, adds up to. `terms`: (axis, factor).
    """

    terms: tuple[tuple[int, float], ...]
    max_effort: float
    effort: float
    stiffness: float
    damping: float
    rates: tuple[float, float] = (0.0, 0.0)
    integral: float = 0.0
    error: float = 0.0

    @property
    def numbers(self) -> tuple[float, ...]:
        """Of its lines, without the factor of the axis."""
        return self.max_effort, self.effort, self.stiffness, self.damping, *self.rates, self.integral, self.error


def _mesh_lines(mechanism: Mechanism, meshes: Sequence[GearMesh], first: int, inputs: Iterator[int]) -> list[Line]:
    """What real couplings carry and lose; codes of their plays and rates, in this order, begin with `first`; `inputs`:
    numbers of the profiles of clutches."""
    lines: list[Line] = []
    code = first
    for mesh in meshes:
        if mesh.cable >= 0:
            cable = mechanism.loads.cables[mesh.cable]
            held = Backlash(2.0 * cable.length, cable.restitution, cable.stiffness, cable.damping)
            lines.append((row_at.MESH, code, _mesh_numbers(RealCoupling(backlash=held))))
            lines += [(row_at.LOSS, code + 1, ())] if mesh.rate >= 0 else []
            code += 2 if mesh.rate >= 0 else 1
            continue
        coupling = mechanism.couplings[mesh.coupling]
        real = coupling.real
        lines.append((row_at.MESH, code, _mesh_numbers(real)))
        if real.clutch is not None:
            lines.append((row_at.GRIP, code, (real.clutch.grip, float(next(inputs)))))
        code += 1
        if mesh.rate >= 0:
            points = loss_table(real, coupling.lead)
            lines.append((row_at.LOSS, code, (1.0 / coupling.input_factor,)))
            lines += [(row_at.TABLE, code, astuple(point)) for point in points]
            if real.compliance is not None and real.varies:
                lines.append((row_at.CYCLE, code, (real.compliance.period, coupling.per_passing)))
                lines += [(row_at.POINT_OF_CYCLE, code, point) for point in real.compliance.points]
            code += 1
    return lines


def _mesh_numbers(real: RealCoupling) -> tuple[float, ...]:
    """Of the line of a mesh, see `rows.meshes`."""
    freewheel = real.freewheel
    way, pitch = (freewheel.direction, freewheel.pitch) if freewheel is not None else NEITHER
    most = 0.0 if real.slips and pitch == 0.0 else np.inf
    peak = real.clutch.peak if real.clutch is not None else 1.0
    return (real.half_width, real.stiffness, real.damping, real.restitution, 0.0, way, pitch, most, peak)


def _friction_lines(i: int, axis: Axis, inputs: Iterator[int]) -> list[Line]:
    """Dry friction of axis i, and what presses its brake."""
    stribeck, brake = axis.stribeck, axis.brake
    weight = axis.bearing.arm if axis.bearing is not None else 0.0
    if axis.friction <= 0.0 and stribeck is None and brake is None and axis.bearing is None:
        return []
    falling = (stribeck.static, stribeck.speed, stribeck.exponent) if stribeck is not None else (0.0, 1.0, 1.0)
    peak = brake.peak if brake is not None else 1.0
    lines: list[Line] = [(row_at.FRICTION, i, (axis.friction, *falling, 0.0, peak, weight))]
    return lines if brake is None else [*lines, (row_at.GRIP, i, (brake.grip, float(next(inputs))))]


def lines_of(
    mechanism: Mechanism,
    codes: Sequence[int],
    motors: Mapping[int, Motor],
    servos: Sequence[Servo],
    meshes: Sequence[GearMesh] = (),
    first_input: int = 0,
) -> list[Line]:
    """(kind, axis, numbers) of every line: motors, servos, dampers and springs that are held, real couplings, friction,
    speed limits, then stops, so that stops have the last word in every sweep.

    `codes`: of axes, behind them of springs between points, see `loops.loops`, and of freedoms of `meshes`.
    `first_input`: number of the first profile of `mechanism.clutches.inputs_of`.
    """
    lines: list[Line] = [(motor.kind, axis, motor.numbers) for axis, motor in sorted(motors.items())]
    for servo in servos:
        kinds = (row_at.SERVO, *[row_at.FURTHER] * len(servo.terms))
        lines += [
            (kind, axis, (*servo.numbers, factor)) for kind, (axis, factor) in zip(kinds, servo.terms, strict=False)
        ]
    axes = [(i, info.axis) for i, info in enumerate(mechanism.axes)]
    lines += [
        (row_at.HELD, i, (0.0, 0.0, axis.spring_stiffness, axis.damping, *NEITHER, *NEITHER, axis.spring_reference))
        for i, axis in axes
        if codes[i] < 0 and (axis.damping > 0.0 or axis.spring_stiffness > 0.0)
    ]
    lines += [
        (row_at.HELD, len(axes) + s, (0.0, 0.0, spring.stiffness, spring.damping))
        for s, spring in enumerate(mechanism.loads.springs)
    ]
    inputs = count(first_input)
    lines += _mesh_lines(mechanism, meshes, len(axes) + len(mechanism.loads.springs), inputs)
    for i, axis in axes:
        lines += _friction_lines(i, axis, inputs)
    lines += [(row_at.SPEED, i, (axis.velocity,)) for i, axis in axes if 0.0 < axis.velocity < np.inf]
    lines += [(row_at.LOWER, i, (axis.lower,)) for i, axis in axes if np.isfinite(axis.lower)]
    lines += [(row_at.UPPER, i, (axis.upper,)) for i, axis in axes if np.isfinite(axis.upper)]
    return lines


def write_numbers(RF: Array, lines: Sequence[Line]) -> Array:
    """RF with the numbers of its lines."""
    for line, (_, _, numbers) in enumerate(lines):
        RF[line, : len(numbers)] = numbers
    return RF


def forget_last_step(RI: Ints, RF: Array) -> None:
    """What meshes have missed, and what bearings held, in the last step: there was none."""
    for kind, columns in ((row_at.MESH, STATE_OF_MESH), (row_at.FRICTION, STATE_OF_BEARING)):
        for column in columns:
            RF[RI[:, 0] == kind, column] = 0.0


def keep_impulses(before: tuple[Ints, Array], lines: tuple[Ints, Array]) -> None:
    """What meshes, friction and stops did in the last step and what motors lacked, for lines that were there before,
    too."""
    known = {tuple(row): line for line, row in enumerate(before[0].tolist())}
    for line, row in enumerate(lines[0].tolist()):
        if tuple(row) in known:
            if row[0] >= row_at.MESH:
                lines[1][line, row_at.IMPULSE] = before[1][known[tuple(row)], row_at.IMPULSE]
                if row[0] == row_at.MESH:
                    lines[1][line, STATE_OF_MESH] = before[1][known[tuple(row)], STATE_OF_MESH]
                if row[0] == row_at.FRICTION:
                    lines[1][line, STATE_OF_BEARING] = before[1][known[tuple(row)], STATE_OF_BEARING]
                if row[0] == row_at.LOSS:
                    lines[1][line, POWER] = before[1][known[tuple(row)], POWER]
            elif row[0] <= row_at.TO_POSITION:
                lines[1][line, LACKS] = before[1][known[tuple(row)], LACKS]
                lines[1][line, row_at.JERK :] = before[1][known[tuple(row)], row_at.JERK :]
