"""Mechanisms in space that are drawn with the mouse: the sheet folds, axes tilt, and the sheet lies on a body."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPointF
from pytestqt.qtbot import QtBot

import simulator
from simulator.building.drawing.hand import Gesture, Tool
from simulator.building.drawing.plan import FRONT
from simulator.gui.main_window import MainWindow
from tests.gui.drawing import Pencil, Place, pencil, window
from tests.gui.on_view import MOVE, PRESS, RELEASE, Hands

__all__ = ["pencil", "window"]

A, B, C, D = (0.0, 0.0), (0.2, 0.1), (0.3, 0.0), (0.1, -0.1)
"""A parallelogram; folded about its diagonal from A to C it has the corners of a Bennett linkage."""


def fold(pencil: Pencil, a: Place, b: Place, angle: str) -> None:
    """Fold the sheet about a line."""
    pencil.drag(Tool.FOLD, a, b)
    field = pencil.window.build.field
    assert field.isVisible()
    field.setText(angle)
    field.entered.emit(angle)


def tilt_across(pencil: Pencil, place: Place) -> None:
    """Drag the axis of a pin beside the handle of the one that is across both links: it snaps."""
    hand = pencil.sheet.hand
    joint = hand.plan.point_at(place).joints[0]  # type: ignore[union-attr]
    x, y = hand.handle_place(place, hand.plan.across[joint][0])
    pencil.drag(Tool.TILT, place, (x + 0.3 * hand.reach, y - 0.2 * hand.reach))


def test_a_bennett_linkage_is_drawn(pencil: Pencil, qtbot: QtBot) -> None:
    """Opposite sides of the skew quadrilateral are alike, and each axis is across both of its bars: then it moves (G.
    Bennett, A New Mechanism, 1903), although the count says -2, and a / sin(alpha) = b / sin(beta)."""
    pencil.bars(A, B, C)
    fold(pencil, A, C, "60")
    assert pencil.window.build.bar.planes.currentText() == "Folded by 60°"
    pencil.bars(C, D)
    pencil.click(Tool.GROUND, D, A)
    for place in (A, C):
        tilt_across(pencil, place)
    assert "mobility -2 by count" in pencil.says().replace("−", "-")
    assert "1 by rank" in pencil.says()
    pencil.click(Tool.MOTOR, A)
    assert pencil.gestures <= 16
    sim = simulator.load(pencil.path)
    axes = {name: np.array(axis) for name, axis in _axes(pencil.path).items()}
    twists = [math.asin(np.linalg.norm(np.cross(axes[one], axes[two]))) for one, two in
              (("pin_4", "pin_1"), ("pin_1", "pin_2"), ("pin_2", "pin_3"), ("pin_3", "pin_4"))]  # fmt: skip
    a, b = math.hypot(0.2, 0.1), math.hypot(0.1, 0.1)
    assert twists == pytest.approx([twists[0], twists[1], twists[0], twists[1]], abs=1e-9), "opposite ones are alike"
    assert a / math.sin(twists[0]) == pytest.approx(b / math.sin(twists[1]), rel=1e-9)
    swept = sim.analyse({"pin_4": (0.0, 2.0 * math.pi)}, points=19, loads=False)
    start = np.array((0.3, 0.0, 0.0))
    places = swept.point("bar_2", tuple(start))[0]
    assert np.linalg.norm(places[-1] - start) < 1e-6, "back after a full turn"
    assert np.ptp(places, axis=0).min() > 0.01, "a path in space"


def _axes(path: Path) -> dict[str, tuple[float, float, float]]:
    from simulator.session.open.opening import open_document

    model = next(model for model in open_document(path).world.models)
    return {joint.name.rpartition("::")[2]: joint.axes[0].xyz_world for joint in model.joints}


def test_a_bevel_pair_is_drawn(pencil: Pencil) -> None:
    """Pitch circles that touch across a fold roll on each other: the point of contact is as fast on both wheels."""
    pencil.drag(Tool.GEAR, (0.0, 0.0), (0.06, 0.0))
    pencil.click(Tool.MOTOR, (0.0, 0.0))
    fold(pencil, (0.06, 0.0), (0.06, 0.08), "90")
    pencil.drag(Tool.GEAR, (0.1, 0.0), (0.062, 0.0))
    assert "1 by rank" in pencil.says()
    sim = simulator.load(pencil.path)
    assert sorted(pencil.window.build.sheet.plan.bevels) == ["gear_2"]
    text = pencil.path.read_text()
    assert all(f"bevel_m4_z{one}_{two}" in text for one, two in ((30, 20), (20, 30))), "teeth of a standard module"
    sim.run(0.25, drives={"pin_1": simulator.velocity(2.0)})
    axes = _axes(pencil.path)
    contact = np.array((0.06, 0.0, 0.0))
    speeds = []
    for joint, centre in (("pin_1", (0.0, 0.0, 0.0)), ("pin_2", (0.06, 0.04, 0.0))):
        rate = sim.velocities[joint]
        speeds.append(rate * np.cross(axes[joint], contact - centre))
    assert speeds[0] == pytest.approx(speeds[1], abs=1e-9)
    assert np.linalg.norm(speeds[0]) == pytest.approx(2.0 * 0.06, rel=1e-6)


@pytest.fixture
def robot(window: MainWindow, tmp_path: Path) -> Path:
    """An arm whose flange is a block at its end, turned and away from the origin."""
    m = simulator.new("robot")
    arm = m.link("arm", simulator.box((0.4, 0.06, 0.06), at=(0.2, 0.0, 0.0)))
    m.link("flange", simulator.box((0.1, 0.1, 0.1)), pose=(0.45, 0.0, 0.0, 0.0, 0.3, 0.0))
    m.revolute("shoulder", m.world, arm, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("wrist", arm, "flange", at=(0.4, 0, 0), axis=(0, 1, 0), relative_to="__model__")
    path = m.save(tmp_path / "robot.sdf")
    window.live.open(path)
    window.viewport.standard_view("front")
    return path


def test_the_sheet_lies_on_a_face_of_a_body(window: MainWindow, qtbot: QtBot, robot: Path) -> None:
    """What is drawn there hangs on that link, in its frame; the rest of the document stays as it is."""
    before = robot.read_text()
    window.actions_["build"].trigger()
    build = window.build
    planes = build.bar.planes
    planes.setCurrentIndex(planes.findText("On a face…"))
    planes.activated.emit(planes.currentIndex())
    assert window.viewport.isVisible()
    assert not build.isVisible()
    hands = Hands(window, qtbot)
    hands.frame()
    picks = window.viewport.join
    face = next(item for item in picks._features if item.link == "robot::flange" and item.name == "face -y")
    at = QPointF(hands.pixel(picks._place(face)))
    for kind in (MOVE, PRESS, RELEASE):
        hands.mouse(kind, at)
    assert build.isVisible()
    assert planes.currentText() == "flange"
    pencil = Pencil(window, robot, qtbot)
    pencil.bars((0.0, 0.0), (0.04, 0.0), (0.04, 0.04))
    pencil.click(Tool.GROUND, (0.0, 0.0))
    text = robot.read_text()
    assert '<pose relative_to="flange">' in text
    assert "<parent>flange</parent>" in text
    assert all(line in text for line in before.splitlines()), "the arm stays as it is written"
    sim = simulator.load(robot)
    start = {name: sim.pose(name) for name in ("flange", "bar_1")}
    assert start["flange"] == pytest.approx(start["bar_1"], abs=1e-12)
    sim.run(0.2, drives={"shoulder": simulator.velocity(1.0)})
    pin = np.array((0.0, -0.05, 0.0, 1.0))
    assert sim.pose("bar_1") @ pin == pytest.approx(sim.pose("flange") @ pin, abs=1e-9), "pinned to the flange"
    assert np.abs(sim.pose("bar_1") - start["bar_1"]).max() > 0.05
    pencil.undo()
    pencil.undo()
    pencil.undo()
    assert robot.read_text() == before, "one undo for each gesture"


def test_an_axis_is_tilted_by_a_number(pencil: Pencil) -> None:
    """About the first bar that the pin holds; a click on the angle changes it, and zero degrees are no tilt."""
    pencil.bars((0.0, 0.0), (0.1, 0.0), (0.1, 0.1))
    build = pencil.window.build
    build.menu._edit(("tilt", "pin_1"))
    build.field.entered.emit("30")
    assert _axes(pencil.path)["pin_1"] == pytest.approx((0.0, -math.cos(math.pi / 6), 0.5), abs=1e-12)
    pencil.type("pin_1", "45°", "tilt")
    assert math.hypot(*pencil.sheet.plan.tilts["pin_1"]) == pytest.approx(math.sin(math.pi / 4), abs=1e-12)
    pencil.type("pin_1", "120", "tilt")
    assert "at most 90 degrees, not 120" in pencil.says()
    pencil.type("pin_1", "0", "tilt")
    assert pencil.sheet.plan.tilts == {}


def test_the_sheet_comes_back_from_the_view(window: MainWindow, robot: Path) -> None:
    """Where no face is picked it stays in its plane; where its body is gone it is the front again."""
    window.actions_["build"].trigger()
    build = window.build
    build.face_wanted.emit()
    assert not build.isVisible()
    window.viewport.join_bar.done.click()
    assert build.isVisible()
    assert build.bar.planes.currentData() == "front"
    build.lay_on(simulator.edit(robot).features("flange")["face -y"])
    assert build.bar.planes.currentText() == "flange"
    build.apply(Gesture("Deletion", lambda draft: draft.delete("flange", everything=True)))
    assert build.bar.planes.currentData() == "front"
    assert build.sheet.plan.plane == FRONT


def test_wheels_of_two_planes_stay_where_they_mesh(pencil: Pencil) -> None:
    pencil.drag(Tool.GEAR, (0.0, 0.0), (0.06, 0.0))
    fold(pencil, (0.06, 0.0), (0.06, 0.08), "90")
    pencil.drag(Tool.GEAR, (0.1, 0.0), (0.06, 0.0))
    before = pencil.path.read_bytes()
    pencil.drag(Tool.MOVE, (0.1, 0.0), (0.12, 0.0))
    assert "'gear_2' meshes with a wheel of another plane" in pencil.says()
    pencil.drag(Tool.TILT, (0.1, 0.0), (0.14, 0.03))
    assert "'gear_2' meshes: its axis stays across the plane" in pencil.says()
    assert pencil.path.read_bytes() == before


def bennett(pencil: Pencil) -> None:
    """Draw one, with both grounds and the axes across its bars."""
    pencil.bars(A, B, C)
    fold(pencil, A, C, "60")
    pencil.bars(C, D)
    pencil.click(Tool.GROUND, D, A)
    for place in (A, C):
        tilt_across(pencil, place)


def lengths_of(path: Path) -> dict[str, float]:
    """Of the bars, by the places of their ends when the document is opened."""
    sim = simulator.load(path)
    return {
        bar: float(np.linalg.norm(sim.pose(f"bar_{bar}_b")[:3, 3] - sim.pose(f"bar_{bar}_a")[:3, 3])) for bar in "123"
    }


def test_a_length_is_typed_across_sheets_and_the_loop_is_assembled(pencil: Pencil) -> None:
    """Bars 1 and 3 lie in two sheets and have one name: where their length changes, the axes go with the bars, so that
    it is a Bennett linkage again, which turns fully."""
    bennett(pencil)
    long, short = math.hypot(0.2, 0.1), math.hypot(0.1, 0.1)
    pencil.type("bar_3", "a")
    pencil.type("bar_1", "a")
    pencil.type("bar_2", f"b = {short!r}")
    assert lengths_of(pencil.path) == pytest.approx({"1": long, "2": short, "3": long}, abs=1e-12)
    pencil.type("bar_3", "0.24")
    assert lengths_of(pencil.path) == pytest.approx({"1": 0.24, "2": short, "3": 0.24}, abs=1e-12)
    assert "1 by rank" in pencil.says()
    swept = simulator.load(pencil.path).analyse({"pin_4": (0.0, 2.0 * math.pi)}, points=19, loads=False)
    start = simulator.load(pencil.path).pose("bar_2_b")[:3, 3]
    places = swept.point("bar_2", tuple(start))[0]
    assert np.linalg.norm(places[-1] - start) < 1e-6, "back after a full turn"
    assert np.ptp(places, axis=0).min() > 0.01, "a path in space"


def test_a_point_of_both_sheets_is_dragged(pencil: Pencil) -> None:
    """The bars of both sheets follow it, and so do their axes; one that is locked keeps its length, and one undo takes
    all of it back. Bars that have left every sheet are seen with their ends, which can be dragged from any."""
    bennett(pencil)
    pencil.number("bar_1")
    pencil.window.build.card.lock.click()
    before = pencil.path.read_bytes()
    kept = lengths_of(pencil.path)
    pencil.drag(Tool.MOVE, C, (0.32, -0.02))
    after = lengths_of(pencil.path)
    assert after["1"] == pytest.approx(kept["1"], abs=1e-12)
    assert after["3"] == pytest.approx(math.dist((0.32, -0.02), D), abs=1e-12), "both are in the folded sheet"
    placed = {name: simulator.load(pencil.path).pose(f"bar_{name}")[:3, 3] for name in ("1_b", "2_a", "2_b", "3_a")}
    assert placed["1_b"] == pytest.approx(placed["2_a"], abs=1e-12)
    assert placed["2_b"] == pytest.approx(placed["3_a"], abs=1e-12)
    across = np.cross(placed["1_b"], placed["2_b"] - placed["2_a"])
    axis = np.array(_axes(pencil.path)["pin_1"])
    assert np.linalg.norm(np.cross(axis, across)) < 1e-9, "across the bars, as before"
    pencil.window.build.bar.planes.setCurrentIndex(0)
    pencil.window.build.bar.planes.activated.emit(0)
    outside = pencil.sheet.plan.outside
    assert len(outside) == 2, "C and D"
    moved = max(outside, key=lambda number: outside[number][0])
    x, y = outside[moved]
    depth = pencil.sheet.plan.plane.depth(pencil.sheet.plan.skeleton.points[moved])  # type: ignore[union-attr]
    pencil.drag(Tool.MOVE, (x, y), (0.3, 0.02))
    assert pencil.sheet.plan.outside[moved] == pytest.approx((0.3, 0.02), abs=1e-9)
    assert pencil.sheet.plan.plane.depth(pencil.sheet.plan.skeleton.points[moved]) == pytest.approx(depth, abs=1e-12)  # type: ignore[union-attr]
    pencil.undo()
    pencil.undo()
    assert pencil.path.read_bytes() == before


def test_a_plate_does_not_follow_into_another_sheet(pencil: Pencil) -> None:
    pencil.click(Tool.PLATE, (0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (0.0, 0.0))
    fold(pencil, (0.0, 0.0), (0.1, 0.0), "90")
    pencil.bars((0.1, 0.0), (0.1, 0.1))
    before = pencil.path.read_bytes()
    pencil.drag(Tool.MOVE, (0.1, 0.0), (0.15, 0.02))
    assert "'plate_1' is no bar: it does not follow a point into another plane" in pencil.says()
    assert pencil.path.read_bytes() == before


def test_sheets_that_were_folded_are_in_the_list(pencil: Pencil) -> None:
    pencil.bars((0.0, 0.0), (0.1, 0.0))
    planes = pencil.window.build.bar.planes
    for line in (((0.0, 0.0), (0.1, 0.0)), ((0.1, 0.0), (0.1, 0.1))):
        planes.setCurrentIndex(0)
        planes.activated.emit(0)
        fold(pencil, *line, "90")
    assert [planes.itemText(row) for row in range(4, planes.count())] == ["Folded by 90°", "Folded by 90° (2)"]
    second = pencil.sheet.plan.plane
    planes.setCurrentIndex(4)
    planes.activated.emit(4)
    assert pencil.sheet.plan.plane == FRONT.folded((0.0, 0.0), (0.1, 0.0), math.pi / 2.0) != second
