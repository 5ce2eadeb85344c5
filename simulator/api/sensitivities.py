"""How runs depend on parameters."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.gradient_table import GradientTable, row_names
from simulator.analysis.gradients import chosen, freedom_names
from simulator.analysis.numbers import numbers_of, pushes_of
from simulator.analysis.tangents import Along, Tangents
from simulator.analysis.variation import DEGREE, Motion, Variation
from simulator.api.arguments import as_count, as_number
from simulator.api.derivatives import ParameterDerivatives
from simulator.engine.drives import DriveKind
from simulator.errors import UsageError
from simulator.model.profiles import Constant
from simulator.session.driving import find_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.api.moment import Moment
    from simulator.api.run import Run
    from simulator.dynamics.state import JointState
    from simulator.engine.drives import Drive
    from simulator.session.opening import Opened

    Array = NDArray[np.float64]

SAME = 1e-9
"""Motions that differ by less [rad, m, per second] are the same: both are steps of the same equations."""


class Sensitivities(ParameterDerivatives):
    """The part of `Simulation` that derives runs by parameters."""

    _drives: dict[str, Drive]

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

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps."""
        raise NotImplementedError

    def run(self, duration: float) -> Run:
        """Simulate so many seconds."""
        raise NotImplementedError

    def close(self) -> None:
        """Free what the simulation holds."""
        raise NotImplementedError

    def sensitivities(
        self, duration: float, parameters: Sequence[str] | None = None, *, points: int = 61
    ) -> GradientTable:
        """Derivatives by `parameters` of `varied`, None for all, of the motion that `run(duration)` makes:
        `sim.sensitivities(2.0, ["rocker.length"])["rocker_joint/position", "rocker.length"]`, at `points` equidistant
        times, both ends counted, by the variational equations. The independent coordinates begin where and as fast as
        they are, in `varied`, too; this simulation stays where it is.

        They exist where nothing switches. Raises UsageError where friction, stops or contacts act in this run, for
        drives that hold positions or velocities and for the strategy gear; also as `gradients` does. SimulationError
        where they do not settle, as in chaotic motion.
        """
        duration = as_number(duration, "a duration [s]")
        if as_count(points, "a number of points") < 2 or duration <= 0.0:
            raise UsageError("sensitivities take a duration of more than 0 s and 2 points or more")
        mechanism, begin = self._kinematics.mechanism, self._equations.time
        by = chosen(mechanism, self._opened.world, parameters, begin)
        motion = self._smooth_motion(duration)
        independent = self._reduction.places
        tangents = Tangents(self._jets, numbers_of(mechanism, begin), self._kinematics, [self._state], independent)
        along = Along.parameters(by.directions, len(by.names), len(independent))
        first, bad = tangents.change(along, tangents.free(np.zeros((1, self._jets.size))), None)
        bad |= tangents.jams(along, first.position)
        kept = by.kept(bad)
        start = np.concatenate((first.position[0, kept], first.velocity[0, kept]), axis=-1).T
        more = DEGREE // math.gcd(DEGREE, points - 1)
        times = np.linspace(begin, begin + duration, (points - 1) * more + 1)
        slopes = {field: rows[kept] for field, rows in by.directions.items()}
        array = Variation(motion, slopes, len(kept)).solve(start, times)[::more]
        columns, names = tuple(by.names[place] for place in kept), freedom_names(self._jets)
        rows = (*row_names(names, "position"), *row_names(names, "velocity"))
        return GradientTable(times[::more], rows, columns, array, by.without(bad))

    def _smooth_motion(self, duration: float) -> Motion:
        """The motion without friction, stops and contacts. Raises UsageError where it is another than `run` makes."""
        drives = [
            (find_target(self.mechanism, self._opened.actuators, name), drive) for name, drive in self._drives.items()
        ]
        if self._solver == "gear" or any(
            kind != "axis" or drive.kind is not DriveKind.EFFORT for (kind, _), drive in drives
        ):
            raise UsageError(
                "sensitivities are computed for the strategies rows and reduced, undriven or with efforts on axes: "
                "drives that hold a position or velocity, or act on actuators, are none of these"
            )
        with closing(self.copy()) as real, closing(self._unbounded()) as free:
            pair = [sim.run(duration) for sim in (real, free)]
        names = [name for name in pair[0].channels if name.startswith("joint/") and not name.endswith("/effort")]
        values = [np.stack([run[name] for name in names]) for run in pair] if names else [np.zeros(1), np.zeros(1)]
        if not np.allclose(values[0], values[1], rtol=SAME, atol=SAME):
            raise UsageError(
                "friction, stops or contacts act in this run: where they begin and end the motion has a kink, and its "
                "sensitivities are not computed"
            )
        limits = [info.axis.effort for info in self.mechanism.axes]

        def applied(time: float) -> Array:
            efforts = np.zeros(len(limits))
            for (_, axis), drive in drives:
                efforts[axis] = float(np.clip(drive.profile.value(time), -limits[axis], limits[axis]))
            return self._jets.on_freedoms(efforts)

        mechanism = self._kinematics.mechanism
        return Motion(
            self._jets,
            self._kinematics,
            self._states_at,
            numbers_of(mechanism, self.time),
            partial(pushes_of, mechanism),
            applied,
        )

    def _states_at(self, times: Sequence[float], interval: float) -> list[JointState]:
        """States of the motion without friction, stops and contacts at rising times, multiples of `interval` from now
        on [s]."""
        # With half of the step the motion itself has a sixteenth of the error.
        parts = math.ceil(2.0 * interval / self.dt * (1.0 - SAME))
        states, done = [], 0
        with closing(self._unbounded(interval / parts)) as free:
            for time in times:
                count = round((time - self.time) / interval) * parts
                free.step(count - done)
                done = count
                states.append(free._state)
        return states

    def _unbounded(self, dt: float | None = None) -> Sensitivities:
        """The same at the same state and time without friction, stops and contacts, by steps of `dt` [s].

        Raises UsageError where loads or drives change over time and the time is no multiple of `dt`.
        """
        axes = tuple(
            replace(info, axis=replace(info.axis, friction=0.0, lower=-math.inf, upper=math.inf))
            for info in self.mechanism.axes
        )
        moment, steps = self.moment, self.time / (dt or self.dt)
        if abs(steps - round(steps)) > SAME * max(steps, 1.0) and self._changes_over_time():
            raise UsageError(
                "loads or drives change over time, and the time that has gone by is no multiple of the time between "
                "points: choose another duration or other points"
            )
        opened = replace(self._opened, mechanism=replace(self.mechanism, axes=axes))
        return self._like(opened, replace(moment, steps=round(steps)), "reduced", dt)

    def _changes_over_time(self) -> bool:
        """Whether a load or a drive is not constant."""
        forces = self.mechanism.loads.forces
        profiles = [profile for load in forces for profile in (*load.force, *load.moment)]
        profiles += [drive.profile for drive in self._drives.values()]
        return not all(isinstance(profile, Constant) for profile in profiles)
