"""Keys in fields and boxes: what they take, how they are left, and the order in which Tab goes."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from simulator.gui.fields import ValueSpin
from simulator.gui.inspector.law_editor import NumberField
from simulator.session.commands.commands import Run, SetPosition, SetSpeed
from tests.gui.conftest import Bench

Key = Qt.Key


def focused() -> QWidget | None:
    return QApplication.focusWidget()


def spin_of(bench: Bench, qtbot: QtBot) -> ValueSpin:
    """A field of the Joints panel that was clicked into."""
    bench.open()
    bench.activate(qtbot)
    spin = next(iter(bench.window.joints_panel.cards.values())).spin
    qtbot.waitUntil(spin.isVisible)
    qtbot.mouseClick(spin.lineEdit(), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(spin.hasFocus)
    return spin


def test_escape_leaves_a_number_as_it_was(bench: Bench, qtbot: QtBot) -> None:
    spin = spin_of(bench, qtbot)
    before = spin.text()
    spin.selectAll()
    qtbot.keyClicks(spin, "0.7")
    assert spin.text() != before
    qtbot.keyClick(spin, Key.Key_Escape)
    assert spin.text() == before
    assert not spin.hasFocus()
    assert not any(isinstance(command, SetPosition) for command in bench.client.sent)
    qtbot.keyClick(bench.window, Key.Key_Space)
    assert isinstance(bench.client.sent[-1], Run), "keys are the window's again"


def test_space_in_a_number_does_not_run_and_says_why(bench: Bench, qtbot: QtBot) -> None:
    spin = spin_of(bench, qtbot)
    sent, before = len(bench.client.sent), spin.text()
    qtbot.keyClick(spin, Key.Key_Space)
    assert QToolTip.text().startswith("Press Return to apply or Esc to cancel")
    assert (len(bench.client.sent), spin.text()) == (sent, before)
    QToolTip.hideText()


def test_escape_leaves_a_number_of_a_law_as_it_was(qtbot: QtBot) -> None:
    field, entered = NumberField(), list[float]()
    qtbot.addWidget(field)
    field.entered.connect(entered.append)
    field.show_value(0.02)
    field.show()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "1/x")
    assert field.property("level") == "error"
    qtbot.keyClick(field, Key.Key_Escape)
    assert (field.text(), field.property("level"), field.hasFocus()) == ("0.02", "", False)
    assert entered == []


def test_keys_of_a_long_way_leave_the_speed_alone(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.activate(qtbot)
    box = bench.window.transport.speed
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    for key in (Key.Key_Home, Key.Key_End, Key.Key_PageUp, Key.Key_PageDown):
        qtbot.keyClick(box, key)
        assert box.currentData() == 1.0
    qtbot.keyClick(box, Key.Key_Down)
    assert box.currentData() == 2.0
    assert bench.client.sent[-1] == SetSpeed(2.0)


def test_tab_goes_to_the_search_before_the_cards(bench: Bench, qtbot: QtBot) -> None:
    bench.activate(qtbot)
    bench.window.show_view(False)
    gallery, seen = bench.window.gallery, list[QWidget | None]()
    gallery.setFocus()
    for _ in range(len(gallery.cards) + 6):
        qtbot.keyClick(focused() or bench.window, Key.Key_Tab)
        seen.append(focused())
    places = [seen.index(widget) for widget in (gallery.search, *gallery.cards)]
    assert places == sorted(places)
    assert places[0] <= 3, "after the three buttons above it"
