"""The Joints panel shows what a mechanism can be moved by: as many sliders as freedoms, with the ends that the loop
leaves them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.main_window import MainWindow
from simulator.gui.panels.axis_card import AxisCard
from simulator.gui.units import Units
from simulator.model.profiles import Constant
from simulator.session.commands.commands import Pause, Run, SetDrive, SetPosition
from tests.gui.on_view import START, Hands
from tests.gui.real import real_window
from tests.physics.lengths import five_bar

__all__ = ["real_window"]
LOW, HIGH = (math.acos((d * d - 0.25) / 0.24) - START for d in (0.45, 0.25))
"""Dead points of the rocker of worlds/four_bar.sdf, see test_hands."""


def button_of(hands: Hands, axis: int) -> QPushButton:
    found = hands.window.joints_panel.followers[axis].findChild(QPushButton)
    assert isinstance(found, QPushButton)
    return found


def test_a_four_bar_has_one_slider_and_the_rest_is_folded(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    panel = hands.window.joints_panel
    assert list(panel.cards) == [0]
    assert sorted(panel.followers) == [1, 2, 3]
    assert "3" in panel.fold.text()
    assert not panel.followers[2].isVisible()
    hands.qtbot.mouseClick(panel.fold, Qt.MouseButton.LeftButton)
    assert panel.followers[2].isVisible()
    assert panel.followers[3].findChild(QPushButton) is None  # the axis that closes the loop cannot lead


def test_what_the_document_drives_leads(real_window: Callable[..., MainWindow]) -> None:
    """There are as many cards as freedoms."""
    window = real_window("four_bar", drives=("rocker_joint=velocity:1",))
    assert window.live.opened is not None
    rocker = [axis.joint for axis in window.live.opened.mechanism.axes].index("four_bar::rocker_joint")
    assert window.live.free_axes == (rocker,)
    assert list(window.joints_panel.cards) == [rocker]


def test_another_joint_leads_with_its_dead_points_on_the_track(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    panel = hands.window.joints_panel
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(1.0))))
    hands.frame()
    panel.fold.setChecked(True)
    hands.qtbot.wait(50)
    hands.qtbot.mouseClick(button_of(hands, 2), Qt.MouseButton.LeftButton)
    assert list(panel.cards) == [2]
    assert hands.live.client is not None
    assert hands.live.client.asked_drives == ()  # that of the crank has been let go
    card = panel.cards[2]
    hands.qtbot.waitUntil(card.low_end.isVisible, timeout=300000)  # kernels may have to be compiled
    assert card.slider.reach == pytest.approx((LOW, HIGH), abs=1e-9)
    assert card.slider.ends == pytest.approx((LOW, HIGH), abs=2e-6)
    assert card.low_end.text().endswith("dead point")
    assert card.high_end.text().endswith("dead point")
    assert card.spin.maximum() == pytest.approx(HIGH, abs=1e-3)
    card.slider.setFocus()
    hands.qtbot.keyClick(card.slider, Qt.Key.Key_End)
    hands.qtbot.wait(60)
    hands.frame()
    assert hands.live.snapshot is not None
    assert hands.live.snapshot.position[2] == pytest.approx(HIGH, abs=2e-6)
    assert hands.live.snapshot.worst_loop_residual()[0] <= 1e-12


def test_that_another_joint_leads_is_undone_and_done_again(painted: Callable[[str], Hands]) -> None:
    """With the drive that had to be let go, as one entry of the menu."""
    hands = painted("four_bar")
    panel, live = hands.window.joints_panel, hands.live
    live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(1.0))))
    hands.frame()
    panel.fold.setChecked(True)
    hands.qtbot.wait(50)
    hands.qtbot.mouseClick(button_of(hands, 2), Qt.MouseButton.LeftButton)
    assert live.client is not None
    assert live.undo.stack.undoText() == "Drive rocker_joint instead"
    hands.window.activateWindow()
    hands.qtbot.waitUntil(hands.window.isActiveWindow)
    for key, leading, driven in (
        (Qt.Key.Key_Z, [0], ["four_bar::crank_joint"]),
        (Qt.Key.Key_Y, [2], []),
        (Qt.Key.Key_Z, [0], ["four_bar::crank_joint"]),
    ):
        hands.qtbot.keyClick(hands.view.canvas, key, Qt.KeyboardModifier.ControlModifier)
        hands.frame()
        assert list(panel.cards) == leading
        assert [name for name, _ in live.client.asked_drives] == driven


def test_of_six_freedoms_one_moves_and_the_others_stay(painted: Callable[[str], Hands]) -> None:
    hands = painted("stewart")
    first, *others = hands.window.joints_panel.cards
    hands.window.joints_panel.cards[first].spin.setValue(0.02)
    hands.qtbot.wait(60)
    hands.frame()
    assert hands.live.snapshot is not None
    assert hands.live.snapshot.position[first] == pytest.approx(0.02, abs=1e-9)
    assert hands.live.snapshot.position[others] == pytest.approx([0.0] * len(others), abs=1e-9)


def test_dead_points_of_two_freedoms_go_while_both_move(painted: Callable[[str], Hands], tmp_path: Path) -> None:
    """They are those of the other motor's angle, and come back where both rest."""
    document = tmp_path / "five_bar.sdf"
    document.write_text(five_bar(0.15, 0.2, 0.2), encoding="utf-8")
    hands = painted(str(document.with_suffix("")))
    card = hands.window.joints_panel.cards[0]
    hands.qtbot.waitUntil(card.low_end.isVisible, timeout=300000)
    assert card.low_end.text().endswith("dead point")
    hands.live.send(SetDrive("left_motor", Drive(DriveKind.VELOCITY, Constant(0.5))))
    for command, shown in ((Run(), False), (Pause(), True)):
        hands.live.send(command)

        def as_wanted(shown: bool = shown) -> bool:
            hands.frame()
            return card.low_end.isVisible() is shown

        hands.qtbot.waitUntil(as_wanted, timeout=60000)


def test_an_axis_that_goes_round_counts_turns(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.window.resize(1600, 1000)
    card = hands.window.joints_panel.cards[0]
    hands.live.send(SetPosition(0, 3.0 * math.pi))
    hands.frame()
    hands.qtbot.waitUntil(lambda: (hands.frame(), "1.50 turns" in card.live.text())[1], timeout=5000)
    assert card.slider.wraps


def test_turns_give_way_to_the_name_of_the_axis(painted: Callable[[str], Hands], qtbot: QtBot) -> None:
    """In a narrow card of a long name the tool tip has them."""
    hands = painted("four_bar")
    axis = hands.window.joints_panel.cards[0].axis
    card = AxisCard(0, axis, "a_cycle::wheel_of_the_front_left_spin", hands.window.theme.tokens, Units())
    qtbot.addWidget(card)
    card.resize(320, 120)
    card.show_state(-110.0, 0.0, 0.0)
    assert card.live.text() == "θ = −110.000 rad"
    assert "−17.51 turns" in card.live.toolTip()
    card.resize(900, 120)
    card.show_state(-110.0, 0.0, 0.0)
    assert card.live.text() == "θ = −110.000 rad  (−17.51 turns)"
    card.live.setMinimumWidth(800)  # the room of a longer number, before
    card.show_state(-110.0, 0.0, 0.0)
    assert card.live.text() == "θ = −110.000 rad"
    assert card.live.minimumWidth() < 200, "which the name has now"


def test_six_legs_six_sliders(painted: Callable[[str], Hands]) -> None:
    hands = painted("stewart")
    assert [card.name for card in hands.window.joints_panel.cards.values()] == [f"leg_{n}_slide" for n in range(1, 7)]
