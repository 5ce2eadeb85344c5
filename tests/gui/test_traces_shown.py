"""What the traces show in little room and in much: names at the curves, the list of channels, free bodies, words where
there is nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage
from PyQt6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from simulator.gui.docks.traces_dock import TracesDock
from simulator.gui.main_window import MainWindow
from simulator.gui.theme import ThemeChoice
from simulator.gui.tokens import LIGHT
from simulator.gui.traces.decimation import nice_range
from simulator.gui.traces.free_bodies import angles
from simulator.gui.traces.legend import LONG
from simulator.gui.traces.plan import Group
from simulator.gui.traces.trace_plot import TracePlot
from simulator.gui.workbench import Arrangement
from simulator.session.commands import SetDrive, StepOnce
from simulator.session.drive_text import parse_drive
from simulator.spatial.rotation import quat_from_rpy
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton
STEADY = "pinion_joint=velocity:0.5"
GRAVITY = 9.8

FALLING = """<?xml version="1.0"?>
<sdf version="1.12"><world name="fall"><gravity>0 0 -9.8</gravity>
<model name="box"><pose>0.3 -0.2 100 0 0 0</pose><link name="body">
<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>
</link></model></world></sdf>"""
STILL = """<?xml version="1.0"?>
<sdf version="1.12"><world name="still"><model name="block"><static>true</static><link name="body">
<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model></world></sdf>"""


def chain(length: int) -> str:
    """A pendulum of so many links."""
    parts = []
    for number in range(length):
        parent = f"link_{number - 1}" if number else "world"
        pose = f'<pose relative_to="{parent}">0.1 0 0 0 0 0</pose>' if number else ""
        parts.append(
            f'<link name="link_{number}">{pose}<inertial><mass>0.1</mass><inertia><ixx>1e-3</ixx><iyy>1e-3</iyy>'
            f'<izz>1e-3</izz></inertia></inertial></link><joint name="joint_{number}" type="revolute"><parent>{parent}'
            f"</parent><child>link_{number}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        )
    return f'<?xml version="1.0"?><sdf version="1.12"><model name="chain">{"".join(parts)}</model></sdf>'


def shown(
    real_window: Make, world: str | Path, steps: int, *drives: str, size: tuple[int, int] | None = None
) -> TracesDock:
    window = real_window(world, (1400, 980), drives=drives)
    window.workbench.show_only(["traces"])
    window.workbench.arrange(Arrangement.FULL)
    window.live.send(StepOnce(steps))
    window.tick()
    dock = window.traces_dock
    if size is not None:
        dock._layout.setFixedSize(*size)
    refreshed(dock)
    return dock


def refreshed(dock: TracesDock) -> None:
    live = dock._live
    for _ in range(2):  # what the first makes room for, the second is drawn in
        QApplication.processEvents()
        assert live.snapshot is not None
        dock.refresh(live.snapshot)
    QApplication.processEvents()


def button(dock: TracesDock, number: int) -> QAbstractButton:
    """Of a quantity or page."""
    found = dock._groups.button(number)
    assert found is not None
    return found


def names(panel: TracePlot) -> list[str]:
    return [name.text for name, _ in panel.names.placed()]


def drawn(dock: TracesDock, area: QRectF) -> QImage:
    """What is painted in a part of the scene."""
    view = dock.plots.widget
    part = view.mapFromScene(area).boundingRect()  # type: ignore[attr-defined]
    return view.grab(part).toImage()


def has(image: QImage, colour: str) -> bool:
    wanted = QColor(colour)
    return any(
        QColor(image.pixel(x, y)).rgb() == wanted.rgb() for x in range(image.width()) for y in range(image.height())
    )


def test_names_are_at_the_ends_of_their_curves(real_window: Make) -> None:
    """In their colours, with the values of the moment on show; an ideal follower is dashed, without a name where it
    coincides."""
    dock = shown(real_window, "rack_and_pinion", 400, STEADY, size=(1000, 600))
    angle, way = dock.plots._panels["rad"], dock.plots._panels["m"]
    assert set(way.curves) == {"position/1", "position/1/ideal"}
    assert names(way) == ["rack_joint"]
    ((name, place),) = angle.names.placed()
    assert (name.text, name.value, name.colour) == ("pinion_joint", "0.200", LIGHT.series[0])
    box = angle.plot.getViewBox()
    end = box.mapViewToScene(QPointF(0.4, 0.2)).y()
    assert angle.names.mapToScene(QPointF(0.0, place)).y() == pytest.approx(end, abs=1.0)
    assert has(drawn(dock, angle.names.sceneBoundingRect()), LIGHT.series[0])
    assert not has(drawn(dock, angle.names.sceneBoundingRect()), LIGHT.series[1])


def test_an_ideal_that_its_follower_misses_has_a_name(real_window: Make) -> None:
    dock = shown(real_window, "rack_and_pinion", 400, STEADY)
    way = dock.plots._panels["m"]
    dock._columns["position/1/ideal"] = dock._columns["position/1"] + 0.01
    way.set_data(dock._times, {key: dock._columns[key] for key in way.curves})
    dock.plots.show_values({})
    assert sorted(names(way)) == ["rack_joint", "rack_joint ideal"]


def test_values_are_those_of_the_moment_under_the_mouse(real_window: Make) -> None:
    dock = shown(real_window, "rack_and_pinion", 400, STEADY)
    dock.plots.cursor_moved.emit(0.1)
    ((name, _place),) = dock.plots._panels["rad"].names.placed()
    assert float(name.value) == pytest.approx(0.05, abs=1e-3)


def test_curves_have_smooth_edges_while_they_run(real_window: Make) -> None:
    """Pixels between the colours of line and ground."""
    dock = shown(real_window, "four_bar", 400)
    image = drawn(dock, dock.plots._panels["rad"].plot.getViewBox().sceneBoundingRect())
    colours = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    assert len(colours) > 50
    assert all(curve.opts["antialias"] for panel in dock.plots._panels.values() for curve in panel.curves.values())


def test_a_strip_has_plots_and_names_alone(real_window: Make, qtbot: QtBot) -> None:
    """980 x 105 pixels: controls beside the plots, all three side by side; a button opens the list."""
    dock = shown(real_window, "rack_and_pinion", 400, STEADY, size=(980, 105))
    assert dock.plots.frame.height() == 105, "the controls take no height"
    assert dock.bar.quantity.isVisible()
    assert not button(dock, 0).isVisible()
    assert not dock.channels.isVisible()
    assert dock._layout.size().height() == 105
    areas = [panel.area() for panel in dock.plots._panels.values()]
    assert len(areas) == 3
    seen = QRectF(dock.plots.widget.rect())
    assert all(seen.contains(area) for area in areas)
    assert all(panel.plot.isVisible() for panel in dock.plots._panels.values())
    assert areas[0].right() <= areas[1].left()
    assert all(names(panel) for panel in dock.plots._panels.values())
    dock.bar.quantity.setFocus()
    qtbot.keyClick(dock.bar.quantity, Qt.Key.Key_Down)
    assert dock.group is Group.VELOCITY
    assert button(dock, 1).isChecked()
    qtbot.mouseClick(dock.tools.channels, LEFT)
    assert dock.channels.isVisible()


@pytest.mark.parametrize(
    ("size", "row", "listed"), [((640, 650), True, False), ((1300, 900), False, True), ((420, 180), True, False)]
)
def test_controls_are_one_row_above_the_plots(
    real_window: Make, qtbot: QtBot, size: tuple[int, int], row: bool, listed: bool
) -> None:
    dock = shown(real_window, "rack_and_pinion", 100, STEADY, size=size)
    assert dock.bar.folded is row
    assert dock.bar.height() <= (28 if row else 48)
    assert dock.bar.width() == size[0]
    assert dock.channels.isVisible() is listed
    qtbot.mouseClick(dock.tools.channels, LEFT)
    assert dock.channels.isVisible() is not listed


def test_plots_arranged_by_hand_are_so_in_the_next_window(real_window: Make) -> None:
    """For this document and quantity alone, with the curves that were on show; until there is one for every unit."""
    dock = shown(real_window, "four_bar", 100, size=(1000, 600))
    before = [set(panel.curves) for panel in dock.plots._panels.values()]
    dock.split_plot(dock.plots._panels["rad"].series)
    dock.add_axes([3])
    refreshed(dock)
    arranged = [set(panel.curves) for panel in dock.plots._panels.values()]
    assert len(arranged) > len(before)

    again = shown(real_window, "four_bar", 100, size=(1000, 600))
    assert [set(panel.curves) for panel in again.plots._panels.values()] == arranged
    again.set_group(Group.VELOCITY)
    assert not again.is_arranged
    assert not shown(real_window, "rack_and_pinion", 100, size=(1000, 600)).is_arranged
    again.set_group(Group.POSITION)
    again.one_plot_per_unit()
    assert not shown(real_window, "four_bar", 100, size=(1000, 600)).is_arranged


def test_plots_that_have_no_room_are_scrolled(real_window: Make) -> None:
    """None is left out without a word: what is checked is scrolled to."""
    dock = shown(real_window, "four_bar", 100, size=(420, 200))
    dock.split_plot(dock.plots._panels["rad"].series)
    refreshed(dock)
    assert all(panel.plot.isVisible() for panel in dock.plots._panels.values())
    assert dock.plots.widget.height() > dock.plots.frame.height()
    dock.add_axes([3])
    refreshed(dock)
    panel = next(panel for panel in dock.plots._panels.values() if "position/3" in panel.curves)
    dock.plots.scroll_to("position/3")
    top = panel.area().top() + dock.plots.widget.y()
    assert -1.0 <= top <= dock.plots.frame.height() - panel.area().height() + 8.0


def test_a_residual_of_nothing_has_its_plot(real_window: Make) -> None:
    """A constant 0 is in the middle of a range that is not blown-up noise, and the label has the unit."""
    dock = shown(real_window, "rack_and_pinion", 400, STEADY, size=(1000, 600))
    panel = dock.plots._panels["residual"]
    assert panel.plot.isVisible()
    low, high = panel.shown
    assert low == pytest.approx(-high)
    assert 1e-13 < high < 1e-3
    assert panel.plot.getAxis("left").labelText == "residual [m]"


def test_no_value_of_the_list_is_cut(real_window: Make) -> None:
    dock = shown(real_window, "rack_and_pinion", 400, "pinion_joint=velocity:-1234.5678")
    dock.set_group(Group.VELOCITY)
    refreshed(dock)
    _line, item = dock.legend._items["velocity/0"]
    assert item.text(1).endswith(" rad/s")
    hint = dock.legend.sizeHintForColumn(1)
    header = dock.legend.header()
    assert header is not None
    assert header.sectionSize(1) >= hint


def rows(dock: TracesDock) -> list[str]:
    legend = dock.legend
    items = [legend.topLevelItem(number) for number in range(legend.topLevelItemCount())]
    return [item.text(0) for item in items if item is not None and not item.isHidden()]


def test_a_long_list_is_searched_and_has_the_checked_first(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    document = tmp_path / "chain.sdf"
    document.write_text(chain(LONG + 8))
    dock = shown(real_window, document, 5)
    dock._check({"position/20"})
    assert rows(dock)[:4] == ["On show", "joint_20", "Others", "joint_0"]
    field = dock.channels.filter
    field.setFocus()
    qtbot.keyClicks(field, "T_22")
    assert rows(dock) == ["Others", "joint_22"]
    _line, item = dock.legend._items["position/22"]
    box = dock.legend.visualItemRect(item)
    viewport = dock.legend.viewport()
    assert viewport is not None
    qtbot.mouseClick(viewport, LEFT, pos=QPoint(10, box.center().y()))
    assert item.checkState(0) is Qt.CheckState.Checked
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert rows(dock)[:3] == ["On show", "joint_20", "joint_22"]


def test_a_short_list_has_no_field_and_keeps_its_order(real_window: Make) -> None:
    dock = shown(real_window, "rack_and_pinion", 5)
    assert not dock.channels.filter.isVisible()
    dock._check({"position/1"})
    assert rows(dock)[:2] == ["pinion_joint", "rack_joint"]


def test_a_box_that_falls_has_curves(real_window: Make, tmp_path: Path) -> None:
    """z = 100 - g t²/2 to the order of the step, and v = -g t; it does not turn."""
    document = tmp_path / "fall.sdf"
    document.write_text(FALLING)
    dock = shown(real_window, document, 500)
    assert [series.label for series in dock._series] == [
        f"body {part}" for part in ("x", "y", "z", "roll", "pitch", "yaw")
    ]
    assert {series.label for series in dock.legend.visible_series()} == {"body x", "body y", "body z"}
    z = dock._columns["position/link/body/z"]
    assert z[-1] == pytest.approx(100.0 - 0.5 * GRAVITY * 0.5**2, abs=GRAVITY * 0.5 * 1e-3)
    assert dock._columns["position/link/body/x"] == pytest.approx(0.3)
    dock._check({series.key for series in dock._series})
    assert dock._columns["position/link/body/turn2"] == pytest.approx(0.0, abs=1e-12)
    assert list(dock.plots._panels) == ["rad", "m"]
    dock.set_group(Group.VELOCITY)
    assert dock._columns["velocity/link/body/vz"][-1] == pytest.approx(-GRAVITY * 0.5, rel=1e-9)
    assert [series.label for series in dock._series][3:] == ["body ωx", "body ωy", "body ωz"]
    dock.set_group(Group.EFFORT)
    assert "effort" in dock._nothing.text()
    assert dock._nothing.isVisible()


def test_the_angles_of_a_free_body_are_those_of_its_quaternion() -> None:
    """Round trip through `quat_from_rpy`, over the whole range but the poles."""
    wanted = np.random.default_rng(0).uniform((-np.pi, -1.5, -np.pi), (np.pi, 1.5, np.pi), (200, 3))
    quaternions = np.array([quat_from_rpy(*one) for one in wanted])
    for turn in range(3):
        assert angles(turn, *quaternions.T) == pytest.approx(wanted[:, turn], abs=1e-9)


def test_a_world_without_channels_says_so(real_window: Make, tmp_path: Path) -> None:
    document = tmp_path / "still.sdf"
    document.write_text(STILL)
    dock = shown(real_window, document, 5)
    assert "no channels" in dock._nothing.text()
    assert dock._nothing.isVisible()


def test_nothing_checked_is_said(real_window: Make) -> None:
    dock = shown(real_window, "four_bar", 5)
    dock.check_all(False)
    assert "No channel is checked" in dock._nothing.text()
    assert dock._nothing.isVisible()
    dock.check_all(True)
    assert not dock._nothing.isVisible()


def test_a_constant_curve_has_its_own_scale_after_another_quantity(real_window: Make) -> None:
    """The pinion turns at a constant 0.5 rad/s: around it, whatever the positions were."""
    dock = shown(real_window, "rack_and_pinion", 3000, STEADY)
    dock.span.setCurrentIndex(0)
    dock.set_group(Group.VELOCITY)
    dock._check({"velocity/0"})
    refreshed(dock)
    low, high = dock.plots._panels["rad/s"].plot.getViewBox().viewRange()[1]
    assert 0.3 < low < 0.5 < high < 0.7
    assert nice_range(np.full(9, 5.0)) == (4.5, 5.5)


def phase(dock: TracesDock, qtbot: QtBot) -> None:
    qtbot.mouseClick(button(dock, len(Group)), LEFT)
    refreshed(dock)


def ticks(dock: TracesDock) -> list[str]:
    """Figures at the axes of the phase plot."""
    found: list[str] = []
    for side in ("left", "bottom"):
        axis = dock.phase._plot.getAxis(side)
        low, high = axis.range
        for spacing, values in axis.tickValues(low, high, 300)[:1]:
            found += axis.tickStrings(values, 1.0, spacing)
    return found


def test_the_phase_plot_at_rest_has_a_scale(real_window: Make, qtbot: QtBot) -> None:
    """Figures are distinct and short, and the words are true: it has not moved, and later that it did, and when."""
    dock = shown(real_window, "rack_and_pinion", 20, "pinion_joint=velocity:0")
    phase(dock, qtbot)
    texts = ticks(dock)
    assert len(set(texts)) >= 3
    assert all(len(re.sub(r"[-.]", "", text)) <= 6 for text in texts)
    assert "has not moved" in dock.phase.figures.text()


def test_a_leader_that_moved_before_the_stretch_on_show_is_not_said_to_have_never_moved(
    real_window: Make, qtbot: QtBot
) -> None:
    dock = shown(real_window, "rack_and_pinion", 500, STEADY)
    live = dock._live
    live.send(SetDrive(*parse_drive("pinion_joint=velocity:0")))
    live.send(StepOnce(3000))
    live.poll()
    dock.span.setCurrentIndex(0)
    phase(dock, qtbot)
    text = dock.phase.figures.text()
    assert "last moved at" in text
    moment = re.search(r"at ([0-9.]+) s", text)
    assert moment is not None
    assert float(moment[1]) == pytest.approx(0.5, abs=0.02)
    dock.span.setCurrentIndex(5)
    refreshed(dock)
    assert dock.phase.line is not None, "the whole recording has the motion in it"


def test_figures_keep_their_unit_after_a_change_of_colours(real_window: Make, qtbot: QtBot) -> None:
    """The rack is below 0.1 m; with another theme the same figures stood there for millimetres."""
    dock = shown(real_window, "rack_and_pinion", 300, STEADY)
    phase(dock, qtbot)
    dock.theme.set_choice(ThemeChoice.DARK)
    refreshed(dock)
    assert [dock.phase._plot.getAxis(side).autoSIPrefixScale for side in ("left", "bottom")] == [1.0, 1.0]


@pytest.mark.parametrize("page", [len(Group) + place for place in range(3)])
def test_the_controls_of_a_page_are_beside_its_plot_in_a_strip(real_window: Make, qtbot: QtBot, page: int) -> None:
    dock = shown(real_window, "rack_and_pinion", 100, STEADY, size=(980, 105))
    button(dock, page).click()
    refreshed(dock)
    plot = dock.pages.currentWidget()._plot  # type: ignore[union-attr]
    assert plot.height() >= 100
