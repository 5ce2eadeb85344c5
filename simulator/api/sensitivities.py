"""Derivatives of runs by parameters."""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.gradient_table import GradientTable, row_names
from simulator.analysis.gradients import chosen, freedom_names
from simulator.analysis.numbers import numbers_of
from simulator.analysis.tangents import Along, Tangents
from simulator.api.arguments import as_count, as_number
from simulator.api.running import run
from simulator.api.unbounded import SAME, unbounded
from simulator.engine.drives import DriveKind
from simulator.engine.near_runs import Direction, near_runs_of
from simulator.errors import SimulationError, UsageError
from simulator.kinematics.recorded_motion import RecordedMotion
from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.varied import moves_positions
from simulator.mechanism.varied_slopes import size_of, slope_of
from simulator.physics.layout.watched_row import LOOSE
from simulator.physics.step.block import Span
from simulator.session.commands.driving import find_target
from simulator.spatial.rotation import matrix_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.gradients import Chosen
    from simulator.analysis.jets import Jets
    from simulator.api.core import Core
    from simulator.engine.engine import Engine
    from simulator.engine.near_runs import Both, NearRuns
    from simulator.spatial.arrays import Array

    Flags = NDArray[np.bool_]
    Places = NDArray[np.int64]

BLOCK = 256
"""Least number of steps before parallel runs begin again: beginning costs as much as five."""
SMALL = 1e-4
"""Change of a state [rad or m] for differences."""


def sensitivities(
    core: Core, duration: float, parameters: Sequence[str] | None = None, *, points: int = 61
) -> GradientTable:
    """See `Simulation.sensitivities`."""
    duration = as_number(duration, "a duration [s]")
    if as_count(points, "a number of points") < 2 or duration <= 0.0:
        raise UsageError("sensitivities need a duration of more than 0 s and 2 points or more")
    by = chosen(core.kinematics.mechanism, core.opened.world, parameters, core.equations.time)
    _require_smooth(core, duration)
    first, bad = _first_changes(core, by)
    kept = by.kept(bad)
    interval = duration / (points - 1)
    parts = math.ceil(interval / core.dt * (1.0 - SAME))
    between = math.ceil(parts / (2 * BLOCK))  # so that runs also begin again between points that are far apart
    parts = math.ceil(parts / between)
    with closing(unbounded(core, interval / (between * parts))) as free:
        array = _followed(free, by, kept, first, between * (points - 1) + 1, parts)[::between]
    columns = tuple(by.names[place] for place in kept)
    names = freedom_names(core.jets)
    rows = (*row_names(names, "position"), *row_names(names, "velocity"))
    times = np.linspace(core.time, core.time + duration, points)
    return GradientTable(times, rows, columns, array, by.without(bad))


def _first_changes(core: Core, by: Chosen) -> tuple[tuple[Array, Array], Flags]:
    """Change of the present positions and velocities of all freedoms by parameters, shape (n_parameters, n) each, with
    the independent coordinates fixed, and the parameters that loops cannot follow."""
    if not moves_positions(by.names):  # masses change neither, and most of the time here is for what does
        still = np.zeros((len(by.names), core.jets.size))
        return (still, still), np.zeros(len(by.names), dtype=bool)
    numbers = numbers_of(core.kinematics.mechanism, core.equations.time)
    independent = core.reduction.places
    tangents = Tangents(core.jets, numbers, core.kinematics, [core.state], independent)
    along = Along.parameters(by.directions, len(by.names), len(independent))
    dq, du, bad = tangents.change_of_state(along)
    return (dq[0], du[0]), bad | tangents.jams(along, dq)


def _followed(core: Core, by: Chosen, kept: Places, first: tuple[Array, Array], points: int, parts: int) -> Array:
    """(δq, δu) of all freedoms by the parameters `kept` at `points` times, `parts` steps from each to the next,
    shape (points, 2 n, n_kept). Raises SimulationError as `sensitivities` does."""
    engine = core.ready()
    jets = core.jets
    near = near_runs_of(engine)
    if near is None:
        raise SimulationError("sensitivities need a start that is not singular: see condition()")
    directions = [_direction(core, near, by.names[place], first, place) for place in kept.tolist()]
    result = np.zeros((points, 2 * jets.size, len(kept)))
    result[0] = np.concatenate([part[kept] for part in first], axis=-1).T
    at_once = math.ceil(BLOCK / parts)
    for in_space in (False, True):
        columns = [place for place, one in enumerate(directions) if one.slopes.leaves_plane == in_space]
        near.restart(in_space=in_space)
        for done in range(0, points - 1 if columns else 0, at_once):
            count = min(at_once, points - 1 - done)
            span = Span(engine.steps + done * parts, count * parts, parts)
            found = near.advance(span, [directions[place] for place in columns])
            for place, both in zip(columns, found, strict=True):
                result[1 + done : 1 + done + count, :, place] = _changes(core, both)
    return result


