"""The strips above the view: what is said there, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.gui.saved import say_saved
from simulator.gui.traces.figures import FigureDialog
from simulator.gui.viewport.pictures import PictureDialog
from simulator.session.commands.commands import StepOnce
from simulator.session.run.client import RunState
from tests.gui.conftest import Bench
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


@pytest.mark.parametrize("name", ["curves.csv", "curves.svg", "view.png", "panel.csv", "paths.csv"])
def test_every_file_that_is_written_is_said(
    name: str, real_window: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window, target = real_window("rack_and_pinion", (900, 600)), tmp_path / name
    for dialog in (FigureDialog, PictureDialog):
        monkeypatch.setattr(dialog, "exec", lambda _self: 1)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    window.workbench.show_only(["traces"])
    window.live.send(StepOnce(50))
    window.tick()
    assert window.live.snapshot is not None
    window.traces_panel.refresh(window.live.snapshot)
    write = {
        "curves": window.traces_panel.tools.save.click,
        "view": window.actions_["save_picture"].trigger,
        "panel": window.actions_["save_panel"].trigger,
        "paths": window.actions_["save_paths"].trigger,
    }[target.stem]
    write()
    assert target.stat().st_size > 0
    assert (window.notice.isVisible(), window.notice.message.text()) == (True, f"{name} saved.")
    window.announcements.saved_timer.timeout.emit()
    assert window.notice.isHidden(), "time enough to read it has passed"


def test_what_was_said_about_a_document_ends_with_it(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    announcements = bench.window.announcements
    announcements.banner.say("leaderless", "warning", "Joint 'a' mimics joint 'b', which does not exist.")
    announcements.notice.say("cut", "info", "The motion continues from 1 s.")
    bench.open("other.sdf")
    qtbot.waitUntil(announcements.banner.isHidden)
    assert announcements.notice.isHidden()
    say_saved(bench.window, "other.sdf saved.")
    bench.open()
    assert announcements.notice.isVisible(), "a copy that was saved is opened next"


def test_the_end_of_the_next_simulation_is_said_too(bench: Bench) -> None:
    bench.open()
    announcements = bench.window.announcements
    status = bench.client.poll()[1]
    failed = replace(status, state=RunState.FAILED, message="the mechanism jammed at 1 s")
    announcements.show_status(failed)
    assert announcements.banner.isVisible()
    bench.open("other.sdf")
    assert announcements.banner.isHidden()
    announcements.show_status(failed)
    assert announcements.banner.isVisible()


def test_a_notice_takes_its_room_from_the_view_and_not_from_the_plots(real_window: Make) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.workbench.show_only(["joints", "traces"])
    QApplication.processEvents()
    before, view = window.workbench.work.height(), window.viewport.height()
    say_saved(window.traces_panel, "a.csv saved.")
    QApplication.processEvents()
    assert window.workbench.work.height() == before
    assert window.viewport.height() == view - window.notice.height()
