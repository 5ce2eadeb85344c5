"""A simulation that has yet to come up looks so: what would do nothing is not offered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from simulator.gui.live import LiveSession
from simulator.session.commands.commands import Run
from simulator.session.run.client import RunState, Status
from tests.gui.conftest import Bench

TIME = ("run", "step", "reset", "kinematic")


def in_state(bench: Bench, monkeypatch: pytest.MonkeyPatch, state: RunState) -> None:
    """The window hears of that state at its next frames."""
    poll = bench.client.poll

    def answer() -> tuple[object, Status]:
        snapshot, status = poll()
        return snapshot, replace(status, state=state)

    monkeypatch.setattr(bench.client, "poll", answer)
    bench.window.tick()


def enabled(bench: Bench) -> set[str]:
    return {key for key in (*TIME, "resume_here") if bench.window.actions_[key].isEnabled()}


def test_nothing_is_offered_before_the_simulation_is_there(
    bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LiveSession, "poll", lambda _live: None)  # the process has not said a word
    bench.open()
    monkeypatch.undo()
    in_state(bench, monkeypatch, RunState.STARTING)
    assert enabled(bench) == set()
    assert not bench.window.time_bar.newest.isEnabled()
    assert not bench.window.time_bar.resume.isEnabled()
    assert bench.window.viewport.state.hint == ""
    sent = list(bench.client.sent)
    bench.activate(qtbot)
    qtbot.keyClick(bench.window.viewport.canvas, Qt.Key.Key_Space)
    assert bench.client.sent == sent
    in_state(bench, monkeypatch, RunState.PAUSED)
    assert enabled(bench) == set(TIME)
    assert bench.window.viewport.state.hint.startswith("Drag a body")
    qtbot.keyClick(bench.window.viewport.canvas, Qt.Key.Key_Space)
    assert isinstance(bench.client.sent[-1], Run)


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        (RunState.RUNNING, set(TIME)),
        (RunState.FAILED, {"reset"}),
        (RunState.DIED, set()),
        (RunState.STOPPED, set()),
    ],
)
def test_what_is_offered_at_the_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, state: RunState, offered: set[str]
) -> None:
    bench.open()
    in_state(bench, monkeypatch, state)
    assert enabled(bench) == offered
