"""The program as its command starts it, until the first picture after time has begun to pass.

python -m tests.benchmarks.watched_start WORLD; the last line it prints is JSON: when that was [s since the epoch].
Nothing of the window is imported before the program does so itself, after physics has been started: watching costs no
time.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from simulator.cli import spare as spare_module
from simulator.session.run.physics_process import Spare


def main(world: str) -> int:
    """Run it and close the window once it moves."""

    def spare() -> Spare:
        started = Spare()
        _watch_windows()  # imports what the program imports next
        return started

    spare_module.Spare = spare  # type: ignore[assignment, misc]
    from simulator.cli.app import run_app

    return run_app(["view", world])


def _watch_windows() -> None:
    from PyQt6.QtCore import QTimer

    from simulator.gui import application
    from simulator.gui.main_window import MainWindow

    class Watched(MainWindow):
        """Says when it first shows something that has moved, and closes."""

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.live.ticked.connect(self._look)

        def _look(self, snapshot: Any, _status: object) -> None:
            if snapshot is not None and snapshot.time > 0.0:
                self.live.ticked.disconnect(self._look)
                self.viewport.canvas.repaint()
                print(json.dumps({"moving": time.time()}), flush=True)
                QTimer.singleShot(0, self.close)

    application.MainWindow = Watched  # type: ignore[misc]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
