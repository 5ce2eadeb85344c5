"""Python's cycle collector on the window's own thread."""

from __future__ import annotations

import gc

from PyQt6.QtCore import QObject, QTimer

from simulator.collector import collect_due

EVERY = 500
"""How often it is looked whether a collection is due [ms]."""


class OwnCollector(QObject):
    """Collects cycles of objects in the thread that made this.

    An automatic collection runs in whichever thread happens to make objects. One of a background thread would destroy
    widgets there, while Qt works with them here, and Qt would crash.
    """

    def __init__(self) -> None:
        super().__init__()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_due)
        self._timer.start(EVERY)

    def stop(self) -> None:
        """Leave it to Python again."""
        self._timer.stop()
        gc.enable()
