"""New mechanism: a kind, its parameters, a picture of what they make, and the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QSize, Qt, QTimer
from PyQt6.QtGui import QImage, QPixmap
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from simulator.building.draft import new
from simulator.building.parts.catalogue import GROUPS, KINDS, summary_of
from simulator.building.parts.parameters import described
from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.gui.fields import label, mark, scaled, sentence, tip
from simulator.gui.file_names import ask_target
from simulator.gui.making.parameter_form import ParameterForm
from simulator.gui.units import Units
from simulator.gui.viewport.thumbnails import picture_of
from simulator.records import dataclass
from simulator.rendering.theme import THEMES, Theme

if TYPE_CHECKING:
    from simulator.building.draft import Draft

PICTURE = QSize(420, 300)
"""Smallest size of the picture, see `scaled`."""
PAUSE = 300
"""Time after the last key before a mechanism is made [ms]: gears take a second."""
LIST_WIDTH, FORM_WIDTH = 190, 300
ROW, HEADING = 22, 30
"""Heights in the list of kinds, see `scaled`."""
NAME = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Preview:
    """A mechanism that was made, and its picture. `notes`: figures of its generator and what is wrong with it."""

    draft: Draft
    picture: QImage
    notes: tuple[str, ...]


def make(kind: str, values: dict[str, object], size: QSize, ratio: float, theme: Theme) -> Preview:
    """Make a mechanism and draw it. Raises UsageError for what cannot be made."""
    draft = KINDS[kind](**values)
    opened = draft.check()
    notes = (*draft.notes, *(finding.message for finding in opened.diagnostics if finding.is_error))
    return Preview(draft, picture_of(opened, size, ratio, theme), notes)


def title_of(kind: str) -> str:
    """`spur_gears` as a title: Spur gears."""
    return sentence(kind.replace("_", " "))


class NewMechanism(QDialog):
    """`path` is the document that was written, once the dialog is accepted; `is_empty`: there is nothing in it yet, and
    it is to be drawn. With `is_part` the mechanism is chosen only, to be put onto a body."""

    def __init__(
        self,
        parent: QWidget,
        theme: str,
        units: Units,
        *,
        background: Background[Preview] | None = None,
        is_part: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Mechanism to put onto a place") if is_part else self.tr("New mechanism"))
        self._is_part = is_part
        self._theme, self._units = THEMES[theme], units
        self._background = background or Background()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self._make)
        self.path: Path | None = None
        self.is_empty = False
        self._made: Preview | None = None
        self.kinds = QListWidget()
        self.title, self.about, self.notes = label("", "name"), label("", "muted"), label("", "muted")
        self.form: ParameterForm | None = None
        self._form_place = QScrollArea()
        self.picture = QLabel()
        self.save, self.empty = QPushButton(self.tr("Save and open…")), QPushButton(self.tr("Empty sheet…"))
        self.empty.setToolTip(self.tr("Draw a mechanism with the mouse"))
        self._arrange()
        if is_part:
            self.save.setText(self.tr("Choose"))
            self.empty.hide()
        self.kinds.setCurrentRow(1)

    @property
    def kind(self) -> str:
        """The name of the kind that is chosen."""
        item = self.kinds.currentItem()
        return str(item.data(NAME)) if item is not None else ""

    def choose(self, kind: str) -> None:
        """Show a kind by its name."""
        for row in range(self.kinds.count()):
            item = self.kinds.item(row)
            if item is not None and item.data(NAME) == kind:
                self.kinds.setCurrentRow(row)

    def done(self, result: int) -> None:
        """Close; what is still being made is of no use."""
        self._timer.stop()
        self._background.cancel()
        super().done(result)

    def _arrange(self) -> None:
        for text in (self.about, self.notes):
            text.setWordWrap(True)
            text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.notes.setMinimumHeight(3 * self.notes.fontMetrics().lineSpacing())
        self._fill_kinds()
        self.kinds.setFixedWidth(scaled(LIST_WIDTH))
        self.kinds.setFrameShape(QListWidget.Shape.NoFrame)
        self.kinds.currentItemChanged.connect(lambda *_: self._show_kind())
        self._form_place.setWidgetResizable(True)
        self._form_place.setFrameShape(QScrollArea.Shape.NoFrame)
        self._form_place.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        middle, right = QVBoxLayout(), QVBoxLayout()
        middle.addWidget(self.title)
        middle.addWidget(self.about)
        middle.addSpacing(scaled(8))
        middle.addWidget(self._form_place, 1)
        place = QWidget()
        place.setLayout(middle)
        place.setFixedWidth(scaled(FORM_WIDTH))
        middle.setContentsMargins(0, 0, 0, 0)
        self.picture.setMinimumSize(scaled(PICTURE.width()), scaled(PICTURE.height()))
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.picture.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        right.addWidget(self.picture, 1)
        right.addWidget(self.notes)
        body = QHBoxLayout()
        body.setSpacing(scaled(16))
        body.addWidget(self.kinds)
        body.addWidget(place)
        body.addLayout(right, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save.setProperty("primary", "true")
        self.save.setDefault(True)
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.AcceptRole)
        self.empty.setAutoDefault(False)
        buttons.addButton(self.empty, QDialogButtonBox.ButtonRole.ActionRole)
        self.empty.clicked.connect(lambda _checked=False: self._save_empty())
        buttons.accepted.connect(self._save)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(12))
        column.setSpacing(scaled(12))
        column.addLayout(body, 1)
        column.addWidget(buttons)

    def _fill_kinds(self) -> None:
        for group, kinds in GROUPS.items():
            heading = QListWidgetItem(sentence(group))
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            heading.setSizeHint(QSize(0, scaled(HEADING)))
            heading.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
            self.kinds.addItem(heading)
            for kind in kinds:
                item = QListWidgetItem(title_of(kind.__name__))
                item.setData(NAME, kind.__name__)
                item.setSizeHint(QSize(0, scaled(ROW)))
                item.setToolTip(summary_of(kind))
                self.kinds.addItem(item)

    def _show_kind(self) -> None:
        kind = KINDS[self.kind]
        self.title.setText(title_of(self.kind))
        self.about.setText(f"{summary_of(kind).replace('`', '')}.")
        self.form = form = ParameterForm(described(kind), self._units)
        form.changed.connect(self._wait)
        form.unreadable.connect(self._refuse_field)
        self._form_place.setWidget(form)
        self._picture(None)
        self._wait(0)

    def _wait(self, pause: int = PAUSE) -> None:
        """Make it soon: another key may follow."""
        self._made = None
        self.save.setEnabled(False)
        self._say(self.tr("Drawing…"))
        self._timer.start(pause)

    def _make(self) -> None:
        values = self.form.values() if self.form is not None else None
        if values is None:
            return
        kind, size, ratio = self.kind, self.picture.size(), self.devicePixelRatioF()
        theme = self._theme
        self._background.start(lambda: make(kind, values, size, ratio, theme), self._show)

    def _show(self, made: Preview | None, error: Exception | None) -> None:
        if made is None:
            if error is not None and not isinstance(error, SimulatorError):
                raise error
            self._say(sentence(self._units.in_text(str(error))), "error")
            return
        self._made = made
        self._picture(made.picture)
        self._say("\n".join(sentence(self._units.in_text(note)) for note in made.notes))
        self.save.setEnabled(True)

    def _refuse_field(self, name: str) -> None:
        self._timer.stop()
        self._background.cancel()
        self._made = None
        self.save.setEnabled(False)
        self._say(self.tr("{name}: a number, or several with commas between").format(name=name), "error")

    def _say(self, text: str, level: str = "") -> None:
        self.notes.setText(text)
        mark(self.notes, "level", level)

    def _picture(self, image: QImage | None) -> None:
        self.picture.setPixmap(QPixmap() if image is None else QPixmap.fromImage(image))

    def _save_empty(self) -> None:
        path = ask_sheet(self)
        if path is None:
            return
        try:
            write_empty(path)
        except (SimulatorError, OSError) as error:
            self._say(sentence(str(error)), "error")
            return
        self.path, self.is_empty = path, True
        self.accept()

    def _save(self) -> None:
        made = self._made
        if made is None or self._is_part:
            if made is not None:
                self.accept()
            return
        pattern = self.tr("Worlds (*.sdf)")
        path = ask_target(self, "document", self.tr("Save the mechanism"), pattern, f"{self.kind}.sdf")
        if path is None:
            return
        try:
            self.path = made.draft.save(path)
        except SimulatorError as error:
            self._say(sentence(str(error)), "error")
            return
        self.accept()


def chosen_mechanism(parent: QWidget, theme: str, units: Units) -> tuple[str, dict[str, object]] | None:
    """Ask for a kind of mechanism and its parameters; None where the user changed their mind."""
    dialog = NewMechanism(parent, theme, units, is_part=True)
    values = dialog.form.values() if dialog.exec() and dialog.form is not None else None
    return None if values is None else (dialog.kind, values)


def empty_sheet(parent: QWidget, name: str) -> Path | None:
    """A new document with nothing in it, `name` by default; None where the user changed their mind, or it cannot be
    written, which is said."""
    path = ask_sheet(parent, name)
    try:
        if path is not None:
            write_empty(path)
    except (SimulatorError, OSError) as error:
        QMessageBox.warning(parent, QCoreApplication.translate("NewMechanism", "Not saved"), tip(str(error)))
        return None
    return path


def ask_sheet(parent: QWidget, name: str = "sheet.sdf") -> Path | None:
    """The file of an empty sheet; None where the user changed their mind."""
    translate = QCoreApplication.translate
    title, pattern = translate("NewMechanism", "Save the sheet"), translate("NewMechanism", "Worlds (*.sdf)")
    return ask_target(parent, "document", title, pattern, name)


def write_empty(path: Path) -> None:
    """Write the document of an empty sheet. Raises UsageError for a name that no mechanism can have, OSError."""
    path.write_text(new(path.stem).to_sdf(), encoding="utf-8")


def new_mechanism(
    parent: QWidget, theme: str, units: Units, open_path: Callable[[Path], object], draw: Callable[[Path], object]
) -> None:
    """Ask for a mechanism, and open its document; `draw` opens an empty one."""
    dialog = NewMechanism(parent, theme, units)
    if dialog.exec() and dialog.path is not None:
        (draw if dialog.is_empty else open_path)(dialog.path)
