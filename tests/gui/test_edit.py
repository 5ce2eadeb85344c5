"""Numbers of the selected link or joint are changed by keyboard while it runs, undone, and saved as they are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from simulator.gui.inspector.number_editor import NumberEditor
from simulator.gui.main_window import MainWindow
from simulator.gui.selection import Item, ItemKind
from simulator.session.commands.commands import StepOnce
from tests.gui.real import WORLDS, real_window

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton


def copied(name: str, folder: Path) -> Path:
    path = folder / f"{name}.sdf"
    shutil.copy(WORLDS / path.name, path)
    return path


def editor_of(window: MainWindow, kind: ItemKind, name: str) -> NumberEditor:
    window.model_panel.bring_up()
    window.selection.select(Item(kind, name))
    return window.inspector.numbers


def type_into(qtbot: QtBot, editor: NumberEditor, name: str, text: str) -> None:
    field = editor.fields[name]
    assert field.isVisible()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_mass_is_changed_undone_and_saved(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = copied("four_bar", tmp_path)
    before, window = path.read_bytes(), real_window(path)
    editor = editor_of(window, ItemKind.LINK, "four_bar::coupler")
    window.live.send(StepOnce(40))
    window.tick()
    start, name = window.live.snapshot, "four_bar::coupler.mass"
    written = window.live.laws.number(name)
    type_into(qtbot, editor, name, "7.5")
    window.tick()
    body = next(body for body in window.live.relations.mechanism.bodies if body.name == "four_bar::coupler")
    assert body.mass == 7.5
    changed = window.live.snapshot
    assert changed.position == pytest.approx(start.position, abs=1e-14), "loops are closed anew, to round-off"
    assert changed.energy.kinetic > start.energy.kinetic, "it is heavier at the same velocity"
    assert abs(changed.energy.error - start.energy.error) <= 1e-12, "what that costs is booked as work"
    assert "mass" in window.actions_["undo"].text()
    window.actions_["undo"].trigger()
    window.tick()
    assert window.live.laws.numbers == ()
    assert editor.fields[name].text() == f"{written:.10g}"
    assert np.array_equal(window.live.snapshot.body_velocities, start.body_velocities), "to the last bit"
    assert window.live.snapshot.energy == start.energy
    window.actions_["redo"].trigger()
    window.tick()
    assert window.live.laws.number(name) == 7.5
    qtbot.mouseClick(editor.save, LEFT)
    after = path.read_bytes()
    assert after == before.replace(f"<mass>{written:g}</mass>".encode(), b"<mass>7.5</mass>", 1) or _one_edit(
        before, after, b"7.5"
    )
    assert window.live.laws.numbers == ()
    assert window.live.laws.number(name) == 7.5
    window.actions_["undo"].trigger()
    qtbot.waitUntil(lambda: path.read_bytes() == before)


def _one_edit(before: bytes, after: bytes, number: bytes) -> bool:
    """Whether the two differ in one stretch, which is the number now."""
    first = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    last = next(i for i, (a, b) in enumerate(zip(before[::-1], after[::-1], strict=False)) if a != b)
    return after[first : len(after) - last] in number


def test_a_length_is_changed_with_its_loop_and_shown_in_millimetres(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    window.actions_["millimetres"].setChecked(True)
    joint = window.live.opened.mechanism.loop_joints[0].name
    editor = editor_of(window, ItemKind.JOINT, joint)
    name = f"{joint}.pose.z"
    shown, written = float(editor.fields[name].text().replace("−", "-")), window.live.laws.number(name)
    assert shown == pytest.approx(1000.0 * written)
    type_into(qtbot, editor, name, f"{shown - 20.0:.6f}")
    window.tick()
    assert window.live.laws.number(name) == pytest.approx(written - 0.02, abs=1e-12)
    assert window.live.snapshot.worst_loop_residual()[0] <= 1e-12, "the loop is closed again"
    qtbot.mouseClick(editor.restore, LEFT)
    window.tick()
    assert window.live.laws.numbers == ()


def test_one_length_is_changed_and_an_example_is_not_written(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    editor = editor_of(window, ItemKind.LINK, "four_bar::rocker")
    type_into(qtbot, editor, "four_bar::rocker.length", "0.32")
    window.tick()
    laws = window.live.laws
    assert laws.number("four_bar::rocker.length") == pytest.approx(0.32, abs=1e-12)
    assert laws.number("four_bar::coupler.length") == pytest.approx(0.35, abs=1e-12)
    qtbot.mouseClick(editor.save, LEFT)
    assert "comes with the program" in editor.message.text()
    editor = editor_of(window, ItemKind.JOINT, "four_bar::closing_joint")
    assert float(editor.fields["four_bar::closing_joint.child_pose.x"].text()) == pytest.approx(0.32)
    assert float(editor.fields["four_bar::closing_joint.parent_pose.x"].text()) == pytest.approx(0.35)


def test_the_origin_of_a_urdf_joint_is_shown_and_saved(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "two.urdf"
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path.write_text(
        f'<robot name="two"><link name="base"/><link name="arm">{mass}</link>\n'
        '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="0.02 0 0.05"/></joint>'
        "</robot>\n",
        encoding="utf-8",
    )
    window = real_window(path)
    editor = editor_of(window, ItemKind.JOINT, "two::j")
    places = {name: float(field.text()) for name, field in editor.fields.items() if "pose" in name}
    assert places == {"two::j.parent_pose.x": 0.02, "two::j.parent_pose.y": 0.0, "two::j.parent_pose.z": 0.05}
    type_into(qtbot, editor, "two::j.parent_pose.z", "0.0625")
    window.tick()
    qtbot.mouseClick(editor.save, LEFT)
    assert 'xyz="0.02 0 0.0625"' in path.read_text(encoding="utf-8")


def test_limits_move_the_ends_of_the_slider(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("telescope")
    card_axis = window.joints_panel.freedoms.axes[0]
    name = window.live.opened.mechanism.axes[card_axis].name
    editor = editor_of(window, ItemKind.AXIS, name)
    upper = 0.5 * window.live.laws.number(f"{name}.upper")
    type_into(qtbot, editor, f"{name}.upper", f"{upper:.6f}")
    window.tick()
    assert window.joints_panel.cards[card_axis].axis.axis.upper == pytest.approx(upper)
    assert window.joints_panel.cards[card_axis].slider.reach[1] <= upper + 1e-9


def test_what_physics_cannot_follow_falls_back_with_its_reason(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    editor = editor_of(window, ItemKind.LINK, "four_bar::coupler")
    name = "four_bar::coupler.inertia.ixx"
    written = editor.fields[name].text()
    type_into(qtbot, editor, name, "100")
    window.tick()
    assert "no body has the inertia" in editor.message.text()
    assert editor.fields[name].text() == written
    assert not editor.save.isEnabled()


def test_what_is_selected_stays_so_when_the_document_is_read_again(
    real_window: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    path = copied("four_bar", tmp_path)
    window = real_window(path)
    editor = editor_of(window, ItemKind.LINK, "four_bar::coupler")
    panel, bar = window.model_panel, window.inspector.column.verticalScrollBar()
    window.inspector.open_fold("source")
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    place = bar.maximum() // 2
    bar.setValue(place)
    window.live.reload()
    assert window.selection.item == Item(ItemKind.LINK, "four_bar::coupler")
    assert panel.tree.currentItem().text(0) == "coupler"
    assert "four_bar::coupler.mass" in editor.fields
    assert window.viewport.state.selected, "it is marked in the view, too"
    qtbot.waitUntil(lambda: bar.value() == place)
    path.write_text(path.read_text(encoding="utf-8").replace("coupler", "rod"), encoding="utf-8")
    window.live.reload()
    assert window.selection.item is None
    window.selection.select(Item(ItemKind.LINK, "four_bar::rod"))
    window.live.open(WORLDS / "four_bar.sdf")
    assert window.selection.item is None, "another file is another mechanism"


def test_things_without_numbers_have_no_fields(real_window: Make) -> None:
    window = real_window("four_bar")
    editor = editor_of(window, ItemKind.MODEL, "four_bar")
    assert not editor.fields
    assert not window.inspector.folds["numbers"].isVisible()


@pytest.mark.parametrize("kind", [ItemKind.COUPLING, ItemKind.JOINT])
def test_the_friction_of_a_worm_is_changed_and_saved(
    real_window: Make, qtbot: QtBot, tmp_path: Path, kind: ItemKind
) -> None:
    path = copied("worm_hoist", tmp_path)
    before, window = path.read_text(), real_window(path)
    name = "worm_hoist::wheel_joint.thread.friction"
    editor = editor_of(window, kind, "worm_hoist::wheel_joint")
    type_into(qtbot, editor, name, "0.0625")
    window.tick()
    assert window.live.laws.number(name) == 0.0625
    qtbot.mouseClick(editor.save, LEFT)
    written = before.partition("<simulator:thread friction=")[2].split('"')[1]
    assert path.read_text() == before.replace(f'friction="{written}"', 'friction="0.0625"', 1)
    window.actions_["undo"].trigger()
    qtbot.waitUntil(lambda: path.read_text() == before)
