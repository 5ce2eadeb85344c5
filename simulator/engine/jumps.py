"""Where drives of axes begin or jump, so that a motor without an effort limit needs an impulse."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.engine.drives import DriveKind
from simulator.model.profiles import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.engine.drives import Drive

SAME = 1e-6
"""Part of a step by which a time counts as that of its start."""


class Jumps:
    """Which drives begin in the next step; those whose profile is a step jump when it does."""

    def __init__(self, dt: float) -> None:
        self._dt = dt
        self._fresh: set[int] = set()

    def begin(self, axis: int) -> None:
        """A drive was set."""
        self._fresh.add(axis)

    def begin_all(self, drives: Mapping[int, Drive]) -> None:
        """The state was set."""
        self._fresh |= set(drives)

    def forget(self) -> None:
        """Nothing begins: drives go on."""
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
            if _has_motor(drive) and (axis in self._fresh or self._jump(drive) == step):
                is_velocity = drive.kind is DriveKind.VELOCITY
                found[axis] = _right(drive, step * self._dt, self._dt) if is_velocity else math.nan
        self._fresh.clear()
        return found

    def steps_before(self, drives: Mapping[int, Drive], step: int, most: int) -> int:
        """How many steps can be made from `step` on, at most `most`, before one in which a drive begins or jumps."""
        if any(_has_motor(drives[axis]) for axis in self._fresh if axis in drives):
            return 0
        coming = [self._jump(drive) - step for drive in drives.values() if _has_motor(drive)]
        return min((steps for steps in coming if steps >= 0), default=most) if coming else most

    def _jump(self, drive: Drive) -> int:
        """The step at whose start a profile jumps, -1 where it never does: a velocity at the step in which its time is,
        a position at the first that begins at its time or later."""
        profile = drive.profile
        if not isinstance(profile, Step) or profile.start == profile.end:
            return -1
        steps = profile.time / self._dt
        return math.floor(steps + SAME) if drive.kind is DriveKind.VELOCITY else math.ceil(steps - SAME)


def _has_motor(drive: Drive) -> bool:
    return drive.kind is not DriveKind.EFFORT and drive.gains is None


def _right(drive: Drive, time: float, dt: float) -> float:
    """The velocity that holds from a step on: of a profile that steps within it, the later one."""
    return (
        drive.profile.value(time + (1.0 - SAME) * dt) if isinstance(drive.profile, Step) else drive.profile.value(time)
    )
