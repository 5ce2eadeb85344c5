"""*File ▸ Hand in*: words with formulas, a folder, and the same window opens it as a lesson."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialogButtonBox, QMessageBox
from pytestqt.qtbot import QtBot

from simulator.gui.handing_in import HandInDialog
from simulator.gui.main_window import MainWindow
from simulator.session.commands.commands import SetDrive, StepOnce
from simulator.session.text.drive_text import parse_drive
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
Hand = Callable[[MainWindow, str], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def hand_in(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Callable[[MainWindow, str], None]:
    """Chooses *Hand in*, types into the dialog, and presses its button; Escape where there are no words."""

    def answered(dialog: HandInDialog, words: str) -> int:
        dialog.show()
        if not words:
            qtbot.keyClick(dialog, Qt.Key.Key_Escape)
            return dialog.result()
        dialog.words.selectAll()
        qtbot.keyClicks(dialog.words, words)
        qtbot.keyClicks(dialog.author, "Ada")
        assert "font-style:italic" in dialog.seen.toHtml(), "a letter of a formula"
        box = dialog.findChild(QDialogButtonBox)
        assert box is not None
        write = next(button for button in box.buttons() if button.text() == "Write folder…")
        qtbot.mouseClick(write, LEFT)
        return dialog.result()

    def chosen(window: MainWindow, words: str) -> None:
        monkeypatch.setattr(HandInDialog, "exec", lambda dialog: answered(dialog, words))
        window.actions_["hand_in"].trigger()

    return chosen


def test_what_is_on_show_is_handed_in_and_opens_as_a_lesson(
    real_window: Make, hand_in: Hand, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.live.send(SetDrive(*parse_drive("pinion_joint=velocity:2")))
    window.live.send(StepOnce(100))
    window.tick()
    monkeypatch.setattr("simulator.gui.handing_in.ask_folder", lambda *_: tmp_path)
    hand_in(window, "The rack: $F = 1$.")
    folder = tmp_path / "rack_and_pinion_hand_in"
    assert (folder / "words.md").read_text(encoding="utf-8") == "The rack: $F = 1$."
    rows = (folder / "recording.csv").read_text(encoding="utf-8").strip().split("\n")
    assert float(rows[-1].split(",")[0]) == pytest.approx(0.1), "the recording of the window, not that of the report"
    assert "index.html" in window.notice.message.text()
    window.open_path(folder / "rack_and_pinion.lesson.toml")
    qtbot.waitUntil(window.lesson_panel.isVisible)
    window.tick()
    assert "The rack" in window.lesson_panel.notes.toPlainText()
    assert "Ada" in window.lesson_panel.notes.toPlainText()
    assert window.live.path == folder / "rack_and_pinion.sdf"
    qtbot.mouseClick(window.lesson_panel.next, LEFT)
    assert "freedoms" in window.lesson_panel.notes.toPlainText()


def test_a_folder_that_cannot_be_written_is_said(
    real_window: Make, hand_in: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = real_window("rack_and_pinion", (900, 600))
    said: list[str] = []
    monkeypatch.setattr("simulator.gui.handing_in.ask_folder", lambda *_: tmp_path / "nowhere")
    monkeypatch.setattr(QMessageBox, "warning", lambda *words: said.append(words[-1]))
    hand_in(window, "$F = 1$")
    assert len(said) == 1
    assert "rack_and_pinion_hand_in" in said[0]


def test_nothing_is_written_where_the_user_changes_their_mind(
    real_window: Make, hand_in: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = real_window("rack_and_pinion", (900, 600))
    monkeypatch.setattr("simulator.gui.handing_in.ask_folder", lambda *_: pytest.fail("no folder is asked for"))
    hand_in(window, "")
