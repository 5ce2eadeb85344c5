"""Laws of couplings that are changed while the simulation runs: edited, refused, restored, and shown everywhere."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from simulator.gui.current_laws import CurrentLaws
from simulator.gui.inspector.law_editor import LawEditor
from simulator.gui.number_field import NumberField, parse_number
from simulator.gui.panels.follower_row import FollowerRow
from simulator.gui.selection import Item, ItemKind
from simulator.gui.units import Units
from simulator.mechanism.coupling_law import with_coupling_law
from simulator.mechanism.types import Coupling, CouplingKind
from simulator.session.commands.commands import SetCoupling, StepOnce
from tests.gui.conftest import Bench
from tests.gui.fakes import axes, opened


def row_of(bench: Bench) -> FollowerRow:
    bench.open()
    row = bench.window.joints_panel.followers[1]
    row.edit.click()
    bench.client.sent.clear()
    return row


def editor_of(bench: Bench) -> LawEditor:
    editor = bench.window.inspector.law.editor
    assert isinstance(editor, LawEditor)
    return editor


def editor_after(bench: Bench) -> LawEditor:
    row_of(bench)
    return editor_of(bench)


def enter(qtbot: QtBot, field: NumberField, text: str) -> None:
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_the_pencil_asks_for_the_law_in_the_inspector(bench: Bench) -> None:
    bench.open()
    section = bench.window.inspector.folds["law"]
    section.set_open(False)
    bench.window.joints_panel.followers[1].edit.click()
    assert section.is_open
    editor = editor_of(bench)
    assert editor.isVisible()
    assert [field.text() for field in (editor.multiplier, editor.reference, editor.offset)] == ["0.05", "0", "0"]
    assert [unit.text() for unit in editor._unit_labels] == ["m/rad", "rad", "m"]
    assert not editor.restore.isEnabled()


def test_a_new_law_is_sent_and_shown_everywhere(bench: Bench, qtbot: QtBot) -> None:
    row = row_of(bench)
    editor = editor_of(bench)
    bench.window.selection.select(Item(ItemKind.COUPLING, "machine::rack_joint"))
    enter(qtbot, editor.multiplier, "0.08")
    assert bench.client.sent == [SetCoupling(0, 0.08, 0.0, 0.0)]
    qtbot.waitUntil(lambda: "0.08 · pinion_joint" in row.law.text())
    assert "changed" in row.law.text()
    assert "0.05 · pinion_joint" in row.law.toolTip()
    panel = bench.window.model_panel
    assert panel._items[Item(ItemKind.COUPLING, "machine::rack_joint")].text(0) == "rack_joint = 0.08 · pinion_joint"
    assert "0.08" in str(bench.window.inspector.facts.rows())
    assert bench.live.relations is not None
    assert bench.live.relations.mechanism.couplings[0].multiplier == 0.08


def test_each_field_changes_its_own_number(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_after(bench)
    enter(qtbot, editor.reference, "0.3")
    bench.window.tick()
    enter(qtbot, editor.offset, "-1/50")
    bench.window.tick()
    assert bench.client.sent == [SetCoupling(0, 0.05, 0.0, 0.3), SetCoupling(0, 0.05, -0.02, 0.3)]


def test_a_refused_law_falls_back_and_says_why(bench: Bench, qtbot: QtBot) -> None:
    row = row_of(bench)
    editor = editor_of(bench)
    enter(qtbot, editor.multiplier, "0")
    assert bench.client.sent == [SetCoupling(0, 0.0, 0.0, 0.0)]
    qtbot.waitUntil(lambda: editor.multiplier.text() == "0.05")
    assert "cannot be assembled" in editor.message.text()
    assert editor.message.isVisible()
    assert "changed" not in row.law.text()


def test_what_is_under_way_is_shown_until_it_is_answered(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_after(bench)
    bench.client.deaf = True
    enter(qtbot, editor.multiplier, "0")
    bench.live.poll()
    assert editor.multiplier.text() == "0"
    bench.client.hear()
    bench.live.poll()
    assert editor.multiplier.text() == "0.05"
    assert "cannot be assembled" in editor.message.text()


def test_where_nobody_hears_the_fields_show_what_holds(
    bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = editor_after(bench)
    monkeypatch.setattr(bench.client, "send", lambda _command: 0)
    enter(qtbot, editor.multiplier, "7")
    bench.live.poll()
    assert editor.multiplier.text() == "0.05"


def test_as_in_the_document(bench: Bench, qtbot: QtBot) -> None:
    row = row_of(bench)
    editor = editor_of(bench)
    enter(qtbot, editor.multiplier, "0.08")
    qtbot.waitUntil(editor.restore.isEnabled)
    editor.restore.click()
    assert bench.client.sent[-1] == SetCoupling(0, 0.05, 0.0, 0.0)
    qtbot.waitUntil(lambda: editor.multiplier.text() == "0.05")
    assert not editor.restore.isEnabled()
    assert "changed" not in row.law.text()


def test_units_of_the_view_hold_for_the_fields(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_after(bench)
    bench.window.actions_["degrees"].setChecked(True)
    bench.window.actions_["millimetres"].setChecked(True)
    assert [unit.text() for unit in editor._unit_labels] == ["mm/deg", "deg", "mm"]
    assert float(editor.multiplier.text()) == pytest.approx(50.0 * math.pi / 180.0, rel=1e-9)
    enter(qtbot, editor.reference, "90")
    sent = bench.client.sent[-1]
    assert isinstance(sent, SetCoupling)
    assert sent.multiplier == 0.05, "a field that was not touched keeps its value to the last bit"
    assert sent.reference == pytest.approx(math.pi / 2)


def test_leaving_a_field_untouched_sends_nothing(bench: Bench, qtbot: QtBot) -> None:
    editor = editor_after(bench)
    editor.multiplier.setFocus()
    editor.offset.setFocus()
    enter(qtbot, editor.offset, "no number")
    assert bench.client.sent == []
    assert editor.offset.text() == "0"


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.05", 0.05), ("−1/3", -1 / 3), (" 2e-3 ", 2e-3), ("1/0", None), ("inf", None), ("x", None), ("", None)],
)
def test_numbers_as_people_type_them(text: str, value: float | None) -> None:
    assert parse_number(text) == value


def test_the_ideal_follower_keeps_the_law_that_held_then(bench: Bench) -> None:
    bench.open()
    bench.live.send(StepOnce(100))
    bench.window.tick()
    bench.live.send(SetCoupling(0, 0.1, 0.0, 0.0))
    bench.window.tick()
    bench.live.send(StepOnce(100))
    bench.window.tick()
    panel, snapshot = bench.window.traces_panel, bench.live.snapshot
    assert snapshot is not None
    panel.refresh(snapshot)
    times, columns = panel._times, panel._columns
    before, after = times < 0.0995, times > 0.1005
    leader, ideal = columns["position/0"], columns["position/1/ideal"]
    np.testing.assert_allclose(ideal[before], 0.05 * leader[before])
    np.testing.assert_allclose(ideal[after], 0.1 * leader[after])
    np.testing.assert_allclose(ideal[after], columns["position/1"][after], atol=1e-6)


def test_a_reload_reads_the_laws_of_the_document_again(bench: Bench) -> None:
    bench.open()
    bench.live.send(SetCoupling(0, 0.1, 0.0, 0.0))
    bench.window.tick()
    bench.window.actions_["reload"].trigger()
    bench.window.tick()
    assert bench.window.joints_panel.followers[1].law.text() == "rack_joint = 0.05 · pinion_joint"
    assert not any(isinstance(command, SetCoupling) for command in bench.client.sent)


def test_history_of_laws_follows_a_reset() -> None:
    mechanism = opened().mechanism
    laws = CurrentLaws(mechanism)
    assert laws.with_changes((), 0.0, 1.0) is laws
    first = laws.with_changes((SetCoupling(0, 0.1, 0.0, 0.0),), 1.0, 1.1)
    second = first.with_changes((SetCoupling(0, 0.2, 0.0, 0.0),), 2.0, 2.1)
    assert [start for start, _ in second.history] == [-math.inf, 1.0, 2.0]
    assert second.coupling(0).multiplier == 0.2
    times = np.array([0.5, 1.0, 1.5, 2.5])
    found = {coupling.multiplier: mask.tolist() for mask, coupling in second.stretches(1, times)}
    assert found == {0.05: [True, False, False, False], 0.1: [False, True, True, False], 0.2: [False] * 3 + [True]}
    again = second.with_changes((SetCoupling(0, 0.2, 0.0, 0.0),), 0.0, 0.0)
    assert [start for start, _ in again.history] == [-math.inf, 0.0]
    assert again.with_changes((), 0.5, 0.5).now() is mechanism


def test_every_leader_has_a_multiplier(qtbot: QtBot) -> None:
    """A gearbox whose reference body turns: ring = −0.5 · (sun − reference) + offset + 1.5 · carrier."""
    turn, slide = axes()
    law = Coupling(CouplingKind.GEARBOX, 1, 0, -0.5, others=((2, 1.5),))
    three = (replace(turn, name="m::sun"), replace(turn, name="m::ring"), replace(slide, name="m::carrier"))
    editor, sent = LawEditor(3, law, three, Units()), list[SetCoupling]()
    editor.commanded.connect(sent.append)
    qtbot.addWidget(editor)
    editor.show()
    assert [field.text() for field in editor.multipliers] == ["−0.5", "1.5"]
    assert [field.accessibleName() for field in editor.multipliers] == ["× sun", "× carrier"]
    assert [unit.text() for unit in editor._unit_labels] == ["", "rad/m", "rad", "rad"]
    enter(qtbot, editor.multipliers[1], "-2/3")
    enter(qtbot, editor.offset, "0.25")
    assert sent[0] == SetCoupling(3, -0.5, 0.0, 0.0, (-2 / 3,))
    editor.show_law(with_coupling_law(law, sent[0].law, three))
    enter(qtbot, editor.multiplier, "2")
    assert sent[-1] == SetCoupling(3, 2.0, 0.0, 0.0, (-2 / 3,)), "what was not touched keeps its value to the last bit"
    editor.set_units(Units(millimetres=True))
    assert float(editor.multipliers[1].shown.replace("−", "-")) == pytest.approx(-2 / 3000)
    editor.restore.click()
    assert sent[-1] == SetCoupling(3, -0.5, 0.0, 0.0, (1.5,))


def test_laws_of_several_leaders_are_heard() -> None:
    turn, _ = axes()
    mechanism = replace(
        opened().mechanism,
        axes=(turn, turn, turn),
        couplings=(Coupling(CouplingKind.GEARBOX, 1, 0, -0.5, others=((2, 1.5),)),),
    )
    laws = CurrentLaws(mechanism).with_changes((SetCoupling(0, 2.0, 0.1, 0.0, (-1.0,)),), 1.0, 1.0)
    assert laws.coupling(0).terms == ((1, 1.0), (0, -2.0), (2, 1.0))
    assert laws.coupling(0).constant == 0.1
