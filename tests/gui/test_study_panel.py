"""The Study panel, with a mouse: what is chosen, what is drawn while samples come in, what is opened and saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

import simulator
from simulator.gui.main_window import MainWindow
from simulator.gui.study import study_panel
from simulator.gui.study.study_panel import StudyPanel
from simulator.gui.study.study_plot import FAILED, MADE, WAITING
from simulator.gui.study.varied_row import VariedRow
from simulator.gui.theme import ThemeChoice
from simulator.gui.units import Units
from simulator.session.commands.commands import Run, SetNumber
from tests.gui.real import WORLDS, real_window

__all__ = ["real_window"]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples are made in a thread: a process takes seconds to start."""
    monkeypatch.setattr(StudyPanel, "in_process", True)


@pytest.fixture
def panel(in_process: None, real_window: Callable[..., MainWindow], qtbot: QtBot) -> StudyPanel:
    """Of a four-bar whose crank is driven, in front."""
    window = real_window("four_bar", drives=["crank_joint=velocity:2"])
    return in_front(window, qtbot)


def in_front(window: MainWindow, qtbot: QtBot) -> StudyPanel:
    panel = window.study_panel
    panel.bring_up()
    qtbot.waitUntil(lambda: not panel.visibleRegion().isEmpty())
    return panel


def vary(qtbot: QtBot, row: VariedRow, name: str, begin: str, end: str, count: int) -> None:
    """As one types it: a part of the name, then the numbers."""
    edit = row.choice.lineEdit()
    assert edit is not None
    edit.selectAll()
    qtbot.keyClicks(edit, name)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert row.choice.currentText() == name
    for field, text in ((row.begin, begin), (row.end, end)):
        field.selectAll()
        qtbot.keyClicks(field, text)
    row.count.setValue(count)


def measure(panel: StudyPanel, reduction: str, channel: str, duration: str) -> None:
    panel.form.reduction.setCurrentIndex(panel.form.reduction.findData(reduction))
    panel.form.channel.setCurrentIndex(panel.form.channel.findText(channel))
    panel.form.course.duration.setText(duration)


def move(panel: StudyPanel, joint: str, begin: str, end: str, speed: str) -> None:
    """Without time, in place of a duration."""
    course = panel.form.course
    course.choice.setCurrentIndex(course.choice.findText(joint))
    for field, text in ((course.begin, begin), (course.end, end), (course.speed, speed)):
        field.setText(text)


def run(qtbot: QtBot, panel: StudyPanel) -> None:
    qtbot.mouseClick(panel.form.start, LEFT)
    assert panel.form.start.text() == "Stop"
    qtbot.waitUntil(lambda: not panel._timer.isActive(), timeout=60_000)
    assert panel.form.start.text() == "Run the study"


def pixel(panel: StudyPanel, x: float, y: float) -> QPoint:
    """Where a point of the plot is on its viewport."""
    from PyQt6.QtCore import QPointF

    scene = panel.plot.plot.getPlotItem().vb.mapViewToScene(QPointF(x, y))
    return QPoint(panel.plot.plot.mapFromScene(scene))


def click(qtbot: QtBot, panel: StudyPanel, x: float, y: float, *, twice: bool = False) -> None:
    target, at = panel.plot.plot.viewport(), pixel(panel, x, y)
    qtbot.mouseMove(target, at)
    qtbot.mouseClick(target, LEFT, pos=at)
    if twice:
        qtbot.mouseDClick(target, LEFT, pos=at)
        qtbot.mouseRelease(target, LEFT, pos=at)


def swing(length: float) -> float:
    """What the panel measures, simulated by a script."""
    sim = simulator.load(WORLDS / "four_bar.sdf").varied({"rocker.length": length})
    channel = sim.run(0.5, drives={"crank_joint": simulator.velocity(2.0)})["rocker_joint/position"]
    return float(np.ptp(channel))


