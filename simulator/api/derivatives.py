"""What a simulation tells of its parameters: derivatives by them, and which of them efforts can tell apart."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.base_parameters import BaseParameters, base_parameters, observation
from simulator.analysis.gradient_table import GradientTable, row_names
from simulator.analysis.gradients import Asked, Gradients, chosen, freedom_names, gradients_at
from simulator.analysis.jets import Jets
from simulator.analysis.numbers import numbers_of
from simulator.analysis.regressor import Regressor, regressor_at, standard_parameters
from simulator.analysis.route_gradients import route_gradients
from simulator.analysis.tangents import Along, Tangents
from simulator.analysis.variation import DEGREE, Motion, Variation
from simulator.api.arguments import as_count, as_number, as_numbers
from simulator.api.quantities import Quantities
from simulator.dynamics.named import NamedMatrix, NamedVector
from simulator.engine.drives import DriveKind
from simulator.errors import UsageError
from simulator.session.driving import find_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.analysis.analysis import Analysis
    from simulator.api.moment import Moment
    from simulator.api.simulation import Simulation
    from simulator.dynamics.state import JointState
    from simulator.engine.drives import Drive
    from simulator.session.opening import Opened

    Array = NDArray[np.float64]

SAME = 1e-9
"""Motions that differ by less [rad, m, per second] are the same: both are steps of the same equations."""


class Derivatives(Quantities):
    """The part of `Simulation` that derives by parameters."""

    _drives: dict[str, Drive]

    def _like(self, opened: Opened, moment: Moment | None, solver: str = "", dt: float | None = None) -> Simulation:
        """Another simulation at a moment."""
        raise NotImplementedError

    def copy(self) -> Simulation:
        """Another simulation of the same document at the same state."""
        raise NotImplementedError

    @property
    def time(self) -> float:
        """Simulated time since the state was set [s]."""
        raise NotImplementedError

    @property
    def dt(self) -> float:
        """The step [s]."""
        raise NotImplementedError

    def gradients(
        self,
        parameters: Sequence[str] | None = None,
        *,
        efforts: Mapping[str, float] | None = None,
        accelerations: Mapping[str, float] | None = None,
    ) -> Gradients:
        """Exact derivatives of the present state by `parameters` of `varied`, None for all:
        `sim.gradients(["rocker.length"]).positions["rocker_joint", "rocker.length"]`.

        The independent coordinates keep their positions and velocities, as in `varied`, and all others follow. Of
        accelerations under `efforts` on axes or actuators [N m or N], as in `forward_dynamics`, and of the efforts that
        `accelerations` of independent coordinates take, as in `inverse_dynamics`: without friction, stops and contacts.

        Raises UnknownNameError for a name that does not exist, UsageError for parameters that no smooth equation of
        motion has or that open or jam loops, and at singular states.
        """
        mechanism, time = self._kinematics.mechanism, self._equations.time
        by = chosen(mechanism, self._opened.world, parameters, time)
        asked = Asked(
            self._axis_efforts(as_numbers(efforts, "an effort", '"crank_joint": 0.1')), self._wanted(accelerations)
        )
        return gradients_at(self._jets, self._kinematics, self._state, self._reduction.places, by, asked, time)

    def gradients_along(self, analysis: Analysis, parameters: Sequence[str] | None = None) -> GradientTable:
        """Exact derivatives of what `analyse` found by `parameters` of `varied`, None for all, at each of its points:
        `sim.gradients_along(found, ["rocker.length"])["rocker_joint/position", "rocker.length"]`. The moved axes keep
        their motion, and what was held is held.

        Raises as `gradients` does; UsageError for mechanisms with balls or floating bodies.
        """
        mechanism, time = self._kinematics.mechanism, self._equations.time
        by = chosen(mechanism, self._opened.world, parameters, time)
        return route_gradients(self._jets, self._kinematics, analysis.swept, by, time)

    def regressor(self, accelerations: Mapping[str, float] | None = None) -> Regressor:
        """Efforts of inverse dynamics as Y(q, q̇, q̈) π + rest at the present state: linear in mass, m c and inertia of
        every link, damping, friction and springs of axes. `accelerations` as in `inverse_dynamics`.

        Raises UnknownNameError for what is not an independent coordinate, UsageError at singular states.
        """
        numbers, found = numbers_of(self._kinematics.mechanism, self._equations.time), self._reduction
        standard = standard_parameters(self.mechanism, self._opened.world, numbers)
        tangents = Tangents(self._jets, numbers, self._kinematics, [self._state], found.places)
        moving, _ = tangents.driven(self._wanted(accelerations)[None])
        Y, rest = regressor_at(tangents, standard, moving)
        rows = found.G.columns
        return Regressor(
            NamedMatrix(rows, standard.names, Y[0]),
            NamedVector(standard.names, standard.values),
            NamedVector(rows, rest[0]),
        )

    def base_parameters(self) -> BaseParameters:
        """Which combinations of the parameters of `regressor` the efforts on independent coordinates depend on, by the
        rank of regressors at random states around the present one, limits aside: no experiment tells more apart.

        Raises UsageError where nothing can move, and where rows of loops depend on each other here only.
        """
        numbers = numbers_of(self._kinematics.mechanism, self._equations.time)
        standard = standard_parameters(self.mechanism, self._opened.world, numbers)
        W = observation(self._jets, numbers, standard, self._kinematics, self._state)
        return base_parameters(standard.names, standard.values, W)

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
        with self.copy() as real, self._unbounded() as free:
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
        return Motion(self._jets, self._kinematics, self._states_at, lambda time: numbers_of(mechanism, time), applied)

    def _states_at(self, times: Sequence[float], interval: float) -> list[JointState]:
        """States of the motion without friction, stops and contacts at rising times, multiples of `interval` from now
        on [s]."""
        # With half of the step the motion itself has a sixteenth of the error.
        parts = math.ceil(2.0 * interval / self.dt * (1.0 - SAME))
        states, done = [], 0
        with self._unbounded(interval / parts) as free:
            for time in times:
                count = round((time - self.time) / interval) * parts
                free.step(count - done)
                done = count
                states.append(free._state)
        return states

    def _unbounded(self, dt: float | None = None) -> Simulation:
        """The same at the same state without friction, stops and contacts."""
        axes = tuple(
            replace(info, axis=replace(info.axis, friction=0.0, lower=-math.inf, upper=math.inf))
            for info in self.mechanism.axes
        )
        return self._like(
            replace(self._opened, mechanism=replace(self.mechanism, axes=axes)), self.moment, "reduced", dt
        )

    @cached_property
    def _jets(self) -> Jets:
        return Jets(self._kinematics.mechanism, self._rotors)
