"""What `sim.gradients` gives: derivatives by parameters, with names."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.numbers import numbers_of, slopes_of
from simulator.analysis.tangents import Along, Tangents
from simulator.errors import UsageError, place_of
from simulator.kinematics.constraint_rows import column_names
from simulator.kinematics.named import NamedMatrix
from simulator.mechanism.real_couplings import require_no_cables
from simulator.mechanism.varied_slopes import require_slopes, slope_of, smooth_parameters
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.jets import Jets
    from simulator.analysis.numbers import Directions
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.model.world import World
    from simulator.spatial.arrays import Array


BROKEN = "does not leave the loops their motion: they open or jam at once where it changes, so there is no gradient"


@dataclass(frozen=True, eq=False)
class Gradients:
    """Derivatives by parameters, whose names are the columns, while the independent coordinates keep their positions
    and velocities.

    `positions`, `velocities`: of all freedoms, a row each, those of the tree and then axes of loop joints;
    `accelerations`: of these, under the efforts that were asked for; `efforts`: on the independent coordinates, for the
    accelerations that were asked for. The unit is that of the row by that of the parameter. `without`: parameters that
    none is given for, and why.
    """

    positions: NamedMatrix
    velocities: NamedMatrix
    accelerations: NamedMatrix
    efforts: NamedMatrix
    without: dict[str, str]
    mechanism: Mechanism
    poses: Array
    """X_WB of all bodies by each parameter, shape (n_parameters, n_bodies, 4, 4)."""

    def pose(self, link: str) -> Array:
        """X_WL of a link by each parameter, shape (n_parameters, 4, 4). Raises UnknownNameError."""
        placed = self.mechanism.placed_links()
        names = tuple(placed)
        body, X_BL = placed[names[place_of(names, link, "link")]]
        return np.asarray(self.poses[:, body] @ X_BL.matrix())

    def point(self, link: str, place: Sequence[float] = (0.0, 0.0, 0.0)) -> NamedMatrix:
        """Place in the world of a point of a link, given in the link's frame [m], by each parameter, shape (3,
        n_parameters). Raises UnknownNameError."""
        moved = self.pose(link) @ np.append(np.asarray(place, dtype=float), 1.0)
        return NamedMatrix(("x", "y", "z"), self.positions.columns, moved[:, :3].T)


@dataclass(frozen=True, eq=False)
class Chosen:
    """Parameters of a mechanism whose loads are those at a `time` [s]; `all`: whether the user named none."""

    names: tuple[str, ...]
    all: bool
    mechanism: Mechanism
    world: World
    time: float

    @cached_property
    def directions(self) -> Directions:
        """The slopes of all numbers of the mechanism by each parameter."""
        return slopes_of([slope_of(self.mechanism, self.world, name) for name in self.names], self.time)

    def kept(self, bad: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Places of the parameters that loops can follow. Raises UsageError for one by name that they cannot."""
        if bad.any() and not self.all:
            raise UsageError(f"'{self.names[int(np.argmax(bad))]}' {BROKEN}")
        return np.flatnonzero(np.logical_not(bad))

    def without(self, bad: NDArray[np.bool_]) -> dict[str, str]:
        """Parameters that loops cannot follow, and why."""
        return {name: BROKEN for name, is_bad in zip(self.names, bad, strict=True) if is_bad}


def chosen(mechanism: Mechanism, world: World, names: Sequence[str] | None, time: float) -> Chosen:
    """The parameters that are asked for, None for all. Raises UsageError for one that has no gradient, and, by name,
    where there are cables."""
    require_no_cables(mechanism, "derivatives")
    wanted = tuple(smooth_parameters(mechanism, world) if names is None else names)
    if not wanted:
        raise UsageError("there is no parameter to take a gradient by")
    require_slopes(mechanism, world, wanted)
    return Chosen(wanted, names is None, mechanism, world, time)


@dataclass(frozen=True, eq=False)
class Asked:
    """Efforts on all axes (n_axes,), and accelerations of the independent coordinates (n_independent,)."""

    efforts: Array
    accelerations: Array


def freedom_names(jets: Jets) -> tuple[str, ...]:
    """Of all freedoms of the tree, and of axes of loop joints."""
    return (*column_names(jets.mechanism), *(jets.mechanism.axes[axis].name for axis in jets.loop_axes))


def gradients_at(
    jets: Jets,
    kinematics: Kinematics,
    state: JointState,
    independent: tuple[int, ...],
    by: Chosen,
    asked: Asked,
    time: float,
) -> Gradients:
    """Derivatives at one state. Raises UsageError for a singular one, and for a parameter by name that opens or jams
    loops."""
    mechanism = jets.mechanism
    tangents = Tangents(jets, numbers_of(mechanism, time), kinematics, [state], independent)
    along = Along.parameters(by.directions, len(by.names), len(independent))
    applied = jets.on_freedoms(asked.efforts)[None]
    of_state = tangents.change_of_state(along)
    free, bad = tangents.change(along, tangents.free(applied), applied, of_state)
    held, _ = tangents.change(along, tangents.driven(asked.accelerations[None])[0], None, of_state)
    bad |= tangents.jams(along, free.position)
    kept = by.kept(bad)
    columns = tuple(by.names[place] for place in kept)
    freedoms = column_names(mechanism)
    rows = freedom_names(jets)

    def named(over: tuple[str, ...], array: Array) -> NamedMatrix:
        return NamedMatrix(over, columns, array[0][kept].T)

    return Gradients(
        positions=named(rows, free.position),
        velocities=named(rows, free.velocity),
        accelerations=named(rows, free.acceleration),
        efforts=named(tuple(freedoms[place] for place in independent), held.efforts),
        without=by.without(bad),
        mechanism=mechanism,
        poses=free.poses[0][kept],
    )
