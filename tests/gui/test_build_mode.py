"""Mechanisms drawn with the mouse on an empty sheet; each moves as the same mechanism written in Python."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

import simulator
from simulator.building.drawing.hand import Tool
from simulator.building.shapes import bar, box, cylinder
from simulator.gui.main_window import MainWindow
from simulator.session.commands.commands import StepOnce
from tests.gui.drawing import A0, B0, LEFT, A, B, Pencil, Place, pencil, window
from tests.helpers.repository import ROOT

__all__ = ["pencil", "window"]

NORMAL = (0.0, -1.0, 0.0)


class Twin:
    """The same mechanism, written in Python."""

    def __init__(self) -> None:
        self.draft = simulator.new("drawn")
        self.bars = self.pins = 0

    def bar(self, a: Place, b: Place, layer: int = 0) -> None:
        self.bars += 1
        shape = bar(point(a), point(b), width=0.02, normal=NORMAL, offset=0.01 * layer)
        self.draft.link(f"bar_{self.bars}", shape)

    def pin(self, parent: str, child: str, at: Place) -> None:
        self.pins += 1
        self.draft.revolute(f"pin_{self.pins}", parent, child, at=point(at), axis=NORMAL)

    def wheel(self, number: int, at: Place, radius: float) -> None:
        self.draft.link(f"gear_{number}", cylinder(radius, 0.01, point(at), axis=NORMAL))
        self.pin("world", f"gear_{number}", at)


def point(place: Place) -> tuple[float, float, float]:
    return (place[0], 0.0, place[1])


def moved(sim: simulator.Simulation, drives: dict[str, simulator.Drive], seconds: float) -> dict[str, np.ndarray]:
    sim.run(seconds, drives=drives)
    return {name.split("::")[-1]: sim.pose(name) for name in sim.links}


def assert_moves_as(pencil: Pencil, twin: Twin, driven: str, rate: float = 2.0, seconds: float = 1.2) -> None:
    """Both are integrated by the same steps; what differs is round-off of the places that the mouse gave."""
    drives = {driven: simulator.velocity(rate)}
    drawn = moved(simulator.load(pencil.path), drives, seconds)
    expected = moved(twin.draft.simulate(), drives, seconds)
    assert drawn.keys() == expected.keys()
    start = {name.split("::")[-1]: pose for name, pose in start_poses(pencil).items()}
    assert any(np.abs(drawn[name] - start[name]).max() > 0.01 for name in drawn), "it moves"
    for name, pose in drawn.items():
        assert pose == pytest.approx(expected[name], abs=1e-12), name


def start_poses(pencil: Pencil) -> dict[str, np.ndarray]:
    sim = simulator.load(pencil.path)
    return {name: sim.pose(name) for name in sim.links}


def twin_four_bar() -> Twin:
    twin = Twin()
    for a, b, layer in ((A0, A, 0), (A, B, 1), (B, B0, 0)):
        twin.bar(a, b, layer)
    for parent, child, at in (
        ("bar_1", "bar_2", A),
        ("bar_2", "bar_3", B),
        ("world", "bar_1", A0),
        ("world", "bar_3", B0),
    ):
        twin.pin(parent, child, at)
    return twin


def test_the_sheet_stays_in_place_while_one_draws(window: MainWindow, pencil: Pencil, qtbot: QtBot) -> None:
    """The first bar makes a simulation of the document: neither a time line nor the news that it is read moves the
    sheet below the mouse, and a sheet that was lower for a while is as it was."""
    height = pencil.sheet.height()
    pencil.bars(A0, A)
    qtbot.waitUntil(lambda: window.live.snapshot is not None)
    window.announcements._show_opening(pencil.path)
    assert not window.announcements._timer.isActive()
    qtbot.wait(10)
    assert not window.time_bar.isVisible()
    assert abs(pencil.sheet.height() - height) <= 1, "the status bar has other parts"
    before = pencil.sheet.pixel(B)
    for lower in (60, 0):
        pencil.sheet.setFixedHeight(height - lower)
        qtbot.waitUntil(lambda lower=lower: pencil.sheet.height() == height - lower)  # type: ignore[misc]
    after = pencil.sheet.pixel(B)
    assert (after.x(), after.y()) == pytest.approx((before.x(), before.y()), abs=1.0)


def test_a_four_bar_is_drawn_and_runs(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.four_bar()
    assert "mobility 1 by count" in pencil.says()
    assert "1 by rank" in pencil.says()
    assert "crank-rocker" in pencil.says()
    assert_moves_as(pencil, twin_four_bar(), "pin_3")
    live = pencil.window.live
    pencil.window.actions_["run"].trigger()
    assert not pencil.window.build.is_on
    assert not pencil.window.actions_["build"].isChecked()
    live.send(StepOnce(100))
    pencil.window.tick()
    assert live.snapshot is not None
    assert live.snapshot.time == pytest.approx(0.1)
    assert np.abs(live.snapshot.position).max() > 0.05, "the motor of the document drives it"


def test_a_slider_crank_is_drawn(pencil: Pencil) -> None:
    end = (0.3, 0.0)
    pencil.bars(A0, A, end)
    pencil.click(Tool.GROUND, A0)
    pencil.drag(Tool.SLIDER, end, (0.4, 0.0))
    pencil.click(Tool.MOTOR, A0)
    assert "mobility 1 by count" in pencil.says()
    twin = Twin()
    twin.bar(A0, A)
    twin.bar(A, end, 1)
    twin.pin("bar_1", "bar_2", A)
    twin.pin("world", "bar_1", A0)
    twin.draft.link("slider_1", box((0.036, 0.01, 0.024), (0.3, 0.01, 0.0)))
    twin.draft.prismatic("slide_1", "world", "slider_1", at=point(end), axis=(1.0, 0.0, 0.0))
    twin.pin("bar_2", "slider_1", end)
    assert_moves_as(pencil, twin, "pin_2")


def test_a_six_bar_of_watt_is_drawn(pencil: Pencil) -> None:
    """A second four-bar on a pin in the middle of the first one's rocker and ground."""
    middle, top, foot = (0.28, 0.12), (0.45, 0.2), (0.45, 0.0)
    pencil.four_bar()
    pencil.bars(middle, top, foot)
    pencil.click(Tool.GROUND, foot)
    assert "5 links, 7 joints" in pencil.says()
    assert "mobility 1 by count" in pencil.says()
    twin = twin_four_bar()
    twin.bar(middle, top)
    twin.pin("bar_3", "bar_4", middle)
    twin.bar(top, foot, 1)
    twin.pin("bar_4", "bar_5", top)
    twin.pin("world", "bar_5", foot)
    assert_moves_as(pencil, twin, "pin_3", seconds=0.8)


