"""The start page: example worlds to click on, or what is wrong with the file that was to be opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPainter, QPainterPath, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from simulator.diagnostics import Diagnostic
from simulator.gui.fields import label
from simulator.gui.resources import picture_of, pixmap
from simulator.gui.theme import Theme, Tokens
from simulator.session.examples import Example, examples

CARD = QSize(252, 196)
PICTURE = QSize(250, 136)


class Gallery(QScrollArea):
    """`chosen` carries the file to open, `browse` asks for the file dialog."""

    chosen = pyqtSignal(Path)
    browse = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._examples = examples()
        self.cards: list[QPushButton] = []
        self._pictures: list[tuple[QLabel, Example]] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(44, 36, 44, 36)
        self._column.setSpacing(6)
        self.title, self.text = label("", "title"), label("", "muted")
        self.text.setWordWrap(True)
        self.setWidget(body)
        self._arrange()
        self.welcome()
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)

    def welcome(self) -> None:
        """The text of the start page."""
        self.title.setText(self.tr("Choose a mechanism"))
        self.text.setText(self.tr("Click an example, open an SDFormat or URDF file, or drop one onto this window."))

    def refuse(self, path: Path, findings: Sequence[Diagnostic]) -> None:
        """Say that a file cannot be shown, and why."""
        errors = [finding for finding in findings if finding.is_error]
        self.title.setText(self.tr("{name} cannot be simulated").format(name=path.name))
        lines = [f"•  {finding.message}" for finding in errors[:4]]
        if len(errors) > 4:
            lines.append(self.tr("…and {n} more").format(n=len(errors) - 4))
        note = self.tr("All findings are in the Diagnostics panel. The file is read again when you save it and reload.")
        self.text.setText("\n".join([*lines, "", note]))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """As many columns as fit."""
        super().resizeEvent(event)
        columns = max(1, (self.width() - 88) // (CARD.width() + 16))
        for index, card in enumerate(self.cards):
            self._grid.addWidget(card, index // columns, index % columns)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addWidget(self.title)
        texts.addWidget(self.text)
        head.addLayout(texts, 1)
        button = QPushButton(self.tr("Open file…"))
        button.setProperty("primary", "true")
        button.clicked.connect(self.browse)
        head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(head)
        self._column.addSpacing(18)
        self._grid = QGridLayout()
        self._grid.setSpacing(16)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for example in self._examples:
            self.cards.append(self._card(example))
        self._column.addLayout(self._grid)
        self._column.addStretch(1)

    def _card(self, example: Example) -> QPushButton:
        card = QPushButton()
        card.setObjectName("galleryCard")
        card.setFixedSize(CARD)
        card.setAccessibleName(example.title)
        card.setToolTip(str(example.path))
        card.setCursor(Qt.CursorShape.PointingHandCursor)
        card.clicked.connect(lambda _checked=False, path=example.path: self.chosen.emit(path))
        column = QVBoxLayout(card)
        column.setContentsMargins(1, 1, 1, 8)
        column.setSpacing(6)
        picture, name = QLabel(), QLabel(example.title)
        picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        picture.setFixedHeight(PICTURE.height())
        name.setWordWrap(True)
        name.setContentsMargins(11, 0, 11, 0)
        column.addWidget(picture)
        column.addWidget(name, 1)
        self._pictures.append((picture, example))
        return card

    def _set_tokens(self, tokens: Tokens) -> None:
        for widget, example in self._pictures:
            picture = picture_of(example.path)
            if picture is not None:
                widget.setPixmap(_rounded(QPixmap(str(picture))))
            else:
                widget.setPixmap(pixmap("model", tokens.disabled, 56, self.devicePixelRatioF()))


def _rounded(picture: QPixmap) -> QPixmap:
    """Filling the upper part of a card, its upper corners rounded."""
    scaled = picture.scaled(
        PICTURE, Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
    )
    result = QPixmap(PICTURE)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = QPainterPath()
    outline.addRoundedRect(0, 0, PICTURE.width(), PICTURE.height() + 20, 9, 9)
    painter.setClipPath(outline)
    painter.drawPixmap((PICTURE.width() - scaled.width()) // 2, (PICTURE.height() - scaled.height()) // 2, scaled)
    painter.end()
    return result
