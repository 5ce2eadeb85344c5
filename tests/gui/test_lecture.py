"""Lecture mode: large type, the view, one plot, and the window as it was afterwards. Space belongs to the control in
focus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QRect, QSize, Qt
from PyQt6.QtGui import QFontInfo
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.gui.lecture import FORMS, LARGE, TYPE, values_of
from simulator.gui.main_window import MainWindow
from simulator.gui.workbench import Arrangement
from simulator.session.commands.commands import StepOnce
from simulator.session.run.lessons import lessons
from tests.gui.real import real_window
from tests.helpers.repository import ROOT

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton


def test_lecture_mode_is_readable_and_leaves_no_trace(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.live.send(StepOnce(500))
    window.workbench.arrange(Arrangement.HALF)
    window.tick()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    type_before, shown_before = QFontInfo(QApplication.font()).pixelSize(), window.workbench.shown()
    shown = [trace.plot.isVisible() for trace in window.traces_panel.plots._panels.values()]
    assert shown.count(True) > 1
    qtbot.keyClick(window.viewport.canvas, Qt.Key.Key_F11, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(window.lecture_bar.isVisible)
    window.tick()
    assert QFontInfo(QApplication.font()).pixelSize() == FORMS
    assert QFontInfo(window.viewport._overlay.font()).pixelSize() == TYPE >= 24
    assert QFontInfo(window.lecture_bar.law.font()).pixelSize() == LARGE
    assert window.lecture_bar.law.text() == "rack_joint = 0.02 · pinion_joint"
    snapshot = window.live.snapshot
    assert snapshot is not None
    assert f"pinion_joint: θ = {snapshot.position[0]:.3f} rad" in window.lecture_bar.values.text()
    assert window.workbench.shown() == {"traces"}
    assert [trace.plot.isVisible() for trace in window.traces_panel.plots._panels.values()] == [True, True, False]
    view = window.viewport
    qtbot.waitUntil(lambda: view.width() * view.height() > 0.5 * window.width() * window.height())
    slider = window.lecture_bar.slider
    assert slider is not None
    qtbot.mouseClick(slider, LEFT, pos=QPoint(slider.width() * 3 // 4, slider.height() // 2))
    qtbot.waitUntil(lambda: window.live.snapshot.position[0] > 1.0)
    qtbot.mouseClick(window.lecture_bar.leave, LEFT)
    qtbot.waitUntil(lambda: not window.lecture_bar.isVisible())
    assert QFontInfo(QApplication.font()).pixelSize() == type_before
    assert window.workbench.shown() == shown_before
    qtbot.waitUntil(lambda: window.width() == 1280)
    plots = window.traces_panel.plots
    qtbot.waitUntil(lambda: [trace.plot.isVisible() for trace in plots._panels.values()] == shown)


@pytest.mark.parametrize("focused", ["button", "view"])
def test_space_acts_on_the_control_in_focus(real_window: Make, qtbot: QtBot, focused: str) -> None:
    window = real_window("rack_and_pinion")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    follow = window.traces_panel.follow
    widget = follow if focused == "button" else window.viewport.canvas
    widget.setFocus()
    was = follow.isChecked()
    qtbot.keyClick(widget, Qt.Key.Key_Space)
    if focused == "button":
        assert follow.isChecked() is not was
        qtbot.wait(50)
        assert not window.live.running
    else:
        qtbot.waitUntil(lambda: window.live.running)
        assert follow.isChecked() is was


def test_the_bar_of_the_section_plane_is_as_large_as_its_type(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("slider_crank", (1280, 800))
    window.actions_["section"].trigger()
    bar = window.viewport.section_bar
    usual = bar.size()
    assert bar.sizeHint() == usual
    window.actions_["lecture"].trigger()
    qtbot.waitUntil(window.lecture_bar.isVisible)
    assert bar.size() == bar.sizeHint()
    assert bar.flip.height() >= FORMS
    window.actions_["lecture"].trigger()
    qtbot.waitUntil(lambda: not window.lecture_bar.isVisible())
    assert bar.size() == usual


def test_a_low_plot_of_reactions_has_its_axis(real_window: Make, qtbot: QtBot) -> None:
    """66 pixels are left of 1280 by 800 at a scale of 1.5."""
    window = real_window("slider_crank", (853, 533))
    window.workbench.show_only(("traces",))
    panel = window.traces_panel
    qtbot.mouseClick(panel._groups.button(7), LEFT)
    plot = panel.pages.reaction._plot
    qtbot.waitUntil(plot.isVisible)
    plot.setFixedHeight(66)
    qtbot.wait(50)
    assert plot.rect().toRectF().contains(plot.getAxis("bottom").sceneBoundingRect())


def what_is_cut(window: MainWindow) -> str:
    """Of a lecture on a projector."""
    least = window.minimumSizeHint()
    if window.size() != QSize(1280, 800) or least.width() > 1280 or least.height() > 800:
        return f"the window, which has {window.size()} and needs {least}"
    leave = window.lecture_bar.leave
    if not window.rect().contains(QRect(leave.mapTo(window, QPoint()), leave.size())):
        return "the bar"
    if window.time_bar.isVisible():
        return "the bar, for there are two"
    notes = window.lesson_panel.notes
    scrolled = (notes.horizontalScrollBar(), notes.verticalScrollBar())
    return "" if all(bar is not None and bar.maximum() == 0 for bar in scrolled) else "a formula or a line of the notes"


def test_the_window_keeps_its_size_in_every_step_of_every_lesson(
    real_window: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    """A projector has 1280 by 800 pixels: whatever panels a step opens in their large type, the window and what it
    could at least be are no larger, and all of the bar with its last button is in it. Where a step asks for a sheet, a
    four-bar is drawn on it already."""
    window = real_window("rack_and_pinion", (1280, 800))
    sheet = tmp_path / "sheet.sdf"
    sheet.write_bytes((ROOT / "worlds" / "four_bar.sdf").read_bytes())
    window.lessons._ask = lambda _name: sheet
    window.activateWindow()
    window.actions_["lecture"].trigger()
    qtbot.waitUntil(window.lecture_bar.isVisible)
    for lesson in lessons():
        window.open_path(lesson.path)
        qtbot.waitUntil(lambda: window.lessons.lesson is not None and window.lesson_panel.isVisible())
        for step in range(lesson.steps):
            window.lessons.go_to(step)
            qtbot.waitUntil(lambda: not window.live.is_opening and window.live.snapshot is not None)
            window.live.send(StepOnce(20))
            for _ in range(3):
                window.tick()
                qtbot.wait(20)
            assert (cut := what_is_cut(window)) == "", f"step {step + 1} of {lesson.name}: {cut}"
    window.actions_["lecture"].trigger()
    qtbot.waitUntil(lambda: not window.lecture_bar.isVisible())
    assert window.size() == QSize(1280, 800)
    usual = QFontInfo(QApplication.font()).pixelSize()
    document = window.lesson_panel.notes.document()
    assert document is not None
    assert QFontInfo(document.defaultFont()).pixelSize() == round(1.2 * usual)


def test_a_lesson_has_the_panels_of_its_step_as_a_lecture_and_afterwards(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.open_path(ROOT / "lessons" / "7_virtual_work.lesson.toml", 4)
    qtbot.waitUntil(lambda: window.workbench.shown() == {"analysis"})
    window.actions_["lecture"].trigger()
    assert window.workbench.shown() == {"analysis"}
    qtbot.waitUntil(lambda: window.analysis_panel.driver.found is not None)
    form = window.analysis_panel.driver.form
    lines = {form.mapFromGlobal(part.mapToGlobal(part.rect().center())).y() // FORMS for part in form._spins}
    assert len(lines) == 2
    qtbot.waitUntil(lambda: form.height() < 5 * FORMS)
    window.lessons.go_to(2)
    window.actions_["lecture"].trigger()
    assert window.workbench.shown() == {"traces"}


def test_residuals_in_decades_are_in_a_lecture_too(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar", (1280, 800))
    window.actions_["lecture"].trigger()
    qtbot.waitUntil(window.lecture_bar.isVisible)
    panels = window.traces_panel.plots._panels
    assert [panel.plot.isVisible() for panel in panels.values()] == [True, False]
    window.traces_panel.tools.logarithmic.setChecked(True)
    assert [panel.plot.isVisible() for panel in panels.values()] == [True, True]


def test_values_go_with_their_document(real_window: Make) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.actions_["lecture"].trigger()
    window.tick()
    bar = window.lecture_bar
    assert "pinion_joint" in bar.values.text()
    window.actions_["gallery"].trigger()
    assert (bar.law.text(), bar.values.text()) == ("", "")


def test_values_are_those_of_the_ground(real_window: Make, qtbot: QtBot) -> None:
    """Of a four-bar the crank, which drives, and the rocker."""
    window = real_window("four_bar", (1280, 800))
    opened = window.live.opened
    assert opened is not None
    axes = opened.mechanism.axes
    names = [axes[axis].name.rpartition("::")[2] for axis in values_of(opened.mechanism, window.live.free_axes)]
    assert names == ["crank_joint", "rocker_joint"]
