"""Synthesise a linkage: what it is to do, drawn or typed, the designs that do it, and the document of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import QSignalBlocker, QSize, Qt, QTimer
from PyQt6.QtGui import QIcon, QPixmap
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSlider,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from simulator.errors import SimulatorError
from simulator.gui.background import Background
from simulator.gui.fields import NoWheelComboBox, label, mark, scaled, sentence, tabular
from simulator.gui.file_names import ask_target
from simulator.gui.making.sheet import LinkageSheet, thumbnail
from simulator.gui.making.tasks import TASKS, Design, LinkageTask, Row, next_row, range_of
from simulator.gui.number_field import parse_number
from simulator.gui.tokens import Tokens
from simulator.gui.units import Units, compact

LEFT, RIGHT = 320, 310
"""Widths of the columns beside the sheet, see `scaled`."""
PICTURE = QSize(92, 64)
"""Of a design, see `scaled`."""
DIGITS, STEPS = 6, 1000
"""Digits of a number in the table; steps of the slider over the range of the crank."""

EXACT = 1e-9
"""Error [m or rad] below which a design meets what was asked for: that of the search."""


class Synthesis(QDialog):
    """`path` is the document that was written, once the dialog is accepted."""

    def __init__(
        self,
        parent: QWidget,
        tokens: Tokens,
        units: Units,
        *,
        background: Background[Sequence[Design]] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Synthesise a linkage"))
        self._tokens, self._units = tokens, units
        self._background = background or Background()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._search)
        self.path: Path | None = None
        self.rows: list[Row] = []
        self._designs: Sequence[Design] = []
        self.choice, self.about = NoWheelComboBox(), label("", "muted")
        self.table = QTableWidget()
        self.more, self.fewer = QPushButton(self.tr("Add")), QPushButton(self.tr("Remove"))
        self.sheet, self.crank = LinkageSheet(tokens, units), QSlider(Qt.Orientation.Horizontal)
        self.designs, self.notes = QListWidget(), label("", "muted")
        self.save = QPushButton(self.tr("Save and open…"))
        self._titles = {
            "motion": self.tr("Carry a body through positions"),
            "path": self.tr("Lead a point along a path"),
            "translation": self.tr("Lead a body along a path without turning it"),
            "line": self.tr("Lead a point along a line"),
            "function": self.tr("Turn a rocker with the crank"),
            "six_bar_function": self.tr("Turn an output with the crank, by a six-bar"),
            "dwell": self.tr("Let an output stand while the crank turns"),
        }
        self._hints = {
            "motion": self.tr("Two to four positions. Drag a place, or the tip of its arrow; double-click adds one."),
            "path": self.tr("Three to nine points in their order. Drag them; double-click adds one."),
            "translation": self.tr("Three to nine points in their order, for a six-bar of Watt's first kind."),
            "line": self.tr("Two ends. The less the crank turns along the line, the straighter, and the larger."),
            "function": self.tr(
                "Three to five pairs of angles: how far the rocker turns with the crank. Any size does it."
            ),
            "six_bar_function": self.tr(
                "Four to nine pairs of angles, for a six-bar of Watt's second kind. Drag them; double-click adds one."
            ),
            "dwell": self.tr(
                "How far the crank turns while the output stands, and how far that swings. Drag the corner."
            ),
        }
        self._arrange()
        self._connect()
        self._begin()

    @property
    def task(self) -> LinkageTask:
        """What is asked for."""
        return TASKS[self.choice.currentIndex()]

    @property
    def design(self) -> Design | None:
        """The design that is chosen."""
        row = self.designs.currentRow()
        return self._designs[row] if 0 <= row < len(self._designs) else None

    def done(self, result: int) -> None:
        """Close; what is still being sought is of no use."""
        self._timer.stop()
        self._background.cancel()
        super().done(result)

    # --- the window ---------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        for text in (self.about, self.notes):
            text.setWordWrap(True)
            text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            text.setMinimumHeight(3 * text.fontMetrics().lineSpacing())
        self.choice.addItems(self._titles[task.name] for task in TASKS)
        self.choice.setAccessibleName(self.tr("Task"))
        self._arrange_table()
        self.crank.setRange(0, STEPS)
        self.crank.setAccessibleName(self.tr("Turn of the crank"))
        self.designs.setIconSize(QSize(scaled(PICTURE.width()), scaled(PICTURE.height())))
        self.designs.setWordWrap(True)
        self.designs.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.designs.setAccessibleName(self.tr("Designs"))
        body = QHBoxLayout()
        body.setSpacing(scaled(16))
        body.addLayout(self._column(LEFT, self.choice, self.about, self.table, self._buttons_of_rows()))
        body.addLayout(self._middle(), 1)
        body.addLayout(self._column(RIGHT, label(self.tr("Designs"), "name"), self.designs, self.notes))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save.setProperty("primary", "true")
        self.save.setDefault(True)
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._save)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(scaled(16), scaled(16), scaled(16), scaled(12))
        column.setSpacing(scaled(12))
        column.addLayout(body, 1)
        column.addWidget(buttons)
        self.resize(scaled(1080), scaled(600))

    def _arrange_table(self) -> None:
        self.table.setAccessibleName(self.tr("What is asked for"))
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        numbers = self.table.verticalHeader()
        if numbers is not None:
            numbers.setFixedWidth(scaled(34))

    def _column(self, width: int, *widgets: QWidget) -> QVBoxLayout:
        column = QVBoxLayout()
        for widget in widgets:
            widget.setFixedWidth(scaled(width))
            column.addWidget(widget)
        return column

    def _buttons_of_rows(self) -> QWidget:
        place = QWidget()
        row = QHBoxLayout(place)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.more)
        row.addWidget(self.fewer)
        row.addStretch(1)
        return place

    def _middle(self) -> QVBoxLayout:
        column, row = QVBoxLayout(), QHBoxLayout()
        row.addWidget(QLabel(self.tr("Crank")))
        row.addWidget(self.crank, 1)
        column.addWidget(self.sheet, 1)
        column.addLayout(row)
        return column

    def _connect(self) -> None:
        self.choice.currentIndexChanged.connect(lambda _: self._begin())
        self.table.cellChanged.connect(self._typed)
        self.table.currentCellChanged.connect(lambda row, *_: self._select(row))
        self.more.clicked.connect(lambda: self._add(next_row(self.rows)))
        self.fewer.clicked.connect(self._remove)
        self.sheet.moved.connect(self._move)
        self.sheet.added.connect(self._add)
        self.crank.valueChanged.connect(lambda _: self._show_design())
        self.designs.currentRowChanged.connect(lambda _: self._choose())

    # --- what is asked for --------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """A task, with rows to begin with."""
        self.rows = list(self.task.start)
        self.about.setText(self._hints[self.task.name])
        self._designs = []
        self.sheet.show_design(None, 0.0)
        self._changed()

    def _changed(self) -> None:
        """The rows are others: seek designs soon."""
        self._fill_table()
        self.sheet.show_rows(self.task, self.rows)
        self.more.setEnabled(len(self.rows) < self.task.most)
        self.fewer.setEnabled(len(self.rows) > self.task.fewest)
        self.save.setEnabled(False)
        if not self._designs:
            self._say(self.tr("Seeking…"))
        self._timer.start(self.task.pause)

    def _fill_table(self) -> None:
        factors = [self._units.factor_of(unit) for _, unit in self.task.columns]
        with QSignalBlocker(self.table):
            self.table.setColumnCount(len(factors))
            header = self.table.horizontalHeader()
            if header is not None:
                header.setMinimumSectionSize(scaled(40))
                header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            self.table.setHorizontalHeaderLabels(
                [f"{name} [{self._units.name_of(unit)}]" for name, unit in self.task.columns]
            )
            self.table.setRowCount(len(self.rows))
            for i, row in enumerate(self.rows):
                for k, (value, factor) in enumerate(zip(row, factors, strict=True)):
                    item = QTableWidgetItem(compact(value * factor, DIGITS))
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    item.setFont(tabular(self.table.font()))
                    self.table.setItem(i, k, item)
            self.table.setCurrentCell(min(self.sheet.selected, len(self.rows) - 1), max(self.table.currentColumn(), 0))

    def _typed(self, row: int, column: int) -> None:
        item = self.table.item(row, column)
        value = None if item is None else parse_number(item.text())
        if value is None:
            self._fill_table()
            self._say(self.tr("That is not a number."), "error")
            return
        numbers = list(self.rows[row])
        numbers[column] = value / self._units.factor_of(self.task.columns[column][1])
        self._move(row, tuple(numbers))

    def _select(self, row: int) -> None:
        self.sheet.selected = max(row, 0)
        self.sheet.update()

    def _move(self, row: int, numbers: Row) -> None:
        self.rows[row] = numbers
        self.sheet.selected = row
        self._changed()

    def _add(self, numbers: Row) -> None:
        if len(self.rows) < self.task.most:
            self.rows.append(numbers)
            self.sheet.selected = len(self.rows) - 1
            self._changed()

    def _remove(self) -> None:
        if len(self.rows) > self.task.fewest:
            del self.rows[min(self.sheet.selected, len(self.rows) - 1)]
            self.sheet.selected = max(min(self.sheet.selected, len(self.rows) - 1), 0)
            self._changed()

    # --- designs ------------------------------------------------------------------------------------------------------

    def _search(self) -> None:
        task, rows = self.task, tuple(self.rows)
        self._background.start(lambda: task.solve(rows), self._found)

    def _found(self, designs: Sequence[Design] | None, error: Exception | None) -> None:
        if designs is None and error is not None and not isinstance(error, SimulatorError):
            raise error
        chosen = max(self.designs.currentRow(), 0)
        self._designs = designs or []
        with QSignalBlocker(self.designs):
            self.designs.clear()
            for design in self._designs:
                self.designs.addItem(self._item(design))
            self.designs.setCurrentRow(min(chosen, len(self._designs) - 1))
        if designs is None:
            self._say(sentence(self._units.in_text(str(error))), "error")
        self._choose()

    def _item(self, design: Design) -> QListWidgetItem:
        image = thumbnail(design, self.task, self._tokens, self.designs.iconSize(), self.devicePixelRatioF())
        icon = QIcon()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):  # not tinted where it is selected
            icon.addPixmap(QPixmap.fromImage(image), mode)
        least = self._units.factor_of("rad") * design.least_transmission_angle
        angle = f"{compact(least, 3)} {self._units.name_of('rad')}"
        text = f"{sentence(design.kind)}\n{self.tr('transmission angle from')} {angle}"
        return QListWidgetItem(icon, text)

    def _choose(self) -> None:
        design = self.design
        self.save.setEnabled(design is not None)
        self.crank.setEnabled(design is not None)
        if design is not None:
            self._say(self._figures(design), "warning" if design.defects else "")
        self._show_design()

    def _show_design(self) -> None:
        design = self.design
        low, high = (0.0, 0.0) if design is None else range_of(design)
        self.sheet.show_design(design, low + (high - low) * self.crank.value() / STEPS)

    def _figures(self, design: Design) -> str:
        """Lengths and error, and why it does not do what it should."""
        factor, unit = self._units.factor_of("m"), self._units.name_of("m")
        names = {
            "ground": self.tr("ground"), "crank": self.tr("crank"), "coupler": self.tr("coupler"),
            "rocker": self.tr("rocker"), "link": self.tr("link"), "body": self.tr("body"), "output": self.tr("output"),
            "arm": self.tr("arm of the rocker"), "second ground": self.tr("second ground"),
        }  # fmt: skip
        lengths = ", ".join(
            f"{names[part]} {compact(length * factor, 5)}"
            for part, length in zip(design.parts, design.lengths, strict=True)
        )
        text = f"{sentence(lengths)} {unit}"
        if self.task.name != "motion":
            text += "\n" + self._miss(design.error, "m" if self.task.plane else "rad")
        return "\n".join((text, *(sentence(defect) for defect in design.defects)))

    def _miss(self, error: float, unit: str) -> str:
        if self.task.name == "line":
            return self.tr("It leaves the line by {error} at most.").format(error=self._shown(error, unit))
        if self.task.name == "dwell":
            return self.tr("While it stands the output moves by {error}.").format(error=self._shown(error, unit))
        if error < EXACT:
            return self.tr("It meets all of them.")
        return self.tr("It misses by {error} at most.").format(error=self._shown(error, unit))

    def _shown(self, value: float, unit: str) -> str:
        return f"{compact(value * self._units.factor_of(unit), 2)} {self._units.name_of(unit)}"

    def _say(self, text: str, level: str = "") -> None:
        self.notes.setText(text)
        mark(self.notes, "level", level)

    @property
    def _file_name(self) -> str:
        return f"{self.task.name}.sdf" if self.design is not None and len(self.design.parts) > 4 else "four_bar.sdf"

    def _save(self) -> None:
        design = self.design
        if design is None:
            return
        pattern, name = self.tr("Worlds (*.sdf)"), self._file_name
        path = ask_target(self, "document", self.tr("Save the linkage"), pattern, name)
        if path is None:
            return
        try:
            self.path = design.draft().save(path)
        except SimulatorError as error:
            self._say(sentence(str(error)), "error")
            return
        self.accept()


def synthesise(parent: QWidget, tokens: Tokens, units: Units, open_path: Callable[[Path], object]) -> None:
    """Ask for a linkage by what it is to do, and open its document."""
    dialog = Synthesis(parent, tokens, units)
    if dialog.exec() and dialog.path is not None:
        open_path(dialog.path)
