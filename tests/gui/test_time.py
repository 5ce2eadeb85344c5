"""The time line, undo and redo, and what a reload keeps: by mouse and keyboard, over real simulations."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from simulator.engine.snapshot import Snapshot
from simulator.gui.main_window import MainWindow
from simulator.gui.time_bar import MARGIN
from simulator.session.commands.commands import Pause, Run, SetNumber, StepOnce
from tests.gui.real import WORLDS, real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton


def drag(qtbot: QtBot, widget: QWidget, start: float, stop: float, margin: float = MARGIN) -> None:
    """Press at a fraction of the width, move in between, let go at another."""

    def at(fraction: float) -> QPoint:
        return QPoint(round(margin + fraction * (widget.width() - 2 * margin)), widget.height() // 2)

    qtbot.mousePress(widget, LEFT, pos=at(start))
    for part in (0.3, 0.7, 1.0):
        qtbot.mouseMove(widget, at(start + part * (stop - start)))
        qtbot.wait(40)
    qtbot.mouseRelease(widget, LEFT, pos=at(stop))


def recorded(window: MainWindow, steps: int) -> Snapshot:
    """The newest snapshot once so many steps were made."""
    window.live.send(StepOnce(steps))
    window.tick()
    assert window.live.snapshot is not None
    return window.live.snapshot


def same_state(a: Snapshot, b: Snapshot) -> bool:
    return a.energy == b.energy and all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("position", "velocity", "body_poses", "body_velocities", "coupling_residual", "loop_residual")
    )


def test_dragging_the_time_line_shows_that_moment_everywhere(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", drives=("pinion_joint=velocity:0.5",))
    end = recorded(window, 1000)
    drag(qtbot, window.time_bar.line, 1.0, 0.5)
    qtbot.waitUntil(lambda: window.live.playback.on and abs(window.live.snapshot.time - 0.5) < 0.01)
    window.tick()
    shown = window.live.snapshot
    assert shown is not None
    assert shown.position == pytest.approx(end.position * shown.time / end.time, abs=1e-9), "a constant velocity"
    card = window.joints_panel.cards[0]
    assert card.live.text() == f"θ = {window.joints_panel.units.text(card.axis, float(shown.position[0]))}"
    poses = window.live.poses
    assert poses is not None
    assert np.array_equal(window.viewport.state.poses, poses.at(shown.body_poses))
    assert window.time_bar.time.text() == f"{shown.time:.3f} / 1.000 s"
    tree = window.traces_panel.legend
    values = [tree.topLevelItem(row).text(1) for row in range(tree.topLevelItemCount())]  # type: ignore[union-attr]
    assert f"{shown.position[0]:.3f} rad" in values, "the plots' values are those of the moment on show"
    qtbot.mouseClick(window.time_bar.newest, LEFT)
    qtbot.waitUntil(lambda: window.live.snapshot.time == end.time)
    assert not window.live.playback.on


def test_one_step_back_and_forth_by_the_keyboard(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    end = recorded(window, 100)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    canvas = window.viewport.canvas
    canvas.setFocus()
    for expected in (end.step - 1, end.step - 2):
        qtbot.keyClick(canvas, Qt.Key.Key_Comma)
        qtbot.waitUntil(lambda expected=expected: window.live.snapshot.step == expected)
    qtbot.keyClick(canvas, Qt.Key.Key_Period)
    qtbot.waitUntil(lambda: window.live.snapshot.step == end.step - 1)
    line = window.time_bar.line
    line.setFocus()
    qtbot.keyClick(line, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: window.live.snapshot.step == 0)
    qtbot.keyClick(line, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: window.live.snapshot.step == 1)
    qtbot.keyClick(line, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: window.live.snapshot.step == end.step)


def test_the_recording_is_played_back_at_the_speed_that_is_set(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    end = recorded(window, 300)
    window.transport.speed.setCurrentIndex(window.transport.speed.findData(0.5))
    window.actions_["play_back"].trigger()
    assert window.live.playback.playing
    qtbot.waitUntil(lambda: 0.0 < window.live.snapshot.time < end.time)
    assert not window.live.running, "nothing is simulated"
    qtbot.waitUntil(lambda: not window.live.playback.playing, timeout=10_000)
    assert window.live.snapshot.step == end.step


def test_a_simulation_goes_on_from_a_moment_of_the_past(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    end = recorded(window, 400)
    drag(qtbot, window.time_bar.line, 1.0, 0.25)
    qtbot.waitUntil(lambda: window.live.snapshot.time < 0.5 * end.time)
    moment = window.live.snapshot
    qtbot.mouseClick(window.time_bar.resume, LEFT)
    qtbot.waitUntil(lambda: window.live.running)
    window.live.send(Pause())
    window.tick()
    assert window.live.snapshot.step >= moment.step
    assert window.live.playback.span()[1] == window.live.snapshot.time


def test_a_change_of_the_past_says_what_it_takes_away(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", drives=("pinion_joint=velocity:0.5",))
    recorded(window, 1000)
    window.live.playback.show(0.25)
    window.tick()
    notice = window.announcements.notice
    assert not notice.isVisible()
    window.live.send(SetNumber("pinion_joint.damping", 0.1))
    window.tick()
    assert notice.isVisible()
    assert notice.message.text() == "The motion continues from 0.25 s; the recording from there to 1 s is gone."
    assert not window.live.playback.on
    assert window.live.playback.span()[1] == pytest.approx(0.25)


def test_continuing_from_the_past_is_no_news(real_window: Make) -> None:
    window = real_window("rack_and_pinion", drives=("pinion_joint=velocity:0.5",))
    recorded(window, 1000)
    window.live.playback.show(0.25)
    window.tick()
    window.live.send(Run())
    window.tick()
    assert not window.announcements.notice.isVisible()


def test_a_drag_of_a_slider_is_one_entry_and_undo_brings_the_bits_back(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    before = recorded(window, 50)
    card = next(iter(window.joints_panel.cards.values()))
    card.kind.setCurrentIndex(0)
    qtbot.waitUntil(card.slider.isEnabled)
    drag(qtbot, card.slider, 0.5, 0.6, margin=9.0)
    qtbot.waitUntil(lambda: not np.array_equal(window.live.snapshot.position, before.position))
    qtbot.wait(80)  # what the slider has collected is sent by then
    stack = window.live.undo.stack
    assert [stack.text(i) for i in range(stack.count())] == ["Move a joint"]
    after = window.live.snapshot
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window.viewport.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: same_state(window.live.snapshot, before))
    qtbot.keyClick(
        window.viewport.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    qtbot.waitUntil(lambda: same_state(window.live.snapshot, after))


@pytest.mark.parametrize(("world", "seed"), [("four_bar", 1)])
def test_undo_of_fifty_random_gestures_returns_to_the_same_bits(
    real_window: Make, qtbot: QtBot, world: str, seed: int
) -> None:
    window = real_window(world)
    recorded(window, 30)
    before, drives = window.live.snapshot, window.live.client.asked_drives
    speed, solver, laws = window.live.speed, window.live.status.solver, window.live.laws.now().couplings
    rng = random.Random(seed)
    stack = window.live.undo.stack
    while stack.count() < 50:
        gesture(window, qtbot, rng)
    end = window.live.snapshot
    while stack.canUndo():
        stack.undo()
    window.tick()
    assert same_state(window.live.snapshot, before)
    assert (window.live.snapshot.step, window.live.client.asked_drives) == (before.step, drives)
    assert (window.live.speed, window.live.status.solver) == (speed, solver)
    assert window.live.laws.now().couplings == laws
    while stack.canRedo():
        stack.redo()
    window.tick()
    assert same_state(window.live.snapshot, end)


def gesture(window: MainWindow, qtbot: QtBot, rng: random.Random) -> None:
    """Something a user does to a random control; some gestures are refused."""
    card = rng.choice(list(window.joints_panel.cards.values()))
    what = rng.choice(["slide", "slide", "kind", "value", "speed", "solver", "law", "undo"])
    if what == "slide" and card.slider.isEnabled():
        at = QPoint(rng.randrange(12, card.slider.width() - 12), 10)
        qtbot.mouseClick(card.slider, LEFT, pos=at)
        qtbot.wait(30)
    elif what == "kind":
        card.kind.setFocus()
        qtbot.keyClick(card.kind, rng.choice([Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_Up]))
        if card.over_time:
            qtbot.keyClick(card.kind, Qt.Key.Key_Home)
    elif what == "value" and card.value.isVisible():
        card.value.setFocus()
        card.value.selectAll()
        qtbot.keyClicks(card.value, f"{rng.uniform(-2, 2):.2f}")
        qtbot.keyClick(card.value, Qt.Key.Key_Return)
    elif what == "speed":
        window.transport.speed.setFocus()
        qtbot.keyClick(window.transport.speed, rng.choice([Qt.Key.Key_Up, Qt.Key.Key_Down]))
    elif what == "solver":
        window.menus.strategies.actions()[rng.choice([0, 1])].trigger()
    elif what == "law" and window.joints_panel.followers:
        change_law(window, qtbot, rng)
    elif what == "undo" and window.live.undo.stack.canUndo():
        window.live.undo.stack.undo()
        window.live.undo.stack.redo()
    window.tick()


def change_law(window: MainWindow, qtbot: QtBot, rng: random.Random) -> None:
    row = next((row for row in window.joints_panel.followers.values() if row.edit.isVisible()), None)
    if row is None:
        return
    qtbot.mouseClick(row.edit, LEFT)
    editor = window.inspector.law.editor
    assert editor is not None
    field = editor.multiplier
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, f"{rng.uniform(0.01, 0.03):.4f}")
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_reload_goes_on_where_it_was(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "four_bar.sdf"
    shutil.copy(WORLDS / "four_bar.sdf", path)
    window = real_window(path)
    before = recorded(window, 200)
    middle = window.live.client.history.at(0.1, window.live.status.dt)
    camera = window.viewport.state.camera
    path.write_text(path.read_text().replace("<sdf", "<!-- a remark -->\n<sdf", 1))
    window.actions_["reload"].trigger()
    window.tick()
    after = window.live.snapshot
    assert after.step == before.step
    assert after.position == pytest.approx(before.position, abs=1e-13)
    assert window.viewport.state.camera == camera
    assert window.live.playback.span() == (0.0, before.time)
    drag(qtbot, window.time_bar.line, 1.0, 0.1 / before.time)
    qtbot.waitUntil(lambda: abs(window.live.snapshot.step - middle.step) <= 2)
    assert len(window.live.client.trace([1], 0.0)[0]) == before.step + 1
    window.live.send(Run())
    qtbot.waitUntil(lambda: window.live.running)


def test_a_reload_with_another_link_length_begins_anew(real_window: Make, tmp_path: Path) -> None:
    path = tmp_path / "rack.sdf"
    shutil.copy(WORLDS / "rack_and_pinion.sdf", path)
    window = real_window(path)
    recorded(window, 200)
    text = path.read_text()
    assert "<multiplier>0.02</multiplier>" in text
    path.write_text(text.replace("<multiplier>0.02</multiplier>", "<multiplier>0.03</multiplier>"))
    window.actions_["reload"].trigger()
    window.tick()
    assert window.live.snapshot.step == 0
    assert window.live.playback.span()[1] == 0.0
