"""Actuators in the window: their laws, where they are, how they are driven, their curves."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from simulator.engine.drives import DriveKind
from simulator.gui.laws import actuator_law
from simulator.gui.panels.actuator_card import ActuatorCard
from simulator.gui.panels.drive_card import OVER_TIME
from simulator.gui.traces.plan import Group, plan
from simulator.gui.units import Units
from simulator.recording.channels import Channel
from simulator.session.commands.commands import SetDrive, StepOnce
from tests.gui.conftest import Bench
from tests.gui.fakes import opened, with_motor
from tests.helpers.drives import set_drive

MOTOR = "actuator/machine::motor"
PINION = "machine::pinion_joint"


def card_of(bench: Bench) -> ActuatorCard:
    bench.open("motor.sdf")
    bench.client.sent.clear()
    rows = bench.window.joints_panel.actuators
    assert rows is not None
    return rows.cards[0]


def test_a_document_without_actuators_has_no_such_section(bench: Bench) -> None:
    bench.open()
    assert bench.window.joints_panel.actuators is None
    card_of(bench)
    bench.open()
    assert bench.window.joints_panel.actuators is None


def test_name_law_and_transmission_are_told(bench: Bench) -> None:
    card = card_of(bench)
    assert card.name == "motor"
    assert card.law.text() == "50 · pinion_joint − 10"
    tip = card.toolTip()
    assert "Simple transmission" in tip
    assert "“gear”" in tip
    assert "2e−06 kg m²" in tip


@pytest.mark.parametrize(
    ("terms", "constant", "text"),
    [
        (((0, 24.0), (1, 24.0)), 0.0, "24 · a + 24 · b"),
        (((0, 24.0), (1, -24.0)), 0.0, "24 · a − 24 · b"),
        (((0, -1.0),), 0.5, "−a + 0.5"),
        (((0, 50.0),), 47.99655443, "50 · a + 47.9966"),
    ],
)
def test_laws_of_actuators_read_as_sums(terms: tuple[tuple[int, float], ...], constant: float, text: str) -> None:
    assert actuator_law(terms, constant, ("a", "b")) == text


def test_the_numbers_are_those_of_the_recording(bench: Bench) -> None:
    card = card_of(bench)
    bench.live.send(StepOnce(100))
    bench.live.poll()
    bench.window.joints_panel.show_snapshot(bench.client._snapshot)
    assert card._position == pytest.approx(50.0 * bench.client.q - 10.0)
    assert card.live.text() == f"θ = {card._position:.3f} rad".replace("-", "−")
    # 1 rad/s of the pinion is 50 rad/s of the motor; 0.5 N m at the pinion is 0.01 N m at the motor
    assert (card.speed.text(), card.effort.text()) == ("50.000 rad/s", "0.01 N·m")
    bench.window.joints_panel.set_units(Units(degrees=True))
    assert card.live.text().endswith(" deg")


def test_kinds_and_values_are_sent(bench: Bench) -> None:
    card = card_of(bench)
    card.kind.setCurrentIndex(2)
    card.value.setValue(-3.5)
    card.kind.setCurrentIndex(1)
    card.kind.setCurrentIndex(3)
    card.kind.setCurrentIndex(0)
    assert bench.client.sent == [
        set_drive("actuator/machine::motor=velocity:50"),  # as fast as 1 rad/s of the joint
        set_drive("actuator/machine::motor=velocity:-3.5"),
        set_drive("actuator/machine::motor=position:-10"),  # where it is: the pinion is at 0
        set_drive("actuator/machine::motor=effort:0"),
        set_drive("actuator/machine::motor="),
    ]


def test_degrees_are_of_the_view_only(bench: Bench) -> None:
    card = card_of(bench)
    card.kind.setCurrentIndex(2)
    bench.window.joints_panel.set_units(Units(degrees=True))
    assert card.value.suffix() == " deg/s"
    bench.client.sent.clear()
    card.value.setValue(180.0)
    (command,) = bench.client.sent
    assert isinstance(command, SetDrive)
    assert command.drive is not None
    assert command.drive.level == pytest.approx(3.141592653589793, rel=1e-15)


def test_a_drive_over_time(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    card.kind.setCurrentIndex(OVER_TIME)
    assert card.profile is not None
    assert card.profile.text == "position:sine(amplitude=25,frequency=0.5,offset=-10)"
    assert bench.client.sent == []
    qtbot.keyClick(card.profile.field, Qt.Key.Key_Return)
    assert bench.client.sent == [set_drive(f"{MOTOR}={card.profile.text}")]


def test_a_refused_drive_is_told_at_the_card(bench: Bench) -> None:
    card = card_of(bench)
    bench.client.locked = (MOTOR,)
    card.kind.setCurrentIndex(2)
    bench.live.poll()
    assert card.message.isVisible()
    assert card.message.text() == f"{MOTOR} cannot be driven"
    assert card.kind.currentIndex() == 0
    bench.client.locked = ()
    card.kind.setCurrentIndex(2)
    bench.live.poll()
    assert not card.message.isVisible()
    assert card.drive_kind() is DriveKind.VELOCITY


def test_a_joint_that_is_held_by_its_own_drive_is_named(bench: Bench) -> None:
    card = card_of(bench)
    joint = bench.window.joints_panel.cards[0]
    card.kind.setCurrentIndex(2)
    assert not card.message.isVisible()
    joint.kind.setCurrentIndex(1)
    card.value.setValue(2.0)
    assert card.message.isVisible()
    assert "pinion_joint" in card.message.text()
    joint.kind.setCurrentIndex(3)  # an effort holds nothing
    card.value.setValue(1.0)
    assert not card.message.isVisible()


def test_drives_of_actuators_come_back_after_a_reload(bench: Bench, qtbot: QtBot) -> None:
    card = card_of(bench)
    card.kind.setCurrentIndex(2)
    bench.live.reload()
    assert set_drive("actuator/machine::motor=velocity:50") in bench.client.sent
    rows = bench.window.joints_panel.actuators
    assert rows is not None
    assert rows.cards[0].drive_kind() is DriveKind.VELOCITY
    assert rows.cards[0].value.value() == pytest.approx(50.0)
    rows.cards[0].kind.setCurrentIndex(OVER_TIME)
    editor = rows.cards[0].profile
    assert editor is not None
    qtbot.keyClick(editor.field, Qt.Key.Key_Return)
    bench.live.reload()
    rows = bench.window.joints_panel.actuators
    assert rows is not None
    assert rows.cards[0].over_time


def test_curves_of_actuators_can_be_switched_on(bench: Bench, qtbot: QtBot) -> None:
    card_of(bench)
    panel = bench.window.traces_panel
    bench.live.send(StepOnce(50))
    bench.live.poll()
    key = f"{MOTOR}/position"
    line, item = panel.legend._items[key]
    assert line.label == "motor"
    assert item.checkState(0) is Qt.CheckState.Unchecked
    item.setCheckState(0, Qt.CheckState.Checked)
    assert panel._columns[key][-1] == pytest.approx(50.0 * bench.client.q - 10.0)
    headings = [panel.legend.topLevelItem(i) for i in range(panel.legend.topLevelItemCount())]
    assert [row.text(0) for row in headings if row is not None and row.flags() == Qt.ItemFlag.NoItemFlags] == [
        "Actuators",
        "Residuals",
    ]


def test_curves_of_joints_are_not_taken_for_those_of_actuators() -> None:
    document = with_motor(opened())
    channels = (
        Channel("time", "time", "s"),
        Channel(f"joint/{PINION}/effort", "effort", "N·m", 0),
        Channel(f"{MOTOR}/effort", "effort", "N·m", 0),
    )
    series = plan(document.mechanism, channels, Group.EFFORT)
    assert [(line.column, line.actuator) for line in series] == [(1, False), (2, True)]
