"""What a sweep comes to, as values that JSON can hold: ranges, special positions, strokes, transmission angles,
statistics."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from simulator.analysis.losses import integral, lost_energies
from simulator.analysis.sizing import BearingLoad, MotorNeed, bearing_loads, motor_needs, reflected_inertia
from simulator.analysis.special import change_points, crossings_of, dead_point, time_ratio, turns_of
from simulator.analysis.table import Statistics, Table, envelope, statistics
from simulator.analysis.transmission import drives_of, transmission_angle
from simulator.analysis.wrenches import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.analysis.sweeps import Swept
    from simulator.spatial.arrays import Array


# With other names than Python allows, "from", a TypedDict is written as a call.
MoveFinding = TypedDict("MoveFinding", {"axis": str, "from": float, "to": float, "unit": str})
"""An axis that was moved: its name, both ends [rad or m], and "rad" or "m"."""


class TurningPoint(TypedDict):
    """Where an axis turns round."""

    driver: float
    position: float
    kind: str


class LimitCrossing(TypedDict):
    """Where an axis passes a limit: "out" or "in"."""

    driver: float
    limit: float
    way: str


class SweepEnd(TypedDict):
    """Where a sweep ended before the end of its route: the position of the first axis, and why, "dead point" or
    "singular position"."""

    driver: float
    cause: str


class AxisFindings(TypedDict):
    """Range, turning points, time ratio and limits of an axis."""

    unit: str
    minimum: float
    maximum: float
    stroke: float
    turns: list[TurningPoint]
    time_ratio: float | None
    limits: list[LimitCrossing]


class AngleRange(TypedDict):
    """A transmission angle [rad], and where the driver is at its extremes."""

    minimum: float
    minimum_at: float
    maximum: float
    maximum_at: float


class Envelope(TypedDict):
    """Greatest force [N] and moment [N m] of a joint, and where the driver is then."""

    force: float
    force_at: float
    moment: float
    moment_at: float


class ChannelStatistics(TypedDict):
    """Statistics of a column, see `analysis.table.Statistics`, and its unit."""

    unit: str
    minimum: float
    minimum_at: float
    maximum: float
    maximum_at: float
    rms: float
    peak: float


class Work(TypedDict):
    """What the moved axes give over the route and what couplings and bearings make heat of [J], and the share that
    arrives; None where nothing does."""

    given_J: float
    heat_J: float
    efficiency: float | None


class Findings(TypedDict):
    """What a sweep comes to, by name; angles in radians."""

    moves: list[MoveFinding]
    velocity: float
    acceleration: float
    points: int
    reached: int
    ended: SweepEnd | None
    dead_point: float | None
    change_points: list[float]
    unbounded: list[float]
    held: list[str]
    axes: dict[str, AxisFindings]
    transmission_angles: dict[str, AngleRange]
    undetermined: dict[str, list[str]]
    envelope: dict[str, Envelope]
    channels: dict[str, ChannelStatistics]
    motors: dict[str, dict[str, float | str]]
    inertia: dict[str, float]
    bearings: dict[str, dict[str, float]]
    couplings: dict[str, dict[str, float]]
    friction: dict[str, float]
    work: Work


DEAD, SINGULAR = "dead point", "singular position"
REFINEMENTS = 3
"""Parabolas, each a hundredth as wide as the one before, that locate an extreme value."""


def findings(swept: Swept, table: Table) -> Findings:
    """All of it, by name; angles in radians."""
    driver = swept.position[:, swept.route.moves[0].axis]
    names = [axis.name for axis in swept.mechanism.axes]
    dead = dead_point(swept) if len(swept.route.moves) == 1 else None
    inertia = reflected_inertia(swept)
    couplings, friction = _couplings(swept), _friction(swept)
    return {
        "moves": [
            {"axis": names[move.axis], "from": move.begin, "to": move.end, "unit": swept.mechanism.axes[move.axis].unit}
            for move in swept.route.moves
        ],
        "velocity": swept.speed[0],
        "acceleration": swept.speed[1],
        "points": swept.route.count,
        "reached": len(swept),
        "ended": _end(swept, dead),
        "dead_point": dead,
        "change_points": list(change_points(swept)),
        "unbounded": driver[np.isnan(swept.wrenches).any(axis=(1, 2))].tolist(),
        "held": [names[axis] for axis in swept.held_axes],
        "axes": {name: _axis(swept, i) for i, name in enumerate(names)},
        "transmission_angles": _transmission(swept),
        "undetermined": _undetermined(swept),
        "envelope": _envelope(swept),
        "channels": {
            name: _channel(found, unit)
            for (name, found), unit in zip(statistics(table, driver).items(), _units(table), strict=True)
        },
        "motors": {need.axis: _without(need, "axis") for need in motor_needs(swept)},
        "inertia": {"minimum": float(inertia.min()), "maximum": float(inertia.max())},
        "bearings": {load.joint: _without(load, "joint") for load in bearing_loads(swept)},
        "couplings": couplings,
        "friction": friction,
        "work": _work(swept, couplings, friction),
    }


def _couplings(swept: Swept) -> dict[str, dict[str, float]]:
    """Energies through couplings with losses; heat per time where the first axis has a steady velocity."""
    names = swept.sweeper.losses.names
    if not names or not len(swept):
        return {}
    way = swept.position[:, swept.route.moves[0].axis]
    steady = swept.route.velocity > 0.0 and swept.route.acceleration == 0.0
    seconds = abs(float(way[-1] - way[0])) / swept.route.velocity if steady else None
    return lost_energies(swept.lost, way, names, seconds)


def _friction(swept: Swept) -> dict[str, float]:
    """Heat of bearings that feel their load [J], by axis."""
    bearings = swept.sweeper.bearings
    if not bearings.axes or not len(swept):
        return {}
    way = swept.position[:, swept.route.moves[0].axis]
    heat = integral(bearings.taken(swept.plan, swept.points), np.abs(way - way[0])).tolist()
    return {swept.mechanism.axes[axis].name: taken for axis, taken in zip(bearings.axes, heat, strict=True)}


def _work(swept: Swept, couplings: Mapping[str, Mapping[str, float]], friction: Mapping[str, float]) -> Work:
    axes = [move.axis for move in swept.route.moves]
    given = sum(float(integral(swept.effort[:, [axis]], swept.position[:, axis])[0]) for axis in axes)
    heat = sum(sums["heat_J"] for sums in couplings.values()) + sum(friction.values())
    return {"given_J": given, "heat_J": heat, "efficiency": (given - heat) / given if given > heat > 0.0 else None}


def _without(one: MotorNeed | BearingLoad, name: str) -> dict[str, Any]:
    """The fields of a value but one."""
    return {key: value for key, value in asdict(one).items() if key != name}


def _end(swept: Swept, dead: float | None) -> SweepEnd | None:
    if not swept.ended:
        return None
    return {"driver": swept.stopped if dead is None else dead, "cause": SINGULAR if dead is None else DEAD}


def _channel(found: Statistics, unit: str) -> ChannelStatistics:
    return {
        "unit": unit,
        "minimum": found.minimum,
        "minimum_at": found.minimum_at,
        "maximum": found.maximum,
        "maximum_at": found.maximum_at,
        "peak": found.peak,
        "rms": found.rms,
    }


def _units(table: Table) -> list[str]:
    finite = np.isfinite(table.array)
    return [unit for i, unit in enumerate(table.units) if finite[:, i].any()]


def _axis(swept: Swept, axis: int) -> AxisFindings:
    """Range, turning points, time ratio and limits of an axis."""
    turns = turns_of(swept, axis)
    values = np.array([*swept.position[:, axis], *(turn.position for turn in turns)])
    crossings = crossings_of(swept, axis)
    return {
        "unit": swept.mechanism.axes[axis].unit,
        "minimum": float(values.min()),
        "maximum": float(values.max()),
        "stroke": float(np.ptp(values)),
        "turns": [
            {"driver": turn.driver, "position": turn.position, "kind": "maximum" if turn.is_maximum else "minimum"}
            for turn in turns
        ],
        "time_ratio": time_ratio(swept, axis),
        "limits": [
            {"driver": item.driver, "limit": item.limit, "way": "out" if item.outwards else "in"} for item in crossings
        ],
    }


def _transmission(swept: Swept) -> dict[str, AngleRange]:
    moved = frozenset(move.axis for move in swept.route.moves)
    found: dict[str, AngleRange] = {}
    for drive in drives_of(swept.mechanism, moved):
        low, high = (extreme(swept, partial(transmission_angle, drive=drive), sign=sign) for sign in (-1.0, 1.0))
        found[drive.pin.name] = {"minimum": low[1], "minimum_at": low[0], "maximum": high[1], "maximum_at": high[0]}
    return found


def extreme(swept: Swept, of: Callable[[Swept], Array], *, sign: float) -> tuple[float, float]:
    """Driver's position and value at the greatest (sign 1) or least (-1) value of a function of a sweep: parabolas
    through three points, ever closer, around the best of the sweep; as it is where that is at an end."""
    driver = swept.position[:, swept.route.moves[0].axis]
    values = of(swept)
    best = int(np.argmax(sign * values))
    at, value = float(driver[best]), float(values[best])
    if not 0 < best < len(swept) - 1:
        return at, value
    width = abs(float(driver[best + 1] - driver[best]))
    for _ in range(REFINEMENTS):
        left, right = (float(of(swept.at(at + side * width))[0]) for side in (-1.0, 1.0))
        bend = left - 2.0 * value + right
        if bend == 0.0:
            break
        step = 0.5 * width * (left - right) / bend
        new = at + float(np.clip(step, -width, width))
        found = float(of(swept.at(new))[0])
        if sign * found < sign * value:
            break
        at = new
        value = found
        width = 0.1 * width
    return at, value


def _undetermined(swept: Swept) -> dict[str, list[str]]:
    """By joint, the components that equilibrium alone does not give."""
    rows = zip(swept.sweeper.joints.names, swept.determined.tolist(), strict=True)
    found = {name: [part for part, known in zip(COMPONENTS, row, strict=True) if not known] for name, row in rows}
    return {name: parts for name, parts in found.items() if parts}


def _envelope(swept: Swept) -> dict[str, Envelope]:
    """By joint, the greatest magnitudes of force and moment, and where."""
    # At a change point there may be no value.
    forces, moments = (np.nan_to_num(sizes) for sizes in envelope(swept.wrenches))
    driver = swept.position[:, swept.route.moves[0].axis]
    found: dict[str, Envelope] = {}
    for i, name in enumerate(swept.sweeper.joints.names):
        f, m = int(np.argmax(forces[:, i])), int(np.argmax(moments[:, i]))
        found[name] = {
            "force": float(forces[f, i]),
            "force_at": float(driver[f]),
            "moment": float(moments[m, i]),
            "moment_at": float(driver[m]),
        }
    return found
