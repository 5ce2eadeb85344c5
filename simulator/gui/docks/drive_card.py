"""What the cards of axes and of actuators share: the choice of a drive, its value, and the editor of drives over time."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel

from simulator.engine.drives import DriveKind
from simulator.gui.docks.gentle import Gentle
from simulator.gui.docks.panel import column_layout
from simulator.gui.docks.profile_editor import ProfileEditor
from simulator.gui.fields import NumberLabel, QuietCombo, ValueSpin, scaled
from simulator.gui.units import Units
from simulator.session.commands import SetDriveText

KINDS = (None, DriveKind.POSITION, DriveKind.VELOCITY, DriveKind.EFFORT)

OVER_TIME = len(KINDS)
"""The last choice: a drive that changes over time."""

NOISE = 1e-9
"""Efforts below are shown as zero [N m or N]."""

FIELD = 104
"""Width of a field for a number with its unit, see `scaled`."""


class DriveCard(QFrame):
    """`commanded` carries commands. `target` is the name of the axis, or `actuator/NAME`; `name` is what the user reads."""

    commanded = pyqtSignal(object)

    def __init__(self, target: str, name: str, gentle: Gentle, units: Units) -> None:
        super().__init__()
        self.setObjectName("card")
        self.target, self.name = target, name
        self._gentle, self._units = gentle, units
        self._position, self._runs = 0.0, ""
        self.profile: ProfileEditor | None = None
        self._picture, self.live = QLabel(), NumberLabel()
        self.kind, self.value = QuietCombo(), ValueSpin(3, "")
        self.kind.addItems([self.tr("No drive"), self.tr("Position"), self.tr("Velocity"), self.tr("Effort")])
        self.kind.addItem(self.tr("Over time"))
        self.kind.setAccessibleName(self.tr("Drive of {name}").format(name=name))
        self.value.setAccessibleName(self.tr("Drive value of {name}").format(name=name))
        self.value.setFixedWidth(scaled(FIELD))
        self._column = column_layout(self, spacing=5)
        self._column.setContentsMargins(10, 8, 10, 9)

    def drive_kind(self) -> DriveKind | None:
        """Which value it holds; None where it moves by itself, or is driven over time."""
        return None if self.over_time else KINDS[self.kind.currentIndex()]

    @property
    def over_time(self) -> bool:
        """Whether the card shows a drive that changes over time."""
        return self.kind.currentIndex() == OVER_TIME

    def _show_choice(self, index: int) -> None:
        """Show a choice, as an index of the combo box, without asking for anything."""
        self.kind.blockSignals(True)
        self.kind.setCurrentIndex(index)
        self.kind.blockSignals(False)

    def _start_profile(self, text: str) -> None:
        self._runs = text
        self.commanded.emit(SetDriveText(self.target, text))

    def _hear_profile(self, message: str) -> None:
        """What the simulation says; it may refuse the profile that was just sent."""
        if self.profile is not None and self.profile.hear(message):
            self._runs = self.profile.running

    def _editor(self) -> ProfileEditor:
        """Made when it is first needed: there may be a hundred cards."""
        if self.profile is None:
            self.profile = ProfileEditor(self.target, self._gentle)
            self.profile.entered.connect(self._start_profile)
            self._column.addWidget(self.profile)
        self.profile.show()
        return self.profile


def without_noise(effort: float) -> float:
    """An effort as it is shown [N m or N]."""
    return 0.0 if abs(effort) < NOISE else effort
