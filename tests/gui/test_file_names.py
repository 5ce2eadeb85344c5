"""Dialogs for files begin where the last file of their kind was, also after the program has started again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from simulator.gui.viewport.pictures import PictureDialog
from tests.gui.conftest import Bench

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


class Dialogs:
    """Stand in for those of Qt: `begun` are the paths with which they were opened, `answer` is what the user says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[Path] = []
        self.answer = ""
        for name in ("getOpenFileName", "getSaveFileName"):
            monkeypatch.setattr(QFileDialog, name, self._ask)

    def _ask(self, _parent: object, _title: str, start: str, _pattern: str) -> tuple[str, str]:
        self.begun.append(Path(start))
        return self.answer, ""


def test_each_kind_of_file_begins_where_its_last_one_was(
    make_bench: Callable[..., Bench], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dialogs, pictures = Dialogs(monkeypatch), tmp_path / "pictures"
    monkeypatch.setattr(PictureDialog, "exec", lambda _self: 1)
    pictures.mkdir()
    bench = make_bench()
    bench.open()
    qtbot.waitUntil(lambda: bench.live.opened is not None)
    bench.activate(qtbot)
    view = bench.window.viewport.canvas
    dialogs.answer = str(pictures / "one")
    qtbot.keyClick(view, Qt.Key.Key_S, CONTROL | ALT | SHIFT)
    assert dialogs.begun[-1] == bench.folder / "rack.png", "beside the document"
    assert (pictures / "one.png").exists()
    dialogs.answer = ""
    qtbot.keyClick(view, Qt.Key.Key_S, CONTROL | ALT | SHIFT)
    assert dialogs.begun[-1] == pictures / "rack.png"
    qtbot.keyClick(view, Qt.Key.Key_S, CONTROL | ALT)
    assert dialogs.begun[-1] == bench.folder / "rack.csv", "recordings have a folder of their own"
    bench.window.close()
    again = make_bench()
    again.open()
    qtbot.waitUntil(lambda: again.live.opened is not None)
    again.activate(qtbot)
    qtbot.keyClick(again.window.viewport.canvas, Qt.Key.Key_S, CONTROL | ALT | SHIFT)
    assert dialogs.begun[-1] == pictures / "rack.png", "it was remembered"
    (pictures / "one.png").unlink()
    pictures.rmdir()
    qtbot.keyClick(again.window.viewport.canvas, Qt.Key.Key_S, CONTROL | ALT | SHIFT)
    assert dialogs.begun[-1] == again.folder / "rack.png", "the folder is gone"
