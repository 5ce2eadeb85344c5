"""What is recorded goes to PlotJuggler, and joints go from the tree onto the plots."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

from PyQt6.QtCore import QMimeData, QPointF, Qt
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication

from simulator.gui.main_window import MainWindow
from simulator.gui.selection import Item, ItemKind
from simulator.recording.ros_messages import JOINTS, Messages
from simulator.session.commands.commands import Reset, StepOnce
from tests.gui.real import real_window
from tests.helpers.foxglove import messages_of_foxglove
from tests.helpers.repository import ROOT

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


def test_the_menu_switches_the_stream(real_window: Make) -> None:
    window = real_window("rack_and_pinion")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(5.0)
        window.preferences._store.setValue("plotjuggler_address", f"127.0.0.1:{listening.getsockname()[1]}")
        window.actions_["stream_plotjuggler"].setChecked(True)
        window.live.send(StepOnce(3))
        window.tick()
        row = json.loads(listening.recv(65536))
        assert "joint/mimic_rack_and_pinion::pinion_joint/position" in row
        window.actions_["stream_plotjuggler"].setChecked(False)
        window.live.send(StepOnce(1))
        window.tick()
        listening.setblocking(False)
        rows = [row]
        while True:
            try:
                rows.append(json.loads(listening.recv(65536)))
            except BlockingIOError:
                break
        assert window.live.snapshot is not None
        assert rows[-1]["timestamp"] < window.live.snapshot.time


def test_what_is_no_address_is_said(real_window: Make) -> None:
    window = real_window("rack_and_pinion")
    window.preferences._store.setValue("plotjuggler_address", "nowhere")
    window.actions_["stream_plotjuggler"].setChecked(True)
    assert "nowhere" in window.banner.message.text()
    assert not window.actions_["stream_plotjuggler"].isChecked()


def test_foxglove_sees_the_document_on_show(real_window: Make) -> None:
    """Also after another one has been opened: at the same address, with its joints."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    window = real_window("rack_and_pinion")
    window.preferences._store.setValue("foxglove_address", f"127.0.0.1:{port}")
    window.actions_["stream_foxglove"].setChecked(True)
    assert f"ws://127.0.0.1:{port}" in window.notice.message.text()
    assert "pinion_joint" in joints_at(port, window)
    window.live.send(Reset())
    window.live.open(ROOT / "worlds" / "four_bar.sdf")
    assert "crank_joint" in joints_at(port, window)
    window.actions_["stream_foxglove"].setChecked(False)
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", port)) != 0


def joints_at(port: int, window: MainWindow) -> list[str]:
    """Names in the next joint state that a Foxglove server sends, while the window steps."""

    def step() -> None:
        window.live.send(StepOnce(1))
        window.tick()

    step()
    messages = messages_of_foxglove(port, step)
    found = next(data for channel, _, data in messages if channel["topic"] == "/joint_states")
    messages.close()
    return list(Messages().read(JOINTS, found).name)


def test_a_viewer_that_is_not_there_is_switched_off(real_window: Make) -> None:
    window = real_window("rack_and_pinion")
    window.preferences._store.setValue("rerun_address", "127.0.0.1:1")
    window.actions_["stream_rerun"].setChecked(True)
    assert "start one with `rerun`" in window.banner.message.text()
    assert not window.actions_["stream_rerun"].isChecked()


def dropped(window: MainWindow, data: QMimeData | None) -> bool:
    """Drag something onto the plots; whether they take it."""
    panel = window.traces_panel._layout
    at, actions, button = QPointF(50, 50), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(at.toPoint(), actions, data, button, Qt.KeyboardModifier.NoModifier)
    enter.ignore()
    QApplication.sendEvent(panel, enter)
    if enter.isAccepted():
        QApplication.sendEvent(panel, QDropEvent(at, actions, data, button, Qt.KeyboardModifier.NoModifier))
    return enter.isAccepted()


def test_a_joint_is_dragged_from_the_tree_onto_the_plots(real_window: Make) -> None:
    window = real_window("four_bar")
    tree, traces = window.model_panel.tree, window.traces_panel
    entries = window.model_panel._items
    traces.check_all(False)
    first, second = "four_bar::crank_joint", "four_bar::rocker_joint"
    for name in (first, second):
        assert dropped(window, tree.mimeData([entries[Item(ItemKind.JOINT, name)]]))
    axes = [info.name for info in window.live.opened.mechanism.axes]
    keys = {series.key for series in traces.legend.visible_series()}
    assert keys == {f"position/{axes.index(name)}" for name in (first, second)}
    assert tree.mimeData([entries[Item(ItemKind.LINK, "four_bar::ground")]]) is None
    assert not dropped(window, QMimeData())
