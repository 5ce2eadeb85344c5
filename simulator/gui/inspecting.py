"""Requests of the inspector to the other parts of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

if TYPE_CHECKING:
    from simulator.gui.inspector.inspector import Inspector
    from simulator.gui.live import LiveSession
    from simulator.gui.panels.diagnostics_panel import DiagnosticsPanel
    from simulator.gui.panels.traces_panel import TracesPanel
    from simulator.gui.selection import Selection
    from simulator.gui.viewport.viewport import Viewport


class Inspecting(QObject):
    """Fits the selected item into the view, draws it over time, brings up its findings."""

    def __init__(
        self, live: LiveSession, inspector: Inspector, selection: Selection, view: Viewport, traces: TracesPanel,
        diagnostics: DiagnosticsPanel,
    ) -> None:  # fmt: skip
        super().__init__()
        self._live = live
        self._selection = selection
        self._view = view
        self._traces = traces
        inspector.fit.connect(self._fit)
        inspector.plot.connect(self._plot)
        inspector.finding_chosen.connect(diagnostics.show_finding)
        inspector.reaction.plotted.connect(traces.show_reaction)

    def _fit(self) -> None:
        relations = self._live.relations
        if relations is not None:
            self._view.fit(relations.links_of(self._selection.item))

    def _plot(self) -> None:
        relations = self._live.relations
        if relations is not None:
            self._traces.bring_up()
            self._traces.show_axes(relations.axes_of(self._selection.item))
