"""The desktop program: prepares Qt, shows the window, then opens the document."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PyQt6 import sip
from PyQt6.QtCore import QSettings, Qt, QTimer
from PyQt6.QtGui import QSurfaceFormat
from PyQt6.QtWidgets import QApplication

from simulator.formats.options import STANDARD, ReadingOptions
from simulator.gui.file_names import FOLDERS
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.on_screen import OnScreen
from simulator.gui.own_collector import OwnCollector
from simulator.gui.preferences import Preferences, default_settings
from simulator.gui.recovery import offer_leftover
from simulator.gui.resources import application_icon
from simulator.gui.theme import Theme
from simulator.gui.window_system import window_system_reported
from simulator.session.open.opening import Opened
from simulator.session.open.reading_choices import ReadingChoices

if TYPE_CHECKING:
    from simulator.gui.live import ClientFactory, Opener


Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


def run_window(
    document: Opened | Path | None,
    client_factory: ClientFactory,
    *,
    options: ReadingOptions = STANDARD,
    opener: Opener | None = None,
    paused: bool = False,
    speed: float = 1.0,
    step: int = 1,
    settings: QSettings | None = None,
) -> int:
    """Show the window until the user closes it; returns the exit code of the program.

    `document`: an opened document, the path of one (read after the window is shown, with `opener` or else by
    `options` and the user's choices), or None for the start page with the example worlds. `client_factory` starts the
    simulation of each opened document; the window
    closes each client. `paused` and `speed` apply to every document; a lesson begins with `step`.
    """
    application = make_application()
    preferences = Preferences(settings if settings is not None else default_settings())
    FOLDERS.keep_in(preferences)
    theme = Theme(application, preferences.theme)
    live = LiveSession(
        opener, client_factory, paused=paused, speed=speed, threaded=True, reading=ReadingChoices(options)
    )
    window = MainWindow(live, theme, preferences)
    previous_hook = install_hook(live)
    keep_alive = listen_to_signals(window)
    collector = OwnCollector()
    open_first(window, document, step)
    OnScreen(window)
    window.show()
    window.saving.asks = True
    QTimer.singleShot(0, lambda: offer_leftover(window))
    try:
        return application.exec()
    finally:
        keep_alive.stop()
        collector.stop()
        live.close_document()
        sys.excepthook = previous_hook
        dispose(window)


def open_first(window: MainWindow, document: Opened | Path | None, step: int = 1) -> None:
    """It is read and its simulation starts while the window is put on the screen. Meanwhile the view is empty; the
    start page, which paints pictures, is there where nothing comes of it."""
    live = window.live

    def settle() -> None:
        if live.path is None and not live.is_opening:
            window.show_view(False)

    if isinstance(document, Path):
        window.show_view(True)
        live.failed.connect(lambda _why: window.show_view(live.opened is not None))
        live.opening.connect(lambda _path: QTimer.singleShot(0, settle))
        window.open_path(document, step)
    elif document is not None:
        QTimer.singleShot(0, lambda: live.show(document))


def dispose(window: MainWindow) -> None:
    """Destroy the window while the application still exists; left to the garbage collector it may outlive it, which
    crashes Qt."""
    window.close()
    sip.delete(window)


def prepare_qt() -> None:
    """What must be said before the application object exists."""
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    wanted = QSurfaceFormat()
    wanted.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    wanted.setVersion(3, 3)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    wanted.setDepthBufferSize(24)
    QSurfaceFormat.setDefaultFormat(wanted)
    # Qt 6 shares every line that it paints out among threads, which wait for each other longer than one of them needs:
    # the grid of two plots took 30 ms instead of 3.
    os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")


def make_application() -> QApplication:
    """The application object, prepared; the one that exists where there is one."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    prepare_qt()
    with window_system_reported():
        application = QApplication(["simulator"])
    application.setApplicationName("simulator")
    application.setDesktopFileName("simulator")
    application.setStyle("Fusion")
    application.setWindowIcon(application_icon())
    return application


def install_hook(live: LiveSession) -> Hook:
    """Exceptions that no slot handled become findings instead of ending the program. Gives the hook that was there."""
    previous = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        traceback.print_exception(kind, error, trace)
        if isinstance(error, KeyboardInterrupt):
            QApplication.quit()
        else:
            live.add_exception(error)

    sys.excepthook = hook
    return previous


def listen_to_signals(window: MainWindow) -> QTimer:
    """Ctrl-C in the terminal, the end of the session (SIGTERM) and of the terminal (SIGHUP) close the window, and the
    physics process with it: Python sees signals only while it runs, so a timer wakes it.

    The signal may come in the middle of a paint event, so the window is closed in a turn of the event loop of its own.
    """
    for number in (one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM", "SIGHUP")):
        if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda _signal, _frame: QTimer.singleShot(0, window.close))
    timer = QTimer()
    timer.timeout.connect(lambda: None)
    timer.start(200)
    return timer
