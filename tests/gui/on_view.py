"""A window with a real simulation behind it, and a mouse on its view."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QEvent, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow

START = 1.79577497339621
"""Absolute angle of the rocker of worlds/four_bar.sdf at its start; its ground pin is at (0.2, 0, 0.16)."""
NOTHING, LEFT = Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton
PRESS, MOVE, RELEASE = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease


class Hands:
    """A window with a real simulation, and a mouse."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot
        self.view, self.live = window.viewport, window.live

    def pixel(self, point: np.ndarray | tuple[float, float, float]) -> QPointF:
        canvas = self.view.canvas
        x, y, _ = self.view.state.camera.pixels(np.array(point), (canvas.width(), canvas.height())).tolist()
        return QPointF(x, y)

    def pieces(self) -> list[np.ndarray]:
        """Points of all lines over the view, shape (n, 3) each."""
        return [piece for line in self.view.state.lines for piece in line.pieces()]

    def mouse(
        self, kind: QEvent.Type, at: QPointF, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        canvas = self.view.canvas
        button, held = NOTHING if kind is MOVE else LEFT, NOTHING if kind is RELEASE else LEFT
        event = QMouseEvent(kind, at, canvas.mapToGlobal(at), button, held, modifiers)
        QApplication.sendEvent(canvas, event)
        self.frame()

    def frame(self) -> None:
        self.window.tick()

    def angle(self) -> float:
        assert self.live.snapshot is not None
        return START + float(self.live.snapshot.position[2])

    def off(self, at: QPointF) -> float:
        difference = self.pixel(self.view.hand.place()) - at
        return math.hypot(difference.x(), difference.y())


class Picker(Hands):
    """A mouse that picks places of bodies while joining is on, over the document in `path`."""

    def __init__(self, window: MainWindow, qtbot: QtBot, path: Path) -> None:
        super().__init__(window, qtbot)
        self.path, self.picks, self.bar = path, window.viewport.join, window.viewport.join_bar

    def take(self, kind: str) -> None:
        self.bar.kinds.setCurrentIndex(self.bar.kinds.findData(kind))
