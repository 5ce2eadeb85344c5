"""Forces of joints and contacts at a moment of a simulation, and the accelerations of bodies under them, for a window
that watches them."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import JointKind
from simulator.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array

    Singles = NDArray[np.float32]

MOST = 200
"""Most joints, bodies and contacts that are watched: their arrows and labels take 30 ms of a frame on a slow CPU."""
ROOM = 100_000
"""Bytes of results that may wait in a pipe to the window: half of the capacity on Linux."""
LONGEST = 20_000
"""Most moments of a record; older ones are dropped."""
SAME_TIME = 1e-9
"""Times [s] closer than this are the same."""
ROUND_OFF = 1e4 * sys.float_info.epsilon
"""A force is the difference between the load on a body and its inertial force: if these are equal, a few units in
their last place remain, times the condition of the equations. Robots of ten to twenty bodies in free fall retain
2e-15 of their weight."""


@dataclass(frozen=True, eq=False)
class ForcesNow:
    """At a `time` [s], in world axes: `wrenches` (n_joints, 6), force [N] and moment [N m] by parent on child about
    `points` (n_joints, 3), of the joints `watched_joints` names; `contacts` (n, 6), point and force on the first body.
    Values for drawing only have single precision. `accelerations` (n_bodies, 6), of the world and the first bodies:
    angular [rad/s²], and of the centre of mass [m/s²]. `problem`: why there are none."""

    time: float
    wrenches: Array
    points: Singles
    contacts: Singles
    problem: str = ""
    accelerations: Array = field(default_factory=lambda: np.zeros((0, 6)))

    @classmethod
    def unknown(cls, time: float, problem: str = "") -> ForcesNow:
        """An empty value for a time [s], with the reason."""
        none = np.zeros((0, 6), dtype=np.float32)
        return cls(time, np.zeros((0, 6)), none[:, :3], none, problem)

    @cached_property
    def largest(self) -> tuple[float, float]:
        """The largest force of a joint or contact [N] and the largest moment of a joint [N m]."""
        forces = np.concatenate((self.wrenches[:, :3], self.contacts[:, 3:]))
        force, moment = (np.linalg.norm(part, axis=1).max(initial=0.0) for part in (forces, self.wrenches[:, 3:]))
        return float(force), float(moment)

    @cached_property
    def largest_acceleration(self) -> float:
        """Largest acceleration of a centre of mass [m/s²]."""
        return float(np.linalg.norm(self.accelerations[:, 3:], axis=1).max(initial=0.0))


def most_waiting(forces: ForcesNow) -> int:
    """How many of these may wait for the window."""
    parts = (forces.wrenches, forces.points, forces.contacts, forces.accelerations)
    return ROOM // max(sum(part.nbytes for part in parts), 1)


def watched_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the watched joints, in their order."""
    joints = (*mechanism.joints, *mechanism.loop_joints)
    return tuple(joint.name for joint in joints if joint.kind is not JointKind.FREE)[:MOST]


def _same(one: ForcesNow, other: ForcesNow) -> bool:
    return (
        one.time == other.time
        and one.problem == other.problem
        and np.array_equal(one.wrenches, other.wrenches)
        and np.array_equal(one.accelerations, other.accelerations)
        and np.array_equal(one.contacts, other.contacts)
    )


