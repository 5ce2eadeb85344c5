"""Enables the actions of a simulation once it accepts commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

from simulator.gui.actions import MOVING_KEYS
from simulator.session.run.client import RunState

if TYPE_CHECKING:
    from simulator.gui.actions import Actions
    from simulator.gui.hand_hint import HandHint
    from simulator.gui.live import LiveSession
    from simulator.session.run.client import Status

GOES = (RunState.PAUSED, RunState.RUNNING)
"""In these states time passes, or can."""


class Readiness(QObject):
    """Enables the actions that let time pass, and shows the hint, once per document, when a body can be dragged.
    `stands`: no time passes, as in build mode, which the action "run" leaves."""

    def __init__(self, live: LiveSession, actions: Actions, hint: HandHint) -> None:
        super().__init__(hint)
        self._live = live
        self._actions = actions
        self._hint = hint
        self._hinted: object = None
        self.stands = False
        live.ticked.connect(lambda _snapshot, status: self._look(status))

    def _look(self, status: Status) -> None:
        goes = status.state in GOES
        opened = self._live.opened
        self._actions.enable(("run",), goes or self._live.playback.on)
        if self.stands:
            self._actions.enable(MOVING_KEYS, False)
            return
        self._actions.enable(("step",), goes or self._live.playback.on)
        self._actions.enable(("kinematic",), goes)
        self._actions.enable(("reset",), goes or status.state is RunState.FAILED)
        if goes and opened is not self._hinted:
            self._hinted = opened
            self._hint.show()
