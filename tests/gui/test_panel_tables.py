"""What every panel shows as CSV: from its context menu, or from the File menu for the panel in front."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtWidgets import QApplication, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.gui.panel_table import PanelTable, save_table
from simulator.gui.panels.panel import Panel
from simulator.gui.selection import Item, ItemKind
from simulator.session.commands.commands import StepOnce
from tests.gui.real import real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def table_of(panel: Panel) -> PanelTable:
    table = panel.as_table()
    assert table is not None
    return table


def test_tables_are_what_panels_show(real_window: Make, qtbot: QtBot) -> None:
    """Matrix K of a four-bar, its figures, an analysis along its crank, its findings, joints and loops: numbers of the
    same sources, to the last bit."""
    window = real_window("four_bar", (1400, 900))
    live = window.live
    live.send(StepOnce(100))
    window.tick()
    qtbot.waitUntil(lambda: window.mechanism_panel.as_table() is not None or not _raised(window.mechanism_panel))
    report = window.mechanism_panel.report
    assert report is not None
    matrix = table_of(window.mechanism_panel)
    assert list(matrix.heads[1:]) == list(report.condition.K.columns)
    np.testing.assert_array_equal([row[1:] for row in matrix.rows], report.condition.K.array)

    window.analysis_panel.driver.run()
    found = window.analysis_panel.driver.found
    assert found is not None
    analysis = rows_of(table_of(window.analysis_panel).text())
    assert analysis[0][0] == f"{found.table.names[0]} [{found.table.units[0]}]"
    np.testing.assert_array_equal(np.array(analysis[1:], dtype=float), found.table.array)
    window.analysis_panel.tabs.setCurrentWidget(window.analysis_panel.modes)
    window.analysis_panel.modes.look()
    assert table_of(window.analysis_panel).heads[1] == "frequency [Hz]"

    live.kinematics.want("test")
    qtbot.waitUntil(lambda: window.kinematics_panel.as_table() is not None)
    figures = {str(row[0]): row[1] for row in table_of(window.kinematics_panel).rows}
    assert live.snapshot is not None
    now = live.kinematics.now(live.snapshot)
    assert now is not None
    assert list(figures.values()) == now.tolist()

    joints = table_of(window.joints_panel)
    assert [row[2] for row in joints.rows] == live.snapshot.position.tolist()
    relations = table_of(window.relations_panel)
    assert [row[5] for row in relations.rows] == live.snapshot.loop_residual.ravel().tolist()
    _raised(window.traces_panel)
    window.traces_panel.redraw()
    traces = table_of(window.traces_panel)
    assert len(traces.rows) == 101
    assert traces.heads[0] == "time [s]"


def test_the_inspector_is_a_table_of_what_is_selected(real_window: Make) -> None:
    """Of a link its numbers, of a rack its law, in SI units whatever the screen shows."""
    window = real_window("rack_and_pinion")
    window.live.send(StepOnce(10))
    window.tick()
    window.actions_["millimetres"].setChecked(True)
    window.selection.select(Item(ItemKind.JOINT, "mimic_rack_and_pinion::rack_joint"))
    table = window.inspector.as_table()
    assert table is not None
    rows = {(str(section), str(name)): (value, unit) for section, name, value, unit in table.rows}
    follower, leader = "mimic_rack_and_pinion::rack_joint", "mimic_rack_and_pinion::pinion_joint"
    assert rows["law", follower] == ("rack_joint = 0.02 · pinion_joint", "")
    assert rows["law", f"{follower}: multiplier of {leader}"] == (0.02, "m/rad")
    assert rows["numbers", f"{follower}.upper"][1] == "m"
    assert rows["properties", "type"] == ("prismatic", "")
    window.selection.select(None)
    assert window.inspector.as_table() is not None


def test_a_right_click_into_the_inspector_copies_its_table(real_window: Make) -> None:
    window = real_window("four_bar")
    window.selection.select(Item(ItemKind.LINK, "four_bar::rocker"))
    inspector = window.inspector
    value = inspector.facts._values[0]
    QApplication.sendEvent(value, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(5, 5), QPoint(5, 5)))
    menu = next(menu for menu in inspector.findChildren(QMenu) if menu.objectName() == "context")
    menu.actions()[1].trigger()
    clipboard, table = QApplication.clipboard(), inspector.as_table()
    assert clipboard is not None
    assert table is not None
    assert clipboard.text() == table.text()
    assert "numbers,four_bar::rocker.length,0.29999999999999999,m" in clipboard.text()
    menu.close()


def test_the_tree_is_a_list_of_parts(real_window: Make) -> None:
    """Each link and joint of a four-bar with its line, and the masses add up to those of its bodies."""
    window = real_window("four_bar")
    table = table_of(window.model_panel)
    relations = window.live.relations
    assert relations is not None
    parts = {str(row[1]): row for row in table.rows}
    assert {joint.name for joint in relations.joints()} <= parts.keys()
    total = sum(float(str(row[4])) for row in table.rows if row[4] != "")
    assert total == sum(link.inertial.mass for body in relations.mechanism.bodies for link in body.links)
    lines = Path(str(table.rows[0][5])).read_text(encoding="utf-8").splitlines()
    for name, row in parts.items():
        assert f'name="{name.rpartition("::")[2]}"' in lines[int(str(row[6])) - 1]


def _raised(panel: Panel) -> bool:
    """Bring a panel to the front, which begins what it computes."""
    panel.bring_up()
    return True


def test_findings_and_texts_are_quoted(real_window: Make, tmp_path: Path) -> None:
    path = tmp_path / "a.sdf"
    path.write_text(NO_MASS, encoding="utf-8")
    window = real_window(path)
    table = table_of(window.diagnostics_panel)
    rows = rows_of(table.text())
    assert rows[0] == ["severity", "code", "file", "line", "message", "hint"]
    finding = window.diagnostics_panel.findings[0]
    assert rows[1][:5] == [finding.severity.value, finding.code, finding.file, str(finding.line), finding.message]


NO_MASS = """<sdf version="1.11"><world name="w"><model name="m">
<link name="a"><visual name="v"><geometry><mesh><uri>missing.obj</uri></mesh></geometry></visual></link>
<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></world></sdf>"""


def test_a_right_click_saves_and_copies_the_table(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = real_window("four_bar"), tmp_path / "joints.csv"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    panel = window.joints_panel
    QApplication.sendEvent(panel, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(5, 5), QPoint(5, 5)))
    menu = next(menu for menu in panel.findChildren(QMenu) if menu.objectName() == "context")
    save, copy = menu.actions()
    save.trigger()
    copy.trigger()
    clipboard = QApplication.clipboard()
    assert clipboard is not None
    assert target.read_text(encoding="utf-8") == clipboard.text() == table_of(panel).text()
    menu.close()


def test_the_file_menu_saves_the_panel_in_front(
    real_window: Make, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, target = real_window("four_bar", (1600, 1000)), tmp_path / "a.csv"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    _raised(window.traces_panel)
    qtbot.waitUntil(lambda: not window.traces_panel.visibleRegion().isEmpty())
    window.traces_panel.follow.setFocus()
    window.actions_["save_panel"].trigger()
    assert rows_of(target.read_text())[0][0] == "time [s]"


def test_a_table_that_cannot_be_written_is_reported(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: ("/nowhere/at/all.csv", ""))
    monkeypatch.setattr(QMessageBox, "warning", lambda *parts: said.append(parts[2]))
    save_table(QMenu(), "a", PanelTable(("x",), [(1.0,)]))
    assert "No such file" in said[0]


def test_numbers_have_all_their_digits() -> None:
    table = PanelTable(("a, b", "x [m]"), [("one", 0.1), ('"two"', float("nan"))])
    assert table.text() == '"a, b",x [m]\none,0.10000000000000001\n"""two""",nan\n'
