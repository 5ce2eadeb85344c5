"""Draws the four-bar of docs/how-to/build_in_the_window.md with a mouse and takes its picture; needs no display.

QT_QPA_PLATFORM=offscreen python scripts/make_build_pictures.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from PyQt6.QtCore import QBuffer, QIODevice, QPoint, QSettings, Qt
from PyQt6.QtTest import QTest

from simulator.building.drawing.hand import Tool
from simulator.gui.application import make_application
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.making.new_mechanism import write_empty
from simulator.gui.preferences import Preferences
from simulator.gui.theme import Theme, ThemeChoice
from simulator.session.open.opening import open_document
from simulator.session.run.local import LocalClient
from simulator.session.text.settings import SessionSettings

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "build_in_the_window.webp"
SIZE = (1280, 800)
LEFT = Qt.MouseButton.LeftButton
PINS = ((-0.1, -0.05), (-0.1, 0.05), (0.2, 0.1), (0.15, -0.05))


def main() -> None:
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "four_bar.sdf")
        write_empty(path)
        preferences = Preferences(QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat))
        live = LiveSession(
            open_document, lambda opened: LocalClient(opened, SessionSettings(paused=True)), paused=True, speed=1.0
        )
        window = MainWindow(live, Theme(application, ThemeChoice.LIGHT), preferences)
        window.resize(*SIZE)
        window.show()
        window.build_switch.draw(path)
        QTest.qWait(200)
        draw(window)
        QTest.qWait(200)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        window.grab().save(buffer, "WEBP", 85)
        PICTURE.write_bytes(bytes(buffer.data()))
        window.close()
    print(f"{PICTURE.name}: {PICTURE.stat().st_size / 1e3:.0f} kB")


def draw(window: MainWindow) -> None:
    """Three bars, two pins on the ground, a motor."""
    sheet, tools = window.build.sheet, window.build.tools

    def at(number: int) -> QPoint:
        return sheet.pixel(PINS[number]).toPoint()

    for number in range(3):
        QTest.mousePress(sheet, LEFT, pos=at(number))
        QTest.mouseMove(sheet, at(number + 1))
        QTest.mouseRelease(sheet, LEFT, pos=at(number + 1))
    for tool, number in ((Tool.GROUND, 0), (Tool.GROUND, 3), (Tool.MOTOR, 0)):
        QTest.mouseClick(tools[tool], LEFT)
        QTest.mouseClick(sheet, LEFT, pos=at(number))


if __name__ == "__main__":
    main()