def test_wheels_that_touch_mesh(pencil: Pencil) -> None:
    pencil.drag(Tool.GEAR, A0, (0.1, 0.0))
    pencil.drag(Tool.GEAR, (0.15, 0.0), (0.201, 0.0))
    assert "mobility 1 by count" in pencil.says()
    twin = Twin()
    twin.wheel(1, A0, 0.1)
    twin.wheel(2, (0.15, 0.0), 0.05)
    twin.draft.gear("mesh_1", "gear_1", "gear_2", ratio=2.0)
    assert_moves_as(pencil, twin, "pin_1")


def test_a_rack_meshes_with_the_wheel_that_it_touches(pencil: Pencil) -> None:
    pencil.drag(Tool.GEAR, A0, (0.1, 0.0))
    pencil.drag(Tool.RACK, (-0.2, -0.1), (0.2, -0.1))
    twin = Twin()
    twin.wheel(1, A0, 0.1)
    twin.draft.link("rack_1", bar((-0.2, 0.0, -0.1), (0.2, 0.0, -0.1), width=0.01, normal=NORMAL))
    twin.draft.prismatic("slide_1", "world", "rack_1", at=(-0.2, 0.0, -0.1), axis=(1.0, 0.0, 0.0))
    twin.draft.mimic("slide_1", "pin_1", multiplier=0.1)
    assert_moves_as(pencil, twin, "pin_1", seconds=0.5)
    sim = simulator.load(pencil.path)
    sim.run(0.5, drives={"pin_1": simulator.velocity(2.0)})
    turned = sim.positions["drawn::pin_1"]
    assert sim.positions["drawn::slide_1"] == pytest.approx(0.1 * turned, abs=1e-12), "it rolls: way = radius * angle"


