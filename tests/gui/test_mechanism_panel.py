"""The Mechanism panel: numbers of a real four-bar, at the start and here; names of rows and columns; energies of
now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from simulator.condition.condition import condition_of
from simulator.gui.live import LiveSession
from simulator.gui.panels import mechanism_panel
from simulator.gui.panels.matrix_table import MatrixTable, without_models
from simulator.gui.panels.mechanism_panel import MechanismPanel
from simulator.gui.panels.tiles import Tile, Tiles
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.tokens import LIGHT
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.named import NamedMatrix
from simulator.session.commands.commands import SetCoupling, SetPosition, StepOnce
from simulator.session.look.condition_here import report_condition, state_of
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from tests.gui.conftest import Bench
from tests.helpers.local_client import LocalClient


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> MechanismPanel:
    live = LiveSession(open_document, lambda o: LocalClient(o, SessionSettings(paused=True)), paused=True, speed=1.0)
    made = MechanismPanel(live, Theme(qapp, ThemeChoice.LIGHT), threaded=False)
    qtbot.addWidget(made)
    made.show()
    live.open(find_file("four_bar"))
    qtbot.waitUntil(lambda: made.report is not None)
    return made


def test_a_four_bar_is_told_as_describe_tells_it(panel: MechanismPanel) -> None:
    opened = panel._live.opened
    assert opened is not None
    expected = report_condition(opened.mechanism)
    assert panel.mobility.value.text() == "1"
    assert panel.redundant.value.text() == "3"
    assert float(panel.distance.value.text()) == pytest.approx(expected.condition.distance_to_singularity, rel=1e-2)
    text = panel.sentences.text()
    assert "crank-rocker" in text
    assert "assembled open" in text
    assert all(line.strip() in text for line in expected.lines)
    assert panel.where.text() == "assembled start"


def test_k_and_g_have_names(panel: MechanismPanel) -> None:
    report = panel.report
    assert report is not None
    assert panel.table.matrix is report.condition.K
    model = panel.table.model()
    assert model is not None
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    assert [model.headerData(i, across) for i in range(3)] == ["crank_joint", "rocker_joint", "coupler_joint"]
    assert model.headerData(0, down) == "closing_joint: turn about x"
    assert model.headerData(0, down, Qt.ItemDataRole.ToolTipRole) == "four_bar::closing_joint: turn about x"
    panel._matrices.button(1).click()
    assert panel.table.matrix is report.condition.G
    assert model.headerData(0, across) == "crank_joint"
    assert model.data(model.index(0, 0)) == "1"


def test_here_is_where_the_simulation_is(panel: MechanismPanel) -> None:
    live = panel._live
    live.send(SetPosition(0, 0.9))
    live.poll()
    at_start = panel.distance.value.text()
    panel.here.click()
    assert panel.where.text().startswith("t = ")
    assert panel.distance.value.text() != at_start
    assert live.opened is not None
    assert live.snapshot is not None
    assert panel.report is not None
    state = state_of(live.opened.mechanism, live.snapshot)
    np.testing.assert_allclose(panel.report.condition.K.array, condition_of(live.opened.mechanism, state).K.array)
    panel.start.click()
    assert panel.distance.value.text() == at_start


def test_energies_are_those_of_now(panel: MechanismPanel) -> None:
    live = panel._live
    live.send(StepOnce(200))
    live.poll()
    snapshot = live.snapshot
    assert snapshot is not None
    panel.show_snapshot(snapshot)
    shown = float(panel.energies["kinetic"].value.text().removesuffix(" J"))
    assert shown == pytest.approx(snapshot.energy.kinetic, rel=1e-2)
    assert shown > 0.0
    still = replace(snapshot, energy=replace(snapshot.energy, kinetic=6e-37))
    panel.show_snapshot(still)
    assert panel.energies["kinetic"].value.text() == "0 J"


@pytest.mark.parametrize("name", ["gripper", "stewart", "fast_slow_pendulums"])
def test_the_state_of_a_snapshot_puts_every_body_where_it_is(name: str) -> None:
    """Balls and free bodies included: their poses come from the bodies. Tolerance: round-off of a product of eight
    poses."""
    opened = open_document(find_file(name))
    client = LocalClient(opened, SessionSettings(paused=True, solver="reduced"))
    client.send(StepOnce(100))
    snapshot, _ = client.poll()
    client.close()
    assert snapshot is not None
    poses = Kinematics(opened.mechanism).body_matrices(state_of(opened.mechanism, snapshot))
    np.testing.assert_allclose(poses[:, :3, 3], snapshot.body_poses[:, :3], atol=1e-12)


def test_nothing_is_computed_while_nobody_looks(bench: Bench, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    asked: list[object] = []
    real = report_condition

    def counted(mechanism: object, snapshot: object = None) -> object:
        asked.append(snapshot)
        return real(mechanism, snapshot)  # type: ignore[arg-type]

    monkeypatch.setattr(mechanism_panel, "report_condition", counted)
    bench.open()
    qtbot.wait(30)
    assert asked == []
    bench.window.mechanism_panel.bring_up()
    qtbot.waitUntil(lambda: bench.window.mechanism_panel.report is not None)
    assert asked == [None]


def test_a_changed_law_is_in_k(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    panel = bench.window.mechanism_panel
    panel.bring_up()
    qtbot.waitUntil(lambda: panel.report is not None)
    bench.live.send(SetCoupling(0, 0.25, 0.0, 0.0))
    bench.window.tick()

    def multiplier() -> float:
        K = panel.table.matrix.array
        return float(np.abs(K[0]).min() / np.abs(K[0]).max())

    qtbot.waitUntil(lambda: multiplier() == pytest.approx(0.25))


def test_what_goes_wrong_is_told(panel: MechanismPanel, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no rank")

    monkeypatch.setattr(mechanism_panel, "report_condition", fail)
    panel.here.click()
    assert "no rank" in panel.sentences.text()


def test_near_a_singular_position_the_number_warns(panel: MechanismPanel) -> None:
    report = panel.report
    assert report is not None
    condition = report.condition
    near = replace(condition, distances=replace(condition.distances, change_point=0.001))
    panel._computed(replace(report, condition=near), None)
    assert panel.distance.value.property("level") == "warning"
    panel._computed(replace(report, condition=replace(near, contradictory=("a",))), None)
    assert panel.redundant.value.property("level") == "error"


def test_tiles_share_rows(qtbot: QtBot) -> None:
    tiles = Tiles(tuple(Tile(str(i), "") for i in range(5)), 100)
    qtbot.addWidget(tiles)
    tiles.show()
    for width, columns in ((600, 5), (400, 3), (150, 1)):
        tiles.resize(width, 200)
        qtbot.waitUntil(lambda columns=columns: tiles._columns == columns)  # type: ignore[misc]


def test_names_lose_their_model_where_they_stay_distinct() -> None:
    assert without_models(("m::a", "mimic of m::b", "m::n::c: gap along x")) == ("a", "mimic of b", "c: gap along x")
    assert without_models(("m::a", "n::a")) == ("m::a", "n::a")


def test_the_table_answers_while_python_takes_it_apart(panel: MechanismPanel) -> None:
    """The garbage collector empties the object before Qt has forgotten it; Qt then asks for rows and columns."""
    model = panel.table.model()
    assert model is not None
    vars(model).clear()
    assert (model.rowCount(), model.columnCount()) == (0, 0)


def test_rows_of_the_matrix_are_as_high_as_their_type(qtbot: QtBot) -> None:
    table = MatrixTable(LIGHT)
    qtbot.addWidget(table)
    table.show_matrix(NamedMatrix(("gap along y",), ("crank_joint",), np.ones((1, 1))))
    for size in (12, 32):
        font = table.font()
        font.setPixelSize(size)
        table.setFont(font)
        assert table.rowHeight(0) > table.fontMetrics().height() > size
