"""Axes that the user cannot move: followers with their law and residual, and axes of loop joints."""

from __future__ import annotations

from PyQt6.QtCore import QCoreApplication, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from simulator.gui.fields import ElidingLabel, label, restyle, set_picture
from simulator.gui.laws import kind_text, law_text
from simulator.gui.theme import Tokens
from simulator.gui.units import Units, scientific, symbol
from simulator.mechanism.types import AxisInfo, Coupling


class FollowerRow(QFrame):
    """One locked axis. `coupling` says what it follows, `laws` are the names in its law; without a coupling it is
    an axis of a loop joint, measured from the bodies."""

    picked = pyqtSignal(int)

    def __init__(
        self, index: int, axis: AxisInfo, name: str, coupling: Coupling | None, laws: tuple[str, ...], tokens: Tokens
    ) -> None:
        super().__init__()
        self.setObjectName("follower")
        self.index, self.axis = index, axis
        self._coupling = coupling
        self._picture = QLabel()
        self.live, self.residual = label("", digits=True), label("", "muted", digits=True)
        self.law = label(_law(coupling, laws), "law" if coupling else "muted")
        self.law.setWordWrap(True)
        self.residual.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.residual.setMinimumWidth(self.fontMetrics().horizontalAdvance("|r| = 8.8e−88 rad"))
        self._arrange(name)
        self.set_tokens(tokens)

    def show_state(self, position: float, residual: float | None, units: Units) -> None:
        """The newest numbers [SI]."""
        self.live.setText(f"{symbol(self.axis)} = {units.text(self.axis, position)}")
        if residual is not None:
            shown = scientific(abs(residual) * units.factor(self.axis))
            self.residual.setText(f"|r| = {shown} {units.unit(self.axis)}")

    def set_selected(self, selected: bool) -> None:
        """Mark the row as selected in the view or the tree."""
        self.setProperty("selected", "true" if selected else "false")
        restyle(self)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        set_picture(
            self._picture, "lock" if self._coupling else "loop", tokens.follower if self._coupling else tokens.muted
        )

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """A click selects the joint."""
        self.picked.emit(self.index)
        super().mousePressEvent(event)

    def _arrange(self, name: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 5, 10, 6)
        column.setSpacing(3)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self._picture)
        first.addWidget(ElidingLabel(name, "name"), 1)
        first.addWidget(self.live)
        second.addWidget(self.law, 1)
        second.addWidget(self.residual)
        column.addLayout(first)
        column.addLayout(second)
        kind = kind_text(self._coupling) if self._coupling else ""
        self.setToolTip(f"{self.axis.name}\n{kind}".strip())


def _law(coupling: Coupling | None, names: tuple[str, ...]) -> str:
    if coupling is None:
        return QCoreApplication.translate("FollowerRow", "loop joint: measured, cannot be driven")
    kind = kind_text(coupling)
    law = law_text(coupling, names)
    return law if kind == "mimic" else f"{law}   ({kind})"