def test_every_gesture_is_one_undo_and_in_the_file_at_once(pencil: Pencil) -> None:
    empty = pencil.path.read_bytes()
    pencil.bars(A0, A)
    one = pencil.path.read_bytes()
    assert b'<link name="bar_1">' in one
    pencil.bars(A, B)
    two = pencil.path.read_bytes()
    pencil.undo()
    assert pencil.path.read_bytes() == one
    assert len(pencil.sheet.plan.links) == 1
    pencil.undo()
    assert pencil.path.read_bytes() == empty
    assert pencil.sheet.plan.links == ()
    for expected in (one, two):
        pencil.window.actions_["redo"].trigger()
        pencil.qtbot.wait(1)
        assert pencil.path.read_bytes() == expected
    assert pencil.window.build.is_on


def test_a_length_is_typed_and_an_end_is_dragged(pencil: Pencil) -> None:
    pencil.four_bar()
    pencil.take(Tool.MOVE)
    pencil.sheet.repaint()
    box_of_number = pencil.sheet.number_box("bar_2")
    pencil.qtbot.mouseClick(pencil.sheet, LEFT, pos=box_of_number.center().toPoint())
    field = pencil.window.build.field
    assert field.isVisible()
    field.selectAll()
    pencil.qtbot.keyClicks(field, "0.35")
    pencil.qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not field.isVisible()
    bar_2 = pencil.sheet.plan.link("bar_2")
    assert bar_2 is not None
    assert bar_2.length == pytest.approx(0.35, abs=1e-12)
    mass = float(simulator.building.draft.edit(pencil.path).links["bar_2"].get("inertial/mass"))
    assert mass == pytest.approx(2700.0 * 0.01 * (0.35 * 0.02 + math.pi * 0.01**2), rel=1e-12), "box and two half discs"
    pencil.drag(Tool.MOVE, B0, (0.2, -0.05))
    bar_3 = pencil.sheet.plan.link("bar_3")
    assert bar_3 is not None
    assert (0.2, -0.05) in [pytest.approx(place) for place in bar_3.places]
    assert simulator.load(pencil.path).mobility == 1


def test_what_cannot_be_is_refused_in_words_and_changes_nothing(pencil: Pencil) -> None:
    pencil.four_bar()
    before = pencil.path.read_bytes()
    pencil.drag(Tool.BAR, A, B)
    assert "joins these two points already" in pencil.says()
    pencil.click(Tool.GROUND, A0)
    assert "on the ground already" in pencil.says()
    pencil.click(Tool.MOTOR, (-0.1, 0.2))
    assert "no pin or slide here" in pencil.says()
    pencil.click(Tool.DELETE, (-0.1, 0.2))
    assert "nothing to delete" in pencil.says()
    assert pencil.path.read_bytes() == before


def test_escape_gives_up_a_bar_and_two_clicks_draw_one(pencil: Pencil) -> None:
    pencil.click(Tool.BAR, A0)
    assert pencil.sheet.hand.is_drawing
    pencil.qtbot.keyClick(pencil.sheet, Qt.Key.Key_Escape)
    assert not pencil.sheet.hand.is_drawing
    pencil.click(Tool.BAR, A0)
    pencil.qtbot.mouseMove(pencil.sheet, pencil.at(A))
    pencil.qtbot.mouseClick(pencil.sheet, LEFT, pos=pencil.at(A))
    assert [link.length for link in pencil.sheet.plan.links] == [pytest.approx(0.1)]


