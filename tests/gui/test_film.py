"""The recording as a film, from the menu; Cancel leaves no file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QDialogButtonBox, QProgressDialog
from pytestqt.qtbot import QtBot

from simulator.gui.film_export import FilmChoice, FilmDialog
from simulator.gui.main_window import MainWindow
from simulator.session.commands.commands import StepOnce
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


@pytest.fixture(autouse=True)
def all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dialog is answered as it is."""
    monkeypatch.setattr(FilmDialog, "exec", lambda _self: 1)


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
        assert film.size == (1920, 1080), "whatever the size of the window"
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


def test_a_part_of_the_recording_becomes_a_slow_film(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = recorded(real_window), tmp_path / "a.gif"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))

    def answer(dialog: FilmDialog) -> int:
        assert dialog.length.text() == "11 pictures, a film of 0.6 s"
        for field, value in ((dialog.first, 0.2), (dialog.last, 0.4), (dialog.speed, 0.1), (dialog.fps, 10.0)):
            field.setValue(value)
        assert dialog.length.text() == "21 pictures, a film of 2.1 s"
        return 1

    shown: list[float] = []
    show = window.live.playback.show

    def watched(moment: float) -> None:
        shown.append(moment)
        show(moment)

    monkeypatch.setattr(FilmDialog, "exec", answer)
    monkeypatch.setattr(window.live.playback, "show", watched)
    window.actions_["save_film"].trigger()
    assert shown == pytest.approx([0.2 + 0.01 * i for i in range(21)]), "0.2 s at a tenth, ten pictures a second"
    with Image.open(target) as film:
        assert (film.n_frames, film.info["duration"]) == (21, 100), "milliseconds of a picture"


def test_the_dialog_of_a_film_can_be_cancelled(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = recorded(real_window), tmp_path / "a.gif"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    monkeypatch.setattr(FilmDialog, "exec", lambda _self: 0)
    window.actions_["save_film"].trigger()
    assert not target.exists()


def test_a_film_that_ends_before_it_begins_is_not_saved(qtbot: QtBot, real_window: Make) -> None:
    window = recorded(real_window)
    dialog = FilmDialog(window, FilmChoice(0.0, 1 / 3, 1.0, 25.0), 60.0)
    save = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save)
    assert dialog.choice().last == 1 / 3, "not 0.333"
    dialog.first.setValue(0.3)
    dialog.last.setValue(0.2)
    assert not save.isEnabled()
    assert "before it begins" in dialog.length.text()
    dialog.last.setValue(0.3)
    assert save.isEnabled()
    assert dialog.choice().count == 1
