"""Derivatives of runs by parameters."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.gradient_table import GradientTable, row_names
from simulator.analysis.gradients import chosen, freedom_names
from simulator.analysis.numbers import numbers_of
from simulator.analysis.tangents import Along, Tangents
from simulator.api.arguments import as_count, as_number
from simulator.api.derivatives import ParameterDerivatives
from simulator.engine.drives import DriveKind
from simulator.engine.near_runs import Direction, near_runs_of
from simulator.errors import SimulationError, UsageError
from simulator.kinematics.recorded_motion import RecordedMotion
from simulator.kinematics.state import JointState, multi_dof_joints
from simulator.mechanism.varied import moves_positions
from simulator.mechanism.varied_slopes import size_of, slope_of
from simulator.model.profiles import Constant
from simulator.physics.step.block import Span
from simulator.physics.step.watch import LOOSE
from simulator.session.commands.driving import find_target
from simulator.session.commands.factory import dynamics_like
from simulator.spatial.rotation import matrix_from_axis_angle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.gradients import Chosen
    from simulator.analysis.jets import Jets
    from simulator.api.moment import Moment
    from simulator.api.run import Run
    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine
    from simulator.engine.near_runs import Both, NearRuns
    from simulator.engine.strategies.reduced import ReducedDynamics
    from simulator.session.open.opening import Opened

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Places = NDArray[np.int64]

SAME = 1e-9
"""Motions that differ by less [rad, m, per second] count as the same: both are steps of the same equations."""
BLOCK = 256
"""Least number of steps before parallel runs begin again: beginning costs as much as five."""
SMALL = 1e-4
"""Change of a state [rad or m] for differences."""


class Sensitivities(ParameterDerivatives):
    """Derivatives of runs of a `Simulation` by parameters."""

    _drives: dict[str, Drive]
    _made: ReducedDynamics | None

    def _like(self, opened: Opened, moment: Moment | None, solver: str = "", dt: float | None = None) -> Sensitivities:
        """Another simulation at a moment."""
        raise NotImplementedError

    def copy(self) -> Sensitivities:
        """Another simulation of the same document at the same state."""
        raise NotImplementedError

    @property
    def time(self) -> float:
        """Simulated time since the state was set [s]."""
        raise NotImplementedError

    def run(self, duration: float) -> Run:
        """Simulate so many seconds."""
        raise NotImplementedError

    def _ready(self) -> Engine:
        """The engine at the present moment."""
        raise NotImplementedError

    def close(self) -> None:
        """Free what the simulation holds."""
        raise NotImplementedError

    def sensitivities(
        self, duration: float, parameters: Sequence[str] | None = None, *, points: int = 61
    ) -> GradientTable:
        """Derivatives by `parameters` of `varied`, None for all, of the motion that `run(duration)` makes:
        `sim.sensitivities(2.0, ["rocker.length"])["rocker_joint/position", "rocker.length"]`, at `points` equidistant
        times, including both ends, to 1e-7 of the greatest of each or better. The independent coordinates retain their
        present positions and velocities, as in `varied`; this simulation does not move.

        Nothing may switch on the way. Raises UsageError if friction, stops or contacts act in this run, for
        drives that hold positions or velocities and for the strategy gear, and the errors of `gradients`;
        SimulationError if the motion is singular, or too unstable for meaningful derivatives.
        """
        duration = as_number(duration, "a duration [s]")
        if as_count(points, "a number of points") < 2 or duration <= 0.0:
            raise UsageError("sensitivities need a duration of more than 0 s and 2 points or more")
        by = chosen(self._kinematics.mechanism, self._opened.world, parameters, self._equations.time)
        self._require_smooth(duration)
        first, bad = self._first_changes(by)
        kept = by.kept(bad)
        interval = duration / (points - 1)
        parts = math.ceil(interval / self.dt * (1.0 - SAME))
        between = math.ceil(parts / (2 * BLOCK))  # so that runs also begin again between points that are far apart
        parts = math.ceil(parts / between)
        with closing(self._unbounded(interval / (between * parts))) as free:
            array = free._followed(by, kept, first, between * (points - 1) + 1, parts)[::between]
        columns = tuple(by.names[place] for place in kept)
        names = freedom_names(self._jets)
        rows = (*row_names(names, "position"), *row_names(names, "velocity"))
        times = np.linspace(self.time, self.time + duration, points)
        return GradientTable(times, rows, columns, array, by.without(bad))

    def _first_changes(self, by: Chosen) -> tuple[tuple[Array, Array], Flags]:
        """Change of the present positions and velocities of all freedoms by parameters, shape (n_parameters, n) each,
        with the independent coordinates fixed, and the parameters that loops cannot follow."""
        if not moves_positions(by.names):  # masses change neither, and most of the time here is for what does
            still = np.zeros((len(by.names), self._jets.size))
            return (still, still), np.zeros(len(by.names), dtype=bool)
        numbers = numbers_of(self._kinematics.mechanism, self._equations.time)
        independent = self._reduction.places
        tangents = Tangents(self._jets, numbers, self._kinematics, [self._state], independent)
        along = Along.parameters(by.directions, len(by.names), len(independent))
        dq, du, bad = tangents.change_of_state(along)
        return (dq[0], du[0]), bad | tangents.jams(along, dq)

    def _followed(self, by: Chosen, kept: Places, first: tuple[Array, Array], points: int, parts: int) -> Array:
        """(δq, δu) of all freedoms by the parameters `kept` at `points` times, `parts` steps from each to the next,
        shape (points, 2 n, n_kept). Raises SimulationError as `sensitivities` does."""
        engine = self._ready()
        jets = self._jets
        near = near_runs_of(engine)
        if near is None:
            raise SimulationError("sensitivities need a start that is not singular: see condition()")
        directions = [self._direction(near, by.names[place], first, place) for place in kept.tolist()]
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
                    result[1 + done : 1 + done + count, :, place] = self._changes(both)
        return result

    def _direction(self, near: NearRuns, name: str, first: tuple[Array, Array], place: int) -> Direction:
        """A parameter, and its change of the start."""
        slope = slope_of(self.mechanism, self._opened.world, name, near=True)
        jets = self._jets
        state = self._state
        dq, du = (part[place] for part in first)
        step = SMALL / max(1.0, float(np.abs(dq).max(initial=0.0)))
        moved = [_moved(jets, state, h * dq, h * du) for h in (step, -step)]
        plus, minus = near.contents(moved)
        slopes = near.slopes(slope.plus, slope.minus, slope.factor, self._rotors)
        return Direction(slopes, size_of(self.mechanism, self._opened.world, name), (plus - minus) / (2.0 * step))

    def _changes(self, both: Both) -> Array:
        """(δq, δu) of all freedoms, shape (n_rows, 2 n)."""
        jets, mechanism = self._jets, self.mechanism
        result = np.zeros((len(both.plus), 2 * jets.size))
        change = (both.plus - both.minus) / (2.0 * both.h)
        axes = np.arange(len(mechanism.axes))
        loose = multi_dof_joints(mechanism)
        result[:, jets.freedom], result[:, jets.size + jets.freedom] = change[:, 1 + 3 * axes], change[:, 2 + 3 * axes]
        if loose:
            ends = [self._loose(rows) for rows in (both.plus, both.minus)]
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

    def _loose(self, rows: Array) -> tuple[Array, Array]:
        """Poses and twists of balls and free joints in rows, as in `JointState`."""
        mechanism = self.mechanism
        axes = np.arange(len(self.mechanism.axes))
        first = self._ready().places.body
        bodies = [mechanism.joints[joint].child for joint in multi_dof_joints(mechanism)]
        loose = {body: rows[:, first + LOOSE * k : first + LOOSE * (k + 1)] for k, body in enumerate(bodies)}
        states = RecordedMotion(mechanism, rows[:, 1 + 3 * axes], rows[:, 2 + 3 * axes], loose).states()
        return np.array([state.loose_pose for state in states]), np.array([state.loose_twist for state in states])

    def _require_smooth(self, duration: float) -> None:
        """Raises UsageError if the motion without friction, stops and contacts is another."""
        drives = [find_target(self.mechanism, self._opened.actuators, name) for name in self._drives]
        efforts = all(drive.kind is DriveKind.EFFORT for drive in self._drives.values())
        if self._solver == "gear" or not efforts or any(kind != "axis" for kind, _ in drives):
            raise UsageError(
                "sensitivities are computed for the strategies rows and reduced, undriven or with efforts on axes: "
                "drives that hold a position or velocity, or act on actuators, have none"
            )
        if not _can_switch(self._ready()):
            return
        with closing(self.copy()) as real, closing(self._unbounded()) as free:
            pair = [sim.run(duration) for sim in (real, free)]
        names = [name for name in pair[0].channels if name.startswith("joint/") and not name.endswith("/effort")]
        values = [np.stack([run[name] for name in names]) for run in pair] if names else [np.zeros(1), np.zeros(1)]
        if not np.allclose(values[0], values[1], rtol=SAME, atol=SAME):
            raise UsageError(
                "friction, stops or contacts act in this run: where they begin and end the motion has a kink, and its "
                "sensitivities are not computed"
            )

    def _unbounded(self, dt: float | None = None) -> Sensitivities:
        """The same simulation at the same state and time without friction, stops and contacts, by steps of `dt` [s].

        Raises UsageError if loads or drives change over time and the time is not a multiple of `dt`.
        """
        axes = tuple(
            replace(info, axis=replace(info.axis, friction=0.0, lower=-math.inf, upper=math.inf))
            for info in self.mechanism.axes
        )
        moment = self.moment
        steps = self.time / (dt or self.dt)
        if abs(steps - round(steps)) > SAME * max(steps, 1.0) and self._changes_over_time():
            raise UsageError(
                "loads or drives change over time, and the simulated time is not a multiple of the time between "
                "points: choose another duration or other points"
            )
        opened = replace(self._opened, mechanism=replace(self.mechanism, axes=axes))
        free = self._like(opened, replace(moment, steps=round(steps)), "reduced", dt)
        free._made = dynamics_like(self._ready(), opened)
        if free._made is not None:
            free._made.dt = free.dt
        return free

    def _changes_over_time(self) -> bool:
        """Whether a load or a drive is not constant."""
        forces = self.mechanism.loads.forces
        profiles = [profile for load in forces for profile in (*load.force, *load.moment)]
        profiles += [drive.profile for drive in self._drives.values()]
        return not all(isinstance(profile, Constant) for profile in profiles)


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