def test_a_number_is_varied_and_a_sample_is_opened(panel: StudyPanel, qtbot: QtBot) -> None:
    """The curve has what a script finds; a click names a sample, a double click gives the window its number, from the
    start, and undo takes that back."""
    vary(qtbot, panel.form.first, "rocker.length", "0.26", "0.34", 5)
    measure(panel, "peak_to_peak", "rocker_joint/position", "0.5")
    run(qtbot, panel)
    assert panel.plot.states.tolist() == [MADE] * 5
    np.testing.assert_array_equal(panel.plot.values, [swing(x) for x in np.linspace(0.26, 0.34, 5)])
    assert panel.message.text() == "5 of 5 samples"
    assert not panel.open_button.isEnabled()
    click(qtbot, panel, 0.281, float(panel.plot.values[1]))
    qtbot.waitUntil(lambda: panel.plot.selected == 1)
    assert panel.message.text().startswith("rocker.length 0.28 m  →  0.")
    assert panel.open_button.isEnabled()
    qtbot.mouseClick(panel.open_button, LEFT)
    live = panel._live
    qtbot.waitUntil(lambda: live.laws is not None and live.laws.number("rocker.length") == 0.28)
    qtbot.wait(500)  # so that the next clicks are no part of a double click
    click(qtbot, panel, 0.32, float(panel.plot.values[3]), twice=True)
    qtbot.waitUntil(lambda: live.laws is not None and live.laws.number("rocker.length") == 0.32)
    assert live.snapshot is not None
    assert live.snapshot.time == 0.0
    live.undo.stack.undo()
    live.undo.stack.undo()
    qtbot.waitUntil(lambda: live.laws is not None and live.laws.number("rocker.length") == 0.28)
    assert (panel.form.first.begin.text(), panel.form.first.end.text()) == ("0.26", "0.34"), "what was typed stays"
    qtbot.mouseClick(panel.form.start, LEFT)
    assert panel.plot._across.value() == pytest.approx(0.28, rel=1e-12), "the value of now is marked"
    qtbot.waitUntil(lambda: not panel._timer.isActive(), timeout=60_000)
    assert (panel.form.first.begin.text(), panel.form.first.end.text()) == ("0.26", "0.34")


def test_failures_are_shown_with_their_reason(panel: StudyPanel, qtbot: QtBot) -> None:
    """A rocker of 0.8 m and more closes no loop with bars of 0.1, 0.35 and 0.4 m."""
    vary(qtbot, panel.form.first, "rocker.length", "0.3", "0.9", 3)
    measure(panel, "max", "crank_joint/effort", "0.1")
    run(qtbot, panel)
    assert panel.plot.states.tolist() == [MADE, MADE, FAILED]
    assert panel.message.text().startswith("3 of 3 samples, 1 failed: ")
    low = float(panel.plot.values[:2].min())
    click(qtbot, panel, 0.9, low)
    qtbot.waitUntil(lambda: panel.plot.selected == 2)
    assert panel.message.property("level") == "error"
    assert "rocker.length 0.9 m" in panel.message.text()
    qtbot.mouseClick(panel.open_button, LEFT)
    qtbot.waitUntil(lambda: "0.9 m" not in panel.message.text())
    assert panel.message.property("level") == "error"
    assert panel._live.laws is not None
    assert panel._live.laws.number("rocker.length") == 0.3, "what cannot be is not taken over"


