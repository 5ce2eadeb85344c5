"""A part of the inspector that can be folded."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from simulator.gui.fields import ElidingLabel
from simulator.gui.panels.panel import column_layout


class Fold(QFrame):
    """A title with an arrow, a remark at its right, and a body below it. `unfolded` carries whether the body is shown,
    when the user has changed that."""

    unfolded = pyqtSignal(bool)

    def __init__(self, name: str, title: str, body: QWidget, *, is_open: bool) -> None:
        super().__init__()
        self.setObjectName("section")
        self.name, self.body = name, body
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.button, self.remark = QToolButton(), ElidingLabel("", "muted")
        self.button.setObjectName("sectionTitle")
        self.button.setText(title)
        self.button.setCheckable(True)
        self.button.setAutoRaise(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.remark.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = QHBoxLayout()
        head.setContentsMargins(4, 2, 12, 2)
        head.addWidget(self.button)
        head.addWidget(self.remark, 1)
        column = column_layout(self)
        column.addLayout(head)
        column.addWidget(body)
        self.set_open(is_open)
        self.button.clicked.connect(self._clicked)

    @property
    def is_open(self) -> bool:
        """Whether the body is shown."""
        return self.button.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Show the body, or fold it away."""
        self.button.setChecked(is_open)
        self.button.setArrowType(Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow)
        self.body.setVisible(is_open)

    def _clicked(self, is_open: bool) -> None:
        self.set_open(is_open)
        self.unfolded.emit(is_open)
