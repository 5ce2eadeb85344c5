"""The panel of analyses beside the motion: plots over the position of a driver, and modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QTabWidget

from simulator.gui.analysis.driver_page import DriverPage
from simulator.gui.analysis.modes_page import ModesPage
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.panel import Panel
from simulator.gui.selection import Item, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units

if TYPE_CHECKING:
    from simulator.session.open.opening import Opened


class AnalysisPanel(Panel):
    """Follows the selection: the selected axis is the driver."""

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__(theme)
        self._live = live
        self.driver, self.modes = DriverPage(live, theme.tokens, units), ModesPage(live)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.driver, self.tr("Along a driver"))
        self.tabs.addTab(self.modes, self.tr("Modes"))
        self.set_main(self.tabs)
        self.seen.connect(lambda _seen: self.driver.look_soon())
        selection.changed.connect(self._selected)
        live.document_changed.connect(self.show_document)
        live.ticked.connect(lambda _snapshot, _status: self._tick())
        theme.changed.connect(self._set_tokens)
        self.show_document(live.opened)
        self._selected(selection.item)

    def show_document(self, opened: Opened | None) -> None:
        """Offer the axes of another mechanism."""
        self.modes.forget()
        self.driver.show_mechanism(None if opened is None else opened.mechanism)
        if opened is None:
            self.show_empty(self.tr("Open a world to analyse positions along a driver, forces and modes."))
        else:
            self.show_main()

    def as_table(self) -> PanelTable | None:
        """All columns of the analysis, or the modes that were found."""
        return self.driver.as_table() if self.tabs.currentWidget() is self.driver else self.modes.as_table()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.driver.set_units(units)

    def _tick(self) -> None:
        if self.isVisible():
            self.driver.refresh()

    def _selected(self, item: Item | None) -> None:
        relations = self._live.relations
        axes = relations.axes_of(item) if relations is not None else ()
        if len(axes) == 1:
            self.driver.select(axes[0])

    def _set_tokens(self, tokens: Tokens) -> None:
        self.driver.set_tokens(tokens)
