"""While one draws, the sheet answers: freedoms, ranges, paths, assemblies, lengths by names; by mouse and keys."""

from __future__ import annotations

import math

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

import simulator
from simulator.building.drawing.hand import Tool
from simulator.gui.making.length_column import STEPS
from tests.gui.drawing import A0, B0, LEFT, A, B, Pencil, pencil, window

__all__ = ["pencil", "window"]

RIGHT = Qt.MouseButton.RightButton


def length_of(pencil: Pencil, name: str) -> float:
    link = pencil.sheet.plan.link(name)
    assert link is not None
    return link.length


def test_an_empty_sheet_has_no_findings(pencil: Pencil) -> None:
    assert pencil.window.live.path == pencil.path
    assert pencil.window.live.diagnostics == ()
    assert pencil.window.banner.isHidden()


def test_a_bar_alone_hangs_on_nothing(pencil: Pencil) -> None:
    pencil.bars((0.0, 0.0), (0.0, 0.1))
    assert "1 link, 0 joints · mobility 3 by count · it hangs on nothing yet" in pencil.says()


def test_a_four_bar_takes_eight_gestures(pencil: Pencil) -> None:
    """Three bars, two pins on the ground, a motor, and a click on each tool that is not taken yet."""
    pencil.four_bar()
    answers = pencil.window.build.answers
    assert pencil.gestures == 8
    assert (answers.rank, len(answers.paths), len(answers.assemblies)) == (1, 2, 1)
    assert answers.driver is not None
    assert answers.driver.is_full


