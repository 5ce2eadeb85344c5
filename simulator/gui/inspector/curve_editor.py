"""A field for the text of a law that is not a straight line, live: coefficients, rows of a table, or an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton

from simulator.gui.fields import label
from simulator.gui.panels.panel import column_layout
from simulator.gui.sent_command import SentCommand
from simulator.gui.units import compact
from simulator.mechanism.coupling_law import law_of
from simulator.model.laws import LawKind
from simulator.session.commands.commands import SetCoupling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.gui.units import Units
    from simulator.mechanism.types import AxisInfo, Coupling
    from simulator.session.run.client import Status

LINES = 4
"""Lines of the field; longer texts scroll."""


class CurveEditor(QFrame):
    """`commanded` carries a `SetCoupling`, as `LawEditor`'s. The text is in the units of the document, rad and m,
    whatever the window shows."""

    commanded = pyqtSignal(object)

    def __init__(self, index: int, document: Coupling, axes: Sequence[AxisInfo]) -> None:
        super().__init__()
        self.setObjectName("lawEditor")
        self._index = index
        self._document = self._now = document
        self._sent = SentCommand()
        self.text = QPlainTextEdit()
        self.apply, self.restore = QPushButton(self.tr("Apply")), QPushButton(self.tr("As in the document"))
        self.message = label("", "muted")
        self._arrange(self._hint(axes))
        self.text.textChanged.connect(self._on_typed)
        self.apply.clicked.connect(lambda _checked=False: self._ask(self.text.toPlainText()))
        self.restore.clicked.connect(lambda _checked=False: self._ask(str(law_of(self._document))))
        self.show_law(document)

    def show_law(self, coupling: Coupling) -> None:
        """The law that holds now."""
        self._now = coupling
        self.message.hide()
        self._show_text()

    def sent(self, number: int) -> None:
        """Set the number of the last command; 0 if nothing received it."""
        self._sent.wait_for(number)

    def on_status(self, status: Status) -> None:
        """What the simulation says; a text that it refused stays, with the reason."""
        refusal = self._sent.answer(status)
        if refusal:
            self.message.setText(refusal)
            self.message.show()

    def set_units(self, units: Units) -> None:
        """Nothing: a formula has no unit that could be converted."""

    def _shown(self) -> str:
        text = str(law_of(self._now))
        return text.replace("; ", "\n")  # rows of a table, as they are written

    def _show_text(self) -> None:
        if self.text.toPlainText() != self._shown():
            self.text.setPlainText(self._shown())
        self._on_typed()

    def _on_typed(self) -> None:
        self.apply.setEnabled(self.text.toPlainText() != self._shown())
        self.restore.setEnabled(self._now != self._document)

    def _ask(self, text: str) -> None:
        self.message.hide()
        self.commanded.emit(SetCoupling.of(self._index, text))

    def _hint(self, axes: Sequence[AxisInfo]) -> str:
        curve = self._document.curve
        if self._document.bounds:
            bound = compact(self._document.real.half_width)
            return self.tr("An expression over the joints, from −{bound} to {bound} [rad, m]").format(bound=bound)
        if curve is None or curve.law is None:
            return self.tr("An expression over the joints that is held at 0 [rad, m]")
        leader, follower = axes[self._document.leader], axes[self._document.follower]
        units = {"own": follower.unit, "other": leader.unit}
        if curve.law.kind is LawKind.POLYNOMIAL:
            return self.tr("Coefficients a0 a1 a2 …, from {other} to {own}").format(**units)
        if curve.law.kind is LawKind.TABLE:
            return self.tr("Rows: leader [{other}], follower [{own}]").format(**units)
        return self.tr("An expression over q, the leader [{other}], in {own}").format(**units)

    def _arrange(self, hint: str) -> None:
        column = column_layout(self, spacing=6)
        column.setContentsMargins(9, 8, 9, 9)
        self.text.setAccessibleName(self.tr("Law"))
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(LINES * self.text.fontMetrics().lineSpacing() + 14)
        caption = label(hint, "muted")
        caption.setWordWrap(True)
        column.addWidget(caption)
        column.addWidget(self.text)
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.restore)
        last.addWidget(self.apply)
        column.addLayout(last)
        self.message.setProperty("level", "error")
        self.message.setWordWrap(True)
        self.message.hide()
        column.addWidget(self.message)
