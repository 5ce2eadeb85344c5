"""Numbers on the drawing: where they are, what they say, and how they are changed with mouse and keys."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QFont, QHelpEvent, QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QToolTip

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.current_laws import CurrentLaws
from simulator.gui.selection import Item, ItemKind
from simulator.gui.viewport.dimension_drawing import AWAY, DimensionDrawing
from simulator.gui.viewport.dimension_fields import DimensionFields
from simulator.gui.viewport.dimension_lines import marks_of
from simulator.gui.viewport.dimension_numbers import Number
from simulator.gui.viewport.dimension_plan import Drawing
from simulator.gui.viewport.painter_view import PainterView
from simulator.mechanism.types import Mechanism
from simulator.model.profiles import Constant
from simulator.rendering.camera import Camera
from simulator.session.commands.commands import SetDrive, SetNumber
from tests.gui.on_view import MOVE, PRESS, RELEASE, Hands

Array = np.ndarray
Painted = Callable[[str], Hands]


def boxes(hands: Hands) -> dict[str, QPointF]:
    """Middles of the numbers in the view, by key."""
    hands.window.tick()
    hands.view.grab()
    drawing = hands.view._overlay.drawing
    return {key: box.center() for key, box in drawing.boxes.items()}


def texts(hands: Hands) -> dict[str, str]:
    boxes(hands)
    return {key: number.text for key, number in hands.view._overlay.drawing.numbers.items()}


def fields(hands: Hands) -> DimensionFields:
    return hands.view.fields


def point(hands: Hands, at: QPointF) -> None:
    """Move the mouse with no button pressed. A pointer that is there already moves nothing, and one that is elsewhere
    leaves the view."""
    QTest.mouseMove(hands.view.canvas, at.toPoint())
    canvas, none = hands.view.canvas, Qt.MouseButton.NoButton
    no_keys = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(canvas, QMouseEvent(MOVE, at, canvas.mapToGlobal(at), none, none, no_keys))
    hands.frame()


def click(hands: Hands, key: str) -> None:
    at = boxes(hands)[key]
    point(hands, at)
    click_at(hands, at)


def click_at(hands: Hands, at: QPointF) -> None:
    hands.window.activateWindow()
    hands.qtbot.waitUntil(hands.window.isActiveWindow)
    QTest.mouseClick(hands.view.canvas, Qt.MouseButton.LeftButton, pos=at.toPoint())
    hands.frame()


def enter(hands: Hands, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    """Type a text in place of the one that is there, and press a key."""
    QTest.keyClicks(fields(hands).field, text)
    press(hands, key)


def press(hands: Hands, key: Qt.Key) -> None:
    QTest.keyClick(fields(hands).field, key)
    hands.window.tick()


def select(hands: Hands, kind: ItemKind, name: str) -> None:
    hands.window.selection.select(Item(kind, name))


def mechanism_of(hands: Hands) -> Mechanism:
    assert hands.live.relations is not None
    return hands.live.relations.mechanism


def place(hands: Hands, axis: str) -> float:
    index = mechanism_of(hands).axis_index(axis)
    assert hands.live.snapshot is not None
    assert index is not None
    return float(hands.live.snapshot.position[index])


def drawing_of(hands: Hands) -> Drawing:
    drawing = hands.view.state.dimensions
    assert drawing is not None
    return drawing


def laws_of(hands: Hands) -> CurrentLaws:
    assert hands.live.laws is not None
    return hands.live.laws


def drive_of(hands: Hands, name: str) -> Drive:
    assert hands.live.client is not None
    return dict(hands.live.client.asked_drives)[name]


def test_a_mechanism_shows_its_lengths_and_where_its_driver_is(painted: Painted) -> None:
    hands = painted("four_bar")
    assert texts(hands) == {
        "four_bar::ground.length": "0.4 m",
        "four_bar::crank.length": "0.1 m",
        "four_bar::coupler.length": "0.35 m",
        "four_bar::rocker.length": "0.3 m",
        "four_bar::crank_joint position": "0.000 rad",
    }
    hands.window.actions_["dimensions"].trigger()
    assert texts(hands) == {}
    assert hands.view.state.dimensions is None


def test_lines_are_as_long_as_what_they_measure_and_lie_beside_it(painted: Painted) -> None:
    hands = painted("four_bar")
    select(hands, ItemKind.LINK, "four_bar::rocker")
    drawing = drawing_of(hands)
    (ends,), (aside,) = drawing.ends, drawing.aside
    foot, tip = np.array([0.2, 0.0, 0.16]), np.array([0.2 + 0.3 * math.cos(hands.angle()), 0.0, 0.0])
    tip[2] = 0.16 + 0.3 * math.sin(hands.angle())
    assert ends == pytest.approx(np.array([foot, tip]), abs=1e-9)
    assert float(aside @ (tip - foot)) == pytest.approx(0.0, abs=1e-12)  # across the bar, in the plane of the linkage
    assert float(aside[1]) == pytest.approx(0.0, abs=1e-12)
    assert aside[0] > 0.5  # away from the middle of the linkage
    assert drawing.clear[0] == pytest.approx(0.013, abs=0.008)  # half of the width of the bar
    assert drawing.strong


@pytest.mark.parametrize(("degrees", "text"), [(False, "0.500 rad"), (True, "28.65 deg")])
def test_an_arc_goes_from_where_the_crank_was_at_zero_to_where_it_is(
    painted: Painted, degrees: bool, text: str
) -> None:
    hands = painted("four_bar")
    hands.window.actions_["degrees"].setChecked(degrees)
    select(hands, ItemKind.JOINT, "four_bar::crank_joint")
    click(hands, "four_bar::crank_joint position")
    enter(hands, "30" if degrees else "0.5")
    if degrees:
        text = "30.00 deg"
    assert texts(hands)["four_bar::crank_joint position"] == text
    drawing = drawing_of(hands)
    start, end = drawing.angles[0]
    u, v = drawing.planes[0]
    arms = [math.cos(angle) * u + math.sin(angle) * v for angle in (start, end)]
    turned = math.radians(30.0) if degrees else 0.5
    at = [math.pi / 3.0, math.pi / 3.0 + turned]  # the crank starts at 60 degrees, counted from x towards z
    assert np.array(arms) == pytest.approx(np.array([(math.cos(a), 0.0, math.sin(a)) for a in at]), abs=1e-9)


def test_a_length_is_changed_where_it_is(painted: Painted) -> None:
    hands = painted("four_bar")
    click(hands, "four_bar::rocker.length")
    field = fields(hands)
    assert (field.field.text(), field._unit.text()) == ("0.3", "m")
    assert field.field.hasFocus()
    enter(hands, "9/25")
    assert field.box.isHidden()
    assert laws_of(hands).number("four_bar::rocker.length") == pytest.approx(0.36)
    assert texts(hands)["four_bar::rocker.length"] == "0.36 m"
    hands.window.actions_["undo"].trigger()
    hands.window.tick()
    assert laws_of(hands).number("four_bar::rocker.length") == pytest.approx(0.3)


@pytest.mark.parametrize("how", ["escape", "elsewhere", "the same"])
def test_a_number_stays_where_nothing_is_entered(painted: Painted, how: str) -> None:
    hands = painted("four_bar")
    click(hands, "four_bar::rocker.length")
    if how == "elsewhere":
        QTest.keyClicks(fields(hands).field, "0.36")
        click_at(hands, QPointF(30.0, 300.0))
    else:
        enter(hands, "0.36" if how == "escape" else "", Qt.Key.Key_Escape if how == "escape" else Qt.Key.Key_Return)
    hands.window.tick()
    assert fields(hands).box.isHidden()
    assert laws_of(hands).numbers == ()
    assert not hands.live.undo.stack.canUndo()


def test_escape_takes_back_what_up_and_down_have_changed(painted: Painted) -> None:
    hands = painted("four_bar")
    click(hands, "four_bar::rocker.length")
    press(hands, Qt.Key.Key_Up)
    assert laws_of(hands).number("four_bar::rocker.length") == pytest.approx(0.31)
    press(hands, Qt.Key.Key_Escape)
    assert laws_of(hands).numbers == ()


def test_what_is_no_number_is_not_taken(painted: Painted) -> None:
    hands = painted("four_bar")
    click(hands, "four_bar::rocker.length")
    enter(hands, "long")
    assert not fields(hands).box.isHidden()
    assert fields(hands).field.property("level") == "error"
    assert laws_of(hands).numbers == ()


def test_a_refusal_is_shown_there_until_the_next_gesture(painted: Painted) -> None:
    hands = painted("four_bar")
    at = boxes(hands)["four_bar::rocker.length"]
    click(hands, "four_bar::rocker.length")
    enter(hands, "2")
    message = fields(hands).message
    assert message.isVisible()
    assert hands.window.notice.isHidden()  # once is enough
    assert "it stays open by 1.33 m where it comes nearest" in message.text()
    assert message.geometry().adjusted(0, -30, 0, 0).contains(at.toPoint())  # just below the number
    assert texts(hands)["four_bar::rocker.length"] == "0.3 m"
    click_at(hands, QPointF(30.0, 300.0))
    assert message.isHidden()
    hands.window.actions_["millimetres"].setChecked(True)
    click(hands, "four_bar::rocker.length")
    enter(hands, "2000")
    assert "it stays open by 1330 mm where it comes nearest" in message.text()


def test_a_ratio_is_changed_where_it_is(painted: Painted) -> None:
    hands = painted("rack_and_pinion")
    key = next(key for key, text in texts(hands).items() if text == "× 0.02 m/rad")
    click(hands, key)
    enter(hands, "1/40")
    assert laws_of(hands).coupling(0).multiplier == 0.025
    assert texts(hands)[key] == "× 0.025 m/rad"
    hands.window.actions_["millimetres"].setChecked(True)
    assert texts(hands)[key] == "× 25 mm/rad"


def test_the_target_of_a_drive_and_an_effort_are_changed_where_they_are(painted: Painted) -> None:
    hands = painted("gripper")
    name = "gripper::left_finger_joint"
    select(hands, ItemKind.JOINT, name)
    hands.live.send(SetDrive(name, Drive(DriveKind.EFFORT, Constant(20.0))))
    hands.window.tick()
    click(hands, f"{name} effort")
    enter(hands, "12")
    assert drive_of(hands, name) == Drive(DriveKind.EFFORT, Constant(12.0))
    hands.live.send(SetDrive(name, Drive(DriveKind.POSITION, Constant(0.02))))
    hands.window.tick()
    click(hands, f"{name} position")
    enter(hands, "0.03")
    assert drive_of(hands, name) == Drive(DriveKind.POSITION, Constant(0.03))


def test_a_follower_of_loops_is_put_where_it_is_asked_to_be(painted: Painted) -> None:
    hands = painted("four_bar")
    select(hands, ItemKind.JOINT, "four_bar::rocker_joint")
    click(hands, "four_bar::rocker_joint position")
    enter(hands, "0.1")
    assert place(hands, "rocker_joint") == pytest.approx(0.1, abs=1e-9)


def test_what_cannot_be_changed_says_why(painted: Painted, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = painted("four_bar")
    name = "four_bar::crank_joint"
    select(hands, ItemKind.JOINT, name)
    hands.live.send(SetDrive(name, Drive(DriveKind.VELOCITY, Constant(1.0))))
    hands.window.tick()
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, *_rest: said.append(text))
    at = boxes(hands)[f"{name} position"]
    help_ = QHelpEvent(QHelpEvent.Type.ToolTip, at.toPoint(), QPoint())
    QApplication.sendEvent(hands.view.canvas, help_)
    click(hands, f"{name} position")
    assert said[0] == said[1]
    assert "Its velocity is driven" in said[0]
    assert fields(hands).box.isHidden()


def test_a_link_with_more_joints_shows_distances_that_stay(painted: Painted) -> None:
    hands = painted("peaucellier")
    of = mechanism_of(hands)
    ternary = next(
        link.name
        for body in of.bodies
        for link in body.links
        if not _has_length(hands, link.name) and "bar" in link.name
    )
    select(hands, ItemKind.LINK, ternary)
    numbers = drawing_of(hands).numbers
    assert len(numbers) > 1
    assert all(number.ask is None and "a length is between two joints" in number.reason for (number,) in numbers)


def _has_length(hands: Hands, link: str) -> bool:
    return f"{link}.length" in set(texts(hands))


def test_the_mouse_on_a_number_neither_drags_nor_turns_the_view(painted: Painted) -> None:
    hands = painted("four_bar")
    at, camera = boxes(hands)["four_bar::coupler.length"], hands.view.state.camera
    point(hands, at)
    assert hands.view.canvas.cursor().shape() is Qt.CursorShape.IBeamCursor
    assert hands.view._overlay.drawing.hovered == "four_bar::coupler.length"
    hands.mouse(PRESS, at)
    hands.mouse(MOVE, at + QPointF(40.0, 30.0))
    assert not hands.view.hand.is_holding
    hands.mouse(RELEASE, at + QPointF(40.0, 30.0))
    assert hands.view.state.camera == camera
    assert hands.window.selection.item is None
    point(hands, QPointF(30.0, 300.0))
    assert hands.view._overlay.drawing.hovered == ""


def test_numbers_do_not_cover_each_other(painted: Painted) -> None:
    hands = painted("gear_train")
    boxes(hands)
    found = list(hands.view._overlay.drawing.boxes.values())
    assert len(found) > 4
    assert not any(a.intersects(b) for i, a in enumerate(found) for b in found[i + 1 :])


def test_bars_are_drawn_as_long_as_they_are(painted: Painted) -> None:
    """The far end of the bar goes with the pin, as far beyond it as before, and comes back with the number."""
    hands = painted("four_bar")

    def reach() -> float:
        """How far the bar of the rocker reaches from its foot."""
        scene, poses = hands.view.state.scene, hands.view.state.poses
        assert scene is not None
        number = scene.link_numbers["four_bar::rocker"]
        chosen = tuple(d for d in scene.drawables if d.link == number and d.name.endswith("bar"))
        points = replace(scene, drawables=chosen).corner_points(poses) - np.array((0.2, 0.0, 0.16))
        angle = hands.angle()
        return float((points @ np.array((math.cos(angle), 0.0, math.sin(angle)))).max())

    before = reach()
    hands.live.send(SetNumber("four_bar::rocker.length", 0.36))
    hands.window.tick()
    assert reach() == pytest.approx(before + 0.06, abs=1e-5)
    hands.live.send(SetNumber("four_bar::rocker.length", 0.3))
    hands.window.tick()
    assert reach() == pytest.approx(before, abs=1e-5)


@pytest.mark.display
def test_numbers_are_changed_in_the_view_of_opengl(open_world: Painted) -> None:
    hands = open_world("four_bar")
    assert not isinstance(hands.view.canvas, PainterView)
    click(hands, "four_bar::rocker.length")
    enter(hands, "0.33")
    assert laws_of(hands).number("four_bar::rocker.length") == pytest.approx(0.33)
    assert texts(hands)["four_bar::rocker.length"] == "0.33 m"


def test_a_number_that_lost_its_place_comes_back_when_there_has_been_room_for_a_while(painted: Painted) -> None:
    """It does not blink where things pass it, and where nothing is in its way nothing waits."""
    hands = painted("four_bar")
    now, key = [0.0], "four_bar::rocker.length"
    drawing = DimensionDrawing(lambda: now[0])
    view, font = (float(hands.view.width()), float(hands.view.height())), hands.view.font()

    def shown(*taken: tuple[float, float, float, float]) -> bool:
        drawing.lay_out(hands.view.state.dimensions, hands.view.state.camera, view, font, taken)
        return key in drawing.boxes

    assert shown()
    everywhere = (0.0, 0.0, *view)
    assert not shown(everywhere)
    assert not drawing.is_waiting
    now[0] = 10.0
    assert not shown()
    assert drawing.is_waiting
    now[0] = 10.0 + 0.9 * AWAY
    assert not shown()
    now[0] = 10.0 + 1.1 * AWAY
    assert shown()
    assert not drawing.is_waiting


def drawn(centres: Array, ends: Array, *, strong: bool) -> Drawing:
    n, m = len(ends), len(centres)
    keys = [f"length {i}" for i in range(n)] + [f"arc {i}" for i in range(m)]
    numbers = tuple((Number(key, "0.000", "", 0.0, "", axis=None if i < n else i - n),) for i, key in enumerate(keys))
    planes = np.broadcast_to(np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)]), (m, 2, 3))
    return Drawing(
        ends=ends, aside=np.zeros((n, 3)), clear=np.zeros(n), level=np.zeros(n), centres=centres, planes=planes,
        angles=np.tile((0.0, 0.5), (m, 1)), ties=np.zeros((0, 2, 3)), numbers=numbers, strong=strong,
    )  # fmt: skip


def marks_seen(centres: Array, ends: Array, camera: Camera, *, strong: bool) -> list[str]:
    """Keys of the dimensions of an arm in a view of 800 by 600 pixels: an arc at each of its joints, a length between
    some of them, whose number takes 60 pixels."""
    drawing = drawn(centres, ends, strong=strong)
    return [mark.numbers[0].key for mark in marks_of(drawing, camera, (800.0, 600.0), lambda _numbers: (60.0, 17.0))]


def test_numbers_of_an_arm_come_when_one_looks_from_nearer() -> None:
    """A Panda has seven joints, pairs of which are in one place or 7 cm apart, on 0.8 m: at 500 pixels a metre these
    arcs would lie on each other, and the short lengths would have their numbers beside them. Those in one
    place are about each other. From a third of the distance all is drawn, as of what is selected."""
    heights = np.array([0.33, 0.33, 0.65, 0.72, 1.03, 1.03, 1.10])
    centres = np.stack((np.zeros(7), np.zeros(7), heights), axis=1)
    ends = np.stack((centres[[1, 2, 3, 5]], centres[[2, 3, 4, 6]]), axis=1)
    far = Camera(target=(0.0, 0.0, 0.7), distance=1.0, orthographic=True).with_view("front")
    far = replace(far, distance=600.0 / 500.0 / (2.0 * far.half_height()))
    assert marks_seen(centres, ends, far, strong=False) == [
        "length 0", "length 2", "arc 0", "arc 1", "arc 2", "arc 4", "arc 5",
    ]  # fmt: skip
    near = replace(far, distance=far.distance / 3.0)
    assert marks_seen(centres, ends, near, strong=False) == [
        *(f"length {number}" for number in range(4)), *(f"arc {number}" for number in range(7)),
    ]  # fmt: skip
    assert len(marks_seen(centres, ends, far, strong=True)) == 11


def test_angles_of_axes_in_one_place_are_about_each_other() -> None:
    """Six axes through one point: each has an arc of its own, a step of 30 px outside of the one before, and a number
    that a click reaches."""
    centres = np.zeros((6, 3))
    camera = Camera(target=(0.0, 0.0, 0.0), distance=1.0, orthographic=True).with_view("front")
    drawing = drawn(centres, np.zeros((0, 2, 3)), strong=False)
    marks = list(marks_of(drawing, camera, (800.0, 600.0), lambda _numbers: (60.0, 17.0)))
    radii = [math.dist(mark.lines[0][0], (400.0, 300.0)) for mark in marks]
    assert radii == pytest.approx([58.0 + 30.0 * number for number in range(6)])
    layout = DimensionDrawing()
    layout.lay_out(drawing, camera, (800.0, 600.0), QFont(), ())
    assert set(layout.boxes) == {f"arc {number}" for number in range(6)}
