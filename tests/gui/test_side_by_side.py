"""Runs beside each other: views that look from the same place, traces over each other, a table of drift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, QSize, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from simulator.gui.compare.side_by_side import CHANGES, DOCUMENT, TICKS, SideBySide
from simulator.gui.main_window import MainWindow
from simulator.gui.viewport import views
from simulator.session.commands.commands import SetCoupling, SetNumber
from tests.gui.real import WORLDS, real_window
from tests.helpers.drives import set_drive

__all__ = ["real_window"]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def compare(
    real_window: Callable[..., MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], SideBySide]:
    """Opens the window by its key, over a world; runs in this process."""
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")

    def make(world: str) -> SideBySide:
        window = real_window(world)
        window.beside.apart = False
        window.actions_["side_by_side"].trigger()
        assert window.beside.window is not None
        qtbot.waitExposed(window.beside.window)
        window.beside.window.duration.setValue(0.5)
        return window.beside.window

    return make


def cell(window: SideBySide, row: int, column: str) -> str:
    headings = [window.table.horizontalHeaderItem(i).text() for i in range(window.table.columnCount())]
    return window.table.item(row, headings.index(column)).text().replace("−", "-")


def test_a_changed_length_is_drawn_in_its_lane(compare: Callable[[str], SideBySide], qtbot: QtBot) -> None:
    """The bar of the rocker is 60 mm longer in the second view."""
    window = compare("four_bar")
    window._live.send(SetNumber("four_bar::rocker.length", 0.36))
    qtbot.waitUntil(lambda: window._live.laws.numbers != ())
    window.kind.setCurrentIndex(window.kind.findData(CHANGES))
    window.begin()
    lengths = []
    for view in window.views:
        scene = view.state.scene
        bar = next(d for d in scene.drawables if scene.links[d.link] == "four_bar::rocker")
        points = scene.surfaces[bar.surface].positions.astype(float) @ bar.matrix[:3, :3].T + bar.matrix[:3, 3]
        lengths.append(float(np.ptp(points[:, 0])))
    assert lengths[1] - lengths[0] == pytest.approx(0.06, abs=1e-6)  # of single precision


def test_strategies_with_linked_views_and_one_time(compare: Callable[[str], SideBySide], qtbot: QtBot) -> None:
    window = compare("four_bar")
    assert window._explanation.isVisible()
    assert window.table.isHidden()
    qtbot.mouseClick(window.run, LEFT)
    assert window._explanation.isHidden()
    assert window.table.isVisible()
    assert [view.title.text() for view in window.views] == ["rows", "reduced", "gear"]
    assert float(cell(window, 1, "drift [rad]")) <= 1e-9
    assert float(cell(window, 0, "loops [m]")) <= 1e-12
    camera = window.views[0].state.camera
    canvas = window.views[0].canvas
    event = QWheelEvent(
        QPointF(20, 20), canvas.mapToGlobal(QPointF(20, 20)), QPoint(), QPoint(0, 240),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)
    assert window.views[0].state.camera != camera
    assert all(view.state.camera == window.views[0].state.camera for view in window.views)
    window.slider.setValue(TICKS // 2)
    assert window.time.text() == "t = 0.250 s"
    assert window.plot.head.value() == pytest.approx(0.25)
    half = window.lanes[0].moment(0.25)
    assert window.lanes[0].times[half] == pytest.approx(0.24)
    assert np.array_equal(window.views[1].state.poses, window.views[1]._poses.at(window.lanes[1].body_poses[half]))


def test_in_a_small_window_nothing_of_the_motion_nor_of_the_plot_is_cut(
    compare: Callable[[str], SideBySide], qtbot: QtBot
) -> None:
    """1280 by 800 pixels at a scale of 1.5. The time axis is below the curves, within the plot."""
    window = compare("four_bar")
    window.resize(853, 533)
    qtbot.mouseClick(window.run, LEFT)
    qtbot.wait(50)
    assert window.size() == QSize(853, 533)
    for view in window.views:
        canvas = view.canvas
        assert view.rect().contains(canvas.geometry())
        seen = view.state.camera.project(view.corners(), canvas.width() / canvas.height())
        assert np.abs(seen[:, :2]).max() <= 1.0
    plot = window.plot.plot
    axis = plot.getAxis("bottom").sceneBoundingRect()
    assert plot.viewRect().isValid()
    assert plot.rect().toRectF().contains(axis)
    before = window.views[0].state.camera
    window.views[0].turned.emit(replace(before, distance=2.0 * before.distance))
    window.resize(1000, 700)
    qtbot.wait(50)
    assert window.views[1].state.camera.distance == 2.0 * before.distance, "the user's choice"


def test_before_and_after_a_change_with_the_same_drive(
    real_window: Callable[..., MainWindow], compare: Callable[[str], SideBySide], qtbot: QtBot
) -> None:
    window = compare("rack_and_pinion")
    live = window._live
    live.send(set_drive("pinion_joint=velocity:2"))
    live.send(SetCoupling(0, 0.03, 0.0, 0.0))
    live.poll()
    window.kind.setCurrentIndex(window.kind.findData(CHANGES))
    qtbot.mouseClick(window.run, LEFT)
    assert [lane.contender.label for lane in window.lanes] == ["As in the document", "As it is now"]
    assert not window.plot.differences.isChecked()
    assert window.plot.where.currentText() == "rack_joint", "the pinion is driven as before"
    window.plot.differences.setChecked(True)
    (times, first), (_, second) = window.plot.curves()
    angle = window.lanes[0].position[:, 0]
    assert np.array_equal(first, np.zeros_like(first))
    assert second == pytest.approx(0.01 * angle, abs=1e-9)
    assert times[-1] == pytest.approx(0.5)
    assert cell(window, 1, "most in") == "rack_joint"
    assert float(cell(window, 1, "difference [m]")) == pytest.approx(0.01 * angle[-1], rel=0.06), "two digits are shown"


def test_a_changed_document_is_compared_with_itself_before(
    real_window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    main = real_window("rack_and_pinion")
    main.beside.apart = False
    for changes in (False, True):
        if changes:
            main.live.send(SetCoupling(0, 0.03, 0.0, 0.0))
            main.live.poll()
        main.beside.open()
        window = main.beside.window
        assert window is not None
        assert (window.kind.currentData() == CHANGES) is changes
        assert len(window.lanes) == 2 * changes, "what was changed is compared at once"
    main.beside.close()


def test_velocities_efforts_and_reactions_are_compared(
    compare: Callable[[str], SideBySide], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A rack that is driven with twice the ratio at the same speed of the pinion moves at twice its speed, and its
    guide carries the same weight, 0.5 kg or what the document says."""
    window = compare("rack_and_pinion")
    live = window._live
    live.send(set_drive("pinion_joint=velocity:2"))
    live.send(SetCoupling(0, 0.04, 0.0, 0.0))
    live.poll()
    window.kind.setCurrentIndex(window.kind.findData(CHANGES))
    qtbot.mouseClick(window.run, LEFT)
    plot = window.plot
    plot.quantity.setCurrentText("Velocity")
    plot.where.setCurrentText("rack_joint")
    (_, slow), (_, fast) = plot.curves()
    assert slow[1:] == pytest.approx(0.04)
    assert fast[1:] == pytest.approx(0.08)
    plot.quantity.setCurrentText("Effort of drives")
    assert plot.where.currentText() == "rack_joint", "it stays"
    plot.quantity.setCurrentText("Force of joints")
    mass = live.opened.mechanism.bodies[live.opened.mechanism.joints[1].child].mass
    for _, force in plot.curves():
        assert force[5:] == pytest.approx(9.8 * mass, rel=1e-6)
    target = tmp_path / "a.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: (str(target), ""))
    window.save.click()
    head, *rows = target.read_text(encoding="utf-8").splitlines()
    scoped = live.opened.mechanism.joints[1].name
    assert head == f"time [s],As in the document/force/{scoped} [N],As it is now/force/{scoped} [N]"
    assert len(rows) == len(window.lanes[0].times)
    target = tmp_path / "a.svg"
    monkeypatch.setattr("simulator.gui.traces.figures.FigureDialog.exec", lambda _dialog: 1)
    window.save.click()
    assert "As it is now" in target.read_text(encoding="utf-8")


