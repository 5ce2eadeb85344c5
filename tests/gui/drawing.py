"""A mouse on the sheet of a window in build mode, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QSettings, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.building.drawing.hand import Tool
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.making.new_mechanism import write_empty
from simulator.gui.preferences import Preferences
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.viewport import views
from simulator.session.open.opening import open_document
from tests.gui.real import start

LEFT = Qt.MouseButton.LeftButton
Place = tuple[float, float]
A0, A, B, B0 = (0.0, 0.0), (0.0, 0.1), (0.3, 0.2), (0.25, 0.0)
"""Pins of a crank-rocker."""


class Pencil:
    """`gestures` counts clicks and drags, also those on tools: one that is taken already needs none."""

    def __init__(self, window: MainWindow, path: Path, qtbot: QtBot) -> None:
        self.window, self.path, self.qtbot = window, path, qtbot
        self.sheet = window.build.sheet
        self.gestures = 0

    def at(self, place: Place) -> QPoint:
        return self.sheet.pixel(place).toPoint()

    def take(self, tool: Tool) -> None:
        if not self.window.build.tools[tool].isChecked():
            self.gestures += 1
            self.qtbot.mouseClick(self.window.build.tools[tool], LEFT)

    def drag(self, tool: Tool, a: Place, b: Place) -> None:
        self.take(tool)
        self.hold(a, b)
        self.qtbot.mouseRelease(self.sheet, LEFT, pos=self.at(b))

    def hold(self, a: Place, b: Place) -> None:
        """Press, and move there."""
        self.gestures += 1
        self.qtbot.mousePress(self.sheet, LEFT, pos=self.at(a))
        self.qtbot.mouseMove(self.sheet, self.at(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)))
        self.qtbot.mouseMove(self.sheet, self.at(b))

    def click(self, tool: Tool, *places: Place) -> None:
        self.take(tool)
        for place in places:
            self.gestures += 1
            self.qtbot.mouseClick(self.sheet, LEFT, pos=self.at(place))

    def bars(self, *places: Place) -> None:
        for a, b in pairwise(places):
            self.drag(Tool.BAR, a, b)

    def four_bar(self) -> None:
        self.bars(A0, A, B, B0)
        self.click(Tool.GROUND, A0, B0)
        self.click(Tool.MOTOR, A0)

    def number(self, name: str, what: str = "length") -> None:
        """Click on a number of the sheet."""
        self.sheet.repaint()
        self.qtbot.mouseClick(self.sheet, LEFT, pos=self.sheet.number_box(name, what).center().toPoint())

    def type(self, name: str, text: str, what: str = "length") -> None:
        """Click on a number, and type another one."""
        self.number(name, what)
        field = self.window.build.field
        assert field.isVisible()
        field.selectAll()
        self.qtbot.keyClicks(field, text)
        self.qtbot.keyClick(field, Qt.Key.Key_Return)

    def says(self) -> str:
        return self.window.build.says.text()

    def undo(self) -> None:
        self.window.actions_["undo"].trigger()
        self.qtbot.wait(1)


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """A window of 1280 x 800 whose time does not pass by itself, painted without OpenGL."""
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    preferences = Preferences(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    live = LiveSession(open_document, partial(start, own=()), paused=True, speed=1.0)
    made = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
    made._timer.stop()
    made.resize(1280, 800)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


@pytest.fixture
def pencil(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Pencil:
    """An empty sheet in the file drawn.sdf, with a grid of 10 mm."""
    path = tmp_path / "drawn.sdf"
    write_empty(path)
    window.build_switch.draw(path)
    assert window.build.is_on
    qtbot.waitUntil(lambda: window.build.sheet.width() > 300)
    window.build.sheet.fit()
    assert window.build.sheet.hand.grid == pytest.approx(0.01)
    return Pencil(window, path, qtbot)
