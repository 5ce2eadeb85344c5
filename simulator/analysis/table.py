"""A sweep as columns with names and units, and what is said of each: least, greatest, root mean square."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.centres import plane_normal, screw_axis, shaking
from simulator.analysis.transmission import drives_of, transmission_angle
from simulator.analysis.wrenches import COMPONENTS
from simulator.errors import place_of
from simulator.kinematics.named import column_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.sweeps import Swept
    from simulator.spatial.arrays import Array


STILL = 1e-12


@dataclass(frozen=True)
class TracedPoint:
    """A point that is followed: of a link, in the link's frame [m]."""

    link: str
    place: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Table:
    """`names` and `units` of columns, and `array`, shape (n, n_columns)."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    array: Array

    def __getitem__(self, name: str) -> Array:
        """A column, shape (n,): by its whole name, `reaction/four_bar::crank_joint/force_x`, or without the model and
        `joint/` where that is clear. Raises UnknownNameError, or UsageError if several could be meant."""
        column: Array = self.array[:, column_of(self.names, name, "column")]
        return column


def table_of(swept: Swept, points: Sequence[TracedPoint] = ()) -> Table:
    """All columns of a sweep. Raises UnknownNameError for a point on a link that does not exist."""
    parts = [
        _axes(swept),
        _reactions(swept),
        _couplings(swept),
        _points(swept, points),
        angle_columns(swept),
        ratio_columns(swept),
        _centres(swept),
        _shaking(swept),
    ]
    columns = [column for part in parts for column in part]
    return Table(
        tuple(name for name, _, _ in columns),
        tuple(unit for _, unit, _ in columns),
        np.stack([np.asarray(values) for _, _, values in columns], axis=1),
    )


Column = tuple[str, str, "Array"]


def _axes(swept: Swept) -> list[Column]:
    columns: list[Column] = []
    for i, axis in enumerate(swept.mechanism.axes):
        columns += [
            (f"joint/{axis.name}/position", axis.unit, swept.position[:, i]),
            (f"joint/{axis.name}/velocity", f"{axis.unit}/s", swept.velocity[:, i]),
            (f"joint/{axis.name}/acceleration", f"{axis.unit}/s²", swept.acceleration[:, i]),
            (f"joint/{axis.name}/effort", axis.effort_unit, swept.effort[:, i]),
        ]
        if swept.friction is not None and i == swept.route.moves[0].axis:
            columns.append((f"joint/{axis.name}/effort_with_friction", axis.effort_unit, swept.driving_effort))
    return columns


def _reactions(swept: Swept) -> list[Column]:
    sensors = swept.sweeper.sensors
    names = (*swept.sweeper.joints.names, *(sensors.names if sensors is not None else ()))
    wrenches = np.concatenate((swept.wrenches, swept.sensed), axis=1)
    return [
        (f"reaction/{name}/{component}", "N" if component.startswith("force") else "N·m", wrenches[:, i, c])
        for i, name in enumerate(names)
        for c, component in enumerate(COMPONENTS)
    ]


def _couplings(swept: Swept) -> list[Column]:
    mechanism, efforts = swept.mechanism, swept.coupling_efforts
    units = [mechanism.axes[coupling.follower].effort_unit for coupling in mechanism.couplings]
    names = swept.sweeper.couplings.names
    return [
        (f"coupling/{name}/effort", unit, efforts[:, i])
        for i, (name, unit) in enumerate(zip(names, units, strict=True))
    ]


def _points(swept: Swept, points: Sequence[TracedPoint]) -> list[Column]:
    columns: list[Column] = []
    for number, point in enumerate(points, start=1):
        body, place = body_point(swept, point)
        for letters, unit, vectors in zip(
            ("", "v", "a"), ("m", "m/s", "m/s²"), swept.point_motion(body, place), strict=True
        ):
            columns += [(f"point/{number}/{letters}{axis}", unit, vectors[:, i]) for i, axis in enumerate("xyz")]
    return columns


def body_point(swept: Swept, point: TracedPoint) -> tuple[int, Array]:
    """Body of a traced point, and the point in the body's frame, shape (3,). Raises UnknownNameError for a link that
    does not exist."""
    places = [
        (i, link.name, X)
        for i, body in enumerate(swept.mechanism.bodies)
        for link, X in zip(body.links, body.X_BL, strict=True)
    ]
    body, _, X_BL = places[place_of([name for _, name, _ in places], point.link, "link")]
    return body, np.array(X_BL.transform(point.place))


def angle_columns(swept: Swept) -> list[Column]:
    """Transmission angles of all pins at which a coupler drives a guided link."""
    moved = frozenset(move.axis for move in swept.route.moves)
    drives = drives_of(swept.mechanism, moved)
    return [(f"transmission_angle/{drive.pin.name}", "rad", transmission_angle(swept, drive)) for drive in drives]


def ratio_columns(swept: Swept, axes: Sequence[int] | None = None) -> list[Column]:
    """Velocity of every other axis, or of these `axes`, per velocity of the driver, and its inverse, which an effort
    gains on the way (by virtual power)."""
    columns: list[Column] = []
    driver = swept.mechanism.axes[swept.route.moves[0].axis]
    for i in range(len(swept.mechanism.axes)) if axes is None else axes:
        axis = swept.mechanism.axes[i]
        if axis is driver:
            continue
        ratio = swept.ratio[:, i]
        unit = "1" if axis.unit == driver.unit else f"{axis.unit}/{driver.unit}"
        inverse = "1" if axis.unit == driver.unit else f"{driver.unit}/{axis.unit}"
        gain = (f"mechanical_advantage/{axis.name}", inverse, advantage(ratio))
        columns += [(f"velocity_ratio/{axis.name}", unit, ratio), gain]
    return columns


def advantage(ratio: Array) -> Array:
    """Effort of an axis per effort of the driver, of ratios of their velocities; infinite where the axis is at rest."""
    return np.divide(1.0, ratio, out=np.full_like(ratio, np.inf), where=np.abs(ratio) > STILL)


def _centres(swept: Swept) -> list[Column]:
    columns: list[Column] = []
    flat = plane_normal(swept) is not None
    for i, body in enumerate(swept.mechanism.bodies):
        if i == 0:
            continue
        axis = screw_axis(swept, i)
        name = f"instant_centre/{body.name}" if flat else f"screw_axis/{body.name}"
        columns += [(f"{name}/{letter}", "m", axis.point[:, c]) for c, letter in enumerate("xyz")]
        if not flat:
            columns += [(f"{name}/direction_{letter}", "1", axis.direction[:, c]) for c, letter in enumerate("xyz")]
            columns.append((f"{name}/pitch", "m/rad", axis.pitch))
    return columns


def _shaking(swept: Swept) -> list[Column]:
    found = shaking(swept)
    return [
        (f"shaking/{name}", "N" if name.startswith("force") else "N·m", found[:, i])
        for i, name in enumerate(COMPONENTS)
    ]


@dataclass(frozen=True)
class Statistics:
    """Of a column: least and greatest value with the driver's position there, the greatest magnitude, and the root mean
    square over the driver's way (trapezoidal rule)."""

    minimum: float
    minimum_at: float
    maximum: float
    maximum_at: float
    peak: float
    rms: float


def statistics(table: Table, driver: Array) -> dict[str, Statistics]:
    """Of every column that is finite somewhere; `driver`, shape (n,): its positions."""
    found = {}
    for name, column in zip(table.names, table.array.T, strict=True):
        finite = np.isfinite(column)
        if finite.any():
            values, at = column[finite], driver[finite]
            low, high = int(np.argmin(values)), int(np.argmax(values))
            way = abs(float(at[-1] - at[0]))
            square = _area(values**2, at) / way if way > 0.0 else float(np.mean(values**2))
            peak = float(np.abs(values).max())
            found[name] = Statistics(
                float(values[low]), float(at[low]), float(values[high]), float(at[high]), peak, square**0.5
            )
    return found


def _area(values: Array, at: Array) -> float:
    return abs(float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(at))))


def envelope(wrenches: Array) -> tuple[Array, Array]:
    """Magnitudes of force and moment, shapes (n, n_joints), of wrenches (n, n_joints, 6)."""
    return np.linalg.norm(wrenches[..., :3], axis=2), np.linalg.norm(wrenches[..., 3:], axis=2)
