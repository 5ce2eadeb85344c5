"""A window that is closed leaves no thread of ours behind."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.gui.background import Background, background_threads, wait_for_background
from simulator.gui.main_window import MainWindow
from tests.gui.conftest import Bench
from tests.gui.on_view import Hands


def test_work_that_goes_on_when_the_window_is_closed_is_waited_for(open_world: Callable[[str], Hands]) -> None:
    """Figures and dead points, the condition and the ways of the joints are being looked for, all in threads."""
    before = {thread.ident for thread in threading.enumerate()}
    hands = open_world("scissor_lift")
    window = hands.window
    for panel in (window.mechanism_panel, window.joints_panel, window.kinematics_panel):
        panel.bring_up()
        hands.frame()
        QApplication.processEvents()
    hands.live.kinematics.choose(1)
    assert background_threads(), "there is something to wait for"
    window.close()
    assert background_threads() == []
    ours = [thread.name for thread in threading.enumerate() if thread.ident not in before]
    assert ours == []


def test_the_start_page_stops_painting(bench: Bench, qtbot: QtBot) -> None:
    """The pictures of its cards are painted one after the other in a thread."""
    bench.window.show_view(False)
    gallery = bench.window.gallery
    qtbot.waitUntil(lambda: bool(background_threads()), timeout=10_000)
    bench.window.close()
    assert background_threads() == []
    assert not gallery._thumbnails._timer.isActive()
    qtbot.wait(100)
    assert background_threads() == []


def test_the_wait_has_an_end(qtbot: QtBot) -> None:
    """Work that hangs does not keep the window open for ever."""
    go_on = threading.Event()
    background: Background[bool] = Background()
    background.start(go_on.wait, lambda _result, _error: None)
    assert not wait_for_background(0.01)
    background.cancel()
    assert not wait_for_background(0.01), "what nobody waits for any more is running, too"
    go_on.set()
    assert wait_for_background()


def test_the_program_ends_when_its_window_is_closed(bench: Bench, qapp: QApplication) -> None:
    """The window is hidden before it is closed: Qt still counts it as the last one."""
    window: MainWindow = bench.window
    ended: list[bool] = []
    qapp.lastWindowClosed.connect(lambda: ended.append(True))
    QTimer.singleShot(0, window.close)
    late = QTimer()
    late.setSingleShot(True)
    late.timeout.connect(qapp.quit)
    late.start(5000)
    qapp.exec()
    assert ended == [True]
    assert late.isActive(), "it ended by itself"
