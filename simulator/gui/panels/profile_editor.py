"""A drive that changes over time: a shape from a menu or a text as on the command line, checked while typing, sent
on Enter."""

from __future__ import annotations

import re
from pathlib import Path

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from simulator.engine.drives import Drive, DriveKind
from simulator.errors import SimulatorError
from simulator.gui.fields import NoWheelComboBox, label, mark, tabular
from simulator.gui.file_names import ask_existing
from simulator.gui.panels.drive_suggestion import SHAPES, DriveSuggestion
from simulator.gui.panels.flow import FlowLayout
from simulator.gui.panels.panel import column_layout
from simulator.session.text.drive_text import format_drive, parse_drive

CHECK_AFTER = 250
"""The text is checked once nothing was typed for this long [ms]."""

LARGEST = 16 * 1024 * 1024
"""Larger files are not read while the user types [bytes]."""

KINDS = tuple(DriveKind)

_HEAD = re.compile(r"\s*(position|velocity|effort)\s*:\s*(.*)", re.DOTALL)


class ProfileEditor(QFrame):
    """`entered` carries the edited `Drive`.

    `target` is the name of the axis, or `actuator/NAME`.
    """

    entered = pyqtSignal(object)

    def __init__(self, target: str, suggestion: DriveSuggestion) -> None:
        super().__init__()
        self.setObjectName("profileEditor")
        self._target, self._suggestion = target, suggestion
        self._running: Drive | None = None
        self._parsed: Drive | None = None
        self._running_text = ""
        self._offered = ""
        self._now = 0.0
        self.kind, self.shape, self.field = NoWheelComboBox(), NoWheelComboBox(), QLineEdit()
        self.start, self.message = QPushButton(self.tr("Start")), label("", "muted")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_AFTER)
        self._timer.timeout.connect(self._check)
        self._fill()
        self._arrange()
        self._connect()

    @property
    def text(self) -> str:
        """The text of the fields, as the command line has it after '='."""
        return f"{KINDS[self.kind.currentIndex()].value}:{self.field.text().strip()}"

    @property
    def running(self) -> Drive | None:
        """The drive that runs, as far as is known."""
        return self._running

    def offer(self, now: float, running: Drive | None) -> None:
        """Suggest a gentle sine around the position `now` [SI]; `running` is the drive that stays in effect until
        Enter, None for no drive."""
        self._now = now
        self._runs(running)
        if not self.field.text() or self.field.text() == self._offered:
            self._suggest(self.shape.itemData(max(self.shape.currentIndex(), 0)) or SHAPES[0])
        self._check()

    def show_running(self, drive: Drive) -> None:
        """Show what runs."""
        self._runs(drive)
        if self._take(self._running_text):
            self._offered = ""
        self._check()

    def refuse(self, reason: str, running: Drive | None) -> None:
        """The simulation refused the profile, which stays in the editor for correction; `running` stays in effect."""
        self._runs(running)
        self._check()
        self._show_hint(reason, "error")

    def _runs(self, drive: Drive | None) -> None:
        if drive != self._running or drive is None:
            self._running_text = format_drive(drive) if drive is not None else ""
        self._running = drive

    def _fill(self) -> None:
        self.kind.addItems([self.tr("Position"), self.tr("Velocity"), self.tr("Effort")])
        self.kind.setAccessibleName(self.tr("What is driven over time"))
        names = (self.tr("Sine"), self.tr("Ramp"), self.tr("Step"), self.tr("Chirp"))
        for name, shape in zip(names, SHAPES, strict=True):
            self.shape.addItem(name, shape)
        self.shape.addItem(self.tr("File …"), "@")
        self.shape.setPlaceholderText(self.tr("Shape"))
        self.shape.setAccessibleName(self.tr("Shape of the drive over time"))
        self.field.setAccessibleName(self.tr("Drive over time of {name}").format(name=self._target))
        self.field.setProperty("role", "number")
        self.field.setFont(tabular(self.field.font()))
        self.field.setToolTip(
            self.tr(
                "A number, sine(…), ramp(…), step(…), chirp(…), a formula expression(…) over t,\n"
                "@FILE for a CSV file with times and values, or @FILE,spline for a smooth curve through them.\n"
                "Behind it ,pid(p=…,i=…,d=…) gives the gains of the loop. As on the command line, in SI units."
            )
        )
        self.message.setWordWrap(True)

    def _arrange(self) -> None:
        column = column_layout(self, spacing=6)
        column.setContentsMargins(9, 8, 9, 8)
        choices = QWidget()
        row = FlowLayout(choices, margin=2)
        row.addWidget(self.kind)
        row.addWidget(self.shape)
        row.spring()
        row.addWidget(self.start)
        column.addWidget(choices)
        column.addWidget(self.field)
        column.addWidget(self.message)

    def _connect(self) -> None:
        self.kind.activated.connect(lambda _index: self._kind_chosen())
        self.shape.activated.connect(lambda _index: self._shape_chosen(self.shape.currentData()))
        self.field.textEdited.connect(lambda _text: self._typed())
        self.field.returnPressed.connect(self._enter)
        self.start.clicked.connect(lambda _checked=False: self._enter())

    def _kind_chosen(self) -> None:
        if self.field.text() == self._offered:
            self._suggest(self.shape.currentData() or SHAPES[0])
        self._check()

    def _shape_chosen(self, shape: str) -> None:
        if shape != "@":
            self._suggest(shape)
        else:
            self._ask_file()
        self._check()

    def _suggest(self, shape: str) -> None:
        shape = shape if shape in SHAPES else SHAPES[0]
        self._offered = self._suggestion.text(shape, KINDS[self.kind.currentIndex()], self._now)
        self._write(self._offered)

    def _ask_file(self) -> None:
        title, kinds = self.tr("A motion over time"), self.tr("Tables (*.csv);;All files (*)")
        path = ask_existing(self, "csv", title, kinds)
        if path is None:
            return
        column = f"@{path}#{self._target}/{KINDS[self.kind.currentIndex()].value}"
        # a recording of this program has a column of that name; what else has two columns needs no name
        self._write(column if self._wrong(column) == "" else f"@{path}")

    def _write(self, what: str) -> None:
        self.field.setText(what)
        self.field.setCursorPosition(0)

    def _typed(self) -> None:
        match = _HEAD.fullmatch(self.field.text())
        if match is not None:  # the pasted text includes the kind of drive
            self._take(f"{match[1]}:{match[2]}")
        self._timer.start()

    def _take(self, text: str) -> bool:
        match = _HEAD.fullmatch(text)
        if match is None:
            return False
        self.kind.setCurrentIndex(KINDS.index(DriveKind(match[1])))
        if self.field.text() != match[2]:
            self._write(match[2])
        return True

    def _enter(self) -> None:
        self._timer.stop()
        if not self._check(thorough=True):
            return
        self._running, self._running_text = self._parsed, self.text
        self.entered.emit(self._running)
        self.field.clearFocus()  # so that the window's keys work again
        self._check()

    def _check(self, *, thorough: bool = False) -> bool:
        """Whether the text can be sent; says what is wrong, or what Enter does."""
        what = self.field.text().strip()
        self._show_shape(what)
        runs = self.text == self._running_text
        wrong = "" if runs and not thorough else self._wrong(what, thorough=thorough)
        kind = KINDS[self.kind.currentIndex()]
        unit = self._suggestion.unit_of(kind)
        if wrong:
            self._show_hint(wrong, "error")
        elif runs:
            self._show_hint(self.tr("Runs, in {unit}; time counts from the last reset.").format(unit=unit), "")
        elif self._running:
            text = self.tr("Press Enter to start, in {unit}; until then {drive} stays in effect.")
            self._show_hint(text.format(unit=unit, drive=self._running_text), "")
        else:
            self._show_hint(
                self.tr("Press Enter to start, in {unit}; time counts from the last reset.").format(unit=unit), ""
            )
        self.start.setEnabled(not wrong and not runs)
        return not wrong

    def _wrong(self, what: str, *, thorough: bool = True) -> str:
        """What is wrong with a command, in a sentence; empty where nothing is."""
        try:
            if what.startswith("@"):
                path = Path(what[1:].partition("#")[0].partition(",")[0])
                if path.exists() and not path.is_file():
                    return self.tr("'{path}' is not a file").format(path=path)
                if not thorough and path.exists() and path.stat().st_size > LARGEST:
                    return ""
            _, self._parsed = parse_drive(f"{self._target}={KINDS[self.kind.currentIndex()].value}:{what}")
        except (SimulatorError, OSError, ValueError) as error:  # names that no file can have, too
            return str(error)
        return ""

    def _show_shape(self, what: str) -> None:
        head = "@" if what.startswith("@") else what.partition("(")[0].strip()
        self.shape.setCurrentIndex(self.shape.findData(head))

    def _show_hint(self, text: str, level: str) -> None:
        self.message.setText(text)
        for widget in (self.message, self.field):
            mark(widget, "level", level)
