"""Recordings of files, of this program and of others, are played on the mechanism in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

import simulator
from simulator.gui import recording_import
from simulator.gui.main_window import MainWindow
from simulator.session.commands.commands import Run
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


def play(window: MainWindow, qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the user does, by the menu."""
    monkeypatch.setattr(recording_import, "ask_existing", lambda *_: path)
    window.actions_["play_file"].trigger()
    qtbot.waitUntil(lambda: not window.recording_import._background.busy, timeout=60_000)


def crank_alone(path: Path) -> simulator.Run:
    """The positions of one joint, as another program might write them."""
    run = simulator.load("four_bar").run(1.0, drives={"crank_joint": simulator.velocity(3.0)}, every=0.01)
    table = np.stack([run.time + 100.0, run["crank_joint/position"]], axis=1)
    np.savetxt(path, table, delimiter=",", header="stamp,crank_joint", comments="", fmt="%.17g")
    return run


@pytest.mark.parametrize("name", ["crank.csv", "whole.mcap", "whole.csv"])
def test_a_file_moves_the_mechanism(
    real_window: Make, qtbot: QtBot, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = crank_alone(tmp_path / "crank.csv")
    run.to_mcap(tmp_path / "whole.mcap")
    run.to_csv(tmp_path / "whole.csv")
    window = real_window("four_bar")
    play(window, qtbot, tmp_path / name, monkeypatch)
    live = window.live
    assert live.playback.playing
    assert live.playback.span() == pytest.approx((0.0, 1.0))
    live.playback.stop()
    live.playback.show(0.5)
    window.tick()
    assert live.snapshot is not None
    at = [axis.name for axis in run.mechanism.axes].index("four_bar::rocker_joint")
    assert live.snapshot.position[at] == pytest.approx(run["rocker_joint/position"][50], abs=1e-11)
    window.grab().save(str(tmp_path / "window.png"))
    live.playback.leave()
    window.tick()
    assert live.snapshot.time == 0.0


def test_the_simulation_goes_on_from_it(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a ledger of energy that begins there."""
    run = crank_alone(tmp_path / "crank.csv")
    window = real_window("four_bar")
    play(window, qtbot, tmp_path / "crank.csv", monkeypatch)
    live = window.live
    live.playback.stop()
    live.playback.show(0.5)
    window.tick()
    live.send(Run())
    qtbot.waitUntil(lambda: window.tick() or (live.snapshot is not None and live.snapshot.time > 0.51))
    assert live.snapshot is not None
    assert not live.playback.on
    assert np.isfinite(live.snapshot.energy.work)
    assert abs(live.snapshot.energy.error) < 1e-6
    at = [axis.name for axis in run.mechanism.axes].index("four_bar::crank_joint")
    assert live.snapshot.position[at] > 1.4


def test_what_cannot_be_played_is_said(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arm.csv").write_text("t,shoulder\n0,0\n1,1\n")
    window = real_window("four_bar")
    play(window, qtbot, tmp_path / "arm.csv", monkeypatch)
    assert not window.live.playback.on
    said = " ".join(label.text() for label in window.announcements.banner.findChildren(QLabel))
    assert "arm.csv cannot be played" in said
    assert "shoulder" in said
