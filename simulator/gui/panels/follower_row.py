"""Axes that the user cannot move: followers with their law and residual, and axes of loop joints."""

from __future__ import annotations

from PyQt6.QtCore import QCoreApplication, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QResizeEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout

from simulator.diagnostics import printable
from simulator.gui.fields import ElidingLabel, NumberLabel, label, mark, set_picture, tip
from simulator.gui.laws import Names, kind_text, law_text, written_law
from simulator.gui.resources import icon
from simulator.gui.theme import Tokens
from simulator.gui.units import Units, scientific, symbol
from simulator.mechanism.types import AxisInfo, Coupling

ROOM = 36
"""Margins of a row and what is between its parts [px]."""


class FollowerRow(QFrame):
    """One dependent axis. `coupling`: what it follows, `laws`: the names in its law; without a coupling it is an
    axis of a loop joint, measured from the bodies. `edited` asks for its law in the inspector."""

    picked = pyqtSignal(int)
    edited = pyqtSignal(int)

    def __init__(
        self,
        index: int,
        axis: AxisInfo,
        name: str,
        coupling: Coupling | None,
        laws: Names,
        tokens: Tokens,
    ) -> None:
        super().__init__()
        self.setObjectName("follower")
        self.index, self.axis = index, axis
        self._coupling, self._laws = coupling, laws
        self.edit = QToolButton()
        self._picture = QLabel()
        self._name = ElidingLabel(name, "name")
        self.live, self.residual = NumberLabel(), NumberLabel("muted")
        self.law = label(_law(coupling, laws), "law" if coupling else "muted")
        self.law.setWordWrap(True)
        self.residual.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self._arrange(name)
        self.set_tokens(tokens)

    def offer_to_lead(self, name: str) -> QPushButton:
        """Says what moves it, and offers to let it lead instead; the button that does."""
        self.law.setText(self.tr("moved along"))
        button = QPushButton(self.tr("Drive this instead"))
        button.setAccessibleName(self.tr("Drive {name} instead").format(name=name))
        self._column.addWidget(button)
        return button

    def show_state(self, position: float, residual: float | None, units: Units) -> None:
        """The newest numbers [SI]."""
        value = units.text(self.axis, position)
        whole = f"{symbol(self.axis)} = {value}"
        self.live.setText(whole if self._has_room(whole) else value)
        if residual is not None:
            shown = scientific(abs(residual) * units.factor(self.axis))
            self.residual.setText(f"|r| = {shown} {units.unit(self.axis)}")

    def _has_room(self, text: str) -> bool:
        """Whether the whole name is to be read beside it: it tells the rows apart."""
        taken = self._picture.sizeHint().width() + (self.edit.sizeHint().width() if self._coupling is not None else 0)
        name = self._name.fontMetrics().horizontalAdvance(self._name.text())
        return name + self.live.fontMetrics().horizontalAdvance(text) + taken + ROOM <= self.width()

    def show_law(self, coupling: Coupling) -> None:
        """The law that holds now; where it is not the document's, the row says so."""
        document = self._coupling
        if document is None:
            return
        changed = coupling != document
        mark = self.tr("changed")
        self.law.setText(_law(coupling, self._laws) + (f"   ({mark})" if changed else ""))
        sentence = self.tr("in the document: {law}")
        self.law.setToolTip(tip(sentence.format(law=law_text(document, self._laws))) if changed else "")

    def set_selected(self, selected: bool) -> None:
        """Mark the row as selected in the view or the tree."""
        mark(self, "selected", "true" if selected else "false")

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        set_picture(
            self._picture, "lock" if self._coupling else "loop", tokens.follower if self._coupling else tokens.muted
        )
        self.edit.setIcon(icon("edit", tokens, tokens.muted))

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Numbers take the room that they need now."""
        super().resizeEvent(a0)
        self.live.give_way()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """A click selects the joint."""
        self.picked.emit(self.index)
        super().mousePressEvent(event)

    def _arrange(self, name: str) -> None:
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(10, 5, 10, 6)
        column.setSpacing(3)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self._picture)
        first.addWidget(self._name, 1)
        first.addWidget(self.live)
        second.addWidget(self.law, 1)
        second.addWidget(self.residual)
        column.addLayout(first)
        column.addLayout(second)
        if self._coupling is not None:
            self._add_pencil(name, first)
        kind = kind_text(self._coupling) if self._coupling else ""
        self.setToolTip(tip(f"{printable(self.axis.name)}\n{kind}".strip()))

    def _add_pencil(self, name: str, first: QHBoxLayout) -> None:
        self.edit.setObjectName("editLaw")
        self.edit.setIconSize(QSize(14, 14))
        self.edit.setAccessibleName(self.tr("Change the law of {name}").format(name=name))
        self.edit.setToolTip(self.tr("Change the law while it runs"))
        first.addWidget(self.edit)
        self.edit.clicked.connect(lambda _checked=False: self.edited.emit(self.index))


def _law(coupling: Coupling | None, names: Names) -> str:
    if coupling is None:
        return QCoreApplication.translate("FollowerRow", "closes a loop: measured")
    kind = kind_text(coupling)
    law = written_law(coupling, names) if coupling.others else law_text(coupling, names)
    return law if kind == "mimic" or coupling.curve is not None else f"{law}   ({kind})"
