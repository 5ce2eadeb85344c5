"""A panel that is made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from simulator.gui.panels.panel import Page, Panel, column_layout

P = TypeVar("P", bound=Panel)


class LatePanel(Page, Generic[P]):
    """A window has more panels than most users open: making one takes its modules, its widgets and their style.
    `make` gives the panel as the present asks for, with the document, units and colours of now."""

    def __init__(self, name: str, title: str, icon_name: str, make: Callable[[], P]) -> None:
        super().__init__(name, title, icon_name)
        self._make = make
        self.made: P | None = None
        self._column = column_layout(self)

    @property
    def panel(self) -> P:
        """The panel, which is made if there is none yet."""
        if self.made is None:
            self.made = panel = self._make()
            panel.setObjectName(self.objectName())
            panel.setWindowTitle(self.windowTitle())
            panel.asked.connect(self.bring_up)
            panel.dismissed.connect(self.put_away)
            panel.grown.connect(self.grown)
            self._column.addWidget(panel)
        return self.made

    def setVisible(self, visible: bool) -> None:
        """It is made before it is shown, so that it is laid out once."""
        if visible:
            _ = self.panel
        super().setVisible(visible)

    def wanted_height(self) -> int | None:
        """Of the panel."""
        return self.panel.wanted_height()
