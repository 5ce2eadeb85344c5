"""Documents are read beside the window: it stays alive, says so, and lets the user change their mind; what a reload
keeps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import QSettings, QSize
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.engine.drives import DriveKind
from simulator.gui.application import open_first
from simulator.gui.background import Background
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.preferences import Preferences
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.viewport import views
from simulator.gui.viewport.thumbnails import Thumbnails
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import Start, starting_pose
from simulator.model.profiles import Constant
from simulator.model.world import DemonstrationDrive
from simulator.session.commands.commands import SetDrive
from simulator.session.look import freedoms
from simulator.session.open import start_findings
from simulator.session.open.opening import Opened, open_document
from tests.gui.conftest import Bench
from tests.gui.fakes import FakeClient, broken, opened
from tests.gui.on_view import Hands
from tests.helpers.drives import set_drive
from tests.helpers.repository import ROOT


class SlowReader:
    """Files named slow… are read when `gate` is opened; files named bad… have errors."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.finished: list[str] = []
        self.threads: set[str] = set()
        self.clients: list[FakeClient] = []

    def start(self, document: Opened) -> FakeClient:
        self.clients.append(FakeClient(document))
        return self.clients[-1]

    def __call__(self, path: Path) -> Opened:
        self.threads.add(threading.current_thread().name)
        if path.name.startswith("slow"):
            self.gate.wait(20.0)
        self.finished.append(path.name)
        if path.name.startswith("boom"):
            raise RuntimeError("the reader itself failed")
        return broken(path) if path.name.startswith("bad") else opened(path)


@pytest.fixture
def reader() -> Iterator[SlowReader]:
    made = SlowReader()
    yield made
    made.gate.set()


