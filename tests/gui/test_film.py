"""The recording as a film, from the menu; Cancel leaves no file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QProgressDialog
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.session.commands import StepOnce
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


def recorded(make: Make) -> MainWindow:
    window = make("rack_and_pinion", (900, 600))
    window.live.send(StepOnce(500))
    window.tick()
    return window


def test_the_recording_becomes_a_gif(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = recorded(real_window), tmp_path / "a.gif"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    window.actions_["save_film"].trigger()
    with Image.open(target) as film:
        assert film.n_frames == 11, "half a second at 20 pictures a second, both ends"
        assert film.size == (window.viewport.width(), window.viewport.height())
        first = film.convert("RGB").tobytes()
        film.seek(10)
        assert film.convert("RGB").tobytes() != first
    assert not window.live.playback.on, "the newest moment is on show again"


def test_cancel_leaves_no_file(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = recorded(real_window), tmp_path / "a.gif"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))

    def cancel() -> None:
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QProgressDialog):
                widget.cancel()

    QTimer.singleShot(0, cancel)
    window.actions_["save_film"].trigger()
    assert list(tmp_path.glob("*.gif")) == []
    assert not window.live.playback.on
