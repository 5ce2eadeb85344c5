"""The start page: recent documents, lessons and example worlds to click on, or the reason why a file could not be
opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QHideEvent, QKeyEvent, QPainter, QPainterPath, QPixmap, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from simulator.diagnostics import Diagnostic
from simulator.formats.lesson import is_lesson
from simulator.gui.fields import label, scaled, tip
from simulator.gui.resources import pixmap
from simulator.gui.theme import Theme, Tokens
from simulator.gui.viewport.thumbnails import Thumbnails
from simulator.session.open.examples import examples
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.lessons import lessons

PICTURE = QSize(340, 196)
"""Size at which pictures are painted, see `scaled`."""
NARROWEST = 258
"""Width of a card at least, likewise; cards share the width of the page."""
BELOW = 84
"""Room for name and description below it, likewise."""
GAP, MARGIN = 18, 48
RECENT = 4
"""Recent documents that are shown."""
RETURN = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class Card(QPushButton):
    """A button that Return presses as Space does, as a reader who walks over the page by Tab expects."""

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Return opens what the card shows."""
        if event is not None and event.key() in RETURN:
            self.click()
        else:
            super().keyPressEvent(event)


class Gallery(QScrollArea):
    """`chosen` carries the file to open, `browse` asks for the file dialog, `make` for a new mechanism, `draw` for an
    empty sheet."""

    chosen = pyqtSignal(Path)
    browse = pyqtSignal()
    make = pyqtSignal()
    draw = pyqtSignal()

    def __init__(self, theme: Theme, recent: Callable[[], Sequence[Path]] = tuple) -> None:
        """`recent` gives the documents that were opened lately, the newest first."""
        super().__init__()
        self._theme, self._recent = theme, recent
        self._listed: list[Path] = []
        self.cards: list[QPushButton] = []
        self._pictures: dict[Path, list[QLabel]] = {}
        self._groups: list[tuple[QLabel, list[QPushButton]]] = []
        self._said: dict[QPushButton, str] = {}
        self._placed: tuple[int, int, list[str]] = (0, 0, [])
        self._painted: dict[Path, QPixmap] = {}
        self.search, self._nothing = QLineEdit(), label(self.tr("No match"), "muted")
        self._drawn_for = ""
        self._picture_size = QSize(scaled(PICTURE.width()), scaled(PICTURE.height()))
        self._thumbnails = Thumbnails(_opened, self._picture_size)
        self._thumbnails.made.connect(self._show_picture)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(MARGIN, 40, MARGIN, 40)
        self._column.setSpacing(6)
        self.title, self.text = label("", "title"), label("", "muted")
        self.text.setWordWrap(True)
        self._grid = QGridLayout()
        self.setWidget(body)
        self._arrange()
        self.welcome()
        theme.changed.connect(self._set_tokens)

    def welcome(self) -> None:
        """The text of the start page."""
        self.title.setText(self.tr("Choose a mechanism"))
        self.text.setText(
            self.tr("Click an example, draw or make a mechanism, open an SDFormat or URDF file, or drop one here.")
        )

    def refuse(self, path: Path, findings: Sequence[Diagnostic]) -> None:
        """Say that a file cannot be shown, and why."""
        errors = [finding for finding in findings if finding.is_error]
        self.title.setText(self.tr("{name} cannot be simulated").format(name=path.name))
        lines = [_line(finding) for finding in errors[:4]]
        if len(errors) > 4:
            lines.append(self.tr("…and {n} more").format(n=len(errors) - 4))
        note = self.tr("The Diagnostics panel shows each with its line. Save the file and press F5 to read it again.")
        self.text.setText("\n".join([*lines, "", note]))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """As many columns as fit."""
        super().resizeEvent(event)
        self._place()

    def showEvent(self, event: QShowEvent | None) -> None:
        """Cards are made once the page is seen, which it is not where the program is given a document; then pictures
        are painted."""
        super().showEvent(event)
        if not self.cards:
            for title, cards in self._make_cards():
                heading = label(title, "name")
                heading.setContentsMargins(0, 16, 0, 0)
                self._groups.append((heading, cards))
                self.cards += cards
            self._list_recent()
            self._set_tokens(self._theme.tokens)
        elif self._list_recent():
            self._set_tokens(self._theme.tokens)
        self._draw_pictures()

    def _list_recent(self) -> bool:
        """Show the documents that were opened lately, above all others; whether they are others than before."""
        paths = [path for path in self._recent() if path.is_file() and not is_lesson(path)][:RECENT]
        if self._listed:
            self._replace_recent(paths)
        elif paths:
            self._add_recent(paths)
        is_new, self._listed = paths != self._listed, paths
        self._placed = (0, 0, [])
        self._place()
        return is_new

    def _add_recent(self, paths: Sequence[Path]) -> None:
        heading = label(self.tr("Recent"), "name")
        heading.setContentsMargins(0, 16, 0, 0)
        cards = [self._card(path, path, path.name, "/".join(path.parent.parts[-2:]).lstrip("/")) for path in paths]
        self._groups.insert(0, (heading, cards))
        self.cards[:0] = cards

    def _replace_recent(self, paths: Sequence[Path]) -> None:
        """Replace the recent documents that are shown, if these are others."""
        if paths == self._listed:
            return
        heading, cards = self._groups.pop(0)
        for card in cards:
            self.cards.remove(card)
            del self._said[card]
        for path in self._listed:
            self._pictures[path] = [place for place in self._pictures[path] if place.parentWidget() not in cards]
        for widget in (heading, *cards):
            widget.hide()
            widget.deleteLater()
        if paths:
            self._add_recent(paths)

    def hideEvent(self, event: QHideEvent | None) -> None:
        """Stop drawing thumbnails while the gallery is hidden."""
        super().hideEvent(event)
        self._thumbnails.stop()
        self._drawn_for = ""

    def _arrange(self) -> None:
        head, texts = QHBoxLayout(), QVBoxLayout()
        texts.setSpacing(5)
        texts.addWidget(self.title)
        texts.addWidget(self.text)
        head.addLayout(texts, 1)
        for text, asked in (
            (self.tr("Draw…"), self.draw),
            (self.tr("New mechanism…"), self.make),
            (self.tr("Open file…"), self.browse),
        ):
            button = QPushButton(text)
            button.setProperty("primary", "true" if asked == self.browse else "")
            button.clicked.connect(lambda _checked=False, asked=asked: asked.emit())
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(head)
        self._column.addSpacing(10)
        self.search.setObjectName("gallerySearch")
        self.search.setPlaceholderText(self.tr("Search lessons and mechanisms"))
        self.search.setAccessibleName(self.tr("Search lessons and mechanisms"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(scaled(420))
        self.search.textChanged.connect(lambda _text: self._place())
        self.search.returnPressed.connect(self._take_found)
        self._column.addWidget(self.search)
        self._grid.setSpacing(GAP)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._nothing.hide()
        self._column.addLayout(self._grid)
        self._column.addWidget(self._nothing)
        self._column.addStretch(1)

    def _make_cards(self) -> Iterator[tuple[str, list[QPushButton]]]:
        """Headings with their cards."""
        of_lessons = [
            self._card(one.path, one.world, one.title, self.tr("{n} steps").format(n=one.steps)) for one in lessons()
        ]
        titles = {
            "gears": self.tr("Gears, racks and screws"),
            "loops": self.tr("Closed loops"),
            "machines": self.tr("Machines and robots"),
        }
        worlds = examples()
        for group, title in titles.items():
            cards = []
            for example in (one for one in worlds if one.group == group):
                name, _, rest = example.title.partition(": ")
                cards.append(self._card(example.path, example.path, name, rest[:1].upper() + rest[1:]))
            yield title, cards
        yield self.tr("Lessons"), of_lessons

    def _place(self) -> None:
        """Cards that the search leaves, below their headings, as many beside each other as fit; they fill the width."""
        bar = self.verticalScrollBar()
        room = self.width() - 2 * MARGIN - (bar.sizeHint().width() if bar is not None else 0)
        columns = max(1, (room + GAP) // (scaled(NARROWEST) + GAP))
        width = (room - (columns - 1) * GAP) // columns
        words = self.search.text().casefold().split()
        row = 0
        if (columns, width, words) == self._placed:
            return
        if width != self._placed[1]:
            self._resize_cards(width)
        self._placed = (columns, width, words)
        before: QWidget = self.search
        for heading, cards in self._groups:
            kept = [card for card in cards if all(word in self._said[card] for word in words)]
            for card in cards:
                if card not in kept:
                    card.hide()
            if kept:
                self._grid.addWidget(heading, row, 0, 1, columns)
                for index, card in enumerate(kept):
                    self._grid.addWidget(card, row + 1 + index // columns, index % columns)
                    card.show()  # not before it is in the page: it would be a window
                    QWidget.setTabOrder(before, card)
                    before = card
                heading.show()
                row += 2 + (len(kept) - 1) // columns
            else:
                heading.hide()
        self._nothing.setVisible(row == 0)

    def _take_found(self) -> None:
        """Open what the search has found where that is one; else go to the first card."""
        found = [card for card in self.cards if card.isVisibleTo(self)]
        if len(found) == 1:
            found[0].click()
        elif found:
            found[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _resize_cards(self, width: int) -> None:
        """Cards and their pictures, of the same shape."""
        size = QSize(width - 2, (width - 2) * self._picture_size.height() // self._picture_size.width())
        for card in self.cards:
            card.setFixedSize(size + QSize(2, scaled(BELOW)))
        for path, places in self._pictures.items():
            for place in places:
                place.setFixedSize(size)
            if path in self._painted:
                self._show_picture(path, self._painted[path])

    def _card(self, path: Path, world: Path, name: str, about: str) -> QPushButton:
        card = Card()
        card.setObjectName("galleryCard")
        card.setAccessibleName(f"{name}: {about}")
        card.setToolTip(tip(str(path)))
        card.setCursor(Qt.CursorShape.PointingHandCursor)
        card.clicked.connect(lambda _checked=False: self.chosen.emit(path))
        column = QVBoxLayout(card)
        column.setContentsMargins(1, 1, 1, 10)
        column.setSpacing(3)
        picture = QLabel()
        picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(picture)
        column.addSpacing(7)
        for text, role in ((name, "name"), (about, "muted")):
            line = label(text, role)
            line.setWordWrap(True)
            line.setContentsMargins(13, 0, 13, 0)
            column.addWidget(line)
        column.addStretch(1)
        self._pictures.setdefault(world, []).append(picture)
        self._said[card] = f"{name} {about} {path.stem}".casefold()
        return card

    def _draw_pictures(self) -> None:
        name = self._theme.tokens.name
        if self.isVisible() and self._drawn_for != name:
            self._drawn_for = name
            wanted = [
                *self._listed,
                *(path for path, places in self._pictures.items() if places and path not in self._listed),
            ]
            self._thumbnails.start(wanted, name, self.devicePixelRatioF())

    def _show_picture(self, path: Path, picture: QPixmap) -> None:
        self._painted[path] = picture
        for place in self._pictures[path]:
            size = place.size() * self.devicePixelRatioF()
            fitted = picture.scaled(size, transformMode=Qt.TransformationMode.SmoothTransformation)
            fitted.setDevicePixelRatio(self.devicePixelRatioF())
            place.setPixmap(_rounded(fitted))

    def _set_tokens(self, tokens: Tokens) -> None:
        self._painted.clear()
        for place in (one for places in self._pictures.values() for one in places):
            place.setPixmap(pixmap("model", tokens.border, 56, self.devicePixelRatioF()))
        self._draw_pictures()


def _line(finding: Diagnostic) -> str:
    place = f"line {finding.line}: " if finding.line else ""
    return f"•  {place}{finding.folded_message}"


def _opened(path: Path) -> Opened | None:
    opened = open_document(path)
    return None if opened.has_errors else opened


def _rounded(picture: QPixmap) -> QPixmap:
    """The same with its upper corners rounded, as those of the card."""
    result = QPixmap(picture.size())
    result.setDevicePixelRatio(picture.devicePixelRatio())
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = QPainterPath()
    size = picture.deviceIndependentSize()
    outline.addRoundedRect(0, 0, size.width(), size.height() + 20, 9, 9)
    painter.setClipPath(outline)
    painter.drawPixmap(0, 0, picture)
    painter.end()
    return result
