"""Fields for the law of a coupling, live: q_follower = multiplier · (q_leader − reference) + offset, and further
leaders."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton

from simulator.gui.fields import ElidingLabel, label
from simulator.gui.laws import law_names
from simulator.gui.number_field import DIGITS, NumberField
from simulator.gui.panels.panel import column_layout
from simulator.gui.sent_command import SentCommand
from simulator.gui.units import Units, compact
from simulator.mechanism.types import AxisInfo, Coupling
from simulator.session.commands.commands import SetCoupling
from simulator.session.run.client import Status


class LawEditor(QFrame):
    """`commanded` carries a `SetCoupling`; its receiver reports the number of the command with `sent`. The fields
    show the law that the simulation reports; a change that it refuses is reverted.

    All leaders share one multiplier. The reference is that of the first leader: together with the offset it gives the
    constant of the law.
    """

    commanded = pyqtSignal(object)

    def __init__(self, index: int, document: Coupling, axes: Sequence[AxisInfo], units: Units) -> None:
        super().__init__()
        self.setObjectName("lawEditor")
        self._index = index
        self._document = document
        self._now = document
        self._units = units
        self._follower = axes[document.follower]
        self._leaders = [axes[axis] for axis, _ in document.leaders]
        self.multipliers = [NumberField() for _ in self._leaders]
        self.reference, self.offset = NumberField(), NumberField()
        self._fields = (*self.multipliers, self.reference, self.offset)
        self._unit_labels = [QLabel() for _ in self._fields]
        self.restore, self.message = QPushButton(self.tr("As in the document")), label("", "muted")
        self._sent = SentCommand()
        names = law_names(document, axes)
        self._arrange([names[axis] for axis, _ in document.leaders])
        for field in self._fields:
            field.entered.connect(lambda _value: self._send())
        self.restore.clicked.connect(lambda _checked=False: self._ask(_numbers(self._document)))
        self.show_law(document)

    @property
    def multiplier(self) -> NumberField:
        """The field of the first leader."""
        return self.multipliers[0]

    def show_law(self, coupling: Coupling) -> None:
        """The law that holds now."""
        self._now = coupling
        self.message.hide()
        self._show_fields()

    def sent(self, number: int) -> None:
        """Set the number of the last command; 0 if nothing received it."""
        self._sent.wait_for(number)

    def on_status(self, status: Status) -> None:
        """What the simulation says; it may have refused the law that was sent."""
        refusal = self._sent.answer(status)
        if refusal is None:
            return
        self._show_fields()
        if refusal:
            self.message.setText(self._units.in_text(refusal))
            self.message.show()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self._units = units
        self._show_fields()

    def _factors(self) -> list[float]:
        """Shown value = factor * SI value, of every field."""
        own = self._units.factor(self._follower)
        leaders = [self._units.factor(axis) for axis in self._leaders]
        return [*(own / other for other in leaders), leaders[0], own]

    def _unit_names(self) -> list[str]:
        own = self._units.unit(self._follower)
        leaders = [self._units.unit(axis) for axis in self._leaders]
        return [*("" if other == own else f"{own}/{other}" for other in leaders), leaders[0], own]

    def _show_fields(self) -> None:
        for field, value, factor in zip(self._fields, _numbers(self._now), self._factors(), strict=True):
            field.show_value(value * factor)
        for shown, name in zip(self._unit_labels, self._unit_names(), strict=True):
            shown.setText(name)
        self.restore.setEnabled(self._now != self._document)

    def _send(self) -> None:
        values = []
        for field, kept, factor in zip(self._fields, _numbers(self._now), self._factors(), strict=True):
            typed = field.number()
            # a field that was not touched keeps its value to the last bit, although it shows fewer digits
            same = typed is None or compact(kept * factor, DIGITS) == compact(typed, DIGITS)
            values.append(kept if typed is None or same else typed / factor)
        self._ask(values)

    def _ask(self, numbers: Sequence[float]) -> None:
        first, *others, reference, offset = numbers
        command = SetCoupling(self._index, first, offset, reference, tuple(others))
        self.message.hide()
        self.commanded.emit(command)

    def _arrange(self, leaders: Sequence[str]) -> None:
        column = column_layout(self, spacing=6)
        column.setContentsMargins(9, 8, 9, 9)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        several = len(leaders) > 1
        grid.setColumnStretch(0, 1 if several else 0)  # names of joints may be long, and end in dots then
        grid.setColumnStretch(1, 1)
        texts = self._texts(leaders)
        for row, ((name, tip), field, unit) in enumerate(zip(texts, self._fields, self._unit_labels, strict=True)):
            field.setAccessibleName(name)
            field.setToolTip(tip)
            grid.addWidget(ElidingLabel(name, "muted") if several else label(name, "muted"), row, 0)
            grid.addWidget(field, row, 1)
            grid.addWidget(unit, row, 2)
        column.addLayout(grid)
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.restore)
        column.addLayout(last)
        self.message.setProperty("level", "error")
        self.message.setWordWrap(True)
        self.message.hide()
        column.addWidget(self.message)

    def _texts(self, leaders: Sequence[str]) -> list[tuple[str, str]]:
        """Caption and tool tip of every field."""
        several = len(leaders) > 1
        first = leaders[0]
        caption = self.tr("× {leader}") if several else self.tr("multiplier")
        far = self.tr("Displacement for each unit of {leader}")
        reference = self.tr("reference of {leader}") if several else self.tr("reference")
        stands = self.tr("Position of {leader} at which this joint is at the offset")
        offset = self.tr("Position of this joint when {leader} is at the reference")
        if several:
            stands, offset = (
                self.tr("{text}, the other leaders at zero").format(text=text) for text in (stands, offset)
            )
        return [
            *((caption.format(leader=leader), far.format(leader=leader)) for leader in leaders),
            (reference.format(leader=first), stands.format(leader=first)),
            (self.tr("offset"), offset.format(leader=first)),
        ]


def _numbers(law: Coupling) -> tuple[float, ...]:
    """In the order of the fields: a multiplier for every leader, reference, offset."""
    return (*(multiplier for _, multiplier in law.leaders), law.reference, law.offset)
