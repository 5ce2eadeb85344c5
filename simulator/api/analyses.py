"""Forces and positions of a simulation: reactions at its state, positions without time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.analysis.analysis import Analysis
from simulator.analysis.equilibrium import Equilibrium, stable_poses
from simulator.analysis.independent import IndependentAxes
from simulator.analysis.linear import LinearModel, linearised
from simulator.analysis.sweeps import Move, Route
from simulator.analysis.table import TracedPoint
from simulator.errors import UsageError
from simulator.mechanism.real_couplings import require_no_cables
from simulator.session.forces.reactions import reactions_now
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.analysis.reactions import Reactions
    from simulator.api.core import Core


def reactions(
    core: Core,
    efforts: Mapping[str, float] | None = None,
    *,
    accelerations: Mapping[str, float] | None = None,
    fixed_joints: bool = False,
) -> Reactions:
    """See `Simulation.reactions`."""
    if efforts is not None and accelerations is not None:
        raise UsageError("give efforts or accelerations, not both")
    fixed = core.fixed_joints if fixed_joints else core.no_fixed_joints
    if efforts is None and accelerations is None and core.engine is not None:
        return reactions_now(core.balance_as_moved, core.engine, fixed)
    require_no_cables(core.mechanism, "reactions")
    real = next((one for one in core.mechanism.couplings if not one.real.is_ideal), None)
    if real is not None:
        name = core.mechanism.axes[real.follower].name
        message = "step first, and ask for reactions() without efforts or accelerations"
        raise UsageError(f"the coupling of '{name}' is not ideal: {message}")
    if accelerations is not None:
        wanted = {find_axis(core.mechanism, name): float(value) for name, value in accelerations.items()}
        return core.balance.of_motion(core.state, wanted).with_fixed(fixed)
    return core.balance.under(core.state, core.axis_efforts(efforts or {})).with_fixed(fixed)


def analyse(
    core: Core,
    moves: Mapping[str, tuple[float, float]],
    *,
    points: int = 361,
    velocity: float = 0.0,
    acceleration: float = 0.0,
    trace: Sequence[tuple[str, Sequence[float]]] = (),
    loads: bool = True,
) -> Analysis:
    """See `Simulation.analyse`."""
    ends = tuple(Move(find_axis(core.mechanism, name), float(a), float(b)) for name, (a, b) in moves.items())
    route = Route(ends, points, velocity, acceleration)
    traced = tuple(TracedPoint(link, (float(x), float(y), float(z))) for link, (x, y, z) in trace)
    return Analysis(core.sweeper.along(core.state, route, loads=loads), traced)


def equilibria(core: Core) -> tuple[Equilibrium, ...]:
    """See `Simulation.equilibria`."""
    axes = IndependentAxes(core.sweeper.swept, core.state)
    return stable_poses(axes, core.state.velocity[list(axes.axes)])


def linearise(core: Core, efforts: Mapping[str, float] | None = None) -> LinearModel:
    """See `Simulation.linearise`."""
    axes = IndependentAxes(core.sweeper.swept, core.state)
    return linearised(axes, core.state.velocity[list(axes.axes)], core.axis_efforts(efforts or {}))
