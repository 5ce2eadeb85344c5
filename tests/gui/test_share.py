"""*File ▸ Share as a page*: the mechanism with its drives, as one HTML file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.session.commands.commands import SetDrive
from simulator.session.text.drive_text import parse_drive
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


def test_a_mechanism_is_shared_with_its_drives(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = real_window("rack_and_pinion", (900, 600)), tmp_path / "rack.html"
    window.live.send(SetDrive(*parse_drive("pinion_joint=velocity:2")))
    window.tick()
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    window.actions_["share"].trigger()
    text = target.read_text(encoding="utf-8")
    found = re.search(r'<script id="shared" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    [step] = json.loads(found[1])["steps"]
    assert [axis["name"] for axis in step["content"]["axes"]] == ["pinion_joint", "rack_joint"]
    assert step["content"]["recording"]["count"] > 100
    live = step["content"]["live"]
    assert "reason" in live or [motor["driven"] for motor in live["motors"]] == [True]


def test_a_file_that_cannot_be_written_is_said(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = real_window("rack_and_pinion", (900, 600))
    target = tmp_path / "nowhere" / "rack.html"
    said: list[str] = []
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    monkeypatch.setattr(QMessageBox, "warning", lambda *words: said.append(words[-1]))
    window.actions_["share"].trigger()
    assert len(said) == 1
    assert "rack.html" in said[0]
