"""The drives of a simulation in another process, so that a new process can be told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import SimulatorError
from simulator.session.commands import ClearDrive, ClearDriveText, SetDrive, SetDriveText
from simulator.session.driving import Target, find_target

if TYPE_CHECKING:
    from simulator.session.drive_text import DriveText
    from simulator.session.opening import Opened
    from simulator.session.settings import SessionSettings

DRIVES = SetDrive | ClearDrive | SetDriveText | ClearDriveText


class RememberedDrives:
    """What every axis and actuator was last told. A name that does not exist is the physics process' to complain about."""

    def __init__(self, opened: Opened, settings: SessionSettings) -> None:
        self._opened = opened
        self._last: dict[Target, SetDrive | SetDriveText | DriveText] = {}
        for name, drive in settings.drives:
            target = self._target(name)
            if target is not None:
                self._last[target] = SetDrive(target[1], drive.kind, drive.value)
        for text in settings.drive_texts:
            target = self._target(text.axis)
            if target is not None:
                self._last[target] = text

    def note(self, command: DRIVES) -> None:
        """A drive is set or let go."""
        if isinstance(command, SetDrive | ClearDrive):
            target: Target | None = ("axis", command.axis)
        else:
            target = self._target(command.target)
        if target is None:
            return
        self._last.pop(target, None)
        if isinstance(command, SetDrive | SetDriveText):
            self._last[target] = command

    @property
    def commands(self) -> tuple[SetDrive | SetDriveText, ...]:
        """What was told while it ran, or as numbers at the start."""
        return tuple(last for last in self._last.values() if isinstance(last, SetDrive | SetDriveText))

    @property
    def texts(self) -> tuple[DriveText, ...]:
        """What was given as text at the start and still holds."""
        return tuple(last for last in self._last.values() if not isinstance(last, SetDrive | SetDriveText))

    def _target(self, name: str) -> Target | None:
        try:
            return find_target(self._opened.mechanism, self._opened.actuators, name)
        except SimulatorError:
            return None
