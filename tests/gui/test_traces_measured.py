"""Cursors, decades, the phase plot and what is saved of the traces: by mouse, against closed forms."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PyQt6.QtCore import QEvent, QPointF, Qt
from PyQt6.QtGui import QImage, QMouseEvent, QPainter, QPixmap
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import simulator
from simulator.gui.main_window import MainWindow
from simulator.gui.tokens import LIGHT
from simulator.gui.traces.figures import PANEL, REST, FigureDialog, FigureSize
from simulator.gui.traces.plan import Group
from simulator.gui.traces.trace_plot import TimeAxis
from simulator.session.commands.commands import SetCoupling, StepOnce
from simulator.session.forces.forces_now import watched_joints
from tests.gui.real import real_window
from tests.helpers.repository import ROOT

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


STEADY = "pinion_joint=velocity:0.5"


def shown(real_window: Make, world: str, steps: int, *drives: str) -> MainWindow:
    window = real_window(world, drives=drives)
    window.live.send(StepOnce(steps))
    window.tick()
    assert window.live.snapshot is not None
    window.traces_panel.refresh(window.live.snapshot)
    return window


def row_of(window: MainWindow, name: str) -> list[str]:
    legend = window.traces_panel.legend
    items = [legend.topLevelItem(i) for i in range(legend.topLevelItemCount())]
    item = next(item for item in items if item is not None and item.text(0) == name)
    return [item.text(column) for column in range(legend.columnCount())]


def test_two_cursors_measure_between_them(real_window: Make, qtbot: QtBot) -> None:
    """The pinion turns at 0.5 rad/s: between 0.5 and 1.5 s it turns by 0.5 rad, 0.5 on average, and RMS sqrt(13/12)/2 =
    0.520."""
    panel = shown(real_window, "rack_and_pinion", 2000, STEADY).traces_panel
    qtbot.mouseClick(panel.tools.cursors, LEFT)
    assert row_of(panel.window(), "pinion_joint")[2:] == ["0.500 rad", "0.500", "0.520"]  # type: ignore[arg-type]
    QApplication.processEvents()  # the list has become wider
    trace = next(iter(panel.plots._panels.values()))
    line, box = trace.pair[1], trace.plot.getViewBox()
    view = panel.plots.widget
    start = view.mapFromScene(box.mapViewToScene(QPointF(line.value(), 0.6)))  # type: ignore[attr-defined]
    stop = view.mapFromScene(box.mapViewToScene(QPointF(1.7, 0.6)))  # type: ignore[attr-defined]
    port = view.viewport()  # type: ignore[attr-defined]
    kinds = QEvent.Type
    for kind, part in (
        (kinds.MouseMove, 0.0), (kinds.MouseButtonPress, 0.0), (kinds.MouseMove, 0.3), (kinds.MouseMove, 0.7),
        (kinds.MouseMove, 1.0), (kinds.MouseButtonRelease, 1.0),
    ):  # fmt: skip
        at, held = QPointF(start) + QPointF(stop - start) * part, part > 0.0 and kind is not kinds.MouseButtonRelease
        button = Qt.MouseButton.NoButton if kind is kinds.MouseMove else LEFT
        buttons = LEFT if held or kind is kinds.MouseButtonPress else Qt.MouseButton.NoButton
        QApplication.sendEvent(
            port, QMouseEvent(kind, at, QPointF(port.mapToGlobal(at.toPoint())), button, buttons, NONE)
        )
        qtbot.wait(20)
    assert line.value() == pytest.approx(1.7, abs=0.15), "4 pixels, after which a press is a drag, at 0.03 s a pixel"
    assert [other.pair[1].value() for other in panel.plots._panels.values()] == [line.value()] * len(
        panel.plots._panels
    )
    delta = float(row_of(panel.window(), "pinion_joint")[2].split()[0])  # type: ignore[arg-type]
    assert delta == pytest.approx(0.5 * (line.value() - 0.5), abs=2e-3)
    qtbot.mouseClick(panel.tools.cursors, LEFT)
    assert panel.legend.columnCount() == 2


def test_residuals_in_decades(real_window: Make, qtbot: QtBot) -> None:
    panel = shown(real_window, "four_bar", 300).traces_panel
    qtbot.mouseClick(panel.tools.logarithmic, LEFT)
    trace = panel.plots._panels["residual"]
    key, curve = next((key, curve) for key, curve in trace.curves.items() if "residual_m" in key)
    drawn, values = curve.getData()[1], panel._columns[key]
    assert drawn == pytest.approx(np.log10(np.maximum(np.abs(values), 1e-18))[-len(drawn) :])
    assert drawn.max() < -12.0
    assert trace.plot.getAxis("left").logMode


@pytest.mark.parametrize("world", ["rack_and_pinion", "differential", "screw_press"])
def test_the_measured_slope_is_the_declared_multiplier(real_window: Make, qtbot: QtBot, world: str) -> None:
    """Laws hold to round-off, so that the slope of least squares does, too: 1e-9 is asked for."""
    window = shown(real_window, world, 1500)
    panel, laws = window.traces_panel, window.live.laws
    assert laws is not None
    qtbot.mouseClick(panel._groups.button(6), LEFT)
    checked = 0
    for index in range(panel.pages.phase.choice.count()):
        panel.pages.phase.choice.setCurrentIndex(index)
        if panel.pages.phase.line is not None:
            law = laws.coupling(index)
            assert panel.pages.phase.line.slope == pytest.approx(law.multiplier, abs=1e-9)
            assert panel.pages.phase.line.intercept == pytest.approx(law.constant, abs=1e-9)
            assert "slope" in panel.pages.phase.figures.text()
            checked += 1
    assert checked


def test_a_mechanism_without_couplings_has_no_phase(real_window: Make, qtbot: QtBot) -> None:
    """Neither the curve nor the table of the one that was open before is left."""
    window = shown(real_window, "rack_and_pinion", 20)
    panel = window.traces_panel
    qtbot.mouseClick(panel._groups.button(len(Group)), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: (window.tick(), panel.pages.phase.table().columns)[1] != ())
    window.open_path(ROOT / "worlds" / "four_bar.sdf")
    qtbot.waitUntil(lambda: (window.tick(), "no couplings" in panel.pages.phase.figures.text())[1])
    assert not panel.pages.phase.table().columns
    curve, _ = panel.pages.phase._curve.getData()
    assert curve is None or not len(curve)


def test_a_law_that_is_changed_is_measured_from_then_on(real_window: Make, qtbot: QtBot) -> None:
    window = shown(real_window, "rack_and_pinion", 500)
    window.live.send(SetCoupling(0, 0.03, 0.0, 0.0))
    window.live.send(StepOnce(500))
    window.tick()
    qtbot.mouseClick(window.traces_panel._groups.button(6), LEFT)
    assert window.traces_panel.pages.phase.line is not None
    assert window.traces_panel.pages.phase.line.slope == pytest.approx(0.03, abs=1e-9)


def save_traces(
    window: MainWindow, qtbot: QtBot, target: Path, monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[FigureDialog], int] = lambda _dialog: 1,
) -> None:  # fmt: skip
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    monkeypatch.setattr(FigureDialog, "exec", answer)
    qtbot.mouseClick(window.traces_panel.tools.save, LEFT)


def test_what_is_on_show_is_saved(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = shown(real_window, "rack_and_pinion", 400, STEADY), tmp_path / "traces.csv"
    save_traces(window, qtbot, target, monkeypatch)
    rows = list(csv.reader(target.read_text().splitlines()))
    assert len(rows) == 402
    assert len(rows[0]) == 1 + len(window.traces_panel.legend.visible_series())
    assert float(rows[-1][1]) == pytest.approx(0.2, abs=1e-9)


def test_a_figure_has_curves_where_its_ticks_say(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the stretch of time of the recording a curve goes from one side of its panel to the other, and the labels of
    0 and of the end stand below these."""
    window, target = shown(real_window, "rack_and_pinion", 400, STEADY), tmp_path / "traces.svg"
    save_traces(window, qtbot, target, monkeypatch)
    text = target.read_text()
    for label in ("rack_joint", "pinion_joint", "time [s]", "position [rad]", "position [m]", "rack_and_pinion"):
        assert f">{label}<" in text, label
    ink = "|".join(colour.removeprefix("#") for colour in LIGHT.series[:2])
    curves = re.findall(rf'<path d="([^"]*)" clip-path="[^"]*" style="fill: none; stroke: #(?:{ink})', text)
    assert len(curves) >= 2
    sides = [[float(x) for x in re.findall(r"[ML] ([-0-9.]+) ", curve)] for curve in curves]
    labels = re.findall(r'text-anchor: middle" x="([-0-9.]+)"[^>]*>([0-9.]+)</text>', text)
    place = {float(value): float(x) for x, value in labels}
    for xs in sides:
        assert min(xs) == pytest.approx(place[0.0], abs=0.01)
        assert max(xs) == pytest.approx(place[0.4], abs=0.01)


