"""The list beside the plots: what can be shown, what is shown, in which line style, and the values of this moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from simulator.diagnostics import printable
from simulator.gui.fields import scaled, tip
from simulator.gui.theme import Tokens
from simulator.gui.traces.plan import Series
from simulator.gui.traces.plots import pen
from simulator.gui.units import Units, number, scientific
from simulator.recording.statistics import Stretch

ROOMY = 210
"""From this width on there are values beside the names, see `scaled`."""


class Legend(QTreeWidget):
    """One row per curve with a check box; `chosen` is emitted when the set of shown curves changes."""

    chosen = pyqtSignal()

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._items: dict[str, tuple[Series, QTreeWidgetItem]] = {}
        self._swatches: dict[tuple[int, int], QIcon] = {}
        self._valued: frozenset[str] = frozenset()
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
            header.resizeSection(1, scaled(88))
        self.itemChanged.connect(lambda _item, column: self.chosen.emit() if column == 0 else None)

    def resizeEvent(self, e: QResizeEvent | None) -> None:
        """Where there is no room for both, names are worth more than values."""
        super().resizeEvent(e)
        self._hide_values()

    def _hide_values(self) -> None:
        self.setColumnHidden(1, self.columnCount() > 2 or self.width() < scaled(ROOMY))

    def set_series(self, series: Sequence[Series], visible: Iterable[str]) -> None:
        """List these curves, with check marks at the visible ones."""
        self.blockSignals(True)
        self.clear()
        self._items.clear()
        wanted = set(visible)
        self._valued = frozenset()
        rows: list[QTreeWidgetItem] = []
        before = ""
        for line in series:
            heading = self.tr("Residuals") if line.residual else self.tr("Actuators") if line.actuator else ""
            if heading not in {"", before}:
                before = heading
                rows.append(_heading(heading))
            rows.append(self._row(line, line.key in wanted))
            self._items[line.key] = (line, rows[-1])
        self.addTopLevelItems(rows)
        self.blockSignals(False)

    def visible_series(self) -> tuple[Series, ...]:
        """The curves with a check mark."""
        return tuple(s for s, item in self._items.values() if item.checkState(0) is Qt.CheckState.Checked)

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
        for key in self._valued | values.keys():
            series, item = self._items[key]
            text = self._text(series, values[key], units) if key in values else ""
            if item.text(1) != text:
                item.setText(1, text)
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
                    text = "" if value is None else self._text(series, value, units)
                    item.setText(column, text if column == 2 else text.rpartition(" ")[0])
                    item.setTextAlignment(column, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter))
        header = self.header()
        for column in range(2, self.columnCount()):
            if header is not None:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.blockSignals(False)

    def _text(self, series: Series, value: float, units: Units) -> str:
        name = units.name_of(series.unit)
        shown = value * units.factor_of(series.unit)
        if series.residual:
            return f"{scientific(shown)} {name}"
        return f"{number(shown, units.decimals_of(series.unit))} {name}"

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


def _heading(text: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([printable(text), ""])
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item