@pytest.fixture
def window(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, reader: SlowReader, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    preferences = Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    live = LiveSession(reader, reader.start, paused=True, speed=1.0, threaded=True)
    made = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


def name_on_show(window: MainWindow) -> str:
    return window.live.opened.path.name if window.live.opened is not None else ""


def test_a_slow_document_is_said_to_be_opening(window: MainWindow, reader: SlowReader, qtbot: QtBot) -> None:
    window.live.open(Path("slow.sdf"))
    busy = window.announcements.busy
    qtbot.waitUntil(busy.isVisible)
    assert busy.message.text() == "Opening slow.sdf …"
    assert window.announcements.progress.isVisible()
    assert window.live.opened is None
    reader.gate.set()
    qtbot.waitUntil(lambda: name_on_show(window) == "slow.sdf")
    assert not busy.isVisible()
    assert not window.announcements.progress.isVisible()
    assert reader.threads == {"simulator background"}


def test_the_document_on_show_stays_alive_meanwhile(window: MainWindow, reader: SlowReader, qtbot: QtBot) -> None:
    window.live.open(Path("first.sdf"))
    qtbot.waitUntil(lambda: name_on_show(window) == "first.sdf")
    window.live.open(Path("slow.sdf"))
    window.actions_["run"].trigger()
    qtbot.waitUntil(lambda: window.live.snapshot is not None and window.live.snapshot.time > 0.1)
    assert name_on_show(window) == "first.sdf"
    reader.gate.set()
    qtbot.waitUntil(lambda: name_on_show(window) == "slow.sdf")


def test_opening_another_one_gives_the_first_up(window: MainWindow, reader: SlowReader, qtbot: QtBot) -> None:
    window.live.open(Path("slow.sdf"))
    window.live.open(Path("quick.sdf"))
    qtbot.waitUntil(lambda: name_on_show(window) == "quick.sdf")
    reader.gate.set()
    qtbot.waitUntil(lambda: "slow.sdf" in reader.finished)
    qtbot.wait(50)
    assert name_on_show(window) == "quick.sdf"
    assert {client.opened.path.name: client.closed for client in reader.clients} == {
        "quick.sdf": False,
        "slow.sdf": True,
    }


def test_cancel_stays_with_what_is_on_show(window: MainWindow, reader: SlowReader, qtbot: QtBot) -> None:
    window.live.open(Path("first.sdf"))
    qtbot.waitUntil(lambda: name_on_show(window) == "first.sdf")
    window.live.open(Path("slow.sdf"))
    busy = window.announcements.busy
    qtbot.waitUntil(busy.isVisible)
    busy.button.click()
    assert not busy.isVisible()
    reader.gate.set()
    qtbot.waitUntil(lambda: "slow.sdf" in reader.finished)
    qtbot.wait(50)
    assert name_on_show(window) == "first.sdf"


@pytest.mark.parametrize("name", ["bad.sdf", "boom.sdf"])
def test_wrong_documents_are_explained_from_the_thread_too(window: MainWindow, qtbot: QtBot, name: str) -> None:
    window.live.open(Path(name))
    qtbot.waitUntil(lambda: bool(window.live.diagnostics))
    assert window.live.diagnostics[0].is_error
    assert name in window.gallery.title.text()
    assert not window.announcements.busy.isVisible()


def test_while_the_first_document_is_read_the_start_page_is_not_there(
    window: MainWindow, reader: SlowReader, qtbot: QtBot
) -> None:
    """It would paint its pictures meanwhile; it comes where the user gives up."""
    open_first(window, Path("slow.sdf"))
    window.show()
    QApplication.processEvents()
    assert not window.gallery.isVisible()
    window.live.cancel_opening()
    qtbot.waitUntil(window.gallery.isVisible)
    reader.gate.set()


@pytest.mark.parametrize(("name", "start_page"), [("good.sdf", False), ("boom.sdf", True), ("bad.sdf", False)])
def test_what_comes_of_the_first_document_is_shown(
    window: MainWindow, qtbot: QtBot, name: str, start_page: bool
) -> None:
    open_first(window, Path(name))
    window.show()
    qtbot.waitUntil(lambda: not window.live.is_opening)
    QApplication.processEvents()
    assert window.gallery.isVisible() == start_page, "what could be read of a broken one is drawn"


def test_closing_the_window_does_not_wait(window: MainWindow, reader: SlowReader) -> None:
    window.live.open(Path("slow.sdf"))
    window.close()
    assert reader.finished == []


def test_results_of_work_that_was_given_up_are_never_told(qtbot: QtBot) -> None:
    gate, told = threading.Event(), []
    background: Background[str] = Background()
    background.start(lambda: str(gate.wait(20.0)), lambda result, _error: told.append(result))
    background.start(lambda: "second", lambda result, _error: told.append(result))
    qtbot.waitUntil(lambda: told == ["second"])
    gate.set()
    qtbot.wait(50)
    assert told == ["second"]
    assert not background.busy


# What a reload keeps


def test_drives_come_back_after_a_reload(bench: Bench) -> None:
    bench.open()
    bench.live.send(set_drive("machine::pinion_joint=velocity:2"))
    bench.window.actions_["reload"].trigger()
    assert set_drive("machine::pinion_joint=velocity:2") in bench.client.sent
    card = bench.window.joints_panel.cards[0]
    assert (card.drive_kind(), card.value.value()) == (DriveKind.VELOCITY, 2.0)
    bench.open("other.sdf")
    assert not any(isinstance(command, SetDrive) for command in bench.client.sent)
    assert bench.window.joints_panel.cards[0].drive_kind() is None


def test_a_drive_of_an_axis_that_is_gone_is_dropped_and_comes_back_with_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.open()
    bench.live.send(set_drive("machine::pinion_joint=effort:1"))

    def renamed(path: Path) -> Opened:
        good = opened(path)
        turn, slide = good.mechanism.axes
        other = replace(turn, name="machine::wheel_joint", joint="machine::wheel_joint")
        return replace(good, mechanism=replace(good.mechanism, axes=(other, slide)))

    monkeypatch.setattr(bench.live, "_opener", renamed)
    bench.window.actions_["reload"].trigger()
    assert not any(isinstance(command, SetDrive) for command in bench.client.sent)
    monkeypatch.setattr(bench.live, "_opener", opened)
    bench.window.actions_["reload"].trigger()
    assert set_drive("machine::pinion_joint=effort:1") in bench.client.sent


def test_a_drive_that_was_let_go_stays_let_go(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def driven(path: Path) -> Opened:
        good = opened(path)
        wish = DemonstrationDrive("pinion_joint", "velocity", Constant(0.5))
        return replace(good, world=replace(good.world, drives=(wish,)))

    monkeypatch.setattr(bench.live, "_opener", driven)
    bench.open()
    card = bench.window.joints_panel.cards[0]
    assert card.drive_kind() is DriveKind.VELOCITY
    card.kind.setCurrentIndex(0)
    bench.window.actions_["reload"].trigger()
    assert set_drive("machine::pinion_joint=") in bench.client.sent
    assert bench.window.joints_panel.cards[0].drive_kind() is None


# Files that a document is made of


def test_a_change_of_an_included_file_is_offered_for_reload(
    bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bench.folder / "part"
    folder.mkdir()
    part = folder / "model.sdf"
    part.write_text("<sdf/>")

    def including(path: Path) -> Opened:
        good = opened(path)
        return replace(good, document=replace(good.document, files=(str(path), str(part))))

    monkeypatch.setattr(bench.live, "_opener", including)
    bench.open()
    assert bench.window.watcher.files == (bench.folder / "rack.sdf", part)
    part.write_text("<sdf version='1.11'/>")
    qtbot.waitUntil(bench.window.banner.isVisible, timeout=5000)
    assert "model.sdf changed on disk" in bench.window.banner.message.text()
    bench.window.banner.button.click()
    swap = folder / "swap"
    swap.write_text("<sdf version='1.12'/>")
    swap.replace(part)
    qtbot.waitUntil(bench.window.banner.isVisible, timeout=5000)


def test_a_file_that_is_touched_but_not_changed_is_no_news(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    path = bench.folder / "rack.sdf"
    path.write_bytes(path.read_bytes())
    bench.window.watcher._compare()
    assert not bench.window.banner.isVisible()


def test_a_start_that_fails_leaves_the_page_of_what_is_open(bench: Bench) -> None:
    """Only where nothing is on show, the gallery explains what could not be started."""
    bench.open()
    refused = bench.window.gallery.title.text()
    bench.live.failed.emit("no process could be started")
    assert bench.window.gallery.title.text() == refused
    assert bench.live.opened is not None


def test_examples_are_shown_by_pictures_of_them(qtbot: QtBot) -> None:
    pictures = Thumbnails(open_document, QSize(160, 100))
    with qtbot.waitSignal(pictures.made, timeout=60_000) as made:
        pictures.start([ROOT / "worlds" / "four_bar.sdf"], "light", 1.0)
    path, picture = made.args or (None, None)
    assert path == ROOT / "worlds" / "four_bar.sdf"
    image = picture.toImage()
    assert (image.width(), image.height()) == (160, 100)
    assert len({image.pixel(x, y) for x in range(160) for y in range(100)}) > 20
    pictures.stop()


def test_the_start_is_assembled_once_for_findings_and_panels(
    painted: Callable[[str], Hands], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the simulation itself, which has its own process."""
    asked: list[str] = []

    def counted(kinematics: Kinematics, *more: Any) -> Start:
        asked.append(kinematics.mechanism.axes[0].name)
        return starting_pose(kinematics, *more)

    for module in (start_findings, freedoms):
        monkeypatch.setattr(module, "starting_pose", counted)
    hands = painted("four_bar")
    assert len(asked) == 1
    crank, driver = hands.live.free_axes[0], hands.window.analysis_panel.driver
    assert driver._axes[0] == crank
    assert driver.driver.itemText(0) == "crank_joint"
