"""Small fields: minus signs, numbers that keep their room, texts that give way, sizes that follow the text."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QFont, QWheelEvent
from PyQt6.QtWidgets import QApplication, QHBoxLayout, QStyledItemDelegate, QWidget
from pytestqt.qtbot import QtBot

from simulator.gui.fields import NoWheelComboBox, NumberLabel, RoomLabel, ValueSpin, scaled
from simulator.gui.number_field import NumberField
from simulator.session.commands.commands import StepOnce
from tests.gui.conftest import Bench


def test_numbers_have_a_true_minus_sign_and_take_either(qtbot: QtBot) -> None:
    spin = ValueSpin(3, "rad")
    spin.setRange(-10.0, 10.0)
    qtbot.addWidget(spin)
    spin.show()
    spin.setValue(-0.25)
    assert spin.text() == "−0.250 rad"
    spin.selectAll()
    qtbot.keyClicks(spin, "-1.5")
    qtbot.keyClick(spin, Qt.Key.Key_Return)
    assert (spin.value(), spin.text()) == (-1.5, "−1.500 rad")
    assert spin.valueFromText("−2.5 rad") == -2.5


def test_a_number_keeps_the_room_that_it_once_needed(qtbot: QtBot) -> None:
    number = NumberLabel()
    qtbot.addWidget(number)
    number.setText("θ = −10.000 rad")
    width = number.minimumWidth()
    assert width >= number.fontMetrics().horizontalAdvance("θ = −10.000 rad")
    number.setText("θ = 1.000 rad")
    assert number.minimumWidth() == width


def test_a_number_has_as_many_digits_as_there_is_room_for(qtbot: QtBot) -> None:
    """In the field that has the focus there are all: what is shown for want of room is never taken for an entry."""
    page = QWidget()
    qtbot.addWidget(page)
    row = QHBoxLayout(page)
    field, other = NumberField(), NumberField()
    field.setFixedWidth(80)
    for part in (field, other):
        row.addWidget(part)
    page.show()
    page.activateWindow()
    entered: list[float] = []
    field.entered.connect(entered.append)
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    field.show_value(0.003572916667)
    assert field.toolTip() == field.shown == "0.003572916667"
    assert 4 <= len(field.text()) < len(field.shown)
    assert field.number() == 0.003572916667
    assert field.fontMetrics().horizontalAdvance(field.text()) < field.width() - 4
    short = field.text()
    field.setFocus()
    assert field.text() == field.shown
    other.setFocus()
    assert (field.text(), entered) == (short, [])
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, short)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert entered == [float(short)]


def test_a_text_without_room_says_the_short_of_it(qtbot: QtBot) -> None:
    hint = RoomLabel()
    qtbot.addWidget(hint)
    hint.show_text("60 N·m  ≤ 60 N·m", "60 N·m")
    hint.resize(300, 20)
    assert hint.fitting() == "60 N·m  ≤ 60 N·m"
    hint.resize(hint.fontMetrics().horizontalAdvance("60 N·m  ≤"), 20)
    assert hint.fitting() == "60 N·m"
    assert hint.toolTip() == "60 N·m  ≤ 60 N·m"


def test_sizes_follow_large_text_and_never_shrink(qapp: QApplication) -> None:
    usual = QFont(qapp.font())
    sizes = {}
    try:
        for pixels in (9, 12, 24):
            font = QFont(usual)
            font.setPixelSize(pixels)
            qapp.setFont(font)
            sizes[pixels] = scaled(100)
    finally:
        qapp.setFont(usual)
    assert sizes == {9: 100, 12: 100, 24: 200}


def test_while_a_world_starts_no_numbers_of_the_one_before_are_shown(bench: Bench) -> None:
    bench.open()
    bench.live.send(StepOnce(5))
    bench.window.tick()
    status, opened = bench.live.status, bench.live.opened
    assert status is not None
    assert opened is not None
    bar = bench.window.status
    bar.show_run(bench.live.snapshot, status, opened.mechanism)
    assert bar.time.text() == "t = 0.005 s"
    bar.show_run(None, status, opened.mechanism)
    assert (bar.time.text(), bar.residual.text()) == ("", "")


def test_the_start_page_offers_run_after_a_world_that_ran(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    run = bench.window.actions_["run"]
    run.trigger()
    qtbot.waitUntil(lambda: run.iconText() == "Pause")
    bench.live.close_document()
    assert run.iconText() == "Run"


@pytest.mark.parametrize("index", [0, 1])
def test_a_joint_shows_no_position_that_it_never_had(bench: Bench, index: int) -> None:
    """Until the simulation has told where an axis is, its handle stands at zero, or at the limit that is nearest."""
    from simulator.gui.panels.slider import AxisSlider
    from simulator.gui.theme import LIGHT
    from tests.gui.fakes import axes

    slider = AxisSlider(axes()[index], LIGHT)
    assert slider.position() == pytest.approx(0.0, abs=1e-9)


def test_the_wheel_scrolls_past_a_choice_without_changing_it(qtbot: QtBot) -> None:
    choice = NoWheelComboBox()
    qtbot.addWidget(choice)
    choice.addItems(["position", "velocity", "effort"])
    choice.setCurrentIndex(1)
    for notch in (120, -120):
        event = QWheelEvent(
            QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, notch), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        choice.wheelEvent(event)
        assert choice.currentIndex() == 1
        assert not event.isAccepted(), "the panel around it scrolls"


def test_the_list_of_a_box_shows_whole_texts_without_the_frame_of_a_focus(bench: Bench, qtbot: QtBot) -> None:
    """Under a style sheet: Qt's own delegate draws a dotted frame around the current entry, whatever that says."""
    box = NoWheelComboBox()
    qtbot.addWidget(box)
    box.addItems(["a", "four_bar::the_longest_name_of_a_joint_that_anybody_would_write"])
    box.setFixedWidth(60)
    box.show()
    qtbot.waitExposed(box)
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    view = box.view()
    assert view is not None
    qtbot.waitUntil(view.isVisible)
    viewport, index = view.viewport(), box.model().index(1, 0)
    assert viewport is not None
    assert view.visualRect(index).width() >= view.sizeHintForColumn(0)
    assert viewport.rect().contains(view.visualRect(index))
    assert isinstance(box.itemDelegate(), QStyledItemDelegate)
    qtbot.keyClick(view, Qt.Key.Key_End)  # the list has the keys that the closed box leaves alone
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert box.currentIndex() == 1