def test_two_numbers_make_a_map(panel: StudyPanel, qtbot: QtBot) -> None:
    """The crank carries the coupler; the rocker, which leans the other way, takes some of that off. At constant speed
    efforts are linear in masses. Arrow keys go from cell to cell, Return opens one."""
    vary(qtbot, panel.form.first, "coupler.mass", "0.1", "0.3", 3)
    vary(qtbot, panel.form.second, "rocker.mass", "0.2", "0.5", 4)
    measure(panel, "peak", "crank_joint/effort", "0.1")
    run(qtbot, panel)
    grid = panel.plot.values.reshape(3, 4)
    assert (np.diff(grid, axis=0) > 0.0).all()
    assert (np.diff(grid, axis=1) < 0.0).all()
    np.testing.assert_allclose(np.diff(grid, 2, axis=1), 0.0, atol=1e-6 * grid.max())
    np.testing.assert_array_equal(panel.plot._image.image, grid)
    click(qtbot, panel, 0.2, 0.3)
    qtbot.waitUntil(lambda: panel.plot.selected == 5)
    assert panel.message.text().startswith("coupler.mass 0.2 kg, rocker.mass 0.3 kg  →  ")
    panel.plot.setFocus()
    qtbot.keyClick(panel.plot, Qt.Key.Key_Right)
    qtbot.keyClick(panel.plot, Qt.Key.Key_Up)
    assert panel.plot.selected == 10
    qtbot.keyClick(panel.plot, Qt.Key.Key_Return)
    live = panel._live
    qtbot.waitUntil(lambda: live.laws is not None and dict(live.laws.numbers).get("four_bar::rocker.mass") == 0.4)
    assert live.laws is not None
    assert live.laws.number("coupler.mass") == 0.3


def test_drives_and_starts_are_varied_too(panel: StudyPanel, qtbot: QtBot) -> None:
    """A crank that turns at 1, 2, 3 rad/s from 0.5 rad on is there after 0.5 s, to round-off: a motor that holds a
    velocity has it from the first step on."""
    vary(qtbot, panel.form.first, "drive of crank_joint", "1", "3", 3)
    vary(qtbot, panel.form.second, "start of crank_joint", "0", "0.5", 2)
    measure(panel, "final", "crank_joint/position", "0.5")
    run(qtbot, panel)
    np.testing.assert_allclose(panel.plot.values, [0.5, 1.0, 1.0, 1.5, 1.5, 2.0], atol=5e-3)
    panel.plot.select(5)
    panel.open_sample(5)
    live = panel._live
    qtbot.waitUntil(lambda: live.snapshot is not None and abs(live.snapshot.position[0] - 0.5) < 1e-9)
    assert live.client is not None
    assert dict(live.client.asked_drives)["four_bar::crank_joint"].level == 3.0


