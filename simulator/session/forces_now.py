"""Forces that joints and bodies exert where a simulation is, and how bodies speed up under them, for a window that
watches them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.types import JointKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.mechanism.types import Mechanism

    Array = NDArray[np.float64]
    Singles = NDArray[np.float32]

MOST = 200
"""So many joints, bodies and contacts are watched: their arrows and labels take a picture 30 ms on a slow processor."""
ROOM = 100_000
"""Bytes of what was found that may wait in a pipe to the window: half of what Linux lets wait there."""
LONGEST = 20_000
"""Most moments of a record; older ones are dropped."""


@dataclass(frozen=True, eq=False)
class ForcesNow:
    """At a `time` [s], in world axes: `wrenches` (n_joints, 6), force [N] and moment [N m] by parent on child about
    `points` (n_joints, 3), of the joints `watched_joints` names; `contacts` (n, 6), point and force on the first body.
    What is drawn only is of single precision. `accelerations` (n_bodies, 6), of the world and the first bodies: angular
    [rad/s²], and of the centre of mass [m/s²]. `problem`: why there are none."""

    time: float
    wrenches: Array
    points: Singles
    contacts: Singles
    problem: str = ""
    accelerations: Array = field(default_factory=lambda: np.zeros((0, 6)))


def most_waiting(forces: ForcesNow) -> int:
    """So many of these may wait for the window."""
    parts = (forces.wrenches, forces.points, forces.contacts, forces.accelerations)
    return ROOM // max(sum(part.nbytes for part in parts), 1)


def watched_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the joints whose forces are watched, in their order."""
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
    """What was watched, by time: forces for traces and for moments that are played back."""

    def __init__(self) -> None:
        self._found: list[ForcesNow] = []

    @property
    def last(self) -> ForcesNow | None:
        """The newest moment."""
        return self._found[-1] if self._found else None

    def clear(self) -> None:
        """Forget everything."""
        self._found.clear()

    def see(self, forces: ForcesNow) -> None:
        """Keep a moment; what was at its time or later no longer holds."""
        if self.last is not None and _same(self.last, forces):
            return
        while self._found and self._found[-1].time >= forces.time:
            self._found.pop()
        self._found.append(forces)
        if len(self._found) > LONGEST:
            del self._found[: LONGEST // 10]

    def at(self, time: float) -> ForcesNow | None:
        """What was watched nearest to a time [s]; None where nothing was."""
        return min(self._found, key=lambda found: abs(found.time - time), default=None)

    def trace(self, joint: int, begin: float, end: float) -> tuple[Array, Array]:
        """Times (n,) and wrenches (n, 6) of a joint, by its number among `watched_joints`."""
        chosen = [f for f in self._found if begin <= f.time <= end and joint < len(f.wrenches)]
        times = np.array([found.time for found in chosen], dtype=float)
        return times, np.array([found.wrenches[joint] for found in chosen], dtype=float).reshape(-1, 6)
