"""Drives that change over time: offered gently, checked while they are typed, sent on Enter, kept over a reload."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from simulator.engine.drives import DriveKind
from simulator.gui.panels.axis_card import AxisCard
from simulator.gui.panels.drive_card import OVER_TIME
from simulator.gui.panels.drive_suggestion import SHAPES, suggestion_for_axis
from simulator.gui.panels.profile_editor import KINDS, ProfileEditor
from simulator.session.commands.commands import SetDrive, StepOnce
from tests.gui.conftest import Bench
from tests.gui.fakes import axes
from tests.helpers.drives import drive, set_drive

PINION = "machine::pinion_joint"


def card_of(bench: Bench) -> AxisCard:
    bench.open()
    bench.client.sent.clear()
    return bench.window.joints_panel.cards[0]


def editor_of(card: AxisCard) -> ProfileEditor:
    card.kind.setCurrentIndex(OVER_TIME)
    assert card.profile is not None
    return card.profile


def choose_kind(editor: ProfileEditor, kind: DriveKind) -> None:
    editor.kind.setCurrentIndex(KINDS.index(kind))
    editor.kind.activated.emit(KINDS.index(kind))


def choose_shape(editor: ProfileEditor, shape: str) -> None:
    editor.shape.setCurrentIndex(editor.shape.findData(shape))
    editor.shape.activated.emit(editor.shape.currentIndex())


def enter(qtbot: QtBot, editor: ProfileEditor, text: str) -> None:
    editor.field.selectAll()
    qtbot.keyClicks(editor.field, text)
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)


def test_the_fields_are_there_once_they_are_asked_for(bench: Bench) -> None:
    card = card_of(bench)
    assert card.profile is None
    editor = editor_of(card)
    assert editor.isVisible()
    assert not card.slider.isEnabled()
    assert not card.value.isVisible()
    assert editor.text == "position:sine(amplitude=0.5,frequency=0.5)"
    assert bench.client.sent == []  # nothing moves before Enter
    card.kind.setCurrentIndex(1)
    assert editor.isHidden()


def test_enter_sends_what_is_written(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_of(card_of(bench))
    choose_kind(editor, DriveKind.VELOCITY)
    enter(qtbot, editor, "sine(amplitude=2,frequency=0.5),pid(p=3)")
    assert bench.client.sent == [set_drive("machine::pinion_joint=velocity:sine(amplitude=2,frequency=0.5),pid(p=3)")]
    assert "rad/s" in editor.message.text()
    assert not editor.start.isEnabled()  # it runs


def test_a_whole_text_can_be_pasted(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_of(card_of(bench))
    enter(qtbot, editor, "effort: 0.1")
    assert bench.client.sent == [set_drive("machine::pinion_joint=effort:0.1")]
    assert KINDS[editor.kind.currentIndex()] is DriveKind.EFFORT


def test_what_is_wrong_is_told_while_typing_and_never_sent(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_of(card_of(bench))
    editor.field.selectAll()
    qtbot.keyClicks(editor.field, "sine(amplitude=2)")
    qtbot.waitUntil(lambda: "lacks frequency" in editor.message.text())
    assert editor.field.property("level") == "error"
    assert not editor.start.isEnabled()
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)
    assert bench.client.sent == []
    enter(qtbot, editor, "sine(2,1)")
    assert editor.field.property("level") == ""
    assert bench.client.sent == [set_drive("machine::pinion_joint=position:sine(2,1)")]


def test_every_wrong_text_has_its_sentence(bench: Bench) -> None:
    editor = editor_of(card_of(bench))
    for text in ("@", "@nothing.csv", "@.", "@/dev/zero", "@" + "a" * 5000, "wave(1)", "", "1,2,3"):
        editor.message.setText("")
        editor.field.setText(text)
        editor.start.setEnabled(True)
        editor.start.click()
        assert editor.message.property("level") == "error", text
        assert editor.message.text(), text
    assert bench.client.sent == []


def test_an_effort_has_no_loop(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_of(card_of(bench))
    enter(qtbot, editor, "effort:1,pid(p=1)")
    assert "needs no loop" in editor.message.text()
    assert bench.client.sent == []


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_offered_is_gentle_and_can_be_sent(shape: str, kind: DriveKind) -> None:
    for axis, now in zip(axes(), (-3.0, 0.29), strict=True):
        suggestion = suggestion_for_axis(axis)
        profile = drive(f"{kind.value}:{suggestion.text(shape, kind, now)}").profile
        values = [profile.value(0.01 * i) for i in range(2000)]
        assert max(values) - min(values) > 0.0
        if kind is DriveKind.POSITION:
            assert min(values) >= suggestion.low - 1e-9
            assert max(values) <= suggestion.high + 1e-9
        elif kind is DriveKind.VELOCITY:
            assert max(map(abs, values)) <= axis.axis.velocity
        else:
            assert max(map(abs, values)) <= axis.axis.effort


def test_shapes_of_the_menu_fill_the_field_and_follow_it(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_of(card_of(bench))
    choose_shape(editor, "ramp")
    assert editor.field.text() == "ramp(from=0,to=0.5,duration=2)"
    choose_kind(editor, DriveKind.VELOCITY)  # an unedited text follows the kind
    assert editor.field.text() == "ramp(from=0,to=1,duration=2)"
    enter(qtbot, editor, "step(0,1)")
    assert editor.shape.currentData() == "step"
    choose_kind(editor, DriveKind.POSITION)  # what was typed stays
    assert editor.field.text() == "step(0,1)"


def test_a_file_is_followed_smoothly(bench: Bench, qtbot: QtBot, tmp_path: Path) -> None:
    recording = tmp_path / "run.csv"
    recording.write_text(f"time,joint/{PINION}/position,joint/{PINION}/velocity\n0,0,0\n1,0.5,1\n")
    editor = editor_of(card_of(bench))
    enter(qtbot, editor, f"@{recording}#{PINION}/position,spline,pid(2)")
    sent = set_drive(f"{PINION}=position:@{recording}#{PINION}/position,spline,pid(2)")
    assert bench.client.sent[-1] == sent
    assert editor.shape.currentData() == "@"


def test_a_file_is_chosen(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain, recording = tmp_path / "motion.csv", tmp_path / "run.csv"
    plain.write_text("0,0\n1,0.5\n")
    recording.write_text(f"time,other,joint/{PINION}/position\n0,7,0\n1,7,0.5\n")
    editor = editor_of(card_of(bench))
    for path, column in ((plain, ""), (recording, f"#{PINION}/position")):
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args, chosen=path: (str(chosen), ""))
        choose_shape(editor, "@")
        assert editor.field.text() == f"@{path}{column}"
        editor.start.click()
        assert bench.client.sent[-1] == set_drive(f"{PINION}=position:@{path}{column}")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: ("", ""))
    choose_shape(editor, "@")  # given up
    assert editor.field.text().startswith(f"@{recording}")


def test_a_refusal_is_told_and_the_drive_before_goes_on(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    card.kind.setCurrentIndex(2)
    editor = editor_of(card)
    assert "velocity:1 stays in effect" in editor.message.text()
    bench.client.locked = (PINION,)
    for _ in range(2):  # the same answer twice is two answers
        enter(qtbot, editor, "sine(1,1)")
        bench.live.poll()
        assert editor.message.text() == f"{PINION} cannot be driven"
        assert editor.running == drive("velocity:1")
        bench.live.poll()
    bench.client.locked = ()
    enter(qtbot, editor, "sine(1,1)")
    bench.live.poll()
    assert editor.running == drive("position:sine(1,1)")


def test_no_drive_clears_what_runs(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    editor = editor_of(card)
    card.kind.setCurrentIndex(0)  # nothing was sent: there is nothing of that kind to clear
    assert bench.client.sent == [set_drive("machine::pinion_joint=")]
    editor_of(card)
    enter(qtbot, editor, "sine(1,1)")
    card.kind.setCurrentIndex(0)
    assert bench.client.sent[-1] == set_drive("machine::pinion_joint=")
    card.kind.setCurrentIndex(2)
    assert bench.client.sent[-1] == set_drive("machine::pinion_joint=velocity:1")


def test_the_slider_follows_what_it_does_not_hold(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    editor = editor_of(card)
    enter(qtbot, editor, "sine(1,1)")
    bench.live.send(StepOnce(300))
    bench.window.joints_panel.show_snapshot(bench.client._snapshot)
    assert card.spin.value() == pytest.approx(bench.client.q, abs=2e-3)
    assert "N·m" in card._hint.text()


def test_it_comes_back_after_a_reload(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    enter(qtbot, editor_of(card), "sine(1,1)")
    bench.live.reload()
    assert set_drive("machine::pinion_joint=position:sine(1,1)") in bench.client.sent
    again = bench.window.joints_panel.cards[0]
    assert again.over_time
    assert again.profile is not None
    assert again.profile.running == drive("position:sine(1,1)")
    assert again.profile.text == "position:sine(amplitude=1,frequency=1)"
    again.kind.setCurrentIndex(0)
    bench.live.reload()
    assert not any(isinstance(command, SetDrive) for command in bench.client.sent)
    assert not bench.window.joints_panel.cards[0].over_time


def test_a_number_from_elsewhere_is_shown_as_kind_and_value(bench: Bench) -> None:
    card = card_of(bench)
    card.show_drive(drive("velocity:-2"))
    assert card.drive_kind() is DriveKind.VELOCITY
    assert card.value.value() == pytest.approx(-2.0)