def test_deleting_takes_what_hangs_on_it(pencil: Pencil) -> None:
    pencil.four_bar()
    pencil.click(Tool.DELETE, (0.0, 0.05))
    text = pencil.path.read_text()
    assert "bar_1" not in text
    assert pencil.says().startswith("Gone: bar_1, "), "it names what hung on it"
    assert "pin_3" in pencil.says()
    assert "simulator:drive" not in text, "its motor is gone with its pin"
    assert {link.name for link in pencil.sheet.plan.links} == {"bar_2", "bar_3"}


def test_an_example_is_not_drawn_in_but_says_what_to_do(window: MainWindow, qtbot: QtBot) -> None:
    window.live.open(ROOT / "worlds" / "four_bar.sdf")
    qtbot.waitUntil(lambda: window.live.opened is not None)
    window.actions_["build"].trigger()
    assert not window.build.is_on
    assert not window.actions_["build"].isChecked()
    assert "makes a copy to draw in" in window.banner.message.text()


def test_a_copy_of_an_example_is_drawn_in(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    copy = tmp_path / "four_bar.sdf"
    copy.write_bytes((ROOT / "worlds" / "four_bar.sdf").read_bytes())
    window.live.open(copy)
    qtbot.waitUntil(lambda: window.live.opened is not None)
    window.actions_["build"].trigger()
    assert window.build.is_on
    assert not window.actions_["step"].isEnabled(), "time stands"
    assert "1 by rank" in window.build.says.text()
    window.actions_["build"].trigger()
    assert not window.build.is_on
    assert window.live.opened is not None


def test_a_motor_that_is_removed_drives_nothing(pencil: Pencil) -> None:
    pencil.four_bar()
    pencil.click(Tool.MOTOR, A0)
    assert "simulator:drive" not in pencil.path.read_text()
    pencil.window.tick()
    client = pencil.window.live.client
    assert client is not None
    assert all(drive is None for _, drive in client.asked_drives)


def test_a_length_is_typed_in_millimetres(pencil: Pencil) -> None:
    pencil.bars(A0, A)
    pencil.window.actions_["millimetres"].setChecked(True)
    pencil.sheet.repaint()
    pencil.qtbot.mouseClick(pencil.sheet, LEFT, pos=pencil.sheet.number_box("bar_1").center().toPoint())
    field = pencil.window.build.field
    assert field.text() == "100"
    field.selectAll()
    pencil.qtbot.keyClicks(field, "125")
    pencil.qtbot.keyClick(field, Qt.Key.Key_Return)
    assert pencil.sheet.plan.links[0].length == pytest.approx(0.125, abs=1e-15)


def test_space_runs_what_was_drawn_and_the_key_leads_back(pencil: Pencil) -> None:
    pencil.four_bar()
    pencil.window.actions_["run"].trigger()
    assert not pencil.window.build.is_on
    pencil.window.live.send(StepOnce(50))
    pencil.window.tick()
    pencil.window.actions_["build"].trigger()
    assert pencil.window.build.is_on
    pencil.window.tick()
    snapshot = pencil.window.live.snapshot
    assert snapshot is not None
    assert snapshot.time == 0.0, "the sheet shows the start, and the simulation is there"


def test_another_document_leaves_the_sheet(pencil: Pencil, tmp_path: Path) -> None:
    pencil.four_bar()
    other = tmp_path / "other.sdf"
    other.write_bytes((ROOT / "worlds" / "four_bar.sdf").read_bytes())
    pencil.window.open_path(other)
    assert not pencil.window.build.is_on
    assert not pencil.window.actions_["build"].isChecked()
    assert pencil.window.actions_["step"].isEnabled()
