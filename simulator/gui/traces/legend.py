"""The list beside the plots: curves that can be shown or are shown, their line styles, and present values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PyQt6.QtCore import QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QIcon, QKeyEvent, QMouseEvent, QPainter, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QApplication, QHeaderView, QTreeWidget, QTreeWidgetItem

from simulator.diagnostics import printable
from simulator.gui.fields import scaled, tip
from simulator.gui.theme import Tokens
from simulator.gui.traces.plan import Series
from simulator.gui.traces.trace_plot import pen
from simulator.gui.units import Units, number, scientific
from simulator.recording.statistics import Stretch

ROOMY = 210
"""From this width on there are values beside the names, see `scaled`."""
VALUES = 88
"""Width of the column of values, see `scaled`; it grows where one needs more."""
LONG = 16
"""In a list of more rows those with a check mark come first."""


class Legend(QTreeWidget):
    """One row per curve with a check box; `chosen` is emitted when the set of shown curves changes. `dragged` gives a
    curve that is dragged out of the list, the place on the screen, and whether it was dropped there; `given_up` follows
    where Escape ended that."""

    chosen = pyqtSignal()
    dragged = pyqtSignal(object, QPoint, bool)
    given_up = pyqtSignal()

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._items: dict[str, tuple[Series, QTreeWidgetItem]] = {}
        self._swatches: dict[tuple[int, int], QIcon] = {}
        self._valued: frozenset[str] = frozenset()
        self._pressed: tuple[Series, QPoint] | None = None
        self._dragging = False
        self._wanted = ""
        self._ranks: dict[str, int] = {}
        self.setColumnCount(2)
        self.setMinimumWidth(scaled(150))
        self.setHeaderLabels([self.tr("Channel"), self.tr("Value")])
        heading = self.headerItem()
        if heading is not None:
            heading.setTextAlignment(1, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter))
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setIconSize(QSize(24, 14))
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName(self.tr("Channels and their values"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        if header is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(1, scaled(VALUES))
        self.itemChanged.connect(lambda _item, column: self.chosen.emit() if column == 0 else None)

    def resizeEvent(self, e: QResizeEvent | None) -> None:
        """Where there is no room for both, names are worth more than values."""
        super().resizeEvent(e)
        self._hide_values()

    def _hide_values(self) -> None:
        self.setColumnHidden(1, self.columnCount() > 2 or self.width() < scaled(ROOMY))

    def set_series(self, series: Sequence[Series], visible: Iterable[str]) -> None:
        """List these curves, with check marks at the visible ones, which are the first of a long list."""
        self.blockSignals(True)
        self.clear()
        self._items.clear()
        wanted = set(visible)
        self._ranks = {line.key: rank for rank, line in enumerate(series)}
        self._valued = frozenset()
        rows: list[QTreeWidgetItem] = []
        before = ""
        for heading, line in self._sections(series, wanted):
            if heading not in {"", before}:
                before = heading
                rows.append(_heading(heading))
            rows.append(self._row(line, line.key in wanted))
            self._items[line.key] = (line, rows[-1])
        self.addTopLevelItems(rows)
        self.blockSignals(False)
        self.set_filter(self._wanted)

    def show_checked_first(self) -> None:
        """Put those that were checked meanwhile to the top of a long list, and begin there."""
        if len(self._items) > LONG:
            order = sorted(self._items.values(), key=lambda row: self._ranks[row[0].key])
            self.set_series([line for line, _item in order], {one.key for one in self.visible_series()})
            self.scrollToTop()

    def _sections(self, series: Sequence[Series], wanted: set[str]) -> list[tuple[str, Series]]:
        """Each curve with the heading that it is under, in the order of the rows."""
        first = wanted if len(series) > LONG else set()
        heads = {
            (True, False): self.tr("On show"), (True, True): self.tr("Residuals on show"),
            (False, False): self.tr("Others") if first else "", (False, True): self.tr("Residuals"),
        }  # fmt: skip
        listed = [
            (
                self.tr("Actuators")
                if one.actuator and one.key not in first
                else heads[one.key in first, one.residual],
                one,
            )
            for one in series
        ]
        return sorted(listed, key=lambda row: row[1].key not in first)

    def set_filter(self, text: str) -> None:
        """Hide the rows whose names do not have this text in them, and headings over none."""
        self._wanted = text.strip().casefold()
        heading: QTreeWidgetItem | None = None
        shown = {id(item) for line, item in self._items.values() if self._wanted in line.label.casefold()}
        for row in range(self.topLevelItemCount()):
            item = self.topLevelItem(row)
            if item is None:
                continue
            if item.flags() == Qt.ItemFlag.NoItemFlags:
                heading = item
                item.setHidden(True)
                continue
            item.setHidden(id(item) not in shown)
            if heading is not None and not item.isHidden():
                heading.setHidden(False)

    def series_at(self, at: QPoint) -> Series | None:
        """The curve of the row at a place of the viewport."""
        row = self.itemAt(at)
        return next((line for line, item in self._items.values() if item is row), None)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Note what may be dragged."""
        super().mousePressEvent(event)
        self._pressed, self._dragging = None, False
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            line = self.series_at(event.pos())
            self._pressed = None if line is None else (line, event.pos())

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Drag a curve out of the list."""
        if event is None or self._pressed is None:
            super().mouseMoveEvent(event)
            return
        line, start = self._pressed
        far = (event.pos() - start).manhattanLength() >= QApplication.startDragDistance()
        self._dragging = self._dragging or far
        if self._dragging:
            self.dragged.emit(line, event.globalPosition().toPoint(), False)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Drop the curve that was dragged."""
        pressed = self._pressed
        dragging = self._dragging
        self._pressed = None
        self._dragging = False
        if event is None or pressed is None or not dragging:
            super().mouseReleaseEvent(event)
            return
        self.setState(QTreeWidget.State.NoState)
        self.dragged.emit(pressed[0], event.globalPosition().toPoint(), True)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Escape ends a drag."""
        if event is not None and event.key() == Qt.Key.Key_Escape and self._dragging:
            self._pressed, self._dragging = None, False
            self.given_up.emit()
        else:
            super().keyPressEvent(event)

    def visible_series(self) -> tuple[Series, ...]:
        """The curves with a check mark, in the order they were given in."""
        checked = (s for s, item in self._items.values() if item.checkState(0) is Qt.CheckState.Checked)
        return tuple(sorted(checked, key=lambda s: self._ranks[s.key]))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._tokens = tokens
        self._swatches.clear()
        self.blockSignals(True)
        for series, item in self._items.values():
            item.setIcon(0, self._swatch(series))
        self.blockSignals(False)

    def set_values(self, values: dict[str, float], units: Units) -> None:
        """Show the values [SI] of the curves by key; the others show nothing."""
        self.blockSignals(True)
        header = self.header()
        room = self.fontMetrics().horizontalAdvance
        longest = 0
        for key in self._valued | values.keys():
            series, item = self._items[key]
            text = value_text(series, values[key], units) if key in values else ""
            if item.text(1) != text:
                item.setText(1, text)
                longest = max(longest, room(text) + scaled(24))
        if header is not None and longest > header.sectionSize(1):
            header.resizeSection(1, longest)
        self._valued = frozenset(values)
        self.blockSignals(False)

    def set_stretches(self, stretches: dict[str, Stretch] | None, units: Units) -> None:
        """Show, in columns of their own, what the curves do between two cursors; None takes the columns away."""
        self.blockSignals(True)
        self.setColumnCount(2 if stretches is None else 5)
        self._hide_values()
        self.setMinimumWidth(scaled(150 if stretches is None else 340))
        if stretches is not None:
            self.setHeaderLabels([self.tr("Channel"), self.tr("Value"), "Δ", self.tr("mean"), "RMS"])
            for key, (series, item) in self._items.items():
                found = stretches.get(key)
                numbers = (found.delta, found.mean, found.rms) if found is not None else ()
                for column, value in enumerate((*numbers, *(3 - len(numbers)) * (None,)), start=2):
                    text = "" if value is None else value_text(series, value, units)
                    item.setText(column, text if column == 2 else text.rpartition(" ")[0])
                    item.setTextAlignment(column, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter))
        header = self.header()
        for column in range(2, self.columnCount()):
            if header is not None:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.blockSignals(False)

    def _row(self, series: Series, visible: bool) -> QTreeWidgetItem:
        item = QTreeWidgetItem([printable(series.label), ""])
        item.setCheckState(0, Qt.CheckState.Checked if visible else Qt.CheckState.Unchecked)
        item.setIcon(0, self._swatch(series))
        item.setTextAlignment(1, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter))
        item.setToolTip(0, tip(f"{series.label} [{series.unit}]"))
        return item

    def _swatch(self, series: Series) -> QIcon:
        """Curves of the same look share one: there may be thousands."""
        look = series.colour, series.dash
        if look not in self._swatches:
            self._swatches[look] = self._draw_swatch(series)
        return self._swatches[look]

    def _draw_swatch(self, series: Series) -> QIcon:
        picture = QPixmap(48, 28)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        line = pen(series, self._tokens)
        line.setWidth(4)
        line.setDashPattern([d / 3.0 for d in line.dashPattern()]) if line.dashPattern() else None
        painter.setPen(line)
        painter.drawLine(4, 14, 44, 14)
        painter.end()
        picture.setDevicePixelRatio(2.0)
        result = QIcon(picture)
        result.addPixmap(picture, QIcon.Mode.Selected)
        return result


def value_text(series: Series, value: float, units: Units, *, unit: bool = True) -> str:
    """A value of a curve as the window writes it, with its unit or without."""
    shown = value * units.factor_of(series.unit)
    text = scientific(shown) if series.residual else number(shown, units.decimals_of(series.unit))
    return f"{text} {units.name_of(series.unit)}" if unit else text


def _heading(text: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([printable(text), ""])
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item
