"""A linkage found in the window from what it is to do: dragged, typed, chosen, saved and opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

import simulator
from simulator.building.synthesis.design import FourBarDesign
from simulator.building.synthesis.dwell import DwellDesign
from simulator.building.synthesis.motion import positions_of
from simulator.gui.background import Background
from simulator.gui.main_window import MainWindow
from simulator.gui.making.synthesis import Synthesis
from simulator.gui.making.tasks import TASKS
from simulator.gui.tokens import LIGHT
from simulator.gui.units import Units
from tests.gui.real import real_window

__all__ = ["real_window"]


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def dialog(parent: QWidget, qtbot: QtBot) -> Synthesis:
    """Works at once, in millimetres and degrees."""
    units = Units(degrees=True, millimetres=True)
    made = Synthesis(parent, LIGHT, units, background=Background(threaded=False))
    made.show()
    qtbot.waitUntil(made.save.isEnabled)
    return made


def drag(qtbot: QtBot, dialog: Synthesis, start: QPointF, end: QPointF) -> None:
    qtbot.mousePress(dialog.sheet, Qt.MouseButton.LeftButton, pos=start.toPoint())
    qtbot.mouseMove(dialog.sheet, pos=(0.5 * (start + end)).toPoint())
    qtbot.mouseMove(dialog.sheet, pos=end.toPoint())
    qtbot.mouseRelease(dialog.sheet, Qt.MouseButton.LeftButton, pos=end.toPoint())


def type_into(qtbot: QtBot, dialog: Synthesis, row: int, column: int, text: str) -> None:
    item = dialog.table.item(row, column)
    assert item is not None
    item.setText(text)  # what an editor of the table does when it closes


def test_a_design_carries_a_body_through_what_was_dragged(dialog: Synthesis, qtbot: QtBot) -> None:
    """The exact analysis of its document comes to every position within 1e-9 m, round-off of a linkage of that size."""
    before = dialog.rows[1]
    start = dialog.sheet.place_of(1)
    drag(qtbot, dialog, start, start + QPointF(0.0, -25.0))
    assert dialog.rows[1][1] > before[1] + 0.005
    assert dialog.rows[1][2] == before[2]
    qtbot.waitUntil(dialog.save.isEnabled)
    assert isinstance(dialog.design, FourBarDesign)
    assert not dialog.design.defects
    assert dialog.design.exact_error(positions_of([(x, z, a) for x, z, a in dialog.rows])) < 1e-9


def test_the_tip_of_an_arrow_turns_a_position(dialog: Synthesis, qtbot: QtBot) -> None:
    before = dialog.rows[2]
    tip = dialog.sheet.place_of(2, tip=True)
    drag(qtbot, dialog, tip, tip + QPointF(-15.0, -12.0))
    assert dialog.rows[2][:2] == before[:2]
    assert dialog.rows[2][2] > before[2] + 0.05


def test_numbers_are_typed_in_the_units_on_show(dialog: Synthesis, qtbot: QtBot) -> None:
    type_into(qtbot, dialog, 1, 0, "120")
    type_into(qtbot, dialog, 1, 2, "30")
    assert dialog.rows[1] == pytest.approx((0.12, 0.05, 0.5235987755982988), rel=1e-15)
    type_into(qtbot, dialog, 1, 0, "far")
    assert dialog.notes.text() == "That is not a number."
    assert dialog.rows[1][0] == pytest.approx(0.12)


def test_positions_are_added_by_a_double_click_and_removed(dialog: Synthesis, qtbot: QtBot) -> None:
    corner = dialog.sheet.rect().bottomLeft() + QPointF(30.0, -30.0).toPoint()
    qtbot.mouseDClick(dialog.sheet, Qt.MouseButton.LeftButton, pos=corner)
    assert len(dialog.rows) == 4
    assert not dialog.more.isEnabled()
    for left in (3, 2):
        qtbot.mouseClick(dialog.fewer, Qt.MouseButton.LeftButton)
        assert len(dialog.rows) == left
    assert not dialog.fewer.isEnabled()


def test_what_has_no_design_is_said(dialog: Synthesis, qtbot: QtBot) -> None:
    """Twice the same position."""
    for column, text in enumerate(("0", "0", "0")):
        type_into(qtbot, dialog, 1, column, text)
    qtbot.waitUntil(lambda: dialog.notes.text() == "Two of the positions are the same")
    assert not dialog.save.isEnabled()
    type_into(qtbot, dialog, 1, 0, "80")
    qtbot.waitUntil(dialog.save.isEnabled)


@pytest.mark.parametrize("number", range(len(TASKS)))
def test_every_task_has_designs_that_meet_it(dialog: Synthesis, qtbot: QtBot, number: int) -> None:
    dialog.choice.setCurrentIndex(number)
    qtbot.waitUntil(dialog.save.isEnabled, timeout=30_000)
    assert dialog.table.columnCount() == len(TASKS[number].columns)
    assert dialog.designs.count() >= 3
    dialog.designs.setCurrentRow(1)
    dialog.crank.setValue(400)
    assert dialog.design is not None
    least = {"line": 2e-4, "dwell": 1e-4}  # of a line of 0.2 m; of an output that swings by 0.52 rad
    assert dialog.design.error < least.get(TASKS[number].name, 1e-6)
    assert not dialog.grab().isNull()


def test_the_corner_of_a_dwell_is_dragged(dialog: Synthesis, qtbot: QtBot, tmp_path: Path) -> None:
    """To the right the output stands longer, upwards it swings further; the document does what the curve shows."""
    dialog.choice.setCurrentIndex([task.name for task in TASKS].index("dwell"))
    qtbot.waitUntil(dialog.save.isEnabled, timeout=30_000)
    (turn, swing), at = dialog.rows[0], dialog.sheet.place_of(0)
    drag(qtbot, dialog, at, at + QPointF(20.0, -20.0))
    longer, further = dialog.rows[0]
    assert longer > turn + 0.1
    assert further > swing + 0.02
    qtbot.waitUntil(dialog.save.isEnabled, timeout=30_000)
    design = dialog.design
    assert isinstance(design, DwellDesign)
    assert (design.turn, design.swing) == pytest.approx((longer, further), rel=1e-6)
    assert design.exact_error() == pytest.approx(design.error, rel=1e-3)


def test_from_the_menu_to_a_moving_linkage(
    real_window: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = real_window("four_bar"), tmp_path / "guide.sdf"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))

    def use(dialog: QDialog) -> int:
        assert isinstance(dialog, Synthesis)
        dialog.show()
        qtbot.waitUntil(dialog.save.isEnabled, timeout=20_000)
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        return dialog.result()

    monkeypatch.setattr(QDialog, "exec", use)
    window.actions_["synthesise"].trigger()
    qtbot.waitUntil(lambda: window.live.path == target and window.live.snapshot is not None)
    assert simulator.load(str(target)).mobility == 1
