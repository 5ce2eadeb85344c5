"""Scenes of the tour in which mechanisms are drawn with the mouse: see make_tour.py."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tour_stage import Stage

ROOT = Path(__file__).resolve().parent.parent
A0, A, B, B0 = (-0.12, -0.06), (-0.12, 0.04), (0.16, 0.12), (0.12, -0.06)
"""Pins of the four-bar that is drawn."""


def draw(stage: Stage, tool: str, *ways: tuple[tuple[float, float], ...]) -> None:
    """Take a tool of build mode; each way is a drag from place to place [m], or a click."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    build, left = stage.window.build, Qt.MouseButton.LeftButton
    QTest.mouseClick(next(button for kind, button in build.tools.items() if kind.value == tool), left)
    for way in ways:
        spots = [build.sheet.pixel(place).toPoint() for place in way]
        QTest.mousePress(build.sheet, left, pos=spots[0])
        for spot in spots[1:]:
            QTest.mouseMove(build.sheet, spot)
        QTest.mouseRelease(build.sheet, left, pos=spots[-1])
    stage.wait(0.1)


def type_length(stage: Stage, link: str, text: str) -> None:
    """Click on a length of the sheet, and type another one or a name."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    build = stage.window.build
    build.sheet.repaint()
    spot = build.sheet.number_box(link).center().toPoint()
    QTest.mouseClick(build.sheet, Qt.MouseButton.LeftButton, pos=spot)
    build.field.setText(text)
    QTest.keyClick(build.field, Qt.Key.Key_Return)
    stage.wait(0.1)


def draw_bars(stage: Stage) -> None:
    stage.window.open_path(ROOT / "lessons" / "11_first_four_bar.lesson.toml")
    stage.until(stage.window.lesson_panel.isVisible)
    stage.wait(0.5)
    stage.window.build.sheet.fit()
    draw(stage, "bar", (A0, A), (A, B), (B, B0))


def draw_four_bar(stage: Stage) -> None:
    draw_bars(stage)
    stage.window.lesson_panel.next.click()
    draw(stage, "ground", (A0,), (B0,))
    stage.window.lesson_panel.next.click()
    draw(stage, "motor", (A0,))


def draw_names(stage: Stage) -> None:
    draw_four_bar(stage)
    stage.window.lesson_panel.next.click()
    type_length(stage, "bar_1", "a")
    type_length(stage, "bar_2", "b = 3*a")


def draw_dead_points(stage: Stage) -> None:
    stage.window.build_switch.draw(stage.sheet("four_bar.sdf"))
    stage.wait(0.5)
    stage.window.build.sheet.fit()
    draw(stage, "bar", (A0, A), (A, B), (B, B0))
    draw(stage, "ground", (A0,), (B0,))
    draw(stage, "motor", (B0,))
    draw(stage, "move")


def draw_verbs(stage: Stage) -> None:
    stage.window.build_switch.draw(stage.sheet("verbs.sdf"))
    stage.wait(0.5)
    stage.window.build.sheet.fit()
    draw(stage, "gear", ((-0.25, 0.1), (-0.19, 0.1)), ((-0.15, 0.1), (-0.189, 0.1)), ((0.0, 0.1), (0.03, 0.1)))
    type_length(stage, "gear_1", "m 2 z 60")
    type_length(stage, "gear_2", "z 20")
    draw(stage, "belt", ((-0.17, 0.1), (0.0, 0.1)))
    draw(stage, "plate", ((0.1, 0.1),), ((0.2, 0.15),), ((0.15, 0.02),), ((0.1, 0.1),))
    draw(stage, "ground", ((0.15, 0.02),))
    draw(stage, "weight", ((0.2, 0.15),))
    draw(stage, "force", ((0.1, 0.1), (0.1, 0.15)))
    draw(stage, "spring", ((0.2, 0.15), (0.3, 0.1)))
    draw(stage, "screw", ((-0.1, -0.1), (0.0, -0.1)))
    draw(stage, "bar", ((-0.1, -0.1), (-0.2, -0.05)))
    draw(stage, "move")


def fold(stage: Stage, a: tuple[float, float], b: tuple[float, float], angle: str) -> None:
    """Fold the sheet about a line by an angle [degrees]."""
    from PyQt6.QtCore import Qt
    from PyQt6.QtTest import QTest

    draw(stage, "fold", (a, b))
    stage.window.build.field.setText(angle)
    QTest.keyClick(stage.window.build.field, Qt.Key.Key_Return)
    stage.wait(0.1)


def draw_bennett(stage: Stage) -> None:
    stage.window.build_switch.draw(stage.sheet("bennett.sdf"))
    stage.wait(0.5)
    stage.window.build.sheet.fit()
    draw(stage, "bar", ((-0.15, 0.0), (0.05, 0.1)), ((0.05, 0.1), (0.15, 0.0)))
    fold(stage, (-0.15, 0.0), (0.15, 0.0), "60")
    draw(stage, "bar", ((0.15, 0.0), (-0.05, -0.1)))
    draw(stage, "ground", ((-0.05, -0.1),), ((-0.15, 0.0),))
    hand = stage.window.build.sheet.hand
    for place in ((-0.15, 0.0), (0.15, 0.0)):
        joint = hand.plan.point_at(place).joints[0]
        draw(stage, "tilt", (place, hand.handle_place(place, hand.plan.across[joint][0])))
    draw(stage, "motor", ((-0.15, 0.0),))


def move_what_is_drawn(stage: Stage) -> None:
    """Leave the sheet, look at what was drawn in space, and move it."""
    stage.window.actions_["build"].trigger()
    stage.window.viewport.standard_view("iso")
    stage.until(lambda: stage.live.snapshot is not None)
    stage.step(400)


def move_bennett(stage: Stage) -> None:
    """One name for two bars of two sheets, another length, and the point of both is dragged."""
    draw_bennett(stage)
    for link, text in (("bar_3", "a"), ("bar_1", "a"), ("bar_3", "0.24")):
        type_length(stage, link, text)
    build = stage.window.build
    build.bar.planes.setCurrentIndex(0)
    build.bar.planes.activated.emit(0)
    stage.wait(0.2)


def run_bennett(stage: Stage) -> None:
    draw_bennett(stage)
    move_what_is_drawn(stage)


def draw_bevel(stage: Stage) -> None:
    stage.window.build_switch.draw(stage.sheet("bevel.sdf"))
    stage.wait(0.5)
    stage.window.build.sheet.fit()
    draw(stage, "gear", ((-0.06, 0.0), (0.0, 0.0)))
    draw(stage, "motor", ((-0.06, 0.0),))
    fold(stage, (0.0, 0.0), (0.0, 0.08), "90")
    draw(stage, "gear", ((0.04, 0.0), (0.002, 0.0)))


def run_bevel(stage: Stage) -> None:
    draw_bevel(stage)
    move_what_is_drawn(stage)


def arm(stage: Stage) -> None:
    """An arm with a flange."""
    import simulator

    m = simulator.new("arm")
    foot = m.link("foot", simulator.cylinder(0.05, 0.1, (0.0, 0.0, 0.05), color="dark"))
    upper = m.link("upper", simulator.capsule(0.03, 0.25, (0.0, 0.0, 0.25), color="orange"))
    fore = m.link("fore", simulator.capsule(0.025, 0.22, (0.13, 0.0, 0.4), axis=(1.0, 0.0, 0.0), color="grey"))
    flange = m.link("flange", simulator.cylinder(0.035, 0.02, (0.29, 0.0, 0.4), axis=(1.0, 0.0, 0.0), color="dark"))
    m.revolute("turn", m.world, foot, axis=(0.0, 0.0, 1.0))
    m.revolute("shoulder", foot, upper, at=(0.0, 0.0, 0.1), axis=(0.0, 1.0, 0.0), damping=0.5)
    m.revolute("elbow", upper, fore, at=(0.0, 0.0, 0.4), axis=(0.0, 1.0, 0.0), damping=0.5)
    m.revolute("wrist", fore, flange, at=(0.28, 0.0, 0.4), axis=(1.0, 0.0, 0.0), damping=0.1)
    stage.open(str(m.save(Path(stage.scratch.name, "arm.sdf"))), steps=0, view="iso")


def pick(stage: Stage, link: str, name: str, *, click: bool) -> None:
    """Move the mouse to a place of a link in the view, and click on it perhaps."""
    from PyQt6.QtCore import QPointF
    from PyQt6.QtTest import QTest

    view = stage.window.viewport
    feature = next(item for item in view.join._features if item.link.endswith(link) and item.name == name)
    size = (view.canvas.width(), view.canvas.height())
    x, y, _ = view.state.camera.pixels(view.join._place(feature), size).tolist()
    QTest.mouseMove(view.canvas, QPointF(x, y).toPoint())
    view.join.point(QPointF(x, y), size)
    if click:
        view.join.click(QPointF(x, y), size)
    stage.wait(0.3)


def put_gripper(stage: Stage) -> None:
    arm(stage)
    stage.switch("join")
    bar = stage.window.viewport.join_bar
    stage.window.joining._bodies.choose = lambda *_: True
    stage.window.joining._bodies._mechanism = ("gripper", {"stroke": 0.02, "finger": 0.05})
    bar.kinds.setCurrentIndex(bar.kinds.findData("part"))
    bar.body.what.setText("Gripper")
    bar.body.over.setChecked(True)
    pick(stage, "flange", "top", click=True)
    stage.window.viewport.fit()
    bar.kinds.setCurrentIndex(bar.kinds.findData("box"))
    bar.body.sizes.setText("0.02  0.02  0.05")
    pick(stage, "fore", "axis", click=False)


def pick_face(stage: Stage) -> None:
    arm(stage)
    stage.switch("build")
    stage.window.build.face_wanted.emit()
    pick(stage, "flange", "top", click=False)


def draw_on_flange(stage: Stage) -> None:
    pick_face(stage)
    pick(stage, "flange", "top", click=True)
    stage.wait(0.3)
    draw(stage, "bar", ((-0.02, 0.0), (-0.02, 0.03)), ((-0.02, 0.03), (0.03, 0.04)), ((0.03, 0.04), (0.02, 0.0)))
    draw(stage, "ground", ((-0.02, 0.0),), ((0.02, 0.0),))
    draw(stage, "motor", ((-0.02, 0.0),))


def draw_six_bar(stage: Stage) -> None:
    draw_names(stage)
    stage.window.lesson_panel.next.click()
    ends = next(link.ends for link in stage.window.build.sheet.plan.links if link.name == "bar_3")
    middle = tuple((a + b) / 2.0 for a, b in zip(*ends, strict=True))
    draw(stage, "bar", (middle, (0.26, 0.04)), ((0.26, 0.04), (0.26, -0.06)))
    draw(stage, "ground", ((0.26, -0.06),))


def run_six_bar(stage: Stage) -> None:
    draw_six_bar(stage)
    stage.window.lesson_panel.next.click()
    stage.until(lambda: stage.live.snapshot is not None)
    stage.step(4000)


def handing_in(stage: Stage) -> None:
    from simulator.gui.handing_in import HandInDialog

    words = (
        "A crank-rocker: the shortest and the longest bar\nare not longer than the other two,\n\n$s + l \\le p + q$\n\n"
    )
    stage.open("four_bar", "joints", steps=300)
    stage.other = HandInDialog(
        stage.window, "My four-bar", words + "- the crank turns fully\n- the rocker swings by 40°"
    )
    stage.other.author.setText("Ada")
    stage.other.show()


DRAWN = (
    draw_bars, draw_four_bar, draw_names, draw_dead_points, draw_verbs, draw_bennett, move_bennett, run_bennett,
    draw_bevel,
    run_bevel, put_gripper, pick_face, draw_on_flange, draw_six_bar, run_six_bar, handing_in,
)  # fmt: skip
