"""Every independent axis once through its range and back, over a run: the abilities of a robot, not its fall."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.freedoms import Cause
from simulator.engine.drives import Drive, DriveKind
from simulator.errors import SimulatorError
from simulator.mechanism.types import MotionKind
from simulator.model.profiles import Table
from simulator.records import dataclass
from simulator.session.look.freedoms import free_axes_at_start, reaches_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.freedoms import End
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.types import Mechanism

TURN, SLIDE = math.pi, 0.1
"""How far an axis without ends moves to either side [rad, m]."""
WIDE = 1000.0
"""Limits that are as many times as far away as that are numbers for none, as 1e12 rad of a wheel."""
MARGIN = 0.05
"""Part of the range that is left at an end."""
ENOUGH = 0.5
"""Part of its range that an axis must cover to have moved."""
OFTEN = 0.25
"""Part of the times it was looked at in which a cause must be seen to be named: a motor that lags behind reverses at
its limit, and passes what is between."""
AT_LIMIT = 0.999
"""Part of the effort limit from which on a drive gives all that it has."""
POINTS = 240
"""Points of a profile."""
PEAK = 0.5 * math.pi
"""Highest over mean velocity of a cosine-shaped motion from rest to rest."""


@dataclass(frozen=True)
class _Way:
    """From the present position to `high`, to `low` and back, from `begin` to `end` [s]."""

    start: float
    low: float
    high: float
    begin: float
    end: float


class Exercise:
    """Drives of a new engine. Axes of the same loops take turns, all others move at once."""

    def __init__(self, engine: Engine, duration: float) -> None:
        """`duration` [s]: of the run."""
        mechanism = engine.mechanism
        snapshot = engine.snapshot()
        axes = free_axes_at_start(mechanism)
        reaches = reaches_at(mechanism, snapshot, axes)
        self._names = [info.name for info in mechanism.axes]
        self._ways: dict[int, _Way] = {}
        self._refused: dict[str, str] = {}
        for axis, (begin, end) in _turns(mechanism, axes, duration).items():
            position = float(snapshot.position[axis])
            reach = reaches.get(axis)
            low, high = (
                (0.0, 0.0) if reach is None else (_far(mechanism, axis, position, e) for e in (reach.low, reach.high))
            )
            part = _part_in_time(mechanism, axis, high - low, end - begin)
            way = _Way(position, position + part * low, position + part * high, begin, end)
            try:
                engine.set_drive(axis, Drive(DriveKind.POSITION, _profile(way)))
            except SimulatorError as error:
                self._refused[self._names[axis]] = str(error)
            else:
                self._ways[axis] = way
        self._lowest = self._highest = snapshot.position.copy()
        self._most = AT_LIMIT * engine.core.effort_limit
        self._contacts = engine.contacts
        self._carried = {axis: _carried(mechanism, axis) for axis in self._ways}
        self._looks, self._limited, self._touched = np.zeros((3, len(self._names)))

    def see(self, snapshot: Snapshot) -> None:
        """Take the next snapshot into account."""
        self._lowest = np.minimum(self._lowest, snapshot.position)
        self._highest = np.maximum(self._highest, snapshot.position)
        pairs = [contact.bodies for contact in self._contacts()]
        for axis, way in self._ways.items():
            if way.begin <= snapshot.time <= way.end:
                carried = self._carried[axis]
                self._looks[axis] += 1
                self._limited[axis] += abs(snapshot.effort[axis]) >= self._most[axis]
                self._touched[axis] += any((a in carried) != (b in carried) for a, b in pairs)

    def report(self) -> dict[str, object]:
        """How many axes were to move; the names of those that did not cover half of their range, or could not be
        driven; and of which of them the drive was at its limit, and what they carry touched what they do not."""
        went = self._highest - self._lowest
        slow = [axis for axis, way in self._ways.items() if not went[axis] >= ENOUGH * (way.high - way.low)]
        often = OFTEN * np.maximum(self._looks, 1)
        return {
            "exercised": len(self._ways) + len(self._refused),
            "stuck": " ".join((*(self._names[axis] for axis in slow), *self._refused)),
            "stuck_at_limit": " ".join(self._names[axis] for axis in slow if self._limited[axis] >= often[axis]),
            "stuck_by_contact": " ".join(self._names[axis] for axis in slow if self._touched[axis] >= often[axis]),
        }


def _carried(mechanism: Mechanism, axis: int) -> set[int]:
    """The bodies that an axis of the tree moves; of the axis of a loop joint none."""
    found: set[int] = set()
    for joint in mechanism.joints:  # inboard first
        if joint.parent in found or any(motion.axis == axis for motion in joint.motions):
            found.add(joint.child)
    return found


def _turns(mechanism: Mechanism, axes: Sequence[int], duration: float) -> dict[int, tuple[float, float]]:
    """When each axis moves [s]: those of a cluster with loops one after the other."""
    groups: dict[int, list[int]] = {}
    for axis in axes:
        groups.setdefault(_cluster_of(mechanism, axis), []).append(axis)
    found = {}
    for cluster, members in groups.items():
        share = duration / len(members) if cluster >= 0 else duration
        for place, axis in enumerate(members):
            begin = place * share if cluster >= 0 else 0.0
            found[axis] = (begin, begin + share)
    return {axis: found[axis] for axis in axes}


def _cluster_of(mechanism: Mechanism, axis: int) -> int:
    """The cluster with loops of an axis, -1 for none."""
    for number, cluster in enumerate(mechanism.clusters):
        joints = [
            *(mechanism.joints[i] for i in cluster.joints),
            *(mechanism.loop_joints[i] for i in cluster.loop_joints),
        ]
        if cluster.loop_joints and any(motion.axis == axis for joint in joints for motion in joint.motions):
            return number
    return -1


def _far(mechanism: Mechanism, axis: int, position: float, end: End) -> float:
    """Signed distance to move towards an end of an axis."""
    way = (1.0 - MARGIN) * (end.position - position)
    most = TURN if mechanism.axes[axis].kind is MotionKind.ROTATION else SLIDE
    has_none = end.cause is Cause.NONE or abs(way) > WIDE * most
    return math.copysign(min(abs(way), most), way) if has_none else way


def _part_in_time(mechanism: Mechanism, axis: int, width: float, time: float) -> float:
    """The part of the range that the velocity limit of the axis allows in that time."""
    fastest = PEAK * 2.0 * width / time
    most = mechanism.axes[axis].axis.velocity
    return min(1.0, most / fastest) if fastest > 0.0 and most > 0.0 else 1.0


def _profile(way: _Way) -> Table:
    """At rest at its ends; the time of each leg is proportional to its length."""
    stops = np.array([way.start, way.high, way.low, way.start])
    lengths = np.abs(np.diff(stops))
    ends = way.begin + (way.end - way.begin) * np.concatenate(([0.0], np.cumsum(lengths) / (lengths.sum() or 1.0)))
    times = np.linspace(way.begin, way.end, POINTS)
    leg = np.clip(np.searchsorted(ends, times, side="right") - 1, 0, len(lengths) - 1)
    done = np.clip((times - ends[leg]) / np.maximum(ends[leg + 1] - ends[leg], 1e-12), 0.0, 1.0)
    values = stops[leg] + (stops[leg + 1] - stops[leg]) * 0.5 * (1.0 - np.cos(math.pi * done))
    return Table(tuple(times.tolist()), tuple(values.tolist()))
