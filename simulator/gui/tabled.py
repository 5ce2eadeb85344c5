"""A part of the window whose content can be saved and copied as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, Qt
from PyQt6.QtWidgets import QFrame, QMenu

from simulator.gui.panel_table import copy_table, save_table

if TYPE_CHECKING:
    from PyQt6.QtGui import QContextMenuEvent

    from simulator.gui.panel_table import PanelTable


class Tabled(QFrame):
    """A right click offers the table, unless it offers something else."""

    def as_table(self) -> PanelTable | None:
        """What it shows as a table; None where that is nothing of the kind."""
        return None

    def save_table(self) -> None:
        """Ask for a file and write the table there."""
        table = self.as_table()
        if table is not None:
            save_table(self, self.objectName(), table)

    def contextMenuEvent(self, a0: QContextMenuEvent | None) -> None:
        """Save or copy the table."""
        table = self.as_table()
        if a0 is None or table is None:
            return
        menu = QMenu(self)
        menu.setObjectName("context")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, do in (
            (_tr("&Save as CSV…"), self.save_table),
            (_tr("&Copy as CSV"), lambda: copy_table(table)),
        ):
            action = menu.addAction(text)
            if action is not None:
                action.triggered.connect(lambda _checked=False, do=do: do())
        menu.popup(a0.globalPos())


def _tr(text: str) -> str:
    return QCoreApplication.translate("Panel", text)
