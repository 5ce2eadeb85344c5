"""Who wants to know of forces, and what swings in the view: between the view, the traces and the panel of analyses."""

from __future__ import annotations

from functools import partial

import numpy as np
from PyQt6.QtCore import QObject

from simulator.gui.actions import Actions
from simulator.gui.analysis.analysis_dock import AnalysisDock
from simulator.gui.docks.traces_dock import TracesDock
from simulator.gui.live import LiveSession
from simulator.gui.viewport.viewport import Viewport
from simulator.session.commands import WatchForces


class Watching(QObject):
    """Asks the simulation on show for forces while somebody wants to know, and the next one, too; shows modes."""

    def __init__(
        self, live: LiveSession, actions: Actions, view: Viewport, traces: TracesDock, analysis: AnalysisDock
    ) -> None:
        super().__init__()
        self._live, self._view = live, view
        self._wanted: set[str] = set()
        live.document_changed.connect(lambda _opened: self._ask())
        actions.on_toggle("forces", partial(self.want, "view"))
        actions.on_toggle("accelerations", partial(self.want, "accelerations"))
        traces.watches.connect(partial(self.want, "traces"))
        analysis.modes.swung.connect(self._swung)

    def want(self, who: str, on: bool) -> None:
        """Somebody wants to know, or no longer."""
        before = bool(self._wanted)
        (self._wanted.add if on else self._wanted.discard)(who)
        if bool(self._wanted) != before:
            self._live.pass_on(WatchForces(bool(self._wanted)))

    def _ask(self) -> None:
        if self._wanted:
            self._live.pass_on(WatchForces())

    def _swung(self, body_poses: object) -> None:
        if isinstance(body_poses, np.ndarray):
            self._view.show_swing(body_poses)
        elif self._live.snapshot is not None:
            self._view.show_snapshot(self._live.snapshot)