class ForceRecord:
    """Forces that were watched, and those computed for a recording, by time: for traces and for playback.
    `changes`: how often something was added or forgotten."""

    def __init__(self) -> None:
        self._found: list[ForcesNow] = []
        self._rewinds = 0
        self.changes = 0

    @property
    def last(self) -> ForcesNow | None:
        """The newest moment."""
        return self._found[-1] if self._found else None

    def clear(self) -> None:
        """Forget everything."""
        self._found.clear()
        self._rewinds = 0
        self.changes = self.changes + 1

    def follow(self, rewound: tuple[int, float]) -> None:
        """Forget what a recording has forgotten, see `History.rewound`."""
        times, last = rewound
        if times == self._rewinds:
            return
        # Of several cuts only the place of the last is known.
        kept = bisect_left(self._found, last, key=_time_of) if times == self._rewinds + 1 else 0
        del self._found[kept:]
        self._rewinds = times
        self.changes = self.changes + 1

    def see(self, forces: ForcesNow) -> None:
        """Store a moment; earlier values at its time or later become invalid."""
        if self.last is not None and _same(self.last, forces):
            return
        while self._found and self._found[-1].time >= forces.time:
            self._found.pop()
        self._keep(len(self._found), forces)

    def add(self, forces: ForcesNow) -> None:
        """Store a moment of the past; a value that was watched at its time stays."""
        if not self.knows(forces.time):
            self._keep(bisect_left(self._found, forces.time, key=_time_of), forces)

    def _keep(self, place: int, forces: ForcesNow) -> None:
        self._found.insert(place, forces)
        if len(self._found) > LONGEST:
            del self._found[: LONGEST // 10]
        self.changes += 1

    def knows(self, time: float) -> bool:
        """Whether a moment [s] was watched or computed."""
        found = self.at(time)
        return found is not None and abs(found.time - time) <= SAME_TIME

    def at(self, time: float) -> ForcesNow | None:
        """The value nearest to a time [s]; None if there is none."""
        place = bisect_left(self._found, time, key=_time_of)
        return min(self._found[max(place - 1, 0) : place + 1], key=lambda found: abs(found.time - time), default=None)

    def largest(self, begin: float, end: float) -> tuple[float, float]:
        """The largest force [N] and moment [N m] between two times [s]."""
        sizes = [found.largest for found in self._between(begin, end)]
        return max((force for force, _ in sizes), default=0.0), max((moment for _, moment in sizes), default=0.0)

    def largest_by_joint(self, begin: float, end: float) -> Array:
        """The largest force [N] and moment [N m] of each of `watched_joints`, shape (n, 2), between two times [s];
        empty while none is known."""
        known = [found.wrenches for found in self._between(begin, end) if len(found.wrenches)]
        if not known:
            return np.zeros((0, 2))
        wrenches = np.array(known).reshape(len(known), -1, 2, 3)
        return np.linalg.norm(wrenches, axis=3).max(axis=0, initial=0.0)  # type: ignore[no-any-return]

    def largest_acceleration(self, begin: float, end: float) -> float:
        """Largest acceleration of a centre of mass [m/s²], between two times [s]."""
        return max((found.largest_acceleration for found in self._between(begin, end)), default=0.0)

    def trace(self, joint: int, times: Array) -> tuple[Array, Array, str]:
        """Wrenches of a joint at recorded moments.

        `joint` is its index among `watched_joints`; `times` [s], shape (m,), rise. Returns those n <= m of the times
        that are known, the wrenches there, shape (n, 6), and a problem, or an empty text. A moment at which
        forces could not be computed has the wrench of a watched moment nearer than the shortest step of `times`, with
        the time of that; without one, nan."""
        gap = float(np.diff(times).min(initial=np.inf))
        found: list[tuple[float, Array]] = []
        problem = ""
        for time in times.tolist():
            near = self.at(time)
            if near is None or abs(near.time - time) > SAME_TIME or not (near.problem or len(near.wrenches)):
                continue
            if near.problem:
                near = self._watched_near(time, gap) or near
            problem = near.problem or problem
            known = joint < len(near.wrenches)
            found.append((near.time, near.wrenches[joint] if known else np.full(6, np.nan)))
        values = np.array([value for _, value in found], dtype=float).reshape(-1, 6)
        return np.array([time for time, _ in found], dtype=float), values, problem

    def _watched_near(self, time: float, gap: float) -> ForcesNow | None:
        """The nearest known moment within a `gap` [s]."""
        watched = [found for found in self._between(time - gap, time + gap) if len(found.wrenches)]
        return min(watched, key=lambda found: abs(found.time - time), default=None)

    def _between(self, begin: float, end: float) -> list[ForcesNow]:
        first, last = bisect_left(self._found, begin, key=_time_of), bisect_right(self._found, end, key=_time_of)
        return self._found[first:last]


def _time_of(forces: ForcesNow) -> float:
    return forces.time


class NoiseFloor:
    """Round-off in forces and moments of a mechanism. `reach`: its size [m]."""

    def __init__(self, mechanism: Mechanism, reach: float) -> None:
        masses = np.array([body.mass for body in mechanism.bodies[1:]])
        self._weight = float(masses.sum() * np.linalg.norm(mechanism.gravity))
        self.mechanism, self._reach = mechanism, reach

    def at(self, snapshot: Snapshot, force: float, moment: float) -> tuple[float, float]:
        """Force [N] and moment [N m] below which nothing acts, for the motion of a snapshot and these largest
        values. They are differences of quantities as large as the weight, as centripetal forces (estimated by kinetic
        energy over size), or as the largest values."""
        about = abs(snapshot.energy.kinetic) + self._weight * self._reach
        return ROUND_OFF * max(about, moment) / self._reach, ROUND_OFF * max(about, force * self._reach)
