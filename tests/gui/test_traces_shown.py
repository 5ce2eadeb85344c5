"""What the traces show in little room and in much: names at the curves, the list of channels, free bodies, words where
there is nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PyQt6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPixmap
from PyQt6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.gui.panels.traces_panel import TracesPanel
from simulator.gui.theme import ThemeChoice
from simulator.gui.tokens import LIGHT
from simulator.gui.traces.decimation import nice_range
from simulator.gui.traces.free_bodies import angles
from simulator.gui.traces.legend import LONG
from simulator.gui.traces.plan import Group, Series
from simulator.gui.traces.plots import PlotStack
from simulator.gui.traces.trace_plot import TracePlot
from simulator.gui.workbench import Arrangement
from simulator.session.commands.commands import SetDrive, StepOnce
from simulator.session.text.drive_text import parse_drive
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
) -> TracesPanel:
    window = real_window(world, (1400, 980), drives=drives)
    window.workbench.show_only(["traces"])
    window.workbench.arrange(Arrangement.FULL)
    window.live.send(StepOnce(steps))
    window.tick()
    panel = window.traces_panel
    if size is not None:
        panel._layout.setFixedSize(*size)
    refreshed(panel)
    return panel


def refreshed(panel: TracesPanel) -> None:
    live = panel._live
    for _ in range(2):  # what the first makes room for, the second is drawn in
        QApplication.processEvents()
        assert live.snapshot is not None
        panel.refresh(live.snapshot)
    QApplication.processEvents()


def button(panel: TracesPanel, number: int) -> QAbstractButton:
    """Of a quantity or page."""
    found = panel._groups.button(number)
    assert found is not None
    return found


def names(trace: TracePlot) -> list[str]:
    return [name.text for name, _ in trace.names.placed()]


def drawn(panel: TracesPanel, area: QRectF) -> QImage:
    """What is painted in a part of the scene."""
    view = panel.plots.widget
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
    panel = shown(real_window, "rack_and_pinion", 400, STEADY, size=(1000, 600))
    angle, way = panel.plots._panels["rad"], panel.plots._panels["m"]
    assert set(way.curves) == {"position/1", "position/1/ideal"}
    assert names(way) == ["rack_joint"]
    ((name, place),) = angle.names.placed()
    assert (name.text, name.value, name.colour) == ("pinion_joint", "0.200", LIGHT.series[0])
    box = angle.plot.getViewBox()
    end = box.mapViewToScene(QPointF(0.4, 0.2)).y()
    assert angle.names.mapToScene(QPointF(0.0, place)).y() == pytest.approx(end, abs=1.0)
    assert has(drawn(panel, angle.names.sceneBoundingRect()), LIGHT.series[0])
    assert not has(drawn(panel, angle.names.sceneBoundingRect()), LIGHT.series[1])
    beyond = QRectF(box.mapViewToScene(QPointF(5.0, 0.2)), QSizeF(100.0, 3.0)).translated(0.0, -1.0)
    dotted = drawn(panel, beyond)
    angle.links.hide()
    assert dotted != drawn(panel, beyond), "a line from the end of the curve to its name"


def test_an_ideal_that_its_follower_misses_has_a_name(real_window: Make) -> None:
    panel = shown(real_window, "rack_and_pinion", 400, STEADY)
    way = panel.plots._panels["m"]
    panel._columns["position/1/ideal"] = panel._columns["position/1"] + 0.01
    way.set_data(panel._times, {key: panel._columns[key] for key in way.curves})
    panel.plots.show_values({})
    assert sorted(names(way)) == ["ideal", "rack_joint"]


def test_values_are_those_of_the_moment_under_the_mouse(real_window: Make) -> None:
    panel = shown(real_window, "rack_and_pinion", 400, STEADY)
    panel.plots.cursor_moved.emit(0.1)
    ((name, _place),) = panel.plots._panels["rad"].names.placed()
    assert float(name.value) == pytest.approx(0.05, abs=1e-3)


def test_curves_have_smooth_edges_while_they_run(real_window: Make) -> None:
    """Pixels between the colours of line and ground."""
    panel = shown(real_window, "four_bar", 400)
    image = drawn(panel, panel.plots._panels["rad"].plot.getViewBox().sceneBoundingRect())
    colours = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
    assert len(colours) > 50
    assert all(curve.opts["antialias"] for trace in panel.plots._panels.values() for curve in trace.curves.values())


def test_a_strip_has_plots_and_names_alone(real_window: Make, qtbot: QtBot) -> None:
    """980 x 105 pixels: controls beside the plots, all three side by side; a button opens the list."""
    panel = shown(real_window, "rack_and_pinion", 400, STEADY, size=(980, 105))
    assert panel.plots.frame.height() == 105, "the controls take no height"
    assert panel.bar.quantity.isVisible()
    assert not button(panel, 0).isVisible()
    assert not panel.channels.isVisible()
    assert panel._layout.size().height() == 105
    areas = [trace.area() for trace in panel.plots._panels.values()]
    assert len(areas) == 3
    seen = QRectF(panel.plots.widget.rect())
    assert all(seen.contains(area) for area in areas)
    assert all(trace.plot.isVisible() for trace in panel.plots._panels.values())
    assert areas[0].right() <= areas[1].left()
    assert all(names(trace) for trace in panel.plots._panels.values())
    panel.bar.quantity.setFocus()
    qtbot.keyClick(panel.bar.quantity, Qt.Key.Key_Down)
    assert panel.group is Group.VELOCITY
    assert button(panel, 1).isChecked()
    qtbot.mouseClick(panel.tools.channels, LEFT)
    assert panel.channels.isVisible()


@pytest.mark.parametrize(
    ("size", "row", "listed"), [((640, 650), True, False), ((1300, 900), False, True), ((420, 180), True, False)]
)
def test_controls_are_one_row_above_the_plots(
    real_window: Make, qtbot: QtBot, size: tuple[int, int], row: bool, listed: bool
) -> None:
    panel = shown(real_window, "rack_and_pinion", 100, STEADY, size=size)
    assert panel.bar.folded is row
    assert panel.bar.height() <= (28 if row else 48)
    assert panel.bar.width() == size[0]
    assert panel.channels.isVisible() is listed
    qtbot.mouseClick(panel.tools.channels, LEFT)
    assert panel.channels.isVisible() is not listed


def test_plots_arranged_by_hand_are_so_in_the_next_window(real_window: Make) -> None:
    """For this document and quantity alone, with the curves that were on show; until there is one for every unit."""
    panel = shown(real_window, "four_bar", 100, size=(1000, 600))
    before = [set(trace.curves) for trace in panel.plots._panels.values()]
    panel.split_plot(panel.plots._panels["rad"].series)
    panel.add_axes([3])
    refreshed(panel)
    arranged = [set(trace.curves) for trace in panel.plots._panels.values()]
    assert len(arranged) > len(before)

    again = shown(real_window, "four_bar", 100, size=(1000, 600))
    assert [set(trace.curves) for trace in again.plots._panels.values()] == arranged
    again.set_group(Group.VELOCITY)
    assert not again.is_arranged
    assert not shown(real_window, "rack_and_pinion", 100, size=(1000, 600)).is_arranged
    again.set_group(Group.POSITION)
    again.one_plot_per_unit()
    assert not shown(real_window, "four_bar", 100, size=(1000, 600)).is_arranged


def test_plots_that_have_no_room_are_scrolled(real_window: Make) -> None:
    """None is left out without a word: what is checked is scrolled to."""
    panel = shown(real_window, "four_bar", 100, size=(420, 200))
    panel.split_plot(panel.plots._panels["rad"].series)
    refreshed(panel)
    assert all(trace.plot.isVisible() for trace in panel.plots._panels.values())
    assert panel.plots.widget.height() > panel.plots.frame.height()
    panel.add_axes([3])
    refreshed(panel)
    trace = next(trace for trace in panel.plots._panels.values() if "position/3" in trace.curves)
    panel.plots.scroll_to("position/3")
    top = trace.area().top() + panel.plots.widget.y()
    assert -1.0 <= top <= panel.plots.frame.height() - trace.area().height() + 8.0


def test_a_residual_of_nothing_has_its_plot(real_window: Make) -> None:
    """A constant 0 is in the middle of a range that is not blown-up noise, and the label has the unit."""
    panel = shown(real_window, "rack_and_pinion", 400, STEADY, size=(1000, 600))
    trace = panel.plots._panels["residual"]
    assert trace.plot.isVisible()
    low, high = trace.shown
    assert low == pytest.approx(-high)
    assert 1e-13 < high < 1e-3
    assert trace.plot.getAxis("left").labelText == "residual [m]"


def test_no_value_of_the_list_is_cut(real_window: Make) -> None:
    panel = shown(real_window, "rack_and_pinion", 400, "pinion_joint=velocity:-1234.5678")
    panel.set_group(Group.VELOCITY)
    refreshed(panel)
    _line, item = panel.legend._items["velocity/0"]
    assert item.text(1).endswith(" rad/s")
    hint = panel.legend.sizeHintForColumn(1)
    header = panel.legend.header()
    assert header is not None
    assert header.sectionSize(1) >= hint


def rows(panel: TracesPanel) -> list[str]:
    legend = panel.legend
    items = [legend.topLevelItem(number) for number in range(legend.topLevelItemCount())]
    return [item.text(0) for item in items if item is not None and not item.isHidden()]


def test_a_long_list_is_searched_and_has_the_checked_first(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    document = tmp_path / "chain.sdf"
    document.write_text(chain(LONG + 8))
    panel = shown(real_window, document, 5)
    panel._check({"position/20"})
    assert rows(panel)[:4] == ["On show", "joint_20", "Others", "joint_0"]
    field = panel.channels.filter
    field.setFocus()
    qtbot.keyClicks(field, "T_22")
    assert rows(panel) == ["Others", "joint_22"]
    _line, item = panel.legend._items["position/22"]
    box = panel.legend.visualItemRect(item)
    viewport = panel.legend.viewport()
    assert viewport is not None
    qtbot.mouseClick(viewport, LEFT, pos=QPoint(10, box.center().y()))
    assert item.checkState(0) is Qt.CheckState.Checked
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert rows(panel)[:3] == ["On show", "joint_20", "joint_22"]


def test_a_short_list_has_no_field_and_keeps_its_order(real_window: Make) -> None:
    panel = shown(real_window, "rack_and_pinion", 5)
    assert not panel.channels.filter.isVisible()
    panel._check({"position/1"})
    assert rows(panel)[:2] == ["pinion_joint", "rack_joint"]


def test_a_box_that_falls_has_curves(real_window: Make, tmp_path: Path) -> None:
    """z = 100 - g t²/2 to the order of the step, and v = -g t; it does not turn."""
    document = tmp_path / "fall.sdf"
    document.write_text(FALLING)
    panel = shown(real_window, document, 500)
    assert [series.label for series in panel._series] == [
        f"body {part}" for part in ("x", "y", "z", "roll", "pitch", "yaw")
    ]
    assert {series.label for series in panel.legend.visible_series()} == {"body x", "body y", "body z"}
    z = panel._columns["position/link/body/z"]
    assert z[-1] == pytest.approx(100.0 - 0.5 * GRAVITY * 0.5**2, abs=GRAVITY * 0.5 * 1e-3)
    assert panel._columns["position/link/body/x"] == pytest.approx(0.3)
    panel._check({series.key for series in panel._series})
    assert panel._columns["position/link/body/turn2"] == pytest.approx(0.0, abs=1e-12)
    assert list(panel.plots._panels) == ["rad", "m"]
    panel.set_group(Group.VELOCITY)
    assert panel._columns["velocity/link/body/vz"][-1] == pytest.approx(-GRAVITY * 0.5, rel=1e-9)
    assert [series.label for series in panel._series][3:] == ["body ωx", "body ωy", "body ωz"]
    panel.set_group(Group.EFFORT)
    assert "effort" in panel._nothing.text()
    assert panel._nothing.isVisible()


def test_the_angles_of_a_free_body_are_those_of_its_quaternion() -> None:
    """Round trip through `quat_from_rpy`, over the whole range but the poles."""
    wanted = np.random.default_rng(0).uniform((-np.pi, -1.5, -np.pi), (np.pi, 1.5, np.pi), (200, 3))
    quaternions = np.array([quat_from_rpy(*one) for one in wanted])
    for turn in range(3):
        assert angles(turn, *quaternions.T) == pytest.approx(wanted[:, turn], abs=1e-9)


def test_a_world_without_channels_says_so(real_window: Make, tmp_path: Path) -> None:
    document = tmp_path / "still.sdf"
    document.write_text(STILL)
    panel = shown(real_window, document, 5)
    assert "no channels" in panel._nothing.text()
    assert panel._nothing.isVisible()


def test_nothing_checked_is_said(real_window: Make) -> None:
    panel = shown(real_window, "four_bar", 5)
    panel.check_all(False)
    assert "No channel is checked" in panel._nothing.text()
    assert panel._nothing.isVisible()
    panel.check_all(True)
    assert not panel._nothing.isVisible()


def test_a_constant_curve_has_its_own_scale_after_another_quantity(real_window: Make) -> None:
    """The pinion turns at a constant 0.5 rad/s: around it, whatever the positions were."""
    panel = shown(real_window, "rack_and_pinion", 3000, STEADY)
    panel.span.setCurrentIndex(0)
    panel.set_group(Group.VELOCITY)
    panel._check({"velocity/0"})
    refreshed(panel)
    low, high = panel.plots._panels["rad/s"].plot.getViewBox().viewRange()[1]
    assert 0.3 < low < 0.5 < high < 0.7
    assert nice_range(np.full(9, 5.0)) == (4.5, 5.5)


def phase(panel: TracesPanel, qtbot: QtBot) -> None:
    qtbot.mouseClick(button(panel, len(Group)), LEFT)
    refreshed(panel)


def ticks(panel: TracesPanel) -> list[str]:
    """Figures at the axes of the phase plot."""
    found: list[str] = []
    for side in ("left", "bottom"):
        axis = panel.pages.phase._plot.getAxis(side)
        low, high = axis.range
        for spacing, values in axis.tickValues(low, high, 300)[:1]:
            found += axis.tickStrings(values, 1.0, spacing)
    return found


def test_the_phase_plot_at_rest_has_a_scale(real_window: Make, qtbot: QtBot) -> None:
    """Figures are distinct and short, and the words are true: it has not moved, and later that it did, and when."""
    panel = shown(real_window, "rack_and_pinion", 20, "pinion_joint=velocity:0")
    phase(panel, qtbot)
    texts = ticks(panel)
    assert len(set(texts)) >= 3
    assert all(len(re.sub(r"[-.]", "", text)) <= 6 for text in texts)
    assert "has not moved" in panel.pages.phase.figures.text()


def test_a_leader_that_moved_before_the_stretch_on_show_is_not_said_to_have_never_moved(
    real_window: Make, qtbot: QtBot
) -> None:
    panel = shown(real_window, "rack_and_pinion", 500, STEADY)
    live = panel._live
    live.send(SetDrive(*parse_drive("pinion_joint=velocity:0")))
    live.send(StepOnce(3000))
    live.poll()
    panel.span.setCurrentIndex(0)
    phase(panel, qtbot)
    text = panel.pages.phase.figures.text()
    assert "last moved at" in text
    moment = re.search(r"at ([0-9.]+) s", text)
    assert moment is not None
    assert float(moment[1]) == pytest.approx(0.5, abs=0.02)
    panel.span.setCurrentIndex(5)
    refreshed(panel)
    assert panel.pages.phase.line is not None, "the whole recording has the motion in it"


def test_figures_keep_their_unit_after_a_change_of_colours(real_window: Make, qtbot: QtBot) -> None:
    """The rack is below 0.1 m; with another theme the same figures stood there for millimetres."""
    panel = shown(real_window, "rack_and_pinion", 300, STEADY)
    phase(panel, qtbot)
    panel.theme.set_choice(ThemeChoice.DARK)
    refreshed(panel)
    assert [panel.pages.phase._plot.getAxis(side).autoSIPrefixScale for side in ("left", "bottom")] == [1.0, 1.0]


@pytest.mark.parametrize("page", [len(Group) + place for place in range(3)])
def test_the_controls_of_a_page_are_beside_its_plot_in_a_strip(real_window: Make, qtbot: QtBot, page: int) -> None:
    panel = shown(real_window, "rack_and_pinion", 100, STEADY, size=(980, 105))
    button(panel, page).click()
    refreshed(panel)
    plot = panel.pages.current._plot  # type: ignore[union-attr]
    assert plot.height() >= 100


def test_the_last_time_of_a_narrow_plot_is_whole(qtbot: QtBot) -> None:
    """With its unit it ends where the plot does, and lies on no other."""
    stack = PlotStack(LIGHT)
    qtbot.addWidget(stack.frame)
    stack.frame.resize(330, 120)
    stack.show_series([Series("s", "s", 0, "rad", 0)], {"rad": "rad"})
    stack.set_time_range(18.45, 28.45)  # just enough for the figures alone
    stack.frame.show()
    qtbot.waitExposed(stack.frame)
    (panel,) = stack._panels.values()
    axis = panel.plot.getAxis("bottom")
    picture = QPixmap(10, 10)
    painter = QPainter(picture)
    texts = axis.generateDrawSpecs(painter)[2]
    painter.end()
    assert texts[-1][2] == "28 s"
    assert texts[-1][0].right() <= axis.boundingRect().right() + 1e-9
    assert len(texts) > 1
    assert all(one[0].right() < other[0].left() for one, other in pairwise(texts))


def test_plots_beside_each_other_end_at_one_line_after_a_lecture(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar", (1280, 800))
    for on in (True, False):
        window.actions_["lecture"].setChecked(on)
        window.tick()
    qtbot.waitUntil(lambda: len(window.traces_panel.plots._panels) == 2)
    axes = [trace.plot.getAxis("bottom") for trace in window.traces_panel.plots._panels.values()]
    qtbot.waitUntil(lambda: axes[0].height() == axes[1].height() > 0.0)


@pytest.mark.parametrize("height", [52, 70, 200])
def test_figures_of_values_do_not_lie_on_each_other(qtbot: QtBot, height: int) -> None:
    """A window at 1280 by 800 with a question above the view leaves 45 pixels for plots."""
    view = pg.GraphicsLayoutWidget()
    qtbot.addWidget(view)
    view.resize(400, height)
    trace = TracePlot((Series("a", "a", 0, "rad", 0),), "rad", lambda *_: None)
    view.addItem(trace.plot)
    trace.plot.setYRange(-0.001, 0.001)
    view.show()
    qtbot.waitExposed(view)
    picture = QPixmap(10, 10)
    painter = QPainter(picture)
    painter.setFont(QApplication.font())
    specs = trace.plot.getAxis("left").generateDrawSpecs(painter)
    painter.end()
    texts = specs[2]
    middles = sorted(area.center().y() for area, _, _ in texts)
    assert middles
    assert all(b - a >= QFontMetricsF(QApplication.font()).ascent() for a, b in pairwise(middles))


def test_the_unit_is_in_the_middle_of_its_axis_or_left_out(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar", (1280, 800))
    window.live.send(StepOnce(10))
    refreshed(window.traces_panel)
    for trace in window.traces_panel.plots._panels.values():
        axis = trace.plot.getAxis("left")
        if axis.label.isVisible() and axis.labelText:
            area, label = axis.sceneBoundingRect(), axis.label.sceneBoundingRect()
            assert label.center().y() == pytest.approx(area.center().y(), abs=3.0)
            assert label.height() <= area.height() + 12.0


def test_the_largest_reaction_is_read_whole_in_a_strip(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar", (1280, 800))
    window.live.send(StepOnce(50))
    window.tick()
    panel = window.traces_panel
    panel._groups.button(7).click()
    figures = panel.pages.reaction.figures
    qtbot.waitUntil(lambda: (window.tick(), "largest" in figures.fitting())[1])
    assert figures.fontMetrics().horizontalAdvance(figures.fitting()) <= figures.width()