def test_a_joint_is_moved_without_time(
    panel: StudyPanel, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each sample is the sweep that a script makes; it is saved as one, and numbers are those of the units on show."""
    vary(qtbot, panel.form.first, "coupler.mass", "0.1", "0.3", 3)
    move(panel, "crank_joint", "0", "3", "6")
    panel.form.reduction.setCurrentIndex(panel.form.reduction.findData("peak"))
    panel.form.channel.setCurrentIndex(panel.form.channel.findText("reaction/rocker_joint/force_x"))
    panel.set_units(Units(degrees=True, millimetres=True))
    run(qtbot, panel)
    sim = simulator.load(WORLDS / "four_bar.sdf")
    expected = []
    for mass in (0.1, 0.2, 0.3):
        found = sim.varied({"coupler.mass": mass}).analyse({"crank_joint": (0.0, 3.0)}, velocity=6.0)
        expected.append(np.abs(found.reaction("rocker_joint", "force_x")).max())
    np.testing.assert_allclose(panel.plot.values, expected, rtol=1e-6)  # 3 rad as the field has it, in degrees
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "sweep"), ""))
    qtbot.mouseClick(panel.save_button, LEFT)
    assert "positions" in (tmp_path / "sweep.toml").read_text("utf-8")
    np.testing.assert_array_equal(simulator.study(tmp_path / "sweep.toml")["measure"], panel.plot.values)


@pytest.mark.parametrize("name", ["drive of crank_joint", "start of crank_joint"])
def test_what_a_move_without_time_does_not_depend_on(panel: StudyPanel, qtbot: QtBot, name: str) -> None:
    vary(qtbot, panel.form.first, name, "1", "2", 3)
    move(panel, "crank_joint", "0", "3", "0")
    qtbot.mouseClick(panel.form.start, LEFT)
    assert panel.message.text() == f"A move without time does not depend on the {name}."
    assert panel.found is None
    move(panel, "crank_joint", "3", "3", "0")
    vary(qtbot, panel.form.first, "coupler.mass", "1", "2", 3)
    qtbot.mouseClick(panel.form.start, LEFT)
    assert panel.message.text() == "Move the joint from one position to another."


def test_numbers_and_drives_of_now_count(panel: StudyPanel, qtbot: QtBot) -> None:
    """What was changed by hand is part of the study."""
    live = panel._live
    live.send(SetNumber("crank_joint.damping", 0.3))
    qtbot.waitUntil(lambda: live.laws is not None and bool(live.laws.numbers))
    vary(qtbot, panel.form.first, "coupler.mass", "0.1", "0.3", 2)
    measure(panel, "mean", "crank_joint/effort", "0.1")
    run(qtbot, panel)
    sim = simulator.load(WORLDS / "four_bar.sdf")
    expected = []
    for mass in (0.1, 0.3):
        one = sim.varied({"coupler.mass": mass, "crank_joint.damping": 0.3})
        run_ = one.run(0.1, drives={"crank_joint": simulator.velocity(2.0)})
        effort, time = run_["crank_joint/effort"], run_.time
        expected.append(0.5 * (effort[1:] + effort[:-1]) @ np.diff(time) / (time[-1] - time[0]))
    np.testing.assert_allclose(panel.plot.values, expected, rtol=1e-12)


def test_a_study_runs_beside_the_window_and_is_stopped(real_window: Callable[..., MainWindow], qtbot: QtBot) -> None:
    """In a process: time passes in the window meanwhile; it ends at once, and so does one in progress when
    another document is opened."""
    window = real_window("four_bar")
    panel = in_front(window, qtbot)
    vary(qtbot, panel.form.first, "coupler.mass", "0.1", "0.3", 9)
    measure(panel, "max", "rocker_joint/position", "1000")
    window.live.send(Run())
    qtbot.mouseClick(panel.form.start, LEFT)
    begun = window.live.snapshot.time if window.live.snapshot is not None else 0.0
    qtbot.waitUntil(
        lambda: window.live.snapshot is not None and window.live.snapshot.time > begun + 0.3, timeout=20_000
    )
    found = panel.found
    assert found is not None
    assert not found.is_done
    qtbot.mouseClick(panel.form.start, LEFT)
    assert panel.form.start.text() == "Run the study"
    qtbot.waitUntil(lambda: found.is_done, timeout=20_000)
    assert panel.plot.states.tolist() == [WAITING] * 9
    qtbot.mouseClick(panel.form.start, LEFT)
    again = panel.found
    assert again is not None
    assert again is not found
    window.live.open(WORLDS / "rack_and_pinion.sdf")
    qtbot.waitUntil(lambda: again.is_done, timeout=20_000)
    assert panel.found is None
    assert not panel._timer.isActive()


def test_it_is_saved_as_a_study(
    panel: StudyPanel, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File and results: what `simulator.study` makes of the file is what is on show."""
    vary(qtbot, panel.form.first, "coupler.mass", "0.1", "0.3", 4)
    measure(panel, "rms", "crank_joint/effort", "0.1")
    assert not panel.save_button.isEnabled()
    run(qtbot, panel)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mass"), ""))
    qtbot.mouseClick(panel.save_button, LEFT)
    assert panel.message.text() == "Saved. To continue: simulator study mass.toml -o mass --resume"
    results = simulator.read_results(tmp_path / "mass")
    np.testing.assert_array_equal(results["measure"], panel.plot.values)
    np.testing.assert_array_equal(simulator.study(tmp_path / "mass.toml")["measure"], panel.plot.values)
    monkeypatch.setattr(study_panel.QMessageBox, "warning", lambda *texts: warned.append(texts[2]))
    warned: list[str] = []
    panel.write(tmp_path / "nowhere" / "mass.toml")
    assert warned
    assert "could not be written" in warned[0]


def test_units_of_the_view_menu(panel: StudyPanel, qtbot: QtBot) -> None:
    vary(qtbot, panel.form.first, "rocker.length", "0.26", "0.34", 3)
    measure(panel, "peak_to_peak", "rocker_joint/position", "0.1")
    run(qtbot, panel)
    before = panel.plot.values.copy()
    panel.plot.select(1)
    panel.set_units(Units(degrees=True, millimetres=True))
    assert (panel.form.first.begin.text(), panel.form.first.end.text(), panel.form.first.unit.text()) == (
        "260",
        "340",
        "mm",
    )
    np.testing.assert_allclose(panel.plot.values, np.degrees(before), rtol=1e-14)
    assert panel.plot.selected == 1
    varied = panel.form.first.varied()
    assert varied is not None
    assert (varied.begin, varied.end) == pytest.approx((0.26, 0.34), rel=1e-12)


@pytest.mark.parametrize(
    ("begin", "end", "second", "duration", "message"),
    [
        ("a", "0.3", "", "1", "Write numbers for the range and the time."),
        ("0.1", "0.3", "", "-1", "Write numbers for the range and the time."),
        ("0.1", "0.1", "", "1", "Vary two different numbers, each from one value to another."),
        ("0.1", "0.3", "coupler.mass", "1", "Vary two different numbers, each from one value to another."),
    ],
)
def test_what_cannot_be_is_said(
    panel: StudyPanel, qtbot: QtBot, begin: str, end: str, second: str, duration: str, message: str
) -> None:
    vary(qtbot, panel.form.first, "coupler.mass", begin, end, 3)
    if second:
        vary(qtbot, panel.form.second, second, "0.1", "0.2", 3)
    measure(panel, "max", "crank_joint/effort", duration)
    qtbot.mouseClick(panel.form.start, LEFT)
    assert panel.message.text() == message
    assert panel.message.property("level") == "error"
    assert panel.found is None


def test_a_name_that_is_none_falls_back(panel: StudyPanel, qtbot: QtBot) -> None:
    edit = panel.form.first.choice.lineEdit()
    assert edit is not None
    before = panel.form.first.choice.currentText()
    edit.selectAll()
    qtbot.keyClicks(edit, "nonsense")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.text() == before


def test_a_click_selects_the_name_and_a_part_that_one_name_has_is_enough(panel: StudyPanel, qtbot: QtBot) -> None:
    box = panel.form.first.choice
    edit = box.lineEdit()
    assert edit is not None
    whole = box.itemText(1)
    part = next(
        whole[:size] for size in range(1, len(whole) + 1)
        if sum(whole[:size] in box.itemText(i) for i in range(box.count())) == 1
    )  # fmt: skip
    qtbot.mouseClick(edit, LEFT)
    assert edit.selectedText() == edit.text()
    qtbot.keyClicks(edit, part)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert box.currentText() == whole


def test_colours_follow_the_theme(panel: StudyPanel, qtbot: QtBot) -> None:
    vary(qtbot, panel.form.first, "coupler.mass", "0.1", "0.3", 2)
    vary(qtbot, panel.form.second, "rocker.mass", "0.2", "0.5", 2)
    measure(panel, "max", "crank_joint/effort", "0.02")
    run(qtbot, panel)
    light = panel.plot.grab().toImage().pixelColor(2, 2)
    panel.theme.set_choice(ThemeChoice.DARK)
    assert panel.plot.grab().toImage().pixelColor(2, 2).lightness() < light.lightness()
    panel.theme.set_choice(ThemeChoice.LIGHT)
