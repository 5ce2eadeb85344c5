"""A window over fakes. Without a display everything but OpenGL is tested on Qt's offscreen platform."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QSettings
from PyQt6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from simulator.gui import live as live_session
from simulator.gui.application import prepare_qt
from simulator.gui.file_names import FOLDERS
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.preferences import Preferences
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.viewport import views
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.settings import SessionSettings
from tests.gui.fakes import FakeClient, broken, opened, with_motor
from tests.gui.on_view import Hands
from tests.helpers.checkout import ROOT
from tests.helpers.local_client import LocalClient

HAS_DISPLAY = bool(os.environ.get("DISPLAY")) and os.environ.get("QT_QPA_PLATFORM", "xcb") == "xcb"
if not HAS_DISPLAY:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
if QApplication.instance() is None:
    prepare_qt()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support"))
            if item.get_closest_marker("display") and not HAS_DISPLAY:
                item.add_marker(pytest.mark.skip(reason="needs an X display (scripts/test brings one)"))


@pytest.fixture(autouse=True, scope="module")
def nothing_else_is_looked_through() -> None:
    """What tests before have left, a cache of documents say, is no part of the collections between those of windows."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def windows_are_gone(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Those of a test before the next one: what is left over has its style worked out anew at every change. Garbage is
    collected between tests, in this thread, see `OwnCollector`; nothing of a window stays for the next one."""
    for name in ("keep_all", "let_go"):
        monkeypatch.setattr(live_session, name, lambda: None)
    gc.disable()
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def dialogs_have_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A modal dialog for which a test has no answer fails it: its loop of events would never end, and no time limit
    reaches it there."""

    def refuse(*arguments: object) -> None:
        raise AssertionError(f"a dialog waits for an answer: {arguments}")

    monkeypatch.setattr(QDialog, "exec", refuse)
    for name in ("getOpenFileName", "getSaveFileName", "getExistingDirectory"):
        monkeypatch.setattr(QFileDialog, name, refuse)
    for name in ("warning", "question", "information", "critical"):
        monkeypatch.setattr(QMessageBox, name, refuse)


@dataclass
class Bench:
    """A window and the fakes behind it."""

    window: MainWindow
    live: LiveSession
    clients: list[FakeClient]
    folder: Path
    store: Path
    law: dict[str, float] = field(default_factory=dict)

    @property
    def client(self) -> FakeClient:
        return self.clients[-1]

    def activate(self, qtbot: QtBot) -> None:
        """Shortcuts work in the active window only."""
        self.window.activateWindow()
        self.window.raise_()
        qtbot.waitUntil(self.window.isActiveWindow)

    def file(self, name: str = "rack.sdf", text: str = "<sdf version='1.11'>\n  <world/>\n</sdf>\n") -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def open(self, name: str = "rack.sdf") -> None:
        self.live.open(self.file(name))


def open_fake(path: Path) -> Opened:
    """Files named bad… have errors, files named boom… cannot be read at all, files named motor… have an actuator."""
    if path.name.startswith("boom"):
        raise RuntimeError("the reader itself failed")
    if path.name.startswith("motor"):
        return with_motor(opened(path))
    return broken(path) if path.name.startswith("bad") else opened(path)


@pytest.fixture
def make_bench(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(*, as_stored: bool = False) -> Bench:
        clients: list[FakeClient] = []

        def start(document: Opened) -> FakeClient:
            clients.append(FakeClient(document))
            return clients[-1]

        store = tmp_path / "settings.ini"
        preferences = Preferences(QSettings(str(store), QSettings.Format.IniFormat))
        FOLDERS.keep_in(preferences)
        live = LiveSession(open_fake, start, paused=True, speed=1.0)
        window = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
        window.resize(1400, 900)
        qtbot.addWidget(window)
        window.show_view(True)  # as the program does: tests of the start page ask for it, its cards take long
        window.show()
        if not as_stored:
            window.workbench.show_all()
            window.workbench.stow()
        made.append(Bench(window, live, clients, tmp_path, store))
        return made[-1]

    yield make
    for bench in made:
        bench.window.close()


@pytest.fixture
def bench(make_bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A window whose view is painted without OpenGL: the same on every platform, and quick."""
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    return make_bench()


@pytest.fixture(params=["in the window", "beside it"])
def gl_bench(
    make_bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Bench:
    """A window with the real view, as graphics processors draw it and as software does; for tests marked `display`."""
    monkeypatch.setattr(views, "is_software", lambda _context: request.param == "beside it")
    return make_bench()


@pytest.fixture
def open_world(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Callable[[str], Hands]]:
    windows: list[MainWindow] = []

    def make(name: str) -> Hands:
        preferences = Preferences(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
        settings = SessionSettings(paused=True)
        live = LiveSession(open_document, lambda document: LocalClient(document, settings), paused=True, speed=1.0)
        window = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
        window._timer.stop()
        window.resize(1280, 800)
        qtbot.addWidget(window)
        window.show_view(True)  # as the program does: the start page, which paints pictures, is not seen
        window.show()
        window.workbench.show_all()
        windows.append(window)
        live.open(ROOT / "worlds" / f"{name}.sdf")
        window.viewport.standard_view("front")
        window.tick()
        qtbot.waitExposed(window)
        qtbot.wait(50)
        return Hands(window, qtbot)

    yield make
    for window in windows:
        window.close()


@pytest.fixture
def painted(open_world: Callable[[str], Hands], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Hands]:
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    return open_world
