"""A window over real simulations in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.preferences import Preferences
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.viewport import views
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings, demonstration_drives
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

WORLDS = ROOT / "worlds"


def start(document: Opened, own: Sequence[str] = ()) -> LocalClient:
    drives = tuple(map(parse_drive, own)) or demonstration_drives(document.world, document.mechanism)
    return LocalClient(document, SessionSettings(paused=True, drives=drives))


@pytest.fixture
def real_window(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., MainWindow]]:
    """Makes a window that shows a document, by path or the name of an example world, with `drives` instead of its own;
    painted without OpenGL."""
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    made: list[MainWindow] = []

    def make(document: Path | str, size: tuple[int, int] = (1400, 900), drives: Sequence[str] = ()) -> MainWindow:
        preferences = Preferences(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
        live = LiveSession(open_document, partial(start, own=drives), paused=True, speed=1.0)
        window = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
        window.resize(*size)
        qtbot.addWidget(window)
        window.show_view(True)  # as the program does: the start page, which paints pictures, is not seen
        window.show()
        window.workbench.show_all()
        live.open(document if isinstance(document, Path) else WORLDS / f"{document}.sdf")
        assert live.opened is not None
        qtbot.waitUntil(lambda: live.snapshot is not None)
        made.append(window)
        return window

    yield make
    for window in made:
        window.close()
