"""Many steps of Bullet in a row: between two of them only requested values are read, in one call for each multibody.

Most of a step of a small mechanism is not Bullet's: `stepSimulation` of two coupled joints takes 3 µs, reading them and
their links 5 µs, and numpy's share of composing a state 60 µs at one instant, but 2 µs for each of many.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from simulator.bullet.pybullet_import import pybullet
from simulator.bullet.reading import POSITION, VELOCITY, joint_reader, joint_states
from simulator.engine.port import Seen, instants, joined
from simulator.errors import EngineDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from simulator.bullet.reading import StateReader
    from simulator.engine.port import BackendState, Law, StepSeries
    from simulator.spatial.arrays import Array

    Place = tuple[int, int]
    Flags = NDArray[np.bool_]

Part = TypeVar("Part")
AT_ONCE = 50
"""Steps whose numbers go into an array together."""


class Strides:
    """A series under way. `made`: so many of its steps are made."""

    def __init__(
        self,
        client: int,
        reader: StateReader,
        where: Mapping[int, Place],
        motor_is_on: Flags,
        series: StepSeries,
    ) -> None:
        """`where` has (Bullet body, link) of every tree axis; `motor_is_on` (n_axes,): which motors give efforts."""
        self.made = 0
        self._client = client
        self._reader = reader
        self._series = series
        self._motor_is_on = motor_is_on
        watched = grouped(series.watched, where)
        order = [axis for _, _, axes in watched for axis in axes]
        self._among, self._back = [reader.axes.index(axis) for axis in order], [order.index(a) for a in series.watched]
        self._read = joint_reader([(uid, links) for uid, links, _ in watched], client) if watched else None
        self._choose = self._among if watched and self._among != list(range(len(reader.axes))) else None
        now: list[Any] = [()] * len(order)
        for place, *start in zip(self._back, series.position.tolist(), series.velocity.tolist(), strict=True):
            now[place] = start
        self._now: Sequence[Any] = now
        self._pushes = _Pushes(client, series, where, order)
        self._followed = list["BackendState"]()
        # What is read of everything after every step tells of the watched axes, too.
        self._sees_all = len(series.looks) == series.count and not reader.counts
        self._seen: _Kept[Array] = _Kept(lambda states, _: joint_states(states, len(order)))
        self._looks = _Kept(reader.numbers)
        self._due = iter(range(1, series.count + 1) if reader.counts else series.looks)
        self._look = next(self._due, 0)

    def make(self, steps: int) -> None:
        """Advance by so many steps, or fewer if `command` says so."""
        end = self.made + steps
        # Who is asked before a step may look at the state: where turns are counted, up to there.
        most = 1 if self._reader.counts and self._series.command is not None else AT_ONCE
        try:
            while self.made < end and self._make(min(end, self.made + most)):
                self._settle()
        except pybullet.error as error:
            raise EngineDiedError(f"PyBullet stopped: {error}") from error
        except KeyboardInterrupt:
            # Efforts that Bullet was given and has not used would add to those of the next step.
            pybullet.stepSimulation(self._client)
            raise

    def _make(self, end: int) -> bool:
        """Make steps up to so many; whether all of them were made."""
        client = self._client
        command = self._series.command
        pushing = self._pushes.act
        due = self._due
        step = pybullet.stepSimulation
        take = self._reader.take_joints
        keep = self._looks.joints.append
        read = self._read
        see = self._seen.joints.append if read is not None and not self._sees_all else None
        look = self._look
        now = self._now
        is_loose = self._reader.is_loose
        for k in range(self.made, end):
            if command is not None and not command(k):
                break
            if pushing:
                self._pushes.push(k, now)
            step(client)
            if k + 1 == look:
                now = take()
                keep(now)
                look = next(due, 0)
                if is_loose:
                    self._looks.loose.append(self._reader.take_loose())
                if self._choose is not None:
                    now = [now[i] for i in self._choose]
            elif read is not None:
                now = read()
            if see is not None:
                see(now)
            self.made = k + 1
        self._look, self._now = look, now
        return self.made == end

    def _settle(self) -> None:
        """Turn what was read into arrays, where it has become much or has to be followed."""
        self._seen.close_if_full()
        if self._reader.counts:
            self._followed.append(self._reader.states(self._looks.take()))
        else:
            self._looks.close_if_full()

    def seen(self) -> Seen:
        """What was seen of the steps that are made, for once."""
        watched = list(self._series.watched)
        looked = self._looks.take()
        looks = self._reader.states(looked)
        if self._reader.counts:
            looks = instants(joined([*self._followed, looks]), [k - 1 for k in self._series.looks if k <= self.made])
        parts = self._seen.take()
        places = self._back
        if self._sees_all:
            parts = [part.joints for part in looked]
            places = [self._among[i] for i in self._back]
        found = np.concatenate(parts, axis=1) if parts else np.zeros((3, self.made, len(watched)))
        position, velocity, effort = found[:, :, places]
        # A motor that was switched off keeps reporting the last impulse it gave.
        effort[:, ~self._motor_is_on[watched]] = 0.0
        looks.motor_effort[:, ~self._motor_is_on] = 0.0
        return Seen(self.made, position, velocity, effort, looks)


class _Kept(Generic[Part]):
    """What is read step by step, made into arrays some at a time: Python looks for garbage among all that are alive.
    `joints`, `loose`: what has come since."""

    def __init__(self, made_of: Callable[[list[Any], list[Any]], Part]) -> None:
        self.joints: list[Any] = []
        self.loose: list[Any] = []
        self._made_of, self._parts = made_of, list[Part]()

    def close_if_full(self) -> None:
        """Make a part of what has come, if that is enough for one."""
        if len(self.joints) >= AT_ONCE:
            self._close()

    def take(self) -> list[Part]:
        """All there is, for once."""
        if self.joints:
            self._close()
        parts = self._parts
        self._parts = []
        return parts

    def _close(self) -> None:
        self._parts.append(self._made_of(self.joints, self.loose))
        self.joints.clear()
        self.loose.clear()


class _Pushes:
    """Efforts on axes, step by step."""

    def __init__(self, client: int, series: StepSeries, where: Mapping[int, Place], order: list[int]) -> None:
        self._client, self._efforts = client, series.efforts.tolist()
        laws = {law.axis: law for law in series.laws}
        pushed = {*laws, *(int(axis) for axis in series.efforts.any(axis=0).nonzero()[0])}
        self._groups = [
            (uid, links, [(axis, laws.get(axis), order.index(axis) if axis in laws else -1) for axis in axes])
            for uid, links, axes in grouped(sorted(pushed), where)
        ]
        self.act = bool(self._groups)

    def push(self, k: int, now: Sequence[Any]) -> None:
        """Those of step k, from where the watched axes are."""
        efforts = self._efforts[k if len(self._efforts) > 1 else 0]
        for uid, links, axes in self._groups:
            forces = [efforts[a] if law is None else _passive(law, now[i]) + efforts[a] for a, law, i in axes]
            pybullet.setJointMotorControlArray(
                uid, links, pybullet.TORQUE_CONTROL, forces=forces, physicsClientId=self._client
            )


def _passive(law: Law, state: Any) -> float:
    spring = -law.stiffness * (state[POSITION] - law.reference)
    effort: float = spring - law.damping * state[VELOCITY]
    return effort


def grouped(axes: Iterable[int], where: Mapping[int, Place]) -> list[tuple[int, list[int], list[int]]]:
    """(Bullet body, links, their axes) of every multibody that has some of these axes."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for axis in axes:
        uid, link = where[axis]
        found[uid].append((link, axis))
    return [(uid, [link for link, _ in on], [axis for _, axis in on]) for uid, on in found.items()]
