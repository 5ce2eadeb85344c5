"""Curves and plots that are moved by hand, with a mouse: from the list, by their names, by their axes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyqtgraph as pg
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QAction, QMouseEvent
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.gui.panels.traces_panel import TracesPanel
from simulator.gui.traces.arrangement import DropPlace, arranged, grid, moved, plot_moved, split
from simulator.gui.traces.curve_names import CurveName, CurveNames, spread
from simulator.gui.traces.plan import Group, Series
from simulator.gui.traces.trace_plot import TracePlot
from simulator.gui.workbench import Arrangement
from simulator.session.commands.commands import StepOnce
from tests.gui.real import WORLDS, real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
PRESS, MOVE, RELEASE = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease
CRANK, COUPLER, ROCKER = "position/0", "position/1", "position/2"
ANGLES = Series("a", "a", 0, "rad", 0), Series("b", "b", 1, "rad", 1)
LENGTH, REST = Series("m", "m", 2, "m", 2), Series("r", "r", 3, "m", 3, residual=True)


def test_a_name_is_whole_before_its_value_is_there(qtbot: QtBot) -> None:
    view, names = pg.GraphicsLayoutWidget(), CurveNames(lambda *_: None)
    qtbot.addWidget(view)
    view.scene().addItem(names)
    names.set_style("#000000")
    name = CurveName("position/0", "pinion_joint", "1.972", "#000000", 0.0)
    names.show_names((name,), (-1.0, 1.0))
    both = names.wanted_width()
    for width, written in ((both, ("pinion_joint", "1.972")), (both - 2.0, ("pinion_joint", ""))):
        names.resize(width, 30.0)
        assert names.written(name) == written
    names.resize(60.0, 30.0)
    text, value = names.written(name)
    assert (text[:2], "…" in text, value) == ("pi", True, "")


def test_at_first_there_is_a_plot_for_each_unit_and_one_for_residuals() -> None:
    assert arranged((), (REST, LENGTH, *ANGLES)) == (("a", "b"), ("m",), ("r",))


def test_a_curve_that_is_checked_goes_to_its_own_kind_before_the_residuals() -> None:
    plots = (("b",), ("a",), ("r",))
    assert arranged(plots, (*ANGLES, LENGTH, REST)) == (("b",), ("a",), ("m",), ("r",))
    third = Series("c", "c", 4, "rad", 4)
    assert arranged(plots, (*ANGLES, third, REST)) == (("b", "c"), ("a",), ("r",))


def test_a_curve_keeps_its_place_while_it_is_not_on_show() -> None:
    plots = moved(arranged((), ANGLES), ["b"], "a", DropPlace.BEFORE)
    assert arranged(arranged(plots, ANGLES[:1]), ANGLES) == (("b",), ("a",))


def test_curves_are_moved_with_their_ideals() -> None:
    plots = (("a", "b", "b/ideal"), ("r",))
    assert moved(plots, ["b"], "r", DropPlace.AFTER) == (("a",), ("r",), ("b", "b/ideal"))
    assert moved((("a",), ("b", "b/ideal")), ["b"], "a", DropPlace.INSIDE) == (("a", "b", "b/ideal"),)
    assert moved((("a",), ("r",)), ["a"], "a", DropPlace.AFTER) == (("a",), ("r",))


def test_plots_change_places_and_are_split() -> None:
    plots = (("a", "a/ideal", "b"), ("m",), ("r",))
    assert plot_moved(plots, "r", "b", DropPlace.BEFORE) == (("r",), ("a", "a/ideal", "b"), ("m",))
    assert plot_moved(plots, "a", "m", DropPlace.AFTER) == (("m",), ("a", "a/ideal", "b"), ("r",))
    assert split(plots, "b") == (("a", "a/ideal"), ("b",), ("m",), ("r",))


def test_angles_and_lengths_never_share_a_plot() -> None:
    """A document that was edited may have made an angle a length."""
    assert arranged((("a", "m"),), (ANGLES[0], LENGTH)) == (("a",), ("m",))


@pytest.mark.parametrize(
    ("count", "size", "expected"),
    [
        (3, (980, 105), (1, 3)), (2, (640, 650), (2, 1)), (3, (400, 105), (3, 1)), (12, (1000, 300), (4, 3)),
        (0, (9, 9), (1, 1)),
    ],
)  # fmt: skip
def test_plots_are_side_by_side_where_there_is_no_room_below(
    count: int, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert grid(count, *size, (250, 72)) == expected


def test_no_name_covers_another() -> None:
    assert spread([10.0, 50.0], 12.0, 6.0, 94.0) == [10.0, 50.0]
    assert spread([50.0, 50.0, 50.0], 12.0, 6.0, 94.0) == [38.0, 50.0, 62.0]
    assert spread([50.0, 0.0, 1.0], 12.0, 6.0, 94.0) == [50.0, 6.0, 18.0]
    crowded = spread([90.0, 90.0, 20.0, 90.0], 12.0, 6.0, 94.0)
    assert sorted(crowded) == [20.0, 70.0, 82.0, 94.0]


def running(real_window: Make, world: str = "four_bar", steps: int = 300) -> TracesPanel:
    window = real_window(world, (1400, 980))
    window.workbench.show_only(["traces"])
    window.live.send(StepOnce(steps))
    window.tick()
    panel = window.traces_panel
    assert window.live.snapshot is not None
    window.workbench.arrange(Arrangement.FULL)
    QApplication.processEvents()
    panel.refresh(window.live.snapshot)
    QApplication.processEvents()
    return panel


def drag(qtbot: QtBot, widget: QWidget, start: QPoint, stop: QPoint, *, drop: bool = True) -> None:
    """Press, move in steps and release, all sent to the widget that the button was pressed in, as Qt does."""
    for kind, part in ((MOVE, 0.0), (PRESS, 0.0), (MOVE, 0.3), (MOVE, 0.7), (MOVE, 1.0), (RELEASE, 1.0)):
        if kind is RELEASE and not drop:
            return
        at = QPointF(start) + QPointF(stop - start) * part
        button = Qt.MouseButton.NoButton if kind is MOVE else LEFT
        held = LEFT if kind is PRESS or (kind is MOVE and part > 0.0) else Qt.MouseButton.NoButton
        event = QMouseEvent(kind, at, QPointF(widget.mapToGlobal(at.toPoint())), button, held, NONE)
        QApplication.sendEvent(widget, event)
        qtbot.wait(20)


def port(panel: TracesPanel) -> QWidget:
    viewport: QWidget = panel.plots.widget.viewport()  # type: ignore[attr-defined]
    return viewport


def pixel(panel: TracesPanel, trace: TracePlot, down: float, right: float = 0.4) -> QPoint:
    """A point of a plot, by parts of its size, in the viewport."""
    area = trace.area()
    at = QPointF(area.left() + right * area.width(), area.top() + down * area.height())
    point: QPoint = panel.plots.widget.mapFromScene(at)  # type: ignore[attr-defined]
    return point


def name_pixel(panel: TracesPanel, trace: TracePlot, key: str) -> QPoint:
    place = next(at for name, at in trace.names.placed() if name.key == key)
    point: QPoint = panel.plots.widget.mapFromScene(trace.names.mapToScene(QPointF(30.0, place)))  # type: ignore[attr-defined]
    return point


def row_pixel(panel: TracesPanel, key: str) -> QPoint:
    _line, item = panel.legend._items[key]
    return panel.legend.visualItemRect(item).center()


def plots(panel: TracesPanel) -> list[list[str]]:
    return [list(trace.curves) for trace in panel.plots._panels.values()]


def test_a_curve_gets_a_plot_of_its_own_at_an_edge_and_goes_back_inside(real_window: Make, qtbot: QtBot) -> None:
    panel = running(real_window)
    first = panel.plots._panels["rad"]
    assert plots(panel)[0] == [CRANK, COUPLER, ROCKER]
    drag(qtbot, port(panel), name_pixel(panel, first, COUPLER), pixel(panel, first, 0.05))
    assert plots(panel)[:2] == [[COUPLER], [CRANK, ROCKER]]
    above, below = list(panel.plots._panels.values())[:2]
    qtbot.waitUntil(lambda: above.area().height() > 0 and below.area().top() > above.area().top())
    assert panel.window().live.snapshot is not None  # type: ignore[attr-defined]
    panel.refresh(panel.window().live.snapshot)  # type: ignore[attr-defined]
    drag(qtbot, port(panel), name_pixel(panel, above, COUPLER), pixel(panel, below, 0.5))
    assert [sorted(keys) for keys in plots(panel)[:1]] == [[CRANK, COUPLER, ROCKER]]


def test_a_channel_of_the_list_is_dragged_below_a_plot(real_window: Make, qtbot: QtBot) -> None:
    """It is drawn there though it was not checked before; a click on a row still selects, and checks nothing."""
    panel = running(real_window)
    key, viewport = "position/3", panel.legend.viewport()
    assert viewport is not None
    assert key not in {series.key for series in panel.legend.visible_series()}
    target = port(panel).mapToGlobal(pixel(panel, panel.plots._panels["rad"], 0.95))
    drag(qtbot, viewport, row_pixel(panel, key), viewport.mapFromGlobal(target))
    assert plots(panel)[:2] == [[CRANK, COUPLER, ROCKER], [key]]
    assert panel.legend._items[key][1].checkState(0) is Qt.CheckState.Checked
    drag(qtbot, viewport, row_pixel(panel, CRANK), row_pixel(panel, CRANK) + QPoint(1, 0))
    assert plots(panel)[:2] == [[CRANK, COUPLER, ROCKER], [key]]


def test_where_it_would_go_is_marked_while_it_is_dragged(real_window: Make, qtbot: QtBot) -> None:
    """The whole plot for its own unit; an edge of one of another unit; nothing after Escape."""
    panel = running(real_window)
    angles, residuals = panel.plots._panels["rad"], panel.plots._panels["residual"]
    mark = panel.plots.drags.mark
    drag(qtbot, port(panel), name_pixel(panel, angles, CRANK), pixel(panel, angles, 0.5), drop=False)
    assert mark.isVisible()
    assert mark.rect().height() == pytest.approx(angles.area().height() - 2.0)
    before = plots(panel)
    qtbot.keyClick(panel.plots.widget, Qt.Key.Key_Escape)
    assert not mark.isVisible()
    QApplication.sendEvent(
        port(panel),
        QMouseEvent(RELEASE, QPointF(pixel(panel, angles, 0.05)), QPointF(), LEFT, Qt.MouseButton.NoButton, NONE),
    )
    assert plots(panel) == before
    drag(qtbot, port(panel), name_pixel(panel, angles, CRANK), pixel(panel, residuals, 0.55), drop=False)
    assert mark.isVisible()
    assert mark.rect().top() > residuals.area().top() + 0.6 * residuals.area().height()


def test_escape_ends_a_drag_out_of_the_list(real_window: Make, qtbot: QtBot) -> None:
    panel = running(real_window)
    viewport, before = panel.legend.viewport(), plots(panel)
    assert viewport is not None
    target = viewport.mapFromGlobal(port(panel).mapToGlobal(pixel(panel, panel.plots._panels["rad"], 0.95)))
    drag(qtbot, viewport, row_pixel(panel, CRANK), target, drop=False)
    assert panel.plots.drags.mark.isVisible()
    qtbot.keyClick(panel.legend, Qt.Key.Key_Escape)
    assert not panel.plots.drags.mark.isVisible()
    QApplication.sendEvent(
        viewport, QMouseEvent(RELEASE, QPointF(target), QPointF(), LEFT, Qt.MouseButton.NoButton, NONE)
    )
    assert plots(panel) == before


def test_a_plot_is_moved_by_its_axis(real_window: Make, qtbot: QtBot) -> None:
    panel = running(real_window)
    angles, residuals = panel.plots._panels["rad"], panel.plots._panels["residual"]
    drag(qtbot, port(panel), pixel(panel, residuals, 0.5, right=0.02), pixel(panel, angles, 0.1))
    assert list(panel.plots._panels) == ["residual", "rad"]


def menu_at(panel: TracesPanel, trace: TracePlot) -> dict[str, QAction]:
    window = panel.window()
    assert isinstance(window, MainWindow)
    panel.plots.widget.customContextMenuRequested.emit(pixel(panel, trace, 0.5))
    return {action.text().replace("&", ""): action for action in window.context_menus.menu.actions()}


def test_the_menu_of_a_plot_splits_restores_and_removes(real_window: Make) -> None:
    panel = running(real_window)
    menu = menu_at(panel, panel.plots._panels["rad"])
    assert "One plot per unit" not in menu
    menu["Split by joint"].trigger()
    assert plots(panel)[:3] == [[CRANK], [COUPLER], [ROCKER]]
    menu_at(panel, next(iter(panel.plots._panels.values())))["One plot per unit"].trigger()
    assert plots(panel)[0] == [CRANK, COUPLER, ROCKER]
    menu_at(panel, panel.plots._panels["rad"])["Remove this plot"].trigger()
    assert list(panel.plots._panels) == ["residual"]
    assert CRANK not in {series.key for series in panel.legend.visible_series()}


def test_an_arrangement_is_of_its_quantity_and_its_document(real_window: Make, qtbot: QtBot) -> None:
    panel = running(real_window)
    panel.split_plot(panel.plots._panels["rad"].series)
    arranged_by_hand = plots(panel)
    panel.set_group(Group.VELOCITY)
    assert list(panel.plots._panels) == ["rad/s", "residual"]
    panel.set_group(Group.POSITION)
    assert plots(panel) == arranged_by_hand
    live = panel.window().live  # type: ignore[attr-defined]
    for name in ("rack_and_pinion", "four_bar"):
        live.open(Path(WORLDS / f"{name}.sdf"))
        qtbot.waitUntil(lambda name=name: live.opened is not None and live.opened.path.stem == name)
        assert (plots(panel) == arranged_by_hand) is (name == "four_bar")
