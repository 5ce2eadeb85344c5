"""Connects the view, the traces and the panel of analyses: forces are computed while one of them shows them, and the
view shows the mode that is selected in the panel."""

from __future__ import annotations

from functools import partial

import numpy as np
from PyQt6.QtCore import QObject

from simulator.engine.snapshot import Snapshot
from simulator.gui.actions import Actions
from simulator.gui.live import LiveSession
from simulator.gui.panels.traces_panel import TracesPanel
from simulator.gui.past_forces import PastForces
from simulator.gui.viewport.force_view import RECENT
from simulator.gui.viewport.viewport import Viewport
from simulator.recording.history import on_grid
from simulator.session.commands.commands import WatchForces

SCALED_BY = 20
"""Moments of the past by which arrows are scaled."""


class Watching(QObject):
    """Switches the forces of the simulation on while a part of the window shows forces, also in a simulation that is
    opened later. `past`: forces at recorded moments."""

    def __init__(self, live: LiveSession, actions: Actions, view: Viewport, traces: TracesPanel) -> None:
        super().__init__()
        self._live, self._view = live, view
        self._wanted: set[str] = set()
        self.past = PastForces(live)
        self.past.found.connect(view.show_news)
        self.past.found.connect(traces.redraw)
        traces.pages.wanted.connect(partial(self.past.ask, "traces"))
        live.ticked.connect(lambda snapshot, _status: self._look_back(snapshot))
        live.document_changed.connect(lambda _opened: self._ask())
        actions.on_toggle("forces", partial(self.want, "view"))
        actions.on_toggle("accelerations", partial(self.want, "accelerations"))
        traces.watches.connect(partial(self.want, "traces"))

    def want(self, who: str, on: bool) -> None:
        """A part of the window, by its name, shows forces, or no longer."""
        before = bool(self._wanted)
        (self._wanted.add if on else self._wanted.discard)(who)
        if bool(self._wanted) != before:
            self._live.pass_on(WatchForces(bool(self._wanted)))

    def _look_back(self, snapshot: Snapshot | None) -> None:
        """Ask for the forces of the moment that is played back, and of those by which its arrows are scaled."""
        client = self._live.client
        if snapshot is not None and client is not None and self._live.playback.on and self._wanted - {"traces"}:
            span = snapshot.time - RECENT, snapshot.time
            recorded, _ = client.trace((), span[0])
            self.past.ask("view", recorded[on_grid(recorded, span, SCALED_BY)])

    def _ask(self) -> None:
        if self._wanted:
            self._live.pass_on(WatchForces())

    def show_swing(self, body_poses: object) -> None:
        """The view shows the mode that is selected in the panel; None: the snapshot again."""
        if isinstance(body_poses, np.ndarray):
            self._view.show_swing(body_poses)
        elif self._live.snapshot is not None:
            self._view.show_snapshot(self._live.snapshot)
