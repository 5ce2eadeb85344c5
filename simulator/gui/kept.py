"""What the user set on a running simulation and a reload of the same file must not lose: drives and the strategy."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.engine.drives import Drive
from simulator.errors import SimulatorError
from simulator.session.commands import ClearDrive, ClearDriveText, Command, SetDrive, SetDriveText
from simulator.session.settings import demonstration_drives
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.session.opening import Opened

Told = Drive | str
"""A drive of kind and value, or a text as the command line has it behind '='."""


@dataclass
class Kept:
    """`given` are drives, by name of an axis or `actuator/NAME`, that the document `given_for` starts with. `solver` is the strategy at
    work, as last heard.

    Drives of axes that a new version of the file does not have are told nobody but stay here: they come back with their axis.
    """

    given_for: Path | None = None
    given: tuple[tuple[str, Told], ...] = ()
    solver: str = ""
    _path: Path | None = None
    _set: dict[str, Told | None] = field(default_factory=dict)

    def note(self, command: Command, mechanism: Mechanism) -> None:
        """The user drives an axis, or lets it go."""
        if isinstance(command, SetDrive):
            self._note(mechanism.axes[command.axis].name, Drive(command.kind, command.value))
        elif isinstance(command, ClearDrive):
            self._note(mechanism.axes[command.axis].name, None)
        elif isinstance(command, SetDriveText):
            self._note(command.target, command.text)
        elif isinstance(command, ClearDriveText):
            self._note(command.target, None)

    def _note(self, target: str, drive: Told | None) -> None:
        """The newest comes last: drives of actuators and of their joints are told in the order in which they were set."""
        self._set.pop(target, None)
        self._set[target] = drive

    def solver_for(self, path: Path) -> str:
        """The strategy that was at work on the same file; empty for another one, whose drives are forgotten with this."""
        if path == self._path:
            return self.solver
        self._path = path
        self._set.clear()
        return ""

    def drives_of(self, opened: Opened) -> tuple[tuple[str, Told], ...]:
        """The drives of a document: those it starts with, and over them what the user set."""
        given = self.given if opened.path == self.given_for else ()
        drives: dict[str, Told | None] = {}
        for name, drive in given or demonstration_drives(opened.world, opened.mechanism):
            target = _target(name, opened)
            if target:
                drives[target] = drive
        drives.update(self._still_there(opened))
        return tuple((name, drive) for name, drive in drives.items() if drive is not None)

    def commands(self, opened: Opened) -> tuple[Command, ...]:
        """What a new simulation of the same file has to be told about the user's drives."""
        return tuple(_command(name, drive, opened) for name, drive in self._still_there(opened))

    def _still_there(self, opened: Opened) -> list[tuple[str, Told | None]]:
        if opened.path != self._path:
            return []
        movable = {opened.mechanism.axes[axis].name for axis in opened.mechanism.independent_axes()}
        movable.update(f"{PREFIX}{name}" for name in opened.actuators.names)
        return [(target, drive) for name, drive in self._set.items() if (target := _target(name, opened)) in movable]


def _target(name: str, opened: Opened) -> str:
    """The full name of an axis or of an actuator, with its prefix; empty where there is none."""
    if name.startswith(PREFIX):
        try:
            return f"{PREFIX}{opened.actuators.names[opened.actuators.index(name)]}"
        except SimulatorError:
            return ""
    axis = opened.mechanism.axis_index(name)
    return opened.mechanism.axes[axis].name if axis is not None else ""


def _command(target: str, drive: Told | None, opened: Opened) -> Command:
    axis = None if target.startswith(PREFIX) else opened.mechanism.axis_index(target)
    if isinstance(drive, str):
        return SetDriveText(target, drive)
    if axis is None:
        return ClearDriveText(target) if drive is None else SetDriveText(target, f"{drive.kind.value}:{drive.value!r}")
    return ClearDrive(axis) if drive is None else SetDrive(axis, drive.kind, drive.value)
