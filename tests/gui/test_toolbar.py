"""Contents of the toolbar beside Run, and that its pictures differ."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from simulator.gui.resources import icon
from tests.gui.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


def button(bench: Bench, key: str) -> QToolButton:
    found = bench.window.transport.widgetForAction(bench.window.actions_[key])
    assert isinstance(found, QToolButton)
    return found


def picture(icon: QIcon) -> bytes:
    image = icon.pixmap(20, 20).toImage()
    bits = image.constBits()
    assert bits is not None
    return bytes(bits.asarray(image.sizeInBytes()))


def test_kinematic_mode_is_a_switch_beside_run(bench: Bench, qtbot: QtBot) -> None:
    switch = button(bench, "kinematic")
    assert not switch.isEnabled(), "nothing is open"
    bench.open()
    qtbot.waitUntil(switch.isEnabled)
    hand = bench.window.viewport.hand
    for on in (True, False):
        qtbot.mouseClick(switch, LEFT)
        assert switch.isChecked() is on
        assert hand.kinematic is on
    bench.activate(qtbot)
    qtbot.keyClick(bench.window.viewport.canvas, Qt.Key.Key_K)
    assert switch.isChecked()
    run = button(bench, "run")
    assert 0 < switch.x() - run.x() < 3 * run.width(), "beside Run"


def test_no_two_pictures_of_the_toolbar_and_the_panels_are_the_same(bench: Bench) -> None:
    window = bench.window
    named = {action.objectName(): action.icon() for action in window.transport.actions() if not action.icon().isNull()}
    named |= {panel.objectName(): icon(panel.icon_name, window.theme.tokens) for panel in window.workbench.panels}
    seen: dict[bytes, str] = {}
    for name, one in named.items():
        assert seen.setdefault(picture(one), name) == name
    assert len(seen) > 15
