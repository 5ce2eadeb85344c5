"""What was changed in a document is marked, saved into it or into a copy, and not lost without a question."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.session.commands.commands import SetCoupling, SetNumber
from simulator.session.open.opening import open_document
from tests.gui.real import real_window
from tests.helpers.repository import ROOT

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
BUTTON = QMessageBox.StandardButton


@pytest.fixture
def rack(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "assets", tmp_path / "assets")
    (tmp_path / "worlds").mkdir()
    return Path(shutil.copy(ROOT / "worlds" / "rack_and_pinion.sdf", tmp_path / "worlds" / "rack.sdf"))


def changed(window: MainWindow, qtbot: QtBot) -> None:
    window.live.send(SetCoupling(0, 0.03, 0.0, 0.0))
    window.live.send(SetNumber("mimic_rack_and_pinion::pinion_joint.damping", 0.01))
    qtbot.waitUntil(lambda: (window.tick(), window.isWindowModified())[1])


def answer(monkeypatch: pytest.MonkeyPatch, button: QMessageBox.StandardButton) -> list[str]:
    asked: list[str] = []
    monkeypatch.setattr(
        QMessageBox, "exec", lambda box: asked.append(f"{box.text()} {box.informativeText()}") or button
    )
    return asked


@pytest.mark.parametrize("is_saved_as", [False, True])
def test_a_saved_length_is_drawn_and_what_does_not_follow_is_said(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_saved_as: bool
) -> None:
    document = Path(shutil.copy(ROOT / "worlds" / "four_bar.sdf", tmp_path / "mine.sdf"))
    window = real_window(document)
    window.live.send(SetNumber("four_bar::rocker.length", 0.32))
    qtbot.waitUntil(lambda: (window.tick(), window.isWindowModified())[1])
    monkeypatch.setattr("simulator.gui.document_saving.ask_target", lambda *_: tmp_path / "copy.sdf")
    window.actions_["save_as" if is_saved_as else "save_document"].trigger()
    qtbot.waitUntil(window.notice.isVisible)
    assert "rocker: drawn at the saved length" in window.notice.message.text()
    ends = window.viewport.scene_choice.bars["four_bar::rocker"]  # the bar of the mesh, and the one that is drawn
    assert [np.linalg.norm(bar[1] - bar[0]) for bar in ends] == pytest.approx([0.3, 0.32], abs=1e-12)


def test_changes_are_marked_and_saved_together(real_window: Make, qtbot: QtBot, rack: Path) -> None:
    window = real_window(rack)
    assert not window.isWindowModified()
    assert window.windowTitle() == "rack.sdf[*] — simulator"
    before = rack.read_text()
    changed(window, qtbot)
    window.actions_["save_document"].trigger()
    again = open_document(rack).mechanism
    assert again.couplings[0].multiplier == 0.03
    assert next(info for info in again.axes if info.name.endswith("pinion_joint")).axis.damping == 0.01
    assert rack.read_text().count("<!--") == before.count("<!--")
    qtbot.waitUntil(lambda: (window.tick(), not window.isWindowModified())[1])
    window.live.undo.stack.undo()
    qtbot.waitUntil(lambda: rack.read_text() == before)


def test_closing_asks_and_can_be_called_off(
    real_window: Make, qtbot: QtBot, rack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = real_window(rack)
    window.saving.asks = True
    changed(window, qtbot)
    asked = answer(monkeypatch, BUTTON.Cancel)
    window.close()
    assert window.isVisible()
    assert window.live.opened is not None
    assert asked == [
        "rack.sdf has changes that are not saved. "
        "Changed: law of mimic_rack_and_pinion::rack_joint, mimic_rack_and_pinion::pinion_joint.damping"
    ]
    window.open_path(ROOT / "worlds" / "four_bar.sdf")
    assert window.live.path == rack
    window.actions_["gallery"].trigger()
    assert window.live.path == rack
    assert len(asked) == 3
    answer(monkeypatch, BUTTON.Save)
    window.open_path(ROOT / "worlds" / "four_bar.sdf")
    assert open_document(rack).mechanism.couplings[0].multiplier == 0.03


def test_without_changes_nothing_is_asked(real_window: Make, rack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = real_window(rack)
    window.saving.asks = True
    asked = answer(monkeypatch, BUTTON.Cancel)
    window.open_path(ROOT / "worlds" / "four_bar.sdf")
    assert asked == []


def test_an_example_is_never_written_and_can_be_kept(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, example = real_window("rack_and_pinion"), ROOT / "worlds" / "rack_and_pinion.sdf"
    before, target = example.read_bytes(), tmp_path / "mine" / "rack.sdf"
    target.parent.mkdir()
    changed(window, qtbot)
    window.inspector.law._save()
    assert "comes with the program" in window.inspector.law.message.text()
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    window.actions_["save_document"].trigger()
    assert example.read_bytes() == before
    qtbot.waitUntil(lambda: (window.tick(), window.live.path == target)[1])
    mine = open_document(target)
    assert mine.mechanism.couplings[0].multiplier == 0.03
    assert not [item for item in mine.diagnostics if "mesh" in item.message], "meshes are found from there, too"
    assert not window.isWindowModified()


def test_what_was_saved_as_a_copy_is_not_asked_about_again(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = real_window("rack_and_pinion"), tmp_path / "rack.sdf"
    window.saving.asks = True
    changed(window, qtbot)
    asked = answer(monkeypatch, BUTTON.Cancel)
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    window.actions_["save_as"].trigger()
    assert window.live.path == target
    assert asked == []


def test_what_has_no_place_in_the_document_is_said(
    real_window: Make, qtbot: QtBot, rack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, before = real_window(rack), rack.read_bytes()
    window.live.send(SetCoupling(0, 0.03, 0.0, 0.0))
    window.live.send(SetNumber("world.gravity.z", -5.0))
    qtbot.waitUntil(lambda: (window.tick(), len(window.live.laws.numbers) == 1)[1])
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda *given: said.append(given[2]))
    window.actions_["save_document"].trigger()
    assert len(said) == 1
    assert "world.gravity.z" in said[0]
    assert rack.read_bytes() == before, "the law neither"
    assert window.isWindowModified()
