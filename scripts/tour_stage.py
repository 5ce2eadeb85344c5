"""The window in which scenes of the tour are played: see make_tour.py."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIECES = 20
"""In so many pieces a scene is stepped."""


class Stage:
    """A window with physics in its own process; simulated time advances by explicit steps only."""

    def __init__(self, application, preferences, theme, size) -> None:  # type: ignore[no-untyped-def]
        from simulator.gui.hand_hint import KNOWS_HAND
        from simulator.gui.live import LiveSession
        from simulator.gui.main_window import MainWindow
        from simulator.gui.theme import Theme
        from simulator.session.open.opening import open_document
        from simulator.session.text.settings import SessionSettings, demonstration_drives

        sys.path.insert(0, str(ROOT))
        from tests.helpers.local_client import LocalClient

        def start(opened):  # type: ignore[no-untyped-def]
            drives = demonstration_drives(opened.world, opened.mechanism)
            return LocalClient(opened, SessionSettings(paused=True, drives=drives))

        preferences.set_flag(KNOWS_HAND, True)
        self.application = application
        self.live = LiveSession(open_document, start, paused=True, speed=1.0)
        self.window = MainWindow(self.live, Theme(application, theme), preferences)
        self.window.resize(*size)
        self.window.show()
        self.other = None
        self.scratch = tempfile.TemporaryDirectory()
        self.window.lessons._ask = self.sheet
        self.wait(0.3)

    def open(self, world: str, *panels: str, steps: int = 600, view: str = "") -> None:
        """Open a world with these panels, the last one in front, look from `view` and let it move."""
        path = Path(world) if "/" in world else ROOT / "worlds" / f"{world}.sdf"
        self.window.open_path(path)
        self.until(lambda: self.live.snapshot is not None or self.live.opened is None)
        self.panels(*panels)
        if view:
            self.window.viewport.standard_view(view)
        self.step(steps)

    def sheet(self, name: str) -> Path:
        """A new document with nothing in it."""
        from simulator.gui.making.new_mechanism import write_empty

        path = Path(self.scratch.name, name)
        write_empty(path)
        return path

    def panels(self, *names: str) -> None:
        """Only these panels, the last one in front."""
        self.window.workbench.show_only(names)
        for panel in self.window.workbench.panels:
            if panel.objectName() in names[-1:]:
                panel.bring_up()
        self.wait(0.2)

    def step(self, count: int) -> None:
        """So many steps, in pieces, so that plots and paths see them."""
        from simulator.session.commands.commands import StepOnce

        for _ in range(PIECES if count else 0):
            self.live.send(StepOnce(count // PIECES))
            self.wait(0.01)

    def switch(self, *names: str) -> None:
        """Trigger actions."""
        for name in names:
            self.window.actions_[name].trigger()
            self.wait(0.1)

    def select(self, joint: str) -> None:
        """Select a joint by the end of its name."""
        from simulator.gui.selection import Item, ItemKind

        opened = self.live.opened
        names = [axis.joint for axis in opened.mechanism.axes] if opened is not None else []
        found = next((name for name in names if name.endswith(joint)), None)
        if found is not None:
            self.window.selection.select(Item(ItemKind.JOINT, found))
        self.wait(0.1)

    def set_number(self, name: str, value: float) -> None:
        from simulator.session.commands.commands import SetNumber

        self.live.send(SetNumber(name, value))
        self.wait(0.3)

    def drive(self, axis: str, speed: float) -> None:
        """A velocity drive [rad/s or m/s]."""
        from simulator.engine.drives import Drive, DriveKind
        from simulator.model.profiles import Constant
        from simulator.session.commands.commands import SetDrive

        self.live.send(SetDrive(axis, Drive(DriveKind.VELOCITY, Constant(speed))))
        self.wait(0.3)

    def pixel(self, point) -> tuple[float, float]:  # type: ignore[no-untyped-def]
        """Where a point of the world is in the view [pixels]."""
        import numpy as np

        canvas = self.window.viewport.canvas
        camera = self.window.viewport.state.camera
        x, y, _ = camera.pixels(np.array(point), (canvas.width(), canvas.height())).tolist()
        return x, y

    def mouse(self, kind: str, at: tuple[float, float], off: tuple[float, float]) -> None:
        """Press the left button in the view, or move the mouse with the button held."""
        from PyQt6.QtCore import QEvent, QPointF, Qt
        from PyQt6.QtGui import QMouseEvent

        canvas, place = self.window.viewport.canvas, QPointF(at[0] + off[0], at[1] + off[1])
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        name = QEvent.Type.MouseButtonPress if kind == "press" else QEvent.Type.MouseMove
        button = left if kind == "press" else Qt.MouseButton.NoButton
        self.application.sendEvent(canvas, QMouseEvent(name, place, canvas.mapToGlobal(place), button, left, none))
        self.wait(0.1)

    def page(self, number: int) -> None:
        """A page of the traces."""
        self.window.traces_panel._groups.button(number).click()
        self.wait(0.3)

    def shown(self):  # type: ignore[no-untyped-def]
        """The window of which the picture is taken."""
        return self.other or self.window

    def until(self, done: Callable[[], bool], limit: float = 30.0) -> None:
        """Until something is so, or for so long [s]."""
        end = time.monotonic() + limit
        while not done() and time.monotonic() < end:
            self.wait(0.02)

    def wait(self, seconds: float) -> None:
        """Let the window do what it has to."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.application.processEvents()
            time.sleep(0.003)

    def close(self) -> None:
        """The window goes."""
        self.window.close()
        self.window.deleteLater()
        self.wait(0.1)
