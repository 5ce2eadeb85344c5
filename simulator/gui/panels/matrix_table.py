"""A matrix with names for its rows and columns, shaded by the size of its entries."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, Qt
from PyQt6.QtGui import QColor, QResizeEvent
from PyQt6.QtWidgets import QHeaderView, QTableView

from simulator.gui.fields import scaled, tabular
from simulator.gui.theme import Tokens
from simulator.gui.units import compact
from simulator.kinematics.named import NamedMatrix

EMPTY = NamedMatrix((), (), np.zeros((0, 0)))
NOISE = 1e-12
"""Entries below this part of the largest one are shown as zero."""
WIDEST, NARROWEST = 150, 62
"""Columns, see `scaled`."""
NAMES, NAMES_PART = 14, 0.45
"""Names of rows are no wider than that, in heights of the type, nor than this part of the table."""
ROW = 1.7
"""Height of a row, in heights of the type."""


class _Model(QAbstractTableModel):
    matrix = EMPTY
    """Of the class, too: Qt asks for rows once more while Python is already taking the object apart."""

    def __init__(self, tokens: Tokens, parent: QObject) -> None:
        super().__init__(parent)
        self.tokens = tokens
        self._largest = 0.0
        self._short: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def show(self, matrix: NamedMatrix) -> None:
        self.beginResetModel()
        self.matrix = matrix
        self._short = without_models(matrix.columns), without_models(matrix.rows)
        self._largest = float(np.abs(matrix.array).max(initial=0.0))
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.matrix.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.matrix.columns)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        value = float(self.matrix.array[index.row(), index.column()])
        zero = abs(value) <= NOISE * self._largest
        if role == Qt.ItemDataRole.DisplayRole:
            return "0" if zero else compact(value, 4)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(self.tokens.disabled if zero else self.tokens.text)
        if role == Qt.ItemDataRole.BackgroundRole and not zero:
            shade = QColor(self.tokens.accent)
            shade.setAlphaF(0.05 + 0.2 * min(abs(value) / self._largest, 1.0))
            return shade
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self.matrix.rows[index.row()]}\n{self.matrix.columns[index.column()]}\n{compact(value, 12)}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        across = orientation is Qt.Orientation.Horizontal
        names = self.matrix.columns if across else self.matrix.rows
        if not 0 <= section < len(names):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._short[0 if across else 1][section]
        return names[section] if role == Qt.ItemDataRole.ToolTipRole else None


class MatrixTable(QTableView):
    """Read-only; long names end in dots, the whole of them is the tool tip."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._model = _Model(tokens, self)
        self.setModel(self._model)
        self.setFont(tabular(self.font()))
        self.setShowGrid(False)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        if rows is not None and columns is not None:
            rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            rows.setTextElideMode(Qt.TextElideMode.ElideMiddle)
            rows.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            columns.setTextElideMode(Qt.TextElideMode.ElideMiddle)
            columns.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            columns.setMinimumSectionSize(NARROWEST)
        self._fit_rows()

    def resizeEvent(self, e: QResizeEvent | None) -> None:
        """Names of rows leave room to numbers."""
        self._fit_rows()
        super().resizeEvent(e)

    def changeEvent(self, e: QEvent | None) -> None:
        """Rows are as high as other type needs."""
        super().changeEvent(e)
        if e is not None and e.type() is QEvent.Type.FontChange:
            self._fit_rows()
            self.show_matrix(self.matrix)

    def _fit_rows(self) -> None:
        rows, high = self.verticalHeader(), self.fontMetrics().height()
        if rows is not None:
            rows.setDefaultSectionSize(round(ROW * high))
            rows.setMaximumWidth(min(NAMES * high, round(NAMES_PART * self.width())))

    @property
    def matrix(self) -> NamedMatrix:
        """What is shown."""
        return self._model.matrix

    def show_matrix(self, matrix: NamedMatrix) -> None:
        """Show another matrix."""
        self._model.show(matrix)
        header = self.horizontalHeader()
        metrics = self.fontMetrics()
        for column in range(min(len(matrix.columns), 100)):
            text = str(self._model.headerData(column, Qt.Orientation.Horizontal) or "")
            if header is not None:
                header.resizeSection(column, min(max(metrics.horizontalAdvance(text) + 28, NARROWEST), scaled(WIDEST)))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take on the colours of a theme."""
        self._model.tokens = tokens
        self._model.show(self._model.matrix)


def without_models(names: Sequence[str]) -> tuple[str, ...]:
    """Names without their model ('gripper::lift_joint' → 'lift_joint', also inside 'mimic of …') where that leaves them
    distinct."""
    short = tuple(re.sub(r"[^\s:]+(::[^\s:]+)*::", "", name) for name in names)
    return short if len(set(short)) == len(set(names)) else tuple(names)
