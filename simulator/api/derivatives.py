"""Derivatives of a simulation by its parameters, and which of them efforts can identify."""

from __future__ import annotations

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
from simulator.analysis.numbers import numbers_of
from simulator.analysis.regressor import Regressor, regressor_at, standard_parameters
from simulator.analysis.route_gradients import route_gradients
from simulator.analysis.tangents import Tangents
from simulator.api.arguments import as_numbers
from simulator.api.dynamics import wanted_accelerations
from simulator.kinematics.named import NamedMatrix, NamedVector
from simulator.mechanism.real_couplings import require_ideal
from simulator.mechanism.varied import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.analysis.analysis import Analysis
    from simulator.api.core import Core


def gradients(
    core: Core,
    parameters: Sequence[str] | None = None,
    *,
    efforts: Mapping[str, float] | None = None,
    accelerations: Mapping[str, float] | None = None,
) -> Gradients:
    """See `Simulation.gradients`."""
    require_ideal(core.mechanism, "gradients")
    mechanism, time = core.kinematics.mechanism, core.equations.time
    by = chosen(mechanism, core.opened.world, parameters, time)
    given = core.axis_efforts(as_numbers(efforts, "an effort", '"crank_joint": 0.1'))
    asked = Asked(given, wanted_accelerations(core, accelerations))
    return gradients_at(core.jets, core.kinematics, core.state, core.reduction.places, by, asked, time)


def gradients_along(core: Core, analysis: Analysis, parameters: Sequence[str] | None = None) -> GradientTable:
    """See `Simulation.gradients_along`."""
    require_ideal(core.mechanism, "gradients_along")
    mechanism, time = core.kinematics.mechanism, core.equations.time
    by = chosen(mechanism, core.opened.world, parameters, time)
    return route_gradients(core.jets, core.kinematics, analysis.swept, by, time)


def regressor(core: Core, accelerations: Mapping[str, float] | None = None) -> Regressor:
    """See `Simulation.regressor`."""
    require_ideal(core.mechanism, "regressor")
    numbers = numbers_of(core.kinematics.mechanism, core.equations.time)
    found = core.reduction
    standard = standard_parameters(core.mechanism, core.opened.world, numbers)
    tangents = Tangents(core.jets, numbers, core.kinematics, [core.state], found.places)
    moving, _ = tangents.driven(wanted_accelerations(core, accelerations)[None])
    Y, rest = regressor_at(tangents, standard, moving)
    rows = found.G.columns
    return Regressor(
        NamedMatrix(rows, standard.names, Y[0]),
        NamedVector(standard.names, standard.values),
        NamedVector(rows, rest[0]),
    )


def base_parameters_of(core: Core, parameters: Sequence[str] | None = None) -> BaseParameters:
    """See `Simulation.base_parameters`."""
    require_ideal(core.mechanism, "base_parameters")
    mechanism, world = core.kinematics.mechanism, core.opened.world
    kinematics, state = core.kinematics, core.state
    numbers = numbers_of(mechanism, core.equations.time)
    probe = Tangents(core.jets, numbers, kinematics, [state])
    if parameters is None:
        standard = standard_parameters(core.mechanism, world, numbers)
        motion = random_motion(kinematics, state, probe, MORE * len(standard.names))
        return base_parameters(standard.names, standard.values, observation(motion, standard))
    by = chosen(mechanism, world, parameters, core.equations.time)
    motion = random_motion(kinematics, state, probe, MORE * len(by.names), core.reduction.places)
    W, bad = effort_slopes(motion, by)
    by.kept(bad)
    values = np.array([number_of(mechanism, world, name) for name in by.names])
    return base_parameters(by.names, values, W)
