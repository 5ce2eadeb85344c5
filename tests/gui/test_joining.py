"""Links are joined in the view: two places close a chain, a drag lets a joint follow, a click grounds a base; one undo
takes each back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

import simulator
from simulator.building.features import Feature
from simulator.gui.main_window import MainWindow
from simulator.gui.viewport.join_picks import FOLLOW, GROUND
from simulator.session.open.examples import find_file
from tests.gui.drawing import window
from tests.gui.on_view import MOVE, PRESS, RELEASE, Picker
from tests.helpers.built_mechanisms import open_chain

__all__ = ["window"]

GAP = 0.01
"""Between the ends of the chain [m]."""


class Joiner(Picker):
    """A mouse that joins places of a chain of three bars, in a window of 1280 x 800."""

    def place(self, link: str, name: str) -> QPointF:
        return self.pixel(self.picks._place(self.feature(link, name)))

    def feature(self, link: str, name: str) -> Feature:
        return next(item for item in self.picks._features if (item.link, item.name) == (f"chain::{link}", name))

    def click(self, at: QPointF) -> None:
        self.view.canvas.repaint()
        self.mouse(MOVE, at)
        self.mouse(PRESS, at)
        self.mouse(RELEASE, at)

    def drag(self, a: QPointF, b: QPointF) -> None:
        canvas = self.view.canvas
        self.qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=a.toPoint())
        for at in (0.5 * (a + b), b):
            self.qtbot.mouseMove(canvas, at.toPoint())
        self.qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=b.toPoint())

    def says(self) -> str:
        return self.bar.says.text()


@pytest.fixture
def joiner(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Joiner:
    """Joining is on, over a chain that lacks its last pin."""
    m = open_chain(GAP)
    m.link("loose", simulator.box((0.05, 0.05, 0.05)), pose=(0.5, 0, 0.1))
    path = m.save(tmp_path / "chain.sdf")
    window.live.open(path)
    window.viewport.standard_view("front")
    made = Joiner(window, qtbot, path)
    made.frame()
    window.actions_["join"].trigger()
    assert made.bar.isVisible()
    return made


def test_two_clicks_close_a_chain_and_one_undo_opens_it(joiner: Joiner) -> None:
    before = joiner.path.read_bytes()
    joiner.click(joiner.place("coupler", "axis of bar_3"))
    assert joiner.picks.first == joiner.feature("coupler", "axis of bar_3")
    joiner.click(joiner.place("rocker", "axis of bar_3"))
    assert "'hinge_1' closes a loop: 9 → 7 freedoms. It was open by 0.01 m" in joiner.says()
    assert simulator.edit(joiner.path).joints["hinge_1"].type == "revolute"
    kept = before.partition(b"  <world")[2].partition(b"    </model>")[0]
    assert kept in joiner.path.read_bytes(), "the rest stays"
    joiner.window.actions_["undo"].trigger()
    joiner.qtbot.wait(1)
    assert joiner.path.read_bytes() == before


def test_what_cannot_meet_is_said_and_nothing_is_written(joiner: Joiner) -> None:
    before = joiner.path.read_bytes()
    joiner.take("ball")
    joiner.drag(joiner.place("crank", "joint 'b'"), joiner.place("rocker", "joint 'd'"))
    assert "apart; they miss by 0.15 m where they come nearest; change a length" in joiner.says()
    assert joiner.bar.says.property("level") == "error"
    assert joiner.path.read_bytes() == before


def test_a_drag_from_a_joint_to_another_one_makes_it_follow(joiner: Joiner) -> None:
    joiner.take(FOLLOW)
    joiner.drag(joiner.place("crank", "joint 'a'"), joiner.place("rocker", "joint 'd'"))
    assert "'d' follows 'a', 1 to 1" in joiner.says()
    assert simulator.edit(joiner.path).joints["d"].get("axis/mimic@joint") == "a"
    joiner.drag(joiner.place("crank", "joint 'a'"), joiner.place("rocker", "joint 'd'"))
    assert joiner.bar.says.property("level") == "error", "it follows already"


def test_a_click_grounds_a_base(joiner: Joiner) -> None:
    joiner.take(GROUND)
    joiner.click(joiner.pixel((0.5, 0.0, 0.1)))
    assert "'loose' is on the ground, by 'ground_1'" in joiner.says()
    joiner.click(joiner.pixel((0.15, 0.0, 0.15)))
    assert "'coupler' hangs on the ground already, by joint 'b'" in joiner.says()


def test_escape_gives_up_the_first_place_and_then_joining(joiner: Joiner) -> None:
    joiner.click(joiner.place("coupler", "axis of bar_3"))
    joiner.window.activateWindow()
    joiner.qtbot.waitUntil(joiner.window.isActiveWindow)
    joiner.view.canvas.setFocus()
    joiner.qtbot.keyClick(joiner.view.canvas, Qt.Key.Key_Escape)
    assert joiner.picks.first is None
    assert joiner.window.actions_["join"].isChecked()
    joiner.qtbot.keyClick(joiner.view.canvas, Qt.Key.Key_Escape)
    assert not joiner.window.actions_["join"].isChecked()
    assert joiner.bar.isHidden()
    assert joiner.view.navigator.hand is joiner.view.hand


def test_an_example_is_not_changed(joiner: Joiner) -> None:
    joiner.live.open(find_file("four_bar"))
    joiner.view.standard_view("front")
    joiner.frame()
    joiner.take("ball")
    places = [item for item in joiner.picks._features if item.joint.endswith(("crank_joint", "rocker_joint"))]
    ends = [next(item for item in places if item.link.endswith(link)) for link in ("crank", "rocker")]
    joiner.drag(*(joiner.pixel(joiner.picks._place(item)) for item in ends))
    assert "this file comes with the program" in joiner.says().lower()
