"""The first minutes with a document of one's own: folders, a base that falls, errors that are drawn and mended."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.preferences import Preferences
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.viewport import views
from simulator.session.open.reading_choices import ReadingChoices
from simulator.session.run.client import RunState
from simulator.session.text.settings import SessionSettings
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

LEFT = Qt.MouseButton.LeftButton
ROBOT = """<robot name="r">
  <link name="base_link"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
  </inertial>
    <visual><geometry><mesh filename="package://arm_description/meshes/base.stl"/></geometry></visual></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
  </inertial>
    <visual><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></visual></link>
  <joint name="shoulder" type="continuous"><parent link="base_link"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""


@pytest.fixture
def program(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Path], MainWindow]]:
    """Starts the window anew with the same preferences, and opens a document."""
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    made: list[MainWindow] = []

    def make(path: Path) -> MainWindow:
        preferences = Preferences(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
        live = LiveSession(
            None,
            lambda opened: LocalClient(opened, SessionSettings(paused=True)),
            paused=False,
            speed=1.0,
            reading=ReadingChoices(),
        )
        window = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
        window.resize(1280, 800)
        qtbot.addWidget(window)
        window.show()
        window.live.open(path)
        made.append(window)
        return window

    yield make
    for window in made:
        window.close()


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """A robot whose mesh is in a package elsewhere, and whose base nothing holds."""
    path = tmp_path / "far/from/any/work/space/robot.urdf"
    path.parent.mkdir(parents=True)
    path.write_text(ROBOT)
    return path


def codes(window: MainWindow) -> list[str]:
    return [finding.code for finding in window.live.diagnostics]


def choose(window: MainWindow, code: str) -> None:
    panel = window.diagnostics_panel
    panel.show()
    panel.table.selectRow([finding.code for finding in panel.findings].index(code))


def test_a_folder_that_is_added_finds_the_mesh_and_is_remembered(
    program: Callable[[Path], MainWindow],
    robot: Path,
    tmp_path_factory: pytest.TempPathFactory,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = tmp_path_factory.mktemp("elsewhere") / "arm_description"
    (package / "meshes").mkdir(parents=True)
    shutil.copy(next((ROOT / "assets" / "meshes").glob("*.stl")), package / "meshes" / "base.stl")
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    window = program(robot)
    assert "URI_LOOKUP" in codes(window), "a placeholder is drawn, with a warning"
    assert window.live.opened is not None
    assert len(window.live.scene.drawables) == 2
    choose(window, "URI_LOOKUP")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args: str(package.parent))
    qtbot.mouseClick(window.diagnostics_panel.folder, LEFT)
    assert "URI_LOOKUP" not in codes(window)
    window.close()
    again = program(robot)
    assert "URI_LOOKUP" not in codes(again)
    again.folders.menu.aboutToShow.emit()
    remove = again.folders.menu.actions()[-1]
    assert str(package.parent) in remove.text()
    remove.trigger()
    assert "URI_LOOKUP" in codes(again)


def test_models_that_are_not_found_are_said_to_be_left_out(
    program: Callable[[Path], MainWindow],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The view is empty, and the strip above it says why, leads to the searched folders, and disappears
    once a folder is named that has them."""
    place = tmp_path / "far/from/any/work/space"
    place.mkdir(parents=True)
    models = tmp_path_factory.mktemp("models")
    (models / "crank").mkdir()
    (models / "crank" / "model.config").write_text("<model><name>crank</name><sdf>model.sdf</sdf></model>")
    (models / "crank" / "model.sdf").write_text(
        "<sdf version='1.9'><model name='crank'><static>true</static><link name='l'/></model></sdf>"
    )
    include = "<include><uri>model://crank</uri><name>{}</name></include>"
    world = place / "two.sdf"
    both = include.format("a") + include.format("b")
    world.write_text(f"<sdf version='1.9'><world name='w'>{both}</world></sdf>")
    window = program(world)
    banner = window.banner
    assert banner.isVisible()
    assert banner.message.text() == "Models that this world includes were not found and are left out."
    window.diagnostics_panel.hide()
    qtbot.mouseClick(banner.other, LEFT)
    assert window.diagnostics_panel.isVisible()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args: str(models))
    qtbot.mouseClick(banner.button, LEFT)
    assert "URI_LOOKUP" not in codes(window)
    assert not banner.isVisible()


def test_a_free_robot_waits_until_it_is_said_what_holds_it(
    program: Callable[[Path], MainWindow], robot: Path, qtbot: QtBot
) -> None:
    window = program(robot)
    banner = window.banner
    assert "Nothing holds 'base_link'" in banner.message.text()
    assert window.live.status.state is RunState.PAUSED
    qtbot.mouseClick(banner.button, LEFT)
    assert len(window.live.opened.mechanism.axes) == len(window.live.opened.mechanism.joints) == 1
    assert "BASE_HELD" in codes(window)
    assert not banner.isVisible()
    window.tick()
    assert window.live.running
    choose(window, "BASE_HELD")
    qtbot.mouseClick(window.diagnostics_panel.hold, LEFT)
    assert "BASE_FALLS" in codes(window)
    assert len(window.live.opened.mechanism.joints) == 2
    assert not banner.isVisible(), "it was answered"


def test_the_answer_is_remembered_for_the_next_start(
    program: Callable[[Path], MainWindow], robot: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way the path is written."""
    window = program(robot)
    qtbot.mouseClick(window.banner.button, LEFT)
    assert "BASE_HELD" in codes(window)
    monkeypatch.chdir(robot.parent)
    again = program(Path(robot.name))
    assert "BASE_HELD" in codes(again)
    assert not again.banner.isVisible()
    again.live.answer(False)
    third = program(robot)
    assert "BASE_FALLS" in codes(third)
    assert not third.banner.isVisible()


def test_let_it_fall(program: Callable[[Path], MainWindow], robot: Path, qtbot: QtBot) -> None:
    window = program(robot)
    qtbot.mouseClick(window.banner.other, LEFT)
    window.tick()
    assert window.live.running
    qtbot.waitUntil(lambda: window.live.snapshot.body_poses[1, 2] < -1e-3, timeout=5000)
    window.actions_["reload"].trigger()
    assert not window.banner.isVisible()


@pytest.fixture
def slip(tmp_path: Path) -> Path:
    """The rack and pinion with a leader that is spelt wrong."""
    text = (ROOT / "worlds" / "rack_and_pinion.sdf").read_text(encoding="utf-8")
    path = tmp_path / "rack.sdf"
    path.write_text(text.replace('<mimic joint="pinion_joint">', '<mimic joint="pinon_joint">'), encoding="utf-8")
    return path


def test_a_broken_document_is_drawn_beside_its_findings(program: Callable[[Path], MainWindow], slip: Path) -> None:
    window = program(slip)
    assert window.live.opened is None
    assert window.viewport.isVisible()
    scene = window.viewport.state.scene
    assert scene is not None
    assert any("pinion" in link for link in scene.links)
    assert "the readable part is drawn" in window.banner.message.text()
    assert window.diagnostics_panel.isVisible()
    assert not window.actions_["run"].isEnabled()
    window.tick()


def test_a_slip_is_mended_by_one_click_and_undone(
    program: Callable[[Path], MainWindow], slip: Path, qtbot: QtBot
) -> None:
    window, before = program(slip), slip.read_bytes()
    panel = window.diagnostics_panel
    assert panel.mend.isVisible()
    assert panel.mend.text() == "Replace by pinion_joint"
    qtbot.mouseClick(panel.mend, LEFT)
    mended = before.replace(b"pinon_joint", b"pinion_joint")
    assert slip.read_bytes() == mended
    assert window.live.opened is not None
    assert not window.banner.isVisible()
    assert "Replacement by pinion_joint" in window.actions_["undo"].text()
    window.actions_["undo"].trigger()
    qtbot.waitUntil(lambda: any(finding.is_error for finding in window.live.diagnostics))
    assert slip.read_bytes() == before
    window.actions_["redo"].trigger()
    qtbot.waitUntil(lambda: not any(finding.is_error for finding in window.live.diagnostics))
    assert slip.read_bytes() == mended


def test_a_file_that_has_changed_on_disk_is_not_put_back(
    program: Callable[[Path], MainWindow], slip: Path, qtbot: QtBot
) -> None:
    window = program(slip)
    qtbot.mouseClick(window.diagnostics_panel.mend, LEFT)
    theirs = slip.read_bytes().replace(b"0.05", b"0.06")
    slip.write_bytes(theirs)
    window.actions_["undo"].trigger()
    qtbot.waitUntil(lambda: "has changed on disk" in window.banner.message.text())
    assert slip.read_bytes() == theirs
    assert not window.actions_["undo"].isEnabled()


def test_modes_of_a_robot_that_falls_say_how_to_hold_it(
    program: Callable[[Path], MainWindow], robot: Path, qtbot: QtBot
) -> None:
    window = program(robot)
    qtbot.mouseClick(window.banner.other, LEFT)
    window.analysis_panel.bring_up()
    page = window.analysis_panel.modes
    window.analysis_panel.tabs.setCurrentWidget(page)
    assert not page.hold.isVisible()
    qtbot.mouseClick(page.look_button, LEFT)
    assert "Nothing holds 'base_link'" in page.figures.text()
    assert "--hold-base" in page.figures.text()
    qtbot.mouseClick(page.hold, LEFT)
    assert "BASE_HELD" in codes(window)
    assert not page.hold.isVisible()
    qtbot.mouseClick(page.look_button, LEFT)
    assert page.modes.count() == 2, "eigenvalues of one joint"


@pytest.mark.parametrize("answer", ["button", "other", "_close"])
def test_a_follower_without_its_leader_is_told_above_the_view(
    program: Callable[[Path], MainWindow], robot: Path, qtbot: QtBot, answer: str
) -> None:
    """The question about the base comes first; what it covers is said after the answer, or without one."""
    follower = (
        '<link name="finger"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><joint name="knuckle" type="continuous"><parent link="arm"/><child link="finger"/>'
        '<mimic joint="shuolder"/></joint></robot>'
    )
    robot.write_text(robot.read_text(encoding="utf-8").replace("</robot>", follower), encoding="utf-8")
    window = program(robot)
    banner = window.banner
    qtbot.waitUntil(lambda: banner.topic == "base")
    qtbot.mouseClick(getattr(banner, answer), LEFT)
    qtbot.waitUntil(lambda: banner.topic == "leaderless" and banner.isVisible())
    assert banner.message.text() == "Joint 'knuckle' mimics joint 'shuolder', which does not exist; it moves by itself."
    qtbot.mouseClick(banner.button, LEFT)
    assert window.diagnostics_panel.isVisible()
