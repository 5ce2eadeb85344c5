"""Times at which drives of axes begin or jump, so that a motor without an effort limit needs an impulse."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

from simulator.engine.drives import DriveKind
from simulator.model.profiles import Step, stop_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.engine.drives import Drive

SAME = 1e-6
"""Part of a step by which a time counts as that of its start."""


class Jumps:
    """Which drives begin in the next step; those whose profile is a step jump when it does. `drives`: those that
    motors follow, by axis."""

    def __init__(self, dt: float) -> None:
        self.dt = dt
        self._fresh: set[int] = set()
        self._known: tuple[float, list[int]] | None = None

    def begin(self, axis: int) -> None:
        """A drive was set."""
        self._fresh.add(axis)
        self._known = None

    def begin_all(self, drives: Iterable[int]) -> None:
        """Those of all these axes, for the state was set, or a step is taken back."""
        self._fresh |= set(drives)

    @property
    def fresh(self) -> frozenset[int]:
        """The axes whose drives begin."""
        return frozenset(self._fresh)

    def forget(self) -> None:
        """Nothing begins: drives continue."""
        self._fresh.clear()

    def coming(self, drives: Mapping[int, Drive], step: int) -> dict[int, float]:
        """As `due`, without a step being made."""
        kept = set(self._fresh)
        found = self.due(drives, step)
        self._fresh = kept
        return found

    def due(self, drives: Mapping[int, Drive], step: int) -> dict[int, float]:
        """Velocities to have at the start of a step, by axis, of the motors that begin or jump there; of those for
        positions nan."""
        found = {}
        for axis, drive in drives.items():
            if axis in self._fresh or step in self._at(drive):
                is_velocity = drive.kind is DriveKind.VELOCITY
                found[axis] = _right(drive, step * self.dt, self.dt) if is_velocity else math.nan
        self._fresh.clear()
        return found

    def steps_before(self, drives: Mapping[int, Drive], step: int, most: int) -> int:
        """How many steps can be made from `step` on, at most `most`, before one in which a drive begins or jumps."""
        if not drives:
            return most
        if not self._fresh.isdisjoint(drives):
            return 0
        if self._known is None or self._known[0] != self.dt:  # finding them takes as long as a step of a mechanism
            self._known = self.dt, sorted({at for drive in drives.values() for at in self._at(drive)})
        steps = self._known[1]
        place = bisect_left(steps, step)
        return steps[place] - step if place < len(steps) else most

    def within(self, drives: Mapping[int, Drive], steps: int) -> list[int]:
        """Which of the first `steps` steps a drive jumps in, wherever it begins."""
        return sorted({at for drive in drives.values() for at in self._at(drive) if 0 <= at < steps})

    def _at(self, drive: Drive) -> tuple[int, ...]:
        """The steps at whose starts the velocity of a motor jumps: that of a velocity at the step in which its profile
        does, of a position that steps at the first that begins then or later. Where a position stops within a step, as
        at the end of a ramp, the velocity jumps at both ends of it, so that the position at the second is right."""
        profile = drive.profile
        is_velocity = drive.kind is DriveKind.VELOCITY
        if isinstance(profile, Step) and profile.start != profile.end:
            steps = profile.time / self.dt
            return (math.floor(steps + SAME) if is_velocity else math.ceil(steps - SAME),)
        steps = math.inf if is_velocity else stop_of(profile) / self.dt
        return (math.floor(steps + SAME), math.ceil(steps - SAME)) if math.isfinite(steps) else ()


def _right(drive: Drive, time: float, dt: float) -> float:
    """The velocity that holds from a step on: of a profile that steps within it, the later one."""
    return (
        drive.profile.value(time + (1.0 - SAME) * dt) if isinstance(drive.profile, Step) else drive.profile.value(time)
    )
