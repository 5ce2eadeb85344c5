"""Lessons in which nothing is given: done with the mouse, from the empty sheet to what moves and is saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import simulator
from simulator.building.drawing.hand import Tool
from simulator.gui.main_window import MainWindow
from simulator.gui.making import new_mechanism
from simulator.session.commands.commands import StepOnce
from tests.gui.drawing import A0, B0, LEFT, A, B, Pencil, window
from tests.helpers.repository import ROOT

__all__ = ["window"]

GROUND = (0.24, 0.0)
"""Of the rocker, on a line of the grid of 0.02 m that the sheet has beside a lesson."""


@pytest.fixture
def sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the user names when the lesson asks for one."""
    path = tmp_path / "mine.sdf"
    monkeypatch.setattr(new_mechanism, "ask_target", lambda *_: path)
    return path


def begin(window: MainWindow, qtbot: QtBot, name: str, sheet: Path) -> Pencil:
    window.open_path(ROOT / "lessons" / name)
    assert window.build.is_on
    assert window.build.path == sheet
    qtbot.waitUntil(lambda: window.lesson_panel.isVisible() and window.build.sheet.width() > 300)
    window.build.sheet.fit()
    return Pencil(window, sheet, qtbot)


def is_done(window: MainWindow) -> bool:
    goals = window.lesson_panel._judged
    return bool(goals) and all(goal.met for goal in goals)


def go_on(pencil: Pencil) -> None:
    """All goals are met, and the button leads to the next step, whose goals are not."""
    panel = pencil.window.lesson_panel
    assert is_done(pencil.window), panel.goals.text()
    assert panel.next.property("primary") == "true"
    pencil.qtbot.mouseClick(panel.next, LEFT)
    assert pencil.window.lessons.lesson is not None


def test_in_a_lecture_the_sheet_has_no_plots_and_is_left_by_run(window: MainWindow, qtbot: QtBot, sheet: Path) -> None:
    begin(window, qtbot, "11_first_four_bar.lesson.toml", sheet)
    assert window.status.state.text() == "Build mode"
    window.actions_["lecture"].trigger()
    qtbot.waitUntil(window.lecture_bar.isVisible)
    bar = window.lecture_bar
    assert not window.traces_panel.isVisible()
    assert window.lesson_panel.isVisible()
    assert bar.leave.isVisible()
    assert not bar.values.isVisible()
    qtbot.mouseClick(bar.run, LEFT)
    assert not window.build_switch.is_on


def test_a_newcomer_draws_a_four_bar_and_a_six_bar(window: MainWindow, qtbot: QtBot, sheet: Path) -> None:
    pencil = begin(window, qtbot, "11_first_four_bar.lesson.toml", sheet)
    assert not is_done(window)
    pencil.bars(A0, A, B, GROUND)
    go_on(pencil)
    assert "4 joints, now 2" in window.lesson_panel.goals.text()
    pencil.click(Tool.GROUND, A0, GROUND)
    go_on(pencil)
    pencil.click(Tool.MOTOR, A0)
    assert pencil.gestures == 8
    go_on(pencil)
    pencil.type("bar_1", "a")
    pencil.type("bar_2", "b = 3*a")
    go_on(pencil)
    rocker = pencil.sheet.plan.link("bar_3")
    assert rocker is not None
    (ax, ay), (bx, by) = rocker.ends
    before = pencil.gestures
    pencil.bars(((ax + bx) / 2.0, (ay + by) / 2.0), (0.36, 0.12), (0.36, 0.0))
    pencil.click(Tool.GROUND, (0.36, 0.0))
    assert pencil.gestures - before == 5, "two bars and a pin on the ground, with their tools"
    go_on(pencil)
    assert not window.build.is_on
    assert window.live.path == sheet
    window.tick()
    window.live.send(StepOnce(200))
    window.tick()
    assert window.live.snapshot is not None
    assert window.live.snapshot.time >= 0.2
    assert window.lesson_panel.title.text() == "It moves"
    saved = simulator.load(sheet)
    assert saved.mobility == 1
    assert len(saved.links) == 5


def test_a_gear_train_is_drawn_to_a_ratio(window: MainWindow, qtbot: QtBot, sheet: Path) -> None:
    pencil = begin(window, qtbot, "12_gear_train_to_a_ratio.lesson.toml", sheet)
    pencil.drag(Tool.GEAR, (-0.2, 0.0), (-0.17, 0.0))
    pencil.click(Tool.MOTOR, (-0.2, 0.0))
    go_on(pencil)
    pencil.drag(Tool.GEAR, (-0.1, 0.0), (-0.169, 0.0))
    pencil.type("gear_1", "m 2 z 10")
    assert "ratio −3, now" in window.lesson_panel.goals.text()
    pencil.type("gear_1", "m 2 z 20")
    pencil.type("gear_2", "z 60")
    go_on(pencil)
    second = pencil.sheet.plan.link("gear_2")
    assert second is not None
    edge = second.places[0][0] + second.radius
    pencil.drag(Tool.GEAR, (0.08, 0.0), (edge + 0.001, 0.0))
    pencil.type("gear_3", "z 60")
    go_on(pencil)
    pencil.drag(Tool.GEAR, (-0.2, -0.12), (-0.18, -0.12))
    driving = pencil.sheet.plan.link("gear_1")
    assert driving is not None
    pencil.drag(Tool.BELT, driving.places[0], (-0.2, -0.12))
    pencil.type("gear_4", "0.04")
    go_on(pencil)
    assert not window.build.is_on
    sim = simulator.load(sheet)
    sim.run(0.3, drives={"pin_1": simulator.velocity(1.0)})
    turned = {name.rpartition("::")[2]: value for name, value in sim.positions.items()}
    first = turned["pin_1"]
    assert [turned[f"pin_{n}"] for n in (2, 3, 4)] == pytest.approx([-first / 3.0, first / 3.0, first / 2.0], abs=1e-12)


def test_a_sheet_that_is_not_named_begins_no_lesson(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_mechanism, "ask_target", lambda *_: None)
    window.open_path(ROOT / "lessons" / "11_first_four_bar.lesson.toml")
    assert window.lessons.lesson is None
    assert not window.build.is_on
    assert not window.lesson_panel.isVisible()


def test_an_empty_sheet_cannot_run(window: MainWindow, qtbot: QtBot, sheet: Path) -> None:
    pencil = begin(window, qtbot, "11_first_four_bar.lesson.toml", sheet)
    window.lessons.go_to(5)
    assert "nothing on the sheet" in window.banner.message.text()
    window.lessons.go_to(0)
    assert window.build.is_on
    pencil.bars(A0, A, B, B0)
    assert is_done(window)


def test_another_document_ends_a_lesson_on_a_sheet(window: MainWindow, qtbot: QtBot, sheet: Path) -> None:
    pencil = begin(window, qtbot, "11_first_four_bar.lesson.toml", sheet)
    pencil.bars(A0, A)
    window.open_path(ROOT / "worlds" / "four_bar.sdf")
    assert window.lessons.lesson is None
    assert not window.build.is_on
    assert not window.lesson_panel.isVisible()
