"""Commands of drives as an array: a controller writes it, and every step reads it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.drives import Drive, DriveKind
from simulator.errors import UsageError
from simulator.model.profiles import Constant
from simulator.session.commands.driving import find_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.engine.engine import Engine


class Controls:
    """`values`: the commands of those `drives` that are numbers, shape (n,), in the order in which they were given;
    of actuators, efforts alone. `names`: the axes and actuators. Values that are written replace drives in `drives`."""

    def __init__(self, engine: Engine, drives: dict[str, Drive]) -> None:
        actuators = engine.actuation.actuators
        targets = {name: find_target(engine.mechanism, actuators, name) for name in drives}
        levels = {
            name: drive.level
            for name, drive in drives.items()
            if drive.level is not None and (targets[name][0] == "axis" or drive.kind is DriveKind.EFFORT)
        }
        self.names = tuple(levels)
        self._drives = drives
        self._targets = [targets[name] for name in levels]
        self.values: NDArray[np.float64] = np.array([*levels.values()], dtype=float)
        self._asked: list[float] = self.values.tolist()

    def send(self, engine: Engine) -> None:
        """Pass the written values to an engine. Raises UsageError for a number that is not finite, which is undone."""

        now: list[float] = self.values.tolist()
        if now == self._asked:
            return
        for place, value in enumerate(now):
            if value != self._asked[place]:
                self._send(engine, place, value)
                self._asked[place] = value

    def _send(self, engine: Engine, place: int, value: float) -> None:
        if not math.isfinite(value):
            self.values[place] = self._asked[place]
            raise UsageError(f"control of '{self.names[place]}' must be a finite number, not {value:g}")
        what, index = self._targets[place]
        if what == "axis":
            drive = engine.command(index, value)
        else:
            drive = Drive(DriveKind.EFFORT, Constant(value))
            engine.drive_actuator(index, drive)
        self._drives[self.names[place]] = drive

    def retire(self) -> None:
        """Other drives have been given: writing to this array raises ValueError from now on."""
        self.values.flags.writeable = False
