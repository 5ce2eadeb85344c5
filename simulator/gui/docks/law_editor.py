"""Three fields for the law of a coupling, live: q_follower = multiplier · (q_leader − reference) + offset."""

from __future__ import annotations

import math

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout

from simulator.gui.fields import label, restyle, tabular
from simulator.gui.units import MINUS, Units, compact
from simulator.mechanism.types import AxisInfo, Coupling
from simulator.session.commands import SetCoupling

PATIENCE = 700
"""After this time without news the fields show again what holds [ms]."""

DIGITS = 10


class NumberField(QLineEdit):
    """A number or a fraction such as 1/3; `entered` is emitted with a new value only."""

    entered = pyqtSignal(float)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("role", "number")
        self.setAccessibleName(name)
        self.setFont(tabular(self.font()))
        self._shown = ""
        self.editingFinished.connect(self._finished)
        self.textEdited.connect(lambda text: self._mark(parse_number(text) is None))

    def show_value(self, value: float) -> None:
        """Show a value; what was being typed is lost."""
        self._shown = compact(value, DIGITS)
        self.setText(self._shown)
        self.setCursorPosition(0)
        self._mark(False)

    def _finished(self) -> None:
        if self.text() == self._shown:
            return
        value = parse_number(self.text())
        if value is None:
            self.setText(self._shown)
            self._mark(False)
            return
        self._shown = self.text()
        self.entered.emit(value)

    def _mark(self, wrong: bool) -> None:
        level = "error" if wrong else ""
        if self.property("level") != level:
            self.setProperty("level", level)
            restyle(self)


class LawEditor(QFrame):
    """`commanded` carries a `SetCoupling`. The fields show what the simulation says; a change that it refuses falls back."""

    commanded = pyqtSignal(object)

    def __init__(self, index: int, document: Coupling, follower: AxisInfo, leader: AxisInfo, units: Units) -> None:
        super().__init__()
        self.setObjectName("lawEditor")
        self._index, self._document, self._now = index, document, document
        self._follower, self._leader, self._units = follower, leader, units
        self._message_before = ""
        self.multiplier = NumberField(self.tr("Multiplier"))
        self.reference = NumberField(self.tr("Reference"))
        self.offset = NumberField(self.tr("Offset"))
        self.restore, self.message = QPushButton(self.tr("As in the document")), label("", "muted")
        self._unit_labels = [QLabel(), QLabel(), QLabel()]
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PATIENCE)
        self._timer.timeout.connect(self._show_fields)
        self._arrange()
        for field in (self.multiplier, self.reference, self.offset):
            field.entered.connect(lambda _value: self._send())
        self.restore.clicked.connect(lambda _checked=False: self._ask(self._document))
        self.show_law(document)

    @property
    def waiting(self) -> bool:
        """Whether a change was sent that the simulation has not answered."""
        return self._timer.isActive()

    def show_law(self, coupling: Coupling) -> None:
        """The law that holds now."""
        self._now = coupling
        self._timer.stop()
        self.message.hide()
        self._show_fields()

    def hear(self, message: str) -> None:
        """What the simulation says; news while a change waits for its answer are a refusal."""
        if not self.waiting:
            self._message_before = message
        elif not message:
            self._message_before = ""
        elif message != self._message_before:
            self._timer.stop()
            self._show_fields()
            self.message.setText(message)
            self.message.show()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self._units = units
        self._show_fields()

    def _show_fields(self) -> None:
        law, units, follower, leader = self._now, self._units, self._follower, self._leader
        own, others = units.factor(follower), units.factor(leader)
        self.multiplier.show_value(law.multiplier * own / others)
        self.reference.show_value(law.reference * others)
        self.offset.show_value(law.offset * own)
        same = follower.unit == leader.unit
        names = (
            "" if same else f"{units.unit(follower)}/{units.unit(leader)}",
            units.unit(leader),
            units.unit(follower),
        )
        for shown, name in zip(self._unit_labels, names, strict=True):
            shown.setText(name)
        self.restore.setEnabled(law != self._document)

    def _send(self) -> None:
        own, others = self._units.factor(self._follower), self._units.factor(self._leader)
        law, fields = self._now, (self.multiplier, self.reference, self.offset)
        typed = [parse_number(field.text()) for field in fields]
        before = (law.multiplier * own / others, law.reference * others, law.offset * own)
        exact = (law.multiplier, law.reference, law.offset)
        factors = (own / others, others, own)
        # a field that was not touched keeps its value to the last bit, although it shows fewer digits
        values = [
            kept if value is None or compact(shown, DIGITS) == compact(value, DIGITS) else value / factor
            for value, shown, kept, factor in zip(typed, before, exact, factors, strict=True)
        ]
        self._ask_for(values[0], values[2], values[1])

    def _ask(self, law: Coupling) -> None:
        self._ask_for(law.multiplier, law.offset, law.reference)

    def _ask_for(self, multiplier: float, offset: float, reference: float) -> None:
        self.message.hide()
        self._timer.start()
        self.commanded.emit(SetCoupling(self._index, multiplier, offset, reference))

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(9, 8, 9, 9)
        column.setSpacing(6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        rows = (
            (self.tr("multiplier"), self.multiplier),
            (self.tr("reference"), self.reference),
            (self.tr("offset"), self.offset),
        )
        for row, ((name, field), unit) in enumerate(zip(rows, self._unit_labels, strict=True)):
            grid.addWidget(label(name, "muted"), row, 0)
            grid.addWidget(field, row, 1)
            grid.addWidget(unit, row, 2)
        column.addLayout(grid)
        leader = self._leader.name.rsplit("::", 1)[-1]
        self.multiplier.setToolTip(self.tr("How far it moves for each unit of {leader}").format(leader=leader))
        self.reference.setToolTip(
            self.tr("The position of {leader} at which it stands at the offset").format(leader=leader)
        )
        self.offset.setToolTip(self.tr("Where it stands when {leader} is at the reference").format(leader=leader))
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.restore)
        column.addLayout(last)
        self.message.setProperty("level", "error")
        self.message.setWordWrap(True)
        self.message.hide()
        column.addWidget(self.message)


def parse_number(text: str) -> float | None:
    """'0.05', '−1/3', '2e-3'; None for what is no finite number."""
    over, slash, under = text.replace(MINUS, "-").replace(" ", "").partition("/")
    try:
        value = float(over) / float(under) if slash else float(over)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None
