"""The common part of the cards of axes and of actuators: the choice of a drive, its value, and the editor of drives
over time."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.fields import NoWheelComboBox, NumberLabel, ValueSpin, label, mark
from simulator.gui.panels.drive_suggestion import DriveSuggestion
from simulator.gui.panels.panel import column_layout
from simulator.gui.panels.profile_editor import ProfileEditor
from simulator.gui.units import Units
from simulator.session.commands.commands import SetDrive, SetPosition
from simulator.session.run.client import Status

KINDS = (None, DriveKind.POSITION, DriveKind.VELOCITY, DriveKind.EFFORT)

OVER_TIME = len(KINDS)
"""The last choice: a drive that changes over time."""

FIELD, LEAST_FIELD = 104, 76
"""Width of a field for a number with its unit, and the least of it where the column is narrow, see `scaled`."""


class DriveCard(QFrame):
    """`commanded` carries commands; the receiver of one reports its number with `sent`.

    `target` is the name of the axis, or `actuator/NAME`; `name` is what the user reads. The card shows how the
    simulation drives it, and a drive that was sent until the simulation has answered.
    """

    commanded = pyqtSignal(object)

    def __init__(self, target: str, name: str, suggestion: DriveSuggestion, units: Units) -> None:
        super().__init__()
        self.setObjectName("card")
        self.target, self.name = target, name
        self._suggestion, self._units = suggestion, units
        self._position = 0.0
        self._drive: Drive | None = None
        self._number, self._refused = 0, False
        self.profile: ProfileEditor | None = None
        self._picture, self.live, self.message = QLabel(), NumberLabel(), label("", "muted")
        self.kind, self.value = NoWheelComboBox(), ValueSpin(3, "")
        self.kind.addItems([self.tr("No drive"), self.tr("Position"), self.tr("Velocity"), self.tr("Effort")])
        self.kind.addItem(self.tr("Over time"))
        self.kind.picked.connect(self._offer_number)
        self.kind.setAccessibleName(self.tr("Drive of {name}").format(name=name))
        self.value.setAccessibleName(self.tr("Drive value of {name}").format(name=name))
        self.value.set_width(FIELD, LEAST_FIELD)
        self._column = column_layout(self, spacing=5)
        self._column.setContentsMargins(8, 8, 8, 9)
        self.message.setWordWrap(True)
        self.message.hide()

    def drive_kind(self) -> DriveKind | None:
        """Which value it holds; None where it moves by itself, or is driven over time."""
        return None if self.over_time else KINDS[self.kind.currentIndex()]

    @property
    def over_time(self) -> bool:
        """Whether the card shows a drive that changes over time."""
        return self.kind.currentIndex() == OVER_TIME

    @property
    def drive(self) -> Drive | None:
        """The drive on show: what runs, or is about to."""
        return self._drive

    def sent(self, number: int) -> None:
        """Set the number of the last command of this card; 0 if nothing received it."""
        self._number = number

    def on_status(self, drive: Drive | None, status: Status) -> None:
        """How the simulation drives it; what is under way goes first."""
        if status.answered < self._number or self._under_way():
            return
        number = self._number
        self._number = 0
        refusal = self._units.in_text(status.refusal(number)) if number else ""
        if refusal and self.profile is not None and self.over_time:
            self._drive = drive
            self.profile.refuse(refusal, drive)
            return
        if drive != self._drive:
            self.show_drive(drive)
        if refusal:
            self.note(refusal, "error")
        elif number and self._refused:
            self.note("")

    def show_drive(self, drive: Drive | None) -> None:
        """Show a drive, None for none, without asking for anything."""
        self._drive = drive
        over_time = drive is not None and drive.level is None
        self._show_choice(OVER_TIME if over_time else KINDS.index(drive.kind if drive is not None else None))
        self._kind_shown()
        if drive is not None and drive.level is not None:
            self._show_value(drive.kind, drive.level)
        elif drive is not None:
            self._editor().show_running(drive)

    def note(self, text: str, level: str = "") -> None:
        """A sentence below the controls, '' for none."""
        self._refused = level == "error"
        self.message.setText(text)
        self.message.setVisible(bool(text))
        mark(self.message, "level", level)

    def _number_field(self) -> ValueSpin:
        """Where the number of the drive on show is typed."""
        return self.value

    def _offer_number(self) -> None:
        """The number of a drive is typed after the drive is chosen."""
        if self.drive_kind() is not None:
            field = self._number_field()
            field.setFocus()
            field.selectAll()

    def _under_way(self) -> bool:
        """Whether something is about to be sent."""
        return False

    def _kind_shown(self) -> None:
        """Another kind of drive is shown: show the fields that belong to it."""
        raise NotImplementedError

    def _show_value(self, kind: DriveKind, value: float) -> None:
        """Show the number of a drive [SI]."""
        raise NotImplementedError

    def _ask(self, drive: Drive | None) -> None:
        self._drive = drive
        self._send(SetDrive(self.target, drive))

    def _send(self, command: SetDrive | SetPosition) -> None:
        if (
            not self._refused
        ):  # a refusal stays until the answer: under a slider that is dragged on, it would come and go
            self.note("")
        self.commanded.emit(command)

    def _show_choice(self, index: int) -> None:
        """Show a choice, as an index of the combo box, without asking for anything."""
        self.kind.blockSignals(True)
        self.kind.setCurrentIndex(index)
        self.kind.blockSignals(False)

    def _editor(self) -> ProfileEditor:
        """Made when it is first needed: there may be a hundred cards."""
        if self.profile is None:
            self.profile = ProfileEditor(self.target, self._suggestion)
            self.profile.entered.connect(self._ask)
            self._column.addWidget(self.profile)
        self.profile.show()
        return self.profile
