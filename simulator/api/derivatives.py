"""Derivatives of a simulation by its parameters, and which of them efforts can identify."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.base_parameters import (
    MORE,
    BaseParameters,
    base_parameters,
    effort_slopes,
    observation,
    random_motion,
)
from simulator.analysis.gradient_table import GradientTable
from simulator.analysis.gradients import Asked, Gradients, chosen, gradients_at
from simulator.analysis.jets import Jets
from simulator.analysis.numbers import numbers_of
from simulator.analysis.regressor import Regressor, regressor_at, standard_parameters
from simulator.analysis.route_gradients import route_gradients
from simulator.analysis.tangents import Tangents
from simulator.api.arguments import as_numbers
from simulator.api.quantities import Quantities
from simulator.kinematics.named import NamedMatrix, NamedVector
from simulator.mechanism.varied import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.analysis.analysis import Analysis

    Array = NDArray[np.float64]


class ParameterDerivatives(Quantities):
    """Derivatives of a `Simulation` by its parameters."""

    def gradients(
        self,
        parameters: Sequence[str] | None = None,
        *,
        efforts: Mapping[str, float] | None = None,
        accelerations: Mapping[str, float] | None = None,
    ) -> Gradients:
        """Exact derivatives of the present state by `parameters` of `varied`, None for all:
        `sim.gradients(["rocker.length"]).positions["rocker_joint", "rocker.length"]`.

        The independent coordinates retain their positions and velocities, as in `varied`, and all others follow. Of
        accelerations under `efforts` on axes or actuators [N m or N], as in `forward_dynamics`, and of the efforts that
        `accelerations` of independent coordinates require, as in `inverse_dynamics`: without friction, stops and
        contacts.

        Raises UnknownNameError for a name that does not exist, UsageError for parameters that do not enter the
        equations of motion smoothly or that open or jam loops, and at singular states.
        """
        mechanism, time = self._kinematics.mechanism, self._equations.time
        by = chosen(mechanism, self._opened.world, parameters, time)
        asked = Asked(
            self._axis_efforts(as_numbers(efforts, "an effort", '"crank_joint": 0.1')), self._wanted(accelerations)
        )
        return gradients_at(self._jets, self._kinematics, self._state, self._reduction.places, by, asked, time)

    def gradients_along(self, analysis: Analysis, parameters: Sequence[str] | None = None) -> GradientTable:
        """Exact derivatives of a result of `analyse` by `parameters` of `varied`, None for all, at each of its points:
        `sim.gradients_along(found, ["rocker.length"])["rocker_joint/position", "rocker.length"]`. The moved axes retain
        their motion, and fixed ones stay fixed.

        Raises the errors of `gradients`; UsageError for mechanisms with balls or floating bodies.
        """
        mechanism, time = self._kinematics.mechanism, self._equations.time
        by = chosen(mechanism, self._opened.world, parameters, time)
        return route_gradients(self._jets, self._kinematics, analysis.swept, by, time)

    def regressor(self, accelerations: Mapping[str, float] | None = None) -> Regressor:
        """Efforts of inverse dynamics as Y(q, q̇, q̈) π + rest at the present state: linear in mass, m c and inertia of
        every link, damping, friction and springs of axes. `accelerations` as in `inverse_dynamics`.

        Raises UnknownNameError for a name that is not an independent coordinate, UsageError at singular states.
        """
        numbers = numbers_of(self._kinematics.mechanism, self._equations.time)
        found = self._reduction
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

    def base_parameters(self, parameters: Sequence[str] | None = None) -> BaseParameters:
        """The combinations of parameters on which the efforts on independent coordinates depend, by the rank of the
        regressor at random states around the present one, limits aside: no experiment with efforts distinguishes more.

        Of the standard parameters of `regressor`, or of `parameters` of `varied`, lengths and ratios too: of these near
        their present values. Raises UsageError if nothing can move and at singular states, and the errors of
        `gradients`.
        """
        mechanism, world = self._kinematics.mechanism, self._opened.world
        kinematics, state = self._kinematics, self._state
        numbers = numbers_of(mechanism, self._equations.time)
        probe = Tangents(self._jets, numbers, kinematics, [state])
        if parameters is None:
            standard = standard_parameters(self.mechanism, world, numbers)
            motion = random_motion(kinematics, state, probe, MORE * len(standard.names))
            return base_parameters(standard.names, standard.values, observation(motion, standard))
        by = chosen(mechanism, world, parameters, self._equations.time)
        motion = random_motion(kinematics, state, probe, MORE * len(by.names), self._reduction.places)
        W, bad = effort_slopes(motion, by)
        by.kept(bad)
        values = np.array([number_of(mechanism, world, name) for name in by.names])
        return base_parameters(by.names, values, W)

    @cached_property
    def _jets(self) -> Jets:
        return Jets(self._kinematics.mechanism, self._rotors)
