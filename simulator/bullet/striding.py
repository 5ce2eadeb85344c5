"""Many steps of Bullet in a row: between two of them only what somebody asked for is read, in one call a multibody.

Most of a step of a small mechanism is not Bullet's: `stepSimulation` of two coupled joints takes 3 µs, reading them and
their links 5 µs, and numpy's share of composing a state 60 µs at one instant, but 2 µs for each of many.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from simulator.bullet.pybullet_import import pybullet
from simulator.bullet.reading import POSITION, VELOCITY, joint_states, of_multibodies
from simulator.engine.port import Seen, Tracked
from simulator.errors import EngineDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from simulator.bullet.reading import Raw, StateReader
    from simulator.engine.port import Law, StepSeries

    Place = tuple[int, int]
    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]

Item = TypeVar("Item")
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
        carriers: StateReader | None,
        series: StepSeries,
    ) -> None:
        """`where` has (Bullet body, link) of every tree axis; `motor_is_on` (n_axes,): which motors give efforts;
        `carriers` reads what tracked bodies hang on, if there are any."""
        self.made = 0
        self._client, self._reader, self._series, self._motor_is_on = client, reader, series, motor_is_on
        watched = grouped(series.watched, where)
        order = [axis for _, _, axes in watched for axis in axes]
        self._calls = [(uid, links) for uid, links, _ in watched]
        self._among = [reader.axes.index(axis) for axis in order]
        self._are_all = self._among == list(range(len(reader.axes)))
        self._back = [order.index(axis) for axis in series.watched]
        now: list[Any] = [()] * len(order)
        for place, *start in zip(self._back, series.position.tolist(), series.velocity.tolist(), strict=True):
            now[place] = start
        self._now: Sequence[Any] = now
        self._pushes = _Pushes(client, series, where, order)
        self._sees_all = len(series.looks) == series.count
        self._seen: _Kept[Sequence[Any], Array] = _Kept(lambda states: joint_states(states, len(order)))
        self._looks = _Kept(reader.numbers)
        self._track = None if carriers is None else _Track(carriers, series, is_all=carriers is reader)
        self._due = iter(series.looks)
        self._look = next(self._due, 0)

    def make(self, steps: int) -> None:
        """Go on by so many steps, or fewer where `command` says so."""
        try:
            end = self.made + steps
            while self.made < end and self._make(min(end, self.made + AT_ONCE), end):
                self._seen.close()
                self._looks.close()
        except pybullet.error as error:
            raise EngineDiedError(f"PyBullet stopped: {error}") from error
        except KeyboardInterrupt:
            # Efforts that Bullet was given and has not used would add to those of the next step.
            pybullet.stepSimulation(self._client)
            raise

    def _make(self, until: int, end: int) -> bool:
        """Make steps up to `until`, of those that `end` with the call; whether all of them were made."""
        client, calls, pushes, command = self._client, self._calls, self._pushes, self._series.command
        step, read, take, track, look = (
            pybullet.stepSimulation,
            pybullet.getJointStates,
            self._reader.take,
            self._track,
            self._look,
        )
        see, keep, due, now, sees_all = (
            self._seen.items.append,
            self._looks.items.append,
            self._due,
            self._now,
            self._sees_all,
        )
        for k in range(self.made, until):
            if command is not None and not command(k):
                break
            if pushes.act:
                pushes.push(k, now)
            step(client)
            taken = None
            if k + 1 == look:
                taken = take()
                keep(taken)
                look = next(due, 0)
                if calls:
                    now = taken[0] if self._are_all else [taken[0][i] for i in self._among]
            elif calls:
                now = of_multibodies(read, calls, client)
            if calls and not sees_all:
                see(now)
            if track is not None and (taken is not None or track.everywhere or k + 2 in (look, end, end + 1)):
                track.add(k + 1, taken)
            self.made = k + 1
        self._look, self._now = look, now
        return self.made == until

    def tracked(self, first: int) -> Tracked:
        """Where tracked bodies were in steps behind the first so many."""
        if self._track is None:
            return Tracked(np.zeros(0, dtype=np.int64), np.zeros((0, 0, 7)), None)
        return self._track.behind(first)

    def seen(self) -> Seen:
        """What was seen of the steps that are made, for once."""
        watched, looked = list(self._series.watched), self._looks.parts()
        looks = self._reader.states(looked)
        parts, places = self._seen.parts(), self._back
        if self._sees_all:
            parts, places = [part.joints for part in looked], [self._among[i] for i in self._back]
        found = np.concatenate(parts, axis=1) if parts else np.zeros((3, self.made, len(watched)))
        position, velocity, effort = found[:, :, places]
        # A motor that was switched off keeps reporting the last impulse it gave.
        effort[:, ~self._motor_is_on[watched]] = 0.0
        looks.motor_effort[:, ~self._motor_is_on] = 0.0
        return Seen(self.made, position, velocity, effort, self.tracked(0), looks)


class _Track:
    """Poses of some bodies after some steps, and positions of the counted axes; or poses after every step, where it is
    to be `everywhere`."""

    def __init__(self, reader: StateReader, series: StepSeries, *, is_all: bool) -> None:
        """`is_all`: what `reader` takes is everything that is read of all bodies."""
        self._reader, self._is_all, self.everywhere = reader, is_all, series.counted is None
        self._bodies, self._axes = list(series.tracked), list(series.counted or ())
        self._start = reader.read_axes()[0][self._axes]
        self._steps, self._taken = list[int](), list["Raw"]()

    def add(self, step: int, everything: Raw | None) -> None:
        """Those of now, after so many steps; of `everything`, if it has been taken."""
        self._steps.append(step)
        self._taken.append(everything if everything is not None and self._is_all else self._reader.take())

    def behind(self, first: int) -> Tracked:
        """What is known of steps behind the first so many."""
        begin = bisect_right(self._steps, first)
        seen = self._reader.states([self._reader.numbers(self._taken[begin:])])
        moved = None if self.everywhere else seen.position[:, self._axes] - self._start
        return Tracked(np.array(self._steps[begin:], dtype=np.int64), seen.body_poses[:, self._bodies], moved)


class _Kept(Generic[Item, Part]):
    """What is made of things that come one by one, some at a time: Python looks for garbage among all that are alive.
    `items`: what has come since."""

    def __init__(self, made_of: Callable[[list[Item]], Part]) -> None:
        self.items = list[Item]()
        self._made_of, self._parts = made_of, list[Part]()

    def close(self) -> None:
        """Make a part of what has come."""
        if self.items:
            self._parts.append(self._made_of(self.items))
            self.items.clear()

    def parts(self) -> list[Part]:
        """All there is."""
        self.close()
        return self._parts


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
