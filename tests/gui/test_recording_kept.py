"""The recording keeps everything: its beginning is named, what is saved is said, and a session that did not end by
itself leaves it for the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.gui.recovery import offer_leftover
from simulator.recording import record_file
from simulator.recording.channels import Channel, channels_of
from simulator.recording.record_file import RecordFile, leftovers, recent
from simulator.recording.store import RowStore, StoreShape
from simulator.session.commands.commands import StepOnce
from tests.gui.real import real_window
from tests.helpers import local_client as local

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
CHANNELS = (Channel("time", "time", "s"), Channel("joint/m::j/position", "position", "rad", 0))


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "out.csv"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    return path


def test_what_is_saved_is_said(real_window: Make, target: Path, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    window.live.send(StepOnce(250))
    window.tick()
    window.actions_["save_recording"].trigger()
    assert window.notice.message.text() == "out.csv saved: 251 rows, 0.000 to 0.250 s."
    assert len(target.read_text().splitlines()) == 252
    qtbot.waitUntil(lambda: (window.tick(), window.time_bar.begin.text() == "0.000")[1])


def test_a_thinned_recording_says_so_and_keeps_its_beginning(
    real_window: Make, target: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(local, "RowStore", lambda shape: RowStore(StoreShape(shape.columns, 16, 16)))
    window = real_window("four_bar")
    window.live.send(StepOnce(1000))
    window.tick()
    history = window.live.client.history
    assert history.span() == (0.0, pytest.approx(1.0))
    qtbot.waitUntil(lambda: (window.tick(), window.time_bar.begin.text() == "0.000*")[1])
    assert "before, one of up to 8" in window.time_bar.begin.toolTip()
    window.actions_["save_recording"].trigger()
    saved = np.loadtxt(target, delimiter=",", skiprows=1)
    assert f"{len(saved)} rows, 0.000 to 1.000 s. Every step from" in window.notice.message.text()
    assert np.diff(saved[:, 0]).max() == pytest.approx(8e-3)


def test_what_another_session_left_is_offered(
    real_window: Make, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(record_file, "home", lambda: tmp_path / "recordings")
    monkeypatch.setattr(record_file, "_is_alive", lambda _process: False)
    record = RecordFile.create(CHANNELS, Path("/robots/arm.sdf"), 0.001)
    record.store.extend(np.column_stack((0.001 * np.arange(100.0), np.arange(100.0))))
    window = real_window("four_bar")
    offer_leftover(window)
    text = window.notice.message.text()
    assert text == ("The last session was interrupted. Its recording of arm.sdf, 0.000 to 0.099 s, can be saved.")
    window.notice.button.click()
    assert len(target.read_text().splitlines()) == 101
    assert window.notice.message.text() == "out.csv saved: 100 rows, 0.000 to 0.099 s."
    assert leftovers() == []


def test_what_another_session_left_can_be_discarded_or_left_for_later(
    real_window: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_file, "home", lambda: tmp_path / "recordings")
    monkeypatch.setattr(record_file, "_is_alive", lambda _process: False)
    record = RecordFile.create(CHANNELS, Path("/robots/arm.sdf"), 0.001)
    record.store.extend(np.zeros((1, 2)))
    window = real_window("four_bar")
    offer_leftover(window)
    window.notice._dismiss()
    assert len(leftovers()) == 1
    offer_leftover(window)
    window.notice.other.click()
    assert leftovers() == []
    offer_leftover(window)
    assert window.notice.isHidden()


def kept(window: MainWindow, document: Path) -> None:
    """The recording of an earlier session of the mechanism on show, of two seconds."""
    opened = window.live.opened
    assert opened is not None
    record = RecordFile.create(channels_of(opened.mechanism, opened.actuators), document, 0.001)
    history = window.live.client.history  # type: ignore[union-attr]
    row = history.rows()[-1]
    record.store.extend(np.stack([np.concatenate([[0.01 * n], row[1:]]) for n in range(201)]))
    record.close(keep=True)


def test_the_recording_of_an_earlier_session_is_played(
    real_window: Make, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """Its document is opened for it; where that has other joints now, it can be saved."""
    monkeypatch.setattr(record_file, "home", lambda: tmp_path / "recordings")
    window = real_window("four_bar")
    path = window.live.path
    assert path is not None
    window.live.send(StepOnce(1))
    window.tick()
    kept(window, path)
    kept(window, path.with_name("slider_crank.sdf"))
    menu = window.menus.recordings
    menu.aboutToShow.emit()
    names = [action.text().split()[0] for action in menu.actions() if action.text()]
    assert names == ["slider_crank.sdf", "four_bar.sdf", "Delete"]
    assert menu.actions()[1].text().endswith(", 0.000 to 2.000 s")
    window.open_path(path.with_name("rack_and_pinion.sdf"))
    menu.actions()[1].trigger()
    qtbot.waitUntil(lambda: (window.tick(), window.live.playback.on)[1])
    assert window.live.path == path
    first, last = window.live.playback.span()
    assert (first, last) == pytest.approx((0.0, 2.0), abs=1e-9)
    qtbot.waitUntil(lambda: (window.tick(), window.live.client.history.span()[1] >= 2.0)[1])  # type: ignore[union-attr]
    times, _ = window.live.client.trace([1], 0.0)  # type: ignore[union-attr]
    assert len(times) >= 200, "its curves are in the traces, and the time line has it"
    menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: (window.tick(), window.banner.isVisible())[1])
    assert "slider_crank.sdf has other joints or couplings" in window.banner.message.text()
    window.banner.button.click()
    assert len(target.read_text().splitlines()) == 202
    menu.actions()[-1].trigger()
    assert recent() == []
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions() if action.text()] == ["Nothing yet"]
