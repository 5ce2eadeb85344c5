"""The inspector: all about what is selected, where one looks for it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from simulator.gui.fields import ElidingLabel
from simulator.gui.main_window import MainWindow
from simulator.gui.selection import Item, ItemKind
from simulator.session.commands.commands import StepOnce
from tests.gui.real import real_window
from tests.helpers.documents import joint, link, model, world

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton


def seen(window: MainWindow) -> set[str]:
    return {name for name, section in window.inspector.folds.items() if section.isVisible()}


def buttons(widget: QWidget) -> list[QPushButton]:
    return [button for button in widget.findChildren(QPushButton) if button.isVisible()]


def test_nothing_selected_is_about_the_mechanism(real_window: Make) -> None:
    window = real_window("rack_and_pinion")
    assert window.inspector.title.text() == "rack_and_pinion"
    assert seen(window) == {"facts"}
    assert "mobility" in str(window.inspector.facts.rows())


def test_a_follower_has_its_law_numbers_and_lines(real_window: Make) -> None:
    window = real_window("rack_and_pinion")
    window.selection.select(Item(ItemKind.JOINT, "mimic_rack_and_pinion::rack_joint"))
    inspector = window.inspector
    assert seen(window) == {"law", "numbers", "reaction", "facts", "source"}
    assert inspector.law.editor is not None
    assert inspector.law.law.text() == "rack_joint = 0.02 · pinion_joint"
    inspector.open_fold("source")
    lines = inspector.source.view.toPlainText().split("\n")
    assert lines[0].startswith('<joint name="rack_joint"')
    assert lines[-1] == "</joint>"


@pytest.mark.parametrize(("width", "columns"), [(340, 2), (240, 1)])
def test_numbers_are_beside_each_other_where_their_names_have_room(
    real_window: Make, qtbot: QtBot, width: int, columns: int
) -> None:
    window = real_window("four_bar")
    window.selection.select(Item(ItemKind.JOINT, "four_bar::rocker_joint"))
    numbers = window.inspector.numbers
    numbers.setFixedWidth(width)
    qtbot.waitUntil(lambda: numbers.width() == width)
    damping, friction = (numbers.fields[f"four_bar::rocker_joint.{what}"] for what in ("damping", "friction"))
    qtbot.waitUntil(lambda: (damping.y() == friction.y()) is (columns == 2))
    assert damping.width() * columns <= width
    for name in numbers.findChildren(ElidingLabel):
        assert name.fontMetrics().horizontalAdvance(name.text()) <= name.width(), name.text()


def test_a_leader_lists_what_follows_it(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion")
    window.selection.select(Item(ItemKind.LINK, "mimic_rack_and_pinion::pinion"))
    law = window.inspector.folds["law"]
    assert law.button.text() == "Leads"
    (button,) = buttons(window.inspector.law)
    qtbot.mouseClick(button, LEFT)
    assert window.selection.item == Item(ItemKind.COUPLING, "mimic_rack_and_pinion::rack_joint")
    assert law.button.text() == "Law"


def test_reactions_are_computed_while_they_are_looked_at(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    window.selection.select(Item(ItemKind.LOOP, "four_bar::closing_joint"))
    section = window.inspector.folds["reaction"]
    assert not section.is_open
    qtbot.mouseClick(section.button, LEFT)
    window.live.send(StepOnce(5))
    window.tick()
    snapshot = window.live.snapshot
    assert snapshot is not None
    window.inspector.show_snapshot(snapshot)
    found = window.live.forces.last
    assert found is not None
    size = float(np.linalg.norm(found.wrenches[-1, :3]))
    assert float(window.inspector.reaction.forces[3].text().split()[0]) == pytest.approx(size, rel=1e-3)
    qtbot.mouseClick(window.inspector.reaction.plot, LEFT)
    assert window.workbench.shown() >= {"traces"}
    assert window.traces_panel.pages.reaction.joint.currentText() == "closing_joint"


def test_findings_about_the_selected_element_are_in_its_inspector(
    real_window: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "odd.sdf"
    odd = joint("p", "revolute", parent="world", child="a").replace("</axis>", "<wobble>1</wobble></axis>")
    fine = joint("q", "revolute", parent="a", child="b")
    path.write_text(world(model("m", link("a"), link("b", pose="1 0 0 0 0 0"), odd, fine)), encoding="utf-8")
    window = real_window(path)
    window.selection.select(Item(ItemKind.JOINT, "m::q"))
    assert "findings" not in seen(window)
    window.selection.select(Item(ItemKind.JOINT, "m::p"))
    assert "findings" in seen(window)
    (button,) = buttons(window.inspector.findings)
    qtbot.mouseClick(button, LEFT)
    assert window.diagnostics_panel.isVisible()
    chosen = window.diagnostics_panel.chosen()
    assert chosen is not None
    assert "wobble" in chosen.message


def test_sections_are_whole_and_leave_no_gap(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """A finding of five lines in a narrow column."""
    path = tmp_path / "odd.sdf"
    odd = joint("p", "revolute", parent="world", child="a").replace("</axis>", "<wobble>1</wobble></axis>")
    path.write_text(world(model("m", link("a"), odd)), encoding="utf-8")
    window = real_window(path)
    window.selection.select(Item(ItemKind.JOINT, "m::p"))
    folds = [fold for fold in window.inspector.folds.values() if fold.isVisible()]
    assert "findings" in seen(window)

    def is_whole() -> bool:
        ends = [(fold.geometry().top(), fold.geometry().bottom() + 1) for fold in folds]
        apart = any(end != top for (_, end), (top, _) in pairwise(ends))
        return not apart and all(f.height() >= f.heightForWidth(f.width()) for f in folds)

    qtbot.waitUntil(is_whole)


def test_sections_stay_as_they_were_left(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("four_bar")
    window.selection.select(Item(ItemKind.LINK, "four_bar::rocker"))
    sections = window.inspector.folds
    qtbot.mouseClick(sections["facts"].button, LEFT)
    qtbot.mouseClick(sections["source"].button, LEFT)
    window.selection.select(Item(ItemKind.LINK, "four_bar::coupler"))
    assert not window.inspector.facts.isVisible()
    assert window.inspector.source.isVisible()
    assert not window.preferences.flag("section_facts", True)


def test_the_list_of_joints_takes_what_it_needs(real_window: Make, qtbot: QtBot) -> None:
    """One card leaves the inspector the column; three hundred leave it half."""
    window = real_window("four_bar")
    frame = window.workbench
    qtbot.waitUntil(lambda: frame.side.height() < 0.35 * frame.column.height())
    window.live.open(Path(__file__).parents[2] / "worlds" / "stewart.sdf")
    qtbot.waitUntil(lambda: frame.side.height() > 0.4 * frame.column.height())
    assert window.inspector.height() > 0.4 * frame.column.height()