def test_a_strategy_that_knows_no_reactions_has_none(compare: Callable[[str], SideBySide], qtbot: QtBot) -> None:
    pytest.importorskip("pybullet")
    window = compare("four_bar")
    qtbot.mouseClick(window.run, LEFT)
    assert window.plot.differences.isChecked()
    window.plot.differences.setChecked(False)
    window.plot.quantity.setCurrentText("Force of joints")
    rows, reduced, gear = (values for _, values in window.plot.curves())
    np.testing.assert_allclose(rows, reduced, rtol=1e-6)
    assert np.isnan(gear).all()


def test_another_document_and_what_it_does_not_have(
    compare: Callable[[str], SideBySide], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = compare("rack_and_pinion")
    window.kind.setCurrentIndex(window.kind.findData(DOCUMENT))
    chosen = [str(WORLDS / "four_bar.sdf")]
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (chosen[0], ""))
    qtbot.mouseClick(window.run, LEFT)
    assert [view.title.text() for view in window.views] == ["rack_and_pinion.sdf", "four_bar.sdf"]
    assert "pinion_joint" in window.message.text(), "it is not driven in both"
    bad = tmp_path / "bad.sdf"
    bad.write_text("<sdf version='1.11'><model name='m'/></sdf>")
    chosen[0] = str(bad)
    qtbot.mouseClick(window.run, LEFT)
    assert "bad.sdf cannot be simulated. Errors: 1." in window.message.text()
    assert len(window.views) == 2, "what was there stays"


def test_it_plays_to_the_end_and_begins_again(compare: Callable[[str], SideBySide], qtbot: QtBot) -> None:
    window = compare("rack_and_pinion")
    window.duration.setValue(0.1)
    qtbot.mouseClick(window.run, LEFT)
    qtbot.mouseClick(window.play, LEFT)
    qtbot.waitUntil(lambda: window.slider.value() == TICKS, timeout=5000)
    assert window.play.text() == "Play"


def test_the_window_of_comparisons_goes_with_its_own(
    real_window: Callable[..., MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened again, the one before is gone; closed with the main window, none is left."""
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    window = real_window("four_bar")
    window.beside.apart = False
    window.actions_["side_by_side"].trigger()
    first = window.beside.window
    assert first is not None
    window.actions_["side_by_side"].trigger()
    second = window.beside.window
    assert second is not None
    assert (first.isVisible(), second.isVisible()) == (False, True)
    window.beside.close()
    assert window.beside.window is None
    assert not second.isVisible()