def _direction(core: Core, near: NearRuns, name: str, first: tuple[Array, Array], place: int) -> Direction:
    """A parameter, and its change of the start."""
    slope = slope_of(core.mechanism, core.opened.world, name, near=True)
    jets = core.jets
    state = core.state
    dq, du = (part[place] for part in first)
    step = SMALL / max(1.0, float(np.abs(dq).max(initial=0.0)))
    # The start does not move with a mass; then both are the same.
    ends = (step, -step) if dq.any() or du.any() else (0.0,)
    moved = near.contents([_moved(jets, state, h * dq, h * du) for h in ends])
    slopes = near.slopes(slope.plus, slope.minus, slope.factor, core.rotors)
    return Direction(slopes, size_of(core.mechanism, core.opened.world, name), (moved[0] - moved[-1]) / (2.0 * step))


def _changes(core: Core, both: Both) -> Array:
    """(δq, δu) of all freedoms, shape (n_rows, 2 n)."""
    jets, mechanism = core.jets, core.mechanism
    result = np.zeros((len(both.plus), 2 * jets.size))
    change = (both.plus - both.minus) / (2.0 * both.h)
    axes = np.arange(len(mechanism.axes))
    loose = multi_dof_joints(mechanism)
    result[:, jets.freedom], result[:, jets.size + jets.freedom] = change[:, 1 + 3 * axes], change[:, 2 + 3 * axes]
    if loose:
        ends = [_loose(core, rows) for rows in (both.plus, both.minus)]
        (R, p), (S, r) = ((poses[..., :3, :3], poses[..., :3, 3]) for poses, _ in ends)
        turn = R @ np.swapaxes(S, -1, -2)
        turned = 0.5 * np.stack([turn[..., j, i] - turn[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1))], axis=-1)
        moved = np.concatenate((turned, p - r), axis=-1) / (2.0 * both.h)
        rates = (ends[0][1] - ends[1][1]) / (2.0 * both.h)
        for slot, joint in enumerate(loose):
            begin = jets.layout.first[joint]
            dof = mechanism.joints[joint].dof
            result[:, begin : begin + dof] = moved[:, slot, :dof]
            result[:, jets.size + begin : jets.size + begin + dof] = rates[:, slot, :dof]
    return result


def _loose(core: Core, rows: Array) -> tuple[Array, Array]:
    """Poses and twists of balls and free joints in rows, as in `JointState`."""
    mechanism = core.mechanism
    axes = np.arange(len(core.mechanism.axes))
    first = core.ready().places.body
    bodies = [mechanism.joints[joint].child for joint in multi_dof_joints(mechanism)]
    loose = {body: rows[:, first + LOOSE * k : first + LOOSE * (k + 1)] for k, body in enumerate(bodies)}
    states = RecordedMotion(mechanism, rows[:, 1 + 3 * axes], rows[:, 2 + 3 * axes], loose).states()
    return np.array([state.loose_pose for state in states]), np.array([state.loose_twist for state in states])


def _require_smooth(core: Core, duration: float) -> None:
    """Raises UsageError if the motion without friction, stops and contacts is another."""
    drives = [find_target(core.mechanism, core.opened.actuators, name) for name in core.drives]
    efforts = all(drive.kind is DriveKind.EFFORT for drive in core.drives.values())
    if core.solver == "gear" or not efforts or any(kind != "axis" for kind, _ in drives):
        raise UsageError(
            "sensitivities are computed for the strategies rows and reduced, undriven or with efforts on axes: "
            "drives that hold a position or velocity, or act on actuators, have none"
        )
    if not _can_switch(core.ready()):
        return
    with closing(core.like(core.opened, core.assembled())) as real, closing(unbounded(core)) as free:
        pair = [run(one, duration) for one in (real, free)]
    names = [name for name in pair[0].channels if name.startswith("joint/") and not name.endswith("/effort")]
    values = [np.stack([found[name] for name in names]) for found in pair] if names else [np.zeros(1), np.zeros(1)]
    if not np.allclose(values[0], values[1], rtol=SAME, atol=SAME):
        raise UsageError(
            "friction, stops or contacts act in this run: where they begin and end the motion has a kink, and its "
            "sensitivities are not computed"
        )


def _moved(jets: Jets, state: JointState, dq: Array, du: Array) -> JointState:
    """A state after small changes of all freedoms (n,): of positions, and of velocities."""
    pose, twist = state.loose_pose.copy(), state.loose_twist.copy()
    for slot, joint in enumerate(multi_dof_joints(jets.mechanism)):
        first = jets.layout.first[joint]
        dof = jets.mechanism.joints[joint].dof
        turn = dq[first : first + 3]
        angle = float(np.linalg.norm(dq[first : first + 3]))
        if angle > 0.0:
            pose[slot, :3, :3] = matrix_from_axis_angle(turn / angle, angle) @ pose[slot, :3, :3]
        if dof > 3:
            pose[slot, :3, 3] += dq[first + 3 : first + dof]
        twist[slot, :dof] += du[first : first + dof]
    return JointState(state.position + dq[jets.freedom], state.velocity + du[jets.freedom], pose, twist)


def _can_switch(engine: Engine) -> bool:
    """Whether friction, stops, motors or contacts may act in a step."""
    bounded = engine.core.bounded
    return bounded is None or bounded.can_touch or len(bounded.lines[0]) > 0