def test_the_last_bar_is_answered_before_the_mouse_is_let_go(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.bars(A0, A, B)
    pencil.click(Tool.GROUND, A0, B0)
    pencil.take(Tool.BAR)
    pencil.hold(B, B0)
    qtbot.waitUntil(lambda: "crank-rocker" in pencil.says())
    assert pencil.path.read_text().count("<link ") == 2, "nothing is written before the button is up"
    pencil.qtbot.keyClick(pencil.sheet, Qt.Key.Key_Escape)
    assert "crank-rocker" not in pencil.says()


def test_an_end_that_is_dragged_too_far_says_by_how_much_it_misses(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.four_bar()
    for name, length in (("bar_1", "0.1"), ("bar_2", "0.2"), ("bar_3", "0.07")):
        pencil.type(name, length)
        pencil.number(name)
        qtbot.mouseClick(pencil.window.build.card.lock, LEFT)
    before = pencil.path.read_bytes()
    assert before.count(b"<simulator:parameter ") == 3
    pencil.take(Tool.MOVE)
    far = (0.34, -0.17)
    pencil.hold(B0, far)
    excess = math.dist(A0, far) - 0.1 - 0.2 - 0.07
    qtbot.waitUntil(lambda: f"misses by {excess:.4g} m: lengthen" in pencil.says())
    qtbot.mouseRelease(pencil.sheet, LEFT, pos=pencil.at(far))
    assert pencil.path.read_bytes() == before


def test_the_other_assembly_is_a_click_away(pencil: Pencil) -> None:
    pencil.four_bar()
    pencil.number("0", "assembly")
    places = [point.place for point in pencil.sheet.plan.points]
    diagonal = (B0[0] - A[0], B0[1] - A[1])
    share = ((B[0] - A[0]) * diagonal[0] + (B[1] - A[1]) * diagonal[1]) / (diagonal[0] ** 2 + diagonal[1] ** 2)
    mirrored = tuple(2.0 * (a + share * d) - b for a, d, b in zip(A, diagonal, B, strict=True))
    assert min(math.dist(place, mirrored) for place in places) < 1e-9, (
        "reflected in the line from the crank to the pivot"
    )
    assert simulator.load(pencil.path).mobility == 1
    pencil.undo()
    assert pencil.sheet.plan.point_at(B) is not None


def test_names_become_sliders_that_redraw_what_follows(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.four_bar()
    column = pencil.window.build.column
    assert column.isHidden()
    pencil.type("bar_1", "a")
    pencil.type("bar_2", "b = 3*a")
    assert list(column.sliders) == ["a"]
    slider = column.sliders["a"]
    slider.setSliderDown(True)
    slider.setValue(STEPS // 4)
    shown = column._length("a")
    assert length_of(pencil, "bar_1") == pytest.approx(0.1), "the file waits for the handle to be let go"
    slider.setSliderDown(False)
    assert length_of(pencil, "bar_1") == pytest.approx(shown, abs=1e-13)
    assert length_of(pencil, "bar_2") == pytest.approx(3.0 * shown, abs=1e-13)
    assert "b = 3*a" in column._follows.text()
    field = column.fields["a"]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.09")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert length_of(pencil, "bar_2") == pytest.approx(0.27, abs=1e-13)
    text = pencil.path.read_text()
    assert '<simulator:parameter name="a" value="0.09" link="bar_1"/>' in text
    assert '<simulator:parameter name="b" value="3*a" link="bar_2"/>' in text


def test_a_name_that_the_text_gives_another_value_is_redrawn(pencil: Pencil) -> None:
    pencil.bars(A0, A, B)
    pencil.type("bar_1", "a")
    pencil.path.write_bytes(pencil.path.read_bytes().replace(b'name="a" value="0.1"', b'name="a" value="0.07"'))
    pencil.window.actions_["reload"].trigger()
    assert length_of(pencil, "bar_1") == pytest.approx(0.07, abs=1e-13)
    pencil.undo()
    assert length_of(pencil, "bar_1") == pytest.approx(0.1, abs=1e-13)
    assert 'name="a" value="0.07"' in pencil.path.read_text(), "as the text was changed"


def test_a_click_on_a_number_does_nothing_else(pencil: Pencil) -> None:
    pencil.four_bar()
    pencil.number("bar_2")
    assert pencil.window.build.card.isVisible()
    assert "no pin" not in pencil.says(), "the tool is Motor, and the number is on no pin"
    pencil.qtbot.keyClick(pencil.window.build.field, Qt.Key.Key_Escape)
    assert pencil.window.build.card.isHidden()


def test_gears_of_a_module_are_typed(pencil: Pencil) -> None:
    pencil.drag(Tool.GEAR, A0, (0.1, 0.0))
    pencil.drag(Tool.GEAR, (0.15, 0.0), (0.201, 0.0))
    pencil.type("gear_1", "m 2 z 60")
    pencil.type("gear_2", "z 20")
    assert (length_of(pencil, "gear_1"), length_of(pencil, "gear_2")) == (0.06, 0.02)
    assert pencil.window.build.answers.speeds["pin_2"] == pytest.approx(-3.0, abs=1e-12)
    sim = simulator.load(pencil.path)
    sim.run(0.2, drives={"pin_1": simulator.velocity(1.0)})
    turned = sim.positions
    assert turned["drawn::pin_2"] == pytest.approx(-3.0 * turned["drawn::pin_1"], abs=1e-12)


def test_a_belt_a_screw_a_plate_a_weight_and_a_force_are_drawn(pencil: Pencil) -> None:
    pencil.drag(Tool.GEAR, (-0.25, 0.1), (-0.21, 0.1))
    pencil.drag(Tool.GEAR, (-0.1, 0.1), (-0.08, 0.1))
    pencil.drag(Tool.BELT, (-0.24, 0.1), (-0.09, 0.1))
    pencil.drag(Tool.SCREW, (-0.1, -0.1), (0.0, -0.1))
    pencil.click(Tool.PLATE, (0.1, 0.1), (0.2, 0.12), (0.15, 0.0), (0.1, 0.1))
    pencil.click(Tool.GROUND, (0.15, 0.0))
    pencil.click(Tool.WEIGHT, (0.2, 0.12))
    pencil.drag(Tool.FORCE, (0.1, 0.1), (0.1, 0.15))
    pencil.type("weight_1", "2.5", "mass")
    pencil.type("0", "25", "force")
    plan = pencil.sheet.plan
    assert pencil.window.build.answers.rank == plan.freedoms() == 3, "the belt, the screw, the plate"
    assert plan.masses == {"weight_1": 2.5}
    assert plan.forces[0].force == (0.0, 25.0)
    simulator.load(pencil.path).run(0.05)
    pencil.click(Tool.DELETE, (0.1, 0.1))
    assert pencil.sheet.plan.forces == ()


def entry(menu: QMenu, *texts: str) -> QAction:
    found = next(action for action in menu.actions() if action.text() == texts[0])
    inner = found.menu()
    return found if inner is None else entry(inner, *texts[1:])


def test_any_joint_becomes_another_kind_by_its_menu(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.four_bar()
    qtbot.mouseClick(pencil.sheet, RIGHT, pos=pencil.at(B))
    menu = pencil.window.build.menu
    assert menu.isVisible()
    entry(menu, "pin_2 becomes", "Slide").trigger()
    menu.close()
    assert pencil.sheet.plan.kinds["pin_2"] == "prismatic"
    assert "mobility 1 by count · 1 by rank" in pencil.says()
    pencil.undo()
    assert pencil.sheet.plan.kinds["pin_2"] == "revolute"


def test_a_drag_with_the_right_button_pans_and_asks_nothing(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.bars(A0, A)
    before = pencil.at(A0)
    qtbot.mousePress(pencil.sheet, RIGHT, pos=QPoint(300, 300))
    qtbot.mouseMove(pencil.sheet, QPoint(340, 300))
    qtbot.mouseRelease(pencil.sheet, RIGHT, pos=QPoint(340, 300))
    assert not pencil.window.build.menu.isVisible()
    assert pencil.at(A0) - before == QPoint(40, 0)


def test_keys_go_through_the_points_and_move_and_remove_them(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.bars(A0, A, B)
    sheet = pencil.sheet
    sheet.setFocus()
    for expected in sorted((A0, A, B)):
        qtbot.keyClick(sheet, Qt.Key.Key_Tab)
        assert sheet.shown.chosen == expected
    qtbot.keyClick(sheet, Qt.Key.Key_Up)
    qtbot.keyClick(sheet, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    moved = (0.301, 0.21)
    assert sheet.shown.chosen == pytest.approx(moved, abs=1e-12)
    assert sheet.plan.point_at(moved) is not None
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert sheet.shown.chosen is None
    qtbot.keyClick(sheet, Qt.Key.Key_Backtab)
    qtbot.keyClick(sheet, Qt.Key.Key_Delete)
    assert [link.name for link in sheet.plan.links] == ["bar_1"], "the free end of a bar is the bar"


def test_a_bar_and_a_ground_are_drawn_by_keys(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.bars(A0, A, B)
    sheet = pencil.sheet
    sheet.setFocus()
    qtbot.keyClick(sheet, Qt.Key.Key_Tab)
    qtbot.keyClick(sheet, Qt.Key.Key_Return)
    for _ in range(2):
        qtbot.keyClick(sheet, Qt.Key.Key_Tab)
    qtbot.keyClick(sheet, Qt.Key.Key_Return)
    assert length_of(pencil, "bar_3") == pytest.approx(math.dist(A0, B))
    pencil.take(Tool.GROUND)
    sheet.setFocus()
    qtbot.keyClick(sheet, Qt.Key.Key_Backtab)
    qtbot.keyClick(sheet, Qt.Key.Key_Return)
    assert sum(point.is_ground for point in sheet.plan.points) == 1


def test_tab_leaves_the_sheet_behind_the_last_point(pencil: Pencil, qtbot: QtBot) -> None:
    pencil.bars(A0, A)
    pencil.sheet.setFocus()
    for _ in range(3):
        qtbot.keyClick(pencil.sheet, Qt.Key.Key_Tab)
    assert pencil.sheet.shown.chosen is None


def test_a_bar_is_pulled_to_another_layer_and_collides_there(pencil: Pencil, qtbot: QtBot) -> None:
    """Page Down over the coupler, which is in front of both of its neighbours."""
    pencil.four_bar()
    middle = (0.5 * (A[0] + B[0]), 0.5 * (A[1] + B[1]))
    qtbot.mouseMove(pencil.sheet, pencil.at(middle))
    qtbot.keyClick(pencil.sheet, Qt.Key.Key_PageDown)
    assert [link.layer for link in pencil.sheet.plan.links] == [0, 0, 0]
    assert "'bar_1' and 'bar_2' collide, and 1 more: Page Up" in pencil.says()
    pencil.type("bar_2", "2", "layer")
    assert [link.layer for link in pencil.sheet.plan.links] == [0, 2, 0]
    assert "collide" not in pencil.says()
    drag_number(pencil, qtbot, "bar_2", 25)  # downwards: to the back
    assert [link.layer for link in pencil.sheet.plan.links] == [0, 1, 0]
    for _ in range(3):
        pencil.undo()
    assert pencil.path.read_text().count("<link ") == 3
    assert pencil.window.build.answers.collisions == ()


def drag_number(pencil: Pencil, qtbot: QtBot, link: str, down: int) -> None:
    """Drag the number of a layer by so many pixels."""
    pencil.sheet.repaint()
    start = pencil.sheet.number_box(link, "layer").center().toPoint()
    qtbot.mousePress(pencil.sheet, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(pencil.sheet, start + QPoint(0, down))
    qtbot.mouseRelease(pencil.sheet, Qt.MouseButton.LeftButton, pos=start + QPoint(0, down))
