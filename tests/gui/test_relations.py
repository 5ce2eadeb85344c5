"""The Relations panel: every relation in a row, laws changed live by keyboard and saved as the numbers alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.gui.selection import Item, ItemKind
from simulator.session.commands.commands import StepOnce
from tests.gui.real import WORLDS, real_window
from tests.helpers.documents import joint, link, mimic, model, world

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton


@pytest.mark.parametrize(
    ("world", "kinds", "law"),
    [
        ("rack_and_pinion", ["mimic"], "rack_joint = 0.02 · pinion_joint"),
        ("four_bar", ["loop"], ""),
        ("wrist", ["mimic", "mimic", "transmission", "transmission"], ""),
        ("planetary", ["gearbox"] * 4, "planet_1_joint + 2 · sun_joint = 2 · carrier_joint"),
    ],
)
def test_there_is_a_row_for_every_relation(real_window: Make, world: str, kinds: list[str], law: str) -> None:
    panel = real_window(world).relations_panel
    assert sorted(row.relation.kind for row in panel.rows) == sorted(kinds)
    if law:
        assert law in [row.law.text() for row in panel.rows]


def test_a_differential_reads_as_in_a_book(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("differential")
    panel = window.relations_panel
    panel.bring_up()
    row = next(row for row in panel.rows if row.relation.name == "right_joint")
    qtbot.mouseClick(row, LEFT)
    assert window.inspector.law.together.text() == "it follows that right_joint + left_joint = 2 · cage_joint"
    assert window.selection.item == Item(ItemKind.COUPLING, "differential::right_joint")


def test_residuals_are_drawn_up_to_the_moment_on_show(real_window: Make) -> None:
    window = real_window("four_bar")
    panel = window.relations_panel
    panel.bring_up()
    window.live.send(StepOnce(200))
    window.tick()
    (row,) = (row for row in panel.rows if row.relation.kind == "loop")
    snapshot = window.live.snapshot
    assert snapshot is not None
    panel.show_snapshot(snapshot)
    assert len(row.curve.points) == 201
    assert row.curve.points[-1, 0] == pytest.approx(1.0)
    window.live.playback.show(0.5 * snapshot.time)
    window.tick()
    assert window.live.snapshot is not None
    panel.show_snapshot(window.live.snapshot)
    assert len(row.curve.points) == 101


def test_a_loop_of_balls_has_its_residual_although_there_is_no_axis(
    real_window: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    """Two bars on three balls: no joint has a coordinate, and the first channel of all is the loop's."""
    path = tmp_path / "balls.sdf"
    bars = (link("a"), link("b", pose="1 0 0 0 0 0"))
    balls = (
        joint("p", "ball", parent="world", child="a"),
        joint("q", "ball", parent="a", child="b"),
        joint("r", "ball", parent="world", child="b", pose="0 1 0 0 0 0"),
    )
    path.write_text(world(model("m", *bars, *balls)), encoding="utf-8")
    window = real_window(path)
    panel = window.relations_panel
    panel.bring_up()
    window.live.send(StepOnce(20))

    def stepped() -> bool:
        window.tick()
        return window.live.snapshot is not None and window.live.snapshot.step == 20

    qtbot.waitUntil(stepped, timeout=30_000)
    assert window.live.snapshot is not None
    panel.show_snapshot(window.live.snapshot)
    (row,) = panel.rows
    assert (row.relation.kind, len(row.curve.points)) == ("loop", 21)


def test_a_law_is_changed_by_keyboard_saved_and_undone(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "rack.sdf"
    shutil.copy(WORLDS / "rack_and_pinion.sdf", path)
    before = path.read_bytes()
    window = real_window(path)
    panel, law = window.relations_panel, window.inspector.law
    panel.bring_up()
    window.live.send(StepOnce(100))
    qtbot.mouseClick(panel.rows[0], LEFT)
    assert law.editor is not None
    assert not law.save.isEnabled()
    field = law.editor.multiplier
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: window.live.laws.coupling(0).multiplier == pytest.approx(0.021))
    assert panel.rows[0].law.text() == "rack_joint = 0.021 · pinion_joint"
    window.live.undo.stack.undo()
    qtbot.waitUntil(lambda: window.live.laws.coupling(0).multiplier == 0.02)
    window.live.undo.stack.redo()
    qtbot.waitUntil(lambda: law.save.isEnabled() and window.live.laws.coupling(0).multiplier != 0.02)
    step = window.live.snapshot.step
    qtbot.mouseClick(law.save, LEFT)
    assert path.read_bytes() == before.replace(b"<multiplier>0.02<", b"<multiplier>0.021<")
    qtbot.waitUntil(lambda: window.live.opened.mechanism.couplings[0].multiplier == pytest.approx(0.021))
    assert window.live.snapshot.step == step, "the simulation goes on where it was"
    assert "rack.sdf" in law.message.text()
    assert law.message.isVisible(), "where the gesture was"


def test_what_cannot_be_saved_is_said(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "gearbox.sdf"
    shutil.copy(WORLDS / "gearbox.sdf", path)
    before = path.read_bytes()
    window = real_window(path)
    panel, law = window.relations_panel, window.inspector.law
    panel.bring_up()
    qtbot.mouseClick(panel.rows[0], LEFT)
    assert law.editor is not None
    law.editor.offset.setFocus()
    law.editor.offset.selectAll()
    qtbot.keyClicks(law.editor.offset, "0.25")
    qtbot.keyClick(law.editor.offset, Qt.Key.Key_Return)
    qtbot.waitUntil(law.save.isEnabled)
    qtbot.mouseClick(law.save, LEFT)
    assert "no offset" in law.message.text()
    assert path.read_bytes() == before


def test_laws_are_written_without_the_model_that_both_sides_share(real_window: Make, tmp_path: Path) -> None:
    """Also where another model has joints of the same names, so that alone they need it."""
    parts = (link("a"), link("b"), joint("j", "revolute", parent="world", child="a"))
    follower = joint("k", "revolute", mimic("j", multiplier=2.0), parent="world", child="b")
    path = tmp_path / "two.sdf"
    path.write_text(world(model("one", *parts, follower), model("other", *parts, follower)), encoding="utf-8")
    rows = real_window(path).joints_panel.followers.values()
    assert [row.law.text() for row in rows] == ["k = 2 · j", "k = 2 · j"]
