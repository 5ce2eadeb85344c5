"""Dynamics of a simulation, at its state by name or at many states as arrays over all axes in the order of `q`."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, cast

import numpy as np

from simulator.api.arguments import as_numbers
from simulator.api.quantities import PARTS
from simulator.api.recorded_efforts import recorded_efforts
from simulator.api.run import Run
from simulator.api.state_arrays import StateArrays
from simulator.api.unbounded import unbounded
from simulator.engine.shots import shots_of
from simulator.errors import AssemblyError, UsageError, place_of
from simulator.kinematics.named import NamedVector
from simulator.mechanism.real_couplings import require_ideal
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from numpy.typing import ArrayLike

    from simulator.api.core import Core
    from simulator.kinematics.named import NamedMatrix
    from simulator.spatial.arrays import Array

    Given = Mapping[str, ArrayLike] | ArrayLike | None
    Placed = Mapping[str, ArrayLike] | None


def forward_dynamics(
    core: Core, q: Given = None, v: Given = None, efforts: Given = None, /, *, pose: Placed = None
) -> NamedVector | Array:
    """See `Simulation.forward_dynamics`."""
    require_ideal(core.mechanism, "forward_dynamics")
    if isinstance(q, np.ndarray | list | tuple):
        return arrays(core).forward(q, v, efforts, pose)
    return _accelerations(core, cast("Mapping[str, float] | None", q))


def inverse_dynamics(
    core: Core,
    q: Given | Run = None,
    v: Given = None,
    a: Given = None,
    /,
    *,
    axes: Sequence[str] | None = None,
    pose: Placed = None,
) -> NamedVector | NamedMatrix | Array:
    """See `Simulation.inverse_dynamics`."""
    require_ideal(core.mechanism, "inverse_dynamics")
    if isinstance(q, np.ndarray | list | tuple):
        return arrays(core).inverse(q, v, a, pose)
    if not isinstance(q, Run):
        return _required_efforts(core, cast("Mapping[str, float] | None", q))
    chosen = core.independent_axes() if axes is None else [find_axis(core.mechanism, name) for name in axes]
    with closing(unbounded(core)) as free:
        free.drives.clear()
        return recorded_efforts(core.balance_made, q, chosen, shots_of(free.ready()))


def _accelerations(core: Core, efforts: Mapping[str, float] | None = None) -> NamedVector:
    """Accelerations of all axes of the tree at the present state."""
    given = core.axis_efforts(as_numbers(efforts, "an effort", '"crank_joint": 0.1'))
    return NamedVector(core.equations.freedoms, core.equations.accelerations(core.state, given))


def _required_efforts(core: Core, accelerations: Mapping[str, float] | None = None) -> NamedVector:
    """Efforts on the independent coordinates at the present state."""
    found = core.reduction
    equations = core.equations
    state = core.state
    wanted = wanted_accelerations(core, accelerations)
    free = equations.accelerations(state, np.zeros(len(state.position)))
    G = found.G.array
    curved = free + G @ (wanted - free[list(found.places)])
    return NamedVector(found.G.columns, G.T @ (equations.mass_matrix(state) @ curved + equations.bias(state)))


def wanted_accelerations(core: Core, accelerations: Mapping[str, float] | None) -> Array:
    """Accelerations of the independent coordinates, 0 for unnamed ones. Raises UnknownNameError."""
    names = core.reduction.G.columns
    wanted = np.zeros(len(names))
    for name, value in as_numbers(accelerations, "an acceleration", '"crank_joint": 1.0').items():
        wanted[place_of(names, name, "independent coordinate")] = value
    return wanted


def assemble(
    core: Core,
    positions: Mapping[str, ArrayLike] | ArrayLike,
    *,
    velocity: Mapping[str, ArrayLike] | None = None,
) -> Array | tuple[Array, Array]:
    """See `Simulation.assemble`."""
    q, v = arrays(core).assemble(positions, velocity)
    if q.ndim == 1 and np.isnan(q).any():
        raise AssemblyError(
            "couplings and loops do not reach these positions on the present branch: `set` explains why"
        )
    return q if velocity is None else (q, v)


def jacobians(
    core: Core,
    link: str,
    q: ArrayLike,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    part: Literal["both", "angular", "linear"] = "both",
    pose: Placed = None,
) -> Array:
    """See `Simulation.jacobians`."""
    if np.shape(point) != (3,) or part not in PARTS:
        raise UsageError(f"a Jacobian takes a point (x, y, z) and one of {', '.join(PARTS)}")
    body, X_BL = core.place_of_link(link)
    place = (X_BL @ np.append(np.asarray(point, dtype=float), 1.0))[:3]
    first, last = PARTS[part]
    return arrays(core).jacobians(q, body, place, pose)[..., first:last, :]


def arrays(core: Core) -> StateArrays:
    """Quantities for arrays of states, on the branch of the present one, with loads as they are at the simulated
    time."""
    independent = core.reduction.places
    return StateArrays(core.posed, independent, core.state, core.time, lambda name: core.axis_efforts({name: 1.0}))
