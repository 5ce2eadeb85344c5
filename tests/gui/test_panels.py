"""The panels: what they show and what they send."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from simulator.engine.drives import DriveKind
from simulator.gui.panels.axis_card import AxisCard
from simulator.gui.panels.drive_card import KINDS
from simulator.gui.panels.slider import STEPS, slider_range
from simulator.gui.selection import Item, ItemKind
from simulator.gui.theme import ThemeChoice
from simulator.gui.tokens import DARK
from simulator.gui.traces.plan import Group
from simulator.model.profiles import Constant
from simulator.model.world import DemonstrationDrive
from simulator.session.commands.commands import SetPosition, StepOnce
from simulator.session.open.opening import Opened
from tests.gui.conftest import Bench
from tests.gui.fakes import FakeClient, axes, opened
from tests.helpers.drives import set_drive

LINK, JOINT = ItemKind.LINK, ItemKind.JOINT


def card_of(bench: Bench) -> AxisCard:
    bench.open()
    bench.client.sent.clear()
    return bench.window.joints_panel.cards[0]


def test_a_slider_puts_the_axis_where_it_is_dragged(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    card.slider.setValue(STEPS * 3 // 4)
    qtbot.waitUntil(lambda: bool(bench.client.sent))
    assert bench.client.sent == [SetPosition(0, pytest.approx(math.pi / 2))]
    assert card.spin.value() == pytest.approx(math.pi / 2, abs=1e-3)


def test_a_drag_sends_only_its_newest_value(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    for value in range(2000, 2400, 10):
        card.slider.setValue(value)
    qtbot.waitUntil(lambda: bool(bench.client.sent))
    assert len(bench.client.sent) == 1


def test_a_position_drive_makes_the_slider_its_target(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    card.kind.setCurrentIndex(1)
    card.spin.setValue(0.7)
    qtbot.waitUntil(lambda: len(bench.client.sent) == 2)
    assert bench.client.sent == [
        set_drive("machine::pinion_joint=position:0"),
        set_drive("machine::pinion_joint=position:0.7"),
    ]


@pytest.mark.parametrize(
    ("kind", "typed", "asked"), [("Position", "0.5", "position:0.5"), ("Velocity", "2", "velocity:2")]
)
def test_the_number_of_a_chosen_drive_is_typed_at_once(
    bench: Bench, qtbot: QtBot, kind: str, typed: str, asked: str
) -> None:
    """The field has the focus after a click in the open list; keys on the closed box leave it there."""
    card = card_of(bench)
    card.kind.setFocus()
    qtbot.keyClick(card.kind, Qt.Key.Key_Down)
    qtbot.keyClick(card.kind, Qt.Key.Key_Up)
    assert bench.window.focusWidget() is card.kind
    card.kind.showPopup()
    card.kind.setCurrentText(kind)
    card.kind.activated.emit(card.kind.currentIndex())
    card.kind.hidePopup()
    field = bench.window.focusWidget()
    assert field in {card.spin, card.value}
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.client.sent[-1] == set_drive(f"machine::pinion_joint={asked}"))


def test_velocity_and_effort_drives_have_their_own_value(bench: Bench) -> None:
    card = card_of(bench)
    card.kind.setCurrentIndex(2)
    card.value.setValue(3.0)
    assert bench.client.sent[-1] == set_drive("machine::pinion_joint=velocity:3")
    card.value.setValue(99.0)
    assert bench.client.sent[-1] == set_drive("machine::pinion_joint=velocity:10")  # the document's velocity limit
    assert not card.slider.isEnabled()
    card.kind.setCurrentIndex(3)
    card.value.setValue(2.0)
    assert bench.client.sent[-1] == set_drive("machine::pinion_joint=effort:2")
    card.kind.setCurrentIndex(0)
    assert bench.client.sent[-1] == set_drive("machine::pinion_joint=")
    assert card.slider.isEnabled()


def test_the_effort_of_a_driven_joint_is_whole_in_a_narrow_column(bench: Bench, qtbot: QtBot) -> None:
    """It has the place of the field that would show the position again."""
    card = card_of(bench)
    bench.window._timer.stop()
    card.setFixedWidth(236)
    rows = {}
    for kind in (DriveKind.VELOCITY, None, DriveKind.EFFORT):
        card.kind.setCurrentIndex(KINDS.index(kind))
        card.show_state(0.0, 0.0, -0.1573)
        rows[kind] = card._hint.parentWidget()
        assert card.spin.isHidden() is (kind is not None)
    assert rows[DriveKind.VELOCITY] is rows[DriveKind.EFFORT] is card.slider.parentWidget()
    assert rows[None] is card.kind.parentWidget()
    shown = card._hint.fitting
    qtbot.waitUntil(lambda: card._hint.fontMetrics().horizontalAdvance(shown()) <= card._hint.width())
    assert "0.157 N·m" in shown()


def test_the_effort_limit_is_shown(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    qtbot.waitUntil(lambda: "≤ 20 N·m" in card._hint.text())


def test_units_change_what_is_read_not_what_is_sent(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    bench.window.actions_["degrees"].setChecked(True)
    card.spin.setValue(90.0)
    qtbot.waitUntil(lambda: bool(bench.client.sent))
    assert bench.client.sent == [SetPosition(0, pytest.approx(math.pi / 2))]
    bench.window.tick()
    qtbot.waitUntil(lambda: "90.00 deg" in card.live.text())


def test_a_follower_is_locked_and_says_its_law(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    row = bench.window.joints_panel.followers[1]
    assert row.law.text() == "rack_joint = 0.05 · pinion_joint"
    assert not row.findChildren(type(bench.window.joints_panel.cards[0].slider))
    bench.live.send(StepOnce(30))
    qtbot.waitUntil(lambda: "e−0" in row.residual.text())
    assert row.residual.text().endswith(" m")


@pytest.mark.parametrize(
    ("kind", "limits", "expected"),
    [
        (0, (-math.inf, math.inf), (-math.pi, math.pi)),
        (1, (-math.inf, math.inf), (-0.5, 0.5)),
        (1, (-0.3, 0.3), (-0.3, 0.3)),
        (0, (1.0, math.inf), (1.0, 1.0 + 2 * math.pi)),
        (1, (-math.inf, -2.0), (-3.0, -2.0)),
    ],
)
def test_slider_ends(kind: int, limits: tuple[float, float], expected: tuple[float, float]) -> None:
    from dataclasses import replace

    info = axes()[kind]
    info = replace(info, axis=replace(info.axis, lower=limits[0], upper=limits[1]))
    assert slider_range(info) == pytest.approx(expected)


def test_a_continuous_axis_stays_in_its_turn(bench: Bench) -> None:
    card = card_of(bench)
    card.slider.show_live(4 * math.pi + 0.1)
    card.slider.show_target(4 * math.pi + 0.1)
    assert card.slider.position() == pytest.approx(4 * math.pi + 0.1, abs=2e-3)


def test_tree_selection_marks_the_view_and_the_joint(bench: Bench) -> None:
    bench.open()
    panel, selection = bench.window.model_panel, bench.window.selection
    entry = panel._items[Item(JOINT, "machine::rack_joint")]
    panel.tree.setCurrentItem(entry)
    assert selection.item == Item(JOINT, "machine::rack_joint")
    assert bench.window.viewport.state.selected == {"machine::rack"}
    assert bench.window.joints_panel.followers[1].property("selected") == "true"
    assert any("rack_joint" in label.text and "|r| =" in label.text for label in bench.window.viewport.state.labels)


def test_a_click_in_the_view_selects_in_the_tree(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.open()
    view = bench.window.viewport
    monkeypatch.setattr(view.canvas, "pick", lambda _at: "machine::pinion")
    view.navigator.clicked.emit(QPointF(5, 5))
    current = bench.window.model_panel.tree.currentItem()
    assert current is not None
    assert current.text(0) == "pinion"
    assert "0.3 kg" in str(bench.window.inspector.facts.rows())
    monkeypatch.setattr(view.canvas, "pick", lambda _at: None)
    view.navigator.clicked.emit(QPointF(5, 5))
    assert bench.window.selection.item is None
    assert view.state.selected == frozenset()


def test_the_coupling_marks_both_its_links(bench: Bench) -> None:
    bench.open()
    bench.window.selection.select(Item(ItemKind.COUPLING, "machine::rack_joint"))
    assert bench.window.viewport.state.selected == {"machine::rack", "machine::pinion"}
    assert "multiplier" in str(bench.window.inspector.facts.rows())


def test_the_filter_hides_what_does_not_match(bench: Bench) -> None:
    bench.open()
    panel = bench.window.model_panel
    panel.filter.setText("pinion")
    hidden = {item.name for item, entry in panel._items.items() if entry.isHidden()}
    assert "machine::rack" in hidden
    assert "machine::pinion" not in hidden


def test_traces_show_leader_follower_ideal_and_residual(bench: Bench, qtbot: QtBot) -> None:
    bench.open()
    panel = bench.window.traces_panel
    assert [series.label for series in panel.legend.visible_series()] == [
        "pinion_joint", "rack_joint", "↳ ideal", "rack_joint",
    ]  # fmt: skip
    bench.live.send(StepOnce(200))
    bench.window.tick()
    snapshot = bench.live.snapshot
    assert snapshot is not None
    panel.refresh(snapshot)
    columns = panel._columns
    assert len(columns["position/0"]) == 201
    np.testing.assert_allclose(columns["position/1/ideal"], 0.05 * columns["position/0"])


def test_groups_and_units_rebuild_the_plots(bench: Bench) -> None:
    bench.open()
    panel = bench.window.traces_panel
    for group in Group:
        panel.set_group(group)
        assert panel.group is group
        assert panel.legend.visible_series()
    bench.window.actions_["millimetres"].setChecked(True)
    bench.window.actions_["millimetres"].setChecked(False)


def test_a_channel_can_be_switched_off_and_stays_off(bench: Bench) -> None:
    bench.open()
    panel = bench.window.traces_panel
    item = panel.legend.topLevelItem(0)
    assert item is not None
    item.setCheckState(0, Qt.CheckState.Unchecked)
    assert "position/0" not in {series.key for series in panel.legend.visible_series()}
    panel.set_group(Group.VELOCITY)
    panel.set_group(Group.POSITION)
    assert "position/0" not in {series.key for series in panel.legend.visible_series()}


def test_the_theme_switch_reaches_every_part(bench: Bench) -> None:
    bench.open()
    bench.window.set_theme(ThemeChoice.DARK)
    window = bench.window
    assert window.theme.tokens is DARK
    assert window.viewport.state.theme.is_dark
    assert window.palette().window().color().name() == DARK.window
    assert window.preferences.theme is ThemeChoice.DARK
    window.set_theme(ThemeChoice.LIGHT)
    assert not window.viewport.state.theme.is_dark


def test_the_fake_obeys_its_own_law() -> None:
    client = FakeClient(opened(multiplier=2.0, offset=0.1, reference=0.3))
    client.send(StepOnce(100))
    snapshot, _status = client.poll()
    assert snapshot is not None
    assert snapshot.position[1] == pytest.approx(2.0 * (snapshot.position[0] - 0.3) + 0.1, abs=1e-6)


def test_a_world_that_wants_to_move_shows_its_drive(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card of the driven axis says so from the start."""

    def driven(path: Path) -> Opened:
        good = opened(path)
        wish = DemonstrationDrive(good.mechanism.axes[0].name, "velocity", Constant(0.5))
        return replace(good, world=replace(good.world, drives=(wish,)))

    monkeypatch.setattr(bench.live, "_opener", driven)
    bench.open()
    card = bench.window.joints_panel.cards[0]
    assert card.kind.currentIndex() == KINDS.index(DriveKind.VELOCITY)
