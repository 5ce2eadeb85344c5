"""The whole: real documents in the window, and the program as a process that receives signals."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.cli import view_command
from simulator.formats.options import ReadingOptions
from simulator.gui import application
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.preferences import Preferences
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.viewport import views
from simulator.session.commands.commands import SetSolver
from simulator.session.open.examples import examples, find_file
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.client import RunState
from simulator.session.text.settings import SOLVERS, SessionSettings
from tests.helpers.drives import set_drive
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

TIGHT = 1e-9
"""Residual of couplings under strategies that hold them exactly [m]."""

WRONG = {
    "empty.sdf": b"",
    "text.sdf": b"this is not a document",
    "cut.sdf": b"<sdf version='1.11'><world name='w'><model name='m'><link",
    "root.sdf": b"<html><body/></html>",
    "bytes.urdf": bytes(range(256)) * 20,
    "mimic.sdf": b"<sdf version='1.11'><model name='m'><link name='a'/><link name='b'/><joint name='j' type='revolute'>"
    b"<parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><mimic joint='none'/></axis></joint></model></sdf>",
}


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    preferences = Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    live = LiveSession(open_document, lambda opened: LocalClient(opened, SessionSettings()), paused=False, speed=1.0)
    window = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
    qtbot.addWidget(window)
    window.show()
    return window


def test_example_worlds_run_in_the_window(window: MainWindow, qtbot: QtBot) -> None:
    """One after the other, as a user tries them."""
    for example in examples()[::3]:
        window.live.open(example.path)
        assert window.live.opened is not None, example.name
        qtbot.waitUntil(lambda: window.live.snapshot is not None and window.live.snapshot.time > 0.01, timeout=20000)
        assert window.live.path == example.path
        assert window.live.status is not None
        assert window.live.status.state is RunState.RUNNING, example.name
        assert not [finding for finding in window.live.diagnostics if finding.is_error], example.name


def test_strategy_and_law_are_changed_while_real_physics_runs(window: MainWindow, qtbot: QtBot) -> None:
    live = window.live
    live.open(find_file("rack_and_pinion"))
    for solver in SOLVERS:
        live.send(SetSolver(solver))
        shown = f"Strategy: {solver}"
        qtbot.waitUntil(lambda shown=shown: shown in window.status.solver.text(), timeout=30000)  # type: ignore[misc]
    live.send(SetSolver("rows"))
    live.send(set_drive("pinion_joint=velocity:0.5"))
    row = next(iter(window.joints_panel.followers.values()))
    row.edit.click()
    editor = window.inspector.law.editor
    assert editor is not None
    editor.multiplier.setText("0.03")
    editor.multiplier.editingFinished.emit()
    qtbot.waitUntil(lambda: "0.03 ·" in row.law.text(), timeout=30000)
    started = live.snapshot.time if live.snapshot is not None else 0.0
    qtbot.waitUntil(lambda: live.snapshot is not None and live.snapshot.time > started + 0.1, timeout=30000)
    snapshot = live.snapshot
    assert snapshot is not None
    assert snapshot.worst_coupling_residual() < TIGHT
    follower, leader = snapshot.position[row.index], snapshot.position[0]
    assert follower == pytest.approx(0.03 * leader, abs=TIGHT)


def test_wrong_documents_leave_the_window_usable(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    for name, content in WRONG.items():
        (tmp_path / name).write_bytes(content)
        window.live.open(tmp_path / name)
        qtbot.wait(30)
        assert window.live.opened is None, name
        assert any(finding.is_error for finding in window.live.diagnostics), name
        assert name in window.gallery.title.text()
    window.live.open(examples()[0].path)
    assert window.live.opened is not None


@pytest.mark.parametrize("paused", [False, True])
def test_no_time_passes_before_the_window_says_so(monkeypatch: pytest.MonkeyPatch, paused: bool) -> None:
    """A robot would have fallen for a tenth of a second before it is asked whether it shall be held; what a large world
    does while its picture is made would not be seen."""
    started: list[SessionSettings] = []
    path = find_file("four_bar")

    def run(_path: Path, start: Callable[[Opened], object], **_: object) -> int:
        for name in ("four_bar", "wrist"):  # the document of the command line, and one that is opened later
            start(open_document(find_file(name)))
        return 0

    monkeypatch.setattr(application, "run_window", run)
    monkeypatch.setattr(view_command, "RemoteClient", lambda _opened, settings, spare: started.append(settings))
    code = view_command.view_document(
        str(path), None, solver="rows", paused=paused, speed=1.0, step=1, drives=(), initial=(), initial_velocity=(),
        numbers=(), options=ReadingOptions(),
    )  # fmt: skip
    assert code == 0
    assert [settings.paused for settings in started] == [True, True]


@pytest.mark.parametrize("path", [Path("/does/not/exist.sdf"), Path("/")])
def test_a_path_that_is_no_file_is_explained(window: MainWindow, path: Path) -> None:
    window.live.open(path)
    assert window.live.diagnostics
    assert window.isVisible()


PROGRAM = """
import os, signal, sys, threading
from pathlib import Path
from PyQt6.QtCore import QSettings
from simulator.gui.application import run_window
from tests.gui.fakes import FakeClient, opened
def opener(*arguments, **options):  # called once the window is there
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    return opened(*arguments, **options)
store = QSettings(sys.argv[1], QSettings.Format.IniFormat)
sys.exit(run_window(Path("rack.sdf"), FakeClient, opener=opener, settings=store))
"""


@pytest.mark.display
def test_the_program_ends_cleanly_at_an_interrupt(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "settings.ini")],
        env=environment, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "settings.ini").exists()
