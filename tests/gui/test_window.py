"""Opening, refusing and reloading documents; the window outlives everything that can go wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from pytestqt.qtbot import QtBot

from simulator.diagnostics import Diagnostic, Severity
from simulator.gui.application import install_hook
from simulator.gui.live import LiveSession
from simulator.session.commands.commands import Pause, Reset, Run, SetSpeed, StepOnce
from simulator.session.run.client import RunState
from tests.gui.conftest import Bench


def test_without_a_document_the_examples_have_the_window_for_themselves(bench: Bench) -> None:
    bench.window.show_view(False)
    assert bench.window.gallery.isVisible()
    assert len(bench.window.gallery.cards) >= 3
    assert bench.window.workbench.shown() == set()
    assert not bench.window.actions_["run"].isEnabled()
    assert bench.window.status.count.isHidden(), "nothing was read, so nothing can have been found"


def test_recent_documents_are_on_the_start_page(bench: Bench, qtbot: QtBot) -> None:
    """Above all others, the newest first; those that are gone are not."""
    bench.open()
    opened = bench.live.path
    assert opened is not None
    others = [bench.folder / f"{name}.sdf" for name in ("gone", "one")]
    others[1].write_bytes(opened.read_bytes())
    for path in others:
        bench.window.preferences.add_recent(path)
    bench.window.show_view(False)
    cards = bench.window.gallery.cards
    assert [card.accessibleName().partition(":")[0] for card in cards[:2]] == ["one.sdf", opened.name]
    count = len(cards)
    qtbot.mouseClick(cards[1], Qt.MouseButton.LeftButton)
    assert bench.live.path == opened
    others[1].unlink()
    bench.window.show_view(False)
    assert len(bench.window.gallery.cards) == count - 1
    assert bench.window.gallery.cards[0].accessibleName().startswith(opened.name)


def test_a_click_on_an_example_opens_it(bench: Bench, qtbot: QtBot) -> None:
    bench.window.show_view(False)
    qtbot.mouseClick(bench.window.gallery.cards[0], Qt.MouseButton.LeftButton)
    assert bench.live.opened is not None
    assert bench.window.viewport.isVisible()


def test_opening_shows_the_mechanism(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    assert bench.window.windowTitle().startswith("rack.sdf")
    assert bench.window.workbench.shown() == {"joints", "traces"}
    qtbot.waitUntil(lambda: "Strategy: fake" in bench.window.status.solver.text())
    assert "coupling |r|" in bench.window.status.residual.text()


def test_a_new_document_closes_the_simulation_before(bench: Bench) -> None:
    bench.open()
    bench.open("other.sdf")
    assert [client.closed for client in bench.clients] == [True, False]


@pytest.mark.parametrize("name", ["bad.sdf", "boom.sdf"])
def test_a_wrong_document_is_explained_and_the_next_one_opens(bench: Bench, name: str) -> None:
    bench.window.show_view(False)
    bench.open(name)
    window = bench.window
    assert window.gallery.isVisible() == (name == "boom.sdf"), "what could be read is drawn"
    assert window.status.count.text() == "1 error"
    assert window.status.count.isVisible()
    assert bench.live.diagnostics[0].is_error
    bench.open("good.sdf")
    assert window.viewport.isVisible()
    assert window.status.count.text() == "No findings"
    assert window.status.count.isVisible()


def test_the_status_counts_notes_where_nothing_is_worse(bench: Bench) -> None:
    bench.open("good.sdf")
    note = Diagnostic(Severity.INFO, "BASE_FALLS", "good.sdf", 9, "it falls")
    warning = Diagnostic(Severity.WARNING, "URI_LOOKUP", "good.sdf", 3, "there is no mesh")
    cases = {"No findings": [], "1 note": [note], "2 notes": [note, note], "1 warning": [note, warning]}
    for text, findings in cases.items():
        bench.window.status.show_findings(findings)
        assert bench.window.status.count.text() == text


def test_errors_name_the_file_and_bring_up_the_findings(bench: Bench) -> None:
    bench.open("bad.sdf")
    assert "bad.sdf" in bench.window.gallery.title.text()
    assert "the leader does not exist" in bench.window.gallery.text.text()
    assert bench.window.diagnostics_panel.isVisible()
    assert bench.window.diagnostics_panel.source.line == 2


def test_a_reload_that_fails_keeps_the_last_good_version(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.gui.fakes import broken

    bench.open()
    monkeypatch.setattr(bench.live, "_opener", broken)
    bench.window.actions_["reload"].trigger()
    assert bench.live.opened is not None
    assert bench.window.viewport.isVisible()
    assert "last good version" in bench.window.banner.message.text()
    assert bench.window.status.count.text() == "1 error"


def test_the_start_of_a_simulation_may_fail(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_opened: object) -> None:
        raise RuntimeError("no such solver")

    monkeypatch.setattr(bench.live, "_client_factory", refuse)
    bench.open()
    assert "no such solver" in bench.window.banner.message.text()
    assert bench.window.gallery.isVisible()


def test_a_file_that_changes_on_disk_is_offered_for_reload(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    path = bench.folder / "rack.sdf"
    swap = bench.folder / "rack.sdf.tmp"  # as editors do it: write beside, then replace
    swap.write_text("<sdf version='1.11'/>")
    swap.replace(path)
    qtbot.waitUntil(bench.window.banner.isVisible, timeout=5000)
    assert "changed on disk" in bench.window.banner.message.text()
    bench.window.banner.button.click()
    assert len(bench.clients) == 2
    assert not bench.window.banner.isVisible()
    path.write_text("<sdf version='1.10'/>")  # the replaced file is watched, too
    qtbot.waitUntil(bench.window.banner.isVisible, timeout=5000)


def test_a_dead_process_is_told_and_can_be_restarted(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.client.state, bench.client.message = RunState.DIED, "signal 11"
    qtbot.waitUntil(bench.window.banner.isVisible)
    assert "signal 11" in bench.window.banner.message.text()
    assert bench.window.banner.button.text() == "Restart"
    bench.window.banner.button.click()
    assert bench.client.restarted == 1
    qtbot.waitUntil(lambda: bench.live.running)
    assert not bench.window.banner.isVisible()


def test_a_failed_simulation_is_told_with_its_reason(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.client.state, bench.client.message = RunState.FAILED, "diverged at 0.31 s"
    qtbot.waitUntil(bench.window.banner.isVisible)
    assert "diverged at 0.31 s" in bench.window.banner.message.text()
    bench.window.banner.button.click()
    assert Reset() in bench.client.sent


def test_keys_drive_the_simulation(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.activate(qtbot)
    bench.window.viewport.canvas.setFocus()
    canvas = bench.window.viewport.canvas
    bench.client.sent.clear()
    qtbot.keyClick(canvas, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bench.live.running)
    qtbot.keyClick(canvas, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not bench.live.running)
    qtbot.keyClick(canvas, Qt.Key.Key_Period)
    qtbot.keyClick(canvas, Qt.Key.Key_R)
    assert bench.client.sent == [Run(), Pause(), StepOnce(), Reset()]


def test_view_keys_turn_the_camera_but_not_from_a_spin_box(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.activate(qtbot)
    qtbot.keyClick(bench.window.viewport.canvas, Qt.Key.Key_7)
    top = bench.window.viewport.state.camera
    assert top.elevation > 1.5
    spin = bench.window.joints_panel.cards[0].spin
    spin.setFocus()
    spin.selectAll()
    for key in "1.3":
        qtbot.keyClick(spin, key)
    assert bench.window.viewport.state.camera == top
    assert spin.cleanText().startswith("1.3")
    qtbot.keyClick(spin, Qt.Key.Key_Return)
    assert spin.value() == pytest.approx(1.3)
    assert not spin.hasFocus()


def test_the_speed_box_sends_the_speed(bench: Bench) -> None:
    bench.open()
    box = bench.window.transport.speed
    box.setCurrentIndex(box.findData(0.25))
    assert bench.client.sent[-1] == SetSpeed(0.25)
    bench.open("next.sdf")
    assert SetSpeed(0.25) in bench.client.sent


def test_the_menu_marks_the_speed(bench: Bench) -> None:
    """Also one that is chosen beside it, or again; and none where it has none of them."""
    bench.open()
    window = bench.window
    entries = {action.text(): action for action in window.menus.speed.actions()}

    def marked() -> list[str]:
        return [text for text, action in entries.items() if action.isChecked()]

    assert marked() == ["1 ×"]
    window.transport.speed.setCurrentIndex(window.transport.speed.findData(5.0))
    assert marked() == ["5 ×"]
    for _ in range(2):
        entries["0.25 ×"].trigger()
        assert marked() == ["0.25 ×"]
    assert window.transport.speed.currentData() == 0.25
    window.transport.show_speed(3.0)
    assert marked() == []


def test_documents_can_be_dropped(bench: Bench, qtbot: QtBot) -> None:
    copy, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def dropped(name: str) -> bool:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(bench.file(name)))])
        enter = QDragEnterEvent(QPoint(50, 50), copy, data, button, none)
        enter.ignore()
        bench.window.dragEnterEvent(enter)
        bench.window.dropEvent(QDropEvent(QPointF(50, 50), copy, data, button, none))
        return enter.isAccepted()

    def is_open(name: str) -> bool:
        return bench.live.opened is not None and bench.live.path is not None and bench.live.path.name == name

    for name in ("a.sdf", "a.world", "a.urdf", "a.urdf.xacro"):
        assert dropped(name), name
        qtbot.waitUntil(lambda name=name: is_open(name))
    assert not dropped("a.txt")
    qtbot.wait(20)
    assert is_open("a.urdf.xacro")


def test_recent_files_are_listed_newest_first(bench: Bench) -> None:
    bench.open("a.sdf")
    bench.open("b.sdf")
    bench.open("bad.sdf")
    bench.open("a.sdf")
    menu = bench.window.menus.recent
    menu.aboutToShow.emit()
    assert [action.text().split("    ")[0] for action in menu.actions()[:2]] == ["a.sdf", "b.sdf"]
    menu.actions()[1].trigger()
    assert bench.live.path is not None
    assert bench.live.path.name == "b.sdf"


def test_layout_and_settings_come_back(make_bench: Callable[..., Bench]) -> None:
    first = make_bench()
    first.open()
    first.window.model_panel.bring_up()
    first.window.workbench.work.close_area()
    first.window.actions_["grid"].setChecked(False)
    first.window.actions_["degrees"].setChecked(True)
    first.window.close()
    second = make_bench(as_stored=True)
    second.open()
    assert second.window.workbench.shown() == {"model"}
    assert not second.window.viewport.state.grid
    assert second.window.joints_panel.units.degrees
    second.window.actions_["reset_layout"].trigger()
    assert second.window.workbench.shown() == {"joints", "traces"}


def test_an_arrangement_that_cannot_be_read_is_ignored(bench: Bench) -> None:
    bench.open()
    before = bench.window.workbench.shown()
    for state in (b"", b"{", b"[1]", b'{"arrangement": "round", "sizes": {}}', bytes(range(256))):
        bench.window.workbench.restore(state)
        assert bench.window.workbench.shown() == before, state


def test_every_toolbar_and_icon_button_has_a_name(bench: Bench) -> None:
    from PyQt6.QtWidgets import QToolBar, QToolButton

    bench.open()
    window = bench.window
    assert all(bar.objectName() for bar in window.findChildren(QToolBar))
    bare = [b for b in window.findChildren(QToolButton) if b.isVisible() and not b.text() and not b.accessibleName()]
    assert bare == []
    assert window.viewport.canvas.accessibleName()


def test_an_exception_in_a_slot_becomes_a_finding(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    live: LiveSession = bench.live
    install_hook(live)
    error = ValueError("something slipped")
    sys.excepthook(ValueError, error, None)
    assert "something slipped" in live.diagnostics[-1].message
    assert "something slipped" in capsys.readouterr().err


def test_the_recording_is_saved_as_csv(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    target = bench.folder / "out.csv"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    bench.open()
    bench.live.send(StepOnce(5))
    bench.window.actions_["save_recording"].trigger()
    lines = target.read_text().splitlines()
    assert lines[0].startswith("time,joint/machine::pinion_joint/position,")
    assert len(lines) == 7
    assert float(lines[-1].split(",")[0]) == pytest.approx(0.005)


def test_the_help_page_lists_every_shortcut(bench: Bench) -> None:
    from simulator.gui.actions import TABLE, key_table

    text = " ".join(keys for keys, _what in key_table())
    assert all(spec.shortcut in text for spec in TABLE)


@pytest.mark.parametrize("width", [800, 1024, 1280, 1920])
def test_cards_of_the_start_page_fill_its_width(bench: Bench, qtbot: QtBot, width: int) -> None:
    """No strip at the right that is nearly as wide as a card, and none cut off."""
    bench.window.show_view(False)
    gallery = bench.window.gallery
    bench.window.resize(width, 800)
    qtbot.wait(20)
    page = gallery.viewport()
    assert page is not None
    lefts = sorted({card.mapTo(page, QPoint(0, 0)).x() for card in gallery.cards if card.isVisible()})
    (size,) = {card.width() for card in gallery.cards}
    right = page.width() - lefts[-1] - size
    assert abs(right - lefts[0]) <= len(lefts) + gallery.verticalScrollBar().sizeHint().width()
    assert len(lefts) > 1
    horizontal = gallery.horizontalScrollBar()
    assert horizontal is not None
    assert horizontal.maximum() == 0


def test_the_style_sheet_forgets_the_window_when_it_is_gone(bench: Bench) -> None:
    """Qt keeps the rules of each widget until it is destroyed; of one that it does not watch it keeps them for good,
    and the next change of colours asks for the style of what is gone."""
    window = bench.window
    assert window.receivers(window.destroyed) == 1
