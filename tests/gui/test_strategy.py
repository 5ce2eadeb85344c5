"""The strategy at work: chosen in a menu, shown as the simulation says, kept over a reload; remarks of the
simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from simulator.gui.strategies import MEANINGS, StrategyMenu
from simulator.session.commands.commands import SetSolver
from simulator.session.run.client import RunState
from simulator.session.text.settings import SOLVERS
from tests.gui.conftest import Bench


def marked(menu: StrategyMenu) -> list[str]:
    return [str(action.data()) for action in menu.actions() if action.isChecked()]


def choose(bench: Bench, solver: str) -> None:
    action = next(action for action in bench.window.menus.strategies.actions() if action.data() == solver)
    action.trigger()


def test_every_strategy_has_its_line() -> None:
    assert set(MEANINGS) == set(SOLVERS)


def test_the_menu_is_part_of_the_simulation_menu_and_of_the_status_bar(bench: Bench) -> None:
    menu = bench.window.menus.strategies
    bar = bench.window.menuBar()
    assert bar is not None
    simulation = next(action.menu() for action in bar.actions() if action.text() == "&Simulation")
    assert simulation is not None
    assert menu.menuAction() in simulation.actions()
    assert bench.window.status.solver.menu() is menu
    assert [action.data() for action in menu.actions()] == list(SOLVERS)


def test_without_a_simulation_nothing_can_be_chosen(bench: Bench) -> None:
    assert not any(action.isEnabled() for action in bench.window.menus.strategies.actions())
    assert bench.window.status.solver.isHidden()


def test_a_choice_is_sent_and_shown_once_the_simulation_has_it(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    qtbot.waitUntil(lambda: "fake" in bench.window.status.solver.text())
    menu = bench.window.menus.strategies
    assert marked(menu) == []
    choose(bench, "reduced")
    assert bench.client.sent[-1] == SetSolver("reduced")
    assert marked(menu) == [], "not what was clicked"
    qtbot.waitUntil(lambda: marked(menu) == ["reduced"])
    qtbot.waitUntil(lambda: "Strategy: reduced" in bench.window.status.solver.text())


def test_a_refused_choice_is_told_and_the_mark_stays(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.client.solver, bench.client.refused = "gear", ("reduced",)
    menu = bench.window.menus.strategies
    qtbot.waitUntil(lambda: marked(menu) == ["gear"])
    choose(bench, "reduced")
    qtbot.waitUntil(bench.window.notice.isVisible)
    assert "cannot be assembled" in bench.window.notice.message.text()
    assert marked(menu) == ["gear"]


def test_choosing_what_is_at_work_sends_nothing(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.client.solver = "gear"
    qtbot.waitUntil(lambda: marked(bench.window.menus.strategies) == ["gear"])
    bench.client.sent.clear()
    choose(bench, "gear")
    assert bench.client.sent == []
    assert marked(bench.window.menus.strategies) == ["gear"]


def test_a_reload_keeps_the_strategy_another_document_does_not(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    choose(bench, "reduced")
    bench.window.tick()
    bench.window.actions_["reload"].trigger()
    assert len(bench.clients) == 2
    assert bench.client.solver == "reduced"
    bench.window.actions_["reload"].trigger()
    assert bench.client.solver == "reduced"
    bench.open("other.sdf")
    assert bench.client.solver == "fake"


def test_a_strategy_that_was_refused_is_not_kept(bench: Bench) -> None:
    bench.open()
    bench.client.refused = ("reduced",)
    choose(bench, "reduced")
    bench.window.tick()
    bench.window.actions_["reload"].trigger()
    assert SetSolver("reduced") not in bench.client.sent


def test_a_remark_stays_until_it_is_dismissed(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    bench.client.message = "strategy reduced computes no contacts: 'a' and 'b' will pass through each other"
    notice = bench.window.notice
    qtbot.waitUntil(notice.isVisible)
    assert notice.message.text().startswith("Strategy reduced computes no contacts")
    assert notice.property("level") == "info"
    bench.window.announcements.show_status(bench.client.poll()[1])
    notice._close.click()
    bench.window.announcements.show_status(bench.client.poll()[1])
    assert not notice.isVisible(), "dismissed"
    bench.client.message = "something else"
    bench.window.announcements.show_status(bench.client.poll()[1])
    assert "Something else." in notice.message.text()
    assert notice.isVisible()


def test_a_remark_outlives_the_next_command_but_not_the_strategy(bench: Bench) -> None:
    bench.open()
    say = bench.window.announcements.show_status
    bench.client.solver, bench.client.message = "reduced", "no contacts"
    say(bench.client.poll()[1])
    bench.client.message = ""
    say(bench.client.poll()[1])
    assert bench.window.notice.isVisible()
    bench.client.solver = "gear"
    say(bench.client.poll()[1])
    assert not bench.window.notice.isVisible()


def test_how_far_kernels_are_is_a_bar_and_a_sentence_with_the_same_number(bench: Bench) -> None:
    bench.open()
    announcements, status = bench.window.announcements, bench.client.poll()[1]
    announcements.show_status(replace(status, making=0))
    announcements.show_status(replace(status, making=21))
    assert "kernels, once for this version: 21 %" in announcements.busy.message.text()
    bar = announcements.progress
    assert (bar.isVisible(), bar.minimum(), bar.value(), bar.maximum()) == (True, 0, 21, 100)
    announcements.show_status(status)
    assert not bar.isVisible()
    assert not announcements.busy.isVisible()
    assert (bar.minimum(), bar.maximum()) == (0, 0), "a document that is read has no numbers"


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.DIED])
def test_the_end_is_no_remark(bench: Bench, state: RunState) -> None:
    bench.open()
    bench.client.state, bench.client.message = state, "diverged"
    bench.window.announcements.show_status(bench.client.poll()[1])
    assert bench.window.banner.isVisible()
    assert not bench.window.notice.isVisible()
