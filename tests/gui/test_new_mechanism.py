"""A mechanism made in the window by its parameters: chosen, typed, seen, saved and opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from simulator.gui.background import Background
from simulator.gui.main_window import MainWindow
from simulator.gui.making import new_mechanism
from simulator.gui.making.new_mechanism import NewMechanism, Preview
from simulator.gui.units import Units
from tests.gui.conftest import Bench
from tests.gui.real import real_window

__all__ = ["real_window"]


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def dialog(parent: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> NewMechanism:
    """Works at once, in millimetres and degrees."""
    monkeypatch.setattr(new_mechanism, "PAUSE", 0)
    units = Units(degrees=True, millimetres=True)
    made = NewMechanism(parent, "light", units, background=Background[Preview](threaded=False))
    made.show()
    made.choose("four_bar")
    qtbot.waitUntil(made.save.isEnabled)
    return made


def type_into(qtbot: QtBot, dialog: NewMechanism, name: str, text: str) -> None:
    assert dialog.form is not None
    field = dialog.form.fields[name]
    assert isinstance(field, QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_lengths_are_typed_in_the_units_on_show(dialog: NewMechanism, qtbot: QtBot) -> None:
    for name, text in (("ground", "400"), ("crank", "100"), ("coupler", "350"), ("rocker", "300"), ("angle", "45")):
        type_into(qtbot, dialog, name, text)
    assert dialog.form is not None
    assert dialog.form.values() == {
        "ground": pytest.approx(0.4),
        "crank": pytest.approx(0.1),
        "coupler": pytest.approx(0.35),
        "rocker": pytest.approx(0.3),
        "angle": pytest.approx(0.7853981633974483, rel=1e-15),
    }


def test_angles_are_in_degrees_whatever_the_window_shows(parent: QWidget) -> None:
    made = NewMechanism(parent, "light", Units(), background=Background[Preview](threaded=False))
    made.choose("spur_gears")
    assert made.form is not None
    field = made.form.fields["pressure_angle"]
    assert isinstance(field, QLineEdit)
    assert field.text() == "20"
    assert made.form.values() == {}


def test_what_cannot_be_closed_is_refused_in_words_and_not_saved(dialog: NewMechanism, qtbot: QtBot) -> None:
    for name, text in (("ground", "100"), ("crank", "300"), ("coupler", "20"), ("rocker", "30")):
        type_into(qtbot, dialog, name, text)
    qtbot.waitUntil(lambda: "cannot be closed" in dialog.notes.text())
    assert not dialog.save.isEnabled()
    type_into(qtbot, dialog, "crank", "80")
    type_into(qtbot, dialog, "coupler", "120")
    type_into(qtbot, dialog, "rocker", "110")
    qtbot.waitUntil(dialog.save.isEnabled)


def test_a_field_that_is_no_number_says_so(dialog: NewMechanism, qtbot: QtBot) -> None:
    type_into(qtbot, dialog, "width", "wide")
    assert dialog.notes.text() == "width: a number, or several with commas between"
    assert not dialog.save.isEnabled()
    type_into(qtbot, dialog, "width", "15")
    qtbot.waitUntil(dialog.save.isEnabled)


def test_every_kind_has_a_form_and_a_picture(dialog: NewMechanism, qtbot: QtBot) -> None:
    for kind in ("bevel_gears", "cam", "scissor_lift", "gripper"):
        dialog.choose(kind)
        qtbot.waitUntil(dialog.save.isEnabled)
        assert dialog.kind == kind
        assert not dialog.picture.pixmap().isNull()


def test_from_the_start_page_to_a_moving_mechanism(
    real_window: Callable[..., MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The button, a kind by the mouse, Save and open."""
    window, target = real_window("four_bar"), tmp_path / "mine.sdf"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))

    def use(dialog: QDialog) -> int:
        assert isinstance(dialog, NewMechanism)
        dialog.show()
        item = next(item for row in range(dialog.kinds.count()) if (item := dialog.kinds.item(row)).text() == "Hoeken")
        dialog.kinds.scrollToItem(item)
        view = dialog.kinds.viewport()
        assert view is not None
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=dialog.kinds.visualItemRect(item).center())
        qtbot.waitUntil(lambda: dialog.kind == "hoeken" and dialog.save.isEnabled(), timeout=20_000)
        qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
        return dialog.result()

    monkeypatch.setattr(QDialog, "exec", use)
    window.actions_["new"].trigger()
    assert target.is_file()
    qtbot.waitUntil(lambda: window.live.path == target and window.live.snapshot is not None)
    assert window.live.opened is not None
    assert target.read_text().count("<link ") == sum(len(model.links) for model in window.live.opened.world.models) > 3


def test_an_empty_sheet_is_one_click_and_a_name_away(
    bench: Bench, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "mine.sdf"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    draw = next(button for button in bench.window.gallery.findChildren(QPushButton) if button.text() == "Draw…")
    qtbot.mouseClick(draw, Qt.MouseButton.LeftButton)
    assert bench.window.build.is_on
    assert bench.window.build.path == target
