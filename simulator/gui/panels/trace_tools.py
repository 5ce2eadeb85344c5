"""Tools of the plots: list the channels, measure between cursors, residuals in decades, save the plots on
show."""

from __future__ import annotations

from PyQt6.QtCore import QSize, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from simulator.gui.fields import mark
from simulator.gui.file_names import ask_target
from simulator.gui.resources import icon
from simulator.gui.theme import Theme, Tokens
from simulator.gui.traces.figures import FORMATS

USUAL, SMALL = 17, 15
"""Size of the icons [px]."""


class TraceTools(QWidget):
    """Four buttons. `chosen` carries the file to be written."""

    chosen = pyqtSignal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.channels, self.cursors = QToolButton(), QToolButton()
        self.logarithmic, self.save = QToolButton(), QToolButton()
        self._buttons = self.channels, self.cursors, self.logarithmic, self.save
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        texts = (
            self.tr("List of channels"),
            self.tr("Two cursors: difference, mean and RMS between them"),
            self.tr("Residuals by their magnitude, in decades"),
            self.tr("Save what is on show as CSV, or as a figure: SVG, PDF, PNG"),
        )
        for button, text in zip(self._buttons, texts, strict=True):
            button.setCheckable(button is not self.save)
            button.setAutoRaise(True)
            button.setIconSize(QSize(USUAL, USUAL))
            button.setToolTip(text)
            button.setAccessibleName(text)
            row.addWidget(button)
        self.save.clicked.connect(lambda _checked=False: self._ask())
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)

    def set_small(self, on: bool) -> None:
        """Buttons for a bar that has little room."""
        for button in self._buttons:
            mark(button, "slim", "true" if on else "")
            button.setIconSize(QSize(SMALL, SMALL) if on else QSize(USUAL, USUAL))
            button.updateGeometry()

    def _ask(self) -> None:
        path = ask_target(self, "traces", self.tr("Save the traces"), FORMATS, "traces.csv")
        if path is not None:
            self.chosen.emit(path)

    def _set_tokens(self, tokens: Tokens) -> None:
        for button, name in zip(self._buttons, ("list", "cursors", "log-axis", "export"), strict=True):
            button.setIcon(icon(name, tokens))
