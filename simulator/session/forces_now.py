"""Forces that joints and bodies exert where a simulation is, and how bodies speed up under them, for a window that
watches them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.reactions import Balance
from simulator.analysis.wrenches import compliances_of
from simulator.dynamics.kinematics import Kinematics
from simulator.engine.actuation import rotor_inertia
from simulator.errors import SimulatorError
from simulator.mechanism.types import JointKind
from simulator.session.contact_forces import force_on_first
from simulator.session.reactions import acting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.analysis.reactions import Reactions
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.types import Mechanism
    from simulator.model.world import World

    Array = NDArray[np.float64]
    Singles = NDArray[np.float32]

MOST = 48
"""So many joints, and so many contacts, are watched: a status has to fit into the pipe many times."""
LONGEST = 20_000
"""Most moments of a record; older ones are dropped."""


@dataclass(frozen=True, eq=False)
class ForcesNow:
    """At a `time` [s], in world axes: `wrenches` (n_joints, 6), force [N] and moment [N m] by parent on child about
    `points` (n_joints, 3), of the joints `watched_joints` names; `contacts` (n, 6), point and force on the first body.
    Single precision: they are for pictures. `accelerations` (n_bodies, 6), of the world and the first bodies: angular
    [rad/s²], and of the centre of mass [m/s²]. `problem`: why there are none."""

    time: float
    wrenches: Singles
    points: Singles
    contacts: Singles
    problem: str = ""
    accelerations: Array = field(default_factory=lambda: np.zeros((0, 6)))


def watched_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the joints whose forces are watched, in their order."""
    joints = (*mechanism.joints, *mechanism.loop_joints)
    return tuple(joint.name for joint in joints if joint.kind is not JointKind.FREE)[:MOST]


class ForceWatch:
    """Looks at one engine, whose couplings and strategy may change, while it is `on`."""

    def __init__(self, engine: Engine, world: World) -> None:
        self._engine, self._world = engine, world
        self._mechanism: Mechanism | None = None
        self._balance: Balance | None = None
        self.on = False
        self._last: tuple[Snapshot, ForcesNow] | None = None

    def of(self, snapshot: Snapshot) -> ForcesNow | None:
        """What acts in the state after the last step, which `snapshot` is of; None while this is off."""
        if not self.on:
            return None
        if self._last is None or self._last[0] is not snapshot:
            self._last = snapshot, self._now()
        return self._last[1]

    def _now(self) -> ForcesNow:
        time = self._engine.time
        try:
            found = acting(self._made(), self._engine)
        except SimulatorError as error:
            none = np.zeros((0, 6), dtype=np.float32)
            return ForcesNow(time, none, none[:, :3], none, str(error))
        touching = [(*contact.point, *force_on_first(contact)) for contact in self._engine.contacts()[:MOST]]
        return ForcesNow(
            time,
            found.wrenches.array[:MOST].astype(np.float32),
            found.points[:MOST].astype(np.float32),
            np.array(touching, dtype=np.float32).reshape(-1, 6),
            accelerations=accelerations_of(found, self._engine.mechanism),
        )

    def _made(self) -> Balance:
        mechanism = self._engine.mechanism
        if self._balance is None or mechanism is not self._mechanism:
            rotors = rotor_inertia(self._engine.actuation.actuators, mechanism)
            self._balance = Balance(Kinematics(mechanism).as_meant, rotors, compliances_of(self._world))
            self._mechanism = mechanism
        return self._balance


def accelerations_of(found: Reactions, mechanism: Mechanism) -> Array:
    """Angular [rad/s²] and of the centre of mass [m/s²], of the first bodies, world axes, shape (n, 6)."""
    rows = [
        np.concatenate((found.motion.spatial(number)[1][0, :3], found.motion.point(number, body.com)[2][0]))
        for number, body in enumerate(mechanism.bodies[: MOST + 1])
    ]
    rows[0] = np.zeros(6)
    return np.array(rows)


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
