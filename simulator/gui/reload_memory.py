"""User's changes of a simulation that survive a reload of the same file: drives and the strategy."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.records import dataclass
from simulator.session.commands.commands import SetDrive
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from simulator.engine.drives import Drive
    from simulator.session.open.opening import Opened
    from simulator.session.run.client import Drives


@dataclass
class ReloadMemory:
    """`solver` is the present strategy, as the simulation reports it. The user's drives are determined when a
    simulation ends: its drives then against those of its start.

    Drives of axes that a new version of the file lacks are not sent but remembered: they return with their
    axis.
    """

    solver: str = ""
    _path: Path | None = None
    _start: dict[str, Drive] = field(default_factory=dict)
    _changed: dict[str, Drive | None] = field(default_factory=dict)

    def solver_for(self, path: Path) -> str:
        """The strategy that was at work on the same file; empty for another one, whose drives are forgotten with
        this."""
        if path == self._path:
            return self.solver
        self._path = path
        self._changed.clear()
        return ""

    def begin(self, opened: Opened, drives: Drives) -> tuple[SetDrive, ...]:
        """A simulation of that file begins with these drives; gives the commands that bring back what the user had
        changed."""
        self._start = dict(drives)
        movable = {opened.mechanism.axes[axis].name for axis in opened.mechanism.independent_axes()}
        movable.update(f"{PREFIX}{name}" for name in opened.actuators.names)
        there = [(target, drive) for target, drive in self._changed.items() if target in movable]
        for target, _ in there:
            del self._changed[target]
        return tuple(SetDrive(target, drive) for target, drive in there if drive != self._start.get(target))

    def end(self, drives: Drives) -> None:
        """The simulation ends that has these drives."""
        now = dict(drives)
        for target in dict.fromkeys((*now, *self._start)):
            if now.get(target) != self._start.get(target):
                self._changed.pop(target, None)
                self._changed[target] = now.get(target)
        self._start = now