@pytest.mark.parametrize("residuals", [False, True])
def test_a_figure_has_residuals_only_if_they_are_asked_for(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, residuals: bool
) -> None:
    window, target = shown(real_window, "four_bar", 100, "crank_joint=velocity:6"), tmp_path / "traces.svg"
    heights = []

    def answer(dialog: FigureDialog) -> int:
        assert not dialog.residuals.isChecked()
        dialog.residuals.setChecked(residuals)
        heights.append(dialog.height_.value())
        return 1

    save_traces(window, qtbot, target, monkeypatch, answer)
    text = target.read_text()
    assert ">position [rad]<" in text
    assert ">time [s]<" in text
    assert (">residual [m]<" in text) is (">residual [rad]<" in text) is residuals
    assert heights == [(3 if residuals else 1) * PANEL + REST]


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_a_figure_has_the_size_that_is_asked_for(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    window, target = shown(real_window, "rack_and_pinion", 100, STEADY), tmp_path / f"traces.{suffix}"
    monkeypatch.setattr(FigureDialog, "size_", lambda _self: FigureSize(120.0, 80.0, 200, "A rack"))
    save_traces(window, qtbot, target, monkeypatch)
    if suffix == "png":
        picture = QImage(str(target))
        assert (picture.width(), picture.height()) == (int(120 / 25.4 * 200), int(80 / 25.4 * 200))
    else:
        box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \]", target.read_bytes())
        assert box is not None
        assert [float(one) for one in box.groups()] == pytest.approx([120 / 25.4 * 72, 80 / 25.4 * 72], abs=0.01)


def test_a_figure_can_be_saved_of_every_page(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = shown(real_window, "rack_and_pinion", 100, STEADY)
    for page in range(6, 9):
        qtbot.mouseClick(window.traces_panel._groups.button(page), LEFT)
        window.tick()
        target = tmp_path / f"{page}.svg"
        save_traces(window, qtbot, target, monkeypatch)
        assert "time [s]" in target.read_text()


def test_curves_have_a_point_for_each_column_of_the_plot_and_fifty_at_least(real_window: Make) -> None:
    plots = shown(real_window, "rack_and_pinion", 10).traces_panel.plots
    widths = {}
    for width in (60, 600, 900):
        plots.frame.setFixedSize(width, 400)
        QApplication.processEvents()
        widths[width] = plots.width_in_pixels()
    assert widths[60] == 50
    assert widths[900] - widths[600] == 300
    assert widths[900] < 900, "axes and their labels take some"


def saved(window: MainWindow, target: Path) -> tuple[list[str], np.ndarray]:
    """Header and numbers of what is on show."""
    window.traces_panel.tools.chosen.emit(target)
    header, *rows = csv.reader(target.read_text().splitlines())
    return header, np.array(rows, dtype=float)


def test_reactions_are_saved_as_they_were_computed(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """Whatever units the screen has; beside those of the API to the last digits of a double."""
    window = real_window("four_bar", drives=("crank_joint=velocity:6",))
    panel = window.traces_panel
    for name in ("degrees", "millimetres"):
        window.actions_[name].setChecked(True)
    qtbot.mouseClick(panel._groups.button(7), LEFT)
    for _ in range(5):
        window.live.send(StepOnce(20))
        window.tick()
    assert window.live.snapshot is not None
    panel.pages.reaction.joint.setCurrentIndex(1)
    panel.refresh(window.live.snapshot)
    header, rows = saved(window, tmp_path / "reactions.csv")
    joint = watched_joints(window.live.laws.mechanism)[1]  # type: ignore[union-attr]
    forces = [f"reaction/{joint}/force_{axis} [N]" for axis in "xyz"]
    assert header == ["time [s]", *forces, *(f"reaction/{joint}/moment_{axis} [N·m]" for axis in "xyz")]
    sim = simulator.load("four_bar")
    sim.run(duration=float(rows[-1, 0]), drives={"crank_joint": simulator.velocity(6.0)})
    expected = sim.reactions().wrenches[joint]
    np.testing.assert_allclose(rows[-1, 1:], expected, rtol=1e-9, atol=1e-9)
    assert np.abs(expected).max() > 1.0


def test_what_a_follower_lacks_of_its_ideal_is_a_curve(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """follower − (multiplier · leader + offset) with the recorded numbers, in positions and in velocities."""
    window = shown(real_window, "rack_and_pinion", 400, STEADY)
    panel, client = window.traces_panel, window.live.client
    (law,) = window.live.laws.mechanism.couplings  # type: ignore[union-attr]
    for group in (Group.POSITION, Group.VELOCITY):
        panel.set_group(group)
        key = f"{group.value}/{law.follower}/delta"
        series = next(one for one in panel._series if one.key == key)
        assert series.residual, "it is drawn in the plot of residuals, which has decades"
        panel._check({key})
        assert window.live.snapshot is not None
        panel.refresh(window.live.snapshot)
        assert key in panel.plots._panels["residual"].curves
        places = {(channel.group, channel.index): i for i, channel in enumerate(client.channels)}  # type: ignore
        columns = [places[group.value, axis] for axis in (law.follower, law.leader)]
        _, values = client.trace(columns, 0.0)  # type: ignore[union-attr]
        constant = law.constant if group is Group.POSITION else 0.0
        expected = values[:, 0] - (law.multiplier * values[:, 1] + constant)
        np.testing.assert_allclose(panel._columns[key], expected, atol=1e-15)
        header, rows = saved(window, tmp_path / f"{group.value}.csv")
        assert header[1] == f"{key} [{series.unit}]"
        np.testing.assert_array_equal(rows[:, 1], panel._columns[key])


def test_a_law_that_is_changed_makes_the_difference_from_then_on(real_window: Make) -> None:
    """Each stretch of time by the law that held then: the difference stays at nothing, though the multiplier grew by a
    half."""
    window = shown(real_window, "rack_and_pinion", 300, STEADY)
    window.live.send(SetCoupling(0, 0.03, 0.0, 0.0))
    window.live.send(StepOnce(300))
    window.tick()
    panel = window.traces_panel
    (law,) = window.live.laws.mechanism.couplings  # type: ignore[union-attr]
    key = f"position/{law.follower}/delta"
    panel._check({key})
    assert window.live.snapshot is not None
    panel.refresh(window.live.snapshot)
    assert len(panel._columns[key]) > 590
    assert np.abs(panel._columns[key]).max() < 1e-12


def test_the_phase_plot_is_saved_with_ideal_and_difference(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = shown(real_window, "rack_and_pinion", 400, STEADY)
    qtbot.mouseClick(window.traces_panel._groups.button(6), LEFT)
    header, rows = saved(window, tmp_path / "phase.csv")
    assert [head.rpartition("/")[2] for head in header[1:]] == [
        "position [rad]", "position [m]", "ideal [m]", "delta [m]"
    ]  # fmt: skip
    np.testing.assert_array_equal(rows[:, 4], rows[:, 2] - rows[:, 3])
    assert rows[-1, 1] == pytest.approx(0.2, abs=1e-9)


def test_times_of_hours_do_not_run_into_each_other_in_a_narrow_plot(qtbot: QtBot) -> None:
    axis = TimeAxis()
    plot = pg.PlotWidget(axisItems={"bottom": axis})
    qtbot.addWidget(plot)
    plot.setXRange(35990.0, 36000.0, padding=0.0)
    for width in range(110, 400, 20):
        plot.resize(width, 100)
        plot.grab()
        picture = QPixmap(400, 100)
        painter = QPainter(picture)
        painter.setFont(QApplication.font())
        texts = axis.generateDrawSpecs(painter)[2]
        painter.end()
        assert texts
        assert texts[-1][2].endswith(" s")
        assert all(a.right() < b.left() for (a, _, _), (b, _, _) in pairwise(texts)), width
